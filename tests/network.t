#!/bin/sh
# TCP connections: our own receiver, --receive elsewhere, and sockets as standard output: what arrives,
# what reports it, who waits for whom, and what becomes of a side that dies, stops, or is none.
# Tried: it fails where a row's stream may have any checksum; the checksum is another than XXH64; any version is served;
# Tried: a sender waits for ever; a silent stream is never dropped; what can't be kept is no failure; a sum of stale bytes.
# What a shell is to do with its dollars is its own.
# shellcheck disable=SC2016
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"

have python3 || skip_all "no python3"
python=$(python3 -c 'import sys; print(sys.executable)') # without what may be around it, and slow
near=wb$$a far=wb$$b # network namespaces, and the ends of the cable between them
spaces=
clean_up() {
	find_marked '[0-9]*' >alive
	[ ! -s alive ] || xargs kill -KILL <alive 2>/dev/null
	for space in $spaces; do
		ip netns del "$space" 2>/dev/null
	done
}
undo=clean_up
cat >net.py <<'EOF'
import os, socket, sys, time

M = (1 << 64) - 1
P = (0x9e3779b185ebca87, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9, 0x85ebca77c2b2ae63, 0x27d4eb2f165667c5)

def xxh64(data):  # as its specification has it, seed 0
    rot = lambda x, r: (x << r | x >> (64 - r)) & M
    mix = lambda acc, lane: rot((acc + lane * P[1]) & M, 31) * P[0] & M
    word = lambda at, n: int.from_bytes(data[at:at + n], "little")
    at = 0
    if len(data) < 32:
        h = P[4]
    else:
        acc = [(P[0] + P[1]) & M, P[1], 0, -P[0] & M]
        while at + 32 <= len(data):
            acc = [mix(a, word(at + 8 * i, 8)) for i, a in enumerate(acc)]
            at += 32
        h = sum(rot(a, r) for a, r in zip(acc, (1, 7, 12, 18))) & M
        for a in acc:
            h = ((h ^ mix(0, a)) * P[0] + P[3]) & M
    h = (h + len(data)) & M
    while at + 8 <= len(data):
        h = (rot(h ^ mix(0, word(at, 8)), 27) * P[0] + P[3]) & M
        at += 8
    if at + 4 <= len(data):
        h = (rot(h ^ word(at, 4) * P[0] & M, 23) * P[1] + P[2]) & M
        at += 4
    for byte in data[at:]:
        h = rot(h ^ byte * P[4] & M, 11) * P[0] & M
    h = (h ^ h >> 33) * P[1] & M
    h = (h ^ h >> 29) * P[2] & M
    return h ^ h >> 32

def line(s):
    text = b""
    while not text.endswith(b"\n"):
        c = s.recv(1)
        if not c:
            break
        text += c
    return text.decode().rstrip("\n")

def connect(port):
    s = socket.create_connection(("127.0.0.1", int(port)), 100)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return s

def run(port, n, version=2):
    s = connect(port)
    s.sendall(b"run %d %d\n" % (version, n))
    return s

def shutdown(s):
    s.shutdown(socket.SHUT_WR)
    return line(s)

def checksums(port, kept, *sizes):  # sends as many bytes; prints what is answered, or kept, and should not be
    for n in map(int, sizes):
        data = os.urandom(n)
        s = run(port, n)
        if line(s) != "ready":
            print(n, "not begun")
        s.sendall(data)
        answer = shutdown(s)
        if answer != "done %d %016x 0" % (n, xxh64(data)):
            print(n, answer)
        if s.recv(1):
            print(n, "more than an answer")
        if open(kept, "rb").read() != data:
            print(n, "not kept")

def pieces(port, kept, n, *patterns):  # sends n bytes in pieces of the sizes of each pattern, over and over; prints the answers
    for pattern in patterns:
        data = os.urandom(int(n))
        sizes = [int(size) for size in pattern.split()]
        s = run(port, len(data))
        answers = [line(s)]
        at = i = 0
        while at < len(data):
            s.sendall(data[at:at + sizes[i % len(sizes)]])
            time.sleep(0.001)
            at += sizes[i % len(sizes)]
            i += 1
        answers.append(shutdown(s).replace("%016x" % xxh64(data), "XXH64"))
        print(pattern + ":", ", ".join(answers), "kept" if open(kept, "rb").read() == data else "not kept")

def strangers(port):  # each is cut off: two of them after a second, since more may come; and none is answered
    import random
    random.seed(1)
    talk = [random.randbytes(1000), b"", b"\n", b"\0" * 1000, b"GET / HTTP/1.0\r\n\r\n", b"run " + random.randbytes(500),
        b"run \0\0\0\n", b"run 2 100\n" + b"X" * 1000, b"run\n", b"run 2\n", b"run 2 100", b"ready\n", b"x" * 2000000,
        b"run 2 1" + b"0" * 2000000, b"ru", b"write-bench 1 hold\n", b"run 2 5\0\n", b"run 2 5 now\n", b"run x y\n", b"run 2 -1\n",
        b"run 2 5x\n", b"done 0 ef46db3751d8e999 0\n"]
    answered = []
    def ends(s, what):
        try:
            got = s.recv(100)
            if got:
                answered.append((what, got))
        except ConnectionError:
            pass
        except OSError as e:
            answered.append((what, e))
    for t in talk:
        s = connect(port)
        try:
            s.sendall(t)
        except OSError:
            pass
        if t:
            ends(s, t[:30])
        s.close()
    waiting = []
    for i in range(200):
        s = connect(port)
        try:
            s.sendall(b"one of many\n")
        except OSError:
            pass
        waiting.append(s)
        if len(waiting) > 10:  # of 16 that may wait to be let in
            ends(waiting.pop(0), "one of many")
    for s in waiting:
        ends(s, "one of many")
    print(answered)

def versions(port, *numbers):  # prints the answer to a sender of each
    for number in map(int, numbers):
        s = run(port, 100, number)
        print(number, line(s), s.recv(1), sep=": ")

def half(port, text):  # and silence: for how long is it listened to?
    start = time.monotonic()
    s = connect(port)
    print("connected", flush=True)
    s.sendall(text.encode().replace(b"\\n", b"\n"))
    try:
        s.recv(1)
    except ConnectionResetError:
        pass
    print(time.monotonic() - start)

def silent(port, n):  # sends n bytes of a stream, and then says no more: for how long is that borne?
    s = run(port, 1000)
    print("asked", flush=True)
    line(s)
    s.sendall(b"x" * int(n))
    start = time.monotonic()
    try:
        s.recv(1)
    except ConnectionResetError:
        pass
    print(time.monotonic() - start)

def slow(port, end):  # a stream that takes long, but is never silent: until there is such a file
    s = run(port, 100000)
    print(line(s), flush=True)
    while not os.path.exists(end):
        s.sendall(b"x")
        time.sleep(0.1)
    print(shutdown(s))

def gone(port, n):  # sends a part of a stream, and goes away without its end
    s = run(port, 10000000)
    line(s)
    s.sendall(b"x" * int(n))
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    s.close()

def servers(*answers):  # prints their ports
    import threading
    listeners = [socket.create_server(("127.0.0.1", 0)) for answer in answers]
    for answer, listener in zip(answers, listeners):
        threading.Thread(target=server, args=(answer, listener)).start()
    print("".join("%d\n" % listener.getsockname()[1] for listener in listeners), end="", flush=True)

