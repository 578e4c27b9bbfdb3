#!/bin/sh
# The reports: their forms, and that their figures follow from the runs that they have.
# Tried: it fails where what was not measured has a time; rounds are not shuffled; the median of an even number of runs is
# Tried: one of them; the line below the heading is shorter; a heading does not name loop devices; an older report is
# Tried: not emptied; a machine of QEMU's is not named; numbers are strings in JSON; there are more than 10 lines below the
# Tried: table.
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
undo=unplace

heading() { # FILE: of a text report, as one line
	sed '/^--*$/,$d' "$1" | tr '\n' ' ' | sed 's/ $//'
	echo
}
table() { # FILE: the rows of a text report
	sed '1,/^row  /d;/^$/,$d' "$1"
}
below() { # FILE: what stands below them
	sed '1,/^row  /d' "$1" | sed '1,/^$/d'
}
bytes 65536 >X
nrows=$(rows | wc -l | tr -d ' ')

# CSV.
run 0 "csv" "$wb" -p0 -n3 --seed=5 -f csv -o csv <X >Y
is "csv begins with its version, then the heading" "$(sed -n '1p;2s/: .*//p' csv)" "# schema: 2
# heading"
is "... and further lines '# key: value'" "$(sed '/^row,/,$d' csv | grep -vEc '^# [a-z_]+: .+$')" 0
is "... then the column names" "$(grep -v '^#' csv | head -n 1 | cut -d, -f1-4)" "row,round,ns,outcome"
is "... then a line a run" "$(column 1 csv | wc -l | tr -d ' ')" "$(($(column 4 csv | grep -c '^ok\|^shared') + $(column 4 csv | grep -c '^n/a')))"
is "... with a time for each that was measured, and for others the call that was refused" \
	"$(sed '1,/^row,/d' csv | grep -vEc '^[^,]*,[1-3],([1-9][0-9]*,(ok|shared),[0-9.]+,65536,|,n/a( E[A-Z]+)?,,65536,[a-z_0-9]+.*)$')" 0
is "... which is the last column" "$(columns csv)" "row,round,ns,outcome,cpu_ms,bytes,detail"
is "... each line of the environment has a key of its own" "$(sed -n '/^row,/,$d; s/^# \([a-z_0-9]*\): .*/\1/p' csv | sort | uniq -d)" ""
is "rounds come one after the other" "$(column 2 csv | sort -cn 2>&1)" ""
order() { # FILE: but for direct I/O, which btrfs may put through the page cache in any run: then it is n/a from there on
	column 1 "$1" | grep -v direct
}
is "every row runs three times, or says n/a once" "$(order csv | sort | uniq -c | grep -vEc '^ *[13] ')" 0
run 0 "csv again, with the same seed" "$wb" -p0 -n3 --seed=5 -f csv -o csv2 <X >Y
is "the seed repeats the order" "$(order csv2)" "$(order csv)"
run 0 "csv again, with another seed" "$wb" -p0 -n3 --seed=6 -f csv -o csv2 <X >Y
[ "$(order csv2)" != "$(order csv)" ]
is "another seed is another order" $? 0
is "each round is in an order of its own" "$(for r in 1 2 3; do sed '1,/^row,/d' csv | grep ",$r,.*\(ok\|shared\)," | cut -d, -f1 | cksum; done | sort -u | wc -l | tr -d ' ')" 3
run 0 "csv in order" "$wb" -p0 -n2 --in-order -f csv -o csv <X >Y
is "--in-order is the table's order, row after row" "$(column 1 csv | uniq)" "$(rows)"
is "... where a row's runs follow each other" "$(column 1 csv | uniq | sort | uniq -d)" ""

# JSON.
! grep -q '^[^ ]* [^ ]* [^ ]* [^ ]* / ' /proc/self/mountinfo || : >in_a_mount # else in a chroot that is none
if have perl && perl -MJSON::PP -e1 2>/dev/null; then
	cat >check.pl <<'END'
