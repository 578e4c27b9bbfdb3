#!/bin/sh
# Every example in README.md and in the manual page runs as it stands, and what README.md shows of a report is what the program
# prints. Examples are taken from the text: lines of its ```sh blocks, and what stands between backquotes and has ./write-bench or
# ./run-all.sh in it; of the manual page the section EXAMPLES.
# What is changed: sizes of 64 MiB and more become 64 KiB; there is no pause between runs; HOST, /mnt/nas and port 7100 become
# what is here; make bench copies 64 KiB. Input, compressed input and two reports are there beforehand.
# Tried: a README with an option that there is not; an example that fails; a table that is not what the program prints; an example of
# Tried: the manual page without its input.
# shellcheck disable=SC2016
. "$(dirname "$0")/tap.sh"

# A checkout to run them in. write-bench there pauses only where an example says so.
mkdir here bin
cp -p "$top/Makefile" "$top/write-bench.c" "$top/run-all.sh" here/
cp -R "$top/results" here/
cat >here/write-bench <<'END_OF_SCRIPT'
#!/bin/sh
case " $* " in
*" --compare "* | *" --generate"* | *" -g "* | *" --receive"* | *" --list "* | *" --help "* | *" --man "* | *" --version "*) ;;
*) set -- -p0 "$@" ;;
esac
exec "$WRITE_BENCH_REAL" "$@"
END_OF_SCRIPT
chmod +x here/write-bench
ln -s ../here/write-bench bin/write-bench
mkdir here/nas
export WRITE_BENCH_REAL="$wb" PATH="$work/bin:$PATH" SIZE=64k
chmod 755 "$work"
cd here || exit 1
# Where sudo is not, or asks for a password, root does without.
if [ "$(id -u)" = 0 ]; then
	printf '#!/bin/sh\nexec "$@"\n' >../bin/sudo
	chmod +x ../bin/sudo
fi

# What the text takes for granted.
"$wb" -g noise:64k >X
gzip -c X >X.gz
for file in old new report; do
	"$wb" -q -n2 -p0 -s 'sendfile,read+write 128k' -o $file.csv <X >Y 2>err
done

# ---- From the text

