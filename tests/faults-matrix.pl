#!/usr/bin/perl
# The matrix of faults-matrix.t: every row that a session has, every system call that it makes once the ends are open,
# and every fault that strace(1) can give to it. Prints one line for each row, "ok WHAT" or "not ok WHAT", and
# comments; what is asserted of each case is in judge() below.
#
# A row is traced once without a fault. Each call there is known by its thread, its name, the file that it is about
# (one of the ends, as strace's -P has it), and its number among those: so a case hits the same one again.
use strict;
use warnings;
use POSIX qw(:sys_wait_h setpgid dup2 _exit);
use Socket;

my ($wb, $work, $full, $jobs) = @ARGV;
my $strace = (grep { -x $_ } map { "$_/strace" } split /:/, $ENV{PATH})[0];
my $mark = "write-bench-faults.$$";
# seconds that a case may take: far more than any needs on a machine that stands still
use constant PATIENCE => $ENV{PATIENCE} || 60;
# Bytes to copy: several calls by 1k, and by 256k in threads. Into a stream one call a copy, since there it is another
# copy that is compared, and a lie has to be made in both; and few, where each byte is two calls.
use constant { TINY => 300, STREAM => 4_000, SMALL => 20_000, LARGE => 600_000 };
my @sizes = (TINY, STREAM, SMALL, LARGE);

# ---- Ends: options, and what is behind standard input and output -----------------------------------------------

my @ends = (
	{ name => 'file to file', in => 'file', out => 'file', options => [] },
	{ name => 'pipe to file', in => 'pipe', out => 'file', options => [] },
	{ name => 'file to pipe', in => 'file', out => 'pipe', options => [] },
	{ name => 'pipe to pipe', in => 'pipe', out => 'pipe', options => [] },
	{ name => 'file to two files', in => 'file', out => 'file', options => ['--tee=Z'] },
	{ name => 'pipe to two files', in => 'pipe', out => 'file', options => ['--tee=Z'] },
	{ name => 'file to socket', in => 'file', out => 'socket', options => [] },
	{ name => 'file to --send', in => 'file', out => 'null', options => ['--send'] },
);

# ---- Which call, with which fault ----------------------------------------------------------------------------------

# The calls that move bytes, and so can lie about how many.
my $moving = qr/^(?:p?(?:read|write)(?:64|v2)?|sendfile|splice|tee|vmsplice|copy_file_range|sendto|recvfrom|recvmsg)$/;
# Those that may be interrupted, as their man pages have it: they are to be made again. (connect(2) goes on by itself.)
my $waiting = qr/^(?:io_uring_enter|fallocate|ftruncate|fdatasync|wait4|waitid|poll|clock_nanosleep|dup2|accept4)$/;
my $interruptible = qr/$moving|$waiting/;
# Not meddled with.
my %spared = map { $_ => 1 } qw(exit exit_group execve rt_sigreturn restart_syscall), # they do not return, or not to us
	qw(rseq set_robust_list set_tid_address arch_prctl),              # libc's, before a thread has begun
	qw(brk mprotect),                                                 # the allocator's
	# libc's, which ends the program; a nap between looks at a child: as many as it happens to be, or none
	qw(futex rt_sigtimedwait),
	# they can't fail: setsid(2) of a child that leads no group
	qw(getpid getppid gettid getuid geteuid getgid getegid alarm umask setsid);
