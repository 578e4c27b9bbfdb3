# shellcheck shell=sh
# Processes: found again by what they inherit, and none without a limit of time. To be sourced after
# tap.sh.
# shellcheck disable=SC2154

mark=write-bench-test.$$
TMPDIR=$work/spool # whatever is kept there is seen
export TMPDIR
mkdir "$TMPDIR"
w() { # the program, for half a minute at most
	timeout -k 1 30 "$wb" -n1 -p0 "$@"
}
# marked NUMBER COMMAND...: in place of a subshell, to be started in the background; it, and all that it
# starts, is found by the number, and its id is in pid.NUMBER
marked() {
	WB_MARK=$mark.$1 && export WB_MARK
	exec sh -c 'echo $$ >"pid.$1"; shift; exec "$@"' sh "$@" 3>&-
}
find_marked() { # NUMBER: their ids
	grep -lsz "^WB_MARK=$mark\\.$1\$" /proc/[0-9]*/environ | sed 's/[^0-9]//g'
}
left() { # NUMBER: how many are there after a second, which are ended then
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		find_marked "$1" >alive
		[ -s alive ] || break
		sleep 0.1
	done
	wc -l <alive | tr -d ' '
	[ ! -s alive ] || xargs kill -KILL <alive
}
state() { # PID: as ps has it; empty: it is gone
	sed 's/.*) \(.\).*/\1/' "/proc/$1/stat" 2>/dev/null
}
within() { # TENTHS PID: 0, and its end, where it does not end by itself
	for _ in $(seq "$1"); do
		case $(state "$2") in "" | Z) return 0 ;; esac
		sleep 0.1
	done
	kill -KILL "$2"
	return 1
}
until_there() { # COMMAND...: succeeds within five seconds
	for _ in $(seq 50); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.1
	done
	return 1
}
children() { # PID: their ids
	cat "/proc/$1/task/$1/children" 2>/dev/null
}
outcomes() { # of the CSV report in the file csv: each, with how many runs had it
	column 4 csv | sort | uniq -c | sed 's/^ *//' | tr '\n' ' '
}
one_line() { # FILE
	tr -s '\n ' ' ' <"$1" >line
	echo >>line
}
piped() { # FILE COMMAND...: by cat, through a pipe
	file=$1
	shift
	# shellcheck disable=SC2002
	cat "$file" 2>/dev/null | {
		"$@"
		echo $? >status
	}
	return "$(cat status)"
}
into() { # FILE COMMAND...: the other way
	file=$1
	shift
	{
		"$@"
		echo $? >status
	} | cat >"$file"
	return "$(cat status)"
}
