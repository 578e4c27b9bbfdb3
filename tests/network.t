#!/bin/sh
# TCP connections: --send, a listener of another program behind bash's /dev/tcp, and
# sockets as standard input and output: what arrives, what is compared, and what becomes of a side that dies or stops.
# Tried: it fails where the receiver counts a byte less, or its number is not looked at; where the check copy over
# Tried: --send or into a socket is left out; a row sends less than all into a socket; a receiver is not ended with its
# Tried: run; a datagram is read.
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"

{ have perl && perl -MSocket -e1 2>/dev/null; } || skip_all "no perl with its standard library"
listener=
undo='[ ! "$listener" ] || kill -KILL $listener 2>/dev/null'
cat >net.pl <<'END'
use strict;
use warnings;
use Socket qw(:DEFAULT :addrinfo);
$| = 1;

sub bound { # ADDRESS: a socket that listens there
	my ($error, $at) = getaddrinfo($_[0], 0, { socktype => SOCK_STREAM, flags => AI_NUMERICHOST });
	die $error if $error;
	my $s;
	socket($s, $at->{family}, SOCK_STREAM, 0) && bind($s, $at->{addr}) && listen($s, 9) or die "listen: $!";
	return $s;
}
sub port { (getnameinfo getsockname $_[0], NI_NUMERICHOST | NI_NUMERICSERV)[2] }

# listens ADDRESS FILE [BYTES]: prints its port, and takes one connection after the other, into FILE; dies after as many
# bytes
sub listens {
	my ($address, $file, $life) = @_;
	my $s = bound($address);
	open my $kept, ">", $file or die;
	print port($s), "\n";
	while (accept(my $c, $s)) {
		while (sysread $c, my $got, 1 << 16) {
			syswrite $kept, $got;
			exit if $life && ($life -= length $got) <= 0;
		}
	}
}

sub ends { # KIND: our end of a connection, and theirs
	my ($kind) = @_;
	my ($ours, $theirs);
	if ($kind =~ /unconnected|listening/) {
		$theirs = bound("127.0.0.1") if $kind =~ /listening/;
		socket($theirs, AF_INET, SOCK_STREAM, 0) if !$theirs;
	} elsif ($kind !~ /tcp/) {
		socketpair($ours, $theirs, AF_UNIX, $kind =~ /datagram/ ? SOCK_DGRAM : SOCK_STREAM, 0) or die;
		$theirs->blocking(0) if $kind =~ /nonblocking/;
	} else {
		my $s = bound($kind =~ /tcp6/ ? "::1" : "127.0.0.1");
		socket $theirs, $kind =~ /tcp6/ ? AF_INET6 : AF_INET, SOCK_STREAM, 0 or die;
		connect $theirs, getsockname $s and accept $ours, $s or die;
	}
	return $ours, $theirs;
}

# input|output KIND FILE COMMAND...: the command has a socket there; what comes out of it, or is left in it, goes into
# FILE
sub runs {
	my ($side, $kind, $file, @command) = @_;
	my ($ours, $theirs) = ends($kind);
	send $ours, "datagram", 0 if $ours && !$side;
	my $pid = fork;
	if (!$pid) {
		open $side ? *STDOUT : *STDIN, $side ? ">&" : "<&", $theirs or die;
		close $ours if $ours;
		exec @command or die;
	}
	my ($from, $refused) = ($side ? $ours : $theirs, $kind =~ /datagram|unconnected|listening|nonblocking/);
	close $theirs if $side;
	waitpid $pid, 0 if $refused;
	my $status = $?;
	$from->blocking(0) if $from && $refused;
	sleep $1 if $kind =~ /sleeper (\d+)/;
	open my $out, ">", $file or die;
	my $n = 0;
	while ($from && $kind !~ /taker of none/ && sysread $from, my $got, 1 << 16) {
		syswrite $out, $got;
		last if ($n += length $got) > 1000 && $kind =~ /quitter/;
	}
	close $ours if $ours;
	waitpid $pid, 0 and $status = $? if !$refused;
	exit($status >> 8);
}

