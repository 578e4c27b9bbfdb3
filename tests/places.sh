# shellcheck shell=sh
# File systems to test on: `places [MiB [MiB of tmpfs]]` makes and mounts what this machine can, each on a loop
# image of its own, in a private mount namespace that goes away with the test. To be sourced
# before tap.sh, since the test starts again inside the namespace.

if [ "$(id -u)" = 0 ] && [ -z "${PLACES-}" ] && unshare -m true 2>/dev/null; then
	PLACES=private exec unshare -m "$0" "$@"
fi

shm= # the directory on /dev/shm, where tmpfs can't be mounted
# Prints "NAME DIRECTORY" a line, for every place there is; the reasons for those missing go to
# the file "missing". In the current directory, which must be one that may be removed.
places() {
	: >missing
	mkdir here && echo "here $PWD/here"
	if mkdir -p tmpfs && mount -t tmpfs -o "size=${2:-${1:-400}}m" tmpfs tmpfs 2>/dev/null; then
		echo "tmpfs $PWD/tmpfs"
	elif [ "$(df -Pm /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')" -ge "${2:-${1:-400}}" ] 2>/dev/null &&
		shm=$(mktemp -d /dev/shm/write-bench-test.XXXXXX 2>/dev/null); then
		echo "tmpfs $shm"
	else
		echo "tmpfs: it can't be mounted, and /dev/shm has less than ${2:-${1:-400}} MiB" >>missing
	fi
	for fs in ext2 ext3 ext4 xfs btrfs; do
		if [ "${PLACES-}" != private ]; then
			echo "$fs: not root, or no mount namespaces" >>missing
		elif ! command -v "mkfs.$fs" >/dev/null 2>&1; then
			echo "$fs: no mkfs.$fs" >>missing
		elif truncate -s "${1:-400}M" "$fs.img" && mkdir "$fs" && make_fs "$fs" &&
			mount -t "$fs" -o loop "$fs.img" "$fs"; then
			echo "$fs $PWD/$fs"
		else
			echo "$fs: $(tail -n 1 mkfs.err)" >>missing
		fi 2>>mkfs.err
	done
}
make_fs() { # FS: on FS.img
	case $1 in ext*) "mkfs.$1" -q -F "$1.img" ;; *) "mkfs.$1" -q -f "$1.img" ;; esac >mkfs.err 2>&1
}
# Prints a directory whose files are no memory, so that they can be evicted and written back, and have pages of their
# own: this one, or an ext4 that is mounted for it. Fails where neither is to be had.
disk() {
	case $(stat -f -c %T .) in
	tmpfs | ramfs | overlayfs | fuse* | nfs*)
		[ "${PLACES-}" = private ] && mkdir disk && truncate -s 200M disk.img && mkfs.ext4 -q -F disk.img &&
			mount -o loop disk.img disk && echo "$PWD/disk"
		;;
	*) echo . ;;
	esac
} 2>/dev/null
unplace() { # to be called in the end: undo=unplace
	umount tmpfs ext2 ext3 ext4 xfs btrfs disk 2>/dev/null
	[ -z "$shm" ] || rm -rf "$shm"
}
