#!/bin/sh
# Commands as rows: --with. What they are given, what becomes of them in the reports, and that none
# outlives the program, however it ends.
# Tried: it fails where commands do not get the size; where an input is not cut to it; where SIGCHLD is ignored it stays so; where
# Tried: processes that a command has left stay; where flags that a command has set stay; where a command that copies another file by
# Tried: name passes; where a command is ranked by its time with its start.
# The commands' dollars are theirs.
# shellcheck disable=SC2016
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"

bytes 10240 >X
# with OPTION...: commands only, as CSV
with() {
	"$wb" -p0 -s '$ *' -f csv -o csv "$@" <X >Y 2>err 3>&-
}
outcomes() { # of rows whose names have no comma, in their order
	column 4 csv | tr '\n' ' '
}
left() { # NUMBER: how many processes still sleep so, whatever is in their environment, after a minute, which are ended then
	until_there there "$1" 0
	sleepers "$1" >alive
	wc -l <alive | tr -d ' '
	kill_listed alive
}

# A row like any other.
run 0 "two commands" "$wb" -p0 -n3 -s sendfile --with=cat -w 'dd bs=1M' -f csv -o csv -o text.txt -o json.json -o markdown.md <X >Y
cat_is=$(cat_is) # cat(1) is a row like any other; where it is to be ranked, dd(1) stands for it, which shares no blocks
is "... are rows of their own, named after them, measured" "$(column 1,4 csv | sort | uniq -c | tr -s ' \n' ' ')" \
	" 3 \$ cat,$cat_is 3 \$ dd bs=1M,ok 3 sendfile,ok "
same "... that leave a copy" X Y
lacks "... without what they write to standard error" err 'records'
time='[0-9.]+(us|ms|s)'
holds "... they stand in the table" text.txt "^\\\$ cat +$time +$time +$time" "^\\\$ dd bs=1M +$time"
holds "... in Markdown" markdown.md '^\| \$ cat +\|'
holds "... in JSON" json.json '"row": "\$ cat", "outcome": "'"$cat_is"'", "runs_ns": \[[0-9]+, [0-9]+, [0-9]+\]'
"$wb" --list -s sendfile --with='dd bs=1M' </dev/null >listed
is "--list has them, and what they call" "$(sed -n 's/  */ /g; $p' listed)" '$ dd bs=1M fork, exec, wait - itself'
selected() { # ROWS DESCRIPTION OPTION...
	these=$1 description=$2
	shift 2
	run 0 "$description" "$wb" -p0 -n1 --with=cat -w 'dd bs=1M' -f csv -o csv "$@" <X >Y
	is "... is $these" "$(column 1 csv | sort | paste -sd,)" "$these"
}
selected '$ cat,$ dd bs=1M' "-s '\$ *'" -s '$ *'
selected '$ cat,$ dd bs=1M,sendfile' "a command by its name, and a row" -s '$ cat,sendfile'
selected '$ dd bs=1M,sendfile' "-x '\$ cat'" -s sendfile -x '$ cat'
selected sendfile "-x '\$ *'" -s sendfile -x '$ *'
selected '$ cat,$ dd bs=1M' "-x '*', which does not name commands" -x '*'
echo keep >Y
run 2 "-s '\$ *' without a command" "$wb" -p0 -n1 -s '$ *' <X 1<>Y
is "... is refused, and nothing is touched" "$(cat Y)" keep

# What a command takes to start, at least: where that is more than half of its time, it is said in the place of a percentage.
printf '#!/bin/sh\n[ ! -s /dev/stdin ] || sleep 0.05\nexec dd\n' >slow && chmod +x slow
run 0 "commands that do little, and that sleep, always or to copy" "$wb" -p0 -n3 -s sendfile --with='dd bs=1M' --with='sleep 0.05; dd' \
	--with=./slow -o text.txt -o csv.csv <X >Y
