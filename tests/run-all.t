#!/bin/sh
# run-all.sh: what it makes, measures, sums up and refuses; that it names what it can't do, and leaves nothing behind, however
# it ends. What only root can do is skipped where we are not, or mount namespaces aren't allowed.
# Tried: it fails where a table of another machine passes for this one's; what was made is left; the input is zeros;
# Tried: what fails does not count; a table is made whatever became of write-bench; no lock; a file that is not listed is replaced;
# Tried: mkfs runs in the user's directory; a mount is seen outside.
# shellcheck disable=SC2016,SC2046,SC2086
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"
have bash || skip_all "no bash"
case $(pwd -P)/ in /dev/shm/*) skip_all "on /dev/shm, which run-all.sh covers with a tmpfs of its own" ;; esac

# A tree whose write-bench writes what it is to measure into the file calls, a line each. By CRASH and MUTE, of the directory that
# it writes to: ends by a signal, says that all went well and leaves no table. By SLOW: takes hours. By WAIT: begins when told so,
# whatever becomes of run-all.sh.
real=$work/tree/real
mkdir -p tree/results stub stage dirs/one/here dirs/two/here dirs/from "dirs/odd name"
cp "$top/run-all.sh" tree/
cp "$wb" "$real"
cat >tree/write-bench <<'END'
#!/bin/sh
case " $* " in
*" -q -o "*"/run.csv "*)
	place=$(readlink /proc/$$/fd/1)
	[ -z "${FEW-}" ] || exec "${0%/*}/real" "$@" -n1 -p0 -s 'sendfile,$ *'
	[ -z "${CALLS-}" ] || echo "$place $(cksum /proc/self/fd/0)" >>"$CALLS"
	case ${place%/*}/ in
	*/"${CRASH:-none}"/*) "${0%/*}/real" "$@" && kill -s "${CRASH_BY:-SEGV}" $$ ;;
	*/"${MUTE:-none}"/*) exit 0 ;;
	*/"${WAIT:-none}"/*)
		trap '' TERM
		: >"$REACHED"
		for _ in $(seq 6000); do
			[ ! -e "$REACHED.go" ] || break
			sleep 0.02
		done
		;;
	*/"${SLOW:-none}"/*) [ -z "${REACHED-}" ] || : >"$REACHED"; exec "${0%/*}/real" "$@" -n10000 -p1 ;;
	esac
	;;
esac
exec "${0%/*}/real" "$@"
END
chmod +x tree/write-bench
chmod 755 "$work" # others are to reach it, too
chmod 1777 "$TMPDIR"
PATH=$PATH:/usr/sbin:/sbin

quick="sendfile,read+write 128k,reflink,copy_file_range"
all() { # OPTION...: runs it on few rows; its id is left in the file pid, what it prints in out
	: >calls
	CALLS=$work/calls timeout -k 1 600 sh -c 'echo $$ >pid && exec tree/run-all.sh "$@"' sh "$@" -- -n1 -p0 -s "$quick" >out
}
fresh() { # STATUS DESCRIPTION OPTION...: runs it so that the tables go to stage/tables, which is new
	rm -rf stage/tables
	expected=$1 name=$2
	shift 2
	run "$expected" "$name" all -o stage/tables "$@"
}
stub() { # NAME COMMAND: what is to be run in place of the program of that name; $real is that
	printf '#!/bin/sh\nreal=%s\n%s\n' "$(command -v "$1")" "$2" >"stub/$1"
	chmod +x "stub/$1"
}
with_stubs() { # COMMAND...
	PATH=$work/stub:$PATH
	"$@"
	got=$?
	PATH=${PATH#*:}
	return $got
}
measured() { # how often it has measured
	wc -l <calls | tr -d ' '
}
ours=/${work##*/}/ # in all paths of ours, as mountinfo and losetup have them, whatever stands before
no_loops() { # of ours; a loop device can outlive what it was for where another looks at it just then
	! losetup -a 2>/dev/null | grep -F "$ours"
}
trail() { # what it has left: directories, mounts, loop devices
	until_there no_loops
	find "$TMPDIR" -mindepth 1
	find dirs stage -name 'write-bench-run.*'
	find /dev/shm -maxdepth 1 -name "write-bench-run.$(cat pid)-*" 2>/dev/null
	grep -hsF "$ours" /proc/[0-9]*/mountinfo | sort -u
	no_loops
}
trailless() { # DESCRIPTION
	is "$1" "$(trail)" ""
}
errors() { # what err has but its progress
	grep -v ': measuring, with the input on ' err
}
tables() { # DIR: names of those in it
	(cd "$1" && for csv in *.csv; do [ ! -f "$csv" ] || echo "${csv%.csv}"; done) | sort | tr '\n' ' '
}
is_whole() { # DIR: prints what is in it that is no whole report or picture, is not listed, or that README.md does not link
	(
		cd "$1" || return
		find . -mindepth 1 -printf '%P\n' | while read -r file; do
			grep -qx "$file" .run-all || [ "$file" = .run-all ] || echo "$file: is not listed"
			case $file in
			README.md | .run-all) ;;
			*.svg) [ "$(tail -n 1 "$file")" = "</svg>" ] || echo "$file" ;;
			*.csv) "$real" --compare "$file" >/dev/null 2>&1 || echo "$file" ;;
			*.txt) [ -s "$file" ] || echo "$file" ;;
			*) echo "$file" ;;
			esac
			case $file in *.csv | *.txt | *.svg) grep -qF "(./$file)" README.md || echo "$file: has no link" ;; esac
		done
		grep -o '\](\./[^)]*)' README.md | sed 's,^](\./,,; s/)$//' | sort -u | while read -r target; do
			[ -s "$target" ] || echo "$target: is not there"
		done
	) 2>&1
}
is_xml() { # FILE...
	if have xmllint; then xmllint --noout "$@"; else for svg; do python3 -c 'import sys, xml.etree.ElementTree as e; e.parse(sys.argv[1])' "$svg"; done; fi
}
row() { # NAME CSV: its outcome
	grep "^$1," "$2" | cut -d, -f4
}
cat >table.pl <<'END'
# A table of README.md has these columns, in this order, of a file or of each of its sizes; each time is the median of the runs in the file;
# the smallest of a column is bold. Prints what is not so, and "rows" if there is none.
use strict;
my ($readme, @csv) = @ARGV;
my (@heads, %median, %unit);
%unit = ("us" => 1e3, "ms" => 1e6, "s" => 1e9);
for my $csv (@csv) {
	my ($name) = $csv =~ m,([^/]*)\.csv$,;
	$name =~ s/^(.*)-same$/$1 to $1/;
	my (%ns, @names);
	open my $f, "<", $csv or die "$csv: $!";
	while (<$f>) {
		chomp;
		my @cells = map { s/^"|"$//gr =~ s/""/"/gr } /("(?:[^"]|"")*"|[^,]*)(?:,|$)/g;
		@names = @cells, next if /^row,/;
		next if /^#/ || !@names;
		my %is = map { $names[$_] => $cells[$_] } 0 .. $#names;
		push @{$ns{$is{bytes}}{$is{row}}}, $is{ns} if $is{outcome} eq "ok";
	}
	for my $bytes (sort { $a <=> $b } keys %ns) {
		my $head = keys %ns == 1 ? $name : $name . " " . ($bytes < 1048576 ? $bytes / 1024 . "KiB" : $bytes / 1048576 . "MiB");
		push @heads, $head;
		for my $row (keys %{$ns{$bytes}}) {
			my @x = sort { $a <=> $b } @{$ns{$bytes}{$row}};
			$median{$head}{$row} = ($x[$#x / 2] + $x[@x / 2]) / 2;
		}
	}
}
open my $f, "<", $readme or die;
my ($on, $rows, %bold, %least);
while (<$f>) {
	chomp;
	$on = 0 if !/^\|/;
	$on = 1, next if $_ eq "| row | " . join(" | ", @heads) . " |";
	next if !$on || /^\| :--/;
	s/\\\|/\x01/g;
	my ($row, @cells) = map { s/^ +| +$//gr =~ s/\x01/|/gr } (split /\|/)[1 .. 1 + @heads];
	$rows++;
	for my $i (0 .. $#heads) {
		my ($bold, $time, $is) = $cells[$i] =~ /^(\*\*)?([0-9.]+)([mu]?s)~?(?:\*\*)?$/ or next;
		my $ns = $time * $unit{$is}, my $was = $median{$heads[$i]}{$row =~ s/\\//gr};
		print "$row, $heads[$i]: $cells[$i], not $was\n" if !$was || abs($ns / $was - 1) > 0.006;
		$bold{$heads[$i]} = $ns if $bold;
		$least{$heads[$i]} = $ns if !$least{$heads[$i]} || $ns < $least{$heads[$i]};
	}
}
print "rows\n" if !$rows;
for (keys %least) { print "bold: $_\n" if ($bold{$_} // 0) != $least{$_} }
END
holds_table() { # DESCRIPTION DIR README NAME...: medians, a column for each; it says where its input is
	what=$1 dir=$2 readme=$3
	shift 3
	for table; do printf '%s.csv\n' "$dir/$table"; done | xargs perl table.pl "$readme" >odd 2>&1
	is "$what" "$(cat odd)" ""
}

# What can be made here.
private=no
[ "$(id -u)" != 0 ] || ! unshare -m true 2>/dev/null || private=yes
makes() { # FS
	case $1 in overlay) set -- overlay ext4 ;; *) set -- "$1" "$1" ;; esac
	have "mkfs.$2" && truncate -s 512M probe.img && {
		case $2 in ext*) "mkfs.$2" -q -F probe.img ;; *) "mkfs.$2" -q -f probe.img ;; esac
	} && unshare -m sh -c 'mkdir -p probe && mount -o loop -t "$2" probe.img probe && { [ "$1" = "$2" ] || {
		mkdir probe/l probe/u probe/w && mount -t overlay -o lowerdir=probe/l,upperdir=probe/u,workdir=probe/w overlay probe; }; }' sh "$1" "$2"
} >/dev/null 2>&1
can=
if [ $private = yes ] && [ "$(df -P -k "$TMPDIR" | awk 'NR == 2 { print $4 }')" -gt 700000 ]; then
	wanted_here="ext3 ext4 xfs"
	! full "ext2, btrfs, and overlay" || wanted_here="ext2 $wanted_here btrfs overlay"
	for fs in $wanted_here; do
		if makes $fs; then can="$can $fs"; else skip "$fs" "can't be made here"; fi
	done
	rm -rf probe.img probe
fi
can() { # FS...
	for fs; do
		case "$can " in *" $fs "*) ;; *) return 1 ;; esac
	done
}
[ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] && memory=yes || memory=$private
[ "$(stat -f -c %T .)" != tmpfs ] && same=-same || same=

