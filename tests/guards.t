#!/bin/sh
# Guards, and what they do where nothing answers: devices that a write would harm, files that a mounted file system or active swap
# lies on, with /sys and /proc and without.
# Tried: it fails where any character device is taken; where a loop device's file is known by its name alone; where a file that holds
# Tried: data is taken though nothing answers.
if [ "$(id -u)" = 0 ] && [ -z "${OWN_MOUNTS-}" ] && unshare -m true 2>/dev/null; then
	OWN_MOUNTS=1 exec unshare -m "$0" "$@"
fi
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"

loops='' # for the end, as the next two
swaps=''
mounts=''
clean_up() {
	for swap in $swaps; do swapoff "$swap"; done
	for at in $mounts; do umount "$at"; done
	for loop in $loops; do losetup -d "$loop"; done
} 2>/dev/null
undo=clean_up
refused() { # DESCRIPTION REGEX COMMAND...
	text=$1 regex=$2
	shift 2
	run 2 "$text" "$@"
	holds "... is reported" err "^write-bench: $regex"
}
looped() { # FILE: a loop device on it, as $loop; it is there until the end
	loop=$(losetup -f --show "$1" 2>/dev/null) && loops="$loops $loop"
}
mounted() { # DIRECTORY ARGUMENT...: of mount(8), before it
	at=$1
	shift
	mkdir -p "$at" && mount "$@" "$at" 2>/dev/null && mounts="$at $mounts"
}
bytes 300 >X

# ---- Character devices: null, zero and full may be written to, whatever they are called, and no other.

harmful='is a character device'
device_is_refused() { # DEVICE
	device=$1
	tee="--tee=$(shown "$1"): $harmful, which a copy may harm: "
	refused "${device##*/}, by >" "standard output: $harmful, which a copy may harm: .*--into" w -s 'read+write 1k' <X >"$device"
	refused "${device##*/}, by <>" "standard output: $harmful, which a copy may harm: " w -s 'read+write 1k' <X 1<>"$device"
	refused "${device##*/}, by >>" "standard output: is (a character device|open for append)" w -s 'read+write 1k' <X >>"$device"
	refused "${device##*/}, from a command" "standard output: $harmful" w -s 'read+write 4k' --from='cat X' >"$device"
	refused "${device##*/}, by --tee" "$tee" w -s 'read+write x2 8k' --tee="$device" <X >Y
	refused "${device##*/}, by --tee of a sender" "$tee" w --tee="$device" --into='cat >/dev/null' <X
	refused "${device##*/}, by --generate" "standard output: $harmful" "$wb" -g noise:300 >"$device"
	refused "${device##*/}, by --receive" "standard output: $harmful" timeout 10 "$wb" --receive=0 >"$device"
	refused "${device##*/}, for a report" "$(shown "$1"): $harmful" w -s sendfile -o "$device" -f csv <X >Y
	refused "${device##*/}, for a comparison" "$(shown "$1"): $harmful" "$wb" --compare old.csv -o "$device" -f csv >printed
	timeout -k 1 10 "$wb" -n1 -p0 -s sendfile <X >Y 2>"$device"
	is "${device##*/}, for the report on standard error: exit status" $? 2
}
nothing_is_written() { # DEVICE
	if ! can_trace; then
		skip "... and nothing is written to ${1##*/}" "no strace, or it may not trace here"
		return
	fi
	: >calls
	traced() {
		timeout -k 1 10 strace -f -qq -A -o calls -P "$device" -e trace=write,writev,pwrite64,pwritev,pwritev2,splice,tee,vmsplice,sendfile,copy_file_range,ftruncate,fallocate "$@"
	}
	device=$1
	traced "$wb" -n1 -p0 -s 'read+write 1k,splice' <X >"$device" 2>err
	traced "$wb" -n1 -p0 -s 'read+write x2 8k' --tee="$device" <X >Y 2>err
	traced "$wb" -g noise:300 >"$device" 2>err
	traced "$wb" -n1 -p0 -s sendfile -o "$device" <X >Y 2>err
	is "... and nothing is written to ${1##*/}" "$(cat calls)" ""
}
run 0 "a report to be compared" w -s sendfile -f csv -o old.csv <X >Y
if [ -c /dev/random ] && [ -w /dev/random ]; then
	device_is_refused /dev/random
	nothing_is_written /dev/random
