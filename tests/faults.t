#!/bin/sh
# Promise 3: what a call that fails does to its row. Refused before the first byte: n/a, with the errno; refused later,
# or by any other errno: failed; a call that lies about its bytes: mismatch. With status 0 or 1 the output is a copy all
# the same; before anything was touched it is left as it was, with 2. A line of the tables is a fault that strace(1)
# gives to calls of one row; faults-matrix.t has all calls of all rows.
# Tried: EXDEV that is a failure; EDQUOT that is n/a; no compare of the last copy; a thread that begins without the
# Tried: descriptors that were opened anew; a length that is compared in the first round alone; a write of nothing to
# Tried: the spool that counts.
. "$(dirname "$0")/tap.sh"

strace -f --seccomp-bpf -qq -o /dev/null true 2>/dev/null ||
	skip_all "no strace, or it may not trace here, or is older than 5.3"
# fault WANTED PATHS INJECTION ROW OPTION...: the status and the row's last outcome, where these calls, on these paths
# (-P FILE..., or on any), meet that fault. The input is as long as $length; what the output held is in "before".
fault() {
	wanted=$1 paths=$2 call=${3%%:*} injection=$3 row=$4
	shift 4
	[ "$(wc -c <X)" = "$length" ] || seq 999999 | head -c "$length" >X # the same bytes each time
	head -c "$length" before >Y
	# shellcheck disable=SC2086
	strace -f --seccomp-bpf -qq -o trace $paths -e trace="$call" -e inject="$injection" \
		"$wb" -p0 -n1 -q -s "$row" -f csv -o csv "$@" <X 1<>Y 2>err
	got=$?
	grep -q INJECTED trace || got="nothing was injected, $got"
	cmp -s X Y || got="no copy, $got"
	is "$injection: $row${*:+ $*}" "$got $(column 4,5 csv | tail -n 1)" "$wanted"
}
: >X
bytes 300000 >before
length=10240
for errno in ENOSYS EOPNOTSUPP EINVAL EPERM EXDEV EACCES ENOTTY ESPIPE ETXTBSY EOVERFLOW; do
	fault "1 n/a $errno,sendfile" "-P X -P Y" "sendfile:error=$errno" sendfile
done
for errno in EIO ENOSPC EDQUOT EFBIG ENOMEM EAGAIN EBUSY; do
	fault "1 failed $errno,sendfile" "-P X -P Y" "sendfile:error=$errno" sendfile
done

# What is wanted: status, outcome, detail; the length; paths; the fault; the row; options.
while IFS='|' read -r wanted length paths injection row options; do
	case $row in
	*uring* | *direct*)
		"$wb" -n1 -p0 -q -s "$row" -f csv -o csv <before 2>err >Y
		[ "$(column 4 csv)" = ok ] || or_skip "$injection: $row" "without a fault it is not ok here" || continue
		;;
	esac
	# shellcheck disable=SC2086
	fault "$wanted" "$paths" "$injection" "$row" $options
done <<'END'
1 failed EINVAL,write|10240|-P Y|write:error=EINVAL:when=2|read+write 1k|
1 failed,"too few bytes: the input ended early|10240|-P X|read:retval=0:when=3|read+write 1k|
1 failed EPERM,ftruncate|10240|-P Y|ftruncate:error=EPERM:when=1|sendfile|
1 n/a EACCES,io_uring_enter|10240||io_uring_enter:error=EACCES|io_uring read+write 8x128k|
1 failed EBUSY,io_uring_enter|10240||io_uring_enter:error=EBUSY|io_uring splice 1m|
1 n/a EINVAL,open|100000|-P /proc/self/fd/0|openat:error=EINVAL|direct 1m|
1 failed EINVAL,pwrite|3000000|-P Y|pwrite64:error=EINVAL:when=2|direct 1m|
1 mismatch,2048|10240|-P Y|write:retval=1024:when=3|read+write 1k|
1 mismatch,9216|10240|-P Y|write:retval=1024:when=3|read+write 1k|--no-verify
1 mismatch,65536|100000|-P Y|write:retval=34464:when=4|read+write 64k|-n2
1 mismatch,0|10240|-P Y|sendfile:retval=10240:when=2|sendfile + advices + trunc|-n3
END

# Threads that begin late, and in any order, have the ends that were opened anew from their first call on. The first of
# all calls is of the main thread.
bytes 3000000 >X
if "$wb" -n1 -p0 -q -s "threads direct 1m" -f csv -o csv <X 2>err >Y && [ "$(column 4 csv)" = ok ] ||
	or_skip "direct I/O by threads" "there is none here"; then
	strace -f -qq -o trace -e trace=futex,pread64,openat -e inject=futex:delay_enter=2000 "$wb" -p0 -n1 -q \
		-s "threads direct 1m" --no-verify <X >Y 2>err
	is "each thread of direct 1m reads by direct I/O" "$(awk '
		NR == 1 { main = $1 }
		/openat.*O_DIRECT[^O]/ { direct[$NF] = 1 }
		$1 != main && /pread64\(/ { sub(/,.*/, ""); sub(/.*\(/, "");
			print $0 in direct ? "direct" : "buffered" }' trace |
		sort -u)" direct
fi

# What is read ahead of a pipe is all there, or nothing is copied.
cp before Y
cat X | strace -f --seccomp-bpf -qq -o trace -e trace=write -e inject=write:retval=0:when=2 "$wb" -p0 -n1 \
	-q -s "read+write 1k" 1<>Y 2>err
is "a write that stores nothing of an input that is read ahead: refused" "$? $(cmp before Y)" "2 "
under="strace -qq -o trace -e trace=pwrite64 -e inject=pwrite64:retval=0:when=1"
rows_become '0 $ dd,n/a;read+write 1k,ok' "... of a part of the input: the command that needs it is n/a" \
	-q -z 9000 -s 'read+write 1k,$ *' --with=dd <X >Y
