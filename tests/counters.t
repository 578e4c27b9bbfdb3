#!/bin/sh
# The cost of a row, and its measure: --counters, cpu_ms and memcpy. Speeds differ from machine to machine; that figures
# follow from others does not.
# Tried: it fails where threads and commands are not counted; the CPU time of commands is left out; a counter that is
# Tried: not there is 0; one row stands beside memcpy; a row's CPU time is its first run's.
. "$(dirname "$0")/tap.sh"
. "$top/tests/reports.sh"

bytes 1048576 >X
keys='task_clock_ms context_switches cpu_migrations page_faults cycles instructions branches branch_misses'
figure() { of "$1" "$2" r.csv | head -n 1; } # ROW KEY: of a row's first run
# more WHAT NUMBER NUMBER [BY]: the first is greater, by more than BY; what is no number is 0
more() {
	is "$1 ($2 > $3${4:+ + $4})" "$(awk -v "a=$2" -v "b=$3" -v "by=${4-0}" 'BEGIN { print (a + 0 > b + by) }')" 1
}
# measure [STATUS] DESCRIPTION OPTION...: X into Y, one run of each row, where no option says otherwise
measure() {
	case $1 in [0-9]) status=$1 && shift ;; *) status=0 ;; esac
	what=$1
	shift
	run "$status" "$what" ${traced:+strace -qq -o trace -e "$traced"} \
		"$wb" -p0 -n1 -o r.csv -o r.txt -o r.json "$@" <"${input-X}" >Y
}
runs_but() { # REGEX: how many lines of runs are not so
	sed '1,/^row,/d' r.csv | grep -vEc "$1"
}
counted_here() { # the counters that are columns of the report, in their order
	for key in $keys; do ! columns r.csv | grep -q ",$key\(,\|\$\)" || printf ',%s' "$key"; done
}

measure "without --counters"
is "... CSV has cpu_ms only" "$(columns r.csv)" "row,round,ns,outcome,detail,bytes,cpu_ms"
is "... for each run that was measured, and for no other" \
	"$(runs_but "^[^,]*,1,([0-9]+,(ok|shared),,[0-9]+,[0-9]+\.[0-9]{6}|,n/a( E[A-Z0-9]+)?,[^,]+,[0-9]+,)\$")" 0
measure "--counters" -n2 --counters --with='sleep 0.01; cat'
is "... are columns behind all others, those that are known" "$(columns r.csv)" \
	"row,round,ns,outcome,detail,bytes,cpu_ms,start_ns$(counted_here)"
number=$(counted_here | tr -cd , | wc -c)
figures=",[0-9]+,[0-9.]+,[0-9]*$(counted_here | sed 's/,task_clock_ms/,[0-9]+[.][0-9]{6}/; s/,[a-z_]*/,[0-9]*/g')"
is "... a figure for each run that was measured, and for no other" \
	"$(runs_but "^[^,]*,[12],([0-9]+,(ok|shared),$figures|,n/a( E[A-Z0-9]+)?,[^,]+,[0-9]+,{$((number + 2))})\$")" 0
for key in $(counted_here | tr , ' '); do
	is "... JSON has $key of each row" "$(grep -c "\"$key\": [0-9n]" r.json)" "$(grep -c '{"row": ' r.json)"
done
same "... and there is a copy" X Y

# Where the kernel gives the first counter, there must be some; asked of strace, not of the program.
if can_trace || or_skip "the first counter, as strace sees it" "strace may not trace here"; then
	traced=trace=perf_event_open measure "one row" --counters -s sendfile
	is "the first counter is missing where perf_event_open fails only" \
		"$(counted_here | grep -c '^,task_clock_ms')" \
		"$(sed -n '1{s/^perf_event_open.* = -.*/0/; s/^perf_event_open.* = .*/1/; p;}' trace)"
fi
measure "rows that differ" --counters -s 'read+write 1k,mmap+mmap + trunc,threads mmap+mmap + trunc'
faults=$(figure "read+write 1k" page_faults)
if [ "$faults" ] || or_skip "what is counted" "the kernel gives no counters here"; then
	more "memory that is mapped costs page faults" "$(figure "mmap+mmap + trunc" page_faults)" "$faults" 8
	more "... in threads, too" "$(figure "threads mmap+mmap + trunc" page_faults)" "$faults" 8
	more "a copy takes time of a CPU" "$(figure "read+write 1k" task_clock_ms)" 0
fi

# CPU time: of a command, and of threads, each of whose pwrite(2) takes 50 ms more.
takes() { # WHAT ROW LEAST SINCE: cpu_ms, and the counter, if there is one
	more "$1: cpu_ms" "$(figure "$2" cpu_ms)" "$3"
	more "... all CPUs had more" $((1000 * ($(date +%s) - $4 + 1) * $(getconf _NPROCESSORS_ONLN))) \
		"$(figure "$2" cpu_ms)"
	[ ! "$(figure "$2" task_clock_ms)" ] || more "... so has task_clock_ms" "$(figure "$2" task_clock_ms)" \
		"$(($3 * 9 / 10))"
}
echo '1 while (times)[0] + (times)[1] < 0.1; exec "cat"' >burn.pl
before=$(date +%s)
measure "a command that burns CPU, and one that sleeps" --counters -s '$ *' --with='perl burn.pl' \
	--with='sleep 0.5; cat'
