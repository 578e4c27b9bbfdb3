#!/bin/sh
# Two outputs, with --tee: what arrives at either, which rows can do it, what is refused, and that a wrong byte
# at only one of them is found.
# Tried: it fails where the second output is not looked at; $TEE is not there, or inherited; a second output is emptied
# Tried: before it is refused; a hole at the end is missing, or keeps older content; which output has failed is not
# Tried: named; both may be one.
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"
. "$top/tests/reports.sh"
undo=unplace

# copies FILE X: is it X as often as the length says, and once at least?
copies() {
	perl -0777 -e 'my ($file, $x) = map { open my $f, "<:raw", $_ or die; <$f> // "" } @ARGV;
		exit !(length $file && $file eq $x x (length($file) / length $x))' "$1" "$2"
}
cat >through.pl <<'END'
# through.pl FILE COMMAND...: its standard output is a socket, all that comes out of it goes into the file
use strict; use Socket;
my ($path, @command) = @ARGV;
socketpair my $ours, my $theirs, AF_UNIX, SOCK_STREAM, PF_UNSPEC or die;
my $pid = fork // die;
if ($pid == 0) { open STDOUT, '>&', $theirs or die; exec @command or die }
close $theirs;
open my $f, '>:raw', $path or die;
my $part;
syswrite $f, $part while sysread $ours, $part, 1 << 20;
waitpid $pid, 0;
exit $? >> 8;
END
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
# two INPUT FIRST OPTION...: X into a first output of that kind, and into Z or $second; all that a first one lets see is
# in Y
two() {
	input=$1 first=$2
	shift 2
	rm -f Y
	set -- --tee="${second:-Z}" -f csv -o csv "$@"
	case $first in
	file) feed "$input" w "$@" >Y ;;
	pipe) into Y feed "$input" w "$@" ;;
	null) feed "$input" w "$@" >/dev/null ;;
	socket) feed "$input" timeout -k 1 300 perl through.pl Y "$wb" -n1 -p0 "$@" ;;
	into) feed "$input" w "$@" --into='cat >>Y' >/dev/null ;;
	send) feed "$input" w "$@" --send >/dev/null ;;
	esac
}

# All rows, from and into everything.
mkfifo fifo
matrix() { # INPUT FIRST LEAST SIZE...: a line for whatever is wrong; LEAST rows and more are ok
	input=$1 first=$2 least=$3
	shift 3
	for size; do
		case $input in zero) head -c "$size" /dev/zero >X ;; *) bytes "$size" >X ;; esac
		echo older and longer content than a byte >Z
		[ -z "${second-}" ] || { timeout 300 cat "$second" >Z & }
		two "$input" "$first" --all 2>err || echo "$size: exit status $?: $(cat err)"
		wait
		column 1,4 csv | grep -vE ',(ok|shared|n/a( E[A-Z]+)?)$' | sed "s/^/$size: /"
		ok=$(column 4 csv | grep -cE '^(ok|shared)$')
		[ "$ok" -ge "$least" ] ||
			echo "$size: $ok are ok, not $least: $(column 1,4 csv | grep n/a | tr '\n' ';')"
		case $first in
		file) cmp X Y || echo "$size: first output" ;;
		null | send) [ ! -e Y ] || echo "$size: what has written Y?" ;;
		*) copies Y X || echo "$size: first output: $(wc -c <Y) bytes" ;;
		esac
		if [ "${second-}" ]; then copies Z X; else cmp X Z; fi || echo "$size: second output"
	done 2>&1
}
# Each kind is in some pair.
quick="file-file into-file send-pipe pipe-from null-zero socket-from"
all=
! full "all rows, from each kind of input into each kind of output" || all=1
for first in file pipe null into send socket; do
	for input in file pipe zero from; do
		[ $all ] || case " $quick " in *" $first-$input "*) ;; *) continue ;; esac
		case $first-$input in # two sizes of pipes double the rows where an end is one
		file-file) least=45 sizes="1 4096 65537 1048577" ;;
		*-pipe | *-from | pipe-* | into-*) least=12 sizes=${all:+1 }65537 ;;
		*) least=8 sizes=${all:+1 }65537 ;;
		esac
		# shellcheck disable=SC2086
		is "all rows, from $input into $first and a file: both are copies" \
			"$(matrix "$input" "$first" "$least" $sizes)" ""
	done
	for input in file pipe; do
		[ $all ] || case $first-$input in file-pipe | pipe-file) ;; *) continue ;; esac
		is "all rows, from $input into $first and a FIFO: both are copies" \
			"$(second=fifo matrix "$input" "$first" 12 262145)" ""
	done
