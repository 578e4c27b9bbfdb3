#!/bin/sh
# Ends that would lose data or can't be benchmarked: exit status 2, and nothing is touched.
# Tried: it fails where an output that is appended to is taken; an output that was written to before is taken; the input
# Tried: is taken as output; the output is left at its beginning.
. "$(dirname "$0")/tap.sh"

bytes 10000 >X
echo precious >P
ln X X.hard
ln -s X X.soft
: >empty
mkdir D
mkfifo fifo
cksum X P >sums
w() { # the rows do not matter
	"$wb" -n1 -p0 -s sendfile "$@"
}
# of FILE COMMAND...: from a pipe
of() {
	file=$1
	shift
	cat "$file" | { "$@"; echo $? >status; }
	return "$(cat status)"
}
appending() { perl -e 'use Fcntl; fcntl(STDOUT, F_SETFL, O_APPEND) or die; exec @ARGV' "$wb" -n1 -p0 -s sendfile; }
# refused DESCRIPTION MESSAGE COMMAND
refused() {
	run 2 "$1" eval "$3"
	holds "... the message" err "^write-bench: $2"
}
while IFS='|' read -r what message command <&4; do
	refused "$what" "$message" "$command"
done 4<<'END'
append|standard output: is open for append|w <X >>P
append set later, by a process that shares the description|standard output: is open for append|appending <X 1<>P
the input|standard output: is also the input|w <X 1<>X
the input by a hard link|standard output: is also the input|w <X 1<>X.hard
the input by a symbolic link|standard output: is also the input|w <X.soft 1<>X
an output that was written to before, one byte|standard output: has been written to before|{ printf 1; w <X; } >Y
a directory as input|standard input: is a directory|w <D >Y
a directory as output|standard output: is a directory|w <X 1<D
an empty input|standard input: is empty|w <empty >Y
/dev/null as input|standard input: is empty|w </dev/null >Y
an empty pipe|standard input: is empty|of empty w >Y
an endless input|standard input: has no end: .*--size|w </dev/zero >Y
closed input|standard input: is not open for reading|w <&- >Y
closed output|standard output: is not open for writing|w <X >&-
an input that is open for writing only|standard input: is not open for reading|w 0>X.new >Y
an output that is open for reading only|standard output: is not open for writing|w <X 1<P
a pipe that is open for writing only|standard input: is not open for reading|w 3<>fifo 0>fifo >Y
a pipe that is open for reading only|standard output: is not open for writing|w 3<>fifo 1<fifo <X
END
is "... nothing is touched" "$(cksum X P | diff sums -)" ""
{ printf 1; w <X; } >Y 2>err
is "... an output that was written to before keeps that" "$(cat Y)" 1

# The neighbours of these that are taken.
{ "$wb" -n1 -p0 <X 2>err && echo last; } >Y
{ cat X && echo last; } >wanted
same "what follows the copy is written after it" Y wanted
run 0 "an endless input with --size" w -z 4k </dev/zero >Y
is "... is copied" "$(tr -d '\0' <Y | wc -c | tr -d ' ') $(wc -c <Y | tr -d ' ')" "0 4096"

if have script && script -qec true /dev/null >/dev/null 2>&1 </dev/null || or_skip "terminals" "no script(1)"; then
	export WB="$wb" # which has its own quotes below
	script -qec '"$WB" -n1 -p0 >Y' /dev/null >out 2>&1 </dev/null
	holds "a terminal as input" out 'standard input: is a terminal'
	script -qec '"$WB" -n1 -p0 <X 2>err' /dev/null >out 2>&1 </dev/null
	holds "a terminal as output" err 'standard output: is a terminal'
fi
w <X >Y 2>&1
is "a report that would go into the copy is refused, with a message there" \
	"$? $(grep -c '^write-bench: standard error: ' Y)" "2 1"
echo before >Y
w <X >>Y 2>&1
is "... or below what was there, if it is appended to" "$? $(head -n 1 Y) $(sed 1d Y | grep -c '^write-bench: ')" \
	"2 before 1"
w <X 1<>P 2>&1
is "... but no message is written over other bytes" "$? $(cat P)" "2 precious"
"$wb" -n1 -p0 <X 2>&- >Y
is "closed standard error: the report can't be written" $? 1
same "... which does the copy no harm" X Y

if [ "$(id -u)" = 0 ] && have losetup && bytes 1048576 >image && loop=$(losetup -f --show image 2>/dev/null) ||
	or_skip "block devices" "not root, or no loop device to be had"; then
	undo="losetup -d $loop"
	cp image image.orig
	refused "a block device as output" "standard output: is a block device" "w <X 1<>$loop"
	refused "a loop device as input, on the output" "standard output: is what a loop device lies on" \
		"w <$loop 1<>image"
	refused "a block device for the report" "$loop: is a block device" "w -o $loop <X >Y"
	same "... none is written to" image image.orig
	run 0 "a block device as input" w <"$loop" >Y
	same "... is copied whole" Y image.orig
fi
