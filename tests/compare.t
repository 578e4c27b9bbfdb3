#!/bin/sh
# --compare: a report that is read back is the same report; two and more stand side by side; and what is
# no report is refused with its name and line.
# Tried: it fails where a report may be cut between two lines; a report may have control characters; changes are tested as
# Tried: if to one side only; each change is one, or none below 2 %; the report may go onto the one that it is made from;
# Tried: quotes are not doubled; two files with too few runs are separated; numbers are strings in JSON; a word that is too long
# Tried: for a line is not cut.
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
replay "in order, synced, not verified" 0 -n2 -s 'send*' --until=sync --in-order --no-verify
replay "counters" 0 -n2 -s 'send*' --counters
# shellcheck disable=SC2016
replay "commands that fail, in quotes, with commas, and other bytes" 1 -n2 -s 'send*,read+write 1k' -w cat -w ' cat ' -w '#x' -w 'exit 3' \
	-w 'kill -9 $$' -w 'echo "a, \"b\" é	tab" >&2; exit 255' -w 'cat # é, "quoted" | \x' -w 'head -c 10' -w 'exec cat >/dev/null'
holds "... with exit status and signal" b.csv ',failed exit 3,' ',failed signal 9,' ',failed exit 255,' ',mismatch,'
if can_trace; then
	for fault in error=EXDEV error=524 retval=0; do # 524: ENOTSUPP, which NFS lets out
		strace -qq -o trace -P "$work/X" -P "$work/Y" -e inject=sendfile:$fault:when=1 \
			"$wb" -p0 -n2 --seed=1 -s 'send*,read+write 1k' -f csv -o a.csv <X >Y 2>err
		again "sendfile:$fault: $(grep '^sendfile.*,' a.csv | grep -v ',ok' | tail -n 1 | cut -d, -f4)"
	done
else
	skip "outcomes by fault injection" "no strace"
fi
# Interrupted after rounds that a command counts, long before the last; dd(1), since cat(1) shares blocks where it can
"$wb" -p 0.01 -n 20000 -s 'send*' -w 'dd status=none; echo >>rounds' -f csv -o a.csv <X >Y 2>err &
pid=$!
until_there awk 'END { exit NR < 2 }' rounds
kill -INT $pid
within 60 $pid
wait $pid
is "interrupted" $? 130
again "..."
"$wb" --compare a.csv >text
holds "... and says so" text '^Interrupted .*SIGINT .* [0-9]+ of 100000 '

# In the other formats.
printf 'exit 3\n' >three && printf 'echo no >&2; exit 1\n' >one
formats="text markdown json"
at_once "$formats" -n3 -s 'send*,read+write*,reflink,direct*' -x 'read+write 1'
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
"$wb" --compare a.csv -s 'a,b' -f csv >b.csv
is "--select" "$(column 1 b.csv | sort -u | tr '\n' ' ')" "a b "
is "... read back is the same report, and so is what --exclude leaves" "$("$wb" --compare b.csv -f csv | cmp - b.csv; "$wb" --compare a.csv -x '$*' -f csv | cmp - b.csv)" ""
# refused DESCRIPTION REGEX ARGUMENT...: exit status 2, one line that matches, no output, a.csv whole
cp a.csv a.orig
refused() { # what is to match is figures and names
	what=$1 regex=$2
	shift 2
	"$wb" "$@" >out 2>err </dev/null
	status=$?
	if [ $status = 2 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] && grep -Eq -e "$regex" err && cmp -s a.csv a.orig; then pass "$what"; else
		fail "$what" err
		echo "#   exit status $status, $(wc -c <out) bytes on standard output, wanted: $regex" >&3
	fi
}
refused "the gate is of one session" '^write-bench: --fail-if-slower: .*--baseline.*--compare' --compare a.csv b.csv --fail-if-slower
refused "-o onto the second input" '^write-bench: a\.csv: is also the report' --compare b.csv a.csv -o a.csv
"$wb" --compare - -o a.csv <a.csv 2>err
is "... onto standard input" "$? $(cmp a.csv a.orig)" "2 "
refused "no file" 'compare' --compare
refused "a glob that matches nothing" 'select=nosuch' --compare a.csv -s nosuch
refused "nothing is left" '^write-bench: ' --compare a.csv -x '*'
refused "--top, of two reports" '^write-bench: --top: ' --compare a.csv a.csv --top=1
for option in --runs=3 --cold --with=cat --list; do
	refused "not together with $option" '^write-bench: .*--compare' --compare a.csv "$option"
