#!/bin/sh
# --compare: two reports show what changed, more their best runs; more rounds are added up; and what is no report is
# refused with its name and line.
# Tried: it fails where a report may be cut between two lines; a report may have control characters; the report may go
# Tried: onto the one that it is made from; quotes are not doubled; sessions that took turns are taken for apart; other
# Tried: conditions are not named; rounds of another kernel are added; titles are cut at the end, or alike.
. "$(dirname "$0")/tap.sh"
. "$top/tests/reports.sh"

# ---- Files, and what is not to be had together
made "heading=Ext9, kernel=1.0" "a 1000000..1000004; b 1200000..1200004; c 1300000..1300004" \
	'$_cat,_""x""_|_y 2000000..2000004' | tee a.csv >a.orig
"$wb" --compare a.csv >whole && yes | head -n 1000 >old.txt
"$wb" --compare - <a.csv >out
same "a file is standard input" out whole
"$wb" --compare a.csv -o new.txt -o old.txt -o new.md -o new.json >out
is "-o: files, new and longer, are the report, by extension, as standard output is" "$?$(cmp whole new.txt
	cmp whole old.txt; cmp whole out)$(grep -c '^| a |' new.md)$(head -c 13 new.json)" '01{"schema": 5,'
"$wb" --compare a.csv -s 'a,c' -f csv >b.csv
is "--select leaves what --exclude does, and read back it is the same report" "$(column 1 b.csv | sort -u | paste -sd' '
	"$wb" --compare b.csv -f csv | cmp - b.csv; "$wb" --compare a.csv -x '$*,b' -f csv | cmp - b.csv)" "a c"
refused() { # DESCRIPTION REGEX ARGUMENT...: exit status 2, one line that matches, no output, a.csv whole
	what=$1 regex=$2
	shift 2
	"$wb" --compare "$@" >out 2>err </dev/null
	is "$what" "$? $(wc -c <out) $(wc -l <err) $(grep -Ec "^write-bench: $regex" err) $(cmp a.csv a.orig)" "2 0 1 1 "
}
is "-o onto standard input" "$("$wb" --compare - -o a.csv <a.csv 2>&1 | wc -l) $(cmp a.csv a.orig)" "1 "
while IFS='|' read -r regex options; do
	eval "refused \"--compare \$options\" \".*\$regex\" $options"
done <<'END'
--baseline|a.csv b.csv --fail-if-slower
fail-if-slower|a.csv b.csv --baseline=a --fail-if-slower
a\.csv: is also |a.csv -o a.csv
--compare|
a\.csv|a.csv -s nosuch
a\.csv|a.csv -x '*'
csv|a.csv b.csv -f csv
json|a.csv b.csv -o new.txt -o a.json
nosuch: .*ENOENT|nosuch
--list|a.csv --list
END
is "... nothing was written" "$(find . -name a.json; cmp whole new.txt)" ""
refused "JSON is named, and what is read" '.*JSON.*CSV' new.json
# ---- Two files: medians, the change, its interval and a word; beside it what was not alike
long=a_row_with_a_name_of_more_than_forty_characters
old="1000000 1030000 1010000 1090000 1040000" new="1120000 1110000 1150000 1100000 1137000"
made "row $old" "gone 5000..5004" "$long 7000000 7000001" "no =n/a_EXDEV:call; never =n/a:needs_/proc; z =failed" >o.csv
made "row $new" "new 5000..5004" "$long 7000000 7000001" "no 900000; never =n/a:needs_/proc; z =shared 2000x2" >n.csv
wanted=$(for x in $new; do for y in $old; do echo "$x $y"; done; done | awk '{ printf "%.12f\n", $1 / $2 }' | sort -n |
	awk '{ x[NR] = $1 } # two rows are in question in both: at 0.025, one pair is left out at each end
		END { printf "%+.1f%%|%+.1f%% to %+.1f%%", 100 * x[13] - 100, 100 * x[2] - 100, 100 * x[24] - 100 }')
"$wb" --compare o.csv n.csv -o new.md >text
is "two files: the table" "$(sed -n '/^| *:/d; /^|/{ s/ *| */|/g; s/^|//; s/|$//; p; }' new.md | sort)" \
"$(echo "$long" | tr _ ' ')|7.00ms|7.00ms|+0.0%|too few runs|
gone|5.00us\\~|-|||
new|-|5.00us\\~|||
no|n/a|900us|||
row, median|o|n|change|95% over all|
row|1.03ms|1.12ms|$wanted|slower
z|failed|shared|||"
is "... in the text, within 80 columns" "$(
	grep -c "^row  *1\.03ms  *1\.12ms  *$(echo "$wanted" | tr '|' ' ')\$" text) $(awk 'length > 80' text)" "1 "
