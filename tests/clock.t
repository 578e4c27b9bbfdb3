#!/bin/sh
# What is measured: what is done before the clock starts (the output emptied, filled, new; the input evicted, or read;
# what --reuse makes), what the clock waits for, and what is reported of caches and blocks. A line of the first tables
# is a session of one row and its calls in their order, a letter each; a call that takes 0.1 s more, inside the clock
# or outside; or one that fails. Then come sessions of all rows and of commands, with each option.
# Tried: an output that is emptied before the pause, or not synced; --until=sync without fdatasync; a close that is
# Tried: interrupted, which fails; --cold that evicts nothing; --replace that empties before the clock; --new that
# Tried: writes into the last run's file, or leaves a file; --reuse that makes buffers twice, or syncs between its
# Tried: copies; a copy of yesterday's that counts; a reader that is not waited for.
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
undo=unplace

bytes 10240 >X

traced=
! can_trace || traced=1
# The calls of two runs, a letter each: [ ] what is counted of a copy, and so timed; N a pause. Of the output: T
# emptied, t made as long as the input, P filled, U a new file, Y its file system synced, O opened anew, C closed, S
# sendfile (s: not into U), W write, D fdatasync. Of the input: F fdatasync, E evicted, B advice taken back, A advice of
# all bytes. What a row makes: G a pipe of another size, H threads. The row; options; what is wanted.
calls='?open,openat,close,ftruncate,pwrite64,write,fdatasync,syncfs,fadvise64,sendfile,clock_nanosleep,prctl'
calls=$calls,fcntl,clone,clone3
case $(stat -f -c %T .) in tmpfs | ramfs) unsynced=Y ;; *) unsynced=- ;; esac
while IFS='|' read -r row options wanted <&4; do
	[ "$traced" ] || or_skip "the calls of $row $options" "no strace, or it may not trace here" || continue
	# shellcheck disable=SC2086
	strace -qq -o trace -e trace="$calls" "$wb" -q -n2 -p0.001 --no-verify -s "$row" $options <X >Y 2>err
	is "the calls of $row $options" "$(awk '
		function add(letter) { if (letter !~ /[PWH]/ || s !~ (letter "$")) s = s letter }
		/^clock_nanosleep/ { add("N") }
		/^prctl\(PR_TASK_PERF_EVENTS_ENABLE/ { add("[") }
		/^prctl\(PR_TASK_PERF_EVENTS_DISABLE/ { add("]") }
		/^ftruncate\(1, 0\)/ { add("T") }
		/^ftruncate\(1, 10240\)/ { add("t") }
		/^pwrite64\(1, / { add("P") }
		/^openat\(.*(O_TMPFILE|"\.write-bench).* = [0-9]/ { add("U"); new = $NF }
		/^syncfs/ { add("Y") }
		/^open.*"\/proc\/self\/fd\/1", O_WRONLY/ { add("O"); fd = $NF }
		fd && $0 ~ "^close[(]" fd "[)]" { add("C"); fd = "" }
		/^sendfile/ { split($0, a, /[(,]/); add(new && a[2] != new ? "s" : "S") }
		/^write\(1, / { add("W") }
		/^fdatasync/ { add(/\(0/ ? "F" : "D") }
		/^fadvise64\(0, .*DONTNEED/ { add("E") }
		/^fadvise64\(0, .*NORMAL/ { add("B") }
		/^fadvise64\(0, 0, 10240, .*SEQUENTIAL/ { add("A") }
		/^fcntl.*F_SETPIPE_SZ/ { add("G") }
		/^clone.*CLONE_THREAD/ { add("H") }
		END { print s }' trace)" "$(echo "$wanted" | tr -d $unsynced)"
done 4<<'END'
sendfile||FENBTY[S]NBTY[S]BTY[W]
sendfile + advices||FENBTY[AS]NBTY[AS]BTY[W]
sendfile|--until=sync|FENBTY[SD]NBTY[SD]BTY[WD]
sendfile|--until=close|OCFENBTYO[SC]NBTYO[SC]BTYO[C]
sendfile|--cold|FENFEBTY[S]NFEBTY[S]BTY[W]
sendfile|--overwrite|FENBtPY[S]NBY[S]BTY[W]
sendfile|--replace|FENBtPY[TS]NBY[TS]BTY[W]
sendfile|--new|UFENBUY[S]NBUY[S]BTY[W]
sendfile|--reuse|FENBTYSBT[S]NBTYSBT[S]BTY[W]
sendfile|--reuse --replace|FENBtPYTSBtP[TS]NBYTSB[TS]BTY[W]
sendfile|--reuse --new|UFENBUYSBU[S]NBUYSBU[S]BTY[W]
pipe+splice 1m||FENBTY[G]NBTY[G]BTY[W]
pipe+splice 1m|--reuse|FENBTYGBT[]NBTYGBT[]BTY[W]
threads read+write 1m||FENBTY[H]NBTY[H]BTY[W]
threads read+write 1m|--reuse|FENBTYHBT[]NBTYHBT[]BTY[W]
END

# A call takes 0.1 s more. Inside the clock, the run took as long. Outside, no longer than what follows that call, until
# the next such call or the program's end, by strace's clock; which holds on a machine that stands still, too.
# What; the call and which of its kind; options.
while IFS='|' read -r wanted call options <&4; do
	[ "$traced" ] || or_skip "$call $wanted the clock" "no strace, or it may not trace here" || continue
	name=${call%%:*}
	# shellcheck disable=SC2086
	strace -r -o trace -P X -P Y -P /proc/self/fd/1 -e trace="$name" \
		-e inject="$name:delay_enter=100000${call#"$name"}" \
		"$wb" -q -p0 -n1 --no-verify -s sendfile -f csv -o csv $options <X >Y 2>err
	is "$call $options: $wanted the clock" "$(awk -v ns="$(column 3 csv)" -v wanted="$wanted" '
		/DELAYED/ { n++ }
		delayed { since += $1 }
		since > most { most = since }
		/DELAYED/ { delayed = 1; since = -0.1 }
		END { print n, (wanted == "inside" ? ns >= 1e8 : ns <= most * 1e9) }' trace)" "1 1"
done 4<<'END'
inside|fdatasync:when=2|--until=sync
inside|close:when=2|--until=close
outside|?open,openat:when=3|--until=close
outside|fadvise64:when=2|--cold
outside|pwrite64|--overwrite
outside|ftruncate:when=1|
inside|ftruncate:when=2|--replace
END

# What is done beside a row may fail: as a line says it, the output stays a copy. Status and outcome; the call and its
# fault; options.
while IFS='|' read -r wanted fault options <&4; do
	[ "$traced" ] || or_skip "$fault $options" "no strace, or it may not trace here" || continue
	cp X Y && : >Z && : >csv # yesterday's bytes are no copy
	case $fault in *EACCES | *ENOENT) paths= ;; *) paths="-P . -P X -P Y -P Z" ;; esac
	# shellcheck disable=SC2086
	strace -qq -o trace $paths -P /proc/self/fd/1 -e inject="$fault" \
		"$wb" -q -p0 -n1 -s 'sendfile*' -x '* + *' -f csv -o csv $options <X 1<>Y 2>err
	is "$fault $options" "$? $(column 4,5 csv | tail -n 1) $(cmp X Y 2>&1)$(find . -name '.write*')" "$wanted "
	grep -q INJECTED trace || fail "... was injected"
done 4<<'END'
1 failed ENOSPC,fdatasync|fdatasync:error=ENOSPC|--until=sync
1 failed EIO,fdatasync|fdatasync:error=EIO:when=3|--until=sync -n2
1 failed EDQUOT,close|close:error=EDQUOT:when=2|--until=close
0 ok,|close:error=EINTR:when=2|--until=close
1 failed EIO,ftruncate|ftruncate:error=EIO:when=2|--replace
1 failed EIO,ftruncate into the second output|ftruncate:error=EIO:when=4|--replace --tee=Z
1 failed EIO,pwrite|pwrite64:error=EIO:when=1|--overwrite
1 failed EIO,sendfile|sendfile:error=EIO:when=1|--reuse
1 mismatch,0|sendfile:retval=10240:when=1|--overwrite
0 ok,|openat:error=EOPNOTSUPP:when=2+3|--new -n3
0 ok,|openat:error=EACCES|--new -n2
2 |openat:error=ENOSPC:when=2|--new
2 |?open,openat:error=ENOENT|--until=close
END

# Sessions of all rows, and of a command, with each option: each is measured, or n/a; OUTPUT is a copy, as is the second
# one; and the report says how it was measured.
bytes 60001 >X
while IFS='|' read -r options key <&4; do
	cat X X >Y && cp X Z
	# shellcheck disable=SC2086
	measure -q $options <X 1<>Y 2>err
	is "all rows, $options" "$? $(cmp X Y 2>&1)$(cmp X Z 2>&1) $(column 4 csv |
		grep -Evc '^(ok|shared|n/a( E[A-Z]+)?)$') $(grep -c "^# $key" csv)" "0  0 1"
done 4<<'END'
--until=return --with=cat|until: .*returned
--until=close --new --tee=Z|until: .*closed
--until=sync --overwrite --cold --with=cat|until: .*fdatasync
--replace --until=close --tee=Z|output_file: onto a full file
--reuse --replace|reuse: yes$
--reuse --new --tee=Z|reuse: yes$
END

# Commands, by what they find and leave. Status, outcomes; what is found, a line each; the session.
bytes 10240 >X
reads='[ ! -s /dev/stdin ] ||' # not when its start alone is timed
while IFS='|' read -r wanted found options <&4; do
	cp X Y && : >found
	eval "measure -q $options" <X 1<>Y 2>err
	is "$options" "$? $(column 4 csv | sed 's/shared/ok/' | sort | paste -sd' ')|$(paste -sd' ' found)$(cmp X Y)" \
		"$wanted|$found"
done 4<<'END'
1 mismatch ok ok ok ok||-n2 --new -s sendfile --with='cp X Y' --with=cat
0 ok ok ok ok|0 0|-n2 --replace -s '$ *' --with="$reads wc -c <Y >>found; cat" --with='cp X Y'
0 ok ok|1 1|-n2 --reuse -s '$ *' --with="$reads echo 1 >>found; cat"
END

# Caches, by what another program sees of them, and blocks.
see="$reads fincore -b -n -r -o RES /proc/\$\$/fd/0 >>found;"
have fincore || see=
if disk=$(disk) && cd "$disk" || or_skip "the page cache" "the current directory is on no disk"; then
	bytes 300000 >X # nothing of it is on the disk yet
	: >found
	measure -q -n3 --cold -s 'sendfile,$ *' --with="$see cat" <X >Y 2>err
	is "--cold: nothing of the input stays, nor does another program see any of it" \
		"$? $(column resident csv | sort -u) $(sort -u found | paste -sd' ')" "0 0 ${see:+0}"
	# The kernel may have dropped some of it for reasons of its own: another program sees as much.
	if [ "$traced" ] && [ "$see" ] || or_skip "an eviction that does nothing" "no strace, or no fincore"; then
		: >found
		cat X >Y
		strace -qq -o trace -P X -e inject=fadvise64:retval=0:when=2 "$wb" -q -p0 -n1 --cold -s '$ *' \
			--with="$see cat" -f csv -o csv <X >Y 2>err
		stayed=$(awk '{ print ($1 < 300000 ? $1 : 300000) }' found)
		is "an eviction that does nothing: what stayed is reported" "$(column resident csv) $(
			fact input_state csv | grep -c "^up to $(awk "BEGIN { printf \"%.3g\", $stayed / 3000 }")%")" "$stayed 1"
	fi
	: >found
	measure -q -n3 --in-order -s sendfile --with="$see cat; sync X
		for _ in 1 2 3 4 5 6 7 8; do dd of=X oflag=nocache conv=notrunc,fdatasync count=0; done" <X >Y 2>err
	is "an input that a command evicts is read again before each run, with a warning" \
		"$(awk '$1 < 297000' found) $(fact warning_evicted csv | grep -c again)" " 1"
	case $(stat -f -c %T .) in ext*) have filefrag ;; *) false ;; esac ||
		or_skip "--overwrite keeps the output's blocks" "no ext4, or no filefrag" && {
		: >found
		cp X Y
		extents="sync Y; filefrag -v Y | grep '\.\..*:' | cut -d: -f1-3 | paste -sd' ' >>found"
		measure -q -n2 --overwrite --in-order -s 'read+write 1k,sendfile*,copy_file_range*,mmap+mmap*,direct*,$ *' \
			--with="$reads { $extents; }; cat" <X 1<>Y 2>err
		is "--overwrite keeps the output's blocks" "$? $(wc -l <found) $(sort -u found | grep -c .)" "0 2 1"
	}
	cd "$work" || exit 1
fi

# A reader that takes its time is waited for, though all fits into the pipe or socket.
cat >slow.pl <<'END'
use Socket;
shift eq 'pipe' ? pipe R, W : socketpair R, W, AF_UNIX, SOCK_STREAM, 0 or die;
if (!fork) {
	close W;
	sysread R, my $byte, 1;
	select undef, undef, undef, 0.2;
	1 while sysread R, $byte, 65536;
	exit;
}
close R;
open STDOUT, '>&', W or die;
exec @ARGV;
END
for kind in pipe socket; do
	perl slow.pl "$kind" "$wb" -q -p0 -n1 -z 1000 -f csv -o csv --no-verify -s sendfile <X 2>err
	is "a reader of a $kind that takes its time" "$? $(column 4,ns csv | awk -F, '
		{ print $1, ($2 >= 2e8 ? "waited" : $2) }') $(fact until csv | grep -c "$kind")" "0 ok waited 1"
done
