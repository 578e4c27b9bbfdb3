#!/bin/sh
# The file that a run writes to, and what is there before it: --new, --replace, --reuse.
# Tried: it fails where a run with --new writes to OUTPUT, or to the last run's file; OUTPUT gets no copy; a named file
# Tried: is left; --replace empties after a command's start, or finds no full file; --reuse makes buffers or threads
# Tried: twice, syncs between its copies, or counts the first of them.
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
undo=unplace

measure() { # OPTION...: with a report in csv
	"$wb" -p0 -n1 -f csv -o csv "$@"
}

outcome() { # FILE: rows with their outcomes
	sed '1,/^row,/d' "$1" | cut -d, -f1,4 | sort -u | grep -v direct # which btrfs may or may not ignore
}
traced=
! can_trace || traced=1
fs=$(stat -f -c %T .)
bytes 300000 >X
echo before >before
mkdir D
"$wb" -p0 -n1 -f csv -o usual <X >Y 2>err # not emptied first by a shell, there may be other outcomes

# Common to all three: each row copies, and the report says which it was.
inode=$(stat -c %i Y)
while IFS=: read -r option key <&4; do
	cp before Y
	run 0 "$option: all rows" measure "$option" <X 1<>Y
	same "... OUTPUT is a copy" X Y
	is "... outcomes are the usual ones" "$(outcome csv)" "$(outcome usual)"
	holds "... CSV says so" csv "^# $key"
	run 0 "$option --until=close --tee" "$wb" -p0 -n2 "$option" --until=close --tee=D/Z <X >Y
	is "... outputs are copies" "$(cmp X Y 2>&1) $(cmp X D/Z 2>&1)" " "
	is "... nothing is left beside them" "$(ls -A D)" Z
done 4<<'END'
--new:output_file: into a new file
--replace:output_file: onto a full file
--reuse:reuse: yes$
END
is "OUTPUT is the file that was there" "$(stat -c %i Y)" "$inode"

# --new.
run 1 "--new with a command that writes OUTPUT by its name" measure -n2 --new -s sendfile --with='cp X Y' \
	--with=cat <X >Y
is "... it has copied nothing to the new file, once" "$(grep '^$ cp' csv | cut -d, -f1,2,4)" '$ cp X Y,1,mismatch'
same "... OUTPUT is a copy" X Y
run 1 "... alone" "$wb" -p0 -n1 --new -s '$ *' --with='cp X Y' <X >Y
same "... OUTPUT is a copy all the same" X Y
run 1 "--new with a command that writes nothing" measure --new -s sendfile --with=true <X >Y
is "... is a wrong copy" "$(grep '^$ true' csv | cut -d, -f4)" mismatch
{
	"$wb" -p0 -n1 -s 'read+write 256k' --new <X 2>err
	echo $? >status
} | cat >piped
is "--new into a pipe is refused" "$(cat status) $(wc -c <piped | tr -d ' ')" "2 0"
holds "... says why" err '^write-bench: standard output: is a pipe: --new '
exec 4>gone && rm gone
run 2 "--new into a file without a name" "$wb" -p0 -n1 -s sendfile --new <X >&4
holds "... says why" err '^write-bench: standard output: --new '
exec 4>&-
cp before Y
for modes in "--new --replace" "--replace --overwrite"; do
	# shellcheck disable=SC2086
	run 2 "$modes" "$wb" -p0 -n1 -s sendfile $modes <X 1<>Y
	holds "... says why" err "^write-bench: --.*: can't be combined with"
	same "... before anything is touched" before Y
