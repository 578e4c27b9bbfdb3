#!/bin/sh
# Promises 1, 3 and 4: every row copies every byte, at awkward sizes, between all ends, on each file system that this
# machine has. A line of the table is places, sizes, the sizes on all places that make check-full has, ends, which rows,
# and the options that make these ends. The program compares each copy itself (faults-matrix.t holds that against false
# copies); cmp(1) those that are left.
# Tried: a tail that direct I/O writes, too; each mapped block is the first of the input; an output that is not emptied;
# Tried: a slot of io_uring that writes what it read elsewhere; a block that is counted twice; no tail at all;
# Tried: sendfile that is called once; offsets of 32 bits; rows that touch no byte taken for copies.
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
undo='umount overlay 2>/dev/null; unplace'

places 400 120 >places
if [ -d ext4 ] && mkdir overlay ext4/lower ext4/upper ext4/work 2>mount.err &&
	mount -t overlay -o lowerdir=ext4/lower,upperdir=ext4/upper,workdir=ext4/work overlay overlay 2>mount.err; then
	echo "overlay $PWD/overlay" >>places
else
	echo "overlay: no ext4, or it can't be mounted" >>missing
fi
while read -r missing <&4; do
	skip "file system" "$missing"
done 4<missing

# may_refuse PLACE SIZE ENDS: which rows the kernel may refuse there, with their outcomes; any other n/a is a bug, for
# then nothing was copied.
may_refuse() {
	case $1 in
	ext2 | ext3) echo '^reflink|^splice; reflink|[ k]falloc n|^uncached|direct.* trunc n' ;; # pfalloc: glibc writes
	ext4) echo '^reflink|^splice; reflink|^uncached' ;;
	tmpfs) echo '^reflink|^splice; reflink|^uncached|direct' ;; # direct since 6.6
	here | overlay) echo '^reflink|^splice; reflink|falloc n|^uncached|direct' ;;
	btrfs) echo '^uncached|direct' ;; # it reads through the page cache what has checksums (6.18)
	*) echo '^uncached' ;;
	esac
	case $3 in
	*pipe*) ;;
	*) echo '^splice( \+ .*)? n/a EINVAL$' ;; # one end has to be a pipe
	esac
	case $3 in "a part"*) echo '^reflink.* n/a EINVAL$' ;; esac # no whole blocks
	case $3 in "pipe to "*) echo '^sendfile( [+(].*)? n/a EINVAL$' ;; esac
	echo '^io_uring.* n/a (EPERM|ENOSYS)$' # a system may forbid it altogether
	echo '^vmsplice huge.* n/a EOPNOTSUPP$|^uncached.* n/a EOPNOTSUPP$'
	[ "$2" -ge 4096 ] || echo 'direct' # less than a block
}
# session PLACE SIZE ENDS ROWS OPTIONS: from X to Y, which has other bytes and more; prints what is wrong
session() {
	bytes "$2" >X
	bytes 2000000 >Y
	length=$2 least=24 rows=
	case $3 in "a part"*) length=$(($2 - 1)) ;; esac
	case $4 in
	"every advice") rows=--all least=200 ;;
	"every row") rows="--all -s '*,$(slow_rows | paste -sd,)'" least=200 ;; # those, too, that have to be named
	"every strategy") rows="--all -x '*advices*,*falloc*'" ;;
	esac
	eval "measure -q --in-order $rows $5" <X 1<>Y 2>err || echo "exit status $?: $(cat err)"
	column 1,4 csv | tr , ' ' | grep -vE ' (ok|shared)$' |
		grep -vE -e "$(may_refuse "$1" "$2" "$3" | paste -sd'|')"
	[ "$(column 4 csv | grep -cE '^(ok|shared)$')" -ge $least ] || echo "less than $least rows copy"
	case $3 in
	*" to pipe" | *" to socket") ;;
	*) head -c "$length" X | cmp - Y ;;
	esac
	[ ! -e Z ] || cmp X Z
	rm -f Y Z
} 2>&1
everywhere=
! full "all ends and sizes on all file systems" || everywhere=1
while IFS='|' read -r where sizes fully ends rows options <&4; do
	case $everywhere,$ends in 1,*file* | "1,a part"*) where=any sizes=$fully ;; esac
	while read -r place dir <&5; do
		case " $where " in *" any "* | *" $place "*) ;; *) continue ;; esac
		more=
		case $everywhere,$place,$rows in "1,tmpfs,every strategy") more="1 34603341" ;; esac
		for size in $sizes $more; do
			cd "$dir" || exit
			is "$place: $ends, $size bytes: $rows" "$(session "$place" "$size" "$ends" "$rows" "$options")" ""
			cd "$work" || exit
		done
	done 5<places
