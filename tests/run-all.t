#!/bin/sh
# run-all.sh: what it makes, in which turns it measures, what its page says, what it refuses; that it names what it
# can't do, and leaves nothing behind, however it ends. What only root can do is skipped where we are not, or mount
# namespaces aren't allowed. The quick part is a core: tmpfs and ext4.
# Tried: it fails where places do not take turns, or not in shuffled order; where no pass compares all bytes; where a
# Tried: pass that was cut is reported, or whole ones are not; where mounts are left, what fails is not counted, there
# Tried: is no lock; where the lines of --for are not in its order; where -same is measured from tmpfs.
# shellcheck disable=SC2046,SC2086
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"
have bash || skip_all "no bash"
{ [ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] && [ -w /dev/shm ]; } || skip_all "no tmpfs on /dev/shm"
rest=
! full "all but a core" || rest=1

# A tree whose write-bench writes a line for each table into the file calls: table, how often it was measured, sum of
# the input, options. By AT=TABLE@N:DEED, the Nth time: crash; mute (no report); stall (until told so, whatever becomes
# of run-all.sh), slow (hours).
real=$work/tree/real
mkdir -p tree/results stub stage dirs/one/here dirs/two/here dirs/from "dirs/odd name"
cp "$top/run-all.sh" tree/
cp "$wb" "$real"
cat >tree/write-bench <<'END'
#!/bin/sh
case " $* " in
*/now/*)
	table=${*##*/now/}
	table=${table%.csv}
	nth=$(($(grep -c "^$table " "$CALLS") + 1))
	echo "$table $nth $(cksum <&0 | cut -d ' ' -f 1) $*" >>"$CALLS"
	exec <"/proc/$$/fd/0"
	[ "$table@$nth" != "${AT%:*}" ] || case $AT in
	*:crash) kill -SEGV $$ ;;
	*:mute) exit 0 ;;
	*:slow) : >"$REACHED" && exec "${0%/*}/real" "$@" -n10000 -p1 ;;
	*:stall)
		trap '' TERM
		: >"$REACHED"
		for _ in $(seq 6000); do
			[ ! -e "$REACHED.go" ] || break
			sleep 0.02
		done
		;;
	esac
	;;
esac
exec "${0%/*}/real" "$@"
END
chmod +x tree/write-bench
chmod 755 "$work" # others are to reach it, too
chmod 1777 "$TMPDIR"
PATH=$PATH:/usr/sbin:/sbin
export CALLS="$work/calls" REACHED="$work/reached" AT
AT=

rows="sendfile,read+write 128k,reflink,copy_file_range"
all() { # OPTION...: runs it on few rows; its id is left in the file pid, what it prints in out
	: >calls
	chmod 666 calls
	timeout -k 1 600 sh -c 'echo $$ >pid && exec tree/run-all.sh "$@"' sh "$@" -- -p0 -s "$rows" --with=cat >out
}
# fresh STATUS DESCRIPTION TABLES OPTION...: the tables go to stage/tables, which is new. These are there then, and no
# trail is left.
fresh() {
	expected=$1 name=$2 expected_tables=$(printf "%s " $3)
	shift 3
	rm -rf stage/tables
	run "$expected" "$name" all -n 1 -s 64k -o stage/tables "$@"
	is "... its tables are whole" "$(tables stage/tables)$(is_whole stage/tables)" "${expected_tables% }"
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
	grep -v ': pass [0-9]* of ' err
}
tables() { # DIR: names of those in it
	(cd "$1" 2>/dev/null && for csv in *.csv; do [ ! -f "$csv" ] || echo "${csv%.csv}"; done) | sort | paste -sd ' '
}
# is_whole DIR: prints what is in it that is no whole report or picture, or that README.md does not link
is_whole() {
	(
		cd "$1" 2>/dev/null || return
		for file in *.csv *.svg; do
			case $file in
			"*"*) ;;
			*.csv) "$real" --compare "$file" >form 2>/dev/null && cmp form "${file%.csv}.txt" || echo "$file" ;;
			*.svg) [ "$(tail -n 1 "$file")" = "</svg>" ] || echo "$file" ;;
			esac
		done
		rm -f form
		[ ! -e README.md ] || sed 's/](/\n](/g' README.md | sed -n 's,^](\./\([^)]*\)).*,\1,p' | sort >"$work/linked"
		[ ! -e README.md ] || find . -name '[!.R]*' -size +0 -printf '%P\n' | sort | diff "$work/linked" -
	) 2>&1
}
# page DESCRIPTION TITLE TABLE...: README.md in stage/tables has their answers first, then their table, and prints so
page() {
	what=$1 title=$2
	shift 2
	awk -v title="## I$title" '/^## /{ on = 0 } on { print } $0 == title { on = 1 }' stage/tables/README.md >part
	awk -v end="  (i$title)" '$0 == end { printf "%s", said } { said = said $0 "\n" } /^  [(]i/{ said = "" }' out >printed
	(cd stage/tables && "$real" -q --compare "$@") >form
	awk '/^~~~/ { n++; next } n == 1' part >answers
	same "$what" form answers
	same "... which are printed" form printed
	(cd stage/tables && "$real" -f markdown --compare "$@") | grep '^|' >form
	grep '^|' part >table
	same "... then its table" form table
}