# README.md: a line for each command: from where it is, a tab, the command. Lines that end in a backslash go on.
awk '
/^```/ { block = block ? "" : $0; next }
block == "```sh" { printf "README.md:%d\t%s\n", NR, $0 }
' "$top/README.md" >examples
awk '
/^```/ { inside = !inside; next }
!inside && /^$/ { print ""; next }
!inside { printf "%s ", $0 }
' "$top/README.md" | grep -o '`[^`]*\./\(write-bench\|run-all.sh\) [^`]*`' | tr -d '`' | sed 's/^/README.md, in the text	/' >>examples
awk '
block == "```text" && !/^```/ { next }
block == "```sh" && /^```/ { block = ""; next }
/^```/ { block = block ? "" : $0; next }
block == "" && /^    (\$ |\.\/|make )/ { print }
' "$top/README.md" >elsewhere
is "README.md has its commands in blocks of their own" "$(cat elsewhere)" ""
"$wb" --man | sed -n '/^\.SH EXAMPLES/,/^\.SH SEE/p' | grep -v '^\.' | sed 's/\\-/-/g; s/\\(aq/'\''/g; s/\\e/\\/g; s/^/manual page	/' >>examples
[ "$(grep -c '^README.md:' examples)" -gt 20 ] && [ "$(grep -c '^manual page' examples)" -gt 8 ]
is "there are examples in README.md and in the manual page" $? 0

# What the program prints, as README.md shows it: a ```text block that follows one command is its output.
mkdir shown
awk '
/^```sh/ { inside = 1; n = 0; next }
/^```text/ { if (n == 1) { file = sprintf("shown/%03d", ++count); print command >(file ".command"); shown = 1 } n = 0; next }
/^```/ { inside = 0; if (shown) close(file); shown = 0; next }
inside { n++; command = $0; next }
shown { print >file; next }
{ n = 0 }
' "$top/README.md"
for command in shown/*.command; do
	shown=${command%.command}
	sh "$command" 2>&1 | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' >printed # without empty lines at the end
	if cmp -s printed "$shown"; then
		pass "README.md shows what is printed: $(cut -c1-60 "$command")"
	else
		diff "$shown" printed >difference
		fail "README.md shows what is printed: $(cut -c1-60 "$command")" difference
	fi
done

# ---- Each by itself

port=$((7100 + $$ % 20000))
# Prints why an example can't run here; nothing if it can.
obstacle() { # EXAMPLE
	for tool in pv zcat gzip sudo make; do
		case " $1" in *[\ \'\|]$tool\ * | *\'$tool\'*) have $tool || { echo "no $tool" && return; } ;; esac
	done
	case $1 in
	*run-all.sh* | "make results"*) [ -n "${FULL-}" ] || { echo "slow: it is in make check-full" && return; } ;;
	"make sweep"*) [ -n "${FULL-}" ] || { echo "slow: it is in make check-full, and in tests/build.t" && return; } ;;
	"make check"*) echo "it runs this test" && return ;;
	*10.99.0.1*) echo "the text has both ends on one line" && return ;;
	esac
	case $1 in
	*"sudo "*) [ "$(id -u)" = 0 ] || { echo "not root" && return; } ;;
	*--send* | *--receive*) "$wb" -q -n1 -p0 -s sendfile --send <X >/dev/null 2>&1 || echo "no TCP over loopback" ;;
	esac
}
# Has it left a report, or what else it was to print?
reported() { # EXAMPLE
	case $1 in
	*--generate* | *" -g "*" >X"*) [ "$(wc -c <X)" = 65536 ] && return ;;
	*write-bench* | *run-all.sh* | make*) ;;
	*) return 0 ;;
	esac
	for file in $(echo "$1" | grep -o ' -o [^ ]*' | sed 's/ -o //'); do
		[ -s "$file" ] || return
	done
	cat out err | grep -Eq '^row |^\| row \||^row,round,|<svg |"rows": |^Use |^Usage: |^sendfile|run-all.sh: |/README.md$'
}
example() { # WHERE COMMAND
	why=$(obstacle "$2")
	name="$1: $(printf %s "$2" | sed 's/ *#.*//' | cut -c1-90)"
	if [ -n "$why" ]; then
		skip "$name" "$why"
		return
	fi
	rm -f Y Z
	printf '%s\n' "$2" | sed -E 's/\b(64|100|128|256|512)[mM]\b/64k/g; s/(-z |-s |SIZE=|:)[0-9]+[gG]\b/\164k/g
		/ -s /!s/run-all\.sh/& -s 64k/
		s,/mnt/nas,nas,; s/HOST/127.0.0.1/; s/7100/'$port/ >script
	case $2 in
	*--receive*) # until Ctrl-C, which comes when the sender has been there
		sed -i 's/^/exec /' script
		sh script >out 2>err.receiver </dev/null 3>&- &
		receiver=$!
		for _ in $(seq 200); do
			! grep -q "$port" err.receiver || break
			sleep 0.05
		done
		kill -0 $receiver 2>/dev/null
		is "$name: listens" "$? $(grep -c "$port" err.receiver)" "0 1"
		return
		;;
	esac
	sh script >out 2>err </dev/null 3>&-
	code=$?
	lacking=$(sed -n 's/.*run-all\.sh: \([a-z0-9]*: skipped: \(this kernel\|there is no\|there are no\) .*\)/\1/p' err | head -n 1)
	if [ $code = 1 ] && [ -n "$lacking" ]; then
		skip "$name" "$lacking"
	elif [ $code != 0 ]; then
		fail "$name: exit status $code" err
	elif ! reported "$(cat script)"; then
		cat out err >both
		fail "$name: no report" both
	else
		pass "$name"
	fi
}
receiver=
undo='[ -z "$receiver" ] || kill "$receiver" 2>/dev/null'
while IFS="$(printf '\t')" read -r where command <&4; do
	case $command in "" | "#"*) continue ;; esac
	example "$where" "$command"
done 4<examples
if [ -n "$receiver" ]; then
	kill -TERM "$receiver"
	wait "$receiver" 2>/dev/null
	receiver=
fi
