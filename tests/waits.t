#!/bin/sh
# Waits end: for a reader that reads no more, for a command that hears no signal; each signal that ends a session ends
# it in time, with a report, and the session ends by it.
# Tried: it fails where messages are written without a look at signals; where they are dropped before one; where
# Tried: O_NONBLOCK is set on standard error; where a signal has no handler; where it exits with 128 + N; where process
# Tried: 1 of a container only raises the signal, which does nothing there.
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"
ulimit -c 0 2>limit.err # SIGQUIT and SIGXCPU would leave files

# ends SIGNAL STATUS SESSION: does it end $pid in time, so?
ends() {
	kill -s "$1" "$pid" 2>kill.err
	within 60 "$pid"
	is "$3, SIG$1: ends in time" $? 0
	wait "$pid" 2>/dev/null
	is "... with its exit status" $? "$2"
}
# stuck PID [BYTES]: does it stand still, after it has written as many?
stuck() {
	before=$(cat "/proc/$1/io") && [ "$(echo "$before" | sed -n 's/^wchar: //p')" -ge "${2:-0}" ] &&
		asleep "$1" && [ "$(cat "/proc/$1/io")" = "$before" ]
}
flags_of() { # PID DESCRIPTOR: does it block?
	flags=$(sed -n 's/^flags:[[:blank:]]*//p' "/proc/$1/fdinfo/$2")
	if [ $((${flags:-04000} & 04000)) = 0 ]; then echo blocks; else echo "does not block"; fi
}
bytes 300000 >X
bytes 300 >small
printf x >one

# ---- A reader of standard error who reads no more.

mkfifo stalled
exec 4<>stalled # nobody reads it
exec 5>stalled # as a shell's 2>&1 has it, the description is shared
# A report that is longer than a pipe; the last bytes that are copied are few.
marked 1 "$wb" -p0 -n 2000 -s 'read+write 4k' -f csv -o csv -o /dev/stderr <one >/dev/null 2>&5 4>&- &
pid=$!
until_there stuck $pid 2000
is "a report on a pipe that nobody reads: it waits, and blocks" "$(state $pid) $(flags_of $pid 2) $(flags_of $$ 5)" \
	"S blocks blocks"
ends TERM 143 "a report on a pipe that nobody reads"
is "... the pipe still blocks" "$(flags_of $$ 5)" blocks
exec 5>&-
timeout 100 dd bs=65536 count=1 iflag=nonblock <&4 >got 2>dd.err
# It is full before there is anything to say: a session goes on to its end, and is ended in its midst.
dd if=/dev/zero of=stalled bs=65536 count=1 oflag=nonblock 2>dd.err
marked 3 "$wb" -p0 -n1 -x '*' --with='echo >started; exec sleep 1000' <X >Y 2>stalled 4>&- &
pid=$!
until_there test -e started
ends TERM 143 "a full pipe for messages, in the midst of a session"
marked 4 "$wb" -p0 -n1 -s sendfile -o last -f csv <X >Y 2>stalled 4>&- &
pid=$!
until_there grep -qs '^sendfile,' last
same "one that has come to its end has left a copy" X Y
ends TERM 143 "... and waits to say so"
exec 4<&-

# Before a signal nothing is dropped, however slow he is.
if have perl || or_skip "a slow reader of a report" "no perl"; then
	cat >slow.pl <<'END'
	# reads in pieces, of more and of less than a page, and sleeps between them
	while (my $n = sysread STDIN, my $piece, (1, 100, 5000, 60000)[$i++ % 4]) {
		syswrite STDOUT, $piece;
		select undef, undef, undef, 0.02;
	}
END
	("$wb" -p0 -n 3000 -q -s 'read+write 4k' -f csv -o csv -o /dev/stderr <one 2>&1 >/dev/null; echo $? >status) |
		perl slow.pl >got
	is "a slow reader of a report" "$(cat status)" 0
	run 0 "... which is longer than a pipe" [ "$(wc -c <csv)" -gt 100000 ]
	head -c "$(wc -c <csv)" got >wanted
	same "... gets all of it" csv wanted
	is "... and the answer that follows" "$(tail -n +$(($(wc -l <csv) + 1)) got | cut -d' ' -f1 | head -n 1)" Use
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
	ends INT 130 "a deaf command, --$end"
	[ $end = from ] || holds "... there is a report" report '^# interrupted: by signal 2 '
done

