#!/bin/sh
# Several sizes: --size=SIZE,SIZE: what is measured, what stays, what the answer says, and what comes back from files.
# Tried: it fails where a command gets all of the input, or a file stays beside it; the input does not come back to its place; a size has
# Tried: the runs, sums or warnings of the one before; ranges stop too early, or a later row of as many sizes is taken; a row that
# Tried: is missing at a size is called for all; facts of one size are another's; a file with a size too many is read; an interrupted
# Tried: size is called whole; a changed input is not seen; the feeder gives all that it has.
# shellcheck disable=SC2016
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
. "$top/tests/replay.sh"
undo=unplace

fact() { # KEY FILE: of each size that has it
	sed -n "s/^# $1: //p" "$2" | paste -sd' '
}
tally() { # COLUMNS FILE: how many runs have these values
	column "$1" "$2" | sort | uniq -c | tr -s ' \n' ' '
}
here() { # files beside the input
	find . -type f ! -name 'cmp*' ! -name '*.csv' ! -name err ! -name out ! -name line | sort | tr '\n' ' '
}
copy=first
sizes() { # [STATUS] DESCRIPTION OPTION...: two runs of each row at 4 KiB and 1 MiB, where no option says otherwise; leaves $copy in Y
	case $1 in [0-9]*) status=$1 && shift ;; *) status=0 ;; esac
	what=$1
	shift
	run "$status" "$what" timeout -k 60 60 "$wb" -z 4k,1m -n 2 -p 0 -o a.csv "$@"
	[ "$status" != 0 ] || [ -z "$copy" ] || same "... the output is the largest" "$copy" Y
}

# What the issue is about.
bytes 20971520 >X
cp X original
head -c 1048576 X >first
run 0 "three sizes, and cat" "$wb" -z 4k,64k,1m -n 5 -p 0 --with=cat -o s.csv <X >Y
cp err text
same "... the output is the largest" first Y
same "... the input is as it was" original X
is "... no file is left" "$(here)" "./X ./Y ./first ./original ./text "
holds "... the table has a column for each, and the heading the range; the answer is there" text '^row  +4KiB +64KiB +1MiB$' \
	', filesize=4KiB to 1MiB,' '^(Up to|At all sizes)'
is "... cat is measured at all" "$(column 'row,bytes' s.csv | grep '^\$ cat' | uniq -c | tr -s ' \n' ' ')" ' 5 $ cat,4096 5 $ cat,65536 5 $ cat,1048576 '
is "... a report for each: its facts, its runs, and the names of columns once" "$(grep -Eo '^row,round|^# (schema|size): .*' s.csv | tr '\n' ' ')" \
	"# schema: 3 # size: 4096 row,round # schema: 3 # size: 65536 # schema: 3 # size: 1048576 "
is "... with their number" "$(fact run_lines s.csv)" "$(column bytes s.csv | uniq -c | sed 's/ *\([0-9]*\) .*/\1/' | paste -sd' ')"
at_once "text csv json markdown" -z 4k,1m -n2 -s 'sendfile,read+write 256k'
rm live.* replayed
is "... JSON has a report for each size, and rows with theirs" "$("$wb" --compare s.csv -f json | grep -o '"size": [0-9]*\|"bytes": [0-9]*' | uniq | tr -dc '0-9\n' | tr '\n' ' ')" \
	"4096 4096 65536 65536 1048576 1048576 "
copy=
sizes "one size that is smaller than the input" -z 64k -n1 --with=cat -s 'sendfile,$ *' <X >Y
is "... cat is measured" "$(column row,outcome a.csv | grep '^\$ cat')" "\$ cat,$(cat_is)"
copy=first
sizes "the order of sizes is theirs, each once" -z 1m,4k,64k,4k,1M -n1 -s sendfile <X >Y
is "... from small to large" "$(column bytes a.csv | tr '\n' ' ')" "4096 65536 1048576 "
copy=X
sizes "what the input has not is one size" -z 4k,30m,1t -n1 -s sendfile <X >Y
is "... all of it" "$(column bytes a.csv | tr '\n' ' ')$(fact size_asked a.csv)" "4096 20971520 1099511627776"
for sizes in "4k,64k --race:--race: names a winner at one size" "4k,x:--size=x: is not a size" "4k,,64k:--size=: is not a size" "$(seq -s, 33):--size=.* has more than 32 sizes"; do
	# shellcheck disable=SC2086
	run 2 "-z ${sizes%%:*} is refused" "$wb" -z ${sizes%%:*} <X 1<>Y
	holds "... says why" err "^write-bench: ${sizes#*:}"
