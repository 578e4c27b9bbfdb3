#!/bin/sh
# Guards: devices that a write would harm, files that a mounted file system lies on, an input that is the device below
# the output, and an output of another session.
# Tried: it fails where any character device is taken; where a loop device is not asked for what it lies on; where only
# Tried: the device itself is taken for the one below; where no lock is taken, or on FUSE, too.
if [ "$(id -u)" = 0 ] && [ -z "${OWN_MOUNTS-}" ] && unshare -m true 2>/dev/null; then
	OWN_MOUNTS=1 exec unshare -m "$0" "$@"
fi
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"

clean_up() { # in the end
	umount mnt fuse
	partx -d "$loop"
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

# ---- Files that a loop device lies on, and such a device as input.

device_of() { # FILE: a loop device, its name in $loop
	loop=$(losetup -f --show "$1" 2>/dev/null)
}
if have losetup && have mkfs.ext2 && [ "${OWN_MOUNTS-}" ] && mkdir mnt && truncate -s 2M image &&
	mkfs.ext2 -q -F image 2>/dev/null && device_of image && mount "$loop" mnt 2>/dev/null && cp X mnt/X ||
	or_skip "loop devices" "not root, no loop device to be had, or no mkfs.ext2"; then
	sync -f mnt
	cp image image.orig
	lies='[^:]*: is what a loop device lies on'
	refused "a mounted image" "$lies" w -s sendfile <X 1<>image
	refused "... as second output" "$lies" w -s 'read+write x2 8k' --no-verify --tee=image <X >Y
	refused "... for a report" "$lies" w -s sendfile -f csv -o image <X >Y
	refused "... for a report that compares" "$lies" "$wb" --compare old.csv -f csv -o image
	refused "... for bytes that are made" "$lies" w -g noise:300 1<>image
	same "... it is what it was" image.orig image
	below='[^:]*: is also (the input|standard input), or lies on it'
	cp X mnt/Y
	lies_below() { # WHAT DEVICE
		refused "$1, an output being on it" "$below" w -s sendfile <"$2" 1<>mnt/Y
		refused "... the second output" "$below" w -s 'read+write x2 8k' --tee=mnt/Y <"$2" >Y
		refused "... the report" "$below" w -s sendfile -f csv -o mnt/Y <"$2" >Y
		same "... which is what it was" X mnt/Y
	}
	lies_below "a loop device as input" "$loop"
	umount mnt
	losetup -d "$loop"
	bytes 4194304 >disk
	# one partition, of 2 MiB from 1 MiB on, by a master boot record
	perl -e 'print "\0" x 446, pack("C8 V2", (0) x 4, 131, (0) x 3, 2048, 4096), "\0" x 48, "\x55\xaa"' |
		dd of=disk conv=notrunc 2>/dev/null
	dd if=image of=disk bs=1M seek=1 conv=notrunc 2>/dev/null
	if device_of disk && partx -a "$loop" 2>/dev/null && until_there test -b "${loop}p1" && mount "${loop}p1" mnt ||
		or_skip "a partition" "it can't be mounted, or no partx"; then
		lies_below "a loop device with a partition" "$loop"
		umount mnt
		partx -d "$loop"
	fi
fi

# ---- An output of another session.

: >Y
w -s '$ *' --with=': >begun; until [ -e goes_on ]; do sleep 0.01; done; cat' <X >Y 2>first.err &
first=$!
until_there test -e begun
refused "an output of another session" 'standard output: .*another' w -s sendfile <X 1<>Y
refused "... as second output" '--tee=Y: .*another' w -s 'read+write x2 8k' --tee=Y <X >Z
refused "... for a report" 'Y: ' w -s sendfile -f csv -o Y <X >Z
: >goes_on
wait $first
is "... which ends well" "$? $(cmp X Y)" "0 "
if have bindfs && [ "${OWN_MOUNTS-}" ] && mkdir served fuse && bindfs served fuse >/dev/null 2>&1 3>&- && have flock ||
	or_skip "a lock on FUSE" "no bindfs or flock, or it can't be mounted"; then
	: >fuse/Y
	run 0 "a lock on a file system that may be shared does not count" flock fuse/Y \
		timeout 60 "$wb" -n1 -p0 -s sendfile <X 1<>fuse/Y
	run 2 "... as here" flock Y timeout 60 "$wb" -n1 -p0 -s sendfile <X 1<>Y
fi
