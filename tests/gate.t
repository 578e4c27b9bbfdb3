#!/bin/sh
# The gate: verdicts and figures of commands beside a baseline, and exit statuses; the starts of commands, which it goes
# by; and what else had the CPU.
# Tried: it fails where each command or size is at a level of its own; a wide interval passes; a start-up is judged; a
# Tried: baseline that fails at one size passes; 3 comes before 1; other rows run; a start is timed in each round, or of
# Tried: what writes by a name of its own.
# shellcheck disable=SC2086
. "$(dirname "$0")/tap.sh"
. "$top/tests/reports.sh"
loops=''
undo='[ -z "$loops" ] || kill -KILL $loops'

told() { # FILE: of each command that has them in JSON: its name, change, the ends of the interval, and verdict
	perl -lne 'print join " ", /"(?:row": "\$ |(?:change_percent|low|high|verdict)": "?)([^,"}]*)/g if /change_/' "$1" |
		paste -sd,
}
# What is told | of which report, in us, beside the baseline "old".
while IFS='|' read -r wanted lines; do
	made size=4096 runs=4 us 'baseline=$ old; limit_percent=5' "$lines" >a.csv
	"$wb" --compare a.csv -f json >a.json
	is "$lines" "$(told a.json)" "$wanted"
done <<'END'
new 5.01 5.01 5.01 slower|$_old 10000x4; $_new 10501x4
new 5.00 5.00 5.00 undecided|$_old 100x4; $_new 105x4
new 4.99 4.99 4.99 not slower|$_old 10000x4; $_new 10499x4
new 9.00 6.00 10.00 slower|$_old 100x4; $_new 106 108 110 110
new 4.50 -1.00 6.00 undecided|$_old 100x4; $_new 99 103 106 106
new -45.00 -46.00 4.00 not slower|$_old 100x4; $_new 54 55 55 104
new -45.00 -46.01 4.00 undecided|$_old 10000x4; $_new 5399 5500 5500 10400
new -5.00 -10.00 0.00 not slower|limit_percent=1; $_old 100x4; $_new 90 95 95 100
new 1.20 1.20 1.20 slower|limit_percent=1; $_old 1000x4; $_new 1012x4
new 1.20 1.20 1.20 not slower|limit_percent=1.5; $_old 1000x4; $_new 1012x4
also 0.00 null null undecided,new 100.00 null null undecided|$_old 100x4; $_also 100x4; $_new 200x4
new 100.00 null null undecided,new 100.00 null null undecided|4096 8192; $_old 100x4; $_new 200x4
new 20.00 10.00 20.00 slower|runs=3; $_old 100x7 @8 100x10; $_new 110x7 @8 120x10; w 50x7
new null null null undecided|$_old 100x4; $_new 200/101x3 200
new 100.00 100.00 100.00 slower|$_old 100/1x4; $_new 200/100x3 200
new null null null undecided|$_old 100/51x4; $_new 200x4
new null null null undecided|$_old 100x4; $_new =n/a_EXDEV
new null null null undecided|$_old =n/a_EXDEV; $_new 200x4
new null null null failed|$_old 100x4; $_new =mismatch
new null null null null|$_old =failed:exit_status_1; $_new 200x4
new 6.00 6.00 6.00 slower|$_old =shared 100x4; $_new 106x4
new 6.00 6.00 6.00 null|limit_percent=; $_old 100x4; $_new 106x4
END
made size=4096 us 'runs=5; baseline=$ old; limit_percent=5' '$_old 100x5; $_new 106 108 110x3; $_fast 50x5' \
	'w =failed_EIO' >a.csv
"$wb" --compare a.csv -q >out
is "-q: what failed, and the gate" "$(grep -c . out) $(
	grep -Eo '[-+][0-9.]+%|[-0-9.]+ to [-0-9.]+%|: (not )?slower' out | paste -sd' ')" \
	"3 +10.0% 6.0 to 10.0% : slower -50.0% -50.0 to -50.0% : not slower"
for limit in 0.5 1e999 nan -5; do
	made "size=4096; baseline=\$ old; limit_percent=$limit" '$_old 100; $_new 100' >a.csv
	run 2 "a limit that is none: $limit" "$wb" --compare a.csv
done

# Sessions of commands that are hardly start-up.
bytes 65536 >X
echo 'dd bs=64k status=none; [ ! -s /dev/stdin ] || sleep .06' >fast
sed 's/\.06/.25/' fast >slow && sed 's/^/[ $SIZE != 4096 ] || exit 1; /' fast >part
while IFS='|' read -r wanted options; do
	rm -f a.json
	eval "timeout 60 \"\$wb\" -p0 -s 'sendfile,\$ *' -o a.csv -o a.json $options" <X >Y 2>err
	is "$options" "$? $([ ! -e a.json ] || told a.json | sed -E 's/( (null|[-0-9.]+)){3}//g')" "$wanted"
