#!/bin/sh
# The file that a run writes to, and what is there before it: --new, --replace, --reuse.
# Tried: it fails where a run with --new writes to OUTPUT, or to the last run's file; OUTPUT gets no copy; a named file is left;
# Tried: a command that wrote OUTPUT by its name is called wrong; --replace empties after a command's start, or
# Tried: finds no full file; --reuse makes buffers or threads twice, syncs between its copies, or counts the first of them.
# shellcheck disable=SC2016
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
undo=unplace

outcome() { # FILE: rows with their outcomes
	sed '1,/^row,/d' "$1" | cut -d, -f1,4 | sort -u | grep -v direct # which btrfs may or may not ignore
}
traced=
! can_trace || traced=1
fs=$(stat -f -c %T .)
bytes 300000 >X

# --new.
echo before >Y
inode=$(stat -c %i Y)
"$wb" -p0 -n1 -f csv -o usual <X >Y 2>err
cat X >Y
run 0 "--new: all rows" "$wb" -p0 -n2 --new -f csv -o csv <X 1<>Y
same "... OUTPUT is a copy" X Y
is "... it is the file that was there" "$(stat -c %i Y)" "$inode"
is "... outcomes are the usual ones" "$(outcome csv)" "$(outcome usual)"
holds "... CSV says so" csv '^# output_file: into a new file each run$'
is "... nothing is left beside it" "$(find . -type f ! -name 'cmp*' | sort | tr '\n' ' ')" "./X ./Y ./csv ./err ./usual "
run 0 "the same as text" "$wb" -p0 -n1 --new -s sendfile <X >Y
joined err >line
holds "... in its last lines" line ', into a new file each run; 1 run'
for until in return close sync; do
	run 0 "--new --until=$until" "$wb" -p0 -n2 --new --until=$until -s 'sendfile,read+write 256k' <X >Y
	same "... OUTPUT is a copy" X Y
done
mkdir D
run 0 "--new --tee" "$wb" -p0 -n1 --new --tee=D/Z -f csv -o csv <X >Y
same "... the first output is a copy" X Y
same "... and the second" X D/Z
is "... nothing is left beside them" "$(ls -A D)" Z
run 0 "--new with a command that writes OUTPUT by its name" "$wb" -p0 -n2 --new -s sendfile --with='cp X Y' --with=cat -f csv -o csv <X >Y
is "... it is n/a, once" "$(grep '^$ cp' csv | cut -d, -f1,2,4)" '$ cp X Y,1,n/a'
holds "... and says why" csv ',it wrote to the output by name: .*--new'
same "... OUTPUT is a copy" X Y
run 1 "... alone" "$wb" -p0 -n1 --new -s '$ *' --with='cp X Y' <X >Y
same "... OUTPUT is a copy all the same" X Y
run 1 "--new with a command that writes nothing" "$wb" -p0 -n1 --new -s sendfile --with=true -f csv -o csv <X >Y
is "... is a wrong copy" "$(grep '^$ true' csv | cut -d, -f4)" mismatch
{
	"$wb" -p0 -n1 -s 'read+write 256k' --new <X 2>err
	echo $? >status
} | cat >piped
is "--new into a pipe is refused" "$(cat status) $(wc -c <piped | tr -d ' ')" "2 0"
holds "... says why" err '^write-bench: standard output: is a pipe: --new needs a file as output$'
exec 4>gone && rm gone
run 2 "--new into a file without a name" "$wb" -p0 -n1 -s sendfile --new <X >&4
holds "... says why" err '^write-bench: standard output: --new makes files in its directory, which is not known: '
exec 4>&-
for modes in "--new --replace" "--new --overwrite" "--replace --overwrite=cached"; do
	# shellcheck disable=SC2086
	run 2 "$modes" "$wb" -p0 -n1 -s sendfile $modes <X 1<>Y
	holds "... says why" err "^write-bench: --.*: can't be combined with --.*: leave out one of them"
