#!/bin/sh
# Several sizes: --size=SIZE,SIZE: what is measured, what stays, what the answer says, and what comes back from files.
# Tried: it fails where a command gets all of the input, or a file stays beside it; the input does not come back to its
# Tried: place; a size has the runs, sums or warnings of the one before; ranges stop too early, or a later row of as
# Tried: many sizes is taken; a row that is missing at a size is called for all; facts of one size are another's; an
# Tried: interrupted size is called whole; a changed input is not seen; the feeder gives all that it has.
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
. "$top/tests/replay.sh"
. "$top/tests/reports.sh"
undo=unplace

tally() { # COLUMNS FILE: how many runs have these values
	column "$1" "$2" | sort | uniq -c | tr -s ' \n' ' '
}
here() { # files beside the input
	find . -type f ! -name 'cmp*' ! -name '*.csv' ! -name err ! -name out ! -name line | sort | tr '\n' ' '
}
copy=first
# sizes [STATUS] DESCRIPTION OPTION...: two runs of each row at 4 KiB and 1 MiB, where no option says otherwise; leaves
# $copy in Y
sizes() {
	case $1 in [0-9]*) status=$1 && shift ;; *) status=0 ;; esac
	what=$1
	shift
	case " $*" in *" -z"*) ;; *) set -- -z 4k,1m "$@" ;; esac
	run "$status" "$what" timeout -k 60 60 "$wb" -n 2 -p 0 -o a.csv "$@"
	[ "$status" != 0 ] || [ -z "$copy" ] || same "... the output is the largest" "$copy" Y
}

# Three sizes in one session.
bytes 20971520 >X
cp X original
head -c 1048576 X >first
run 0 "three sizes, and cat" "$wb" -z 4k,64k,1m -n 5 -p 0 --with=cat -o s.csv <X >Y
cp err text
same "... the output is the largest" first Y
same "... the input is as it was" original X
is "... no file is left" "$(here)" "./X ./Y ./first ./original ./text "
holds "... the table has a column for each, and the heading the range; the answer is there" text \
	'^row  +4KiB +64KiB +1MiB$' ', filesize=4KiB to 1MiB,' '^(Up to|At all sizes)'
is "... cat is measured at all" "$(column 'row,bytes' s.csv | grep '^\$ cat' | uniq -c | tr -s ' \n' ' ')" \
	' 5 $ cat,4096 5 $ cat,65536 5 $ cat,1048576 '
is "... a report for each: its facts, its runs, and the names of columns once" \
	"$(grep -Eo '^row,round|^# (schema|size): .*' s.csv | tr '\n' ' ')" \
	"# schema: 4 # size: 4096 row,round # schema: 4 # size: 65536 # schema: 4 # size: 1048576 "
is "... with their number" "$(fact run_lines s.csv)" "$(column bytes s.csv | uniq -c | sed 's/ *\([0-9]*\) .*/\1/')"
at_once "text csv json markdown" -z 4k,1m -n2 -s 'sendfile,read+write 256k'
rm live.* replayed
copy='' sizes "one size that is smaller than the input" -z 64k -n1 --with=cat -s 'sendfile,$ *' <X >Y
is "... cat is measured" "$(column row,outcome a.csv | grep '^\$ cat')" "\$ cat,$(cat_is)"
sizes "the order of sizes is theirs, each once" -z 1m,4k,64k,4k,1M -n1 -s sendfile <X >Y
is "... from small to large" "$(column bytes a.csv | tr '\n' ' ')" "4096 65536 1048576 "
copy=X sizes "what the input has not is one size" -z 4k,30m,1t -n1 -s sendfile <X >Y
is "... all of it" "$(column bytes a.csv | tr '\n' ' ')$(fact size_asked a.csv)" "4096 20971520 1099511627776"
for sizes in "4k,x" "$(seq -s, 33)"; do
	# shellcheck disable=SC2086
	run 2 "-z $sizes is refused" "$wb" -z $sizes <X 1<>Y
	same "... and nothing is touched" X Y
done

# Give each size its own runs, pauses and warnings.
bytes 17000000 >L
"$wb" -z 4k,64k,17000000 -s sendfile -o a.csv <L >Y 2>err
is "small sizes have ten runs, large ones three, and a final" \
	"$(fact runs a.csv | paste -sd' ')$(column bytes a.csv | sort -n | uniq -c | tr -s ' ,\n' ' ')" \
	"10 10 3 10 4096 10 65536 7 17000000 "