done
bytes 65537 >X
if can_trace || or_skip "calls on a FIFO" "strace may not trace here"; then
	timeout 300 cat fifo >Z.fifo &
	timeout 300 strace -qq -o trace -P "$work/fifo" -e trace=tee,splice "$wb" -p0 -n1 -s 'tee+splice 64k' \
		--tee=fifo --no-verify <X >Y 2>err
	wait
	is "a FIFO as second output is what tee(2) writes to, as --explain has it" \
		"$(sed -n 's/(.*//p' trace | sort -u)" tee
fi
run 0 "into /dev/null twice" measure --all -t /dev/null <X >/dev/null
is "... some don't touch a byte" "$(column 1,4 csv | sed -n 's/,untouched//p' | grep -v ' + ' | sort | tr '\n' ',')" \
	"mmap+write x2,sendfile x2,tee+splice 1m,tee+splice 256k,tee+splice 64k,"
is "... which others do" "$(column 1,4 csv | grep '^read+write x2 8k,')" 'read+write x2 8k,ok'

# Each by itself: in the quick part those that are there by default.
for_two() { # [OPTION]...: names of the rows from X into two files
	"$wb" -n1 -p0 -q --in-order --no-verify -z 1 --tee=two.second "$@" -f csv <X 2>&1 >two.out | names_of_rows
}
for_two | sort >listed
for row in "read+write x2 8k" "splice, sendfile" "tee+splice 64k"; do grep -Fx "$row" listed; done >three
is "the rows for two outputs are tee(1)'s and those of the two documents, among others" "$(wc -l <three | tr -d ' ')" 3
is "with one output none of them" "$(rows --all | grep -Fxcf listed)" 0
for_two ${all:+--all} >names
while read -r row <&5; do
	echo old >Z
	two file file -s "$row" 2>err || grep -q '^n/a: ' err || echo "$row: exit status $?: $(cat err)"
	[ "$(column 1 csv | sed 's/; /, /')" = "$row" ] || echo "$row: ran as $(column 1 csv)"
	cmp X Y && cmp X Z || echo "$row: no copies"
done 5<names >bad 2>&1
is "each row by itself leaves both as copies" "$(cat bad)" ""
is "a name with a comma, in a list" "$(for_two -s 'read+write x2 8k,splice, sendfile' | tr '\n' ';')" \
	"read+write x2 8k;splice, sendfile;"
is "... or excluded" "$(for_two -s 'splice*' -x 'splice, sendfile' | tr '\n' ';')" \
	"splice, copy_file_range;splice, reflink;"
