#!/bin/sh
# Several sizes: --size=SIZE,SIZE: what is measured, what stays, what the answers say, and what comes back from files.
# Tried: it fails where a command gets all of the input, or a file stays beside it; a size has the warnings of the one
# Tried: before; a later row of as many sizes is taken; a kept command joins a range of rows; the feeder gives all.
. "$(dirname "$0")/tap.sh"
. "$top/tests/reports.sh"

tally() { # COLUMNS FILE: how many runs have these values; commands are $, and without data moved it is ok, too
	column "$1" "$2" | sed 's/,"*\$ .*/,$/; s/shared\|untouched/ok/' | sort | uniq -c | sed 's/^ *//' | paste -sd';'
}
# sizes STATUS DESCRIPTION OPTION...: two runs of each row at 4 KiB and 1 MiB, where no option says otherwise
sizes() {
	status=$1 what=$2
	shift 2
	case " $*" in *" -z"*) ;; *) set -- -z 4k,1m "$@" ;; esac
	# shellcheck disable=SC2086
	run "$status" "$what" timeout -k 60 60 ${under-} "$wb" -n 2 -p 0 -o a.csv "$@"
}

# ---- Several sizes in one session
bytes 20971520 >X && cp X original && head -c 1048576 X >first
sizes 0 "three sizes, and cat" -z 4k,64k,1m -n 3 --with=cat <X >Y
same "... the output is the largest" first Y
same "... the input is as it was" original X
is "... no file is left" "$(find . -type f ! -name '*.*' | sort | paste -sd' ')" "./X ./Y ./err ./first ./original"
holds "... one table, the heading has the range; the answer is there" err \
	'^row, best run +4KiB +64KiB +1MiB$' ', filesize=4KiB to 1MiB,' '^(Up to|At all|Use|Keep)'
is "... a report for each: its facts, its runs, their number, and the names of columns once" \
	"$(grep -Eo '^row,round|^# (schema|size): .*' a.csv | paste -sd' ') $(fact run_lines a.csv | paste -sd' ')" \
	"# schema: 5 # size: 4096 row,round # schema: 5 # size: 65536 # schema: 5 # size: 1048576 $(
		column bytes a.csv | uniq -c | awk '{ print $1 }' | paste -sd' ')"
at_once "text csv json markdown svg" -z 4k,1m -n2 -s 'sendfile,read+write 256k' -w 'cat; exit 2'
while IFS='|' read -r sizes bytes asked; do
	sizes 0 "-z $sizes" -z "$sizes" -n1 -s sendfile <X >Y
	is "... from small to large, each once; the largest stays" "$(column bytes a.csv | paste -sd' ')|$(
		fact size_asked a.csv)|$(head -c "$(wc -c <Y)" X | cmp - Y)$(wc -c <Y)" "$bytes|$asked|${bytes##* }"
done <<'END'
1m,4k,64k,4k,1M|4096 65536 1048576
4k,30m,1t|4096 20971520|1099511627776
END
"$wb" -z 4k,17000000 -s sendfile -o a.csv <X >Y 2>err
is "each size has its own rounds, and pauses" "$(fact runs a.csv | paste -sd' ') $(fact pause_s a.csv | paste -sd' ') $(
	tally bytes a.csv)" "10 3 0.01 0.1 7 17000000;10 4096"

# ---- States and ends: at each size two runs of each row, also of a command that is not told the size
mkfifo pipe
while IFS='|' read -r ends rows options; do
	case $options$(stat -f -c %T .) in --cold*tmpfs) continue ;; esac
	case $ends in "<pipe"*) cat X >pipe 2>/dev/null & ;; esac
	eval "sizes 0 '$ends' -s '$rows' $options $ends"
	is "... what is measured" "$(tally bytes,outcome,row a.csv)" "$(IFS=,
		for row in $rows; do printf '2 1048576,ok,%s\n2 4096,ok,%s\n' "$row" "$row"; done | sed 's/,[$] .*/,$/' |
			sort | paste -sd';')"
	case $ends in *"X >Y" | "<pipe"* | ">Y") same "... the output is the largest" first Y ;; esac
	case $options in --tee*) same "... and the second one" first Z ;; esac
done <<'END'
<X >Y|sendfile,$ cat|--new -w cat
<X >Y|sendfile,$ cat|--overwrite -w cat
<X >Y|sendfile,$ cat|--reuse -w cat
<X >Y|sendfile,$ cat|--cold -w cat
<X >Y|tee+splice 64k,$ tee "$TEE"|--tee=Z -w 'tee "$TEE"'
<X >/dev/null|sendfile,$ cat|-w cat
<X|read+write 64k|--into='cat >/dev/null'
<pipe >Y|read+write 64k,splice,$ cat|-w cat
>Y|read+write 64k,splice|--from='cat X'
</dev/zero >Y|sendfile,$ head -c $SIZE|-w 'head -c $SIZE'
END
sizes 2 "no command is for an input that it is not told the size of" --from='cat X' --with=cat >Y
sizes 2 "... nor for an endless one" --with=cat </dev/zero >Y

