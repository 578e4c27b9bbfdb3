#!/bin/sh
# Every row, every system call that it makes, every fault: what faults.t asserts of some that were thought of,
# faults-matrix.pl asserts of all that --list and strace(1) show, by rules. A new row is covered by being there.
# Tried: without making calls again after EINTR, in RETRY()
# Tried: without comparing any byte
# Tried: without O_TMPFILE, and without removing the spool's file
# Tried: n/a after the first byte
# Tried: without the plain copy at the end, when the last run left none
# Tried: without saying that standard output is no copy of an input that changed
# Tried: taking a failing fstat of the output for its right size
# Tried: taking a failing wait4 for success
# Tried: believing io_uring_enter, not the ring, in how many entries it has taken
. "$(dirname "$0")/tap.sh"

have strace || skip_all "no strace"
have perl || skip_all "no perl"
strace -f --seccomp-bpf -qq -o /dev/null -e trace=getppid -e inject=getppid:error=EIO:when=1..2 true 2>/dev/null ||
	skip_all "strace may not trace here, or is older than 5.17"
full=
! full "all rows, and all faults of each call" || full=1
# Calls are found again by their numbers, and the output is looked at once for each loop device that there is.
without_loops perl "$top/tests/faults-matrix.pl" "$wb" "$work" "$full" "${JOBS:-$(nproc)}" >said 2>err ||
	fail "faults-matrix.pl ran to its end" err
pass_on said