"$wb" -n1 -p0 -q --no-verify -z 1 --all --tee=Z -f csv <X 2>list >/dev/null
is "a device as first one: none that reads it again" "$(grep -c '^"splice' list)" 0
is "--list makes no file" "$("$wb" --list --tee=new <X | wc -l | tr -d ' '; ls new 2>/dev/null)" 14
is "... nor waits for a FIFO" "$(timeout 300 "$wb" --list --tee=fifo <X >list; echo $?)" 0
echo precious >Y
echo precious >Z
for case in "tee+splice 64k|" "sendfile|--tee=Z"; do
	row=${case%%|*} tee=${case##*|}
	run 2 "a row for another number of outputs: $row" w -s "$row" ${tee:+"$tee"} <X 1<>Y
	is "... nothing is touched" "$(cat Y Z)" "precious
precious"
done

# Which blocks are shared, by file system: of the input and the first output, and of the second.
places 320 3 >places
while read -r from to clone; do
	if [ "$(grep -cE "^($from|$to) " places)" != "$(printf '%s\n' "$from" "$to" | sort -u | wc -l)" ]; then
		skip "$from and $to" "$(grep -E "^($from|$to):" missing | tr '\n' ' ')"
		continue
	fi
	from_dir=$(sed -n "s/^$from //p" places) to_dir=$(sed -n "s/^$to //p" places)
	bytes 200001 >"$from_dir/X"
	run 0 "$from and $to" measure --tee="$to_dir/Z" -s 'splice, *' <"$from_dir/X" >"$from_dir/Y"
	same "... the first is a copy" "$from_dir/X" "$from_dir/Y"
	same "... and the second" "$from_dir/X" "$to_dir/Z"
	is "... which a clone can be, or not" "$(column 1,4 csv | grep '^splice; reflink,')" "splice; reflink,$clone"
	[ "$clone" != shared ] ||
		is "... and so copy_file_range" "$(column 1,4 csv | grep -c '^splice; copy_file_range,shared')" 1
	rm -f "$from_dir/X" "$from_dir/Y" "$to_dir/Z"
done <<'END'
tmpfs tmpfs n/a EOPNOTSUPP
xfs xfs shared
btrfs btrfs shared
xfs btrfs n/a EXDEV
END

# Zeros that are left out, by the row: the copy that stays is written whole.
sparse='read+write x2 sparse 4k'
echo '#!/bin/sh' >traced
echo 'exec strace -f --seccomp-bpf -qq -o trace -P "$PWD/Y" -P "$PWD/Z" -e trace=write "$WB" "$@"' >>traced
chmod +x traced
export WB="$wb"
zeros() { # DESCRIPTION BYTES [INPUT [OPTION]]: zeros of X that are to be left out of each copy
	what=$1 holes=$2 size=$(wc -c <X) from=${3-file} option=${4-}
	run 0 "$what: compared by the program" two "$from" file -s "$sparse" -n2 ${option:+"$option"}
	is "... each copies" "$(column 4 csv | sort -u)" ok
	can_trace || { skip "... what is left out" "strace may not trace here" && return; }
	wb=$work/traced two "$from" file -s "$sparse" --no-verify ${option:+"$option"} 2>err
	is "... they are left out of both" "$(awk '{ n += $NF } END { print n + 0 }' trace)" \
		$((2 * (size + size - holes)))
	same "... the first is a copy" X Y
	same "... and the second" X Z
}
for _ in 1 2 3 4 5 6 7 8; do bytes 4096 && head -c 4096 /dev/zero; done >X
zeros "every other 4 KiB" 32768
zeros "... from a command" 32768 from
{ bytes 65536 && head -c 65537 /dev/zero; } >X
zeros "zeros at the end" 65537
zeros "... over older content" 65537 file --overwrite
{ head -c 4095 /dev/zero && echo && echo && head -c 4095 /dev/zero; } >X
zeros "one other byte in each block" 0
run 2 "a hole in a pipe: there is none" two file pipe -s "$sparse,read+write x2 8k"

# A second output that was something before.
bytes 10000 >X
yes | head -c 100000 >Z
run 0 "an older and longer file" w -s 'read+write x2 8k' --tee=Z <X >Y
same "... has only the copy" X Z
rm -f Z
ln -s Z Z.soft
(umask 027 && w -s 'read+write x2 8k' -t Z.soft <X >Y 2>err)
same "a symbolic link to nothing is followed" X Z
is "... with the umask" "$(stat -c %a Z)" 640

# Refused: nothing is touched.
echo precious >keep
look() {
	set --
	for f in *; do
		case $f in err | before | after | cmp.out) continue ;; esac
		echo "$f"
		[ ! -f "$f" ] || set -- "$@" "$f"
	done
	cksum "$@"
}
# refused DESCRIPTION MESSAGE OPTION...: X into Y. Whatever is in the directory is there before and after.
refused() {
	refusal=$1 message=$2
	shift 2
	look >"$work/before"
	${other-} timeout -k 1 300 "$wb" -n1 -p0 "$@" 2>"$work/err"
	is "refused: $refusal" "$?" 2
	holds "... the message" "$work/err" "^write-bench: $message"
	look >"$work/after"
	same "... nothing is touched" "$work/before" "$work/after"
}
mkdir clean && cd clean && cp ../X ../keep . && cp keep Y && mkdir D && ln X X.hard && mkfifo F
refused "the input" "--tee=[^:]*: is also the input" --tee=X <X 1<>Y
refused "the input by a hard link" "--tee=[^:]*: is also the input" --tee=X.hard <X 1<>Y
refused "the first output" "--tee=[^:]*: is also standard output" --tee=Y <X 1<>Y
refused "the first output as /dev/stdout" "--tee=[^:]*: is also standard output" --tee=/dev/stdout <X 1<>Y
refused "a FIFO twice" "--tee=[^:]*: is also standard output" --tee=F <X 1<>F
refused "a directory" "--tee=D: .*EISDIR" --tee=D <X 1<>Y
refused "no such directory" "--tee=[^:]*: open: ENOENT" --tee=nosuch/Z <X 1<>Y
refused "no name" "--tee=: .*ENOENT" --tee= <X 1<>Y
for tee in keep new; do
	[ $tee = keep ] || : >new # which what is refused later leaves behind, empty
	refused "no such row ($tee)" "--select=nosuch: matches no row" --tee="$tee" -s nosuch <X 1<>Y
	refused "the report's file ($tee)" "$tee: is also --tee=$tee" --tee="$tee" -o "$tee" <X 1<>Y
	refused "an empty input ($tee)" "standard input: is empty" --tee="$tee" </dev/null 1<>Y
	refused "nothing from a command ($tee)" "--from: is empty" --tee="$tee" --from=: 1<>Y
	refused "an output for appending ($tee)" "standard output: is open for append" --tee="$tee" <X >>Y
