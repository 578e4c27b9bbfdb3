#!/bin/sh
# Two outputs, with --tee: what arrives at either, which rows can do it, what is refused, and that a wrong byte
# at only one of them is found.
# Tried: it fails where the second output is not looked at; $TEE is not there; a second output that was refused is left; a
# Tried: hole at the end is missing; which output has failed is not named; both outputs may be one.
# What a shell is to do with its dollars is its own.
# shellcheck disable=SC2016
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"
. "$top/tests/replay.sh"
undo=unplace

# Names of rows have commas here: they stand in quotes in CSV, and as semicolons in column().
outcomes_of() { # ROW: in the report csv, each once
	column 1,4 csv | grep -F "$1," | sed 's/.*,//' | sort -u
}
# copies FILE X: is it X as often as the length says, and once at least?
copies() {
	perl -0777 -e 'my ($file, $x) = map { open my $f, "<:raw", $_ or die; <$f> // "" } @ARGV;
		exit !(length $file && $file eq $x x (length($file) / length $x))' "$1" "$2"
}
cat >through.pl <<'END_OF_PERL'
# through.pl unix|tcp FILE COMMAND...: its standard output is a socket, all that comes out of it goes into the file
use strict; use warnings; use Socket;
my ($kind, $path, @command) = @ARGV;
my ($ours, $theirs, $listener, $part);
if ($kind eq 'unix') {
	socketpair $ours, $theirs, AF_UNIX, SOCK_STREAM, PF_UNSPEC or die "socketpair: $!";
} else {
	socket $listener, PF_INET, SOCK_STREAM, 0 and listen $listener, 1 or die "listen: $!";
	socket $theirs, PF_INET, SOCK_STREAM, 0 and connect $theirs, pack_sockaddr_in((unpack_sockaddr_in(getsockname $listener))[0], INADDR_LOOPBACK) or die "connect: $!";
	accept $ours, $listener or die "accept: $!";
}
my $pid = fork // die "fork: $!";
if ($pid == 0) { open STDOUT, '>&', $theirs or die "dup: $!"; exec @command or die "exec: $!" }
close $theirs;
open my $f, '>:raw', $path or die "$path: $!";
syswrite $f, $part while sysread $ours, $part, 1 << 20;
waitpid $pid, 0;
exit $? >> 8;
END_OF_PERL
through() { # unix|tcp OPTION...
	kind=$1
	shift
	timeout -k 1 300 perl through.pl "$kind" Y "$wb" -n1 -p0 "$@"
}
feed() { # file|pipe|zero|from COMMAND...: X, as an input of that kind
	kind=$1
	shift
	case $kind in
	file) "$@" <X ;;
	pipe) piped X "$@" ;;
	zero) "$@" -z "$(wc -c <X)" </dev/zero ;;
	from) "$@" --from='cat X' </dev/null ;;
	esac
}
# two INPUT FIRST OPTION...: X into a first output of that kind, and into Z; all that a first one lets see is in Y
two() {
	input=$1 first=$2
	shift 2
	rm -f Y
	set -- --tee="${second-Z}" -f "${format-csv}" -o "${format-csv}" "$@"
	case $first in
	file) feed "$input" w "$@" >Y ;;
	pipe) into Y feed "$input" w "$@" ;;
	null) feed "$input" w "$@" >/dev/null ;;
	unix | tcp) feed "$input" through "$first" "$@" ;;
	into) feed "$input" w "$@" --into='cat >>Y' >/dev/null ;;
	send) feed "$input" w "$@" --send >/dev/null ;;
	esac
}

# All rows, from and into everything, at awkward sizes.
firsts="file pipe null into send unix tcp"
mkfifo fifo
matrix() { # INPUT FIRST LEAST SIZE...: a line for whatever is wrong; LEAST rows and more are ok
	input=$1 first=$2 least=$3
	shift 3
	for size; do
		case $input in zero) head -c "$size" /dev/zero >X ;; *) bytes "$size" >X ;; esac
		echo older and longer content than a byte >Z.file
		if [ "${second-}" ]; then timeout 300 cat "$second" >Z & else cp Z.file Z; fi
		two "$input" "$first" --all 2>err || echo "$size: exit status $?: $(cat err)"
		wait
		column 1,4 csv | grep -vE ',(ok|shared|n/a( E[A-Z]+)?)$' | sed "s/^/$size: /"
		ok=$(column 4 csv | grep -cE '^(ok|shared)$')
		[ "$ok" -ge "$least" ] || echo "$size: $ok are ok, not $least: $(column 1,4 csv | grep n/a | tr '\n' ';')"
		case $first in
		file) cmp X Y || echo "$size: first output" ;;
		null | send) [ ! -e Y ] || echo "$size: what has written Y?" ;;
		*) copies Y X || echo "$size: first output: $(wc -c <Y) bytes" ;;
		esac
		if [ "${second-}" ]; then copies Z X || echo "$size: second output: $(wc -c <Z) bytes"; else cmp X Z || echo "$size: second output"; fi
	done 2>&1
}
# Each kind is in some pair.
quick="file-file pipe-file file-pipe into-file send-pipe pipe-from file-zero null-zero unix-from tcp-file"
all=
! full "all rows, from each kind of input into each kind of output" || all=1
for first in $firsts; do
	for input in file pipe zero from; do
		[ $all ] || case " $quick " in *" $first-$input "*) ;; *) continue ;; esac
		case $first-$input in # two sizes of pipes double the rows where an end is one
		file-file) least=45 ;;
		*-pipe | *-from | pipe-*) least=12 ;;
		into-*) least=12 ;;
		*) least=8 ;;
		esac
		case $first-$input in
		file-file) sizes="1 4096 65537 1048577" ;;
		file-* | *-file) [ $all ] && sizes="1 4095 65536" || sizes=65537 ;;
		*) [ $all ] && sizes="1 262145" || sizes=65537 ;;
		esac
		# shellcheck disable=SC2086
		is "all rows, from $input into $first and a file: both are copies" "$(matrix "$input" "$first" "$least" $sizes)" ""
	done
	for input in file pipe; do
		[ $all ] || case $first-$input in file-pipe | pipe-file | into-pipe | tcp-file) ;; *) continue ;; esac
		is "all rows, from $input into $first and a FIFO: both are copies" "$(second=fifo matrix "$input" "$first" 12 ${all:+1} 262145)" ""
	done
