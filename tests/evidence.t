#!/bin/sh
# What a report claims has evidence: that blocks are shared with the input, and not with whatever else; that a server copied; how much
# of the input was in the page cache; that it was the input that changed. And outputs that are no files to measure are refused:
# interfaces of the kernel, and files that can be written once. Mounts whose lines are longer than a page.
# Tried: it fails where shared extents are enough, wherever they lie; where rows that can't share are asked; where subvolumes are two
# Tried: file systems; a direct command's copy is the server's; what mincore(2) says of another's file is believed; a changed block
# Tried: device is the command's fault; a time of change is asked for, or is enough; each wrong copy is a change; proc, sysfs,
# Tried: cgroup2 or mqueue is missing in the list; no FUSE file system is tried, all are refused, --new is always, never or in vain
# Tried: the remedy; a line of mountinfo is cut at 4,000 bytes.
# shellcheck disable=SC2016
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"
[ "${PLACES-}" = private ] || skip_all "not root, or no mount namespaces"
ending() { # of what may still run or be mounted
	cd "$work" && : >stop
	umount -l once.d bound
	rmdir "/sys/fs/$mark" "/sys/fs/instances/$mark" || rm -f "/sys/fs/$mark"
	[ -z "$loop" ] || losetup -d "$loop"
	[ -z "$other" ] || kill -KILL "$other"
	unplace
} 2>/dev/null
loop='' other='' undo=ending
places 400 64 >places

as= # words before the program's name
rounds() { # OPTION...: the program, with its reports in csv and text.txt
	rm -f "$work/csv" "$work/text.txt"
	# shellcheck disable=SC2086
	timeout -k 1 300 $as "$wb" -p0 -v -f csv -o "$work/csv" -o "$work/text.txt" "$@" 2>"$work/err" 3>&-
}
of() { # ROW: its outcomes; of a command its first words, without quotes
	sed '1,/^row,/d; s/^"//' "$work/csv" | awk -v row="$1" 'index($0, row) == 1 && match($0, /,[0-9]+,[0-9]*,[a-z][^,]*,/) {
		split(substr($0, RSTART + 1), fields, ","); sub(/^failed changed/, "changed", fields[3]); print fields[3] }' | sort -u | paste -sd' ' -
}
at() { # FS WHAT
	fs=$1 dir=$(sed -n "s/^$1 //p" "$work/places")
	cd "${dir:-/nonexistent}" 2>/dev/null || { skip "$1: $2" "$(grep "^$1:" "$work/missing")" && return 1; }
}

# ---- Shared with the input.

