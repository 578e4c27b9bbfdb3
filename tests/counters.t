#!/bin/sh
# What a row costs, and what it is measured against: --counters, cpu_ms, memcpy and the
# recommendation. Speeds differ from machine to machine; that figures follow from others does not.
# Tried: it fails where threads and commands are not counted; the CPU time of commands is left out; a row that costs
# Tried: less CPU is not recommended; a counter that is not there is 0; one row stands beside
# Tried: memcpy.
. "$(dirname "$0")/tap.sh"

bytes 1048576 >X
keys='task_clock_ms context_switches cpu_migrations page_faults cycles instructions branches branch_misses'
one_line() {
	tr -s '\n ' ' '
	echo
}
# of ROW KEY FILE: the figure of a row's first run in a CSV report
of() {
	awk -F, -v "row=$1" -v "key=$2" '/^#/ { next } !n { for (n = 1; $n != key && n < NF; n++) ; next } $1 == row { print $n; exit }' "$3"
}
# more WHAT NUMBER NUMBER [BY]: the first is greater, by more than BY; what is no number is 0
more() {
	is "$1 ($2 > $3${4:+ + $4})" "$(awk -v "a=$2" -v "b=$3" -v "by=${4-0}" 'BEGIN { print (a + 0 > b + by ? "yes" : "no") }' </dev/null)" yes
}

# Columns.
run 0 "without --counters" "$wb" -p0 -n1 -f csv -o csv <X >Y
is "... CSV has cpu_ms only" "$(columns csv)" "row,round,ns,outcome,cpu_ms,bytes,detail"
is "... for each run that was measured, and for no other" \
	"$(sed '1,/^row,/d' csv | grep -vEc '^[^,]*,1,([0-9]+,(ok|shared),[0-9]+\.[0-9]{6},[0-9]+,|,n/a( E[A-Z]+)?,,[0-9]+,[^,]+)$')" 0
run 0 "without --counters, as JSON" "$wb" -p0 -n1 -s sendfile -f json -o json <X >Y
lacks "... JSON has none of them" json 'task_clock|context_switches|page_faults|branches'
holds "... but cpu_ms" json '"cpu_ms": [0-9.]+, "runs_cpu_ms": \[[0-9.]+\]'
run 0 "without --counters, as text" "$wb" -p0 -n1 -s 'sendfile*' <X >Y
lacks "... there is no second table" err 'ctxt|fault'
lacks "... and nothing is said of counters" err 'perf_event'
run 0 "--counters" "$wb" -p0 -n2 --counters --with='sleep 0.01; cat' -f csv -o csv <X >Y
is "... CSV has all" "$(columns csv)" "row,round,ns,outcome,cpu_ms,$(echo "$keys" | tr ' ' ,),bytes,detail"
is "... a figure or - for each run that was measured, and nothing for others" "$(sed '1,/^row,/d' csv |
	grep -vEc '^[^,]*,[12],([0-9]+,(ok|shared),[0-9.]+,([0-9]+\.[0-9]{6}|-)(,([0-9]+|-)){7},[0-9]+,|,n/a( E[A-Z]+)?,{10}[0-9]+,[^,]+)$')" 0
same "... and there is a copy" X Y
run 0 "--counters, as JSON" "$wb" -p0 -n2 --counters -s 'send*,threads*,reflink' -f json -o json <X >Y
for key in $keys; do
	holds "... JSON has $key" json "\"$key\": ([0-9.]+|null)[,}]"
done

# The second table.
run 0 "--counters, as text" "$wb" -p0 -n1 --counters -x reflink <X >Y
sed '1,/^row .* best /d;/^$/,$d' err | cut -c1-40 | sed 's/ *$//' >first
sed '1,/^row .* clock /d;/^$/,$d' err >second
holds "... a second table has titles" err '^row {31,}clock +ctxt +migr +fault +cycle +instr +brnch +miss$'
figure='([0-9]+|[0-9.]+[kMGTPE]|-)'
is "... eight figures a row" "$(grep -vEc "^[a-z].* ([0-9.]+(us|ms|s)|-)( +$figure){7}\$" second)" 0
is "... the rows of the first, in its order" "$(sed -E "s/ +[-0-9.]+[a-z]*( +$figure){7}\$//" second)" "$(cat first)"
is "... within 80 columns" "$(awk 'length > 80' second)" ""
is "... all as wide as the titles" "$(awk '{ print length }' second | sort -u)" "$(grep -E '^row +clock ' err | awk '{ print length }')"
run 0 "--counters of one row, whose report has room for all notes" "$wb" -p0 -n1 -v --counters -s sendfile <X >Y
is "... says once what they are" "$(one_line <err | grep -o 'perf_event_open(2)' | wc -l | tr -d ' ')" 1
run 0 "--counters, with --quiet" "$wb" -q -p0 -n1 --counters -s 'sendfile,read+write 1k' <X >Y
is "... has both tables, and no more" "$(grep -Ec '^(sendfile|read)' err) $(sed '1,/^---/d' err | grep -vEc '^(sendfile|read|row  .* (best|clock) |$)')" "4 0"
run 0 "--counters, as Markdown" "$wb" -p0 -n1 --counters -s 'sendfile,read+write 1k' -f markdown <X >Y
is "... has 15 columns throughout" "$(grep '^|' err | tr -cd '|\n' | uniq)" "||||||||||||||||"

