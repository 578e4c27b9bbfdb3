#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs write-bench on every file system that this machine can make, mount and serve, or in the directories
# named, with the input on tmpfs and then on the same file system, where copy_file_range and reflinks work.
# Writes NAME.csv (every run), NAME.txt and NAME.svg of each, README.md and summary*.svg of all to OUTDIR, and
# prints a line for each table. OUTDIR is named after CPU and kernel: no machine's tables land on another's.
# It is new, empty, or made by this script: .run-all lists the files made there, and no other file is overwritten.
# Only one run at a time uses it. File systems are made on sparse files in $TMPDIR (/var/tmp), one by one, and
# mounted in a private mount namespace. Needs bash 4.4.
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

# The file systems and what each needs: of the kernel as NAME:OPTION, commands as PACKAGE/COMMAND, mkfs first; or
# one of several, with | between them. To add one, add a row; where `mkfs IMAGE && mount -o loop` is not enough, also a
# case in make(). Those behind nfs42 are made by name alone: they are slow, and measured until the output is closed.
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
nfs42   ext4:EXT4_FS       e2fsprogs/mkfs.ext4 $nfs nfs4:NFS_V4 nfsv4.2:NFS_V4_2 nfsv4-server:NFSD_V4
vfat    vfat:VFAT_FS       dosfstools/mkfs.vfat
exfat   exfat:EXFAT_FS|exfat-fuse/mount.exfat-fuse exfatprogs/mkfs.exfat
ntfs    ntfs3:NTFS3_FS|fuse:FUSE_FS ntfs-3g/mkfs.ntfs
fuse    ext4:EXT4_FS       e2fsprogs/mkfs.ext4 fuse:FUSE_FS bindfs/bindfs
sshfs   ext4:EXT4_FS       e2fsprogs/mkfs.ext4 fuse:FUSE_FS sshfs/sshfs openssh-server/sshd openssh-client/ssh-keygen
gocryptfs ext4:EXT4_FS     e2fsprogs/mkfs.ext4 fuse:FUSE_FS gocryptfs/gocryptfs
smb     ext4:EXT4_FS       e2fsprogs/mkfs.ext4 cifs:CIFS samba/smbd cifs-utils/mount.cifs"
file_systems=$(cut -d ' ' -f 1 <<<"$table" | tr '\n' ' ')
file_systems=${file_systems% }
slow=" vfat ${file_systems##* vfat } "
by_default=${file_systems%% vfat *}
by_default=${by_default/tmpfs/tmpfs tmpfs+huge=within_size}
by_default=${by_default/ ext4/ ext4 ext4+noauto_da_alloc}

usage() {
	cat <<END
Usage: $0 [-a] [-f FS[+OPTION]...[,...]] [-s SIZE[,SIZE]...] [-o OUTDIR] [--input=DIR|fs:FS] [DIR...] [-- WRITE-BENCH-OPTION...]
  -f, --filesystems FS,...  only these, or all:
                            $file_systems
                            dmcrypt: ext3 on dm-crypt; nfs3, nfs42: over loopback; fuse: bindfs. Those from vfat on by name
                            alone: until the output is closed, 64m unless -s says otherwise. After a + an option of mount,
                            as in ext4+noauto_da_alloc, or arguments of mkfs, as in xfs+mkfs:-m:reflink=0
  -s, --size SIZE,...       bytes to copy, like 64k, 1.5m, 4MiB, 1g; default 256m. Several: tables by size
  -o, --output OUTDIR       directory for the reports; default $(default_outdir)
      --input DIR           a third table for each, with the input in that directory, on another disk;
                            fs:FS, as in fs:ext4: on such a file system, made for it
  -a, --again               measure again what has a table of this machine, size and options
      --summary             measure nothing: compare the tables of OUTDIRs of several kernels, DIR...; -o results/kernels
  DIR...                    measure in these directories; without -f in no others
As root: all file systems by default; else this directory, and tmpfs (/dev/shm). WRITE-BENCH-OPTION: default --with=cat.
END
}
default_outdir() {
	local cpu
	cpu=$(sed -n 's/^model name[[:space:]]*: //; T; s/([A-Za-z]*)//g; s/ CPU\b//; s/ @ .*//; p; q' /proc/cpuinfo)
	printf 'results/%s' "$(tr -cs 'A-Za-z0-9._\n' - <<<"${cpu:-$(uname -m)-$(uname -n)}-$(uname -r)")"
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

{ numfmt --from=auto 1K && realpath -m / && flock --version && mountpoint --version && rm -f --one-file-system; } >/dev/null 2>&1 \
	|| die "needs GNU coreutils and util-linux (numfmt, realpath -m, flock, mountpoint, rm --one-file-system): busybox is not enough"

# ---- A mount namespace of our own, in the same process
for name in "$@" "${TMPDIR-}" "$PWD"; do
	[ -e "${name#--*=}/." ] || : # what is mounted when it is looked at (autofs) is not mounted in a namespace
done
why_not= # empty: we can mount
if [ $EUID != 0 ]; then
	why_not="only root can mount: use sudo $0"
elif [ "${RUN_ALL_NAMESPACED-}" != $$ ]; then
	if why_not=$(unshare --mount true 2>&1); then
		export RUN_ALL_NAMESPACED=$$
		exec unshare --mount --propagation private "$BASH" "$0" "$@"
	fi
	why_not="no mount namespace is to be had: $why_not: root of a container needs CAP_SYS_ADMIN"
fi

# ---- Options
here=$(cd -- "$(dirname -- "$0")" && pwd)
wb=$here/write-bench
size=256m default=yes from='' outdir='' again=no summary=no wanted='' directories=()
while [ $# -gt 0 ]; do
	option=$1
	case $1 in
	--filesystems=* | --size=* | --output=* | --input=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" && continue ;;
	-f | --filesystems) wanted+=" ${2-}" && shift ;;
	-s | --size) size=${2-} default=no && shift ;;
	-o | --output) outdir=${2-} && shift ;;
	--input) from=${2-} && shift ;;
	-a | --again) again=yes ;;
	--summary) summary=yes ;;
	-h | --help) usage && exit 0 ;;
	--) shift && break ;;
	-*) usage >&2 && die "unknown option $1" ;;
	*) directories+=("$1") ;;
	esac
	shift || { usage >&2 && die "$option: needs an argument"; }
