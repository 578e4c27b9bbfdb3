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
# or the second one of a gate, is slower; the figure, and its bound.
cat >bounds <<'END'
alike        0  5 10  0 used     <= 0.05 another row is used than a command that is as fast
apart        0  5 10 20 used     >= 0.85 one that is 20 % slower is not kept, with noise
apart        0  5 10 20 holds    >= 0.935 the interval holds the truth
apart        0  5 10 20 holds    <= 0.965
ext4-stalls  0  0  0  0 used     >= 0.70 a quarter of the runs stalled: the row that is 2.2 times as fast is used
ext4-stalls  0  0  0  0 behind   <= 0.05 another one, that is more than 5 % slower than the fastest
gate         0  0  3  0 status_3 <= 0.05 the same program passes, or is undecided
gate         0  0  3  8 status_3 >= 0.90 one that is 8 % slower is found
---- above is the core
alike        0  0  3  0 used     <= 0.05
apart        0  5 10 20 marked   >= 0.95 the fastest row has its ~
apart        0  0  3 10 used     >= 0.95
apart        0  0  3 10 holds    >= 0.935
apart        0  0  3 10 holds    <= 0.965
apart        0  0  3 10 behind   <= 0.05
apart       10  0  3 10 holds    >= 0.93 by the runs that chose the row: 99 %
apart       10  5 10 20 holds    >= 0.93
tmpfs        0  0  0  0 used     >= 0.95 the row that is 1.36 times as fast
tmpfs        0  0  0  0 behind   <= 0.05
gate         0  0  3  0 status_0 >= 0.95
gate         0  5 10  0 status_3 <= 0.05
gate         0  5 10  8 status_0 <= 0.02 one that is 8 % slower never passes
END
[ "$sessions" = 2000 ] || sed -i '/^----/,$d' bounds
sed -i /^----/d bounds
./simulate $sessions <bounds >figures
is "each has its figure" "$? $(grep -c '^[0-9.]*$' figures)" "0 $(wc -l <bounds)"
while read -r machine runs stalls noise slower figure relation bound text <&4 && read -r value <&5; do
	awk "BEGIN { exit !($value $relation $bound) }"
	is "$machine $runs $stalls $noise $slower: $figure $value $relation $bound${text:+: $text}" $? 0
done 4<bounds 5<figures
