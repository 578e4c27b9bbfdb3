#!/bin/sh
# A dry ruler: reports made by hand are read back by --compare, and what is said of them is held against
# values that were worked out from the definitions, or stand in the literature.
# Tried: it fails where orders are counted wrongly; ties count nothing; each row is tested at a level of its own; a row
# Tried: is tested against the first alone; the row with the best run is recommended, or that with the smallest median,
# Tried: or one that is beaten; a median may be 1.5 times the smallest; an interval is of all ratios; a guess takes one
# Tried: faster row, or ties; a command's start is not taken off; a slower row is said to share; a command with a ~ is
# Tried: not kept; an interval is at another level.
. "$(dirname "$0")/tap.sh"
. "$top/tests/reports.sh"

duel() { # N M U2 [K]: into the file a: a row with N runs against a winner with M; and rows up to K, far slower
	others=$(for r in $(seq 3 "${4:-2}"); do echo "far$r $((9000000 + 1000 * r))x$1"; done)
	made "winner $(seq -s ' ' 1040000 40000 $((1000000 + 40000 * $2)))" "row $(beside "$1" "$2" "$3")" "$others" >a
}
derived() { # KEY: a fact that follows from the runs of "a"
	"$wb" --compare a -f csv >derived
	fact "$1" derived
}
texts() { # of "a": its table without times
	"$wb" --compare a >text
	table text | sed 's/ [0-9.]*[mu]s//g' | paste -sd' '
}

# Marks, recommendation and reason, by their definitions: rows are ranked by their best runs. Of K rows b beats a if a's
# median is the larger one and P(U <= u) is at most 0.05 / (K - 1), where U counts the pairs of runs in which a was
# faster, a tie as half. Where a has too few runs for that against the row with the fewest, it is behind if each of its
# runs is slower than each run of two other rows, with 6 rows and 3 runs or more, else than each of the first row, if
# that has two. X is the first row that is no command and that none beats, of two runs or more, whose median is at most
# 1.25 times the smallest of those; if the command is beaten, the first of these that beats it. The command with the
# smallest median, one that none beats if there is one, is kept if none beats it, or if X is not shown to be faster; not
# by too few runs for any test, where X beats it if it was faster in each pair of runs. Times are few, so that many are
# alike; what was not copied or moved no data is to play no part, nor is what the file says of all that.
cat >rule.pl <<'END'
use strict;
use Ranks;
my ($wb, $from, $upto) = @ARGV;
my %seen;
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
		my $luck = sub { $r ? 1 : !$lucky ? 0.9 : $_ > 1 ? 1.2 : 0.5 };
		$ns{$name} = [map { ($true + 10 * int rand 7) * (rand() < $stalls ? 2 : 1) * $luck->() } 1 .. $n];
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
		|| $median{$a} <=> $median{$b}
		|| most(@{$ns{$a}}) <=> most(@{$ns{$b}}) || $place{$a} <=> $place{$b} } @names;
	my @by_median = sort { $net{$a} <=> $net{$b} || $place{$a} <=> $place{$b} } @names;
	my $level = 0.05 / ($rows > 1 ? $rows - 1 : 1);
	my $first = $ranked[0];
	my (%by, $untested);
	my $beats = sub { # does the second beat the first?
		my ($a, $b) = map { $ns{$_} } @_;
		return chance(scalar @$a, scalar @$b, int(wins($a, $b) + 0.5)) <= $level;
	};
	my $exceeds = sub { # is the interval of the first's time relative to the second's above 1?
		my ($a, $b, $n) = ((map { $ns{$_} } @_), 0);
		for my $x (@$a) { $n += $x <= $_ for @$b }
		return $n <= critical(scalar @$a, scalar @$b, $level);
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
			my $slower = @{$ns{$first}} > 1 && most(@{$ns{$first}}) < least(@{$ns{$a}});
			$by{$a} = $first if $slower && $a ne $first;
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
	my $not = !defined $use || $use eq $first || $kept || $first =~ /^\$/ ? ""
		: $behind < 1 && $by{$first} ? $by{$first}
		: $behind >= 0.005 ? sprintf "%.*f%%", $behind < 1 ? 2 : 0, $behind
		: defined $own ? $own =~ s/^\$ //r : "";
	$seen{$not =~ /%/ ? "behind" : $not ? "beats" : defined $use ? "first" : "none"}++;
	my $candidates = grep { !$by{$_} } @names;

	my $json = `"$wb" --compare a -f json`;
	my $text = `"$wb" --compare a`;
	$text =~ s/\s+/ /g;
	my $row = qr/"row": "((?:\$ )?r\d+)".*"mark": "([^"]*)", "beaten_by": "([^"]*)"/;
	my $got = join " ", (map { $_ =~ $row ? $1 . $2 . ($3 && " <$3") : () } split /\n/, $json),
		"use", found($json, qr/"recommended": "([^"]*)"/), found($json, qr/"candidates": (\d+)/),
		found($text, qr/Not [^:]*: .*?, but .*?(-?[\d.]+%|(?:\$ )?r\d+)\b?/);
	my $wanted = join " ", (map { $_ . ($by{$_} ? " <$by{$_}" : "~") } @ranked), "use", $use // "",
		$rows > 1 ? $candidates : "", $not;
	print "seed $seed:\n $got\n $wanted\n" if $got ne $wanted;
}
print "# $_: $seen{$_}\n" for sort keys %seen;
END
rules=150
! full "many reports by the definition" || rules=3000
perl -I"$top/tests" rule.pl "$wb" 1 $rules >odd 2>&1
grep '^#' odd >&3
is "$rules reports: order, marks, recommendation and reason are as defined" "$(grep -v '^#' odd | head -n 9)" ""
is "... all of it comes up" "$(for what in behind first guess keep none open; do grep -q "^# $what: " odd || echo $what;
	done)" ""

