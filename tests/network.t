#!/bin/sh
# TCP connections: our own receiver, --receive elsewhere, and sockets as standard input and output: what arrives,
# what reports it, who waits for whom, and what becomes of a side that dies, stops, or lies.
# Tried: it fails where the sum leaves out a rest, is of stale bytes, asked for in each run, or not looked at; any version is served;
# Tried: more than announced is taken; a silent stream, or a trickle, is never dropped; a session goes on after a receiver that does
# Tried: not answer; what can't be kept is no failure; a datagram is read.
# What a shell is to do with its dollars is its own.
# shellcheck disable=SC2016
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"

python_has random,socket,subprocess,threading || skip_all "no python3 with its standard library"
python=$(python3 -c 'import sys; print(sys.executable)') # without what may be around it, and slow
near=wb$$a far=wb$$b # network namespaces, and the ends of the cable between them
spaces=
clean_up() {
	find_marked '.*' >alive
	kill_listed alive
	for space in $spaces; do
		ip netns del "$space" 2>/dev/null
	done
}
undo=clean_up
cat >net.py <<'EOF'
import os, random, socket, struct, subprocess, sys, threading, time

def mix(s, word):
    s = (s ^ word) * 0x9e3779b97f4a7c15 & 0xffffffffffffffff
    return s ^ s >> 32

