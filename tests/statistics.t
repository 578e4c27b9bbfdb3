#!/bin/sh
# A dry ruler: reports made by hand are read back by --compare, and what is said of them is held against
# values that were worked out from the definitions, or stand in the literature.
# Tried: it fails where orders are counted wrongly; ties count nothing; each row is tested at a level of its own; a row
# Tried: is tested against the first alone; the row with the best run is recommended, or one that is beaten; CPU time
# Tried: does not count, or counts beyond 2 %; an interval is of all ratios; a first round that is hardly slower is warned of;
# Tried: a guess takes one faster row, or ties; a command's start is not taken off; a slower row is said to share; a row that
# Tried: writes to the disk itself is named for least CPU.
. "$(dirname "$0")/tap.sh"

# csv <<END >FILE: lines "ROW NS..." become a report, round after round; lines with # go before them. In a row's
# name _ is a blank. "ROW:MS" has MS milliseconds of CPU time in each run.
csv() {
	awk '/^#/ { print; next }
		{ if (split($1, part, ":") > 1) costs = 1
			name[++k] = part[1]; gsub("_", " ", name[k]); cpu[k] = part[2]
			for (n[k] = NF - 1; n[k] > most; most++)
				;
			for (i = 2; i <= NF; i++) ns[k, i - 1] = $i }
		END { print "row,round,ns,outcome" (costs ? ",cpu_ms" : "")
			for (i = 1; i <= most; i++) for (r = 1; r <= k; r++) if (i <= n[r])
				print name[r] "," i "," ns[r, i] ",ok" (costs ? "," cpu[r] : "") }'
}
# duel N M U2 [K]: a row with N runs against a winner with M, so that twice U is U2: the row's runs are
# put among the winner's from the left, none before its best; and rows up to K, far slower.
duel() {
	awk -v n="$1" -v m="$2" -v u2="$3" -v k="${4:-2}" 'BEGIN {
		printf "winner"
		for (i = 1; i <= m; i++) printf " %d", 1000000 + 2000 * i
		printf "\nrow"
		for (i = 1; i <= n; i++) {
			c = u2 < 2 * (m - 1) ? u2 : 2 * (m - 1); u2 -= c
			printf " %d", 1000000 + 2000 * m - 1000 * (c - 1)
		}
		for (r = 3; r <= k; r++) { printf "\nfar%d", r; for (i = 1; i <= n; i++) printf " %d", 9000000 + 1000 * r + i }
		print "" }' | csv
}
# of ROW KEY FILE [OPTION...]: of a row's line of JSON, in which nothing is quoted here
of() {
	row=$1 key=$2
	shift 2
	"$wb" --compare "$@" -f json | sed -n "s/^  {\"row\": \"$row\",.* \"$key\": \"\{0,1\}\([^\",}]*\).*/\1/p"
}
marks() { # FILE [OPTION...]: the rows in their order, each with its mark
	"$wb" --compare "$@" -f json | sed -n 's/^  {"row": "\([^"]*\)",.* "mark": "\([^"]*\)".*/\1\2/p' | tr '\n' ' ' | sed 's/ $//'
}
fact() { # KEY FILE [OPTION...]: of what follows from the runs
	key=$1
	shift
	"$wb" --compare "$@" -f csv | sed -n "s/^# $key: //p"
}
table() { # FILE: the rows of a text report
	sed '1,4d;/^$/,$d' "$1" | tr -s ' ' | sed 's/ $//'
}
said() { # FILE [OPTION...]: the text report as one line
	"$wb" --compare "$@" | tr -s '\n ' '  '
}
# says DESCRIPTION REGEX [OPTION...]: of the report in "a"
says() {
	what=$1 regex=$2
	shift 2
	said a "$@" >line
	holds "$what" line "$regex"
}
silent() { # DESCRIPTION REGEX [OPTION...]
	what=$1 regex=$2
	shift 2
	said a "$@" >line
	lacks "$what" line "$regex"
}

# Which row is recommended, and why not the first. The row with one lucky run is first, and beaten.
csv >a <<'END'
A 45000000 100000000 102000000 104000000 106000000 108000000
B 46000000 50000000 51000000 52000000 53000000 54000000
END
is "one lucky run makes a row the first, but another beats it" "$(marks a)" "A B~"
is "... and is recommended" "$(fact recommended a)" B
says "... the sentence says why not the first" 'Use B: median 51\.5ms\..* Not A: best run 45\.0ms, but its median is 100 % behind\.'
is "... JSON says by which row" "$(of A beaten_by a) $(of B beaten_by a)" "B "
"$wb" --compare a -q >text
lacks "... --quiet says nothing of that" text 'Use|Not A'
csv >a <<'END'
F 1000000 90000000 90100000 90200000 90300000 90400000
B 50000000 50100000 50200000 50300000 50400000 50500000
C 60000000 60100000 60200000 60300000 60400000 60500000
END
is "the first may be the fastest: 6 of 36 pairs are too many for 3 rows" "$(of F mark a)" "~"
is "a row that is beaten by one that is not the first has no mark" "$(marks a)" "F~ B~ C"
is "... by that row" "$(of C beaten_by a)" B
is "... and the second is recommended" "$(fact recommended a)" B
says "... since the first's median is behind" ' Use B: median 50\.2ms\..* Not F: best run 1\.00ms, but its median is 79 % behind\.'
is "... candidates and level are reported" "$(fact candidates a) $(fact level a)" "2 0.025"
csv >a <<'END'
a:5 1000000 1001000 1002000 1003000 1004000
b:3 1015000 1016000 1017000 1018000 1019000
c:1 1030000 1031000 1032000 1033000 1034000
END
is "a row that is beaten is not recommended, though it is within 2 % and takes less CPU time" \
	"$(marks a) $(fact recommended a)" "a~ b c a"
