#!/bin/sh
# Conditions that differ are named; reports follow each other in a file.
# Tried: it fails where a condition is not named, or one that is not known is a difference; where a fact of the end is a condition; where
# Tried: columns are those of the report before.
. "$(dirname "$0")/tap.sh"

# made ITEMS >FILE: a report of r1, r2 and r3, six runs each that lie close together, but for ITEMS, with a semicolon between them: "KEY=VALUE"
# a fact, or none; "rN OUTCOME" what became of a row.
cat >made.pl <<'END'
my (%own, @order, %fact);
for (split /\s*;\s*/, join ";", "schema=4", "heading=H", "output=file on Ext4", "output_mount=ext4 rw", "input=file on XFS", "input_mount=xfs rw",
	"cpu=A", "cpus=2", "memory_bytes=1073741824", "kernel=6.1", "size=65536", "block_size=4096", "until=the last call returned",
	"page_cache=input in the page cache", "reuse=no", "output_file=emptied before each run", "order=shuffled rounds", "pause_s=0", @ARGV) {
	if (/^(\w+)=(.*)/) { push @order, $1 unless exists $fact{$1}; $fact{$1} = $2 }
	elsif (/^r(\d+) (.+)/) { $own{$1} = $2 }
	elsif (/./) { die "made: $_?\n" }
}
print map({ length $fact{$_} ? "# $_: $fact{$_}\n" : () } @order), "row,round,ns,outcome,bytes\n";
for my $round (1 .. 6) {
	for my $r (1 .. 3) {
		my $ns = 1000 * $r * (1000 + ($round - 1) / 10);
		print $own{$r} ? $round > 1 ? "" : "r$r,1,,$own{$r},$fact{size}\n" : "r$r,$round,$ns,ok,$fact{size}\n";
	}
}
END
made() { perl made.pl "$@"; }
# What differs is named with both values; so is what only one file has.
# conditions FILE FILE: the exit status, and what a report says of them
conditions() {
	"$wb" --compare "$@" >out 2>err
	echo "$? $(tr -s '\n ' ' ' <out | grep -Eo '(Note: |[Oo]nly in ).*')" | sed 's/ $//'
}
while IFS='|' read -r key old new; do
	words=$(echo "$key" | tr _ ' ')
	made "$key=$old" >old.csv
	made "$key=$new" >new.csv
	conditions old.csv new.csv >line
	holds "both $key are noted" line "^0 .*$words.*$old in old, .*$new in new"
	made "$key=" >new.csv
	conditions old.csv new.csv >line
	conditions new.csv old.csv >>line
	is "... only one file has $key" "$(grep -Ec "old: $words" line)" 2
done <<'END'
cpu|A|B
cpus|2|64
memory_bytes|1000001|2000001
kernel|6.1|6.2
output_mount|ext4 rw|ext4 rw,noatime
input_mount|xfs rw|xfs ro
until|the last call returned|fdatasync
page_cache|input in the page cache|input evicted
reuse|no|yes
output_file|emptied before each run|a new one
output|file on Ext4|file on Ext4 by LVM
block_size|512|4096
version|write-bench 1.0|write-bench 1.1
order|shuffled rounds|rounds in the table's order
END
made >old.csv
made 'cpu=B; kernel=6.2; until=fdatasync; r2 mismatch' >new.csv
conditions old.csv new.csv >line
holds "several that differ are named; a row that was copied wrongly fails no comparison" line '^0 ' 'until' 'cpu' 'kernel'
for i in 1 2; do
	made "date=2026-0$i; seed=$i; command_line=write-bench -n$i; heading=H$i; host=h$i; load=$i.0; compiler=gcc $i; memcpy_bytes=409$i; memcpy_ns=$i; source_ns=$i;\
source_1m_ns=$i; level=0.0$i; candidates=$i; recommended=r$i; recommendation=Use r$i; sharing=r$i; verified=sizes $i; thrown_away=$i" >$i.csv
done
made run_lines=18 >3.csv
is "what was measured, or says who, when and where, is no condition" "$(conditions 1.csv 2.csv)$(conditions 1.csv 3.csv)$(conditions 3.csv 1.csv)" 000

# A warning about all times of a report is said beside another one, too.
made >quiet.csv
made "warning_zero=11% of it" >of.csv
for key in busy quota steal throttled; do
	made "warning_$key=so much" >of-all.csv
	conditions of-all.csv quiet.csv >/dev/null && cp out first && conditions quiet.csv of-all.csv of.csv >/dev/null
	is "of several files, warning_$key names its own" "$(grep -h '^Warning: ' first out | paste -sd' ')" \
		"Warning: so much (of-all). Warning: so much (of-all)."
done

made size=4096 >1.csv
made "size=65536; input_mount=xfs ro" >2.csv
made size=1048576 >3.csv
is "where the input is is no condition between three files or more, of other sizes, too" "$(conditions 1.csv 2.csv 3.csv)" 0

# Two sessions in a row differ in no condition.
bytes 65536 >X
session() { # FILE OPTION...
	csv=$1
	shift
	timeout 300 "$wb" -p0 -f csv -o "$csv" "$@" <X 2>err >Y
}
for mode in "" --cold --overwrite "-z 4k,64k"; do
	for csv in old.csv new.csv; do
		# shellcheck disable=SC2086
		session $csv -s sendfile,'read+write 64k' $mode
	done
	is "two sessions in a row${mode:+, $mode}" "$(conditions old.csv new.csv)" 0
done

# Several sizes. A file is reports one after the other.
{ made "size=4096" && made "size=65536" | sed '/^row,/d'; } >once.csv
{ made "size=4096" && made "size=65536" | sed '/^#/!{s/^row,.*/&,note,cpu_ms/;t;s/$/,what,7/;}'; } >more.csv
{ made "size=4096" | sed '/^#/!{s/,bytes$/,cpu_ms,detail,bytes/;t;s/,4096$/,6,what,4096/;}' && made "size=65536" | sed '/^#/!s/,[^,]*$//'; } >less.csv
{ made "size=4096" && made "size=65536"; } | sed '/^#/d; /^row/d' >wanted
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
made size=99999 >one
for i in $(seq 32); do sed "s/99999/$i/" one; done >bad
run 0 "32 reports" "$wb" --compare bad >out
cat one >>bad
refused "33 reports" 'line [0-9]+: .*32'