# ---- Refusals: before anything is made

refused() { # DESCRIPTION REGEX OPTION...
	name=$1 regex=$2
	shift 2
	echo 0 >pid
	run 2 "refused: $name" timeout 300 tree/run-all.sh "$@" >out
	holds "... by a message that names it" err "$regex"
	is "... printing nothing" "$(cat out)" ""
}
run 0 "--help" timeout 300 tree/run-all.sh --help >out
holds "... names options and file systems" out '^Usage: .*-f FS.*-s SIZE.*-o OUTDIR.*DIR.*--' '-a, --again' 'tmpfs ext2 ext3 ext4 xfs btrfs f2fs overlay dmcrypt nfs3 nfs42'
refused "an unknown option" '--nosuch=1' --nosuch=1
for tool in numfmt 'realpath -m' mountpoint flock; do
	rm -f stub/*
	stub "${tool% *}" 'echo "unknown option" >&2; exit 1'
	with_stubs refused "a busybox, of $tool" 'needs GNU coreutils and util-linux' -f tmpfs -o stage/none
	is "... nothing is left" "$(trail)$(ls stage)" ""
done
rm -f stub/*
if can_trace && [ $private = yes ]; then
	rm -rf stage/tables
	timeout 300 strace -f -qq -o trace -e trace=%file tree/run-all.sh -o stage/tables --input="$PWD/dirs/from" dirs/one/here -- --nosuch >out 2>err
	is "directories are looked at before they are in another namespace (autofs)" "$(awk '/dirs\/from\/\.|dirs\/one\/here\/\."/ { seen++ }
		/execve.*unshare.*--propagation/ { print (seen >= 2); exit }' trace)" 1
fi
for option in -s -o -f --size --input; do
	refused "$option without its argument" "$option" $option
done
for size in x 0 "" -1 1e3 99999999999999999999 8388608t 4194304t; do
	refused "a size of '$size'" "-s $size: " -s "$size" -o stage/none
done
refused "an unknown file system" '-f reiserfs: .* nfs42' -f ext4,reiserfs
refused "a list of none" '-f: ' -f ,
for wrong in ext4+ ext4++x ext4+mkfs: ext4+mkfs:-m::x 'ext4+a;b' ext4+../x ext4+-o 'x?s'; do
	refused "the file system $wrong" "-f .*: " -f "$wrong"
done
for option in --into=cat --send --from=cat -ox.csv -qox.csv --format=svg -z4k --generate=zero:1k; do
	refused "-- $option" "-- $option: " -f tmpfs -o stage/none -- -n1 $option
done
refused "what write-bench refuses" '--nosuch' -f tmpfs -o stage/none -- --nosuch
refused "a pattern that matches no row" 'nosuch' -f tmpfs -o stage/none -- -s nosuch
echo mine >plain
refused "an output directory that is a file" 'plain.*: ' -o plain
refused "... that can't be made" 'plain/tables: ' -o plain/tables -f tmpfs
is "... which is as it was" "$(cat plain)" mine
refused "an input that is not there" '--input=dirs/nosuch: ' --input=dirs/nosuch -o stage/none dirs/one
refused "a summary of nothing" '--summary: ' --summary
refused "a summary of a directory that is not there" 'dirs/nosuch: ' --summary -o stage/none dirs/nosuch
mkdir bare && cp tree/run-all.sh bare/
run 2 "refused: to run without write-bench" timeout 300 bare/run-all.sh
holds "... by a message that names it" err 'bare/write-bench: .*make'
odd=$(printf 'a\033[31m\nb')
mkdir "dirs/$odd"
refused "a name with control characters" 'a\?\[31m\?b: ' -o stage/none "dirs/$odd"
rmdir "dirs/$odd"
[ ! -e stage/none ]
is "nothing is made then" $? 0
run 2 "refused: a TMPDIR that is not there" env TMPDIR=/nosuch timeout 300 tree/run-all.sh -o stage/tables -s 1k
holds "... by a message that names it" err '/nosuch: .*TMPDIR'
[ $memory = no ] || refused "a size that no memory holds" '-s 4095t: .*use a smaller -s' -s 4095t -o stage/tables -f tmpfs
trailless "none of these has left anything"

# ---- Resuming, for which tmpfs is enough: it does not take root

again() { # DESCRIPTION COUNT OPTION...: measures so many
	name=$1 times=$2
	shift 2
	run 0 "$name" all -s 64k -o tables -f tmpfs "$@"
	is "... measured" "$(measured)" "$times"
	is "... whole" "$(is_whole tables)" ""
}
if [ $memory = no ]; then
	skip "resuming" "no tmpfs to be had"
else
	again "the first run" 1
	is "... prints where its tables are" "$(cut -d: -f1 out | tr '\n' ' ')" "tables/tmpfs.txt tables/README.md "
	is "... which is all there is" "$(find tables -mindepth 1 -printf '%P\n' | sort | tr '\n' ' ')" ".run-all README.md summary.svg tmpfs.csv tmpfs.svg tmpfs.txt "
	is "... says what it does, and nothing else" "$(wc -l <err | tr -d ' ') $(errors)" "1 "
	trailless "... leaving nothing else"
	cp -R tables before
	again "the second" 0
	is "... changes nothing" "$(diff -r before tables)" ""
	again "the third, by -a" 1 -a
	rm tables/tmpfs.svg
	again "without a picture" 1
	sed -i 's/^\(sendfile,1\),.*/\1,,failed ENOSPC,/' tables/tmpfs.csv
	again "with a failed row" 1
	sed -i 's/^# kernel: .*/&x/' tables/tmpfs.csv
	again "with the table of another kernel" 1
	head -c -3 tables/tmpfs.csv >short && cp short tables/tmpfs.csv
	again "... cut" 1
	echo >>tables/.run-all
	again "of 64 kB said otherwise, with an empty line in its list" 0 --size 0.0625MiB
	lacks "... without an error of the shell" err 'line [0-9]+:'
	again "of another size" 1 -s 63k
	mkdir where
	[ "$(id -u)" != 0 ] || chown 65534:65534 where
	(cd where && FEW=yes timeout 600 ../tree/run-all.sh -s 64k -f TmpFS >../out 2>../err)
	is "without -o and options" $? 0
	named=$(cd where && echo results/*)
	case $named in *"-$(uname -r)") ok=0 ;; *) ok=1 ;; esac
	is "... the directory is named after CPU and kernel: $named" $ok 0
	is "... and it and those above are their parent's owner's" "$(stat -c %u where/results "where/$named" "where/$named/tmpfs.csv" "where/$named/.run-all" | sort -u)" \
		"$(stat -c %u where)"
	is "... cat is among the rows" "$(grep -c '^\$ cat,1,' "where/$named/tmpfs.csv")" 1
fi

# ---- Every file system

rm -rf tables
if [ -z "$can" ]; then
	skip "file systems on images" "not root, no mount namespace, or no room"
else
	grep -F -e "$ours" -e " /dev/shm " /proc/self/mountinfo >mounts
	stub umount '{ echo; grep -F "$OURS" "/proc/$OUTSIDE/mountinfo"; } >>"$SEEN.outside"; grep -F "$OURS" /proc/self/mountinfo >>"$SEEN.inside"; exec $real "$@"'
	export OUTSIDE=$$ SEEN="$work/seen" OURS="${ours}spool/"
	run 0 "every file system that can be made here" with_stubs all -s 64k -o tables -f "TMPFS$(echo "$can" | tr ' ' ,)"
	is "... mounted where we don't see it" "$(grep -c "${OURS}write-bench-run" seen.inside | sed 's/[1-9].*/some/') $(tr -d '\n' <seen.outside)" "some "
	rm stub/*
	is "... and all mounts are as before" "$(grep -F -e "$ours" -e " /dev/shm " /proc/self/mountinfo)" "$(cat mounts)"
	trailless "... and nothing is left"
	is "... nothing is said of failures" "$(errors)" ""
	expected="tmpfs$(for fs in $can; do printf ' %s %s-same' "$fs" "$fs"; done)"
	is "... a table each, and one with the input on the same" "$(tables tables)" "$(echo "$expected" | tr ' ' '\n' | sort | tr '\n' ' ')"
	is "... each measured once" "$(measured)" "$(echo "$expected" | wc -w | tr -d ' ')"
	is "... of the same noise" "$(sed -E 's,.* ([0-9]+ [0-9]+) [^ ]*$,\1,' calls | sort -u)" "$("$real" --generate=noise:64k | cksum | cut -d ' ' -f 1,2)"
	is "... whole, and in README.md" "$(is_whole tables)" ""
	for name in $expected; do
		csv=tables/$name.csv place=tmpfs
		case $name in *-same) place=same ;; esac
		heading=$(echo "${name%-same}" | sed 's/^ext\(.\)/Ext\1+loop/; s/^xfs/XFS+loop/; s/^btrfs/btrfs+loop/; s/^tmpfs/tmpfs \/dev\/shm, memory/')
		is "$name: where it was measured" "$(sed -n "s/^# output: file on \(.*\)/\1/p" "$csv" | grep -cF "$heading") $(grep -c "^# run_all: size=65536 input=$place " "$csv")" "1 1"
		"$real" --compare "$csv" >form
		same "... the report is write-bench's" form "tables/$name.txt"
		case $name in
		xfs-same | btrfs-same) is "... reflinks are shared" "$(row reflink "$csv")" shared ;;
		*) is "... reflinks are none" "$(row reflink "$csv" | grep shared)" "" ;;
		esac
	done
	same_names=$(for fs in $can; do echo "$fs-same"; done | sort)
	holds_table "README.md has the table with the input on tmpfs" tables tables/README.md $(printf '%s\n' tmpfs $can | sort)
	holds_table "... and that with the input on the same" tables tables/README.md $same_names
	holds "... in two sections, with pictures" tables/README.md '^## Input on tmpfs' '^## Input on the same file system' '\]\(./summary.svg\)$' '\]\(./summary-same.svg\)$'
	if have xmllint || python_has xml.etree.ElementTree; then
		is "... which are valid XML" "$(is_xml tables/*.svg 2>&1)" ""
	else
		skip "... which are valid XML" "no xmllint, no python3"
	fi

	# Kernels side by side.
	mkdir kernels
	for name in tmpfs ext3-same; do
		[ ! -f tables/$name.csv ] || sed 's/^# kernel: .*/# kernel: 9.9.9/' tables/$name.csv >kernels/$name.csv
	done
	run 0 "a summary of two kernels" timeout 300 tree/run-all.sh --summary -o stage/kernels tables kernels >out
	is "... says where it is" "$(cat out)" stage/kernels/README.md
	for csv in kernels/*.csv; do
		name=${csv#kernels/}
		rm -rf both && mkdir both && cp "tables/$name" both/tables.csv && cp "$csv" both/kernels.csv
		sed -n "/^## ${name%.csv}\$/,/^!/p" stage/kernels/README.md >both/part
		holds_table "... has $name of both" both both/part tables kernels
		"$real" -f svg --compare "tables/$name" "$csv" >form
		same "... and as a picture" form "stage/kernels/summary-${name%.csv}.svg"
	done
	is "... and all tables" "$(grep -c '^## ' stage/kernels/README.md)" "$(tables tables | wc -w | tr -d ' ')"
	run 2 "a summary of a directory without tables" timeout 300 tree/run-all.sh --summary -o stage/kernels dirs >out
	trailless "... and nothing is left"
fi

# ---- Options of mount and mkfs, several sizes, and the input elsewhere

if ! can ext4 xfs; then
	skip "options of mount and mkfs" "ext4 and xfs can't be made here"
else
	truncate -s 200M image
	echo mine >>image
	cksum image >sum
	fresh 1 "options" -s 64k -f tmpfs+huge=within_size,ext4+noauto_da_alloc+commit=9,ext4+nosuch=1,xfs+mkfs:-m:reflink=0,xfs+mkfs:--nosuch,ext4+mkfs:image
	is "... are file systems of their own" "$(tables stage/tables)" \
		"ext4+noauto_da_alloc+commit=9 ext4+noauto_da_alloc+commit=9-same tmpfs+huge=within_size xfs+mkfs:-m:reflink=0 xfs+mkfs:-m:reflink=0-same "
	holds "... that have these options" stage/tables/ext4+noauto_da_alloc+commit=9.csv '^# output_mount: ext4 .*noauto_da_alloc.*commit=9'
	holds "... both ends of a tmpfs" stage/tables/tmpfs+huge=within_size.csv '^# input_mount: .*huge=within_size' '^# output_mount: .*huge=within_size'
	is "... those of mkfs, too" "$(row reflink stage/tables/xfs+mkfs:-m:reflink=0-same.csv)" "n/a EOPNOTSUPP"
	holds "... what mount or mkfs refuses is skipped with its words" err 'ext4.nosuch=1: skipped: mount says 32 \(mount: ' 'xfs.mkfs:--nosuch: skipped: mkfs.xfs says 1 \('
	is "... a file of the user's is no image" "$(cksum image)" "$(cat sum)"
	is "... whole" "$(is_whole stage/tables)" ""
	trailless "... and leaves nothing"
	rm image
fi
if [ $memory = yes ]; then
	fresh 0 "several sizes" -s 64k,4k -f tmpfs dirs/one dirs/two
	holds "... are in a table" stage/tables/tmpfs.csv '^# size: 4096$' '^# size: 65536$'
	holds_table "... and in one of file systems by sizes" stage/tables stage/tables/README.md one tmpfs two
	fresh 0 "an input elsewhere" -s 5000 --input=dirs/from dirs/one
	is "... has a table beside the others" "$(tables stage/tables)" "one one-from-from ${same:+one-same }"
	is "... from there" "$(sed -n 's/^# input: //p' stage/tables/one-from-from.csv)" "$(sed -n 's/^# output: //p' stage/tables/one-from-from.csv)"
	is "... in README.md" "$(is_whole stage/tables)" ""
	is "... and is gone" "$(find dirs/from -mindepth 1)" ""
fi
if can ext3 ext4 && full "an input on a file system that it makes"; then
	fresh 0 "an input on a file system that it makes" -s 64k --input=fs:ext4 -f tmpfs,ext3
	is "... has tables beside the others" "$(tables stage/tables)" "ext3 ext3-from-ext4 ext3-same tmpfs tmpfs-from-ext4 "
	holds "... from there" stage/tables/ext3-from-ext4.csv '^# input: file on Ext4.loop' '^# output: file on Ext3.loop'
	trailless "... and leaves nothing"
fi

# What people plug in and mount, by name alone.
if [ $private = yes ] && full "FUSE, NTFS, exFAT, sshfs, gocryptfs"; then
	for line in "fuse bindfs FUSE" "ntfs ntfs-3g FUSE|ntfs3" "exfat mkfs.exfat FUSE|exfat" "sshfs sshfs FUSE..sshfs." "gocryptfs gocryptfs FUSE..gocryptfs."; do
		set -- $line
		fresh "$(have "$2" && echo 0 || echo 1)" "$1" -s 1m -f "$1"
		if grep -q ": skipped: " err; then
			skip "$1" "$(sed -n 's/.*: skipped: //p' err)"
			continue
		fi
		is "... is measured" "$(tables stage/tables)" "$1 $1-same "
		holds "... until the output is closed, under its name" "stage/tables/$1.csv" '^# until: the output was closed' "^# heading: tmpfs /dev/shm to ($3)"
		holds "... in a section of its own" stage/tables/README.md '\]\(./summary-close.svg\)$' '\]\(./summary-same-close.svg\)$'
		is "... whole" "$(is_whole stage/tables)" ""
		trailless "... and nothing is left"
		is "... nor runs" "$(pgrep -fc "$ours")" 0
	done
	if have sshfs && have sshd; then
		stub sshd 'echo "first"; echo "no port is free" >&2; exit 1'
		run 1 "a server that ends at its start" with_stubs all -s 4k -f sshfs -o stage/tables
		holds "... is skipped with its last words" err 'sshfs: skipped: .*/sshd says: no port is free$'
		rm stub/*
	fi
fi

# ---- What goes wrong

stubbed() { # OPTION...: the tables go to stage/tables
	rm -rf stage/tables
	with_stubs all -s 64k -o stage/tables "$@"
}
goes_on() { # MESSAGE NAME...: the tables that there are then, nothing else, and nothing is left
	holds "... which is named" err "$1"
	shift
	is "... and goes on" "$(tables stage/tables)" "$*${1:+ }"
	[ $# = 0 ] || is "... whole" "$(is_whole stage/tables)" ""
	is "... and no shell says anything" "$(grep -E 'line [0-9]+|Segmentation|Terminated|Killed' err)" ""
	trailless "... and leaves nothing"
	rm -f stub/*
}
if ! can ext3 ext4; then
	skip "failures of mkfs, mount and write-bench" "ext3 and ext4 can't be made here"
else
	stub mkfs.ext3 'echo "mkfs.ext3: no superblocks on offer" >&2; exit 7'
	run 1 "mkfs fails" stubbed -f ext3,ext4
	goes_on ': ext3: skipped: mkfs.ext3 says 7 \(mkfs.ext3: no superblocks on offer\)$' ext4 ext4-same
	export CRASH=ext3
	run 1 "write-bench crashes" stubbed -f ext4,ext3
	goes_on ': ext3: skipped: write-bench ' ext4 ext4-same
	export CRASH_BY=USR2
	run 140 "write-bench ends by a signal that only it gets" stubbed -f ext3,ext4
	unset CRASH CRASH_BY
	trailless "... and leaves nothing"
	export MUTE=ext3
	run 1 "write-bench makes no table" stubbed -f ext4,ext3
	unset MUTE
	goes_on ': ext3: skipped: ' ext4 ext4-same
fi
if can ext3 ext4 && full "more failures of mkfs, mount and write-bench"; then
	stub mkfs.ext4 'exec $real "$@" 2m'
	stub df 'echo; echo "x 9 9 99999999999999 1% /"'
	run 1 "a file system fills" stubbed -s 4m -f ext4,ext3
	goes_on ': ext4-same: skipped: .*No space left' ext3 ext3-same
	stub mount 'case "$*" in *"-t ext4"*) echo "mount: denied by policy" >&2; exit 32 ;; esac; exec $real "$@"'
	run 1 "mount is refused" stubbed -f ext4,ext3
	goes_on ': ext4: skipped: mount says 32 \(mount: denied by policy\)$' ext3 ext3-same
	stub mount 'case "$*" in *"-t ext4"*) exit 0 ;; esac; exec $real "$@"'
	run 1 "mount mounts nothing" stubbed -f ext4,ext3
	goes_on ': ext4: skipped: mountpoint says ' ext3 ext3-same
	stub mkfs.ext4 'exec $real "$@" 2m'
	run 1 "no room on a file system" stubbed -s 4m -f ext4,ext3
	goes_on ': ext4: skipped: .* has [0-9]+ bytes free, and a copy takes 4194304' ext3 ext3-same
fi
if [ $private = no ]; then
	skip "what the machine has not" "not root, or no mount namespace"
elif [ "$(readlink -f /usr/sbin)" = "$(readlink -f /usr/bin)" ]; then
	skip "mkfs is missing" "/usr/sbin is /usr/bin"
else
	hidden() { # COMMAND...: with nothing in /usr/sbin
		mkdir -p empty
		PATH=/usr/bin:/bin unshare -m sh -c 'mount --bind empty /usr/sbin && { [ "$(readlink -f /sbin)" = /usr/sbin ] || mount --bind empty /sbin; } && exec "$@"' sh "$@" 3>&-
	}
	rm -rf stage/tables
	run 0 "mkfs is missing" hidden timeout 600 tree/run-all.sh -s 64k -o stage/tables -- -n1 -p0 -s sendfile >out
	for line in "ext4 mkfs.ext4: install e2fsprogs" "xfs mkfs.xfs: install xfsprogs" "btrfs mkfs.btrfs: install btrfs-progs"; do
		! grep -qw "${line%% *}" /proc/filesystems || holds "... ${line%% *} is skipped, with what to do" err "^tree/run-all.sh: ${line%% *}: skipped: there is no ${line#* }\$"
	done
	lacks "... what people plug in is not among them" err 'vfat|exfat|ntfs|fuse|sshfs|smb|gocryptfs'
	is "... tmpfs is measured" "$(tables stage/tables)" "tmpfs tmpfs+huge=within_size "
	run 1 "... which was asked for by name" hidden timeout 600 tree/run-all.sh -s 64k -f ext4 -o stage/tables -- -n1 -p0 -s sendfile >out
fi

# ---- Directories

if [ $memory = no ]; then
	skip "directories" "no tmpfs for the input"
else
	fresh 1 "directories, one of which is not there" -s 5000 dirs/nosuch dirs/one/here dirs/two/here "dirs/odd name"
	holds "... and is named" err ': dirs/nosuch: skipped: '
	is "... have tables after their names, or numbers" "$(tables stage/tables)" \
		"here here-2 ${same:+here-2-same here-same }odd_name ${same:+odd_name-same }"
	is "... in README.md" "$(is_whole stage/tables)" ""
	trailless "... and nothing in them"
	run 0 "... one of them once more" all -s 5000 -o stage/tables dirs/two/../two/here
	is "... measures nothing" "$(measured)" 0
fi
if [ $memory = yes ] && full "more directories"; then
	mkdir -p dirs/tmpfs dirs/here-same dirs/summary dirs/.hidden dirs/-x near/elsewhere/tables "near/a b" near/-x
	fresh 0 "directories named like others' tables" -s 5000 -f tmpfs dirs/tmpfs dirs/one/here dirs/here-same
	is "... have numbers" "$(tables stage/tables | tr ' ' '\n' | grep -v same | tr '\n' ' ')$(tables stage/tables | wc -w | tr -d ' ')" "here tmpfs tmpfs-2 $([ $same ] && echo 7 || echo 4)"
	fresh 0 "directories named like a picture, hidden, or like an option" -s 5000 dirs/summary dirs/.hidden dirs/-x
	is "... have tables that are in README.md" "$(is_whole stage/tables)" ""
	for place in "a b" -x; do
		(cd near && CDPATH="$work/near/elsewhere" TMPDIR="$place" timeout 600 ../tree/run-all.sh -s 5000 -o tables "./$place" -f tmpfs -- -n1 -p0 -s sendfile) >out 2>err
		is "a relative TMPDIR and a directory called $place: exit status" "$? $(errors)" "0 "
		is "... nothing is left there" "$(find near/elsewhere/tables "near/$place" -mindepth 1)" ""
	done
	shm=$(mktemp -d /dev/shm/write-bench-test.XXXXXX)
	undo="rm -rf '$shm'"
	rm -rf stage/tables
	run 0 "a directory and output on /dev/shm" all -s 5000 -o "$shm/tables" "$shm"
	is "... are not hidden by a tmpfs of its own" "$(ls "$shm"/tables/*.csv)" "$shm/tables/$(basename "$shm" | tr -c 'A-Za-z0-9._\n-' _).csv"
	rm -rf "$shm"
fi

# ---- Stopped: at a point, where the program of that name, with such an argument after a colon, is about to start, or by "-" has
# ended, and waits until the signal was sent; and by "@" where write-bench measures in such a directory

for name in mkdir truncate mkfs.ext4 mount cp umount mv rm; do
	cat >"stub/$name" <<'END'
#!/bin/sh
name=${0##*/}
PATH=${PATH#*:}
arguments=$*
await() {
	[ "$1" = "${POINT%%:*}" ] && [ ! -e "$REACHED" ] || return
	case $POINT in *:*) case $arguments in *"${POINT#*:}"*) ;; *) return ;; esac ;; esac
	: >"$REACHED"
	for _ in $(seq 6000); do
		[ ! -e "$REACHED.go" ] || break
		sleep 0.02
	done
}
await "$name"
"$name" "$@"
status=$?
await "$name-"
exit $status
END
	chmod +x "stub/$name"
