#!/bin/sh
# Headers of any age: what a kernel can do is asked of the kernel, so the same rows run whatever the program was built
# with. Here with this machine's headers less what came after Linux 4.18, and with those of Debian 11 (5.10), with and
# without linux/io_uring.h.
# Tried: it fails where linux/io_uring.h is included; a name or number of a system call is not there in 5.10 or 4.18; a
# Tried: request's fields are elsewhere than in the kernel's; an operation has another number; a function of glibc 2.30
# Tried: is called.
. "$(dirname "$0")/tap.sh"
. "$top/tests/debian.sh"

have cc || skip_all "no cc"
mkdir libc kernel
own= # directories of the compiler's headers
echo | cc -E -v -x c - 2>&1 >preprocessed | sed -n '/^#include <\.\.\.> search/,/^End of search/s/^ //p' >directories
number=0
while IFS= read -r directory; do
	if [ -e "$directory/stddef.h" ]; then
		own="$own -isystem $directory"
		continue
	fi
	number=$((number + 1))
	mkdir "libc/$number"
	for entry in "$directory"/*; do
		case ${entry##*/} in
		linux | asm | asm-generic) cp -RL "$entry" kernel/ ;;
		*) ln -s "$entry" "libc/$number/" ;;
		esac
	done
done <directories
{ [ -e kernel/linux/fs.h ] && [ -e kernel/asm/unistd.h ]; } ||
	skip_all "cc has no directories of kernel headers that are not libc's"

