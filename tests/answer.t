#!/bin/sh
# The answer: what is kept, or used, of runs that are known; that it agrees with the table, and a sentence with its interval.
# Tried: it fails where a duel that X loses leaves X; where a row that loses to the command is used; where a guess has an interval; where a
# Tried: start-up counts as out of the final; where a command by size is compared with nothing; where a baseline is "used".
# shellcheck disable=SC2016 # the dollars are of names
. "$(dirname "$0")/tap.sh"

have perl || skip_all "no perl"
# made <LINES: a report of lines "# KEY: VALUE" and "ROW TIME...", in microseconds; TIME/START; "t" behind it: of true(1); "@ROUND" from that
# round on; "xN": N times; "=OUTCOME" of the row. A line "BYTES" begins another size. A row is not a command unless it begins with "$_".
cat >made.pl <<'END_OF_PERL'
use strict;
my ($bytes, @facts, @runs, %round);
sub put {
	return if !@runs;
	print map({ "$_\n" } @facts, $bytes ? "# size: $bytes" : ()), "row,round,ns,outcome,start_ns,start_of,bytes\n", @runs;
	(@runs, %round) = ();
}
while (<STDIN>) {
	chomp;
	if (/^#/) { push @facts, $_; next }
	if (/^(\d+)$/) { put(); $bytes = $1; next }
	my ($row, @times) = split / /;
	my ($round, $outcome) = (0, "ok");
	$row =~ s/_/ /g;
	for my $i (0 .. $#times) {
		$outcome = $1 =~ s/_/ /gr, next if $times[$i] =~ /^=(.*)/;
		$round = $1 - 1, next if $times[$i] =~ /^@(\d+)/;
		my ($time, $start, $of, $n) = $times[$i] =~ m,^([0-9.]+)(?:/([0-9.]+)(t?))?(?:x(\d+))?$, or die "$times[$i]?\n";
		for (1 .. $n || 1) {
			$round++;
			my $ns = $outcome =~ /^(ok|shared)/ ? 1000 * $time : "";
			push @runs, join(",", $row, $round, $ns, $outcome, defined $start ? (1000 * $start, $of ? "true" : "own") : ("", ""), $bytes || 256000) . "\n";
		}
	}
}
put();
END_OF_PERL
# answer WHAT REGEX... <LINES: the notes, joined, of that report match, or with "!" in front do not; with lines sorted it is the same
answer() {
	what=$1
	shift
	perl made.pl >a.csv
	"$wb" --compare a.csv -o a.txt -o a.json -o a.md -o a.svg >/dev/null 2>err
	got=$?
	sed '1,/^row /d' a.txt | sed '1,/^$/d' | tr -s '\n ' '  ' >line
	missing=
	for regex; do
		case $regex in
		!*) ! grep -Eq -e "${regex#!}" line || missing="$missing, $regex" ;;
		*) grep -Eq -e "$regex" line || missing="$missing, $regex" ;;
		esac
	done
	[ -z "$missing" ] || { sed 's/^/# /' line err && echo; } >&3
	is "$what" "$got$missing" 0
	[ "$(grep -c '^row,' a.csv)" = 1 ] || return 0
	{ sed '/^row,/q' a.csv && sed '/^#/d; /^row,/d' a.csv | sort; } >sorted.csv
	"$wb" --compare sorted.csv 2>&1 | sed '1,2d' >b.txt
	is "... lines are sorted: the same" "$(sed '1,2d' a.txt | diff - b.txt)" ""
}

# Few runs, and a first guess.
answer "few runs: used is what was faster in each run, not what has one good run" '^ ?Use s[a-z]*, or another .* by a first guess after 3 runs: 1\.0[0-9] times as fast as cat;' <<'END'
# runs: 3
$_cat 104 105 106
sendfile 100 101 102
splice 100 101 102
tee 95 120 121
mmap 130 131 132
stdio 130 131 132
END
answer "... a plain loop that is as fast: not shown, by a guess" 'Use tee, .* by a first guess after 3 runs: not shown to be faster than read\+write 256k, a plain loop;' <<'END'
# runs: 3
read+write_256k 104 105 106
sendfile 120 121 122
splice 120 121 122
mmap 130 131 132
stdio 130 131 132
tee 95 120 121
END
answer "an interrupted final: a guess has no interval" 'Use sendfile, .*by a first guess after 3 runs: 1\.1[0-9] times as fast as cat; ' <<'END'
# runs: 3
$_cat 130 131 132 133
sendfile 110 111 112 113
splice 120 121 122
tee 140 141 142
END
answer "a command alone may be the fastest, by a guess" '3 runs show nothing about cat: it alone of 4 rows may be the fastest, by a first guess\.' <<'END'
# runs: 3
$_cat 100 101 102
sendfile 110 111 112
splice 120 121 122
tee 140 141 142
END

