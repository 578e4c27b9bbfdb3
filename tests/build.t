#!/bin/sh
# The checkout: that it builds without a warning, that make's targets do what they say, and that scripts and manual page
# are clean.
# Tried: it fails where a variable is not used; the manual page has a macro that there is not; a warning is not asked
# Tried: for; make bench leaves its input; make sweep leaves one optimization out; make install installs no manual page;
# Tried: make uninstall leaves the manual page; the version has no commit, or that of a checkout around it; make builds
# Tried: each time.
. "$(dirname "$0")/tap.sh"
unset MAKEFLAGS MFLAGS MAKELEVEL # of make -C, which says the directories that it enters

# In a copy of the checkout, with compilers that take no warning, and make the same only once, since each time takes
# seconds. In the quick part all of a compiler's levels of optimization are one.
mkdir copy && cp -R "$top/Makefile" "$top/write-bench.c" "$top/run-all.sh" copy/
cat >once <<'END'
#!/bin/sh
# once COMPILER ARGUMENT... -o FILE SOURCE: each call is a line in the file calls
echo "$*" >>"${0%/*}/calls"
level='' file='' last=''
for argument; do
	case $argument in -O*) level=$argument ;; esac
	[ "$last" != -o ] || file=$argument
	last=$argument
done
[ -n "${FULL-}" ] || level=-Og
made=${0%/*}/made.$1$level
if [ ! -e "$made" ]; then
	"$@" -Werror && cp "$file" "$made.$$" && mv "$made.$$" "$made"
else
	cp "$made" "$file"
fi
END
chmod +x once
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-declarations"
build() { # COMPILER LEVEL
	# shellcheck disable=SC2086
	"$work/once" "$1" -std=gnu11 -pthread $warnings "$2" -o "built.$1$2" copy/write-bench.c 2>"built.$1$2.err"
	echo $? >"built.$1$2.status"
}
builds= # the longest first, at the same time as all the rest
levels="gcc-Og clang-O0"
! full "other levels of optimization" || levels="gcc-O2 clang-O0 clang-O2 gcc-O0"
for build in $levels; do
	if ! have "${build%-*}"; then
		skip "$build" "no ${build%-*}"
	else
		builds="$builds $build"
		build "${build%-*}" "-${build#*-}" 3>&- &
	fi
done
if ! full "shellcheck"; then
	:
elif have shellcheck; then
	(cd "$top" && shellcheck run-all.sh .ci/run tests/*.sh tests/*.t) >shellcheck.out 2>&1
	is "shellcheck is silent" "$? $(cat shellcheck.out)" "0 "
else
	skip "shellcheck" "no shellcheck"
fi
if have mandoc || or_skip "the manual page" "no mandoc"; then
	is "mandoc finds no error in the manual page" "$("$wb" --man | mandoc -T lint -W warning 2>&1)" ""
fi
is "no line of write-bench.c is wider than 110 columns" \
	"$(expand "$top/write-bench.c" | awk 'length > 110 { print NR }' | paste -sd ' ')" ""
wait
bytes 300000 >X
for build in $builds; do
	is "$build builds it without a warning" "$(cat "built.$build.status" "built.$build.err")" 0
	run 0 "... which runs" "./built.$build" -q -n1 -p0 -o report.csv <X >Y
	same "... and copies" X Y
	run 0 "... and reads its report" "./built.$build" --compare report.csv -o again.csv >out
	same "... as it was" report.csv again.csv
	holds "... with its compiler" report.csv "^# compiler: (gcc|[A-Za-z ]*[Cc]lang) [0-9.]+"
done

# The commit in the version: of a program that has only this.
version() { # of what make builds
	make -s CC=cc 2>&1 && ./write-bench
}
bare=write-bench
is "--version has a commit where the checkout is one" \
	"$("$wb" --version | sed 's/ ([0-9a-f]*\(-dirty\)*)$/ (commit)/; s/ [0-9.]*//')" \
	"write-bench$(! [ -e "$top/.git" ] || ! have git || echo " (commit)")"
if have git && have cc || or_skip "the commit in the version" "no git, or no cc"; then
	export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a \
		GIT_COMMITTER_EMAIL=a@b
	mkdir -p checkout/inner && cd checkout || exit 1
	printf '#include <stdio.h>\nint main(void) { puts("write-bench" COMMIT); return 0; }\n' >write-bench.c
	cp ../copy/Makefile write-bench.c inner/
	cp ../copy/Makefile .
	printf '/write-bench\n/inner\n' >.gitignore
	git init -q . && git add . && git commit -q -m one
	is "make in a checkout: the version has the commit" "$(version)" "$bare ($(git rev-parse --short HEAD))"
	run 0 "... and there is nothing to be done again" make -q
	echo >>write-bench.c
	is "... what is not committed is in the version" "$(version)" "$bare ($(git rev-parse --short HEAD)-dirty)"
	git commit -q -a -m two
	is "... a new commit is in the version" "$(version)" "$bare ($(git rev-parse --short HEAD))"
	cd inner || exit 1
	is "... in a directory of it that is no checkout there is none" "$(version)" "$bare"
	run 0 "... and there is nothing to be done again" make -q
	cd ../..
	# Where git gives text CRLF, no shell would read a script.
	mkdir lines && cp -R "$top/.gitattributes" "$top/run-all.sh" "$top/tests" lines/
	(cd lines && git init -q . && git add . && git commit -q -m one)
	git clone -q -c core.autocrlf=true lines cloned
	run 0 "run-all.sh starts in a checkout with core.autocrlf=true" cloned/run-all.sh --help >out
	is "... which has the bytes of this one" "$(diff -r -q -x .git lines cloned 2>&1)" ""
fi
mkdir stub
printf '#!/bin/sh\necho no git >&2\nexit 127\n' >stub/git
chmod +x stub/git
is "where git does not work nothing is said" \
	"$(cd copy && PATH=$work/stub:$PATH make -n -B write-bench 2>&1 | grep -c "DCOMMIT='\"\"'\|no git")" 1

# make's targets.
case $builds in *gcc*) CC="../once gcc" ;; *) CC="../once cc" ;; esac
export CC
cd copy || exit 1
: >../calls
run 0 "make" make
holds "... asks for warnings" ../calls "^${CC#* } .* $warnings .*-o write-bench write-bench.c -lrt\$"
run 0 "make with quotes in its flags" make -B CFLAGS="-O1 -DQUOTED='\"a b\"'"
holds "... takes them all, and names them without quotes" ../calls '-DFLAGS=" -O1 -DQUOTED=a b" .*-O1 -DQUOTED="a b" '
run 0 "make bench" make bench SIZE=100000 OPTIONS="-n1 -p0"
holds "... measures" ../err 'filesize=100000B'
is "... and cleans up" "$(echo *)" "Makefile run-all.sh write-bench write-bench.c"
mkdir dir
run 0 "make bench DIR=" make bench SIZE=100000 DIR=dir OPTIONS="-n1 -p0 -s sendfile"
run 2 "make bench where there is no DIR" make bench DIR=nosuch
mkdir tables
: >../calls
run 0 "make sweep" env TMPDIR="$PWD/dir" timeout 300 make sweep SIZE=10k KEEP=tables OPTIONS="-n1 -p0"
is "... builds it by four optimizations" "$(sed 's/.* -\(O[0-9]\) .*/\1/' ../calls | sort | paste -sd ' ')" \
	"O0 O1 O2 O3"