done
export REACHED="$work/reached" POINT SLOW
stop() { # SIGNAL POINT OPTION...: sends it there; the status is its
	signal=$1 POINT=$2 SLOW=
	shift 2
	case $POINT in *@*) SLOW=${POINT#*@} ;; esac
	rm -rf reached reached.go pid stage/tables
	(
		until_there [ -e reached ]
		kill -s "$signal" "$(cat pid)"
		: >reached.go
	) &
	watcher=$!
	WB_MARK=$mark.1 with_stubs all -s 64k -o stage/tables "$@" 2>err
	got=$?
	wait $watcher
	return $got
}
stopped() { # STATUS SIGNAL POINT OPTION...: and nothing is left
	expected=$1
	shift
	stop "$@"
	is "SIG$1 at $2: exit status" "$? $(errors)" "$expected "
	is "... and nothing is left" "$(trail; find stage -name '.*' ! -name .run-all; find_marked 1)" ""
	rm -rf "${TMPDIR:?}"/*
}
points="INT:130:mkdir:run. HUP:129:write-bench@ext4 TERM:143:umount"
if ! can ext4; then
	points="TERM:143:write-bench@one PROF:155:write-bench@one"
elif full "stopped at more points"; then
	points="$points TERM:143:truncate INT:130:mkfs.ext4 HUP:129:mount TERM:143:mount- INT:130:cp TERM:143:cp:.part INT:130:mv:.part QUIT:131:write-bench@one USR1:138:umount- PWR:158:write-bench@ext4"
fi
[ $memory = yes ] || points=
for point in $points; do
	rest=${point#*:}
	stopped "${rest%%:*}" "${point%%:*}" "${rest#*:}" $(! can ext4 || echo -f ext4,tmpfs) dirs/one
done
# Killed: processes, mounts and loop devices go by themselves.
none_runs() {
	[ "$(find_marked 1 | wc -l)" = 0 ] && no_loops >/dev/null
}
if have setpriv && can ext4; then
	for point in write-bench@ext4 mount-; do
		stop KILL $point -f ext4,tmpfs dirs/one >/dev/null
		until_there none_runs
		is "SIGKILL at $point: no process is left, no mount, no loop device" "$(find_marked 1; grep -hsF "$ours" /proc/[0-9]*/mountinfo; no_loops)" ""
		rm -rf "${TMPDIR:?}"/* dirs/one/write-bench-run.* /dev/shm/write-bench-run."$(cat pid)"-*
	done
else
	skip "SIGKILL" "no setpriv, or ext4 can't be made here"
fi
rm -f stub/*
SLOW=

# ---- Two at a time into one directory

second() { # OPTION...
	timeout -k 1 300 tree/run-all.sh -s 1k -o shared "$@" -- -n1 -p0 -s "$quick" >out
}
if [ $memory = no ] || ! have flock; then
	skip "two at a time into one directory" "no tmpfs, or no flock"
else
	rm -rf reached reached.go pid.2
	(WAIT=one marked 2 bash tree/run-all.sh -s 1k -o shared -f tmpfs dirs/one -- -n1 -p0 -s "$quick" >first.out 2>first.err) &
	first=$!
	until_there [ -e reached ]
	cp -a shared before.shared
	run 2 "another one into the same directory" second -f tmpfs -a
	holds "... names it" err '^tree/run-all.sh: shared: '
	run 2 "... by another name, with other tables" second -o "$work/tree/../shared" dirs/two
	is "... touching nothing" "$(diff -r before.shared shared)" ""
	: >reached.go
	wait $first
	is "... the first one ends with exit status 0" $? 0
	is "... with all tables" "$(tables shared)$(is_whole shared)" "one ${same:+one-same }tmpfs "
	run 0 "... and the next one goes on there" second -f tmpfs dirs/one
	rm -rf shared before.shared
fi

# ---- Not root; root without mount namespaces

poor() { # DESCRIPTION REASON COMMAND...: what it can, it measures; the rest it names
	name=$1 reason=$2
	shift 2
	rm -rf hut
	mkdir hut
	chmod 777 hut
	cd hut || exit 1
	run 0 "$name" "$@" timeout 600 sh -c 'echo $$ >&4 && exec "$@" 4>&-' sh ../tree/run-all.sh -s 64k -o mine -- -n1 -p0 -s sendfile >../out 4>../pid
	cd ..
	is "... measures here and on tmpfs" "$(tables hut/mine)$(is_whole hut/mine)" "hut ${same:+hut-same }tmpfs "
	is "... names the others" "$(sed -n 's/^.*run-all.sh: \([a-z0-9]*\): skipped: .*/\1/p' err | tr '\n' ' ')" "ext2 ext3 ext4 xfs btrfs f2fs overlay dmcrypt nfs3 nfs42 "
	is "... each with the reason" "$(errors | grep -Evc "skipped: .*$reason")" 0
	is "... leaving nothing" "$(ls -A hut) $(trail)" "mine "
	run 1 "... a file system asked for by name" "$@" timeout 600 tree/run-all.sh -s 64k -f tmpfs,Ext4 -o hut/mine -- -n1 -p0 -s sendfile >out
	run 1 "... a directory of another" "$@" timeout 300 tree/run-all.sh -s 64k -o hut/mine closed
	holds "... which is named" err ': closed: skipped: '
	run 2 "... an output directory of another" "$@" timeout 300 tree/run-all.sh -s 64k -o closed
}
mkdir closed
chmod 555 closed
unprivileged() { # COMMAND...
	if [ "$(id -u)" = 0 ]; then setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; else "$@"; fi
}
if [ "$(stat -f -c %T /dev/shm 2>/dev/null)" != tmpfs ]; then
	skip "not root" "no tmpfs on /dev/shm"
