#!/bin/sh
# The reports: their forms, that their figures follow from the runs that they have, and that what is read back is the
# same report, also with its lines sorted.
# Tried: it fails where what was not measured has a time; rounds are not shuffled; the line below a heading is shorter;
# Tried: it has one of two ends; numbers are strings in JSON; columns are not below titles; lines are in another order.
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"
. "$top/tests/reports.sh"
undo="unplace; $undo"

heading() { sed '/^--*$/,$d' "$1" | paste -sd' ' -; } # of a text report, as one line
bytes 65536 >X

# ---- CSV
run 0 "csv" "$wb" -p0 -n3 --seed=5 -f csv -o csv <X >Y
is "csv begins with version and heading" "$(sed -n '1p;2s/: .*//p' csv | paste -sd' ')" "# schema: 5 # heading"
is "... and further lines '# key: value', each with a key of its own" "$(
	sed '/^row,/,$d' csv | grep -vEc '^# [a-z_0-9]+: .+$') $(sed '/^row,/,$d; s/: .*//' csv | sort | uniq -d)" "0 "
lacks "... without its line's end" csv '\\x0a'
is "... then the columns" "$(columns csv)" "row,round,ns,outcome,detail,bytes,cpu_ms"
refused=',n/a( E[A-Z]+)?,("[^"]*"|[^",]+),65536,'
is "... then a line a run, with a time for each that was measured, and for others the call that was refused" "$(
	sed '1,/^row,/d' csv | grep -vEc "^[^,]*,[1-3],([1-9][0-9]*,(ok|shared),,65536,[0-9.]+|$refused)\$")" 0
is "rounds come one after the other" "$(column 2 csv | sort -cn 2>&1)" ""
order() { column 1 "$1" | grep -v direct; } # which on btrfs may go through the page cache in any run, and be n/a then
is "every row runs three times, or says n/a once" "$(order csv | sort | uniq -c | grep -vEc '^ *[13] ')" 0
run 0 "csv again, with the same seed" "$wb" -p0 -n3 --seed=5 -f csv -o csv5 <X >Y
is "... repeats the order" "$(order csv5)" "$(order csv)"
run 0 "... with another seed" "$wb" -p0 -n3 --seed=6 -f csv -o csv6 <X >Y
is "... is another, and each round has its own" "$(for file in csv csv6; do for r in 1 2 3; do
	sed '1,/^row,/d' $file | grep ",$r,.*,\(ok\|shared\)," | cut -d, -f1 | cksum; done; done | sort -u | wc -l)" 6
run 0 "csv in order" "$wb" -p0 -n2 --in-order -f csv -o csv2 <X >Y
is "--in-order is the table's order, in each round" "$(column 1,2 csv2 | sed -n 's/,1$//p')" "$(rows)"
"$wb" --man | perl -ne 's/\\//g; $part = $1 if /^\.S[SH] (.*)/; print $1 =~ s/.*warning_.*/warning/r, "\n"
	if $named && $part =~ /^Keys/ && /^\.B (.*)/; $named = /^\.TP/' >keys
is "the manual page has ten warnings, and at most 40 other keys" "$(grep -c warning keys) $(
	grep -vc warning keys | awk '{ print $1 <= 40 }')" "10 1"
is "... all there are" "$(sed -n '/^row,/q; s/^# \([a-z_0-9]*\):.*/\1/p' csv | grep -v warning_ | grep -vxFf keys)" ""

