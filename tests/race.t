#!/bin/sh
# Races as they run, the control's runs, and what is said of an input or a machine that makes numbers
# worth less.
# Tried: it fails where all rows go on; a row that has left stands among the others; the control is of the first row in the
# Tried: table; a row does not answer for its control; runs of the warm-up count for the control; stolen time is looked
# Tried: for in another column; holes are not counted; dirty memory is reported too late.
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
undo=unplace
. "$top/tests/processes.sh"

fact() { # KEY FILE
	sed -n "s/^# $1: //p" "$2"
}
runs_of() { # ROW FILE: in CSV, where the row's name is a pattern of grep
	sed '1,/^row,/d' "$2" | grep -c "^$1,"
}
ranked() { # FILE: the names of the rows, best first
	"$wb" --compare "$1" | sed '1,/^row  /d;/^$/,$d' | sed 's/  .*//'
}
dealt_out() { # FILE ROW...: how many runs each row had
	file=$1
	shift
	for row; do runs_of "$row" "$file"; done | tr '\n' ' '
}
# Commands that sleep have an order that is known, where the machine does not stand still for as long as
# they differ by: else they are raced again, sleeping longer. They copy by dd(1), since what shares blocks, as cat(1) does on btrfs
# and XFS, is not ranked.
sleeps='.03 .06 .09
.1 .2 .3
.3 .6 .9
1 2 3
1.5 3 4.5'
flat() { # FILE...: as one line
	tr -s '\n ' ' ' <"$1"
}

# Rows whose order is known: 4 rows, 24 runs, 2 phases. The first has 24 / 2 / 4 = 3 runs of each row, then
# the better half has what is left, 12 / 2 = 6 more.
bytes 10000 >X
while read -r short middle long <&4; do
	"$wb" -p0 --race=24 --seed=3 -s '$ *' -w "sleep $middle; dd" -w dd -w "sleep $short; dd" -w "sleep $long; dd" -f csv -o a.csv <X >Y 2>err
	status=$?
	order="\$ dd
\$ sleep $short; dd
\$ sleep $middle; dd
\$ sleep $long; dd"
	dealt=$(dealt_out a.csv '\$ dd' "\\\$ sleep $short; dd" "\\\$ sleep $middle; dd" "\\\$ sleep $long; dd")
	[ $status != 0 ] || [ "$dealt" != "9 9 3 3 " ] || [ "$(ranked a.csv)" != "$order" ] || break
done 4<<END
$sleeps
END
is "a race of four" "$status" 0
same "... leaves a copy" X Y
is "... has the better half run 9 times, the others 3 times" "$dealt" "9 9 3 3 "
is "... says how many runs it had" "$(fact race a.csv)" 24
is "... all four are in each of the first 3 rounds, two in the others" "$(column 2 a.csv | uniq -c | tr -s ' \n' ' ')" " 4 1 4 2 4 3 2 4 2 5 2 6 2 7 2 8 2 9 "
"$wb" --compare a.csv >text
flat text >line
is "... ranks the winner first, and those that left last" "$(ranked a.csv)" "$order"
is "... those have no percentage, but their number of runs" "$(sed '1,/^row  /d;/^$/,$d' text | sed 1,2d | grep -Ec '^\$ sleep .*s \(3 runs\)')" 2
is "... which no other row has" "$(sed '1,/^row  /d;/^$/,$d' text | grep -c 'runs)')" 2
is "... CSV reports which rows left" "$(grep ',left the race$' a.csv | cut -d, -f1 | sort -u)" "$(echo "$order" | tail -n 2 | sort)"
holds "... the recommendation, and how sure it is" line \
	"Use \\\$ dd: .* [0-9.]+ times as fast as sleep $short; dd \\(95 %: [0-9.]+ to [0-9.]+\\)"
holds "... how many may be the fastest" line ' ~: [1-4] of 4 rows may be fastest \(95 % confidence\)'
holds "... and that it was a race" line ' a race of 24 runs'
run 0 "a race of two, of 2 runs" "$wb" -p0 --race=2 -s '$ *' -w dd -w 'sleep .01; dd' -f csv -o a.csv <X >Y
is "... has them run once" "$(column 2 a.csv | tr '\n' ' ')" "1 1 "
while read -r short _ long <&4; do
	"$wb" -p0 -r11 -s '$ *' -w dd -w "sleep $short; dd" -w "sleep $long; dd" -f csv -o a.csv <X >Y 2>err
	status=$?
	dealt=$(dealt_out a.csv '\$ dd' "\\\$ sleep $short; dd" "\\\$ sleep $long; dd")
	[ $status != 0 ] || [ "$dealt" != "3 3 1 " ] || break