snapshot() { # of the output and the input; those before the last three go again
	btrfs subvolume snapshot A "s.$i" && { [ "$i" -lt 3 ] || btrfs subvolume delete "s.$((i - 3))"; }
}
reflink() { cp --reflink=always A/Y "taken.$((i % 3))"; }
dedupe() { xfs_io -c 'dedupe A/even 0 0 1048576' A/Y; }
busy() { # COMMAND: again and again, until there is a file "stop"; times: how often it did something
	i=0
	while [ ! -e "$work/stop" ]; do
		"$1" && i=$((i + 1)) && echo $i >"$work/times"
		sleep 0.03
	done
} >/dev/null 2>&1 3>&-
slowly= # each ioctl(2) takes so long that something has happened before it
! can_trace || slowly='strace -qq -o /dev/null -e trace=ioctl -e inject=ioctl:delay_enter=50000'
meanwhile() { # WHAT COMMAND
	rm -f "$work/stop" "$work/times"
	busy "$2" &
	until_there grep -q '[^1]' "$work/times" # it has done it twice
	as=$slowly
	rounds -n2 -s 'read+write 64k,sendfile,reflink,copy_file_range' --with='cp --reflink=always A/even A/Y' <A/even >A/Y
	is "$fs, $1: exit status" $? 0
	as=
	: >"$work/stop"
	wait $!
	same "... there is a copy" A/even A/Y
	is "... rows that can't share, and those that do" "$(of 'read+write 64k') $(of sendfile), $(of reflink) $(of copy_file_range) $(of '$')" "ok ok, shared shared shared"
}
for place in btrfs xfs; do
	at $place "sharing" || continue
	shares || { skip "$fs: sharing" "this one shares no blocks" && continue; }
	case $fs in
	btrfs) doing=snapshot what="snapshots are taken" && btrfs subvolume create A && btrfs subvolume create B ;;
	xfs) doing=reflink what="another file takes the output's blocks" && mkdir A B ;;
	esac >/dev/null
	bytes 1048909 >A/odd
	head -c 1048576 A/odd >A/even
	head -c 100 A/odd | tee A/small >A/Y
	sync -f .
	meanwhile "$what" "$doing"
	if [ "$fs" = xfs ] && have xfs_io && full "a file that is deduplicated"; then
		meanwhile "the output is made to share the input's blocks" dedupe
		rounds -n2 -s 'read+write 64k' --with='dd bs=64k; sync A/Y; xfs_io -c "dedupe A/even 0 0 1048576" A/Y >/dev/null' <A/even >A/Y
		is "... by a command, which shares then" "$? $(of 'read+write 64k') $(of '$ dd')" "0 ok shared"
	fi
	for ends in "even A/Y" "odd B/Y" "small A/Y" ${FULL:+"even B/Y" "odd A/Y" "small B/Y"}; do
		export X="A/${ends% *}" Y="${ends#* }"
		dd if="$X" of=A/twin bs=64k conv=fsync 2>/dev/null # the same bytes in blocks of its own
		rounds -n2 -s 'read+write 64k,sendfile,reflink,copy_file_range' --with='cp --reflink=always $X $Y' --with='dd bs=64k' \
			--with='dd bs=4k; sync $Y; cp --reflink=always $Y other' --with='cp -f --reflink=always A/twin $Y' <"$X" >"$Y"
		is "$fs, $X to $Y: exit status" $? 0
		same "... there is a copy" "$X" "$Y"
		is "... rows that can't share" "$(of 'read+write 64k') $(of sendfile) $(of '$ dd bs=64k')" "ok ok ok"
		case $fs,$X,$(of reflink) in
		btrfs,A/small,shared | "btrfs,A/small,n/a "*) is "... bytes that are in no block" "$(of copy_file_range) $(of '$ cp --')" "ok ok" ;;
		*) is "... rows that share, a command, too" "$(of reflink) $(of copy_file_range) $(of '$ cp --')" "shared shared shared" ;;
		esac
		is "... a command whose blocks another file shares, or that shares another file's" "$(of '$ dd bs=4k') $(of '$ cp -f')" "ok ok"
	done
	for mode in --new --replace --overwrite; do
		rounds -n2 $mode -s 'read+write 64k,reflink,copy_file_range' --with='dd bs=64k' <A/even >A/Y
		is "$fs, $mode" "$? $(of 'read+write 64k') $(of reflink) $(of copy_file_range) $(of '$ dd')" "0 ok shared shared ok"
	done
done

# ---- No server copies on a local disk.

for place in ext4 xfs btrfs; do
	at $place "servers" || continue
	bytes 1048576 >X && truncate -s 1m holes
	for how in "-n2 X" "-n2 holes" "--no-verify X" "--no-verify holes"; do # to compare a copy makes its pages resident
		rounds -n2 "${how% *}" -s 'copy_file_range,sendfile,direct 1m,threads direct 1m' --with='dd oflag=direct bs=1M' --with='dd iflag=direct oflag=direct bs=1M' <"${how#* }" >Y
		is "$fs, $how: no row fails" "$? $(of '' | tr ' ' '\n' | grep -Evx 'ok|shared|n/a')" "0 " # n/a: direct, by checksums of btrfs
		lacks "... no server copies, as CSV has it" "$work/csv" '^# server_copies'
		lacks "... and the text" "$work/text.txt" '(^|[ (])[Ss]ervers?([ .,:)]|$)'
	done
done

# ---- How much stays in the page cache.

stays() { # INPUT cold|unknown|all [COMMAND]: run by it
	as=${3-}
	rounds -n2 --cold -s 'sendfile,read+write 64k' <"$1" >Y
	is "$fs, --cold, $1 by root${as:+, $as}: exit status" $? 0
	as=
	figure=$(sed -n 's/^# input_state: .*[^0-9.]\([0-9.]*\)%.*/\1/p' "$work/csv")
	case $2 in
	cold) is "... it is cold" "$(echo "${figure:-100}" | awk '{ print $1 < 5 }')" 1 ;;
	all) is "... all stays, as tmpfs is memory" "$figure $(grep -c '^# input_state: .*tmpfs.*memory\|^# warning_in_memory: \|^# page_cache: input in memory' "$work/csv")" "100 3" ;;
	unknown)
		is "... no figure" "$figure" ""
		holds "... it is not known" "$work/csv" '^# input_state: .*not known'
		one_line "$work/text.txt"
		holds "... in the text, too" line 'in the page cache is not known|not known[^.]* page cache'
		lacks "... which has no figure" line 'stayed in the page cache \(|[0-9]% of (it|the input)'
		;;
	esac
}
if at ext4 "what stays in the page cache"; then
	bytes 4194304 >X && cp X other && chown nobody other && chmod 644 X other
	stays X cold
	stays other cold
	for who in 'setpriv --inh-caps=-all --bounding-set=-all' 'unshare -Ur'; do
		$who true 2>/dev/null || { skip "root by $who" "it fails" && continue; }
		stays X cold "$who"
		stays other unknown "$who"
	done
