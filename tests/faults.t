#!/bin/sh
# What the kernel refuses, and what it gets wrong, by strace's fault injection: n/a only before the
# first byte, failure after it, and a call that claims bytes which it did not move is found out.
. "$(dirname "$0")/tap.sh"

have strace || skip_all "no strace"
strace -qq -o /dev/null true 2>/dev/null || skip_all "strace may not trace here"
bytes 10240 >X
# fault STATUS OUTCOME WHAT INJECTION ROW [OPTION...]: exit status and the row's last outcome. Only
# calls on the input, the output or a pipe are meddled with: not those of the program's start.
fault() {
	status=$1 outcome=$2 what=$3 injection=$4 row=$5
	shift 5
	strace -qq -o trace -P "$work/X" -P "$work/Y" -e inject="$injection" \
		"$wb" -p0 -n1 -s "$row" -f csv -o report.csv "$@" <X >Y 2>err
	is "$what: $injection: $row" "$? $(column 4 report.csv | tail -n 1)" "$status $outcome"
	grep -q '(INJECTED\|(DELAYED' trace || fail "$what: nothing was injected" trace
	same "... and standard output is a copy all the same" X Y
}
for call in sendfile splice copy_file_range mmap fallocate; do
	case $call in
	splice) name=pipe+splice ;;
	mmap) name=mmap+write ;;
	fallocate) name="sendfile + advices + falloc" ;;
	*) name=$call ;;
	esac
	for err in ENOSYS EOPNOTSUPP EINVAL EPERM EXDEV; do
		fault 0 "n/a $err" "refused" "$call:error=$err" "$name"
	done
	for err in EIO ENOSPC EDQUOT EFBIG ENOMEM; do
		fault 1 "failed $err" "failed" "$call:error=$err" "$name"
	done
done
fault 0 "n/a EINVAL" "advice refused" fadvise64:error=EINVAL:when=1 "sendfile + advices"
fault 0 "n/a EINVAL" "allocation refused" ftruncate:error=EINVAL:when=2 "sendfile + advices + trunc"
fault 1 "failed EINVAL" "refused, but after the first byte" write:error=EINVAL:when=2 "read+write 1k"
fault 1 "failed EINVAL" "refused, but after the first byte" read:error=EINVAL:when=3 "read+write 1k"
fault 1 "failed EIO" "failed in the middle" write:error=EIO:when=2 "read+write 1k"
fault 1 "failed short" "a write that moves nothing" write:retval=0:when=2 "read+write 1k"
fault 1 "failed short" "an early end" read:retval=0:when=3 "read+write 1k"
fault 0 "ok" "interrupted calls are made again" read:error=EINTR:when=2+2 "read+write 1k"
fault 0 "ok" "interrupted calls are made again" write:error=EINTR:when=1+2 "read+write 1k"
fault 0 "ok" "interrupted calls are made again" sendfile:error=EINTR:when=1 sendfile
fault 0 "ok" "interrupted calls are made again" splice:error=EINTR:when=1+2 pipe+splice
fault 0 "ok" "interrupted calls are made again" copy_file_range:error=EINTR:when=1 copy_file_range
fault 0 "ok" "interrupted calls are made again" ftruncate:error=EINTR:when=1+2 "sendfile + advices + trunc"
fault 0 "ok" "interrupted calls are made again" fallocate:error=EINTR:when=1 "sendfile + advices + falloc"

# Lies: the call says that it has moved what it has not.
fault 1 mismatch "nothing was written" copy_file_range:retval=10240 copy_file_range
fault 1 mismatch "nothing was written, in the right size" sendfile:retval=10240 "sendfile + advices + trunc"
fault 1 mismatch "nothing was written, in the right size" sendfile:retval=10240 "sendfile + advices + falloc"
fault 1 mismatch "a block was left out" write:retval=1024:when=3 "read+write 1k"
fault 1 mismatch "a byte was left out" write:retval=1:when=1 "read+write 256k"
fault 1 mismatch "a lie in a later round" sendfile:retval=10240:when=2 "sendfile + advices + trunc" -n2
fault 1 mismatch "a size that is wrong, and bytes not compared" write:retval=1024:when=3 "read+write 1k" --no-verify
bytes 100000 >X # two calls of 64 KiB: some of the output is there
fault 1 mismatch "a lie in the last round, when the row has been compared" write:retval=34464:when=4 \
	"read+write 16bs + advices + trunc" -n2
