#!/bin/sh
# Commands that copy by the names of the ends: more than --size, to another file in the output's place, from X past its descriptor.
# Tried: it fails where a limit stops a command's own log, or one of several names is accused; a row after a replaced output is
# Tried: called wrong; what a command read is judged by the input's offset; any SIZE makes a command know it.
# The commands' dollars are theirs.
# shellcheck disable=SC2016
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"

bytes 300000 >X
cp X original
head -c 4096 X >first
of() { # outcomes of all rows in csv, in their order, those of a command once; cat(1) may share blocks, dd(1) does not
	column 4 csv | sed 's/shared/ok/' | uniq | paste -sd' '
}
clean() { # the input is as it was, and nothing is left beside
	same "... the input is as it was" original X
	is "... nothing is left in TMPDIR" "$(ls -A "$TMPDIR")" ""
}

# More than --size, which only the output's length tells: no limit of the system stops it.
run 0 "cp copies more than --size" w -z 4k -n2 --in-order -s 'sendfile,$ *' --with='cp X Y; true' --with=dd -f csv -o csv <X >Y
is "... it is n/a, and nothing else" "$(column 1,4 csv | awk '!seen[$0]++' | paste -sd' ')" 'sendfile,ok $ dd,ok $ cp X Y; true,n/a'
same "... the output is a copy" first Y
run 0 "a command that copies more into a pipe" into piped w -z 4k -s 'read+write 4k,$ *' --with='cat X' -f csv -o csv <X
is "... is n/a" "$(of | tr ' ' '\n' | sort | paste -sd' ')" "n/a ok"
run 0 "a command that copies less than --size by name, and no more" w -z 4k -s '$ *' --with='dd if=X of=Y bs=4k count=1' -f csv -o csv <X >Y
is "... is measured" "$(of)" ok
run 0 "a command's file, larger than --size" w -z 4k -s '$ *' --with='head -c 3000000 /dev/zero >larger; dd' -f csv -o csv <X >Y
is "... is whole" "$(of) $(wc -c <larger | tr -d ' ')" "ok 3000000"
run 0 "a command that copies an input without end" w -z 4k -s '$ *,sendfile' --with='cat; : $SIZE' -f csv -o csv </dev/zero >Y
is "... is stopped" "$(column 4 csv | sort | paste -sd' ') $(wc -c <Y | tr -d ' ')" "n/a ok 4096"
clean

# Another file in the output's place. The rows go on into the one that was there; those with a longer name come later.
later='; : whose name is longer'
for command in 'cp --remove-destination X Y' 'mv Z Y'; do
	: >Y && ln -f Y old && cp X Z
	run 1 "$command" w -n2 --in-order -s 'sendfile,$ *' --with=dd --with="$command" --with="dd bs=9k$later" --with="cp X Y$later .." \
		--with="head -c 10$later .." -f csv -o csv <X 1<>Y
	is "... it is n/a, and what copies by name then; others are what they are" "$(column 1,4 csv | awk '!seen[$0]++' | paste -sd' ')" \
		"sendfile,ok \$ dd,ok \$ $command,n/a \$ dd bs=9k$later,ok \$ cp X Y$later ..,n/a \$ head -c 10$later ..,mismatch"
	holds "... each n/a has a reason" csv "^\\\$ $command,.*--inplace" "^\\\$ cp X Y$later .*since \\\$ $command\"?\$"
	same "... the file that was there is a copy" X old
done
: >Y && ln -f Y old
run 1 "an output that is replaced after it was copied" w -n1 -s '$ *' --with='dd; install X Y' -f csv -o csv <X 1<>Y
is "... is a right one" "$(of)" ok
holds "... but no longer there, which is said" err '^write-bench: standard output: .*\$ dd; install X Y: use --inplace'
same "... the file that was there is a copy" X old
run 0 "a command that renames the output, and back" w -n2 -s '$ *,sendfile' --with='mv Y away; dd; mv away Y' -f csv -o csv <X >Y
is "... is a right one" "$(of)" ok
same "... which leaves a copy" X Y
run 1 "a wrong command alone" w -s 'sendfile,$ *' -f csv -o csv <X >Y \
	--with='head -c 10' --with='cp original Y; printf x | dd of=Y conv=notrunc'
is "... has no such excuse" "$(column 4 csv | sort | paste -sd' ')" "mismatch mismatch ok"
clean

# What reads X by its name, past the descriptor, where the output keeps nothing.
to() { # PLACE COMMAND...
	place=$1
	shift
	case $place in
	pipe) into piped "$@" ;;
	--into) "$@" --into='cat >/dev/null' ;;
	null) "$@" >/dev/null ;;
	esac
}
for place in pipe --into null; do
	run 0 "a command that reads X by its name, to $place" to "$place" w -s '$ *' --with='cat X' --with=dd -f csv -o csv <X
	is "... is compared" "$(column 4 csv | sort -u | grep -v untouched)" ok
	run 1 "one that copies too little of it, to $place" to "$place" w -s '$ *' --with='head -c 100 X' -f csv -o csv <X
	is "... is a wrong copy" "$(of)" mismatch
	run 1 "one that copies another file, to $place" to "$place" w -s '$ *' --with='tr a b <X' -f csv -o csv <X
	is "... too" "$(of)" mismatch
done
clean

# What knows how much is wanted: it says $SIZE, and not only the letters.
for command in 'head -c ${SIZE}' 'head -c "$(printenv SIZE)"'; do
	run 0 "$command knows the size" w -z 4k -s '$ *' --with="[ ! -s /dev/stdin ] || stat -Lc %s /proc/self/fd/0 >found; $command" -f csv -o csv <X >Y
	is "... and has all of the input" "$(of) $(cat found)" "ok 300000"
	run 0 "... also of an input without end" w -z 4k -s '$ *' --with="$command" -f csv -o csv </dev/zero >Y
	is "... which it copies so far" "$(of) $(wc -c <Y | tr -d ' ')" "ok 4096"
done
for command in 'SIZES=1 dd' 'dd # MY_SIZE'; do
	run 0 "$command does not" w -z 4k -s '$ *' --with="[ ! -s /dev/stdin ] || stat -Lc %s /proc/self/fd/0 >found; $command" -f csv -o csv <X >Y
	is "... and has a part of the input" "$(of) $(cat found)" "ok 4096"
	echo keep >Y
	run 2 "... and is refused for an input without end" w -z 4k -s '$ *' --with="$command" </dev/zero 1<>Y
	holds "... with a remedy" err '\$SIZE'
	is "... and nothing touched" "$(cat Y)" keep
done
clean