is "... and shorter pauses; the last lines have both" \
	"$(fact pause_s a.csv | paste -sd' ')$(joined err | grep -o '; runs by size: .*, seed ')" \
	"0.01 0.01 0.1; runs by size: 10, 10, 3, seed "
"$wb" -z 4k,17000000 -s sendfile -n 2 -p 0 -o a.csv <L >Y 2>err
is "-n and -p hold for all, as is said" "$(fact runs a.csv | paste -sd' '), $(fact pause_s a.csv |
	paste -sd' '),$(tally bytes a.csv)$(joined err | grep -o '; 2 runs, seed ')" \
	"2 2, 0 0, 2 17000000 2 4096 ; 2 runs, seed "
rm L
for mode in --new --overwrite --reuse --cold; do
	case $mode$(stat -f -c %T .) in --coldtmpfs) continue ;; esac
	sizes "with $mode" $mode -s 'sendfile,read+write 256k,$ *' --with=cat <X >Y
done
same "... the input is as it was" original X

{ head -c 65536 /dev/zero && tail -c +65537 first; } >Z
copy='' sizes "zeros, and noise" -z 64k,1m -n 1 -s sendfile <Z >Y
is "... those of one size are not the next one's" \
	"$(sed -n 's/^# size: //p; s/^# \(warning_zero: [^ ]*\).*/\1/p' a.csv | tr '\n' ' ')" \
	"65536 warning_zero: 100% 1048576 "
rm Z

# All ends.
run 0 "from a pipe" sh -c 'cat X | "$1" -z 4k,1m -n 2 -p 0 -s "splice,read+write 64k,$ *" --with=cat -o a.csv >Y' sh \
	"$wb"
same "... the output is the largest" first Y
is "... cat is measured" "$(tally row,outcome a.csv)" ' 4 $ cat,ok 4 read+write 64k,ok 4 splice,ok '
{
	"$wb" -z 4k,64k -n 2 -p 0 -s 'read+write 64k' <X 2>err
	echo $? >status
} | cat >piped
is "into a pipe, which gets all copies" "$(cat status) $(wc -c <piped | tr -d ' ')" "0 139264"
rm piped status
for from in 'head -c $SIZE X' 'cat X'; do
	sizes "from a command: $from" -s 'splice,read+write 64k' --from="$from" >Y
done
sizes 2 "... no --with command is for one that is not told the size" --from='cat X' --with=cat >Y
copy='' sizes "into a command" -s 'splice,read+write 64k' --into='cat >/dev/null' <X
copy='' sizes "from /dev/zero" -s 'sendfile,$ *' --with='head -c $SIZE' </dev/zero >Y
is "... a command that is told the size is measured" "$(tally row,outcome a.csv)" ' 4 $ head -c $SIZE,ok 4 sendfile,ok '
sizes 2 "... one that is not" --with=cat </dev/zero >Y
sizes "two outputs" --with='tee "$TEE"' --tee=Z <X >Y
same "... and the second" first Z
rm Z
copy='' sizes "into /dev/null" -s 'sendfile,read+write 64k,$ *' --with=cat <X >/dev/null
is "... cat reads so much and no more" "$(grep -c '^[$] cat,.*,ok,' a.csv)" 4

# Give a command that does not know the size an input of its own, with the holes of X.
part='stat -L -c %b /proc/self/fd/0 >>blocks; wc -c </dev/fd/0 >>found; cat'
truncate -s 20m sparse && bytes 4096 | dd of=sparse bs=4k seek=2 conv=notrunc 2>err
if [ "$(stat -c %b sparse)" -lt 256 ] || or_skip "an input with holes" "there are none here"; then
	sync sparse && cp -p sparse sparse.was
	copy='' sizes "an input with holes" -z 64k,10m -s '$ *' --with="$part" <sparse >Y
	is "... they are holes for a command, too" \
		"$(sort -nu found | grep -vx 0 | tr '\n' ' ')$(awk '$1 > 4096' blocks)" "65536 10485760 "
	same "... byte by byte" sparse.was sparse
	is "... and the output a copy" "$(head -c 10485760 sparse | cmp - Y)" ""
fi
rm -f sparse* blocks found

# A command that reads by name, and where no file can be made.
sizes "a command that copies all of X by its name" -s 'sendfile,$ *' --with='cp X Y' --with='head -c $SIZE X' <X >Y
is "... is n/a, once a size, one that is told the size is measured" "$(tally row,outcome a.csv)" \
	' 2 $ cp X Y,n/a 4 $ head -c $SIZE X,ok 4 sendfile,ok '
