#!/bin/sh
# Pipes, sockets and devices at either end: what arrives, what feeds and what compares, and that no
# process outlives the program.
# Tried: it fails where what comes out of a pipe is not compared; a consumer that quits ends the program; a row whose pipe
# Tried: is refused has another; what is left in the pipe is not seen.
# What a shell is to do with its dollars is its own.
# shellcheck disable=SC2016
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"
python=python3 # without what may be around it, and slow
! have python3 || python=$(python3 -c 'import sys; print(sys.executable)')

# From a pipe into a file.
for size in 1 4095 65537 1048577; do
	bytes $size >X
	run 0 "$size bytes from a pipe, by all rows" piped X w --all -f csv -o csv >Y
	same "... are copied" X Y
	is "... by each, or it is n/a" "$(column 4 csv | grep -v '^n/a E' | sort -u)" ok
	[ "$(column 4 csv | grep -c '^ok$')" -ge 60 ]
	is "... which few are" $? 0
done
column 1 csv | sed 's/ (pipe 1m)$//' | sort | uniq -c >pairs
is "each row is there with a pipe of 64k and one of 1m" "$(grep -v '^ *2 ' pairs)" ""
bytes 65537 >X
: >bad
column 1 csv >all
if full "rows that are not run by default, each by itself"; then mv all some; else rows --from=yes | grep -Fx -f all >some; fi
while read -r row <&5; do
	piped X w -s "$row" -o report >Y 2>err || grep -q '^n/a: ' err || echo "$row: exit status $?: $(cat err)" >>bad
	cmp X Y >>bad 2>&1 || echo "$row: no copy" >>bad
done 5<some
[ "$(wc -l <some)" -ge 10 ]
is "there are rows" $? 0
is "each by itself leaves a copy" "$(cat bad)" ""
mkfifo fifo
cat X >fifo &
run 0 "from a FIFO" w -v <fifo >Y
same "... is copied" X Y
one_line err
speed='[0-9.]+[GM]iB/s'
holds "... and the feeder's speed reported" line "\*: [0-9]+ of [0-9]+ rows waited for the input, which gives $speed alone, $speed by a pipe of 1m\\. "
bytes 3000000 >X
if have python3; then
	cat >pair.py <<'EOF'
import os, socket, subprocess, sys, threading
a, b = socket.socketpair()
data = open(sys.argv[1], "rb").read()
def send():
    a.sendall(data)
    a.close()
threading.Thread(target=send).start()
p = subprocess.Popen(sys.argv[2:], stdin=b)
b.close()
sys.exit(p.wait())
EOF
	run 0 "from a socket" timeout 300 "$python" pair.py X "$wb" -n2 -p0 -f csv -o csv >Y
	same "... is copied" X Y
	is "... by each row" "$(column 4 csv | sort -u)" ok
else
	skip "from a socket" "no python3"
fi
run 0 "from a pipe with --size" piped X w -z 5000 -f csv -o csv >Y
head -c 5000 X >wanted
same "... its beginning is copied" wanted Y
is "... by each row" "$(column 4 csv | sort -u)" ok
holds "... so much is reported" csv '^# size: 5000$'
run 0 "from a pipe with a larger --size" piped X w -z 1g -s splice -f csv -o csv >Y
same "... all is copied" X Y
holds "... so much is reported" csv '^# size: 3000000$'
# Without end, there is no need to wait for it.
yes | head -c 5000 >wanted
yes | timeout 300 "$wb" -n1 -p0 -z 5000 -s 'read*' -o report >Y 2>err
is "from a pipe without end, with --size" $? 0
same "... its beginning is copied" wanted Y
echo old >Y
run 2 "nothing from a pipe" piped /dev/null w 1<>Y
holds "... is refused" err '^write-bench: standard input: gives no byte'
is "... and nothing touched" "$(cat Y)" old
{ piped X w -s splice -o report 2>err && echo last; } >Y
{ cat X && echo last; } >wanted
same "what follows the copy is written after it" wanted Y
run 1 "commands that copy from a pipe" piped X w -s '$ *' --with=cat --with='dd bs=64k' --with='head -c 100' --with='cat; echo' \
	--with='head -c 2999999; echo' --with='cat; exit 3' --with=true -f csv -o csv >Y
