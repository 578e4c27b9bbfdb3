/*
 * A FUSE file system whose files can only be written once, from their beginning to their end, as those of rclone and
 * gcsfuse; for tests/evidence.t. It speaks the protocol of /dev/fuse by itself (linux/fuse.h): one directory, in memory.
 *
 *     once DIRECTORY          bytes are written at the end of a file or not at all (EPERM), and none are cut off
 *     once DIRECTORY new      but as long as a file that was made has not been closed, it may be cut and written anywhere
 *     once DIRECTORY free     all files may
 *
 * It mounts itself, as root, and ends when it is unmounted.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { FILES = 200, FIRST = 2, MOST = 128 * 1024, ROOM = 1024 * 1024, NO_REPLY = -1 };

static struct file { /* as many as are ever made: none is used again */
	char name[256]; /* empty: it has none any more */
	char data[ROOM];
	size_t size;
	unsigned opened;
	bool bound; /* to be written from its beginning to its end */
	struct timespec changed;
} files[FILES];
static int made_files;

static bool news, all; /* the options */

static struct { /* the reply */
	const void *data;
	size_t size;
} out;

static void put(const void *data, size_t size)
{
	out.data = data;
	out.size = size;
}

static uint64_t id_of(const struct file *f)
{
	return FIRST + (uint64_t)(f - files);
}

static struct file *find(const char *name)
{
	for (int i = 0; i < made_files; i++)
		if (files[i].name[0] && !strcmp(files[i].name, name))
			return &files[i];
	return NULL;
}

static struct fuse_attr attributes(const struct file *f)
{
	if (!f)
		return (struct fuse_attr){ .ino = FUSE_ROOT_ID, .mode = S_IFDIR | 0755, .nlink = 2, .blksize = 4096 };
	return (struct fuse_attr){ .ino = id_of(f), .mode = S_IFREG | 0644, .nlink = f->name[0] != '\0', .blksize = 4096,
		.size = f->size, .blocks = (f->size + 511) / 512, .atime = f->changed.tv_sec, .mtime = f->changed.tv_sec,
		.ctime = f->changed.tv_sec, .atimensec = f->changed.tv_nsec, .mtimensec = f->changed.tv_nsec,
		.ctimensec = f->changed.tv_nsec };
}

static struct file *make(const char *name)
{
	struct file *f = &files[made_files];

	if (made_files == FILES)
		return NULL;
	made_files++;
	strncpy(f->name, name, sizeof f->name - 1);
	f->bound = !news && !all;
	clock_gettime(CLOCK_REALTIME, &f->changed);
	return f;
}

static int write_to(struct file *f, const struct fuse_write_in *in)
{
	static struct fuse_write_out done;

	if (f->bound && in->offset != f->size)
		return EPERM;
	if (in->offset + in->size > ROOM)
		return ENOSPC;
	memcpy(f->data + in->offset, in + 1, in->size);
	if (in->offset + in->size > f->size)
		f->size = in->offset + in->size;
	clock_gettime(CLOCK_REALTIME, &f->changed);
	done.size = in->size;
	put(&done, sizeof done);
	return 0;
}

static int set(struct file *f, const struct fuse_setattr_in *in)
{
	static struct fuse_attr_out got;
	bool cut = f && in->valid & FATTR_SIZE && in->size != f->size;

	if (cut && f->bound && f->size)
		return EPERM;
	if (cut && in->size > ROOM)
		return ENOSPC;
	if (cut && in->size < f->size)
		memset(f->data + in->size, 0, f->size - in->size);
	if (cut)
		f->size = in->size;
	if (f && in->valid & FATTR_MTIME)
		f->changed = (struct timespec){ in->mtime, in->mtimensec };
	got.attr = attributes(f);
	put(&got, sizeof got);
	return 0;
}

static int answer(const struct fuse_in_header *in, const void *arg) /* an errno, 0 or NO_REPLY */
{
	static struct { struct fuse_entry_out entry; struct fuse_open_out open; } made;
	static struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION, .minor = 15 /* the next one forgets in batches */,
		.max_readahead = MOST, .max_write = MOST, .flags = FUSE_BIG_WRITES, .time_gran = 1 };
	static struct fuse_statfs_out fs = { .st = { .blocks = 1 << 20, .bfree = 1 << 20, .bavail = 1 << 20, .bsize = 4096,
		.frsize = 4096, .namelen = 255 } };
	const struct fuse_read_in *part = arg;
	struct file *f = in->nodeid < FIRST ? NULL : &files[in->nodeid - FIRST];

	switch (in->opcode) {
	case FUSE_INIT: put(&init, sizeof init); return 0;
	case FUSE_STATFS: put(&fs, sizeof fs); return 0;
	case FUSE_FORGET:
	case FUSE_INTERRUPT: return NO_REPLY; /* no request takes long */
	case FUSE_CREATE: arg = (const char *)arg + sizeof(struct fuse_create_in); /* fall through */
	case FUSE_LOOKUP:
		f = find(arg);
		if (!f && in->opcode == FUSE_CREATE)
			f = make(arg);
		if (!f)
			return ENOENT;
		f->opened += in->opcode == FUSE_CREATE;
		made.entry = (struct fuse_entry_out){ .nodeid = id_of(f), .attr = attributes(f) }; /* the kernel keeps none of it */
		put(&made, in->opcode == FUSE_CREATE ? sizeof made : sizeof made.entry);
		return 0;
	case FUSE_UNLINK:
		f = find(arg);
		if (!f)
			return ENOENT;
		f->name[0] = '\0';
		return 0;
	case FUSE_GETATTR: return set(f, &(struct fuse_setattr_in){ .valid = 0 });
	case FUSE_SETATTR: return set(f, arg);
	case FUSE_OPEN: f->opened++; /* fall through */
	case FUSE_OPENDIR: put(&made.open, sizeof made.open); return 0;
	case FUSE_READ:
		if (part->offset < f->size)
			put(f->data + part->offset, part->size < f->size - part->offset ? part->size : f->size - part->offset);
		return 0;
	case FUSE_WRITE: return write_to(f, arg);
	case FUSE_RELEASE:
		f->bound |= --f->opened == 0 && !all;
		return 0;
	case FUSE_RELEASEDIR: case FUSE_FLUSH: case FUSE_FSYNC: case FUSE_FSYNCDIR: return 0;
	default: return ENOSYS;
	}
}

int main(int argc, char **argv)
{
	static struct { struct fuse_in_header head; char arg[MOST + 4096]; } in;
	int dev = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	char options[100];

	news = argc > 2 && !strcmp(argv[2], "new");
	all = argc > 2 && !strcmp(argv[2], "free");
	snprintf(options, sizeof options, "fd=%d,rootmode=40755,user_id=0,group_id=0", dev);
	if (dev < 0 || argc < 2 || mount("once", argv[1], "fuse", MS_NOSUID | MS_NODEV, options))
		return perror("once: mount"), 1;
	for (;;) {
		put(NULL, 0);
		ssize_t n = read(dev, &in, sizeof in);
		if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == ENOENT)) /* ENOENT: it was interrupted */
			continue;
		if (n < 0)
			return errno != ENODEV;
		int error = answer(&in.head, in.arg);
		struct fuse_out_header head = { .len = sizeof head + out.size, .error = -error, .unique = in.head.unique };
		struct iovec parts[] = { { &head, sizeof head }, { (void *)out.data, out.size } };
		if (error != NO_REPLY && writev(dev, parts, 2) < 0 && errno != ENOENT)
			return perror("once: writev"), 1;
	}
}
