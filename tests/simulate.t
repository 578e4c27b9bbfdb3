#!/bin/sh
# What verdicts are worth, on a machine whose truth is known: see simulate.c.
# Tried: it fails where each row is tested at a level of its own; rows are tested against the first alone.
. "$(dirname "$0")/tap.sh"

sed 's/^static void run_row(\(.*\)) {$/static void run_row(\1);\nUNUSED static void measure_row(\1) {/' "$top/write-bench.c" >source.c
sessions=200
! full "400 sessions of each kind" || sessions=400
run 0 "the simulation builds" "${CC:-cc}" -std=gnu11 -pthread -O0 -w -I. -DSESSIONS=$sessions -o simulate "$top/tests/simulate.c" -lm
./simulate >figures
is "... and runs" $? 0
sed 's/^/# /' figures >&3
# bound DESCRIPTION FIGURE RELATION NUMBER
bound() {
	value=$(sed -n "s/^$2 //p" figures)
	[ "$value" ] && awk "BEGIN { exit !(($value) $3 $4) }"
	is "$1: $value $3 $4" $? 0
}
# Jobs with runs that are known.
is "a gate: slower, slower by too few runs for two commands, by runs that don't show it, alike, n/a" \
	"$(sed -n 's/^gate_[a-z_]* //p' figures | tr '\n' ' ')" "3 2 2 0 2 "
# Bounds are three standard errors, or more, from what comes out.
# What must hold of 40 rows of unequal noise, on a machine that stalls and drifts.
for stalls in 5 15; do
	for runs in 6 10; do
		case $runs,$stalls in 6,5) found=0.60 ;; 6,15) found=0.40 ;; 10,5) found=0.88 ;; 10,15) found=0.65 ;; esac
		is=crowded_${runs}_runs_${stalls}_stalls
		bound "$runs runs, $stalls % stalls: the fastest is called slower, in so many sessions" ${is}_fastest_excluded "<=" 0.05
		bound "... so many of the rows that are 10 % slower are" ${is}_slower_found ">=" "$found"
		bound "... the recommended row is within 3 % of the fastest, in so many sessions" ${is}_recommended_near ">=" 0.94
		bound "... rows that are all alike: any of them is called slower, in so many sessions" \
			alike_${runs}_runs_${stalls}_stalls_excluded "<=" 0.05
	done
done
bound "3 runs give more false alarms than 6" alike_3_runs_15_stalls_excluded ">" \
	"$(sed -n 's/^alike_6_runs_15_stalls_excluded //p' figures)"
bound "... at most the chance of rows that are alike in noise, too, by the formula" alike_3_runs_15_stalls_excluded "<=" 0.29
for runs in 6 10; do
	bound "$runs runs, no stalls: rows that are all alike: any of them is called slower, in so many sessions" \
		alike_${runs}_runs_0_stalls_excluded "<=" 0.05
done
for runs in 6 10; do
	bound "$runs runs: what the next session recommends was called slower, in so many sessions" next_${runs}_runs_contradicts "<=" 0.015
done

# What the first sentence is worth: default sessions with their final, commands kept or replaced, and jobs of a gate of 5 %.
jobs=200
! full "2000 jobs of each kind" || jobs=2000
./simulate $jobs >figures
is "what the answer is worth" $? 0
sed 's/^/# /' figures >&3
for rows in crowded real; do
	for stalls in 5 15; do
		is=final_${rows}_${stalls}_stalls
		bound "$rows rows, $stalls % stalls: the fastest has its ~, in so many sessions" ${is}_marked ">=" 0.95
		bound "... the recommended row is truly more than 5 % behind" ${is}_behind "<=" 0.05
	done
done
bound "a command that is 20 % slower than nine rows, noise of 10 %: is kept, in so many sessions" keep_10_noise_5_stalls_20_slower_kept "<=" 0.05
bound "... 30 % slower, noise of 20 %" keep_20_noise_10_stalls_30_slower_kept "<=" 0.15
bound "... as fast as these, noise of 10 %: another row is used" keep_10_noise_5_stalls_0_slower_used "<=" 0.05
bound "... noise of 20 %" keep_20_noise_10_stalls_0_slower_used "<=" 0.06
bound "a gate, noise of 2 %: the same program passes" gate_2_noise_0_stalls_0_slower_ends_0 ">=" 0.95
bound "... one that is 8 % slower does not" gate_2_noise_0_stalls_8_slower_ends_3 ">=" 0.95
bound "... noise of 3 %, 15 % stalls: the same program passes" gate_3_noise_15_stalls_0_slower_ends_0 ">=" 0.95
bound "... one that is 8 % slower does not" gate_3_noise_15_stalls_8_slower_ends_3 ">=" 0.90
bound "... noise of 10 %: the same program is never blamed" gate_10_noise_0_stalls_0_slower_ends_3 "<=" 0.02
bound "... it passes" gate_10_noise_0_stalls_0_slower_ends_0 ">=" 0.70
bound "... one that is 8 % slower never passes" gate_10_noise_0_stalls_8_slower_ends_0 "<=" 0.02
bound "... it is found" gate_10_noise_0_stalls_8_slower_ends_3 ">=" 0.25
