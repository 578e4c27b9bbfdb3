#!/bin/sh
# What the kernel refuses, and what it gets wrong, by strace's fault injection: n/a only before the
# first byte, failure after it, and a call that claims bytes which it did not move is found out.
# Tried: it fails where a call that fails after the first byte is n/a; interrupted calls are not made again; what a file
# Tried: holds is not compared; the last copy is not compared; advice is not taken back; the pause is over when the ends are
# Tried: ready; a thread begins before it has the descriptors that were opened anew.
. "$(dirname "$0")/tap.sh"

have strace || skip_all "no strace"
strace -f --seccomp-bpf -qq -o /dev/null true 2>/dev/null || skip_all "strace may not trace here, or is older than 5.3"
bytes 10240 >X
# fault STATUS OUTCOME WHAT INJECTION ROW [OPTION...]: exit status and the row's last outcome. Only
# calls on the input, the output or a pipe are meddled with: not those of the program's start. Where
# they can't be selected by a path: paths='path...', or paths= for all.
ends="X Y" # strace finds their absolute paths itself
in=X
cloned=$(shares && echo shared || echo ok) # copy_file_range's outcome here
fault() {
	status=$1 outcome=$2 what=$3 injection=$4 row=$5
	shift 5
	selected=
	for path in ${paths-$ends}; do selected="$selected -P $path"; done
	# shellcheck disable=SC2086
	strace -f --seccomp-bpf -qq -o trace $selected -e trace="${injection%%:*}" -e inject="$injection" \
		"$wb" -p0 -n1 -s "$row" -f csv -o report.csv "$@" <"$in" >Y 2>err
	is "$what: $injection: $row" "$? $(tail -n 1 report.csv | cut -d, -f4)" "$status $outcome"
	grep -q '(INJECTED\|(DELAYED' trace || fail "$what: nothing was injected" trace
	[ "${copy_left-}" ] || same "... and standard output is a copy all the same" X Y
}
for call in sendfile splice copy_file_range mmap fallocate; do
	case $call in
	splice) name=pipe+splice ;;
	mmap) name=mmap+write ;;
	fallocate) name="sendfile + advices + falloc" ;;
	*) name=$call ;;
	esac
	# Which errors are refusals is the same for all calls.
	case $call in
	sendfile) refusing="ENOSYS EOPNOTSUPP EINVAL EPERM EXDEV" failing="EIO ENOSPC EDQUOT EFBIG ENOMEM" ;;
	*) refusing=EINVAL failing=EIO ;;
	esac
	for err in $refusing; do
		fault 1 "n/a $err" "refused" "$call:error=$err" "$name"
	done
	for err in $failing; do
		fault 1 "failed $err" "failed" "$call:error=$err" "$name"
	done
done
# The input is evicted before, on a disk twice, and advice taken back; the file system is synced, and a block of the input read.
case $(stat -f -c %T .) in tmpfs | ramfs) when=3 asked='' syncs=0 read=10240 ;; *) when=4 asked=D syncs=6 read=20480 ;; esac
fault 1 "n/a EINVAL" "advice refused" fadvise64:error=EINVAL:when=$when "sendfile + advices"
fault 1 "n/a EINVAL" "allocation refused" ftruncate:error=EINVAL:when=2 "sendfile + advices + trunc"
fault 1 "failed EINVAL" "refused, but after the first byte" write:error=EINVAL:when=2 "read+write 1k"
fault 1 "failed EINVAL" "refused, but after the first byte" read:error=EINVAL:when=3 "read+write 1k"
fault 1 "failed EIO" "failed in the middle" write:error=EIO:when=2 "read+write 1k"
fault 1 "failed short" "a write that moves nothing" write:retval=0:when=2 "read+write 1k"
fault 1 "failed short" "an early end" read:retval=0:when=3 "read+write 1k"
fault 0 "ok" "interrupted calls are made again" read:error=EINTR:when=2+2 "read+write 1k"
fault 0 "ok" "interrupted calls are made again" write:error=EINTR:when=1+2 "read+write 1k"
fault 0 "ok" "interrupted calls are made again" sendfile:error=EINTR:when=1 sendfile
fault 0 "ok" "interrupted calls are made again" splice:error=EINTR:when=1+2 pipe+splice
fault 0 "$cloned" "interrupted calls are made again" copy_file_range:error=EINTR:when=1 copy_file_range
fault 0 "ok" "interrupted calls are made again" ftruncate:error=EINTR:when=1+2 "sendfile + advices + trunc"
for advice in falloc kfalloc pfalloc; do
	fault 0 "ok" "interrupted calls are made again" fallocate:error=EINTR:when=1 "sendfile + advices + $advice"