is "... are found out where they don't" "$(column '1,4' csv | sort | tr '\n' ' ')" \
	'$ cat,ok $ cat; echo,mismatch $ cat; exit 3,failed exit 3 $ dd bs=64k,ok $ head -c 100,failed short $ head -c 2999999; echo,failed short $ true,failed short '
same "... and standard output is a copy all the same" X Y

# Into a pipe: a row and the comparer; the consumer has but the row's.
bytes 1048577 >X
run 0 "a row into a pipe" into Y w -s 'read+write 64k' -f csv -o csv <X
same "... gives one copy" X Y
is "... that was verified" "$(sed -n 's/^# verified: //p' csv | cut -d, -f1)" "all bytes once a row"
run 0 "a row from a device into a pipe" into Y w -s 'splice (pipe 1m)' -z 1m </dev/zero
head -c 1048576 /dev/zero >wanted
same "... gives one copy" wanted Y
run 0 "a row from a pipe into a pipe" piped X into Y w -s 'splice (pipe 1m)'
same "... gives one copy" X Y
mkfifo out
cat out >Y &
run 0 "a row from a FIFO into a FIFO" piped X w -s 'read+write 4k (pipe 1m)' >out
wait $!
same "... gives one copy" X Y
cat X X X X >wanted # two rows, twice
run 0 "rows into a pipe" into Y w -n2 -s 'splice,vmsplice' <X
same "... a copy for each run" wanted Y
run 0 "all rows into a pipe" into Y w --all -f csv -o csv <X
is "... a number of copies" "$(($(wc -c <Y) % 1048577))" 0
is "... by each, or it is n/a" "$(column 4 csv | grep -v '^n/a E' | sort -u)" ok
lacks "... but for two calls a byte, which are made where they are named only" csv '^read\+write 1( \(pipe 1m\))?,'
for size in 1 4095 4097 65537; do
	bytes $size >X
	run 0 "$size bytes into a pipe" into Y w -f csv -o csv <X
	is "... a number of copies" "$(($(wc -c <Y) % size))" 0
	is "... by each row" "$(column 4 csv | sort -u)" ok
	head -c $size Y >first
	same "... the first is one" X first
	run 0 "$size bytes from a pipe into a pipe" piped X into Y w -f csv -o csv
	is "... by each row" "$(column 4 csv | sort -u)" ok
done
run 0 "two calls a byte, into a pipe" into Y w -s 'read+write 1' -f csv -o csv <X
is "... are made where they are named" "$(column 1,4 csv)" "read+write 1,ok"
same "... and give one copy" X Y
bytes 1500000 >X
# Rows that write at offsets would put blocks there in any order.
for row in 'io_uring read+write 8x128k' 'threads read+write 256k' 'direct 1m'; do
	rm -f csv
	into Y w -n3 -s "$row" -f csv -o csv <X 2>err
	is "$row, named for a pipe: is not run there" "$([ ! -e csv ] || column 4 csv | grep -v '^n/a E')" ""
	[ ! -s Y ] || cmp X Y >cmp.out
	is "... and what is in the pipe is one copy, or nothing" $? 0
done
# No row's copy is taken on trust.
bytes 100000 >X
for command in 'cat >/dev/null; head -c $SIZE /dev/zero' 'cat >/dev/null; head -c 99999 X' 'cat; echo' 'tr a b' 'cat >/dev/null'; do
	run 1 "a wrong command into a pipe: $command" into Y w -s '$ *' --with="$command" -f csv -o csv <X
	is "... is no copy" "$(outcomes)" "1 mismatch "
	run 1 "... nor from a pipe into a pipe" piped X into Y w -s '$ *' --with="$command" -f csv -o csv
	is "... is no copy" "$(outcomes)" "1 mismatch "