csv >a <<'END'
a:5 1000000 1010000 1020000 1030000 1040000
b:3 1005000 1025000 1035000 1035000 1045000
c:1 1009000 1030000 1042000 1050000 1060000
END
is "within 2 % of the smallest median that row is recommended which takes least CPU time" \
	"$(marks a) $(fact recommended a)" "a~ b~ c~ b"
says "... and the sentence says so" \
	' Use b: median 1\.03ms with 2\.9 CPUs\..* Not a: best run 1\.00ms, but .* CPU time'
plain=$(rows -s '*' | sed -n 2p | tr ' ' _) elaborate=$(rows -s '*' | sed -n 5p | tr ' ' _)
csv >a <<END
$elaborate 1000000 1010000 1020000 1030000 1040000
$plain 1005000 1025000 1035000 1035000 1045000
END
is "... of equals the first in the table" "$(fact recommended a)" "$(echo "$plain" | tr _ ' ')"
says "... and the sentence says so" ' best run 1\.00ms, but .*plainer'
csv >a <<END
$elaborate:2 1000000 1010000 1020000 1030000 1040000
$plain:1 1005000 1025000 1041000 1045000 1055000
END
is "... but not beyond 2 %" "$(fact recommended a)" "$(echo "$elaborate" | tr _ ' ')"
silent "... where the first is recommended there is nothing to explain" 'Not '
csv >a <<'END'
# recommended: a
# recommendation: Use a.
a 1000000
b 2000000
END
is "one run recommends nothing, whatever the file says" "$(fact recommended a)$(fact recommendation a)" ""
says "... and says so" '1 run: no spread known\. Use -n 3 or more\.'
silent "... no row is named" 'Use [ab]'
csv >a <<'END'
# size: 1000000
a 1000000 1010000
END
says "one row is reported, without advice" ' a: median 1\.00ms, [0-9]+ MiB/s\. $'
silent "... there is no other" 'Use |~:'
csv >a <<'END'
# size: 33554432
# memcpy_bytes: 33554432
# memcpy_ns: 3200000
# heading: here
$_cat 46080000 46400000 46720000 46080000 46400000 46720000
$_slow 96000000 96000000 96000000 96000000 96000000 96000000
row:32 32000000 32000000 32000000 32000000 32000000 32000000
END
says "the recommendation: the median, its speed, CPUs, share of memcpy, and how many times as fast as each command" \
	' Use row: median 32\.0ms, 1000 MiB/s with 1\.0 CPU, 10 % of memcpy, 1\.45 times as fast as cat \(95 %: 1\.44 to 1\.46\), 3\.00 times as fast as slow \(95 %: 3\.00 to 3\.00\)\.'
csv >a <<'END'
$_cat 1440000 1460000
row 1000000 1000000
END
says "... without an interval where there is none" ' Use row: median 1\.00ms, 1\.45 times as fast as cat\. '
is "the ratios are to the recommended row" "$(of row ratio a) $(of row ratio_low a)" "1.0000 null"

# Exact critical values: of U = U*, U* + 1/2 and U* + 1, the last two are marked. With two rows these are
# the one-sided 5 % table of Mann and Whitney's U (Milton 1964, in every textbook); with K, those at 0.05 / (K - 1).
critical() { # K N M U*
	marks=
	for more in 0 1 2; do
		duel "$2" "$3" $((2 * $4 + more)) "$1" >a
		mark=$(of row mark a)
		marks="$marks ${mark:-slower}"
	done
	is "$1 rows, $2 runs against $3: U = $4 is slower, a half more is not" "$marks" " slower ~ ~"
}
while read -r rows n m u; do
	critical "$rows" "$n" "$m" "$u"
