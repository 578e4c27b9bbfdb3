#!/bin/sh
# Judging: random reports are read back, and ranks, marks, the answer, its interval, the gate and changes are held
# against their definitions in Judge.pm. Lines may be sorted, rounds of all three steps, interrupted, shared or start-ups.
# Tried: it fails where a test is at another level; a tie counts nothing; late rounds better a rank; a row with a larger
# Tried: median is used, or the one with the smallest; a kept command loses its ~; an interval is one-sided, or of early
# Tried: rounds where there are late ones; four late rounds are too few; the start is not deducted, or of a plain loop.
. "$(dirname "$0")/tap.sh"

is "critical values are those of Mann and Whitney's table (two-sided 0.05: 5, 10 and 20 runs; 0.01: 5, 8)" \
	"$(perl -I"$top/tests" -MJudge -e 'print join " ", map { critical(@$_) } [5, 5, .025], [10, 10, .025], [20, 20, .025],
	[5, 5, .005], [8, 8, .005], [4, 4, .005]')" "2 23 127 0 7 -1"

cat >rule.pl <<'END'
use strict;
use warnings;
use Judge;
my ($wb, $kind, $from, $upto) = @ARGV;
my (%seen, $seed);
sub digits { return $_[0] < 9.995 ? 2 : $_[0] < 99.95 ? 1 : 0 }
sub text { return join " to ", map { sprintf "%.*f", digits($_), $_ } @_ }
sub pick { return $_[rand @_] }
sub wrong { print "not ok seed $seed: $_[0]\n"; exit }
# a report of some rows: planned rounds, rounds of the second step for some, and of the third for two
sub draw {
	my ($names, %say) = @_;
	my $runs = $say{runs} // pick(1 .. 5, 3, 3, 3, 3, 8, 10, 10, 12);
	my ($late, $stalls, @rows) = (pick(0, 0, 3, 4, 5, 20, 20), pick(0, 0.1, 0.4));
	for my $name (@$names) {
		my $true = 1000 + 20 * int rand pick(3, 12, 40);
		my $time = sub { return ($true + 10 * int rand 7) * (rand() < $stalls ? pick(2, 30) : 1) };
		my $last = $runs == 3 && $say{more} && (rand() < 0.5 || $name =~ /^\$|k$/) ? pick(6, 7, 7, 7, 7) : $runs;
		$last += $late if $last >= 7 && $late && $say{more} && ($name =~ /^\$|k$/ || rand() < 0.3) && $last >= ($runs > 7 ? $runs : 7);
		my $start = $name =~ /^\$/ && !$say{gate} ? pick(0, 0, 1, 100, 300, 499, 520, 900) : $name =~ /^\$/ ? pick((0) x 9, 600) : 0;
		push @rows, { name => $name, runs => [map { [$_, $time->(), $_ < 4 && $start ? $start + int rand 5 : 0] } 1 .. $last] };
	}
	return { runs => $runs, rows => \@rows };
}
sub put { # the lines of a report, by round or sorted
	my ($f, $report, $size) = @_;
	print $f "# runs: $report->{runs}\n# size: $size\n";
	print $f "# baseline: $report->{baseline}\n# limit_percent: $report->{limit}\n" if defined $report->{limit};
	print $f "row,round,ns,outcome,start_ns\n";
	my @lines = map { my $row = $_; map { [$_->[0], "$row->{name},$_->[0],$_->[1],ok," . ($_->[2] || "") . "\n"] } @{$row->{runs}} } @{$report->{rows}};
	push @lines, map { [$_, "cloned,$_,1,shared,\n"], [$_, "absent,$_,,n/a EXDEV,\n"] } 1 .. $report->{runs} if $size == 4096;
	my $sorted = $seed % 3 == 0;
	print $f map { $_->[1] } sort { $sorted ? $a->[1] cmp $b->[1] : $a->[0] <=> $b->[0] } @lines;
}
sub told { # of each report in JSON, by rows and facts; and the text
	my ($out, @reports) = join "", `"$wb" --compare a -f json`;
	for (split /"environment"/, $out) {
		my %report = (text => $_, names => []);
		$report{fact}{$1} = $2 while /^  "(\w+)": "?(.*?)"?(,|\}.*)?$/mg;
		while (/^  \{"row": "([^"]*)", "outcome": "ok"(.*)/mg) {
			my ($name, $rest) = ($1, $2);
			push @{$report{names}}, $name;
			$report{row}{$name}{$1} = $2 while $rest =~ /"(\w+)": "?([^",\}]*)/g;
		}
		push @reports, \%report if @{$report{names}};
	}
	return @reports;
}
sub same { my ($what, $got, $wanted) = @_; wrong("$what: got $got, wanted $wanted") if $got ne $wanted }
sub near { return abs($_[0] - 100 * ($_[1] - 1)) <= 0.0051 }
sub check_one {
	my ($loop, @names) = ("read+write 256k", map { "r$_" } 1 .. pick(1 .. 5, 6 .. 12, 20));
	push @names, $loop if rand() < 0.7;
	push @names, "\$ c$_" for 1 .. pick(0, 1, 2);
	@names = grep { /^\$/ } @names if rand() < 0.05;
	@names = ("r1") if !@names;
	my $report = draw(\@names, more => 1);
	# the program's table has its own rows first, unknown ones after them by length and name, and commands last
	my $order = sub { my ($n) = @_; return ($n =~ /^\$/ ? 2 : $n eq $loop ? 0 : 1) };
	@{$report->{rows}} = sort { $order->($a->{name}) <=> $order->($b->{name}) || length $a->{name} <=> length $b->{name}
		|| $a->{name} cmp $b->{name} } @{$report->{rows}};
	open my $f, ">", "a" or die;
	put($f, $report, 100);
	close $f;
	my ($out) = told();
	my $rule = judge($report);
	same("ranks", join(",", @{$out->{names}}), join(",", @{$rule->{ranked}}));
	my @marked = grep { $out->{row}{$_}{mark} eq "~" } @{$out->{names}};
	same("marks", join(",", @marked), join(",", grep { $rule->{marked}{$_} } @{$rule->{ranked}}));
	my ($answer, $own, $use) = map { $_ // "" } @{$rule}{qw(answer own use)};
	my $asked = $own =~ /^\$/;
	my $one = $answer eq "MORE" && $rule->{fewest} < 2;
	my $chosen = $answer eq "KEEP" ? $own : $answer eq "USE" || ($answer eq "MORE" && !$asked && !$one) ? $use : "";
	same("what is recommended ($answer)", $out->{fact}{recommended} // "", $chosen);
	my $sentence = $out->{fact}{recommendation} // "";
	$seen{$answer . ($asked ? " command" : "")}++;
	my $gain = $rule->{gain};
	my $interval = $gain && $gain->[1] ? "($rule->{confidence}%: " . text(@$gain[1, 2]) . ($answer eq "KEEP" ? " times as fast)" : ")") : "";
	my $shown = $gain && $gain->[1] > 1;
	my ($bare, $own_bare) = map { s/^\$ //r } $use, $own;
	my $wanted = $answer eq "NOTHING" ? "" : $answer eq "KEEP" ? "Keep $own_bare: " .
		($gain ? "$bare " . ($shown ? "saves no more than its start" : "is not shown to be faster") . " $interval." : "no row is shown to be faster.")
		: $answer eq "MORE" && !$chosen ? "$rule->{fewest} run" . ($rule->{fewest} == 1 ? " shows" : "s show") . " nothing" . ($asked ? " about $own_bare" : "") . "."
		: $answer eq "MORE" ? "Use $bare, by a first guess after $rule->{fewest} runs: median "
		: $shown ? "Use $bare: " . text($gain->[0]) . " times as fast as $own_bare" . ($asked ? "" : ", a plain loop") . " $interval; median "
		: $own eq $use ? "Use $bare: no row is shown to be faster; median " : $own ? "Use $bare: not shown to be faster than $own_bare, a plain loop; median "
		: "Use $bare: median ";
	same("the answer", substr($sentence, 0, length $wanted), $wanted);
	wrong("an answer of nothing: $sentence") if $wanted eq "" && $sentence ne "";
}
sub check_gate {
	my $n = pick(1, 1, 2);
	my @names = map { "\$ $_" } "old", map { "new$_" } 1 .. pick(1, 1, 2, 3);
	my @reports = map { draw(\@names, runs => pick(2, 5, 10, 30), gate => 1) } 1 .. $n;
	for my $report (@reports) {
		$report->{baseline} = "\$ old";
		$report->{limit} = pick(1, 3, 5, 20, 100);
	}
	open my $f, ">", "a" or die;
	put($f, $reports[$_], 4096 * (1 + $_)) for 0 .. $#reports;
	close $f;
	my @out = told();
	my @rules = gate(@reports);
	for my $i (0 .. $#reports) {
		for my $name (keys %{$rules[$i]}) {
			my ($verdict, @figures) = @{$rules[$i]{$name}};
			my $row = $out[$i]{row}{$name};
			$seen{$verdict}++;
			same("verdict of $name", $row->{verdict}, $verdict);
			same("figures of $name are known", $row->{change_percent} ne "null", @figures > 0);
			@figures or next;
			wrong("change of $name: $row->{change_percent}") if !near($row->{change_percent}, $figures[0]);
			$figures[1] or same("ends", "$row->{low} $row->{high}", "null null"), next;
			wrong("interval of $name: $row->{low} $row->{high}") if !near($row->{low}, $figures[1]) || !near($row->{high}, $figures[2]);
		}
	}
}
sub check_changes {
	my @names = map { "r$_" } 1 .. pick(1, 3, 8, 12);
	my ($old, $new) = map { draw(\@names, more => 1) } 1 .. 2;
	pop @{$new->{rows}} if rand() < 0.3 && @names > 1;
	for (["a", $old], ["b", $new]) {
		open my $f, ">", $_->[0] or die;
		put($f, $_->[1], 100);
		close $f;
	}
	my %line = map { /^(r\d+) +(.*)/ ? ($1, $2) : () } `"$wb" --compare a b 2>&1`;
	my $rule = changes($old, $new);
	my ($faster, $slower) = (0, 0);
	for my $name (keys %$rule) {
		my ($change, $estimate, $low, $high) = @{$rule->{$name}};
		$seen{$change}++;
		my $percent = sub { my $p = 100 * $_[0] - 100; $p = 0 if abs $p < 0.05; return $p >= 9999.5 ? ">9999%" : sprintf "%+.*f%%", $p < 999.95 ? 1 : 0, $p };
		my $wanted = $percent->($estimate) . " " . ($change eq "few" ? "too few runs" : $percent->($low) . " to " . $percent->($high));
		$wanted .= " $change" if $change =~ /er$/;
		my $got = ($line{$name} // "") =~ s/ +/ /gr;
		wrong("change of $name: $got, wanted $wanted") if $got !~ /\Q$wanted\E$/;
	}
}
for ($from .. $upto) {
	srand($seed = $_);
	$kind eq "one" ? check_one() : $kind eq "gate" ? check_gate() : check_changes();
}
print "ok $kind: ", join(", ", map { "$seen{$_} $_" } sort keys %seen), "\n";
END
n=150
full "thousands of reports" && n=3000
for kind in one gate changes; do
	perl -I"$top/tests" rule.pl "$wb" $kind 1 $n >found 2>&1
	is "random reports, judged by the definitions: $(cut -c1-200 found | head -n 1)" "$(cut -c1-2 found)" ok
done
for wanted in KEEP USE MORE; do
	perl -I"$top/tests" rule.pl "$wb" one 1 $n | grep -q "$wanted command"
	is "... $wanted was among them" $? 0
done