holds "... how many changed, what failed, or was n/a, and where" text '^0 of 1 rows are faster, 1 slower' \
	'^Failed: z.* \(o\)\.$' '^n/a: no: call: EXDEV; never: needs /proc \(o\)\.$' '^n/a: never: needs /proc \(n\)\.$'
while IFS='|' read -r said one two; do # facts of both
	for file in one two; do
		eval "made \"\$(echo \"\$$file\" | tr , ';')\" 'a 1000..1009' >$file.csv"
	done
	"$wb" --compare one.csv two.csv >text
	is "beside a change, of $one and $two" \
		"$(joined text | grep -Eo 'one after the other|Differs: [^.]*' | paste -sd' ')" "$said"
done <<'END'
one after the other|date=2026-01-01|date=2026-01-02
one after the other|date=2026-01-03,last_date=2026-01-04|date=2026-01-01,last_date=2026-01-02
|date=2026-01-01,last_date=2026-01-04|date=2026-01-03,last_date=2026-01-06
Differs: until: U in one, V in two|until=U|until=V
Differs: page_cache: P in one, Q in two|page_cache=P|page_cache=Q
Differs: output_file: P in one, Q in two|output_file=P|output_file=Q
Differs: reuse: no in one, yes in two|reuse=no|reuse=yes
|cpu=X,seed=1,kernel=1,pause_s=0|cpu=Y,seed=2,kernel=2,pause_s=1
END

# ---- Three and more: best runs, what commands need in each place, and an answer for each
us="us; a 95..104; b 200..209"
made "$us" '$_cp 150..159; $_dd 300..309; only 900..909; $_up 500/400x10' >x-ext4-1.csv
made "$us" '$_cp 75..84; $_dd 290..299; a 40..49; b 30..39' >x-xfs-1.csv
made "$us" '$_cp =shared 10..19; $_dd =failed:exit_status_1 0x10; a =n/a_EXDEV 0x10' >x-btrfs-1.csv
"$wb" --compare x-ext4-1.csv x-xfs-1.csv x-btrfs-1.csv >out
is "three files: the table" "$(sed '1,/^$/d; /^$/,$d' out | tr -s ' ' | sort)" '$ cp 150us 75.0us shared
$ dd 300us 290us failed
$ up start-up - -
a 95.0us~ 40.0us n/a
b 200us 30.0us~ 200us~
only 900us - -
row, best run ext4 xfs btrfs'
sed -n '/^cp:/,/^~/p' out | tr -s '\n ' ' ' >line
holds "... commands, the fastest place first; and the answers" line \
	'^cp: btrfs 10\.0us .shared., xfs 75\.0us, ext4 150us .2\.00 times.\. dd: xfs 0\.290ms, ext4 .* .1\.03 times.\. ' \
	' ext4: use a, 1\.55 times as fast as cp .99%: 1\.50 to 1\.61.\. xfs: use b, 2\.3.* btrfs: keep cp, which shares'
made us 'read+write_256k 100..109; w 50x10' >p.csv
made us 'read+write_256k 100..109; w 98..107' | tee q.csv >r.csv
"$wb" --compare p.csv q.csv r.csv >out
joined out >line
holds "... an answer of several files says what is shown in each of them" line \
	'p: use w, 2\.0. times as fast as read.write 256k, .*\. q, r: use w, not shown to be faster than read.write 256k,'
