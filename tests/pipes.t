#!/bin/sh
# Pipes, sockets and devices at either end: what arrives, what feeds and what compares, and that no process outlives the
# program.
# Tried: it fails where what comes out of a pipe is not compared; a consumer that quits ends the program; a row whose
# Tried: pipe is refused has another; what is left in the pipe is not seen; TMPDIR is not asked; a feeder's end is not
# Tried: looked at.
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"

each_ok() { # DESCRIPTION: each row of csv, or it is n/a
	is "$1" "$(column 4 csv | grep -v '^n/a E' | sort -u)" ok
}
# copies DESCRIPTION COMMAND...: into Y, by each row of csv
copies() {
	copying=$1
	shift
	run 0 "$copying" "$@" -f csv -o csv >Y
	same "... is copied" X Y
	each_ok "... by each row, or it is n/a"
}

# From a pipe into a file.
for size in 1 1048577; do
	bytes $size >X
	copies "$size bytes from a pipe, by all rows" piped X w --all
	run 0 "... which few are" [ "$(column 4 csv | grep -c '^ok$')" -ge 60 ]
done
is "each row is there with a pipe of 64k and one of 1m" \
	"$(column 1 csv | sed 's/ (pipe 1m)$//' | sort | uniq -c | grep -v '^ *2 ')" ""
bytes 65537 >X
rows --from=yes >all
while read -r row <&5; do
	piped X w -s "$row" -o report >Y 2>err || grep -q '^n/a: ' err || echo "$row: exit status $?: $(cat err)"
	cmp X Y || echo "$row: no copy"
done 5<all >bad 2>&1
is "each by itself leaves a copy" "$(cat bad; [ "$(wc -l <all)" -ge 10 ] || echo few)" ""
mkfifo fifo
cat X >fifo &
copies "from a FIFO" w <fifo
holds "... and what the feeder takes alone is reported" csv '^# input_ns: [0-9]+$'
bytes 3000000 >X
cat >socket.pl <<'END'
use strict; use warnings; use Socket;
socketpair my $ours, my $theirs, AF_UNIX, SOCK_STREAM, PF_UNSPEC or die "socketpair: $!";
if (!fork) { close $theirs; open STDOUT, '>&', $ours or die "dup: $!"; exec 'cat', 'X' }
close $ours;
open STDIN, '<&', $theirs or die "dup: $!";
exec @ARGV;
END
copies "from a socket" timeout 300 perl socket.pl "$wb" -n2 -p0
copies "from a pipe with a larger --size" piped X w -z 1g -s splice
holds "... its bytes are reported" csv '^# size: 3000000$'
run 1 "commands that copy from a pipe" piped X w -s '$ *' --with='dd bs=64k' --with='head -c 100' --with='cat; echo' \
	--with='cat; exit 3' -f csv -o csv >Y
is "... are found out where they don't" "$(column '1,4' csv | sort | paste -sd ' ')" \
	'$ cat; echo,mismatch $ cat; exit 3,failed $ dd bs=64k,ok $ head -c 100,mismatch'
holds "... each with what was wrong" csv '^\$ cat; exit 3,1,,failed,exit status 3,' '^\$ head -c 100,1,,mismatch,100,'
same "... and standard output is a copy all the same" X Y
yes | head -c 5000 >X
yes | (copies "from a pipe without end, with --size" timeout 300 "$wb" -n1 -p0 -z 5000 -s 'read*,splice*'; echo \
	$count >counted)
count=$(cat counted)
holds "... its bytes are reported" csv '^# size: 5000$'

# Into a pipe: a row and the comparer; the consumer has only the row's.
bytes 1048577 >X
run 0 "a row from a pipe into a pipe" piped X into Y w -s 'splice (pipe 1m)'
same "... gives one copy" X Y
cat X X X X >wanted # two rows, twice
run 0 "rows into a pipe" into Y measure -n2 -s 'splice,vmsplice' <X
same "... a copy for each run" wanted Y
holds "... that was verified" csv '^# verified: .*all bytes at least once a row$'
for size in 1 4097 1048577; do
	bytes $size >X
	run 0 "$size bytes into a pipe, by all rows" into Y measure --all <X
	is "... a number of copies" "$(($(wc -c <Y) % size))" 0
	each_ok "... by each, or it is n/a"
	head -c $size Y >first
	same "... the first is one" X first
	run 0 "... from a pipe" piped X into Y measure
	each_ok "... by each row"
done
rm -f csv # rows that write at offsets would put blocks there in any order
into Y measure -n3 -s 'threads read+write 256k' <X 2>err
is "a row that writes at offsets is not run into a pipe" \
	"$([ ! -e csv ] || column 4 csv | grep -v '^n/a E')$(wc -c <Y | tr -d ' ')" 0
