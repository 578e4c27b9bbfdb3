#!/bin/sh
# --compare: a report that is read back is the same report; two and more stand side by side; and what is
# no report is refused with its name and line.
# Tried: it fails where a report may be cut between two lines; a report may have control characters; changes are tested
# Tried: as if to one side only; each change is one, or none below 2 %; the report may go onto the one that it is made
# Tried: from; quotes are not doubled; two files with too few runs are separated; numbers are strings in JSON; a word
# Tried: that is too long for a line is not cut.
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"
. "$top/tests/replay.sh"

. "$top/tests/reports.sh"

jsons=0
is_json() { # FILE: it is read in the end, by one perl
	jsons=$((jsons + 1)) && cp "$1" "json.$jsons"
}

# One file: what is read back is the same report.
bytes 65536 >X
printf 'exit 3\n' >three && printf 'echo no >&2; exit 1\n' >one
replay() { # STATUS OPTION...
	status=$1
	shift
	at_once "csv text markdown json" "$@"
	is "... exit status" $session "$status"
	is_json live.json
}
replay 0 -n3
replay 0 -n3 -s 'send*,read+write*,reflink,direct*' -x 'read+write 1'
replay 0 -n2 -s 'send*' --until=sync --in-order --no-verify
replay 0 -n2 -s 'send*' --counters
# they fail in another order than they stand in the table
replay 1 -n2 -s 'send*,reflink' -w 'sh three' -w 'sh one' -w 'head -c 10'
replay 1 -n2 -s 'send*,read+write 1k' -w cat -w ' cat ' -w '#x' -w 'exit 3' -w 'kill -9 $$' -w 'exec cat >/dev/null' \
	-w 'echo "a, \"b\" é	tab" >&2; exit 255' -w 'cat # é, "quoted" | \x' -w 'head -c 10'
holds "... with exit status and signal" live.csv ',failed exit 3,' ',failed signal 9,' ',failed exit 255,' ',mismatch,'
if can_trace || or_skip "outcomes by fault injection" "no strace"; then
	for fault in error=EXDEV error=524 retval=0; do # 524: ENOTSUPP, which NFS lets out
		under="strace -qq -o trace -P X -P Y -e inject=sendfile:$fault:when=1"
		at_once csv -n2 -s 'send*,read+write 1k'
	done
	under=
fi
# Interrupted after rounds that a command counts, long before the last; dd(1), since cat(1) shares blocks where it can
"$wb" -p 0.01 -n 20000 -s 'send*' -w 'dd status=none; echo >>rounds' -o live.csv <X >Y 2>err &
pid=$!
until_there awk 'END { exit NR < 9 }' rounds
kill -INT $pid
within 60 $pid
wait $pid
is "interrupted" $? 130
read_back "interrupted" csv
holds "... and says so" live.csv '^# interrupted: .*SIGINT .* [0-9]+ of 100000 '

# Files, and what is not to be had together.
made "heading=Ext9, filesize=1MB, kernel=1.0" 1048576 "a 1000000 1000100 1000200" "b 1200000 1200100 1200200" \
	"c 1300000 1300100 1300200" >b.csv
sed 's/^c,/"$ cat, ""x"" | y",/' b.csv >a.csv
run 0 "a file" "$wb" --compare a.csv >from_file
is "... or standard input, or behind =" "$("$wb" --compare - <a.csv | cmp - from_file; "$wb" --compare=a.csv |
	cmp - from_file)" ""
yes | head -n 1000 >old.txt
run 0 "-o to files, new and longer, by extension" "$wb" --compare a.csv -o new.txt -o old.txt -o new.md -o new.json >out
is "... are the report, as standard output is" \
	"$(cmp from_file new.txt)$(cmp from_file old.txt)$(cmp from_file out)$(grep -c '^| a |' new.md)" 1
is_json new.json
run 0 "-o and -q" "$wb" --compare a.csv -o new.txt -q >out
is "... is one line" "$(cat out)" "$("$wb" --compare a.csv -f csv | sed -n 's/^# recommendation: //p')"
"$wb" --compare a.csv -s 'a,b' -f csv >b.csv
is "--select" "$(column 1 b.csv | sort -u | tr '\n' ' ')" "a b "
is "... read back is the same report, and so is what --exclude leaves" \
	"$("$wb" --compare b.csv -f csv | cmp - b.csv; "$wb" --compare a.csv -x '$*' -f csv | cmp - b.csv)" ""