def sum_of(data):
    total = 1
    for at in range(0, len(data), 1 << 20):
        piece = data[at:at + (1 << 20)]
        rest = len(piece) & -8
        s = 1
        for word in struct.unpack("<%dQ" % (rest // 8), piece[:rest]) + tuple(piece[rest:]):
            s = mix(s, word)
        total = mix(total, s)
    return total

def line(s):
    text = b""
    while not text.endswith(b"\n"):
        c = s.recv(1)
        if not c:
            break
        text += c
    return text.decode().rstrip("\n")

def connect(port, text=""):
    s = socket.create_connection(("127.0.0.1", int(port)), 100)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    s.sendall(text if isinstance(text, bytes) else text.encode().decode("unicode_escape").encode())
    return s

def run(port, n, more=""):  # asks for a run; prints an answer other than ready
    s = connect(port, "write-bench 3 %d%s\n" % (n, more))
    print("asked", flush=True)
    answer = line(s)
    if answer != "ready":
        print(n, "not begun:", answer)
    return s

def dropped(s):  # what is received in place of that
    try:
        return s.recv(100)
    except ConnectionError:
        return b""

def sums(port, kept, *sizes):  # sends streams in pieces; prints wrong answers, and what is not kept
    for n in map(int, sizes):
        data = os.urandom(n)
        s = run(port, n, " sum")
        for at in range(0, n, 700001):
            s.sendall(data[at:at + 700001])
        s.shutdown(socket.SHUT_WR)
        answer = line(s)
        if answer != "done %d %016x" % (n, sum_of(data)) or s.recv(1) or open(kept, "rb").read() != data and n:
            print(n, answer)

def strangers(port):  # each is dropped; prints what is answered
    for t in [b"\n", b"\0" * 1000, b"GET / HTTP/1.0\r\n\r\n", b"write-bench 3 -1\n", b"write-bench 3 5 now\n", b"write-bench 3 1" + b"0" * 2000000] * 2:
        s = connect(port)
        try:
            s.sendall(t)
        except OSError:
            pass
        got = dropped(s)
        if got:
            print(t[:30], got)

def asks(port, text):  # prints the answer, and what comes behind it
    s = connect(port, text)
    print(line(s), s.recv(1))

def more(port, n, of):  # sends more than it has announced, and no end; prints what it gets, and whether it is dropped at once
    s = run(port, int(of))
    start = time.monotonic()
    try:
        s.sendall(b"x" * int(n))
    except ConnectionError:
        pass
    print(dropped(s), time.monotonic() - start < 18)

def silent(port, text, n=0):  # sends n bytes of a stream, if it gets so far, and then says no more; prints after how many seconds it is dropped
    start = time.monotonic()
    s = connect(port, text)
    print("asked", flush=True)
    if n:
        line(s)
        s.sendall(b"x" * int(n))
    while dropped(s):
        pass
    print(time.monotonic() - start)

def slow(port, n, end, pause=0.1):  # n bytes of a stream, and so on after each pause, until there is such a file, or it is dropped
    s = run(port, 10 ** 18, " sum")
    start, data = time.monotonic(), b"x" * int(n)
    try:
        while not os.path.exists(end):
            s.sendall(data)
            print("begun", flush=True)
            time.sleep(float(pause))
        s.shutdown(socket.SHUT_WR)
        print(line(s))
    except ConnectionError:
        print(time.monotonic() - start)

def servers(*answers):  # prints their ports; what each is asked for is in the file asked
    listeners = [socket.create_server(("127.0.0.1", 0)) for answer in answers]
    for answer, listener in zip(answers, listeners):
        threading.Thread(target=server, args=(answer, listener)).start()
    print("".join("%d\n" % listener.getsockname()[1] for listener in listeners), end="", flush=True)

def server(answer, listener):  # silence, or what it says in place of ready (later: but not at first), or a template of its answer
    def serve(s):
        request = line(s)
        with open("asked", "a") as asked:
            asked.write(request + "\n")
        first, check = request.endswith(" 0"), request.endswith(" sum")
        if answer == "silent":
            time.sleep(1000)
        elif answer.startswith("first") or answer.startswith("later ") and not first:
            s.sendall(answer[6:].encode().decode("unicode_escape").encode())
        else:
            s.sendall(b"ready\n")
            data = b""
            while got := s.recv(100000):
                data += got
            said = "done {n} {s:016x}\\n" if first else answer
            s.sendall(eval("f'" + said + "'", {"n": len(data), "s": sum_of(data) if check else 0, "check": check, "time": time}).encode())
        s.close()
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

def pair(kind):  # our end of a connection, where there is one, and theirs
    if kind == "datagram":
        return socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    if kind in ("unconnected", "listening"):
        return None, socket.socket() if kind == "unconnected" else socket.create_server(("127.0.0.1", 0))
    if not kind.startswith("tcp"):
        ours, theirs = socket.socketpair()
        theirs.setblocking(kind != "nonblocking")
        return ours, theirs
    listener = socket.create_server(("::1" if kind == "tcp6" else "127.0.0.1", 0), family=socket.AF_INET6 if kind == "tcp6" else socket.AF_INET)
    theirs = socket.create_connection(listener.getsockname()[:2])
    return listener.accept()[0], theirs

def refuse(side, kind, there, *command):  # a socket as stdin or stdout; what is there afterwards goes into a file
    ours, theirs = pair(kind)
    if ours and side == "stdin":
        ours.send(b"datagram")
    status = subprocess.run(command, **{side: theirs}).returncode
    with open(there, "wb") as out:
        if ours:
            end = theirs if side == "stdin" else ours
            end.setblocking(False)
            try:
                out.write(end.recv(100))
            except BlockingIOError:
                pass
    sys.exit(status)

def output(kind, into, *command):  # a socket as standard output; what comes out of it goes into a file
    ours, theirs = pair(kind)
    p = subprocess.Popen(command, stdout=theirs)
    theirs.close()
    if " sleeper " in kind:
        time.sleep(int(kind.split()[2]))
    n = 0
    with open(into, "wb") as out:
        while not kind.endswith("taker of none") and (got := ours.recv(65536)):
            out.write(got)
            n += len(got)
            if kind.endswith("quitter") and n > 1000:
                break
        ours.close()
    sys.exit(p.wait())

globals()[sys.argv[1]](*sys.argv[2:])
EOF
net() { timeout -k 1 300 "$python" -S -E net.py "$@"; }
impatient= # it waits for 1 second before it says so, for 3 for a receiver that others use, for 4 for a silent peer, not for 5, 60 and 20
! impatient_program || impatient=$compiled
# receive NUMBER [OPTION...]: a receiver in the background, with its words in log.NUMBER; $port, $receiver
receive() {
	number=$1
	shift
	rm -f "log.$number"
	marked "$number" ${space:+ip netns exec "$space"} "$wb" "--receive=${at:-0}" "$@" 2>>"log.$number" 4>&- &
	receiver=$!
	until_there grep -q "receiving on" "log.$number" || fail "a receiver starts" "log.$number"
	port=$(sed -n 's/.*receiving on .*:\([0-9]*\)$/\1/p' "log.$number")
}
send() { # [OPTION...]: without rows that may be the last one and leave nothing there, since they are n/a
	w --send="${to:-127.0.0.1:$port}" -x "splice${but-}" -f csv -o csv "$@"
}
# sender NUMBER OPTION...: to $port, in the background; $pid, with its words in err, and its report in csv
sender() {
	number=$1
	shift
	{
		marked "$number" "$wb" --send="127.0.0.1:$port" -p0 --in-order -f csv -o csv "$@" <&6 2>err &
		pid=$!
	} 6<&0
}
# tells DESCRIPTION FILE REGEX: a receiver, whose words come after its answer, and so after the sender's end
tells() {
	until_there grep -Eq -e "$3" "$2"
	holds "$@"
}
ends() { # SECONDS PID STATUS WHAT
	within "$1" "$2"
	is "$4: it ends in time" $? 0
	wait "$2"
	is "... with its exit status" $? "$3"
} 2>/dev/null
stop() { # SIGNAL STATUS WHAT [SECONDS]: the receiver
	kill "-$1" "$receiver"
	ends "${4-18}" "$receiver" "$2" "$3: SIG$1 to the receiver" # by no limit of its own
}
all_ok() { # DESCRIPTION: each row of csv, or it has a reason not to
	is "$1" "$(column 4 csv | grep -v '^n/a E' | sort -u)" ok
}
failed() { # DESCRIPTION REASONS: each row of csv
	is "$1" "$(column 4 csv | grep -v '^n/a E' | sort -u | grep -Evx "failed ($2)") $(column 4 csv | grep -c failed | sed 's/^[1-9].*/some/')" " some"
}
turn="write-bench: --send[^ ]*: waiting for another sender"
queued() { # PORT: does a connection wait for its listener?
	awk -v port="$(printf ':%04X' "$1")" '$2 ~ port "$" && $4 == "0A" && $5 !~ /:0*$/ { n++ } END { exit !n }' /proc/net/tcp
}
held() { # NAME: a command that leaves NAME.begun, and copies when there is a file NAME
	echo "echo >$1.begun; until [ -e $1 ]; do sleep 0.02; done; exec cat"
}
found_out() { # WHAT COMMAND...: commands that don't copy
	found=$1
	shift
	run 1 "$found: commands that don't copy" "$@" -x '*' --with=cat --with='head -c 100' --with='tr a b' --with='cat; exit 3'
	is "... are found out" "$(column 1,4 csv | sort | sed -E 's/(failed )?(short|mismatch|E[A-Z]+|signal 13)$/wrong/' | tr '\n' ' ')" \
		"\$ cat,ok \$ cat; exit 3,failed exit 3 \$ head -c 100,wrong \$ tr a b,wrong "
}

# ---- What takes long goes on in the background; its results are looked at in the end.
later() { # NAME COMMAND...
	name=$1
	shift
	("$@") 2>"$name.err" 3>&-
	echo $? >"$name.tmp"
	mv "$name.tmp" "$name.status"
}
in_time() { # NAME STATUS DESCRIPTION
	until_there test -e "$1.status" || until_there test -e "$1.status"
	is "$3: ends, with its exit status" "$(cat "$1.status" 2>&1)" "$2"
}
started() { # NUMBER [BYTES]: a sender, which has sent as many; $pid
	until_there test -s "pid.$1"
	pid=$(cat "pid.$1")
	until_there sends "$pid" "${2-300000}"
}
bytes 3000000 >big
head -c 1000 big >X3
head -c 1000000 big >some
mkfifo blocked
exec 5<>blocked # which has no reader
if [ "$impatient" ]; then
	# A receiver that stops for good, in the middle of a stream; our own; a sender that does; a server that does not answer.
	receive 61 >blocked
	stopped_port=$port stopped_receiver=$receiver
	later stopped marked 62 "$impatient" -n2 -p0 --in-order -z 20m -s 'read+write 64k,sendfile' --send="127.0.0.1:$port" -f csv -o stopped.csv </dev/zero >/dev/null &
	started 62
	kill -STOP "$receiver"
	later own marked 65 "$impatient" -n2 -p0 --in-order --no-verify -z 80000g -s 'read+write 64k' --send -f csv -o own.csv </dev/zero >/dev/null &
	started 65 9000000
	kill -STOP "$(children "$pid" | tr -d ' ')"
	wb=$impatient receive 63 >/dev/null
	frozen_port=$port frozen_receiver=$receiver
	later frozen marked 64 "$wb" -n2 -p0 --in-order --no-verify -z 80000g -s 'read+write 64k' --send="127.0.0.1:$port" -f csv </dev/zero >/dev/null &
	started 64 9000000
	frozen=$pid
	kill -STOP "$frozen"
	marked 67 "$python" -S -E net.py servers '{time.sleep(1000)}' >servers &
	until_there test -s servers
	later mute timeout 200 "$impatient" -n1 -p0 -s 'read+write 64k,sendfile' --send="127.0.0.1:$(cat servers)" -f csv -o mute.csv <big >/dev/null &
	# A sender that says nothing more within a stream; and one that sends a few bytes now and then. Another one waits meanwhile.
	for kind in 100 slow; do
		wb=$impatient receive 68.$kind >kept.$kind
		case $kind in slow) set -- slow "$port" 10 never ;; *) set -- silent "$port" 'write-bench 3 1000\n' $kind ;; esac
		later silent-$kind net "$@" >silent-$kind.out &
		until_there grep -q asked silent-$kind.out
		later waits-$kind timeout 300 "$wb" -n1 -p0 -s sendfile --send="127.0.0.1:$port" -f csv -o waits-$kind.csv <big &
	done