for command in 'dd bs=1M' 'sleep 0.05; dd' ./slow; do
	wanted=$(sed '1,/^row,/{/^row,/!d}' csv.csv | awk -F, -v row="$ $command" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "start_ns") at = i }
		$1 == row { ns[++n] = $3; if (!least || $at < least) least = $at }
		END { for (i = 1; i <= 3; i++) for (k = 1; k < i; k++) if (ns[i] < ns[k]) { x = ns[i]; ns[i] = ns[k]; ns[k] = x }; print (2 * least > ns[2] ? "(start-up)" : "(%)") }')
	is "the table says so: $command" \
		"$(sed -n "s,^\$ $command  *[0-9].*(\([^)]*\)).*,(\1),p" text.txt | sed 's/([+>][^(]*%)/(%)/')" "$wanted"
done
is "a command that sleeps does not only start" "$wanted" '(%)'

# By the names of the ends, not by its descriptors.
cp X named
run 0 "commands that copy by name" "$wb" -p0 -n2 -s '$ *' --with='cp named Y' --with='dd if=named of=Y bs=64k' -f csv -o csv <named >Y
is "... are measured" "$(column 1,4 csv | sed 's/,shared/,ok/' | sort -u | paste -sd' ')" '$ cp named Y,ok $ dd if=named of=Y bs=64k,ok'
same "... leave a copy" named Y
bytes 10240 >other
run 1 "one that copies another file by name" "$wb" -p0 -n2 -s '$ *' --with='cp other Y' --with='cp named elsewhere' -f csv -o csv <named >Y
is "... or to another has copied wrongly" "$(column 1,4 csv | sort -u | paste -sd' ')" '$ cp named elsewhere,mismatch $ cp other Y,mismatch'
same "... standard output is a copy all the same" named Y

# What it finds.
rm -f seen
run 0 "a command that looks at its ends" with -n3 \
	--with='[ ! -s /dev/stdin ] || grep -h pos: /proc/$$/fdinfo/0 /proc/$$/fdinfo/1 >>seen; cat'
is "... stands at their beginning in each run" "$(tr -d '\t\n' <seen)" "pos:0pos:0pos:0pos:0pos:0pos:0"
rm -f seen
with --with='echo $SIZE >>seen; cat' -n1
with -z 5000 --with='echo $SIZE >>seen; head -c $SIZE' -n1
# also where its start is timed
is "\$SIZE is the number of bytes" "$? $(uniq seen | tr '\n' ' ')" "0 10240 5000 "
echo 'ls /proc/self/fd >seen; cat' >look
sh look <X 3>&- >Y
cp seen wanted
"$wb" -p0 -n1 --counters --cold --until=close -s 'pipe+splice,threads*,io_uring*' --with='sh look' -o report <X >Y 2>err 3>&-
is "a command has no descriptor more than without us" "$(cat seen)" "$(cat wanted)"
with -n1 --with='sleep 0.1; cat'
[ "$(column 3 csv)" -ge 100000000 ]
is "a command is timed from its start to its end" $? 0

# What becomes of it.
becomes() { # STATUS OUTCOME COMMAND WHAT
	with -n2 --with="$3"
	is "$4: $3" "$? $(outcomes)" "$1 $2 "
	same "... standard output is a copy all the same" X Y
}
becomes 0 "ok ok" 'dd; echo hello >&2' "words"
becomes 1 "failed exit 3" 'cat; exit 3' "one that fails when it has copied"
becomes 1 "failed exit 127" '"/nonexistent/command"' "one that is not found"
becomes 1 "failed exit 2" 'if' "no shell command"
becomes 1 "failed signal 9" 'kill -9 $$' "one that is killed"
becomes 1 mismatch 'cat; echo' "one that copies too much"
becomes 1 mismatch : "one that copies nothing"
becomes 1 mismatch 'head -c 10000; head -c 240 /dev/zero' "one that ends in other bytes"
becomes 1 "ok mismatch" 'if [ -e twice ]; then head -c 10239; else : >twice; dd; fi' "one that goes wrong in its last run"
run 1 "failed rows, in a report" "$wb" -p0 -n1 -s sendfile --with='echo oops >&2; exit 3' --with='kill -9 $$' --with='head -c 100' \
	-o text.txt -o json.json <X >Y