done
bytes 65537 >X
run 0 "into /dev/null twice" w --all -t /dev/null -f csv -o csv <X >/dev/null
is "... some don't touch a byte" "$(column 1,4 csv | sed -n 's/,untouched//p' | grep -v ' + ' | sort | tr '\n' ',')" \
	"mmap+write x2,sendfile x2,tee+splice 1m,tee+splice 256k,tee+splice 64k,"
is "... which others do" "$(outcomes_of 'read+write x2 8k')" ok
is "a row beside one" "$(w -s 'sendfile x2' --tee=Z -f csv <X 2>&1 >/dev/null | tail -n 1 | cut -d, -f4)" ok

# Each by itself: in the quick part those that are there by default.
for_two() { # [OPTION]...: names of the rows from X into two files
	"$wb" -n1 -p0 -q --in-order --no-verify -z 1 --tee=two.second "$@" -f csv <X 2>&1 >two.out | names_of_rows
}
for_two --all >names
is "how many rows there are" "$(grep -c . names)" 112
alone() { # INPUT FIRST: each row by itself, exact names
	for_two ${all:+--all} >names
	while read -r row <&5; do
		echo old >Z
		two "$1" "$2" -s "$row" 2>err || grep -q '^n/a: ' err || echo "$row: exit status $?: $(cat err)"
		[ "$(column 1 csv | sed 's/; /, /')" = "$row" ] || echo "$row: ran as $(column 1 csv)"
		case $row$(column 4 csv) in
		*ok | *shared | *falloc*n/a\ E* | *advices*pipe*n/a\ E* | splice,\ *n/a\ E*) ;;
		*) echo "$row: $(column 4 csv)" ;;
		esac
		cmp X Y && cmp X Z || echo "$row: no copies"
	done 5<names 2>&1
}
is "each row by itself leaves both as copies" "$(alone file file)" ""
is "... all of which were there" "$(grep -c . names)" "$([ $all ] && echo 112 || echo 14)"
# From a pipe, without the advices: those are for files.
for_two ${all:+--all} -x '*advices*,mmap*,sendfile x2*,copy_file_range x2*' >names
while read -r row <&5; do
	for name in "$row" "$row (pipe 1m)"; do
		two pipe file -s "$name" 2>err || grep -q '^n/a: ' err || echo "$name: exit status $?: $(cat err)"
		cmp X Y && cmp X Z || echo "$name: no copies"
	done
done 5<names >bad 2>&1
is "... also from a pipe" "$(cat bad)" ""
for name in 'splice, sendfile' 'splice, copy_file_range' 'splice, reflink'; do
	run 0 "a name with a comma: $name" w -s "$name,read+write x2 8k" --tee=Z -f csv -o csv <X >Y
	is "... is one row" "$(sed '1,/^row,/d' csv | grep '^"' | sed 's/",.*/"/')" "\"$name\""
done
is "a list may have it at its end" "$(for_two -s 'read+write x2 8k,splice, sendfile' | tr '\n' ';')" "read+write x2 8k;splice, sendfile;"
is "... or at its beginning" "$(for_two -s 'splice, sendfile,read+write x2 8k' | tr '\n' ';')" "read+write x2 8k;splice, sendfile;"
is "... or be excluded" "$(for_two -s 'splice*' -x 'splice, sendfile' | tr '\n' ';')" "splice, copy_file_range;splice, reflink;"

