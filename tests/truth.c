/*
 * A kernel that answers otherwise, for tests/truth.t: preloaded (ld.so(8)), this takes the place of some of libc's
 * functions. Each does what libc's does, but for what the environment asks for:
 *
 *     TRUTH_LOADED=FILE      makes the file: it can be preloaded
 *     TRUTH_CPUS="1 16"      how many CPUs sched_getaffinity(2) gives, at its calls in turn
 *     TRUTH_CACHESTAT=no     there is no cachestat(2)
 *     TRUTH_BLOCK=N          what fstatfs(2) has as a block, in bytes
 *     TRUTH_EXTENTS=none     FIEMAP finds no extents
 *     TRUTH_EXTENTS=N        its Nth call finds the first one shared, after which the file's first byte is another
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/fiemap.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum { CACHESTAT = 451 }; /* on all machines but alpha */

__attribute__((constructor)) static void tell(void)
{
	const char *name = getenv("TRUTH_LOADED");

	if (name)
		close(open(name, O_WRONLY | O_CREAT, 0600));
}

/* libc's function, as a pointer to data, which C has no cast for. */
#define FIND_OWN(name) (own ? own : (*(void **)&own = dlsym(RTLD_NEXT, name), own))

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *cpus)
{
	static int (*own)(pid_t, size_t, cpu_set_t *);
	static unsigned calls;
	const char *numbers = getenv("TRUTH_CPUS");
	int n[2];
	char *tail;

	if (!numbers)
		return FIND_OWN("sched_getaffinity")(pid, size, cpus);
	n[0] = (int)strtol(numbers, &tail, 10);
	n[1] = (int)strtol(tail, NULL, 10);
	CPU_ZERO_S(size, cpus);
	for (int i = 0; i < n[calls % 2]; i++)
		CPU_SET_S(i, size, cpus);
	calls++;
	return 0;
}

/* By either name: files may be large (lfs(7)). */
#define STATFS(name, type) \
	int name(int fd, struct type *fs) \
	{ \
		static int (*own)(int, struct type *); \
		const char *block = getenv("TRUTH_BLOCK"); \
		int failed = FIND_OWN(#name)(fd, fs); \
\
		if (block && !failed) \
			fs->f_bsize = strtol(block, NULL, 10); \
		return failed; \
	}
STATFS(fstatfs, statfs)
#ifdef __GLIBC__
STATFS(fstatfs64, statfs64)
#endif

long syscall(long number, ...)
{
	static long (*own)(long, ...);
	long a[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (number == CACHESTAT && getenv("TRUTH_CACHESTAT")) {
		errno = ENOSYS;
		return -1;
	}
	return FIND_OWN("syscall")(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int ioctl(int fd, unsigned long request, ...)
{
	static int (*own)(int, unsigned long, ...);
	static int calls;
	const char *extents = getenv("TRUTH_EXTENTS");
	va_list list;
	void *with;
	struct fiemap *map;
	int status;

	va_start(list, request);
	with = va_arg(list, void *);
	va_end(list);
	if (!extents || (unsigned)request != (unsigned)FS_IOC_FIEMAP)
		return FIND_OWN("ioctl")(fd, request, with);
	map = with;
	if (!strcmp(extents, "none")) {
		map->fm_mapped_extents = 0;
		return 0;
	}
	status = FIND_OWN("ioctl")(fd, request, with);
	if (++calls != atoi(extents))
		return status;
	map->fm_mapped_extents = 1;
	map->fm_extents[0] = (struct fiemap_extent){ .fe_length = 4096, .fe_flags = FIEMAP_EXTENT_SHARED };
	return pwrite(fd, "", 1, 0) == 1 ? 0 : -1;
}
