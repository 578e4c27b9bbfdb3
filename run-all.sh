#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs write-bench on every file system that this machine can make, or in the directories named, with the input
# on tmpfs, in the directory of --input, and on the same file system. All are made first, on images in $TMPDIR
# (/var/tmp), in a mount namespace that nobody else sees, and take turns: a pass is one round of all rows in each
# place, shuffled, so that what else the machine does slows down all of them. OUTDIR gets NAME.txt, NAME.csv
# (every run) and NAME.svg of each, and README.md: answers, tables side by side, maps. It is new, empty, or marked
# as this script's by .run-all; a table of the same name is replaced. Interrupted, it reports the whole passes.
# Exit status: 0 done; 1 something failed, or is not possible here and was asked for by -f or DIR (else it is
# named and skipped); 2 bad usage, or no room: nothing was measured; 128 + N stopped by signal N. Needs bash 5.
# shellcheck disable=SC2317 # functions that only undo_to and the table call
set -u -o pipefail
unset CDPATH # else cd prints
export LC_ALL=C
PATH=$PATH:/usr/sbin:/sbin # for mkfs

# ---- The file systems. To add one, add a line: its name; PACKAGE/COMMAND,... that it needs; a function, with its
# arguments, that mounts a new one at fs, with $mount_options. What the kernel lacks, mount or cryptsetup say.
ext="-q -F -E lazy_itable_init=0,lazy_journal_init=0"
crypt=e2fsprogs/mkfs.ext3,dmsetup/dmsetup,cryptsetup-bin/cryptsetup
nfs=e2fsprogs/mkfs.ext4,iproute2/ip,rpcbind/rpcbind,nfs-kernel-server/rpc.nfsd,nfs-kernel-server/rpc.mountd
table="
tmpfs    util-linux/mount          in_memory
ext2     e2fsprogs/mkfs.ext2       on_image mkfs.ext2 $ext
ext3     e2fsprogs/mkfs.ext3       on_image mkfs.ext3 $ext
ext4     e2fsprogs/mkfs.ext4       on_image mkfs.ext4 $ext
xfs      xfsprogs/mkfs.xfs         on_image mkfs.xfs -q -f
btrfs    btrfs-progs/mkfs.btrfs    on_image mkfs.btrfs -q -f
f2fs     f2fs-tools/mkfs.f2fs      on_image mkfs.f2fs -q -f
vfat     dosfstools/mkfs.vfat      on_image mkfs.vfat -F 32
overlay  e2fsprogs/mkfs.ext4       on_overlay mkfs.ext4 $ext
dmcrypt  $crypt                    on_dmcrypt mkfs.ext3 $ext
nfs3     $nfs                      on_nfs vers=3,nolock,mountproto=tcp,mountport=20048 nfs /run/export
nfs42    $nfs                      on_nfs vers=4.2,clientaddr=127.0.0.1 nfs4 /"
kinds=$(sed -n 's/ .*//p' <<<"$table" | paste -sd ' ')

