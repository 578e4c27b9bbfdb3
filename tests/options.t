#!/bin/sh
# The command line. A line of the first tables is a bad option, of which status 2 and one line that names it come, and
# nothing on disk has changed; a line of the next ones a good one, and what it does: spellings, sizes, reports, --quiet,
# --top, --help, --version.
# Tried: it fails where a size that overflows is taken; a number may have a sign; a pause may be in hexadecimal; 4MB is
# Tried: 4 MiB; an extension does not name the format; --quiet prints the table; a letter is there twice; --top cuts
# Tried: what programs read, or a row that a sentence names.
. "$(dirname "$0")/tap.sh"
. "$top/tests/reports.sh"

# ---- Bad: how the option begins, what the message says that it wants, how it goes on, with commas between.
bytes 5000000 >large
head -c 5000 large >X
echo precious >Y
mkdir D && cd D || exit
refuse() { # REGEX OPTION...
	regex=$1
	shift
	timeout 60 "$wb" "$@" <../X 1<>../Y 2>../err
	got="$? $(grep -Eqx "write-bench: $regex" ../err && wc -l <../err) $(cat ../Y) $(ls)"
	is "refused: $*" "$got" "2 1 precious "
}
while IFS='|' read -r option wants values; do
	IFS=,
	for value in $values; do
		unset IFS
		refuse "$(echo "$option$value" | sed 's/[+.]/[&]/g'): .*$wants.*" "$option$value"
	done
	unset IFS
done <<'END'
--runs=|number|0,1e9,-3,+3, 3,99999999999999999999
--pause=|time|-1,nan,inf,3601,1furlong,0x1p-10
--size=|size|0,18446744073709551616,8388608t,-1,1kk,1.5x,4MiBs,1..5m,4 MiB,1e3,0.0001k,8388608.5t,9223373TB
--warmup=|number|-1
--top=|number|x,-1,1.5
--seed=|number|x
--fail-if-slower=|1|0.5,-1,x,5%,nan
--|name a command|with=,with=  ,from=
--||runs,runs=,fail-if-slower=,zap,zap=1,=1,se,qui=1,quiet=1,format=pdf,output=-,send=localhost:7100
END
# The message, with what follows a colon; the options.
while IFS='|' read -r regex options; do
	eval "refuse \"\$regex.*\" $options"
done <<'END'
--frobnicate: |-n1 -q --frobnicate
-Y: |-qY
-n: |-p0 -n
-n: |-p0 -- -n
Z: |-n1 Z -p0
--select: a glob is empty|-s 'sendfile,'
no row is left|-s sendfile -x 'send*'
nosuch/report: open: ENOENT|-o nosuch/report
\.: open: EISDIR|-o .
--compare: |--list --compare
--into: |--send --into=cat
--tee: |--tee=Z --tee=Z
--overwrite: |--new --overwrite
END
cd ..

# ---- Good: in every spelling; the size that is copied.
while IFS='|' read -r size options; do
	# shellcheck disable=SC2086
	"$wb" $options -f csv <large >Y 2>err
	is "accepted: $options" "$? $(fact size err) $(head -c "$size" large | cmp - Y)" "0 $size "
done <<'END'
5000000|-n 1 -p 0 -s sendfile
5000000|-n1 -p0 -ssendfile
5000000|--runs 1 --pause 0ms --select sendfile
5000|-qn1 -p.001 -z5000 --seed=7 -s sendfile
5000000|-an1 -p1us -s send*le
4096|--runs=1 -p0 -z 4k -s sendfile
5000000|-n1 -p0 -s sendfile -z 8388607t
1572864|-n1 -p0 -s sendfile -z 1.5m
4194304|-n1 -p0 -s sendfile -z 4MiB
4000000|-n1 -p0 -s sendfile -z 4mb
1500|-n1 -p0 -s sendfile -z 1.5kB
END
w -s sendfile -f csv -o -n.csv <X >Y 2>err
"$wb" --compare -fcsv -o r.txt -- -n.csv >out 2>err
is "a word behind --" "$? $(cat out err | cmp - ./-n.csv) $(head -c 3 r.txt)" \
	"0  $(fact heading ./-n.csv | head -c 3)"