done 4<<'END_OF_CASES'
here|1 4095 4097|1 4095 4096 4097|file to file|every row|
tmpfs|4096|4097 1048577|file to file|every advice|
tmpfs|2621441||file to file|every strategy|
ext2 ext3 ext4 xfs btrfs|4097||file to file|every advice|
here tmpfs xfs btrfs overlay|1048577|1048577|file to file|default rows|
here|300000|300000|a part over its old blocks|default rows|-z 299999 --overwrite
tmpfs|69633|4097 1048577|file to two files|every strategy|--tee=Z
tmpfs|69633|1048577|file to pipe|every strategy|--into='cat >/dev/null'
tmpfs|69633|1048577|file to socket|every strategy|--send
tmpfs|69633|4097 1048577|pipe to file|every strategy|--from='cat X'
tmpfs|69633|4097 1048577|pipe to two files|every strategy|--from='cat X' --tee=Z
tmpfs|69633||pipe to pipe|every strategy|--from='cat X' --into='cat >/dev/null'
tmpfs|69633||pipe to socket|every strategy|--from='cat X' --send
END_OF_CASES

# Another file system; devices. The program can't compare with what is another each time.
bytes 100000 >X
tmpfs=$(sed -n 's/^tmpfs //p' places)
run 0 "from one file system to another" measure <X >"${tmpfs:-.}/Y"
same "... a copy, too" X "${tmpfs:-.}/Y"
run 0 "into /dev/null" measure <X >/dev/null
untouched="io_uring splice 1m,mmap+write,mmap+write + advices,mmap+write 16m,pipe+splice,pipe+splice + advices"
is "... where rows that pass references on are not ranked as copies" \
	"$(column 1,4 csv | sed -n '/^io_uring/s/,n.a E.*//p; s/,untouched$//p' | sort | paste -sd,)" \
	"$untouched,pipe+splice 1m,sendfile,sendfile + advices,vmsplice+splice"
is "... and nothing is said to be compared" "$(fact verified csv | grep -c 'all bytes')" 0
for device in zero urandom; do
	run 0 "/dev/$device into a file" measure -z 100001 </dev/$device >Y
	case $device in
	zero) is "... as many zeros" "$(wc -c <Y) $(tr -d '\0' <Y | wc -c)" "100001 0" ;;
	*) is "... as many bytes, which are not compared" "$(wc -c <Y) $(fact verified csv)" \
		"100001 sizes alone, since the input never repeats" ;;
	esac
done

# Memory does not grow with the input: 16 MiB of private memory and small stacks are enough for a row that is alone.
# Several would bring the reference, two buffers as large as the input.
truncate -s 128M X
limited() {
	(ulimit -s 256 && ulimit -d 16384 && measure "$@" <X >/dev/null)
}
for row in "read+write 64k" sendfile "pipe+splice 1m" "threads read+write 256k" "io_uring read+write 8x128k"; do
	limited --version 2>err || or_skip "128 MiB by $row" "the program alone takes more than 16 MiB" || continue
	run 0 "128 MiB by $row in 16 MiB of memory" limited -s "$row"
done

# Past the limit of one call, 0x7ffff000 bytes: holes and islands of noise, so that a misplaced block shows.
full "2 GiB and more" || exit 0
size=$((2 << 30 | 1048576 + 4097))
if [ "$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo)" -gt 6000000 ] &&
	mount -o remount,size=5g "$tmpfs" 2>mount.err && cd "$tmpfs" && truncate -s $size X ||
	or_skip "2 GiB" "not root, no mount namespaces, or less than 6 GB of free memory"; then
	for at in 0 524160 524287; do
		bytes 1048576 | dd of=X bs=4096 seek=$at conv=notrunc status=none
	done
	rows="sendfile,copy_file_range sparse,mmap+write 16m,io_uring read+write 8x128k,threads read+write 256k"
	run 0 "2 GiB by several calls, or in many parts" measure -s "$rows" <X >Y
	is "... all of it" "$(column outcome,bytes csv | grep -v '^n/a E' | sort -u)" "ok,$size"
	same "... and the copy that is left" X Y
	cd "$work" || exit
fi
