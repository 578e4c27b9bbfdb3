#!/bin/sh
# run-all.sh: what it makes, measures, sums up and refuses; that it names what it can't do, and leaves nothing behind, however
# it ends. What only root can do is skipped where we are not, or mount namespaces aren't allowed.
# Tried: it fails where a table of another machine passes for this one's; what was made is left; the input is zeros;
# Tried: what fails does not count; a table is made whatever became of write-bench; no lock, one that children have, too.
# shellcheck disable=SC2016,SC2046,SC2086
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"
have bash || skip_all "no bash"
case $(pwd -P)/ in /dev/shm/*) skip_all "on /dev/shm, which run-all.sh covers with a tmpfs of its own" ;; esac

# A tree whose write-bench writes what it is to measure into the file calls, a line each. By CRASH and MUTE, of the directory that
# it writes to: ends by a signal, says that all went well and leaves no table. By SLOW: takes hours. By WAIT: begins when told so,
# whatever becomes of run-all.sh.
real=$work/tree/real
mkdir tree tree/results stub stage
cp "$top/run-all.sh" tree/
cp "$wb" "$real"
cat >tree/write-bench <<'END'
#!/bin/sh
case " $* " in
*" -q -o "*"/run.csv "*)
	place=$(readlink /proc/$$/fd/1)
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
*" --list "*)
	if [ "${POINT-}" = list ] && [ ! -e "$REACHED" ]; then # as the stubs below wait
		: >"$REACHED"
		until [ -e "$REACHED.go" ]; do sleep 0.02; done
	fi
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
sums() { sed -E 's,.* ([0-9]+ [0-9]+) [^ ]*$,\1,' calls | sort -u; } # of the inputs, with their sizes
fresh() { # STATUS DESCRIPTION OPTION...: runs it so that the tables go to stage/tables, which is new
	rm -rf stage/tables
	expected=$1 name=$2
	shift 2
	run "$expected" "$name" all -o stage/tables "$@"
}
stub() { # NAME COMMAND...: what is to be run in place of the program of that name; $real is that
	{
		echo "#!/bin/sh"
		echo "real=$(command -v "$1")"
		printf '%s\n' "$2"
	} >"stub/$1"
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
loops() { # of ours; a loop device can outlive what it was for where another looks at it just then
	losetup -a 2>/dev/null | grep -F "$ours"
}
no_loops() {
	! loops
}
trail_now() { # what it has left: directories, mounts, loop devices
	find "$TMPDIR" -mindepth 1
	find dirs stage -name 'write-bench-*' 2>/dev/null
	find /dev/shm -maxdepth 1 -name "write-bench-run.*-$(cat pid)-*" 2>/dev/null
	grep -hsF "$ours" /proc/[0-9]*/mountinfo | sort -u
	loops
}
trail() {
	until_there no_loops
	trail_now
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
is_whole() { # DIR: prints what is in it that is no whole report or picture, or has no other two forms
	(
		cd "$1" || return
		for file in .[!.]* *; do
			case $file in
			"*" | ".[!.]*" | README.md | .run-all) ;;
			summary*.svg) [ "$(tail -n 1 "$file")" = "</svg>" ] || echo "$file" ;;
			*.csv) "$real" --compare "$file" >/dev/null 2>&1 || echo "$file" ;;
			*.txt) [ -s "$file" ] || echo "$file" ;;
			*.svg) [ "$(tail -n 1 "$file")" = "</svg>" ] || echo "$file" ;;
			*) echo "$file" ;;
			esac
		done
	)
}
relist() { # DIR: what is in it passes for what run-all.sh has made there
	(cd "$1" && rm -f .run-all && sha256sum -- * | sed 's/  / /' >.run-all)
}
is_xml() { # FILE
	if have xmllint; then xmllint --noout "$1"; else python3 -c 'import sys, xml.etree.ElementTree as e; e.parse(sys.argv[1])' "$1"; fi
}
row() { # NAME CSV: its outcome
	grep "^$1," "$2" | cut -d, -f4
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
[ "$(stat -f -c %T .)" != tmpfs ] && same=yes || same=no

# ---- Refusals

refused() { # DESCRIPTION REGEX OPTION...
	name=$1 regex=$2
	shift 2
	echo 0 >pid
	run 2 "refused: $name" timeout 300 tree/run-all.sh "$@" >out
	holds "... with its reason, and what to do" err "$regex"
	is "... printing nothing" "$(cat out)" ""
}
for help in -h --help; do
	run 0 "$help" timeout 300 tree/run-all.sh $help >out
	holds "... names options and file systems" out '^Usage: .*-f FS.*-s SIZE.*-o OUTDIR.*DIR.*--' '-a, --again' 'tmpfs ext2 ext3 ext4 xfs btrfs f2fs overlay dmcrypt nfs3 nfs42'
	is "... on standard output" "$(errors)" ""
done
refused "an option that there is not" 'unknown option -Z' -Z
holds "... by the usage" err '^Usage: '
refused "a long one" 'unknown option --nosuch=1' --nosuch=1
for option in -s -o -f --size --output --filesystems; do
	refused "$option without its argument" "$option: needs an argument" $option
done
for size in x 0 "" -1 1e3 1ki 99999999999999999999; do
	refused "a size of '$size'" "-s $size: is not a size .*like 1000000, 64k" -s "$size"
done
refused "a size that overflows" '-s 8388608t: is not a size' --size=8388608t
refused "a file system that there is not" '-f reiserfs: is not one of: tmpfs ext2 .* nfs42' -f ext4,reiserfs
refused "a list of none" '-f: names no file system: use one of: tmpfs' -f ,
echo mine >plain
refused "an output directory that is a file" 'plain.*: can.t be written to: use another -o' -o plain
refused "... that can't be made" 'plain/tables: can.t be written to: use another -o' -o plain/tables -f tmpfs
is "... which is as it was" "$(cat plain)" mine
mkdir bare && cp tree/run-all.sh bare/
run 2 "refused: to run without write-bench" timeout 300 bare/run-all.sh
holds "... with its reason, and what to do" err 'bare/write-bench: is not there: run make first'
run 2 "refused: a TMPDIR that is not there" env TMPDIR=/nosuch timeout 300 tree/run-all.sh -o stage/tables -s 1k
holds "... with its reason, and what to do" err '/nosuch: can.t be written to: set TMPDIR'
if [ $memory = yes ]; then
	refused "a size that no memory holds" '-s 4095t: input and output on tmpfs take twice that.*use a smaller -s' -s 4095t -o stage/tables -f tmpfs
fi
trailless "none of these has left anything"
rm -rf stage/tables

# ---- Resuming, for which tmpfs is enough: it does not take root

again() { # DESCRIPTION COUNT OPTION...: measures so many
	name=$1 times=$2
	shift 2
	run 0 "$name" all -s 64k -o tables -f tmpfs "$@"
	is "... measured" "$(measured)" "$times"
	is "... whole" "$(is_whole tables)" ""
}
edit() { # EXPRESSION
	sed -i "$1" tables/tmpfs.csv
	relist tables
}
if [ $memory = no ]; then
	skip "resuming" "no tmpfs to be had"
else
	again "the first run" 1
	holds "... reports what it has made" out '^tables/tmpfs.txt$' '^tables/README.md$'
	is "... names the file system in its progress" "$(cat err)" "tmpfs: measuring, with the input on tmpfs"
	is "... which is all there is" "$(ls -A tables)" ".run-all
README.md
summary.svg
tmpfs.csv
tmpfs.svg
tmpfs.txt"
	trailless "... leaving nothing else"
	cp -R tables before
	again "the second" 0
	holds "... reports what is there" out '^tables/tmpfs.txt: is there already: -a measures it again'
	is "... which stays" "$(diff -r before tables)" ""
	rm tables/tmpfs.txt tables/tmpfs.svg
	again "the third" 0
	is "... has made what was missing again" "$(diff -r before tables)" ""
	again "by -a" 1 -a
	edit 's/^\(sendfile,1\),.*/\1,,failed ENOSPC,/'
	again "with a failed row" 1
	again "of another size" 1 -s 63k
fi
if [ $memory = yes ] && full "more tables that are measured again, or not"; then
	again "64 kB again" 1
	rm tables/tmpfs.csv
	again "... taken away" 1
	again "of 64 kB said otherwise" 0 --size=65536
	again "of 64 kB as two arguments" 0 --size 64k
	again "of 64 kB as a fraction" 0 --size 0.0625MiB
	again "of 64 kB by powers of 1000" 0 --size 65.536kB
	edit 's/^# cpu: .*/&x/'
	again "with the table of another CPU" 1
	edit 's/^# kernel: .*/&x/'
	again "... of another kernel" 1
	head -c -3 tables/tmpfs.csv >short && cp short tables/tmpfs.csv
	relist tables
	again "... cut within a line" 1
	edit 's/^# memory_bytes: .*/# memory_bytes: 655360/'
	again "... of other memory" 1
	edit 's/^# version: .*/&x/'
	again "... of another version" 1
	edit 's/^\(# run_all: .*\) input=[a-z]*/\1 input=same/'
	again "... of another making" 1
	edit '$d'
	again "... cut at a line" 1
	edit 's/^\(sendfile,1\),.*/\1,,mismatch,/'
	again "... with a wrong copy" 1
	again "of another size" 1 -s 63k
	run 0 "with other options" env CALLS="$work/calls" timeout 600 tree/run-all.sh -s 63k -o tables -f tmpfs -- -n2 -p0 -s "$quick" >out
	is "... reports what is recommended" "$(sed -n 's/^tables.tmpfs.txt: //p' out)" "$(sed -n 's/^# recommendation: //p' tables/tmpfs.csv)"
	holds "... which is a row" out '^tables.tmpfs.txt: Use '
	is "... and nothing else" "$(errors)" ""
	is "... measured" "$(measured)" 2
	name=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)
	name=results/$(echo "$name" | sed 's/[^A-Za-z0-9].*//')
	mkdir where
	[ "$(id -u)" != 0 ] || chown 65534:65534 where
	(cd where && timeout 600 ../tree/run-all.sh -s 64k -f tmpfs >../out 2>../err)
	is "without -o and options" $? 0
	named=$(cd where && echo results/*)
	case $named in "$name"*"-$(uname -r)") ok=0 ;; *) ok=1 ;; esac
	is "... the directory is named after CPU and kernel: $named" $ok 0
	is "... and it and those above are their parent's owner's" "$(stat -c %u where where/results "where/$named" "where/$named/tmpfs.csv" | sort -u)" \
		"$(stat -c %u where)"
	holds "... cat is among the rows" "where/$named/tmpfs.csv" '^\$ cat,3,' ' options=--with=cat $'
	holds "... which it says something of" out "^$named/tmpfs.txt: Use .* cat\\b"
	holds "... by them" tables/tmpfs.csv '^# runs: 2$' '^# run_all: size=64512 input=tmpfs (.* )?options=-n2 -p0 '
	run 0 "long options" all --size=1k --output=long --filesystems=TmpFS
	run 0 "... with their arguments beside them" all --size 1k --output long --filesystems tmpfs
	is "... are the same" "$(measured) $(tables long)" "0 tmpfs "

	# Tables of another user.
	cp tables/tmpfs.csv long/copied.csv
	cp tables/tmpfs.txt long/copied.txt
	sed -i '/^# run_all: /d' long/copied.csv
	echo "<svg/>" >long/summary-of-mine.svg
	run 0 "beside tables of another user" all -s 1k -o long -f tmpfs
	holds "... sums up" long/README.md '^# Results' '\(./tmpfs.csv\)' '^## Other tables' '^- \[copied\]\(./copied.txt\) \(\[runs\]\(./copied.csv\)\): tmpfs'
	is "... with no more of a table that it has not made" "$(grep -c copied long/README.md)" 1
	is "... nor of pictures" "$(cat long/summary-of-mine.svg 2>&1)" "<svg/>"
	is "... and draws" "$(is_whole long)" "summary-of-mine.svg"
fi

# ---- Every file system

summary() { # DIR FILE: prints where it points to nothing, what it does not point to, and pictures that are there twice
	grep -o '\]([^)]*)' "$1/$2" | sed 's,^](\(\./\)*,,; s/)$//' | sort -u | while read -r target; do
		[ -s "$1/$target" ] || echo "$target: is not there"
	done
	for csv in "$1"/*.csv; do
		name=${csv##*/}
		name=${name%.csv}
		for form in csv txt svg; do
			[ ! -e "$1/$name.$form" ] || grep -qF "(./$name.$form)" "$1/$2" || echo "$name.$form: has no link"
		done
	done
	grep -o '](summary[^)]*)' "$1/$2" | sort | uniq -d
}
holds_table() { # DESCRIPTION DIR README NAME...: as write-bench makes it of them
	name=$1 dir=$2 readme=$3
	shift 3
	(cd "$dir" && for table; do printf '%s.csv\n' "$table"; done | xargs "$real" -f markdown --compare) >md
	[ -s md ] || echo none >md
	case $(cat "$dir/$readme") in
	*"$(cat md)"*) pass "$name" ;;
	*) fail "$name" md ;;
	esac
}
list=$(echo "$can" | sed 's/^ //; s/ /,/g')
rm -rf tables
if [ -z "$can" ]; then
	skip "file systems on images" "not root, no mount namespace, or no room"
