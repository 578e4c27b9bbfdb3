#!/bin/sh
# Several sizes: --size=SIZE,SIZE: what is measured, what stays, what the answer says, and what comes back from files.
# Tried: it fails where a command gets all of the input, or a file stays beside it; the input does not come back to its place; a size has
# Tried: the runs, sums or warnings of the one before; ranges stop too early, or a later row of as many sizes is taken; a row that
# Tried: is missing at a size is called for all; facts of one size are another's; a file with a size too many is read; an interrupted
# Tried: size is called whole; a changed input is not seen; the feeder gives all that it has.
# shellcheck disable=SC2016
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
undo=unplace

at() { # BYTES COLUMN FILE: of all rows of a size
	n=$(grep '^row,' "$3" | tr , '\n' | grep -nx bytes | cut -d: -f1)
	m=$(grep '^row,' "$3" | tr , '\n' | grep -nx "$2" | cut -d: -f1)
	sed '1,/^row,/d' "$3" | awk -F, -v bytes="$1" -v n="$n" -v m="$m" '$n == bytes { print $m }'
}
fact() { # KEY FILE
	sed -n "s/^# $1: //p" "$2"
}
here() { # files beside the input
	find . -type f ! -name 'cmp*' ! -name '*.csv' ! -name err ! -name out ! -name line | sort | tr '\n' ' '
}
traced=
! can_trace || traced=1

# What the issue is about.
bytes 20971520 >X
cp X original
head -c 1048576 X >first
run 0 "three sizes, and cat" "$wb" -z 4k,64k,1m -n 5 -p 0 --with=cat -o s.csv <X >Y
cp err text
same "... the output is the largest" first Y
same "... the input is as it was" original X
is "... no file is left" "$(here)" "./X ./Y ./first ./original ./text "
holds "... the table has a column for each" text '^row  +4KiB +64KiB +1MiB$'
holds "... the heading has the range" text ', filesize=4KiB to 1MiB,'
holds "... the answer is there" text '^(Up to|At all sizes)'
for size in 4096 65536 1048576; do
	is "... cat is measured at $size" "$(sed '1,/^row,/d' s.csv | grep -c "^\$ cat,[1-5],[0-9]*,[a-z]*,.*,$size,\$")" 5
	is "... the size is a fact, with its runs" "$(fact size@$size s.csv) $(fact run_lines@$size s.csv | grep -c '^[1-9]')" "$size 1"
done
"$wb" --compare s.csv >out
same "... --compare prints the same table" text out
for format in csv json md; do
	"$wb" -z 4k,1m -n 2 -p 0 -s 'sendfile,read+write 256k' -o c.csv -o "a.$format" <X >Y 2>err
	"$wb" --compare c.csv -o "b.$format" >out
	same "... comes back in $format" "a.$format" "b.$format"
	rm "a.$format" "b.$format" c.csv
done
run 0 "JSON" "$wb" -z 4k,1m -n 2 -p 0 --with=cat -o s.json <X >Y
if have python3; then
	python3 - >line <<'END'
import json
d = json.load(open('s.json'))
print([s['bytes'] for s in d['sizes']], sorted({r['bytes'] for r in d['rows']}), 'memcpy_ns' in d['sizes'][0], 'memcpy_ns' in d['environment'],
	len({(r['row'], r['bytes']) for r in d['rows']}) == len(d['rows']))
END
	is "... has an object for each size, and rows with theirs" "$(cat line)" "[4096, 1048576] [4096, 1048576] True False True"
else
	skip "... has an object for each size" "no python3"
fi
rm s.json
run 0 "a picture" "$wb" --compare s.csv -o s.svg
holds "... has all sizes, and a row's name" s.svg '>4KiB<' '>64KiB<' '>1MiB<' "$([ "$(cat_is)" != ok ] || echo '>\$ cat<')"
if have xmllint; then
	xmllint --noout s.svg 2>err
	is "... is XML" $? 0
else
	skip "... is XML" "no xmllint"