bytes 10240 >X
strace -qq -o trace -P "$work/Y" -e inject=write:retval=1024:when=3 "$wb" -p0 -n1 -s "read+write 1k" <X >Y 2>err
holds "a mismatch is told with its offset" err '^copied wrongly: read\+write 1k: differs from the input at byte 2048\.$'
strace -qq -o trace -P "$work/Y" -e inject=write:error=ENOSPC "$wb" -p0 -n1 -s "read+write 1k" <X >Y 2>err
is "where not even a plain copy succeeds, the exit status says so" $? 1
holds "... and a message" err '^write-bench: standard output: is not a copy of the input: write: ENOSPC .*: free space'
"$wb" -p0 -n1 -s sendfile <X >Y 2>err
is "... which it does not without the fault" $? 0
strace -qq -o trace -P "$work/Y" -e inject=write:error=ENOSPC "$wb" -p0 -n1 -s "read+write 1k" <X >Y 2>err
holds "a failure is told with call, errno and remedy" err '^failed: read\+write 1k: write says ENOSPC \(No space left on device\): free'

# An output that can't be emptied is no fault of the row.
fault 1 "failed EPERM" "an output that can't be emptied" ftruncate:error=EPERM:when=1 sendfile
# An output without any block is compared whenever it is met, where the file system tells.
if have filefrag && filefrag Y 2>/dev/null | grep -q extent; then
	fault 1 mismatch "a lie in a middle round, without a block written" sendfile:retval=10240:when=2 \
		"sendfile + advices + trunc" -n3
else
	skip "a lie in a middle round" "no filefrag, or no FIEMAP on this file system"
fi

# What is inside the clock, and what is not, by calls that take 0.4 s longer.
clock() { # WHAT, INJECTION, IN OR OUT
	strace -qq -o trace -P "$work/X" -P "$work/Y" -e inject="$2" \
		"$wb" -p0 -n1 -s "sendfile + advices + falloc" -f csv -o report.csv <X >Y 2>err
	[ "$(column 3 report.csv)" -ge 400000000 ] && where=in || where=out
	is "$1: $3side the clock" "$where $(grep -c DELAYED trace)" "$3 1"
}
clock "advice" fadvise64:delay_enter=400000:when=1 in
clock "allocation" fallocate:delay_enter=400000 in
clock "the copy" sendfile:delay_enter=400000 in
clock "emptying the output" ftruncate:delay_enter=400000 out
clock "taking advice back" fadvise64:delay_enter=400000:when=3 out
clock "comparing" pread64:delay_enter=400000 out
strace -qq -o trace -T -e inject=ftruncate:delay_exit=300000 "$wb" -p0.2 -n1 -s sendfile <X >Y 2>err
is "after an output that takes long to be emptied, half of the pause is left" \
	"$(sed -n 's/^clock_nanosleep.*<\(.*\)>$/\1/p' trace | awk '$1 > 0.09' | wc -l | tr -d ' ')" 1

# What stands around a run.
strace -qq -o trace "$wb" -p0.001 -n5 -s "sendfile + advices" --no-verify <X >Y 2>err
is "a pause before each run" "$(grep -c '^clock_nanosleep' trace)" 5
is "advice for each run, taken back after it" "$(grep -o 'POSIX_FADV_[A-Z]*' trace | uniq -c | tr -s ' \n' ' ')" \
	"$(for _ in 1 2 3 4 5; do printf ' 1 POSIX_FADV_SEQUENTIAL 1 POSIX_FADV_WILLNEED 1 POSIX_FADV_NORMAL'; done) "
is "the output is emptied before each run" "$(grep -c '^ftruncate(1, 0)' trace)" 5
strace -qq -o trace -P "$work/X" -e read "$wb" -p0 -n2 -s sendfile --no-verify <X >Y 2>err
is "the input is read once beforehand" "$(sed -n 's/^read(0,.* = //p' trace | awk '{ n += $1 } END { print n }')" 10240
