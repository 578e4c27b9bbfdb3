#!/bin/sh
# The reports: their forms, and that their figures follow from the runs that they have.
# Tried: it fails where what was not measured has a time; rounds are not shuffled; the median of an even number of runs
# Tried: is one of them; the line below the heading is shorter; a heading does not name loop devices, or only one of
# Tried: two ends; a machine of QEMU's is not named; numbers are strings in JSON; columns are not below their titles.
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
undo=unplace

# of a text report, in a file: the heading, as one line; what stands below the rows
heading() { sed '/^--*$/,$d' "$1" | paste -sd' ' -; }
below() { sed '1,/^row  /d' "$1" | sed '1,/^$/d'; }
w() { # DESCRIPTION OPTION...
	what=$1
	shift
	run 0 "$what" "$wb" -p0 "$@"
}
narrow() { # FILE: is nothing wider than 80 columns, except what is to be pasted?
	is "... within 80 columns, except what is to be pasted" "$(awk 'length > 80 && !/^To tell more: /' "$1")" ""
}
json=no
perl -MJSON::PP -e1 2>/dev/null && json=yes
bytes 65536 >X
nrows=$(rows | wc -l | tr -d ' ')

# CSV.
w "csv" -n3 --seed=5 -f csv -o csv <X >Y
is "csv begins with version and heading" "$(sed -n '1p;2s/: .*//p' csv | paste -sd' ')" "# schema: 4 # heading"
is "... and further lines '# key: value', each with a key of its own" \
	"$(sed '/^row,/,$d' csv | grep -vEc '^# [a-z_0-9]+: .+$') $(sed '/^row,/,$d; s/: .*//' csv | sort | uniq -d)" \
	"0 "
holds "... of them what was as usual, and where" csv '^# output_file: emptied before each run$' '^# reuse: no$' \
	"^# host: $(uname -n)\$" '^# load: [0-9.]+$' '^# compiler: [a-z]+ [0-9.]+'
is "... then the columns" "$(columns csv)" "row,round,ns,outcome,cpu_ms,bytes,detail"
refused=',n/a( E[A-Z]+)?,,65536,[a-z_0-9]+.*'
is "... then a line a run, with a time for each that was measured, and for others the call that was refused" "$(
	sed '1,/^row,/d' csv | grep -vEc "^[^,]*,[1-3],([1-9][0-9]*,(ok|shared),[0-9.]+,65536,|$refused)\$")" 0
is "rounds come one after the other" "$(column 2 csv | sort -cn 2>&1)" ""
# order FILE: without direct I/O, which btrfs may put through the page cache in any run: then it is n/a from there on
order() {
	column 1 "$1" | grep -v direct
}
is "every row runs three times, or says n/a once" "$(order csv | sort | uniq -c | grep -vEc '^ *[13] ')" 0
w "csv again, with the same seed" -n3 --seed=5 -f csv -o csv5 <X >Y
w "... with another seed" -n3 --seed=6 -f csv -o csv6 <X >Y
is "the seed repeats the order" "$(order csv5)" "$(order csv)"
run 1 "... another seed is another" sh -c "[ '$(order csv6)' = '$(order csv)' ]"
is "each round is in an order of its own" "$(for r in 1 2 3; do
	sed '1,/^row,/d' csv | grep ",$r,.*\(ok\|shared\)," | cut -d, -f1 | cksum
done | sort -u | wc -l | tr -d ' ')" 3
w "csv in order" -n2 --in-order -f csv -o csv <X >Y
is "--in-order is the table's order, in each round" "$(column 1,2 csv | sed -n 's/,1$//p')" "$(rows)"
is "... and the report has rounds one after the other" "$(column 2 csv | uniq | paste -sd' ')" "1 2"

# JSON.
! grep -q '^[^ ]* [^ ]* [^ ]* [^ ]* / ' /proc/self/mountinfo || : >in_a_mount # else in a chroot that is none
if [ $json = yes ] || or_skip "json" "no perl with JSON::PP"; then
	cat >check.pl <<'END'
