#!/bin/sh
# The matrix: states that a session can find its machine in, or come into, against what becomes of it. A line of a table
# is a state: the way into it, and what must come of it: exit status, within how long, bytes of the output, what rows
# say, bytes of all else in the directory, processes and temporary files that are left. First whole sessions, with all
# rows (in the quick part the default ones, save for an input from a command); then rows, each in a session of its own,
# between ends that stall for ever, which SIGTERM ends. It is the same each time. A session that ends by itself is given
# a minute, one that a signal ends 10 seconds.
# Tried: a mask of signals that is kept as it was found; large arrays on the stack; threads with stacks of the limit's
# Tried: size; messages
# that wait for their reader without a look at signals; io_uring_enter(2) called again after a signal; an answer that is
# awaited where the socket has errors to tell; "needs /proc" called a failure; a missing /proc and /sys taken for "no".
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"

own_mounts=
[ "$(id -u)" != 0 ] || ! unshare -m umount -l /proc 2>/dev/null || own_mounts=1
first_cpu=$(taskset -pc $$ 2>/dev/null | sed 's/.*: //; s/[-,].*//')
all_cpus=$(taskset -pc $$ 2>/dev/null | sed 's/.*: //')
bytes 65536 >small
bytes 3000000 >large # more than any pipe holds
bytes 100000 >old    # what an output holds before
truncate -s 16m huge # more than a socket holds

# ---- States, and files ---------------------------------------------------------------------------

is_there() { # COMMAND...: has a state come? Or has the session $pid ended without it?
	ended "$pid" || "$@"
}
still() { # PID: is each of its threads asleep, as often as we look?
	for _ in 1 2 3; do
		for task in "/proc/$1/task/"*; do
			read -r line <"$task/stat" || return 1
			case $line in *') S '*) ;; *) return 1 ;; esac
		done 2>/dev/null
		sleep 0.02
	done
}
idle() { # PID: does it neither read nor write, for as often as we look?
	before=$(cat "/proc/$1/io")
	for _ in 1 2 3 4; do
		still "$1" && [ "$(cat "/proc/$1/io")" = "$before" ] || return 1
	done
}
full_pipe() { # NAME: makes a FIFO that is full, and whose reader reads nothing: descriptor 5
	mkfifo "$1" && exec 5<>"$1"
	dd if=/dev/zero of="$1" bs=65536 count=1 oflag=nonblock 2>/dev/null || true
}
end() { # SECONDS: of $pid; status and late are what comes of it
	late=
	within "$1" "$pid" || late=late,
	wait "$pid"
	status=$?
}
rest() { # all that is in the directory, without outputs, report and messages
	find . -type f ! -name Y ! -name Z ! -name csv ! -name err -exec cksum {} + | sort -k 3
}
what_is() { # FILE: what it holds
	if [ ! -e "$1" ]; then echo none; elif [ ! -s "$1" ]; then echo empty; elif cmp -s X "$1"; then echo copy
	elif cmp -s ../old "$1"; then echo old; else echo other; fi
}
outputs() { # what is in the first, and if that is a copy, whether the second is one
	held=$(what_is Y)
	[ "$ends$held" != tcopy ] || cmp -s X Z || held="copy, no second one"
	echo "$held"
}
# lanes N FUNCTION FILE: of the file's lines, N at a time; FUNCTION reads its line, and what it prints is in said.NUMBER
lanes() {
	for lane in $(seq "$1"); do
		awk -v begun="$begun" -v n="$1" -v lane="$lane" 'NR % n == lane % n { print begun + NR "|" $0 }' \
			"$3" >"lane.$lane"
		lane "$2" <"lane.$lane" 3>&- &
	done
	wait
	begun=$((begun + $(wc -l <"$3")))
}
lane() { # FUNCTION
	while IFS='|' read -r number columns; do
		echo "$columns" | "$1" >"said.$number" 2>"err.$number"
	done
}
begun=0
judged=0
judge() { # FILE: of each line, its first column says what it is about, the second what is to be said
	while IFS='|' read -r what wanted; do
		judged=$((judged + 1))
		said=$(cat "said.$judged")
		is "$what" "$said" "$wanted"
		[ "$said" = "$wanted" ] || sed 's/^/#   /' "err.$judged" >&3
	done <"$1"
}