done <<'END'
2 3 3 0
2 4 4 1
2 5 5 4
2 6 6 7
2 7 7 11
2 8 8 15
2 9 9 21
2 10 10 27
2 11 11 34
2 12 12 42
2 13 13 51
2 14 14 61
2 15 15 72
2 16 16 83
2 17 17 96
2 18 18 109
2 19 19 123
2 20 20 138
2 3 5 1
2 5 3 1
2 4 8 5
2 5 10 11
2 7 12 21
2 12 7 21
2 10 20 62
2 2 5 0
2 1 19 0
3 5 5 2
3 10 10 23
3 20 20 127
40 6 6 0
40 7 7 2
40 8 8 4
40 9 9 7
40 10 10 11
40 15 15 41
40 20 20 90
3 3 3 0
END
csv >a <<'END'
winner 1000 1100 1200 1300 1400
row 1400 1300 1400 1300 1500
END
is "ties alone: four with the slowest and the next are 8 halves of a pair, U = 4" "$(of row mark a)" ""
csv >a <<'END'
winner 1000 1100 1200 1300 1400
row 1400 1300 1400 1300 1400
END
is "... and one more half is too many" "$(of row mark a)" "~"
csv >a <<'END'
winner 1000 1000 1000 1000
row 1000 1000 1000 1000
END
is "equal throughout: both may be the fastest" "$(marks a | tr ' ' '\n' | sort | tr '\n' ' ')" "row~ winner~ "
csv >a <<'END'
winner 1000 5000 5000 5000 5000
row 1100 1200 1300 1400 1500
END
is "a lucky best run does not make the others slower" "$(of row mark a)" "~"

# Efron's dice beat each other in a circle, two times of three: with 36 runs each row is slower than another by the test
# alone. Some row may be the fastest all the same.
awk 'BEGIN { split("4 4 4 4 0 0 3 3 3 3 3 3 6 6 2 2 2 2 5 5 5 1 1 1", eyes, " ")
	for (die = 0; die < 4; die++) {
		printf "die%d", die
		for (i = 0; i < 36; i++) printf " %d", 1000000 + 1000 * eyes[6 * die + i % 6 + 1] + i
		print ""
	} }' | csv >a
[ "$(fact candidates a)" -gt 0 ]
is "rows that beat each other in a circle: one may be the fastest" $? 0
is "... that with the smallest median, which is recommended" "$(of die2 mark a) $(fact recommended a)" "~ die2"

# By which rule, and what the marks are worth.
duel 6 6 1 40 >a
says "40 rows, 6 runs: tested" \
	'slower than another by an exact one-sided Mann-Whitney test at 0\.13 %, which is 5 % over 40 rows' -v
says "... two rows are marked" '~: 2 of 40 rows may be fastest \(95 % confidence\)'
says "... more runs may separate them, or a race" 'confidence\); use -n 10 or --race\.'
is "... the level is reported" "$(fact level a) $(fact candidates a)" "0.00128205 2"
duel 10 10 23 40 >a
says "... after ten runs twenty" '; use -n 20 or --race\.'
duel 5 5 1 40 >a
says "40 rows, 5 runs: too few, a first guess" \
	'40 rows with too few runs for that test: without ~ if each run took longer than each of two other rows\.' -v
says "... a test takes 6" 'a first guess after 5 runs; use -n 6\.'
silent "... no confidence is claimed" 'confidence|Mann'
duel 3 3 1 5 >a
is "5 rows, 3 runs: a row is marked that has one run as fast as the first's worst" "$(of row mark a)" "~"
says "... more are asked for" '~: 2 of 5 rows may be fastest\. 3 runs are too few for a test: use -n 5\.'
says "... by which row" '5 rows with too few runs for that test: without ~ if each run took longer than each of winner\.' -v
duel 3 3 0 5 >a
says "... all are behind the first" '~: 1 of 5 rows may be fastest\. 3 runs are too few'
is "... which is in JSON, too" "$(of row beaten_by a)" winner
duel 2 2 1 40 >a
says "2 runs are too few, too" ' 2 runs are too few for a test: use -n 6\.'
duel 3 3 1 2 >a
says "2 rows, 3 runs: tested" 'rows may be fastest \(95 % confidence\)'
duel 6 6 0 40 >a
says "one row is marked" '~: 1 of 40 rows may be fastest \(95 % confidence\)'
silent "... more runs are not asked for" '; use -n'
csv >a <<'END'
winner 1000000
row 2000000
far 9000000
END
is "a single run: all are marked" "$(marks a)" "winner~ row~ far~"
says "... it says nothing: with 3 rows a test takes 4 runs" '1 run: no spread known\. Use -n 4 or more\.'
is "... all are candidates" "$(fact candidates a)" 3
# Few runs: a row has no ~ if each of its runs was slower than each run of two other rows.
few() { # a, other: 1100 and 1350 in the middle; tie's best run is as fast as other's worst, late's is slower
	printf '%s\n' "a 1000 1100 1200" "b 1300 1400 1500" "tie 1450 1600 1700" "late 1451 1600 1700" "one 1201 1300 1600" "other 1150 1350 1450"
}
few | csv >a
is "6 rows, 3 runs: behind one row, or as fast as the second, is not enough" "$(marks a)" "a~ other~ one~ b~ tie~ late"
is "... by whom" "$(of late beaten_by a)" a
says "... is said" '~: 5 of 6 rows may be fastest: a first guess after 3 runs; use -n 5\.'
silent "... without a word on confidence" 'confidence'
few | sed '$d' | csv >a
is "5 rows: as it was, behind the first" "$(marks a)" "a~ one b tie late"
few | sed 's/ [0-9]*$//' | csv >a
is "2 runs: as it was" "$(marks a)" "a~ other one b tie late"
says "... is said" '~: 1 of 6 rows may be fastest\. 2 runs are too few for a test: use -n 5\.'
if have perl; then
	# ROWS RUNS SEED: a report, and the rows that keep ~ by the definition in the file "wanted". Times are few, so that
	# many are alike; what was not copied or moved no data is to play no part, nor is an older version's word on its control.
	cat >guess.pl <<'END'