def server(answer, listener):  # close, or echo, or silence, or what a receiver says in place of ready, or a template of its answer
    def serve(s):
        try:
            if answer == "silent":
                time.sleep(1000)
            elif answer == "close":
                s.close()
            elif answer == "echo":
                while got := s.recv(1000):
                    s.sendall(got)
            elif answer == "long":
                s.sendall(b"ready" + b"0" * 100000)
                time.sleep(1000)
            elif answer.startswith("at first "):
                line(s)
                s.sendall(answer[9:].encode().decode("unicode_escape").encode())
            elif (request := line(s)) == "run 2 0":
                s.sendall(b"ready\n")
                s.recv(1)
                s.sendall(b"done 0 ef46db3751d8e999 0\n")
            elif answer.startswith("later "):
                s.sendall(answer[6:].encode().decode("unicode_escape").encode())
            else:
                s.sendall(b"ready\n")
                data = b""
                while got := s.recv(100000):
                    data += got
                h = xxh64(data)
                s.sendall(eval("f'" + answer + "'", {"n": len(data), "h": h}).encode())
        except OSError:
            pass
        s.close()
    import threading
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

def output(kind, into, *command):  # a socket as standard output; what comes out of it goes into a file
    if kind in ("unix", "quitter", "nonblocking", "unix-taker-of-none"):
        ours, theirs = socket.socketpair()
    elif kind == "datagram":
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    elif kind == "unconnected":
        ours, theirs = None, socket.socket()
    elif kind == "listening":
        ours, theirs = None, socket.create_server(("127.0.0.1", 0))
    else:
        listener = socket.create_server(("::1" if kind == "tcp6" else "127.0.0.1", 0), family=socket.AF_INET6 if kind == "tcp6" else socket.AF_INET)
        theirs = socket.create_connection(listener.getsockname()[:2])
        ours = listener.accept()[0]
    if kind == "nonblocking":
        theirs.setblocking(False)
    import subprocess
    p = subprocess.Popen(command, stdout=theirs)
    theirs.close()
    if kind.startswith("sleeper "):
        time.sleep(int(kind.split()[1]))
    n = 0
    with open(into, "wb") as out:
        while ours and kind != "datagram" and not kind.endswith("taker-of-none") and (got := ours.recv(65536)):
            out.write(got)
            n += len(got)
            if kind.endswith("quitter") and n > 1000:
                break
        if ours and kind != "datagram":
            ours.close()
    status = p.wait()
    if kind == "datagram":
        ours.setblocking(False)
        try:
            open(into, "wb").write(ours.recv(65536))
        except BlockingIOError:
            pass
    sys.exit(status)

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
	until_there grep -q "receiving on ${at:+.*}127\|receiving on 10" "log.$number" || fail "a receiver starts" "log.$number"
	port=$(sed -n 's/.*receiving on .*:\([0-9]*\)$/\1/p' "log.$number" | head -n 1)
}
send() { # [OPTION...]: without rows that may be the last one and leave nothing there, since they are n/a
	w --send="${to:-127.0.0.1:$port}" -x "splice${but-}" -f csv -o csv "$@"
}
# tells DESCRIPTION FILE REGEX: a receiver, whose words come after its answer, and so after the sender's end
tells() {
	until_there grep -Eq -e "$3" "$2"
	holds "$@"
}
stop() { # SIGNAL STATUS WHAT: the receiver
	kill "-$1" "$receiver"
	within 18 "$receiver" # by no limit of its own
	is "$3: SIG$1 ends the receiver in time" $? 0
	wait "$receiver"
	is "... with its exit status" $? "$2"
}
all_ok() { # DESCRIPTION: each row of csv, or it has a reason not to
	is "$1" "$(column 4 csv | grep -v '^n/a E' | sort -u)" ok
}
by_row() { # FILE: which row is ok, which has failed, and each run
	column 1,4 "$1" | sed 's/^\$ echo.*,/held /; s/^\$ exec cat .*,/last /; s/^\$ //; s/,/ /; s/failed .*/failed/' | sort | tr '\n' ';'
}
# A signal is to end what waits for its peer, before that is given up after 20 seconds.
turn="write-bench: --send[^ ]*: waiting for another sender"
queued() { # PORT: does a connection wait for its listener?
	awk -v port="$(printf ':%04X' "$1")" '$2 ~ port "$" && $4 == "0A" && $5 !~ /:0*$/ { n++ } END { exit !n }' /proc/net/tcp
}
held() { # NAME: a command that leaves NAME.begun, and copies when there is a file NAME
	echo "echo >$1.begun; until [ -e $1 ]; do sleep 0.02; done; exec cat"
}
last="exec cat # rows of commands go by length: this one comes after a held one, and this is long enough"
interrupted() { # NUMBER MOMENTS OPTION...: by each signal at each of them; prints what does not end as it should
	number=$1 moments=$2
	shift 2
	for signal in INT:130 TERM:143 HUP:129; do
		for moment in $moments; do
			rm -f "pid.$number"
			marked "$number" "$wb" -f csv -o csv "$@" </dev/zero 2>err &
			pid=$!
			until_catching $pid HUP
			sleep "$moment"
			kill "-${signal%:*}" $pid
			within 18 $pid || echo "late: $signal after $moment"
			wait $pid
			status=$?
			[ $status = "${signal#*:}" ] || echo "exit status $status: $signal after $moment"
		done
		[ "${FULL-}" ] || moments=${moments##* }
	done
}

# ---- What takes long goes on in the background; its results are looked at in the end.
later() { # NAME COMMAND...
	name=$1
	shift
	"$@" 2>"$name.err" 3>&-
	echo $? >"$name.tmp"
	mv "$name.tmp" "$name.status"
}
in_time() { # NAME STATUS DESCRIPTION
	until_there test -e "$1.status" || until_there test -e "$1.status"
	is "$3: ends, with its exit status" "$(cat "$1.status" 2>&1)" "$2"
}
note_end() { # NAME PID: in the background, whether it ends
	within 100 "$2"
	echo $? >"$1.late"
}
all_in_time() { # WHAT PID WAITER NAME
	wait "$3"
	is "$1: the sender ends in time" "$(cat "$4.late")" 0
	wait "$2"
	is "... with its exit status" $? 1
}
bytes 3000000 >big
head -c 1000 big >X3
slowly() { # PROGRAM NUMBER OPTION...: a measurement that lasts, in the background
	program=$1 number=$2
	shift 2
	marked "$number" ${space:+ip netns exec "$space"} "$program" -n2 -p0 --in-order -f csv "$@" </dev/zero >/dev/null
}

mkfifo blocked
exec 5<>blocked # which has no reader
if [ "$impatient" ]; then
	# A receiver that stops for good, in the middle of a stream; and a sender that does.
	receive 61 >blocked
	slowly "$impatient" 62 -z 20m -s 'read+write 64k,sendfile,read+write 4k,mmap+write' --send="127.0.0.1:$port" -o stopped.csv 2>stopped.err &
	stopped=$!
	until_there sends $stopped
	kill -STOP "$receiver"
	note_end stopped $stopped 3>&- &
	stopped_waiter=$!
	stopped_receiver=$receiver
	wb=$impatient receive 63 >/dev/null
	slowly "$wb" 64 -z 80000g -s 'read+write 64k' --send="127.0.0.1:$port" 2>frozen.err &
	frozen=$!
	until_there sends $frozen 9000000
	kill -STOP $frozen
	frozen_port=$port frozen_receiver=$receiver
	# ... and our own.
	slowly "$impatient" 65 -n1 -z 80000g -s 'read+write 64k' --send -o own.csv 2>own.err &
	own=$!
	until_there sends $own 9000000
	child=$(children "$own" | tr -d " ")
	kill -STOP "$child"
	note_end own $own 3>&- &
	own_waiter=$!
	# A sender that says nothing more, before a stream and within one, while another waits. And one that only pauses.
	silent_wb=$impatient limit=4
	[ -z "${FULL-}" ] || silent_wb=$wb limit=20 # seconds
	for sent in 0 100; do
		wb=$silent_wb receive 68.$sent >kept.$sent
		echo "$receiver" >silent-$sent.at
		kill -STOP "$receiver" # both have come before it serves one
		later silent-$sent net silent "$port" $sent >silent-$sent.out &
		until_there grep -q asked silent-$sent.out
		later waits-$sent timeout 300 "$wb" -n1 -p0 -s sendfile --send="127.0.0.1:$port" -f csv -o waits-$sent.csv <big &
		(until_there grep -q "$turn" waits-$sent.err && kill -CONT "$receiver") 3>&- &
	done
	wb=$silent_wb receive 69 >/dev/null
	later pausing timeout 300 "$wb" -n1 -p$((limit + 1)) -s sendfile --send="127.0.0.1:$port" -f csv -o pausing.csv <big &
	pausing_receiver=$receiver
	marked 67 "$python" -S -E net.py servers silent long >servers &
	until_there test -s servers
	for kind in silent long; do
		later $kind timeout 200 "$impatient" -n1 -p0 --send="127.0.0.1:$(sed -n "$([ $kind = silent ] || echo 2,)1p" servers)" <big >/dev/null &
	done
	# A sender whose turn does not come again: another one has come in the middle of its first run.
	receive 20 >/dev/null
	marked 21 "$impatient" --send="127.0.0.1:$port" -n1 -p0 --in-order -x '*' --with="$(held go.20)" --with="$last" \
		-f csv -o again.csv <X3 2>again.err &
	again=$!
	until_there test -e go.20.begun
	marked 22 "$python" -S -E net.py slow "$port" never >never.out &
	never=$!
	until_there queued "$port"
	: >go.20
	note_end again $again 3>&- &
	again_waiter=$!
	# What says something else is dropped at once, by one who would wait for the rest of a line for 100 seconds.
	wb=$impatient receive 23 >/dev/null
	later other net half "$port" 'GET /\n' >/dev/null &
fi
# Senders that wait while another's stream comes; one of them gives up.
receive 24 >/dev/null
slow_receiver=$receiver slow_port=$port
marked 19 "$python" -S -E net.py slow "$port" go.24 >slow.out &
slow=$!
until_there grep -q ready slow.out
marked 15 "$wb" --send="127.0.0.1:$port" -n1 -p0 -s sendfile -q -f csv -o quiet.csv <X3 2>quiet.err &
quiet=$!
marked 15 "$wb" --send="127.0.0.1:$port" -n1 -p0 -s sendfile -f csv -o waits.csv <X3 2>waits.err &
waits=$!
marked 16 "$wb" --send="127.0.0.1:$port" -n1 -p0 -s sendfile -f csv -o ended.csv <X3 2>ended.err &
ended=$!
[ -z "$impatient" ] || later none timeout 200 "$impatient" --send="127.0.0.1:$port" -n1 -p0 -s sendfile -f csv -o none.csv <X3 &
(
	until_there grep -q "$turn" ended.err && kill -TERM $ended
	until_there grep -q "$turn" waits.err
	[ -z "$impatient" ] || until_there test -e none.status
	: >go.24
) 3>&- &
# Who says nothing, or half a line.
receive 66 >/dev/null
later half net half "$port" "run 2 10" >half.out &
half_receiver=$receiver
receive 60 >/dev/null
later silence net half "$port" "" >silence.out &
silence_receiver=$receiver
until_there grep -q connected silence.out
later behind timeout 200 "$wb" --send="127.0.0.1:$port" -n1 -p0 -s sendfile -f csv -o behind.csv <X3 &
# Strangers, who have come in the middle of a sender's run.
receive 25 >strange
strange_receiver=$receiver strange_log=log.25
since=$(date +%s)
marked 26 "$wb" --send="127.0.0.1:$port" -n2 -p0 --in-order -s sendfile --with="$(held go.25)" -f csv -o strange.csv <big 2>strange.err &
strange=$!
until_there test -e go.25.begun
later strangers net strangers "$port" >strangers.out &
until_there queued "$port"
: >go.25
# Sends without copying that are completed when no run waits for that any more.
head -c 1000000 big >some
later sleeper net output "sleeper $([ "$impatient" ] && echo 2 || echo 7)" slept "${impatient:-$wb}" -n2 -p0 -s '*send zero*' -f csv -o sleeper.csv <some &
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
	space=
fi
on() { # SPACE COMMAND...
	timeout -k 1 300 ip netns exec "$@"
}
if [ $wired = yes ]; then
	at=10.99.7.2:0 space=$far receive 70 >K.far
	far_receiver=$receiver
	run 0 "from one machine to another" on $near "$wb" -n1 -p0 --send="10.99.7.2:$port" -f csv -o csv -x splice <big
	all_ok "... by each row"
	same "... where the copy is kept" K.far big
	holds "... its address is reported" csv "^# heading: TCP to 10\\.99\\.7\\.2:$port, " "^# output: TCP connection to --receive at 10\\.99\\.7\\.2:$port$"
	tells "... and the sender's" log.70 '^write-bench: 10\.99\.7\.1:[0-9]+: 3000000 of 3000000 bytes, XXH64 [0-9a-f]{16}, '
	at='' space=$far receive 71 >/dev/null
	run 2 "a receiver on loopback, from another machine" on $near "$wb" -n1 -p0 --send="10.99.7.2:$port" <big
	holds "... can't be reached" err "^write-bench: --send: 10\\.99\\.7\\.2:$port: connect: ECONNREFUSED "
	if [ "$impatient" ]; then
		at=10.99.7.2:0 space=$far receive 73 >blocked
		space=$near slowly "$impatient" 72 -z 20m -s 'read+write 64k,sendfile,read+write 4k,mmap+write' --send="10.99.7.2:$port" -o pulled.csv 2>pulled.err &
		pulled=$!
		until_there sends $pulled
		ip -n $far link set $far down
		note_end pulled $pulled 3>&- &
		pulled_waiter=$!
	fi
fi
space=

# ---- Our own receiver.
own() { (marked 1 timeout -k 1 300 "$wb" -n1 -p0 --send -f csv -o csv "$@"); }
full "... of other sizes" && more="31 32 33 4095 65537"
for size in 1 1048577 ${more-}; do
	bytes "$size" >X
	run 0 "$size bytes to a receiver of our own, by all rows" own --all <X
	all_ok "... by each, or it is n/a"
	is "... which few are" "$(column '1,4' csv | grep -v ',ok$' | cut -d, -f1 | grep -Ev '^(splice.*|.*vmsplice.*|uncached 1m.*|.*io_uring.*|mmap.send zerocopy.*)$')" ""
	is "... each row once" "$(column 1 csv | sort -u | tr '\n' ,)" "$("$wb" --list --all --send <X 2>&1 | sed 's/  .*//;/^$/d' | grep -v '^read+write 1\( +.*\)*$' | sort | tr '\n' ,)"
	[ "$(column 4 csv | grep -c '^ok$')" -ge 40 ]
	is "... which are many" $? 0
	is "... no process is left" "$(left 1)" 0
done
run 0 "the rows that are run" w -v --send <big
one_line err
holds "... what has verified is reported" line ' Verified: the number of bytes and the checksum \(XXH64\) of each copy, by the receiver\. '
holds "... and what the clock has waited for" line '; until the receiver had said how many bytes it has, and their checksum'
holds "... and where they went" err '^TCP to loopback, filesize=2.86MiB, '
run 0 "they are" w --send -f csv -o csv <big
is "... these" "$(column 1 csv | sort | tr '\n' ,)" \
	"mmap+send zerocopy,mmap+write,pipe+splice,pipe+splice 1m,read+write 256k,read+write 4k,read+write 64k,sendfile,splice,"
run 1 "to a receiver of our own, commands that don't copy" w --send -x '*' --with=cat --with='head -c 100' --with='cat; echo' \
	--with='tr a b' --with=true --with='cat; exit 3' -f csv -o csv <big
is "... are found out" "$(column '1,4' csv | sort | sed 's/short/mismatch/;s/failed mis/mis/' | tr '\n' ' ')" \
	'$ cat,ok $ cat; echo,mismatch $ cat; exit 3,failed exit 3 $ head -c 100,mismatch $ tr a b,mismatch $ true,mismatch '
run 1 "... with --no-verify" w --send -x '*' --with=cat --with='head -c 100' --with='cat; echo' --with='tr a b' --no-verify -f csv -o csv <big
is "... by their number of bytes" "$(column '1,4' csv | sort | sed 's/short/mismatch/;s/failed mis/mis/' | tr '\n' ' ')" \
	'$ cat,ok $ cat; echo,mismatch $ head -c 100,mismatch $ tr a b,ok '
run 0 "from a device" w --send -z 1m -f csv -o csv </dev/zero
all_ok "... by each row"
run 0 "runs one after the other" "$wb" -n4 -p0 --send -s 'sendfile,read+write 4k' -f csv -o csv <big
is "... each with the CPU time of its own, without the receiver's" "$(column '4,5' csv | grep -Ec '^ok,[0-9]+\.[0-9]+$')" 8

# ---- The checksum, and what is kept.
receive 2 >K
printf abc >X
run 0 "abc" send -s sendfile <X
tells "... has the checksum that it is known to have" log.2 ': 3 of 3 bytes, XXH64 44bc2cf5ad770999, '
is "the checksum is XXH64, of any size, and each is kept" "$(net checksums "$port" K 1 2 3 4 5 7 8 9 11 12 15 16 17 24 28 31 32 33 \
	36 39 40 47 63 64 65 71 95 96 97 99 100 100000 2>&1)" ""
bad=
for size in 31 33 100000; do
	bytes $size >X
	send -q -s 'read+write 4k' <X 2>err || bad="$bad $size:$(cat err)"
	cmp -s K X || bad="$bad $size-kept"
done
is "... a sender finds the same" "$bad" ""
net pieces "$port" K 500 1 "31 1" "7 32 33" "33 64 1 5" 1000 >streamed 2>&1
is "... also of bytes that come piece by piece" "$(cat streamed)" "$(for sizes in "1" "31 1" "7 32 33" "33 64 1 5" "1000"; do
	echo "$sizes: ready, done 500 XXH64 0 kept"
done)"
bytes 100 >X
run 1 "a command that sends nothing" send -x '*' --with=true <X
lacks "... is no stream" log.2 ' 0 of 100 bytes'
is "... the last one is still kept" "$(wc -c <K | tr -d ' ')" 500

