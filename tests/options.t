#!/bin/sh
# Bad usage: exit status 2, a message that names the argument, and nothing on disk changed.
# Tried: it fails where a size that overflows is taken; a number may have a sign; a pause may be in hexadecimal; a glob may
# Tried: match nothing; the report may go into the input's place; a report that can't be written is no failure.
. "$(dirname "$0")/tap.sh"

bytes 5000 >X
refuse() { # description, regex of the message, option...
	what=$1 regex=$2
	shift 2
	echo precious >Y
	"$wb" "$@" <X 1<>Y 2>err
	status=$?
	[ $status = 2 ] && [ "$(cat Y)" = precious ] && grep -Eq -e "$regex" err && [ "$(wc -l <err)" = 1 ] && [ ! -e report ]
	is "$what" "$? $status" "0 2"
}

refuse "no runs" "--runs=0: .*whole number" -n 0
refuse "runs in scientific notation" "--runs=1e9" -n 1e9
refuse "runs that are no number" "--runs=x" -n x
refuse "negative runs" "--runs=-3" --runs=-3
refuse "runs with a sign" "--runs=\+3" -n +3
refuse "runs with a blank" "--runs= 3" -n ' 3'
refuse "more runs than there is room for" "--runs=100001" -n 100001
refuse "runs that overflow" "--runs=99999999999999999999" -n 99999999999999999999
refuse "no runs at all" "--runs=: " --runs=
refuse "a negative pause" "--pause=-1: .*time" -p -1
refuse "a pause that is no number" "--pause=nan" -p nan
refuse "an infinite pause" "--pause=inf" -p inf
refuse "a pause of hours" "--pause=3601" -p 3601
refuse "a pause in furlongs" "--pause=1furlong" -p 1furlong
refuse "no size" "--size=0: .*size" -z 0
refuse "a size that overflows 64 bits" "--size=18446744073709551616" -z 18446744073709551616
refuse "a size that overflows by its suffix" "--size=8388608t" -z 8388608t
refuse "a size that overflows to a small one" "--size=16777217t" -z 16777217t
refuse "a negative size" "--size=-1" -z -1
refuse "a size with half a suffix" "--size=1kk" --size 1kk
refuse "an unknown long option" "--frobnicate.*--help" --frobnicate
refuse "an unknown letter" "-Y: .*--help" -Y
refuse "an unknown letter in a bundle" "-Y: .*--help" -qY
refuse "a long option without its argument" "--runs: needs an argument" --runs
refuse "a letter without its argument" "-n: needs an argument" -n
refuse "an argument where none is taken" "--quiet=1" --quiet=1
refuse "a file name as an argument" "Z: .*redirected" Z
refuse "a glob that matches nothing" "--select=nosuch\*: matches no row" -s 'nosuch*'
refuse "one such glob among others" "--select=nosuch: matches no row" -s 'sendfile,nosuch'
refuse "an exclusion that matches nothing" "--exclude=nosuch: matches no row" -x nosuch
refuse "an empty glob" "--select: a glob is empty" -s ''
refuse "an empty glob among others" "--select: a glob is empty" -s 'sendfile,'
refuse "a pause in hexadecimal" "--pause=0x1p-10" -p 0x1p-10
refuse "nothing left to run" "no row is left" -s sendfile -x 'send*'
refuse "an unknown format" "--format=pdf: .*text, markdown, csv, json or svg" -f pdf
refuse "a seed that is no number" "--seed=x" --seed=x
refuse "the report on standard output" "--output=-" -o -
refuse "the report in a directory that is not there" "nosuch/report: open: ENOENT \(No such file.*\): " -o nosuch/report
refuse "the report in a directory's place" "^write-bench: \.: open: EISDIR" -o .
refuse "the report in the input's place" "X: is standard input" -o X
refuse "the report in the output's place" "Y: is standard output" -o Y
mv X X2 && ln -s X2 X
refuse "the report in the input's place, by another name" "X: is standard input" -o X
[ "$(wc -c <X)" = 5000 ]
is "the input is still whole" $? 0

# Good usage, in every spelling.
for options in "-n 1 -p 0 -s sendfile" "-n1 -p0 -ssendfile" "--runs=1 --pause=0 --select=sendfile" \
	"--runs 1 --pause 0 --select sendfile" "-qn1 -p0 -ssendfile" "--run=1 --pau=0ms --sel=sendfile" \
	"-n1 -p.001 -z5000 --seed=7 -s sendfile" "-an1 -p1us -s send*le" "-n1 -p0 -z 4k -s sendfile"; do
	# shellcheck disable=SC2086
	run 0 "accepted: $options" "$wb" $options <X >Y
done
head -c 4096 X >X4
same "--size=4k copies the first 4096 bytes" X4 Y
run 0 "a size beyond the input's copies the input" "$wb" -z 8388607t -n1 -p0 -s sendfile <X >Y
same "... whole" X Y

run 0 "--help" "$wb" --help >help
holds "--help names every option" help '-l, --list' '-s, --select=' '-x, --exclude=' '-a, --all' '-n, --runs=' \
	'-p, --pause=' '--in-order' '--no-verify' '-z, --size=' '-f, --format=' '-o, --output=' '-q, --quiet' \
	'-h, --help' '-V, --version' '--man' '--seed='
is "--help fits 80 columns" "$(awk 'length > 80' help)" ""
"$wb" -h >help2
same "-h is --help" help help2
run 0 "-V" "$wb" -V >version
holds "-V tells the version" version '^write-bench [0-9.]+$'
run 0 "--man" "$wb" --man >man.1
holds "--man is a manual page" man.1 '^\.TH' '^\.SH NAME' '^\.SH OPTIONS' '^\.SH EXIT STATUS'
run 0 "--man -o FILE" "$wb" --man -o man2.1
same "... writes the same there" man.1 man2.1
if [ -e /dev/full ]; then
	run 1 "--help to a full device fails" "$wb" --help >/dev/full
	holds "... and says why" err 'ENOSPC \(No space left on device\)'
	run 1 "a report that can't be written fails at the end" "$wb" -n1 -p0 -s sendfile -o /dev/full <X >Y
	holds "... and says which and why" err '/dev/full: write: ENOSPC'
	same "... but the copy is there" X Y
	echo old >log
	"$wb" -n1 -p0 -s sendfile -o /dev/stderr <X >Y 2>>log
	is "a log that standard error is appended to keeps what it has" "$(head -n 1 log)" old
	holds "... and gets the report" log 'filesize='
else
	skip "a report that can't be written" "no /dev/full"
fi
