#!/bin/sh
# Waits end: for a reader that reads no more, for a command that a terminal has stopped, for what io_uring has begun, for a peer that
# says nothing; signals that were blocked or ignored at the start are heard; and what comes from a command can't fill memory.
# Tried: it fails where messages are written without a look at signals; where they are dropped before one; where O_NONBLOCK is set on
# Tried: standard error; where a command's words are kept whole; where a command that was stopped is waited for; where blocked signals
# Tried: stay so; where commands get the program's own mask; where io_uring_enter(2) is called again after a signal; where a second
# Tried: SIGINT is like the first; where a signal has no handler; where a connection is waited for without a bound.
# What a command is to do with its dollars is its own.
# shellcheck disable=SC2016
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
	case $1 in
	HUP) echo 129 ;; INT) echo 130 ;; QUIT) echo 131 ;; USR1) echo 138 ;; USR2) echo 140 ;; ALRM) echo 142 ;; TERM) echo 143 ;;
	XCPU) echo 152 ;; VTALRM) echo 154 ;; PROF) echo 155 ;; PWR) echo 158 ;;
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
many() { # NUMBER OPTION...: a report that is longer than a pipe; the last bytes that are copied are few
	number=$1
	shift
	marked "$number" "$wb" -p0 -n 2000 -s 'read+write 4k' -f csv "$@" <one >/dev/null 2>stalled 4>&-
}
for signal in TERM INT HUP; do
	many 1 -o csv -o /dev/stderr &
	pid=$!
	until_there stuck $pid 60000
	is "a report on a pipe that nobody reads: it is waited for" "$(state $pid)" S
	is "... standard error blocks" "$(flags_of $pid 2)" blocks
	ends $signal "$(status_of $signal)" 1 "a report on a pipe that nobody reads"
	timeout 100 dd bs=65536 count=1 iflag=nonblock <&4 >got 2>dd.err
done
exec 5>stalled # as a shell's 2>&1 has it, the description is shared
(marked 2 "$wb" -p0 -n 2000 -s 'read+write 4k' -f csv <one >/dev/null 2>&5 4>&-) &
until_there test -s pid.2
pid=$(cat pid.2)
until_there stuck "$pid" 60000
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

# ---- What a command says.

run 0 "a command that says 200 MB" timeout 100 "$wb" -n1 -p0 -x '*' -f csv -o csv <X >Y \
	--with='dd bs=64k; head -c 200000000 /dev/zero >&2; grep ^VmHWM "/proc/$PPID/status" >peak; find "/proc/$PPID/fd" -lname "/memfd:*" -exec stat -Lc %s {} + >sizes'
is "... its row is measured" "$(outcomes)" "1 ok "
peak=$(sed 's/[^0-9]//g' peak)
[ "${peak:-999999}" -lt 100000 ] # KiB
is "... they are not kept in memory" $? 0
is "... nor in a file there" "$(awk '$1 > 1e8' sizes)" ""
same "... standard output is a copy" X Y
run 0 "... of --from" timeout 100 "$wb" -n1 -p0 -s 'read+write 64k' --from='cat X; head -c 20000000 /dev/zero >&2' -f csv -o csv >Y
is "... its row is measured" "$(outcomes)" "1 ok "
run 0 "... of --into" timeout 100 "$wb" -n1 -p0 -s 'read+write 64k' --into='cat >got; head -c 20000000 /dev/zero >&2' -f csv -o csv <X
is "... its row is measured" "$(outcomes)" "1 ok "
same "... it has had all" X got
chatter='head -c 1000000 /dev/zero | tr "\0" x >&2'
run 1 "a command that fails and says much" w -x '*' --with="echo first words >&2; $chatter; exit 3" -f csv -o csv <X >Y
is "... fails its row" "$(outcomes)" "1 failed exit 3 "
holds "... its first words are reported" csv ',failed exit 3,.*first words'
run 1 "... of --into" w -s 'read+write 64k' --into="echo first words >&2; $chatter; cat >/dev/null; exit 3" -f csv -o csv <X
holds "... its first words are reported" csv ',failed exit 3,.*first words'
run 2 "... of --from" w -s 'read+write 64k' --from="echo first words >&2; $chatter; exit 3" -f csv -o csv >Y
holds "... its first words are reported" err '^write-bench: .*first words'
run 0 "a command that leaves a process that could still speak" w -x '*' --with="dd bs=64k; sleep ${seconds}50 & " -f csv -o csv <X >Y
is "... its row is measured" "$(outcomes)" "1 ok "
until_there there 50 0
is "... and the process is ended" $? 0