if can_trace || or_skip "where no file can be made" "no strace, or it may not trace here"; then
	while IFS='|' read -r injection cats reason; do
		strace -f -qq -o trace -P "$PWD" -e "inject=$injection" "$wb" -z 4k,1m -n2 -p0 -o a.csv \
			-s 'sendfile,$ *' --in-order -w cat <X >Y 2>err
		is "no file can be made: $injection" \
			"$? $(column row,bytes,outcome a.csv | sed -n 's/shared/ok/; s/^\$ cat,//p' | tr '\n' ' ')" \
			"$cats "
		holds "... says why" a.csv "$reason"
		case $cats in 0*) same "... the output is a copy" first Y ;; esac
	done <<END
openat:error=EROFS:when=2+|0 4096,n/a 1048576,n/a|n/a,.*open: EROFS
openat:error=EROFS:when=3+|0 4096,ok 4096,ok 1048576,n/a|n/a,.*open: EROFS
openat:signal=TERM:when=3|143 4096,ok 4096,ok|^# interrupted: by SIGTERM after [0-9]+ of [0-9]+ runs
END
	rm trace
fi
if mkdir little && mount -t tmpfs -o size=3m tmpfs little 2>/dev/null ||
	or_skip "an input on a file system that would be full" "tmpfs can't be mounted"; then
	head -c 2600000 X >little/X
	copy='' sizes "a file system that would be full" -z 1040000 -s 'sendfile,$ *' --with=cat <little/X >Y
	is "... cat is n/a, with the reason" "$(grep -c '^[$] cat,.*,n/a,.*ENOSPC' a.csv)" 1
	umount little
fi
rmdir little
if [ "$(id -u)" = 0 ] && truncate -s 8m disk && loop=$(losetup -f --show disk 2>/dev/null) ||
	or_skip "a block device" "not root, or no loop device"; then
	copy='' sizes "a block device" -s 'sendfile,$ *' --with=cat <"$loop" >Y
	is "... cat is n/a at each size" "$(grep -c '^[$] cat,.*,n/a,' a.csv)" 2
	losetup -d "$loop"
fi
rm -f disk

# Interrupted, and an input that changes.
sizes 143 "interrupted in the second size" -n 3 --in-order \
	-s 'sendfile,$ *' --with='[ $(wc -c </dev/fd/0) != 1048576 ] || kill -TERM $PPID; cat' <X >Y
is "... what was measured is printed, and where that was said" "$(column bytes a.csv | grep -cx 4096) $(
	sed -n 's/^# size: //p; s/^# interrupted: by SIGTERM .*/here/p' a.csv | paste -sd' ')" "6 4096 1048576 here"
is "... no file is left" "$(here)" "./X ./Y ./first ./original ./text "
at_first='[ $(wc -c </dev/fd/0) = 4096 ]' # is true at the first size alone
sizes 1 "an input that is cut between two sizes" -s '$ *' --with="! $at_first || truncate -s 10000 X; cat" <X >Y
is "... what was measured is kept, and no more" "$(tally bytes a.csv)" " 2 4096 "
cp original X
copy='' sizes "an input that changes while the second size is measured" \
	-s 'sendfile,$ *' --with="$at_first || printf changed | dd of=X conv=notrunc 2>/dev/null; cat" <X >Y
is "... is copied as it is in the end" "$(head -c 1048576 X | cmp - Y)" ""
cp original X
sizes 1 "a row that fails at one size" -s 'sendfile,$ *' --with="$at_first || exit 7; cat" <X >Y
is "... is named with the size" "$(joined err | grep -Eo ' 7 \(1MiB\)')" ' 7 (1MiB)'

# Reports made by hand: two runs of each row.
at() { # FILE PLACE LINE...
	file=$1 place=$2
	shift 2
	made "heading=$place, filesize=%KiB, kernel=1; cpu=C; kernel=1; output=$place; us" "$@" >"$file"
}
at b.csv Place '4096; small 1x2; middle 1x2; large 3x2; read+write_256k 2x2' \
	'65536; small 5.3x2; middle 5x2; large 6x2' \
	'read+write_256k 15x2' '1048576; small 90x2; middle 70x2; large 50x2; read+write_256k 100x2'
