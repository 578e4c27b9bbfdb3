#!/bin/sh
# Answers on a machine that is not idle: a first guess, who else had the CPU, rows against one of their own
# session, ranges of sizes, and the start of commands. Nothing here is about speed: what was measured is held against the rules.
# Tried: it fails where threads, a ring or a process at an end are alone; the quota is that of our own group; a row is judged against
# Tried: itself; a range goes by medians alone; the start is the median, or the same for a shell.
# The commands' dollars are theirs, and lists of words are that.
# shellcheck disable=SC2013,SC2016,SC2086
. "$(dirname "$0")/tap.sh"
loops='' groups=''
undo='[ -z "$loops" ] || kill -KILL $loops; for group in $groups; do rmdir "$group"; done'

fact() { sed -n "s/^# $1: //p" "$2"; } # KEY FILE

bytes 65536 >X
session() { "$wb" -p0 -o a.csv "$@" <X >Y 2>err; } # OPTION...: from X to Y, into a.csv and err

# Reports made by hand.
made() { # FILE [FACT...] <"BYTES ROW US...": a report of each size
	perl -e 'my ($file, @facts) = @ARGV;
		while (<STDIN>) { my ($bytes, @row) = split; push @sizes, $bytes if !$rows{$bytes}; push @{$rows{$bytes}}, \@row }
		open my $f, ">", $file or die;
		for my $bytes (@sizes) {
			print $f map({ "# $_\n" } "schema: 4", "heading: H", "size: $bytes", grep { /./ } @facts), "row,round,ns,outcome,bytes\n";
			for (@{$rows{$bytes}}) {
				my ($round, $name, @us) = (0, @$_);
				print $f join(",", $name =~ tr/_/ /r, ++$round, $_ * 1000, "ok", $bytes), "\n" for @us;
			}
		}' "$@"
}
judged() { # FILE: "BYTES ROW ~ BEATEN_BY RATIO LOW HIGH" of each row
	"$wb" --compare "$1" -f json | perl -ne 'print "$5 $1 $2 $3 $4\n" if /"row": "(.*?)",.*"mark": "(~?)", "beaten_by": "(.*?)", (.*?), "runs".*"bytes": (\d+)/' | sort
}
may() { judged "$1" | awk '$3 == "~" { printf "%s ", $2 }'; } # FILE: the rows that may be the fastest
printf '4096 %s\n' "a 100 101 102" "b 101 102 104" "c 103 104 105" "d 111 112 113" "e 112 113 114" "r 120 121 122" >six
while IFS='|' read -r edit wanted; do
	sed "$edit" six | made a.csv
	is "a first guess: ${edit:-three runs of six rows}" "$(may a.csv)" "$wanted"
done <<'END'
|a b c 
s/r .*/& 103/|a b c r 
s/r .*/& 105/|a b c 
s/[ab] .*/& 500/|a b c d e 
s/[a-e] .*/& 50/|a b c d e 
END

# Who else had the CPU.
bytes 8000000 >L
others=1 && [ -r /proc/self/schedstat ] || others=0
known() { # WANTED OPTION...: of a session from L: is it known what others had?
	wanted=$1 && shift && rm -f Y a.csv
	"$wb" -p0 -n4 -o a.csv "$@" <L >Y 2>err
	is "is it known what others had of the CPU, $*" "$? $(fact cpu_delay_percent a.csv | grep -c .)" "0 $wanted"
}
known $others -s "read+write 1k"
for rows in 'threads*' 'io_uring*'; do known 0 -s "$rows"; done
known 0 -s '$ *' -w dd
known 0 -s splice --from='cat L'
if [ $others = 1 ] && have taskset && taskset -c 0 true 2>/dev/null; then
	for _ in 1 2; do taskset -c 0 sh -c 'while :; do :; done' 3>&- & loops="$loops $!"; done
	taskset -c 0 "$wb" -p0 -n5 -s 'read+write 1k' -o a.csv <L >Y 2>err
	kill -KILL $loops && loops=
	percent=$(fact warning_busy a.csv | grep -o '[0-9.]*%')
	is "two that are always busy have 10 % of it or more, as the warning has it" \
		"$(fact cpu_delay_percent a.csv | awk -v said="${percent%?}" '{ print ($1 >= 10 && said - $1 <= 0.6 && $1 - said <= 0.6) }')" 1
else
	skip "two that are always busy" "taskset can't be used here, or there is no /proc/self/schedstat"
