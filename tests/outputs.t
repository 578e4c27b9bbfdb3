#!/bin/sh
# The end of a session: a last copy, by read(2) and write(2), compared, flushed and closed, with each error asked;
# reports, of which none is lost: a file is what it was until the new one is whole, and then the same file, under all
# its names.
# Tried: it fails where the last row's copy is left; where that is not compared, or not its length; where close(2) is
# Tried: not asked, or fdatasync(2) not with --until=sync; where a report is emptied at the start, or made beside and
# Tried: renamed; where an end's file is told from a report's by its name; where another's is written to; an older
# Tried: report keeps its tail.
if [ "$(id -u)" = 0 ] && [ -z "${OWN_MOUNTS-}" ] && unshare -m true 2>/dev/null; then
	OWN_MOUNTS=1 exec unshare -m "$0" "$@"
fi
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"
undo='umount full 2>/dev/null'
bytes 10240 >X
run 0 "a report that is more than one block" w -n100 -s sendfile -f csv -o old.csv <X >Y

# ---- The last copy.

failing() { # STATUS DESCRIPTION FILE INJECTION[,INJECTION] REGEX COMMAND...: a call on that file fails
	expected=$1 what=$2 file=$3 injected=$4 why=$5
	shift 5
	for injection in $(echo "$injected" | tr , ' '); do set -- -e inject="$injection" "$@"; done
	tells "$expected" "$what" "$why" timeout 300 strace -f --seccomp-bpf -qq -o trace \
		-P "$file" -e trace=close,write,fdatasync "$@"
}
if can_trace || or_skip "errors of the last copy and of close" "strace may not trace here"; then
	for row in sendfile reflink; do
		timeout 300 strace -f --seccomp-bpf -qq -o trace -P "$PWD/Y" \
			-e trace=sendfile,copy_file_range,ioctl,write "$wb" -n1 -p0 -s "$row" --no-verify <X >Y 2>err
		is "the last copy, after $row: by write" \
			"$(sed -n 's/^[0-9]* *\([a-z]*\)(.* = \([0-9]*\)$/\1 \2/p' trace | tail -n 1) $(cmp X Y)" \
			"write 10240 "
	done
	set -- "$wb" -n1 -p0 -s sendfile
	failing 1 "a wrong last copy" "$PWD/Y" write:retval=10240 'standard output: .* byte 0$' "$@" -f csv -o csv <X >Y
	is "... the row was right" "$(outcomes)" "1 ok "
	failing 1 "... that is too short, with --no-verify" "$PWD/Y" write:retval=10240 '' "$@" --no-verify <X >Y
	failing 1 "... that does not reach the disk, with --until=sync" "$PWD/Y" fdatasync:error=EIO:when=2 \
		'standard output: .*fdatasync: EIO ' "$@" --until=sync -f csv -o csv <X >Y
	is "... the row was right" "$(outcomes)" "1 ok "
	run 0 "syncfs(2) that fails before each run: another's error" strace -f -qq -o trace \
		-e inject=syncfs:error=EIO:when=1+ "$wb" -n2 -p0 -s 'sendfile,read+write 64k' -f csv -o csv <X >Y
	is "... rows are right" "$(outcomes)" "4 ok "

	# The word of close.
	failing 1 "standard output: close" "$PWD/Y" close:error=EDQUOT 'standard output: close: EDQUOT ' \
		"$@" -f csv -o csv <X >Y
	is "... the row was right" "$(outcomes)" "1 ok "
	: >Z
	failing 1 "--tee: close" "$PWD/Z" close:error=EDQUOT '--tee=Z: close: EDQUOT ' "$wb" -n1 -p0 \
		-s 'read+write x2 8k' --tee=Z <X >Y
	failing 1 "--generate: close" "$PWD/Y" close:error=EDQUOT 'standard output: close: EDQUOT ' \
		"$wb" --generate=noise:5000 >Y
	for action in --list '--compare old.csv'; do
		# shellcheck disable=SC2086
		failing 1 "$action: close" "$PWD/printed" close:error=EIO 'standard output: close: EIO ' \
			"$wb" $action </dev/null >printed
	done
	failing 1 "a report: close" "$PWD/Z" close:error=EDQUOT 'Z: close: EDQUOT ' "$@" -o Z <X >Y
