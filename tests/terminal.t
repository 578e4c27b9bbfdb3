#!/bin/sh
# On a terminal: one progress line, cleared before the table; colour, but not under NO_COLOR.
# Tried: it fails where the progress line is not cleared; colour in spite of NO_COLOR; a progress line of any width; remarks
# Tried: as wide as in a file; progress in spite of --quiet.
. "$(dirname "$0")/tap.sh"

have script || skip_all "no script(1)"
script -qec true /dev/null >/dev/null 2>&1 </dev/null || skip_all "script(1) finds no terminal"
esc=$(printf '\033')
bytes 4096 >X
on_terminal() { # columns, environment and options
	width=$1
	shift
	TERM=xterm script -qec "stty cols $width; env $* <X >Y" /dev/null >screen 2>&1 </dev/null
	tr '\r' '\n' <screen | sed "s/$esc\[[0-9;]*[mK]//g" >lines # what was shown, a line a state
}
on_terminal 80 NO_COLOR= "$wb" -p0 -n2
holds "a progress line with an ETA" lines '^ +[0-9]+/[0-9]+  [a-z].* ETA [0-9]+:[0-9][0-9]$'
is "... which is written over itself" "$(grep -c 'ETA.*ETA' screen)" 1
sed "s/.*\r$esc\[K//" screen >table
lacks "... and cleared before the table" table 'ETA'
holds "the table comes after it" table 'filesize=4KB'
is "nothing is wider than the terminal" "$(awk 'length > 80' lines)" ""
holds "the winner is in colour" screen "$esc\[1;32m.*$esc\[0m"
on_terminal 80 NO_COLOR=1 "$wb" -p0 -n1
lacks "no colour under NO_COLOR" screen "$esc\[[0-9;]*m"
on_terminal 120 NO_COLOR=1 "$wb" -p0 -n1
holds "bars where there is room" lines '^[a-z].*s +====================$' '^[a-z].*%\)( ~)? +=+$'
is "... and no wider" "$(awk 'length > 120' lines)" ""
on_terminal 40 NO_COLOR=1 "$wb" -p0 -n2
is "the progress line fits a narrow terminal" "$(grep '^ *[0-9]*/[0-9]*  ' lines | awk 'length > 40')" ""
on_terminal 60 NO_COLOR=1 "$wb" -p0 -n1
is "remarks fit a narrow terminal" "$(sed '1,/^Best, median/d' lines | awk 'length > 60')" ""
holds "... all of them" lines '^ *.*by write-bench [0-9.]+\.$'
on_terminal 80 NO_COLOR= "$wb" -p0 -n1 -q
lacks "--quiet: no progress" screen "ETA|/[0-9]+  [a-z]"
on_terminal 80 NO_COLOR= "$wb" -p0 -n1 -o report
lacks "a report in a file has no escapes, wherever it is started" report "$esc"
lacks "... and no bars" report "===="
