#!/bin/sh
# Claims about cost: cpu_ms of each run, --counters (perf_event_open(2)), and memcpy(3) as the measure of a copy. Speeds
# differ from machine to machine; that one figure follows from others does not.
# Tried: it fails where threads or commands are not counted; a counter that is not there is 0; one row stands beside
# Tried: memcpy; a row's CPU time is its first run's; a counter that is refused ends them all.
. "$(dirname "$0")/tap.sh"
. "$top/tests/reports.sh"

bytes 1048576 >X
keys='task_clock_ms context_switches cpu_migrations page_faults cycles instructions branches branch_misses'
figure() { of "$1" "$2" csv | head -n 1; } # ROW KEY: of a row's first run
more() { # WHAT FIGURE FIGURE: the first is greater; what is no number is 0
	is "$1 ($2 > $3)" "$(awk -v "a=$2" -v "b=$3" 'BEGIN { print (a + 0 > b + 0) }')" 1
}
known() { # the counters that are columns of the report, in their order
	for key in $keys; do
		! columns csv | grep -q ",$key\(,\|\$\)" || printf ',%s' "$key"
	done
}
runs_but() { # REGEX: how many lines of runs are not so
	sed '1,/^row,/d' csv | grep -vEc "$1"
}

run 0 "without --counters" measure <X >Y
is "... CSV has cpu_ms only" "$(columns csv)" "row,round,ns,outcome,detail,bytes,cpu_ms"
run 0 "--counters" measure -n2 --counters --with='sleep 0.01; cat' -o json.json <X >Y
is "... are columns behind all others" "$(columns csv)" "row,round,ns,outcome,detail,bytes,cpu_ms,start_ns$(known)"
figures=$(known | sed 's/,task_clock_ms/,[0-9]+[.][0-9]{6}/; s/,[a-z_]*/,[0-9]*/g')
none=$(known | sed 's/,[^,]*/,/g')
is "... a figure for each run that was measured, and for no other" "$(runs_but "^[^,]*,[12],([0-9]+,(ok|shared),,\
[0-9]+,[0-9]+\.[0-9]{6},[0-9]*$figures|,n/a( E[A-Z0-9]+)?,[^,]+,[0-9]+,,$none)\$")" 0
for key in $(known | tr , ' '); do
	is "... JSON has $key of each row" "$(grep -c "\"$key\": [0-9n]" json.json)" "$(grep -c '{"row": ' json.json)"
done

run 0 "rows that differ" measure --counters -s 'read+write 1k,mmap+mmap + trunc,threads mmap+mmap + trunc' <X >Y
faults=$(figure "read+write 1k" page_faults)
if [ "$faults" ] || or_skip "what is counted" "the kernel gives no counters here"; then
	more "memory that is mapped costs page faults" "$(figure "mmap+mmap + trunc" page_faults)" "$((faults + 8))"
	more "... in threads, too" "$(figure "threads mmap+mmap + trunc" page_faults)" "$((faults + 8))"
	more "a copy takes time of a CPU" "$(figure "read+write 1k" task_clock_ms)" 0
fi

# CPU time of commands, and of threads: 32 MiB are two copies in memory, of more than 1.5 ms.
echo '1 while (times)[0] + (times)[1] < 0.1; exec "cat"' >burn.pl
run 0 "commands" measure --counters -s '$ *' --with='perl burn.pl' --with='sleep 0.5; cat' <X >Y
more "a command's CPU time" "$(figure '$ perl burn.pl' cpu_ms)" 90
more "... is not the time that it takes" 250 "$(figure '$ sleep 0.5; cat' cpu_ms)"
[ ! "$faults" ] || more "... the counter has it, too" "$(figure '$ perl burn.pl' task_clock_ms)" 90
bytes 33554432 >large
run 0 "threads" measure -s 'threads read+write 1m' <large >Y
more "... their CPU time" "$(figure 'threads read+write 1m' cpu_ms)" 1.5

