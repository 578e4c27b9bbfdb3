# All of judging by its definitions, without a look at the program: marks, what is used or kept, intervals, the gate,
# changes. A report is { runs => rounds planned, baseline => name, limit => percent, rows => [{ name => ..., runs =>
# [[round, ns, start], ...] }] }, rows in the table's order, of runs that copied. Used by perl -I"$top/tests" -MJudge.
package Judge;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT = qw(chance critical interval median least most wins judge gate changes);

my @ways; # of m and n runs: for each U the orders that have it
sub ways {
	my ($m, $n) = @_;
	return [1] if !$m || !$n;
	return $ways[$m][$n] //= do {
		my ($last, $first) = (ways($m - 1, $n), ways($m, $n - 1)); # the greatest run is of the first, or not
		[map { ($_ >= $n ? $last->[$_ - $n] // 0 : 0) + ($first->[$_] // 0) } 0 .. $m * $n];
	};
}
sub chance { # that U of m and n runs, which are alike, is at most u
	my ($m, $n, $u) = @_;
	my ($sum, $all) = (0, 0);
	$all += $_ for @{ways($m, $n)};
	$sum += ways($m, $n)->[$_] // 0 for 0 .. $u;
	return $sum / $all;
}
sub critical { # the largest u below the middle whose chance is at most the level; -1 if there is none
	my ($m, $n, $level) = @_;
	my $u = -1;
	$u++ while 2 * ($u + 1) < $m * $n && chance($m, $n, $u + 1) <= $level * (1 + 1e-12);
	return $u;
}
sub wins { # U: the pairs of runs in which the first is the smaller one, a tie as half
	my ($first, $second) = @_;
	my $twice = 0;
	for my $x (@$first) { $twice += $x < $_ ? 2 : $x == $_ ? 1 : 0 for @$second }
	return $twice / 2;
}
sub median { my @x = sort { $a <=> $b } @_; return ($x[$#x / 2] + $x[@x / 2]) / 2 }
sub least { return (sort { $a <=> $b } @_)[0] }
sub most { return (sort { $a <=> $b } @_)[-1] }
sub interval { # estimate, low and high end of the first relative to the second, two-sided; ends 0: too few
	my ($level, $x, $y) = @_;
	my @ratios = sort { $a <=> $b } map { my $one = $_; map { $one / $_ } @$y } @$x;
	my $u = critical(scalar @$x, scalar @$y, $level / 2);
	return (median(@ratios), $u < 0 ? (0, 0) : @ratios[$u, $#ratios - $u]);
}

sub is_command { return $_[0]{name} =~ /^\$ / }
# prepare REPORT: of each row its times in the first two steps, in the third, and in all; whether it is in question and
# ranked
sub prepare {
	my ($report) = @_;
	my ($runs, @rows) = ($report->{runs}, @{$report->{rows}});
	my $last = $runs > 7 ? $runs : 7;
	for my $row (@rows) {
		$row->{first} = [map { $_->[1] } grep { $_->[0] <= $runs } @{$row->{runs}}];
		$row->{early} = [map { $_->[1] } grep { $_->[0] <= $last } @{$row->{runs}}];
		$row->{late} = [map { $_->[1] } grep { $_->[0] > $last } @{$row->{runs}}];
		$row->{all} = [map { $_->[1] } @{$row->{runs}}];
		$row->{start} = least(grep { $_ } map { $_->[2] } @{$row->{runs}}) // 0;
		$row->{best} = least(@{$row->{early}});
		$row->{median} = int median(@{$row->{early}});
		$row->{ranked} = 2 * $row->{start} <= $row->{best};
	}
	my $later = grep { $_->[0] > $runs } map { @{$_->{runs}} } @rows;
	my @copied = grep { @{$_->{first}} == $runs } @rows;
	for my $row (@rows) {
		my $faster = grep { most(@{$_->{first}}) < least(@{$row->{first}}) } @copied;
		my $asked = is_command($row) || grep { $row->{name} eq $_ } "read+write 256k", $report->{baseline} // ();
		$row->{question} = !$later || $runs >= 7 || @copied < 6 || $asked || $faster < 2;
		$row->{in} = $row->{question} && $row->{ranked};
	}
	my %place = map { $rows[$_]{name} => $_ } 0 .. $#rows;
	return sort { $a->{best} <=> $b->{best} || $a->{median} <=> $b->{median}
		|| most(@{$a->{early}}) <=> most(@{$b->{early}}) || $place{$a->{name}} <=> $place{$b->{name}} } @rows;
}
# judge REPORT: ranked => names, marked => { name => 1 }, guess, use, own => names, answer => USE KEEP MORE or NOTHING,
# gain => [estimate, low, high], confidence
sub judge {
	my ($report) = @_;
	my @ranked = prepare($report);
	my @in = grep { $_->{in} } @ranked;
	my $fewest = least(map { scalar @{$_->{early}} } @in) // 0;
	my $level = 0.05 / (@in > 2 ? @in - 1 : 1);
	my $guess = @in > 1 && chance($fewest, $fewest, 0) > $level;
	my %marked;
	for my $row (@in) {
		my $beaten;
		my $slower = sub { most(@{$_[0]{early}}) < least(@{$row->{early}}) };
		if (!$guess) {
			my ($m, @others) = (scalar @{$row->{early}}, @in);
			$beaten = grep { wins($row->{early}, $_->{early}) <= critical($m, scalar @{$_->{early}}, $level) } @others;
		} elsif (@in < 6 || $fewest < 3) { $beaten = $slower->($in[0]) }
		else { $beaten = 2 <= grep { $slower->($_) } @in }
		$marked{$row->{name}} = 1 if !$beaten;
	}
	my %out = (ranked => [map { $_->{name} } @ranked], guess => $guess, fewest => $fewest, answer => "NOTHING");
	$out{marked} = \%marked;
	return \%out if defined $report->{baseline};
	my @rows = grep { !is_command($_) } @in;
	my @may = grep { $marked{$_->{name}} } @rows;
	my $bound = @may ? 1.25 * least(map { $_->{median} } @may) : 0; # a row stalls in three of five runs or more
	my $stalls = sub { my $row = $_[0]; return 5 * grep({ $_ > $bound } @{$row->{early}}) >= 3 * @{$row->{early}} };
	my ($use) = ((grep { !$stalls->($_) } @may), @rows);
	my %place = map { $report->{rows}[$_]{name} => $_ } 0 .. $#{$report->{rows}};
	my ($own) = sort { $a->{median} <=> $b->{median} || $place{$a->{name}} <=> $place{$b->{name}} }
		grep { is_command($_) } @in;
	($own) = grep { $_->{name} eq "read+write 256k" } @in if !$own;
	my $loop = $own && !is_command($own);
	($out{use}, $out{own}) = map { $_ && $_->{name} } $use, $own;
	return \%out if !grep { !is_command($_) } @{$report->{rows}} or !$use && !$own;
	$out{answer} = "KEEP";
	return \%out if !$use;
	my ($low, $enough) = (1, 1);
	if ($own && $own != $use) {
		my $third = @{$own->{late}} >= 4 && @{$use->{late}} >= 4;
		$out{confidence} = $third ? 95 : 99;
		$out{gain} = [interval(1 - $out{confidence} / 100, map { $_->{$third ? "late" : "all"} } $own, $use)];
		($low, $enough) = ($out{gain}[1] * (1 - $own->{start} / $own->{median}), $out{gain}[1] > 0);
	}
	$out{answer} = $guess || $fewest < 2 || !$enough ? "MORE" : $own && !$loop && $low <= 1 ? "KEEP" : "USE";
	delete $marked{$own->{name}} if $out{answer} eq "USE" && $own && !$loop;
	return \%out;
}
# gate REPORT...: of each size, { command => [verdict, estimate, low, high] }
sub gate {
	my @reports = @_;
	return map {
		my ($report, %of, %out) = ($_);
		prepare($report);
		$of{$_->{name}} = $_ for @{$report->{rows}};
		my @commands = grep { is_command($_) && $_->{name} ne $report->{baseline} } @{$report->{rows}};
		for my $row (@commands) {
			my $to = $of{$report->{baseline}};
			my ($estimate, $low, $high) = interval(0.05 / (@commands * @reports), $row->{all}, $to->{all});
			my ($limit, $up) = (1 + $report->{limit} / 100, !$row->{ranked} || !$to->{ranked});
			my $tight = 100 * ($high - $low) <= 10 * $report->{limit};
			my $below = $low && $high < $limit && $tight;
			my $verdict = $up ? "undecided" : $low > $limit ? "slower" : $below ? "not slower" : "undecided";
			$out{$row->{name}} = [$verdict, $up ? () : ($estimate, $low, $high)];
		}
		\%out;
	} @reports;
}
# changes OLD NEW: { row => [faster, slower, same or few, estimate, low, high] } of rows that are ranked in both
sub changes {
	my ($old, $new) = @_;
	prepare($_) for $old, $new;
	my %was = map { $_->{name} => $_ } grep { $_->{ranked} } @{$old->{rows}};
	my @both = grep { $_->{ranked} && $was{$_->{name}} } @{$new->{rows}};
	my $pairs = grep { $_->{in} && $was{$_->{name}}{in} } @both;
	return { map {
		my $was = $was{$_->{name}};
		my ($estimate, $low, $high) = interval(0.05 / ($pairs || 1), $_->{early}, $was->{early});
		my $few = !($_->{in} && $was->{in}) || !$low;
		my $change = $estimate >= 1.01 && $low > 1 ? "slower" : $estimate <= 0.99 && $high < 1 ? "faster" : "same";
		($_->{name} => [$few ? "few" : $change, $estimate, $low, $high]);
	} @both };
}
1;