# ---- Reports: as many as are named, each in the format that its extension names; what is printed is text.
kind() { # FILE...: of reports
	for file; do
		head -c 2 "$file"
		echo
	done | sed 's/^##/markdown/; s/^# /csv/; s/^{"/json/; s/^<s/svg/; t; s/^[a-zA-Z].*/text/' | paste -sd' '
}
mkdir d.csv
while IFS='|' read -r files formats options; do
	# shellcheck disable=SC2086
	run 0 "reports: $options" "$wb" -p0 -n2 -s 'sendfile*' $options <X >Y
	# shellcheck disable=SC2086
	is "... of the files, and what is printed" "$(kind $files err)" "$formats"
done <<'END'
r.txt r.md r.csv r.json r.svg|text markdown csv json svg text|-o r.txt -o r.md -o r.csv -o r.json -o r.svg
report .report d.csv/report R.CSV|text text text csv text|-o report -o .report -o d.csv/report -o R.CSV
r.log|json text|-f json -o r.log
r.csv|csv json|-f json -o r.csv
END

# ---- --quiet: what failed, and the answer; the files have all.
run 1 "--quiet" "$wb" -p0 -n3 -s 'sendfile*' -w false -w 'cp X Y' --new -q -o r.txt -o r.csv <X >Y
is "... is what failed, and the answer" "$(sed '/^  /d; s/[: ].*//; s/Keep/Use/' err | paste -sd' ')" \
	"Failed Copied Use"
is "... whole" "$(sed ':a; N; $!ba; s/\n  / /g' err | sed '/^Failed\|^Copied/d')" "$(fact recommendation r.csv)"
"$wb" --compare r.csv >again
same "... the file has the whole report" r.txt again

# ---- --top: tables for people are cut, except commands and what sentences name; what programs read is not.
names() { # FILE: the rows of the tables in a text
	awk '/^row/ { on = 1; next } /^$/ || /^[0-9]+ slower row/ { on = 0 } on' "$1" |
		sed 's/  *[0-9.]*[num]*s[ ~].*//'
}
run 1 "--top=5" "$wb" -p0 -n2 -s 'sendfile*,mmap*' -w cat -w false --top=5 -o top.txt -o top.csv <X >Y
"$wb" --compare top.csv -o all.txt -o all.csv >out # without it
names all.txt | sed '/^\$/d' >all
names top.txt >shown
is "... has the five fastest rows, and the command" "$(sort shown)" "$({ head -n 5 all && echo '$ cat'; } | sort)"
holds "... says how many others there are, and what failed" top.txt "^$(($(wc -l <all) - 5)) slower rows" \
	'^Failed: \$ false'
same "... CSV has all rows" top.csv all.csv
is "--compare --top=5" "$("$wb" --compare top.csv --top=5 -o again.csv | cmp - top.txt) $(cmp again.csv all.csv)" " "
for n in 0 "$(wc -l <all)"; do
	is "--compare --top=$n has all" "$("$wb" --compare top.csv "--top=$n" | cmp - all.txt)" ""
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

# ---- --help, --version.
run 0 "--help" "$wb" --help >help
sed -n 's/^  \(-.,\|   \) \(--[a-z-]*\).*/\1 \2/p' help >options
is "... each letter and each long name once" "$(($(grep -c -- -- options) >= 18)) $(
	grep -Eo -e '--[a-z-]+|-.,' options | sort | uniq -d)" "1 "
is "... in 80 columns, and at most 100 lines" "$(awk 'length > 80' help) $(($(wc -l <help) <= 100))" " 1"
is "-h is --help, -V the version, also before --list" \
	"$("$wb" -h | cmp - help) $("$wb" -V --list | sed -E 's/^write-bench [0-9.]+( \([^ ]+\))?$/version/')" " version"
