#!/bin/sh
# Refusals and mistakes of the kernel, where the matrix of faults-matrix.t has no rule: which errors are
# refusals, lies that show in one round of several, or in the length alone, advice that is taken back, and direct I/O
# from a thread's first call on.
# Tried: it fails where EXDEV is a failure, or EDQUOT n/a; the last copy is not compared; advice is not taken back; a
# Tried: thread begins before it has the descriptors that were opened anew; only the first round's length is compared.
. "$(dirname "$0")/tap.sh"

have strace || skip_all "no strace"
strace -f --seccomp-bpf -qq -o /dev/null true 2>/dev/null || skip_all "strace may not trace here, or is older than 5.3"
bytes 10240 >X
# fault STATUS OUTCOME WHAT INJECTION ROW [OPTION...]: exit status and the row's last outcome. Only
# calls on the input or the output are meddled with: not those of the program's start. Where
# they can't be selected by a path: paths='path...', or paths= for all.
fault() {
	status=$1 outcome=$2 what=$3 injection=$4 row=$5
	shift 5
	selected=
	for path in ${paths-X Y}; do selected="$selected -P $path"; done # strace finds their absolute paths itself
	# shellcheck disable=SC2086
	strace -f --seccomp-bpf -qq -o trace $selected -e trace="${injection%%:*}" -e inject="$injection" \
		"$wb" -p0 -n1 -s "$row" -f csv -o report.csv "$@" <X >Y 2>err
	is "$what: $injection: $row" "$? $(tail -n 1 report.csv | cut -d, -f"${columns-4}")" "$status $outcome"
	grep -q '(INJECTED\|(DELAYED' trace || fail "$what: nothing was injected" trace
	same "... and standard output is a copy all the same" X Y
}
# Which errors are refusals is the same for all calls.
for err in ENOSYS EOPNOTSUPP EINVAL EPERM EXDEV; do
	fault 1 "n/a $err" "refused" "sendfile:error=$err" sendfile
done
for err in EIO ENOSPC EDQUOT EFBIG ENOMEM; do
	fault 1 "failed $err" "failed" "sendfile:error=$err" sendfile
done
fault 1 "failed EINVAL" "refused, but after the first byte" write:error=EINVAL:when=2 "read+write 1k"
columns=4,5 fault 1 'failed,"too few bytes: the input ended early' "an early end" read:retval=0:when=3 "read+write 1k"
paths='' fault 1 "n/a EACCES" "forbidden" io_uring_enter:error=EACCES "io_uring read+write 8x128k"
paths='' fault 1 "failed EBUSY" "failed" io_uring_enter:error=EBUSY "io_uring splice 1m"
# An output that can't be emptied is no fault of the row.
fault 1 "failed EPERM" "an output that can't be emptied" ftruncate:error=EPERM:when=1 sendfile

# Lies: the call says that it has moved what it has not.
fault 1 mismatch "a size that is wrong, and bytes not compared" write:retval=1024:when=3 "read+write 1k" --no-verify
bytes 100000 >X # two calls of 64 KiB: some of the output is there
fault 1 mismatch "a lie in the last round, when the row has been compared, about the length" write:retval=34464:when=4 \
	"read+write 16bs + advices" -n2
bytes 10240 >X
strace -qq -o trace -P "$work/Y" -e inject=write:retval=1024:when=3 "$wb" -p0 -n1 -s "read+write 1k" <X >Y 2>err
holds "a mismatch is reported with its offset" err 'read\+write 1k.* 20(48|49|50)[^0-9]'
# An output without any block is compared whenever it is met, where the file system reports it.
if have filefrag && filefrag Y 2>/dev/null | grep -q extent ||
	or_skip "a lie in a middle round" "no filefrag, or no FIEMAP on this file system"; then
	fault 1 mismatch "a lie in a middle round, without a block written" sendfile:retval=10240:when=2 \
		"sendfile + advices + trunc" -n3
fi

# Advice is of one run: the first letters of what is given on the input, after it was evicted.
strace -qq -o trace -e trace=fadvise64 "$wb" -p0 -n2 -s "sendfile + advices" --no-verify <X >Y 2>err
is "the input has its advice in each run, which is taken back before it" \
	"$(sed -n 's/.*POSIX_FADV_\(.\).*/\1/p' trace | tr -d '\n')" DNSWNSWN

# ... and of all bytes that are copied, from the first one on.
strace -qq -o trace -e trace=fadvise64,readahead "$wb" -p0 -n1 -z 5000 --cold \
	-s "sendfile + readahead,sendfile + noreuse" --no-verify <X >Y 2>err
is "advice is for the bytes that are copied" \
	"$(sed -nE 's/^(fadvise64|readahead)\([0-9]+, (0, )?5000(, POSIX_FADV_NOREUSE)?\).*/\1/p' trace |
		sort | paste -sd ' ')" "fadvise64 readahead"

# Threads that begin late, and in any order, have the ends that were opened anew from their first call on. The first of
# all calls is of the main thread.
bytes 3000000 >X
if [ "$("$wb" -n1 -p0 -s "direct 1m" -f csv <X 2>&1 >Y | tail -n 1 | cut -d, -f4)" = ok ] ||
	or_skip "direct I/O" "this file system has none, or other blocks"; then
	strace -f -qq -o trace -e trace=futex,pread64 -e inject=futex:delay_enter=2000 "$wb" -p0 -n1 \
		-s "threads direct 1m" --no-verify <X >Y 2>err
	awk 'NR == 1 { main = $1 }
		$1 != main && /pread64/ { sub(/,.*/, ""); sub(/.*\(/, ""); print $0 ? "direct" : "buffered" }' trace |
		sort -u >begun
	is "each thread of direct 1m reads by direct I/O" "$(cat begun)" direct
	paths=/proc/self/fd/0 fault 1 "n/a EINVAL" "refused" openat:error=EINVAL "direct 1m"
	fault 1 "failed EINVAL" "refused, but after the first byte" pwrite64:error=EINVAL:when=2 "direct 1m"
fi

# An input that is read ahead of a pipe is all there, or refused.
bytes 300000 >X
: >Y
cat X | strace -f --seccomp-bpf -qq -o trace -e trace=write -e inject=write:retval=0:when=2 "$wb" -p0 -n1 \
	-q -s "read+write 1k" 1<>Y 2>err
is "a write that stores nothing of an input that is read ahead: refused" "$? $(wc -c <Y)" "2 0"
# A part of the input that was not written is not copied from.
bytes 300000 >X
strace -qq -o trace -e trace=pwrite64 -e inject=pwrite64:retval=0:when=1 "$wb" -p0 -n1 -z 100000 \
	-s 'read+write 1k,$ *' --with=dd -f csv -o csv <X >Y 2>err
if grep -q INJECTED trace ||
	or_skip "a write that stores nothing of a part of the input" "this file system takes no unnamed file"; then
	is "a write that stores nothing of a part of the input: the command that needs it is n/a" \
		"$? $(column 1,4 csv | sort | tr '\n' ' ')" "0 \$ dd,n/a read+write 1k,ok "
fi