else
	grep -F -e "$ours" -e " /dev/shm " /proc/self/mountinfo >mounts
	stub umount '{ echo; grep -F "$OURS" "/proc/$OUTSIDE/mountinfo"; } >>"$SEEN.outside"; grep -F "$OURS" /proc/self/mountinfo >>"$SEEN.inside"; exec $real "$@"'
	export OUTSIDE=$$ SEEN="$work/seen" OURS="${ours}spool/"
	run 0 "every file system that can be made here" with_stubs all -s 64k -o tables -f "TMPFS,$list"
	holds "... mounted" seen.inside "^[^ ]* [^ ]* [^ ]* [^ ]* [^ ]*${OURS}write-bench-run\\."
	is "... where we don't see it" "$(tr -d '\n' <seen.outside)" ""
	rm stub/*
	is "... and all mounts are as before" "$(grep -F -e "$ours" -e " /dev/shm " /proc/self/mountinfo)" "$(cat mounts)"
	trailless "... and nothing is left"
	is "... nothing is said of failures" "$(errors)" ""
	expected="tmpfs$(for fs in $can; do printf ' %s %s-same' "$fs" "$fs"; done)"
	is "... a table each, and one with the input on the same, but of tmpfs" "$(tables tables)" "$(echo "$expected" | tr ' ' '\n' | sort | tr '\n' ' ')"
	is "... each measured once" "$(measured)" "$(echo "$expected" | wc -w | tr -d ' ')"
	is "... of the same bytes" "$(sums | wc -l | tr -d ' ')" 1
	"$real" --generate=noise:64k | cksum >sum
	is "... which are noise" "$(sums)" "$(cut -d' ' -f1,2 sum)"
	is "... whole" "$(is_whole tables)" ""
	for fs in tmpfs $can; do
		case $fs in
		tmpfs) heading="tmpfs /dev/shm, memory" ;;
		ext?) heading="Ext${fs#ext}\\+loop" ;;
		xfs) heading="XFS\\+loop" ;;
		btrfs) heading="btrfs\\+loop" ;;
		overlay) heading="overlay" ;;
		esac
		for name in $fs $fs-same; do
			[ $name != tmpfs-same ] || continue
			case $name in
			*-same) from=$heading place=same between=$heading ;;
			*) from="tmpfs /dev/shm, memory" place=tmpfs between="tmpfs /dev/shm to $heading" ;;
			esac
			[ $fs != tmpfs ] || between=$heading
			csv=tables/$name.csv
			holds "$name: where it was measured" "$csv" "^# heading: $between, .*filesize=64KiB" "^# output: file on $heading(,|\$)" "^# input: file on $from(,|\$)" \
				'^# size: 65536$' "^# run_all: size=65536 input=$place (.* )?options=-n1 -p0 "
			is "... once in its heading" "$(grep -c '^# run_all' "$csv")" 1
			"$real" --compare "$csv" >form
			same "... the report is write-bench's" form "tables/$name.txt"
			"$real" --compare "$csv" -f svg >form
			same "... the picture, too" form "tables/$name.svg"
			case $name in
			xfs-same | btrfs-same) is "... reflinks are shared" "$(row reflink "$csv")" shared ;;
			*) is "... reflinks are none" "$(row reflink "$csv" | grep shared)" "" ;;
			esac
		done
	done

	# The summary.
	same_names=$(for fs in $can; do echo "$fs-same"; done)
	is "README.md: links are to what is there, and to all" "$(summary tables README.md)" ""
	holds_table "... has the table with the input on tmpfs" tables README.md tmpfs $can
	holds_table "... and that with the input on the same" tables README.md $same_names
	holds "... names machine and sections" tables/README.md "^## $(sed -n 's/^# cpu: //p' tables/tmpfs.csv | sed 's/[(). ]/./g'), [0-9]+ CPUs, .*, Linux $(uname -r)\$" \
		'^### The input on tmpfs$' '^### The input on the same file system' '^!\[.*\]\(summary.svg\)$' '^!\[.*\]\(summary-same.svg\)$' '^Generated by run-all.sh; do not edit'
	is "... each once" "$(grep -c '^#' tables/README.md)" 4
	for fs in tmpfs $can $same_names; do
		line=$(grep -F "[$fs](./$fs.txt)" tables/README.md)
		case $line in
		*": $(sed -n 's/^# heading: //p' "tables/$fs.csv"). $(sed -n 's/^# recommendation: //p' "tables/$fs.csv" | grep . || echo "Nothing is recommended.")") ;;
		*) echo "$fs: $line" ;;
		esac
	done >lines
	is "... says of each what its report says" "$(cat lines)" ""
	if have xmllint || have python3; then
		for svg in tables/*.svg; do
			is_xml "$svg" || echo "$svg"
		done >lines 2>&1
		is "pictures are valid XML" "$(cat lines)" ""
	else
		skip "pictures are valid XML" "no xmllint, no python3"
	fi
	(cd tables && for fs in tmpfs $can; do echo "$fs.csv"; done | xargs "$real" -f svg --compare) >form
	same "the picture is write-bench's" form tables/summary.svg

	# Of another machine, of another version, and of none.
	first=${can# }
	first=${first%% *}
	list=tmpfs,$first
	rm -rf others
	mkdir others
	for name in tmpfs $first $first-same; do
		for form in csv txt svg; do
			cp "tables/$name.$form" others/
			cp "tables/$name.$form" "others/old-$name.$form"
		done
		sed -i 's/^# cpu: .*/# cpu: AAA 6502/' "others/old-$name.csv"
	done
	cp tables/.run-all others/
	run 0 "beside tables of another machine" all -s 64k -o others -f "$list"
	is "... measures nothing" "$(measured)" 0
	is "README.md: links are to what is there, and to all" "$(summary others README.md)" ""
	is "... this machine's come first" "$(sed -n 's/^## AAA.*/old/p; t; s/^## Other.*/others/p; t; s/^## .*/here/p' others/README.md | tr '\n' ' ')" "here old "
	holds_table "... and have their table" others README.md tmpfs $first
	holds_table "... the others have a section of their own" others README.md $(printf 'old-%s\n' tmpfs "$first" | sort)
	holds "... and pictures" others/README.md '^!\[.*AAA 6502.*\]\(summary-2.svg\)$' '^!\[.*\]\(summary-2-same.svg\)$'
	is "... whole" "$(is_whole others)" ""