fi
! at tmpfs "what stays in the page cache" || { bytes 4194304 >X && stays X all; }
cd "$work" || exit

# ---- What changed.

{ printf a && bytes 1048575; } | tee O image >X
! have losetup || loop=$(losetup -f --show image 2>/dev/null)
change='head -c 1 /dev/zero | tr "\0" ${c:-z} | dd of=$x conv=notrunc 2>dd.err' # the first byte, to $c
judged() { # WHAT OUTCOME STATUS COMMAND, with the input $x as it was
	dd if=O of="$x" bs=1M conv=notrunc,fsync 2>/dev/null
	rounds -n2 -s '$ *' --with="$4" <"$x" >Y
	is "${x##*/}: $1" "$? $(of '$')" "$3 $2"
}
for x in X $loop; do
	export x
	judged "it is written to after a command has copied it" changed 1 "cat; $change"
	judged "... before that, too" changed 1 "$change; cat; c=y; $change"
	judged "... while it copies" changed 1 "head -c 4096; $change; tail -c +4097 O"
	if [ "$x" = X ]; then
		judged "... and has its times back" changed 1 "touch -r X kept; cat; $change; touch -r kept X"
	else
		judged "... below the device" changed 1 'cat; printf z | dd of=image conv=notrunc 2>dd.err; sync image; blockdev --flushbufs $x'
	fi
	judged "a command copies wrongly" mismatch 1 'tr a b'
	judged "... and sets a time" mismatch 1 'tr a b; touch $x'
	judged "... and writes the same bytes" mismatch 1 'tr a b; dd if=O of=$x conv=notrunc 2>dd.err'
	judged "a time is set" ok 0 'dd bs=64k; touch $x'
	judged "the same bytes are written" ok 0 'dd bs=64k; dd if=O of=$x conv=notrunc 2>dd.err'
	perl -e 'open my $f, "+<", $ARGV[0] or die; for (my $n = 0; ; $n++) { sysseek $f, 0, 0; syswrite $f, pack "Q", $n }' "$x" 3>&- &
	other=$!
	for _ in 1 2 3 ${FULL:+4 5 6 7 8 9}; do
		rounds -n2 -s 'read+write 64k,sendfile,mmap+write' <"$x" >Y
		of ""
	done | tr ' ' '\n' | sort -u >seen
	kill -KILL "$other" && wait "$other" 2>/dev/null
	other=
	is "${x##*/}: another program writes to it all the time" "$(grep -Evx 'ok|changed' seen)" ""
done
[ -n "$loop" ] || skip "a block device that changes" "no losetup, or no loop device to be had"

# ---- Refused: what is no file to measure.

refused() { # DESCRIPTION LABEL: of the program before it, whose exit status is in got
	is "$1: exit status" "$got" 2
	holds "... the message names it" err "^write-bench: $2: "
	lacks "... there is no report" err '^row[ ,]'
}
echo 64 >number # which most of them would take
interface() { # NAME FILE
	cat "$2" >before 2>/dev/null
	sh -c ': <>"$1"' sh "$2" 2>/dev/null || { skip "$1" "it has no file, or can't be written to: $2" && return; }
	w -s sendfile <number 1<>"$2" 2>err; got=$?
	refused "$1, as output" "standard output"
	w -s 'splice, sendfile' --tee="$2" <number >Y 2>err; got=$?
	refused "$1, as second output" "--tee=$(shown "$2")"
	echo precious >Y
	w -s sendfile -f csv -o "$2" <number 1<>Y 2>err; got=$?
	refused "$1, for the report" "$(shown "$2")"
	is "... before the output is touched" "$(cat Y)" precious
	cat "$2" >after 2>/dev/null
	same "$1: nothing is written" before after
	cmp -s before after || cat before >"$2"
}
"$wb" -n1 -p0 -s sendfile <number 1<>/proc/self/comm 2>err; got=$?
refused "/proc/self/comm" "standard output"
sleep 300 3>&- &
other=$!
interface proc /proc/$other/coredump_filter
kill -KILL "$other" && wait "$other" 2>/dev/null
other=
interface sysfs "/sys/block/${loop#/dev/}/queue/read_ahead_kb"
for type in cgroup2 cgroup debugfs tracefs securityfs configfs bpf binfmt_misc mqueue; do
	own='' options=rw at=/sys/fs # nothing there is removed in the end
	case $type in
	cgroup2) own=$mark node=cgroup.max.depth ;;
	cgroup) own=$mark node=notify_on_release options=pids ;;
	debugfs) node=sched/latency_warn_once ;;
	tracefs) own=instances/$mark node=buffer_size_kb ;;
	securityfs) node=lockdown ;;
	binfmt_misc) node=status ;;
	*) node=NONE ;;
	esac
	mount -t $type -o $options none $at 2>/dev/null || { skip "$type" "it can't be mounted" && continue; }
	case $type in
	mqueue) node=$mark && touch "$at/$node" ;;
	configfs | bpf) node=$(cd $at && find . -type f -perm -600 | head -n 1) ;;
	esac
	[ -z "$own" ] || mkdir "$at/$own"
	interface $type "$at/$own/$node"
	[ -z "$own" ] || rmdir "$at/$own"
	[ $type != mqueue ] || rm "$at/$node"
	umount $at