long="a name of a file that is much longer than twelve characters" name='a name, ""b"" | c, of forty characters or more'
for n in 4 60; do
	for i in $(seq "$n"); do sed "s/^a,/\"$name\",/" x-ext4-1.csv >"$long $i $long.csv"; done
	seq -f "$long %g $long.csv" "$n" | tr '\n' '\0' | xargs -0 "$wb" --compare -o new.md >text
	is "$n files: text within 80 columns, all columns" "$(awk 'length > 80' text | grep -v '^how: ') $(
		sed -n '/^row, /,/^$/p' text | grep '^b ' | grep -o 200us | wc -l)" " $n"
	is "... in Markdown, too" "$(grep -c "^| row, best run$(seq -f ' | %g' "$n" | paste -sd'\0') |\$" new.md) $(
		grep '^| a name, "b" \\| c, of forty characters or more |' new.md | grep -o ' 95.0us' | wc -l)" "1 $n"
done
while IFS='|' read -r wanted files; do # without what all share, cut in the middle, never alike
	for file in $files; do mkdir -p "d/$(dirname "$file")" && cp x-ext4-1.csv "d/$file"; done
	# shellcheck disable=SC2086
	is "titles: $files" "$(cd d && "$wb" --compare $files | sed -n '/^row, /{ s/row, [bm][^ ]*\( run\)*//; s/change//
		s/95% over all//; p; }' | tr -s '\n ' ' ')" " $wanted "
done <<'END'
x y z|x/ext4.csv y/ext4.csv z/ext4.csv
x y x|x.csv y.csv x.csv
ext4 xfs btrfs|run-ext4-7.1.csv run-xfs-7.1.csv run-btrfs-7.1.csv
ext4...alloc xfs+...ink=0 x|ext4+noauto_da_alloc.csv xfs+mkfs:-m:reflink=0.csv x.csv
Jürg...ürgen xÄÖÜ...ÜÄÖÜx x|Jürgen+über+Jürgen.csv xÄÖÜÄÖÜÄÖÜÄÖÜx.csv x.csv
aaaaaaaaaaa1bbbbbbbbbbb aaaaaaaaaaa2bbbbbbbbbbb|aaaaaaaaaaa1bbbbbbbbbbb.csv aaaaaaaaaaa2bbbbbbbbbbb.csv
END

# ---- More rounds of the same, one file behind the other: places, machines and options are equal, seeds may differ
all="date=2026-01-02; verified=sizes alone; seed=1; runs=2; output=O; input=I; cpu=C; cpus=2; host=H; kernel=1; until=U"
all="$all; page_cache=P; output_file=E; reuse=no; pause_s=0; us"
made "$all" "a 5 3; b 4 6" >1.csv
made "$all" "date=2026-02-03; verified=all bytes; seed=2; runs=3" "b 7 9 8; a 2 1 4" >2.csv
for order in 1.csv,2.csv 2.csv,1.csv; do
	cat "${order%,*}" "${order#*,}" | "$wb" --compare - -f csv | tee both >live.csv
	is "more rounds, $order: the first and the last date, verified" "$(fact date both) $(fact last_date both) $(
		fact verified both)" "2026-01-02 2026-02-03 all bytes"
done
is "... rounds add up" "$(fact runs both) $(column row,round,ns both | sort | sed 's/000$//' | paste -sd' ')" \
	"5 a,1,2 a,2,1 a,3,4 a,4,5 a,5,3 b,1,7 b,2,9 b,3,8 b,4,4 b,5,6"
"$wb" --compare live.csv >live.txt && read_back "more rounds" text csv
for facts in output=P input=J second_output=S cpu=D cpus=3 host=I kernel=2 until=V page_cache=Q output_file=F \
	reuse=yes pause_s=1 "a 1..4" "1024; a 5 5 5"; do
	{ cat 1.csv && made "$all; runs=3" "a 1 2 3; b 4 5 6" "$facts"; } >bad
	refused "more rounds, but $facts" 'bad: line [0-9]+: ' bad
done