done 4<<END
$sleeps
END
is "three rows, 11 runs: 2 phases of 11 / 2 / 3 = 1 and 11 / 2 / 2 = 2" "$status" 0
is "... is dealt out so" "$dealt" "3 3 1 "

# All rows, whose order is not known. K rows and 6 K runs: the first phase is one run of each, or two.
bytes 65536 >X
k=$(rows -s '*' | wc -l | tr -d ' ')
for race in --race "--race=$k" "--race=$((3 * k + 1))" "--race=$((10 * k))"; do
	budget=${race#--race} budget=${budget#=} budget=${budget:-$((6 * k))}
	run 0 "$race" "$wb" -p0 "$race" --seed=11 -f csv -o a.csv <X >Y
	same "... leaves a copy" X Y
	lines=$(column 1 a.csv | wc -l | tr -d ' ')
	[ "$lines" -le "$budget" ]
	is "... has no more than $budget runs ($lines)" $? 0
	is "... reports that number" "$(fact race a.csv)" "$budget"
	is "... all rows are in the first round" "$(sed '1,/^row,/d' a.csv | grep -c '^[^,]*,1,')" "$k"
	is "... and no row is in a round that it was not in before" \
		"$(sed '1,/^row,/d' a.csv | awk -F, '$2 != ++n[$1] { print }')" ""
	# By the definition: after the first phase, the rows of the better half by median go on.
	sed '1,/^row,/d' a.csv | awk -F, -v budget="$budget" '$4 !~ /^ok/ { gone[$1] = 1 } { runs[$1]++; ns[$1, $2] = $3 }
		END { for (row in runs) k++
			for (phases = 0; 2 ^ phases < k; phases++);
			share = int(budget / (phases * k)); if (share < 1) share = 1
			for (row in runs) if (!(row in gone)) {
				for (i = 1; i <= share; i++) { x = ns[row, i] + 0; for (j = i; j > 1 && s[j - 1] > x; j--) s[j] = s[j - 1]; s[j] = x }
				print (s[int((share + 1) / 2)] + s[int(share / 2) + 1]) / 2, (runs[row] > share), row
			} }' | sort -n >phase
	alive=$(wc -l <phase)
	case $race in
	"--race=$k") is "... which was all" "$(awk '$2' phase)" "" ;;
	*)
		# two rows with the median that is in the middle: any of them may have gone on
		is "... the better half went on" "$(awk -v half=$(((alive + 1) / 2)) '{ ns[NR] = $1; line[NR] = $0; on += $2; went[NR] = $2 }
			END { if (on < half) print on, "rows"; for (i = 1; i <= half; i++) if (!went[i] && ns[i] != ns[half]) print line[i] }' phase)" ""
		[ "$(awk '!$2' phase | wc -l)" -gt $((alive / 8)) ]
		is "... and many others did not" $? 0
		;;
	esac
	most=$(column 1 a.csv | sort | uniq -c | sort -rn | awk 'NR == 1 { print $1 }')
	is "... a row that has fewer runs than others has left the race, and no other" \
		"$(sed '1,/^row,/d' a.csv | awk -F, -v most="$most" '$4 == "ok" { n[$1]++; left[$1] = $NF == "left the race" }
			END { for (row in n) if (left[row] != (n[row] < most)) print row, n[row] }')" ""
	"$wb" --compare a.csv | sed '1,/^row  /d;/^$/,$d' >text
	is "... and is below the others, with its runs, the last to leave first" \
		"$(sed -n 's/.*(\([0-9]*\) runs*).*/\1/p' text | sort -rnc 2>&1)$(sed '1,/ runs*)/d' text | grep -vE ' runs?[)]')" ""
done
run 0 "a race as JSON" "$wb" -p0 --race -s 'send*' -f json -o json <X >Y
if have perl && perl -MJSON::PP -e1 2>/dev/null; then
	is "... has the runs of each row" "$(perl -MJSON::PP -e 'local $/; print grep { $_->{runs} != @{$_->{runs_ns}} } @{decode_json(<STDIN>)->{rows}}' <json 2>&1)" ""
