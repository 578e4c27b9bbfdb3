#!/bin/sh
# A long run on tmpfs: descriptors, memory, threads and children of the program are the same after a thousand rounds as
# after some. Who looks is a row, a command, at its parent, once a round. Runs get memory as they come, for twice as
# many at each power of two: rounds between two of these are compared.
# Tried: a descriptor of a pipe that stays open, a buffer that stays mapped, threads that are not joined.
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
# Notes "descriptors threads children KiB-of-data KiB-resident" of its parent, and copies then. A thread that was
# joined, or a descriptor that it closes when it has started a command, may be there for a moment more: until it sleeps.
cat >look <<'END'
[ ! -f /dev/stdin ] || [ -s /dev/stdin ] || exec cat # where its start is timed, on an empty file
parent=$PPID
tries=3000
[ ! -e restless ] || tries=1 # it was waited for once
for _ in $(seq $tries); do
	while read -r key value _; do
		case $key in
		State:) state=$value ;;
		Threads:) threads=$value ;;
		VmData:) data=$value ;;
		VmRSS:) resident=$value ;;
		esac
	done </proc/$parent/status
	[ "$threads $state" != "1 S" ] || break
	sleep 0.02
done
[ "$threads $state" = "1 S" ] || : >restless
read -r children </proc/$parent/task/$parent/children
children=$(set -- $children && echo $#)
set -- /proc/$parent/fd/*
echo "$# $threads $children $data $resident" >>looks
if [ "${TEE-}" ]; then exec tee "$TEE"; fi
exec cat
END
greatest() { # COLUMN FIRST LAST: of these looks
	sed -n "$2,$3p" looks | cut -d' ' -f"$1" | sort -n | tail -n 1
}
least() {
	sed -n "$2,$3p" looks | cut -d' ' -f"$1" | sort -n | head -n 1
}
# soak WHAT ROUNDS OPTION...: input and output are those of this function
soak() {
	what=$1 rounds=$2
	shift 2
	rm -f looks restless
	timeout -k 1 1200 "$wb" -q -p0 -n "$rounds" --with='exec sh ./look' -f csv -o csv "$@" 2>err
	is "$what, $rounds rounds" $? 0
	runs=$(grep -c ',ok,' csv)
	is "... the command has looked each time" "$(wc -l <looks | tr -d ' ')" \
		"$(grep -c '^\$ exec sh ./look,.*,ok,' csv)"
	is "... descriptors are as many at any time" "$(greatest 1 1 "$rounds")" "$(least 1 1 "$rounds")"
	is "... so are threads" "$(greatest 2 1 "$rounds") $(least 2 1 "$rounds")" "1 1"
	is "... so are children" "$(greatest 3 1 "$rounds")" "$(least 3 1 "$rounds")"
	first=1
	while [ $((2 * first)) -lt "$rounds" ]; do first=$((2 * first)); done
	first=$((first + 2)) middle=$(((first + rounds) / 2))
	early=$(greatest 4 $first $middle) late=$(greatest 4 $middle "$rounds")
	is "... memory has not grown from round $first on: KiB of data" "$late" "$early"
	# a run takes less than a quarter of a KiB, which is resident when it is written
	[ "$(greatest 5 $middle "$rounds")" -le $(($(greatest 5 $first $middle) + 200 + runs * (rounds - first) / \
		rounds / 4)) ]
	is "... nor what of it is resident: $(greatest 5 $first $middle) to $(greatest 5 $middle "$rounds") KiB" $? 0
	counted "soak: $what on $place: $rounds rounds, $runs runs, $(greatest 1 1 "$rounds") descriptors, $late KiB"
}
most=30 some=20
[ -z "${FULL-}" ] || most=400 some=100
soak "all rows" $most <X >Y
same "... and the last copy is one" X Y
soak "two outputs" $some --tee=Z <X >Y
same "... and the last copies are" X Y
same "... both" X Z
mkfifo fifo
cat X >fifo &
soak "from a pipe" $some <fifo >Y
same "... and the last copy is one" X Y
soak "from a command" $some --from='cat X' >Y
same "... and the last copy is one" X Y
soak "into a socket, also by reference" $some --no-verify --all -s '$ *,send*,*zerocopy' --send <X
soak "into a command" $some --no-verify -s '$ *,splice,vmsplice' --into='cat >/dev/null' <X >Y
