#!/bin/sh
# Promises 1 and 2: what is left. Outputs are copies, made in the end by read(2) and write(2), compared, and closed with
# each error asked; reports are written over their files when all is done, which are the same files then, under all
# their names. A line of the tables is a call that fails, what happens in the midst of a session, or a full disk; each
# with the exit status, what is said, and what is there then.
# Tried: the last row's copy is left; it is not compared, or not its length; close(2) is not asked, or fdatasync(2) not
# Tried: with --until=sync; an output is not asked for again in the end; a report is emptied at the start; what took its
# Tried: name is written to; an older one keeps its tail; an output is left at its beginning; a file that can be read by
# Tried: its descriptor alone is refused; bytes that are no more there are counted; a full disk does not end a session.
if [ "$(id -u)" = 0 ] && [ -z "${OWN_MOUNTS-}" ] && unshare -m true 2>/dev/null; then
	OWN_MOUNTS=1 exec unshare -m "$0" "$@"
fi
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"
undo='umount full 2>/dev/null'
bytes 10240 >X
w -n100 -s sendfile -f csv -o old.csv <X 2>err >Y # more than a block
report() { # FILE: "1 0" for a report in csv from its first line to its last, and nothing else
	runs=$(fact run_lines "$1")
	echo "$(grep -c '^row,' "$1") $(($(sed '1,/^row,/d' "$1" | grep -vc '^#') - ${runs:-0}))"
}