# refused DESCRIPTION REGEX ARGUMENT...: exit status 2, one line that matches, no output, a.csv whole
cp a.csv a.orig
refused() { # what is to match is figures and names
	what=$1 regex=$2
	shift 2
	"$wb" "$@" >out 2>err </dev/null
	is "$what" "$? $(wc -c <out) $(wc -l <err) $(grep -Ec -e "$regex" err) $(cmp a.csv a.orig)" "2 0 1 1 "
}
"$wb" --compare - -o a.csv <a.csv 2>err
is "-o onto standard input" "$? $(cmp a.csv a.orig)" "2 "
while IFS='|' read -r regex options; do
	eval "refused \"--compare \$options\" \"^write-bench: .*\$regex\" --compare $options"
done <<'END'
--fail-if-slower: .*--baseline.*--compare|a.csv b.csv --fail-if-slower
a\.csv: is also the report|b.csv a.csv -o a.csv
compare|
select=nosuch|a.csv -s nosuch
|a.csv -x '*'
--top: |a.csv a.csv --top=1
--compare|a.csv --runs=3
--compare|a.csv --cold
--compare|a.csv --with=cat
--compare|a.csv --list
END

# Two files.
changed() { # ROW...: what became of them from a.csv to b.csv, and the other way round
	for row; do
		"$wb" --compare a.csv b.csv -f csv >ab && of "$row,b.csv" file,change ab
		"$wb" --compare b.csv a.csv -f csv >ab && of "$row,a.csv" file,change ab
	done
}
widths() { # of the lines of "ab", in fields; a quoted one is one
	grep -v '^#' ab | sed 's/"\([^"]\|""\)*"//' | awk -F, '{ print NF }' | sort -u | wc -l | tr -d ' '
}
# change N M U2 ROWS: a row's N runs in b.csv, against M in a.csv, so that of all pairs it wins U2 / 2; and further
# rows, unchanged: what becomes of it, and of one of the others
change() {
	others=$(for r in $(seq 2 "$4"); do echo "same$r 2000000x$2"; done)
	made "row $(seq -s ' ' 1040000 40000 $((1000000 + 40000 * $2)))" "$others" >a.csv
	made "row $(beside "$1" "$2" "$3")" "$others" >b.csv
	changed row ${others:+same2}
}
while read -r k n m u wanted; do
	is "$k rows, $n runs, before $m, U = $u: slower, and the other way faster; a half more is not" \
		"$(for more in 0 1 2; do change "$n" "$m" $((2 * u + more)) "$k"; done | paste -sd' ')" "$wanted"
done <<'END'
1 4 4 0 slower faster ~ ~ ~ ~
1 10 10 23 slower faster ~ ~ ~ ~
1 5 8 6 slower faster ~ ~ ~ ~
2 6 6 3 slower faster ~ ~ ~ ~ ~ ~ ~ ~ ~ ~
5 10 10 16 slower faster ~ ~ ~ ~ ~ ~ ~ ~ ~ ~
END
while read -r k n m; do
	is "too few runs, $n and $m of $k rows: no change" "$(change "$n" "$m" 0 "$k" | sort -u)" "too few runs"
done <<'END'
1 3 3
1 1 9
40 5 5
END
long='a row with a name of more than forty characters'
old="1000000 1003000 1001000 1009000 1004000" new="1062000 1051000 1090000 1048000 1077000"
as_one_word=$(echo "$long" | tr ' ' _)
made "row $old" "gone 5..9" "$as_one_word 7000000 7000001" >a.csv
made "row $new" "new 5..9" "$as_one_word 7000000 7000001" >b.csv
wanted=$(for x in $new; do for y in $old; do echo "$x $y"; done; done | awk '{ printf "%.12f\n", $1 / $2 }' | sort -n |
	awk '{ x[NR] = $1 } END { printf "%.4f %.4f %.4f", x[13], x[3], x[23] }')