# By hand: what is recommended, and what stands beside it.
for case in 1250000:stalls 1250001:steady; do
	made "stalls 900000x2 ${case%:*}x4" "steady 1000000x6" >a
	is "medians of ${case%:*} and 1000000 ns: recommended" "$(derived recommended)" "${case#*:}"
done
made "recommended=a; recommendation=Use a.; a 1000000; b 2000000" >a
is "one run recommends nothing, whatever the file says" "$(derived recommended)$(derived recommendation)" ""
says "... and says how many would" a ' -n 7\.'
made "size=1000000; a 1000000 1010000" >a
says "one row is reported, without advice" a ' a: .*1\.00ms, [0-9]+ ?MiB/s'
made "size=33554432; memcpy_bytes=33554432; memcpy_ns=3200000; us; \$_cat 46080 46400 46720 46080 46400 46720" \
	"\$_slow 96000x6; row:32 32000x6" >a
says "the recommendation: the median, its speed, CPUs, share of memcpy, and how many times as fast as each command" a \
	' Use row: 1\.45 times .*cat .*1\.44 to 1\.46\), 3\.00 times .*slow .*3\.00 to 3\.00\);' \
	'; median 32\.0ms, 1000 ?MiB/s .*1\.0 CPU, 10% '

# Exact critical values: of U = U*, U* + 1/2 and U* + 1, the last two are marked. With two rows these are the one-sided
# 5 % table of Mann and Whitney's U (Milton 1964, in every textbook); with K, those at 0.05 / (K - 1).
for case in 2:3:3:0 2:5:5:4 2:10:10:27 2:5:10:11 2:12:7:21 2:2:5:0 3:10:10:23 40:6:6:0 40:10:10:11; do
	IFS=: read -r k n m u <<-END
		$case
	END
	marks=
	for more in 0 1 2; do
		duel "$n" "$m" $((2 * u + more)) "$k"
		mark=$(said_of row mark a)
		marks="$marks ${mark:-slower}"
	done
	is "$k rows, $n runs against $m: U = $u is slower, a half more is not" "$marks" " slower ~ ~"
done
made "winner 1000x4; row 1000x4" >a
is "equal throughout: both may be the fastest" "$(marks a | tr ' ' '\n' | sort | paste -sd' ')" "row~ winner~"

# Tell the worth of the marks, from the least n on with 1 / C(2n, n) at most 0.05 / (rows - 1); and what to type, to be
# told more.
duel 6 6 1 40
says "what the marks are worth" a '~: 2 of 40 .*95%'
is "... and what tells more" "$(eval "set -- $(sed -n 's/^To tell more: //p' out)" && printf '%s|' "$@")" \
	"-n|20|-s|winner,row|"