is "... leaves the runs of each, and a table" "$(cd tables && echo *)" \
	"sweep-O0.csv sweep-O1.csv sweep-O2.csv sweep-O3.csv sweep.txt"
is "... each with all rows" "$(sed '1,/^row,/d' tables/sweep-O*.csv | grep -c ',ok,')" \
	"$((4 * $(sed '1,/^row,/d' tables/sweep-O0.csv | grep -c ,ok,)))"
holds "... the table has them, too" tables/sweep.txt '^read\+write 1 ' '^splice ' '^vmsplice huge ' \
	'^\$ head -c \$SIZE ' 'sweep-O3'
rm -r tables
is "... a copy is of 16 MiB, and of make bench of 256 MiB, where SIZE says nothing" \
	"$(make -n bench sweep | grep -Eo '(-z |noise:)[0-9]+M' | paste -sd ' ')" "noise:256M -z 16M"
run 0 "make sweep without KEEP" env TMPDIR="$PWD/dir" timeout 300 make sweep SIZE=1k OPTIONS="-n1 -p0"
run 2 "make sweep with a size that is none" env TMPDIR="$PWD/dir" timeout 300 make sweep SIZE=x
is "... they clean up" "$(ls dir)" ""
if have setsid; then # as a terminal does it: the signal goes to all of them
	setsid make bench SIZE=100000 OPTIONS="-n10000 -p1" >../out 2>&1 3>&- &
	pid=$!
	until_there sh -c '[ -s write-bench.*/Y ]' # it runs: a shell that is about to start it could lose a signal
	is "make bench has its files in one directory" "$(find . -type d -name 'write-bench.*' | wc -l | tr -d ' ')" 1
	kill -s TERM -- "-$pid"
	wait $pid 2>/dev/null
	run 0 "... interrupted, it fails" [ $? -gt 1 ]
	until_there sh -c "[ ! \"\$(find . -type d -name write-bench.\\*)\" ]" # make does not wait for its shell
	is "... and cleans up" "$(find . -type d -name 'write-bench.*')" ""
else
	skip "make bench, interrupted" "no setsid"
fi
run 0 "make install" make install DESTDIR="$work/root" PREFIX=/opt
is "... installs binary and manual page" "$(cd "$work/root" && find . -type f | sort | paste -sd ' ')" \
	"./opt/bin/write-bench ./opt/share/man/man1/write-bench.1"
run 0 "... which works" "$work/root/opt/bin/write-bench" --man >../installed.1
same "... and has this manual page" ../installed.1 "$work/root/opt/share/man/man1/write-bench.1"
run 0 "make uninstall" make uninstall DESTDIR="$work/root" PREFIX=/opt
is "... takes all away" "$(cd "$work/root" && find . -type f)" ""
run 0 "make clean" make clean
is "... leaves the sources" "$(find . -maxdepth 1 -type f | sort | paste -sd ' ')" \
	"./Makefile ./run-all.sh ./write-bench.c"