elif ! unprivileged test -w /dev/shm 2>/dev/null; then
	skip "not root" "no setpriv, or not everybody may write to /dev/shm"
elif ! unprivileged test -x "$real" 2>/dev/null; then
	skip "not root" "no setpriv, or $work can't be reached by others"
else
	poor "not root" "only root can mount: use sudo" unprivileged
	chmod 755 closed
	if [ "$(id -u)" = 0 ] && full "root without mount namespaces"; then
		cd tree && run 0 "root without mount namespaces" setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin timeout 600 ./run-all.sh -s 64k -o ../stage/poor -f tmpfs -- -n1 -p0 -s sendfile >out
		cd ..
		is "... measures on tmpfs" "$(tables stage/poor)" "tmpfs "
	fi
fi

# ---- What others have put there, and names

if [ $memory = no ]; then
	skip "what others have put there" "no tmpfs to be had"
	exit
fi
kept() { # DESCRIPTION REGEX OPTION...: it is refused, before anything is measured, and all is as it was
	refusal=$1 regex=$2
	shift 2
	rm -rf was
	cp -a foreign was
	run 2 "refused: $refusal" all -s 64k -o foreign "$@"
	holds "... by a message that names it" err "$regex"
	is "... and nothing is measured, or touched" "$(measured) $(diff -r --no-dereference was foreign 2>&1 | grep -v 'is a fifo')" "0 "
}
mkdir -p dirs/data foreign
for item in data.csv .hidden "a b"; do
	echo mine >"foreign/$item"
	kept "an output directory with $item in it" "foreign: has .* in it" -f tmpfs
	rm "foreign/$item"