one_line text.txt
holds "... with status and words, with the signal, with the byte that differs" line \
	'Failed: \$ echo oops >&2; exit 3: .*3.*oops' '\$ kill -9 \$\$: .*SIGKILL' 'Copied wrongly: \$ head -c 100: .* byte 100[,.]'
is "... are not in the table" "$(sed '1,/^row  /d;/^$/,$d' text.txt | sed 's/ .*//')" sendfile
holds "... and have no time" json.json '"row": "\$ kill -9 \$\$", "outcome": "failed signal 9", "runs_ns": \[\], "best_ns": null'

# The answer. A command's times are compared by the estimate of all pairs of runs, net of its starts: of 6 and 6 the middle of 36 ratios;
# the interval is that of the test at 0.05 / 2, which leaves out 5 at each end.
run 0 "commands that are slow" "$wb" -p0 -n6 -f csv -o csv -s sendfile --with='[ ! -s /dev/stdin ] || sleep 0.06; dd' \
	--with='[ ! -s /dev/stdin ] || sleep 0.18; dd' <X >Y
wanted=$(for command in 0.06 0.18; do
	sed '1,/^row,/{/^row,/!d}' csv | awk -F, -v row="sleep $command; dd" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == "start_ns") at = i }
		index($1, row) { x[++n] = $3 - $at }
		$1 == "sendfile" { y[++m] = $3 }
		END { for (i = 1; i <= n; i++) for (k = 1; k <= m; k++) printf "%.15g\n", x[i] / y[k] }' | sort -g |
		awk '{ x[NR] = $1 } END { printf "%.15g %.15g %.15g\n", (x[18] + x[19]) / 2, x[6], x[31] }'
done)
sed -n 's/^# recommendation: Use sendfile: //p' csv | grep -o '[0-9.]* times as fast as [^(]*([0-9]*%: [0-9.]* to [0-9.]*)' | sed 's/^\([0-9.]*\) .*: \([0-9.]*\) to \([0-9.]*\))/\1 \2 \3/' | sort -g >got
is "it says how far ahead of each the row is, without its start" "$(echo "$wanted" | paste -d' ' got - | awk '
	function near(a, b) { return a - b <= 0.006 * b && b - a <= 0.006 * b }
	{ n += near($1, $4) && near($2, $5) && near($3, $6) } END { print n }')" 2
{ echo row,round,ns,outcome,start_ns && for i in 1 2 3 4 5 6; do
	echo "row,$i,1000000,ok," && for c in 1 2 3 4; do echo "\$ c$c,$i,${c}5000000,ok,1000000"; done && echo "\$ tiny,$i,1900000,ok,1000000"
done; } >known.csv
"$wb" --compare known.csv -f markdown >known
is "each command is named, one that mostly starts apart" \
	"$(grep -o 'as fast as [a-z0-9]*' known | sed 's/.* //' | paste -sd' ' -)|$(grep -o '[a-z]* is mostly start-up' known)" "c1 c2 c3 c4|tiny is mostly start-up"

# With --size, a command that knows nothing of it gets an input of its own, and can't copy more than that.
bytes 3000000 >X
with -n1 -z 4096 --with='cat; wc -c <Y >large; exit 1'
is "--size: a command that copies all fails" "$? $(outcomes)" "1 failed exit 1 "
is "... and has not written more" "$(cat large)" 4096
with -n1 -z 4096 --with=cat
is "... cat alone gets those bytes, and no more" "$? $(outcomes)" "0 $(cat_is) "
head -c 4096 X >wanted
same "... standard output is a copy of the beginning all the same" wanted Y
with -n1 -z 4096 --with='head -c "$SIZE"'
is "... one that copies \$SIZE bytes is measured" "$? $(outcomes)" "0 ok "
bytes 10240 >X

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
	"$wb" -p0 -s sendfile --in-order -n1 --with="$(echo "$command" | sed "s/N/$seconds$n/g")" -o "report$n" <X >"Y$n" 2>"err$n" 3>&- &
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
	holds "... what was measured is printed" "report$n" '^sendfile +[0-9.]+[mu]s' '^Interrupted by SIG[A-Z]+ after 1 of 2 runs'
done 4<running