done

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
for shape in "1 4 4 0" "1 10 10 23" "1 5 8 6" "2 6 6 3" "5 10 10 16"; do
	is "rows, runs, old runs, U: $shape: slower, and the other way faster; a half more is not" \
		"$(for more in 0 1 2; do echo "$shape $more" | { read -r k n m u more; change "$n" "$m" $((2 * u + more)) "$k"; } | tr '\n' ' '; done)" \
		"$(case $shape in 1\ *) echo "slower faster ~ ~ ~ ~ " ;; *) echo "slower faster ~ ~ ~ ~ ~ ~ ~ " ;; esac)"
done
for runs in "1 3 3" "1 1 9" "40 5 5"; do
	is "too few runs ($runs): never faster or slower" "$(echo "$runs" | { read -r k n m; change "$n" "$m" 0 "$k"; } | tr ' ' '\n' | sort -u | tr '\n' ' ')" "few runs too "
done
long=a_row_with_a_name_of_more_than_forty_characters
printf '%s\n' "row 1000000 1003000 1001000 1009000 1004000" "gone 5 6 7 8 9" "$long 7000000 7000001" | csv >a.csv
printf '%s\n' "row 1062000 1051000 1090000 1048000 1077000" "new 5 6 7 8 9" "$long 7000000 7000001" | csv >b.csv
wanted=$(for x in 1062000 1051000 1090000 1048000 1077000; do for y in 1000000 1003000 1001000 1009000 1004000; do echo "$x $y"; done; done |
	awk '{ printf "%.12f\n", $1 / $2 }' | sort -n | awk '{ x[NR] = $1 } END { printf "%.4f %.4f %.4f", x[13], x[3], x[23] }')
"$wb" --compare a.csv b.csv -f csv >ab
is "two files: the median of 25 ratios, and an interval without two at each end" "$(of row b.csv ratio) $(of row b.csv ratio_low) $(of row b.csv ratio_high)" "$wanted"
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
holds "... and how many runs would do" text ' -n 7[^0-9]'
is "... within 80 columns" "$("$wb" --compare a.csv b.csv -v | cat - text | awk 'length > 80')" ""
"$wb" --compare a.csv b.csv -f json >ab.json
is_json ab.json
holds "... JSON has the change" ab.json '"row": "row", .*"change": "slower"'
# A change of less than 1 % is none, however sure it is.
for what in "9000 ~ ~" "12000 slower faster"; do
	by=${what%% *}
	echo "row $(seq -s ' ' 1000000 1000019)" | csv >a.csv
	echo "row $(seq -s ' ' $((1000000 + by)) $((1000019 + by)))" | csv >b.csv
	"$wb" --compare a.csv b.csv -f csv >ab
	changes=$(of row b.csv change)
	"$wb" --compare b.csv a.csv -f csv >ab
	is "20 runs, each slower by some of 1000000, and the other way: $what" "$by $changes $(of row a.csv change)" "$what"
done
printf '%s\n' row,round,ns,outcome x,1,1000,ok y,1,,'n/a EXDEV' z,1,,'failed EIO' >a.csv
printf '%s\n' row,round,ns,outcome x,1,1000,ok z,1,2000,shared >b.csv
"$wb" --compare a.csv a.csv >text
holds "what is n/a in both, and what failed" text '^n/a .*: y\.$' '^z +failed +failed'
"$wb" --compare a.csv b.csv -f markdown >text
is "... outcomes are cells" "$(table | tail -n 1)" "z|failed|shared|||"

