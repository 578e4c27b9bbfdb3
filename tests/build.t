#!/bin/sh
# The checkout: it builds without a warning, its version has its commit, make's targets do what they say, and scripts
# and manual page are clean. A line of the first table is a compiler and a level of optimization; of the second a state
# of a checkout. The quick part has the first compiler that is here, if possible with sanitizers; what make's targets
# build is in any case a copy of what was built.
# Tried: a variable that is not used; a macro that the manual page can't have; a warning that is not asked for; make
# Tried: bench that leaves its input, or DIR aside; make sweep by three levels; make install without a manual page, make
# Tried: uninstall that leaves it; a version without a commit, or with that of a checkout around it.
. "$(dirname "$0")/tap.sh"
unset MAKEFLAGS MFLAGS MAKELEVEL # of make -C, which says the directories that it enters
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b

mkdir copy
cp "$top/Makefile" "$top/write-bench.c" "$top/run-all.sh" copy/
bytes 300000 >X
export ASAN_OPTIONS=detect_leaks=0 # which needs ptrace(2)
echo 'int main(void) { return 0; }' >empty.c
while read -r compiler level; do
	# shellcheck disable=SC2086
	{ "$compiler" $level -o empty empty.c && ./empty; } 2>err \
		|| or_skip "$compiler $level" "no such compiler" || continue
	[ ! -e built ] || full "$compiler $level" || continue
	make -s -C copy -B CC="$compiler" CFLAGS="$level -Werror" >said 2>&1
	is "$compiler $level builds it without a warning" "$? $(cat said)" "0 "
	run 0 "... it copies" copy/write-bench -q -n2 -p0 -z 4k,300000 -w cat -o report.csv -o report.md -o report.svg <X >Y
	copy/write-bench --compare report.csv -o again.csv >out
	is "... each byte, and reads its report as it was" "$? $(cmp X Y 2>&1)$(cmp report.csv again.csv 2>&1)" "0 "
	holds "... which names its compiler" report.csv "^# compiler: (gcc|[A-Za-z ]*[Cc]lang) [0-9.]+.* $level -Werror"
	cp copy/write-bench built
done <<'END'
clang -O0 -fsanitize=address,undefined -fno-sanitize-recover=all
gcc -O0 -fsanitize=address,undefined -fno-sanitize-recover=all
clang -O0
gcc -O0
clang -O2
gcc -O2
END
[ -e built ] || cp "$wb" built

if have mandoc || or_skip "the manual page" "no mandoc"; then
	is "mandoc finds no error in the manual page" "$("$wb" --man | mandoc -T lint -W warning 2>&1)" ""
