#!/bin/sh
# Commands that copy by the names of the ends: more than --size, to another file in the output's place, from X past its
# descriptor.
# Tried: it fails where a limit stops a command's own log, or none a copy without end; where an output that is replaced
# Tried: passes; what a command read is judged by the input's offset; any SIZE makes a command know it; an input is not
# Tried: cut to --size; a command that copies another file by name passes.
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"

bytes 300000 >X
cp X original
head -c 4096 X >first
clean() { # the input is as it was, and nothing is left beside
	is "the input is as it was, and nothing is left in TMPDIR" "$(cmp original X; ls -A "$TMPDIR")" ""
}
named() { becomes "$@" <X >Y; } # STATUS OUTCOMES DESCRIPTION OPTION...
in_order() { # the rows and their outcomes, each once
	column row,outcome csv | awk '!seen[$0]++' | paste -sd'|'
}

# More than --size, which only the output's length tells.
run 1 "more than --size" w -z 4k -n2 --in-order -s 'sendfile,$ *' --with='cp X Y; true' --with=dd -f csv -o csv <X >Y
is "... is wrong, and nothing else" "$(in_order)" 'sendfile,ok|$ dd,ok|$ cp X Y; true,mismatch'
same "... the output is a copy" first Y
into piped w -z 4k -s 'read+write 4k,$ *' --with='cat X' -f csv -o csv <X 2>err
is "a command that copies more into a pipe is wrong" "$? $(column 4 csv | sort | paste -sd' ')" "1 mismatch ok"
named "0 ok" "a command that copies less than --size by its name" -z 4k -s '$ *' --with='dd if=X of=Y bs=4k count=1'
named "0 ok" "a command's file, larger than --size" -z 4k -s '$ *' --with='head -c 3000000 /dev/zero >larger; dd'
is "... is whole" "$(wc -c <larger | tr -d ' ')" 3000000
printf '#!/bin/sh\nulimit -f 100000\nexec "$@"\n' >limited && chmod +x limited # else it would fill the disk
under=./limited
becomes "1 mismatch ok" "a copy of an input without end" -z 4k -s '$ *,sendfile' \
	--with='cat; wc -c <Y >most; : $SIZE' </dev/zero >Y
under=
is "... is stopped" "$(cat most) $(wc -c <Y)" "1048577 4096"
clean

# Another file in the output's place. The rows go on into the one that was there.
for command in 'cp --remove-destination X Y' 'mv Z Y' 'dd; mv Z Y'; do
	: >Y && ln -f Y old && cp X Z
	tells 1 "$command" '^write-bench: standard output: .*/Y$' w -n2 --in-order -s 'sendfile,$ *' --with=dd \
		--with="$command; : whose name is longer" -f csv -o csv <X 1<>Y
	is "... others are right" "$(in_order | cut -d'|' -f-2)" "sendfile,ok|\$ dd,ok"
	same "... the file that was there is a copy" X old
done
while IFS='|' read -r name options; do
	: >Y && : >T
	tells 1 "what is behind $options replaces it: status 1" "^write-bench: $name: .*/[YT]\$" sh -c \
		"\"\$0\" -p0 -n1 -s 'read+write*' $options <X 1<>Y" "$wb"
done <<'END'
standard output|--from='cat X; echo other >Z; mv Z Y'
standard output|--from='cat X; rm -f Y'
--tee=T|--tee=T --from='cat X; echo other >Z; mv Z T'
--tee=T|--tee=T --into='cat >/dev/null; rm -f T'
END
named "0 ok" "a command that renames the output, and back" -n2 -s '$ *,sendfile' --with='mv Y away; dd; mv away Y'
same "... leaves a copy" X Y
rows_become '1 $ cp original Y; printf x | dd of=Y conv=notrunc,mismatch;$ head -c 10,mismatch;sendfile,ok' \
	"a wrong command alone has no such excuse" -s 'sendfile,$ *' <X >Y \
	--with='head -c 10' --with='cp original Y; printf x | dd of=Y conv=notrunc'
same "... standard output is a copy all the same" X Y
clean

# Compare what reads X by its name, past the descriptor, where the output keeps nothing.
to() { # PLACE OPTION...
	place=$1
	shift
	set -- w -f csv -o csv -s '$ *' "$@"
	case $place in
	pipe) into piped "$@" ;;
	--into) "$@" --into='cat >/dev/null' ;;
	null) "$@" >/dev/null ;;
	esac
	echo "$? $(column 4 csv | sort -u | paste -sd' ')"
} <X 2>err
for place in pipe --into null; do
	is "a command that reads X by its name, to $place, is compared" "$(to $place --with='cat X' --with=dd)" "0 ok"
	is "... one that copies too little of it is wrong" "$(to $place --with='head -c 100 X')" "1 mismatch"
	is "... one that copies another file, too" "$(to $place --with='tr a b <X')" "1 mismatch"
done
clean

# Take a command that says $SIZE, and not only the letters, for one that knows how much is wanted.
sees='[ ! -s /dev/stdin ] || stat -Lc %s /proc/self/fd/0 >found'
for command in 'head -c ${SIZE}' 'head -c "$(printenv SIZE)"'; do
	named "0 ok" "$command knows the size" -z 4k -s '$ *' --with="$sees; $command"
	is "... and has all of the input" "$(cat found)" 300000
	becomes "0 ok" "... also of an input without end" -z 4k -s '$ *' --with="$command" </dev/zero >Y
	is "... which it copies so far" "$(wc -c <Y | tr -d ' ')" 4096
done
for command in 'SIZES=1 dd' 'dd # MY_SIZE'; do
	named "0 ok" "$command does not" -z 4k -s '$ *' --with="$sees; $command"
	is "... and has a part of the input" "$(cat found)" 4096
	echo keep >Y
	tells 2 "... and is refused for an input without end, with a remedy" '\$SIZE' w -z 4k \
		-s '$ *' --with="$command" </dev/zero 1<>Y
	is "... and nothing touched" "$(cat Y)" keep
done
clean