else
	skip "/dev/random as output" "it can't be written to here"
fi
if [ "$(id -u)" = 0 ] && mknod null c 1 8 2>/dev/null && mknod Y.out c 1 9 && : 2>/dev/null 1<>null; then
	device_is_refused "$PWD/null" # by number, not by name
	nothing_is_written "$PWD/null"
	refused "1:9 under a file's name" "standard output: $harmful" w -s 'read+write 1k' <X >Y.out
	mknod random c 1 3
	mknod kmsg c 1 5
	mknod mem c 1 7
	for device in random kmsg; do
		run 0 "null or zero, called $device, is taken" w -s 'read+write 4k' -f csv -o csv <X >$device
		is "... a row is measured" "$(outcomes)" "1 ok "
		run 0 "... as second output" w -s 'read+write x2 8k' --tee=$device <X >Y
		run 0 "... for a report" w -s sendfile -f csv -o $device <X >Y
		run 0 "... by --generate" "$wb" -g noise:300 >$device
	done
	run 1 "full, called mem, is taken" w -s 'read+write 4k' -f csv -o csv <X >mem
	is "... and is full" "$(outcomes)" "1 failed ENOSPC "
	run 1 "... for a report" w -s sendfile -f csv -o mem <X >Y
	holds "... which can't be written" err '^write-bench: mem: write: ENOSPC'
	run 1 "... by --generate" "$wb" -g noise:300 >mem
else
	skip "devices under other names" "not root, or devices can't be opened here"
fi

# ---- Files that something lies on, and who is asked for that.

cat >hide <<'END'
# hide WHAT COMMAND...: runs it where "sys", "proc", both or none of them is not mounted
for fs in $1; do
	umount -R "/$fs" 2>/dev/null || umount -Rl "/$fs" || exit 99
done
shift
exec "$@"
END
gone= # what is hidden
p() {
	if [ "$gone" ]; then unshare -m sh ./hide "$gone" timeout -k 1 10 "$wb" "$@"; else timeout -k 1 10 "$wb" "$@"; fi
}
# named FILE WAY: as output, and so on; the second output and the report beside an output that is empty
named() {
	: >Y
	case $2 in
	output) p -n1 -p0 -s sendfile <X 1<>"$1" ;;
	input) p -n1 -p0 -s sendfile -z 300 <"$1" 1<>"$1" ;;
	second) p -n1 -p0 -s 'read+write x2 8k' --no-verify --tee="$1" <X 1<>Y ;;
	report) p -n1 -p0 -s sendfile -f csv -o "$1" <X 1<>Y ;;
	comparison) p --compare old.csv -f csv -o "$1" >printed ;;
	bytes) p -g noise:300 1<>"$1" ;;
	streams) p --receive=0 1<>"$1" ;;
	esac
}
# guarded WHAT FILE REGEX WAY...: is it refused and kept, whatever is hidden? FILE.orig has what it is to hold
guarded() {
	thing=$1 victim=$2 reason=$3
	shift 3
	for gone in '' sys proc 'sys proc'; do
		without=${gone:+, without /}$(echo "$gone" | sed 's: : and /:')
		or=
		[ "${gone%% *}" != sys ] || or='|holds data, and /sys does not say '
		for way; do
			refused "$thing, named for $way$without" "[^:]*: ($reason$or)" named "$victim" "$way"
			same "... it is what it was" "$victim.orig" "$victim"
			cmp -s "$victim.orig" "$victim" || cat "$victim.orig" 1<>"$victim"
		done
	done
	gone=
}
lies='is what a loop device lies on'
if [ "${OWN_MOUNTS-}" ]; then
	gone='sys proc'
	hidden=$(unshare -m sh ./hide "$gone" sh -c '[ -e /proc/self ] || [ -e /sys/block ] || echo yes' 2>/dev/null)
	gone=
fi
if [ "${hidden-}" != yes ]; then
	skip "files that a loop device or swap lies on" "not root, or /sys and /proc can't be unmounted"
