#!/usr/bin/perl
# For explain.t: each row between ends that suit it is run once under strace(1), in a session with those that want an input of
# the same length, and its explanation is held against the calls that are seen between the two readings of the CPU clock that
# surround a copy. Prints one line for each row, "ok WHAT", "not ok WHAT", "skip WHAT|WHY", and comments.
use strict;
use warnings;
use POSIX qw(:sys_wait_h dup2 _exit);

my ($wb, $full, $jobs, @places) = @ARGV; # directories of several file systems: what one refuses another one may have
use constant PATIENCE => 300; # seconds that a session may take
use constant MOST => 17 << 20; # bytes of an input: rows by 32m and by 1g ask for all of it at once

# ---- Ends ------------------------------------------------------------------------------------------------------------

my @ends = (
	{ name => 'file to file', options => [], which => qr/./ },
	{ name => '--cold', options => ['--cold'], which => qr/\+ (?:noreuse|readahead)/ },
	{ name => 'file to pipe', options => ['--into=cat >/dev/null'], which => qr/./ },
	{ name => 'pipe to file', options => ['--from=cat X'], which => qr/./, piped => 1 },
	{ name => 'file to --send', options => ['--send'], which => qr/./ },
	{ name => 'file to two files', options => ['--tee=Z'], which => qr/./ },
	{ name => 'pipe to two files', options => [ '--from=cat X', '--tee=Z' ], which => qr/./, piped => 1 },
);

# What an explanation names, as strace(1) names it; and which of what is seen has to be named.
my %traced_as = (pread => 'pread64', pwrite => 'pwrite64', posix_fadvise => 'fadvise64', posix_fallocate => 'fallocate', open => 'openat');
my @moving = qw(read write pread64 pwrite64 preadv preadv2 pwritev pwritev2 readv writev splice tee vmsplice sendfile copy_file_range sendto
	sendmsg io_uring_enter fallocate ftruncate fadvise64 readahead madvise sync_file_range ioctl mmap);
my $moving = qr/^(?:${\join '|', @moving})$/;
my %value_of = (RWF_DONTCACHE => 1 << 7, STATX_DIOALIGN => 1 << 13); # an older strace(1)
my @set_up = qw(openat statx setsockopt fcntl); # may be made before, once for all runs
my $set_up = qr/^(?:${\join '|', @set_up})$/;

sub slurp {
	my ($path) = @_;
	open my $f, '<:raw', $path or return '';
	local $/;
	return scalar(<$f>) // '';
}

# ---- Rows and their explanations -----------------------------------------------------------------------------------

sub output_of { # COMMAND...: what it says, with both ends as they are in a run
	my ($dir, @command) = @_;
	my $pid = fork // die "fork: $!";
	if ($pid == 0) {
		chdir $dir;
		open STDIN, '<', 'X';
		open STDOUT, '>', 'Y';
		open STDERR, '>', 'err';
		exec @command or _exit(125);
	}
	waitpid $pid, 0;
	return slurp("$dir/Y") . slurp("$dir/err");
}

sub rows_of {
	my ($dir, $e) = @_;
	my %seen;
	output_of($dir, $wb, qw(-n1 -p0 -q --in-order --no-verify -z 1 --all -f csv), @{ $e->{options} });
	my @rows = map { s/^"([^"]*)".*/$1/r =~ s/,[0-9].*//r } grep { !/^(?:#|row,)/ } split /\n/, slurp("$dir/err");
	return grep { $_ =~ $e->{which} && !$seen{$_}++ } @rows;
}

# The pseudo-code of all rows, by name, with what a line says outside of calls.
sub explanations {
	my ($dir, @rows) = @_;
	my %code;
	while (my @some = splice @rows, 0, 100) {
		my $row;
		for (split /\n/, output_of($dir, $wb, map { "--explain=$_" } @some)) {
			if (/^(\S.*)$/) {
				$row = $1;
				$code{$row} = '';
			} elsif (defined $row && /^    (.*)$/) {
				$code{$row} .= "$1\n";
			}
		}
	}
	s/^(?:bs: .*|(?:Any|Since) Linux.*)\n(?:.*\n)*\z//m for values %code;
	return %code;
}