fi
for action in --list '--compare old.csv' --generate=zero:1; do
	# shellcheck disable=SC2086
	run 1 "$action into a full device" "$wb" $action </dev/null >/dev/full
done

# ---- Reports: of a session in the midst of which something happens.

DO=:
export DO
midst='[ -e midst ] || { : >midst; eval "$DO"; }; exec dd bs=64k'
session() { # STATUS DESCRIPTION COMMAND OPTION...
	rm -f midst
	DO=$3
	wanted_status=$1 description=$2
	shift 3
	run "$wanted_status" "$description" w -x '*' --with="$midst" -f csv "$@" <X >Y
}
report() { # DESCRIPTION FILE [NAME...]: is it one, from its first line to its last? Are these in D, and no other?
	what=$1 file=$2
	shift 2
	lines="$(grep -c '^row,' "$file") $(sed '1,/^row,/d' "$file" |
		grep -vc '^#') of $(sed -n 's/^# run_lines: //p' "$file")"
	is "$what${1:+, and no other file is left}" "$lines${1:+ $(cd D && echo *)}" \
		"1 ${lines##* } of ${lines##* }${1:+ $*}"
}
old() { # the old report is whole, and no other file is left
	is "... the old report is whole, no other file is left" "$(cat D/report) $(cd D && echo ./*)" "report ./report"
}
anew() { # FILE...: a directory D with these, each with its name as its content
	rm -rf D && mkdir D
	for file; do echo "$file" >"D/$file"; done
}
identity() { # FILE: what stays as it is
	stat -c '%d %i %h %a %u %g' "$1"
}

# The same file, before and after.
anew
yes 'an old report' | head -n 9000 >D/report
[ "$(id -u)" != 0 ] || chown 65534:65533 D/report
ln D/report D/hard && ln -s ../D/report D/link && cp D/report old
identity D/report >before
exec 5<D/report
session 0 "an old report" 'cat D/report >meanwhile; ls D >names' -o D/link
same "... is as it was until the end" old meanwhile
report "... then there is a new one, without a tail of the old" D/report hard link report
is "... in the same file, of the same owner and mode" "$(identity D/report)" "$(cat before)"
is "... for who has it open, too, by its other name, and by its symbolic link, which stays one" \
	"$(cmp D/report "/proc/$$/fd/5")$(cmp D/report D/hard)$(readlink D/link)" ../D/report
exec 5<&-
is "... nor was another file there meanwhile" "$(tr '\n' ' ' <names)" "hard link report "
anew
mask=$(umask)
umask 027
session 0 "a new report" : -o D/new
umask "$mask"
report "... is there" D/new new
is "... with the mode that umask says" "$(stat -c %a D/new)" 640
anew report
ln -s new D/link
session 0 "two reports, one behind a symbolic link to nothing" : -o D/report -o D/link
report "... are there" D/report
report "... and there" D/new link new report

