#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs write-bench on every file system that this machine can make, mount and serve, or in the directories
# named, with the input on tmpfs and then on the same file system, where copy_file_range and reflinks work.
# Writes NAME.csv (every run), NAME.txt and NAME.svg of each, README.md and summary*.svg of all to OUTDIR, and
# prints a line for each table. OUTDIR is named after CPU and kernel: no machine's tables land on another's.
# It is new, empty, or made by this script: its list .run-all has the SHA-256 of each file. What is not in it,
# or has changed since, is never overwritten. One run at a time has it. File systems are made on sparse files in
# $TMPDIR (/var/tmp), one by one, and mounted in a private mount namespace. What outlives a SIGKILL is named after
# the process: the next run with the same $TMPDIR and directories removes it. Needs bash 4.4.
# Exit status: 0 all that is possible here was done; 1 something failed, or was asked for by name and is not
# possible here; 2 bad usage, or another run has OUTDIR; 128 + N stopped by signal N.
# shellcheck disable=SC2317 # it does not follow traps, undo_to and declare -f
set -u
unset CDPATH # else cd prints
export LC_ALL=C
# At once: without a trap bash drops a SIGINT that comes while it waits for a command. bash 5.2 may parse a trap as a part of the
# $(...) that it reads, which must end then; else exit comes first.
closing=$'\n)'
ending=([129]=HUP [130]=INT [131]=QUIT [138]=USR1 [140]=USR2 [142]=ALRM [143]=TERM [152]=XCPU [154]=VTALRM [155]=PROF [158]=PWR)
for code in "${!ending[@]}"; do
	trap 'exit '"$code$closing" "${ending[code]}"
done

# The file systems and what each needs: of the kernel as NAME:OPTION, commands as PACKAGE/COMMAND, mkfs first.
# To add one, add a row; where `mkfs IMAGE && mount -o loop` is not enough, also a case in make().
crypt="dmsetup/dmsetup cryptsetup-bin/cryptsetup dm-crypt:DM_CRYPT xts:CRYPTO_XTS"
nfs="util-linux/nsenter iproute2/ip network-namespaces:NET_NS nfs:NFS_FS nfsd:NFSD"
table="tmpfs
ext2    ext2:EXT2_FS       e2fsprogs/mkfs.ext2
ext3    ext3:EXT4_FS       e2fsprogs/mkfs.ext3
ext4    ext4:EXT4_FS       e2fsprogs/mkfs.ext4
xfs     xfs:XFS_FS         xfsprogs/mkfs.xfs
btrfs   btrfs:BTRFS_FS     btrfs-progs/mkfs.btrfs
f2fs    f2fs:F2FS_FS       f2fs-tools/mkfs.f2fs
overlay overlay:OVERLAY_FS e2fsprogs/mkfs.ext4
dmcrypt ext3:EXT4_FS       e2fsprogs/mkfs.ext3 $crypt
nfs3    ext4:EXT4_FS       e2fsprogs/mkfs.ext4 $nfs nfsv3:NFS_V3 rpcbind/rpcbind nfs-kernel-server/rpc.mountd
nfs42   ext4:EXT4_FS       e2fsprogs/mkfs.ext4 $nfs nfs4:NFS_V4 nfsv4.2:NFS_V4_2 nfsv4-server:NFSD_V4"
file_systems=$(cut -d' ' -f1 <<<"$table" | paste -sd ' ')

usage() {
	cat <<END
Usage: $0 [-a] [-f FS[,FS]...] [-s SIZE] [-o OUTDIR] [DIR...] [-- WRITE-BENCH-OPTION...]
  -f, --filesystems FS,...  only these, of: $file_systems
                            (dmcrypt: ext3 on dm-crypt; nfs3, nfs42: over loopback)
  -s, --size SIZE           bytes to copy, like 1000000, 64k, 1.5m, 4MiB, 1g; default 256m
  -o, --output OUTDIR       where the reports go; default results/CPU-KERNEL, here
                            $(default_outdir)
  -a, --again               measure again what has a table of this machine, size and options
  DIR...                    measure in these directories; without -f in no others
As root: by default all file systems. Else what needs no mount: this directory and tmpfs (/dev/shm).
Without WRITE-BENCH-OPTIONs: --with=cat.
END
}
default_outdir() {
	local cpu
	cpu=$(sed -n 's/^model name[[:space:]]*: //p; T; q' /proc/cpuinfo)
	cpu=$(sed 's/([A-Za-z]*)//g; s/ CPU\b//; s/ @ .*//' <<<"${cpu:-$(uname -m)}")
	printf 'results/%s' "$(tr -cs 'A-Za-z0-9._\n' - <<<"$cpu-$(uname -r)")"
}
complain() { # MESSAGE: always false
	local text="$0: $*"
	printf '%s\n' "${text//[[:cntrl:]]/?}" >&2 # no escape sequences from file names
	return 1
}
die() {
	complain "$*"
	exit 2
}