my ($what, @rest) = @ARGV;
listens(@rest) if $what eq "listens";
runs($what eq "output", @rest);
END
net() { timeout -k 1 300 perl net.pl "$@"; }
# listen NUMBER FILE [BYTES]: in the background; $port, $listener
listen() {
	rm -f "port.$1"
	marked "$1" perl net.pl listens 127.0.0.1 "$2" "${3-}" >"port.$1" &
	listener=$!
	until_there grep -q . "port.$1" || fail "a listener starts"
	read -r port <"port.$1"
}
# to_port OPTION...: the README's recipe, with the words of the program in err, and its report in csv
to_port() {
	timeout -k 1 300 bash -c 'exec "$@" >"/dev/tcp/$0"' "127.0.0.1/$port" "$wb" -p0 -f csv -o csv "$@"
}
all_arrived() { # FILE BYTES: has it as many?
	[ "$(wc -c <"$1")" = "$2" ]
}
all_ok() { # DESCRIPTION: each row of csv, or it has a reason not to
	is "$1" "$(column 4 csv | grep -v '^n/a E' | sort -u)" ok
}
failed() { # DESCRIPTION REASONS: each row of csv that is not n/a
	column 4 csv | grep -v '^n/a E' | sort -u >outcomes
	is "$1" "$(grep -Evx "failed ($2)" outcomes) $(grep -c failed outcomes | sed 's/^[1-9].*/some/')" " some"
}
found_out() { # WHAT COMMAND...: commands that don't copy
	found=$1
	shift
	run 1 "$found: commands that don't copy" "$@" -x '*' --with=cat --with='head -c 100' --with='tr a b' \
		--with='cat; exit 3'
	column 1,4 csv | sort | sed -E 's/,(failed( E[A-Z]+)?|mismatch)$/,wrong/' >verdicts
	is "... are found out" "$(paste -sd ' ' verdicts)" \
		"\$ cat,ok \$ cat; exit 3,wrong \$ head -c 100,wrong \$ tr a b,wrong"
	holds "... one by its exit status" csv '^\$ cat; exit 3,1,,failed,exit status 3,'
}
ends() { # SECONDS PID STATUS WHAT
	within "$1" "$2"
	is "$4: it ends in time" $? 0
	wait "$2"
	is "... with its exit status" $? "$3"
} 2>/dev/null

# ---- Sends without copying that are completed late, in the background.
head -c 1000000 /dev/urandom >some
{
	net output "tcp sleeper 7" slept "$wb" -n2 -p0 -s '*send zero*' -f csv -o sleeper.csv <some 2>sleeper.err 3>&-
	echo $? >sleeper.tmp
	mv sleeper.tmp sleeper.status
} &

# ---- --send.
own() { (marked 1 timeout -k 1 300 "$wb" -n1 -p0 --send -f csv -o csv "$@"); }
bytes 1048577 >X
run 0 "--send, by all rows" own --all <X
all_ok "... by each, or it is n/a"
few='splice.*|.*vmsplice.*|uncached 1m.*|.*io_uring.*|mmap.send zerocopy.*'
is "... which few are" "$(column '1,4' csv | grep -v ',ok$' | cut -d, -f1 | grep -Evx "$few")" ""
is "... each row once" "$(column 1 csv | sort -u | tr '\n' ,)" \
	"$(rows --all --send <X | grep -v '^read+write 1\( +.*\)*$' | sort | tr '\n' ,)"
found_out "--send" measure --send <X
found_out "... from a pipe" piped X measure --send
run 1 "with --no-verify the number of bytes tells" measure --send --no-verify -x '*' --with='tr a b' \
	--with='head -c 100' <X
is "... and nothing else" "$(column 1,4 csv | sort | tr '\n' ' ')" "\$ head -c 100,mismatch \$ tr a b,ok "
run 1 "to a second output, too, with a row that fails" measure --send --tee=T -s 'read+write x2 64k' --with='exit 3' <X
is "... which fails" "$(column 4 csv | sort | tr '\n' ' ')" "failed ok "
same "... the copy is there" X T
run 0 "a report" measure --send -n2 -s sendfile <X
is "... is the same when it is read back" "$("$wb" --compare csv -f csv | cmp - csv 2>&1)" ""
# A file system that claims bytes and brings none: the row sends what is in its buffer.
if can_trace || or_skip "reads that bring no bytes" "strace may not trace here"; then
	head -c 65536 X >lied
	timeout -k 1 300 strace -qq -o trace -P lied -e trace=read -e inject=read:retval=65536 \
		"$wb" -z 64k -n1 -p0 -s 'read+write 64k' --send -f csv -o csv <lied >/dev/null 2>err
	is "reads that bring no bytes: the check copy is wrong" "$? $(column 4 csv)" "1 mismatch"
fi
for signal in KILL STOP; do # to the receiver
	marked 9 "$wb" --send -n1 -p0 --no-verify -z 80000g -s 'read+write 64k' -f csv -o csv </dev/zero 2>err &
	pid=$!
	until_there sends $pid 9000000
	child=$(children $pid | tr -d " ")
	kill -$signal "$child"
	if [ $signal = KILL ]; then
		ends 100 $pid 1 "the receiver is killed"
		is "... the row has failed" "$(outcomes)" "1 failed "
		holds "... by who was killed" csv '^read\+write 64k,1,,failed,.*killed by signal 9 '
	else
		kill -INT $pid
		ends 18 $pid 130 "the receiver stopped: SIGINT to the program"
	fi
done

