#!/bin/sh
# What verdicts and races are worth, on a machine whose truth is known: see simulate.c.
# Tried: it fails where a race keeps an eighth; each row is tested at a level of its own; a race spends all in its first
# Tried: phase; rows with few runs need not be apart.
. "$(dirname "$0")/tap.sh"

run 0 "the simulation builds" "${CC:-cc}" -std=gnu11 -pthread -O0 -o simulate "$top/tests/simulate.c"
./simulate >figures
is "... and runs" $? 0
sed 's/^/# /' figures >&3
# bound DESCRIPTION FIGURE RELATION NUMBER
bound() {
	value=$(sed -n "s/^$2 //p" figures)
	[ "$value" ] && awk "BEGIN { exit !(($value) $3 $4) }"
	is "$1: $value $3 $4" $? 0
}
for kind in real crowded; do
	bound "$kind rows: the race names one within 2 % of the best, in so many sittings" ${kind}_within_2_percent ">=" 0.95
	bound "... in so many times the time of three runs each" ${kind}_time_of_three "<=" 1.6
	bound "... with so many runs a row" ${kind}_runs_a_row "<=" 6
	bound "... never more than it was given, in so many sittings" ${kind}_over_budget "==" 0
done
for runs in 6 7 10; do
	bound "equal rows, $runs runs: some row is called slower, in so many sittings" equals_${runs}_sittings "<=" 0.05
done
bound "equal rows, 3 runs: so many rows are called slower" equals_3_rows "<=" 0.12
bound "a row that a table of 3 runs calls slower is crowned by the next, in so many sittings" slower_3_crowned_next "<=" 0.05
bound "... of 10 runs" slower_10_crowned_next "<=" 0.01
bound "3 runs do not tell that much: rows of equal speed are called slower in some sittings" equals_3_sittings ">" 0.05