fi
rm s.svg
run 0 "one size that is smaller than the input" "$wb" -p0 -n1 -z 64k --with=cat -s 'sendfile,$ *' -f csv -o a.csv <X >Y
is "... cat is measured" "$(sed '1,/^row,/d' a.csv | grep '^\$ cat' | cut -d, -f4)" "$(cat_is)"
same "... the input is as it was" original X
"$wb" -z 1m,4k,64k,4k,1M -n1 -p0 -s sendfile -o a.csv <X >Y 2>err
is "the order of sizes is theirs, each once" "$(column bytes a.csv | tr '\n' ' ')" "4096 65536 1048576 "
"$wb" -z 4k,30m,1t -n1 -p0 -s sendfile -o a.csv <X >Y 2>err
is "what the input has not is one size" "$? $(column bytes a.csv | tr '\n' ' ')$(fact size_asked@20971520 a.csv)" "0 4096 20971520 1099511627776"
same "... the output is all of it" X Y
run 2 "a race at several sizes" "$wb" -z 4k,64k --race <X 1<>Y
holds "... says why" err '^write-bench: --race: names a winner at one size'
for sizes in "4k,x:--size=x: is not a size" "4k,,64k:--size=: is not a size" "$(seq -s, 33):--size=.* has more than 32 sizes"; do
	run 2 "--size=${sizes%%:*} is refused" "$wb" -p0 -n1 -s sendfile -z "${sizes%%:*}" <X 1<>Y
	holds "... says why" err "^write-bench: ${sizes#*:}"
done

# What a size has for itself.
bytes 17000000 >L
"$wb" -z 4k,64k,17000000 -s sendfile -o a.csv <L >Y 2>err
is "small sizes have ten runs, large ones three" "$(fact runs@4096 a.csv) $(fact runs@65536 a.csv) $(fact runs@17000000 a.csv)" "10 10 3"
is "... and shorter pauses" "$(fact pause_s@4096 a.csv) $(fact pause_s@17000000 a.csv)" "0.01 0.1"
is "... there are as many" "$(column bytes a.csv | sort -n | uniq -c | tr -s ' \n' ' ')" " 10 4096 10 65536 3 17000000 "
joined err >line
holds "... which the last lines say" line '; 10 runs, from 16\.21MiB on 3\. $'
"$wb" -z 4k,17000000 -s sendfile -n 2 -p 0 -o a.csv <L >Y 2>err
is "-n and -p hold for all" "$(fact runs a.csv) $(fact pause_s a.csv) $(column bytes a.csv | uniq -c | tr -s ' \n' ' ')" "2 0  2 4096 2 17000000 "
rm L
for mode in --new --replace --overwrite --reuse --until=close --cold --in-order --no-verify --warmup=1 --counters; do
	case $mode$(stat -f -c %T .) in --coldtmpfs) continue ;; esac
	run 0 "with $mode" "$wb" -z 4k,1m -n 2 -p 0 $mode -s 'sendfile,read+write 256k,$ *' --with=cat <X >Y
	same "... the output is the largest" first Y
done
same "... the input is as it was" original X
is "... no file is left" "$(here)" "./X ./Y ./first ./original ./text "

{ head -c 65536 /dev/zero && tail -c +65537 first; } >Z
"$wb" -z 64k,1m -n 1 -p 0 -s sendfile -o a.csv <Z >Y 2>err
is "zeros of one size are not the next one's" "$(sed -n 's/^# \(warning_zero[^:]*\): \([^ ]*\) .*/\1 \2/p' a.csv)" "warning_zero@65536 100"
rm Z
"$wb" -z 4k,64k -n 1 -p 0 -s '$ *' -o a.csv <X >Y 2>err \
	--with='[ -e once ] || { : >once; (sleep 0.5; kill -CONT $PPID) & kill -STOP $PPID; while ! grep -q "State:.T" /proc/$PPID/status; do :; done; }; cat'
is "... nor are runs that were repeated" "$(grep '^# thrown_away' a.csv)" "# thrown_away@4096: 1"
rm -f once
if [ "$traced" ]; then
	strace -qq -o trace -e trace=ftruncate,write,pwrite64,sendfile "$wb" -z 400000,401000 -n 1 -p 0 --no-verify -s sendfile --replace -o a.csv <X >Y 2>err
	is "... nor is a full file that --replace finds" "$(sed -n 's/^sendfile(1,.*/S/p; s/^pwrite64(1,.*/W/p; s/^write(1,.*/W/p' trace | uniq | tr -d '\n')" WSWSW
	rm trace
else
	skip "... nor is a full file that --replace finds" "no strace, or it may not trace here"
fi