# Figures. Where the kernel gives the first counter, there must be some; asked of strace, not of the program.
given=$(of sendfile task_clock_ms csv)
if have strace && strace -qq -o trace -e trace=perf_event_open "$wb" -p0 -n1 --counters -s sendfile -f csv -o csv2 <X >Y 2>err; then
	given=$(sed -n 's/^perf_event_open.*) = \(-*\).*/\1/p' trace | head -n 1)
	is "the first counter is - where perf_event_open fails only" "$(of sendfile task_clock_ms csv2 | sed 's/[0-9].*//')" "$given"
else
	skip "the first counter, as strace sees it" "no strace, or it may not trace here"
fi
if [ "$given" != - ]; then
	run 0 "rows that differ" "$wb" -p0 -n1 --counters -s 'read+write 1k,mmap+mmap + trunc,threads mmap+mmap + trunc' \
		--with='sleep 0.01; cat' --with=cat -f csv -o csv <X >Y
	more "memory that is mapped costs page faults" "$(of "mmap+mmap + trunc" page_faults csv)" "$(of "read+write 1k" page_faults csv)" 8
	more "... in threads, too" "$(of "threads mmap+mmap + trunc" page_faults csv)" "$(of "read+write 1k" page_faults csv)" 8
	# shellcheck disable=SC2016
	more "... and so does the start of a command" "$(of '$ cat' page_faults csv)" "$(of "read+write 1k" page_faults csv)" 20
	# shellcheck disable=SC2016
	more "a command that sleeps gives up the CPU" "$(of '$ sleep 0.01; cat' context_switches csv)" 0
	more "a copy takes time of a CPU" "$(of "read+write 1k" task_clock_ms csv)" 0
	if [ "$(of "read+write 1k" instructions csv)" != - ]; then
		more "1024 reads and writes are instructions" "$(of "read+write 1k" instructions csv)" 100000
	else
		skip "instructions" "the kernel counts none here"
	fi
else
	skip "what is counted" "the kernel gives no counters here"
fi

# CPU time.
if have perl; then
	cat >burn.pl <<'END'
my $seconds = shift;
1 while (times)[0] + (times)[1] < $seconds;
exec "cat";
END
	before=$(date +%s)
	run 0 "a command that burns CPU, and one that sleeps" "$wb" -p0 -n1 --counters -s '$ *' --with='perl burn.pl 0.1' \
		--with='sleep 0.5; cat' -f csv -o csv <X >Y
	seconds=$(($(date +%s) - before + 1)) cpus=$(getconf _NPROCESSORS_ONLN)
	# shellcheck disable=SC2016
	burnt=$(of '$ perl burn.pl 0.1' cpu_ms csv) clock=$(of '$ perl burn.pl 0.1' task_clock_ms csv)
	# shellcheck disable=SC2016
	slept=$(of '$ sleep 0.5; cat' cpu_ms csv) took=$(of '$ sleep 0.5; cat' ns csv)
	more "cpu_ms has a command's" "$burnt" 90
	more "... not the time that it slept" "$((took / 1000000))" "$slept" # what a host steals may be in both
	more "... and not more than all CPUs had" "$((cpus * 1000 * seconds))" "$burnt"
	if [ "$clock" != - ]; then
		more "so has task_clock_ms" "$clock" 90
		more "... not more than all CPUs had" "$((cpus * 1000 * seconds))" "$clock"
	else
		skip "task_clock_ms" "the kernel gives none here"
	fi
else
	skip "the CPU time of commands" "no perl"