# File systems that can be made here.
private=no can=
[ "$(id -u)" != 0 ] || ! unshare -m true 2>/dev/null || private=yes
makes() { # FS
	have "mkfs.$1" && truncate -s 512M probe.img && {
		case $1 in ext*) "mkfs.$1" -q -F probe.img ;; *) "mkfs.$1" -q -f probe.img ;; esac
	} && unshare -m sh -c 'mkdir -p probe && mount -o loop -t "$1" probe.img probe' sh "$1"
} >/dev/null 2>&1
if [ $private = yes ] && [ "$(df -P -k "$TMPDIR" | awk 'NR == 2 { print $4 }')" -gt 700000 ]; then
	for fs in ${rest:+ext2 ext3} ext4 ${rest:+xfs btrfs}; do
		if makes $fs; then can="$can $fs"; else skip "$fs" "can't be made here"; fi
	done
	rm -rf probe.img probe
fi
can() { # FS...
	for fs; do
		case "$can " in *" $fs "*) ;; *) return 1 ;; esac
	done
}

# ---- Refusals: before anything is made

echo mine >plain
echo 0 >pid
# shellcheck disable=SC2034 # refusals use it
odd=$(printf 'a\033[31m\nb') # no escape sequence of it is to be printed
cat >refusals <<END
an unknown option|--nosuch|--nosuch=1
-f without its argument|-f|-f
a size of 0|-s 0: |-s 0
no number of passes|-n 0: |-n 0
an unknown file system|-f reiserfs: .* nfs42|-f ext4,reiserfs
-- --into=cat|-- --into=cat: |-- --into=cat
a pattern that matches no row|nosuch|-- -s nosuch
an output directory that is a file|plain.*: |-o plain dirs/one
an input that is not there|--input=dirs/nosuch: |--input=dirs/nosuch dirs/one
more than there is room for|needs [0-9]+MiB in .*, where [0-9]+MiB are free|-s 4095t dirs/one
---- above is the core
what write-bench refuses|--nosuch|-- --nosuch
an output directory that can't be made|plain/tables: |-o plain/tables dirs/one
an output directory with a file in it|dirs: has files in it|-o dirs dirs/one
control characters|a\\?\\[31m\\?b: |--input="dirs/\$odd"
$(for option in -s -o -n --size --input --for; do echo "$option without its argument|$option|$option"; done
for size in x "''" -1 1e3 99999999999999999999 8388608t; do echo "a size of $size|-s |-s $size"; done
for wrong in ext4+ ext4++x "'ext4+a;b'" ext4+../x "'x?s'"; do echo "the file system $wrong|-f .*: |-f $wrong"; done
for option in --send --from=cat -ox.csv -qox.csv --format=svg -z4k -n3; do
	echo "-- $option|-- $option: |-- $option"
done)
END
[ $rest ] || sed -i '/^----/,$d' refusals
mkdir none
while IFS='|' read -r what regex options <&4; do
	case $what in ----*) continue ;; esac
	eval "set -- -o none/tables -s 1k $options"
	run 2 "refused: $what" timeout 300 tree/run-all.sh "$@" >>printed
	holds "... by a message that names it" err "$regex"
