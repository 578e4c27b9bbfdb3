#!/bin/sh
# Answers on a machine that is not idle: a first guess, who else had the CPU, rows against one of their own
# session, ranges of sizes, and the start of commands. Nothing here is about speed: what was measured is held against
# the rules.
# Tried: it fails where threads, a ring or a process at an end are alone; the quota is that of our own group; a row is
# Tried: judged against itself; a range goes by medians alone; the start is the median, or the same for a shell.
# Lists of words are that.
# shellcheck disable=SC2013,SC2086
. "$(dirname "$0")/tap.sh"
. "$top/tests/replay.sh"
. "$top/tests/reports.sh"
loops='' groups=''
undo='[ -z "$loops" ] || kill -KILL $loops; for group in $groups; do rmdir "$group"; done'

bytes 65536 >X
session() { "$wb" -p0 -o a.csv "$@" <X >Y 2>err; } # OPTION...: from X to Y, into a.csv and err

# A first guess, of three runs of six rows.
while IFS='|' read -r instead wanted; do
	made "us; a 100..102; b 101 102 104; c 103..105; d 111..113; e 112..114; r 120..122; $instead" >a.csv
	is "a first guess${instead:+, where $instead}" "$(marks a.csv | tr ' ' '\n' | grep '~' | sort | paste -sd' ')" \
		"$wanted"
done <<'END'
|a~ b~ c~
r 120..122 103|a~ b~ c~ r~
r 120..122 105|a~ b~ c~
a 100..102 500; b 101 102 104 500|a~ b~ c~ d~ e~
a 100..102 50; b 101 102 104 50; c 103..105 50; d 111..113 50; e 112..114 50|a~ b~ c~ d~ e~
END

# Tell whether others had the CPU.
bytes 8000000 >L
bytes 100000 >S
others=1 && [ -r /proc/self/schedstat ] || others=0
# known WANTED OPTION...: of a session from L, or of a few bytes where memcpy is not to count: is it known what others
# had?
known() {
	wanted=$1 && shift && rm -f Y a.csv
	[ "$wanted" = 0 ] && input=S || input=L
	"$wb" -p0 -n4 -o a.csv "$@" <$input >Y 2>err
	is "is it known what others had of the CPU, $*" "$? $(fact cpu_delay_percent a.csv | grep -c .)" "0 $wanted"
}
for rows in 'read+write 1k' '$ *'; do known $others -s "$rows" -w dd; done
for rows in 'threads*' 'io_uring*'; do known 0 -s "$rows"; done
known 0 -s '$ *' -w 'dd | cat'
known 0 -s splice --from='cat S'
if [ $others = 1 ] && have taskset && taskset -c 0 true 2>/dev/null ||
	or_skip "two that are always busy" "taskset can't be used here, or there is no /proc/self/schedstat"; then
	for _ in 1 2; do taskset -c 0 sh -c 'while :; do :; done' 3>&- & loops="$loops $!"; done
	taskset -c 0 "$wb" -p0 -n5 -s 'read+write 1k' -o a.csv <L >Y 2>err
	kill -KILL $loops && loops=
	percent=$(fact cpu_delay_percent a.csv) said=$(fact warning_busy a.csv | grep -o '[0-9.]*%')
	is "two that are always busy have 10 % of it or more, as the warning has it: $percent, $said" \
		"$(echo "$percent ${said%?}" | awk '{ print ($1 >= 10 && $2 - $1 <= 0.6 && $1 - $2 <= 0.6) }')" 1
fi

# A quota of a cgroup above ours.
for mount in $(awk '/ - cgroup2 | - cgroup .*[ ,]cpu(,|$)/ { print $5 }' /proc/self/mountinfo); do
	group=$mount/write-bench-test.$$
	mkdir "$group" "$group/inner" && { echo 10000 >"$group/cpu.cfs_quota_us" || echo \
		"10000 100000" >"$group/cpu.max"; } && groups="$group/inner $group" && break
	rmdir "$group/inner" "$group"
