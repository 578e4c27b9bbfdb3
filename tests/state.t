#!/bin/sh
# What a run finds, and what its clock covers: the state before each run, set-up, the reader of a pipe or socket, a command's start.
# Tried: it fails where the output is emptied before the pause, or not synced; set-up is not in the clock; an input that was
# Tried: evicted is not read again, or that is not reported; the clock does not wait for a reader; commands go by the shell.
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
undo=unplace

at_least() { # DESCRIPTION NUMBER NUMBER
	[ "${2:-0}" -ge "$3" ]
	is "$1 ($2 >= $3)" $? 0
}
fs=$(stat -f -c %T .)
bytes 300000 >X
"$wb" -p0 -n1 -s sendfile <X >Y 2>err # it is written to the disk

# The state before a run: the pause, with the last copy in place, then an output that is emptied and synced.
if can_trace; then
	traced=1
	strace -qq -o trace -e trace=clock_nanosleep,ftruncate,syncfs,sendfile "$wb" -p0.001 -n2 --no-verify -s sendfile <X >Y 2>err
	case $fs in tmpfs | ramfs) wanted=NTSNTST ;; *) wanted=NTYSNTYSTY ;; esac
	is "a pause, then the output is emptied and synced, then the copy; in the end the one that stays" "$(awk '/^clock_nanosleep/ { s = s "N" }
		/^ftruncate/ { s = s "T" } /^syncfs/ { s = s "Y" } /^sendfile/ { s = s "S" } END { print s }' trace)" $wanted
	case $fs in
	tmpfs | ramfs) ;;
	*)
		strace -qq -o trace -e inject=syncfs:error=EIO:when=1 "$wb" -p0 -n1 -s sendfile -f csv -o csv <X >Y 2>err
		is "an error of another file, of which the sync tells, is asked once more and left" "$? $(column 4 csv) $(grep -c ^syncfs trace)" "0 ok 3"
		;;
	esac
	strace -f -qq -o trace -e inject=io_uring_setup:delay_enter=500000 "$wb" -p0 -n1 -s 'io_uring read+write 8x128k,read+write 64k' \
		-f csv -o csv <X >Y 2>err
	if grep -q '^io_uring read+write 8x128k,1,[0-9]*,ok' csv; then
		at_least "set-up is inside the clock" "$(sed -n 's/^io_uring[^,]*,1,\([0-9]*\),.*/\1/p' csv)" 500000000
	else
		skip "set-up is inside the clock" "no io_uring here"
	fi
	# The clock stands between two calls of prctl(2), which begin and end what is counted.
	strace -qq -y -o trace -e trace=prctl,write,close "$wb" -p0 -n1 --no-verify -s 'stdio 256k' <X >Y 2>err
	is "stdio's closing of a file is outside the clock, its last write inside" "$(awk '/PERF_EVENTS/ { s = s "P" } /^write.*\/Y>/ { s = s "W" }
		/^close.*\/Y>/ { s = s "C" } END { gsub(/W+/, "W", s); print s }' trace)" PWPCPWPC # and the copy that stays
else
	traced=
	skip "the order of calls" "no strace, or it may not trace here"
fi
# The input stays in the page cache, or the report says so.
# shellcheck disable=SC2016
evictor='cat; sync X; for _ in 1 2 3 4 5 6 7 8; do dd of=X oflag=nocache conv=notrunc,fdatasync count=0 2>/dev/null
	[ "$(fincore -b -n -r -o RES X 2>/dev/null)" != 0 ] || break; done' # the kernel leaves a page that is busy
if disk=$(disk) && cd "$disk"; then
	bytes 300000 >X
	run 0 "an input that is evicted by a command" "$wb" -p0 -n3 --in-order -s sendfile --with="$evictor" -f csv -o csv <X >Y
	holds "... is read again: a warning with a remedy" csv \
		'^# warning_evicted: the input did not stay in the page cache \(read again [1-9] times?\): '
	"$wb" -v --compare csv >out
	joined out >line
	holds "... in the text" line 'Warning: the input did not stay in the page cache'
	if have fincore; then
		rm -f cached
		# shellcheck disable=SC2016
		look='fincore -b -n -r -o RES /proc/$$/fd/0 >>cached; '$evictor
		"$wb" -p0 -n3 --in-order -s sendfile --with="$look" <X >Y 2>err
		is "... before the next run" "$(awk '{ n++ } $1 < 297000 { print } END { print (n >= 3) }' cached)" 1 # 99 %
	fi
	run 0 "an input that stays" "$wb" -p0 -n3 -s 'sendfile,read+write 64k' -f csv -o csv <X >Y
	lacks "... has no such warning" csv '^# warning_evicted'
	cd "$work" || exit 1
else
	skip "an input that is evicted" "the current directory is on no disk, and no ext4 can be mounted"
fi
group=
for memory in /sys/fs/cgroup/memory /sys/fs/cgroup; do # cgroups(7), v1 and v2
	group=$memory/write-bench-test.$$
	case $memory in */memory) limit=memory.limit_in_bytes ;; *) limit=memory.max ;; esac
	[ "$(id -u)" = 0 ] && [ -w $memory/cgroup.procs ] && mkdir "$group" 2>/dev/null && [ -w "$group/$limit" ] && break
	rmdir "$group" 2>/dev/null
	group=
