/*
 * A kernel that answers otherwise, for tests/truth.t: preloaded (ld.so(8)), this takes the place of some of libc's
 * functions. Each does what libc's does, but for what the environment asks for:
 *
 *     TRUTH_BLOCK=N          what fstatfs(2) has as a block, in bytes
 *     TRUTH_TYPE=N           what it has as a file system's type
 *     TRUTH_EXTENTS=none     FIEMAP finds no extents
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/fs.h>
#include <linux/fiemap.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/statfs.h>

/* libc's function, as a pointer to data, which C has no cast for. */
#define FIND_OWN(name) (own ? own : (*(void **)&own = dlsym(RTLD_NEXT, name), own))

/* By either name: files may be large (lfs(7)). */
#define STATFS(name, type) \
	int name(int fd, struct type *fs) \
	{ \
		static int (*own)(int, struct type *); \
		const char *block = getenv("TRUTH_BLOCK"), *kind = getenv("TRUTH_TYPE"); \
		int failed = FIND_OWN(#name)(fd, fs); \
\
		if (block && !failed) \
			fs->f_bsize = strtol(block, NULL, 10); \
		if (kind && !failed) \
			fs->f_type = strtol(kind, NULL, 0); \
		return failed; \
	}
STATFS(fstatfs, statfs)
#ifdef __GLIBC__
STATFS(fstatfs64, statfs64)
#endif

int ioctl(int fd, unsigned long request, ...)
{
	static int (*own)(int, unsigned long, ...);
	va_list list;
	void *with;

	va_start(list, request);
	with = va_arg(list, void *);
	va_end(list);
	if ((unsigned)request != (unsigned)FS_IOC_FIEMAP || !getenv("TRUTH_EXTENTS"))
		return FIND_OWN("ioctl")(fd, request, with);
	((struct fiemap *)with)->fm_mapped_extents = 0;
	return 0;
}