done
run 0 "an output directory that is empty" all -s 64k -o foreign -f tmpfs
intruder() { # ITEM COMMAND...: what that makes there in its stead
	item=$1
	shift
	[ ! -e "foreign/$item" ] || mv "foreign/$item" aside
	"$@" "foreign/$item"
	kept "$item, made by $*" "foreign/$item: " -f tmpfs,ext4
	rm -r "foreign/$item"
	[ ! -e aside ] || mv aside "foreign/$item"
}
intruder tmpfs.txt ln -s "$work/plain"
intruder tmpfs.csv mkfifo
intruder README.md mkdir
intruder summary.svg ln -s /dev/zero
intruder ext4-same.csv cp plain
for form in csv txt svg; do
	echo mine >foreign/data.$form
done
run 0 "a directory whose name another's files have" all -s 5000 -o foreign dirs/data
is "... leaves them alone, and has a number" "$(cat foreign/data.csv foreign/data.txt foreign/data.svg | sort -u) $(ls foreign/data-2.csv)" "mine foreign/data-2.csv"
sed -i 's/^# cpu: .*/# cpu: <b>\&lt;[x](y) `/; s/^# heading: .*/# heading: <i>h/' foreign/tmpfs.csv
cp foreign/tmpfs.csv "foreign/[x](y).csv"
run 0 "a table whose facts are HTML" all -s 5000 -o foreign dirs/data
lacks "... is summed up as nothing else" foreign/README.md '<[bi]>'
is "... and no table of another" "$(grep -cF '[x](y).csv' foreign/README.md)" 0
rm -rf foreign was