# ---- A command that wants the terminal.

if have script && script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
	export WB="$wb"
	# on_terminal COMMAND: as a shell takes it, with $WB; its standard output and error are the terminal, its output is in screen
	on_terminal() {
		rm -f csv text
		WB_MARK=$mark.t TERM=xterm timeout -k 1 100 script -qec "$1" /dev/null >screen 2>&1 </dev/null
		got=$?
		tr -d '\r' <screen >lines
		one_line lines
	}
	# wants NUMBER OUTCOME OPTION: has the row failed so, and the other been measured?
	wants() {
		is "$2: the session ends, with a failure" "$got" 1
		[ "$got" = 1 ] || sed 's/^/#   /' screen >&3
		is "... of one row" "$(column 4 csv | sort | tr '\n' ' ')" "failed signal $1 ok "
		is "... and no process is left" "$(left t)" 0
	}
	on_terminal "\"\$WB\" -q -n1 -p0 -s sendfile --with='dd bs=64k </dev/tty' -f csv -o csv <X >Y"
	wants 21 "a command that reads the terminal"
	same "... standard output is a copy" X Y
	on_terminal "\"\$WB\" -q -n1 -p0 -s sendfile --with='stty -echo </dev/tty; dd bs=64k' -f csv -o csv <X >Y"
	wants 22 "... that sets it"
	on_terminal "stty tostop; \"\$WB\" -q -n1 -p0 -s sendfile --with='echo hello >/dev/tty; dd bs=64k' -f csv -o csv <X >Y"
	wants 22 "... that writes to it, where that is stopped"
	on_terminal "\"\$WB\" -n1 -p0 -x '*' --with='dd bs=64k </dev/tty' -o text <X >Y"
	is "... as text" "$got" 1
	one_line text
	holds "... with the reason, and remedies" line 'stopped by SIGTTIN: it wants the terminal: .*</dev/null.*ssh -o BatchMode=yes'
	on_terminal "\"\$WB\" -n1 -p0 -x '*' --with='stty -echo </dev/tty; dd bs=64k' -o text <X >Y"
	one_line text
	holds "... and of the other" line 'stopped by SIGTTOU: it wants the terminal: '
	echo keep >Y
	on_terminal "\"\$WB\" -n1 -p0 -s 'read+write 4k' --from='head -c 10 /dev/tty' 1<>Y"
	is "--from that reads the terminal: it is refused" "$got" 2
	one_line lines
	holds "... with the reason" line 'write-bench: --from=head -c 10 /dev/tty: stopped by SIGTTIN: it wants the terminal'
	is "... nothing is touched" "$(cat Y)" keep
	is "... and no process is left" "$(left t)" 0
	on_terminal "\"\$WB\" -q -n1 -p0 -s 'read+write 4k' --into='cat >/dev/null; head -c 10 /dev/tty' -f csv -o csv <X"
	is "--into that reads the terminal: the session ends, with a failure" "$got" 1
	is "... of its row" "$(outcomes)" "1 failed signal 21 "
	is "... and no process is left" "$(left t)" 0
else
	skip "a command that wants the terminal" "no script(1)"
fi

# ---- A second SIGINT, while a command hears neither the first nor what comes of it.

deaf='trap "" INT TERM HUP; echo >started; sleep 1000; sleep 1000'
for end in with from into; do
	rm -f started
	echo old >report
	case $end in # reading ahead, a row, and its other side
	with) marked 5 "$wb" -n1 -p0 -x '*' --with="$deaf" -f csv -o report <X >Y 2>err & ;;
	from) marked 5 "$wb" -n1 -p0 -s 'read+write 4k' --from="$deaf" -f csv -o report >Y 2>err & ;;
	into) marked 5 "$wb" -n1 -p0 -s 'read+write 4k' --into="$deaf" -f csv -o report <X 2>err & ;;
	esac
	pid=$!
	until_there test -e started
	until_there interrupted_again $pid
	ends INT 130 5 "a deaf command, --$end, and a second SIGINT"
	is "... which ends it at once: there is no other report" "$(cat report)" old
	lacks "... nor one on standard error" err '^(\$|row|Interrupted)'
done
rm -f started
marked 6 "$wb" -n1 -p0 -x '*' --with="$deaf" -f csv -o report <X >Y 2>err &
pid=$!
until_there test -e started
ends INT 130 6 "... one SIGINT"
holds "... there is a report" report '^# interrupted: by SIGINT '
if have script && script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
	export WB="$wb" DEAF="$deaf"
	cat >twice <<'END'