fi
if [ -n "$can" ] && full "beside other tables"; then
	rm others/old-*
	cp "tables/$first.csv" others/bare-table.csv
	run 0 "beside a table without the other forms" all -s 64k -o others -f "$list"
	is "... links are to what is there, and to all" "$(summary others README.md)" ""
	is "... pictures of what is gone are gone" "$(cd others && echo summary*)" "summary-same.svg summary.svg"
	rm others/bare*
	sed 's/^# version: .*/# version: write-bench 0.0/' "tables/$first.csv" >others/elder.csv
	"$real" --compare others/elder.csv -o others/elder.txt -o others/elder.svg >/dev/null
	run 0 "beside one of another version" all -s 64k -o others -f "$list"
	is "... none is there twice" "$(grep -o '^- \[[^]]*\](' others/README.md | sort | uniq -d)" ""
	is "... no picture either" "$(summary others README.md)" ""
	is "... nor heading" "$(grep '^##* ' others/README.md | sort | uniq -d | grep -v '^### ')" ""
	rm others/elder*
	sed '/^# run_all: /d' "tables/$first.csv" >others/foreign.csv
	echo >others/foreign.txt
	run 0 "beside one of other making" all -s 64k -o others -f "$list"
	is "... it is only listed" "$(grep -c foreign others/README.md)" 1
	holds "... so" others/README.md '^## Other tables$' '^- \[foreign\]\(./foreign.txt\) \(\[runs\]\(./foreign.csv\)\): '
	rm others/foreign*
	sed '$d' "tables/$first.csv" >others/cut.csv
	run 0 "beside one that is cut" all -s 64k -o others -f "$list"
	holds_table "... the others have their table" others README.md tmpfs $first
	is "... and their picture" "$(summary others README.md | grep '^summary')" ""
fi

# ---- Options of mount and mkfs, several sizes, and the input elsewhere

for wrong in ext4+ ext4++x ext4+mkfs: ext4+mkfs:-m::x 'ext4+a;b' ext4+../x ext4+-o; do
	refused "the file system $wrong" "-f .*: can't be parsed: use FS.OPTION, or FS.mkfs:ARGUMENT:ARGUMENT" -f "$wrong"
done
if ! can ext4 xfs; then
	skip "options of mount and mkfs" "ext4 and xfs can't be made here"
else
	fresh 1 "options" -s 64k -f tmpfs+huge=within_size,ext4+noauto_da_alloc+commit=9,ext4+nosuch=1,xfs+mkfs:-m:reflink=0,xfs+mkfs:--nosuch
	is "... are file systems of their own" "$(tables stage/tables)" \
		"ext4+noauto_da_alloc+commit=9 ext4+noauto_da_alloc+commit=9-same tmpfs+huge=within_size xfs+mkfs:-m:reflink=0 xfs+mkfs:-m:reflink=0-same "
	holds "... that have these options" stage/tables/ext4+noauto_da_alloc+commit=9.csv '^# output_mount: ext4 .*noauto_da_alloc.*commit=9'
	holds "... both ends of a tmpfs" stage/tables/tmpfs+huge=within_size.csv '^# heading: tmpfs huge=within_size, memory, ' '^# input: file on tmpfs huge=within_size, ' \
		'^# input_mount: .*huge=within_size' '^# output_mount: .*huge=within_size'
	is "... those of mkfs, too" "$(row reflink stage/tables/xfs+mkfs:-m:reflink=0-same.csv)" "n/a EOPNOTSUPP"
	holds "... what mount refuses is skipped with its words" err '^tree/run-all.sh: ext4.nosuch=1: skipped: mount says 32 \(mount: .*(wrong fs type, bad option|nosuch)'
	holds "... what mkfs refuses, too" err '^tree/run-all.sh: xfs.mkfs:--nosuch: skipped: mkfs.xfs says 1 \('
	is "... and no more is said" "$(errors | grep -v ': skipped: ')" ""
	is "... README.md has them all" "$(summary stage/tables README.md)" ""
	holds_table "... by their names" stage/tables README.md tmpfs+huge=within_size ext4+noauto_da_alloc+commit=9 xfs+mkfs:-m:reflink=0
	is "... whole" "$(is_whole stage/tables)" ""
	trailless "... and leaves nothing"
fi
if [ $memory = yes ]; then
	mkdir -p dirs/from dirs/one dirs/two
	fresh 0 "several sizes" -s 64k,4k -f tmpfs dirs/one dirs/two
	holds "... are in a table" stage/tables/tmpfs.csv '^# size: 4096$' '^# size: 65536$' '^# run_all: size=4096,65536 input=tmpfs '
	holds_table "... and in one of file systems by sizes" stage/tables README.md tmpfs one two
	holds "... with a column for each size" stage/tables/README.md '^\| row \| tmpfs 4KiB \| tmpfs 64KiB \| one 4KiB \| ' '^\| sendfile \| .*us'
	holds "... under a heading with the range" stage/tables/README.md '^- \[tmpfs\]\(.*\): tmpfs /dev/shm, memory, filesize=4KiB to 64KiB, kernel='
	if full "several sizes again"; then
		run 0 "... again" all -s 4k,64k -f tmpfs -o stage/tables
		is "... are there already" "$(measured)" 0
	fi

	fresh 0 "an input elsewhere" -s 5000 --input=dirs/from dirs/one
	is "... has a table beside the others" "$(tables stage/tables)" "one one-from-from $([ $same = no ] || echo 'one-same ')"
	holds "... with it" stage/tables/one-from-from.csv '^# run_all: size=5000 input=from:from '
	is "... from there" "$(grep -c "dirs/from/write-bench-run" calls) $(sed -n 's/^# input: //p' stage/tables/one-from-from.csv)" \
		"0 $(sed -n 's/^# output: //p' stage/tables/one-from-from.csv)"
	holds "... and a section of its own" stage/tables/README.md '^### The input on from$' '^!\[.*\]\(summary-from-from.svg\)$'
	is "... in README.md" "$(summary stage/tables README.md)" ""
	is "... whole" "$(is_whole stage/tables)" ""
	is "... and is gone" "$(find dirs/from -mindepth 1)" ""
	trailless "... like all else"
	refused "an input that is not there" '--input=dirs/nosuch: name a directory that is there and can be written to, or fs:FS' --input=dirs/nosuch -o stage/none dirs/one
	refused "... on a file system that there is not" '-f nosuch: is not one of' --input=fs:nosuch -o stage/none dirs/one
	[ -e stage/none ]
	is "... before anything is made" $? 1
fi
if [ $private = yes ]; then
	run 2 "refused: a read-only input" unshare -m sh -c 'mount -t tmpfs -o ro tmpfs dirs/from && exec "$@"' sh timeout 60 tree/run-all.sh --input=dirs/from -o stage/none dirs/one
	holds "... with its reason" err '--input=dirs/from: name a directory that is there and can be written to'
fi
if can ext3 ext4 && [ $memory = yes ] && full "an input on a file system that it makes"; then
	fresh 0 "an input on a file system that it makes" -s 64k --input=fs:ext4 -f tmpfs,ext3
	is "... has tables beside the others" "$(tables stage/tables)" "ext3 ext3-from-ext4 ext3-same tmpfs tmpfs-from-ext4 "
	holds "... from there" stage/tables/ext3-from-ext4.csv '^# input: file on Ext4.loop' '^# output: file on Ext3.loop'
	holds "... to tmpfs, too" stage/tables/tmpfs-from-ext4.csv '^# input: file on Ext4.loop' '^# output: file on tmpfs'
	trailless "... and leaves nothing"
fi