done
cat X >Y
if [ "$traced" ]; then
	strace -f -qq -o trace -e trace=openat,sendfile,ftruncate "$wb" -p0 -n3 --no-verify --new -s sendfile <X >Y 2>err
	tmpfiles=$(grep -c 'openat([0-9]*, ".", .*O_TMPFILE.* = [0-9]' trace)
	if [ "$tmpfiles" -gt 0 ]; then
		is "each run has a file of its own, and one is tried before" "$tmpfiles" 4
		is "... that has no name" "$(grep -c 'openat.*write-bench\..*O_CREAT' trace)" 0
		is "... none of them is written to twice" "$(awk '/O_TMPFILE/ { fd = $NF } /sendfile\(/ { sub(/.*sendfile\(/, ""); sub(/,.*/, "")
			print ($0 == fd) ; fd = "" }' trace | sort | uniq -c | tr -s ' \n' ' ')" " 3 1 "
	else
		skip "each run has an unnamed file of its own" "there are none on $fs"
	fi
	# Where files without a name are refused, as every second call is here after that for the directory: one whose name is gone at once.
	strace -f -qq -o trace -P "$PWD" -e trace=openat -e inject=openat:error=EOPNOTSUPP:when=2+2 "$wb" -p0 -n3 --new -s 'sendfile,read+write 256k' -f csv -o csv \
		<X >Y 2>err
	is "without unnamed files" "$? $(column 4 csv | sort | uniq -c | tr -s ' \n' ' ')" "0  6 ok "
	same "... OUTPUT is a copy" X Y
	is "... nothing is left beside it" "$(find . -name '.write-bench*')" ""
	is "... each had one" "$(grep -c '"\.write-bench\..*O_CREAT' trace)" 7
	without_loops strace -f -qq -e trace=openat -o trace "$wb" -p0 -n1 --new -s sendfile <X 1<>Y 2>err
	first=$(grep -n O_TMPFILE trace | head -n 1 | cut -d: -f1)
	echo before | tee before >Y
	without_loops strace -f -qq -o trace -e inject="openat:error=ENOSPC:when=$first+" "$wb" -p0 -n1 --new -s sendfile <X 1<>Y 2>err
	is "where no file can be made, it is refused" "$? $(grep -c "^write-bench: standard output: --new can't make a file in .*: open: ENOSPC " err)" "2 1"
	same "... before anything is touched" before Y
else
	skip "the files of --new" "no strace, or it may not trace here"
fi
# Where a file beside the output would lie on another file system: one that is mounted alone, or whose directory is mounted over.
refused() { # WHAT, of what is written to descriptor 4
	run 2 "$1" "$wb" -p0 -n1 --new -s sendfile <X >&4
	holds "... says why" err '^write-bench: standard output: --new .* which is (on another file system|not known)'
	exec 4>&-
	same "... before anything is touched" before kept
}
echo before >before
if mkdir M O && : >alone && mount -t tmpfs tmpfs M 2>/dev/null; then
	cp before M/Y && mount --bind M/Y alone
	exec 4<>alone && ln -s M/Y kept
	refused "--new into a file that is mounted alone"
	umount alone && rm kept
	mkdir over && cp before over/Y && ln over/Y kept
	exec 4<>over/Y && mount -t tmpfs tmpfs over
	refused "--new into a directory that something is mounted over"
	umount over
	mkdir M/upper M/work lower && bytes 10000 >lower/X && cp before lower/Y
	if mount -t overlay -o lowerdir=lower,upperdir=M/upper,workdir=M/work overlay O 2>/dev/null; then
		run 0 "--new on an overlay of two file systems" "$wb" -p0 -n2 --new -z 4k -s sendfile --with=cat -f csv -o csv <O/X 1<>O/Y
		is "... also for a command's part of the input" "$(column 4 csv | sed 's/shared/ok/' | sort -u)" ok
		head -c 4096 lower/X | cmp - O/Y >cmp.out
		is "... leaves a copy" "$? $(find O M/upper -type f | sort | tr '\n' ' ')" "0 M/upper/Y O/X O/Y "
		umount O
	else
		skip "--new on an overlay" "none can be mounted"
	fi
	umount M
else
	skip "--new where it would be on another file system" "no tmpfs can be mounted"
fi

