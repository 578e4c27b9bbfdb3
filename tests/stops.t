#!/bin/sh
# Time in which nothing happens: a program that is stopped and goes on, commands that are, a machine that was suspended, and
# clocks that jump. Such a run is thrown away and repeated, which is counted, and leaves no figure.
# Tried: no handler of SIGCONT, none of SIGCHLD, waiting without a look at what SIGCHLD says, clocks that are not held against each other
# or may go back, references that are not repeated, runs that are thrown away uncounted.
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"

stands() { # PID: it does
	[ "$(state "$1")" = T ]
}
noticed() { # PID: that it is stopped, by its parent, which has taken the signal that says so, and sleeps again
	parent=$(sed -n 's/^PPid:[^0-9]*//p' "/proc/$1/status") && grep -q '^ShdPnd:[^0-9a-f]*0*$' "/proc/$parent/status" && [ "$(state "$parent")" = S ]
}
restart() { # PID: it is stopped, or has stopped itself, and goes on
	until_there stands "$1" && kill -CONT "$1"
}
youngest() { # PID: its child's child, and so on
	elder=$1
	while child=$(children "$elder" | cut -d' ' -f1) && [ "$child" ]; do elder=$child; done
	echo "$elder"
}
figures() { # FILE: are all figures of its runs positive, and below 1000 s?
	awk -F, '/^[^#]/ && !/^row,/ && $4 == "ok" && !($3 >= 1 && $3 < 1e12) { exit 1 }' "$1"
}
# thrown DESCRIPTION OUTCOMES [COUNT]: what became of the runs in the file csv, and how many were thrown away before; some, where
# it is not reported
thrown() {
	is "$1" "$(outcomes)" "$2"
	number=$(sed -n 's/^# thrown_away: //p' csv)
	if [ "${3-}" ]; then
		is "... as many runs were thrown away" "${number:-0}" "$3"
	else
		[ "${number:-0}" -gt 0 ]
		is "... runs were thrown away" $? 0
	fi
	figures csv
	is "... and no figure is absurd" $? 0
}
bytes 2000000 >X

# The program, in the middle of a run, which waits for the reader of its output.
mkfifo fifo
w -s 'read+write 1m' -f csv -o csv <X >fifo 2>err &
pid=$!
{
	head -c 1
	program=$(youngest $pid)
	kill -STOP "$program" && restart "$program"
	cat
} <fifo >Y
wait $pid
is "a program that was stopped" $? 0
thrown "... has measured its run" "1 ok " 1
cat X X >both
same "... and both copies went into the pipe" both Y
w -v -s 'read+write 1m' -o text <X >fifo 2>err &
pid=$!
{
	head -c 1
	program=$(youngest $pid)
	for _ in 1 2 3; do
		kill -STOP "$program" && restart "$program"
	done
	cat
} <fifo >Y
wait $pid
one_line text
holds "the text report says so" line 'Repeated, since the program was stopped or a clock jumped: 1 run\.'
w -s 'read+write 1m' -f csv -o csv <X >fifo 2>err &
pid=$!
{
	head -c 1
	program=$(youngest $pid)
	kill -STOP "$program" && until_there stands "$program"
	kill -TERM "$program" && kill -CONT "$program"
	cat
} <fifo >Y
wait $pid
is "one that gets SIGTERM meanwhile ends" $? 143
is "... and has no run" "$(outcomes)" ""

