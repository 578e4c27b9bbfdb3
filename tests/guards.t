#!/bin/sh
# Guards, and what they do where nothing answers: devices that a write would harm, files that a mounted file system or active swap
# lies on, with /sys and /proc and without, an input that carries the output, and reports, of which none is lost.
# Tried: it fails where any character device is taken; where loop devices are asked for in /sys alone; where a file that holds data is
# Tried: taken though nothing answers; where only the device that st_dev names is held against the input; where a report is written into a file
# Tried: that its name means no more; where it is written over the old one; where a temporary file stays.
if [ "$(id -u)" = 0 ] && [ -z "${OWN_MOUNTS-}" ] && unshare -m true 2>/dev/null; then
	OWN_MOUNTS=1 exec unshare -m "$0" "$@"
fi
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"
. "$top/tests/uml.sh"

loops='' # for the end, as the next two
swaps=''
mounts=''
clean_up() {
	find_marked '[0-9]*' >alive
	[ ! -s alive ] || xargs kill -KILL <alive
	for swap in $swaps; do swapoff "$swap"; done
	for at in $mounts; do umount "$at"; done
	for loop in $loops; do
		for part in 1 2; do [ ! -b "${loop}p$part" ] || delpart "$loop" $part; done # they would outlive it
		losetup -d "$loop"
	done
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
: >empty
echo keep >keep

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
	traced "$wb" -n1 -p0 -s sendfile <X >Y 2>"$device"
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
if have script && script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
	export WB="$wb"
	# shellcheck disable=SC2016
	script -qec '"$WB" -n1 -p0 -s sendfile -f text -o /dev/tty <X >Y' /dev/null >screen 2>&1 </dev/null
	is "a terminal for a report" $? 0
	holds "... has it" screen '^sendfile  '
else
	skip "a terminal for a report" "no script(1)"
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
		[ "$gone" != 'sys proc' ] || or='|holds data, and neither /sys nor /proc says '
		for way; do
			refused "$thing, named for $way$without" "[^:]*: ($reason$or)" named "$victim" "$way"
			same "... it is what it was" "$victim.orig" "$victim"
			cmp -s "$victim.orig" "$victim" || cat "$victim.orig" 1<>"$victim"
		done
		: >Y
		p -n1 -p0 -s sendfile <X 1<>Y 2<>"$victim"
		is "$thing, named for messages$without: exit status" $? 2
		same "... it is what it was" "$victim.orig" "$victim"
		cmp -s "$victim.orig" "$victim" || cat "$victim.orig" 1<>"$victim"
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
		gone='sys proc'
		refused "one that is not mounted any more, without /sys and /proc" \
			"standard output: ($lies|holds data, and neither /sys nor /proc says )" named image output
		gone=sys
		refused "... without /sys" "standard output: $lies" named image output
		refused "... for a report" "image: $lies" named image report
		gone=
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
		case $gone in
		*proc) reason='(is active swap|holds data, and neither /sys nor /proc says )' ;;
		*) reason='is active swap: ' ;;
		esac
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

# Plain files: where one of both answers they are taken; where none does, only those that hold nothing.
if [ "${hidden-}" = yes ]; then
	bytes 5000 >data
	for gone in sys proc; do
		for way in output second report comparison; do
			echo precious >data
			run 0 "a file that holds data, named for $way, without /$gone" named data $way
		done
		run 0 "... is a copy" named data output
		same "... byte for byte" X data
	done
	bytes 5000 >data
	cp data data.orig
	gone='sys proc'
	for way in output second report comparison bytes; do
		refused "a file that holds data, named for $way, without /sys and /proc" \
			'[^:]*: holds data, and neither /sys nor /proc says .*(empty|remove).*mount /proc or /sys' named data $way
		same "... it is what it was" data.orig data
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
	(p -n1 -p0 -s 'read+write 4k' <X 2>err; echo $? >status) | cat >new
	is "... a pipe" "$(cat status)" 0
	gone=
else
	skip "plain files without /sys and /proc" "not root, or they can't be unmounted"
fi

# ---- An input that carries the output.