# On which file systems.
places 320 3 >places
sed -n 's/ .*//p' places >there
pair() { # A B: from the first of the places into both
	from="$(sed -n "s/^$1 //p" places)" to="$(sed -n "s/^$2 //p" places)"
	bytes 200001 >"$from/X"
	run 0 "all rows, on $1 and $2" w ${all:+--all} --tee="$to/Z" -f csv -o csv <"$from/X" >"$from/Y"
	same "... the first is a copy" "$from/X" "$from/Y"
	same "... and the second" "$from/X" "$to/Z"
	is "... by each, or it is n/a" "$(column 1,4 csv | grep -vE ',(ok|shared|n/a( E[A-Z]+)?)$')" ""
	clone=$(outcomes_of "splice; reflink") range=$(outcomes_of "splice; copy_file_range")
	case $1-$2-$clone in
	xfs-xfs-shared | btrfs-btrfs-shared | here-here-shared | ext?-ext?-n/a\ EOPNOTSUPP | tmpfs-tmpfs-n/a\ EOPNOTSUPP | here-here-n/a\ E*) pass "... which a clone can be, or not: $clone" ;;
	*) if [ "$1" != "$2" ] && { [ "$clone" = "n/a EXDEV" ] || [ "$clone" = "n/a EOPNOTSUPP" ]; }; then pass "... which no clone can be: $clone"; else fail "... splice, reflink: $clone" csv; fi ;;
	esac
	case $1-$2-$range in *-n/a\ EXDEV | *-ok | xfs-xfs-shared | btrfs-btrfs-shared | here-here-shared) pass "... splice, copy_file_range: $range" ;; *) fail "... splice, copy_file_range: $range" csv ;; esac
	[ "$1" != "$2" ] || is "... which it is on one" "$(echo "$range" | sed 's/shared/ok/')" ok
	rm -f "$from/X" "$from/Y" "$to/Z"
}
while read -r place <&4; do
	pair "$place" "$place"
	[ "$place" = here ] || pair here "$place"
done 4<there
if grep -q xfs there && grep -q btrfs there; then
	pair xfs btrfs
	pair btrfs tmpfs
	bytes 100000 >xfs/X
	run 0 "a clone, as text" w -s 'splice, reflink,read+write x2 8k' --tee=xfs/Z <xfs/X >xfs/Y
	one_line err
	holds "... is ranked apart" line ' splice, reflink [^(]*\(shared\)' 'Not ranked, since blocks are shared and no data moved: splice, reflink\.'
else
	skip "clones across file systems" "no xfs, or no btrfs"
fi
while read -r missing <&4; do
	skip "file system" "$missing"
done 4<missing

# Zeros that are left out, by the row: the copy that stays is written whole.
sparse='read+write x2 sparse 4k'
printf '%s\n' '#!/bin/sh' 'exec strace -f --seccomp-bpf -qq -o trace -P "$PWD/Y" -P "$PWD/Z" -e trace=write "$WB" "$@"' >traced
chmod +x traced
export WB="$wb"
zeros() { # DESCRIPTION BYTES [INPUT [OPTION...]]: zeros of X that are to be left out of each copy
	of=$1 holes=$2 input=${3-file} size=$(wc -c <X)
	shift 2
	[ $# = 0 ] || shift
	for overwrite in "" --overwrite; do
		case $all$of$overwrite in "zeros at the end"* | "zeros only"* | "every other 64 KiB"* | 1*) ;; *--overwrite) continue ;; esac
		if can_trace; then
			# shellcheck disable=SC2086
			wb=$work/traced run 0 "$of $overwrite" two "$input" file -s "$sparse" --no-verify $overwrite "$@"
			is "... they are left out of both" "$(awk '{ n += $NF } END { print n + 0 }' trace)" $((2 * (size + size - holes)))
			same "... the first is a copy" X Y
			same "... and the second" X Z
		else
			skip "$of $overwrite" "strace may not trace here"
		fi
		# shellcheck disable=SC2086
		run 0 "... compared by the program $overwrite" two "$input" file -s "$sparse" -n2 $overwrite "$@"
		is "... each copies" "$(column 4 csv | sort -u)" ok
	done
}
for _ in 1 2 3 4 5 6 7 8; do bytes 65536 && head -c 65536 /dev/zero; done >half
for _ in 1 2 3 4 5 6 7 8; do bytes 4096 && head -c 4096 /dev/zero; done >fine
cp half X && zeros "every other 64 KiB" 524288
zeros "every other 64 KiB, from a command" 524288 from
cp fine X && zeros "every other 4 KiB" 32768
head -c 200001 /dev/zero >X && zeros "zeros only" 200001
zeros "zeros only, from a device" 200001 zero
{ bytes 65536 && head -c 65537 /dev/zero; } >X && zeros "zeros at the end" 65537
{ head -c 65536 /dev/zero && bytes 65536; } >X && zeros "zeros at the beginning" 65536
{ head -c 4095 /dev/zero && echo && echo && head -c 4095 /dev/zero && head -c 2000 /dev/zero && echo && head -c 2095 /dev/zero; } >X
zeros "one other byte in each block" 0
bytes 200001 | tr '\0' x >X && zeros "no zeros" 0
printf '\0' >X && zeros "one byte" 1
cp half X
while read -r place dir <&4; do
	echo "some older content" >"$dir/Z"
	run 0 "$place: sparse 4k alone" w -s "$sparse" --tee="$dir/Z" <X >"$dir/Y"
	same "... the first is a copy" X "$dir/Y"
	same "... and the second" X "$dir/Z"
	rm -f "$dir/Y" "$dir/Z"
done 4<places
# A block at the end that is not whole is one, too.
for size in 65537 4096; do
	head -c $size /dev/zero >X && zeros "$size zeros" $size