done
run 1 "one that reads too little" into Y w -s '$ *' --with='head -c $SIZE /dev/zero' -f csv -o csv <X
is "... is no copy" "$(outcomes)" "1 mismatch "
run 1 "a wrong command into a pipe, as text" into Y w -s splice --with='head -c 5000; cat >/dev/null; head -c 95000 /dev/zero' <X
one_line err
holds "... is reported with the byte that differs" line 'Copied wrongly: \$ [^:]*: differs from the input at byte (5000|5001|5002), though with exit status 0\. '
run 0 "a wrong command, with --no-verify" into Y w -s '$ *' --with='tr a b' --no-verify -f csv -o csv <X
is "... is not found out" "$(outcomes)" "1 ok "
lacks "... and not said to be verified" csv '^# verified: all'
run 0 "a right command into a pipe" into Y w -s '$ *' --with=cat -f csv -o csv <X
is "... is one" "$(outcomes)" "1 ok "
run 1 "a command that is wrong in the comparing run only" into Y w -s '$ *' --with='if [ -e once ]; then tr a b; else : >once; cat; fi' -f csv -o csv <X
is "... is no copy" "$(outcomes)" "1 mismatch "
if can_trace; then
	lie() { # INJECTION ROW: by a call of the program itself, which is not its children's
		timeout 300 strace -qq -o trace -e inject="$1" "$wb" -n1 -p0 --in-order -s "$2" -f csv -o csv
	}
	# The fortieth call is in the middle of the second copy, into however many pieces the input was read beforehand.
	run 1 "a row that leaves bytes out when it is compared" piped X into Y lie write:retval=4096:when=40 'read+write 4k'
	is "... is found out" "$(outcomes)" "1 mismatch "
	holds "... (so it was)" trace INJECTED
else
	skip "rows that leave bytes out" "strace may not trace here"
fi
head -c 200 X >>X
cp X other
run 0 "into /dev/null" piped X w --all -f csv -o csv >/dev/null
is "... by each, or it is n/a" "$(column 4 csv | grep -v '^n/a E' | sort -u)" "ok
untouched"
is "... without touching a byte by some" "$(sed -n 's/,.*,untouched,.*//p' csv | sort | head -n 4 | tr '\n' ',')" \
	"io_uring splice 1m,io_uring splice 1m (pipe 1m),pipe+splice,pipe+splice (pipe 1m),"
for row in 'read+write 128k' 'stdio 4k' 'read+write 128k (pipe 1m)'; do
	holds "... but not by $row" csv "^$(echo "$row" | sed 's/[+()]/\\&/g'),1,[0-9]+,ok,"
done
run 0 "... as text" piped X w -s 'splice,read+write 4k' >/dev/null
holds "... they are marked" err '^splice +[0-9.]+[mu]?s.* \(untouched\)( +([0-9]+%|-))?$' '^read\+write 4k +[0-9.]+[mu]?s [^(]* ~\*?( +([0-9]+%|-))?$' '^Not ranked, since neither the row nor the device looks at a byte: splice\.$'

# Refused.
bytes 100000 >X
echo keep >Y
run 2 "--cold with a pipe" piped X w --cold 1<>Y
holds "... is refused" err '^write-bench: standard input: is a pipe, which has no page cache .*leave out --cold'
is "... and nothing touched" "$(cat Y)" keep
if have python3; then
	cat >nonblocking.py <<'EOF'
import os, subprocess, sys
r, w = os.pipe()
os.set_blocking(w, False)
p = subprocess.Popen(sys.argv[1:], stdout=w)
os.close(w)
n = len(os.read(r, 1))
p.wait()
sys.exit(p.returncode if n == 0 else 99)
EOF
	run 2 "a pipe as output that does not block" timeout 300 "$python" nonblocking.py "$wb" <X
	holds "... is refused" err '^write-bench: standard output: is a pipe that does not block .O_NONBLOCK.: '
else
	skip "a pipe as output that does not block" "no python3"
fi
# shellcheck disable=SC2069
both() {
	w <X 2>&1
}
run 2 "a report that would go into the pipe" into Y both
is "... is refused without a word" "$(wc -c <Y | tr -d ' ')" 0

