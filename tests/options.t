#!/bin/sh
# Bad usage: exit status 2, a message that names the argument, and nothing on disk changed.
# Tried: it fails where a size that overflows is taken; a number may have a sign; a pause may be in hexadecimal; a glob
# Tried: may match nothing; 4MB is 4 MiB; an extension does not name the format; --quiet with --output prints the table;
# Tried: a file is there twice; --top cuts what programs read.
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
runs|100000|0,1e9,-3,+3, 3,100001,99999999999999999999
pause|time|-1,nan,inf,3601,1furlong,0x1p-10
size|size|0,18446744073709551616,8388608t,16777217t,-1,1kk,1.5x,4MiBs,1..5m,4 MiB,1e3,0.0001k,8388608.5t,9223373TB
warmup|number|-1
top|number|x,-1,1.5
fail-if-slower|number|0.5,-1,x,5%,nan
END
for option in runs top fail-if-slower; do
	refuse "--$option=" "^write-bench: --$option=: .*number" "--$option="
done
for unknown in --zap --zap=1 --=1 "-n1 -q --frobnicate" --se "-n1 --sel sendfile" --qui=1 -Y -qY; do
	name=$(echo " $unknown" | sed 's/.* \(--[^= ]*\).*/\1/; s/^ -q*Y/-Y/')
	# shellcheck disable=SC2086
	refuse "$unknown" "^write-bench: .*option $name\. " $unknown
done
for option in with from into; do
	for command in "" "  "; do
		refuse "--$option='$command'" "^write-bench: --$option=$command: is empty" "--$option=$command"
	done
done
while read -r regex options; do
	eval "refuse \"\$options\" \"^write-bench: \$regex\" $options"
done <<'END'
--runs:.needs.an.argument -p0 --runs
-n:.needs.an.argument -p0 -n
--quiet:.takes.no.argument --quiet=1
--with=cat:.is.given.twice -w cat -w ls -w cat
Z:.*redirected -n1 Z -p0
-n:.*redirected -p0 -- -n
--output=d/r\.log:..log.is.the.extension.of.no.format -o d/r.log
--select=nosuch:.matches.no.row -s 'sendfile,nosuch'
--select:.a.glob.is.empty -s 'sendfile,'
no.row.is.left -s sendfile -x 'send*'
--format=pdf:.is.not.known -f pdf
--seed=x: --seed=x
--output=-: -o -
nosuch/report:.open:.ENOENT -o nosuch/report
\.:.open:.EISDIR -o .
END

# Options that exclude each other, in both orders. The message has the first of them in --help first.
exclude() { # OPTION OPTION [MEANT]: of the first the message is
	regex="^write-bench: ${1%%=*}: can't be combined with ${2%%=*}"
	refuse "$1 beside $2" "$regex" "$1" "$2"
	refuse "$2 beside $1" "$regex" "$2" "$1"
}
for option in select=sendfile exclude=sendfile all with=cat runs=3 warmup=1 pause=0 until=sync cold overwrite in-order \
	seed=1 no-verify size=5 from=cat into=cat tee=Z send format=csv output=report counters; do
	exclude --generate=zero:1 --$option
done
for pair in "send into=cat" "list output=report" "list generate=zero:1" "list compare" "generate=zero:1 compare"; do
	exclude "--${pair% *}" "--${pair#* }"
done
[ ! -e Z ] && [ ! -e report ]
is "... nothing is made" $? 0

# Good usage, in every spelling.
for options in "-n 1 -p 0 -s sendfile" "-n1 -p0 -ssendfile" "--runs 1 --pause 0ms --select sendfile" \
	"-qn1 -p.001 -z5000 --seed=7 -s sendfile" "-an1 -p1us -s send*le" "--runs=1 -p0 -z 4k -s sendfile"; do
	# shellcheck disable=SC2086
	run 0 "accepted: $options" "$wb" $options <X >Y
done
head -c 4096 X >X4
same "--size=4k copies the first 4096 bytes" X4 Y
"$wb" -p0 -n2 -s sendfile -f csv -o -n.csv <X >Y 2>err
POSIXLY_CORRECT=1 "$wb" --compare -fcsv ./-n.csv -o r.txt >out 2>err
is "options behind words, also as POSIX would not have it" "$? $(cat out err | cmp - ./-n.csv) $(head -c 3 r.txt)" \
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
kind() { # FILE: of a report
	case $(head -c 5 "$1") in "### "*) echo markdown ;; "# sch"*) echo csv ;; '{"sch'*) echo json ;; \
		"<svg "*) echo svg ;; *)
		if grep -qx -e '---*' "$1" && ! grep -q '^|' "$1"; then echo text; else echo none; fi ;; esac
}
rm -f r.* report
run 0 "a report in each format" "$wb" -p0 -n2 -s 'sendfile*' -o r.txt -o r.md -o r.csv -o r.json -o r.svg <X >Y
is "... which the extensions name" "$(for file in r.txt r.md r.csv r.json r.svg; do kind $file; done | paste -sd' ')" \
	"text markdown csv json svg"