# Results that don't matter: call, what its arguments match, why. A fault there may leave the row measured.
my @harmless = (
	[ 'fadvise64', qr/FADV_NORMAL/, 'taking back advice' ],
	[ 'munmap', qr/./, 'the copy is made; address space is lost' ],
	[ 'mmap', qr/, PROT_READ, MAP_SHARED, /, 'the page cache; no row maps so' ],
	[ 'mincore', qr/./, 'what is in the page cache; or that is not known' ],
	[ 'madvise', qr/HUGEPAGE|DONTNEED/, 'a hint; the stack of a thread that has ended' ],
	[ 'clone3', qr/ENOSYS/, 'libc takes clone' ],
	[ 'close', qr/./, 'of what has been read, or only kept open' ],
	[ 'newfstatat', qr/report>/, 'does it block? And is it the output? It does not, and is not' ],
	[ 'ftruncate', qr/report>/, 'a message says that an older report may show below' ],
	[ 'fcntl', qr/F_SETFL|F_GETFL|F_SETOWN/, 'flags as they were' ],
	[ 'ioctl', qr/TCGETS|FIEMAP|FIONREAD|[ST]IOCOUTQ/,
		'no terminal, no extents, nothing left: what is assumed then' ],
	[ 'fstatfs', qr/./, 'a name for the report' ],
	[ 'statx', qr/./, 'the alignment that is assumed otherwise' ],
	[ 'sysinfo', qr/./, 'memory, for the report' ],
	[ 'sched_getaffinity', qr/./, 'the number of processors is known otherwise, too' ],
	[ 'sched_yield', qr/./, 'no promise' ],
	[ 'prlimit64', qr/./, 'libc asks for the stack' ],
	[ 'clock_gettime', qr/./, 'CPU time, for the report' ],
	[ 'clock_nanosleep', qr/./, 'a pause' ],
	[ 'rt_sigaction', qr/./, 'signals that do not come' ],
	[ 'rt_sigprocmask', qr/./, 'signals that do not come' ],
	[ 'prctl', qr/./, 'what becomes of processes when we are gone' ],
	[ 'kill', qr/./, 'there is no process left in the group' ],
	[ 'fdatasync', qr/./, 'of --cold' ],
	[ 'poll', qr/./, 'it is only asked to look again' ],
	[ 'dup2', qr/^(?:dup2\()?(\d+)(?:<[^>]*>)?, \1\b/, 'it is there already' ],
	[ 'recvmsg', qr/MSG_ERRQUEUE/, 'completions, which are only counted' ],
	[ 'waitid', qr/./, 'the child is killed then, if it has not ended: wait4(2) tells which' ],
	[ 'getsockopt', qr/SO_ERROR/, 'completions, which are only counted' ],
	[ 'lseek', qr/SEEK_DATA|SEEK_HOLE/, 'holes, for a warning' ],
	[ 'lseek', qr/, [1-9]\d*, SEEK_SET|report>/,
		'where the descriptors of the caller are left; the beginning of a report, where it is' ],
	[ 'access', qr{self/fd}, 'if the page cache tells of an output: it is not known then' ],
	[ 'faccessat2', qr{self/fd}, 'the same' ],
	[ 'write', qr/<pipe:[^>]*>, "[^"]{1,2}", 1\b/,
		'lets a feeder begin: without it the input ends early; or that of the input alone' ],
	[ 'readlink', qr{"/sys/dev/block/}, 'a name for the report' ],
	[ 'syncfs', qr/./, 'asked once more, and left: an error of another file' ],
);
my $refusing = qr/^(?:open|[fm]advise|mmap|fallocate|ftruncate|fcntl|ioctl|io_uring|pipe|sync_file_range|clone|memfd)/;
my $repeated = # as often as needed
	qr/^(?:wait4|waitid|kill|clock_nanosleep|readlink|readv|io_uring_enter|recvfrom)$/;
my @errors = qw(EIO ENOSPC ENOSYS EINVAL EPERM EAGAIN);
my %refusal = map { $_ => 1 } qw(ENOSYS EINVAL EPERM);

sub harmless {
	my ($name, $line) = @_;
	for (@harmless) {
		return 1 if $_->[0] eq $name && $line =~ $_->[1];
	}
	return 0;
}

# ---- One run of the program ----------------------------------------------------------------------------------------

my %input;
sub slurp {
	my ($path) = @_;
	open my $f, '<:raw', $path or return '';
	local $/;
	return scalar(<$f>) // '';
}

# Both ends of a pipe or TCP connection, of which the second is the program's output.
sub make_out {
	my ($kind) = @_;
	if ($kind eq 'pipe') {
		pipe my $r, my $w or die "pipe: $!";
		return ($r, $w);
	}
	socket my $l, PF_INET, SOCK_STREAM, 0 or die "socket: $!";
	listen $l, 1 or die "listen: $!";
	socket my $w, PF_INET, SOCK_STREAM, 0 or die "socket: $!";
	connect $w, pack_sockaddr_in((unpack_sockaddr_in(getsockname $l))[0], INADDR_LOOPBACK) or die "connect: $!";
	accept my $r, $l or die "accept: $!";
	return ($r, $w);
}

# A process that keeps what comes out, since the program waits for its reader: its id, and the writer's end is ours no
# more.
sub keep_all {
	my ($r, $w, $path) = @_;
	my $pid = fork // die "fork: $!";
	return $pid if $pid;
	close $w;
	open my $f, '>:raw', $path or _exit(1);
	my $part;
	syswrite $f, $part while sysread $r, $part, 1 << 20;
	_exit(0);
}

# Runs the program in a directory between some ends, traced with some options. May it block, as lies about pipes have
# it? Returns what there is to judge.
sub run_once {
	my ($dir, $e, $row, $size, $may_block, @strace) = @_;
	my ($in, $keep, $reader, $writer, $keeper, $report);
	unlink "$dir/report", "$dir/report.too", "$dir/err", "$dir/trace", "$dir/Z";
	# of two names: written in place, which can be foreseen
	open $report, '>', "$dir/report" and link "$dir/report", "$dir/report.too";
	if ($e->{in} eq 'pipe') {
		pipe $in, $keep or die "pipe: $!";
		fcntl $keep, 1031, 1 << 20; # F_SETPIPE_SZ: all of the input fits
		syswrite $keep, $input{$size};
		close $keep;
	} else {
		open $in, '<', "$dir/X.$size" or die "X: $!";
	}
	if ($e->{out} eq 'pipe' || $e->{out} eq 'socket') {
		($reader, $writer) = make_out($e->{out});
		$keeper = keep_all($reader, $writer, "$dir/out");
		close $reader;
	} else {
		open $writer, '>', $e->{out} eq 'null' ? '/dev/null' : "$dir/Y" or die "Y: $!";
	}
	open my $err, '>', "$dir/err" or die "err: $!";
	my $pid = fork // die "fork: $!";
	if ($pid == 0) {
		setpgid(0, 0);
		chdir $dir;
		dup2(fileno $in, 0);
		dup2(fileno $writer, 1);
		dup2(fileno $err, 2);
		# a cat that says at once that it has no version
		%ENV = (TMPDIR => "$dir/tmp", WB_MARK => $mark, PATH => "$work/bin", LC_ALL => 'C');
		exec { $strace } 'strace', '-f', '-qq', '-o', 'trace', '-e', 'signal=none', @strace, $wb, '-p0', '-n1',
			'--seed=1', '-s', $row =~ tr/,/?/r,
			# quiet: few calls for standard error
			@{ $e->{options} }, '-q', '-f', 'csv', '-o', 'report' or _exit(125);
	}
	close $writer;
	close $in;
	my %got = (status => wait_for($pid, $may_block));
	waitpid $keeper, 0 if $keeper;
	$got{out} = $keeper ? slurp("$dir/out") : $e->{out} eq 'file' ? slurp("$dir/Y") : undef;
	$got{err} = slurp("$dir/err");
	$got{trace} = slurp("$dir/trace");
	$got{interrupted} = slurp("$dir/report") =~ /^# interrupted: by signal 15 /m;
	my @row = grep { s/^"?\Q$row\E"?,// } split /\n/, slurp("$dir/report") =~ s/^.*^row,[^\n]*\n//msr;
	$got{outcome} = @row ? (split /,/, $row[-1])[2] : '';
	opendir my $d, "$dir/tmp";
	$got{left} = join ' ', grep { !/^\./ } readdir $d;
	return \%got;
}

# Does the program, which strace(1) has started, sleep in one call, and all of its children with it, unless they have
# ended? Then none of them is switched to meanwhile: what they are, and the program; '': one runs, or waits for a
# processor.
sub sleeps {
	my ($pid) = @_;
	my ($main) = my @asleep = children_of($pid) or return ('', 0);
	my $all = '';
	while (@asleep) {
		my $one = shift @asleep;
		slurp("/proc/$one/status") =~ /^State:\s+(\w).*^voluntary_ctxt_switches:\s+(\d+)/ms or return ('', $main);
		return ('', $main) if $1 !~ /[SZ]/;
		$all .= "$one $2 ";
		push @asleep, children_of($one);
	}
	return ($all, $main);
}

sub children_of {
	my ($pid) = @_;
	return split ' ', join ' ', map { slurp("$_/children") } glob "/proc/$pid/task/*";
}

# "status 0", "signal 9", or "time": it had to be ended. What may block is asked to end when it has slept for a quarter
# of a second.
sub wait_for {
	my ($pid, $may_block) = @_;
	my ($last, $times, $until) = ('', 0, time + PATIENCE);
	while ($may_block && $times < 5 && time < $until) {
		return $? & 127 ? 'signal ' . ($? & 127) : $? >> 8 if waitpid $pid, WNOHANG;
		my ($now, $main) = sleeps($pid);
		$times = $now ne '' && $now eq $last ? $times + 1 : 0;
		$last = $now;
		kill 'TERM', $main if $times == 5;
		select undef, undef, undef, 0.05;
	}
	local $SIG{ALRM} = sub { die "time\n" };
	my $ended = eval { alarm PATIENCE; waitpid $pid, 0; alarm 0; 1 };
	return $? & 127 ? 'signal ' . ($? & 127) : $? >> 8 if $ended;
	my @alive = marked();
	kill 'KILL', @alive if @alive;
	waitpid $pid, 0;
	return 'time';
}

# Processes that have the mark of this process: what is left of cases.
sub marked {
	return grep { $_ != $$ && slurp("/proc/$_/environ") =~ /(?:^|\0)WB_MARK=\Q$mark\E(?:\0|$)/ }
		map { m{/(\d+)$} } glob '/proc/[0-9]*';
}

# ---- The calls of a run ----------------------------------------------------------------------------------------------

# The subject of a call, as -P has it: an end, or a file by its name; '': something without a name.
sub path_of {
	my ($dir, $name, $args) = @_;
	$args =~ s/\\([0-3][0-7]{2})/chr oct $1/ge; # bytes beyond ASCII, as strace(1) writes those of paths
	return $1 if $name =~ /^(?:open|access|faccessat|readlink)/ && $args =~ m{"([^"]*)"};
	for my $file ("$dir/Y", "$dir/Z", (map { "$dir/X.$_" } @sizes), "$dir/report", "$dir/err") {
		return $file if index($args, "<$file>") >= 0 || index($args, "\"$file\",") >= 0;
	}
	return $1 if $args =~ m{<(/(?:proc|sys|etc|dev)/[^>]*)>};
	return '';
}

# Reads a trace: calls with pid, role, name, args, path, number (among its name and path, in its thread), result, and
# whether the output had a byte before.
sub read_trace {
	my ($dir, $e, $text) = @_;
	my (@calls, %open, %count, %role, $main, $moved);
	my $last_output = "@{ $e->{options} }" =~ /tee/ ? "$dir/Z" : "$dir/Y";
	for (split /\n/, $text) {
		my ($pid, $rest) = /^(\d+) +(.*)$/ or next;
		$main //= $pid;
		$role{$pid} //= $pid == $main ? 'main' : 'child';
		if ($rest =~ /^<\.\.\. (\w+) resumed>(.*)$/) {
			my $c = delete $open{$pid} or next;
			$c->{args} .= $2;
			finish_call($c, \%role);
			next;
		}
		my ($name, $args) = $rest =~ /^(\w+)\((.*)$/ or next;
		my %c = (pid => $pid, role => $role{$pid}, name => $name, args => $args, after => $moved);
		$c{path} = path_of($dir, $name, $args);
		$c{number} = ++$count{"$pid $name $c{path}"};
		$c{plain} = ++$count{"$pid $name"};
		push @calls, \%c;
		if ($args =~ s/ <unfinished \.\.\.>$//) {
			$c{args} = $args;
			$open{$pid} = $calls[-1];
		} else {
			finish_call(\%c, \%role);
		}
		$moved = 1 if $name =~ $moving && $c{path} eq $last_output && ($c{result} // 1) > 0;
	}
	return ($main, @calls);
}

sub finish_call {
	my ($c, $role) = @_;
	$c->{result} = $1 if $c->{args} =~ /= (-?\d+)[^=]*$/;
	$role->{ $c->{result} } = $c->{args} =~ /CLONE_THREAD/ ? 'thread' : 'child'
		if $c->{name} =~ /^(?:v?fork|clone3?)$/ && $c->{result};
}

# By what a call without a name is found again: its first argument, and how many bytes it asks for.
sub signature {
	my ($name, $args) = @_;
	my ($first) = $args =~ /^(-?\d+)(?=[<,)])/; # not 0x...
	my ($bytes) = $name =~ $moving ? $args =~ /, (\d+)(?:, [^,)]*)?\) += /
		: $name eq 'waitid' ? $args =~ /(WEXITED)/ : ();
	return ($first // '') . ' ' . ($bytes // '');
}

# Some calls on files of /proc come before, and how many depends on what these say: where it was another one that was
# hit, the number at which the right one is now; 0: it was. Of calls on a file that are fewer now, as there are fewer
# loop devices to be compared with, the last.
sub number_now {
	my ($dir, $e, $c, $got) = @_;
	return 0 if $c->{role} ne 'main';
	my ($main, @calls) = read_trace($dir, $e, $got->{trace});
	return $got->{trace} =~ /INJECTED/ ? 0 : scalar grep { $_->{pid} == $main && $_->{name} eq $c->{name} } @calls
		if $c->{path} ne '';
	my ($number, $there) = (0, 0);
	for my $now (grep { $_->{pid} == $main && $_->{name} eq $c->{name} && $_->{path} eq '' } @calls) {
		next if signature($now->{name}, $now->{args}) ne $c->{sig} || ++$number != $c->{sig_number};
		return 0 if $now->{args} =~ /INJECTED/;
		$there = $now->{plain};
	}
	return $there;
}

# Was another call of the main thread hit? The input may have to be read once more beforehand, where the page cache has
# lost it.
sub another_hit {
	my ($c, $got) = @_;
	my ($name, $args) = $got->{trace} =~ /^\d+ +(\w+)\((.*\(INJECTED\).*)$/m or return 0;
	my $refused = $got->{status} eq '2' && $c->{when} eq 'run'; # so the call was one of the start
	return $c->{role} eq 'main' && $c->{path} =~ /X\.\d+$/ && ($refused || signature($name, $args) ne $c->{sig});
}

# The owner of a file is asked for where mincore(2) has to say what is in the page cache; without an answer that is not
# known.
sub find_unneeded {
	my ($main, @calls) = @_;
	my $last;
	for my $c (grep { $_->{pid} == $main } @calls) {
		$last->{unneeded} = 1 if $last && $last->{name} eq 'newfstatat' && $c->{name} eq 'geteuid';
		$last = $c;
	}
}

# The cases of a row: each of its calls, first and last of its kind, with each of the faults that it can have.
sub cases_of {
	my ($dir, $e, $row, $size, $clean, $with_session) = @_;
	my ($main, @calls) = read_trace($dir, $e, $clean->{trace});
	my ($runs, $own_runs) = (0, $e->{out} eq 'file' ? 1 : 2);
	my ($started, $measuring, $reference, %kinds, @cases, %sigs, %not_ours, %by_thread) = (0, 0, 0);
	find_unneeded($main, @calls);
	my %least; # bytes that one of several threads asks for, each of which counts for itself
	for my $c (grep { $_->{role} ne 'child' } @calls) {
		my ($asked) = (split / /, signature($c->{name}, $c->{args}))[1] or next;
		my $call = "$c->{name} $c->{path} $c->{number}";
		$least{$call} = $asked if !defined $least{$call} || $asked < $least{$call};
	}
	for my $c (@calls) {
		$c->{most} = $least{"$c->{name} $c->{path} $c->{number}"} if $c->{role} eq 'thread';
		$by_thread{"$c->{name} $c->{path} $c->{number}"} = 1 if $c->{role} eq 'thread';
		$c->{sig} = signature($c->{name}, $c->{args});
		$c->{sig_number} = ++$sigs{"$c->{pid} $c->{name} $c->{path} $c->{sig}"};
		if ($c->{pid} == $main && $measuring) { # what is measured beside the row and its check copy is no row
			$runs++ if $c->{name} eq 'prctl' && $c->{args} =~ /PERF_EVENTS_DISABLE/;
			# only the copy that stays is left
			$runs = -9 if $c->{name} eq 'openat' && $c->{path} eq '/proc/stat';
			$reference = $runs >= $own_runs
				if $runs < 0 || $c->{name} =~ /^(?:pipe2|memfd_create|v?fork|clone3?)$/;
			$not_ours{ $c->{result} } = 1
				if $reference && $c->{name} =~ /^(?:v?fork|clone3?)$/ && $c->{result};
		}
		$started = 1 if $c->{pid} == $main && $c->{name} eq 'rt_sigaction' && $c->{args} =~ /^SIGINT/;
		$c->{when} = $measuring ? 'run' : 'start';
		# the last of the start
		$measuring = 1 if $c->{pid} == $main && $c->{name} eq 'openat' && $c->{path} eq '/proc/stat';
		next if ($reference && $c->{pid} == $main) || $not_ours{ $c->{pid} };
		next if $c->{name} =~ /^syscall_/; # strace has no name for it
		next if !$started || $spared{ $c->{name} } || ($c->{role} eq 'child' && !$measuring);
		# about the machine, for the report
		next if $c->{path} =~ m{^/(?:proc|sys|etc|dev)/} && $c->{path} !~ m{^/proc/self/fd/};
		# what a loop device lies on, of others
		next if $c->{name} eq 'openat' && $c->{path} =~ m{^/(?!proc/)} && index($c->{path}, "$dir/") != 0;
		# a pipe that stays open makes its reader wait: no kernel does that
		next if $c->{name} eq 'close' && $c->{path} eq '';
		next if $c->{path} eq "$dir/err"; # what is said to the user
		my $own = $c->{when} eq 'run' && $c->{path} !~ /report$/;
		# the same in each row
		next if !$with_session && (!$own || harmless($c->{name}, $c->{args}) || $c->{unneeded});
		push @{ $kinds{"$c->{role} $c->{name} $c->{path} $c->{when}"} }, $c;
	}
	my %before; # calls that come before the ends are there: a child's call of the same number would hit those first
	$before{ $_->{name} }++ for grep { $_->{pid} == $main && ($_->{when} // 'start') eq 'start' } @calls;
	for my $kind (sort keys %kinds) {
		my @of = @{ $kinds{$kind} };
		$of[-1]{last} = 1;
		# no strategy reads from the output
		my $verifier = $of[0]{name} eq 'pread64' && $of[0]{path} =~ m{/[YZ]$};
		my %seen;
		# Some are made as often as it takes, or as bytes happen to come through a pipe: only the first is sure
		# to be there.
		my $few = $of[0]{role} ne 'main'
			|| $of[0]{name} =~ $repeated
			|| ($of[0]{name} =~ $moving && $e->{in} eq 'pipe')
			# the reader is waited for
			|| ($of[0]{name} =~ /^(?:ioctl|poll|getsockopt)$/ && $e->{out} =~ /pipe|socket/);
		for my $c (grep { !$seen{ $_->{number} }++ } $few ? $of[0] : @of[ 0, -1 ]) {
			next if $few && $c->{role} ne 'main' && $c->{number} > 1;
			my $k = $c->{path} eq '' ? $c->{plain} : $c->{number};
			next if $c->{role} ne 'main' && $c->{path} eq '' && $k <= ($before{ $c->{name} } // 0);
			# Each thread counts for itself: those of a row would be hit first.
			next if $c->{role} eq 'main' && $c->{path} ne '' && $by_thread{"$c->{name} $c->{path} $k"};
			my @faults = map { { call => $c, k => $k, %$_ } } faults_of($e, $c, \@of, $k);
			my $few_faults = $verifier && !$with_session;
			push @cases, grep { !$few_faults || $_->{lie} || $_->{fault} =~ /EINTR|EIO/ } @faults;
		}
	}
	return @cases;
}

sub faults_of {
	my ($e, $c, $of, $k) = @_;
	my @faults;
	my $first = $c == $of->[0];
	# The number of bytes in a pipe of ours is believed: where that is a lie, whoever reads them waits for ever.
	my @lie = (lie => 1, blocks => scalar $c->{name} =~ /^(?:splice|tee|vmsplice)$/);
	push @faults, { fault => 'error=EINTR', when => $k } if $first && $c->{name} =~ $interruptible;
	push @faults, { fault => 'error=EINTR', when => "$k+3" } if $first && $c->{name} =~ $interruptible;
	# A call that can be refused, or have no room, has all errors; of what else is asked one stands for all.
	my @of = harmless($c->{name}, $c->{args}) ? 'EIO' : $c->{name} =~ $moving || $c->{name} =~ $refusing
		? $e == $ends[0] ? @errors : qw(EIO EINVAL EAGAIN) : 'EIO'; # between other ends one of each kind
	push @faults, map { { fault => "error=$_", when => $k } } @of;
	# A send by reference that was not made never completes, which is waited for.
	if ($c->{name} =~ $moving && $c->{args} !~ /MSG_ZEROCOPY/ && $c->{when} eq 'run' && ($c->{result} // 0) > 0
		&& ($c->{role} ne 'child' || $c->{name} eq 'read') && $c->{path} !~ /report$/) {
		# Never more than is asked for, as no kernel does. Of a stream the copy that is compared is another than
		# the first.
		my $last = (grep { ($_->{result} // 0) == $c->{result} } @$of)[-1];
		my $every = '..' . ($c->{path} eq '' ? $last->{plain} : $last->{number});
		$every = '' if $e->{out} !~ /pipe|socket|null/ || $last == $c;
		my $lie = defined $c->{most} && $c->{most} < $c->{result} ? $c->{most} : $c->{result};
		push @faults, { fault => "retval=$lie", when => "$k$every", @lie };
		push @faults, { fault => 'retval=1', when => $k, @lie } if $c->{result} > 1 && !$every;
		push @faults, { fault => 'retval=0', when => "$k", @lie };
	}
	push @faults, { fault => "retval=$_", when => $k, lie => 1 }
		for $c->{name} eq 'io_uring_enter' ? (1, 2, 16) : ();
	return @faults;
}

# ---- Assertions -----------------------------------------------------------------------------------------------

# The reason that a case is not as it should be; '': it is.
sub judge {
	my ($dir, $e, $row, $size, $clean, $case, $got) = @_;
	my @injected = grep { /\(INJECTED\)/ } split /\n/, $got->{trace};
	my ($outcome, $status) = @$got{qw(outcome status)};
	my $c = $case->{call};
	my $same = !defined $got->{out} || $got->{out} eq $input{$size};
	my ($error) = $case->{fault} =~ /error=(\w+)/;

	return 'nothing was injected' if !@injected;
	# It was asked to end, and says so: where others have the processors, also when the lie had been found.
	if ($case->{blocks} && $status eq 'signal 15') {
		return $got->{interrupted} && $outcome =~ /^(?:|failed.*|mismatch)$/ ? '' : "it blocked, but $outcome";
	}
	return "it ended by $status" if $status !~ /^[0-9]+$/ || $status > 2;
	return "left in TMPDIR: $got->{left}" if $got->{left} ne '';
	if ($status == 2) {
		return 'exit status 2 without a message' if $got->{err} !~ /^write-bench: ./m;
		# A page of the input that was lost is read again at the start: the fault is then met there.
		my $read = $got->{err} =~ /^write-bench: standard input: (?:read: E|ends at byte)/m;
		return 'exit status 2 in the middle of it' if $c->{when} eq 'run' && $c->{role} eq 'main' && !$read;
		return '';
	}
	return "outcome \"$outcome\""
		if $outcome !~ /^(?:ok|shared|untouched|mismatch|not run|(?:n\/a|failed)(?: E\w+)?)$/
		&& !($status == 1 && $got->{err} =~ /report: (?:write|was removed)/);
	my $timed = $outcome =~ /^(?:ok|shared|untouched)$/;
	return "exit status 0, but $outcome" if $status == 0 && !$timed && $outcome !~ /^n\/a/;
	return "exit status 1, but $outcome, and no message"
		if $status == 1 && ($timed || $outcome =~ /^n\/a/) && $got->{err} !~ /^write-bench: /m;
	if ($e->{out} eq 'file') {
		return 'exit status 0, but standard output is no copy' if $status == 0 && !$same;
		return 'standard output is no copy, and no message says so'
			if !$same && $got->{err} !~ /is not a copy of the input/;
	} elsif ($outcome eq 'ok' && !$same && !$case->{lie}) {
		return 'ok, but what came out is no copy';
	}
	return '' if harmless($c->{name}, $c->{args}) || $c->{unneeded}
		|| !grep { !harmless($c->{name}, $_) } @injected;
	return '' if $c->{when} eq 'start' && !$case->{lie};
	if ($error && $error eq 'EINTR' && $c->{name} =~ $interruptible) {
		# libc passes it on
		return '' if $row =~ /^stdio/ && $outcome eq 'failed EINTR' || $got->{err} =~ /report: write: EINTR/;
		return $outcome eq $clean->{outcome} ? '' : "not made again: $outcome";
	}
	# how the feeder ended, when all is copied: the first that is waited for
	return '' if $c->{name} eq 'wait4' && $e->{in} eq 'pipe';
	return '' if $error && $error eq 'EAGAIN' && $c->{name} =~ /^recv/; # asked not to wait: then it waits
	return '' if $error && $error eq 'EAGAIN' && $c->{path} =~ /report$/; # it is written again
	# without flags that are of Linux 6.1, then
	return '' if $error && $error eq 'EINVAL' && $c->{name} eq 'io_uring_setup';
	return '' if $row =~ /^stdio/ && $c->{name} eq 'newfstatat'; # libc, for the size of its buffer
	# is an end a pipe? If unknown, it makes one
	return '' if $row =~ /splice/ && $c->{name} eq 'newfstatat' && $c->{when} eq 'run';
	return '' if $case->{fault} eq 'retval=0' && $row =~ /^stdio/; # which is true; and libc writes again
	# believed is the offset that the kernel keeps
	return '' if $case->{lie} && $row =~ / x2/ && $c->{name} =~ /^(?:sendfile|copy_file_range)$/;
	# the buffer has these bytes, of the first
	return '' if $case->{lie} && $c->{last} && $e->{name} =~ /two files/ && $c->{name} eq 'read';
	return "$outcome all the same" if $timed && $status == 0;
	# The row's own call of that name has no path either: it is hit, too, and before the first byte.
	my $both = $c->{role} eq 'child' && $got->{trace} =~ /^(\d+) .*\n(?:.*\n)*?\1 .*INJECTED/;
	return "n/a, after the first byte"
		if $outcome =~ /^n\/a/ && $c->{after} && !$both && $clean->{outcome} !~ /^n\/a/;
	return "n/a by what is no refusal"
		if $outcome =~ /^n\/a/ && $error && !$refusal{$error} && $clean->{outcome} !~ /^n\/a/;
	return '';
}

# ---- Rows ------------------------------------------------------------------------------------------------------------

sub rows_of {
	my ($dir, $e) = @_;
	my $pid = fork // die "fork: $!";
	if ($pid == 0) {
		chdir $dir;
		my $w;
		open STDIN, '<', "X.${\SMALL}";
		if ($e->{in} eq 'pipe') {
			pipe STDIN, $w;
			syswrite $w, 'x';
			close $w;
		}
		open STDOUT, '>', $e->{out} eq 'file' ? 'Y' : '/dev/null';
		my @into = $e->{out} eq 'pipe' ? ('--into=cat') : $e->{out} eq 'socket' ? ('--send') : ();
		open STDERR, '>', 'listed';
		exec $wb, qw(-n1 -p0 -q --in-order --no-verify -z 1 -f csv), @{ $e->{options} }, @into or _exit(125);
	}
	waitpid $pid, 0;
	my %seen;
	return grep { !$seen{$_}++ } map { s/^"([^"]*)".*/$1/r =~ s/,[0-9].*//r } grep { !/^(?:#|row,)/ } split /\n/,
		slurp("$dir/listed");
}

sub size_of {
	my ($e, $row) = @_;
	return TINY if $row =~ /^read\+write 1\b(?!\d|k|m|g|2)/;
	return STREAM if $e->{out} !~ /file/;
	return $row =~ /^(?:threads|ring)/ ? LARGE : SMALL;
}

# A name that rows have in common that differ by their advice, buffer or pipe alone: the same calls, of which most mean
# the same. The first of them has all faults, the others some: and in the quick part they are left out.
sub kin {
	my ($row) = @_;
	$row =~ s/ \+ advices.*//;
	$row =~ s/ \(pipe 1m\)//;
	$row =~ s/^(read\+write(?: x2)?(?: sparse)?|tee\+splice|stdio|pipe\+splice) \d*\w+/$1/ if $row ne 'stdio 1';
	return $row;
}

sub new_dir {
	my ($dir) = @_;
	mkdir $dir;
	mkdir "$dir/tmp";
	for my $size (@sizes) {
		open my $f, '>:raw', "$dir/X.$size" or die "X: $!";
		print $f $input{$size};
		close $f;
	}
	return $dir;
}

sub shown {
	my ($case) = @_;
	my $c = $case->{call};
	my $on = $c->{path} ? ' on ' . $c->{path} =~ s{.*/(?=[XYZr])}{}r : '';
	return "$c->{role} $c->{name}$on $case->{fault}:when=$case->{when}";
}

sub options_of {
	my ($case) = @_;
	my $c = $case->{call};
	# The first call that is shown is of the main thread.
	return ('--seccomp-bpf', '-y', $c->{path} ne '' ? ('-P', $c->{path}) : (),
		'-e', "trace=$c->{name},set_tid_address", '-e', "inject=$c->{name}:$case->{fault}:when=$case->{when}");
}

# Of each call that moves bytes a few faults, in turn lies and others; of each other call one at all, or as many where
# there is time.
my ($turn, %met) = (0);
sub some_of {
	my ($few, @cases) = @_;
	my (%kinds, %chosen);
	push @{ $kinds{"$_->{call}{role} $_->{call}{name} " . ($_->{call}{path} =~ s/X\.\d+/X/r)} }, $_ for @cases;
	for my $kind (sort keys %kinds) {
		my @of = @{ $kinds{$kind} };
		my $c = $of[0]{call};
		my $matters = $c->{name} =~ $moving || ($few > 1 && !harmless($c->{name}, $c->{args}));
		for (1 .. ($matters ? $few : !$met{$kind}++)) {
			my @lies = grep { $_->{lie} } @of;
			my @from = @lies && $turn % 2 ? @lies : @of;
			$chosen{ $from[ $turn++ * 11 % @from ] } = 1;
		}
	}
	return grep { $chosen{$_} } @cases;
}

# btrfs puts direct I/O through the page cache, and often drops it there at once: which of the two is a matter of
# chance. The row is n/a without an errno if it does not. Where it always is (tmpfs), once will do.
sub run_settled {
	my ($always, @run) = @_;
	my $got = run_once(@run);
	for (2 .. 10) {
		last if $always || $got->{outcome} ne 'n/a';
		$got = run_once(@run);
	}
	return $got;
}

# The machine's loop devices: files are compared with each of them at the start, so that numbers of calls are other ones
# where they change.
sub loop_devices {
	return join '', map { "$_ " . slurp($_) } glob '/sys/block/loop*/{diskseq,loop/backing_file}';
}

# One row between some ends: "ok" or "not ok", and what there was. Once more, where loop devices came or went meanwhile.
sub do_row {
	for (1 .. 5) {
		my $devices = loop_devices();
		my $said = try_row(@_);
		return $said if $said =~ /^ok/ || $devices eq loop_devices() || $_ == 5;
	}
}

my $compared = 0;
sub try_row {
	my ($dir, $e, $row, $with_session, $few) = @_;
	my $size = size_of($e, $row);
	my $clean = run_settled(0, $dir, $e, $row, $size, 0, '-y');
	my $always = $clean->{outcome} eq 'n/a';
	my @cases = cases_of($dir, $e, $row, $size, $clean, $with_session);
	my (@said, $missed);
	my $wanted = $clean->{outcome} =~ /^n\/a/ ? '1' : '0';
	push @said, "# without a fault: exit status $clean->{status}: $clean->{outcome}: $clean->{err}"
		if $clean->{status} ne $wanted;
	# Copies of all rows are compared alike: that one in four is compared will do where few faults are asked for.
	@cases = grep { $_->{call}{name} ne 'pread64' || $_->{call}{role} ne 'main' } @cases
		if $few && !$with_session && $row !~ /direct/ && $compared++ % 4;
	@cases = some_of($few, @cases) if $few;
	for my $case (@cases) {
		my $got = run_settled($always, $dir, $e, $row, $size, $case->{blocks}, options_of($case));
		for (1 .. 4) {
			my $now = number_now($dir, $e, $case->{call}, $got);
			last if !$now && !another_hit($case->{call}, $got);
			$case->{when} =~ s/^\d+/$now/ if $now;
			$got = run_settled($always, $dir, $e, $row, $size, $case->{blocks}, options_of($case));
		}
		# Answers of /proc, and losses of the page cache, change all the time: a fault of another call says
		# nothing of this one.
		my $other = number_now($dir, $e, $case->{call}, $got) || another_hit($case->{call}, $got);
		next if $other && $missed++ < 2;
		my $why = judge($dir, $e, $row, $size, $clean, $case, $got);
		print STDERR join("\t", $e->{name}, $row, shown($case), $got->{status}, $got->{outcome}, $why), "\n"
			if $ENV{DEBUG};
		next if $why eq '';
		my ($hit) = grep { /INJECTED/ } split /\n/, $got->{trace};
		my ($said) = split /\n/, $got->{err};
		push @said, '# ' . shown($case) . ": $why", '#     ' . substr($hit // '', 0, 160),
			"#     status $got->{status}, $got->{outcome}; " . ($said // '');
	}
	for (1 .. 200) {
		last if !marked();
		select undef, undef, undef, 0.05;
	}
	my @alive = marked();
	push @said, "# processes are left: @alive" if @alive;
	kill 'KILL', @alive if @alive;
	my $n = @cases;
	my $first = "$e->{name}: $row: $n cases, $clean->{outcome} without a fault";
	return join '', map { "$_\n" } (@said ? 'not ok' : 'ok') . " $first", @said;
}

# ---- All of them -----------------------------------------------------------------------------------------------------

mkdir "$work/bin";
symlink((grep { -x } '/bin/true', '/usr/bin/true')[0], "$work/bin/cat");
srand 1;
for my $size (@sizes) { # without long lists: what this process has is copied for each run
	$input{$size} = '';
	$input{$size} .= pack 'N', int rand 2**32 for 1 .. $size / 4;
}
my $only = $ENV{ONLY} // ''; # for the developer: rows of which END: ROW matches
my @todo;
# Few faults of each call: all of them for a row where it is first, two where it is met again, one for those of its kin.
# In the quick part one for each, between two pairs of ends at most.
my %often;
for my $e (@ends) {
	my $dir = new_dir("$work/list");
	my @rows = rows_of($dir, $e);
	my %first;
	for my $i (0 .. $#rows) {
		my $kin = kin($rows[$i]);
		my $few = $first{$kin}++ ? 1 : $often{$kin}++ ? 2 : 0;
		next if !$full && ($few == 1 || $often{$kin} > 2) && $i > 0;
		push @todo, [ $e, $rows[$i], $i == 0, $full ? $few : 1 ];
	}
}
@todo = grep { "$_->[0]{name}: $_->[1]" =~ /$only/ } @todo if $only;
my @pids;
for my $job (0 .. $jobs - 1) {
	my $pid = fork // die "fork: $!";
	if ($pid == 0) {
		$mark .= ".$job";
		my $dir = new_dir("$work/$job");
		open my $f, '>', "$work/said.$job" or die "said: $!";
		for my $i (grep { $_ % $jobs == $job } 0 .. $#todo) {
			print $f do_row($dir, @{ $todo[$i] });
		}
		close $f;
		_exit(0);
	}
	push @pids, $pid;
}
my $died = 0;
for (@pids) {
	waitpid $_, 0;
	$died ||= $?;
}
my $said = join '', map { slurp("$work/said.$_") } 0 .. $jobs - 1;
print $said;
my ($rows, $cases) = (0, 0);
$rows++, $cases += $1 while $said =~ /^(?:not )?ok .*: (\d+) cases,/mg;
print "counted fault injection: $cases cases, in $rows rows between " . @ends . " pairs of ends\n";
exit($died || $rows != @todo ? 1 : 0);