# ---- What fails at one size: what was measured is kept, and no more; with status 0 the output is as X is in the end
not='[ $(wc -c </dev/fd/0) !=' # a size: is false at that size alone; a command is also started on an empty input
while IFS='|' read -r status known what said under command; do
	case $under in ?*) can_trace || or_skip "$what" "no strace" || continue ;; esac
	under=${under:+strace -f -qq -o trace -P . -e inject=openat:$under}
	sizes "$status" "$what" -s 'sendfile,$ *' --in-order --with="$command" <X >Y
	is "... what is known" "$(tally outcome,row a.csv)" "$known"
	cat err >>a.csv
	holds "... what is said" a.csv "$said"
	[ "$status" != 0 ] || is "... the output" "$(head -c 1048576 X | cmp - Y)" ""
	cp original X
done <<END
1|2 mismatch,\$;4 ok,sendfile|a command that copies X by its name|differs.*4096||cp X Y
0|1 n/a,\$;2 ok,\$;4 ok,sendfile|no second file can be made|n/a,|error=EROFS:when=2+|cat
143|2 ok,\$;2 ok,sendfile|interrupted while one is made|^# interrupted: by .* 15|signal=TERM:when=2|cat
143|2 ok,\$;3 ok,sendfile|interrupted in the second|^# interrupted: by .* 15||$not 1048576 ] || kill -TERM \$PPID; cat
1|2 ok,\$;2 ok,sendfile|an input that is cut between two sizes|changed||$not 4096 ] || truncate -s 10000 X; cat
0|4 ok,\$;4 ok,sendfile|one that changes in the second|.||$not 1048576 ] || printf new | dd of=X conv=notrunc 2>err; cat
1|1 failed,\$;2 ok,\$;4 ok,sendfile|a row that fails at one size|status 7 .1MiB.||$not 1048576 ] || exit 7; cat
END

# ---- Ranges of sizes, against their definition, by random reports; each by the last word of its sizes
cat >ranges.pl <<'E'
use strict; use warnings; use Judge;
for my $seed (1 .. $ARGV[1]) {
	srand $seed;
	my ($n, $runs, $upto, $best, @may, @wanted) = (2 + int rand 4, (3, 5, 7, 7)[rand 4], 0);
	open my $f, '>', 'a.csv' or die;
	for my $size (map { 1024 * 4 ** $_ } 0 .. $n - 1) {
		my @names = (map({ "r$_" } grep { $_ < 2 || rand() < 0.8 } 1 .. 6), rand() < 0.6 ? '$ c' : ());
		my @rows = map { my $ns = 9000 + int rand 1500;
			{ name => $_, runs => [map { [$_, $ns + int rand 900, 0] } 1 .. $runs] } } @names;
		print $f "# size: $size\n# runs: $runs\nrow,round,ns,outcome\n";
		for my $row (@rows) { print $f "$row->{name},$_->[0],$_->[1],ok\n" for @{$row->{runs}} }
		my $j = judge({ runs => $runs, rows => \@rows });
		my $used = $j->{answer} eq 'USE' || $j->{answer} eq 'MORE' && ($j->{own} // '') !~ /c/;
		push @may, [$used ? map { "use $_" } grep { /^r/ && ($j->{marked}{$_} || $_ eq $j->{use}) } @{$j->{ranked}}
			: $j->{answer} eq 'KEEP' ? 'keep c' : 'the runs are'];
	}
	close $f;
	while ((my $from = $upto) < $n) {
		for my $name (@{$may[$from]}) {
			my $to = $from;
			$to++ while $to < $n && grep { $_ eq $name } @{$may[$to]};
			($best, $upto) = ($name, $to) if $to > $upto;
		}
		push @wanted, ($upto < $n ? 4 ** ($upto - 1) . 'KiB' : $from ? 'on' : 'sizes') . ": $best";
	}
	my $got = join ' ', `"$ARGV[0]" --compare a.csv` =~ s/\n +/ /gr =~ /\b(\w+: (?:use r\d|keep c|the runs are))/g;
	print "seed $seed: $got, not @wanted\n" if $got ne "@wanted";
}
E
is "ranges of random sizes" "$(perl -I"$top/tests" ranges.pl "$wb" "${FULL:+5}50" 2>&1)" ""

# ---- Several files of several sizes: a table for each size, with its answers
p="heading=P, filesize=%KiB, kernel=1; us" at_1m='1048576; a 8..17; $_cat 30..39'
made "$p; 4096; a 10..19; b 20..29; warning_busy=it; 65536; a 60..69; b 50..59; warning_busy=" "$at_1m" >x.csv
made "$p; 4096; a 20..29; b 10..19; 1048576; a 90..99; b 80..89" >y.csv
"$wb" --compare x.csv | tr -s '\n ' ' ' >line
holds "answers by size, with a factor; a warning of one size is not another's" line ' Warning: it \(4KiB\)\. ' \
	' Up to 4KiB: use a\. At 64KiB: use b\. From 1MiB on: use a, 2\.76 times as fast as cat \(99%: 2\.[0-9]+ to 3\.'
made "$p; 1048576; a 50..59; b 60..69" >z.csv
"$wb" --compare x.csv y.csv z.csv | sed -n 's/^[A-Z][^:]*filesize=\([^,]*\).*/\1/p; /^row/p; /: use [ab]\./p' >out
is "a table for each size, with its answers" "$(tr -s ' \n' ' ' <out)" "4KiB row, median x y change 95% over all x: use\
 a. y: use b. 64KiB row best median worst behind CPU 1MiB row, best run x y z $(
	sed -n 's/.*From 1MiB on/x/p' line | sed 's/ ~:.*//') y: use b. z: use a. "
