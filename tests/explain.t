#!/bin/sh
# --explain: the calls that it names for a row are those that strace(1) sees in a run of it. And what --list and
# --explain print.
# Tried: it fails where sendfile asks for 65536 bytes, not all; write is not named; RWF_NOWAIT is named for
# Tried: RWF_DONTCACHE; ranges of 4 MiB are named for 8; MADV_WILLNEED for MADV_POPULATE_READ; kfalloc lacks its flag; a
# Tried: shared mapping is named private.
# shellcheck disable=SC2086 # no option is a word less
. "$(dirname "$0")/tap.sh"

# Print the faults of an explanation: calls that it names and that are not seen, with their flags and sizes, between the
# two readings of the CPU clock around the first copy (or before, if all runs need them only once); and calls that move
# bytes and that it does not name.
cat >held.pl <<'END'
use strict; use warnings;
my ($code, $trace, $length, $dir) = @ARGV;
sub slurp { open my $f, '<', $_[0] or die; local $/; <$f> }
my %traced_as = (pread => 'pread64', pwrite => 'pwrite64', open => 'openat',
	posix_fadvise => 'fadvise64', posix_fallocate => 'fallocate');
my %bit = (RWF_DONTCACHE => 128, STATX_DIOALIGN => 8192); # which an older strace(1) has no name for
my $moving = qr/^(p?(read|write)(v2?|64)?|splice|tee|vmsplice|sendfile|copy_file_range|io_uring_enter|fallocate
	|ftruncate|fadvise64|readahead|madvise|sync_file_range)$/x;
$code = slurp($code) =~ s/^\S.*\n//r =~ s/\n    (Any|Since) Linux.*//sr;
my (@seen, %begun, $main);
for (split /\n/, slurp($trace)) {
	my ($pid, $rest) = /^(\d+) +(.*)/ or next;
	$main //= $pid;
	$rest = delete($begun{$pid}) . $1 if $rest =~ /^<\.\.\. \w+ resumed>(.*)/ && $begun{$pid};
	$begun{$pid} = $1, next if $rest =~ /^(.*) <unfinished/;
	my ($name, $args) = $rest =~ /^(\w+)\((.*)/ or next;
	$args =~ s/"(?:[^"\\]|\\.)*"//g;
	push @seen, { name => $name, args => $args, main => $pid == $main };
}
my $is_clock = sub { my ($c) = @_; return $c->{name} eq 'clock_gettime' && $c->{args} =~ /PROCESS_CPUTIME/ };
my @clocks = grep { $seen[$_]{main} && $is_clock->($seen[$_]) } 0 .. $#seen;
my %near = map { $_ => 1 } map { ($_ - 1, $_ + 1) } @clocks; # several in a row: is the clock a fine one?
@clocks = grep { !$near{$_} } @clocks;
@clocks > 1 or print("no run is seen\n"), exit;
my @run = @seen[ $clocks[0] + 1 .. $clocks[1] - 1 ];
my (%named, $all);
while ($code =~ /\b([a-z][a-z_0-9]*)\(((?:[^()]|\([^()]*\))*)\)/g) {
	my ($name, $args) = ($traced_as{$1} // $1, $2);
	pos($code) -= length $args, next if $name =~ /^(while|for)$/;
	$named{$name} .= " $args";
	my @before = $name =~ /^(openat|statx|fcntl|setsockopt)$/ ? @seen[ 0 .. $clocks[0] ] : ();
	my @about = grep { $_->{name} eq $name } @run, @before;
	for my $flag ($args =~ /\b_?[A-Z][A-Z0-9_]{3,}\b/g) {
		next if $flag =~ /^(LENGTH|NULL)$/;
		my $has = sub { return grep { hex($_) & $bit{$flag} } $_[0] =~ /\b(0x[0-9a-f]+) \/\*/g };
		@about = grep { index($_->{args} =~ s/BTRFS_IOC_CLONE/FICLONE/r, $flag) >= 0
			|| $bit{$flag} && $has->($_->{args}) } @about;
	}
	my $sizes = $args =~ s/\b\w+ \* bs\b|\bthreads \* \d+|\[\d+\]|"[^"]*"//gr
		=~ s/(\d+) \* (\d+)/$1 * $2/ger =~ s/\bLENGTH\b/$length/gr;
	for my $size ($sizes =~ /(?<![\w.+-])(\d+)\b/g) {
		@about = grep { my $plain = $_->{args} =~ s/<[^>]*>//gr;
			$plain =~ /\b$size\b/ || $size > $length && $plain =~ /\b$length\b/ } @about;
	}
	print "$name($args) is not seen\n" if !@about;
}
my %told;
for my $c (@run) {
	my ($name, $args) = @$c{qw(name args)};
	my ($flag) = $args =~ /\b((?:POSIX_FADV|MADV|FALLOC_FL)_\w+)/;
	next if $name !~ $moving || $args =~ /MADV_DONTNEED/;
	next if $name =~ /^(read|write)/ && $args !~ m{^\d+<\Q$dir\E/[XYZ]>};
	next if $named{$name} && (!$flag || index($named{$name}, $flag) >= 0);
	print "$name($args is not named\n" if !$told{$name}++;
}
END
rows_here() { # OPTION...: those to be tested: all, or of those that differ in advice or size alone the first
	rows --all "$@" <X | grep -v '^read+write 1\( .*\)*$\|32m\|1g' | if [ "${FULL-}" ]; then cat; else
		awk '{ kin = $0; gsub(/ \(pipe 1m\)| [0-9]+[a-z]*/, "", kin) }
			!/^sendfile/ { sub(/ \+ .*/, "", kin) } !seen[kin]++'
	fi
}
if can_trace && have perl ||
	or_skip "explanations against calls" "no strace or no perl, or it may not trace here"; then
	{ bytes 1048576 && head -c 1048576 /dev/zero && bytes 902971; } >X # zeros are left out by some
	held=0
	for ends in "file to file|" "file to two files|--tee=Z"; do
		option=${ends#*|}
		rows_here $option >tested
		while IFS= read -r row <&5; do
			"$wb" --explain="$row" >code
			timeout 100 strace -f --seccomp-bpf -qq -y -s 8 -o trace -e signal=none -e 'trace=!close,brk' \
				"$wb" -p0 -n1 --no-verify -s "$row" $option -f csv <X >Y 2>csv
			case $(column outcome csv) in
			ok | shared)
				held=$((held + 1))
				is "$row, ${ends%|*}: what is named is seen, and what is seen is named" \
					"$(perl held.pl code trace 3000123 "$(pwd -P)" 2>&1)" ""
				;;
			n/a*) ;;
			*) fail "$row, ${ends%|*}: is measured" csv ;;
			esac
		done 5<tested
	done
	is "most rows were held against their calls" "$((held > 40))" 1
