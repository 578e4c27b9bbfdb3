#!/bin/sh
# Trouble while it runs: full file systems, an input that changes, signals.
# Tried: it fails where a mapped output that is full ends the program; SIGHUP ends it under nohup;
# Tried: an output that can't be read back is taken; threads that wait for input are not interrupted; bytes that are no
# Tried: more there are counted by copy_file_range sparse.
if [ "$(id -u)" = 0 ] && [ -z "${OWN_MOUNTS-}" ] && unshare -m true 2>/dev/null; then
	OWN_MOUNTS=1 exec unshare -m "$0" "$@"
fi
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"

# No space.
bytes 2000000 >X
if [ "${OWN_MOUNTS-}" ] && mkdir full && mount -t tmpfs -o size=1m tmpfs full ||
	or_skip "a full file system" "not root, or no mount namespaces"; then
	undo="umount full"
	run 1 "a full file system" "$wb" -p0 -n2 -f csv -o report.csv <X >full/Y
	is "... fails each row that runs" "$(column 4 report.csv | grep -v '^n/a' | sort -u)" "failed ENOSPC"
	is "... no row is measured" "$(column 3 report.csv | sort -u)" ""
	holds "... and a message" err '^write-bench: standard output: is not a copy of the input: [a-z_ ]*: ENOSPC'
	: >full/Y
	head -c 600000 X >full/X
	run 1 "one that fills half way" "$wb" -p0 -n1 -f csv -o report.csv <full/X >full/Y
	is "... fails each row, too" "$(column 4 report.csv | grep -v '^n/a' | sort -u)" "failed ENOSPC"
	for row in 'mmap+mmap + trunc' 'read+write 1k' sendfile; do
		: >full/Y
		run 1 "one that is too small for $row" "$wb" -p0 -n1 -s "$row" -f csv -o report.csv <X >full/Y
		is "... fails it" "$(column 4 report.csv)" "failed ENOSPC"
	done
fi

# An input that changes.
change() { # DESCRIPTION COMMAND OPTION...: a session with these options, and a command that changes X in its midst
	changed=$1 command=$2
	shift 2
	bytes 300000 >X
	"$wb" -p 0.01 "$@" -f csv -o report <X >Y 2>err &
	pid=$!
	until_there sends $pid 3000000
	eval "$command"
	within 300 $pid
	wait $pid
	is "$changed: ends the session with an error" $? 1
	holds "... which is said" err 'changed meanwhile'
}
change "an input that shrinks" "truncate -s 100000 X" -n 10000
change "an input that is emptied" ": >X" -n 10000
change "an input that grows, at the end" "echo more >>X" -n 100 -s 'sendfile,read+write 4k'

# Bytes that are no more there are not counted, of a file with holes either: here the first round cuts it behind the
# row.
: >X && truncate -s 1000000 X
"$wb" -n2 -p0 --in-order --no-verify -z 300000 -s 'copy_file_range sparse' \
	--with='head -c $SIZE && truncate -s 1000 X' -f csv -o csv <X >Y 2>err
case $(column 1,4 csv | head -n 1) in
*,ok) is "an input that is cut behind a row" \
	"$(column row,outcome,detail csv | sed -n 's/^copy_file_range sparse,//p' | cut -d: -f1 | tr '\n' ' ')" \
	"ok, failed,the input changed meanwhile " ;;
*,n/a*) skip "an input that is cut behind a row" "no copy_file_range here" ;;
*) fail "an input that is cut behind a row" csv ;;
esac

if can_trace; then # while the last bytes are compared: three reads by the row, three by the copy that stays
	comparing() { # is it in the call that is to last?
		[ "$(grep -c '^pread64(' trace)" = 6 ]
	}
	for command in "truncate -s 100000 X" "echo more >>X"; do
		for delay in 300000 1000000 4000000 16000000; do
			bytes 300000 >X
			rm -f trace
			strace -qq -o trace -P "$PWD/Y" -e inject=pread64:delay_enter=$delay:when=6 \
				"$wb" -p0 -n1 -s sendfile -o report <X >Y 2>err &
			pid=$!
			until_there comparing
			eval "$command"
			wait $pid
			status=$?
			[ $status = 0 ] || break # else it came too late
		done
		is "$command, during the last compare: exit status" "$status" 1
		holds "... which is said" err '^write-bench: standard (in|out)put: .*changed meanwhile'
	done
else
	skip "an input that changes during the last compare" "no strace"
fi