says "ranges, and one call for all sizes" b.csv ' Up to 64KiB: middle\. From 1MiB: large\. ' \
	' all sizes: middle, .* 1\.4 .*at 1MiB\)\. '
at b.csv Place '4096; a 1x2; $_cat 2001/2000x2; read+write_256k 3x2' \
	'1048576; a 10000x2; $_cat 23000/2000x2; read+write_256k 30000x2'
says "a command is net of its start, unless that is most of it" b.csv \
	' At all sizes: a\. cat: mostly start-up (up to|at) 4KiB; slower (from|at) 1MiB( on)?, 2\.10 times ' \
	'\$ cat 2\.00ms 23\.0ms~? '
at b.csv Place '4096; a 1x2; reflink =shared 2x2; 1048576; a 100x2; reflink =shared 2.1x2'
says "what shares the blocks comes first" b.csv ' Use reflink: .*2\.10us at 1MiB\. .*: At all sizes: a\. '
at b.csv Place '4096; a 1x2; reflink =shared 2x2; $_cp =shared 3x2' \
	'1048576; a 100x2; reflink =shared 2.1x2; $_cp =shared 4x2'
says "... a command of the user's before a row" b.csv ' Keep cp: .*4\.00us at 1MiB\. .*: At all sizes: a\. '
at b.csv Place '4096; a 1x2; reflink =shared 2x2; $_cp 3x2; 1048576; a 100x2; reflink =shared 2.1x2; $_cp =shared 4x2'
says "... but one that did so at each size" b.csv ' Use reflink: .*2\.10us at 1MiB\. '
at b.csv Place '4096; a 10 10 10 10 99 99 10 10; b 20..27; $_cat 30..37' '1048576; a 10x8; b 20x8; $_cat 10x8'
says "a command that another row beats, but not the best one" b.csv \
	' cat: the best row is not shown to be faster (at|up to) 4KiB; no row is shown to be faster (at|from) 1MiB'
"$wb" -q -p0 -n1 -z 4k,64k,256k -s 'write-behind 8m,*direct 1m,uncached 1m,direct 1m + falloc' -o d.csv <X >Y 2>err
sed -n '/^# settled: /{ s///; s/ and [0-9]* more$//; s/, /\n/gp; }' d.csv | while read -r row; do
	"$wb" --list | grep -nE "^$(echo "$row" | sed 's/+/\\+/g')( {2,}|$)" | cut -d: -f1
done | uniq >places
is "rows that wait for the disk are named in the table's order at all sizes" \
	"$(awk 'NR > 1 && $1 < last { sizes++ } { last = $1 } END { print sizes + 0 <= 2 }' places)" 1