fi

# For people.
run 0 "--explain='*'" "$wb" --explain='*' >text
sed -n 's/^\([^ ].*\)/\1/p' text >names
"$wb" --list --all </dev/null | sed 's/  .*//;/^$/d' | sort >every
is "... has every row of --list --all" "$(sort names | comm -13 - every)" ""
is "... once" "$(sort names | uniq -d)" ""
is "... of at most 24 lines each" "$(awk -v RS= '{ if (split($0, l, "\n") > 24) print l[1] }' text)" ""
is "... with how its calls fail" \
	"$(awk -v RS= '{ gsub(/\n */, " "); if (!/ Linux.*: .*(E[A-Z][A-Z][A-Z]|ferror)/) print }' text)" ""
holds "... and their names in other languages" text 'Python: os\.' 'Go: io\.' 'Rust: std::'
is "... of at most 100 columns" "$(awk 'length > 100' text)" ""
is "... which each say since which kernel" \
	"$(awk -v RS= '{ gsub(/\n */, " "); if (!/ (Any Linux|Since Linux [0-9.]+);/) print }' text)" ""
run 0 "a row with a comma in its name, and a glob" "$wb" --explain='splice, sendfile,sendfile + fall*' >text
is "... are explained" "$(grep '^[^ ]' text | tr '\n' ';')" "sendfile + falloc;splice, sendfile;"
run 2 "a glob that matches no row beside one that does" "$wb" --explain='sendfile,reflinks' >text
is "... is refused" "$(grep -c reflinks err) $(cat text)" "1 "

# A report names what explains its advice.
bytes 300000 >X
run 0 "a report with all notes" "$wb" -p0 -n5 -v -s 'sendfile*,read+write *' -o report.txt -o report.json <X >Y
eval "run 0 '... says how, by an option that works' \"\$wb\" $(sed -n 's/^how: //p' report.txt) >text"
is "... of the one recommended" "$(grep '^[^ ]' text)" "$(sed -n 's/^  "recommended": "\(.*\)",$/\1/p' report.json)"
run 0 "the fastest is a command" "$wb" -p0 -n5 -s '$ *' --with='dd bs=64k' --with='sleep 0.01; dd' -o report.txt <X >Y
lacks "... explains none" report.txt '^how: '
