#!/bin/sh
# The worth of verdicts, on machines whose truth is known: see simulate.c. The quick part is a core.
# Tried: it fails where each row is tested at a level of its own; rows are tested against the first alone.
. "$(dirname "$0")/tap.sh"

declared='static void run_row(\1);\nUNUSED static void measure_row(\1) {'
sed "s/^static void run_row(\(.*\)) {\$/$declared/" "$top/write-bench.c" >source.c
run 0 "the simulation builds" "${CC:-cc}" -std=gnu11 -pthread -O0 -w -I. -o simulate "$top/tests/simulate.c" -lm

# A machine, runs of each row (0: the default), percent of runs that stall, noise in percent (0: of each row its own),
# by how much one is slower; the figure, and its bound, which is three standard errors or more from what comes out.
cat >bounds <<'END'
crowded  6 15  0  0 excluded     <= 0.05 the fastest row is called slower
crowded  6 15  0  0 found        >= 0.40 rows that are 10 % slower are called so
crowded  6 15  0  0 near         >= 0.94 the recommended row is within 3 % of the fastest
alike    6 15  0  0 any          <= 0.05 any row is called slower
alike    3 15  0  0 any          <= 0.29 at most the chance of rows that are alike in noise, too, by the formula
alike    3 15  0  0 any          >= 0.10 3 runs give more false alarms than 6
gate     0 15  3  0 ends_0       >= 0.95 the same program passes
gate     0 15  3  8 ends_3       >= 0.90 one that is 8 % slower does not
crowded  0 15  0  0 marked       >= 0.95 the fastest row has its ~
crowded  0 15  0  0 behind       <= 0.05 the recommended row is truly more than 5 % behind
---- above is the core
crowded  6  5  0  0 excluded     <= 0.05
crowded  6  5  0  0 found        >= 0.60
crowded  6  5  0  0 near         >= 0.94
crowded 10  5  0  0 excluded     <= 0.05
crowded 10  5  0  0 found        >= 0.88
crowded 10  5  0  0 near         >= 0.94
crowded 10 15  0  0 excluded     <= 0.05
crowded 10 15  0  0 found        >= 0.65
crowded 10 15  0  0 near         >= 0.94
alike    6  0  0  0 any          <= 0.05
alike    6  5  0  0 any          <= 0.05
alike   10  0  0  0 any          <= 0.05
alike   10  5  0  0 any          <= 0.05
alike   10 15  0  0 any          <= 0.05
next     6 15  0  0 contradicted <= 0.015 the next session recommends what this one calls slower
next    10 15  0  0 contradicted <= 0.015
crowded  0  5  0  0 marked       >= 0.95
crowded  0  5  0  0 behind       <= 0.05
real     0  5  0  0 marked       >= 0.95
real     0  5  0  0 behind       <= 0.05
real     0 15  0  0 marked       >= 0.95
real     0 15  0  0 behind       <= 0.05
keep     0  5 10 20 kept         <= 0.05 a command that is slower than nine rows is kept
keep     0 10 20 30 kept         <= 0.15
keep     0  5 10  0 used         <= 0.05 another row is used than a command that is as fast
keep     0 10 20  0 used         <= 0.06
gate     0  0  2  0 ends_0       >= 0.95
gate     0  0  2  8 ends_3       >= 0.95
gate     0  0 10  0 ends_3       <= 0.02 the same program is never blamed
gate     0  0 10  0 ends_0       >= 0.70 it passes
gate     0  0 10  8 ends_0       <= 0.02 one that is 8 % slower never passes
gate     0  0 10  8 ends_3       >= 0.25 it is found
END
sessions=100
if full "all machines, 400 sessions of each"; then sessions=400; else sed -i '/^----/,$d' bounds; fi
sed -i /^----/d bounds
./simulate $sessions <bounds >figures
is "each has its figure" "$? $(grep -c '^[0-9.]*$' figures)" "0 $(wc -l <bounds)"
while read -r machine runs stalls noise slower figure relation bound text <&4 && read -r value <&5; do
	awk "BEGIN { exit !($value $relation $bound) }"
	is "$machine $runs $stalls $noise $slower: $figure $value $relation $bound${text:+: $text}" $? 0
done 4<bounds 5<figures