# The ranges and the one call, against all possibilities.
cat >tables.pl <<'E'
# A random table, whose ~ are the program's: prints the ranges and the one call as the report has them, by trying all.
use strict; use warnings; use Ranks;
my ($seed, $file) = @ARGV; srand $seed;
my $n = 2 + int rand 5; my $rows = 1 + int rand 6; my (%t, %may, @least, @fewest);
open my $f, '>', $file or die;
for my $i (0 .. $n - 1) {
	print $f "# size: ", my $bytes = 1024 * 4 ** $i, $i ? "\n" : "\nrow,round,ns,outcome,bytes\n";
	for my $r (0 .. $rows - 1) {
		next if rand() < 0.3 && $r != $i % $rows;
		my $ns = 10000 + int(rand() < 0.7 ? rand 1500 : rand 9000);
		my $noise = rand() < 0.3 ? 12000 : 3000;
		my @runs = map { $ns + int rand $noise } 1 .. 7;
		$least[$i] = least(grep { defined } $least[$i], $t{$r}[$i] = median(@runs));
		print $f "r$r,$_,$runs[$_ - 1],ok,$bytes\n" for 1 .. 7;
	}
}
close $f;
open my $json, '-|', $ENV{wb}, '--compare', $file, '-f', 'json' or die;
while (<$json>) {
	$may{$1}[log($3 / 1024) / log(4) + 0.5] = $2 if /"row": "r(\d)",.*"mark": "(~?)".*"bytes": (\d+)/;
}
sub behind { my ($r, $a, $z) = @_; return most(map { ($t{$r}[$_] // 9e18) / $least[$_] } $a .. $z) }
sub may { my ($r, $a, $z) = @_; return behind($r, $a, $z) <= 1.25 && !grep { !$may{$r}[$_] } $a .. $z }
$fewest[0] = 0; # of the first sizes
for my $z (1 .. $n) {
	for my $a (1 .. $z) {
		next if !grep { may($_, $a - 1, $z - 1) } 0 .. $rows - 1;
		$fewest[$z] = least($fewest[$z] // 99, $fewest[$a - 1] + 1);
	}
}
my ($one) = sort { behind($a, 0, $n - 1) <=> behind($b, 0, $n - 1) || $a <=> $b } 0 .. $rows - 1;
my $worst = behind($one, 0, $n - 1);
print "$fewest[$n] ", $fewest[$n] > 1 && $worst < 9e9 ? sprintf('r%d %.1f', $one, $worst) : 'none', "\n";
E
export wb
wrong=
for seed in $(seq 20); do
	wanted=$(perl -I"$top/tests" tables.pl "$seed" t.csv)
	"$wb" --compare t.csv 2>err | tr -s '\n ' ' ' >line
	ranges=$(grep -Eo '(Up to [^ ]+|At [^ ]+|From [^ ]+|At all sizes|[KM]iB to [0-9.]+[KM]iB): r[0-9]' line | wc -l)
	one=$(sed -n 's/.*One call for all sizes: \(r[0-9]\)[^0-9]*\([0-9.]*\) .*/\1 \2/p' line)
	[ "$ranges ${one:-none}" = "$wanted" ] || wrong="$wrong seed $seed: $ranges ${one:-none}, not $wanted;"
done
is "ranges and the one call in random tables, against all possibilities" "$wrong" ""

# Several files.
at big.csv Place '1048576; a 50x2; b 60x2'
at small.csv Place '4096; a 2x2; b 1x2'
at middle.csv Place '65536; a 5x2; b 5.1x2'
at other.csv Elsewhere '2097152; a 5x2; b 5.1x2'
at newer.csv Place 'kernel=2; 2097152; a 5x2; b 5.1x2'
says "files of one place and other sizes are columns by size" "big.csv small.csv middle.csv" ' row 4KiB 64KiB 1MiB ' \
	'^Place, filesize=4KiB to 1MiB, kernel=1 ' ' (Up to 64KiB: b\.|Up to 4KiB: b\.)'
lacks "... alone" out '\.csv'
is "... also in one file" "$(cat middle.csv big.csv small.csv | "$wb" --compare - | head -n 8)" "$(head -n 8 out)"
for other in other newer; do
	says "another place, or kernel, is a column of its own: $other" "big.csv small.csv $other.csv" \
		"^row big small $other "
done
at left.csv Place '4096 8192; a 1x2; b 2x2'
at right.csv Other '65536 131072; a 1x2; b 2x2'
says "two files without a common size: all columns" "left.csv right.csv" \
	'^row left 4KiB left 8KiB right 64KiB right 128KiB '
{ echo "# warning_busy: one thing" && cat small.csv; } >one.csv
{ echo "# warning_busy: another" && cat big.csv; } >other.csv
cat one.csv other.csv | "$wb" --compare - >out
holds "a warning of one size is not another's" out '^Warning: one thing \(4KiB; similar: 1MiB\)'
at x.csv Place '4096; a 1x2; b 2x2; 1048576; a 60x2; b 50x2'
at y.csv Other '4096; a 2x2; b 1x2; 65536; a 5x2; 1048576; a 60x2; b 70x2'
says "several files of several sizes: each at each size" "x.csv y.csv big.csv" \
	'^row x 4KiB x 1MiB y 4KiB y 64KiB y 1MiB big 1MiB a 1\.00us~ 60\.0us 2\.00us 5\.00us~ 60\.0us~ 50\.0us~ b ' \
	' b 2\.00us 50\.0us~ 1\.00us~ ' ' x: Up to 4KiB: a\. From 1MiB: b\. ' ' y: Up to 4KiB: b\. From 64KiB: a\. '
at old.csv Place '4096; a 1x6; b 2x6; 1048576; a 60x6; b 50x6'
at new.csv Place '4096; a 3x6; b 2x6; 1048576; a 60x6; b 50x6'
says "two files: what changed" "old.csv new.csv" '^row 4KiB 1MiB a 3\.00us \+200\.0% 60\.0us b 2\.00us 50\.0us ' \
	' old: Up to 4KiB: a\. From 1MiB: b\. ' ' new: At all sizes: b\. ' ': faster 0, 0; slower 1, 0; [^:]* 0, 0 '