# Three and more: medians.
printf '%s\n' "# heading: First" "x 1000000 1000001 1000002" "y 1100000 1100001 1100002" "z 1000001 1000001 1000003" | csv >one.csv
printf '%s\n' "# heading: Second" "x 9000000 9000001 9000002" "y 6000000 6000001 6000002" | csv >two.csv
printf '%s\n' "# heading: Third" "y 250000 250001 250002" "z 500000 500001 500002" | csv >three.csv
echo 'x,1,,n/a EXDEV' >>three.csv
"$wb" --compare one.csv two.csv three.csv -v >text
is "three files: the table" "$(sed '/^$/,$d' text | tr -s ' ')" "row one two three
y 1.10ms 6.00ms~ 0.250ms~
x 1.00ms~ 9.00ms n/a
z 1.00ms~ - 0.500ms"
"$wb" --compare one.csv two.csv three.csv -f markdown >text
is "... in Markdown the smallest median of each is bold, equal ones both" "$(table | tail -n 3 | grep -o '\*\*[^*]*\*\*' | tr '\n' ' ')" "**6.00ms~** **0.250ms~** **1.00ms~** **1.00ms~** "
"$wb" --compare one.csv two.csv three.csv -v >text
holds "... with --verbose names each file with its heading" text '^one: .*First' '^two: .*Second' '^three: .*Third'
"$wb" --compare one.csv two.csv three.csv -f csv >ab
is "... CSV: percentages and marks" "$(for row in x y z; do for file in one two three; do printf '%s%s ' "$(of $row $file.csv percent)" "$(of $row $file.csv mark)"; done; done)" \
	"0.00~ 50.00  10.00 0.00~ 0.00~ 0.00~  100.00 "
is "... a line for each row of each file, with all columns" "$(grep -vc '^#' ab) $(widths)" "9 1"
for n in 4 60; do
	files=
	for i in $(seq "$n"); do
		sed "s/^x,/$long,/;s/^y,/\"a, \"\"b\"\" | c\",/" one.csv >"a_file_with_a_name_that_is_long_$i.csv"
		files="$files a_file_with_a_name_that_is_long_$i.csv"
	done
	# shellcheck disable=SC2086
	run 0 "$n files" "$wb" --compare $files -o ab.json -o ab.csv -o ab.md >text
	is "... text within 80 columns" "$(awk 'length > 80' text)" ""
	is "... has each file's rows that may be the fastest, and the slower one's median" "$(grep -o ' 1\.00ms~' text | wc -l | tr -d ' ') $(grep -o '1\.10ms' text | wc -l | tr -d ' ')" "$((2 * n)) $n"
	is "... titles are numbers, which are explained below" "$(sed -n 's/^\([0-9]*\): a_file_with_a_name_that_is_long_\([0-9]*\)\.csv: First\.$/\1 \2/p' text | awk '$1 == $2' | wc -l | tr -d ' ')" "$n"
	is_json ab.json
	mv ab.csv ab
	is "... CSV: a line for each row of each file, all columns in each" "$(grep -vc '^#' ab) $(widths)" "$((3 * n + 1)) 1"
done

# Titles: names without .csv, or the part of the paths that differs, or numbers; in text no longer than 12 characters.
mkdir -p d/x d/y d/z
for file in x y x/ext4 y/ext4 z/ext4 ext4+noauto_da_alloc xfs+mkfs:-m:reflink=0; do
	cp one.csv "d/$file.csv"
done
while IFS='|' read -r wanted files options; do
	# shellcheck disable=SC2086
	is "titles: $files $options" "$(cd d && "$wb" --compare $files $options | sed -n '/^|* *row /{ s/|/ /g; s/ *change.*//; s/ *$//; s/  */ /g; s/^ //; p; q; }')" "row $wanted"
done <<'END'
x y|../d/x/ext4.csv ../d/y/ext4.csv
x y z|x/ext4.csv y/ext4.csv z/ext4.csv
1 2 3|x.csv y.csv x.csv|-f markdown
1 2 3|ext4+noauto_da_alloc.csv xfs+mkfs:-m:reflink=0.csv x.csv
ext4+noauto_da_alloc xfs+mkfs:-m:reflink=0 x|ext4+noauto_da_alloc.csv xfs+mkfs:-m:reflink=0.csv x.csv|-f markdown
END

