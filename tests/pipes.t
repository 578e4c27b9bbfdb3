#!/bin/sh
# Pipes, sockets and devices at either end: what arrives, what feeds and what compares, and that no
# process outlives the program.
# Tried: it fails where what comes out of a pipe is not compared; a consumer that quits ends the program; a row whose
# Tried: pipe is refused has another; what is left in the pipe is not seen; TMPDIR is not asked; a feeder's end is not
# Tried: looked at.
# What a shell is to do with its dollars is its own.
# shellcheck disable=SC2016
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"

# From a pipe into a file.
for size in 1 1048577; do
	bytes $size >X
	run 0 "$size bytes from a pipe, by all rows" piped X w --all -f csv -o csv >Y
	same "... are copied" X Y
	is "... by each, or it is n/a" "$(column 4 csv | grep -v '^n/a E' | sort -u)" ok
	[ "$(column 4 csv | grep -c '^ok$')" -ge 60 ]
	is "... which few are" $? 0
done
is "each row is there with a pipe of 64k and one of 1m" \
	"$(column 1 csv | sed 's/ (pipe 1m)$//' | sort | uniq -c | grep -v '^ *2 ')" ""
bytes 65537 >X
rows --from=yes >all
while read -r row <&5; do
	piped X w -s "$row" -o report >Y 2>err || grep -q '^n/a: ' err || echo "$row: exit status $?: $(cat err)"
	cmp X Y || echo "$row: no copy"
done 5<all >bad 2>&1
is "each by itself leaves a copy" "$(cat bad)" ""
[ "$(wc -l <all)" -ge 10 ]
is "... which few are" $? 0
mkfifo fifo
cat X >fifo &
run 0 "from a FIFO" w -f csv -o csv <fifo >Y
same "... is copied" X Y
holds "... and what the feeder takes alone is reported" csv '^# source_ns: [0-9]+$' '^# source_1m_ns: [0-9]+$'
bytes 3000000 >X
cat >socket.pl <<'END'
use strict; use warnings; use Socket;
socketpair my $ours, my $theirs, AF_UNIX, SOCK_STREAM, PF_UNSPEC or die "socketpair: $!";
if (!fork) { close $theirs; open STDOUT, '>&', $ours or die "dup: $!"; exec 'cat', 'X' }
close $ours;
open STDIN, '<&', $theirs or die "dup: $!";
exec @ARGV;
END
run 0 "from a socket" timeout 300 perl socket.pl "$wb" -n2 -p0 -f csv -o csv >Y
same "... is copied" X Y
is "... by each row" "$(column 4 csv | sort -u)" ok
run 0 "from a pipe with a larger --size" piped X w -z 1g -s splice -f csv -o csv >Y
same "... all is copied" X Y
holds "... so much is reported" csv '^# size: 3000000$'
yes | head -c 5000 >wanted
yes | timeout 300 "$wb" -n1 -p0 -z 5000 -s 'read*,splice*' -f csv -o csv >Y 2>err
is "from a pipe without end, with --size" $? 0
same "... its beginning is copied" wanted Y
is "... by each row" "$(column 4 csv | sort -u)" ok
holds "... so much is reported" csv '^# size: 5000$'
run 1 "commands that copy from a pipe" piped X w -s '$ *' --with='dd bs=64k' --with='head -c 100' --with='cat; echo' \
	--with='cat; exit 3' -f csv -o csv >Y
is "... are found out where they don't" "$(column '1,4' csv | sort | tr '\n' ' ')" \
	'$ cat; echo,mismatch $ cat; exit 3,failed exit 3 $ dd bs=64k,ok $ head -c 100,failed short '
same "... and standard output is a copy all the same" X Y

