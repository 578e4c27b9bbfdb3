#!/bin/sh
# Signals at random moments, from the program's first instruction to its end: it ends in time, with a report, or nothing
# has begun; standard output is what the exit status says; and no process, spool or temporary file is left. `SEED=N`
# repeats the moments, as far as a machine does.
# Tried: a report that does not say that it was interrupted, exit status 0 all the same, no signal caught, processes of
# Tried: a command
# that are left, an interrupted run that is kept.
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"

seed=${SEED-$$}
times=12
[ -z "${FULL-}" ] || times=60
bytes 300000 >X
mkfifo in out
# Each way to run it: as a function, since it has its own redirections. $i is the number of the case, csv its report.
anywhere='read+write 1m,pipe+splice 1m,stdio 4k'
mapped="$anywhere,mmap+write,vmsplice+splice"
v() { # ARGUMENT...
	marked "$i" timeout -k 1 300 "$wb" -n4 -p0 -f csv -o csv "$@"
}
from_file() { v -s "$mapped,threads read+write 256k,io_uring read+write 8x128k,sendfile + advices + falloc" <X >Y; }
from_pipe() { v -s "$anywhere,ring read+write 256k" <in >Y; }
into_pipe() { v -s "$mapped,splice" <X >out; }
into_new() { v --new -s "$mapped" --with='cat' <X >Y; }
by_sizes() { v -z 4k,100k,300000 -n2 -s "$mapped" --with='cat' <X >Y; }
into_two() { v --tee=Z <X >Y; }
from_command() { v -s "$anywhere,ring read+write 256k" --from='cat X' >Y; }
into_command() { v -s "$mapped,splice" --into='sleep 300 & cat | cat >sunk' <X; }
beside_commands() { v -s sendfile --with='sleep 300 & cat' --with='cat X & wait' \
	--with='(sleep 300 &); sleep 0.01 | cat; cat' <X >Y; }
into_socket() { v -s "$mapped,sendfile" --send <X; }
ways="from_file from_pipe into_pipe into_new by_sizes into_two from_command into_command beside_commands into_socket"
signals="TERM INT HUP STOP"

other_side() { # WAY: what is at the other side of its pipe is not the program's child
	other=
	case $1 in
	from_pipe) timeout 60 cat X >in 2>cat.err & ;;
	into_pipe) timeout 60 cat out >Y & ;;
	*) return ;;
	esac
	other=$!
}
took() { # WAY: seconds, about
	begun=$(date +%s%N)
	i=0
	other_side "$1"
	"$1" 2>err &
	wait $!
	echo "status $?" >>err
	awk -v ns=$(($(date +%s%N) - begun)) 'BEGIN { print ns / 1e9 }'
}
program() { # NUMBER: its id, when there is one: timeout(1)'s child
	until_there test -s "pid.$1"
	until_there has_child "$(cat "pid.$1")"
	children "$(cat "pid.$1")" | cut -d' ' -f1
}
has_child() { [ "$(children "$1")" ] || ended "$1"; }
verdict() { # what is wrong in this case, if anything
	[ $late = 0 ] || echo "it did not end in time"
	case $status in
	0 | 143 | 130 | 129) ;;
	*) echo "exit status $status" ;;
	esac
	case $signal$status in
	TERM0 | INT0 | HUP0 | TERM143 | INT130 | HUP129 | STOP0) ;;
	*) echo "exit status $status after SIG$signal" ;;
	esac
	if [ "$status" = 0 ]; then
		if grep -q '^# interrupted' csv; then echo "interrupted, but exit status 0"; fi
		case $way in
		into_pipe) [ "$(wc -c <Y)" -ge 300000 ] && [ $(($(wc -c <Y) % 300000)) = 0 ] ||
			echo "no whole copies in the pipe" ;;
		into_command | into_socket) ;;
		*) cmp X Y 2>&1 ;;
		esac
		if [ "$way" = into_two ]; then cmp X Z 2>&1; fi
	elif [ -s csv ]; then
		grep -q '^# interrupted' csv || echo "a report without an interruption"
	else
		[ ! -e csv ] || grep -q 'csv: was made, and is left there, empty' err || echo "an empty file, and no word of it"
		[ ! -s Y ] || echo "no report, but output"
	fi
	if [ -s csv ]; then
		"$wb" --compare -o again.csv csv >printed 2>&1 || { echo "a report that can't be read" && cat printed; }
		sed 's/^"[^"]*"/named/' csv | awk -F, \
			'/^[^#]/ && !/^row,/ && $4 !~ /^"?(ok|shared|n\/a)/ { print "an outcome: " $0 }
			/^[^#]/ && !/^row,/ && $4 == "ok" && !($3 >= 1 && $3 < 1e12) { print "a figure: " $0 }'
		lines=$(sed -n 's/^# run_lines: //p' csv)
		[ "$way" = by_sizes ] || [ "$lines" = "$(sed '1,/^row,/d' csv | grep -vc '^#')" ] ||
			echo "a report that is cut"
	fi
}

: >counts
for way in $ways; do
	took "$way" >"took.$way"
	is "$way, undisturbed" "$(tail -n 1 err)" "status 0"
done
cp csv first.csv
i=0
while [ $i -lt $times ]; do
	i=$((i + 1))
	way=$(echo "$ways" | cut -d' ' -f$((i % 10 + 1)))
	signal=$(echo "$signals" | cut -d' ' -f$(((i + i / 4) % 4 + 1)))
	moment=$(awk -v seed=$((seed + i)) -v all="$(cat "took.$way")" \
		'BEGIN { srand(seed); rand(); printf "%.4f", rand() * all * 0.8 }')
	rm -f csv again.csv Y Z "pid.$i"
	: >Y
	other_side "$way"
	$way 2>err &
	run=$!
	pid=$(program $i)
	sleep "$moment"
	kill -s "$signal" "$pid" 2>kill.err
	[ "$signal" != STOP ] || { sleep 0.05 && kill -s CONT "$pid" 2>kill.err; }
	[ "$signal" = STOP ] || within 60 "$pid"
	late=$?
	wait $run
	status=$?
	[ -z "$other" ] || wait "$other"
	verdict >wrong
	case $status in
	0) echo "to its end" >>counts ;;
	*) if [ -s csv ]; then echo "interrupted, with a report"; else echo "before anything had begun"; fi >>counts ;;
	esac
	is "SIG$signal after $moment s of $way (seed $seed, case $i)" "$(cat wrong)" ""
done
counted "signals at random moments: $times ($(sort counts | uniq -c | sed 's/^ *//' | paste -s -d/ | sed 's:/:, :g'))"
