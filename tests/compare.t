#!/bin/sh
# --compare: a report that is read back is the same report; two and more stand side by side; and what is
# no report is refused with its name, line and reason.
# Tried: it fails where a report may be cut between two lines; a report may have control characters; changes are tested as
# Tried: if to one side only; each change is one, or none below 2 %; the report may go onto the one that it is made from;
# Tried: quotes are not doubled; two files with too few runs are separated; one difference is a warning; below the
# Tried: table there is as much as there is to say; numbers are strings in JSON; a word that is too long for a line is not cut;
# Tried: the recommendation is by best runs; only the row with the best run may beat others; a gate takes missing rows, too
# Tried: few runs or another clock for none that is slower.
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"
. "$top/tests/replay.sh"

perl=no
have perl && perl -MJSON::PP -e1 2>/dev/null && perl=yes
is_json() { # DESCRIPTION FILE: that file; all are read in the end, by one perl
	jsons=$((jsons + 1))
	{ echo "$1 ($jsons)" && cat "$2"; } >"json.$jsons"
}
jsons=0
# csv <<END >FILE: lines "ROW NS..." become a report, round after round; lines with # go before them.
csv() {
	awk '/^#/ { print; next }
		{ name[++k] = $1; for (n[k] = NF - 1; n[k] > most; most++); for (i = 2; i <= NF; i++) ns[k, i - 1] = $i }
		END { print "row,round,ns,outcome"
			for (i = 1; i <= most; i++) for (r = 1; r <= k; r++) if (i <= n[r]) print name[r] "," i "," ns[r, i] ",ok" }'
}

# One file: replay.
bytes 65536 >X
replay() { # DESCRIPTION STATUS OPTION...: a run, and its report read back
	what=$1 status=$2
	shift 2
	run "$status" "$what" "$wb" -p0 --seed=1 -f csv -o a.csv "$@" <X >Y
	run 0 "... read back" "$wb" --compare a.csv -f csv >b.csv
	same "... is the same report" a.csv b.csv
	run 0 "... as JSON" "$wb" --compare a.csv -f json >b.json
	is_json "... that is valid" b.json
	lacks "... of one size, which has no list of sizes" b.json '"sizes"'
}
replay "all rows" 0 -n3
replay "rounds of six, by close" 0 -n6 -s 'send*' --until=close
replay "row after row, synced, not verified" 0 -n2 -s 'send*' --until=sync --in-order --no-verify
replay "a cold input" 0 -n2 -s 'send*,read+write 1k' --cold
replay "blocks that are kept" 0 -n2 -s 'send*,read+write 1k' --overwrite
replay "counters" 0 -n2 -s 'send*' --counters
replay "a race" 0 --race -s 'send*,read+write 1k'
replay "one row once" 0 -n1 -s sendfile
# shellcheck disable=SC2016
replay "commands that fail, in quotes, with commas, and other bytes" 1 -n2 -s 'send*,read+write 1k' -w cat -w ' cat ' -w '#x' -w 'exit 3' \
	-w 'kill -9 $$' -w 'echo "a, \"b\" é	tab" >&2; exit 255' -w 'cat # é, "quoted" | \x' -w 'head -c 10' -w 'exec cat >/dev/null'
holds "... with exit status and signal" b.csv ',failed exit 3,' ',failed signal 9,' ',failed exit 255,' ',mismatch,'
if can_trace; then
	for fault in error=EXDEV error=EIO error=EOPNOTSUPP error=ENOENT error=133 error=524 retval=0 retval=65536; do # 524: ENOTSUPP, which NFS lets out
		strace -qq -o trace -P "$work/X" -P "$work/Y" -e inject=sendfile:$fault:when=1 \
			"$wb" -p0 -n2 --seed=1 -s 'send*,read+write 1k' -f csv -o a.csv <X >Y 2>err
		run 0 "sendfile:$fault: $(grep '^sendfile.*,' a.csv | grep -v ',ok' | tail -n 1 | cut -d, -f4): read back" "$wb" --compare a.csv -f csv >b.csv
		same "... is the same report" a.csv b.csv
	done
else
	skip "outcomes by fault injection" "no strace"
fi
has_lines() { # NUMBER FILE: or more
	[ "$(wc -l <"$2")" -ge "$1" ]
}
# interrupted OPTION...: after rounds that a command counts, long before the last; dd(1), since cat(1) shares blocks where it can
interrupted() {
	rm -f rounds
	# shellcheck disable=SC2016 # for the shell that runs it
	"$wb" -p 0.01 -s 'send*' -w 'dd status=none; echo >>rounds' -w 'dd status=none; [ "$(wc -l <rounds)" -lt 2 ] || sleep 10' "$@" -f csv -o a.csv <X >Y 2>err &
	pid=$!
	until_there has_lines 2 rounds
	kill -INT $pid
	within 60 $pid
	wait $pid
}
interrupted -n 20000
is "an interrupted run" $? 130
run 0 "... read back" "$wb" --compare a.csv -f csv >b.csv
same "... is the same report" a.csv b.csv
"$wb" --compare a.csv >text
holds "... and says so" text '^Interrupted by SIGINT after [0-9]+ of [0-9]+ runs: standard output is not a copy\.$'
interrupted --race=100000
is "an interrupted race" $? 130
run 0 "an interrupted race, read back" "$wb" --compare a.csv -f csv >b.csv
same "... is the same report" a.csv b.csv

# In the other formats.
printf 'exit 3\n' >three && printf 'echo no >&2; exit 1\n' >one
formats="text markdown json"
at_once "$formats" -n3 -s 'send*,read+write*,reflink,direct*' -x 'read+write 1'
at_once "$formats" -n7 --until=sync -s 'send*,read+write 4k'
at_once "$formats" --race -s 'send*,read+write*' -x 'read+write 1'
at_once "$formats" -n2 --in-order --overwrite -s 'send*,reflink' -w 'sh three' -w 'sh one' -w 'head -c 10'
at_once "$formats" -n2 -s 'send*,reflink' -w 'sh three' -w 'sh one' -w 'head -c 10' # they fail in another order than they stand in the table