# All ends.
run 0 "from a pipe" sh -c 'cat X | "$1" -z 4k,1m -n 2 -p 0 -s "splice,read+write 64k,$ *" --with=cat -o a.csv >Y' sh "$wb"
same "... the output is the largest" first Y
is "... cat is measured" "$(sed '1,/^row,/d' a.csv | grep '^\$ cat' | cut -d, -f4 | tr '\n' ' ')" "ok ok ok ok "
{
	"$wb" -z 4k,64k -n 2 -p 0 -s 'read+write 64k' <X 2>err
	echo $? >status
} | cat >piped
is "into a pipe, which gets all copies" "$(cat status) $(wc -c <piped | tr -d ' ')" "0 139264"
rm piped status
run 0 "from a command that is told the size" "$wb" -z 4k,1m -n 2 -p 0 -s 'splice,read+write 64k' --from='head -c $SIZE X' -o a.csv >Y
same "... the output is the largest" first Y
run 0 "from one that is not" "$wb" -z 4k,1m -n 2 -p 0 -s 'splice,read+write 64k' --from='cat X' >Y
same "... the output is the largest" first Y
run 2 "... no --with command is for that" "$wb" -z 4k,1m -p0 --from='cat X' --with=cat >Y
holds "... says why" err 'with=cat: would copy what --from gives after the --size'
run 0 "into a command" "$wb" -z 4k,1m -n 2 -p 0 -s 'splice,read+write 64k' --into='cat >/dev/null' -o a.csv <X
holds "... whose start is most of a small copy, which is said" a.csv '^# warning_started(@4096)?: much of each run is the start of a command: .*\| cat >/dev/null$'
run 0 "from /dev/zero" "$wb" -z 4k,1m -n 2 -p 0 -s 'sendfile,$ *' --with='head -c $SIZE' -o a.csv </dev/zero >Y
is "... a command that is told the size is measured" "$(sed '1,/^row,/d' a.csv | grep -c '^\$ .*,ok,')" 4
run 2 "... one that is not" "$wb" -z 4k,1m -p0 --with=cat </dev/zero >Y
holds "... would never end" err 'with=cat: would never end'
run 0 "two outputs" "$wb" -z 4k,1m -n 2 -p 0 --with='tee "$TEE"' --tee=Z <X >Y
same "... the first is the largest" first Y
same "... and the second" first Z
rm Z
if "$wb" -p0 -n1 --send -s 'read+write 64k' <first 2>/dev/null; then
	run 0 "into a connection" "$wb" -z 4k,1m -n 2 -p 0 --send -s 'sendfile,read+write 64k' <X
fi
run 0 "into /dev/null" "$wb" -z 4k,1m -n 2 -p 0 -s 'sendfile,read+write 64k,$ *' --with=cat -o a.csv <X >/dev/null
is "... cat reads so much and no more" "$(sed '1,/^row,/d' a.csv | grep -c '^\$ cat,.*,ok,')" 4

# What a command finds that does not know the size: an input of its own, with the holes of X, which is open beside it.
part='stat -L -c %b /proc/self/fd/0 >>blocks; readlink /proc/$PPID/fd/0 >>leads; wc -c </dev/fd/0 >>found; cat'
truncate -s 20m sparse && bytes 4096 | dd of=sparse bs=4k seek=2 conv=notrunc 2>err
if [ "$(stat -c %b sparse)" -lt 256 ]; then
	sync sparse && cp -p sparse sparse.was
	run 0 "an input with holes" "$wb" -z 64k,10m -n 2 -p 0 -s '$ *' --with="$part" -o a.csv <sparse >Y
	is "... they are holes for a command, too" "$(sort -nu found | tr '\n' ' ')$(awk '$1 > 4096' blocks)" "65536 10485760 "
	is "... and its descriptor led to it" "$(sort -u leads)" "$PWD/sparse"
	is "... which is as it was" "$(stat -c %Y sparse)" "$(stat -c %Y sparse.was)"
	same "... byte by byte" sparse.was sparse
	head -c 10485760 sparse | cmp - Y >cmp.out
	is "... and the output a copy" $? 0
else
	skip "an input with holes" "there are none here"
fi
rm -f sparse* blocks leads found
for name in X.csv link.csv hard.csv; do # a report that is the input, before any part is taken
	cp first X.csv && ln -sf X.csv link.csv && ln -f X.csv hard.csv
	for size in 4k 4k,64k; do
		run 2 "a report over the input, $name, -z $size" "$wb" -z $size -n1 -p0 --with=cat -o $name <X.csv >Y
		same "... it is as it was" first X.csv
	done
done
rm X.csv link.csv hard.csv

