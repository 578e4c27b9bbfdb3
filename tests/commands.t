#!/bin/sh
# Commands as ends: --from and --into. What they are given, how they may end, and what the reports
# make of it.
# Tried: it fails where a command finds a $SIZE that is not its own; the clock does not wait for the command's end; a command
# Tried: begins before the clock.
# The commands' dollars are theirs.
# shellcheck disable=SC2016
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"

bytes 1048577 >X

# From a command.
run 0 "from a command" w -n2 --from='cat X' -f csv -o csv >Y
same "... its output is copied" X Y
is "... by each row" "$(column 4 csv | sort -u)" ok
holds "... the report names it, and how fast it is" csv '^# input: command: cat X$' '^# source_ns: [0-9]+$' '^# source_1m_ns: [0-9]+$' \
	'^# size: 1048577$' '^# verified: .*all bytes once a row'
run 0 "from a command that says \$SIZE" w -z 4097 --from='echo $SIZE >>sizes; exec head -c $SIZE X' >Y
is "... it is what --size says" "$(sort -u sizes)" 4097
SIZE=inherited run 0 "from a command without --size" w --from='echo "${SIZE-none}" >sizes; exec cat X' -s splice >Y
is "... there is no \$SIZE" "$(cat sizes)" none
run 0 "from a command that reads" w --from='wc -c; cat X' -s splice </dev/zero >Y
{ echo 0 && cat X; } >wanted
same "... it has nothing to read" wanted Y
run 0 "from a command without end" w -z 100000 --from=yes -s 'read+write*,splice*' -f csv -o csv >Y
yes | head -c 100000 >wanted
same "... the beginning is copied" wanted Y
is "... by each row" "$(column 4 csv | sort -u)" ok

# How it ends.
echo keep >Y
run 2 "a command that fails" w --from='echo oops >&2; cat X; exit 3' 1<>Y
holds "... is reported with its status and words" err '^write-bench: --from=echo oops >&2; cat X; exit 3: oops: exit status 3: '
run 2 "a command that is killed" w --from='cat X; kill -9 $$' 1<>Y
holds "... is reported" err '^write-bench: --from=cat X; kill -9 ..: killed by SIGKILL: '
run 2 "a command that gives nothing" w --from=: 1<>Y
holds "... is reported" err '^write-bench: --from: is empty'
is "... nothing has been touched" "$(cat Y)" keep
echo 0 >runs
run 1 "a command that fails in later runs" w -n4 --in-order -s splice -f csv -o csv >Y \
	--from='n=$(cat runs); echo $((n + 1)) >runs; cat X; [ $n -lt 3 ] || { echo "bad $n" >&2; exit 7; }'
holds "... fails the row, with its words" csv '^splice,[0-9],,failed exit 7,,+[0-9]+,"--from=n=.*: bad [0-9]+"$'
same "... and standard output is a copy of what it wrote first" X Y
run 1 "a command that gives less in later runs" w -s splice -f csv -o csv >Y \
	--from='[ -e less ] && exec head -c 1000 X; : >less; exec cat X'
is "... is reported" "$(outcomes)" "1 failed short "
run 1 "a command that gives more later" w -n2 -s 'read+write 64k' --from='cat X; test -e more && echo more; : >more' -f csv -o csv >Y
is "... is found out" "$(column 4 csv | sort -u)" "failed changed"
to() { # FILE COMMAND...
	file=$1 && shift && "$@" >"$file"
}
for end in to into; do
	run 1 "a command that gives other bytes each time, $end Y" "$end" Y w --from='head -c 1000 /dev/urandom' -f csv -o csv
	is "... is a wrong copy of its first ones" "$(column 4 csv | sort -u)" mismatch
	holds "... which has a remedy" err '--no-verify'
	run 0 "... and a right one for it" "$end" Y w -n2 --from='head -c 1000 /dev/urandom' --no-verify -s splice -f csv -o csv
	is "... of as many bytes" "$(outcomes)$(($(wc -c <Y) % 1000))" "2 ok 0"
	run 1 "a wrong command, from one that gives the same, $end Y" "$end" Y w --from='cat X' -s '$ *' --with='tr a b' -f csv -o csv
	is "... is a wrong copy" "$(outcomes)" "1 mismatch "
done