# ---- A receiver elsewhere.
holds "a receiver says where it is" log.2 '^write-bench: receiving on 127\.0\.0\.1:[0-9]+$'
for to in 127.0.0.1 '[::1]' localhost; do
	if [ "$to" = '[::1]' ] && ! grep -q ' lo$' /proc/net/if_inet6 2>/dev/null; then
		skip "to [::1]" "no IPv6"
		continue
	fi
	to=$to:$port
	for size in 65537 33; do # the second stream is shorter
		bytes $size >X
		run 0 "$size bytes to $to" send <X
		all_ok "... by each row"
		same "... the last copy is kept" K X
	done
done
to=
but=',*vmsplice*,uncached*' run 0 "all rows" send --all <big
all_ok "... are ok or n/a"
same "... the last copy is kept" K big
run 0 "the report as text" w -v --send="127.0.0.1:$port" <big
one_line err
holds "... reports what has verified, what the clock has waited for, and where they went" line \
	' Verified: the number of bytes and the checksum \(XXH64\) of each copy, by the receiver\. ' \
	'; until the receiver had said how many bytes it has, and their checksum' "^ ?TCP to 127\\.0\\.0\\.1:$port, filesize=2.86MiB, "
bytes 100000 >X
run 0 "from a pipe" piped X w --send="127.0.0.1:$port" -f csv -o csv
is "... by each row" "$(column 4 csv | sort -u) $(column 1 csv | grep -c '^splice')" "ok 2"
same "... the copy is kept" K X
run 0 "from a command" send --from='cat X' </dev/null
all_ok "... by each row"
same "... the copy is kept" K X
run 0 "by commands" send -x '*' --with=cat --with='dd bs=64k' <X
all_ok "... by each"
same "... the copy is kept" K X
bytes 70000 >X
but=',*sparse*' run 0 "to a second output too" send --tee=T <X
is "... by each row" "$(column 4 csv | sort -u)" ok
same "... the copy is kept" K X
same "... there, too" T X
# Where a row that fails comes last, what the outputs lack is copied once more.
for seed in 1 2 3 4; do
	run 1 "... with a row that fails, in order $seed" send --tee=T --seed=$seed -s 'read+write x2 64k' --with='exit 3' <X
	is "... which fails" "$(column 4 csv | sort | tr '\n' ' ')" "failed exit 3 ok "
	same "... the copy is kept" K X
	same "... there, too" T X
