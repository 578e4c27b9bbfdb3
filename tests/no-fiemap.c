/* For tests/kinds.t, by LD_PRELOAD: a file system that does not tell where its files' blocks are (FS_IOC_FIEMAP), as FUSE and ZFS. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

int ioctl(int fd, unsigned long request, ...)
{
	va_list args;

	va_start(args, request);
	void *argument = va_arg(args, void *);
	va_end(args);
	if ((unsigned)request == (unsigned)FS_IOC_FIEMAP) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return (int)syscall(SYS_ioctl, fd, request, argument);
}