use strict;
my ($rows, $runs, $seed) = @ARGV;
srand $seed;
my (@name, @ns, @marked);
for my $r (0 .. $rows - 1) {
	my $true = 1000 + 20 * int rand 8;
	push @name, ($r % 7 == 3 ? "\$ " : "") . "r$r";
	push @ns, [map { $true + 10 * int rand 7 } 1 .. $runs];
}
sub least { (sort { $a <=> $b } @_)[0] }
sub most { (sort { $a <=> $b } @_)[-1] }
for my $r (0 .. $rows - 1) {
	push @marked, $name[$r] if 2 > grep { most(@{$ns[$_]}) < least(@{$ns[$r]}) } 0 .. $rows - 1;
}
print "# control: r0\n# control_round: 1\n# control_ns: @{[map { 2 * $_ } @{$ns[0]}]}\nrow,round,ns,outcome\n";
print "absent,1,,n/a EXDEV\nbroken,1,,failed EIO\n";
for my $i (0 .. $runs - 1) {
	print "$name[$_],${\($i + 1)},$ns[$_][$i],ok\n" for 0 .. $rows - 1;
	print "cloned,${\($i + 1)},1,shared\nseen,${\($i + 1)},1,untouched\n";
}
open my $wanted, ">", "wanted" or die;
print $wanted "$_\n" for sort @marked;
END
	while read -r rows runs; do
		for seed in 1 2 3 4 5 6 7 8; do
			perl guess.pl "$rows" "$runs" "$seed" >a
			"$wb" --compare a -f json | sed -n 's/^  {"row": "\([^"]*\)",.* "mark": "~".*/\1/p' | sort >got
			cmp -s got wanted || echo "$seed: $(diff got wanted | tr '\n' ' ')"
		done >odd
		is "$rows rows, $runs runs: those rows keep ~ that by the definition do" "$(cat odd)" ""
		said=$("$wb" --compare a | grep -o "~: $(wc -l <wanted) of $rows rows may be fastest: a first guess after $runs runs; use -n")
		[ "$said" ]
		is "... which is said" $? 0
	done <<'END'
6 3
6 4
7 3
30 4
46 3
46 5
100 3
END
	# As many runs as the test needs: the least n with 1 / C(2n, n) at most 0.05 / (rows - 1).
	for rows in 6 20 46 47 48 172 173; do
		perl guess.pl $rows 3 1 >a
		is "$rows rows: so many runs are asked for" "$(said a | sed -n 's/.* use -n \([0-9]*\)\. .*/\1/p')" \
			"$(perl -e 'my ($orders, $n) = (1, 0); while ($orders * 0.05 < $ARGV[0] - 1) { $n++; $orders *= (2 * $n) * (2 * $n - 1) / $n / $n } print $n' $rows)"
	done
	perl guess.pl 46 6 1 >a
	says "46 rows, 6 runs: nothing is guessed, it is the test" '~: [0-9]+ of 46 rows may be fastest \(95 % confidence\)' -v
else
	skip "few runs by the definition" "no perl"
fi

# Rows that share the blocks come first: in the table, and in the advice.
share() { # ROW...: those of the report before it; a blank in a name as _
	awk -v rows=" $* " '{ split($0, field, ","); gsub(" ", "_", field[1]) }
		index(rows, " " field[1] " ") { sub(",ok", ",shared") }
		{ print }'
}
sharing() {
	csv <<'END'
# size: 1048576
link 50000 50000 50000
range 33000 33000 33000
$_cat 1200000 1200000 1200000
copy 2000000 2000000 2000000
$_dd 4100000 4100000 4100000
END
}
sharing | share link range "\$_cat" >a
says "the advice begins with the row that shared the blocks, and its time; a command that did is no peer of a copy" \
	' Use range: it shares the blocks, 33\.0us; so does cat \(1\.20ms\)\. If the bytes must be copied: copy: median 2\.00ms, 500 MiB/s, 2\.05 times as fast as dd\. ~: 1 of 2 rows'
