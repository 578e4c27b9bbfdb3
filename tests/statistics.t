#!/bin/sh
# Judging: random reports are read back, and ranks, marks, the answer, its interval, the gate and changes are held
# against their definitions in Judge.pm. Lines may be sorted; rounds of all three steps and starts are among them.
# Tried: it fails where a test is at another level; a tie counts nothing; late rounds better a rank; a row with a larger
# Tried: median is used, or the one with the smallest; a kept command loses its ~; an interval is one-sided, or of early
# Tried: rounds where there are late ones; four late rounds are too few; the start is not deducted, or of a plain loop.
. "$(dirname "$0")/tap.sh"

is "critical values are those of Mann and Whitney's table (two-sided 0.05: 5, 10 and 20 runs; 0.01: 5, 8)" \
	"$(perl -I"$top/tests" -MJudge -e 'print join " ", map { critical(@$_) }
		[5, 5, .025], [10, 10, .025], [20, 20, .025], [5, 5, .005], [8, 8, .005], [4, 4, .005]')" "2 23 127 0 7 -1"

cat >rule.pl <<'END'
use strict;
use warnings;
use Judge;
my ($wb, $kind, $from, $upto) = @ARGV;
my $loop = 'read+write 256k';
my (%seen, $seed); # verdicts and answers, with how many there were

sub pick { return $_[rand @_] }
sub wrong { print "not ok seed $seed: $_[0]\n"; exit }
sub same {
	my ($what, $got, $wanted) = @_;
	wrong("$what: got $got, wanted $wanted") if $got ne $wanted;
}
sub near { return abs($_[0] - 100 * ($_[1] - 1)) <= 0.0051 } # percent, a ratio
sub digits { return $_[0] < 9.995 ? 2 : $_[0] < 99.95 ? 1 : 0 }
sub text { return join ' ', map { sprintf '%.*f', digits($_), $_ } @_ }

