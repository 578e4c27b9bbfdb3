#!/bin/sh
# The end of the clock, the coldness of the input, and the content of the output before a run: --until,
# --cold and --overwrite. What is inside the clock is seen by calls that take longer.
# Tried: it fails where --until=sync does without fdatasync; --cold evicts nothing; what stays of the input is not
# Tried: counted; a close that is interrupted is a failure; --replace empties before the clock.
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
undo=unplace

measure() { # OPTION...: with a report in csv
	"$wb" -p0 -n1 -f csv -o csv "$@"
}

bytes 10240 >X

# Bad arguments.
while read -r bad message <&4; do
	echo keep >Y
	run 2 "$bad is refused" "$wb" "$bad" -z 4096 -s sendfile </dev/zero 1<>Y
	holds "... with a remedy" err "^write-bench: $message"
	is "... nothing has been touched" "$(cat Y)" keep
done 4<<'END'
--until=return,sync --until=return,sync: .*return.*close.*sync
--overwrite=hot --overwrite=hot: 
--cold standard input: .*character device.*--cold
END

# The report says so.
for until in return:returned close:closed sync:fdatasync; do
	run 0 "--until=${until%:*}" measure --until="${until%:*}" -s sendfile <X >Y
	holds "... is reported in CSV" csv "^# until: .*${until#*:}"
	same "... leaves a copy" X Y
done