# Signals in a copy.
signalled() { # SIGNAL STATUS WHEN: the process $pid
	kill "-$1" $pid
	within 100 $pid
	wait $pid
	is "SIG$1 $3: exit status" $? "$2"
}
bytes 3000000 >X
(trap '' HUP; exec "$wb" -p 0.01 -n 30 -s sendfile -o report <X >Y 2>err) &
pid=$!
until_catching $pid TERM
signalled HUP 0 "under nohup, which does not end it"
rm -f report
timeout 300 "$wb" -p0 -n1 -z 2000t -s 'read+write 1k' -o report </dev/zero >/dev/null 2>err &
pid=$!
copying() { # is it there, and has it begun?
	child=$(children $pid | tr -d ' ') && [ "$child" ] && sends "$child" 1000000
}
until_there copying
signalled TERM 143 "in a copy of 2 PiB" # timeout passes it on
rm -f report
"$wb" -p 0.01 -n 10000 -f json -o report <X >Y 2>err &
pid=$!
until_there sends $pid 10000000
signalled INT 130 "in the first round, as JSON"
if have perl && perl -MJSON::PP -e1 2>/dev/null; then
	perl -MJSON::PP -e 'local $/; decode_json(<STDIN>)' <report
	is "... it is still JSON" $? 0
fi

# Nowhere to read the output back.
if [ "$(id -u)" = 0 ] && have setpriv || or_skip "an output that can't be read back" "not root, or no setpriv"; then
	chmod 777 .
	bytes 1000 >X
	chmod 644 X
	: >Y
	chmod 222 Y
	cp "$wb" wb && chmod 755 wb
	nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups ./wb -n1 -p0 -s sendfile "$@"; }
	run 2 "an output that can't be read back is refused" nobody <X >Y
	holds "... with a remedy" err 'standard output: can.t be read back .*--no-verify'
	run 0 "... but copied with --no-verify" nobody --no-verify <X >Y
	same "... whole" X Y
	run 0 "... or if it is open for both" nobody <X 1<>Y
fi

# Between two runs, where no call of the row would be ended: rings and threads wait for nothing that
# never comes, and no command is started any more. They are in a pause that does not end.
bytes 3000000 >X
in_pause() { # WHAT OPTION...: SIGINT there
	pause=$1
	shift
	"$wb" -o report -p1000 "$@" <X >Y 2>err &
	pid=$!
	until_catching $pid HUP
	until_there pausing $pid
	signalled INT 130 "in the pause before $pause"
}
for row in "io_uring read+write 8x128k" "ring read+write 256k"; do
	rm -f report
	in_pause "$row" -n3 -s "$row"
	holds "... nothing was measured" report '^Interrupted by signal 2 .*after 0 of '
done
echo old >old && cp old report
in_pause "a first run, with an older report" -q -o new -n3 -s sendfile
same "... which stays, since there was no run" report old
holds "... a new one says that" new '^Interrupted by signal 2 .*after 0 of '
holds "... so does -q" err '^Interrupted by signal 2 .*after 0 of '
in_pause "a command" -n1 -s '$ *' --with='touch started; cat'
run 0 "... which is not started any more" [ ! -e started ]

# Threads that block in a call are interrupted, too: the kernel's log is a device that makes wait.
# From its end on: what comes before may be written over meanwhile, and then a read fails.
if [ "$(id -u)" = 0 ] && have perl && perl -e 'sysseek STDIN, 0, 2 or die' 2>err </dev/kmsg ||
	or_skip "SIGTERM while a thread waits for input" "not root, no perl, or no /dev/kmsg to wait at"; then
	threads() { # that sleep, all
		[ "$(cat "/proc/$pid/task/"*/stat | grep -c ') S')" -ge 2 ] && ! cat "/proc/$pid/task/"*/stat |
			grep -q ') [^S]'
	}
	for row in "threads read+write 256k" "ring read+write 256k"; do
		perl -e 'sysseek STDIN, 0, 2; exec @ARGV' "$wb" -o report -p0 -n1 -z 64m -s "$row" </dev/kmsg >Y 2>err &
		pid=$!
		until_there threads
		signalled TERM 143 "while a thread of $row waits for input"
	done
fi

# No workers for io_uring.
if [ "$(id -u)" = 0 ] && have setpriv && have prlimit && chmod 755 . && cp "$wb" ./write-bench && chmod 666 X Y ||
	or_skip "io_uring without workers" "not root, or no setpriv and prlimit"; then
	alone=$((200000 + $$ % 100000)) # a user with no other processes, nor memory
	timeout 300 prlimit --nproc=1 setpriv --reuid="$alone" --regid="$alone" --clear-groups \
		./write-bench -p0 -f csv -n2 -s 'io_uring*' <X 2>report >Y
	is "no process for a worker: rows fail, or need none" \
		"$? $(column 4 report | grep -vc '^ok$\|^failed ECANCELED$\|^n/a E')" \
		"$(column 4 report | grep -q '^failed' && echo 1 || echo 0) 0"
fi