done
# The answers of a receiver: "ready", and what it has received.
for call in 1 2; do
	paths='' copy_left=1 fault 0 "ok" "interrupted calls are made again" recvfrom:error=EINTR:when=$call sendfile --send
done

# The rows of kernels since then.
for err in ENOSYS EPERM; do
	paths='' fault 1 "n/a $err" "forbidden" "io_uring_setup:error=$err" "io_uring read+write 8x128k"
	paths='' fault 1 "n/a $err" "forbidden" "io_uring_setup:error=$err" "io_uring splice 1m"
done
paths='' fault 1 "n/a EACCES" "forbidden" io_uring_enter:error=EACCES "io_uring read+write 8x128k"
paths='' fault 1 "failed EBUSY" "failed" io_uring_enter:error=EBUSY "io_uring splice 1m"
paths='' fault 0 "ok" "interrupted calls are made again" io_uring_enter:error=EINTR:when=1+2 "io_uring read+write 8x128k"
paths='' fault 0 "ok" "interrupted calls are made again" io_uring_enter:error=EINTR:when=1+2 "io_uring splice 1m"
paths='' fault 1 "n/a EINVAL" "refused" vmsplice:error=EINVAL vmsplice+splice
paths='' fault 1 "failed EMFILE" "a pipe that can't be made" pipe2:error=EMFILE vmsplice+splice
fault 1 "n/a EOPNOTSUPP" "refused" preadv2:error=EOPNOTSUPP "uncached 1m"
fault 1 "n/a ENOSYS" "refused" sync_file_range:error=ENOSYS "write-behind 8m"
fault 1 "failed EIO" "failed" sync_file_range:error=EIO:when=2 "write-behind 8m"
for call in mmap pwrite64; do
	case $call in mmap) name="mmap+mmap + trunc" ;; *) name="threads read+write 256k" ;; esac
	fault 1 "n/a ENODEV" "refused" "$call:error=ENODEV" "$name" --no-verify
	fault 1 "failed EIO" "failed" "$call:error=EIO" "$name" --no-verify