# ---- Whole sessions ------------------------------------------------------------------------------

# Ways into a state, with the command that is to find it. Each is a process of its own, which becomes that command.
plain() { exec "$@"; }
all_signals='HUP INT QUIT TERM XCPU ALRM BUS CHLD CONT PIPE SYS XFSZ'
blocking() {
	exec perl -MPOSIX -e 'sigprocmask(SIG_BLOCK, POSIX::SigSet->new(1 .. 31)) or die; exec @ARGV or die' "$@"
}
ignoring() {
	exec perl -e '$SIG{$_} = "IGNORE" for split / /, shift; exec @ARGV or die' "$all_signals" "$@"
}
# One may be mounted over another, as in a PID namespace.
no_proc() { without /proc "$@"; }
no_sys() { without /sys "$@"; }
neither() { without "/sys /proc" "$@"; }
without() { # DIRECTORIES COMMAND...
	exec unshare -m sh -c 'for at in $0; do while umount -l "$at" 2>/dev/null; do :; done; done; exec "$@"' "$@"
}
little_stack() { ulimit -s 256 && exec "$@"; }
large_stack() { ulimit -s 33554432 && exec "$@"; }
few_files() { ulimit -n 20 && exec "$@"; }
short_files() { ulimit -f 64 && exec "$@"; }
other_cpus() { exec "$@"; } # which change meanwhile
stalled() { exec "$@" 2>"../stalled.$number" 5<&-; } # which has been filled