duel 5 5 1 40
says "after too few runs another of the rows is named" a 'Use winner, .* [0-9]+ rows with ~'
made runs=3 1024 'a 1000..1007;b 2000..2007' >a
says "all rows ran on" a ' 8 runs'
made runs=3 1024 'a 1000..1007;b 2000..2007;c 3000 3001 3002' >a
says "... and two of three" a ' 3 runs, of 2 rows 8\b'
for case in 5:5 47:6 48:7 173:8; do
	for runs in ${case#*:} $((${case#*:} - 1)); do
		duel "$runs" "$runs" 1 "${case%:*}"
		"$wb" --compare a >out
		is "${case%:*} rows, $runs runs: are they enough for the test" \
			"$(joined out | grep -Eo '95%|a first guess after [0-9]+' | uniq)" \
			"$([ "$runs" = ${case#*:} ] && echo 95% || echo "a first guess after $runs")"
	done
done

# Rows that share the blocks come first: in the table, and in the advice.
sharing() { # ROW...: these share; the rest copies
	made "size=1048576" "link 50000x3" "range 33000x3" "\$_cat 1200000x3" "copy 2000000x3" "\$_dd 4100000x3" "$@" >a
}
cloned='link =shared 50000x3; range =shared 33000x3; $_cat =shared 1200000x3'
sharing "$cloned"
says "the advice begins with the command that shared the blocks, its time, and a row's; what follows is about copies" \
	a ' Keep cat: .*1\.20ms \(range 33\.0us\)\. .*: use copy: 2\.05 times .*dd' \
	' median 2\.00ms, 500 ?MiB/s\. ~: 1 of 2 rows'
is "... it is in the facts" "$(derived sharing) $(derived recommended)" "range copy"
is "... and first in the table, as said" "$(texts)" 'range (shared) link (shared) $ cat (shared) copy ~ $ dd (+105%)'
while IFS='|' read -r what rows wanted; do
	sharing "$rows"
	says "$what" a "$wanted"
done <<END
2 % behind the fastest that shares: is used|link =shared 33660x3; range =shared 33000x3| Use link: .*33\\.7us\\.
more than that: the fastest|link =shared 33661x3; range =shared 33000x3| Use range: .*33\\.0us\\.
all share|$cloned; copy =shared 2000000x3; \$_dd =shared 4100000x3| Keep cat: .*1\\.20ms \\(range 33\\.0us\\)\\. 
END
lacks "... none has to be copied" line 'copy: |times as fast|~:'
sharing
is "none shares: nor is it a fact" "$(derived sharing)" ""

# Commands net of their start, run by run, in sentences and tests; the table is gross.
net() { # START [STARTt]: of cat, in us, and of the pipeline
	made "us; row 1000x6" "\$_cat $(for k in 1 2 0 1 2 0; do echo "$((1440 + k * 10))/$1"; done | paste -sd' ')" \
		"\$_cat_|_cat 3000/${2-500}x6" >a
}
net 240
says "ratios are net of the start" a \
	' Use row: 1\.21 times .*cat \(95%: 1\.20 to 1\.22\), 2\.50 times .*cat \| cat .*2\.50 to 2\.50\)' \
	' cat starts in 240us, cat \| cat in 500us'
is "... not in the table; in JSON they are" \
	"$(marks a) $(for key in percent median_ns ratio start_ns start_of; do said_of '$ cat' $key a; done |
	paste -sd' ')" \
	'row~ $ cat $ cat | cat 44.00 1450000 1.2100 240000 own'
net 240t 500t
says "... a start that is not known makes it the most" a \
	' Use row: at most 1\.21 times as fast as cat \([^)0-9]*\), at most 2\.50 times'
is "... in JSON, too" "$(said_of '$ cat' start_of a)" true
net 720 1500
says "a start of half the median is still taken off" a ' Keep cat: .*; cat is 2\.05 times .*cat \| cat .* 1\.50ms'
net 726
says "more than half: no ratio of that command" a \
	' Use row: 2\.50 times .*cat \| cat .* cat \| cat starts in .* cat is mostly start-up here \(726us of 1\.45ms\)'
is "... and a word in the place of the percentage" "$(texts)" 'row ~ $ cat (start-up) $ cat | cat (+200%)'
# Net of a start that takes as long as the run a hundredth is left: 10 us, more than the row's 5.
made "us; row 5x6; \$_cat 1000/400 1000/1000x5" >a
is "... of a run as short as a start a hundredth is left" "$(said_of '$ cat' ratio a)" 2.0000

# An interval that has 1.
while IFS='|' read -r runs wanted; do
	made "us; row 1000x$(echo "$runs" | wc -w)" "\$_cat $runs" >a
	says "a command with the runs $runs" a "$wanted"
done <<'END'
1000 1000 1030 1000 1000 1120| Keep cat: no row is shown to be faster \(2 of 2 
1010 1030 1030 1030 1050 1120| Use row: 1\.03 times .*cat \(95%: 1\.03 to 1\.05\); 
1010 1120| Use row, by a first guess after 2 runs: 1\.06 times as fast as cat; 
END

# Best, median, worst, percentage; and the mark behind it in every format.
made "ns; a 1000000 1034000 1014000 1024000; b 1300000 1234000 1250000 1234568; c 1016000 1005300 1022000 1037000" >a
is "best, median, worst and percentage" \
	"$(for row in a b c; do
		for key in best_ns median_ns worst_ns percent mark; do said_of "$row" $key a; done
	done | paste -sd' ')" \
	"1000000 1019000 1034000 0.00 ~ 1234000 1242284 1300000 23.40  1005300 1019000 1037000 0.53 ~"
