#!/bin/sh
# Runs make check N times (default 30), in one state or the three in turn: busy (two processes on each CPU that never
# wait), memory (1 GiB of it is free), fresh (a clone on an ext4 of its own). Prints the seconds of each run and what
# failed. As root, in a private mount namespace; busy alone as anyone, in a container too.
#
#     tests/again.sh [-s busy|memory|fresh] [N]
#
# Exit status 1 if any failed; 2 if a state can't be set up.
set -u
state=
while getopts s: option; do
	case $option$OPTARG in
	sbusy | smemory | sfresh) state=$OPTARG ;;
	*) sed -n '/^#  /s/^# *//p' "$0" >&2 && exit 2 ;;
	esac
done
shift $((OPTIND - 1))
if [ "$state" != busy ]; then
	if [ "$(id -u)" != 0 ]; then
		echo "$0: is not run by root, who may mount file systems" >&2
		exit 2
	fi
	[ "${AGAIN-}" ] || AGAIN=1 exec unshare -m "$0" ${state:+-s "$state"} "$@"
fi
cd "$(dirname "$0")/.." || exit 2
make || exit 2
d=$(mktemp -d "${TMPDIR:-/tmp}/write-bench-again.XXXXXX") || exit 2
neighbours=
clean() {
	# shellcheck disable=SC2086
	[ -z "$neighbours" ] || kill $neighbours
	neighbours=
	! mountpoint -q "$d/at" || umount -R "$d/at" || umount -lR "$d/at"
	rm -f "$d/image"
}
trap 'clean; rm -rf "$d"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir "$d/at" || exit 2
busy() {
	for _ in $(seq $((2 * $(nproc)))); do
		sh -c 'while :; do :; done' &
		neighbours="$neighbours $!"
	done
}
memory() { # what is above 1 GiB is a file on tmpfs
	free=$(awk '/^MemAvailable:/ { print int($2 / 1024) - 1024 }' /proc/meminfo)
	mount -t tmpfs -o size=100% tmpfs "$d/at" && head -c "${free}M" /dev/zero >"$d/at/taken"
}
fresh() {
	truncate -s 8G "$d/image" && mkfs.ext4 -q -F "$d/image" && mount -o loop "$d/image" "$d/at" &&
		mkdir "$d/at/tmp" && git clone -q . "$d/at/clone"
}
number=${1:-30} failed=0
for i in $(seq "$number"); do
	top=. temporary=${TMPDIR:-/tmp}
	case ${state:-$((i % 3))} in
	1 | busy) now="busy neighbours" && busy ;;
	2 | memory) now="1 GiB of memory" && memory ;;
	0 | fresh) now="fresh clone" && fresh && top=$d/at/clone temporary=$d/at/tmp ;;
	esac || exit 2
	start=$(date +%s)
	said=FAILED
	! TMPDIR=$temporary make -C "$top" check PROVEFLAGS="--failures --comments" >"$d/out" 2>&1 || said=passed
	echo "$i, $now: $said in $(($(date +%s) - start)) s"
	if [ $said = FAILED ]; then
		failed=$((failed + 1))
		grep -aE -B 1 -A 8 '^not ok|^Dubious|^Parse errors|Killed' "$d/out" | head -n 80
	fi
	clean
done
echo "$((number - failed)) of $number passed, on $(nproc) CPUs, Linux $(uname -r)"
[ $failed = 0 ]
