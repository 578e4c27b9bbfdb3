#!/bin/sh
# Commands as rows: --with. What they are given, what becomes of them in the reports, and that none
# outlives the program, however it ends.
# Tried: it fails where commands do not get the size; where SIGCHLD is ignored it stays so; where processes that a
# Tried: command has left stay; where flags that a command has set stay.
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"

bytes 10240 >X
with() { becomes "$@" -s '$ *' <X >Y; } # commands only
# left NUMBER: how many processes still sleep so, whatever is in their environment, after a minute, which are ended then
left() {
	until_there there "$1" 0
	sleepers "$1" >alive
	wc -l <alive | tr -d ' '
	kill_listed alive
}

# A row like any other. cat(1) may share blocks; where a command is to be ranked, dd(1) stands for it, which shares
# none.
run 0 "two" "$wb" -p0 -n3 -s sendfile --with=cat -w 'dd bs=1M' -o csv.csv -o text.txt -o json.json -o markdown.md <X >Y
cat_is=$(cat_is)
is "... are rows of their own, named after them, measured" "$(column 1,4 csv.csv | sort | uniq -c | tr -s ' \n' ' ')" \
	" 3 \$ cat,$cat_is 3 \$ dd bs=1M,ok 3 sendfile,ok "
same "... that leave a copy" X Y
lacks "... without what they write to standard error" err 'records'
time='[0-9.]+(us|ms|s)'
holds "... they stand in the table" text.txt "^\\\$ cat +$time +$time +$time" "^\\\$ dd bs=1M +$time"
holds "... in Markdown" markdown.md '^\| \\\$ cat +\|'
holds "... in JSON" json.json '"row": "\$ cat", "outcome": "'"$cat_is"'", "runs_ns": \[[0-9]+, [0-9]+, [0-9]+\]'
"$wb" --list -s sendfile --with='dd bs=1M' </dev/null >listed
is "--list has them, and what they call" "$(sed -n 's/  */ /g; $p' listed)" '$ dd bs=1M fork, exec, wait - itself'
while IFS='|' read -r these options; do
	eval "\"\$wb\" -p0 -n1 --with=cat -w 'dd bs=1M' -f csv -o csv $options" <X >Y 2>err
	is "$options: these rows" "$? $(column 1 csv | sort | paste -sd,)" "0 $these"
done <<'END'
$ cat,$ dd bs=1M|-s '$ *'
$ cat,$ dd bs=1M,sendfile|-s '$ cat,sendfile'
$ dd bs=1M,sendfile|-s sendfile -x '$ cat'
sendfile|-s sendfile -x '$ *'
$ cat,$ dd bs=1M|-x '*'
END
echo keep >Y
becomes "2 " "-s '\$ *' without a command is refused" -s '$ *' <X 1<>Y
is "... and nothing is touched" "$(cat Y)" keep

