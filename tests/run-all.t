#!/bin/sh
# run-all.sh: what it makes, measures, sums up and refuses; that it names what it can't do, and leaves nothing behind,
# however it ends. What only root can do is skipped where we are not, or mount namespaces aren't allowed. The quick part
# is a core: tmpfs and ext4, once each.
# Tried: it fails where a table of another machine passes for this one's; what was made is left; the input is zeros;
# Tried: what fails does not count; a table is made whatever became of write-bench; no lock; a file that is not listed
# Tried: is replaced; mkfs runs in the user's directory; a mount is seen outside.
# shellcheck disable=SC2046,SC2086
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"
have bash || skip_all "no bash"
case $(pwd -P)/ in /dev/shm/*) skip_all "on /dev/shm, which run-all.sh covers with a tmpfs of its own" ;; esac
rest=
! full "all but a core" || rest=1

# A tree whose write-bench writes what it is to measure into the file calls, a line each. By CRASH and MUTE, of the
# directory that it writes to: ends by a signal, says that all went well and leaves no table. By SLOW: takes hours. By
# WAIT: begins when told so, whatever becomes of run-all.sh.
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

rows="sendfile,read+write 128k,reflink,copy_file_range"
all() { # OPTION...: runs it on few rows; its id is left in the file pid, what it prints in out
	: >calls
	CALLS=$work/calls timeout -k 1 600 sh -c 'echo $$ >pid && exec tree/run-all.sh "$@"' sh "$@" -- \
		-n1 -p0 -s "$rows" >out
}
# fresh STATUS DESCRIPTION TABLES OPTION...: the tables go to stage/tables, which is new. These are there then, and no
# trail is left.
fresh() {
	expected=$1 name=$2 expected_tables=$(printf "%s " $3)
	expected_tables=${expected_tables% }
	shift 3
	rm -rf stage/tables
	run "$expected" "$name" all -s 64k -o stage/tables "$@"
	is "... its tables are whole" "$(tables stage/tables)$([ -z "$expected_tables" ] || is_whole stage/tables)" \
		"$expected_tables"
	is "... nothing else is left, nor does a shell speak" \
		"$(trail; grep -E 'line [0-9]+:|Segmentation|Terminated|Killed' err)" ""
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
errors() { # what err has beside its progress
	grep -v ': measuring, with the input on ' err
}
tables() { # DIR: names of those in it
	(cd "$1" && for csv in *.csv; do [ ! -f "$csv" ] || echo "${csv%.csv}"; done) | sort | paste -sd ' '
}
# is_whole DIR: prints what is in it that is no whole report or picture, is not listed, or that README.md does not link
is_whole() {
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
		done
		grep -o '\](\./[^)]*)' README.md | sed 's,^](\./,,; s/)$//' | sort -u >"$work/linked"
		find . -name '[!.R]*' -size +0 -printf '%P\n' | sort | diff "$work/linked" -
	) 2>&1
}
row() { # NAME CSV: its outcome
	grep "^$1," "$2" | cut -d, -f4
}
# holds_section DESCRIPTION README TITLE CSV...: it has the tables and lines of these, in this order
holds_section() {
	what=$1 readme=$2 title=$3
	shift 3
	"$real" -f markdown --top=1 --compare "$@" | sed '/^[0-9]* slower rows*: /d' >form
	sed -n "/^## $title/,/^!/p" "$readme" | sed '1,2d; /^!/d' >section
	same "$what" form section
}

# File systems that can be made here.
private=no
[ "$(id -u)" != 0 ] || ! unshare -m true 2>/dev/null || private=yes
makes() { # FS
	case $1 in overlay) set -- overlay ext4 ;; *) set -- "$1" "$1" ;; esac
	have "mkfs.$2" && truncate -s 512M probe.img && {
		case $2 in ext*) "mkfs.$2" -q -F probe.img ;; *) "mkfs.$2" -q -f probe.img ;; esac
	} && unshare -m sh -c 'mkdir -p probe && mount -o loop -t "$2" probe.img probe && { [ "$1" = "$2" ] || {
		mkdir probe/l probe/u probe/w &&
		mount -t overlay -o lowerdir=probe/l,upperdir=probe/u,workdir=probe/w overlay probe; }; }' sh "$1" "$2"
} >/dev/null 2>&1
can=
if [ $private = yes ] && [ "$(df -P -k "$TMPDIR" | awk 'NR == 2 { print $4 }')" -gt 700000 ]; then
	for fs in ${rest:+ext2 ext3} ext4 ${rest:+xfs btrfs overlay}; do
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
	run 2 "refused: $name" timeout 300 tree/run-all.sh "$@" >>printed
	holds "... by a message that names it" err "$regex"
}
echo mine >plain
echo 0 >pid
run 0 "--help" timeout 300 tree/run-all.sh --help >out
holds "... names options and file systems" out '^Usage: .*-f FS.*-s SIZE.*-o OUTDIR.*DIR.*--' '-a, --again' \
	'tmpfs ext2 ext3 ext4 xfs btrfs f2fs overlay dmcrypt nfs3 nfs42'
cat >refusals <<'END'
an unknown option|--nosuch=1|--nosuch=1
-f without its argument|-f|-f
a size of 0|-s 0: |-s 0 -o stage/none
an unknown file system|-f reiserfs: .* nfs42|-f ext4,reiserfs
-- --into=cat|-- --into=cat: |-f tmpfs -o stage/none -- -n1 --into=cat
a pattern that matches no row|nosuch|-f tmpfs -o stage/none -- -s nosuch
an output directory that is a file|plain.*: |-o plain
an input that is not there|--input=dirs/nosuch: |--input=dirs/nosuch -o stage/none dirs/one
---- above is the core
a list of none|-f: |-f ,
what write-bench refuses|--nosuch|-f tmpfs -o stage/none -- --nosuch
an output directory that can't be made|plain/tables: |-o plain/tables -f tmpfs
a summary of nothing|--summary: |--summary
a summary of a directory that is not there|dirs/nosuch: |--summary -o stage/none dirs/nosuch
a name with control characters|a\?\[31m\?b: |-o stage/none "dirs/$odd"
END
if [ $rest ]; then
	odd=$(printf 'a\033[31m\nb') # no escape sequence of it is to be printed
	mkdir "dirs/$odd"
	for option in -s -o --size --input; do echo "$option without its argument|$option|$option"; done
	for size in x "''" -1 1e3 99999999999999999999 8388608t 4194304t; do
		echo "a size of $size|-s |-s $size -o stage/none"
	done
	for wrong in ext4+ ext4++x ext4+mkfs: ext4+mkfs:-m::x "'ext4+a;b'" ext4+../x ext4+-o "'x?s'"; do
		echo "the file system $wrong|-f .*: |-f $wrong"
	done
	for option in --send --from=cat -ox.csv -qox.csv --format=svg -z4k --generate=zero:1k; do
		echo "-- $option|-- $option: |-f tmpfs -o stage/none -- -n1 $option"
	done
fi >>refusals
[ $rest ] || sed -i '/^----/,$d' refusals
sed -i /^----/d refusals
while IFS='|' read -r what regex options <&4; do
	eval "set -- $options"
	refused "$what" "$regex" "$@"
done 4<refusals
for tool in numfmt ${rest:+realpath mountpoint flock}; do
	stub "$tool" 'echo "unknown option" >&2; exit 1'
	with_stubs refused "a busybox, of $tool" 'needs GNU coreutils and util-linux' -f tmpfs -o stage/none
	rm stub/*
done
is "... nothing is printed, made or touched" "$(cat printed plain; ls stage)$(trail)" mine
if [ $rest ]; then
	mkdir bare && cp tree/run-all.sh bare/
	run 2 "refused: to run without write-bench" timeout 300 bare/run-all.sh
	holds "... by a message that names it" err 'bare/write-bench: .*make'
	run 2 "refused: a TMPDIR that is not there" env TMPDIR=/nosuch timeout 300 tree/run-all.sh -o stage/tables -s 1k
	holds "... by a message that names it" err '/nosuch: .*TMPDIR'
	[ $memory = no ] ||
		refused "a size that no memory holds" '-s 4095t: .*use a smaller -s' -s 4095t -o stage/tables -f tmpfs
	is "... nothing is left" "$(trail)" ""
	rmdir "dirs/$odd"
fi
if [ $rest ] && can_trace && [ $private = yes ]; then
	rm -rf stage/tables
	timeout 300 strace -f -qq -o trace -e trace=%file tree/run-all.sh -o stage/tables --input="$PWD/dirs/from" \
		dirs/one/here \
		-- --nosuch >out 2>err
	is "directories are looked at before they are in another namespace (autofs)" "$(awk '
		/dirs\/from\/\.|dirs\/one\/here\/\."/ { seen++ }
		/execve.*unshare.*--propagation/ { print (seen >= 2); exit }' trace)" 1
fi

# ---- Resuming, for which tmpfs is enough: it does not take root

again() { # DESCRIPTION COUNT OPTION...: measures as often
	name=$1 times=$2
	shift 2
	run 0 "$name" all -s 64k -o tables -f tmpfs "$@"
	is "... is measured, and whole" "$(measured)$(is_whole tables)" "$times"
}
if [ $memory = no ]; then
	skip "resuming" "no tmpfs to be had"
else
	again "the first run" 1
	is "... prints where its tables are" "$(cut -d: -f1 out | paste -sd ' ')" "tables/tmpfs.txt tables/README.md"
	is "... which is all there is" "$(find tables -mindepth 1 -printf '%P\n' | sort | paste -sd ' ')$(trail)" \
		".run-all README.md summary.svg tmpfs.csv tmpfs.svg tmpfs.txt"
	is "... says what it does, and nothing else" "$(wc -l <err | tr -d ' ') $(errors)" "1 "
	cp -R tables before
	again "the second" 0
	is "... changes nothing" "$(diff -r before tables)" ""
	sed -i 's/^\(sendfile,1\),.*/\1,,failed ENOSPC,/' tables/tmpfs.csv
	again "with a failed row" 1
	sed -i 's/^# kernel: .*/&x/' tables/tmpfs.csv
	again "with the table of another kernel" 1