done
fault 1 "n/a EXDEV" "refused" copy_file_range:error=EXDEV "threads copy_file_range"
fault 0 "ok" "interrupted calls are made again" pwrite64:error=EINTR:when=1+2 "threads read+write 256k"
copy_left=no # each thread has a first call of its own, and so has the copy that is made at the end
in=/dev/zero # which is not read beforehand
paths="$in" fault 1 "n/a ENODEV" "refused" pread64:error=ENODEV "threads read+write 256k" -z 10k --no-verify
paths="$in" fault 1 "failed EIO" "failed" pread64:error=EIO "threads read+write 256k" -z 10k --no-verify
paths="$in" fault 1 "failed EIO" "a reader that fails" read:error=EIO:when=1 "ring read+write 256k" -z 300k
paths="$in" fault 1 "failed EIO" "... in the middle" read:error=EIO:when=2 "ring read+write 256k" -z 300k
paths="$in" fault 1 "failed short" "a reader that finds an early end" read:retval=0:when=2 "ring read+write 256k" -z 300k
in=X
fault 1 "failed ENOSPC" "a writer that fails" write:error=ENOSPC:when=1 "ring read+write 256k"
fault 1 "failed short" "a writer that moves nothing" write:retval=0:when=1 "ring read+write 256k"
fault 1 mismatch "a lie" write:retval=10240:when=1 "ring read+write 256k + trunc"
copy_left=
paths='' fault 1 "failed EAGAIN" "no thread" clone3,clone:error=EAGAIN "ring read+write 256k"
fault 1 "failed EIO" "failed" read:error=EIO:when=2 "stdio 4k"
fault 1 "failed ENOSPC" "failed" write:error=ENOSPC:when=1 "stdio 4k"
fault 1 "failed EIO" "failed" read:error=EIO:when=1 "read+mmap 256k + trunc"
# Direct I/O: the ends are opened anew, both before the first row, too: the output to be verified, the input to see if its
# file system has direct I/O.
paths=/proc/self/fd/0 fault 1 "n/a EINVAL" "refused" openat:error=EINVAL "direct 1m"
paths=/proc/self/fd/1 fault 1 "n/a EINVAL" "refused" openat:error=EINVAL:when=2 "direct 1m"
paths='/proc/self/fd/0 /proc/self/fd/1' fault 1 "n/a EACCES" "an output that can't be opened for reading" openat:error=EACCES:when=2 "mmap+mmap + trunc"
if [ "$("$wb" -n1 -p0 -s "direct 1m" -f csv <X 2>&1 >Y | tail -n 1 | cut -d, -f4)" = ok ]; then
	strace -qq -o trace -P X -P /proc/self/fd/0 -e trace=openat,pread64 -e inject=pread64:error=EINVAL:when=3 "$wb" -p0 -n1 -s "direct 1m" -f csv -o csv <X >Y 2>err
	if [ "$(grep -c 'O_RDONLY|O_DIRECT' trace)" = 2 ]; then
		is "refused: the first direct read of the row" "$(tail -n 1 csv | cut -d, -f4)" "n/a EINVAL"
		same "... and standard output is a copy all the same" X Y
	else
		skip "the first direct read of the row is refused" "the input did not leave the page cache, and was not read directly before"
	fi
	fault 1 "n/a EINVAL" "refused" pwrite64:error=EINVAL:when=1 "direct write 1m"
	bytes 3000000 >X
	fault 1 "failed EINVAL" "refused, but after the first byte" pwrite64:error=EINVAL:when=2 "direct 1m"
	bytes 10001 >X # ends within a block, whatever that is
	strace -qq -o trace -e trace=openat,pwrite64 "$wb" -p0 -n1 -s "direct 1m" --no-verify <X >Y 2>err
	direct=$(sed -n 's/^openat(.*O_WRONLY.*O_DIRECT.* = //p' trace)
	is "whole blocks are written by direct I/O, the tail is not" \
		"$(sed -n 's/^pwrite64(\([0-9]*\),.* \([0-9]*\), \([0-9]*\)) .*/\1 \2 \3/p' trace |
			awk -v direct="$direct" 'NR == 1 && $1 == direct && $2 % 512 == 0 { at = $2 }
				NR == 2 && $1 == 1 && $2 < 4096 && $3 == at { print $2 + $3 }')" 10001
	fault 1 "failed EIO" "a tail that fails" pwrite64:error=EIO:when=2 "direct write 1m"
	# Threads that begin late, and in any order, have them from their first call on. The first of all calls is of the main thread.
	bytes 3000000 >X
	strace -f -qq -o trace -e trace=futex,pread64 -e inject=futex:delay_enter=2000 "$wb" -p0 -n1 -s "threads direct 1m" --no-verify <X >Y 2>err
	awk 'NR == 1 { main = $1 } $1 != main && /pread64\(/ { sub(/,.*/, ""); sub(/.*\(/, ""); print ($0 == 0 ? "buffered" : "direct") }' trace |
		sort -u >begun
	is "each thread of direct 1m reads by direct I/O" "$(cat begun)" direct
	bytes 10240 >X
else
	skip "direct I/O" "this file system has none, or other blocks"
fi
bytes 3000000 >X
if [ "$("$wb" -n1 -p0 -s "uncached 1m" -f csv <X 2>&1 >Y | tail -n 1 | cut -d, -f4)" = ok ]; then
	fault 1 "n/a EOPNOTSUPP" "refused" pwritev2:error=EOPNOTSUPP:when=1 "uncached 1m"
	fault 1 "failed EOPNOTSUPP" "refused, but after the first byte" pwritev2:error=EOPNOTSUPP:when=2 "uncached 1m"
	fault 1 mismatch "a lie" pwritev2:retval=1048576:when=1 "uncached 1m"
	strace -qq -o trace -e trace=preadv2,pwritev2 "$wb" -p0 -n1 -s "uncached 1m" --no-verify <X >Y 2>err
	is "each uncached call has its flag" "$(grep -c '^p' trace) $(grep '^p' trace | grep -vc 'RWF_DONTCACHE\|0x80')" "6 0"
