#!/bin/sh
# Races as they run, runs that warm up, and what is said of an input or a machine that makes numbers worth less.
# Tried: it fails where all rows go on, or the slower half does, or an eighth; a row that has left stands among the others; runs of
# Tried: the warm-up count; stolen time is looked for in another column; holes are not counted; dirty memory is reported too late.
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
undo=unplace
. "$top/tests/processes.sh"

fact() { # KEY FILE
	sed -n "s/^# $1: //p" "$2"
}
ranked() { # FILE: the names of the rows, best first
	"$wb" --compare "$1" -f markdown | sed -n '3,$s/^| \([^|]*\) | [0-9].*/\1/p'
}
# raced RUNS DEALT UNITS: a race of dd(1) and commands that sleep before it, whose rows, the fastest first, are to have so many runs. Their
# order is known, where the machine does not stand still for as long as they differ by: else they are raced again, sleeping longer.
# dd(1), since what shares blocks, as cat(1) does on btrfs and XFS, is not ranked.
raced() {
	runs=$1 due=$2 units=$3
	for unit in 3 10 30 100 150; do
		set --
		for n in $units; do set -- "$@" -w "sleep $((n * unit / 100)).$(printf %02d $((n * unit % 100))); dd"; done
		order=$(echo '$ dd' && printf '$ %s\n' "$@" | grep -v '^\$ -w' | sort -k3n)
		"$wb" -p0 --race="$runs" --seed=3 -s '$ *' "$@" -w dd -f csv -o a.csv <X >Y 2>err
		status=$?
		dealt=$(echo "$order" | while read -r row; do column 1 a.csv | grep -cFx "$row"; done | tr '\n' ' ')
		[ $status != 0 ] || [ "$dealt" != "$due" ] || [ "$(ranked a.csv)" != "$order" ] || break
	done
}
# 4 rows, 18 runs: after round 3, that is 12 runs, the slower two leave.
bytes 10000 >X
raced 18 "6 6 3 3 " "2 1 3"
is "a race of four" "$status $(fact race a.csv)" "0 18"
same "... leaves a copy" X Y
is "... has the better half run 6 times, the others 3 times" "$dealt" "6 6 3 3 "
is "... all four are in each of the first 3 rounds, two in the others" "$(column 2 a.csv | uniq -c | tr -s ' \n' ' ')" " 4 1 4 2 4 3 2 4 2 5 2 6 "
"$wb" --compare a.csv >text
joined text >line
is "... ranks the winner first, and those that left last" "$(ranked a.csv)" "$order"
is "... those have no percentage, but their number of runs, which no other row has" \
	"$(sed '1,/^row  /d;/^$/,$d' text | grep -Eo '^\$ sleep .*s \(3 runs\)|runs\)' | sed 's/ [0-9.]*;.* (/ (/' | tr '\n' ' ')" '$ sleep (3 runs) $ sleep (3 runs) '
is "... CSV reports which rows left" "$(grep ',left the race$' a.csv | cut -d, -f1 | sort -u)" "$(echo "$order" | tail -n 2 | sort)"
holds "... the recommendation, how many may be the fastest, and that it was a race" line \
	' Use \$ dd[ ,:].* [0-9.]+ times .*sleep [0-9.]+; dd' ' ~: [1-4] of 4 rows' ' race of 18 runs'
raced 11 "4 4 3 " "1 3"
is "three rows, 11 runs: the third leaves after 9" "$status $dealt" "0 4 4 3 "