fi
if [ $memory = yes ] && [ $rest ]; then
	again "by -a" 1 -a
	rm tables/tmpfs.svg
	again "without a picture" 1
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
	is "... and it and those above are their parent's owner's" \
		"$(cd where && stat -c %u results "$named" "$named/tmpfs.csv" "$named/.run-all" | sort -u)" \
			"$(stat -c %u where)"
	is "... cat is among the rows" "$(grep -c '^\$ cat,1,' "where/$named/tmpfs.csv")" 1
fi

# ---- Every file system

rm -rf tables
if [ -z "$can" ]; then
	skip "file systems on images" "not root, no mount namespace, or no room"
else
	grep -F -e "$ours" -e " /dev/shm " /proc/self/mountinfo >mounts
	stub umount '{ echo; grep -F "$OURS" "/proc/$OUTSIDE/mountinfo"; } >>"$SEEN.outside"
		grep -F "$OURS" /proc/self/mountinfo >>"$SEEN.inside"; exec $real "$@"'
	export OUTSIDE=$$ SEEN="$work/seen" OURS="${ours}spool/"
	run 0 "every file system that can be made here" with_stubs all -s 64k -o tables \
		-f "TMPFS$(echo "$can" | tr ' ' ,)"
	is "... mounted where we don't see it" \
		"$(grep -c "${OURS}write-bench-run" seen.inside | sed 's/[1-9].*/some/') $(tr -d '\n' <seen.outside)" \
			"some "
	rm stub/*
	is "... and all mounts are as before" "$(grep -F -e "$ours" -e " /dev/shm " /proc/self/mountinfo)" \
		"$(cat mounts)"
	is "... nothing is left, or said of failures" "$(trail; errors)" ""
	expected="$(for fs in $can; do printf '%s %s-same ' "$fs" "$fs"; done)tmpfs"
	is "... a table each, and one with the input on the same" "$(tables tables)" \
		"$(echo "$expected" | tr ' ' '\n' | sort | paste -sd ' ')"
	is "... whole, each measured once" "$(measured)$(is_whole tables)" "$(echo "$expected" | wc -w | tr -d ' ')"
	is "... of the same noise" "$(sed -E 's,.* ([0-9]+ [0-9]+) [^ ]*$,\1,' calls | sort -u)" \
		"$("$real" --generate=noise:64k | cksum | cut -d ' ' -f 1,2)"
	for name in $expected; do
		csv=tables/$name.csv place=tmpfs shared=
		case $name in *-same) place=same ;; esac
		case $name in xfs-same | btrfs-same) shared=shared ;; esac
		heading=$(echo "${name%-same}" |
			sed 's/^ext\(.\)/Ext\1+loop/; s/^xfs/XFS+loop/; s/^btrfs/btrfs+loop/; s/^tmpfs/&.*memory/')
		is "$name: where it was measured" \
			"$(sed -n "s/^# output: file on \(.*\)/\1/p" "$csv" | grep -c "$heading") $(
			grep -c "^# run_all: size=65536 input=$place " "$csv")" "1 1"
		"$real" --compare "$csv" >form
		same "... the report is write-bench's" form "tables/$name.txt"
		is "... which reflinks are shared" "$(row reflink "$csv" | grep shared)" "$shared"
	done
	holds_section "README.md has the table with the input on tmpfs" tables/README.md "Input on tmpfs" \
		$(printf 'tables/%s.csv\n' tmpfs $can | sort)
	holds_section "... and that with the input on the same" tables/README.md "Input on the same" \
		$(printf 'tables/%s-same.csv\n' $can | sort)
	holds "... in two sections, with pictures" tables/README.md '^## Input on tmpfs' \
		'^## Input on the same file system' \
		'\]\(./summary.svg\)$' '\]\(./summary-same.svg\)$'
	if have xmllint || or_skip "... which are valid XML" "no xmllint"; then
		is "... which are valid XML" "$(xmllint --noout tables/*.svg 2>&1)" ""
	fi
fi

# Kernels side by side.
if [ "$can" ] && [ $rest ]; then
	mkdir kernels
	for name in tmpfs ext3-same; do
		[ ! -f tables/$name.csv ] || sed 's/^# kernel: .*/# kernel: 9.9.9/' tables/$name.csv >kernels/$name.csv
	done
	run 0 "a summary of two kernels" timeout 300 tree/run-all.sh --summary -o stage/kernels tables kernels >out
	is "... says where it is" "$(cat out)" stage/kernels/README.md
	for csv in kernels/*.csv; do
		name=${csv#kernels/}
		holds_section "... has $name of both" stage/kernels/README.md "${name%.csv}\$" "tables/$name" "$csv"
		"$real" -f svg --compare "tables/$name" "$csv" >form
		same "... and as a picture" form "stage/kernels/summary-${name%.csv}.svg"
	done
	is "... and all tables" "$(grep -c '^## ' stage/kernels/README.md)" "$(tables tables | wc -w | tr -d ' ')"
	run 2 "a summary of a directory without tables" timeout 300 tree/run-all.sh --summary -o stage/kernels dirs >out
	is "... and nothing is left" "$(trail)" ""
fi

# ---- Options of mount and mkfs, several sizes, and the input elsewhere

if [ $rest ] && can ext4 xfs; then
	truncate -s 200M image
	echo mine >>image
	cksum image >sum
	options=tmpfs+huge=within_size,ext4+noauto_da_alloc+commit=9,ext4+nosuch=1
	options=$options,xfs+mkfs:-m:reflink=0,xfs+mkfs:--nosuch,ext4+mkfs:image
	fresh 1 "options make file systems of their own" \
		"ext4+noauto_da_alloc+commit=9 ext4+noauto_da_alloc+commit=9-same
		tmpfs+huge=within_size xfs+mkfs:-m:reflink=0 xfs+mkfs:-m:reflink=0-same" -f $options
	holds "... that have these options" "stage/tables/ext4+noauto_da_alloc+commit=9.csv" \
		'^# output_mount: ext4 .*noauto_da_alloc.*commit=9'
	holds "... both ends of a tmpfs" stage/tables/tmpfs+huge=within_size.csv \
		'^# input_mount: .*huge=within_size' '^# output_mount: .*huge=within_size'
	is "... those of mkfs, too" "$(row reflink stage/tables/xfs+mkfs:-m:reflink=0-same.csv)" "n/a EOPNOTSUPP"
	holds "... what mount or mkfs refuses is skipped with its words" err \
		'ext4.nosuch=1: skipped: mount says 32 \(mount: ' 'xfs.mkfs:--nosuch: skipped: mkfs.xfs says 1 \('
	is "... a file of the user's is no image" "$(cksum image)" "$(cat sum)"
	rm image
fi
if [ $rest ] && [ $memory = yes ]; then
	fresh 0 "several sizes" "one ${same:+one-same} tmpfs two ${same:+two-same}" -s 64k,4k -f tmpfs dirs/one dirs/two
	holds "... are in a table" stage/tables/tmpfs.csv '^# size: 4096$' '^# size: 65536$'
	holds_section "... and in one of file systems by sizes" stage/tables/README.md "Input on tmpfs" \
		stage/tables/one.csv stage/tables/tmpfs.csv stage/tables/two.csv
	fresh 0 "an input elsewhere has a table beside the others" "one one-from-from ${same:+one-same}" \
		-s 5000 --input=dirs/from dirs/one
	is "... from there" "$(sed -n 's/^# input: //p' stage/tables/one-from-from.csv)" \
		"$(sed -n 's/^# output: //p' stage/tables/one-from-from.csv)"
	is "... and is gone" "$(find dirs/from -mindepth 1)" ""
fi
if [ $rest ] && can ext3 ext4; then
	fresh 0 "an input on a file system that it makes" "ext3 ext3-from-ext4 ext3-same tmpfs tmpfs-from-ext4" \
		--input=fs:ext4 -f tmpfs,ext3
	holds "... from there" stage/tables/ext3-from-ext4.csv '^# input: file on Ext4.loop' \
		'^# output: file on Ext3.loop'
fi

# File systems that people plug in and mount, by name alone.
if [ $rest ] && [ $private = yes ]; then
	for line in "fuse bindfs fuse" "ntfs ntfs-3g fuse|fuseblk|ntfs3" "exfat mkfs.exfat fuseblk|exfat" \
		"sshfs sshfs fuse.sshfs" \
		"gocryptfs gocryptfs fuse.gocryptfs"; do
		set -- $line
		run "$(have "$2" && echo 0 || echo 1)" "$1" all -s 1m -o "stage/$1" -f "$1"
		if grep -q ": skipped: " err; then
			skip "$1" "$(sed -n 's/.*: skipped: //p' err)"
			continue
		fi
		is "... is measured" "$(tables "stage/$1")$(is_whole "stage/$1")" "$1 $1-same"
		holds "... until the output is closed, under its name" "stage/$1/$1.csv" \
			'^# until: the output was closed' "^# heading: tmpfs /dev/shm to ($3)"
		holds "... in a section of its own" "stage/$1/README.md" \
			'\]\(./summary-close.svg\)$' '\]\(./summary-same-close.svg\)$'
		is "... and nothing is left" "$(trail)" ""
	done
	if have sshfs && have sshd; then
		stub sshd "cd /run/sshd && nsenter --mount=/proc/\$PPID/ns/mnt ls -d /run/sshd >$work/seen 2>&1; exec \$real \"\$@\""
		ls -d /run/sshd >beside 2>&1
		with_stubs fresh 0 "a server that needs a directory below /run" "sshfs sshfs-same" -f sshfs
		is "... has one that nobody else sees: another script would go on to need it" "$(cat seen)" "$(cat beside)"
		stub sshd 'echo "first"; echo "no port is free" >&2; exit 1'
		with_stubs fresh 1 "a server that ends at its start" "" -f sshfs
		holds "... is skipped with its last words" err 'sshfs: skipped: .*/sshd says: no port is free$'
		rm stub/*
	fi
fi

# ---- Failures, after which it goes on

# goes_on WHAT MESSAGE OPTION...: with what is in stub; ext4 is skipped, and so named
goes_on() {
	what=$1 message=$2
	shift 2
	with_stubs fresh 1 "$what" "${goes-tmpfs}" "$@"
	holds "... it is named, and the next is measured" err ": $message"
	rm -f stub/*
}
if ! can ext4; then
	skip "failures of mkfs, mount and write-bench" "ext4 can't be made here"
else
	stub mkfs.ext4 'echo "mkfs.ext4: no superblocks on offer" >&2; exit 7'
	goes_on "mkfs fails" 'ext4: skipped: mkfs.ext4 says 7 \(mkfs.ext4: no superblocks on offer\)$' -f ext4,tmpfs
	export CRASH=ext4
	goes_on "write-bench crashes" 'ext4: skipped: write-bench ' -f ext4,tmpfs
	unset CRASH
fi
if [ $rest ] && can ext3 ext4; then
	export CRASH=ext3 CRASH_BY=USR2
	fresh 140 "write-bench ends by a signal that only it gets" "" -f ext3,ext4
	unset CRASH CRASH_BY
	export MUTE=ext4
	goes_on "write-bench makes no table" 'ext4: skipped: ' -f ext4,tmpfs
	unset MUTE
	stub mkfs.ext4 'exec $real "$@" 2m'
	stub df 'echo; echo "x 9 9 99999999999999 1% /"'
	goes="ext3 ext3-same" goes_on "a file system fills" 'ext4-same: skipped: .*No space left' -s 4m -f ext4,ext3
	stub mount 'case "$*" in *"-t ext4"*) echo "mount: denied by policy" >&2; exit 32 ;; esac; exec $real "$@"'
	goes_on "mount is refused" 'ext4: skipped: mount says 32 \(mount: denied by policy\)$' -f ext4,tmpfs
	stub mount 'case "$*" in *"-t ext4"*) exit 0 ;; esac; exec $real "$@"'
	goes_on "mount mounts nothing" 'ext4: skipped: mountpoint says ' -f ext4,tmpfs
	stub mkfs.ext4 'exec $real "$@" 2m'
	goes_on "no room on a file system" 'ext4: skipped: .* has [0-9]+ bytes free, and a copy takes 4194304' -s 4m \
		-f ext4,tmpfs
fi
if [ -z "$rest" ]; then
	:
elif [ $private = no ]; then
	skip "commands that the machine has not" "not root, or no mount namespace"
elif [ "$(readlink -f /usr/sbin)" = "$(readlink -f /usr/bin)" ]; then
	skip "mkfs is missing" "/usr/sbin is /usr/bin"
else
	hidden() { # OPTION...: with nothing in /usr/sbin
		mkdir -p empty
		PATH=/usr/bin:/bin unshare -m sh -c 'mount --bind empty /usr/sbin &&
			{ [ "$(readlink -f /sbin)" = /usr/sbin ] || mount --bind empty /sbin; } && exec "$@"' \
			sh timeout 600 tree/run-all.sh -s 64k "$@" -- -n1 -p0 -s sendfile >out 3>&-
	}
	rm -rf stage/tables
	run 0 "mkfs is missing" hidden -o stage/tables
	for line in "ext4 mkfs.ext4: install e2fsprogs" "xfs mkfs.xfs: install xfsprogs" \
		"btrfs mkfs.btrfs: install btrfs-progs"; do
		! grep -qw "${line%% *}" /proc/filesystems ||
			holds "... ${line%% *} is skipped, with a remedy" err \
				": ${line%% *}: skipped: there is no ${line#* }\$"
	done
	lacks "... what people plug in is not among them" err 'vfat|exfat|ntfs|fuse|sshfs|smb|gocryptfs'
	is "... tmpfs is measured" "$(tables stage/tables)" "tmpfs tmpfs+huge=within_size"
	run 1 "... which was asked for by name" hidden -f ext4 -o stage/tables
fi

# ---- Directories

if [ $rest ] && [ $memory = yes ]; then
	fresh 1 "directories have tables after their names, or numbers" \
		"here here-2 ${same:+here-2-same here-same} odd_name ${same:+odd_name-same}" \
		-s 5000 dirs/nosuch dirs/one/here dirs/two/here "dirs/odd name"
	holds "... one that is not there is named" err ': dirs/nosuch: skipped: '
	run 0 "... one of them once more" all -s 5000 -o stage/tables dirs/two/../two/here
	is "... measures nothing" "$(measured)" 0
	mkdir -p dirs/tmpfs dirs/here-same dirs/summary dirs/.hidden dirs/-x near/elsewhere/tables "near/a b" near/-x
	run 0 "directories named like others' tables" all -s 5000 -o stage/like -f tmpfs dirs/tmpfs dirs/one/here \
		dirs/here-same
	is "... have numbers" \
		"$(tables stage/like | tr ' ' '\n' | grep -v same | paste -sd ' ')$(tables stage/like | wc -w)" \
		"here tmpfs tmpfs-2$([ $same ] && echo 7 || echo 4)"
	run 0 "directories named like a picture, hidden, or like an option" all -s 5000 -o stage/hidden dirs/summary \
		dirs/.hidden \
		dirs/-x
	is "... have tables that are in README.md" "$(is_whole stage/hidden)" ""
	for place in "a b" -x; do
		(cd near && CDPATH="$work/near/elsewhere" TMPDIR="$place" \
			timeout 600 ../tree/run-all.sh -s 5000 -o tables "./$place" -f tmpfs -- -n1 -p0 \
				-s sendfile) >out 2>err
		is "a relative TMPDIR and a directory called $place: exit status" "$? $(errors)" "0 "
		is "... nothing is left there" "$(find near/elsewhere/tables "near/$place" -mindepth 1)" ""
	done
	shm=$(mktemp -d /dev/shm/write-bench-test.XXXXXX)
	undo="rm -rf '$shm'"
	run 0 "a directory and output on /dev/shm" all -s 5000 -o "$shm/tables" "$shm"
	is "... are not hidden by a tmpfs of its own" "$(ls "$shm"/tables/*.csv)" \
		"$shm/tables/$(basename "$shm" | tr -c 'A-Za-z0-9._\n-' _).csv"
	rm -rf "$shm"
fi

# ---- Stopped: at a point, where the program of that name, with such an argument after a colon, is about to start, or
# by "-" has ended, and waits until the signal was sent; and by "@" where write-bench measures in such a directory

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
points="HUP:129:write-bench@ext4"
if ! can ext4; then
	points="TERM:143:write-bench@one ${rest:+PROF:155:write-bench@one}"
elif [ $rest ]; then
	points="$points INT:130:mkdir:run. TERM:143:umount TERM:143:truncate INT:130:mkfs.ext4 HUP:129:mount
		TERM:143:mount- INT:130:cp TERM:143:cp:.part INT:130:mv:.part QUIT:131:write-bench@one
		USR1:138:umount- PWR:158:write-bench@ext4"
fi
[ $memory = yes ] || points=
for point in $points; do
	signal=${point%%:*} expected=${point#*:} place=${point#*:*:}
	stop "$signal" "$place" $(! can ext4 || echo -f ext4,tmpfs) dirs/one
	is "SIG$signal at $place: exit status" "$? $(errors)" "${expected%%:*} "
	is "... and nothing is left" "$(trail; find stage -name '.*' ! -name .run-all; find_marked 1)" ""
	rm -rf "${TMPDIR:?}"/*
done
# Killed: processes, mounts and loop devices go by themselves.
none_runs() {
	none_marked 1 && no_loops >/dev/null
}
if [ $rest ] && have setpriv && can ext4; then
	for point in write-bench@ext4 mount-; do
		stop KILL $point -f ext4,tmpfs dirs/one >/dev/null
		until_there none_runs
		is "SIGKILL at $point: no process is left, no mount, no loop device" \
			"$(find_marked 1; grep -hsF "$ours" /proc/[0-9]*/mountinfo; no_loops)" ""
		rm -rf "${TMPDIR:?}"/* dirs/one/write-bench-run.* /dev/shm/write-bench-run."$(cat pid)"-*
	done
fi
rm -f stub/*
SLOW=

# ---- Two at a time into one directory

second() { # OPTION...
	timeout -k 1 300 tree/run-all.sh -s 1k -o shared "$@" -- -n1 -p0 -s "$rows" >out
}
if [ $memory = no ] || ! have flock; then
	skip "two at a time into one directory" "no tmpfs, or no flock"
else
	rm -rf reached reached.go pid.2
	(WAIT=one marked 2 bash tree/run-all.sh -s 1k -o shared -f tmpfs dirs/one -- -n1 -p0 \
		-s "$rows" >first.out 2>first.err) &
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
	is "... with all tables" "$(tables shared)$(is_whole shared)" "one ${same:+one-same }tmpfs"
	run 0 "... and the next one goes on there" second -f tmpfs dirs/one
	rm -rf shared before.shared
fi

# ---- Not root; root without mount namespaces

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
	poor() { # DIR OPTION...: in that
		(
			cd "$1" && shift && exec 4>"$work/pid" &&
				unprivileged timeout 600 sh -c 'echo $$ >&4 && exec "$@" 4>&-' sh \
					"$work/tree/run-all.sh" -s 64k "$@" -- -n1 -p0 -s sendfile >"$work/out"
		)
	}
	mkdir hut
	chmod 777 hut
	run 0 "not root" poor hut -o mine
	is "... measures here and on tmpfs" "$(tables hut/mine)$(is_whole hut/mine)" "hut ${same:+hut-same }tmpfs"
	is "... names the others" "$(sed -n 's/^.*run-all.sh: \([a-z0-9]*\): skipped: .*/\1/p' err | paste -sd ' ')" \
		"ext2 ext3 ext4 xfs btrfs f2fs overlay dmcrypt nfs3 nfs42"
	is "... each with the reason" "$(errors | grep -Evc "skipped: .*only root can mount: use sudo")" 0
	is "... leaving nothing" "$(ls -A hut) $(trail)" "mine "
	run 1 "... a directory of another" poor . -o hut/mine closed
	holds "... which is named" err ': closed: skipped: '
	run 2 "... an output directory of another" poor . -o closed
	[ -z "$rest" ] || run 1 "... a file system asked for by name" poor . -f tmpfs,Ext4 -o hut/mine
	if [ $rest ] && [ "$(id -u)" = 0 ]; then
		run 0 "root without mount namespaces" setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin \
			timeout 600 tree/run-all.sh -s 64k -o stage/poor -f tmpfs -- -n1 -p0 -s sendfile >out
		is "... measures on tmpfs" "$(tables stage/poor)" tmpfs
	fi
