#!/bin/sh
# Nothing is read or written that is not ours, nothing is lost, nothing is done at the same time as what it needs: by
# the compilers' sanitizers, valgrind, clang-tidy (.clang-tidy has its checks, with reasons) and cppcheck. The full part
# runs the other tests with a binary that has the address sanitizer and that of undefined behaviour, and sees the
# reports of all its processes.
#
# Tried: --compare does not free the rows' order (a leak); a command's name gets fewer bytes than it is written with;
# Tried: integers
# are divided before they become a ratio (clang-tidy).
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"

source=$top/write-bench.c
bytes 300000 >X
bytes 20000 >small
mkdir logs
# reports PREFIX: what sanitizers had to say, shortly
reports() {
	for log in logs/"$1"*; do
		! grep -aEqs 'ERROR|runtime error|WARNING: Thread|Invalid' "$log" || { echo "$log:" &&
			head -n 30 "$log"; }
	done
}
# sane DESCRIPTION STATUS COMMAND...: with the exit status, and no report; a program that is ended by the sanitizer has
# another status
sane() {
	what=$1 wanted_status=$2
	shift 2
	rm -f logs/own*
	ASAN_OPTIONS="detect_leaks=1:log_path='$work/logs/own'" \
		UBSAN_OPTIONS="print_stacktrace=1:log_path='$work/logs/own'" \
		TSAN_OPTIONS="log_path='$work/logs/own'" timeout -k 1 300 "$@" 2>err 3>&-
	status=$?
	is "$what" "$status $(reports own)" "$wanted_status "
	counted "sanitizers: $what"
}

if ! have gcc; then
	skip "the address sanitizer, and that of undefined behaviour" "no gcc"
elif ! sanitized_program; then
	skip "the address sanitizer, and that of undefined behaviour" "gcc has none: $(head -n 1 "$compiled.err")"