else
	skip "a race as JSON" "no perl with JSON::PP"
fi
for seed in 5 6; do
	"$wb" -p0 --race="$k" --seed=$seed -f csv -o a.csv <X >Y 2>err
	column 1 a.csv >order.$seed
done
"$wb" -p0 --race --seed=5 -f csv -o a.csv <X >Y 2>err
column 1 a.csv | head -n "$k" >order
same "the seed repeats the first round" order order.5
cmp -s order order.6
is "another seed has another" $? 1
is "the seed is in the report" "$(fact order a.csv), $(fact seed a.csv)" "shuffled rounds, 5"
run 1 "a row that fails and one that is n/a" "$wb" -p0 --race=40 -s 'send*' -w 'exit 3' -w 'sleep .01; dd' -f csv -o a.csv <X >Y
is "... are not tried again" "$(runs_of '\$ exit 3' a.csv) $(grep '^\$ exit 3,' a.csv | cut -d, -f3-4)" "1 ,failed exit 3"
same "... which does the copy no harm" X Y

# What can't be had together.
refused() { # DESCRIPTION REGEX OPTION...
	what=$1 regex=$2
	shift 2
	echo precious >Z
	"$wb" "$@" <X 1<>Z 2>err
	status=$?
	[ $status = 2 ] && [ "$(cat Z)" = precious ] && [ "$(wc -l <err)" = 1 ] && grep -Eq -e "$regex" err
	is "refused: $what" "$? $status" "0 2"
}
refused "a race with --runs" "^write-bench: --race: .*--runs" --race -n 3
refused "... the other way round" "^write-bench: --race: .*--runs" -n 3 -r20
refused "a race in order" "^write-bench: --race: .*--in-order" --in-order --race
refused "fewer runs than rows" "^write-bench: --race=4: .* 5 " --race=4 -s 'send*' -w cat
refused "a race of one" "^write-bench: --race: .*two rows.*sendfile" --race -s sendfile
refused "no runs" "^write-bench: --race=0: " --race=0
refused "runs that are no number" "^write-bench: --race=x: " --race=x
refused "runs below 0" "^write-bench: --race=-5: " --race=-5
refused "more runs than there is room for" "^write-bench: --race=500001: " --race=500001
refused "an empty number" "^write-bench: --race=: " --race=

# SIGINT in the middle: what is known is reported.
has_lines() { # NUMBER FILE: or more
	[ "$(wc -l <"$2")" -ge "$1" ]
}
for format in text csv; do
	rm -f report rounds
	"$wb" -p 0.002 --race=200000 -s 'send*,read+write*' -w 'dd bs=64k; echo >>rounds' -f $format -o report <X >Y 2>err &
	pid=$!
	until_there has_lines 3 rounds
	kill -INT $pid
	within 60 $pid
	wait $pid
	is "SIGINT in a race: exit status ($format)" $? 130
done
holds "... the report has what was measured" report '^# interrupted: .* after [0-9]+ of 200000 runs' '^sendfile,1,[0-9]+,ok,'
"$wb" --compare report >text
flat text >line
holds "... and which row is ahead" line ' Use [^ ]+.*: median [0-9.]+[mu]s, [0-9.]+ [MG]iB/s'
"$wb" -p 1000 --race -s 'send*' -o report <X >Y 2>err &
pid=$!
until_catching $pid && until_there pausing $pid
kill -INT $pid
within 60 $pid
wait $pid
is "SIGINT before the first run: exit status" $? 130
holds "... the report says so" report '^Interrupted by SIGINT after 0 of 24 runs'

# The control: the row that led after the first round runs once more in each of the others, and no table shows that.
leader() { # FILE: the row whose first run was the fastest
	sed '1,/^row,/d' "$1" | awk -F, '$4 == "ok" && !n[$1]++' | sort -t, -k3,3n | head -n 1 | cut -d, -f1
}
controls() { # FILE: how many runs the control had
	fact control_ns "$1" | tr ' ' '\n' | grep -c '^[1-9][0-9]*$'
}
run 0 "three rows, 4 runs" "$wb" -p0 -n4 -s 'sendfile,read+write 1k,pipe+splice' -f csv -o a.csv <X >Y
is "the control is of the row that led after the first round" "$(fact control a.csv)" "$(leader a.csv)"
is "... has a run in each other round" "$(controls a.csv) from $(fact control_round a.csv)" "3 from 2"
is "... and has no line of its own" "$(column 1 a.csv | sort | uniq -c | awk '{ print $1 }' | tr '\n' ' ')" "4 4 4 "
while read -r short _ _ <&4; do # a row that is last in the table
	"$wb" -p0 -n2 -s '$ *' -w "sleep $short; dd" -w dd -f csv -o a.csv <X >Y 2>err
	status=$?
	[ "$status $(fact control a.csv)" != '0 $ dd' ] || break