"$wb" --compare a -o text -o text.md >/dev/null
is "text: sorted by the best run, the percentage, then the mark" "$(table text)" "a 1.00ms 1.02ms 1.03ms ~
c 1.01ms 1.02ms 1.04ms (+0.5%) ~
b 1.23ms 1.24ms 1.30ms (+23.4%)"
is "markdown, too" "$(grep '^| [abc] ' text.md)" "| a | 1.00ms | 1.02ms | 1.03ms |  | ~ |  |
| c | 1.01ms | 1.02ms | 1.04ms | (+0.5%) | ~ |  |
| b | 1.23ms | 1.24ms | 1.30ms | (+23.4%) |  |  |"
made "a 1000 1100; x =n/a_EXDEV; y =shared 5; b 2000 2200; z =failed_EIO" >a
is "rows that are n/a, shared or failed are no peers, and marked by nothing" "$(marks a)" "y a~ b x z"
is "... nor has a row to itself what was not timed" \
	"$(said_of x best_ns a) $(said_of y percent a) $(said_of y ratio a)" "null null null"
made "a:1 1000000x2; b:1.9 1000000x2; c:0.5 1000000x2; d:1.1 1000000x2; e:1.11 1000000x2; f:0.89 1000000x2" >a
"$wb" --compare a >text
is "CPU time as a share of the run is shown where it is not 90 to 110 %" \
	"$(table text | awk '{ print $1, $NF ~ /^[0-9]+%$/ ? $NF : "-" }' | paste -sd' ')" \
	"a - b 190% c 50% d - e 111% f 89%"

# The estimate of Hodges and Lehmann, and its interval, on runs without pattern, by the definition: all ratios, sorted,
# DROP of them left out at each end.
while read -r n m drop; do
	winner="1000000 $(for i in $(seq 2 "$m"); do echo $((1003000 + i * i * 7919 % 1009 * 100)); done |
		paste -sd' ')"
	row=$(for i in $(seq "$n"); do echo $((1050000 + i * i * i * 6151 % 983 * 150)); done | paste -sd' ')
	made "winner $winner" "row $row" >a
	wanted=$(for x in $row; do for w in $winner; do echo "$x $w"; done; done |
		awk '{ printf "%.12f\n", $1 / $2 }' | sort -n | awk -v drop="$drop" '{ x[NR] = $1 }
			END { printf "%.4f", (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2
				if (drop != "none") printf " %.4f %.4f", x[1 + drop], x[NR - drop]
				else printf " null null" }')
	is "$n runs against $m: the estimate, and $drop dropped at each end" \
		"$(said_of row ratio a) $(said_of row ratio_low a) $(said_of row ratio_high a)" "$wanted"
done <<'END'
3 3 none
4 4 0
10 10 23
20 20 127
5 8 6
1 9 none
END

# A warning that follows from the runs.
while IFS='|' read -r wanted what rows; do
	made "us; $rows" >a
	"$wb" --compare a -f csv | sed \
		-n 's/^# warning_\([a-z_]*\): [a-z$: ]*\([0-9]*\).*/\1 \2/p' | paste -sd' ' >warned
	is "warnings: $what: $rows" "$(cat warned)" "$wanted"
done <<'END'
|twice the best run is not much|a 1000 2000 1000; b 2000 2600 2000
vary 1|more is|a 1000 2001 1000; b 2000 2600 2000
|of a row that may not be the fastest|a 1 1 1 1; b 20 50 20 20
vary 20|of a command that may not|a 1 1 1 1; $_b 20 50 20 20
END
made "us; a 1000 9000 1000; b 1001 9001 1001; c 1002 9002 1002; d 1003 9003 1003; e 1004 9004 1004" >a
is "of many rows that vary three are named, the others counted" \
	"$(derived warning_vary | grep -o '[a-e]:* *v*a*r*y*: \|of [0-9] more' | tr -d '\n')" "a vary: b: c: of 2 more"
made "warning_vary=old; warning_steal=the host; candidates=77; level=77; a 1000 1001 1002; b 1000 1001 1002" >a
says "warnings that follow from the runs are made anew, others are kept" a ' Warning: the host\. '
is "... as is the verdict" "$(derived warning_vary) $(derived candidates) $(derived level) $(derived recommended)" \
	" 2 0.05 a"
