#!/bin/sh
# The names of its ends that a command is given: "$IN", "$OUT" and "$TEE"; and commands that have names of their own.
# Tried: it fails where the names are given to each command; where /proc/PID is by getpid(2); where a start is given
# Tried: the run's ends; where an output that is replaced passes; where what wrote by a name of its own is started once
# Tried: more; where /dev/stdout is a name; where a new file's name is there already, or what has it later is removed,
# Tried: whatever it is.
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
	sed "s,^$PWD/,,; s,/proc/[0-9]*/,/proc/PID/,; s,[0-9]*$,,; s,^\.write-bench\.[0-9.]*$,NEW," \
		said.in said.out >names
	is "... by the names" "$(sort -u names | paste -sd' ')" "$names"
done <<'END_OF_CASES'
files|20000|X Y|
a part|5000|/proc/PID/fd/ Y|-z 5000
new files|20000|NEW X|--new
a part, into new files|5000|/proc/PID/fd/ NEW|-z 5000 --new
onto a full file|20000|X Y|--replace
a file that is overwritten|20000|X Y|--overwrite
END_OF_CASES
"$wb" -q -p0 -n1 -s sendfile -w "$command" --into=cat -f csv -o csv <X >/dev/null 2>&1
is "into a command: by its descriptor" "$(outcomes) $(tail -n 1 said.out | tr -d 0-9)" "ok /proc//fd/"
with -s sendfile -w 'cat "$IN"' --from='cat X' </dev/null >Y
is "from a command: by its standard input" "$? $(outcomes)" "0 ok"
with -s sendfile -w 'cp "$IN" "$OUT"' -w 'cat "$IN"' --send <X
is "a socket has no name that can be opened" "$? $(outcomes | tr ' ' '\n' | sort -u | paste -sd' ')" "1 failed ok"
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

# By names of its own: the start of what writes so is never run; where these are not the run's ends it is wrong.
printf '#!/bin/sh\necho run >>ran\ncp X Y\n' >own && chmod +x own
with -s sendfile -w ./own <X >Y
is "by names of its own: each run is one" "$? $(outcomes) $(wc -l <ran | tr -d ' ')" "0 ok 2"
while IFS='|' read -r wanted other options; do
	bytes 20000 >X
	with -s sendfile -w "$other" $options <X >Y
	is "$other $options: $wanted" "$? $(outcomes)" "$wanted"
done <<'END_OF_CASES'
1 mismatch|cp X Y|--new
1 mismatch|cp X Y|-z 5000
1 mismatch|install "$IN" "$OUT"|
1 mismatch|cp --remove-destination "$IN" "$OUT"|
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

# With --new "$OUT" is a name that is not there yet, and nothing has it after the run.
cp X original
anew() { # a directory D with these two alone
	rm -rf D && mkdir D && cp original D/X && : >D/Y
}
others() { # what else is there
	(cd D && find . ! -name . -prune ! -name X ! -name Y)
}
anew
with --new -s 'sendfile,$ *' -w '[ ! -s "$IN" ] || [ ! -e "$OUT" ] || echo is there >>there; cp -n "$IN" "$OUT"' \
	-w 'cp "$IN" "$OUT"; exit 3' <D/X >D/Y
is "a new name: cp(1) makes the file" \
	"$? $(outcomes | tr ' ' '\n' | sort -u | paste -sd' ') $(cat there 2>/dev/null)" "1 failed ok "
is "... which is removed after the run" "$(others)" ""
"$wb" -p0 -n1 --new -s '$ *' -w 'cp "$IN" "$OUT"; echo "$OUT" >made; exec sleep 60' <D/X >D/Y 2>err 3>&- &
pid=$!
until_there test -s made
kill $pid
wait $pid
is "... also by a session that is interrupted" "$? $(others)" "143 "

# What may be an end, or is no file, is left, and named.
while IFS='|' read -r type command; do
	anew
	with --new -s 'sendfile,$ *' -w "$command" <D/X >D/Y
	status=$?
	left=$(others)
	is "$command: status 1, and it is left" "$status $(stat -c %F "D/$left")" "1 $type"
	holds "... and named" err "^write-bench: .*${left#./}"
	is "... X is whole" "$([ -e D/X ] || mv "D/$left" D/X; cmp original D/X)" ""
done <<'END_OF_CASES'
regular file|mv "$IN" "$OUT"
regular file|mv "$IN" "$OUT"; cp "$OUT" "$IN"
regular file|ln "$IN" "$OUT"
regular file|ln -f D/Y "$OUT"; cat
regular file|cp "$IN" "$OUT"; rm "$IN"
symbolic link|ln -s "$IN" "$OUT"
fifo|mkfifo "$OUT"; cat
directory|mkdir "$OUT"; cp "$IN" "$OUT/a"; cat
END_OF_CASES

# Nothing is removed by walking: not what a command has mounted beside its output.
if { [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; } ||
	or_skip "a mount beside the output" "not root, or no mount namespaces"; then
	cat >mounts <<'END'
mount -t tmpfs none data && mkdir data/sub && echo precious >data/sub/a || exit 9
"$@" <D/X >D/Y &
pid=$!
n=0
until [ -e mounted ] || [ $((n += 1)) -gt 600 ]; do sleep 0.1; done
kill $pid
wait $pid
echo $? $([ ! -e mounted ] || echo mounted) $(cat data/sub/a)
END
	anew
	mkdir data
	is "interrupted, with a mount beside its output: nothing there is removed" "$(unshare -m sh mounts "$wb" -p0 \
		-n1 --new -s '$ *' -w 'cp "$IN" "$OUT"; mkdir "$OUT.mnt" && mount --bind data "$OUT.mnt" &&
			echo >mounted; sleep 60' 2>err)" "143 mounted precious"

	# As root a command could replace /dev/stdout: in a /dev of its own.
	cat >devices <<'END'
mkdir dev && mount -t tmpfs none dev && { mknod -m 666 dev/null c 1 3 || { : >dev/null && mount --bind /dev/null dev/null; }; } || exit 9
for fd in 0-stdin 1-stdout 2-stderr; do ln -s "/proc/self/fd/${fd%-*}" "dev/${fd#*-}"; done
ln -s /proc/self/fd dev/fd
mount --move dev /dev || exit 9
find /dev -printf '%p %y %l\n' | sort >before
cat X | "$@" -s 'read+write 64k,$ *' -w 'install "$IN" "$OUT"' -w 'rm -f "$IN" "$OUT"; cat' | cat >/dev/null
"$@" --send -s 'read+write 64k,$ *' -w 'install "$IN" "$OUT"' -w 'mv X.1 "$IN"; cat' <X
"$@" -s '$ *' -w 'install "$IN" "$OUT"' -w 'ln -sf X "$OUT"; cat' <X >/dev/null
echo $?
find /dev -printf '%p %y %l\n' | sort | diff before - && echo as it was
END
	is "commands replace nothing in /dev" "$(unshare -m sh devices "$wb" -p0 -n1 2>err | paste -sd' ')" \
		"1 as it was"
fi