# No row's copy is taken on trust.
bytes 100000 >X
for command in 'tr a b' 'cat; echo' 'cat >/dev/null; head -c 99999 X' 'head -c $SIZE /dev/zero' \
	'if [ -e once ]; then tr a b; else : >once; cat; fi'; do
	run 1 "a wrong command into a pipe: $command" into Y measure -s '$ *' --with="$command" <X
	is "... is no copy" "$(outcomes)" "1 mismatch "
done
run 1 "a wrong command from a pipe into a pipe" piped X into Y measure -s '$ *' --with='tr a b'
is "... is no copy" "$(outcomes)" "1 mismatch "
run 0 "a wrong command, with --no-verify" into Y measure -s '$ *' --with='tr a b' --no-verify <X
is "... is not found out" "$(outcomes)" "1 ok "
lacks "... and not said to be verified" csv '^# verified: .*all bytes'
run 0 "a right command into a pipe" into Y measure -s '$ *' --with=cat <X
is "... is one" "$(outcomes)" "1 ok "
run 0 "into /dev/null" piped X measure >/dev/null
is "... without touching a byte by some" "$(column 1,4 csv | grep -E '^(splice|read\+write 64k)( \(pipe 1m\))?,' |
	sort | paste -sd ' ')" \
	"read+write 64k (pipe 1m),ok read+write 64k,ok splice (pipe 1m),untouched splice,untouched"

# Refused.
echo keep >Y
run 2 "--cold with a pipe is refused" piped X w --cold 1<>Y
holds "... with a remedy" err '^write-bench: standard input: .*leave out --cold'
perl -MFcntl -e '$^F = 9; pipe my $r, my $w; fcntl $r, F_SETFL, O_NONBLOCK or die; open STDIN, "<&", $r;
	exec { $ARGV[0] } @ARGV' "$wb" 1<>Y 2>err
is "an input that does not block, and is empty" "$? $(grep -c 'standard input: .*O_NONBLOCK' err)" "2 1"
is "... nothing is touched by either" "$(cat Y)" keep
run 2 "a pipe as output that does not block is refused" \
	into Y perl -MFcntl -e 'fcntl STDOUT, F_SETFL, O_NONBLOCK or die; exec @ARGV' timeout 300 "$wb" <X
holds "... which is said" err '^write-bench: standard output: .*O_NONBLOCK'
is "... and nothing written" "$(wc -c <Y | tr -d ' ')" 0

# A consumer that quits.
bytes 3000000 >X
{ measure -n3 -s 'read+write*' <X 2>err; echo $? >status; } | head -c 1000 >Y
is "a consumer that quits fails rows, and is no reason for n/a" "$(cat status) $(column 4 csv | sort -u)" \
	"1 failed EPIPE"
head -c 1000 X >wanted
same "... has had the beginning" wanted Y
{ piped X measure -n3 2>err; echo $? >status.2; } | :
is "... also where nothing is taken, from a pipe" "$(cat status.2) $(column 4 csv | sort -u)" "1 failed EPIPE"

# Signals, at an end that stalls.
mkfifo in.fifo out.fifo
stalls() { # SIGNAL STATUS END: of $pid, which is to be there
	until_there asleep "$pid"
	kill "-$1" "$pid"
	within 60 "$pid"
	is "$3, SIG$1: ends in time" $? 0
	wait "$pid"
	is "... with its exit status" $? "$2"
	exec 4>&-
}
exec 4<>out.fifo
rm -f csv
marked 1 "$wb" -p0 -s 'read+write*' -f csv -o csv <X >out.fifo 2>err 4>&- &
pid=$!
timeout 100 head -c 1 <&4 >/dev/null
stalls INT 130 "a consumer that stalls"
holds "... it is reported" csv '^# interrupted: by signal 2 '
exec 4<>in.fifo
marked 2 "$wb" -p0 <in.fifo >Y 2>err &
pid=$!
echo hello >&4
until_there keeps $pid 6
stalls TERM 143 "a producer that stalls"
holds "... it is reported what has come" err '^write-bench: standard input: .*6B'
is "... and nothing touched" "$(wc -c <Y | tr -d ' ')" 0

# The program is killed while a feeder or a comparer is there, which wait for it.
cat X X >many
mkfifo spool.in
marked 3 "$wb" -p0 -n1 --in-order -s '$ *' --with='read -r line; : >started; exec sleep 600' <spool.in >Y 2>err &
pid=$!
cat many >spool.in
until_there test -e started
is "while a command runs, the feeder and it are there" "$(children "$pid" | wc -w | tr -d ' ')" 2
kill -KILL "$pid"
wait "$pid"
is "... no process is left when the program is killed" "$(left 3)" 0
{ marked 4 "$wb" -p0 -n1 -s '$ *' \
	--with='if [ -e twice ]; then : >thrice; exec sleep 600; fi; : >twice; cat' <X 2>err; } | cat >Y &