# A report that can't be written.
if [ "${OWN_MOUNTS-}" ] || or_skip "a full file system" "not root, or no mount namespaces"; then
	# ext4 has some blocks for fallocate(2) that are none for write(2)
	fill='{ cat /dev/zero >D/fill; n=0; while fallocate -l 1k D/fill.$n; do n=$((n + 1)); done; } 2>/dev/null'
	for fs in tmpfs ext4; do
		rm -rf D full
		mkdir full
		case $fs in
		tmpfs) mount -t tmpfs -o size=64k tmpfs full ;;
		*) have "mkfs.$fs" && truncate -s 4M image && "mkfs.$fs" -q -F -m 0 image && mount -o loop image full ;;
		esac 2>mount.err || { skip "a full $fs" "none can be mounted" && continue; }
		ln -s full D
		echo report >full/report
		session 1 "a full $fs" "$fill" -n100 -o D/report
		holds "... is reported" err '^write-bench: D/report: write: ENOSPC'
		"$wb" -p0 -n100 -s sendfile -f csv -o D/new <X >Y 2>err # it can't be written, or not even made
		is "... a new report: it fails, or is refused, and is empty, if it is there" \
			"$(($? == 0)) $(cat D/new 2>/dev/null)" "0 "
		umount full
		rm -f D
	done
fi
if can_trace; then
	anew report
	tells 1 "a report: write" 'D/report: write: ENOSPC ' timeout 300 strace -f -qq -o trace \
		-P "$PWD/D/report" -e inject=write:error=ENOSPC "$@" -o D/report <X >Y
	old
	anew report
	run 0 "... that is interrupted" timeout 300 strace -f -qq -o trace \
		-P "$PWD/D/report" -e inject=write:error=EINTR:when=1 "$@" -f csv -o D/report <X >Y
	report "... is no reason" D/report
fi

# A file that is removed or replaced meanwhile is not written to, nor is what took its name.
# gone DESCRIPTION COMMAND NAME FILE...: of the report of that name; files that are there then, and hold what is their
# name or "other"
gone() {
	description=$1 command=$2 name=$3
	shift 3
	anew report other
	ln -s report D/link
	session 1 "$description" "$command" -o "D/$name"
	holds "... is reported" err "^write-bench: D/$name: "
	is "... it stays so" "$(cd D && for file in *; do echo "$file $(cat "$file")"; done)" "$(printf '%s\n' "$@")"
}
gone "a report that is replaced" 'mv D/other D/report' report "link other" "report other"
gone "... that is new, and removed" 'rm D/new' new "link report" "other other" "report report"
gone "... whose symbolic link is led elsewhere" 'ln -sfn other D/link' link "link other" "other other" "report report"
gone "... that is removed" 'rm D/report D/link' report "other other"

# Refused before anything begins: what would spoil an end, or another report, under whatever name, or the log of
# standard error.
refused() { # DESCRIPTION REGEX COMMAND...: and D is what it was; X and Y, too
	tells 2 "$@"
	is "... nothing is touched" "$(cd D && cksum ./*)" "$(cat before)"
}
anew Y Z log
cp D/Y Y.orig
bytes 20000 >D/X.csv
for file in X.csv Y Z log; do
	ln "D/$file" "D/hard.$file"
	ln -s "$file" "D/soft.$file"