# ---- Another program's listener, behind bash's /dev/tcp.
if have bash && [ "$(bash -c ': >/dev/tcp/127.0.0.1/x' 2>&1 | grep -c 'No such file')" = 0 ] ||
	or_skip "another program's listener" "no bash with /dev/tcp"; then
	bytes 300001 >X
	listen 2 K
	run 0 "into a listener's connection, by all rows" to_port -n2 --all <X
	all_ok "... by each, or it is n/a"
	wanted=$(($(column 4 csv | grep -c '^ok$') * 300001))
	until_there all_arrived K "$wanted"
	is "... the bytes of all runs arrive" "$(wc -c <K | tr -d ' ')" "$wanted"
	perl -e 'local $/; open F, "X"; my $x = <F>; open F, "K"; my $k = <F>;
		print $k eq $x x (length($k) / length $x) ? "" : "other bytes"' >differs
	is "... and are copies" "$(cat differs)" ""
	is "... each row that takes a socket has been there" "$(column 1 csv | sort -u | tr '\n' ,)" \
		"$(rows --all --send <X | grep -v '^read+write 1\( +.*\)*$' | sort | tr '\n' ,)"
	holds "... what the clock has waited for is reported" csv "^# until: the socket's other side had all"
	run 0 "... the next connection, from a pipe" piped X to_port -n1 -s 'splice,read+write 64k'
	is "... is served" "$(outcomes)" "2 ok "
	found_out "into a connection" to_port -n1 <X
	kill -KILL "$listener"
	listen 3 K 1000000
	run 1 "a listener that dies" to_port -n9 -s 'sendfile,read+write*' <X
	holds "... is named" csv ',failed (ECONNRESET|EPIPE),'
	is "... each row has failed" "$(column 1,4 csv | sort -u | sed 's/,.*//' | sort -u)" \
		"$(column 1,4 csv | grep ',failed' | sed 's/,.*//' | sort -u)"
	listen 4 K
	marked 11 bash -c 'exec "$@" >"/dev/tcp/$0"' "127.0.0.1/$port" "$wb" -p0 -f csv -o csv -n1 -z 80000g \
		-s 'read+write 64k' \
		--no-verify </dev/zero 2>err &
	pid=$!
	until_there test -s K
	kill -STOP "$listener"
	kill -TERM $pid
	ends 18 $pid 143 "a listener that stops: SIGTERM to the program"
fi

# ---- A socket that another process has connected.
bytes 1048577 >X
cat X X >wanted
for kind in unix tcp tcp6; do
	if [ $kind = tcp6 ] && ! grep -q ' lo$' /proc/net/if_inet6 2>/dev/null; then
		skip "into a socket: $kind" "no IPv6"
		continue
	fi
	run 0 "into a socket: $kind" net output $kind Y "$wb" -n2 -p0 -s 'read+write 64k' -f csv -o csv <X
	same "... two copies arrive" Y wanted
	holds "... what the clock has waited for is reported" csv "^# until: the socket's other side had all"
	run 1 "... by a command that does not copy" net output $kind Y "$wb" -n1 -p0 -x '*' --with='tr a b' -f csv \
		-o csv <X
	is "... which is found out" "$(outcomes)" "1 mismatch "
done
for kind in "tcp quitter" "taker of none"; do
	run 1 "into a socket whose reader is a $kind" net output "$kind" Y "$wb" -n2 -p0 -z 64m \
		-s 'sendfile,read+write*' -f csv -o csv </dev/zero
	failed "... each row fails" "EPIPE|ECONNRESET"
done
for kind in datagram unconnected listening nonblocking; do
	run 2 "standard output is a socket that is $kind" net output $kind there "$wb" -n1 -p0 -s sendfile <X
	holds "... which is refused" err "^write-bench: standard output: "
	is "... and gets nothing" "$(cat there)" ""
	[ $kind != nonblocking ] || continue
	echo old >Y
	run 2 "... and standard input" net input $kind there "$wb" -n1 -p0 -s 'read+write 64k' 1<>Y
	holds "... which is refused" err "^write-bench: standard input: "
	is "... and not read, nor is anything written" "$(cat there) $(cat Y)" "$(echo $kind | grep datagram) old"
done

# ---- Refused.
refused() { # MESSAGE OPTION...
	message=$1
	shift
	echo old >Y
	run 2 "refused: $*" timeout 200 "$wb" "$@" <X 1<>Y
	holds "... with its name" err "^write-bench: $message"
	is "... in one line, and nothing written" "$(wc -l <err | tr -d ' ') $(cat Y)" "1 old"
}
refused "--send=localhost:7100: " --send=localhost:7100
refused "--into: " --send --into=cat

until_there test -e sleeper.status
is "a reader that sleeps before it reads: exit status" "$(cat sleeper.status)" 0
is "... sends that are completed late are no failure" "$(column 4 sleeper.csv | sort -u)" ok
cat some some >wanted
same "... both copies arrive" wanted slept