elif ! have losetup || ! have mkfs.ext2; then
	skip "files that a loop device lies on" "no losetup, or no mkfs.ext2"
else
	truncate -s 2M image && mkfs.ext2 -q -F image 2>/dev/null
	if looped image && mounted mnt "$loop" && cp X mnt/X && umount mnt && mount -o ro "$loop" mnt; then
		cp image image.orig
		guarded "a mounted image" image "$lies" output second report comparison bytes streams
		ln image alias && cp image.orig alias.orig
		guarded "... by a hard link" alias "$lies" output report
		same "... what is mounted is what it was" X mnt/X
		umount mnt
		refused "one that is not mounted any more" "standard output: $lies" named image output
		same "... it is what it was" image.orig image
	else
		skip "files that a loop device lies on" "no loop device to be had"
	fi
fi

# Active swap, which the kernel does not let anybody write to: not one row is to be tried there.
: >swap
chmod 600 swap
if have chattr; then chattr +C swap 2>err; fi # which btrfs wants before there is a byte
head -c 1048576 /dev/zero >swap
if [ "${hidden-}" = yes ] && have mkswap && mkswap swap >/dev/null 2>&1 && swapon swap 2>/dev/null; then
	swaps=$PWD/swap
	head -c 4096 swap >swap.orig
	for gone in '' sys proc 'sys proc'; do
		without=${gone:+, without /}$(echo "$gone" | sed 's: : and /:')
		reason='is active swap: '
		for way in output second report comparison bytes; do
			refused "active swap, named for $way$without" "[^:]*: $reason" named swap $way
		done
	done
	gone=
	head -c 4096 swap >swap.now
	same "... it is what it was" swap.orig swap.now
	is "... and as large" "$(wc -c <swap | tr -d ' ')" 1048576
	swapoff swap
	swaps=
	run 0 "what was swap before is taken" named swap output
else
	skip "active swap" "not root, or this file system takes none"
fi

# Plain files: where /sys does not answer only those are taken that hold nothing.
if [ "${hidden-}" = yes ]; then
	gone=proc
	for way in output second report comparison; do
		echo precious >data
		run 0 "a file that holds data, named for $way, without /proc" named data $way
	done
	bytes 5000 >data
	cp data data.orig
	for gone in sys 'sys proc'; do
		for way in output second report comparison bytes; do
			refused "a file that holds data, named for $way, without /$gone" '[^:]*: holds data, and /sys .*(empty|remove).*mount /sys' named data $way
			same "... it is what it was" data.orig data
		done
	done
	for way in output second report comparison bytes; do
		: >new
		run 0 "... an empty one, named for $way" named new $way
		[ -s new ]
		is "... has it" $? 0
		case $way in output | second) same "... which is a copy" X new ;; esac
		rm new
		run 0 "... one that is new" named new $way
	done
	refused "... by > it can't be read back" "standard output: can.t be read back .*--no-verify" p -n1 -p0 -s sendfile <X >new
	run 0 "... unless it need not be" p -n1 -p0 -s sendfile --no-verify <X >new
	same "... and has the copy" X new
	run 0 "... /dev/null" p -n1 -p0 -s sendfile -o /dev/null <X >/dev/null
	run 0 "... a pipe" into new p -n1 -p0 -s 'read+write 4k' <X
	gone=
else
	skip "plain files without /sys and /proc" "not root, or they can't be unmounted"
fi

# Memory that is not to be had, when a list is to grow.
printf '%s\n' '#include <errno.h>' '#include <stddef.h>' 'void *realloc(void *p, size_t n) { (void)p; (void)n; errno = ENOMEM; return NULL; }' >none.c
if "${CC:-cc}" -shared -fPIC -o none.so none.c 2>err && LD_PRELOAD=./none.so "$wb" --version >/dev/null 2>err && [ ! -s err ]; then
	run 2 "no memory" env LD_PRELOAD=./none.so "$wb" -p0 -n1 -s sendfile <X >Y
	holds "... is said to be missing, and what to do" err '^write-bench: memory: realloc: ENOMEM .*: free memory'
else
	skip "no memory" "no compiler, or nothing can be preloaded here"
fi
is "nothing is left in TMPDIR" "$(ls -A "$TMPDIR")" ""
