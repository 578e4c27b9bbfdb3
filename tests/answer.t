#!/bin/sh
# The answer: what is kept, or used, of runs that are known; that it agrees with the table, and a sentence with its
# interval.
# Tried: it fails where a duel that X loses leaves X; where a row that loses to the command is used; where a guess has
# Tried: an interval; where a start-up counts as out of the final; where a command by size is compared with nothing;
# Tried: where a baseline is "used".
. "$(dirname "$0")/tap.sh"
. "$top/tests/reports.sh"

# answer WHAT LINES REGEX...: the notes, joined, of a report of these lines, in us, match, or with "!" in front do not;
# with sorted lines it is the same
answer() {
	what=$1
	made size=256000 us "$2" >a.csv
	shift 2
	"$wb" --compare a.csv -o a.txt -o a.json -o a.md -o a.svg >/dev/null 2>err
	got=$?
	sed '1,/^row /d' a.txt | sed '1,/^$/d' | tr -s '\n ' '  ' >line
	missing=
	for regex; do
		grep -Eq -e "${regex#!}" line
		case $?$regex in 1!*) ;; 0!* | 1*) missing="$missing, $regex" ;; esac
	done
	[ -z "$missing" ] || { sed 's/^/# /' line err && echo; } >&3
	is "$what" "$got$missing" 0
	[ "$(grep -c '^row,' a.csv)" = 1 ] || return 0
	{ sed '/^row,/q' a.csv && sed '/^#/d; /^row,/d' a.csv | sort; } >sorted.csv
	"$wb" --compare sorted.csv 2>&1 | sed '1,2d' >b.txt
	is "... lines are sorted: the same" "$(sed '1,2d' a.txt | diff - b.txt)" ""
}

# Few runs, and a first guess.
answer "few runs: used is what was faster in each run, not what has one good run" \
	'runs=3; $_cat 104..106; sendfile 100..102; splice 100..102; tee 95 120 121; mmap 130..132; stdio 130..132' \
	'^ ?Use s[a-z]*, or another .* by a first guess after 3 runs: 1\.0[0-9] times as fast as cat;'
answer "... a plain loop that is as fast: not shown, by a guess" \
	'runs=3; read+write_256k 104..106; sendfile 120..122; splice 120..122; mmap 130..132; stdio 130..132;
		tee 95 120 121' \
	'Use tee, .* by a first guess after 3 runs: not shown to be faster than read\+write 256k, a plain loop;'
answer "an interrupted final: a guess has no interval" \
	'runs=3; $_cat 130..133; sendfile 110..113; splice 120..122; tee 140..142' \
	'Use sendfile, .*by a first guess after 3 runs: 1\.1[0-9] times as fast as cat; '
answer "a command alone may be the fastest, by a guess" \
	'runs=3; $_cat 100..102; sendfile 110..112; splice 120..122; tee 140..142' \
	'3 runs show nothing about cat: it alone of 4 rows may be the fastest, by a first guess\.'

# The final, and rows that are out of it.
answer "a plain loop that was out, too few runs: a first guess, without an interval" \
	'runs=3; sendfile 100x7; splice 101x7; tee 100 102x6; a 100 103x6; b 101 102x6; c 100 104x6; d 100 101x6;
		e 99 105x6; f 98 105x6; read+write_256k 210x3' \
	'Use [a-z]*, .*: 2\.[0-9]* times as fast as read\+write 256k, a plain loop \(a first guess\);'
answer "... enough: the interval" \
	'runs=3; splice 100 101x6; sendfile 101x7; read+write_256k 202..204; a 202..204; b 204..206; c 204..206' \
	'Use splice, .*: 2\.[0-9]* times as fast as read\+write 256k \(95%: [0-9.]* to [0-9.]*\), a plain loop;' \
	'!first guess'
answer "a start-up was in the final" \
	'runs=3; $_cat 100/80x7; sendfile 20..26' \
	'~: 1 of 2 rows may be fastest \(95%\)\.' 'cat is mostly start-up here \(80\.0us of 100us\)'
answer "start-ups alone" \
	'runs=3; $_cat 100/80x7; $_dd 110/80x7' \
	'(^| )cat is mostly start-up here' '(^| )dd is mostly start-up' '!~:' '!rows 200'
answer "a plain loop decides nothing about the row to use" \
	'sendfile 100 100 100 130 130 100 100; splice 101x7; read+write_256k 100.5 110x6' 'Use sendfile, ' '!Not '

# Commands, the duel.
answer "a command that is kept by a duel, though others are faster" \
	'runs=3; tee 70 70 70 71 128 128 128 @8 108x10; splice 99x7; $_cat 100..102 100..102 100 @8 90x10' \
	'Keep cat: tee is shown to be slower, after 10 more rounds of both\.'
