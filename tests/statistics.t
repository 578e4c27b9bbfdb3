#!/bin/sh
# A dry ruler: reports made by hand are read back by --compare, and what is said of them is held against
# values that were worked out from the definitions, or stand in the literature.
# Tried: it fails where orders are counted wrongly; ties count nothing; each row is tested at a level of its own; a row
# Tried: is tested against the first alone; the row with the best run is recommended, or that with the smallest median, or one that
# Tried: is beaten; a median may be 1.5 times the smallest; an interval is of all ratios; a guess takes one faster row, or ties; a
# Tried: command's start is not taken off; a slower row is said to share; a command with a ~ is not kept; an interval is at another level.
. "$(dirname "$0")/tap.sh"

# csv <<END >FILE: lines "ROW NS..." become a report, round after round; lines with # go before them. In a row's
# name _ is a blank. "ROW:MS" has MS milliseconds of CPU time in each run.
csv() {
	awk '/^#/ { print; next }
		{ if (split($1, part, ":") > 1) costs = 1
			name[++k] = part[1]; gsub("_", " ", name[k]); cpu[k] = part[2]
			for (n[k] = NF - 1; n[k] > most; most++);
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
marks() { # FILE: the rows in their order, each with its mark
	"$wb" --compare "$1" -f json | sed -n 's/^  {"row": "\([^"]*\)",.* "mark": "\([^"]*\)".*/\1\2/p' | paste -sd' '
}
fact() { # KEY FILE: of what follows from the runs
	"$wb" --compare "$2" -f csv | sed -n "s/^# $1: //p"
}
table() { # FILE: the rows of a text report
	sed '1,4d;/^$/,$d' "$1" | tr -s ' ' | sed 's/ $//'
}
# says DESCRIPTION REGEX [OPTION...]: of the text report in "a", as one line
says() {
	what=$1 regex=$2
	shift 2
	"$wb" --compare a "$@" | tr -s '\n ' '  ' >line
	holds "$what" line "$regex"
}

# Marks, recommendation and reason, by their definitions: rows are ranked by their best runs. Of K rows b beats a if a's median is the
# larger one and P(U <= u) is at most 0.05 / (K - 1), where U counts the pairs of runs in which a was faster, a tie as half. Where a has
# too few runs for that against the row with the fewest, it is behind if each of its runs is slower than each run of two other rows, with 6
# rows and 3 runs or more, else than each of the first row, if that has two. X is the first row, but for commands, that none beats, of two
# runs or more, whose median is at most 1.25 times the smallest of those; if the command is beaten, the first of these that beats it. The
# command with the smallest median, one that none beats if there is one, is kept if none beats it, or if X is not shown to be faster; not by
# too few runs for any test, where X beats it if it was faster in each pair of runs. Times are few, so that many are alike; what was not copied or moved no data is to play no part, nor is what
# the file says of all that.
if have perl; then
	cat >rule.pl <<'END'
use strict;
my ($wb, $from, $upto) = @ARGV;
my (%ways, %seen);
sub ways { # orders of m and n runs with U = u
	my ($m, $n, $u) = @_;
	return 0 if $u < 0;
	return $u == 0 ? 1 : 0 if !$m || !$n;
	return $ways{"$m,$n,$u"} //= ways($m - 1, $n, $u - $n) + ways($m, $n - 1, $u);
}
sub chance { # that U is at most so much
	my ($m, $n, $u) = @_;
	my ($sum, $all) = (0, 1);
	$all *= ($m + $_) / $_ for 1 .. $n;
	$sum += ways($m, $n, $_) for 0 .. $u;
	return $sum / $all;
}
sub median { my @x = sort { $a <=> $b } @_; return ($x[$#x / 2] + $x[@x / 2]) / 2 }
sub least { (sort { $a <=> $b } @_)[0] }
sub most { (sort { $a <=> $b } @_)[-1] }
sub found { $_[0] =~ $_[1] ? $1 : "" }
for my $seed ($from .. $upto) {
	srand $seed;
	my $rows = 1 + int rand(rand() < 0.5 ? 5 : 40);
	my $runs = 1 + int rand(rand() < 0.5 ? 4 : 12);
	my ($lucky, $stalls) = ($seed % 10 == 5, $seed % 5 == 1 ? 0.5 : 0.1 * ($seed % 2));
	$runs += 5 if $lucky;
	my (%ns, @names);
	for my $r (0 .. $rows - 1) {
		my $true = 1000 + 20 * int rand 8;
		my $n = $seed % 7 == 0 && $runs > 1 ? $runs - int rand 2 : $runs;
		push @names, my $name = ($r % 7 == 3 ? "\$ " : "") . "r$r";
		$ns{$name} = [map { ($true + 10 * int rand 7) * (rand() < $stalls ? 2 : 1) * ($r ? 1 : !$lucky ? 0.9 : $_ > 1 ? 1.2 : 0.5) } 1 .. $n];
	}
	$runs = most(map { scalar @{$ns{$_}} } @names);
	open my $f, ">", "a" or die;
	print $f "# recommended: r0\n# candidates: 77\n", "row,round,ns,outcome\n";
	print $f "absent,1,,n/a EXDEV\nbroken,1,,failed EIO\n";
	for my $i (0 .. $runs - 1) {
		$i < @{$ns{$_}} and print $f "$_,${\($i + 1)},$ns{$_}[$i],ok\n" for @names;
		print $f "cloned,${\($i + 1)},1,shared\nseen,${\($i + 1)},1,untouched\n";
	}
	close $f;

	my @table = sort { $a =~ /^\$/ <=> $b =~ /^\$/ } @names; # commands stand behind rows
	my %place = map { $table[$_] => $_ } 0 .. $#table;
	my %net = map { $_ => median(@{$ns{$_}}) } @names;
	my %median = map { $_ => int $net{$_} } @names; # as it is printed
	my @ranked = sort { least(@{$ns{$a}}) <=> least(@{$ns{$b}})
		|| $median{$a} <=> $median{$b} || most(@{$ns{$a}}) <=> most(@{$ns{$b}}) || $place{$a} <=> $place{$b} } @names;
	my @by_median = sort { $net{$a} <=> $net{$b} || $place{$a} <=> $place{$b} } @names;
	my $level = 0.05 / ($rows > 1 ? $rows - 1 : 1);
	my $first = $ranked[0];
	my (%by, $untested);
	my $beats = sub { # does the second beat the first?
		my ($a, $b, $u2) = (@_, 0);
		for my $x (@{$ns{$a}}) { $u2 += $x < $_ ? 2 : $x == $_ ? 1 : 0 for @{$ns{$b}} }
		return chance(scalar @{$ns{$a}}, scalar @{$ns{$b}}, int(($u2 + 1) / 2)) <= $level;
	};
	my $exceeds = sub { # is the interval of the first's time relative to the second's above 1?
		my ($a, $b, $n, $u) = (@_, 0, -1);
		for my $x (@{$ns{$a}}) { $n += $x <= $_ for @{$ns{$b}} }
		$u++ while 2 * ($u + 1) < @{$ns{$a}} * @{$ns{$b}} && chance(scalar @{$ns{$a}}, scalar @{$ns{$b}}, $u + 1) <= $level;
		return $n <= $u;
	};
	for my $a (@names) {
		for my $b (@by_median) {
			last if $by{$a} || $net{$b} >= $net{$a};
			$by{$a} = $b if $beats->($a, $b);
		}
		my $fewest = least(map { scalar @$_ } values %ns);
		$untested++ if chance(scalar @{$ns{$a}}, $fewest, 0) > $level;
		next if $by{$a} || chance(scalar @{$ns{$a}}, $fewest, 0) <= $level;
		if ($rows >= 6 && @{$ns{$a}} >= 3) {
			my @faster = grep { most(@{$ns{$_}}) < least(@{$ns{$a}}) } @by_median;
			$by{$a} = $faster[0] if @faster > 1;
			$seen{guess} += @faster > 1;
		} else {
			$by{$a} = $first if $a ne $first && @{$ns{$first}} > 1 && most(@{$ns{$first}}) < least(@{$ns{$a}});
		}
	}
	my @commands = grep { /^\$/ } @by_median;
	my ($own) = ((grep { !$by{$_} } @commands), @commands);
	my @may = grep { !$by{$_} && @{$ns{$_}} > 1 && (!/^\$/ || @commands == @names) } @ranked;
	my $bound = @may ? 1.25 * least(map { $net{$_} } @may) : 0;
	my @near = @{$ns{$first}} > 1 ? grep { $net{$_} <= $bound } @may : ();
	my $few = ($untested // 0) == @names;
	my $wins = sub { $few ? most(@{$ns{$_[0]}}) < least(@{$ns{$own}}) : $beats->($own, $_[0]) };
	my ($use) = ((grep { !defined $own || !$by{$own} || $wins->($_) } @near), @near);
	if (@{$ns{$first}} > 1 && defined $own) {
		my $shown = defined $use && ($few ? $by{$own} : $exceeds->($own, $use));
		if ($few && !$by{$own}) { $seen{open}++; $use = undef }
		elsif (!$by{$own} || (defined $use && !$shown)) { $seen{keep}++; $use = $own }
	}
	my $kept = defined $use && defined $own && $use eq $own;
	my $behind = defined $use ? 100 * ($median{$first} - $median{$use}) / $median{$use} : 0;
	my $not = !defined $use || $use eq $first || $kept || $first =~ /^\$/ ? "" : $behind < 1 && $by{$first} ? $by{$first}
		: $behind >= 0.005 ? sprintf "%.*f%%", $behind < 1 ? 2 : 0, $behind : defined $own ? $own =~ s/^\$ //r : "";
	$seen{$not =~ /%/ ? "behind" : $not ? "beats" : defined $use ? "first" : "none"}++;
	my $candidates = grep { !$by{$_} } @names;

	my $json = `"$wb" --compare a -f json`;
	my $text = `"$wb" --compare a`;
	$text =~ s/\s+/ /g;
	my $got = join " ", (map { /"row": "((?:\$ )?r\d+)".*"mark": "([^"]*)", "beaten_by": "([^"]*)"/ ? $1 . $2 . ($3 && " <$3") : () } split /\n/, $json),
		"use", found($json, qr/"recommended": "([^"]*)"/), found($json, qr/"candidates": (\d+)/),
		found($text, qr/Not [^:]*: .*?, but .*?(-?[\d.]+%|(?:\$ )?r\d+)\b?/);
	my $wanted = join " ", (map { $_ . ($by{$_} ? " <$by{$_}" : "~") } @ranked), "use", $use // "", $rows > 1 ? $candidates : "", $not;
	print "seed $seed:\n $got\n $wanted\n" if $got ne $wanted;
}
print "# $_: $seen{$_}\n" for sort keys %seen;
END
	rules=150
	! full "many reports by the definition" || rules=3000
	perl rule.pl "$wb" 1 $rules >odd 2>&1
	grep '^#' odd >&3
	is "$rules reports: order, marks, recommendation and reason are those of the definition" "$(grep -v '^#' odd | head -n 9)" ""
	for what in behind first guess keep none open; do grep -q "^# $what: [1-9]" odd || echo $what; done >missing
	is "... all of it comes up" "$(cat missing)" ""
else
	skip "the definition" "no perl"
fi

# By hand: what is recommended, and what stands beside it.
stalled() { # NS: the median of the first row; that of the other is 1 ms
	printf '%s\n' "stalls 900000 900000 $1 $1 $1 $1" "steady 1000000 1000000 1000000 1000000 1000000 1000000" | csv >a
}
stalled 1250000
is "a median of 1.25 times the smallest: the first is recommended" "$(fact recommended a)" stalls
stalled 1250001
is "... more: the next" "$(fact recommended a)" steady
printf '%s\n' "# recommended: a" "# recommendation: Use a." "a 1000000" "b 2000000" | csv >a
is "one run recommends nothing, whatever the file says" "$(fact recommended a)$(fact recommendation a)" ""
says "... and says so" ' -n 7\.'
printf '%s\n' "# size: 1000000" "a 1000000 1010000" | csv >a
says "one row is reported, without advice" ' a: .*1\.00ms, [0-9]+ ?MiB/s'
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
	' Use row: 1\.45 times .*cat .*1\.44 to 1\.46\), 3\.00 times .*slow .*3\.00 to 3\.00\); median 32\.0ms, 1000 ?MiB/s .*1\.0 CPU, 10% '

# Exact critical values: of U = U*, U* + 1/2 and U* + 1, the last two are marked. With two rows these are
# the one-sided 5 % table of Mann and Whitney's U (Milton 1964, in every textbook); with K, those at 0.05 / (K - 1).
for case in 2:3:3:0 2:5:5:4 2:10:10:27 2:5:10:11 2:12:7:21 2:2:5:0 3:10:10:23 40:6:6:0 40:10:10:11; do
	IFS=: read -r k n m u <<-END
		$case
	END
	marks=
	for more in 0 1 2; do
		duel "$n" "$m" $((2 * u + more)) "$k" >a
		mark=$(of row mark a)
		marks="$marks ${mark:-slower}"
	done
	is "$k rows, $n runs against $m: U = $u is slower, a half more is not" "$marks" " slower ~ ~"
done
printf '%s\n' "winner 1000 1000 1000 1000" "row 1000 1000 1000 1000" | csv >a
is "equal throughout: both may be the fastest" "$(marks a | tr ' ' '\n' | sort | paste -sd' ')" "row~ winner~"

# What the marks are worth, from the least n on with 1 / C(2n, n) at most 0.05 / (rows - 1); and what to type, to be told more.
duel 6 6 1 40 >a
says "what the marks are worth" '~: 2 of 40 .*95%'
"$wb" --compare a | sed -n 's/^To tell more: //p' >wanted
is "... and what would tell more" "$(eval "set -- $(cat wanted)" && printf '%s|' "$@")" "-n|20|-s|winner,row|"
duel 5 5 1 40 >a
says "after too few runs another of the rows is named" 'Use winner, .* [0-9]+ rows with ~'
lacks "... no confidence is claimed" line '95%'
for case in 5:5 47:6 48:7 173:8; do
	for runs in ${case#*:} $((${case#*:} - 1)); do
		duel "$runs" "$runs" 1 "${case%:*}" >a
		"$wb" --compare a | tr -s '\n ' '  ' >line
		is "${case%:*} rows, $runs runs: are they enough for the test" "$(grep -Eo '95%|a first guess after [0-9]+' line | uniq | head -n 1)" \
			"$([ "$runs" = ${case#*:} ] && echo 95% || echo "a first guess after $runs")"
	done
done

# Rows that share the blocks come first: in the table, and in the advice.
sharing() { # ROW...: that share; a blank in a name as _
	csv <<'END' | awk -v rows=" $* " '{ split($0, field, ","); gsub(" ", "_", field[1]) }
		index(rows, " " field[1] " ") { sub(",ok", ",shared") }
		{ print }'
# size: 1048576
link 50000 50000 50000
range 33000 33000 33000
$_cat 1200000 1200000 1200000
copy 2000000 2000000 2000000
$_dd 4100000 4100000 4100000
END
}
sharing link range "\$_cat" >a
says "the advice begins with the command that shared the blocks, its time, and a row's; what follows is about copies" \
	' Keep cat: .*1\.20ms \(range 33\.0us\)\. .*: use copy: 2\.05 times .*dd.*; median 2\.00ms, 500 ?MiB/s\. ~: 1 of 2 rows'
is "... it is in the facts" "$(fact sharing a) $(fact recommended a)" "range copy"
"$wb" --compare a >text
is "... and first in the table, which says so" "$(table text | sed 's/ [0-9.]*[mu]s//g' | paste -sd' ')" 'range (shared) link (shared) $ cat (shared) copy ~ $ dd (+105%)'
while IFS='|' read -r rows from to wanted; do
	# shellcheck disable=SC2086
	sharing $rows | sed "s/^\\($from,.*,\\)[0-9]*,shared/\\1$to,shared/" >a
	says "$rows share${from:+, $from in $to ns}" "$wanted"
done <<'END'
link range|link|33660| Use link: .*33\.7us\.
link range|link|33661| Use range: .*33\.0us\.
link range copy $_cat $_dd||| Keep cat: .*1\.20ms \(range 33\.0us\)\. 
END
lacks "... none has to be copied" line 'copy: |times as fast|~:'
sharing none >a
is "none shares: nor is it a fact" "$(fact sharing a)" ""

# Commands net of their start, run by run, in sentences and tests; the table is gross.
net() { # START OF [START OF]: ns of cat, and of the pipeline, and whose start that is
	{ echo row,round,ns,outcome,start_ns,start_of && for k in 1 2 3 4 5 6; do
		echo "row,$k,1000000,ok,,"
		echo "$ cat,$k,$((1440000 + k % 3 * 10000)),ok,$(($1 + k % 2 * 100)),$2"
		echo "$ cat | cat,$k,3000000,ok,${3-500000},${4-own}"
	done; } >a
}
net 240000 own
says "ratios are net of the start" ' Use row: 1\.21 times .*cat \(95%: 1\.20 to 1\.22\), 2\.50 times .*cat \| cat .*2\.50 to 2\.50\).* cat starts in 240us, cat \| cat in 500us'
is "... not in the table; in JSON they are" "$(marks a) $(of '$ cat' percent a) $(of '$ cat' median_ns a) $(of '$ cat' ratio a) $(of '$ cat' start_ns a) $(of '$ cat' start_of a)" \
	'row~ $ cat $ cat | cat 44.00 1450000 1.2100 240050 own'
net 240000 true
says "... a start that is not known makes it the most" ' Use row: at most 1\.21 times as fast as cat \([^)0-9]*\), 2\.50 times'
is "... in JSON, too" "$(of '$ cat' start_of a) $(of '$ cat | cat' start_of a)" "true own"
net 720000 own 1500000 own
says "a start of half the median is still taken off" ' Keep cat: .*; cat is 2\.05 times .*cat \| cat .* 1\.50ms'
net 726000 own
says "more than half: no ratio of that command" ' Use row: 2\.50 times .*cat \| cat .* cat \| cat starts in .* cat is mostly start-up here \(726us of 1\.45ms\)'
"$wb" --compare a >text
is "... and a word in the place of the percentage" "$(table text | sed 's/ [0-9.]*[mu]s//g' | paste -sd' ')" 'row ~ $ cat (start-up) $ cat | cat (+200%)'
# Net of a start that takes as long as the run a hundredth is left: 10 us, more than the row's 5.
{ echo row,round,ns,outcome,start_ns,start_of && for k in 1 2 3 4 5 6; do echo "row,$k,5000,ok,," && echo "$ cat,$k,1000000,ok,$((k == 1 ? 400000 : 1000000)),own"; done; } >a
is "... of a run as short as a start a hundredth is left" "$(of '$ cat' ratio a)" 2.0000

# An interval that has 1.
while IFS='|' read -r runs wanted; do
	printf '%s\n' "row $(echo "$runs" | sed 's/[0-9][0-9]*/1000000/g')" "\$_cat $runs" | csv >a
	says "a command with the runs $runs" "$wanted"
done <<'END'
1000000 1000000 1030000 1000000 1000000 1120000| Keep cat: no row is shown to be faster \(2 of 2 
1010000 1030000 1030000 1030000 1050000 1120000| Use row: 1\.03 times .*cat \(95%: 1\.03 to 1\.05\); 
1010000 1120000| Use row, by a first guess after 2 runs: 1\.06 times as fast as cat; 
END

# Best, median, worst, percentage; and the mark behind it in every format.
printf '%s\n' "a 1000000 1034000 1014000 1024000" "b 1300000 1234000 1250000 1234568" "c 1016000 1005300 1022000 1037000" | csv >a
is "best, median, worst and percentage" \
	"$(for row in a b c; do for key in best_ns median_ns worst_ns percent mark; do printf '%s ' "$(of $row $key a)"; done; done)" \
	"1000000 1019000 1034000 0.00 ~ 1234000 1242284 1300000 23.40  1005300 1019000 1037000 0.53 ~ "
"$wb" --compare a -o text -o text.md >/dev/null
is "text: sorted by the best run, the percentage, then the mark" "$(sed -n 4p text | tr -s ' '; table text)" "row best median worst behind CPU
a 1.00ms 1.02ms 1.03ms ~
c 1.01ms 1.02ms 1.04ms (+0.5%) ~
b 1.23ms 1.24ms 1.30ms (+23.4%)"
is "markdown, too" "$(grep '^| [abc] ' text.md)" "| a | 1.00ms | 1.02ms | 1.03ms |  | ~ |  |
| c | 1.01ms | 1.02ms | 1.04ms | (+0.5%) | ~ |  |
| b | 1.23ms | 1.24ms | 1.30ms | (+23.4%) |  |  |"
printf '%s\n' row,round,ns,outcome a,1,1000,ok 'x,1,,n/a EXDEV' y,1,5,shared b,1,2000,ok 'z,1,,failed EIO' a,2,1100,ok b,2,2200,ok >a
is "rows that are n/a, shared or failed are no peers, and marked by nothing" "$(marks a)" "y a~ b x z"
is "... nor has a row to itself what was not timed" "$(of x best_ns a) $(of y percent a) $(of y ratio a)" "null null null"
printf '%s 1000000 1000000\n' a:1 b:1.9 c:0.5 d:1.1 e:1.11 f:0.89 | csv >a
"$wb" --compare a >text
is "CPU time as a share of the run is shown where it is not 90 to 110 %" \
	"$(table text | awk '{ print $1, $NF ~ /^[0-9]+%$/ ? $NF : "-" }' | paste -sd' ')" "a - b 190% c 50% d - e 111% f 89%"

# The estimate of Hodges and Lehmann, and its interval.
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
for case in "3 3 none" "4 4 0" "10 10 23" "20 20 127" "5 8 6" "1 9 none"; do
	# shellcheck disable=SC2086
	interval $case
done

# A warning that follows from the runs.
while IFS='|' read -r wanted unwanted rows; do
	# shellcheck disable=SC2086
	printf '%s\n' $rows | tr '=+' '  ' | csv >a
	"$wb" --compare a -f csv | sed -n 's/^# warning_\([a-z_]*\): [a-z$: ]*\([0-9]*\).*/\1 \2/p' | paste -sd' ' >warned
	is "$rows: warnings${unwanted:+, $unwanted}" "$(cat warned)" "$wanted"
done <<'END'
|twice the best run is not much|a=1000000+2000000+1000000 b=2000000+2600000+2000000
vary 1|more is|a=1000000+2001000+1000000 b=2000000+2600000+2000000
|of a row that may not be the fastest|a=1000+1000+1000+1000 b=20000+50000+20000+20000
vary 20|of a command that may not|a=1000+1000+1000+1000 $_b=20000+50000+20000+20000
END
printf '%s\n' "a 1000 9000 1000" "b 1001 9001 1001" "c 1002 9002 1002" "d 1003 9003 1003" "e 1004 9004 1004" | csv >a
is "of many rows that vary three are named, the others counted" "$("$wb" --compare a -f csv | sed -n 's/^# warning_vary: //p' | grep -o '[a-e]:* *v*a*r*y*: \|of [0-9] more' | tr -d '\n')" "a vary: b: c: of 2 more"
printf '%s\n' "# warning_vary: old" "# warning_steal: the host" "# candidates: 77" "# level: 77" \
	"a 1000 1001 1002" "b 1000 1001 1002" | csv >a
says "warnings that follow from the runs are made anew, others are kept" ' Warning: the host\. '
lacks "... as they were not" line 'old|77'
is "... as is the verdict" "$(fact candidates a) $(fact level a) $(fact recommended a)" "2 0.05 a"
