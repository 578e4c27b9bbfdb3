#!/bin/sh
# Commands as ends: --from and --into. What they are given, how they may end, and what the reports
# make of it.
# Tried: it fails where a command finds a $SIZE that is not its own; the clock does not wait for the command's end; a
# Tried: command begins before the clock.
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"
. "$top/tests/reports.sh"

bytes 1048577 >X

# From a command.
becomes "0 ok" "from a command: its output is copied by each row" -n2 --from='cat X' >Y
same "... and last" X Y
holds "... the report names it, and how fast it is" csv '^# input: command: cat X$' '^# input_ns: [0-9]+$' \
	'^# size: 1048577$' '^# verified: .*all bytes at least once a row'
run 0 "from a command that says \$SIZE" w -z 4097 --from='echo $SIZE >>sizes; exec head -c $SIZE X' >Y
is "... it is what --size says" "$(sort -u sizes)" 4097
SIZE=inherited run 0 "from a command without --size" w --from='echo "${SIZE-none}" >sizes; exec cat X' -s splice >Y
is "... there is no \$SIZE" "$(cat sizes)" none
run 0 "from a command that reads" w --from='wc -c; cat X' -s splice </dev/zero >Y
is "... it has nothing to read" "$({ echo 0 && cat X; } | cmp - Y)" ""
becomes "0 ok" "from a command without end: by each row, in part" -z 100000 --from=yes -s 'read+write*,splice*' >Y
is "... and last" "$(yes | head -c 100000 | cmp - Y)" ""

# Its end.
echo keep >Y
while IFS='|' read -r command regex; do
	tells 2 "from a command, and how it ends: $command" "^write-bench: --from.*$regex" w --from="$command" 1<>Y
done <<'END'
echo oops >&2; cat X; exit 3|: exit status 3: oops
cat X; kill -9 $$|: killed by signal 9 
:|: is empty
END
is "... nothing has been touched" "$(cat Y)" keep
echo 0 >runs
run 1 "a command that fails in later runs" w -n4 --in-order -s splice -f csv -o csv >Y \
	--from='n=$(cat runs); echo $((n + 1)) >runs; [ $n -ge 3 ] || exec cat X; echo "bad $n" >&2; exit 7'
holds "... fails the row, with its words" csv '^splice,[0-9],,failed,--from: exit status 7: bad [0-9]+,1048577,'
becomes "1 failed" "a command that gives less in later runs" -s splice \
	--from='[ -e less ] && exec head -c 1000 X; : >less; cat X' >Y
holds "... which is told" csv '^splice,1,,failed,"too few bytes: '
for end in to into; do
	to() { file=$1 && shift && "$@" >"$file"; }
	"$end" Y w --from='head -c 1000 /dev/urandom' -f csv -o csv 2>err
	is "a command that gives other bytes each time, $end Y: a wrong copy of its first ones" \
		"$? $(column 4 csv | sort -u)" "1 mismatch"
	holds "... which has a remedy" err '--no-verify'
	"$end" Y w -n2 --from='head -c 1000 /dev/urandom' --no-verify -s splice -f csv -o csv 2>err
	is "... and a right one for it, of as many bytes" "$? $(outcomes)$(($(wc -c <Y) % 1000))" "0 2 ok 0"
	"$end" Y w --from='cat X' -s '$ *' --with='tr a b' -f csv -o csv 2>err
	is "a wrong command, from one that gives the same, $end Y" "$? $(outcomes)" "1 1 mismatch "
done

# Into a command.
becomes "0 ok" "into a command: by each row" --into='cat >got; cmp X got' <X
holds "... the report names it" csv '^# output: command: cat >got; cmp X got$' '^# until: the command had ended$' \
	'^# verified: .*all bytes'
run 0 "into a command that says \$SIZE" w --into='echo $SIZE >size; exec cat >got' -z 4097 -s splice <X 1<>Y
is "... it is how much there is" "$(cat size)" 4097
echo keep >Y
run 0 "what the command writes" w --into='cat; echo more >&2' -s splice <X 1<>Y
is "... is not for standard output, nor for the report" "$(cat Y) $(grep -c '^more' err)" "keep 0"
becomes "0 ok" "a command that takes long to end" --into='cat >/dev/null; sleep 0.1' -s splice <X
is "... is waited for by the clock" "$(($(column 3 csv) >= 100000000))" 1
becomes "0 ok" "from a command into a command: by each row" --from='cat X' --into='cat >got; cmp X got'
becomes "0 ok" "from a device into a command: by each row" -z 1m -s 'splice*,sendfile*,vmsplice*' </dev/zero \
	--into='[ $(tr -d "\0" | wc -c) = 0 ]'

# Its end.
while IFS='|' read -r outcome words command; do
	rows_become "1 read+write 64k,$outcome;splice,$outcome" \
		"into a command, each row: $command" -n2 --into="$command" -s 'splice,read+write 64k' <X
	holds "... with its words" csv "^splice,1,,$outcome,$words,1048577"