done

# What a size has for itself.
bytes 17000000 >L
"$wb" -z 4k,64k,17000000 -s sendfile -o a.csv <L >Y 2>err
is "small sizes have ten runs, large ones three, beside those that come as runs disagree" \
	"$(fact runs a.csv)$(column bytes,extra a.csv | grep -v ',1$' | sort -n | uniq -c | tr -s ' ,\n' ' ')" "10 10 3 10 4096 10 65536 3 17000000 "
is "... and shorter pauses; the last lines have both" "$(fact pause_s a.csv)$(joined err | grep -o '; runs by size: .*, seed ')" "0.01 0.01 0.1; runs by size: 10, 10, 3, seed "
"$wb" -z 4k,17000000 -s sendfile -n 2 -p 0 -o a.csv <L >Y 2>err
is "-n and -p hold for all, as is said" "$(fact runs a.csv), $(fact pause_s a.csv),$(tally bytes a.csv)$(joined err | grep -o '; 2 runs, seed ')" \
	"2 2, 0 0, 2 17000000 2 4096 ; 2 runs, seed "
rm L
copy=first
for mode in --new --replace --overwrite --reuse --until=close --cold --in-order --no-verify --warmup=1 --counters; do
	case $mode$(stat -f -c %T .) in --coldtmpfs) continue ;; esac
	sizes "with $mode" $mode -s 'sendfile,read+write 256k,$ *' --with=cat <X >Y
done
same "... the input is as it was" original X
is "... no file is left" "$(here)" "./X ./Y ./first ./original ./text "

{ head -c 65536 /dev/zero && tail -c +65537 first; } >Z
copy=
sizes "zeros, and noise" -z 64k,1m -n 1 -s sendfile <Z >Y
is "... those of one size are not the next one's" "$(sed -n 's/^# size: //p; s/^# \(warning_zero: [^ ]*\).*/\1/p' a.csv | tr '\n' ' ')" "65536 warning_zero: 100% 1048576 "
rm Z
sizes "a stop in the first size" -n 1 -s '$ *' <X >Y \
	--with='[ -e once ] || { : >once; (sleep 0.5; kill -CONT $PPID) & kill -STOP $PPID; while ! grep -q "State:.T" /proc/$PPID/status; do :; done; }; cat'
is "... is not the next one's" "$(sed -n 's/^# size: //p; s/^# \(thrown_away: .*\)/\1/p' a.csv | tr '\n' ' ')" "4096 thrown_away: 1 1048576 "
rm -f once

# All ends.
run 0 "from a pipe" sh -c 'cat X | "$1" -z 4k,1m -n 2 -p 0 -s "splice,read+write 64k,$ *" --with=cat -o a.csv >Y' sh "$wb"
same "... the output is the largest" first Y
is "... cat is measured" "$(tally row,outcome a.csv)" ' 4 $ cat,ok 4 read+write 64k,ok 4 splice,ok '
{
	"$wb" -z 4k,64k -n 2 -p 0 -s 'read+write 64k' <X 2>err
	echo $? >status
} | cat >piped
is "into a pipe, which gets all copies" "$(cat status) $(wc -c <piped | tr -d ' ')" "0 139264"
rm piped status
copy=first
for from in 'head -c $SIZE X' 'cat X'; do
	sizes "from a command: $from" -s 'splice,read+write 64k' --from="$from" >Y