# ---- JSON
cat >check.pl <<'END'
use strict; use JSON::PP; use Judge;
local $/; my $document = decode_json(<STDIN>); my ($report) = @{$document->{reports}}; my $n = shift; my $last = 0;
my ($env, @rows) = ($report->{environment}, @{$report->{rows}});
sub are {
	my ($what, $of, @keys) = @_;
	JSON::PP->new->encode($of) =~ /"$_":$what/ or die "$_ is no $what\n" for @keys;
}
are('[0-9]', $env, qw(schema size cpus memory_bytes runs pause_s seed memcpy_ns run_lines));
are('"[^"]', $env, qw(heading command_line output input kernel cpu page_cache output_file until verified date version));
"$document->{schema} $#{$document->{reports}} @$env{qw(size runs)}" eq "5 0 65536 $n" or die "schema, size or runs\n";
my ($used) = grep { $_->{row} eq ($env->{recommended} // '') } @rows;
($n == 1 ? !$used : $used->{mark} eq '~') or die "recommended\n";
my ($winner) = grep { $_->{outcome} eq 'ok' } @rows;
for my $row (@rows) {
	my @ns = sort { $a <=> $b } @{$row->{runs_ns}};
	if ($row->{outcome} =~ /^(ok|shared)$/) {
		are('\[?[0-9]', $row, qw(best_ns median_ns worst_ns runs_ns cpu_ms));
		join(' ', scalar @ns, @$row{qw(best_ns median_ns worst_ns)}) eq join(' ', $n, $ns[0], int median(@ns), $ns[-1])
			or die "$row->{row}: runs\n";
		next if $row->{outcome} ne 'ok';
		$row->{percent} == sprintf "%.2f", 100 * $ns[0] / $winner->{best_ns} - 100 or die "$row->{percent}%\n";
		$row->{best_ns} >= $last or die "not in the order of best runs\n";
		$last = $row->{best_ns};
	} else {
		die "$row->{outcome}: has a time\n" if @ns || grep { defined $row->{$_} } qw(best_ns percent);
		$row->{outcome} =~ m(^n/a( E[A-Z]+)?$) && $row->{detail} or die "$row->{outcome}: no reason\n";
	}
}
print scalar @rows;
END
if perl -MJSON::PP -e1 2>/dev/null || or_skip "json" "no perl with JSON::PP"; then
	for n in 1 4; do
		run 0 "json, $n runs" "$wb" -p0 -n$n -f json -o json <X >Y
		is "... is JSON, and best, median, worst and percentage follow from the runs" \
			"$(perl -I"$top/tests" check.pl $n <json 2>&1)" "$(rows | wc -l)"
	done
fi

# ---- Text, Markdown
run 0 "text" "$wb" -p0 -v -n3 -o text.csv -o text.json -o text.txt -o text.log -f text <X >Y
cp err text
is "text has the base document's heading, underlined, as long as its longest line" \
	"$(heading text | grep -Ec ', filesize=64KiB, kernel=[^ ]+$') $(
		awk '/^--*$/ { print length == n; exit } length > n { n = length }' text)" "1 1"
holds "... then titles" text '^row +best +median +worst behind +CPU$'
time='[0-9.]+(us|ms|s)'
form="^([a-z$].*[^ ]) +$time +$time +$time( (\(\+[0-9.]+%\)|\(>9999%\)|shared))?( +~)?( +([0-9]+%|-))?\$"
is "... and rows in its columns" "$(table text | grep -vEc "$form")" 0
is "... whose ends are below those of the titles" "$(sed -n '/^row  /,/^$/p' text |
	perl -ne 'my @at; push @at, $+[0] while / \K(best|median|worst|[0-9.]+(us|ms|s))(?= |$)/g;
		print "@at[0..2]\n" if @at' | sort -u | wc -l)" 1
is "... all that were measured" "$(table text | wc -l)" "$(grep -Ec '"outcome": "(ok|shared)"' text.json)"
is "... three digits" "$(table text | grep -Eo '[0-9.]+(us|ms)' |
	grep -vEc '^([0-9]\.[0-9]{2}|[0-9]{2}\.[0-9]|[0-9]{3}|0\.[0-9]{3})(us|ms)$')" 0
is "... within 80 columns, but what is to be typed" "$(wider 80 text)" ""
lacks "... no escapes where it is no terminal" text "$(printf '\033')"
is "... with --verbose all facts" "$(sed 's/^  / /' text | perl -0pe 's/\n (?=\S)/ /g' >facts
	tr -d ' \n' <text >squeezed
	sed -n '/^row,/q; /^# \(warning_\|recommend\|run_lines\)/d; s/^# //p' text.csv | tr -d ' ' |
		while read -r fact; do grep -qF "$fact" squeezed || echo "$fact"; done)" ""
is "... what is n/a, with its call and errno, in one line" "$(grep -c '^n/a: ' facts) $(
	perl -ne 'print "$2: $1\n" if m(^[^,]*,1,,n/a ([A-Z]+),"?([^,"]*))' text.csv | sort -u |
		while read -r reason; do grep -qF "$reason" facts || echo "$reason"; done)" "$(grep -c -m1 ',n/a' text.csv) "
is "-o: the report, by extension, another one as -f says" "$(cmp text text.txt; cmp text text.log)" ""
tells 2 "... or refused" 'text\.md5' "$wb" -n1 -o text.md5 -s sendfile <X 1<>Y
run 0 "text, into a device that looks at no byte" "$wb" -p0 -n2 -s 'sendfile,pipe+splice' <X >/dev/null
is "... says so in the place of a percentage" "$(table err | grep -c 's untouched')" 2
is "-q: the answer alone" "$("$wb" -p0 -q -n1 -s sendfile 2>&1 <X >Y | sed 's/\. .*//')" "1 run shows nothing"
run 0 "markdown" "$wb" -p0 -n2 -f markdown <X >Y
is "markdown begins with the heading" "$(head -n 1 err | sed 's/\\//g')" "### $(heading text)"
is "... has a table of seven columns" "$(grep '^|' err | tr -cd '|\n' | uniq) $(grep '^| :' err)" \
	"|||||||| | :-- | --: | --: | --: | :-- | :-- | --: |"