# The calls that code names: name, arguments, and the line.
sub calls_of {
	my ($code) = @_;
	my @calls;
	for my $line (split /\n/, $code) {
		while ($line =~ /\b([a-z][a-z_0-9]*)\(((?:[^()]|\([^()]*\))*)\)/g) {
			push @calls, { name => $traced_as{$1} // $1, said => "$1($2)", args => $2, line => $line } if $1 ne 'while' && $1 ne 'for';
		}
		while ($line =~ /\bwhile \(\(?(?:n = )?([a-z][a-z_0-9]*)\(((?:[^()]|\([^()]*\))*)\)/g) {
			push @calls, { name => $traced_as{$1} // $1, said => "$1($2)", args => $2, line => $line };
		}
	}
	my %seen;
	return grep { !$seen{"$_->{said} $_->{line}"}++ } @calls;
}

# The numbers of bytes that a text names.
sub sizes_in {
	my ($text, $length, $bs) = @_;
	my @sizes;
	$text =~ s/"[^"]*"//g;
	$text =~ s/\[\d+\]//g;
	push @sizes, $1 * $bs while $text =~ s/\b(\d+) \* bs\b//;
	push @sizes, $1 * $2 while $text =~ s/\b(\d+) \* (\d+)\b//;
	$text =~ s/\bthreads \* \d+\b//g;
	push @sizes, $length while $text =~ s/\bLENGTH\b//;
	push @sizes, $1 while $text =~ /(?<![\w.+-])(\d+)\b/g;
	return @sizes;
}

# ---- One session -------------------------------------------------------------------------------------------------------

# The calls of the program's own threads between the two clocks of each run, and those that it made before: at the start, and
# since the run before.
sub read_trace {
	my ($text) = @_;
	my ($main, %ours, %open, @calls);
	for (split /\n/, $text) {
		my ($pid, $rest) = /^(\d+) +(.*)$/ or next;
		$main //= $pid;
		$ours{$main} = 1;
		my $c;
		if ($rest =~ /^<\.\.\. (\w+) resumed>(.*)$/) {
			$c = delete $open{$pid} or next;
			$c->{args} .= $2;
		} elsif ($rest =~ /^(\w+)\((.*)$/) {
			$c = { pid => $pid, name => $1, args => $2, main => $pid == $main };
			push @calls, $c;
			if ($c->{args} =~ s/ <unfinished \.\.\.>$//) {
				$open{$pid} = $c;
				next;
			}
		} else {
			next;
		}
		$ours{$1} = $1 if $ours{$pid} && $c->{name} =~ /^clone3?$/ && $c->{args} =~ /CLONE_THREAD.*= (\d+)$/;
	}
	@calls = grep { $ours{ $_->{pid} } } @calls;
	my @clocks = grep { $calls[$_]{main} && $calls[$_]{name} eq 'clock_gettime' && $calls[$_]{args} =~ /CLOCK_PROCESS_CPUTIME_ID/ } 0 .. $#calls;
	my %near = map { $_ => 1 } map { ($_ - 1, $_ + 1) } @clocks; # several in a row: is the clock a fine one?
	@clocks = grep { !$near{$_} } @clocks;
	return if !@clocks || @clocks % 2;
	my @runs;
	for (my $i = 0; $i < @clocks; $i += 2) {
		my $last = $i ? $clocks[ $i - 1 ] : 0;
		push @runs, [ [ @calls[ $clocks[$i] + 1 .. $clocks[ $i + 1 ] - 1 ] ], [ @calls[ 0 .. $clocks[0], $last .. $clocks[ $i + 1 ] ] ] ];
	}
	return @runs;
}

# What a call asks for: its arguments without strings and results, and the numbers in these.
sub plain {
	my ($c) = @_;
	return $c->{plain} if defined $c->{plain};
	my $args = $c->{args};
	$args =~ s/"(?:[^"\\]|\\.)*"(?:\.\.\.)?//g;
	$args =~ s/\)\s*= .*?$// if $args =~ /\)\s*= (?:-?\d+|0x[0-9a-f]+|\?)[^=]*$/;
	$c->{plain} = $args;
	(my $numbers = $args) =~ s/<[^>]*>//g;
	$c->{numbers} = { map { $_ => 1 } $numbers =~ /(?<![\w.])(-?\d+)(?![\wx])/g };
	return $args;
}

sub asks_for_all {
	my ($c, @sizes) = @_;
	plain($c);
	return !grep { !$c->{numbers}{$_} } @sizes;
}

my $traced = ''; # calls

# Runs rows once. Returns lists, each of a row, its outcome, and its run as read_trace() has it.
sub run_rows {
	my ($dir, $e, @rows) = @_;
	unlink "$dir/csv", "$dir/trace", "$dir/Z";
	my $pid = fork // die "fork: $!";
	if ($pid == 0) {
		chdir $dir;
		open STDIN, '<', 'X';
		open STDOUT, '>', grep({ /send|into/ } @{ $e->{options} }) ? '/dev/null' : 'Y';
		open STDERR, '>', 'err';
		exec 'timeout', '-k', '1', PATIENCE, 'strace', '-f', '--seccomp-bpf', '-qq', '-y', '-s', '8', '-o', 'trace', '-e', 'signal=none',
			'-e', "trace=$traced", $wb, '-p0', '-n1', '--in-order', '--no-verify', '-s', join(',', @rows),
			@{ $e->{options} }, '-q', '-o', 'csv', '-f', 'csv' or _exit(125);
	}
	waitpid $pid, 0;
	my @outcomes = map { /^(?:"([^"]*)"|([^,]*)),[^,]*,[^,]*,([^,]*)/ ? [ $1 // $2, $3 ] : () }
		split /\n/, slurp("$dir/csv") =~ s/^.*^row,[^\n]*\n//msr;
	my @runs = read_trace(slurp("$dir/trace") =~ s/\\([0-3][0-7]{2})(?=[^<>"\n]*>)/chr oct $1/ger); # in paths
	splice @runs, @rows if @runs > @rows; # what is measured beside the rows, and the copy that is left in the end
	return map { [ @{ $outcomes[$_] }, $runs[$_] ] } 0 .. $#outcomes if @outcomes == @rows && @runs == @outcomes;
	return map { run_rows($dir, $e, $_) } @rows if @rows > 1; # which of them has no clocks?
	return [ $rows[0], @outcomes ? $outcomes[0][1] : 'no run: ' . slurp("$dir/err") =~ s/\n.*//sr ];
}

# ---- What is asserted ------------------------------------------------------------------------------------------------

# Is a named call the one that is seen? By its flags and the files that it is about; then by its sizes.
sub is_about {
	my ($dir, $e, $named, $c) = @_;
	return 0 if $named->{name} ne $c->{name};
	my $args = plain($c);
	$args =~ s/\bBTRFS_IOC_CLONE\b/FICLONE/;
	for my $flag ($named->{args} =~ /\b_?[A-Z][A-Z0-9_]{3,}\b/g) {
		next if $flag =~ /^(?:LENGTH|NULL)$/ || index($args, $flag) >= 0;
		return 0 if !$value_of{$flag} || !grep { hex($_) & $value_of{$flag} } $args =~ /\b(0x[0-9a-f]+) \/\*/g;
	}
	return 0 if $named->{name} eq 'openat' && $c->{args} !~ /\Q$dir\E/;
	return 1 if $named->{name} eq 'openat';
	return 0 if $named->{args} =~ /\bin\b/ && $named->{name} ne 'ioctl' && !$e->{piped} && $args !~ m{<\Q$dir\E/X>};
	return 0 if $named->{args} =~ /\bring\b/ && $args !~ /io_uring/;
	return 0 if $named->{args} =~ /^first\b|, first\b/ && $named->{name} ne 'ioctl' && $args !~ m{<\Q$dir\E/Y>};
	return 0 if $named->{args} =~ /\bsecond out\b/ && $args !~ m{<\Q$dir\E/Z>};
	return 0 if $named->{args} =~ /\b(?:each|other) out\b/ && $args !~ m{<\Q$dir\E/[YZ]>};
	return 0 if $named->{args} =~ /(?:^|, )out\b/ && "@{ $e->{options} }" !~ /into|send/ && $args !~ m{<\Q$dir\E/[YZ]>};
	return 1;
}

sub size_asked { # by a call that moves data; undef: it has none
	my ($c) = @_;
	my $args = plain($c);
	$args =~ s/<[^>]*>//g;
	return $1 if $c->{name} =~ /^(?:read|write|sendto)$/ && $args =~ /^\d+, *(?:0x[0-9a-f]+|NULL)?, (\d+)/;
	return $1 if $c->{name} =~ /^p(?:read|write)64$/ && $args =~ /^\d+, *(?:0x[0-9a-f]+|NULL)?, (\d+), \d+$/;
	return $1 if $c->{name} =~ /^(?:preadv2?|pwritev2?|vmsplice)$/ && $args =~ /iov_len=(\d+)/;
	return $1 if $c->{name} =~ /^(?:splice|copy_file_range)$/ && $args =~ /, (\d+), 0$/;
	return $1 if $c->{name} =~ /^(?:fadvise64|sync_file_range)$/ && $args =~ /^\d+, \d+, (\d+),/;
	return $1 if $c->{name} =~ /^(?:tee|sendfile|ftruncate|readahead|fallocate)$/ && $args =~ /, (\d+)(?:, 0)?$/;
	return $1 if $c->{name} =~ /^(?:mmap|madvise)$/ && $args =~ /^(?:NULL|0x[0-9a-f]+), (\d+),/;
	return undef;
}

# Why an explanation is not what was seen: a list, empty if it is.
sub judge {
	my ($dir, $e, $row, $code, $length, $run, $before) = @_;
	my $bs = 4096;
	$bs = $1 if join('', map { $_->{name} eq 'fstatfs' ? $_->{args} : '' } @$before) =~ m!<\Q$dir\E/[XY]>, [^}]*?f_bsize=(\d+)!;
	my @wrong;
	my @named = calls_of($code);
	for my $named (@named) {
		my @about = grep { is_about($dir, $e, $named, $_) } @$run;
		push @about, grep { is_about($dir, $e, $named, $_) } @$before if $named->{name} =~ $set_up;
		my $may = $e->{piped} && ($named->{line} =~ /, (?:unless|or into)|for each end that is none/ || $row =~ /tee\+splice/);
		if (!@about) {
			push @wrong, "$named->{said} is not seen" if !$may;
			next;
		}
		my @sizes = sizes_in($named->{args}, $length, $bs);
		my @clamped = map { $_ > $length ? $length : $_ } @sizes; # nobody asks for more than there is
		push @wrong, "$named->{said} is seen only as $named->{name}(" . plain($about[0]) . ')'
			if !$may && !grep { my $c = $_; asks_for_all($c, @sizes) || asks_for_all($c, @clamped) } @about;
		if ($named->{args} =~ /\bthreads \* (\d+)/) {
			my $each = $1;
			push @wrong, "$named->{said} is not seen" if !grep { my $c = $_; grep { $_ >= 2 * $each && $_ % $each == 0 } keys %{ $c->{numbers} } } @about;
		}
	}
	my %first;
	for my $c (@$run) {
		next if $c->{name} !~ $moving;
		next if $c->{args} =~ m{^\d+</(?:sys|proc)/};
		next if $c->{name} eq 'readv' || $c->{name} eq 'write' && $e->{piped} && $c->{args} =~ /^\d+<pipe:/; # words from a command, and to it
		next if $c->{name} eq 'ioctl' && $c->{args} !~ /FICLONE|BTRFS_IOC_CLONE/;
		next if $c->{name} eq 'sync_file_range' && plain($c) =~ /, 0$/; # moves nothing: is it to be had?
		next if $c->{name} eq 'mmap' && $c->{args} !~ m{<\Q$dir\E/};
		next if $c->{name} eq 'madvise' && !$c->{main} && $c->{args} =~ /MADV_DONTNEED/; # libc, of the stack of a thread that ends
		my @flags = plain($c) =~ /\b((?:POSIX_FADV|MADV|FALLOC_FL|SYNC_FILE_RANGE|MAP)_\w+)/g;
		next if $first{"$c->{name} @flags"}++;
		my @same = grep { my $named = $_; is_about($dir, $e, $named, $c) && !grep { index($named->{args}, s/^SYNC_FILE_RANGE//r) < 0 } @flags } @named;
		if (!@same) {
			push @wrong, "$c->{name}(" . plain($c) . ') is not named';
			next;
		}
		my $size = size_asked($c) // next;
		next if $e->{piped} && $c->{name} eq 'sync_file_range'; # as much as has come
		next if grep { $_->{args} =~ /(?:^| )(?:left|end - data|n|\.\.\.)(?:$|[, ])/ } @same; # what there is
		my @sizes = map { $_ > $length ? $length : $_ } sizes_in($code, $length, $bs);
		push @wrong, "$c->{name}(" . plain($c) . "): $size is no size that is named" if $size && !grep { $_ == $size } @sizes;
	}
	my $threads = grep { $_->{name} =~ /^clone3?$/ && $_->{args} =~ /CLONE_THREAD/ } @$run;
	push @wrong, $threads ? "$threads threads are not named" : 'threads are not seen' if !$threads != ($code !~ /^threads: /m);
	return @wrong;
}

# ---- Rows, in several processes ----------------------------------------------------------------------------------------

sub input { # DIRECTORY BLOCK LENGTH: X becomes a file of noise, with a block of zeros
	my ($dir, $block, $length) = @_;
	my $path = "$dir/X.$block.$length";
	unlink "$dir/X";
	return if link $path, "$dir/X";
	open my $random, '<:raw', '/dev/urandom' or die "urandom: $!";
	sysread $random, my $noise, 1 << 20;
	open my $f, '>:raw', $path or die "$path: $!";
	syswrite $f, substr $noise x (1 + ($length >> 20)), 0, $length;
	sysseek $f, $block, 0;
	syswrite $f, "\0" x $block if $block < 1 << 20;
	close $f;
	link $path, "$dir/X";
}

# How large the blocks of a row are, or are taken to be, so that there are few lengths; and how many bytes it is to copy.
sub sizes_of {
	my ($row, $code) = @_;
	my $most = 0;
	for my $n (sizes_in($code =~ s/^.*(?:MAP_ANONYMOUS|fcntl\(end,).*$//mgr =~ s/LENGTH//gr, 0, 4096)) {
		$most = $n if $n > $most;
	}
	my ($block) = grep { $most <= $_ } 16, 1 << 10, 1 << 14, 1 << 17, 1 << 20, MOST;
	$block = 1 << 17 if !$most;
	my $length = ($row =~ /^send/ ? 100 : $row =~ /^(?:threads|ring|io_uring)/ ? 6 : 3) * ($block // MOST) + 123;
	return ($block // MOST, $length > MOST ? MOST : $length);
}

# Rows between some ends, at the first place that has each: lines by row.
sub test_rows {
	my ($dir, $places, $e, $code, @rows) = @_;
	my (%said, %by_size);
	push @{ $by_size{ join ' ', sizes_of($_, $code->{$_}) } }, $_ for @rows;
	for my $sizes (sort keys %by_size) {
		my ($block, $length) = split / /, $sizes;
		my @left = @{ $by_size{$sizes} };
		for my $place (@$places) {
			my $at = "$place/$dir";
			mkdir $at;
			input($at, $block, $length);
			my @refused;
			for (run_rows($at, $e, @left)) {
				my ($row, $outcome, $run) = @$_;
				if ($outcome =~ m{^n/a}) {
					push @refused, $row;
					$said{$row} = ["skip $row, $e->{name}|$outcome"];
				} elsif ($outcome !~ /^(?:ok|shared|untouched)/) {
					$said{$row} = ["not ok $row: $outcome"];
				} elsif (!$run) {
					$said{$row} = ["not ok $row: no run is seen"];
				} else {
					my @wrong = judge($at, $e, $row, $code->{$row}, $length, @$run);
					$said{$row} = @wrong ? [ "not ok $row, $e->{name}", map { "# $_" } @wrong ]
						: ["ok $row, $e->{name}: what is named is seen, and what is seen is named"];
				}
			}
			@left = @refused or last;
		}
	}
	return %said;
}

my $first = "$places[0]/rows";
mkdir $first;
input($first, 4096, 100000);
my (@work, %calls); # ends with the codes of their rows, and these
$calls{$_} = 1 for @moving, @set_up, qw(fstatfs clone clone3 clock_gettime);
for my $e (@ends) {
	my @rows = rows_of($first, $e);
	my %of = explanations($first, @rows);
	for my $row (grep { !defined $of{$_} } @rows) {
		print "not ok $row has no explanation\n";
	}
	@rows = grep { defined $of{$_} } @rows;
	$calls{ $_->{name} } = 1 for map { calls_of($_) } values %of;
	push @work, [ $e, \%of, @rows ];
}
$traced = join ',', map { "?$_" } sort keys %calls; # some are libc's
# Rows that differ from others by advice or size alone have the same number: one process has them all.
sub kin { return $_[0] =~ s/ \(pipe 1m\)//r =~ s/ \+ .*//r =~ s/ \d+\w*//gr }
my %number;
$number{ kin($_) } //= keys %number for map { @$_[ 2 .. $#$_ ] } @work;
my @pids;
for my $job (0 .. $jobs - 1) {
	my $pid = fork // die "fork: $!";
	if ($pid) {
		push @pids, $pid;
		next;
	}
	open my $out, '>', "$first/out.$job" or _exit(1);
	my (%ran, %skipped);
	for (@work) {
		my ($e, $code, @rows) = @$_;
		@rows = grep { $number{ kin($_) } % $jobs == $job } @rows;
		# In the quick part each row is run where it is applicable first, and elsewhere the first of its kin.
		my %met;
		@rows = grep { !$met{ kin($_) }++ || !$ran{$_} } @rows if !$full;
		my %said = test_rows("explain.$job", \@places, $e, $code, @rows);
		for my $row (sort keys %said) {
			if ($said{$row}[0] =~ /^skip/) {
				$skipped{$row} .= "$said{$row}[0]\n";
				next;
			}
			$ran{$row} = 1;
			print $out map { "$_\n" } @{ $said{$row} };
		}
	}
	print $out map { $ran{$_} ? () : $skipped{$_} } sort keys %skipped;
	close $out;
	_exit(0);
}
waitpid $_, 0 for @pids;
print slurp("$first/out.$_") for 0 .. $jobs - 1;