is "... it is in the facts" "$(fact sharing a) $(fact recommended a)" "range copy"
is "... and first in the table" "$(marks a)" 'range link $ cat copy~ $ dd'
"$wb" --compare a >text
is "... said there" "$(table text | sed 's/ [0-9.]*[mu]s//g')" 'range (shared)
link (shared)
$ cat (shared)
copy ~
$ dd (+ 105%)'
"$wb" --compare a -f markdown >text
is "... in Markdown" "$(grep -n '(shared)' text | cut -d: -f1 | tr '\n' ' ') $(grep -c '^- Use range: it shares the blocks' text)" "5 6 7  1"
sharing | sed 's/^\(link,.*,\)50000/\133660/' | share link range >a
says "of two within 2 % the plainer shares" ' Use link: it shares the blocks, 33\.7us\. If the bytes'
sharing | sed 's/^\(link,.*,\)50000/\133661/' | share link range >a
says "... beyond it the faster" ' Use range: it shares the blocks, 33\.0us\. If the bytes'
sharing | share link "\$_cat" | sed 's/^\($ cat,.*,\)1200000/\120000/' >a
says "a row goes before a command that shares faster" ' Use link: it shares the blocks, 50\.0us; so does cat \(20\.0us\)\. If'
sharing | share "\$_cat" >a
says "a command alone shares" ' Use \$ cat: it shares the blocks, 1\.20ms\. If the bytes must be copied: range: median'
sharing | share link range copy "\$_cat" "\$_dd" >a
says "all share: none has to be copied" ' Use range: it shares the blocks, 33\.0us; so does dd \(4\.10ms\); so does cat \(1\.20ms\)\. '
silent "... none is compared" 'must be copied|times as fast|~:'
sharing >a
silent "none shares" 'shares'
is "... nor is a fact" "$(fact sharing a)" ""
{ echo "# server_copies: copy" && sharing | share link range "\$_cat"; } >a
says "a copy by the server is a copy" ' If the bytes must be copied: copy: median 2\.00ms, the server copies, 500 MiB/s'

# Commands net of their start: exec's or the shell's, in sentences; the table is gross.
net() { # FACT: VALUE...
	{ for fact; do echo "# $fact"; done && printf '%s\n' "\$_cat 1440000 1450000 1460000 1440000 1450000 1460000" \
		"\$_cat_|_cat 3000000 3000000 3000000 3000000 3000000 3000000" "row 1000000 1000000 1000000 1000000 1000000 1000000"; } | csv >a
}
net "command_ns: 240000" "shell_command_ns: 500000"
says "ratios are net of the start, a shell's where there is one" \
	' Use row: median 1\.00ms, 1\.21 times as fast as cat \(95 %: 1\.20 to 1\.22\), 2\.50 times as fast as cat \| cat \(95 %: 2\.50 to 2\.50\)\. Starting a command takes 500us, not counted here\. ~:'
is "... not in the table, nor in JSON" "$(marks a) $(of '$ cat' percent a) $(of '$ cat' median_ns a) $(of '$ cat' ratio a)" 'row~ $ cat $ cat | cat 44.00 1450000 1.4500'
is "... which has the starts" "$(fact command_ns a) $(fact shell_command_ns a)" "240000 500000"
net "command_ns: 240000"
says "one start alone is taken for both" ' 2\.76 times as fast as cat \| cat \(.*\)\. Starting a command takes 240us, not counted here\.'
net
says "without any they are gross" ' 1\.45 times as fast as cat .*, 3\.00 times as fast as cat \| cat '
silent "... without a word on it" 'Starting|start-up'
net "command_ns: 725000" "shell_command_ns: 1500000"
says "a start of half the median is still taken off" ' 1\.50 times as fast as cat \| cat .*\. Starting a command takes 1\.50ms, not counted here\.'
net "command_ns: 725001" "shell_command_ns: 500000"
says "more than half: no ratio, but the reason" \
	' Use row: median 1\.00ms, 2\.50 times as fast as cat \| cat \([^)]*\)\. Starting a command takes 500us, not counted here\. cat: mostly start-up at this size; use a larger input\. ~:'
"$wb" --compare a >text
is "... and a word in the place of the percentage" "$(table text | sed 's/ [0-9.]*[mu]s//g')" 'row ~
$ cat (start-up)
$ cat | cat (+ 200%)'
net "command_ns: 800000" "shell_command_ns: 1500001"
says "none is left to compare" ' Use row: median 1\.00ms\. cat, cat \| cat: mostly start-up at this size; use a larger input\. ~:'
cp a other && cp a third
is "... several files have it, too" "$("$wb" --compare a other third | grep -c 'start-up  *start-up  *start-up')" 2

