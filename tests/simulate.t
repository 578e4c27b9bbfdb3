#!/bin/sh
# The worth of verdicts, on machines whose truth is known, and of two recorded sessions whose runs are drawn again: see
# simulate.c. The quick part is a core.
# Tried: it fails where the rounds that chose a row decide on it; an interval is one-sided; each row is tested at a
# Tried: level of its own; the row with the smallest median is used; a row that stalls is never used.
. "$(dirname "$0")/tap.sh"

sessions=300 optimized=-O0
full "all machines, 2000 sessions of each" && sessions=2000 optimized=-O1
declared='static void \1(\2);\nUNUSED static void measured_\1(\2) {'
sed "s/^static void \(run_row\|time_memcpy\)(\(.*\)) {\$/$declared/" "$top/write-bench.c" >source.c
run 0 "the simulation builds" "${CC:-cc}" -std=gnu11 -pthread $optimized -w -I. -o simulate "$top/tests/simulate.c" -lm
cp "$top/tests/sessions/"* .

# A machine, runs of each row (0: the default), percent of runs that stall, noise in percent, by how much the command,
# or the second one of a gate, is slower | bounds of figures | why. Those above the line are the core.
while IFS='|' read -r machine bounds why <&4; do
	case $machine in ----*) if [ "$sessions" = 2000 ]; then continue; else break; fi ;; esac
	# shellcheck disable=SC2086
	./simulate $sessions $machine >figures
	is "$why: it ends" $? 0
	IFS=,
	for bound in $bounds; do
		value=$(sed -n "s/^${bound%% *} //p" figures)
		awk "BEGIN { exit !($value ${bound#* }) }"
		is "$why: $bound: $value" $? 0
	done
	unset IFS
done 4<<'END'
alike 0 5 10 0|used <= 0.05|another row is used than a command that is as fast
apart 0 5 10 20|used >= 0.85,holds >= 0.935,holds <= 0.965,marked >= 0.95|20 % slower, with noise: it is not kept
ext4-stalls 0 0 0 0|used >= 0.70,behind <= 0.05|a quarter of the runs stalled: the row that is 2.2 times as fast is used
gate 0 0 3 0|status_3 <= 0.05,status_0 >= 0.95|the same program passes
gate 0 0 3 8|status_3 >= 0.90|one that is 8 % slower is found
----
alike 0 0 3 0|used <= 0.05|less noise
apart 0 0 3 10|used >= 0.95,holds >= 0.935,holds <= 0.965,behind <= 0.05|a command that is 10 % slower
apart 10 0 3 10|holds >= 0.93|by the runs that chose the row: 99 %
apart 10 5 10 20|holds >= 0.93|... with noise
tmpfs 0 0 0 0|used >= 0.95,behind <= 0.05|the row that is 1.36 times as fast
gate 0 5 10 0|status_3 <= 0.05|the same program, with noise
gate 0 5 10 8|status_0 <= 0.02|one that is 8 % slower never passes
END