same "... beside the text on standard error" err r.txt
mkdir d.csv
run 0 "no extension is text, capitals are one, -f is for the others and for what is printed" \
	"$wb" -p0 -n1 -s sendfile -o report -o .report -o d.csv/report -o R.CSV <X >Y
is "... else" "$(kind report) $(kind .report) $(kind d.csv/report) $(kind R.CSV) $(kind err)" "text text text csv text"
for case in "r.log=json text" "report=json text" "r.csv=csv json"; do
	run 0 "-f json -o ${case%=*}" "$wb" -p0 -n1 -s sendfile -f json -o "${case%=*}" <X >Y
	is "... of the file, and what is printed" "$(kind "${case%=*}") $(kind err)" "${case#*=}"
done
run 0 "-f alone" "$wb" -p0 -n1 -s sendfile -f markdown <X >Y
is "... is for what is printed" "$(kind err)" markdown
# shellcheck disable=SC2046
run 2 "33 reports are too many" "$wb" -p0 -n1 -s sendfile $(seq -f '-o many%g.csv' 33) <X >Y
is "... of which none is made" "$(ls many* 2>/dev/null)" ""

# --quiet: the table, and what failed; with --output one line.
run 0 "--quiet" "$wb" -p0 -n3 -s 'sendfile*' -q <X >Y
is "... is heading and table only" "$(sed '1,/^row /d' err | grep -vc '^sendfile')" 0
run 0 "--quiet and a report" "$wb" -p0 -n3 -s 'sendfile*' -q -o r.txt -o r.csv <X >Y
is "... is one line" "$(wc -l <err | tr -d ' ')" 1
is "... the recommendation" "$(cat err)" "$(sed -n 's/^# recommendation: //p' r.csv)"
is "... the files have all rows and runs, as text the table alone" \
	"$(sed '1,/^row /d' r.txt | grep -c '^sendfile') $(sed '1,/^row /d' r.txt | wc -l) $(column 1 r.csv | wc -l)" \
	"4 4 12"

tells 1 "-q with -o says why it ends with 1, by its name" '^Failed: \$ false: exit status 1' \
	"$wb" -q -p0 -n3 -s sendfile -w false -o r.txt <X >Y
tells 0 "-q names what is n/a, below the table" '^n/a: .*\$ cp X Y' "$wb" -q -p0 -n3 -s sendfile -w 'cp X Y' --new <X >Y

# --top: tables for people are cut, except commands and what failed; what programs read is not.
ranked() { # FILE: the rows in a table for people, without commands
	sed '1,/^row  *best /d; /^$/,$d; / slower rows\{0,1\}: /d; s/ *[0-9.]\{1,\}[mu]\{0,1\}s .*//; /^\$/d' "$1"
}
run 1 "--top=5" "$wb" -p0 -n2 -s 'sendfile*,mmap*' -w cat -w false --top=5 \
	-o top.txt -o top.md -o top.csv -o top.json -o top.svg <X >Y
same "... is what is printed" err top.txt
"$wb" --compare top.csv -o all.txt -o all.csv -o all.svg >out # without it
ranked all.txt >all
ranked top.txt >shown
sed '1,/^row  *best /d; 1,/^$/d' top.txt | tr -s '\n ' '  ' >notes
{ head -n 5 all && sed 1,5d all | while read -r row; do ! grep -qF "$row" notes || echo "$row"; done; } >kept
hidden=$(($(wc -l <all) - $(wc -l <shown)))
is "... has the five fastest rows, and no others but those that sentences name" \
	"$((hidden > 5)) $(head -n 5 all | grep -vxF -f shown) $(grep -vxF -f kept shown)" "1  "
holds "... the command, how many others, what failed" top.txt '^\$ cat ' "^$hidden slower rows" '^Failed: \$ false'
is "... also in Markdown" "$(sed -n 's/^| \([^|]*\) |.*/\1/p' top.md | sed '1,2d' | grep -v '^\$')" "$(cat shown)"
same "... CSV has all rows" top.csv all.csv
is "... and so has JSON" "$(grep -c '{"row": ' top.json)" "$(($(wc -l <all) + 2))"
same "... and the picture" top.svg all.svg
run 0 "--compare --top=5" "$wb" --compare top.csv --top=5 -o again.txt -o again.csv
same "... is the same" again.txt top.txt
same "... in CSV it is not cut, too" again.csv all.csv
for n in 0 $(wc -l <all); do
	run 0 "--compare --top=$n" "$wb" --compare top.csv "--top=$n" -o again.txt
	same "... is the whole table" again.txt all.txt
