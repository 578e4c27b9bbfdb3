#!/bin/sh
# Other machines: a static musl, 32 bits, aarch64 and the big-endian s390x, these two by qemu's user mode. There the
# program builds without a warning, copies by every row, reads what was written here and writes what is read here; and
# with FULL=1 it does what other test files ask of it.
# Tried: noise in the machine's own byte order; no _FILE_OFFSET_BITS; free space compared with
# musl's unsigned f_bsize; FIEMAP's request without its cast; the error queue of a socket read without being asked for;
# ENOPROTOOPT no refusal; argv[optind - 1], which is NULL with musl; ENOMEM of a large mapping left as it is.
# shellcheck disable=SC2086
. "$(dirname "$0")/tap.sh"

source=${SOURCE:-$top/write-bench.c} # another one for experiments
case $source in /*) ;; *) source=$top/$source ;; esac
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-declarations -Werror"
# The kernel's headers, which musl's folder and that of 32 bits lack; behind all others.
headers="-idirafter /usr/include -idirafter /usr/include/$(gcc -print-multiarch 2>/dev/null)"
level=-O0 # a compiler takes seconds for each
[ -z "${FULL-}" ] || level=-O1

# Test files that are run with a program of another machine in the full part, those that depend on it most: on the width
# of a number, on a C library, on the order of bytes; OTHERS="FILE..." for others. Not for these machines: build, fuzz,
# run-all, sanitizers and simulate (they are about this one); faults and faults-matrix, and on 32 bits clocks and tee,
# since strace shows other calls there (sendfile64, writev for stdio); by qemu those that take minutes there (copy,
# pipes, compare, statistics, options), look at processes, which are called qemu, or at calls by strace. Where a clock
# of the test's own is preloaded, it is for this machine: CC=false skips that.
natively=${OTHERS-options refusals generate statistics report pictures pipes} # 32 bits
more=${OTHERS-options report commands with network signals}                   # musl
emulated=${OTHERS-refusals generate}

# make MACHINE: compiles it, with a script that runs it
compiler() {
	case $1 in
	musl) echo "musl-gcc -static $headers" ;;
	i386) echo "gcc -m32 $headers" ;;
	*) echo "$1-linux-gnu-gcc -static" ;;
	esac
}
missing() { # MACHINE: what it needs, and is not here
	echo 'int main(void) { return 0; }' >empty.c
	case $1 in
	musl) have musl-gcc || echo "no musl-gcc" ;;
	i386)
		# shellcheck disable=SC2046
		$(compiler i386) -pthread -o empty empty.c 2>/dev/null && ./empty ||
			echo "no gcc -m32, with libc6-dev-i386"
		;;
	*)
		# shellcheck disable=SC2046
		if ! $(compiler "$1") -o empty empty.c 2>/dev/null; then
			echo "no $1-linux-gnu-gcc"
		elif ! have "qemu-$1" || ! "qemu-$1" ./empty; then
			echo "no qemu-$1"
		fi
		;;
	esac
}
make_one() {
	# shellcheck disable=SC2046
	$(compiler "$1") -std=gnu11 -pthread $warnings $level -o "$1/program" "$source" 2>"$1/warnings"
	echo $? >"$1/status"
	# a static glibc can't resolve all names, and its linker says so
	grep -v "statically linked applications\|in function .resolve'" "$1/warnings" >"$1/said"
	case $1 in
	musl | i386) ln -s program "$1/write-bench" ;;
	*)
		printf '#!/bin/sh\nexec qemu-%s "%s" "$@"\n' "$1" "$work/$1/program" >"$1/write-bench"
		chmod +x "$1/write-bench"
		;;
	esac
}
outcomes() { # FILE: of a CSV report
	sed '1,/^row,/d' "$1" | cut -d, -f4 | sed 's/^n\/a .*/n\/a/' | sort | uniq -c |
		awk '{ printf "%s%s %s", (NR > 1 ? ", " : ""), $1, $2 }'
}
text() { # PROGRAM FILE: the report in text; what the C library says of an errno, a matter of its own, is left out
	"$1" --compare "$2" 2>&1 | tr '\n' ' ' | tr -s ' ' | sed 's/ \(E[A-Z]*\) ([^)]*)/ \1/g'
}
# measured WHAT FILE: is every row ok, or n/a, and some ok? An errno says why, but where O_DIRECT is ignored (tmpfs).
measured() {
	sed '1,/^row,/d' "$2" | cut -d, -f1,4 >outcomes
	grep -q ',ok$' outcomes || echo "none is ok" >>outcomes
	is "$1" "$(grep -v ',ok$\|,shared$\|,untouched$\|,n/a [A-Z]*$\|direct .*,n/a$' outcomes)" ""
}
# socket COMMAND...: its standard output is a UNIX socket, whose peer has sent something; prints how it ended, and
# what is still there
socket() {
	perl -MSocket -e '
		socketpair my $ours, my $theirs, AF_UNIX, SOCK_STREAM, 0 or die;
		syswrite $theirs, "hello";
		if (!fork) { close $ours; 1 while sysread $theirs, my $part, 65536; exit }
		my $pid = fork;
		if (!$pid) { open STDIN, "<", "X"; open STDOUT, ">&", $ours; exec "timeout", 100, @ARGV }
		waitpid $pid, 0;
		my $status = $? >> 8;
		sysread $ours, my $rest, 9;
		print "$status $rest\n"' "$@"
}