# Files, and what is not to be had together.
csv >a.csv <<'END'
# heading: Ext9, filesize=1MB, kernel=1.0
# size: 1048576
# kernel: 1.0
a 1000000 1000100 1000200 1000300 1000400
b 1200000 1200100 1200200 1200300 1200400
"$,cat,""x"",|,y" 1300000 1300100 1300200 1300300 1300400
END
sed 's/^"$,cat,""x"",|,y"/"$ cat, ""x"" | y"/' a.csv >b.csv && mv b.csv a.csv
run 0 "a file" "$wb" --compare a.csv >from_file
"$wb" --compare - <a.csv >from_input
same "... or standard input" from_file from_input
"$wb" --compare=a.csv >from_input
same "... or behind =" from_file from_input
run 0 "-o to a new file" "$wb" --compare a.csv -o new.txt >out
same "... has the report" from_file new.txt
same "... as has standard output" from_file out
run 0 "-o by extension" "$wb" --compare a.csv -o new.md -o new.json >out
holds "... is another format" new.md '^\| a \|'
is_json "... and another" new.json
same "... and standard output has text" from_file out
run 0 "-o and -q" "$wb" --compare a.csv -o new.txt -q >out
is "... is one line" "$(cat out)" "$("$wb" --compare a.csv -f csv | sed -n 's/^# recommendation: //p')"
yes | head -n 1000 >new.txt
run 0 "-o to an old and longer one" "$wb" --compare a.csv -o new.txt
same "... leaves nothing of it" from_file new.txt
holds "a report is headed by its heading" from_file '^Ext9, filesize=1MB, kernel=1\.0$'
"$wb" --compare a.csv -q >quiet
is "--quiet: heading and table only" "$(sed '1,4d' quiet | grep -vEc '^[a-z$]|^$')" 0
"$wb" --compare a.csv -s 'a,b' -f csv >b.csv
is "--select" "$(column 1 b.csv | sort -u | tr '\n' ' ')" "a b "
run 0 "... read back" "$wb" --compare b.csv -f csv >c.csv
same "... is the same report" b.csv c.csv
"$wb" --compare a.csv -x '$*' -f csv >c.csv
same "--exclude" b.csv c.csv
# refused DESCRIPTION REGEX ARGUMENT...: exit status 2, one line that matches, no output, a.csv whole
cp a.csv a.orig
refused() {
	what=$1 regex=$2
	shift 2
	"$wb" "$@" >out 2>err </dev/null
	status=$?
	if [ $status = 2 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] && grep -Eq -e "$regex" err && cmp -s a.csv a.orig; then pass "$what"; else
		fail "$what" err
		echo "#   exit status $status, $(wc -c <out) bytes on standard output, wanted: $regex" >&3
	fi
}
ln a.csv hard && ln -s a.csv soft
refused "-o onto the input" '^write-bench: a\.csv: is where the report is to go' --compare a.csv -o a.csv
refused "-o onto the second input" '^write-bench: a\.csv: is where the report is to go' --compare b.csv a.csv -o a.csv
refused "-o onto the input, by a hard link" '^write-bench: a\.csv: is where the report is to go' --compare a.csv -o hard
refused "-o onto the input, by a symbolic link" '^write-bench: a\.csv: is where the report is to go' --compare a.csv -o soft
"$wb" --compare - -o a.csv <a.csv 2>err
is "-o onto standard input" "$? $(cmp a.csv a.orig)" "2 "
echo precious >new.txt && echo nonsense >bad
refused "-o with an input that is none" '^write-bench: bad: line 1: ' --compare bad -o new.txt
is "... leaves that file alone" "$(cat new.txt)" precious
refused "no file" 'compare: needs files' --compare
refused "a glob that matches nothing" 'select=nosuch: matches no row' --compare a.csv -s nosuch
refused "nothing is left" 'no row is left' --compare a.csv -x '*'
for option in --runs=3 --pause=0 --race --race=5 --until=sync --cold --overwrite --in-order --seed=4 --no-verify --size=5 --all --with=cat \
	--warmup=1 --from=cat --into=cat --tee=new --send --counters; do
	name=${option%%=*}
	refused "not together with $name" "^write-bench: --compare: can't be combined with $name: leave out one of them\$" --compare a.csv "$option"
done
refused "not together with --list" "^write-bench: --list: can't be combined with --compare: leave out one of them\$" --compare a.csv --list
refused "... nor the other way" "^write-bench: --list: can't be combined with --compare: leave out one of them\$" --list --compare a.csv
"$wb" --compare a.csv >/dev/full 2>err
is "a full device: exit status" "$? $(grep -c ENOSPC err)" "1 1"

# Two files.
# of ROW FILE COLUMN: of the comparison in "ab", as CSV
of() {
	awk -F, -v row="$1" -v file="$2" -v column="$3" '/^#/ { next }
		!names++ { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$1 == row && $2 == file { print column in at ? $(at[column]) : "no such column" }' ab
}
# change N M U2 ROWS: a row's N runs in b.csv, against M in a.csv, so that of all pairs it wins U2 / 2; and
# further rows, unchanged. Prints what becomes of it, and the other way round, and of the others.
change() {
	awk -v n="$1" -v m="$2" -v u2="$3" -v k="$4" 'BEGIN {
		for (i = 1; i <= m; i++) before = before " " 1000000 + 40000 * i
		for (i = 1; i <= n; i++) {
			c = u2 < 2 * (m - 1) ? u2 : 2 * (m - 1); u2 -= c
			after = after " " 1000000 + 40000 * m - 20000 * (c - 1)
		}
		for (r = 2; r <= k; r++) { others = others "same" r; for (i = 1; i <= m; i++) others = others " " 2000000 + 1000 * i; others = others "\n" }
		printf "row%s\n%s", before, others >"before"; printf "row%s\n%s", after, others >"after" }'
	csv <before >a.csv
	csv <after >b.csv
	"$wb" --compare a.csv b.csv -f csv >ab
	forth=$(of row b.csv change) others=$(of same2 b.csv change)
	"$wb" --compare b.csv a.csv -f csv >ab
	echo "$forth $(of row a.csv change)${others:+ $others}"
}
while read -r k n m u; do # two-sided: U* at 0.05 / 2 / rows; one row changes, the others do not
	is "$k rows in both, $n runs and $m: U = $u is slower, and the other way faster; a half more is not" \
		"$(for more in 0 1 2; do change "$n" "$m" $((2 * u + more)) "$k" | tr '\n' ' '; done)" \
		"$(if [ "$k" = 1 ]; then echo "slower faster ~ ~ ~ ~ "; else echo "slower faster ~ ~ ~ ~ ~ ~ ~ "; fi)"
done <<'END'
1 4 4 0
1 5 5 2
1 6 6 5
1 8 8 13
1 10 10 23
1 5 8 6
1 12 5 11
2 5 5 1
2 6 6 3
2 10 10 20
3 8 8 9
3 10 10 18
5 10 10 16
END
for runs in "1 3 3" "3 3 3" "1 1 1" "1 1 9" "2 4 4" "40 5 5"; do
	is "too few runs ($runs): never faster or slower" "$(echo "$runs" | { read -r k n m; change "$n" "$m" 0 "$k"; } | tr ' ' '\n' | sort -u | tr '\n' ' ')" "few runs too "
done
is "one run each: no change can be detected" "$(printf 'row,round,ns,outcome\na,1,1000,ok\n' >a.csv; printf 'row,round,ns,outcome\na,1,9000,ok\n' >b.csv
	"$wb" --compare a.csv b.csv -f csv >ab; of a b.csv change)" "too few runs"
printf '%s\n' "row 1000000 1003000 1001000 1009000 1004000" "gone 5 6 7 8 9" "a_row_with_a_name_of_more_than_forty_characters 7000000 7000001" >before
printf '%s\n' "row 1062000 1051000 1090000 1048000 1077000" "new 5 6 7 8 9" "a_row_with_a_name_of_more_than_forty_characters 7000000 7000001" >after
csv <before >a.csv
csv <after >b.csv
wanted=$(for x in 1062000 1051000 1090000 1048000 1077000; do for y in 1000000 1003000 1001000 1009000 1004000; do echo "$x $y"; done; done |
	awk '{ printf "%.12f\n", $1 / $2 }' | sort -n | awk '{ x[NR] = $1 } END { printf "%.4f %.4f %.4f", x[13], x[3], x[23] }')