# Kernels side by side, of what is in several directories.
refused "a summary of nothing" '--summary: name directories with tables of this script' --summary
refused "a summary of a directory without tables" 'dirs: no table of this script is there' --summary -o stage/none dirs
if [ -d tables ] && [ -n "$can" ]; then
	rm -rf kernels stage/kernels
	mkdir kernels
	for name in tmpfs "$first-same"; do
		[ $name = tmpfs ] && size=65536 || size=$((256 << 20))
		{
			sed -E '/^row,/,$d; /^# (kernel|size|run_lines): /d' "tables/$name.csv"
			printf '%s\n' "# kernel: 9.9.9" "# size: $size" "# memcpy_bytes: $size" "# memcpy_ns: 14000000" row,round,ns,outcome
			for round in 1 2 3; do
				printf '%s,ok\n' "sendfile,$round,200000000" "read+write 128k,$round,300000000"
			done
		} >"kernels/$name.csv"
	done
	run 0 "a summary of two kernels" timeout 300 tree/run-all.sh --summary -o stage/kernels tables kernels >out
	is "... says where it is" "$(cat out)" stage/kernels/README.md
	holds "... has a table by kernels" stage/kernels/README.md "^\| +\| Linux 9.9.9 \| Linux $(uname -r | sed 's/[.+]/./g') \|\$|^\| +\| Linux $(uname -r | sed 's/[.+]/./g') \| Linux 9.9.9 \|\$" \
		'^## The input on tmpfs$' '^## The input on the same file system' '^!\[.*\]\(summary.svg\)$' '^!\[.*\]\(summary-same.svg\)$'
	holds "... each cell has the row to use and its speed" stage/kernels/README.md '^\| tmpfs, 64KiB .*\| sendfile, [0-9.]+ ?.iB/s \|' "^\\| $first, 256MiB .*\\| sendfile, 0.07 \\|"
	is "... and all file systems" "$(grep -c '^| [a-z]' stage/kernels/README.md)" "$(echo $(tables tables) $first | wc -w | tr -d ' ')"
	if have xmllint || have python3; then
		for svg in stage/kernels/*.svg; do
			is_xml "$svg" || echo "$svg"
		done >lines 2>&1
		is "... the pictures are valid XML" "$(cat lines)" ""
	else
		skip "... the pictures are valid XML" "no xmllint, no python3"
	fi
	run 0 "... the same again" timeout 300 tree/run-all.sh --summary -o stage/kernels kernels >out
	is "... of fewer" "$(grep -c uname stage/kernels/README.md) $(grep -c '9.9.9' stage/kernels/README.md)" "0 2"
	trailless "... and nothing is left"
fi

# What people plug in and mount, by name alone.
if [ $private = no ]; then
	skip "FUSE, NTFS, exFAT, sshfs, gocryptfs" "not root, or no mount namespace"
elif full "FUSE, NTFS, exFAT, sshfs, gocryptfs"; then
	for line in "fuse bindfs FUSE" "ntfs ntfs-3g FUSE|ntfs3" "exfat mkfs.exfat FUSE|exfat" \
		"sshfs sshfs FUSE..sshfs." "gocryptfs gocryptfs FUSE..gocryptfs."; do
		set -- $line
		fresh "$(have "$2" && echo 0 || echo 1)" "$1" -s 1m -f "$1"
		if grep -q ": skipped: " err; then
			holds "... is skipped, with the reason" err "^tree/run-all.sh: $1: skipped: (there is no|this kernel has no) "
			skip "$1" "$(sed -n 's/.*: skipped: //p' err)"
			continue
		fi
		is "... is measured" "$(tables stage/tables)" "$1 $1-same "
		holds "... until the output is closed, under its name" "stage/tables/$1.csv" '^# until: the output was closed' "^# heading: tmpfs /dev/shm to ($3)"
		holds "... in a section of its own" stage/tables/README.md '^### The input on tmpfs, until the output is closed$' '^!\[.*\]\(summary-close.svg\)$' '\(summary-same-close.svg\)$'
		is "... whole" "$(is_whole stage/tables)" ""
		trailless "... and nothing is left"
		is "... nor runs" "$(pgrep -fc "$ours")" 0
	done
	if have sshfs && have sshd; then
		mkdir -p refuses
		printf '#!/bin/sh\necho "first"\necho "no port is free" >&2\nexit 1\n' >refuses/sshd
		chmod +x refuses/sshd
		rm -rf stage/tables
		PATH=$PWD/refuses:$PATH all -s 4k -f sshfs -o stage/tables 2>err
		is "a server that ends at its start: exit status" $? 1
		holds "... and the reason has its last words" err '/run-all\.sh: sshfs: skipped: .*/sshd says: no port is free$'
		trailless "... and nothing is left"
		none_runs() {
			! pgrep -f "$ours"
		}
		rm -rf reached stage/tables
		SLOW=sshfs REACHED="$work/reached" all -s 1m -f sshfs -o stage/tables 2>err &
		until_there [ -e reached ]
		is "a run that is killed has a server, keys and mounts of its own" "$(pgrep -f "$ours.*keys/config" | wc -l | tr -d ' ')" 1
		kill -KILL "$(cat pid)"
		wait
		until_there none_runs
		is "... none of which runs when it is gone" "$(pgrep -fa "$ours")" ""
		rm -rf "$TMPDIR"/write-bench-run.*
		is "... nor is mounted" "$(trail)" ""
	fi
fi

# ---- What goes wrong

