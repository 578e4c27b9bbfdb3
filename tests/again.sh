#!/bin/sh
# Runs make check N times (default 30), in one state or the three in turn: busy (two processes on each CPU that never
# wait), memory (1 GiB of it is free), fresh (a clone on an ext4 of its own). Prints the seconds of each run and what
# failed. As root, in a private mount namespace; busy alone as anyone, in a container too.
#
#     tests/again.sh [-s busy|memory|fresh] [N]
#
# Exit status 1 if any failed; 2 if a state can't be set up.
states="fresh busy memory"
while getopts s: option; do
	case $option$OPTARG in
	sbusy | smemory | sfresh) states=$OPTARG ;;
	*) sed -n '/^#  /s/^# *//p' "$0" >&2 && exit 2 ;;
	esac
done
if [ "$states" != busy ] && [ -z "${AGAIN-}" ]; then
	[ "$(id -u)" = 0 ] || { echo "$0: is not run by root, who may mount file systems" >&2 && exit 2; }
	AGAIN=1 exec unshare -m "$0" "$@"
fi
shift $((OPTIND - 1))
cd "$(dirname "$0")/.." && make || exit 2
d=$(mktemp -d "${TMPDIR:-/tmp}/write-bench-again.XXXXXX") && mkdir "$d/at" || exit 2
neighbours='' failed=0
clean() {
	# shellcheck disable=SC2086
	[ -z "$neighbours" ] || kill $neighbours
	neighbours=
	! mountpoint -q "$d/at" || umount -R "$d/at" || umount -lR "$d/at"
}
trap 'clean; rm -rf "$d"' EXIT
trap 'exit 1' INT TERM
busy() {
	for _ in $(seq $((2 * $(nproc)))); do
		sh -c 'while :; do :; done' &
		neighbours="$neighbours $!"
	done
}
memory() { # what is above 1 GiB is a file on tmpfs
	mount -t tmpfs -o size=100% tmpfs "$d/at" &&
		head -c "$(awk '/^MemAvailable:/ { print int($2 / 1024) - 1024 }' /proc/meminfo)M" /dev/zero >"$d/at/taken"
}
fresh() {
	truncate -s 8G "$d/image" && mkfs.ext4 -q -F "$d/image" && mount -o loop "$d/image" "$d/at" &&
		mkdir "$d/at/tmp" && git clone -q . "$d/at/clone"
}
for i in $(seq "${1:-30}"); do
	state=$(echo "$states" | cut -d' ' -f$((i % $(echo "$states" | wc -w) + 1)))
	$state || exit 2
	top=. temporary=${TMPDIR:-/tmp} said=passed
	[ "$state" != fresh ] || top=$d/at/clone temporary=$d/at/tmp
	start=$(date +%s)
	TMPDIR=$temporary make -C "$top" check PROVEFLAGS="--failures --comments" >"$d/out" 2>&1 || said=FAILED
	echo "$i, $state: $said in $(($(date +%s) - start)) s"
	[ $said = passed ] || failed=$((failed + 1))
	grep -aE -B 1 -A 8 '^not ok|^Dubious|^Parse errors|Killed' "$d/out" | head -n 80
	clean
done
echo "$((${1:-30} - failed)) of ${1:-30} passed, on $(nproc) CPUs, Linux $(uname -r)"
[ $failed = 0 ]
