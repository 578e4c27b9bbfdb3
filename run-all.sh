#!/usr/bin/env bash
# Runs write-bench on every file system that this machine can make, mount and serve, or in every directory that is
# named; all with the same input, of noise, on tmpfs, and once more with the input on the same file system, where
# copy_file_range and reflinks are at home. Leaves in OUTDIR, of each: NAME.csv with every run, NAME.txt and NAME.svg
# made of it; of all: README.md and summary*.svg. OUTDIR is new, empty, or one that this script has made: that is told by the list
# of what it has put there, .run-all, with each file's SHA-256. What is not in the list, or has been changed since, is never
# overwritten.
#
# File systems are made on sparse files in a directory of our own in $TMPDIR (/var/tmp), one after the other, and mounted
# in a mount namespace of our own, which ends with us however we end. What can outlive a SIGKILL is named after the
# process, and removed by the next run of the same user with the same $TMPDIR and directories. Nothing else is written to but
# the directories named and OUTDIR.
#
# Exit status: 0 all that can be done here was done; 1 something failed, or was asked for by name and can't be done here;
# 2 bad usage; 128 + N stopped by signal N.
# shellcheck disable=SC2317 # traps, undo_to and declare -f reach what it thinks is never reached
set -u
unset CDPATH # of which cd would tell
export LC_ALL=C

file_systems="tmpfs ext2 ext3 ext4 xfs btrfs f2fs overlay dmcrypt nfs3 nfs42"
usage() {
	cat <<END
Usage: $0 [-a] [-f FS[,FS]...] [-s SIZE] [-o OUTDIR] [DIR...] [-- WRITE-BENCH-OPTION...]
  -f, --filesystems FS,...  only these, of: $file_systems
                            (dmcrypt: ext3 on dm-crypt; nfs3, nfs42: over loopback)
  -s, --size SIZE           bytes to copy, like 1000000, 64k, 1.5m, 4MiB, 1g; default 256m
  -o, --output OUTDIR       where the reports go; default results
  -a, --again               also what has a table of this machine, size and options there already
  DIR...                    measure in these directories; without -f in no others
As root: by default all file systems. Else what needs no mount: this directory and tmpfs (/dev/shm).
END
}
complain() {
	local text="$0: $*"
	printf '%s\n' "${text//[[:cntrl:]]/?}" >&2 # no escape sequence, whatever a file is called
}
die() {
	complain "$*"
	exit 2
}

# ---- Options

here=$(cd -- "$(dirname -- "$0")" && pwd)
wb=$here/write-bench
arguments=("$@")
size=256m
outdir=results
again=no
wanted=
directories=()
while [ $# -gt 0 ]; do
	case $1 in
	--filesystems=* | --size=* | --output=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" && continue ;;
	-f | -s | -o | --filesystems | --size | --output)
		[ $# -gt 1 ] || { complain "$1: needs an argument" && usage >&2 && exit 2; }
		case $1 in
		-f | --filesystems) wanted+=" ${2//,/ }" ;;
		-s | --size) size=$2 ;;
		-o | --output) outdir=$2 ;;
		esac
		shift
		;;
	-a | --again) again=yes ;;
	-h | --help) usage && exit 0 ;;
	--) shift && break ;;
	-*) complain "$1: is no option" && usage >&2 && exit 2 ;;
	*) directories+=("$1") ;;
	esac
	shift
done
options=("$@")
PATH=$PATH:/usr/sbin:/sbin # of mkfs, and of others that only root has in it
[ -e /run/udev/control ] || export DM_DISABLE_UDEV=1 # else dmsetup would wait for it for ever

[ -x "$wb" ] || die "$wb: is not there: run make first"
"$wb" --list --size="$size" </dev/null >/dev/null 2>&1 || die "-s $size: is not a size from 1 byte on, like 1000000, 64k, 1.5m, 4MiB, 1g"
rows=$("$wb" ${options[@]+"${options[@]}"} --list </dev/null) || die "${options[*]}: write-bench refuses these options"
[ -n "$rows" ] || die "${options[*]}: no row is left"
asked= # by name
read -ra given <<<"${wanted,,}"
for name in ${given[@]+"${given[@]}"}; do
	case $name in
	crypt-ext3 | ext3-dmcrypt | dm-crypt) name=dmcrypt ;;
	nfsv3) name=nfs3 ;;
	nfsv4.2 | nfs4.2) name=nfs42 ;;
	esac
	[[ " $file_systems " == *" $name "* ]] || die "-f $name: is none of: $file_systems"
	[[ " $asked " == *" $name "* ]] || asked+=" $name"
done
for name in "$outdir" "${TMPDIR-}" ${directories[@]+"${directories[@]}"}; do
	[[ $name != *[[:cntrl:]]* ]] || die "$name: has a newline or another control character in its name: use another directory"
