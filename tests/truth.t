#!/bin/sh
# What is said is so: the state of an output that is overwritten, sharing, CPU time, what changed and what did not, why
# a row could not be measured, and exit statuses. A question that gets no answer, or another one the second time, is not
# taken for an answer.
# Tried: it fails where what can't be asked counts as in the page cache; threads are counted twice; what a signal ends
# Tried: counts as compared; a run is looked up that is gone; no extents
# Tried: are sharing; a child's end is that of the run before; numbers of a file have no
# Tried: bound; what needs /proc has failed; lseek may end the session; nothing measured is a success; a program is
# Tried: looked for when its turn comes; a time that changed is a change; memory is blamed where it has no limit;
# Tried: O_DIRECT is believed; options may be short; \033[J is written.
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"
undo=unplace

traced=
! can_trace || traced=1
sanitized=
! grep -q __asan_init "$wb" || sanitized=1
{ printf a && bytes 299999; } >X # the first byte is known
head -c 65536 X >small
rounds() { # OPTION...: of the program, with its report in the file csv
	rm -f csv
	timeout -k 1 300 "$wb" -p0 -f csv -o csv "$@" 2>err 3>&-
}

# A kernel that answers otherwise: truth.c.
preloaded=
if have "${CC:-cc}" && ${CC:-cc} -shared -fPIC -o truth.so "$top/tests/truth.c" -ldl 2>preload.err; then
	TRUTH_LOADED=$work/loaded LD_PRELOAD=./truth.so "$wb" --version >out 2>&1
	[ ! -e loaded ] || preloaded=1
fi
otherwise() { # NAME=VALUE OPTION...
	rm -f csv
	assignment=$1
	shift
	timeout -k 1 300 env "$assignment" LD_PRELOAD=./truth.so "$wb" -p0 -f csv -o csv "$@" 2>err 3>&-
}
export wb

# --overwrite: the state that is reported is what fincore(1) sees before each run: by a command that looks first.
places 400 16 >places
while read -r place dir <&4; do
	case $place in here | tmpfs | ext4 | xfs) ;; *) continue ;; esac
	dd if=X of="$dir/X" bs=64k 2>dd.err # cp(1) might share blocks, whose pages are the other file's
	if ! have fincore || [ "$(fincore -b -n -r -o RES "$dir/X" 2>&1 | tr -d ' ')" = 0 ]; then
		skip "$place: --overwrite" "no fincore, or it sees nothing here"
		continue
	fi
	export Y="$dir/Y" PAGES="$work/pages"
	# shellcheck disable=SC2016
	look='fincore -b -n -r -o RES "$Y" >>"$PAGES"; dd bs=64k'
	for option in --overwrite --overwrite=cached; do
		for redirection in '>' '1<>' ${preloaded:+"1<>, without cachestat(2)"}; do
			rm -f pages
			case $redirection in
			*cachestat*) otherwise TRUTH_CACHESTAT=no -n2 $option -s '$ *' --with="$look" <"$dir/X" 1<>"$Y" ;;
			'>') rounds -n2 $option -s '$ *' --with="$look" <"$dir/X" >"$Y" ;;
			*) rounds -n2 $option -s '$ *' --with="$look" <"$dir/X" 1<>"$Y" ;;
			esac
			is "$place: $option $redirection" "$? $(column 4 csv | sort -u)" "0 ok"
			same "... leaves a copy" X "$Y"
			is "... was overwritten in the state that is reported" \
				"$(sed -n 's/^# output_state: .* clean and \(.*\) the page cache.*/\1/p' csv)" \
				"$(awk '$1 > most { most = $1 }
					END { print (2 * most > 300000 ? "in" : "evicted from") }' pages)"
		done
	done
done 4<places
while read -r missing <&4; do
	case $missing in tmpfs* | ext4* | xfs*) skip "--overwrite there" "$missing" ;; esac