# Into a pipe: a row and the comparer; the consumer has but the row's.
bytes 1048577 >X
run 0 "a row from a pipe into a pipe" piped X into Y w -s 'splice (pipe 1m)'
same "... gives one copy" X Y
cat X X X X >wanted # two rows, twice
run 0 "rows into a pipe" into Y w -n2 -s 'splice,vmsplice' -f csv -o csv <X
same "... a copy for each run" wanted Y
is "... that was verified" "$(sed -n 's/^# verified: //p' csv | cut -d, -f1)" "all bytes once a row"
for size in 1 4097 1048577; do
	bytes $size >X
	run 0 "$size bytes into a pipe, by all rows" into Y w --all -f csv -o csv <X
	is "... a number of copies" "$(($(wc -c <Y) % size))" 0
	is "... by each, or it is n/a" "$(column 4 csv | grep -v '^n/a E' | sort -u)" ok
	head -c $size Y >first
	same "... the first is one" X first
	run 0 "... from a pipe" piped X into Y w -f csv -o csv
	is "... by each row" "$(column 4 csv | sort -u)" ok
done
rm -f csv # rows that write at offsets would put blocks there in any order
into Y w -n3 -s 'threads read+write 256k' -f csv -o csv <X 2>err
is "a row that writes at offsets is not run into a pipe" \
	"$([ ! -e csv ] || column 4 csv | grep -v '^n/a E')$(wc -c <Y | tr -d ' ')" 0
# No row's copy is taken on trust.
bytes 100000 >X
for command in 'tr a b' 'cat; echo' 'cat >/dev/null; head -c 99999 X' 'head -c $SIZE /dev/zero' \
	'if [ -e once ]; then tr a b; else : >once; cat; fi'; do
	run 1 "a wrong command into a pipe: $command" into Y w -s '$ *' --with="$command" -f csv -o csv <X
	is "... is no copy" "$(outcomes)" "1 mismatch "
done
run 1 "a wrong command from a pipe into a pipe" piped X into Y w -s '$ *' --with='tr a b' -f csv -o csv
is "... is no copy" "$(outcomes)" "1 mismatch "
run 0 "a wrong command, with --no-verify" into Y w -s '$ *' --with='tr a b' --no-verify -f csv -o csv <X
is "... is not found out" "$(outcomes)" "1 ok "
lacks "... and not said to be verified" csv '^# verified: all'
run 0 "a right command into a pipe" into Y w -s '$ *' --with=cat -f csv -o csv <X
is "... is one" "$(outcomes)" "1 ok "
run 0 "into /dev/null" piped X w -f csv -o csv >/dev/null
is "... by each" "$(column 4 csv | sort -u | tr '\n' ' ')" "ok untouched "
is "... without touching a byte by some" \
	"$(column 1,4 csv | grep -E '^(splice|read\+write 64k)( \(pipe 1m\))?,' | sort | tr '\n' ' ')" \
	"read+write 64k (pipe 1m),ok read+write 64k,ok splice (pipe 1m),untouched splice,untouched "

# Refused.
echo keep >Y
run 2 "--cold with a pipe is refused" piped X w --cold 1<>Y
holds "... with a remedy" err '^write-bench: standard input: .*leave out --cold'
is "... and nothing touched" "$(cat Y)" keep
run 2 "a pipe as output that does not block is refused" \
	into Y perl -MFcntl -e 'fcntl STDOUT, F_SETFL, O_NONBLOCK or die; exec @ARGV' timeout 300 "$wb" <X
holds "... which is said" err '^write-bench: standard output: .*O_NONBLOCK'
is "... and nothing written" "$(wc -c <Y | tr -d ' ')" 0
echo keep >Y
perl -MFcntl -e '$^F = 9; pipe my $r, my $w; fcntl $r, F_SETFL, O_NONBLOCK or die; open STDIN, "<&", $r;
	exec { $ARGV[0] } @ARGV' "$wb" 1<>Y 2>err
is "one as input that does not block, and is empty" "$? $(grep -c 'standard input: .*O_NONBLOCK' err)" "2 1"
is "... nothing touched" "$(cat Y)" keep

# A consumer that quits.
bytes 3000000 >X
{ w -n3 -s 'read+write*' -f csv -o csv <X 2>err; echo $? >status; } | head -c 1000 >Y
is "a consumer that quits" "$(cat status)" 1
head -c 1000 X >wanted
same "... has had the beginning" wanted Y
is "... fails rows, and is no reason for n/a" "$(column 4 csv | sort -u)" "failed EPIPE"
{ piped X w -n3 -f csv -o csv 2>err; echo $? >status.2; } | :
is "... also where nothing is taken, from a pipe" "$(cat status.2) $(column 4 csv | sort -u)" "1 failed EPIPE"

