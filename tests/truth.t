#!/bin/sh
# Reports that are true: sharing, why a row could not be measured or was not, and exit statuses. A question that gets no
# answer is not taken for an answer.
# Tried: it fails where no extents are sharing; what a signal ends counts as compared; a child's end is that of the
# Tried: row before; nothing measured is a success; a program is looked for when its turn comes; a new reason for n/a is
# Tried: lost where a report is read; a row named like a key is one; \033[J is written.
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"
. "$top/tests/reports.sh"
undo=unplace

bytes 300000 >X
export wb

# A kernel that answers otherwise: truth.c.
preloaded=
kernel() { # VARIABLE=VALUE...: for the sessions that follow
	under="env LD_PRELOAD=./truth.so $*"
}
if have "${CC:-cc}" && ${CC:-cc} -shared -fPIC -o truth.so "$top/tests/truth.c" -ldl 2>preload.err; then
	kernel TRUTH_TYPE=0x65735546 # FUSE
	# shellcheck disable=SC2086
	$under "$wb" -n1 -p0 -s sendfile -f csv -o csv <X >Y 2>err
	! grep -q '^# warning_cached_input: ' csv || preloaded=1
	under=
fi

places 400 16 >places

# No extents, and blocks of all sizes.
if [ "$preloaded" ] ||
	or_skip "answers that are none, or out of bounds" "no compiler, or nothing can be preloaded here"; then
	kernel TRUTH_EXTENTS=none
	becomes "0 ok" "no extents" -n2 -s 'read+write 64k,sendfile,mmap+mmap + trunc' --with='dd bs=64k' <X >Y
	for block in 1 134217728; do
		kernel "TRUTH_BLOCK=$block"
		becomes "0 ok" "blocks of $block bytes" -s 'read+write bs,read+write 256bs' <X >Y
		same "... leaves a copy" X Y
	done
	under=
fi

if can_trace ||
	or_skip "a signal amid the compare, pipes that can't be had" "no strace, or it may not trace here"; then
	# A signal while the output is compared for the last time.
	strace -qq -o trace -P "$work/Y" -e trace=pread64 "$wb" -p0 -n1 -s sendfile <X >Y 2>err
	under="strace -qq -o trace -P Y -e inject=pread64:signal=TERM:when=$(grep -c '^pread64(' trace)"
	becomes "143 ok" "SIGTERM in the last compare: not a success" -s sendfile <X >Y
	holds "... the report says so" csv '^# interrupted: by signal 15 .*after 1 of 1 runs'
	under=

	# Pipes can't be had for the second row: what the first row's command left is no reason.
	for when in $(seq 20); do
		rm -f csv
		strace -qq -o trace -e inject=pipe2:error=EMFILE:when="$when" "$wb" -p0 -n1 --in-order \
			-s 'read+write 64k,read+write 128k' --from='cat X' --into='exit 3' -f csv -o csv \
			2>err </dev/null 3>&-
		# else refused, or another row's
		[ ! -e csv ] || [ "$(column 4 csv | tail -n 1)" != "failed EMFILE" ] || break
	done
	is "a row that gets no pipe fails by that, where a command has failed in the row before" \
		"$(column 4 csv | tr '\n' ' ')" "failed failed EMFILE "
fi

# Without a loopback.
if { [ "$(id -u)" = 0 ] && unshare -n true 2>/dev/null; } ||
	or_skip "--send where loopback is down" "not root, or no network namespaces"; then
	tells 1 "--send where loopback is down: a failure of the row, by its call" \
		'^Failed: sendfile: connect .*Network is unreachable' \
		timeout -k 1 60 unshare -n "$wb" -p0 -n1 --send -s sendfile <X
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
if python_has fcntl,select,subprocess ||
	or_skip "a pipe that stops to block" "no python3 with its standard library"; then
	for row in 'read+write 1m' splice 'ring read+write 256k'; do
		rm -f got
		timeout -k 1 60 python3 nonblock.py got "$wb" -p0 -n1 -s "$row" <X 2>err
		status=$?
		one_line err
		case $status in
		0) same "$row, into a pipe that does not block any more: a copy" X got ;;
		*) holds "$row, into a pipe that does not block any more: a failure with a remedy" line \
			"Failed: .*: EAGAIN \\(.*\\): [a-z].*O_NONBLOCK" ;;
		esac
	done
fi

# Nothing measured; programs that are not there.
becomes "1 n/a EINVAL" "a row that is not applicable, and no other" -s splice <X >Y
same "... there is a copy all the same" X Y
becomes "0 n/a EINVAL ok" "... beside one that was measured" -s splice,sendfile <X >Y
echo precious >precious
for command in ./nosuchprogram 'nosuchprogram -a b'; do
	cp precious Y
	tells 2 "--with='$command', and others: refused by its name" "^write-bench: --with=.*: ${command%% *}: " \
		"$wb" -p0 -n1 -s sendfile --with='dd bs=64k' --with="$command" <X 1<>Y
	same "... nothing is run" precious Y