done
bytes 80000 >X
run 0 "not verified" send --no-verify <X
all_ok "... by each row"
same "... the copy is kept" K X
lacks "... it isn't said to be verified by checksum" csv '^# verified:.*checksum'
cat >wrong.want <<'EOF'
$ cat,ok
$ cat; echo,mismatch
$ cat; exit 3,failed exit 3
$ head -c 100,mismatch
$ tr a b,mismatch
$ true,mismatch
EOF
run 1 "commands that don't copy" send -x '*' --with=cat --with='head -c 100' --with='cat; echo' --with='tr a b' --with=true --with='cat; exit 3' <X
column '1,4' csv | sort | sed 's/failed short/mismatch/' >wrong
same "... are found out" wrong wrong.want
run 1 "... also when they copy from a pipe" piped X send -x '*' --with='head -c 100' --with='cat; echo' --with='tr a b'
is "... are found out" "$(column '1,4' csv | sort | sed 's/failed short/mismatch/' | tr '\n' ' ')" \
	'$ cat; echo,mismatch $ head -c 100,mismatch $ tr a b,mismatch '
run 1 "... with --no-verify" send -x '*' --with='head -c 100' --with='cat; echo' --with='tr a b' --no-verify <X
is "... by their number of bytes" "$(column '1,4' csv | sort | sed 's/failed short/mismatch/' | tr '\n' ' ')" \
	'$ cat; echo,mismatch $ head -c 100,mismatch $ tr a b,ok '