"$wb" --compare a.csv b.csv -f csv >ab
is "two files: the median of 25 ratios, and an interval without two at each end" \
	"$(for key in ratio ratio_low ratio_high; do of row,b.csv file,$key ab; done | paste -sd' ')" "$wanted"
is "... each line has all columns" "$(widths)" 1
cells=$(echo "$wanted" |
	awk '{ for (i = 1; i <= 3; i++) by[i] = sprintf("%+.1f%%", 100 * $i - 100)
		print "1.00ms|1.06ms|" by[1] "|slower|" by[2] " to " by[3] }')
cells() { # of the Markdown "text", lines without blanks at the bars, without the rule
	sed -n '/^| *:/d; /^|/{ s/ *| */|/g; s/^|//; s/|$//; p; }' text
}
"$wb" --compare a.csv b.csv -f markdown >text
is "a row's median in both, the change, and its interval" "$(cells)" "row|a|b|change||95% interval
gone|0.007us|-|||
row|$cells
$long|7.00ms|7.00ms|+0.0%|too few runs|-
new|-|0.007us|||"
"$wb" --compare a.csv b.csv >text
holds "... in the text, too; and how many runs would do" text "^row +$(echo "$cells" | sed 's/[+]/[+]/g; s/|/ +/g')\$" \
	'^gone +0\.007us +-$' '^new +- +0\.007us$' '^a row with a name of more .*\.\.\. +7\.00ms +7\.00ms ' \
	' -n 7[^0-9]'
is "... within 80 columns" "$("$wb" --compare a.csv b.csv -v | cat - text | awk 'length > 80')" ""
"$wb" --compare a.csv b.csv -f json >ab.json
is_json ab.json
holds "... JSON has the change" ab.json '"row": "row", .*"change": "slower"'
for case in "1009000 ~ ~" "1012000 slower faster"; do # less than 1 % is no change, however sure it is
	made "row 1000000..1000019" >a.csv
	made "row ${case%% *}..$((${case%% *} + 19))" >b.csv
	is "20 runs from 1000000 on, now from: $case" "${case%% *} $(changed row | paste -sd' ')" "$case"
done
made "x 1000; y =n/a_EXDEV; z =failed_EIO" >a.csv
made "x 1000; z =shared 2000" >b.csv
"$wb" --compare a.csv a.csv >text
holds "what is n/a in both, and what failed" text '^n/a .*: y\.$' '^z +failed +failed'
made "x 1000; y =n/a:needs_/proc" >reason.csv
"$wb" --compare reason.csv >text 2>&1
holds "a reason without an errno" text '^n/a: y: needs /proc\.$'
"$wb" --compare a.csv b.csv -f markdown >text
is "... outcomes are cells" "$(cells | tail -n 1)" "z|failed|shared|||"

# Three and more: medians.
made "heading=First; x 1000000..1000002; y 1100000..1100002; z 1000001x2 1000003" >one.csv
made "heading=Second; x 9000000..9000002; y 6000000..6000002" >two.csv
made "heading=Third; y 250000..250002; z 500000..500002; x =n/a_EXDEV" >three.csv
"$wb" --compare one.csv two.csv three.csv -v -o text -o md.md -o ab.csv >/dev/null
is "three files: the table" "$(sed '/^$/,$d' text | tr -s ' ')" "row one two three
y 1.10ms 6.00ms~ 0.250ms~
x 1.00ms~ 9.00ms n/a
z 1.00ms~ - 0.500ms"
holds "... with --verbose names each file with its heading" text '^one: .*First' '^two: .*Second' '^three: .*Third'
mv md.md text
is "... in Markdown the smallest median of each is bold, equal ones both" \
	"$(cells | sed '1d' | grep -o '\*\*[^*]*\*\*' | paste -sd' ')" \
	"**6.00ms~** **0.250ms~** **1.00ms~** **1.00ms~**"
mv ab.csv ab
is "... CSV: percentages and marks" "$(column row,file,percent,mark ab | sed 's/\.csv//' | paste -sd' ')" \
	"x,one,0.00,~ z,one,0.00,~ y,one,10.00, y,two,0.00,~ x,two,50.00, y,three,0.00,~ z,three,100.00, x,three,,"
