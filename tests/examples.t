#!/bin/sh
# What README.md and results/*.md say can be typed, and is so. Their commands run as they stand (full part), and what
# they show of a report is what the program prints. Taken from the texts: lines of their ```sh blocks (one that ends in
# | or \ goes on), what stands between backquotes with ./write-bench or ./run-all.sh in it, and ```text blocks.
# What is changed: sizes of 24 MiB and more become 64 KiB; there are two runs, and no pause between them; HOST, port
# 7100 and what is in /mnt and /dev/shm become what is here; run-all.sh has an OUTDIR, and a job a file for its summary.
# Tried: an option that there is not; an example that fails; a table that is not what the program prints; a figure that
# Tried: is in no table; a report that no page names.
. "$(dirname "$0")/tap.sh"

# A checkout to run them in. write-bench there pauses only where an example says so, and makes two runs.
mkdir here bin home
cp -p "$top/Makefile" "$top/write-bench.c" "$top/run-all.sh" "$top/README.md" here/
cp -R "$top/results" here/
for mark in here/results/*/.run-all; do rm -rf "${mark%/.run-all}"; done # a report of this machine, not of the checkout
cat >bin/write-bench <<'END'
#!/bin/sh
case " $* " in
*" --compare "* | *" --fail-if-slower"* | *" --generate"* | *" -g "* | *" --list "* | *" --explain="* | *" --man "*) ;;
*) set -- -n2 -p0 "$@" ;;
esac
exec "$WRITE_BENCH_REAL" "$@"
END
printf '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\ncp "%s" "$2"\n' "$work/bin/write-bench" >bin/cc
printf '#!/bin/sh\nexec "$@"\n' >bin/sudo # root does without
chmod 755 bin/* .
cp bin/write-bench here/
export CC=cc WRITE_BENCH_REAL="$wb" PATH="$work/bin:$PATH" SIZE=64k HOME="$work/home"
cd here || exit 1
mkdir nas smb bindfs bindfs_big ntfs ntfs_big
"$wb" -g noise:64k >X
cp X nas/
echo 'import shutil, sys; shutil.copyfileobj(sys.stdin.buffer, sys.stdout.buffer)' >copy.py
printf '#!/bin/sh\nexec dd bs=64k status=none\n' | tee old >new
printf '#!/bin/sh\ncat "${1:-/dev/stdin}" >"${2:-/dev/stdout}"\n' >copy
chmod +x old new copy
w -q -n2 -s 'sendfile,read+write 128k' -o old.csv <X >Y 2>err
cp old.csv new.csv

# A line for each command: from where it is, a tab, the command.
texts="README.md results/README.md results/documents.md results/questions.md"
for text in $texts; do
	awk -v text="$text" '
	/^```/ { block = block ? "" : $0; next }
	block != "```sh" { next }
	!more { printf "%s:%d\t", text, NR }
	{ more = /[|\\]$/; sub(/\\$/, ""); sub(/^\t/, " "); printf "%s%s", $0, more ? "" : "\n" }' "$text"
	awk '
	/^```/ { inside = !inside; next }
	!inside { printf "%s%s", $0, /./ ? " " : "\n" }' "$text" |
		grep -o '`[^`]*\./\(write-bench\|run-all.sh\) [^`]*`' | tr -d '`' | sed "s,^,$text: in the text	,"
done >examples
is "each text has examples" "$(cut -d: -f1 examples | sort -u | wc -l)" "$(echo "$texts" | wc -w)"

# What is shown: a ```text block below the command that prints it, the last of its block, where lines may be left out;
# or a picture above it.
mkdir shown
for text in README.md ${FULL:+$texts}; do
	TEXT=$text perl -0777 -ne '
		sub slurp { open my $f, "<", $_[0] or return ""; local $/; <$f> }
		sub shown { # TEXT COMMAND, which are $1 and $2 of the caller, until the next match
			my ($shown, $command) = @_;
			my $name = sprintf "shown/%s.%03d", $ENV{TEXT} =~ s,/,-,gr, ++$n;
			for (["", $shown], [".command", $command]) {
				open my $f, ">", "$name$$_[0]" or die;
				print $f $$_[1];
			}
		}
		my $command = qr/^```sh\n(?:(?!```)[^\n]*\n)*?(\.\/write-bench (?:[^\n]*\\\n)*[^\n]*\n)```\n/m;
		while (/$command```text\n(.*?)^```\n/msg) { shown($2, $1) }
		while (/^!\[[^\]]*\]\(([^)]+)\)\n\n$command(?!```)/mg) { shown(slurp("results/$1"), $2) }
		' "$text"
done
for command in shown/*.command; do
	[ -e "$command" ] || continue
	shown=${command%.command}
	[ -s "$shown" ] || fail "$shown shows nothing" "$command"
	name="${shown#*/}: what is shown is printed: $(cut -c1-60 "$command")"
	"$(command -v bash || command -v sh)" "$command" >all 2>&1
	is "$name" "$?$(diff "$shown" all | grep '^<')" 0
