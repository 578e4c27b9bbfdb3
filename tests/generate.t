#!/bin/sh
# --generate writes as many bytes of each kind as it is told to, whatever they are written to, or fails and says so. A
# line of the first table is a kind, what perl finds in its bytes, and whether they are others each time.
# Tried: noise that begins again; a random page whose first half alone is random; a last block that is written whole;
# Tried: an error of write(2) that is swallowed.
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"

g() {
	timeout -k 1 300 "$wb" -g "$@"
}
cat >look.pl <<'END_OF_PERL'
local $/;
my $data = <STDIN>;
my ($page, %blocks) = (substr $data, 0, 4096);
my $alike = grep { $blocks{ substr $data, 512 * $_, 512 }++ } 0 .. length($data) / 512 - 1;
print $data !~ /[^\0]/ ? 'zeros' # or no two blocks are alike, or one page is there again and again
	: !$alike && $data !~ /\0{8}/ ? 'noise'
	: keys %blocks == 8 && $data eq substr($page x (length($data) / 4096 + 1), 0, length $data) ? 'one page' : 'else';
END_OF_PERL
while IFS='|' read -r kind looks others <&4; do
	for size in 1 511 4097 65537 4194305; do
		g "$kind:$size" >file 2>err && into pipe g "$kind:$size" 2>err
		is "$kind:$size into a file, and into a pipe: as many bytes" "$? $(wc -c <file) $(wc -c <pipe)" \
			"0 $size $size"
	done
	is "... in it: $looks" "$(perl look.pl <file) $(perl look.pl <pipe)" "$looks $looks"
	cmp -s file pipe
	is "... others each time: $others" $? "$others"
done 4<<'END'
zero|zeros|0
page|zeros|0
noise|noise|0
random|one page|1
END
run 0 "units, and a device" g noise:3k >/dev/null
run 0 "noise by another size" g noise:3k >less
is "... begins as a longer one" "$(wc -c <less) $(g noise:1m | head -c 3072 | cmp - less)" "3072 "

# The reader of a pipe may quit: SIGPIPE ends the program as it does others; ignored, that is reported.
ignoring() {
	(trap '' PIPE && g "$@")
}
for case in "g 141 0" "ignoring 1 1"; do
	{ ${case%% *} noise:100m 2>err; echo $? >status; } | head -c 1000 >Y
	is "a reader that quits: $case" "$(cat status) $(grep -c '^write-bench: standard output: write: EPIPE' err)" \
		"${case#* }"
done
tells 1 "a device that is full" '^write-bench: standard output: write: ENOSPC' g noise:1m >/dev/full

# No such kind or size, or with what else. An output that may not be written to is refused in refused.t.
echo keep >Y
for wrong in zero zero: zero:0 zero:-1 zero:1x nothing:1m NOISE:1m noise:1.5 noise:99999999999999999999 \
	'zero:1m --list' 'zero:1m --compare nosuch' 'zero:1m file'; do
	# shellcheck disable=SC2086
	tells 2 "-g $wrong" '^write-bench: ' g $wrong 1<>Y
done
is "... before anything is touched" "$(cat Y)" keep