"$wb" --compare a.csv b.csv -f csv >ab
is "two files: the median of 25 ratios, and an interval without two at each end" "$(of row b.csv ratio) $(of row b.csv ratio_low) $(of row b.csv ratio_high)" "$wanted"
is "... best, median, runs" "$(of row b.csv best_ns) $(of row b.csv median_ns) $(of row b.csv runs)" "1048000 1062000 5"
is "... a row of one of them stands there, without a change" "$(of gone a.csv best_ns) [$(of gone a.csv change)$(of gone b.csv best_ns)] $(of new b.csv best_ns) [$(of new b.csv change)$(of new a.csv best_ns)]" "5 [] 5 []"
is "... each line has all columns" "$(grep -v '^#' ab | awk -F, '{ print NF }' | sort -u)" 13
"$wb" --compare a.csv b.csv >text
percent() { # WHICH: of the three
	echo "$wanted" | awk -v i="$1" '{ printf "%+.1f", 100 * $i - 100 }'
}
holds "text: the row's median in both, the change, and what it is" text "^row +1\.00ms +1\.06ms +[$(percent 1 | cut -c1)]$(percent 1 | cut -c2-)%  slower$" \
	'^gone +0\.007us +-$' '^new +- +0\.007us$' '^a_row_with_a_name_of_more_than_\.\.\. +7\.00ms +7\.00ms +\+0\.0%  too few runs$'
holds "... and how many there are" text '^0 of 2 rows are faster, 1 slower ' '^1 row had too few runs: use -n 5\.$'
"$wb" --compare a.csv b.csv -v >verbose
holds "... with --verbose the interval" verbose "^row .* slower +[+]$(percent 2 | cut -c2-) to [+]$(percent 3 | cut -c2-)%$"
is "... within 80 columns" "$(awk 'length > 80' verbose)" ""
is "... within 80 columns" "$(awk 'length > 80' text)" ""
"$wb" --compare a.csv b.csv -f markdown >text
is "markdown has five columns throughout" "$(grep '^|' text | tr -cd '|\n' | uniq)" "||||||"
"$wb" --compare a.csv b.csv -f json >ab.json
is_json "JSON" ab.json
if [ $perl = yes ]; then
	is "... has the same figures" "$(perl -MJSON::PP -e 'local $/; my ($r) = grep { $_->{row} eq "row" && $_->{file} eq "b.csv" } @{decode_json(<STDIN>)->{rows}};
		printf "%.4f %.4f %.4f %s", @$r{qw(ratio ratio_low ratio_high change)}' <ab.json)" "$wanted slower"
else
	skip "... has the same figures" "no perl with JSON::PP"
fi
# A change of less than 1 % is none, however sure it is; what an older version says of its control is no matter.
while read -r by forth back status; do
	printf '# control: row\n# control_round: 1\n# control_ns: 2000000 0\n' >a.csv
	echo "row $(seq -s ' ' 1000000 1000019)" | csv >>a.csv
	echo "row $(seq -s ' ' $((1000000 + by)) $((1000019 + by)))" | csv >b.csv
	"$wb" --compare a.csv b.csv -f csv >ab
	changes=$(of row b.csv change)
	"$wb" --compare b.csv a.csv -f csv >ab
	is "20 runs, each slower by $by of 1000000: $forth, and $back the other way" "$changes $(of row a.csv change)" "$forth $back"
	run "$status" "... for a gate, too" "$wb" --compare a.csv b.csv --fail-if-slower >out
done <<'END'
9000 ~ ~ 0
12000 slower faster 3
END
# One condition that is not alike is what is compared, and several are a warning.
printf '%s\n' "# heading: H" "# size: 4096" "# kernel: 6.1" "# cpu: A" "# until: the last call returned" "# pause_s: 0.1" "# order: shuffled rounds" \
	"row 1000 1001 1002 1003" | csv >a.csv
while read -r key value words; do
	{ grep '^#' a.csv | grep -v "^# $key:" && echo "# $key: $value" && sed '/^#/d' a.csv; } >b.csv
	"$wb" --compare a.csv b.csv | tr -s '\n ' ' ' >text
	holds "another $key: a note, with both" text "Note: the $words differ: .* in a, $value in b\."
	is "... and no other, and no warning" "$(grep -o Note text | wc -l | tr -d ' ') $(grep -c Warning text)" "1 0"
	"$wb" --compare a.csv b.csv -f csv >ab
	holds "... in CSV, too" ab "^# Note: the $words differ"
	sed 's/^# kernel: .*/# kernel: 5/; s/^# size: .*/# size: 5000/; s/^# cpu: .*/# cpu: 5/' b.csv >c.csv
	"$wb" --compare a.csv c.csv | tr -s '\n ' ' ' >text
	holds "... and another kernel, size and machine: a warning that names them" text 'Warning: these differ: [a-z ]*, [^.]*\. Any of them may have made a change\.' \
		"Warning: these differ: [^.]*$words"
	is "... and no note" "$(grep -o 'Warning' text | wc -l | tr -d ' ') $(grep -c Note text)" "1 0"
done <<'END'
output XFS outputs
input pipe inputs
size 8192 sizes
kernel 3.13 kernels
cpu B machines
until fdatasync clocks
pause_s 5 pauses
order backwards orders
output_state kept states of the output
race 50 races
END
"$wb" --compare a.csv a.csv >text
lacks "measured alike: no warning and no note" text 'Warning|Note'

# Three and more: each by how far it is behind its file's winner.
printf '%s\n' "# heading: First" "x 1000000 1000001 1000002" "y 1100000 1100001 1100002" "z 1000001 1000001 1000003" | csv >one.csv
printf '%s\n' "# heading: Second" "x 9000000 9000001 9000002" "y 6000000 6000001 6000002" | csv >two.csv
printf '%s\n' "# heading: Third" "y 250000 250001 250002" "z 500000 500001 500002" | csv >three.csv
echo 'x,1,,n/a EXDEV' >>three.csv
"$wb" --compare one.csv two.csv three.csv >text
is "three files: the table" "$(sed '/^$/,$d' text | tr -s ' ')" "row one two three
y +10.0% 6.00ms~ 0.250ms~
x 1.00ms~ +50.0% n/a
z +0.0%~ - +100%"
"$wb" --compare one.csv two.csv three.csv -v >text
holds "... with --verbose names each file with its heading" text '^one: one\.csv: First\.$' '^two: two\.csv: Second\.$' '^three: three\.csv: Third\.$'
"$wb" --compare one.csv two.csv three.csv -f csv >ab
is "... CSV: percentages and marks" "$(for row in x y z; do for file in one two three; do printf '%s%s ' "$(of $row $file.csv percent)" "$(of $row $file.csv mark)"; done; done)" \
	"0.00~ 50.00  10.00 0.00~ 0.00~ 0.00~  100.00 "
