# Ranks by their definitions, for tests: the exact test of Mann and Whitney. Used by perl -I"$top/tests" -MRanks.
package Ranks;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT = qw(chance wins critical median least most);

my %ways;
sub ways { # orders of m and n runs in which U is u
	my ($m, $n, $u) = @_;
	return 0 if $u < 0;
	return $u == 0 ? 1 : 0 if !$m || !$n;
	return $ways{"$m,$n,$u"} //= ways($m - 1, $n, $u - $n) + ways($m, $n - 1, $u);
}
sub chance { # that U of m and n runs, which are alike, is at most u
	my ($m, $n, $u) = @_;
	my ($sum, $all) = (0, 1);
	$all *= ($m + $_) / $_ for 1 .. $n;
	$sum += ways($m, $n, $_) for 0 .. $u;
	return $sum / $all;
}
sub wins { # U: the pairs of runs in which the first is the smaller one, a tie as half
	my ($first, $second) = @_;
	my $twice = 0;
	for my $x (@$first) { $twice += $x < $_ ? 2 : $x == $_ ? 1 : 0 for @$second }
	return $twice / 2;
}
sub critical { # the largest u below the middle whose chance is at most the level; -1 if there is none
	my ($m, $n, $level) = @_;
	my $u = -1;
	$u++ while 2 * ($u + 1) < $m * $n && chance($m, $n, $u + 1) <= $level;
	return $u;
}
sub median { my @x = sort { $a <=> $b } @_; return ($x[$#x / 2] + $x[@x / 2]) / 2 }
sub least { return (sort { $a <=> $b } @_)[0] }
sub most { return (sort { $a <=> $b } @_)[-1] }
1;