# The final, and rows that are out of it.
answer "a plain loop that was out, too few runs: a first guess, without an interval" \
	'Use [a-z]*, .*: 2\.[0-9]* times as fast as read\+write 256k, a plain loop \(a first guess\);' <<'END'
# runs: 3
sendfile 100x7
splice 101x7
tee 100 102x6
a 100 103x6
b 101 102x6
c 100 104x6
d 100 101x6
e 99 105x6
f 98 105x6
read+write_256k 210x3
END
answer "... enough: the interval" 'Use splice, .*: 2\.[0-9]* times as fast as read\+write 256k \(95%: [0-9.]* to [0-9.]*\), a plain loop;' '!first guess' <<'END'
# runs: 3
splice 100 101x6
sendfile 101x7
read+write_256k 202 203 204
a 202 203 204
b 204 205 206
c 204 205 206
END
answer "a start-up was in the final" '~: 1 of 2 rows may be fastest \(95%\)\.' 'cat is mostly start-up here \(80\.0us of 100us\)' <<'END'
# runs: 3
$_cat 100/80x7
sendfile 20 21 22 23 24 25 26
END
answer "start-ups alone" '(^| )cat is mostly start-up here' '(^| )dd is mostly start-up' '!~:' '!rows 200' <<'END'
# runs: 3
$_cat 100/80x7
$_dd 110/80x7
END
answer "a plain loop decides nothing about the row to use" 'Use sendfile, ' '!Not ' <<'END'
sendfile 100 100 100 130 130 100 100
splice 101x7
read+write_256k 100.5 110x6
END

# Commands, the duel.
answer "a command that is kept by a duel, though others are faster" 'Keep cat: tee is shown to be slower, after 10 more rounds of both\.' <<'END'
# runs: 3
tee 70 70 70 71 128 128 128 @8 108x10
splice 99x7
$_cat 100 101 102 100 101 102 100 @8 90x10
END
answer "nothing may be faster that is slower" 'Keep cat: ' '!may be:' <<'END'
# runs: 3
sendfile 90 95 100 105 110 115 120 @8 120x40
$_cat 100 101 102 103 104 105 106 @8 100 140x20 100x19
END
answer "the first row does not beat the command" 'Use splice, .* as fast as cat ' 'Not sendfile: best run 90\.0us, but it is not shown to be faster than cat\.' <<'END'
# runs: 3
sendfile 90 90 90 91 200 200 200
splice 96x7
$_cat 100 101 102 100 101 102 100
END
answer "a command whose start is not known: at most" 'Keep rsync X Y: .* sendfile may be: at most 1\.[0-9]* times as fast \(its start is not known\)' <<'END'
$_rsync_X_Y 120/20t 130/20t 90/20t 122/20t 121/20t 95/20t 124/20t
sendfile 80 82 100 81 84 105 83
END
answer "a single command has its median and speed" '^ ?cat: median 0\.101ms, ' <<'END'
$_cat 100 101 102
END
answer "... behind rows that share" 'Use reflink: it shares the blocks, 5\.00us\. If the bytes must be copied: use sendfile: median ' <<'END'
reflink =shared 5x3
sendfile 100 101 102
END
answer "some runs without a start" '!-0\.0' <<'END'
$_cat 100/1 101 102
sendfile 90 91 92
END