# --replace.
"$wb" -p0 -n1 -f csv -o usual <X >Y 2>err
run 0 "--replace: all rows" "$wb" -p0 -n2 --replace -f csv -o csv <X >Y
same "... the output is a copy" X Y
is "... outcomes are the usual ones" "$(outcome csv)" "$(outcome usual)"
holds "... CSV says so" csv '^# output_file: onto a full file, emptied inside the clock$'
run 0 "the same as text" "$wb" -p0 -n1 --replace -s sendfile <X >Y
joined err >line
holds "... in its last lines" line ', onto a full file, emptied inside the clock; 1 run'
for until in return close sync; do
	run 0 "--replace --until=$until" "$wb" -p0 -n2 --replace --until=$until -s 'sendfile,read+write 256k' <X >Y
	same "... the output is a copy" X Y
done
run 0 "--replace --tee" "$wb" -p0 -n1 --replace --tee=D/Z <X >Y
same "... the first output is a copy" X Y
same "... and the second" X D/Z
run 0 "--replace, and commands" "$wb" -p0 -n2 --replace -s sendfile --with='stat -Lc %s /proc/self/fd/4 4<Y >>sizes; cat' --with='cp X Y' -f csv -o csv <X >Y
is "... are measured, one that writes by name, too" "$(column 4 csv | sed 's/shared/ok/' | sort | uniq -c | tr -s ' \n' ' ')" " 6 ok "
is "... the output is empty when they start" "$(sort -u sizes)" 0
if [ "$traced" ]; then
	order() {
		awk '/^ftruncate\(1, 0\)/ { s = s "T" } /^fdatasync\(1/ { s = s "F" } /^syncfs/ { s = s "Y" } /^(pwrite64|write)\(1,/ && s !~ /W$/ { s = s "W" }
			/^fallocate/ { s = s "A" } /^sendfile/ { s = s "S" } END { print s }' trace
	}
	case $fs in tmpfs | ramfs) y= ;; *) y=Y ;; esac
	strace -qq -o trace -e trace=ftruncate,fdatasync,syncfs,write,pwrite64,sendfile,fallocate "$wb" -p0 -n2 -s sendfile --replace <X >Y 2>err
	if [ "$(column 4 csv | grep -c '^shared')" = 0 ] || [ "$fs" != btrfs ]; then
		is "the output is full and synced, then emptied, then copied to" "$(order)" "TWF${y}TSTWF${y}TST${y}W"
	else
		skip "the order of calls" "copies share blocks here"
	fi
	strace -qq -o trace -e trace=ftruncate,fallocate,sendfile "$wb" -p0 -n1 -s 'sendfile + advices + falloc' --replace <X >Y 2>err
	case $(order) in *TAS | *TA*T) pass "advice follows the emptying" ;; *) fail "advice follows the emptying" trace ;; esac
	strace -qq -o trace -P "$PWD/Y" -e inject=ftruncate:error=EIO:when=2 "$wb" -p0 -n1 -s sendfile --replace -f csv -o csv <X >Y 2>err
	is "... a failure is the row's" "$(column 4 csv) $(column detail csv)" "failed EIO ftruncate"
else
	skip "the calls of --replace" "no strace, or it may not trace here"
fi
if shares; then
	run 0 "rows that share blocks" "$wb" -p0 -n2 --replace -s 'reflink,read+write 256k' -f csv -o csv <X >Y
	is "... are followed by a copy" "$(column 1,4 csv | sort -u | tr '\n' ' ')" "read+write 256k,ok reflink,shared "
fi

# --reuse.
"$wb" -p0 -n1 ${FULL:+--all} -f csv -o usual <X >Y 2>err
run 0 "--reuse: all rows" "$wb" -p0 -n1 ${FULL:+--all} --reuse -f csv -o csv <X >Y # each copies twice
same "... the output is a copy" X Y
is "... outcomes are the usual ones" "$(outcome csv)" "$(outcome usual)"
holds "... CSV says so" csv '^# reuse: yes$'
run 0 "the same as text" "$wb" -p0 -n1 --reuse -s sendfile <X >Y
joined err >line
holds "... in its last lines" line ', with --reuse; 1 run'
for mode in --new --replace --overwrite --until=close --cold; do
	case $fs in tmpfs | ramfs) [ $mode != --cold ] || continue ;; esac
	run 0 "--reuse $mode" "$wb" -p0 -n1 --reuse $mode <X >Y
	same "... the output is a copy" X Y