# A command that reads by name, and where no file can be made.
run 0 "a command that copies all of X by its name" "$wb" -z 4k,1m -n 2 -p 0 -s 'sendfile,$ *' --with='cp X Y' --with='head -c $SIZE X' -o a.csv <X >Y
is "... is n/a, once a size" "$(sed '1,/^row,/d' a.csv | grep '^\$ cp' | sed 's/,[,0-9]*,/,/g' | sort | uniq -c | tr -s ' \n' ' ')" ' 2 $ cp X Y,n/a,it copied more than --size '
is "... one that is told the size is measured" "$(sed '1,/^row,/d' a.csv | grep -c '^\$ head.*,ok,')" 4
same "... the output is a copy" first Y
if [ "$traced" ]; then
	for err in EROFS EOPNOTSUPP EACCES; do
		strace -f -qq -o trace -P "$PWD" -e inject=openat:error=$err:when=2+ "$wb" -z 4k,1m -n 2 -p 0 -s 'sendfile,$ *' --with=cat -o a.csv <X >Y 2>err
		is "where no file can be made ($err)" "$? $(sed '1,/^row,/d' a.csv | grep -c '^sendfile.*,ok,')" "0 4"
		is "... cat is n/a, with the reason" "$(sed '1,/^row,/d' a.csv | grep '^\$ cat' | grep -c ",n/a,.*it would read all of the input, and no file beside that can be made (open: $err)")" 2
		same "... the output is a copy" first Y
	done
	strace -f -qq -o trace -e inject=fdatasync:error=ENOSPC "$wb" -z 4k -n 2 -p 0 -s 'sendfile,$ *' --with=cat -o a.csv <X >Y 2>err
	is "... nor where it has no room" "$? $(sed '1,/^row,/d' a.csv | grep '^\$ cat' | grep -c ',n/a,.*fdatasync: ENOSPC')" "0 1"
	strace -f -qq -o trace -P "$PWD" -e inject=openat:error=EROFS:when=3+ "$wb" -z 4k,1m -n 2 -p 0 -s '$ *' --with=cat -o a.csv <X >Y 2>err
	is "... from the second size on" "$? $(sed '1,/^row,/d' a.csv | cut -d, -f2,4 | sed 's/shared/ok/' | tr '\n' ' ')" "0 1,ok 2,ok 1,n/a "
	same "... the output is a copy all the same" first Y
	rm trace
else
	skip "where no file can be made" "no strace, or it may not trace here"
fi
if mkdir little && mount -t tmpfs -o size=3m tmpfs little 2>/dev/null; then
	head -c 2600000 X >little/X
	run 0 "an input on a file system that would be full" "$wb" -z 1040000 -n 2 -p 0 -s 'sendfile,$ *' --with=cat -o a.csv <little/X >Y
	is "... cat is n/a" "$(sed '1,/^row,/d' a.csv | grep -c '^\$ cat.*,n/a,.*write: ENOSPC')" 1
	cp first little/X
	: >alone && mount --bind little/X alone
	run 0 "an input that is mounted alone, from another file system" "$wb" -z 4k,64k -n 2 -p 0 -s 'sendfile,$ *' --with=cat --with='head -c $SIZE' -o a.csv <alone >Y
	is "... cat is n/a, with the remedy" "$(sed '1,/^row,/d' a.csv | grep -c '^\$ cat.*,n/a,.*[$]SIZE')" 2
	is "... others are measured" "$(column 1,4 a.csv | sort | uniq -c | grep -v cat | tr -s ' \n' ' ')" ' 4 $ head -c $SIZE,ok 4 sendfile,ok '
	umount alone little && rm alone
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
	is "... cat is n/a, with the reason" "$(grep -c '^\$ cat.*,n/a,.*[$]SIZE' err)" 2
	is "... others are measured" "$(grep -c '^\$ head.*,ok,\|^sendfile.*,ok,' err)" 8
else
	skip "an input in a directory where nobody may write" "no other user can come here"
fi
chmod 755 closed && rm -r closed closed.wb
if [ "$(id -u)" = 0 ] && truncate -s 8m disk && loop=$(losetup -f --show disk 2>/dev/null); then
	run 0 "a block device" "$wb" -z 4k,64k -n 2 -p 0 -s 'sendfile,$ *' --with=cat -o a.csv <"$loop" >Y
	is "... cat is n/a" "$(sed '1,/^row,/d' a.csv | grep -c '^\$ cat.*,n/a,.*it would read all of .*[$]SIZE')" 2
	losetup -d "$loop"
else
	skip "a block device" "not root, or no loop device"
fi
rm -f disk

