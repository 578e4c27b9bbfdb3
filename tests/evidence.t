#!/bin/sh
# What is said on evidence alone. A line of the tables is a state that is made, and what the report has of it: blocks
# that are shared with the input, and not with whatever else; compression that a row leaves; whether it is known how
# much of the input stayed in the page cache; an input that changed meanwhile.
# Tried: it fails where shared extents are enough, wherever they lie; where half of the bytes is not; where subvolumes
# Tried: are two file systems; where rows with fallocate run on a compressed btrfs; what mincore(2) says of another's
# Tried: file is believed; a time of change is enough; each wrong copy is a change; the input's size is not asked in
# Tried: the end.
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"
[ "${PLACES-}" = private ] || skip_all "not root, or no mount namespaces"
ending() { # of what may still be mounted
	cd "$work" || :
	[ -z "$loop" ] || losetup -d "$loop"
	unplace
} 2>/dev/null
loop='' undo=ending
mounted() { # FS [OPTION]: in a directory of that name, which is entered
	cd "$work" && truncate -s 400M "$1.img" && mkdir "$1" && make_fs "$1"
	mount -o "loop${2:+,$2}" "$1.img" "$1" && cd "$1" && return
	skip "$1" "it can't be made, or mounted"
	return 1
} 2>>mounted.err
# found OPTION...: by a session of rows in their order, in $got: its status, and outcomes; "changed": so did the input
found() {
	rm -f "$work/csv"
	# shellcheck disable=SC2086
	${under-} timeout -k 1 300 "$wb" -n1 -p0 --in-order -f csv -o "$work/csv" "$@" 2>"$work/err" 3>&-
	got=$?
	got="$got $(column outcome,detail "$work/csv" | sed 's/^failed,the input changed.*/changed/; s/,.*//' |
		paste -sd' ')"
}

# ---- Shared with the input: a command, and whether it shares; short ones first, as reports have
# them. $IN.twin has the input's bytes in blocks of its own.
echo 'dd if="$IN.twin" of="$OUT" conv=notrunc bs=64k count=1 skip=$i seek=$i' >rewrite
cat >commands <<'END'
ok|dd bs=64k
shared|cp --reflink=always "$IN" "$OUT"
ok|cp -f --reflink=always "$IN.twin" "$OUT"
ok|dd bs=4k; sync "$OUT"; cp --reflink=always "$OUT" other
shared|cp --reflink=always "$IN" "$OUT"; dd if="$IN.twin" of="$OUT" conv=notrunc bs=64k count=8
ok|cp --reflink=always "$IN" "$OUT"; dd if="$IN.twin" of="$OUT" conv=notrunc bs=64k count=10
ok|cp --reflink=always "$IN" "$OUT"; dd if="$IN.twin" of="$OUT" conv=notrunc bs=64k skip=6 seek=6
shared|cp --reflink=always "$IN" "$OUT"; for i in 0 2 4 6 8 10 12 14; do . ../rewrite; done # a part of each
END
set --
while IFS= read -r line; do
	set -- "$@" --with="${line#*|}"