done
[[ $outdir != -* ]] || outdir=./$outdir # no option of anything
[[ ${TMPDIR-} != -* ]] || TMPDIR=./$TMPDIR
number=${size%%[!0-9.]*}
# Powers of 1024; of 1000 for kB, MB, GB and TB. The room for several is reckoned in 64 bits.
bytes=$(awk -v number="$number" -v unit="${size#"$number"}" 'BEGIN {
	unit = tolower(unit)
	power = unit ? index("kmgt", substr(unit, 1, 1)) : 0
	bytes = int(number * (unit ~ /[kmgt]b$/ ? 1000 : 1024) ^ power)
	if (bytes <= 2 ^ 60) printf "%.0f", bytes
}')
[ -n "$bytes" ] || die "-s $size: is more than there can be room for"
[ -z "$wanted" ] || [ -n "$asked" ] || die "-f: names no file system: use one of: $file_systems"
# What is in OUTDIR, and whose it is.
list=$outdir/.run-all
sum() { # FILE
	sha256sum <"$1" | cut -c1-64
}
is_ours() { # NAME: is there no such file in OUTDIR, or is it as this script has put it there?
	local file=$outdir/$1
	[ ! -e "$file" ] && [ ! -L "$file" ] && return
	[ -f "$file" ] && [ ! -L "$file" ] && [ -f "$list" ] && grep -qxF "$(sum "$file") $1" "$list"
}
foreign=
are_ours() { # TABLE: all files of it? Else foreign is the name of one that is not
	for foreign in "$1"{,-same}.{csv,txt,svg}; do
		is_ours "$foreign" || return
	done
}
if [ ! -d "$outdir" ] && mkdir -p "$outdir"; then
	chown --reference="$outdir/.." "$outdir" 2>/dev/null # its owner may have called us by sudo
fi
if [ ! -d "$outdir" ] || [ ! -w "$outdir" ]; then
	die "$outdir: can't be written to: use another -o"
fi
if [ ! -f "$list" ] || [ -L "$list" ]; then
	for file in "$outdir"/* "$outdir"/.[!.]* "$outdir"/..?*; do
		if [[ -e $file || -L $file ]] && [[ $file != */.write-bench-run.*.part ]]; then # that is of one of us that was killed
			die "$outdir: has ${file##*/} in it, and was not made by this script: use a new or empty directory for -o"
		fi
	done
fi
for file in "$outdir"/*.{csv,txt,svg} "$outdir/README.md"; do
	[ ! -e "$file" ] || [ -f "$file" ] || die "$file: is no file: move it away, or use another -o"
done

# ---- A mount namespace of our own, in the same process

namespaced=no
why_not="only root can mount: use sudo $0"
if [ "$(id -u)" = 0 ]; then
	mounts=$(readlink /proc/self/ns/mnt)
	if [[ ${RUN_ALL_NAMESPACED-} == "$$ "* ]] && [ "$RUN_ALL_NAMESPACED" != "$$ $mounts" ]; then
		namespaced=yes
	elif why_not=$(unshare --mount true 2>&1); then
		RUN_ALL_NAMESPACED="$$ $mounts" exec unshare --mount --propagation private "$BASH" "$0" ${arguments[@]+"${arguments[@]}"}
	else
		why_not="no mount namespace is to be had: ${why_not:-unshare is missing: install util-linux}: root of a container needs CAP_SYS_ADMIN"
	fi
fi
unset RUN_ALL_NAMESPACED
if [ -n "$asked" ]; then
	wanted=$asked
elif [ ${#directories[@]} = 0 ]; then
	wanted=$file_systems
	[ $namespaced = yes ] || directories=(.)
fi
for name in $wanted; do
	are_ours "$name" || die "$outdir/$foreign: is not as this script has made it: move it away, or use another -o"
done
for name in README.md summary{,-2}{,-same}.svg; do
	is_ours "$name" || die "$outdir/$name: is not as this script has made it: move it away, or use another -o"
done

# ---- What is left behind when we are killed, and what is undone when we are not

# A name that tells who has made what has it: our PID namespace, process and its start time (proc_pid_stat(5)).
started() {
	local line
	line=$(cat "/proc/$1/stat" 2>/dev/null) && line=${line##*) } && cut -d' ' -f20 <<<"$line"
}
namespace=$(readlink /proc/self/ns/pid)
namespace=${namespace//[^0-9]/}
mark=write-bench-run.$namespace-$$-$(started $$)
is_left() { # NAME: is it of a run like this one that is over?
	[[ $1 =~ ^write-bench-run\.([0-9]+)-([0-9]+)-([0-9]+)(\.[A-Za-z0-9]{6})?$ ]] && [ "${BASH_REMATCH[1]}" = "$namespace" ] \
		&& [ "$(started "${BASH_REMATCH[2]}")" != "${BASH_REMATCH[3]}" ]
}
sweep() { # DIR: what such runs have left in it, and of mappings and loop devices
	local left name
	for left in /sys/block/dm-*/dm/name; do
		if [ -e "$left" ] && name=$(<"$left") && is_left "${name%-crypt}"; then
			dmsetup remove --deferred "$name"
			rm -f "/dev/mapper/$name"
		fi
	done
	for left in /sys/block/loop*/loop/backing_file; do
		if [ -e "$left" ] && name=$(<"$left") && [[ $name =~ /(write-bench-run\.[^/]*)/ ]] && is_left "${BASH_REMATCH[1]}"; then
			left=${left#/sys/block/}
			losetup -d "/dev/${left%%/*}"
		fi
	done
	for left in "$1"/write-bench-run.*; do
		if [ -d "$left" ] && [ ! -L "$left" ] && [ -O "$left" ] && is_left "${left##*/}"; then
			rm -rf --one-file-system "$left"
		fi
	done
}