fi

# ---- Files of others there, and names

if [ $memory = no ]; then
	skip "files of others" "no tmpfs to be had"
	exit
fi
kept() { # DESCRIPTION REGEX OPTION...: it is refused, before anything is measured, and all is as it was
	refusal=$1 regex=$2
	shift 2
	rm -rf was
	cp -a foreign was
	run 2 "refused: $refusal" all -s 64k -o foreign "$@"
	holds "... by a message that names it" err "$regex"
	is "... and nothing is measured, or touched" \
		"$(measured) $(diff -r --no-dereference was foreign 2>&1 | grep -v 'is a fifo')" "0 "
}
intruder() { # ITEM COMMAND...: what that makes there in its stead
	item=$1
	shift
	[ ! -e "foreign/$item" ] || mv "foreign/$item" aside
	"$@" "foreign/$item"
	kept "$item, made by $*" "foreign/$item: " -f tmpfs,ext4
	rm -r "foreign/$item"
	[ ! -e aside ] || mv aside "foreign/$item"
}
mkdir -p dirs/data foreign
for item in data.csv ${rest:+.hidden} ${rest:+"a b"}; do
	echo mine >"foreign/$item"
	kept "an output directory with $item in it" "foreign: has .* in it" -f tmpfs
	rm "foreign/$item"