# Signals: what stalls.
mkfifo in.fifo out.fifo
stalls() { # NUMBER SIGNAL STATUS WHAT: of $pid, which is to be there
	until_there asleep "$pid"
	kill "-$2" "$pid"
	within 60 "$pid"
	is "$4, SIG$2: ends in time" $? 0
	wait "$pid"
	is "... with its exit status" $? "$3"
	exec 4>&-
	is "... and no process is left" "$(left "$1")" 0
}
exec 4<>out.fifo
rm -f csv
marked 1 "$wb" -p0 -s 'read+write*' -f csv -o csv <X >out.fifo 2>err 4>&- &
pid=$!
timeout 100 head -c 1 <&4 >/dev/null
stalls 1 INT 130 "a consumer that stalls"
holds "... it is reported" csv '^# interrupted: by SIGINT '
exec 4<>in.fifo
marked 2 "$wb" -p0 <in.fifo >Y 2>err &
pid=$!
echo hello >&4
until_there keeps $pid 6
stalls 2 TERM 143 "a producer that stalls"
holds "... it is reported what has come" err '^write-bench: standard input: .*6B'
is "... and nothing touched" "$(wc -c <Y | tr -d ' ')" 0

# Who is killed: a feeder and a comparer, while they wait for us.
cat X X >many
mkfifo spool.in
marked 3 "$wb" -p0 -n1 --in-order -s '$ *' --with='read -r line; : >started; exec sleep 600' -f csv \
	-o csv <spool.in >Y 2>err &
pid=$!
cat many >spool.in
until_there test -e started
is "while a command runs, the feeder and it are there" "$(children "$pid" | wc -w | tr -d ' ')" 2
kill -KILL "$pid"
wait "$pid"
is "the program killed: no process is left" "$(left 3)" 0
{ marked 4 "$wb" -p0 -n1 -s '$ *' \
	--with='if [ -e twice ]; then : >thrice; exec sleep 600; fi; : >twice; cat' <X 2>err; } | cat >Y &
until_there test -e thrice
pid=$(cat pid.4)
is "while a copy is compared, the comparer and the command are there" "$(children "$pid" | wc -w | tr -d ' ')" 2
kill -KILL "$pid"
wait
is "the program killed meanwhile: no process is left" "$(left 4)" 0
rm -f twice
# Each is ended by the row itself, which is a command.
kill='for i in $(cat /proc/$PPID/task/$PPID/children); do [ $i = $$ ] || { kill -KILL $i; break; }; done'
run 1 "a feeder that is killed" piped many w -s '$ *' -f csv -o csv --with="read -r line; $kill; cat" >Y
holds "... fails the row, and is named" csv '^"?\$ read.*,failed signal 9,,+[0-9]*,the process that feeds the pipe$'
same "... standard output is a copy all the same" many Y
run 1 "a comparer that is killed" into Y w -s '$ *' -f csv -o csv \
	--with="[ ! -e twice ] || { $kill; }; : >twice; cat" <X
holds "... fails the row" csv '^"?\$ .*,failed signal 9,'

# A user with so many pipes that the kernel gives no large ones: pipe(7), pipe-user-pages-soft.
cat >many.py <<'EOF'
import fcntl, os, subprocess, sys
os.setgroups([])
os.setgid(int(os.environ["OTHER"]))
os.setuid(int(os.environ["OTHER"]))
left = int(open("/proc/sys/fs/pipe-user-pages-soft").read()) - 128
keep = []
while left >= 16:
    pipe = os.pipe()
    pages = 1
    while pages * 2 <= min(left, 256):
        pages *= 2
    if fcntl.fcntl(pipe[1], 1031, pages * 4096) < 0:
        sys.exit(99)
    keep.append(pipe)
    left -= pages