carried='is on a file system that lies on the input: '
perhaps='(is|may be) on a file system that lies on the input: ' # where /sys does not tell
# carries WHAT DEVICE DIRECTORY: is it refused to copy from one into the other?
carries() {
	echo keep >"$3/Y"
	for gone in '' ${hidden:+sys}; do
		reason=$carried
		[ -z "$gone" ] || reason=$perhaps
		refused "$1${gone:+, without /$gone}" "standard output: $reason" p -n1 -p0 -s 'read+write 1m' -z 64k <"$2" 1<>"$3/Y"
	done
	gone=
	same "... nothing is touched" keep "$3/Y"
	refused "... for the second output" "--tee=[^:]*: $carried" w -s 'read+write x2 8k' --tee="$3/Y" -z 64k <"$2" >Y
	same "... nothing is touched" keep "$3/Y"
	refused "... for one that is new" "--tee=[^:]*: $carried" w -s 'read+write x2 8k' --tee="$3/Z" -z 64k <"$2" >Y
}
apart() { # WHAT DEVICE FILE: is it taken?
	run 0 "$1" w -s 'read+write 1m' -z 64k <"$2" >"$3"
	head -c 65536 "$2" >wanted
	same "... and is a copy" wanted "$3"
}
if [ "${OWN_MOUNTS-}" ] && have losetup && have mkfs.ext2 && truncate -s 4M disk && mkfs.ext2 -q -F disk 2>/dev/null &&
	looped disk && mounted disk.mnt "$loop"; then
	disk=$loop
	carries "a device, and a file system on it" "$disk" disk.mnt
	if [ "${hidden-}" = yes ]; then
		: >disk.mnt/Y
		gone='sys proc'
		refused "... without /sys and /proc" "standard output: $carried" p -n1 -p0 -s 'read+write 1m' -z 64k <"$disk" 1<>disk.mnt/Y
		gone=
	fi
	mkdir disk.mnt/below elsewhere
	mounted elsewhere --bind disk.mnt/below
	carries "... that is mounted elsewhere, too" "$disk" elsewhere
	if truncate -s 1M disk.mnt/image && mkfs.ext2 -q -F disk.mnt/image 2>/dev/null && looped disk.mnt/image && mounted inner "$loop"; then
		echo keep >inner/Y
		refused "... an image that lies there" "standard output: $carried" w -s 'read+write 1m' -z 64k <"$disk" 1<>inner/Y
		same "... nothing is touched" keep "inner/Y"
		umount inner
		losetup -d "$loop"
		loops=${loops% "$loop"} # which may be another's now
	else
		skip "... an image that lies there" "there are no more loop devices"
	fi
	mkdir disk.mnt/lower "disk.mnt/upper layer" disk.mnt/work disk.mnt/away
	overlaid() { # UPPER
		mounted over -t overlay -o "lowerdir=$PWD/disk.mnt/lower,upperdir=$1,workdir=$PWD/disk.mnt/work" overlay
	}
	if overlaid "$PWD/disk.mnt/upper layer"; then
		echo keep >over/Y
		refused "... an overlay that lies there" "standard output: $carried" w -s 'read+write 1m' -z 64k <"$disk" 1<>over/Y
		same "... nothing is touched" keep "over/Y"
		mv "disk.mnt/upper layer" disk.mnt/away # as in a container, where the name of its upper layer is another's
		refused "... whose upper layer can't be found" 'standard output: may be on a file system that lies on the input: ' \
			w -s 'read+write 1m' -z 64k <"$disk" 1<>over/Y
		same "... nothing is touched" keep "over/Y"
		umount over
	else
		skip "... an overlay that lies there" "this kernel has no overlayfs"
	fi
	apart "its image may lie beside the output" "$disk" Y
	if mounted tmpfs -t tmpfs -o size=1m tmpfs; then
		apart "... or elsewhere" "$disk" tmpfs/Y
	fi
	umount elsewhere && umount disk.mnt
	apart "one whose file system is not mounted" "$disk" Y
	if truncate -s 8M parts && looped parts && { addpart "$loop" 1 2048 4096 && addpart "$loop" 2 8192 4096; } 2>err && [ -b "${loop}p2" ]; then
		mkfs.ext2 -q -F "${loop}p1" 2>/dev/null
		mounted part.mnt "${loop}p1"
		carries "a disk, and a file system on its partition" "$loop" part.mnt
		carries "... the partition itself" "${loop}p1" part.mnt
		apart "... but not the other partition" "${loop}p2" part.mnt/other
		umount part.mnt
		mkfs.ext2 -q -F "$loop" 2>/dev/null
		mounted whole.mnt "$loop"
		carries "a partition, and a file system on its disk" "${loop}p2" whole.mnt
		umount whole.mnt
	else
		skip "partitions" "no addpart, or this kernel makes none on loop devices"
	fi
	if have mkfs.btrfs && truncate -s 128M first second && looped first && first=$loop && looped second && second=$loop &&
		mkfs.btrfs -q -f "$first" "$second" >/dev/null 2>&1 && mounted btrfs.mnt -t btrfs "$first"; then
		carries "the second device of btrfs" "$second" btrfs.mnt
		carries "... the first" "$first" btrfs.mnt
		if have btrfs && btrfs subvolume create btrfs.mnt/sub >/dev/null 2>&1; then
			carries "... and a subvolume" "$second" btrfs.mnt/sub
		fi
		apart "... but not another device" "$disk" btrfs.mnt/other
		umount btrfs.mnt
	else
		skip "btrfs on two devices" "no mkfs.btrfs, or it can't be mounted"
	fi