undo=() # commands, to be run last first
later() {
	undo+=("$(printf '%q ' "$@")")
}
directories_made=0
make_directory() { # IN: makes one, named in own; that it is to be removed is known before it is there
	sweep "$1"
	directories_made=$((directories_made + 1))
	own=$1/$mark.$(printf '%06d' $directories_made)
	later rm -rf --one-file-system "$own"
	mkdir -m 700 "$own"
}
undo_to() { # N: all but the first N
	local last
	while [ ${#undo[@]} -gt "$1" ]; do
		last=$((${#undo[@]} - 1))
		eval "${undo[last]}"
		unset "undo[last]"
	done
}
child=
clean_up() {
	trap '' HUP INT TERM
	if [ -n "$child" ]; then
		kill -TERM "$child" 2>/dev/null
		wait "$child"
	fi
	undo_to 0
}
trap clean_up EXIT
# bash 5.2 can take up a trap while it reads a word with command substitutions, and then reads the trap as if within one: up to a
# parenthesis, without which it goes on as if there had been no signal. Elsewhere that line is not come to.
closing=$'\n)'
trap 'exit 129'"$closing" HUP
trap 'exit 130'"$closing" INT
trap 'exit 143'"$closing" TERM

# Our children end with us, also when we are killed.
guard=()
! setpriv --pdeathsig TERM true 2>/dev/null || guard=(setpriv --pdeathsig TERM)

status=0
# NAME is not measured: it can't be, here; or something has failed.
lacking() {
	complain "$1: skipped: $2"
	[[ " $asked " != *" $1 "* ]] || status=1
}
failing() {
	complain "$1: skipped: $2"
	status=1
}
why=
# Runs a command. If it fails: why, by the line that tells most.
try() {
	local code
	"${guard[@]}" "$@" >"$scratch/err" 2>&1 </dev/null && return
	code=$?
	why="$1 says $code ($(grep -m 1 -E "^(${1##*/}|mount|ERROR)" "$scratch/err" || head -n 1 "$scratch/err"))"
	return 1
}
room() { # DIR: free bytes
	df -P -B1 "$1" 2>/dev/null | awk 'NR == 2 { print $4 }'
}

# ---- Measuring

place= # the file system or directory that is measured, since tables of different ones may have one name
# How a table is made, as a line in it: with the input on "tmpfs", or on the "same" file system.
made() {
	echo "# run_all: size=$bytes input=$1 place=$(printf %q "$place") options=$(printf '%q ' ${options[@]+"${options[@]}"})"
}
# is_finished NAME PLACE: is there such a table of this machine, whole, and without a failure?
is_finished() {
	local csv=$outdir/$1.csv
	[ $again = no ] && [ -f "$csv" ] && grep -qxF "$(made "$2")" "$csv" && ! grep -Eq ',,(failed|mismatch)' "$csv" && is_here "$csv" \
		&& "$wb" --compare "$csv" >/dev/null 2>&1
}
leave() { # NAME...: those are finished; their forms are made anew
	local name
	for name; do
		echo "$outdir/$name.txt: is there already: -a measures it again"
		publish "$name" "$outdir/$name.csv"
	done
}
is_here() { # CSV: measured on this machine?
	local line
	while read -r line; do
		grep -qxF "$line" "$1" || return 1
	done <"$scratch/machine"
}
# measure NAME PLACE INPUT OUTPUT: a table, unless there is one already; its three forms go to OUTDIR.
measure() {
	local report=$outdir/$1 code failures use
	if is_finished "$1" "$2"; then
		leave "$1"
		return
	fi
	rm -f "$scratch/run.csv" # else one that is not made could pass for it
	"${guard[@]}" "$wb" ${options[@]+"${options[@]}"} -q -o "$scratch/run.csv" <"$3" >"$4" 2>"$scratch/said" &
	child=$! # in the background and waited for: only so is a signal answered before the benchmark ends
	wait "$child"
	code=$?
	child=
	use=$(fact "$scratch/run.csv" recommendation 2>/dev/null)
	grep -vxF -e "${use:-Nothing is recommended.}" -e "Nothing is recommended." "$scratch/said" >&2 # what is left are errors
	rm -f "$4"
	case $code in 129 | 130 | 143) exit $code ;; esac
	if [ $code -gt 1 ] || [ ! -s "$scratch/run.csv" ]; then
		failing "$1" "write-bench $([ $code = 2 ] && echo "has refused to start" || echo "has ended with status $code")"
		return
	fi
	failures=$(grep -Eo ',,(failed [A-Za-z0-9 ]+|mismatch)' "$scratch/run.csv" | sort | uniq -c | sort -rn | sed -n 's/.*,,//p' | head -n 1)
	if ! grep -Eq '^[^#].*,(ok|shared|untouched)(,|$)' "$scratch/run.csv"; then
		failing "$1" "no row could be measured: ${failures:-none is possible here}"
		return
	fi
	if ! { head -n 1 "$scratch/run.csv" && made "$2" && tail -n +2 "$scratch/run.csv"; } >"$scratch/made.csv"; then
		failing "$1" "$scratch has no room for its report"
		return
	fi
	publish "$1" "$scratch/made.csv" || return
	echo "$report.txt${use:+: $use}"
	if [ $code != 0 ]; then
		complain "$1: a row failed or copied wrongly${failures:+ ($failures)}: see $report.txt"
		status=1
	fi
}
# publish NAME CSV: all of its forms, or none.
publish() {
	local form
	if ! { cp "$2" "$scratch/form.csv" && "$wb" --compare "$2" -o "$scratch/form.txt" -o "$scratch/form.svg" >/dev/null; }; then
		failing "$1" "its report can't be made, or $scratch has no room for it"
		return 1
	fi
	for form in csv txt svg; do
		if ! put "$scratch/form.$form" "$1.$form"; then
			failing "$1" "$outdir/$1.$form: can't be written"
			return 1
		fi
	done
}
# put FILE NAME: into OUTDIR, whole or not at all, if it is not there, and only over what is ours. First into the list, in which the
# one before stays until the next: so it is ours whenever we are killed.
put() {
	is_ours "$2" || return
	! { [ -f "$outdir/$2" ] && cmp -s "$1" "$outdir/$2"; } || return 0
	{
		[ ! -f "$list" ] || awk -v name="$2" -v sum="$([ ! -f "$outdir/$2" ] || sum "$outdir/$2")" '$2 != name || $1 == sum' "$list"
		echo "$(sum "$1") $2"
	} | LC_ALL=C sort -k 2 >"$scratch/list" && replace "$scratch/list" .run-all && replace "$1" "$2"
}
replace() { # FILE NAME: as OUTDIR's owner's, who may not be root, and may put links there
	local part=$outdir/.$mark.part
	chown --reference="$outdir" "$1" 2>/dev/null
	cp -T --remove-destination --preserve=ownership "$1" "$part" && mv -fT "$part" "$outdir/$2"
}

# measure_in NAME DIR: with the input on tmpfs; and in the same directory, unless that is on tmpfs, too.
measure_in() {
	local free
	free=$(room "$2")
	if [ -n "$free" ] && [ "$free" -lt "$bytes" ]; then
		failing "$1" "$2 has $free bytes free, and a copy takes $bytes: free some, or use a smaller -s"
		return
	fi
	measure "$1" tmpfs "$input" "$2/Y"
	case $(stat -f -c %T "$2") in tmpfs | ramfs) return ;; esac
	if [ -n "$free" ] && [ "$free" -lt $((bytes * 2)) ]; then
		failing "$1-same" "$2 has $free bytes free, and input and copy take $((bytes * 2)): free some, or use a smaller -s"
	elif try cp "$input" "$2/X" && try cmp "$input" "$2/X" && try sync "$2/X"; then # else it would be written while we measure
		measure "$1-same" same "$2/X" "$2/Y"
	else
		failing "$1-same" "the input can't be put into $2: $why"
	fi
	rm -f "$2/X"
}

# Is the name of a table free in this run, and not that of another place, or of somebody else, in OUTDIR?
is_free() {
	[[ $names != *" $1 "* && $names != *" $1-same "* ]] && are_ours "$1" && is_here_measured "$1" && is_here_measured "$1-same"
}
is_here_measured() { # TABLE: is there none, or one of the same place?
	[ ! -f "$outdir/$1.csv" ] || [[ $(fact "$outdir/$1.csv" run_all) == *" place=$(printf %q "$place") options="* ]]
}
# A table is named after its directory, with a number where that is taken.
names=" README "
for name in $wanted; do
	names+="$name $name-same "
done
measure_directory() {
	local base n=2 name
	if [ ! -d "$1" ] || ! make_directory "$1"; then
		failing "$1" "name a directory that is there and can be written to"
		return
	fi
	place=$(cd "$1" && pwd -P)
	base=$(cd "$1" && basename "$PWD")
	base=${base//[^A-Za-z0-9._-]/_}
	[[ $base != [-.]* && $base != summary* ]] || base=_$base # no option, not hidden, and no picture of the summary
	name=$base
	until is_free "$name"; do
		name=$base-$n
		n=$((n + 1))
	done
	names+="$name $name-same "
	measure_in "$name" "$own"
}

# ---- File systems

kernel_has() { # FS: after its module was asked for, if there is one
	grep -qw "$1" /proc/filesystems || { modprobe -q "$1" 2>/dev/null && grep -qw "$1" /proc/filesystems; }
}
# What a file system of each kind takes: the kernel's name for it and option, the program that makes it and its package.
needs() {
	case $1 in
	ext2) echo "ext2 CONFIG_EXT2_FS mkfs.ext2 e2fsprogs" ;;
	ext3 | dmcrypt) echo "ext3 CONFIG_EXT4_FS mkfs.ext3 e2fsprogs" ;;
	ext4 | nfs*) echo "ext4 CONFIG_EXT4_FS mkfs.ext4 e2fsprogs" ;;
	xfs) echo "xfs CONFIG_XFS_FS mkfs.xfs xfsprogs" ;;
	btrfs) echo "btrfs CONFIG_BTRFS_FS mkfs.btrfs btrfs-progs" ;;
	f2fs) echo "f2fs CONFIG_F2FS_FS mkfs.f2fs f2fs-tools" ;;
	overlay) echo "overlay CONFIG_OVERLAY_FS mkfs.ext4 e2fsprogs" ;;
	esac
}
# Prints why a file system can't be had here, and what would change that; nothing if it can.
find_obstacle() {
	local type option maker package
	read -r type option maker package <<<"$(needs "$1")"
	if [ $namespaced = no ]; then
		echo "$why_not"
	elif ! kernel_has "$type"; then
		echo "this kernel has no $type: use one with $option"
	elif ! command -v "$maker" >/dev/null; then
		echo "there is no $maker: install $package"
	elif [ "$1" = overlay ] && [[ $scratch == *[:,\\]* ]]; then
		echo "mount can't take the name $scratch: set TMPDIR to one without : , and backslash"
	elif [ ! -e /dev/loop-control ] && ! modprobe -q loop 2>/dev/null; then
		echo "there are no loop devices: use a kernel with CONFIG_BLK_DEV_LOOP"
	else
		case $1 in
		dmcrypt) find_obstacle_to_crypt ;;
		nfs*) find_obstacle_to_nfs "$1" ;;
		esac
	fi
}

