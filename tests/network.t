#!/bin/sh
# Sockets at either end, of TCP and Unix, and --send, TCP to a process that says how many bytes it has got: all bytes of
# each run arrive, the clock waits until they have, and a process at another connection compares. A line of the first
# table is a session: bytes, runs that copy (at least), input, output, options. A line of the second is a pair of ends,
# with what becomes there of eight commands that copy, or do not (ends.sh).
# Tried: the receiver counts a byte less, or its number is not looked at; no process compares what goes into a
# Tried: connection; a send that is completed late is a failure.
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"
. "$top/tests/ends.sh"

perl -MIO::Socket::IP -e1 2>perl.err || skip_all "no perl with its standard library"

# Sends by reference are completed late where the reader is late: that is no failure.
bytes 1000000 >X
mkdir late
cp X late
marked 1 sh -c 'cd late && exec perl ../net.pl output "tcp late" Y timeout 300 "$@" <X 2>err' sh \
	"$wb" -n2 -p0 -s '*send zero*' -f csv -o csv &
late=$!

while read -r size least input output options <&5; do
	if [ "$output" = tcp6 ] && ! grep -q ' lo$' /proc/net/if_inet6 2>/dev/null; then
		skip "$input to $output" "no IPv6"
		continue
	fi
	# shellcheck disable=SC2086
	copied "$size" "$least" "$input" "$output" $options
	case $output in
	send) holds "... the clock waits for the receiver" csv '^# until: the receiver had said how many bytes it has$' ;;
	tcp* | unix) holds "... the clock waits for the other side" csv "^# until: the socket's other side had all\$" ;;
	esac
	# Only these may be n/a.
	is "... each row that fits a connection copies" "$(column 1,4 csv | grep ',n/a' |
		grep -Ev '^(splice|vmsplice|.*vmsplice.*|uncached 1m.*|.*io_uring.*|mmap.send zerocopy|direct.*)( .*)?,')" ""
done 5<<'END'
1048577 30 file send --all
65537    8 pipe send -n2
65537    8 from send
1        8 file send
300001  30 file tcp --all
1048577  8 pipe tcp -n2
65537    8 file tcp6 -n2
1048577  8 file unix -n2
65537   10 unix file
65537   10 tcp file
65537    8 tcp tcp
65537    8 unix pipe
END
found_out <<'END'
1 ommmfmmm file send
1 ommmfmmm file tcp
1 ommmfmmm pipe unix
1 ommmfmmo tcp file
1 omomfmoo file send --no-verify
1 oooofooo file tcp --no-verify
END

# A reader that quits, or is killed, is no reason for n/a.
truncate -s 16M X
while read -r kind <&5; do
	between file "$kind" -n2 -s 'sendfile,read+write*,mmap+send*'
	is "a socket, $kind: each row fails" "$? $(column 4 csv |
		sed -E "s,^failed (EPIPE|ECONNRESET)$,gone,; \,^n/a EOPNOTSUPP,d" | sort -u)" "1 gone"
done 5<<'END'
unix quits
unix deaf
tcp quits
tcp deaf
END
marked 9 "$wb" --send -n1 -p0 --no-verify -z 80000g -s 'read+write 64k' -f csv -o csv </dev/zero 2>err &
pid=$!
until_there sends $pid 9000000
kill -KILL "$(children $pid | tr -d ' ')"
within 60 $pid
wait $pid
is "a receiver that is killed fails the row, and is named" "$? $(column 4,detail csv | sed "s, (.*,,")" \
	"1 failed,the process at an end: killed by signal 9"

# The rows are the same for --send and for a socket.
bytes 65537 >X
between file tcp --no-verify
is "the rows for a socket are those for --send" "$(rows --send | sort)" "$(column 1 csv | sort)"

wait $late
is "a reader that is late: sends are completed" \
	"$? $(column 4 late/csv | paste -sd' ') $(cd late && whole Y)" "0 ok ok 2"