# What a command leaves running: waited for until it is sleep(1) itself, not what is to become it.
cat >sleeping <<'END'
until grep -lsz "^$1\$" /proc/[0-9]*/cmdline | while read -r cmdline; do
	tr '\0' ' ' <"$cmdline" && echo
done 2>/dev/null | grep -qx "sleep $1 "; do
	sleep 0.02
done
END
with -n2 --with="sleep ${seconds}31 & dd" --with="(trap '' TERM HUP; sleep ${seconds}32; :) & sh sleeping ${seconds}32; dd"
is "commands that leave a process running are measured" "$? $(outcomes)" "0 ok ok ok ok "
is "... and no process is left" "$(left 31) $(left 32)" "0 0"
with -n1 --with="sleep ${seconds}33 & sh sleeping ${seconds}33; cat; exit 3"
is "... nor where they fail" "$? $(outcomes) $(left 33)" "1 failed exit 3  0"
if have setsid; then # it has asked to be none of the command's
	with -n1 --with="[ ! -s /dev/stdin ] || { setsid sleep ${seconds}34 & sh sleeping ${seconds}34; }; dd"
	is "... but one in a session of its own is left alone" "$? $(outcomes) $(sleepers 34 | wc -l | tr -d ' ')" "0 ok  1"
	# shellcheck disable=SC2046
	kill $(sleepers 34)
else
	skip "a process in a session of its own" "no setsid"
fi

# A parent that ignores SIGCHLD, as some do that start many: waiting must not depend on it. By perl,
# since not every sh can.
perl -e '$SIG{CHLD} = "IGNORE"; exec @ARGV' "$wb" -p0 -n1 -q -s '$ *' --with=dd --with=false -f csv -o csv <X >Y 2>err 3>&- &
pid=$!
within 60 $pid
is "with SIGCHLD ignored, a command's end is noticed" $? 0
wait $pid
is "... and its exit status" "$? $(column 4 csv | sort | tr '\n' ' ')" "1 failed exit 1 ok "

# Odd characters.
long=$(printf 'dd #%0195d' 0)
newline='dd
# of two lines'
tab=$(printf 'dd #\ttab')
run 0 "odd commands" "$wb" -p0 -n1 -s '$ *' -o csv.csv -o json.json -o text.txt -o markdown.md --with='dd # "quoted" '"'quoted'" \
	--with='dd # a,b,"c",' --with='dd # a|b||' --with='dd # \back\\slash\.' --with='dd # %s%n%%' --with='dd # <b>&amp;' \
	--with='dd # grün €' --with="$newline" --with="$tab" --with="$long" --with='dd  #  two  blanks' <X >Y
cat >names <<END
\$ dd # "quoted" 'quoted'
\$ dd # a,b,"c",
\$ dd # a|b||
\$ dd # \\back\\\\slash\\.
\$ dd # %s%n%%
\$ dd # <b>&amp;
\$ $long
\$ dd  #  two  blanks
END
sort names -o names
sed 's/"/""/g; s/.*/"&"/' names | sort >quoted # as RFC 4180 has it
is "CSV: a line for each, and all names, quoted" \
	"$(sed '1,/^row,/d; s/,1,[0-9]*,ok,.*//' csv.csv | tee got | wc -l | tr -d ' ') $(sort got | comm -13 - quoted)" "11 "
if perl -MJSON::PP -e1 2>/dev/null; then
	perl -MJSON::PP -e 'local $/; print "$_->{row}\n" for @{decode_json(<STDIN>)->{reports}[0]{rows}}' <json.json >got 2>&1
	is "JSON: a row for each, and all names" "$(wc -l <got | tr -d ' ') $(sort got | comm -13 - names)" "11 "
else
	skip "JSON with odd commands" "no perl with JSON::PP"
fi
sed '1,/^row  /d;/^$/,$d' text.txt >table
is "text: a line for each" "$(grep -Ec "^\\\$ dd.* $time +$time +$time" table)" 11
is "... within 80 columns, without control characters" "$(awk 'length > 80 || /[\001-\037]/' table)" ""
holds "... the long one is cut, and says so" table '^\$ dd #0+\.\.\. '
is "Markdown: a line for each, all of seven columns" \
	"$(grep '^|' markdown.md | sed 's/\\|//g' | tr -cd '|\n' | sort | uniq -c | tr -s ' ')" " 13 ||||||||"
