#!/bin/sh
# Commands, and what they do to a session: they say as much as they like, want a terminal, can't be ended, are denied
# system calls, as the program may be itself.
# Tried: it fails where standard error is a pipe that nobody empties; where only the first or the last line of it is
# Tried: known, or a line twice; where a child keeps the terminal; where a group is forgotten after its leader was
# Tried: reaped; where a child that lives on is waited for, or is not named, or the next row runs beside it.
# shellcheck disable=SC2086 # $nobody is several words
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"

ulimit -c 0 2>limit.err # SIGSYS would leave files
bytes 300000 >X
chmod 755 .
chmod 644 X
chmod 1777 "$TMPDIR"
nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"

# ---- Their words.

rows='stdio 4k,read+write 64k'
run 0 "--into that says more than pipes hold" w -n3 -s "$rows" --into='head -c 2000000 /dev/zero >&2; cat >/dev/null' \
	-f csv -o csv <X
is "... all runs are measured" "$(outcomes)" "6 ok "
run 0 "--with" w -x '*' --with='dd bs=64k; head -c 20000000 /dev/zero >&2' -f csv -o csv <X >Y
is "... its run is measured" "$(outcomes)" "1 ok "
same "... standard output is a copy" X Y
words="echo first words >&2; yes | head -c 1000000 >&2; echo last words >&2"
run 1 "--with that fails and says much" w -x '*' --with="$words; exit 3" -f csv -o csv <X >Y
holds "... its first and its last line are reported" csv ',failed,exit status 3: first words.*last words,'
for last in 125 137 148; do
	seq -s, 100 $last >words
	run 1 "--with that fails with one line, of $(($(wc -c <words) - 1)) characters" w -x '*' \
		--with='cat words >&2; exit 3' -f csv -o csv <X >Y
	is "... which is reported once" "$(grep -c "exit status 3: $(cat words)\"" csv)" 1
done
run 2 "--from" w -s 'read+write 64k' --from="$words; exit 3" -f csv -o csv >Y
holds "... its first and its last line are said" err 'first words.*last words'
run 0 "a command that leaves a process that could still speak" w -x '*' --with="dd bs=64k; sleep ${seconds}50 & " \
	-f csv -o csv <X >Y
is "... its run is measured" "$(outcomes)" "1 ok "
until_there there 50 0
is "... and the process is ended" $? 0

# ---- They have no terminal.

if have script && script -qec true /dev/null >/dev/null 2>&1 </dev/null ||
	or_skip "a command that wants the terminal" "no script(1)"; then
	export wb
	# on_terminal STATUS DESCRIPTION COMMAND: as a shell takes it, with $wb; its standard error is the terminal
	on_terminal() {
		rm -f csv
		WB_MARK=$mark.t timeout -k 1 100 script -qec "$3" /dev/null >screen 2>&1 </dev/null
		status=$?
		is "$2: the session ends" "$status" "$1"
		[ "$status" = "$1" ] || sed 's/^/#   /' screen >&3
	}
	on_terminal 1 "a command that reads the terminal" \
		'"$wb" -n1 -p0 -s sendfile --with="dd bs=64k if=/dev/tty" -f csv -o csv <X >Y'
	is "... it has failed by itself, and no other row" "$(column 4 csv | sort | tr '\n' ' ')" "failed ok "
	same "... standard output is a copy" X Y
	echo keep >Y
	on_terminal 2 "--from" '"$wb" -n1 -p0 -s "read+write 4k" --from="dd if=/dev/tty count=1" 1<>Y'
	holds "... its words are said" screen '/dev/tty'
	is "... nothing is touched" "$(cat Y)" keep
fi

# ---- A group's number is ours until its leader is reaped: no signal goes there after that, whenever one comes.