done 2>/dev/null
# limited PROGRAM OPTION...: the status of a session, and what the report says: are there as many stops as there were,
# or less?
limited() {
	rm -f Y a.csv
	before=$(sed -n 's/^nr_throttled //p' "$group/cpu.stat")
	sh -c 'echo $$ >"$1/cgroup.procs"; shift; exec "$@" -p0 -n2 -o a.csv <L >Y' sh "$group/inner" "$@" 2>err
	echo "$? $(fact cpu_quota a.csv) $(fact cpus a.csv) $(($(fact quota_stops a.csv) > 0)) \
$(($(fact quota_stops a.csv) <= $(sed -n 's/^nr_throttled //p' "$group/cpu.stat") - before))"
}
if [ "$groups" ] || or_skip "a quota" "no cgroup can be made"; then
	is "a cgroup's quota, and how often it stopped the runs; CPUs are rounded up" \
		"$(limited "$wb" -s 'read+write 1k,threads read+write 1m')" "0 0.1 1 1 1"
	holds "... with a warning" a.csv '^# warning_quota: .*0\.1 CPUs.* [0-9]+ times'
	if mkdir again && unshare -m mount --bind "$mount" again 2>/dev/null ||
		or_skip "cgroups that are mounted twice" "no mount namespace"; then
		cat >twice <<-END
			#!/bin/sh
			[ -n "\${TWICE-}" ] || TWICE=1 exec unshare -m "\$0" "\$@"
			mount --bind "$mount" again && exec "$wb" "\$@"
		END
		chmod +x twice
		is "... as often where cgroups are mounted twice" "$(limited ./twice -s 'read+write 1k')" "0 0.1 1 1 1"
	fi
fi

# Commands against a row of their own session. They write by dd(1), since what shares blocks is not ranked.
printf '#!/bin/sh\nexec dd bs=64k status=none\n' >a && cp a b
printf '#!/bin/sh\ndd bs=64k status=none || exit\n[ ! -s /proc/self/fd/0 ] || sleep .2\n' >late
sed 's/\.2/.05/' late >steady # is hardly start-up, on a busy machine either
chmod +x a b late steady
truncate -s 17M X # for a size at which the baseline has no run
# OPTIONS: a session, into a.csv, a.json and err
gate() { eval "\"\$wb\" -p0 -s 'sendfile,splice,\$ *' -o a.csv -o a.json $1" <X >Y 2>err; }
# FILE.json: of each command
told() { sed -n 's/^  {"row": "\(.*\)", .*"verdict": "\([a-z ]*\)".*/\1: \2/p' "$1" | paste -sd,; }
while IFS='|' read -r wanted options; do
	: >a.json
	gate "$options"
	is "$options" "$? $(told a.json)" "$wanted"
done <<'END'
2 |-w ./a --baseline=./b
2 |-w ./a --fail-if-slower
2 |-n2 -w ./a -w ./late --baseline='$ ./a' --fail-if-slower
2 |-n3 -w ./a -w ./b -w ./late --baseline='$ ./a' --fail-if-slower
3 $ false: failed|-n3 -w ./a -w false --baseline='$ ./a' --fail-if-slower
1 $ ./a: undecided|-n3 -w ./a -w false --baseline='$ false' --fail-if-slower
2 $ ./a: undecided|-n3 -w ./a -w 'cp X Y' -z 4k --baseline='$ cp X Y' --fail-if-slower
2 $ cp X Y: undecided|-n3 -w ./a -w 'cp X Y' -z 4k --baseline='$ ./a' --fail-if-slower=90
3 $ ./late: slower|-n3 -w ./late --baseline=sendfile --fail-if-slower -q
3 $ ./late: slower|-w ./steady -w ./late --baseline='$ ./steady' --fail-if-slower=50 -f csv
END
grep '^write-bench: ' err >line
holds "a message says which" line \
	'^write-bench: \./late: \+[0-9.>]+% \(95%: [0-9.]+ to [0-9.]+%\): slower by more than 50%$'