# What a receiver says is not taken on trust, nor what is none.
bytes 5000 >X
kept_port=$port kept_receiver=$receiver
cat >fakes <<'EOF'
0 1 ok :done {n} {h:016x} 0\n
1 1 mismatch :done {n} {h^1:016x} 0\n
1 1 mismatch :done {n} {h^(1<<63):016x} 0\n
1 1 mismatch :done {n-1} {h:016x} 0\n
1 1 mismatch :done {n+1} {h:016x} 0\n
1 1 failed EPROTO :done {-n} {h:016x} 0\n
1 1 failed EPROTO :done {n} {h:016x} -1\n
1 1 failed EPROTO :done {n} {h:016x} 0 and\n
1 1 failed EPROTO :done {n} {h:016x}\n
1 1 failed EPROTO :done {n}\n
1 1 failed EPROTO :ready\n
1 1 failed ENOSPC :error ENOSPC\n
1 1 failed EPROTO :error EWHAT\n
1 1 failed EPROTO :error\n
1 1 failed ECONNRESET :done {n} {h:016x} 0
1 1 failed ECONNRESET :
1 1 failed EPROTO :{"x"*100000}\n
1 1 failed EPROTO :later stop\n
1 1 failed EPROTO :later version 3\n
1 1 failed EPROTO :later ready\nready\n
1 1 failed ECONNRESET :later read
EOF
set --
while IFS=: read -r expected answer; do
	set -- "$@" "$answer"