done 4<missing
# Where nothing answers: an output that may not be read, and no cachestat(2).
user() {
	if [ "$(id -u)" = 0 ]; then setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; else "$@"; fi
}
unreadable() { # OPTION...
	rm -f csv Y
	: >Y && chmod 222 Y
	user env TRUTH_CACHESTAT=no LD_PRELOAD=./truth.so \
		./write-bench -p0 -n1 --overwrite --no-verify -s sendfile "$@" <X >Y 2>err
}
if [ "$preloaded" ] && { [ "$(id -u)" != 0 ] || have setpriv; } && chmod 777 . && chmod 644 X &&
	cp "$wb" ./write-bench && chmod 755 write-bench truth.so && user ./write-bench --version >out 2>&1; then
	unreadable -f csv -o csv
	is "--overwrite of what can't be asked" "$? $(column 4 csv)" "0 ok"
	holds "... its state is not known" csv '^# output_state: .*not known'
	unreadable -v
	one_line err
	holds "... in the text" line 'Output overwritten: .*not known'
	rm -f Y write-bench
else
	skip "--overwrite of what can't be asked" "nothing can be preloaded, or no setpriv"
fi

# Answers that change, or that there are none of.
if [ "$preloaded" ]; then
	cat X X X X X X X X X X X X X X X X >large
	for cpus in "1 16" "16 1"; do
		for rows in 'threads read+write 256k' 'threads direct 1m,sendfile'; do
			otherwise TRUTH_CPUS="$cpus" -n3 -s "$rows" <large >Y
			is "$rows, where there are $cpus CPUs by turns" \
				"$? $(column 4 csv | grep -v '^n/a' | sort -u)" "0 ok"
			same "... leaves a copy" large Y
		done
	done
	otherwise TRUTH_EXTENTS=none -n2 -s 'read+write 64k,sendfile,mmap+mmap + trunc' --with='dd bs=64k' <X >Y
	is "no extents: not shared" "$? $(column 4 csv | sort -u)" "0 ok"
	otherwise TRUTH_EXTENTS=9 -n3 --in-order -s 'read+write 64k,read+write 128k' <X >Y
	[ $? -lt 2 ]
	is "the control, found to share extents, is dropped, and the output was changed meanwhile" $? 0
	same "... is made a copy again" X Y
	for block in 1:512 134217728:1048576; do
		otherwise TRUTH_BLOCK=${block%:*} -n1 -s 'read+write bs,read+write 256bs' <large >Y
		is "blocks of ${block%:*} bytes are taken to be of ${block#*:}" \
			"$? $(column 4 csv | sort -u) $(sed -n 's/^# block_size: //p' csv)" "0 ok ${block#*:}"
		same "... leaves a copy" large Y
	done
	rm large
else
	skip "answers that change, or that there are none of" "no compiler, or nothing can be preloaded here"
fi

# A signal while the output is compared for the last time.
if [ "$traced" ]; then
	strace -qq -o trace -P "$work/Y" -e trace=pread64 "$wb" -p0 -n1 -s sendfile <X >Y 2>err
	rm -f csv
	strace -qq -o trace -P "$work/Y" -e inject=pread64:signal=TERM:when="$(grep -c '^pread64(' trace)" \
		"$wb" -p0 -n1 -s sendfile -f csv -o csv <X >Y 2>err 3>&-
	is "SIGTERM in the last compare: not a success" $? 143
	holds "... the report says so" csv '^# interrupted: by SIGTERM after 1 of 1 runs'

	# Pipes can't be had for the one row as for the other: what the first row's command left is no reason.
	first=0 second=0
	for when in $(seq 40); do
		rm -f csv
		strace -qq -o trace -e inject=pipe2:error=EMFILE:when="$when" "$wb" -p0 -n1 --in-order \
			-s 'read+write 64k,read+write 128k' --from='cat X' --into='exit 3' -f csv -o csv \
			2>err </dev/null 3>&-
		[ -e csv ] || continue # refused
		case $(column 1,4 csv | tr '\n' ' ') in
		"read+write 64k,failed EMFILE read+write 128k,failed exit 3 ") first=$((first + 1)) ;;
		"read+write 64k,failed exit 3 read+write 128k,failed EMFILE ") second=$((second + 1)) ;;
		*) [ $second = 0 ] || break ;; # pipes that come after these rows
		esac
	done
	[ $first -gt 0 ]
	is "a row that gets no pipe fails by that" $? 0
	is "... as often where a command has failed in the row before" $second $first

	# lseek(2) that is forbidden.
	rm -f csv
	strace -qq -o trace -e inject=lseek:error=EPERM "$wb" -p0 -n1 -s 'read+write 64k,sendfile' -f csv -o csv \
		<X >Y 2>err
	is "lseek that is denied: rows fail, the session goes on" "$? $(column 1,4 csv | sort | tr '\n' ' ')" \
		"1 read+write 64k,failed EPERM sendfile,failed EPERM "
	holds "... to a message and a report" err \
		'standard output: is not a copy of the input: lseek: EPERM' '^Failed: .*lseek: EPERM'