done
if [ "$group" ] && echo 31457280 >"$group/$limit" 2>/dev/null && [ "$disk" ] && cd "$disk"; then
	"$wb" -g noise:26m >large && sync
	sh -c 'echo $$ >"$1/cgroup.procs"; exec "$2" -p0 -n3 -s sendfile -f csv -o csv <large >Y 2>err' sh "$group" "$wb"
	is "a memory cgroup that has no room for input and output" $? 0
	holds "... a warning that the input does not stay" csv '^# warning_evicted: '
	same "... and there is a copy" large Y
	rm -f large Y
	cd "$work" || exit 1
else
	skip "a memory cgroup" "none can be made here, or there is no disk"
fi
[ -z "$group" ] || rmdir "$group" 2>/dev/null

# Options of mount that can be worth more than any call: said where they are not set, with the remedy.
bytes 300000 >small
# shellcheck disable=SC2016
mounted() { # TYPE SOURCE OPTIONS COMMAND...: writes to Y there, in a mount namespace of its own
	unshare -m sh -c 'mkdir -p there && mount -t "$1" -o "$3" "$2" there && shift 3 && "$@" <small >there/Y 2>err' sh "$@"
}
if ! mounted tmpfs tmpfs size=9m true 2>err; then
	skip "tmpfs without huge pages" "nothing can be mounted here"
else
	pages=$(cat /sys/kernel/mm/transparent_hugepage/shmem_enabled 2>/dev/null)
	case $pages in
	"" | *"[deny]"* | *"[force]"*) skip "tmpfs without huge pages" "the kernel decides for all: ${pages:-it has none}" ;;
	*)
		for option in size=9m huge=never huge=advise huge=within_size huge=always; do
			mounted tmpfs tmpfs $option "$wb" -p0 -n1 -s 'sendfile,direct 1m' -f csv -o csv
			is "tmpfs mounted with $option" $? 0
			lacks "... no warning of direct I/O, which is n/a" csv '^# warning_direct'
			case $option in
			*within_size | *always)
				lacks "... no warning" csv '^# warning_small_pages'
				holds "... it is in the heading" csv "^# heading: (.* to )?tmpfs $option, memory, "
				;;
			*)
				holds "... a warning, and the remedy" csv '^# warning_small_pages: tmpfs without huge pages: mount -o remount,huge=within_size, for new files alone; run-all.sh -f tmpfs,tmpfs.huge=within_size compares$'
				[ "$option" = huge=advise ] || lacks "... nothing in the heading" csv '^# heading: .*huge'
				;;
			esac
		done
		"$wb" --compare csv >out
		lacks "... nor in a report that is read" out 'without huge pages'
		;;
	esac
fi

# --overwrite: evicted or cached. Files that are memory stay there: on an overlay fincore(1) tells, after another program's eviction.
stays() {
	case $fs in
	tmpfs | ramfs) return 0 ;;
	overlayfs)
		cp X evicted
		for _ in 1 2 3 4 5; do # a page that another CPU still holds is not evicted
			dd of=evicted oflag=nocache conv=notrunc,fdatasync count=0 2>dd.err
			[ "$(fincore -b -n -r -o RES evicted)" != 0 ] || return 1
		done
		return 0
		;;
	*) return 1 ;;
	esac
}
for state in "--overwrite:evicted from" "--overwrite=cached:in"; do
	words=${state#*:}
	! stays || words=in
	run 0 "${state%:*}" "$wb" -p0 -n1 "${state%:*}" -s 'sendfile,read+write 1k' -f csv -o csv <X 1<>Y
	case $fs in overlayfs) have fincore || { skip "... is in the report" "no fincore to know what an overlay lies on"; continue; } ;; esac
	holds "... is in the report" csv "^# output_state: its blocks were allocated, clean and $words the page cache, and held other bytes\$"
	same "... and there is a copy" X Y
	have fincore || continue
	rm -f cached
	# shellcheck disable=SC2016
	"$wb" -p0 -n1 "${state%:*}" -s '$ *' --with='exec 3>&1; fincore -b -n -r -o RES /proc/$$/fd/3 >>cached; cat' <X 1<>Y 2>err
	is "... true" "$([ "$(cat cached)" -lt 150000 ] && echo evicted from || echo in)" "$words"
done
run 2 "--overwrite=hot is refused" "$wb" --overwrite=hot -s sendfile <X 1<>Y
holds "... with a remedy" err '^write-bench: --overwrite=hot: is not known: use --overwrite=cached$'

