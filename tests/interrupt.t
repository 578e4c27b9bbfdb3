#!/bin/sh
# Promise 6: interrupting is safe and quick. A line of the tables is a place where a session can stand, and a signal
# that comes there: the session ends by that signal in time, what was measured is printed, an older report stays where
# there is nothing to print, and no process and no other file is left.
# Tried: no look at signals while messages or a reader are waited for; O_NONBLOCK set on standard error; no timer that
# Tried: interrupts calls again; threads that are not interrupted; no SIGKILL after SIGTERM; WUNTRACED for commands;
# Tried: SIGHUP caught under nohup; status 128 + N in place of the signal, or none for process 1; a mask that is kept;
# Tried: no PR_SET_PDEATHSIG; a report that says nothing of the signal, or is written over an older one without a run.
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"
perl -MSocket -e1 2>perl.err || skip_all "no perl with its standard library"
ulimit -c 0 2>limit.err # SIGQUIT and SIGXCPU would leave files
bytes 1500000 >X       # more than a pipe holds
truncate -s 16m huge # or a connection
# Commands: one that never ends; one that hears nothing; one that cleans up; one that gives all when it is read ahead,
# and then a part; one that goes on when it is told to; one that stays the second time. Their start is measured on an
# empty input.
echo ': >there; exec sleep 1000' >never
echo 'trap "" INT TERM XCPU; : >there; sleep 999 | cat; sleep 999' >deaf
echo 'trap ": >cleaned; exit" TERM; : >there; sleep 999 & wait' >tidy
echo '[ ! -e fed ] || { head -c 1000 ../X; . ../never; }; : >fed; exec cat ../X' >feed
echo '[ -s /dev/stdin ] || exit 0; : >there; until [ -e go ]; do sleep 0.01; done; exec dd bs=64k' >waits
echo '[ -s /dev/stdin ] || exit 0; [ ! -e twice ] || . ../never; : >twice; exec cat' >second
# Ways to start a session: into a socket that nobody reads; by who tells its signal, by 128 + N, from a status, by 99.
cat >socket.pl <<'END'
use Socket;
$^F = 100; # the session has the other end
socket $_, AF_INET, SOCK_STREAM, 0 or die for our ($listener, $ours);
bind $listener, sockaddr_in(0, INADDR_LOOPBACK) and listen $listener, 1 or die;
connect $ours, getsockname $listener and accept our $theirs, $listener and open STDOUT, '>&', $ours or die;
exec @ARGV;
END
echo 'if (my $pid = fork) { waitpid $pid, 0; exit($? & 127 ? 128 + ($? & 127) : 99) } exec @ARGV' >child.pl
# Sessions: in general, and of a row and a command.
bench() { exec ${as-} "$wb" -n3 -p0 --in-order -f csv -o csv -o new "$@"; }
with() { bench -s sendfile --with="$1" <../X >Y; }
begin() { # in a directory of its own, with FIFOs: a full one, and some that nobody reads or writes to
	mkdir -p "$number/tmp" && cd "$number" && mkfifo full quiet hello unopened source drained && echo old >csv || exit
	TMPDIR=$work/$number/tmp WB_MARK=$mark.$number
	case $session in
	*full*) exec 5<>full && dd if=/dev/zero of=full bs=64k count=99 oflag=nonblock 2>../dd.err ;;
	*quiet*) exec 5<>quiet && : >there ;;
	*hello*) exec 5<>hello && echo hello >&5 ;;
	*huge*) : >there && as='perl ../socket.pl' ;;
	*source*) cat ../X >source 2>../cat.err & ;;
	*drained*) cat drained >Y & ;;
	esac
	exec 2>err
	eval "$session"
}
# States of $pid that are waited for; more of them are in processes.sh.
there() { test -e there; }
moved() { { read -r _ in && read -r _ out; } <"/proc/$pid/io"; } # what it has read and written
still() { moved && before="$in $out" && asleep "$pid" && moved && [ "$in $out" = "$before" ]; }
stops() { kill -STOP "$1" && [ "$(state "$1")" = T ]; }
# All of a full pipe is read, to its end; it blocks, for others, too.
reads() { still && ! grep -q '^flags:.*[4-7]...$' "/proc/$pid/fdinfo/2" && timeout 60 cat full >late; }
receives() { sends "$pid" 9000000 && stops "$(children "$pid" | tr -d ' ')"; }
has_come() { # is it ready for signals, and where it is to get one? Or has it ended?
	to=$pid
	case $session in *child* | *unshare*) to=$(children "$pid") && to=${to%% *} ;; esac
	case $when in sleep*) $when ;; *) ended "$pid" || { catches "$to" TERM && eval "$when"; } ;; esac
}
# end: of $pid, by $signal; what comes of it is in $got: "STATUS REPORT", and the names of other files
end() {
	until_there has_come
	kill -s "$signal" "$to" 2>../kill.err
	late='' && within 30 "$pid" || late=' late'
	wait "$pid" 2>../wait.err
	status=$? n=- report='' old=
	[ ! -s new ] || n=$(grep -cE ',[0-9]+,[0-9]+,(ok|shared)(,|$)' new)
	[ "$n" = - ] || ! grep -q "^# interrupted: by signal $((status - 128)) " new || report=' told'
	read -r old <csv
	case $n in
	- | 0) # a row that is n/a has had a run
		[ "$old" = old ] || { grep -q '^# run_lines: [1-9]' new && cmp -s new csv; } \
			|| report="$report, the old one is lost"
		;;
	1) cmp -s new csv || report="$report, another one" ;;
	*) cmp -s new csv && "$wb" --compare new >../again 2>&1 || report="$report, it is broken" ;;
	esac
	[ "$n" != - ] || [ $status = 137 ] || [ ! -s Y ] || report="$report, but output"
	[ ! -e late ] || tr -d '\0' <late | head -c "$(wc -c <new)" | cmp -s - new || report="$report, not all is read"
	: <>source <>drained # who waits there for a session that is no more goes on
	got="$status$late $n$report$(find . -type f ! -regex './\(csv\|new\|err\|there\|fed\|go\|twice\|late\|[YZ]\)')"
}