done
bytes 10000 >X
run 2 "a hole in a pipe" two file pipe -s "$sparse,read+write x2 8k"
is "... there is none" "$(cat err)" "write-bench: --select=$sparse: matches no row: write-bench --list --all names them"

# What a second output was before.
yes | head -c 100000 >Z
run 0 "an older and longer file" w -s 'read+write x2 8k' --tee=Z <X >Y
same "... has only the copy" X Z
for mask in 000:666 022:644 027:640 077:600; do
	rm -f Z
	(umask "${mask%:*}" && w -s 'read+write x2 8k' --tee=Z <X >Y 2>err)
	is "umask ${mask%:*}" "$(stat -c %a Z)" "${mask#*:}"
done
ln -s Z Z.soft
rm -f Z
run 0 "a symbolic link to nothing" w -s 'read+write x2 8k' -t Z.soft <X >Y
same "... is followed" X Z

# Refused: nothing is touched.
echo precious >keep
bytes 10000 >X
cp X X.orig
# refused DESCRIPTION MESSAGE OPTION...: X or $from into Y. Whatever is in the directory is there before and after.
look() {
	set --
	for f in *; do
		case $f in err | before | after | cmp.out) continue ;; esac
		echo "$f"
		[ ! -f "$f" ] || set -- "$@" "$f"
	done
	cksum "$@"
}
rm -rf clean && mkdir clean
refused() {
	refusal=$1 message=$2
	shift 2
	look >"$work/before"
	${other-} timeout -k 1 300 "$wb" -n1 -p0 "$@" 2>"$work/err"
	got=$?
	look >"$work/after"
	is "refused: $refusal" "$got" 2
	holds "... the message" "$work/err" "^write-bench: $message"
	same "... nothing is touched ($refusal)" "$work/before" "$work/after"
}
cd clean && cp ../X ../keep . && cp keep Y && mkdir D
ln X X.hard && ln -s X X.soft && mkfifo F
refused "the input" "--tee=[^:]*: is the input" --tee=X <X 1<>Y
refused "the input by a hard link" "--tee=[^:]*: is the input" --tee=X.hard <X 1<>Y
refused "the input by a symbolic link" "--tee=[^:]*: is the input" --tee=X.soft <X 1<>Y
refused "the input as /dev/stdin" "--tee=[^:]*: is the input" --tee=/dev/stdin <X 1<>Y
refused "the first output" "--tee=[^:]*: is standard output, too" --tee=Y <X 1<>Y
refused "the first output as /dev/stdout" "--tee=[^:]*: is standard output, too" --tee=/dev/stdout <X 1<>Y
refused "a FIFO twice" "--tee=[^:]*: is standard output, too" --tee=F <X 1<>F
refused "a directory" "--tee=[^:]*: is a directory" --tee=D <X 1<>Y
refused "no such directory" "--tee=[^:]*: open: ENOENT" --tee=nosuch/Z <X 1<>Y
refused "a file as directory" "--tee=[^:]*: open: ENOTDIR" --tee=keep/Z <X 1<>Y
refused "no name" "--tee=: is empty: use --tee=FILE$" --tee= <X 1<>Y
refused "no argument" "--tee: needs an argument" --tee <X 1<>Y
for tee in keep new; do
	refused "--compare ($tee)" "--compare: can't be combined with --runs: leave out one of them$" --tee="$tee" --compare keep <X 1<>Y
	refused "--generate ($tee)" "--generate: can't be combined with --runs: leave out one of them$" --tee="$tee" --generate=zero:1 <X 1<>Y
	refused "--receive ($tee)" "--receive: can't be combined with --runs: leave out one of them$" --tee="$tee" --receive <X 1<>Y
	[ $tee = keep ] || : >new # which what is refused later leaves behind, empty
	refused "no such row ($tee)" "--select=nosuch: matches no row" --tee="$tee" -s nosuch <X 1<>Y
	refused "a race of one ($tee)" "--race: " --tee="$tee" --race -s 'sendfile x2' <X 1<>Y
	refused "the report's file ($tee)" "$tee: is --tee=$tee, which the report would spoil" --tee="$tee" -o "$tee" <X 1<>Y
	refused "an empty input ($tee)" "standard input: is empty" --tee="$tee" </dev/null 1<>Y
	refused "an input without end ($tee)" "standard input: has no end" --tee="$tee" </dev/zero 1<>Y
	refused "nothing from a command ($tee)" "--from: gives no byte" --tee="$tee" --from=: 1<>Y
	refused "a command without end ($tee)" "--with=cat: would never end" --no-verify -z 5000 --tee="$tee" --with=cat </dev/zero 1<>Y
	refused "an output for appending ($tee)" "standard output: is open for append" --tee="$tee" <X >>Y
	refused "a report that can't be opened ($tee)" "nosuch/report: open: ENOENT" --tee="$tee" -o nosuch/report <X 1<>Y