# ---- Refuse each file that is no report, with its line: what is wrong, and the text, as printf(1) has it
names=row,round,ns,outcome
while IFS='|' read -r line what text; do
	text=$(printf '%s\n' "$text" | sed "s/FIRST/# size: 5\\\\nNAMES\\\\na,1,1000,ok\\\\n/g; s/NAMES/$names/g")
	# shellcheck disable=SC2059
	printf "$text" >bad
	refused "$what" "bad: line $line: " bad
done <<'END'
1|an empty file|
1|no column names|a,1,1000,ok\n
1|a program|\177ELF\001\n
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
3|no size|NAMES\na,1,1000,ok\n
5|a second report without a run|FIRST# size: 5\n
4|a run of another size|# size: 5\nNAMES,bytes\na,1,1000,ok,5\na,2,1000,ok,4\n
2|bytes that are no number|NAMES,bytes\na,1,1000,ok,x\n
1|a size of nothing|# size: 0\nFIRST
2|a CPU time below 0|NAMES,cpu_ms\na,1,1000,ok,-1\n
6|more runs than it speaks of|# run_lines: 1\n# size: 5\nNAMES\na,1,1000,ok\na,2,1000,ok\n
1|an older schema|# schema: 4\nFIRST
1|a newer schema|# schema: 6\nFIRST
END
while IFS='|' read -r field values; do
	IFS=';'
	for value in $values; do
		printf '%s\n' "# size: 5" "$names" a,1,1000,ok "$(echo a,2,1000,ok | sed "s|$field|$value|")" >bad
		refused "'$value' in the place of $field" 'bad: line 4: ' bad
	done
	unset IFS
done <<'END'
1000|-5;0;1.5;1e3;;1000000000000000001;18446744073709551617
2|0;;x;4294967297
ok|;OK;n/a EFOO;failed exit 3;failed signal 9;n/a exit 3;slow
END
made "run_lines=4; heading=Ext9, kernel=1.0; cpu=a; a 1000 2000; b 3000 4000" >whole
cat >cut.pl <<'END'
use strict;
use warnings;
my ($wb, $whole) = (shift, join '', <STDIN>);
for my $n (0 .. length($whole) - 1) {
	my $part = substr $whole, 0, $n;
	open my $f, '>', 'part' or die;
	print $f $part;
	close $f;
	my $line = 1 + ($part =~ tr/\n//);
	my $said = qx("$wb" --compare part 2>&1);
	print "$n: $said" if $? >> 8 != 2 || $said !~ /^write-bench: part: line $line: .*\n\z/;
}
END
perl cut.pl "$wb" <whole >odd 2>&1
is "a report that is cut at any byte is refused" "$(cat odd)" ""

# ---- Take what differs in form alone
printf '%s\r\n' '# heading: H' '# size: 5' '#' '# a comment' '#no: fact' '' '"row",round,"ns",outcome,note,cpu_ms' \
	'"a",1,"1000",ok,"what, ""ever""",-' 'a,2,1001,ok,,0.5' >form.csv
is "CR LF, comments, empty lines before the columns, quotes, and columns of others are read" \
	"$("$wb" --compare form.csv -f csv | sed '/^#/d' | tail -n 2 | paste -sd' ')" \
	"a,1,1000,ok,,5, a,2,1001,ok,,5,0.500000"
counters=task_clock_ms,context_switches,cpu_migrations,page_faults,cycles,instructions,branches,branch_misses
printf '%s\n' "row,round,ns,outcome,detail,bytes,cpu_ms,resident,start_ns,$counters" \
	'$ a,1,1000,ok,,5,0.500001,5,7,0.400002,1,2,3,4,5,6,7' \
	'b,1,100000000000000000,ok,,5,9.000001,0,,0.000000,,,0,,9,,8' \
	'$ a,2,1001,shared,,5,0.600000,4,,0.500000,8,7,6,5,4,3,2' 'c,1,,n/a EPERM,what,5,,,,,,,,,,,' \
	'd,1,,failed ENOTSUPP,"a, ""b""",5,,,,,,,,,,,' 'e,1,,mismatch,10,5,,,,,,,,,,,' >form.csv
is "all columns that there are are kept" "$("$wb" --compare form.csv -f csv | sed '/^#/d' | diff form.csv -)" ""
