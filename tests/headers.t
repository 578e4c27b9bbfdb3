#!/bin/sh
# Headers of any age: what a kernel can do is asked of the kernel, so the same rows run whatever the program was built
# with. Here with this machine's headers less what came after Linux 4.18, and with those of Debian 11 (5.10), with and
# without linux/io_uring.h. A line of the table is a number or a struct of io_uring: ours, the kernel's, and its fields.
# Tried: linux/io_uring.h is included; a number of a system call, or a name, that is not there in 5.10; a field that is
# Tried: elsewhere than in the kernel's; an operation of another number.
. "$(dirname "$0")/tap.sh"
. "$top/tests/debian.sh"

full "headers" || exit 0
have cc || skip_all "no cc"
mkdir libc kernel
number=0
echo | cc -E -v -x c - 2>&1 >preprocessed | sed -n '/^#include <\.\.\.> search/,/^End of search/s/^ //p' >directories
while IFS= read -r directory; do
	each=libc/$((number += 1)) # they stay in their order
	mkdir "$each"
	for entry in "$directory"/*; do
		case ${entry##*/} in
		linux | asm | asm-generic) cp -RL "$entry" kernel/ ;;
		*) ln -s "$entry" "$each/" ;;
		esac
	done
done <directories
{ [ -e kernel/linux/fs.h ] && [ -e kernel/asm/unistd.h ]; } ||
	skip_all "cc has no directories of kernel headers that are not libc's"

bytes 300001 >X
all_rows() { # PROGRAM: their outcomes from X to Y, save those about which the page cache decides
	"$1" -a -n1 -p0 --in-order --no-verify --exclude='*direct*,uncached*' -f csv <X 2>csv >Y
	column row,outcome csv
}
all_rows "$wb" >wanted
holds "io_uring's rows are there" wanted '^io_uring splice 1m,(ok|n/a EPERM|n/a ENOSYS)$'
run 0 "... and most are ok" [ "$(grep -c ',ok$' wanted)" -gt 50 ]
with_headers() { # WHAT DIRECTORY...: the program is built with the kernel headers in these, and is the same
	what=$1
	shift
	# shellcheck disable=SC2046
	cc -std=gnu11 -pthread -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-declarations -O0 -nostdinc \
		$(printf -- '-isystem %s ' "$@" libc/*) -o built "$top/write-bench.c" -lrt 2>err
	is "it builds without a warning with $what" "$? $(cat err)" "0 "
	all_rows ./built >got
	same "... all rows run as they do otherwise" wanted got
}
rm -f kernel/linux/io_uring.h
find kernel/asm kernel/asm-generic -name 'unistd*.h' -exec sed -i -E \
	'/__NR_[a-z0-9_]+[[:space:]]+(\(__NR_Linux[^)]*)?4(2[4-9]|[3-9][0-9])\)?$/d' {} +
newer='CIFS|SMB2|XFS|Z3FOLD|EXFAT|EROFS|ZONEFS|SECRETMEM|PID_FS|DMA_BUF|DEVMEM|BCACHEFS|GUEST_MEMFD|NULL_FS'
sed -i -E "/_MAGIC[[:space:]]/{/($newer)_/d}" kernel/linux/magic.h
sed -i -E '/RWF_(DONTCACHE|ATOMIC|NOAPPEND|NOSIGNAL)/d' kernel/linux/fs.h
with_headers "headers less what came after Linux 4.18" kernel
if unpack_package bullseye linux-libc-dev "$PWD/old" ||
	or_skip "headers of Debian 11" "they can't be fetched: $(tail -n 1 old/apt.err)"; then
	set -- old/usr/include/*-linux-* old/usr/include
	with_headers "Debian 11's, of Linux 5.10" "$@"
	rm old/usr/include/linux/io_uring.h
	with_headers "... less linux/io_uring.h" "$@"
fi

# The numbers and structs of io_uring.
{
	printf '#define main write_bench\n#include "write-bench.c"\n#undef main\n#include <linux/io_uring.h>\n'
	echo '#define SAME(ours, theirs) _Static_assert((ours) == (theirs), #theirs)'
	echo 'SAME(SYS_IO_URING_SETUP, SYS_io_uring_setup); SAME(SYS_IO_URING_ENTER, SYS_io_uring_enter);'
	while read -r ours theirs fields; do
		for field in $fields; do
			[ "$ours" != - ] || { echo "SAME($field, $theirs$field);" && continue; } # theirs: a prefix
			echo "SAME(sizeof(struct $ours), sizeof(struct $theirs));"
			echo "SAME(offsetof(struct $ours, ${field%=*}), offsetof(struct $theirs, ${field#*=}));"
			echo "SAME(sizeof((struct $ours *)0)->${field%=*}, sizeof((struct $theirs *)0)->${field#*=});"
		done
	done
} >layout.c <<'END'
- IORING_ OFF_SQ_RING OFF_CQ_RING OFF_SQES ENTER_GETEVENTS ENTER_EXT_ARG FEAT_CQE_SKIP OP_NOP OP_READ OP_WRITE OP_SPLICE
- IO SQE_ASYNC SQE_CQE_SKIP_SUCCESS
uring_sq_offsets io_sqring_offsets head tail ring_mask array
uring_cq_offsets io_cqring_offsets head tail ring_mask cqes
uring_params io_uring_params sq_entries cq_entries setup_flags=flags features sq_off cq_off
uring_sqe io_uring_sqe opcode sqe_flags=flags fd off addr splice_off_in io_len=len splice_flags user_data splice_fd_in
uring_cqe io_uring_cqe user_data res
uring_wait io_uring_getevents_arg sigmask ts
END
if echo '#include <linux/io_uring.h>' | cc -E -dM - 2>/dev/null | grep -q IORING_FEAT_CQE_SKIP ||
	or_skip "io_uring's numbers and structs" "headers older than Linux 5.17"; then
	run 0 "io_uring's numbers and structs are the kernel's" cc -std=gnu11 -fsyntax-only -w -I "$top" layout.c
fi