# ---- Options
here=$(cd -- "$(dirname -- "$0")" && pwd)
wb=$here/write-bench
arguments=("$@")
size=256m outdir=$(default_outdir) again=no wanted='' directories=()
while [ $# -gt 0 ]; do
	option=$1
	case $1 in
	--filesystems=* | --size=* | --output=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" && continue ;;
	-f | --filesystems) wanted+=" ${2-}" && shift ;;
	-s | --size) size=${2-} && shift ;;
	-o | --output) outdir=${2-} && shift ;;
	-a | --again) again=yes ;;
	-h | --help) usage && exit 0 ;;
	--) shift && break ;;
	-*) usage >&2 && die "$1: is no option" ;;
	*) directories+=("$1") ;;
	esac
	shift || { usage >&2 && die "$option: needs an argument"; }
done
options=("$@")
[ $# -gt 0 ] || options=(--with=cat)
PATH=$PATH:/usr/sbin:/sbin                           # for mkfs
[ -e /run/udev/control ] || export DM_DISABLE_UDEV=1 # else dmsetup waits for udev for ever
[ -x "$wb" ] || die "$wb: is not there: run make first"
"$wb" --list --size="$size" </dev/null >/dev/null 2>&1 \
	|| die "-s $size: is not a size from 1 byte on, like 1000000, 64k, 1.5m, 4MiB, 1g"
[ -n "$("$wb" "${options[@]}" --list </dev/null)" ] || die "${options[*]}: write-bench refuses these options"
read -ra given < <(sed -E 's/\b(crypt-ext3|ext3-dmcrypt|dm-crypt)\b/dmcrypt/g; s/\bnfsv3\b/nfs3/g
	s/\bnfsv?4\.2\b/nfs42/g; s/,/ /g' <<<"${wanted,,}")
asked= # the file systems asked for by name
for name in "${given[@]}"; do
	[[ " $file_systems " == *" $name "* ]] || die "-f $name: is none of: $file_systems"
	[[ " $asked " == *" $name "* ]] || asked+=" $name"
done
[ -z "$wanted" ] || [ -n "$asked" ] || die "-f: names no file system: use one of: $file_systems"
for name in "$outdir" "${TMPDIR:=/var/tmp}" "${directories[@]}"; do
	[[ $name != *[[:cntrl:]]* ]] \
		|| die "$name: has a newline or another control character in its name: use another directory"
done
[[ $outdir != -* ]] || outdir=./$outdir # else an option of cp or find
bytes=$(awk -v number="${size%%[!0-9.]*}" -v unit="${size##*[0-9.]} " 'BEGIN {
	bytes = int(number * (unit ~ /^.[bB] $/ ? 1000 : 1024) ^ index("kmgt", tolower(substr(unit, 1, 1))))
	if (bytes <= 2 ^ 60) printf "%.0f", bytes # several times as much must fit 64 bits
}')
[ -n "$bytes" ] || die "-s $size: is more than there can be room for"

# ---- OUTDIR
list=$outdir/.run-all
sum() { # FILE
	sha256sum <"$1" | cut -c1-64
}
is_ours() { # NAME...: is each not in OUTDIR, or as this script has put it there? Else that is in foreign.
	local file
	for foreign; do
		file=$outdir/$foreign
		[ -e "$file" ] || [ -L "$file" ] || continue
		[[ -f $file && ! -L $file ]] && grep -sqxF "$(sum "$file") $foreign" "$list" || return
	done
}
make_directories() { # DIR: new ones get the owner of their parent, not root, if called by sudo
	[ -d "$1" ] && return
	make_directories "$(dirname -- "$1")" && mkdir -- "$1" && chown --reference="$1/.." "$1" 2>/dev/null
}
holder=$outdir/.run-all.lock # names the owner of the lock, which is on the directory: a file in it could be replaced by a link
lock() { # for as long as we are there: what may outlive us is not to have it (9<&-)
	local pid='' since='another process' code
	{ exec 9<"$outdir"; } 2>/dev/null
	for _ in {1..10}; do # the other one may be about to say who it is, or to end
		flock -n 9 2>/dev/null && return
		code=$?
		[ $code = 1 ] || complain "$outdir: can't be locked, which takes flock of util-linux: use it once at a time" || return
		[ ! -f "$holder" ] || read -r pid since <"$holder"
		[ ! -e "/proc/${pid:-none}" ] || break
		sleep 0.1
	done
	die "$outdir: is in use by ${pid:+process $pid, since }$since: wait for its end, or use another -o"
}
make_directories "$outdir"
[[ -d $outdir && -w $outdir ]] || die "$outdir: can't be written to: use another -o"
file=$(find "$outdir/" -mindepth 1 -maxdepth 1 ! -name '.write-bench-run.*.part' ! -name .run-all.lock -print -quit)
[[ -z $file || -f $list && ! -L $list ]] || die "$outdir: has ${file##*/} in it, and was not made by this script:" \
	"use a new or empty directory for -o" # a run that was killed leaves a .part and .run-all.lock
for file in "$outdir"/*.{csv,txt,svg} "$outdir/README.md"; do
	[ ! -e "$file" ] || [ -f "$file" ] || die "$file: is no file: move it away, or use another -o"
done

# ---- A mount namespace of our own, in the same process
why_not= # empty: we can mount
mounts=$(readlink /proc/self/ns/mnt)
if [ "$(id -u)" != 0 ]; then
	why_not="only root can mount: use sudo $0"
elif [[ ${RUN_ALL_NAMESPACED-} != "$$ "* || $RUN_ALL_NAMESPACED == "$$ $mounts" ]]; then
	if why_not=$(unshare --mount true 2>&1); then
		export RUN_ALL_NAMESPACED="$$ $mounts"
		exec unshare --mount --propagation private "$BASH" "$0" "${arguments[@]}"
	fi
	why_not="no mount namespace is to be had: $why_not: root of a container needs CAP_SYS_ADMIN"
fi
unset RUN_ALL_NAMESPACED
wanted=$asked
if [ -z "$asked" ] && [ ${#directories[@]} = 0 ]; then
	wanted=$file_systems
	[ -z "$why_not" ] || directories=(.)
fi
files=(README.md summary{,-2}{,-same}.svg)
taken=" README " # names of tables
for name in $wanted; do
	files+=("$name"{,-same}.{csv,txt,svg})
	taken+="$name $name-same "
done

# ---- Cleaning up, also after a run that was killed
started() { # PID: when, field 22 of proc_pid_stat(5)
	sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20
}
namespace=$(readlink /proc/self/ns/pid | tr -dc 0-9)
mark=write-bench-run.$namespace-$$-$(started $$)
is_left() { # NAME: is it the mark of a run that is over?
	[[ $1 =~ ^write-bench-run\.$namespace-([0-9]+)-([0-9]+)(\.[A-Za-z0-9]{6})?$ ]] \
		&& [ "$(started "${BASH_REMATCH[1]}")" != "${BASH_REMATCH[2]}" ]
}
sweep() { # DIR: removes what such runs have left in it, and their mappings; loop devices vanish by themselves
	local left name
	for left in /sys/block/dm-*/dm/name; do
		name=$(cat "$left" 2>/dev/null)
		is_left "${name%-crypt}" && dmsetup remove --deferred "$name" && rm -f "/dev/mapper/$name"
	done
	for left in "$1"/write-bench-run.*; do
		is_left "${left##*/}" && [[ -d $left && ! -L $left && -O $left ]] \
			&& rm -rf --one-file-system "$left"
	done
}
child='' undo=() # a process to be ended; commands to be run, last first
later() {
	undo+=("$(printf '%q ' "$@")")
}
undo_to() { # N: all but the first N
	while [ ${#undo[@]} -gt "$1" ]; do
		eval "${undo[-1]}"
		unset 'undo[-1]'
	done
}
make_directory() { # IN: makes the directory $own there, numbered by its place in undo
	sweep "$1"
	printf -v own '%s/%s.%06d' "$1" "$mark" ${#undo[@]}
	later rm -rf --one-file-system "$own" # first: a signal may come between
	mkdir -m 700 "$own"
}
clean_up() {
	trap '' "${ending[@]}"
	kill -TERM "$child" 2>/dev/null && wait "$child"
	undo_to 0
}
trap clean_up EXIT
guard=() # children end with us, also when we are killed
! setpriv --pdeathsig TERM true 2>/dev/null || guard=(setpriv --pdeathsig TERM)

status=0
failing() { # MESSAGE: always false
	status=1
	complain "$*"
}
skip() { # NAME WHY: always false
	failing "$1: skipped: $2"
}
because() { # WHY: always false
	why=$1
	return 1
}
try() { # COMMAND...: if it fails, why has the most useful line of its messages
	local code
	"${guard[@]}" "$@" >"$tmp/err" 2>&1 </dev/null 9<&- && return
	code=$?
	because "$1 says $code ($(grep -m 1 -E "^(${1##*/}|mount|ERROR)" "$tmp/err" || head -n 1 "$tmp/err"))"
}
has_room() { # DIR BYTES WHAT-FOR REMEDY: or df does not know; else why
	local has
	has=$(df -P -B1 "$1" 2>/dev/null | awk 'NR == 2 { print $4 }')
	[[ -z $has || $has -ge $2 ]] || because "$1 has $has bytes free, and $3 $2: $4, or use a smaller -s"
}

# ---- Measuring
fact() { # CSV KEY: from the heading of a report
	sed -n "/^row,/q; s/^# $2: //p" "$1" | head -n 1
}
made() { # tmpfs|same: a line for the heading, how a table was made, and where: names may be the same
	echo "# run_all: size=$bytes input=$1 place=$(printf %q "$place")" \
		"options=$(printf '%q ' "${options[@]}")"
}
is_finished() { # NAME tmpfs|same: is there such a table of this machine, whole and without a failure?
	local csv=$outdir/$1.csv
	[ $again = no ] && [ -f "$csv" ] && grep -qxF "$(made "$2")" "$csv" \
		&& ! grep -qvxF -f "$csv" "$tmp/machine" && ! grep -Eq ',,(failed|mismatch)' "$csv" \
		&& "$wb" --compare "$csv" >/dev/null 2>&1
}
tables=() # that are made
measure() { # NAME tmpfs|same INPUT OUTPUT: makes a table in OUTDIR, unless it is finished
	local csv=$tmp/run.csv text=$outdir/$1.txt code=0 use failures form
	if is_finished "$1" "$2"; then # its other forms are made again
		use="is there already: -a measures it again"
		cp "$outdir/$1.csv" "$tmp/form.csv"
	else
		rm -f "$csv" # never take one of before for this one
		echo "$1: measuring, with the input on ${2/#same/the same file system}" >&2
		"${guard[@]}" "$wb" "${options[@]}" -q -o "$csv" <"$3" >"$4" 2>"$tmp/said" 9<&- &
		child=$! # while bash waits, it answers signals
		wait "$child"
		code=$?
		child=
		use=$(fact "$csv" recommendation 2>/dev/null)
		grep -vxF -e "$use" -e "Nothing is recommended." "$tmp/said" >&2 # errors remain
		rm -f "$4"
		[ -z "${ending[code]-}" ] || exit "$code"
		[[ $code -le 1 && -s $csv ]] || skip "$1" "write-bench has ended with status $code" || return
		failures=$(grep -Eo ',,(failed [A-Za-z0-9 ]+|mismatch)' "$csv" | sort | uniq -c | sort -rn \
			| sed -n '1s/.*,,//p')
		grep -Eq '^[^#].*,(ok|shared|untouched)(,|$)' "$csv" \
			|| skip "$1" "no row could be measured: ${failures:-none is possible here}" || return
		{ head -n 1 "$csv" && made "$2" && tail -n +2 "$csv"; } >"$tmp/form.csv"
	fi || skip "$1" "$tmp has no room for its report" || return
	"$wb" --compare "$tmp/form.csv" -o"$tmp"/form.{txt,svg} >/dev/null \
		|| skip "$1" "its report can't be made, or $tmp has no room for it" || return
	for form in csv txt svg; do # all, or none
		put "$tmp/form.$form" "$1.$form" || skip "$1" "$outdir/$1.$form: can't be written" || return
	done
	echo "$text${use:+: $use}"
	tables+=("$outdir/$1.csv")
	[ $code = 0 ] || failing "$1: a row failed or copied wrongly${failures:+ ($failures)}: see $text"
}
# Puts a file into OUTDIR, whole or not at all, and only over what is ours. The list gets its sum first, and
# keeps that of the old one until the next time: either file is ours whenever we are killed.
put() { # FILE NAME
	local old=
	is_ours "$2" || return
	[ ! -f "$outdir/$2" ] || old=$(sum "$outdir/$2")
	[ "$old" != "$(sum "$1")" ] || return 0
	{
		[ ! -f "$list" ] || awk -v name="$2" -v sum="$old" '$2 != name || $1 == sum' "$list"
		echo "$(sum "$1") $2"
	} | sort -k 2 >"$tmp/list" && replace "$tmp/list" .run-all && replace "$1" "$2"
}
replace() { # FILE NAME: owned by OUTDIR's owner, which may be any user, and may have put links there
	local part=$outdir/.$mark.part
	chown --reference="$outdir" "$1" 2>/dev/null
	cp -T --remove-destination --preserve=ownership "$1" "$part" && mv -fT "$part" "$outdir/$2"
}
measure_in() { # NAME DIR: with the input on tmpfs; then in DIR, unless that is on tmpfs, too
	has_room "$2" "$bytes" "a copy takes" "free some" || skip "$1" "$why" || return
	measure "$1" tmpfs "$input" "$2/Y"
	case $(stat -f -c %T "$2") in tmpfs | ramfs) return ;; esac
	if has_room "$2" $((bytes * 2)) "input and copy take" "free some" && try cp "$input" "$2/X" \
		&& try cmp "$input" "$2/X" && try sync "$2/X"; then # synced: no writeback while we measure
		measure "$1-same" same "$2/X" "$2/Y"
	else
		skip "$1-same" "the input can't be put into $2: $why"
	fi
	rm -f "$2/X"
}
is_free() { # NAME: is it no table of this run, of another place, or of anybody else?
	local table csv where
	where=" place=$(printf %q "$place") options="
	for table in "$1" "$1-same"; do
		[[ $taken != *" $table "* ]] || return
		is_ours "$table".{csv,txt,svg} || complain "$outdir/$foreign: is not as this script has made it, and stays:" \
			"the table of $place gets a number" || return
		csv=$outdir/$table.csv
		[ ! -f "$csv" ] || fact "$csv" run_all | grep -qF "$where" || return
	done
}

# ---- File systems
can_make() { # NAME NEED...: else why
	local need what option
	[ -z "$why_not" ] || because "$why_not" || return
	for need in "${@:2}" loop:BLK_DEV_LOOP; do
		what=${need%:*} option=CONFIG_${need#*:}
		why="this kernel has no $what: use one with $option"
		case $need in
		*/*) why="there is no ${need#*/}: install ${need%/*}" && command -v "${need#*/}" ;;
		loop:*) [ -e /dev/loop-control ] ;;
		dm-crypt:*) dmsetup targets | grep '^crypt ' ;;
		xts:*) grep -E '^name +: xts(\(aes\))?$' /proc/crypto ;;
		network-namespaces:*) unshare --net true ;;
		nfsv*) ! zcat -f /proc/config.gz "/boot/config-$(uname -r)" | grep "$option is not" ;;
		*) grep -w "$what" /proc/filesystems ;;
		esac >/dev/null 2>&1 || modprobe -q "$what" 2>/dev/null || return
	done
}
make() { # NAME DIR: mounts a new file system of input, output and own size there; else why
	local enter=() below=$tmp/below mkfs=("${row[2]#*/}" -q -f)
	[[ ${mkfs[0]} != mkfs.ext* ]] || mkfs=("${mkfs[0]}" -q -F -E "lazy_itable_init=0,lazy_journal_init=0")
	later rm -f "$image"
	try truncate -s $((bytes * 9 / 4 + (512 << 20))) "$image" || return
	[ "$1" = dmcrypt ] || try "${mkfs[@]}" "$image" || return
	case $1 in
	overlay)
		mount_at "$below" -t ext4 -o loop "$image" && mkdir "$below"/{lower,upper,work} || return
		enter=(env --chdir="$below") # no trouble with characters in its name
		mount_at "$2" -t overlay -o lowerdir=lower,upperdir=upper,workdir=work overlay
		;;
	dmcrypt) make_crypt "$2" ;;
	nfs*) make_nfs "$1" "$2" ;;
	*) mount_at "$2" -t "$1" -o loop "$image" ;;
	esac
}
mount_at() { # DIR MOUNT-ARGUMENT...
	mkdir -p "$1" && later unmount "$1" && try "${enter[@]}" mount "${@:2}" "$1" && try mountpoint -q "$1"
}
unmount() { # DIR
	! mountpoint -q "$1" || umount "$1" 2>/dev/null || umount -l "$1"
	rmdir "$1"
}