fi
# That of threads: here each pwrite(2) takes 50 ms more.
cat >burn.c <<'END'
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64 /* by the same name as in the program */
#include <dlfcn.h>
#include <time.h>
#include <unistd.h>
static double used(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return 1000.0 * t.tv_sec + t.tv_nsec / 1e6;
}
ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at)
{
	void *libc = dlsym(RTLD_NEXT, "pwrite64");
	ssize_t (*next)(int, const void *, size_t, off_t) = libc ? libc : dlsym(RTLD_NEXT, "pwrite");

	for (double end = used() + 50; used() < end;)
		;
	return next(fd, bytes, n, at);
}
END
bytes 2097152 >large
if ! grep -q __asan_init "$wb" && "${CC:-cc}" -shared -fPIC -o burn.so burn.c -ldl 2>cc.err; then
	run 0 "threads" env LD_PRELOAD=./burn.so "$wb" -p0 -n1 --counters -s 'threads read+write 1m' -f csv -o csv <large >Y
	more "... cpu_ms has their time" "$(of "threads read+write 1m" cpu_ms csv)" 99
	clock=$(of "threads read+write 1m" task_clock_ms csv)
	if [ "$clock" != - ]; then more "... so has task_clock_ms" "$clock" 90; else skip "... so has task_clock_ms" "the kernel gives none here"; fi
else
	skip "the CPU time of threads" "no compiler, or a program with sanitizers"
fi
rm -f large
if have perl && perl -MJSON::PP -e1 2>/dev/null; then
	cat >check.pl <<'END'
use strict; use JSON::PP;
local $/; my $report = decode_json(<STDIN>);
for my $row (@{$report->{rows}}) {
	my @ms = sort { $a <=> $b } @{$row->{runs_cpu_ms}};
	if ($row->{outcome} =~ /^(ok|shared)$/) {
		@ms == 3 && abs($row->{cpu_ms} - $ms[1]) < 0.0000005 or die "$row->{row}: $row->{cpu_ms} is no median of @ms\n";
	} else {
		!@ms && !defined $row->{cpu_ms} or die "$row->{row}: has a time\n";
	}
}
END
	run 1 "JSON" "$wb" -p0 -n3 --with=false -f json -o json <X >Y
	is "... cpu_ms is the median of runs_cpu_ms" "$(perl check.pl <json 2>&1)" ""
else
	skip "medians in JSON" "no perl with JSON::PP"
fi

# What the kernel refuses.
if can_trace; then
	refused() { # INJECTION OPTION...
		injection=$1
		shift
		strace -qq -o trace -e inject="perf_event_open:$injection" "$wb" -p0 -n1 --counters -s 'sendfile,read+write 1k,reflink' "$@" \
			<X >Y 2>err
	}
	for err in EACCES ENOENT EPERM ENOSYS; do
		refused error=$err -f csv -o csv -o json.json -o text.txt
		is "perf_event_open says $err: - in CSV" "$? $(sed '1,/^row,/d' csv | grep -Ec '^[^,]*,1,[0-9]+,(ok|shared),[0-9.]+(,-){8},[0-9]+,$')" \
			"0 $(sed '1,/^row,/d' csv | grep -Ec ',(ok|shared),')"
		holds "... with the call and its errno" csv "^# counters: perf_event_open: $err(:|\$)"
		for key in $keys; do
			grep -c "\"$key\": null" json.json
		done | sort -u >nulls
		is "... null in JSON, for all rows" "$(cat nulls)" 3
		is "... - in the text" "$(grep -Ec '^(sendfile|read\+write 1k)( +-){8}$' text.txt)" 2
		refused error=$err --verbose # a short report has no room for it beside a warning
		one_line <err >line
		holds "... which is explained" line 'perf_event_open.* -: perf_event_open: E'
		same "... and there is a copy" X Y
	done
	refused error=EACCES:when=1+8 -f csv -o csv # the first counter of each run
	is "where one is refused" "$(sed '1,/^row,/d' csv | grep -c '^sendfile,1,[0-9]*,ok,[0-9.]*,-,[0-9]')" "$([ "$(of sendfile page_faults csv)" = - ] && echo 0 || echo 1)"
	strace -qq -o trace -e trace=perf_event_open "$wb" -p0 -n1 -s sendfile <X >Y 2>err
	is "without --counters, none is asked for" "$(grep -c perf_event_open trace)" 0
else
	skip "counters that the kernel refuses" "no strace, or it may not trace here"