# The calls around each copy, in their order, as letters.
e=FE # the input is evicted before it is read for the first time
traced=
! can_trace || traced=1
# calls OPTION...: T ftruncate to 0, t to the input's size, P pwrite, D fdatasync of the output, F of the input,
# E eviction of it, O open anew for writing, S sendfile, C close of what was opened last for writing.
calls() {
	strace -qq -o trace -e trace='?open,openat,close,ftruncate,pwrite64,fdatasync,fadvise64,sendfile' \
		"$wb" -p0 -n2 --no-verify -s sendfile "$@" <X >Y 2>err
	awk '/^ftruncate\(1, 0\)/ { s = s "T" } /^ftruncate\(1, 10240\)/ { s = s "t" } /^pwrite64\(1, / { s = s "P" }
		/^fdatasync\(1\)/ { s = s "D" } /^fdatasync\(0\)/ { s = s "F" }
		/^fadvise64\(0, .*DONTNEED/ { s = s "E" }
		/^open.*"\/proc\/self\/fd\/1", O_WRONLY/ { s = s "O"; fd = $NF } /^sendfile/ { s = s "S" }
		fd && $0 ~ "^close[(]" fd "[)]" { s = s "C"; fd = "" } END { print s }' trace
}
# The injected call takes 0.1 s. Inside the clock, the run took as long. Outside, no longer than what follows that call,
# until the next such call or the program's end, by strace's clock; which holds on a machine that stands still, too.
clock() { # WHAT, CALL[:when=N], in OR out, OPTION...
	what=$1 call=${2%%:*} when=${2#"${2%%:*}"} wanted=$3
	shift 3
	# shellcheck disable=SC2086
	strace -r -o trace $paths -e trace="$call" -e inject="$call:delay_enter=100000$when" \
		"$wb" -p0 -n1 --no-verify -s sendfile -f csv -o csv "$@" <X >Y 2>err
	where=$(awk -v ns="$(column 3 csv)" '/DELAYED/ { n++ } delayed { since += $1 } since > most { most = since }
		/DELAYED/ { delayed = 1; since = -0.1 }
		END { print (ns / 1e9 >= 0.1) (ns / 1e9 <= most), n + 0 }' trace)
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
	is "until the return: emptied, copied, nothing else" "$(calls)" ${e}TSTST
	is "--until=sync: fdatasync once a run, after the copy" "$(calls --until=sync)" ${e}TSDTSDTD
	is "--until=close: opened anew in each run, closed after the copy" "$(calls --until=close)" OC${e}TOSCTOSCTOC
	is "--cold: dirty pages are written, then all are evicted, before each run" "$(calls --cold)" ${e}FETSFETST
	is "--overwrite: filled before the run that is compared, emptied for the copy that stays" \
		"$(calls --overwrite)" ${e}tPSST

	paths="-P X -P Y -P /proc/self/fd/1"
	clock "--until=sync: fdatasync" fdatasync:when=2 in --until=sync
	clock "--until=close: the close" close:when=2 in --until=close
	clock "--until=close: opening the output anew" '?open,openat:when=3' out --until=close
	clock "--cold: the eviction" fadvise64:when=2 out --cold
	clock "--overwrite: filling the output" pwrite64 out --overwrite
	clock "emptying the output" ftruncate:when=1 out
	clock "--replace: emptying the output" ftruncate:when=2 in --replace
	if "$wb" -p0 -n1 --reuse -s 'io_uring read+write 8x128k' <X 2>err >Y ||
		or_skip "--reuse: what is made before" "no io_uring here"; then
		paths='' && clock "--reuse: what is made before" io_uring_setup:when=1 out --reuse \
			-s 'io_uring read+write 8x128k'
	fi
	fault 1 "failed ENOSPC" "what was copied does not reach the disk" fdatasync:error=ENOSPC --until=sync
	fault 1 "failed EIO" "... in the second run" fdatasync:error=EIO:when=3 --until=sync -n2
	# after a trial's
	fault 1 "failed EDQUOT" "what was copied is refused at last" close:error=EDQUOT:when=2 --until=close
	fault 0 "ok" "after EINTR it is closed, too" close:error=EINTR:when=2 --until=close
	echo keep >Y
	strace -qq -o trace -P /proc/self/fd/1 -e inject='?open,openat:error=ENOENT' "$wb" --until=close \
		-s sendfile <X 1<>Y 2>err
	is "without /proc, --until=close is refused" "$? $(cat Y)" "2 keep"
	holds "... with a remedy" err '^write-bench: standard output: .*--until=close.* ENOENT '

	# Yesterday's bytes are no copy.
	cp X Y
	strace -qq -o trace -P "$work/Y" -e inject=write:retval=1024:when=5 \
		"$wb" -p0 -n3 --overwrite -s 'read+write 1k' -f csv -o csv <X 1<>Y 2>err
	is "a lie, where the output held a copy before the start" "$? $(column 4 csv)" "1 mismatch"
	same "... and standard output is a copy all the same" X Y
else
	skip "calls and their order, what is inside the clock, errors, lies" "no strace, or it may not trace here"
fi

# An output that is longer or shorter than what is copied.
head -c 5000 X >wanted
for old in 50000 100; do
	bytes $old >Y
	run 0 "--overwrite of $old bytes" "$wb" -p0 -n2 -z 5000 --overwrite -s 'sendfile,read+write 1k' <X 1<>Y
	same "... leaves a copy" wanted Y
done

# Yesterday's bytes are no copy.
cp X Y
run 1 "--overwrite: a command that does nothing" measure --overwrite -s '$ *' --with=: <X 1<>Y
is "... has not copied, though the output held a copy" "$(column 4 csv)" mismatch
measure --overwrite -s sendfile --no-verify <X >Y 2>err
holds "--overwrite --no-verify: sizes alone are verified" csv '^# verified: sizes alone'

# Cold inputs, by what others see of the page cache.
if disk=$(disk) && cd "$disk" ||
	or_skip "--cold on a disk" "the current directory is on none, and no ext4 can be mounted"; then
	bytes 300000 >X # nothing of it is on the disk yet
	run 0 "--cold" measure -n3 --cold -s 'sendfile,mmap+write' <X >Y
	is "... nothing stayed" "$(column resident csv | tr '\n' ' ')" "0 0 0 0 0 0 "
	same "... and there is a copy" X Y
	if have fincore || or_skip "what another program sees of the page cache" "no fincore"; then
		rm -f cached
		look='[ ! -s /dev/stdin ] || fincore -b -n -r -o RES /proc/$$/fd/0 >>cached; cat'
		run 0 "--cold, and another program that looks" measure -n3 --cold -s sendfile --with="$look" <X >Y
		is "... sees nothing of the input in the page cache" \
			"$(awk '{ n++ } $1 != 0 { print } END { print (n >= 3) }' cached)" 1
	fi
	if [ "$traced" ]; then
		# The kernel may have dropped some of it for reasons of its own: another program sees as much.
		rm -f cached
		dd if=X of=Y 2>dd.err
		strace -qq -o trace -P X -e inject=fadvise64:retval=0:when=2 "$wb" -p0 -n1 --cold -s '$ *' \
			--with="${look-cat}" -f csv -o csv <X >Y 2>err
		stayed=$(awk '{ print ($1 < 300000 ? $1 : 300000) }' cached 2>/dev/null)
		is "an eviction that does nothing: all of it stayed" "$(column resident csv)" "${stayed:-300000}"
		holds "... and the report says so" csv \
			"^# input_state: up to $(awk "BEGIN { printf \"%.3g\", ${stayed:-300000} / 3000 }")%"
	fi
	# Pages that a process has mapped are not evicted.
	if python_has mmap,time || or_skip "--cold of a file that is mapped" "no python3 with its modules"; then
		python3 -c 'if True:
			import mmap, time
			with open("X", "rb") as f: mapped = mmap.mmap(f.fileno(), 0, mmap.MAP_SHARED, mmap.PROT_READ)
			sum(mapped[i] for i in range(0, len(mapped), 512))
			open("mapped", "w").close()
			time.sleep(600)' 3>&- &
		undo="kill -KILL $!; unplace"
		until_there test -e mapped
		run 0 "--cold of a file that a process has mapped" measure -n3 --cold -s sendfile <X >Y
		is "... says that all of it stayed" "$(column resident csv | sort -u)" 300000
		holds "... with a warning" csv '^# input_state: up to 100% ' '^# warning_not_cold: .* 100% '
		kill -KILL $! && wait $! 2>/dev/null
		undo=unplace
		run 0 "... and once that has ended" measure -n3 --cold -s sendfile <X >Y
		is "... nothing stayed" "$(column resident csv | sort -u) $(fact warning_not_cold csv)" "0 "
	fi
	cd "$work" || exit 1
	bytes 10240 >X
fi

# All rows with each of the options, on every file system that this machine has.
places 400 8 >places
bytes 60001 >X
while read -r place dir <&4; do
	cp X "$dir/X"
	for options in "--overwrite --until=sync --cold" --until=close; do
		case $place,$options in
		here,* | ext4,*" "*) ;;
		*) full "$place: all rows and a command, $options" || continue ;;
		esac
		# shellcheck disable=SC2086
		run 0 "$place: all rows and a command, $options" measure -n2 $options --with=cat <"$dir/X" >"$dir/Y"
		same "$place: ... leave a copy" X "$dir/Y"
		is "$place: ... each is measured, or n/a" "$(column 4 csv | grep -vEc '^(ok|shared|n/a( E[A-Z]+)?)$')" 0
	done
	if [ "$place" = tmpfs ]; then
		measure --cold -s sendfile <"$dir/X" >"$dir/Y" 2>err
		is "$place: --cold: all of it stays resident" "$? $(column resident csv)" "0 60001"
	fi
done 4<places
while read -r missing <&4; do
	skip "file system" "$missing"
done 4<missing

# Blocks, on a file system that does not write to others when it overwrites.
place=$(sed -n 's/^ext4 //p' places)
if [ "$place" ] && have filefrag || or_skip "the same blocks" "no ext4, or no filefrag"; then
	blocks() { # FILE
		sync "$1"
		filefrag -v "$1" | awk '/^ +[0-9]+:/ { print $2, $4, $5, $6 }'
	}
	bytes 300000 >"$place/X"
	cp "$place/X" "$place/Y"
	before=$(blocks "$place/Y")
	run 0 "ext4: rows that overwrite" "$wb" -p0 -n2 --overwrite \
		-s 'read+write 1k,sendfile*,copy_file_range*,mmap+mmap*,direct*' \
		<"$place/X" 1<>"$place/Y"
	is "ext4: ... keep the output's blocks" "$(blocks "$place/Y")" "$before"
fi
