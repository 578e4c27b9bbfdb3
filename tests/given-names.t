#!/bin/sh
# The names of its ends that a command is given: "$IN", "$OUT" and "$TEE"; and commands that have names of their own.
# Tried: it fails where the names are given to each command; where /proc/PID is by getpid(2); where a start is given the
# Tried: run's ends; where a socket has a name; where an output that is replaced passes; where what wrote by a name of
# Tried: its own is started once more.
# shellcheck disable=SC2086
. "$(dirname "$0")/tap.sh"

bytes 20000 >X
with() { "$wb" -p0 -n2 -f csv -o csv "$@" 2>err 3>&-; }
outcomes() { # of the commands; on some file systems cp(1) shares the blocks
	sed -n '1,/^row,/d; /^"*\$ /{s/^\("\([^"]\|""\)*"\|[^,]*\),[0-9]*,[0-9]*,//; s/,.*//; s/^shared$/ok/; p;}' csv \
		| uniq | paste -sd' '
}

# Whichever they are, the bytes of these names are the run's, and the row's bytes are compared.
command='[ -s "$IN" ] || exit 0; cp "$IN" "$OUT" && wc -c <"$IN" >>said.size; echo "$IN" >>said.in'
command="$command; echo \"\$OUT\" >>said.out"
while IFS='|' read -r what size names options; do
	rm -f said.*
	with -s sendfile -w "$command" $options <X >Y
	is "$what: a row like any other" "$? $(outcomes) $(sort -u said.size)" "0 ok $size"
	sed "s,^$PWD/,,; s,/proc/[0-9]*/,/proc/PID/,; s,[0-9]*$,," said.in said.out >names
	is "... by the names" "$(sort -u names | paste -sd' ')" "$names"
done <<'END_OF_CASES'
files|20000|X Y|
a part|5000|/proc/PID/fd/ Y|-z 5000
new files|20000|/proc/PID/fd/ X|--new
a part, into new files|5000|/proc/PID/fd/|-z 5000 --new
onto a full file|20000|X Y|--replace
a file that is overwritten|20000|X Y|--overwrite
END_OF_CASES
"$wb" -q -p0 -n1 -s sendfile -w "$command" --into=cat -f csv -o csv <X >/dev/null 2>&1
is "into a command: by its standard output" "$(outcomes) $(tail -n 1 said.out)" "ok /dev/stdout"
with -s sendfile -w 'cat "$IN"' --from='cat X' </dev/null >Y
is "from a command: by its standard input" "$? $(outcomes)" "0 ok"
with -s sendfile -w 'cp "$IN" "$OUT"' -w 'cat "$IN"' --send <X
is "a socket has no name" "$? $(outcomes | tr ' ' '\n' | sort -u | paste -sd' ')" "0 ENXIO n/a ok"
rm -f Z
with -s '*x2' -w 'cat "$IN" | tee "$OUT" >"$TEE"' -w 'tee "$TEE"' --tee=Z <X >Y
is "two outputs" "$? $(outcomes) $(cmp X Y && cmp X Z)" "0 ok "
with -s '*x2' -w 'cat "$IN" | tee "$OUT" >"$TEE"' -w 'tee "$TEE"' --tee=Z --new -z 5000 <X >Y
is "... that are new files, of a part" "$? $(outcomes) $(head -c 5000 X | cmp - Z)" "0 ok "

# A variable of the user's stays, unless the command's text names it; the text is not replaced.
IN=mine OUT=yours with -s sendfile -w 'env >env; cat' -w 'echo "$IN" >env.in; cat' -n1 <X >Y
is "IN and OUT of the user's stay" "$(sed -n 's/^\(IN\|OUT\)=//p' env | sort | paste -sd' ')" "mine yours"
is "... not for one who asks" "$(grep -c mine env.in)" 0

# A start has names of its own, of empty files in memory.
printf '#!/bin/sh\n[ -s "$1" ] || stat -Lc "%%n %%s" "$1" "$2" >>started\ncp "$1" "$2"\n' >copy && chmod +x copy
with -s sendfile -w './copy "$IN" "$OUT"' <X >Y
is "a start has empty files of its own" \
	"$(sed 's,/proc/[0-9]*/fd/[0-9]* ,/proc/PID/fd/N ,' started | sort | uniq -c | tr -s ' \n' ' ')" \
	" 4 /proc/PID/fd/N 0 "
with -s sendfile -w '[ -s "$IN" ] || echo >"$OUT" || exit; cp "$IN" "$OUT"' <X >Y
is "... where nothing can be written: then it is not known" "$? $(outcomes) $(column start_ns csv | sort -u)" "0 ok "

# By names of its own: the start of what writes so is never run; where these are not the run's ends it is n/a, with what
# to write.
printf '#!/bin/sh\necho run >>ran\ncp X Y\n' >own && chmod +x own
with -s sendfile -w ./own <X >Y
is "by names of its own: each run is one" "$? $(outcomes) $(wc -l <ran | tr -d ' ')" "0 ok 2"
while IFS='|' read -r wanted other options; do
	bytes 20000 >X
	with -s sendfile -w "$other" $options <X >Y
	is "$other $options: $wanted" "$? $(outcomes) $(grep -c 'n/a.*""\$IN"" ""\$OUT""' csv)" "$wanted"
done <<'END_OF_CASES'
0 n/a 1|cp X Y|--new
0 n/a 1|cp X Y|-z 5000
1 n/a 0|install "$IN" "$OUT"|
1 n/a 0|cp --remove-destination "$IN" "$OUT"|
END_OF_CASES

# A word of that name is no variable.
with -s sendfile -w 'dd if=X of=OUT bs=64k status=none' <X >OUT
is "an output that is called OUT, by a name of its own: its start is not known" \
	"$? $(outcomes) $(of "\$ dd if=X of=OUT bs=64k status=none" start_ns csv | paste -sd,)" "0 ok ,"

# In another PID namespace, with the /proc of its parent: a number of ours is there another process's.
if unshare -p -f true 2>/dev/null || or_skip "in another PID namespace" "unshare(1) may not make one here"; then
	bytes 20000 >X
	rm -f said.*
	unshare -p -f "$wb" -q -n1 -p0 -s sendfile -w "$command" --new -z 5000 -f csv -o csv <X >Y 2>err
	is "in another PID namespace" "$? $(outcomes) $(sort -u said.size)" "0 ok 5000"
fi