done
printf 'exec dd bs=64k\n' >program && chmod +x program
for command in 'if true; then dd; fi' 'A=1 dd' '{ dd; }' '$(echo dd)' "'./program'"; do
	becomes "0 ok" "--with='$command' is taken" -s '$ *' --with="$command" <X >Y
done

# A change between the runs is no failure: the copy that stays is of the input as it is.
cp X touched
run 0 "an input whose first byte changes between the runs" "$wb" -p0 -n3 -s 'sendfile,read+write 64k' \
	--with='printf b | dd of=touched conv=notrunc; dd bs=64k; touch Y' <touched >Y
same "... the copy that stays is one of it as it is" touched Y

# A reason without an errno comes back in each format: O_DIRECT that is taken, and ignored.
place=$(sed -n 's/^tmpfs //p' places)
if { [ "$place" ] && truncate -s 4m "$place/X"; } || or_skip "tmpfs: direct I/O" "no tmpfs"; then
	"$wb" -p0 -n2 -s 'direct 1m,sendfile' -o live.csv -o live.txt -o live.json <"$place/X" >"$place/Y" 2>err
	status=$?
	if ! grep -q 'direct 1m,1,,n/a EINVAL' live.csv ||
		or_skip "tmpfs: direct I/O" "it refuses that: Linux before 6.6"; then
		is "tmpfs: direct I/O is not applicable" "$status $(column 1,4 live.csv | sort -u | paste -sd' ')" \
			"0 direct 1m,n/a sendfile,ok"
		read_back "... with its reason" csv text json
		for report in live.txt live.json; do
			one_line $report
			holds "... which is in $report" line 'the file system ignored O_DIRECT'
		done
	fi
fi
place=$(sed -n 's/^ext4 //p' places)
if [ "$place" ] || or_skip "ext4: direct I/O" "$(grep ^ext4: missing)"; then
	bytes 1050001 >"$place/X" # not whole blocks: the rest goes through the page cache
	becomes "0 ok" "ext4: direct I/O, except what is no block" -n2 -s 'direct 1m,threads direct 1m' \
		<"$place/X" >"$place/Y"
fi

# The progress line is taken away alone: what a terminal shows below it may be another's.
esc=$(printf '\033')
if have script && script -qec true /dev/null >/dev/null 2>&1 </dev/null ||
	or_skip "the progress line" "no script(1), or it finds no terminal"; then
	TERM=xterm script -qec "stty cols 20; \"\$wb\" -p0.01 -n2 -s 'sendfile*' <X >Y" /dev/null >screen 2>&1 \
		</dev/null
	holds "the progress line is erased to its end" screen "$esc\[K"
	lacks "... and nothing below it" screen "$esc\[[0-9]*J"
fi

# Rows that are named like keys, and what a session writes of the kind.
at_once csv -n1 -s '$ *' --with='dd bs=64k; : # c' --with='dd bs=64k; : "a" , b'
is "fields with #, comma and quote have quotes" \
	"$(sed '1,/^row,/d; s/,1,[0-9]*,ok,.*//' live.csv | sort | paste -sd' ')" \
	'"$ dd bs=64k; : ""a"" , b" "$ dd bs=64k; : # c"'
cat >read.csv <<'END_OF_CSV'
# size: 1000000
row,round,ns,outcome
"# pause_s: 5",1,1000,ok
"a, b # pause_s: 9223372036854775807",1,1000,ok
"x\x0a# pause_s: 5",1,1000,ok
"""# pause_s: 5""",1,1000,ok
END_OF_CSV
run 0 "rows that are named like keys" "$wb" --compare read.csv -o again.csv >out
is "... are rows" "$(sed '1,/^row,/d' again.csv | grep -c ',ok,')" 4
lacks "... not keys" again.csv '^# pause_s:'

# Reports with numbers as large as can be: read without an overflow.
if ! full "numbers of reports, under sanitizers" || ! sanitized_program; then
	[ -z "${FULL-}" ] || skip "numbers of reports, under sanitizers" "no compiler that has them"
	exit 0
fi
export ASAN_OPTIONS="${ASAN_OPTIONS-}${ASAN_OPTIONS:+:}detect_leaks=0"
keys='size size_asked cpus cpu_quota memory_bytes runs limit_percent pause_s seed memcpy_ns input_ns run_lines'
tried=0
for number in 9223372036854775807 4611686018427387904 2147483648 0; do
	for key in $keys "$keys"; do
		{
			for name in $key; do echo "# $name: $number"; done
			printf '%s\n' row,round,ns,outcome,resident \
				"a,1,1000,ok,$number" a,2,1100,ok,5 b,1,1050,ok,5 b,2,1150,ok,5
		} >read.csv
		tried=$((tried + 1))
		"$compiled" --compare read.csv -v -o r.txt -o r.md -o r.csv -o r.json -o r.svg >out 2>read.err 3>&-
		case $? in 0 | 2) ;; *) echo "$key: $number: $(grep -a 'runtime error' read.err)" ;; esac
	done
done >wrong
is "no number of $tried reports that are read overflows" "$(head -n 5 wrong)" ""
