#!/bin/sh
# run-all.sh: places take turns in passes; its page has the answers, the tables and the map; what is not possible is
# refused, or named and skipped; however it ends, whole passes are reported and nothing else is left. Loop images: FULL.
#   A refusal is a line: WHAT|REGEX of what is said|COMMAND.
#   A session is a line: NEED|WHAT|STATUS|TABLES ("one*" is "one one-same")|what it shows: FILE~REGEX & !FILE~REGEX (it
#   does not) ...|what is set before|OPTIONS.
# Tried: places in one order; no pass that compares all bytes; a pass that was cut and is reported; -same from tmpfs; no
# Tried: map; mounts, loop devices or an input that are left; failures that are not counted; no lock; links followed.
# shellcheck disable=SC2016,SC2034,SC2046,SC2086
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"
have bash || skip_all "no bash"
{ [ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] && [ -w /dev/shm ]; } || skip_all "no tmpfs on /dev/shm"

# A tree whose write-bench writes four lines for each table that it measures into the file calls: table and options,
# input, output, whether the input is that noise; and into the file seen where it sees mounts of ours. By
# AT=TABLE@N:DEED, the Nth time: crash, mute (no report), slow (hours). Its table has a line more, which can't be made.
mkdir -p tree stage dirs/one dirs/two dirs/from dirs/hut dirs/closed none
cp "$top/run-all.sh" none/
sed 's,^tmpfs .*,&\nnosuch no-package/mkfs.nosuch on_image mkfs.nosuch,' none/run-all.sh >tree/run-all.sh
cp "$wb" tree/real
cat >tree/write-bench <<'END'
#!/bin/sh
case " $* " in
*/now/*)
	table=${*##*/now/}
	table=${table%.csv}
	(echo "$table $*" && readlink "/proc/$$/fd/0" "/proc/$$/fd/1" && cmp - "$NOISE" && echo same) >>"$CALLS"
	exec <"/proc/$$/fd/0"
	[ -z "${OUTSIDE-}" ] || grep -sF "$OURS" /proc/self/mountinfo "/proc/$OUTSIDE/mountinfo" >>"$SEEN"
	[ -z "$AT" ] || [ "$table@$(grep -c "^$table " "$CALLS")" != "${AT%:*}" ] || case $AT in
	*:crash) kill -SEGV $$ ;;
	*:mute) exit 0 ;;
	*:slow) : >"$REACHED" && exec "${0%/*}/real" "$@" -n10000 -p1 ;;
	esac
	;;
esac
exec "${0%/*}/real" "$@"
END
tree/real --generate=noise:64k >noise
: | tee pid >calls
chmod 755 "$work" tree tree/* dirs
chmod 777 stage dirs/hut pid calls "$TMPDIR"
chmod 555 dirs/closed noise
PATH=$PATH:/usr/sbin:/sbin
ours=/${work##*/}/ # in all paths of ours, as mountinfo and losetup have them, whatever stands before
tables=$work/stage/tables
export CALLS="$work/calls" REACHED="$work/reached" PID="$work/pid" SEEN="$work/seen" NOISE="$work/noise" AT="" POINT=""
export OURS="${ours}spool/"

