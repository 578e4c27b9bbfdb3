# shellcheck shell=sh
# Processes: found again by what they inherit, and none without a limit of time. Limits are far from what anything
# takes, since a machine may be slow, and stand still for seconds. In the end of each test that sources this no process
# is left, and no file in TMPDIR. To be sourced after tap.sh.
# shellcheck disable=SC2154

mark=write-bench-test.$$
TMPDIR=$work/spool # whatever is kept there is seen
WB_MARK=$mark.0    # has all that a test starts
export TMPDIR WB_MARK
mkdir "$TMPDIR"
# marked NUMBER COMMAND...: in place of a subshell, to be started in the background; it, and all that it
# starts, is found by the number, and its id is in pid.NUMBER
marked() {
	WB_MARK=$mark.$1 && export WB_MARK
	exec sh -c 'echo $$ >"pid.$1"; shift; exec "$@"' sh "$@" 3>&-
}
find_marked() ( # NUMBER: their ids, without those of who looks
	unset WB_MARK
	grep -lsz "^WB_MARK=$mark\\.$1\$" /proc/[0-9]*/environ | sed 's/[^0-9]//g'
)
none_marked() { # NUMBER
	[ -z "$(find_marked "$1")" ]
}
remaining() { # processes after a minute, with their numbers, which are ended then; and files in TMPDIR
	until_there none_marked '.*' || for id in $(find_marked '.*'); do
		tr '\0' ' ' <"/proc/$id/cmdline" && tr '\0' '\n' <"/proc/$id/environ" | grep '^WB_MARK='
		kill -KILL "$id"
	done
	ls -A "$work/spool"
}
end_of_test() {
	status=$?
	if [ $status = 0 ]; then
		eval "$undo"
		undo=:
		is "no process is left, and nothing in TMPDIR" "$(remaining 2>&1)" ""
	fi
	(exit $status)
	finish
}
trap end_of_test EXIT
state() { # PID: as ps(1) has it; empty: it is gone, or there was none
	read -r stat <"/proc/${1:-none}/stat" || return
	stat=${stat##*) }
	echo "${stat%% *}"
} 2>/dev/null
ended() { # PID
	case $(state "$1") in "" | Z) ;; *) return 1 ;; esac
}
within() { # SECONDS PID, a minute at most: 0, and its end, where it does not end by itself
	more=$(($1 * 5))
	for look in $looks; do
		! ended "$2" || return 0
		sleep "$look"
		[ "$look" != 0.2 ] || more=$((more - 1))
		[ $more -gt 0 ] || break
	done
	kill -KILL "$2"
	return 1
}
# catches PID [SIGNAL]: has it a handler? Not a fork of this shell that is not yet what it is to be: it has the shell's.
catches() {
	case ${2-INT} in HUP) bit=0 ;; INT) bit=1 ;; TERM) bit=14 ;; esac
	# shellcheck disable=SC3013
	[ ! "/proc/$1/exe" -ef "/proc/$$/exe" ] && while read -r key value; do
		[ "$key" != SigCgt: ] || return $((!(0x${value#????????} >> bit & 1)))
	done <"/proc/$1/status"
	return 1
} 2>/dev/null
asleep() { # PID: in whatever it does, for some time
	for _ in 1 2 3 4 5; do
		[ "$(state "$1")" = S ] || return 1
		sleep 0.02
	done
}
pausing() { # PID: asleep in nanosleep, as far as the kernel tells
	[ "$(state "$1")" = S ] || return
	case $(cat "/proc/$1/wchan" 2>/dev/null) in *nanosleep* | "" | 0) ;; *) return 1 ;; esac
}
sends() { # PID [BYTES]: has it written as many? Else more than a connection's buffers hold, if the receiver takes them
	{ read -r _ && read -r _ written; } <"/proc/$1/io" && [ "$written" -gt "${2-300000}" ]
}
# keeps PID BYTES: of its input, in a file without a name, when it reads ahead
keeps() {
	find "/proc/$1/fd" -lname '/* (deleted)' -exec stat -Lc %s {} + 2>/dev/null | grep -qx "$2"
}
children() { # PID: their ids
	cat "/proc/$1/task/$1/children" 2>/dev/null
}
piped() { # FILE COMMAND...: by cat, through a pipe
	file=$1
	shift
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