fi

# A quota of a cgroup above ours.
for mount in $(awk '/ - cgroup2 | - cgroup .*[ ,]cpu(,|$)/ { print $5 }' /proc/self/mountinfo); do
	group=$mount/write-bench-test.$$
	mkdir "$group" "$group/inner" && { echo 10000 >"$group/cpu.cfs_quota_us" || echo "10000 100000" >"$group/cpu.max"; } && groups="$group/inner $group" && break
	rmdir "$group/inner" "$group"
done 2>/dev/null
limited() { # PROGRAM OPTION...: the status of a session, and what the report says: are there as many stops as there were, or less?
	rm -f Y a.csv
	before=$(sed -n 's/^nr_throttled //p' "$group/cpu.stat")
	sh -c 'echo $$ >"$1/cgroup.procs"; shift; exec "$@" -p0 -n2 -o a.csv <L >Y' sh "$group/inner" "$@" 2>err
	echo "$? $(fact cpu_quota a.csv) $(fact cpus a.csv) $(fact quota_stops a.csv |
		awk -v most="$(sed -n 's/^nr_throttled //p' "$group/cpu.stat")" -v before="$before" '{ print ($1 > 0 && $1 <= most - before) }')"
}
if [ "$groups" ]; then
	is "a cgroup's quota, and how often it stopped the runs; CPUs are rounded up" "$(limited "$wb" -s 'read+write 1k,threads read+write 1m')" "0 0.1 1 1"
	holds "... with a warning" a.csv '^# warning_quota: .*0\.1 CPUs.* [0-9]+ times'
	if mkdir again && unshare -m mount --bind "$mount" again 2>/dev/null; then
		cat >twice <<-END
			#!/bin/sh
			[ -n "\${TWICE-}" ] || TWICE=1 exec unshare -m "\$0" "\$@"
			mount --bind "$mount" again && exec "$wb" "\$@"
		END
		chmod +x twice
		is "... as often where cgroups are mounted twice" "$(limited ./twice -s 'read+write 1k')" "0 0.1 1 1"
	else
		skip "cgroups that are mounted twice" "no mount namespace"
	fi
else
	skip "a quota" "no cgroup can be made"
fi

# Commands against a row of their own session. They write by dd(1), since what shares blocks is not ranked.
printf '#!/bin/sh\nexec dd bs=64k status=none\n' >a && cp a b
printf '#!/bin/sh\nsleep .1\nexec dd bs=64k status=none\n' >late && chmod +x a b late
truncate -s 17M X # for a size at which the baseline has no run
gate() { eval "\"\$wb\" -p0 -s 'sendfile,splice,\$ *' -o a.csv $1" <X >Y 2>err; } # OPTIONS: a session, into a.csv and err
while IFS='|' read -r wanted options; do
	gate "$options"
	is "$options" "$?$(sed -n 's/^write-bench: .*: \($ .*\)/ \1/p' err | sort -u)" "$wanted"
