#!/bin/sh
# What rows promise beside the bytes: holes that stay, pages that are brought in by one call, huge pages, advice for a disk.
# Tried: copy_file_range sparse that allocates what it skips; that takes an error of SEEK_DATA for a hole
# Tried: windows of a mapping that are written at once
# Tried: MADV_NORMAL in place of MADV_POPULATE_READ and _WRITE; threads that write to the file that is not direct
# Tried: a ring with IORING_SETUP_DEFER_TASKRUN; without a second's limit; SPLICE_F_MORE never, and always
# Tried: rows with holes by default always; rows of --cold without it, and not by default with it
# Tried: without asking for huge pages; a byte behind the end by KEEP_SIZE
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
undo='umount huge 2>/dev/null; unplace'

w() {
	"$wb" -p0 -n1 "$@"
}
one_line() {
	tr -s '\n ' ' ' <"$1" >line
}
outcome_of() { # ROW: in the file csv
	sed '1,/^row,/d' csv | sed -n "s/^$1,[0-9]*,[0-9]*,\([^,]*\),.*/\1/p" | sort -u
}
mib=1048576
calls_of_row() { # TRACE: without those of the last copy, which begins by emptying the output
	awk '/ftruncate/ { printf "%s", calls; calls = "" } { calls = calls $0 "\n" }' "$1"
}
kib_of() {
	du -k "$1" | cut -f1
}

