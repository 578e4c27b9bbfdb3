#!/bin/sh
# Promises 3 and 4: every row, every system call of its own, every fault that strace(1) can give to it: an error, an
# interruption, a lie about its bytes. No fault makes a copy that is wrong and called right; what is judged of each case
# is in judge() below, and what becomes of which error in faults.t. A new row is covered by being in the table.
# Tried: no call again after EINTR; no byte compared; n/a after the first byte; no plain copy in the end; a failing
# Tried: fstat(2) taken for the right size; a failing wait4(2) for success; io_uring_enter(2) believed in how many
# Tried: entries it has taken; the errno of a failed madvise(2) forgotten.
. "$(dirname "$0")/tap.sh"

strace -f --seccomp-bpf -qq -o /dev/null -e trace=getppid -e inject=getppid:error=EIO:when=1..2 true 2>/dev/null ||
	skip_all "no strace, or it may not trace here, or is older than 5.17"
cat >matrix.pl <<'END'
use strict; use warnings;
my ($wb, $full) = @ARGV;
$ENV{PATH} = "/usr/bin:/bin:$ENV{PATH}"; # where commands are found at once
my $moving = qr/^(?:p?(?:read|write)(?:64|v2)?|send(?:file|to)|splice|tee|vmsplice|copy_file_range)$/;
# Calls of the program or of libc amid those of a row; what they say only bears on the report, or on how much is asked.
my $spared = qr/^(?:prctl|clock_|futex|rt_sig|rseq|set_|mprotect|brk|munmap|close|get|sched_|exit|kill|poll|statx
	|recvmsg|waitid|wait4\(.*WNOHANG|newfstatat|fstat|\w+\(\d+<\/(?:sys|proc)|madvise\(.*(?:HUGE|DONTNEED)
	|fcntl\(.*F_[GS]ETFL|ioctl\(.*(?:FIONREAD|OUTQ)|openat\(.*"\/(?:proc\/(?!self\/fd)|sys|dev)
	|write\(.*<pipe:[^>]*>,[ ]"[^"]*",[ ]1\b)/x;
# Calls about the ends beside a copy, which it can do without.
my $needless = qr/^(?:fadvise64|mmap|munmap|mincore|ioctl|statx|syncfs|fcntl|close|fstatfs|flock|openat|readlink
	|newfstatat\(.*\/X>|fdatasync\(.*\/X>|lseek\(.*(?:DATA|HOLE|CUR|,\s[1-9]\d*,\sSEEK_SET))/x;
my @ends = ( # name, input, options, files that are to be copies
	['file to file', 'X', '', 'Y'], ['command to file', '/dev/null', "--from='cat X'", 'Y'],
	['file to command', 'X', "--into='cat >/dev/null'", ''], ['file to two files', 'X', '--tee=Z', 'YZ'],
	['command to two files', '/dev/null', "--from='cat X' --tee=Z", 'YZ'], ['file to a socket', 'X', '--send', ''],
	['command to command', '/dev/null', "--from='cat X' --into='cat >/dev/null'", ''],
);
my (%seen, %first); # kinds of rows; those that are the first of their kind
sub slurp { open my $f, '<:raw', $_[0] or return ''; local $/; <$f> // '' }

# One session of a row, traced so: its exit status, outcome, messages, trace; are the outputs copies?
sub session {
	my ($row, $e, $strace) = @_;
	unlink 'csv', 'err', 'trace';
	my $out = $e->[3] ? 'Y' : '/dev/null';
	my $glob = $row =~ tr/,/?/r;
	my $status = system("timeout -k 1 60 strace -f --seccomp-bpf -qq -y -o trace $strace \"$wb\" -q -p0 -n1 -f csv "
		. "-o csv -s '$glob' $e->[2] <$e->[1] >$out 2>err") >> 8;
	my ($outcome) = slurp('csv') =~ /^"?\Q$row\E"?,\d+,\d*,([^,]*)/m;
	my $input = slurp('X');
	return { status => $status, outcome => $outcome // '', err => slurp('err'), trace => slurp('trace'),
		copy => !grep { slurp($_) ne $input } split //, $e->[3] };
}

# The calls of the main thread, and of threads that it starts, each with its number among those of its name and
# thread, and in which copy it is: between two calls of prctl(2). 1 is the row's, 2 the one that is compared in its
# place, or stays; 1.5: between these.
sub calls {
	my ($trace) = @_;
	my (%number, %nth, %open, %role, @calls, $main);
	my $copy = 0.5;
	for (split /\n/, $trace) {
		my ($pid, $resumed, $name, $args) = /^(\d+) +(<\.\.\. )?(\w+)(?:\(| resumed>)(.*)$/ or next;
		my ($result) = $args =~ / = (-?\d+)\b[^=]*$/;
		$role{ $main = $pid } = 'main' if !defined $main;
		if ($resumed) {
			$open{$pid}{result} = $result;
			$args = $open{$pid}{args} .= $args;
		} else {
			$copy += 0.5 if $pid == $main && $name eq 'prctl' && $args =~ /PERF_EVENTS/;
			my $on = $args =~ m{/([YZ])>} ? $1 : $args =~ m{/X>|"/proc/self/fd/0"} ? 'X'
				: $args =~ m{"/proc/self/fd/} ? 'Y' : '';
			my $n = ++$number{$name}{$pid};
			my $hidden = grep { $_ != $pid && $number{$name}{$_} >= $n } keys %{ $number{$name} };
			$open{$pid} = { name => $name, args => $args, number => $n, result => $result, role => $role{$pid} // '',
				copy => $copy, on => $on, hidden => $hidden };
			push @calls, $open{$pid} if $role{$pid};
			$open{$pid}{nth} = ++$nth{"$pid $name $on $copy"};
		}
		$role{$result} = 'thread' if $name =~ /^clone/ && $args =~ /CLONE_THREAD/ && ($result // 0) > 0;
	}
	return @calls;
}

# Which of them are met, by their name, what they are on, and their place among such: first and last. Of a thread only
# the first is sure to be there; and a call of that number in another thread or process would be hit first.
sub met {
	my ($e, $whole, @calls) = @_;
	my (%kinds, %met);
	for my $c (grep { !$_->{hidden} } @calls) {
		my $copies = $c->{copy} == 1 || (!$e->[3] && $c->{copy} == 2 && $c->{name} =~ $moving);
		my $beside = $whole && $c->{on} && $c->{copy} != 1 && $c->{role} eq 'main';
		push @{ $kinds{"$c->{role} $c->{name} $c->{on} $c->{copy}"} }, $c
			if $beside || ($copies && "$c->{name}($c->{args}" !~ $spared);
	}
	for my $kind (keys %kinds) {
		my @of = @{ $kinds{$kind} };
		$met{"$kind first"} = $of[0];
		$met{"$kind last"} = { %{ $of[-1] }, last => $kind !~ /splice  / } if @of > 1 && $of[0]{role} eq 'main';
	}
	return %met;
}

# What is wrong with what came of a fault; '': nothing.
sub judge {
	my ($got, $clean, $c, $fault, $row, $e) = @_;
	my ($outcome, $status) = @$got{qw(outcome status)};
	my $error = $fault =~ /error=(\w+)/ ? $1 : 'a lie';
	return "exit status $status" if $status > 2;
	return 'a copy, or no message that it is none' if !$got->{copy} && $got->{err} !~ /^write-bench: .*: /m;
	return 'no copy, and exit status 0' if !$got->{copy} && $status == 0;
	return "$outcome, and no message" if $status && $outcome =~ /^(?:ok)?$/ && $got->{err} !~ /^write-bench: /m;
	return $c->{copy} < 1 ? '' : 'refused in the middle of it' if $status == 2;
	return "exit status 0, and $outcome" if !$status && $outcome !~ /^(?:ok|shared|untouched)$/;
	return '' if $outcome eq 'n/a' && $row =~ /direct/; # the page cache had it
	return '' if $outcome eq 'failed EINTR' && $row =~ /^stdio/; # libc passes it on
	return $outcome eq $clean->{outcome} ? '' : "not made again: $outcome" if $error eq 'EINTR';
	return '' if $c->{copy} != 1 && "$c->{name}($c->{args}" =~ $needless;
	return '' if $c->{copy} < 1 && $c->{name} eq 'pread64'; # reading ahead
	return "$outcome, and exit status 0" if $status == 0;
	return '' if $clean->{outcome} =~ m{^n/a};
	return "n/a by $error" if $outcome =~ m{^n/a} && $error !~ /^(?:ENOSYS|EINVAL|EPERM)$/;
	return 'n/a after the first byte' if $outcome =~ m{^n/a} && $c->{last} && $c->{name} =~ $moving;
	return '';
}

# The faults of a call.
sub faults {
	my ($c, $e, $row) = @_;
	my $all = $full && $first{"$e->[0]: $row"};
	my @faults = map { "error=$_" } $all ? qw(EIO EINVAL ENOSYS ENOSPC)
		: $c->{last} && $c->{name} =~ $moving ? 'EINVAL' : 'EIO';
	@faults = 'error=EIO' if $c->{copy} != 1;
	@faults = grep { !/ENOSYS/ } @faults if $c->{name} =~ /^clone/; # libc takes another call
	@faults = grep { !/EINVAL/ } @faults if $c->{name} eq 'io_uring_setup'; # without flags of Linux 6.1
	push @faults, 'error=EINTR'
		if ($all || !$c->{last}) && $c->{name} =~ /$moving|^(?:io_uring_enter|fallocate|ftruncate|fdatasync|wait4)$/;
	push @faults, 'retval=1', 'retval=16' if $c->{name} eq 'io_uring_enter';
	# The bytes in a pipe of ours are believed: who reads what is not there waits for ever. And of what comes out of a
	# stream another copy is compared.
	my $file = $c->{name} !~ /^(?:splice|tee|vmsplice)$/ || $c->{args} =~ m{, \d+</[^>]*/[YZ]>};
	return @faults if $c->{name} !~ $moving || ($c->{result} // 0) <= 0 || $row =~ /^stdio|zerocopy/ || !$file;
	push @faults, "retval=$c->{result}" if $e->[3] || $c->{copy} > 1;
	push @faults, 'retval=0' if $c->{copy} == 1;
	return @faults;
}

sub row {
	my ($row, $e, $whole) = @_;
	my (@said, $clean, %met);
	my ($cases, $missed) = (0, 0);
	open my $f, '>:raw', 'X' or die;
	print $f substr slurp('bytes'), 0, $row =~ /^ring/ ? 600_000 : 20_000;
	close $f;
	my $look = sub {
		$clean = session($row, $e, '');
		%met = met($e, $whole, calls($clean->{trace}));
	};
	$look->();
	return "not ok $e->[0]: $row: $clean->{outcome} without a fault: $clean->{err}"
		if $clean->{outcome} !~ m{^(?:ok|shared|n/a.*)$} || !%met;
	for my $key (sort keys %met) {
		for my $fault (faults($met{$key}, $e, $row)) {
			my ($got, $c, $why);
			for my $try (1 .. 4) { # numbers change where the page cache loses a page, or /proc has another line
				$look->() if $try > 1;
				$c = $met{$key} or next;
				my $when = $c->{number} . ($fault =~ /EINTR/ ? '..' . ($c->{number} + 2) : '');
				$got = session($row, $e,
					"-e trace=$c->{name},prctl,clone,clone3 -e inject=$c->{name}:$fault:when=$when");
				my ($hit) = grep { $_->{args} =~ /INJECTED/ } calls($got->{trace});
				next if !$hit || "$hit->{role} $hit->{on} $hit->{copy}" ne "$c->{role} $c->{on} $c->{copy}";
				next if $c->{nth} > 1 && $hit->{nth} == 1; # another call of that name came or went before
				$why = judge($got, $clean, $c, $fault, $row, $e);
				last;
			}
			$cases++;
			$missed++ if !defined $why;
			push @said, "# $key: $fault: $why (exit status $got->{status}, $got->{outcome})" if $why;
		}
	}
	push @said, "# $missed times another call was hit" if 2 * $missed > $cases;
	push @said, "# left in TMPDIR: $_" for grep { !m{/\.{1,2}$} } glob 'tmp/* tmp/.*';
	my $ok = @said ? 'not ok' : 'ok';
	return join "\n", "$ok $e->[0]: $row: $cases cases, $clean->{outcome} without a fault", @said;
}

sub rows_of { # all, or of each kind that was not there before the first
	my ($e) = @_;
	my $out = $e->[3] ? 'Y' : '/dev/null';
	system("\"$wb\" -n1 -p0 -q --in-order --no-verify -z 1 $e->[2] -f csv <$e->[1] >$out 2>listed");
	my @rows = map { /^"([^"]+)",/ || /^([^#,]+),\d/ ? $1 : () } split /\n/, slurp('listed');
	return grep {
		my $kin = /^mmap/ ? $_ : s/ (?:[0-9]\w*|bs|huge|\(.*\))//gr; # by windows, mmap has more calls
		$kin =~ s/ \+ .*// if !/^sendfile.*(?:trunc|falloc)/;
		$kin =~ s/.* direct/direct/;
		$first{"$e->[0]: $_"} = !$seen{$kin}++;
		$full || $first{"$e->[0]: $_"};
	} @rows;
}
for my $e (@ends) {
	my @rows = rows_of($e);
	print row($_, $e, $_ eq $rows[0] && ($full || $e == $ends[0])), "\n" for @rows;
}
END
mkdir tmp
bytes 600000 | tee bytes >X
full=
! full "all rows, and more errors" || full=1
TMPDIR=tmp perl matrix.pl "$wb" "$full" >said 2>err || fail "matrix.pl runs to its end" err
pass_on said
counted "fault injection: $(sed 's/ cases.*//; s/.*: //' said |
	awk '{ n += $1 } END { print n " cases, in " NR " rows" }')"
