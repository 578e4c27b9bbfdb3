#!/bin/sh
# Exit status 0 means a copy, also where another process writes to an output after it was compared: when all rows have been
# measured, while memcpy is, and when the report is being printed.
# Tried: it fails where outputs are not looked at again when all rows are measured, or at the very end; where only their size, or
# Tried: only the time of their last change of bytes is looked at; where a row's last copy is not compared, or a row
# Tried: is blamed for what another process has written.
. "$(dirname "$0")/tap.sh"

# late STATUS DESCRIPTION COMMAND OPTION...: which is run when all rows have been measured, by what is taken for true(1): the program
# starts that to see what the start of commands takes
mkdir programs
export OTHERS="$PATH"
late() {
	wanted=$1 what=$2
	# shellcheck disable=SC2016
	printf '%s\n' '#!/bin/sh' 'PATH=$OTHERS' "$3" 'echo >>meddled' >programs/true
	chmod +x programs/true
	shift 3
	: >Y
	rm -f meddled
	run "$wanted" "$what" timeout 300 env PATH="$work/programs:$PATH" "$wb" -n1 -p0 --in-order -s 'sendfile,read+write 4k' \
		--with='dd bs=64k' "$@" -f csv -o csv <X >Y
	[ -s meddled ] || fail "... no process has written to it"
	is "... no row is blamed" "$(column 4 csv | sort -u)" ok
}
bytes 100000 >X
change='printf "\\001\\002\\003" | dd of=Y bs=1 seek=5000 conv=notrunc 2>/dev/null'
late 1 "bytes that are changed late, and the time put back" "touch -r Y Y.times; $change; touch -r Y.times Y"
holds "... is reported" err '^write-bench: standard output: is not a copy of the input: it differs from byte 500[012] on: keep both as they are'
late 0 "the same bytes once more" 'cat X >Z && dd if=Z of=Y conv=notrunc 2>/dev/null'
same "... are a copy" X Y
late 1 "an output that is cut late, with --no-verify" ': >Y' --no-verify
holds "... is reported" err 'is not a copy of the input: it differs from byte 0 on'
late 1 "bytes that are changed late" "$change"
holds "... is reported" err 'is not a copy of the input: it differs from byte 500[012] on'
late 1 "a byte that is added late" 'echo >>Y'
holds "... is reported" err 'is not a copy of the input: it differs from byte 100000 on'
late 1 "an output that is cut late" ': >Y'
holds "... is reported" err 'is not a copy of the input: it differs from byte 0 on'

# A row's first copy is compared at once, its last one in the end.
printf '%s\n' 'cat >got' 'mkdir copied 2>/dev/null || printf "\001\002\003" | dd of=got bs=1 seek=5000 conv=notrunc 2>/dev/null' 'cat got' >once
run 1 "a row whose last copy is wrong" "$wb" -n2 -p0 -s '$ *' --with='exec sh ./once' -f csv -o csv <X >Y
is "... is blamed" "$(column 4 csv | sort | tr '\n' ' ')" "mismatch ok "
same "... and there is a copy" X Y

# At the very end: a report with a slow reader is still being printed.
mkfifo slow
waits_to_print() { # PID of timeout: as often as we look; where the kernel does not tell in what call, it sleeps all the same
	program=$(cat "/proc/$1/task/$1/children")
	[ "$(wc -c <Z)" = 100000 ] || return
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		case $(cat "/proc/${program% }/wchan") in *poll* | *pipe_write* | 0 | "") ;; *) return 1 ;; esac
		grep -aq ') S ' "/proc/${program% }/stat" || return
		sleep 0.02
	done
}
finish_late() { # STATUS DESCRIPTION COMMAND OPTION...: of two outputs, of which Z is the second
	wanted=$1 what=$2 command=$3
	shift 3
	exec 5<>slow
	dd if=/dev/zero of=slow bs=65536 count=1 oflag=nonblock 2>/dev/null # it is full
	timeout 300 "$wb" -n1 -p0 -f csv "$@" -s 'read+write x2 8k,splice, sendfile' --tee=Z <X >Y 2>slow 5<&- &
	pid=$!
	until_there waits_to_print "$pid"
	eval "$command"
	exec 6<slow 5<&-
	cat <&6 >printed &
	drain=$!
	exec 6<&-
	wait $pid
	is "$what" $? "$wanted"
	wait $drain
}
finish_late 0 "a report that is read late" :
finish_late 1 "... and meanwhile the output is written to, and the time put back" "touch -r Y Y.times; $change; touch -r Y.times Y"
holds "... is reported" printed 'standard output: is not a copy of the input: it differs from byte 500[012] on'
finish_late 1 "... the second output" ': >Z'
holds "... is reported" printed '--tee=Z: is not a copy of the input: it differs from byte 0 on'
finish_late 1 "... the input" 'echo >>X'
holds "... is reported" printed 'is not a copy of the input: the input changed meanwhile'
