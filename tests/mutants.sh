#!/bin/sh
# Do the tests notice a mistake in a function of write-bench.c? Makes mutants of the functions, each with one
# small change, and runs tests on each until one fails. Prints which mutants survive all of them.
#
#     tests/mutants.sh [-n N] [-s SEED] FUNCTION...|all -- TEST...|all
#     tests/mutants.sh -n 20 copy_splice row_name -- tests/copy.t list
#     tests/mutants.sh -n 30 all -- all
#
# Tries N mutants (default 20) in an order made by SEED (default: a random one, which is printed): one of each section
# of the source in turn; first by the tests that have killed most, then by those that take least time. A mutant that
# does not compile, or compiles to the same program as another, does not count. Builds with CFLAGS (default -O1), in a
# copy of the checkout; JOBS tests run at once (default 4). Needs Universal Ctags. Run it by hand, and where there is
# nothing to lose: a mutant may do anything, but end others' processes, if root runs this (by pid namespaces).
#
# Exit status: 0 all were killed; 1 some survived; 2 it could not be done.

usage() {
	sed -n '2,/^$/s/^# \{0,1\}//p' "$0" >&2
	exit 2
}
number=20 seed=$$
while getopts n:s: option; do
	case $option in n) number=$OPTARG ;; s) seed=$OPTARG ;; *) usage ;; esac
done
shift $((OPTIND - 1))
case $number$seed in *[!0-9]*) usage ;; esac
case " $* " in *" -- "*) ;; *) usage ;; esac
top=$(cd "$(dirname "$0")/.." && pwd) || exit 2
work=$(mktemp -d "${TMPDIR:-/tmp}/write-bench-mutants.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
mkdir "$work/copy" && tar -C "$top" --exclude=./.git -cf - . | tar -C "$work/copy" -xf - || exit 2
TMPDIR=$work perl - "$work" "$number" "$seed" "$@" <<'END'
use strict;
use warnings;
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
my (@functions, %running, %took, %bound, %kills); # running: tests, by the ids of their processes
my @apart = (qw(unshare --pid --fork --kill-child --mount-proc sh -c), q("$@"; exit $?), "init"); # sh reaps orphans
@apart = () if $> || system "@apart[0 .. 4] true 2>/dev/null";
push @functions, shift @arguments while $arguments[0] ne "--";
@arguments = ("--", glob "$copy/tests/*.t") if "@arguments" eq "-- all";
my @tests = map { s{^(?:.*/)?(.*?)(?:\.t)?$}{tests/$1.t}r } @arguments[1 .. $#arguments];
-x "$copy/$_" or fatal("$_: is no test") for @tests;
@functions && @tests or fatal("name functions, --, and tests");
$| = 1;
$SIG{INT} = $SIG{TERM} = sub { end_all(); exit 2 };

sub fatal { print STDERR "mutants.sh: @_\n"; exit 2 }
sub contents { local (@ARGV, $/) = @_; return <> // "" }
sub end_all {
	kill @apart ? "KILL" : "TERM", keys %running; # unshare(1) blocks SIGTERM
	waitpid $_, 0 for keys %running;
	%running = ();
}
sub build { # from this text: what make says where it fails, "" where it does not
	open my $f, ">", $source or fatal("$source: $!");
	print $f $_[0] and close $f or fatal("$source: $!");
	my $said = qx(make -s -B -C '$copy' CFLAGS="\${CFLAGS--O1} -w" write-bench 2>&1);
	return $? ? "make: $said" : "";
}
sub start { # a test
	my ($test) = @_;
	my $t = { test => $test, out => "$work/out." . $test =~ s{.*/}{}r, start => time };
	$t->{seconds} = $bound{$test} // 3600;
	my $pid = fork // fatal("fork: $!");
	return $running{$pid} = $t if $pid;
	exec @apart, "sh", "-c", 'cd "$0" && exec timeout -k 10 "$1" "$2" >"$3" 2>&1 </dev/null',
		$copy, @$t{"seconds", "test", "out"};
}
sub why { # has a test failed? status: of its process, undef while it runs
	my ($t, $status) = @_;
	return "$t->{test}: $1" if -e $t->{out} && contents($t->{out}) =~ /^not ok \d+ - (.*)/m;
	return "" unless $status;
	return "$t->{test}: " . ($status >> 8 == 124 ? "takes longer than $t->{seconds} s" : "ends with status $status");
}
sub failure { # runs tests, some at once, until the first failure: its reason, "" if there is none
	my @queue = sort { ($kills{$b} // 0) <=> ($kills{$a} // 0) or ($took{$a} // 0) <=> ($took{$b} // 0) } @tests;
	my $why = "";
	unlink glob "$work/out.*";
	while (!$why && (@queue || %running)) {
		start(shift @queue) while @queue && keys %running < ($ENV{JOBS} // 4);
		select undef, undef, undef, 0.1;
		for my $pid (keys %running) {
			my $t = $running{$pid};
			my $status = waitpid($pid, WNOHANG) > 0 ? $? : undef;
			$kills{$t->{test}}++ if !$why && ($why = why($t, $status));
			$took{$t->{test}} = time - $t->{start} unless $bound{$t->{test}};
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
my (@sections, @mutants, %turn);
push @sections, $-[0] while $text =~ m{^/\* ---- }gm;
for my $function (@functions) {
	my ($first, $last) = @{$place{$function} // fatal("$function: Universal Ctags finds no such function")};
	my $start = index $code, "{", $lines[$first - 1];
	my $body = substr $code, $start, $lines[$last] - $start;
	for my $operator (@operators) {
		my ($what, $regex, $replace) = @$operator;
		while ($body =~ /$regex/g) {
			my ($at, $old) = ($start + $-[1], substr $text, $start + $-[1], $+[1] - $-[1]);
			pos $body = $-[1] + 1; # what it found last may be the beginning of the next
			push @mutants, { what => $what, function => $function, at => $at, old => $old, new => $replace->($old) };
		}
	}
}
srand $seed;
for my $m (@mutants = shuffle @mutants) {
	my $section = grep { $_ < $m->{at} } @sections;
	$m->{turn} = $turn{$section}++;
}
@mutants = sort { $a->{turn} <=> $b->{turn} } @mutants;

# Without a change the tests must pass; how long they take then bounds how long they may take.
my $why = build($text);
fatal("write-bench.c does not compile: $why") if $why;
my %seen = (contents("$copy/write-bench") => 1);
$why = failure();
fatal("$why, without a mutant") if $why;
$bound{$_} = 5 * $took{$_} + 30 for @tests;
my ($tried, $survived) = (0, 0);
print "Seed $seed: ", ($number < @mutants ? $number : "all"), " of ", scalar @mutants, " mutants\n";
for my $m (@mutants) {
	last if $tried == $number;
	my $mutant = $text;
	substr $mutant, $m->{at}, length $m->{old}, $m->{new};
	next if build($mutant) || $seen{contents("$copy/write-bench")}++;
	$tried++;
	$why = failure();
	my $line = grep { $_ <= $m->{at} } @lines;
	my ($was, $is) = map { substr($_, $lines[$line - 1]) =~ /^\s*([^\n]*)/ } $text, $mutant;
	$survived += !$why;
	printf "%s: %s, line %d: %s%s\n", $why ? "killed" : "SURVIVED", $m->{function}, $line, $m->{what},
		$why ? " ($why)" : "\n\t- $was\n\t+ $is";
}
print "$tried mutants: ", $tried - $survived, " killed, $survived survived\n";
exit !!$survived;
END