# A consumer that quits.
bytes 3000000 >X
{ w -n3 -s 'read+write*' <X 2>err; echo $? >status; } | head -c 1000 >Y
is "a consumer that quits" "$(cat status)" 1
head -c 1000 X >wanted
same "... has had the beginning" wanted Y
one_line err
holds "... it is reported" line 'Failed: read\+write [^:]*: (write|the pipe): EPIPE \('
lacks "... and of no row as if it could not" line 'n/a: [^:]*: [^:]*: EPIPE'
{ w -n3 -f csv -o csv <X 2>err; echo $? >status; } | :
is "a consumer that takes nothing" "$(cat status)" 1
is "... fails every row" "$(column 4 csv | sort -u)" "failed EPIPE"
{ piped X w -n3 -f csv -o csv 2>err; echo $? >status.2; } | head -c 1000 >Y
is "... also of a pipe" "$(cat status.2) $(column 4 csv | sort -u)" "1 failed EPIPE"

# Signals: what stalls.
mkfifo in.fifo out.fifo
byte() { # is read from the pipe at descriptor 4, when there is one
	timeout 100 head -c 1 <&4 >/dev/null
}
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
for signal in INT:130 TERM:143 HUP:129; do
	exec 4<>out.fifo
	marked 1 "$wb" -p0 -s 'read+write*' <X >out.fifo 2>err 4>&- &
	pid=$!
	byte
	stalls 1 ${signal%:*} ${signal#*:} "a consumer that stalls"
	one_line err
	holds "... what was measured is printed" line "Interrupted by SIG${signal%:*} after [0-9]+ of [0-9]* runs: the last copy in the pipe may not be whole\\."
	exec 4<>in.fifo
	marked 2 "$wb" -p0 <in.fifo >Y 2>err &
	pid=$!
	echo hello >&4
	until_there keeps $pid 6
	stalls 2 ${signal%:*} ${signal#*:} "a producer that stalls"
	holds "... it is reported what has come" err '^write-bench: standard input: interrupted while it was read ahead, after 6B: nothing has been copied$'
done
is "... nothing has been touched" "$(cat Y)" ""

# Who is killed: a feeder and a comparer, while they wait for us.
cat >slow <<'EOF'
echo $$ >>started
read -r line
exec sleep 600
EOF
cat X X >many
for what in feeder program; do
	rm -f started
	mkfifo "spool.$what"
	marked 3 "$wb" -p0 -n1 --in-order -s '$ *' --with="exec sh slow" -f csv -o csv <"spool.$what" >Y 2>err &
	pid=$!
	cat many >"spool.$what"
	until_there test -s started
	is "while a command runs, the feeder and it are there" "$(children "$pid" | wc -w | tr -d ' ')" 2
	is "... no child is a zombie" "$(for child in $(children "$pid"); do state "$child"; done | tr -d 'RSD\n')" ""
	if [ $what = feeder ]; then
		child=$(children "$pid")
		kill -KILL "${child%% *}" # the first that was started
		until_there ended "${child%% *}"
		kill -TERM "$pid"
		within 60 "$pid"
		is "with its feeder killed, a SIGTERM ends the program in time" $? 0
		wait "$pid"
		is "... with its exit status" $? 143
	else
		kill -KILL "$pid"
		wait "$pid"
	fi
	is "the $what killed: no process is left" "$(left 3)" 0
done
# The feeder is ended while a row reads: by the row itself, which is a command.
run 1 "a feeder that is killed" piped many w -s '$ *' -f csv -o csv \
	--with='read -r line; for i in $(cat /proc/$PPID/task/$PPID/children); do [ $i = $$ ] || { kill -KILL $i; break; }; done; cat' >Y
holds "... fails the row, which is reported" csv '^"?\$ read.*,failed signal 9,,+[0-9]*,the process that feeds the pipe$'
same "... standard output is a copy all the same" many Y
run 1 "... as text" piped many w -s '$ *' \
	--with='read -r line; for i in $(cat /proc/$PPID/task/$PPID/children); do [ $i = $$ ] || { kill -KILL $i; break; }; done; cat' >Y
one_line err
holds "... with which it was" line 'Failed: .*: killed by SIGKILL: the process that feeds the pipe\. '
# The comparer.
{ marked 4 "$wb" -p0 -n1 -s '$ *' --with='if [ -e twice ]; then : >thrice; exec sleep 600; else : >twice; cat; fi' -f csv -o csv <X 2>err; } | cat >Y &
until_there test -e thrice
pid=$(cat pid.4)
is "while a copy is compared, the comparer and the command are there" "$(children "$pid" | wc -w | tr -d ' ')" 2
child=$(children "$pid")
kill -KILL "$pid"
wait
is "the program killed meanwhile: no process is left" "$(left 4)" 0
rm -f twice
run 1 "a comparer that is killed" into Y w -s '$ *' -f csv -o csv <X \
	--with='if [ -e twice ]; then for i in $(cat /proc/$PPID/task/$PPID/children); do [ $i = $$ ] || { kill -KILL $i; break; }; done; else : >twice; fi; cat'
holds "... fails the row" csv '^"?\$ if.*,failed signal 9,'

# No child stays a zombie, nor one of a run beside the next one's: the program is looked at where it stands still, in
# the midst of each of its copies, between which are those that are compared.
exec 4<>out.fifo
mkfifo spool.5
cat X >spool.5 &
marked 5 "$wb" -n3 -p0 -s 'read+write 4k,splice' -o report <spool.5 >out.fifo 2>err 4>&- &
pid=$!
size=$(wc -c <X)
for _ in 1 2 3 4 5 6; do # two rows, three times
	byte
	for child in $(children "$pid"); do
		printf %s "$(state "$child" | tr RSD .)"
	done
	echo
	timeout 300 head -c $((size - 1)) <&4 >/dev/null
done >children
within 60 "$pid"
wait
exec 4>&-
is "while a row copies, its feeder is there, no other child, and no zombies" "$(sort children | uniq -c | tr -s ' \n' ' ')" " 6 . "
is "no process is left" "$(left 5)" 0

# SIGINT at any moment.
bad=
for i in 0 1 3 5; do
	rm -f in.fifo
	mkfifo in.fifo
	marked 6 "$wb" -p0.001 -n10000 -s 'splice*,read+write 4*' -o report <in.fifo >Y 2>err &
	pid=$!
	cat X >in.fifo 2>/dev/null &
	until_catching $pid || bad="$bad ended"
	sleep "0.$(printf %03d $((i * i * 5)))"
	kill -INT $pid
	within 60 $pid || bad="$bad late"
	wait $pid
	status=$?
	kill -KILL $! 2>/dev/null
	[ $status = 130 ] || bad="$bad exit-status-$status"
done
wait
is "SIGINT at any moment, from a pipe into a file: ends in time, as it should" "$bad" ""
is "... no process is left" "$(left 6)" 0
bad=
for i in 0 1 3 5; do
	{ (marked 7 "$wb" -p0.001 -n10000 -s 'splice*,read+write 4*' -o report <X 2>err); echo $? >status; } | cat >/dev/null &
	until_there test -s pid.7
	pid=$(cat pid.7)
	until_catching "$pid" || bad="$bad ended"
	sleep "0.$(printf %03d $((i * i * 5)))"
	kill -INT "$pid"
	within 60 "$pid" || bad="$bad late"
	wait
	[ "$(cat status)" = 130 ] || bad="$bad exit-status-$(cat status)"
	rm -f pid.7
done
is "... into a pipe" "$bad" ""
is "... no process is left" "$(left 7)" 0

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
if [ "$(id -u)" = 0 ] && have python3 && [ "$(cat /proc/sys/fs/pipe-user-pages-soft 2>/dev/null)" = 16384 ] &&
	[ "$(getconf PAGESIZE)" = 4096 ]; then
	OTHER=$((100000 + $$)) # of which no other test has pipes
	export OTHER
	cp "$wb" program
	both='splice,splice (pipe 1m)'
	chmod 755 . program && chmod 777 "$TMPDIR"
	: >Y
	chmod 666 Y
	head -c 100000 /dev/urandom >X
	run 0 "where large pipes are refused" piped X env TMPDIR=spool timeout 300 "$python" many.py ./program -n1 -p0 -s "read+write 4k,read+write 4k (pipe 1m),$both" -f csv 1<>Y
	cp err csv
	same "... the input is copied" X Y
	is "... by rows with a small one" "$(column 1,4 csv | sort | tr '\n' ' ')" \
		"read+write 4k (pipe 1m),n/a EPERM read+write 4k,ok splice (pipe 1m),n/a EPERM splice,ok "
	run 0 "... as text" piped X env TMPDIR=spool timeout 300 "$python" many.py ./program -n1 -p0 -s "$both" 1<>Y
	one_line err
	holds "... with the reason" line 'n/a: splice \(pipe 1m\): fcntl F_SETPIPE_SZ: EPERM\.'
	: >Y
	run 0 "... into a command" timeout 300 "$python" many.py ./program -n1 -p0 -s "$both" --into='cat >/dev/null' -f csv <X 1<>Y
	cp err csv
	is "... the same" "$(column 1,4 csv | sort | tr '\n' ' ')" "splice (pipe 1m),n/a EPERM splice,ok "
	run 0 "... into a pipe" into Y timeout 300 "$python" many.py ./program -n1 -p0 -s "$both" -f csv <X
	cp err csv
	is "... the same" "$(column 1,4 csv | sort | tr '\n' ' ')" "splice (pipe 1m),n/a EPERM splice,ok "
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
if can_trace; then
	piped X strace -qq -y -o trace -e trace=fdatasync "$wb" -n2 -p0 -s splice -o report >Y 2>err
	is "... it is put on the disk once" "$(grep -c "^fdatasync([0-9]*<.*/${TMPDIR##*/}/" trace)" 1
else
	skip "... it is put on the disk" "no strace, or it may not trace here"
fi
cp X keep
refused() { # WHAT, WORDS
	holds "$1 is refused" err "^write-bench: (standard input|--from): .*$(shown "$TMPDIR").*$2"
	same "... and nothing touched" X keep
}
if have prlimit; then
	run 2 "with a limit for files" piped X timeout 300 prlimit --fsize=50000 "$wb" -n1 -p0 1<>keep
	refused "what is larger" 'write: EFBIG .*TMPDIR'
else
	skip "with a limit for files" "no prlimit"
fi
TMPDIR=$TMPDIR/nosuch run 2 "no such TMPDIR" piped X w 1<>keep
refused "... what needs it" '/nosuch.*: open: ENOENT.*TMPDIR'
TMPDIR=$TMPDIR/nosuch run 0 "... which an input that is not kept does not need" w --from='cat X' --no-verify -s splice >Y
if unshare -m true 2>/dev/null; then
	echo 'mount -t tmpfs -o size=1m tmpfs "$TMPDIR" && exec "$@"' >tiny
	run 2 "a TMPDIR that is too small" piped many unshare -m sh tiny timeout 300 "$wb" -n1 -p0 1<>keep
	refused "... for the input" ' so far\): write: ENOSPC.*TMPDIR.*--size'
	WB_MARK=$mark.8 run 2 "... from a command without end" unshare -m sh tiny timeout 300 "$wb" -n1 -p0 --from=yes 1<>keep
	refused "... it is said that it need not be kept" 'ENOSPC.*TMPDIR.*--size.*--no-verify'
	is "... which leaves no process" "$(left 8)" 0
	run 0 "... large enough for --size" piped many unshare -m sh tiny timeout 300 "$wb" -n1 -p0 -z 100000 -s splice >Y
	head -c 100000 many | cmp - Y >cmp.out
	is "... is copied" $? 0
else
	skip "a TMPDIR that is too small" "no mount namespaces"
fi
is "nothing is left in TMPDIR" "$(ls -A "$TMPDIR")" ""