done

# README, pictures and results say the same of a row: each time, speed and factor of a text stands in a table: of its
# section, or of a section, page or file that its paragraph links to.
cat >figures.pl <<'END'
use strict; use warnings;
my (%tables, @paragraphs); # by "PAGE" and "PAGE#anchor"; [page, section, text]
sub slurp { open my $f, '<', $_[0] or return ''; local $/; <$f> }
for my $page (@ARGV) {
	my ($section, $inside, $text) = ($page, 0, '');
	for my $line (split(/^/, slurp($page)), "\n") {
		$inside = !$inside if $line =~ /^```/;
		if ($inside || $line =~ /^(?:\||```)/) {
			$tables{$_} .= $line for $page, $section;
		} elsif ($line =~ /^(?:$|- |##)/) {
			push @paragraphs, [$page, $section, $text];
			$text = $line;
			$section = "$page#" . lc($1) =~ s/[^\w\s-]//gr =~ s/ /-/gr if $line =~ /^##+ (.*)/;
		} else {
			$text .= $line;
		}
	}
}
for (@paragraphs) {
	my ($page, $section, $text) = @$_;
	next if $text =~ /^\s*The document/; # of what others measured
	my $scope = $tables{$section} // '';
	for ($text =~ /\]\(([^):]+)\)/g) {
		my $file = /^#/ ? "$page$_" : ($page =~ m{(.*/)} ? $1 : '') . $_;
		1 while $file =~ s{[^/]+/\.\./}{};
		$scope .= $tables{$file} // slurp($file);
	}
	for my $figure ($text =~ /(?<![\w.])(\d[\d.]*(?:us|ms|s|[KMG]iB\/s| times))\b/g) {
		my $plain = $figure =~ s/ times//r;
		print "$page: $figure: $text" if $scope !~ /(?<![\d.])\Q$plain\E(?![\d.])/;
	}
}
END
echo "$texts" | xargs perl figures.pl >missing
is "the figures of the texts stand in their tables" "$(cat missing)" ""

is "what the README shows of run-all.sh is in its page" \
	"$(grep -E '^(cp|cat).*: xfs|^(cp|cat).*: btrfs' README.md | grep -Fvxf results/cp/README.md)" ""

# Of results/ there is what a page links to, or a command there reads.
for page in $texts results/*/README.md; do
	grep -o '[A-Za-z0-9_.+*/={},-]*\.\(csv\|svg\|txt\|md\|py\|c\)\b' "$page" | sed "/^results/!s,^,${page%/*}/,"
done | sed 's,^,echo ,' | bash | tr ' ' '\n' | sed 's,/\./,/,g' | sort -u >named
find results -type f | sort | comm -23 - named >unnamed
is "results/ has no file that no page names" "$(cat unnamed)" ""

# ---- Each by itself

