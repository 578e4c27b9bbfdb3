#!/bin/sh
# The answer: what is used or kept of runs that are known, with its row, factor and interval; the same where lines are
# sorted; marks; and the lines below a table.
# Tried: it fails where the rounds that chose a row decide, or four late rounds are too few; an interval is one-sided; a
# Tried: row that stalls is used; a loop is kept; a start saves time; a guess tells of a command; C is that of the best
# Tried: run; a command that is kept has no ~; the slowest row that shares is named; a range ends too early.
. "$(dirname "$0")/tap.sh"
. "$top/tests/reports.sh"

sorted() { # FILE: the data lines of each report in it, as a spreadsheet may leave them
	perl -ne 'if (/^(#|row,)/) { print sort(@runs), $_; @runs = () } else { push @runs, $_ }
		END { print sort @runs }' "$1"
}
# told FILE: rows and figures of what -q prints: of "Use W: 2.00 times as fast as C (95%: 1.90 to 2.10); median ..."
# "Use W 2.00 x C 95% 1.90-2.10"
told() {
	"$wb" --compare "$1" -q >told 2>&1
	joined told | sed 's/times as fast as/x/g; s/\([0-9]%\): \([0-9.]*\) to /\1 \2-/g' | grep -oE \
		-e '([Uu]se|[Kk]eep) [^:;,.(]*|: [^:(]* (is not|saves) |: no row|no row|--reuse' \
		-e 'at [0-9]+KiB not|than [^,(]*,|(Up|From|At) [^:]*:' \
		-e '(at [0-9]+[KM]iB )?[0-9.]+ x [^,.(]*[^ ,.(]|[0-9]+% [0-9.]+-[0-9.]+|first guess|[0-9]+ runs?|about [a-z]+' \
		-e 'blocks, [0-9.]+[mu]s( \(.*us\))?|Failed: [^:]*|alone .*s' |
		sed 's/[., ]*$//' | paste -sd' ' | sed 's/ : /: /g'
}
# What is to be told | why | of which report (or it is on the next line), in us, of 10 rounds where it does not say so;
# rounds from 8 on are then of the third step.
while IFS='|' read -r wanted what lines; do
	[ "$lines" ] || read -r lines
	made size=256000 runs=10 us "$lines" >a.csv
	is "$what: $wanted" "$(told a.csv)" "$wanted"
	sorted a.csv >sorted.csv
	is "... lines are sorted" "$("$wb" --compare - <sorted.csv 2>&1)" "$("$wb" --compare - <a.csv 2>&1)"