stub() { # WHAT PROGRAM COMMAND: in $work/WHAT, to be run in place of that program; $real is that
	mkdir -p "$1" && printf '#!/bin/sh\nreal=%s\n%s\n' "$(command -v "$2")" "$3" >"$1/$2" && chmod +x "$1/$2"
}
unprivileged() { # COMMAND...
	if [ "$(id -u)" = 0 ]; then setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; else "$@"; fi
}
small() { # SIZE COMMAND...: with as much in TMPDIR
	unshare -m sh -c 'mount -t tmpfs -o "size=$0" tmpfs none && TMPDIR=$PWD/none exec "$@"' "$@"
}
as= # one of these
all() { # OPTION...: runs it, on few rows if not told; its id is left in the file pid, what it prints in out
	: >"$CALLS"
	case "$*" in *" -- "*) ;; *) set -- "$@" -- -p0 -s sendfile,reflink ;; esac
	$as timeout -k 1 600 sh -c 'echo $$ >"$PID" && exec "$@"' sh "$work/tree/run-all.sh" "$@" >"$work/out"
}
no_loops() { # of ours: one can outlive what it was for where another looks at it just then
	! losetup -a 2>/dev/null | grep -F "$ours"
}
trail() { # what it has left: directories, files, mounts, loop devices
	until_there no_loops
	find "$TMPDIR" -mindepth 1
	find dirs stage -name '.*' ! -name .run-all -o -name 'write-bench-run.*' -o -path 'dirs/*' ! -type d
	find /dev/shm -maxdepth 1 -name "write-bench-run.$(cat pid)-*" 2>/dev/null
	grep -hsF "$ours" /proc/[0-9]*/mountinfo | sort -u
	no_loops
}
made() { # the tables that are there; and what is there that is no whole report or picture
	for csv in "$tables"/*.csv; do
		[ -e "$csv" ] || return
		basename "$csv" .csv
		tree/real --compare "$csv" 2>&1 | cmp - "${csv%csv}txt" 2>&1
	done | sort | paste -sd ' '
	tail -qn 1 "$tables"/*.svg 2>/dev/null | grep -vxF "</svg>"
}
# session WHAT STATUS TABLES SHOWN BEFORE OPTION...: the tables go to a new directory
session() {
	what=$1 wanted="$2 $(echo $3 | sed 's/\([^ ]*\)\*/\1 \1-same/g')" shown=$4 before=$5
	shift 5
	rm -rf "$tables"
	(eval "$before"; all -n 1 -s 64k -o "$tables" "$@"; got=$?; wait; exit $got) 2>err 3>&- 4<&- </dev/null
	got=$?
	echo "$shown" | sed 's/ & /\n/g' | while IFS='~' read -r file regex; do
		at=${file#!}
		[ "${at%.csv}" = "$at" ] || at=$tables/$at
		case $file in !*) ! grep -Eq "$regex" "$at" ;; ?*) grep -Eq "$regex" "$at" ;; esac || echo "not $file~$regex"
	done >unseen
	is "$what: exit status, tables, nothing else is left" "$got $(made)$(
		grep -E "line [0-9]+:|Segmentation|Terminated" err | grep -v "No space"; trail; cat unseen)" "$wanted"
	[ ! -s unseen ] || sed 's/^/#   /' err >&3
}
can=" - " # what can be tried here
has() { # NEED WHAT
	case $can in *" $1 "*) ;; *) skip "$2" "$1: not here" && return 1 ;; esac
}
sessions() { # lines of standard input
	while IFS='|' read -r need what status names shown before options <&4; do
		has "$need" "$what" || continue
		eval "set -- $options"
		session "$what" "$status" "$names" "$shown" "$before" "$@"
	done 4<&0
}
# stop SIGNAL POINT: at it PROGRAM:ARGUMENTS is about to start (a signal is seen when it has ended), or, after "@",
# write-bench measures that table the Nth time: there another one into the same directory is refused
for name in mkdir mkfs.ext4 mount cp umount mv rm; do
	stub stops "$name" 'case "${0##*/}:$*" in $POINT) >"$REACHED" && until [ -e "$REACHED.go" ]; do sleep 0.02; done ;;
		esac; exec $real "$@"'