done
run 0 "--reuse --tee" "$wb" -p0 -n1 --reuse --tee=D/Z <X >Y
same "... the first output is a copy" X Y
same "... and the second" X D/Z
{
	"$wb" -p0 -n3 -s 'read+write 256k' --reuse <X 2>err
	echo $? >status
} | cat >piped
is "--reuse into a pipe: it gets the untimed copies, too" "$(cat status) $(wc -c <piped | tr -d ' ')" "0 1800000"
run 0 "--reuse from a command into another" "$wb" -p0 -n1 --reuse --from='cat X' --into='cat >/dev/null'
run 0 "--reuse from a pipe" sh -c 'cat X | "$1" -p0 -n1 --reuse >Y' sh "$wb"
same "... the output is a copy" X Y
if "$wb" -p0 -n1 --send -s 'read+write 64k' <X 2>/dev/null; then
	run 0 "--reuse --send" "$wb" -p0 -n1 --reuse --send ${FULL:+--all} <X
fi
run 0 "--reuse, and a command" "$wb" -p0 -n3 --reuse -s sendfile --with='echo >>started; cat' <X >Y
is "... it is started for each copy" "$(wc -l <started | tr -d ' ')" 3
if [ "$traced" ]; then
	calls() { # ROW CALLS REGEX OPTION...: lines of the trace of two runs with --reuse that match
		row=$1 calls=$2 regex=$3
		shift 3
		strace -f -qq -o trace -e trace="$calls" "$wb" -p0 -n2 --no-verify --reuse -s "$row" "$@" <X >Y 2>err
		grep -Ec "$regex" trace
	}
	case $(grep '^io_uring read+write 8x128k,' usual | cut -d, -f4) in
	ok) is "a ring is made once for two copies" "$(calls 'io_uring read+write 8x128k' io_uring_setup 'io_uring_setup.* = [0-9]')" 2 ;;
	*) skip "a ring is made once for two copies" "no io_uring here" ;;
	esac
	is "a pipe is" "$(calls pipe+splice fcntl F_SETPIPE_SZ)" 2
	n=$(calls 'threads read+write 1m' clone,clone3 'clone3?\(.*CLONE_THREAD')
	is "threads are, and each copies twice" "$((n > 0 && n % 2)) $((n / 2 == $(nproc) || n / 2 == 4 || n / 2 == 2))" "0 1"
	case $fs in
	tmpfs | ramfs) ;;
	*)
		is "the file system is synced once" "$(calls sendfile syncfs syncfs)" 3
		is "... with --new before each copy" "$(calls sendfile syncfs syncfs --new)" 5
		;;
	esac
	strace -f -qq -o trace -e inject=sendfile:error=EIO:when=1 "$wb" -p0 -n1 --reuse -s sendfile -f csv -o csv <X >Y 2>err
	is "an untimed copy that fails is the row's failure" "$? $(column 4 csv)" "1 failed EIO"
	strace -f -qq -o trace -e inject=sendfile:error=EINVAL:when=1 "$wb" -p0 -n1 --reuse -s sendfile,read+write\ 64k -f csv -o csv <X >Y 2>err
	is "... one that is refused makes it n/a" "$? $(grep ^sendfile csv | cut -d, -f4)" "0 n/a EINVAL"
	same "... and there is a copy" X Y
else
	skip "what is made once" "no strace, or it may not trace here"
fi

# What they change is told, and not compared in silence.
for mode in --new --replace --reuse; do
	"$wb" -p0 -n6 -s sendfile -f csv -o old.csv <X >Y 2>err
	"$wb" -p0 -n6 -s sendfile $mode -f csv -o new.csv <X >Y 2>err
	run 2 "$mode is not compared with what goes without, by --fail-if-slower" "$wb" --compare old.csv new.csv --fail-if-slower >out
	holds "... which says why" err "can't be compared: .*(output file|reuse)"
	joined out >line
	holds "... --compare notes it" line 'Note: .*(output file.*emptied before each run|reuse.*no) in old, '
	"$wb" --explain='threads read+write 1m' $mode >with
	"$wb" --explain='threads read+write 1m' >without
	diff with without >changed
	case $mode in
	--new) holds "--explain $mode" changed '^<  *out = open\(its directory, O_TMPFILE . O_RDWR\), not timed$' ;;
	--replace) holds "--explain $mode" changed '^<  *ftruncate\(out, 0\)$' ;;
	--reuse) holds "--explain $mode" changed '^<  *for each file:$' ;;
	esac
done
