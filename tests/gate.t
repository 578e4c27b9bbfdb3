#!/bin/sh
# The gate, --fail-if-slower, answers only what it knows; conditions that differ are named; reports follow each other in a file.
# Tried: it fails where the level is for one row, or two-sided; ties do not count; new runs are tested against the old ones as they were; a row
# Tried: that is missing, n/a, new and failed, or slower by estimate alone passes, or any size but the first; shared rows are not compared;
# Tried: nothing was compared, and all is well; what failed goes before conditions, or what is not known before what failed; all conditions
# Tried: close the gate; one that is not known is a difference; a fact of the end is a condition; what older versions leave out is not
# Tried: known; a file is matched by the order of its sizes; columns are those of the report before.
. "$(dirname "$0")/tap.sh"

# made ITEMS >FILE: a report of r1, r2 and r3, six runs each that lie close together, but for ITEMS, with a semicolon between them: "KEY=VALUE"
# a fact, or none; "rows N" so many rows; "xN" so many runs; "sd P" they are normal; "slow P N" the first N rows take P % longer;
# "rN" its time in us, then its runs, if it has others ("x2"), and outcome; or all its times in ns; or its outcome alone; or "gone".
cat >made.pl <<'END'
my ($rows, $runs, $sd, $slow, $slower, %own, @order, %fact) = (3, 6, 0, 0, 0);
sub normal { sqrt(-2 * log(1 - rand)) * cos(6.283185307179586 * rand) }
for (split /\s*;\s*/, join ";", "schema=4", "heading=H", "output=file on Ext4", "output_mount=ext4 rw", "input=file on XFS", "input_mount=xfs rw",
	"cpu=A", "cpus=2", "memory_bytes=1073741824", "kernel=6.1", "size=65536", "block_size=4096", "until=the last call returned",
	"page_cache=input in the page cache", "reuse=no", "output_file=emptied before each run", "order=shuffled rounds", "pause_s=0", @ARGV) {
	if (/^(\w+)=(.*)/) { push @order, $1 unless exists $fact{$1}; $fact{$1} = $2 }
	elsif (/^rows (\d+)$/) { $rows = $1 }
	elsif (/^x(\d+)$/) { $runs = $1 }
	elsif (/^sd (\d+)$/) { $sd = $1 }
	elsif (/^seed (\d+)$/) { srand((($1 * 40503) ** 2 + $1 * 7919) % 2 ** 32) } # seeds that are near each other give rows that are alike
	elsif (/^slow ([-\d.]+) (\d+)$/) { ($slow, $slower) = ($1, $2) }
	elsif (/^r(\d+) (.+)/) { $own{$1} = $2 }
	elsif (/./) { die "made: $_?\n" }
}
print map({ length $fact{$_} ? "# $_: $fact{$_}\n" : () } @order), "row,round,ns,outcome,bytes\n";
my @lines;
for my $r (sort { $a <=> $b } keys %{{ map { $_ => 1 } 1 .. $rows, keys %own }}) {
	my $is = $own{$r} // 1000 * $r * ($r <= $slower ? 1 + $slow / 100 : 1);
	next if $is eq "gone";
	my ($us, $n, $outcome) = $is =~ /^([\d.,]+)(?: x(\d+))?(?: (.+))?$/;
	my @ns = !$us ? "" : $us =~ /,/ ? split /,/, $us : map { int($us * (1000 + ($sd ? 10 * $sd * normal() : $_ / 10))) } 1 .. $n // $runs;
	$lines[$_] .= "r$r," . ($_ + 1) . ",$ns[$_]," . ($us ? $outcome // "ok" : $is) . ",$fact{size}\n" for 0 .. $#ns;
}
print @lines;
END
made() { perl made.pl "$@"; }
# judge [OPTION...]: the exit status for old.csv and new.csv, and the rows that messages name
judge() {
	[ $# -gt 0 ] || set -- --fail-if-slower
	"$wb" --compare old.csv new.csv "$@" >out 2>err
	echo "$? $(grep -ow 'r[0-9]*' err | sort -u | tr '\n' ' ')" | sed 's/ $//'
}
named() { # REGEX FILE: yes or no
	if grep -Eqw -e "$1" "$2"; then echo yes; else echo no; fi
}

# What became of rows, in turn.
while IFS='|' read -r wanted old new options; do
	made "$old" >old.csv
	made "$new" >new.csv
	# shellcheck disable=SC2086
	is "${old:-rows}, and now ${new:-as usual}${options:+, $options}" "$(judge $options)" "$wanted"
done <<'END'
0||
3 r2||r2 90000
3 r2||r2 90000|--fail-if-slower -q
0||r2 90000|--fail-if-slower -x r2
3 r1 r3||r1 1100; r2 1000; r3 3300
0||r1 1100; r3 3300|--fail-if-slower=10.5
3 r2||r2 failed EIO
3 r2||r2 n/a EXDEV
3 r2|r2 mismatch|r2 mismatch
3 r4||r4 failed signal 9
0|r2 mismatch|
0|r2 n/a EXDEV|r2 n/a EXDEV
3 r2|r2 20 shared|r2 2000 shared
3 r2|r2 20 shared|
0||r2 20 shared
2 r2||r2 gone
2 r1 r2 r3||rows 0; r4 1000
2|r1 n/a EXDEV; r2 n/a; r3 n/a EINVAL|r1 n/a EXDEV; r2 n/a; r3 n/a EINVAL
END
made >old.csv
made 'r2 gone; r3 90000' >new.csv
is "a row is slower, and one is missing" "$(judge | cut -c 1) $(named r3 err)" "3 yes"
made x2 >old.csv
made 'x2; r2 mismatch' >new.csv
is "too few runs, and a wrong copy" "$(judge | cut -c 1) $(named r2 err)" "3 yes"
"$wb" --compare old.csv new.csv >plain
is "the report is the one without" "$(cmp out plain) $(grep -c '^r2 ' plain)" " 1"

# The test: the largest U that is significant, from tables of the one-sided Mann-Whitney test at 0.05 / rows; ties are one half. A row that is
# slower only by estimate is named.
duel() { # ROWS RUNS OLD_RUNS TWICE_U: r1 against 1.25 times what it was
	awk -v n="$2" -v m="$3" -v u2="$4" 'BEGIN {
		for (i = 1; i <= m; i++) old = old 1000000 + 40000 * i ","
		for (i = 1; i <= n; i++) { c = u2 < 2 * (m - 1) ? u2 : 2 * (m - 1); u2 -= c; new = new 1250000 + 50000 * m - 25000 * (c - 1) "," }
		print old, new }' >runs
	made "rows $1; x12; r1 $(cut -d ' ' -f 1 runs)" >old.csv
	made "rows $1; x12; r1 $(cut -d ' ' -f 2 runs)" >new.csv
	judge --fail-if-slower=25
}
for shape in "1 3 3 0" "1 10 10 27" "2 5 8 6" "5 10 10 19" "44 10 10 11"; do
	# shellcheck disable=SC2086
	is "rows, runs, old runs, U: $shape: slower, and not with a half more" "$(duel ${shape% *} $((2 * ${shape##* })))/$(duel ${shape% *} $((2 * ${shape##* } + 1)))" "3 r1/0 r1"
done
for shape in "1 3" "4 5" "47 7"; do
	rows=${shape% *} enough=${shape#* }
	made "rows $rows; x$((enough - 1))" | tee new.csv >old.csv
	is "$rows rows, $((enough - 1)) runs: too few, and how many would do" "$(judge | cut -c 1) $(grep -o -e '-n [0-9]*' err)" "2 -n $enough"
	made "rows $rows; x$enough" | tee new.csv >old.csv
	is "... $enough runs will" "$(judge)$(cat err)" 0
done
# By the definition: exit status, and rows that are slower by test or by estimate; "?" if the median of an even number of ratios is near.
cat >definition.pl <<'END'
my (%ns, %ways, $slower, %named);
while (<>) { push @{$ns{$1}{$ARGV}}, $2 if /^(r\d+),\d+,(\d+),ok/ }
sub ways { my ($m, $n, $u) = @_; $u < 0 ? 0 : !$m || !$n ? !$u + 0 : ($ways{"$m $n $u"} //= ways($m - 1, $n, $u - $n) + ways($m, $n - 1, $u)) }
for my $r (keys %ns) {
	my ($old, $new, $u, $all, $tail, @ratios) = ($ns{$r}{"old.csv"}, $ns{$r}{"new.csv"}, 0, 0, 0);
	for my $x (@$new) { for my $y (@$old) { $u += $x < 1.05 * $y; push @ratios, $x / $y } }
	for my $i (0 .. @$new * @$old) { my $w = ways(scalar @$new, scalar @$old, $i); $all += $w; $tail += $w if $i <= $u }
	@ratios = sort { $a <=> $b } @ratios;
	my ($low, $high) = @ratios[(@ratios - 1) / 2, @ratios / 2];
	print "?" if ($low > 1.05) != ($high > 1.05);
	$slower = 3 if $tail / $all <= 0.05 / keys %ns;
	$named{$r} = 1 if $low > 1.05;
}
print join(" ", $slower // 0, sort keys %named), "\n";
END
pairs=30
[ -z "${FULL-}" ] || pairs=60
for k in $(seq $pairs); do
	made "seed $k; sd 6; rows $((1 + k % 5)); x$((6 + k % 3))" >old.csv
	made "seed $((100 + k)); sd 6; rows $((1 + k % 5)); x$((6 + k % 4)); slow $((k / 2 % 20)) 2" >new.csv
	echo "$(judge):$(perl definition.pl old.csv new.csv)"
done >verdicts
is "$pairs pairs of files: the verdict is that of the definition" "$(awk -F: '$1 != $2 && $2 !~ /[?]/' verdicts)" ""
is "... of each kind there are some" "$(for kind in ':0$' ':0 r' ':3 r'; do grep -c "$kind" verdicts; done | grep -c '^[1-9]')" 3

# Machines whose truth is known: 10 runs of each row.
if full "machines whose truth is known, 100 pairs each"; then
	for case in "4.9 44 0 95" "10 1 3 85" "0 0 0 99"; do
		read -r percent slow status least <<-END
			$case
		END
		n=$(for k in $(seq 100); do
			made "seed $k; sd 2; rows 44; x10" >old.csv
			made "seed $((1000 + k)); sd 2; rows 44; x10; slow $percent $slow" >new.csv
			judge
		done | cut -c 1 | grep -c "$status")
		is "44 rows, $slow are $percent % slower: $status for $n of 100 pairs, $least or more" "$((n >= least))" 1
	done
fi

# Conditions. What differs is named with both values, and the gate ends with 2 for some; what only one file has is named, and that is all.
# conditions FILE FILE: the exit status, and what a report says of them
conditions() {
	"$wb" --compare "$@" >out 2>err
	echo "$? $(tr -s '\n ' ' ' <out | grep -Eo '(Note: |differ: |[Oo]nly in ).*')" | sed 's/ $//'
}
while IFS='|' read -r key old new status; do
	words=$(echo "$key" | tr _ ' ')
	made "$key=$old" >old.csv
	made "$key=$new; r2 90000" >new.csv
	is "another $key, and a row is slower: $status" "$(judge | cut -c 1) $(named "$key|$words" err)" "$status $([ "$status" = 3 ] && echo no || echo yes)"
	[ "$key" != size ] || continue # that is a comparison by size
	conditions old.csv new.csv >line
	holds "... both $key are noted" line "^0 .*$words.*$old in old, .*$new in new"
	made "$key=" >new.csv
	conditions old.csv new.csv >line
	conditions new.csv old.csv >>line
	is "... only one file has $key" "$(grep -Ec "old: $words" line) $(judge)" "2 0"
done <<'END'
cpu|A|B|2
cpus|2|64|2
memory_bytes|1000001|2000001|2
kernel|6.1|6.2|2
output_mount|ext4 rw|ext4 rw,noatime|2
input_mount|xfs rw|xfs ro|2
until|the last call returned|fdatasync|2
page_cache|input in the page cache|input evicted|2
size|65536|65537|2
reuse|no|yes|2
output_file|emptied before each run|a new one|2
output|file on Ext4|file on Ext4 by LVM|3
block_size|512|4096|3
version|write-bench 1.0|write-bench 1.1|3
order|shuffled rounds|rounds in the table's order|3
END
made >old.csv
made 'cpu=B; kernel=6.2; until=fdatasync; r2 mismatch' >new.csv
conditions old.csv new.csv >line
holds "several that differ are named" line 'until' 'cpu' 'kernel'
is "... by the gate, too, before what failed" "$(judge | cut -c 1) $(named cpu err) $(named kernel err) $(named until err)" "2 yes yes yes"
for i in 1 2; do
	made "date=2026-0$i; seed=$i; command_line=write-bench -n$i; heading=H$i; host=h$i; load=$i.0; compiler=gcc $i; memcpy_bytes=409$i; memcpy_ns=$i; source_ns=$i;\
source_1m_ns=$i; command_ns=$i; shell_command_ns=$i; level=0.0$i; candidates=$i; recommended=r$i; recommendation=Use r$i; sharing=r$i; verified=sizes $i; thrown_away=$i" >$i.csv
done
made run_lines=18 >3.csv
is "what was measured, or says who, when and where, is no condition" "$(conditions 1.csv 2.csv)$(conditions 1.csv 3.csv)$(conditions 3.csv 1.csv)" 000
cp 1.csv old.csv && cp 2.csv new.csv
is "... for the gate" "$(judge)$(cat err)" 0

# Two sessions in a row. The row takes the same time on any machine.
bytes 65536 >X
session() { # FILE OPTION...
	csv=$1
	shift
	timeout 300 "$wb" -p0 -f csv -o "$csv" "$@" <X 2>err >Y
}
for csv in one.csv two.csv; do
	# shellcheck disable=SC2016 # a glob of names
	session $csv -n4 -s '$ *' -w 'sleep 0.1; dd status=none'
done
cp one.csv old.csv && cp two.csv new.csv
is "two sessions in a row: no condition is named, and the gate is open" "$(conditions old.csv new.csv)$(judge --fail-if-slower=50)$(cat err)" 00
for mode in --cold --overwrite "-z 4k,64k"; do
	for csv in old.csv new.csv; do
		# shellcheck disable=SC2086
		session $csv -s sendfile,'read+write 64k' $mode
	done
	is "... with $mode" "$(conditions old.csv new.csv)" 0
done

# Several sizes: at each, matched by bytes. A file is reports one after the other.
sizes() { # ITEMS ITEMS: at 4 KiB, and at 64
	made "size=4096; $1" && made "size=65536; $2"
}
sizes "" "" >old.csv
while IFS='|' read -r wanted small large; do
	sizes "$small" "$large" >new.csv
	is "two sizes, and now ${small:-as usual} and ${large:-as usual}" "$(judge)" "$wanted"
	{ made "size=65536; $large" && made "size=4096; $small"; } >new.csv
	is "... in another order" "$(judge)" "$wanted"
done <<'END'
3 r2|r2 90000|
3 r3||r3 mismatch
2 r1||r1 gone
2||kernel=6.2
END
made "size=4096" >new.csv
is "a size is missing" "$(judge) $(named 'sizes?' err)" "2 yes"
{ sizes "" "" && made "size=1048576"; } >new.csv
is "there is one more" "$(judge) $(named 'sizes?' err)" "2 yes"
{ made "size=4096" && made "size=65536" | sed '/^row,/d'; } >once.csv
{ made "size=4096" && made "size=65536" | sed '/^#/!{s/^row,.*/&,note,cpu_ms/;t;s/$/,what,7/;}'; } >more.csv
{ made "size=4096" | sed '/^#/!{s/,bytes$/,cpu_ms,detail,bytes/;t;s/,4096$/,6,what,4096/;}' && made "size=65536" | sed '/^#/!s/,[^,]*$//'; } >less.csv
sizes "" "" | sed '/^#/d; /^row/d' >wanted
while read -r csv cpu; do
	"$wb" --compare "$csv.csv" -f csv | sed '/^#/d' >b.csv
	column row,round,ns,outcome,bytes b.csv >runs
	same "column names may stand once, or again, with others: $csv" wanted runs
	is "... CPU times" "$(column cpu_ms,round b.csv | sed 's/\.0*,/,/' | grep ',1$' | uniq | tr '\n' ' ')" "$cpu "
done <<'END'
once ,1
more ,1 7,1
less 6,1 ,1
END
# What is no file of reports.
refused() { # DESCRIPTION REGEX: of the file "bad"
	"$wb" --compare bad >out 2>err
	is "$1" "$? $(wc -c <out | tr -d ' ') $(grep -Ec -e "^write-bench: bad: $2" err)" "2 0 1"
}
{ made && made "until=fdatasync; reuse=yes"; } >bad
refused "the same size, cpu, kernel and output twice" 'line [0-9]+: '
for other in size=4096 cpu=B kernel=6.2 "output=file on XFS"; do
	{ made && made "$other"; } >bad
	run 0 "another ${other%%=*} is another report" "$wb" --compare bad >out
done
made | sed '$s/,65536$/,4096/' >bad
refused "a run of another size" "line $(made | wc -l): "
{ made "size=4096; run_lines=18" && made "run_lines=17"; } >bad
refused "more runs than the second report speaks of" 'line [0-9]+: .*18.* 17'
made "rows 1; x1; size=99999" >one
for i in $(seq 32); do sed "s/99999/$i/" one; done >bad
run 0 "32 reports" "$wb" --compare bad >out
cat one >>bad
refused "33 reports" 'line [0-9]+: .*32'

# What the option takes.
made | tee new.csv >old.csv
for percent in 0 0.99 "" 5% nan; do
	is "'$percent' is no percentage" "$(judge --fail-if-slower="$percent") $(wc -c <out | tr -d ' ')" "2 0"
done
is "1.5 is one" "$(judge --fail-if-slower=1.5)$(cat err)" 0
for files in "--compare old.csv" "--compare old.csv new.csv old.csv" ""; do
	# shellcheck disable=SC2086
	run 2 "two reports are needed: ${files:-none}" "$wb" --fail-if-slower $files </dev/null >out
done