stubbed() { # OPTION...: the tables go to stage/tables
	rm -rf stage/tables
	with_stubs all -o stage/tables "$@"
}
goes_on() { # NAME...: the tables that there are then, nothing else, and nothing is left
	is "... and goes on" "$(tables stage/tables)" "$*${1:+ }"
	is "... whole" "$(is_whole stage/tables)" ""
	[ $# = 0 ] || is "... and README.md has it" "$(summary stage/tables README.md)" ""
	trailless "... and leaves nothing"
	rm -f stub/*
}
if can ext3 ext4; then
	stub mkfs.ext3 'echo "mkfs.ext3: no superblocks on offer" >&2; exit 7'
	run 1 "mkfs fails" stubbed -s 64k -f ext3,ext4
	holds "... which is named" err '^tree/run-all.sh: ext3: skipped: mkfs.ext3 says 7 \(mkfs.ext3: no superblocks on offer\)$'
	goes_on ext4 ext4-same

	export CRASH=ext3
	run 1 "write-bench crashes" stubbed -s 64k -f ext4,ext3
	unset CRASH
	holds "... which is named" err '^tree/run-all.sh: ext3: skipped: write-bench ' '^tree/run-all.sh: ext3-same: skipped: '
	lacks "... as what it is" err 'refused'
	goes_on ext4 ext4-same

	export CRASH=ext3 CRASH_BY=USR2
	run 140 "write-bench ends by a signal that only it gets" stubbed -s 64k -f ext3,ext4
	unset CRASH CRASH_BY
	goes_on

	rm -rf stage/tables
	run 2 "write-bench refuses its options" timeout 600 tree/run-all.sh -s 64k -f ext4 -o stage/tables -- --nosuch
	holds "... which are named" err 'nosuch' '^tree/run-all.sh: --nosuch: write-bench refuses these options'
	trailless "... and leaves nothing"
else
	skip "failures of mkfs and write-bench" "ext3 and ext4 can't be made here"
fi
if can ext3 ext4 && full "more failures of mkfs, mount and write-bench"; then
	stub mkfs.ext4 'exec $real "$@" 2m'
	stub df 'echo; echo "x 9 9 99999999999999 1% /"'
	run 1 "a file system fills" stubbed -s 4m -f ext4,ext3
	holds "... which is named" err '^tree/run-all.sh: ext4: skipped: no row could be measured: failed ENOSPC$' '^tree/run-all.sh: ext4-same: skipped: the input can.t be put into .*No space left'
	goes_on ext3 ext3-same

	stub mount 'case "$*" in *"-t ext4"*) echo "mount: denied by policy" >&2; exit 32 ;; esac; exec $real "$@"'
	run 1 "mount is refused" stubbed -s 64k -f ext4,ext3
	holds "... which is named" err '^tree/run-all.sh: ext4: skipped: mount says 32 \(mount: denied by policy\)$'
	goes_on ext3 ext3-same

	stub mount 'case "$*" in *"-t ext4"*) exit 0 ;; esac; exec $real "$@"'
	run 1 "mount mounts nothing" stubbed -s 64k -f ext4,ext3
	holds "... which is named" err '^tree/run-all.sh: ext4: skipped: mountpoint says '
	goes_on ext3 ext3-same

	stub mkfs.ext4 'exec $real "$@" 2m'
	run 1 "no room on a file system" stubbed -s 4m -f ext4,ext3
	holds "... which is named" err '^tree/run-all.sh: ext4: skipped: .* has [0-9]+ bytes free, and a copy takes 4194304: free some, or use a smaller -s$'
	goes_on ext3 ext3-same

	stub mkfs.ext4 'exec $real "$@" 6m'
	run 1 "no room for the input, too" stubbed -s 4m -f ext4
	holds "... which is named" err '^tree/run-all.sh: ext4-same: skipped: .* has [0-9]+ bytes free, and input and copy take 8388608: free some, or use a smaller -s$'
	goes_on ext4

	export MUTE=ext3
	run 1 "write-bench makes no table" stubbed -s 64k -f ext4,ext3
	unset MUTE
	holds "... which is named" err '^tree/run-all.sh: ext3: skipped: ' '^tree/run-all.sh: ext3-same: skipped: '
	goes_on ext4 ext4-same

	rm -rf stage/tables
	run 1 "a row is impossible everywhere" timeout 600 tree/run-all.sh -s 64k -f ext4 -o stage/tables -- -n1 -p0 -s reflink
	holds "... which is named" err '^tree/run-all.sh: ext4: skipped: no row could be measured'
	goes_on

fi
if [ $private = yes ]; then
	modprobe -q f2fs 2>/dev/null
	if grep -qw f2fs /proc/filesystems; then
		skip "a file system that the kernel has not" "it has f2fs"
	else
		run 1 "a file system that the kernel has not, asked for by name" stubbed -s 64k -f f2fs,tmpfs
		holds "... is skipped, with the reason" err '^tree/run-all.sh: f2fs: skipped: this kernel has no f2fs: use one with CONFIG_F2FS_FS$'
		goes_on tmpfs
	fi
	if [ "$(readlink -f /usr/sbin)" = "$(readlink -f /usr/bin)" ]; then
		skip "mkfs is missing" "/usr/sbin is /usr/bin"
	else
		hidden() { # COMMAND...: with nothing in /usr/sbin
			mkdir -p empty
			PATH=/usr/bin:/bin unshare -m sh -c 'mount --bind empty /usr/sbin && { [ "$(readlink -f /sbin)" = /usr/sbin ] || mount --bind empty /sbin; } && exec "$@"' sh "$@" 3>&-
		}
		rm -rf stage/tables
		run 0 "mkfs is missing" hidden timeout 600 tree/run-all.sh -s 64k -o stage/tables -- -n1 -p0 -s sendfile >out
		for line in "ext2 mkfs.ext2: install e2fsprogs" "ext3 mkfs.ext3: install e2fsprogs" "ext4 mkfs.ext4: install e2fsprogs" \
			"xfs mkfs.xfs: install xfsprogs" "btrfs mkfs.btrfs: install btrfs-progs" "overlay mkfs.ext4: install e2fsprogs"; do
			fs=${line%% *}
			if grep -qw "$fs" /proc/filesystems; then
				holds "... $fs is skipped, with the reason" err "^tree/run-all.sh: $fs: skipped: there is no ${line#* }\$"
			fi
		done
		holds "... with a mount option, too, which is among those of the default" err '^tree/run-all.sh: ext4.noauto_da_alloc: skipped: there is no mkfs.ext4'
		lacks "... nothing has failed" err 'says|No such|denied'
		lacks "... what people plug in is not among them" err 'vfat|exfat|ntfs|fuse|sshfs|smb|gocryptfs'
		is "... each once" "$(errors | cut -d: -f2 | sort | uniq -d)" ""
		goes_on tmpfs "tmpfs+huge=within_size"
		run 1 "... which was asked for by name" hidden timeout 600 tree/run-all.sh -s 64k -f ext4 -o stage/tables -- -n1 -p0 -s sendfile >out
		holds "... is skipped, with the reason" err ': ext4: skipped: there is no mkfs.ext4: install e2fsprogs$'
	fi
else
	skip "what the kernel or the machine has not" "not root, or no mount namespace"
fi

# ---- Directories

mkdir -p dirs/one/here dirs/two/here dirs/xfs-same "dirs/odd name"
if [ $memory = no ]; then
	skip "directories" "no tmpfs for the input"
else
	fresh 1 "directories, one of which is not there" -s 5000 dirs/nosuch dirs/one/here dirs/two/here "dirs/odd name"
	holds "... and is named, and what to do" err '^tree/run-all.sh: dirs/nosuch: skipped: name a directory that is there'
	if [ $same = yes ]; then
		is "... have tables after their names, or numbers" "$(tables stage/tables)" "here here-2 here-2-same here-same odd_name odd_name-same "
		holds "... with the input in the same" stage/tables/here-same.csv '^# run_all: size=5000 input=same '
		is "... place" "$(sed -n 's/^# input: //p' stage/tables/here-same.csv)" "$(sed -n 's/^# output: //p' stage/tables/here-same.csv)"
	else
		is "... have tables after their names, or numbers" "$(tables stage/tables)" "here here-2 odd_name "
	fi
	holds "... with the input on tmpfs" stage/tables/here.csv '^# run_all: size=5000 input=tmpfs ' '^# input: file on tmpfs '
	holds "... as write-bench prints it" stage/tables/here.txt 'filesize=5000B' '^row +best ' '^sendfile'
	is "... and README.md has it" "$(summary stage/tables README.md)" ""
	trailless "... and nothing in them"
	is "... at all" "$(find dirs -type f)" ""
fi
if [ $memory = yes ] && full "a relative TMPDIR, and a CDPATH"; then
	mkdir -p near elsewhere/tables
	rm -rf stage/tables
	run 0 "a relative TMPDIR, and a CDPATH" env TMPDIR=near CDPATH="$work/elsewhere" timeout 600 tree/run-all.sh -s 5000 -o tables dirs/one -- -n1 -p0 -s sendfile >out
	is "... are no trouble" "$(errors)" ""
	is "... nor mistaken" "$(summary tables README.md; find near elsewhere; grep -c '^- .one' tables/README.md)" "near
elsewhere
elsewhere/tables
$([ $same = yes ] && echo 2 || echo 1)"
fi
mkdir -p dirs/tmpfs dirs/here-same dirs/summary dirs/.hidden dirs/-x
if [ $memory = yes ] && full "more directories"; then
	# Names that others have, or that would break something.
	fresh 0 "a directory named like a file system" -s 5000 -f tmpfs dirs/tmpfs
	is "... has a number" "$(tables stage/tables)" "tmpfs tmpfs-2 $([ $same = no ] || echo 'tmpfs-2-same ')"
	holds "... and its own table" stage/tables/tmpfs-2.csv '^# run_all: '
	is "... unlike tmpfs" "$(grep -c '^# output: file on tmpfs' stage/tables/tmpfs-2.csv)" "$([ $same = yes ] && echo 0 || echo 1)"
	fresh 0 "a directory named like another's table" -s 5000 dirs/one/here dirs/here-same
	is "... has a number" "$(tables stage/tables | tr ' ' '\n' | grep -c '^here-same-2')" "$([ $same = yes ] && echo 2 || echo 1)"
	fresh 0 "... the other way round" -s 5000 dirs/here-same dirs/one/here
	is "... has one, too" "$(tables stage/tables | tr ' ' '\n' | grep -c '^here-2')" "$([ $same = yes ] && echo 2 || echo 1)"
	fresh 0 "a directory named like a picture, hidden, or like an option" -s 5000 dirs/summary dirs/.hidden dirs/-x
	is "... has a table that is in README.md" "$(summary stage/tables README.md)" ""
	is "... all of them" "$(grep -c '^- \[' stage/tables/README.md)" "$([ $same = yes ] && echo 6 || echo 3)"
	is "... and each picture is of its own" "$(for csv in stage/tables/*.csv stage/tables/.[!.]*.csv; do
		[ ! -f "$csv" ] || "$real" --compare "$csv" -f svg | cmp -s - "${csv%.csv}.svg" || echo "$csv"
	done)" ""

	# One that has changed its place, under its name.
	fresh 0 "a directory" -s 5000 dirs/one/here
	run 0 "... another of that name" all -s 5000 -o stage/tables dirs/two/here
	is "... is measured" "$(measured)" "$([ $same = yes ] && echo 2 || echo 1)"
	run 0 "... the same once more" all -s 5000 -o stage/tables dirs/two/../two/here
	is "... is not" "$(measured)" 0

	fresh 1 "a directory that is a file" -s 5000 plain
	holds "... is named, and what to do" err '^tree/run-all.sh: plain: skipped: name a directory that is there'
	trailless "... and nothing is left"
fi
if ! can xfs; then
	skip "directories beside file systems" "xfs can't be made here"
elif full "directories beside file systems"; then
	fresh 0 "directories beside file systems" -s 5000 -f xfs dirs/xfs-same
	is "... of such names have numbers" "$(tables stage/tables | tr ' ' '\n' | grep -c '^xfs')" "$([ $same = yes ] && echo 4 || echo 3)"
	holds "... and none has another's table" stage/tables/xfs-same.csv '^# output: file on XFS\+loop'
fi
if [ $private = yes ] && full "directories on tmpfs"; then
	rm -rf stage/tables
	mkdir -p dirs/tiny
	run 1 "a directory on a tmpfs without room" unshare -m sh -c 'mount -t tmpfs -o size=64k tmpfs dirs/tiny && exec "$@"' sh \
		timeout 600 tree/run-all.sh -s 1m -o stage/tables dirs/tiny -- -n1 -p0 -s sendfile >out
	holds "... is named, and what to do" err '^tree/run-all.sh: tiny: skipped: .*has [0-9]+ bytes free, and a copy takes 1048576: free some'
	run 0 "a directory on tmpfs" unshare -m sh -c 'mount -t tmpfs -o size=64m tmpfs dirs/tiny && "$@" && ls -A dirs/tiny >seen' sh \
		timeout 600 tree/run-all.sh -s 64k -o stage/tables dirs/tiny -- -n1 -p0 -s sendfile >out
	is "... has one table" "$(tables stage/tables)" "tiny "
	is "... and nothing in it" "$(cat seen)" ""
	trailless "... nor elsewhere"
	shm=$(mktemp -d /dev/shm/write-bench-test.XXXXXX)
	undo="rm -rf '$shm'"
	rm -rf stage/tables
	run 0 "a directory and output on /dev/shm" all -s 5000 -o "$shm/tables" "$shm"
	is "... are not hidden by a tmpfs of its own" "$(echo "$shm"/* "$shm"/tables/*.csv | sed "s,$shm/,,g")" "tables tables/$(basename "$shm" | tr -c 'A-Za-z0-9._\n-' _).csv"
	mkdir "$shm/in"
	fresh 0 "an input on /dev/shm" -s 5000 -f tmpfs --input="$shm/in"
	is "... is not hidden, either" "$(tables stage/tables)" "tmpfs tmpfs-from-in "
	is "... and gone" "$(ls -A "$shm/in")" ""
	rm -rf "$shm"
fi

# ---- Stopped

# At a point: the program of that name, with such an argument after a colon, is about to start, or by "-" has ended, and waits
# until the signal was sent.
for name in mkdir mktemp truncate mkfs.ext4 mount mountpoint cp cmp umount mv df rm; do
	cat >"stub/$name" <<'END'
#!/bin/sh
name=${0##*/}
PATH=${PATH#*:}
arguments=$*
case $name in mkdir | mktemp) point=make ;; *) point=$name ;; esac
await() {
	[ "$1" = "${POINT%%:*}" ] && [ ! -e "$REACHED" ] || return
	case $POINT in *:*) case $arguments in *"${POINT#*:}"*) ;; *) return ;; esac ;; esac
	: >"$REACHED"
	for _ in $(seq 6000); do
		[ ! -e "$REACHED.go" ] || break
		sleep 0.02
	done
}
await "$point"
"$name" "$@"
status=$?
await "$point-"
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
		case $POINT in
		0.*) until_there [ -s pid ] && sleep "$POINT" ;; # it may be over then, and have done it all
		*) until_there [ -e reached ] ;;
		esac
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
	got=$?
	{
		case $got,$2 in "$expected",* | 0,0.*) ;; *) echo "status $got" ;; esac
		trail
		is_whole stage/tables 2>/dev/null
		find stage -name '.*' ! -name .run-all
		find_marked 1 | sed 's/^/process /'
	} >trail
	is "SIG$1 at $2" "$(cat trail)" ""
	rm -rf "${TMPDIR:?}"/* dirs/one/write-bench-*
}
if can ext4; then
	while read -r signal status point; do
		stopped $status $signal $point -f ext4,tmpfs dirs/one
	done <<-END
		INT 130 list
		TERM 143 make:run.
		HUP 129 write-bench@ext4
	END
	if full "stopped at more points"; then
		while read -r signal status point; do
			stopped $status $signal $point -f ext4,tmpfs dirs/one
		done <<-END
			INT 130 mount-
			TERM 143 cp
			PROF 155 write-bench@ext4
			HUP 129 make-:dirs/one
			INT 130 df
			HUP 129 truncate
			TERM 143 mkfs.ext4
			HUP 129 mount
			INT 130 mountpoint
			TERM 143 write-bench@ext4
			INT 130 write-bench@ext4
			INT 130 cp-:.part
			TERM 143 mv:.part
			INT 130 cmp
			HUP 129 umount
			TERM 143 umount-
			TERM 143 0.1
			INT 130 0.2
			HUP 129 0.3
			TERM 143 0.4
			QUIT 131 write-bench@ext4
			PWR 158 write-bench@ext4
			USR1 138 cp:.part
		END
	fi
elif [ $memory = yes ]; then
	stopped 143 TERM write-bench@shm -f tmpfs
	stopped 155 PROF write-bench@shm -f tmpfs
fi

# Killed: what is left then is gone by itself, or with the next run.
killed() { # POINT OPTION...
	stop KILL "$@" >/dev/null
	cat pid >>pids.killed
	case $1 in 0.*) reached=yes ;; *) [ -e reached ] && reached=yes || reached=no ;; esac
	for _ in $(seq 1200); do
		{
			find_marked 1 | sed 's/^/process /'
			trail_now | grep -v "^$TMPDIR/\|^dirs/\|^/dev/shm/" # directories are for the next run
			is_whole stage/tables 2>/dev/null | grep -v '^\.write-bench-run\..*\.part$\|^\.run-all\.lock$'
			[ $reached = yes ] || echo "it has not come by"
		} >trail
		[ -s trail ] || break
		sleep 0.05
	done
	is "SIGKILL at $1: processes, mounts and loop devices are gone" "$(cat trail)" ""
	find_marked 1 | xargs -r kill -KILL
}
if ! have setpriv; then
	skip "SIGKILL" "no setpriv"
elif can ext4; then
	points="mount- write-bench@ext4"
	! full "killed at more points" || points="$points truncate make-:run. mkfs.ext4 mount write-bench@one cp:.part mv:.part umount umount- 0.25"
	for point in $points; do
		killed $point -f ext4,tmpfs dirs/one
	done
elif [ $memory = yes ]; then
	killed write-bench@one dirs/one
fi
rm -f stub/*
SLOW=
if [ $memory = yes ]; then
	space=$(readlink /proc/self/ns/pid | tr -dc 0-9)
	start=$(sed 's/.*) //' /proc/$$/stat | cut -d' ' -f20)
	mkdir precious
	: >>pids.killed
	echo kept >precious/file
	mkdir "$TMPDIR/write-bench-run.$space-99999999-1.aaaaaa" "dirs/one/write-bench-run.$space-99999999-1.aaaaaa" \
		"$TMPDIR/write-bench-run.$space-$$-1.aaaaaa" "dirs/one/write-bench-run.$space-$$-1.aaaaaa"
	ln -s "$work/precious" "$TMPDIR/write-bench-run.$space-99999999-1.aaaaaa/link"
	for place in "$TMPDIR" dirs/one; do
		mkdir "$place/write-bench-run.1-99999999-1.bbbbbb" "$place/write-bench-run.$space-$$-$start.bbbbbb" "$place/write-bench-run.mine" \
			"$place/write-bench-run.$space-99999999-1.aaaaaa.old"
		ln -s "$work/precious" "$place/write-bench-run.$space-99999999-1.bbbbbb"
		echo >"$place/write-bench-run.$space-99999999-1.cccccc"
		mkdir "$place/write-bench-run.$space-99999999-1.dddddd"
		if [ "$(id -u)" = 0 ]; then
			chown 65534 "$place/write-bench-run.$space-99999999-1.dddddd"
		else
			rmdir "$place/write-bench-run.$space-99999999-1.dddddd"
		fi
	done
	rm -rf stage/tables
	mkdir stage/tables
	echo >"stage/tables/.write-bench-run.$space-99999999-1.part"
	ln -s "$work/precious/file" stage/tables/.run-all.lock
	run 0 "the run after those" all -s 1k -f tmpfs dirs/one -o stage/tables
	for place in "$TMPDIR" dirs/one; do
		is "... sweeps: what is left in $place is none of theirs" "$(cd "$place" && for left in write-bench-run.*; do echo "$left"; done | sed "s/-$$-$start/-OURS/; s/run\.$space/run./" | sort)" \
			"write-bench-run.-99999999-1.aaaaaa.old
write-bench-run.-99999999-1.bbbbbb
write-bench-run.-99999999-1.cccccc$([ "$(id -u)" != 0 ] || printf '\nwrite-bench-run.-99999999-1.dddddd')
write-bench-run.-OURS.bbbbbb
write-bench-run.1-99999999-1.bbbbbb
write-bench-run.mine"
	done
	is "... nor in /dev/shm" "$(while read -r pid; do find /dev/shm -maxdepth 1 -name "write-bench-run.$space-$pid-*"; done <pids.killed)" ""
	is "... writes nothing past links" "$(cat precious/*)" kept
	is "... and leaves no part of a report" "$(find stage/tables -name '.*')" stage/tables/.run-all
	rm -rf "${TMPDIR:?}"/* dirs/one/write-bench-*

	if [ "$(id -u)" = 0 ]; then
		rm -rf stage/tables
		mkdir stage/tables
		chown 65534 stage/tables
		run 0 "an output directory of another" all -s 1k -a -f tmpfs -o stage/tables
		is "... gets reports that are his" "$(find stage/tables ! -uid 65534)" ""
	else
		skip "an output directory of another" "not root"
	fi

fi
if [ $memory = yes ] && full "two at a time"; then
	rm -rf slow reached pid
	(SLOW=one marked 2 bash tree/run-all.sh -s 1k -o slow dirs/one -- -n1 -p0 -s sendfile >slow.out 2>&1) &
	until_there [ -e reached ]
	find "$TMPDIR" dirs/one -name 'write-bench-run.*' >before.trail
	run 0 "another one meanwhile" all -s 1k -o stage/tables dirs/one
	find "$TMPDIR" dirs/one -name 'write-bench-run.*' >after.trail
	[ -s before.trail ]
	is "... lets the first have what it has" $? 0
	same "... which is all that is left" before.trail after.trail
	kill -TERM "$(cat pid.2)"
	within 600 "$(cat pid.2)"
	is "... and which ends when it gets a signal" $? 0
	is "... cleaning up" "$(find "$TMPDIR" dirs/one -name 'write-bench-run.*'; left 2)" 0
fi
if [ $memory = yes ]; then
	# Two at a time into one directory.
	waits() { # OPTION...: it is in the background, its id in first, and waits in dirs/one, with the table of tmpfs made
		rm -rf reached reached.go pid.2
		(WAIT=one marked 2 bash tree/run-all.sh -s 1k -o shared -f tmpfs dirs/one "$@" -- -n1 -p0 -s "$quick" >first.out 2>first.err) &
		first=$!
		until_there [ -e reached ]
	}
	second() { # SECONDS OPTION...
		limit=$1
		shift
		timeout -k 1 "$limit" tree/run-all.sh -s 1k -o shared "$@" -- -n1 -p0 -s "$quick" >out
	}
	if ! have flock; then
		skip "two at a time into one directory" "no flock"
	else
		waits
		cp -a shared before.shared
		run 2 "another one into the same directory" second 10 -f tmpfs -a
		holds "... names who has it" err "^tree/run-all.sh: shared: is in use by process $(cat pid.2), since 2[0-9-]{9} [0-9:]{8}: wait for its end, or use another -o\$"
		is "... and nothing else" "$(cat out; wc -l <err | tr -d ' ')" 1
		run 2 "... by another name, and with other tables" second 10 -o "$work/tree/../shared" dirs/two
		holds "... too" err "/shared: is in use by process $(cat pid.2), since 2"
		is "... touching nothing" "$(diff -r before.shared shared)" ""
		is "... the lock is the first one's alone, not its children's" "$(find /proc/[0-9]*/fd -lname "*$(cd shared && pwd -P)" 2>/dev/null | cut -d/ -f3 | sort -u)" "$(cat pid.2)"
		: >reached.go
		wait $first
		is "... the first one ends with exit status 0" "$? $(grep -v ': measuring, ' first.err)" "0 "
		is "... with all tables" "$(tables shared)" "one $([ $same = no ] || echo 'one-same ')tmpfs "
		is "... whole" "$(is_whole shared; summary shared README.md)" ""
		run 0 "... and the next one goes on there" second 600 -f tmpfs dirs/one
		if full "a directory in use by one that is killed"; then
			waits --again
			kill -KILL "$(cat pid.2)"
			wait $first 2>/dev/null
			run 0 "... where the first was killed, too, though its child goes on" second 600 -f tmpfs
			is "... whole" "$(is_whole shared; summary shared README.md)" ""
			: >reached.go
			is "... and that ends" "$(left 2)" 0
		fi
		rm -rf "${TMPDIR:?}"/* dirs/one/write-bench-* before.shared
	fi
	stub flock 'exit 127'
	run 0 "where there is no flock" with_stubs second 600 -f tmpfs
	is "... that is said" "$(cat err)" "tree/run-all.sh: shared: can't be locked, which takes flock of util-linux: use it once at a time"
	rm stub/flock

	# What two at a time have made of the list, before there was a lock: it lacks some.
	sed -i '/ README.md$/d; / tmpfs.txt$/d; / summary.svg$/s/^..../0000/' shared/.run-all
	cp -a shared before.shared
	run 2 "refused: a directory whose list lacks files" second 600 -f tmpfs
	is "... each is named, and what to do" "$(cat err)" "$(for file in README.md summary.svg tmpfs.txt; do
		echo "tree/run-all.sh: shared/$file: is not as this script has made it: move it away, or use another -o"
	done)"
	is "... and nothing is touched" "$(diff -r before.shared shared)" ""
	if full "a directory without what its list lacks"; then
		mkdir away && mv shared/README.md shared/summary.svg shared/tmpfs.txt away/
		run 0 "... without those it goes on" second 600 -f tmpfs
		is "... and makes them again" "$(is_whole shared; summary shared README.md; cmp shared/tmpfs.txt away/tmpfs.txt)" ""
	fi

	# A table that is removed, or another's, before the end.
	gone() { # COMMAND...: that makes it so
		rm -rf shared
		waits
		"$@"
		: >reached.go
		wait $first
		is "a table that is gone meanwhile, by $*, is a failure" $? 1
		holds "... which is named" first.err '^tree/run-all.sh: shared/tmpfs.csv: has been removed or replaced meanwhile$'
	}
	gone cp plain shared/tmpfs.csv
	! full "a table that is removed meanwhile" || gone rm shared/tmpfs.csv
	rm -rf shared away before.shared
fi

# ---- Not root; root without mount namespaces

unprivileged() { # COMMAND...
	if [ "$(id -u)" = 0 ]; then setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; else "$@"; fi
}
poor() { # DESCRIPTION REASON COMMAND...: what it can, it measures; the rest it names
	name=$1 reason=$2
	shift 2
	mkdir -p hut
	chmod 777 hut
	cd hut || exit 1
	run 0 "$name" "$@" timeout 600 sh -c 'echo $$ >&4 && exec "$@" 4>&-' sh ../tree/run-all.sh -s 64k -o mine -- -n1 -p0 -s sendfile >../out 4>../pid
	cd ..
	is "... measures here and on tmpfs" "$(tables hut/mine)" "hut $([ $same = no ] || echo 'hut-same ')tmpfs "
	is "... whole" "$(is_whole hut/mine)" ""
	is "... and links that" "$(summary hut/mine README.md)" ""
	is "... names the others" "$(sed -n 's/^.*run-all.sh: \([a-z0-9]*\): skipped: .*/\1/p' err | tr '\n' ' ')" "ext2 ext3 ext4 xfs btrfs f2fs overlay dmcrypt nfs3 nfs42 "
	is "... each with the reason" "$(errors | grep -Evc "skipped: .*$reason")" 0
	is "... leaving nothing" "$(ls -A hut "$TMPDIR" && find /dev/shm -maxdepth 1 -name "write-bench-run.*-$(cat pid)-*")" "$TMPDIR:

hut:
mine"
	run 1 "... a file system asked for by name" "$@" timeout 600 tree/run-all.sh -s 64k -f tmpfs,Ext4,NFSv3,nfs4.2,Crypt-Ext3 -o hut/mine -- -n1 -p0 -s sendfile >out
	is "... is named" "$(sed -n 's/^.*run-all.sh: \([a-z0-9]*\): skipped: .*/\1/p' err | tr '\n' ' ')" "ext4 nfs3 nfs42 dmcrypt "
	rm -rf hut
}
if [ "$(stat -f -c %T /dev/shm 2>/dev/null)" != tmpfs ]; then
	skip "not root" "no tmpfs on /dev/shm"
elif ! unprivileged true 2>/dev/null; then
	skip "not root" "no setpriv"
elif ! unprivileged test -x "$real"; then
	skip "not root" "$work can't be reached by others"
else
	poor "not root" "only root can mount: use sudo" unprivileged
	mkdir -p closed
	chmod 555 closed
	run 2 "... where it can't write" unprivileged timeout 300 tree/run-all.sh -s 64k -o closed/mine
	holds "... says so, and what to do" err 'closed/mine: can.t be written to: use another -o'
	run 2 "... an output directory of another" unprivileged timeout 300 tree/run-all.sh -s 64k -o closed
	holds "... too" err 'closed: can.t be written to: use another -o'
	mkdir -p hut
	chmod 777 hut
	run 1 "... a directory of another" unprivileged timeout 300 tree/run-all.sh -s 64k -o hut/mine closed
	holds "... which is named" err ': closed: skipped: name a directory that is there and can be written to'
	rm -rf hut
	if [ "$(id -u)" != 0 ]; then
		skip "root without mount namespaces" "not root"
	elif ! setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin true 2>/dev/null; then
		skip "root without mount namespaces" "no setpriv"
	elif full "root without mount namespaces"; then
		poor "root without mount namespaces" "no mount namespace is to be had: .*CAP_SYS_ADMIN" setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin
	fi
