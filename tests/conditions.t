#!/bin/sh
# Conditions that differ are named; reports follow each other in a file.
# Tried: it fails where a condition is not named, or one that is not known is a difference; where a fact of the end is a
# Tried: condition; where columns are those of the report before.
. "$(dirname "$0")/tap.sh"
. "$top/tests/reports.sh"

# like LINE... >FILE: a report of r1, r2 and r3, six runs each that lie close together, where these lines say nothing
# else
like() {
	made heading=H "output=file on Ext4" "output_mount=ext4 rw" "input=file on XFS" \
		"input_mount=xfs rw" cpu=A cpus=2 \
		memory_bytes=1073741824 kernel=6.1 size=65536 block_size=4096 "until=the last call returned" \
		"page_cache=input in the page cache" reuse=no "output_file=emptied before each run" \
		"order=shuffled rounds" pause_s=0 \
		"r1 1000000..1000005; r2 2000000..2000005; r3 3000000..3000005" "$@"
}
# Name each difference with both values, and each fact that only one file has.
# conditions FILE FILE: the exit status, and what a report says of them
conditions() {
	"$wb" --compare "$@" >out 2>err
	echo "$? $(tr -s '\n ' ' ' <out | grep -Eo '(Note: |[Oo]nly in ).*')" | sed 's/ $//'
}
while IFS='|' read -r key old new; do
	words=$(echo "$key" | tr _ ' ')
	like "$key=$old" >old.csv
	like "$key=$new" >new.csv
	conditions old.csv new.csv >line
	holds "both $key are noted" line "^0 .*$words.*$old in old, .*$new in new"
	like "$key=" >new.csv
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
like >old.csv
like 'cpu=B; kernel=6.2; until=fdatasync; r2 =mismatch' >new.csv
conditions old.csv new.csv >line
holds "several that differ are named; a row copied wrongly fails no comparison" line '^0 ' 'until' 'cpu' 'kernel'
for i in 1 2; do
	like "date=2026-0$i; seed=$i; command_line=write-bench -n$i; heading=H$i; host=h$i; load=$i.0; level=0.0$i" \
		"compiler=gcc $i; memcpy_bytes=409$i; memcpy_ns=$i; source_ns=$i; source_1m_ns=$i; candidates=$i" \
		"recommended=r$i; recommendation=Use r$i; sharing=r$i; verified=sizes $i; thrown_away=$i" >$i.csv
done
like run_lines=18 >3.csv
is "what was measured, or says who, when and where, is no condition" \
	"$(conditions 1.csv 2.csv)$(conditions 1.csv 3.csv)$(conditions 3.csv 1.csv)" 000

# A warning about all times of a report is said beside another one, too.
like >quiet.csv
like "warning_zero=11% of it" >of.csv
for key in busy quota steal throttled; do
	like "warning_$key=so much" >of-all.csv
	conditions of-all.csv quiet.csv >/dev/null && cp out first && conditions quiet.csv of-all.csv of.csv >/dev/null
	is "of several files, warning_$key names its own" "$(grep -h '^Warning: ' first out | paste -sd' ')" \
		"Warning: so much (of-all). Warning: so much (of-all)."
done

like size=4096 >1.csv
like "size=65536; input_mount=xfs ro" >2.csv
like size=1048576 >3.csv
is "where the input is is no condition of three files or more, of other sizes, too" "$(conditions 1.csv 2.csv 3.csv)" 0

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

# Several sizes. A file is reports one after the other, with column names once, or again, with others.
rows="r1 1000000; r2 2000000; r3 3000000"
others="r1:7 =ok:what 1000000; r2:7 2000000; r3:7 3000000"
{ like "size=4096; $rows" && like "size=65536; $rows" | sed '/^row,/d'; } >once.csv
{ like "size=4096; $rows" && like "size=65536; $others"; } >more.csv
{ like "size=4096; $others" && like "size=65536; $rows"; } >less.csv
{ like "size=4096; $rows" && like "size=65536; $rows"; } | sed '/^#/d; /^row/d' >wanted
while read -r csv cpu; do
	"$wb" --compare "$csv.csv" -f csv | sed '/^#/d' >b.csv
	column row,round,ns,outcome,bytes b.csv >runs
	same "column names may stand once, or again, with others: $csv" wanted runs
	is "... CPU times" "$(column cpu_ms,round b.csv | sed 's/\.0*,/,/' | grep ',1$' | uniq | tr '\n' ' ')" "$cpu "
done <<'END'
once ,1
more ,1 7,1
less 7,1 ,1
END
# Refuse what is no file of reports.
refused() { # DESCRIPTION REGEX: of the file "bad"
	"$wb" --compare bad >out 2>err
	is "$1" "$? $(wc -c <out | tr -d ' ') $(grep -Ec -e "^write-bench: bad: $2" err)" "2 0 1"
}
{ like && like "until=fdatasync; reuse=yes"; } >bad
refused "the same size, cpu, kernel and output twice" 'line [0-9]+: '
for other in size=4096 cpu=B kernel=6.2 "output=file on XFS"; do
	{ like && like "$other"; } >bad
	run 0 "another ${other%%=*} is another report" "$wb" --compare bad >out
done
like | sed '$s/,65536$/,4096/' >bad
refused "a run of another size" "line $(like | wc -l): "
{ like "size=4096; run_lines=18" && like "run_lines=17"; } >bad
refused "more runs than the second report speaks of" 'line [0-9]+: .*18.* 17'
like size=99999 >one
for i in $(seq 32); do sed "s/99999/$i/" one; done >bad
run 0 "32 reports" "$wb" --compare bad >out
cat one >>bad
refused "33 reports" 'line [0-9]+: .*32'
