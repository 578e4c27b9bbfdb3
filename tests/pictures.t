#!/bin/sh
# Pictures (-f svg): dots of all runs, curves by size, a map of several reports. What is drawn is held against the runs
# of the CSV files that it is made of: each mark, and each label of an axis, is where one scale puts it; a cell's shade
# is how far it is behind the fastest cell of all. Nothing is over something else, or beyond the edge, and no text from
# outside becomes markup.
# Tried: it fails where text is not escaped, or begins where it should end; the median stands at the best run; rounds of
# Tried: the third step have no dots; curves are of medians; a label is at another scale; a shade is by the fastest cell
# Tried: of its column; the legend's boxes are over its words; names of curves are over each other.
. "$(dirname "$0")/tap.sh"
. "$top/tests/reports.sh"

have perl || skip_all "no perl"
cat >look.pl <<'END'
use strict; use warnings; use Judge;
my ($picture, @files) = @ARGV;
sub slurp { open my $f, '<', $_[0] or die "$_[0]: $!"; local $/; return <$f> }
sub bad { print "@_\n" } sub log2 { return log($_[0]) / log 2 }
my ($svg, %plain) = (slurp($picture), lt => '<', gt => '>', quot => '"', amp => '&', apos => "'");

# Things that are drawn, in parts with a heading each. A letter is 7.23 units wide, as in most monospaced fonts.
my @parts;
my ($width, $height) = $svg =~ /viewBox="0 0 ([\d.]+) ([\d.]+)"/ or bad("no viewBox");
my $rest = $svg =~ s{<(text|rect|circle|path)\b([^<>]*)(?:/>|>([^<>]*)</text>)}{
	my ($tag, $given, $text) = ("$1", "$2", ($3 // '') =~ s/&(\w+);/$plain{$1} \/\/ bad("&$1;")/ger);
	my %a = (anchor => '', x => 0, y => 0, $given =~ /(?:text-)?([\w-]+)="([^"]*)"/g);
	my $long = 7.23 * length $text =~ s/[\x80-\xbf]//gr;
	my $from = $a{x} - ($a{anchor} eq 'end' ? $long : $a{anchor} eq 'middle' ? $long / 2 : 0);
	my @p = $tag eq 'path' ? map { [split] } $a{d} =~ /[ML]([\d. ]+)/g
		: $tag eq 'circle' ? ([$a{cx} - $a{r}, $a{cy} - $a{r}], [$a{cx} + $a{r}, $a{cy} + $a{r}])
		: $tag eq 'text' ? ([$from, $a{y} - 9], [$from + $long, $a{y} + 2.4])
		: ([@a{'x', 'y'}], [$a{x} + $a{width}, $a{y} + $a{height}]);
	@a{'x0', 'x1', 'y0', 'y1'} = map { my $i = $_; my @at = map { $_->[$i] } @p; least(@at), most(@at) } 0, 1;
	push @parts, [] if !@parts || $text =~ /filesize=/ && $a{class} eq 'bold' && @{$parts[-1]};
	push @{$parts[-1]}, { %a, tag => $tag, text => $text, points => \@p, x => ($a{x0} + $a{x1}) / 2,
		y => ($a{y0} + $a{y1}) / 2 } if $a{class} ne 'page';
	bad("$tag: attribute $_") for grep { /^on|href|src|style/i } keys %a;
	''}gser;
$rest =~ s{<style>[^<]*</style>|<title>[^<]*</title>|</?svg\b[^<>]*>|\s}{}g;
bad("other markup: $rest") if $rest ne '';
bad("a control character") if $svg =~ /[\0-\x08\x0b-\x1f\x7f]/;
my @things = map { @$_ } @parts;
while (my $t = pop @things) {
	bad("beyond the edge: $t->{tag} $t->{text}")
		if $t->{x0} < 0 || $t->{y0} < 0 || $t->{x1} > $width + 0.05 || $t->{y1} > $height;
	for my $u (@things) {
		my ($word, $other) = $t->{tag} eq 'text' ? ($t, $u) : ($u, $t);
		my $shade = $other->{tag} eq 'rect' && $other->{x0} <= $word->{x0} && $word->{x1} <= $other->{x1};
		my @over = map { least($t->{$_ . 1}, $u->{$_ . 1}) - most($t->{$_ . 0}, $u->{$_ . 0}) } 'x', 'y';
		bad("$word->{text} over $other->{tag}") if $word->{tag} eq 'text' && !$shade && least(@over) > 0.5;
	}
}
my ($part, @named); # which is looked at, and its names of rows
sub of { my ($class) = @_; return grep { $_->{class} =~ /^(?:$class)$/ } @$part }
sub beside { my ($thing, @of) = @_; return grep { $_ != $thing && abs($_->{y} - $thing->{y}) < 5 } @of }
sub axis { # ANCHOR, x|y, [VALUE, PLACE]...: are these, and the lines of all labels, where one scale has them?
	my ($anchor, $way, @at) = @_;
	my ($labels, %unit) = (0, '' => 2 ** 30 / 1e9, B => 1, KiB => 2 ** 10, MiB => 2 ** 20); # GiB/s, per ns
	for my $label (grep { $_->{anchor} eq $anchor } of('note')) {
		my ($number, $unit) = $label->{text} =~ /^([\d.e-]+)(\w*)$/ or next;
		my @line = grep { $_->{$way . 0} == $_->{$way . 1} && abs($_->{$way} - $label->{$way}) < 3 } of('grid');
		push @at, map { [log2($number * $unit{$unit}), $_->{$way}] } @line;
		$labels += @line;
	}
	bad("$way: an axis of $labels labels") if $labels < 2;
	my ($first, $last) = (sort { $a->[0] <=> $b->[0] } @at)[0, -1];
	my $slope = ($last->[1] - $first->[1]) / ($last->[0] - $first->[0]);
	my $most = most(map { abs $_->[1] - $first->[1] - $slope * ($_->[0] - $first->[0]) } @at);
	bad(sprintf "$way: %.2f from where one scale has it", $most) if $most > 0.3;
}

# The reports: of each file and size its rows, of each the runs that copied, and those of the first two steps.
my @reports;
for my $file (@files) {
	my ($size, $most) = (0, 1e9);
	for (split /\n/, slurp($file)) {
		push @reports, { size => $size = $1 } if /^# size: (\d+)/;
		$most = most(7, $1) if /^# runs: (\d+)/;
		next if !/^(?:"((?:[^"]|"")*)"|([^#",]+)),(\d+),(\d*),([^, ]*)[^,]*(?:,(\d*),\d+)?/;
		my $row = $reports[-1]{rows}{($1 // $2) =~ s/""/"/gr} //= { ns => [], word => $5, best => 0 };
		next if $5 ne 'ok';
		push @{$row->{ns}}, $4;
		push @{$row->{early}}, $4 if $3 <= $most;
		$row->{best} = least(@{$row->{early}});
		$row->{word} = 'start-up' if 2 * ($6 || 0) > $row->{best};
	}
}
sub drawn { return grep { $_ && $_->{word} eq 'ok' } @_ }
sub row_of { # a name that may be cut, a report
	my $name = join '.*', map { quotemeta } split /\.\.\./, $_[0], -1;
	return (map({ $_[1]{rows}{$_} } grep { /^$name$/ } keys %{$_[1]{rows}}), { word => '-', best => 0 })[0];
}
sub dots {
	my ($report, @at) = @_;
	for my $name (@named) {
		my $row = row_of($name->{text}, $report);
		my @ns = sort { $b <=> $a } @{$row->{ns}};
		my @x = sort { $a <=> $b } map { $_->{x} } beside($name, grep { $_->{tag} eq 'circle' } @$part);
		my @medians = map { $_->{x} } beside($name, of('median'));
		bad("$name->{text}: @{[scalar @x]} dots") if @x != @ns || @medians != (@ns > 0);
		push @at, map { [log2($report->{size} / $ns[$_]), $x[$_]] } 0 .. $#ns;
		push @at, map { [log2($report->{size} / median(@{$row->{early}})), $_] } @medians;
	}
	axis('middle', 'x', @at) if @at;
}
sub curves {
	my (@x, @y);
	bad("grey curves: @{[scalar of('grey')]}") if of('grey') != keys %{{ map { %{$_->{rows}} } @_ }};
	for my $stroke (grep { $_->{x0} > most(map { $_->{x1} } of('grid')) } of('curve.*')) {
		my ($name) = map { $_->{text} } beside($stroke, of(''));
		my @points = @{(of($stroke->{class}))[0]{points}};
		my @of = grep { drawn(row_of($name, $_)) } @_;
		bad("$name: @{[scalar @points]} points, not @{[scalar @of]}") if @points != @of;
		push @x, map { [log2($of[$_]{size}), $points[$_][0]] } 0 .. $#of;
		push @y, map { [log2($of[$_]{size} / row_of($name, $of[$_])->{best}), $points[$_][1]] } 0 .. $#of;
	}
	axis('middle', 'x', @x);
	axis('end', 'y', @y);
}
sub map_of {
	my $fastest = least(map { $_->{best} } map { drawn(values %{$_->{rows}}) } @_);
	my @legend = map { my $box = $_; map { [$box->{class}, $_->{text} =~ /(\d+)%/ ? $1 : 9e9] }
		grep { abs($_->{x0} - $box->{x1} - 5) < 3 } beside($box, of('note')) } of('s\d');
	for my $name (@named) {
		my @cells = sort { $a->{x} <=> $b->{x} } beside($name, of(''));
		for my $k (0 .. $#_) {
			my ($row, $cell) = (row_of($name->{text}, $_[$k]), $cells[$k]);
			my ($box) = grep { abs($_->{x} - $cell->{x}) < 1 } beside($name, of('s\d'));
			my ($shade) = grep { 100 * $row->{best} / $fastest - 100 <= $_->[1] } @legend;
			my $word = $cell->{text} =~ s/^([\d.]+)ms~?$/abs($1 * 1e6 - $row->{best}) < 5001 ? 'ok' : $1/er;
			my ($got, $wanted) = ($box ? $box->{class} : '', drawn($row) ? $shade->[0] : '');
			bad("$name->{text}, $k: $word $got, not $wanted") if "$word $got" ne "$row->{word} $wanted";
		}
	}
}
for my $i (0 .. $#parts) {
	$part = $parts[$i];
	@named = grep { $_->{x0} == 14 && beside($_, of('')) } of('|bold');
	my @of = grep { @parts == 1 || $_->{size} == $reports[$i]{size} } @reports;
	(@of == 1 ? \&dots : @files == 1 ? \&curves : \&map_of)->(@of);
}
END
# picture DESCRIPTION FILE...: of reports; it is left in "p"
picture() {
	what=$1
	shift
	"$wb" --compare "$@" -f svg >p 2>err || fail "$what: a picture" err
	is "$what" "$(perl -I"$top/tests" look.pl p "$@" 2>&1)" ""
	! have xmllint || is "... is XML" "$(xmllint --nonet --noout p 2>&1)" ""
}
long=$(printf '%0100d' 0)
while IFS='|' read -r what rows; do
	made "heading=Ext9, a disk, filesize=%KiB; us; size=1024000; $rows" >a.csv
	picture "$what" a.csv