done
# Keep each row that a sentence names: the one that is used, though its best run is the last; those that would tell
# more; runs that vary.
for rows in 'a 100 200x4; b 101 200x4; c 102 103x4' \
	'a 100 190 200 205 206; b 101 150 160 170 180; c 102 140 150 160 260'; do
	made "ms; $rows" >told.csv
	"$wb" --compare told.csv --top=1 >told
	sed '1,/^row /d; /^$/,$d; / slower row/d; s/ .*//' told >shown
	for row in a b c; do
		! sed '1,/^$/d; 1,/^$/d; /^how:/d' told | grep -Eq \
			"(^|[^a-z])$row([^a-z]|$)" || grep -qx $row shown || echo "$row"
	done >missing
	is "--top=1 keeps what a sentence names: $rows" "$(cat missing)" ""
done
made "ms; 4096; a 10x6; b 10.1x6; c 10.2x6; d 30x6; e 14x6; 1048576; a 30x6; b 30.2x6; c 30.1x6; d 10.2x6; e 15x6" \
	>told.csv
run 0 "--top=1, of several sizes" "$wb" --compare told.csv --top=1 -o told
is "... keeps the rows of the ranges, and the one call for all" \
	"$(sed '1,/^row /d; / slower row/,$d; s/ .*//' told | sort | paste -sd' ')" "a d e"
run 0 "--top, of several sizes" "$wb" -p0 -n1 -z 1k,4k -s 'sendfile*,read+write 64k' --top=2 -o again.txt <X >Y
is "... leaves as many" "$(sed '1,/^row /d;/slower/,$d' again.txt | wc -l | tr -d ' ')" 2

# Options that are gone are named with what replaces them; the manual has no word of them.
"$wb" --man >manual
while IFS='|' read -r option instead; do
	"$wb" "$option" <X 2>err >out
	is "$option is gone: exit status, lines, what replaces it" \
		"$? $(cat out err | wc -l) $(grep -c "^write-bench: ${option%%=*}: is gone: .*$instead" err)" "2 1 1"
	is "... and is not in the manual" "$(grep -c -e "$(echo "${option%%=*}" | sed 's/-/\\\\-/g')" manual)" 0
done <<'END'
--race|more: -n
--race=40|more: -n
--completion=bash|complete -F _longopt
--receive=0|nc -lk PORT
END

# Say no more than that it can't be measured.
tells 1 "a clone of a part of a block can't be had" '^n/a: reflink: .*E[A-Z]+' "$wb" -p0 -z100 -s reflink <X >Y
lacks "... verifies, recommends and ranks nothing" err 'Verified|Use |~|^row '
is "... and leaves a copy" "$(head -c 100 X | cmp - Y)" ""

run 0 "--help" "$wb" --help >help
sed -n 's/^  \(-.,\|   \) \(--[a-z-]*\).*/\1 \2/p' help >names
[ "$(grep -c -- -- names)" -ge 18 ]
is "... each letter and each long name once" "$? $(grep -Eo -e '--[a-z-]+|-.,' names | sort | uniq -d)" "0 "
is "--help fits 80 columns" "$(awk 'length > 80' help)" ""
is "--version before --list, or after it, is the version" \
	"$("$wb" --version --list | wc -l) $("$wb" --list --version | wc -l)" "1 1"
is "-h is --help, -V the version" \
	"$("$wb" -h | cmp - help) $("$wb" -V | grep -cE '^write-bench [0-9.]+( \([^ ]+\))?$')" " 1"
run 0 "--man" "$wb" --man -o unused >man.1
is "... writes no report" "$(ls unused 2>/dev/null)" ""
for key in $("$wb" -p0 -n2 -s 'sendfile*' -f csv <X 2>&1 >Y | sed -n 's/^# \([a-z_]*\): .*/\1/p; /^row,/s/,/ /gp'); do
	grep -Eq "^\.B.* $key$|^\.B.*[, ]$key(,|$)|[;,] (also )?$key(:|$|;)" man.1 || echo "$key"
done >missing
is "... says what the keys and columns of a report mean" "$(cat missing)" ""
for heading in Rows Measuring Reports; do
	grep -q "^\.SS $heading$" man.1 && "$wb" --$heading <X 2>&1 >Y
	echo " $?"
done >headings
is "... its headings are no options" "$(grep -c 'unknown option' headings) $(grep -c '^ 2$' headings)" "3 3"

echo old >log
"$wb" -n1 -p0 -s sendfile <X >Y 2>>log
is "a log that standard error is appended to keeps what it has" "$(head -n 1 log)" old
holds "... and gets the report" log 'filesize='