full "$(wc -l <examples) examples" || exit 0
port=$((7100 + $$ % 20000))
obstacle() { # EXAMPLE: why it can't run here
	for tool in make man python3 gcc bash hyperfine; do
		case " $1" in *[\ \'\|]$tool\ *) have $tool || echo "no $tool" ;; esac
	done
	case $1 in
	"git clone "*) echo "there is no URL yet" ;;
	"make check"*) echo "it runs this test" ;;
	*"sudo "*) [ "$(id -u)" = 0 ] || echo "not root" ;;
	*--send*) w -q -s sendfile --send <X >out 2>&1 || echo "no TCP over loopback" ;;
	*"/dev/tcp/"*) nc -h 2>&1 | grep -q '^[[:space:]]*-k' || echo "no nc with -k" ;;
	esac
}
reported() { # EXAMPLE: has it left a report, or what else it was to print?
	case $1 in
	make) [ -x write-bench ] && return ;;
	*--explain*) grep -q 'pwrite(' out && return ;;
	*--generate* | *" -g "*" >X"*) [ "$(wc -c <X)" = 65536 ] && return ;;
	*write-bench* | *run-all.sh* | make*) ;;
	*) return 0 ;;
	esac
	files=$(echo "$1" | grep -o ' -o [^ ]*' | sed 's/ -o //')
	for file in $files; do
		[ -s "$file" ] || return
	done
	# shellcheck disable=SC2086 # several
	cat out err $files 2>/dev/null | grep -Eq -e '^row[ ,]|^file |^\| row \||<svg |"rows": |^sendfile|^NAME$' \
		-e '^(Use|Up to|At all|At) |^Usage: |run-all.sh: |/README.md$'
}
while IFS="$(printf '\t')" read -r where command <&4; do
	case $command in "" | "#"*) continue ;; esac
	name="$where: $(printf %s "$command" | sed 's/ *#.*//' | cut -c1-90)"
	why=$(obstacle "$command" | head -n 1)
	[ -z "$why" ] || or_skip "$name" "$why" || continue
	rm -rf Y Z made
	printf '%s\n' "$command" | sed -E '
		s/\b(24|64|100|128|256|512)[mM]\b/64k/g; s/(-z |-s |SIZE=|:)[0-9]+[gG]\b/\164k/g; s/-n [0-9]+/-n 2/
		/run-all\.sh/s/ -s [0-9]+[kmg](,[0-9]+[kmg])*/ -s 4k,64k/
		/ -s [0-9]/!s/run-all\.sh/& -s 64k/; / -n [0-9]/!s/run-all\.sh/& -n 2/
		/run-all\.sh/{s/ -o [^ ]+//; s/run-all\.sh/& -o made/}
		s,/(mnt|dev/shm)/,,g; s/"\$GITHUB_STEP_SUMMARY"/made/; s/HOST/127.0.0.1/; s/7100/'$port/ >script
	case $command in *"/dev/tcp/"*)
		timeout 20 nc -lk "$port" >/dev/null 2>&1 </dev/null 3>&- &
		until_there grep -qi "$(printf ':%04X 0*:0000 0A' "$port")" /proc/net/tcp /proc/net/tcp6
		;;
	esac
	"$(command -v bash || command -v sh)" script >out 2>err </dev/null 3>&-
	code=$?
	# Runs are few here, and others may have the CPU: 3 or 4 is no fault, nor is 1, which `|| [ $? = 4 ]` makes of 3
	case $code$command in [134]*--fail-if-slower*) grep -q '^Failed' err || code=0 ;; esac
	lacking=$(grep -aE 'skipped: (mount: .*unknown filesystem|Cannot initialize device-mapper|there is no)' err)
	if [ $code = 1 ] && [ -n "$lacking" ]; then
		skip "$name" "$(echo "$lacking" | sed 's/.*run-all.sh: //;q')"
	elif [ $code = 0 ] && reported "$(sed 's/ *#.*//' script)"; then
		pass "$name"
	else
		{ echo "exit status $code" && cat out err; } >both
		fail "$name: it reports" both
	fi
done 4<examples