# Sparse inputs: data in the middle of holes; zeros that are written; a hole at the end; nothing but a hole.
part=$((mib / 8)) sparse=$((mib + 100)) hole=$((3 * part + 1))
sparse_input() { # FILE
	truncate -s $sparse "$1"
	bytes $part | dd of="$1" bs=$part seek=2 conv=notrunc status=none
	head -c $part /dev/zero | dd of="$1" bs=$part seek=4 conv=notrunc status=none
}
# left_by DIR BYTES ROW [OPTION...]: what the row leaves in Y, which had as many bytes before: the session is ended where the last
# copy begins, which is by read and write whatever the row was, and empties Y.
left_by() {
	dir=$1 before=$2 row=$3
	shift 3
	for inject in "" ":signal=KILL:when="; do
		bytes "$before" >"$dir/Y"
		strace -qq -o trace ${inject:+-e inject=ftruncate$inject$calls} -e trace=ftruncate "$wb" -p0 -n1 -s "$row" "$@" <"$dir/X" 1<>"$dir/Y" 2>err
		calls=$(grep -c ftruncate trace)
	done
}
keepers='copy_file_range sparse,read+write sparse 4k,read+write sparse 64k'
places 320 40 >places
while read -r place dir <&4; do
	sparse_input "$dir/X"
	holes=$((sparse - 2 * part)) # but for what is written: data, and zeros
	mapped='*mmap*,vmsplice*' # where files are memory these fill the holes: last of all
	# dd(1) makes the same calls. What XFS has allocated ahead is no hole any more when it has been read.
	for by in 4k 64k; do
		dd if="$dir/X" of="$dir/Y" bs=$by conv=sparse status=none
		same "$place: dd by $by" "$dir/X" "$dir/Y"
		eval "least_$by=\$(holes_of \"\$dir/Y\")"
		rm "$dir/Y"
	done
	for overwrite in "" --overwrite; do
		before=$((${#overwrite} > 0 ? sparse + part : 0))
		bytes $before >"$dir/Y"
		# shellcheck disable=SC2086
		run 0 "$place: an input with holes $overwrite" w $overwrite -x "$mapped" -f csv -o csv <"$dir/X" 1<>"$dir/Y"
		is "$place: ... rows that keep them are run" "$(column 1 csv | grep -c sparse)" 3
		is "$place: ... and each row copies" "$(column 4 csv | grep -vE '^(ok|shared|n/a( E[A-Z]+)?)$')" ""
		same "$place: ... the last is a copy" "$dir/X" "$dir/Y"
		for row in "copy_file_range sparse" "read+write sparse 4k" "read+write sparse 64k" "read+write 128k"; do
			can_trace || { skip "$place: $row $overwrite" "no strace" && continue; }
			left_by "$dir" "$before" "$row" ${overwrite:+"$overwrite"}
			same "$place: $row alone $overwrite: a copy" "$dir/X" "$dir/Y"
			left=$(holes_of "$dir/Y") kib=$(kib_of "$dir/Y")
			case $row in
			*" 4k") least=${least_4k:-0} ;;
			*" 64k") least=${least_64k:-0} ;;
			*" sparse") least=$holes ;;
			*)
				is "$place: ... without holes" "$left" 0
				continue
				;;
			esac
			least=$((least - 70000))
			[ "$left" -ge $least ] && [ "$left" -le $((holes + part)) ]
			is "$place: ... leaves holes: $left of $sparse bytes, $least or more" $? 0
			[ "$kib" -le 400 ] # XFS has room behind what is written
			is "$place: ... is of few blocks: $kib KiB" $? 0
		done
	done
	truncate -s 0 "$dir/X" && truncate -s $hole "$dir/X"
	run 0 "$place: nothing but a hole" w -x "$mapped" -f csv -o csv <"$dir/X" >"$dir/Y"
	is "$place: ... and each row copies" "$(column 4 csv | grep -vE '^(ok|shared|n/a( E[A-Z]+)?)$')" ""
	for row in "copy_file_range sparse" "read+write sparse 4k"; do
		can_trace || { skip "$place: ... $row" "no strace" && continue; }
		left_by "$dir" 0 "$row"
		is "$place: ... $row alone leaves it" "$(holes_of "$dir/Y") $(wc -c <"$dir/Y" | tr -d ' ')" "$hole $hole"
	done
	run 0 "$place: ... the data of a part" w -z $((2 * part)) -s "$keepers" -f csv -o csv <"$dir/X" >"$dir/Y"
	is "$place: ... is as long" "$(wc -c <"$dir/Y" | tr -d ' ') $(column 4 csv | sort -u)" "$((2 * part)) ok"
	for case in holes "holes --overwrite" hole; do
		rm -f "$dir/X"
		case $case in holes*) sparse_input "$dir/X" ;; *) truncate -s $hole "$dir/X" ;; esac
		overwrite=${case#hole} overwrite=${overwrite#s}
		# shellcheck disable=SC2086
		run 0 "$place: an input with $case, by rows that map it" w $overwrite -s "$mapped" -f csv -o csv <"$dir/X" >"$dir/Y"
		is "$place: ... each row copies" "$(column 4 csv | grep -vE '^(ok|n/a( E[A-Z]+)?)$')" ""
		same "$place: ... the last is a copy" "$dir/X" "$dir/Y"
	done
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
run 0 "rows whose blocks are as large" w -s 'read+write 16bs,read+write 64k,read+write 256bs,read+write 1m' -f csv -o csv <full >Y
is "... are run each by itself" "$(column 1,4 csv | sort | tr '\n' ';')" "read+write 16bs,ok;read+write 1m,ok;read+write 256bs,ok;read+write 64k,ok;"

# Advice.
run 0 "advice, cold" w --cold -s '*sendfile*' -f csv -o csv <full >Y
is "... by default, with --cold" "$(column 1 csv | sort | tr '\n' ';')" \
	"sendfile;sendfile + advices;sendfile + advices + falloc;sendfile + advices + trunc;sendfile + noreuse;sendfile + readahead;"
is "... each copies" "$(column 4 csv | sort -u)" ok
run 2 "without --cold" w -s 'sendfile + readahead' <full >Y
holds "... it is refused" err '^write-bench: --select=sendfile \+ readahead: matches no row: '
run 0 "KEEP_SIZE" w --all -s '*+ advices + kfalloc' -f csv -o csv <full >Y
is "... leaves nothing behind the end" "$(wc -c <Y | tr -d ' ') $(column 4 csv | grep -vE '^(ok|shared|n/a( EOPNOTSUPP| EINVAL)?)$')" "$mib "

if can_trace; then
	strace -f -qq -o trace -e trace=fadvise64,readahead "$wb" -p0 -n1 -z 4096 --cold -s 'sendfile + advices,sendfile + noreuse,sendfile + readahead' <full >Y 2>err
	is "advice is about the bytes that are copied" \
		"$(sed -n 's/.*(\([0-9]*\), \(0, .*\(SEQUENTIAL\|WILLNEED\|NOREUSE\)\)).*/\2/p; s/.*readahead(0, \(.*\)) .*/readahead \1/p' trace | sort | tr '\n' ';')" \
		"0, 4096, POSIX_FADV_NOREUSE;0, 4096, POSIX_FADV_SEQUENTIAL;0, 4096, POSIX_FADV_WILLNEED;readahead 0, 4096;"
else
	skip "advice is about the bytes that are copied" "no strace, or it may not trace here"
fi

# Direct I/O that the file system of the input, or of the output, takes and does not do.
direct='direct 1m,io_uring direct 8x1m,threads direct 1m'
outcomes() { # INPUT OUTPUT: of rows that read directly, and of one that only writes so
	w -s "$direct,direct write 1m" -f csv -o csv <"$1" >"$2" 2>err
	column row,outcome,detail csv | sed 's/threads direct\|io_uring direct/direct/; s/ 8x1m/ 1m/' | grep -v 'EPERM\|ENOSYS' | sort -u | tr '\n' ';'
}
ignored="n/a,the file system ignored O_DIRECT"
real=$(sed -n 's/^\(ext4\|xfs\) //p' places | head -n 1)
if [ "$real" ] && cp full "$real/X.direct" && [ "$(outcomes "$real/X.direct" "$real/Y")" = "direct 1m,ok,;direct write 1m,ok,;" ]; then
	pass "direct I/O from and onto a file system that has it"
	tmpfs=$(sed -n 's/^tmpfs //p' places)
	cp full "$tmpfs/X.direct"
	is "... from tmpfs: only what writes directly is" "$(outcomes "$tmpfs/X.direct" "$real/Y")" "direct 1m,$ignored;direct write 1m,ok,;"
	is "... from a pipe of the same bytes there is none" "$(w --from="cat '$real/X.direct'" -s "$direct" >"$real/Y" 2>err; sed "s,: write-bench --list.*,," err)" \
		"write-bench: --select=direct 1m: matches no row"
	rm "$tmpfs/X.direct"
	if grep -q '^ext4 ' places && grep -q '^xfs ' places && umount ext4 && mount -o loop,data=journal ext4.img ext4 2>err; then
		cp full ext4/X.direct
		is "... from ext4 with data=journal" "$(outcomes ext4/X.direct "$(sed -n 's/^xfs //p' places)/Y" 2>&1 | sed 's/direct write.*//')" "direct 1m,$ignored;"
	else
		skip "ext4 with data=journal" "it can't be mounted"
	fi
	if grep -q '^btrfs ' places && umount btrfs && mount -o loop,compress-force=zstd btrfs.img btrfs 2>err; then
		yes a line of text | head -c 3000000 >btrfs/X.direct
		is "... from btrfs, compressed" "$(outcomes btrfs/X.direct Y 2>&1 | sed 's/direct write.*//')" "direct 1m,$ignored;"
	else
		skip "btrfs, compressed" "it can't be mounted"
	fi
else
	skip "direct I/O that is ignored" "no file system here has it"
fi

if grep -q '^ext4 ' places && umount ext4 && mkfs.ext4 -q -F -b 1024 ext4.img && mount -o loop ext4.img ext4 2>/dev/null; then
	if can_trace; then
		strace -qq -o trace -e trace=write,ftruncate -P "$work/ext4/Y" "$wb" -n1 -p0 -z 102400 -s 'read+write bs' <full >ext4/Y 2>err
		is "blocks of 1 KiB: read+write bs writes as many bytes" "$(calls_of_row trace | sed -n 's/.*write(.* = \([0-9]*\)$/\1/p' | sort | uniq -c | tr -s ' ')" " 100 1024"
		strace -qq -o trace -e trace=write,ftruncate -P "$work/ext4/Y" "$wb" -n1 -p0 -z 102400 -s 'read+write 4bs' <full >ext4/Y 2>err
		is "... read+write 4bs four times as many" "$(calls_of_row trace | sed -n 's/.*write(.* = \([0-9]*\)$/\1/p' | sort | uniq -c | tr -s ' ')" " 25 4096"
	else
		skip "blocks of 1 KiB" "no strace, or it may not trace here"
	fi
else
	skip "blocks of 1 KiB" "no such file system"
fi

# Huge pages in a mapped output: they are asked for; what comes of that, the kernel decides.
mkdir huge
bytes $((5 * mib + 1)) >X
for huge in here never always; do
	if [ $huge = here ] || { [ "${PLACES-}" = private ] && mount -t tmpfs -o "huge=$huge" tmpfs huge 2>/dev/null; }; then
		run 0 "mapped outputs with huge pages: $huge" w --all -s 'mmap+mmap huge*' -f csv -o csv <X >huge/Y
		is "... each row copies" "$(column 4 csv | sort -u)" ok
		same "... a copy" X huge/Y
		[ $huge = here ] || umount huge
	else
		skip "tmpfs with huge=$huge" "it can't be mounted so"
	fi
done

# What the kernel may refuse.
if can_trace; then
	refused() { # CALL:INJECTION ROW: outcome of the row, with a copy left by another
		strace -f -qq -o trace -e trace="${1%%:*}" -e inject="$1" "$wb" -n1 -p0 -s "$2" -f csv -o csv <full >Y 2>err
		echo "$? $(outcome_of "$2")"
	}
	for row in "mmap+write 16m" "mmap+mmap 2m + trunc"; do
		is "$row before Linux 5.14" "$(refused madvise:error=EINVAL "$row")" "1 n/a EINVAL"
		holds "... the call is named" csv 'n/a EINVAL,.*madvise MADV_POPULATE_READ'
		same "... and there is a copy" full Y
	done
	is "a kernel without huge pages" "$(refused madvise:error=EINVAL "mmap+mmap huge + trunc")" "1 n/a EINVAL"
	holds "... the call is named" csv 'n/a EINVAL,.*madvise MADV_HUGEPAGE'
	strace -f -qq -o trace -e trace=madvise "$wb" -n1 -p0 -s 'mmap+mmap 2m + trunc' <full >Y 2>err
	holds "mappings are brought in: what is read, and what is written" trace "madvise\\(.*, $mib, (0x16|MADV_POPULATE_READ)" \
		"madvise\\(.*, $mib, (0x17|MADV_POPULATE_WRITE)"
	strace -f -qq -o trace -e trace=madvise,write,ftruncate -P "$work/Y" "$wb" -n1 -p0 -s 'mmap+write 16m' <X >Y 2>err
	is "a window is written by 1 MiB, and what is left" "$(calls_of_row trace | sed -n 's/.*write(.* = \([0-9]*\)$/\1/p' | sort -u | tr '\n' ' ')" "1 $mib "
	ring="io_uring read+write 8x128k"
	if [ "$(refused io_uring_setup:error=EINVAL:when=100 "$ring")" = "0 ok" ]; then
		# With IORING_SETUP_DEFER_TASKRUN one session in some thousand kept a pipe open after its last request.
		holds "a ring whose requests let go of their files by themselves" trace 'io_uring_setup\(16, .flags=0[,}]'
		is "... before Linux has rings" "$(refused io_uring_setup:error=ENOSYS "$ring")" "1 n/a ENOSYS"
		case $(uname -r) in
		[1-4].* | 5.[0-9].* | 5.1[0-6].*) skip "a request that waits for ever" "this kernel has no no-op without a completion" ;;
		*)
			# Its reader waits until the second is over for which the ring waits.
			timeout -k 1 60 strace -qq -o trace -e trace=io_uring_enter -e signal=none "$wb" -n1 -p0 -s 'io_uring splice 1m' -f csv -o csv \
				--into='until grep -q ETIME trace; do sleep 0.05; done; cat >Y' <full >/dev/null 2>err
			is "a request for which the kernel starts no worker: the row goes on" "$? $(outcome_of 'io_uring splice 1m')" "0 ok"
			same "... a copy" full Y
			is "... by another request" "$(grep -A1 -m1 ETIME trace | sed -n '2s/.*enter([0-9]*, \([0-9]*\), .* = /\1 /p')" "1 1"
			holds "... since it waits for a second at most" trace 'IORING_ENTER_GETEVENTS\|IORING_ENTER_EXT_ARG|, 0x9, '
			;;
		esac
	else
		skip "rings" "no io_uring here"
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
	strace -f -qq -o trace -e trace=copy_file_range,ftruncate "$wb" -n1 -p0 -s 'copy_file_range sparse' <X >Y 2>err
	holds "a file without holes is one range" trace "copy_file_range\\(.*, $((5 * mib + 1)), 0\\) "
	same "... and copied" X Y
	strace -f -qq -o trace -e trace=splice "$wb" -n1 -p0 -z 300000 -s 'pipe+splice' --send <X 2>err
	holds "into a socket: more is to come" trace 'splice\(.*SPLICE_F_MORE'
	is "... but for the last" "$(grep ' = [1-9]' trace | tail -n 1 | grep -c SPLICE_F_MORE)" 0
	strace -f -qq -o trace -e trace=splice "$wb" -n1 -p0 -z 300000 -s 'pipe+splice' <X >Y 2>err
	lacks "into a file: nothing of that" trace 'SPLICE_F_MORE'
	strace -f -qq -o trace -e trace=openat,open,read,write,pread64,pwrite64 "$wb" -n1 -p0 --cold -s 'threads direct 1m' <X >Y 2>err
	if grep -q O_DIRECT trace; then
		direct=$(sed -n 's/.*O_WRONLY|O_DIRECT.* = \([0-9]*\)$/\1/p' trace)
		holds "direct I/O by threads: whole blocks" trace "pwrite64\\(${direct:-none}, .*, 1048576, "
		holds "... and the tail" trace "pwrite64\\([0-9]+, .*, 1, $((5 * mib))\\)"
	else
		skip "direct I/O" "not here"
	fi
else
	skip "what the kernel refuses" "no strace, or it may not trace here"
fi