done <<'END'
Use w 2.19 x cat 95% 2.12-2.26|by the third step alone|
runs=3; $_cat 100..106 @8 100..119; w 60..66 @8 50x20; v 70..76
Keep cat: w is not 95% 0.96-1.04|... though seven rounds show it|
runs=3; $_cat 100..106 @8 100..119; w 60..66 @8 100..119; v 70..76
Use w 2.23 x cat 95% 2.20-2.26|... interrupted after four rounds|runs=3; $_cat 100x7 @8 110..113; w 50x11; v 70..76
Use w 2.00 x cat 99% 2.00-2.22|... after three: by all|runs=3; $_cat 100x7 @8 110..112; w 50x10; v 70..76
Use w 2.04 x cat 99% 2.00-2.08|the second step, interrupted after five rounds|
runs=3; $_cat 100..104; w 50x5; v 60..64; a 80..82; b 90..92; c 91..93
4 runs about cat|... after four of a row|runs=3; $_cat 100..104; w 50x4; v 60..64; a 80..82; b 90..92; c 91..93
2 runs about cat|the first step, interrupted in its last round|
runs=3; $_cat 100..102; w 50x3; v 60..62; a 80 81; b 90 91; c 91 92
1 run about cat|... in its second|runs=3; $_cat 100 101; w 50; v 60 61; a 80
1 run|one run|runs=1; w 100
3 runs about cat|a first guess|runs=3; $_cat 104..106; w 50..52; v 52..54; a 60..62; b 95..97; c 130..132
Use a first guess 3 runs|... without a command|runs=3; v 104..106; w 120..122; a 95 120 121; b 130..132
Use w first guess 3 runs|... a plain loop|runs=3; read+write_256k 104..106; w 60..62; v 61..63
Use w 2.09 x cat 99% 2.02-2.16|ten rounds|$_cat 100..109; w 50x10
4 runs about cat|four of two rows: too few for 99 %, but not for a ~|runs=4; $_cat 100..103; w 50x4
Use w 1.62 x cat 99% 1.54-1.71|the fastest stalls in six of ten|ms; v 26 27 26.5 27.5 600x6; w 60..69; $_cat 100..109
Use w 1.63 x cat 99% 1.55-1.72|... in five of seven|runs=3; ms; v 26 27 600x5; w 60..66; $_cat 100..106
Use w 3.85 x cat 99% 3.70-4.00|... in one of ten: used|ms; w 26 27x8 600; v 60..69; $_cat 100..109
Use w 2.67 x cat 99% 2.67-2.67|a median of 1.25 times the smallest|w 40 75x9; v 59x3 60x3 90x4; $_cat 200x10
Use v 3.33 x cat 99% 2.22-3.39|... of more|w 40 76x9; v 59x3 60x3 90x4; $_cat 200x10
Use w than read+write 256k|a plain loop is never kept|read+write_256k 100..109; w 98..107
Use read+write 256k: no row|... is the row to use|read+write_256k 90..99; w 100..109
Use w 2.04 x read+write 256k 99% 2.01-2.08|... is slower|read+write_256k 200..209; w 100x10
Use w|... was not measured|w 100..109; v 200..209
Keep cat: no row|no row but a command|$_cat 100..109; reflink =n/a_EXDEV
Keep cat: w is not 99% 0.81-0.87|only commands have a ~|$_cat 100..109; w 120..129; v 130..139
Use w 2.00 x dd 99% 2.00-2.00|the smallest median, not the best run|$_cat 90 110x9; $_dd 100x10; w 50x10
Keep cat: w saves 99% 1.25-1.25|a fifth of it is start|$_cat 100/20x10; w 80x10
Use w 1.25 x cat 99% 1.25-1.25|... a tenth|$_cat 100/10 100x9; w 80x10
Use w 2.49 x dd 99% 2.42-2.56|cat is mostly start-up|$_cat 100/51x10; $_dd 120..129; w 50x10
Use w 5.00 x cat 99% 5.00-5.00|... half of it, by the least|$_cat 100/90x9 100/50; $_dd 120..129; w 20x10
Use w 2.00 x read+write 256k 99% 2.00-2.00|all commands are|$_cat 60/60x10; w 50x10; read+write_256k 100x10
|a baseline|baseline=w; $_cat =shared 50x10; w 100..109
|commands alone|$_cat 100..109; $_dd =shared 200..209
Use reflink blocks, 5.00us use w|shared blocks|reflink =shared 5x10; u =shared 6x10; w 100..109; v =shared 7x10
Use u blocks, 5.00us keep cat: w is not 99% 0.81-0.87|... a copy is kept|u =shared 5x10; $_cat 100..109; w 120..129
Keep cat blocks, 9.00us (u 5.00us) use w|... so is a command that shares|
$_dd =shared 10x10; $_cat =shared 9x10; v =shared 6x10; u =shared 5x10; w 40x10
Keep cat blocks, 9.00us use w|... and no row does|$_cat =shared 9x10; w 40x10
Use reflink blocks, 5.00us|all share|reflink =shared 5x10
Failed: w Use v 2.00 x cat 99% 2.00-2.00|failures come first|v 50x10; $_cat 100x10; w =failed_EIO
Use w 2.00 x cat 99% 2.00-2.00 alone it takes 46.0us|the input is the limit|input_ns=46000; w 50x10; $_cat 100x10
Use w 2.00 x cat 99% 2.00-2.00|... is not|input_ns=45000; w 50x10; $_cat 100x10
Use w --reuse|less than 1 MiB|reuse=no; size=1048575; w 50x10
Use w|1 MiB|reuse=no; size=1048576; w 50x10
At all sizes: use w at 8KiB 2.00 x cat 99% 2.00-2.00|sizes|4096; w 50x10; $_cat 60x10; 8192; w 50x10; $_cat 100x10
Up to 8KiB: use w From 16KiB on: use v|the longest range|
4096; v 50..59; w 51..60; 8192; v 70x10; w 50x10; 16384; v 50x10; w 70x10
At all sizes: use v at 8KiB 3.60 x cat 99% 3.39-3.85|of equals the better one at the first|
4096; v 50..59; w 51..60; $_cat 200x10; 8192; v 51..60; w 50..59; $_cat 200x10
At all sizes: use read+write 256k no row|a plain loop|4096 8192; read+write_256k 90..99; w 100..109
At all sizes: use read+write 256k|... that another row beats at the last|
runs=3; 4096; read+write_256k 50..56; w 100..106; 8192; read+write_256k 100..106 @8 100..119; w 99..105 @8 50x20
At all sizes: use w than read+write 256k|not shown at any|4096 8192; read+write_256k 100..109; w 98..107
At all sizes: use w at 8KiB not than read+write 256k|... at the last|
4096; read+write_256k 100..109; w 50x10; 8192; read+write_256k 100..109; w 98..107
Up to 4KiB: use w From 8KiB to 16KiB: keep cat From 32KiB on: use w 2.00 x cat 99% 2.00-2.00|a command is kept|
4096; w 50x10; 8192 16384; w 90x10; $_cat 90x10; 32768; w 50x10; $_cat 100x10
Keep cat blocks, 6.00us (u 5.00us) At all sizes: use w|... that shares|
4096 8192; w 50x10; u =shared 5x10; $_cat =shared 6x10
END