# ---- Lines below the table, in their order; names are whole but in the text
long=$(yes word | head -n 30 | paste -sd_)
warnings=$(printf "warning_%s=$long; " zero evicted cached_input not_cold busy dirty swapped started useless)
made runs=6 "heading=H; size=268435456; memcpy_ns=20000000; cpu=C; interrupted=by SIGTERM" "ms; sendfile:100 101..106" \
	"$warnings" \
	"allocated:200 100.1 108.2 108.3 108.4 108.5 108.6; cloned:0 =shared 0.05x6; lost =n/a_EXDEV:call" \
	"\$_cat_$long:10 141..145 500; \$_dd:100 1500x6; bad =failed_EIO:write" >full.csv
"$wb" --compare full.csv -o full.md | sed '1,/^row/d; 1,/^$/d' >out
is "lines below the table, in their order" "$(grep -o '^[^ ]*' out | uniq -c | tr -s ' \n' ' ')" \
	" 1 Failed: 1 Interrupted 1 Use 1 Commands: 1 ~: 1 To 10 Warning: 1 n/a: 1 C; "
tr -s '\n ' ' ' <out >line
holds "... the answer with all there is to it" line ' Use cloned: .* 50\.0us\..*: use allocated: 1\.3[0-9] .* as cat ' \
	'; median 108ms, 2\.31GiB/s with 1\.8 CPUs, 74% of memcpy\. '
lacks "... names are whole in Markdown" full.md '\.\.\.'

# ---- The heading, by file system; both ends, if they differ
places 300 8 >places
here=$(heading text | sed 's/, .*//')
case $here in unknown*) from="" ;; *) from="$(echo "$here" | sed "s/+/\\\\&/g") to " ;; esac # a chroot has no mount
while read -r place dir <&4; do
	[ "$place" != here ] || continue
	head -c 4096 X >"$dir/X"
	name=$(echo "$place" | sed 's/tmpfs/& .*, memory, /; t; s/^e/E/; s/xfs/XFS/; s/$/\\+loop, /')
	run 0 "$place: a report" "$wb" -p0 -n1 -s 'read+write 1k' -o csv.csv <"$dir/X" >"$dir/Y"
	heading err >line
	holds "... the heading has it" line "^$name.*filesize=4KiB, kernel=$(uname -r)$"
	[ "$place" = tmpfs ] || holds "... and the facts the options of both mounts" csv.csv \
		"^# output_mount: $place [a-z]+,.*" "^# input_mount: $place [a-z]+,.*"
	[ "$(sed 's/,.*//' line)" = "$here" ] || name=$from$name # one name is not said twice
	run 0 "$place, from here" "$wb" -p0 -n1 -s 'read+write 1k' <X >"$dir/Y"
	heading err >line
	holds "... both ends are in the heading, the input first" line "^$name"
done 4<places
while read -r missing; do skip "heading" "$missing"; done <missing

# ---- What is read back is the same report, also with its lines sorted
while IFS='|' read -r status options; do
	eval "at_once 'text markdown csv json svg' $options"
	is "... exit status" "$session" "$status"
done <<'END'
0|-n3
0|-n1 -s 'send*' --until=sync --in-order --no-verify --counters
0|-s 'send*,read+write 256k,mmap*,ring*' -w cat
1|-n2 -s 'send*' -w 'cat # é, "q" | \x' -w 'exit 3' -w 'kill -9 $$' -w 'echo "a, \"b\"	" >&2; exit 9' -w 'head -c 9'
END
holds "... with exit status, signal, words, and the first wrong byte" live.csv ',failed,exit status 3,' \
	',failed,killed by .* 9 ' ',failed,"exit status 9: a, ""b""\\x09",' ',mismatch,9,'
# Interrupted after rounds that a command counts, long before the last; dd(1), since cat(1) shares blocks where it can
"$wb" -p 0.01 -n 20000 -s 'send*' -w 'dd status=none; echo >>rounds' -o live.csv <X >Y 2>err &
pid=$!
until_there awk 'END { exit NR < 9 }' rounds
kill -INT $pid
within 60 $pid
wait $pid
is "interrupted" $? 130
read_back "interrupted" csv
holds "... and says so" live.csv '^# interrupted: by .* 2 .* [0-9]+ of 100000 '