if [ "$(id -u)" = 0 ] && chown 65534:65534 stage 2>/dev/null; then
	echo secret >secret
	chmod 600 secret
	rm -rf stage/tables
	run 0 "an output directory of another user's" all -s 64k -f tmpfs -o stage/tables
	is "... the tables are its owner's" "$(find stage/tables ! -user 65534)" ""
	for link in tmpfs.txt .run-all; do
		rm -f stage/tables/$link
		ln -s "$work/secret" stage/tables/$link
		run 2 "... whose owner has put a link there" all -s 64k -f tmpfs -o stage/tables -a
		is "... which is not followed ($link)" "$(cat secret) $(stat -c %u secret) $(readlink stage/tables/$link)" "secret 0 $work/secret"
		rm stage/tables/$link
	done
else
	skip "an output directory of another user's" "not root, or it can't be given away"
fi
if [ $private = yes ] && full "a full TMPDIR"; then
	rm -rf stage/tables
	all -s 64k -o stage/tables -f tmpfs 2>err
	cp -R stage/tables before.full
	mkdir full
	for kb in 8 16 32 64; do
		WB_KB=$kb unshare -m sh -c 'mount -t tmpfs -o size=${WB_KB}k tmpfs full && TMPDIR=$PWD/full exec timeout 600 tree/run-all.sh "$@"' sh \
			-s 64k -o stage/tables -f tmpfs -a -- -n1 -p0 -s "$quick" >out 2>err
		code=$?
		is "a TMPDIR of $kb kB: no file is cut" "$(is_whole stage/tables)" ""
		is "... and what failed is reported" "$([ $code != 0 ] || cmp -s stage/tables/tmpfs.csv before.full/tmpfs.csv && [ $code = 0 ] && echo silent)" ""
	done
fi
if have strace && strace -o strace.probe true 2>/dev/null && full "what is written to"; then
	rm -rf stage/tables
	run 0 "traced" strace -f -qq -s 4096 -e trace=%file -o trace timeout 600 tree/run-all.sh -s 64k -o stage/tables $(! can ext4 overlay || echo -f ext4,overlay) dirs/one -- -n1 -p0 -s sendfile >out
	# What is open for writing, made, renamed or removed by an absolute name outside, or by one that leads upwards.
	grep -E 'O_WRONLY|O_RDWR|O_CREAT| (mkdir|rename|unlink|rmdir|link|symlink|truncate|mknod|chmod|fchmodat|chown|fchownat|lchown|utime)[a-z0-9]*\(' trace |
		grep -v ' = -1 ' | grep -E '"(/|\.\./)' | grep -v "\"[^\"]*$ours" |
		grep -vE '"/dev/(null|tty|shm/[XY]|shm/write-bench-run\.[^"]*|loop-control|loop[0-9]+)"' >written
	is "nothing is written to elsewhere" "$(cat written)" ""
fi