# Interrupted, and an input that changes.
timeout -k 60 60 "$wb" -z 4k,64k -n 3 -p 0 -s 'sendfile,$ *' --with='[ $(wc -c </dev/fd/0) = 4096 ] || kill -TERM $PPID; cat' -o a.csv <X >Y 2>err
is "interrupted in the second size" $? 143
is "... what was measured is printed" "$(at 4096 outcome a.csv | sed 's/shared/ok/' | sort | uniq -c | tr -s ' \n' ' ')$(grep -Ec '^# interrupted(@65536)?: by SIGTERM after' a.csv)$(grep -c 'interrupted@4096' a.csv)" " 6 ok 10"
joined err >line
holds "... and said" line 'Interrupted by SIGTERM after [0-9]+ of [0-9]+ runs: '
timeout -k 60 60 "$wb" -z 4k,64k -n 3 -p 0 -s '$ *' --with='kill -TERM $PPID; cat' -o a.csv <X >Y 2>err
is "interrupted in the first" "$? $(grep -c 'size@\|# size: 4096' a.csv)" "143 1"
is "... no file is left" "$(here)" "./X ./Y ./first ./original ./text "
if [ "$traced" ]; then
	strace -f -qq -o trace -P "$PWD" -e inject=openat:signal=TERM:when=3 "$wb" -z 4k,64k -n 2 -p 0 -s '$ *' --with=cat -o a.csv <X >Y 2>err
	is "interrupted between two sizes" "$? $(column bytes a.csv | tr '\n' ' ')" "143 4096 4096 "
	holds "... is said" a.csv '^# interrupted: by SIGTERM after [0-9]+ of [0-9]+ runs: standard output is not a copy$'
	rm trace
else
	skip "interrupted between two sizes" "no strace, or it may not trace here"
fi
run 0 "an input whose time changes, and nothing else" "$wb" -z 4k,1m -n 2 -p 0 -s 'sendfile,$ *' --with='touch X; cat' -o a.csv <X >Y
same "... the output is a copy" first Y
run 1 "an input that is cut between two sizes" "$wb" -z 4k,64k -n 2 -p 0 -s '$ *' --with='[ $(wc -c </dev/fd/0) != 4096 ] || truncate -s 10000 X; cat' -o a.csv <X >Y
is "... what was measured is kept, and no more" "$(column bytes a.csv | tr '\n' ' ')" "4096 4096 "
holds "... is seen" err 'standard output: is not a copy of the input: the input changed meanwhile'
cp original X
run 0 "an input that changes while the second size is measured" "$wb" -z 4k,64k -n 2 -p 0 -s 'sendfile,$ *' \
	--with='[ $(wc -c </dev/fd/0) = 4096 ] || printf changed | dd of=X conv=notrunc 2>/dev/null; cat' -o a.csv <X >Y
head -c 65536 X | cmp - Y >cmp.out
is "... is copied as it is in the end" $? 0
cp original X
run 1 "... that is cut" "$wb" -z 4k,64k,1m -n 2 -p 0 -s 'sendfile,$ *' --with='[ $(wc -c </dev/fd/0) = 4096 ] || : >X; cat' -o a.csv <X >Y
holds "... is seen, too" err 'standard output: is not a copy of the input'
cp original X
run 1 "a row that fails at one size" "$wb" -z 4k,64k -n 2 -p 0 -s 'sendfile,$ *' --with='[ $(wc -c </dev/fd/0) = 4096 ] || exit 7; cat' -o a.csv <X >Y
joined err >line
holds "... is named with the size" line 'Failed: \$ \[ .*: exit status 7 \(at 64KiB\)\.'
run 1 "... and at all" "$wb" -z 4k,64k -n 2 -p 0 -s 'sendfile,$ *' --with=false -o a.csv <X >Y
joined err >line
holds "... once" line 'Failed: \$ false: exit status 1\.'
lacks "... without one" line 'Failed: \$ false: exit status 1 \(at '

