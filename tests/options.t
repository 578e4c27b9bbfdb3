#!/bin/sh
# Bad usage: exit status 2, a message that names the argument, and nothing on disk changed. Good usage: sizes, formats,
# reports, --quiet, --top, --help.
# Tried: it fails where a size that overflows is taken; a number may have a sign; a pause may be in hexadecimal; a glob
# Tried: may match nothing; 4MB is 4 MiB; an extension does not name the format; --quiet prints the table; a file is
# Tried: there twice; --top cuts what programs read, or a row that a sentence names.
. "$(dirname "$0")/tap.sh"
. "$top/tests/reports.sh"

bytes 5000 >X
refuse() { # description, regex of the message, option...
	what=$1 regex=$2
	shift 2
	echo precious >Y
	timeout 60 "$wb" "$@" <X 1<>Y 2>err
	status=$?
	[ $status = 2 ] && [ "$(cat Y)" = precious ] && grep -Eq -e "$regex" err && [ \
		"$(wc -l <err)" = 1 ] && [ ! -e report ]
	is "$what" "$? $status" "0 2"
}

# Values that are none, of each option, and what the message says that it wants.
while IFS='|' read -r option wants values; do
	IFS=,
	for value in $values; do
		quoted=$(echo "$value" | sed 's/[+.]/[&]/g')
		unset IFS
		refuse "--$option=$value" "^write-bench: --$option=$quoted: .*$wants" "--$option=$value"
	done
	unset IFS
done <<'END'
runs|number|0,1e9,-3,+3, 3,99999999999999999999
pause|time|-1,nan,inf,3601,1furlong,0x1p-10
size|size|0,18446744073709551616,8388608t,16777217t,-1,1kk,1.5x,4MiBs,1..5m,4 MiB,1e3,0.0001k,8388608.5t,9223373TB
warmup|number|-1
top|number|x,-1,1.5
fail-if-slower|1|0.5,-1,x,5%,nan
END
while read -r regex options; do
	eval "refuse \"\$options\" \"^write-bench: \$regex\" $options"
done <<'END'
--runs=:.*number --runs=
--top=:.*number --top=
--fail-if-slower=: --fail-if-slower=
--zap: --zap
--zap=1: --zap=1
--=1: --=1
--frobnicate: -n1 -q --frobnicate
--se: --se
--qui=1: --qui=1
-Y: -Y
-Y: -qY
--with=:.is.empty --with=
--with=..:.is.empty '--with=  '
--from=:.is.empty --from=
--runs: -p0 --runs
-n: -p0 -n
--quiet=1: --quiet=1
Z: -n1 Z -p0
-n: -p0 -- -n
--select=nosuch:.matches.no.row -s 'sendfile,nosuch'
--select:.a.glob.is.empty -s 'sendfile,'
no.row.is.left -s sendfile -x 'send*'
--format=pdf:.is.not.known -f pdf
--seed=x: --seed=x
--output=-: -o -
nosuch/report:.open:.ENOENT -o nosuch/report
\.:.open:.EISDIR -o .
--compare: --list --compare
--into: --send --into=cat
--tee: --tee=Z --tee=Z
--overwrite: --new --overwrite
END
# shellcheck disable=SC2046
refuse "33 reports" "" -n1 -p0 -s sendfile $(seq -f '-o many%g.csv' 33)
is "... nothing is made" "$(ls Z many* 2>/dev/null)" ""

# Good usage, in every spelling.
for options in "-n 1 -p 0 -s sendfile" "-n1 -p0 -ssendfile" "--runs 1 --pause 0ms --select sendfile" \
	"-qn1 -p.001 -z5000 --seed=7 -s sendfile" "-an1 -p1us -s send*le" "--runs=1 -p0 -z 4k -s sendfile"; do
	# shellcheck disable=SC2086
	run 0 "accepted: $options" "$wb" $options <X >Y
done
head -c 4096 X >X4
same "--size=4k copies the first 4096 bytes" X4 Y
"$wb" -p0 -n2 -s sendfile -f csv -o -n.csv <X >Y 2>err
"$wb" --compare -fcsv ./-n.csv -o r.txt >out 2>err
is "options behind words" "$? $(cat out err | cmp - ./-n.csv) $(head -c 3 r.txt)" \
	"0  $(sed -n 's/^# heading: \(...\).*/\1/p' ./-n.csv)"
run 0 "a word behind -- is none" "$wb" --compare -f csv -- -n.csv >out
run 0 "a size beyond the input's copies the input" "$wb" -z 8388607t -n1 -p0 -s sendfile -o report.csv <X >Y
same "... whole" X Y
is "... as said" "$(fact size report.csv) $(fact size_asked report.csv)" "5000 9223370937343148032"
# In which units: as dd has them.
for size in 1.5m=1572864 4MiB=4194304 4M=4194304 4mb=4000000 1.5kB=1500 2.25KiB=2304 1GB=1000000000 17=17; do
	"$wb" -p0 -n1 -s sendfile --no-verify -f csv -z "${size%=*}" </dev/zero 2>err >/dev/null
	is "--size=${size%=*}" "$? $(sed -n 's/^# size: //p' err)" "0 ${size#*=}"
done

# Reports: as many as are named, each in the format that its extension names; what is printed is text.
kind() { # FILE...: of reports
	for file; do
		case $(head -c 5 "$file") in "### "*) echo markdown ;; "# sch"*) echo csv ;; '{"sch'*) echo json ;; \
			"<svg "*) echo svg ;; *) sed '2!d; /^---*$/!s/.*/none/; s/^-.*/text/' "$file" ;; esac
	done | paste -sd' '
}
rm -f r.* report
mkdir d.csv
while IFS='|' read -r files formats options; do
	# shellcheck disable=SC2086
	run 0 "reports: $options" "$wb" -p0 -n2 -s 'sendfile*' $options <X >Y
	# shellcheck disable=SC2086
	is "... of the files, and what is printed" "$(kind $files err)" "$formats"