# All rows, whose order is not known.
bytes 65536 >X
k=$(rows -s '*' | wc -l | tr -d ' ')
# By the definition: what is wrong with a race of so many runs. Rows with the median in the middle may have gone on, or not.
cat >race.awk <<'AWK'
function median(row, n,  i, j, s) {
	for (i = 1; i <= n; i++) {
		for (j = i; j > 1 && s[j - 1] > ns[row, i]; j--) s[j] = s[j - 1]
		s[j] = ns[row, i]
	}
	return (s[int((n + 1) / 2)] + s[int(n / 2) + 1]) / 2
}
$4 != "ok" { gone[$1] }
{ ns[$1, ++runs[$1]] = $3 + 0; if ($2 != runs[$1]) print $1, "was not in a round before", $2; spent++ }
{ left[$1] = $NF == "left the race"; if (runs[$1] > most) most = runs[$1] }
END {
	for (row in runs) if (!(row in gone) && left[row] != (runs[row] < most)) print row, "has", runs[row], "runs, and has left or not"
	if (spent > budget) print spent, "runs"
	leave = 3
	for (round = 1; ; round++) {
		alive = on = 0
		for (row in runs) if (!(row in gone) && runs[row] >= round) {
			m[++alive] = median(row, round)
			went[alive] = runs[row] > round
			on += went[alive]
		}
		stay = round == leave ? int((alive + 1) / 2) : alive
		if (round == leave) leave *= 2
		if (on != stay && (on || spent + stay <= budget)) print on, "of", alive, "went on after round", round
		for (i = 1; i <= alive; i++) for (j = 1; j <= alive; j++) if (went[i] && !went[j] && m[i] > m[j]) print m[i], "went on, not", m[j]
		if (!on) exit
	}
}
AWK
for race in --race "--race=$((3 * k + 1))"; do
	budget=${race#--race} budget=${budget#=} budget=${budget:-$((6 * k))}
	run 0 "$race" "$wb" -p0 "$race" --seed=11 -f csv -o a.csv <X >Y
	is "... reports that number, and all rows are in the first round" "$(fact race a.csv) $(sed '1,/^row,/d' a.csv | grep -c '^[^,]*,1,')" "$budget $k"
	is "... after rounds 3, 6, 12 the better half goes on, and no more runs are made than it says" \
		"$(sed '1,/^row,/d' a.csv | awk -F, -v budget="$budget" -f race.awk)" ""
done
run 1 "a row that fails and one that is n/a" "$wb" -p0 --race=40 -s 'send*' -w 'exit 3' -w 'sleep .01; dd' -f csv -o a.csv <X >Y
is "... are not tried again" "$(grep '^\$ exit 3,' a.csv | cut -d, -f2-4)" "1,,failed exit 3"

# What can't be had together.
echo precious >Z
while IFS='|' read -r what regex options; do
	# shellcheck disable=SC2086
	"$wb" $options <X 1<>Z 2>err
	is "refused: $what" "$? $(cat Z) $(wc -l <err) $(grep -Ec "^write-bench: $regex" err)" "2 precious 1 1"
done <<'END'
a race with --runs|--race: .*--runs|--race -n 3
fewer runs than rows|--race=4: .* 5 |--race=4 -s send* -w cat
a race of one|--race: .*sendfile|--race -s sendfile
END

# SIGINT in the middle: what is known is reported.
"$wb" -p 0.002 --race=200000 -s 'send*,read+write*' -w 'dd bs=64k; echo >>rounds' -f csv -o report <X >Y 2>err &
pid=$!
until_there awk 'END { exit NR < 3 }' rounds
kill -INT $pid
within 60 $pid
wait $pid
is "SIGINT in a race" $? 130
holds "... what was measured is reported" report '^# interrupted: .* [0-9]+ of 200000 ' '^sendfile,1,[0-9]+,ok,' '^# recommended: '

# Runs that warm up are made, but not reported.
run 0 "--warmup" "$wb" -p0 -n3 --warmup=2 -s 'sendfile,$ *' -w 'echo >>warmed; dd' -f csv -o a.csv <X >Y
is "... does not count" "$(column 2 a.csv | sort | uniq -c | tr -s ' \n' ' ') $(wc -l <warmed)" " 2 1 2 2 2 3  5"

# What the input is like.
look() { # WARNING|none DESCRIPTION [OPTION...]: of X
	wanted=$1 what=$2
	shift 2
	"$wb" -p0 -n1 -s 'sendfile,read+write 256k' "$@" -f csv -o a.csv <X >Y 2>err
	is "$what: $wanted" "$(sed -n 's/^# warning_\(zero\|sparse\):.*/\1/p' a.csv)" "$(echo "$wanted" | sed 's/none//')"
}
while IFS='|' read -r wanted what options make; do
	rm -f X
	eval "$make" 2>make.err
	# shellcheck disable=SC2086
	look "$wanted" "$what" $options
done <<'END'
none|random bytes||bytes 1000000 >X
none|1.6 % zeros||{ bytes 983040 && head -c 16384 /dev/zero; } >X
zero|25 % zeros||{ bytes 786432 && head -c 262144 /dev/zero; } >X
none|... behind what is copied|-z 786432|{ bytes 786432 && head -c 262144 /dev/zero; } >X
zero|zeros||head -c 1000000 /dev/zero >X
END
holds "... are reported with how many, and a remedy" a.csv '^# warning_zero: 100% .* -g noise:256m >X$'
rm X && truncate -s 1000000 X
if [ "$(stat -c %b X)" = 0 ]; then
	look sparse "one hole"
	holds "... is reported with its share" a.csv '^# warning_sparse: 100% .* -g noise:256m >X$'
	bytes 1000000 >X && truncate -s 2000000 X
	look sparse "half a hole"
else
	skip "sparse input" "no sparse files here"
fi

# What the machine does meanwhile: files of /proc and /sys are covered, in mounts of our own, and changed by a command amid the runs.
bytes 100000 >X
cover() { # FILE: by one that is in "fake"
	[ "${PLACES-}" = private ] && mount --bind fake "$1" 2>/dev/null && undo="$undo; umount $1 2>/dev/null"
}
# strained WARNING|none DESCRIPTION FILE BEFORE AFTER [REGEX]: lines of the file, as printf has them; what the warning is to say
strained() {
	# shellcheck disable=SC2059
	printf "$4" >"$3" && printf "$5" >after
	"$wb" -p0 -n2 -s 'sendfile,read+write 1k' -w "cat; cat after >'$3'" -f csv -o a.csv <X >"${out-Y}" 2>err
	is "$2: $1" "$? $(sed -n 's/^# warning_\([a-z]*\):.*/\1/p' a.csv | grep -E "$kinds")" "0 $(echo "$1" | sed 's/none//')"
	[ -z "${6-}" ] || holds "... with how much, and a remedy" a.csv "$6"
}
kinds=steal # the others are this host's, and none of ours
: >fake
if cover /proc/stat; then
	strained steal "5 % stolen" fake 'cpu  1000 0 1000 8000 0 0 0 7\n' 'cpu  1500 0 1500 8900 0 0 0 107\n' '^# warning_steal: .* 5\.0% '
	strained none "0.5 % of the time stolen" fake 'cpu  1000 0 1000 8000 0 0 0 7\n' 'cpu  1500 0 1500 8990 0 0 0 17\n'
	strained none "stolen before" fake 'cpu  1000 0 1000 8000 0 0 0 900\n' 'cpu  1500 0 1500 8900 0 0 0 900\n'
	umount /proc/stat
else
	skip "stolen time" "not root, or no mount namespaces"
fi
if [ "${PLACES-}" = private ] && mount -t tmpfs tmpfs /sys/devices/system/cpu 2>/dev/null; then
	undo="$undo; umount /sys/devices/system/cpu 2>/dev/null"
	mkdir -p /sys/devices/system/cpu/cpu0/thermal_throttle /sys/devices/system/cpu/cpu1/thermal_throttle
	echo 9 >/sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count
	for file in possible present online; do echo 0-1 >/sys/devices/system/cpu/$file; done
	kinds=throttled
	throttle=/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count
	strained throttled "slowed down for heat" "$throttle" '5\n' '8\n' '^# warning_throttled: .* 3\)'
	strained none "slowed down before" "$throttle" '5\n' '5\n'
	umount /sys/devices/system/cpu
else
	skip "heat" "not root, or no mount namespaces"
fi
: >fake
if cover /proc/vmstat; then
	kinds='dirty|swapped'
	# Writers wait from half way between both thresholds on: 1000 pages.
	thresholds='nr_dirty_threshold 1200\nnr_dirty_background_threshold 800\npswpin 5\npswpout 6\n'
	before="nr_dirty 1\nnr_writeback 1\n$thresholds" after=$(printf %s "$before" | sed 's/in 5/in 25/; s/out 6/out 36/')
	strained dirty "dirty memory where writers wait" fake "$before" "nr_dirty 900\nnr_writeback 200\n$thresholds" '^# warning_dirty: .* 110% '
	strained none "... or 90 % of that" fake "$before" "nr_dirty 700\nnr_writeback 200\n$thresholds"
	mkdir swapping && mount -t tmpfs -o size=4m tmpfs swapping && undo="$undo; umount swapping 2>/dev/null"
	out=swapping/Y
	strained swapped "swapping, while the output is on tmpfs" fake "$before" "$after" '^# warning_swapped: .* 50 pages'
	strained none "... swapping before" fake "$after" "$after"
	umount /proc/vmstat
else
	skip "dirty memory and swapping" "not root, or no mount namespaces"
fi