mkdir tried && cp small tried/X
# The reason that a state can't be had here; nothing: it can.
lacking() { # WAY
	case $1 in
	blocking | ignoring) have perl || echo "no perl" ;;
	no_proc | no_sys | neither)
		if [ ! "$own_mounts" ]; then
			echo "not root, or no mount namespaces"
		elif [ ! -e /sys/dev/block ]; then
			echo "no /sys here"
		elif ! (cd tried && $1 "$wb" --version) >/dev/null 2>&1 </dev/null; then
			echo "the program does not start there"
		fi
		;;
	other_cpus) [ "$all_cpus" != "$first_cpu" ] || echo "no taskset, or one CPU" ;;
	large_stack) (large_stack true) 2>/dev/null || echo "not root, and a lower limit" ;;
	esac
}
changing_cpus() { # while the session $pid goes on
	while ! ended "$pid"; do
		taskset -apc "$first_cpu" "$pid"
		sleep 0.005
		taskset -apc "$all_cpus" "$pid"
		sleep 0.005
	done >/dev/null 2>&1
}
# said ROWS ENDS: that, if the report can be read again, and the rows say what is expected; else what is said instead
#     =         what each said in the first session between these ends
#     = WORDS   or, some of them, what begins with these words: outcome, and detail; WORDS or WORDS
#     -         nothing that counts
said() {
	[ "$1" != - ] || { echo - && return; }
	"$wb" --compare csv >again 2>&1 || { head -n 1 again && return; }
	column "1,4,$(grep '^row,' csv | tr , '\n' | grep -nx detail | cut -d: -f1)" csv | sort -u >rows
	if [ ! -e "../rows.$2" ]; then
		cp rows "../rows.$2"
		! grep -vE ',(ok|shared|n/a[^,]*),' rows || return 0
		[ "$(grep -cE ',(ok|shared),' rows)" -ge 10 ] || { echo "few rows" && return; }
	fi
	# Whether direct I/O goes through the page cache all the same is the file system's business each time (btrfs).
	awk -F, 'NR == FNR { said[$1] = $2; rows++; if ($3 ~ /O_DIRECT/) said[$1] = "any"; next }
		!here[$1]++ { number++ }
		said[$1] != $2 && said[$1] != "any" && $3 !~ /O_DIRECT/ { print $2 ($3 == "" ? "" : " ") $3 }
		END { if (number != rows) print number + 0 " rows, not " rows }' "../rows.$2" rows | sort -u >other
	if [ "$1" != = ] && [ ! -s other ]; then
		echo "no row is ${1#= }" >other
	elif [ "$1" != = ]; then
		grep -vxE "($(echo "${1#* }" | sed "s/ or /|/g"))( .*)?" other >unexpected
		mv unexpected other
	fi
	if [ -s other ]; then head -n 5 other | paste -sd';'; else echo "$1"; fi
}
begin() { # COMMAND...: becomes it
	TMPDIR=$PWD/tmp WB_MARK=$mark.$number
	export TMPDIR WB_MARK
	"$way" "$@"
}
# One session, in a directory of its own; prints what comes of it, in the words of the table.
session() {
	IFS='|' read -r way opened ends options signal within output rows says
	mkdir -p "at.$number/tmp" "at.$number/kept" && cd "at.$number" || exit 1
	cp ../small X
	cp ../old kept/
	cp ../old Y
	rest >"../rest.$number"
	set -- "$wb" -p0 -n1 -f csv -o csv
	# The quick part: all rows where some are n/a, of which a command may learn by SIGPIPE; else default ones.
	case ${FULL:+full}$ends in full* | c) set -- "$@" --all ;; esac
	[ "$signal" = - ] || [ "$way" = stalled ] || set -- "$@" -n1000
	[ "$way" != other_cpus ] || set -- "$@" -n3
	[ "$options" = - ] || set -- "$@" "$options"
	case $ends in
	t) set -- "$@" --tee=Z ;;
	c) set -- "$@" --from='cat X' ;;
	i) set -- "$@" --into='dd of=Y bs=64k conv=notrunc' && : >Y ;;
	esac
	[ "$way" != stalled ] || full_pipe "../stalled.$number"
	if [ "$opened" = '>' ]; then begin "$@" <X >Y 2>err & else begin "$@" <X 1<>Y 2>err & fi
	pid=$!
	[ "$way" != other_cpus ] || changing_cpus &
	if [ "$way" = stalled ]; then
		until_there is_there idle "$pid"
	elif [ "$signal" != - ]; then
		until_there is_there sends "$pid" 3000000
	fi
	[ "$signal" = - ] || kill -s "$signal" "$pid" 2>/dev/null
	end "$within"
	exec 5<&-
	rest | diff "../rest.$number" - >&2 && kept=same || kept=changed
	[ "$output" = - ] && held=- || held=$(outputs)
	files=$(find tmp -type f | wc -l | tr -d ' ')
	[ "$says" = - ] || grep -Eq "^write-bench: $says" err || says=$(head -n 1 err)
	echo "status $status,$late output $held, rows $(said "$rows" "$ends"), rest $kept," \
		"$(left "$number") left, $files files, says $says"
	tail -n 12 err >&2
	cd .. && rm -rf "at.$number"
}