# A command: each time that it runs, in turn, it stops itself, and goes on when we say so; in reading ahead no run is thrown
# away, and nowhere is one kept.
cat >turns <<'END'
# turns NAME: counts its calls in the file NAME.n, and stands still in the one that is in the file NAME.at
n=$(($(cat "$1.n") + 1))
echo $n >"$1.n"
echo $$ >"$1.pid"
[ $n != "$(cat "$1.at")" ] || kill -STOP $$
exec dd bs=64k ${2+"if=$2"}
END
stopping() { # NAME COMMAND...: runs it, with the command that stops
	name=$1
	shift
	echo 0 >"$name.n"
	rm -f "$name.pid"
	"$@" 2>err &
	pid=$!
	until ended $pid; do # it is stopped once: here or nowhere
		if [ -s "$name.pid" ]; then
			read -r command <"$name.pid"
			! { stands "$command" && noticed "$command"; } || kill -CONT "$command"
		fi
		sleep 0.02
	done
	wait $pid
}
copying() { # of the program, with X as input
	"$@" <X >Y
}
for at in 1 2; do
	echo $at >row.at
	stopping row copying w -n2 -p0 -s 'read+write 1m' --with="exec sh turns row" -f csv -o csv
	is "a --with command that stands still in its run $at" $? 0
	thrown "... all runs are measured" "4 ok " 1
	is "... and it ran once more, or twice where it is the control" "$(cat row.n)" $((3 + $(grep -c '^# control: \$ exec' csv)))
done
echo 0 >from.at
stopping from w -s 'read+write 1m' --from="exec sh turns from X" -f csv -o csv >Y
calls=$(cat from.n)
thrown "a --from command that does not stop" "1 ok " 0
at=1
while [ $at -le "$calls" ]; do
	echo $at >from.at
	stopping from w -s 'read+write 1m' --from="exec sh turns from X" -f csv -o csv >Y
	is "a --from command that stands still in its run $at of $calls" $? 0
	same "... leaves a copy" X Y
	more=$(($(cat from.n) - calls))
	thrown "... and a measured run" "1 ok " $more
	echo "$more" >>thrown.from
	at=$((at + 1))
done
is "... thrown away is that of the row, and that of the input alone with each pipe" "$(sort thrown.from | uniq -c | tr -s ' \n' ' ')" " 1 0 3 1 "
# Nor where it has ended when we begin to wait for it, and another process of its goes on.
cat >leaver <<'END'
n=$(($(cat leaver.n) + 1))
echo $n >leaver.n
echo $$ >leaver.pid
[ $n != 2 ] || kill -STOP $$
{
	while grep -q ') [^Z]' /proc/$$/stat 2>leaver.err; do sleep 0.02; done
	exec cat X
} &
END
stopping leaver w -s 'read+write 1m' --from="exec sh leaver" -f csv -o csv >Y
is "a --from command that stands still, and ends before its output does" $? 0
thrown "... all runs are measured" "1 ok " 1

# Clocks.
JUMP_DONE=$work/jumped
export JUMP_DONE
if have "${CC:-cc}" && ${CC:-cc} -shared -fPIC -o jump.so "$top/tests/jump.c" 2>err; then
	JUMP_AT=1 JUMP_BY="0 0 0" LD_PRELOAD=./jump.so timeout 60 "$wb" -p0 -n1 -s sendfile <X >Y 2>err
fi
if [ -e jumped ]; then
	jumps() { # DESCRIPTION COUNT SECONDS...: of the three clocks
		what=$1 count_wanted=$2
		shift 2
		JUMP_AT=2 JUMP_BY="$*" LD_PRELOAD=./jump.so timeout 300 "$wb" -p0 -n3 -s sendfile,'read+write 1m' -f csv -o csv <X >Y 2>err
		is "$what" $? 0
		thrown "... all runs are measured" "6 ok " "$count_wanted"
		same "... and a copy is left" X Y
	}
	jumps "a machine that is suspended for an hour" 1 0 3600 3600
	jumps "... for a moment" 1 0 0.002 0.002
	jumps "a clock that goes back" 1 -3600 0 0
	jumps "a clock that goes back, with all others" 1 -3600 -3600 -3600
	jumps "a clock that leaps ahead" 1 3600 0 0
	jumps "a clock that is set, as anybody's may be, and is not ours" 0 0 0 86400
	JUMP_AT=0 JUMP_BY="0 1 1" LD_PRELOAD=./jump.so timeout 300 "$wb" -p0 -n2 -s sendfile,'read+write 1m' -f csv -o csv <X >Y 2>err
	is "a machine that stands still in each run: ends" $? 1
	thrown "... without a figure of the row that never ran undisturbed" "1 failed EINTR 2 ok "
	same "... but with a copy" X Y
else
	skip "clocks that jump" "no compiler, or nothing can be preloaded here"
fi
