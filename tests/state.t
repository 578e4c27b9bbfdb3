#!/bin/sh
# A run and its clock: the state before each run, set-up, the reader of a pipe or socket, a
# command's start.
# Tried: it fails where the output is emptied before the pause, or not synced; set-up is not in the clock; an input that
# Tried: was evicted is not read again, or that is not reported; the clock does not wait for a reader; commands go by
# Tried: the shell; CPU time of a row until its output is on disk is called all there is.
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
undo=unplace

measure() { # OPTION...: with a report in csv
	"$wb" -p0 -n1 -f csv -o csv "$@"
}

at_least() { # DESCRIPTION NUMBER NUMBER
	run 0 "$1 ($2 >= $3)" [ "${2:-0}" -ge "$3" ]
}
fs=$(stat -f -c %T .)
bytes 300000 >X
"$wb" -p0 -n1 -s sendfile <X >Y 2>err # it is written to the disk

# The state before a run: the pause, with the last copy in place, then an output that is emptied and synced.
if can_trace; then
	traced=1
	strace -qq -o trace -e trace=clock_nanosleep,ftruncate,syncfs,sendfile "$wb" -p0.001 -n2 --no-verify \
		-s sendfile <X >Y 2>err
	case $fs in tmpfs | ramfs) wanted=NTSNTST ;; *) wanted=NTYSNTYSTY ;; esac
	is "a pause, then the output is emptied and synced, then the copy; in the end the one that stays" \
		"$(awk '/^clock_nanosleep/ { s = s "N" }
		/^ftruncate/ { s = s "T" } /^syncfs/ { s = s "Y" } /^sendfile/ { s = s "S" }
		END { print s }' trace)" $wanted
	strace -f -qq -o trace -e inject=io_uring_setup:delay_enter=500000 "$wb" -p0 -n1 \
		-s 'io_uring read+write 8x128k,read+write 64k' \
		-f csv -o csv <X >Y 2>err
	if grep -q '^io_uring read+write 8x128k,1,[0-9]*,ok' csv ||
		or_skip "set-up is inside the clock" "no io_uring here"; then
		at_least "set-up is inside the clock" "$(sed -n 's/^io_uring[^,]*,1,\([0-9]*\),.*/\1/p' csv)" 500000000
	fi
else
	traced=
	skip "the order of calls" "no strace, or it may not trace here"
fi
# The input stays in the page cache, or the report says so.
evictor='cat; sync X; for _ in 1 2 3 4 5 6 7 8; do dd of=X oflag=nocache conv=notrunc,fdatasync count=0 2>/dev/null
	[ "$(fincore -b -n -r -o RES X 2>/dev/null)" != 0 ] || break; done' # the kernel leaves a page that is busy
if disk=$(disk) && cd "$disk" ||
	or_skip "an input that is evicted" "the current directory is on no disk, and no ext4 can be mounted"; then
	bytes 300000 >X
	run 0 "an input that is evicted by a command" measure -n3 --in-order -s sendfile --with="$evictor" <X >Y
	holds "... is read again, with a warning" csv '^# warning_evicted: '
	if have fincore; then
		rm -f cached
		look='[ ! -s /dev/stdin ] || fincore -b -n -r -o RES /proc/$$/fd/0 >>cached; '$evictor
		"$wb" -p0 -n3 --in-order -s sendfile --with="$look" <X >Y 2>err
		# 99 %
		is "... before the next run" "$(awk '{ n++ } $1 < 297000 { print } END { print (n >= 3) }' cached)" 1
	fi
	run 0 "an input that stays" measure -n3 -s 'sendfile,read+write 64k' <X >Y
	lacks "... has no such warning" csv '^# warning_evicted'
	cd "$work" || exit 1
fi
group=
for memory in /sys/fs/cgroup/memory /sys/fs/cgroup; do # cgroups(7), v1 and v2
	group=$memory/write-bench-test.$$
	case $memory in */memory) limit=memory.limit_in_bytes ;; *) limit=memory.max ;; esac
	[ "$(id -u)" = 0 ] && [ -w $memory/cgroup.procs ] && mkdir "$group" 2>/dev/null && [ -w "$group/$limit" ] &&
		break
	rmdir "$group" 2>/dev/null
	group=