is "... a line for each row of each file, with all columns" "$(grep -vc '^#' ab) $(widths)" "9 1"
for n in 4 60; do
	name=a_file_with_a_name_that_is_long_
	for i in $(seq "$n"); do
		sed "s/^x,/$long,/;s/^y,/\"a, \"\"b\"\" | c\",/" one.csv >"$name$i.csv"
	done
	# shellcheck disable=SC2046
	run 0 "$n files" "$wb" --compare $(seq -f "$name%g.csv" "$n") -o ab.json -o ab.csv -o ab.md >text
	is "... text within 80 columns" "$(awk 'length > 80' text)" ""
	is "... has each file's rows that may be the fastest, and the slower one's median" \
		"$(grep -o ' 1\.[01]0ms~*' text | sort | uniq -c | tr -s ' \n' ' ')" " $((2 * n)) 1.00ms~ $n 1.10ms "
	is "... titles are numbers, which are explained below" \
		"$(sed -n "s/^\([0-9]*\): $name\([0-9]*\)\.csv: First\.$/\1 \2/p" text | awk '$1 == $2' | wc -l)" "$n"
	is_json ab.json
	mv ab.csv ab
	is "... CSV: all rows of all files, in all columns" "$(grep -vc '^#' ab) $(widths)" "$((3 * n + 1)) 1"
done

# Titles: names without .csv, or the part of the paths that differs, or numbers; in text no longer than 12 characters.
mkdir -p d/x d/y d/z
for file in x y x/ext4 y/ext4 z/ext4 ext4+noauto_da_alloc xfs+mkfs:-m:reflink=0; do
	cp one.csv "d/$file.csv"
done
while IFS='|' read -r wanted files options; do
	# shellcheck disable=SC2086
	is "titles: $files $options" "$(cd d && "$wb" --compare $files $options |
		sed -n '/^|* *row /{ s/|/ /g; s/ *change.*//; s/ *$//; s/  */ /g; s/^ //; p; q; }')" "row $wanted"
done <<'END'
x y|../d/x/ext4.csv ../d/y/ext4.csv
x y z|x/ext4.csv y/ext4.csv z/ext4.csv
1 2 3|x.csv y.csv x.csv|-f markdown
1 2 3|ext4+noauto_da_alloc.csv xfs+mkfs:-m:reflink=0.csv x.csv
ext4+noauto_da_alloc xfs+mkfs:-m:reflink=0 x|ext4+noauto_da_alloc.csv xfs+mkfs:-m:reflink=0.csv x.csv|-f markdown
END

# Below the table the answer, all warnings and what is n/a always stand.
crowded() { # WARNINGS ROWS: that are n/a
	words=$(yes word | head -n 80 | paste -sd' ') long=$(yes word | head -n 80 | paste -sd_)
	made size=268435456 memcpy_bytes=268435456 memcpy_ns=20000000 memory_bytes=270582939648 cpus=128 runs=6 \
		"heading=Ext4+dmcrypt+lvm, a disk of a very long name, filesize=256MiB, kernel=6.18.44-with-a-name" \
		"command_line=write-bench --with=cat $words" \
		"cpu=$(echo "$words" | head -c $((10 + $1)))" seed=123456789 \
		"until=the last call returned" "page_cache=input in the page cache" "version=write-bench 0.1" \
		"$(seq "$1" | sed "s/.*/warning_w&=something that takes & words and a remedy at the end: $words/")" \
		"ms; sendfile:100 101..106; allocated_+_advices:200 100.1 108.2 108.3 108.4 108.5 108.6" \
		"cloned:0.05 =shared 0.05x6; \$_cat_$long:10 141..146; \$_dd_bs=1M_$long:100 1500x6" \
		"$(seq "$2" | awk '{
			split("EXDEV EINVAL EOPNOTSUPP ENOSYS EPERM EBADF", errno, " ")
			print "not_there_+_advices_" $1 " =n/a_" errno[$1 % 6 + 1] ":a_call_of_number_" $1 % 7 }')"
}
for shape in "0 0" "30 300"; do
	warnings=${shape% *} rows=${shape#* }
	crowded "$warnings" "$rows" >full.csv
	"$wb" --compare full.csv >text
	"$wb" --compare full.csv -f markdown | grep '^- ' >shown
	is "warnings, rows n/a: $shape: within 80 columns" \
		"$("$wb" --compare full.csv -v | cat - text | awk 'length > 80')" ""
	holds "... the answer is the first, with all that there is to it" shown \
		'^- Use cloned: .*50\.0us.*: use allocated \+ advices, .*: 1\.3[0-9] times .* cat ' \
		'^- Use cloned: .*; median 108ms, 2\.31 ?GiB/s .*1\.8 CPUs, 18% '
	is "... all warnings stand there" "$(grep -o 'something that takes [0-9]* words' shown | sort -u | wc -l)" \
		"$warnings"
	is "... what is n/a in one line, each reason once" "$(grep -c '^- n/a: ' shown) $(
		grep -oE 'a call of number [0-6]: E[A-Z]+' shown | sort | uniq -c | awk '$1 > 1')" "$((rows > 0)) "