fi
# Senders that wait while another's stream comes, slowly, but not too slowly; one of them gives up.
wb=${impatient:-$wb} receive 24 >/dev/null
slow_port=$port
later slow net slow "$port" 20000 go.24 >slow.out &
until_there grep -q asked slow.out
marked 16 "$wb" --send="127.0.0.1:$port" -n1 -p0 -s sendfile -f csv -o ended.csv <X3 2>ended.err &
ended=$!
later waits timeout 200 "$wb" --send="127.0.0.1:$port" -n1 -p0 -s sendfile -f csv -o waits.csv <X3 &
[ -z "$impatient" ] || later none timeout 200 "$impatient" --send="127.0.0.1:$port" -n1 -p0 -s sendfile -f csv -o none.csv <X3 &
(
	until_there grep -q "$turn" ended.err && kill -TERM $ended
	until_there grep -q "$turn" waits.err
	[ -z "$impatient" ] || until_there test -e none.status
	: >go.24
) 3>&- &
# One that sends half a request, and a sender behind it.
receive 60 >/dev/null
later half net silent "$port" "write-bench 3 10" >half.out &
until_there grep -q asked half.out
later behind timeout 200 "$wb" --send="127.0.0.1:$port" -n1 -p0 -s sendfile -f csv -o behind.csv <X3 &
# Sends without copying that are completed when no run waits for that any more.
later sleeper net output "tcp sleeper $([ "$impatient" ] && echo 2 || echo 7)" slept "${impatient:-$wb}" -n2 -p0 -s '*send zero*' -f csv -o sleeper.csv <some &
RES_OPTIONS='timeout:1 attempts:1' later nohost timeout 200 "$wb" -n1 -p0 --send=no-such-host.invalid:7100 <big >/dev/null &

