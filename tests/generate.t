#!/bin/sh
# --generate: the right number of bytes of each kind, whatever they are written to.
# Tried: it fails where noise begins again; only the first page is random; to a terminal; huge pages are there though
# Tried: the kernel gives none.
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"

g() {
	timeout -k 1 300 "$wb" "$@"
}
cat >look.pl <<'END_OF_PERL'
my $kind = shift;
local $/;
for my $name (@ARGV) {
	open my $f, '<:raw', $name or die "$name: $!";
	my $data = <$f>;
	my $good;
	if ($kind eq 'distinct') { # no two blocks alike, wherever they begin among multiples of 512
		my %blocks;
		$good = !grep { $blocks{ substr $data, 512 * $_, 512 }++ } 0 .. length($data) / 512 - 1;
	} elsif ($kind eq 'repeats') { # one page, again and again, that is noise itself
		my $page = substr $data, 0, 4096;
		my %bytes = map { $_ => 1 } unpack 'C*', $page;
		$good = $data eq substr($page x (length($data) / 4096 + 1), 0, length $data) && keys %bytes > 200;
	} else {
		$good = $data !~ /[^\0]/;
	}
	print $good ? 'yes ' : 'no ';
}
END_OF_PERL
for kind in zero random page noise; do
	for size in 1 511 4097 65537 1048577 4194305; do
		g -g "$kind:$size" >file 2>err && into pipe g --generate="$kind:$size" 2>err
		is "$kind:$size, into a file and a pipe: as many bytes" "$? $(wc -c <file) $(wc -c <pipe)" \
			"0 $size $size"
		[ $size -ge 4097 ] || continue
		case $kind in noise) look=distinct ;; random) look=repeats ;; *) look=zeros ;; esac
		is "... $look" "$(perl look.pl $look file pipe)" "yes yes "
	done
	case $kind in
	noise) same "noise is the same each time, and everywhere" file pipe ;;
	random) run 1 "random is another page each time" cmp -s file pipe ;;
	esac
done
run 0 "more of noise" g -g noise:8m >file
is "... is so much, and no two blocks of it are alike" "$(wc -c <file) $(perl look.pl distinct file)" "8388608 yes "
run 0 "less of it" g -g noise:1000000 >less
is "... is its beginning" "$(head -c 1000000 file | cmp - less)" ""
run 0 "noise as an input" w -s sendfile <file >Y
lacks "... has no warning" err '^Warning: .*(zeros|holes)'
tells 0 "zeros as an input have" '^Warning: .*zeros' w -s sendfile -z 1m </dev/zero >Y
run 0 "sizes have units" g -g zero:3k >file
is "... of 1024" "$(wc -c <file | tr -d ' ')" 3072
for kind in zero random page noise; do
	run 0 "$kind into a device" g -g $kind:3m >/dev/null
done

# The reader of a pipe may quit: SIGPIPE ends the program as it does others; ignored, that is reported.
for what in noise:100m page:10g; do
	{ g -g $what 2>err; echo $? >status; } | head -c 1000 >Y
	is "$what, a reader that quits: ends by SIGPIPE, without words" "$(cat status err)" 141
	{ (trap '' PIPE && g -g $what 2>err); echo $? >status; } | head -c 1000 >Y
	is "... where that is ignored: fails, and says so" \
		"$(cat status) $(grep -c '^write-bench: standard output: write: EPIPE' err)" "1 1"
done
is "... pages were zeros" "$(tr -d '\0' <Y | wc -c | tr -d ' ') $(wc -c <Y | tr -d ' ')" "0 1000"
tells 1 "a device that is full" '^write-bench: standard output: write: ENOSPC' g -g noise:1m >/dev/full

# Refused.
echo keep >Y
for wrong in '' zero zero: zero:0 zero:-1 zero:1x nothing:1m :1m noise:1.5 \
	'noise: 1' NOISE:1m noise:99999999999999999999; do
	tells 2 "-g '$wrong' is refused" '^write-bench: --generate' g -g "$wrong" 1<>Y
done
for option in --list '--compare nosuch'; do
	# shellcheck disable=SC2086
	tells 2 "-g with $option is refused" '^write-bench: --' g -g zero:1m $option <file 1<>Y
done
run 2 "-g with an argument" g -g zero:1m file 1<>Y
is "... nothing has been touched" "$(cat Y)" keep
tells 2 "-g with closed standard output" '^write-bench: standard output: ' g -g zero:1m >&-
mkdir D
run 2 "-g into a directory" g -g zero:1m 1<D
if script -qec true /dev/null >/dev/null 2>&1 </dev/null || or_skip "-g to a terminal" "no script(1)"; then
	WB=$wb timeout 200 script -qec '"$WB" -g zero:1m; echo status $?' /dev/null 2>&1 </dev/null | tr -d '\r' >words
	holds "-g to a terminal is refused" words '^write-bench: standard output: ' '^status 2$'
fi

# A kernel that gives no huge pages, as far as its settings go.
pages=/sys/kernel/mm/transparent_hugepage/enabled
if { [ "$(id -u)" = 0 ] && [ -e $pages ] && unshare -m true 2>/dev/null; } ||
	or_skip "without huge pages" "not root, or no mount namespaces"; then
	echo "always madvise [never]" >never
	echo "mount --bind never $pages && exec \"\$@\"" >without
	g -g zero:3000000 >file
	under="unshare -m sh without"
	refused="n/a EOPNOTSUPP"
	rows_become "0 vmsplice (pipe 1m),ok;vmsplice huge (pipe 1m),$refused;vmsplice huge,$refused;vmsplice,ok" \
		"without huge pages rows that are named after them are n/a" -s 'vmsplice*,*huge*' \
		-x '*splice+*' --into=cat <file
fi