truncate -s 65536 X
mv a.csv live.csv && mv a.json live.json
read_back "a gate" json
"$wb" --compare live.csv -f markdown >gate.md
is "... in Markdown ends with an empty line, since a message may follow" "$(tail -n 2 gate.md | cut -c1-2)" "- "
is "... which is there" "$(tail -c 2 gate.md | od -An -c | tr -d ' ')" '\n\n'
gate "-w ./a -w ./b --baseline='$ ./a' -n4"
is "without --fail-if-slower: no verdict, exit status 0" "$? $(grep -c '"gate"' a.json)" "0 0"
bytes 65536 >X
"$wb" -p0 -n3 -z 4k,8k -s '$ *' -w ./a -w ./b --baseline='$ ./a' <X >Y 2>err
lacks "... nor a word of what is recommended" err 'recommended'
rm -f ran
at_once text -n6 -z 4k,8k,64k -s 'sendfile,$ *' -w 'dd bs=64k status=none' --baseline='$ dd bs=64k status=none' \
	-w 'dd bs=64k status=none; echo >>ran; [ "$SIZE" != 8192 ] || [ $(wc -l <ran) -lt 18 ] || kill -INT $PPID'
is "... interrupted at the second of three sizes" $session 130

"$wb" -q -p0 --fail-if-slower -w ./a -w ./b --baseline='$ ./a' <X 2>err | cat >/dev/null
holds "into a pipe of the user's nothing runs on: refused" err '^write-bench: --fail-if-slower: '

