#!/bin/sh
# --compare: a report that is read back is the same report; two and more stand side by side; and what is
# no report is refused with its name, line and reason.
# Tried: it fails where a report may be cut between two lines; a report may have control characters; changes are tested as
# Tried: if to one side only; each change is one, or none below 2 %; the report may go onto the one that it is made from;
# Tried: quotes are not doubled; two files with too few runs are separated; a warning yields to the ten lines below the
# Tried: table; numbers are strings in JSON; a word that is too long for a line is not cut;
# Tried: the recommendation is by best runs; only the row with the best run may beat others.
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"
. "$top/tests/replay.sh"

perl=no
have perl && perl -MJSON::PP -e1 2>/dev/null && perl=yes
jsons=0
is_json() { # FILE: it is read in the end, by one perl
	jsons=$((jsons + 1)) && cp "$1" "json.$jsons"
}
# csv <<END >FILE: lines "ROW NS..." become a report, round after round; lines with # go before them.
csv() {
	awk '/^#/ { print; next }
		{ name[++k] = $1; for (n[k] = NF - 1; n[k] > most; most++); for (i = 2; i <= NF; i++) ns[k, i - 1] = $i }
		END { print "row,round,ns,outcome"
			for (i = 1; i <= most; i++) for (r = 1; r <= k; r++) if (i <= n[r]) print name[r] "," i "," ns[r, i] ",ok" }'
}