fi
# A table with - can't be read without the line that explains it: where a report has room for ten lines, warnings give way.
{
	for key in dirty evicted flushed steal swapped throttled; do
		echo "# warning_$key: $(printf '%0150d' 0)"
	done
	echo '# counters: perf_event_open: ENOENT'
	echo "row,round,ns,outcome,cpu_ms,$(echo "$keys" | tr ' ' ,)"
	printf '%s\n' a,1,1000,ok,1,1,1,1,1,-,-,-,- b,1,2000,ok,1,1,1,1,1,-,-,-,-
} >csv
"$wb" --compare csv >text
one_line <text >line
holds "many warnings, as text: what - means is there" line 'perf_event_open.* -: perf_event_open: ENOENT\.'
holds "... though not all of them are" text '^[0-9] more notes: --verbose\.$'

# The reference.
run 0 "two rows" "$wb" -p0 -n3 -s 'sendfile,read+write 1k' -f csv -o csv <X >Y
holds "... stand beside memcpy, in CSV" csv '^# memcpy_bytes: 1048576$' '^# memcpy_ns: [1-9][0-9]*$'
run 0 "two rows, as JSON" "$wb" -p0 -n3 -s 'sendfile,read+write 1k' -f json -o json <X >Y
holds "... too" json '"memcpy_bytes": 1048576,' '"memcpy_ns": [1-9][0-9]*,'
sed '/"rows"/,$d' json >environment
holds "... in the environment" environment memcpy_bytes memcpy_ns
run 0 "two rows, as text" "$wb" -v -p0 -n3 -s 'sendfile,read+write 1k' <X >Y
holds "... in a line below the table" err '^memcpy of 1MiB in the same rounds: best [0-9.]+[mu]s, [0-9.]+ [GM]iB/s'
# ns TIME: of three digits, in nanoseconds
ns='function ns(t) { return t ~ /us$/ ? t * 1000 : t ~ /ms$/ ? t * 1000000 : t * 1000000000 }'
one_line <err | sed 's/.*same rounds: best \([^ ,]*\), \([0-9.]*\) GiB.s.*/\1 \2/' >share
is "... whose speed follows from its time" "$(awk "$ns"'{ speed = 1e9 / 1024 / ns($1)
	print ($2 - speed < speed / 100 + .01 && speed - $2 < speed / 100 + .01) }' share)" 1
run 0 "a row and a command" "$wb" -p0 -n1 -s sendfile --with=cat -f csv -o csv <X >Y
holds "... have it, too" csv '^# memcpy_ns: '
run 0 "one row" "$wb" -p0 -n1 -s sendfile -f csv -o csv <X >Y
lacks "... has none" csv memcpy
run 0 "one row, as text" "$wb" -p0 -n1 -s sendfile <X >Y
lacks "... has none" err memcpy
run 0 "a part of the input" "$wb" -p0 -n1 -z 65536 -s 'sendfile,read+write 1k' -f csv -o csv <X >Y
holds "... is what memcpy copies" csv '^# memcpy_bytes: 65536$'
# Not every sh has ulimit -v, and a sanitizer wants more.
# shellcheck disable=SC3045
if (ulimit -v 40000 && ASAN_OPTIONS='' "$wb" --version) >/dev/null 2>&1; then
	truncate -s 20M large # memcpy wants twice that
	(ulimit -v 40000 && exec "$wb" -p0 -n2 -s 'sendfile,read+write 1k' -f csv -o csv <large >Y 2>err)
	is "where its buffers get no memory, rows are measured" "$? $(column 4 csv | tr '\n' ' ')" "0 ok ok ok ok "
	holds "... and one is recommended" csv '^# recommendation: '
	lacks "... without a size or a time" csv 'memcpy_bytes|memcpy_ns|% of memcpy'
	(ulimit -v 40000 && exec "$wb" -p0 -n2 -s 'sendfile,read+write 1k' <large >Y 2>err)
	is "... as text, too" $? 0
	rm -f large
else
	skip "memcpy without memory" "no ulimit -v, or it does not get so far with that"
fi

# The recommendation. Of the rows that may be the fastest that with the smallest median; of those within 2 % of it that
# which takes least CPU time.
if have perl && perl -MJSON::PP -e1 2>/dev/null; then
	cat >choice.pl <<'END'