is "commands that differ in letters beyond ASCII have names of their own" \
	"$("$wb" -p0 -n1 -s '$ *' --with='dd # ä' --with='dd # ö' -f csv <X 2>&1 >Y | column 1 - | sort -u | wc -l | tr -d ' ')" 2

# A command shares the open file descriptions of the ends: what it does to their flags is undone.
bytes 3000000 >X
run 0 "commands that leave O_APPEND and O_DIRECT behind" "$wb" -p0 -n3 --in-order -f csv -o csv -s 'read+write 1k,sendfile' \
	--with='dd bs=1M oflag=append' --with='dd bs=1M iflag=direct || cat' --with='dd bs=1M oflag=direct || exec cat' <X 1<>Y
same "... leave a copy" X Y
{
	"$wb" -p0 -n1 -s '$ *' --with='dd bs=1M oflag=append' --no-verify -o report <X >&4
	grep flags "/proc/$$/fdinfo/4" >flags
} 4>Y 2>err
is "... and the caller's description as it was" "$(cut -f2 flags)" 0100001

# Into a device: one copy more is made into a process that compares it.
run 1 "into /dev/null" "$wb" -p0 -n1 -z 1m -f csv -o csv -s '$ *' --with=true --with='head -c 100' --with=cat <X >/dev/null
is "... a command that reads no input, or less, is no copy" "$(column 1,4 csv | sort | tr '\n' ' ')" \
	'$ cat,ok $ head -c 100,mismatch $ true,mismatch '
run 2 "an input without end is not for a command that does not know how much is wanted" timeout 60 "$wb" -z 1m --with=cat </dev/zero >Y
run 0 "... but for one that does" "$wb" -p0 -n1 -z 1m --with='head -c $SIZE' -s '$ *' </dev/zero >Y

# Children that the program has from before, of the shell that became it, are not its commands'.
sh -c 'sleep 1000 & echo $! >child; exec "$0" -p0 -n1 -s "$ *" --with="cat; sleep 40 &" -o report' "$wb" <X >Y 2>err 3>&-
kill "$(cat child)" 2>/dev/null
is "a child from before the start is left alone" $? 0

# Where the end of a command waits for the server, and rows that are timed until their return do not.
cat >nfs.c <<'END'
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
int fstatfs(int fd, struct statfs *fs)
{
	int failed = (int)syscall(SYS_fstatfs, fd, fs);
	fs->f_type = strtoul(getenv("F_TYPE"), NULL, 16);
	return failed;
}
int fstatfs64(int fd, struct statfs64 *fs) { return fstatfs(fd, (struct statfs *)fs); }
END
if "${CC:-cc}" -D_GNU_SOURCE -shared -fPIC -o nfs.so nfs.c 2>/dev/null; then
	flushed() { # F_TYPE OPTION...
		F_TYPE=$1
		export F_TYPE
		shift
		LD_PRELOAD=./nfs.so "$wb" -p0 -n1 -s "${row-sendfile}" -f csv -o csv "$@" <X >Y 2>err
		sed -n 's/^# warning_flushed: //p' csv
	}
	is "commands on NFS: a warning" "$([ "$(flushed 6969 --with=cat)" ]; echo $?)" 0
	is "... none without a command, where all wait, or elsewhere" \
		"$(flushed 6969)$(flushed 6969 --with=cat --until=close)$(flushed ef53 --with=cat)" ""
	is "tee(1) on ext4: a warning" "$([ "$(row='sendfile x2' flushed ef53 --tee=Z --with='tee "$TEE"')" ]; echo $?)" 0
	is "... none without it, or where all are closed" \
		"$(row='sendfile x2' flushed ef53 --tee=Z)$(row='sendfile x2' flushed ef53 --tee=Z --until=close --with='tee "$TEE"')" ""
else
	skip "file systems whose close waits for a server" "no C compiler"
fi