use strict; use JSON::PP; use Ranks;
local $/; my $document = decode_json(<STDIN>); my ($report) = @{$document->{reports}}; my $n = shift; my $last = 0;
my ($env, @rows) = ($report->{environment}, @{$report->{rows}});
sub near { abs($_[0] - $_[1]) <= $_[2] or die "$_[3]: $_[0], not $_[1]\n" }
sub are {
	my ($what, $of, @keys) = @_;
	my $text = JSON::PP->new->encode($of);
	$text =~ /"$_":$what/ or die "$_ is no $what\n" for @keys;
}
$document->{schema} == 4 && @{$document->{reports}} == 1 or die "schema or reports\n";
are('[0-9]', $env, qw(size block_size cpus memory_bytes runs pause_s seed memcpy_bytes memcpy_ns));
are('[0-9]', $env, qw(run_lines candidates level));
are('"[^"]', $env, qw(heading command_line output input kernel cpu order page_cache until verified date version));
are('"[^"]', $env, qw(output_mount input_mount)) if -e "in_a_mount";
$env->{heading} =~ /filesize=64KiB, kernel=\S+$/ or die "heading\n";
$env->{size} == 65536 && $env->{runs} == $n or die "size or runs\n";
near(scalar(grep { $_->{mark} eq '~' } @rows), $env->{candidates}, 0, "candidates");
my ($recommended) = grep { $_->{row} eq ($env->{recommended} // '') } @rows;
($n == 1 ? !$recommended : $recommended->{mark} eq '~' && $recommended->{ratio} == 1) or die "recommended\n";
my ($winner) = grep { $_->{outcome} eq 'ok' } @rows;
for my $row (@rows) {
	if ($row->{outcome} =~ /^(ok|shared)$/) {
		my @ns = sort { $a <=> $b } @{$row->{runs_ns}};
		are('\[?[0-9]', $row, qw(best_ns median_ns worst_ns runs_ns runs_cpu_ms cpu_ms runs bytes));
		near(@ns + $row->{bytes}, $n + 65536, 0, "runs and bytes");
		near($row->{best_ns}, $ns[0], 0, "best");
		near($row->{worst_ns}, $ns[-1], 0, "worst");
		near($row->{median_ns}, median(@ns), 0.5, "median");
		next if $row->{outcome} ne 'ok';
		near($row->{percent}, 100 * $ns[0] / $winner->{best_ns} - 100, 0.00501, "percent");
		$row->{best_ns} >= $last or die "not in the order of best runs\n";
		$last = $row->{best_ns};
		my ($better) = grep { $_->{row} eq $row->{beaten_by} } @rows;
		($row->{mark} eq '~') == !$better or die "$row->{row}: mark and beaten_by\n";
	} else {
		die "$row->{outcome}: has a time\n" if @{$row->{runs_ns}} || defined $row->{best_ns};
		$row->{outcome} =~ m(^n/a( E[A-Z]+)?$) && $row->{detail} or die "$row->{outcome}: no reason\n";
	}
}
print scalar @rows;
END
	for n in 1 3 4; do
		w "json, $n runs" -n$n -f json -o json <X >Y
		is "... is JSON, and best, median, worst and percentage follow from the runs" \
			"$(perl -I"$top/tests" check.pl $n <json 2>&1)" "$nrows"
	done
fi

# Text.
w "text" -n3 -o text.json <X >Y
cp err text
is "text has the base document's heading, underlined, as long as its longest line" \
	"$(heading text | grep -Ec ', filesize=64KiB, kernel=[^ ]+$') $(
		awk '/^--*$/ { print length == n; exit } length > n { n = length }' text)" "1 1"
holds "... then titles" text '^row +best +median +worst behind +CPU$'
time='[0-9.]+(us|ms|s)'
form="^([a-z$].*[^ ]) +$time +$time +$time( (\(\+[0-9.]+%\)|\(>9999%\)|\(shared\)))?( +~)?( +([0-9]+%|-))?\$"
is "... and rows in its columns" "$(table text | grep -vEc "$form")" 0
is "... whose ends are below those of the titles" "$(sed -n '/^row  /,/^$/p' text |
	perl -ne 'my @at; push @at, $+[0] while / \K(best|median|worst|[0-9.]+(us|ms|s))(?= |$)/g;
		print "@at[0..2]\n" if @at' | sort -u | wc -l | tr -d ' ')" 1
is "... all there are, except those that are n/a" "$(table text | wc -l)" \
	"$(grep -Ec '"outcome": "(ok|shared)"' text.json)"
is "... exactly one copy is without a percentage" "$(table text | grep -vc '(')" 1
is "... three significant digits" "$(table text | grep -Eo '[0-9.]+(us|ms)' |
	grep -vEc '^([0-9]\.[0-9]{2}|[0-9]{2}\.[0-9]|[0-9]{3}|0\.[0-9]{3})(us|ms)$')" 0