# An interval that has 1.
apart() { # NS...: cat's
	printf '%s\n' "row 1000000 1000000 1000000 1000000 1000000 1000000" "\$_cat $*" | csv >a
}
apart 930000 1010000 1030000 1030000 1050000 1120000
says "an interval that has 1: not distinguishable" ' Use row: median 1\.00ms, not distinguishable from cat \(0\.93 to 1\.12\)\. '
silent "... no ratio" 'times as fast'
apart 1000000 1030000 1030000 1030000 1050000 1120000
says "... or ends with it" ', not distinguishable from cat \(1\.00 to 1\.12\)\. '
apart 1010000 1030000 1030000 1030000 1050000 1120000
says "... but not one above it" ', 1\.03 times as fast as cat \(95 %: 1\.01 to 1\.12\)\. '
printf '%s\n' "row 1000000 1000000 1000000" "\$_cat 930000 1030000 1120000" | csv >a
says "3 runs have no interval, but the ratio alone" ', 1\.03 times as fast as cat\. '

# Least CPU: 10 % less, the caller's CPU time is all that a copy takes, and neither row writes to the disk itself.
thrifty() { # CPU_MS CPU_WHOLE ROW FAST: the row beside one that takes 88 ms
	{ [ "$2" = - ] || echo "# cpu_whole: $2"
		echo row,round,ns,outcome,cpu_ms
		for i in 1 2 3 4; do printf '%s\n' "$4,$i,${i}00000000,ok,88" "$3,$i,9${i}0000000,ok,$1" "direct 1m,$i,910000000,ok,60"; done; } >a
}
while IFS=: read -r cpu whole row fast wanted; do
	thrifty "$cpu" "$whole" "$row" "$fast"
	is "$cpu ms of $row beside 88 of $fast, cpu_whole $whole: least CPU" \
		"$(fact least_cpu a):$(said a | grep -o 'Least CPU: .*, .* of CPU against .*\.' | cut -d. -f1-3)" "${wanted:-}:${wanted:+Least CPU: $wanted, $(printf %s "$cpu" | sed 's/^..$/&.0/')ms of CPU against 88.0ms}"
done <<'END'
51:1:slow:fast:slow
79.2:1:slow:fast:slow
79.3:1:slow:fast
-:1:slow:fast
51:-:slow:fast
51:1:$ slow:fast
51:1:direct 1m + falloc:fast
51:1:uncached 1m:fast
51:1:write-behind 8m:fast
51:1:io_uring direct 8x1m:fast
51:1:threads direct 1m:fast
51:1:slow:write-behind 8m
END
thrifty 51 1 slow fast
is "JSON has it" "$("$wb" --compare a -f json | grep -c '^  "least_cpu": "slow",$') $("$wb" --compare a -f json | grep -c '^  "cpu_whole": 1,$')" "1 1"
sed 's/^\(slow,[12],.*,\)51$/\160/' a >b && mv b a
says "... it is of medians" 'Least CPU: slow, 55\.5ms of CPU against 88\.0ms\.'

# Best, median, worst, percentage; and the mark behind it in every format.
csv >a <<'END'
a 1000000 1034000 1014000 1024000
b 1300000 1234000 1250000 1234568
c 1016000 1005300 1022000 1037000
END
is "best, median, worst and percentage" \
	"$(for row in a b c; do for key in best_ns median_ns worst_ns percent mark; do printf '%s ' "$(of $row $key a)"; done; done)" \
	"1000000 1019000 1034000 0.00 ~ 1234000 1242284 1300000 23.40  1005300 1019000 1037000 0.53 ~ "
"$wb" --compare a >text
is "text: sorted by the best run, the percentage, then the mark" "$(table text)" \
	"a 1.00ms 1.02ms 1.03ms ~
c 1.01ms 1.02ms 1.04ms (+ 0.5%) ~
b 1.23ms 1.24ms 1.30ms (+ 23.4%)"
is "... below titles" "$(sed -n 4p text | tr -s ' ')" "row best median worst behind CPU"
"$wb" --compare a -f markdown >text
is "markdown, too" "$(grep '^| [abc] ' text)" \
	"| a | 1.00ms | 1.02ms | 1.03ms |  | ~ |  |
| c | 1.01ms | 1.02ms | 1.04ms | (+ 0.5%) | ~ |  |
| b | 1.23ms | 1.24ms | 1.30ms | (+ 23.4%) |  |  |"
holds "... and the count" text '^- ~: 2 of 3 rows may be fastest'
printf '%s\n' row,round,ns,outcome a,1,1000,ok 'x,1,,n/a EXDEV' y,1,5,shared b,1,2000,ok 'z,1,,failed EIO' a,2,1100,ok b,2,2200,ok >a
is "rows that are n/a, shared or failed are no peers, and marked by nothing" "$(marks a)" "y a~ b x z"
says "... 2 rows, 2 runs: separation" '~: 1 of 2 rows may be fastest\. 2 runs are too few'
is "... nor has a row to itself what was not timed" "$(of x best_ns a) $(of y percent a) $(of y ratio a)" "null null null"
csv >a <<'END'
a:1 1000000 1000000
b:1.9 1000000 1000000
c:0.5 1000000 1000000
d:1.1 1000000 1000000
e:1.11 1000000 1000000
f:0.89 1000000 1000000
END
"$wb" --compare a >text
is "CPU time as a share of the run is shown where it is not 90 to 110 %" \
	"$(table text | awk '{ print $1, $NF ~ /^[0-9]+%$/ ? $NF : "-" }' | tr '\n' ' ')" "a - b 190% c 50% d - e 111% f 89% "