done
refused "no row left" "no row is left" --tee=keep -x '*' <X 1<>Y
ln -s target dangling
for tee in new dangling; do # which is there when rows are chosen, and stays, as with tee(1)
	timeout -k 1 300 "$wb" -n1 -p0 --tee=$tee -s '$ *' <X 1<>Y 2>"$work/err"
	is "refused: no row left ($tee)" $? 2
	is "... a file is left, which is empty" "$(wc -c <$tee | tr -d ' ')" 0
	echo other >$tee
	timeout -k 1 300 "$wb" -n1 -p0 --tee=$tee -s '$ *' <X 1<>Y 2>"$work/err"
	is "... and once more, with another's bytes in it" "$? $(cat $tee)" "2 other"
	rm $tee
done
rm -f target
perl -MSocket -e 'socket my $s, AF_UNIX, SOCK_STREAM, 0; bind $s, pack_sockaddr_un("S") or die'
refused "a socket by its name" "--tee=S: " --tee=S <X 1<>Y
chmod 444 keep
if [ "$(id -u)" != 0 ]; then
	refused "an unwritable file" "--tee=[^:]*: open: EACCES" --tee=keep <X 1<>Y
elif other='setpriv --reuid=54321 --regid=54321 --clear-groups' && cp "$wb" "$work/program" && chmod 755 "$work" "$work/program" . && chmod 644 X &&
	$other sh -c '[ -x "$1" ] && [ -r X ] && [ ! -w keep ] && [ ! -w . ]' sh "$work/program" 2>/dev/null; then
	chmod 666 Y "$work/err"
	program=$wb wb=$work/program
	refused "an unwritable file" "--tee=[^:]*: open: EACCES" --tee=keep <X 1<>Y
	refused "an unwritable directory" "--tee=[^:]*: open: EACCES" --tee=new <X 1<>Y
	mkdir "$work/open" && chmod 777 "$work/open"
	: >"$work/open/Z" && chmod 222 "$work/open/Z" # such a one can't be compared
	refused "a file that can't be read back" "--tee=[^:]*: can.t be read back" --tee="$work/open/Z" <X 1<>Y
	wb=$program
else
	skip "refused: an unwritable file" "root, and no other user to be had"
fi
unset other
if [ "$(id -u)" = 0 ] && have losetup && head -c 1048576 X X X >image && loop=$(losetup -f --show image 2>/dev/null); then
	undo="losetup -d $loop; unplace"
	refused "a block device" "--tee=[^:]*: is a block device" --tee="$loop" <X 1<>Y
	refused "what a loop device as input is on" "--tee=[^:]*: is what a loop device lies on" --tee=image <"$loop" 1<>Y
	losetup -d "$loop"
	undo=unplace
else
	skip "refused: a block device" "not root, or no loop device to be had"
fi
cd ..
same "the input is what it was" X X.orig
# An input that never ends, where the second output is its own writer.
mkfifo loop
cat X >loop 2>/dev/null &
timeout 300 "$wb" -n1 -p0 --tee=loop <loop >Y 2>err
is "refused: a FIFO that is the input" $? 2
kill -KILL $! 2>/dev/null
wait

# Commands.
bytes 100000 >X
while IFS='|' read -r name command; do echo "$command" >"$name"; done <<'END'
good|tee "$TEE"
append|tee -a "$TEE"
wrong-second|cat >t; dd <t; tr a b <t >"$TEE"
wrong-first|cat >t; tr a b <t; cat t >"$TEE"
long-second|cat >t; cat t; cat t t >"$TEE"
long-first|cat >t; cat t t; cat t >"$TEE"
short-second|cat >t; cat t; head -c 99999 t >"$TEE"
short-first|cat >t; head -c 99999 t; cat t >"$TEE"
nothing-second|cat
nothing-first|cat >"$TEE"
END
run 0 "a command: tee" two file file -s '$ *' --with='tee "$TEE"'
is "... is a row" "$(column 1,4 csv)" '"$ tee ""$TEE""",ok'
same "... the first is a copy" X Y
same "... and the second" X Z
wrong="wrong-second wrong-first long-second long-first short-second short-first nothing-second nothing-first"
for command in good append $wrong; do
	case $command in good | append) wanted="0 ok" ;; *) wanted="1 mismatch" ;; esac
	echo old >Z
	two file file -s '$ *' --with="sh $command" 2>err
	is "a command, $command: is found out, or is none of these" "$? $(column 4 csv)" "$wanted"
	same "... the first output is a copy all the same" X Y
	same "... and the second" X Z
done
set --
for command in good append $wrong; do set -- "$@" --with="sh $command"; done
for first in file pipe into send; do
	for second in Z fifo; do
		echo old >Z
		# a FIFO is read and written here, so that no reader has to wait for a writer
		[ $second = Z ] || { timeout 300 cat fifo >Z.fifo & }
		run 1 "commands into $first and $second" two file "$first" --in-order -s '$ *' "$@"
		wait
		is "... those are found out that are wrong" "$(column 4 csv | tr '\n' ' ')" "ok ok mismatch mismatch mismatch mismatch mismatch mismatch mismatch mismatch "
		[ $second = fifo ] || same "... the second output is a copy all the same" X Z
		[ "$first" != file ] || same "... the first output is a copy all the same" X Y
	done
	unset second
