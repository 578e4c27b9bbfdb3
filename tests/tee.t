#!/bin/sh
# Two outputs, with --tee: each row copies all bytes into both, whatever they are, and a wrong byte at only one of them
# is found. A line of the first table is a session: bytes, runs that copy (at least), input, first output, second
# output, options. The other tables: commands that are wrong, zeros that are left out, outputs that fail.
# Tried: only one output is compared, or copied to in the end; no process compares what goes into the second; which
# Tried: output has failed is not named; both parts of tee(2) go into one; there is no $TEE.
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"
. "$top/tests/ends.sh"

mkfifo second.fifo
# two SECOND INPUT FIRST OPTION...: a session with two outputs; all that comes out of the second is in Z
two() {
	second=$1
	shift
	rm -f Z
	case $second in
	file)
		echo older and longer content than a byte >Z
		between "$@" --tee=Z
		;;
	null) between "$@" --tee=/dev/null ;;
	fifo)
		timeout 300 cat second.fifo >Z &
		second_reader=$!
		between "$@" --tee=second.fifo
		two_ended=$?
		wait $second_reader
		return $two_ended
		;;
	pipe)
		{
			between "$@" --tee=/dev/fd/7 7>&1
			echo $? >two.status
		} | cat >Z
		return "$(cat two.status)"
		;;
	esac
}
sessions() {
	while read -r size least input first second options <&5; do
		case $input in zero) head -c "$size" /dev/zero >X ;; *) bytes "$size" >X ;; esac
		# shellcheck disable=SC2086
		two "$second" "$input" "$first" $options
		got="$? $(unlike)$([ "$(copying)" -ge "$least" ] || echo "only $(copying), ")$(whole Y) $(whole Z)"
		is "$size bytes, $input to $first and $second $options" "$got" "0 $(whole_of "$first") $(whole_of "$second")"
	done 5<&0
}
sessions <<'END'
1       14 file file file --all
65537   14 file file file -n2
1048577 45 file file file --all
65537   12 file into file
65537   12 pipe send file
65537   12 from pipe file -n2
65537    8 zero null file
65537   12 from unix file
262145  12 pipe file fifo
262145  12 file pipe fifo
65537   12 from into fifo
65537   10 file file null
65537    8 file null pipe
END
full "all rows between more ends" && sessions <<'END'
65537    8 file pipe file --all
65537    8 pipe file fifo --all
65537    8 from into file --all
65537    8 zero null fifo --all
65537    8 from unix pipe --all
65537    8 file send null --all
65537    8 pipe fifo pipe --all
END

# The rows for two outputs, and for these alone.
bytes 65537 >X
rows --tee=Z --all | sed 's/ + .*//' | sort -u >two.rows
is "none of the rows for two outputs is there with one" "$(rows --all | grep -Fxcf two.rows)" 0
two null file null --all
is "none reads a first output that is a device" "$(column 1 csv | grep -c "^splice")" 0
is "into /dev/null twice some touch no byte" \
	"$(column 1,4 csv | sed -n "s/,untouched//p" | grep -v " + " | sort | paste -sd,)" \
	"mmap+write x2,sendfile x2,tee+splice 1m,tee+splice 256k,tee+splice 64k"
holds "... a report has the second output" csv "^# second_output: /dev/null\$"
"$wb" --list --tee=new <X >list
is "--list makes no file, nor waits for a FIFO" \
	"$(ls new 2>/dev/null; timeout 300 "$wb" --list --tee=second.fifo <X | cmp - list)" ""
traced="strace -qq -f --seccomp-bpf -o trace -e trace=write,splice,sendfile,tee -P"
if can_trace || or_skip "calls on a FIFO" "strace may not trace here"; then
	under="$traced second.fifo" two fifo file file --in-order -s 'read+write x2 8k,splice, sendfile,tee+splice 64k'
	is "a FIFO as second output is what each row's last call writes to" \
		"$(sed 's/(.*//; s/.* //' trace | uniq | paste -sd' ')" "write sendfile tee"
fi

