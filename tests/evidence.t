#!/bin/sh
# Evidence for what a report claims: that blocks are shared with the input, and not with whatever else; how much
# of the input was in the page cache; that it was the input that changed. And outputs that are no files to measure are
# refused: interfaces of the kernel. Mounts whose lines are longer than a page.
# Tried: it fails where shared extents are enough, wherever they lie; where subvolumes are two file systems; what
# Tried: mincore(2) says of another's file is believed; a changed block device is the command's fault; a time of change
# Tried: is enough; each wrong copy is a change; proc, sysfs or cgroup2 is missing in the list; a line of mountinfo is
# Tried: cut at 4,000 bytes.
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"
[ "${PLACES-}" = private ] || skip_all "not root, or no mount namespaces"
ending() { # of what may still run or be mounted
	cd "$work" || :
	rmdir "/sys/fs/$mark" "/sys/fs/instances/$mark"
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
became() { # ROW...: its outcomes; of a command its first words
	for row; do
		sed '1,/^row,/d; s/^"//' "$work/csv" | ROW=$row awk 'index($0, ENVIRON["ROW"]) == 1 &&
			match($0, /,[0-9]+,[0-9]*,[a-z][^,]*,/) { split(substr($0, RSTART + 1), fields, ",")
				if (fields[3] == "failed" && fields[4] ~ /^the input changed/) fields[3] = "changed"
				print fields[3] }' | sort -u
	done | paste -sd' '
}
at() { # FS WHAT
	fs=$1 dir=$(sed -n "s/^$1 //p" "$work/places")
	cd "${dir:-/nonexistent}" 2>/dev/null || { skip "$1: $2" "$(grep "^$1:" "$work/missing")" && return 1; }
}

# ---- Shared with the input.

for place in btrfs xfs; do
	at $place "sharing" || continue
	shares || { skip "$fs: sharing" "this one shares no blocks" && continue; }
	case $fs in
	btrfs) btrfs subvolume create A && btrfs subvolume create B ;;
	xfs) mkdir A B ;;
	esac >/dev/null
	bytes 1048909 >A/odd
	head -c 1048576 A/odd >A/even
	head -c 100 A/odd | tee A/small >A/Y
	sync -f .
	for ends in "even A/Y" "odd B/Y" "small A/Y"; do
		export X="A/${ends% *}" Y="${ends#* }"
		dd if="$X" of=A/twin bs=64k conv=fsync 2>/dev/null # the same bytes in blocks of its own
		rounds -n2 -s 'read+write 64k,sendfile,reflink,copy_file_range' --with='cp --reflink=always $X $Y' \
			--with='dd bs=64k' --with='dd bs=4k; sync $Y; cp --reflink=always $Y other' \
			--with='cp -f --reflink=always A/twin $Y' <"$X" >"$Y"
		is "$fs, $X to $Y: exit status" $? 0
		same "... there is a copy" "$X" "$Y"
		is "... rows that can't share" "$(became 'read+write 64k' sendfile '$ dd bs=64k')" "ok ok ok"
		case $fs,$X,$(became reflink) in
		btrfs,A/small,shared | "btrfs,A/small,n/a "*)
			is "... bytes that are in no block" "$(became copy_file_range '$ cp --')" "ok ok"
			;;
		*) is "... those that share" "$(became reflink copy_file_range '$ cp --')" "shared shared shared" ;;
		esac
		is "... a command whose blocks another file shares, or that shares another file's" \
			"$(became '$ dd bs=4k' '$ cp -f')" "ok ok"
	done
	rounds -n1 --new -s 'read+write 64k,reflink,copy_file_range' --with='dd bs=64k' <A/even >A/Y
	is "$fs, --new" "$? $(became 'read+write 64k' reflink copy_file_range '$ dd')" "0 ok shared shared ok"
done

# ---- The part that stays in the page cache.

stays() { # INPUT [COMMAND]: what is known of it, run by that
	as=${2-}
	rounds -n2 --cold -s 'sendfile,read+write 64k' <"$1" >Y
	is "$fs, --cold, $1 by root${as:+, $as}: exit status" $? 0
	as=
	figure=$(sed -n 's/^# input_state: .*[^0-9.]\([0-9.]*\)%.*/\1/p' "$work/csv")
}
if at ext4 "what stays in the page cache"; then
	bytes 4194304 >X && cp X other && chown nobody other && chmod 644 X other
	for input in X other; do
		stays $input
		is "... it is cold" "$(echo "${figure:-100}" | awk '{ print $1 < 5 }')" 1
	done
	for who in 'setpriv --inh-caps=-all --bounding-set=-all' 'unshare -Ur'; do
		$who true 2>/dev/null || { skip "root by $who" "it fails" && continue; }
		stays other "$who"
		is "... no figure is known" "$figure $(grep -c '^# input_state: .*not known' "$work/csv")" " 1"
		one_line "$work/text.txt"
		lacks "... nor in the text" line '[0-9]% of (it|the input)'
	done