else
	skip "signals while the output is compared, pipes that are not to be had, lseek" \
		"no strace, or it may not trace here"
fi

# Without /proc, and without a loopback.
if [ "$sanitized" ]; then
	skip "without /proc" "sanitizers read their options there"
elif [ "${PLACES-}" ]; then
	without_proc() {
		# shellcheck disable=SC2016
		unshare -m sh -c 'while umount -l /proc 2>/dev/null; do :; done; exec "$wb" -p0 -n1 "$@"' sh "$@" 2>err 3>&-
	}
	rm -f csv
	without_proc -v -f csv -o csv -o text.txt -o json.json --with='dd bs=64k' <X 1<>Y
	is "without /proc: no row fails" "$? $(column 4 csv | grep -vE '^(ok|shared|n/a|n/a E[A-Z]+)$')" "0 "
	same "... there is a copy" X Y
	is "... rows that open it anew, and no others, are not applicable, with the reason" \
		"$(column 1,4 csv | sed -n 's/,n\/a$//p' | sed 's/ + .*//' | sort -u)" \
		"$(column 1 csv | sed 's/ + .*//' | sort -u |
			grep -E '^(threads |io_uring )?direct |^(threads )?(mmap|read)\+mmap')"
	is "... in CSV" "$(sed -n 's/^[^,]*,1,,n\/a,.*,//p' csv | sort -u)" "needs /proc"
	one_line text.txt
	holds "... in the text" line 'n/a: [^:]*: needs /proc[;.]'
	holds "... in JSON" json.json '"needs /proc"'
	"$wb" --compare csv -o again.csv >out
	same "... and when it is read again" csv again.csv
else
	skip "without /proc" "not root, or no mount namespaces"
fi
if [ "$(id -u)" = 0 ] && unshare -n true 2>/dev/null; then
	timeout -k 1 60 unshare -n "$wb" -p0 -n1 --send -s sendfile <X 2>err
	is "--send where loopback is down" $? 1
	holds "... with a remedy" err '^Failed: sendfile: connect on loopback: ENETUNREACH'
else
	skip "--send where loopback is down" "not root, or no network namespaces"
fi

# A pipe that does not block any more, since another process that has it wants that: all, or a failure with a remedy.
cat >nonblock.py <<'END_OF_PYTHON'
import fcntl, os, select, subprocess, sys, time
def full(): return not select.select([], [w], [], 0)[1]
def until_full():
	while program.poll() is None and not full(): time.sleep(0.01)
r, w = os.pipe()
program = subprocess.Popen(sys.argv[2:], stdout=w)
until_full()
fcntl.fcntl(w, fcntl.F_SETFL, fcntl.fcntl(w, fcntl.F_GETFL) | os.O_NONBLOCK)
with open(sys.argv[1], 'wb') as got:
	for step in range(8):
		if select.select([r], [], [], 0)[0]: got.write(os.read(r, 4096))
		until_full()
	os.close(w)
	while True:
		part = os.read(r, 65536)
		if not part: break
		got.write(part)