answer "nothing may be faster that is slower" \
	'runs=3; sendfile 90 95 100 105 110 115 120 @8 120x40; $_cat 100..106 @8 100 140x20 100x19' \
	'Keep cat: ' '!may be:'
answer "the first row does not beat the command" \
	'runs=3; sendfile 90 90 90 91 200 200 200; splice 96x7; $_cat 100..102 100..102 100' \
	'Use splice, .* as fast as cat ' \
	'Not sendfile: best run 90\.0us, but it is not shown to be faster than cat\.'
answer "a command whose start is not known: at most" \
	'$_rsync_X_Y 120/20t 130/20t 90/20t 122/20t 121/20t 95/20t 124/20t; sendfile 80 82 100 81 84 105 83' \
	'Keep rsync X Y: .* sendfile may be: at most 1\.[0-9]* times as fast \(its start is not known\)'
answer "a single command has its median and speed" '$_cat 100..102' '^ ?cat: median 0\.101ms, '
answer "... behind rows that share" \
	'reflink =shared 5x3; sendfile 100..102' \
	'Use reflink: it shares the blocks, 5\.00us\. If the bytes must be copied: use sendfile: median '
answer "some runs without a start" '$_cat 100/1 101 102; sendfile 90..92' '!-0\.0'

# --baseline, and the gate.
answer "a baseline that shares is not used" \
	'runs=3; baseline=$ ./old; $_./old =shared 100..102 100..102 100; $_./new 100..102 100..102 100;
		sendfile 50..52 50..52 50' \
	'!Use ./old' '!Keep' '\./new: \+0\.0%' 'se sendfile'
answer "the gate: a baseline that is mostly start-up" \
	'runs=10; baseline=$ ./old; limit_percent=5; $_./old 100/80x10; $_./new 200/80x10' \
	'\./new: .*: undecided: the baseline is mostly start-up'
answer "... what is slower has no ~" \
	'runs=3; baseline=$ ./old; limit_percent=3;
		$_./old 100 110 120 105 115 112 104 103 100 101 100 102 101 103 100..103 100 101;
		$_./new 108 110 120 112 119 115 114 113 115..118 113 112 111 113..117' \
	'\./new: .*: slower by more than 3%' '~: 1 of 2 rows'
answer "... interrupted before its first look" \
	'runs=3; baseline=$ ./old; limit_percent=3; $_./old 100..104; $_./new 100..104' \
	'\./new: undecided: it ran too few times'
answer "... a start that is not known is no proof of slowness" \
	'runs=10; baseline=$ ./old; limit_percent=5; $_./old 100/40x10; $_./new 100/10tx10' \
	'\./new: at most \+.*: undecided: the start of one of both is not known'
answer "... of both: they are alike" \
	'runs=10; baseline=$ ./old; limit_percent=5; $_./old 110/10tx10; $_./new 140/10tx10' \
	'\./new: \+30.*: slower by more than 5%'
for facts in limit_percent=5 'baseline=sendfile; limit_percent=1e999' 'baseline=sendfile; limit_percent=nan' \
	'baseline=sendfile; limit_percent=-5'; do
	made "$facts; sendfile 100 101 102" >a.csv
	run 2 "a limit without a baseline, or one that is none, is refused: $facts" "$wb" --compare a.csv -f json
done

# By size.
answer "by size a command is compared with the one that is kept" \
	'4096 1048576; sendfile 100..109; $_./fast 50..59; $_./slow 500..509' \
	'\./slow: slower at all sizes, 9\.[0-9]* times the time ' '\./fast: no row is shown to be faster'
answer "... with a baseline no command is to be used" \
	'baseline=$ cat; 4096 1048576; $_cat 100..109; $_dd 120..129' '!At all sizes: cat' 'dd: \+'
answer "... a command that shares is kept" \
	'4096 1048576; $_cat =shared 50x7; sendfile 100..106' 'Keep cat: it shares the blocks, 50\.0us at 1MiB'
answer "... one that failed at the first size has its line for the others" \
	'4096; $_dd =failed_exit_1 0; sendfile 100..106; 1048576; $_dd 200..206; sendfile 100..106' \
	'dd: slower (at|from) 1MiB'

# Each file has a gate of its own, or none: JSON of several has none.
made us 'runs=10; baseline=$ ./old; limit_percent=5; $_./old 100x10; $_./new 140x10' | tee a.csv >b.csv
is "a gate is in the JSON of one file, not of two" \
	"$(for files in a.csv "a.csv b.csv"; do echo "$files" | xargs "$wb" -f json --compare | grep -c '"gate"'; done |
	paste -sd' ')" "1 0"

# Two files: what only starts has not changed.
made us '$_cat 100/80x20; sendfile 50 51x19' | tee a.csv >b.csv
"$wb" --compare a.csv b.csv >out
lacks "of two files a start-up is no change, nor too few runs" out 'too few'