done

# A session that was interrupted before its first run has a report, too.
made "interrupted=by SIGTERM after 0 of 9 runs: standard output is not a copy; run_lines=0" >none.csv
run 0 "a report without runs" "$wb" --compare none.csv >text
holds "... reports the interruption" text 'SIGTERM .* 0 of 9 runs'
made "size=5; cpus=many; runs=007; seed=1e999x; level=high; a 1000" >odd.csv
"$wb" --compare odd.csv -f json >odd.json
holds "what only claims to be a number is a string in JSON, and what is not known is null" odd.json \
	'"size": 5,' '"cpus": "many",' '"runs": "007",' '"seed": "1e999x"' '"cpu_ms": null'
is_json odd.json

# Refuse each file that is no report, with its line.
made "a 1000000 1000100 1000200" | tee a.csv >a.orig
names=row,round,ns,outcome
printf '%b' "# heading: H\n$names\na,1,1000,ok\n" >bad
run 0 "what follows is about this report" "$wb" --compare bad >out
# The line that is wrong, what is, and the file: as printf(1) has it, NAMES the columns, FIRST three lines of a whole
# report.
while IFS='|' read -r line what text; do
	text=$(printf '%s\n' "$text" | sed "s/FIRST/# heading: H\\\\nNAMES\\\\na,1,1000,ok\\\\n/g; s/NAMES/$names/g")
	# shellcheck disable=SC2059
	printf "$text" >bad
	refused "$what" "^write-bench: bad: line $line: " --compare bad
done <<'END'
1|an empty file|
1|no column names|a,1,1000,ok\n
1|another order|row,ns,round,outcome\na,1000,1,ok\n
1|a column twice|NAMES,cpu_ms,cpu_ms\na,1,1000,ok,1,1\n
4|a field too few|FIRSTa,2,1000\n
4|a field too many|FIRSTa,2,1000,ok,5\n
4|the end of the last line is missing|FIRSTa,2,1000,ok
1|a NUL byte in the heading|# heading: \000H\nNAMES\na,1,1000,ok\n
3|an escape|# a: b\nNAMES\n\033[31ma,1,1000,ok\n
4|a row without a name|FIRST,1,1000,ok\n
4|a quote that is not closed|FIRSTa,1,1000,"ok\n
4|a quote inside a field|FIRSTa"b,1,1000,ok\n
4|words behind a quote|FIRST"a"b,1,1000,ok\n
5|a second report without a run|FIRST# size: 5\n
7|another size in the second report|FIRST# size: 5\nNAMES,bytes\na,1,1000,ok,5\na,1,1000,ok,4\n
2|bytes that are no number|NAMES,bytes\na,1,1000,ok,x\n
1|a size of nothing|# size: 0\nFIRST
2|a CPU time below 0|NAMES,cpu_ms\na,1,1000,ok,-1\n
5|more runs than it speaks of|# run_lines: 1\nNAMES\na,1,1000,ok\na,2,1000,ok\n
1|version 3 of columns and keys|# schema: 3\nFIRST
1|version 5|# schema: 5\nFIRST
1|version 4x|# schema: 4x\nFIRST
END
while IFS='|' read -r field values; do
	IFS=';'
	for value in $values; do
		printf '%s\n' "$names" a,1,1000,ok "$(echo a,2,1000,ok | sed "s|$field|$value|")" >bad
		refused "'$value' in the place of $field" '^write-bench: bad: line 3: ' --compare bad
	done
	unset IFS