else
	skip "uncached I/O" "this kernel or file system has none"
fi
bytes 3145728 >X # whole blocks only: the first one of a thread may be any of them
fault 1 mismatch "a lie of a thread" pwrite64:retval=262144:when=1 "threads read+write 256k"
head -c 20000000 /dev/zero >X
strace -qq -o trace -P "$work/Y" -e trace=sync_file_range,fadvise64 "$wb" -p0 -n1 -s "write-behind 8m" --no-verify <X >Y 2>err
is "write-behind waits for one window while it writes the next, and drops what is on the disk" \
	"$(sed 's/.*(1, \([0-9]*, [0-9]*\), \([A-Z_|]*\)).*/\1 \2/;s/SYNC_FILE_RANGE_//g;s/POSIX_FADV_//;/^---/d;/(1, 0, 1, 0)/d' trace)" \
	"0, 8388608 WRITE
8388608, 8388608 WRITE
0, 8388608 WAIT_BEFORE|WRITE|WAIT_AFTER
0, 8388608 DONTNEED
16777216, 3222784 WRITE
8388608, 11611392 WAIT_BEFORE|WRITE|WAIT_AFTER
8388608, 11611392 DONTNEED"
bytes 1000000 >X
# What a row needs is made inside the clock: calls that take longer, for rings, threads, pipes.
for row in "io_uring read+write 8x128k" "threads read+write 256k" "pipe+splice 1m"; do
	strace -f -qq -o trace -e trace=io_uring_setup,clone,clone3,pipe2 -e inject=io_uring_setup,clone3,clone,pipe2:delay_enter=100000 \
		"$wb" -p0 -n1 -s "$row" --no-verify -f csv -o report.csv <X >Y 2>err
	is "$row: what it needs is made inside the clock" "$? $(($(column 3 report.csv) > 100000000))" "0 1"
done
bytes 10240 >X

# Lies: the call says that it has moved what it has not.
fault 1 mismatch "nothing was written" copy_file_range:retval=10240 copy_file_range
fault 1 mismatch "nothing was written, in the right size" sendfile:retval=10240 "sendfile + advices + trunc"
fault 1 mismatch "nothing was written, in the right size" sendfile:retval=10240 "sendfile + advices + falloc"
fault 1 mismatch "a block was left out" write:retval=1024:when=3 "read+write 1k"
fault 1 mismatch "a byte was left out" write:retval=1:when=1 "read+write 256k"
fault 1 mismatch "a size that is wrong, and bytes not compared" write:retval=1024:when=3 "read+write 1k" --no-verify
bytes 100000 >X # two calls of 64 KiB: some of the output is there
fault 1 mismatch "a lie in the last round, when the row has been compared, about the length" write:retval=34464:when=4 \
	"read+write 16bs + advices" -n2
bytes 10240 >X
strace -qq -o trace -P "$work/Y" -e inject=write:retval=1024:when=3 "$wb" -p0 -n1 -s "read+write 1k" <X >Y 2>err
holds "a mismatch is reported with its offset" err '^Copied wrongly: read\+write 1k: differs from the input at byte 20(48|49|50)\.$'
strace -qq -o trace -P "$work/Y" -e inject=write:error=ENOSPC "$wb" -p0 -n1 -s "read+write 1k" <X >Y 2>err
is "where not even a plain copy succeeds, the exit status says so" $? 1
holds "... and a message" err '^write-bench: standard output: is not a copy of the input: write: ENOSPC .*: free space'
"$wb" -p0 -n1 -s sendfile <X >Y 2>err
is "... which it does not without the fault" $? 0
strace -qq -o trace -P "$work/Y" -e inject=write:error=ENOSPC "$wb" -p0 -n1 -s "read+write 1k" <X >Y 2>err
holds "a failure is reported with call, errno and remedy" err '^Failed: read\+write 1k: write: ENOSPC \(No space left on device\): free'