done
if [ $summary = yes ]; then
	[ ${#directories[@]} -gt 0 ] || die "--summary: name directories with tables of this script"
	for name in "${directories[@]}"; do
		[ -d "$name" ] || die "$name: is not a directory: --summary takes those with tables of this script"
	done
	outdir=${outdir:-results/kernels} why_not="nothing is to be mounted"
fi
outdir=${outdir:-$(default_outdir)}
options=("$@")
for option; do
	case $option in
	-[fgoz]* | -[alqv]*[fgoz]* | --output* | --format* | --size* | --generate* | --from* | --into* | --send* | --compare*)
		die "-- $option: is not possible: this script chooses input, output, sizes and reports"
		;;
	esac
done
[ $# -gt 0 ] || options=(--with=cat)
PATH=$PATH:/usr/sbin:/sbin                           # for mkfs
[ -e /run/udev/control ] || export DM_DISABLE_UDEV=1 # else dmsetup waits for udev for ever
[ -x "$wb" ] || die "$wb: is not there: run make first"
"$wb" --list --size="$size" </dev/null >/dev/null 2>&1 \
	|| die "-s $size: is not a size from 1 byte on, like 1000000, 64k, 1.5m, 4MiB, 1g, or a list of them"
[ -n "$("$wb" "${options[@]}" --list </dev/null)" ] || die "${options[*]}: write-bench refuses these options"
read -ra given <<<"${wanted//,/ }"
[[ ${given[*]} != all ]] || read -ra given <<<"$by_default $slow"
parse() { # FS+OPTION...: sets parsed to it with the name in the table
	local kind=${1%%+*} more=${1#"${1%%+*}"}
	kind=${kind,,}
	[[ " $file_systems " == *" $kind "* ]] || die "-f $1: is not one of: $file_systems"
	[[ $more =~ ^(\+[A-Za-z0-9_][A-Za-z0-9_.=:%-]*)*$ && $more+ != *+mkfs:+* && $more != *::* ]] \
		|| die "-f $1: can't be parsed: use FS+OPTION, or FS+mkfs:ARGUMENT:ARGUMENT"
	parsed=$kind$more
}
asked= # the file systems asked for by name
for name in "${given[@]}"; do
	parse "$name"
	[[ " $asked " == *" $parsed "* ]] || asked+=" $parsed"
done
tag= # in names of tables whose input is there
case $from in
'') ;;
fs:*) parse "${from#fs:}" && tag=$parsed ;;
*)
	[[ -d $from && -w $from ]] || die "--input=$from: name a directory that is there and can be written to, or fs:FS"
	tag=$(cd -- "$from" && basename -- "$PWD" | tr -c 'A-Za-z0-9._\n-' _)
	;;
esac
[ -z "$wanted" ] || [ -n "$asked" ] || die "-f: names no file system: use one of: $file_systems"
for name in "$outdir" "${TMPDIR:=/var/tmp}" "$from" "${directories[@]}"; do
	[[ $name != *[[:cntrl:]]* ]] \
		|| die "$name: has a newline or another control character in its name: use another directory"