bytes 300001 >X
"$wb" --generate=noise:100003 >noise
"$wb" -n2 -p0 -f csv -o host.csv <X >Y 2>err
text "$wb" host.csv >host.text
emulators=
! full "aarch64 and s390x, by qemu" || emulators="aarch64 s390x"
machines='' jobs=''
for machine in ${MACHINES:-musl i386 $emulators}; do
	mkdir $machine
	why=$(missing $machine)
	if [ "$why" ]; then
		skip "$machine" "$why"
	else
		machines="$machines $machine"
		make_one $machine 3>&- &
		jobs="$jobs $!"
	fi
done
[ -z "$jobs" ] || wait $jobs
for machine in $machines; do
	other=$work/$machine/write-bench
	is "$machine: builds without a warning" "$(cat $machine/status $machine/said)" 0
	[ -x $machine/program ] || continue
	run 0 "$machine: copies" timeout -k 1 200 "$other" -n1 -p0 -f csv -o $machine/csv <X >Y
	measured "... by every row, or it is n/a" $machine/csv
	counted "$machine: $(outcomes $machine/csv)"
	same "... to a copy" X Y
	text "$wb" $machine/csv >$machine/there
	text "$other" $machine/csv >$machine/here
	same "... its report is read here as there" $machine/there $machine/here
	text "$other" host.csv >$machine/text
	same "... and ours as here" host.text $machine/text
	"$other" --generate=noise:100003 >$machine/noise
	same "... the same noise" noise $machine/noise
	timeout -k 1 200 "$other" -n1 -p0 -f csv -o $machine/send --send --all \
		-s 'send*,io_uring*,read+write 64k' <X 2>err
	measured "... sends, and receives" $machine/send
	if have perl || or_skip "... sends to a socket that has sent something" "no perl"; then
		is "... sends to a socket that has sent something" \
			"$(socket "$other" -n1 -p0 -f csv -o $machine/socket -s 'read+write 4k,send*' 2>err)" "0 hello"
		measured "... by every row, or it is n/a" $machine/socket
	fi
	"$other" -n 2>err <X >Y
	holds "... names an option whose argument is missing" err '^write-bench: -n: '
done
# A mapping that 32 bits have no room for, though it is of holes; they are read in the end, for a copy.
if [ -x i386/program ] && full "i386: mappings of gigabytes"; then
	for size in 5G 3G; do # the length of the second fits, the mapping does not
		truncate -s $size large
		i386/write-bench -n1 -p0 --no-verify -f csv -o large.csv -s 'mmap+write' <large >/dev/null 2>err
		is "i386: $size can't be mapped" "$(column 4 large.csv)" "n/a EOVERFLOW"
		rm large
	done
fi

# Each test file, by itself as it is in the quick part.
files() { # MACHINE
	case $1 in musl) echo "$more" ;; i386) echo "$natively" ;; *) echo "$emulated" ;; esac
}
test_files() { # MACHINE
	for file in $(files "$1"); do
		(cd "$top" && unset FULL COUNTS && CC=false WRITE_BENCH=$work/$1/write-bench timeout -k 1 900 \
			"tests/$file.t") \
			>"$work/$1/$file.tap" 2>&1 </dev/null
		echo $? >"$work/$1/$file.status"
	done
}
if full "other test files on these machines"; then
	jobs=
	for machine in $machines; do
		[ -x $machine/program ] || continue
		test_files $machine 3>&- &
		jobs="$jobs $!"
	done
	[ -z "$jobs" ] || wait $jobs
	for machine in $machines; do
		[ -x $machine/program ] || continue
		all=0
		skip "$machine: other files" "the head of machines.t has the reasons"
		for file in $(files $machine); do
			tap=$machine/$file.tap
			is "$machine: $file.t" "$(grep -A 5 '^not ok' $tap) $(cat $machine/$file.status)" " 0"
			all=$((all + $(grep -c '^ok' $tap) - $(grep -c '# SKIP' $tap)))
		done
		counted "$machine: $all tests of $(files $machine | wc -w) other files pass"
	done
fi