# Reports made by hand.
made() { # FILE [HEADING] <"BYTES ROW MEDIAN...": two runs of each row
	{
		echo "# schema: 2"
		echo "# heading: ${2-Place, filesize=4KiB to 1MiB, kernel=1}"
		echo "row,round,ns,outcome,bytes"
		while read -r bytes row median more; do
			case $row in '$_'*) row="\$ ${row#??}" ;; esac
			for k in 1 2; do echo "$(echo "$row" | tr _ ' '),$k,$median,${more:-ok},$bytes"; done
		done
	} >"$1"
}
made a.csv <<'END'
4096 small 1000
4096 middle 1040
4096 large 3000
4096 read+write_256k 2000
65536 small 5300
65536 middle 5000
65536 large 6000
65536 read+write_256k 15000
1048576 small 90000
1048576 middle 70000
1048576 large 50000
1048576 read+write_256k 100000
END
"$wb" --compare a.csv >out
joined out >line
holds "ranges: the fewest" line ' Up to 64KiB: middle \(1\.92 to 3 times as fast as read\+write 256k\)\. From 1MiB: large \(2 times as fast as read\+write 256k\)\. '
holds "... and one call for all sizes" line ' One call for all sizes: middle, at most 1\.4 times the fastest \(at 1MiB\)\. '
made b.csv <<'END'
4096 small 1000
4096 other 1010
65536 small 5200
65536 other 5000
1048576 small 50000
1048576 other 50100
END
"$wb" --compare b.csv >out
joined out >line
holds "of two rows that cover as many sizes that with the smaller worst ratio" line ' At all sizes: other\. '
lacks "... there is no other call for all sizes" line 'One call'
made b.csv <<'END'
4096 first 1000
4096 some 1010
65536 second 5000
1048576 third 50000
1048576 some 500000
END
"$wb" --compare b.csv >out
joined out >line
holds "three ranges" line ' Up to 4KiB: first\. At 64KiB: second\. From 1MiB: third\. '
lacks "... no row was measured at all sizes" line 'One call'
made b.csv <<'END'
4096 a 1000
4096 $_cat 2001000
4096 read+write_256k 3000
1048576 a 10000000
1048576 $_cat 23000000
1048576 read+write_256k 30000000
END
sed -i '2i\
# command_ns: 2000000' b.csv
"$wb" --compare b.csv >out
joined out >line
holds "a command is compared net of its start, where that is not most of it" line ' At all sizes: a \(2\.1 times as fast as cat\)\. '
holds "... else it is start-up" out '^\$ cat +start-up +\+130%~?$'
sed -i '/,1048576$/d' b.csv
printf '%s\n' a,1,1000,ok,8192 a,2,1000,ok,8192 'read+write 256k,1,3000,ok,8192' 'read+write 256k,2,3000,ok,8192' >>b.csv
"$wb" --compare b.csv >out
joined out >line
holds "... at all sizes: with read+write" line ' At all sizes: a \(3 times as fast as read\+write 256k\)\. '
made b.csv <<'END'
4096 a 1000
4096 reflink 2000 shared
1048576 a 100000
1048576 reflink 2100 shared
END
"$wb" --compare b.csv >out
joined out >line
holds "what shares the blocks comes first" line ' Use reflink: it shares the blocks, 2\.10us at 1MiB\. If the bytes must be copied: At all sizes: a\. '

# The ranges and the one call, against all possibilities.
cat >tables.pl <<'END'
# Random tables of medians in hundreds of runs; prints for each the ranges and the one call as the report has them, found by trying all.
use strict; use warnings;
my ($seed, $file) = @ARGV; srand $seed;
my $n = 2 + int rand 5; my $rows = 1 + int rand 6; my (%t, @size);
open my $f, '>', $file or die; print $f "# heading: Place, filesize=1KiB to 2KiB, kernel=1\nrow,round,ns,outcome,bytes\n";
for my $i (0 .. $n - 1) {
	my $b = 1024 * 4 ** $i; push @size, $b;
	for my $r (0 .. $rows - 1) {
		next if rand() < 0.1 && $r;
		my $ns = 10000 + int(rand() < 0.5 ? rand 1500 : rand 9000); $t{$r}[$i] = $ns;
		print $f "r$r,$_,$ns,ok,$b\n" for 1, 2;
	}
}
close $f;
my @least = map { my $i = $_; (sort { $a <=> $b } grep { defined } map { $t{$_}[$i] } 0 .. $rows - 1)[0] } 0 .. $n - 1;
my $good = sub { my ($r, $a, $z) = @_; for my $i ($a .. $z) { return 0 if !defined $t{$r}[$i] || $t{$r}[$i] > 1.05 * $least[$i] } 1 };
my @fewest = (0); # of the first i sizes
for my $z (1 .. $n) { for my $a (1 .. $z) { for my $r (0 .. $rows - 1) {
	next unless $good->($r, $a - 1, $z - 1) && defined $fewest[$a - 1];
	my $c = $fewest[$a - 1] + 1; $fewest[$z] = $c if !defined $fewest[$z] || $c < $fewest[$z] } } }