else
	skip "an input that carries the output" "not root, no mount namespaces, no loop device, or no mkfs.ext2"
fi

# Through the device mapper, here or, where this kernel has none, in a user-mode Linux: what it lies on counts, too.
cat >mapper <<'END'
# mapper PROGRAM NAME: in an empty directory; the exit status of each copy, and its message
program=$1
exec 3>&1
w() { # WHAT
	"$program" -n1 -p0 -z 64k -s 'read+write 1m' 2>err
	echo "$1: $? $(grep '^write-bench: ' err | head -n 1)" >&3
}
truncate -s 4M image && head -c 65536 /dev/urandom >X && loop=$(losetup -f --show image) || exit
dmsetup --noudevsync --noudevrules create "$2" --table "0 8192 linear $loop 0" &&
	mapped=/dev/$(dmsetup info -c --noheadings -o blkdevname "$2") && mkfs.ext2 -q -F "$mapped" &&
	mkdir mnt && mount -t ext4 "$mapped" mnt && echo keep >mnt/Y && echo ready
w "the device below" <"$loop" 1<>mnt/Y
w "the device itself" <"$mapped" 1<>mnt/Y
w "the file below" <X 1<>image
w elsewhere <"$mapped" >Z
umount mnt
dmsetup --noudevsync --noudevrules remove "$2"
losetup -d "$loop"
END
mapped=
mkdir mapped
if [ "${OWN_MOUNTS-}" ] && have dmsetup && have losetup && have mkfs.ext2 && dmsetup targets 2>/dev/null | grep -q '^linear'; then
	mapped=here
	(cd mapped && sh ../mapper "$wb" "wb$$") >out 2>&1
elif [ -z "${FULL-}" ]; then
	skip "the device mapper" "this kernel has none, or not root; in make check-full a user-mode Linux is asked"
elif missing=$(unbootable dmsetup/dmsetup mkfs.ext2/e2fsprogs) && [ "$missing" ]; then
	skip "the device mapper, in a user-mode Linux" "$missing"
else
	mapped="in a user-mode Linux"
	# shellcheck disable=SC2016
	printf '#!/bin/sh\ncd "$TMPDIR" && exec sh "%s/mapper" "%s" wb 2>&1\n' "$PWD" "$wb" >mapped/inside
	(cd mapped && boot 120 loop dm-mod)
	cat mapped/out mapped/err mapped/console >out
fi
if [ "$mapped" ]; then
	holds "the device mapper, $mapped: it is there" out '^ready$'
	holds "... the device that its own lies on" out "^the device below: 2 write-bench: standard output: $carried"
	holds "... its own" out "^the device itself: 2 write-bench: standard output: $carried"
	holds "... the file below both" out "^the file below: 2 write-bench: standard output: $lies"
	holds "... they may be copied elsewhere" out '^elsewhere: 0 '
