#!/bin/sh
# Promise 3, and the contract of --explain: the calls that it names for a row are those that strace(1) sees in a run of
# it, and no other call moves bytes. Each row is a case. Then what it prints for people.
# Tried: it fails where sendfile asks for 65536 bytes, not all; write is not named; RWF_NOWAIT is named for
# Tried: RWF_DONTCACHE; ranges of 4 MiB are named for 8; MADV_WILLNEED for MADV_POPULATE_READ; kfalloc lacks its flag; a
# Tried: shared mapping is named private.
. "$(dirname "$0")/tap.sh"

# held.pl LENGTH DIRECTORY NUMBER...: of each number the files row, code, csv and trace. Faults: calls that are
# named and not seen, with their flags and sizes, between the two readings of the CPU clock around the first copy (or
# before, if all runs need them only once); and calls that move bytes and are not named.
cat >held.pl <<'END'
use strict; use warnings;
my ($length, $dir, @numbers) = @ARGV;
sub slurp { open my $f, '<', $_[0] or return ''; local $/; <$f> // '' }
my %traced_as = (pread => 'pread64', pwrite => 'pwrite64', open => 'openat',
	posix_fadvise => 'fadvise64', posix_fallocate => 'fallocate');
my $moving = qr/^(p?(read|write)(v2?|64)?|splice|tee|vmsplice|sendfile|copy_file_range|io_uring_enter|fallocate
	|ftruncate|fadvise64|readahead|madvise|sync_file_range)$/x;
sub calls { # TRACE: all of them, whole
	my (@seen, %begun, $main);
	for (split /\n/, $_[0]) {
		my ($pid, $rest) = /^(\d+) +(.*)/ or next;
		$main //= $pid;
		$rest = delete($begun{$pid}) . $1 if $rest =~ /^<\.\.\. \w+ resumed>(.*)/ && $begun{$pid};
		$begun{$pid} = $1, next if $rest =~ /^(.*) <unfinished/;
		my ($name, $args) = $rest =~ /^(\w+)\((.*)/ or next;
		$args =~ s/"(?:[^"\\]|\\.)*"//g;
		$args =~ s/0x80 \/\* RWF_/RWF_DONTCACHE /; # for which an older strace(1) has no name
		my $is_clock = $pid == $main && $name eq 'clock_gettime' && $args =~ /PROCESS_CPUTIME/;
		push @seen, { name => $name, args => $args, is_clock => $is_clock };
	}
	return @seen;
}
sub faults { # EXPLANATION CALL...
	my ($code, @seen) = @_;
	my @clocks = grep { $seen[$_]{is_clock} } 1 .. $#seen - 1;
	@clocks = grep { !$seen[$_ - 1]{is_clock} && !$seen[$_ + 1]{is_clock} } @clocks; # others: is it a fine one?
	return 'no run is seen' if @clocks < 2;
	my @run = @seen[ $clocks[0] + 1 .. $clocks[1] - 1 ];
	my (%named, %faults);
	while ($code =~ /\b([a-z][a-z_0-9]*)\(((?:[^()]|\([^()]*\))*)\)/g) {
		my ($name, $args) = ($traced_as{$1} // $1, $2);
		pos($code) -= length $args, next if $name =~ /^(while|for)$/;
		$named{$name} .= " $args";
		my @before = $name =~ /^(openat|statx|fcntl|setsockopt)$/ ? @seen[ 0 .. $clocks[0] ] : ();
		my @about = grep { $_->{name} eq $name } @run, @before;
		for my $flag (grep { !/^(LENGTH|NULL)$/ } $args =~ /\b_?[A-Z][A-Z0-9_]{3,}\b/g) {
			@about = grep { index($_->{args}, $flag) >= 0 } @about;
		}
		my $sizes = $args =~ s/\b\w+ \* bs\b|\bthreads \* \d+|\[\d+\]|"[^"]*"//gr
			=~ s/(\d+) \* (\d+)/$1 * $2/ger =~ s/\bLENGTH\b/$length/gr;
		for my $size ($sizes =~ /(?<![\w.+-])(\d+)\b/g) {
			my $wanted = $size > $length ? "$size|$length" : $size;
			@about = grep { $_->{args} =~ s/<[^>]*>//gr =~ /\b($wanted)\b/ } @about;
		}
		$faults{"$name($args) is not seen"} = 1 if !@about;
	}
	for (@run) {
		my ($name, $args) = @$_{qw(name args)};
		my ($flag) = $args =~ /\b((?:POSIX_FADV|MADV|FALLOC_FL)_\w+)/;
		next if $name !~ $moving || $args =~ /MADV_DONTNEED/;
		next if $name =~ /^(read|write)/ && $args !~ m{^\d+<\Q$dir\E/[XYZ]>};
		next if $args =~ /, 1, \d+\) += 1$/; # posix_fallocate(3), where the kernel has none
		$faults{"$name is not named" . ($flag ? " with $flag" : '')} = 1
			if !$named{$name} || $flag && index($named{$name}, $flag) < 0;
	}
	return sort keys %faults;
}
for (@numbers) {
	my $row = slurp("row.$_") =~ s/\n//r;
	next if slurp("csv.$_") =~ /^"?\Q$row\E"?,1,,n\/a/m;
	my $code = slurp("code.$_") =~ s/^.*\n//r =~ s/\n    (Any|Since) Linux.*//sr;
	my @faults = faults($code, calls(slurp("trace.$_")));
	print @faults ? 'not ok' : 'ok', " $row: its calls are those that are named\n", map { "# $_\n" } @faults;
}
END
run 0 "--explain='*'" "$wb" --explain='*' >text
if can_trace && have perl ||
	or_skip "explanations against calls" "no strace or no perl, or it may not trace here"; then
	{ bytes 1048576 && head -c 1048576 /dev/zero && bytes 902971; } >X # zeros are left out by some
	n=0
	for option in '' --tee=Z; do
		# All rows, or of those that differ in advice or size alone the first.
		rows --all ${option:+"$option"} <X | grep -v '32m\|1g' | awk -v all="${FULL-}" '
			{ kin = $0; gsub(/ \(pipe 1m\)/, "", kin); gsub(/ [0-9]+[a-z]*/, " N", kin) }
			!/^sendfile/ { sub(/ \+ .*/, "", kin) }
			all || !/write 256( |$)| 1k/ && !seen[kin]++' >tested
		while IFS= read -r row <&5; do
			n=$((n + 1))
			echo "$row" >row.$n
			"$wb" --explain="$row" >code.$n
			timeout 100 strace -f -qq -y -s 8 -o trace.$n -e signal=none \
				"$wb" -p0 -n1 --no-verify -s "$row" ${option:+"$option"} -f csv <X >Y 2>csv.$n
		done 5<tested
	done
	# shellcheck disable=SC2046
	perl held.pl 3000123 "$(pwd -P)" $(seq $n) >said 2>err || fail "held.pl ran to its end" err
	pass_on said
	is "most rows were held against their calls" "$(($(grep -c '^ok' said) > 40))" 1