done 4<refusals
is "... nothing is printed, made or touched" "$(cat printed plain; find none -type f ! -name .run-all)$(trail)" mine
run 0 "--help" timeout 300 tree/run-all.sh --help >out
holds "... names options and file systems" out '^Usage: ' '-n PASSES' '--for=COMMAND' 'ext2 ext3 ext4 xfs .* nfs42'
is "... in 80 columns" "$(wider 80 out)" ""
if [ $rest ]; then
	for tool in numfmt setpriv mountpoint flock; do
		stub "$tool" 'echo "unknown option" >&2; exit 1'
		with_stubs tells 2 "refused: a busybox, of $tool" 'needs GNU coreutils and util-linux' tree/run-all.sh dirs/one
		rm stub/*
	done
	mkdir bare && cp tree/run-all.sh bare/
	tells 2 "refused: to run without write-bench" 'bare/write-bench: .*make' bare/run-all.sh
	tells 2 "refused: a TMPDIR that is not there" '/nosuch: .*TMPDIR' env TMPDIR=/nosuch tree/run-all.sh -s 1k dirs/one
fi

# ---- Turns, and the page

if can ext4; then
	stub umount '{ echo; grep -F "$OURS" "/proc/$OUTSIDE/mountinfo"; } >>"$SEEN.outside"
		grep -F "$OURS" /proc/self/mountinfo >>"$SEEN.inside"; exec $real "$@"'
	export OUTSIDE=$$ SEEN="$work/seen" OURS="${ours}spool/"
fi
places="${can:-two} tmpfs"
with_stubs fresh 0 "places take turns" "$(for fs in $places; do echo "$fs $fs-same"; done | sort | paste -sd' ')" -n 9 \
	-f "tmpfs$(echo "$can" | tr ' ' ,)" $([ "$can" ] || echo dirs/two)
rm -f stub/*
is "... mounted where we don't see it" "$([ -z "$can" ] || {
	grep -c "${OURS}write-bench-run" seen.inside | sed 's/[1-9].*/some/'; tr -d '\n' <seen.outside; })" "${can:+some}"
is "... nothing is said of failures" "$(errors)" ""
sed 's/ .*//; /-same$/d' calls | paste -sd ' ' >turns
turn=$(echo "$places" | wc -w)
is "... each place once in each pass" "$(xargs -n "$turn" <turns | while read -r pass; do
	echo "$pass" | tr ' ' '\n' | sort | paste -sd ' '; done | sort | uniq -c | xargs)" \
	"9 $(echo $places | tr ' ' '\n' | sort | paste -sd ' ')"
if [ "$turn" -ge 4 ]; then # of fewer all nine may have the same order by chance
	[ "$(xargs -n "$turn" <turns | sort -u | wc -l)" -gt 1 ]
	is "... in shuffled order" $? 0
fi
is "... one round of all rows each time, of the same noise" \
	"$(cut -d ' ' -f 3 calls | sort -u) $(grep -vc ' -n1 ' calls)" \
	"$("$real" --generate=noise:64k | cksum | cut -d ' ' -f 1) 0"
is "... all bytes are compared in the first" "$(sed -n '/--no-verify/d; s/^[^ ]* \([0-9]*\) .*/\1/p' calls | sort -u)" 1
for name in $places; do
	csv=stage/tables/$name.csv
	is "$name: one report of nine rounds" "$(fact runs $csv) $(of sendfile round $csv | paste -sd' ')" \
		"9 1 2 3 4 5 6 7 8 9"
	holds "... of all bytes, with the dates that it spans" $csv '^# verified: .*all bytes' '^# last_date: '
	heading=$(echo "$name" | sed 's/^ext\(.\)/Ext\1.loop/; s/^xfs/XFS.loop/; s/^btrfs/btrfs.loop/; s/^two/.*/')
	holds "... where it was measured" $csv "^# output: file on $heading"
	holds "... with both files there" "stage/tables/$name-same.csv" \
		"^# input: file on $heading" "^# output: file on $heading"
	lacks "... the change to another place is not said to be the machine's" out 'one after the other'