done
tr b c <X | tr a b | tr -d '\n' >x.b # knows no a, so where the first one is added is known
{ head -c 5000 x.b && printf a && head -c 1000 x.b; } >X
format=text run 1 "a command that is wrong at the second output, as text" two file file -s '$ *' --with='sh wrong-second'
one_line text
holds "... is reported with the byte that differs" line 'Copied wrongly: \$ sh wrong-second: differs from the input at byte 5000, though with exit status 0\. '
run 0 "... with --no-verify" two file file -s '$ *' --with='sh wrong-second' --no-verify
is "... is not found out" "$(column 4 csv)" ok
run 1 "one that is too long, with --no-verify" two file file -s '$ *' --with='sh long-second' --no-verify
is "... is found out" "$(column 4 csv)" mismatch
run 0 "a command that is wrong in a run that is not compared" two file file -n2 --in-order -s '$ *' --with='if [ -e once ]; then sh wrong-second; else : >once; sh good; fi'
same "... the second output is a copy all the same" X Z
echo '[ -z "${TEE+there}" ] && dd' >without
TEE=inherited run 0 "\$TEE without a second output" w -s '$ *' --with='sh without' -f csv -o csv <X >Y
is "... is not there" "$(column 4 csv)" ok
for name in "a b" '$x;"y"' -q; do
	run 0 "\$TEE as a file that is called $name" w -s '$ *' --with='sh good' --tee="./$name" -f csv -o csv <X >Y
	same "... is a copy" X "./$name"
done
run 0 "--from and --into have none" env -u TEE timeout 300 "$wb" -n1 -p0 --tee=Z --from='[ -z "${TEE+there}" ] && cat X' --into='[ -z "${TEE+there}" ] && cat >Y' -s 'read+write x2 8k' </dev/null >/dev/null

# A wrong byte in one of the outputs, by one write(2) after each read(2).
cat >wrong.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define NEXT(type, name) ((ssize_t (*)(int, type, size_t))dlsym(RTLD_NEXT, name))
static int writes;
ssize_t read(int fd, void *to, size_t n) { writes = 0; return NEXT(void *, "read")(fd, to, n); }
ssize_t write(int fd, const void *from, size_t n)
{
	static char copy[1 << 20];
	const char *which = getenv("WRONG");
	if (n >= 4096 && n <= sizeof copy && which && ++writes == atoi(which)) {
		from = memcpy(copy, from, n);
		copy[1234] ^= 1;
	}
	return NEXT(const void *, "write")(fd, from, n);
}
END
bytes 60000 >X
if "${CC:-cc}" -shared -fPIC -O1 -o wrong.so wrong.c -ldl 2>cc.err; then
	for first in $firsts; do
		[ "$first" != null ] || continue
		for tee in Z fifo; do
			for which in 0 1 2; do
				[ $which != 0 ] || [ "$first" = file ] || continue # else rows are ok above
				[ $tee = Z ] || { timeout 300 cat fifo >Z.fifo & }
				if [ $which = 0 ]; then wanted="0 ok"; else wanted="1 mismatch"; fi
				second=$tee LD_PRELOAD=./wrong.so WRONG=$which two file "$first" -s 'read+write x2 64k' 2>err
				got=$?
				wait
				is "a wrong byte at output $which of two, $first and $tee" "$got $(column 4 csv)" "$wanted"
			done
		done
	done
	unset second
	format=text
	LD_PRELOAD=./wrong.so WRONG=2 two file file -s 'read+write x2 64k' 2>err
	is "a wrong byte at the second output, as text" $? 1
	format=csv
	one_line text
	holds "... is reported" line 'Copied wrongly: read\+write x2 64k: differs from the input at byte 1234\.'
	same "... and the second output is a copy all the same" X Z
else
	skip "a wrong byte" "no C compiler"