# Two machines, with a cable that is pulled.
wired=no
if [ "$(id -u)" = 0 ] && have ip && ip netns add $near 2>/dev/null; then
	spaces="$near $far"
	if ip netns add $far && ip link add $near netns $near type veth peer name $far netns $far 2>ip.err; then
		for space in $near $far; do
			ip -n "$space" link set lo up
			ip -n "$space" link set "$space" up
		done
		ip -n $near address add 10.99.7.1/24 dev $near
		ip -n $far address add 10.99.7.2/24 dev $far
		wired=yes
	fi
fi
if [ $wired = yes ]; then
	at=10.99.7.2:0 space=$far receive 70 >K.far
	run 0 "from one machine to another" timeout 300 ip netns exec $near "$wb" -n1 -p0 --send="10.99.7.2:$port" -f csv -o csv -x splice <big
	all_ok "... by each row"
	same "... where the copy is kept" K.far big
	holds "... its address is reported" csv "^# heading: TCP to 10\\.99\\.7\\.2:$port, "
	if [ "$impatient" ]; then
		at=10.99.7.2:0 space=$far receive 73 >blocked
		later pulled marked 72 ip netns exec $near "$impatient" -n2 -p0 --in-order -z 20m -s 'read+write 64k,sendfile' --send="10.99.7.2:$port" -f csv -o pulled.csv </dev/zero >/dev/null &
		started 72
		ip -n $far link set $far down
	fi
fi
space=

# ---- Our own receiver.
own() { (marked 1 timeout -k 1 300 "$wb" -n1 -p0 --send -f csv -o csv "$@"); }
bytes 1048577 >X
run 0 "to a receiver of our own, by all rows" own --all <X
all_ok "... by each, or it is n/a"
is "... which few are" "$(column '1,4' csv | grep -v ',ok$' | cut -d, -f1 | grep -Ev '^(splice.*|.*vmsplice.*|uncached 1m.*|.*io_uring.*|mmap.send zerocopy.*)$')" ""
is "... each row once" "$(column 1 csv | sort -u | tr '\n' ,)" "$(rows --all --send <X | grep -v '^read+write 1\( +.*\)*$' | sort | tr '\n' ,)"
is "... no process is left" "$(left 1)" 0
found_out "to a receiver of our own" w --send -f csv -o csv <X

# ---- The sum, and what is kept.
receive 2 >K
is "a receiver says where it is, which is one address" "$(sed 's/:[0-9]*$/:PORT/' log.2)" "write-bench: receiving on 127.0.0.1:PORT"
is "the sum is as the protocol has it, of any size, and each stream is kept" "$(net sums "$port" K 0 1 7 8 9 1048575 1048577 2500000 2>&1 | grep -vx asked)" ""
: >log.2 # which is appended to
run 0 "three runs" w -n3 --send="127.0.0.1:$port" -s sendfile -f csv -o csv <X
tells "... the receiver tells size and sum of one stream" log.2 ': 1048577 of 1048577 bytes, sum [0-9a-f]{16}, '
run 1 "a command that sends nothing" send -x '*' --with=true <X
same "... is no stream: the last one is still kept" K X