done
(cd D && cksum ./*) >before
for name in D/soft.X.csv D/hard.X.csv /dev/stdin; do
	for how in '-z 4k,8k --with=cat' '-s sendfile'; do
		# shellcheck disable=SC2086
		refused "the input as $name, $how" '.*: is also standard input' w $how -f csv -o $name <D/X.csv 1<>D/Y
	done
done
for name in D/hard.Y /dev/stdout; do
	refused "onto the output as $name" '.*: is also standard output' w -s sendfile -f csv -o $name <X 1<>D/Y
done
for kind in D/soft. D/hard.; do
	refused "onto the second output as ${kind}Z" '.*: is also --tee=D/Z' w \
		-s 'read+write x2 8k' --tee=D/Z -f csv -o ${kind}Z <X 1<>D/Y
	refused "two reports onto D/log and ${kind}log" \
		'.*: is also another report' w -s sendfile -f csv -o D/log -o ${kind}log <X 1<>D/Y
done
tells 2 "a new report twice" '.*: is also another report' w -s sendfile -f csv -o D/new -o D/../D/new <X 1<>D/Y
is "... stays, empty" "$(wc -c <D/new | tr -d ' ')" 0
rm D/new
for name in D/hard.log /dev/stderr; do
	for way in '2>>' '2>'; do
		run 2 "where standard error goes ($way), as $name" \
			sh -c "\"\$@\" -n1 -p0 -s sendfile -f csv -o $name -o D/new <X 1<>D/Y ${way}D/log" sh "$wb"
		is "... is said there, and nothing is touched" \
			"$(grep -c "^write-bench: $name: " D/log) $(ls D/new 2>/dev/null)$(cmp D/Y Y.orig)" "1 "
		echo log >D/log
	done
done

# A new file of a session that is refused stays, empty, as with tee(1); an old one is as it was.
for how in '-x nosuch' '--with=/nonexistent/command' '-o nowhere/report' '--from=:'; do
	rm -f D/new
	anew report
	# shellcheck disable=SC2086
	run 2 "refused: $how" w -f csv -o D/report -o D/new $how <X >Y
	is "... no report is written" "$(cat D/report D/new 2>/dev/null)" report
	case $how in --*) is "... the new file is there" "$(wc -c <D/new | tr -d ' ')" 0 ;; esac
done
anew report
mkfifo stalled
exec 4<>stalled
marked 1 "$wb" -p0 -n1 -f csv -o D/report -o D/new <stalled >Y 2>err 4>&- &
pid=$!
until_there test -e D/new
until_catching $pid TERM
kill -TERM $pid
within 60 $pid
wait $pid
is "one that is interrupted before its first run" $? 143
is "... no report is written" "$(cat D/report D/new)" report
exec 4>&-

# Interrupted later, and killed.
for signal in TERM:143 KILL:137; do
	anew report
	rm -f started midst
	DO='echo >started; exec sleep 1000'
	marked 2 "$wb" -p0 -n1 --in-order -s sendfile --with="$midst" -f csv -o D/report <X >Y 2>err &
	pid=$!
	until_there test -s started
	kill -${signal%:*} $pid
	within 60 $pid
	wait $pid
	is "a session that SIG${signal%:*} ends" $? ${signal#*:}
	if [ ${signal%:*} = KILL ]; then old; else
		report "... has a report" D/report report
		holds "... of what was measured" D/report '^# interrupted: by signal 15 '
	fi
	is "... and no process" "$(left 2)" 0
done

# Outputs that are no files, or have no name.
anew
mkfifo D/fifo
cat D/fifo >got &
session 0 "a FIFO" : -o D/fifo
wait $!
report "... passes it on" got fifo
is "... and stays one" "$([ -p D/fifo ]; echo $?)" 0
session 1 "/dev/full" : -o /dev/full
holds "... is full" err '^write-bench: /dev/full: write: ENOSPC'
exec 4<>D/got
session 0 "/dev/fd/N of a file" : -o /dev/fd/4
report "... has it" D/got
exec 4<&-
w -s sendfile -f csv -o /dev/stderr <X 2>&1 >Y | cat >got
holds "/dev/stderr, which is a pipe, has it, and what is said besides" got '^row,' '^sendfile,1,' '^sendfile +[0-9]'

# Comparisons.
anew
yes report | head -n 10000 >D/report
ln D/report D/hard
run 0 "--compare into a file that is there" "$wb" --compare old.csv -f csv -o D/report >printed
same "... writes it over" old.csv D/hard
cp old.csv D/old.csv
ln -s old.csv D/link
tells 2 "... onto what it reads, by another name" D/link "$wb" --compare D/old.csv -f csv -o D/link >printed
same "... which is whole" old.csv D/old.csv
run 2 "... of what is not there" "$wb" --compare nosuch.csv -f csv -o D/report -o D/new >printed
same "... leaves the old report" old.csv D/report
report "... and nothing else" D/report hard link old.csv report
run 1 "... into /dev/full" "$wb" --compare old.csv -f csv -o /dev/full >printed
is "nothing is left in TMPDIR" "$(ls -A "$TMPDIR")" ""