fi
if at tmpfs "what stays in the page cache"; then
	bytes 4194304 >X
	stays X
	is "... all stays, with a warning" "$figure $(grep -c '^# warning_not_cold: ' "$work/csv")" "100 1"
fi
cd "$work" || exit

# ---- An input that changes.

{ printf a && bytes 1048575; } | tee O image >X
! have losetup || loop=$(losetup -f --show image 2>/dev/null)
change='printf z | dd of=$x conv=notrunc 2>dd.err' # the first byte
judged() { # WHAT OUTCOME STATUS COMMAND, with the input $x as it was
	dd if=O of="$x" bs=1M conv=notrunc,fsync 2>/dev/null
	rounds -n2 -s '$ *' --with="$4" <"$x" >Y
	is "${x##*/}: $1" "$? $(became '$')" "$3 $2"
}
for x in X $loop; do
	export x
	judged "it is written to after a command has copied it" changed 1 "cat; $change"
	judged "... while it copies" changed 1 "head -c 4096; $change; tail -c +4097 O"
	judged "a command copies wrongly" mismatch 1 'tr a b'
	judged "a time is set" ok 0 'dd bs=64k; touch $x'
	judged "the same bytes are written" ok 0 'dd bs=64k; dd if=O of=$x conv=notrunc 2>dd.err'
	perl -e 'open F, "+<", pop or die; sysseek F, 0, 0 and syswrite F, pack "Q", ++$n while 1' "$x" 3>&- &
	other=$!
	rounds -n4 -s 'read+write 64k,sendfile,mmap+write' <"$x" >Y
	kill -KILL "$other" && wait "$other" 2>/dev/null
	other=
	is "${x##*/}: another program writes to it all the time" "$(became "" | tr ' ' '\n' | grep -Evx 'ok|changed')" \
		""
done
[ -n "$loop" ] || skip "a block device that changes" "no losetup, or no loop device to be had"

# ---- Refused: what is no file to measure.

refused() { # LABEL DESCRIPTION COMMAND...: the message names it, and there is no report
	regex="^write-bench: $1: " what=$2
	shift 2
	tells 2 "$what: refused by its name" "$regex" "$@"
	lacks "... there is no report" err '^row[ ,]'
}
echo 64 >number # which most of them would take
interface() { # NAME FILE
	cat "$2" >before 2>/dev/null
	sh -c ': <>"$1"' sh "$2" 2>/dev/null || { skip "$1" "it has no file, or can't be written to: $2" && return; }
	refused "standard output" "$1, as output" w -s sendfile <number 1<>"$2"
	refused "--tee=$2" "$1, as second output" w -s 'splice, sendfile' --tee="$2" <number >Y
	echo precious >Y
	refused "$2" "$1, for the report" w -s sendfile -f csv -o "$2" <number 1<>Y
	is "... before the output is touched" "$(cat Y)" precious
	cat "$2" >after 2>/dev/null
	same "$1: nothing is written" before after
	cmp -s before after || cat before >"$2"
}
sleep 300 3>&- &
other=$!
interface proc /proc/$other/coredump_filter
kill -KILL "$other" && wait "$other" 2>/dev/null
other=
interface sysfs "/sys/block/${loop#/dev/}/queue/read_ahead_kb"
for type in cgroup2 cgroup tracefs; do
	options=rw at=/sys/fs # nothing there is removed in the end
	case $type in
	cgroup2) own=$mark node=cgroup.max.depth ;;
	cgroup) own=$mark node=notify_on_release options=pids ;;
	tracefs) own=instances/$mark node=buffer_size_kb ;;
	esac
	mount -t $type -o $options none $at 2>/dev/null || { skip "$type" "it can't be mounted" && continue; }
	mkdir "$at/$own"
	interface $type "$at/$own/$node"
	rmdir "$at/$own"
	umount $at
done

# ---- Mounts with long lines.

bytes 300000 >X
mkdir long && mount -t tmpfs none long && cd long && mkdir upper work at || exit
blanks=$(printf '%230s' '') # of which mountinfo makes four bytes each
layers='' deep=at
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	deep="$deep/$blanks$i" layers="$layers${layers:+:}$blanks$i"
	mkdir "$blanks$i" "$deep"
done
if mount -t overlay overlay -o "lowerdir=$layers,upperdir=upper,workdir=work" "$deep" 2>"$work/said" ||
	or_skip "a long line" "$(head -c 200 "$work/said")"; then
	long=$(grep ' overlay ' /proc/self/mountinfo | wc -c)
	is "a line of $long bytes is longer than two pages" "$((long > 8192))" 1
	cp "$work/X" "$deep/X"
	for mode in "" --new; do
		# shellcheck disable=SC2086
		rounds -n1 $mode -s sendfile <"$deep/X" >"$deep/Y"
		is "... an overlay with that${mode:+, $mode}" "$? $(became sendfile)" "0 ok"
		same "... there is a copy" "$work/X" "$deep/Y"
		holds "... the heading names it" "$work/csv" '^# heading: overlay'
	done
	umount "$deep"
fi
cd "$work" && umount long