# ---- States of the output: it stays the file that was there, with nothing beside it, and what follows is written, or
# read, after the copy.
mkdir Q
{ head -c 10000 X && echo more; } >wanted
for state in "" --new "--new --until=close" --replace "--replace --until=sync" --overwrite --reuse --no-verify; do
	for rows in "-s sendfile,reflink,mmap+write" "--tee=Q/Z -s read+write?x2?8k,sendfile?x2"; do
		bytes 20000 | tee Q/Y >Q/Z
		before=$(stat -c '%i %n' Q/*)
		# shellcheck disable=SC2086
		{ w $state $rows -z 10000 2>err && echo more; cat >rest; } <X 1<>Q/Y
		is "a copy stays: $rows $state" "$(cmp wanted Q/Y 2>&1; tail -c +10001 X | cmp - rest 2>&1
			case $rows in *tee*) head -c 10000 X | cmp - Q/Z 2>&1 ;; esac
			stat -c '%i %n' Q/*)" "$before"
	done
done
if [ "$(id -u)" = 0 ] && have setpriv || or_skip "an output that can't be read back" "not root, or no setpriv"; then
	chmod 777 . && chmod 644 X && cp "$wb" wb && chmod 755 wb
	: >Y && chmod 222 Y
	nobody() {
		setpriv --reuid=65534 --regid=65534 --clear-groups ./wb -n1 -p0 -s sendfile "$@"
	}
	run 0 "an output that can't be opened to be read, with --no-verify" nobody --no-verify <X >Y
	same "... is a copy" X Y
	run 0 "... and if it is open for both" nobody <X 1<>Y
	chmod 644 Y
fi

# ---- Calls that fail, on one file: the status, what the row was, and how often that is said.
if can_trace || or_skip "calls that fail" "strace may not trace here"; then
	timeout 300 strace -f -qq -o trace -P "$PWD/Y" -e trace=sendfile,write "$wb" -n1 -p0 -s sendfile <X >Y 2>err
	is "the last copy is by write" "$(tail -n 1 trace | grep -c '[^a-z]write(.* = 10240$')" 1
	: >Z && echo report >report
	# shellcheck disable=SC2034
	csv="-n1 -p0 -f csv -o csv" one="-n1 -p0 -f csv -o csv -s sendfile" # in the table
	while IFS='|' read -r file injection wanted regex options <&4; do
		rm -f csv
		set -- timeout 300 strace -f --seccomp-bpf -qq -o trace -P "$PWD/$file" -e "inject=$injection" "$wb"
		eval "\"\$@\" $options" <X >Y 2>err
		is "$injection of $file: $options" \
			"$? $([ ! -e csv ] || column 4 csv | sort -u) $(grep -Ec "^write-bench: $regex" err)" "$wanted"
	done 4<<-'END'
		Y|write:retval=10240|1 ok 1|standard output: .* byte 0$|$one
		Y|write:retval=10240|1 ok 1|standard output: .* byte 0$|$one --no-verify
		Y|write:retval=4096:when=2|1 mismatch 0|.|$csv -s "read+write 4k" --no-verify
		Y|fdatasync:error=EIO:when=2|1 ok 1|standard output: .*fdatasync: EIO|$one --until=sync
		Y|syncfs:error=EIO:when=1+|0 ok 0|.|$one
		Y|close:error=EDQUOT|1 ok 1|standard output: close: EDQUOT|$one
		Z|close:error=EDQUOT|1 ok 1|--tee=Z: close: EDQUOT|$csv -s 'read+write x2 8k' --tee=Z
		Y|close:error=EDQUOT|1  1|standard output: close: EDQUOT|--generate=noise:5000
		Y|close:error=EIO|1  1|standard output: close: EIO|--list
		Y|close:error=EIO|1  1|standard output: close: EIO|--compare old.csv
		report|close:error=EDQUOT|1 ok 1|report: close: EDQUOT|$one -o report
		report|write:error=ENOSPC|1 ok 1|report: write: ENOSPC|$one -o report
		report|write:error=EINTR:when=1|0 ok 0|.|$one -o report
	END
	is "... it is a report" "$(report report)" "1 0"
fi
for command in --list "--compare old.csv" --generate=zero:1 "--compare old.csv -f csv -o /dev/full"; do
	# shellcheck disable=SC2086
	"$wb" $command </dev/null 2>err >/dev/full
	is "a full device: $command" "$? $(grep -q 'write: ENOSPC' err; echo $?)" "1 0"
done

# ---- In the midst of a session: DO, once a command has copied.
export DO
midst='cat; [ ! -s /dev/stdin ] || [ -e midst ] || { : >midst; eval "$DO"; }'
session() { # OPTION...
	rm -f midst csv
	w --in-order -s 'read+write 64k' --with="$midst" -f csv "$@" <X >Y 2>err
}
contents() { # of D: each name with the first bytes in it
	(cd D && for file in *; do echo "$file $(head -c 9 "$file" | head -n 1)"; done) | paste -sd' '
}
# What happens; the name of a report, or "-"; status, and how often that is said; what is there then, of report, other
# and a symbolic link to report.
while IFS='|' read -r DO name wanted left <&4; do
	rm -rf D && mkdir D && echo report >D/report && echo other >D/other && ln -s report D/link && cp X Y
	set -- -o "D/$name"
	[ "$name" != - ] || set --
	session "$@"
	status="$? $(grep -c '^write-bench: \(D/\|standard output: was removed\)' err)"
	is "meanwhile: $DO, with -o $name" "$status $(contents)" "$wanted $left"
done 4<<'END'
:|link|0 0|link # schema: other other report # schema:
mv D/other D/report|report|1 1|link other report other
mv D/other D/report|link|1 1|link other report other
rm D/new|new|1 1|link report other other report report
ln -sfn other D/link|link|1 1|link other other other report report
rm D/report D/link|report|1 1|other other
rm Y|-|1 1|link report other other report report
mv D/other Y|-|1 1|link report report report
END

# An old report: the same file before and after, of the same owner and mode, and untouched until the end.
rm -rf D && mkdir D
yes 'an old report' | head -n 9000 >D/report
[ "$(id -u)" != 0 ] || chown 65534:65533 D/report
ln D/report D/hard && cp D/report old
before=$(stat -c '%d %i %h %a %u %g' D/report)
DO='{ cmp D/report old && ls D; } >meanwhile'
session -o D/report
is "an old report is as it was until the end, and nothing is beside it" "$? $(paste -sd' ' meanwhile)" "0 hard report"
is "... then a new one is in the same file" "$(report D/hard) $(stat -c '%d %i %h %a %u %g' D/report)" "1 0 $before"
mask=$(umask)
umask 027
DO=: session -o D/new -o D/other
umask "$mask"
is "a new report, and one of several" "$? $(report D/new) $(report D/other) $(stat -c %a D/new)" "0 1 0 1 0 640"

# Reports that are no files; of comparisons.
mkfifo D/fifo && cat D/fifo >D/got &
until_there test -p D/fifo
DO=: session -o D/fifo
status=$?
wait $!
is "a FIFO passes a report on, and stays one" "$status $(report D/got) $(stat -c %F D/fifo)" "0 1 0 fifo"
exec 6<>D/got
DO=: session -o /dev/fd/6
is "/dev/fd/N of a file" "$? $(report D/got)" "0 1 0"
exec 6<&-
w -s sendfile -f csv -o /dev/stderr <X 2>&1 >Y | cat >got
holds "/dev/stderr, which is a pipe, has it, and what is said besides" got '^row,' '^sendfile,1,' '^sendfile +[0-9]'
run 0 "--compare into a file that is there" "$wb" --compare old.csv -f csv -o D/report >printed
same "... writes it over" old.csv D/hard
run 2 "--compare of what is not there" "$wb" --compare nosuch.csv -f csv -o D/report -o D/none >printed
is "... leaves the old report, and makes none" "$(cmp old.csv D/report; cd D && echo *)" \
	"fifo got hard new other report"

# An output that another program writes to once it was compared: while the report waits for its reader, here, whose pipe
# holds less.
perl -e 'open F, "<", "D/fifo" or die; fcntl F, 1031, 4096; sysread F, $x, 1; open Y, ">>", "Y"; syswrite Y, "more";
	1 while sysread F, $x, 65536' &
w -n100 -s sendfile -f csv -o D/fifo <X >Y 2>err
is "an output that another program writes to in the end" "$? $(grep -c 'is not a copy any more' err)" "1 1"
wait $!

# ---- An input that is cut: bytes that are no more there are not counted as copied.
truncate -s 0 X && truncate -s 1000000 X
measure -n2 --in-order --no-verify -z 300000 -s 'copy_file_range sparse' \
	--with='head -c $SIZE && truncate -s 1000 X' <X >Y 2>err
case $(of 'copy_file_range sparse' outcome csv) in
n/a*) skip "an input with holes that is cut" "no copy_file_range here" ;;
*)
	is "an input with holes that is cut" \
		"$(of 'copy_file_range sparse' outcome,detail csv | cut -d: -f1 | paste -sd' ')" \
		"ok, failed,the input changed meanwhile"
	;;
esac

# ---- A full disk fails each row that it is too small for, with ENOSPC, and the session.
if { [ "${OWN_MOUNTS-}" ] && mkdir full && mount -t tmpfs -o size=1m tmpfs full; } ||
	or_skip "a full disk" "not root, or no mount namespaces"; then
	bytes 2000000 >X
	while IFS='|' read -r from rows <&4; do
		rm -f full/* && head -c 600000 X >"$from.600000"
		[ "$from" = X ] || mv full/X.600000 full/X
		eval "measure -n2 $rows" <"$from" >full/Y 2>err
		is "a full disk: from $from $rows" "$? $(column 3,4 csv | grep -v '^,n/a') $(joined err |
			grep -c 'standard output: is not a copy of the input: [a-z_ ]*: ENOSPC')" "1 ,failed ENOSPC 1"
	done 4<<-'END'
		X|
		full/X|
		X|-s 'mmap+mmap + trunc'
		X|-s 'read+write 1k'
		X|-s sendfile
	END
	rm -f full/* && bytes 1000 >X
	DO='cat /dev/zero >full/fill' session -o full/report
	is "a report onto a disk that is full meanwhile" \
		"$? $(grep -c 'full/report: write: ENOSPC' err) $(wc -c <full/report)" "1 1 0"
fi