# A sparse file for a file system with room for input, output and its own.
make_image() { # FILE
	later rm -f "$1"
	try truncate -s $((bytes * 2 + bytes / 4 + (512 << 20))) "$1"
}
make_on() { # TYPE FILE
	case $1 in
	ext*) try "mkfs.$1" -q -F -E lazy_itable_init=0,lazy_journal_init=0 "$2" ;; # nothing is written when we measure but what we write
	f2fs | xfs | btrfs) try "mkfs.$1" -q -f "$2" ;;
	esac
}
mount_at() { # DIR MOUNT-ARGUMENT...
	mkdir -p "$1" && later umount_from "$1" && try mount "${@:2}" "$1" && try mountpoint -q "$1"
}
umount_from() {
	! mountpoint -q "$1" || umount "$1" 2>/dev/null || umount -l "$1"
	rmdir "$1"
}
# make NAME DIR: mounts a new file system there; false: why.
make() {
	local image=$scratch/$1.img
	case $1 in
	overlay)
		make_image "$image" && make_on ext4 "$image" && mount_at "$scratch/below" -t ext4 -o loop "$image" \
			&& mkdir "$scratch/below/lower" "$scratch/below/upper" "$scratch/below/work" \
			&& mount_at "$2" -t overlay -o "lowerdir=$scratch/below/lower,upperdir=$scratch/below/upper,workdir=$scratch/below/work" overlay
		;;
	dmcrypt) make_crypt "$image" "$2" ;;
	nfs*) make_nfs "$1" "$image" "$2" ;;
	*) make_image "$image" && make_on "$1" "$image" && mount_at "$2" -t "$1" -o loop "$image" ;;
	esac
}