# Counters that the kernel refuses: all, and the first one of the first run.
refusing='timeout -k 1 300 strace -qq -o trace -e'
if can_trace || or_skip "counters that the kernel refuses" "strace may not trace here"; then
	while IFS='|' read -r fault reason; do
		under="$refusing inject=perf_event_open:$fault" becomes "0 ok" "perf_event_open: $fault" \
			--counters -s 'sendfile' <X >Y
		is "... what is known, and the reason" \
			"$(known | tr , ' ' | wc -w) $(fact counters csv | sed 's/\(: E[A-Z]*\).*/\1/')" "$reason"
	done <<-END
		error=EACCES|0 perf_event_open: EACCES
		error=ENOSYS|0 perf_event_open: ENOSYS
	END
	under="$refusing inject=perf_event_open:error=EACCES:when=1" becomes "0 ok" "one is refused" \
		--counters -s sendfile <X >Y
	is "... which is none, and the others are as they were" "$(figure sendfile task_clock_ms) $(
		figure sendfile page_faults | sed 's/[0-9][0-9]*/N/')" " $(echo "$faults" | sed 's/[0-9][0-9]*/N/')"
fi

# memcpy(3): beside two rows or more; a share of it where it does not stay in caches.
run 0 "two rows" measure -s 'sendfile,read+write 1k' -o json.json <X >Y
holds "... stand beside memcpy" csv '^# memcpy_ns: [1-9][0-9]*$'
holds "... in JSON, too" json.json '"memcpy_ns": [1-9][0-9]*,'
run 0 "one row" measure -s sendfile <X >Y
lacks "... has none beside it" csv memcpy_ns
# Memory is what our cgroup grants, of either version (cgroups(7)): memcpy is timed where four times its own fits.
for limit in memory/memory.limit_in_bytes memory.max; do
	group=$(dirname "/sys/fs/cgroup/$limit") limit=${limit##*/}
	[ -w "$group/cgroup.procs" ] && group=$group/write-bench-test.$$ && mkdir "$group" &&
		{ echo 134217728 >"$group/$limit" || ! rmdir "$group"; } && undo="rmdir $group" && break
done 2>group.err
for size in 32 8; do
	[ "$undo" != : ] || or_skip "memory that a cgroup limits, $size MiB" "no cgroup can be made here" || continue
	sh -c 'echo $$ >"$1/cgroup.procs"; shift; exec "$@"' sh "$group" "$wb" -n1 -p0 -z ${size}m -f csv -o csv \
		-s 'sendfile,read+write 1k' <large >Y 2>err
	is "memory that a cgroup limits, $size MiB: its limit, and whether memcpy is timed" \
		"$? $(fact memory_bytes csv) $(fact memcpy_ns csv | grep -c .)" "0 134217728 $((size == 8))"
done
while IFS='|' read -r what wanted lines; do
	made ms "$lines" >made.csv
	is "$what" "$("$wb" --compare made.csv | sed -n "$wanted" | tail -n 1)" yes
done <<'END'
a median is a share of memcpy|s/.* 50% of memcpy.*/yes/p|size=33554432; memcpy_ns=5000000; fast 10x3; slow 20x3
... not of one that stays in caches|/memcpy/q; s/^fast .*/yes/p|size=1048576; memcpy_ns=5000000; fast 10x3; slow 20x3
a share of the CPU|s/^a .* 55%$/yes/p|size=1000000; a:11 20x3
... of few steps of 10 ms none|s/^a .* -$/yes/p|size=1000000; a:10 20x3
END
printf '%s\n' '# size: 1000' row,round,ns,outcome,cpu_ms a,1,1000,ok,9 a,2,1000,ok,1 a,3,1000,ok,2 >made.csv
is "the CPU time of a row is a median" "$(said_of a cpu_ms made.csv)" 2.000000
run 0 "into /dev/null" measure -n2 <X >/dev/null
is "... rows that look at no byte are not recommended" \
	"$(column 4 csv | grep -c -m1 untouched) $(of "$(fact recommended csv)" outcome csv | sort -u)" "1 ok"
run 1 "no row that copied" measure -s '$ *' --with=false <X >Y
lacks "... no recommendation" csv '^# recommend'
