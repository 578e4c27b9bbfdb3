#!/bin/sh
# On a terminal: one progress line, cleared before the table; colour, but not under NO_COLOR, and no escapes where the
# terminal knows none; and all of it as narrow as the terminal is.
# Tried: it fails where the progress line is not cleared; colour in spite of NO_COLOR; a progress line of any width;
# Tried: remarks as wide as in a file; progress in spite of --quiet; escapes on a dumb terminal.
. "$(dirname "$0")/tap.sh"

have script || skip_all "no script(1)"
script -qec true /dev/null >/dev/null 2>&1 </dev/null || skip_all "script(1) finds no terminal"
esc=$(printf '\033')
bytes 4096 >X
export WB="$wb"
on_terminal() { # columns, environment, options
	width=$1 environment=$2
	shift 2
	TERM=xterm script -qec "stty cols $width; env $environment \"\$WB\" $* <X >Y" /dev/null >screen 2>&1 </dev/null
	tr -d '\r' <screen | sed "s/.*$esc\[K//" >lines # what is left at the end
	tr '\r' '\n' <screen | sed "s/$esc\[[0-9;]*[mKA]//g" >states # what was shown, a line a state
}
on_terminal 80 NO_COLOR= -p0 -n2 -x "'reflink,copy_file_range*'" # where they share blocks, another sentence comes first
holds "a progress line with an ETA" states '^ +[0-9]+/[0-9]+  [a-z].* ETA [0-9]+:[0-9][0-9]$'
is "... which is written over itself" "$(grep -c 'ETA.*ETA' screen)" 1
lacks "... and cleared before the table" lines 'ETA'
holds "the table comes after it" lines 'filesize=4KiB'
is "nothing is wider than the terminal" "$(wider 80 states)" ""
is "the recommended row is in colour, and no other" \
	"$(sed -n "s/.*$esc\[1;32m\([a-z].*[^ ]\)   *[0-9].*$esc\[0m.*/\1/p" lines | sed 's/  .*//')" \
	"$(sed -n "s/$esc\[[0-9;]*m//g; s/^Use \([^:,]*\)[:,] .*/\1/p" lines)"
on_terminal 80 NO_COLOR= -p0 -n2 -z 1k,4k -x "'reflink,copy_file_range*'"
lacks "no row is at several sizes: each has its own" screen "$esc\[1;32m"
on_terminal 80 NO_COLOR=1 -p0 -n1
lacks "no colour under NO_COLOR" screen "$esc\[[0-9;]*m"
for environment in TERM=dumb "-u TERM" TERM=; do
	on_terminal 130 "$environment" -p0 -n2
	lacks "$environment: no escape, no progress" screen "$esc|ETA"
	holds "... but the report" screen 'filesize=4KiB' '^sendfile  '
done
for width in 130 60; do
	on_terminal $width NO_COLOR=1 -p0 -n2 -v -s "'sendfile*'" -w "'cat; : $(printf '%0100d' 0)'"
	is "$width columns: the progress line fits, and so does the report" "$(wider "$width" states)" ""
	holds "... all of it" lines '^row +best +median' '^sendfile +[0-9.]+[num]?s +[0-9.]+[num]?s' '^version: '
done
on_terminal 80 NO_COLOR= -p0 -n1 -q
lacks "--quiet: no progress" screen "ETA|/[0-9]+  [a-z]"
on_terminal 80 NO_COLOR= -p0 -n1 -o report
lacks "a report in a file has no escapes, wherever it is started" report "$esc"
holds "... but it is there" report 'filesize=4KiB'