done <<'END'
failed|--into: exit status 5: oops|cat >/dev/null; echo oops >&2; exit 5
failed|--into: exit status 127: .*not found|"/nonexistent/command"
failed|--into: killed by signal 9 .*|cat >/dev/null; kill -9 $$
failed EPIPE|splice|head -c 1000
END
becomes "1 mismatch" "a wrong row, into a command, is found out" --into='cat >/dev/null' -s '$ *' --with='tr a b' <X

# Signals, where a command does not go on by itself.
n=10
while read -r signal status sleepers option command; do
	n=$((n + 1))
	command=$(echo "$command" | sed "s/SLEEP/sleep $seconds$n/g")
	# Outputs of their own: on overlayfs, a splice that waits for a pipe keeps others from truncating its file.
	marked "$n" "$wb" -p0 -n3 -s 'read+write 4k,splice' "$option=$command" <X >"Y.$n" 2>"err.$n" &
	echo "$n $! $signal $status $sleepers $option='$command'" >>running
done <<'END_OF_COMMANDS'
INT 130 1 --from trap '' TERM INT; SLEEP; SLEEP
TERM 143 1 --from [ -e waits ] && SLEEP; : >waits; echo hello
HUP 129 2 --from (trap '' TERM HUP; SLEEP) & cat X; SLEEP
TERM 143 1 --into cat >/dev/null; trap '' TERM; SLEEP | cat; SLEEP
INT 130 stopped --into kill -STOP $$; SLEEP
END_OF_COMMANDS
while read -r n pid signal status sleepers what; do
	until_there there "$n" "$sleepers"
done <running
while read -r n pid signal status sleepers what; do
	kill "-$signal" "$pid"
done <running
while read -r n pid signal status sleepers what <&4; do
	within 60 "$pid"
	is "SIG$signal ends the program in time: $what" $? 0
	wait "$pid"
	is "... with its exit status" $? "$status"
	is "... and no process is left" "$(left "$n")" 0
done 4<running
for end in from into; do # by SIGKILL, for which no program can be prepared
	rm -f there
	marked k "$wb" -p0 -s splice "--$end=: >there; exec sleep ${seconds}40" <X >Y 2>err &
	pid=$!
	until_there test -e there
	kill -KILL $pid
	wait $pid
	is "SIGKILL leaves no process: --$end" "$(left k)" 0
done

# Processes that it leaves.
run 0 "commands that leave a process running" w -n2 -s splice --from="sleep ${seconds}41 >/dev/null & cat X" \
	--into="sleep ${seconds}42 & cat"
until_there there 41 0 && until_there there 42 0
is "... leave none" $? 0

# Refused.
echo keep >Y
tells 2 "--from=' ' is refused" '^write-bench: --from' w --from=' ' 1<>Y
for end in from into; do
	tells 2 "--$end that can't be found is refused" "^write-bench: --$end=.*/nonexistent" w \
		"--$end=/nonexistent/command" <X 1<>Y
done
tells 2 "--from with --cold" '^write-bench: --from: is a command, which has no page cache' w --cold --from='cat X' 1<>Y
is "... nothing has been touched" "$(cat Y)" keep

# The rows that fit.
list() {
	"$wb" -n1 -p0 -q --in-order --no-verify -z 1 "$@" -f csv </dev/zero 2>&1 >/dev/null | names_of_rows | sort
}
list --from=yes --into=cat >listed
is "each row with a pipe of 64k and one of 1m" "$(sed 's/ (pipe 1m)$//' listed | uniq -c | grep -cv '^ *2 ')" 0
holds "... splice is there" listed '^splice$' '^splice \(pipe 1m\)$'
list --from=yes --into=cat --all >all
is "... --all has them, too" "$(comm -23 listed all)" ""
lacks "... none that needs a file" all '^(copy_file_range|reflink|threads|direct|mmap|vmsplice)'
list --into=cat >listed
holds "--into: what fits there" listed '^vmsplice$' '^vmsplice huge$' '^mmap\+write$'

# Rows that wait for their input: 1.1 times as long as that alone takes, at most.
for ns in 910 909; do
	made "input=command: cat X; input_ns=$ns; size=1048576; a 1000..1009; b 2000..2009" >bound.csv
	is "an input that alone takes $ns ns of 1000 is the limit, or not" \
		"$("$wb" --compare bound.csv | grep -c "input is the limit: alone it takes 0.${ns}us")" \
		"$((11 * ns >= 10000))"
done

# The clock and a command begin together, however long the output takes to be emptied.
if can_trace || or_skip "a command that takes its time" "strace may not trace here"; then
	under="strace -qq -o trace -P Y -e inject=ftruncate:delay_enter=200000"
	becomes "0 ok" "a command that takes its time" -s splice --from='sleep 0.1; cat X' >Y
	is "... takes it inside the clock" "$(($(column 3 csv) >= 100000000))" 1
fi
is "nothing is left in TMPDIR" "$(ls -A "$TMPDIR")" ""