"$WB" -n2 -p0 --in-order -s sendfile --with="$DEAF" <X >Y &
pid=$!
while [ ! -e started ]; do sleep 0.05; done
while grep -q "^State:.[^Z]" /proc/$pid/status; do
	kill -INT $pid
	sleep 0.05
done
wait $pid
echo $? >status
END
	rm -f started status
	on_terminal 'sh ./twice'
	is "... on a terminal: exit status" "$(cat status)" 130
	holds "... there was a progress line" screen '[0-9]/[0-9]+  [$].* ETA'
	escape=$(printf '\033')
	sed "s/.*$escape\\[K//" lines >rest
	lacks "... which is erased" rest 'ETA'
	is "... and no process is left" "$(left t)" 0
else
	skip "... on a terminal" "no script(1)"
fi

# ---- io_uring, while what it reads stalls.

run 0 "io_uring" w -s 'io_uring read+write 8x128k,io_uring splice 1m' -f csv -o csv <X >Y
holds "... is there, or is not" csv '^io_uring read.write 8x128k,1,'
if ! grep -q '^io_uring read+write 8x128k,.*,ok,' csv; then
	skip "io_uring while its input stalls" "this kernel refuses it"
else
	# A command that has given all once, to be read ahead, stalls in its second run.
	for row in 'io_uring read+write 8x128k' 'io_uring splice 1m' 'read+write 4k'; do
		"$wb" --list --all --from=x >listed 2>&1 </dev/null
		grep -qF "$row  " listed || continue
		for given in 0 100000; do
			rm -f again
			marked 7 "$wb" -n1 -p0 -s "$row" --from="[ -e again ] && { head -c $given X; echo >stalls; exec sleep 1000; }; echo >again; cat X" \
				-f csv -o report >Y 2>err &
			pid=$!
			rm -f stalls
			until_there test -e stalls
			until_there asleep $pid
			ends TERM 143 7 "$row, after $given bytes"
			holds "... there is a report" report '^# interrupted: by SIGTERM '
		done
	done
	if [ "$(id -u)" = 0 ] && [ -r /dev/kmsg ]; then
		marked 8 "$wb" -n1 -p0 -z 64m -s 'io_uring read+write 8x128k' -f csv -o report </dev/kmsg >Y 2>err &
		pid=$!
		until_catching $pid TERM
		until_there asleep $pid
		ends TERM 143 8 "io_uring that waits for a device"
		holds "... there is a report" report '^# interrupted: by SIGTERM '
	else
		skip "io_uring that waits for a device" "no /dev/kmsg to wait at"
	fi
	mkfifo full
	exec 4<>full # nobody reads it
	for row in 'io_uring splice 1m' 'io_uring read+write 8x128k'; do
		"$wb" --list --all --into=x >listed 2>&1 </dev/null
		grep -qF "$row  " listed || continue
		marked 9 "$wb" -n1 -p0 -s "$row" -f csv -o report <X >full 2>err 4>&- &
		pid=$!
		until_catching $pid TERM
		until_there asleep $pid
		ends TERM 143 9 "$row into a pipe that nobody reads"
	done
	exec 4<&-
fi

# ---- Signals: each that would end a process, in the midst of a session whose input is kept.

signals='HUP INT QUIT TERM XCPU USR1 USR2 ALRM VTALRM PROF PWR'
mkfifo in
for signal in $signals; do
	rm -f csv started
	marked a "$wb" -n3 -p0 --in-order -s 'read+write 4k' --with='echo >started; exec sleep 1000' -f csv -o csv <in >Y 2>err &
	pid=$!
	cat X >in
	until_there test -e started
	ends "$signal" "$(status_of "$signal")" a "in the midst of a session"
	holds "... there is a report, with what was measured" csv "^# interrupted: by SIG$signal after 3 of [0-9]+ runs" '^read\+write 4k,3,[0-9]+,ok,'
	is "... and nothing is left in TMPDIR" "$(ls -A "$TMPDIR")" ""
