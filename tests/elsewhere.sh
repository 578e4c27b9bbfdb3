#!/bin/sh
# Runs the tests whose outcome depends on a file system on other file systems than the current one: each is made on a
# loop image, or is a tmpfs, in a private mount namespace, and the tests' directories lie on it. As root.
#
#     tests/elsewhere.sh [PLACE]...       btrfs xfs overlay tmpfs ext2 ext3 ext4; default: the first four
#
# TESTS='tests/rows.t tests/tee.t': only these; TESTS=all: the whole of make check. JOBS=N and PROVEFLAGS are those of
# make check. Exit status 1 if a test fails; 2 if a place can't be made.
set -u
if [ "$(id -u)" != 0 ]; then
	echo "$0: is not run by root, who may mount file systems" >&2
	exit 2
fi
[ "${ELSEWHERE-}" ] || ELSEWHERE=1 exec unshare -m "$0" "$@"
cd "$(dirname "$0")/.." || exit 2
names="faults-matrix clock tee rows warnings pipes faults commands counters report outputs refused evidence"
# shellcheck disable=SC2086
tests=${TESTS-$(printf 'tests/%s.t ' $names)}
unset TESTS # make would have it from the environment
d=$(mktemp -d "${TMPDIR:-/tmp}/write-bench-elsewhere.XXXXXX") && mkdir "$d/at" || exit 2
clean() {
	umount -R "$d/at" 2>/dev/null || umount -lR "$d/at" 2>/dev/null
	rm -rf "$d"/[!a]* # the image, or an overlay's layers
}
trap 'clean; rm -rf "$d"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
make_place() {
	case $1 in
	tmpfs) mount -t tmpfs -o size=6g tmpfs "$d/at" ;;
	overlay) # mountinfo says the layers as given here: with a relative path the upper layer could not be found
		mkdir "$d/lower" "$d/upper" "$d/work" &&
			mount -t overlay overlay -o "lowerdir=$d/lower,upperdir=$d/upper,workdir=$d/work" "$d/at"
		;;
	ext[234]) truncate -s 8g "$d/image" && "mkfs.$1" -q -F "$d/image" && mount -o loop "$d/image" "$d/at" ;;
	btrfs | xfs) truncate -s 8g "$d/image" && "mkfs.$1" -q -f "$d/image" && mount -o loop "$d/image" "$d/at" ;;
	*) echo "$1: is none of btrfs, xfs, overlay, tmpfs, ext2, ext3 and ext4" >&2 && false ;;
	esac
}
[ $# -gt 0 ] || set -- btrfs xfs overlay tmpfs
status=0
for place; do
	echo "$place:"
	make_place "$place" >&2 || exit 2
	mkdir "$d/at/tmp"
	case $tests in
	all) TMPDIR=$d/at/tmp make check ;;
	*) TMPDIR=$d/at/tmp make check TESTS="$tests" ;;
	esac || status=1
	clean
done
exit $status
