#!/bin/sh
# Commands, as rows (--with) and as ends (--from, --into): what they are given, what becomes of a session when they do
# this or that, whose fault it is, and that nothing of theirs stays. A line of a table is a session with one command:
# what comes of it, the command's end and options, what is said of it, the command. One judge looks at all that such a
# session leaves. Commands look themselves at what they were given, and exit with 9 where that is wrong.
# Tried: no unlink of a new name, or always; limits of files of another size; flags, SIZE, TEE, SIGPIPE left;
# Tried: a command that is given $SIZE by a part of a word; starts that take no account of names, status, or rounds.
# shellcheck disable=SC2086 # ends, and words before the program, are several words
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"

bytes 300000 >X # more than pipes hold
cp X original
echo keep >kept
echo 'exec cat X' >give
echo 'cat X X X; exit 23' >give_more
echo 'exec cat >/dev/null' >take
echo 'exit 5' >refuse
echo 'cp X Y' >own
echo 'ls /proc/self/fd >seen' >look
exec 4<&- 5<&- # what a caller may have left open
sh look 3>&- && mv seen fds
cat >by_name <<'END'
[ -p "$1" ] || [ -s "$1" ] || exit 0
echo "$@" >>named
cat "$1" >"$2"
[ -z "$3" ] || cat "$1" >"$3"
END
chmod +x give give_more take refuse by_name
export SIZE=inherited TEE=inherited IN=mine OUT=yours # a command has its own, or none; IN and OUT if it names them

# session "END OPTION...": one with $command there, and words before the program in $under. What comes of it is in
# $got: "STATUS OUTCOME...", of the row of --with or else of all rows; then names, or starts; then what is wrong. END:
# with, from, into; zero, the input is /dev/zero; null, so is the output. Standard output is Y, and old, too.
session() {
	ends=$1 input=X output=Y size=300000
	rm -rf Y Z T old csv later started named
	echo keep >Y
	ln Y old
	rows='read+write 64k'
	case $ends in *--tee=*) rows='read+write x2 64k' ;; esac
	case $ends in with*) rows="$rows,\$ *" ;; esac
	set -- $under "$wb" -n1 -p0 -q --in-order -s "$rows" -f csv -o csv
	for word in $ends; do
		case $word in
		with | from | into) set -- "$@" "--$word=$command" ;;
		zero) input=/dev/zero ;;
		null) output=/dev/null ;;
		*) set -- "$@" "$word" ;;
		esac
		[ "${word#--size=}" = "$word" ] || size=${word#--size=}
	done
	timeout -k 1 300 "$@" <$input 1<>$output 2>err 3>&- 4<&-
	got=$?
	[ ! -s csv ] || got="$got$(outcomes_of)"
	[ ! -s named ] || got="$got $(sed "s,$PWD/,,g; s,/proc/[0-9]*/fd/[0-9]*,FD,g; s,\.write-bench[0-9.]*,NEW,; s, $,," \
		named | sort -u)"
	case $command in *started*) got="$got $(cat started 2>err | grep -c .) $(column start_ns csv | grep -c .)" ;; esac
	got="$got$(faults)"
}
outcomes_of() { # blocks may be shared here; and what became of other rows, where that is not ok
	awk -v ends="$ends" '
		/^#/ || /^row,/ { next }
		{
			own = /^"?[$] / || ends !~ /^with/
			sub(/^("([^"]|"")*"|[^,]*),[0-9]*,[0-9]*,/, "")
			sub(/,.*/, "")
			sub(/^shared$/, "ok")
			if (!own && $0 != "ok") said = said " and " $0
			if (own && !seen[$0]++) said = said " " $0
		}
		END { print said }' csv
}
faults() { # what is wrong with what is left: a copy, or it is said that it is none, or what was there before; no file
	expected=original
	case $ends in *into* | *--send* | *null*) expected=kept ;; esac
	[ -s csv ] || expected=kept
	if [ $expected = original ] && [ $size != 300000 ]; then
		expected=first
		head -c $size $input >first
	fi
	cmp -s old $expected || grep -qsE "^(write-bench: standard output: is not a copy |Interrupted )" err ||
		echo ", no copy"
	for left in .write-bench.*; do
		[ -e "$left" ] || [ -L "$left" ] || continue
		find "$left" -prune -printf ", left %y"
		rm -rf "$left"
	done
	case $command in
	*cret*) ! grep secret err old ;;
	*'"$IN"'*) cmp -s X original || cp original X ;;
	esac
} 2>&1
# sessions: of lines "WANTED|END OPTION...|REGEX|COMMAND"; the expression matches a line of the report, or of messages
sessions() {
	while IFS='|' read -r wanted ends regex command <&4; do
		session "$ends"
		[ -z "$regex" ] || grep -Eqs -e "$regex" csv err || got="$got, not told"
		is "$under $ends: $command" "$got" "$wanted"
		[ "$got" = "$wanted" ] || sed 's/^/#   /; 5q' err >&3
	done 4<&0
}
under=