done <<END
dots, of rows of all outcomes|a 1 1.01 1.02; b 2 2.5; shared =shared 5; no =n/a_EXDEV; x =failed_EIO; y =mismatch
dots, of none that copied|no =n/a_EXDEV; broken =failed_EIO
dots, of three steps|runs=3; a 1000 1010 1020 1030 1900 1910 1920 900x20; b 2000x3; \$_cat 1200..1206 990..1009
dots, all alike|a 1000..1011; \$_cat 1010..1021
dots, one a hundred million times as fast|far 0.01x2 0.012; a 1000x3; b 1100000x3
dots, long names|a$long 1000..1005/800; b$long 2000..2005
dots, long names that are alike|${long}a$long 1000..1005; ${long}b$long 2000..2005
curves|4096; a 10x3; \$_b 20..22; 65536; a 40x3; \$_b 60..62; 1048576; a 700x3; \$_b 800 900 1100
curves, not at each size|4096; a 10x3; b 20x3; 65536; a 40x3; c 20x3; 1048576; a 700x3; b =n/a_EXDEV; c 300x3
curves, mostly a start|4096; a 10x3; \$_b 20/15x3; 65536; a 40x3; \$_b 90/15x3; 1048576; a 700x3; \$_b 800/15x3
curves, eight|4096; a 9x2; b 8x2; c 7x2; d 6x2; \$_e 5x2; \$_f 5.1x2; \$_g 5.2x2; h 2x2; 8192; a 9x2; b 8x2
END
all='a 1000000x3; b 1050000x3; c 1050001x3; d 1250000x3; e 1250001x3; f 2000000x3; g 2000001x3; no =n/a_EXDEV'
made "heading=One; size=1000000; $all" >one.csv
made "heading=Two; size=1000000; b 2000000x3; a =n/a_EXDEV; c =shared 10x3; d =failed; \$_e 4000000/3000000x3" >two.csv
picture "a map of two" one.csv two.csv
made "heading=%KiB; 1000000; a 999999x3; b 3000000; more 1000000x3; 2000000; $all" >three.csv
made "heading=%KiB; 1000000; $all; 2000000; b 500000x3; $long 10000000x3" >four.csv
picture "a map a size" three.csv four.csv
cp one.csv "$(printf '%.60s' '<b>&lt;long name')$long.csv"
picture "a map of many" one.csv two.csv ./*long*.csv two.csv two.csv one.csv one.csv one.csv one.csv one.csv
evil='<script>alert(1)</script>&amp;"x" onload="y" ]]> --> <!-- é'
made "size=1000; x =failed:<b>&lt;_]]>; y 1000x3; w 9000; z =n/a_EXDEV:<b>" | sed "s|^y,|\"\$ ${evil%%\"*}\",|
	1a # heading: $evil filesize=1\n# cpu: $evil\n# version: <v>\n# warning_busy: $evil" >evil.csv
picture "text from outside" evil.csv
is "... is no element" "$(grep -c '<script\|<b>\|<!' p)" 0