my ($one, $worst) = ('none', 9e9);
for my $r (0 .. $rows - 1) { my $w = 0; for my $i (0 .. $n - 1) { my $x = defined $t{$r}[$i] ? $t{$r}[$i] / $least[$i] : 9e9; $w = $x if $x > $w }
	($one, $worst) = ("r$r", $w) if $w < $worst }
print "$fewest[$n] ", $fewest[$n] > 1 && $worst < 9e9 ? sprintf('%s %.1f', $one, $worst) : 'none', "\n";
END
wrong=0
for seed in $(seq 40); do
	wanted=$(perl tables.pl "$seed" t.csv)
	"$wb" --compare t.csv 2>err | tr -s '\n ' ' ' >line
	ranges=$(grep -Eo '(Up to [^ ]+|At [^ ]+|From [^ ]+|At all sizes|[0-9.]+[KM]iB to [0-9.]+[KM]iB): r[0-9]' line | wc -l | tr -d ' ')
	one=$(sed -n 's/.*One call for all sizes: \(r[0-9]\), at most \([0-9.]*\) times.*/\1 \2/p' line)
	[ "$ranges ${one:-none}" = "$wanted" ] || {
		wrong=$((wrong + 1))
		echo "# seed $seed: got $ranges ${one:-none}, wanted $wanted" >&3
	}
done
is "ranges and the one call in 40 random tables, against all possibilities" "$wrong" 0

# Several files.
made big.csv 'Place, filesize=1MiB, kernel=1' <<'END'
1048576 a 50000
1048576 b 60000
END
made small.csv 'Place, filesize=4KiB, kernel=1' <<'END'
4096 a 2000
4096 b 1000
END
made middle.csv 'Place, filesize=64KiB, kernel=1' <<'END'
65536 a 5000
65536 b 5100
END
made other.csv 'Elsewhere, filesize=2MiB, kernel=1' <<'END'
2097152 a 5000
2097152 b 5100
END
"$wb" --compare big.csv small.csv middle.csv >out
holds "files whose headings differ in size alone are columns by size" out '^row +4KiB +64KiB +1MiB$' '^Place, filesize=4KiB to 1MiB, kernel=1$' '^Up to 64KiB: b\.|^Up to 4KiB: b\.'
"$wb" --compare big.csv small.csv >out
holds "... two, too" out '^row +4KiB +1MiB$'
"$wb" --compare big.csv small.csv other.csv >out
holds "... others by their names" out '^row +big +small +other$'
sed 's/Elsewhere/Place/; s/kernel=1/kernel=2/' other.csv >newer.csv
"$wb" --compare big.csv small.csv newer.csv >out
holds "... also of another kernel" out '^row +big +small +newer$'
"$wb" --compare big.csv big.csv middle.csv >out
holds "... also if a size is there twice" out '^row +[a-z1]+ +[a-z2]+ +[a-z3]+$'
made x.csv <<'END'
4096 a 1000
4096 b 2000
1048576 a 60000
1048576 b 50000
END
made y.csv 'Other, filesize=4KiB to 1MiB, kernel=1' <<'END'
4096 a 2000
4096 b 1000
65536 a 5000
1048576 a 60000
1048576 b 70000
END
"$wb" --compare x.csv y.csv big.csv >out
joined out >line
holds "several files of several sizes: of each at each size the row to use" line \
	'^file size row to use median speed x 4KiB a 1\.00us 3\.81 GiB/s x 1MiB b 50\.0us 19\.5 GiB/s y 4KiB b 1\.00us 3\.81 GiB/s y 64KiB a .* big 1MiB a 50\.0us 19\.5 GiB/s x: '
"$wb" --compare x.csv y.csv big.csv -f markdown >out
holds "... as Markdown" out '^\| file \| size \| row to use \| median \| speed \|$' '^\| y \| 64KiB \| a \| 5\.00us \| 12\.2 GiB/s \|$'
"$wb" --compare x.csv y.csv big.csv -f csv >out
is "... as CSV each row of each file at each size" "$(sed '/^#/d;/^row,/d' out | awk -F, '{ print $2, $NF, $1 }' | sort | tr '\n' ';')" \
	"$(for l in "big.csv 1048576 a" "big.csv 1048576 b" "x.csv 1048576 a" "x.csv 1048576 b" "x.csv 4096 a" "x.csv 4096 b" \
		"y.csv 1048576 a" "y.csv 1048576 b" "y.csv 4096 a" "y.csv 4096 b" "y.csv 65536 a"; do printf '%s;' "$l"; done)"