# One file: replay.
bytes 65536 >X
again() { # DESCRIPTION: is a.csv the same when it is read and written?
	run 0 "$1: read back" "$wb" --compare a.csv -f csv >b.csv
	same "... is the same report" a.csv b.csv
}
replay() { # DESCRIPTION STATUS OPTION...: a run, and its report read back
	what=$1 status=$2
	shift 2
	run "$status" "$what" "$wb" -p0 --seed=1 -f csv -o a.csv "$@" <X >Y
	again "..."
	"$wb" --compare a.csv -f json >b.json
	is_json b.json
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
		again "sendfile:$fault: $(grep '^sendfile.*,' a.csv | grep -v ',ok' | tail -n 1 | cut -d, -f4)"
	done
else
	skip "outcomes by fault injection" "no strace"
fi
has_lines() { # NUMBER FILE: or more
	[ "$(wc -l <"$2")" -ge "$1" ]
}
for how in --race=100000 "-n 20000"; do # interrupted after rounds that a command counts, long before the last; dd(1), since cat(1) shares blocks where it can
	rm -f rounds
	# shellcheck disable=SC2016,SC2086 # for the shell that runs it; two words
	"$wb" -p 0.01 -s 'send*' -w 'dd status=none; echo >>rounds' -w 'dd status=none; [ "$(wc -l <rounds)" -lt 2 ] || sleep 10' $how -f csv -o a.csv <X >Y 2>err &
	pid=$!
	until_there has_lines 2 rounds
	kill -INT $pid
	within 60 $pid
	wait $pid
	is "interrupted, $how" $? 130
	again "..."
done
"$wb" --compare a.csv >text
holds "... and says so" text '^Interrupted by SIGINT after [0-9]+ of [0-9]+ runs: '

# In the other formats.
printf 'exit 3\n' >three && printf 'echo no >&2; exit 1\n' >one
formats="text markdown json"
at_once "$formats" -n3 -s 'send*,read+write*,reflink,direct*' -x 'read+write 1'
at_once "$formats" -n7 -z 1m --until=sync -s 'send*,read+write 4k'
at_once "$formats" --race -s 'send*,read+write*' -x 'read+write 1'
at_once "$formats" -n2 --in-order --overwrite -s 'send*,reflink' -w 'sh three' -w 'sh one' -w 'head -c 10'
at_once "$formats" -n2 -s 'send*,reflink' -w 'sh three' -w 'sh one' -w 'head -c 10' # they fail in another order than they stand in the table

# Files, and what is not to be had together.
{ printf '# %s\n' "heading: Ext9, filesize=1MB, kernel=1.0" "size: 1048576" "kernel: 1.0" && csv; } >b.csv <<'END'
a 1000000 1000100 1000200 1000300 1000400
b 1200000 1200100 1200200 1200300 1200400
c 1300000 1300100 1300200 1300300 1300400
END
sed 's/^c,/"$ cat, ""x"" | y",/' b.csv >a.csv
run 0 "a file" "$wb" --compare a.csv >from_file
is "... or standard input, or behind =" "$("$wb" --compare - <a.csv | cmp - from_file; "$wb" --compare=a.csv | cmp - from_file)" ""
yes | head -n 1000 >old.txt
run 0 "-o to a new file, onto a longer one, and by extension" "$wb" --compare a.csv -o new.txt -o old.txt -o new.md -o new.json >out
is "... are the report, as standard output is" "$(cmp from_file new.txt)$(cmp from_file old.txt)$(cmp from_file out)$(grep -c '^| a |' new.md)" 1
is_json new.json
run 0 "-o and -q" "$wb" --compare a.csv -o new.txt -q >out
is "... is one line" "$(cat out)" "$("$wb" --compare a.csv -f csv | sed -n 's/^# recommendation: //p')"
holds "a report is headed by its heading" from_file '^Ext9, filesize=1MB, kernel=1\.0$'
"$wb" --compare a.csv -q >quiet
is "--quiet: heading and table only" "$(sed '1,4d' quiet | grep -vEc '^[a-z$]|^$')" 0
"$wb" --compare a.csv -s 'a,b' -f csv >b.csv
is "--select" "$(column 1 b.csv | sort -u | tr '\n' ' ')" "a b "
is "... read back is the same report, and so is what --exclude leaves" "$("$wb" --compare b.csv -f csv | cmp - b.csv; "$wb" --compare a.csv -x '$*' -f csv | cmp - b.csv)" ""
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
refused "-o onto the second input" '^write-bench: a\.csv: is where the report is to go' --compare b.csv a.csv -o a.csv
"$wb" --compare - -o a.csv <a.csv 2>err
is "... onto standard input" "$? $(cmp a.csv a.orig)" "2 "
refused "no file" 'compare: needs files' --compare
refused "a glob that matches nothing" 'select=nosuch: matches no row' --compare a.csv -s nosuch
refused "nothing is left" 'no row is left' --compare a.csv -x '*'
refused "--top, of two reports" '^write-bench: --top: ' --compare a.csv a.csv --top=1
for option in --runs=3 --pause=0 --race --race=5 --until=sync --cold --overwrite --in-order --seed=4 --no-verify --size=5 --all --with=cat \
	--warmup=1 --from=cat --into=cat --tee=new --send --counters; do
	refused "not together with $option" "^write-bench: --compare: can't be combined with ${option%%=*}: " --compare a.csv "$option"
done
refused "not together with --list" "^write-bench: --list: can't be combined with --compare: " --compare a.csv --list
refused "... nor the other way" "^write-bench: --list: can't be combined with --compare: " --list --compare a.csv

# Two files.
# of ROW FILE COLUMN: of the comparison in "ab", as CSV
of() {
	awk -F, -v row="$1" -v file="$2" -v column="$3" '/^#/ { next }
		!names++ { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$1 == row && $2 == file { print column in at ? $(at[column]) : "no such column" }' ab
}
widths() { # of the lines of "ab", in fields; a quoted one is one
	grep -v '^#' ab | sed 's/"\([^"]\|""\)*"//' | awk -F, '{ print NF }' | sort -u | wc -l | tr -d ' '
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
# rows, runs, old runs and U* at 0.05 / 2 / rows, two-sided; one row changes, the others do not
for shape in "1 4 4 0" "1 5 5 2" "1 6 6 5" "1 8 8 13" "1 10 10 23" "1 5 8 6" "1 12 5 11" "2 5 5 1" "2 6 6 3" "2 10 10 20" "3 8 8 9" "3 10 10 18" "5 10 10 16"; do
	is "rows, runs, old runs, U: $shape: slower, and the other way faster; a half more is not" \
		"$(for more in 0 1 2; do echo "$shape $more" | { read -r k n m u more; change "$n" "$m" $((2 * u + more)) "$k"; } | tr '\n' ' '; done)" \
		"$(case $shape in 1\ *) echo "slower faster ~ ~ ~ ~ " ;; *) echo "slower faster ~ ~ ~ ~ ~ ~ ~ " ;; esac)"
done
for runs in "1 3 3" "3 3 3" "1 1 1" "1 1 9" "2 4 4" "40 5 5"; do
	is "too few runs ($runs): never faster or slower" "$(echo "$runs" | { read -r k n m; change "$n" "$m" 0 "$k"; } | tr ' ' '\n' | sort -u | tr '\n' ' ')" "few runs too "
done
long=a_row_with_a_name_of_more_than_forty_characters
printf '%s\n' "row 1000000 1003000 1001000 1009000 1004000" "gone 5 6 7 8 9" "$long 7000000 7000001" | csv >a.csv
printf '%s\n' "row 1062000 1051000 1090000 1048000 1077000" "new 5 6 7 8 9" "$long 7000000 7000001" | csv >b.csv
wanted=$(for x in 1062000 1051000 1090000 1048000 1077000; do for y in 1000000 1003000 1001000 1009000 1004000; do echo "$x $y"; done; done |
	awk '{ printf "%.12f\n", $1 / $2 }' | sort -n | awk '{ x[NR] = $1 } END { printf "%.4f %.4f %.4f", x[13], x[3], x[23] }')
"$wb" --compare a.csv b.csv -f csv >ab
is "two files: the median of 25 ratios, and an interval without two at each end" "$(of row b.csv ratio) $(of row b.csv ratio_low) $(of row b.csv ratio_high)" "$wanted"
is "... best, median, runs" "$(of row b.csv best_ns) $(of row b.csv median_ns) $(of row b.csv runs)" "1048000 1062000 5"
is "... each line has all columns" "$(widths)" 1
cells=$(echo "$wanted" | awk '{ printf "1.00ms|1.06ms|%+.1f%%|slower|%+.1f%% to %+.1f%%", 100 * $1 - 100, 100 * $2 - 100, 100 * $3 - 100 }')
table() { # of the Markdown "text", lines without blanks at the bars, but for the rule
	sed -n '/^| *:/d; /^|/{ s/ *| */|/g; s/^|//; s/|$//; p; }' text
}
"$wb" --compare a.csv b.csv -f markdown >text
is "a row's median in both, the change, what it is, and its interval" "$(table)" "row|a|b|change||95% interval
gone|0.007us|-|||
row|$cells
$long|7.00ms|7.00ms|+0.0%|too few runs|-
new|-|0.007us|||"
"$wb" --compare a.csv b.csv >text
holds "... in the text, too" text "^row +$(echo "$cells" | sed 's/[+]/[+]/g; s/|/ +/g')\$" '^gone +0\.007us +-$' '^new +- +0\.007us$' '^a_row_with_a_name_of_more_.*\.\.\. +7\.00ms +7\.00ms '
holds "... and how many there are" text '^0 of 2 rows are faster, 1 slower ' '^1 row had too few runs: use -n 5\.$'
is "... within 80 columns" "$("$wb" --compare a.csv b.csv -v | cat - text | awk 'length > 80')" ""
"$wb" --compare a.csv b.csv -f json >ab.json
is_json ab.json
if [ $perl = yes ]; then
	is "... has the same figures" "$(perl -MJSON::PP -e 'local $/; my ($r) = grep { $_->{row} eq "row" } @{decode_json(<STDIN>)->{reports}[1]{rows}};
		printf "%.4f %.4f %.4f %s", @$r{qw(ratio ratio_low ratio_high change)}' <ab.json)" "$wanted slower"
else
	skip "... has the same figures" "no perl with JSON::PP"
fi
# A change of less than 1 % is none, however sure it is; what an older version says of its control is no matter.
for what in "9000 ~ ~" "12000 slower faster"; do
	by=${what%% *}
	printf '# control: row\n# control_round: 1\n# control_ns: 2000000 0\n' >a.csv
	echo "row $(seq -s ' ' 1000000 1000019)" | csv >>a.csv
	echo "row $(seq -s ' ' $((1000000 + by)) $((1000019 + by)))" | csv >b.csv
	"$wb" --compare a.csv b.csv -f csv >ab
	changes=$(of row b.csv change)
	"$wb" --compare b.csv a.csv -f csv >ab
	is "20 runs, each slower by some of 1000000, and the other way: $what" "$by $changes $(of row a.csv change)" "$what"
done
printf '%s\n' row,round,ns,outcome x,1,1000,ok y,1,,'n/a EXDEV' z,1,,'failed EIO' >a.csv
printf '%s\n' row,round,ns,outcome x,1,1000,ok z,1,2000,shared >b.csv
"$wb" --compare a.csv a.csv >text
holds "what is n/a in both, and what failed" text '^n/a everywhere: y\.$' '^z +failed +failed'
"$wb" --compare a.csv b.csv -f markdown >text
is "... outcomes are cells" "$(table | tail -n 1)" "z|failed|shared|||"
lacks "... and what is only in one is not n/a everywhere" text 'everywhere'

# Three and more: each by how far it is behind its file's winner.
printf '%s\n' "# heading: First" "x 1000000 1000001 1000002" "y 1100000 1100001 1100002" "z 1000001 1000001 1000003" | csv >one.csv
printf '%s\n' "# heading: Second" "x 9000000 9000001 9000002" "y 6000000 6000001 6000002" | csv >two.csv
printf '%s\n' "# heading: Third" "y 250000 250001 250002" "z 500000 500001 500002" | csv >three.csv
echo 'x,1,,n/a EXDEV' >>three.csv
"$wb" --compare one.csv two.csv three.csv -v >text
is "three files: the table" "$(sed '/^$/,$d' text | tr -s ' ')" "row one two three
y +10.0% 6.00ms~ 0.250ms~
x 1.00ms~ +50.0% n/a
z +0.0%~ - +100%"
holds "... with --verbose names each file with its heading" text '^one: one\.csv: First\.$' '^two: two\.csv: Second\.$' '^three: three\.csv: Third\.$'
"$wb" --compare one.csv two.csv three.csv -f csv >ab
is "... CSV: percentages and marks" "$(for row in x y z; do for file in one two three; do printf '%s%s ' "$(of $row $file.csv percent)" "$(of $row $file.csv mark)"; done; done)" \
	"0.00~ 50.00  10.00 0.00~ 0.00~ 0.00~  100.00 "
is "... a line for each row of each file, with all columns" "$(grep -vc '^#' ab) $(widths)" "9 1"
for n in 4 13 60; do
	files=
	for i in $(seq "$n"); do
		sed "s/^x,/$long,/;s/^y,/\"a, \"\"b\"\" | c\",/" one.csv >"a_file_with_a_name_that_is_long_$i.csv"
		files="$files a_file_with_a_name_that_is_long_$i.csv"
	done
	# shellcheck disable=SC2086
	run 0 "$n files" "$wb" --compare $files -o ab.json -o ab.csv -o ab.md >text
	is "... text within 80 columns" "$(awk 'length > 80' text)" ""
	is "... has each file's winner, and the row behind by 10 %" "$(grep -o ' 1\.00ms~' text | wc -l | tr -d ' ') $(grep -o '+10\.0%' text | wc -l | tr -d ' ')" "$n $n"
	is "... titles are numbers, which are explained below" "$(sed -n 's/^\([0-9]*\): a_file_with_a_name_that_is_long_\([0-9]*\)\.csv: First\.$/\1 \2/p' text | awk '$1 == $2' | wc -l | tr -d ' ')" "$n"
	is_json ab.json
	mv ab.csv ab
	is "... CSV: a line for each row of each file, all columns in each" "$(grep -vc '^#' ab) $(widths)" "$((3 * n + 1)) 1"
	is "... markdown: $((n + 1)) columns" "$(grep '^|' ab.md | sed 's/\\|//g' | tr -cd '|\n' | awk '{ print length }' | sort -u)" $((n + 2))
done

# Titles: names without .csv, or the part of the paths that differs, or numbers; in text no longer than 12 characters.
mkdir -p d/x d/y d/z
for file in x y z x/ext4 y/ext4 z/ext4 x/xfs ext4+noauto_da_alloc xfs+mkfs:-m:reflink=0 twelve-char1 twelve-char2 twelve-char3; do
	cp one.csv "d/$file.csv"
done
while IFS='|' read -r wanted files options; do
	# shellcheck disable=SC2086
	is "titles: $files $options" "$(cd d && "$wb" --compare $files $options | sed -n '/^|* *row /{ s/|/ /g; s/ *change.*//; s/ *$//; s/  */ /g; s/^ //; p; q; }')" "row $wanted"
done <<'END'
x y|x.csv y.csv
x y z|x.csv ./y.csv ../d/z.csv
x y|x/ext4.csv y/ext4.csv
x y z|x/ext4.csv y/ext4.csv z/ext4.csv
x y|../d/x/ext4.csv ../d/y/ext4.csv
x y|x/ext4.csv y/ext4.csv|-f markdown
1 2|x.csv x.csv
1 2 3|x.csv y.csv x.csv|-f markdown
twelve-char1 twelve-char2 twelve-char3|twelve-char1.csv twelve-char2.csv twelve-char3.csv
1 2 3|ext4+noauto_da_alloc.csv xfs+mkfs:-m:reflink=0.csv x.csv
ext4+noauto_da_alloc xfs+mkfs:-m:reflink=0 x|ext4+noauto_da_alloc.csv xfs+mkfs:-m:reflink=0.csv x.csv|-f markdown
END
"$wb" --compare d/x.csv d/y/ext4.csv d/z/ext4.csv -f markdown >text
lacks "names of which some are alike are no numbers" text '^\| row \| 1 '
mkdir results
for i in $(seq 40); do cp one.csv results/fs"$i".csv; done
run 0 "results/*.csv" "$wb" --compare results/*.csv >text
is "... short names are titles, and stand nowhere else" "$(tr -s ' ' '\n' <text | grep -c '^fs[0-9]*$') $(grep -c 'csv' text)" "40 0"
is "... each is over its column" "$(awk '/^row / { header = $0; getline; bad += length(header) != length($0) } END { print bad + 0 }' text)" 0
{ cat one.csv && printf '%s\n' far,1,350480000000,ok far,2,350480000001,ok far,3,350480000002,ok looked,1,10,untouched; } >far.csv
"$wb" --compare far.csv far.csv far.csv >text
is "cells of all kinds do not touch" "$(sed '/^$/,$d' text | awk '{ print NF }' | sort -u)" 4

# The answer: the first row of the table, by best runs, that may be the fastest, and whose median is at most 1.25 times the smallest of those.
while IFS='|' read -r wanted marks not rows; do
	echo "$rows" | tr ';' '\n' | csv >answer.csv
	"$wb" --compare answer.csv >text
	"$wb" --compare answer.csv -f csv >b.csv
	is "$rows: use ${wanted:-none}" "$(sed -n 's/^Use \([A-Z]\).*/\1/p' text)$(sed -n 's/^# recommended: //p' b.csv)" "$wanted$wanted"
	is "... ~: ${marks:-none}" "$(sed -n '/^[A-Z].*~/s/ .*//p' text | tr -d '\n')" "$marks"
	is "... not: ${not:-none}" "$(sed -n 's/^Not \([A-Z]\): .*\( [A-Z0-9%]*\) \(behind\|beats it\)\.$/\1\2/p' text)" "$not"
done <<'END'
A|AB||A 45 62 63;B 46 50 51
B|AB|A 26%|A 45 63 64;B 46 50 51
B|B|A 102%|A 45 100 102 104 106 108;B 46 50 51 52 53 54
B|AB|A 102%|A 45 100 102 104 106 108;B 46 50 51 52 53 54;C 60 61 62 63 64 65
A|A||A 10 11 12 13 14 15;B 20 21 22 23 24 25
|AB||A 10;B 20
END
holds "one run recommends nothing" text '^1 run: no spread known\. Use -n 3 or more\.$'
echo "a 1000000 1000001" | csv >answer.csv
"$wb" --compare answer.csv >text
lacks "one row is not recommended before others, nor marked as one of several" text '^Use |^~: '
lacks "... nor is one report of several sizes" text 'by size'

# Below the table failures, the answer, warnings and what is n/a always stand; notes only as far as 10 lines have room.
# WARNINGS, ROWS that are n/a, LETTERS of the CPU.
crowded() {
	awk -v warnings="$1" -v rows="$2" -v letters="$3" 'BEGIN {
		while (length(x) < 400) x = x "word "
		print "# heading: Ext4+dmcrypt+lvm, a disk of a very long name, filesize=256MiB, kernel=6.18.44-with-a-name-that-is-long"
		print "# command_line: write-bench --with=cat " x "\n# size: 268435456\n# cpu: " substr(x, 1, letters) "\n# cpus: 128\n# memory_bytes: 270582939648"
		print "# until: the last call returned\n# page_cache: input in the page cache\n# runs: 6\n# seed: 123456789\n# version: write-bench 0.1\n# memcpy_bytes: 268435456\n# memcpy_ns: 20000000"
		for (i = 0; i < warnings; i++) print "# warning_w" i ": something that takes " i " words and a remedy at the end: " substr(x, 1, 60)
		print "row,round,ns,outcome,cpu_ms,detail"
		for (i = 1; i <= 6; i++)
			printf "sendfile,%d,10%d000000,ok,100,\ncopy_file_range + advices,%d,10%d%d00000,ok,200,\n\"$ cat %s\",%d,14%d000000,ok,10,\n\"$ dd bs=1M %s\",%d,150000000%d,ok,100,\ncloned,%d,50000,shared,0.05,\n",
				i, i, i, (i > 1 ? 8 : 0), i, x, i, i, x, i, i, i
		split("EXDEV EINVAL EOPNOTSUPP ENOSYS EPERM EBADF", errno, " ")
		for (i = 0; i < rows; i++) print "a row that is not there + advices " i ",1,,n/a " errno[i % 6 + 1] ",,a call of number " i % 7
	}'
}
notes() { # a line each, but for facts and those that only --verbose has in any case
	"$wb" --compare full.csv -f markdown "$@" | grep '^- ' | grep -vE '^- (A row without|memcpy of|([A-Z][a-z0-9 ]* ns|Host|(Second o|O)utput|Input|Block size|Order|Pause s|Warmup|Date|Compiler|Load|Verified|Cpu whole|Memcpy bytes): )'
}
for shape in "0 0 10" "0 30 10" "8 0 48" "30 300 48"; do
	warnings=${shape%% *} rows=${shape#* } && rows=${rows% *}
	crowded "$warnings" "$rows" "${shape##* }" >full.csv
	"$wb" --compare full.csv >text
	is "warnings, rows n/a, letters of the CPU's name: $shape: within 80 columns" "$("$wb" --compare full.csv -v | cat - text | awk 'length > 80')" ""
	notes >shown
	notes -v >all
	[ "$warnings$rows" != 00 ] || is "... 10 lines below the table, or less" "$(($(sed '1,/^row /d' text | sed -n '/^$/,$p' | wc -l) > 10))" 0
	holds "... the answer is the first, with all that there is to it" shown '^- Use cloned: it shares the blocks, 50\.0us\. If the bytes must be copied: copy_file_range \+ advices: median 108ms, 2\.31 ?GiB/s with 1\.8 CPUs, 18% of memcpy, 1\.3[0-9] times as fast as cat '
	is "... where it was measured is the last" "$(tail -n 1 shown | grep -c 'write-bench 0\.1\.$')" 1
	is "... all warnings stand there" "$(grep -o 'something that takes [0-9]* words' shown | sort -u | wc -l | tr -d ' ')" "$warnings"
	is "... what is n/a in one line, each reason once" "$(grep -c '^- n/a: ' shown) $(grep -oE 'a call of number [0-6]: E[A-Z]+' shown | sort | uniq -c | awk '$1 > 1')" "$((rows > 0)) "
	more=$(sed -n 's/^- \([0-9]*\) more notes\{0,1\}: --verbose\.$/\1/p' shown)
	is "... what is left out is counted, and nothing with --verbose" "$((${more:-1} + $(wc -l <shown) - 1)) $(grep -cE 'more notes|and [0-9]+ more' all)" "$(wc -l <all) 0"
done
{ echo row,round,ns,outcome,detail && seq -f 'a row that is not there + advices %g,1,,n/a EXDEV,copy_file_range' 5 && echo 'b,1,,n/a EPERM,sendfile'; } >full.csv
"$wb" --compare full.csv | tr -s '\n ' ' ' >text
holds "rows that are n/a for the same reason are together, and named as far as they are few" text 'n/a: (.*; )?b: sendfile: EPERM[.;]' \
	'a row that is not there \+ advices 1, a row that is not there \+ advices 2, a row that is not there \+ advices 3 and 2 more: copy_file_range: EXDEV[.;]'

# A session that was interrupted before its first run has a report, too.
printf '# interrupted: by SIGTERM after 0 of 9 runs: standard output is not a copy\n# run_lines: 0\nrow,round,ns,outcome\n' >none.csv
run 0 "a report without runs" "$wb" --compare none.csv >text
holds "... reports the interruption" text '^Interrupted by SIGTERM after 0 of 9 runs: '
run 2 "... has no row to be selected" "$wb" --compare none.csv -s '*'

# Rows that take many CPUs, and that are slower by far.
printf '%s\n' row,round,ns,outcome,cpu_ms "many CPUs,1,1000000,ok,64" "many CPUs,2,1000000,ok,64" "slow and many,1,500000000,ok,5000" \
	"slow and many,2,500000001,ok,5000" >full.csv
"$wb" --compare full.csv -v >text
is "64 CPUs, and 500 times slower: within 80 columns" "$(awk 'length > 80' text)" ""
holds "... both rows" text '^many CPUs +.* ~ +64x' '^slow and many .* \(>9999%\) +10x'

if [ $perl = yes ]; then
	printf '# size: 5\n# cpus: many\n# runs: 007\n# seed: 1e999x\n# level: high\nrow,round,ns,outcome\na,1,1000,ok\n' >odd.csv
	is "what only claims to be a number is a string in JSON, and what is not known is null" "$("$wb" --compare odd.csv -f json | perl -MJSON::PP -e 'local $/;
		my $r = decode_json(<STDIN>)->{reports}[0]; my $e = $r->{environment}; print JSON::PP->new->encode([@$e{qw(size cpus runs seed)}, $r->{rows}[0]{cpu_ms}])')" '[5,"many","007","1e999x",null]'
fi

# The version of columns and keys; a file without it is of version 1.
for version in "" 1 2; do
	{ echo "${version:+# schema: $version}" && cat one.csv; } >"old$version.csv"
	"$wb" --compare "old$version.csv" -f csv | sed 1d >b.csv
	[ "$version" ] || cp b.csv wanted
	same "version ${version:-not named} is read, and written as 3" wanted b.csv
done

echo "a 1000000 1000100 1000200" | csv >a.csv
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
for outcome in '' OK okay 'ok ' ' ok' 'n/a ' 'n/a EFOO' 'n/abc EPERM' 'n/a short' failed 'failed EFOO' 'failed exit' 'failed exit x' 'failed exit -1' 'failed exit 256' \
	'failed exit 0' 'failed signal 0' 'failed signal 128' 'failed signal 200' 'n/a exit 3' 'n/a signal 9' 'failed errno 0' 'not run' slow; do
	wrong "outcome '$outcome'" 4 "outcome is " "${first}a,2,1000,$outcome\n"
done
printf "%s\n" row,round,ns,outcome,detail "a,1,,failed short,100" "b,1,,failed short,200" >short.csv
is "two copies that ended early, at any byte, are one line" "$("$wb" --compare short.csv | tail -n 1)" "  a, b."
wrong "the same report behind the first" '[4-7]' "an earlier" "$first$first"
wrong "a second report without a run" 5 "ends before" "$first# size: 5\n"
wrong "... that has column names" '[67]' "ends before" "$first# size: 5\n$names"
wrong "column names for a second time, and no run" '[45]' "" "$first$names"
wrong "a field too few for the second report's column names" 6 "has 4 fields, not 5" "$first# size: 5\nrow,round,ns,outcome,note\na,1,1000,ok\n"
wrong "another size, which stands in the second report" 7 "bytes" "$first# size: 5\nrow,round,ns,outcome,bytes\na,1,1000,ok,5\na,1,1000,ok,4\n"
for version in 0 4 2.0 -2 two; do
	wrong "version '$version' of columns and keys" 1 "schema is " "# schema: $version\n$first"
done
wrong "a size of nothing" 1 "size is " "# size: 0\n$first"
wrong "a size in words" 1 "size is " "# size: big\n$first"
wrong "a CPU time below 0" 2 "cpu_ms is " 'row,round,ns,outcome,cpu_ms\na,1,1000,ok,-1\n'
wrong "a CPU time in words" 2 "cpu_ms is " 'row,round,ns,outcome,cpu_ms\na,1,1000,ok,fast\n'
wrong "more runs than it speaks of" 5 "after 2 runs, and says itself that it has 1: it is put together" "# run_lines: 1\n${names}a,1,1000,ok\na,2,1000,ok\n"
wrong "... the first report" '[5-8]' "after 2 runs, and says itself that it has 1:" "# run_lines: 1\n${names}a,1,1000,ok\na,2,1000,ok\n# size: 5\n# run_lines: 1\na,1,1000,ok\n"
wrong "... the second" '[6-9]' "after 2 runs, and says itself that it has 1:" "# run_lines: 1\n${names}a,1,1000,ok\n# size: 5\n# run_lines: 1\na,1,1000,ok\na,1,1000,ok\n"
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

# Cut anywhere: refused with the line that is missing or cut, unless it is whole so far and does not say how many runs there were.
printf '%s\n' "a 1000 2000" "b 3000 4000" | csv >runs
{ printf '# %s\n' "heading: Ext9, filesize=1MB, kernel=1.0" "cpu: a" "order: 1000" && cat runs; } >whole
{ echo "# run_lines: 4" && cat whole; } >counted
cut_at() { # FILE BYTES: the exit status, and whether that is right
	head -c "$2" "$1" >"cut"
	line=$(($(wc -l <"cut") + 1))
	"$wb" --compare cut >out 2>err
	case $?$(tail -c 1 "cut" | wc -l)$((line > 5))$1 in
	011whole) [ -s out ] ;;
	011counted | 0*) false ;;
	*) [ ! -s out ] && grep -q "^write-bench: cut: line $line: " err ;;
	esac || odd="$odd $1:$2"
}
odd=
for n in $(seq 0 $(($(wc -c <whole) - 1))); do cut_at whole "$n"; done
for line in $(seq 8); do cut_at counted "$(head -n "$line" counted | wc -c)"; done # what is cut within a line is refused alike
is "reports that are cut, at any byte, or between two lines if they say how many runs they have" "$odd" ""

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
is "lines may end in CR LF" "$(sed 's/$/\r/' whole | "$wb" --compare -)" "$("$wb" --compare - <whole)"
printf '# heading: H\n#\n# a comment\n#no: fact\n\n"row",round,"ns",outcome,note,cpu_ms\n"a",1,"1000",ok,"what, ""ever""",-\na,2,1001,ok,,0.5\n' >a.csv
"$wb" --compare a.csv -f csv >b.csv
is "comments, empty lines before the columns, quotes, and columns of others are read" "$(column 1 b.csv | tr '\n' ' ')$(column 3 b.csv | tr '\n' ' ')" "a a 1000 1001 "
counters=task_clock_ms,context_switches,cpu_migrations,page_faults,cycles,instructions,branches,branch_misses
printf '%s\n' "row,round,ns,outcome,cpu_ms,resident,$counters" "a,1,1000,ok,0.500001,4096,0.400002,1,2,3,4,5,6,7" "b,1,100000000000000000,ok,12345678.000001,0,0.000000,-,-,0,-,9007199254740992,-,8" \
	"a,2,1001,shared,0.600000,8192,0.500000,8,7,6,5,4,3,2" >a.csv
is "all columns that there are are kept, and one more" "$("$wb" --compare a.csv -f csv | sed '/^#/d')" "$(sed '1s/$/,bytes,detail/;2,$s/$/,,/' a.csv)"
long=$(printf '%0300d' 0)
printf '%s\n' row,round,ns,outcome,detail "r,1,,failed EIO,$long" "s,1,,n/a EPERM,$long" >d.csv
is "details of 300 characters come back whole" "$("$wb" --compare d.csv -f csv | grep -c ",$long\$")" 2
if [ $perl = yes ]; then
	is "JSON that is valid: of $jsons files, all" "$(perl -MJSON::PP -e 'local $/; for (@ARGV) { open my $f, "<", $_ or die; print "$_ " if !eval { decode_json(<$f>) } }' $(seq -f json.%g $jsons))" ""
else
	skip "JSON that is valid" "no perl with JSON::PP"
fi
