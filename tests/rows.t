#!/bin/sh
# Promises of rows beside the bytes: holes that stay, blocks as a unit, huge pages, advice and direct I/O for a disk, a
# request of a ring that never ends.
# Tried: copy_file_range sparse that allocates what it skips; that takes an error of SEEK_DATA for a hole
# Tried: threads that write to the file that is not direct; a ring without a second's limit
# Tried: rows with holes by default always; rows of --cold without it, and not by default with it
# Tried: a byte behind the end by KEEP_SIZE; O_DIRECT that is ignored taken for direct I/O
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
undo='umount huge 2>/dev/null; unplace'

w() { "$wb" -p0 -n1 "$@"; }
mib=1048576
calls_of_row() { # TRACE: without those of the last copy, which begins by emptying the output
	awk '/ftruncate/ { printf "%s", calls; calls = "" } { calls = calls $0 "\n" }' "$1"
}

# Sparse inputs: data in the middle of holes; zeros that are written; a hole at the end; nothing but a hole.
part=$((mib / 8)) sparse=$((mib + 100)) hole=$((3 * mib / 8 + 1))
sparse_input() { # FILE
	truncate -s $sparse "$1"
	bytes $part | dd of="$1" bs=$part seek=2 conv=notrunc status=none
	head -c $part /dev/zero | dd of="$1" bs=$part seek=4 conv=notrunc status=none
}
uncopied() { # rows of the file csv that are neither copied nor n/a with an errno
	column 1,4 csv | grep -vE ',(ok|shared|n/a( E[A-Z]+)?)$'
}
# left_by DIR BYTES ROW [OPTION...]: what the row leaves in Y, which had as many bytes before: the session is ended
# where the last copy begins, which is by read and write whatever the row was, and empties Y.
left_by() {
	dir=$1 before=$2 row=$3
	shift 3
	for inject in "" ":signal=KILL:when="; do
		bytes "$before" >"$dir/Y"
		strace -qq -o trace ${inject:+-e inject=ftruncate$inject$calls} -e trace=ftruncate \
			"$wb" -p0 -n1 -s "$row" "$@" <"$dir/X" 1<>"$dir/Y" 2>err
		calls=$(grep -c ftruncate trace)
	done
}
# each DESCRIPTION ROWS [OPTION...]: from $dir/X to $dir/Y each row copies, also the last one
each() {
	what=$1 these=$2
	shift 2
	w -s "$these" -f csv -o csv "$@" <"$dir/X" 1<>"$dir/Y" 2>err
	is "$what: each row copies, and the last" "$? $(uncopied)$(cmp "$dir/X" "$dir/Y")" "0 "
}
keepers='copy_file_range sparse,read+write sparse 4k,read+write sparse 64k'
mapped='*mmap*,vmsplice*' # where files are memory these fill the holes: last of all
places 320 40 >places
everywhere=
! full "every row, from files with holes, on every file system" || everywhere=1
while read -r place dir <&4; do
	rows="$keepers,read+write 128k"
	[ ! "$everywhere" ] && [ "$place" != here ] || rows='*'
	for overwrite in --overwrite ""; do
		[ "$rows" = '*' ] || [ "$overwrite" ] || continue
		before=$((${#overwrite} > 0 ? sparse + part : 0))
		rm -f "$dir/X"
		sparse_input "$dir/X"
		bytes $before >"$dir/Y"
		each "$place: an input with holes $overwrite" "$rows" -x "$mapped" ${overwrite:+"$overwrite"}
		is "$place: ... those that keep holes are among them" "$(column 1 csv | grep -c sparse)" 3
		for row in "copy_file_range sparse" "read+write sparse 4k" "read+write sparse 64k" "read+write 128k"; do
			can_trace || { skip "$place: $row $overwrite" "no strace" && continue; }
			left_by "$dir" "$before" "$row" ${overwrite:+"$overwrite"}
			same "$place: $row alone $overwrite: a copy" "$dir/X" "$dir/Y"
			kib=$(du -k "$dir/Y" | cut -f1) # XFS has room behind what is written
			case $row in *sparse*) fits=$((kib <= 400)) ;; *) fits=$((kib >= 1024)) ;; esac
			is "$place: ... of as many blocks as it should be: $kib KiB" $fits 1
		done
		[ "$rows" = '*' ] || continue
		each "$place: rows that map it $overwrite" "$mapped" ${overwrite:+"$overwrite"}
	done
	rm "$dir/X"
	truncate -s $hole "$dir/X"
	: >"$dir/Y"
	each "$place: nothing but a hole" "$rows"
	becomes "0 ok" "$place: ... the data of a part" -z $((2 * part)) -s "$keepers" <"$dir/X" >"$dir/Y"
	is "$place: ... is as long" "$(wc -c <"$dir/Y")" $((2 * part))
	rm -f "$dir/X" "$dir/Y"
done 4<places
while read -r missing <&4; do
	skip "file system" "$missing"
done 4<missing

sparse_input X
bytes $mib >full
run 0 "no holes" w -f csv -o csv <full >Y
is "... no rows that leave them" "$(column 1 csv | grep -c sparse)" 0

# Blocks of the output are a unit of rows, which are run beside others that are as large then.
rows_become "0 read+write 16bs,ok;read+write 1m,ok;read+write 256bs,ok;read+write 64k,ok" \
	"rows whose blocks are as large" -s 'read+write 16bs,read+write 64k,read+write 256bs,read+write 1m' <full >Y

# Advice.
becomes "0 ok" "advice, by default with --cold" --cold -s '*sendfile*' <full >Y
is "... of these rows" "$(column 1 csv | sort | sed 's/sendfile *//' | paste -sd';')" \
	";+ advices;+ advices + falloc;+ advices + trunc;+ noreuse;+ readahead"
becomes "2 " "... without it they are refused" -s 'sendfile + readahead' <full >Y
run 0 "KEEP_SIZE" w --all -s '*+ advices + kfalloc' -f csv -o csv <full >Y
is "... leaves nothing behind the end" "$(wc -c <Y | tr -d ' ') $(uncopied)" "$mib "

# Direct I/O that the file system of the input, or of the output, takes and does not do.
direct='direct 1m,io_uring direct 8x1m,threads direct 1m'
outcomes() { # INPUT OUTPUT: of rows that read directly, and of one that only writes so
	w -s "$direct,direct write 1m" -f csv -o csv <"$1" >"$2" 2>err
	column row,outcome,detail csv | sed 's/threads direct\|io_uring direct/direct/; s/ 8x1m/ 1m/' | grep \
		-v 'EPERM\|ENOSYS' |
		sort -u | tr '\n' ';'
}
ignored="n/a,the file system ignored O_DIRECT"
real=$(sed -n 's/^\(ext4\|xfs\) //p' places | head -n 1)
if [ "$real" ] && cp full "$real/X.direct" && [ "$(outcomes "$real/X.direct" "$real/Y")" = \
	"direct 1m,ok,;direct write 1m,ok,;" ] ||
	or_skip "direct I/O that is ignored" "no file system here has it"; then
	pass "direct I/O from and onto a file system that has it"
	tmpfs=$(sed -n 's/^tmpfs //p' places)
	cp full "$tmpfs/X.direct"
	is "... from tmpfs: only what writes directly is" "$(outcomes "$tmpfs/X.direct" "$real/Y")" \
		"direct 1m,$ignored;direct write 1m,ok,;"
	is "... onto tmpfs: none" "$(outcomes "$real/X.direct" "$tmpfs/Y")" \
		"direct 1m,$ignored;direct write 1m,$ignored;"
	run 2 "... from a pipe of the same bytes there is none" w --from="cat '$real/X.direct'" -s "$direct" >"$real/Y"
	rm "$tmpfs/X.direct"
	if grep -q '^btrfs ' places && umount btrfs && mount -o loop,compress-force=zstd btrfs.img btrfs 2>err ||
		or_skip "btrfs, compressed" "it can't be mounted"; then
		yes a line of text | head -c 3000000 >btrfs/X.direct
		is "... compressed btrfs" "$(outcomes btrfs/X.direct Y 2>&1 | sed 's/direct write.*//')" \
			"direct 1m,$ignored;"
	fi
fi

if can_trace && grep -q '^ext4 ' places && umount ext4 && mkfs.ext4 -q -F -b 1024 ext4.img &&
	mount -o loop ext4.img ext4 2>/dev/null ||
	or_skip "blocks of 1 KiB" "no such file system, or strace may not trace here"; then
	strace -qq -o trace -e trace=write,ftruncate -P "$work/ext4/Y" "$wb" -n1 -p0 -z 102400 \
		-s 'read+write 4bs' <full >ext4/Y 2>err
	is "blocks of 1 KiB: read+write 4bs writes four times as many bytes" \
		"$(calls_of_row trace | sed -n 's/.*write(.* = \([0-9]*\)$/\1/p' | sort | uniq -c | tr -s ' ')" \
		" 25 4096"
fi

# Huge pages in a mapped output: they are asked for; what comes of that, the kernel decides.
mkdir huge
bytes $((5 * mib + 1)) >X
for huge in here always; do
	if [ $huge = here ] || { [ "${PLACES-}" = private ] && mount -t tmpfs \
		-o "huge=$huge" tmpfs huge 2>/dev/null; } ||
		or_skip "tmpfs with huge=$huge" "it can't be mounted so"; then
		becomes "0 ok" "mapped outputs with huge pages: $huge" --all -s 'mmap+mmap huge*' <X >huge/Y
		same "... a copy" X huge/Y
		[ $huge = here ] || umount huge
	fi
done

# Calls that the kernel may refuse.
if can_trace || or_skip "what the kernel refuses" "no strace, or it may not trace here"; then
	w -s 'io_uring read+write 8x128k' -f csv -o csv <full >Y 2>err
	if [ "$(column 4 csv)" != ok ]; then
		skip "rings" "no io_uring here"
	elif uname -r | grep -Eq '^([1-4]|5\.([0-9]|1[0-6]))\.'; then
		skip "a request that waits for ever" "this kernel has no no-op without a completion"
	elif full "a request that waits for ever"; then
		# Its reader waits until the second is over for which the ring waits.
		timeout -k 1 60 strace -qq -o trace -e trace=io_uring_enter -e signal=none "$wb" -n1 -p0 \
			-s 'io_uring splice 1m' -f csv -o csv \
			--into='until grep -q ETIME trace; do sleep 0.05; done; cat >Y' <full >/dev/null 2>err
		is "a request for which the kernel starts no worker: the row goes on" "$? $(column 4 csv)" "0 ok"
		same "... a copy" full Y
		is "... by one more" \
			"$(grep -A1 -m1 ETIME trace | sed -n '2s/.*enter([0-9]*, \([0-9]*\), .* = /\1 /p')" "1 1"
	fi
	sparse_input X.sparse
	strace -f -qq -o trace -e trace=lseek,ftruncate "$wb" -n1 -p0 -s 'copy_file_range sparse' <X.sparse >Y 2>err
	for whence in SEEK_DATA SEEK_HOLE; do
		when=$(awk '/lseek/ { n++ } /ftruncate/ { row = 1 } row && /'$whence'/ { print n; exit }' trace)
		strace -f -qq -o trace.2 -e trace=lseek -e inject="lseek:error=EIO:when=$when" "$wb" -n1 -p0 \
			-s 'copy_file_range sparse' -f csv -o csv <X.sparse >Y 2>err
		holds "$whence fails: so does the row" csv ",failed EIO,.*lseek $whence"
		same "... and a plain copy is left" X.sparse Y
	done
	strace -f -qq -o trace -e trace=openat,open,read,write,pread64,pwrite64 "$wb" -n1 -p0 --cold \
		-s 'threads direct 1m' <X >Y 2>err
	if grep -q O_DIRECT trace || or_skip "direct I/O" "not here"; then
		direct=$(sed -n 's/.*O_WRONLY|O_DIRECT.* = \([0-9]*\)$/\1/p' trace)
		holds "direct I/O by threads: whole blocks" trace "pwrite64\\(${direct:-none}, .*, 1048576, "
		holds "... and the tail" trace "pwrite64\\([0-9]+, .*, 1, $((5 * mib))\\)"
	fi
fi