done <<'END'
2|-w ./a --baseline=./b
2|-w ./a --fail-if-slower
2 $ ./late|-n2 -w ./a -w ./late --baseline='$ ./a' --fail-if-slower -q
3 $ false|-n3 -w ./a -w false --baseline='$ ./a' --fail-if-slower
2 $ ./a|-n2 -w ./a -z 4k,17m --baseline='read+write 1' -s 'read+write 1' --fail-if-slower
1 $ ./a|-n2 -w ./a -z 4k,17m --baseline='read+write 1' -s 'read+write 1' --fail-if-slower -o /dev/full -f csv
2|-n2 -w ./a -w 'cp X Y' -z 4k --baseline='$ cp X Y' --fail-if-slower
END
truncate -s 65536 X
cat >slower.pl <<'END'
# Of the runs in a.csv: 3, and the commands of which each run took more than PERCENT longer than each run of BASE, at any size; or nothing.
my ($base, $percent) = @ARGV;
open my $f, "<", "a.csv" or die;
while (<$f>) {
	chomp(my @fields = split /,/);
	@names = @fields if /^row,/;
	next if /^(#|row,)/;
	my %is = map { $names[$_] => $fields[$_] } 0 .. $#fields;
	push @{$ns{$is{bytes}}{$is{row}}}, $is{ns};
}
for my $rows (values %ns) {
	my ($most) = sort { $b <=> $a } @{$$rows{$base}};
	for my $row (grep { /^\$/ && $_ ne $base } keys %$rows) {
		my ($least) = sort { $a <=> $b } @{$$rows{$row}};
		$slower{$row} = 1 if $least > $most * (1 + $percent / 100);
	}
}
print join(", ", sort keys %slower) =~ s/^(?=.)/3 /r, "\n";
END
# With so few runs, each has to be slower. On a busy machine it may be another command, or none; always what the runs say.
while IFS='|' read -r base percent options; do
	gate "$options --baseline='$base' --fail-if-slower=$percent"
	got=$?
	is "the gate is as the runs are: $options, $base" "$(sed -n "s/^write-bench: .*: slower by more than [^:]*: /$got /p" err | sort -u)" \
		"$(perl slower.pl "$base" "$percent")"
	is "... exit status 3 only then" "$(! grep -q ': slower by more' err || echo 3)" "$([ $got != 3 ] || echo 3)"
done <<'END'
$ ./late|5|-n4 -w ./a -w ./b -w ./late
$ ./a|300|-n4 -w ./a -w ./b -w ./late
sendfile|5|-n3 -w ./late -q
$ ./a|5|-n4 -z 4k,8k -w ./a -w ./late
END

# Ranges of sizes: rows to call that may be the fastest, whatever their medians are.
while IFS='|' read -r what wanted lines; do
	echo "$lines" | tr ';' '\n' | made a.csv
	"$wb" --compare a.csv >out 2>&1
	joined out | grep -Eo '(At all sizes|Up to [0-9]+[KM]iB|From [0-9]+[KM]iB): [a-z]+( \([0-9.]+( to [0-9.]+)?)?' >ranges
	is "ranges: $what" "$(paste -sd' ' ranges)" "$wanted"
done <<'END'
its median is 10 % behind or not|At all sizes: a|4096 a 110 111 112 100;4096 b 101 102 103 104;8192 a 100 101 102 103;8192 b 200 201 202 203
where only a command may be|Up to 4KiB: a (2.40 to 2.50 From 8KiB: b (0.48 to 0.50|4096 a 100 101 102 103;4096 b 107 108 109 110;4096 $_cat 247 248 249 250;8192 $_cat 100 101 102 103;8192 a 301 302 303 304;8192 b 207 208 209 210
without an interval|At all sizes: a (2.00|4096 a 100 100;4096 $_cat 200 200;8192 a 100 100;8192 $_cat 200 200
END

# The start of commands, which is counted by a true(1) of our own.
mkdir bin && printf '#!/bin/sh\necho >>"%s/starts"\n' "$PWD" >bin/true && chmod +x bin/true
starts() { # OPTION...: the facts, in a session with a command; how often it was started
	: >starts && PATH=$PWD/bin:$PATH session -s 'sendfile,$ *' -w 'dd bs=64k status=none' "$@"
	echo "$(fact 'command_[a-z_]*ns' a.csv | grep -c .) $(wc -l <starts)"
}
is "the start of a command is measured five times, or in each round" "$(starts -n1), $(starts -n3), $(starts), $(starts -n7)" "2 5, 2 5, 2 5, 2 7"
is "... its median and least time are facts" "$(echo "$(fact command_ns a.csv) $(fact command_least_ns a.csv)" | awk '{ print ($2 > 0 && $2 <= $1) }')" 1
is "... after rounds that do not count, too" "$(starts -n7 --warmup=1)" "2 8"
session -n3 -s 'sendfile,$ *' -w 'dd bs=64k | cat'
is "... and that of a shell's" "$(fact 'shell_command_[a-z_]*ns' a.csv | grep -c .)$(fact 'command_[a-z_]*ns' a.csv)" 2
while IFS='|' read -r facts command wanted; do
	printf '%s\n' "4096 a 100 101 102 103" "4096 $command 3900 4000 4000 4100" | made a.csv ${facts:+"${facts%;*}" "${facts#*;}"}
	is "a row of 4 ms, ${facts:-start not known}" "$("$wb" --compare a.csv | grep -c '^\$ .*start-up')" "$wanted"
done <<'END'
command_ns: 3900000;command_least_ns: 2000000|$_cat|0
command_ns: 3900000;command_least_ns: 2000001|$_cat|1
shell_command_ns: 3900000;shell_command_least_ns: 2000000|$_cat_>f|0
shell_command_ns: 3900000;shell_command_least_ns: 2100000|$_cat_>f|1
END