sys.exit(program.wait())
END_OF_PYTHON
if have python3; then
	for row in 'read+write 1m' sendfile splice vmsplice 'stdio 4k' 'ring read+write 256k'; do
		rm -f got
		timeout -k 1 60 python3 nonblock.py got "$wb" -p0 -n1 -s "$row" <X 2>err
		status=$?
		one_line err
		case $status in
		0) same "$row, into a pipe that does not block any more: a copy" X got ;;
		*) holds "$row, into a pipe that does not block any more: a failure with a remedy" line \
			"Failed: .*: EAGAIN \\(.*\\): give it a descriptor without O_NONBLOCK" ;;
		esac
	done
else
	skip "a pipe that stops to block" "no python3"
fi

# Nothing measured; programs that are not there.
rounds -n1 -s splice <X >Y
is "a row that is not applicable, and no other: exit status" "$? $(column 4 csv)" "1 n/a EINVAL"
holds "... which is said" err '^write-bench: none of the rows named could be measured'
same "... there is a copy all the same" X Y
rounds -n1 -s splice,sendfile <X >Y
is "... beside one that was measured" $? 0
kept() { # in Y: what was in it
	[ "$(wc -c <Y)" != 8 ] || cat Y
}
printf 'exec dd bs=64k\n' >program && chmod +x program
for command in nosuchprogram 'nosuchprogram | cat' ./nosuchprogram 'nosuchprogram -a "b c"'; do
	printf precious >Y
	rounds -n1 -s '$ *' --with="$command" <X 1<>Y
	is "--with='$command'" "$? $(kept)" "2 precious"
	holds "... is refused by its name" err "^write-bench: --with=.*: ${command%% *}: "
done
rounds -n1 -s sendfile --with='dd bs=64k' --with=nosuchprogram <X 1<>Y
is "... beside others: nothing is run" "$? $(kept)" "2 precious"
# shellcheck disable=SC2016
for command in 'if true; then dd; fi' 'A=1 dd' '(dd)' '{ dd; }' 'exec dd' '"dd" bs=64k' '$(echo dd)' ./program \
	"'./program'" 'while dd; do break; done'; do
	rounds -n1 -s '$ *' --with="$command" <X >Y
	is "--with='$command' is taken" "$? $(column outcome csv | sed 's/.*ok.*/ok/')" "0 ok"
	same "... and copies" X Y
done

# A time that changed is no change.
cp X touched
rounds -n3 -s 'sendfile,read+write 64k' --with='touch touched; dd bs=64k' <touched >Y
is "an input whose time changes" "$? $(outcomes)" "0 $(column 4 csv | wc -l | tr -d ' ') ok "
lacks "... is not said to have changed" err changed
same "... the copy is one" X Y
rounds -n3 -s 'sendfile,read+write 64k' --with='dd bs=64k; touch touched Y' <touched >Y
is "... as does the output's" "$? $(column 4 csv | sort -u)" "0 ok"
rounds -n3 -s 'sendfile,read+write 64k' --with='printf b | dd of=touched conv=notrunc; dd bs=64k' <touched >Y
is "an input whose first byte changes between the runs" $? 0
same "... the copy that stays is one of it as it is" touched Y

