#!/bin/sh
# The reports: their forms, and that their figures follow from the runs that they tell.
# Tried: it fails where what was not measured has a time; rounds are not shuffled; the median of an even number of runs is
# Tried: one of them; the line below the heading is shorter; a heading does not tell of loop devices; an older report is not
# Tried: emptied; a machine of QEMU's is not told.
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
undo=unplace

bytes 65536 >X
nrows=$(rows | wc -l | tr -d ' ')

# CSV.
run 0 "csv" "$wb" -p0 -n3 --seed=5 -f csv -o csv <X >Y
is "csv begins with the heading" "$(sed -n '1s/: .*//p' csv)" "# heading"
is "... and further lines '# key: value'" "$(sed '/^row,/,$d' csv | grep -vEc '^# [a-z_]+: .+$')" 0
is "... then the column names" "$(grep -v '^#' csv | head -n 1 | cut -d, -f1-4)" "row,round,ns,outcome"
is "... then a line a run" "$(column 1 csv | wc -l | tr -d ' ')" "$(($(column 4 csv | grep -c '^ok\|^shared') + $(column 4 csv | grep -c '^n/a')))"
is "... with a time for each that was measured, and none for others" \
	"$(sed '1,/^row,/d' csv | grep -vEc '^[^,]*,[1-3],([1-9][0-9]*,(ok|shared),[0-9.]+|,n/a E[A-Z]+,)$')" 0
is "rounds come one after the other" "$(column 2 csv | sort -cn 2>&1)" ""
is "every row runs three times, or says n/a once" "$(column 1 csv | sort | uniq -c | grep -vEc '^ *[13] ')" 0
run 0 "csv again, with the same seed" "$wb" -p0 -n3 --seed=5 -f csv -o csv2 <X >Y
is "the seed repeats the order" "$(column 1 csv2)" "$(column 1 csv)"
run 0 "csv again, with another seed" "$wb" -p0 -n3 --seed=6 -f csv -o csv2 <X >Y
[ "$(column 1 csv2)" != "$(column 1 csv)" ]
is "another seed is another order" $? 0
is "each round is in an order of its own" "$(for r in 1 2 3; do sed '1,/^row,/d' csv | grep ",$r,.*\(ok\|shared\)," | cut -d, -f1 | cksum; done | sort -u | wc -l | tr -d ' ')" 3
run 0 "csv in order" "$wb" -p0 -n2 --in-order -f csv -o csv <X >Y
is "--in-order is the table's order, row after row" "$(column 1 csv | uniq)" "$(rows)"
is "... where a row's runs follow each other" "$(column 1 csv | uniq | sort | uniq -d)" ""

# JSON.
if have perl && perl -MJSON::PP -e1 2>/dev/null; then
	cat >check.pl <<'END'
