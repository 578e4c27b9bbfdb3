#!/bin/sh
# Nothing is read or written that is not ours, nothing is lost, nothing is done at the same time as what it needs: by
# the compilers' sanitizers, valgrind, clang-tidy (.clang-tidy has its checks, with reasons) and cppcheck; and all other
# tests pass with a program that has the address sanitizer and that of undefined behaviour. A line of the table is the
# tools that look (address: and undefined behaviour), the status that is wanted, and options.
# Tried: --compare does not free the rows' order (a leak); a command's name gets fewer bytes than it is written with;
# Tried: integers are divided before they become a ratio (clang-tidy); a descriptor of a pipe that stays open.
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"

full "sanitizers" || exit 0
bytes 300000 >X
mkdir logs
reports() { # what sanitizers had to say, shortly
	for log in logs/*; do
		! grep -aEqs 'ERROR: [A-Za-z]*: |runtime error|WARNING: Thread' "$log" || head -n 30 "$log"
	done
}
logs=print_stacktrace=1:log_path="'$work/logs/own'"
# shellcheck disable=SC2086
sane() { # COMMAND...: what a sanitizer ends has another status than the one that is wanted
	env ASAN_OPTIONS="detect_leaks=1:$logs" UBSAN_OPTIONS="$logs" TSAN_OPTIONS="$logs" $aslr timeout -k 1 300 "$@"
	got="$? $(reports)"
}
# valgrind: no error, nothing lost, and no more descriptors open at the end than the session has: outputs opened anew
# to be read back, and held; /dev/null; an input that was spooled; counters; the standard error of an end's last child.
ours='open_to_read|open_second|open_report_files|hold|read_ahead|open_ends|open_counters|prepare_end'
memcheck() {
	timeout -k 1 300 valgrind -q --leak-check=full --show-leak-kinds=all --errors-for-leak-kinds=definite,possible \
		--track-fds=yes --error-exitcode=99 --log-file=logs/own.%p "$@"
	got="$? $(cat logs/own* | awk -v RS='==[0-9]+== \n' '/Invalid|uninitialised|overlap|definitely|possibly|Bad/'
		awk -v ours="inherited from parent|: ($ours) " '
			/Open (file|AF)/ { if (at != "") print at; at = $0; next }
			$0 ~ ours { at = "" }
			at != "" && / (at|by) / { at = at "\n" $0 }
			/^==[0-9]*== $/ { if (at != "") print at; at = "" }' logs/own*)"
}
# built_for TOOL COMPILER ARGUMENT...: with.TOOL, the program for a tool; false: it can't be made, or does not run here
built_for() {
	tool=$1
	shift
	have "$1" && "$@" -g -std=gnu11 -pthread -o built "$top/write-bench.c" -lrt 2>cc.err 3>&- &&
		$aslr ./built --version >cc.err 2>&1 && mv built "with.$tool"
}
aslr="setarch -R" # else threads' sanitizer may find no place for its memory
$aslr true 2>cc.err || aslr=
both="-fsanitize=address,undefined -fno-sanitize-recover=all"
# shellcheck disable=SC2086 # what gcc makes runs faster
built_for address gcc -O1 $both || built_for address clang -O0 $both
built_for threads gcc -O1 -fsanitize=thread
! have valgrind || built_for valgrind cc -O1
while IFS='|' read -r by status what options <&4; do
	for tool in $by; do
		name="$tool: $what" command=sane
		[ "$tool" != valgrind ] || command=memcheck
		[ -e "with.$tool" ] || or_skip "$name" "no compiler, or no tool, that has it" || continue
		rm -f logs/* Y Z
		eval "$command ./with.$tool $options" 2>err 3>&-
		is "$name" "$got" "$status "
		[ ! -s Z ] || same "... the second output is a copy" X Z
	done
done 4<<'END'
address valgrind|0|all rows and advices|-p0 -n1 -a -z 20000 -f csv -o a.csv <X >Y
threads|0|all rows that have threads or rings|-p0 -n2 -a -s 'threads*,ring*,*uring*' <X >Y
address threads valgrind|0|two outputs|-p0 -n1 --tee=Z <X >Y
valgrind|0|from a command into one|-n1 -p0 -s 'sendfile,splice,read+write 64k' --from='cat X' --into='cat >/dev/null'
threads|0|into a command|-p0 -n1 -a -s 'ring*,send*,splice*' --into='cat >/dev/null' <X
threads valgrind|0|to a receiver|-p0 -n1 -s 'send*,read+write 64k' --send <X
valgrind|0|counters, cold, blocks kept|-p0 -n1 -s 'send*,dir*' -w cat --counters --cold --overwrite -f json -o b <X >Y
address valgrind|0|a report as a picture|--compare a.csv -f svg >Y
address valgrind|0|two compared|--compare a.csv a.csv >Y
END
# All other tests, but for those that build binaries, are about texts, scripts or file systems, meddle with the
# sanitizer's own calls, take away memory or /proc, or have a model in the place of runs. LeakSanitizer can't look where
# another tracer does; some tests preload a library of theirs, which comes first then.
others='build|examples|odd|uml|explain|faults-matrix|fuzz|headers|machines|states|run-all|sanitizers|simulate|soak'
(cd "$top" && ls tests/*.t) | grep -vE "/($others)\.t\$" >files
(cd "$top" && xargs grep -l strace) <files >traced
grep -vxFf traced files >untraced
for suite in untraced:1 traced:0; do
	[ -e with.address ] || or_skip "address, undefined: other tests" "no compiler that has it" || continue
	rm -f logs/*
	# shellcheck disable=SC2046
	(cd "$top" && env -u FULL -u TMPDIR WRITE_BENCH="$work/with.address" UBSAN_OPTIONS="$logs" \
		ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=${suite#*:}:$logs" \
		timeout 1500 prove --jobs 2 $(cat "$work/${suite%:*}")) >out 2>&1 3>&-
	status=$?
	[ $status = 0 ] || grep -aE 'not ok|Failed|tests/.*Result' out >&3
	is "address, undefined: $(wc -l <"${suite%:*}") ${suite%:*} other tests" "$status $(reports)" "0 "
	counted "sanitizers: $(sed -n 's/.*Tests=\([0-9]*\).*/\1/p' out) ${suite%:*} tests, address and undefined"
done

while IFS='|' read -r tool command; do
	have "$tool" || or_skip "$tool" "no $tool" || continue
	(cd "$top" && eval "$tool $command") >out 2>err 3>&-
	is "$tool finds nothing" "$? $(cat out)" "0 "
done <<'END'
clang-tidy|--quiet write-bench.c -- -std=gnu11 -pthread
cppcheck|--enable=warning,performance,portability --inline-suppr --std=c11 --quiet --error-exitcode=1 write-bench.c 2>&1
END