# Below the table the answer, all warnings and what is n/a always stand.
crowded() { # WARNINGS ROWS: that are n/a
	awk -v warnings="$1" -v rows="$2" 'BEGIN {
		while (length(x) < 400) x = x "word "
		print "# heading: Ext4+dmcrypt+lvm, a disk of a very long name, filesize=256MiB, kernel=6.18.44-with-a-name-that-is-long"
		print "# command_line: write-bench --with=cat " x "\n# size: 268435456\n# memory_bytes: 270582939648"
		print "# cpu: " substr(x, 1, 10 + warnings) "\n# cpus: 128"
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
for shape in "0 0" "30 300"; do
	warnings=${shape% *} rows=${shape#* }
	crowded "$warnings" "$rows" >full.csv
	"$wb" --compare full.csv >text
	"$wb" --compare full.csv -f markdown | grep '^- ' >shown
	is "warnings, rows n/a: $shape: within 80 columns" "$("$wb" --compare full.csv -v | cat - text | awk 'length > 80')" ""
	holds "... the answer is the first, with all that there is to it" shown \
		'^- Use cloned: .*50\.0us.*: use copy_file_range \+ advices, .*: 1\.3[0-9] times .* cat .*; median 108ms, 2\.31 ?GiB/s .*1\.8 CPUs, 18% '
	is "... all warnings stand there" "$(grep -o 'something that takes [0-9]* words' shown | sort -u | wc -l | tr -d ' ')" "$warnings"
	is "... what is n/a in one line, each reason once" "$(grep -c '^- n/a: ' shown) $(grep -oE 'a call of number [0-6]: E[A-Z]+' shown | sort | uniq -c | awk '$1 > 1')" "$((rows > 0)) "
done

# A session that was interrupted before its first run has a report, too.
printf '# interrupted: by SIGTERM after 0 of 9 runs: standard output is not a copy\n# run_lines: 0\nrow,round,ns,outcome\n' >none.csv
run 0 "a report without runs" "$wb" --compare none.csv >text
holds "... reports the interruption" text 'SIGTERM .* 0 of 9 runs'

if [ $perl = yes ]; then
	printf '# size: 5\n# cpus: many\n# runs: 007\n# seed: 1e999x\n# level: high\nrow,round,ns,outcome\na,1,1000,ok\n' >odd.csv
	is "what only claims to be a number is a string in JSON, and what is not known is null" "$("$wb" --compare odd.csv -f json | perl -MJSON::PP -e 'local $/;
		my $r = decode_json(<STDIN>)->{reports}[0]; my $e = $r->{environment}; print JSON::PP->new->encode([@$e{qw(size cpus runs seed)}, $r->{rows}[0]{cpu_ms}])')" '[5,"many","007","1e999x",null]'
fi

echo "a 1000000 1000100 1000200" | csv >a.csv
# What is no report.
cp a.csv a.orig
# wrong DESCRIPTION LINE TEXT: as printf(1) has it
wrong() {
	# shellcheck disable=SC2059
	printf "$3" >bad
	refused "$1" "^write-bench: bad: line $2: " --compare bad
}
names='row,round,ns,outcome\n'
first="# heading: H\n${names}a,1,1000,ok\n"
printf '# heading: H\nrow,round,ns,outcome\na,1,1000,ok\n' >bad
run 0 "what follows is about this report" "$wb" --compare bad >out
wrong "an empty file" 1 ''
wrong "no column names" 1 'a,1,1000,ok\n'
wrong "another order" 1 'row,ns,round,outcome\na,1000,1,ok\n'
wrong "a column twice" 1 'row,round,ns,outcome,cpu_ms,cpu_ms\na,1,1000,ok,1,1\n'
wrong "a field too few" 4 "${first}a,2,1000\n"
wrong "a field too many" 4 "${first}a,2,1000,ok,5\n"
wrong "the end of the last line is missing" 4 "${first}a,2,1000,ok"
wrong "a NUL byte in the heading" 1 '# heading: \000H\nrow,round,ns,outcome\na,1,1000,ok\n'
wrong "an escape" 3 "# a: b\n${names}\\033[31ma,1,1000,ok\n"
wrong "a row without a name" 4 "$first,1,1000,ok\n"
wrong "a quote that is not closed" 4 "${first}a,1,1000,\"ok\n"
wrong "a quote inside a field" 4 "${first}a\"b,1,1000,ok\n"
wrong "words behind a quote" 4 "$first\"a\"b,1,1000,ok\n"
for ns in -5 0 1.5 1e3 '' 1000000000000000001 18446744073709551617; do
	wrong "a time of '$ns'" 4 "${first}a,2,$ns,ok\n"
done
for round in 0 '' x 4294967297; do
	wrong "round '$round'" 4 "${first}a,$round,1000,ok\n"
done
for outcome in '' OK 'n/a EFOO' failed 'failed exit 256' 'failed signal 128' 'n/a exit 3' slow; do
	wrong "outcome '$outcome'" 4 "${first}a,2,1000,$outcome\n"
done
wrong "a second report without a run" 5 "$first# size: 5\n"
wrong "another size, which stands in the second report" 7 "$first# size: 5\nrow,round,ns,outcome,bytes\na,1,1000,ok,5\na,1,1000,ok,4\n"
wrong "bytes that are no number" 2 'row,round,ns,outcome,bytes\na,1,1000,ok,x\n'
for version in 3 5 4x; do wrong "version $version of columns and keys" 1 "# schema: $version\n$first"; done
holds "... asks to measure again" err ': measure again$'
wrong "a size of nothing" 1 "# size: 0\n$first"
wrong "a CPU time below 0" 2 'row,round,ns,outcome,cpu_ms\na,1,1000,ok,-1\n'
wrong "more runs than it speaks of" 5 "# run_lines: 1\n${names}a,1,1000,ok\na,2,1000,ok\n"
head -c 10000 "$wb" >bad
refused "a program" '^write-bench: bad: line 1: ' --compare bad
refused "a file that is not there" '^write-bench: nosuch: .*ENOENT' --compare nosuch

# Cut anywhere: refused with the line that is missing or cut.
printf '%s\n' "a 1000 2000" "b 3000 4000" | csv >runs
{ printf '# %s\n' "run_lines: 4" "heading: Ext9, filesize=1MB, kernel=1.0" "cpu: a" "order: 1000" && cat runs; } >whole
odd=
for n in $(seq 0 $(($(wc -c <whole) - 1))); do
	head -c "$n" whole >part
	line=$(($(wc -l <part) + 1))
	"$wb" --compare part >out 2>err
	[ "$? $(wc -c <out) $(grep -c "^write-bench: part: line $line: " err)" = "2 0 1" ] || odd="$odd $n"
done
is "a report that is cut at any byte is refused" "$odd" ""

# As large as they come: within 300 MB, or less, at once.
# shellcheck disable=SC3045
limited() { (ulimit -v 300000 && exec timeout 300 "$wb" --compare "$@"); }
large() { # DESCRIPTION LINE COMMAND: of what the command prints
	eval "$3" | limited - >out 2>err
	is "$1: exit status, and the line" "$? $(grep -c "^write-bench: -: line $2: " err)" "2 1"
}
if grep -aq __asan_init "$wb"; then
	skip "large reports within 300 MB" "the address sanitizer needs terabytes of addresses"
	limited() { timeout 300 "$wb" --compare "$@"; }
fi
names='print "row,round,ns,outcome"'
large "1002 rows" 1002 "awk 'BEGIN { $names; for (i = 0; i < 1002; i++) print \"r\" i \",1,1000,ok\" }'"
large "500002 runs" 500002 "awk 'BEGIN { $names; for (i = 0; i < 500002; i++) print \"r\" i % 10 \",1,1000,ok\" }'"
large "a line of 17 MB" 1 "head -c 17000000 /dev/zero | tr '\\0' a"

# What is no error.
is "lines may end in CR LF" "$(sed 's/$/\r/' whole | "$wb" --compare -)" "$("$wb" --compare - <whole)"
printf '# heading: H\n#\n# a comment\n#no: fact\n\n"row",round,"ns",outcome,note,cpu_ms\n"a",1,"1000",ok,"what, ""ever""",-\na,2,1001,ok,,0.5\n' >a.csv
"$wb" --compare a.csv -f csv >b.csv
is "comments, empty lines before the columns, quotes, and columns of others are read" "$(column 1 b.csv | tr '\n' ' ')$(column 3 b.csv | tr '\n' ' ')" "a a 1000 1001 "
counters=task_clock_ms,context_switches,cpu_migrations,page_faults,cycles,instructions,branches,branch_misses
printf '%s\n' "row,round,ns,outcome,cpu_ms,resident,$counters" "a,1,1000,ok,0.500001,4096,0.400002,1,2,3,4,5,6,7" "b,1,100000000000000000,ok,12345678.000001,0,0.000000,-,-,0,-,9007199254740992,-,8" \
	"a,2,1001,shared,0.600000,8192,0.500000,8,7,6,5,4,3,2" >a.csv
is "all columns that there are are kept, and one more" "$("$wb" --compare a.csv -f csv | sed '/^#/d')" "$(sed '1s/$/,bytes,detail/;2,$s/$/,,/' a.csv)"
if [ $perl = yes ]; then
	is "JSON that is valid: of $jsons files, all" "$(perl -MJSON::PP -e 'local $/; for (@ARGV) { open my $f, "<", $_ or die; print "$_ " if !eval { decode_json(<$f>) } }' $(seq -f json.%g $jsons))" ""
else
	skip "JSON that is valid" "no perl with JSON::PP"
fi