done
sizes 2 "... no --with command is for one that is not told the size" --from='cat X' --with=cat >Y
holds "... says why" err 'with=cat: would copy what --from gives after the --size'
copy=
sizes "into a command" -s 'splice,read+write 64k' --into='cat >/dev/null' <X
holds "... whose start is most of a small copy, which is said" a.csv '^# warning_started: much of each run is the start of a command: .*\| cat >/dev/null$'
sizes "from /dev/zero" -s 'sendfile,$ *' --with='head -c $SIZE' </dev/zero >Y
is "... a command that is told the size is measured" "$(tally row,outcome a.csv)" ' 4 $ head -c $SIZE,ok 4 sendfile,ok '
sizes 2 "... one that is not" --with=cat </dev/zero >Y
holds "... would never end" err 'with=cat: would never end'
copy=first
sizes "two outputs" --with='tee "$TEE"' --tee=Z <X >Y
same "... and the second" first Z
rm Z
copy=
! "$wb" -p0 -n1 --send -s 'read+write 64k' <first 2>/dev/null || sizes "into a connection" --send -s 'sendfile,read+write 64k' <X
sizes "into /dev/null" -s 'sendfile,read+write 64k,$ *' --with=cat <X >/dev/null
is "... cat reads so much and no more" "$(grep -c '^[$] cat,.*,ok,' a.csv)" 4

# What a command finds that does not know the size: an input of its own, with the holes of X.
part='stat -L -c %b /proc/self/fd/0 >>blocks; wc -c </dev/fd/0 >>found; cat'
truncate -s 20m sparse && bytes 4096 | dd of=sparse bs=4k seek=2 conv=notrunc 2>err
if [ "$(stat -c %b sparse)" -lt 256 ]; then
	sync sparse && cp -p sparse sparse.was
	sizes "an input with holes" -z 64k,10m -s '$ *' --with="$part" <sparse >Y
	is "... they are holes for a command, too" "$(sort -nu found | tr '\n' ' ')$(awk '$1 > 4096' blocks)" "65536 10485760 "
	same "... byte by byte" sparse.was sparse
	head -c 10485760 sparse | cmp - Y >cmp.out
	is "... and the output a copy" $? 0
else
	skip "an input with holes" "there are none here"
fi
rm -f sparse* blocks found
cp first X.csv && ln -s X.csv link.csv && ln X.csv hard.csv
for name in X.csv link.csv hard.csv; do # a report that is the input, before any part is taken
	run 2 "a report over the input, $name" "$wb" -z 4k,64k -n1 -p0 --with=cat -o $name <X.csv >Y
	same "... it is as it was" first X.csv
done
rm X.csv link.csv hard.csv

# A command that reads by name, and where no file can be made.
refused() { # REGEX: once at each size cat is n/a, with that reason
	is "... cat is n/a, with the reason" "$(grep -c "^[$] cat,.*,n/a,.*$1" a.csv)" "${2:-2}"
}
copy=first
sizes "a command that copies all of X by its name" -s 'sendfile,$ *' --with='cp X Y' --with='head -c $SIZE X' <X >Y
is "... is n/a, once a size, one that is told the size is measured" "$(tally row,outcome a.csv)" ' 2 $ cp X Y,n/a 4 $ head -c $SIZE X,ok 4 sendfile,ok '
if can_trace; then
	no_file='n/a,.*it would read all of the input, and no file beside that can be made'
	while IFS='|' read -r injection cats reason; do
		case $injection in openat*) set -- -P "$PWD" ;; *) set -- ;; esac
		strace -f -qq -o trace "$@" -e "inject=$injection" "$wb" -z 4k,1m -n 2 -p 0 -o a.csv -s 'sendfile,$ *' --in-order --with=cat <X >Y 2>err
		is "no file can be made: $injection" "$? $(column row,bytes,outcome a.csv | sed -n 's/shared/ok/; s/^\$ cat,//p' | tr '\n' ' ')" "$cats "
		holds "... says why" a.csv "$reason"
		case $cats in 0*) same "... the output is a copy" first Y ;; esac
	done <<END
