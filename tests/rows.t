#!/bin/sh
# Promise 3: what a row is named after happens, beside the bytes: holes stay, blocks are those of the output, advice is
# given where it has a use, direct I/O passes the page cache by, or the row is n/a. A line of the tables is a row, and
# whether it leaves holes; a session, and what becomes of which row; or ends of direct I/O, and what becomes of that.
# Tried: copy_file_range sparse that allocates what it skips, or takes an error of SEEK_DATA for a hole; sparse rows
# Tried: that don't truncate first; rows with holes by default always; rows of --cold without it, and not by default
# Tried: with it; a byte behind the end by KEEP_SIZE; O_DIRECT that is ignored taken for direct I/O; threads that write
# Tried: to the file that is not direct; no look at huge pages; blocks of 4 KiB on each file system.
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
undo=unplace
places 320 48 >places
directory() { # PLACE: empty, if there is none
	sed -n "s/^$1 //p" "$work/places"
}

# Holes. Each row copies them, by the program's own comparison; what keeps them is run by default then.
part=131072 size=$((8 * part + 100))
input() { # hole: X is nothing else; sparse: it has data between holes, then zeros that are written, and a hole
	rm -f X
	truncate -s $((8 * part + 100)) X
	[ "$1" = hole ] || bytes $part | dd of=X bs=$part seek=2 conv=notrunc status=none
	[ "$1" = hole ] || head -c $part /dev/zero | dd of=X bs=$part seek=4 conv=notrunc status=none
}
# copies PLACE DESCRIPTION INPUT OPTION...: from X to Y, which has other bytes
copies() {
	place=$1 what=$2
	input "$3"
	shift 3
	bytes $((9 * part)) >Y
	measure -q "$@" <X 1<>Y 2>err
	is "$place: $what" "$? $(column 1,4 csv | grep -vE ',(ok|shared|n/a( E[A-Z]+)?)$') $(
		column 1 csv | grep -c sparse) $(head -c "$size" X | cmp - Y 2>&1) $(wc -c <Y)" "0  3  $size"
}
keepers="copy_file_range sparse,read+write sparse 4k,read+write sparse 64k"
mapped="*mmap*,vmsplice*" # where files are memory these fill the holes: last of all
everywhere=
! full "all rows, from files with holes, on all file systems" || everywhere=1
while read -r place dir <&4; do
	cd "$dir" || exit
	copies "$place" "nothing but a hole" hole -s "$keepers,read+write 128k"
	if [ "$everywhere" ] || [ "$place" = here ]; then
		size=$((2 * part + 100))
		copies "$place" "a part that ends amid data" sparse -s "$keepers" -z $size
		size=$((8 * part + 100))
		copies "$place" "holes, data and zeros, by all rows" sparse -x "$mapped"
		copies "$place" "... by rows that map them" sparse -s "$mapped,*sparse*" --overwrite
	fi
	# What a row leaves in a file that was full, as a command finds it in the second round.
	while IFS='|' read -r row bound <&5; do
		input sparse
		measure -n2 --in-order --overwrite -s "$row" \
			--with='[ ! -s /dev/stdin ] || { cmp X Y; du -k Y | cut -f1; } >left 2>&1; cat' <X >Y 2>err
		is "$place: $row leaves a copy of$bound KiB in a full file: $(paste -sd' ' left)" \
			"$? $(wc -l <left) $(($(tail -n 1 left)$bound))" "0 1 1"
	done 5<<-'END_OF_ROWS'
		copy_file_range sparse|<=400
		read+write sparse 4k|<=400
		read+write 128k|>=1024
	END_OF_ROWS
	rm -f X Y
	cd "$work" || exit
done 4<places

# Which rows there are, and what becomes of them: status, then each with its outcome.
bytes 1048576 >X
while IFS='|' read -r what options wanted <&4; do
	eval "set -- $options"
	rows_become "$wanted" "$what" "$@" <X >Y
done 4<<'END_OF_CASES'
blocks of the output are a unit|-s 'read+write 16bs,read+write 1m'|0 read+write 16bs,ok;read+write 1m,ok
without holes no row leaves them|-s '*sparse*'|2 
advice of --cold, by default|--cold -s 'sendfile + [nr]*'|0 sendfile + noreuse,ok;sendfile + readahead,ok
... there is none without it|-s 'sendfile + readahead'|2 
no direct row from a pipe|--from='cat X' -s 'direct 1m'|2 
END_OF_CASES
measure -s 'sendfile + advices + kfalloc,read+write 64k + advices + kfalloc' <X >Y 2>err
is "room behind the end does not make a file longer" "$(column 4 csv | sed 's/^n.a E.*/ok/' | sort -u) $(wc -c <Y)" \
	"ok 1048576"