# An input that is evicted: more memory is no remedy where there is no limit.
limited() { # is there a limit for our memory cgroup, or one above it? cgroups(7), v1 and v2
	while IFS=: read -r _ controllers group; do
		case $controllers in
		"") mounted=/sys/fs/cgroup limit=memory.max ;;
		*memory*) mounted=/sys/fs/cgroup/memory limit=memory.limit_in_bytes ;;
		*) continue ;;
		esac
		while :; do
			case $(cat "$mounted$group/$limit" 2>/dev/null) in
			"" | max | ???????????????????*) ;;
			*) return 0 ;;
			esac
			[ "$group" ] || break
			group=${group%/*}
		done
	done </proc/self/cgroup
	return 1
}
if limited; then
	skip "an input that is evicted" "memory is limited here"
elif disk=$(disk) && cd "$disk"; then
	cp "$work/X" X.disk
	evict='dd of=X.disk oflag=nocache conv=notrunc,fdatasync count=0 2>/dev/null'
	rounds -n3 --in-order -s sendfile <X.disk >Y.disk --with="dd bs=64k; sync X.disk; $evict; $evict"
	is "an input that is evicted by another program" $? 0
	holds "... a warning" csv '^# warning_evicted: the input did not stay in the page cache \(read again [1-9] time'
	lacks "... not about memory" csv '^# warning_evicted: .*memory limit'
	rm -f X.disk Y.disk csv
	cd "$work" || exit 1
else
	skip "an input that is evicted" "the current directory is on no disk, and no ext4 can be mounted"
fi

# O_DIRECT that is taken, and ignored.
cat X X X X X X X X X X X X X X | head -c 4194304 >large
direct='direct 1m,threads direct 1m,sendfile'
place=$(sed -n 's/^tmpfs //p' places)
if [ "$place" ] && cp large "$place/X"; then
	rounds -n2 -s "$direct" -o text.txt -o json.json <"$place/X" >"$place/Y"
	status=$?
	if grep -q 'direct 1m,1,,n/a EINVAL' csv; then
		skip "tmpfs: direct I/O" "it refuses that: Linux before 6.6"
	else
		is "tmpfs: direct I/O is not applicable" "$status $(column 1,4 csv | sort | tr '\n' ' ')" \
			"0 direct 1m,n/a sendfile,ok sendfile,ok threads direct 1m,n/a "
		same "... there is a copy" large "$place/Y"
		ignored="the file system ignored O_DIRECT"
		is "... with the reason: in CSV" "$(sed -n 's/^.*direct 1m,1,,n\/a,.*,//p' csv | uniq -c | tr -s ' ')" \
			" 2 $ignored"
		is "... in JSON" "$(grep -c "\"$ignored\"" json.json)" 2
		sed '1,/^row /d; /^$/,$d' text.txt >table
		is "... in the table" "$(grep -c 'direct 1m .* n/a' table)" 0
		one_line text.txt
		holds "... below it" line "n/a: (threads )?direct 1m, (threads )?direct 1m: $ignored\."
		run 0 "... all of which is read again" "$wb" --compare csv -o again.csv -o again.txt -o again.json
		same "... in CSV" csv again.csv
		one_line again.txt
		holds "... in the text" line "n/a: (threads )?direct 1m, (threads )?direct 1m: $ignored\."
		is "... in JSON" "$(grep -c "\"$ignored\"" again.json)" 2
	fi
else
	skip "tmpfs: direct I/O" "no tmpfs"
fi
place=$(sed -n 's/^ext4 //p' places)
if [ "$place" ] && cp large "$place/X"; then
	rounds -n2 -s "$direct" <"$place/X" >"$place/Y"
	is "ext4: direct I/O is that" "$? $(column 4 csv | sort -u)" "0 ok"
	head -c 4190001 large >"$place/X" # not whole blocks: the rest goes through the page cache
	rounds -n2 -s "$direct" <"$place/X" >"$place/Y"
	is "... but for what is no block" "$? $(column 4 csv | sort -u)" "0 ok"
else
	skip "ext4: direct I/O" "$(grep ^ext4: missing)"
fi
rm large

# Extensions, options, fields.
for name in r.xlsx r.cvs r.jpeg; do
	printf precious >Y
	rm -f r.*
	run 2 "-o $name is refused" "$wb" -n1 -p0 -s sendfile -o $name <X 1<>Y
	holds "... by its extension" err "^write-bench: .*$name: "
	is "... nothing is touched" "$(kept) $(echo r.*)" "precious r.*"
	run 0 "... but not with a format" "$wb" -n1 -p0 -s sendfile -f csv -o $name <X >Y
	holds "... which it is written in" $name '^row,round,ns,outcome'
done
for name in report dir.d/report .report; do
	mkdir -p dir.d
	run 0 "-o $name is text" "$wb" -n1 -p0 -s sendfile -o $name <X >Y
	holds "... as there is no extension" $name '^row  *best '
done
for option in --n=1 --verb --sel=sendfile --compl=bash --run=1 --gen=zero:1 --vers; do
	printf precious >Y
	run 2 "$option is refused" "$wb" -p0 -s sendfile $option <X 1<>Y
	holds "... as no option" err "^write-bench: unknown option ${option%%=*}\. See --help\.$"
	is "... nothing is touched" "$(kept)" precious
done
printf precious >Y
run 2 "--run 1 is refused" "$wb" -p0 -s sendfile --run 1 <X 1<>Y
holds "... as no option" err '^write-bench: unknown option --run\. See --help\.$'
run 0 "--runs=1 is taken" "$wb" -p0 --runs=1 -s sendfile <X >Y
run 0 "--runs 1, too" "$wb" -p0 --runs 1 -s sendfile <X >Y
run 0 "--no-verify, too" "$wb" -p0 -n1 --no-verify -s sendfile <X >Y
rounds -n1 -s '$ *' --with='dd bs=64k; : # c' --with='dd bs=64k; : "a" , b' --with='dd bs=64k; : a#b,c' <X >Y
is "fields with #, comma and quote have quotes" "$? $(sed '1,/^row,/d; s/,1,[0-9]*,ok,.*//' csv | sort | tr '\n' ' ')" \
	'0 "$ dd bs=64k; : ""a"" , b" "$ dd bs=64k; : # c" "$ dd bs=64k; : a#b,c" '
run 0 "... are read again" "$wb" --compare csv -o again.csv
same "... as they were" csv again.csv
rounds -n1 -s 'read+write 64k' --into='exit 3 # d, e' <X
is "... details, too" "$? $(sed -n 's/^read+write 64k,1,,failed exit 3,.*,\("[^"]*"\)$/\1/p' csv)" \
	'1 "--into=exit 3 # d, e"'

# The progress line is taken away alone: what a terminal shows below it may be another's.
esc=$(printf '\033')
if have script && script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
	for columns in 80 20; do
		# shellcheck disable=SC2016
		TERM=xterm script -qec "stty cols $columns; \"\$wb\" -p0.01 -n2 -s 'sendfile*' <X >Y" /dev/null \
			>screen 2>&1 </dev/null
		holds "$columns columns: the progress line is erased to its end" screen "$esc\[K"
		lacks "... and nothing below it" screen "$esc\[[0-9]*J"
	done
else
	skip "the progress line" "no script(1), or it finds no terminal"
fi
cat >shrink.py <<'END_OF_PYTHON'
import fcntl, os, pty, struct, sys, termios
def resize(columns): fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', 50, columns, 0, 0))
pid, fd = pty.fork()
if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
resize(80)
text = b''
while True:
	try: part = os.read(fd, 65536)
	except OSError: break
	if not part: break
	text += part
	if b'ETA' in text: resize(20)
os.waitpid(pid, 0)
sys.stdout.buffer.write(text)
END_OF_PYTHON
if have python3 && python3 -c 'import pty, fcntl, termios' 2>/dev/null; then
	# shellcheck disable=SC2016
	TERM=xterm python3 shrink.py sh -c 'exec "$wb" -p0.05 -n3 -s "sendfile*" <X >Y' >screen 2>&1
	holds "a terminal that shrinks: its lines are erased to their ends" screen "$esc\[K"
	lacks "... and nothing below them" screen "$esc\[[0-9]*J"
else
	skip "a terminal that shrinks" "no python3 with pty"
fi

# Reports that are read, also under sanitizers: each number that they have, as large as can be; names of all kinds.
run_a=a,1,1000,ok,0.001,5
report() { # LINE...: then four runs of two rows, in a race that is not decided
	printf '%s\n' "$@" row,round,ns,outcome,cpu_ms,dirty_bytes "$run_a" a,2,1100,ok,0.001,5 b,1,1050,ok,0.001,5 b,2,1150,ok,0.001,5 >read.csv
}
most=9223372036854775807
keys='size size_asked block_size cpus memory_bytes runs race warmup pause_s seed thrown_away source_ns
	source_1m_ns receiver_ns command_ns memcpy_bytes memcpy_ns control_round control_ns run_lines
	candidates level'
is "these are the keys that have numbers: more than 20" "$(($(echo "$keys" | wc -w) > 20))" 1
tried=0
read_by() { # PROGRAM WHAT: the report is read, or refused, in all formats; what is wrong with that is added to the file wrong
	tried=$((tried + 1))
	"$1" --compare read.csv -v -o r.$tried.txt -o r.md -o r.csv -o r.json -o r.svg >out 2>>read.err 3>&-
	status=$?
	case $status in 0 | 2) ;; *) echo "$2: exit status $status" >>wrong ;; esac
}
found_wrong() { # what is, of all that was read since the last time; no number has overflown
	[ ! -e wrong ] || cat wrong
	grep -a 'runtime error' read.err
	cat r.[0-9]*.txt | grep -E -e '--race=-|[ =(]-[0-9]{4,}'
	rm -f wrong read.err r.[0-9]*.txt
} 2>/dev/null
sane=
if sanitized_program; then
	sane=$compiled