# What; the signal, and the exit status; when; the runs that are reported, and whether as interrupted; the session.
sed 's/ *| */|/g' >cases <<'END'
its rounds                   |HUP:129 |sends $pid 9000000|+ told|bench -n99999 -s sendfile <../X >Y
a pause                      |INT:130 |pausing $pid      |0 told|bench -p1000 -s sendfile <../X >Y
a copy of 2 PiB              |TERM:143|sends $pid 9000000|0 told|bench -z 2000t -s 'read+write 1k' </dev/zero >/dev/null
reading ahead                |TERM:143|keeps $pid 6      |-     |bench <hello >Y
a FIFO for a report          |TERM:143|asleep $pid       |-     |bench -s sendfile -o unopened <../X >Y
a FIFO as second output      |INT:130 |asleep $pid       |-     |bench --tee=unopened -s 'read+write x2 8k' <../X >Y
a comparison nobody reads    |TERM:143|still             |-     |exec "$wb" --compare ../1/new >full
messages nobody reads        |TERM:143|grep -q , csv && still|3 |bench -s sendfile <../X >Y 2>full
... before they are written  |INT:130 |there             |1 told|with '. ../never' 2>full
... and are read then        |CONT:0  |reads             |3     |bench -s sendfile -o /dev/stderr <../X >Y 2>full
an output nobody reads       |INT:130 |still             |0 told|bench -s 'read+write 64k' <../X >quiet
one that was not read whole  |TERM:143|sends $pid 1000   |0 told|bench -z 1000 -s 'read+write 64k' <../X >quiet
a second output nobody reads |INT:130 |still             |0 told|bench --tee=quiet -s 'read+write x2 8k' <../X >Y
a receiver that has stopped  |TERM:143|receives          |0 told|bench -z 900g -s 'read+write 64k' --send </dev/zero
a command, by the signal     |INT:130 |there             |1 told|as='perl ../child.pl' with '. ../never'
a command, by the signal     |TERM:143|there             |1 told|as='perl ../child.pl' with '. ../never'
a command, process 1         |TERM:143|there             |1 told|as='unshare -pf --mount-proc' with '. ../never'
a deaf session, a command  |TERM:143|there             |1 told|as='env --block-signal --ignore-signal' with '. ../never'
a command that cleans up     |TERM:143|there             |1 told./cleaned|with ". ../tidy"
a pipeline that is deaf      |XCPU:152|there             |1 told|with '. ../deaf'
one deaf in the background   |QUIT:131|there             |1 told|with '. ../deaf & wait'
one that has stopped itself  |INT:130 |stops "$(cat there)" && still|1 told|with 'echo $$ >there; kill -STOP $$'
--from that is deaf          |TERM:143|there             |-     |bench --from='. ../deaf' >Y
--from that leaves a deaf one|HUP:129 |there             |-     |bench --from='. ../deaf & exec sleep 999' >Y
--into that is deaf          |INT:130 |there             |0 told|bench -s splice --into='. ../deaf' <../X
--into that has read all     |TERM:143|there             |0 told|bench -s splice --into='cat >Y; . ../deaf' <../X
killed between two commands  |KILL:137|there             |-     |bench -s splice --from='. ../feed' --into='exec cat' >Y
killed beside a feeder       |KILL:137|there             |-     |bench -s '$ *' --with='. ../never' <source >Y
killed beside a comparer     |KILL:137|there             |-     |bench -s '$ *' --with='. ../second' <../X >drained
it, which stops and goes on  |CONT:0  |there && stops $pid && : >go|6     |with '. ../waits'
it, which has stopped        |CONT:143|there && stops $pid && kill -TERM $pid|1 told|with '. ../never'
it under nohup, to its end   |CONT:0  |there && kill -HUP $pid && : >go|6|trap '' HUP; with '. ../waits'
END
# A row of each kind of call that waits at an end that stalls; where there is time, all rows. In a FIFO no process ends
# that would end the wait.
all=
! full "every row between ends that stall" || all=1
stall() { # SESSION OPTIONS ROW...: options that make such ends, for the names of all rows
	session=$1 options=$2
	shift 2
	# shellcheck disable=SC2086
	if [ "$all" ]; then
		"$wb" -n1 -p0 -q --in-order --no-verify --all -z 1 $options -f csv <X 2>&1 >rows.out | names_of_rows
	else
		printf '%s\n' "$@"
	fi | sed "s#.*#&: $session|TERM:143|there \&\& still|0 told, or n/a|bench -s '&' $session#" >>cases
}
feeder="--from='. ../feed'" reader="--into='. ../never'"
stall "$feeder >Y" --from=yes 'read+write 64k' 'stdio 4k' 'read+mmap 256k + trunc' splice 'pipe+splice 1m' \
	'io_uring splice 1m' 'ring read+write 256k'