done <<'END'
1000|-5;0;1.5;1e3;;1000000000000000001;18446744073709551617
2|0;;x;4294967297
ok|;OK;n/a EFOO;failed;failed exit 256;failed signal 128;n/a exit 3;slow
END
head -c 10000 "$wb" >bad
refused "a program" '^write-bench: bad: line 1: ' --compare bad
refused "a file that is not there" '^write-bench: nosuch: .*ENOENT' --compare nosuch

# Cut anywhere: refused with the line that is missing or cut.
made "run_lines=4; heading=Ext9, filesize=1MB, kernel=1.0; cpu=a; order=1000; a 1000 2000; b 3000 4000" >whole
for n in $(seq 0 $(($(wc -c <whole) - 1))); do
	head -c "$n" whole >part
	line=$(($(wc -l <part) + 1))
	"$wb" --compare part >out 2>err
	[ "$? $(wc -c <out) $(grep -c "^write-bench: part: line $line: " err)" = "2 0 1" ] || echo "$n"
done >odd
is "a report that is cut at any byte is refused" "$(cat odd)" ""

# As large as they come: within 300 MB, or less, at once.
limited() { (ulimit -v 300000 && exec timeout 300 "$wb" --compare "$@"); }
large() { # DESCRIPTION LINE COMMAND: of what the command prints
	eval "$3" | limited - >out 2>err
	is "$1: exit status, and the line" "$? $(grep -c "^write-bench: -: line $2: " err)" "2 1"
}
if grep -aq __asan_init "$wb"; then
	skip "large reports within 300 MB" "the address sanitizer needs terabytes of addresses"
	limited() { timeout 300 "$wb" --compare "$@"; }
fi
numbered() { # ROWS RUNS: a report of that size
	seq "$2" | awk -v rows="$1" 'BEGIN { print "row,round,ns,outcome" } { print "r" $1 % rows ",1,1000,ok" }'
}
large "1002 rows" 1002 "numbered 1002 1002"
large "500002 runs" 500002 "numbered 10 500002"
large "a line of 17 MB" 1 "head -c 17000000 /dev/zero | tr '\\0' a"

# Take what differs in form alone.
is "lines may end in CR LF" "$(sed 's/$/\r/' whole | "$wb" --compare -)" "$("$wb" --compare - <whole)"
cat >a.csv <<'END'
# heading: H
#
# a comment
#no: fact

"row",round,"ns",outcome,note,cpu_ms
"a",1,"1000",ok,"what, ""ever""",-
a,2,1001,ok,,0.5
END
"$wb" --compare a.csv -f csv >b.csv
is "comments, empty lines before the columns, quotes, and columns of others are read" \
	"$(column row,ns b.csv | paste -sd' ')" \
	"a,1000 a,1001"
counters=task_clock_ms,context_switches,cpu_migrations,page_faults,cycles,instructions,branches,branch_misses
cat >a.csv <<END
row,round,ns,outcome,cpu_ms,resident,$counters
a,1,1000,ok,0.500001,4096,0.400002,1,2,3,4,5,6,7
b,1,100000000000000000,ok,12345678.000001,0,0.000000,-,-,0,-,9007199254740992,-,8
a,2,1001,shared,0.600000,8192,0.500000,8,7,6,5,4,3,2
END
is "all columns that there are are kept, and two more" "$("$wb" --compare a.csv -f csv | sed '/^#/d')" \
	"$(sed '1s/$/,bytes,detail/;2,$s/$/,,/' a.csv)"
if perl -MJSON::PP -e1 2>/dev/null || or_skip "JSON that is valid" "no perl with JSON::PP"; then
	perl -MJSON::PP \
		-e 'local $/; for (@ARGV) { open my $f, "<", $_ or die; eval { decode_json(<$f>) } or print "$_\n" }' \
		json.* >wrong
	is "JSON that is valid: of $jsons files, all" "$(cat wrong)" ""
fi