done
if [ "$traced" ] || or_skip "the files of --new" "no strace, or it may not trace here"; then
	strace -f -qq -o trace -e trace=openat,sendfile "$wb" -p0 -n3 --no-verify --new -s sendfile <X >Y 2>err
	tmpfiles=$(grep -c 'openat([0-9]*, ".", .*O_TMPFILE.* = [0-9]' trace)
	if [ "$tmpfiles" -gt 0 ] || or_skip "each run has an unnamed file of its own" "there are none on $fs"; then
		is "each run has an unnamed file of its own, and one is tried before" "$tmpfiles" 4
		is "... none of them is written to twice" \
			"$(awk '/O_TMPFILE/ { fd = $NF } /sendfile\(/ { sub(/.*sendfile\(/, ""); sub(/,.*/, "")
			print ($0 == fd) ; fd = "" }' trace | sort | uniq -c | tr -s ' \n' ' ')" " 3 1 "
	fi
	# Files without a name are refused, as every third call is here after that for the directory: one whose
	# name is gone at once.
	strace -f -qq -o trace -P "$PWD" -e trace=openat -e inject=openat:error=EOPNOTSUPP:when=2+3 \
		"$wb" -p0 -n3 --new -s 'sendfile,read+write 256k' -f csv -o csv <X >Y 2>err
	is "without unnamed files" "$? $(column 4 csv | sort | uniq -c | tr -s ' \n' ' ')" "0  6 ok "
	same "... OUTPUT is a copy" X Y
	is "... nothing is left beside it" "$(find . -name '.write-bench*')" ""
	without_loops strace -f -qq -e trace=openat -o trace "$wb" -p0 -n1 --new -s sendfile <X 1<>Y 2>err
	first=$(grep -n O_TMPFILE trace | head -n 1 | cut -d: -f1)
	cp before Y
	without_loops strace -f -qq -o trace -e inject="openat:error=ENOSPC:when=$first+" "$wb" -p0 -n1 --new \
		-s sendfile <X 1<>Y 2>err
	is "where no file can be made, it is refused" \
		"$? $(grep -c "^write-bench: standard output: --new .* open: ENOSPC " err)" "2 1"
	same "... before anything is touched" before Y
fi
# A file beside the output can't be made where its directory is mounted over.
if mkdir M O && mount -t tmpfs tmpfs M 2>/dev/null || or_skip "--new and mounts" "no tmpfs can be mounted"; then
	mkdir over && cp before over/Y && ln over/Y kept
	exec 4<>over/Y && mount -t tmpfs tmpfs over
	tells 2 "--new into a directory that something is mounted over" '^write-bench: standard output: --new ' \
		"$wb" -p0 -n1 --new -s sendfile <X >&4
	exec 4>&-
	same "... before anything is touched" before kept
	umount over
	mkdir M/upper M/work lower && bytes 10000 >lower/X && cp before lower/Y
	if mount -t overlay -o lowerdir=lower,upperdir=M/upper,workdir=M/work overlay O 2>/dev/null ||
		or_skip "--new on an overlay" "none can be mounted"; then
		run 0 "--new on an overlay of two file systems" measure -n2 --new -z 4k -s sendfile --with=cat <O/X \
			1<>O/Y
		is "... also for a command's part of the input" "$(column 4 csv | sed 's/shared/ok/' | sort -u)" ok
		head -c 4096 lower/X | cmp - O/Y >cmp.out
		is "... leaves a copy" "$? $(find O M/upper -type f | sort | tr '\n' ' ')" "0 M/upper/Y O/X O/Y "
		umount O
	fi
	umount M
fi

# --replace.
run 0 "--replace, and commands" measure -n2 --replace -s sendfile \
	--with='[ ! -s /dev/stdin ] || stat -Lc %s /proc/self/fd/4 4<Y >>sizes; cat' --with='cp X Y' <X >Y
is "... are measured, one that writes by name, too" \
	"$(column 4 csv | sed 's/shared/ok/' | sort | uniq -c | tr -s ' \n' ' ')" " 6 ok "