done <commands
for fs in btrfs xfs; do
	if [ $fs = btrfs ]; then mounted btrfs compress=zstd:1; else mounted xfs; fi || continue
	shares || { skip "$fs: sharing" "this one shares no blocks" && continue; }
	if [ $fs = btrfs ]; then btrfs subvolume create A && btrfs subvolume create B; else mkdir A B; fi >../out
	bytes 1048576 >A/even
	seq 200000 | head -c 1048576 >A/text # which btrfs compresses
	bytes 1048909 >A/odd
	bytes 100 >A/small # which btrfs keeps in no block
	for ends in "even A/Y" "text A/Y" "odd B/Y"; do
		in=A/${ends% *} out=${ends#* }
		dd if="$in" of="$in.twin" bs=64k conv=fsync 2>../dd.err
		sync -f .
		found -s 'read+write 64k,sendfile,copy_file_range,reflink' "$@" <"$in" >"$out"
		is "$fs, $ends: rows and commands that share, and others" "$got" \
			"0 ok ok shared shared $(cut -d'|' -f1 ../commands | paste -sd' ')"
	done
	few=shared
	[ $fs = xfs ] || few=ok
	found -s copy_file_range -w 'cp --reflink=always "$IN" "$OUT"' <A/small >A/Y
	is "$fs: of few bytes" "$got" "0 $few $few"
	found --new -s 'read+write 64k,reflink' -w 'dd bs=64k' <A/even >A/Y
	is "$fs, --new" "$got" "0 ok shared ok"
	# The compression that a row leaves.
	[ $fs = btrfs ] || continue
	found -a -s 'sendfile*' <A/text >A/Z
	column 1,4 ../csv >../outcomes
	is "btrfs that compresses: rows that would end that are n/a, and others are not" \
		"$(grep -E "falloc(,| )" ../outcomes | grep -vc ",n/a\$") $(grep -c "^sendfile,ok\$" ../outcomes)" "0 1"
done

# ---- What --cold has left in the page cache: another's file tells it to those only who may write to it.
if mounted ext4; then
	bytes 4194304 >X && chown nobody X && chmod 644 X
	while IFS='|' read -r wanted under; do
		$under true 2>../err || { skip "--cold, $under" "it fails" && continue; }
		found --cold -s 'sendfile,read+write 64k' <X >Y
		figure=$(sed -n 's/^# input_state: .*[^0-9.]\([0-9.]*\)%.*/\1/p' "$work/csv")
		is "--cold, another's file, $under" "$got $(echo "$figure" |
			awk '{ print $0 == "" ? "not known" : $0 < 5 ? "cold" : $0 }')" "0 ok ok $wanted"
	done <<-'END'
		cold|
		not known|setpriv --inh-caps=-all --bounding-set=-all
	END
	under=''
fi

# ---- An input that changes: wanted, what happens, the command.
cd "$work" || exit
{ printf a && bytes 1048575; } | tee O image >X
! have losetup || loop=$(losetup -f --show image 2>/dev/null)
if [ -n "$loop" ] || or_skip "a block device" "no losetup, or no loop device to be had"; then
	found --cold -z 64k -s sendfile <"$loop" >Y
	lacks "a block device is not in memory, though its node is on devtmpfs" csv 'is in memory'
fi
for x in X $loop; do
	export x
	while IFS='|' read -r wanted what command; do
		case $x,$command in /*,*'>>$x' | /*,*truncate*) continue ;; esac
		[ "$x" != X ] || truncate -s 1M X
		dd if=O of="$x" bs=1M conv=notrunc,fsync 2>dd.err
		found -s '$ *' --with="$command" <"$x" >Y
		is "${x##*/}: $what" "$got" "$wanted"
	done <<-'END'
		1 changed|it is written to after a command has copied it|cat; printf z | dd of=$x conv=notrunc 2>dd.err
		1 changed|... while it copies|head -c 4k; printf z | dd of=$x conv=notrunc 2>dd.err; tail -c +4097 O
		1 changed|it grows while it is copied|head -c 4k; echo >>$x; cat
		1 changed|it shrinks|cat; truncate -s 4k $x
		1 ok|it grows when it is copied|dd bs=64k; echo >>$x
		1 mismatch|a command copies wrongly|tr a b
		0 ok|a time is set|dd bs=64k; touch $x
		0 ok|the same bytes are written|dd bs=64k; dd if=O of=$x conv=notrunc 2>dd.err
	END
done
# One that is not read again: its time of change is asked.
found --send -s 'read+write 64k' --with='cat; date +%N | dd of=X conv=notrunc 2>dd.err' <X
is "it is written to, with --send" "${got%% *} $(joined err | grep -c 'changed meanwhile')" "1 1"