# By the definition: at each look, after its rounds, the interval of the ratio of net times is above 1 + PERCENT / 100,
# or below; it drops at each end the U* smallest and largest ratios, P(U <= U*) at most 0.05 / (looks x commands). With
# -n there is one look.
cat >gate.pl <<'END'
use strict;
use Ranks;
my ($wb, $from, $upto) = @ARGV;
my %seen;
for my $seed ($from .. $upto) {
	srand $seed;
	my ($commands, $limit) = (1 + int rand 3, 1 + int rand 10);
	my @n = (3, 4, 10, 15, 20)[map { int rand 5 } 0 .. $commands];
	my ($noise, %net) = (0.01 + rand 0.1);
	$n[0] = most(@n);
	open my $f, ">", "g.csv" or die;
	print $f "# baseline: \$ 0\n# limit_percent: $limit\n# runs: 3\nrow,round,ns,outcome,start_ns,start_of\n";
	for my $c (0 .. $commands) {
		my $true = 1e6 * ($c ? 0.95 + 0.05 * int rand 6 : 1);
		for my $round (1 .. $n[$c]) {
			my ($ns, $start) = (int($true * (1 + rand $noise)), int rand 1e5);
			print $f "\$ $c,$round,", $ns + $start, ",ok,$start,own\n";
			push @{$net{$c}}, $ns;
		}
	}
	close $f;
	my @looks = most(@n) > 3 ? (10, 20, 40, 80) : 3;
	my @wanted;
	for my $c (1 .. $commands) {
		my ($told, $low, $high) = ("undecided");
		for my $look (@looks) {
			last if $told ne "undecided" || least($n[$c], $n[0]) < $look;
			my @old = @{$net{0}}[0 .. $look - 1];
			my @x = sort { $a <=> $b } map { my $x = $_; map { $x / $_ } @old } @{$net{$c}}[0 .. $look - 1];
			my $u = critical($look, $look, 0.05 / @looks / $commands);
			($low, $high) = $u < 0 ? () : ($x[$u], $x[$#x - $u]);
			$told = "slower" if defined $low && $low > 1 + $limit / 100;
			$told = "not slower" if defined $low && $high < 1 + $limit / 100;
		}
		$seen{$told}++;
		my @percent = map { defined $_ ? sprintf "%.2f", 100 * $_ - 100 : "null" } $low, $high;
		push @wanted, "\$ $c $told @percent";
	}
	my $told = qr/^  \{"row": "(\$ \d+)", .*"low": (.*?), "high": (.*?), "verdict": "(.*?)"/;
	my $got = join ";", map { /$told/ ? "$1 $4 $2 $3" : () } split /\n/, `"$wb" --compare g.csv -f json`;
	print "seed $seed: $got, not ", join(";", @wanted), "\n" if $got ne join ";", @wanted;
}
print "# $_: $seen{$_}\n" for sort keys %seen;
END
perl -I"$top/tests" gate.pl "$wb" 1 60 >odd 2>&1
grep '^#' odd >&3
is "60 reports: verdicts and intervals are those of the definition" "$(grep -v '^#' odd | head -n 5)" ""
is "... each verdict comes up" "$(grep -c '^# ' odd)" 3

# Ranges of sizes: rows to call that may be the fastest, whatever their medians are.
while IFS='|' read -r what wanted lines; do
	made "us; $lines" >a.csv
	"$wb" --compare a.csv >out 2>&1
	joined out | grep -Eo '(At all sizes|Up to [0-9]+[KM]iB|From [0-9]+[KM]iB): [a-z]+' >ranges
	is "ranges: $what" "$(paste -sd' ' ranges)" "$wanted"
done <<'END'
its median is 10 % behind or not|At all sizes: a|4096; a 110..112 100; b 101..104; 8192; a 100..103; b 200..203
where a command may be|Up to 4KiB: a From 8KiB: cat|4096; a 100..103; $_cat 247..250; 8192; $_cat 100..103; a 301..304
without an interval|At all sizes: a|4096 8192; a 100x2; $_cat 200x2
END

# The start of a command, on an empty input, beside each of its runs; that of true(1) where it is not known: after a
# start that failed, or wrote what it read by a name of its own; and of one that writes by a name of its own, whose
# start is never run.
cat >log <<'END'
#!/bin/sh
[ -s /dev/stdin ] && echo run >>log.out || echo start >>log.out
END
truncate -s 0 log.out
mkdir tmp
starts() { # COMMAND [OPTION...]: runs and starts that it logged; whose starts are in the report
	: >log.out
	command=$1 && shift
	TMPDIR=$PWD/tmp session -s 'sendfile,$ *' -w ". ./log; $command" "$@"
	echo "$(grep -c run log.out) $(grep -c start log.out) $(sed -n 's/^"*\$ .*,\(own\|true\),.*/\1/p' a.csv |
		sort -u)"
}
is "the start of a command, beside each run" \
	"$(starts 'dd bs=64k status=none' -n3), $(starts 'dd bs=64k status=none' |
	sed -E 's/^(17|27|47) \1 /7 7 /'), $(starts 'dd bs=64k status=none' -n3 --warmup=2)" \
	"3 3 own, 7 7 own, 5 3 own"
is "... that fails" "$(starts 'dd bs=64k status=none; [ -s /dev/stdin ]' -n3)" "3 1 true"
is "... that writes what it reads by name" "$(starts 'dd if=X bs=64k status=none' -n3)" "3 1 true"
is "... of one that writes by name" "$(starts 'dd of=Y bs=64k status=none' -n3)" "3 0 true"
is "... by the names that it is given" "$(starts 'dd if="$IN" of="$OUT" bs=64k conv=notrunc status=none' -n3)" "3 3 own"
is "... that leaves another file there" \
	"$(starts 'dd if="$IN" of="$OUT" bs=64k conv=notrunc status=none && echo more >"$OUT.more"' -n1)" "1 1 own"
! full "a start that does not end" ||
	is "... that does not end" "$(starts 'dd bs=64k status=none; while [ ! -s /dev/stdin ]; do :; done' -n3)" \
		"3 1 true"
is "... nothing is left" "$(ls -A tmp)" ""
starts 'dd bs=64k status=none' -n3 >/dev/null
is "each run has its start" "$(grep -c ',[1-9][0-9]*,own,' a.csv)" 3