openat:error=EROFS:when=2+|0 4096,n/a 1048576,n/a|$no_file \\(open: EROFS
openat:error=EOPNOTSUPP:when=2+|0 4096,n/a 1048576,n/a|$no_file \\(open: EOPNOTSUPP
openat:error=EACCES:when=2+|0 4096,n/a 1048576,n/a|$no_file \\(open: EACCES
openat:error=EROFS:when=3+|0 4096,ok 4096,ok 1048576,n/a|$no_file
fdatasync:error=ENOSPC|0 4096,n/a 1048576,n/a|fdatasync: ENOSPC
openat:signal=TERM:when=3|143 4096,ok 4096,ok|^# interrupted: by SIGTERM after [0-9]+ of [0-9]+ runs: standard output is not a copy\$
END
	rm trace
else
	skip "where no file can be made" "no strace, or it may not trace here"
fi
if mkdir little && mount -t tmpfs -o size=3m tmpfs little 2>/dev/null; then
	head -c 2600000 X >little/X
	copy=
	sizes "an input on a file system that would be full" -z 1040000 -s 'sendfile,$ *' --with=cat <little/X >Y
	refused 'write: ENOSPC' 1
	umount little
else
	skip "an input on a file system that would be full" "tmpfs can't be mounted"
fi
rmdir little
mkdir closed && cp X closed/X && chmod 555 closed && cp "$wb" closed.wb && chmod 755 . closed.wb && : >Y
other() {
	if [ "$(id -u)" = 0 ]; then setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; else "$@"; fi
}
if ! other touch closed/a 2>/dev/null && other cat closed/X >/dev/null 2>&1; then
	run 0 "an input in a directory where nobody may write" other ./closed.wb -z 4k,64k -n 2 -p 0 -s 'sendfile,$ *' --with=cat --with='head -c $SIZE' -f csv <closed/X 1<>Y
	cp err a.csv
	refused '[$]SIZE'
	is "... others are measured" "$(tally row,outcome a.csv)" ' 2 $ cat,n/a 4 $ head -c $SIZE,ok 4 sendfile,ok '
else
	skip "an input in a directory where nobody may write" "no other user can come here"
fi
chmod 755 closed && rm -r closed closed.wb
if [ "$(id -u)" = 0 ] && truncate -s 8m disk && loop=$(losetup -f --show disk 2>/dev/null); then
	sizes "a block device" -s 'sendfile,$ *' --with=cat <"$loop" >Y
	refused 'it would read all of .*[$]SIZE'
	losetup -d "$loop"
else
	skip "a block device" "not root, or no loop device"
fi
rm -f disk

# Interrupted, and an input that changes.
sizes 143 "interrupted in the second size" -n 3 --in-order -s 'sendfile,$ *' --with='[ $(wc -c </dev/fd/0) = 4096 ] || kill -TERM $PPID; cat' <X >Y
is "... what was measured is printed, and where that was said" \
	"$(column bytes a.csv | grep -cx 4096) $(sed -n 's/^# size: //p; s/^# interrupted: by SIGTERM after .*/here/p' a.csv | tr '\n' ' ')" "6 4096 1048576 here "
holds "... and to people" err '^Interrupted by SIGTERM after [0-9]+ of [0-9]+ runs: '
sizes 143 "interrupted in the first" -n 3 -s '$ *' --with='kill -TERM $PPID; cat' <X >Y
is "... it is the only one" "$(fact size a.csv)" 4096
is "... no file is left" "$(here)" "./X ./Y ./first ./original ./text "
copy=first
sizes "an input whose time changes, and nothing else" -s '$ *' --with='touch X; cat' <X >Y
at_first='[ $(wc -c </dev/fd/0) = 4096 ]' # is true at the first size alone
sizes 1 "an input that is cut between two sizes" -s '$ *' --with="! $at_first || truncate -s 10000 X; cat" <X >Y
is "... what was measured is kept, and no more" "$(tally bytes a.csv)" " 2 4096 "
holds "... is seen" err 'standard output: is not a copy of the input: the input changed meanwhile'
cp original X
copy=
sizes "an input that changes while the second size is measured" -s 'sendfile,$ *' --with="$at_first || printf changed | dd of=X conv=notrunc 2>/dev/null; cat" <X >Y
head -c 1048576 X | cmp - Y >cmp.out
is "... is copied as it is in the end" $? 0
cp original X
sizes 1 "a row that fails at one size" -s 'sendfile,$ *' --with="$at_first || exit 7; cat" <X >Y
is "... is named with the size" "$(joined err | grep -Eo 'Failed: |: exit status [^.]*\.' | tr -d '\n')" 'Failed: : exit status 7 (1MiB).'
sizes 1 "... and at all" -s 'sendfile,$ *' --with=false <X >Y
holds "... once, without one" err '^Failed: \$ false: exit status 1\.'

# Reports made by hand.
made() { # FILE PLACE "BYTES ROW:MEDIAN[:OUTCOME]..."...: two runs of each row, at each size
	file=$1 place=$2
	shift 2
	printf '%s\n' "$@" | awk -v place="$place" '{
		printf "# schema: 3\n# heading: %s, filesize=%dKiB, kernel=1\n# output: %s\n# size: %s\n", place, $1 / 1024, place, $1
		if (NR == 1) print "row,round,ns,outcome,bytes"
		for (i = 2; i <= NF; i++) for (k = 1; k <= 2; k++) {
			n = split($i, x, ":")
			gsub("_", " ", x[1])
			print x[1] "," k "," x[2] "," (n > 2 ? x[3] : "ok") "," $1 } }' >"$file"
}
answers() { # DESCRIPTION REGEX...: about what is made of b.csv
	what=$1
	shift
	"$wb" --compare b.csv >out 2>&1
	joined out >line
	holds "$what" line "$@"
}
made b.csv Place '4096 small:1000 middle:1000 large:3000 read+write_256k:2000' '65536 small:5300 middle:5000 large:6000 read+write_256k:15000' '1048576 small:90000 middle:70000 large:50000 read+write_256k:100000'
answers "ranges: the fewest; and one call for all sizes" ' Up to 64KiB: middle \(2\.00 to 3\.00 times as fast as read\+write 256k\)\. From 1MiB: large \(2\.00 times ' \
	' One call for all sizes: middle, at most 1\.4 times the fastest \(at 1MiB\)\. '
made b.csv Place '4096 small:1000 other:1000' '65536 small:5200 other:5000' '1048576 small:50000 other:50000'
answers "a row that covers all sizes" ' At all sizes: other\. '
lacks "... there is no other call for all sizes" line 'One call'
made b.csv Place '4096 first:1000 some:1010' '65536 second:5000' '1048576 third:50000 some:500000'
answers "three ranges" ' Up to 4KiB: first\. At 64KiB: second\. From 1MiB: third\. '
lacks "... no row was measured at all sizes" line 'One call'
made b.csv Place '4096 a:1000 $_cat:2001000 read+write_256k:3000' '1048576 a:10000000 $_cat:23000000 read+write_256k:30000000'
sed -i '/^# size/a # command_ns: 2000000' b.csv
answers "a command is compared net of its start, where that is not most of it" ' At all sizes: a \(2\.10 times as fast as cat\)\. ' '\$ cat start-up \+130%~? '
sed -i '/^\$ cat/s/,23000000,/,2100000,/' b.csv
answers "... at all sizes: with read+write" ' At all sizes: a \(3\.00 times as fast as read\+write 256k\)\. '
made b.csv Place '4096 a:1000 reflink:2000:shared' '1048576 a:100000 reflink:2100:shared'
answers "what shares the blocks comes first" ' Use reflink: it shares the blocks, 2\.10us at 1MiB\. If the bytes must be copied: At all sizes: a\. '

# The ranges and the one call, against all possibilities.
cat >tables.pl <<'E'
# A random table, whose ~ are the program's: prints the ranges and the one call as the report has them, found by trying all.
use strict; use warnings;
my ($seed, $file) = @ARGV; srand $seed;
my $n = 2 + int rand 5; my $rows = 1 + int rand 6; my (%t, %may, @least, @fewest);
open my $f, '>', $file or die;
for my $i (0 .. $n - 1) {
	print $f "# size: ", my $bytes = 1024 * 4 ** $i, $i ? "\n" : "\nrow,round,ns,outcome,bytes\n";
	for my $r (0 .. $rows - 1) {
		next if rand() < 0.1 && $r;
		my $ns = 10000 + int(rand() < 0.7 ? rand 1500 : rand 9000);
		my $noise = rand() < 0.3 ? 12000 : 3000;
		my @runs = map { $ns + int rand $noise } 1 .. 7;
		my $median = $t{$r}[$i] = (sort { $a <=> $b } @runs)[3];
		$least[$i] = $median if !$least[$i] || $median < $least[$i];
		print $f "r$r,$_,$runs[$_ - 1],ok,$bytes\n" for 1 .. 7;
	}
}
close $f;
open my $json, '-|', $ENV{wb}, '--compare', $file, '-f', 'json' or die;
while (<$json>) { $may{$1}[log($3 / 1024) / log(4) + 0.5] = $2 if /"row": "r(\d)",.*"mark": "(~?)".*"bytes": (\d+)/ }
sub behind { my ($r, $a, $z) = @_; my $w = 0; for ($a .. $z) { my $x = ($t{$r}[$_] // 9e18) / $least[$_]; $w = $x if $x > $w } $w }
sub may { my ($r, $a, $z) = @_; behind($r, $a, $z) <= 1.25 && !grep { !$may{$r}[$_] } $a .. $z }
$fewest[0] = 0; # of the first sizes
for my $z (1 .. $n) { for my $a (1 .. $z) { for my $r (0 .. $rows - 1) {
	my $c = $fewest[$a - 1] + 1;
	$fewest[$z] = $c if may($r, $a - 1, $z - 1) && $c < ($fewest[$z] // 99) } } }
my ($one) = sort { behind($a, 0, $n - 1) <=> behind($b, 0, $n - 1) || $a <=> $b } 0 .. $rows - 1;
my $worst = behind($one, 0, $n - 1);
print "$fewest[$n] ", $fewest[$n] > 1 && $worst < 9e9 ? sprintf('r%d %.1f', $one, $worst) : 'none', "\n";
E
export wb
wrong=
for seed in $(seq 40); do
	wanted=$(perl tables.pl "$seed" t.csv)
	"$wb" --compare t.csv 2>err | tr -s '\n ' ' ' >line
	ranges=$(grep -Eo '(Up to [^ ]+|At [^ ]+|From [^ ]+|At all sizes|[0-9.]+[KM]iB to [0-9.]+[KM]iB): r[0-9]' line | wc -l | tr -d ' ')
	one=$(sed -n 's/.*One call for all sizes: \(r[0-9]\), at most \([0-9.]*\) times.*/\1 \2/p' line)
	[ "$ranges ${one:-none}" = "$wanted" ] || wrong="$wrong seed $seed: $ranges ${one:-none}, not $wanted;"
done
is "ranges and the one call in 40 random tables, against all possibilities" "$wrong" ""

# Several files.
made big.csv Place '1048576 a:50000 b:60000'
made small.csv Place '4096 a:2000 b:1000'
made middle.csv Place '65536 a:5000 b:5100'
made other.csv Elsewhere '2097152 a:5000 b:5100'
{ echo "# kernel: 2" && sed 's/Elsewhere/Place/' other.csv; } >newer.csv
"$wb" --compare big.csv small.csv middle.csv | head -n 8 >out
holds "files of one place and other sizes are columns by size" out '^row +4KiB +64KiB +1MiB$' '^Place, filesize=4KiB to 1MiB, kernel=1$' '^Up to 64KiB: b\.|^Up to 4KiB: b\.'
cat middle.csv big.csv small.csv | "$wb" --compare - | head -n 8 >line
same "... in one file, too, or from a pipe" out line
cat small.csv middle.csv >two.csv
"$wb" --compare two.csv big.csv >out
holds "a file of two sizes beside one of a third says both" out '^two: two\.csv: Place, filesize=4KiB to 64KiB, kernel=1\.'
while read -r files wanted; do
	# shellcheck disable=SC2046
	"$wb" --compare $(echo "$files" | sed 's/[a-z]*/&.csv/g; s/,/ /g') >out
	holds "columns of $files" out "^row +$wanted\$"
done <<'E'
big,small 4KiB +1MiB
big,small,other big +small +other
big,small,newer big +small +newer
big,big,middle 1 +2 +3
E
made x.csv Place '4096 a:1000 b:2000' '1048576 a:60000 b:50000'
made y.csv Other '4096 a:2000 b:1000' '65536 a:5000' '1048576 a:60000 b:70000'
"$wb" --compare x.csv y.csv big.csv >out
joined out >line
holds "several files of several sizes: each at each size" line '^row x 4KiB x 1MiB y 4KiB y 64KiB y 1MiB big 1MiB a 1\.00us~ \+20\.0% \+100% 5\.00us~ 60\.0us~ 50\.0us~ b \+100% ' \
	' x: Up to 4KiB: a\. From 1MiB: b\. ' ' y: Up to 4KiB: b\. From 64KiB: a\. '
"$wb" --compare x.csv y.csv big.csv -f csv >out
is "... as CSV each row of each file at each size" "$(column file,bytes,row out | sort | tr '\n' ' ')" \
	"big.csv,1048576,a big.csv,1048576,b x.csv,1048576,a x.csv,1048576,b x.csv,4096,a x.csv,4096,b y.csv,1048576,a y.csv,1048576,b y.csv,4096,a y.csv,4096,b y.csv,65536,a "
again() { # FILE FACTOR: x.csv with six runs, of which those of a at the first size take so many times as long
	awk -F, -v factor="$2" 'NF < 5 || !($3 + 0) { print; next } $2 == 1 { for (k = 1; k <= 6; k++) print $1 "," k "," $3 * ($1 == "a" && $5 == 4096 ? factor : 1) + k "," $4 "," $5 }' x.csv >"$1"
}
again old.csv 1
again new.csv 3
"$wb" --compare old.csv new.csv >out
joined out >line
holds "two files: what changed" line '^row 4KiB 1MiB a \+199\.[0-9]% ~ b ~ ~ ' ' old: Up to 4KiB: a\. From 1MiB: b\. ' ' new: At all sizes: b\. ' \
	' Rows by size: faster 0, 0; slower 1, 0; too few runs 0, 0 '
run 3 "... --fail-if-slower" "$wb" --compare old.csv new.csv --fail-if-slower >out
run 0 "... the other way" "$wb" --compare new.csv old.csv --fail-if-slower >out
again x6.csv 1
"$wb" --compare x.csv x6.csv >out
holds "... with too few runs" out '^a +too few runs +too few runs$'
for reuse in no yes; do sed "/^# size/a # reuse: $reuse" old.csv >$reuse.csv; done
"$wb" --compare no.csv yes.csv >out
joined out >line
holds "one file a process, or many" line ' no, one file a process: Up to 4KiB: a\. .* yes, many files in one process: Up to 4KiB: a\. '

# What is no report.
wrong() { # DESCRIPTION REGEX LINE...
	what=$1 regex=$2
	shift 2
	printf '%s\n' "$@" >w.csv
	run 2 "$what" "$wb" --compare w.csv
	holds "... says why" err "$regex"
}
names=row,round,ns,outcome,bytes
wrong "bytes that are no number" 'line 2: bytes is "x", not a whole number' $names a,1,1000,ok,x
wrong "another size in a report" 'line 3: has 8192 bytes, not 4096' $names a,1,1000,ok,4096 a,1,1000,ok,8192
wrong "... than it says" 'line 3: has 8192 bytes, not 4096' "# size: 4096" $names a,1,1000,ok,8192
wrong "a fact of a size, as an older version wrote it" 'line 1: .*older version.*: measure again' '# memcpy_ns@4096: 1' $names a,1,1000,ok,4096
wrong "a second report that is cut" 'ends after 1 runs, and says itself that it has 2' "# size: 1" $names a,1,1000,ok,1 "# size: 2" "# run_lines: 2" a,1,1000,ok,2
wrong "a second one without a run" 'ends before a first run' "# size: 1" $names a,1,1000,ok,1 "# size: 2"
# shellcheck disable=SC2046
wrong "33 sizes" 'begins report 33: a file has at most 32' "# size: 1" $names a,1,1000,ok,1 $(for i in $(seq 2 33); do echo "$names a,1,1000,ok,$i"; done)
wrong "the same size and place twice" 'line [56]: .*an earlier one has' "# size: 1" $names a,1,1000,ok,1 $names a,1,1000,ok,1
{ cat x.csv && sed 's/^# output: .*/&, another/' x.csv; } >w.csv
run 0 "one size at two places" "$wb" --compare w.csv
printf '%s\n' "# size: 1" $names a,1,1000,ok,1 "# size: 2" row,round,ns,outcome,cpu_ms,bytes a,1,1000,ok,5,2 >w.csv
run 0 "column names that come again, with others" "$wb" --compare w.csv -f csv >out
is "... each has its own" "$(column row,bytes,cpu_ms out | tr '\n' ' ')" "a,1, a,2,5.000000 "