# The least time that a command takes to start: where that is more than half of its best run, it has no percentage.
printf '#!/bin/sh\n[ ! -s /dev/stdin ] || sleep 0.05\nexec dd\n' >slow && chmod +x slow
"$wb" -p0 -n3 -s sendfile --with='dd bs=1M' --with='sleep 0.05; dd' --with=./slow -o text.txt -o csv.csv <X >Y 2>err
for command in 'dd bs=1M' 'sleep 0.05; dd' ./slow; do
	best=$(of "\$ $command" ns csv.csv | sort -n | head -n 1)
	least=$(of "\$ $command" start_ns csv.csv | sort -n | head -n 1)
	is "the table says whether it only starts: $command" \
		"$(table text.txt | grep -Ec "^[$] $command [^(]* start-up( |\$)")" "$((2 * least > best))"
done

# Its surroundings.
with "0 ok" "a command that looks at its ends" -n3 \
	--with='[ ! -s /dev/stdin ] || grep -h pos: /proc/$$/fdinfo/0 /proc/$$/fdinfo/1 >>ends; dd'
is "... stands at their beginning in each run" "$(tr -d '\t\n' <ends)" "pos:0pos:0pos:0pos:0pos:0pos:0"
with "0 ok" "a command that is told the size" --with='echo $SIZE >>seen; dd'
with "0 ok" "... by --size" -z 5000 --with='echo $SIZE >>seen; head -c $SIZE'
is "... \$SIZE is the number of bytes, also where its start is timed" "$(uniq seen | paste -sd' ')" "10240 5000"
echo 'ls /proc/self/fd >seen; cat' >look
sh look <X 3>&- >Y
cp seen wanted
"$wb" -p0 -n1 --counters --cold --until=close \
	-s 'pipe+splice,threads*,io_uring*' --with='sh look' -o report <X >Y 2>err 3>&-
is "a command has no descriptor more than without us" "$(cat seen)" "$(cat wanted)"
with "0 ok" "a command that takes a tenth of a second" --with='sleep 0.1; dd'
is "... is timed from its start to its end" "$(($(column 3 csv) >= 100000000))" 1

# Its outcomes.
while IFS='|' read -r wanted detail what command; do
	with "$wanted" "$what: $command" -n2 --with="$command"
	holds "... as its line says" csv ",$detail,10240"
	same "... standard output is a copy all the same" X Y
done <<'END'
0 ok|ok,|words|dd; echo hello >&2
1 failed|failed,exit status 3|it fails when it has copied|cat; exit 3
1 failed|failed,exit status 127: .*not found|it is not found|"/nonexistent/command"
1 failed|failed,"?exit status 2: .*|no shell command|if
1 failed|failed,killed by signal 9 .*|it is killed|kill -9 $$
1 mismatch|mismatch,10240|it copies too much|cat; echo
1 mismatch|mismatch,wrote nothing|it copies nothing|:
1 mismatch|mismatch,10000|it ends in other bytes|head -c 10000; head -c 240 /dev/zero
1 mismatch ok|mismatch,10239|it goes wrong in its last run|if [ -e twice ]; then head -c 10239; else : >twice; dd; fi
END
run 1 "failed rows, in a report" "$wb" -p0 -n1 -s sendfile --with='echo oops >&2; exit 3' --with='kill -9 $$' \
	--with='head -c 100' -o text.txt -o json.json <X >Y
one_line text.txt
holds "... with status and words, with the signal, with the byte that differs" line \
	'Failed: \$ echo oops >&2; exit 3: .*3.*oops' '\$ kill -9 \$\$: .*signal 9' '\$ head -c 100: .* byte 100[,.]'
is "... are not in the table" "$(table text.txt | sed 's/ .*//')" sendfile
holds "... no time" json.json '"row": "\$ kill -9 \$\$", "outcome": "failed", "runs_ns": \[\], "best_ns": null'

# One that wrote nothing is told so, wherever it should have written to.
for ends in --new --replace --overwrite --until=close --into=cat --send; do
	with "1 mismatch" "it copies nothing, $ends" "$ends" --with=true
	holds "... as its line says" csv ',mismatch,wrote nothing,10240'
done

# Signals, all at once: each command sleeps for a time of its own.
cat >commands <<'END'
1 INT:130 sleep N
1 HUP:129 sleep N | cat
2 TERM:143 (trap '' TERM INT HUP; sleep N) & sleep N
stopped TERM:143 kill -STOP $$; sleep N
END
n=10
while read -r sleepers signal command; do
	n=$((n + 1))
	"$wb" -p0 -s sendfile --in-order -n1 --with="$(echo "$command" | sed "s/N/$seconds$n/g")" \
		-o "report$n" <X >"Y$n" 2>"err$n" 3>&- &
	echo "$n $! $signal $sleepers $command" >>running
done <commands
while read -r n pid signal sleepers command; do
	until_there there "$n" "$sleepers"
done <running
while read -r n pid signal sleepers command; do
	kill "-${signal%:*}" "$pid"
done <running
while read -r n pid signal sleepers command <&4; do
	within 60 "$pid"
	is "SIG${signal%:*} ends the program in time: $command" $? 0
	wait "$pid"
	is "... with its exit status" $? "${signal#*:}"
	is "... and no process is left" "$(left "$n")" 0
	holds "... is printed" "report$n" '^sendfile +[0-9.]+[mu]s' \
		"^Interrupted by signal $((${signal#*:} - 128)) .* 1 of 2 runs"
done 4<running

# A process that a command leaves running: waited for until it is sleep(1) itself, not what is to become it.
cat >sleeping <<'END'
until grep -lsz "^$1\$" /proc/[0-9]*/cmdline | while read -r cmdline; do
	tr '\0' ' ' <"$cmdline" && echo
done 2>/dev/null | grep -qx "sleep $1 "; do
	sleep 0.02
done
END
with "0 ok" "commands that leave a process running are measured" -n2 --with="sleep ${seconds}31 & dd" \
	--with="(trap '' TERM HUP; sleep ${seconds}32; :) & sh sleeping ${seconds}32; dd"
is "... and no process is left" "$(left 31) $(left 32)" "0 0"
with "1 failed" "... where they fail" --with="sleep ${seconds}33 & sh sleeping ${seconds}33; cat; exit 3"
is "... nor there" "$(left 33)" 0
# it has asked to be none of the command's
if have setsid || or_skip "a process in a session of its own" "no setsid"; then
	with "0 ok" "one in a session of its own" \
		--with="[ ! -s /dev/stdin ] || { setsid sleep ${seconds}34 & sh sleeping ${seconds}34; }; dd"
	is "... is left alone" "$(sleepers 34 | wc -l)" 1
	# shellcheck disable=SC2046
	kill $(sleepers 34)
fi

# A parent that ignores SIGCHLD, as some do that start many: waiting must not depend on it. By perl,
# since not every sh can.
perl -e '$SIG{CHLD} = "IGNORE"; exec @ARGV' "$wb" -p0 -n1 -q -s '$ *' --with=dd --with=false -f csv -o csv \
	<X >Y 2>err 3>&- &
pid=$!
within 60 $pid
is "with SIGCHLD ignored, a command's end is noticed" $? 0
wait $pid
is "... and its exit status" "$? $(column 4 csv | sort | tr '\n' ' ')" "1 failed ok "

# Odd characters.
newline='dd
# of two lines'
cat >names <<'END'
$ dd # "quoted" 'quoted'
$ dd # a,b,"c",
$ dd # a|b||
$ dd # \back\\slash\.
$ dd # %s%n%%
$ dd # <b>&amp;
$ dd  #  two  blanks
END
printf '$ dd #%0195d\n' 0 >>names
sort names -o names
set -- --with='dd # grün €' --with="$newline" --with="$(printf 'dd #\ttab')"
while read -r _ name; do set -- "$@" --with="$name"; done <names
run 0 "odd commands" "$wb" -p0 -n1 -s '$ *' -o csv.csv -o json.json -o text.txt -o markdown.md "$@" <X >Y
sed 's/"/""/g; s/.*/"&"/' names | sort >quoted # as RFC 4180 has it
is "CSV: a line for each, and all names, quoted" \
	"$(sed '1,/^row,/d; s/,1,[0-9]*,ok,.*//' csv.csv | tee got | wc -l | tr -d ' ') $(sort got |
	comm -13 - quoted)" "11 "