# ---- A row: whatever the command does, the other row is right, and standard output is a copy.
sessions <<'END'
0 ok|with|,ok,|dd; printf 'se%s' cret >&2
1 failed|with -n2|,failed,exit status 3: oops,|cat; echo oops >&2; exit 3
1 failed|with|,failed,"*exit status 127: .*not found|"/nonexistent/command"
1 failed|with|,failed,"*exit status 2: |if
1 failed|with -n2|,failed,killed by signal 9 |kill -9 $$
1 failed|with|,exit status 3: one .*two,|echo one >&2; yes | head -c 999999 >&2; echo two >&2; exit 3
1 failed|with|exit status 3: (1[0-9][0-9][.]*){49},|seq -s. 100 148 >&2; exit 3
0 ok|with|,ok,|dd; head -c 9999999 /dev/zero >&2
0 ok|with|sleep.*,1,[0-9]{9,},ok,|sleep 0.1; dd
1 mismatch|with -n2|,mismatch,300000,|cat; echo
1 mismatch|with|,mismatch,299000,|head -c 299000; head -c 1000 /dev/zero
1 ok mismatch|with -n2|,mismatch,299999,|if [ -e later ]; then head -c 299999; else : >later; dd; fi
1 mismatch|with|,mismatch,wrote nothing,|:
1 mismatch|with --new|,mismatch,wrote nothing,|true
1 mismatch|with --send|,mismatch,wrote nothing,|true
1 mismatch|with null|,mismatch,100,|head -c 100
1 mismatch|with --from=./give --into=./take||tr a b
2|with|^write-bench: --with=.*/nonexistent/command: |/nonexistent/command -a
0 ok|with||A=1 dd
END

# ---- What it is given: the ends from their beginning, the size, no other descriptor; flags of the ends are put back.
sessions <<'END'
0 ok|with||grep -c '^SigIgn:.*[02468ace]...$\|^SigBlk:.0*$' /proc/$$/status | grep -qx 2 || exit 9; dd
0 ok|with -n3||[ "$(cat /proc/$$/fdinfo/0 /proc/$$/fdinfo/1 | grep -c 'pos:.0$')" = 2 ] || exit 9; dd
0 ok|with||[ "$SIZE$TEE $(printenv I''N O''UT | paste -sd' ')" = '300000 mine yours' ] || exit 9; dd
0 ok|with --size=5000||[ "$SIZE" = 5000 ] || exit 9; head -c $SIZE
0 ok|from --size=5000||[ "$SIZE" = 5000 ] || exit 9; exec head -c $SIZE X
0 ok|from||[ "$SIZE$(wc -c)" = 0 ] || exit 9; exec cat X
0 ok|into --size=5000||[ "$SIZE" = 5000 ] && [ "$(wc -c)" = 5000 ]
0 ok|with --counters --until=close -spipe+splice* -sthreads?read+write?1m||sh look; cmp seen fds >&2 || exit 9; dd
0 ok|with -n2 -ssendfile||dd bs=1M oflag=append
0 ok|with -n2 -sread+write?1k --size=299008||dd bs=4k oflag=direct || exec cat
0 ok|with -n2 -sread+write?1k||dd bs=1M iflag=direct || exec cat
END