done

# ---- Refused: files that can be written once, from their beginning to their end.

bytes 300000 >X
serve() { # MODE: tests/once.c at once.d
	mkdir -p once.d
	./once once.d "$1" 3>&- 2>said &
	until_there mountpoint -q once.d
}
unserve() { umount once.d && wait $!; }
onto() { # FILE [OPTION]: which is there, and is not new
	rm -f ran
	[ -e "$1" ] || sh -c ': >"$1"' sh "$1"
	w -s 'sendfile,read+write 64k' --with='echo >>ran; cat' ${2:+"$2"} <X 1<>"$1" 2>err; got=$?
}
is_copy() { # DESCRIPTION FILE
	dd if="$2" of=copied bs=64k 2>/dev/null
	same "$1" X copied
}
if ! have "${CC:-cc}" || ! sh -c ': <>/dev/fuse' 2>/dev/null; then
	skip "files that can be written once" "no compiler, or no /dev/fuse"
elif ! "${CC:-cc}" -O1 -Wall -Wextra -o once "$top/tests/once.c" 2>said; then
	fail "tests/once.c is compiled" said
else
	serve free
	onto once.d/Y
	is "a FUSE file system that takes all" "$got $(wc -l <ran)" "0 1"
	is_copy "... there is a copy" once.d/Y
	unserve
	for mode in once new; do
		serve $mode
		onto once.d/Y
		refused "FUSE, $mode: an empty file" "standard output"
		is "... no row has run" "$(cat ran 2>/dev/null)" ""
		holds "... the remedy is a command" err '--into'
		is "... or --new, if that works" "$(grep -q -e --new err && echo new || echo once)" $mode
		sh -c 'printf old >once.d/old'
		onto once.d/old
		refused "FUSE, $mode: a file with bytes" "standard output"
		is "... which stay" "$(cat once.d/old)" old
		sh -c ': >once.d/T'
		rm -f ran
		w -s '$ *' --with='echo >>ran; tee "$TEE"' --tee=once.d/T <X >Y 2>err; got=$?
		refused "FUSE, $mode: as second output" "--tee=once.d/T"
		is "... no row has run" "$(cat ran 2>/dev/null)" ""
		run 0 "FUSE, $mode: that remedy" w -s sendfile --into='cat >once.d/into' <X
		is_copy "... copies" once.d/into
		[ $mode = once ] || {
			onto once.d/Y.new --new
			is "FUSE, $mode: the other one" "$got $(wc -l <ran)" "0 1"
			is_copy "... copies" once.d/Y.new
		}
		unserve
	done
fi
mkdir stored bound
if have bindfs && bindfs stored bound >/dev/null 2>&1 3>&-; then
	rounds -n2 -s 'sendfile,read+write 64k' --with=cat <X >bound/Y
	is "an ordinary FUSE file system" "$? $(of '')" "0 ok"
	is_copy "... there is a copy" stored/Y
else
	skip "an ordinary FUSE file system" "no bindfs, or it fails"
fi

# ---- Mounts with long lines.

mkdir long && mount -t tmpfs none long && cd long && mkdir upper work at || exit
blanks=$(printf '%230s' '') # of which mountinfo makes four bytes each
layers='' deep=at
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	deep="$deep/$blanks$i" layers="$layers${layers:+:}$blanks$i"
	mkdir "$blanks$i" "$deep"
done
for m in at "$deep"; do
	mount -t overlay overlay -o "lowerdir=$layers,upperdir=upper,workdir=work" "$m" 2>"$work/said" || { skip "a long line" "$(head -c 200 "$work/said")" && continue; }
	long=$(grep ' overlay ' /proc/self/mountinfo | wc -c)
	is "a line of $long bytes is longer than two pages" "$((long > 8192))" 1
	cp "$work/X" "$m/X"
	for mode in "" --new; do
		# shellcheck disable=SC2086
		rounds -n1 $mode -s sendfile <"$m/X" >"$m/Y"
		is "... an overlay with that${mode:+, $mode}" "$? $(of sendfile)" "0 ok"
		same "... there is a copy" "$work/X" "$m/Y"
		holds "... the heading names it" "$work/csv" '^# heading: overlay'
	done
	umount "$m"
done
cd "$work" && umount long