else
	skip "reports that are read, under sanitizers" "no compiler that has them"
fi
export ASAN_OPTIONS="${ASAN_OPTIONS-}${ASAN_OPTIONS:+:}detect_leaks=0"
each="$most" at_once="4611686018427387904 2147483648 0"
if full "each number for each key"; then each="$most $at_once"; fi
for program in "$wb" ${sane:+"$sane"}; do
	for number in $each; do
		for key in $keys; do
			report '# size: 1000000' "# $key: $number"
			read_by "$program" "$key: $number"
		done
	done
	for number in $at_once; do
		report "$(for key in $keys; do echo "# $key: $number"; done)"
		read_by "$program" "all keys: $number"
	done
	report "$(for key in $keys; do printf '%s\n' "# $key: 5" "# $key: $most" "# race: 5"; done)"
	read_by "$program" "all keys twice"
	for number in $most 100000000000000000 0 -1; do
		for run_a in "a,$number,1000,ok,0.001,5" "a,1,$number,ok,0.001,5" "a,1,1000,$number,0.001,5" "a,1,1000,ok,$number,5" \
			"a,1,1000,ok,0.001,$number"; do
			report '# race: 4'
			read_by "$program" "$run_a"
		done
	done
	run_a=a,1,1000,ok,0.001,5
	is "${program##*/}: no number of a report that is read overflows ($tried reports)" "$(found_wrong | head -n 5)" ""