# ---- --size: a part of a larger file is all of the input for a command that does not ask for $SIZE by this name. An
# endless input has a limit of files: one byte more, or 1 MiB and one more.
sessions <<'END'
0 ok|with --size=4096||[ "$(stat -c %s -)" = 4096 ] || exit 9; dd # MY_SIZE
0 ok|with --size=4096||[ "$(stat -c %s -)" = 4096 ] || exit 9; SIZES=1 dd
0 ok|with --size=4096||[ "$(stat -c %s -)" = 300000 ] || exit 9; head -c ${SIZE}
0 ok|with --size=4096||[ "$(stat -c %s -)" = 300000 ] || exit 9; head -c "$(printenv SIZE)"
2|with zero --size=4096|--with=.*\$SIZE|dd # MY_SIZE
0 ok|with --size=4096 --from=./give||head -c $SIZE
2|with --size=4096 --from=./give|--with=.*\$SIZE|cat
1 failed|with zero --size=4096|exit status 8|: $SIZE; head -c 3000000; [ "$(wc -c <Y)" != 1048577 ] || exit 8
1 failed|with zero --size=2000000|exit status 8|: $SIZE; head -c 3000000; [ "$(wc -c <Y)" != 2000001 ] || exit 8
0 ok|with --size=4096||head -c 3000000 /dev/zero >T; [ "$(wc -c <T)" = 3000000 ] || exit 9; dd
1 mismatch|with --size=4096|,mismatch,4096,|cp X Y; true
END

# ---- Names: of a regular file its path, of all else one that nothing replaces (FD); with --new one that is not there
# yet. Of this a file is removed after the run; what may be an end, or is no file, is left, and named.
sessions <<'END'
0 ok X Y|with -n2||./by_name "$IN" "$OUT" "$TEE"
0 ok X NEW|with -n2 --new||./by_name "$IN" "$OUT" "$TEE"
0 ok FD Y|with --size=5000||./by_name "$IN" "$OUT" "$TEE"
0 ok FD NEW|with --size=5000 --new||./by_name "$IN" "$OUT" "$TEE"
0 ok FD Y|with --from=./give||./by_name "$IN" "$OUT" "$TEE"
0 ok X FD|with --into=./take||./by_name "$IN" "$OUT" "$TEE"
0 ok X FD|with null||./by_name "$IN" "$OUT" "$TEE"
0 ok X Y T|with --tee=T||./by_name "$IN" "$OUT" "$TEE"
0 ok FD NEW FD|with --tee=T --new --size=5000||./by_name "$IN" "$OUT" "$TEE"
0 ok|with --send||cat "$IN"
1 failed|with --send||cp "$IN" "$OUT"
0 ok|with --new -n2||[ ! -s "$IN" ] || [ ! -e "$OUT" ] || exit 9; cp "$IN" "$OUT"
1 failed|with --new|exit status 3|cp "$IN" "$OUT"; exit 3
1 failed, left f|with --new|is left|mv "$IN" "$OUT"; cp "$OUT" "$IN"
1 failed, left f|with --new|is left|ln -f Y "$OUT"; cat
1 failed, left f|with --new|is left|cp "$IN" "$OUT"; rm "$IN"
1 failed, left l|with --new|is left|ln -s "$IN" "$OUT"
1 failed, left d|with --new|is left|mkdir "$OUT"; cp "$IN" "$OUT/a"; cat
143|with --new||trap "" TERM; cp "$IN" "$OUT"; kill $PPID; sleep 99
END
# By names of its own: where these are not the run's ends it is wrong. Another file in an output's place is told of;
# rows go on into the one that was there.
sessions <<'END'
0 ok|with --into=./take||cat X
0 ok|with -n2||sh own
1 mismatch|with --new|wrote nothing|cp X Y
1 mismatch|with||tr a b <X >Y
1 mismatch|with|: standard output: .*/Y$|cp X Z; mv Z Y
1 ok|with -n2|: standard output: .*/Y$|dd; cp X Z; mv Z Y
1 ok|with|: standard output: .*/Y$|dd; rm -f Y
0 ok|with -n2||mv Y Z; dd; mv Z Y
1 ok|from|: standard output: .*/Y$|cat X; echo other >Z; mv Z Y
1 ok|from --tee=T|: --tee=T: .*/T$|cat X; echo other >Z; mv Z T
1 ok|into --tee=T|: --tee=T: .*/T$|cat >/dev/null; rm -f T
END