done
[[ $outdir != -* ]] || outdir=./$outdir # else an option of cp or find
sizes=${size^^}
sizes=$(sed -E 's/([KMGT])(IB?)?$/\1i/; s/B$//' <<<"${sizes//,/$'\n'}" | numfmt --from=auto --round=nearest | sort -nu)
[ "${sizes##*$'\n'}" -lt $((1 << 60)) ] 2>/dev/null || die "-s $size: is more than there can be room for"
bytes=${sizes##*$'\n'} sizes=${sizes//$'\n'/,} by_size=()
[ "$sizes" = "$bytes" ] || by_size=(-z "$sizes")

# ---- OUTDIR
list=$outdir/.run-all # the names of files that this script has made there
declare -A ours=()
is_ours() { # NAME: has this script made it in OUTDIR, or is it not there?
	local file=$outdir/$1
	[[ ! -e $file && ! -L $file ]] || [[ -f $file && ! -L $file && -n ${ours[$1]-} ]]
}
make_directories() { # DIR: new ones get the owner of their parent, not root, if called by sudo
	[ -d "$1" ] && return
	make_directories "$(dirname -- "$1")" && mkdir -- "$1" && chown --reference="$1/.." "$1"
} 2>/dev/null
make_directories "$outdir"
[[ -d $outdir && -w $outdir ]] || die "$outdir: can't be written to: use another -o"
exec 9<"$outdir"
flock -n 9 || die "$outdir: is in use by another run, or there is no flock: wait for its end, or use another -o"
file=$(find "$outdir/" -mindepth 1 -maxdepth 1 ! -name '.part.*' -print -quit)
[[ -z $file || -f $list && ! -L $list ]] || die "$outdir: has ${file##*/} in it, and was not made by this script:" \
	"use a new or empty directory for -o"
if [ -f "$list" ]; then
	while read -r name; do
		[ -z "$name" ] || ours[${name##* }]=yes # an earlier version wrote a checksum before it
	done <"$list"
fi

wanted=$asked
if [ -z "$asked" ] && [ ${#directories[@]} = 0 ]; then
	wanted=$by_default
	[ -z "$why_not" ] || directories=(.)
fi
taken= # names of tables
for name in README summary $wanted; do
	taken+=" $name $name-same $name-from-$tag "
	for file in "$name"{,-same,-from-"$tag"}.{csv,txt,svg,md}; do
		is_ours "$file" || die "$outdir/$file: was not made by this script: move it away, or use another -o"
	done
done

# ---- Cleaning up
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
make_directory() { # IN: makes the directory $own there
	own=$(realpath -m -- "$1")/write-bench-run.$$-$(date +%s%N)
	later rm -rf --one-file-system "$own" # first: a signal may come between
	mkdir -m 700 "$own" 2>/dev/null
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
because() { # WHY: always false
	why=$1
	return 1
}
try() { # COMMAND...: in a directory of our own, so that no argument names a file of the user's; if it fails, why has
	local code # the most useful line of its messages
	(cd "$tmp" && exec "${guard[@]}" "$@") >"$tmp/err" 2>&1 </dev/null && return
	code=$?
	because "$1 says $code ($(grep -a -m 1 -E "^(${1##*/}|mount|ERROR)" "$tmp/err" || head -n 1 "$tmp/err"))"
}
free_memory() { # bytes
	awk '/^MemAvailable:/ { printf "%.0f", $2 * 1024 }' /proc/meminfo
}
has_room() { # DIR BYTES WHAT-FOR REMEDY: or df does not know; else why
	local has
	has=$(df -P -B1 "$1" 2>/dev/null | awk 'NR == 2 { print $4 }')
	[[ -z $has || $has -ge $2 ]] || because "$1 has $has bytes free, and $3 $2: $4, or use a smaller -s"
}

# ---- Measuring
made() { # tmpfs|same: a line for the heading, how a table was made, and where: names may be the same
	echo "# run_all: size=$sizes input=$1 place=$(printf %q "$place")" \
		"options=$(printf '%q ' "${options[@]}")"
}
is_finished() { # NAME tmpfs|same: is there such a table of this machine, whole and without a failure?
	local csv=$outdir/$1.csv
	[[ $again = no && -f $csv && -f $outdir/$1.txt && -f $outdir/$1.svg ]] && grep -qxF "$(made "$2")" "$csv" \
		&& ! grep -qvxF -f "$csv" "$tmp/machine" && ! grep -Eq ',,(failed|mismatch)' "$csv" \
		&& "$wb" --compare "$csv" >/dev/null 2>&1
}
measure() { # NAME tmpfs|same|from:TAG INPUT OUTPUT: makes a table in OUTDIR, unless it is finished
	local csv=$tmp/run.csv text=$outdir/$1.txt code answer where=${2#from:}
	if is_finished "$1" "$2"; then
		echo "$text: is there already: -a measures it again"
		return
	fi
	rm -f "$csv" # never take one of before for this one
	echo "$1: measuring, with the input on ${where/#same/the same file system}" >&2
	"${guard[@]}" "$wb" "${options[@]}" "${by_size[@]}" -q -o "$csv" <"$3" >"$4" 2>"$tmp/said" &
	child=$! # while bash waits, it answers signals
	{ wait "$child"; } 2>/dev/null # else bash tells of a signal
	code=$?
	child=
	"$wb" -q --compare "$csv" >"$tmp/answer" 2>/dev/null # the row to use, or those by size; and what failed
	grep -vxF -f "$tmp/answer" "$tmp/said" >&2           # errors remain
	rm -f "$4"
	[ -z "${ending[code]-}" ] || exit "$code"
	[[ $code -le 1 && -s $csv ]] || failing "$1: skipped: write-bench has ended with status $code" || return
	grep -Eq '^[^#].*,(ok|shared|untouched)(,|$)' "$csv" || failing "$1: skipped: no row could be measured" || return
	{ head -n 1 "$csv" && made "$2" && tail -n +2 "$csv"; } >"$tmp/forms/$1.csv" \
		&& "$wb" --compare "$tmp/forms/$1.csv" -o"$tmp/forms/$1".{txt,svg} >/dev/null \
		|| failing "$1: skipped: its report can't be made, or $tmp has no room for it" || return
	put "$tmp/forms" "$1".{csv,txt,svg} || failing "$1: skipped: $outdir/$unput: can't be written" || return
	answer=$(<"$tmp/answer") answer=${answer//$'\n  '/ }
	echo "$text: ${answer//$'\n'/ }"
	[ $code = 0 ] || failing "$1: a row failed or copied wrongly: see $text"
}
put() { # DIR NAME...: puts files into OUTDIR, each whole, and only over our own; else unput is the name of one that can't be
	local from=$1
	for unput in "${@:2}"; do
		is_ours "$unput" || return
		if [ -z "${ours[$unput]-}" ]; then
			ours[$unput]=yes
			printf '%s\n' "${!ours[@]}" | sort >"$tmp/list" && replace "$tmp/list" .run-all || return
		fi
		replace "$from/$unput" "$unput" || return
	done
}
replace() { # FILE NAME: owned by OUTDIR's owner, which may be any user, and may have put links there
	local part=$outdir/.part.$$
	chown --reference="$outdir" "$1" 2>/dev/null
	cp -T --remove-destination --preserve=ownership "$1" "$part" && mv -fT "$part" "$outdir/$2"
} 2>/dev/null
measure_in() { # NAME DIR: with the input on tmpfs; where --input has it; then in DIR, unless that is on tmpfs, too
	local from_here=$input
	has_room "$2" "$bytes" "a copy takes" "free some" || failing "$1: skipped: $why" || return
	[[ $1 != tmpfs+* ]] || from_here=$2/X # both ends have its options
	[ -e "$from_here" ] || try cp "$input" "$from_here" || failing "$1: skipped: $why" || return
	measure "$1" tmpfs "$from_here" "$2/Y"
	[ -z "$from" ] || measure "$1-from-$tag" "from:$tag" "$from_there/${input##*/}" "$2/Y"
	case $(stat -f -c %T "$2") in tmpfs | ramfs) return ;; esac
	if has_room "$2" $((bytes * 2)) "input and copy take" "free some" && try cp "$input" "$2/X" \
		&& try cmp "$input" "$2/X" && try sync "$2/X"; then # synced: no writeback while we measure
		measure "$1-same" same "$2/X" "$2/Y"
	else
		failing "$1-same: skipped: the input can't be put into $2: $why"
	fi
	rm -f "$2/X"
}
is_free() { # NAME: is it no table of this run, of another place, or of anybody else?
	local file
	for file in "$1"{,-same,-from-"$tag"}; do
		[[ $taken != *" $file "* ]] && is_ours "$file.csv" && is_ours "$file.txt" && is_ours "$file.svg" || return
		file=$outdir/$file.csv
		[ ! -f "$file" ] || grep -qF " place=$(printf %q "$place") options=" "$file" || return
	done
}

# ---- File systems
has() { # NEED: else why
	local what=${1%:*} option=CONFIG_${1#*:}
	why="this kernel has no $what: use one with $option"
	case $1 in
	*\|*) has "${1%|*}" || has "${1#*|}" ;;
	*/*) why="there is no ${1#*/}: install ${1%/*}" && command -v "${1#*/}" ;;
	loop:*) [ -e /dev/loop-control ] ;;
	dm-crypt:*) dmsetup targets | grep '^crypt ' ;;
	xts:*) grep -E '^name +: xts(\(aes\))?$' /proc/crypto ;;
	network-namespaces:*) unshare --net true ;;
	nfsv*) ! zcat -f /proc/config.gz "/boot/config-$(uname -r)" | grep "$option is not" ;;
	*) grep -w "$what" /proc/filesystems ;;
	esac >/dev/null 2>&1 || modprobe -q "$what" 2>/dev/null
}
can_make() { # NAME NEED...: else why
	local need
	[ -z "$why_not" ] || because "$why_not" || return
	for need in "${@:2}" loop:BLK_DEV_LOOP; do
		has "$need" || return
	done
}
has_room_for() { # NAME: else why
	if [[ $1 != tmpfs+* ]]; then
		has_room "$tmp" $((bytes * 9 / 4 + (128 << 20))) "it takes" "set TMPDIR to where there is more"
	elif [ "$(free_memory)" -le $large ]; then
		because "its input and output take $large bytes of memory, and $(free_memory) are free: use a smaller -s"
	fi
}
make() { # NAME DIR: mounts a new file system of input, output and own size there; else why
	local enter=() below=$2.below mkfs=("${row[2]-}") how='' spare=512 option more words driver
	mkfs[0]=${mkfs[0]#*/}
	case ${mkfs[0]} in
	mkfs.ext*) mkfs+=(-q -F -E "lazy_itable_init=0,lazy_journal_init=0") ;;
	mkfs.vfat) mkfs+=(-F 32) ;;
	mkfs.exfat) ;;
	mkfs.ntfs) mkfs+=(-q -Q -F) ;;
	*) mkfs+=(-q -f) ;;
	esac
	IFS=+ read -ra more <<<"$1"
	for option in "${more[@]:1}"; do
		if [[ $option == mkfs:* ]]; then
			IFS=: read -ra words <<<"${option#mkfs:}"
			mkfs+=("${words[@]}")
		else
			how+=,$option
		fi
	done
	set -- "${more[0]}" "$2"
	if [ "$1" = tmpfs ]; then
		mount_at "$2" -t tmpfs -o "size=$large$how" tmpfs
		return
	fi
	later rm -f "$image"
	[ "$1" != ntfs ] || spare=8192 # ntfs-3g takes big_writes on large volumes alone
	try truncate -s $((bytes * 9 / 4 + (spare << 20))) "$image" || return
	[ "$1" = dmcrypt ] || try "${mkfs[@]}" "$image" || return
	case $1 in
	overlay)
		mount_at "$below" -t ext4 -o loop "$image" && mkdir "$below"/{lower,upper,work} || return
		enter=(env --chdir="$below") # no trouble with characters in its name
		mount_at "$2" -t overlay -o "lowerdir=lower,upperdir=upper,workdir=work$how" overlay
		;;
	dmcrypt) make_crypt "$2" "$how" ;;
	nfs*) make_nfs "$1" "$2" "$how" ;;
	fuse | gocryptfs | sshfs | smb)
		mount_at "$below" -t ext4 -o loop "$image" && mkdir -m 777 "$below/top" && "serve_$1" "$below/top" "$2" "$how"
		;;
	exfat | ntfs)
		for driver in "${1/ntfs/ntfs3}" "$1"; do # before Linux 7 that of the name ntfs creates no files
			[[ $driver == ntfs && $(uname -r) == [1-6].* ]] || ! has "$driver:" && continue
			mount_at "$2" -t "$driver" -o "loop$how" "$image"
			return
		done
		"serve_$1" "$image" "$2" "$how"
		;;
	*) mount_at "$2" -t "$1" -o "loop$how" "$image" ;;
	esac
}
mount_at() { # DIR MOUNT-ARGUMENT...
	mkdir -p "$1" && later unmount "$1" && try "${enter[@]}" mount "${@:2}" "$1" && try mountpoint -q "$1"
}
unmount() { # DIR
	! mountpoint -q "$1" || umount "$1" 2>/dev/null || umount -l "$1"
	rmdir "$1"
}

