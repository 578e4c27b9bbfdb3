#!/bin/sh
# The rows: names are a contract, since old tables are laid beside new ones.
# Tried: it fails where a row of the base document has another name; a pattern means rows that are too slow for it; rows for
# Tried: files are listed for devices; --exclude takes nothing away.
. "$(dirname "$0")/tap.sh"

cat >base <<'END'
mmap+write
mmap+write + advices
mmap+write + advices + falloc
mmap+write + advices + trunc
pipe+splice
pipe+splice + advices
pipe+splice + advices + falloc
pipe+splice + advices + trunc
read+write 16bs
read+write 16bs + advices
read+write 16bs + advices + falloc
read+write 16bs + advices + trunc
read+write 1k
read+write 256bs
read+write 4bs
read+write bs
sendfile
sendfile + advices
sendfile + advices + falloc
sendfile + advices + trunc
END
rows | LC_ALL=C sort >default
rows --all | LC_ALL=C sort >all
is "the base document's 20 rows are there by default" "$(LC_ALL=C comm -23 base default)" ""
is "and these" "$(LC_ALL=C comm -13 base default)" \
"copy_file_range
copy_file_range + advices
copy_file_range + advices + falloc
copy_file_range + advices + trunc
direct 1m
direct 1m + falloc
io_uring read+write 8x128k
io_uring splice 1m
mmap+mmap + falloc
mmap+mmap + trunc
pipe+splice 1m
read+write 128k
read+write 256k
reflink
threads read+write 256k
threads read+write 256k + falloc
uncached 1m
vmsplice+splice
write-behind 8m"
is "--all has every default row" "$(LC_ALL=C comm -23 default all)" ""
is "no name is there twice" "$(uniq -d all)" ""
is "no name is longer than 40 characters" "$(awk 'length > 40' all)" ""
for strategy in "read+write 1k" "read+write bs" "read+write 4bs" "read+write 16bs" "read+write 256bs" \
	"read+write 128k" "read+write 256k" mmap+write pipe+splice sendfile copy_file_range reflink "mmap+write 256k" \
	"mmap+write 16m" "mmap+write populate" "pipe+splice 256k" "pipe+splice 512k" "pipe+splice 1m" vmsplice+splice \
	"uncached 1m" "write-behind 8m"; do
	for advice in "" " + advices" " + advices + trunc" " + advices + falloc" " + advices + pfalloc"; do
		grep -Fqx "$strategy$advice" all || echo "$strategy$advice"
	done
done >missing
for size in 256 4k 16k 64k 1m 16m 32m 1g; do
	grep -Fqx "read+write $size" all || echo "read+write $size"
done >>missing
for row in "stdio 1" "stdio 4k" "stdio 256k" "stdio 1m" "read+mmap 256k + trunc" "read+mmap 256k + falloc" \
	"io_uring read+write 8x128k fixed" "direct write 1m" "threads mmap+mmap + trunc" "threads copy_file_range" \
	"ring read+write 256k"; do
	grep -Fqx "$row" all || echo "$row"
done >>missing
is "--all has the product of strategies and advices, all buffer sizes, and the rest" "$(cat missing)" ""
is "a mapped output always has its length first" "$(grep '+mmap' all | grep -vc '+ .*\(trunc\|falloc\)$')" 0
# Byte by byte is too slow for a pattern: it is listed, and run when it is named.
is "--all lists read+write 1" "$(grep -Fxc 'read+write 1' all)" 1
is "... which a pattern does not mean" "$(rows -s 'read+write ?' 2>&1 | grep -c '^read+write 1$')" 0
is "... but its name does" "$(rows -s 'read+write 1')" "read+write 1"

is "--select takes globs, also for rows that are not run by default" \
	"$(rows -s 'sendfile,pipe*splice + advices + pfalloc')" "pipe+splice + advices + pfalloc
sendfile"
is "--select can be repeated" "$(rows -s sendfile -s reflink)" "sendfile
reflink"
is "--exclude takes away" "$(rows -s 'sendfile*' -x '*+ *')" "sendfile"
"$wb" --list >listed </dev/null
is "--list tells what each row calls, since which kernel, and who copies so" \
	"$(grep -Ec '^[^ ].* {2,}[a-zA-Z_0-9, /]+[a-zA-Z0-9] +(-|[2-6]\.[0-9.]+) +[^ ].*$' listed)" "$(wc -l <default)"
holds "... as the man pages have it" listed '^sendfile +sendfile +2\.6\.33 ' '^io_uring splice 1m +io_uring_enter +5\.7 ' \
	'^uncached 1m +preadv2/pwritev2 +6\.14 '
is "--list fits 80 columns" "$(awk 'length > 80' listed)" ""
is "... as does --list --all" "$("$wb" --list --all </dev/null | awk 'length > 80')" ""
run 0 "--list -o FILE" "$wb" --list -o listed2 </dev/null
same "... writes the same there" listed listed2

bytes 4096 >X
"$wb" --list <X | sed 's/  .*//' | LC_ALL=C sort >file
is "file to file fits all default rows" "$(LC_ALL=C comm -3 file default)" ""
is "a device as input does not fit copy_file_range and reflink" \
	"$("$wb" --list </dev/zero | grep -Ec '^(copy_file_range|reflink)')" 0
"$wb" --list -o listed <X >/dev/null # standard output: the device
is "nor does a device as output" "$(grep -Ec '^sendfile' listed) $(grep -Ec '^(copy_file_range|reflink)' listed)" "4 0"
