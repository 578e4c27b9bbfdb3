#!/bin/sh
# Pipes, FIFOs and commands at either end: what arrives is what was sent, for each row, at any size; an input that can
# be read only once is kept, and fed to each run; a process compares what an output does not keep. A line of the first
# table is a session: bytes, runs that copy (at least), input, output, options. A line of the second is a pair of ends,
# with what becomes there of eight commands that copy, or do not (ends.sh).
# Tried: a stream with more bytes, or less, is right; TMPDIR is not asked; a row whose pipe is refused has another; the
# Tried: end of a feeder is not looked at; it sends more than a size.
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"
. "$top/tests/ends.sh"

sessions() {
	while read -r size least input output options <&5; do
		# shellcheck disable=SC2086
		copied "$size" "$least" "$input" "$output" $options
	done 5<&0
}
sessions <<'END'
1       20 pipe file
65537   60 pipe file --all
1048577 20 pipe file
65537   40 fifo file -n2
65537   20 from file
3000000  2 pipe file -z 1g -s splice*
1       30 file pipe
4097    60 file pipe --all
1048577  6 file pipe -n3 -s splice,vmsplice
262145  30 file fifo
65537   15 pipe pipe
262145   6 zero into -s *splice*
65537   15 from into
65537   20 file null
END
full "all rows between more pairs, at more sizes" && sessions <<'END'
1048577 60 pipe file --all
1       60 pipe file --all
1048577 60 fifo file --all
1       60 file pipe --all
1048577 60 file pipe --all
65536   20 file fifo --all
1048577 20 pipe pipe --all
1048577 20 fifo into --all
1048577 20 zero fifo --all
65537   60 file null --all
END

# Sizes, one after the other, of an input without end, too; and two copies for each run with --reuse.
bytes 100000 >X
while read -r input options <&5; do
	# shellcheck disable=SC2086
	between "$input" pipe -z 70000,99999 -s splice*,read+write?4k* $options
	column 4,bytes csv | sed -n 's/^ok,//p' | while read -r size; do head -c "$size" X; done >wanted
	is "each size, from $input" "$(fact size csv | paste -sd' ')" "70000 99999"
	same "... the first bytes, as many times as they were copied" Y wanted
done 5<<'END'
pipe --with=cat
from
END
yes | head -c 5000 >wanted
yes | (w -z 5000 -s 'read*,splice*' >Y 2>err)
same "from a pipe without end, with --size" Y wanted
between file pipe --reuse -s 'vmsplice,read+write 64k'
is "--reuse makes one copy before each, into the pipe, too" "$(copying) $(whole Y)" "2 4"

# Which rows there are: with pipes of both sizes, and none that needs to go back in a file.
rows --from=yes --into=cat >few
rows --from=yes --into=cat --all >all
is "each row is there with a pipe of 64k and one of 1m; all that are by default" \
	"$(sed 's/ (pipe 1m)$//' all | sort | uniq -c | grep -v '^ *2 ') $(grep -cFxf few all)" " $(wc -l <few)"
lacks "... none that needs a file" all '^(copy_file_range|reflink|threads|direct|mmap|vmsplice( huge)?( |$))'
rows --into=cat --all >few
holds "from a file into a pipe, others" few '^vmsplice$' '^mmap\+write$' '^sendfile$'
lacks "... none that writes at offsets" few '^(threads|direct|copy_file_range)'

# Commands that are wrong are found out, whatever the ends are. What a file has is looked at in the run itself.
found_out <<'END'
1 ommmfmmo pipe file
1 ommmfmmm file pipe
1 ommmfmmm pipe pipe
1 ommmfmmm from into
1 ommmfmmm pipe null
1 omomfmoo pipe file --no-verify
1 oooofooo file pipe --no-verify
END
lacks "a report says whether bytes were compared" csv "^# verified: .*all bytes"
between pipe pipe -s splice
holds "... what the clock waits for, and what the input takes alone" csv "^# verified: .*all bytes" \
	"^# until: the pipe's reader had emptied it$" "^# input_ns: [0-9]+$"
between pipe null
is "a row into /dev/null that touches no byte is told, whatever its pipe" \
	"$(column 1,4 csv | grep -E '^(splice|read\+write 64k)( \(pipe 1m\))?,' | sort | paste -sd' ')" \
	"read+write 64k (pipe 1m),ok read+write 64k,ok splice (pipe 1m),untouched splice,untouched"

# Who is at the other side, and quits or is killed. A consumer that quits is no reason for n/a.
bytes 3000000 >X
while read -r input quits; do
	{
		feed "$input" measure -n2 -s 'read+write 4k,read+write 64k,*splice*' 2>err
		echo $? >quit.status
	} | sh -c "$quits" >Y
	is "from $input, into $quits: each row fails, after the first bytes" \
		"$(cat quit.status) $(column 4 csv | sort -u) $(head -c "$(wc -c <Y)" X | cmp - Y)" "1 failed EPIPE "
done <<'END'
file head -c 1000
pipe head -c 1000
from :
END
kill='for i in $(cat /proc/$PPID/task/$PPID/children); do [ $i = $$ ] || { kill -KILL $i; break; }; done'
while IFS='|' read -r what input output command; do
	rm -f once
	between "$input" "$output" -s '$ *' --with="$command" </dev/null
	is "$what that is killed fails the row, and is named" "$? $(column 4,detail csv | sed 's, (.*,,')" \
		"1 failed,the process at an end: killed by signal 9"
done <<END
a feeder|pipe|file|read -r line; $kill; cat
a process that compares|file|pipe|[ ! -e once ] || { $kill; }; : >once; cat
END

# The input is kept, to be read again, in a file without a name, where TMPDIR says; a row sees all of it each time.
bytes 200000 >X
look='ls -A "$TMPDIR" >>names; ls -l /proc/$PPID/fd >fds; exec dd'
while IFS='|' read -r set where; do
	(eval "$set" && between pipe file -s '$ *' --with="$look")
	holds "an input that is read ahead is kept where TMPDIR says ($set)" fds " -> $where/[^/]* \\(deleted\\)\$"
	same "... and copied" X Y
done <<END
:|$TMPDIR
unset TMPDIR|/tmp
TMPDIR=|/tmp
END
is "... without a name" "$(cat names)" ""

# A large pipe may be refused to a user who has many: pipe(7), pipe-user-pages-soft.
if can_trace || or_skip "a large pipe that is refused" "strace may not trace here"; then
	calls="strace -qq -o trace -e trace=?fcntl,?fcntl64 -e signal=none" rows='splice,splice (pipe 1m)'
	under=$calls between pipe file --in-order -s "$rows"
	at=$(grep -n 'SETPIPE_SZ, 1048576' trace | cut -d: -f1 | head -n 1)
	under=$calls between pipe null -n1 -s splice
	is "the input alone is timed through a large pipe" "$(grep -c 'SETPIPE_SZ, 1048576' trace)" 1
	under="$calls -e inject=?fcntl,?fcntl64:error=EPERM:when=$at" between pipe file --in-order -s "$rows"
	is "a row whose large pipe is refused has no other" "$? $(column 1,4 csv | paste -sd' ') $(whole Y)" \
		"0 splice,ok splice (pipe 1m),n/a EPERM 1"
fi