sys.exit(subprocess.run(sys.argv[1:]).returncode)
EOF
if [ "$(id -u)" = 0 ] && python_has fcntl,subprocess && [ "$(cat /proc/sys/fs/pipe-user-pages-soft 2>/dev/null)" = \
	16384 ] &&
	[ "$(getconf PAGESIZE)" = 4096 ]; then
	OTHER=$((100000 + $$)) # of which no other test has pipes
	export OTHER
	python=$(python3 -c 'import sys; print(sys.executable)') # without what may be around it, and slow
	cp "$wb" program
	chmod 755 . program && chmod 777 "$TMPDIR"
	: >Y
	chmod 666 Y
	bytes 100000 >X
	limited() { # OPTION...: the report is left in err
		env TMPDIR=spool timeout 300 "$python" many.py ./program -n1 -p0 -f csv "$@"
	}
	run 0 "where large pipes are refused" piped X limited \
		-s "read+write 4k,read+write 4k (pipe 1m),splice,splice (pipe 1m)" 1<>Y
	same "... the input is copied" X Y
	is "... by rows with a small one" "$(column 1,4 err | sort | tr '\n' ' ')" \
		"read+write 4k (pipe 1m),n/a EPERM read+write 4k,ok splice (pipe 1m),n/a EPERM splice,ok "
	run 0 "... into a pipe" into Y limited -s 'splice,splice (pipe 1m)' <X
	is "... the same" "$(column 1,4 err | sort | tr '\n' ' ')" "splice (pipe 1m),n/a EPERM splice,ok "
else
	skip "where large pipes are refused" "not root, no python3, or another limit"
fi

# What is kept of the input, to be read again: in a file without a name, where TMPDIR says.
bytes 100000 >X
run 0 "what is read ahead" piped X w -n2 -s 'splice,$ *' --with='ls -A "$TMPDIR" >>names; dd' -f csv -o csv >Y
same "... is copied" X Y
holds "... kept where TMPDIR says" csv "^# input: pipe, read ahead into .*$(shown "$TMPDIR")"
is "... without a name" "$(cat names)" ""
(unset TMPDIR && piped X w -s splice -f csv -o csv >Y 2>err)
holds "... else in /tmp" csv '^# input: pipe, read ahead into /tmp,'
cp X keep
refused() { # WHAT, WORDS
	holds "$1 is refused" err "^write-bench: (standard input|--from): .*$(shown "$TMPDIR").*$2"
	same "... and nothing touched" X keep
}
if have prlimit; then
	run 2 "with a limit for files" piped X timeout 300 prlimit --fsize=50000 "$wb" -n1 -p0 1<>keep
	refused "... what is larger" 'EFBIG.*TMPDIR'
else
	skip "with a limit for files" "no prlimit"
fi
TMPDIR=$TMPDIR/nosuch run 2 "no such TMPDIR" piped X w 1<>keep
refused "... what needs it" '/nosuch.*ENOENT.*TMPDIR'
TMPDIR=$TMPDIR/nosuch run 0 "... which an input that is not kept does not need" w --from='cat X' --no-verify \
	-s splice >Y
if unshare -m true 2>/dev/null; then
	echo 'mount -t tmpfs -o size=1m tmpfs "$TMPDIR" && exec "$@"' >tiny
	run 2 "a TMPDIR that is too small" piped many unshare -m sh tiny timeout 300 "$wb" -n1 -p0 1<>keep
	refused "... for the input" 'ENOSPC.*TMPDIR.*--size'
	WB_MARK=$mark.8 run 2 "... from a command" unshare -m sh tiny timeout 300 "$wb" -n1 -p0 \
		--from='yes | head -c 64m' 1<>keep
	refused "... it is said that it need not be kept" 'ENOSPC.*TMPDIR.*--size.*--no-verify'
	is "... which leaves no process" "$(left 8)" 0
	run 0 "... large enough for --size" piped many unshare -m sh tiny timeout 300 "$wb" -n1 -p0 -z 100000 \
		-s splice >Y
	head -c 100000 many | cmp - Y >cmp.out
	is "... is copied" $? 0
else
	skip "a TMPDIR that is too small" "no mount namespaces"
fi
is "nothing is left in TMPDIR" "$(ls -A "$TMPDIR")" ""