# The estimate of Hodges and Lehmann, and its interval.
csv >a <<'END'
winner 1000000 1000000 1000000 1000000
row 1400000 1100000 1300000 1200000
END
is "4 runs of 1.1, 1.2, 1.3 and 1.4: the median of 16 ratios, and all of them" \
	"$(of row ratio a) $(of row ratio_low a) $(of row ratio_high a)" "1.2500 1.1000 1.4000"
# interval N M DROP: on runs without pattern, by the definition: all ratios, sorted, DROP of them left out at each end.
interval() {
	awk -v n="$1" -v m="$2" 'BEGIN {
		printf "winner 1000000"
		for (i = 2; i <= m; i++) printf " %d", 1003000 + i * i * 7919 % 1009 * 100
		printf "\nrow"
		for (i = 1; i <= n; i++) printf " %d", 1050000 + i * i * i * 6151 % 983 * 150
		print "" }' >rows
	csv <rows >a
	wanted=$(awk '$1 == "winner" { for (m = 1; m < NF; m++) w[m] = $(m + 1); m-- }
		$1 == "row" { for (i = 2; i <= NF; i++) for (k = 1; k <= m; k++) printf "%.12f\n", $i / w[k] }' rows | sort -n |
		awk -v drop="$3" '{ x[NR] = $1 }
			END { printf "%.4f", (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2
				if (drop != "none") printf " %.4f %.4f", x[1 + drop], x[NR - drop]
				else printf " null null" }')
	is "$1 runs against $2: the estimate, and $3 dropped at each end" \
		"$(of row ratio a) $(of row ratio_low a) $(of row ratio_high a)" "$wanted"
}
while read -r n m drop; do
	interval "$n" "$m" "$drop"
done <<'END'
3 3 none
4 4 0
5 5 2
6 6 5
8 8 13
10 10 23
15 15 64
20 20 127
4 6 2
5 8 6
8 5 6
3 5 0
1 9 none
END
interval 15 15 64
says "--verbose has runs, estimate and interval, as percentages" \
	" row runs behind 95 % interval winner 15 \\+0\\.0% row 15 \\+$(of row ratio a | awk '{ printf "%.1f", 100 * $1 - 100 }')% [-+][0-9.]+ to [-+][0-9.]+% " -v
silent "... without it there is no such table" 'interval'
interval 3 3 none
says "... 3 runs have none" ' winner 3 \+0\.0% row 3 \+[0-9.]+% - ' -v
is "JSON: 3 runs have no interval, but null" "$(of row ratio_low a) $(of row ratio_high a) $(of row runs a)" "null null 3"
if have perl && perl -MJSON::PP -e1 2>/dev/null; then
	duel 10 10 54 >a
	is "JSON is valid, and its figures are numbers" "$("$wb" --compare a -f json | perl -MJSON::PP -e 'local $/;
		my ($r) = grep { $_->{row} eq "row" } @{decode_json(<STDIN>)->{rows}};
		my $json = JSON::PP->new->canonical->encode($r);
		print join " ", map { $json =~ /"$_":[0-9]/ ? () : $_ }
			qw(best_ns median_ns worst_ns percent ratio ratio_low ratio_high runs);
		print "; $r->{mark}$r->{beaten_by}"' 2>&1)" "; winner"
else
	skip "JSON is valid" "no perl with JSON::PP"
fi

# Warnings that follow from the runs. The middle row decides, not one alone.
warned() { # NAME yes|no DESCRIPTION: of the report in "a"
	"$wb" --compare a -f csv >b
	is "$3" "$(grep -q "^# warning_$1: " b && echo yes || echo no)" "$2"
}
slow_round() { # FIRST FACTOR of b FACTOR of c
	awk -v a="$1" -v b="$2" -v c="$3" 'BEGIN {
		print "a " 1000 * a, 1000, 1000, 1000
		print "b " 2000 * b, 2000, 2000, 2000
		print "c " 3000 * c, 3000, 3000, 3000 }' | csv >a
}
slow_round 1.2 1.2 1.2
warned first_round yes "a first round that is 20 % slower"
says "... is reported with how much and a remedy" 'Warning: the first round was 20 % slower .*: use --warmup=1\.'
warned drift no "... is no drift"
warned waited no "... and no slow runs"
slow_round 1 1 1.2
warned first_round no "one slow first run of three is not"
slow_round 1.05 1.05 1.05
warned first_round no "nor 5 %"
slow_round 0.5 0.5 0.5
warned first_round no "nor a faster first round"
printf '%s\n' "a 1300 1000" "b 2600 2000" | csv >a
warned first_round no "two runs do not show which is odd"
printf '%s\n' "a 1000 1000 1000 1150 1150 1150" "b 2000 2000 2000 2300 2300 2300" | csv >a
warned drift yes "later rounds that are 15 % slower are drift"
says "... reported with how much and a remedy" 'Warning: later rounds took 15 % longer .*: use a longer --pause'
warned first_round no "... and no slow first round"
printf '%s\n' "a 1150 1150 1150 1000 1000 1000" "b 2300 2300 2300 2000 2000 2000" | csv >a
warned drift no "a machine that grows faster has no drift to report"
printf '%s\n' "a 1000 1150 1150 1000 1150 1150" "b 2000 2300 2300 2000 2300 2300" | csv >a
warned drift no "nor has one that goes up and down"
warned waited no "... by 15 %"
slow_run() { # NS MS: the slow one of three runs of a row takes so long, and so much CPU time; the others 1 ms each
	printf '%s\n' row,round,ns,outcome,cpu_ms a,1,1000000,ok,1 "a,2,$1,ok,$2" a,3,1000000,ok,1 \
		b,1,2000000,ok,2 b,2,2600000,ok,2 b,3,2000000,ok,2 >a
}
slow_run 2000000 1
warned waited no "a run of twice its row's median is not slow"
slow_run 2000001 1
warned waited yes "... a longer one is"
warned on_cpu no "... it waited, where its CPU time is the same"
says "... reported with its row, and with what it waited for" \
	'Warning: 1 of 3 runs of a took more than twice its median: they waited for the disk or the hypervisor\.'
