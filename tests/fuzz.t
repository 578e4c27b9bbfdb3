#!/bin/sh
# Readers of what others wrote: arguments and reports in CSV. Each input of tests/fuzz/corpus-* must pass the sanitizers
# and the checks of tests/fuzz/fuzz.c; libFuzzer looks for more such inputs, for SECONDS_EACH seconds a target, always
# beginning with the same ones: SEED=N with others. What it finds is shown, and belongs into the corpus.
# Tried: a row without a run in the first two steps has a speed (an endless loop); tabs stay in a report; --runs has no
# Tried: bound of its own; JSON without a comma: each is found in the corpus.
. "$(dirname "$0")/tap.sh"

full "fuzzing" || exit 0
have clang || skip_all "no clang"
seconds=${SECONDS_EACH:-10}
# The memory of what ends by exit(3) is freed by the test, not by the program.
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1
echo fun:critical >ignored # counts orders in loops whose ways are no news: they would take nearly all of the time
set -- clang -std=gnu11 -pthread -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
	-fsanitize-coverage-ignorelist=ignored
echo '#include <stddef.h>
int LLVMFuzzerTestOneInput(const char *bytes, size_t n) { return !bytes && n; }' >empty.c
"$@" -o empty empty.c 2>cc.err || skip_all "clang has no libFuzzer: $(head -n 1 cc.err)"
"$@" -o fuzz "$top/tests/fuzz/fuzz.c" 2>cc.err
is "fuzz.c compiles" "$? $(grep -A 3 'error:' cc.err)" "0 "
# ends WHAT FILE: how it ended, what is wrong, shortly, and with which input
ends() {
	shown=$(grep -aE 'ERROR|SUMMARY|runtime error|---- has|#[0-9]+ .* in .*\.c:' "$2" | grep -av ' __\| fuzzer::' |
		head -n 20)
	for finding in finding-*; do
		[ ! -e "$finding" ] || shown="$shown $(od -An -tx1z "$finding")"
	done
	is "$1" "$status $shown" "0 "
}
for target in options compare; do
	export FUZZ_TARGET="$target"
	corpus=$top/tests/fuzz/corpus-$target
	timeout 120 ./fuzz -artifact_prefix=finding- "$corpus"/* >out 2>&1 3>&-
	status=$?
	ends "$target: each input of the corpus ends as it should" out
	[ "$status" = 0 ] || continue
	# Sizes are bounded, or a fuzzer's time goes by with megabytes; a unit may take long where the machine stands still.
	mkdir "found-$target"
	timeout $((seconds + 300)) ./fuzz -seed="${SEED-1}" -max_total_time="$seconds" -max_len=16384 -timeout=120 \
		-close_fd_mask=2 -artifact_prefix=finding- -print_final_stats=1 "found-$target" "$corpus" >out 2>&1 3>&-
	status=$?
	ends "$target: none is found that does not" out
	counted "fuzzing: $target: $(find "$corpus" -type f | wc -l) inputs of the corpus," \
		"$(sed -n 's/^stat::number_of_executed_units: *//p' out) in $seconds seconds"
done
