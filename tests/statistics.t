#!/bin/sh
# A dry ruler: reports made by hand are read back by --compare, and what is said of them is held against
# values that were worked out from the definitions, or stand in the literature.
# Tried: it fails where orders are counted wrongly; ties count nothing; each row is tested at a level of its own; an
# Tried: interval is of all ratios; the noise floor does not count; a first round that is hardly slower is warned of.
. "$(dirname "$0")/tap.sh"

# csv <<END >FILE: lines "ROW NS..." become a report, round after round; lines with # go before them.
csv() {
	awk '/^#/ { print; next }
		{ name[++k] = $1; for (n[k] = NF - 1; n[k] > most; most++); for (i = 2; i <= NF; i++) ns[k, i - 1] = $i }
		END { print "row,round,ns,outcome"
			for (i = 1; i <= most; i++) for (r = 1; r <= k; r++) if (i <= n[r]) print name[r] "," i "," ns[r, i] ",ok" }'
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
# of ROW COLUMN FILE: a cell of the lines "# summary: ..." (in which nothing is quoted here)
of() {
	"$wb" --compare "$3" -f csv | awk -F, -v row="$1" -v column="$2" 'sub(/^# summary: /, "") {
		if (!names++) { for (i = 1; i <= NF; i++) at[$i] = i }
		else if ($1 == row) print column in at ? $(at[column]) : "no such column" }'
}
marks() { # FILE [OPTION...]: the rows in their order, each with its mark
	"$wb" --compare "$@" -f csv | awk -F, 'sub(/^# summary: /, "") {
		if (!names++) { for (i = 1; i <= NF; i++) at[$i] = i }
		else printf "%s%s%s", (rows++ ? " " : ""), $1, $(at["mark"]) }'
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
silent() { # DESCRIPTION REGEX
	said a >line
	lacks "$1" line "$2"
}