pages=/sys/kernel/mm/transparent_hugepage/enabled
echo "always madvise [never]" >never
if { [ "${PLACES-}" = private ] && mount --bind never $pages; } 2>mount.err || or_skip "huge pages" "none to hide"; then
	rows_become "0 vmsplice huge,n/a EOPNOTSUPP;vmsplice,ok" "a kernel without huge pages" \
		-s 'vmsplice,vmsplice huge' --into=cat <X
	umount $pages
fi

# Direct I/O. A file system may take O_DIRECT, and ignore it: tmpfs, and a btrfs that compresses.
real=$(sed -n 's/^\(ext4\|xfs\) .*/\1/p' places | head -n 1)
if [ -d btrfs ] && umount btrfs 2>mount.err; then
	mount -o loop,compress-force=zstd btrfs.img btrfs || sed -i '/^btrfs/d' places
fi
ignored="n/a,the file system ignored O_DIRECT"
while IFS='|' read -r from to both writes <&4; do
	in=$(directory "$from") out=$(directory "$to")
	if [ -z "$in" ] || [ -z "$out" ]; then
		skip "direct I/O, from '$from' to '$to'" "no such places"
		continue
	fi
	cp X "$in/X.direct"
	measure -s 'direct 1m,threads direct 1m,io_uring direct 8x1m,direct write 1m' <"$in/X.direct" >"$out/Y" 2>err
	is "direct I/O, from $from to $to: what reads and writes so; what only writes so" \
		"$(column row,outcome,detail csv | sed '/EPERM\|ENOSYS/d; /^direct w/!s/^[^,]*/both/; s/ 1m//' |
			sort -u | paste -sd';')" "both,$both;direct write,$writes"
	rm "$in/X.direct"
done 4<<END_OF_CASES
$real|$real|ok,|ok,
tmpfs|$real|$ignored|ok,
$real|tmpfs|$ignored|$ignored
btrfs|$real|$ignored|ok,
$real|btrfs|$ignored|$ignored
END_OF_CASES

# Calls, and calls that fail.
can_trace || skip_all "strace may not trace here"
traced() { # OPTIONS-OF-STRACE OPTION...: the row's calls, before the output is emptied for the last copy, are in calls
	words=$1
	shift
	# shellcheck disable=SC2086
	strace -f -qq -o trace $words "$wb" -n1 -p0 -f csv -o csv "$@" 2>err
	awk '/ftruncate/ { printf "%s", calls; calls = "" } { calls = calls $0 "\n" }' trace >calls
}
if [ -d ext4 ] && umount ext4 2>mount.err && mkfs.ext4 -q -F -b 1024 ext4.img && mount -o loop ext4.img ext4 ||
	or_skip "blocks of 1 KiB" "no such file system"; then
	traced "-e trace=write,ftruncate -P ext4/Y" -z 102400 -s 'read+write 4bs' <X >ext4/Y
	is "blocks of 1 KiB: read+write 4bs writes four times as many bytes" \
		"$(sed -n 's/.*write(.* = \([0-9]*\)$/\1/p' calls | sort | uniq -c | tr -s ' ')" " 25 4096"
fi
bytes 1048577 >X.tail
for row in "direct 1m" "threads direct 1m"; do
	traced "-e trace=openat,pwrite64,ftruncate" -s "$row" <X.tail >Y
	if [ "$(column 4 csv)" = ok ] || or_skip "$row: whole blocks" "no direct I/O here"; then
		fd=$(sed -n 's/.*O_WRONLY|O_DIRECT.* = \([0-9]*\)$/\1/p' calls)
		is "$row: whole blocks directly, and the tail" "$(grep -c "pwrite64($fd, .*, 1048576, " calls) $(
			grep pwrite64 calls | grep -v "pwrite64($fd, " | sed 's/.*", \(.*[0-9]\)) *= .*/\1/')" "1 1, 1048576"
	fi
done
input sparse
traced "-e trace=lseek,ftruncate" -s 'copy_file_range sparse' <X >Y
for whence in SEEK_DATA SEEK_HOLE; do
	when=$(grep lseek trace | grep -n $whence | tail -n 1 | cut -d: -f1)
	traced "-e trace=lseek -e inject=lseek:error=EIO:when=$when" -s 'copy_file_range sparse' <X >Y
	is "$whence fails: so does the row" "$(column outcome,detail csv)" "failed EIO,lseek $whence"
	same "... and a plain copy is left" X Y
done