# ---- Its start is measured beside the first three runs, on empty files of its own; never where it writes by a name of
# its own: how many there were, as each adds a line to "started", and how many are known.
sessions <<'END'
0 ok 3 3|with -n5||[ -s /dev/stdin ] || echo "$SIZE" | grep -x 300000 >>started; dd
0 ok 2 2|with -n2||[ -s "$IN" ] || stat -Lc '%s %n' "$IN" | grep '^0 /proc/' >>started; cp "$IN" "$OUT"
0 ok 1 1|with||[ -s "$IN" ] || stat -Lc '%s %n' "$OUT" | grep '^0 /proc/' >>started; cp "$IN" "$OUT"
0 ok 1 1|with --tee=T||[ -s "$IN" ] || stat -Lc '%s %n' "$TEE" | grep '^0 /proc/' >>started; tee "$TEE"
0 ok 1 0|with||[ -s /dev/stdin ] || { echo as >>started; exit 3; }; dd
0 ok 1 0|with||[ -s "$IN" ] || { echo as >>started; echo >"$OUT"; } || exit; cat
0 ok 1 0|with||[ -s /dev/stdin ] || { trap 'echo as >>started' TERM; sleep 99 & wait; }; dd
0 ok 0 0|with -n2||[ -s /dev/stdin ] || echo as >>started; sh own
0 ok 0 0|with||[ -s /dev/stdin ] || echo as >>started; dd if=X of=Y bs=64k # OUT
1 failed 0 0|with||[ -s /dev/stdin ] || echo as >>started; exit 3
END

# ---- At the ends. Who stops reading is at fault, and says why by its status, not the producer who is cut off.
sessions <<'END'
2|from|--from.*: exit status 3: oops$|echo oops >&2; cat X; exit 3
2|from|--from.*: is empty|:
2|from|^write-bench: --from=.*/nonexistent/command|/nonexistent/command
2|into|^write-bench: --into=.*/nonexistent/command|/nonexistent/command
1 failed|from|,failed,--from: exit status 7: bad,300000|[ -e later ] || exec tee later <X; echo bad >&2; exit 7
1 failed|from|,failed,"too few bytes: |[ -e later ] && exec head -c 1000 X; : >later; cat X
1 mismatch|from|--no-verify|[ -e later ] && exec head -c 300000 /dev/zero; : >later; cat X
0 ok|from|^read.write 64k,1,[0-9]{9,},ok,|sleep 0.1; cat X
0 ok|into|^read.write 64k,1,[0-9]{9,},ok,|cmp - X; sleep 0.1
0 ok|into||cat; printf 'se%s' cret; printf 'se%s' cret >&2
0 ok|into -n2||head -c 2000000 /dev/zero >&2; cmp - X
1 failed|into -n2|,failed,--into: exit status 5: oops,300000|cat >/dev/null; echo oops >&2; exit 5
1 failed|into|,failed,--into: killed by signal 9 |cat >/dev/null; kill -9 $$
1 failed EPIPE|into|,failed EPIPE,|head -c 1000
0 ok|from -n2 --size=200000||cat X X X; exit 23
0 ok|from --size=200000||trap "" PIPE; cat X X X 2>/dev/null
2|from --size=200000|exit status 23|head -c 1000 X; exit 23
1 mismatch|with --from=./give_more --size=200000||head -c $((SIZE / 2))
1 and failed failed|with --into=./refuse|--into: exit status 5|cat
END