# --baseline, and the gate.
answer "a baseline that shares is not used" '!Use ./old' '!Keep' '\./new: \+0\.0%' 'se sendfile' <<'END'
# runs: 3
# baseline: $ ./old
$_./old =shared 100 101 102 100 101 102 100
$_./new 100 101 102 100 101 102 100
sendfile 50 51 52 50 51 52 50
END
answer "the gate: a baseline that is mostly start-up" '\./new: .*: undecided: the baseline is mostly start-up' <<'END'
# runs: 10
# baseline: $ ./old
# limit_percent: 5
$_./old 100/80x10
$_./new 200/80x10
END
answer "... what is slower has no ~" '\./new: .*: slower by more than 3%' '~: 1 of 2 rows' <<'END'
# runs: 3
# baseline: $ ./old
# limit_percent: 3
$_./old 100 110 120 105 115 112 104 103 100 101 100 102 101 103 100 101 102 103 100 101
$_./new 108 110 120 112 119 115 114 113 115 116 117 118 113 112 111 113 114 115 116 117
END
answer "... interrupted before its first look" '\./new: undecided: it ran too few times' <<'END'
# runs: 3
# baseline: $ ./old
# limit_percent: 3
$_./old 100 101 102 103 104
$_./new 100 101 102 103 104
END
answer "... a start that is not known is no proof of slowness" '\./new: at most \+.*: undecided: the start of one of both is not known' <<'END'
# runs: 10
# baseline: $ ./old
# limit_percent: 5
$_./old 100/40x10
$_./new 100/10tx10
END
answer "... of both: they are alike" '\./new: \+30.*: slower by more than 5%' <<'END'
# runs: 10
# baseline: $ ./old
# limit_percent: 5
$_./old 110/10tx10
$_./new 140/10tx10
END
printf 'sendfile %s\n' "100 101 102" | perl made.pl | sed '1i # limit_percent: 5' >a.csv
run 2 "a limit without a baseline is refused" "$wb" --compare a.csv -f json
for limit in 1e999 nan -5; do
	sed "s/limit_percent: 5/limit_percent: $limit/; 1i # baseline: sendfile" a.csv >b.csv
	run 2 "... and $limit" "$wb" --compare b.csv -f json
done

# By size.
answer "by size a command is compared with the one that is kept" '\./slow: slower at all sizes, 9\.[0-9]* times the time ' '\./fast: no row is shown to be faster' <<'END'
4096
sendfile 100 101 102 103 104 105 106 107 108 109
$_./fast 50 51 52 53 54 55 56 57 58 59
$_./slow 500 501 502 503 504 505 506 507 508 509
1048576
sendfile 100 101 102 103 104 105 106 107 108 109
$_./fast 50 51 52 53 54 55 56 57 58 59
$_./slow 500 501 502 503 504 505 506 507 508 509
END
answer "... with a baseline no command is to be used" '!At all sizes: cat' 'dd: \+' <<'END'
# baseline: $ cat
4096
$_cat 100 101 102 103 104 105 106 107 108 109
$_dd 120 121 122 123 124 125 126 127 128 129
1048576
$_cat 100 101 102 103 104 105 106 107 108 109
$_dd 120 121 122 123 124 125 126 127 128 129
END
answer "... a command that shares is kept" 'Keep cat: it shares the blocks, 50\.0us at 1MiB' <<'END'
4096
$_cat =shared 50x7
sendfile 100 101 102 103 104 105 106
1048576
$_cat =shared 50x7
sendfile 100 101 102 103 104 105 106
END
answer "... one that failed at the first size has its line for the others" 'dd: slower (at|from) 1MiB' <<'END'
4096
$_dd =failed_exit_1 0
sendfile 100 101 102 103 104 105 106
1048576
$_dd 200 201 202 203 204 205 206
sendfile 100 101 102 103 104 105 106
END

# Each file has a gate of its own, or none: JSON of several has none.
printf '%s\n' '# runs: 10' '# baseline: $ ./old' '# limit_percent: 5' '$_./old 100x10' '$_./new 140x10' | perl made.pl >a.csv && cp a.csv b.csv
"$wb" --compare a.csv -f json >one.json
"$wb" --compare a.csv b.csv -f json >two.json
is "a gate is in the JSON of one file, not of two" "$(grep -c '"gate"' one.json) $(grep -c '"gate"' two.json)" "1 0"

# Two files: what only starts has not changed.
printf '%s\n' '$_cat 100/80x20' 'sendfile 50 51x19' | perl made.pl >a.csv && cp a.csv b.csv
"$wb" --compare a.csv b.csv >out
lacks "of two files a start-up is no change, nor too few runs" out 'too few'
