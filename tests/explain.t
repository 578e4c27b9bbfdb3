#!/bin/sh
# --explain: what it says of each row is what strace(1) sees, by explain.pl. And what --list and --explain print.
# Tried: it fails where sendfile asks for 65536 bytes, not all; write is not named; RWF_NOWAIT is named for RWF_DONTCACHE; ranges of
# Tried: 4 MiB are named for 8; MADV_WILLNEED for MADV_POPULATE_READ; kfalloc lacks its flag; a shared mapping is named private.
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
undo='umount huge xfs 2>/dev/null'

# Each row, against its calls: here, where huge pages are to be had, and where blocks are shared.
mkdir ends
set -- "$work/ends"
if [ "${PLACES-}" = private ]; then
	mkdir huge && mount -t tmpfs -o huge=always,size=200m tmpfs huge 2>/dev/null && set -- "$@" "$work/huge"
	have mkfs.xfs && truncate -s 400M xfs.img && mkdir xfs && make_fs xfs && mount -o loop xfs.img xfs 2>/dev/null && set -- "$@" "$work/xfs"
fi
if have strace && have perl && strace -f -qq -o /dev/null true 2>/dev/null; then
	all='' jobs=1 # one has fewer sessions
	! full "all rows with each size and advice, between all ends that they fit" || all=1 jobs=$(nproc)
	perl "$top/tests/explain.pl" "$wb" "$all" "$jobs" "$@" >said 2>err || fail "explain.pl ran to its end" err
	pass_on said
	is "most rows were held against their calls" "$(($(grep -c '^\(not \)*ok' said) > 300))" 1
else
	skip "explanations against calls" "no strace or no perl, or it may not trace here"
fi

# For people.
run 0 "--explain='*'" "$wb" --explain='*' >text
sed -n 's/^\([^ ].*\)/\1/p' text >names
rows --all | sort >all
is "... has every row of --list --all" "$(sort names | comm -13 - all)" ""
is "... once" "$(sort names | uniq -d)" ""
is "... of at most 15 lines each" "$(awk -v RS= '{ if (split($0, l, "\n") > 16) print l[1] }' text)" ""
is "... of at most 100 columns" "$(awk 'length > 100' text)" ""
is "... with blanks at no end" "$(grep -n ' $' text)" ""
is "... which each say since which kernel" "$(awk -v RS= '{ gsub(/\n */, " "); if (!/ (Any Linux|Since Linux [0-9.]+);/) print }' text)" ""
run 0 "a glob" "$wb" --explain='sendfile + *,reflink' >text
is "... explains what it matches" "$(grep '^[^ ]' text | grep -v '^sendfile + ')" reflink
run 0 "a row with a comma in its name" "$wb" --explain='splice, sendfile' >text
is "... is explained" "$(grep '^[^ ]' text)" "splice, sendfile"
run 0 "a larger pipe" "$wb" --explain='splice (pipe 1m)' >text
holds "... is said to be one" text '^splice \(pipe 1m\)$' 'F_SETPIPE_SZ, 1048576\)'
run 2 "a glob that matches no row" "$wb" --explain=nosuch >text
is "... is refused" "$(cat err text)" "write-bench: --explain=nosuch: matches no row: write-bench --list --all names them"
run 2 "... beside one that does" "$wb" --explain='sendfile,reflinks' >text
is "... also" "$(cat err text)" "write-bench: --explain=reflinks: matches no row: near it: reflink"
bytes 300000 >X
echo precious >Y
run 0 "an explanation, with both ends redirected" "$wb" --explain=sendfile <X 1<>Y
is "... leaves the output alone, as --list does" "$(cat Y) $(grep -c '^sendfile$' err)" "precious 1"