# An output that can't be emptied is no fault of the row.
fault 1 "failed EPERM" "an output that can't be emptied" ftruncate:error=EPERM:when=1 sendfile
# An output without any block is compared whenever it is met, where the file system reports it.
if have filefrag && filefrag Y 2>/dev/null | grep -q extent; then
	fault 1 mismatch "a lie in a middle round, without a block written" sendfile:retval=10240:when=2 \
		"sendfile + advices + trunc" -n3
else
	skip "a lie in a middle round" "no filefrag, or no FIEMAP on this file system"
fi

# What is inside the clock, and what is not, by calls that take longer.
slowly() { # MILLISECONDS INJECTION...: all of these take as long, each; the calls that did, and the milliseconds of the run
	ms=$1
	shift
	for injection; do set -- "$@" -e inject="$(echo "$injection" | sed "s/:\|$/:delay_enter=${ms}000&/")" && shift; done
	strace -qq -o trace -P "$work/X" -P "$work/Y" "$@" "$wb" -p0 -n1 -s "sendfile + advices + falloc" -f csv -o report.csv <X >Y 2>err
	sed -n 's/(.*(DELAYED).*//p' trace | sort -u | tr '\n' ' '
	took=$(($(column 3 report.csv) / 1000000))
}
slowly 100 fadvise64:when=$when fallocate sendfile >slow # advice, allocation, the copy
is "advice, allocation and the copy are inside the clock" "$(cat slow)$((took >= 300))" "fadvise64 fallocate sendfile 1"
# Evicting the input, and taking advice back; emptying and syncing the output; reading the input once, and comparing.
case $(stat -f -c %T .) in tmpfs | ramfs) sync= ;; *) sync=syncfs ;; esac
for ms in 100 400 1600 6400; do # by so much that it can be distinguished from what a machine that stands still adds
	slowly $ms fadvise64:when=$((when - 1))+3 ftruncate $sync pread64:when=1+2 >slow
	[ "$took" -ge "$ms" ] || break
done
is "reading, evicting, emptying, syncing and comparing are outside the clock" "$(cat slow)$((took < ms))" "fadvise64 ftruncate pread64 ${sync:+$sync }1"
for pause in 0.2 1 5 20; do
	strace -qq -o trace -T -e inject=ftruncate:delay_exit="$(awk "BEGIN { printf \"%.0f\", $pause * 1500000 }")" "$wb" -p$pause -n2 -s sendfile <X >Y 2>err
	slept=$(sed -n 's/^clock_nanosleep.*<\(.*\)>$/\1/p' trace | awk -v pause=$pause '$1 > 0.45 * pause { print ($1 > 0.9 * pause) }' | tr '\n' ' ')
	[ "$slept" != "1 0 " ] || break
done
is "after an output that took long to be emptied, half of the pause is left" "$slept" "1 0 "

# What stands around a run.
strace -qq -o trace "$wb" -p0.001 -n5 -s "sendfile + advices" --no-verify <X >Y 2>err
is "a pause before each run" "$(grep -c '^clock_nanosleep' trace)" 5
is "the input is evicted, then advice for each run, taken back before it" \
	"$(sed -n 's/.*POSIX_FADV_\(.\).*/\1/p' trace | tr -d '\n')" ${asked}DNSWNSWNSWNSWNSWN
is "the output is emptied before each run, and before the copy that stays" "$(grep -c '^ftruncate(1, 0)' trace)" 6
is "... and its file system synced" "$(grep -c '^syncfs(1)' trace)" $syncs
strace -qq -o trace -P "$work/X" -e pread64 "$wb" -p0 -n2 -s sendfile --no-verify <X >Y 2>err
# Where nothing can be evicted, as on an overlay over memory, there is no block to read.
is "the input is read once beforehand, and on a disk a block of it" "$(sed -n 's/^pread64(0,.* = //p' trace | awk -v most=$read '{ n += $1 } END { print (n == 10240 ? most : n) }')" $read
