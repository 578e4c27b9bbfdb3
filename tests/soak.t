#!/bin/sh
# A long session on tmpfs: after many rounds the program has as many descriptors, threads and children as after some,
# and as much memory: all that is mapped, since what of it is resident is a matter of chance. Who looks is a row, a
# command, at its parent, once a round. Runs get memory as they come, for twice as many at each power of two: rounds
# between two of these are compared. A line of the table is how many rounds, and a session's options.
# Tried: a descriptor of a pipe that stays open; a buffer, or an input, that stays mapped; threads that are not joined.
if [ "$(id -u)" = 0 ] && [ -z "${OWN_MOUNTS-}" ] && unshare -m true 2>/dev/null; then
	OWN_MOUNTS=1 exec unshare -m "$0" "$@"
fi
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"

place=tmpfs
if [ "${OWN_MOUNTS-}" ] && mkdir mem && mount -t tmpfs -o size=64m tmpfs mem; then
	undo="cd '$work'; umount mem"
	cd mem || exit 1
else
	place="this file system, no tmpfs being to be had"
fi
bytes 100000 >X
mkfifo fifo
# Notes "descriptors threads children KiB" of its parent, and copies then. A thread that was joined, or a descriptor
# that it closes when it has started a command, may be there for a moment more: until it sleeps.
cat >look <<'END'
[ ! -f /dev/stdin ] || [ -s /dev/stdin ] || exec cat # where its start is timed, on an empty file
tries=3000
[ ! -e restless ] || tries=1 # it was waited for once
for _ in $(seq $tries); do
	while read -r key value _; do
		case $key in
		State:) state=$value ;;
		Threads:) threads=$value ;;
		VmSize:) size=$value ;;
		esac
	done </proc/$PPID/status
	[ "$threads $state" != "1 S" ] || break
	sleep 0.02
done
[ "$threads $state" = "1 S" ] || : >restless
read -r children </proc/$PPID/task/$PPID/children
children=$(set -- $children && echo $#)
set -- /proc/$PPID/fd/*
echo "$# $threads $children $size" >>looks
if [ "${TEE-}" ]; then exec tee "$TEE"; fi
exec cat
END
greatest() { # FIRST LAST: memory at these looks
	sed -n "$1,$2p" looks | cut -d' ' -f4 | sort -n | tail -n 1
}
export MALLOC_ARENA_MAX=1 # more of them, for threads, would come by chance
while IFS='|' read -r rounds what options <&4; do
	rm -f looks restless Y Z
	case $options in '<fifo'*) cat X >fifo 3>&- & ;; esac
	eval "timeout -k 1 1200 \"\$wb\" -q -p0 -n $rounds -w 'exec sh ./look' -f csv -o csv $options" 2>err 3>&-
	is "$what, $rounds rounds" $? 0
	is "... the command has looked each time" "$(wc -l <looks | tr -d ' ')" \
		"$(grep -c '^\$ exec sh ./look,.*,ok,' csv)"
	is "... descriptors are as many at any time" "$(cut -d' ' -f1 looks | uniq | wc -l)" 1
	is "... there is one thread" "$(cut -d' ' -f2 looks | uniq)" 1
	is "... children are as many" "$(cut -d' ' -f3 looks | uniq | wc -l)" 1
	first=1
	while [ $((2 * first)) -lt "$rounds" ]; do first=$((2 * first)); done
	first=$((first + 2)) middle=$(((first + rounds) / 2))
	late=$(greatest $middle "$rounds")
	is "... memory has not grown from round $first on: KiB" "$late" "$(greatest $first $middle)"
	[ ! -s Y ] || same "... the last copy is one" X Y
	[ ! -s Z ] || same "... and the second one" X Z
	counted "soak: $what on $place: $rounds rounds, $(grep -c ',ok,' csv) runs, $late KiB"
	full "many rounds" || exit 0 # all but the first line
done 4<<'END'
24|all rows, some rounds|<X >Y
100|all rows|<X >Y
40|two outputs|--tee=Z <X >Y
40|from a pipe|<fifo >Y
40|from a command|--from='cat X' >Y
40|into a socket, also by reference|--no-verify --all -s '$ *,send*,*zerocopy' --send <X
40|into a command|--no-verify -s '$ *,splice,vmsplice' --into='cat >/dev/null' <X
END