narrow text
lacks "... no escapes where it is no terminal" text "$(printf '\033')"
below text >few
# A long name of the CPU takes three lines.
tail -n 4 text | tr -s '\n ' '  ' >line
holds "... the last of them have the runs and the version" line '; 3 runs, seed [0-9]+; write-bench [^;]+$'
w "text with --verbose" -v -n3 <X >Y
below err >notes
narrow err
is "... has more" "$(($(wc -l <notes) > $(wc -l <few)))" 1
tr -s '\n ' '  ' <notes >line
holds "... where it was" line "[Hh]ost: $(uname -n)\\." '[Ll]oad[^:]*: [0-9.]+\.' 'memcpy of 64KiB'
sed -n 's/[+.()*]/\\&/g; s/^\([^,]*\),[^,]*,,n\/a \(E[A-Z]*\),.*,\([^,]*\)$/\1|\2|\3/p' csv >refused
while IFS='|' read -r row err call <&4; do
	holds "... what is n/a, with the call and its errno" line "n/a: (.*, |.*; )?$row(, [^:;]*)?: $call: ${err}[.;]"
done 4<refused
is "... in one line" "$(grep -c '^n/a: ' notes)" "$(grep -c . refused | sed 's/[1-9][0-9]*/1/')"
w "text, into a device that looks at no byte" -n2 -s 'sendfile,pipe+splice' <X >/dev/null
is "... says so in the place of a percentage" "$(grep -c '(untouched)' err)" 2
w "one small file" -n3 -z 4096 -f csv -o tiny.csv <X >Y
awk -F, -v OFS=, '/^read.write bs,/ { $3 = 5300 + $2 } { print }' tiny.csv >known.csv
"$wb" --compare known.csv >known
lacks "... does not take 0 ms" known ' 0(\.0*)?[mun]?s'
holds "... but microseconds" known '^read\+write bs +5\.30us +5\.30us +5\.30us '
for pause in 0.3 1 4 16; do
	"$wb" -p$pause -n1 -s sendfile -f csv -o csv <X >Y 2>err
	shorter=$(awk -v ns="$(column 3 csv)" "BEGIN { print (ns > 0 && ns < $pause * 1e9) }")
	[ "$shorter" = 0 ] || break
done
is "a pause is not in the time" "$shorter" 1
w "text in a file" -n1 -o text2 <X >Y
is "... is what stands on standard error, with the same heading" "$(cmp err text2)$(heading text2)" "$(heading text)"

# Markdown.
w "markdown" -n2 -f markdown <X >Y
is "markdown begins with the heading" "$(head -n 1 err | sed 's/,.*//')" "### $(head -n 1 text | sed 's/,.*//')"
is "... has a table of seven columns throughout" "$(grep '^|' err | tr -cd '|\n' | uniq)" "||||||||"
holds "... with titles and a rule" err '^\| row \| best \| median \| worst \| behind \|  \| CPU \|$' \
	'^\| :-- \| --: \| --: \| --: \| :-- \| :-- \| --: \|$'