fi

# For people.
sed -n 's/^\([^ ].*\)/\1/p' text | sort >names
"$wb" --list --all </dev/null | sed 's/  .*//;/^$/d' | sort >every
is "... has every row of --list --all" "$(comm -13 names every)" ""
is "... once, in at most 24 lines of at most 100 columns" "$(uniq -d names)$(awk -v RS= -v ORS='\n\n' \
	'split($0, lines, "\n") > 24' text)$(awk 'length > 100' text)" ""
is "... with the first kernel, and how its calls fail" "$(awk -v RS= '{ gsub(/\n */, " ")
	if (!/ (Any Linux|Since Linux [0-9.]+);/ || !/ Linux.*: .*(E[A-Z][A-Z][A-Z]|ferror)/) print }' text)" ""
is "... of rows in blocks alone it is said what a block is" \
	"$(awk -v RS= '/ bs: / != /^[^\n]*[0-9]*bs( |\n)/' text)" ""
holds "... and their names in other languages" text 'Python: os\.' 'Go: io\.' 'Rust: std::'
tells 2 "a glob that matches no row beside one that does" reflinks "$wb" --explain='sendfile,reflinks' >text
is "... explains nothing" "$(cat text)" ""

# A report names what explains its advice.
bytes 300000 >X
"$wb" -p0 -n5 -s 'sendfile*,read+write *' -o report.txt -o report.csv <X >Y 2>err
eval "\"\$wb\" $(sed -n 's/^how: //p' report.txt)" >text 2>err
is "a report says how, of the row that it recommends" "$? $(grep '^[^ ]' text)" "0 $(fact recommended report.csv)"