is "... the output is empty when they start" "$(sort -u sizes)" 0
if [ "$traced" ] || or_skip "the calls of --replace" "no strace, or it may not trace here"; then
	case $fs in tmpfs | ramfs) y= ;; *) y=Y ;; esac
	strace -qq -o trace -e trace=ftruncate,syncfs,write,pwrite64,sendfile "$wb" -p0 -n2 -s sendfile \
		--replace <X >Y 2>err
	order=$(awk '/^ftruncate\(1, 0\)/ { s = s "T" } /^syncfs/ { s = s "Y" }
		/^(pwrite64|write)\(1,/ && s !~ /W$/ { s = s "W" } /^sendfile/ { s = s "S" } END { print s }' trace)
	is "the output is full and synced, then emptied, then copied to" "$order" "W${y}TS${y}TST${y}W"
	strace -qq -o trace -P "$PWD/Y" -e inject=ftruncate:error=EIO:when=2 "$wb" -p0 -n1 -s sendfile --replace \
		-f csv -o csv <X >Y 2>err
	is "... a failure is the row's" "$(column 4 csv) $(column detail csv)" "failed EIO ftruncate"
	strace -qq -o trace -P "$PWD/Z" -e inject=ftruncate:error=EIO:when=2 "$wb" -p0 -n1 -s 'read+write x2 64k' \
		--replace --tee=Z -f csv -o csv <X >Y 2>err
	is "... of two outputs it is named" "$(column 4 csv) $(column detail csv)" \
		"failed EIO ftruncate into the second output"
fi

# An output that is read by the descriptor that we have, since it can't be opened anew: it stays open.
if [ "$traced" ] ||
	or_skip "--new of an output that can't be opened to be read" "no strace, or it may not trace here"; then
	: >Y
	run 0 "--new of an output that can't be opened to be read" strace -qq -o trace -P /proc/self/fd/1 \
		-e inject=openat:error=EACCES \
		"$wb" -p0 -n2 -s 'read+write 4k' --new <X 1<>Y
	same "... is a copy" X Y
	holds "... the error was there" trace 'EACCES.*INJECTED'
fi

run 2 "--overwrite, where no output is a file, is refused" "$wb" -p0 -n1 -s 'read+write 4k' --overwrite <X >/dev/null

# --reuse.
for mode in --new --overwrite; do
	run 0 "--reuse $mode" "$wb" -p0 -n1 --reuse $mode <X >Y
	same "... the output is a copy" X Y
done
{
	"$wb" -p0 -n3 -s 'read+write 256k' --reuse <X 2>err
	echo $? >status
} | cat >piped
is "--reuse into a pipe: it gets the untimed copies, too" "$(cat status) $(wc -c <piped | tr -d ' ')" "0 1800000"
run 0 "--reuse from a command into another" "$wb" -p0 -n1 --reuse --from='cat X' --into='cat >/dev/null'
run 0 "--reuse, and a command" "$wb" -p0 -n3 --reuse -s sendfile \
	--with='[ ! -s /dev/stdin ] || echo >>started; cat' <X >Y
is "... it is started for each copy" "$(wc -l <started | tr -d ' ')" 3
if [ "$traced" ] || or_skip "what is made once" "no strace, or it may not trace here"; then
	calls() { # ROW CALLS REGEX: lines of the trace of two runs with --reuse that match
		strace -f -qq -o trace -e trace="$2" "$wb" -p0 -n2 --no-verify --reuse -s "$1" <X >Y 2>err
		grep -Ec "$3" trace
	}
	is "a pipe is made once for two copies" "$(calls pipe+splice fcntl F_SETPIPE_SZ)" 2
	n=$(calls 'threads read+write 1m' clone,clone3 'clone3?\(.*CLONE_THREAD')
	is "threads are, and each copies twice" \
		"$((n > 0 && n % 2)) $((n / 2 == $(nproc) || n / 2 == 4 || n / 2 == 2))" "0 1"
	case $fs in
	tmpfs | ramfs) ;;
	*) is "the file system is synced once" "$(calls sendfile syncfs syncfs)" 3 ;;
	esac
	strace -f -qq -o trace -e inject=sendfile:error=EIO:when=1 "$wb" -p0 -n1 --reuse -s sendfile -f csv \
		-o csv <X >Y 2>err
	is "an untimed copy that fails is the row's failure" "$? $(column 4 csv)" "1 failed EIO"
	same "... and there is a copy" X Y
fi

# Their changes of a row are told.
"$wb" --explain='threads read+write 1m' >without
while IFS=: read -r mode changed <&4; do
	"$wb" --explain='threads read+write 1m' "$mode" | diff - without >diff.out
	holds "--explain $mode" diff.out "^<  *$changed"
done 4<<'END'
--new:out = open\(.*, O_TMPFILE . O_RDWR\), not timed$
--replace:ftruncate\(out, 0\)$
END