slow_run 3000000 1.99
warned waited yes "... or not half as much longer"
slow_run 3000000 2.01
warned waited no "a slow run that took CPU time did not wait"
warned on_cpu yes "... it was on the CPU"
says "... reported with a remedy" \
	'Warning: 1 of 3 runs of a took more than twice its median: they took more CPU time; end what else runs here\.'
printf '%s\n' row,round,ns,outcome,cpu_ms a,1,1000000,ok,1 a,2,1000000,ok,1 a,3,9000000,ok,1 \
	b,1,1000000,ok,1 b,2,5000000,ok,1 b,3,1000000,ok,1 b,4,1000000,ok,1 b,5,5000000,ok,1 >a
says "of several rows the one with most slow runs is named" 'Warning: 2 of 5 runs of b took more than twice its median: they waited '
printf '%s\n' "# warning_first_round: old" "# warning_drift: old" "# warning_waited: old" "# warning_on_cpu: old" \
	"# warning_steal: the host" "# recommended: old" "# recommendation: old" "# candidates: 77" "# level: 77" \
	"a 1000 1001 1002" "b 1000 1001 1002" | csv >a
says "warnings that follow from the runs are made anew, others are kept" ' Warning: the host\. '
silent "... as they were not" 'old|77'
is "... as is the verdict" "$(fact candidates a) $(fact level a) $(fact recommended a)" "2 0.05 a"

# A race: a row that left early is below, the last to leave first, with the number of runs and no percentage.
csv >a <<'END'
# race: 40
early 800 810
earlier 700
a 900 1000 1000 1000 1000 1000 1000 1100
b 920 950 950 950 950 950 950 960
late 955 1075 1080
also 960 1000 1090
END
is "a race: finalists by their best run, then those that left, in the order of leaving" \
	"$(marks a | tr -d '~')" "a b late also early earlier"
is "... those have no percentage" \
	"$(for row in a b late also early earlier; do of $row percent a; done | tr '\n' ' ')" "0.00 2.22 null null null null "
"$wb" --compare a >text
is "... but their number of runs" "$(table text | sed 's/ ~$//')" "a 0.900us 1.00us 1.10us
b 0.920us 0.950us 0.960us (+ 2.2%)
late 0.955us 1.07us 1.08us (3 runs)
also 0.960us 1.00us 1.09us (3 runs)
early 0.800us 0.805us 0.810us (2 runs)
earlier 0.700us 0.700us 0.700us (1 run)"
is "... a row that left early is not recommended, however fast" "$(fact recommended a)" b
says "... and it says why not the first" ' Use b: median 0\.950us\..* Not a: best run 0\.900us, but its median is 5 % behind\.'
is "CSV reports which rows left" \
	"$("$wb" --compare a -f csv | sed -n 's/,[^,]*,[^,]*,ok,.*,left the race$//p' | sort -u | tr '\n' ' ')" "also earlier early late "
lacks "no CPU time in the report: no word of less of it" text 'CPU time|nan'
sed '/^# race/d' a >b && mv b a
is "the same runs without a race: by the best run" "$(marks a | sed 's/~//g')" "earlier early a b late also"
printf '%s\n' "# race: 40" "a 1000 1000 1000 1000 1000" "b 900 910 900 910" "c 800 800" | csv >a
is "a row with a run less than others has left the race" "$(marks a | sed 's/~//g')" "a b c"
sed '1s/^/# interrupted: Interrupt after 11 of 40 runs\n/' a >b && mv b a
is "... but not where its last round was interrupted" "$(marks a | sed 's/~//g')" "b a c"