until_there test -e thrice
pid=$(cat pid.4)
is "while a copy is compared, the comparer and the command are there" "$(children "$pid" | wc -w | tr -d ' ')" 2
kill -KILL "$pid"
wait
is "... no process is left when the program is killed" "$(left 4)" 0
rm -f twice
# Each is ended by the row itself, which is a command.
kill='for i in $(cat /proc/$PPID/task/$PPID/children); do [ $i = $$ ] || { kill -KILL $i; break; }; done'
run 1 "a feeder that is killed" piped many measure -s '$ *' --with="read -r line; $kill; cat" >Y
holds "... fails the row, and is named" csv '^"?\$ read.*,failed,.*killed by signal 9 '
same "... standard output is a copy all the same" many Y
run 1 "a comparer that is killed" into Y measure -s '$ *' --with="[ ! -e twice ] || { $kill; }; : >twice; cat" <X
holds "... fails the row" csv '^"?\$ .*,failed,.*killed by signal 9 '

# A user with more pipes than the limit above which the kernel gives no large ones: pipe(7), pipe-user-pages-soft.
cat >many.pl <<'END'
my ($id, @command) = @ARGV;
$) = "$id $id";
$( = $id;
$< = $> = $id;
open my $soft, "<", "/proc/sys/fs/pipe-user-pages-soft" or exit 99;
my ($left, @keep) = <$soft> - 128;
while ($left >= 16) {
	pipe my $r, my $w or exit 99;
	my $pages = 1;
	$pages *= 2 while $pages * 2 <= ($left < 256 ? $left : 256);
	fcntl $w, 1031, $pages * 4096 or exit 99; # F_SETPIPE_SZ
	push @keep, $r, $w;
	$left -= $pages;
}
system @command;
exit $? >> 8;
END
if [ "$(id -u)" = 0 ] && [ "$(cat /proc/sys/fs/pipe-user-pages-soft 2>/dev/null)" = 16384 ] &&
	[ "$(getconf PAGESIZE)" = 4096 ] || or_skip "where large pipes are refused" "not root, or another limit"; then
	cp "$wb" program
	chmod 755 . program && chmod 777 "$TMPDIR"
	: >Y
	chmod 666 Y
	bytes 100000 >X
	limited() { # OPTION...: as a user of whom no other test has pipes; the report is left in err
		env TMPDIR=spool timeout 300 perl many.pl $((100000 + $$)) ./program -n1 -p0 -f csv "$@"
	}
	run 0 "where large pipes are refused" piped X limited \
		-s "read+write 4k,read+write 4k (pipe 1m),splice,splice (pipe 1m)" 1<>Y
	same "... the input is copied" X Y
	is "... by rows with a small one" "$(column 1,4 err | sort | paste -sd ' ')" \
		"read+write 4k (pipe 1m),n/a EPERM read+write 4k,ok splice (pipe 1m),n/a EPERM splice,ok"
	run 0 "... into a pipe" into Y limited -s 'splice,splice (pipe 1m)' <X
	is "... the same" "$(column 1,4 err | sort | paste -sd ' ')" "splice (pipe 1m),n/a EPERM splice,ok"
fi

# The input is kept, to be read again, in a file without a name, where TMPDIR says.
bytes 100000 >X
look='ls -A "$TMPDIR" >>names; ls -l /proc/$PPID/fd >fds; dd'
copies "what is read ahead" piped X w -n2 -s 'splice,$ *' --with="$look"
holds "... kept where TMPDIR says" fds " -> $TMPDIR/.* \(deleted\)\$"
is "... without a name" "$(cat names)" ""
(unset TMPDIR && piped X measure -s '$ *' --with="$look" >Y 2>err)
holds "... else in /tmp" fds ' -> /tmp/[^/]* \(deleted\)$'
cp X keep
refused() { # WHAT MESSAGE COMMAND...
	what=$1 message=$2
	shift 2
	run 2 "$what" "$@" 1<>keep
	holds "... is reported" err "^write-bench: (standard input|--from): .*$work/spool.*$message"
	same "... and nothing is touched" X keep
}
if have prlimit || or_skip "with a limit for files" "no prlimit"; then
	refused "with a limit for files" 'EFBIG.*TMPDIR' piped X timeout 300 prlimit --fsize=50000 "$wb" -n1 -p0
fi
TMPDIR=$TMPDIR/nosuch refused "no such TMPDIR" '/nosuch.*ENOENT.*TMPDIR' piped X w
if unshare -m true 2>/dev/null || or_skip "a TMPDIR that is too small" "no mount namespaces"; then
	echo 'mount -t tmpfs -o size=1m tmpfs "$TMPDIR" && exec timeout 300 "$wb" -n1 -p0 "$@"' >tiny
	export wb
	refused "a TMPDIR that is too small" 'ENOSPC.*TMPDIR.*--size' piped many unshare -m sh tiny
	refused "... from a command" 'ENOSPC.*TMPDIR.*--size' \
		unshare -m sh tiny --from='yes | head -c 64m'
	run 0 "... large enough for --size" piped many unshare -m sh tiny -z 100000 -s splice >Y
	head -c 100000 many | cmp - Y >cmp.out
	is "... is copied" $? 0
fi