# A line is a state; the way into it; how the output is opened, which holds old bytes with <>; ends,
# those of the quick part first: a file into a file (f) or into two (t), a command into a file (c), a file into a
# command (i); an option; a signal. Then what comes of it: exit status, within how many seconds, bytes of the output,
# what the rows say, bytes of all else, processes that are left, files left in TMPDIR, and what a refusal says.
sed 's/ *| */|/g' >table <<'END'
an ordinary one        |plain        |>    |ftci |-|-   |0  |60|copy |=               |same|0|0|-
over old bytes         |plain        |<>   |f tci|-|-   |0  |60|copy |=               |same|0|0|-
no /proc               |no_proc      |>    |f tc |-|-   |2  |60|empty|-               |same|0|0|standard output: .*/proc
no /proc, unverified   |no_proc      |>    |fc t |--no-verify|-|0|60|copy|= n/a needs /proc|same|0|0|-
no /proc, <>           |no_proc      |<>   |fc   |-|-   |0  |60|copy |= n/a needs /proc|same|0|0|-
no /proc, for a command|no_proc      |>    |i    |-|-   |0  |60|copy |=               |same|0|0|-
no /proc, two outputs  |no_proc      |<>   |t    |-|-   |2  |60|old  |-               |same|0|0|--tee=Z: .* /proc
no /sys                |no_sys       |>    |f tc |-|-   |0  |60|copy |=               |same|0|0|-
no /sys, <>            |no_sys       |<>   |f tc |-|-   |0  |60|copy |=               |same|0|0|-
neither                |neither      |>    |f tc |-|-   |2  |60|empty|-               |same|0|0|standard output: .*/proc
neither, <>            |neither      |<>   |f c  |-|-   |0  |60|copy |= n/a needs /proc|same|0|0|-
blocked signals        |blocking     |>    |fci t|-|-   |0  |60|copy |=               |same|0|0|-
blocked SIGTERM        |blocking     |>    |fi tc|-|TERM|143|10|-    |-               |same|0|0|-
ignored signals        |ignoring     |>    |fci t|-|-   |0  |60|copy |=               |same|0|0|-
ignored SIGTERM        |ignoring     |>    |fi tc|-|TERM|143|10|-    |-               |same|0|0|-
ulimit -s 256          |little_stack |>    |f tci|-|-   |0  |60|copy |=               |same|0|0|-
ulimit -s of 32 GiB    |large_stack  |>    |f tci|-|-   |0  |60|copy |=               |same|0|0|-
ulimit -n 20           |few_files    |>    |f tci|-|-   |0  |60|copy |=               |same|0|0|-
ulimit -f 64           |short_files  |>    |f t  |-|-|1|60|other|= failed EFBIG or n/a EINVAL ioctl FICLONE|same|0|0|-
one CPU, two, and one  |other_cpus   |>    |f tci|-|-   |0  |60|copy |=               |same|0|0|-
stalled standard error |stalled      |>    |fi tc|-|TERM|143|10|copy |-               |same|0|0|-
END
: >plan
: >wanted
while IFS='|' read -r state way opened each options signal want within output rows kept left_over files says; do
	reason=$(lacking "$way")
	if [ "$reason" ]; then
		skip "$state" "$reason"
		continue
	fi
	[ "${FULL-}" ] && each=$(echo "$each" | tr -d ' ') || each=${each%% *}
	for ends in $(echo "$each" | sed 's/./& /g'); do
		echo "$way|$opened|$ends|$options|$signal|$within|$output|$rows|$says" >>plan
		echo "$state ($ends)|status $want, output $output, rows $rows, rest $kept," \
			"$left_over left, $files files, says $says" >>wanted
	done
done <table
head -n 4 plan >plan.first # the others are held against them
sed 1,4d plan >plan.others
lanes 1 session plan.first
lanes 2 session plan.others
judge wanted

# ---- A row between ends that stall ---------------------------------------------------------------