fi

# ---- Nothing else is written

if [ $memory = no ] || ! have strace || ! strace -o strace.probe true 2>/dev/null; then
	skip "what is written to" "no strace"
elif full "what is written to"; then
	rm -rf stage/tables
	run 0 "traced" strace -f -qq -s 4096 -e trace=%file -o trace timeout 600 tree/run-all.sh -s 64k -o stage/tables $(! can ext4 overlay || echo -f ext4,overlay) dirs/one -- -n1 -p0 -s sendfile >out
	# What is open for writing, made, renamed or removed by an absolute name outside, or by one that leads upwards.
	grep -E 'O_WRONLY|O_RDWR|O_CREAT| (mkdir|rename|unlink|rmdir|link|symlink|truncate|mknod|chmod|fchmodat|chown|fchownat|lchown|utime)[a-z0-9]*\(' trace |
		grep -v ' = -1 ' | grep -E '"(/|\.\./)' | grep -v "\"[^\"]*$ours" |
		grep -vE '"/dev/(null|tty|shm/[XY]|shm/write-bench-run\.[^"]*|loop-control|loop[0-9]+)"' >written
	is "nothing is written to elsewhere" "$(cat written)" ""
	trailless "... and nothing is left"
fi

# ---- What others have put there

if [ $memory = no ]; then
	skip "what others have put there" "no tmpfs to be had"
