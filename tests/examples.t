#!/bin/sh
# Every example in README.md and results/*.md runs as it stands, and what they show of a report is what the
# program prints. Examples are taken from the text: lines of its ```sh blocks (one that ends in | or \ goes on), and
# what stands between backquotes and has ./write-bench or ./run-all.sh in it. What is changed: sizes of 64 MiB and more
# become SCALE, by default 64 KiB; there are two runs, and no pause between them; HOST, /mnt/nas and port 7100 become
# what is here; run-all.sh has an OUTDIR, since the tables of this machine may be those in results/; make bench copies
# SCALE. Input, compressed input and reports are there beforehand. The script for git bisect is run by itself, and its
# gate looks at the source: a neighbour makes no commit slow.
# Tried: a README with an option that there is not; an example that fails; a table that is not what the program prints;
# Tried: an example of a script for git bisect that takes 2 for good; a command of results/documents.md that fails; a
# Tried: figure of README.md that its table does not have.
. "$(dirname "$0")/tap.sh"

# A checkout to run them in. write-bench there pauses only where an example says so, and makes two runs.
mkdir here bin home
cp -p "$top/Makefile" "$top/write-bench.c" "$top/run-all.sh" here/
cp -R "$top/results" here/
cat >here/write-bench <<'END_OF_SCRIPT'
#!/bin/sh
case " $* " in
*" --compare "* | *" --fail-if-slower"* | *" --generate"* | *" -g "* | *" --list "* | *" --explain="* | *" --man "*) ;;
*) set -- -n2 -p0 "$@" ;;
esac
exec "$WRITE_BENCH_REAL" "$@"
END_OF_SCRIPT
chmod +x here/write-bench
ln -s ../here/write-bench bin/write-bench
mkdir here/nas
# make sweep compiles by each level of optimization in build.t; here is what it makes of that.
printf '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\ncp "%s" "$2"\n' "$work/here/write-bench" >bin/cc
chmod +x bin/cc
scale=${SCALE:-64k}
export CC=cc WRITE_BENCH_REAL="$wb" PATH="$work/bin:$PATH" SIZE="$scale" HOME="$work/home"
shell=$(command -v bash || command -v sh)
chmod 755 "$work"
cd here || exit 1
# Root does without sudo, which may be missing, or ask for a password.
if [ "$(id -u)" = 0 ]; then
	printf '#!/bin/sh\nexec "$@"\n' >../bin/sudo
	chmod +x ../bin/sudo
fi

# Files that the text takes for granted.
"$wb" -g noise:"$scale" >X
cp X nas/
size=$(wc -c <X)
gzip -c X >X.gz
echo 'import shutil, sys; shutil.copyfileobj(sys.stdin.buffer, sys.stdout.buffer)' >copy.py
printf '#!/bin/sh\nexec dd bs=64k status=none\n' | tee old >new
chmod +x old new
export GITHUB_STEP_SUMMARY=err
for file in old new; do
	"$wb" -q -n2 -p0 -s 'sendfile,read+write 128k' -o $file.csv <X >Y 2>err
done

# ---- From the text

# A line for each command: from where it is, a tab, the command.
texts="README.md results/README.md results/documents.md results/questions.md"
for text in $texts; do
	awk -v text="$text" '
	/^```/ { block = block ? "" : $0; next }
	block != "```sh" { next }
	!more { printf "%s:%d\t", text, NR }
	{ more = /[|\\]$/; sub(/\\$/, ""); sub(/^\t/, " "); printf "%s%s", $0, more ? "" : "\n" }
	' "$top/$text"
	awk '
	/^```/ { inside = !inside; next }
	!inside && /^$/ { print ""; next }
	!inside { printf "%s ", $0 }
	' "$top/$text" | grep -o '`[^`]*\./\(write-bench\|run-all.sh\) [^`]*`' | tr -d '`' |
		sed "s,^,$text: in the text	,"
done >examples
for text in README.md:20 results/README.md:1 results/documents.md:10 results/questions.md:20; do
	[ "$(grep -c "^${text%:*}" examples)" -ge "${text#*:}" ]
	is "there are examples in ${text%:*}" $? 0
done