fi

# ---- Reports: of a session in the midst of which something happens.

DO=:
export DO
# The command's dollars are its own.
# shellcheck disable=SC2016
midst='[ -e midst ] || { : >midst; eval "$DO"; }; exec dd bs=64k'
session() { # STATUS DESCRIPTION COMMAND OPTION...
	rm -f midst
	DO=$3
	wanted_status=$1 description=$2
	shift 3
	run "$wanted_status" "$description" w -x '*' --with="$midst" -f csv "$@" <X >Y
}
report() { # DESCRIPTION FILE: is it one, from its first line to its last?
	lines=$(sed -n 's/^# run_lines: //p' "$2" 2>/dev/null)
	is "$1" "$(grep -c '^row,' "$2" 2>/dev/null) $(sed '1,/^row,/d' "$2" 2>/dev/null | grep -vc '^#')" "1 ${lines:-some}"
}
anew() { # FILE...: a directory D with these, each with its name as its content
	rm -rf D
	mkdir D
	for file; do echo "$file" >"D/$file"; done
}
only() { # NAME...: these are in D, and no other
	is "... and no other file is left" "$(find D -mindepth 1 | sed 's:.*/::' | sort | tr '\n' ' ')" "$* "
}
replaced='^write-bench: D/report: is another file than at the start: the report is (/.*/)?D/report'

anew report other
session 1 "a report that is replaced meanwhile" 'mv D/other D/report' -o D/report
holds "... is reported" err "$replaced\\.1"
is "... the other file is untouched" "$(cat D/report)" other
report "... and the report is beside it" D/report.1
only report report.1
anew report other report.1
session 1 "... where .1 is there" 'mv D/other D/report' -o D/report
holds "... is reported" err "$replaced\\.2"
report "... it is .2" D/report.2
is "... others are untouched" "$(cat D/report D/report.1)" "other
report.1"
only report report.1 report.2
anew report other
ln -s nowhere D/report.1
session 1 "... where .1 is a symbolic link to nothing" 'mv D/other D/report' -o D/report
report "... it is .2" D/report.2
is "... others are untouched" "$(cat D/report)" other
only report report.1 report.2
anew
session 1 "a report that is new, where another file appears" 'echo other >D/report' -o D/report
holds "... is reported" err "$replaced\\.1"
is "... that is untouched" "$(cat D/report)" other
report "... and the report is beside it" D/report.1
only report report.1
anew report other
ln -s report D/link
session 1 "a symbolic link that is led elsewhere" 'ln -sfn other D/link' -o D/link
holds "... is reported" err '^write-bench: D/link: is another file than at the start: the report is '
is "... what it leads to then is untouched" "$(cat D/other)" other
report "... the report is where the message says" "$(sed -n 's/.*: the report is \([^ ]*\).*/\1/p' err)"
anew report
session 0 "a report that is unlinked meanwhile" 'rm D/report' -o D/report
report "... is there all the same" D/report
only report
anew report
session 1 "a report whose directory is removed" 'rm -r D' -o D/report
holds "... is reported" err '^write-bench: D/report: '
rm -rf D