in_memory() { # where the input is, or with options of its own
	if [ "$place" = tmpfs ]; then
		rmdir fs && mkdir "$memory/tmpfs" && ln -s "$memory/tmpfs" fs
	else
		mount_at fs -t tmpfs -o "size=$((2 * bytes + spare))$mount_options" tmpfs
	fi
}
on_image() { # MKFS...
	"$@" image && mount_at fs -t "${1#mkfs.}" -o "loop$mount_options" image
}
on_overlay() { # MKFS...
	"$@" image && mount_at below -o loop image && mkdir below/{lower,upper,work} && mount_at fs -t overlay \
		-o "lowerdir=below/lower,upperdir=below/upper,workdir=below/work$mount_options" overlay
}
on_dmcrypt() { # MKFS...: with a random key; the mapping goes when it is unmounted
	local name=${tmp##*/}-$place device=/dev/mapper/${tmp##*/}-$place
	[ -e /run/udev/control ] || export DM_DISABLE_UDEV=1 # else dmsetup waits for udev for ever
	later eval "dmsetup remove --deferred '$name' 2>/dev/null; rm -f '$device'"
	cryptsetup open --type plain --cipher aes-xts-plain64 --key-size 512 --key-file /dev/urandom image "$name" || return
	[ -b "$device" ] || dmsetup mknodes "$name" || return # where nobody else makes the node
	"$@" "$device" && mount_at fs -t "${1#mkfs.}" -o "rw$mount_options" "$device" && dmsetup remove --deferred "$name"
}
on_nfs() { # OPTIONS TYPE EXPORT: over loopback, served by this kernel
	local enter server soft=softerr,timeo=600,retrans=2 # never to wait for a dead server
	mkfs.ext4 -q -F image && mkfifo stop ready || return
	# However this shell ends, the server reads the end of stop: only we, and what ends with us, can write to it.
	setsid unshare --mount --net --pid --fork --kill-child --mount-proc \
		"$BASH" -ec "$(declare -f serve_nfs); serve_nfs" 9<&- <stop >ready 2>server.log &
	server=$!
	exec {stop}>stop {ready}<ready
	later eval "exec $stop>&- $ready<&-; wait $server"
	enter=(nsenter "--net=/proc/$server/ns/net")
	read -r -t 60 -u "$ready" || { cat server.log && return 1; }
	# -i: without mount.nfs, its configuration, and rpc.statd
	mount_at fs -i -t "$2" -o "$1,$soft,proto=tcp,port=2049,addr=127.0.0.1$mount_options" "127.0.0.1:$3"
}
serve_nfs() { # image, in namespaces of its own: the machine's server is not touched. Prints a line when it is ready
	trap '' HUP INT TERM PIPE
	ip link set lo up
	mount -t tmpfs -o mode=755 tmpfs /run
	mkdir -p /run/export /run/rpcbind /run/nfs
	touch /run/nfs/{etab,rmtab}
	mount --bind /run/nfs /var/lib/nfs
	[ ! -e /etc/nfs.conf ] || mount --bind /dev/null /etc/nfs.conf
	mount -o loop image /run/export
	mount -t nfsd nfsd /proc/fs/nfsd
	rpcbind
	exportfs -i -o rw,async,insecure,no_root_squash,no_subtree_check,fsid=0 127.0.0.1:/run/export
	rpc.mountd -p 20048
	rpc.nfsd --grace-time 10 --lease-time 10 8
	echo Y >/proc/fs/nfsd/v4_end_grace || : # there is no client of before to wait for
	echo ready
	read -r || :
	for _ in {1..300}; do # a client that still writes back
		grep -q ^v /proc/self/net/nfsfs/volumes || break
		sleep 0.1
	done
	rpc.nfsd 0
}

usage() {
	cat <<END
Usage: $0 [OPTION]... [DIR]... [-- WRITE-BENCH-OPTION...]
Runs write-bench in each DIR, also of servers or FUSE; without one, as root, on
each file system that can be made here, else in this directory and on tmpfs.
  -f FS[+OPTION],...  only these file systems, with options of mount, as in
                      ext4,ext4+noauto_da_alloc:
     $kinds
                      (dmcrypt: ext3 on dm-crypt; nfs3, nfs42: over loopback)
  -s SIZE,...         bytes to copy, like 64k, 1.5m, 4MiB, 1g; default 256m
  -n PASSES           rounds of all rows in each place; default 7
  -o OUTDIR           for the reports: new, empty, or its own; default
                      $(default_outdir)
  --for=COMMAND       which is best for it, as in --for='cp "\$IN" "\$OUT"'? These
                      alone, into new files until they are closed
  --input=DIR         one more table for each, with the input in DIR
  -- OPTION...        options for write-bench; default --with=cat
END
}
default_outdir() { # after CPU and kernel: no machine's tables land on another's
	local cpu
	cpu=$(sed -n 's/^model name[[:space:]]*: //; T; s/([A-Za-z]*)//g; s/ CPU\b//; s/ @ .*//; p; q' /proc/cpuinfo)
	printf 'results/%s' "$(tr -cs 'A-Za-z0-9._\n' - <<<"${cpu:-$(uname -m)-$(uname -n)}-$(uname -r)")"
}

# ---- Messages
status=0 why='' over='' line_end=$'\n' # of a line of progress: on a terminal the next one is written over it
[ ! -t 2 ] || over=$'\r\e[K' line_end=''
exec 8>&2 # for the end: a signal interrupts wait, whose standard error is /dev/null
complain() { # MESSAGE: always false
	local text="$0: $*"
	printf '%s%s\n' "$over" "${text//[[:cntrl:]]/?}" >&2 # no escape sequences of names
	return 1
}
die() { # MESSAGE
	complain "$*"
	exit 2
}
failing() { # MESSAGE: always false
	status=1
	complain "$*"
}

# ---- What is to be undone, last first, however this ends
undo=() child=''
later() { # COMMAND...
	undo+=("$(printf '%q ' "$@")")
}
undo_to() { # N: all but the first N
	while [ ${#undo[@]} -gt "$1" ]; do
		eval "${undo[-1]}"
		unset 'undo[-1]'
	done
}
finish() {
	local code=$?
	trap '' HUP INT QUIT TERM
	exec 2>&8
	[ -z "$child" ] || { kill -TERM "$child" && wait "$child"; } 2>/dev/null
	[[ $code -le 128 || $whole = 0 ]] || complain "stopped: the tables are of $whole of $passes passes" || publish
	undo_to 0
}
make_directory() { # IN: makes the directory $own there
	own=$1/write-bench-run.$$-${EPOCHREALTIME/./}
	later rm -rf --one-file-system "$own" # first: a signal may come between
	mkdir -m 700 "$own" 2>/dev/null
}
enter=() # a command that mounts elsewhere
mount_at() { # NAME MOUNT-ARGUMENT...
	later eval "umount -l $(printf %q "$PWD/$1") 2>/dev/null"
	"${enter[@]}" mount "${@:2}" "$1" && mountpoint -q "$1"
}

# ---- Places
declare -A home=() # by the names of tables: where they are measured
make_places() {
	local place level directory base number
	for place in $wanted; do
		level=${#undo[@]}
		if make "$place"; then
			add_place "$place" "$tmp/$place/fs"
		else
			undo_to "$level"
			complain "$place: skipped: $why"
			[ -z "$asked" ] || status=1
		fi
	done
	for directory in "${directories[@]}"; do # its tables have its last name, with a number where that is taken
		base=$(basename -- "$directory" | tr -c 'A-Za-z0-9\n' _) place=$base number=1
		while [[ " $kinds summary README ${names[*]} " == *" $place "* ]]; do
			place=${base}_$((++number))
		done
		if [ -d "$directory" ] && make_directory "$directory"; then
			add_place "$place" "$own"
		else
			failing "$directory: skipped: name a directory that is there and can be written to"
		fi
	done
	[ ${#names[@]} -gt 0 ] || failing "there is no place to measure in" || exit
}
make() { # FS[+OPTION]...: mounts it at fs in a directory of its name; else why
	local place=$1 row need mount_options=${1#"${1%%+*}"}
	mount_options=${mount_options//+/,} why=$why_not
	read -ra row <<<"$(grep "^${1%%+*} " <<<"$table")"
	[[ -z $why || $1 = tmpfs ]] || return
	for need in ${row[1]//,/ }; do
		why="there is no ${need#*/}: install ${need%/*}"
		command -v "${need#*/}" >/dev/null || return
	done
	why="$tmp holds no image"
	mkdir -p "$tmp/$1"/{fs,below} && cd "$tmp/$1" && truncate -s $((bytes * 9 / 4 + 8 * spare)) image || return
	"${row[@]:2}" >err 2>&1 </dev/null && return
	why=$(grep -am 1 -E '^(mkfs[^ ]*|mount|ERROR):' err || head -n 1 err) && false
}
add_place() { # NAME DIR: its table; and one with the input in it
	names+=("$1")
	home[$1]=$2
	{ cp "$input" "$2/X" && sync "$2/X"; } 2>"$tmp/err" || failing "$1-same: skipped: $(head -n 1 "$tmp/err")" \
		|| rm -f "$2/X"
}

# ---- Passes
passes=7 whole=0 pass=0 turn=0 turns=0 # whole: passes that are; turn: measured tables, of turns in all passes
take_turns() {
	local name
	turns=$((passes * ${#names[@]} * (2 + (${#from} > 0)))) started=$EPOCHSECONDS shown=$EPOCHSECONDS
	for ((pass = 1; pass <= passes; pass++)); do
		mkdir "$tmp/now"
		for name in $(shuf -e -- "${names[@]}"); do
			take_turn "$name" "${home[$name]}"
		done
		mv "$tmp/now" "$tmp/pass.$(printf %04d "$pass")"
		whole=$pass
	done
	printf %s "$over" >&2
}
take_turn() { # NAME DIR
	measure "$1" "$input" "$2"
	[ -z "$from" ] || measure "$1-from" "$from/X" "$2"
	[ ! -e "$2/X" ] || measure "$1-same" "$2/X" "$2"
	sync -f "$2" # the next one does not wait for its disk
}
measure() { # TABLE INPUT DIR: a round of all rows
	local csv=$tmp/now/$1.csv code verify=()
	[ "$pass" = 1 ] || verify=(--no-verify) # all bytes were compared once
	show_progress "$1"
	setpriv --pdeathsig TERM "$wb" "${options[@]}" "${verify[@]}" -n1 -q -z "$sizes" -o "$csv" \
		<"$2" >"$3/Y" 2>"$tmp/said" & # it ends with us, also when we are killed
	child=$!
	{ wait "$child"; } 2>/dev/null # here bash answers signals; and would tell of the child's
	code=$? child=''
	rm -f "$3/Y"
	turn=$((turn + 1))
	[ $code = 0 ] || failing "$1: pass $pass: exit status $code: $(head -n 1 "$tmp/said")"
	[ -s "$csv" ] || failing "$1: pass $pass: write-bench has made no report" || rm -f "$csv"
}
show_progress() { # TABLE: on a terminal over the last one, elsewhere once a minute
	local seconds=$(((EPOCHSECONDS - started) * (turns - turn) / (turn + 1))) line="pass $pass of $passes, $1"
	[[ -t 2 || $EPOCHSECONDS -ge $((shown + 60)) ]] && shown=$EPOCHSECONDS || return 0
	[ $turn = 0 ] || line+=": $turn of $turns tables, $((seconds / 60))min $((seconds % 60))s left"
	printf '%s%.79s%s' "$over" "$line" "$line_end" >&2
}

# ---- What comes of it
publish() { # what the whole passes have shown: their tables, the page, and the answers
	cd "$tmp" && : >shown || return
	{
		printf '# Which file system\n' && section "" "input on tmpfs" \
			&& section -from "input in the directory of --input" && section -same "input on the same file system" \
			&& printf '\nGenerated by run-all.sh; do not edit. Compare times within a section only.\n'
	} >README.md && [ -s shown ] || failing "no page is made" || return
	put README.md && cat shown && echo "$outdir/README.md"
}
section() { # SUFFIX TITLE: of the tables whose names end so; its answers are added to shown
	local name command csv=()
	for name in "${names[@]/%/$1}"; do
		! report "$name" || csv+=("$name.csv")
	done
	[ ${#csv[@]} -gt 0 ] || return 0
	"$wb" -q --compare "${csv[@]}" -o table.md -o "summary$1.svg" >answers && put "summary$1.svg" || return
	for command in "${commands[@]}"; do # in the order of --for
		"$wb" -q --compare "${csv[@]}" -s "\$ $command" || return
	done >in_turn
	[ ! -s in_turn ] || mv in_turn answers
	printf '%s\n  (%s)\n' "$(<answers)" "$2" >>shown
	printf '\n## %s\n\n%s\n%s\n%s\n\n' "${2^}" "~~~text" "$(<answers)" "~~~" && sed -z 's/\n  / /g' answers \
		| awk '{ text = $0; gsub(/\\|&(lt|gt|amp);|[<>&]/, "", text) }
			NR == FNR { said["- " text]; next } !(text in said)' - table.md \
		| sed "0,/^- /s//![All rows](.\/summary$1.svg)\n\n- /" || return
	for name in "${csv[@]%.csv}"; do
		echo "- [$name](./$name.txt) ([picture](./$name.svg), [runs](./$name.csv))" || return
	done
}
report() { # TABLE: its whole passes are one report, if it has any
	local csv=(pass.*/"$1.csv")
	[ -e "${csv[0]}" ] || return
	{ cat "${csv[@]}" >all.csv && "$wb" -q --compare all.csv -o"$1".{csv,txt,svg} >answers; } \
		|| failing "$1: no report is made" && put "$1".{csv,txt,svg}
}
put() { # NAME...: files into OUTDIR, each whole. They are its owner's, who may have put links there: none is followed
	local name
	for name; do
		chown --reference="$outdir" "$name" 2>/dev/null
		cp -T --remove-destination --preserve=ownership "$name" "$outdir/.part" \
			&& mv -fT "$outdir/.part" "$outdir/$name" || failing "$outdir/$name: can't be written: use -o" || return
	done
}

# ---- What is asked for
read_options() { # ARGUMENT...
	local option
	while [ $# -gt 0 ]; do
		option=$1
		case $1 in
		--*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" && continue ;;
		-f | --filesystems) asked+=,${2-} && shift ;;
		-s | --size) sizes=${2-} && shift ;;
		-n | --passes) passes=${2-} && shift ;;
		-o | --output) outdir=${2-} && shift ;;
		--for) commands+=("${2-}") && shift ;;
		--input) from=${2-} && shift ;;
		-h | --help) usage && exit 0 ;;
		--) given=("${@:2}") && break ;;
		-*) usage >&2 && die "unknown option $1" ;;
		*) directories+=("$(realpath -m -- "$1")") ;;
		esac
		shift || { usage >&2 && die "$option: needs an argument"; }
	done
	options=("${given[@]---with=cat}")
	[ ${#commands[@]} = 0 ] || options=(-s '$ *' --new --until=close "${commands[@]/#/--with=}" "${given[@]}")
}
check_options() {
	local option fs unit='s/([KMGT])(IB?)?$/\1i/; s/B$//' # for numfmt 4MIB is 4Mi, and 4MB is 4M
	{ setpriv --pdeathsig TERM numfmt --from=auto 1K && flock --version && mountpoint --version; } >/dev/null 2>&1 \
		|| die "needs GNU coreutils and util-linux (numfmt, setpriv, flock, mountpoint): busybox is not enough"
	[ -x "$wb" ] || die "$wb: is not there: run make first"
	bytes=$(tr , '\n' <<<"${sizes^^}" | sed -E "$unit" | numfmt --from=auto --round=nearest 2>/dev/null | sort -n)
	bytes=${bytes##*$'\n'} # of the largest
	{ "$wb" --list --size="$sizes" </dev/null && [ "$bytes" -lt $((1 << 60)) ]; } >/dev/null 2>&1 \
		|| die "-s $sizes: is not a size from 1 byte on, like 64k, 1.5m, 4MiB, 1g, or a list of them"
	[[ $passes =~ ^[1-9][0-9]{0,3}$ ]] || die "-n $passes: is not a number of passes, from 1 to 9999"
	for option in "${given[@]}"; do
		[[ ! $option =~ ^(-[alqv]*[fgnotz]|--(output|format|size|runs|generate|from|into|send|tee|compare)) ]] \
			|| die "-- $option: is not possible: this script chooses ends, sizes, rounds and reports"
	done
	"$wb" "${options[@]}" --list </dev/null >/dev/null || die "-- ${options[*]}: write-bench refuses these options"
	for fs in ${asked//,/ }; do
		[[ " $kinds " == *" ${fs%%+*} "* && $fs =~ ^[a-z0-9]+(\+[A-Za-z0-9_.=:-]+)*$ ]] \
			|| die "-f $fs: is not FS, or FS+OPTION..., with an FS of: $kinds"
		[[ " $wanted " == *" $fs "* ]] || wanted+=" $fs"
	done
	[[ -z $from || -d $from && -w $from ]] || die "--input=$from: is not a directory that can be written to"
	outdir=$(realpath -m -- "$outdir") scratch=$(realpath -m -- "${TMPDIR:-/var/tmp}")
	from=${from:+$(realpath -- "$from")}
}

# ---- What it takes
enter_namespace() { # ARGUMENT...: a mount namespace of our own, in the same process; else why_not has the reason
	if [ $EUID != 0 ]; then
		why_not="only root can mount: use sudo $0, or name a directory that is on it"
	elif [ "${RUN_ALL_NAMESPACED-}" != $$ ]; then
		if why_not=$(unshare --mount true 2>&1); then
			export RUN_ALL_NAMESPACED=$$
			# slave: what autofs mounts for us elsewhere is seen here, and nothing of ours elsewhere
			exec unshare --mount --propagation slave "$BASH" "$0" "$@"
		fi
		why_not="no mount namespace is to be had: $why_not: root of a container needs CAP_SYS_ADMIN"
	fi
}
need() { # WHERE BYTES [FREE]: which some file systems don't know
	local free=${3-$(df -B1 --output=avail -- "$1" 2>/dev/null | tail -n 1)}
	! [ "$free" -lt "$2" ] 2>/dev/null \
		|| die "needs $(($2 >> 20))MiB in $1, where $((free >> 20))MiB are free: name fewer, or a smaller -s"
}
check_room() { # for all at once, before anything is made
	local place images=0 memory=$bytes
	for place in $wanted; do
		case $place in tmpfs*) ((memory += 2 * bytes)) ;; *) ((images++)) ;; esac
	done
	need memory $((memory + spare)) "$(awk '/^MemAvailable:/ { printf "%.0f", $2 * 1024 }' /proc/meminfo)"
	need /dev/shm "$memory"
	need "$scratch" $((images * (bytes * 9 / 4 + spare)))
	for place in "${directories[@]}"; do
		need "$place" $((2 * bytes))
	done
	[ -z "$from" ] || need "$from" "$bytes"
}
claim_outdir() {
	if [ ! -d "$outdir" ]; then
		mkdir -p "$outdir" || die "$outdir: can't be made: use another -o"
		chown --reference="$outdir/.." "$outdir" 2>/dev/null # by sudo: its user's
	fi
	{ exec 9<"$outdir" && flock -n 9; } || die "$outdir: is in use by another run: wait for its end, or use another -o"
	[[ -e $outdir/.run-all || -z $(find "$outdir" -mindepth 1 -print -quit) ]] \
		|| die "$outdir: has files in it, and was not made by this script: use a new or empty directory for -o"
	later rm -f "$outdir/.part"
	{ : >.run-all && put .run-all; } || exit 2
}
make_input() { # of noise, on tmpfs; and a copy where --input wants it
	{ [ "$(stat -f -c %T /dev/shm 2>&1)" = tmpfs ] && make_directory /dev/shm; } \
		|| die "/dev/shm: is no tmpfs that can be written to, for the input: its mode is to be 1777"
	memory=$own input=$own/X
	"$wb" --generate="noise:$bytes" >"$input" || die "$input: can't be made"
	[ -n "$from" ] || return 0
	{ make_directory "$from" && cp "$input" "$own/X" && sync "$own/X"; } || die "--input=$from: can't be written to"
	from=$own
}

wb=$(cd -- "$(dirname -- "$0")" && pwd)/write-bench
asked='' wanted='' sizes=256m outdir=$(default_outdir) from='' directories=() commands=() given=() names=()
why_not='' spare=$((64 << 20))

read_options "$@"
check_options
enter_namespace "$@"
if [ -z "$asked" ] && [ ${#directories[@]} = 0 ]; then
	wanted=$kinds
	[ -z "$why_not" ] || complain "measuring here and on tmpfs: $why_not" || directories=("$PWD") wanted=tmpfs
fi
check_room
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 131' QUIT
trap 'exit 143' TERM
trap finish EXIT
{ make_directory "$scratch" && cd "$own"; } || die "$scratch: can't be written to: set TMPDIR to a directory that can"
tmp=$own
later cd /
claim_outdir
make_input
make_places
take_turns
publish
exit $status
