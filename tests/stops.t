#!/bin/sh
# A program that is stopped and goes on copies right, and ends by a signal that came meanwhile. A command that is
# stopped is waited for.
# Tried: SIGTERM does not end a run; a command that is waited for with WUNTRACED.
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"

stands() { # PID: it does
	[ "$(state "$1")" = T ]
}
youngest() { # PID: its child's child, and so on
	elder=$1
	while child=$(children "$elder" | cut -d' ' -f1) && [ "$child" ]; do elder=$child; done
	echo "$elder"
}
bytes 2000000 >X
mkfifo fifo
# stopped COMMAND OPTION...: a session that waits in its run for the reader of its output, and is stopped then; COMMAND,
# given its id, is what happens to it. Its exit status is left in $status, what was written in Y.
stopped() {
	happens=$1
	shift
	w -s 'read+write 1m' "$@" <X >fifo 2>err &
	pid=$!
	{
		head -c 1
		program=$(youngest $pid)
		"$happens" "$program"
		cat
	} <fifo >Y
	wait $pid
	status=$?
}
stop() { kill -STOP "$1" && until_there stands "$1"; }
once() { stop "$1" && kill -CONT "$1"; }
thrice() { once "$1" && once "$1" && once "$1"; }
and_ended() { stop "$1" && kill -TERM "$1" && kill -CONT "$1"; }

for times in once thrice; do
	stopped $times -f csv -o csv
	is "a program that is stopped $times in a run: exit status" $status 0
	is "... its run is measured" "$(outcomes)" "1 ok "
	same "... what went into the pipe is one copy" X Y
done
rm -f csv
stopped and_ended -f csv -o csv
is "one that gets SIGTERM meanwhile ends" $status 143
is "... and has no run" "$(outcomes)" ""

marked a "$wb" -n1 -p0 -x '*' --with='[ ! -s /dev/stdin ] || { echo $$ >stops; kill -STOP $$; }; exec dd bs=64k' \
	-f csv -o csv <X >Y 2>err &
pid=$!
until_there test -s stops
until_there stands "$(cat stops)"
kill -CONT "$(cat stops)"
within 60 $pid
is "a command that stands still is waited for" $? 0
wait $pid
is "... exit status" $? 0
is "... its run is measured" "$(outcomes)" "1 ok "
same "... and has left a copy" X Y