done
rm new
timeout -k 1 300 "$wb" -n1 -p0 --tee=new -s '$ *' <X 1<>Y 2>"$work/err"
is "refused when the rows are chosen: a new file stays, empty, as with tee(1)" "$? $(wc -c <new | tr -d ' ')" "2 0"
other= # who may not do everything
[ "$(id -u)" != 0 ] || other='setpriv --reuid=54321 --regid=54321 --clear-groups'
cp "$wb" "$work/program" && chmod 755 "$work" "$work/program" . && chmod 555 D && chmod 644 X && chmod 666 Y "$work/err"
# shellcheck disable=SC2086
if $other sh -c '[ -x "$1" ] && [ -r X ] && [ ! -w D ]' sh "$work/program" 2>/dev/null ||
	or_skip "refused: files of others" "root, and no other user to be had"; then
	wb=$work/program refused "an unwritable directory" "--tee=[^:]*: open: EACCES" --tee=D/another <X 1<>Y
	mkdir "$work/open" && chmod 777 "$work/open"
	: >"$work/open/Z" && chmod 222 "$work/open/Z" # such a one can't be compared
	wb=$work/program refused "a file that can't be read back" "--tee=[^:]*: can.t be read back" \
		--tee="$work/open/Z" <X 1<>Y
fi
unset other
cd ..

# Commands that are wrong at one of the outputs, which are copies all the same.
bytes 100000 >X
while IFS='|' read -r name command; do
	echo "$command" >"$name"
	set -- "$@" --with="sh $name"
done <<'END'
good|tee "$TEE"
append|tee -a "$TEE"
wrong-second|cat >t; dd <t; tr a b <t >"$TEE"
wrong-first|cat >t; tr a b <t; cat t >"$TEE"
long-second|cat >t; cat t; cat t t >"$TEE"
short-first|cat >t; head -c 99999 t; cat t >"$TEE"
nothing-second|cat
nothing-first|cat >"$TEE"
END
for first in file pipe into send; do
	for second in Z fifo; do
		[ $all ] || case $first-$second in file-Z | pipe-fifo | send-Z) ;; *) continue ;; esac
		echo old >Z
		[ $second = Z ] || { timeout 300 cat fifo >Z.fifo & }
		run 1 "commands into $first and $second" two file "$first" --in-order -s '$ *' "$@"
		wait
		is "... those are found out that are wrong" "$(column 4 csv | uniq -c | tr -s '\n ' ' ')" \
			" 2 ok 6 mismatch "
		[ $second = fifo ] || same "... the second output is a copy" X Z
		[ "$first" != file ] || same "... the first output is a copy" X Y
	done