# The old one is whole until the new one takes its place.
anew report
exec 5<D/report
session 0 "an old report" 'cat D/report >meanwhile' -o D/report
report "... is replaced" D/report
is "... at once: who reads it has the old one" "$(cat meanwhile) $(cat <&5)" "report report"
exec 5<&-
only report
anew report a.txt
chmod 640 D/report
[ "$(id -u)" != 0 ] || chown 65534:65533 D/report
stat -c '%a %u %g' D/report >before
session 0 "two reports" : -o D/report -o D/a.txt
report "... are both there" D/report
is "... with their modes and owners" "$(stat -c '%a %u %g' D/report)" "$(cat before)"
only a.txt report
anew
mask=$(umask)
umask 027
session 0 "a new report" : -o D/report
umask "$mask"
is "... has the mode that umask says" "$(stat -c %a D/report)" 640
only report
anew
refused "one new report under two names" '(D/../)?D/report: is there twice' w -s sendfile -f csv -o D/report -o D/../D/report <X >Y
anew report
ln -s ../D/report D/link
session 0 "a symbolic link" : -o D/link
is "... stays one" "$(readlink D/link)" ../D/report
report "... and is followed" D/report
only link report
anew
ln -s new D/link
session 0 "a symbolic link to what will be" : -o D/link
is "... stays one" "$(readlink D/link)" new
report "... and is followed" D/new
only link new
mkdir L
anew
ln -s ../L/new D/link
session 0 "... in another directory" : -o D/link
report "... and is followed" L/new
only link
is "... nor there" "$(ls -A L)" new
if [ "${OWN_MOUNTS-}" ] && anew && mounted D -t tmpfs -o size=64k tmpfs; then
	head -c 8000 /dev/zero >D/report
	cp D/report before
	session 1 "a file system that is full" 'cat /dev/zero >D/fill 2>/dev/null' -o D/report
	holds "... is reported" err '^write-bench: D/report: .*ENOSPC'
	same "... and the old report is whole" before D/report
	only fill report
	umount D
else
	skip "a file system that is full" "not root, or no mount namespaces"
fi

# Sessions that die.
waiting() { # NUMBER COMMAND: a session in the midst of which the command runs, with its report in D
	rm -f midst
	DO=$2
	marked "$1" "$wb" -n1 -p0 -x '*' --with="$midst" -f csv -o D/report <X >Y 2>err &
	pid=$!
	until_there test -s started
}
anew report
rm -f started
waiting 1 'echo >started; exec sleep 1000'
kill -TERM $pid
within 10 $pid
wait $pid
is "a session that SIGTERM ends" $? 143
report "... has a report" D/report
holds "... of what was measured" D/report '^# interrupted: by SIGTERM '
only report
is "... and leaves no process" "$(left 1)" 0
anew report
rm -f started
waiting 2 'echo >started; exec sleep 1000'
kill -KILL $pid
wait $pid
is "one that SIGKILL ends" $? 137
is "... leaves the old report whole" "$(cat D/report)" report
is "... and no process" "$(left 2)" 0
anew report
rm -f started
waiting 3 'trap "" INT TERM; echo >started; sleep 1000; sleep 1000'
until_there interrupted_again $pid
wait $pid
is "one that a second SIGINT ends" $? 130
is "... leaves the old report whole" "$(cat D/report)" report
only report
is "... and no process" "$(left 3)" 0
for how in "-s nosuch" "--with=/nonexistent/command" "-o nowhere/report"; do
	anew report
	# shellcheck disable=SC2086
	run 2 "one that dies at the start: $how" w -f csv -o D/report $how <X >Y
	is "... leaves the old report whole" "$(cat D/report)" report
	only report
done
anew report
run 2 "one that has no input" w -f csv -o D/report <empty >Y
is "... leaves the old report whole" "$(cat D/report)" report
only report

# What is written in place, and what is no file.
anew report
ln D/report D/second
session 0 "a report with two names" : -o D/report
same "... has both afterwards" D/report D/second
report "... of one report" D/second
is "... which is the file that it was" "$(stat -c %h D/report)" 2
only report second
anew
mkfifo D/fifo
cat D/fifo >got &
session 0 "a FIFO" : -o D/fifo
wait $!
report "... passes it on" got
[ -p D/fifo ]
is "... and stays one" $? 0
only fifo
session 1 "/dev/full" : -o /dev/full
holds "... is full" err '^write-bench: /dev/full: write: ENOSPC'
anew
mkfifo pipe
cat pipe >got &
session 0 "/dev/fd/N of a pipe" : -o /dev/fd/4 4>pipe
wait $!
report "... passes it on" got
exec 4<>D/got
session 0 "... of a file" : -o /dev/fd/4
report "... has it" /dev/fd/4
report "... under its name, too" D/got
rm D/got
session 0 "... of a file without a name" : -o /dev/fd/4
report "... has it" /dev/fd/4
exec 4<&-
is "... and no other file is left" "$(ls -A D)" ""
if have bash; then
	# shellcheck disable=SC2016
	run 0 "a process substitution" env WB="$wb" timeout 60 bash -c '"$WB" -n1 -p0 -s sendfile -f csv -o >(cat >D/got) <X >Y; s=$?; wait $!; exit $s'
	report "... passes it on" D/got
	only got