use strict; use JSON::PP;
local $/; my $report = decode_json(<STDIN>); my $e = $report->{environment};
my @rows = sort { $a->{median_ns} <=> $b->{median_ns} } grep { $_->{mark} eq '~' } @{$report->{rows}};
my @near = grep { $_->{median_ns} <= 1.02 * $rows[0]{median_ns} } @rows;
my ($r) = sort { $a->{cpu_ms} <=> $b->{cpu_ms} } @near or exit;
my $speed = 1e9 * $e->{size} / $r->{median_ns} / 1048576;
my $share = 1e6 * $r->{cpu_ms} / $r->{median_ns};
my $gib = $speed / 1024; # three digits
my ($fine) = grep { ($_->{best_ns} // 1e9) < 100_000 } @{$report->{rows}};
my $ms = $r->{median_ns} / 1e6;
my $median = $fine && $ms < 0.9995 ? sprintf "%.*fus", $ms < 0.009995 ? 2 : $ms < 0.09995 ? 1 : 0, 1000 * $ms
	: sprintf "%.*fms", $ms < 0.9995 ? 3 : $ms < 9.995 ? 2 : $ms < 99.95 ? 1 : 0, $ms;
print "Use $r->{row}: median $median, ", $speed >= 1023.5 ? sprintf($gib >= 9.995 ? "%.1f GiB/s" : "%.2f GiB/s", $gib)
	: sprintf($speed >= 999.5 ? "%.0f MiB/s" : "%.3g MiB/s", $speed), $ms < 1 ? "" : sprintf " with %.1f CPU", $share;
printf ", %.0f %% of memcpy", 100 * $e->{memcpy_ns} / $r->{median_ns} if $e->{memcpy_bytes} >= 16777216; # beyond the caches
print ".";
END
	run 0 "all rows" "$wb" -p0 -n3 -f json -o json <X >Y
	is "... the recommendation, its speed, CPU time and share of memcpy follow from the figures" \
		"$(sed -n 's/^  "recommendation": "\(.*\)"},*$/\1/p' json | sed 's/CPUs/CPU/; s/^.* If the bytes must be copied: /Use /')" "$(perl choice.pl <json 2>&1)"
else
	skip "the recommendation" "no perl with JSON::PP"
fi
run 0 "as text" "$wb" -p0 -n2 -s 'send*,threads*' -o text -o csv.csv <X >Y
sed '1,/^row  /d' text | sed '1,/^$/d' | one_line >line
sentence=$(sed -n 's/^# recommendation: //p' csv.csv)
is "... the sentence is the first below the table" "$(cut -c1-${#sentence} line)" "$sentence"
run 0 "as Markdown" "$wb" -p0 -n2 -s 'sendfile*' -f markdown <X >Y
is "... it is the first item" "$(grep '^- ' err | head -n 1 | grep -c '^- Use sendfile')" 1
run 0 "into /dev/null" "$wb" -p0 -n2 -f csv -o csv <X >/dev/null
recommended=$(sed -n 's/^# recommended: //p' csv)
is "... rows that look at no byte are marked" "$(column 4 csv | grep -c untouched | sed 's/^[1-9].*/some/')" some
is "... and are not recommended" "$(sed '1,/^row,/d' csv | grep -F -e "$recommended," | cut -d, -f4 | sort -u)" ok
# At the borders, by hand. Both may be the fastest, since one run of each is as fast.
while read -r ns cpu wanted; do
	printf '%s\n' "# size: 1000000" row,round,ns,outcome,cpu_ms best,1,1000000,ok,4 "other,1,1000000,ok,$cpu" best,2,1000000,ok,4 "other,2,$ns,ok,$cpu" >csv
	is "a median of 1000000 ns and 4 ms, beside one of (1000000 + $ns) / 2 and $cpu ms" \
		"$("$wb" --compare csv -f csv | sed -n 's/^# recommended: //p')" "$wanted"
done <<'END'
1040000 3.999999 other
1040002 3.000000 best
1040000 4.000000 best
END
bytes 10000 >small
run 0 "a copy that takes long" "$wb" -p0 -n2 -s '$ *' --with='sleep 0.1; dd' -f csv -o csv <small >Y
holds "... has a speed" csv '^# recommendation: .*: median [0-9.]+m?s, [0-9.e-]+ .iB/s'
lacks "... that is not 0" csv '^# recommendation: .*, 0(\.0*)? .iB/s'
run 1 "no row that copied" "$wb" -p0 -n1 -s '$ *' --with=false -f csv -o csv <X >Y
lacks "... no recommendation in CSV" csv '^# recommend'
run 1 "no row that copied, as JSON" "$wb" -p0 -n1 -s '$ *' --with=false -f json -o json <X >Y
lacks "... no recommendation in JSON" json '"recommend'
run 1 "no row that copied, as text" "$wb" -p0 -n1 -s '$ *' --with=false <X >Y
lacks "... no recommendation in the text" err '^Use '
run 0 "only rows that look at no byte" "$wb" -p0 -n2 -s sendfile <X >/dev/null
lacks "... no recommendation, too" err '^Use '