make_crypt() { # DIR ,OPTION...: ext3 on dm-crypt, with a random key; the mapping vanishes when unmounted
	local name=${tmp##*/}-crypt device=/dev/mapper/${tmp##*/}-crypt
	later eval "dmsetup remove --deferred $name 2>/dev/null; rm -f $device"
	try cryptsetup open --type plain --cipher aes-xts-plain64 --key-size 512 --key-file /dev/urandom "$image" "$name" || return
	[ -b "$device" ] || try dmsetup mknodes "$name" # where dmsetup removes the node, not udev
	try "${mkfs[@]}" "$device" && mount_at "$1" -t ext3 -o "rw$2" "$device" && dmsetup remove --deferred "$name"
}

# NFS over loopback: the kernel serves an ext4. A shell sets the server up, in a network, mount and PID
# namespace of its own: the machine's server is not touched, and what the shell starts ends with it. It writes
# the files that rpc.nfsd and rpc.mountd do (exports(5), Linux fs/nfsd/nfsctl.c). For v3 rpc.mountd gives the
# first file handle, which takes rpcbind.
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
	mkdir -p /run/export /run/lib /run/rpcbind
	mount -o loop -t ext4 "$2" /run/export
	mount -t nfsd nfsd "$nfsd"
	if [ "$1" = nfs3 ]; then
		versions="+3 -4"
		mount --bind /run/lib /var/lib/nfs
		touch /run/lib/{etab,rmtab}
		[ ! -e /etc/nfs.conf ] || mount --bind /dev/null /etc/nfs.conf
		rpcbind -f <&- >&2 &
		wait_for 10 '(: <>/dev/tcp/127.0.0.1/111)'
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
make_nfs() { # nfs3|nfs42 DIR ,OPTION...
	local line how=softerr,timeo=600,retrans=2,proto=tcp,port=2049,addr=127.0.0.1$3
	coproc server { # only this shell has its descriptors: they are closed on exec, or when we are killed
		exec setsid unshare -m --propagation private --net --pid --fork --kill-child --mount-proc \
			"$BASH" -c "$(declare -f serve_nfs wait_for); serve_nfs $1 $(printf %q "$image")"
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

serve() { # DIR COMMAND...: a server in the foreground, which ends with us, until it has mounted DIR; else why
	mkdir -p "$1"
	(cd "$tmp" && exec "${guard[@]}" "${@:2}") >"$tmp/err" 2>&1 </dev/null &
	later end $!
	later unmount "$1"
	wait_for 20 "mountpoint -q $(printf %q "$1") || ! kill -0 $!"
	mountpoint -q "$1" || because "$2 says: $(head -n 1 "$tmp/err")"
}
end() { # PID
	kill "$1" 2>/dev/null && wait "$1" 2>/dev/null
}
serve_fuse() { serve "$2" bindfs -f -o "rw$3" "$1" "$2"; }
serve_ntfs() { serve "$2" ntfs-3g -o "no_detach$3" "$1" "$2"; }
serve_exfat() {
	local device
	device=$(losetup -f --show "$1") || because "losetup fails" || return
	later losetup -d "$device"
	serve "$2" mount.exfat-fuse -d -o "rw$3" "$device" "$2"
}
serve_gocryptfs() {
	try gocryptfs -q -init -scryptn 10 -extpass "echo secret" "$1" \
		&& serve "$2" gocryptfs -q -fg -extpass "echo secret" -ko "rw$3" "$1" "$2"
}
listen() { # COMMAND...: until it accepts connections at 127.0.0.1:$port; else why
	"${guard[@]}" "$@" >"$tmp/err" 2>&1 </dev/null &
	later end $!
	wait_for 60 "(: <>/dev/tcp/127.0.0.1/$port) || ! kill -0 $!"
	kill -0 $! 2>/dev/null || because "$1 says: $(tail -n 1 "$tmp/err")"
}
free_port() { # sets $port; below 32768, from where on connections that ended may still have it (Linux ip-sysctl)
	until port=$((10000 + RANDOM % 20000)) && ! (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
}
own_run() { # listen COMMAND...: with a /run of its own, if Debian's directory for sshd is not there: another script would use one that we remove
	local guard=("${guard[@]}")
	[ -d /run/sshd ] || guard+=(unshare --mount sh -c 'mount -t tmpfs -o mode=755 run /run && mkdir -m 755 /run/sshd && exec "$@"' sh)
	"$@"
}
serve_sshfs() { # by an sshd of its own, with keys and configuration of its own
	local keys=$tmp/keys port
	free_port
	mkdir -m 700 "$keys" && later rm -rf "$keys"
	try ssh-keygen -q -t ed25519 -N "" -f "$keys/host" && try ssh-keygen -q -t ed25519 -N "" -f "$keys/user" || return
	printf '%s\n' "ListenAddress 127.0.0.1:$port" "HostKey $keys/host" "AuthorizedKeysFile $keys/user.pub" "StrictModes no" \
		"PasswordAuthentication no" "PermitRootLogin yes" "PidFile none" "UsePAM no" "Subsystem sftp internal-sftp" >"$keys/config"
	own_run listen "$(command -v sshd)" -D -e -f "$keys/config" || return
	serve "$2" sshfs -f -o "port=$port,IdentityFile=$keys/user,UserKnownHostsFile=$keys/known,StrictHostKeyChecking=no$3" \
		"$(id -un)@127.0.0.1:$1" "$2"
}
serve_smb() { # by Samba, for the kernel's cifs
	local state=$tmp/samba port
	free_port
	mkdir -p "$state/rpc" && later rm -rf "$state"
	{
		printf '%s\n' "[global]" "ncalrpc dir = $state/rpc" "log file = $state/log" "map to guest = Bad User" \
			"guest account = root" "interfaces = lo" "bind interfaces only = yes" "smb ports = $port" "disable netbios = yes"
		printf "%s = $state\n" "private dir" "lock directory" "state directory" "cache directory" "pid directory"
		printf '%s\n' "[share]" "path = $1" "guest ok = yes" "read only = no" "force user = root"
	} >"$state/config"
	listen smbd -F -s "$state/config" || return
	mount_at "$2" -t cifs -o "port=$port,guest,vers=3.1.1$3" //127.0.0.1/share
}

# ---- The summary
markdown() { # TEXT: as it is, in Markdown
	sed 's/[[:cntrl:]]/?/g; s/[][\\`*|#]/\\&/g; s/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g' <<<"$1"
}
section() { # TITLE PICTURE CSV...: their tables side by side, with the answers; all rows in a picture; links
	local title=$1 picture=$2 csv name
	shift 2
	"$wb" -f svg --compare "$@" >"$tmp/pictures/$picture.svg" || return
	"$wb" -f markdown --top=1 --compare "$@" >"$tmp/section" || return
	printf '\n## %s\n\n' "$title"
	sed '/^[0-9]* slower rows*: /d' "$tmp/section"
	printf '![All rows of these tables](./%s.svg)\n\n' "$picture"
	for csv; do
		name=${csv##*/}
		name=${name%.csv}
		[ "${csv%/*}" != "$outdir" ] || echo "- [$name](./$name.txt) ([picture](./$name.svg), [runs](./$name.csv))"
	done
}
list_tables() { # of this script in OUTDIR: clock, where the input is, and file, behind tabs
	local name file
	for name in "${!ours[@]}"; do
		file=$outdir/$name
		[[ $name == *.csv && -f $file ]] || continue
		"$wb" --compare "$file" >/dev/null 2>&1 || complain "$file: is not summed up: it is cut, or no table of $wb" || continue
		sed -nE 's/^# run_all: .* input=([^ ]+) .*/\1/; T until; h; b; :until; s/^# until: //; T; G; s/\n/\t/; p; q' "$file" \
			| sed "s|\$|	$file|"
	done | sort -t $'\t' -k 1,1 -k 2,2r -k 3
}
introduce() { # TITLE WORDS
	printf '# %s\n\nGenerated by run-all.sh; do not edit. %s\n' "$1" "$2"
	printf '~: may be the fastest there; shared: no bytes were copied.\n'
}
summarise() { # a section for each clock and place of the input
	local until input where clock picture files
	introduce Results "Compare times within a section only."
	list_tables >"$tmp/tables"
	cut -f 1,2 "$tmp/tables" | uniq | while IFS=$'\t' read -r until input; do
		case $until in "the last call"*) clock='' ;; "the output was closed"*) clock=-close ;; *) clock=-sync ;; esac
		case $input in tmpfs) picture='' ;; *) picture=-${input/:/-} ;; esac
		where=${input#from:}
		mapfile -t files < <(grep -F "$until	$input	" "$tmp/tables" | cut -f 3)
		section "Input on ${where/#same/the same file system}, until $until" "summary$picture$clock" "${files[@]}" || return
	done
}
compare_kernels() { # DIR...: a section for each table of several OUTDIRs
	local name directory files
	introduce "File systems and kernels" "A column is a kernel."
	find "$@" -maxdepth 1 -name '*.csv' -exec grep -l '^# run_all: ' {} + | sed 's,.*/,,; s/\.csv$//' | sort -u | while read -r name; do
		files=()
		for directory; do
			! grep -qs '^# run_all: ' "$directory/$name.csv" || files+=("${directory%/}/$name.csv")
		done
		section "$(markdown "$name")" "summary-$name" "${files[@]}" || return
	done
}

put_summary() { # pictures first: so no link is dead
	local pictures
	grep -q '^## ' "$tmp/pictures/README.md" || complain "there is no table to sum up" || return
	pictures=$(cd "$tmp/pictures" && echo summary*.svg)
	# shellcheck disable=SC2086 # names without blanks
	put "$tmp/pictures" $pictures README.md \
		|| failing "$outdir/$unput: can't be written, or was not made by this script: no summary is made: use another -o" || exit
	echo "$outdir/README.md"
}

# ---- All of it
make_directory "$TMPDIR" || die "$TMPDIR: can't be written to: set TMPDIR to a directory that can"
tmp=$own
later rm -f "$outdir/.part.$$"
mkdir "$tmp/pictures" "$tmp/forms"
if [ $summary = yes ]; then
	(set -o pipefail && compare_kernels "${directories[@]}" | cat >"$tmp/pictures/README.md") \
		|| die "${directories[*]}: the summary can't be made, or $tmp has no room for it"
	put_summary || exit 2
	exit $status
fi

# The input is on tmpfs: where we can, one of our own on /dev/shm, unless that hides what is needed there.
memory=/dev/shm
large=$((bytes * 2 + (64 << 20)))
too_large="-s $size: input and output on tmpfs take twice that"
if [ -z "$why_not" ]; then
	[ -d $memory ] || memory=$tmp/tmpfs
	! realpath -m -- "${directories[@]}" "$outdir" "$tmp" "$here" "${from:-/}" | grep -Eq '^/dev/shm(/|$)' || memory=$tmp/tmpfs
	[ "$(free_memory)" -gt $large ] || die "$too_large, and $(free_memory) bytes of memory are free: use a smaller -s"
	mkdir -p "$memory"
	try mount -t tmpfs -o size=$large tmpfs "$memory" || die "tmpfs: $why"
	later umount "$memory"
else
	[ "$(stat -f -c %T $memory 2>&1)" = tmpfs ] || die "$memory: is not a tmpfs: mount one, for the input"
	make_directory $memory || die "$memory: can't be written to, for the input: its mode is to be 1777"
	memory=$own
	has_room "$memory" $((bytes * 2)) "they take" "free some" || die "$too_large: $why"
fi
input=$memory/X
"$wb" --generate="noise:$bytes" >"$input" || die "$input: can't be made"

{ "$wb" -q -n1 -p0 -z 1 -s 'read+write 1k' -o "$tmp/probe.csv" <"$input" >"$tmp/X" 2>"$tmp/err" \
	&& grep -E '^# (kernel|cpu|cpus|memory_bytes|version): ' "$tmp/probe.csv" >"$tmp/machine" \
	&& { grep -q '^# cpu: ' "$tmp/machine" || grep '^# host: ' "$tmp/probe.csv" >>"$tmp/machine"; }; } \
	|| die "$wb: does not work here, or $tmp has no room for reports: $(tail -n 1 "$tmp/err")"
put_there() { # INPUT: on the file system of --input, synced
	has_room "$from_there" "$bytes" "an input takes" "free some" && try cp "$1" "$from_there/" \
		&& try cmp "$1" "$from_there/${1##*/}" && try sync "$from_there/${1##*/}"
}
if [[ $from == fs:* ]]; then
	from_there=$tmp/from image=$tmp/from.img
	read -ra row <<<"$(grep "^${tag%%+*} " <<<"$table")"
	{ can_make "${row[@]}" && make "$tag" "$from_there"; } || die "--input=$from: $why"
elif [ -n "$from" ]; then
	make_directory "$from" || die "--input=$from: can't be written to"
	from_there=$own
fi
[ -z "$from" ] || put_there "$input" || die "--input=$from: $why"
level=${#undo[@]}
given_options=("${options[@]}") large_input=$input large_bytes=$bytes large_sizes=$sizes
for name in $wanted; do
	undo_to "$level"
	options=("${given_options[@]}") input=$large_input bytes=$large_bytes sizes=$large_sizes
	if [[ $slow == *" ${name%%+*} "* ]]; then
		[[ " ${options[*]} " == *" --until="* ]] || options+=(--until=close)
		[ $default = no ] || bytes=$((64 << 20)) sizes=$bytes input=${large_input%X}Z
		[ -e "$input" ] || head -c "$bytes" "$large_input" >"$input" || die "$input: can't be made"
		[ -z "$from" ] || [ -e "$from_there/${input##*/}" ] || put_there "$input" || die "--input=$from: $why"
	fi
	place=$name image=$tmp/$name.img
	read -ra row <<<"$(grep "^${name%%+*} " <<<"$table")"
	if [ "$name" = tmpfs ]; then # mounted already, for the input
		measure_in tmpfs "$memory"
	elif ! can_make "${row[@]}"; then
		complain "$name: skipped: $why"
		[[ " $asked " != *" $name "* ]] || status=1
	elif has_room_for "$name" && make "$name" "$tmp/$name"; then
		measure_in "$name" "$tmp/$name"
	else
		failing "$name: skipped: $why"
	fi
done
for directory in "${directories[@]}"; do # its table has its name, with a number where that is taken
	undo_to "$level"
	{ [ -d "$directory" ] && make_directory "$directory"; } \
		|| failing "$directory: skipped: name a directory that is there and can be written to" || continue
	place=$(cd "$directory" && pwd -P)
	base=$(cd "$directory" && basename "$PWD" | tr -c 'A-Za-z0-9._\n-' _)
	[[ $base != [-.]* && $base != summary* ]] || base=_$base # no option, not hidden, no picture
	name=$base number=1
	until is_free "$name"; do
		name=$base-$((++number))
	done
	taken+="$name $name-same $name-from-$tag "
	measure_in "$name" "$own"
done
undo_to "$level"

(set -o pipefail && summarise | cat >"$tmp/pictures/README.md") \
	|| failing "the summary can't be made, or $tmp has no room for it" || exit # cat fails on a full disk
put_summary || exit $status
exit $status
