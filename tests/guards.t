#!/bin/sh
# Guards, also where nothing answers them: devices that a write would harm, files that a mounted file system or active
# swap lies on, with /sys and /proc and without.
# Tried: it fails where any character device is taken; where a loop device is not asked for what it lies on; where a
# Tried: file that holds data is taken though nothing answers.
if [ "$(id -u)" = 0 ] && [ -z "${OWN_MOUNTS-}" ] && unshare -m true 2>/dev/null; then
	OWN_MOUNTS=1 exec unshare -m "$0" "$@"
fi
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"

clean_up() { # in the end
	swapoff swap
	umount mnt
	losetup -d "$loop"
} 2>/dev/null
loop=
undo=clean_up
refused() { # DESCRIPTION REGEX COMMAND...
	text=$1 regex=$2
	shift 2
	run 2 "$text" "$@"
	holds "... is reported" err "^write-bench: $regex"
}
bytes 300 >X

# ---- Character devices: null, zero and full may be written to, whatever they are called, and no other.

harmful='is a character device'
writes=write,writev,pwrite64,pwritev,pwritev2,splice,tee,vmsplice,sendfile,copy_file_range,ftruncate,fallocate
traced() { # the program; its calls that write to the device are in the file calls
	if can_trace; then
		timeout -k 1 10 strace -f -qq -A -o calls -P "$device" -e trace=$writes "$wb" "$@"
	else
		timeout -k 1 10 "$wb" "$@"
	fi
}
device_is_refused() { # DEVICE
	device=$1 name=${1##*/}
	: >calls
	refused "$name, by >" "standard output: $harmful.*--into" traced -n1 -p0 -s 'read+write 1k,splice' <X >"$device"
	refused "$name, by <>" "standard output: $harmful" traced -n1 -p0 -s 'read+write 1k' <X 1<>"$device"
	refused "$name, by --tee" "--tee=$1: $harmful" traced -n1 -p0 -s 'read+write x2 8k' \
		--tee="$device" <X >Y
	refused "$name, by --generate" "standard output: $harmful" traced -g noise:300 >"$device"
	refused "$name, for a report" "$1: $harmful" traced -n1 -p0 -s sendfile -o "$device" -f csv <X >Y
	is "... and nothing is written to it" "$(cat calls)" ""
	timeout -k 1 10 "$wb" -n1 -p0 -s sendfile <X >Y 2>"$device"
	is "$name, for the report on standard error: exit status" $? 2
}
run 0 "a report to be compared" w -s sendfile -f csv -o old.csv <X >Y
if [ "$(id -u)" = 0 ] && mknod null c 1 8 2>/dev/null && mknod Y.out c 1 9 && : 2>/dev/null 1<>null; then
	device_is_refused "$PWD/null" # by number, not by name
	refused "1:9 under a file's name" "standard output: $harmful" w -s 'read+write 1k' <X >Y.out
	mknod random c 1 3
	mknod mem c 1 7
	run 0 "null, called random, is taken" measure -s 'read+write 4k' <X >random
	is "... a row is measured" "$(outcomes)" "1 ok "
	run 0 "... for a report" w -s sendfile -f csv -o random <X >Y
	run 0 "... by --generate" "$wb" -g noise:300 >random
	run 1 "full, called mem, is taken" measure -s 'read+write 4k' <X >mem
	is "... and is full" "$(outcomes)" "1 failed ENOSPC "
elif [ -w /dev/random ]; then
	device_is_refused /dev/random
else
	skip "character devices" "/dev/random can't be written to here"
fi

# ---- Files that something lies on, and who is asked for that.

cat >hide <<'END'
# hide NAMES COMMAND...: runs it where "sys", "proc", both or none of them is not mounted
for fs in $1; do
	umount -R "/$fs" 2>/dev/null || umount -Rl "/$fs" || exit 99
done
shift
exec "$@"
END
hidden=
if [ "${OWN_MOUNTS-}" ]; then
	hidden=$(unshare -m sh ./hide "sys proc" sh -c '[ -e /proc/self ] || [ -e /sys/block ] || echo yes' 2>/dev/null)
fi
[ "$hidden" = yes ] || skip_all "not root, or /sys and /proc can't be unmounted"
gone= # what is hidden
p() { unshare -m sh ./hide "$gone" timeout -k 1 10 "$wb" "$@"; }
# named FILE WAY: as output, and so on; the second output and the report beside an output that is empty
named() {
	: >Y
	case $2 in
	output) p -n1 -p0 -s sendfile <X 1<>"$1" ;;
	second) p -n1 -p0 -s 'read+write x2 8k' --no-verify --tee="$1" <X 1<>Y ;;
	report) p -n1 -p0 -s sendfile -f csv -o "$1" <X 1<>Y ;;
	comparison) p --compare old.csv -f csv -o "$1" >printed ;;
	bytes) p -g noise:300 1<>"$1" ;;
	esac
}
# guarded THING FILE REGEX WAY...: is it refused, whatever is hidden? FILE.orig has the beginning of what it is to hold
guarded() {
	thing=$1 victim=$2 reason=$3
	shift 3
	for gone in '' sys proc 'sys proc'; do
		or=
		[ "${gone%% *}" != sys ] || or='|holds data, and /sys does not say '
		for way; do
			refused "$thing, named for $way${gone:+, without $gone}" "[^:]*: ($reason$or)" named "$victim" \
				"$way"
		done
	done
	gone=
	head -c "$(wc -c <"$victim.orig")" "$victim" >now
	same "... it is what it was" "$victim.orig" now
}
if have losetup && have mkfs.ext2 && truncate -s 2M image && mkfs.ext2 -q -F image 2>/dev/null &&
	loop=$(losetup -f --show image 2>/dev/null) && mkdir mnt && mount "$loop" mnt 2>/dev/null && cp X mnt/X &&
		umount mnt &&
	mount -o ro "$loop" mnt ||
	or_skip "files that a loop device lies on" "no loop device to be had, or no mkfs.ext2"; then
	cp image image.orig
	guarded "a mounted image" image 'is what a loop device lies on' output second report comparison bytes
	same "... what is mounted is what it was" X mnt/X
fi

# Active swap, which the kernel does not let anybody write to: not one row is to be tried there.
: >swap
chmod 600 swap
if have chattr; then chattr +C swap 2>err; fi # which btrfs wants before there is a byte
head -c 1048576 /dev/zero >swap
if have mkswap && mkswap swap >/dev/null 2>&1 && swapon swap 2>/dev/null ||
	or_skip "active swap" "this file system takes none"; then
	head -c 4096 swap >swap.orig
	guarded "active swap" swap 'is active swap: ' output second report bytes
	is "... and as large" "$(wc -c <swap | tr -d ' ')" 1048576
	swapoff swap
	run 0 "what was swap before is taken" named swap output
fi

# Plain files: where /sys does not answer only those are taken that hold nothing; as outputs they are in matrix.t.
bytes 5000 >data
cp data data.orig
for way in second report bytes; do
	gone=sys
	refused "a file that holds data, named for $way, without /sys" \
		'[^:]*: holds data, and /sys .*(empty|remove).*mount /sys' \
		named data $way
	same "... it is what it was" data.orig data
	: >new
	run 0 "... an empty one, named for $way" named new $way
	run 0 "... has it" [ -s new ]
	gone=proc
	run 0 "... and without /proc one that holds data" named data $way
	cp data.orig data
done
