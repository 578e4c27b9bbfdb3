#!/bin/sh
# Every row, with every advice, copies every byte at every awkward size, on every file system that this machine has,
# compared by the program itself (faults.t holds that against false copies); what is left in the end is compared by
# cmp(1).
# Tried: it fails where the tail is written by direct I/O, too; each mapped block is the first of the input; no copy is
# Tried: left where the last row was n/a; rows that touch no byte pass for copies; an output with older content is not
# Tried: emptied.
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
undo=unplace

places 400 16 >places
slow_rows >slow # which have to be named
rows --all | cat - slow | sort >all
# Rows that the kernel may refuse there; any other n/a is a bug, for then nothing was copied.
may_refuse() {
	case $1 in
	# pfalloc never: glibc writes; into a hole through the page cache
	ext2 | ext3) echo '^reflink|falloc n|^uncached|direct.* trunc n' ;; # pfalloc never: glibc writes
	ext4) echo '^reflink|^uncached' ;;
	tmpfs) echo '^reflink|^uncached|direct' ;; # direct since 6.6
	here) echo '^reflink|falloc n|^uncached|direct' ;;
	btrfs) echo '^uncached|direct' ;; # it reads through the page cache what has checksums (6.18)
	*) echo '^uncached' ;;
	esac
	echo '^splice.* n/a EINVAL$' # it is for pipes
	echo '^io_uring.* n/a (EPERM|ENOSYS)$' # a system may forbid it altogether
	[ "$2" -ge 4096 ] || echo 'direct' # less than a block
}
unexpected() { # MAY_REFUSE: each row of report.csv that neither copied nor may refuse
	column 1,4 report.csv | grep -vE ',(ok|shared)$' | tr , ' ' | grep -vE -e "$1"
}
slow=yes
# at_once DIR SIZE MAY_REFUSE: all rows in one session, which compares each copy; prints what is wrong
at_once() {
	[ "$2" != 1048577 ] || slow= # a second of that size shows no more
	bytes "$2" >"$1/X"
	"$wb" -n1 -p0 --in-order --all -s "*${slow:+,$(paste -sd , slow)}" -f csv -o report.csv <"$1/X" >"$1/Y" 2>err \
		|| cat err
	unexpected "$3"
	{ column 1 report.csv && { [ "$slow" ] || cat slow; }; } | sort | diff all - | grep '^[<>]'
	cmp "$1/X" "$1/Y" 2>&1
}
everywhere=
! full "every row at every size on every file system" || everywhere=1
while read -r place dir <&4; do
	sizes=4097
	# the tail that direct I/O can't do, among them
	[ ! "$everywhere" ] && [ "$place" != here ] || sizes="1 4095 4096 4097 1048577"
	for size in $sizes; do
		refusals=$(may_refuse "$place" "$size" | paste -sd '|' -)
		is "$place: all rows, $size bytes" "$(at_once "$dir" "$size" "$refusals")" ""
	done
	if [ "$sizes" != 4097 ]; then
		bytes 300000 >"$dir/X"
		head -c 299999 "$dir/X" >wanted
		run 0 "$place: a part of the input, over an output with content" "$wb" -p0 -n1 -z 299999 \
			--overwrite <"$dir/X" 1<>"$dir/Y"
		same "$place: ... leaves a copy" wanted "$dir/Y"
	fi
	bytes 1048577 >"$dir/X"
	bytes 2000000 >"$dir/Y"
	run 0 "$place: 1048577 bytes into an output with older and longer content" "$wb" -p0 -n1 -f csv \
		-o report.csv <"$dir/X" 1<>"$dir/Y"
	is "$place: ... by each row" "$(unexpected "$(may_refuse "$place" 1048577 | paste -sd '|' -)")" ""
	same "$place: ... has only the copy" "$dir/X" "$dir/Y"
done 4<places
while read -r missing <&4; do
	skip "file system" "$missing"
done 4<missing

# Input and output on different file systems.
if [ "$(wc -l <places)" -gt 1 ] || or_skip "across file systems" "there is only one"; then
	bytes 100000 >here/X
	run 0 "across file systems" "$wb" -p0 -n1 <here/X >"$(sed -n '2s/^[^ ]* //p' places)/Y"
	same "... a copy, too" here/X "$(sed -n '2s/^[^ ]* //p' places)/Y"
fi

# Devices.
bytes 100000 >X
run 0 "into /dev/null" "$wb" -p0 -n1 -f csv -o report.csv <X >/dev/null
untouched="io_uring splice 1m,mmap+write,mmap+write + advices,mmap+write 16m,pipe+splice,pipe+splice + advices"
is "... where rows that pass references on are not ranked as copies" \
	"$(sed -n 's/^\(.*\),1,[0-9]*,untouched,.*$/\1/p' report.csv | sort | paste -sd ,)" \
	"$untouched,pipe+splice 1m,sendfile,sendfile + advices,vmsplice+splice"
lacks "... and nothing is said to be compared" report.csv '^# verified: .*all bytes'
run 0 "/dev/zero into a file" "$wb" -p0 -n1 -z 100001 </dev/zero >Y
head -c 100001 /dev/zero >wanted
same "... as many zeros" wanted Y
run 0 "/dev/urandom into a file" "$wb" -v -p0 -n1 -z 100001 </dev/urandom >Y
is "... as many bytes" "$(wc -c <Y | tr -d ' ')" 100001
holds "... of which the report says that they can't be compared" err '^verified: sizes alone'