measure_file_system() { # NAME
	local obstacle free
	place=$1
	if [ "$1" = tmpfs ]; then # it is there already, with the input
		measure tmpfs tmpfs "$input" "${input%/*}/Y"
		return
	fi
	if is_finished "$1" tmpfs && is_finished "$1-same" same; then # nothing is to be made
		leave "$1" "$1-same"
		return
	fi
	obstacle=$(find_obstacle "$1")
	free=$(room "$scratch")
	if [ -n "$obstacle" ]; then
		lacking "$1" "$obstacle"
	elif [ -n "$free" ] && [ "$free" -lt $((bytes * 2 + bytes / 4 + (128 << 20))) ]; then
		failing "$1" "$scratch has $free bytes free: set TMPDIR to where there are more, or use a smaller -s"
	elif make "$1" "$scratch/$1"; then
		measure_in "$1" "$scratch/$1"
	else
		failing "$1" "$why"
	fi
}

# ext3 on dm-crypt, with a key that nobody knows.
find_obstacle_to_crypt() {
	modprobe -q dm-crypt 2>/dev/null
	if ! command -v cryptsetup >/dev/null || ! command -v dmsetup >/dev/null; then
		echo "there is no cryptsetup or dmsetup: install cryptsetup-bin and dmsetup"
	elif ! dmsetup version >/dev/null 2>&1; then
		echo "this kernel has no device mapper: use one with CONFIG_BLK_DEV_DM"
	elif ! dmsetup targets | grep -q '^crypt '; then
		echo "this kernel has no dm-crypt: use one with CONFIG_DM_CRYPT"
	elif ! grep -qE '^name +: (xts\(aes\)|xts)$' /proc/crypto && ! modprobe -q xts 2>/dev/null; then
		echo "this kernel has no aes-xts: use one with CONFIG_CRYPTO_XTS"
	fi
}
# Mapping and loop device vanish with the last that has them open: first we, by a descriptor, then the mount. So nothing
# is left of them when we are killed.
make_crypt() { # IMAGE DIR
	local name=$mark-crypt loop held made=1
	make_image "$1" || return
	if ! loop=$(losetup -f --show "$1" 2>"$scratch/err"); then
		why="losetup says $(tail -n 1 "$scratch/err")"
		return 1
	fi
	try cryptsetup open --type plain --cipher aes-xts-plain64 --key-size 512 --key-file /dev/urandom "$loop" "$name"
	made=$?
	losetup -d "$loop" # as soon as the mapping is gone
	[ $made = 0 ] || return
	make_node "$name"
	exec {held}<"/dev/mapper/$name" && dmsetup remove --deferred "$name"
	make_node "$name" # which that has removed already
	try "mkfs.ext3" -q -F -E lazy_itable_init=0 "/dev/mapper/$name" && mount_at "$2" -t ext3 "/dev/mapper/$name"
	made=$?
	exec {held}<&-
	[ -e /run/udev/control ] || rm -f "/dev/mapper/$name"
	return $made
}
make_node() { # where no udev does it
	[ -b "/dev/mapper/$1" ] || dmsetup mknodes "$1"
}