# The program prints what the text shows: a ```text block that follows one command, or stands above "Reproduce:
# `COMMAND`".
mkdir shown
# older WHAT FILE...: is one of these reports of an older schema, which is not read? Those are measured anew with the
# results.
older() {
	what=$1
	shift
	for file; do
		if grep -q '^# schema: [0-4]$' "$file" 2>/dev/null; then
			skip "$what" "$file is of an older schema: it is measured anew with the results"
			return 0
		fi
	done
	return 1
}
all_results=$(find results -name '*.csv')
for text in $texts; do
	TEXT=$(echo "$text" | tr / -) TOP=$top && export TEXT TOP
	perl -0777 -ne '
		sub slurp { open my $f, "<", "$ENV{TOP}/$_[0]" or return ""; local $/; <$f> }
		sub shown { # TEXT COMMAND
			$n++;
			for my $end ("", ".command") {
				open my $f, ">", sprintf "shown/%s.%03d%s", $ENV{TEXT}, $n, $end or die;
				print $f shift;
			}
		}
		while (/^```sh\n([^\n]+\n)```\n```text\n(.*?)^```\n/msg) { shown($2, $1) }
		while (/^```text\n((?:(?!```).*\n)*)```\n\nReproduce: `([^`]+)`/mg) { shown($1, "$2\n") }
		while (/^!\[[^\]]*\]\(([^)]+)\)\n\nReproduce: `(\.\/write-bench [^`]+)`/mg) {
			shown(slurp("results/$1"), "$2\n");
		}
	' "$top/$text"
done
for command in shown/*.command; do
	shown=${command%.command}
	name="${shown#*/}: what is shown is printed: $(cut -c1-60 "$command")"
	case $shown in
	shown/results*) # shellcheck disable=SC2086
		! older "$name" $all_results || continue ;;
	esac
	sh "$command" >all 2>&1
	status=$?
	sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' all >printed # without empty lines at the end
	is "$name" "$status$(diff "$shown" printed)" 0
done

# Of "What we found" each time is in the table of the report that its line links to.
grep '^| \[' "$top/README.md" | sed -E 's/^\| \[([^]]*)\]\(([^)]*)\) \|/\2\t\1\t/' >facts
while IFS="$(printf '\t')" read -r csv what times; do
	! older "README.md: $what: its times are printed" "$csv" || continue
	"$wb" --compare "$csv" >printed 2>&1
	missing=
	for time in $(echo "$times" | grep -oE '[0-9.]+(us|ms|s)\b'); do
		grep -qwF "$time" printed || missing="$missing $time"
	done
	is "README.md: $what: its times are printed" "$(echo "$times" | grep -c '[0-9]ms')$missing" 1
done <facts
[ "$(wc -l <facts)" -ge 6 ]
is "there are facts" $? 0

# The medians beside hyperfine are those of its reports and of ours, the least and the most.
range() { sort -n | sed -n '1p;$p' | paste -sd' ' | sed 's/ / to /'; }
if ! older "README.md: the medians by hyperfine, and by this program" results/mounts/hyperfine/new-1.csv; then
	cd "$top/results/mounts/hyperfine" || exit 1
	theirs=$(awk -F, 'FNR > 1 { printf "%.0f\n", 1000 * $(NF - 4) }' new-?.hyperfine.csv | range)
	ours=$(for csv in new-?.csv; do "$wb" --compare "$csv"; done | awk '/^\$ cat / { printf "%.0f\n", $4 }' | range)
	cd "$work/here" || exit 1
	tr '\n' ' ' <"$top/README.md" >line
	holds "README.md: the medians by hyperfine, and by this program" line \
		"here: ${theirs}ms by \`hyperfine .*, ${ours}ms by \`\./write-bench "
fi

# What is said below a table has its figures from the tables of its section, as they are printed there.
for text in $texts; do
	perl -0777 -ne '
		my $unit = qr/(?:us|ms|s|times|[KMG]iB\/s)\b|%/;
		for my $section (split /^(?=##? )/m) {
			my ($title) = $section =~ /^#+ (.*)/;
			my $tables = "";
			$section =~ s/^```text\n(.*?)^```\n/$tables .= $1, "\001"/gmse;
			$section =~ s/^```.*?^```\n|^(?:!\[|\| |Reproduce: )\N*|`[^`]*`|\]\([^)]*\)//gms;
			my ($prose) = $section =~ /\001(.*)/s or next;
			while ($prose =~ /(?<![\w.,])([+-]?\d+(?:\.\d+)?)\s?($unit)/g) {
				$n++;
				print "$title: $1 $2\n" if $tables !~ /(?<![\d.])\Q$1\E\s*$2/;
			}
		}
		print "no figure\n" if !$n;
	' "$top/$text" >figures
	case $text in
	results/*) # shellcheck disable=SC2086
		! older "$text: its figures are those of its tables" $all_results || continue ;;
	esac
	is "$text: its figures are those of its tables" "$(cat figures)" ""
done

# ---- The script of README.md

block() { # LANGUAGE: the text of its one block
	awk -v fence='```'"$1" '/^```/ { inside = $0 == fence; next } inside' "$top/README.md"
}
# The gate of a CI job: undecided passes, as a copy of a byte, which is start-up; what is refused does not.
mkdir ../job
(cd ../job && ln -s "$wb" write-bench && echo >X && printf '#!/bin/sh\nexec cat\n' >old && chmod +x old && cp old new)
sed -n '/^# A job/,/^# What changed/{/^#/!p}' "$top/README.md" >../job/gate.sh
is "a gate in CI: undecided passes" \
	"$(cd ../job && GITHUB_STEP_SUMMARY=out sh gate.sh; echo $? "$(grep -c ': undecided\.' out)")" "0 1"
rm ../job/new
is "... and what is refused does not" \
	"$(cd ../job && GITHUB_STEP_SUMMARY=out sh gate.sh 2>err; echo $? "$(grep -c -e '--with=\./new: ' out)")" "1 1"
# git bisect run. What make, the measurement and the comparison end with, and then the script.
mkdir -p ../bisect/stub ../bisect/repo
cp X ../bisect/
block bash | sed 's,/tmp/,../,g' >../bisect/slower.sh
chmod +x ../bisect/slower.sh
printf '#!/bin/sh\nexit "$GATE"\n' >../bisect/stub/write-bench
printf '#!/bin/sh\nexit "$BUILT"\n' >../bisect/stub/make
chmod +x ../bisect/stub/*
while read -r built gate wanted_status; do
	(cd ../bisect/repo && BUILT=$built GATE=$gate PATH="$work/bisect/stub:$PATH" sh ../slower.sh) >out 2>&1
	is "the bisect script: make ends with $built, the gate with $gate" $? "$wanted_status"
done <<'END'
0 0 0
0 3 1
0 1 125
0 2 125
0 4 125
0 130 125
2 0 125
END
# A small repository: its program becomes slower, as the gate says that looks at its source, and two commits can't be
# built.
if have git && have make || or_skip "git bisect run" "no git, or no make"; then
	mkdir ../bisect/timed
	cat >../bisect/timed/write-bench <<'END'
#!/bin/sh
"$WRITE_BENCH_REAL" -p0 "$@" 2>../said
[ $? != 1 ] && grep -q '^row ' ../said || exit 1
! grep -q slow copy || exit 3
END
	chmod +x ../bisect/timed/write-bench
	PATH=$work/bisect/timed:$PATH
	export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a \
		GIT_COMMITTER_EMAIL=a@b
	cd ../bisect/repo || exit 1
	git init -q .
	printf 'copy: copy.sh\n\tsh -n copy.sh && cp copy.sh copy && chmod +x copy\n' >Makefile
	echo copy >.gitignore
	for name in fast fast2 fast3 slow broken slow2 slow3 broken2 slow4; do
		case $name in
		fast* | slow*) printf '#!/bin/sh\n# %s\nexec dd bs=64k status=none\n' \
			$name ;; # cat(1) shares blocks where it can
		broken*) printf '#!/bin/sh\n# %s\nif\n' $name ;;
		esac >copy.sh
		git add . && git commit -q -m $name
		[ $name != fast ] || git tag good
	done
	git tag bad
	git checkout -q good
	run 0 "the good commit is built" make -s
	cp copy ../good
	run 0 "... and is not slower than itself" sh ../slower.sh
	git bisect start bad good >../start 2>&1
	run 0 "git bisect run" git bisect run ../slower.sh >../bisected
	is "... finds the first slow commit" "$(git log -1 --format=%s refs/bisect/bad)" slow
	git bisect log >../log
	holds "... and has skipped what can't be built" ../log '^# skip: .* broken$'
	PATH=${PATH#*:}
	cd ../../here || exit 1
fi

# ---- Each by itself

port=$((7100 + $$ % 20000))
# Prints why an example can't run here; nothing if it can.
obstacle() { # EXAMPLE
	for tool in zcat gzip sudo make man python3 go gcc; do
		case " $1" in *[\ \'\|]$tool\ * | *\'$tool\'*) have $tool || { echo "no $tool" && return; } ;; esac
	done
	case $1 in
	"git clone "*) echo "there is no URL yet" && return ;;
	*run-all.sh* | "make results"*) [ -n "${FULL-}" ] || { echo "slow: it is in make check-full" && return; } ;;
	"make sweep"*) [ -n "${FULL-}" ] || { echo "slow: it is in make check-full, and in tests/build.t" &&
		return; } ;;
	"make check"*) echo "it runs this test" && return ;;
	esac
	case $1 in
	*=./copy-go*) have go || echo "no go" ;;
	*"sudo "*) [ "$(id -u)" = 0 ] || { echo "not root" && return; } ;;
	*--send*) "$wb" -q -n1 -p0 -s sendfile --send <X >/dev/null 2>&1 || echo "no TCP over loopback" ;;
	*"nc -lk "* | *"/dev/tcp/"*) { have bash && nc -h 2>&1 | grep -q '^[[:space:]]*-k'; } || echo \
		"no nc with -k, or no bash" ;;
	esac
}
# Has it left a report, or what else it was to print?
reported() { # EXAMPLE
	case $1 in
	make) [ -x write-bench ] && return ;;
	*--explain*) grep -q 'pwrite(' out && return ;;
	*--generate* | *" -g "*" >X"*) [ "$(wc -c <X)" = "$size" ] && return ;;
	*write-bench* | *run-all.sh* | make*) ;;
	*) return 0 ;;
	esac
	for file in $(echo "$1" | grep -o ' -o [^ ]*' | sed 's/ -o //'); do
		[ -s "$file" ] || return
	done
	cat out err | grep -Eq -e '^row[ ,]|^file |^\| row \||<svg |"rows": |^sendfile|^NAME$' \
		-e '^(Use|Up to|At all|At) |^Usage: |run-all.sh: |/README.md$'
}
example() { # WHERE COMMAND
	case $1 in results/*) [ -n "${FULL-}" ] ;; esac && why=$(obstacle "$2") || why="slow: it is in make check-full"
	case $1$2 in
	results/*--compare*) # shellcheck disable=SC2086
		[ -n "$why" ] || ! older "$1: $(echo "$2" | cut -c1-60)" $all_results || return 0 ;;
	esac
	name="$1: $(printf %s "$2" | sed 's/ *#.*//' | cut -c1-90)"
	if [ -n "$why" ]; then
		skip "$name" "$why"
		return
	fi
	rm -f Y Z
	printf '%s\n' "$2" | sed \
		-E 's/\b(64|100|128|256|512)[mM]\b/'"$scale"'/g; s/(-z |-s |SIZE=|:)[0-9]+[gG]\b/\1'"$scale"'/g
		/run-all\.sh/s/ -s [0-9]+[kmg](,[0-9]+[kmg])*/ -s 4k,'"$scale"'/; s/-n [0-9]+/-n 2/
		/ -s [0-9]/!s/run-all\.sh/& -s '"$scale"'/; / -n [0-9]/!s/run-all\.sh/& -n 2/
		/ -o /!s/run-all\.sh/& -o made/
		s,/mnt/nas,nas,; s/HOST/127.0.0.1/; s/7100/'$port/ >script
	case $2 in
	*"nc -lk "*) # until Ctrl-C, which comes when the other side has been there
		sed -i 's/^/exec /' script
		sh script </dev/null 3>&- &
		listener=$!
		until_there grep -qi "$(printf ':%04X 0*:0000 0A' "$port")" /proc/net/tcp /proc/net/tcp6
		is "$name: listens" $? 0
		return
		;;
	esac
	"$shell" script >out 2>err </dev/null 3>&-
	code=$?
	case $code$2 in [34]*--baseline*) code=0 ;; esac # runs are few here, and others may have the CPU
	lacking=$(sed -nE 's/.*run-all\.sh: ([a-z0-9]*: skipped: (mount: .*unknown filesystem|Cannot initialize device-mapper|there is no) .*)/\1/p;T;q' err)
	if [ $code = 1 ] && [ -n "$lacking" ]; then
		skip "$name" "$lacking"
	elif [ $code = 0 ] && reported "$(sed 's/ *#.*//' script)"; then
		pass "$name"
	else
		{ echo "exit status $code" && cat out err; } >both
		fail "$name: it reports" both
	fi
}
listener=
undo='[ -z "$listener" ] || kill "$listener" 2>/dev/null'
while IFS="$(printf '\t')" read -r where command <&4; do
	case $command in "" | "#"*) continue ;; esac
	example "$where" "$command"
done 4<examples
if [ -n "$listener" ]; then
	kill -TERM "$listener"
	wait "$listener" 2>/dev/null
	listener=
fi