done
run 0 "an output directory that is empty" all -s 64k -o foreign -f tmpfs
intruder tmpfs.txt ln -s "$work/plain"
if [ $rest ]; then
	intruder tmpfs.csv mkfifo
	intruder README.md mkdir
	intruder summary.svg ln -s /dev/zero
	intruder ext4-same.csv cp plain
	for form in csv txt svg; do
		echo mine >foreign/data.$form
	done
	run 0 "a directory whose name another's files have" all -s 5000 -o foreign dirs/data
	is "... leaves them alone, and has a number" "$(cat foreign/data.??? | sort -u) $(ls foreign/data-2.csv)" \
		"mine foreign/data-2.csv"
	sed -i 's/^# cpu: .*/# cpu: <b>\&lt;[x](y) `/; s/^# heading: .*/# heading: <i>h/' foreign/tmpfs.csv
	cp foreign/tmpfs.csv "foreign/[x](y).csv"
	run 0 "a table whose facts are HTML" all -s 5000 -o foreign dirs/data
	lacks "... is summed up as nothing else" foreign/README.md '<[bi]>'
	is "... and no table of another" "$(grep -cF '[x](y).csv' foreign/README.md)" 0
fi
rm -rf foreign was

if [ "$(id -u)" = 0 ] && chown 65534:65534 stage 2>/dev/null ||
	or_skip "an output directory of another user's" "not root, or it can't be given away"; then
	echo secret >secret
	chmod 600 secret
	rm -rf stage/tables
	run 0 "an output directory of another user's" all -s 64k -f tmpfs -o stage/tables
	is "... the tables are its owner's" "$(find stage/tables ! -user 65534)" ""
	for link in tmpfs.txt .run-all; do
		rm -f stage/tables/$link
		ln -s "$work/secret" stage/tables/$link
		run 2 "... whose owner has put a link there" all -s 64k -f tmpfs -o stage/tables -a
		is "... which is not followed ($link)" \
			"$(cat secret) $(stat -c %u secret) $(readlink stage/tables/$link)" \
			"secret 0 $work/secret"
		rm stage/tables/$link
	done