done <<'END'
|markdown|-f markdown
r.txt r.md r.csv r.json r.svg|text markdown csv json svg text|-o r.txt -o r.md -o r.csv -o r.json -o r.svg
report .report d.csv/report R.CSV|text text text csv text|-o report -o .report -o d.csv/report -o R.CSV
r.log|json text|-f json -o r.log
report|json text|-f json -o report
r.csv|csv json|-f json -o r.csv
END

# --quiet: what failed, and the answer; the files have all.
run 1 "--quiet" "$wb" -p0 -n3 -s 'sendfile*' -w false -w 'cp X Y' --new -q -o r.txt -o r.csv <X >Y
is "... is what failed, and the answer" "$(sed '/^  /d; s/[: ].*//; s/Keep/Use/' err | paste -sd' ')" \
	"Failed Copied Use"
is "... whole" "$(sed ':a; N; $!ba; s/\n  / /g' err | sed '/^Failed\|^Copied/d')" "$(fact recommendation r.csv)"
"$wb" --compare r.csv >again
same "... the file has the whole report" r.txt again

# --top: tables for people are cut, except commands and what sentences name; what programs read is not.
names() { # FILE: the rows of the tables in a text
	awk '/^row/ { on = 1; next } /^$/ || /^[0-9]+ slower row/ { on = 0 } on' "$1" |
		sed 's/  *[0-9.]*[num]*s[ ~].*//'
}
run 1 "--top=5" "$wb" -p0 -n2 -s 'sendfile*,mmap*' -w cat -w false --top=5 -o top.txt -o top.md -o top.csv -o top.json \
	<X >Y
same "... is what is printed" err top.txt
"$wb" --compare top.csv -o all.txt -o all.csv >out # without it
names all.txt | sed '/^\$/d' >all
names top.txt >shown
is "... has the five fastest rows, and the command" "$(sort shown)" "$({ head -n 5 all && echo '$ cat'; } | sort)"
holds "... says how many others there are, and what failed" top.txt "^$(($(wc -l <all) - 5)) slower rows" \
	'^Failed: \$ false'
is "... also in Markdown" "$(sed -n 's/^| \([^|]*\) |.*/\1/p' top.md | sed '1,2d; s/^\\//')" "$(cat shown)"
same "... CSV has all rows" top.csv all.csv
is "... and so has JSON" "$(grep -c '{"row": ' top.json)" "$(($(wc -l <all) + 2))"
run 0 "--compare --top=5" "$wb" --compare top.csv --top=5 -o again.txt -o again.csv
same "... is the same" again.txt top.txt
same "... in CSV it is not cut, too" again.csv all.csv
for n in 0 $(wc -l <all); do
	run 0 "--compare --top=$n" "$wb" --compare top.csv "--top=$n" -o again.txt
	same "... is the whole table" again.txt all.txt
done
# Rows that a sentence names are kept: the one that is used, though its best run is the last; those of several sizes.
while IFS='|' read -r wanted rows; do
	made "ms; $rows" >told.csv
	"$wb" --compare told.csv --top=1 >told
	is "--top=1 keeps what a sentence names: $rows" "$(names told | sort | paste -sd' ')" "$wanted"
done <<'END'
a c|size=1000000; a 100 200x4; b 101 200x4; c 102 103x4
a b|size=1000000; a 100 190 200 205 206; b 101 150 160 170 180; c 102 140 150 160 260
a d|4096; a 10x6; b 10.1x6; c 10.2x6; d 30x6; e 14x6; 1048576; a 30x6; b 30.2x6; c 30.1x6; d 10.2x6; e 15x6
END

# Say no more than that it can't be measured.
tells 1 "a clone of a part of a block can't be had" '^n/a: reflink: .*E[A-Z]+' "$wb" -p0 -z100 -s reflink <X >Y
lacks "... recommends and ranks nothing" err 'Use |~|^row '
is "... and leaves a copy" "$(head -c 100 X | cmp - Y)" ""

run 0 "--help" "$wb" --help >help
sed -n 's/^  \(-.,\|   \) \(--[a-z-]*\).*/\1 \2/p' help >names
[ "$(grep -c -- -- names)" -ge 18 ]
is "... each letter and each long name once" "$? $(grep -Eo -e '--[a-z-]+|-.,' names | sort | uniq -d)" "0 "
is "--help fits 80 columns" "$(awk 'length > 80' help)" ""
is "--version before --list is the version" "$("$wb" --version --list | wc -l)" 1
is "-h is --help, -V the version" \
	"$("$wb" -h | cmp - help) $("$wb" -V | grep -cE '^write-bench [0-9.]+( \([^ ]+\))?$')" " 1"
run 0 "--man" "$wb" --man -o unused >man.1
is "... writes no report" "$(ls unused 2>/dev/null)" ""
for key in $("$wb" -p0 -n2 -s 'sendfile*' -f csv <X 2>&1 >Y | sed -n 's/^# \([a-z_]*\): .*/\1/p; /^row,/s/,/ /gp'); do
	grep -Eq "^\.B.* $key$|^\.B.*[, ]$key(,|$)|[:;,] (also )?$key([:;,.]|$)" man.1 || echo "$key"
done >missing
is "... says what the keys and columns of a report mean" "$(cat missing)" ""

echo old >log
"$wb" -n1 -p0 -s sendfile <X >Y 2>>log
is "a log that standard error is appended to keeps what it has" "$(head -n 1 log)" old
holds "... and gets the report" log 'filesize='