done
report '# size: 1000000'
cat >>read.csv <<'END_OF_CSV'
"# race: 5",1,1000,ok,0.001,5
"a, b # race: 9223372036854775807",1,1000,ok,0.001,5
"x\x0a# race: 5",1,1000,ok,0.001,5
"""# race: 5""",1,1000,ok,0.001,5
$ cat\x0a# race: 5,1,1000,ok,0.001,5
END_OF_CSV
for program in "$wb" ${sane:+"$sane"}; do
	read_by "$program" "rows"
	is "${program##*/}: rows that are named like keys" "$(found_wrong)" ""
	run 0 "... are read" "$program" --compare read.csv -o r.csv >out
	is "... as rows" "$(sed '1,/^row,/d' r.csv | grep -c ',ok,')" 9
	lacks "... not as keys" r.csv '^# race:'
done
for line in '"# race: 5"' '"a' '"a
# race: 5",1,1000,ok,0.001,5' '# race: 5
b,3,1000,ok,0.001,5'; do
	report '# size: 1000000'
	printf '%s\n' "$line" >>read.csv
	for program in "$wb" ${sane:+"$sane"}; do
		run 2 "${program##*/}: no line of a run: $(echo "$line" | head -n 1)" "$program" --compare read.csv
		holds "... with its number" err 'read\.csv: line [0-9]+: '
	done
done