# ---- A receiver elsewhere.
to=localhost:$port # where the machine has that name
perl -e 'exit !gethostbyname "localhost"' || to=127.0.0.1:$port
for size in 65537 33; do # the second stream is shorter
	bytes $size >X
	run 0 "$size bytes to $to" send <X
	all_ok "... by each row"
	same "... the last copy is kept" K X
done
to='' kept_port=$port kept_receiver=$receiver
if grep -q ' lo$' /proc/net/if_inet6 2>/dev/null; then
	at='[::1]:0' receive 3 >K6
	to="[::1]:$port" run 0 "to another address, $port" send -s sendfile <X
	same "... the copy is kept" K6 X
	kill -TERM "$receiver"
	port=$kept_port receiver=$kept_receiver
else
	skip "a receiver at another address" "no IPv6"
fi
bytes 100000 >X
run 0 "from a pipe" piped X w --send="127.0.0.1:$port" -f csv -o csv
is "... by each row" "$(column 4 csv | sort -u) $(column 1 csv | grep -c '^splice')" "ok 2"
same "... the copy is kept" K X
bytes 70000 >X
# Where a row that fails comes last, what the outputs lack is copied once more.
for seed in 1 2 3; do
	run 1 "to a second output too, with a row that fails, in order $seed" send --tee=T --seed=$seed -s 'read+write x2 64k' --with='exit 3' <X
	is "... which fails" "$(column 4 csv | sort | tr '\n' ' ')" "failed exit 3 ok "
	same "... the copy is kept" K X
	same "... there, too" T X
done
found_out "to a receiver elsewhere" send <X
found_out "... from a pipe" piped X send
run 0 "with --no-verify only the number of bytes tells" send --no-verify -x '*' --with='tr a b' <X