# For programs.
n=0
for options in "" "--all" "--tee=Z" "--send"; do
	n=$((n + 1))
	# shellcheck disable=SC2086
	"$wb" --list $options </dev/null 2>&1 | sed '/^  /d' | sed 's/  .*//' | grep . >listed.$n
	# shellcheck disable=SC2086
	"$wb" --list $options -f csv </dev/null 2>err | cat >csv.$n # into a pipe, as the text: which rows there are depends on the ends
	is "--list $options -f csv has these columns" "$(head -n 1 csv.$n) $(cat err)" "row,calls,since,used_by,about,code "
	is "... and the same rows, in this order" "$(sed '1d; s/^"\([^"]*\)".*/\1/; t
		s/,.*//' csv.$n | diff - listed.$n)" ""
	# shellcheck disable=SC2086
	"$wb" --list $options -f json </dev/null 2>err | cat >json.$n
done
if have python3; then
	cat >list.py <<'END_OF_PYTHON'
import csv, json
for n in '1234':
	lines = list(csv.DictReader(open('csv.' + n, newline='')))
	rows = json.load(open('json.' + n))['rows']
	if [row['row'] for row in rows] != open('listed.' + n).read().splitlines(): print(n, 'other rows')
	for row, line in zip(rows, lines):
		if list(row) != ['row', 'calls', 'since', 'used_by', 'about', 'code'] or not row['calls'] or not row['about'] or not row['code']:
			print(row)
		for field in line:
			if line[field] != row[field].replace('\n', '\\x0a'): print(line, row)
	if not rows or len(rows) != len(lines): print(n, len(rows), len(lines))
END_OF_PYTHON
	is "--list -f json is JSON with these fields, and the same rows as CSV and text" "$(python3 list.py 2>&1 | head -n 5)" ""
else
	skip "--list -f json" "no python3"
fi
run 0 "--list -f json, with both ends redirected" "$wb" --list -f json <X >Y
holds "... is on standard output" Y '^\{"rows": \['
run 0 "--list -f csv, too" "$wb" --list -f csv <X >Y
holds "... is on standard output" Y '^row,calls,'
run 0 "--explain -f json" "$wb" --explain='*' -f json <X >json
if have python3; then
	"$wb" --explain='*' >text
	cat >explain.py <<'END_OF_PYTHON'
import json
rows = json.load(open('json'))['rows']
text = {block.split('\n')[0]: block.split('\n')[1:] for block in open('text').read().rstrip('\n').split('\n\n')}
if [row['row'] for row in rows] != list(text): print('other rows')
for row in rows:
	if list(row) != ['row', 'calls', 'since', 'used_by', 'about', 'code']: print(list(row))
	code = ['    ' + line for line in row['code'].rstrip('\n').split('\n')]
	if text[row['row']][:len(code)] != code: print(row, text[row['row']])
	words = ' '.join(line.strip() for line in text[row['row']][len(code):])
	if row['about'] not in words or (row['since'] or 'Any Linux') not in words or row['used_by'] not in words: print(row, words)
END_OF_PYTHON
	is "... is JSON that says what the text says" "$(python3 explain.py 2>&1 | head -n 5)" ""
else
	skip "... is JSON" "no python3"
fi
for format in markdown svg; do
	run 2 "--list -f $format is refused" "$wb" --list -f $format </dev/null >out
	is "... in one line" "$(cat err out)" "write-bench: --format=$format: is not for --list: use text, csv or json"
done
for format in csv markdown svg; do
	run 2 "--explain -f $format is refused" "$wb" --explain=sendfile -f $format </dev/null >out
	is "... in one line" "$(cat err out)" "write-bench: --format=$format: is not for --explain: use text or json"
done

# A report names what explains its advice.
run 0 "a report with all notes" "$wb" -p0 -n5 -v -s 'sendfile*,read+write *' -o report.txt -o report.json <X >Y
is "... says how: by the row that is recommended" "$(grep '^how: ' report.txt)" "how: --explain='$(sed -n 's/^  "recommended": "\(.*\)",$/\1/p' report.json)'"
is "... once" "$(grep -c '^how: ' report.txt)" 1
eval "run 0 '... by an option that works' \"\$wb\" $(sed -n 's/^how: //p' report.txt) >text"
is "... and explains that row" "$(grep '^[^ ]' text)" "$(sed -n 's/^  "recommended": "\(.*\)",$/\1/p' report.json)"
run 0 "a report of one run" "$wb" -p0 -n1 -s 'sendfile*' -o report.txt <X >Y
lacks "... recommends nothing, and explains nothing" report.txt '^how: '
run 0 "a report whose fastest row is a command" "$wb" -p0 -n5 -s '$ *' --with='dd bs=64k' --with='sleep 0.01; dd' -o report.txt <X >Y
lacks "... explains none" report.txt '^how: '