# Ranks, by the first two steps, and marks: a first guess, of few runs, is by two faster rows, or by the first.
while IFS='|' read -r wanted lines; do
	made size=256000 us "$lines" >a.csv
	is "ranks and marks: $wanted of $lines" "$(marks a.csv)" "$wanted"
done <<'END'
w~ $ cat v|runs=3; $_cat 100..106 @8 100..119; w 99..105 @8 50x20; v 200..206
w~ $ cat~ v|runs=3; $_cat 100..106 @8 90..109; w 99..105 @8 100..119; v 200..206
u v w~ $ cat|runs=10; w 50x10; $_cat 60/31x10; u =shared 5x10; v =untouched 6x10
a~ b~ c~ d e f|runs=3; a 100..102; b 101 102 104; c 103..105; d 111..113; e 112..114; f 120..122
a~ b~ f~ c~ d e|runs=3; a 100..102; b 101 102 104; c 104..106; d 111..113; e 112..114; f 120 103 121
a~ b~ c d e|runs=3; a 100..102; b 101 102 104; c 103..105; d 111..113; e 112..114
a~ b~ c d e f|runs=2; a 100 102; b 101 104; c 103 105; d 111 113; e 112 114; f 120 121
END

# The lines below a table: speed, CPUs and memcpy; commands, the fastest first; and their order.
made ms 'size=16777216; runs=10; memcpy_ns=10000000; warning_zero=so much' 'w:30.5 20..29; sendfile =n/a_EXDEV' \
	'$_./copy 58.1x10; $_dd 131/10x10; $_cat 60.2x10; tee =failed_EIO' >a.csv
"$wb" --compare a.csv >out
joined out >line
holds "median, speed, CPUs and memcpy" line 'median 24\.5ms, 653MiB/s with 1\.2 CPUs, 41% of memcpy\..* dd .* 10\.0ms'
holds "commands" out '^Commands: \./copy 58\.1ms, cat 60\.2ms \(1\.04 times\), dd 131ms \(2\.25 times\)\.$'
is "the order of lines" "$(grep -oE '^(Failed|Use|Commands|~|Warning|n/a|10 rounds)' out | paste -sd' ')" \
	"Failed Use Commands ~ Warning n/a 10 rounds"
is "-q: the first two" "$("$wb" --compare a.csv -q)" "$(sed -n '/^Failed/,/^Commands/{ /^Commands/d; p; }' out)"