else
	skip "a process substitution" "no bash"
fi
anew
w -s sendfile -f csv -o /dev/stderr <X >Y 2>D/log
is "/dev/stderr, which is a file" $? 0
holds "... has it, and what is said besides" D/log '^row,' '^sendfile,1,' '^sendfile  '
only log
if [ "${OWN_MOUNTS-}" ] && anew report source && mount --bind D/source D/report 2>/dev/null; then
	session 0 "a file that is mounted" : -o D/report
	report "... has it" D/report
	umount D/report
	report "... where it really is" D/source
	is "... and the one below is untouched" "$(cat D/report)" report
	only report source
else
	skip "a file that is mounted" "not root, or no mount namespaces"
fi
if [ "$(id -u)" != 0 ]; then
	other() { "$@"; }
	cp "$wb" ./wb
elif have setpriv && chmod 777 . && cp "$wb" ./wb && chmod 755 ./wb; then
	other() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
	chmod 666 X Y
else
	other() { false; }
fi
: >Y
chmod 666 Y
if other ./wb --version >/dev/null 2>&1; then
	anew report
	chmod 666 D/report
	stat -c '%i %a %u' D/report >before
	chmod 555 D
	run 0 "a report in a directory that can't be written" other timeout 60 ./wb -n1 -p0 -s sendfile -f csv -o D/report <X >Y
	report "... has it" D/report
	is "... and is the file that it was" "$(stat -c '%i %a %u' D/report)" "$(cat before)"
	only report
	run 2 "... a new one" other timeout 60 ./wb -n1 -p0 -s sendfile -f csv -o D/new <X >Y
	holds "... is refused" err '^write-bench: D/new: open: EACCES'
	only report
	chmod 777 D
	run 0 "a report that belongs to others" other timeout 60 ./wb -n1 -p0 -s sendfile -f csv -o D/report <X >Y
	report "... has it" D/report
	is "... and is theirs" "$(stat -c '%a %u' D/report)" "$(cut -d' ' -f2- before)"
	only report
	chmod 755 D
else
	skip "reports of others" "no setpriv, or others can't come here"
fi

# Comparisons.
anew report
exec 5<D/report
run 0 "--compare into a file that is there" "$wb" --compare old.csv -f csv -o D/report >printed
same "... which is replaced" old.csv D/report
is "... at once: who reads it has the old one" "$(cat <&5)" report
exec 5<&-
only report
anew report
chmod 600 D/report
ln -s report D/link
run 0 "... by a symbolic link" "$wb" --compare old.csv -f csv -o D/link >printed
is "... which stays one" "$(readlink D/link) $(stat -c %a D/report)" "report 600"
same "... and is followed" old.csv D/report
only link report
anew report
run 2 "... of what is not there" "$wb" --compare nosuch.csv -f csv -o D/report >printed
is "... leaves the old report whole" "$(cat D/report)" report
only report
ln D/report D/second
run 0 "... into one with two names" "$wb" --compare old.csv -f csv -o D/report >printed
same "... has it under both" old.csv D/second
only report second
mkfifo D/fifo
cat D/fifo >got &
run 0 "... into a FIFO" "$wb" --compare old.csv -f csv -o D/fifo >printed
wait $!
same "... passes it on" old.csv got
only fifo report second
run 1 "... into /dev/full" "$wb" --compare old.csv -f csv -o /dev/full >printed
if [ "${OWN_MOUNTS-}" ] && anew report && mounted D -t tmpfs -o size=64k tmpfs; then
	echo report >D/report
	cat /dev/zero >D/fill 2>/dev/null
	run 1 "... onto a file system that is full" "$wb" --compare old.csv -f csv -o D/report >printed
	holds "... is reported" err '^write-bench: D/report: .*ENOSPC'
	is "... and the old report is whole" "$(cat D/report)" report
	only fill report
	umount D
else
	skip "--compare onto a file system that is full" "not root, or no mount namespaces"
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