done <<'END'
0 sh ./fast not slower|-n4 -w 'sh fast' -w 'sh ./fast' --baseline='$ sh fast' --fail-if-slower=1000
0 sh fast (2) not slower|-n4 -w 'sh fast' -w 'sh fast' --baseline='$ sh fast' --fail-if-slower=1000
0 sh fast not slower|-n4 -w 'sh fast' -w 'sh fast' --baseline='$ sh fast (2)' --fail-if-slower=1000
3 sh slow slower|-n4 -w 'sh fast' -w 'sh slow' --baseline='$ sh fast' --fail-if-slower=1 2>/dev/full
3 false failed|-n1 -w false -w 'sh fast' --baseline='$ sh fast' --fail-if-slower
4 sh slow undecided|-n1 -w 'sh fast' -w 'sh slow' --baseline='$ sh fast' --fail-if-slower
1 sh fast null|-n1 -z 4k -w 'sh fast' -w 'cp X Y' --baseline='$ cp X Y' --fail-if-slower
3 cp X Y failed|-n1 -z 4k -w 'sh fast' -w 'cp X Y' --baseline='$ sh fast' --fail-if-slower
1 sh fast undecided|-n1 -w 'sh fast' --baseline=sendfile --fail-if-slower 2>/dev/full
1 sh none null|-n1 -w 'sh none' -w false --baseline='$ false' --fail-if-slower
1 sh slow null,sh slow slower|-n5 -z 4k,8k -w 'sh slow' -w 'sh part' --baseline='$ sh part' --fail-if-slower=1
0 sh fast null|-n1 -w 'sh fast' --baseline=sendfile
130 |-n1 -w 'kill -INT $PPID' -w 'sh fast' --baseline='$ sh fast' --fail-if-slower
2 |-w 'sh fast' --baseline='$ sh slow'
2 |-w 'sh fast' --baseline='$ sh fast'
2 |-w 'sh fast' --fail-if-slower
2 |-w 'sh fast' --baseline=sendfile --fail-if-slower=0.5
4 dd bs=8k undecided|-w 'dd bs=64k' -w 'dd bs=8k' --baseline='$ dd bs=64k' --fail-if-slower
END
is "thirty rounds of both" "$(column row a.csv | sort | uniq -c | tr -s ' \n' ' ')" ' 30 $ dd bs=64k 30 $ dd bs=8k '
at_once "text json markdown" -n1 -z 4k,64k -w 'sh fast' -w 'sh slow' --baseline='$ sh fast' --fail-if-slower

# The start of a command on an empty input: in the first three rounds. What can't be known is not.
echo '[ -s /dev/stdin ] && echo run >>log.out || echo start >>log.out' >log
while IFS='|' read -r wanted command options; do
	: >log.out
	timeout 60 "$wb" -p0 -o a.csv -s 'sendfile,$ *' -w ". ./log; $command" $options <X >Y 2>err
	is "starts: $command $options" "$? $(grep -c run log.out) $(grep -c start log.out) $(
		column row,round,start_ns a.csv | sed -n 's/.*,\([0-9]*\),[0-9][0-9]*$/\1/p' | paste -sd,)" "$wanted"
done <<'END'
0 5 3 1,2,3|dd bs=64k status=none|-n5
0 5 3 1,2,3|dd bs=64k status=none|-n3 --warmup=2
0 3 3 1,2,3|dd if="$IN" of="$OUT" bs=64k conv=notrunc status=none|-n3
0 3 0 |dd of=Y bs=64k status=none|-n3
0 1 1 |dd bs=64k status=none; [ -s /dev/stdin ]|-n1
END

# What else had the CPU: two that are always busy.
bytes 8000000 >L
if [ -r /proc/self/schedstat ] && have taskset && taskset -c 0 true 2>/dev/null ||
	or_skip "others that have the CPU" "no taskset(1), or no /proc/self/schedstat"; then
	for _ in 1 2; do taskset -c 0 sh -c 'while :; do :; done' 3>&- & loops="$loops $!"; done
	taskset -c 0 "$wb" -p0 -n5 -s 'read+write 1k' -o a.csv <L >Y 2>err
	kill -KILL $loops && loops=
	percent=$(fact warning_busy a.csv | sed -n 's/.* \([0-9]*\)% of the time.*/\1/p')
	is "others have the CPU for 10 to 100 % of the time: $percent" "$((percent >= 10 && percent <= 100))" 1
fi