# ---- Below other programs: calls that fail are the cause; the clock waits for a command; SIGCHLD; PID namespaces.
while IFS='|' read -r under line <&5; do
	if $under true 2>/dev/null || or_skip "$under: $line" "this can't be run here"; then
		sessions <<-END_OF_LINE
			$line
		END_OF_LINE
	fi
done 5<<'END_OF_LINES'
strace -o T -P X -e inject=read:error=EIO:when=3|1 failed EIO|into --no-verify|EIO|[ $(wc -c) = 300000 ]
strace -o T -P Y -e inject=write:error=ENOSPC:when=2|1 failed ENOSPC|from --size=200000||cat X X X; exit 23
strace -o T -P Y -e inject=ftruncate:delay_enter=200000|0 ok|from|^read.write 64k,1,[0-9]{9},ok|sleep 0.1; cat X
strace -o T -e inject=memfd_create:error=EPERM|0 n/a EPERM|with|,n/a EPERM,memfd_create,|dd
strace -o T -e inject=unlinkat:error=EPERM|1 failed, left f|with --new|is left|cp "$IN" "$OUT"
strace -P. -e inject=openat,unlinkat:error=22:when=1+2|1 and failed EEXIST failed EEXIST, left f|with --new|is left|dd
env --ignore-signal=CHLD|1 failed|with|,failed,exit status 1,|false
strace -o T -P X -e inject=pread64:retval=1:when=2|2|with|input: has more bytes|dd
unshare -p -f|0 ok FD NEW|with --size=5000 --new||./by_name "$IN" "$OUT" "$TEE"
END_OF_LINES
under=
is "the input is as it was" "$(cmp X original)" ""

# ---- Processes that a command leaves running are ended before the next run. That none stays is looked at in the end.
sessions <<'END'
0 ok|with -n3||! kill -0 $(cat later) || exit 9; sleep 1000 & echo $! >later; dd
0 ok|with -n3||! kill -0 $(cat later) || exit 9; trap "" TERM HUP; sleep 1000 & echo $! >later; dd
0 ok|from -n2||! kill -0 $(cat later) || exit 9; sleep 1000 >/dev/null & echo $! >later; cat X
0 ok|into -n2||! kill -0 $(cat later) || exit 9; sleep 1000 & echo $! >later; cat
END

# ---- They have no terminal: one that wants it fails.
if script -qec true T >err 2>&1 </dev/null || or_skip "commands that want the terminal" "no script(1)"; then
	timeout -k 1 100 script -qec "'$wb' -n1 -p0 -s '$ *' --with='dd if=/dev/tty count=1' <X 1<>Y" T >err 2>&1 </dev/null
	is "a command that wants the terminal has failed by itself" $? 1
fi

# ---- A child that has become root can't be ended: it is named, and nothing is run beside it.
under="setpriv --reuid=65534 --regid=65534 --clear-groups"
rm -f later
echo './rooted 2>later & until [ -s later ]; do sleep 0.01; done; cat later >>roots' >leave
if [ "$(id -u)" = 0 ] && have "${CC:-cc}" && $under true 2>err && ${CC:-cc} -o rooted "$top/tests/child.c" 2>err &&
	cp "$wb" write-bench && chmod 4755 rooted && chmod 755 write-bench leave &&
	chmod 777 . && chmod 1777 "$TMPDIR"; then
	(marked z $under ./rooted 2>later) &
	until_there eval "test -s later || ended $!"
	cat later >roots && chmod 666 roots
fi
if [ -s later ] || or_skip "a child that has become root" "not root, no setpriv, no compiler, or no setuid here"; then
	real=$wb wb=./write-bench
	sessions <<-'END'
		143|with|process group .* can't be ended|. ./leave; kill $PPID; wait
		1|with -n2|process group .* can't be ended|[ ! -s later ] || exit 9; . ./leave; dd
		1|into|process group .* can't be ended|exec ./rooted 2>later <&-
	END
	wb=$real
	# shellcheck disable=SC2046 # several ids
	kill -KILL $(cat roots later)
fi
