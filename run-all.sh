#!/usr/bin/env bash
# Runs write-bench in every directory that is named, with a fresh random input beside the output,
# and leaves the reports in OUTDIR: NAME.csv with every run, and NAME.txt, the table made of it. What
# it makes in a directory it removes again, also when interrupted. Exit status: 0 every directory was
# measured, 1 one of them was not, 2 bad usage, 128 + N stopped by signal N.
set -u

usage() {
	cat <<END
Usage: $0 [-s SIZE] [-o OUTDIR] [DIR...] [-- WRITE-BENCH-OPTION...]
  -s SIZE    bytes to copy, as head -c has them; default 256M
  -o OUTDIR  where the reports go, each as NAME.csv and NAME.txt; default results
  DIR...     directories to measure in; default: the current one, and tmpfs (/dev/shm)
END
}
complain() {
	echo "$0: $*" >&2
}

here=$(dirname "$0")
size=256M
outdir=results
directories=()
while [ $# -gt 0 ]; do
	case $1 in
	-s | -o)
		[ $# -gt 1 ] || { complain "$1: needs an argument" && usage >&2 && exit 2; }
		if [ "$1" = -s ]; then size=$2; else outdir=$2; fi
		shift
		;;
	-h | --help) usage && exit 0 ;;
	--) shift && break ;;
	-*) complain "$1: is no option" && usage >&2 && exit 2 ;;
	*) directories+=("$1") ;;
	esac
	shift
done
if [ ${#directories[@]} = 0 ]; then
	directories=(.)
	[ ! -d /dev/shm ] || directories+=(/dev/shm)
fi
[ -x "$here/write-bench" ] || { complain "$here/write-bench: is not there: run make first" && exit 2; }
if ! mkdir -p "$outdir" || [ ! -w "$outdir" ]; then
	complain "$outdir: can't be written to: use another -o"
	exit 2
fi

if ! head -c "$size" </dev/null 2>/dev/null; then
	complain "-s $size: is not a size that head -c knows, like 1000000, 64K, 256M, 1G"
	exit 2
fi

scratch=
child=
clean_up() {
	if [ -n "$child" ]; then
		kill -TERM "$child" 2>/dev/null
		wait "$child"
	fi
	[ -z "$scratch" ] || rm -rf "$scratch"
	scratch='' child=''
}
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# A table is named after its directory, with a number where that is taken in this run.
names=" "
name_of() {
	local base n=2
	base=$(cd "$1" && basename "$PWD")
	base=${base//[^A-Za-z0-9._-]/_}
	name=$base
	while [[ $names == *" $name "* ]]; do
		name=$base-$n
		n=$((n + 1))
	done
	names+="$name "
}

# In the background and waited for: only so is a signal answered before the benchmark ends.
run() {
	"$@" <"$scratch/X" >"$scratch/Y" &
	child=$!
	wait "$child"
	code=$?
	child=
}

status=0
for directory in "${directories[@]}"; do
	if ! scratch=$(mktemp -d "$directory/write-bench.XXXXXX"); then
		complain "$directory: skipped: name a directory that can be written to"
		status=1
		continue
	fi
	name_of "$directory"
	if ! head -c "$size" /dev/urandom >"$scratch/X"; then
		complain "$directory: skipped: no input of $size: free space, or use a smaller -s"
		status=1
	else
		report=$outdir/$name
		run "$here/write-bench" "$@" -f csv -o "$report.csv"
		[ $code -lt 128 ] || exit $code
		if [ $code = 2 ]; then
			complain "$directory: skipped: write-bench has refused to start"
		elif "$here/write-bench" --compare "$report.csv" -o "$report.txt"; then
			echo "$report.txt"
			[ $code = 0 ] || complain "$directory: a row failed, or copied wrongly: see $report.txt"
		fi
		[ $code = 0 ] || status=1
	fi
	clean_up
done
exit $status