if perl -MJSON::PP -e1 2>/dev/null || or_skip "JSON with odd commands" "no perl with JSON::PP"; then
	perl -CO -MJSON::PP -e 'local $/; print "$_->{row}\n" for @{decode_json(<STDIN>)->{reports}[0]{rows}}' \
		<json.json >got 2>&1
	is "JSON: a row for each, and all names" "$(wc -l <got | tr -d ' ') $(sort got | comm -13 - names)" "11 "
fi
sed '1,/^row  /d;/^$/,$d' text.txt >table
is "text: a line for each" "$(grep -Ec "^\\\$ dd.* $time +$time +$time" table)" 11
is "... within 80 columns, without control characters" \
	"$(perl -CS -ne 'chomp; print if length > 80 || /[\0-\x1f]/' <table)" ""
holds "... the long one is cut, and says so" table '^\$ dd #0+\.\.\.0+ '
is "Markdown: a line for each, all of seven columns" \
	"$(grep '^|' markdown.md | sed 's/\\|//g' | tr -cd '|\n' | sort | uniq -c | tr -s ' ')" " 13 ||||||||"
with "0 ok" "commands that differ in letters beyond ASCII" --with='dd # ä' --with='dd # ö'
is "... have names of their own" "$(column 1 csv | sort -u | wc -l | tr -d ' ')" 2

# A command shares the open file descriptions of the ends: what it does to their flags is undone.
bytes 3000000 >X
run 0 "commands that leave O_APPEND and O_DIRECT behind" w -n3 --in-order \
	-s 'read+write 1k,sendfile' --with='dd bs=1M oflag=append' \
	--with='dd bs=1M iflag=direct || cat' --with='dd bs=1M oflag=direct || exec cat' <X 1<>Y
same "... leave a copy" X Y
{
	"$wb" -p0 -n1 -s '$ *' --with='dd bs=1M oflag=append' --no-verify -o report <X >&4
	grep flags "/proc/$$/fdinfo/4" >flags
} 4>Y 2>err
is "... and the caller's description as it was" "$(cut -f2 flags)" 0100001

# Into a device: one copy more is made into a process that compares it.
rows_become '1 $ cat,ok;$ head -c 100,mismatch;$ true,mismatch' \
	"into /dev/null: a command that reads no input, or less, is no copy" \
	-z 1m -s '$ *' --with=true --with='head -c 100' --with=cat <X >/dev/null
becomes "2 " "an input without end is not for a command that does not know how much is wanted" -z 1m --with=cat \
	</dev/zero >Y
becomes "0 ok" "... for one that does" -z 1m --with='head -c $SIZE' -s '$ *' </dev/zero >Y

# Children that the program has from before, of the shell that became it, are not its commands'.
sh -c 'sleep 1000 & echo $! >child; exec "$0" -p0 -n1 -s "$ *" --with="cat; sleep 40 &" -o report' \
	"$wb" <X >Y 2>err 3>&-
kill "$(cat child)" 2>/dev/null
is "a child from before the start is left alone" $? 0