# The heading, by file system; both ends, where they are on mounts that read differently.
medium() { # of a heading, or what stands in its place where this is a virtual machine of QEMU's
	if grep -qsE '^(QEMU|model name[[:blank:]]*: QEMU)' /sys/class/dmi/id/sys_vendor /proc/cpuinfo; then echo \
		"QEMU virtual machine"; else echo "$1"; fi
}
places 300 8 >places
here=$(heading text | sed 's/, .*//')
# in a chroot the mount of its root is not known, and not said
case $here in unknown*) from='' ;; *) from="$here to " ;; esac
while read -r place dir <&4; do
	head -c 4096 X >"$dir/X"
	w "$place: a report" -n1 -s 'read+write 1k' -f csv -o csv <"$dir/X" >"$dir/Y"
	[ "$place" != here ] || continue
	case $place in tmpfs) name="tmpfs /[^,]*, $(medium memory), " ;; *) \
		name="$(echo "$place" | sed 's/^e/E/; s/xfs/XFS/')\\+loop, " ;; esac
	heading err >line
	holds "$place: the heading has it" line "^$name.*filesize=4KiB, kernel=$(uname -r)$"
	[ "$place" = tmpfs ] || holds "$place: the environment has the options of both mounts" csv \
		"^# output_mount: $place [a-z]+,.*" "^# input_mount: $place [a-z]+,.*"
	w "$place: from here" -n1 -s 'read+write 1k' <X >"$dir/Y"
	case $here, in # one name is not said twice
	"$(sed 's/,.*//' line),") heading err >line ;;
	*) heading err | awk -v from="$from" 'index($0, from) == 1 { print substr($0, length(from) + 1) }' >line ;;
	esac
	holds "$place: ... both ends are in the heading, the input first, if they differ" line "^$name"
done 4<places
while read -r missing <&4; do
	skip "heading" "$missing"
done 4<missing
odd="$(printf '%060d' 0)/a\"b, \\ c" # and long
if grep -q '^tmpfs' places && mkdir -p "$odd" && mount -t tmpfs "" "$odd" 2>/dev/null ||
	or_skip "a directory with an odd name" "no tmpfs to be mounted"; then
	w "a directory with an odd name" -n1 -s sendfile -f json -o json <X >"$odd/Y"
	wanted="${from}tmpfs $(pwd -P)/$odd, $(medium memory), filesize=64KiB, kernel=$(uname -r)"
	[ $json = no ] || is "... is reported, in valid JSON" "$(perl -MJSON::PP -e 'local $/;
		$_ = decode_json(<STDIN>)->{reports}[0]{environment}{heading};
		print $_ eq $ARGV[0] =~ s{([^ -~])}{sprintf "\\x%02x", ord $1}ger' "$wanted" <json)" 1
	umount "$odd"
fi

# In a virtual machine of QEMU's that is named, in place of media that it makes up.
sed 's/^model name.*/model name	: QEMU Virtual CPU version 2.5+/' /proc/cpuinfo >fake
if [ "${PLACES-}" = private ] && grep -q QEMU fake && mount --bind fake /proc/cpuinfo 2>/dev/null ||
	or_skip "in QEMU" "not root, no mount namespaces, or a processor without a model name"; then
	w "in QEMU" -q -n1 -s sendfile <X >tmpfs/Y
	heading err >line
	holds "... the heading says so, and names no medium" line \
		"^(.* to )?tmpfs /[^,]*, QEMU virtual machine, filesize=64KiB, kernel="
	"$wb" -p0 -n1 -s sendfile -f csv -o csv <X >tmpfs/Y 2>/dev/null
	holds "... the output's medium is among the facts all the same" csv '^# output: file on tmpfs .*, memory$'
	umount /proc/cpuinfo
fi
[ "$(medium elsewhere)" != elsewhere ] || lacks "elsewhere it does not" text QEMU
if grep -q '^xfs ' places || or_skip "XFS: cloned" "no XFS"; then
	bytes 100000 >xfs/X
	w "XFS: cloned" -n2 -f csv -o csv <xfs/X >xfs/Y
	is "rows that share blocks say so" "$(column 4 csv | sort -u | tr '\n' ' ')" "ok shared "
	is "... and are the ones that can" "$(grep ',shared,' csv | cut -d, -f1 | sort -u)" \
		"$(rows -s 'copy_file_range,copy_file_range + advices*,reflink' -x '*pfalloc' | sort)"
	{ "$wb" -p0 -n1 -s reflink <xfs/X 2>err && echo last; } >xfs/Y
	is "a clone, too, leaves the output at its end" "$(tail -c +100001 xfs/Y)" last
	w "XFS: as text" -v -n2 <xfs/X >xfs/Y
	is "... they stand above all rows that moved data, marked" \
		"$(table err | awk '{ print /s \(shared\)/ ? "shared" : "copied" }' | uniq | paste -sd' ')" \
		"shared copied"
	is "... percentages stand on a row that moved data" "$(table err | grep -vc '(')" 1
fi
