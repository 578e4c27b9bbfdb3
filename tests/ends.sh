# shellcheck shell=sh
# Ends of all kinds, and sessions between any two of them. X is what they copy, Y has all that comes out of the output.
# To be sourced after tap.sh and processes.sh.
# shellcheck disable=SC2154

cat >net.pl <<'END'
# SIDE KIND FILE COMMAND...: the command's input or output is a socket; the file goes into that, or has what comes out.
# KIND: unix, tcp or tcp6; a reader is "late" by some seconds, or "quits" after some bytes, or is "deaf" and reads none.
use strict; use warnings; use Socket; use IO::Socket::IP;
my ($side, $kind, $file, @command) = @ARGV;
my ($ours, $theirs);
if ($kind =~ /^unix/) {
	socketpair $ours, $theirs, AF_UNIX, SOCK_STREAM, PF_UNSPEC or die "socketpair: $!";
} else {
	my $host = $kind =~ /^tcp6/ ? "::1" : "127.0.0.1";
	my $s = IO::Socket::IP->new(LocalHost => $host, Listen => 1, GetAddrInfoFlags => 0) or die $@;
	$theirs = IO::Socket::IP->new(PeerHost => $host, PeerPort => $s->sockport, GetAddrInfoFlags => 0)
		or die $@;
	$ours = $s->accept or die "accept: $!";
}
my $is_output = $side eq "output";
my $pid = fork // die "fork: $!";
if (!$pid) {
	open $is_output ? *STDOUT : *STDIN, $is_output ? ">&" : "<&", $theirs or die "dup: $!";
	exec @command or die "exec: $!";
}
close $theirs;
open my $f, $is_output ? ">:raw" : "<:raw", $file or die "$file: $!";
my ($from, $to) = $is_output ? ($ours, $f) : ($f, $ours);
$SIG{PIPE} = "IGNORE";
sleep 3 if $kind =~ /late/;
while ($kind !~ /deaf/ && sysread $from, my $part, 1 << 16) {
	syswrite $to, $part;
	last if $kind =~ /quits/;
}
close $ours;
waitpid $pid, 0;
exit($? & 127 ? 128 + ($? & 127) : $? >> 8);
END
mkfifo in.fifo out.fifo

# feed KIND COMMAND...: it has X as an input of that kind
feed() {
	fed=$1
	shift
	case $fed in
	file) "$@" <X ;;
	pipe) piped X "$@" ;;
	fifo)
		timeout 300 cat X >in.fifo &
		"$@" <in.fifo
		;;
	zero) "$@" -z "$(wc -c <X)" </dev/zero ;; # X is to be zeros, too
	from) "$@" --from='cat X' </dev/null ;;
	unix | tcp*) perl net.pl input "$fed" X "$@" ;;
	esac
}
# between INPUT OUTPUT OPTION...: a session between such ends, run by $under; its report is in csv, what it says in err
between() {
	in_kind=$1 out_kind=$2
	shift 2
	rm -f Y csv
	# shellcheck disable=SC2086
	set -- timeout -k 1 120 ${under-} "$wb" -n1 -p0 -f csv -o csv "$@"
	case $out_kind in
	file) feed "$in_kind" "$@" >Y ;;
	null) feed "$in_kind" "$@" >/dev/null ;;
	pipe) into Y feed "$in_kind" "$@" ;;
	fifo)
		timeout 300 cat out.fifo >Y &
		reader=$!
		feed "$in_kind" "$@" >out.fifo
		;;
	into) feed "$in_kind" "$@" --into='cat >>Y' >/dev/null ;;
	send) feed "$in_kind" "$@" --send >/dev/null ;;
	unix* | tcp*) feed "$in_kind" perl net.pl output "$out_kind" Y "$@" ;;
	esac 2>err 3>&-
	ended_so=$?
	[ "$out_kind" != fifo ] || wait "$reader"
	[ -e csv ] || : >csv
	return $ended_so
}
# Of the session in csv: its runs that copied; and rows that neither did, nor are n/a here
copying() { column 4 csv | grep -cE '^(ok|shared|untouched)$'; }
unlike() { column 1,4 csv | grep -vE ',(ok|shared|untouched|n/a( E[A-Z]+)?)$'; }
# whole FILE: the number of copies of X that it consists of
whole() {
	[ -e "$1" ] || { echo none && return; }
	perl -0777 -e 'my ($file, $x) = map { open my $f, "<:raw", $_ or die; <$f> // "" } @ARGV;
		my $n = length($file) / length $x;
		print $file eq $x x $n ? $n : length($file) . " other bytes"' "$1" X
}
# whole_of KIND: those that an output of that kind is to have
whole_of() {
	case $1 in
	file) echo 1 ;;
	null | send) echo none ;;
	*) copying ;;
	esac
}
# copied SIZE LEAST INPUT OUTPUT OPTION...: so many bytes, by each row, LEAST runs at least; a file has them once, and
# any other output once for each run that copied, and in full
copied() {
	size=$1 least=$2
	shift 2
	case $1 in zero) head -c "$size" /dev/zero >X ;; *) bytes "$size" >X ;; esac
	between "$@"
	is "$size bytes: $*" "$? $(unlike)$([ "$(copying)" -ge "$least" ] || echo "only $(copying), ")$(whole Y)" \
		"0 $(whole_of "$2")"
}
# found_out <LINES "STATUS LETTERS INPUT OUTPUT OPTION...": the first letters of what becomes there of commands that
# copy, or do not, as rows of one session; a file has a copy in the end
found_out() {
	while read -r status letters input output options <&5; do
		rm -f once
		# shellcheck disable=SC2086
		between "$input" "$output" --in-order -x '*' --with=cat --with=true --with='tr a b' --with='cat; echo' \
			--with='cat; exit 3' --with='head -c 100' --with='head -c $SIZE /dev/zero' \
			--with='[ ! -e once ] || exec tr a b; : >once; exec cat' $options # such names are in this order
		is "commands that don't copy: $input $output $options" "$? $(column 4 csv | cut -c1 | tr -d "\n")" \
			"$status $letters"
		[ "$output" != file ] || same "... the output is a copy all the same" X Y
	done 5<&0
}
