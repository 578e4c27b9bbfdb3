#!/bin/sh
# What the clock waits for, how cold the input is, and what the output holds before a run: --until,
# --cold and --overwrite. What is inside the clock is seen by calls that take longer.
# Tried: it fails where --until=sync does without fdatasync; --cold evicts nothing; what stays of the input is not counted;
# Tried: what is overwritten is not on the disk yet; a close that is interrupted is a failure; with --overwrite only the
# Tried: first run is compared; --replace empties before the clock.
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
undo=unplace

bytes 10240 >X
one_line() {
	tr -s '\n ' ' '
	echo
}

# Bad arguments.
for until in x "" Close return,sync; do
	echo keep >Y
	run 2 "--until=$until is refused" "$wb" --until="$until" -s sendfile <X 1<>Y
	holds "... by its name" err "^write-bench: --until=$until: is not known: use return\|close\|sync$"
	is "... nothing has been touched" "$(cat Y)" keep
done
echo keep >Y
run 2 "--cold of a character device is refused" "$wb" --cold -z 4096 -s sendfile </dev/zero 1<>Y
holds "... with a remedy" err '^write-bench: standard input: .*character device.*--cold'
is "... nothing has been touched" "$(cat Y)" keep

# The report says so.
for until in return:returned close:closed sync:fdatasync; do
	run 0 "--until=${until%:*}" "$wb" -p0 -n1 --until="${until%:*}" -s sendfile -f csv -o csv <X >Y
	holds "... is reported in CSV" csv "^# until: .*${until#*:}"
	same "... leaves a copy" X Y
	"$wb" -p0 -n1 --until="${until%:*}" -s sendfile <X 2>&1 >Y | one_line >line
	holds "... is reported in the text" line "; until [a-z ]*${until#*:}"
done
run 0 "without --until" "$wb" -p0 -n1 -s sendfile -f csv -o csv <X >Y
holds "... it is return" csv '^# until: .*returned'
lacks "... and CSV has no column for a warm input" csv resident

# An output that keeps nothing is not said to be on a medium, or to have had blocks.
"$wb" -p0 -n1 --until=sync --overwrite -s 'read+write 1k' <X 2>&1 >/dev/null | one_line >line
lacks "/dev/null is not said to be on its medium" line 'fdatasync had the output on its medium'
lacks "... nor to be overwritten in place" line 'The output was overwritten in place'

# The calls around each copy, in their order, as letters.
case $(stat -f -c %T .) in tmpfs | ramfs) n=1 e=FE ;; *) n=2 e=FEFE ;; esac # what is evicted before the first run, and that
if can_trace; then
	traced=1
else
	traced=
	skip "calls and their order, what is inside the clock, errors, lies" "no strace, or it may not trace here"