fi
# What a call claims that was none, at one of the outputs: nothing of it is there.
if can_trace; then
	bytes 10240 >X
	lie() { # Y|Z INJECTION ROW OUTCOME
		timeout 300 strace -f --seccomp-bpf -qq -o trace -P "$work/$1" -e trace="${2%%:*}" -e inject="$2" \
			"$wb" -p0 -n1 -s "$3" --tee="$work/Z" -f csv -o csv <X >Y 2>err
		got=$?
		is "$2 of ${1}: $3" "$got $(column 4 csv)" "$4"
		grep -q INJECTED trace || fail "... nothing was injected" trace
		same "... the first is a copy all the same" X Y
		same "... and the second" X Z
	}
	for file in Y Z; do
		lie $file write:retval=8192:when=1 'read+write x2 8k' '1 mismatch'
		lie $file write:retval=8192:when=1 'read+write x2 8k + advices + trunc' '1 mismatch'
		lie $file splice:retval=10240:when=1 'tee+splice 64k + trunc' '1 mismatch'
		lie $file lseek:retval=0:when=2 'read+write x2 sparse 4k' '0 ok' # nothing to leave out
		lie $file write:error=EINTR:when=1+2 'read+write x2 64k' '0 ok'
		lie $file splice:error=EINTR:when=1+2 'tee+splice 64k' '0 ok'
		lie $file write:retval=100:when=1 'read+write x2 64k' '1 mismatch'
		lie $file write:error=EIO:when=1 'read+write x2 8k' '1 failed EIO'
		lie $file write:error=EINVAL:when=1 'read+write x2 8k' '1 n/a EINVAL'
		lie $file write:error=EINVAL:when=2 'read+write x2 8k' '1 failed EINVAL'
		lie $file sendfile:error=EINVAL:when=1 'sendfile x2' '1 n/a EINVAL'
		lie $file write:retval=0:when=1 'read+write x2 8k' '1 failed short'
	done
	lie Z sendfile:retval=10240:when=1 'splice, sendfile' '1 mismatch'
	lie Z copy_file_range:retval=10240:when=1 'splice, copy_file_range' '1 mismatch'
	timeout 300 cat fifo >Z.fifo &
	timeout 300 strace -qq -o trace -P "$work/fifo" -e trace=tee,splice "$wb" -p0 -n1 -s 'tee+splice 64k' --tee=fifo --no-verify <X >Y 2>err
	wait
	is "a FIFO as second output is what tee(2) writes to" "$(sed -n 's/(.*//p' trace | tr '\n' ' ')" "tee "
	for name in first:Y second:Z; do
		timeout 300 strace -qq -o trace -P "$work/${name#*:}" -e inject=write,sendfile,splice,copy_file_range:error=EIO:when=1 \
			"$wb" -p0 -n1 -s 'read+write x2 8k,sendfile x2,copy_file_range x2,tee+splice 64k,mmap+write x2' --tee="$work/Z" <X >Y 2>err
		one_line err
		holds "which of the outputs failed: ${name%:*}" line "Failed: [^:]*: [a-z_]* into the ${name%:*} output: EIO \("
		lacks "... and not the other" line "into the $([ "$name" = first:Y ] && echo second || echo first) output"
	done
else
	skip "lies at one of the outputs" "strace may not trace here"
fi

# Full.
bytes 65537 >X
if [ -c /dev/full ]; then
	run 1 "a full device as second output" timeout 300 "$wb" -n1 -p0 -s 'read+write x2*,mmap+write x2,splice, sendfile' -x '*sparse*' --tee=/dev/full -f csv -o csv <X >Y
	is "... fails the rows" "$(column 4 csv | grep -v '^n/a' | sort -u)" "failed ENOSPC"
	run 1 "... as text" timeout 300 "$wb" -n1 -p0 -s 'read+write x2 8k' --tee=/dev/full <X >Y
	one_line err
	holds "... with which it was" line 'Failed: read\+write x2 8k: write into the second output: ENOSPC \('
else
	skip "a full device" "there is none"
fi
tmpfs=$(sed -n 's/^tmpfs //p' places)
if [ "$(id -u)" = 0 ] && mountpoint -q "$tmpfs" 2>/dev/null; then
	bytes 3500000 >X
	for full in second first; do
		if [ $full = second ]; then one=Y two=$tmpfs/Z; else one=$tmpfs/Y two=Z; fi
		run 1 "the $full output is full" timeout -k 1 300 "$wb" -n1 -p0 --tee="$two" -o full.csv -o full.txt <X >"$one"
		is "... which fails all rows" "$(column 4 full.csv | grep -v '^n/a' | sort -u)" "failed ENOSPC"
		[ "$(column 4 full.csv | grep -c '^failed ENOSPC')" -ge 10 ]
		is "... but few" $? 0
		one_line full.txt
		is "... each row is reported with the output that it was" "$(grep -oE 'Failed: [^:]*: [^:]*: E[A-Z]*' line | grep -v "into the $full output: ENOSPC")" ""
		holds "... which there are" line 'Failed: '
		if [ $full = second ]; then which="--tee=$(shown "$two")"; else which="standard output"; fi
		holds "... and which is no copy" err "^write-bench: $which: is not a copy of the input: write: ENOSPC"
		rm -f "$tmpfs/Y" "$tmpfs/Z"
	done
else
	skip "a full file system" "not root, or no tmpfs to mount"
fi

# A reader that quits.
bytes 3000000 >X
timeout 300 head -c 1000 fifo >Z.fifo &
run 1 "a reader of the second output that quits" w -s 'read+write x2 64k,tee+splice 64k' --tee=fifo -f csv -o csv <X >Y
wait
is "... fails the rows" "$(column 4 csv | sort -u)" "failed EPIPE"