done
stop() {
	rm -rf reached reached.go before another
	: >pid
	WB_MARK=$mark.1 POINT=$2 AT=${2#@}:slow
	stopper "$@" &
	[ "$AT" != "$POINT:slow" ] || PATH=$work/stops:$PATH
}
stopper() {
	unset WB_MARK
	until_there [ -e reached ]
	if [ "$AT" != "$POINT:slow" ]; then
		cp -a stage before
		tree/run-all.sh -n 1 -s 1k -o "$work/tree/../stage/tables" dirs/two -- -p0 -s sendfile >another 2>&1
		[ $? = 2 ] && grep -q "is in use" another && diff -r stage before && echo refused >>another
	fi
	kill -s "$1" "$(cat pid)"
	: >reached.go
	[ "$1" = KILL ] || return 0
	until_there none_marked 1 && echo 0 >killed # its directories are left, what is in them goes by itself
	rm -rf "${TMPDIR:?}"/* dirs/one/write-bench-run.* /dev/shm/write-bench-run."$(cat pid)"-*
}
# page NAME...: README.md has of each section the answers, the table of these, the map, what is n/a, and links to their
# files; and the answers are printed
page() {
	echo "# Which file system" >wanted
	: >printed
	for title in "nput on tmpfs" "nput in the directory of --input" "nput on the same file system"; do
		case $title in *tmpfs) suffix= ;; *--input) suffix=-from ;; *) suffix=-same ;; esac
		[ -e "$tables/$1$suffix.csv" ] || continue
		(cd "$tables" && "$work/tree/real" -q --compare $(printf "%s$suffix.csv " "$@")) >answers
		printf '%s\n  (i%s)\n' "$(cat answers)" "$title" >>printed
		{
			printf '## I%s\n~~~text\n%s\n~~~\n' "$title" "$(cat answers)"
			(cd "$tables" && "$work/tree/real" -f markdown --compare $(printf "%s$suffix.csv " "$@")) | awk \
				-v map="![All rows](./summary$suffix.svg)" '/^- / && !bullets++ { print map } /^\|/ || /^- n\/a/'
			for name; do echo "- [@](./@.txt) ([picture](./@.svg), [runs](./@.csv))" | sed "s/@/$name$suffix/g"; done
		} >>wanted
	done
	echo "$tables/README.md" >>printed
	sed -n '/^~~~text/,/^~~~$/{p; d}; /^#\{1,2\} /p; /^|/p; /^!\[/p; /^- n\/a/p; /^- \[/p' "$tables/README.md" >shown
	same "... its page" shown wanted
	same "... and what is printed" out printed
}

# ---- Refusals, before anything is made

refusals() { # lines of standard input
	while IFS='|' read -r what regex command <&4; do
		eval "set -- $command"
		tells 2 "refused: $what" "$regex" "$@" >>told
	done 4<&0
	is "... nothing is printed, made or touched" "$(cat told plain; find none -name tables)$(trail)" mine
}
echo mine >plain
refuse="timeout 300 prlimit --fsize=1000000 tree/run-all.sh -o none/tables -s 1k"
refusals <<'END'
an unknown option|--nosuch|$refuse --nosuch=1
an option without its argument|-f: needs|$refuse -f
a size of 0|-s 0: |$refuse -s 0
no number of passes|-n 0: |$refuse -n 0
an unknown file system|-f reiserfs: .* nfs42|$refuse -f ext4,reiserfs
an end of write-bench|-- --into=cat: |$refuse -- --into=cat
an output directory with files in it|: has files in it|$refuse -o "$work" dirs/one
more than there is room for|needs [0-9]+MiB in .*, where [0-9]+MiB are free|$refuse -s 4095t dirs/one
END

# ---- Turns, and the page

session "places take turns" 0 "from* one* tmpfs* two*" '!err~^[^p]' "" -n 5 -f tmpfs dirs/one dirs/two dirs/from
sed -n 's/ .*--*p0 .*//p' calls | xargs -n 8 >passes
is "... each table once in each pass" \
	"$(while read -r pass; do echo "$pass" | tr ' ' '\n' | sort | paste -sd ' '; done <passes | uniq -c | xargs)" \
	"5 from from-same one one-same tmpfs tmpfs-same two two-same"
is "... in shuffled order" "$(sort -u passes | sed -n 2p | wc -l)" 1 # by chance all five are alike once in 300,000
paste -d '|' - - - - <calls | sed "s, [^|]*|,|,; s,/write-bench-run[^/]*,,g; s,$work/,,g" | sort | uniq -c |
	sed "s/^ *//" | sort >got
for name in from one tmpfs two; do
	at=dirs/$name && [ $name != tmpfs ] || at=/dev/shm/tmpfs
	printf '5 %s|/dev/shm/X|%s/Y|same\n5 %s-same|%s/X|%s/Y|same\n' $name $at $name $at $at
done | sort >wanted
same "... with its input and output, which is the same noise" got wanted
is "... a round of all rows" "$(grep -hv '^#\|^row,' "$tables"/*.csv | cut -d, -f1,2 | sort | uniq -c | xargs)" \
	"$(for row in reflink sendfile; do printf "8 $row,%s " 1 2 3 4 5; done | xargs)"
is "... in the first pass all bytes are compared" "$(head -n 32 calls | grep -e --no-verify)$(
	grep -LE '^# verified: .*all bytes' "$tables"/*.csv; grep -L '^# last_date: ' "$tables"/*.csv)" ""
page tmpfs one two from

# ---- Sessions

sessions <<'END'
-|write-bench crashes|1|one*|err~one: pass 2: .*no report & one.csv~runs: 1$|AT=one@2:crash|-n 2 dirs/one
-|--for|0|one*|one.csv~until: .*closed & one.csv~output_file: .*new & !one.csv~^sendfile||--for=cat dirs/one -- -p0
-|SIGHUP|129|one*|one.csv~runs: 1$ & err~1 of 2 passes & another~refused|stop HUP @one-same@2|-n 2 dirs/one
END
full "all but a core" || exit 0

cat >rest.table <<'END'
an output directory that is a file|plain.*: |$refuse -o plain dirs/one
control characters|a\?\[31m\?b: |$refuse --input="dirs/$(printf 'a\033[31m\nb')"
to run without write-bench|none/run-all.sh: .*make|"$work/none/run-all.sh"
a TMPDIR that is not there|/nosuch: .*TMPDIR|env TMPDIR=/nosuch $refuse dirs/one
END
for bad in '-s x' "-s ''" '-s 1e3' '-s 99999999999999999999' '-s 8388608t' '-f ext4+' '-f ext4++x' '-f ext4+../x' \
	"-f 'ext4+a;b'" "-f 'x?s'" '-- --send' '-- --from=cat' '-- -ox.csv' '-- -qox.csv' '-- -z4k' '-- -n3'; do
	echo "$bad|${bad%% *} .*: is not|\$refuse $bad"
done >>rest.table
for tool in numfmt setpriv mountpoint flock; do
	stub "no-$tool" "$tool" 'exit 1'
	echo "a busybox, of $tool|needs GNU coreutils and util-linux|env PATH=\"\$work/no-$tool:\$PATH\" \$refuse dirs/one"
done >>rest.table
refusals <rest.table
run 0 "--help" tree/run-all.sh --help >out
is "... in 80 columns, with all file systems" "$(wider 80 out; grep -oE "ext2 ext3 .* nfs42" out | wc -w)" 11
! unprivileged test -w /dev/shm || ! unprivileged test -x tree/real || can="$can others "
! chown 0:0 none 2>/dev/null || ! chown 65534:65534 none 2>/dev/null || can="$can root "
[ "${PLACES-}" != private ] || can="$can mounts "
kinds=
mkdir probe where dirs/summary dirs/one/here dirs/two/here "dirs/a b" dirs/-x
if [ "$(df -P -k "$TMPDIR" | awk 'NR == 2 { print $4 }')" -gt 700000 ]; then
	kinds=$(cd probe && places 400 3>&- | sed -n 's/ .*//; /here\|tmpfs/!p' | xargs; unplace)
	sed 's/^/# not here: /' probe/missing >&3
fi
rm -rf probe
can="$can $(echo $kinds | sed 's/ /  /g') "
stub mkfs-fails mkfs.ext4 'echo "mkfs.ext4: no superblocks on offer" >&2; exit 7'
stub denied mount 'case "$*" in *ext4*) echo "mount: denied" >&2; exit 32 ;; esac; exec $real "$@"'
stub nothing mount 'case "$*" in *ext4*) exit 0 ;; esac; exec $real "$@"'
stub small mkfs.ext4 'exec $real "$@" 2m'
# as of a machine on which each table takes 25 seconds
echo 'unset EPOCHSECONDS; EPOCHSECONDS=0; wait() { EPOCHSECONDS=$((EPOCHSECONDS + 25)); builtin wait "$@"; }' >clock
with_options=ext4+commit=9,tmpfs+nr_inodes=999,ext4+nosuch=1
sessions <<'END'
-|write-bench makes no report|1|one*|err~one: pass 2: .*no report & one-same.csv~runs: 2$|AT=one@2:mute|-n 2 dirs/one
-|a row fails|1|one*|one.csv~false,1,,failed,exit status 1,||dirs/one -- -p0 -s sendfile --with=false
-|names of directories|1|here* here_2* summary_2*|err~nosuch: skipped: |cd dirs|nosuch one/here two/here summary
-|relative names|0|a_b*||cd dirs; TMPDIR="a b"; export CDPATH="$work/dirs/one"|"./a b"
-|names like options|0|_x*||cd dirs; TMPDIR=-x|./-x
-|progress|0|one*|err~pass 2 of 2, one-same: 3 of 4 tables, 0min 18s|export BASH_ENV="$PWD/clock"|-n 2 dirs/one
others|not root|0|hut* tmpfs*|err~only root can mount: use sudo|cd dirs/hut; as=unprivileged|
others|a directory of another|1|hut*|err~/closed: skipped: |as=unprivileged|dirs/closed dirs/hut
others|OUTDIR of another|2||err~closed/.run-all: can't be written: use -o|as=unprivileged|-o dirs/closed dirs/hut
others|a file system, not as root|1|tmpfs*|err~ext4: skipped: only root can mount|as=unprivileged|-f tmpfs,ext4
root|a container|1|tmpfs*|err~ext4: skipped: no mount names|as="setpriv --bounding-set=-sys_admin"|-f tmpfs,ext4
mounts|a full TMPDIR|1||err~No space|as="small 8k"|-f tmpfs
mounts|no mkfs|1|tmpfs*|err~nosuch: skipped: there is no mkfs.nosuch: install no-package$||-f nosuch,tmpfs
mounts|no mkfs of all that was asked for|1||err~there is no place||-f nosuch
ext4|mkfs fails|1|tmpfs*|err~ext4: skipped: mkfs.ext4: no superblocks on offer|PATH=$work/mkfs-fails:$PATH|-f ext4,tmpfs
ext4|mount is refused|1|tmpfs*|err~ext4: skipped: mount: denied|PATH=$work/denied:$PATH|-f ext4,tmpfs
ext4|mount mounts nothing|1|tmpfs*|err~ext4: skipped: |PATH=$work/nothing:$PATH|-f ext4,tmpfs
ext4|a file system that fills|1|ext4|err~ext4-same: skipped: .*No space|PATH=$work/small:$PATH|-s 4m -f ext4
ext4|-f ext4+nosuch|1|ext4+commit=9* tmpfs+nr_inodes=999*|err~ext4.nosuch=1: skipped: mount: ||-f $with_options
ext4|options|1|ext4+commit=9* tmpfs+nr_inodes=999*|ext4+commit=9.csv~output_mount: .*commit=9||-f $with_options
-|SIGTERM in the first pass|143|||stop TERM @one-same@1|-n 2 dirs/one
-|SIGINT at mkdir|130|||stop INT mkdir:*run.*|dirs/one
-|SIGINT while the input is copied|130|||stop INT cp:*/X|dirs/one
-|SIGTERM when OUTDIR is marked|143|||stop TERM cp:*.run-all*|dirs/one
-|SIGINT while it reports|130|one*|one.csv~runs: 2$ & err~2 of 2 passes|stop INT mv:*one.svg|-n 2 dirs/one
ext4|SIGINT on ext4|130|ext4* one*|ext4.csv~runs: 1$ & err~1 of 2 passes|stop INT @ext4@2|-n 2 -f ext4 dirs/one
ext4|SIGQUIT beside ext4|131|ext4* one*|ext4.csv~runs: 1$ & another~refused|stop QUIT @one@2|-n 2 -f ext4 dirs/one
ext4|SIGINT at mkfs|130|||stop INT mkfs.ext4:*|-f ext4
ext4|SIGHUP at mount|129|||stop HUP mount:*|-f ext4
ext4|SIGTERM at umount, when all is done|0|ext4*||stop TERM umount:*|-f ext4
ext4|SIGKILL on ext4|137||killed~^0$|stop KILL @ext4@2|-n 2 -f ext4
ext4|SIGKILL at mount|137||killed~^0$|stop KILL mount:*|-f ext4
END
session "several sizes" 0 "one* two*" "out~^4KiB: & out~^64KiB: & !out~one after the other" "" -n 2 -s 64k,4k \
	dirs/one dirs/two
page one two
session "an input elsewhere" 0 "one one-from one-same" 'calls~/dirs/from/write-bench-run[^/]*/X$' "" --input=dirs/from \
	dirs/one
page one
session "--for of larger files" 0 "one* tmpfs*" "" "" -s 16m -n 2 --for='cat <"$IN" >"$OUT"' --for=cat -f tmpfs \
	dirs/one -- -p0
is "... each command is answered, as given" "$(sed -n '/^cat.*: /s/:.*//p; /(input/q' out | paste -sd ' ')" \
	'cat <"$IN" >"$OUT" cat'
is "... in the page, too" "$(sed '1,/^~~~/d; /^~~~/,$d' "$tables/README.md")" "$(sed '/(input/,$d' out)"
if has ext4 "file systems"; then
	export OUTSIDE=$$
	run 0 "all file systems that can be made" all -n 1 -s 64k -o "$tables"
	is "... others are skipped, and nothing is left" "$(grep -c 'nosuch: skipped' err) $(trail)" "1 "
	is "... are mounted where nobody else sees them" "$(cut -d : -f 1 seen | sort -u)" /proc/self/mountinfo
	for fs in $kinds overlay; do
		case $fs in xfs | btrfs) reflink=shared ;; *) reflink="n/a EOPNOTSUPP" ;; esac
		is "... $fs has both files, and shares blocks if it can" "$(grep -icE "^# (in|out)put: file on $fs" \
			"$tables/$fs-same.csv") $(of reflink outcome "$tables/$fs-same.csv")" "2 $reflink"
	done
