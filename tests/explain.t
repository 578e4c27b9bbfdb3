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
"$wb" --list --all </dev/null | sed 's/  .*//;/^$/d' | sort >every
is "... has every row of --list --all" "$(sort names | comm -13 - every)" ""
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
is "... also" "$(cat err text)" "write-bench: --explain=reflinks: matches no row: write-bench --list --all names them"
bytes 300000 >X
run 0 "an explanation into a file" "$wb" --explain=sendfile <X >Y
is "... is there" "$(grep -c '^sendfile$' Y)" 1

for format in csv json markdown svg; do
	for option in --list --explain=sendfile; do
		run 2 "$option -f $format is refused" "$wb" $option -f $format </dev/null >out
		is "... in one line" "$(cat err out | wc -l)" 1
	done
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