done
group=/sys/fs/cgroup/memory/write-bench-test.$$
limited() { # BYTES COMMAND...
	echo "$1" >$group/memory.limit_in_bytes && shift && exec sh -c "echo \$\$ >$group/cgroup.procs && exec \"\$@\"" sh "$@"
}
if [ "$(id -u)" = 0 ] && mkdir $group 2>/dev/null && (limited 100m true) 2>/dev/null; then
	undo="clean_up; rmdir $group"
	for signal in USR2 XCPU; do # an input that memory can't hold is in a file
		rm -f csv started
		(limited 40m timeout 300 "$wb" -g noise:12m) >in &
		source=$!
		marked b sh -c "echo 40m >$group/memory.limit_in_bytes && echo \$\$ >$group/cgroup.procs && exec \"\$@\"" sh \
			"$wb" -n1 -p0 -x '*' --with='echo >started; exec sleep 1000' -f csv -o csv <in >Y 2>err &
		pid=$!
		until_there test -e started
		wait $source
		ends "$signal" "$(status_of "$signal")" b "with an input that is kept in a file"
		holds "... so it was" csv "^# input: pipe, read ahead into .*$(shown "$TMPDIR")"
		is "... and nothing is left in TMPDIR" "$(ls -A "$TMPDIR")" ""
	done
else
	skip "an input that is kept in a file" "not root, or no control group for memory"
fi
for signal in TERM USR1; do # while it is being read ahead
	exec 4<>in
	marked c "$wb" -n1 -p0 <in >Y 2>err 4>&- &
	pid=$!
	echo hello >&4
	until_there keeps $pid 6
	ends $signal "$(status_of $signal)" c "an input that stalls"
	exec 4<&-
	is "... and nothing is left in TMPDIR" "$(ls -A "$TMPDIR")" ""
done
mkfifo report.fifo
for signal in TERM INT USR2; do
	marked d "$wb" -n1 -p0 -s sendfile -o report.fifo -f csv <X >Y 2>err &
	pid=$!
	until_catching $pid TERM
	until_there asleep $pid
	ends $signal "$(status_of $signal)" d "a report into a FIFO that nobody opens"
done
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
	begun_command() { # one that waits for a command
		rm -f started csv
		marked e perl with_signals.pl "$1" "$2" "$wb" -n1 -p0 -x '*' --with='echo >started; exec sleep 1000' -f csv -o csv <X >Y 2>err 4>&- &
		pid=$!
		until_there test -e started
	}
	mkfifo unread
	for signal in $signals; do
		[ -n "${FULL-}" ] || case $signal in TERM | INT | USR1) ;; *) continue ;; esac
		begun "$signal" ''
		ends "$signal" "$(status_of "$signal")" e "blocked at the start"
		[ "$signal" != HUP ] || continue
		begun '' "$signal"
		ends "$signal" "$(status_of "$signal")" e "ignored at the start"
	done
	begun all "$signals CHLD PIPE"
	ends TERM 143 e "all blocked, and all ignored"
	begun_command all "$signals CHLD PIPE"
	ends TERM 143 e "... while a command runs"
	begun '' HUP
	kill -HUP $pid
	is "SIGHUP that was ignored stays so" "$(state $pid)" S
	ends TERM 143 e "... but not another"
	holds "... which is reported" csv '^# interrupted: by SIGTERM '
	exec 4<&-
	run 0 "a session with all signals blocked" timeout 100 perl with_signals.pl all '' "$wb" -n1 -p0 -x reflink --with='dd bs=64k' -f csv -o csv <X >Y
	is "... no row fails" "$(column 4 csv | grep -Ev '^(ok|shared|n/a.*)$' | sort -u)" ""
	holds "... and most are measured" csv '^sendfile,1,[0-9]+,ok,' '^\$ dd bs=64k,1,[0-9]+,ok,'
	same "... and standard output is a copy" X Y

	# What commands are given: what we were, but for SIGPIPE. They are no shells, which have masks of their own.
	cat >given.pl <<'END'
# given.pl [FILE]: leaves in the file "given" what is blocked and ignored, and copies
open my $status, '<', '/proc/self/status' or die;
open my $given, '>', 'given' or die;
/^Sig(Blk|Ign):/ && print $given $_ while <$status>;
close $given;
print while <>;
END
	perl with_signals.pl 'TERM USR2 WINCH' 'USR1 QUIT INT HUP' perl given.pl small >Y
	mv given wanted
	holds "a command is given what is blocked and ignored" wanted '^SigBlk:.*[1-9a-f]' '^SigIgn:.*[1-9a-f]'
	given() { # OPTION...
		rm -f given
		run 0 "... which is started by a session, $1" timeout 100 \
			perl with_signals.pl 'TERM USR2 WINCH' 'USR1 QUIT INT HUP PIPE' "$wb" -n1 -p0 "$@" -f csv -o csv
		same "... has the same, but for SIGPIPE" wanted given
	}
	given --with='perl given.pl' -x '*' <X >Y
	given --from='perl given.pl X' -s 'read+write 4k' >Y
	given --into='perl given.pl' -s 'read+write 4k' <X
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