use strict; use JSON::PP;
local $/; my $report = decode_json(<STDIN>); my $n = shift; my $last = 0;
sub near { abs($_[0] - $_[1]) <= $_[2] or die "$_[3]: $_[0], not $_[1]\n" }
$report->{environment}{heading} =~ /filesize=64KB, kernel=\S+$/ or die "heading\n";
my ($winner) = grep { $_->{outcome} eq 'ok' } @{$report->{rows}};
for my $row (@{$report->{rows}}) {
	if ($row->{outcome} =~ /^(ok|shared)$/) {
		my @ns = sort { $a <=> $b } @{$row->{runs_ns}};
		@ns == $n or die "$row->{name}: runs\n";
		near($row->{best_ns}, $ns[0], 0, "best");
		near($row->{worst_ns}, $ns[-1], 0, "worst");
		near($row->{median_ns}, @ns % 2 ? $ns[$#ns / 2] : ($ns[@ns / 2] + $ns[@ns / 2 - 1]) / 2, 0.5, "median");
		next if $row->{outcome} ne 'ok';
		near($row->{percent}, 100 * $ns[0] / $winner->{best_ns} - 100, 0.00501, "percent");
		$row->{best_ns} >= $last or die "not in the order of best runs\n";
		$last = $row->{best_ns};
	} else {
		$row->{outcome} =~ m(^n/a E[A-Z]+$) or die "$row->{outcome}\n";
		!@{$row->{runs_ns}} && !defined $row->{best_ns} or die "$row->{name}: has a time\n";
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
run 0 "text" "$wb" -p0 -n3 <X >Y
cp err text
holds "text has the base document's heading" text ', filesize=64KB, kernel=[^ ]+$'
is "... underlined" "$(sed -n 1p text | tr -c '\n' -)" "$(sed -n 2p text)"
time='[0-9.]+(us|ms|s)'
is "... and rows in its columns" \
	"$(sed '1,3d;/^$/,$d' text | grep -vEc "^[a-z].{39} *$time +$time +$time(  \((\+ [0-9.]+%\)( ~)?|shared\)))?$")" 0
is "... all there are, but for those that are n/a" \
	"$(sed '1,3d;/^$/,$d' text | wc -l | tr -d ' ')" "$("$wb" -p0 -n1 -f csv <X 2>&1 >Y | grep -Ec ',(ok|shared),')"
is "... exactly one copy is without a percentage" "$(sed '1,3d;/^$/,$d' text | grep -Ec 's$')" 1
is "... three significant digits" "$(sed '1,3d;/^$/,$d' text | grep -Eo '[0-9.]+(us|ms)' | grep -vEc '^([0-9]\.[0-9]{2}|[0-9]{2}\.[0-9]|[0-9]{3}|0\.[0-9]{3})(us|ms)$')" 0
is "... within 80 columns" "$(awk 'length > 80' text)" ""
lacks "... no escapes where it is no terminal" text "$(printf '\033')"
if grep -q EOPNOTSUPP text; then
	holds "... what is n/a, with errno, below" text '^n/a here: .*reflink.*'
fi
for _ in 1 2 3 4 5 6 7 8 9 10; do # which a machine that stands still may do all the same
	"$wb" -p0 -n3 -z 4096 <X >Y 2>err
	status=$?
	! grep -Eq '^read\+write bs +[0-9.]+us ' err || break
done
is "text, one small file" "$status" 0
lacks "4 KiB do not take 0 ms" err ' 0(\.0*)?[mun]?s'
holds "... but microseconds" err '^read\+write bs +[0-9.]+us '
for pause in 0.3 1 4 16; do
	"$wb" -p$pause -n1 -s sendfile -f csv -o csv <X >Y 2>err
	status=$?
	[ "$(column 3 csv)" -ge "$(awk "BEGIN { printf \"%.0f\", $pause * 1e9 }")" ] || break
done
is "a pause" "$status" 0
[ "$(column 3 csv)" -lt "$(awk "BEGIN { printf \"%.0f\", $pause * 1e9 }")" ]
is "... is not in the time" $? 0
run 0 "text in a file" "$wb" -p0 -n1 -o text2 <X >Y
is "... leaves standard error alone" "$(cat err)" ""
is "... has the same heading" "$(head -n 1 text2)" "$(head -n 1 text)"
run 0 "a shorter report over a longer one" "$wb" -q -p0 -n1 -s sendfile -o text2 <X >Y
is "... has nothing of the longer one" "$(wc -l <text2 | tr -d ' ')" 5
run 0 "--quiet" "$wb" -q -p0 -n1 -x reflink <X >Y
is "... has heading and table only" "$(sed '1,3d' err | grep -vEc "^[a-z]|^$")" 0

# Markdown.
run 0 "markdown" "$wb" -p0 -n2 -f markdown <X >Y
is "markdown begins with the heading" "$(head -n 1 err | sed 's/,.*//')" "### $(head -n 1 text | sed 's/,.*//')"
is "... has a table of five columns throughout" "$(grep '^|' err | tr -cd '|\n' | uniq)" "||||||"
holds "... with titles and a rule" err '^\| row \| best \| median \| worst \| behind \|$' '^\| :-- \| --: \| --: \| --: \| :-- \|$'

# The heading, by file system.
medium() { # of a heading, or what stands in its place where this is a virtual machine of QEMU's
	if grep -qs '^QEMU' /sys/class/dmi/id/sys_vendor || grep -q '^model name[[:blank:]]*: QEMU' /proc/cpuinfo; then
		echo "QEMU virtual machine"
	else
		echo "$1"
	fi
}
places 300 >places
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
	holds "$place: the heading tells it" err "${wanted}.*filesize=4KB, kernel=$(uname -r)$"
done 4<places
while read -r missing <&4; do
	skip "heading" "$missing"
done 4<missing
if grep -q '^tmpfs' places && mkdir "a\"b, \\ c" && mount -t tmpfs "" "a\"b, \\ c" 2>/dev/null; then
	run 0 "a directory with an odd name" "$wb" -n1 -p0 -s sendfile -f json -o json <X >"a\"b, \\ c/Y"
	if have perl && perl -MJSON::PP -e1 2>/dev/null; then
		is "... is told, in valid JSON" "$(perl -MJSON::PP -e 'local $/; $_ = decode_json(<STDIN>)->{environment}{heading}; print /b, . c, $ARGV[0], /ms + 0' "$(medium memory)" <json)" 1
	fi
	umount "a\"b, \\ c"
else
	skip "a directory with an odd name" "no tmpfs to be mounted"
fi
# An overlay is told with what its upper directory lies on, where that can be seen.
over() { # DESCRIPTION REGEX UPPER'S PLACE UPPER: mounted from within the place
	mkdir -p over lower "$3/$4" "$3/work"
	if (cd "$3" && mount -t overlay overlay -o "lowerdir=$work/lower,upperdir=${5-}$4,workdir=${5-}work" "$work/over") 2>mount.err; then
		"$wb" -q -p0 -n1 -s sendfile <X >over/Y 2>err
		holds "an overlay $1" err "$2, filesize=64KB, kernel="
		umount over
	else
		skip "an overlay $1" "$(tail -n 1 mount.err)"
	fi
	rm -rf "$3/work"
}
if [ "${PLACES-}" = private ] && grep -q '^tmpfs' places; then
	over "whose upper directory is on tmpfs" "^overlay\\+tmpfs [^,]*/tmpfs, $(medium memory)" "$work/tmpfs" upper "$work/tmpfs/"
	over "... in one with a blank in its name" "^overlay\\+tmpfs [^,]*/tmpfs, $(medium memory)" "$work/tmpfs" 'an upper' "$work/tmpfs/"
	mkdir -p upper
	over "... by a name that is not from the root on: another directory of that name is not meant" \
		"^overlay$(medium '' | sed 's/^./, &/')" "$work/tmpfs" upper
	if grep -q '^ext4 ' places; then
		"$wb" -q -p0 -n1 -s sendfile <X 2>err >ext4/Y
		over "whose upper directory is on a disk" "^overlay$(sed -n '1s/, filesize.*//; 1s/[+]/[+]/gp' err | sed 's/^/[+]/')" "$work/ext4" upper "$work/ext4/"
		mkdir -p hidden && mount --bind ext4 hidden && mkdir hidden/upper2 hidden/work2 &&
			mount -t overlay overlay -o "lowerdir=lower,upperdir=$work/hidden/upper2,workdir=$work/hidden/work2" over 2>mount.err &&
			umount -l hidden && "$wb" -q -p0 -n1 -s sendfile <X >over/Y 2>err
		if [ ! -s mount.err ]; then
			holds "... that can't be seen from here" err "^overlay$(medium '' | sed 's/^./, &/'), filesize=64KB"
			umount over
		else
			skip "... that can't be seen from here" "$(tail -n 1 mount.err)"
		fi
	else
		skip "an overlay whose upper directory is on a disk" "no ext4"
	fi
else
	skip "an overlay" "not root, or no mount namespaces"
fi

# In a virtual machine of QEMU's that is told, in place of media that it makes up.
sed 's/^model name.*/model name	: QEMU Virtual CPU version 2.5+/' /proc/cpuinfo >fake
if [ "${PLACES-}" = private ] && grep -q QEMU fake && mount --bind fake /proc/cpuinfo 2>/dev/null; then
	run 0 "in QEMU" "$wb" -q -p0 -n1 -s sendfile <X >tmpfs/Y
	holds "... the heading says so, and names no medium" err '^(tmpfs /[^,]*|[^,]*), QEMU virtual machine, filesize=64KB, kernel='
	run 0 "... where there is no file system, too" "$wb" -q -p0 -n1 -s sendfile <X >/dev/null
	holds "... the heading says so" err '^/dev/null, QEMU virtual machine, filesize=64KB, kernel='
	run 0 "... with two outputs in one place" "$wb" -q -p0 -n1 -s 'read+write x2 8k' --tee=tmpfs/Z <X >tmpfs/Y
	holds "... it is these that are two, not the machine" err '^tmpfs /[^,]* twice, QEMU virtual machine, filesize='
	"$wb" -p0 -n1 -s sendfile -f csv -o csv <X >tmpfs/Y
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
	run 0 "XFS: as text" "$wb" -p0 -n2 <xfs/X >xfs/Y
	holds "... they stand above the winner, marked" err 's  \(shared\)$' '^shared, ranked apart'
	is "... and percentages stand on a row that moved data" "$(sed '1,3d;/^$/,$d' err | grep -v '(shared)' | grep -Ec 's$')" 1
else
	skip "XFS: cloned" "no XFS"
fi