done
for fs in xfs btrfs; do
	! can $fs || is "$fs: reflinks are shared" "$(of reflink outcome stage/tables/$fs-same.csv | sort -u)" shared
done
page "README.md begins with the answers" "nput on tmpfs" tmpfs.csv $(printf '%s.csv ' ${can:-two})
page "... also those on the same file system" "nput on the same file system" tmpfs-same.csv \
	$(printf '%s-same.csv ' ${can:-two})
holds "... has maps" stage/tables/README.md '\]\(./summary.svg\)$' '\]\(./summary-same.svg\)$'
if have xmllint || or_skip "... which are valid XML" "no xmllint"; then
	is "... which are valid XML" "$(xmllint --noout stage/tables/*.svg 2>&1)" ""
fi

if [ $rest ] && have script; then
	script -qec "tree/run-all.sh -n 1 -s 64k -o stage/terminal dirs/one -- -p0 -s sendfile" /dev/null >out 2>&1 </dev/null
	holds "on a terminal a line says how far it is" out 'pass 1 of 1, one-same: 1 of 2 tables'
fi

# ---- Which is best for a command

for_commands() { # OPTION...
	timeout 600 tree/run-all.sh -s 16m -n 2 -o stage/for --for='cat <"$IN" >"$OUT"' --for=cat "$@" >out
}
if [ $rest ]; then
	run 0 "--for" for_commands -f tmpfs$(! can ext4 || echo ,ext4) dirs/one
	is "... measures these commands alone" "$(column row stage/for/tmpfs.csv | sed 's/"//g' | sort | uniq -c | xargs)" \
		'2 $ cat 2 $ cat <$IN >$OUT'
	is "... into new files, until they are closed" \
		"$(fact until stage/for/one.csv) $(fact output_file stage/for/one.csv)" \
		"the output was closed into a new file each run"
	is "... begins with the commands, as given, fastest place first" "$(sed -n '/^cat.*: /{ s/:.*//; p; }; /(input/q' out |
		paste -sd' ')" 'cat <"$IN" >"$OUT" cat'
	is "... the page, too" "$(awk '/^~~~/ { n++; next } n == 1' stage/for/README.md)" "$(sed '/(input/,$d' out)"
fi

# ---- Options of mount, several sizes, and the input elsewhere

if [ $rest ] && can ext4 xfs; then
	fresh 1 "options of mount make file systems of their own" \
		"ext4+noauto_da_alloc+commit=9 ext4+noauto_da_alloc+commit=9-same
		tmpfs+huge=within_size tmpfs+huge=within_size-same" \
		-f tmpfs+huge=within_size,ext4+noauto_da_alloc+commit=9,ext4+nosuch=1
	holds "... that have these options" "stage/tables/ext4+noauto_da_alloc+commit=9.csv" \
		'^# output_mount: ext4 .*noauto_da_alloc.*commit=9'
	holds "... both ends of a tmpfs" stage/tables/tmpfs+huge=within_size-same.csv \
		'^# input_mount: .*huge=within_size' '^# output_mount: .*huge=within_size'
	holds "... what mount refuses is skipped with its words" err 'ext4.nosuch=1: skipped: mount: '