done 4<<END
$sleeps
END
is "... which need not be the first of the table" "$status $(fact control a.csv)" '0 $ dd'
"$wb" --compare a.csv -v >text
flat text >line
is "... the report says how far the medians of both are apart" "$(grep -o 'Control: .* differed by [0-9.e+]* %' line)" \
	"$(awk -v a="$(fact control_ns a.csv)" -v b="$(grep '^\$ dd,2,' a.csv | cut -d, -f3)" \
		'BEGIN { x = a < b ? b / a : a / b; printf "Control: $ dd, run twice a round, differed by %.2g %%", 100 * x - 100 }')"
"$wb" --compare a.csv >text
lacks "... with --verbose only" text 'Control'
run 0 "one run of each row" "$wb" -p0 -n1 -s 'sendfile,read+write 1k' -f csv -o a.csv <X >Y
is "... there is no second round, and no control" "$(fact control a.csv)$(fact control_ns a.csv)" ""
run 0 "one row" "$wb" -p0 -n4 -s sendfile -f csv -o a.csv <X >Y
is "... has no control" "$(fact control a.csv)$(fact control_ns a.csv)" ""
run 0 "rows in order" "$wb" -p0 -n4 --in-order -s 'sendfile,read+write 1k' -f csv -o a.csv <X >Y
is "... have a control, too, of the row whose first run was the fastest" "$(fact control a.csv)" "$(leader a.csv)"
is "... after all rows: as many runs as they have" "$(controls a.csv) from $(fact control_round a.csv)" "4 from 1"
for order in "" --in-order; do
	marks=
	for seed in 1 2 3 4; do # of the shuffle, so that its turn is before rows and after them
		# shellcheck disable=SC2086
		"$wb" -p0 -n3 --warmup=2 --seed=$seed $order -s 'sendfile,read+write 1k' -f csv -o a.csv <X >Y 2>err
		marks="$marks $(controls a.csv)"
	done
	is "runs of the warm-up do not count for it: -n3 ${order:-in rounds}" "$marks" \
		"$(if [ $order ]; then echo " 3 3 3 3"; else echo " 2 2 2 2"; fi)"
	is "... nor for rows" "$(column 2 a.csv | sort | uniq -c | tr -s ' \n' ' ')" " 2 1 2 2 2 3 "