use strict; use JSON::PP;
local $/; my $report = decode_json(<STDIN>); my $n = shift; my $last = 0;
my $text = JSON::PP->new->canonical->encode($report->{environment});
sub near { abs($_[0] - $_[1]) <= $_[2] or die "$_[3]: $_[0], not $_[1]\n" }
$report->{environment}{heading} =~ /filesize=64KiB, kernel=\S+$/ or die "heading\n";
for my $key (qw(size block_size cpus memory_bytes runs pause_s seed memcpy_bytes memcpy_ns run_lines candidates level)) {
	$text =~ /"$key":[0-9]/ or die "$key is no number\n";
}
for my $key (qw(heading command_line output input kernel cpu order page_cache until verified date version),
	-e "in_a_mount" ? qw(output_mount input_mount) : ()) {
	$text =~ /"$key":"[^"]/ or die "$key is no text\n";
}
$report->{environment}{size} == 65536 && $report->{environment}{runs} == $n or die "size or runs\n";
my $candidates = grep { $_->{mark} eq '~' } @{$report->{rows}};
$candidates == $report->{environment}{candidates} or die "candidates: $candidates\n";
my ($recommended) = grep { $_->{row} eq ($report->{environment}{recommended} // '') } @{$report->{rows}};
$n == 1 ? !$recommended : $recommended->{mark} eq '~' && $recommended->{ratio} == 1 or die "recommended\n";
my ($winner) = grep { $_->{outcome} eq 'ok' } @{$report->{rows}};
for my $row (@{$report->{rows}}) {
	if ($row->{outcome} =~ /^(ok|shared)$/) {
		my @ns = sort { $a <=> $b } @{$row->{runs_ns}};
		@ns == $n or die "$row->{row}: runs\n";
		near($row->{best_ns}, $ns[0], 0, "best");
		near($row->{worst_ns}, $ns[-1], 0, "worst");
		near($row->{median_ns}, @ns % 2 ? $ns[$#ns / 2] : ($ns[@ns / 2] + $ns[@ns / 2 - 1]) / 2, 0.5, "median");
		next if $row->{outcome} ne 'ok';
		near($row->{percent}, 100 * $ns[0] / $winner->{best_ns} - 100, 0.00501, "percent");
		$row->{best_ns} >= $last or die "not in the order of best runs\n";
		$last = $row->{best_ns};
		my ($better) = grep { $_->{row} eq $row->{beaten_by} } @{$report->{rows}};
		($row->{mark} eq '~') == !$better or die "$row->{row}: mark and beaten_by\n";
	} else {
		$row->{outcome} =~ m(^n/a( E[A-Z]+)?$) && $row->{detail} or die "$row->{outcome}\n";
		!@{$row->{runs_ns}} && !defined $row->{best_ns} or die "$row->{row}: has a time\n";
	}
}
print scalar @{$report->{rows}};
END
	for n in 1 2 3 4 5 10; do
		run 0 "json, $n runs" "$wb" -p0 -n$n -f json -o json <X >Y
		is "... is JSON, and best, median, worst and percentage follow from the runs" "$(perl check.pl $n <json 2>&1)" "$nrows"
	done
else
	skip "json" "no perl with JSON::PP"
fi

# Text.
run 0 "text" "$wb" -p0 -n3 -o text.json <X >Y
cp err text
heading text >line
holds "text has the base document's heading" line ', filesize=64KiB, kernel=[^ ]+$'
is "... underlined, as long as its longest line" "$(sed -n '/^--*$/p' text | awk '{ print length; exit }')" \
	"$(sed '/^--*$/,$d' text | awk 'length > n { n = length } END { print n }')"
is "... then titles" "$(grep '^row  ' text)" "row                                        best  median   worst behind       CPU"
time='[0-9.]+(us|ms|s)'
is "... and rows in its columns" \
	"$(table text | grep -vEc "^[a-z].{39} *$time +$time +$time( (\(\+ [0-9.]+%\)|\(> 9999%\)|\(shared\)) *)?( +~)?( +([0-9]+%|-))?$")" 0
is "... all there are, but for those that are n/a" \
	"$(table text | wc -l | tr -d ' ')" "$(grep -Ec '"outcome": "(ok|shared)"' text.json)"
is "... exactly one copy is without a percentage" "$(table text | grep -vc '(')" 1
is "... three significant digits" "$(table text | grep -Eo '[0-9.]+(us|ms)' | grep -vEc '^([0-9]\.[0-9]{2}|[0-9]{2}\.[0-9]|[0-9]{3}|0\.[0-9]{3})(us|ms)$')" 0
is "... within 80 columns" "$(awk 'length > 80' text)" ""
lacks "... no escapes where it is no terminal" text "$(printf '\033')"
[ "$(below text | wc -l)" -le 10 ]
is "... at most 10 lines below the table" $? 0
# Where the name of the CPU is long, it takes three lines.
tail -n 4 text | tr -s '\n ' '  ' >line
holds "... the last of them have the machine, the clock, the cache, the runs and the version" line \
	'; until the last call returned, input in the page cache; 3 runs, seed [0-9]+; write-bench [^;]+$'
run 0 "text with --verbose" "$wb" -v -p0 -n3 <X >Y
below err >notes
is "... within 80 columns" "$(awk 'length > 80' err)" ""
[ "$(wc -l <notes)" -gt 10 ]
is "... has more" $? 0
lacks "... and keeps nothing back" notes '--verbose\.$'
tr -s '\n ' '  ' <notes >line
holds "... the method, what was verified, and where" line 'Mann-Whitney|too few runs' 'Verified: the size of each copy' \
	'(From|Input:) (file|memory)' '[Oo]rder: shuffled rounds' 'memcpy of 64KiB'
sed -n 's/[+.()*]/\\&/g; s/^\([^,]*\),[^,]*,,n\/a \(E[A-Z]*\),.*,\([^,]*\)$/\1|\2|\3/p' csv >refused
while IFS='|' read -r row err call <&4; do
	holds "... what is n/a, with the call and its errno" line "n/a: (.*, |.*; )?$row(, [^:;]*)?: ${call}[;:][^.]* $err\\."
done 4<refused
if [ -w /dev/null ]; then
	run 0 "text, into a device that looks at no byte" "$wb" -p0 -n2 -s 'sendfile,pipe+splice' <X >/dev/null
	holds "... says so in the place of a percentage" err '\(untouched\)'
	is "... within 80 columns" "$(awk 'length > 80' err)" ""
fi
run 0 "one small file" "$wb" -p0 -n3 -z 4096 -f csv -o tiny.csv <X >Y
awk -F, -v OFS=, '/^read.write bs,/ { $3 = 5300 + $2 } { print }' tiny.csv >known.csv
run 0 "... as text, with times that are known" "$wb" --compare known.csv >known
lacks "4 KiB do not take 0 ms" known ' 0(\.0*)?[mun]?s'
holds "... but microseconds" known '^read\+write bs +5\.30us +5\.30us +5\.30us '
for pause in 0.3 1 4 16; do
	"$wb" -p$pause -n1 -s sendfile -f csv -o csv <X >Y 2>err
	status=$?
	[ "$(column 3 csv)" -ge "$(awk "BEGIN { printf \"%.0f\", $pause * 1e9 }")" ] || break
done
is "a pause" "$status" 0
[ "$(column 3 csv)" -lt "$(awk "BEGIN { printf \"%.0f\", $pause * 1e9 }")" ]
is "... is not in the time" $? 0
run 0 "text in a file" "$wb" -p0 -n1 -o text2 <X >Y
same "... is what stands on standard error" err text2
is "... has the same heading" "$(heading text2)" "$(heading text)"
run 0 "a shorter report over a longer one" "$wb" -q -p0 -n1 -s sendfile -o text2 <X >Y
is "... has nothing of the longer one" "$(sed '1,/^--*$/d' text2 | grep -c .) $(table text2 | wc -l | tr -d ' ')" "2 1"
is "... and with one run nothing is recommended on standard error" "$(wc -l <err) $(grep -c sendfile err)" "1 0"
run 0 "reports in files, by their names" "$wb" -q -p0 -n2 -s 'sendfile,pipe+splice' -o a.txt -o a.md -o a.csv -o a.json -o a.svg -o a <X >Y
is "... text, Markdown, CSV, JSON, a picture, and what has no such name is text" \
	"$(for file in a.txt a.md a.csv a.json a.svg a; do head -c 4 $file; done | tr -d '\n')" \
	"$(head -c 4 text)###$(printf ' ')# sc{\"en<svg$(head -c 4 text)"
is "... --quiet leaves one line on standard error: the recommendation" \
	"$(wc -l <err | tr -d ' ') $(grep -Ec '^Use (sendfile|pipe\+splice): median [0-9.]+[um]s, [0-9.]+ [GM]iB/s' err)" "1 1"
is "... which is the same in CSV" "$(sed -n 's/^# recommendation: //p' a.csv)" "$(cat err)"
is "... all are of the same runs" "$(sed '1,/^row,/d' a.csv | cut -d, -f3 | sort)" \
	"$(sed -n 's/.*"runs_ns": \[\([0-9, ]*\)\].*/\1/p' a.json | tr -d ' ' | tr ',' '\n' | sort)"
run 0 "CSV on standard error, beside text in a file" "$wb" -p0 -n2 -s sendfile -f csv -o a.txt <X >Y
is "... each is what it should be" "$(head -n 1 err) $(heading a.txt)" "# schema: 2 $(heading text)"
run 0 "CSV in a file whose name has no format" "$wb" -p0 -n2 -s sendfile -f csv -o a <X >Y
is "... leaves text on standard error" "$(head -n 1 a) $(heading err)" "# schema: 2 $(heading text)"
run 0 "--quiet" "$wb" -q -p0 -n1 -x reflink <X >Y
is "... has heading and table only" "$(below err)$(sed '1,/^--*$/d' err | grep -vEc "^[a-z]|^$")" 0

# Markdown.
run 0 "markdown" "$wb" -p0 -n2 -f markdown <X >Y
is "markdown begins with the heading" "$(head -n 1 err | sed 's/,.*//')" "### $(head -n 1 text | sed 's/,.*//')"
is "... has a table of seven columns throughout" "$(grep '^|' err | tr -cd '|\n' | uniq)" "||||||||"
holds "... with titles and a rule" err '^\| row \| best \| median \| worst \| behind \|  \| CPU \|$' \
	'^\| :-- \| --: \| --: \| --: \| :-- \| :-- \| --: \|$'

# The heading, by file system.
medium() { # of a heading, or what stands in its place where this is a virtual machine of QEMU's
	if grep -qs '^QEMU' /sys/class/dmi/id/sys_vendor || grep -q '^model name[[:blank:]]*: QEMU' /proc/cpuinfo; then
		echo "QEMU virtual machine"
	else
		echo "$1"
	fi
}
places 300 8 >places
while read -r place dir <&4; do
	head -c 4096 X >"$dir/X"
	run 0 "$place: a report" "$wb" -p0 -n1 -s 'read+write 1k' <"$dir/X" >"$dir/Y"
	case $place in
	here) continue ;;
	tmpfs) wanted="^tmpfs /[^,]*, $(medium memory), " ;;
	ext?) wanted="^Ext${place#ext}\\+loop, " ;;
	xfs) wanted='^XFS\+loop, ' ;;
	*) wanted="^$place\\+loop, " ;;
	esac
	heading err >line
	holds "$place: the heading has it" line "${wanted}.*filesize=4KiB, kernel=$(uname -r)$"
	if [ "$place" != tmpfs ]; then
		"$wb" -p0 -n1 -s 'read+write 1k' -f csv <"$dir/X" 2>csv >"$dir/Y"
		holds "$place: the environment has the options of both mounts" csv "^# output_mount: $place [a-z]+,.*" "^# input_mount: $place [a-z]+,.*"
	fi
done 4<places
while read -r missing <&4; do
	skip "heading" "$missing"
done 4<missing
odd="$(printf '%060d' 0)/a\"b, \\ c" # and long
if grep -q '^tmpfs' places && mkdir -p "$odd" && mount -t tmpfs "" "$odd" 2>/dev/null; then
	run 0 "a directory with an odd name" "$wb" -n1 -p0 -s sendfile -f json -o json <X >"$odd/Y"
	if have perl && perl -MJSON::PP -e1 2>/dev/null; then
		is "... is reported, in valid JSON" "$(perl -MJSON::PP -e 'local $/; $_ = decode_json(<STDIN>)->{environment}{heading}; my $wanted = $ARGV[0] =~ s{([^ -~])}{sprintf "\\x%02x", ord $1}ger; print $_ eq $wanted' "tmpfs $(pwd -P)/$odd, $(medium memory), filesize=64KiB, kernel=$(uname -r)" <json)" 1
	fi
	umount "$odd"
else
	skip "a directory with an odd name" "no tmpfs to be mounted"
fi
# An overlay is shown as one.
if [ "${PLACES-}" = private ] && grep -q '^tmpfs' places && mkdir -p over lower tmpfs/upper tmpfs/work &&
	mount -t overlay overlay -o "lowerdir=$work/lower,upperdir=$work/tmpfs/upper,workdir=$work/tmpfs/work" over 2>mount.err; then
	run 0 "an overlay" "$wb" -q -p0 -n1 -s sendfile <X >over/Y
	heading err >line
	holds "... is shown as one" line "^overlay[^,]*$(medium '' | sed 's/^./, &/'), filesize=64KiB, kernel="
	umount over
	rm -rf tmpfs/work
else
	skip "an overlay" "not root, no mount namespaces, or no overlay"
fi

# In a virtual machine of QEMU's that is named, in place of media that it makes up.
sed 's/^model name.*/model name	: QEMU Virtual CPU version 2.5+/' /proc/cpuinfo >fake
if [ "${PLACES-}" = private ] && grep -q QEMU fake && mount --bind fake /proc/cpuinfo 2>/dev/null; then
	run 0 "in QEMU" "$wb" -q -p0 -n1 -s sendfile <X >tmpfs/Y
	heading err >line
	holds "... the heading says so, and names no medium" line '^(tmpfs /[^,]*|[^,]*), QEMU virtual machine, filesize=64KiB, kernel='
	run 0 "... where there is no file system, too" "$wb" -q -p0 -n1 -s sendfile <X >/dev/null
	heading err >line
	holds "... the heading says so" line '^/dev/null, QEMU virtual machine, filesize=64KiB, kernel='
	run 0 "... with two outputs in one place" "$wb" -q -p0 -n1 -s 'read+write x2 8k' --tee=tmpfs/Z <X >tmpfs/Y
	heading err >line
	holds "... it is these that are two, not the machine" line '^tmpfs /[^,]* twice, QEMU virtual machine, filesize='
	"$wb" -p0 -n1 -s sendfile -f csv -o csv <X >tmpfs/Y 2>/dev/null
	holds "... the output's medium is among the facts all the same" csv '^# output: file on tmpfs .*, memory$'
	umount /proc/cpuinfo
else
	skip "in QEMU" "not root, no mount namespaces, or a processor without a model name"
fi
if ! grep -q '^model name.*QEMU' /proc/cpuinfo && ! grep -qs '^QEMU' /sys/class/dmi/id/sys_vendor; then
	run 0 "elsewhere" "$wb" -q -p0 -n1 -s sendfile <X >Y
	lacks "... it does not" err QEMU
fi
if grep -q '^xfs ' places; then
	bytes 100000 >xfs/X
	run 0 "XFS: cloned" "$wb" -p0 -n2 -f csv -o csv <xfs/X >xfs/Y
	is "rows that share blocks say so" "$(column 4 csv | sort -u | tr '\n' ' ')" "ok shared "
	is "... and are the ones that can" "$(grep ',shared,' csv | cut -d, -f1 | sort -u)" "$(rows -s 'copy_file_range,copy_file_range + advices*,reflink' -x '*pfalloc' | sort)"
	{ "$wb" -p0 -n1 -s reflink <xfs/X 2>err && echo last; } >xfs/Y
	is "a clone, too, leaves the output at its end" "$(tail -c 5 xfs/Y) $(wc -c <xfs/Y | tr -d ' ')" "last 100005"
	run 0 "XFS: as text" "$wb" -v -p0 -n2 <xfs/X >xfs/Y
	is "... they stand above all rows that moved data, marked" \
		"$(table err | awk '{ print /s \(shared\)/ ? "shared" : "copied" }' | uniq | tr '\n' ' ')" "shared copied "
	holds "... and are said to be ranked apart" err '^Not ranked, since blocks are shared'
	is "... percentages stand on a row that moved data" "$(table err | grep -vc '(')" 1
else
	skip "XFS: cloned" "no XFS"
fi
