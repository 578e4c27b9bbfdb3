#!/bin/sh
# Other machines: a static musl, 32 bits, aarch64 and the big-endian s390x, these two by qemu's user mode. There the
# program builds without a warning, copies by every row, reads what was written here and writes what is read here, and
# does what other test files ask of it. A line of the table is a machine, how it is compiled for and run, and those
# files, which depend on it most: on a C library, the width of a number, the order of bytes. Not those that compile, or
# that trace calls (32 bits have others); by qemu not those that take minutes there, or look at processes.
# Tried: noise in the machine's own byte order; no _FILE_OFFSET_BITS; free space compared with musl's unsigned f_bsize;
# Tried: FIEMAP's request without its cast; ENOPROTOOPT no refusal; argv[optind - 1], which is NULL with musl; ENOMEM of
# Tried: a large mapping left as it is.
. "$(dirname "$0")/tap.sh"

full "other machines" || exit 0
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-declarations -Werror"
# shellcheck disable=SC2034 # of the table
# The kernel's headers, which musl's folder and that of 32 bits lack; behind all others.
headers="-idirafter /usr/include -idirafter /usr/include/$(gcc -print-multiarch 2>/dev/null)"
said_by() { # PROGRAM FILE: the report in text; what the C library says of an errno is a matter of its own
	"$1" --compare "$2" 2>&1 | tr '\n' ' ' | tr -s ' ' | sed 's/ \(E[A-Z]*\) ([^)]*)/ \1/g'
}
# measured WHAT: is every row ok, or n/a, and some ok? An errno says why, but where O_DIRECT is ignored (tmpfs).
measured() {
	column row,outcome csv >outcomes
	grep -q ',ok$' outcomes || echo "none is ok" >>outcomes
	is "$1" "$(grep -Ev ',(ok|shared|untouched|n/a [A-Z]*)$|direct .*,n/a$' outcomes)" ""
}
echo 'int main(void) { return 0; }' >empty.c
bytes 300001 >X
"$wb" --generate=noise:100003 >noise
w -n2 -f csv -o host.csv <X >Y 2>err
said_by "$wb" host.csv >host.text
ours=$wb

while IFS='|' read -r machine compiler emulator files <&4; do
	case " ${MACHINES-$machine} " in *" $machine "*) ;; *) continue ;; esac
	# shellcheck disable=SC2086
	{ compiler=$(eval echo $compiler) && $compiler -pthread -o empty empty.c && ${emulator#-} ./empty; } 2>err ||
		or_skip "$machine" "no ${compiler%% -*}, or nothing to run it by" || continue
	mkdir "$machine"
	wb=$work/$machine/write-bench
	# shellcheck disable=SC2086
	$compiler -std=gnu11 -pthread $warnings -O1 -o "$machine/program" "$top/write-bench.c" 2>err
	# a static glibc can't resolve all names, and its linker says so
	is "$machine: builds without a warning" \
		"$? $(grep -v "statically linked applications\|in function .resolve'" err)" "0 "
	if [ "$emulator" = - ]; then
		ln -s program "$wb"
	else
		printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$emulator" "$work/$machine/program" >"$wb"
		chmod +x "$wb"
	fi
	measure <X >Y 2>err
	is "$machine: copies each byte" "$? $(cmp X Y 2>&1)" "0 "
	measured "... by every row, or it is n/a"
	counted "$machine: $(outcomes)"
	is "... its report is read here as there" "$(said_by "$ours" csv)" "$(said_by "$wb" csv)"
	is "... and ours as here" "$(said_by "$wb" host.csv)" "$(cat host.text)"
	"$wb" --generate=noise:100003 | cmp - noise
	is "... the same noise" $? 0
	run 0 "... sends, and receives" measure --send -a -s 'send*,io_uring*,read+write 64k' <X
	measured "... by every row, or it is n/a"
	[ "$machine" != i386 ] || for size in 5G 3G; do # the length of the second fits, the mapping does not
		truncate -s $size large # of holes; they are read in the end, for a copy
		measure --no-verify -s 'mmap+write' <large >/dev/null 2>err
		is "... a mapping of $size is refused" "$(column 4 csv)" "n/a EOVERFLOW"
		rm large
	done
	for file in ${OTHERS-$files}; do # each as it is in the quick part
		(cd "$top" && env -u FULL CC=false WRITE_BENCH="$wb" timeout -k 1 900 "tests/$file.t") >tap 2>&1 </dev/null 4<&-
		is "$machine: $file.t" "$? $(grep -A 5 '^not ok' tap)" "0 "
		counted "$machine: $(grep -c '^ok' tap) tests of $file.t"
	done
done 4<<'END'
musl|musl-gcc -static $headers|-|options report commands network interrupt
i386|gcc -m32 $headers|-|options refused generate statistics report pictures pipes
aarch64|aarch64-linux-gnu-gcc -static|qemu-aarch64|refused generate
s390x|s390x-linux-gnu-gcc -static|qemu-s390x|refused generate
END
