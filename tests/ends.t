#!/bin/sh
# Every strategy, between all ends that it names, copies one byte more than a page and one more than 1 MiB on file
# systems of five kinds, and 1 byte, and 33 MiB and 333 bytes, more than the largest buffer but one, on one of them.
# (copy.t has every advice between files, at the other sizes.) The program compares each copy, cmp(1) those that are
# left.
# Tried: it fails where a tail is not copied; a slot of io_uring writes what it has read elsewhere; a block is counted
# Tried: twice.
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
undo='umount overlay 2>/dev/null; unplace'

full "every strategy, between all ends, on five file systems" || exit 0

places 300 200 >all
grep -E '^(here|tmpfs|ext4|xfs|btrfs) ' all | sort >found
if [ "${PLACES-}" = private ] && [ -d ext4 ] && mkdir overlay ext4/lower ext4/upper ext4/work 2>/dev/null &&
	mount -t overlay -o lowerdir=ext4/lower,upperdir=ext4/upper,workdir=ext4/work overlay overlay 2>err; then
	echo "overlay $PWD/overlay" >>found
else
	echo "overlay: $(cat err 2>/dev/null)" >>missing
fi
! [ -d ext4 ] || sed -i '/^here /d' found

# Refusals of a file system, a kernel or an end; any other n/a is a bug.
may='^((io_uring|reflink|splice|uncached|sendfile|vmsplice huge).*|.*direct.*|.*falloc.*),n/a( E[A-Z]+)?$'
session() { # DIRECTORY SIZE ENDS: prints what is wrong
	cd "$1" || return
	size=$2 ends=$3
	set --
	case $ends in pipe*) set -- "--from=cat X" ;; esac
	case $ends in
	*"two files") set -- "$@" --tee=Z ;;
	*pipe) set -- "$@" "--into=cat >/dev/null" ;;
	*socket) set -- "$@" --send ;;
	esac
	"$wb" -n1 -p0 -q --in-order --no-verify --all -z 1 "$@" -f csv <X 2>&1 >Y | names_of_rows >listed
	sed -i -E '/[+]mmap.* \+ trunc$/b; / \+ /d' listed
	"$wb" -n1 -p0 -q --in-order --all -s "$(paste -sd , listed)" "$@" -f csv -o csv <X >Y 2>err ||
		echo "exit status $?: $(cat err)"
	column 1,4 csv | grep -vE ',(ok|shared)$' | grep -vE "$may"
	column 1 csv | sed 's/; /, /' | sort >ran
	sort listed | diff - ran
	[ "$(column 4 csv | grep -cE '^(ok|shared)$')" -gt 10 ] || echo "hardly a row copies"
	case $ends in *file | *files) cmp X Y 2>&1 ;; esac
	case $ends in *files) cmp X Z 2>&1 ;; esac
	rm -f Y Z
}
# sessions PLACE DIRECTORY NUMBER: what was tested, and what is wrong, a line each
sessions() {
	pair=0
	for ends in "file to file" "file to pipe" "file to socket" "file to two files" "pipe to file" "pipe to pipe" \
		"pipe to socket" \
		"pipe to two files"; do
		pair=$((pair + 1))
		sizes="4097 1048577"
		[ $((pair % $(wc -l <found))) != "$3" ] || sizes="$sizes 1 34603341"
		for size in $sizes; do
			bytes "$size" >"$2/X"
			printf '%s|%s\n' "$1, $ends, $size bytes: all strategies" \
				"$(session "$2" "$size" "$ends" | tr '\n' ' ')"
		done
	done
}
number=0
while read -r place dir <&4; do # all at once: they wait for their disks
	sessions "$place" "$dir" $number >"said.$place" &
	number=$((number + 1))
done 4<found
wait
while read -r place dir <&4; do
	while IFS='|' read -r what wrong <&5; do
		is "$what" "$wrong" ""
	done 5<"said.$place"
done 4<found
is "that was all" "$(cat said.* | wc -l)" $((16 * $(wc -l <found) + 16))
while read -r missing <&4; do
	case $missing in xfs* | btrfs* | tmpfs* | overlay*) skip "file system" "$missing" ;; esac
done 4<missing
