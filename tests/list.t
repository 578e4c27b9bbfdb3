#!/bin/sh
# The rows: names are a contract, since old tables are laid beside new ones.
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
is "so are read+write 128k and 256k, copy_file_range and its advices, reflink" "$(LC_ALL=C comm -13 base default)" \
"copy_file_range
copy_file_range + advices
copy_file_range + advices + falloc
copy_file_range + advices + trunc
read+write 128k
read+write 256k
reflink"
is "--all has every default row" "$(LC_ALL=C comm -23 default all)" ""
is "no name is there twice" "$(uniq -d all)" ""
is "no name is longer than 40 characters" "$(awk 'length > 40' all)" ""
sed 's/ + advices.*//' all | uniq | while read -r strategy; do
	for advice in "" " + advices" " + advices + trunc" " + advices + falloc" " + advices + pfalloc"; do
		grep -Fqx "$strategy$advice" all || echo "$strategy$advice"
	done
done >missing
is "--all is the product of strategies and advices" "$(cat missing)" ""

is "--select takes globs, also for rows that are not run by default" \
	"$(rows -s 'sendfile,*splice + advices + pfalloc')" "pipe+splice + advices + pfalloc
sendfile"
is "--select can be repeated" "$(rows -s sendfile -s reflink)" "sendfile
reflink"
is "--exclude takes away" "$(rows -s 'sendfile*' -x '*+ *')" "sendfile"
"$wb" --list >listed </dev/null
is "--list tells what each row calls and who copies so" "$(grep -Ec '^[^ ].*  [a-z_]+.*  .+$' listed)" "$(wc -l <default)"
is "--list fits 80 columns" "$(awk 'length > 80' listed)" ""
run 0 "--list -o FILE" "$wb" --list -o listed2 </dev/null
same "... writes the same there" listed listed2

bytes 4096 >X
"$wb" --list <X | sed 's/  .*//' | LC_ALL=C sort >file
is "file to file fits all default rows" "$(LC_ALL=C comm -3 file default)" ""
is "a device as input does not fit copy_file_range and reflink" \
	"$("$wb" --list </dev/zero | grep -Ec '^(copy_file_range|reflink)')" 0
"$wb" --list -o listed <X >/dev/null # standard output: the device
is "nor does a device as output" "$(grep -Ec '^sendfile' listed) $(grep -Ec '^(copy_file_range|reflink)' listed)" "4 0"