stall "$feeder --tee=Z >Y" "--from=yes --tee=Z" 'read+write x2 8k' 'splice, sendfile' 'tee+splice 64k'
stall "<../X >quiet" --into=cat 'read+write 64k' 'stdio 4k' mmap+write vmsplice+splice vmsplice sendfile \
	'ring read+write 256k'
stall "$reader --tee=Z <../X" "--into=cat --tee=Z" 'tee+splice 64k'
stall "$feeder $reader 2>full" "--from=yes --into=cat" 'io_uring splice 1m'
stall "<../huge" --send sendfile 'mmap+send zerocopy' 'read+write 64k'
# At any moment, from the first instruction on (SEED=N: the same ones): a copy and status 0, or told, or nothing begun.
awk -v seed="${SEED-$$}" -v n="${FULL:+64}" 'BEGIN {
	ways = "<../X >Y;--new --with=cat <../X >Y;-z 4k,300000 --with=\047sleep 99 & cat\047 <../X >Y;" \
		"--from=\047cat ../X\047 >Y;--tee=Z <../X >Y;-s \047read*,*splice*\047 <source >Y;" \
		"--into=\047sleep 99 & cat | cat\047 <../X;--send --until=sync <../X"
	split(ways, way, ";")
	for (srand(seed); i < (n ? n : 8); i++)
		printf "it (SEED=%s)|TERM:143|sleep %.3f|any|bench %s\n", seed, rand() * 0.2, way[i % 8 + 1]
}' >>cases
for kind in "env --block-signal --ignore-signal" "unshare -pf --mount-proc"; do
	$kind true 2>kind.err || { skip "$kind" "it can't be done here" && sed -i "/$kind/d" cases; }
done

number=0
while IFS='|' read -r what signal when runs session <&4; do
	number=$((number + 1)) wanted="${signal#*:} $runs" signal=${signal%:*}
	begin 3>&- 4<&- &
	pid=$!
	until_there test -e "$number/err"
	cd "$number" || exit
	end
	case $runs,$got in
	"+ told,${wanted%% *} "[1-9]*" told") got=$wanted ;; # as many as they were
	"0 told, or n/a,1 0") ! grep -q ',n/a' new || got=$wanted ;; # it ends by itself
	"0 told, or n/a,143 0 told" | "any,143 -" | "any,143 "[0-9]*" told") got=$wanted ;;
	"any,0 "*[0-9]) # to its end
		case $session in *">Y") [ -s Y ] && cmp -s -n "$(wc -c <Y)" ../X Y ;; esac && got=$wanted
		;;
	esac
	is "$number: SIG$signal, $when: $what" "$got" "$wanted"
	[ "$got" = "$wanted" ] || sed 's/^/#   /; 3q' err >&3
	cd ..
done 4<cases