# Signals.
mkfifo other
interrupted() { # NUMBER DESCRIPTION SIGNAL STATUS: of $pid, which is to be there
	kill "-$3" "$pid"
	within 60 "$pid" || bad="$bad late"
	wait "$pid"
	got=$?
	[ $got = "$4" ] || bad="$bad exit-status-$got"
	is "SIG$3$2: ends in time, as it should" "$bad" ""
	is "... and no process is left" "$(left "$1")" 0
}
for signal in INT:130 ${FULL:+TERM:143}; do
	name=${signal%:*} status=${signal#*:}
	for first in Y other; do
		bad=
		exec 4<>fifo 5<>other
		marked 1 "$wb" -p0 -s 'read+write x2*,tee+splice*,sendfile x2' --tee=fifo <X >$first 2>err 4>&- 5>&- &
		pid=$!
		until_there grep -q pipe /proc/$pid/wchan # one is full
		interrupted 1 ", into $first and a FIFO whose reader reads nothing" "$name" "$status"
		exec 4>&- 5>&-
	done
	for file in Z fifo; do
		bad=
		for i in 0 1 2; do
			[ $file = Z ] || { timeout 300 cat fifo >/dev/null & }
			marked 2 "$wb" -p0.001 -n10000 --tee=$file -x '*sparse*' --with='sh good' -o report <X >Y 2>err &
			pid=$!
			until_catching $pid "$name" || bad="$bad ended"
			sleep "0.$(printf %03d $((i * i * 20)))"
			kill "-$name" $pid
			within 60 $pid || bad="$bad late"
			wait $pid
			got=$?
			[ $got = "$status" ] || bad="$bad exit-status-$got"
			: 6<>fifo # its reader may still wait for a writer
			wait
		done
		is "SIG$name at any moment, into a file and $file: ends in time, as it should" "$bad" ""
		is "... and no process is left" "$(left 2)" 0
	done
	for file in keep new; do
		rm -f new
		bad=
		exec 4<>other
		marked 4 "$wb" -p0 --tee=$file <other >Y 2>err &
		pid=$!
		echo hello >&4
		until_there keeps $pid 6
		interrupted 4 " while the input is read ahead, with a file $file" "$name" "$status"
		exec 4>&-
		is "... which is untouched" "$(cat keep new 2>/dev/null)" precious
	done
done
run 0 "after a signal, nothing is in the way" w -s 'read+write x2 8k' --tee=Z <X >Y
rm Z
"$wb" -p0.01 -n10000 --tee=Z -o report <X >Y 2>err &
pid=$!
until_there test -s Z
kill -INT $pid
within 60 $pid
wait $pid
holds "an interrupted run says so" report '^Interrupted by SIGINT after [0-9]+ of [0-9]+ runs: the outputs are no copies\.$'

# Lists.
bytes 4096 >X
for_two | sort >listed
is "only rows for two outputs" "$(tr '\n' ';' <listed)" \
	"copy_file_range x2;mmap+write x2;read+write x2 1m;read+write x2 256k;read+write x2 64k;read+write x2 8k;read+write x2 sparse 4k;sendfile x2;splice, copy_file_range;splice, reflink;splice, sendfile;tee+splice 1m;tee+splice 256k;tee+splice 64k;"
is "with one output none of them" "$(rows --all | grep -Fxcf listed)" 0
"$wb" --list --all </dev/null | sed 's/  .*//;/^$/d' >all
is "--list --all has both" "$(grep -Fxcf listed all) $(grep -cx sendfile all)" "14 1"
is "--list --tee makes no file" "$(rm -f new && "$wb" --list --tee=new <X | wc -l | tr -d ' '; ls new 2>/dev/null)" 14
is "... nor waits for a FIFO" "$(timeout 300 "$wb" --list --tee=fifo <X >listed.too; echo $?)" 0
"$wb" -n1 -p0 -q --no-verify -z 1 --all --tee=Z -f csv <X 2>list >/dev/null
is "a device as first one: none that reads it again" "$(grep -c '^"splice' list)" 0
echo precious >Y
echo precious >Z
for case in "tee+splice 64k|" "read+write x2 8k|" "tee+*|" "sendfile|--tee=Z" "read+write 1k*|--tee=Z"; do
	row=${case%%|*} tee=${case##*|}
	run 2 "$row, with ${tee:-one output}" w -s "$row" ${tee:+"$tee"} <X 1<>Y
	is "... is refused" "$(cat err)" "write-bench: --select=$row: matches no row: write-bench --list --all names them"
	is "... and nothing is touched" "$(cat Y Z)" "precious
precious"
done

# Reports.
run 0 "a report" w --tee=Z -f csv -o csv <X >Y
holds "... has both outputs" csv '^# heading: .*( twice|and .*), filesize=4KiB' '^# output: file on ' '^# second_output: file on ' '^# verified: at both outputs, the size of each copy, and all bytes once a row$'
run 0 "... of different outputs" w --tee=/dev/null -f csv -o csv <X >Y
holds "... has them" csv '^# heading: .* and .*, filesize=4KiB' '^# second_output: character device on /dev/null$' '^# verified: at the first output, .*; at the second, not at all'
run 0 "... of one output" w -s sendfile -f csv -o csv <X >Y
lacks "... has no second" csv 'second_output'
cp half X
formats=${FULL:+text csv json markdown}
at_once "${formats:-text}" -n3 --tee=Z
at_once "${formats:-csv}" -n7 --tee=Z -s '*sparse*,splice*' --until=sync
at_once "${formats:-text}" -n2 --tee=/dev/full -s 'read+write x2 8k,splice*,tee*'
at_once "${formats:-markdown}" -n2 --tee=/dev/null -s 'read+write x2*,tee*'
at_once "${formats:-json}" --race --tee=Z
at_once "${formats:-text}" -n2 --in-order --overwrite --tee=Z -s '*sparse*,sendfile x2'
is "nothing is left in TMPDIR" "$(ls -A "$TMPDIR")" ""