if can_trace || or_skip "no signal goes to who has been reaped" "no strace"; then
	strace -qq -o trace -e trace=wait4,waitid,kill -e inject=wait4:signal=TERM:when=1 "$wb" -p0 -n1 -x '*' \
		--with='dd bs=64k' <X >Y 2>err
	sed -n 's/^wait4(\([0-9]*\), .* = \1\( .*\)\{0,1\}$/reaped \1/p; s/^kill(-*\([0-9]*\), SIG.*/killed \1/p' \
		trace >order
	is "no signal goes to who has been reaped, also when SIGTERM comes just then" \
		"$(awk '$1 == "reaped" { gone[$2] = 1; n++ }
			$1 == "killed" && $2 in gone
			END { print (n > 0) }' order)" 1
fi

# ---- A child that can't be ended.

compiled_child=
! { have "${CC:-cc}" && ${CC:-cc} -o child "$top/tests/child.c" 2>cc.err; } || compiled_child=1
rooted=
if [ "$(id -u)" = 0 ] && [ "$compiled_child" ] && have setpriv && cp child rooted && chmod 4755 rooted &&
	$nobody true 2>/dev/null && cp "$wb" write-bench && chmod 755 write-bench; then
	marked z $nobody ./rooted root 2>there &
	pid=$!
	until_there test -s there || ended $pid
	[ ! -s there ] || rooted=1
	kill -KILL $pid 2>/dev/null
	wait $pid 2>/dev/null
fi
if [ "$rooted" ] || or_skip "a child that has become root" "not root, no setpriv, no compiler, or no setuid here"; then
	mkdir of_user && chmod 777 of_user && cd of_user || exit 1
	# beside_root SIGNAL STATUS DESCRIPTION OPTION...
	beside_root() {
		signal=$1 status=$2 what=$3
		shift 3
		rm -f there csv again
		: >Y
		chmod 666 Y # whatever the umask
		marked r $nobody env TMPDIR=. ../write-bench -n2 -p0 --in-order -f csv -o csv "$@" <../X >Y 2>err &
		pid=$!
		[ "$signal" = none ] || { until_there test -s there && kill -s "$signal" "$pid"; }
		within 60 "$pid"
		is "$what, $signal: the session ends in time" $? 0
		wait "$pid" 2>/dev/null
		is "... with its exit status" $? "$status"
		holds "... names the process" err "(^|[^0-9])$(cat there)([^0-9]|\$)"
		holds "... and has its report" csv '^row,'
		kill -KILL "$(cat there)" 2>/dev/null
	}
	stays='exec ../rooted root 2>there'
	beside_root TERM 143 "--with that has become root" -x '*' --with="$stays"
	beside_root none 1 "--into" -s 'read+write 4k,sendfile' --into="$stays <&-"
	is "... no row has run beside it" "$(outcomes)" ""
	# the leader is gone, which knew it
	rm -f csv there
	: >Y
	chmod 666 Y
	run 1 "--with that leaves one behind: the session ends" \
		$nobody ../write-bench -n2 -p0 --in-order -x '*' \
			--with="../rooted root 2>there & until [ -s there ]; do sleep 0.01; done; dd bs=64k" -f csv \
			-o csv <../X >Y
	is "... there is no second run beside it" "$(outcomes | grep -c '^2 ')" 0
	kill -KILL "$(cat there)" 2>/dev/null
	cd .. || exit 1
fi

# ---- Denied calls.

if [ "$compiled_child" ] && ./child sendfile true || or_skip "calls that are denied" "no compiler, or no seccomp"; then
	mkdir at
	# the shell tells of the signal
	{ cat X | (marked s timeout -k 1 300 ./child sendfile "$wb" -n1 -p0 -s sendfile) >at/Y; } 2>err
	is "a call that kills: by SIGSYS" "$(kill -l $? 2>&1)" SYS
	is "... nor a file" "$(ls -A "$TMPDIR" at)" "$TMPDIR:

at:
Y"
	run 1 "a command that is killed at a call" measure -s sendfile --with='./child read cat' <X >Y
	is "... has failed alone" "$(column 1,4 csv | sort | tr '\n' ' ')" "\$ ./child read cat,failed sendfile,ok "
	one_line err
	holds "... by its signal" line 'Bad system call'
fi