# ---- Reports: planned rounds, rounds of the second step for some rows, of the third for a few
sub drawn { # how a row's runs are drawn: true times that are near each other, and some that stall
	my ($stalls) = @_;
	my $true = 1000 + 20 * int rand pick(3, 12, 40);
	return sub { ($true + 10 * int rand 7) * (rand() < $stalls ? pick(2, 30) : 1) };
}
sub last_round {
	my ($runs, $late, $finalist) = @_;
	my $last = $runs == 3 && ($finalist || rand() < 0.5) ? pick(6, 7, 7, 7, 7) : $runs;
	return $last < most($runs, 7) || !$finalist && rand() < 0.7 ? $last : $last + $late;
}
sub draw { # names; more: has it more steps than one; starts: of commands
	my ($names, %say) = @_;
	my $runs = $say{runs} // pick(1 .. 5, 3, 3, 3, 3, 8, 10, 10, 12);
	my ($late, $stalls, @rows) = (pick(0, 0, 3, 4, 5, 20, 20), pick(0, 0.1, 0.4));
	for my $name (@$names) {
		my $time = drawn($stalls);
		my $start = $name =~ /^\$/ ? pick(@{$say{starts}}) : 0;
		my $last = $say{more} ? last_round($runs, $late, $name =~ /^\$|k$/) : $runs;
		push @rows, { name => $name,
			runs => [map { [$_, $time->(), $_ < 4 && $start ? $start + int rand 5 : 0] } 1 .. $last] };
	}
	return { runs => $runs, rows => \@rows };
}
sub put { # FILE, SIZE, REPORT...: the lines of each, one size after the other, by round or sorted
	my ($path, $size, @reports) = @_;
	open my $f, '>', $path or die;
	for my $report (@reports) {
		print $f "# runs: $report->{runs}\n# size: $size\n";
		print $f "# baseline: $report->{baseline}\n# limit_percent: $report->{limit}\n" if $report->{baseline};
		print $f "row,round,ns,outcome,start_ns\n";
		my @others = $report->{baseline} ? ('cloned,%d,1,shared,', 'absent,%d,,n/a EXDEV,') : ();
		my @lines = map { my $round = $_; map { [sprintf("$_\n", $round), $round] } @others } 1 .. $report->{runs};
		for my $row (@{$report->{rows}}) {
			push @lines, map { ["$row->{name},$_->[0],$_->[1],ok," . ($_->[2] || '') . "\n", $_->[0]] } @{$row->{runs}};
		}
		my $sorted = $seed % 3 == 0;
		print $f map { $_->[0] } sort { $sorted ? $a->[0] cmp $b->[0] : $a->[1] <=> $b->[1] } @lines;
		$size *= 2;
	}
	close $f;
}
sub read_json { # of each report: names of rows in their order, rows, facts
	my @reports;
	for (split /"environment"/, join '', `"$wb" --compare a -f json`) {
		my %report = (names => []);
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

# ---- Against the definitions
# The answer by its figures: the verb, or how many runs show nothing; times as fast; level and ends of the interval.
sub figures {
	my ($sentence) = @_;
	my ($verb) = $sentence =~ /^(Use|Keep|\d+ runs?)\b/;
	my ($times) = $sentence =~ /^Use [^:]*: ([\d.]+) times as fast/;
	my @interval = $sentence =~ /\((\d+)%: ([\d.]+) to ([\d.]+)/;
	return join ' ', grep { defined } $verb, $times, @interval;
}
sub wanted_figures {
	my ($rule, $chosen) = @_;
	my ($answer, $gain) = @$rule{qw(answer gain)};
	return '' if $answer eq 'NOTHING';
	return $chosen ne '' ? 'Use' : "$rule->{fewest} run" . ($rule->{fewest} == 1 ? '' : 's') if $answer eq 'MORE';
	my @interval = $gain && $gain->[1] ? ($rule->{confidence}, text(@$gain[1, 2])) : ();
	return join ' ', 'Keep', @interval if $answer eq 'KEEP';
	return $gain && $gain->[1] > 1 ? join ' ', 'Use', text($gain->[0]), @interval : 'Use';
}
sub check_one {
	my @names = map { "r$_" } 1 .. pick(1 .. 5, 6 .. 12, 20);
	unshift @names, $loop if rand() < 0.7; # the order of the table: its own rows, others, commands
	push @names, map { "\$ c$_" } 1 .. pick(0, 1, 2);
	@names = grep { /^\$/ } @names if rand() < 0.05;
	@names = ('r1') if !@names;
	my $report = draw(\@names, more => 1, starts => [0, 0, 1, 100, 300, 499, 520, 900]);
	put('a', 100, $report);
	my ($out) = read_json();
	my $rule = judge($report);
	my ($answer, $own, $use) = map { $_ // '' } @$rule{qw(answer own use)};
	my $command = $own =~ /^\$/ ? ' command' : '';
	$seen{"$answer$command"}++;
	same('ranks', join(',', @{$out->{names}}), join(',', @{$rule->{ranked}}));
	same('marks', join(',', grep { $out->{row}{$_}{mark} eq '~' } @{$out->{names}}),
		join(',', grep { $rule->{marked}{$_} } @{$rule->{ranked}}));
	my $guess = $answer eq 'MORE' && !$command && $rule->{fewest} > 1;
	my $chosen = $answer eq 'KEEP' ? $own : $answer eq 'USE' || $guess ? $use : '';
	same("what is recommended ($answer)", $out->{fact}{recommended} // '', $chosen);
	my $sentence = $out->{fact}{recommendation} // '';
	same("the answer ($sentence)", figures($sentence), wanted_figures($rule, $chosen));
}
sub check_gate {
	my @names = map { "\$ $_" } 'old', map { "new$_" } 1 .. pick(1, 1, 2, 3);
	my @reports = map { draw(\@names, runs => pick(2, 5, 10, 30), starts => [(0) x 9, 600]) } 1 .. pick(1, 1, 2);
	$_->{baseline} = '$ old' for @reports;
	$_->{limit} = pick(1, 3, 5, 20, 100) for @reports;
	put('a', 4096, @reports);
	my ($i, @out) = (0, read_json());
	for my $rule (gate(@reports)) {
		my $rows = $out[$i++]{row};
		for my $name (keys %$rule) {
			my ($verdict, $change, $low, $high) = @{$rule->{$name}};
			my $row = $rows->{$name};
			$seen{$verdict}++;
			same("verdict of $name", $row->{verdict}, $verdict);
			same("$name: is a change known", $row->{change_percent} ne 'null', defined $change);
			wrong("$name: $row->{change_percent}") if defined $change && !near($row->{change_percent}, $change);
			same("$name: is an interval known", $row->{low} ne 'null', !!$low);
			wrong("$name: low end $row->{low}") if $low && !near($row->{low}, $low);
			wrong("$name: high end $row->{high}") if $low && !near($row->{high}, $high);
		}
	}
}
sub percent {
	my $p = 100 * $_[0] - 100;
	return '+0.0%' if abs $p < 0.05;
	return $p >= 9999.5 ? '>9999%' : sprintf '%+.*f%%', $p < 999.95 ? 1 : 0, $p;
}
sub check_changes {
	my @names = map { "r$_" } 1 .. pick(1, 3, 8, 12);
	my ($old, $new) = map { draw(\@names, more => 1) } 1 .. 2;
	pop @{$new->{rows}} if rand() < 0.3 && @names > 1;
	put('a', 100, $old);
	put('b', 100, $new);
	my %line = map { tr/ //s; /^(r\d+) (.*)/ ? ($1, $2) : () } `"$wb" --compare a b 2>&1`;
	my $rule = changes($old, $new);
	for my $name (keys %$rule) {
		my ($change, $estimate, $low, $high) = @{$rule->{$name}};
		$seen{$change}++;
		my $wanted = percent($estimate) . ' ';
		$wanted .= $change eq 'few' ? 'too few runs' : percent($low) . ' to ' . percent($high);
		$wanted .= " $change" if $change =~ /er$/;
		my $got = $line{$name} // '';
		wrong("change of $name: $got, wanted $wanted") if $got !~ /\Q$wanted\E$/;
	}
}
my %check = (one => \&check_one, gate => \&check_gate, changes => \&check_changes);
for ($from .. $upto) {
	srand($seed = $_);
	$check{$kind}->();
}
print "ok $kind: ", join(', ', map { "$seen{$_} $_" } sort keys %seen), "\n";
END
n=100
full "thousands of reports" && n=1500
for kind in one gate changes; do
	perl -I"$top/tests" rule.pl "$wb" $kind 1 $n >found.$kind 2>&1
	is "random reports, judged by the definitions: $(head -n 1 found.$kind | cut -c1-200)" "$(cut -c1-2 found.$kind)" ok
done
is "... each answer about a command was among them" \
	"$(grep -oE '(KEEP|MORE|USE) command' found.one | sort -u | paste -sd' ')" "KEEP command MORE command USE command"
