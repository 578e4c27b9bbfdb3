#!/bin/sh
# Waits end: for a reader that reads no more, for a command that hears no signal, for a peer that says nothing; each signal that ends a
# session ends it in time, with a report, and also where it was blocked or ignored at the start.
# Tried: it fails where messages are written without a look at signals; where they are dropped before one; where O_NONBLOCK is set on
# Tried: standard error; where blocked signals stay so; where a signal has no handler; where SIGHUP is caught that was ignored; where a
# Tried: connection is waited for without a bound.
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"
# shellcheck disable=SC3045
ulimit -c 0 2>limit.err # SIGQUIT and SIGXCPU would leave files

clean_up() {
	find_marked '[0-9a-z]*' >alive
	[ ! -s alive ] || xargs kill -KILL <alive 2>/dev/null
}
undo=clean_up
# status_of SIGNAL: 128 and its number, as most machines have it (signal(7))
status_of() {
	case $1 in HUP) echo 129 ;; INT) echo 130 ;; QUIT) echo 131 ;; TERM) echo 143 ;; XCPU) echo 152 ;;
	esac
}
# ends SIGNAL STATUS NUMBER WHAT: does it end $pid in time, so, and leave nothing?
ends() {
	kill -s "$1" "$pid" 2>kill.err
	within 60 "$pid"
	is "$4, SIG$1: ends in time" $? 0
	wait "$pid" 2>/dev/null
	is "... with its exit status" $? "$2"
	is "... and no process is left" "$(left "$3")" 0
}
# stuck PID [BYTES]: does it stand still, after it has written as many?
stuck() {
	before=$(cat "/proc/$1/io") && [ "$(echo "$before" | sed -n 's/^wchar: //p')" -ge "${2:-0}" ] && asleep "$1" && [ "$(cat "/proc/$1/io")" = "$before" ]
}
flags_of() { # PID DESCRIPTOR: does it block?
	flags=$(sed -n 's/^flags:[[:blank:]]*//p' "/proc/$1/fdinfo/$2")
	if [ $((${flags:-04000} & 04000)) = 0 ]; then echo blocks; else echo "does not block"; fi
}
bytes 300000 >X
bytes 300 >small
printf x >one

# ---- A peer that says nothing: what comes of it is looked at in the end.

silent=
if have perl && perl -MSocket -e1 2>/dev/null && impatient_program; then
	cat >silent.pl <<'END'
# silent.pl BACKLOG CLIENTS: listens, accepts nobody, and is a client of itself so many times; prints its port
use Socket;
use Fcntl;
$| = 1;
my $s;
socket($s, PF_INET, SOCK_STREAM, 0) && bind($s, sockaddr_in(0, INADDR_LOOPBACK)) && listen($s, $ARGV[0]) or die;
my ($port) = sockaddr_in(getsockname $s);
my @clients;
for (1 .. $ARGV[1]) {
	socket(my $c, PF_INET, SOCK_STREAM, 0);
	fcntl($c, F_SETFL, O_NONBLOCK);
	connect($c, sockaddr_in($port, INADDR_LOOPBACK));
	push @clients, $c;
}
print "$port\n";
sleep 300;
END
	# silent NUMBER BACKLOG CLIENTS: such a listener, and a sender to it, which waits for its turn for 3 seconds, not for 60
	silent() {
		: >port
		marked "f$1" perl silent.pl "$2" "$3" >port &
		until_there test -s port
		mv port "port.$1"
		echo keep >"report.$1"
		marked "g$1" "$compiled" -n1 -p0 --send="127.0.0.1:$(cat "port.$1")" -f csv -o "report.$1" <X 2>"err.$1" &
	}
	silent 1 5 0
	silent 2 0 8
	silent=1
fi

# ---- A reader of standard error who reads no more.

mkfifo stalled
exec 4<>stalled # nobody reads it
many() { # NUMBER: a report that is longer than a pipe; the last bytes that are copied are few
	marked "$1" "$wb" -p0 -n 2000 -s 'read+write 4k' -f csv -o csv -o /dev/stderr <one >/dev/null
}
for signal in TERM INT HUP; do
	many 1 2>stalled 4>&- &
	pid=$!
	until_there stuck $pid 2000
	is "a report on a pipe that nobody reads: it is waited for" "$(state $pid)" S
	is "... standard error blocks" "$(flags_of $pid 2)" blocks
	ends $signal "$(status_of $signal)" 1 "a report on a pipe that nobody reads"
	timeout 100 dd bs=65536 count=1 iflag=nonblock <&4 >got 2>dd.err