# A reader that takes its time is waited for, though all fits into the pipe or socket: for 0.2 seconds after a first byte.
head -c 1000 X >small
{
	"$wb" -p0 -n1 --no-verify -s 'sendfile' -f csv -o csv <small 2>err
	echo $? >status
} | { dd bs=1 count=1 && sleep 0.2 && cat; } >/dev/null 2>&1
is "into a pipe whose reader sleeps" "$(cat status)" 0
at_least "... the clock goes on until that has emptied it" "$(column 3 csv)" 200000000
holds "... which is in the report" csv "^# until: the pipe's reader had emptied it\$"
{
	"$wb" -p0 -n1 --no-verify -s 'sendfile' -f csv -o csv <small 2>err
	echo $? >status
} | dd bs=1 count=1 >/dev/null 2>&1
is "a reader that ends and has not read" "$(cat status) $(column 4 csv)" "1 failed EPIPE"
cat >socket.pl <<'END'
use Socket;
my ($kind, @command) = @ARGV;
my ($ours, $theirs);
if ($kind eq 'unix') {
	socketpair $ours, $theirs, AF_UNIX, SOCK_STREAM, 0 or die;
} else {
	socket my $listener, AF_INET, SOCK_STREAM, 0 or die;
	bind $listener, pack_sockaddr_in(0, INADDR_LOOPBACK) or die;
	listen $listener, 1 or die;
	socket $ours, AF_INET, SOCK_STREAM, 0 or die;
	connect $ours, getsockname $listener or die;
	accept $theirs, $listener or die;
}
if (!fork) {
	close $ours;
	sysread $theirs, my $byte, 1;
	select undef, undef, undef, 0.2;
	while (sysread $theirs, my $bytes, 65536) {}
	exit;
}
close $theirs;
open STDOUT, '>&', $ours or die;
close $ours;
exec @command;
END
perl socket.pl unix "$wb" -p0 -n1 --no-verify -s 'sendfile' -f csv -o csv <small 2>err
is "into a socket whose other side sleeps" $? 0
at_least "... the clock goes on until that has all" "$(column 3 csv)" 200000000
holds "... which is in the report" csv "^# until: the socket's other side had all\$"
perl socket.pl tcp "$wb" -p0 -n1 --no-verify -s 'sendfile' -f csv -o csv <X 2>err
is "by TCP" $? 0
holds "... that, too" csv "^# until: the socket's other side had all\$"

# Commands: by exec where no shell is needed; what one takes that does nothing.
if [ "$traced" ]; then
	executed() { # COMMAND: the programs that a row of it executes, but for the shell that looks for it
		strace -f -qq -o trace -e trace=execve "$wb" -p0 -n1 -s '$ *' --with="$1" -f csv -o csv <X >Y 2>err
		grep -v 'command -v\|"exec true;"' trace | sed -n 's/.*execve("\([^"]*\)".* = 0$/\1/p' | sed '1d;s/.*\///' | grep -vx true | sort | tr '\n' ' '
	}
	is "a command without a shell's syntax is executed itself" "$(executed 'cat -u')" "cat "
	# shellcheck disable=SC2016
	for command in 'dd; :' 'dd | dd' 'A=b dd' 'dd </dev/stdin' 'head -c $SIZE' '"dd"'; do
		is "... by the shell: $command" "$(executed "$command" | grep -oE '\b(sh|dash|bash|busybox)\b' | head -n 1 | sed 's/..*/sh/') $(column 4 csv)" "sh ok"
	done
	is "... what the shell alone has: exit 3" "$(executed 'exit 3' >/dev/null; column 4 csv)" "failed exit 3"
fi
while IFS=: read -r started times key; do
	for n in 1 3; do
		run 0 "the start of commands is measured, by ${started:-none}, $n runs" \
			${traced:+strace -f -qq -o trace -e trace=execve} "$wb" -p0 -n$n -s sendfile ${started:+"--with=$started"} -f csv -o csv <X >Y
		is "... as they are started" "$(sed -n 's/^# \([a-z_]*command_ns\): [1-9][0-9]*$/\1/p' csv)" "$key"
		[ -z "$traced" ] || is "... so often" "$(grep -c 'execve("[^"]*/true", .* = 0$' trace)" "$times"
	done
done <<'END'
cat:5:command_ns
cat | cat:5:shell_command_ns
:0:
END

# Is the caller's CPU time all that a copy takes? Only between files, until the last call returned.
whole() { # OPTION...
	"$wb" -p0 -n1 -s 'read+write 1k' -f csv -o csv "$@" 2>err
	whole=$whole$(sed -n 's/^# cpu_whole: //p' csv)
}
whole=
whole <X >Y
is "from a file into a file the caller's CPU time is all" "$whole" 1
whole=
whole --until=sync <X >Y
whole --until=close <X >Y
is "... not until it is on disk, or closed" "$whole" ""
whole <X >/dev/null
whole -z 4096 </dev/zero >Y
whole --into=cat <X
is "... nor where an end is no file" "$whole" ""

# A race of many runs takes no pauses by default.
run 0 "a race" "$wb" --race -s 'sendfile,read+write 64k' -f csv -o csv <X >Y
holds "... without pauses" csv '^# pause_s: 0$'
run 0 "... but for those that are asked for" "$wb" --race -p 0.01 -s 'sendfile,read+write 64k' -f csv -o csv <X >Y
holds "... --pause rules" csv '^# pause_s: 0.01$'