takes "a command" '$ perl burn.pl' 90 "$before"
# what a host steals may be in both
more "... which has not the time that one slept" "$(($(figure '$ sleep 0.5; cat' ns) / 1000000))" \
	"$(figure '$ sleep 0.5; cat' cpu_ms)"
cat >burn.c <<'END'
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64 /* by the same name as in the program */
#include <dlfcn.h>
#include <time.h>
#include <unistd.h>
#define USED (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t), 1000.0 * t.tv_sec + t.tv_nsec / 1e6)
ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at)
{
	struct timespec t;
	void *libc = dlsym(RTLD_NEXT, "pwrite64");
	ssize_t (*next)(int, const void *, size_t, off_t) = libc ? libc : dlsym(RTLD_NEXT, "pwrite");
	for (double end = USED + 50; USED < end;)
		;
	return next(fd, bytes, n, at);
}
END
bytes 2097152 >large
if ! grep -q __asan_init "$wb" && "${CC:-cc}" -shared -fPIC -o burn.so burn.c -ldl 2>cc.err ||
	or_skip "the CPU time of threads" "no compiler, or a program with sanitizers"; then
	before=$(date +%s)
	LD_PRELOAD=./burn.so input=large measure "threads" --counters -s 'threads read+write 1m'
	takes "two threads" "threads read+write 1m" 99 "$before"
fi

# Counters that the kernel refuses.
if can_trace || or_skip "counters that the kernel refuses" "strace may not trace here"; then
	for err in EACCES ENOSYS; do
		traced=inject=perf_event_open:error=$err measure \
			"perf_event_open says $err" --counters -s 'sendfile,read+write 1k'
		is "... rows are measured, and there are none" "$(column 4 r.csv | paste -sd' ')$(counted_here)" "ok ok"
		is "... for a reason: the call and its errno" "$(fact counters r.csv | sed 's/\(: E[A-Z]*\).*/\1/')" \
			"perf_event_open: $err"
		same "... and there is a copy" X Y
	done
	# the first counter of the first run
	traced=inject=perf_event_open:error=EACCES:when=1 measure "where one is refused" --counters -s sendfile
	is "... that is none, and the others are as they were" \
		"$(figure sendfile task_clock_ms) $(figure sendfile page_faults | sed 's/[0-9][0-9]*/N/')" \
		" $(echo "$faults" | sed 's/[0-9][0-9]*/N/')"
fi

# The reference: memcpy, beside two rows or more.
measure "two rows" -n3 -s 'sendfile,read+write 1k'
holds "... stand beside memcpy" r.csv '^# memcpy_ns: [1-9][0-9]*$'
holds "... in JSON, too" r.json '"memcpy_ns": [1-9][0-9]*,'
measure "one row" -s sendfile
is "... has none beside it" "$(cat r.csv r.txt | grep -c memcpy)" 0
# Not every sh has ulimit -v, and a sanitizer wants more.
if (ulimit -v 40000 && ASAN_OPTIONS='' "$wb" --version) >/dev/null 2>&1 ||
	or_skip "memcpy without memory" "no ulimit -v, or it does not get so far with that"; then
	truncate -s 20M large # memcpy wants twice that
	(ulimit -v 40000 && exec "$wb" -p0 -n2 -s 'sendfile,read+write 1k' -o csv.csv <large >Y 2>err)
	is "where its buffers get no memory, rows are measured, and one is recommended" \
		"$? $(column 4 csv.csv | tr '\n' ' ') $(grep -c '^# recommendation: ' csv.csv)" "0 ok ok ok ok  1"
	lacks "... without a size or a time" csv.csv 'memcpy_ns|% of memcpy'
fi
rm -f large
for size in 1048576 33554432; do
	made "size=$size; memcpy_ns=5000000; ms; fast 10x3; slow 20x3" >m.csv
	"$wb" --compare m.csv | grep -Eo '[0-9]+% of memcpy' || echo none
done >shares
is "a median is a share of memcpy, but not of one that stays in caches" "$(paste -sd' ' shares)" "none 50% of memcpy"

# CPU times of a row are their median; what looks at no byte, or failed, is not recommended.
for ms in 10 11; do
	made "size=1000000; ms; a:$ms 20x3" >steps.csv
	"$wb" --compare steps.csv | sed -n 's/^a .* //p'
done >shares
is "a share of the CPU, but of few steps of 10 ms none" "$(paste -sd' ' shares)" "- 55%"
printf '%s\n' '# size: 1000' row,round,ns,outcome,cpu_ms a,1,1000,ok,9 a,2,1000,ok,1 a,3,1000,ok,2 >csv
is "the CPU time of a row is a median" "$(said_of a cpu_ms csv)" 2.000000
run 0 "into /dev/null" "$wb" -p0 -n2 -f csv -o csv <X >/dev/null
is "... rows that look at no byte are not recommended" \
	"$(column 4 csv | grep -c -m1 untouched) $(of "$(fact recommended csv)" outcome csv | sort -u)" "1 ok"
measure 1 "no row that copied" -s '$ *' --with=false
lacks "... no recommendation" r.csv '^# recommend'