done
exec 5>stalled # as a shell's 2>&1 has it, the description is shared
(many 2 2>&5 4>&-) &
until_there test -s pid.2
pid=$(cat pid.2)
until_there stuck "$pid" 2000
is "one that is shared: it blocks" "$(flags_of "$pid" 2) $(flags_of $$ 5)" "blocks blocks"
kill -TERM "$pid"
within 60 "$pid"
is "... it ends in time" $? 0
wait $!
is "... with its exit status" $? 143
is "... and still blocks" "$(flags_of $$ 5)" blocks
exec 5>&-
# It is full before there is anything to say: a session goes on to its end, and is ended in its midst.
dd if=/dev/zero of=stalled bs=65536 count=1 oflag=nonblock 2>dd.err
marked 3 "$wb" -p0 -n1 -x '*' --with='echo >started; exec sleep 1000' <X >Y 2>stalled 4>&- &
pid=$!
until_there test -e started
ends TERM 143 3 "a full pipe for messages, in the midst of a session"
marked 4 "$wb" -p0 -n1 -s sendfile -o last -f csv <X >Y 2>stalled 4>&- &
pid=$!
until_there grep -qs '^sendfile,' last
same "one that has come to its end has left a copy" X Y
ends TERM 143 4 "... and waits to say so"
exec 4<&-

# Before a signal nothing is dropped, however slow he is.
if have perl; then
	cat >slow.pl <<'END'
	# reads in pieces, of more and of less than a page, and sleeps between them
	while (my $n = sysread STDIN, my $piece, (1, 100, 5000, 60000)[$i++ % 4]) {
		syswrite STDOUT, $piece;
		select undef, undef, undef, 0.02;
	}
END
	(w -n 3000 -q -s 'read+write 4k' -f csv -o csv -o /dev/stderr <one 2>&1 >/dev/null; echo $? >status) | perl slow.pl >got
	is "a slow reader of a report" "$(cat status)" 0
	[ "$(wc -c <csv)" -gt 100000 ]
	is "... which is longer than a pipe" $? 0
	head -c "$(wc -c <csv)" got >wanted
	same "... gets all of it" csv wanted
	is "... and the line that follows" "$(tail -n +$(($(wc -l <csv) + 1)) got | wc -l | tr -d ' ')" 1
	"$wb" --compare csv -f csv | perl slow.pl >got
	same "... by --compare, too" csv got
	(w -n1 -s nosuch <one 2>&1 >/dev/null; echo $? >status) | perl slow.pl >got
	holds "... and a message" got '^write-bench: --select=nosuch: matches no row'
else
	skip "a slow reader of a report" "no perl"
fi

# ---- A command that hears neither a signal nor what comes of it.

deaf='trap "" INT TERM HUP; echo >started; sleep 1000; sleep 1000'
for end in with from into; do
	rm -f started report
	case $end in # reading ahead, a row, and its other side
	with) marked 5 "$wb" -n1 -p0 -x '*' --with="$deaf" -f csv -o report <X >Y 2>err & ;;
	from) marked 5 "$wb" -n1 -p0 -s 'read+write 4k' --from="$deaf" -f csv -o report >Y 2>err & ;;
	into) marked 5 "$wb" -n1 -p0 -s 'read+write 4k' --into="$deaf" -f csv -o report <X 2>err & ;;
	esac
	pid=$!
	until_there test -e started
	ends INT 130 5 "a deaf command, --$end"
	[ $end = from ] || holds "... there is a report" report '^# interrupted: by SIGINT '
done

# ---- Signals: in the midst of a session whose input is kept, in TMPDIR or in memory.

signals='HUP INT QUIT TERM XCPU'
mkfifo in
midst() { # a session that has measured three runs, and then waits
	rm -f csv started
	marked a "$wb" -n3 -p0 --in-order -s 'read+write 4k' --with='echo >started; exec sleep 1000' -f csv -o csv <in >Y 2>err &
	pid=$!
	cat X >in
	until_there test -e started
}
for signal in $signals; do
	midst
	ends "$signal" "$(status_of "$signal")" a "in the midst of a session"
	holds "... there is a report, with what was measured" csv "^# interrupted: by SIG$signal after 3 of [0-9]+ runs" '^read\+write 4k,3,[0-9]+,ok,'
	is "... and nothing is left in TMPDIR" "$(ls -A "$TMPDIR")" ""
done
others=USR1 # what nobody sends to end a session does what it always does
! full "other signals" || others='USR1 USR2 ALRM VTALRM PROF PWR'
for signal in $others; do
	midst
	kill -s "$signal" $pid
	within 60 $pid
	is "SIG$signal: ends it in time" $? 0
	wait $pid 2>/dev/null
	is "... by itself" "$(kill -l $?)" "$signal"
	[ ! -s csv ]
	is "... without a report" $? 0
	is "... no process is left" "$(left a)" 0
	is "... and nothing is left in TMPDIR" "$(ls -A "$TMPDIR")" ""