"$wb" --compare x.csv y.csv big.csv -f json >out.json
"$wb" --compare x.csv y.csv big.csv -f svg >out.svg
if have python3; then
	python3 -c 'import json; d = json.load(open("out.json")); print(len(d["files"]), len(d["rows"]))' >line
	is "... as JSON" "$(cat line)" "3 11"
fi
if have xmllint; then
	xmllint --noout out.svg 2>err
	is "... as a picture" "$? $(grep -c '>64KiB<' out.svg)" "0 1"
fi
rm out.json out.svg
again() { # FILE FACTOR: a file of several sizes, with six runs
	awk -F, -v factor="$2" 'NR < 3 { print } NR == 3 { print } NR > 3 && $2 == 1 { for (k = 1; k <= 6; k++) print $1 "," k "," $3 * ($1 == "a" && $5 == 4096 ? factor : 1) + k "," $4 "," $5 }' x.csv >"$1"
}
again old.csv 1
again new.csv 3
"$wb" --compare old.csv new.csv >out
joined out >line
holds "two files: what changed, in words" line ' Rows by size: faster: 0, 0; slower: 1, 0; too few runs: 0, 0 \(exact two-sided Mann-Whitney test, 95 % confidence over all rows of a size\)\. '
run 3 "... --fail-if-slower" "$wb" --compare old.csv new.csv --fail-if-slower >out
run 0 "... the other way" "$wb" --compare new.csv old.csv --fail-if-slower >out
sed '/,1048576$/d' new.csv >short.csv
run 2 "... where a size is missing" "$wb" --compare old.csv short.csv --fail-if-slower=1000 >out
holds "... which is said" err 'old\.csv: size 1MiB is not in the other report'
sed '2a\
# reuse: with buffers, pipes, rings and threads that are there' old.csv >reuse.csv
"$wb" --compare old.csv reuse.csv >out
joined out >line
holds "one file a process, or many" line ' old, one file a process: Up to 4KiB: a\. .* reuse, many files in one process: Up to 4KiB: a\. '

# What is no report.
wrong() { # DESCRIPTION REGEX: of w.csv
	run 2 "$1" "$wb" --compare w.csv
	holds "... says why" err "$2"
}
printf '%s\n' row,round,ns,outcome,bytes a,1,1000,ok,x >w.csv
wrong "bytes that are no number" 'line 2: bytes is "x", not a whole number'
printf '%s\n' row,round,ns,outcome,bytes a,1,1000,ok,4096 a,1,1000,ok,8192 a,2,1000,ok, >w.csv
wrong "no bytes, in a file with several sizes" 'line 4: has no bytes'
{ echo row,round,ns,outcome,bytes && for i in $(seq 33); do echo "a,1,1000,ok,$i"; done; } >w.csv
wrong "33 sizes" 'line 34: is of size 33: a report has at most 32'
printf '%s\n' '# memcpy_ns@4096: x' row,round,ns,outcome,bytes a,1,1000,ok,4096 >w.csv
wrong "a fact of a size that is no number" 'line 1: memcpy_ns is "x"'
printf '%s\n' '# run_lines@4096: 2' '# run_lines@8192: 1' row,round,ns,outcome,bytes a,1,1000,ok,4096 a,1,1000,ok,8192 >w.csv
wrong "a cut file" 'ends after 2 runs, and says itself that it has 3'
printf '%s\n' '# size: 4096' '# memcpy_ns@8192: 5' '# other@9: 5' '# odd@x: 7' row,round,ns,outcome,bytes a,1,1000,ok,4096 a,2,1000,ok,8192 >w.csv
run 0 "facts of sizes, some of which have no run" "$wb" --compare w.csv -f csv >out
is "... come back" "$(grep -c '^# memcpy_ns@8192: 5$' out) $(grep -c '@9\|odd' out) $(column bytes out | tr '\n' ' ')" "1 0 4096 8192 "
printf '%s\n' row,round,ns,outcome a,1,1000,ok >w.csv
run 0 "a file without a size" "$wb" --compare w.csv -f csv >out
is "... has none" "$(column bytes out)" ""
printf '%s\n' row,round,ns,outcome,bytes a,1,1000,ok,4096 >w.csv
run 0 "one whose runs alone have it" "$wb" --compare w.csv -f csv >out
is "... has it" "$(column bytes out)" 4096
