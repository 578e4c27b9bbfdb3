# shellcheck shell=sh
# Test Anything Protocol for the tests beside this file, which source it: . "$(dirname "$0")/tap.sh"
# They are run by prove(1) from the top of the checkout, each in a directory of its own.

# sort(1) and messages are the same everywhere. A tool also starts faster: in C.UTF-8 it takes 0.2 ms more.
export LC_ALL=C

# Under nohup(1) SIGHUP is ignored, and what a shell finds ignored it can't take back: env(1) can.
case $(sed -n 's/^SigIgn:.*\(.\)$/\1/p' "/proc/$$/status") in
[13579bdf])
	if [ -z "${HANGS_UP-}" ] && env --default-signal=HUP true 2>/dev/null; then
		HANGS_UP=1 exec env --default-signal=HUP "$0" "$@"
	fi
	;;
esac

top=$(pwd)
wb=${WRITE_BENCH:-$top/write-bench}
case $wb in /*) ;; *) wb=$top/$wb ;; esac
count=0
failures=0
work=$(mktemp -d "${TMPDIR:-/tmp}/write-bench-test.XXXXXX") || exit 1
undo=: # further commands for the end
finish() { # prints the plan; the status counts for prove only where the test died
	status=$?
	trap - EXIT
	eval "$undo"
	cd "$top" && rm -rf "$work"
	[ "$status" = 0 ] || exit "$status"
	echo "1..$count"
	[ "$failures" = 0 ] || exit 1
}
trap finish EXIT
trap 'exit 1' INT TERM
cd "$work" || exit 1
exec 3>&1 # the protocol has a descriptor of its own: `run 0 what command >file` is about the command

result() { # ok|not ok, description
	count=$((count + 1))
	[ "$1" = ok ] || failures=$((failures + 1))
	echo "$1 $count - $2" >&3
}
pass() { result ok "$1"; }
fail() { # description [file to show]
	result "not ok" "$1"
	[ -z "${2-}" ] || sed 's/^/#   /' "$2" >&3
}
skip() { # description, reason
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2" >&3
}
# or_skip DESCRIPTION REASON: if COMMAND || or_skip ...; then, what needs that command
or_skip() {
	skip "$1" "$2"
	return 1
}
skip_all() { # reason: of all, or of the rest
	[ $count = 0 ] || { skip "the rest" "$1" && exit 0; }
	echo "1..0 # SKIP $1"
	trap - EXIT
	eval "$undo"
	cd "$top" && rm -rf "$work"
	exit 0
}
# pass_on FILE: what a program found, in lines "ok NAME", "not ok NAME", and comments
pass_on() {
	while IFS= read -r line; do
		case $line in
		"ok "*) pass "${line#ok }" ;;
		"not ok "*) fail "${line#not ok }" ;;
		*) echo "$line" >&3 ;;
		esac
	done <"$1"
}
# is DESCRIPTION GOT WANTED
is() {
	if [ "$2" = "$3" ]; then pass "$1"; else
		fail "$1"
		printf 'got:    %s\nwanted: %s\n' "$2" "$3" | head -n 20 | sed 's/^/#   /' >&3
	fi
}
# holds DESCRIPTION FILE REGEX...: each extended regular expression matches some line
holds() {
	what=$1 file=$2
	shift 2
	for regex; do
		if ! grep -Eq -e "$regex" "$file"; then
			fail "$what" "$file"
			echo "#   no line matches: $regex" >&3
			return
		fi
	done
	pass "$what"
}
# lacks DESCRIPTION FILE REGEX
lacks() {
	if grep -Eq -e "$3" "$2"; then fail "$1" "$2"; else pass "$1"; fi
}
# same DESCRIPTION FILE FILE: byte for byte
same() {
	if cmp "$2" "$3" >"$work/cmp.out" 2>&1; then pass "$1"; else fail "$1" "$work/cmp.out"; fi
}
# run STATUS DESCRIPTION COMMAND...: it ends so; its standard error is left in $work/err
run() {
	wanted=$1 what=$2
	shift 2
	tells "$wanted" "$what" "" "$@"
}
# tells STATUS DESCRIPTION REGEX COMMAND...: ... and some line of its standard error matches
tells() {
	wanted=$1 what=$2 regex=$3
	shift 3
	"$@" 2>"$work/err" 3>&-
	got=$?
	if [ "$got" = "$wanted" ] && { [ -z "$regex" ] || grep -Eq -e "$regex" "$work/err"; }; then pass "$what"; else
		fail "$what" "$work/err"
		echo "#   exit status $got, not $wanted${regex:+, or no line matches: $regex}" >&3
	fi
}
w() { # the program, for five minutes at most
	timeout -k 1 300 "$wb" -n1 -p0 "$@"
}
measure() { # it, with a report in csv
	w -f csv -o csv "$@"
}
outcomes() { # of the CSV report in the file csv: each, with how many runs had it
	column 4 csv | sort | uniq -c | sed 's/^ *//' | tr '\n' ' '
}
# becomes "STATUS OUTCOME..." DESCRIPTION OPTION...: of a session of one run, by $under COMMAND...; its report is in
# csv, what it said in err; outcomes are each there once
becomes() {
	wanted=$1 what=$2
	shift 2
	rm -f csv
	# shellcheck disable=SC2086
	timeout -k 1 300 ${under-} "$wb" -n1 -p0 -f csv -o csv "$@" 2>"$work/err" 3>&-
	is "$what" "$? $([ ! -e csv ] || column "${columns-4}" csv | sort -u | paste -sd"${between- }")" "$wanted"
}
# rows_become "STATUS ROW,OUTCOME;..." DESCRIPTION OPTION...: each row with its outcomes
rows_become() {
	columns=${columns-row,outcome} between=';'
	becomes "$@"
	unset columns between
}
full() { # WHAT: is it to be tested? Slow parts are, by make check-full
	[ -z "${FULL-}" ] || return 0
	skip "$1" "slow: it is in make check-full"
	return 1
}
counted() { echo "# counted: $*" >&3; } # WORDS: what was tested, and how often
# Seconds between two looks at a state that is to come: often at first, and a minute in all.
looks="0.01 0.01 0.01 0.02 0.02 0.02 0.05 0.05 0.05 0.1 0.1 0.1 $(yes 0.2 | head -n 300 | paste -sd' ')"
until_there() { # COMMAND...: succeeds within a minute
	for look in $looks; do
		! "$@" >/dev/null 2>&1 || return 0
		sleep "$look"
	done
	return 1
}
can_trace() { # by strace(1)
	have strace && strace -qq -o /dev/null true 2>/dev/null
}
joined() { # FILE: in one line
	tr -s '\n ' ' ' <"$1"
}
have() { command -v "$1" >/dev/null 2>&1; }
bytes() { # NUMBER: as many random bytes
	head -c "$1" /dev/urandom
}
# rows [OPTION]...: names of the rows that a session from a file into a file has, one a line, as the table has them
rows() {
	"$wb" -n1 -p0 -q --in-order --no-verify -z 1 "$@" -f csv <"$wb" 2>&1 >rows.out | names_of_rows
}
slow_rows() { # those of two calls a byte, which no session has unless they are named
	"$wb" --list --all </dev/null | sed 's/  .*//; /^read+write 1\( .*\)*$/!d'
}
names_of_rows() { # of a CSV report, or what else was said
	sed '/^#/d; /^row,round,/d; /^write-bench: none of the rows/d; s/^"\([^"]*\)",.*/\1/; t; s/,[0-9].*//' | uniq
}
fact() { # KEY FILE: of each report in a CSV file that has it, a line each
	sed -n "s/^# $1: //p" "$2"
}
# of ROW COLUMN CSV: what each of its runs has there, a line each
of() {
	column "row,$2" "$3" | ROW="$1," awk \
		'index($0, ENVIRON["ROW"]) == 1 { print substr($0, length(ENVIRON["ROW"]) + 1) }'
}
table() { # FILE: the rows of a text report, one blank between words
	sed '1,/^row  /d; /^$/,$d' "$1" | tr -s ' ' | sed 's/ $//'
}
wider() { # COLUMNS FILE: the lines that are, counted in characters, but for those that are to be typed
	COLUMNS=$1 perl -CS -ne 'chomp; print "$_\n" if length > $ENV{COLUMNS} && !/^(To tell more|how): /' <"$2"
}
columns() { # FILE: their names in a CSV report
	grep "^row," "$1"
}
# column N|NAME,... FILE: of all runs in a CSV file, of one size or several; a comma in a row's name becomes a semicolon
column() {
	awk -v wanted="$1" '
		/^#/ { next }
		!begun {
			if (!/^row,/) next
			begun = split($0, names, ",")
			number = split(wanted, columns, ",")
			for (j = 1; j <= begun; j++) at[names[j]] = j
			for (i = 1; i <= number; i++) if (columns[i] in at) columns[i] = at[columns[i]]
			next
		}
		{
			if (match($0, /^"[^",]*, [^",]*"/)) {
				name = substr($0, 2, RLENGTH - 2)
				sub(", ", "; ", name)
				$0 = name substr($0, RLENGTH + 1)
			}
			split($0, fields, ",")
			line = fields[columns[1]]
			for (i = 2; i <= number; i++) line = line "," fields[columns[i]]
			print line
		}' "$2"
}
# Is a file here able to share another's blocks, as FICLONE makes it? Then copy_file_range(2) does so, too.
shares() {
	bytes 65536 >shares.X && cp --reflink=always shares.X shares.Y 2>/dev/null
	shared=$?
	rm -f shares.X shares.Y
	return $shared
}
