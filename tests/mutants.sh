#!/bin/sh
# Do the tests notice a mistake in a function of write-bench.c? Makes mutants of the functions, each with one
# small change, and runs tests on each until one fails. Prints which mutants survive all of them.
#
#     tests/mutants.sh [-n N] [-s SEED] FUNCTION...|all -- TEST...|all
#     tests/mutants.sh -n 20 copy_splice row_name -- tests/copy.t list
#     tests/mutants.sh -n 30 all -- all
#
# Tries N mutants (default 20) in an order made by SEED (default: a random one, which is printed): one of each section
# of the source in turn; by the tests that take least time first. A mutant that does not compile, or compiles to the
# same program as another, does not count. Builds with CFLAGS (default -O1), in a copy of the checkout; JOBS tests run
# at once (default 4). Needs Universal Ctags. Run it by hand, and where there is nothing to lose: a mutant may do
# anything.
#
# Exit status: 0 all were killed; 1 some survived; 2 it could not be done.

usage() {
	sed -n '2,/^$/s/^# \{0,1\}//p' "$0" >&2
	exit 2
}
number=20 seed=
while getopts n:s: option; do
	case $option in n) number=$OPTARG ;; s) seed=$OPTARG ;; *) usage ;; esac
done
shift $((OPTIND - 1))
case $number$seed in *[!0-9]*) usage ;; esac
case " $* " in *" -- "*) ;; *) usage ;; esac
top=$(cd "$(dirname "$0")/.." && pwd) || exit 2
work=$(mktemp -d "${TMPDIR:-/tmp}/write-bench-mutants.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir "$work/copy" && tar -C "$top" --exclude=./.git -cf - . | tar -C "$work/copy" -xf - || exit 2
TMPDIR=$work perl - "$work" "$number" "$seed" "$@" <<'END'
use strict;
use warnings;
use Digest::MD5 "md5";
use List::Util "shuffle";
use POSIX ":sys_wait_h";

# To add an operator: its name, a regular expression, and what replaces the first group. It is matched against the
# function with blanks in place of comments, strings and preprocessor lines.
my @operators = (
	[ "negate the condition", qr/\b(?:if|while) (\((?:[^()]++|(?1))*\))/, sub { "(!$_[0])" } ],
	[ "leave out the negation", qr/(!)(?=[\w(])/, sub { "" } ],
	[ "shift the bound", qr/ (<=?|>=?) /, sub { length $_[0] > 1 ? substr $_[0], 0, 1 : "$_[0]=" } ],
	[ "swap == and !=", qr/ ([=!]=) /, sub { $_[0] eq "==" ? "!=" : "==" } ],
	[ "swap && and ||", qr/ ?(&&|\|\|) /, sub { $_[0] eq "&&" ? "||" : "&&" } ],
	[ "swap + and -", qr/ ([-+])=? /, sub { $_[0] eq "+" ? "-" : "+" } ],
	[ "drop the statement", qr/(?:[;{}):]|\belse)\s*^\t+((?!return |\w+ \**\w)\w[^\n{}]*;) *$/m, sub { ";" } ],
	[ "swallow the failure", qr/\breturn (\w*fail\w*\([^;]*\));/, sub { "1" } ],
	[ "return another constant", qr/\breturn\b([^;]+);/, sub { $_[0] =~ /^\s*(?:0|NULL|false)$/ ? " 1" : " 0" } ],
	[ "add one", qr/(?<![\w.])(\d+)(?=[UL]*(?![\w.]))/, sub { $_[0] + 1 } ],
);
my ($work, $number, $seed, @arguments) = @ARGV;
my ($copy, $source) = ("$work/copy", "$work/copy/write-bench.c");
my (@functions, @tests);
push @functions, shift @arguments while $arguments[0] ne "--";
@arguments = ("--", glob "$copy/tests/*.t") if "@arguments" eq "-- all";
for (@arguments[1 .. $#arguments]) {
	push @tests, s{^(?:.*/)?(.*?)(?:\.t)?$}{tests/$1.t}r;
	-x "$copy/$tests[-1]" or fatal("$tests[-1]: is no test");
}
@functions && @tests or fatal("name functions, --, and tests");
$| = 1;
my %running; # tests, by the ids of their processes
sub end_all {
	kill "TERM", keys %running if %running;
	waitpid $_, 0 for keys %running;
	%running = ();
}
$SIG{INT} = $SIG{TERM} = sub { end_all(); exit 2 };

sub fatal { print STDERR "mutants.sh: @_\n"; exit 2 }
sub contents {
	open my $f, "<", $_[0] or fatal("$_[0]: $!");
	local $/;
	return <$f> // "";
}
sub build { # from this text: what make says where it fails, "" where it does not
	open my $f, ">", $source or fatal("$source: $!");
	print $f $_[0];
	close $f or fatal("$source: $!");
	my $flags = $ENV{CFLAGS} // "-O1";
	my $said = qx(make -s -B -C '$copy' CFLAGS='$flags -w' write-bench 2>&1);
	return $? ? "make: $said" : "";
}
# Starts a test that may take these seconds.
sub start {
	my ($test, $seconds) = @_;
	my $out = "$work/out." . ($test =~ s{.*/}{}r);
	open my $f, ">", $out or fatal("$out: $!");
	my $pid = fork // fatal("fork: $!");
	if (!$pid) {
		%running = ();
		chdir $copy and open STDIN, "<", "/dev/null" or exit 1;
		open STDOUT, ">&", $f and open STDERR, ">&", $f or exit 1;
		exec "timeout", "-k", 10, $seconds, $test or exit 1;
	}
	$running{$pid} = { test => $test, out => $out, seconds => $seconds, start => time };
}
# The reason that a test has failed so far, "" if it has not. status: of its process, undef while it runs.
sub why {
	my ($t, $status) = @_;
	return "$t->{test}: $1" if contents($t->{out}) =~ /^not ok \d+ - (.*)/m;
	return "" unless $status;
	return "$t->{test}: takes longer than $t->{seconds} s" if $status >> 8 == 124;
	return "$t->{test}: ends with status $status";
}
# Runs tests, some at once, until the first failure: its reason, "" if there is none. Their times go to %took.
my (%bound, %took);
sub failure {
	my @queue = @_;
	my $why = "";
	while (!$why && (@queue || %running)) {
		while (@queue && keys %running < ($ENV{JOBS} // 4)) {
			my $test = shift @queue;
			start($test, $bound{$test} // 3600);
		}
		select undef, undef, undef, 0.1;
		for my $pid (keys %running) {
			my $t = $running{$pid};
			my $status = waitpid($pid, WNOHANG) > 0 ? $? : undef;
			$why ||= why($t, $status);
			$took{$t->{test}} = time - $t->{start};
			delete $running{$pid} if defined $status;
		}
	}
	end_all();
	return $why;
}

# The functions: where they are, and all mutants of them.
my $text = contents($source);
my $no_code = qr{/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|^#(?:\\\n|[^\n])*}ms;
my $code = $text =~ s{($no_code)}{$1 =~ s/[^\n]/ /gr}ger;
my @lines = (0);
push @lines, pos $text while $text =~ /\n/g;
my %place = map { /^(\S+) (\d+) (\d+)$/ ? ($1 => [$2, $3]) : () }
	split /\n/, qx(ctags -x --c-kinds=f --_xformat='%N %n %e' '$source');
@functions = sort keys %place if "@functions" eq "all";
my @sections;
push @sections, $-[0] while $text =~ m{^/\* ---- }gm;
my @mutants;
for my $function (@functions) {
	my ($first, $last) = @{$place{$function} // fatal("$function: Universal Ctags finds no such function")};
	my $start = index $code, "{", $lines[$first - 1];
	my $body = substr $code, $start, $lines[$last] - $start;
	for my $operator (@operators) {
		my ($what, $regex, $replace) = @$operator;
		while ($body =~ /$regex/g) {
			my ($at, $old) = ($start + $-[1], substr $text, $start + $-[1], $+[1] - $-[1]);
			pos $body = $-[1] + 1; # what it found last may be the beginning of the next
			my $new = $replace->($old);
			push @mutants, { what => $what, function => $function, at => $at, old => $old, new => $new };
		}
	}
}
$seed = int rand 1e6 if $seed eq "";
srand $seed;
@mutants = shuffle @mutants;
my %turn;
for my $m (@mutants) {
	my $section = grep { $_ < $m->{at} } @sections;
	$m->{turn} = $turn{$section}++;
}
@mutants = sort { $a->{turn} <=> $b->{turn} } @mutants;

# Without a change the tests must pass; how long they take then bounds how long they may take.
my $failed = build($text);
fatal("write-bench.c does not compile: $failed") if $failed;
my %seen = (md5(contents("$copy/write-bench")) => 1);
my $why = failure(@tests);
fatal("$why, without a mutant") if $why;
$bound{$_} = 5 * $took{$_} + 30 for @tests;
@tests = sort { $took{$a} <=> $took{$b} } @tests;
my ($tried, $survived) = (0, 0);
print "Seed $seed: ", ($number < @mutants ? $number : "all"), " of ", scalar @mutants, " mutants\n";
for my $m (@mutants) {
	last if $tried == $number;
	my $mutant = $text;
	substr $mutant, $m->{at}, length $m->{old}, $m->{new};
	next if build($mutant) || $seen{md5(contents("$copy/write-bench"))}++;
	$tried++;
	$why = failure(@tests);
	my $line = grep { $_ <= $m->{at} } @lines;
	my ($was) = substr($text, $lines[$line - 1]) =~ /^\s*([^\n]*)/;
	my ($is) = substr($mutant, $lines[$line - 1]) =~ /^\s*([^\n]*)/;
	$survived += !$why;
	print $why ? "killed" : "SURVIVED", ": $m->{function}, line $line: $m->{what}";
	print $why ? " ($why)\n" : "\n\t- $was\n\t+ $is\n";
}
print "$tried mutants: ", $tried - $survived, " killed, $survived survived\n";
exit !!$survived;
END