# NFS over loopback, served by the kernel from an ext4 of ours.
find_obstacle_to_nfs() { # nfs3 or nfs42
	if ! command -v nsenter >/dev/null || ! command -v ip >/dev/null; then
		echo "there is no nsenter or ip: install util-linux and iproute2"
	elif ! unshare -n true 2>/dev/null; then
		echo "no network namespace is to be had: use a kernel with CONFIG_NET_NS"
	elif ! kernel_has nfs; then
		echo "this kernel has no NFS client: use one with CONFIG_NFS_FS"
	elif ! kernel_has nfsd; then
		echo "this kernel has no NFS server: use one with CONFIG_NFSD"
	elif [ "$1" = nfs3 ] && ! modprobe -q nfsv3 2>/dev/null && ! kernel_may_have CONFIG_NFS_V3; then
		echo "this kernel has no NFS v3: use one with CONFIG_NFS_V3"
	elif [ "$1" = nfs3 ] && ! { command -v rpcbind && command -v rpc.mountd && command -v exportfs; } >/dev/null; then
		echo "there is no rpcbind, rpc.mountd or exportfs: install rpcbind and nfs-kernel-server"
	elif [ "$1" = nfs42 ] && ! kernel_has nfs4; then
		echo "this kernel has no NFS v4: use one with CONFIG_NFS_V4"
	elif [ "$1" = nfs42 ] && ! { kernel_may_have CONFIG_NFS_V4_2 && kernel_may_have CONFIG_NFSD_V4; }; then
		echo "this kernel has no NFS v4.2: use one with CONFIG_NFS_V4_2 and CONFIG_NFSD_V4"
	fi
}
kernel_may_have() { # OPTION: no only where its configuration can be read
	local file
	for file in /proc/config.gz "/boot/config-$(uname -r)"; do
		[ -r "$file" ] || continue
		zgrep -q "^$1=" "$file" 2>/dev/null
		return
	done
}