fi
# calls OPTION...: T ftruncate to 0, t to the input's size, P pwrite, D fdatasync of the output, F of the input,
# E eviction of it, e of the output, O open anew for writing, S sendfile, C close of what was opened last for writing.
calls() {
	strace -qq -o trace -e trace='?open,openat,close,ftruncate,pwrite64,fdatasync,fadvise64,sendfile' \
		"$wb" -p0 -n2 --no-verify -s sendfile "$@" <X >Y 2>err
	awk '/^ftruncate\(1, 0\)/ { s = s "T" } /^ftruncate\(1, 10240\)/ { s = s "t" } /^pwrite64\(1, / { s = s "P" }
		/^fdatasync\(1\)/ { s = s "D" } /^fdatasync\(0\)/ { s = s "F" } /^fadvise64\(0, .*DONTNEED/ { s = s "E" } /^fadvise64\(1, .*DONTNEED/ { s = s "e" }
		/^open.*"\/proc\/self\/fd\/1", O_WRONLY/ { s = s "O"; fd = $NF } /^sendfile/ { s = s "S" }
		fd && $0 ~ "^close[(]" fd "[)]" { s = s "C"; fd = "" } END { print s }' trace
}
if [ "$traced" ]; then
	is "until the return: emptied, copied, nothing else" "$(calls)" ${e}TSTST
	is "--until=return is the same" "$(calls --until=return)" ${e}TSTST
	is "--until=sync: fdatasync once a run, after the copy" "$(calls --until=sync)" ${e}TSDTSDT
	is "--until=close: opened anew in each run, closed after the copy" "$(calls --until=close)" OC${e}TOSCTOSCT
	is "--cold: dirty pages are written, then all are evicted, before each run" "$(calls --cold)" ${e}FETSFETST
	is "--overwrite: never emptied, but filled, written to the disk, and evicted" "$(calls --overwrite)" ${e}tPDeStPDeST
	is "--overwrite=cached: not evicted" "$(calls --overwrite=cached)" ${e}tPDStPDST
	is "--overwrite --until=sync: the row's own fdatasync, too" "$(calls --overwrite --until=sync)" ${e}tPDeSDtPDeSDT
	is "--overwrite --until=close: opened when it has been filled" "$(calls --overwrite --until=close)" OC${e}tPDeOSCtPDeOSCT
	strace -qq -o trace -e trace='?open,openat,ftruncate' "$wb" -p0 -n1 --overwrite <X 1<>Y 2>err
	is "--overwrite: no row empties the output, only the last copy does" "$(grep -Ec '^ftruncate\(1, 0\)|fd/1.*O_TRUNC' trace)" 1
fi

# Inside the clock, or out of it.
# The injected call takes 0.3 s. Inside the clock, the run took as long. Outside, no longer than what follows that call, until the next
# such call or the program's end, by strace's clock; which holds on a machine that stands still, too.
clock() { # WHAT, CALL[:when=N], in OR out, OPTION...
	what=$1 call=${2%%:*} when=${2#"${2%%:*}"} wanted=$3
	shift 3
	# shellcheck disable=SC2086
	strace -r -o trace $paths -e trace="$call" -e inject="$call:delay_enter=300000$when" "$wb" -p0 -n1 --no-verify -s sendfile -f csv -o csv "$@" <X >Y 2>err
	where=$(awk -v ns="$(column 3 csv)" '/DELAYED/ { n++ } delayed { since += $1 } since > most { most = since }
		/DELAYED/ { delayed = 1; since = -0.3 }
		END { print (ns / 1e9 >= 0.3) (ns / 1e9 <= most), n + 0 }' trace)
	case $wanted in
	in) is "$what: inside the clock" "${where%[01] *} ${where#* }" "1 1" ;;
	out) is "$what: outside the clock" "${where#[01]}" "1 1" ;;
	esac
}
# fault STATUS OUTCOME WHAT INJECTION OPTION...: as in faults.t, for sendfile, with the last run's outcome.
fault() {
	status=$1 outcome=$2 what=$3 injection=$4
	shift 4
	strace -qq -o trace -P "$work/X" -P "$work/Y" -P /proc/self/fd/1 -e inject="$injection" \
		"$wb" -p0 -n1 -s sendfile -f csv -o csv "$@" <X >Y 2>err
	is "$what: $injection $*" "$? $(column 4 csv | tail -n 1)" "$status $outcome"
	grep -q '(INJECTED\|(DELAYED' trace || fail "$what: nothing was injected" trace
	same "... and standard output is a copy all the same" X Y
}
if [ "$traced" ]; then
	paths="-P X -P Y -P /proc/self/fd/1"
	clock "--until=sync: fdatasync" fdatasync:when=$((n + 1)) in --until=sync
	clock "--until=close: the close" close:when=2 in --until=close
	clock "--until=close: opening the output anew" '?open,openat:when=3' out --until=close
	clock "--cold: the eviction" fadvise64:when=$((n + 1)) out --cold
	clock "--cold: writing dirty pages" fdatasync:when=$((n + 1)) out --cold
	clock "--overwrite: filling the output" pwrite64 out --overwrite
	clock "--overwrite: writing that to the disk" fdatasync:when=$((n + 1)) out --overwrite
	clock "--overwrite --until=sync: the second fdatasync" fdatasync:when=$((n + 2)) in --overwrite --until=sync
	clock "emptying the output" ftruncate:when=1 out
	clock "--replace: emptying the output" ftruncate:when=2 in --replace
	if "$wb" -p0 -n1 --reuse -s 'io_uring read+write 8x128k' <X 2>err >Y; then
		paths='' && clock "--reuse: what is made before" io_uring_setup:when=1 out --reuse -s 'io_uring read+write 8x128k'
	else
		skip "--reuse: what is made before" "no io_uring here"
	fi
	for err in EIO ENOSPC EDQUOT EINVAL; do
		fault 1 "failed $err" "what was copied does not reach the disk" fdatasync:error=$err --until=sync
	done
	fault 1 "failed EIO" "... in the second run" fdatasync:error=EIO:when=$((n + 2)) --until=sync -n2
	for err in EIO ENOSPC EDQUOT; do # the first close is that of a trial, before anything is touched
		fault 1 "failed $err" "what was copied is refused at last" close:error=$err:when=2 --until=close
	done
	fault 0 "ok" "interrupted calls are made again" fdatasync:error=EINTR:when=$((n + 1))+2 --until=sync
	fault 0 "ok" "after EINTR it is closed, too" close:error=EINTR:when=2 --until=close
	fault 1 "failed EMFILE" "the output can't be opened anew" '?open,openat:error=EMFILE:when=3' --until=close --no-verify
	fault 1 "failed ENOSPC" "the output can't be filled" pwrite64:error=ENOSPC:when=1 --overwrite
	fault 1 "failed EIO" "what fills the output does not reach the disk" fdatasync:error=EIO:when=$((n + 1)) --overwrite
	fault 1 "failed EPERM" "the output can't be given its length" ftruncate:error=EPERM:when=1 --overwrite
	fault 0 "ok" "interrupted calls are made again" pwrite64:error=EINTR:when=1+2 --overwrite
	strace -qq -o trace -P "$work/Y" -e inject=fdatasync:error=EIO "$wb" -p0 -n1 --until=sync -s sendfile <X >Y 2>err
	one_line <err >line
	holds "a failure is reported with its call, its errno and a remedy" line 'Failed: sendfile: fdatasync: EIO \(.*\): [a-z]'
	echo keep >Y
	strace -qq -o trace -P /proc/self/fd/1 -e inject='?open,openat:error=ENOENT' "$wb" --until=close -s sendfile <X 1<>Y 2>err
	is "without /proc, --until=close is refused" "$? $(cat Y)" "2 keep"
	holds "... with a remedy" err '^write-bench: standard output: .*mount /proc, or use another --until'
fi

# An output that is longer or shorter than the input, and one that is a copy already.
for old in 50000 100 10240 0; do
	bytes $old >Y
	run 0 "--overwrite of $old bytes" "$wb" -p0 -n2 --overwrite -s 'sendfile,read+write 1k' <X 1<>Y
	same "... leaves a copy" X Y
	bytes $old >Y
	run 0 "--overwrite of $old bytes, by the first 5000" "$wb" -p0 -n2 -z 5000 --overwrite -s 'sendfile' <X 1<>Y
	head -c 5000 X >wanted
	same "... leaves those" wanted Y
done

# Yesterday's bytes are no copy, whatever run they are met in.
if [ "$traced" ]; then
	lie() { # OUTCOMES, INJECTION, ROW [OPTION...]
		wanted=$1 injection=$2 row=$3
		shift 3
		cp X Y
		strace -qq -o trace -P "$work/X" -P "$work/Y" -e inject="$injection" \
			"$wb" -p0 -n3 --overwrite -s "$row" -f csv -o csv "$@" <X 1<>Y 2>err
		is "a lie: $injection: $row: what held a copy before the start" "$? $(column 4 csv | tr '\n' ' ')" "1 $wanted "
		grep -q '(INJECTED' trace || fail "nothing was injected" trace
		same "... and standard output is a copy all the same" X Y
	}
	lie "mismatch" sendfile:retval=10240:when=1 sendfile
	lie "ok mismatch" sendfile:retval=10240:when=2 sendfile
	lie "ok ok mismatch" sendfile:retval=10240:when=3 sendfile
	lie "ok mismatch" sendfile:retval=10240:when=2 sendfile --until=sync
	lie "$(shares && echo shared || echo ok) mismatch" copy_file_range:retval=10240:when=2 copy_file_range
	lie "mismatch" write:retval=1024:when=5 "read+write 1k"
	lie "ok mismatch" write:retval=1024:when=15 "read+write 1k"
	lie "ok ok mismatch" write:retval=1024:when=25 "read+write 1k"
	lie "ok mismatch" write:retval=1:when=20 "read+write 1k"
fi
cp X Y
run 1 "--overwrite: a command that does nothing" "$wb" -p0 -n1 --overwrite -s '$ *' --with=: -f csv -o csv <X 1<>Y
is "... has not copied, though the output held a copy" "$(column 4 csv)" mismatch
"$wb" -v -p0 -n1 --overwrite -s sendfile --no-verify <X 2>&1 >Y | one_line >line
holds "--overwrite --no-verify: the report says that a size proves nothing" line '[Vv]erified: nothing, since the size says nothing with --overwrite'

# Cold inputs, by what others see of the page cache.
if disk=$(disk) && cd "$disk"; then
	bytes 300000 >X # nothing of it is on the disk yet
	run 0 "--cold" "$wb" -p0 -n3 --cold -s 'sendfile,mmap+write' -f csv -o csv <X >Y
	is "... CSV has a column for what stayed" "$(grep '^row,' csv | cut -d, -f6)" resident
	is "... which is nothing" "$(column 6 csv | tr '\n' ' ')" "0 0 0 0 0 0 "
	holds "... the report says so" csv '^# input_state: The input was cold: up to 0% of it \(0B\)'
	same "... and there is a copy" X Y
	if have fincore; then
		rm -f cached
		# shellcheck disable=SC2016
		look='fincore -b -n -r -o RES /proc/$$/fd/0 >>cached; cat'
		run 0 "--cold, and another program that looks" "$wb" -p0 -n3 --cold -s sendfile --with="$look" -f csv -o csv <X >Y
		# Three runs, or more where it is the control's row, too.
		is "... sees nothing of the input in the page cache" "$(awk '{ n++ } $1 != 0 { print } END { print (n >= 3) }' cached)" 1
		rm -f cached
		run 0 "without --cold, it looks too" "$wb" -p0 -n3 -s sendfile --with="$look" <X >Y
		is "... and sees all of it" "$(awk '{ n++ } $1 < 297000 { print } END { print (n >= 3) }' cached)" 1 # 99 %, below which it is read again
	else
		skip "what another program sees of the page cache" "no fincore"
	fi
	if [ "$traced" ]; then
		# The kernel may have dropped some of it for reasons of its own: another program sees as much.
		rm -f cached
		dd if=X of=Y 2>dd.err
		strace -qq -o trace -P X -e inject=fadvise64:retval=0:when=3 "$wb" -p0 -n1 --cold -s '$ *' --with="${look-cat}" -f csv -o csv <X >Y 2>err
		stayed=$(awk '{ print ($1 < 300000 ? $1 : 300000) }' cached 2>/dev/null)
		is "an eviction that does nothing: all of it stayed" "$(column 6 csv)" "${stayed:-300000}"
		holds "... and the report says so" csv "^# input_state: The input was not cold: up to $(awk -v n="${stayed:-300000}" 'BEGIN { printf "%.3g", n / 3000 }')%"
		strace -qq -o trace -P X -e inject=fadvise64:retval=0:when=3 "$wb" -v -p0 -n1 --cold -s sendfile <X 2>&1 >Y |
			one_line >line
		holds "the text says so, too" line 'The input was not cold: up to [1-9][0-9.]*% of it \([0-9A-Za-z]+\) stayed in the page cache'
	fi
	cd "$work" || exit 1
	bytes 10240 >X
else
	skip "--cold on a disk" "the current directory is on none, and no ext4 can be mounted"
fi

# All rows with each of the options, on every file system that this machine has.
places 400 8 >places
bytes 60001 >X
while read -r place dir <&4; do
	cp X "$dir/X"
	for options in --until=close "--overwrite --until=sync --cold" --until=sync --cold --overwrite; do
		case $place,$options in here,* | *" "*) ;; *) full "$place: all rows and a command, $options" || continue ;; esac
		# shellcheck disable=SC2086
		run 0 "$place: all rows and a command, $options" "$wb" -p0 -n2 $options --with=cat -f csv -o csv <"$dir/X" >"$dir/Y"
		same "$place: ... leave a copy" X "$dir/Y"
		is "$place: ... each is measured, or n/a" "$(column 4 csv | grep -vEc '^(ok|shared|n/a( E[A-Z]+)?)$')" 0
	done
	if [ "$place" = tmpfs ]; then
		run 0 "$place: --cold" "$wb" -p0 -n1 --cold -s sendfile -f csv -o csv <"$dir/X" >"$dir/Y"
		is "$place: ... all of it stays resident" "$(column 6 csv)" 60001
		holds "$place: ... the report says that it can't be cold" csv '^# input_state: The input was not cold: up to 100% .* tmpfs is memory'
	fi
done 4<places
while read -r missing <&4; do
	skip "file system" "$missing"
done 4<missing

# Blocks, on a file system that does not write to others when it overwrites.
place=$(sed -n 's/^ext4 //p' places)
if [ "$place" ] && have filefrag; then
	blocks() { # FILE
		sync "$1"
		filefrag -v "$1" | awk '/^ +[0-9]+:/ { print $2, $4, $5, $6 }'
	}
	bytes 300000 >"$place/X"
	cp "$place/X" "$place/Y"
	before=$(blocks "$place/Y")
	run 0 "ext4: rows that overwrite" "$wb" -p0 -n2 --overwrite -s 'read+write 1k,sendfile*,copy_file_range*,mmap+mmap*,direct*' \
		<"$place/X" 1<>"$place/Y"
	is "ext4: ... keep the output's blocks" "$(blocks "$place/Y")" "$before"
	is "ext4: ... which is reported of some" "$(echo "$before" | grep -c '^0\.')" 1
else
	skip "the same blocks" "no ext4, or no filefrag"
fi