done
unset second
run 0 "one that is wrong, with --no-verify" two file file -s '$ *' --with='sh wrong-second' --no-verify
is "... is not found out" "$(column 4 csv)" ok
run 1 "one that is too long, with --no-verify" two file file -s '$ *' --with='sh long-second' --no-verify
is "... is found out" "$(column 4 csv)" mismatch
echo '[ -z "${TEE+there}" ] && dd' >without
TEE=inherited run 0 "without a second output there is no \$TEE" w -s '$ *' --with='sh without' <X >Y
run 0 "a name of odd characters in \$TEE" w -s '$ *' --with='sh good' --tee='./$x;"y" z' <X >Y
same "... is a copy" X './$x;"y" z'

# Full.
bytes 65537 >X
if [ -c /dev/full ] || or_skip "a full device" "there is none"; then
	run 1 "a full device as second output" measure -s 'read+write x2*,mmap+write x2' -x '*sparse*' --tee=/dev/full \
		<X >Y
	is "... fails the rows" "$(column 4 csv | sort -u)" "failed ENOSPC"
fi
tmpfs=$(sed -n 's/^tmpfs //p' places)
if [ "$(id -u)" = 0 ] && mountpoint -q "$tmpfs" 2>/dev/null ||
	or_skip "a full file system" "not root, or no tmpfs to mount"; then
	bytes 3500000 >X
	for full in second first; do
		if [ $full = second ]; then one=Y two=$tmpfs/Z; else one=$tmpfs/Y two=Z; fi
		run 1 "the $full output is full" measure --tee="$two" -s '*x2*' -x 'copy*' -o f.txt <X >"$one"
		is "... which fails each row that runs" "$(column 4 csv | sort -u)" "failed ENOSPC"
		one_line f.txt
		is "... each is reported with the output that it was" \
			"$(grep -oE 'into the [a-z]* output: E[A-Z]*' line | sort -u)" "into the $full output: ENOSPC"
		if [ $full = second ]; then which="--tee=$two"; else which="standard output"; fi
		holds "... and which is no copy" err "^write-bench: $which: is not a copy of the input"
		rm -f "$tmpfs/Y" "$tmpfs/Z"
	done
fi

# A reader that quits, one that stalls, and an input that does.
bytes 3000000 >X
timeout 300 head -c 1000 fifo >Z.fifo &
run 1 "a reader of the second output that quits" measure -s 'read+write x2 64k,tee+splice 64k' --tee=fifo <X >Y
wait
is "... fails the rows" "$(column 4 csv | sort -u)" "failed EPIPE"
interrupted() { # NUMBER DESCRIPTION: $pid, which is to be there
	kill -INT "$pid"
	within 60 "$pid"
	wait "$pid"
	is "SIGINT $2: its exit status" $? 130
}
mkfifo other
exec 4<>fifo
marked 1 "$wb" -p0 -s 'read+write x2*,tee+splice*,sendfile x2' --tee=fifo <X >Y 2>err 4>&- &
pid=$!
until_there grep -q pipe /proc/$pid/wchan # one is full
interrupted 1 "where the second output's reader reads nothing"
exec 4<>other
marked 2 "$wb" -p0 --tee=keep <other >Y 2>err &
pid=$!
echo hello >&4
until_there keeps $pid 6
interrupted 2 "while the input is read ahead"
exec 4>&-
is "... the second output is untouched" "$(cat keep)" precious

# Reports.
bytes 65537 >X
run 0 "a report" measure --tee=Z <X >Y
holds "... has both outputs" csv '^# output: file on ' '^# second_output: file on ' '^# verified: .*all bytes'
run 0 "... of different outputs" measure --tee=/dev/null <X >Y
holds "... has them" csv '^# second_output: /dev/null$'
run 0 "... of one output" measure -s sendfile <X >Y
lacks "... has no second" csv 'second_output'
at_once "text${FULL:+ csv json markdown}" -n3 --tee=Z
at_once "${FULL:+text csv json }markdown" -n2 --tee=/dev/full -s 'read+write x2 8k,splice*,tee*'