fi
if [ $rest ] && [ $private = yes ]; then
	rm -rf stage/tables
	all -s 64k -o stage/tables -f tmpfs 2>err
	cp stage/tables/tmpfs.csv before.full
	mkdir full
	for kb in 8 16 32 64; do
		WB_KB=$kb unshare -m sh \
			-c 'mount -t tmpfs -o size=${WB_KB}k tmpfs full && TMPDIR=$PWD/full exec timeout 600 "$@"' sh \
			tree/run-all.sh -s 64k -o stage/tables -f tmpfs -a -- -n1 -p0 -s "$rows" >out 2>err
		code=$?
		is "a TMPDIR of $kb kB: no file is cut" "$(is_whole stage/tables)" ""
		! { [ $code = 0 ] && cmp -s stage/tables/tmpfs.csv before.full; }
		is "... and a failure is reported" $? 0
	done
fi
if [ $rest ] && can_trace; then
	rm -rf stage/tables
	run 0 "traced" strace -f -qq -s 4096 -e trace=%file -o trace timeout 600 tree/run-all.sh -s 64k \
		-o stage/tables \
		$(! can ext4 overlay || echo -f ext4,overlay) dirs/one -- -n1 -p0 -s sendfile >out
	# Names that are absolute and outside, or lead upwards, of files opened for writing, made, renamed or removed.
	changes='mkdir|rename|unlink|rmdir|link|symlink|truncate|mknod|chmod|fchmodat|chown|fchownat|lchown|utime'
	is "nothing is written to elsewhere" "$(grep -E "O_WRONLY|O_RDWR|O_CREAT| ($changes)[a-z0-9]*\(" trace |
		grep -v ' = -1 ' | grep -E '"(/|\.\./)' | grep -v "\"[^\"]*$ours" |
		grep -vE '"/dev/(null|tty|shm/[XY]|shm/write-bench-run\.[^"]*|loop-control|loop[0-9]+)"')" ""
fi