fi

if has root "an output directory of another user"; then
	chown 65534:65534 stage
	session "an output directory of another user" 0 "one*" "" "" dirs/one
	echo secret >secret
	for link in one.txt README.md .run-all .part; do
		ln -sf "$work/secret" "$tables/$link"
		all -n 1 -s 64k -o "$tables" dirs/one dirs/two 2>err
	done
	is "... who has put links there: none is followed, and all tables are there" \
		"$(cat secret) $(stat -c %u secret) $(find stage -type l) $(made)" "secret 0  one one-same two two-same"
fi
if have script || or_skip "on a terminal" "no script(1)"; then
	run 0 "without -o" script -qec "cd where && ../tree/run-all.sh -n 1 -s 1k ../dirs/one" /dev/null >out </dev/null
	is "... the directory is named after CPU and kernel" "$(find where -path "*/?*-$(uname -r)/one.csv" | wc -l)" 1
	holds "... on a terminal a line says how far it is" out 'pass 1 of 1, one-same: 1 of 2 tables'
fi
if can_trace || or_skip "what is written where" "no strace(1)"; then
	session traced 0 "one*${kinds:+ overlay*}" "" "as='strace -f -qq -s 4096 -e trace=%file -o trace'" \
		${kinds:+-f overlay} dirs/one
	changes='mkdir|rename|unlink|rmdir|link|symlink|truncate|mknod|chmod|fchmodat|chown|fchownat|lchown|utime'
	is "... nothing is written to elsewhere" "$(grep -E "O_WRONLY|O_RDWR|O_CREAT| ($changes)[a-z0-9]*\(" trace |
		grep -v ' = -1 ' | grep -E '"(/|\.\./)' | grep -v "\"[^\"]*$ours" |
		grep -vE '"/dev/(null|tty|shm/write-bench-run\.[^"]*|loop-control|loop[0-9]+)"')" ""
fi