fi
if full "shellcheck" && { have shellcheck || or_skip "shellcheck" "no shellcheck"; }; then
	(cd "$top" && shellcheck run-all.sh .ci/run tests/*.sh tests/*.t) >said 2>&1
	is "shellcheck is silent" "$? $(cat said)" "0 "
fi

# A compiler that writes down what it is asked for, and makes what was built above; a broken git(1), in the end.
mkdir stub
cat >copier <<END
#!/bin/sh
echo "\$*" >>"$work/calls"
while [ "\$1" != -o ]; do shift; done
cp "$work/built" "\$2"
END
printf '#!/bin/sh\necho no git >&2\nexit 127\n' >stub/git
chmod +x copier stub/git
# The commit in the version: of a program that has only this.
if { have git && have cc; } || or_skip "the commit in the version" "no git, or no cc"; then
	mkdir -p checkout/inner && cd checkout || exit 1
	printf '#include <stdio.h>\nint main(void) { puts("is" COMMIT); return 0; }\n' >write-bench.c
	cp ../copy/Makefile . && cp Makefile write-bench.c inner/
	printf '/write-bench\n/inner\n' >.gitignore
	git init -q . && git add . && git commit -q -m one
	commit() { git rev-parse --short HEAD; }
	while IFS='|' read -r what more wanted; do
		eval "$more"
		is "the version: $what" "$(make -s CC=cc 2>&1 && ./write-bench)" "$(eval "echo \"$wanted\"")"
		run 0 "... and there is nothing to be done again" make -q
	done <<'END'
the commit|:|is ($(commit))
what is not committed|echo >>write-bench.c|is ($(commit)-dirty)
a new commit|git commit -q -a -m two|is ($(commit))
none where the checkout is that around it|cd inner|is
none where git does not work|cd .. && PATH=$work/stub:$PATH && touch write-bench.c|is
END
	cd "$work" || exit 1
fi

# make's targets.
export CC=../copier OPTIONS="-n1 -p0" # from copy; make splits a path with blanks
cd copy || exit 1
mkdir dir ../tables
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-declarations"
run 0 "make" make -B
holds "... asks for warnings" ../calls "^-std=gnu11 -pthread $warnings .*-O2 .*-o write-bench write-bench.c -lrt\$"
run 0 "make with quotes in its flags" make -B CFLAGS="-O1 -DQUOTED='\"a b\"'"
holds "... takes them all, and names them without quotes" ../calls '-DFLAGS=" -O1 -DQUOTED=a b" .*-O1 -DQUOTED="a b" '
run 0 "make bench" make bench SIZE=100000
holds "... measures rows and commands" ../err 'filesize=100000B' '^sendfile ' '^\$ cat ' '^\$ dd bs=1M '
run 0 "make bench DIR=" make bench SIZE=100000 DIR=dir OPTIONS="$OPTIONS -s sendfile" \
	WITH="--with='readlink /proc/self/fd/3 3>&1 >>../where; cat'"
is "... copies in a directory there" "$(sed '/memfd/d; s,h\.[^./]*/Y,h.X/Y,' ../where)" \
	"$PWD/dir/write-bench.X/Y"
run 2 "make bench where there is no DIR" make bench DIR=nosuch
run 0 "make sweep" env TMPDIR="$PWD/dir" timeout 300 make sweep SIZE=10k KEEP=../tables
is "... builds it by four optimizations" "$(sed -n 's/.* -\(O[0-9]\) .*/\1/p' ../calls | tail -n 4 | paste -sd ' ')" \
	"O0 O1 O2 O3"
holds "... leaves a table of all rows" ../tables/sweep.txt \
	' O0 +O1 +O2 +O3$' '^read\+write 1 ' '^vmsplice huge ' '^\$ head -c \$SIZE '
is "... they all clean up" "$(ls dir) $(echo *)" " Makefile dir run-all.sh write-bench write-bench.c"
if have setsid || or_skip "make bench, interrupted" "no setsid"; then
	setsid make bench SIZE=100000 OPTIONS="-n10000 -p1" >../out 2>&1 3>&- & # a terminal's signal goes to all of them
	pid=$!
	until_there sh -c '[ -s write-bench.*/Y ]' # it runs: a shell that is about to start it could lose a signal
	kill -s TERM -- "-$pid"
	wait $pid 2>/dev/null
	run 0 "make bench, interrupted, fails" [ $? -gt 1 ]
	run 0 "... and cleans up" until_there sh -c '! ls -d write-bench.*/' # make does not wait for its shell
fi
run 0 "make install" make install DESTDIR="$work/root" PREFIX=/opt
is "... installs binary and manual page" "$(cd "$work/root" && find . -type f | sort | paste -sd ' ')" \
	"./opt/bin/write-bench ./opt/share/man/man1/write-bench.1"
"$work/root/opt/bin/write-bench" --man >../installed.1
same "... which are of one version" ../installed.1 "$work/root/opt/share/man/man1/write-bench.1"
run 0 "make uninstall" make uninstall DESTDIR="$work/root" PREFIX=/opt
is "... takes all away" "$(cd "$work/root" && find . -type f)" ""
run 0 "make clean" make clean
is "... leaves the sources" "$(find . -maxdepth 1 -type f | sort | paste -sd ' ')" \
	"./Makefile ./run-all.sh ./write-bench.c"