# Exact critical values: of U = U*, U* + 1/2 and U* + 1, the last two are marked. With two rows these are
# the one-sided 5 % table of Mann and Whitney's U (Milton 1964, in every textbook); with K, those at 0.05 / (K - 1).
critical() { # K N M U*
	told=
	for more in 0 1 2; do
		duel "$2" "$3" $((2 * $4 + more)) "$1" >a
		mark=$(of row mark a)
		told="$told ${mark:-slower}"
	done
	is "$1 rows, $2 runs against $3: U = $4 is slower, a half more is not" "$told" " slower ~ ~"
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
40 3 3 0
40 5 5 0
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
is "equal throughout: marked" "$(of row mark a)" "~"
csv >a <<'END'
winner 1000 5000 5000 5000 5000 5000
row 1100 1200 1300 1400 1500 1600
END
is "a lucky best run does not make the others slower" "$(marks a)" "winner row~"

# By which rule, and what the marks are worth.
duel 6 6 1 40 >a
says "40 rows, 6 runs: tested" 'Slower means: by an exact Mann-Whitney test'
says "... one row is marked" '~: 1 of the other 39 rows '
duel 5 5 1 40 >a
says "40 rows, 5 runs: too few, separation" 'Slower means here: each of its runs took longer than each of the winner.s'
says "... a test takes 6" ' takes -n 6\.'
duel 3 3 1 40 >a
says "3 runs: 1 in C(5,3) = 10 equal rows would pass" ' 1 in 10 '
duel 2 2 1 40 >a
says "2 runs: 1 in C(3,2) = 3" ' 1 in 3 '
duel 3 3 1 2 >a
says "2 rows, 3 runs: tested" 'by an exact Mann-Whitney test'
duel 3 3 0 40 >a
says "no row is marked: all are slower" 'All other rows are slower than the winner\.'
silent "... no count" '~: '
csv >a <<'END'
winner 1000000
row 2000000
far 9000000
END
is "a single run: all are marked" "$(marks a)" "winner row~ far~"
says "... it tells nothing: with 3 rows a test takes 4 runs" 'One run tells nothing: take -n 4 or more'
says "... and the count is 2 of 2" '~: 2 of the other 2 rows '
# Best, median, worst, percentage; and the mark behind it in every format.
csv >a <<'END'
a 1000000 1034000 1014000 1024000
b 1300000 1234000 1250000 1234568
c 1016000 1005300 1022000 1037000
END
is "best, median, worst and percentage" \
	"$(for row in a b c; do for column in best_ns median_ns worst_ns percent mark; do printf '%s ' "$(of $row $column a)"; done; done)" \
	"1000000 1019000 1034000 0.00  1234000 1242284 1300000 23.40  1005300 1019000 1037000 0.53 ~ "
"$wb" --compare a >text
is "text: sorted by the best run, the percentage, then the mark" "$(sed '1,3d;/^$/,$d' text | tr -s ' ')" \
	"a 1.00ms 1.02ms 1.03ms
c 1.01ms 1.02ms 1.04ms (+ 0.5%) ~
b 1.23ms 1.24ms 1.30ms (+ 23.4%)"
"$wb" --compare a -f markdown >text
is "markdown, too" "$(grep '^| [abc] ' text)" \
	"| a | 1.00ms | 1.02ms | 1.03ms |  |
| c | 1.01ms | 1.02ms | 1.04ms | (+ 0.5%) ~ |
| b | 1.23ms | 1.24ms | 1.30ms | (+ 23.4%) |"
holds "... and the count" text '^- ~: 1 of the other 2 rows '
printf 'row,round,ns,outcome\na,1,1000,ok\nx,1,,n/a EXDEV\ny,1,5,shared\nb,1,2000,ok\nz,1,,failed EIO\na,2,1100,ok\nb,2,2200,ok\n' >a
is "rows that are n/a, shared or failed are no peers, and marked by nothing" "$(marks a)" "y a b x z"
says "... 1 of 1 is slower: 2 runs, separation" 'The other row is slower than the winner\.'

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
		$1 == "row" { for (i = 2; i <= NF; i++) for (k = 1; k <= m; k++) printf "%.12f\n", $i / w[k] }' rows | LC_ALL=C sort -n |
		awk -v drop="$3" '{ x[NR] = $1 }
			END { printf "%.4f", (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2
				if (drop != "none") printf " %.4f %.4f", x[1 + drop], x[NR - drop] }')
	got=$(of row ratio a) low=$(of row ratio_low a) high=$(of row ratio_high a)
	is "$1 runs against $2: the estimate, and $3 dropped at each end" "$got${low:+ $low}${high:+ $high}" "$wanted"
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
says "text has ratio and interval" "^.* runs ratio 95 % interval winner 15 1 row 15 $(of row ratio a | cut -c1-4)[0-9]* [01]\.[0-9]{3} - [12]\.[0-9]{3} "
interval 6 6 5
says "... from 6 runs on" ' 95 % interval winner 6 1 row 6 '
interval 5 5 2
silent "... not from 5" ' 95 % interval winner '
if have perl && perl -MJSON::PP -e1 2>/dev/null; then
	json() { # ROW KEY...: of the report in "a"
		"$wb" --compare a -f json | perl -MJSON::PP -e 'local $/; my $row = shift;
			my ($r) = grep { $_->{name} eq $row } @{decode_json(<STDIN>)->{rows}};
			print join " ", map { exists $r->{$_} ? $r->{$_} // "null" : "missing" } @ARGV' "$@"
	}
	interval 3 3 none
	is "JSON: 3 runs have no interval, but null" "$(json row ratio_low ratio_high runs)" "null null 3"
	interval 10 10 23
	is "JSON: the same ratio and interval" "$(json row ratio ratio_low ratio_high | awk '{ printf "%.4f %.4f %.4f", $1, $2, $3 }')" "$wanted"
	duel 10 10 54 >a
	is "JSON: U = U* is not marked" "$(json row mark)" ""
	duel 10 10 56 >a
	is "... U* + 1 is" "$(json row mark) $(json winner mark)" "~ "
	is "... and the summary's figures are the same" "$(json row best_ns median_ns worst_ns) $(json row percent | awk '{ printf "%.2f", $1 }')" \
		"$(for column in best_ns median_ns worst_ns percent; do of row $column a; done | tr '\n' ' ' | sed 's/ $//')"
else
	skip "JSON" "no perl with JSON::PP"
fi

# The noise floor: the best of the twin is 5 % from the best of its row; what is nearer is marked,
# whatever the test says.
floor() { # TWIN'S NS...
	csv <<END
# twin: other
# twin_ns: $*
winner 1000000 1000100 1000200 1000300
near 1049000 1049100 1049200 1049300
far 1051000 1051100 1051200 1051300
other 2000000 2000100 2000200 2000300
END
}
floor 2200000 2100000 2150000 2300000 >a
is "a row that is behind by less than the noise floor is marked" "$(marks a)" "winner near~ far other"
says "... and why is said" '~: 1 of the other 3 rows can.t be told from the winner, being behind by less than the noise floor'
says "... with the floor" 'Noise floor: other, .* 5\.00 % apart'
floor 1904762 2100000 2150000 2300000 >a
is "the twin may be faster than its row: 5 % of the faster one" "$(marks a)" "winner near~ far other"
floor 2000000 3100000 3150000 3300000 >a
is "its worse runs do not matter" "$(marks a)" "winner near far other"
says "... 0 % is a floor, too" 'Noise floor: other, .* 0(\.0+)? % apart'
floor 2200000 | sed '/^# twin/d' >a
is "no twin: no floor" "$(marks a)" "winner near far other"
silent "... and no word of it" 'Noise floor'
# The rows that are left out are not to move the twin to another row.
for option in "-x first" "-s winner,far"; do
	csv <<END >a
# twin: first
# twin_ns: 2020000 2020100 2020200 2020300
first 2000000 2000100 2000200 2000300
winner 1000000 1000100 1000200 1000300
far 1051000 1051100 1051200 1051300
END
	# shellcheck disable=SC2086
	is "$option leaves the twin's row out: the others are still told apart" "$(marks a $option)" "winner far"
	# shellcheck disable=SC2086
	is "... the noise floor, if there is one, is that row's" \
		"$(said a $option | grep -o 'Noise floor: .* apart' | grep -v 'floor: first, .* 1\.00 % apart')" ""
done

# Warnings that follow from the runs. The middle row decides, not one alone.
warned() { # NAME yes|no DESCRIPTION: of the report in "a"
	"$wb" --compare a -f csv >b
	is "$3" "$(grep -q "^# warning_$1: " b && echo yes || echo no)" "$2"
}
slow_round() { # FIRST FACTOR of b FACTOR of c
	awk -v a="$1" -v b="$2" -v c="$3" 'BEGIN { print "a " 1000 * a, 1000, 1000, 1000; print "b " 2000 * b, 2000, 2000, 2000; print "c " 3000 * c, 3000, 3000, 3000 }' | csv >a
}
slow_round 1.2 1.2 1.2
warned first_round yes "a first round that is 20 % slower"
says "... is told with how much and a remedy" 'Warning: the first round was 20 % slower .*: run it again'
warned drift no "... is no drift"
warned spread no "... and no spread above 30 %"
slow_round 1 1 1.2
warned first_round no "one slow first run of three is not"
slow_round 1.05 1.05 1.05
warned first_round no "nor 5 %"
slow_round 0.5 0.5 0.5
warned first_round no "nor a faster first round"
printf '%s\n' "a 1300 1000" "b 2600 2000" | csv >a
warned first_round no "two runs do not tell which is odd"
printf '%s\n' "a 1000 1000 1000 1150 1150 1150" "b 2000 2000 2000 2300 2300 2300" | csv >a
warned drift yes "later rounds that are 15 % slower are drift"
says "... told with how much and a remedy" 'Warning: the machine slowed down: later rounds took 15 % longer .*: wait until'
warned first_round no "... and no slow first round"
printf '%s\n' "a 1150 1150 1150 1000 1000 1000" "b 2300 2300 2300 2000 2000 2000" | csv >a
warned drift no "a machine that grows faster has no drift that would be told"
printf '%s\n' "a 1000 1150 1150 1000 1150 1150" "b 2000 2300 2300 2000 2300 2300" | csv >a
warned drift no "nor has one that goes up and down"
warned spread no "... by 15 %"
printf '%s\n' "a 1000 1300" "b 2000 2600" | csv >a
warned spread no "a worst run 30 % above the best is not above 30 %"
printf '%s\n' "a 1000 1300" "b 2000 2601" | csv >a
warned spread yes "... but 30.05 % is"
says "... told with the number of rows and a remedy" 'Warning: the worst run of 1 of 2 rows took more than 30 % longer .*: end what else'
printf '%s\n' "# warning_first_round: old" "# warning_drift: old" "# warning_spread: old" "# warning_steal: the host"  "a 1000 1001 1002" "b 1000 1001 1002" | csv >a
says "warnings that follow from the runs are made anew, others are kept" ' Warning: the host\. '
silent "... as they were not" 'Warning: old'

# A race is ranked by medians, and who was in it to its end stands first.
csv >a <<'END'
# race: 40
early 800 810
a 900 1000 1000 1000 1000 1000 1000 1100
b 920 950 950 950 950 950 950 960
late 955 1075
END
is "a race: finalists by their median, then those that left by theirs" "$(marks a)" "b a early~ late~"
is "... behind by their medians" "$(of a percent a) $(of early percent a) $(of late percent a)" "5.26 -15.26 6.84"
"$wb" --compare a >text
holds "... faster ones, too" text '^early  .* \(- 15\.3%\) ~$' '^a  .* \(\+ 5\.3%\)$'
says "... the report names the winner with its runs" 'b has won, with 8 runs'
says "... and how many are marked after few runs" '~: 2 of the other 3 rows can.t be told from the winner, 2 of them after the few runs'
lacks "no CPU time in the report: no word of less of it" text 'CPU time|nan'
sed '/^# race/d' a >b && mv b a
is "the same runs without a race: by the best run" "$(marks a | sed 's/~//g')" "early a b late"
printf '%s\n' "# race: 40" "a 1000 1000 1000 1000 1000" "b 900 910 900 910" "c 800 800" | csv >a
is "who has a run less than others has left the race" "$(marks a | sed 's/~//g')" "a c b"
sed '1s/^/# interrupted: Interrupt after 11 of 40 runs\n/' a >b && mv b a
is "... but not where its last round was interrupted" "$(marks a | sed 's/~//g')" "b a c"