done
exec 4<>in # while it is being read ahead
marked c "$wb" -n1 -p0 <in >Y 2>err 4>&- &
pid=$!
echo hello >&4
until_there keeps $pid 6
ends TERM 143 c "an input that stalls"
exec 4<&-
is "... and nothing is left in TMPDIR" "$(ls -A "$TMPDIR")" ""
mkfifo report.fifo
marked d "$wb" -n1 -p0 -s sendfile -o report.fifo -f csv <X >Y 2>err &
pid=$!
until_catching $pid TERM
until_there asleep $pid
ends TERM 143 d "a report into a FIFO that nobody opens"
if full "SIGXCPU, by ulimit -t"; then
	# shellcheck disable=SC3045
	(ulimit -S -t 1 2>limit.err && exec timeout 300 "$wb" -p0 -n 100000 -s 'read+write 4k' -f csv -o csv <small >/dev/null 2>err)
	is "SIGXCPU, by ulimit -t" $? "$(status_of XCPU)"
	holds "... there is a report" csv '^# interrupted: by SIGXCPU '
fi

# ---- Signals that were blocked or ignored when the program was started.

if have perl && perl -MPOSIX -MConfig -e '$Config{sig_name}' 2>/dev/null; then
	cat >with_signals.pl <<'END'
# with_signals.pl BLOCKED IGNORED COMMAND...: names of signals; "all"
use POSIX;
use Config;
my ($blocked, $ignored, @command) = @ARGV;
my $set = POSIX::SigSet->new;
my ($i, %number) = 0;
$number{$_} = $i++ for split ' ', $Config{sig_name};
if ($blocked eq 'all') { $set->fillset } else { $set->addset($number{$_}) for split ' ', $blocked }
$SIG{$_} = 'IGNORE' for split ' ', $ignored;
sigprocmask(SIG_BLOCK, $set) or die;
exec { $command[0] } @command or exit 99;
END
	# begun BLOCKED IGNORED: so started, in the background, a session that waits for a reader; it takes no signal from a queue
	begun() {
		rm -f csv
		exec 4<&- # with what the one before has written
		exec 4<>unread
		marked e perl with_signals.pl "$1" "$2" "$wb" -n1 -p0 -s 'read+write 4k' -f csv -o csv <X >unread 2>err 4>&- &
		pid=$!
		until_there stuck $pid 60000
	}
	mkfifo unread
	for signal in $signals; do
		[ -n "${FULL-}" ] || case $signal in TERM | INT) ;; *) continue ;; esac
		begun "$signal" ''
		ends "$signal" "$(status_of "$signal")" e "blocked at the start"
		[ "$signal" != HUP ] || continue
		begun '' "$signal"
		ends "$signal" "$(status_of "$signal")" e "ignored at the start"
	done
	begun all "$signals CHLD PIPE"
	ends TERM 143 e "all blocked, and all ignored"
	begun '' HUP
	kill -HUP $pid
	is "SIGHUP that was ignored stays so" "$(state $pid)" S
	ends TERM 143 e "... but not another"
	holds "... which is reported" csv '^# interrupted: by SIGTERM '
	exec 4<&-
else
	skip "signals that were blocked or ignored" "no perl"
fi

# ---- A peer that says nothing.

if [ "$silent" ]; then
	for number in 1 2; do
		if [ $number = 1 ]; then thing="a listener that accepts nobody" call="the receiver"; else thing="... whose queue is full" call=connect; fi
		pid=$(cat "pid.g$number")
		within 60 "$pid"
		is "$thing: a sender ends in time" $? 0
		wait "$pid" 2>/dev/null
		is "... with its exit status" $? 2
		holds "... with a message" "err.$number" "^write-bench: --send[^ ]*: .*127\\.0\\.0\\.1:$(cat "port.$number"): $call: ETIMEDOUT "
		is "... nothing is touched" "$(cat "report.$number")" keep
		is "... and no process is left" "$(left "g$number")" 0
		marked g "$wb" -n1 -p0 --send="127.0.0.1:$(cat "port.$number")" <X 2>err &
		pid=$!
		until_there asleep $pid
		ends TERM 143 g "$thing"
		kill "$(cat "pid.f$number")"
		wait "$(cat "pid.f$number")" 2>/dev/null
	done
else
	skip "a listener that accepts nobody" "no perl, or no C compiler"
fi
is "nothing is left in TMPDIR" "$(ls -A "$TMPDIR")" ""
