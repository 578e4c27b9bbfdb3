#!/bin/sh
# Readers of what others wrote: arguments and reports in CSV. Each input of tests/fuzz/corpus-* must
# pass the sanitizers and the checks of tests/fuzz/fuzz.c; the full part looks for more such inputs by libFuzzer, for
# SECONDS_EACH seconds a target, always beginning with the same ones: SEED=N with others. What it finds is shown, and
# belongs into the corpus.
#
# Tried: a row without a run in the first two steps has a speed (an endless loop); tabs stay in a report; --runs has no
# Tried: bound of its own: each is found in the corpus.
. "$(dirname "$0")/tap.sh"

corpus=$top/tests/fuzz/corpus
targets="options compare"
# The memory of what ends by exit(3) is freed by the test, not by the program.
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1
compile() { # COMPILER ARGUMENT...
	"$@" -std=gnu11 -pthread ${FULL:+-g} -fno-sanitize-recover=undefined -o fuzz "$top/tests/fuzz/fuzz.c" 2>cc.err
}
fuzzer=no
echo fun:critical >ignored # counts orders in loops whose ways are no news: they would take nearly all of the time
if [ -n "${FULL-}" ] && have clang && compile clang -O1 -fsanitize=fuzzer,address,undefined \
	-fsanitize-coverage-ignorelist=ignored; then
	fuzzer=yes
elif ! { have clang && compile clang -O0 -DSTANDALONE -fsanitize=address,undefined; } &&
	! { have gcc && compile gcc -O0 -DSTANDALONE -fsanitize=address,undefined; }; then
	echo 'int main(void) { return 0; }' >empty.c
	if { have clang && clang -fsanitize=address,undefined -o empty empty.c; } 2>empty.err || { have gcc &&
		gcc -fsanitize=address,undefined -o empty empty.c; } 2>empty.err; then
		fail "fuzz.c compiles" cc.err
		exit 0
	fi
	skip_all "no compiler that has sanitizers"
fi
shown() { # FILE [GLOB]: what is wrong with it, shortly, and with which input
	grep -aE 'ERROR|SUMMARY|runtime error|---- has|#[0-9]+ .* in .*\.c:' "$1" | grep -av ' __\| fuzzer::' |
		head -n 20
	for finding in ${2-}; do
		[ ! -e "$finding" ] || od -An -tx1z "$finding"
	done
}
for target in $targets; do
	export FUZZ_TARGET="$target"
	timeout 60 ./fuzz "$corpus-$target"/* >out 2>&1 3>&-
	status=$?
	shown out >short
	is "$target: each input of the corpus ends as it should" "$status $(cat short)" "0 "
	counted "fuzzing: $target: $(find "$corpus-$target" -type f | wc -l) inputs of the corpus"
done
if full "fuzzing" && [ $fuzzer = no ]; then
	skip "fuzzing" "no clang with libFuzzer"
elif [ $fuzzer = yes ]; then
	seconds=${SECONDS_EACH:-10}
	for target in $targets; do
		mkdir "found-$target"
		# Sizes are bounded, or a fuzzer's time goes by with megabytes; a unit may take long where the machine
		# stands still.
		{
			FUZZ_TARGET=$target timeout $((seconds + 300)) ./fuzz -seed="${SEED-1}" \
				-max_total_time="$seconds" -max_len=16384 -timeout=120 -close_fd_mask=2 \
				-artifact_prefix="finding-$target-" -print_final_stats=1 "found-$target" \
					"$corpus-$target" >"out.$target" 2>&1 3>&-
			echo $? >"status.$target"
		} &
	done
	wait
	for target in $targets; do
		shown "out.$target" "finding-$target-*" >short
		is "$target: none is found that does not" "$(cat "status.$target") $(cat short)" "0 "
		executed=$(sed -n 's/^stat::number_of_executed_units: *//p' "out.$target")
		counted "fuzzing: $target: $executed inputs in $seconds seconds"
	done
fi