fi
if [ $rest ]; then
	fresh 0 "several sizes" "one one-same two two-same" -s 64k,4k dirs/one dirs/two
	holds "... are in a table" stage/tables/one.csv '^# size: 4096$' '^# size: 65536$'
	page "... and in the page" "nput on tmpfs" one.csv two.csv
	holds "... answered by size" out '^4KiB:' '^64KiB:'
	fresh 0 "an input elsewhere has a table beside the others" "one one-from one-same" --input=dirs/from dirs/one
	is "... from there" "$(fact input stage/tables/one-from.csv)" "$(fact output stage/tables/one-from.csv)"
	fresh 1 "directories have tables after their names, or numbers" \
		"_hidden _hidden-same ext4_2 ext4_2-same here here-same here_2 here_2-same odd_name odd_name-same summary_2
		summary_2-same" dirs/nosuch dirs/one/here dirs/two/here "dirs/odd name" $(mkdir -p dirs/ext4 dirs/summary \
		dirs/.hidden && echo dirs/ext4 dirs/summary dirs/.hidden)
	holds "... one that is not there is named" err '/dirs/nosuch: skipped: '
	mkdir -p near/elsewhere/tables "near/a b" near/-x
	for place in "a b" -x; do
		(cd near && CDPATH="$work/near/elsewhere" TMPDIR="$place" timeout 600 ../tree/run-all.sh -n 1 -s 5000 -o tables \
			"./$place" -- -p0 -s sendfile) >out 2>err
		is "a relative TMPDIR and a directory called $place: exit status" "$? $(errors)" "0 "
		is "... nothing is left there" "$(find near/elsewhere/tables "near/$place" -mindepth 1)" ""
	done
	mkdir -p where/results
	[ "$(id -u)" != 0 ] || chown 65534:65534 where/results
	(cd where && timeout 600 ../tree/run-all.sh -n 1 -s 64k ../dirs/one -- -p0 -s sendfile >../out 2>../err)
	is "without -o: exit status" $? 0
	named=$(cd where && echo results/*)
	is "... the directory is named after CPU and kernel, and is its parent's owner's" "${named##*-"$(uname -r)"} $(
		cd where && stat -c %u "$named" "$named/one.csv" | sort -u)" " $(stat -c %u where/results)"
fi

# ---- Failures, after which it goes on

while IFS='|' read -r what message program code <&4; do
	can ext4 || { skip "$what" "ext4 can't be made here" && continue; }
	stub "$program" "$code"
	with_stubs fresh 1 "$what" "tmpfs tmpfs-same" -f ext4,tmpfs
	holds "... it is named, and the next is measured" err "ext4: skipped: $message"
	rm -f stub/*
done 4<<'END'
mkfs fails|mkfs.ext4: no superblocks|mkfs.ext4|echo "mkfs.ext4: no superblocks on offer" >&2; exit 7
mount is refused|mount: denied|mount|case "$*" in *ext4*) echo "mount: denied" >&2; exit 32 ;; esac; exec $real "$@"
mount mounts nothing||mount|case "$*" in *ext4*) exit 0 ;; esac; exec $real "$@"
END
for deed in crash mute; do
	AT=one@2:$deed
	fresh 1 "write-bench: $deed in the second pass" "one one-same" -n 3 dirs/one
	holds "... is named" err ": one: pass 2: .*made no report"
	is "... what is whole is kept" "$(fact runs stage/tables/one.csv) $(fact runs stage/tables/one-same.csv)" "2 3"
done
AT=
if [ $rest ] && can ext4; then
	stub mkfs.ext4 'exec $real "$@" 2m'
	run 1 "a file system that fills" with_stubs all -n 1 -s 4m -o stage/full -f ext4
	rm -f stub/*
	is "... has no table with the input on it" "$(tables stage/full)" ext4
	run 1 "a row fails" timeout 300 tree/run-all.sh -n 1 -s 4k -o stage/fails dirs/one -- -p0 -s sendfile --with=false >out
	is "... and its table says so" "$(column row,outcome,detail stage/fails/one.csv | sort | xargs)" \
		'$ false,failed,exit status 1 sendfile,ok,'
fi

if [ $rest ] && [ $private = yes ] && [ "$(readlink -f /usr/sbin)" != "$(readlink -f /usr/bin)" ]; then
	hidden() { # OPTION...: with nothing in /usr/sbin
		mkdir -p empty
		PATH=/usr/bin:/bin unshare -m sh -c 'mount --bind empty /usr/sbin &&
			{ [ "$(readlink -f /sbin)" = /usr/sbin ] || mount --bind empty /sbin; } && exec "$@"' \
			sh timeout 600 tree/run-all.sh -n 1 -s 64k "$@" -- -p0 -s sendfile >out 3>&-
	}
	run 0 "mkfs is missing" hidden -o stage/missing
	for line in "ext4 mkfs.ext4: install e2fsprogs" "xfs mkfs.xfs: install xfsprogs"; do
		holds "... ${line%% *} is skipped, with a remedy" err ": ${line%% *}: skipped: there is no ${line#* }\$"
	done
	is "... tmpfs is measured" "$(tables stage/missing)" "tmpfs tmpfs-same"
	run 1 "... when nothing else was asked for" hidden -f ext4 -o stage/missing
fi

# ---- Stopped: at a point, where the program of that name, with such an argument after a colon, is about to start, or
# by "-" has ended, and waits until the signal was sent; and by "@" where write-bench measures that table the Nth time

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
export POINT
stop() { # SIGNAL POINT OPTION...: sends it there; the status is its
	signal=$1 POINT=$2 AT=
	shift 2
	case $POINT in @*) AT=${POINT#@}:slow ;; esac
	rm -rf reached reached.go pid stage/tables
	(
		until_there [ -e reached ]
		kill -s "$signal" "$(cat pid)"
		: >reached.go
	) &
	watcher=$!
	WB_MARK=$mark.1 with_stubs all -n 4 -s 64k -o stage/tables "$@" 2>err
	got=$?
	AT=
	wait $watcher
	return $got
}
while read -r signal expected point passes <&4; do
	case $signal$rest in --*core) break ;; --*) continue ;; esac
	case $point in *ext4* | mount* | umount* | truncate) can ext4 || continue ;; esac
	stop "$signal" "$point" $(! can ext4 || echo -f ext4,tmpfs) dirs/one
	is "SIG$signal at $point: exit status, and what it says" "$? $(errors | sed 's/.*: stopped: [^0-9]*//')" \
		"$expected $([ "$expected" = 0 ] || echo "${passes:+$passes of 4 passes}")"
	is "... whole passes are reported" "$(for csv in stage/tables/*.csv; do [ ! -e "$csv" ] || fact runs "$csv"; done |
		sort -u) $(is_whole stage/tables)" "$passes "
	is "... and nothing is left" "$(trail; find stage -name '.*' ! -name .run-all; find_marked 1)" ""
	rm -rf "${TMPDIR:?}"/*
done 4<<END
HUP 129 @one@4 3
TERM 143 @one-same@1
--above-is-the-core
INT 130 @ext4@2 1
QUIT 131 @tmpfs@3 2
INT 130 mkdir:run.
TERM 143 truncate
INT 130 mkfs.ext4
HUP 129 mount
TERM 143 mount-
INT 130 cp
TERM 143 cp:.run-all
INT 130 mv:one.svg 4
TERM 0 umount 4
INT 130 rm:/Y
END
# Killed: processes, mounts and loop devices go by themselves.
none_runs() {
	none_marked 1 && no_loops >/dev/null
}
if [ $rest ] && can ext4; then
	for point in @ext4@2 mount-; do
		stop KILL $point -f ext4,tmpfs dirs/one >/dev/null
		until_there none_runs
		is "SIGKILL at $point: no process is left, no mount, no loop device" \
			"$(find_marked 1; grep -hsF "$ours" /proc/[0-9]*/mountinfo; no_loops)" ""
		rm -rf "${TMPDIR:?}"/* dirs/one/write-bench-run.* /dev/shm/write-bench-run."$(cat pid)"-*
	done
fi
rm -f stub/*

# ---- Two at a time into one directory

second() { # OPTION...
	timeout -k 1 300 tree/run-all.sh -n 1 -s 1k -o shared "$@" -- -p0 -s sendfile >out
}
rm -rf reached reached.go pid.2
: >calls
(AT=one@1:stall marked 2 bash tree/run-all.sh -n 1 -s 1k -o shared dirs/one -- -p0 -s sendfile >first.out 2>first.err) &
first=$!
until_there [ -e reached ]
cp -a shared before.shared
tells 2 "another one into the same directory" ': .*/shared: is in use' second -f tmpfs
tells 2 "... by another name, with other tables" ': .*/shared: is in use' second -o "$work/tree/../shared" dirs/two
is "... touching nothing" "$(diff -r before.shared shared)" ""
: >reached.go
wait $first
is "... the first one ends with exit status 0" $? 0
is "... with all tables" "$(tables shared)$(is_whole shared)" "one one-same"
run 0 "... and the next one goes on there" second dirs/two
is "... keeping them" "$(tables shared)" "one one-same two two-same"