done <fakes
cat >firsts <<'EOF'
the receiver \("run 2 0"\): EPROTO :echo
(the receiver|send): (ECONNRESET|EPIPE) :close
the receiver \("version 3"\): EPROTO .*: use the same version of write-bench on both sides$:at first version 3\n
the receiver \("\\x1b\[2Jready"\): EPROTO :at first \x1b[2Jready\n
the receiver: EPROTO :at first \0\n
EOF
while IFS=: read -r _ answer; do
	set -- "$@" "$answer"
done <<EOF
$(sed 's/^.*:\([^:]*\)$/:\1/' firsts)
EOF
marked 3 "$python" -S -E net.py servers "$@" >servers.3 2>server.err &
until_there test -s servers.3
while IFS=: read -r expected answer <&6 && read -r port <&7; do
	run "${expected%% *}" "a receiver that says: ${answer%%\\*}" send -s sendfile <X
	is "... the row's outcome" "$(outcomes)" "${expected#* }"
done 6<fakes 7<servers.3
tail -n 5 servers.3 >servers.first
while read -r expected <&6 && read -r port <&7; do
	answer=${expected##*:}
	run 2 "a server that says: ${answer%%\\*}" timeout 200 "$wb" -n1 -p0 --send="127.0.0.1:$port" <X
	holds "... is reported" err "^write-bench: --send: 127\\.0\\.0\\.1:$port: ${expected%:*}"
done 6<firsts 7<servers.first
find_marked 3 | xargs kill
left 3 >/dev/null
port=$kept_port

# ---- Several senders: one is served at a time, by turns.
bytes 100000 >X
bytes 50 >X2
marked 4 "$wb" --send="127.0.0.1:$port" -n1 -p 500 -s sendfile <X >/dev/null 2>first.err &
first=$!
until_catching $first # its request has come
run 0 "a second sender in a pause of the first" send <X2
all_ok "... each row is ok"
lacks "... it does not wait" err "$turn"
kill -KILL $first
{ wait $first; } 2>/dev/null
run 0 "after a sender that was killed" send <X2
: >log.2 # which is appended to
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
is "... each run is ok" "$(column 4 csv | sort | uniq -c | tr -s ' ') $(column 4 first.csv | sort | uniq -c | tr -s ' ')" " 8 ok  12 ok"
sum=$(sed -n 's/.*: 3000000 of 3000000 bytes, XXH64 \([0-9a-f]*\), .*/\1/p' log.2 | sort -u)
is "... each stream comes by itself: one checksum" "$(echo "$sum" | wc -l) ${#sum}" "1 16"
is "... and all bytes" "$(grep -vc ': \([0-9]*\) of \1 bytes, XXH64 ' log.2)" 0

net gone "$port" 5000000
tells "a sender that goes away within a stream is reported" log.2 ': dropped after [0-9]+ of 10000000 bytes: read: ECONNRESET '
run 0 "... the next is served" send <X2
same "... its copy is kept" K X2
marked 4 "$wb" --send="127.0.0.1:$port" -n1 -p0 -z 80000g -s 'read+write 64k' -f csv </dev/zero >/dev/null 2>first.err &
first=$!
until_there sends $first 9000000
kill -KILL $first
{ wait $first; } 2>/dev/null
tells "a sender that is killed within a stream is reported" log.2 \
	': (dropped after [0-9]+ of 85899345920000 bytes: read: ECONNRESET |the stream had [0-9]+ bytes, not 85899345920000$)'
run 0 "... the next is served" send <X2
same "... its copy is kept" K X2

# ---- Other versions.
receive 27 >/dev/null
is "a sender of a newer version gets the receiver's" "$(net versions "$port" 3)" "3: version 2: b''"
tells "... which reports it" log.27 ": dropped: its protocol is 3, the receiver's 2\$"
is "... as does one of an older, or of none" "$(net versions "$port" 1 0 999999999)" "1: version 2: b''
0: version 2: b''
999999999: version 2: b''"
kill -TERM "$receiver"
port=$kept_port receiver=$kept_receiver

# ---- Refused.
bytes 1000 >X
cp X X.orig
run 2 "a port that is taken" timeout 200 "$wb" --receive="$port" >/dev/null
holds "... is reported" err '^write-bench: (127\.0\.0\.1|\[::1\]):[0-9]+: bind: EADDRINUSE '
if strace -qq -e trace=none true 2>/dev/null && [ -e /proc/net/if_inet6 ]; then # getaddrinfo(3) may bind first
	binds() { # OPTION...: of strace, until the receiver is there
		rm -f trace twice
		strace -qq -o trace -e trace=bind "$@" "$wb" --receive=0 >/dev/null 2>twice &
		until_there grep -q 'receiving on 127' twice && until_there test "$(children $!)"
		kill -TERM "$(children $! | tr -d ' ')"
		wait $!
	}
	binds
	nth=$(grep -n '"127\.0\.0\.1"' trace | cut -d: -f1)
	binds -e inject=bind:error=EADDRINUSE:when="$nth"
	is "a free port that is in use at the other address: another is taken" "$(grep -c INJECTED trace) $(grep -c 'receiving on' twice) $(
		sed -n 's/.*receiving on .*:\([0-9]*\)$/\1/p' twice | sort -u | wc -l | tr -d ' ')" "1 2 1"
else
	skip "a free port that is in use at the other address" "no strace, or no IPv6"
fi
# A file system that claims bytes and brings none, whoever reads: the row sends what is in its buffer, which the sum must not be of.
if can_trace; then
	head -c 65536 big >lied
	timeout -k 1 300 strace -qq -o trace -P lied -e trace=read,pread64 -e inject=read,pread64:retval=65536 \
		"$wb" -n1 -p0 -s 'read+write 64k' --send -f csv -o csv <lied >/dev/null 2>err
	is "reads that bring no bytes: the row and its sum do not agree" "$? $(column 4 csv)" "1 mismatch"
	holds "... (so it was)" trace INJECTED
else
	skip "reads that bring no bytes" "strace may not trace here"
fi
stop TERM 143 "a receiver that waits"
is "... no process is left" "$(left 2)" 0
port=1
run 2 "a port without a listener" send <X
holds "... is reported" err "^write-bench: --send: 127\\.0\\.0\\.1:$port: connect: ECONNREFUSED .*: start write-bench --receive there"
refused() { # MESSAGE OPTION...
	message=$1
	shift
	run 2 "refused: $*" timeout 200 "$wb" "$@" <X >Y
	holds "... with its name" err "^write-bench: $message"
	is "... in one line, and nothing written" "$(wc -l <err | tr -d ' ') $(cat Y)" "1 "
}
for arg in 7100 :1 h: h:99999 h:0 h:x h:-1 : '' ::1:7100 '[::1]' 'h:1 '; do
	refused "--send=$(echo "$arg" | sed 's/[][]/\\&/g'):" --send="$arg"
done
for arg in x 70000 -1 :1 h: '' '[::1]' ::1:0; do
	refused "--receive=$(echo "$arg" | sed 's/[][]/\\&/g'):" --receive="$arg"
done
refused "--send: can't be combined with --into: leave out one of them" --send --into=cat
refused "--receive: can't be combined with --.*: leave out one of them" --receive=0 --runs=3
refused "--receive: can't be combined with --.*: leave out one of them" --receive=0 --tee=T2
refused "--receive: can't be combined with --.*: leave out one of them" --receive=0 --send
refused '--receive: ' --receive=0 -s sendfile
refused '--receive: ' --receive=0 -f csv
run 2 "a host that is not this machine's" timeout 200 "$wb" --receive=192.0.2.1:0 >/dev/null
holds "... is reported" err '^write-bench: (--receive=)?192\.0\.2\.1:0: bind: EADDRNOTAVAIL '
echo old >Y
run 2 "a receiver that appends" timeout 200 "$wb" --receive=0 >>Y
holds "... is refused" err '^write-bench: standard output: is open for append: .*redirect with > instead of >>$'
after_another() { echo first; timeout 200 "$wb" --receive=0; }
run 2 "a receiver behind another's output" after_another >Y2
holds "... is refused" err '^write-bench: standard output: has been written to before'
is "... and nothing touched" "$(cat Y Y2)" "old
first"
same "... nor is the input" X X.orig

# ---- Where a receiver can't keep what it gets.
bytes 200000 >X
receive 5 >/dev/full
run 1 "to a receiver on /dev/full" send <X
is "... each row fails" "$(column 4 csv | grep -v '^n/a E' | sort -u)" "failed ENOSPC"
tells "... the receiver says so, too" log.5 'the stream could not be kept: standard output: write: ENOSPC '
run 1 "... and goes on" send -s sendfile <X
is "... to do so" "$(outcomes)" "1 failed ENOSPC "
stop INT 130 "that receiver"
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	mkdir tiny
	echo 'mount -t tmpfs -o size=100k tmpfs tiny && exec "$@" >tiny/K' >mount.sh
	real=$wb
	printf '#!/bin/sh\nexec unshare -m sh mount.sh "%s" "$@"\n' "$wb" >there
	chmod +x there
	wb=$work/there
	receive 6
	wb=$real
	run 1 "to a receiver on a disk that is too small" send <X
	is "... each row fails" "$(column 4 csv | grep -v '^n/a E' | sort -u)" "failed ENOSPC"
	bytes 90000 >X
	run 0 "... which takes less" send <X
	all_ok "... by each row"
	same "... and keeps it" "/proc/$receiver/root$work/tiny/K" X
	stop HUP 129 "that receiver"
else
	skip "a disk that is too small" "not root, or no mount namespaces"
fi

# ---- Sides that die, and sides that stop for a while.
bytes 9000000 >X
mkfifo fifo
exec 4<>fifo # which has no reader
blocked_sender() { # to a receiver that takes nothing any more: its output is full
	receive 7 >fifo
	marked 8 "$wb" --send="127.0.0.1:$port" -n2 -p0 --in-order -s 'read+write*,sendfile' -f csv -o csv <X 2>err &
	pid=$!
	until_there sends $pid
}
blocked_sender
kill -KILL "$receiver"
within 100 $pid
is "a receiver that is killed in the middle of a stream: the sender ends in time" $? 0
wait $pid
is "... with its exit status" $? 1
is "... its rows have failed" "$(column 4 csv | sort -u | grep -Evx 'failed (ECONNRESET|EPIPE|ECONNREFUSED)')" ""
is "... all of them" "$(column 1 csv | sort -u | tr '\n' ,)" "$("$wb" --list --send -s 'sendfile,read+write*' <X 2>&1 | sed 's/  .*//;/^$/d' | sort | tr '\n' ,)"
blocked_sender
stop TERM 143 "a stream that no reader takes away"
within 100 $pid
is "... and the sender" $? 0
wait $pid
is "... with its exit status" $? 1
signals=INT:130
! full "other signals" || signals="INT:130 TERM:143 HUP:129"
for signal in $signals; do
	blocked_sender
	kill "-${signal%:*}" $pid
	within 18 $pid
	is "a receiver that takes nothing: SIG${signal%:*} ends the sender in time" $? 0
	wait $pid
	is "... with its exit status" $? "${signal#*:}"
	cat <&4 >/dev/null &
	drain=$!
	stop "${signal%:*}" "${signal#*:}" "... then"
	kill -KILL $drain # a shell that becomes cat may lose any other
	wait $drain
done 2>/dev/null
exec 4>&-
is "... no process is left" "$(left 7) $(left 8)" "0 0"

for signal in INT:130 TERM:143 HUP:129; do
	receive 17 >/dev/null
	marked 8 "$wb" --send="127.0.0.1:$port" -n1 -p0 -z 80000g -s 'read+write 64k' -f csv -o csv </dev/zero 2>err &
	pid=$!
	until_there sends $pid 9000000
	kill "-${signal%:*}" "$receiver"
	within 5 "$receiver"
	is "a stream that goes on and on: SIG${signal%:*} ends its receiver in time" $? 0
	wait "$receiver"
	is "... with its exit status" $? "${signal#*:}"
	within 100 $pid
	is "... and the sender" $? 0
	wait $pid
	is "... with its exit status" $? 1
done 2>/dev/null
# In the middle of a run the receiver is killed, and started again.
receive 18 >again
marked 8 "$wb" --send="127.0.0.1:$port" -n1 -p0 --in-order -x '*' --with=cat --with="$(held go.18)" --with="$last" -f csv -o csv <big 2>err &
pid=$!
until_there test -e go.18.begun
kill -KILL "$receiver"
{ wait "$receiver"; } 2>/dev/null
at=$port receive 18 >again
: >go.18
within 100 $pid
is "a receiver that is killed and started again: the sender ends in time" $? 0
wait $pid
is "... with its exit status" $? 1
is "... the row in between has failed" "$(by_row csv)" "cat ok;held failed;last ok;"
stop TERM 143 "a receiver that was started again"
same "... the last copy is kept" again big

marked 9 "$wb" --send -n1 -p0 -z 80000g -s 'read+write 64k' -f csv -o csv </dev/zero 2>err &
pid=$!
until_there sends $pid 9000000
child=$(children $pid | tr -d " ")
is "our own receiver is the only child" "$(echo "$child" | wc -w | tr -d ' ')" 1
kill -KILL "$child"
within 100 $pid
is "our own receiver is killed: it ends in time" $? 0
wait $pid
is "... with its exit status" $? 1
is "... the row has failed" "$(outcomes)" "1 failed signal 9 "
is "... no process is left" "$(left 9)" 0
run 1 "... as text" w --send -x '*' --with='head -c 10; for i in $(cat /proc/$PPID/task/$PPID/children); do [ $i = $$ ] || { kill -KILL $i; break; }; done; exec cat' <X
one_line err
holds "... it is reported which it was" line 'Failed: .*: killed by SIGKILL: the receiver\. '
interrupted 9 "0 0.01 0.05" --send -n1000 -p0.001 -z 20m >bad
is "a signal at any moment, with our own receiver: ends in time, as it should" "$(cat bad)" ""
is "... no process is left" "$(left 9)" 0
marked 9 "$wb" --send -n1 -p0 -z 80000g -s 'read+write 64k' -f csv -o csv </dev/zero 2>err &
pid=$!
until_there sends $pid 9000000
child=$(children $pid | tr -d " ")
kill -STOP "$child"
kill -INT $pid
within 18 $pid
is "our own receiver stopped: SIGINT ends it all the same" $? 0
wait $pid
is "... with its exit status" $? 130
is "... no process is left" "$(left 9)" 0

receive 10 >/dev/null
marked 11 "$wb" --send="127.0.0.1:$port" -n2 -p0 --in-order -s 'sendfile,read+write 64k' --with="$(held go.10)" -f csv -o csv <X 2>err &
pid=$!
until_there test -e go.10.begun
kill -STOP "$receiver"
: >go.10
until_there sends "$(children $pid | tr -d ' ')"
kill -CONT "$receiver"
within 100 $pid
is "a receiver that stops for a while: the sender ends" $? 0
wait $pid
is "... with its exit status" $? 0
is "... each row is ok" "$(outcomes)" "6 ok "
interrupted 11 "0 0.02 0.1" --send="127.0.0.1:$port" -n1000 -p0.001 -z 10m >bad
is "a signal at any moment, with a receiver elsewhere: ends in time, as it should" "$(cat bad)" ""
is "... no process is left" "$(left 11)" 0
for moment in before later; do # the first run, or in one
	rm -f go.11*
	[ $moment = later ] || kill -STOP "$receiver"
	marked 11 "$wb" --send="127.0.0.1:$port" -n3 -p0 -x '*' --with="$(held go.11)" -f csv -o csv <X 2>err &
	pid=$!
	if [ $moment = before ]; then
		until_there queued "$port"
	else
		until_there test -e go.11.begun
		kill -STOP "$receiver"
		: >go.11
		until_there sends "$(children $pid | tr -d ' ')"
	fi
	kill -TERM $pid
	within 18 $pid
	is "a receiver that stopped: a sender that waits ends by SIGTERM" $? 0
	wait $pid
	is "... with its exit status" $? 143
	kill -CONT "$receiver"
done
run 0 "the receiver takes the next one" send -s sendfile <X
rm -f go.10*
marked 11 "$wb" --send="127.0.0.1:$port" -n2 -p0 --in-order -s sendfile --with="$(held go.10)" --with="$last" -f csv -o csv <X 2>err &
pid=$!
until_there test -e go.10.begun
kill -INT "$receiver"
within 18 "$receiver"
is "in the middle of a measurement: SIGINT ends the receiver in time" $? 0
: >go.10
wait "$receiver"
is "... with its exit status" $? 130
within 100 $pid
is "... and the sender" $? 0
wait $pid
is "... with its exit status" $? 1
is "... after it, all have failed" "$(by_row csv)" "held failed;last failed;sendfile ok;sendfile ok;"
is "... no process is left" "$(left 10) $(left 11)" "0 0"
receive 14 --quiet >/dev/null
run 0 "a receiver with --quiet" send -s sendfile <X
stop TERM 143 "... SIGTERM"
is "... says where it is, and nothing more" "$(grep -v '^write-bench: receiving on ' log.14)" ""

# ---- A socket that another process has connected.
bytes 1048577 >X
for kind in unix tcp tcp6; do
	if [ $kind = tcp6 ] && ! grep -q ' lo$' /proc/net/if_inet6 2>/dev/null; then
		skip "into a socket: $kind" "no IPv6"
		continue
	fi
	rm -f Y
	run 0 "into a socket: $kind" net output $kind Y "$wb" -n1 -p0 -s sendfile <X
	same "... one copy arrives" Y X
	one_line err
	holds "... what the clock has waited for is reported" line "; until the socket's other side had all"
	holds "... and where it went" err '^socket (\(UNIX\)|127\.0\.0\.1:[0-9]+|\[::1\]:[0-9]+), filesize=1\.00MiB, '
	cat X X >wanted
	run 0 "... two runs" net output $kind Y "$wb" -n2 -p0 -s 'read+write 64k' -f csv -o csv <X
	same "... two copies arrive" Y wanted
	if [ $kind = tcp ] || full "... by all rows"; then
		run 0 "... by all rows" net output $kind Y "$wb" -n1 -p0 --all -f csv -o csv <X
		all_ok "... each is ok or n/a"
		is "... a number of copies" "$(($(wc -c <Y) % 1048577))" 0
		head -c 1048577 Y >first
		same "... the first is one" first X
	fi
	run 0 "... from a pipe" piped X net output $kind Y "$wb" -n1 -p0 -s splice -f csv -o csv
	same "... one copy arrives" Y X
	run 1 "... by a command that does not copy" net output $kind Y "$wb" -n1 -p0 -x '*' --with='tr a b' -f csv -o csv <X
	is "... which is found out" "$(outcomes)" "1 mismatch "
done
for kind in quitter tcp-quitter unix-taker-of-none; do
	run 1 "into a socket whose reader goes away ($kind)" net output $kind Y "$wb" -n2 -p0 -z 64m -s 'sendfile,read+write*' -f csv -o csv </dev/zero
	is "... each row fails" "$(column 4 csv | sort -u | grep -Evx 'failed (EPIPE|ECONNRESET)')" ""
	[ "$(column 4 csv | grep -c failed)" -ge 4 ]
	is "... as it does" $? 0
done
for kind in 'datagram:is a datagram socket: use a stream socket' 'unconnected:is a socket that is not connected: getpeername: ENOTCONN' 'listening:is a socket that is not connected: getpeername: ENOTCONN' 'nonblocking:is a socket that does not block .O_NONBLOCK.'; do
	rm -f Y
	run 2 "a socket that is ${kind%%:*}" net output "${kind%%:*}" Y "$wb" -n1 -p0 -s sendfile <X
	holds "... is refused" err "^write-bench: standard output: ${kind#*:}"
	is "... and gets nothing" "$(cat Y)" ""
done
if have bash; then
	cat >listener.py <<'EOF'
import socket, sys
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
listener.settimeout(200)
s = listener.accept()[0]
data = b""
while got := s.recv(65536):
    data += got
open("Y", "wb").write(data)
EOF
	rm -f server
	marked 12 python3 listener.py >server &
	until_there test -s server
	run 0 "a connection of bash" timeout 200 bash -c '"$0" -n1 -p0 -s sendfile <X >/dev/tcp/127.0.0.1/"$1"' "$wb" "$(cat server)"
	wait $!
	same "... one copy arrives" Y X
else
	skip "a connection of bash" "no bash"
fi

# ---- Reports.
replay() { # WHAT OPTION...
	what=$1
	shift
	run 0 "$what" timeout 200 "$wb" -p0 "$@" -f csv -o a.csv <X
	run 0 "... read back" "$wb" --compare a.csv -f csv -o b.csv >/dev/null
	same "... is the same report" a.csv b.csv
	for format in text markdown json; do
		"$wb" --compare a.csv -f $format >a.out
		"$wb" --compare b.csv -f $format >b.out
		same "... also as $format" a.out b.out
	done
	run 0 "... which is valid" "$python" -m json.tool a.out /dev/null
	run 0 "... and so is what is printed at once" timeout 200 "$wb" -p0 "$@" -f json -o json <X
	run 0 "... which is valid" "$python" -m json.tool json /dev/null
}
replay "the report of rows to our own receiver" --send -n3
receive 13 >/dev/null
replay "the report of rows to another" --send="127.0.0.1:$port" -n2
stop TERM 143 "the last receiver"

# ---- What has taken long.
within 60 $ended
is "a sender that waits for another: SIGTERM ends it in time" $? 0
wait $ended
is "... with its exit status" $? 143
is "... and no report" "$(ls ended.csv 2>/dev/null)" ""
if [ "$impatient" ]; then
	in_time none 2 "a sender whose turn does not come"
	holds "... is reported" none.err "^$turn\$" "^write-bench: --send: 127\\.0\\.0\\.1:$slow_port: the receiver: ETIMEDOUT "
	is "... in two lines, and without a report" "$(wc -l <none.err | tr -d ' ') $(ls none.csv 2>/dev/null)" "2 "
fi
wait $slow
is "... the other's stream goes on" "$(sed 's/ [0-9]* [0-9a-f]* / N SUM /' slow.out | tr '\n' ' ' | sed 's/SUM [0-9]* /SUM OTHERS /')" \
	"ready done N SUM OTHERS "
wait $waits
is "... and the ones behind it are served: exit status" $? 0
wait $quiet
is "... of each" $? 0
is "... the row is ok" "$(column 4 waits.csv) $(column 4 quiet.csv)" "ok ok"
is "... that it waits is said once" "$(grep -cx "$turn" waits.err)" 1
lacks "... but not with --quiet" quiet.err "$turn"
kill -TERM "$slow_receiver"

in_time strangers 0 "strangers while a sender is served"
is "... are not answered" "$(cat strangers.out)" "[]"
wait $strange
is "... which is served to its end" $? 0
is "... all runs" "$(column 4 strange.csv | sort | uniq -c | tr -s ' ')" " 4 ok"
same "... its copy is kept" strange big
kill -0 "$strange_receiver"
is "... the receiver goes on" $? 0
if grep -aq __asan_init "$wb"; then
	skip "the receiver has stayed small" "the address sanitizer keeps what is freed"
else
	[ "$(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$strange_receiver/status")" -le 8192 ]
	is "the receiver has stayed small" $? 0
fi
[ "$(find "/proc/$strange_receiver/fd" -type l | wc -l)" -le 40 ]
is "... with few descriptors" $? 0
[ "$(grep -c dropped $strange_log)" -le "$(($(date +%s) - since + 2))" ]
is "... and few words: one a second" $? 0
port=$(sed -n 's/.*on 127.*:\([0-9]*\)$/\1/p' log.25)
run 0 "... and the next sender is served" send -s sendfile <X3
same "... its copy is kept" strange X3
kill -TERM "$strange_receiver"

# ---- What has taken long.
if [ "${pulled-}" ]; then
	all_in_time "a cable that is pulled" "$pulled" "$pulled_waiter" pulled
	is "... the rows have failed" "$(column 4 pulled.csv | sort -u | grep -Evx 'failed (ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ECONNRESET|EPIPE)')" ""
	is "... each" "$(column 1 pulled.csv | sort -u | wc -l | tr -d ' ')" 4
	kill -TERM "$far_receiver" # which serves no sender
	within 18 "$far_receiver"
	is "... the receiver ends by a signal" $? 0
elif [ $wired = no ]; then
	skip "two machines" "not root, or no ip(8), or no network namespaces"
fi
if [ "$impatient" ]; then
	all_in_time "a receiver that stops for good" "$stopped" "$stopped_waiter" stopped
	is "... the rows have failed" "$(column 4 stopped.csv | sort -u)" "failed ETIMEDOUT"
	is "... one has waited for its turn, the others are not tried" "$(grep -cx "$turn" stopped.err)" 1
	is "... each" "$(column 1 stopped.csv | sort -u | wc -l | tr -d ' ')" 4
	cat <&5 >/dev/null &
	drain=$!
	kill -CONT "$stopped_receiver"
	port=$(sed -n 's/.*on 127.*:\([0-9]*\)$/\1/p' log.61)
	run 0 "... and when it goes on, the next sender is served" send -s sendfile <big
	kill -KILL $drain
	all_in_time "our own receiver stops for good" "$own" "$own_waiter" own
	is "... the row has failed" "$(column 4 own.csv | sort -u | grep -Evx 'failed (ETIMEDOUT|signal 9)')" ""
	is "... no process is left" "$(left 65)" 0
	until_there grep -q 'dropped after' log.63
	lacks "a sender that stops for good: it is not the receiver's output that is to blame" log.63 'could not be kept'
	tells "... it is dropped" log.63 ': dropped after [0-9]+ of [0-9]+ bytes: read: ETIMEDOUT '
	kill -KILL "$frozen"
	{ wait "$frozen"; } 2>/dev/null
	port=$frozen_port
	run 0 "... and when it is gone, the next is served" send -s sendfile <big
	kill -TERM "$frozen_receiver" "$stopped_receiver"
	for sent in 0 100; do
		in_time silent-$sent 0 "a sender that is silent after $sent bytes"
		is "... is waited for for $limit seconds" "$(awk -v limit="$limit" 'NR > 1 { print ($1 > limit - 0.5) }' silent-$sent.out)" 1
		tells "... then it is dropped, and reported" log.68.$sent ": dropped after $sent of 1000 bytes: read: ETIMEDOUT "
		in_time waits-$sent 0 "... one that waits meanwhile is served then"
		is "... its row is ok" "$(column 4 waits-$sent.csv)" ok
		holds "... it has said that it waits" waits-$sent.err "^$turn\$"
		same "... its copy is kept" kept.$sent big
		kill -TERM "$(cat silent-$sent.at)"
	done
	in_time pausing 0 "a sender that pauses for longer"
	is "... is served all the same" "$(column 4 pausing.csv)" ok
	kill -TERM "$pausing_receiver"
	for kind in silent long; do
		in_time $kind 2 "a server that is $kind"
		if [ $kind = silent ]; then reason=ETIMEDOUT; else reason=EPROTO; fi
		holds "... is reported" $kind.err "^write-bench: --send: 127\\.0\\.0\\.1:[0-9]+: the receiver: $reason "
	done
	all_in_time "a sender whose turn does not come again" "$again" "$again_waiter" again
	is "... the row before it is ok, the other has failed" "$(by_row again.csv)" "held ok;last failed;" # the last one is the control
	is "... with ETIMEDOUT" "$(column 4 again.csv | sort -u | tr '\n' ';')" "failed ETIMEDOUT;ok;"
	is "... it has waited once" "$(grep -cx "$turn" again.err)" 1
	in_time other 0 "what says another line is dropped at once"
	tells "... which the receiver reports" log.23 ': dropped: sent no request of write-bench --send$'
	{ kill "$never" && wait "$never"; } 2>/dev/null
else
	skip "sides that say nothing for long" "no C compiler"
fi
in_time half 0 "half a request, and silence"
is "... is waited for for a second, not for 20 as in a stream" "$(awk '{ if (NR > 1) print ($1 >= 0.9 && $1 < 18) }' half.out)" 1
tells "... which the receiver reports" log.66 ': dropped: sent no request of write-bench --send$'
in_time silence 0 "silence"
is "... is waited for for a second, not for 20 as in a stream" "$(awk '{ if (NR > 1) print ($1 >= 0.9 && $1 < 18) }' silence.out)" 1
tells "... which the receiver reports" log.60 ': dropped: sent no request of write-bench --send$'
in_time behind 0 "a sender behind a connection that says nothing"
is "... is served when that is dropped" "$(column 4 behind.csv)" ok
in_time nohost 2 "a name that does not resolve"
holds "... is reported" nohost.err '^write-bench: --send=no-such-host\.invalid:7100: getaddrinfo: '
in_time sleeper 0 "a reader that sleeps before it reads"
is "... sends that are completed late are no failure" "$(column 4 sleeper.csv)" "ok
ok"
cat some some >wanted
same "... both copies arrive" wanted slept
kill -TERM "$half_receiver" "$silence_receiver"
none_kept() { [ -z "$(ls -A "$TMPDIR")" ]; }
until_there none_kept
is "nothing is left in TMPDIR" "$(ls -A "$TMPDIR")" ""