# ext3 on dm-crypt, with a random key. The mapping, and the loop device that cryptsetup makes,
# vanish when nothing has the mapping open, also when we are killed: neither this shell, nor its mount.
make_crypt() { # DIR
	local name=$mark-crypt device=/dev/mapper/$mark-crypt held
	try cryptsetup open --type plain --cipher aes-xts-plain64 --key-size 512 --key-file /dev/urandom \
		"$image" "$name" || return
	exec {held}<"$device" && later eval "exec $held<&-" && dmsetup remove --deferred "$name"
	[ -b "$device" ] || try dmsetup mknodes "$name" # where dmsetup removes the node, not udev
	later rm -f "$device"
	try "${mkfs[@]}" "$device" && mount_at "$1" -t ext3 "$device" || return
	[ -e /run/udev/control ] || rm -f "$device" # at once: it would stay there if we were killed
}

# NFS over loopback: the kernel serves an ext4. A shell sets the server up, in a network, mount and PID
# namespace of its own: the machine's server is not touched, and what the shell starts ends with it. It writes
# the files that rpc.nfsd and rpc.mountd do (exports(5), Linux fs/nfsd/nfsctl.c). For v3 rpc.mountd gives the
# first file handle, which takes rpcbind; for v4 nfsdcld says that no earlier clients are to be waited for.
wait_for() { # SECONDS CONDITION
	timeout -s KILL "$1" "$BASH" -c "until $2; do sleep 0.1; done" 2>/dev/null
}
serve_nfs() { # nfs3|nfs42 IMAGE: prints "ready", or the command that failed; ends with its input
	local rpc=/proc/self/net/rpc nfsd=/proc/fs/nfsd never=2147483647 versions="-3 +4 -4.0 -4.1 +4.2"
	local flags=$((0x2 | 0x10 | 0x400 | 0x2000)) # NFSEXP_INSECURE_PORT, _ASYNC, _NOSUBTREECHECK, _FSID
	trap '' HUP INT TERM PIPE
	trap 'echo "$BASH_COMMAND"; exit 1' ERR
	exec 2>"$2.log"
	ip link set lo up
	mount -t tmpfs -o mode=755 tmpfs /run
	mkdir -p /run/export /run/lib /run/rpcbind /run/pipefs /run/cld
	mount -o loop -t ext4 "$2" /run/export
	mount -t nfsd nfsd "$nfsd"
	if [ "$1" = nfs3 ]; then
		versions="+3 -4"
		mount --bind /run/lib /var/lib/nfs
		touch /run/lib/{etab,rmtab}
		[ ! -e /etc/nfs.conf ] || mount --bind /dev/null /etc/nfs.conf
		rpcbind -f <&- >&2 &
		wait_for 10 '(: <>/dev/tcp/127.0.0.1/111)'
	elif command -v nfsdcld >&2 && mount -t rpc_pipefs rpc_pipefs /run/pipefs; then
		nfsdcld -F -p /run/pipefs -s /run/cld <&- >&2 &
		wait_for 10 "grep -qs ^inotify /proc/$!/fdinfo/{4..9}" || : # the kernel waits for 1 s only
	fi
	echo "nfsd 127.0.0.1 $never loopback" >"$rpc"/auth.unix.ip/channel
	echo "loopback /run/export $never $flags 65534 65534 0" >"$rpc"/nfsd.export/channel
	printf 'loopback 1 \\x00000000 %s /run/export\n' "$never" >"$rpc"/nfsd.fh/channel
	echo "-2" >"$nfsd"/versions || : # newer kernels don't know it
	echo "$versions" >"$nfsd"/versions
	echo 10 | tee "$nfsd"/nfsv4{lease,grace}time >&2 || :
	echo "tcp 2049" >"$nfsd"/portlist
	echo 8 >"$nfsd"/threads
	if [ "$1" = nfs3 ]; then
		exportfs -i -o rw,async,insecure,no_root_squash,no_subtree_check,fsid=0 127.0.0.1:/run/export
		rpc.mountd -F -p 20048 -N 4 <&- >&2 &
		wait_for 10 '(: <>/dev/tcp/127.0.0.1/20048)'
	else
		echo Y >"$nfsd"/v4_end_grace || :
	fi
	echo ready
	read -r _ || :
	wait_for 30 '! grep -q ^v /proc/self/net/nfsfs/volumes' || : # a client that writes back
	echo 0 >"$nfsd"/threads
}
make_nfs() { # nfs3|nfs42 DIR
	local line how=softerr,timeo=600,retrans=2,proto=tcp,port=2049,addr=127.0.0.1
	coproc server { # only this shell has its descriptors: they are closed on exec, or when we are killed
		exec setsid unshare -m --propagation private --net --pid --fork --kill-child --mount-proc \
			"$BASH" -c "$(declare -f serve_nfs wait_for); serve_nfs $1 $(printf %q "$image")" 9<&-
	}
	later eval "exec ${server[1]-9}>&-; wait $!"
	enter=(nsenter --net="/proc/$!/ns/net")
	{ [ -n "${server[0]-}" ] && read -r -t 60 line <&"${server[0]}" && [ "$line" = ready ]; } \
		|| because "the server fails at ${line:-its start} ($(tail -n 1 "$image.log" 2>&1))" || return
	# -i: without mount.nfs, its configuration, and rpc.statd. Soft: never to wait for a dead server.
	if [ "$1" = nfs3 ]; then
		how+=,vers=3,nolock,mountproto=tcp,mountvers=3,mountport=20048,mountaddr=127.0.0.1
		mount_at "$2" -i -t nfs -o "$how" 127.0.0.1:/run/export
	else
		mount_at "$2" -i -t nfs4 -o "$how,vers=4.2,clientaddr=127.0.0.1" 127.0.0.1:/
	fi
}