# ---- Not root; root without mount namespaces

mkdir closed hut
chmod 555 closed
chmod 777 hut
unprivileged() { # COMMAND...
	if [ "$(id -u)" = 0 ]; then setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; else "$@"; fi
}
poor() { # DIR OPTION...: in that
	(
		cd "$1" && shift && exec 4>"$work/pid" && unprivileged timeout 600 sh -c 'echo $$ >&4 && exec "$@" 4>&-' sh \
			"$work/tree/run-all.sh" -n 1 -s 64k "$@" -- -p0 -s sendfile >"$work/out"
	)
}
if ! unprivileged test -w /dev/shm || ! unprivileged test -x "$real"; then
	skip "not root" "not everybody may write to /dev/shm, or $work can't be reached by others"
else
	run 0 "not root" poor hut -o mine
	is "... measures here and on tmpfs" "$(tables hut/mine)$(is_whole hut/mine)" "hut hut-same tmpfs tmpfs-same"
	holds "... and says why" err 'only root can mount: use sudo'
	is "... leaving nothing" "$(ls -A hut) $(trail)" "mine "
	run 1 "... a directory of another" poor . -o hut/mine closed hut
	holds "... which is named" err '/closed: skipped: '
	run 2 "... an output directory of another" poor . -o closed hut
	[ -z "$rest" ] || run 1 "... a file system asked for by name" poor . -f tmpfs,ext4 -o hut/mine
	if [ $rest ] && [ "$(id -u)" = 0 ]; then
		run 0 "root without mount namespaces" setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin \
			timeout 600 tree/run-all.sh -n 1 -s 64k -o stage/poor -f tmpfs -- -p0 -s sendfile >out
		is "... measures on tmpfs" "$(tables stage/poor)" "tmpfs tmpfs-same"
	fi
