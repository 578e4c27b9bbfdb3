#!/bin/sh
# Ends that would lose data or can't be benchmarked: exit status 2, and nothing is touched.
# Tried: it fails where an output that is appended to is taken; an output that was written to before is taken; the input is
# Tried: taken as output; the output is left at its beginning.
. "$(dirname "$0")/tap.sh"

bytes 10000 >X
cp X X.orig
refused() { # description, regex: of the run before
	what=$1
	is "$1" "$got" 2
	holds "$what: the message" err "^write-bench: $2"
}
w() { # the rows do not matter
	"$wb" -n1 -p0 -s sendfile "$@" 2>err
	got=$?
}

echo precious >Y
w <X >>Y
refused "append" "standard output: is open for append.*instead of >>"
is "append: nothing is lost" "$(cat Y)" precious
if have perl; then # the flag, set on the description by a process that shares it
	perl -e 'use Fcntl; fcntl(STDOUT, F_SETFL, O_APPEND) or die; exec @ARGV' "$wb" -n1 -p0 -s sendfile <X 1<>Y 2>err
	got=$?
	refused "append set later" "standard output: is open for append"
	is "append set later: nothing is lost" "$(cat Y)" precious
else
	skip "append set later" "no perl"
fi
w <X 1<>X
refused "same file" "standard output: is the input"
ln X X.hard
w <X 1<>X.hard
refused "same file by a hard link" "standard output: is the input"
ln -s X X.soft
w <X.soft 1<>X
refused "same file by a symbolic link" "standard output: is the input"
same "same file: the input is untouched" X X.orig

{ printf 1; w <X; } >Y
refused "an output that was written to before, one byte" "standard output: has been written to before"
is "... keeps what was written" "$(cat Y)" 1

{ "$wb" -n1 -p0 <X 2>err && echo last; } >Y
{ cat X && echo last; } >wanted
same "what follows the copy is written after it" Y wanted

# Two calls a byte are for little, also where they are named: the row is refused before anything is touched.
head -c 16777217 /dev/zero >large
echo precious >Y
slow() {
	"$wb" -p0 -q -s 'read+write 1' "$@" 2>err
	got=$?
}
slow <large 1<>Y
refused "more than 16 MiB by two calls per byte" 'read\+write 1: makes two calls per byte: copy 16MiB or less \(--size\)$'
is "... nothing is touched" "$(cat Y)" precious
slow -s 'read+write 1 (pipe 1m)' --into='cat >touched' <large
refused "... by two such rows" 'read\+write 1: makes two calls per byte'
is "... nothing is touched" "$(cat touched 2>/dev/null)" ""
# shellcheck disable=SC2002
cat large | { slow 1<>Y; echo "$got" >status; }
got=$(cat status)
refused "... from a pipe" 'read\+write 1: makes two calls per byte'
is "... nothing is touched" "$(cat Y)" precious
slow -n1 -z 100k <large >Y
is "... but not with --size" "$got $(wc -c <Y | tr -d ' ')" "0 102400"
slow -n1 -s sendfile -f csv -o csv <large >Y
is "... beside other rows it is left out" "$got $(column 1,4 csv)" "0 sendfile,ok"
holds "... which is reported" err '^write-bench: read\+write 1: makes two calls per byte: copy 16MiB or less \(--size\)$'
same "... and standard output is a copy" large Y
: >Y
"$wb" -n1 -p0 -q -z 16m -s 'read+write 1' <large >Y 2>err &
until_there test -s Y
kill $! 2>/dev/null
wait $!
got=$?
is "16 MiB are taken" "$got $([ -s Y ] && echo begun)" "143 begun"
rm large

mkdir D
w <D >Y
refused "a directory as input" "standard input: is a directory"
w <X 1<D
refused "a directory as output" "standard output: is a directory"
: >empty
w <empty >Y
refused "an empty input" "standard input: is empty"
w </dev/null >Y
refused "/dev/null as input" "standard input: is empty"
w </dev/zero >Y
refused "an endless input" "standard input: has no end: .*--size"
w -z 4k </dev/zero >Y
is "an endless input with --size" "$got $(tr -d '\0' <Y | wc -c | tr -d ' ') $(wc -c <Y | tr -d ' ')" "0 0 4096"
w <&- >Y
refused "closed input" "standard input: fstat: EBADF .*: redirect it"
w <X >&-
refused "closed output" "standard output: fstat: EBADF .*: redirect it"
w 0>X.new >Y
refused "an input that is open for writing only" "standard input: is open for writing only"
w <X 1<X.orig
refused "an output that is open for reading only" "standard output: is open for reading only"
same "... is untouched" X X.orig
true | { w >Y; echo "$got" >status; }
got=$(cat status)
refused "an empty pipe as input" "standard input: is empty"
mkfifo fifo
w 3<>fifo 0>fifo >Y
refused "a pipe that is open for writing only as input" "standard input: is open for writing only"
w 3<>fifo 1<fifo <X
refused "a pipe that is open for reading only as output" "standard output: is open for reading only"
if have script && script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
	export WB="$wb" # which has its own quotes below
	# shellcheck disable=SC2016
	script -qec '"$WB" -n1 -p0 >Y' /dev/null >out 2>&1 </dev/null
	holds "a terminal as input" out 'standard input: is a terminal'
	# shellcheck disable=SC2016
	script -qec '"$WB" -n1 -p0 <X 2>err' /dev/null >out 2>&1 </dev/null
	holds "a terminal as output" err 'standard output: is a terminal'
else
	skip "terminals" "no script(1)"
fi
# shellcheck disable=SC2069
"$wb" -n1 -p0 -s sendfile <X >Y 2>&1
is "a report that would go into the copy" "$?" 2
is "... is refused without a word" "$(cat Y)" ""

if [ "$(id -u)" = 0 ] && have losetup; then
	bytes 1048576 >image
	cp image image.orig
	if loop=$(losetup -f --show image 2>/dev/null); then
		undo="losetup -d $loop"
		w <X 1<>"$loop"
		refused "a block device as output" "standard output: is a block device"
		w <"$loop" >Y
		is "a block device as input" "$got" 0
		same "... is copied whole" Y image.orig
		w <"$loop" 1<>image
		refused "a loop device as input, on the output" "standard output: is what a loop device lies on"
		w -o "$loop" <X >Y
		refused "a block device for the report" "$loop: is a block device"
		same "... neither is written to" image image.orig
	else
		skip "block devices" "no loop device to be had"
	fi
else
	skip "block devices" "not root, or no losetup"
fi

"$wb" -n1 -p0 <X 2>&- >Y
is "closed standard error: the report can't be written" $? 1
same "... which does the copy no harm" X Y