# ---- The summary
machine() { # CSV: that it was measured on
	local text='' memory
	[[ $(fact "$1" heading) != *", QEMU virtual machine, "* ]] || text="QEMU virtual machine: "
	text+="$(fact "$1" cpu), $(fact "$1" cpus) CPUs, "
	memory=$(fact "$1" memory_bytes)
	[ -z "$memory" ] || text+="$(numfmt --to=iec-i --suffix=B --round=nearest -- "$memory") of memory, "
	echo "${text}Linux $(fact "$1" kernel)"
}
is_plain() { # NAME: no option, and nothing in Markdown
	[[ $1 != [-.]* && $1 != *[!A-Za-z0-9._-]* ]]
}
item() { # NAME: an item of a list, with links to those of its forms that there are
	local text=$1 picture=
	[ ! -f "$1.txt" ] || text="[$1]($1.txt)"
	[ ! -f "$1.svg" ] || picture="[picture]($1.svg), "
	echo "- $text (${picture}[runs]($1.csv)): $(markdown "$(fact "$1.csv" heading)")"
}
markdown() { # TEXT: as it is, in Markdown
	sed 's/[[:cntrl:]]/?/g; s/[][\\`*|#]/\\&/g; s/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g' <<<"$1"
}
# The sections, this machine's first, a line each: machine, 0 for the input on tmpfs or 1 for the same file
# system, and names, in the order of file_systems.
list_sections() {
	local csv name input elsewhere same before
	for csv in *.csv; do
		name=${csv%.csv}
		[ -f "$csv" ] || continue
		is_plain "$name" || complain "$outdir/$csv: is not summed up: its name has more than" \
			"letters, digits, dots, dashes and underscores, or begins with a dash" || continue
		input=$(fact "$csv" run_all | sed -n 's/^size=[0-9]* input=\([a-z]*\) .*/\1/p')
		[ -n "$input" ] || continue # none of ours
		"$wb" --compare "$csv" >/dev/null 2>&1 || complain "$outdir/$csv: is not summed up:" \
			"it is cut, or no table of write-bench" || continue
		elsewhere=0 same=0
		[ "$(machine "$csv")" = "$(machine "$tmp/probe.csv")" ] || elsewhere=1
		[ "$input" = tmpfs ] || same=1
		before=" $file_systems "
		before=${before%%" ${name%-same} "*}
		printf '%s\t%s\t%s\t%03d\t%s\n' $elsewhere "$(machine "$csv")" $same ${#before} "$name"
	done | sort | awk -F'\t' '
		$2 FS $3 != section { section = $2 FS $3; printf "%s%s\t", (NR > 1 ? "\n" : ""), section }
		{ printf "%s ", $5 }'
}
summarise() { # nothing where there is no table; fails where one can't be read
	local sections machine same names last='' number=0 title picture others name
	sections=$(list_sections)
	[ -n "$sections" ] || return 0
	printf '# Results\n\nGenerated by run-all.sh; do not edit. %s\n\n' \
		"Times are to be compared within a section only: each is of one machine."
	while IFS=$'\t' read -r machine same names; do
		if [ "$machine" != "$last" ]; then
			printf '## %s\n\n' "$(markdown "$machine")"
			number=$((number + 1)) last=$machine
		fi
		picture=summary title="The input on tmpfs"
		[ $number = 1 ] || picture+=-$number
		[ "$same" = 0 ] || picture+=-same title="The input on the same file system as the output"
		read -ra names <<<"$names"
		"$wb" -f svg --compare "${names[@]/%/.csv}" >"$tmp/pictures/$picture.svg" || return
		printf '### %s\n\n![Rows by file systems, on %s](%s.svg)\n\n' "$title" \
			"$(markdown "$machine")" "$picture"
		for name in "${names[@]}"; do
			echo "$(item "$name"). $(markdown "$(fact "$name.csv" recommendation)")"
		done
		printf '\n<details><summary>All rows, a column for each file system</summary>\n\n'
		"$wb" -f markdown --compare "${names[@]/%/.csv}" || return
		printf '\n</details>\n\n'
	done <<<"$sections"
	others=$(for name in *.csv; do
		name=${name%.csv}
		is_plain "$name" && [ -f "$name.txt" ] && [ -z "$(fact "$name.csv" run_all)" ] && item "$name"
	done)
	[ -z "$others" ] || printf '## Other tables\n\n%s\n' "$others"
}

conclude() { # CSV: a line of the last summary
	local row cat
	row=$(fact "$1" recommended)
	cat=$(fact "$1" recommendation | grep -oE '([0-9.]+ times as fast as|not distinguishable from) cat\b')
	[ -n "$cat" ] || ! fact "$1" recommendation | grep -q '\bcat\b.*: mostly start-up' || cat="cat is mostly start-up"
	[ -n "$cat" ] || ! grep -q '^\$ cat,.*,shared,' "$1" || cat="cat shares blocks"
	echo "$(basename -- "$1" .csv): ${row:-nothing is recommended}${cat:+, $cat}"
}

# ---- All of it
lock
make_directory "$(realpath -m -- "$TMPDIR")" \
	|| die "$TMPDIR: can't be written to: set TMPDIR to a directory that can"
tmp=$own
later rm -f "$outdir/.$mark.part" "$holder"
{ printf '%s %(%F %T)T\n' $$ -1 >"$tmp/lock" && replace "$tmp/lock" "${holder##*/}"; } \
	|| die "$holder: can't be written: make room, or use another -o"
for file in "$outdir"/.write-bench-run.*.part; do
	name=${file##*/.}
	! is_left "${name%.part}" || rm -f "$file"
done
for name in "${files[@]}"; do # all of them: two runs at once, which an earlier version allowed, have left several
	is_ours "$name" || complain "$outdir/$name: is not as this script has made it: move it away, or use another -o" \
		|| status=2
done
[ $status = 0 ] || exit $status

# The input is on tmpfs: where we can, one of our own on /dev/shm, unless that hides what is needed there.
memory=/dev/shm
large=$((bytes * 2 + (64 << 20)))
too_large="-s $size: input and output on tmpfs take twice that"
if [ -z "$why_not" ]; then
	sweep $memory
	[ -d $memory ] || memory=$tmp/tmpfs
	for directory in "${directories[@]}" "$outdir" "$tmp" "$here"; do
		[[ $(realpath -m -- "$directory")/ != /dev/shm/* ]] || memory=$tmp/tmpfs
	done
	free=$(awk '/^MemAvailable:/ { printf "%.0f", $2 * 1024 }' /proc/meminfo)
	[ "$free" -gt $large ] || die "$too_large, and $free bytes of memory are free: use a smaller -s"
	mkdir -p "$memory"
	try mount -t tmpfs -o size=$large tmpfs "$memory" || die "tmpfs: $why"
	later umount "$memory"
else
	[ "$(stat -f -c %T $memory 2>&1)" = tmpfs ] || die "$memory: is no tmpfs: mount one, for the input"
	make_directory $memory || die "$memory: can't be written to, for the input: its mode is to be 1777"
	memory=$own
	has_room "$memory" $((bytes * 2)) "they take" "free some" || die "$too_large: $why"
fi
input=$memory/X
"$wb" --generate="noise:$size" >"$input" 9<&- || die "$input: can't be made"

{ "$wb" -q -n1 -p0 -z 1 -s 'read+write 1k' -o "$tmp/probe.csv" <"$input" >"$tmp/X" 2>"$tmp/err" \
	&& grep -E '^# (kernel|machine|cpu|cpus|memory_bytes|version): ' "$tmp/probe.csv" >"$tmp/machine"; } \
	|| die "$wb: does not work here, or $tmp has no room for reports: $(tail -n 1 "$tmp/err")"
level=${#undo[@]}
for name in $wanted; do
	undo_to "$level"
	place=$name image=$tmp/$name.img
	read -ra row <<<"$(grep "^$name " <<<"$table")"
	if [ "$name" = tmpfs ]; then # mounted already, for the input
		measure tmpfs tmpfs "$input" "${input%/*}/Y"
	elif is_finished "$name" tmpfs && is_finished "$name-same" same; then # no need to make it
		measure "$name" tmpfs
		measure "$name-same" same
	elif ! can_make "${row[@]}"; then
		complain "$name: skipped: $why"
		[[ " $asked " != *" $name "* ]] || status=1
	elif has_room "$tmp" $((bytes * 9 / 4 + (128 << 20))) "it takes" "set TMPDIR to where there is more" \
		&& make "$name" "$tmp/$name"; then
		measure_in "$name" "$tmp/$name"
	else
		skip "$name" "$why"
	fi
done
for directory in "${directories[@]}"; do # its table has its name, with a number where that is taken
	undo_to "$level"
	{ [ -d "$directory" ] && make_directory "$directory"; } \
		|| skip "$directory" "name a directory that is there and can be written to" || continue
	place=$(cd "$directory" && pwd -P)
	base=$(cd "$directory" && basename "$PWD" | tr -c 'A-Za-z0-9._\n-' _)
	[[ $base != [-.]* && $base != summary* ]] || base=_$base # no option, not hidden, no picture
	name=$base number=1
	until is_free "$name"; do
		name=$base-$((++number))
	done
	taken+="$name $name-same "
	measure_in "$name" "$own"
done
undo_to "$level"

for i in "${!tables[@]}"; do
	{ [ -f "${tables[i]}" ] && is_ours "${tables[i]##*/}"; } \
		|| failing "${tables[i]}: has been removed or replaced meanwhile" || unset "tables[i]"
done
mkdir "$tmp/pictures"
(set -o pipefail && (cd "$outdir" && summarise) | cat >"$tmp/README.md") \
	|| failing "the summary can't be made, or $tmp has no room for it" || exit # cat fails on a full disk
[ -s "$tmp/README.md" ] || complain "there is no table to sum up" || exit $status
for file in "$tmp"/pictures/* "$tmp/README.md"; do # pictures first: so no link is dead
	name=${file##*/}
	put "$file" "$name" || failing "$outdir/$name: can't be written, or is not as this script has" \
		"made it: no summary is made: use another -o" || exit
done
echo "$outdir/README.md"
for file in "$outdir"/summary{,-same}.svg "$outdir"/summary-[0-9]*.svg; do # remove those no longer needed
	name=${file##*/}
	[ -e "$tmp/pictures/$name" ] || ! is_ours "$name" || rm -f "$file"
done
for file in "${tables[@]}"; do
	conclude "$file"
done
exit $status