done
run 0 "a first row that is n/a, for want of huge pages" "$wb" -p0 -n3 -s 'mmap+mmap huge + trunc' -w dd -f csv -o a.csv <X >Y
is "... has no control, the next has one" "$(grep '^mmap+mmap huge + trunc,' a.csv | cut -d, -f4), $(fact control a.csv)" "n/a EOPNOTSUPP, \$ dd"
run 0 "a race" "$wb" -p0 --race -s 'send*' -f csv -o a.csv <X >Y
control=$(fact control a.csv) from=$(fact control_round a.csv)
[ "$control" ] && [ "$(controls a.csv)" -le "$(sed '1,/^row,/d' a.csv | awk -F, -v row="$control" -v from="$from" '$1 == row && $2 >= from' | wc -l)" ]
is "... has a control of one of its rows, in rounds that this row is in" $? 0
if can_trace; then
	bytes 102400 >X # in order: a hundred writes of a row, then sendfile, which needs but one call, then its control
	for fault in "error=EIO:failed EIO:sendfile" "retval=1024:mismatch:0" "retval=0:failed short:0"; do
		outcome=${fault#*:}
		strace -qq -o trace -P "$work/X" -P "$work/Y" -e inject="sendfile:${fault%%:*}:when=2+" \
			"$wb" -p0 -n1 --in-order -s 'read+write 1k,sendfile' -f csv -o a.csv <X >Y 2>err
		is "the second run of a row is the control's: ${fault%%:*} in it fails the row" \
			"$? $(column 1 a.csv | tr '\n' ' ')$(column 4 a.csv | tr '\n' ' ')" "1 read+write 1k sendfile sendfile ok ok ${outcome%:*} "
		is "... and CSV reports the call, or the first byte that is wrong" "$(column detail a.csv | tail -n 1)" "${outcome#*:}"
		same "... and standard output is a copy all the same" X Y
	done
	strace -qq -o trace -P "$work/X" -P "$work/Y" -e inject="sendfile:error=EINVAL:when=2" \
		"$wb" -p0 -n1 --in-order -s 'read+write 1k,sendfile' -f csv -o a.csv <X >Y 2>err
	is "a control that is refused before its first byte fails nothing" \
		"$? $(grep -c INJECTED trace) $(fact control a.csv) $(column 4 a.csv | tr '\n' ' ')" "0 1  ok ok "
	{ echo && bytes 99999; } >X # the fourth sendfile is the last run of all, the control's, whose row has been compared before
	strace -qq -o trace -P "$work/X" -P "$work/Y" -e inject=sendfile:retval=100000:when=4 \
		"$wb" -p0 -n2 --in-order -s 'read+write 1k,sendfile + advices + trunc' -f csv -o a.csv <X >Y 2>err
	is "a lie in the last run of a control fails the row" \
		"$? $(grep -c INJECTED trace) $(column 1 a.csv | tail -n 1): $(column 4 a.csv | tail -n 1)" "1 1 sendfile + advices + trunc: mismatch"
	same "... and standard output is a copy all the same" X Y
else
	skip "a control that fails" "no strace"
fi

# What the input is like.
look() { # WARNING|none DESCRIPTION [OPTION...]: of X
	wanted=$1 what=$2
	shift 2
	"$wb" -p0 -n1 -s 'sendfile,read+write 256k' "$@" -f csv -o a.csv <X >Y 2>err
	is "$what: $wanted" "$(sed -n 's/^# warning_\(zero\|sparse\):.*/\1/p' a.csv)" "$(echo "$wanted" | sed 's/none//')"
}
bytes 1000000 >X
look none "random bytes"
head -c 1000000 /dev/zero >X
look zero "zeros"
holds "... are reported with how many, and a remedy" a.csv '^# warning_zero: 100 % .*zeros.*: use -g noise:256m >X$'
"$wb" -g noise:1m >X
look none "what that remedy writes"
{ bytes 983040 && head -c 16384 /dev/zero; } >X
look none "1.6 % zeros"
{ bytes 786432 && head -c 262144 /dev/zero; } >X
look zero "25 % zeros"
look none "... behind what is copied" -z 786432
rm X && truncate -s 1000000 X
if [ "$(stat -c %b X)" = 0 ]; then
	look sparse "one hole"
	holds "... is reported with its share" a.csv '^# warning_sparse: 100 % .*holes.*: use -g noise:256m >X$'
	bytes 900000 | dd of=X conv=notrunc bs=100000 iflag=fullblock seek=0 2>/dev/null
	truncate -s 2000000 X
	look sparse "half a hole"
else
	skip "sparse input" "no sparse files here"
fi
"$wb" -p0 -n1 -z 1m -s 'read+write 256k,read+write 1k' -f csv -o a.csv </dev/zero >Y 2>err
holds "/dev/zero: zero" a.csv '^# warning_zero: 100 %'

# What the machine does meanwhile: files of /proc and /sys are covered, in mounts of our own, and changed by
# a command in the midst of the runs.
bytes 100000 >X
cover() { # FILE: by one that is in "fake"
	[ "${PLACES-}" = private ] && mount --bind fake "$1" 2>/dev/null && undo="$undo; umount $1 2>/dev/null"
}
# strained WARNING|none DESCRIPTION FILE BEFORE AFTER [REGEX]: lines of the file, as printf has them; what the warning is to say
strained() {
	# shellcheck disable=SC2059
	printf "$4" >"$3" && printf "$5" >after
	"$wb" -p0 -n2 -s 'sendfile,read+write 1k' -w "cat; cat after >'$3'" -f csv -o a.csv <"${input-X}" >"${out-Y}" 2>err
	is "$2: $1" "$? $(sed -n 's/^# warning_\([a-z]*\):.*/\1/p' a.csv | grep -E "$kinds")" "0 $(echo "$1" | sed 's/none//')"
	[ -z "${6-}" ] || holds "... with how much, and a remedy" a.csv "$6"
}
kinds=steal # the others are this host's, and none of ours
: >fake
if cover /proc/stat; then
	strained steal "5 % of the time stolen" fake 'cpu  1000 0 1000 8000 0 0 0 7\n' 'cpu  1500 0 1500 8900 0 0 0 107\n' '^# warning_steal: .* 5\.0 % of the CPU time: use a host'
	strained steal "... all that passes counts, not only what is used" fake 'cpu  1 2 3 4 5 6 7 8 0 0\n' 'cpu  101 102 103 104 105 106 107 108 0 0\n' '^# warning_steal: .* 12\.5 % '
	strained none "0.5 % of the time stolen" fake 'cpu  1000 0 1000 8000 0 0 0 7\n' 'cpu  1500 0 1500 8990 0 0 0 17\n'
	strained none "stolen before" fake 'cpu  1000 0 1000 8000 0 0 0 900\n' 'cpu  1500 0 1500 8900 0 0 0 900\n'
	umount /proc/stat
else
	skip "stolen time" "not root, or no mount namespaces"
fi
if [ "${PLACES-}" = private ] && mount -t tmpfs tmpfs /sys/devices/system/cpu 2>/dev/null; then
	undo="$undo; umount /sys/devices/system/cpu 2>/dev/null"
	mkdir -p /sys/devices/system/cpu/cpu0/thermal_throttle /sys/devices/system/cpu/cpu1/thermal_throttle
	for file in possible present online; do echo 0-1 >/sys/devices/system/cpu/$file; done
	kinds=throttled
	throttle=/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count
	throttle1=/sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count
	echo 100 >$throttle1
	strained throttled "slowed down for heat" "$throttle" '5\n' '8\n' '^# warning_throttled: .*heat \(events: 3\): cool'
	strained none "slowed down before" "$throttle" '5\n' '5\n'
	strained throttled "another CPU, too" "$throttle1" '100\n' '101\n' 'heat \(events: 1\): cool'
	umount /sys/devices/system/cpu
else
	skip "heat" "not root, or no mount namespaces"
fi
: >fake
if cover /proc/vmstat; then
	kinds='dirty|swapped'
	# Writers wait from half way between both thresholds on: 1000 pages.
	thresholds='nr_dirty_threshold 1200\nnr_dirty_background_threshold 800\npswpin 5\npswpout 6\n'
	strained dirty "dirty memory where writers wait" fake "nr_dirty 1\nnr_writeback 1\n$thresholds" "nr_dirty 900\nnr_writeback 200\n$thresholds" '^# warning_dirty: .* 110 % .*: copy less'
	strained none "... or 90 % of that" fake "nr_dirty 1\nnr_writeback 1\n$thresholds" "nr_dirty 700\nnr_writeback 200\n$thresholds"
	strained none "a kernel that reports no thresholds" fake 'nr_dirty 1\n' 'nr_dirty 100000\n'
	quiet="nr_dirty 1\nnr_writeback 1\nnr_dirty_threshold 1200\nnr_dirty_background_threshold 800\n"
	if mkdir swapping && mount -t tmpfs -o size=4m tmpfs swapping; then
		undo="$undo; umount swapping 2>/dev/null"
		out=swapping/Y
		strained swapped "swapping, while the output is on tmpfs" fake "${quiet}pswpin 5\npswpout 6\n" "${quiet}pswpin 25\npswpout 36\n" '^# warning_swapped: .* 50 pages.*: copy less'
		strained none "... swapping before" fake "${quiet}pswpin 25\npswpout 36\n" "${quiet}pswpin 25\npswpout 36\n"
		out=Y
	else
		skip "swapping" "no tmpfs"
	fi
	if disk=$(disk); then
		cp X "$disk/X.disk"
		input=$disk/X.disk out=$disk/Y
		strained none "swapping, while nothing is on tmpfs" fake "${quiet}pswpin 5\npswpout 6\n" "${quiet}pswpin 25\npswpout 36\n"
	else
		skip "swapping, while nothing is on tmpfs" "the current directory is on no disk, and no ext4 can be mounted"
	fi
	umount /proc/vmstat
else
	skip "dirty memory and swapping" "not root, or no mount namespaces"
fi