# Zeros that are left out of both, by the row: the copy that stays is written whole.
if can_trace || or_skip "zeros that are left out" "strace may not trace here"; then
	while IFS='|' read -r what holes option make <&5; do
		[ ! "$make" ] || eval "$make" >X # else it stays
		# shellcheck disable=SC2086
		under="$traced Y -P Z" two file file file -s 'read+write x2 sparse 4k' $option
		is "$what: copies which leave them out $option" \
			"$? $(column 4 csv) $(whole Y) $(whole Z) $(awk '{ n += $NF } END { print n + 0 }' trace)" \
			"0 ok 1 1 $((2 * ($(wc -c <X) + $(wc -c <X) - holes)))"
	done 5<<-'END'
		every other 4 KiB|32768||for _ in 1 2 3 4 5 6 7 8; do bytes 4096; head -c 4096 /dev/zero; done
		zeros at the end|65537||bytes 65536; head -c 65537 /dev/zero
		zeros at the end, over older content|65537|--overwrite|
		one other byte in each block|0||head -c 4095 /dev/zero; echo; echo; head -c 4095 /dev/zero
	END
fi

# Commands that are wrong at one of the outputs, which are copies all the same.
bytes 100000 >X
set --
while IFS='|' read -r name command <&5; do
	echo "$command" >"$name"
	set -- "$@" --with="sh $name"
done 5<<'END'
good|tee "$TEE"
append|tee -a "$TEE"
long-second|dd >t; dd <t; cat t t >"$TEE"
short-first|dd >t; head -c 99999 t; dd <t >"$TEE"
wrong-first|dd >t; tr a b <t; dd <t >"$TEE"
wrong-second|dd >t; dd <t; tr a b <t >"$TEE"
nothing-first|dd >"$TEE"
nothing-second|dd
END
while read -r status letters input first second options <&5; do
	# shellcheck disable=SC2086
	two "$second" "$input" "$first" --in-order -s '$ *' "$@" $options
	is "commands that are wrong at one output: $input to $first and $second $options" \
		"$? $(column 4 csv | cut -c1 | tr -d '\n')" "$status $letters"
	[ "$first" != file ] || same "... the first output is a copy" X Y
	[ "$second" != file ] || same "... the second output is a copy" X Z
done 5<<'END'
1 oommmmmm file file file
1 oommmmmm file file fifo
1 oommmmmm file send pipe
1 oommmmmm from into fifo
1 oommoomm file file file --no-verify
1 ooomoomo file file fifo --no-verify
END
ln -s './n$w;"y" z' './$x;"y" z'
(umask 027 && w -s '$ *' --with='sh good' -t './$x;"y" z' <X >Y 2>err)
is "odd names in \$TEE; a symbolic link to nothing is followed, with the umask" \
	"$? $(cmp X './n$w;"y" z') $(stat -c %a './n$w;"y" z')" "0  640"

# An output that fails is named, and so is what is then no copy.
if can_trace || or_skip "an output that fails" "strace may not trace here"; then
	while read -r which file label <&5; do
		under="strace -qq -f --seccomp-bpf -o trace -e trace=write,pwrite64 -P $file -e inject=write:error=ENOSPC" \
			two file file file -s 'read+write x2*,mmap+write x2' -x '*sparse*' -o failed.txt
		is "the $which output fails: each row that runs does, by that output" \
			"$? $(column 4 csv | sort -u), $(joined failed.txt |
				grep -oE 'into the [a-z]* output: E[A-Z]*' | sort -u)" \
			"1 failed ENOSPC, into the $which output: ENOSPC"
		is "... and it alone is no copy" "$(sed -n 's/^write-bench: \(.*\): is not a copy of.*/\1/p' err)" "$label"
	done 5<<'END'
first Y standard output
second Z --tee=Z
END
fi
bytes 3000000 >X
timeout 300 head -c 1000 second.fifo >Z &
between file file -s 'read+write x2 64k,tee+splice 64k' --tee=second.fifo
is "a reader of the second output that quits fails the rows" "$? $(column 4 csv | sort -u)" "1 failed EPIPE"
wait

# Blocks that the first output shares with the input.
bytes 65536 >X
if shares; then outcome=shared; else outcome=n/a; fi
two file file file -s 'splice, reflink'
is "the first output shares blocks, where there are such" \
	"$(column 4 csv | cut -d' ' -f1) $(whole Y) $(whole Z)" "$outcome 1 1"