# ---- Signals: in the midst of a session whose input is kept, in TMPDIR or in memory.

mkfifo in
cat >how.pl <<'END'
# how.pl COMMAND...: its id is in the file session, and in the end how it ended in the file how
my $pid = fork // die;
if ($pid == 0) { $SIG{$_} = 'DEFAULT' for qw(INT QUIT); exec @ARGV or die }
open my $f, '>', 'session.new' or die;
print $f "$pid\n";
close $f;
rename 'session.new', 'session';
waitpid $pid, 0;
open $f, '>', 'how' or die;
my $signal = $? & 127;
print $f $signal ? "signal $signal" : 'status ' . ($? >> 8), "\n";
exit($signal ? 128 + $signal : $? >> 8);
END
midst() { # COMMAND...: before a session that has measured a run, and then waits
	rm -f csv started session how
	marked a "$@" "$wb" -n3 -p0 --in-order -s 'read+write 4k' --with='echo >started; exec sleep 1000' -f csv \
		-o csv <in >Y 2>err &
	pid=$!
	cat X >in
	until_there test -e started
}
for each in HUP:1 INT:2 QUIT:3 TERM:15 XCPU:24; do # as most machines have them (signal(7))
	signal=${each%:*} number=${each#*:}
	midst perl how.pl
	kill -s "$signal" "$(cat session)" 2>kill.err
	within 60 $pid
	is "in the midst of a session, SIG$signal: ends in time" $? 0
	wait $pid 2>/dev/null
	is "... by the signal itself" "$(cat how)" "signal $number"
	holds "... there is a report, with what was measured" csv \
		"^# interrupted: by signal $number .* after 1 of [0-9]+ runs" '^read\+write 4k,1,[0-9]+,ok,'
done
# Ctrl-C in a script: bash(1) goes on with its loop where what it waits for does not end by the signal.
if have bash || or_skip "Ctrl-C in a loop" "no bash"; then
	rm -f started
	# shellcheck disable=SC2016
	marked b perl -e 'setpgrp; $SIG{INT} = "DEFAULT"; exec @ARGV' bash -c \
		'for i in 1 2 3; do "$@" <X >Y 2>err; echo $i >>rounds; done; exit 9' sh "$wb" -n1 -p0 -x '*' \
		--with='[ -e started ] || { echo >started; exec sleep 1000; }; exec cat' &
	pid=$!
	until_there test -e started
	kill -s INT -- "-$pid"
	within 60 $pid
	is "Ctrl-C in a loop: ends in time" $? 0
	wait $pid 2>/dev/null
	is "... and so does the loop" "$? $(cat rounds 2>/dev/null)" "130 "
fi
# Process 1 of a container: the signal's own action spares it.
if unshare -pf --mount-proc true 2>unshare.err || or_skip "process 1 of a container" "no PID namespaces"; then
	for each in HUP:129 INT:130 QUIT:131 TERM:143 XCPU:152; do
		midst unshare -pf --mount-proc
		kill -s "${each%:*}" "$(children $pid | cut -d' ' -f1)" 2>kill.err
		within 60 $pid
		is "process 1 of a container, SIG${each%:*}: ends in time" $? 0
		wait $pid 2>/dev/null
		is "... with its exit status" $? "${each#*:}"
	done
fi
midst # what nobody sends to end a session does what it always does
kill -s USR1 $pid
within 60 $pid
is "SIGUSR1: ends it in time" $? 0
wait $pid 2>/dev/null
is "... by itself" "$(kill -l $?)" USR1
exec 4<>in # while it is being read ahead
marked c "$wb" -n1 -p0 <in >Y 2>err 4>&- &
pid=$!
echo hello >&4
until_there keeps $pid 6
ends TERM 143 "an input that stalls"
exec 4<&-
mkfifo report.fifo
marked d "$wb" -n1 -p0 -s sendfile -o report.fifo -f csv <X >Y 2>err &
pid=$!
until_catching $pid TERM
until_there asleep $pid
ends TERM 143 "a report into a FIFO that nobody opens"
if full "SIGXCPU, by ulimit -t"; then
	(ulimit -S -t 1 2>limit.err && exec timeout 300 "$wb" -p0 -n 100000 -s 'read+write 4k' -f csv \
		-o csv <small >/dev/null 2>err)
	is "SIGXCPU, by ulimit -t" $? 152
	holds "... there is a report" csv '^# interrupted: by signal 24 '
fi