fi

# ---- Another user's output directory, a full TMPDIR, and what is written where

if [ "$(id -u)" = 0 ] && chown 65534:65534 stage 2>/dev/null ||
	or_skip "an output directory of another user's" "not root, or it can't be given away"; then
	echo secret >secret
	chmod 600 secret
	fresh 0 "an output directory of another user's" "one one-same" dirs/one
	is "... the tables are its owner's" "$(find stage/tables ! -user 65534)" ""
	for link in one.txt README.md .run-all; do
		ln -sf "$work/secret" stage/tables/$link
		all -n 1 -s 64k -o stage/tables dirs/one 2>err
		is "... whose owner has put a link there, which is not followed ($link)" \
			"$(cat secret) $(stat -c %u secret) $(readlink stage/tables/$link)" "secret 0 "
	done
fi
if [ $rest ] && [ $private = yes ]; then
	mkdir full
	for kb in 8 16 32 64; do
		rm -rf stage/tables
		env WB_KB=$kb unshare -m sh \
			-c 'mount -t tmpfs -o size=${WB_KB}k tmpfs full && TMPDIR=$PWD/full exec timeout 600 "$@"' sh \
			tree/run-all.sh -n 1 -s 64k -o stage/tables -f tmpfs -- -p0 -s "$rows" >out 2>err
		code=$?
		is "a TMPDIR of $kb kB: no file is cut" "$(is_whole stage/tables)" ""
		[ $code = 1 ] || is "... nor is one missing" "$code $(tables stage/tables)" "0 tmpfs tmpfs-same"
	done
fi
if [ $rest ] && can_trace; then
	run 0 "traced" strace -f -qq -s 4096 -e trace=%file -o trace timeout 600 tree/run-all.sh -n 1 -s 64k -o stage/traced \
		$(! can ext4 || echo -f ext4,overlay) dirs/one -- -p0 -s sendfile >out
	# Names that are absolute and outside, or lead upwards, of files opened for writing, made, renamed or removed.
	changes='mkdir|rename|unlink|rmdir|link|symlink|truncate|mknod|chmod|fchmodat|chown|fchownat|lchown|utime'
	is "nothing is written to elsewhere" "$(grep -E "O_WRONLY|O_RDWR|O_CREAT| ($changes)[a-z0-9]*\(" trace |
		grep -v ' = -1 ' | grep -E '"(/|\.\./)' | grep -v "\"[^\"]*$ours" |
		grep -vE '"/dev/(null|tty|shm/write-bench-run\.[^"]*|loop-control|loop[0-9]+)"')" ""
fi