# Into a command.
run 0 "into a command" w --into='cat >got; cmp X got' -f csv -o csv <X
is "... by each row" "$(column 4 csv | sort -u)" ok
holds "... the report names it" csv '^# output: command: cat >got; cmp X got$' '^# until: the command had ended$' '^# verified: all bytes'
run 0 "into a command that says \$SIZE" w --into='echo $SIZE >size; exec cat >got' -z 4097 -s splice <X 1<>Y
is "... it is how much there is" "$(cat size)" 4097
echo keep >Y
run 0 "what the command writes" w --into='cat; echo more >&2' -s splice <X 1<>Y
is "... is not for standard output" "$(cat Y)" keep
lacks "... nor for the report" err '^more'
run 0 "a command that takes long to end" w --into='cat >/dev/null; sleep 0.1' -s splice -f csv -o csv <X
[ "$(column 3 csv)" -ge 100000000 ]
is "... is waited for by the clock" $? 0
run 0 "from a command into a command" w --from='cat X' --into='cat >got; cmp X got' -f csv -o csv
is "... by each row" "$(column 4 csv | sort -u)" ok
run 0 "from a device into a command" w -z 1m -s 'splice*,sendfile*,vmsplice*' -f csv -o csv </dev/zero \
	--into='[ $(tr -d "\0" | wc -c) = 0 ]'
is "... by each row" "$(column 4 csv | sort -u)" ok

# How it ends.
becomes() { # OUTCOME COMMAND [WORDS]
	run 1 "into a command: $2" w -n2 --into="$2" -s 'splice,read+write 64k' -f csv -o csv <X
	is "... fails each row" "$(column 1,4 csv | sort | tr '\n' ' ')" "read+write 64k,$1 splice,$1 "
	[ -z "${3-}" ] || holds "... with its words" csv "^splice,1,,$1,,+[0-9]+,--into=.*$3\$"
}
becomes "failed exit 5" 'cat >/dev/null; echo oops >&2; exit 5' ': oops'
becomes "failed exit 127" /nonexistent/command 'not found'
becomes "failed signal 9" 'cat >/dev/null; kill -9 $$'
becomes "failed EPIPE" 'head -c 1000'
run 1 "a wrong row, into a command" w --into='cat >/dev/null' -s '$ *' --with='tr a b' -f csv -o csv <X
is "... is found out" "$(outcomes)" "1 mismatch "

# Signals, where a command does not go on by itself.
n=10
while read -r signal status sleepers option command; do
	n=$((n + 1))
	command=$(echo "$command" | sed "s/SLEEP/sleep $seconds$n/g")
	if [ "$option" = --from ]; then
		marked "$n" "$wb" -p0 -n3 -s 'read+write 4k,splice' --from="$command" >Y 2>"err.$n" &
	else
		marked "$n" "$wb" -p0 -n3 -s 'read+write 4k,splice' --into="$command" <X 2>"err.$n" &
	fi
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

# What it leaves running.
run 0 "commands that leave a process running" w -n2 -s splice --from="sleep ${seconds}41 >/dev/null & cat X" \
	--into="sleep ${seconds}42 & cat"
until_there there 41 0 && until_there there 42 0
is "... leave none" $? 0

# Refused.
echo keep >Y
for end in from into; do
	run 2 "--$end=' '" w "--$end= " <X 1<>Y
	holds "... is refused" err "^write-bench: --$end="
done
run 2 "--from with --cold" w --cold --from='cat X' 1<>Y
holds "... is refused" err '^write-bench: --from: is a command, which has no page cache'
is "... nothing has been touched" "$(cat Y)" keep

# Which rows fit.
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

# The reports again, from CSV.
run 0 "a session of commands" w -n3 -s 'splice,read*64k*' --from='cat X' --into='cat >/dev/null' -f csv -o csv
"$wb" --compare csv -f csv >again.csv
same "... as CSV, read again, is what it was" csv again.csv
longest=$(column ns csv | sort -n | tail -n 1)
sed -i "s/^\(# source[_1m]*_ns:\) .*/\1 $longest/" csv # as if the command alone had taken as long
"$wb" --compare csv -v >text
"$wb" --compare csv -f json >json
bound=$(grep -c '"bound": "source"' json)
holds "... rows that wait for the command are marked" text '^[a-z].* [0-9.]+[mu]?s .*[ ~]\* +[0-9]+%$' "^\\*: $bound of [0-9]+ rows "
is "... as many as in JSON" "$(sed '1,3d;/^$/,$d' text | grep -c '[ ~]\*')" "$bound"

# The clock and a command begin together, however long the output takes to be emptied.
if can_trace; then
	run 0 "a command that takes its time" strace -qq -o trace -P "$work/Y" -e inject=ftruncate:delay_enter=200000 \
		"$wb" -n1 -p0 -s splice --from='sleep 0.1; cat X' -f csv -o csv >Y
	is "... takes it inside the clock" "$([ "$(column 3 csv)" -ge 100000000 ] && echo yes)" yes
else
	skip "a command that takes its time" "strace may not trace here"
fi

is "nothing is left in TMPDIR" "$(ls -A "$TMPDIR")" ""