done
within() { # BYTES OPTION...: a session with that limit of memory, from large to Y, with a report in csv
	echo "$1" >"$group/$limit"
	shift
	sh -c 'echo $$ >"$1/cgroup.procs"; shift; exec "$@" -p0 -f csv -o csv <large >Y 2>err' sh "$group" "$wb" "$@"
}
if [ "$group" ] && echo 31457280 >"$group/$limit" 2>/dev/null && [ "$disk" ] && cd "$disk" ||
	or_skip "a memory cgroup" "none can be made here, or there is no disk"; then
	"$wb" -g noise:26m >large && sync
	within 31457280 -n3 -s sendfile
	is "a memory cgroup that has no room for input and output" $? 0
	holds "... a warning that the input does not stay" csv '^# warning_evicted: '
	same "... and there is a copy" large Y
	# memcpy is timed where four times its memory fits: twice the input, 128 MiB at most.
	rows="sendfile,read+write 64k"
	"$wb" -g noise:64m >large && sync
	within 134217728 -n1 -s "$rows"
	is "a memory cgroup that has no room for memcpy" "$? $(fact memory_bytes csv) $(fact memcpy_ns csv)" \
		"0 134217728 "
	same "... and there is a copy" large Y
	within 134217728 -n1 -s "$rows" -z 16m
	is "... one that has" "$? $(fact memory_bytes csv) $(fact memcpy_ns csv | sed 's/^[1-9].*/timed/')" \
		"0 134217728 timed"
	rm -f large Y
	cd "$work" || exit 1
fi
[ -z "$group" ] || rmdir "$group" 2>/dev/null

# An option of mount that can be worth more than any call is a fact.
bytes 300000 >small
unshare -m sh -c 'mkdir -p there && mount -t tmpfs -o huge=within_size none there && : >mounted && exec "$@" <small \
	>there/Y' sh "$wb" -p0 -n1 -f csv -o csv -s sendfile 2>err
if [ -e mounted ] || or_skip "tmpfs mounted with huge=within_size" "it can't be mounted so"; then
	holds "tmpfs mounted with huge=within_size: a fact" csv '^# output_mount: tmpfs .*\bhuge=within_size\b'
fi

# A reader that takes its time is waited for, though all fits into the pipe or socket: for 0.2 seconds after a first
# byte.
head -c 1000 X >small
{
	measure --no-verify -s 'sendfile' <small 2>err
	echo $? >status
} | { dd bs=1 count=1 && sleep 0.2 && cat; } >/dev/null 2>&1
is "into a pipe whose reader sleeps" "$(cat status)" 0
at_least "... the clock goes on until that has emptied it" "$(column 3 csv)" 200000000
holds "... which is in the report" csv "^# until: .*pipe"
{
	measure --no-verify -s 'sendfile' <small 2>err
	echo $? >status
} | dd bs=1 count=1 >/dev/null 2>&1
is "a reader that ends and has not read" "$(cat status) $(column 4 csv)" "1 failed EPIPE"
cat >socket.pl <<'END'
use Socket;
socketpair my $ours, my $theirs, AF_UNIX, SOCK_STREAM, 0 or die;
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
exec @ARGV;
END
perl socket.pl "$wb" -p0 -n1 -f csv -o csv --no-verify -s 'sendfile' <small 2>err
is "into a socket whose other side sleeps" $? 0
at_least "... the clock goes on until that has all" "$(column 3 csv)" 200000000
holds "... which is in the report" csv "^# until: .*socket"

# Commands: by exec where no shell is needed; what one takes that does nothing.
if [ "$traced" ]; then
	executed() { # COMMAND: the programs that a row of it executes, without the shell that looks for it
		strace -f -qq -o trace -e trace=execve "$wb" -p0 -n1 -s '$ *' --with="$1" -f csv -o csv <X >Y 2>err
		grep -v 'command -v\|"exec true;"' trace | sed -n 's/.*execve("\([^"]*\)".* = 0$/\1/p' |
			sed '1d;s/.*\///' |
			grep -vx true | sort -u | tr '\n' ' '
	}
	is "a command without a shell's syntax is executed itself" "$(executed 'cat -u')" "cat "
	for command in 'dd | dd' 'head -c $SIZE'; do
		is "... by the shell: $command" \
			"$(executed "$command" | grep -oE '\b(sh|dash|bash|busybox)\b' | head -n 1 | sed 's/..*/sh/')" \
			sh
	done
fi