bytes 300001 >X
outcomes() { # PROGRAM: of all rows, from X to Y, save those about which the page cache decides, run by run
	"$1" -a -n1 -p0 --in-order --no-verify --exclude='*direct*,uncached*' -f csv <X 2>csv >Y
	column row,outcome csv
}
outcomes "$wb" >wanted
# with_headers WHAT DIRECTORY...: the program is built with the kernel headers in these, and is the same
with_headers() {
	what=$1
	shift
	for directory; do
		set -- "$@" -isystem "$directory"
		shift
	done
	for directory in libc/*; do
		set -- "$@" -isystem "$directory"
	done
	# shellcheck disable=SC2086
	cc -std=gnu11 -pthread -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-declarations -O0 \
		-nostdinc $own "$@" \
		-o built "$top/write-bench.c" -lrt 2>err
	is "it builds without a warning with $what" "$? $(cat err)" "0 "
	outcomes ./built >got
	same "... all rows run as they do otherwise" wanted got
	same "... and Y is a copy" X Y
	rm -f built
}
holds "io_uring's rows are among them" wanted '^io_uring splice 1m,(ok|n/a EPERM|n/a ENOSYS)$'
run 0 "... and most are ok" [ "$(grep -c ',ok$' wanted)" -gt 50 ]

rm -f kernel/linux/io_uring.h
find kernel/asm kernel/asm-generic -name 'unistd*.h' -exec sed -i -E \
	'/__NR_[a-z0-9_]+[[:space:]]+(\(__NR_Linux[^)]*)?4(2[4-9]|[3-9][0-9])\)?$/d' {} +
newer='CIFS|SMB2|XFS|Z3FOLD|EXFAT|EROFS|ZONEFS|SECRETMEM|PID_FS|DMA_BUF|DEVMEM|BCACHEFS|GUEST_MEMFD|NULL_FS'
sed -i -E "/_MAGIC[[:space:]]/{/($newer)_/d}" kernel/linux/magic.h
sed -i -E '/RWF_(DONTCACHE|ATOMIC|NOAPPEND|NOSIGNAL)/d' kernel/linux/fs.h
with_headers "headers less what came after Linux 4.18" kernel

# The numbers and structs of io_uring, where this machine's headers have those of 5.17.
cat >layout.c <<'END'
#define main write_bench
#include "write-bench.c"
#undef main
#include <linux/io_uring.h>
#ifndef IORING_FEAT_CQE_SKIP
#error older
#endif
#define IS(ours, theirs) _Static_assert((ours) == (theirs), #theirs)
#define AT(ours, field, theirs, name) \
	IS(offsetof(struct ours, field), offsetof(struct theirs, name)); \
	IS(sizeof((struct ours *)0)->field, sizeof((struct theirs *)0)->name)
END
while read -r ours theirs fields; do
	case $fields in
	'') echo "IS($ours, $theirs);" ;;
	*)
		echo "IS(sizeof(struct $ours), sizeof(struct $theirs));"
		for field in $fields; do echo "AT($ours, ${field%=*}, $theirs, ${field#*=});"; done
		;;
	esac
done >>layout.c <<'END'
OFF_SQ_RING IORING_OFF_SQ_RING
OFF_CQ_RING IORING_OFF_CQ_RING
OFF_SQES IORING_OFF_SQES
ENTER_GETEVENTS IORING_ENTER_GETEVENTS
ENTER_EXT_ARG IORING_ENTER_EXT_ARG
FEAT_CQE_SKIP IORING_FEAT_CQE_SKIP
OP_NOP IORING_OP_NOP
OP_READ IORING_OP_READ
OP_WRITE IORING_OP_WRITE
OP_SPLICE IORING_OP_SPLICE
SQE_ASYNC IOSQE_ASYNC
SQE_CQE_SKIP_SUCCESS IOSQE_CQE_SKIP_SUCCESS
SYS_IO_URING_SETUP SYS_io_uring_setup
SYS_IO_URING_ENTER SYS_io_uring_enter
uring_sq_offsets io_sqring_offsets head tail ring_mask array
uring_cq_offsets io_cqring_offsets head tail ring_mask cqes
uring_params io_uring_params sq_entries cq_entries setup_flags=flags features sq_off cq_off
uring_sqe io_uring_sqe opcode sqe_flags=flags fd off addr splice_off_in io_len=len splice_flags user_data splice_fd_in
uring_cqe io_uring_cqe user_data res
uring_wait io_uring_getevents_arg sigmask ts
END
if cc -std=gnu11 -fsyntax-only -w -I "$top" layout.c 2>err; then
	pass "io_uring's numbers and structs are the kernel's"
elif grep -Eq 'error older|io_uring\.h: No such file' err; then
	skip "io_uring's numbers and structs" "headers older than Linux 5.17"
else
	fail "io_uring's numbers and structs are the kernel's" err
fi

# Functions of libc: all of glibc 2.28. Some have a newer version under their old name since then.
moved='__libc_start_main|__isoc23_[a-z]+|[fl]?stat(at)?(64)?|(pthread|sem|timer)_[a-z]+(_[a-eg-z][a-z]*)?'
moved="$moved|pthread_mutex(attr)?_[a-z]+|shm_open|shm_unlink"
if ! have objdump; then
	skip "libc's functions" "no objdump"
elif ! objdump -T "$wb" | grep -q GLIBC_; then
	skip "libc's functions" "the program is not linked with glibc"
else
	is "no function is called that came after glibc 2.28" \
		"$(objdump -T "$wb" | sed -nE 's/.*\*UND\*.* \(?GLIBC_2\.(29|[3-9][0-9])(\.[0-9]+)?\)? +//p' |
			grep -Evx "$moved" | sort -u | paste -sd ' ')" ""
fi

full "headers of Debian 11" || exit 0
if unpack_package bullseye linux-libc-dev "$PWD/old" ||
	or_skip "headers of Debian 11" "they can't be fetched: $(tail -n 1 old/apt.err)"; then
	debian11=
	for directory in old/usr/include/*-linux-*; do
		[ ! -d "$directory/asm" ] || debian11=$directory
	done
	with_headers "Debian 11's, of Linux 5.10" ${debian11:+"$debian11"} old/usr/include
	rm old/usr/include/linux/io_uring.h
	with_headers "... less linux/io_uring.h" ${debian11:+"$debian11"} old/usr/include
fi