# A feeder gives all when it is read ahead, and then a little, to sleep for ever.
cat >feed <<'END'
if [ -e fed ]; then head -c 1000 ../small && : >feeds && exec sleep 1000; fi
: >fed
exec cat ../small
END
# A reader that reads nothing.
cat >never <<'END'
: >reads
exec sleep 1000
END
# A listener that reads nothing of its first connection.
cat >listen.pl <<'END'
use IO::Socket::INET;
$^F = 100; # the connection stays open when it has become sleep(1)
my $listener = IO::Socket::INET->new(Listen => 9, LocalAddr => "127.0.0.1") or die "listen: $!";
open my $file, ">", "port.new" or die;
print $file $listener->sockport;
close $file;
rename "port.new", "port";
my $connection = $listener->accept;
open $file, ">", "reads" or die;
exec "sleep", 1000;
END
# A session of one run, in a directory of its own; prints what comes of SIGTERM when it stalls, or of the session by
# itself, where the row is n/a between these ends.
stall() {
	IFS='|' read -r ends stderr row
	mkdir -p "at.$number/tmp" && cd "at.$number" || exit 1
	TMPDIR=$PWD/tmp input=../large peer='' signs=reads
	export TMPDIR
	set -- "$wb" -n1 -p0 --in-order -s "$row" -f csv -o csv
	case $ends in
	*tee) set -- "$@" --tee=Z ;;
	*send) set -- "$@" --send ;;
	socket)
		perl ../listen.pl </dev/null >&2 &
		peer=$! input=../huge
		until_there test -e port
		set -- bash -c 'exec "$@" >"/dev/tcp/127.0.0.1/$0"' "$(cat port)" "$@"
		;;
	esac
	case $ends in feeder* | both*) set -- "$@" --from='sh ../feed' && signs=feeds ;; esac
	case $ends in reader* | both*) set -- "$@" --into='sh ../never' ;; esac
	if [ "$stderr" = stalled ]; then full_pipe err; else : >err; fi
	marked "$number" "$@" <"$input" >Y 2>err 5<&- &
	pid=$!
	until_there is_there test -e "$signs" # at both ends: what feeds is begun last
	for _ in 1 2 3 4 5 6 7 8 9; do # what never stands still gets the signal all the same
		! is_there still "$pid" || break
	done
	kill -TERM "$pid" 2>/dev/null
	end 10
	exec 5<&-
	[ ! "$peer" ] || { kill -KILL "$peer" && wait "$peer"; } 2>/dev/null
	case $status,$(column 4 csv) in
	143,* | 1,n/a*) how=ended ;; # what is n/a ends by itself, with nothing measured
	*) how="status $status" ;;
	esac
	known="\./(alive|fed|feeds|reads|port|csv|err|Y|Z|pid.$number)"
	files=$(find . -type f | grep -vxE "$known" | tee /dev/stderr | wc -l | tr -d ' ')
	echo "$how,$late $(left "$number") left, $files files"
	[ "$stderr" = stalled ] || tail -n 12 err >&2
	cd .. && rm -rf "at.$number"
}

# A row of each kind of call that waits there; where there is time, all rows.
sed 's/ *| */|/g' >quick <<'END'
feeder      |-      |read+write 64k
feeder      |-      |stdio 4k
feeder      |-      |read+mmap 256k + trunc
feeder      |-      |splice
feeder      |-      |pipe+splice 1m
feeder      |-      |io_uring splice 1m
feeder      |-      |ring read+write 256k
feeder, tee |-      |read+write x2 8k
feeder, tee |-      |splice, sendfile
feeder, tee |-      |tee+splice 64k
reader      |-      |read+write 64k
reader      |-      |stdio 4k
reader      |-      |mmap+write
reader      |-      |vmsplice+splice
reader      |-      |vmsplice
reader      |-      |sendfile
reader      |-      |io_uring splice 1m
reader      |-      |ring read+write 256k
reader, tee |-      |tee+splice 64k
socket      |-      |sendfile
socket      |-      |mmap+send zerocopy
feeder      |stalled|io_uring splice 1m
both        |stalled|ring read+write 256k
reader, tee |stalled|tee+splice 64k
END
list() { # ENDS OPTION...: its rows, as lines of the plan
	ends=$1
	shift
	"$wb" -n1 -p0 -q --in-order --no-verify --all -z 1 "$@" -f csv <large 2>&1 >Y | names_of_rows |
		sed "s:^:$ends|-|:"
}
if full "every row between stalled ends"; then
	{
		list feeder --from=yes
		list "feeder, tee" --from=yes --tee=Z
		list "feeder, send" --from=yes --send
		list reader --into=cat
		list "reader, tee" --into=cat --tee=Z
		list both --from=yes --into=cat
		list "both, tee" --from=yes --into=cat --tee=Z
		list socket --send
		list both --from=yes --into=cat | sed 's/|-|/|stalled|/'
		grep '|stalled|' quick
	} >plan
else
	cp quick plan
fi
if ! have perl || ! have bash; then
	skip "listeners that stall" "no perl, or no bash"
	sed -i '/^socket|/d' plan
fi
sed 's/|-|/: /;s/|stalled|/, stalled standard error: /;s/$/|ended, 0 left, 0 files/' plan >wanted
lanes 4 stall plan
judge wanted