is "... each line has all columns" "$(grep -v '^#' ab | awk -F, '{ print NF }' | sort -u)" 13
is "... a line for each row of each file" "$(grep -vc '^#' ab)" 9
"$wb" --compare one.csv two.csv three.csv -f markdown >text
is "... markdown has four columns" "$(grep '^|' text | tr -cd '|\n' | uniq)" "|||||"
for n in 4 7 13 32 60; do
	files=
	for i in $(seq "$n"); do
		sed "s/^x,/a_row_with_a_name_of_more_than_forty_characters,/;s/^y,/\"a, \"\"b\"\" | c\",/" one.csv >"a_file_with_a_name_that_is_long_$i.csv"
		files="$files a_file_with_a_name_that_is_long_$i.csv"
	done
	# shellcheck disable=SC2086
	run 0 "$n files" "$wb" --compare $files >text
	is "... text within 80 columns" "$(awk 'length > 80' text)" ""
	is "... has each file's winner, and the row behind by 10 %" "$(grep -o ' 1\.00ms~' text | wc -l | tr -d ' ') $(grep -o '+10\.0%' text | wc -l | tr -d ' ')" "$n $n"
	is "... titles are numbers, which are explained below" "$(sed -n 's/^\([0-9]*\): a_file_with_a_name_that_is_long_\([0-9]*\)\.csv: First\.$/\1 \2/p' text | awk '$1 == $2' | wc -l | tr -d ' ')" "$n"
	# shellcheck disable=SC2086
	"$wb" --compare $files -f json >ab.json
	is_json "... JSON" ab.json
	# shellcheck disable=SC2086
	"$wb" --compare $files -f csv >ab
	is "... CSV: all columns in each line" "$(grep -v '^#' ab | sed 's/"\([^"]\|""\)*"//' | awk -F, '{ print NF }' | sort | uniq -c | tr -s ' ')" " $((3 * n + 1)) 13"
	# shellcheck disable=SC2086
	"$wb" --compare $files -f markdown >text
	is "... markdown: $((n + 1)) columns" "$(grep '^|' text | sed 's/\\|//g' | tr -cd '|\n' | awk '{ print length }' | sort -u)" $((n + 2))
done
mkdir results
for i in $(seq 40); do
	cp one.csv results/fs"$i".csv
done
run 0 "results/*.csv" "$wb" --compare results/*.csv >text
is "... short names are titles, and stand nowhere else" "$(tr -s ' ' '\n' <text | grep -c '^fs[0-9]*$') $(grep -c 'csv' text)" "40 0"

for i in $(seq 9); do # as long as a title may be
	cp one.csv results/twelve-char"$i".csv
done
"$wb" --compare results/twelve*.csv >text
is "titles of 12 letters: within 80 columns" "$(awk 'length > 80' text)" ""
is "... each is over its column" "$(awk '/^row / { header = $0; getline; bad += length(header) != length($0) } END { print bad + 0 }' text)" 0
# Names of file systems with options: whole where a cell is as wide as it need be, on several lines in a picture.
cp one.csv ext4+noauto_da_alloc.csv
cp two.csv xfs+mkfs:-m:reflink=0.csv
"$wb" --compare ext4+noauto_da_alloc.csv xfs+mkfs:-m:reflink=0.csv three.csv >text
holds "long names: numbers in the text" text '^row +1 +2 +3 *$'
"$wb" --compare ext4+noauto_da_alloc.csv xfs+mkfs:-m:reflink=0.csv three.csv -f markdown >text
holds "... names in Markdown" text '^\| row \| ext4\+noauto_da_alloc \| xfs\+mkfs:-m:reflink=0 \| three \|$'
"$wb" --compare ext4+noauto_da_alloc.csv xfs+mkfs:-m:reflink=0.csv three.csv -f svg >text
is "... broken in a picture" "$(grep 'font-weight="bold"' text | sed 's/<[^>]*>//g' | tail -n +2 | head -n 5 | tr '\n' ' ')" "ext4+ noauto_da_alloc xfs+mkfs:-m: reflink=0 three "
cp one.csv results/ext4+noauto_da_alloc.csv
"$wb" --compare ext4+noauto_da_alloc.csv results/ext4+noauto_da_alloc.csv three.csv -f markdown >text
holds "... numbers, where a name is there twice" text '^\| row \| 1 \| 2 \| 3 \|$'
rm results/ext4+noauto_da_alloc.csv
sed "1a# warning_dirty: $(yes '5 %' | head -n 60 | tr '\n' ' ')" one.csv >percents.csv
"$wb" --compare percents.csv >text
is "lines are not broken between a digit and its unit" "$(grep -c "5 %$" text) $(grep -c "^ *%" text)" "3 0"
{ cat one.csv && printf '%s\n' far,1,350480000000,ok far,2,350480000001,ok far,3,350480000002,ok looked,1,10,untouched; } >far.csv
"$wb" --compare far.csv far.csv far.csv >text
is "cells of all kinds do not touch" "$(sed '/^$/,$d' text | awk '{ print NF }' | sort -u)" 4

# The verdict. B is recommended: A's best run is the best of all, and its other runs are slower than each of B's.
{ echo "# size: 1048576" && csv; } >verdict.csv <<'END'
A 45000000 100000000 102000000 104000000 106000000 108000000
B 46000000 50000000 51000000 52000000 53000000 54000000
END
"$wb" --compare verdict.csv >text
holds "the row with the smallest median is recommended, not that with the best run, and it is said why" text \
	'^Use B: median 51\.5ms, 19\.4 MiB/s\.$' '^Not A: best run 45\.0ms, but its median is 100 % behind\.$'
"$wb" --compare verdict.csv -f csv >b.csv
holds "... for programs, too" b.csv '^# recommended: B$'
# C is not apart from A, which has the best run, but B beats it.
cat >verdict.txt <<'END'
A 45000000 100000000 102000000 104000000 106000000 108000000
B 46000000 50000000 51000000 52000000 53000000 54000000
C 60000000 60100000 60200000 60300000 60400000 60500000
END
csv <verdict.txt >verdict.csv
"$wb" --compare verdict.csv >text
is "a row that another than the first beats is not marked" "$(sed '1,4d;/^$/,$d' text | grep '~' | cut -c1 | tr -d '\n') $(sed '1,4d;/^$/,$d' text | cut -c1 | tr -d '\n')" "AB ABC"
holds "... how many are is said" text '^~: 2 of 3 rows may be fastest \(95 % confidence\); use -n 10 or --race\.$'
# Within 2 % of the smallest median the least CPU time, then the plainest, which is the first in the program's own table.
while read -r cpu other wanted; do
	{ echo row,round,ns,outcome,cpu_ms && for i in 1 2 3 4 5 6; do
		printf '%s\n' "sendfile,$i,$((1000000 + i % 2 * 10000)),ok,$cpu" "read+write 1k,$i,$((1005000 + i % 2 * 10000)),ok,$other"
	done; } >verdict.csv
	is "CPU time $cpu and $other ms" "$("$wb" --compare verdict.csv -f csv | sed -n 's/^# recommended: //p')" "$wanted"
done <<'END'
1.0 0.5 read+write 1k
0.5 1.0 sendfile
1.0 1.0 read+write 1k
END
# A level for each test: 0.05 / (rows - 1). Of 4 and 4 runs 1 of 70 orders is as bad: below 0.05 / 3, not below 0.05 / 4.
for k in 4 5; do
	for i in $(seq $k); do
		echo "r$i $((1000000 + 100 * i)) $((1000020 + 100 * i)) $((1000040 + 100 * i)) $((1000060 + 100 * i))"
	done | csv >verdict.csv
	"$wb" --compare verdict.csv >text
	is "the test's level is divided by the other rows: $k rows" "$(grep -c 'may be fastest\. 4 runs are too few for a test: use -n 5\.' text) \
$(grep -c '^~: 1 of 4 rows may be fastest (95 % confidence)\.$' text)" "$((k == 5)) $((k == 4))"
done
printf '%s\n' "a 1000000" "b 2000000" | csv >verdict.csv
"$wb" --compare verdict.csv >text
holds "one run recommends nothing" text '^1 run: no spread known\. Use -n 3 or more\.$'
lacks "... not even the winner" text '^Use '
printf '%s\n' "a 1000000 1000001" | csv >verdict.csv
"$wb" --compare verdict.csv >text
lacks "one row is not recommended before others, nor marked as one of several" text '^Use |^~: '

# The default report is to be pasted: within 80 columns, and 10 lines below the table. WARNINGS, ROWS that are n/a, LETTERS of the CPU.
crowded() {
	awk -v warnings="$1" -v rows="$2" -v letters="$3" 'BEGIN {
		while (length(x) < 400) x = x "word "
		print "# heading: Ext4+dmcrypt+lvm, a disk of a very long name, filesize=256MiB, kernel=6.18.44-with-a-name-that-is-long"
		print "# command_line: write-bench --with=cat " x "\n# size: 268435456\n# size_asked: 1073741824\n# cpu: " substr(x, 1, letters) "\n# cpus: 128"
		print "# memory_bytes: 270582939648\n# until: the last call returned\n# page_cache: input in the page cache\n# runs: 6\n# seed: 123456789"
		print "# version: write-bench 0.1\n# memcpy_bytes: 268435456\n# memcpy_ns: 20000000"
		for (i = 0; i < warnings; i++) print "# warning_w" i ": something that takes " i " words and a remedy at the end: " substr(x, 1, 60)
		print "row,round,ns,outcome,cpu_ms,detail"
		for (i = 1; i <= 6; i++) {
			print "sendfile," i "," 100000000 + i * 1000000 ",ok,100,"
			print "copy_file_range + advices," i "," 100000000 + i * 100000 + (i > 1) * 8000000 ",ok,200,"
			print "\"$ cat " x "\"," i "," 140000000 + i * 1000000 ",ok,10,"
			print "\"$ dd bs=1M " x "\"," i ",150000000" i ",ok,100,"
			print "cloned," i ",50000,shared,0.05,"
		}
		split("EXDEV EINVAL EOPNOTSUPP ENOSYS EPERM EBADF", errno, " ")
		for (i = 0; i < rows; i++) print "a row that is not there + advices " i ",1,,n/a " errno[i % 6 + 1] ",,a call of number " i % 7
	}'
}
while read -r warnings rows letters; do
	crowded "$warnings" "$rows" "$letters" >full.csv
	"$wb" --compare full.csv >text
	is "$warnings warnings, $rows rows n/a, a CPU's name of $letters letters: within 80 columns" "$(awk 'length > 80' text)" ""
	below=$(sed '1,/^row /d' text | sed -n '/^$/,$p' | wc -l)
	[ "$below" -gt 1 ] && [ "$below" -le 10 ]
	is "... and it ends 10 lines below the table, or less ($below)" $? 0
	holds "... the recommendation is the first" text '^Use cloned: it shares the blocks, 50\.0us\. If the bytes must be copied: sendfile:$' \
		'^  median 104ms, 2\.4[0-9] GiB/s with 1\.0 CPU, 19 % of memcpy, 1\.[0-9]+ times as fast as$'
	holds "... and where it was measured the last" text 'write-bench 0\.1\.$'
	more=$(sed -n 's/^\([0-9]*\) more notes\{0,1\}: --verbose\.$/\1/p' text)
	"$wb" --compare full.csv -v >verbose
	is "... what is left out is counted, and nothing else" "$("$wb" --compare full.csv -v -f markdown | sed '1,/^$/d' | sed '1,/^$/d' | grep -vcE '^- (A row without|Order|Emptying|Verified|memcpy of|From|Date)')" \
		"$(($(sed '1,/^row /d' text | sed '1,/^$/d' | grep -c '^[^ ]') + ${more:-1} - 1))"
	is "... --verbose is within 80 columns, too" "$(awk 'length > 80' verbose)" ""
	lacks "... and leaves out nothing" verbose 'more notes|and [0-9]+ more'
done <<'END'
0 0 10
0 30 10
8 0 48
8 60 48
30 300 48
END
{ echo row,round,ns,outcome,detail && seq -f 'a row that is not there + advices %g,1,,n/a EXDEV,copy_file_range' 5 && echo 'b,1,,n/a EPERM,sendfile'; } >full.csv
"$wb" --compare full.csv | tr -s '\n ' ' ' >text
holds "rows that are n/a for the same reason are on one line" text \
	'n/a: a row that is not there \+ advices 1, a row that is not there \+ advices 2, a row that is not there \+ advices 3 and 2 more: copy_file_range: EXDEV\.' \
	'n/a: b: sendfile: EPERM\.'
is "... and each reason once" "$(grep -o 'EXDEV' text | wc -l | tr -d ' ') $(grep -o 'EPERM' text | wc -l | tr -d ' ')" "1 1"

# A session that was interrupted before its first run has a report, too.
printf '# interrupted: by SIGTERM after 0 of 9 runs: standard output is not a copy\n# run_lines: 0\nrow,round,ns,outcome\n' >none.csv
run 0 "a report without runs" "$wb" --compare none.csv >text
is "... reports the interruption" "$(tr -s '\n ' ' ' <text | grep -c 'Interrupted by SIGTERM after 0 of 9 runs: standard output is not a copy\.')" 1
run 2 "... has no row to be selected" "$wb" --compare none.csv -s '*'

# Rows that take many CPUs, and that are slower by far.
printf '%s\n' row,round,ns,outcome,cpu_ms "many CPUs,1,1000000,ok,64" "many CPUs,2,1000000,ok,64" "slow and many,1,500000000,ok,5000" \
	"slow and many,2,500000001,ok,5000" >full.csv
"$wb" --compare full.csv >text
is "64 CPUs, and 500 times slower: within 80 columns" "$(awk 'length > 80' text)" ""
holds "... both rows" text '^many CPUs  ' '^slow and many  .*\(> 9999%\)'
"$wb" --compare full.csv -v >text
is "... with --verbose, too" "$(awk 'length > 80' text)" ""
lacks "... and no two columns touch" text '^slow and many.*[0-9][+]'

# JSON: numbers are numbers, and the keys are what the manual page says.
if have python3; then
	cat >json_types.py <<'END'
import json, sys
report = json.load(open(sys.argv[1]))
env = report['environment']
for key in 'size size_asked cpus memory_bytes runs seed memcpy_bytes memcpy_ns run_lines candidates level'.split():
	if type(env[key]) not in (int, float): print(key, 'is', repr(env[key]))
for key in 'heading command_line cpu until page_cache version recommended recommendation'.split():
	if type(env[key]) is not str: print(key, 'is', repr(env[key]))
if env['size'] != 268435456 or env['candidates'] != 2 or abs(env['level'] - 0.05 / 3) > 1e-6: print(env)
rows = {row['row']: row for row in report['rows']}
numbers = 'best_ns median_ns worst_ns percent cpu_ms ratio runs'.split()
for row in rows.values():
	ok = row['outcome'] == 'ok'
	for key in numbers:
		if ok and type(row[key]) not in (int, float): print(row['row'], key, 'is', repr(row[key]))
	for key in ('row', 'outcome', 'mark', 'beaten_by', 'detail'):
		if type(row[key]) is not str: print(row['row'], key, 'is', repr(row[key]))
	for key in ('runs_ns', 'runs_cpu_ms'):
		if type(row[key]) is not list or not all(type(n) in (int, float) for n in row[key]): print(row['row'], key, 'is', repr(row[key]))
	if (row['mark'] == '~') != (ok and not row['beaten_by']): print(row['row'], 'is marked', row['mark'], 'and beaten by', row['beaten_by'])
	if ok != (row['best_ns'] is not None and row['percent'] is not None) and row['outcome'] not in ('shared', 'untouched'): print(row['row'], 'has figures')
cat = next(row for name, row in rows.items() if name.startswith('$ cat'))
if cat['beaten_by'] != 'sendfile': print(cat)
END
	crowded 3 10 48 >full.csv
	"$wb" --compare full.csv -f json >full.json
	is "JSON: numbers are numbers, lists are lists, and words are words" "$(python3 json_types.py full.json 2>&1)" ""
	printf '# size: 5\n# cpus: many\n# runs: 007\n# seed: 1e999x\n# level: high\nrow,round,ns,outcome\na,1,1000,ok\n' >odd.csv
	"$wb" --compare odd.csv -f json >odd.json
	is "... and what only claims to be a number is a string" "$(python3 -c 'import json
e = json.load(open("odd.json"))["environment"]
print(e["size"], repr(e["cpus"]), repr(e["runs"]), repr(e["seed"]))' 2>&1)" "5 'many' '007' '1e999x'"
else
	skip "types in JSON" "no python3"
fi

# The version of columns and keys: of what is written, the first key; a file without it is of version 1.
printf "%s\n" "a 1000 1001" "b 2000 2001" "c 3000 3001" | csv >v1.csv
for version in 1 2; do
	{ echo "# schema: $version" && cat v1.csv; } >"v$version.named"
	"$wb" --compare "v$version.named" | sed 1,2d >text
	"$wb" --compare v1.csv | sed 1,2d >text2
	same "version $version is read like one that is not named" text text2
done
"$wb" --compare v1.csv -f csv >b.csv
is "CSV is of version 2, first of all" "$(head -n 1 b.csv)" "# schema: 2"
for version in 1 2; do
	"$wb" --compare "v$version.named" -f csv >b.csv
	is "... once, also of a file of version $version" "$(grep -c schema b.csv)$(head -n 1 b.csv)" "1# schema: 2"
done
"$wb" --compare v1.csv v2.named -f csv >b.csv
is "... of two files, too" "$(grep -c schema b.csv)$(head -n 1 b.csv)" "1# schema: 2"
"$wb" --compare v1.csv -f json >b.json
is "... JSON, too" "$(sed -n 2p b.json)" '  "schema": 2,'
is "... whose rows are called as in CSV" "$(grep -c '^  {"row": "' b.json) $(grep -c '"name"' b.json)" "3 0"
"$wb" --compare v1.csv v2.named -f json >b.json
is "... several, too" "$(grep -c '"row": "' b.json) $(grep -c '"name"' b.json)" "6 0"

# --fail-if-slower: 3 if a row became slower, 2 if that can't be told; the report is the same.
steady() { # ROW NS...: rows of five runs that lie close together
	while [ $# -gt 0 ]; do
		awk -v row="$1" -v ns="$2" 'BEGIN { printf "%s", row; for (i = 0; i < 5; i++) printf " %d", ns * (1 + i / 10000); print "" }'
		shift 2
	done | csv
}
became() { # OUTCOME: the new report with it in the place of row b's runs
	steady a 1000000 b 2000000 c 3000000 | grep -v '^b,' && echo "b,1,,$1"
}
# gate STATUS MESSAGE DESCRIPTION [OPTION...]: of old.csv and new.csv
gate() {
	status=$1 message=$2 what=$3
	shift 3
	[ $# -gt 0 ] || set -- --fail-if-slower
	run "$status" "--fail-if-slower: $what: exit status $status" "$wb" --compare old.csv new.csv "$@" >out
	is "... message and report" "$(cat err) $([ -s out ] && echo report)" "${message:+write-bench: $message} report"
}
steady a 1000000 b 2000000 c 3000000 >old.csv
cp old.csv new.csv
gate 0 "" "the same file twice"
"$wb" --compare old.csv new.csv >plain
same "... the report is the one without" out plain
steady a 1000000 b 90000000 c 3000000 >new.csv
gate 3 "slower: b" "a row 45 times slower"
gate 3 "slower: b" "... for programs" --fail-if-slower -f json
gate 3 "slower: b" "... --quiet" -q --fail-if-slower
gate 0 "" "... not one of those asked for" --fail-if-slower -x b
steady a 1100000 b 1000000 c 3100000 >new.csv
gate 3 "slower: a, c" "two are slower, one is faster"
gate 3 "slower: a" "... by more than 9.9 %" --fail-if-slower=9.9
gate 0 "" "... by more than 10.1 %" --fail-if-slower=10.1
gate 3 "slower: a, c" "... by more than 0 %" --fail-if-slower=0
steady a 500000 b 1000000 c 3000000 d 1 >new.csv
gate 0 "" "faster rows, and a new one"
for outcome in 'failed EIO' 'failed exit 1' 'failed signal 9' mismatch 'n/a EXDEV' n/a; do
	became "$outcome" >new.csv
	gate 3 "slower: b" "a row that became $outcome"
done
became mismatch >old.csv
gate 0 "" "a row that was wrong before"
became 'n/a EXDEV' >old.csv
steady a 1000000 b 2000000 c 3000000 >new.csv
gate 0 "" "a row that was n/a before"
sed '/^b,/s/,ok/,shared/' new.csv >old.csv
gate 3 "slower: b" "a row that shared the blocks, and copies now"
gate 0 "" "... of two files of which none shares" --fail-if-slower -x b
mv old.csv both.csv && mv new.csv old.csv && mv both.csv new.csv
gate 0 "" "a row that copied, and shares now"
cp new.csv old.csv
gate 0 "" "a row that shares"
steady a 1000000 b 2000000 c 3000000 >old.csv
steady a 1000000 c 3000000 >new.csv
gate 2 "new.csv: did not run what old.csv did: b" "a row that is missing"
steady c 9000000 >new.csv
gate 3 "new.csv: did not run what old.csv did: a, b
write-bench: slower: c" "... beside one that is slower"
# As many runs are asked for as separate: 1 / C(2n, n) at most 0.05 / 2 / rows.
while read -r rows runs wanted status; do
	for i in $(seq "$rows"); do
		echo "r$i $(seq -s ' ' $((1000 * i)) $((1000 * i + runs - 1)))"
	done | csv >old.csv
	cp old.csv new.csv
	gate "$status" "${wanted:+too few runs to tell if a row became slower: use -n $wanted}" "$rows rows, $runs runs"
done <<'END'
1 3 4 2
3 4 5 2
3 3 5 2
20 5 6 2
40 6 7 2
END
for shape in "1 4" "3 5" "20 6" "40 7"; do
	for i in $(seq "${shape% *}"); do
		echo "r$i $(seq -s ' ' $((1000 * i)) $((1000 * i + ${shape#* } - 1)))"
	done | csv >old.csv
	cp old.csv new.csv
	gate 0 "" "${shape% *} rows, ${shape#* } runs"
done
printf '%s\n' "a 1000000 1000001" "b 2000000 2000001" | csv >old.csv
{ grep -v '^b' old.csv && echo 'b,1,,mismatch'; } >new.csv
gate 3 "too few runs to tell if a row became slower: use -n 4
write-bench: slower: b" "too few runs, and a wrong copy"
while IFS=: read -r key before after condition; do
	{ echo "# $key: $before" && steady a 1000000; } >old.csv
	{ echo "# $key: $after" && steady a 1000000; } >new.csv
	if [ "$condition" ]; then
		gate 2 "old.csv and new.csv: can't be compared: their $condition differ: measure both alike" "another $key"
	else
		gate 0 "" "another $key"
	fi
done <<'END'
size:65536:65537:sizes
until:the last call returned:fdatasync:clocks
page_cache:input in the page cache:input evicted:page caches
output_state:kept:emptied:states of the output
kernel:6.1:6.2:
cpu:A:B:
END
{ echo "# size: 1000" && steady a 1000000 b 1000000 c 1000000; } >old.csv
{ echo "# size: 2000" && steady a 1000000 c 9000000 && echo 'b,1,,failed EIO'; } >new.csv
gate 3 "old.csv and new.csv: can't be compared: their sizes differ: measure both alike
write-bench: slower: b" "another size, where a row failed, and one took longer"
steady a 1000000 >old.csv
cp old.csv a.csv && cp a.csv a.orig
refused "--top, of two reports" '^write-bench: --top: is for the table of one report: leave it out$' --compare a.csv a.csv --top=1
for option in "--fail-if-slower a.csv" "--fail-if-slower a.csv a.csv a.csv" "a.csv a.csv --fail-if-slower a.csv"; do
	# shellcheck disable=SC2086
	refused "two reports are needed: $option" '^write-bench: --fail-if-slower: needs --compare and two reports: ' --compare $option
done
refused "--compare is needed" '^write-bench: --fail-if-slower: needs --compare and two reports: ' --fail-if-slower
for percent in -5 '' x 5% 1e9 . nan 0x10 1.2.3; do
	refused "'$percent' is no percentage" '^write-bench: --fail-if-slower=.*: is not a number of percent' --compare a.csv a.csv "--fail-if-slower=$percent"
done

# What is no report.
cp a.csv a.orig
# bad DESCRIPTION LINE REASON: of the file "bad", or of standard input
bad() {
	if [ "${input-}" ]; then "$wb" --compare - >out 2>err <bad; else "$wb" --compare bad >out 2>err; fi
	status=$?
	if [ $status = 2 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] && grep -aEq "^write-bench: (bad|-): line $2: .*$3" err; then pass "$1"; else
		fail "$1" err
		echo "#   exit status $status, $(wc -c <out) bytes on standard output, wanted: line $2: .*$3" >&3
	fi
}
# wrong DESCRIPTION LINE REASON TEXT: as printf(1) has it
wrong() {
	# shellcheck disable=SC2059
	printf "$4" >bad
	bad "$1" "$2" "$3"
}
names='row,round,ns,outcome\n'
first="# heading: H\n${names}a,1,1000,ok\n"
printf '# heading: H\nrow,round,ns,outcome\na,1,1000,ok\n' >bad
run 0 "what follows is about this report" "$wb" --compare bad >out
wrong "an empty file" 1 "ends before" ''
wrong "comments only" 3 "ends before" '# a: b\n# c\n'
wrong "no run" 2 "ends before a first run" "$names"
wrong "no column names" 1 "column 1 is a, not row" 'a,1,1000,ok\n'
wrong "one column" 1 "column 2 is missing, not round" 'row\na\n'
wrong "a column too few" 1 "column 4 is missing, not outcome" 'row,round,ns\na,1,1000\n'
wrong "another order" 1 "column 2 is ns, not round" 'row,ns,round,outcome\na,1000,1,ok\n'
wrong "another name" 1 "column 3 is time, not ns" 'row,round,time,outcome\na,1,1000,ok\n'
wrong "capitals" 1 "column 1 is Row, not row" 'Row,Round,Ns,Outcome\na,1,1000,ok\n'
wrong "semicolons" 1 "column 1 is row;round" 'row;round;ns;outcome\na;1;1000;ok\n'
wrong "a column twice" 1 "twice" 'row,round,ns,outcome,cpu_ms,cpu_ms\na,1,1000,ok,1,1\n'
wrong "a first column twice" 1 "twice" 'row,round,ns,outcome,row\na,1,1000,ok,a\n'
wrong "a field too few" 4 "has 3 fields, not 4" "${first}a,2,1000\n"
wrong "a field too many" 4 "has 5 fields, not 4" "${first}a,2,1000,ok,5\n"
wrong "an empty line in the middle" 4 "has 1 field, not 4" "$first\na,2,1000,ok\n"
wrong "words" 1 "column 1 is " 'Once upon a time, there was no report.\n'
cp from_file bad
bad "a text report" 1 "column 1 is "
wrong "the end of the last line is missing" 4 "no end" "${first}a,2,1000,ok"
wrong "a NUL byte" 4 'byte .x00' "${first}a,2,10\\0000,ok\n"
wrong "a NUL byte in the heading" 1 'byte .x00' '# heading: \000H\nrow,round,ns,outcome\na,1,1000,ok\n'
wrong "an escape" 3 'byte .x1b' "# a: b\n${names}\\033[31ma,1,1000,ok\n"
wrong "a delete" 4 'byte .x7f' "${first}a\\177,1,1000,ok\n"
wrong "a row without a name" 4 "no name" "$first,1,1000,ok\n"
wrong "a quote that is not closed" 4 "no quote at the end of field 1" "$first\"a,1,1000,ok\n"
wrong "... in the last field" 4 "no quote at the end of field 4" "${first}a,1,1000,\"ok\n"
wrong "a quote inside a field" 4 "quote inside field 1" "${first}a\"b,1,1000,ok\n"
wrong "words behind a quote" 4 "behind the quote" "$first\"a\"b,1,1000,ok\n"
for ns in -5 0 1.5 1e3 0x10 '' ' 7' +7 7ns nan inf 1000000000000000001 9223372036854775808 18446744073709551617 99999999999999999999999999; do
	wrong "a time of '$ns'" 4 "ns is " "${first}a,2,$ns,ok\n"
done
for round in 0 -1 '' 1.0 x 2147483648 4294967297 99999999999999999999; do
	wrong "round '$round'" 4 "round is " "${first}a,$round,1000,ok\n"
done
for outcome in '' OK okay 'ok ' ' ok' 'n/a ' 'n/a EFOO' 'n/a short' failed 'failed EFOO' 'failed exit' 'failed exit x' 'failed exit -1' 'failed exit 256' \
	'failed exit 0' 'failed signal 0' 'failed signal 128' 'failed signal 200' 'n/a exit 3' 'n/a signal 9' 'failed errno 0' 'not run' slow; do
	wrong "outcome '$outcome'" 4 "outcome is " "${first}a,2,1000,$outcome\n"
done
wrong "a second report behind the first" 4 "second heading" "$first$first"
wrong "column names for a second time" 4 "round is " "$first$names"
for version in 0 3 2.0 -2 two; do
	wrong "version '$version' of columns and keys" 1 "schema is " "# schema: $version\n$first"
done
wrong "a size of nothing" 1 "size is " "# size: 0\n$first"
wrong "a size in words" 1 "size is " "# size: big\n$first"
wrong "a CPU time below 0" 2 "cpu_ms is " 'row,round,ns,outcome,cpu_ms\na,1,1000,ok,-1\n'
wrong "a CPU time in words" 2 "cpu_ms is " 'row,round,ns,outcome,cpu_ms\na,1,1000,ok,fast\n'
wrong "more runs than it speaks of" 5 "after 2 runs, and says itself that it has 1: it is put together" "# run_lines: 1\n${names}a,1,1000,ok\na,2,1000,ok\n"
head -c 10000 "$wb" >bad
bad "a program" 1 "byte"
bytes 10000 | sed '1s/^/#\x01/' >bad
bad "random bytes" 1 "byte"
input=yes
wrong "from standard input" 4 "has 3 fields" "${first}a,2,1000\n"
input=
refused "a file that is not there" '^write-bench: nosuch: open: ENOENT ' --compare nosuch
refused "a directory" '^write-bench: \.: read: EISDIR ' --compare .
cp a.csv a.orig
echo x >bad
refused "the second file of two" '^write-bench: bad: line 1: ' --compare a.csv bad

# Cut anywhere.
csv >whole <<'END'
# heading: Ext9, filesize=1MB, kernel=1.0
# cpu: a
# order: 1000
a 1000 2000
b 3000 4000
END
{ echo "# run_lines: 4" && cat whole; } >counted
for file in whole counted; do # the second between two lines alone: what is cut within one is refused alike
	odd="" number=0
	awk -v file=$file '{ for (i = 0; i <= length($0); i++) { if (file == "whole" || i == 0) print n + i, NR, (i == 0 && NR > 1) } n += i }' \
		$file >cuts
	while read -r n line ended; do # the line that is missing or cut
		number=$((number + 1))
		head -c "$n" "$file" >"cut"
		"$wb" --compare cut >out 2>err
		status=$?
		if [ $file = whole ] && [ "$ended" = 1 ] && [ "$line" -gt 5 ]; then
			[ $status = 0 ] && [ -s out ] || odd="$odd $n"
		else
			read -r message <err
			case $message in "write-bench: cut: line $line: "*) ;; *) status= ;; esac
			[ "$status" = 2 ] && [ ! -s out ] || odd="$odd $n"
		fi
	done <cuts
	is "a report that is cut ($file, $number times) is refused with the line, unless it is whole so far and does not say how many runs there were" "$odd" ""
done
is "... between two lines, and at any byte" "$number" "$(wc -l <counted | tr -d ' ')"

# As large as they come: within 300 MB, or less, at once.
# Dash, bash, ksh and busybox sh all have ulimit -v.
most=300000
# shellcheck disable=SC3045
limited() { (ulimit -v $most && exec timeout 300 "$wb" --compare "$@"); }
large() { # DESCRIPTION LINE REASON COMMAND: of what the command prints
	eval "$4" | limited - >out 2>err
	is "$1: exit status" "$?" 2
	holds "... and why" err "^write-bench: -: line $2: .*$3"
}
if grep -aq __asan_init "$wb"; then
	skip "large reports within 300 MB" "the address sanitizer needs terabytes of addresses"
	limited() { timeout 300 "$wb" --compare "$@"; }
fi
limited whole >out 2>err
is "that limit leaves room for a common report" $? 0
long='while (length(x) < 60000) x = x "x"'
names='print "row,round,ns,outcome"'
large "1002 rows" 1002 "at most 1000" "awk 'BEGIN { $names; for (i = 0; i < 1002; i++) print \"r\" i \",1,1000,ok\" }'"
large "500002 runs" 500002 "500000 at most" "awk 'BEGIN { $names; for (i = 0; i < 500002; i++) print \"r\" i % 10 \",1,1000,ok\" }'"
large "300 facts" 201 "than the 200" "awk 'BEGIN { for (i = 0; i < 300; i++) print \"# key_\" i \": value\"; $names }'"
large "a line of 17 MB" 1 "longer than 16777216" "head -c 17000000 /dev/zero | tr '\\0' a"
large "... in a quote" 2 "longer than 16777216" "awk 'BEGIN { $names }'; printf '\"'; head -c 17000000 /dev/zero | tr '\\0' ,"
large "200 columns" 1 "64 fields" "awk 'BEGIN { while (length(x) < 200) x = x \",\"; print \"row,round,ns,outcome\" x }'"
most=40000
large "a long fact again and again, 60 MB within 40" 1001 "column 1 is nonsense" "awk 'BEGIN { $long; for (i = 0; i < 1000; i++) print \"# cpu: \" x; print \"nonsense\" }'"

# What is no error.
awk 'BEGIN { print "row,round,ns,outcome"; for (i = 0; i < 20000; i++) print "r,1,1000,ok" }' | limited - -f csv >out 2>err
is "20000 runs of a row: exit status, and all of them" "$? $(grep -c '^r,1,1000,ok' out)" "0 20000"
"$wb" --compare whole >text
sed 's/$/\r/' whole >dos
"$wb" --compare dos >text2
sed 's/^dos:/whole:/' text2 >text3
same "lines may end in CR LF" text text3
printf '# heading: H\n#\n# a comment\n#no: fact\n\n"row",round,"ns",outcome,note,cpu_ms\n"a",1,"1000",ok,"what, ""ever""",-\na,2,1001,ok,,0.5\n' >a.csv
run 0 "comments, empty lines before the columns, quotes, and columns of others" "$wb" --compare a.csv -f csv >b.csv
is "... are read" "$(column 1 b.csv | tr '\n' ' ')$(column 3 b.csv | tr '\n' ' ')" "a a 1000 1001 "
counters=task_clock_ms,context_switches,cpu_migrations,page_faults,cycles,instructions,branches,branch_misses
printf '%s\n' "row,round,ns,outcome,cpu_ms,resident,$counters" "a,1,1000,ok,0.500001,4096,0.400002,1,2,3,4,5,6,7" "b,1,100000000000000000,ok,12345678.000001,0,0.000000,-,-,0,-,9007199254740992,-,8" \
	"a,2,1001,shared,0.600000,8192,0.500000,8,7,6,5,4,3,2" >a.csv
run 0 "all columns that there are" "$wb" --compare a.csv -f csv >b.csv
is "... are kept, and one more" "$(sed '/^#/d' b.csv)" "$(sed '1s/$/,bytes,detail/;2,$s/$/,,/' a.csv)"
long=$(printf '%0300d' 0)
printf '%s\n' row,round,ns,outcome,detail "r,1,,failed EIO,$long" "s,1,,n/a EPERM,$long" >d.csv
"$wb" --compare d.csv -f csv >b.csv 2>err
is "details of 300 characters come back whole" "$(grep -c ",$long\$" b.csv)" 2
if [ $perl = yes ]; then
	printf 'row,round,ns,outcome\na,1,1000,ok\nb,1,2000,ok\n' >a.csv
	"$wb" --compare a.csv -f json >b.json
	is "a report that has no CPU time is not said to have taken none" \
		"$(perl -MJSON::PP -e 'local $/; print join " ", map { $_->{cpu_ms} // "null" } @{decode_json(<STDIN>)->{rows}}' <b.json)" "null null"
else
	skip "no CPU time" "no perl with JSON::PP"
fi

if [ $perl = yes ]; then
	perl -MJSON::PP -e 'local $/;
		for (@ARGV) { open my $f, "<", $_ or die; my ($what, $text) = split /\n/, <$f>, 2; print eval { decode_json($text) } ? "" : "not ", "ok $what\n" }' \
		$(seq -f json.%g $jsons) >found
	is "JSON that is valid: of $jsons files, all" "$(grep -c '^ok ' found)" "$jsons"
	pass_on found
else
	skip "JSON that is valid" "no perl with JSON::PP"
fi