fail() {
	echo "$1"
	exit 1
}
answers() { # PORT
	(: <>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}
wait_for() { # COMMAND...: until it succeeds, 10 s at most
	local i
	for ((i = 0; i < 100; i++)); do
		"$@" && return
		sleep 0.1
	done
	return 1
}
is_idle() { # nothing of this network is mounted
	[ "$(wc -l </proc/self/net/nfsfs/volumes)" -le 1 ]
}

# The server, in a shell with network, mounts and processes of its own, so that the machine's own server is neither seen
# nor touched, and what it starts ends with it. It is set up by the kernel's files, as rpc.nfsd and rpc.mountd do it
# (exports(5), Linux fs/nfsd/nfsctl.c). v4 needs no daemon; v3 needs rpc.mountd for the first file handle, and that, like the
# kernel, rpcbind, to be registered with. Prints "ready", or what went wrong; ends with its input, which is also when its
# parent is killed.
serve_nfs() { # nfs3 or nfs42, IMAGE
	local root=/run/export never=2147483647 daemons=() versions="-3 +4 -4.0 -4.1 +4.2" flags
	trap '' HUP INT TERM PIPE
	exec 2>"$2.log"
	ip link set lo up || fail "the loopback interface"
	mount -t tmpfs -o mode=755 tmpfs /run || fail "a tmpfs on /run"
	mkdir -p "$root" /run/lib
	mount -o loop -t ext4 "$2" "$root" || fail "mount of the image"
	chmod 1777 "$root"
	mount -t nfsd nfsd /proc/fs/nfsd || fail "mount of nfsd"
	if [ "$1" = nfs3 ]; then
		versions="+3 -4"
		mkdir /run/rpcbind
		mount --bind /run/lib /var/lib/nfs || fail "/var/lib/nfs"
		: >/run/lib/etab
		: >/run/lib/rmtab
		[ ! -e /etc/nfs.conf ] || mount --bind /dev/null /etc/nfs.conf
		rpcbind -f <&- >&2 &
		daemons+=($!)
		wait_for answers 111 || fail rpcbind
	fi
	flags=$((0x2 | 0x10 | 0x400 | 0x2000)) # NFSEXP_INSECURE_PORT, _ASYNC, _NOSUBTREECHECK, _FSID: include/uapi/linux/nfsd/export.h
	echo "nfsd 127.0.0.1 $never loopback" >/proc/self/net/rpc/auth.unix.ip/channel || fail "a client"
	echo "loopback $root $never $flags 65534 65534 0" >/proc/self/net/rpc/nfsd.export/channel || fail "an export"
	printf 'loopback 1 \\x00000000 %s %s\n' "$never" "$root" >/proc/self/net/rpc/nfsd.fh/channel || fail "a file handle"
	echo "-2" >/proc/fs/nfsd/versions 2>/dev/null # newer kernels don't know it
	echo "$versions" >/proc/fs/nfsd/versions || fail "a server of $1"
	echo 10 >/proc/fs/nfsd/nfsv4leasetime && echo 10 >/proc/fs/nfsd/nfsv4gracetime
	if [ "$1" = nfs42 ] && command -v nfsdcld >/dev/null; then # knows that there is no client to wait for, for 10 s
		mkdir -p /run/pipefs /run/cld
		mount -t rpc_pipefs rpc_pipefs /run/pipefs
		nfsdcld -F -p /run/pipefs -s /run/cld <&- >&2 &
		daemons+=($!)
		wait_for grep -qs ^inotify "/proc/$!"/fdinfo/{4..9} # the kernel waits a second for it, and no more
	fi
	echo "tcp 2049" >/proc/fs/nfsd/portlist || fail "port 2049"
	echo 8 >/proc/fs/nfsd/threads || fail "its threads"
	if [ "$1" = nfs3 ]; then
		exportfs -i -o rw,async,insecure,no_root_squash,no_subtree_check,fsid=0 "127.0.0.1:$root" || fail exportfs
		rpc.mountd -F -p 20048 -N 4 <&- >&2 &
		daemons+=($!)
		wait_for answers 20048 || fail rpc.mountd
	else
		echo Y >/proc/fs/nfsd/v4_end_grace
	fi
	echo ready
	read -r _
	wait_for is_idle || wait_for is_idle || wait_for is_idle # what is written back still needs us
	echo 0 >/proc/fs/nfsd/threads
	[ ${#daemons[@]} = 0 ] || kill -KILL "${daemons[@]}"
	wait
	umount /proc/fs/nfsd
	umount "$root"
	rm -f "$2.log"
}
server_pid='' server_input=''
make_nfs() { # nfs3 or nfs42, IMAGE, DIR
	local line output how=softerr,timeo=600,retrans=2,proto=tcp,port=2049,addr=127.0.0.1 type=nfs4 source=127.0.0.1:/
	make_image "$2" && make_on ext4 "$2" || return
	later stop_nfs
	# the descriptors of a coproc are closed on exec: only this shell has them
	coproc server {
		exec setsid unshare --mount --propagation private --net --pid --fork --kill-child --mount-proc \
			"$BASH" -c "$(declare -f serve_nfs fail answers wait_for is_idle); serve_nfs \"\$@\"" serve_nfs "$1" "$2"
	}
	server_pid=$!
	server_input=${server[1]-}
	output=${server[0]-} # unset where it has ended already
	if [ -z "$output" ] || ! read -r -t 60 line <&"$output" || [ "$line" != ready ]; then
		why="the server fails at ${line:-its start} ($(tail -n 1 "$2.log" 2>/dev/null))"
		return 1
	fi
	# -i: without mount.nfs, its configuration, and rpc.statd. Soft: should the server be killed, nothing waits for ever.
	if [ "$1" = nfs3 ]; then
		type=nfs source=127.0.0.1:/run/export how+=,vers=3,nolock,mountproto=tcp,mountvers=3,mountport=20048,mountaddr=127.0.0.1
	else
		how+=,vers=4.2,clientaddr=127.0.0.1
	fi
	mkdir -p "$3" && later umount_from "$3" && try nsenter --net="/proc/$server_pid/ns/net" mount -i -t $type -o "$how" $source "$3"
}
# When its file system is unmounted.
stop_nfs() {
	[ -z "$server_input" ] || exec {server_input}>&-
	[ -z "$server_pid" ] || wait "$server_pid"
	server_pid='' server_input=''
}

# ---- The summary

made_by="Generated by run-all.sh; do not edit. Times are to be compared within a section only: each is of one machine."
# A fact that a report tells.
fact() { # CSV KEY
	sed -n "/^row,/q; s/^# $2: //p" "$1" | head -n 1
}
machine() { # CSV: that it was measured on
	local emulated='' memory
	[[ $(fact "$1" heading) != *", QEMU virtual machine, "* ]] || emulated="QEMU virtual machine: "
	memory=$(fact "$1" memory_bytes)
	[ -z "$memory" ] || memory="$(numfmt --to=iec-i --suffix=B --round=nearest -- "$memory" 2>/dev/null) of memory, "
	echo "$emulated$(fact "$1" cpu), $(fact "$1" cpus) CPUs, ${memory}Linux $(fact "$1" kernel)"
}
# The tables of run-all.sh in OUTDIR that can be read, this machine's first, a line each: machine, input, place in the order
# of file systems, name.
list_tables() {
	local csv name input place here machine
	here=$(machine "$scratch/probe.csv")
	for csv in *.csv; do
		[ -f "$csv" ] || continue
		name=${csv%.csv}
		if ! is_plain "$name"; then
			complain "$outdir/$csv: is not summed up: its name has more than letters, digits, dots, dashes and underscores, or begins with a dash"
			continue
		fi
		input=$(fact "$csv" run_all | sed -n 's/^size=[0-9]* input=\([a-z]*\) .*/\1/p')
		[ -n "$input" ] || continue
		if ! "$wb" --compare "$csv" >/dev/null 2>&1; then
			complain "$outdir/$csv: is not summed up: it is cut, or no table of write-bench"
			continue
		fi
		machine=$(machine "$csv")
		place=$(awk -v name="${name%-same}" '{ for (i = 1; i <= NF; i++) if ($i == name) print i }' <<<"$file_systems")
		printf '%s\t%s\t%s\t%02d\t%s\n' "$([ "$machine" = "$here" ] && echo 1 || echo 2)" "$machine" "$([ "$input" = tmpfs ] && echo 1 || echo 2)" \
			"${place:-99}" "$name"
	done | sort | cut -f2-
}
is_plain() { # NAME: no option, and nothing in Markdown
	[[ $1 != [-.]* && $1 != *[!A-Za-z0-9._-]* ]]
}
link() { # NAME: to those of its forms that there are, up to the last parenthesis
	local text=$1 picture=
	[ ! -f "$1.txt" ] || text="[$1]($1.txt)"
	[ ! -f "$1.svg" ] || picture="[picture]($1.svg), "
	echo "$text (${picture}[runs]($1.csv)"
}
markdown() { # TEXT: as it is, in Markdown
	sed 's/[[:cntrl:]]/?/g; s/[][\\`*|#]/\\&/g; s/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g' <<<"$1"
}
# A section of the summary: what is compared was measured on one machine, with the input in one place.
put_section() { # MACHINE INPUT PICTURE NAME...
	local machine=$1 where=$2 picture=$3 name
	shift 3
	printf '### %s\n\n' "$([ "$where" = 1 ] && echo "The input on tmpfs" || echo "The input on the same file system as the output")"
	compare svg "$@" >"$scratch/pictures/$picture"
	printf '![Rows by file systems, on %s](%s)\n\n' "$(markdown "$machine")" "$picture"
	for name; do
		printf -- '- %s): %s. %s\n' "$(link "$name")" "$(markdown "$(fact "$name.csv" heading)")" "$(markdown "$(fact "$name.csv" recommendation)")"
	done
	printf '\n'
	compare markdown "$@"
	printf '\n'
}
compare() { # FORMAT NAME...
	local format=$1
	shift
	"$wb" -f "$format" --compare "${@/%/.csv}" || incomplete=1
}
summarise() {
	local incomplete=0 machine last='' where number=0 tables sections others='' name
	tables=$(list_tables)
	sections=$(cut -f1,2 <<<"$tables" | uniq)
	[ -n "$sections" ] || return
	echo "# Results"
	echo
	echo "$made_by"
	echo
	while IFS=$'\t' read -r machine where; do
		if [ "$machine" != "$last" ]; then
			printf '## %s\n\n' "$(markdown "$machine")"
			number=$((number + 1))
			last=$machine
		fi
		mapfile -t chosen < <(awk -F'\t' -v machine="$machine" -v where="$where" '$1 == machine && $2 == where { print $4 }' <<<"$tables")
		put_section "$machine" "$where" "summary$([ $number = 1 ] || echo "-$number")$([ "$where" = 1 ] || echo "-same").svg" "${chosen[@]}"
	done <<<"$sections"
	for name in *.csv; do
		name=${name%.csv}
		if is_plain "$name" && [ -f "$name.txt" ] && [ -z "$(fact "$name.csv" run_all)" ]; then
			others+="- $(link "$name")): $(markdown "$(fact "$name.csv" heading)")"$'\n'
		fi
	done
	[ -z "$others" ] || printf '## Other tables\n\n%s' "$others"
	return $incomplete
}
# The pictures first, and those that there were before last, that no link is dead.
publish_summary() {
	local name file
	for name in "$scratch"/pictures/* "$scratch/README.md"; do
		if ! put "$name" "${name##*/}"; then
			complain "$outdir/${name##*/}: can't be written, or is not as this script has made it: no summary is made: use another -o"
			status=1
			return
		fi
	done
	echo "$outdir/README.md"
	for file in "$outdir"/summary{,-same}.svg "$outdir"/summary-[0-9]*.svg; do
		name=${file##*/}
		[ ! -e "$file" ] || [ -e "$scratch/pictures/$name" ] || ! is_ours "$name" || rm -f "$file"
	done
}

# ---- All of it

# On tmpfs: one of our own where we can mount it, at /dev/shm, so that its tables have one heading, but where that would hide
# what is wanted there.
make_input() {
	local memory=/dev/shm directory free
	if [ $namespaced = yes ]; then
		sweep $memory
		for directory in ${directories[@]+"${directories[@]}"} "$outdir" "$scratch" "$here"; do
			[[ $(realpath -m -- "$directory")/ != /dev/shm/* ]] || memory=$scratch/tmpfs
		done
		[ -d "$memory" ] || memory=$scratch/tmpfs
		free=$(awk '/^MemAvailable:/ { printf "%.0f", $2 * 1024 }' /proc/meminfo)
		[ "$free" -gt $((bytes * 2 + (64 << 20))) ] || die "-s $size: input and output on tmpfs take twice that, and $free bytes of memory are free: use a smaller -s"
		mkdir -p "$memory"
		try mount -t tmpfs -o "size=$((bytes * 2 + (64 << 20)))" tmpfs "$memory" || die "tmpfs: $why"
		later umount "$memory"
	elif [ "$(stat -f -c %T $memory 2>&1)" != tmpfs ]; then
		die "$memory: is no tmpfs, where the input is to be: mount one there"
	elif ! make_directory $memory; then
		die "$memory: can't be written to, where the input is to be: its mode is to be 1777"
	else
		memory=$own
		free=$(room "$memory")
		[ "$free" -ge $((bytes * 2)) ] || die "-s $size: input and output on tmpfs take twice that, and /dev/shm has $free bytes free: use a smaller -s"
	fi
	input=$memory/X
	"$wb" --generate="noise:$size" >"$input" || die "$input: can't be made"
}

make_directory "$(realpath -m "${TMPDIR:-/var/tmp}")" || die "${TMPDIR:-/var/tmp}: can't be written to: set TMPDIR to a directory that can"
scratch=$own
later rm -f "$outdir/.$mark.part"
if [ ! -f "$list" ]; then
	: >"$scratch/list"
	replace "$scratch/list" .run-all || die "$list: can't be written: use another -o"
fi
for part in "$outdir"/.write-bench-run.*.part; do
	name=${part##*/.}
	! is_left "${name%.part}" || rm -f "$part"
done

make_input
"$wb" -q -n1 -p0 -z 1 -s 'read+write 1k' -o "$scratch/probe.csv" <"$input" >"$scratch/probe" 2>"$scratch/err" \
	|| die "$wb: does not work here: $(tail -n 1 "$scratch/err")"
grep -E '^# (kernel|machine|cpu|cpus|memory_bytes|version): ' "$scratch/probe.csv" >"$scratch/machine"
[ -s "$scratch/machine" ] || die "$scratch: has no room for reports: set TMPDIR to where there is some"

level=${#undo[@]}
for name in $wanted; do
	measure_file_system "$name"
	undo_to "$level"
done
for directory in ${directories[@]+"${directories[@]}"}; do
	measure_directory "$directory"
	undo_to "$level"
done
mkdir "$scratch/pictures"
if ! (set -o pipefail && (cd "$outdir" && summarise) | cat >"$scratch/README.md"); then # cat tells of a full disk
	complain "the summary can't be made, or $scratch has no room for it"
	status=1
elif [ -s "$scratch/README.md" ]; then
	publish_summary
else
	complain "there is no table to sum up"
fi
exit $status