else
	ln -s "$compiled" asan
	sane "address, undefined: all default rows" 0 ./asan -p0 -n2 <X >Y
	same "... and it is a copy" X Y
	sane "address, undefined: all rows and advices" 0 ./asan -p0 -n1 -a -f csv -o a.csv <small >Y
	sane "address, undefined: from a pipe" 0 sh -c 'cat X | ./asan -p0 -n1 -f json -o a.json >Y'
	sane "address, undefined: two outputs" 0 ./asan -p0 -n1 --tee=Z <X >Y
	same "... and the second is a copy, too" X Z
	sane "address, undefined: commands" 1 ./asan -p0 -s 'send*' -w cat -w 'exit 3' <X >Y
	sane "address, undefined: a report read back, as a picture" 0 ./asan --compare a.csv -f svg >a.svg
	sane "address, undefined: two compared" 0 ./asan --compare a.csv a.csv -s 'send*' >ab
	sane "address, undefined: by size" 0 ./asan -p0 -n1 -z 4k,16k -s 'send*' -f csv -o z.csv <small >Y
	for format in text markdown; do
		sane "address, undefined: two by size, as $format" 0 ./asan --compare z.csv z.csv -f $format >ab
	done
	sane "address, undefined: refused" 2 ./asan --compare X
	if full "address, undefined: the other tests"; then
		# Left out: those that build binaries, are about texts, scripts or file systems, meddle with the
		# sanitizer's own calls, take away memory or /proc, or have a model in the place of runs.
		others='build|examples|odd|uml|explain|faults-matrix|fuzz|guards|large|machines|matrix'
		others="$others|run-all|sanitizers|simulate|soak"
		find "$top/tests" -name '*.t' | grep -vE "/($others)\.t\$" | sort >files
		xargs grep -l strace <files >traced
		grep -vxFf traced files >others
		# suite LEAKS FILE: of the tests that it names. LeakSanitizer can't look where another tracer does; some
		# tests preload a library of theirs, which comes first then.
		suite() {
			logs=log_path="'$work/logs/suite'"
			# shellcheck disable=SC2046
			(cd "$top" && env -u FULL -u COUNTS -u TMPDIR WRITE_BENCH="$work/asan" \
				ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=$1:$logs" \
				UBSAN_OPTIONS="print_stacktrace=1:$logs" \
				timeout 1500 prove --jobs 2 $(cat "$work/$2")) >suite.out 2>&1 3>&-
			status=$?
			[ $status = 0 ] || grep -aE 'not ok|Failed|tests/.*Result' suite.out >&3
			is "address, undefined: $(wc -l <"$2") other tests ($2)" "$status $(reports suite)" "0 "
			tests=$(sed -n 's/.*Tests=\([0-9]*\).*/\1/p' suite.out)
			counted "sanitizers: $(wc -l <"$2") files with $tests tests, address and undefined"
		}
		have prove || skip_all "no prove"
		suite 1 others
		suite 0 traced
	fi
fi

# Threads: rows that have some.
if full "threads"; then
	if ! have gcc || ! compiled tsan gcc -g -O1 -fsanitize=thread ||
		! { "$compiled" --version || { run_tsan="setarch -R" &&
			setarch -R "$compiled" --version; }; } >/dev/null 2>&1; then
		skip "the thread sanitizer" \
			"gcc has none, or it finds no place for its memory: $(head -n 1 "$compiled.err")"
	else
		ln -s "$compiled" tsan
		threads() { # DESCRIPTION OPTION...
			what=$1
			shift
			# shellcheck disable=SC2086
			sane "thread: $what" 0 ${run_tsan-} ./tsan -p0 "$@"
		}
		threads "all rows that have threads or rings" -n2 -a -s 'threads*,ring*,*uring*' <X >Y
		same "... and the last one has copied" X Y
		threads "two outputs" -n1 --tee=Z <X >Y
		threads "into a command" -n1 -a -s 'ring*,send*,splice*' --into='cat >/dev/null' <X
		threads "--send" -n2 --send <X
	fi
fi

# valgrind: no error, nothing lost, and no more descriptors open at the end than the session has: outputs opened anew
# to be read back, and held; /dev/null; an input that was spooled; counters; the standard error of an end's last child.
if full "valgrind"; then
	if ! have valgrind || ! have gcc || ! compiled plain gcc -g -O1; then
		skip "valgrind" "no valgrind, or no gcc"
	else
		ln -s "$compiled" plain
		memcheck() { # DESCRIPTION COMMAND...
			what=$1
			shift
			rm -f logs/valgrind*
			timeout -k 1 300 valgrind -q --leak-check=full --show-leak-kinds=all \
				--errors-for-leak-kinds=definite,possible --track-fds=yes \
				--error-exitcode=99 --log-file=logs/valgrind.%p "$@" 2>err 3>&-
			is "valgrind: $what" "$?$(cat logs/valgrind* | awk -v RS='==[0-9]+== \n' \
				'/Invalid|uninitialised|overlap|definitely|possibly|Bad/')" 0
			ours='open_to_read|open_second|open_report_files|hold|read_ahead|open_ends|open_counters|prepare_end'
			is "... without a descriptor that is lost" "$(awk -v ours="inherited from parent|: ($ours) " '
				/Open (file|AF)/ { if (at != "") print at; at = $0; next }
				$0 ~ ours { at = "" }
				at != "" && / (at|by) / { at = at "\n" $0 }
				/^==[0-9]*== $/ { if (at != "") print at; at = "" }' logs/valgrind*)" ""
			counted "valgrind: $what"
		}
		# io_uring's rings are not known to it: rows that have them are n/a there, or not.
		memcheck "all rows" ./plain -n1 -p0 -a -f csv -o b.csv <small >Y
		memcheck "two outputs" ./plain -n2 -p0 --tee=Z <small >Y
		memcheck "from a command into a command" ./plain -n1 -p0 -s 'sendfile,splice,read+write 64k' \
			--from='cat small' --into='cat >/dev/null'
		memcheck "to a receiver" ./plain -n1 -p0 -s 'send*,read+write 64k' --send <small
		memcheck "counters, cold, blocks kept, a command" ./plain -n1 -p0 -s 'send*,direct*' -w cat --counters \
			--cold --overwrite -f json -o b.json <small >Y
		memcheck "two reports compared" ./plain --compare b.csv b.csv >Y
		memcheck "a report as a picture" ./plain --compare b.csv -f svg >Y
		memcheck "the list" ./plain --list --all >Y
	fi
fi

if ! full "clang-tidy"; then
	:
elif have clang-tidy; then
	(cd "$top" && clang-tidy --quiet write-bench.c -- -std=gnu11 -pthread) >tidy.out 2>tidy.err 3>&-
	is "clang-tidy finds nothing" "$? $(cat tidy.out)" "0 "
else
	skip "clang-tidy" "no clang-tidy"
fi
# Suppressions are in the source, with their reasons. Style is clang-tidy's.
if full "cppcheck" && have cppcheck; then
	cppcheck --enable=warning,performance,portability --inline-suppr --std=c11 --quiet --error-exitcode=1 \
		"$source" >cppcheck.out 2>&1 3>&-
	is "cppcheck finds nothing" "$? $(cat cppcheck.out)" "0 "
elif [ "${FULL-}" ]; then
	skip "cppcheck" "no cppcheck"
fi