else
	# What is no output directory of this script is not touched, and nothing is measured.
	kept() { # DESCRIPTION REGEX DIR OPTION...: it is refused, before anything is measured, and as it was
		refusal=$1 regex=$2 dir=$3
		shift 3
		rm -rf was
		cp -a "$dir" was
		run 2 "refused: $refusal" all -s 64k -o "$dir" "$@"
		holds "... with its reason, and what to do" err "$regex"
		is "... and nothing is measured, or touched" "$(measured) $(diff -r --no-dereference was "$dir" 2>&1 | grep -v 'is a fifo')" "0 "
	}
	mkdir -p dirs/data foreign
	set -- data.csv .hidden "$(printf 'x\ny')"
	! full "more in an output directory" || set -- "$@" data.txt data.svg tmpfs.csv README.md summary.svg notes "a b"
	for item; do
		echo mine >"foreign/$item"
		kept "an output directory with $(printf %s "$item" | tr '\n' ' ') in it" "^tree/run-all.sh: foreign: has .* in it, and was not made by this script: use a new or empty directory" \
			foreign -f tmpfs dirs/data
		rm "foreign/$item"
	done
	mkfifo foreign/tmpfs.csv
	kept "... with a FIFO" "foreign: has tmpfs.csv in it" foreign -f tmpfs
	rm foreign/tmpfs.csv
	run 0 "an output directory that is empty" all -s 64k -o foreign -f tmpfs
	intruder() { # ITEM COMMAND...: what that makes there in its stead
		item=$1
		shift
		[ ! -e "foreign/$item" ] || mv "foreign/$item" aside
		"$@" "foreign/$item"
		kept "$item, made by $*" "^tree/run-all.sh: foreign/$item: is not (as this script has made it|a file): move it away" foreign -f tmpfs
		rm -r "foreign/$item"
		[ ! -e aside ] || mv aside "foreign/$item"
	}
	intruder tmpfs.csv cp plain
	intruder summary-same.svg cp plain
	intruder tmpfs.txt ln -s "$work/plain"
	intruder odd.csv mkfifo
	intruder ext4.svg ln -s /dev/zero
	intruder README.md mkdir
	if full "more that was put there since"; then
		for item in tmpfs.csv tmpfs.txt tmpfs.svg tmpfs-same.csv README.md summary.svg summary-same.svg; do
			intruder "$item" cp plain
			intruder "$item" ln -s "$work/plain"
		done
		for item in tmpfs.csv tmpfs.txt ext4.svg README.md odd.csv; do
			intruder "$item" mkfifo
			intruder "$item" mkdir
			intruder "$item" ln -s /dev/zero
		done
	fi
	for form in csv txt svg; do
		echo mine >foreign/data.$form
	done
	run 0 "a directory whose name another's files have" all -s 5000 -o foreign dirs/data
	holds "... names them" err '^tree/run-all.sh: foreign/data.csv: is not as this script has made it, and stays: the table of .*/dirs/data gets a number'
	is "... leaves them alone" "$(cat foreign/data.csv foreign/data.txt foreign/data.svg)" "$(printf 'mine\nmine\nmine')"
	is "... and has a number" "$(tables foreign | tr ' ' '\n' | grep -x 'data-2')" data-2
	if full "a directory whose name another's files have, once more"; then
		run 0 "... the same once more" all -s 5000 -o foreign dirs/data
		is "... measures nothing" "$(measured)" 0
	fi
	rm -rf foreign was

	# Names that begin with a dash, have blanks or control characters.
	mkdir -p near/-dash "near/a b" near/-x
	cd near || exit 1
	named() { # OUTDIR TMPDIR
		find / -maxdepth 1 >root.before
		run 0 "an output directory called $1, and a TMPDIR called $2" env TMPDIR="$2" \
			timeout 600 ../tree/run-all.sh -s 64k -f tmpfs -o "$1" -- -n1 -p0 -s sendfile >../out
		find / -maxdepth 1 >root.after
		is "... has its table" "$(ls "./$1/tmpfs.csv")" "./$1/tmpfs.csv"
		is "... nothing is left in the other, or in /" "$(diff root.before root.after; find "./$2" -mindepth 1)" ""
	}
	named -n "a b"
	if full "more names like options, and with blanks"; then
		mkdir blank
		named -dash -x
		named "a b" blank
		rm -rf "a b"
		mkdir "a b"
	fi
	if full "a directory called -dash"; then
		run 0 "a directory called -dash" timeout 600 ../tree/run-all.sh -s 64k -o ../stage/dashes ./-dash "a b" -- -n1 -p0 -s sendfile >../out
		is "... has its table" "$(tables ../stage/dashes | grep -c _-dash)" 1
	fi
	cd ..
	odd=$(printf 'a\033[31m\nb')
	mkdir "near/$odd"
	refused "an output directory with control characters" 'a\?\[31m\?b: has a newline or another control character in its name: use another' -f tmpfs -o "near/$odd"
	refused "... a directory" 'a\?\[31m\?b: has a newline or another control character in its name: use another' -o stage/tables "near/$odd"
	run 2 "refused: ... a TMPDIR" env TMPDIR="near/$odd" timeout 300 tree/run-all.sh -s 64k -f tmpfs -o stage/tables
	holds "... with its reason, and what to do" err 'a\?\[31m\?b: has a newline or another control character'
	rm -rf near stage/tables stage/dashes
fi

if [ $memory = yes ]; then
	rm -rf stage/tables
	all -s 64k -o stage/tables -f tmpfs
	cp -R stage/tables kept
	printf '# run_all: size=1 input=tmpfs place=x options=\nrow,round,ns,outcome\na,1,5,ok\n' >stage/tables/-fx.csv
	echo "w $work/written-by-sed" >stage/tables/x.csv
	for name in '[x](y)' '![x](y)' '<script>x' 'one two' "$(printf 'a\033[31m\nb')"; do
		cp stage/tables/-fx.csv "stage/tables/$name.csv"
		cp stage/tables/tmpfs.txt "stage/tables/$name.txt"
	done
	run 0 "tables that are named like options, links, pictures, HTML and escape sequences" all -s 64k -o stage/tables -f tmpfs
	is "... are not taken for any" "$(ls written-by-sed 2>/dev/null)$(grep -c -e '-fx\|\](y)\|script\|one two\|\[31m' stage/tables/README.md)" 0
	is "... in messages either" "$(tr -d ' -~\n' <err | wc -c | tr -d ' ') $(grep -c 'is not summed up: its name' err)" "0 6"
	rm -rf stage/tables
	cp -R kept stage/tables
	sed -i 's/^# cpu: .*/# cpu: <b>\&lt;[x](y) `/; s/^# heading: .*/# heading: <i>h/' stage/tables/tmpfs.csv
	cp stage/tables/tmpfs.csv stage/tables/odd.csv
	rm stage/tables/tmpfs.csv
	run 0 "a table whose facts are HTML" all -s 64k -o stage/tables -f tmpfs
	holds "... is summed up as what it says" stage/tables/README.md '^## &lt;b&gt;&amp;lt;\\\[x\\\]\(y\) \\`, ' '^- odd \(\[runs\]\(./odd.csv\)\): &lt;i&gt;h\.'
	lacks "... and as nothing else" stage/tables/README.md '<[bi]>'
	rm -rf stage/tables
	cp -R kept stage/tables
	touch tree/ext2 tree/xfs
	(cd tree && timeout 300 ./run-all.sh -s 64k -f 'x?s,ext[2]' -o ../stage/tables) >out 2>err
	is "a file system's name is no pattern for files" "$? $(grep -c 'x?s: is not one of' err)" "2 1"
	rm tree/ext2 tree/xfs
	run 2 "options that leave no row" timeout 300 tree/run-all.sh -s 64k -f tmpfs -o stage/tables -- -s nosuch
	holds "... are reported" err 'nosuch' 'refuses these options|no row is left'
	run 2 "a size that can't be reckoned with" timeout 300 tree/run-all.sh -s 4194304t -f tmpfs -o stage/tables
	holds "... is named" err '^tree/run-all.sh: -s 4194304t: is more than there can be room for'
	run 2 "an option that takes no argument" timeout 300 tree/run-all.sh --again=yes
	holds "... is named" err 'unknown option --again=yes'
	if ! can ext2 ext4; then
		skip "two file systems" "ext2 and ext4 can't be made here"
	elif full "two file systems"; then
		fresh 0 "two file systems" -s 64k -f ext2,ext4
		holds "... stand side by side" stage/tables/README.md '^\| row \| ext2 \| ext4 \|' '^\| row \| (ext2-same|1) \| (ext4-same|2) \|'
		lacks "... and neither is what has become of the other" stage/tables/README.md '95 % interval|from before'
	fi
else
	skip "what others have put there" "no tmpfs to be had"
fi
if [ $private = no ]; then
	skip "a full TMPDIR, and an output directory of another user's" "no mount namespaces"
elif full "a full TMPDIR, and an output directory of another user's"; then
	rm -rf stage/tables full
	cp -R kept stage/tables
	mkdir full
	for kb in 8 16 24 32 64; do
		WB_KB=$kb unshare -m sh -c 'mount -t tmpfs -o size=${WB_KB}k tmpfs full && TMPDIR=$PWD/full exec timeout 600 tree/run-all.sh "$@"' sh \
			-s 64k -o stage/tables -f tmpfs -- -n1 -p0 -s "$quick" >out 2>err
		code=$?
		is "a TMPDIR of $kb kB: no table is cut" "$(is_whole stage/tables)$(cmp stage/tables/tmpfs.csv kept/tmpfs.csv 2>&1)" ""
		is "... and what failed is reported" "$([ $code != 0 ] || grep -L '^# Results' stage/tables/README.md)" ""
		is "... the summary is whole, or as it was" "$(tail -n 1 stage/tables/README.md | cut -c1-2)" "$(tail -n 1 kept/README.md | cut -c1-2)"
	done
	rm -rf stage/tables
	mkdir stage/tables
	echo secret >secret
	chmod 600 secret
	if chown 65534:65534 stage/tables 2>/dev/null; then
		run 0 "an output directory of another user's" all -s 64k -f tmpfs -o stage/tables
		is "... the tables are its owner's" "$(find stage/tables -type f ! -user 65534)" ""
		for link in tmpfs.txt .run-all; do
			rm -f stage/tables/$link
			ln -s "$work/secret" stage/tables/$link
			run 2 "... whose owner has put a link there" all -s 64k -f tmpfs -o stage/tables -a
			is "... which is not followed ($link)" "$(cat secret) $(stat -c %u secret) $(readlink stage/tables/$link)" "secret 0 $work/secret"
			rm stage/tables/$link
		done
		mkdir hut && chown 65534:65534 hut
		run 0 "... of an owner that has none yet" all -s 64k -f tmpfs -o hut/tables
		is "... it becomes the owner's" "$(stat -c %u hut/tables)" 65534
		rm -rf hut
	else
		skip "an output directory of another user's" "it can't be given away"
	fi
fi