# ---- What a receiver says is not taken on trust. "check": in the run that asks for a sum.
bytes 5000 >X
cat >fakes <<'EOF'
0 1 ok :done {n} {s:016x}\n
1 1 mismatch :done {n} {s ^ check:016x}\n
1 1 mismatch :done {n - 1} {s:016x}\n
1 1 failed EPROTO :done {n} {s:016x} 0\n
1 1 failed EPROTO :ready\n
1 1 failed EPROTO :{"x" * 100000}\n
1 1 failed ENOSPC :{"error ENOSPC" if check else "done %d %016x" % (n, s)}\n
1 1 failed ECONNRESET :done {n} {s:016x}
1 1 failed EPROTO :later version 9\n
EOF
cat >firsts <<'EOF'
.*EPROTO :first write-bench 3 0\n
.*ECONNRESET :first
.*2 and not 3.*: EPROTO :first version 2\n
.*\("\\x1b\[2Jready"\).*EPROTO :first \x1b[2Jready\n
EOF
sed 's/^[^:]*://' fakes >answers
sed 's/^.*:\([^:]*\)$/\1/' firsts >>answers
set --
while IFS= read -r answer; do
	set -- "$@" "$answer"
done <answers
marked 3 "$python" -S -E net.py servers "$@" >servers.3 2>server.err &
until_there test -s servers.3
while IFS=: read -r expected answer <&6 && read -r port <&7; do
	run "${expected%% *}" "a receiver that says: ${answer%%\\*}" send -s sendfile <X
	is "... the row's outcome" "$(outcomes)" "${expected#* }"
done 6<fakes 7<servers.3
tail -n "$(grep -c . firsts)" servers.3 >servers.first
while read -r expected <&6 && read -r port <&7; do
	answer=${expected##*:}
	run 2 "a server that says: ${answer%%\\*}" timeout 200 "$wb" -n1 -p0 --send="127.0.0.1:$port" <X
	holds "... is reported" err "^write-bench: --send: 127\\.0\\.0\\.1:$port: ${expected%:*}"
done 6<firsts 7<servers.first
# No timed run asks for a sum, and one run more of each row does, after its first one.
read -r port <servers.3
: >asked
run 0 "three runs" w -n3 --send="127.0.0.1:$port" -s sendfile <X
is "... ask for no sum, and one run more does" "$(sed 's/^write-bench 3 //' asked | tr '\n' ,)" "0,5000,5000 sum,5000,5000,"
: >asked
run 0 "with --no-verify" w -n2 --send="127.0.0.1:$port" -s sendfile,mmap+write --no-verify <X
is "... no run does" "$(sort asked | uniq -c | tr -s '\n ' ' ')" " 1 write-bench 3 0 4 write-bench 3 5000 "
find_marked 3 >alive
kill_listed alive
left 3 >/dev/null
port=$kept_port

# ---- Other versions, clients that send more than they have announced, and strangers.
is "a sender of another version gets the receiver's" "$(net asks "$port" 'write-bench 4 100\n')" "version 3 b''"
tells "... which is reported" log.2 ": dropped: .*4.*3\$"
: >log.2
is "more bytes than announced: dropped at once, and not answered" "$(net more "$port" 2000000 10 | grep -vx asked)" "b'' True"
tells "... which is reported" log.2 ': dropped after [0-9]+ of 10 bytes: '
is "strangers are not answered" "$(net strangers "$port")" ""
run 0 "... the next is served" send -s sendfile <X
same "... its copy is kept" K X

# ---- Several senders: one is served at a time.
bytes 100000 >X
: >log.2
marked 4 "$wb" --send="127.0.0.1:$port" -n4 -p0 --in-order -s 'sendfile,read+write 64k' --with="$(held go)" -f csv -o first.csv <X 2>first.err &
first=$!
until_there test -e go.begun
marked 5 "$wb" --send="127.0.0.1:$port" -n4 -p0 -s 'sendfile,read+write 64k' -f csv -o csv <big 2>err &
second=$!
until_there queued "$port"
: >go
wait $first
first_status=$?
wait $second
is "two senders at once: exit statuses" "$first_status $?" "0 0"
is "... each run is ok" "$(outcomes) $(column 4 first.csv | sort | uniq -c | tr -s ' ')" "8 ok   12 ok"
is "... each stream comes by itself, with all its bytes" "$(grep -vc ': \([0-9]*\) of \1 bytes, ' log.2)" 0
sender 4 -n1 --no-verify -z 80000g -s 'read+write 64k' </dev/zero
until_there sends $pid 9000000
kill -KILL $pid
{ wait $pid; } 2>/dev/null
tells "a sender that is killed within a stream is reported" log.2 ': [^:]*[0-9]+ [^:]*85899345920000'
run 0 "... the next is served" send -s sendfile <X
same "... its copy is kept" K X

# ---- Refused.
run 2 "a port that is taken" timeout 200 "$wb" --receive="$port" >/dev/null
holds "... is reported" err "^write-bench: .*127\\.0\\.0\\.1:$port.*EADDRINUSE"
# A file system that claims bytes and brings none, whoever reads: the row sends what is in its buffer, which the sum must not be of.
if can_trace; then
	head -c 65536 big >lied
	timeout -k 1 300 strace -qq -o trace -P lied -e trace=read,pread64 -e inject=read,pread64:retval=65536 \
		"$wb" -n1 -p0 -s 'read+write 64k' --send -f csv -o csv <lied >/dev/null 2>err
	is "reads that bring no bytes: the row and its sum do not agree" "$? $(column 4 csv)" "1 mismatch"
else
	skip "reads that bring no bytes" "strace may not trace here"
fi
stop TERM 143 "a receiver that waits"
is "... no process is left" "$(left 2)" 0
port=1
run 2 "a port without a listener" send <X
holds "... is reported" err "^write-bench: --send: 127\\.0\\.0\\.1:$port: .*ECONNREFUSED"
refused() { # MESSAGE OPTION...
	message=$1
	shift
	echo old >Y
	run 2 "refused: $*" timeout 200 "$wb" "$@" <X 1<>Y
	holds "... with its name" err "^write-bench: $message"
	is "... in one line, and nothing written" "$(wc -l <err | tr -d ' ') $(cat Y)" "1 old"
}
for arg in 7100 :1 h: h:99999 h:0 h:x '' ::1:7100 '[::1]'; do
	refused "--send=$(echo "$arg" | sed 's/[][]/\\&/g'):" --send="$arg"
done
for arg in x 70000 :1 h: '' '[::1]'; do
	refused "--receive=$(echo "$arg" | sed 's/[][]/\\&/g'):" --receive="$arg"
done
refused "--send: can't be combined with --into" --send --into=cat
refused '--receive: ' --receive=0 --runs=3
run 2 "a host that is not this machine's" timeout 200 "$wb" --receive=192.0.2.1:0 >/dev/null
holds "... is reported" err '^write-bench: .*192\.0\.2\.1:0: .*EADDRNOTAVAIL'
run 2 "a receiver that appends" timeout 200 "$wb" --receive=0 >>Y
is "... is refused, and nothing touched" "$(cat Y)" old

# ---- Where a receiver can't keep what it gets.
bytes 200000 >X
receive 5 >/dev/full
run 1 "to a receiver on /dev/full" send <X
failed "... each row fails" ENOSPC
tells "... the receiver says so, too" log.5 'standard output: .*ENOSPC'
stop INT 130 "that receiver"

# ---- Sides that die, and sides that stop for a while.
bytes 9000000 >X
mkfifo fifo
exec 4<>fifo # which has no reader
blocked_sender() { # to a receiver that takes nothing any more: its output is full
	receive 7 >fifo
	sender 8 -n2 -s 'read+write*,sendfile' <X
	until_there sends $pid
}
blocked_sender
kill -KILL "$receiver"
ends 100 $pid 1 "a receiver that is killed in the middle of a stream"
failed "... its rows have failed" "ECONNRESET|EPIPE|ECONNREFUSED"
blocked_sender
kill -INT $pid
ends 18 $pid 130 "a receiver that takes nothing: SIGINT to the sender"
cat <&4 >/dev/null &
drain=$!
stop INT 130 "... then"
kill -KILL $drain # a shell that becomes cat may lose any other
{ wait $drain; } 2>/dev/null
exec 4>&-
is "... no process is left" "$(left 7) $(left 8)" "0 0"
receive 17 >/dev/null
marked 8 "$python" -S -E net.py slow "$port" 100000000 never 0 >flood.out &
until_there grep -q begun flood.out
stop TERM 143 "a stream that is never slow" 5
is "... the client's connection is ended" "$(left 8)" 0
# In the middle of a run the receiver is killed, and started again.
receive 18 >again
sender 8 -n1 --in-order -x '*' --with=cat --with="$(held go.18)" --with="exec cat # rows of commands go by length, and this one is longer than the one before it" <big
until_there test -e go.18.begun
kill -KILL "$receiver"
{ wait "$receiver"; } 2>/dev/null
at=$port receive 18 >again
: >go.18
ends 100 $pid 1 "a receiver that is killed and started again"
is "... the row in between has failed" "$(column 4 csv | sed 's/failed .*/failed/' | tr '\n' ' ')" "ok failed ok "
stop TERM 143 "a receiver that was started again"
same "... the last copy is kept" again big
for signal in KILL STOP; do # to our own receiver
	marked 9 "$wb" --send -n1 -p0 --no-verify -z 80000g -s 'read+write 64k' -f csv -o csv </dev/zero 2>err &
	pid=$!
	until_there sends $pid 9000000
	child=$(children $pid | tr -d " ")
	kill -$signal "$child"
	if [ $signal = KILL ]; then
		ends 100 $pid 1 "our own receiver is killed"
		is "... the row has failed" "$(outcomes)" "1 failed signal 9 "
	else
		kill -INT $pid
		ends 18 $pid 130 "our own receiver stopped: SIGINT to the sender"
	fi
	is "... no process is left" "$(left 9)" 0
done
receive 10 --quiet >/dev/null
sender 11 -n2 -s 'sendfile,read+write 64k' --with="$(held go.10)" <X
until_there test -e go.10.begun
kill -STOP "$receiver"
: >go.10
until_there sends "$(children $pid | tr -d ' ')"
kill -CONT "$receiver"
ends 100 $pid 0 "a receiver that stops for a while"
is "... each row is ok" "$(outcomes)" "6 ok "
stop TERM 143 "... that"
is "... which with --quiet says where it is, and nothing more" "$(grep -vc '^write-bench: receiving on ' log.10)" 0

# ---- A socket that another process has connected.
bytes 1048577 >X
cat X X >wanted
for kind in unix tcp tcp6; do
	if [ $kind = tcp6 ] && ! grep -q ' lo$' /proc/net/if_inet6 2>/dev/null; then
		skip "into a socket: $kind" "no IPv6"
		continue
	fi
	run 0 "into a socket: $kind" net output $kind Y "$wb" -n2 -p0 -s 'read+write 64k' -f csv -o csv <X
	same "... two copies arrive" Y wanted
	holds "... what the clock has waited for is reported" csv "^# until: the socket's other side had all"
	run 1 "... by a command that does not copy" net output $kind Y "$wb" -n1 -p0 -x '*' --with='tr a b' -f csv -o csv <X
	is "... which is found out" "$(outcomes)" "1 mismatch "
done
run 0 "into a socket, by all rows" net output tcp Y "$wb" -n1 -p0 --all -f csv -o csv <X
all_ok "... each is ok or n/a"
run 0 "... from a pipe" piped X net output tcp Y "$wb" -n1 -p0 -s splice -f csv -o csv
same "... one copy arrives" Y X
for kind in "tcp quitter" "taker of none"; do
	run 1 "into a socket whose reader is a $kind" net output "$kind" Y "$wb" -n2 -p0 -z 64m -s 'sendfile,read+write*' -f csv -o csv </dev/zero
	failed "... each row fails" "EPIPE|ECONNRESET"
done
for kind in datagram unconnected listening nonblocking; do
	run 2 "standard output is a socket that is $kind" net refuse stdout $kind there "$wb" -n1 -p0 -s sendfile <X
	holds "... which is refused" err "^write-bench: standard output: "
	is "... and gets nothing" "$(cat there)" ""
	[ $kind != nonblocking ] || continue
	echo old >Y
	run 2 "... and standard input" net refuse stdin $kind there "$wb" -n1 -p0 -s 'read+write 64k' 1<>Y
	holds "... which is refused" err "^write-bench: standard input: "
	is "... and not read, nor is anything written" "$(cat there) $(cat Y)" "$(echo $kind | grep datagram) old"
done
run 0 "a report of rows to a receiver" w --send -n2 -s sendfile -f csv -o csv <X
is "... is the same when it is read back" "$("$wb" --compare csv -f csv | cmp - csv 2>&1)" ""

# ---- What has taken long.
ends 60 $ended 143 "a sender that waits for another: SIGTERM"
is "... and no report" "$(ls ended.csv 2>/dev/null)" ""
if [ "$impatient" ]; then
	in_time none 2 "a sender whose turn does not come"
	holds "... is reported" none.err "^$turn\$" "^write-bench: --send: 127\\.0\\.0\\.1:$slow_port: .*ETIMEDOUT"
	is "... without a report" "$(ls none.csv 2>/dev/null)" ""
fi
in_time slow 0 "a stream that is slow, but never silent"
holds "... is received to its end" slow.out '^done [0-9]+ [0-9a-f]{16}$'
in_time waits 0 "... the one behind it is served"
is "... the row is ok; that it waits is said once" "$(column 4 waits.csv) $(grep -cx "$turn" waits.err)" "ok 1"
if [ -e pid.72 ]; then
	in_time pulled 1 "a cable that is pulled"
	mv pulled.csv csv
	failed "... the row has failed" "ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ECONNRESET|EPIPE"
elif [ $wired = no ]; then
	skip "two machines" "not root, or no ip(8), or no network namespaces"
fi
if [ "$impatient" ]; then
	in_time stopped 1 "a receiver that stops for good"
	is "... the row has failed, and no other is run" "$(column 4 stopped.csv)" "failed ETIMEDOUT"
	cat <&5 >/dev/null &
	drain=$!
	kill -CONT "$stopped_receiver"
	port=$stopped_port
	run 0 "... and when it goes on, the next sender is served" send -s sendfile <big
	kill -KILL $drain
	in_time own 1 "our own receiver stops for good"
	is "... the row has failed" "$(column 4 own.csv)" "failed ETIMEDOUT"
	is "... no process is left" "$(left 65)" 0
	tells "a sender that stops for good is dropped" log.63 ': dropped after [0-9]+ of [0-9]+ bytes: '
	kill -KILL "$frozen"
	port=$frozen_port
	run 0 "... and the next is served" send -s sendfile <big
	kill -TERM "$frozen_receiver" "$stopped_receiver"
	for kind in 100 slow; do
		in_time silent-$kind 0 "a stream that is $kind"
		is "... is dropped after 4 seconds" "$(awk 'END { print ($1 > 3.5) }' silent-$kind.out)" 1
		tells "... which is reported" log.68.$kind ": dropped after [0-9]+ of [0-9]+ bytes: "
		in_time waits-$kind 0 "... one that waits meanwhile is served then"
		is "... its row is ok" "$(column 4 waits-$kind.csv)" ok
		same "... its copy is kept" kept.$kind big
	done
	in_time mute 1 "a server that takes all, but does not answer"
	is "... the row has failed, and no other is run" "$(column 4 mute.csv)" "failed ETIMEDOUT"
else
	skip "sides that say nothing for long" "no C compiler"
fi
in_time half 0 "a client that sends half a request"
is "... is dropped after a second, not after 20 as in a stream" "$(awk 'END { print ($1 >= 0.9 && $1 < 18) }' half.out)" 1
in_time behind 0 "... a sender behind it"
is "... is served when that is dropped" "$(column 4 behind.csv)" ok
in_time nohost 2 "a name that does not resolve"
holds "... is reported" nohost.err '^write-bench: --send=no-such-host\.invalid:7100: getaddrinfo: '
in_time sleeper 0 "a reader that sleeps before it reads"
is "... sends that are completed late are no failure" "$(column 4 sleeper.csv | sort -u)" ok
cat some some >wanted
same "... both copies arrive" wanted slept
none_kept() { [ -z "$(ls -A "$TMPDIR")" ]; }
until_there none_kept
is "nothing is left in TMPDIR" "$(ls -A "$TMPDIR")" ""
