/* SPDX-License-Identifier: MIT */
/*
 * write-bench - what is the fastest way to move these bytes from here to there?
 *
 *     ./write-bench <X >Y            same as "cp X Y", once for every way that Linux has
 *     ./write-bench --tee=Z <X >Y    the same as "tee Z <X >Y"
 *     ./write-bench --send <X        into a TCP connection
 *
 * It walks a compiled-in table of strategies (read and write, mmap and write, splice, sendfile, ...), each
 * with the advice it can be given (fadvise, ftruncate, fallocate), copies standard input to standard output
 * several times with each, checks every copy, and prints how far each is behind the fastest.
 *
 * What makes the numbers worth printing:
 *   - Between the two readings of the clock stand what a row needs (buffers, pipes, rings, threads), the
 *     advice, the copy and what the ends are waited for, nothing else: time_copy(). A pause, emptying the
 *     output and syncing its file system come before; comparing and giving back come after.
 *   - No row falls back on another call. What the kernel refuses is "n/a" with its errno.
 *   - Rows take turns in shuffled rounds, so that a machine that drifts drifts for all of them.
 *   - A run during which the program was stopped or the machine was suspended is repeated.
 *   - ~ marks the rows that may be the fastest, by an exact test; the recommended row is one of them.
 *   - Standard output is a copy of standard input whenever the exit status is 0; a pipe, which can't be
 *     emptied, gets one copy for each run.
 *
 * The file is in the order in which one needs to know things: constants and types, base, advice, resources
 * (what a copy needs), strategies, THE TABLE, statistics, children (other processes, signals), network,
 * endpoints (the ends of a copy), rows, runner, environment, report (a grid of cells, notes, formats,
 * pictures, comparisons, reading), options, main. The path of a copy is main() -> measure() -> run_row() ->
 * time_copy() -> the strategy.
 *
 * To add a strategy: write one function, add one row to strategies[].
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#define _TIME_BITS 64 /* of 32-bit machines, from glibc 2.34 on: dates after 2038 */

#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <getopt.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/io_uring.h>
#include <linux/loop.h>
#include <linux/magic.h>
#include <linux/perf_event.h>
#include <linux/sockios.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <regex.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/btrfs.h>
#include <linux/errqueue.h> /* wants struct timespec from elsewhere */

/* ---- Constants and types that everyone uses ------------------------------------------------- */

#define PROGRAM "write-bench"
#define VERSION "0.1"
#ifndef COMMIT
#define COMMIT "" /* " (git describe)" where it is built in a repository: Makefile */
#endif

enum { EXIT_FAILED_ROW = 1, EXIT_REFUSED = 2, EXIT_SIGNALLED = 128 };
enum { NO_ERRNO = 4096 }; /* in an errno's place: beyond the last one (include/linux/err.h) */

#define K ((int64_t)1 << 10)
#define M ((int64_t)1 << 20)
#define SECOND INT64_C(1000000000) /* in nanoseconds, as all times */
#define MILLISECOND INT64_C(1000000)
#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

/* The most that one call moves: MAX_RW_COUNT, INT_MAX rounded down to a page (include/linux/fs.h). */
#define CALL_MAX ((int64_t)0x7ffff000)
#define CHUNK (128 * K)       /* bytes a read when warming and comparing: fast, and small */
#define PIPE_DEFAULT (64 * K) /* bytes that a pipe holds by default: pipe(7) */
#define PIPE_LARGE (1 * M)    /* bytes that it may hold without privileges: fs.pipe-max-size */
#define RING_DEPTH 8          /* blocks between a reader and a writer, or in flight in io_uring */

/* Kinds of end, as bits: a row names the kinds that it can work on at all. */
enum kind {
	KIND_FILE = 1,    /* regular file */
	KIND_BLOCK = 2,   /* block device */
	KIND_DEVICE = 4,  /* character device */
	KIND_PIPE = 8,    /* pipe or FIFO, also a command's; as input also a socket, fed through a pipe */
	KIND_SOCKET = 16, /* socket, also one to a receiver */
	KIND_STREAM = KIND_PIPE | KIND_SOCKET, /* can't be rewound or emptied */
	KIND_ANY = ~0,    /* also: an end that is not known yet */
};

/* A call that failed. */
struct failure {
	int err;              /* errno; 0: nothing has failed; NO_ERRNO: what is missing has none */
	const char *call;     /* that said so; of NO_ERRNO the reason, in words */
	int out;              /* the output that it was about, from 0; -1: not one of them alone */
};

/* All that a strategy sees. */
struct copy {
	int in;               /* descriptor to read from, at offset 0 */
	int out[2], nout;     /* descriptors to write to, empty and at offset 0; how many there are */
	int64_t len;          /* bytes to copy */
	bool whole;           /* the input ends at len */
	bool hints;           /* the row's advice covers mappings too */
	bool into_socket;     /* the first output is one */
	bool may_share;       /* the strategy's calls may let the output share blocks, */
	bool cloned;          /* and FICLONE has done so */
	int64_t block;        /* bytes to ask of one call; 0: as many as it takes */
	unsigned char *buf;   /* block bytes or more, as the row's needs have it */
	int64_t done;         /* bytes that have arrived, at all outputs: the strategy counts them */
	struct resources *res; /* what else the row needs */
	struct failure failure;
};

/* By value: it lives to the end of the expression that it is made in. */
struct words {
	char s[200];
};

/* ---- Base: messages, errno names, clock, reading and writing -------------------------------- */

#define UNUSED __attribute__((unused)) /* an argument that others of its kind need */

static int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t max(int64_t a, int64_t b) { return a > b ? a : b; }

/* Shared by handlers of signals, threads and the rest. */
static atomic_int caught;     /* the signal that asks us to stop, else 0 */
static atomic_uint caught_at; /* when it came: clock, milliseconds, modulo 2^32 */
static atomic_int continued;  /* times that we were stopped and went on (SIGCONT) */
static atomic_bool unheard;   /* since then standard error, or a report, has taken nothing for LAST_WORDS */

/* The errnos that a copy meets: refusing the first byte makes a row n/a. 524 is the kernel's own. */
static const struct errno_fact {
	int number;
	const char *name;
	bool refusal;
	const char *remedy;
} errnos[] = {
#define REFUSES(name, remedy) { name, #name, true, remedy }
#define FAILS(name, remedy) { name, #name, false, remedy }
	REFUSES(EACCES, "ask the file's owner for permission"), { 524, "ENOTSUPP", true, "use other ends" },
	REFUSES(EAFNOSUPPORT, "use an address of another family"), REFUSES(ENOTTY, "use another file system"),
	REFUSES(EBADF, "redirect it, for reading and writing where both are wanted (<>)"),
	REFUSES(EINVAL, "use other ends, or another file system"), REFUSES(ENOSYS, "use a newer kernel"),
	REFUSES(ENODEV, "use other ends, or another file system"), REFUSES(ENOTSOCK, "use a socket"),
	REFUSES(ENOPROTOOPT, "use a newer kernel, or another kind of socket"), REFUSES(ESPIPE, "use a file"),
	REFUSES(ENXIO, "use other ends"), REFUSES(EOVERFLOW, "use a 64-bit build, or copy less with --size"),
	REFUSES(EOPNOTSUPP, "use another file system"), REFUSES(ETXTBSY, "use a file that is not in use"),
	REFUSES(EPERM, "run it with more privileges, or raise the limit that it meets"),
	REFUSES(EXDEV, "put input and output on the same file system"),
	FAILS(EADDRINUSE, "use another port"), FAILS(EDQUOT, "stay within the quota: copy less with --size"),
	FAILS(EADDRNOTAVAIL, "use an address of this machine"), FAILS(EPIPE, "keep the reader until the end"),
	FAILS(EAGAIN, "give it a descriptor without O_NONBLOCK, or raise ulimit -u"),
	FAILS(EBUSY, "wait until nothing else uses it"), FAILS(ECONNRESET, "keep the receiver until the end"),
	FAILS(ECANCELED, "raise ulimit -u"), FAILS(ENOENT, "name what is there, or make its directory first"),
	FAILS(ECONNREFUSED, "start " PROGRAM " --receive there, and name its port"),
	FAILS(EEXIST, "use another name"), FAILS(EPROTO, "use the same version of " PROGRAM " on both sides"),
	FAILS(EFAULT, "keep input and output as they are meanwhile"), FAILS(ENFILE, "raise fs.file-max"),
	FAILS(EFBIG, "raise ulimit -f, or copy less with --size"), FAILS(ENOTDIR, "use another name"),
	FAILS(EHOSTUNREACH, "look at routes and firewalls between the two"), FAILS(EMFILE, "raise ulimit -n"),
	FAILS(EINTR, "try again"), FAILS(ENETUNREACH, "look at addresses and routes (ip route)"),
	FAILS(EIO, "look into the kernel's log (dmesg)"), FAILS(ENOTCONN, "keep the receiver until the end"),
	{ NO_ERRNO, "", true, NULL },
	FAILS(EISDIR, "name a file"), FAILS(EROFS, "use a file system that is mounted read-write"),
	FAILS(ENOBUFS, "raise net.core.optmem_max, or ulimit -l"),
	FAILS(ENOMEM, "free memory, raise ulimit -v or -l, or copy less with --size"),
	FAILS(ENOSPC, "free space, or copy less with --size"), FAILS(ESTALE, "mount the file system anew"),
	FAILS(ETIMEDOUT, "look whether the other side still runs, and can be reached (20 s at most)"),
};

static const struct errno_fact *errno_fact(int number) {
	static const struct errno_fact unknown = { 0, "an errno without a name here", false, NULL };
	for (int i = 0; i < LENGTH(errnos); i++)
		if (errnos[i].number == number) return &errnos[i];
	return &unknown;
}

/* What printf(3) would print, as far as there is room. */
__attribute__((format(printf, 1, 2))) static struct words say(const char *format, ...) {
	struct words w;
	va_list args;
	va_start(args, format);
	vsnprintf(w.s, sizeof w.s, format, args);
	va_end(args);
	return w;
}

/* "ENOSPC", or "errno 133" where it has no name here. */
static struct words errno_name(int number) {
	const struct errno_fact *e = errno_fact(number);
	return e->number ? say("%s", e->name) : say("errno %d", number);
}

/* "ENOSPC (No space left on device): free space, ...": the second half of every message. */
static struct words errno_text(int number) {
	const struct errno_fact *e = errno_fact(number);
	return say("%s (%s)%s%s", e->name, strerror(number), e->remedy ? ": " : "",
	    e->remedy ? e->remedy : "");
}

/* Text from outside as part of a line: what is no printable ASCII as \xNN; cut where there is no room. */
static char *escape(char *line, size_t size, const char *text) {
	char *to = line;
	for (; *text && to < line + size - sizeof "\\xff"; text++)
		to += *text < ' ' || *text > '~' ? sprintf(to, "\\x%02x", *text & 255U) : (*to = *text, 1);
	*to = '\0';
	return line;
}

static int64_t clock_ns(clockid_t clock) {
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

/* Nanoseconds of a clock that is never set, and stands still while the machine is suspended. */
static int64_t now(void) { return clock_ns(CLOCK_MONOTONIC); }

/* Milliseconds since the signal came that asks us to stop. */
static int64_t since_caught(void) { return (uint32_t)(now() / MILLISECOND) - caught_at; }

#define LAST_WORDS 500 /* milliseconds that a reader gets to make room after a signal */

/* Writes n bytes for a reader that may take its time: until a signal comes, then LAST_WORDS at most.
 * PIPE_BUF bytes don't block where poll(2) says that there is room (pipe(7)): the flags of a description
 * that others share stay as they are. Some devices have no such poll (/dev/random). False, and errno. */
static bool emit(int fd, const char *bytes, size_t n) {
	int64_t start = now() / MILLISECOND;
	struct stat st;
	bool stream = !fstat(fd, &st) && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || isatty(fd));
	for (ssize_t wrote = 0; n > 0; bytes += wrote, n -= wrote) {
		struct pollfd room = { .fd = fd, .events = POLLOUT };
		int64_t left = LAST_WORDS - min(since_caught(), now() / MILLISECOND - start);
		int timeout = -1;
		if (caught) timeout = unheard ? 0 : (int)max(left, 0);
		wrote = 0;
		if (stream && poll(&room, 1, timeout) <= 0) {
			unheard |= caught && left <= 0;
			errno = ETIMEDOUT;
			if (unheard) return false;
			continue;
		}
		wrote = write(fd, bytes, min(n, PIPE_BUF));
		if (wrote < 0 && errno != EINTR && errno != EAGAIN) return false;
		wrote = max(wrote, 0);
	}
	return true;
}

/* A message: object, call, errno, remedy. */
__attribute__((format(printf, 1, 2))) static void warn(const char *format, ...) {
	char text[2000], line[4000] = PROGRAM ": ", *end = line + strlen(line);
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	escape(end, line + sizeof line - 1 - end, text);
	emit(STDERR_FILENO, strcat(line, "\n"), strlen(line) + 1);
}

/* The same, and the end of the program: before anything has been touched, unless memory runs out. */
#define die(...) (warn(__VA_ARGS__), exit(caught ? EXIT_SIGNALLED + caught : EXIT_REFUSED))

__attribute__((noreturn)) static void die_errno(const char *object, const char *call) {
	die("%s: %s: %s", object, call, errno_text(errno).s);
}

static void *allocate(size_t n, size_t size) {
	void *p = calloc(n ? n : 1, size);
	if (!p) die_errno("memory", "calloc");
	return p;
}

/* One byte or more, all of them zero? */
static bool is_zero(const unsigned char *bytes, size_t n) {
	return !*bytes && !memcmp(bytes, bytes + 1, n - 1);
}

/* Sleeps until the clock shows deadline, or until a signal asks us to stop. */
static void sleep_until(int64_t deadline) {
	struct timespec t = { .tv_sec = deadline / SECOND, .tv_nsec = deadline % SECOND };
	while (!caught && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {}
}

#define WAKE SIGRTMIN /* interrupts a call of a thread */

/* Starts a thread; false, and errno. It gets SIGBUS, which is its own, and WAKE. */
static bool start_thread(pthread_t *thread, void *(*work)(void *), void *with) {
	sigset_t most, old;
	sigfillset(&most);
	sigdelset(&most, SIGBUS);
	sigdelset(&most, WAKE);
	pthread_sigmask(SIG_SETMASK, &most, &old);
	errno = pthread_create(thread, NULL, work, with);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return !errno;
}

/* A call that was interrupted before it did anything is made again, unless we are to stop. */
static bool interrupted(ssize_t n) { return n < 0 && errno == EINTR && !caught; }

/* read(2), not interrupted: bytes, 0 at the end, -1. */
static ssize_t safe_read(int fd, void *to, size_t n) {
	ssize_t got;
	while (interrupted(got = read(fd, to, n))) {}
	return got;
}

/* Opens the file of a descriptor anew: the shell's description is not ours to change; its > only writes. */
static int reopen(int fd, int flags) {
	char path[32];
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return open(path, flags | O_CLOEXEC);
}

/* Leaves errno as it is. */
static void close_fd(int *fd) {
	int err = errno;
	if (*fd >= 0) close(*fd);
	*fd = -1;
	errno = err;
}

/* First line of a file below /proc or /sys, without its newline; false: there is none. */
static bool read_line(const char *path, char *line, int size) {
	FILE *f = fopen(path, "re");
	bool ok = f && fgets(line, size, f);
	if (f) fclose(f);
	if (ok) line[strcspn(line, "\n")] = '\0';
	return ok;
}

/* ---- Advice: what a row may do before it copies, inside the clock --------------------------- */

struct advice {
	const char *name;                       /* after " + " in the row's name */
	unsigned in, out;                       /* kinds of end that it can be given for */
	int (*hint)(int fd, int64_t length);    /* about the input; 0 or an errno */
	int (*reserve)(int fd, int64_t length); /* make room in the output; 0 or -1 and errno */
	const char *call;                       /* what reserve(), or else hint(), calls */
	bool cold;                              /* only with --cold */
};

/* With mappings this goes for madvise(2), too. */
static int hint_fadvise(int fd, UNUSED int64_t length) {
	int err = posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return err ? err : posix_fadvise(fd, 0, 0, POSIX_FADV_WILLNEED);
}

static int hint_ahead(int fd, int64_t length) { return readahead(fd, 0, length) ? errno : 0; }
/* Of Linux 6.3; before, it is accepted and does nothing. */
static int hint_noreuse(int fd, UNUSED int64_t length) { return posix_fadvise(fd, 0, 0, POSIX_FADV_NOREUSE); }
static int reserve_room(int fd, int64_t length) { return fallocate(fd, 0, 0, length); }
static int reserve_beyond(int fd, int64_t length) { return fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, length); }

/* Where the file system has no fallocate, glibc writes to every block: so it is an advice of its own. */
static int reserve_libc(int fd, int64_t length) {
	errno = posix_fallocate(fd, 0, length);
	return errno ? -1 : 0;
}

#define NO_STREAM (KIND_ANY & ~KIND_STREAM)
#define ON_DISK (KIND_FILE | KIND_BLOCK)

/* A row's name is the strategy's, " + " and one of these. At most 31: they are bits in a row. */
static const struct advice advices[] = {
	/* name               in         out        hint          reserve         call, cold */
	{ "",                  KIND_ANY,  KIND_ANY,  NULL,         NULL,           NULL, false },
	{ "trunc",             KIND_ANY,  NO_STREAM, NULL,         ftruncate,      "ftruncate", false },
	{ "falloc",            KIND_ANY,  NO_STREAM, NULL,         reserve_room,   "fallocate", false },
	{ "advices",           NO_STREAM, KIND_ANY,  hint_fadvise, NULL,           "posix_fadvise", false },
	{ "advices + trunc",   NO_STREAM, NO_STREAM, hint_fadvise, ftruncate,      "ftruncate", false },
	{ "advices + falloc",  NO_STREAM, NO_STREAM, hint_fadvise, reserve_room,   "fallocate", false },
	{ "advices + pfalloc", NO_STREAM, NO_STREAM, hint_fadvise, reserve_libc,   "posix_fallocate", false },
	{ "advices + kfalloc", NO_STREAM, NO_STREAM, hint_fadvise, reserve_beyond, "fallocate", false },
	{ "readahead",         ON_DISK,   KIND_ANY,  hint_ahead,   NULL,           "readahead", true },
	{ "noreuse",           NO_STREAM, KIND_ANY,  hint_noreuse, NULL,           "posix_fadvise", true },
};
enum {
	PLAIN = 1 << 0,
	TRUNC = 1 << 1, FALLOC = 1 << 2,            /* alone: where fadvise would say nothing, or the */
	BARE = PLAIN | TRUNC | FALLOC,              /* base document has them so */
	ALLOC = PLAIN | FALLOC, ADVICES = 1 << 3,
	CLASSIC = PLAIN | ADVICES | 1 << 4 | 1 << 5, /* the four of the base document */
	KEEPS_SIZE = 1 << 7,                        /* room beyond the end of the file, which stays empty */
	COLD = 1 << 8 | 1 << 9,                     /* by default where ADVICES are, with --cold */
	EVERY = CLASSIC | 1 << 6 | KEEPS_SIZE | COLD,
	RESERVED = (EVERY | BARE) & ~(PLAIN | ADVICES | KEEPS_SIZE | COLD), /* mapped: at full length */
};

/* ---- Resources: what a copy needs beside its ends, made inside the clock -------------------- */

#define RWF_UNCACHED 0x00000080    /* RWF_DONTCACHE of Linux 6.14, include/uapi/linux/fs.h */
#define STATX_DIO_ALIGNMENT 0x2000 /* STATX_DIOALIGN of Linux 6.1, include/uapi/linux/stat.h */
#define DIO_ALIGNMENT 4096         /* bytes; for direct I/O where the kernel does not say: a page */
#define HUGE_PAGE (2 * M)          /* bytes; of x86-64 and arm64 with pages of 4k */
#define THREADS_MIN 2              /* one would be read+write with a detour */
#define THREADS_MAX 16             /* more are more than memory and disks can feed */
#define WRITERS_MAX 4              /* buffered writes to one inode: more only queue for its lock */
#define POPULATE_READ 22           /* MADV_POPULATE_READ of Linux 5.14, asm-generic/mman-common.h */
#define POPULATE_WRITE 23          /* MADV_POPULATE_WRITE */
#define SEND_BLOCK (64 * K)        /* bytes a send: it pays off from 10 KiB on (msg_zerocopy.rst) */
#define SEND_SLOTS 64              /* buffers of such sends: 4 MiB, as much as TCP buffers */
#define SEND_WAIT (5 * SECOND)     /* for completions, after the copy */

struct resources {
	int64_t room;              /* bytes in the copy's buf */
	int pipe[2], helper[2];    /* pipes in the middle; -1: none */
	int reopened[2];           /* input and first output opened anew, with flags of their own; -1: not */
	int first;                 /* the output that is written first; of two the other one is the last */
	int threads;               /* that a pool is to have; 0: not asked yet */
	int64_t alignment;         /* bytes that direct I/O has to be a multiple of */
	FILE *stream[2];           /* input and output for stdio */
	struct uring *uring;
	struct pool *pool;
	struct zerocopy *zerocopy;
	uint32_t *sends;           /* that the output's socket has seen: the kernel numbers them */
	int64_t completions, copied; /* of those of this copy; -1: there are none, or it is not known */
	int64_t resident;          /* bytes of the output in the page cache after the copy; -1: not asked */
	struct child *child;       /* of a --with row */
	const char *command;       /* that it runs */
	const char *second;        /* the second output's name for it; NULL: none, or it has no name */
};

/* Notes which call failed, about one of the outputs. Always false: what called it has failed too. */
static bool failed_out(struct copy *c, int out, const char *call) {
	c->failure = (struct failure){ .err = errno, .call = call, .out = out };
	return false;
}
static bool failed(struct copy *c, const char *call) { return failed_out(c, -1, call); }

/* Fresh pages, as an allocator gives them: the row pays for those that it touches. */
static bool get_memory(struct copy *c, int64_t bytes) {
	void *map = MAP_FAILED;
	errno = ENOMEM;
	if ((int64_t)(size_t)bytes == bytes)
		map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED) return failed(c, "mmap");
	c->buf = map;
	c->res->room = bytes;
	return true;
}

/* One for each CPU that we may use, or that there is (EINVAL). An output opened anew is mapped, or direct.
 * Asked once a run: the affinity may change between the making of buffers and threads. */
static int count_threads(struct copy *c) {
	cpu_set_t cpus;
	if (c->res->threads) return c->res->threads;
	bool fits = !sched_getaffinity(0, sizeof cpus, &cpus);
	return c->res->threads = (int)max(THREADS_MIN, min(fits ? CPU_COUNT(&cpus)
	    : sysconf(_SC_NPROCESSORS_ONLN), c->res->reopened[1] >= 0 ? THREADS_MAX : WRITERS_MAX));
}

/* A block is never larger than the input: the rest would not be used. */
static bool make_buffer(struct copy *c) { return get_memory(c, c->block = min(c->block, c->len)); }
static bool make_ring(struct copy *c) { return get_memory(c, RING_DEPTH * c->block); }
static bool make_buffers(struct copy *c) { return get_memory(c, count_threads(c) * c->block); }

/* Where the kernel gives no huge pages it says so in no call (admin-guide/mm/transhuge.rst). */
static bool check_huge_pages(struct copy *c) {
	char line[128];
	if (read_line("/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof line)
	    && !strstr(line, "[never]"))
		return true;
	errno = EOPNOTSUPP;
	return failed(c, "/sys/kernel/mm/transparent_hugepage/enabled, being [never] or missing,");
}

/* Memory in huge pages as far as the kernel gives some, and aligned to them. */
static bool make_huge_buffer(struct copy *c) {
	if (!get_memory(c, c->block + HUGE_PAGE)) return false;
	unsigned char *all = c->buf, *buf = all + (HUGE_PAGE - (uintptr_t)all % HUGE_PAGE) % HUGE_PAGE;
	munmap(buf + c->block, all + c->res->room - (buf + c->block));
	if (buf > all) munmap(all, buf - all);
	c->buf = buf;
	c->res->room = c->block;
	madvise(buf, c->block, MADV_HUGEPAGE); /* a hint */
	return true;
}

/* Explicitly: a user with many pipes gets small ones (pipe(7)). Before Linux 2.6.35 there is one size. */
static bool size_pipe(struct copy *c, int fd, int64_t bytes) {
	return fcntl(fd, F_SETPIPE_SZ, (int)bytes) >= 0
	    || (bytes == PIPE_DEFAULT && fcntl(fd, F_GETPIPE_SZ) < 0) || failed(c, "fcntl F_SETPIPE_SZ");
}

static bool open_pipe(struct copy *c, int ends[2], int64_t bytes) {
	return (!pipe2(ends, O_CLOEXEC) || failed(c, "pipe2")) && size_pipe(c, ends[1], bytes);
}

static bool make_pipe(struct copy *c) {
	c->block = c->block ? c->block : PIPE_DEFAULT;
	return open_pipe(c, c->res->pipe, c->block);
}

static bool has_type(int fd, mode_t type) {
	struct stat st;
	return !fstat(fd, &st) && (st.st_mode & S_IFMT) == type;
}

static bool is_pipe(int fd) { return has_type(fd, S_IFIFO); }

static bool make_pipe_behind_input(struct copy *c) { return is_pipe(c->in) || make_pipe(c); }

/* tee(2) is from pipe to pipe: where the input or an output is none, a pipe in the middle. */
static bool make_tee_pipes(struct copy *c) {
	bool piped = is_pipe(c->out[0]);
	c->block = c->block ? c->block : PIPE_DEFAULT;
	c->res->first = !piped && is_pipe(c->out[1]);
	return make_pipe_behind_input(c)
	    && (piped || c->res->first || open_pipe(c, c->res->helper, c->block));
}

static bool open_anew(struct copy *c, int end, int flags) {
	c->res->reopened[end] = reopen(end ? c->out[0] : c->in, flags);
	if (c->res->reopened[end] >= 0) return true;
	bool missing = errno == ENOENT && access("/proc/self/fd", F_OK);
	if (missing) errno = NO_ERRNO;
	return failed(c, missing ? "needs /proc" : "open");
}

/* To be mapped: a mapping that is written to has to be read, too (mmap(2), EACCES). */
static bool open_output_mappable(struct copy *c) { return open_anew(c, 1, O_RDWR); }

static bool open_output_readable(struct copy *c) { return open_anew(c, 1, O_RDONLY); }

/* The alignment is stx_dio_offset_align, the 40th word of struct statx: Linux 6.1, newer than headers. */
static bool open_direct(struct copy *c, int end, int flags) {
	uint32_t words[64] = { 0 }; /* struct statx; the first word is stx_mask */
	int64_t alignment = DIO_ALIGNMENT;
	if (!syscall(SYS_statx, end ? c->out[0] : c->in, "", AT_EMPTY_PATH, STATX_DIO_ALIGNMENT, words)
	    && words[0] & STATX_DIO_ALIGNMENT && words[39])
		alignment = words[39];
	c->res->alignment = max(c->res->alignment, alignment);
	return open_anew(c, end, flags | O_DIRECT);
}

static bool open_input_direct(struct copy *c) { return open_direct(c, 0, O_RDONLY); }
static bool open_output_direct(struct copy *c) { return open_direct(c, 1, O_WRONLY); }

/* stdio on duplicates, since closing it closes them. No locking: a thread that once was makes getc slow. */
static bool open_streams(struct copy *c) {
	for (int i = 0; i < 2; i++) {
		int fd = fcntl(i ? c->out[0] : c->in, F_DUPFD_CLOEXEC, 3);
		if (fd < 0) return failed(c, "fcntl F_DUPFD_CLOEXEC");
		c->res->stream[i] = fdopen(fd, i ? "w" : "r");
		if (!c->res->stream[i]) return failed(c, "fdopen"), close(fd), false;
		__fsetlocking(c->res->stream[i], FSETLOCKING_BYCALLER);
	}
	return true;
}

/* Whether sync_file_range is there has to be known before the first byte: without a flag it does nothing. */
static bool check_sync_file_range(struct copy *c) {
	return !sync_file_range(c->out[0], 0, 1, 0) || failed(c, "sync_file_range");
}

/*
 * io_uring by its system calls (io_uring_setup(2), io_uring_enter(2); Linux 5.1): two rings that are shared
 * with the kernel. Ours are the tail of one and the head of the other, each stored with the memory order of
 * the man page.
 */
#define RING_FLAGS (1U << 12 | 1U << 13) /* IORING_SETUP_SINGLE_ISSUER (6.0), _DEFER_TASKRUN (6.1) */

struct uring {
	int fd;
	atomic_uint *sq_head, *sq_tail, *cq_head, *cq_tail;
	unsigned *sq_mask, *sq_array, *cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
	struct {
		void *at;          /* MAP_FAILED: not mapped */
		size_t size;       /* bytes */
	} maps[3];             /* of submissions, completions, entries */
	unsigned queued;       /* entries that the kernel has not been given yet */
	unsigned in_flight;    /* entries that it has, and has not completed */
	bool fixed;            /* buf is registered, as RING_DEPTH buffers of block bytes */
	unsigned timed;        /* flag of waits that end after a second; 0: older kernels have none */
};

enum { RING_IN, RING_OUT, RING_PIPE_OUT, RING_PIPE_IN, RING_FILES }; /* registered: looked up but once */

static bool register_files(struct copy *c) {
	const struct resources *r = c->res;
	int fds[RING_FILES] = { r->reopened[0] >= 0 ? r->reopened[0] : c->in,
	    r->reopened[1] >= 0 ? r->reopened[1] : c->out[0], r->pipe[0], r->pipe[1] };
	return !syscall(SYS_io_uring_register, r->uring->fd, IORING_REGISTER_FILES, fds,
	    r->pipe[0] >= 0 ? RING_FILES : RING_PIPE_OUT) || failed(c, "io_uring_register");
}

/* One thread submits, and completions wait until it asks for them: where the kernel knows both flags. */
static bool make_uring(struct copy *c) {
	static const off_t offsets[] = { IORING_OFF_SQ_RING, IORING_OFF_CQ_RING, IORING_OFF_SQES };
	struct io_uring_params p = { .flags = RING_FLAGS };
	struct uring *u = c->res->uring = allocate(1, sizeof *u);
	for (int i = 0; i < LENGTH(u->maps); i++) u->maps[i].at = MAP_FAILED;
	u->fd = syscall(SYS_io_uring_setup, 2 * RING_DEPTH, &p); /* it is closed on exec */
	if (u->fd < 0 && errno == EINVAL)
		p.flags = 0, u->fd = syscall(SYS_io_uring_setup, 2 * RING_DEPTH, &p);
	if (u->fd < 0) return failed(c, "io_uring_setup");
	u->timed = p.features & IORING_FEAT_CQE_SKIP ? IORING_ENTER_EXT_ARG : 0;
	u->maps[0].size = p.sq_off.array + p.sq_entries * sizeof *u->sq_array;
	u->maps[1].size = p.cq_off.cqes + p.cq_entries * sizeof *u->cqes;
	u->maps[2].size = p.sq_entries * sizeof *u->sqes;
	for (int i = 0; i < LENGTH(u->maps); i++) {
		u->maps[i].at = mmap(NULL, u->maps[i].size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
		    u->fd, offsets[i]);
		if (u->maps[i].at == MAP_FAILED) return failed(c, "mmap");
	}
	unsigned char *sq = u->maps[0].at, *cq = u->maps[1].at;
	u->sqes = u->maps[2].at;
	u->sq_head = (void *)(sq + p.sq_off.head);
	u->sq_tail = (void *)(sq + p.sq_off.tail);
	u->sq_mask = (void *)(sq + p.sq_off.ring_mask);
	u->sq_array = (void *)(sq + p.sq_off.array);
	u->cq_head = (void *)(cq + p.cq_off.head);
	u->cq_tail = (void *)(cq + p.cq_off.tail);
	u->cq_mask = (void *)(cq + p.cq_off.ring_mask);
	u->cqes = (void *)(cq + p.cq_off.cqes);
	return register_files(c);
}

/* Registered buffers: the kernel need not look up their pages at each call (io_uring_register(2)). */
static bool register_buffers(struct copy *c) {
	struct iovec each[RING_DEPTH];
	for (int i = 0; i < RING_DEPTH; i++) each[i] = (struct iovec){ c->buf + i * c->block, c->block };
	c->res->uring->fixed = !syscall(SYS_io_uring_register, c->res->uring->fd, IORING_REGISTER_BUFFERS,
	    each, RING_DEPTH);
	return c->res->uring->fixed || failed(c, "io_uring_register");
}

/*
 * Sends that let the kernel take the bytes from our buffers itself (MSG_ZEROCOPY, Linux 4.14;
 * Documentation/networking/msg_zerocopy.rst). Each send of a socket has a number, from 0 on. When the kernel
 * needs its bytes no longer, it says so in the socket's error queue, in ranges of numbers, and whether it
 * copied them all the same.
 */
struct zerocopy {
	int pending[SEND_SLOTS];   /* sends of each buffer that the kernel still needs */
	int slot[4 * SEND_SLOTS];  /* which buffer a send, by its number, was of */
	uint32_t sent, completed;  /* sends of this copy */
};

static bool make_zerocopy(struct copy *c) {
	int on = 1;
	c->res->zerocopy = allocate(1, sizeof *c->res->zerocopy);
	c->res->completions = c->res->copied = 0;
	return (!setsockopt(c->out[0], SOL_SOCKET, SO_ZEROCOPY, &on, sizeof on)
	    || failed(c, "setsockopt SO_ZEROCOPY")) && get_memory(c, SEND_SLOTS * c->block);
}

/* A range of sends is completed. Those of an earlier run don't count; false: some that we have not made. */
static bool complete_sends(struct copy *c, const struct sock_extended_err *e) {
	struct zerocopy *z = c->res->zerocopy;
	uint32_t first = *c->res->sends - z->sent; /* of this run */
	if (e->ee_origin != SO_EE_ORIGIN_ZEROCOPY || e->ee_errno) return true;
	for (uint32_t i = 0, n = e->ee_data - e->ee_info + 1; i < n; i++) {
		int32_t number = (int32_t)(e->ee_info + i - first);
		errno = EPROTO;
		if (number >= (int64_t)z->sent) return failed_out(c, 0, "send MSG_ZEROCOPY");
		if (number < 0) continue;
		z->pending[z->slot[number % LENGTH(z->slot)]]--;
		z->completed++;
		c->res->completions++;
		c->res->copied += !!(e->ee_code & SO_EE_CODE_ZEROCOPY_COPIED);
	}
	return true;
}

/* Waits for completions, and takes all there are. */
static bool await_completions(struct copy *c) {
	struct pollfd queue = { .fd = c->out[0] }; /* POLLERR needs not be asked for */
	union {
		struct cmsghdr header;
		char room[256];
	} control;
	struct msghdr m = { .msg_control = &control, .msg_controllen = sizeof control };
	bool some = false;
	int err = 0;
	socklen_t size = sizeof err;
	if (poll(&queue, 1, 100) <= 0) return true; /* the caller sees a signal */
	for (; recvmsg(c->out[0], &m, MSG_ERRQUEUE | MSG_DONTWAIT) >= 0; some = true) {
		for (struct cmsghdr *h = CMSG_FIRSTHDR(&m); h; h = CMSG_NXTHDR(&m, h))
			if (((h->cmsg_level == SOL_IP && h->cmsg_type == IP_RECVERR)
			    || (h->cmsg_level == SOL_IPV6 && h->cmsg_type == IPV6_RECVERR))
			    && !complete_sends(c, (const void *)CMSG_DATA(h)))
				return false;
		m.msg_controllen = sizeof control;
	}
	if (some) return true;
	errno = getsockopt(c->out[0], SOL_SOCKET, SO_ERROR, &err, &size) || !err ? EPIPE : err;
	return failed_out(c, 0, "send MSG_ZEROCOPY");
}

/*
 * A pool of threads that share one copy. They wait for go, and each works with a copy of its own, of which
 * the sum is made when all have finished.
 */
struct worker {
	struct pool *pool;
	struct copy copy;
	pthread_t thread;
	int number;                    /* from 0 */
};

struct pool {
	int n;                         /* threads that were started */
	struct worker workers[THREADS_MAX];
	void (*work)(struct worker *); /* what they are to do; NULL: to end */
	sem_t go, finished;
	atomic_uint claimed;           /* pieces that some worker has taken on */
	atomic_bool stop;              /* one has failed, or met the end of the input */
	unsigned char *from, *to;      /* what the strategy has mapped */
	sem_t empty, full;             /* blocks of the ring between reader and writer */
	ssize_t filled[RING_DEPTH];    /* bytes in each of them */
};

/* A worker waits for the copy to begin, or for the end of the pool. */
static void *wait_and_work(void *worker) {
	struct worker *w = worker;
	while (sem_wait(&w->pool->go)) {}
	if (w->pool->work) w->pool->work(w);
	sem_post(&w->pool->finished);
	return NULL;
}

static bool start_pool(struct copy *c, int n) {
	struct pool *p = c->res->pool = allocate(1, sizeof *p);
	sem_init(&p->go, 0, 0);
	sem_init(&p->finished, 0, 0);
	sem_init(&p->empty, 0, RING_DEPTH);
	sem_init(&p->full, 0, 0);
	for (; p->n < n; p->n++) {
		struct worker *w = &p->workers[p->n];
		*w = (struct worker){ .pool = p, .copy = *c, .number = p->n };
		w->copy.buf = c->buf ? c->buf + p->n * c->block : NULL;
		if (!start_thread(&w->thread, wait_and_work, w)) return failed(c, "pthread_create");
	}
	return true;
}

static bool start_threads(struct copy *c) { return start_pool(c, count_threads(c)); }
static bool start_reader_and_writer(struct copy *c) { return start_pool(c, 2); }

/* To add a resource: a bit, its function, and what gives it back in tear_down(). Made in this order. */
enum {
	HUGE_PAGES = 1 << 0, DIRECT_IN = 1 << 1, DIRECT_OUT = 1 << 2, MAPPABLE = 1 << 3, STREAMS = 1 << 4,
	BUFFER = 1 << 5, RING = 1 << 6, BUFFERS = 1 << 7, HUGE_BUFFER = 1 << 8, PIPE = 1 << 9,
	INPUT_PIPE = 1 << 10, TEE = 1 << 11, READABLE = 1 << 12, RANGES = 1 << 13, RINGS = 1 << 14,
	REGISTERED = 1 << 15, ZEROCOPY = 1 << 16, THREADS_ONLY = 1 << 17, TWO_THREADS = 1 << 18,
	DIRECT_WRITE = DIRECT_OUT | BUFFER, DIRECT = DIRECT_IN | DIRECT_WRITE,
	HUGE = HUGE_PAGES | HUGE_BUFFER, READ_BACK = INPUT_PIPE | READABLE, SYNC_RANGE = BUFFER | RANGES,
	URING = RING | RINGS, FIXED = URING | REGISTERED, URING_PIPE = PIPE | RINGS,
	THREADS = BUFFERS | THREADS_ONLY, PAIR = RING | TWO_THREADS,
};
static const struct {
	unsigned need;
	bool (*make)(struct copy *);
} resources[] = {
	{ HUGE_PAGES, check_huge_pages }, { DIRECT_IN, open_input_direct },
	{ DIRECT_OUT, open_output_direct }, { MAPPABLE, open_output_mappable }, { STREAMS, open_streams },
	{ BUFFER, make_buffer }, { RING, make_ring }, { BUFFERS, make_buffers },
	{ HUGE_BUFFER, make_huge_buffer }, { PIPE, make_pipe },
	{ INPUT_PIPE, make_pipe_behind_input }, { TEE, make_tee_pipes }, { READABLE, open_output_readable },
	{ RANGES, check_sync_file_range }, { RINGS, make_uring }, { REGISTERED, register_buffers },
	{ ZEROCOPY, make_zerocopy }, { THREADS_ONLY, start_threads },
	{ TWO_THREADS, start_reader_and_writer },
};

static bool set_up(struct copy *c, unsigned needs) {
	bool ok = true;
	for (int i = 0; i < LENGTH(resources) && ok; i++)
		ok = !(needs & resources[i].need) || resources[i].make(c);
	return ok;
}

/* Gives back whatever there is, also where set_up() could not make all. */
static void tear_down(struct copy *c) {
	struct resources *r = c->res;
	int *fds[] = { &r->pipe[0], &r->pipe[1], &r->helper[0], &r->helper[1], &r->reopened[0],
	    &r->reopened[1] };
	for (int i = 0; r->pool && i < r->pool->n && !r->pool->work; i++)
		sem_post(&r->pool->go); /* idle workers end */
	for (int i = 0; r->pool && i < r->pool->n; i++) pthread_join(r->pool->workers[i].thread, NULL);
	free(r->pool);
	struct failure failure = c->failure; /* the rest of sends is waited for only to be counted */
	for (int64_t end = now() + SEND_WAIT; r->zerocopy && r->zerocopy->completed != r->zerocopy->sent
	    && !caught && now() < end && await_completions(c);) {}
	c->failure = failure;
	free(r->zerocopy);
	for (int i = 0; r->uring && i < LENGTH(r->uring->maps); i++)
		if (r->uring->maps[i].at != MAP_FAILED) munmap(r->uring->maps[i].at, r->uring->maps[i].size);
	/* closing the ring would give locked memory (ulimit -l) back some time later */
	bool busy = r->uring && r->uring->in_flight > 0;
	if (r->uring && r->uring->fixed && !busy)
		syscall(SYS_io_uring_register, r->uring->fd, IORING_UNREGISTER_BUFFERS, NULL, 0);
	if (r->uring) close_fd(&r->uring->fd);
	free(r->uring);
	if (c->buf && !busy) munmap(c->buf, r->room);
	for (int i = 0; i < 2; i++)
		if (r->stream[i]) fclose(r->stream[i]);
	for (int i = 0; i < LENGTH(fds); i++) close_fd(fds[i]);
}

/* ---- Strategies: one small function each; bytes or -errno ----------------------------------- */

#define MEMCPY_STEP (64 * M) /* bytes a memcpy: seen as large by libc, and a signal is soon noticed */
#define WRITE_STEP M         /* bytes a write from a mapping: longer ones can be slow (AMD EPYC, 6.18) */
#define BEHIND (8 * M)       /* bytes that write-behind keeps dirty before it waits for the disk */

/* What a strategy returns. */
static int64_t total(const struct copy *c) { return c->failure.err ? -c->failure.err : c->done; }

/* Bytes to ask of the next call: 0 at the end, and when a signal asks us to stop. */
static size_t next(const struct copy *c) {
	return caught ? 0 : min(c->len - c->done, c->block ? c->block : CALL_MAX);
}

/* Counts what a call has moved: false when it failed, or had nothing more to move. */
static bool moved(struct copy *c, ssize_t n, const char *call) {
	if (n > 0) c->done += n;
	return n > 0 || interrupted(n) || (n < 0 && failed(c, call));
}

/* Counts bytes that have arrived at one of the outputs: the last one makes them done. */
static void count(struct copy *c, int out, ssize_t n) {
	if (c->nout == 1 || out != c->res->first) c->done += n;
}

/* read(2): bytes, 0 at the end of the input, -1. */
static ssize_t read_in(struct copy *c, void *to, size_t n) {
	ssize_t got = safe_read(c->in, to, n);
	if (got < 0) failed(c, "read");
	return got;
}

/* write(2), as often as it takes for n bytes: false when it fails, or moves nothing. */
static bool write_out(struct copy *c, int out, const unsigned char *from, size_t n) {
	for (ssize_t wrote; n > 0; from += wrote, n -= wrote) {
		while (interrupted(wrote = write(c->out[out], from, n))) {}
		if (wrote <= 0) return wrote < 0 && failed_out(c, out, "write");
		count(c, out, wrote);
	}
	return true;
}

static bool write_each(struct copy *c, const unsigned char *from, size_t n) {
	bool ok = true;
	for (int i = 0; ok && i < c->nout; i++) ok = write_out(c, i, from, n);
	return ok;
}

static int64_t copy_read_write(struct copy *c) {
	ssize_t n;
	size_t want;
	while ((want = next(c)) && (n = read_in(c, c->buf, want)) > 0)
		if (!write_each(c, c->buf, n)) break;
	return total(c);
}

static bool skip(struct copy *c, ssize_t n) {
	for (int i = 0; i < c->nout; i++)
		if (lseek(c->out[i], n, SEEK_CUR) < 0) return failed_out(c, i, "lseek");
	c->done += n;
	return true;
}

static bool truncate_each(struct copy *c, int64_t length) {
	for (int i = 0; i < c->nout; i++)
		while (ftruncate(c->out[i], length))
			if (!interrupted(-1)) return failed_out(c, i, "ftruncate");
	return true;
}

/* Skips zero blocks with lseek. Truncates first; extends to full length last. */
static int64_t copy_sparse(struct copy *c) {
	bool hole = false;
	size_t want;
	ssize_t n;
	if (!truncate_each(c, 0)) return total(c);
	while ((want = next(c)) && (n = read_in(c, c->buf, want)) > 0) {
		hole = is_zero(c->buf, n);
		if (!(hole ? skip(c, n) : write_each(c, c->buf, n))) return total(c);
	}
	if (hole) truncate_each(c, c->done);
	return total(c);
}

/* A child behind a pipe or socket waits for a close. That of a file would flush it on NFS: untimed. */
static int64_t end_stdio(struct copy *c, const char *reading) {
	if (!c->failure.err && ferror(c->res->stream[0])) failed(c, reading);
	else if (!c->failure.err && fflush(c->res->stream[1])) failed(c, "fflush");
	for (int i = 0; i < 2 - has_type(c->out[0], S_IFREG); i++) {
		fclose(c->res->stream[i]);
		c->res->stream[i] = NULL;
	}
	return total(c);
}

static int64_t copy_stdio(struct copy *c) {
	size_t n, want;
	while (!c->failure.err && (want = next(c)) && (n = fread(c->buf, 1, want, c->res->stream[0])) > 0)
		if (fwrite(c->buf, 1, n, c->res->stream[1]) < n) failed(c, "fwrite");
		else c->done += n;
	return end_stdio(c, "fread");
}

static int64_t copy_stdio_bytes(struct copy *c) {
	FILE *in = c->res->stream[0], *out = c->res->stream[1];
	for (int byte; !c->failure.err && next(c) && (byte = getc(in)) != EOF;)
		if (putc(byte, out) == EOF) failed(c, "putc");
		else c->done++;
	return end_stdio(c, "getc");
}

/* mmap(2), which says EOVERFLOW where an address space of 32 bits has no room. NULL: failed. */
static unsigned char *map_file(struct copy *c, int fd, int64_t at, int64_t n, int protection, int flags) {
	void *map = MAP_FAILED;
	errno = ENOMEM;
	if (n <= (int64_t)(SIZE_MAX / 2)) map = mmap(NULL, n, protection, flags, fd, at);
	if (map == MAP_FAILED && errno == ENOMEM && n > (int64_t)(SIZE_MAX / 8)) errno = EOVERFLOW;
	return map == MAP_FAILED ? failed(c, "mmap"), NULL : map;
}

/* From a page boundary on. Private: a shared mapping of /dev/zero is memory of its own (mem(4)). */
static unsigned char *map_input(struct copy *c, int64_t at, int64_t n, int flags) {
	unsigned char *map = map_file(c, c->in, at, n, PROT_READ, MAP_PRIVATE | flags);
	if (map && c->hints && (madvise(map, n, MADV_SEQUENTIAL) || madvise(map, n, MADV_WILLNEED))) {
		failed(c, "madvise");
		munmap(map, n);
		return NULL;
	}
	return map;
}

/* The whole output, mapped, after the advice has given it its length. */
static unsigned char *map_output(struct copy *c) {
	return map_file(c, c->res->reopened[1], 0, c->len, PROT_READ | PROT_WRITE, MAP_SHARED);
}

static void unmap(const struct copy *c, unsigned char *map) { if (map) munmap(map, c->len); }

/* One call for all page faults of a range (madvise(2)). EFAULT: what would be a SIGBUS. */
static bool populate(struct copy *c, unsigned char *map, size_t n, int advice) {
	return !madvise(map, n, advice) || failed(c, advice == POPULATE_READ ? "madvise MADV_POPULATE_READ"
	    : "madvise MADV_POPULATE_WRITE");
}

static int64_t mmap_write(struct copy *c, int flags, bool populated) {
	for (int64_t n; (n = c->block ? (int64_t)next(c) : c->len);) {
		unsigned char *map = map_input(c, c->done, n, flags);
		int64_t step = populated ? WRITE_STEP : n;
		bool ok = map && (!populated || populate(c, map, n, POPULATE_READ));
		for (int64_t i = 0; ok && i < n; i += step) ok = write_each(c, map + i, min(n - i, step));
		if (map) munmap(map, n);
		if (!ok || !c->block) break;
	}
	return total(c);
}

static int64_t copy_mmap_write(struct copy *c) { return mmap_write(c, 0, false); }
static int64_t copy_mmap_write_populate(struct copy *c) { return mmap_write(c, MAP_POPULATE, false); }
static int64_t copy_mmap_write_windows(struct copy *c) { return mmap_write(c, 0, true); }

/* Where a SIGBUS of this thread lands: the file was cut, or the disk is full (mmap(2)). NULL: a bug. */
static _Thread_local sigjmp_buf *volatile bus_landing;
static _Thread_local const unsigned char *volatile bus_address;

static void on_bus(int number, siginfo_t *info, UNUSED void *context) {
	bus_address = info->si_addr;
	if (bus_landing) siglongjmp(*bus_landing, 1);
	signal(number, SIG_DFL); /* a bug: let it end the program */
}

/* A mapped output could not take a byte: errno is write(2)'s; where that succeeds now, by the free space. */
static bool output_failed(struct copy *c, int64_t at) {
	int fd = c->res->reopened[1];
	struct statfs fs;
	if (pwrite(fd, "", 1, at) >= 0)
		errno = !fstatfs(fd, &fs) && (int64_t)fs.f_bavail * (int64_t)fs.f_bsize < c->len - at ? ENOSPC
		    : EFAULT;
	return failed(c, "memory mapped from the output");
}

/* memcpy(3) from the mapped input to the mapped output; false: one of them is not what it was. */
static bool copy_mapped(struct copy *c, unsigned char *to, const unsigned char *from, int64_t at, size_t n) {
	sigjmp_buf landing;
	if (sigsetjmp(landing, 0)) {
		bus_landing = NULL;
		if (bus_address >= to && bus_address < to + c->len) return output_failed(c, bus_address - to);
		errno = EFAULT;
		return failed(c, "memory mapped from the input");
	}
	bus_landing = &landing;
	memcpy(to + at, from + at, n);
	bus_landing = NULL;
	c->done += n;
	return true;
}

static bool populate_output(struct copy *c, unsigned char *to, size_t n) {
	return populate(c, to + c->done, n, POPULATE_WRITE)
	    || (c->failure.err == EFAULT && output_failed(c, c->done));
}

static int64_t mmap_mmap(struct copy *c, bool (*ready)(struct copy *, unsigned char *to)) {
	unsigned char *from = map_input(c, 0, c->len, 0), *to = from ? map_output(c) : NULL;
	bool ok = to && (!ready || ready(c, to));
	for (size_t n; ok && (n = min(next(c), MEMCPY_STEP));)
		ok = (!c->block || (populate(c, from + c->done, n, POPULATE_READ)
		    && populate_output(c, to, n))) && copy_mapped(c, to, from, c->done, n);
	unmap(c, to);
	unmap(c, from);
	return total(c);
}

/* The first byte brings in a huge page (tmpfs, mounted with huge=always or advise), or there is none. */
static bool ask_huge(struct copy *c, unsigned char *to) {
	unsigned char resident[HUGE_PAGE / DIO_ALIGNMENT];
	struct statfs fs;
	if (madvise(to, c->len, MADV_HUGEPAGE)) return failed(c, "madvise MADV_HUGEPAGE");
	if (!populate_output(c, to, 1)) return false;
	bool huge = !fstatfs(c->out[0], &fs) && (uint32_t)fs.f_type == TMPFS_MAGIC && c->len >= HUGE_PAGE
	    && !mincore(to, HUGE_PAGE, resident);
	for (int i = 0; i < HUGE_PAGE / sysconf(_SC_PAGESIZE); i++) huge = huge && resident[i] & 1;
	errno = EOPNOTSUPP;
	return huge || failed(c, "madvise MADV_HUGEPAGE, which gave no huge page,");
}

static int64_t copy_mmap_mmap(struct copy *c) { return mmap_mmap(c, NULL); }
static int64_t copy_mmap_mmap_huge(struct copy *c) { return mmap_mmap(c, ask_huge); }

/* read(2) says EFAULT where memory would be a SIGBUS. */
static int64_t copy_read_mmap(struct copy *c) {
	unsigned char *to = map_output(c);
	for (size_t want; to && (want = next(c)) && moved(c, read_in(c, to + c->done, want), "read");) {}
	if (c->failure.err == EFAULT) output_failed(c, c->done);
	unmap(c, to);
	return total(c);
}

/* Is one end of a call our own pipe in the middle? Only we could unblock it. */
static bool is_ours(const struct copy *c, int from, int to) {
	return from == c->res->pipe[0] || from == c->res->helper[0] || to == c->res->pipe[1]
	    || to == c->res->helper[1];
}

/* Is a call at our pipe to be made again? *got becomes 0 where an earlier one has claimed too much. */
static bool retry(const struct copy *c, int from, int to, ssize_t *got, unsigned *flags) {
	int held = 0;
	if (*got >= 0 || errno != EAGAIN || !*flags) return interrupted(*got);
	*flags = 0;
	if ((is_ours(c, from, -2) && !ioctl(from, FIONREAD, &held) && held == 0)
	    || (is_ours(c, -2, to) && !ioctl(to, FIONREAD, &held) && held > 0)) {
		*got = 0;
		return false;
	}
	return true;
}

/* Into a socket, but for the last bytes: a segment that is not full need not be sent yet (splice(2)). */
static unsigned more(const struct copy *c, size_t n) {
	return c->into_socket && c->done + (int64_t)n < c->len ? SPLICE_F_MORE : 0;
}

/* splice(2) between two descriptors, about an output or none (-1): bytes, 0 at the end of the input, -1. */
static ssize_t splice_some(struct copy *c, int from, int to, int out, size_t n) {
	unsigned flags = is_ours(c, from, to) ? SPLICE_F_NONBLOCK : 0;
	ssize_t got;
	do
		got = splice(from, NULL, to, NULL, n, flags | (out == 0 ? more(c, n) : 0));
	while (retry(c, from, to, &got, &flags));
	if (got < 0) failed_out(c, out, "splice");
	return got;
}

static ssize_t splice_in(struct copy *c, size_t n) { return splice_some(c, c->in, c->res->pipe[1], -1, n); }

/* splice(2) of n bytes out of a pipe into one of the outputs, as often as it takes. */
static bool splice_out(struct copy *c, int pipe, int out, ssize_t n) {
	for (ssize_t got; n > 0; n -= got) {
		got = splice_some(c, pipe, c->out[out], out, n);
		if (got <= 0) return false;
		count(c, out, got);
	}
	return true;
}

static int64_t copy_pipe_splice(struct copy *c) {
	ssize_t n;
	size_t want;
	while ((want = next(c)) && (n = splice_in(c, want)) > 0)
		if (!splice_out(c, c->res->pipe[0], 0, n)) break;
	return total(c);
}

/* Duplicates up to n bytes of a pipe into one output, and moves them to the other: how many, or none. */
static ssize_t duplicate(struct copy *c, int pipe, ssize_t n) {
	const struct resources *r = c->res;
	int to = r->helper[1] >= 0 ? r->helper[1] : c->out[r->first];
	unsigned flags = is_ours(c, pipe, to) ? SPLICE_F_NONBLOCK : 0;
	ssize_t copied;
	do
		copied = tee(pipe, to, n, flags);
	while (retry(c, pipe, to, &copied, &flags));
	if (copied < 0) failed_out(c, to == r->helper[1] ? -1 : r->first, "tee");
	if (copied <= 0 || (r->helper[0] >= 0 && !splice_out(c, r->helper[0], r->first, copied))) return 0;
	return splice_out(c, pipe, 1 - r->first, copied) ? copied : 0;
}

static int64_t copy_tee(struct copy *c) {
	ssize_t n = 1, copied;
	size_t want;
	while (n > 0 && (want = next(c)))
		if (c->res->pipe[0] < 0) n = duplicate(c, c->in, want);
		else if ((n = splice_in(c, want)) > 0)
			for (ssize_t left = n; left > 0; left -= copied)
				if (!(copied = duplicate(c, c->res->pipe[0], left))) return total(c);
	return total(c);
}

/* Pages of the mapping go into the pipe by reference (vmsplice(2)), and out of it by splice. */
static int64_t copy_vmsplice_splice(struct copy *c) {
	unsigned char *map = map_input(c, 0, c->len, 0);
	ssize_t in, out = 1;
	for (size_t want; map && out > 0 && (want = next(c));) {
		struct iovec part = { map + c->done, want };
		unsigned flags = SPLICE_F_NONBLOCK;
		do
			in = vmsplice(c->res->pipe[1], &part, 1, flags);
		while (retry(c, -2, c->res->pipe[1], &in, &flags));
		if (in < 0) failed(c, "vmsplice");
		for (out = in; in > 0 && out > 0; in -= out, c->done += max(out, 0))
			out = splice_some(c, c->res->pipe[0], c->out[0], 0, in);
	}
	unmap(c, map);
	return total(c);
}

/* By reference: until the reader is done with these pages, nothing may be written there (vmsplice(2)). */
static bool vmsplice_out(struct copy *c, unsigned char *from, size_t n) {
	while (n > 0) {
		struct iovec part = { from, n };
		ssize_t some = vmsplice(c->out[0], &part, 1, 0);
		if (!moved(c, some, "vmsplice")) return false;
		from += max(some, 0);
		n -= max(some, 0);
	}
	return true;
}

static int64_t vmsplice_input(struct copy *c, bool huge) {
	unsigned char *map = map_input(c, 0, c->len, 0);
	if (map && huge && madvise(map, c->len, MADV_HUGEPAGE)) failed(c, "madvise MADV_HUGEPAGE");
	for (size_t n; map && !c->failure.err && (n = next(c)) && vmsplice_out(c, map + c->done, n);) {}
	unmap(c, map);
	return total(c);
}

static int64_t copy_vmsplice(struct copy *c) { return vmsplice_input(c, false); }

/* In huge pages, where the input can have them: /dev/zero, tmpfs mounted so (madvise(2), MADV_HUGEPAGE). */
static int64_t copy_vmsplice_huge(struct copy *c) { return vmsplice_input(c, true); }

/* Reads into huge pages, which go out by reference and are given up: no call says when they are free. */
static int64_t copy_huge(struct copy *c) {
	size_t want;
	ssize_t n;
	while ((want = next(c)) && (n = read_in(c, c->buf, want)) > 0 && vmsplice_out(c, c->buf, n))
		if (madvise(c->buf, c->res->room, MADV_DONTNEED))
			return failed(c, "madvise MADV_DONTNEED"), total(c);
	return total(c);
}

/* With sendfile's arguments. By its number: glibc 2.27 to 2.29 copied by read and write. */
static ssize_t copy_range(int out, int in, off_t *at, size_t n) {
	return syscall(SYS_copy_file_range, in, at, out, NULL, n, 0);
}

static ssize_t splice_range(int out, int in, off_t *at, size_t n) { return splice(in, at, out, NULL, n, 0); }

/* The whole input, from where it stands, by a call like sendfile(2). */
#define CALL_LIKE_SENDFILE ssize_t (*call)(int out, int in, off_t *at, size_t n)
static int64_t move_all(struct copy *c, int out, int in, CALL_LIKE_SENDFILE, const char *name) {
	for (size_t want; (want = next(c)) && moved(c, call(out, in, NULL, want), name);) {}
	return total(c);
}

/* Where one of the ends is a pipe, none is needed in the middle. */
static int64_t copy_splice(struct copy *c) { return move_all(c, c->out[0], c->in, splice_range, "splice"); }
static int64_t copy_sendfile(struct copy *c) { return move_all(c, c->out[0], c->in, sendfile, "sendfile"); }

static int64_t copy_file_range_all(struct copy *c) {
	return move_all(c, c->out[0], c->in, copy_range, "copy_file_range");
}

/* The data between the holes alone (lseek(2), SEEK_DATA). Truncates first; extends to full length last. */
static int64_t copy_range_sparse(struct copy *c) {
	bool ok = truncate_each(c, 0);
	while (ok && next(c)) {
		off_t data = lseek(c->in, c->done, SEEK_DATA);
		if (data < 0 && errno != ENXIO) return failed(c, "lseek SEEK_DATA"), total(c);
		c->done = data < 0 ? c->len : min(data, c->len); /* ENXIO: a hole to the end */
		off_t end = c->done < c->len ? lseek(c->in, c->done, SEEK_HOLE) : c->len;
		if (end < 0) return failed(c, "lseek SEEK_HOLE"), total(c);
		for (end = min(end, c->len); ok && c->done < end && !caught;) {
			off_t in = c->done, out = in;
			ok = moved(c, syscall(SYS_copy_file_range, c->in, &in, c->out[0], &out,
			    (size_t)(end - in), 0), "copy_file_range");
		}
	}
	if (ok) truncate_each(c, c->done);
	return total(c);
}

/* The input to each output in turn, by offset. */
static int64_t copy_to_each(struct copy *c, CALL_LIKE_SENDFILE, const char *name) {
	for (int i = 0; i < c->nout; i++)
		for (off_t at = 0; at < c->len && !caught;) {
			ssize_t n = call(c->out[i], c->in, &at, min(c->len - at, CALL_MAX));
			if (interrupted(n)) continue;
			if (n <= 0) return n < 0 ? failed_out(c, i, name) : 0, total(c);
			count(c, i, n);
		}
	return total(c);
}

static int64_t copy_sendfile_each(struct copy *c) { return copy_to_each(c, sendfile, "sendfile"); }
static int64_t copy_range_each(struct copy *c) { return copy_to_each(c, copy_range, "copy_file_range"); }

static bool splice_first(struct copy *c) {
	bool piped = c->res->pipe[0] >= 0;
	int64_t most = piped ? c->block : CALL_MAX;
	ssize_t n = 1;
	for (int64_t left = c->len; left > 0 && n > 0 && !caught; left -= n) {
		size_t want = min(left, most);
		n = piped ? splice_in(c, want) : splice_some(c, c->in, c->out[0], 0, want);
		if (n > 0 && piped && !splice_out(c, c->res->pipe[0], 0, n)) break;
	}
	return !c->failure.err && !caught;
}

/* Splices the input into the first output, and makes the second one of it. */
static int64_t splice_then(struct copy *c, CALL_LIKE_SENDFILE, const char *name) {
	bool ok = splice_first(c);
	c->block = 0;
	if (ok) move_all(c, c->out[1], c->res->reopened[1], call, name);
	if (ok && c->failure.err) c->failure.out = 1;
	return total(c);
}

static int64_t copy_splice_sendfile(struct copy *c) { return splice_then(c, sendfile, "sendfile"); }
static int64_t copy_splice_range(struct copy *c) { return splice_then(c, copy_range, "copy_file_range"); }

static int64_t copy_splice_reflink(struct copy *c) {
	struct stat st;
	int n = 0;
	if (!splice_first(c)) return total(c);
	while (interrupted(n = ioctl(c->out[1], FICLONE, c->res->reopened[1]))) {}
	if (n < 0 || fstat(c->out[1], &st))
		return failed_out(c, 1, n < 0 ? "ioctl FICLONE" : "fstat"), total(c);
	c->cloned = true;
	return c->done = st.st_size;
}

/* FICLONE takes all there is; a part needs FICLONERANGE and must end at a block (ioctl_ficlone(2)). */
static int64_t copy_reflink(struct copy *c) {
	struct file_clone_range part = { .src_fd = c->in, .src_length = c->len };
	while (c->whole ? ioctl(c->out[0], FICLONE, c->in) : ioctl(c->out[0], FICLONERANGE, &part))
		if (!interrupted(-1))
			return failed(c, c->whole ? "ioctl FICLONE" : "ioctl FICLONERANGE"), total(c);
	c->cloned = true;
	return c->done = c->len;
}

/* pread(2) and pwrite(2) of n bytes at an offset: false at the end of the input, and when a call fails. */
static bool copy_at(struct copy *c, int in, int out, int64_t at, size_t n) {
	while (n > 0) {
		ssize_t got = pread(in, c->buf, n, at), wrote;
		if (interrupted(got)) continue;
		if (got <= 0) return got < 0 && failed(c, "pread");
		for (const unsigned char *from = c->buf; got > 0; from += wrote, got -= wrote) {
			if (!moved(c, wrote = pwrite(out, from, got, at), "pwrite")) return false;
			wrote = max(wrote, 0);
			at += wrote;
			n -= wrote;
		}
	}
	return true;
}

static int64_t copy_blocks(struct copy *c) {
	for (size_t want; (want = next(c)) && copy_at(c, c->in, c->out[0], c->done, want);) {}
	return total(c);
}

/* Whole blocks by direct I/O; the tail without. An input of less than a block is tried, too. */
static int64_t copy_directly(struct copy *c, int64_t (*copy)(struct copy *)) {
	struct copy blocks = *c;
	if (c->res->reopened[0] >= 0) blocks.in = c->res->reopened[0];
	blocks.out[0] = c->res->reopened[1];
	if (c->len >= c->res->alignment) blocks.len -= c->len % c->res->alignment;
	copy(&blocks);
	c->failure = blocks.failure;
	c->done = blocks.done;
	if (c->done == blocks.len && next(c)) copy_at(c, c->in, c->out[0], c->done, c->len - c->done);
	return total(c);
}

static int64_t copy_direct(struct copy *c) { return copy_directly(c, copy_blocks); }

/* preadv2(2) and pwritev2(2) where the files stand. By their numbers: libc would do without the flag. */
static ssize_t uncached(long call, int fd, void *buf, size_t n) {
	struct iovec part = { buf, n };
	ssize_t some;
	while (interrupted(some = syscall(call, fd, &part, 1L, -1L, -1L, RWF_UNCACHED))) {}
	return some;
}

static int64_t copy_uncached(struct copy *c) {
	ssize_t in, out;
	for (size_t want; (want = next(c)) && (in = uncached(SYS_preadv2, c->in, c->buf, want)) != 0;) {
		if (in < 0) return failed(c, "preadv2 RWF_DONTCACHE"), total(c);
		for (unsigned char *from = c->buf; in > 0; from += out, in -= out, c->done += out) {
			out = uncached(SYS_pwritev2, c->out[0], from, in);
			if (out <= 0) return out < 0 ? failed(c, "pwritev2 RWF_DONTCACHE") : 0, total(c);
		}
	}
	return total(c);
}

/* Starts writing the window that ends at `end`; waits for the one before, or the last, and evicts that. */
static bool write_behind(struct copy *c, int64_t end, bool last) {
	int64_t begin = (end - 1) / BEHIND * BEHIND, before = max(begin - BEHIND, 0);
	int64_t settled = (last ? end : begin) - before;
	unsigned wait = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
	if (sync_file_range(c->out[0], begin, end - begin, SYNC_FILE_RANGE_WRITE)
	    || (settled > 0 && sync_file_range(c->out[0], before, settled, wait)))
		return failed(c, "sync_file_range");
	if (settled > 0 && (errno = posix_fadvise(c->out[0], before, settled, POSIX_FADV_DONTNEED)))
		return failed(c, "posix_fadvise");
	return true;
}

/* Keeps a copy from filling memory with dirty pages. The input stays in the page cache. */
static int64_t copy_write_behind(struct copy *c) {
	ssize_t n;
	size_t want;
	while ((want = next(c)) && (n = read_in(c, c->buf, want)) > 0) {
		int64_t window = c->done / BEHIND;
		if (!write_out(c, 0, c->buf, n)) break;
		bool last = c->done == c->len;
		if ((last || c->done / BEHIND != window) && !write_behind(c, c->done, last)) break;
	}
	return total(c);
}

/* The next free entry, for an operation at an offset of a registered file; -1: where it stands. */
static struct io_uring_sqe *queue(struct uring *u, int operation, int file, int64_t at, size_t n) {
	unsigned tail = atomic_load_explicit(u->sq_tail, memory_order_relaxed), i = tail & *u->sq_mask;
	struct io_uring_sqe *e = &u->sqes[i];
	*e = (struct io_uring_sqe){ .opcode = operation, .flags = IOSQE_FIXED_FILE, .fd = file, .off = at,
	    .len = n };
	u->sq_array[i] = i;
	atomic_store_explicit(u->sq_tail, tail + 1, memory_order_release);
	u->queued++;
	return e;
}

/* Submits what is queued, and waits for n completions, a second at most: Linux 6.18 may start no worker for a
 * request, which then waits for ever. A no-op for the workers starts one (5.17). False: failed. */
static bool enter_ring(struct uring *u, unsigned n) {
	int64_t second[] = { 1, 0 }; /* struct __kernel_timespec */
	struct io_uring_getevents_arg wait = { .ts = (uintptr_t)second };
	int given = syscall(SYS_io_uring_enter, u->fd, u->queued, n, IORING_ENTER_GETEVENTS | u->timed,
	    u->timed ? &wait : NULL, sizeof wait), err = errno;
	/* the ring, not the call, says how many were taken */
	int taken = (int)(u->queued - (*u->sq_tail - atomic_load_explicit(u->sq_head, memory_order_acquire)));
	u->queued -= taken;
	u->in_flight += taken;
	if (given < 0 && err == ETIME && !u->queued) { /* else they may have no room */
		queue(u, IORING_OP_NOP, 0, 0, 0)->flags = IOSQE_ASYNC | IOSQE_CQE_SKIP_SUCCESS;
		u->in_flight--; /* it has no completion */
	}
	errno = given > taken ? EIO : err;
	return given <= taken && (given >= 0 || err == EINTR || err == ETIME);
}

static unsigned count_completed(struct uring *u) {
	return atomic_load_explicit(u->cq_tail, memory_order_acquire) - *u->cq_head;
}

/* False: failed, or we are to stop. */
static bool submit(struct copy *c, unsigned n) {
	struct uring *u = c->res->uring;
	while (!caught && (u->queued > 0 || count_completed(u) < n))
		if (!enter_ring(u, n)) return failed(c, "io_uring_enter");
	return !caught;
}

static bool reap(struct uring *u, struct io_uring_cqe *e) {
	unsigned head = *u->cq_head;
	if (!count_completed(u)) return false;
	*e = u->cqes[head & *u->cq_mask];
	atomic_store_explicit(u->cq_head, head + 1, memory_order_release);
	u->in_flight--;
	return true;
}

/* Waits for what is in flight when a copy gives up, which would reach the next output, and lets the files
 * go. After a signal no output follows: the end of the process cancels the rest, and its buffer stays
 * mapped. */
static int64_t drain(struct copy *c) {
	struct uring *u = c->res->uring;
	struct io_uring_cqe e;
	while (!caught && u->in_flight > 0 && enter_ring(u, 1))
		while (reap(u, &e)) {}
	if (caught) return total(c);
	/* else the ring would keep the output and the pipe open, whose ends others wait for */
	if (syscall(SYS_io_uring_register, u->fd, IORING_UNREGISTER_FILES, NULL, 0))
		failed(c, "io_uring_register"), close_fd(&u->fd);
	return total(c);
}

/* A block's way through io_uring: a read, and a write that is linked to it. */
struct slot {
	int64_t at, end;    /* what of the file is still to be copied by it */
	int64_t n;          /* bytes that the pair in flight is about */
	int64_t got, wrote; /* what read and write said: bytes or -errno */
	int pending;        /* of the two, those that have said nothing yet */
};

static void start_slot(struct copy *c, struct slot *s, int number) {
	bool fixed = c->res->uring->fixed;
	s->pending = 2;
	for (int writing = 0; writing < 2; writing++) {
		int operation = writing ? fixed ? IORING_OP_WRITE_FIXED : IORING_OP_WRITE : fixed
		    ? IORING_OP_READ_FIXED : IORING_OP_READ;
		struct io_uring_sqe *e = queue(c->res->uring, operation, writing ? RING_OUT : RING_IN, s->at,
		    s->n);
		e->addr = (uintptr_t)(c->buf + number * c->block);
		e->buf_index = fixed ? number : 0;
		e->flags |= writing ? 0 : IOSQE_IO_LINK; /* the write waits; a short read cancels it */
		e->user_data = 2 * number + writing;
	}
}

/* What a pair has done; then on with the same block where it was short, or with the next one. */
static void settle_slot(struct copy *c, struct slot *s, int number, int64_t *claimed, bool *stop) {
	int64_t wrote = max(min(s->wrote, s->got), 0);
	bool cancelled = s->wrote == -ECANCELED && s->got < s->n; /* with the read, by the link */
	errno = s->got < 0 ? -s->got : s->wrote < 0 && !cancelled ? -s->wrote : 0;
	if (errno && errno != EINTR) failed(c, s->got < 0 ? "io_uring read" : "io_uring write");
	if (c->failure.err || s->got == 0 || s->wrote == 0)
		*stop = true; /* else the input ended early, or nothing was moved */
	s->at += wrote;
	c->done += wrote;
	if (s->at == s->end) {
		s->at = *claimed;
		s->end = *claimed = min(*claimed + c->block, c->len);
	}
	if (s->at < s->end && !*stop && !caught) {
		s->n = s->got > 0 && s->got < s->n ? s->got : s->end - s->at;
		start_slot(c, s, number);
	}
}

static int64_t copy_uring(struct copy *c) {
	struct uring *u = c->res->uring;
	struct slot slots[RING_DEPTH] = { 0 };
	struct io_uring_cqe e;
	int64_t claimed = 0;
	bool stop = false;
	for (int i = 0; i < RING_DEPTH; i++) {
		slots[i].got = slots[i].wrote = -EINTR; /* nothing yet, and no error */
		settle_slot(c, &slots[i], i, &claimed, &stop);
	}
	while (u->queued + u->in_flight > 0 && submit(c, 1))
		while (reap(u, &e)) {
			int i = e.user_data / 2;
			*(e.user_data % 2 ? &slots[i].wrote : &slots[i].got) = e.res;
			if (--slots[i].pending == 0) settle_slot(c, &slots[i], i, &claimed, &stop);
		}
	return drain(c);
}

static int64_t copy_uring_direct(struct copy *c) { return copy_directly(c, copy_uring); }

/* A splice into the pipe, and linked to it one out of it. A short one cancels the other: it is made alone. */
static int64_t copy_uring_splice(struct copy *c) {
	int64_t held = 0; /* bytes in the pipe */
	struct io_uring_cqe e;
	for (size_t want; (want = held ? (size_t)held : next(c));) {
		int64_t some[2] = { 0, 0 };
		for (int out = held > 0; out < 2; out++) {
			struct io_uring_sqe *q = queue(c->res->uring, IORING_OP_SPLICE,
			    out ? RING_OUT : RING_PIPE_IN, -1, want);
			q->splice_fd_in = out ? RING_PIPE_OUT : RING_IN;
			q->splice_off_in = -1;
			q->splice_flags = SPLICE_F_FD_IN_FIXED | (out ? more(c, want) : 0);
			q->flags |= out ? 0 : IOSQE_IO_LINK;
			q->user_data = out;
		}
		if (!submit(c, held ? 1 : 2)) break;
		while (reap(c->res->uring, &e)) {
			/* with the first, by the link */
			bool cancelled = e.res == -ECANCELED && e.user_data == 1 && !held;
			if (e.res < 0 && !cancelled && e.res != -EINTR && !c->failure.err) {
				errno = -e.res;
				failed(c, "io_uring splice");
			}
			some[e.user_data] = e.res;
		}
		if (c->failure.err || (!held && some[0] == 0) || some[1] == 0) break;
		held += max(some[0], 0) - max(some[1], 0);
		c->done += max(some[1], 0);
	}
	return drain(c);
}

/* Where the kernel can't keep account of more, some have to be completed first. */
static bool send_slot(struct copy *c, int slot, const unsigned char *from, size_t n) {
	struct zerocopy *z = c->res->zerocopy;
	while (n > 0 && !caught) {
		bool full = z->sent - z->completed == LENGTH(z->slot);
		ssize_t sent = full ? -1 : send(c->out[0], from, n, MSG_ZEROCOPY | MSG_NOSIGNAL);
		if (full || (sent < 0 && errno == ENOBUFS && z->sent != z->completed)) {
			if (!await_completions(c)) return false;
			continue;
		}
		if (interrupted(sent)) continue;
		if (sent <= 0) return sent < 0 && !caught && failed_out(c, 0, "send MSG_ZEROCOPY");
		z->slot[z->sent++ % LENGTH(z->slot)] = slot;
		++*c->res->sends;
		z->pending[slot]++;
		c->done += sent;
		from += sent;
		n -= sent;
	}
	return !caught;
}

static int64_t copy_send_zerocopy(struct copy *c) {
	size_t want;
	ssize_t n;
	for (int slot = 0; (want = next(c)); slot = (slot + 1) % SEND_SLOTS) {
		unsigned char *from = c->buf + slot * c->block;
		while (c->res->zerocopy->pending[slot] > 0 && !caught)
			if (!await_completions(c)) return total(c);
		if ((n = read_in(c, from, want)) <= 0 || !send_slot(c, slot, from, n)) break;
	}
	return total(c);
}

/* The next piece, of block bytes, or if that is 0 of an equal share. 0: none is left, or we are to stop. */
static size_t claim(struct worker *w, int64_t *at) {
	struct pool *p = w->pool;
	int64_t share = (w->copy.len / p->n / M + 1) * M; /* whole blocks of every file system */
	int64_t most = w->copy.block ? w->copy.block : share;
	if (caught || p->stop) return 0;
	*at = most * atomic_fetch_add(&p->claimed, 1);
	return max(min(w->copy.len - *at, most), 0);
}

static void stop_pool(struct worker *w) { w->pool->stop = true; }

/* Waits for all workers. A signal is passed on again and again: one may be just before a call that blocks. */
static int64_t work_together(struct copy *c, void (*work)(struct worker *)) {
	struct pool *p = c->res->pool;
	struct timespec soon;
	p->work = work;
	for (int i = 0; i < p->n; i++) {
		struct copy *part = &p->workers[i].copy;
		part->in = c->in; /* not those that it was started with where they are opened anew */
		part->out[0] = c->out[0];
		part->len = c->len;
	}
	for (int i = 0; i < p->n; i++) sem_post(&p->go); /* any worker may take the first: all are ready */
	for (int left = p->n; left > 0;) {
		clock_gettime(CLOCK_REALTIME, &soon);
		soon.tv_sec++;
		if (!sem_timedwait(&p->finished, &soon)) left--;
		for (int i = 0; i < p->n && left && caught; i++) pthread_kill(p->workers[i].thread, WAKE);
	}
	for (int i = 0; i < p->n; i++) {
		c->done += p->workers[i].copy.done;
		if (!c->failure.err) c->failure = p->workers[i].copy.failure;
	}
	return total(c);
}

static void work_read_write(struct worker *w) {
	int64_t at;
	for (size_t n; (n = claim(w, &at));)
		if (!copy_at(&w->copy, w->copy.in, w->copy.out[0], at, n)) stop_pool(w);
}

static int64_t copy_threads(struct copy *c) { return work_together(c, work_read_write); }
static int64_t copy_threads_direct(struct copy *c) { return copy_directly(c, copy_threads); }

static void work_copy_file_range(struct worker *w) {
	int64_t at;
	for (size_t n; (n = claim(w, &at));)
		for (int64_t end = at + n; at < end && !caught;) {
			off_t in = at, out = at;
			ssize_t some = syscall(SYS_copy_file_range, w->copy.in, &in, w->copy.out[0], &out,
			    (size_t)(end - at), 0);
			if (!moved(&w->copy, some, "copy_file_range")) at = end, stop_pool(w);
			at += max(some, 0);
		}
}

static int64_t copy_threads_range(struct copy *c) { return work_together(c, work_copy_file_range); }

static void work_mmap_mmap(struct worker *w) {
	int64_t at;
	for (size_t n; (n = claim(w, &at));)
		if (!copy_mapped(&w->copy, w->pool->to, w->pool->from, at, n)) stop_pool(w);
}

static int64_t copy_threads_mmap_mmap(struct copy *c) {
	struct pool *p = c->res->pool;
	p->from = map_input(c, 0, c->len, 0);
	p->to = p->from ? map_output(c) : NULL;
	if (p->to) work_together(c, work_mmap_mmap);
	unmap(c, p->to);
	unmap(c, p->from);
	return total(c);
}

/* Fills the blocks of the ring in turn; the last one it fills is empty, or an error. */
static void work_reader(struct worker *w) {
	struct pool *p = w->pool;
	int64_t left = w->copy.len;
	ssize_t n = 1;
	for (int i = 0; n > 0; i = (i + 1) % RING_DEPTH) {
		while (sem_wait(&p->empty)) {}
		bool go_on = left > 0 && !caught && !p->stop;
		n = go_on ? read_in(&w->copy, w->copy.buf + i * w->copy.block, min(left, w->copy.block)) : 0;
		left -= max(n, 0);
		p->filled[i] = n;
		sem_post(&p->full);
	}
}

static void work_writer(struct worker *w) {
	struct pool *p = w->pool;
	const unsigned char *ring = p->workers[0].copy.buf; /* the reader's */
	bool ok = true;
	for (int i = 0;; i = (i + 1) % RING_DEPTH) {
		while (sem_wait(&p->full)) {}
		if (p->filled[i] <= 0) return;
		ok = ok && write_out(&w->copy, 0, ring + i * w->copy.block, p->filled[i]);
		if (!ok) stop_pool(w);
		sem_post(&p->empty);
	}
}

static void work_ring(struct worker *w) { (w->number == 0 ? work_reader : work_writer)(w); }
static int64_t copy_ring(struct copy *c) { return work_together(c, work_ring); }

/*
 * THE TABLE. To add a row: a name that no other row has, at most NAME_WIDTH wide with every advice, the
 * function, and what it takes of these columns. Kinds of end are those on which the row can possibly work:
 * where only some kernels or file systems refuse, let them, and the row says n/a.
 *
 *     .needs       resources, as bits
 *     .block       bytes of a call; or BS(n): n of the output's blocks
 *     ENDS(A, B)   kinds of input and output; else any
 *     .outs        for how many outputs, as bits; else ONE
 *     .unread      kinds of input that it passes on without reading a byte
 *     .streams     pipes and sockets between which it is run by default
 *     .by_name     too slow for --all: run where it is named
 *     .if_holes    run by default only where the input has holes
 *     .may_share   its output may share the input's blocks
 *     .by_default  advice, as bits; else none
 *     .with_all    the same with --all; else EVERY
 *     .calls       what it times
 *     .since       the kernel that has all of that, as the man pages have it; else any
 *     .used_by     real programs that copy so, as of their sources
 *     .about       where it is refused, and what it is good for: for the manual page
 */
#define BS(n) (-(int64_t)(n)) /* of the output (fstatfs f_bsize); real sizes are positive */
#define ENDS(from, to) .in = (from), .out = (to)
#define SEEK_ENDS ENDS(SEEK, SEEK)
enum {
	ANY = KIND_ANY, FILES = KIND_FILE, DISK = KIND_FILE | KIND_BLOCK, SEEK = DISK | KIND_DEVICE,
	PIPES = KIND_PIPE, SOCKETS = KIND_SOCKET, SPLICED = DISK | PIPES,
	ONE = 1 << 1, TWO = 1 << 2, BACK = 1 << 3, /* outputs; BACK: the first one is read again: a file */
	FROM = 1 << 0, INTO = 1 << 1, NET = 1 << 2, /* run by default from a pipe; into one; into a socket; */
	BOTH = FROM | INTO, EACH = BOTH | NET,      /* from one into another */
};

struct strategy {
	const char *name;
	int64_t (*copy)(struct copy *); /* bytes copied, or -errno */
	unsigned needs;
	int64_t block;
	unsigned in, out, outs, unread, streams, by_default, with_all;
	bool by_name, if_holes, may_share;
	const char *calls, *since, *used_by, *about;
};

/* What the rows of a family share. */
#define RW copy_read_write, .needs = BUFFER, .calls = "read, write", \
	.about = "never refused; the measure of all others"
#define STDIO(copy, called) copy, .needs = STREAMS | BUFFER, .with_all = PLAIN, .calls = (called), \
	.about = "never refused; for portable programs: libc copies once more in memory"
#define MMAP_WRITE(copy, called) copy, ENDS(SEEK, ANY), .unread = SEEK, .calls = called ", write", \
	.about = "not for pipes and sockets as input; for programs that want the bytes in memory anyway"
#define MMAP_MMAP(copy, called) copy, .needs = MAPPABLE, ENDS(SEEK, FILES), .calls = called ", memcpy", \
	.by_default = TRUNC | FALLOC, .with_all = RESERVED, \
	.about = "refused where a file can't be mapped (ENODEV); for files that are changed in place"
#define PIPE_SPLICE copy_pipe_splice, .needs = PIPE, .unread = SPLICED, .calls = "splice, splice", .about = \
	"refused where an end can't splice (EINVAL); for any two ends: nothing is copied in user space"
#define VMSPLICED .calls = "mmap, vmsplice", .about = \
	"only into pipes; for readers that are fast: pages go by reference, and must not change meanwhile"
#define RANGE_CALL ENDS(FILES, FILES), .may_share = true, .calls = "copy_file_range", .since = "4.5", \
	.about = "refused between some file systems (EXDEV); for files: it may share blocks, or copy on " \
	"the server"
#define SPARSE_ROW copy_sparse, .needs = BUFFER, .by_default = PLAIN, .with_all = PLAIN, .calls = \
	"read/write/lseek", .about = "refused for pipes (ESPIPE); for blocks of zeros, which become holes"
#define URING_RW copy_uring, .block = 128 * K, SEEK_ENDS, .calls = "io_uring_enter", .about = "refused " \
	"where it is forbidden (EPERM, ENOSYS); for many requests at a time, with few calls: on ext4 and " \
	"tmpfs worker threads of the kernel write, only XFS and btrfs take buffered asynchronous writes"
#define DIRECTLY .block = M, ENDS(DISK, FILES), .about = "refused where a file system has no direct I/O, " \
	"and for less than a block (EINVAL); for disks, and files that are not read again soon"
#define SECOND_COPY .needs = READ_BACK, .may_share = true, .outs = TWO | BACK, .by_default = PLAIN, .about = \
	"refused where the first output is no file, or one call is (EXDEV, EOPNOTSUPP); for two files: the " \
	"first is copied"
#define TEE_SPLICE copy_tee, .needs = TEE, .outs = TWO, .unread = SPLICED, .by_default = PLAIN, \
	.with_all = BARE, .calls = "tee, splice", \
	.about = "refused where an end can't splice (EINVAL); for pipes: pages go twice, uncopied"

static const struct strategy strategies[] = {
	{ "read+write 1", RW, .block = 1, .by_name = true, .with_all = PLAIN, .used_by = "careless loops" },
	{ "read+write 256", RW, .block = 256, .streams = INTO, .with_all = PLAIN,
	  .used_by = "careless loops" },
	{ "read+write 1k", RW, .block = K, .streams = INTO, .by_default = PLAIN,
	  .used_by = "careless loops" },
	{ "read+write bs", RW, .block = BS(1), .by_default = PLAIN },
	{ "read+write 4bs", RW, .block = BS(4), .by_default = PLAIN },
	{ "read+write 16bs", RW, .block = BS(16), .by_default = CLASSIC, .used_by = "Python to 3.13" },
	{ "read+write 256bs", RW, .block = BS(256), .by_default = PLAIN, .used_by = "dd bs=1M" },
	{ "read+write 4k", RW, .block = 4 * K, .streams = EACH, .with_all = PLAIN, .used_by = "toybox cat" },
	{ "read+write 16k", RW, .block = 16 * K, .streams = INTO, .with_all = PLAIN },
	{ "read+write 64k", RW, .block = 64 * K, .streams = EACH, .with_all = PLAIN,
	  .used_by = "Python to 3.13" },
	{ "read+write 128k", RW, .block = 128 * K, .streams = BOTH, .by_default = PLAIN,
	  .used_by = "GNU cat to 9.4" },
	{ "read+write 256k", RW, .block = 256 * K, .streams = EACH, .by_default = PLAIN,
	  .used_by = "GNU cat to 9.10" },
	{ "read+write 1m", RW, .block = M, .streams = BOTH, .with_all = PLAIN, .used_by = "dd bs=1M" },
	{ "read+write 16m", RW, .block = 16 * M, .streams = INTO, .with_all = PLAIN, .used_by = "dd bs=16M" },
	{ "read+write 32m", RW, .block = 32 * M, .streams = INTO, .with_all = PLAIN, .used_by = "dd bs=32M" },
	{ "read+write 1g", RW, .block = 1024 * M, .streams = INTO, .with_all = PLAIN, .used_by = "dd bs=1G" },
	{ "read+write sparse 4k", SPARSE_ROW, .block = 4 * K, ENDS(ANY, FILES), .if_holes = true,
	  .used_by = "uutils cp 0.10" },
	{ "read+write sparse 64k", SPARSE_ROW, .block = 64 * K, ENDS(ANY, FILES), .if_holes = true,
	  .used_by = "OpenBSD cp" },
	{ "stdio 1", STDIO(copy_stdio_bytes, "getc, putc"), .block = 1, .streams = INTO,
	  .used_by = "textbooks" },
	{ "stdio 4k", STDIO(copy_stdio, "fread, fwrite"), .block = 4 * K, .streams = BOTH,
	  .used_by = "textbooks" },
	{ "stdio 256k", STDIO(copy_stdio, "fread, fwrite"), .block = 256 * K, .streams = BOTH },
	{ "stdio 1m", STDIO(copy_stdio, "fread, fwrite"), .block = M, .streams = INTO },
	{ "mmap+write", MMAP_WRITE(copy_mmap_write, "mmap"), .streams = INTO | NET, .by_default = CLASSIC,
	  .used_by = "illumos cp" },
	{ "mmap+write 256k", MMAP_WRITE(copy_mmap_write, "mmap"), .block = 256 * K },
	{ "mmap+write 16m", MMAP_WRITE(copy_mmap_write_windows, "madvise"), .block = 16 * M,
	  .by_default = PLAIN, .since = "5.14" },
	{ "mmap+write populate", MMAP_WRITE(copy_mmap_write_populate, "mmap"), .since = "2.6.23" },
	{ "mmap+mmap", MMAP_MMAP(copy_mmap_mmap, "mmap") },
	{ "mmap+mmap 2m", MMAP_MMAP(copy_mmap_mmap, "madvise"), .block = HUGE_PAGE, .since = "5.14" },
	{ "mmap+mmap huge", copy_mmap_mmap_huge, .needs = MAPPABLE, ENDS(SEEK, FILES),
	  .calls = "madvise, memcpy", .with_all = TRUNC | FALLOC, .since = "5.14",
	  .about = "refused but on tmpfs with huge=always or advise (EOPNOTSUPP); for large files there" },
	{ "read+mmap 256k", copy_read_mmap, .needs = MAPPABLE, .block = 256 * K, ENDS(ANY, FILES),
	  .streams = FROM, .with_all = RESERVED, .calls = "read, mmap",
	  .about = "refused where a file can't be mapped (ENODEV); for files that are changed in place" },
	{ "splice", copy_splice, .unread = SPLICED, .streams = EACH, .with_all = BARE, .calls = "splice",
	  .since = "2.6.17", .used_by = "pv 1.10",
	  .about = "refused unless one end is a pipe (EINVAL); for pipes: pages go by reference" },
	{ "pipe+splice", PIPE_SPLICE, .streams = INTO | NET, .by_default = CLASSIC, .since = "2.6.17" },
	{ "pipe+splice 256k", PIPE_SPLICE, .block = 256 * K, .since = "2.6.35" },
	{ "pipe+splice 512k", PIPE_SPLICE, .block = 512 * K, .since = "2.6.35", .used_by = "GNU cat 9.11" },
	{ "pipe+splice 1m", PIPE_SPLICE, .block = M, .streams = EACH, .by_default = PLAIN, .since = "2.6.35",
	  .used_by = "uutils cat 0.8" },
	{ "vmsplice+splice", copy_vmsplice_splice, .needs = PIPE, ENDS(SEEK, ANY), .unread = SEEK,
	  .streams = INTO, .by_default = PLAIN, .calls = "vmsplice, splice", .since = "2.6.17",
	  .about = "not for pipes and sockets as input; for memory that does not change until it is read" },
	{ "vmsplice", copy_vmsplice, VMSPLICED, ENDS(SEEK, PIPES), .streams = INTO, .since = "2.6.17" },
	{ "vmsplice huge", copy_vmsplice_huge, VMSPLICED, .needs = HUGE_PAGES, ENDS(SEEK, PIPES),
	  .streams = INTO, .with_all = PLAIN, .since = "2.6.38" },
	{ "read+vmsplice huge 2m", copy_huge, .with_all = PLAIN, .calls = "read, vmsplice", .since = "2.6.38",
	  .needs = HUGE, .block = 2 * M, ENDS(ANY, PIPES), .streams = INTO,
	  .about = "refused without huge pages (EOPNOTSUPP); for fast readers: the last copy is saved" },
	{ "sendfile", copy_sendfile, .unread = DISK, .streams = INTO | NET, .by_default = CLASSIC,
	  .calls = "sendfile", .since = "2.6.33", .used_by = "busybox cp 1.23",
	  .about = "refused for pipes and sockets as input (EINVAL); for files, into any end" },
	{ "copy_file_range", copy_file_range_all, RANGE_CALL, .by_default = CLASSIC,
	  .used_by = "cp 9.0, Go 1.15" },
	{ "copy_file_range sparse", copy_range_sparse, RANGE_CALL, .by_default = PLAIN, .with_all = PLAIN,
	  .if_holes = true, .used_by = "GNU cp 9.2" },
	{ "reflink", copy_reflink, ENDS(FILES, FILES), .may_share = true, .by_default = PLAIN,
	  .calls = "ioctl FICLONE", .since = "4.5", .used_by = "GNU cp 9.0",
	  .about = "refused but on btrfs, XFS and the like (EOPNOTSUPP, EXDEV); for files: no data moves" },
	{ "io_uring read+write 8x128k", URING_RW, .needs = URING, .by_default = PLAIN, .with_all = BARE,
	  .since = "5.6", .used_by = "as link-cp 2.15" },
	{ "io_uring read+write 8x128k fixed", URING_RW, .needs = FIXED, .with_all = PLAIN, .since = "5.6",
	  .used_by = "fio fixedbufs=1" },
	{ "io_uring splice 1m", copy_uring_splice, .needs = URING_PIPE, .block = M, .unread = SPLICED,
	  .by_default = PLAIN, .with_all = BARE, .calls = "io_uring_enter", .since = "5.7",
	  .about = "refused where it is forbidden (EPERM, ENOSYS); for few calls: worker threads splice" },
	{ "direct 1m", copy_direct, DIRECTLY, .needs = DIRECT, .by_default = ALLOC, .with_all = BARE,
	  .calls = "pread, pwrite", .since = "2.4.10", .used_by = "dd iflag=direct" },
	{ "direct write 1m", copy_direct, DIRECTLY, .needs = DIRECT_WRITE, .with_all = BARE,
	  .calls = "pread, pwrite", .since = "2.4.10", .used_by = "dd oflag=direct" },
	{ "io_uring direct 8x1m", copy_uring_direct, DIRECTLY, .needs = URING | DIRECT_IN | DIRECT_OUT,
	  .by_default = PLAIN, .with_all = BARE, .calls = "io_uring_enter", .since = "5.6" },
	{ "uncached 1m", copy_uncached, .needs = BUFFER, .block = M, .by_default = PLAIN,
	  .calls = "preadv2/pwritev2", .since = "6.14", .used_by = "fio 3.40",
	  .about = "refused where a file system has none, as tmpfs (EOPNOTSUPP); for files read only once" },
	{ "write-behind 8m", copy_write_behind, .needs = SYNC_RANGE, .block = 256 * K, ENDS(ANY, FILES),
	  .by_default = PLAIN, .calls = "sync_file_range", .since = "2.6.17", .used_by = "as borg by 16m",
	  .about = "refused for pipes (ESPIPE); for back-ups, which leave the page cache to others" },
	{ "threads read+write 256k", copy_threads, .needs = THREADS, .block = 256 * K, SEEK_ENDS,
	  .by_default = ALLOC, .with_all = BARE, .calls = "pread, pwrite", .used_by = "as xcp by 1m",
	  .about = "refused for pipes (ESPIPE); for ends that are faster than one CPU" },
	{ "threads direct 1m", copy_threads_direct, DIRECTLY, .needs = THREADS | DIRECT_IN | DIRECT_OUT,
	  .by_default = PLAIN, .with_all = BARE, .calls = "pread, pwrite", .since = "2.4.10" },
	{ "threads mmap+mmap", copy_threads_mmap_mmap, .needs = MAPPABLE | THREADS_ONLY, .block = M,
	  ENDS(SEEK, FILES), .with_all = TRUNC | FALLOC, .calls = "mmap, memcpy",
	  .about = "refused where a file can't be mapped (ENODEV); for files that are changed in place" },
	{ "threads copy_file_range", copy_threads_range, RANGE_CALL, .needs = THREADS_ONLY, .with_all = BARE,
	  .used_by = "xcp 0.24" },
	{ "ring read+write 256k", copy_ring, .needs = PAIR, .block = 256 * K, .by_default = PLAIN,
	  .with_all = BARE, .calls = "read, write", .used_by = "mbuffer -s 256k",
	  .about = "never refused; for ends that are slow by turns: one thread reads, the other writes" },
	{ "send zerocopy 64k", copy_send_zerocopy, .needs = ZEROCOPY, .block = SEND_BLOCK, ENDS(ANY, SOCKETS),
	  .streams = NET, .with_all = PLAIN, .calls = "read, send", .since = "4.14",
	  .about = "refused but for TCP (EOPNOTSUPP); for network cards that fetch the bytes themselves" },
	{ "read+write x2 8k", RW, .block = 8 * K, .outs = TWO, .by_default = PLAIN, .used_by = "GNU tee" },
	{ "read+write x2 64k", RW, .block = 64 * K, .outs = TWO, .by_default = PLAIN },
	{ "read+write x2 256k", RW, .block = 256 * K, .outs = TWO, .by_default = PLAIN },
	{ "read+write x2 1m", RW, .block = M, .outs = TWO, .by_default = PLAIN },
	{ "read+write x2 sparse 4k", SPARSE_ROW, .block = 4 * K, .outs = TWO },
	{ "read+write x2 sparse 64k", SPARSE_ROW, .block = 64 * K, .outs = TWO },
	{ "splice, sendfile", copy_splice_sendfile, SECOND_COPY, .with_all = BARE,
	  .calls = "splice, sendfile", .since = "2.6.33" },
	{ "splice, copy_file_range", copy_splice_range, SECOND_COPY, ENDS(ANY, FILES), .with_all = PLAIN,
	  .calls = "copy_file_range", .since = "4.5" },
	{ "splice, reflink", copy_splice_reflink, SECOND_COPY, ENDS(ANY, FILES), .with_all = PLAIN,
	  .calls = "splice, FICLONE", .since = "4.5" },
	{ "tee+splice 64k", TEE_SPLICE, .since = "2.6.17", .used_by = "microtee" },
	{ "tee+splice 256k", TEE_SPLICE, .block = 256 * K, .since = "2.6.35" },
	{ "tee+splice 1m", TEE_SPLICE, .block = M, .since = "2.6.35", .used_by = "uutils tee 0.10" },
	{ "mmap+write x2", MMAP_WRITE(copy_mmap_write, "mmap"), .outs = TWO, .by_default = PLAIN },
	{ "sendfile x2", copy_sendfile_each, ENDS(DISK, ANY), .outs = TWO, .unread = DISK,
	  .by_default = PLAIN, .calls = "sendfile", .since = "2.6.33",
	  .about = "refused for pipes and sockets as input (EINVAL); for a file that is in the page cache" },
	{ "copy_file_range x2", copy_range_each, RANGE_CALL, .outs = TWO, .by_default = PLAIN },
};

/* ---- Types of what is measured and reported ------------------------------------------------- */

#define RUNS_DEFAULT 3        /* as in the base document: best, median and worst */
#define RACE_DEFAULT 6        /* runs in all of a race, times the number of rows */
#define TESTED_MAX 200        /* runs of a row that tests look at: they would take minutes with thousands */
#define SAMPLES_MAX 500000    /* bounds all samples at 100 MB, those read from a file too */
#define NAME_WIDTH 40         /* characters of a row's name in the text report */
#define TEXT_WIDTH 80         /* characters of a line of the text report, unless a terminal has fewer */
#define PORT "7100"           /* of --receive: that of the document on files and sockets */

enum outcome {
	UNTRIED,
	COPIED,    /* measured, and ranked among the copies */
	SHARED,    /* measured, but the output shares the input's blocks: no data moved */
	UNTOUCHED, /* measured, but into a device that looks at no byte, without reading one */
	REFUSED,   /* n/a: refused by the kernel before the first byte */
	FAILED,    /* a call failed */
	EXITED,    /* a command failed */
	SHORT,     /* the input ended early, or a call moved nothing */
	CHANGED,   /* the input was written to meanwhile */
	MISMATCH,  /* all calls succeeded, the output is no copy */
};

struct verdict {
	enum outcome outcome;
	struct failure failure; /* of REFUSED and FAILED */
	int64_t at;             /* of SHORT and MISMATCH: the first byte missing or wrong; -1: not known */
	int status;             /* of EXITED: as wait(2) has it */
	const char *words;      /* of EXITED: the first line that the command wrote to standard error */
};

enum { COUNTERS = 8 };    /* of perf_event_open(2), with the kernel's own share */

/* One run of one row. Times are nanoseconds. */
struct sample {
	int64_t ns;           /* of set-up, advice, copy and finish */
	int64_t setup_ns;     /* of set-up alone */
	int64_t reset_ns;     /* of preparing the ends, outside the clock */
	int round, order;     /* from 1; order: place among all runs of the session, from 0 */
	int64_t cpu_ns;       /* user and system time of this process and its commands */
	int64_t resident;     /* with --cold: bytes of the input in the page cache at the start; or -1 */
	int64_t dirty;        /* bytes of the outputs that were dirty at the end; -1: not known */
	int64_t completions, copied; /* of sends: by the kernel, without copying or all the same; or -1 */
	int64_t counts[COUNTERS]; /* with --counters; -1: the kernel gives none */
	struct verdict verdict;
};

/* How many times another's time a row takes: Hodges and Lehmann's estimate, and a 95 % interval. */
struct ratio {
	double estimate, low, high; /* low, high: 0 where the runs are too few for an interval */
};

/* A row, and everything that was measured of it. */
struct result {
	const char *name;
	const struct strategy *strategy;
	const struct advice *advice;
	const char *command;          /* of a --with row, for /bin/sh; else NULL */
	bool large;                   /* pipes at its ends are to be PIPE_LARGE, not PIPE_DEFAULT */
	struct sample *samples;       /* in the order of time */
	int nsamples, room;           /* how many there are, and there is memory for */
	bool verified;                /* its bytes have been compared once */
	struct verdict verdict;       /* of the row: its last run's, but SHARED once is SHARED */
	int64_t best, median, worst;  /* nanoseconds */
	int64_t *tested;              /* the runs that tests look at, fastest first, nanoseconds */
	int ntested;
	bool left;                    /* it has left the race */
	bool untested;                /* it, or the first row, has too few runs for the test */
	const struct result *beaten_by; /* a row that is faster; NULL: it may be the fastest */
	struct ratio ratio;           /* to the recommended row, or where there is none to the first */
	struct sample typical;        /* medians of what its runs took; the rest is the last run's */
};

/* Measured beside the rows: see references[]. */
enum { MEMCPY, SOURCE, SOURCE_LARGE, NO_COMMAND, SINK, REFERENCES };
struct reference {
	int64_t bytes;                /* that are moved; 0: not measured */
	int64_t ns, best;             /* of the last run, and of the best; nanoseconds */
	int n, err;                   /* runs done; why there are none: errno */
};

/* What the runs come down to: computed once, for all reports. */
struct summary {
	const struct result *first;   /* of the rows that moved data; NULL: none did */
	const struct result *recommended; /* NULL: one run recommends nothing */
	int copies;                   /* rows that moved data, */
	int candidates;               /* of which so many may be the fastest, */
	int untested;                 /* and so many have too few runs for a test */
	double level;                 /* of each test */
	double noise;                 /* how far the control and its row came apart, percent; -1: not known */
	bool fine;                    /* times below a millisecond are in microseconds */
};

/* A line of the environment: what the numbers were measured on. */
struct env {
	char *key, *value;
};

struct list {
	const char **item;
	int n;
};

/* What is reported, whether it was measured or read from a file. */
struct report {
	const char *file;             /* that it was read from; NULL: measured here */
	const char *title;            /* of that file, in a table of several */
	bool numbered;                /* that title is a number, since names would be too long */
	bool quiet, verbose, counters; /* as the options have them */
	bool without_cpu;             /* a file that says nothing of CPU time */
	int width;                    /* columns of the terminal that it is written to; 0: it is none */
	bool colour;                  /* it has colours */
	int64_t race;                 /* runs in all; 0: no race */
	int64_t len;                  /* bytes that one run copies */
	struct result *rows, **ranked; /* in the table's order; fastest first */
	int nrows, nruns;             /* nruns: runs done */
	struct reference reference[REFERENCES];
	struct result control;        /* a leading row that runs once more a round (A/A), in no table */
	struct result *control_of;    /* that row; NULL: none yet */
	struct summary summary;
	struct env *env;
	int nenv;
};

/* "HOST:PORT", as an option has it. */
struct host {
	const char *text;             /* all of it; NULL: no such option */
	const char *name, *port;      /* name: NULL: loopback */
};

enum until { UNTIL_RETURN, UNTIL_CLOSE, UNTIL_SYNC }; /* what the clock waits for */
enum content { CONTENT_ZERO, CONTENT_RANDOM, CONTENT_PAGE, CONTENT_NOISE }; /* what -g writes */
enum mode { MEASURE, LIST, COMPARE, GENERATE, RECEIVE, HELP, MANUAL, COMPLETION, SHOW_VERSION };
enum { OUTPUTS_MAX = 16, RACE_BY_ROWS = -1 }; /* reports at a time; RACE_DEFAULT runs a row */

/* The place of a report. A plain file is replaced by a temporary one, which is whole; others are written in
 * place. */
struct output {
	const char *name;             /* of its file; NULL: standard error or output */
	const struct format *format;  /* NULL: only the recommendation */
	int fd;                       /* to write to */
	int old;                      /* what the temporary file is to replace; -1: nothing was there */
	char *path;                   /* its real path, without symbolic links; NULL: in place */
	const char *volatile *temporary; /* the temporary file's: one of temporaries[] */
};

struct options {
	enum mode mode;
	struct list select, exclude;  /* globs */
	struct list with, files;      /* commands; of --compare */
	bool all, in_order, no_verify, quiet, verbose, cold, overwrite, cached, counters;
	bool zsh;                     /* of --completion, else bash */
	int until;                    /* enum until */
	int64_t runs, warmup;         /* warmup: rounds before the first that counts */
	int64_t race;                 /* runs in all; RACE_BY_ROWS; 0: no race */
	int64_t pause, size;          /* nanoseconds; bytes, 0: all */
	int64_t seed;                 /* -1: a random one */
	const char *from, *into;      /* commands; NULL: standard input and output */
	const char *tee;              /* file of the second output; NULL: there is none */
	bool send;
	struct host to, at;           /* of --send and --receive; to: none: a receiver of our own */
	int64_t generate;             /* bytes */
	enum content content;
	const struct format *format;  /* of --format; NULL: none */
	struct output outputs[OUTPUTS_MAX + 1]; /* the first is what is printed */
	int noutputs;
	char *command_line;           /* for a shell */
	const char *measuring;        /* the last option that is about measuring; NULL: none */
};

/* ---- Text: lists, sizes, times and numbers to text and back --------------------------------- */

static void *resize(void *p, size_t n, size_t size) {
	p = realloc(p, n * size);
	if (!p) die_errno("memory", "realloc");
	return p;
}

static void append(struct list *list, const char *item) {
	list->item = resize(list->item, list->n + 1, sizeof *list->item);
	list->item[list->n++] = item;
}

static void append_sample(struct result *r, const struct sample *sample) {
	if (r->nsamples == r->room)
		r->samples = resize(r->samples, r->room = 2 * r->room + RUNS_DEFAULT, sizeof *r->samples);
	r->samples[r->nsamples++] = *sample;
}

/* What printf(3) would print; to be freed. */
__attribute__((format(printf, 1, 2))) static char *print_text(const char *format, ...) {
	char *text;
	va_list args;
	va_start(args, format);
	if (vasprintf(&text, format, args) < 0) die_errno("memory", "vasprintf");
	va_end(args);
	return text;
}

/* The same, escaped: escaped() frees what it is given. */
#define print_line(...) escaped(print_text(__VA_ARGS__))
static char *escaped(char *text) {
	size_t size = 4 * strlen(text) + sizeof "\\xff" + 1;
	char *line = escape(allocate(1, size), size, text);
	free(text);
	return line;
}

/* What is printed to a file that begin_text() opens; end_text() gives it, to be freed. */
struct text {
	FILE *f;
	char *chars;
	size_t size;
};

static FILE *begin_text(struct text *t) {
	*t = (struct text){ .chars = NULL };
	t->f = open_memstream(&t->chars, &t->size);
	if (!t->f) die_errno("memory", "open_memstream");
	return t->f;
}

static char *end_text(struct text *t) {
	if (fclose(t->f)) die_errno("memory", "open_memstream");
	return t->chars;
}

/* How far CLOCK_BOOTTIME, which counts suspended time, was ahead of CLOCK_MONOTONIC, nanoseconds: at least,
 * and at most, since the two can't be read at once. */
struct beginning {
	int continued;
	int64_t at, least, most;
};

static struct beginning watch_clocks(void) {
	int64_t before = now(), boot = clock_ns(CLOCK_BOOTTIME), after = now();
	return (struct beginning){ .continued = continued, .at = after, .least = boot - after,
	    .most = boot - before };
}

/* Was the program stopped, or the machine suspended, since, or has a clock jumped? */
static bool was_stopped(const struct beginning *since) {
	struct beginning end = watch_clocks();
	return end.continued != since->continued || end.at < since->at || end.least > since->most
	    || end.most < since->least || end.least > end.most || since->least > since->most;
}

static bool same_time(const struct timespec *a, const struct timespec *b) {
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static int64_t used_ns(const struct rusage *used) {
	return (used->ru_utime.tv_sec + used->ru_stime.tv_sec) * SECOND
	    + (used->ru_utime.tv_usec + used->ru_stime.tv_usec) * INT64_C(1000);
}

/* splitmix64 (Steele, Lea, Flood 2014): small, and good enough to shuffle. */
static uint64_t random_number(uint64_t *state) {
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Columns of a terminal, 0 if it is none. */
static int terminal_width(int fd) {
	struct winsize size = { 0 };
	if (!isatty(fd)) return 0;
	return !ioctl(fd, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : TEXT_WIDTH;
}

/* True if it is a terminal that knows escapes (terminfo(5)). */
static bool has_escapes(int fd) {
	const char *term = getenv("TERM");
	return isatty(fd) && term && *term && strcmp(term, "dumb");
}

/* Reads n bytes at an offset: how many there are; -1. */
static ssize_t full_pread(int fd, unsigned char *to, ssize_t n, int64_t at) {
	ssize_t have = 0, got = 1;
	for (; have < n && got > 0; have += got)
		while (interrupted(got = pread(fd, to + have, n - have, at + have))) {}
	return got < 0 ? -1 : have;
}

/* Writes n bytes; false, and errno, where that fails, or moves nothing. */
static bool full_write(int fd, const unsigned char *from, size_t n) {
	for (ssize_t wrote; n > 0; from += wrote, n -= wrote) {
		while (interrupted(wrote = write(fd, from, n))) {}
		if (wrote <= 0) return errno = wrote ? errno : EIO, false;
	}
	return true;
}

static const char *plural(int64_t n) { return n == 1 ? "" : "s"; }

static const struct unit {
	const char *suffix;
	int64_t factor;      /* nanoseconds */
} time_units[] = { { "s", SECOND }, { "ms", MILLISECOND }, { "us", 1000 }, { "ns", 1 }, { "", SECOND } };
#define PAUSE_MAX 3600 /* seconds */

/* "4096", "64k", "1.5m", "4MiB", or "4MB" of 10^6, to bytes; -1: no size, or more than a file can have. */
static int64_t parse_size(const char *text) {
	static const char letters[] = "kmgt";
	size_t digits = strspn(text, "0123456789.");
	const char *rest = text + digits, *letter = *rest ? strchr(letters, tolower(*rest)) : NULL;
	int64_t factor = 1;
	char *tail;
	rest += letter != NULL;
	bool decimal = letter && !strcasecmp(rest, "b");
	if (!digits || *text == '.' || (*rest && !decimal && (!letter || strcasecmp(rest, "ib")))) return -1;
	for (const char *c = letters; letter && c <= letter; c++) factor *= decimal ? 1000 : 1024;
	errno = 0;
	if (strspn(text, "0123456789") == digits) {
		uintmax_t whole = strtoumax(text, &tail, 10);
		return errno || whole > (uintmax_t)(INT64_MAX / factor) ? -1 : (int64_t)whole * factor;
	}
	double n = strtod(text, &tail) * (double)factor;
	return tail != text + digits || factor == 1 || !(n < 9e18) ? -1 : (int64_t)n;
}

/* "0.1" (seconds) or "100ms" to nanoseconds; -1 for what is no time, or more than PAUSE_MAX. */
static int64_t parse_time(const char *text) {
	char *tail;
	double n = strtod(text, &tail);
	for (int i = 0; i < LENGTH(time_units); i++) {
		double ns = n * (double)time_units[i].factor;
		if (tail > text && tail == text + strspn(text, "0123456789.") && ns <= PAUSE_MAX * 1e9
		    && !strcasecmp(time_units[i].suffix, tail))
			return (int64_t)(ns + 0.5);
	}
	return -1;
}

/* A whole number within bounds; -1: it is none. */
static int64_t parse_count(const char *text, int64_t least, int64_t most) {
	char *tail;
	errno = 0;
	intmax_t n = strtoimax(text, &tail, 10);
	return !isdigit((unsigned char)*text) || *tail || errno || n < least || n > most ? -1 : n;
}

/* An errno's name, or "errno 133" where it has none here; 0: it is neither. */
static int parse_errno(const char *text) {
	for (int i = 0; i < LENGTH(errnos); i++)
		if (*text && !strcmp(text, errnos[i].name)) return errnos[i].number;
	return strncmp(text, "errno ", 6) ? 0 : (int)max(0, parse_count(text + 6, 1, 4095));
}

/* Bytes as a heading has them: "256MiB", "4KiB", "4097B", and "4.66GiB" where nothing shorter is. */
static struct words size_text(int64_t bytes) {
	for (int i = 0; i < 3; i++) {
		int64_t unit = (int64_t)1 << (40 - 10 * i);
		if (bytes >= unit && (bytes % unit == 0 || unit >= M))
			return say("%.*f%ciB", bytes % unit ? 2 : 0, (double)bytes / (double)unit, "TGM"[i]);
	}
	return bytes >= K && bytes % K == 0 ? say("%" PRId64 "KiB", bytes / K) : say("%" PRId64 "B", bytes);
}

/* Three significant digits. Below a millisecond a table has one style: 0.412ms, or if fine 412us. */
static struct words time_text(int64_t ns, bool fine) {
	const struct unit *unit = &time_units[ns >= 999500000 ? 0 : fine && ns < 999500 ? 2 : 1];
	double n = (double)ns / (double)unit->factor;
	return say("%.*f%s", n < 0.9995 ? 3 : n < 9.995 ? 2 : n < 99.95 ? 1 : 0, n, unit->suffix);
}

/* Bytes a nanosecond. */
static double speed(int64_t bytes, int64_t ns) { return (double)bytes / (double)(ns ? ns : 1); }

/* A speed with three significant digits, in a unit that leaves some of them. */
static struct words speed_text(double bytes_a_ns) {
	double n = bytes_a_ns * 1e9 / (double)M;
	bool large = n >= 1023.5;
	n /= large ? 1024 : 1;
	return say("%.*f %ciB/s", n < 9.995 ? 2 : n < 99.95 ? 1 : 0, n, large ? 'G' : 'M');
}

/* What stands behind a key that begins a line, and a colon or blanks (/proc/cpuinfo); false: no such line. */
static bool read_key(const char *path, const char *key, char *value, int size) {
	FILE *f = fopen(path, "re");
	char line[4000], *at = line + strlen(key);
	bool found = false;
	while (f && !found && fgets(line, sizeof line, f))
		found = !strncmp(line, key, strlen(key)) && strspn(at, " \t:");
	if (f) fclose(f);
	at += found ? strspn(at, " \t:") : 0;
	if (found) snprintf(value, size, "%.*s", (int)strcspn(at, "\n"), at);
	return found;
}

/* The same of a number, e.g. in /proc/vmstat; 0: no such line. */
static int64_t read_number(const char *path, const char *key) {
	char value[64];
	return read_key(path, key, value, sizeof value) ? strtoll(value, NULL, 10) : 0;
}

/* ---- Statistics: what the runs say; nothing here measures or prints ------------------------- */

#define LEVEL 0.05      /* how often a table may call a row slower that is not: all its rows together */
#define RUNS_ASKED 100  /* the most runs of a row that a line below the table asks for */
#define ENOUGH 1.02     /* times the smallest median: as fast, so that CPU time decides */
#define FINE_BELOW 100000 /* nanoseconds; faster than 0.1 ms wants microseconds */

static bool is_timed(enum outcome outcome) {
	return outcome == COPIED || outcome == SHARED || outcome == UNTOUCHED;
}

/* Can its time be compared with the other rows'? */
static bool is_copy(const struct result *r) { return r && r->verdict.outcome == COPIED; }

static int compare_ns(const void *a, const void *b) {
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static int compare_doubles(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Sorts n numbers and gives their median; -1: there is none, or one of them is missing. */
static int64_t median_of(int64_t *numbers, int n) {
	qsort(numbers, n, sizeof *numbers, compare_ns);
	if (n == 0 || numbers[0] < 0) return -1;
	return numbers[(n - 1) / 2] + (numbers[n / 2] - numbers[(n - 1) / 2]) / 2;
}

/* The same of doubles; 0: there is none. */
static double median_ratio(double *ratios, int n) {
	qsort(ratios, n, sizeof *ratios, compare_doubles);
	return n > 0 ? (ratios[(n - 1) / 2] + ratios[n / 2]) / 2 : 0;
}

static int64_t number_at(const void *base, size_t offset) {
	return *(const int64_t *)((const char *)base + offset);
}

/* The median of a number of each run, which is at an offset; the numbers are left sorted. */
static int64_t median_at(const struct result *r, size_t offset, int64_t *numbers) {
	for (int k = 0; k < r->nsamples; k++) numbers[k] = number_at(&r->samples[k], offset);
	return median_of(numbers, r->nsamples);
}

/* Best, median and worst run, what the runs took, and those that tests look at: all, or evenly spaced. */
static void summarise(struct result *r) {
	int64_t *numbers = allocate(r->nsamples, sizeof *numbers);
	r->typical = r->nsamples > 0 ? r->samples[r->nsamples - 1] : (struct sample){ .ns = 0 };
	for (int i = 0; i < COUNTERS; i++)
		r->typical.counts[i] = median_at(r, offsetof(struct sample, counts[i]), numbers);
	r->typical.cpu_ns = median_at(r, offsetof(struct sample, cpu_ns), numbers);
	r->typical.setup_ns = median_at(r, offsetof(struct sample, setup_ns), numbers);
	r->typical.dirty = median_at(r, offsetof(struct sample, dirty), numbers);
	r->median = median_at(r, offsetof(struct sample, ns), numbers);
	r->best = r->nsamples > 0 ? numbers[0] : 0;
	r->worst = r->nsamples > 0 ? numbers[r->nsamples - 1] : 0;
	free(numbers);
	free(r->tested);
	r->ntested = (int)min(r->nsamples, TESTED_MAX);
	r->tested = allocate(r->ntested, sizeof *r->tested);
	for (int k = 0; k < r->ntested; k++)
		r->tested[k] = r->samples[(int64_t)k * r->nsamples / r->ntested].ns;
	qsort(r->tested, r->ntested, sizeof *r->tested, compare_ns);
}

static int compare_keys(const int64_t keys[][2], int n) {
	for (int i = 0; i < n; i++)
		if (keys[i][0] != keys[i][1]) return keys[i][0] < keys[i][1] ? -1 : 1;
	return 0;
}

/* Rows that moved no data come first, then the copies, then the rest. Those that left a race early are below
 * those that stayed, the last to leave first. The best run decides; equals stay in the table's order. */
static int compare_results(const void *a, const void *b) {
	const struct result *x = *(struct result *const *)a, *y = *(struct result *const *)b;
	const int64_t keys[][2] = {
		{ !is_timed(x->verdict.outcome), !is_timed(y->verdict.outcome) }, { is_copy(x), is_copy(y) },
		{ x->left, y->left }, { x->left ? y->nsamples : 0, y->left ? x->nsamples : 0 },
		{ x->best, y->best }, { x->median, y->median }, { x->worst, y->worst }, { x - y, 0 },
	};
	return compare_keys(keys, LENGTH(keys));
}

static int compare_medians(const void *a, const void *b) {
	const struct result *x = *(struct result *const *)a, *y = *(struct result *const *)b;
	const int64_t keys[][2] = { { x->median, y->median }, { x - y, 0 } };
	return compare_keys(keys, LENGTH(keys));
}

/* How far a time is behind another, percent. */
static double percent_behind(int64_t ns, int64_t other) {
	return 100.0 * (double)(ns - other) / (double)(other ? other : 1);
}

/* How many of the C(m+n, n) orders of n runs and m others have Mann and Whitney's U = u, for u up to top;
 * *all: that number. By the recurrence f(m, n, u) = f(m-1, n, u-n) + f(m, n-1, u), as the product of (1 -
 * x^(m+i)) / (1 - x^i) over i = 1 ... n (Andrews, The Theory of Partitions, 1976, ch. 3). Exact up to 2^53.
 * To be freed. */
static double *count_orders(int n, int m, int top, double *all) {
	double *ways = allocate(top + 1, sizeof *ways);
	*all = ways[0] = 1;
	for (int i = 1; i <= n; i++) {
		for (int k = top; k >= m + i; k--) ways[k] -= ways[k - m - i];
		for (int k = i; k <= top; k++) ways[k] += ways[k - i];
		*all = *all * (m + i) / i;
	}
	return ways;
}

/* A level, and the last critical values at it: most rows ask for the same. */
struct test {
	double level;
	int n[16], m[16], u[16], next; /* n: 0 where there is none yet */
};

/* The largest u with P(U <= u) at most the level, below one half; -1: the runs are too few. */
static int critical(struct test *t, int n, int m) {
	int top = n * m / 2, u = -1;
	double all, sum = 0;
	for (int i = 0; i < LENGTH(t->n) && n > 0; i++)
		if (t->n[i] == n && t->m[i] == m) return t->u[i];
	double *ways = count_orders(n, m, top, &all);
	while (u < top && sum + ways[u + 1] <= t->level * all) sum += ways[++u];
	free(ways);
	t->n[t->next] = n;
	t->m[t->next] = m;
	t->u[t->next] = u;
	t->next = (t->next + 1) % LENGTH(t->n);
	return u;
}

/* Twice U of a row against another: of all pairs of runs two if the row was faster, one for a tie. */
static int twice_u(const struct result *r, const struct result *other) {
	int u = 0, faster = 0, upto = 0; /* of the other's runs: faster than this one; as fast or faster */
	for (int i = 0; i < r->ntested; i++) {
		while (faster < other->ntested && other->tested[faster] < r->tested[i]) faster++;
		while (upto < other->ntested && other->tested[upto] <= r->tested[i]) upto++;
		u += 2 * (other->ntested - upto) + upto - faster;
	}
	return u;
}

/* Does another row beat this one? By Mann and Whitney's exact test, one-sided. */
static bool is_beaten(struct test *t, const struct result *r, const struct result *other) {
	return twice_u(r, other) <= 2 * critical(t, r->ntested, other->ntested);
}

/* The fewest runs of each row that the test needs to separate two rows at that level. */
static int fewest_runs(double level) {
	struct test t = { .level = level };
	int n = 1;
	while (n < RUNS_ASKED && critical(&t, n, n) < 0) n++;
	return n;
}

/* Hodges and Lehmann's estimate, the median of all pairs' ratios (Lehmann, Nonparametrics, 1975, ch. 2). */
static struct ratio ratio_of(struct test *t, const struct result *r, const struct result *other) {
	int pairs = r->ntested * other->ntested, drop = critical(t, r->ntested, other->ntested), n = 0;
	double *x = allocate(pairs, sizeof *x);
	struct ratio ratio = { 0 };
	for (int i = 0; i < r->ntested; i++)
		for (int k = 0; k < other->ntested; k++)
			x[n++] = (double)r->tested[i] / (double)(other->tested[k] ? other->tested[k] : 1);
	ratio.estimate = median_ratio(x, pairs);
	if (pairs > 0 && drop >= 0) {
		ratio.low = x[drop];
		ratio.high = x[pairs - 1 - drop];
	}
	free(x);
	return ratio;
}

/* The median of a row's runs from one on, and before another, in the order of time. */
static double median_between(const struct result *r, int from, int before) {
	int64_t *ns = allocate(before - from, sizeof *ns), m;
	for (int i = from; i < before; i++) ns[i - from] = r->samples[i].ns;
	m = median_of(ns, before - from);
	free(ns);
	return (double)m;
}

/* How many times as long the first run took as the others, or the later half as the earlier: the median. */
static double round_ratio(const struct report *s, bool later) {
	double *ratios = allocate(s->nrows, sizeof *ratios), ratio;
	int n = 0;
	for (int i = 0; i < s->nrows; i++) {
		const struct result *r = &s->rows[i];
		if (is_timed(r->verdict.outcome) && r->nsamples >= (later ? 6 : 3))
			ratios[n++] = later ? median_between(r, (r->nsamples + 1) / 2, r->nsamples)
			    / median_between(r, 0, r->nsamples / 2)
			    : (double)r->samples[0].ns / median_between(r, 1, r->nsamples);
	}
	ratio = median_ratio(ratios, n);
	free(ratios);
	return ratio;
}

/* How far the medians of the control and its row came apart, percent, in rounds that had both; -1: none. */
static double find_noise(const struct report *s) {
	const struct result *control = &s->control;
	if (!s->control_of || s->control_of->verdict.outcome != COPIED || control->nsamples == 0) return -1;
	struct result r = *s->control_of;
	for (; r.nsamples > 0 && r.samples->round < control->samples->round; r.nsamples--) r.samples++;
	int n = (int)min(r.nsamples, control->nsamples);
	if (n == 0) return -1;
	double a = median_between(&r, 0, n), b = median_between(control, 0, n);
	return 100 * (a > b ? a - b : b - a) / (a < b ? a : b);
}

/* Is a median further behind than the control's from its row's? So rows can't beat each other in a circle. */
static bool is_apart(const struct report *s, const struct result *r, const struct result *other) {
	return percent_behind(r->median, other->median) > (s->summary.noise > 0 ? s->summary.noise : 0);
}

/* By best medians; with too few runs for the test, the first row does if all took longer than its. */
static void find_better(const struct report *s, struct test *t, struct result *r, struct result **by_median) {
	const struct result *first = s->summary.first;
	r->beaten_by = NULL;
	for (int i = 0; i < s->summary.copies && !r->beaten_by; i++)
		if (is_apart(s, r, by_median[i]) && is_beaten(t, r, by_median[i]))
			r->beaten_by = by_median[i];
	r->untested = critical(t, r->ntested, first->ntested) < 0;
	if (r->untested && !r->beaten_by && r != first && first->nsamples > 1 && !twice_u(r, first)
	    && is_apart(s, r, first))
		r->beaten_by = first;
}

/* Of the rows that may be the fastest the one with the smallest median; within 2 % of it the one with least
 * CPU time, then the first in the table. One run recommends nothing, nor do the few of a row that left. */
static const struct result *find_recommended(struct result *const *by_median, int n) {
	const struct result *least = NULL, *found = NULL;
	for (int i = 0; i < n; i++) {
		const struct result *r = by_median[i];
		if (r->beaten_by || r->left || r->nsamples < 2) continue;
		least = least ? least : r;
		if ((double)r->median > ENOUGH * (double)least->median) break;
		if (!found || (r->typical.cpu_ns >= 0
		    && (found->typical.cpu_ns < 0 || r->typical.cpu_ns < found->typical.cpu_ns))
		    || (r->typical.cpu_ns == found->typical.cpu_ns && r < found))
			found = r;
	}
	return found;
}

/* Which rows may be the fastest: those that no other beats (Gupta 1965). */
static void tell_apart(struct report *s) {
	struct result **by_median = allocate(s->nrows, sizeof *by_median);
	struct summary *sum = &s->summary;
	*sum = (struct summary){ .noise = find_noise(s) };
	for (int i = 0; i < s->nrows; i++)
		if (is_copy(s->ranked[i])) by_median[sum->copies++] = s->ranked[i];
	sum->first = sum->copies ? by_median[0] : NULL;
	qsort(by_median, sum->copies, sizeof *by_median, compare_medians);
	sum->level = LEVEL / (double)max(1, sum->copies - 1);
	struct test one_sided = { .level = sum->level }, interval = { .level = 0.025 };
	for (int i = 0; i < sum->copies; i++) {
		find_better(s, &one_sided, by_median[i], by_median);
		sum->candidates += !by_median[i]->beaten_by;
		sum->untested += by_median[i]->untested;
	}
	sum->recommended = find_recommended(by_median, sum->copies);
	for (int i = 0; i < sum->copies; i++)
		by_median[i]->ratio = ratio_of(&interval, by_median[i],
		    sum->recommended ? sum->recommended : sum->first);
	free(by_median);
}

/* A row with fewer runs than others has left a race; two fewer, where the last round was interrupted. */
static void rank(struct report *s, bool was_interrupted) {
	int64_t most = 0;
	s->ranked = allocate(s->nrows, sizeof *s->ranked);
	for (int i = 0; i < s->nrows; i++)
		if (is_copy(&s->rows[i])) most = max(most, s->rows[i].nsamples);
	for (int i = 0; i < s->nrows; i++) {
		struct result *r = s->ranked[i] = &s->rows[i];
		r->left = s->race && r->nsamples < most - was_interrupted;
		if (is_timed(r->verdict.outcome)) summarise(r);
	}
	qsort(s->ranked, s->nrows, sizeof *s->ranked, compare_results);
	tell_apart(s);
	for (int i = 0; i < s->nrows; i++)
		s->summary.fine |= is_timed(s->rows[i].verdict.outcome) && s->rows[i].best < FINE_BELOW;
}

static int compare_places(const void *a, const void *b) {
	const struct result *x = a, *y = b;
	const int64_t keys[][2] = {
		{ x->command != NULL, y->command != NULL }, { !x->strategy, !y->strategy },
		{ (intptr_t)x->strategy, (intptr_t)y->strategy },
		{ (int64_t)strlen(x->name), (int64_t)strlen(y->name) }, { strcmp(x->name, y->name), 0 },
	};
	return compare_keys(keys, LENGTH(keys));
}

/* In the table's order; rows that it has not, and commands, last: the same when a report is read back. */
static void sort_rows(struct report *s) { qsort(s->rows, s->nrows, sizeof *s->rows, compare_places); }

static struct result *find_row(const struct report *s, const char *name) {
	for (int i = 0; i < s->nrows; i++)
		if (!strcmp(s->rows[i].name, name)) return &s->rows[i];
	return NULL;
}

/* ---- Children: processes at the other side of a pipe or socket, commands; and signals ------- */

#define KILL_GRACE (2 * SECOND)  /* that a child gets to end after SIGTERM */
#define CAUGHT_GRACE 300         /* milliseconds that all of them get after a signal */
#define WORDS_AT_ONCE 16         /* reads of a child's words, before we go on with what it may wait for */
#define TWICE 50                 /* milliseconds after which SIGINT is a second one: timeout(1) sends two */
#define HASTE (200 * MILLISECOND) /* that it gets before it, where its work is of no use any more */
#define WAIT_FOREVER INT64_MAX   /* that it gets where its work is wanted */
#define SYS_CLOSE_RANGE 436      /* on all machines, but for alpha */
#define PLAIN_WORD "-_./,:+@%0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define WORDS_SHOWN 99           /* characters of a line of a child's standard error */
enum { KEPT = 4096, RUNNING_MAX = 4, TEMPORARY_MAX = 16 };

/* A child's standard error: the first bytes, and of those that follow the last. */
struct said {
	char first[KEPT], last[KEPT]; /* last: a ring */
	int64_t n;       /* bytes in all */
};

struct child {
	pid_t pid;       /* 0: none */
	int status;      /* when it has ended, as wait(2) has it; 0 where that is our doing */
	int stopped_by;  /* SIGTTIN or SIGTTOU, which has stopped it for good; or 0 */
	int start_fd;    /* a byte into it lets the child begin, closing it end; -1: it does not wait */
	int stderr_fd;   /* a pipe from its standard error; -1: none */
	int64_t cpu_ns;  /* its user and system time, when it has ended, nanoseconds */
	struct said *said; /* until others are forked */
};

static const struct child no_child = { .start_fd = -1, .stderr_fd = -1 };

/* The children, which handlers look after: of the input and two outputs, and a row's command. */
static struct {
	struct child *volatile child; /* NULL: none */
	struct said said;
} running[RUNNING_MAX];
static const char *volatile temporaries[TEMPORARY_MAX]; /* files to be unlinked whatever ends us; or NULL */
static volatile bool in_progress; /* a progress line is on the terminal */
static timer_t waker;             /* sends WAKE */
static struct {
	sigset_t blocked, ignored;    /* of those that are handled, as we were started */
	sigset_t handled;
} signals;

/* The signals that end a session, with a report and 128 + number. SIGHUP, being the first, stays ignored
 * under nohup(1); SIGINT does not in the background of a shell. */
static const struct {
	int number;
	const char *name;
} endings[] = {
	{ SIGHUP, "SIGHUP" }, { SIGINT, "SIGINT" }, { SIGQUIT, "SIGQUIT" }, { SIGTERM, "SIGTERM" },
	{ SIGXCPU, "SIGXCPU" }, { SIGUSR1, "SIGUSR1" }, { SIGUSR2, "SIGUSR2" }, { SIGALRM, "SIGALRM" },
	{ SIGVTALRM, "SIGVTALRM" }, { SIGPROF, "SIGPROF" }, { SIGPWR, "SIGPWR" },
};

static const char *signal_name(int number) {
	int i = 0;
	while (i < LENGTH(endings) - 1 && endings[i].number != number) i++;
	return endings[i].name;
}

static void remove_temporaries(void) {
	for (int i = 0; i < TEMPORARY_MAX; i++)
		if (temporaries[i]) unlink((const char *)temporaries[i]);
}

/* Each child leads a process group: a signal reaches a whole pipeline. */
static void kill_children(int number) {
	for (int i = 0; i < RUNNING_MAX; i++)
		if (running[i].child && running[i].child->pid) kill(-running[i].child->pid, number);
}

static void wake(int64_t ns, bool again) {
	struct itimerspec when = { { 0, again ? ns : 0 }, { 0, ns } };
	timer_settime(waker, 0, &when, NULL);
}

/* A signal that ends us, here or where await_end() takes it. It may come just before a call that blocks: WAKE
 * follows again and again. A second SIGINT ends us at once. All calls are safe here (signal-safety(7)). */
static void on_signal(int number) {
	struct pollfd room = { .fd = STDERR_FILENO, .events = POLLOUT };
	int err = errno;
	if (caught && number == SIGINT && since_caught() > TWICE) {
		kill_children(SIGKILL);
		remove_temporaries();
		if (in_progress && poll(&room, 1, 0) > 0 && write(STDERR_FILENO, "\r\033[K", 4)) {}
		_exit(EXIT_SIGNALLED + number);
	}
	if (!caught) {
		caught_at = (unsigned)(now() / MILLISECOND);
		caught = number;
		kill_children(SIGTERM);
		wake(50 * MILLISECOND, true);
	}
	errno = err;
}

/* Takes what a child has written to standard error; false: there may be more. */
static bool take_words(const struct child *c) {
	struct said *s = c->said;
	for (int i = 0; i < WORDS_AT_ONCE; i++) {
		int64_t at = s->n < KEPT ? s->n : (s->n - KEPT) % KEPT;
		struct iovec part = { (s->n < KEPT ? s->first : s->last) + at, KEPT - at };
		ssize_t n = readv(c->stderr_fd, &part, 1);
		if (n <= 0) return true;
		s->n += n;
	}
	return false;
}

/* Looks after all children: takes their words, and ends one that is stopped since it wants the terminal,
 * which its process group has not (tcsetpgrp(3)). */
static void attend(void) {
	for (int i = 0; i < RUNNING_MAX; i++) {
		struct child *c = running[i].child;
		siginfo_t info = { .si_pid = 0 };
		if (!c || !c->pid) continue;
		if (!take_words(c) && !caught) wake(MILLISECOND, false);
		if (!waitid(P_PID, c->pid, &info, WSTOPPED | WNOHANG | WNOWAIT) && info.si_pid
		    && (info.si_status == SIGTTIN || info.si_status == SIGTTOU)) {
			c->stopped_by = info.si_status;
			kill(-c->pid, SIGKILL);
		}
	}
}

/* SIGCONT: we were stopped, and go on. SIGCHLD: a child, which may also have ended. SIGIO: it has words. */
static void on_event(int number, siginfo_t *info, UNUSED void *context) {
	int err = errno;
	continued += number == SIGCONT || (number == SIGCHLD && info->si_code == CLD_CONTINUED);
	if (number != SIGCONT) attend();
	errno = err;
}

/* WAKE interrupts a system call, and looks for further words; a worker's thread leaves that to the main
 * one. */
static void on_wake(UNUSED int number) {
	int err = errno;
	if (syscall(SYS_gettid) == getpid()) attend();
	errno = err;
}

/* Unblock the signals that end us, and our own: some schedulers and CI runners block them. */
static void unblock_signals(void) {
	sigemptyset(&signals.handled);
	for (int i = 0; i < LENGTH(endings); i++) sigaddset(&signals.handled, endings[i].number);
	sigaddset(&signals.handled, SIGCHLD);
	sigaddset(&signals.handled, SIGCONT);
	sigaddset(&signals.handled, SIGIO);
	sigaddset(&signals.handled, SIGBUS);
	sigaddset(&signals.handled, WAKE);
	sigprocmask(SIG_UNBLOCK, &signals.handled, &signals.blocked);
}

static void catch_signal(int number, struct sigaction action) {
	struct sigaction old;
	sigaction(number, &action, &old);
	if (old.sa_handler == SIG_IGN) sigaddset(&signals.ignored, number);
}

/* Calls are interrupted, not restarted: the copy ends at once. SIGPIPE and SIGXFSZ would end the program
 * where EPIPE and EFBIG end the row. Where SIGCHLD is ignored, commands have no exit status: wait(2). */
static void catch_signals(void) {
	const int events[] = { SIGCHLD, SIGIO, SIGCONT, WAKE };
	struct sigevent to_wake = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = WAKE };
	struct sigaction event = { .sa_sigaction = on_event, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigaction bus = { .sa_sigaction = on_bus, .sa_flags = SA_SIGINFO | SA_NODEFER };
	for (int i = 0; i < LENGTH(events); i++) sigaddset(&event.sa_mask, events[i]);
	for (int i = 0; events[i] != WAKE; i++) catch_signal(events[i], event);
	for (int i = 0; i < LENGTH(endings); i++)
		catch_signal(endings[i].number, (struct sigaction){ .sa_handler = on_signal });
	if (sigismember(&signals.ignored, SIGHUP)) {
		signal(SIGHUP, SIG_IGN);
		sigdelset(&signals.handled, SIGHUP);
	}
	catch_signal(WAKE, (struct sigaction){ .sa_handler = on_wake, .sa_mask = event.sa_mask });
	if (timer_create(CLOCK_MONOTONIC, &to_wake, &waker)) die_errno("a timer", "timer_create");
	catch_signal(SIGPIPE, (struct sigaction){ .sa_handler = SIG_IGN });
	catch_signal(SIGXFSZ, (struct sigaction){ .sa_handler = SIG_IGN });
	catch_signal(SIGBUS, bus);
}

/* As we were started; but SIGPIPE ends a command, or is an EPIPE for a process of ours. */
static void restore_signals(bool command) {
	for (int i = 1; i < NSIG; i++)
		if (sigismember(&signals.handled, i) == 1 || i == SIGXFSZ)
			signal(i, command && sigismember(&signals.ignored, i) ? SIG_IGN : SIG_DFL);
	signal(SIGPIPE, command ? SIG_DFL : SIG_IGN);
	sigset_t mask = signals.blocked;
	sigdelset(&mask, SIGPIPE);
	if (!command) sigemptyset(&mask);
	sigprocmask(SIG_SETMASK, &mask, NULL);
}

/* dup2 or exit: never run a child on our own stdio. */
static void replace_fd(int from, int to) {
	while (dup2(from, to) < 0)
		if (errno != EINTR) _exit(errno);
}

/* A pipe from standard error, whose end is read when SIGIO says that there is something. -1, and errno. */
static int open_words(struct child *c) {
	int ends[2];
	if (pipe2(ends, O_CLOEXEC)) return -1;
	fcntl(ends[0], F_SETOWN, getpid());
	fcntl(ends[0], F_SETFL, O_NONBLOCK | O_ASYNC);
	c->stderr_fd = ends[0];
	return ends[1];
}

/* Makes it one of those that handlers look after; of a fork that failed nothing is left. */
static void register_child(struct child *c, pid_t pid) {
	int i = 0;
	while (pid > 0 && i < RUNNING_MAX - 1 && running[i].child) i++;
	running[i].said.n = 0;
	c->said = &running[i].said;
	c->pid = max(pid, 0);
	if (pid > 0) running[i].child = c;
	else close_fd(&c->stderr_fd);
}

/* Forks. The child leads a process group; it dies with us; it may wait for start_child(). Returns 0 in the
 * child, with these as 0 and 1 and a pipe as 2; without a command that is all it has. -1: not forked. */
static pid_t fork_child(struct child *c, int in, int out, bool waits, const char *command) {
	pid_t parent = getpid(), pid = -1;
	int start[2] = { -1, -1 };
	sigset_t all, old;
	char go;
	*c = no_child;
	int words = open_words(c);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old); /* until handlers know it, and it has none of them */
	if (words >= 0 && (!waits || !pipe2(start, O_CLOEXEC))) pid = fork();
	if (pid) {
		if (pid > 0) setpgid(pid, pid); /* the child does so, too: one of the two is first */
		close_fd(&words);
		close_fd(&start[0]);
		c->start_fd = start[1];
		register_child(c, pid);
		if (caught && pid > 0) kill(-pid, SIGTERM);
		sigprocmask(SIG_SETMASK, &old, NULL);
		return pid;
	}
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) _exit(127);
	restore_signals(command);
	close_fd(&start[1]);
	replace_fd(in, STDIN_FILENO);
	if (out >= 0) replace_fd(out, STDOUT_FILENO);
	else close(STDOUT_FILENO);
	replace_fd(words, STDERR_FILENO);
	if (waits && read(start[0], &go, 1) != 1) _exit(0);
	/* while a child holds a pipe's end, that pipe has no end; Linux 5.9, newer than many a libc */
	if (!command && syscall(SYS_CLOSE_RANGE, 3, ~0U, 0))
		for (int fd = 3, most = (int)sysconf(_SC_OPEN_MAX); fd < most; fd++) close(fd);
	return 0;
}

/* With the bytes wanted in $SIZE, if known, and a second output in $TEE; limited, it writes no more. */
static pid_t start_command(struct child *c, const char *command, int in, int out, bool waits, int64_t size,
    bool limited, const char *second) {
	struct rlimit limit = { size, size };
	char bytes[32], *text = print_text("%s", command), *rest = text, *word, *tee = print_text("TEE=%s",
	    second ? second : "");
	char **words = allocate(strlen(command) + 2, sizeof *words), **env;
	int n = 0, nenv = 0;
	while (environ[nenv]) nenv++;
	env = allocate(nenv + 3, sizeof *env);
	nenv = 0;
	snprintf(bytes, sizeof bytes, "SIZE=%" PRId64, size);
	if (size > 0) env[nenv++] = bytes;
	if (second) env[nenv++] = tee;
	for (char **e = environ; *e; e++)
		if (strncmp(*e, "SIZE=", 5) && strncmp(*e, "TEE=", 4)) env[nenv++] = *e;
	while ((word = strsep(&rest, " \t")))
		if (*word) words[n++] = word;
	pid_t pid = fork_child(c, in, out, waits, command);
	if (pid) {
		free(env);
		free(words);
		free(text);
		free(tee);
		return pid;
	}
	if (limited) setrlimit(RLIMIT_FSIZE, &limit);
	/* left to the shell, which takes as long again to start, is what has its syntax or is not found */
	bool plain = !command[strspn(command, PLAIN_WORD "= \t")];
	if (plain && n && !strchr(*words, '=')) execvpe(*words, words, env);
	execle("/bin/sh", "sh", "-c", command, (char *)NULL, env);
	_exit(127); /* as the shell says it of what it can't execute */
}

/* Lets a child begin that waits for that, or end at once. */
static void start_child(struct child *c, bool begin) {
	while (begin && c->start_fd >= 0 && interrupted(write(c->start_fd, "", 1))) {}
	close_fd(&c->start_fd);
}

/* Waits until a child has ended, and is a zombie: 0; or can't be waited for: errno. When it takes too long,
 * it gets SIGTERM, at last SIGKILL. Signals are blocked, so that none comes just before the wait. */
static int await_end(struct child *c, int64_t patience, bool *terminated) {
	int64_t deadline = patience == WAIT_FOREVER ? WAIT_FOREVER : now() + patience;
	siginfo_t ended = { .si_pid = 0 }, info;
	while (!waitid(P_PID, c->pid, &ended, WEXITED | WNOHANG | WNOWAIT) || errno == EINTR) {
		if (ended.si_pid) return 0;
		attend();
		if (caught) deadline = min(deadline, now() + (CAUGHT_GRACE - since_caught()) * MILLISECOND);
		if (now() >= deadline) {
			kill(-c->pid, *terminated || caught ? SIGKILL : SIGTERM);
			*terminated = true;
			deadline = now() + KILL_GRACE;
		}
		int64_t wait = max(0, min(deadline - now(), KILL_GRACE));
		struct timespec most = { .tv_sec = wait / SECOND, .tv_nsec = wait % SECOND };
		int number = sigtimedwait(&signals.handled, &info, &most);
		continued += number == SIGCHLD && info.si_code == CLD_CONTINUED;
		if (number > 0 && number != SIGCHLD && number != SIGIO && number != SIGCONT && number != WAKE)
			on_signal(number);
	}
	return errno;
}

/* Waits for a child, and ends what is left of its group, whose number is ours until it is reaped. */
static void wait_child(struct child *c, int64_t patience) {
	struct rusage used = { 0 };
	bool terminated = false;
	sigset_t old;
	start_child(c, false);
	if (!c->pid) return;
	sigprocmask(SIG_BLOCK, &signals.handled, &old);
	int err = await_end(c, patience, &terminated);
	kill(-c->pid, SIGKILL);
	for (int i = 0; i < RUNNING_MAX; i++)
		if (running[i].child == c) running[i].child = NULL;
	while (!err && wait4(c->pid, &c->status, 0, &used) < 0)
		if (errno != EINTR) err = errno;
	if (err) c->status = err << 8; /* in the place of its exit status */
	c->pid = 0;
	if (c->stopped_by) c->status = c->stopped_by;
	if (terminated || caught) c->status = 0;
	c->cpu_ns = used_ns(&used);
	take_words(c);
	close_fd(&c->stderr_fd);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

/* SIGTTIN and SIGTTOU end nobody: they stand for a child that they had stopped. */
static struct words status_text(int status) {
	int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	if (number == SIGTTIN || number == SIGTTOU)
		return say("stopped by %s: it wants the terminal: give it </dev/null, or use ssh -o "
		    "BatchMode=yes", number == SIGTTIN ? "SIGTTIN" : "SIGTTOU");
	return number ? say("killed by signal %d", number) : say("exit status %d", WEXITSTATUS(status));
}

static char said_at(const struct said *s, int64_t at) {
	return at < KEPT ? s->first[at] : s->last[(at - KEPT) % KEPT];
}

static bool ends_line(const struct said *s, int64_t at) { return strchr("\r\n", said_at(s, at)); }

/* The first line of its standard error, and the last one, where that is another; to be freed. */
static char *child_words(const struct child *c) {
	const struct said *s = c->said;
	char line[2][WORDS_SHOWN + 1] = { "", "" };
	int64_t end = s ? s->n : 0, last;
	while (end > 0 && ends_line(s, end - 1)) end--;
	for (last = end; last > 0 && end - last < WORDS_SHOWN && !ends_line(s, last - 1);) last--;
	for (int64_t i = 0; i < min(end, WORDS_SHOWN) && !ends_line(s, i); i++) line[0][i] = said_at(s, i);
	bool same = last <= (int64_t)strlen(line[0]);
	for (int64_t i = last; !same && i < end; i++) line[1][i - last] = said_at(s, i);
	return print_line("%s%s%s", line[0], *line[1] ? " ... " : "", line[1]);
}

/* The feeder passes on what was spooled, by reference. Its status is an errno: EPIPE if not all was read. */
__attribute__((noreturn)) static void feed(int64_t len) {
	for (loff_t at = 0; at < len;) {
		ssize_t n = splice(STDIN_FILENO, &at, STDOUT_FILENO, NULL, min(len - at, CALL_MAX), 0);
		if (n == 0 || (n < 0 && errno != EINTR)) _exit(n ? errno : EIO);
	}
	_exit(0);
}

/* Where two memories of n bytes begin to differ; n: nowhere. */
static ssize_t first_difference(const unsigned char *a, const unsigned char *b, ssize_t n) {
	ssize_t i = 0;
	if (!memcmp(a, b, n)) return n;
	while (a[i] == b[i]) i++;
	return i;
}

/* The comparer writes to standard error where the copy is wrong first; -1: nowhere. Its status: errno. */
__attribute__((noreturn)) static void compare_stream(int64_t len) {
	static unsigned char expected[CHUNK], found[CHUNK];
	int64_t at = 0, wrong = -1;
	ssize_t n;
	while ((n = safe_read(STDOUT_FILENO, found, CHUNK)) > 0) {
		ssize_t want = min(len - at, n), same = n;
		if (wrong < 0 && full_pread(STDIN_FILENO, expected, want, at) < want) _exit(EIO);
		if (wrong < 0) same = first_difference(expected, found, want);
		wrong = same < n ? at + same : wrong;
		at = wrong < 0 ? at + n : at;
	}
	if (wrong < 0 && at < len) wrong = at;
	_exit(n < 0 ? errno : full_write(STDERR_FILENO, (unsigned char *)&wrong, sizeof wrong) ? 0 : EIO);
}

/* Timed from fork to exit. What it copied verification says; a limit keeps it from filling the disk. */
static int64_t copy_command(struct copy *c) {
	struct child *child = c->res->child;
	if (caught || start_command(child, c->res->command, c->in, c->out[0], false, c->len, !c->whole,
	    c->res->second) < 0)
		return failed(c, "fork"), total(c);
	wait_child(child, WAIT_FOREVER);
	c->done = child->status ? 0 : c->len;
	return total(c);
}

/* What all --with rows share; the command is the row's. */
static const struct strategy command_row = {
	"$", copy_command, .may_share = true, .outs = ONE | TWO, .with_all = PLAIN, .by_default = PLAIN,
	.calls = "fork, exec, wait", .used_by = "itself",
};

/* Makes the copy that stays, where no row has left one. */
static const struct strategy plain_row = { "", RW, .block = CHUNK, .outs = ONE | TWO };

/* ---- Network: TCP connections, and the receiver at their other side ------------------------- */

#define NET_TIMEOUT 20           /* seconds that the other side of a TCP connection may do nothing */
#define ANSWER_TIMEOUT (5 * SECOND) /* for a connection, or a receiver's first answer */
#define CLIENT_TIMEOUT (1 * SECOND) /* for the first line of a client: others wait meanwhile */
#define RECEIVE_BLOCK (256 * K)  /* bytes a read of a receiver: RING_DEPTH of them stay in a cache */
#define LOOK_AGAIN 10000         /* nanoseconds between two looks at what poll(2) does not wait for */
#define LISTENERS 4              /* addresses that a receiver listens on: loopback has two */
#define BACKLOG 16               /* connections that may wait */

/* XXH64 (github.com/Cyan4973/xxHash, doc/xxhash_spec.md), seed 0: faster than the stream; also xxhsum -H1. */
struct checksum {
	uint64_t lanes[4];
	uint64_t bytes;
	unsigned char rest[32];       /* the last ones, that fill no stripe of 32 yet */
};
#define PRIME_1 UINT64_C(0x9e3779b185ebca87)
#define PRIME_2 UINT64_C(0xc2b2ae3d27d4eb4f)
#define PRIME_3 UINT64_C(0x165667b19e3779f9)
#define PRIME_4 UINT64_C(0x85ebca77c2b2ae63)
#define PRIME_5 UINT64_C(0x27d4eb2f165667c5)
static const struct checksum no_bytes = { .lanes = { PRIME_1 + PRIME_2, PRIME_2, 0, -PRIME_1 } };

static uint64_t rotate(uint64_t x, int bits) { return x << bits | x >> (64 - bits); }

static uint64_t read_le64(const unsigned char *from) {
	uint64_t x;
	memcpy(&x, from, sizeof x);
	return le64toh(x);
}

static uint64_t mix(uint64_t lane, uint64_t input) { return rotate(lane + input * PRIME_2, 31) * PRIME_1; }

/* Whole stripes; how many bytes they were. */
static size_t add_stripes(struct checksum *c, const unsigned char *from, size_t n) {
	uint64_t a = c->lanes[0], b = c->lanes[1], d = c->lanes[2], e = c->lanes[3];
	size_t at = 0;
	for (; at + sizeof c->rest <= n; at += sizeof c->rest) {
		a = mix(a, read_le64(from + at));
		b = mix(b, read_le64(from + at + 8));
		d = mix(d, read_le64(from + at + 16));
		e = mix(e, read_le64(from + at + 24));
	}
	c->lanes[0] = a, c->lanes[1] = b, c->lanes[2] = d, c->lanes[3] = e;
	return at;
}

static void add_bytes(struct checksum *c, const unsigned char *from, size_t n) {
	size_t held = c->bytes % sizeof c->rest, wanted = held ? min(sizeof c->rest - held, n) : 0;
	c->bytes += n;
	memcpy(c->rest + held, from, wanted);
	if (wanted && held + wanted == sizeof c->rest) add_stripes(c, c->rest, sizeof c->rest);
	if (held && held + wanted < sizeof c->rest) return;
	size_t used = wanted + add_stripes(c, from + wanted, n - wanted);
	memcpy(c->rest, from + used, n - used);
}

static uint64_t end_checksum(const struct checksum *c) {
	const unsigned char *rest = c->rest, *end = rest + c->bytes % sizeof c->rest;
	uint64_t h = PRIME_5;
	if (c->bytes >= sizeof c->rest) {
		h = rotate(c->lanes[0], 1) + rotate(c->lanes[1], 7);
		h += rotate(c->lanes[2], 12) + rotate(c->lanes[3], 18);
		for (int i = 0; i < LENGTH(c->lanes); i++) h = (h ^ mix(0, c->lanes[i])) * PRIME_1 + PRIME_4;
	}
	h += c->bytes;
	for (; rest + 8 <= end; rest += 8) h = rotate(h ^ mix(0, read_le64(rest)), 27) * PRIME_1 + PRIME_4;
	for (; rest + 4 <= end; rest += 4) {
		uint64_t word = (uint64_t)rest[3] << 24 | rest[2] << 16 | rest[1] << 8 | rest[0];
		h = rotate(h ^ word * PRIME_1, 23) * PRIME_2 + PRIME_3;
	}
	for (; rest < end; rest++) h = rotate(h ^ *rest * PRIME_5, 11) * PRIME_1;
	h = (h ^ h >> 33) * PRIME_2;
	h = (h ^ h >> 29) * PRIME_3;
	return h ^ h >> 32;
}

/* "127.0.0.1:7100", "[::1]:7100". */
static struct words address_text(const void *address, socklen_t size) {
	char host[INET6_ADDRSTRLEN + 20] = "?", port[8] = "?";
	bool six = ((const struct sockaddr *)address)->sa_family == AF_INET6;
	getnameinfo(address, size, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
	return say("%s%s%s:%s", six ? "[" : "", host, six ? "]" : "", port);
}

static struct addrinfo *resolve(const char *option, const struct host *at) {
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV }, *found;
	int said = getaddrinfo(at->name, at->port, &hints, &found);
	if (said == EAI_SYSTEM) die_errno(at->text, "getaddrinfo");
	if (said) die("--%s=%s: getaddrinfo: %s: use an address", option, at->text, gai_strerror(said));
	return found;
}

/* Waits until a socket is ready, or something wrong with it; false: it took too long, or we are to stop.
 * What is in its error queue, completions of sends, is neither, and would let poll(2) return at once. */
static bool await(int fd, short events, int64_t deadline) {
	struct pollfd one = { .fd = fd, .events = events };
	int n;
	do {
		n = poll(&one, 1, now() < deadline ? 100 : 0);
		if (n > 0 && one.revents == POLLERR) {
			n = 0;
			sleep_until(now() + LOOK_AGAIN);
		}
	} while (!caught && (n == 0 || interrupted(n)) && now() < deadline);
	if (n == 0) errno = caught ? EINTR : ETIMEDOUT;
	return n > 0;
}

/* Ends a connection whose other side does nothing for too long (tcp(7), TCP_USER_TIMEOUT; Linux 2.6.37). */
static void limit_connection(int fd) {
	static const int limits[][2] = { { TCP_USER_TIMEOUT, NET_TIMEOUT * 1000 },
	    { TCP_KEEPIDLE, NET_TIMEOUT / 2 }, { TCP_KEEPINTVL, NET_TIMEOUT / 2 }, { TCP_KEEPCNT, 2 } };
	struct timeval most = { .tv_sec = NET_TIMEOUT };
	int on = 1;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
	for (int i = 0; i < LENGTH(limits); i++)
		setsockopt(fd, IPPROTO_TCP, limits[i][0], &limits[i][1], sizeof limits[i][1]);
}

/* The call that failed; where its time was over, with ANSWER_TIMEOUT or NET_TIMEOUT in words. */
static const char *within(const char *call, const char *late) { return errno == ETIMEDOUT ? late : call; }

static int connect_to(const struct sockaddr *to, socklen_t size) {
	int fd = socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), err = 0;
	socklen_t length = sizeof err;
	if (fd < 0) return -1;
	limit_connection(fd);
	bool begun = !connect(fd, to, size) || errno == EINPROGRESS;
	if (!begun || !await(fd, POLLOUT, now() + ANSWER_TIMEOUT)
	    || getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &length) || (errno = err))
		close_fd(&fd);
	else fcntl(fd, F_SETFL, 0);
	return fd;
}

/* Sends a line, which is freed; it is short enough for any socket's buffer. */
#define send_line(fd, ...) send_text(fd, print_text(__VA_ARGS__))
static bool send_text(int fd, char *line) {
	ssize_t n = strlen(line), sent;
	while (interrupted(sent = send(fd, line, n, MSG_NOSIGNAL | MSG_DONTWAIT))) {}
	free(line);
	return sent == n;
}

/* What one side says to the other is a line, after which it waits for an answer. */
struct line_reader {
	char line[128];
	int n;
};

/* Takes what there is of a line, no more. 1: all, without its newline, 0: not yet, -1: never, and errno. */
static int read_part(int fd, struct line_reader *r) {
	char *to = r->line + r->n, *end;
	ssize_t got = recv(fd, to, sizeof r->line - 1 - r->n, MSG_PEEK | MSG_DONTWAIT);
	if (got < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
	end = memchr(to, '\n', got);
	ssize_t taken = end ? end + 1 - to : got, had = 0;
	errno = got == 0 ? ECONNRESET : EPROTO;
	while (got > 0 && interrupted(had = recv(fd, to, taken, MSG_DONTWAIT))) {}
	if (got == 0 || had != taken || memchr(to, '\0', taken)) return -1;
	to[end ? taken - 1 : taken] = '\0';
	r->n = end ? 0 : r->n + (int)taken;
	return end ? 1 : r->n == sizeof r->line - 1 ? -1 : 0;
}

static bool read_answer(int fd, struct line_reader *r, int64_t timeout) {
	int64_t deadline = now() + timeout;
	int got = 0;
	*r = (struct line_reader){ .n = 0 };
	while (got == 0 && await(fd, POLLIN, deadline)) got = read_part(fd, r);
	return got > 0;
}

/* Is a line just that? sscanf(3) also takes blanks, signs and numbers that are too large. */
#define is_just(line, ...) is_line(line, print_text(__VA_ARGS__))
static bool is_line(const char *line, char *text) {
	bool same = !strcmp(line, text);
	free(text);
	return same;
}

/* Two ends of a connection, ends[1] ours, that no other process can get into: TCP on loopback, or UNIX. */
static bool connect_pair(struct copy *c, int family, int ends[2]) {
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } }, ours,
	    theirs = { 0 };
	struct sockaddr *any = (struct sockaddr *)&address;
	socklen_t size = sizeof address;
	if (family == AF_UNIX)
		return !socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) || failed(c, "socketpair");
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int64_t deadline = now() + ANSWER_TIMEOUT;
	if (listener < 0 || bind(listener, any, size) || listen(listener, 1)
	    || getsockname(listener, any, &size) || (ends[1] = connect_to(any, size)) < 0
	    || getsockname(ends[1], (struct sockaddr *)&ours, &size))
		failed(c, listener < 0 ? "socket"
		    : within("connect on loopback", "connect on loopback within 5 s"));
	while (!c->failure.err && (ends[0] < 0 || theirs.sin_port != ours.sin_port)) {
		close_fd(&ends[0]); /* another one was faster */
		size = sizeof theirs;
		if (await(listener, POLLIN, deadline))
			ends[0] = accept4(listener, (struct sockaddr *)&theirs, &size, SOCK_CLOEXEC);
		if (ends[0] < 0 && !interrupted(-1) && errno != EAGAIN)
			failed(c, within("accept", "accept within 5 s"));
	}
	close_fd(&listener);
	return !c->failure.err;
}

/* What a receiver has to say of a stream. */
struct receipt {
	int64_t bytes;                /* that it has got */
	uint64_t sum;                 /* their checksum */
	int err;                      /* errno, where it could not keep them; or 0 */
};

/* What has been read goes by it to a thread that makes the checksum. One thread would be the slowest link. */
struct receive_ring {
	unsigned char blocks[RING_DEPTH][RECEIVE_BLOCK];
	ssize_t filled[RING_DEPTH];   /* bytes; 0 after the last */
	sem_t empty, full;
	struct checksum sum;
	pthread_t thread;
};

static void *sum_up(void *ring) {
	struct receive_ring *t = ring;
	for (int i = 0;; i = (i + 1) % RING_DEPTH) {
		while (sem_wait(&t->full)) {}
		if (t->filled[i] <= 0) return NULL;
		add_bytes(&t->sum, t->blocks[i], t->filled[i]);
		sem_post(&t->empty);
	}
}

/* No page of it is touched for the first time while a sender waits. */
static struct receive_ring *make_receive_ring(void) {
	struct receive_ring *t = allocate(1, sizeof *t);
	memset(t->blocks, 0xa5, sizeof t->blocks);
	return t;
}

static bool begin_ring(struct receive_ring *t) {
	t->sum = no_bytes;
	sem_init(&t->empty, 0, RING_DEPTH);
	sem_init(&t->full, 0, 0);
	return start_thread(&t->thread, sum_up, t);
}

/* Takes a stream to its end, also where it can't be kept: the answer says so. out -1: not kept. */
static bool take_stream(struct receive_ring *t, int fd, int out, struct receipt *receipt) {
	int err = 0;
	ssize_t n = 1;
	for (int i = 0; n > 0; i = (i + 1) % RING_DEPTH) {
		while (sem_wait(&t->empty)) {}
		t->filled[i] = n = safe_read(fd, t->blocks[i], RECEIVE_BLOCK);
		if (n > 0 && out >= 0 && !err && !full_write(out, t->blocks[i], n)) err = errno;
		sem_post(&t->full);
	}
	pthread_join(t->thread, NULL);
	*receipt = (struct receipt){ (int64_t)t->sum.bytes, end_checksum(&t->sum), caught ? 0 : err };
	return n == 0 && !caught;
}

static bool send_receipt(int fd, const struct receipt *r) {
	if (r->err) return send_line(fd, "error %s\n", errno_fact(r->err)->name);
	return send_line(fd, "done %" PRId64 " %016" PRIx64 "\n", r->bytes, r->sum);
}

/* Our own receiver: a process at the other side of one connection, which says when it is ready. */
__attribute__((noreturn)) static void receive_one(int fd) {
	struct receipt receipt = { .err = EAGAIN };
	struct receive_ring *t = make_receive_ring();
	bool good = begin_ring(t) && send_line(fd, "go\n") && take_stream(t, fd, -1, &receipt)
	    && send_receipt(fd, &receipt);
	_exit(good ? 0 : receipt.err ? receipt.err : EIO);
}

/*
 * The receiver of --receive. A sender first says "hold", and gets a token; no other one is served until
 * that connection ends, or says nothing for NET_TIMEOUT: "alive" now and then will do. Each of its runs is a
 * connection of its own, since on one connection later runs are faster than the first; it begins with "run",
 * the token, and how many bytes are to come. Then comes the stream to its end, which is answered. Any other
 * connection is dropped; the answer to "bye" is how many those were. Nothing is encrypted or authenticated.
 */
#define HELLO PROGRAM " 1 "

struct client {
	int fd;                       /* -1: none */
	int64_t deadline;             /* for its next line, nanoseconds */
	struct line_reader reader;
	struct words name;            /* its address */
};

struct server {
	int listeners[LISTENERS], nlisteners;
	struct client sender, run;    /* the one that holds the receiver, and its stream */
	int64_t announced;            /* bytes of that */
	uint64_t token;
	int kept;                     /* where streams go; -1: nowhere */
	bool file;                    /* which is a file, and emptied before each */
	bool quiet;
	int strangers;                /* connections dropped since the sender came */
	int64_t warned;               /* when a message was last given about one */
	struct receive_ring *ring;
};

/* They may be many: one line a second is enough. */
static void drop_client(struct server *s, struct client *c, const char *why) {
	if (!s->quiet && now() - s->warned > SECOND) {
		warn("%s: dropped: %s", c->name.s, why);
		s->warned = now();
	}
	s->strangers++;
	close_fd(&c->fd);
}

static bool accept_client(int listener, struct client *c) {
	struct sockaddr_storage from;
	socklen_t size = sizeof from;
	*c = (struct client){ .fd = accept4(listener, (struct sockaddr *)&from, &size, SOCK_CLOEXEC) };
	if (c->fd < 0) return false;
	c->name = address_text(&from, size);
	limit_connection(c->fd);
	return true;
}

static void take_run(struct server *s) {
	const char *name = s->run.name.s;
	int fd = s->run.fd;
	int64_t announced = s->announced, start = now();
	struct receipt r = { .bytes = 0 };
	char first;
	if (s->file && recv(fd, &first, 1, MSG_PEEK | MSG_DONTWAIT) > 0 /* a row that is n/a sends none */
	    && (ftruncate(s->kept, 0) || lseek(s->kept, 0, SEEK_SET)))
		warn("standard output: ftruncate: %s", errno_text(errno).s);
	bool begun = begin_ring(s->ring);
	if (!begun) warn("%s: dropped: pthread_create: %s", name, errno_text(errno).s);
	bool whole = begun && take_stream(s->ring, fd, s->kept, &r);
	if (whole) send_receipt(fd, &r);
	if (r.err)
		warn("%s: the stream could not be kept: standard output: write: %s", name,
		    errno_text(r.err).s);
	else if (r.bytes > 0 && r.bytes != announced && !caught)
		warn("%s: the stream %s %" PRId64 " of %" PRId64 " bytes", name,
		    r.bytes < announced ? "was cut after" : "was too long:", r.bytes, announced);
	else if (r.bytes > 0 && whole && !s->quiet)
		warn("%s: %" PRId64 " of %" PRId64 " bytes, XXH64 %016" PRIx64 ", %s", name, r.bytes,
		    announced, r.sum, speed_text(speed(r.bytes, now() - start)).s);
	close_fd(&s->run.fd);
	s->sender.deadline = now() + NET_TIMEOUT * SECOND; /* its lines were not read meanwhile */
}

static void serve_client(struct server *s, struct client *c) {
	static const char unknown[] = "does not speak as " PROGRAM " --send does";
	const char *line = c->reader.line;
	uint64_t token = 0;
	int64_t announced = 0;
	if (!read_answer(c->fd, &c->reader, CLIENT_TIMEOUT)) {
		drop_client(s, c, *line ? unknown : errno == ECONNRESET ? "closed without a request"
		    : errno == ETIMEDOUT ? "sent no request in time" : unknown);
	} else if (!strcmp(line, HELLO "hold") && s->sender.fd >= 0) {
		send_line(c->fd, "busy %s\n", s->sender.name.s);
		drop_client(s, c, "another sender is being served");
	} else if (!strcmp(line, HELLO "hold")) {
		s->token = (uint64_t)now();
		random_number(&s->token);
		if (getrandom(&token, sizeof token, GRND_NONBLOCK) == sizeof token) s->token = token;
		s->sender = *c;
		s->sender.deadline = now() + NET_TIMEOUT * SECOND;
		s->strangers = 0;
		if (!send_line(c->fd, "held %016" PRIx64 "\n", s->token)) close_fd(&s->sender.fd);
	} else if (sscanf(line, HELLO "run %16" SCNx64 " %19" SCNd64, &token, &announced) == 2
	    && announced >= 0 && is_just(line, HELLO "run %016" PRIx64 " %" PRId64, token, announced)
	    && s->sender.fd >= 0 && token == s->token && s->run.fd < 0) {
		s->announced = announced;
		s->run = *c;
		if (!send_line(c->fd, "go\n")) close_fd(&s->run.fd);
	} else {
		drop_client(s, c, unknown);
	}
}

static void let_go(struct server *s) {
	close_fd(&s->run.fd);
	close_fd(&s->sender.fd);
}

static void serve_sender(struct server *s) {
	static struct client waiting[BACKLOG];
	int n = 0, got = read_part(s->sender.fd, &s->sender.reader);
	s->sender.deadline = now() + NET_TIMEOUT * SECOND;
	if (got == 0 || (got > 0 && !strcmp(s->sender.reader.line, "alive"))) return;
	if (got > 0 && !strcmp(s->sender.reader.line, "bye")) {
		for (int i = 0; i < s->nlisteners; i++)
			while (n < BACKLOG && accept_client(s->listeners[i], &waiting[n])) n++;
		send_line(s->sender.fd, "bye %d\n", s->strangers + n);
	}
	let_go(s);
	for (int i = 0; i < n; i++) serve_client(s, &waiting[i]);
}

static void serve(struct server *s) {
	struct pollfd fds[2 + LISTENERS];
	struct client client;
	s->sender.fd = s->run.fd = -1;
	while (!caught) {
		fds[0] = (struct pollfd){ .fd = s->sender.fd, .events = POLLIN };
		fds[1] = (struct pollfd){ .fd = s->run.fd, .events = POLLIN };
		for (int i = 0; i < s->nlisteners; i++)
			fds[2 + i] = (struct pollfd){ .fd = s->listeners[i], .events = POLLIN };
		if (poll(fds, 2 + s->nlisteners, 500) < 0) continue;
		if (fds[1].revents) take_run(s);
		if (fds[0].revents) {
			serve_sender(s);
		} else if (s->sender.fd >= 0 && now() > s->sender.deadline) {
			warn("%s: dropped: has held the receiver for %d seconds, and done nothing",
			    s->sender.name.s, NET_TIMEOUT);
			let_go(s);
		}
		for (int i = 0; i < s->nlisteners; i++)
			if (fds[2 + i].revents && accept_client(s->listeners[i], &client))
				serve_client(s, &client);
	}
}

/* Listens on one address; -1, errno and the call that failed. A port of 0 becomes one that is free. */
static int listen_on(struct sockaddr *address, socklen_t size, const char **call) {
	int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;
	const struct sockaddr_in6 *six = (struct sockaddr_in6 *)address;
	*call = "socket";
	if (fd < 0) return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (address->sa_family == AF_INET6 && !IN6_IS_ADDR_UNSPECIFIED(&six->sin6_addr))
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
	bool bound = !bind(fd, address, size);
	*call = !bound ? "bind" : listen(fd, BACKLOG) || getsockname(fd, address, &size) ? "listen" : NULL;
	if (*call) close_fd(&fd);
	return fd;
}

/* On all addresses of a host, on one port; families that the machine has not are left out. */
static void open_listeners(struct server *s, const struct host *at) {
	struct addrinfo *found = resolve("receive", at);
	const char *call = "";
	in_port_t port = 0;
	int err = 0;
	for (struct addrinfo *a = found; a && s->nlisteners < LISTENERS; a = a->ai_next) {
		in_port_t *place = &((struct sockaddr_in *)(void *)a->ai_addr)->sin_port; /* also of IPv6 */
		*place = port ? port : *place;
		int fd = listen_on(a->ai_addr, a->ai_addrlen, &call);
		err = fd < 0 ? errno : err;
		if (fd < 0 && err == EADDRINUSE && port && !strcmp(at->port, "0")) {
			/* it is free at the other address only: another port */
			while (s->nlisteners > 0) close(s->listeners[--s->nlisteners]);
			freeaddrinfo(found);
			open_listeners(s, at);
			return;
		}
		if (fd < 0 && (a == found || err == EADDRINUSE) && err != EADDRNOTAVAIL
		    && err != EAFNOSUPPORT)
			die("%s: %s: %s", address_text(a->ai_addr, a->ai_addrlen).s, call, errno_text(err).s);
		if (fd < 0) continue;
		port = *place;
		s->listeners[s->nlisteners++] = fd;
	}
	if (!s->nlisteners) die("--receive=%s: %s: %s", at->text, call, errno_text(err).s);
	for (int i = 0; i < s->nlisteners; i++) {
		struct sockaddr_storage bound;
		socklen_t size = sizeof bound;
		getsockname(s->listeners[i], (struct sockaddr *)&bound, &size);
		warn("receiving on %s", address_text(&bound, size).s);
	}
	freeaddrinfo(found);
}

/* ---- Places: where a file lives, for headings and the environment --------------------------- */

struct place {
	char name[512];      /* "Ext3+dmcrypt", "tmpfs /dev/shm" */
	const char *medium;  /* NULL: unknown */
	bool virtual;        /* the medium is what a hypervisor makes of it */
	char mount[512];     /* "ext4 rw,relatime,data=ordered" */
};

/* As far as there is room. */
#define add_name(p, ...) add_text(p, print_text(__VA_ARGS__))
static void add_text(struct place *p, char *text) {
	size_t used = strlen(p->name);
	snprintf(p->name + used, sizeof p->name - used, "%s", text);
	free(text);
}

static void find_place(int fd, struct place *p, int depth); /* a loop device lies on a file */

static bool read_device(dev_t dev, const char *file, char *line, int size) {
	char path[80];
	snprintf(path, sizeof path, "/sys/dev/block/%u:%u/%s", major(dev), minor(dev), file);
	return read_line(path, line, size);
}

/* The i-th device that one is mapped to. */
static bool find_slave(dev_t dev, size_t i, dev_t *below) {
	char pattern[80], text[32];
	unsigned maj, min;
	glob_t paths;
	snprintf(pattern, sizeof pattern, "/sys/dev/block/%u:%u/slaves/*/dev", major(dev), minor(dev));
	if (glob(pattern, 0, NULL, &paths)) return false;
	bool found = i < paths.gl_pathc && read_line(paths.gl_pathv[i], text, sizeof text)
	    && sscanf(text, "%u:%u", &maj, &min) == 2;
	if (found) *below = makedev(maj, min);
	globfree(&paths);
	return found;
}

/* What a file system's device is made of, down to the medium. */
static void find_device(dev_t dev, struct place *p, int depth) {
	char path[128], text[2048], link[512];
	dev_t below;
	if (read_device(dev, "dm/uuid", text, sizeof text))
		add_name(p, !strncmp(text, "CRYPT-", 6) ? "+dmcrypt" : !strncmp(text, "LVM-", 4) ? "+lvm"
		    : "+dm");
	if (read_device(dev, "loop/backing_file", text, sizeof text)) {
		struct place file = { .name = "" };
		int fd = open(text, O_PATH | O_CLOEXEC);
		add_name(p, "+loop");
		if (fd >= 0 && depth > 0) find_place(fd, &file, depth - 1);
		p->medium = file.medium;
		p->virtual = file.virtual;
		close_fd(&fd);
	} else if (depth > 0 && find_slave(dev, 0, &below)) {
		find_device(below, p, depth - 1);
	} else if (read_device(dev, "queue/rotational", text, sizeof text)
	    || read_device(dev, "../queue/rotational", text, sizeof text)) { /* a partition: its disk's */
		snprintf(path, sizeof path, "/sys/dev/block/%u:%u", major(dev), minor(dev));
		link[max(0, readlink(path, link, sizeof link - 1))] = '\0';
		p->virtual = strstr(link, "/virtio") || strstr(link, "/vbd-");
		p->medium = strstr(link, "/zram") || strstr(link, "/ram") ? "memory" : *text == '1'
		    ? "Hard Drive" : "SSD";
	}
}

/* By mountinfo's name, since ext2, ext3 and ext4 share one magic number: how to write it, and a medium. */
static const struct {
	const char *type, *name, *medium;
} filesystems[] = {
	{ "ext2", "Ext2", NULL }, { "ext3", "Ext3", NULL }, { "ext4", "Ext4", NULL }, { "xfs", "XFS", NULL },
	{ "f2fs", "F2FS", NULL }, { "tmpfs", "tmpfs", "memory" }, { "ramfs", "ramfs", "memory" },
	{ "nfs", "NFS", "network" }, { "nfs4", "NFS", "network" }, { "cifs", "CIFS", "network" },
	{ "smb3", "SMB3", "network" }, { "ceph", "Ceph", "network" }, { "9p", "9p", "network" },
};

/* A line of /proc/self/mountinfo (proc_pid_mountinfo(5)). */
struct mount {
	long id;
	unsigned major, minor;
	char *directory, *flags, *type, *source, *options;
};

/* Blanks in paths, and commas in options, are written "\040" there. */
static void unescape(char *path) {
	char *to = path;
	for (const char *from = path; *from; from++) {
		bool escape = *from == '\\' && strspn(from + 1, "01234567") >= 3;
		*to++ = escape ? (from[1] & 3) << 6 | (from[2] & 7) << 3 | (from[3] & 7) : *from;
		from += escape ? 3 : 0;
	}
	*to = '\0';
}

/* Cuts a line at its blanks: there are as many as there should be, even where a field is empty. */
static bool cut_mount(char *line, struct mount *m) {
	char *rest = line, *field;
	*m = (struct mount){ .id = strtol(line, NULL, 10) };
	line[strcspn(line, "\n")] = '\0';
	for (int i = 0; (field = strsep(&rest, " ")) && (i < 6 || strcmp(field, "-")); i++) {
		if (i == 2 && sscanf(field, "%u:%u", &m->major, &m->minor) != 2) return false;
		if (i == 4) m->directory = field;
		if (i == 5) m->flags = field;
	}
	m->type = strsep(&rest, " ");
	m->source = strsep(&rest, " ");
	m->options = rest;
	if (!m->directory || !m->flags || !m->type || !m->source || !m->options) return false;
	unescape(m->directory);
	unescape(m->source);
	return true;
}

static void describe_mount(struct mount *m, struct place *p, int depth) {
	const char *version = strstr(m->options, ",vers=");
	struct stat st;
	int i = 0;
	snprintf(p->mount, sizeof p->mount, "%s %s%s", m->type, m->flags,
	    m->options + strcspn(m->options, ",")); /* rw or ro is in both */
	while (i < LENGTH(filesystems) && strcmp(filesystems[i].type, m->type)) i++;
	add_name(p, "%.16s", i < LENGTH(filesystems) ? filesystems[i].name : m->type);
	p->medium = i < LENGTH(filesystems) ? filesystems[i].medium : NULL;
	if (p->medium && !strcmp(p->medium, "memory")) {
		add_name(p, " %s", m->directory);
	} else if (p->medium && version) {
		add_name(p, " v%.*s", (int)strcspn(version + 6, ","), version + 6);
	} else if (m->major != 0) {
		find_device(makedev(m->major, m->minor), p, depth);
	} else if (!p->medium && !stat(m->source, &st) && S_ISBLK(st.st_mode)) {
		find_device(st.st_rdev, p, depth);
	}
}

/* The mount that a file was opened in, in a line of size bytes. */
static bool find_mount(int fd, struct mount *m, char *line, int size) {
	char path[64];
	bool found = false;
	snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
	int64_t id = read_number(path, "mnt_id");
	FILE *f = fopen("/proc/self/mountinfo", "re");
	while (f && id && !found && fgets(line, size, f)) found = cut_mount(line, m) && m->id == id;
	if (f) fclose(f);
	return found;
}

static void find_place(int fd, struct place *p, int depth) {
	char line[4000];
	struct mount m;
	if (find_mount(fd, &m, line, sizeof line)) describe_mount(&m, p, depth);
}

/* ---- Endpoints: the ends of a copy. A strategy never asks what its ends are ----------------- */

#define TICK (10 * MILLISECOND) /* files' times are set by a clock that ticks so often, or more (CONFIG_HZ) */
#define EXTENTS_ASKED 32        /* enough to see one shared extent: sharing begins at byte 0 */
#define SYS_CACHESTAT 451       /* Linux 6.5; on all machines, but for alpha */
#define RESIDENT 0.99           /* of a file, in the page cache: all of it */

struct endpoint {
	const struct endpoint_ops *ops;
	const char *label;      /* for messages */
	const char *option;     /* that has made it; NULL: it was there */
	const char *command;    /* of that option */
	int fd, flags;          /* its descriptor, -1: none; and that one's flags at the start */
	struct stat st;         /* as it was at the start */
	const struct options *opt;
	int copy_fd;            /* what this run's copy uses: fd, or a pipe or connection; -1: none */
	int64_t pipe_size;      /* bytes that a pipe there is to hold */
	bool refused;           /* the kernel refuses to prepare it as the row wants it: the row is n/a */
	struct child child;     /* the process at its other side */
	struct endpoint *input; /* of an output: what it is to be a copy of */
	bool checking;          /* of a pipe or socket: this run's copy goes to a process that compares it */
	struct {
		int64_t size;       /* bytes that it has; -1: no end, or none that is known */
		bool repeatable;    /* the same bytes come at every reading */
		int bytes;          /* where pread gives them: itself, or what was spooled; or -1 */
		const char *spool;  /* where they were spooled to; NULL: they were not */
		int64_t resident;   /* bytes in the page cache before the run; -1: it is not there */
		int fetched;        /* runs before which it had to be read again */
		bool complete;      /* as many bytes as it has have been taken */
		bool left;          /* it had more, in the pipe or still to be written */
		uint64_t sum;       /* their checksum, when they were read first; 0: not yet */
	} source;               /* of an input */
	struct {
		int verify_fd;      /* to read it back with pread, or -1 */
		int close_fd;       /* opened anew, to be closed inside the clock; or -1 */
		int64_t stayed;     /* most bytes in the page cache when it was to be overwritten */
		bool unknown;       /* how many is not known */
		uint64_t random;    /* state of the poison that it is filled with */
		bool compared;      /* its bytes were compared after this run */
		struct stat left;   /* as it was when they were compared last */
	} file;                 /* of an output */
	struct {
		int family;         /* AF_UNIX or another */
		bool silent;        /* it does not say how much the other side has */
		uint32_t sends;     /* those without copying so far */
		const struct addrinfo *address; /* of the receiver that it is sent to */
		int control_fd;     /* the connection that holds that receiver; or -1 */
		pthread_t alive;    /* gives signs of life there */
		uint64_t token;     /* what it knows us by */
		int lost;           /* errno that has made an end of it */
		struct receipt receipt; /* its answer to the last run */
	} net;                  /* of a socket or receiver */
};

/* To add an end: write its operations, add them to sources[] or sinks[]. NULL: nothing to do. */
struct endpoint_ops {
	const char *name;
	enum kind kind;
	mode_t type;              /* S_IFMT of the files that it is for; 0: it is made by */
	const char *option;       /* this option */
	void (*open)(struct endpoint *); /* at the start: refuses what can't be used */
	bool (*prepare)(struct endpoint *, struct copy *); /* untimed: get ready for a fresh run */
	bool (*finish)(struct endpoint *, struct copy *);  /* timed: what the clock waits for */
	void (*cleanup)(struct endpoint *);                /* untimed: after every run, however it went */
	struct verdict (*verify)(struct endpoint *, const struct copy *, bool compare); /* is it a copy? */
	char *(*describe)(const struct endpoint *, struct place *); /* in words; and for the heading */
	bool check;               /* its bytes are seen in one more copy, to a process that compares */
	const char *child;        /* its process, for messages */
	const char *until;        /* what the clock waits for; NULL: as --until has it */
	const char *verified, *unverified; /* what is compared; where bytes can't be; NULL: nothing */
	const char *cut;          /* what an interrupted session leaves; NULL: what is no copy */
};

/* Takes our end of a pipe or connection; a child has the other one. */
static bool attach(struct endpoint *e, struct copy *c, int ends[2], int ours, pid_t child) {
	close_fd(&ends[!ours]);
	e->copy_fd = ends[ours];
	e->source.complete = false;
	return child > 0 || (!c->failure.err && failed(c, "fork"));
}

static void detach(struct endpoint *e, int64_t patience) {
	if (e->copy_fd != e->fd) close_fd(&e->copy_fd);
	wait_child(&e->child, patience);
}

/* Where the kernel refuses a pipe of the size that the row asks for, it is the row that is refused. */
static bool size_end(struct endpoint *e, struct copy *c, int fd) {
	bool ok = size_pipe(c, fd, e->pipe_size);
	e->refused = !ok && errno_fact(c->failure.err)->refusal;
	return ok;
}

static bool open_end(struct endpoint *e, struct copy *c, int ends[2]) {
	return (!pipe2(ends, O_CLOEXEC) || failed(c, "pipe2")) && size_end(e, c, ends[1]);
}

/* Pages of a file, as cachestat(2) has them. */
struct cached {
	uint64_t pages, dirty, writing, evicted, evicted_lately;
};

/* False: the kernel does not say, or it is not our file. */
static bool ask_cache(int fd, int64_t len, struct cached *found) {
	const uint64_t range[2] = { 0, len };
	return !syscall(SYS_CACHESTAT, fd, range, found, 0);
}

static bool is_on(int fd, uint32_t magic) {
	struct statfs fs;
	return !fstatfs(fd, &fs) && (uint32_t)fs.f_type == magic;
}

/* Bytes in the page cache; -1: not known. On overlayfs only mincore(2) sees them, which needs a descriptor
 * that can be read, and says of other people's files that all is there. */
static int64_t count_resident(int fd, int64_t len) {
	static unsigned char resident[64 * K]; /* a byte a page */
	int64_t page = sysconf(_SC_PAGESIZE), window = sizeof resident * page, n = 0;
	struct cached cached;
	struct stat st;
	if (ask_cache(fd, len, &cached) && !is_on(fd, OVERLAYFS_SUPER_MAGIC))
		return min(len, cached.pages * page);
	if (fstat(fd, &st) || (geteuid() && st.st_uid != geteuid())) return -1;
	for (int64_t at = 0; at < len; at += window) {
		int64_t part = min(len - at, window);
		void *map = mmap(NULL, part, PROT_READ, MAP_SHARED, fd, at);
		if (map == MAP_FAILED) return -1;
		bool known = !mincore(map, part, resident);
		munmap(map, part);
		if (!known) return -1;
		for (int64_t i = 0; i * page < part; i++) n += resident[i] & 1 ? page : 0;
	}
	return min(n, len);
}

/* tmpfs or ramfs: nothing is to be written, or can be evicted. */
static bool is_in_memory(int fd) { return is_on(fd, TMPFS_MAGIC) || is_on(fd, RAMFS_MAGIC); }

/* Throws a file that is not dirty out of the page cache; how many bytes stayed, or -1. */
static int64_t evict(int fd, int64_t len) {
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	return count_resident(fd, len);
}

/* Reads a file by large reads, which make large folios: bytes, or -1. Where that is wanted, adds them to a
 * checksum, and counts those of pages that are zero. */
static int64_t read_through(int fd, int64_t len, struct checksum *sum, int64_t *zeros) {
	enum { PAGE = 4096 };
	static unsigned char chunk[M];
	int64_t at = 0;
	for (ssize_t n = 1; n > 0 && at < len && !caught; at += max(n, 0)) {
		memset(chunk, 0xa5, sum ? M : 0); /* else a read that claims bytes and brings none may pass */
		if ((n = full_pread(fd, chunk, min(len - at, M), at)) < 0) return -1;
		if (sum) add_bytes(sum, chunk, n);
		for (ssize_t i = 0; zeros && i < n; i += PAGE)
			if (is_zero(chunk + i, min(n - i, PAGE))) *zeros += min(n - i, PAGE);
	}
	return at;
}

/* Reads what the page cache has lost of the input: no row is to find it colder than another one. */
static void fetch(struct endpoint *e, int64_t len) {
	e->source.resident = count_resident(e->source.bytes, len);
	if (e->source.resident < 0 || (double)e->source.resident >= RESIDENT * (double)len) return;
	read_through(e->source.bytes, len, NULL, NULL);
	e->source.fetched++;
	e->source.resident = count_resident(e->source.bytes, len);
}

static bool prepare_file_source(struct endpoint *e, struct copy *c) {
	if (e->opt->cold) {
		fdatasync(e->fd);
		e->source.resident = evict(e->fd, c->len);
	} else {
		fetch(e, c->len);
	}
	return lseek(e->fd, 0, SEEK_SET) == 0 || failed(c, "lseek");
}

/* Advice stays on the open file description, which the next row shares. */
static void cleanup_file_source(struct endpoint *e) { posix_fadvise(e->fd, 0, 0, POSIX_FADV_NORMAL); }

/* What can be read only once was spooled: a process feeds it, from the start of the clock on. */
static bool prepare_feeder(struct endpoint *e, struct copy *c) {
	int ends[2] = { -1, -1 };
	pid_t feeder = -1;
	fetch(e, c->len);
	if (open_end(e, c, ends)) feeder = fork_child(&e->child, e->source.bytes, ends[1], true, NULL);
	if (feeder == 0) feed(e->source.size);
	return attach(e, c, ends, 0, feeder);
}

static bool finish_fed_source(struct endpoint *e, struct copy *c) {
	e->source.complete = c->done == e->source.size;
	return true;
}

static void note_left(struct endpoint *e) {
	int held = 0;
	e->source.left = e->copy_fd >= 0 && !ioctl(e->copy_fd, FIONREAD, &held) && held > 0;
}

static void cleanup_feeder(struct endpoint *e) {
	note_left(e);
	detach(e, HASTE);
	if (WIFEXITED(e->child.status) && WEXITSTATUS(e->child.status) == EPIPE) {
		e->source.left = true;
		e->child.status = 0;
	}
}

static bool prepare_command(struct endpoint *e, struct copy *c) {
	int ends[2] = { -1, -1 }, null = open("/dev/null", O_RDWR | O_CLOEXEC);
	bool sink = e->input;
	pid_t child = -1;
	if (null < 0) failed(c, "open /dev/null");
	else if (open_end(e, c, ends))
		child = start_command(&e->child, e->command, sink ? ends[0] : null, sink ? null : ends[1],
		    !sink, sink ? c->len : e->opt->size, false, NULL);
	close_fd(&null);
	return attach(e, c, ends, sink, child);
}

/* A command that has given all may go on: its end is awaited. Else its SIGPIPE is our doing, or the row's. */
static void cleanup_command_source(struct endpoint *e) {
	struct pollfd more = { .fd = e->copy_fd, .events = POLLIN };
	siginfo_t gone = { .si_pid = 0 };
	bool complete = e->source.complete && e->child.pid;
	while (complete && !caught && poll(&more, 1, 10) == 0
	    && !waitid(P_PID, e->child.pid, &gone, WEXITED | WNOHANG | WNOWAIT) && !gone.si_pid)
		;
	note_left(e);
	detach(e, complete ? WAIT_FOREVER : HASTE);
	int status = e->child.status;
	if ((WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) - 128) == SIGPIPE) {
		e->source.left = true;
		e->child.status = 0;
	}
}

/* Fills the file with bytes that no input foresees: its blocks are allocated, and clean. */
static bool poison(struct endpoint *e, struct copy *c) {
	static uint64_t poison[CHUNK / sizeof(uint64_t)];
	ssize_t n;
	for (int i = 0; i < LENGTH(poison); i++) poison[i] = random_number(&e->file.random);
	for (int64_t at = 0; at < c->len && !caught; at += max(n, 0)) {
		n = pwrite(e->fd, poison, min(c->len - at, CHUNK), at);
		if (n <= 0 && !interrupted(n)) return failed(c, "pwrite");
	}
	while (fdatasync(e->fd))
		if (!interrupted(-1)) return failed(c, "fdatasync");
	return true;
}

/* Returns the bytes of an output in the page cache, by a descriptor that can be read; -1: not known. */
static int64_t ask_resident(const struct endpoint *e, int64_t len) {
	return count_resident(e->file.verify_fd >= 0 ? e->file.verify_fd : e->fd, len);
}

/* No run is to wait for freed blocks, a journal, or what the last one left: that is synced once before. */
static bool prepare_file(struct endpoint *e, struct copy *c) {
	while (ftruncate(e->fd, e->opt->overwrite ? c->len : 0))
		if (!interrupted(-1)) return failed(c, "ftruncate");
	if (e->opt->overwrite && !poison(e, c)) return false;
	if (e->opt->overwrite) {
		if (!e->opt->cached) posix_fadvise(e->fd, 0, 0, POSIX_FADV_DONTNEED);
		int64_t stayed = ask_resident(e, c->len);
		e->file.unknown |= stayed < 0;
		e->file.stayed = max(e->file.stayed, stayed);
	}
	while (!is_in_memory(e->fd) && syncfs(e->fd))
		if (!interrupted(-1)) return failed(c, "syncfs");
	if (e->opt->until == UNTIL_CLOSE && (e->file.close_fd = reopen(e->fd, O_WRONLY)) < 0)
		return failed(c, "open");
	return lseek(e->fd, 0, SEEK_SET) == 0 || failed(c, "lseek");
}

/* ext4, XFS and btrfs flush a file that was emptied when a description is released, NFS and FUSE at close. */
static bool finish_file(struct endpoint *e, struct copy *c) {
	int fd = e->file.close_fd;
	e->file.close_fd = -1;
	if (fd >= 0 && close(fd) && errno != EINTR) /* after EINTR it is closed, too: close(2) */
		return failed(c, "close");
	while (e->opt->until == UNTIL_SYNC && fdatasync(e->fd))
		if (!interrupted(-1)) return failed(c, "fdatasync");
	return true;
}

static void cleanup_file(struct endpoint *e) { close_fd(&e->file.close_fd); }

/* A verdict on a call of our own. */
static struct verdict call_failed(const char *call) {
	return (struct verdict){ .outcome = FAILED, .failure = { errno, call, -1 } };
}

/* Where an output first differs from the input, or ends; -1: nowhere; -2, and errno: it can't be read; -3:
 * it was not compared to its end, since a signal asks us to stop. */
static int64_t find_difference(const struct endpoint *e, int64_t len) {
	static unsigned char expected[CHUNK], found[CHUNK];
	for (int64_t at = 0; at < len && !caught;) {
		memset(expected, 0xa5, CHUNK); /* else a read that claims bytes and brings none passes */
		memset(found, 0x5a, CHUNK);
		ssize_t n = full_pread(e->input->source.bytes, expected, min(len - at, CHUNK), at);
		ssize_t have = n > 0 ? full_pread(e->file.verify_fd, found, n, at) : 0;
		if (n < 0 || have < 0) return -2;
		ssize_t same = first_difference(expected, found, have);
		if (n == 0 || same < n) return at + same;
		at += n;
	}
	return caught ? -3 : -1;
}

static bool is_comparable(const struct endpoint *e) {
	return !e->opt->no_verify && e->input->source.repeatable && e->input->source.bytes >= 0;
}

/* Looks at a file, outside the clock: at its size, and if that is wanted and possible at its bytes. */
static struct verdict check_file(const struct endpoint *e, int64_t len, bool compare) {
	struct stat st = { .st_size = len };
	int64_t at = compare && is_comparable(e) ? find_difference(e, len) : -1;
	if (at == -2 && !caught) return call_failed("pread");
	if (at < -1) return (struct verdict){ .outcome = UNTRIED };
	if (fstat(e->fd, &st)) return call_failed("fstat");
	if (at < 0 && st.st_size != len) at = min(st.st_size, len);
	return (struct verdict){ .outcome = at < 0 ? COPIED : MISMATCH, .at = at, .failure.out = -1 };
}

/* Asks FIEMAP (Documentation/filesystems/fiemap.rst): flags of all extents, or'ed; *n: how many there are. */
static uint32_t ask_extents(int fd, bool sync, unsigned *n) {
	union {
		struct fiemap map;
		unsigned char room[sizeof(struct fiemap) + EXTENTS_ASKED * sizeof(struct fiemap_extent)];
	} ask = { .map = { .fm_length = FIEMAP_MAX_OFFSET, .fm_extent_count = EXTENTS_ASKED,
	    .fm_flags = sync ? FIEMAP_FLAG_SYNC : 0 } };
	uint32_t flags = 0;
	*n = 1;
	/* a cast: the number has the sign bit, and musl's ioctl takes an int */
	if (ioctl(fd, (int)FS_IOC_FIEMAP, &ask.map)) return 0;
	*n = ask.map.fm_mapped_extents;
	for (unsigned i = 0; i < *n; i++) flags |= ask.map.fm_extents[i].fe_flags;
	return flags;
}

/* No extents are no sharing (SMB; ext2's mapped pages while they are dirty), but maybe a hole: it is
 * compared. */
static struct verdict verify_file(struct endpoint *e, const struct copy *c, bool compare) {
	unsigned n;
	/* without it nilfs2, asked after direct I/O with a tail, finds itself broken (Linux 6.1) */
	uint32_t flags = ask_extents(e->fd, c->res->alignment, &n);
	if (c->may_share && compare && (n == 0 || flags & FIEMAP_EXTENT_DELALLOC))
		flags = ask_extents(e->fd, true, &n); /* takes as long as to write it: only once a row */
	e->file.compared = compare || n == 0 || e->opt->overwrite;
	struct verdict v = check_file(e, c->len, e->file.compared);
	if (v.outcome == COPIED && (c->cloned || flags & FIEMAP_EXTENT_SHARED))
		v.outcome = SHARED; /* with the input, or the second output with the first */
	return v;
}

/* Starts the process that compares, in the place of an output that keeps nothing. */
static bool prepare_check(struct endpoint *e, struct copy *c) {
	int ends[2] = { -1, -1 };
	pid_t child = -1;
	if (e->ops->kind == KIND_SOCKET ? connect_pair(c, e->net.family, ends) : open_end(e, c, ends))
		child = fork_child(&e->child, e->input->source.bytes, ends[0], false, NULL);
	if (child == 0) compare_stream(c->len);
	return attach(e, c, ends, 1, child);
}

/* Has the user's pipe or socket its other side? If not, says why. */
static bool has_reader(const struct endpoint *e, struct copy *c) {
	bool pipe = e->ops->kind == KIND_PIPE;
	struct pollfd end = { .fd = e->fd };
	int err = 0;
	socklen_t size = sizeof err;
	poll(&end, 1, 0);
	if (!pipe) getsockopt(e->fd, SOL_SOCKET, SO_ERROR, &err, &size);
	errno = err ? err : EPIPE;
	return !(err || end.revents & (pipe ? POLLERR : POLLHUP)) || failed(c, pipe ? "the pipe"
	    : "the socket");
}

/* Waits until the other side has all that was written; false: it is gone before. */
static bool await_reader(const struct endpoint *e, struct copy *c) {
	int request = e->ops->kind == KIND_PIPE ? FIONREAD : SIOCOUTQ, held;
	while (!ioctl(e->fd, request, &held) && held > 0 && !caught) {
		if (!has_reader(e, c)) return false;
		sleep_until(now() + LOOK_AGAIN);
	}
	return true;
}

/* What the last run has left is read before this one begins. */
static bool prepare_stream(struct endpoint *e, struct copy *c) {
	return await_reader(e, c) && has_reader(e, c) && (e->ops->kind != KIND_PIPE || size_end(e, c, e->fd));
}

/* A child has all when it has ended: its end is the copy's. */
static bool finish_stream(struct endpoint *e, struct copy *c) {
	if (!e->child.pid) return await_reader(e, c);
	detach(e, WAIT_FOREVER);
	return true;
}

static void cleanup_stream(struct endpoint *e) { detach(e, KILL_GRACE); }

/* What the process that compares has found, which it says by its standard error. */
static struct verdict verify_stream(struct endpoint *e, UNUSED const struct copy *c, UNUSED bool compare) {
	int64_t at = -1;
	errno = EIO;
	if (e->checking && (!e->child.said || e->child.said->n != sizeof at)) return call_failed("read");
	if (e->checking) memcpy(&at, e->child.said->first, sizeof at);
	return (struct verdict){ .outcome = at == -1 ? COPIED : MISMATCH, .at = at };
}

/* A receiver of our own: the other end of a connection on loopback, which it alone holds. */
static bool prepare_own_receiver(struct endpoint *e, struct copy *c) {
	struct line_reader r;
	int ends[2] = { -1, -1 };
	pid_t child = -1;
	e->net.sends = 0;
	if (connect_pair(c, AF_INET, ends)) child = fork_child(&e->child, ends[0], -1, false, NULL);
	if (child == 0) receive_one(STDIN_FILENO);
	if (!attach(e, c, ends, 1, child)) return false;
	return read_answer(e->copy_fd, &r, ANSWER_TIMEOUT) || failed(c, within("the receiver",
	    "the receiver's start within 5 s"));
}

/* Refuses where loopback is down, as in a new network namespace. */
static void open_own_receiver(struct endpoint *e) {
	struct copy c = { .failure.out = -1 };
	int ends[2] = { -1, -1 };
	if (!connect_pair(&c, AF_INET, ends))
		die("%s: %s: %s (%s): ip link set lo up", e->label, c.failure.call,
		    errno_name(c.failure.err).s, strerror(c.failure.err));
	close_fd(&ends[0]);
	close_fd(&ends[1]);
}

static const char answer[] = "the receiver's answer", late_answer[] = "the receiver's answer within 20 s";

/* A receiver that has not answered once is lost: every row would wait for it as long again. */
static bool lose(struct endpoint *e, struct copy *c, const char *call) {
	if (errno == ETIMEDOUT || errno == ECONNREFUSED) e->net.lost = errno;
	return failed(c, call);
}

/* A connection of its own for each run to a receiver elsewhere. */
static bool prepare_remote_receiver(struct endpoint *e, struct copy *c) {
	static const char gone[] = "the connection to the receiver";
	struct line_reader r;
	e->net.sends = 0;
	errno = e->net.lost;
	if (e->net.lost) return failed(c, gone);
	if (await(e->net.control_fd, POLLIN, 0)) return e->net.lost = errno = ECONNRESET, failed(c, gone);
	e->copy_fd = connect_to(e->net.address->ai_addr, e->net.address->ai_addrlen);
	if (e->copy_fd < 0) return lose(e, c, within("connect", "connect within 5 s"));
	if (!send_line(e->copy_fd, HELLO "run %016" PRIx64 " %" PRId64 "\n", e->net.token, c->len)
	    || !read_answer(e->copy_fd, &r, NET_TIMEOUT * SECOND))
		return lose(e, c, within(answer, late_answer));
	errno = EPROTO;
	return !strcmp(r.line, "go") || lose(e, c, answer);
}

static bool finish_receiver(struct endpoint *e, struct copy *c) {
	struct receipt receipt = { .bytes = -1 };
	struct line_reader r;
	char word[32];
	if (shutdown(e->copy_fd, SHUT_WR) || !read_answer(e->copy_fd, &r, NET_TIMEOUT * SECOND))
		return lose(e, c, within(answer, late_answer));
	if (sscanf(r.line, "done %19" SCNd64 " %16" SCNx64, &receipt.bytes, &receipt.sum) == 2
	    && receipt.bytes >= 0
	    && is_just(r.line, "done %" PRId64 " %016" PRIx64, receipt.bytes, receipt.sum))
		return e->net.receipt = receipt, true;
	errno = EPROTO;
	if (sscanf(r.line, "error %31s", word) == 1 && is_just(r.line, "error %s", word) && parse_errno(word))
		errno = parse_errno(word);
	return failed(c, "the receiver, which keeps what it gets,");
}

/* By the checksum of the input's first reading, a device's being here; where it is wrong is not known. */
static struct verdict verify_receiver(struct endpoint *e, const struct copy *c, UNUSED bool compare) {
	const struct receipt *r = &e->net.receipt;
	struct checksum sum = no_bytes;
	if (e->input->ops->kind == KIND_DEVICE && is_comparable(e) && !e->input->source.sum) {
		read_through(e->input->fd, c->len, &sum, NULL);
		e->input->source.sum = end_checksum(&sum);
	}
	if (r->bytes != c->len) return (struct verdict){ .outcome = MISMATCH, .at = min(r->bytes, c->len) };
	bool same = r->sum == e->input->source.sum || !is_comparable(e);
	return (struct verdict){ .outcome = same ? COPIED : MISMATCH, .at = -1 };
}

/* Signs of life for a receiver that is held, until that connection is shut down, or broken. */
static void *stay_alive(void *control_fd) {
	struct pollfd end = { .fd = *(int *)control_fd };
	while (poll(&end, 1, NET_TIMEOUT * 1000 / 4) == 0) send_line(end.fd, "alive\n");
	return NULL;
}

static void open_remote_receiver(struct endpoint *e) {
	const struct addrinfo *a = resolve("send", &e->opt->to);
	int *fd = &e->net.control_fd;
	struct line_reader r;
	while ((*fd = connect_to(a->ai_addr, a->ai_addrlen)) < 0 && a->ai_next) a = a->ai_next;
	int err = errno;
	struct words why = errno_text(err), to = address_text(a->ai_addr, a->ai_addrlen);
	e->net.address = a;
	errno = err;
	if (*fd < 0) die("%s: %s: %s: %s", e->label, to.s, within("connect", "connect within 5 s"), why.s);
	if (!send_line(*fd, HELLO "hold\n") || !read_answer(*fd, &r, ANSWER_TIMEOUT))
		die("%s: %s: is there, but does not answer as a receiver does%s: %s", e->label, to.s,
		    errno == ETIMEDOUT ? " (5 s), unless it is busy with a long stream" : "",
		    errno_text(errno).s);
	if (!strncmp(r.line, "busy ", 5))
		die("%s: %s: is busy with another sender, %s: wait for its end", e->label, to.s, r.line + 5);
	if (sscanf(r.line, "held %16" SCNx64, &e->net.token) != 1
	    || !is_just(r.line, "held %016" PRIx64, e->net.token))
		die("%s: %s: is no " PROGRAM " --receive of this version: start one there", e->label, to.s);
	if (!start_thread(&e->net.alive, stay_alive, &e->net.control_fd))
		die_errno(e->label, "pthread_create");
}

static int leave_receiver(struct endpoint *e) {
	struct line_reader r;
	int fd = e->net.control_fd, n = 0;
	if (fd < 0) return 0;
	bool answered = !e->net.lost && send_line(fd, "bye\n") && read_answer(fd, &r, ANSWER_TIMEOUT)
	    && sscanf(r.line, "bye %9d", &n) == 1 && n >= 0 && is_just(r.line, "bye %d", n);
	shutdown(fd, SHUT_RDWR);
	pthread_join(e->net.alive, NULL);
	close_fd(&e->net.control_fd);
	return answered ? n : 0;
}

/* The character devices of driver "mem" (Documentation/admin-guide/devices.txt, major 1). */
enum { MEM_NULL = 3, MEM_ZERO = 5, MEM_FULL = 7 };

static bool is_mem(const struct stat *st, unsigned device) {
	return S_ISCHR(st->st_mode) && major(st->st_rdev) == 1 && minor(st->st_rdev) == device;
}

/* Devices that take all and look at nothing: /dev/zero is written to as /dev/null is (drivers/char/mem.c). */
static bool is_blind(const struct stat *st) { return is_mem(st, MEM_NULL) || is_mem(st, MEM_ZERO); }

/* fstat(2), of a file that a server keeps not from memory (statx(2), AT_STATX_FORCE_SYNC; Linux 4.11). */
static bool stat_anew(int fd, struct stat *st) {
	uint32_t unused[64];
	syscall(SYS_statx, fd, "", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC, 0x20 /* STATX_ATIME */, unused);
	return !fstat(fd, st);
}

/* Is one file, pipe or socket behind both? stat(2) may show one file as two: above overlayfs or FUSE, through
 * NFS. They have one size, and what is set on one shows on the other: a time of access that no other program
 * sets, and every file system can keep (FAT: days, from 1980 on). It is put back, where we may set it; else
 * both times become the present (utimensat(2); bindfs); what can't be asked so is taken for the same. */
static bool is_same(int fd, int other) {
	struct timespec odd = { .tv_sec = 315532800 + now() / 1000 % 4000 * 172800 };
	struct stat a, b, marked, seen;
	if (fstat(fd, &a) || fstat(other, &b) || S_ISCHR(a.st_mode)) return false;
	if (a.st_dev == b.st_dev && a.st_ino == b.st_ino) return true;
	if (!S_ISREG(a.st_mode) || !S_ISREG(b.st_mode) || a.st_size != b.st_size || !stat_anew(fd, &a))
		return false;
	if (futimens(fd, (struct timespec[]){ odd, a.st_mtim })
	    && (sleep_until(now() + TICK), futimens(fd, NULL)))
		return a.st_size > 0;
	bool same = stat_anew(fd, &marked) && stat_anew(other, &seen)
	    && same_time(&marked.st_atim, &seen.st_atim) && !same_time(&seen.st_atim, &b.st_atim);
	futimens(fd, (struct timespec[]){ a.st_atim, a.st_mtim });
	return same;
}

/* Is that so of a file that has a name? "-": standard input. */
static bool is_behind(int fd, const char *name) {
	int file = strcmp(name, "-") ? open(name, O_PATH | O_CLOEXEC) : STDIN_FILENO;
	bool same = is_same(fd, file);
	if (file > STDIN_FILENO) close(file);
	return same;
}

/* Does a loop device lie on a file? It names that file, as the mounts were then, and its inode (loop(4)).
 * Where /sys does not have the name either, and the device is not ours to open, *known is false. */
static bool is_below_loop(int fd, const char *disk, const char *name, bool *known) {
	struct loop_info64 loop = { 0 };
	char device[80];
	struct stat st;
	snprintf(device, sizeof device, "/dev/%.32s", disk);
	int loop_fd = open(device, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	bool asked = loop_fd >= 0 && (!ioctl(loop_fd, LOOP_GET_STATUS64, &loop) || errno == ENXIO);
	close_fd(&loop_fd);
	*known &= asked || name;
	return is_behind(fd, name ? name : (const char *)loop.lo_file_name)
	    || (!fstat(fd, &st) && st.st_dev == loop.lo_device && st.st_ino == loop.lo_inode);
}

static bool backs_loop(int fd, bool *known) {
	char line[4000], disk[64];
	bool backs = false;
	glob_t paths;
	*known = true;
	if (!access("/sys/block", F_OK)) {
		if (glob("/sys/block/*/loop/backing_file", 0, NULL, &paths)) return false;
		for (size_t i = 0; i < paths.gl_pathc && !backs; i++)
			backs = read_line(paths.gl_pathv[i], line, sizeof line)
			    && sscanf(paths.gl_pathv[i], "/sys/block/%63[^/]", disk) == 1
			    && is_below_loop(fd, disk, line, known);
		globfree(&paths);
		return backs;
	}
	FILE *f = fopen("/proc/partitions", "re"); /* all disks that have a size */
	*known = f;
	while (f && !backs && fgets(line, sizeof line, f))
		if (sscanf(line, "%*u %*u %*u %63s", disk) == 1 && !strncmp(disk, "loop", 4))
			backs = is_below_loop(fd, disk, NULL, known);
	if (f) fclose(f);
	return backs;
}

/* The kernel maps no swap for writing (Linux 5.4; mm/mmap.c). */
static bool is_swap(int fd) {
	void *map = mmap(NULL, 1, PROT_WRITE, MAP_SHARED, fd, 0);
	if (map != MAP_FAILED) munmap(map, 1);
	return map == MAP_FAILED && errno == ETXTBSY;
}

/* Returns in words another use of a file, which writing would destroy; NULL: none. */
static const char *find_use(int fd) {
	struct stat st;
	bool known;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) return NULL;
	if (is_swap(fd)) return "is active swap: use another file";
	if (backs_loop(fd, &known)) return "is what a loop device lies on: use another file";
	return known || st.st_size == 0 ? NULL : "holds data, and neither /sys nor /proc says whether a loop "
	    "device lies on it: empty or remove it first, or mount /proc or /sys";
}

static bool is_harmful(const struct stat *st) {
	return S_ISCHR(st->st_mode) && !is_blind(st) && !is_mem(st, MEM_FULL);
}

static void check_device(const char *label, const struct stat *st) {
	if (is_harmful(st))
		die("%s: is a character device, which a copy may harm: use a file, /dev/null, zero or full, "
		    "or --into='cat >/dev/...'", label);
}

/* Refuses what a copy or a report would destroy, or send to hardware. */
static void check_use(const char *label, int fd) {
	const char *use = find_use(fd);
	struct stat st;
	if (use) die("%s: %s", label, use);
	if (fstat(fd, &st)) return;
	if (S_ISBLK(st.st_mode)) die("%s: is a block device: use a file", label);
	if (!isatty(fd)) check_device(label, &st);
}

static bool lies_on(int fd, dev_t disk, int depth, bool *known);

/* The disk that a device is a partition of; or the device. */
static dev_t find_disk(dev_t dev) {
	char text[32];
	unsigned maj, min;
	bool partition = read_device(dev, "partition", text, sizeof text)
	    && read_device(dev, "../dev", text, sizeof text) && sscanf(text, "%u:%u", &maj, &min) == 2;
	return partition ? makedev(maj, min) : dev;
}

/* True if a device is the disk, a partition of it, or the disk that it is a partition of; or if one of those
 * that the device is mapped to is, or the one that has a loop device's file. */
static bool is_device_on(dev_t dev, dev_t disk, int depth, bool *known) {
	char file[2048];
	dev_t below;
	bool on = dev == disk || find_disk(dev) == disk || dev == find_disk(disk);
	if (on || depth == 0) return on;
	for (size_t i = 0; !on && find_slave(dev, i, &below); i++)
		on = is_device_on(below, disk, depth - 1, known);
	if (on || !read_device(dev, "loop/backing_file", file, sizeof file)) return on;
	int fd = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	on = fd >= 0 && lies_on(fd, disk, depth - 1, known);
	close_fd(&fd);
	return on;
}

/* True if a file's file system lies on a disk. st_dev says it, but on btrfs, which may have several devices,
 * and on overlayfs, which has those of its upper layer. Where that can't be opened, as in a container, *known
 * becomes false. */
static bool lies_on(int fd, dev_t disk, int depth, bool *known) {
	static struct btrfs_ioctl_dev_info_args one;
	struct btrfs_ioctl_fs_info_args fs = { 0 };
	struct stat st;
	struct mount m;
	char line[4000], *upper;
	bool on = false;
	if (fstat(fd, &st)) return false;
	if (major(st.st_dev)) return is_device_on(st.st_dev, disk, depth, known);
	if (!ioctl(fd, (int)BTRFS_IOC_FS_INFO, &fs)) {
		for (uint64_t id = 1; id <= fs.max_id && !on; id++) {
			one = (struct btrfs_ioctl_dev_info_args){ .devid = id };
			on = !ioctl(fd, (int)BTRFS_IOC_DEV_INFO, &one) && !stat((char *)one.path, &st)
			    && is_device_on(st.st_rdev, disk, depth, known);
		}
		return on;
	}
	if (!find_mount(fd, &m, line, sizeof line)) return false;
	if (!stat(m.source, &st) && S_ISBLK(st.st_mode)) return is_device_on(st.st_rdev, disk, depth, known);
	upper = strcmp(m.type, "overlay") || !depth ? NULL : strstr(m.options, ",upperdir=");
	if (!upper) return false;
	upper += strlen(",upperdir=");
	upper[strcspn(upper, ",")] = '\0';
	unescape(upper);
	int layer = open(upper, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	*known &= layer >= 0;
	on = layer >= 0 && lies_on(layer, disk, depth - 1, known);
	close_fd(&layer);
	return on;
}

/* A copy of a disk onto a file system that is on it would copy what it changes, and fill it. A disk that can
 * be opened with O_EXCL has none that is mounted (open(2)); which it has otherwise /sys says. */
static void check_disk(const struct endpoint *e, const struct endpoint *input) {
	dev_t disk = input->st.st_rdev;
	int fd = reopen(input->fd, O_RDONLY | O_EXCL);
	bool is_free = fd >= 0, known = !access("/sys/dev/block", F_OK);
	close_fd(&fd);
	if (lies_on(e->fd, disk, 16, &known))
		die("%s: is on a file system that lies on the input: use another one", e->label);
	if (!is_free && !known && !is_in_memory(e->fd))
		die("%s: may be on a file system that lies on the input: use another one, or mount /sys, "
		    "which tells", e->label);
}

static void open_file_source(struct endpoint *e) {
	e->source.size = S_ISBLK(e->st.st_mode) ? lseek(e->fd, 0, SEEK_END) : e->st.st_size;
	if (e->source.size < 0) die_errno(e->label, "lseek");
}

static void open_device_source(struct endpoint *e) {
	e->source.repeatable = is_mem(&e->st, MEM_ZERO) || is_mem(&e->st, MEM_FULL);
	e->source.size = is_mem(&e->st, MEM_NULL) ? 0 : -1;
}

/* The shell's > opens for writing only, so an output is read back through /proc. */
static void open_file(struct endpoint *e) {
	int fd = e->opt->until == UNTIL_CLOSE ? reopen(e->fd, O_WRONLY) : -1;
	if (e->opt->until == UNTIL_CLOSE && fd < 0)
		die("%s: can't be opened anew to be closed inside the clock: open /proc/self/fd/%d: %s, "
		    "mount /proc, or use another --until", e->label, e->fd, strerror(errno));
	close_fd(&fd);
	if (e->opt->no_verify) return;
	e->file.verify_fd = reopen(e->fd, O_RDONLY);
	if (e->file.verify_fd < 0 && (e->flags & O_ACCMODE) == O_RDWR) e->file.verify_fd = e->fd;
	if (e->file.verify_fd < 0)
		die("%s: can't be read back to verify the copies: open /proc/self/fd/%d: %s, mount /proc, or "
		    "use --no-verify", e->label, e->fd, errno_text(errno).s);
}

static void open_socket(struct endpoint *e) {
	struct sockaddr_storage peer;
	socklen_t size = sizeof(int), peer_size = sizeof peer;
	int type = 0, held, *family = &e->net.family;
	e->net.silent = ioctl(e->fd, SIOCOUTQ, &held);
	if (getsockopt(e->fd, SOL_SOCKET, SO_DOMAIN, family, &size)
	    || getsockopt(e->fd, SOL_SOCKET, SO_TYPE, &type, &size))
		die_errno(e->label, "getsockopt");
	if (type != SOCK_STREAM)
		die("%s: is a socket of packets, which no copy fits: use a stream (SOCK_STREAM)", e->label);
	if (getpeername(e->fd, (struct sockaddr *)&peer, &peer_size))
		die("%s: is a socket that is not connected: getpeername: %s (%s): connect it first", e->label,
		    errno_fact(errno)->name, strerror(errno));
}

static char *describe_file(const struct endpoint *e, struct place *p) {
	if (e->ops->kind == KIND_BLOCK) find_device(e->st.st_rdev, p, 8);
	else if (is_mem(&e->st, MEM_NULL)) add_name(p, "/dev/null");
	else if (is_mem(&e->st, MEM_ZERO)) add_name(p, "/dev/zero");
	else if (e->ops->kind == KIND_DEVICE)
		add_name(p, "device %u:%u", major(e->st.st_rdev), minor(e->st.st_rdev));
	else find_place(e->fd, p, 8);
	return print_text("%s on %s%s%s%s", e->ops->name, *p->name ? p->name : "an unknown file system",
	    p->medium ? ", " : "", p->virtual ? "virtual " : "", p->medium ? p->medium : "");
}

static char *describe_pipe(const struct endpoint *e, struct place *p) {
	const char *spool = e->source.spool;
	add_name(p, "%s", e->ops->name);
	return print_text("%s%s%s%s", e->ops->name, spool ? ", read ahead into " : "", spool ? spool : "",
	    spool ? ", and fed to each run through a pipe" : "");
}

static char *describe_command(const struct endpoint *e, struct place *p) {
	add_name(p, strlen(e->command) > 30 ? "command %.27s..." : "command %s", e->command);
	return print_text("command: %s", e->command);
}

static char *describe_socket(const struct endpoint *e, struct place *p) {
	struct sockaddr_storage peer = { .ss_family = AF_UNSPEC };
	socklen_t size = sizeof peer;
	getpeername(e->fd, (struct sockaddr *)&peer, &size);
	add_name(p, "socket %s", e->net.family == AF_UNIX ? "(UNIX)" : address_text(&peer, size).s);
	return print_text("%s", p->name);
}

static char *describe_receiver(const struct endpoint *e, struct place *p) {
	const struct addrinfo *a = e->net.address;
	struct words to = a ? address_text(a->ai_addr, a->ai_addrlen) : (struct words){ "loopback" };
	add_name(p, "TCP to %s", to.s);
	return print_text("TCP connection %s%s%s", a ? "to --receive at " : "on ", to.s,
	    a ? "" : ", to a receiver of its own");
}

#define FEEDER "the process that feeds the pipe"
#define ONCE \
	"all bytes once a row, in one more run, whose output a process of this program's reads and compares"
#define STREAM .finish = finish_stream, .cleanup = cleanup_stream, .verify = verify_stream, .check = true, \
	.verified = ONCE, .unverified = "nothing"
#define RECEIVER .name = "TCP connection", KIND_SOCKET, .finish = finish_receiver, \
	.cleanup = cleanup_stream, .verify = verify_receiver, .describe = describe_receiver, \
	.child = "the receiver", \
	.cut = "the last stream was not answered", \
	.until = "the receiver had said how many bytes it has, and their checksum", \
	.verified = "the number of bytes and the checksum (XXH64) of each copy, by the receiver", \
	.unverified = "the number of bytes of each copy only, by the receiver"

/* What has no entry here is refused at the start. */
static const struct endpoint_ops sources[] = {
	{ "file", KIND_FILE, S_IFREG, .open = open_file_source, .prepare = prepare_file_source,
	  .cleanup = cleanup_file_source, .describe = describe_file },
	{ "block device", KIND_BLOCK, S_IFBLK, .open = open_file_source, .prepare = prepare_file_source,
	  .cleanup = cleanup_file_source, .describe = describe_file },
	{ "character device", KIND_DEVICE, S_IFCHR, .open = open_device_source,
	  .cleanup = cleanup_file_source, .describe = describe_file },
	{ "pipe", KIND_PIPE, S_IFIFO, .prepare = prepare_feeder, .finish = finish_fed_source,
	  .cleanup = cleanup_feeder, .describe = describe_pipe, .child = FEEDER },
	{ "socket", KIND_PIPE, S_IFSOCK, .prepare = prepare_feeder, .finish = finish_fed_source,
	  .cleanup = cleanup_feeder, .describe = describe_pipe, .child = FEEDER },
	{ "command", KIND_PIPE, .option = "from", .prepare = prepare_command,
	  .finish = finish_fed_source, .cleanup = cleanup_command_source, .describe = describe_command },
};
static const struct endpoint_ops sinks[] = {
	{ "file", KIND_FILE, S_IFREG, .open = open_file, .prepare = prepare_file, .finish = finish_file,
	  .cleanup = cleanup_file, .verify = verify_file, .describe = describe_file,
	  .verified = "the size of each copy, and all bytes once a row",
	  .unverified = "the size of each copy only" },
	{ "character device", KIND_DEVICE, S_IFCHR, .describe = describe_file },
	{ "pipe", KIND_PIPE, S_IFIFO, .prepare = prepare_stream, STREAM, .describe = describe_pipe,
	  .cut = "the last copy in the pipe may not be whole", .until = "the pipe's reader had emptied it" },
	{ "socket", KIND_SOCKET, S_IFSOCK, .open = open_socket, .prepare = prepare_stream, STREAM,
	  .describe = describe_socket, .cut = "the last copy in the socket may not be whole",
	  .until = "the socket's other side had all" },
	{ "command", KIND_PIPE, .option = "into", .prepare = prepare_command, STREAM,
	  .describe = describe_command, .cut = "the command was terminated",
	  .until = "the command had ended" },
	{ RECEIVER, .option = "send", .open = open_own_receiver, .prepare = prepare_own_receiver },
	{ RECEIVER, .option = "send=HOST", .open = open_remote_receiver, .prepare = prepare_remote_receiver },
};

/* Operations for a type of file, or for an option; NULL: none, it can't be used. */
static const struct endpoint_ops *find_ops(bool is_sink, mode_t type, const char *option) {
	const struct endpoint_ops *ops = is_sink ? sinks : sources,
	    *end = ops + (is_sink ? LENGTH(sinks) : LENGTH(sources));
	for (; ops < end; ops++)
		if (option ? ops->option && !strcmp(option, ops->option) : !ops->option && ops->type == type)
			return ops;
	return NULL;
}

static bool is_file(const struct endpoint *e) { return e->ops->kind == KIND_FILE; }

static const char *type_name(mode_t mode) {
	return S_ISDIR(mode) ? "a directory" : S_ISBLK(mode) ? "a block device" : S_ISSOCK(mode) ? "a socket"
	    : "of an unknown type";
}

static void check_end(struct endpoint *e, bool closed, int unwanted_mode) {
	if (closed) errno = EBADF;
	if (closed || fstat(e->fd, &e->st)) die_errno(e->label, "fstat");
	e->flags = fcntl(e->fd, F_GETFL);
	if (e->flags < 0) die_errno(e->label, "fcntl F_GETFL");
	if (!e->ops)
		die("%s: is %s: %s", e->label, type_name(e->st.st_mode),
		    e->option ? "name a file" : "redirect a file: " PROGRAM " <INPUT >OUTPUT");
	if ((S_ISFIFO(e->st.st_mode) || S_ISSOCK(e->st.st_mode)) && unwanted_mode == O_RDONLY
	    && e->flags & O_NONBLOCK)
		die("%s: is a %s that does not block (O_NONBLOCK): open it without, or put \"| cat\" behind",
		    e->label, e->ops->name);
	if (isatty(e->fd))
		die("%s: is a terminal: %s", e->label, e->option ? "name a file"
		    : "redirect it: " PROGRAM " <INPUT >OUTPUT (see --help)");
	if ((e->flags & O_ACCMODE) == unwanted_mode || e->flags & O_PATH)
		die("%s: is open for %s only: redirect it: " PROGRAM " <INPUT >OUTPUT", e->label,
		    e->flags & O_PATH ? "fstat" : unwanted_mode == O_WRONLY ? "writing" : "reading");
}

static void open_source(struct endpoint *e, bool closed) {
	bool null = is_mem(&e->st, MEM_NULL);
	if (!e->option) check_end(e, closed, O_WRONLY);
	if (e->opt->cold && !(e->ops->kind & (KIND_FILE | KIND_BLOCK)))
		die("%s: is a %s, which has no page cache to drop: leave out --cold", e->label, e->ops->name);
	e->source.repeatable = true;
	e->source.bytes = e->fd;
	if (e->ops->kind == KIND_PIPE) return; /* its size is known when it has been read */
	e->ops->open(e);
	if (e->source.size == 0 && !null && is_same(e->fd, STDOUT_FILENO))
		die("%s: the shell has emptied it before we were started: input and output are the same "
		    "file: use another output", e->label);
	if (e->source.size == 0)
		die("%s: is empty, or of unknown size: give it bytes to copy", e->label);
	if (e->source.size < 0 && !e->opt->size)
		die("%s: has no end: use --size=SIZE to copy a part of it", e->label);
}

/* An output is emptied before each run: what it holds must not be lost. */
static void check_precious(const struct endpoint *e) {
	check_use(e->label, e->fd);
	if (e->flags & O_APPEND)
		die("%s: is open for append: emptying it before each run would destroy what it holds: "
		    "redirect with > instead of >>", e->label);
	if (is_file(e) && lseek(e->fd, 0, SEEK_CUR) > 0)
		die("%s: has been written to before (its offset is not 0), which the copy would destroy: "
		    "redirect to a file of its own", e->label);
}

static void open_sink(struct endpoint *e, struct endpoint *input, bool closed) {
	e->input = input;
	e->file.random = now();
	if (!e->ops || !e->ops->option) {
		check_end(e, closed, O_RDONLY);
		check_precious(e);
	}
	if (e->ops->kind != KIND_SOCKET && is_same(e->fd, input->fd))
		die("%s: is the input: copy to another %s", e->label, e->ops->name);
	if (is_file(e) && input->ops->kind == KIND_BLOCK) check_disk(e, input);
	if (e->ops->open) e->ops->open(e);
}

/* Without touching what is in it. One that was not there stays, empty, as with tee(1). */
static void open_second(struct endpoint *e, const struct endpoint *first, struct endpoint *input) {
	struct stat st;
	if (!stat(e->opt->tee, &st)) {
		if (!find_ops(true, st.st_mode & S_IFMT, NULL))
			die("%s: is %s: name a file", e->label, type_name(st.st_mode));
		check_device(e->label, &st); /* not even to be opened */
	}
	e->fd = e->copy_fd = open(e->opt->tee, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
	if (e->fd < 0 || fstat(e->fd, &e->st)) die_errno(e->label, "open");
	if (is_same(STDERR_FILENO, e->fd)) exit(EXIT_REFUSED); /* a message would go there */
	e->ops = find_ops(true, e->st.st_mode & S_IFMT, NULL);
	open_sink(e, input, false);
	if (is_same(e->fd, first->fd)) die("%s: is %s, too: name another file", e->label, first->label);
}

/* ---- Rows: their names, the ends that they fit, which are run ------------------------------- */

#define LARGE " (pipe 1m)" /* PIPE_LARGE: ends the name of a row whose pipes are of that size */
#define NAMES_SHOWN 3      /* in a sentence */
#define BS_UNKNOWN 4096    /* for a file system that reports no block size */
#define BY_NAME_MOST (16 * M) /* bytes that a row too slow for --all may copy: a quarter of a minute */

static char *row_name(const struct strategy *strategy, const struct advice *a, bool large) {
	return print_line("%s%s%s%s", strategy->name, *a->name ? " + " : "", a->name, large ? LARGE : "");
}

/* The ends that rows are to fit, as far as they are known. */
struct ends {
	unsigned in, out[2]; /* kinds */
	unsigned outs;       /* numbers of outputs, as bits */
	int64_t bs;          /* bytes in a block of the output's file system; 0: not known */
	bool holes, cold;    /* the input has holes; it is evicted before each run */
};

static unsigned kinds(unsigned named) { return named ? named : (unsigned)KIND_ANY; }
static unsigned outs(const struct strategy *row) { return row->outs ? row->outs : ONE; }
static unsigned with_all(const struct strategy *row) { return row->with_all ? row->with_all : EVERY; }

/* Can the strategy be tried with the advice between these ends? The advice may be for some of them. */
static bool fits(const struct strategy *strategy, int advice, const struct ends *ends) {
	unsigned in = kinds(strategy->in) & advices[advice].in,
	    out = kinds(strategy->out) & advices[advice].out;
	bool both = out & ends->out[1] && (!(outs(strategy) & BACK) || ends->out[0] & KIND_FILE);
	return with_all(strategy) & 1U << advice && in & ends->in && out & ends->out[0]
	    && (ends->cold || !advices[advice].cold)
	    && (outs(strategy) & ends->outs & ONE || (outs(strategy) & ends->outs & TWO && both));
}

/* Of a block; 0: as many as a call takes. */
static int64_t bytes_of(const struct strategy *strategy, int64_t bs) {
	return strategy->block < 0 ? -strategy->block * bs : strategy->block;
}

static const char *missing(const struct strategy *strategy, int advice, const struct ends *ends) {
	unsigned out = kinds(strategy->out);
	if (advices[advice].cold && !ends->cold) return "--cold";
	if (!(outs(strategy) & ends->outs)) return ends->outs == ONE ? "--tee=FILE" : "one output";
	return out & ends->out[0] ? "another input" : out & KIND_PIPE ? "a pipe (--into, or | COMMAND)"
	    : out & KIND_FILE ? "a file as output" : "a socket (--send)";
}

/* A row that is too slow for a pattern is only meant by one without wildcards. */
static bool is_named(const struct list *globs, const char *name) {
	for (int i = 0; i < globs->n; i++)
		if (!strcmp(globs->item[i], name)) return true;
	return false;
}

static bool matches(const struct list *globs, const char *name, bool *used) {
	bool found = false;
	for (int i = 0; i < globs->n; i++)
		if (!fnmatch(globs->item[i], name, 0)) found = used[i] = true;
	return found;
}

/* Is it run where nothing is selected? At pipes and sockets without advice, if it can do without. */
static bool is_default(const struct strategy *strategy, int advice, const struct ends *ends) {
	unsigned streams = (ends->in == KIND_PIPE ? FROM : 0)
	    | (ends->out[0] == KIND_PIPE ? INTO : ends->out[0] == KIND_SOCKET ? NET : 0);
	unsigned simple = with_all(strategy) & PLAIN ? PLAIN : TRUNC | FALLOC;
	unsigned usual = strategy->by_default | (ends->cold && strategy->by_default & ADVICES ? COLD : 0);
	if (!ends->holes && strategy->if_holes) return false;
	if (!streams || ends->outs != ONE) return usual & 1U << advice;
	return (strategy->streams & streams) == streams && simple & 1U << advice;
}

/* Ends the program: a pattern matches no row. Names a row that it matches with other options or ends, or rows
 * whose names begin as it does. */
__attribute__((noreturn)) static void die_unmatched(const struct options *o, const char *option,
    const char *glob, const struct ends *ends) {
	size_t same = min(strcspn(glob, "*?["), 4);
	const char *needed = NULL;
	char *unfit = NULL;
	struct text near;
	int n = 0;
	begin_text(&near);
	for (int i = 0; i < LENGTH(strategies) * LENGTH(advices); i++) {
		const struct strategy *strategy = &strategies[i / LENGTH(advices)];
		int advice = i % LENGTH(advices);
		char *name = row_name(strategy, &advices[advice], false);
		bool matched = with_all(strategy) & 1U << advice && !fnmatch(glob, name, 0);
		bool fitting = fits(strategy, advice, ends);
		if (matched && fitting && !strategy->by_name && !o->all)
			die("--%s=%s: matches no row that would be run: with --all: %s", option, glob, name);
		if (matched && !fitting && !unfit) {
			needed = missing(strategy, advice, ends);
			unfit = print_text("%s", name);
		}
		bool alike = same && advice == 0 && !strncmp(name, glob, same);
		if ((alike || (matched && fitting)) && n++ < NAMES_SHOWN)
			fprintf(near.f, "%s%s", n > 1 ? ", " : "", name);
		free(name);
	}
	end_text(&near);
	if (unfit)
		die("--%s=%s: matches no row for these ends: %s needs %s", option, glob, unfit, needed);
	if (n) die("--%s=%s: matches no row: near it: %s", option, glob, near.chars);
	die("--%s=%s: matches no row: " PROGRAM " --list --all names them", option, glob);
}

static void choose_rows(struct report *rep, const struct options *o, const struct ends *ends) {
	bool *selected = allocate(o->select.n, sizeof *selected);
	bool *excluded = allocate(o->exclude.n, sizeof *excluded);
	bool piped = ends->in == KIND_PIPE || ends->out[0] == KIND_PIPE
	    || (ends->outs == TWO && ends->out[1] == KIND_PIPE);
	int sizes = piped ? 2 : 1, n = LENGTH(strategies) * LENGTH(advices) * sizes;
	rep->rows = allocate(n + o->with.n, sizeof *rep->rows);
	for (int i = 0; i < n; i++) {
		const struct strategy *strategy = &strategies[i / sizes / LENGTH(advices)];
		int advice = i / sizes % LENGTH(advices);
		struct result r = { .strategy = strategy, .advice = &advices[advice], .large = i % sizes };
		if (!(with_all(strategy) & 1U << advice)) continue;
		r.name = row_name(strategy, r.advice, r.large);
		bool is_name = is_named(&o->select, r.name);
		bool skipped = strategy->by_name && (o->mode != LIST || o->select.n);
		bool wanted = is_name || (!skipped && (o->all || is_default(strategy, advice, ends)));
		wanted = wanted && fits(strategy, advice, ends)
		    && (!o->select.n || matches(&o->select, r.name, selected));
		wanted = !matches(&o->exclude, r.name, excluded) && wanted;
		if (wanted) rep->rows[rep->nrows++] = r;
		else free((char *)r.name);
	}
	for (int i = 0; i < o->with.n; i++)
		rep->rows[rep->nrows++] = (struct result){ .name = print_line("$ %s", o->with.item[i]),
		    .strategy = &command_row, .advice = advices, .command = o->with.item[i] };
	for (int i = 0; i < o->select.n; i++)
		if (!selected[i]) die_unmatched(o, "select", o->select.item[i], ends);
	for (int i = 0; i < o->exclude.n; i++)
		if (!excluded[i]) die_unmatched(o, "exclude", o->exclude.item[i], ends);
	if (!rep->nrows) die("no row is left: --select less narrowly, --exclude less, or redirect to a file");
	free(selected);
	free(excluded);
	sort_rows(rep);
}

static void print_list(FILE *f, const struct report *s) {
	int width = 0, buffered = 0; /* rows by io_uring */
	for (int i = 0; i < s->nrows; i++) width = (int)max(width, strlen(s->rows[i].name));
	for (int i = 0; i < s->nrows; i++) {
		const struct strategy *row = s->rows[i].strategy;
		fprintf(f, "%-*s  %-16s %-6s %s\n", width, s->rows[i].name, row->calls,
		    row->since ? row->since : "-", row->used_by ? row->used_by : "-");
		buffered += row->needs & RINGS && !(row->needs & (DIRECT_IN | PIPE));
	}
	if (buffered)
		fprintf(f, "  io_uring: on ext4 and tmpfs worker threads of the kernel do buffered writes;\n"
		    "  only XFS and btrfs take them asynchronously.\n");
}

/* ---- Runner: one run; what became of it; rounds; the race; the copy that stays -------------- */

#define THROWN_MAX 100          /* runs in a row that were stopped, before the row fails */
#define SAMPLES_KEPT 1000       /* runs of a row that there is memory for from the start; so many are rare */
#define MEMORY_SHARE 4          /* of memory, a quarter for what we keep there */
#define DISK_SPARE 64           /* of a file system, 1/64 that a spool leaves free */
#define PROGRESS_STEP (100 * MILLISECOND) /* between two looks at how far reading ahead has come */
#define CPU_STEPS 20            /* steps of the clock of CPU time that a run has to last, to have any */
#define PROGRESS_NAME 34        /* characters of a row's name in the progress line */

/* What the machine did meanwhile, of the kind that only grows. */
struct interference {
	int64_t ticks, stolen;        /* CPU time in all, and taken by the hypervisor, clock ticks */
	int64_t throttled;            /* times that a CPU was slowed down for its heat */
	int64_t swapped;              /* pages swapped out or in */
};

/* What is behind standard input and output, and what is measured between them. */
struct session {
	struct options opt;
	struct report report, *read;  /* what is measured here, or was read from files */
	unsigned closed;              /* which of descriptors 0 to 2 were closed, as bits */
	struct endpoint in, out[2], *end[3]; /* end: these, in this order */
	int nout;                     /* how many outputs there are */
	int64_t bs;                   /* bytes in a block of the output's file system */
	int thrown;                   /* runs that were stopped: repeated */
	int nplanned;                 /* runs that are still thought to be wanted, and done */
	int64_t started;              /* clock at the first run, nanoseconds */
	uint64_t random;              /* state of the shuffle */
	void (*run)(struct session *, struct result *, int round); /* run_row(), or the tests' */
	struct result *last;          /* whose copy the output holds; NULL: no row's */
	bool last_compared;           /* and its bytes have been compared */
	bool changed;                 /* the input is not what it was */
	int strangers;                /* other connections that came to the receiver */
	int64_t holes, zeros;         /* bytes of the input in holes, and of pages that are all zero */
	const struct result *by_server; /* it left no byte in our page cache (NFS 4.2, SMB); NULL: none */
	const struct result *partly_direct; /* a direct row that left some in the page cache; NULL: none */
	int64_t cpu_step;             /* of the clock of CPU time, nanoseconds */
	struct interference before;   /* at the first run */
	int64_t reset_ns;             /* that preparing the ends took before the last run */
	double dirty;                 /* most dirty memory after a run, where writers are throttled being 1 */
	int counters[COUNTERS];       /* descriptors; -1: the kernel gives none */
	int counters_err;             /* the errno that it said then */
};

static struct ends all_ends(const struct session *s) {
	unsigned second = s->nout > 1 ? s->out[1].ops->kind : KIND_ANY;
	return (struct ends){ s->in.ops->kind, { s->out[0].ops->kind, second }, .outs = 1U << s->nout,
	    .bs = s->bs, .holes = s->holes > 0, .cold = s->opt.cold };
}

static bool has_file(const struct session *s) {
	return is_file(&s->out[0]) || (s->nout > 1 && is_file(&s->out[1]));
}

/* User and system time of this process, its threads, and its commands that have ended, nanoseconds. */
static int64_t cpu_time(void) {
	struct rusage commands;
	getrusage(RUSAGE_CHILDREN, &commands);
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID) + used_ns(&commands);
}

/* Returns the step of that clock, nanoseconds: 10 ms on some kernels (user-mode Linux); 0: below 1 ms. */
static int64_t find_cpu_step(void) {
	int64_t first = 0, ns = 0, end = now() + SECOND / 10;
	for (int steps = 0; steps < 2 && now() < end; steps++)
		for (first = ns = cpu_time(); ns == first && now() < end; ns = cpu_time()) {}
	if (ns == first) return SECOND; /* it stands still: nothing is known */
	return ns - first > MILLISECOND ? ns - first : 0; /* else that is the call itself */
}

/* To add a counter: raise COUNTERS, add it here, as perf_event_open(2) has it, and to columns[]. */
static const struct {
	unsigned type, config;
} counters[COUNTERS] = {
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
};

/* Opens the counters, standing still: inherited, so that threads and commands count too. */
static void open_counters(struct session *s) {
	for (int i = 0; i < COUNTERS; i++) {
		struct perf_event_attr attr = { .size = sizeof attr, .type = counters[i].type,
		    .disabled = 1, .inherit = 1, .config = counters[i].config,
		    .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING };
		s->counters[i] = -1;
		if (!s->opt.counters) continue;
		s->counters[i] = syscall(SYS_perf_event_open, &attr, 0, -1, -1, (long)PERF_FLAG_FD_CLOEXEC);
		if (s->counters[i] < 0) s->counters_err = errno;
	}
}

struct count {
	uint64_t value, enabled, running; /* enabled, running: nanoseconds */
};

/* Reads them, and lets them run, or stops them before. What ended children counted can't be set back. */
static void read_counters(const struct session *s, struct count counts[COUNTERS], bool run) {
	for (int i = 0; i < COUNTERS; i++) {
		if (s->counters[i] < 0) continue;
		if (!run) ioctl(s->counters[i], PERF_EVENT_IOC_DISABLE, 0);
		if (read(s->counters[i], &counts[i], sizeof counts[i]) != sizeof counts[i])
			counts[i] = (struct count){ 0 };
		if (run) ioctl(s->counters[i], PERF_EVENT_IOC_ENABLE, 0);
	}
}

/* What was counted between two readings, scaled up where the processor had to share its few counters. */
static void take_counts(const struct session *s, struct sample *x, const struct count before[COUNTERS]) {
	struct count after[COUNTERS];
	read_counters(s, after, false);
	for (int i = 0; i < COUNTERS; i++) {
		x->counts[i] = -1;
		if (s->counters[i] < 0 || after[i].running <= before[i].running) continue;
		double value = (double)(after[i].value - before[i].value);
		double enabled = (double)(after[i].enabled - before[i].enabled);
		x->counts[i] = (int64_t)(value * enabled / (double)(after[i].running - before[i].running)
		    + 0.5);
	}
}

static bool advise(struct copy *c, const struct advice *advice) {
	errno = advice->hint ? advice->hint(c->in, c->len) : 0;
	if (errno) return failed(c, advice->reserve ? "posix_fadvise" : advice->call);
	for (int i = 0; advice->reserve && i < c->nout; i++)
		while (advice->reserve(c->out[i], c->len) < 0)
			if (!interrupted(-1)) return failed_out(c, i, advice->call);
	return true;
}

/* The copy of a row; its ends are known when they are prepared. */
static struct copy new_copy(const struct session *s, const struct result *r, struct resources *res,
    struct child *child) {
	int64_t len = s->report.len;
	*child = no_child;
	*res = (struct resources){ .pipe = { -1, -1 }, .helper = { -1, -1 }, .reopened = { -1, -1 },
	    .completions = -1, .copied = -1, .resident = -1, .command = r->command, .second = s->opt.tee,
	    .child = child };
	return (struct copy){ .in = -1, .out = { -1, -1 }, .nout = s->nout,
	    .len = len, .res = res, .whole = len == s->in.source.size,
	    .hints = r->advice->hint == hint_fadvise, .into_socket = s->out[0].ops->kind == KIND_SOCKET,
	    .block = bytes_of(r->strategy, s->bs), .may_share = r->strategy->may_share, .failure.out = -1 };
}

static bool prepare_end(struct endpoint *e, struct copy *c, bool large) {
	e->refused = e->source.left = false;
	e->copy_fd = e->fd;
	e->child = no_child;
	e->pipe_size = large ? PIPE_LARGE : PIPE_DEFAULT;
	e->net.receipt.bytes = -1;
	return e->checking ? prepare_check(e, c) : !e->ops->prepare || e->ops->prepare(e, c);
}

static void cleanup_end(struct endpoint *e) {
	if (e->fd >= 0) fcntl(e->fd, F_SETFL, e->flags); /* a command may have changed them, as dd does */
	if (e->ops->cleanup) e->ops->cleanup(e);
}

/* Dirty bytes of the outputs; -1: not known (overlayfs has no pages of its own). */
static int64_t count_dirty(const struct session *s) {
	int64_t n = has_file(s) ? 0 : -1;
	struct cached cached;
	struct statfs fs;
	for (int i = 0; i < s->nout; i++) {
		if (!is_file(&s->out[i])) continue;
		if (fstatfs(s->out[i].fd, &fs) || (uint32_t)fs.f_type == OVERLAYFS_SUPER_MAGIC
		    || !ask_cache(s->out[i].fd, s->report.len, &cached))
			return -1;
		n += min(cached.dirty * sysconf(_SC_PAGESIZE), s->report.len);
	}
	return n;
}

/* Bytes of a file's beginning that are in holes, by lseek(2), SEEK_DATA; 0 where that is refused. */
static int64_t count_holes(int fd, int64_t len) {
	int64_t holes = 0, start = lseek(fd, 0, SEEK_CUR);
	for (int64_t i = 0, at = 0; i < 10000 && at >= 0 && at < len; i++) {
		int64_t data = lseek(fd, at, SEEK_DATA);
		data = data < 0 && errno == ENXIO ? len : min(data, len);
		holes = data < 0 ? 0 : holes + data - at;
		at = data < len ? lseek(fd, data, SEEK_HOLE) : len;
	}
	lseek(fd, start, SEEK_SET);
	return holes;
}

/* Between the two readings of the clock: set-up, the advice, the copy and what the ends are waited for. */
static int64_t time_copy(struct session *s, const struct result *r, struct copy *c, struct sample *x) {
	struct count counts[COUNTERS];
	read_counters(s, counts, true);
	int64_t cpu = cpu_time(), start = now();
	bool ready = set_up(c, r->strategy->needs);
	x->setup_ns = now() - start;
	if (ready) start_child(&s->in.child, true);
	int64_t copied = ready && advise(c, r->advice) ? r->strategy->copy(c) : total(c);
	for (int i = 0; i <= s->nout && copied >= 0; i++)
		if (s->end[i]->ops->finish && !s->end[i]->ops->finish(s->end[i], c)) copied = total(c);
	x->ns = max(1, now() - start); /* a coarse clock may not have gone on */
	x->cpu_ns = cpu_time() - cpu;
	for (int i = 0; i < s->nout; i++)
		x->cpu_ns -= s->out[i].child.cpu_ns; /* a child's is not the row's */
	if (x->ns < CPU_STEPS * s->cpu_step) x->cpu_ns = -1; /* chance */
	take_counts(s, x, counts);
	if (copied >= 0 && is_file(&s->out[0]) && (r->strategy->needs & DIRECT_OUT || c->may_share))
		c->res->resident = ask_resident(&s->out[0], c->len);
	x->dirty = count_dirty(s);
	return copied;
}

/* A pause, of which up to a half is left for emptying the output, as long as that took last time. */
static void rest(const struct session *s, int64_t pause) {
	sleep_until(now() + max(pause / 2, pause - s->reset_ns));
}

/* One copy by a row. It rests with the last copy in place: memory that is free may become the host's. */
static int64_t copy_once(struct session *s, const struct result *r, struct copy *c, struct sample *x,
    int64_t pause) {
	int64_t copied = 0;
	char second[64];
	bool ready = true;
	for (int i = 0; i <= s->nout; i++) s->end[i]->child = no_child; /* that of the run before */
	rest(s, pause);
	int64_t start = now();
	for (int i = 0; i <= s->nout && ready; i++) {
		ready = prepare_end(s->end[i], c, r->large);
		*(i ? &c->out[i - 1] : &c->in) = s->end[i]->copy_fd;
	}
	c->res->sends = &s->out[0].net.sends;
	s->reset_ns = x->reset_ns = now() - start;
	x->resident = s->opt.cold ? s->in.source.resident : -1;
	snprintf(second, sizeof second, "/proc/%d/fd/%d", (int)getpid(), c->out[1]);
	if (s->out[1].checking) c->res->second = second; /* it has no other name */
	if (!ready) copied = s->in.refused || s->out[0].refused || s->out[1].refused ? total(c) : 0;
	else if (!caught) copied = time_copy(s, r, c, x);
	if (s->out[0].net.control_fd >= 0 && c->failure.err == ETIMEDOUT) s->out[0].net.lost = ETIMEDOUT;
	c->failure.out = s->nout > 1 ? c->failure.out : -1;
	tear_down(c); /* before the ends: it may hold one open */
	for (int i = 0; i <= s->nout; i++) cleanup_end(s->end[i]);
	return copied;
}

/* Has a child ended before it was time, or not as it should? That explains what the row met. */
static bool blame_child(const struct endpoint *e, struct verdict *v) {
	const char *name = e->checking ? "the process that compares" : e->ops->child;
	int status = e->child.status;
	if (!status) return false;
	*v = (struct verdict){ .outcome = EXITED, .status = status };
	if (e->command) {
		char *words = child_words(&e->child);
		v->words = print_line("--%s=%s%s%s", e->option, e->command, *words ? ": " : "", words);
		free(words);
	} else if (WIFEXITED(status)) {
		*v = (struct verdict){ FAILED, .failure = { WEXITSTATUS(status), name, -1 } };
	} else {
		v->words = strdup(name);
	}
	return true;
}

/* More than half of the pages are in the page cache, and not only that of an unaligned tail. */
static bool ignored_direct(const struct copy *c) {
	int64_t page = sysconf(_SC_PAGESIZE), n = (c->res->resident + page - 1) / page;
	bool direct = c->res->alignment > 0, tail = direct && c->len % c->res->alignment;
	return direct && n > tail && 2 * n > (c->len + page - 1) / page;
}

/* What became of a run by its calls, and by the ends of its children, which come first. */
static struct verdict judge_calls(const struct session *s, const struct copy *c, int64_t copied) {
	struct verdict v = { .outcome = COPIED, .failure = c->failure, .at = c->done };
	const struct child *command = c->res->child;
	bool all = s->report.len == s->in.source.size;
	for (int i = 0; i <= s->nout; i++)
		if (blame_child(s->end[i], &v)) return v;
	if (command->status)
		v = (struct verdict){ EXITED, .status = command->status, .words = child_words(command) };
	else if (copied < 0)
		v.outcome = c->done == 0 && errno_fact(c->failure.err)->refusal ? REFUSED : FAILED;
	else if (c->failure.err) /* the ends were not ready: nothing that the row could be n/a for */
		v.outcome = FAILED;
	else if (copied != c->len || (s->in.source.left && all && c->res->command)) v.outcome = SHORT;
	else if (s->in.source.left && all) v.outcome = CHANGED; /* there is more than at first */
	else if (ignored_direct(c)) /* as tmpfs does, which takes the flag since Linux 6.6 */
		v = (struct verdict){ REFUSED,
		    .failure = { NO_ERRNO, "the file system ignored O_DIRECT", -1 } };
	return v;
}

static struct verdict judge_outputs(struct session *s, struct result *r, const struct copy *c) {
	unsigned in = s->in.ops->kind;
	struct verdict v = { .outcome = COPIED };
	bool blind = true, kept = false, shared = false;
	s->last_compared = true;
	for (int i = 0; i < s->nout; i++) {
		struct endpoint *e = &s->out[i];
		blind &= is_blind(&e->st);
		kept |= e->ops->verify && !e->ops->check;
		if (e->ops->verify) v = e->ops->verify(e, c, !r->verified);
		if (!is_timed(v.outcome)) return v;
		s->last_compared &= !is_file(e) || e->file.compared;
		shared |= v.outcome == SHARED;
	}
	s->last = r;
	v.outcome = shared ? SHARED : blind && r->strategy->unread & in ? UNTOUCHED : COPIED;
	if (v.outcome == COPIED && c->res->command && !kept && in & (KIND_FILE | KIND_BLOCK)
	    && lseek(s->in.fd, 0, SEEK_CUR) != s->report.len)
		v.outcome = SHORT; /* it has read less, or more: no output keeps anything to compare */
	return v;
}

static struct verdict judge(struct session *s, struct result *r, const struct copy *c, int64_t copied) {
	struct verdict v = judge_calls(s, c, copied);
	return v.outcome == COPIED ? judge_outputs(s, r, c) : v;
}

/* Has a command other bytes each time? Asked when a copy of them is none. */
static bool source_repeats(struct session *s) {
	static unsigned char expected[CHUNK], found[CHUNK];
	struct copy c = { .len = s->report.len };
	ssize_t n = 0, same = 0;
	if (prepare_end(&s->in, &c, false)) {
		start_child(&s->in.child, true);
		for (; c.done < c.len && n == same && (n = safe_read(s->in.copy_fd, found, CHUNK)) > 0;
		    c.done += n) {
			n = min(n, c.len - c.done);
			same = full_pread(s->in.source.bytes, expected, n, c.done) < n ? 0
			    : first_difference(expected, found, n);
		}
	}
	s->in.source.complete = c.done == s->in.source.size;
	cleanup_end(&s->in);
	return !c.failure.err && n == same && c.done == c.len;
}

/* A verdict that holds unless the input was written to, or cut, since the start. Its time is only a reason to
 * look: a server may set it late (SMB), or another program without a change. */
static void judge_input(struct session *s, struct verdict *v) {
	struct stat *old = &s->in.st, st;
	struct checksum sum = no_bytes;
	if (s->in.ops->kind != KIND_FILE) return;
	if (fstat(s->in.fd, &st)) {
		*v = call_failed("fstat");
	} else if (st.st_size != old->st_size) {
		v->outcome = CHANGED;
	} else if (!same_time(&st.st_mtim, &old->st_mtim)) {
		int64_t n = read_through(s->in.fd, s->report.len, &sum, NULL);
		bool same = n == s->report.len && end_checksum(&sum) == s->in.source.sum;
		if (!same) v->outcome = caught ? UNTRIED : CHANGED;
		*old = st;
	}
}

/* proc_stat(5); Documentation/ABI/testing/sysfs-devices-system-cpu, thermal_throttle (x86 only). */
static struct interference read_interference(void) {
	int64_t ticks[8] = { 0 }; /* user, nice, system, idle, iowait, irq, softirq, steal */
	struct interference sum = { 0 };
	char line[256], path[128], *at = line + strlen("cpu");
	if (read_line("/proc/stat", line, sizeof line))
		for (int i = 0; i < LENGTH(ticks); i++) sum.ticks += ticks[i] = strtoll(at, &at, 10);
	sum.stolen = ticks[7];
	for (long cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++) {
		snprintf(path, sizeof path,
		    "/sys/devices/system/cpu/cpu%ld/thermal_throttle/core_throttle_count", cpu);
		if (read_line(path, line, sizeof line)) sum.throttled += strtoll(line, NULL, 10);
	}
	sum.swapped = read_number("/proc/vmstat", "pswpin") + read_number("/proc/vmstat", "pswpout");
	return sum;
}

/* The row's verdict is that of its last run; but once shared is shared, and once failed is failed. */
static void add_run(struct result *r, const struct sample *x) {
	bool shared = r->verdict.outcome == SHARED && x->verdict.outcome == COPIED;
	if (r->verdict.outcome == UNTRIED || (is_timed(r->verdict.outcome) && !shared))
		r->verdict = x->verdict;
	append_sample(r, x);
}

static struct verdict judge_run(struct session *s, struct result *r, const struct copy *c, int64_t copied) {
	struct verdict v = judge(s, r, c, copied);
	bool check = (v.outcome == COPIED || v.outcome == SHARED) && !r->verified;
	/* outputs that keep nothing: once more, outside the clock, into processes that compare */
	for (int i = 0; i < s->nout && check; i++)
		s->out[i].checking = s->out[i].ops->check && is_comparable(&s->out[i]);
	if (s->out[0].checking || s->out[1].checking) {
		struct resources res;
		struct child child;
		struct copy again = new_copy(s, r, &res, &child);
		struct verdict checked = judge(s, r, &again,
		    copy_once(s, r, &again, &(struct sample){ 0 }, 0));
		v = is_timed(checked.outcome) ? v : checked;
	}
	s->out[0].checking = s->out[1].checking = false;
	if (v.outcome == MISMATCH && s->in.command && !caught && !source_repeats(s)) {
		s->in.source.repeatable = false;
		v = judge_outputs(s, r, c);
	}
	r->verified |= is_timed(v.outcome);
	judge_input(s, &v); /* only now: it may have happened while the bytes were compared */
	return v;
}

/* One run of one row; one that was stopped is repeated, since its time says nothing. */
static void run_row(struct session *s, struct result *r, int round) {
	/* mm/page-writeback.c, dirty_freerun_ceiling */
	static const char *const dirty_keys[] = { "nr_dirty", "nr_writeback", "nr_dirty_threshold",
	    "nr_dirty_background_threshold" };
	const struct sample blank = { .round = round, .order = s->report.nruns };
	struct sample x;
	struct resources res;
	struct child child;
	struct beginning began;
	struct copy c;
	int64_t copied;
	int tries = 0;
	s->last = NULL;
	do {
		x = blank;
		c = new_copy(s, r, &res, &child);
		began = watch_clocks();
		copied = copy_once(s, r, &c, &x, s->opt.pause);
	} while (!caught && !s->out[0].net.lost && was_stopped(&began) && ++tries < THROWN_MAX);
	s->thrown += tries;
	errno = EINTR;
	if (tries == THROWN_MAX) copied = (failed(&c, "a run that is not stopped"), total(&c));
	if (res.alignment && res.resident > 2 * res.alignment) s->partly_direct = r; /* more than a tail */
	x.completions = c.done > 0 ? res.completions : -1;
	x.copied = c.done > 0 ? res.copied : -1;
	if (!caught) x.verdict = judge_run(s, r, &c, copied);
	if (caught) return;
	if (x.verdict.outcome == COPIED && c.may_share && res.resident == 0) s->by_server = r;
	s->changed = x.verdict.outcome == CHANGED;
	add_run(r, &x);
	double n[LENGTH(dirty_keys)] = { 0 }, share; /* how near dirty memory comes to where writers wait */
	for (int i = 0; i < LENGTH(n); i++) n[i] = (double)read_number("/proc/vmstat", dirty_keys[i]);
	share = n[2] + n[3] > 0 ? 2 * (n[0] + n[1]) / (n[2] + n[3]) : 0;
	if (has_file(s) && share > s->dirty) s->dirty = share;
	s->report.nruns++;
	if (!is_timed(r->verdict.outcome) && !s->opt.race && r != &s->report.control)
		s->nplanned -= (int)s->opt.runs - r->nsamples;
}

static void run_memcpy(UNUSED struct session *s, struct reference *m) {
	int64_t size = 2 * m->bytes;
	unsigned char *buf = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	m->err = buf == MAP_FAILED ? errno : 0;
	if (m->err) return;
	memset(buf, 0xa5, size);
	int64_t start = now();
	for (int64_t at = 0; at < m->bytes && !caught; at += MEMCPY_STEP)
		memcpy(buf + m->bytes + at, buf + at, min(m->bytes - at, MEMCPY_STEP));
	m->ns = now() - start;
	munmap(buf, size);
}

/* The input's bytes, spliced to /dev/null, which looks at none: the time of the process that writes them. */
static void run_source(struct session *s, struct reference *m) {
	struct resources res = { .pipe = { -1, -1 }, .helper = { -1, -1 } };
	struct copy c = { .out = { open("/dev/null", O_WRONLY | O_CLOEXEC) }, .nout = 1, .len = s->report.len,
	    .res = &res };
	if ((c.out[0] >= 0 || failed(&c, "open /dev/null"))
	    && prepare_end(&s->in, &c, m == &s->report.reference[SOURCE_LARGE])) {
		c.in = s->in.copy_fd;
		int64_t start = now();
		start_child(&s->in.child, true);
		copy_splice(&c);
		m->ns = now() - start;
		s->in.source.complete = c.done == s->in.source.size;
	}
	cleanup_end(&s->in);
	close_fd(&c.out[0]);
	m->err = c.failure.err ? c.failure.err : s->in.child.status || c.done != c.len ? EIO : 0;
}

/* The receiver alone: bytes that cost the sender least, the same memory again and again. */
static void run_sink(struct session *s, struct reference *m) {
	static unsigned char zeros[256 * K];
	struct endpoint *out = &s->out[0];
	struct copy c = { .nout = 1, .len = s->report.len };
	if (prepare_end(out, &c, false)) {
		c.out[0] = out->copy_fd;
		int64_t start = now();
		while (!caught && c.done < c.len
		    && write_out(&c, 0, zeros, min(c.len - c.done, sizeof zeros))) {}
		if (c.done == c.len) out->ops->finish(out, &c);
		m->ns = now() - start;
	}
	cleanup_end(out);
	m->err = c.failure.err ? c.failure.err : out->child.status || c.done != c.len ? EIO : 0;
}

/* What of a command's time is none of the copy: to fork, and to execute what does nothing. */
static void run_no_command(UNUSED struct session *s, struct reference *m) {
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct child child = no_child;
	int64_t start = now();
	bool ran = null >= 0 && start_command(&child, "true", null, null, false, 0, false, NULL) > 0;
	m->err = ran ? 0 : errno;
	wait_child(&child, WAIT_FOREVER);
	m->ns = now() - start;
	close_fd(&null);
}

/* To add a reference: its number, its name in the progress line, its key in the environment, its function. */
static const struct {
	const char *name, *key;
	void (*run)(struct session *, struct reference *);
} references[REFERENCES] = {
	[MEMCPY] = { "memcpy", "memcpy_ns", run_memcpy },
	[SOURCE] = { "the input alone", "source_ns", run_source },
	[SOURCE_LARGE] = { "the input alone", "source_1m_ns", run_source },
	[NO_COMMAND] = { "an empty command", "command_ns", run_no_command },
	[SINK] = { "the receiver alone", "receiver_ns", run_sink },
};

static void run_reference(struct session *s, int i) {
	struct reference *m = &s->report.reference[i];
	struct beginning began;
	int tries = 0;
	do {
		began = watch_clocks();
		rest(s, s->opt.pause);
		references[i].run(s, m);
	} while (!caught && was_stopped(&began) && ++tries < THROWN_MAX);
	s->thrown += tries;
	if (tries == THROWN_MAX) m->err = EINTR;
	if (m->err) s->nplanned -= (int)s->opt.runs - m->n;
	if (m->err || caught) return;
	if (m->n++ == 0 || m->ns < m->best) m->best = m->ns;
	s->report.nruns++;
}

static void drop_control(struct report *rep) {
	rep->control.nsamples = 0;
	rep->control.verified = false;
	rep->control.verdict.outcome = UNTRIED;
	rep->control_of = NULL;
}

/* A run of the control that failed shows that of its row, whose copy was as wrong: the row answers for it. */
static void blame_control(struct report *rep) {
	struct result *control = &rep->control;
	if (control->verdict.outcome >= FAILED && control->nsamples > 0) {
		append_sample(rep->control_of, &control->samples[control->nsamples - 1]);
		rep->control_of->verdict = control->verdict;
	}
	if (control->verdict.outcome != COPIED) drop_control(rep);
}

/* The control (A/A): one more run a round of the row with the fastest first run, until that leaves a race. */
static void run_control(struct session *s, int round) {
	struct report *rep = &s->report;
	struct result *control = &rep->control, **of = &rep->control_of;
	if (*of && ((*of)->left || (*of)->verdict.outcome != COPIED)) drop_control(rep);
	for (int i = 0; i < rep->nrows && control->nsamples == 0 && (round > 1 || s->opt.in_order); i++) {
		struct result *r = &rep->rows[i];
		if (!r->left && r->verdict.outcome == COPIED && r->nsamples > 0
		    && (!*of || r->samples->ns < (*of)->samples->ns))
			*of = r;
	}
	if (!*of || control->nsamples == (s->opt.race ? RACE_DEFAULT : TESTED_MAX)) return;
	control->strategy = (*of)->strategy;
	control->advice = (*of)->advice;
	control->command = (*of)->command;
	control->large = (*of)->large;
	s->run(s, control, round);
	if (!caught) blame_control(rep);
}

/* Drops a text that standard error does not take at once: it is only progress. */
static void put_progress(const char *text) {
	struct pollfd room = { .fd = STDERR_FILENO, .events = POLLOUT };
	if (poll(&room, 1, 0) > 0) emit(STDERR_FILENO, text, strlen(text));
}

static void clear_progress(void) {
	if (in_progress) put_progress("\r\033[K");
	in_progress = false;
}

/* One line on a terminal, written over and over: what runs, and how long all of it may take. */
static void show_progress(struct session *s, const char *what) {
	int runs = s->report.nruns, width = terminal_width(STDERR_FILENO);
	double left = (double)(now() - s->started) / 1e9 / (double)max(runs, 1)
	    * (double)max(s->nplanned - runs, 0);
	char line[128];
	if (s->opt.quiet || !has_escapes(STDERR_FILENO)) return;
	int used = snprintf(line, sizeof line, "%4d/%d  %-*.*s", runs, s->nplanned, PROGRESS_NAME,
	    PROGRESS_NAME, what);
	if (runs > 0)
		used += snprintf(line + used, sizeof line - used, "  ETA %d:%02d", (int)left / 60,
		    (int)left % 60);
	clear_progress();
	line[min(used, width - 1)] = '\0'; /* one line */
	in_progress = true;
	put_progress(line);
}

/* Whose turn it is: a row's, the control's, or a reference's. */
struct turn {
	struct result *row;
	int reference; /* its number, where row is NULL */
};
enum { OTHER_TURNS = 1 + REFERENCES }; /* in a round, besides those of the rows */

/* Fisher and Yates. The bias of the remainder is below n in 2^64. */
static void shuffle(struct turn *turns, int n, uint64_t *state) {
	for (int i = n - 1; i > 0; i--) {
		int k = random_number(state) % (i + 1);
		struct turn turn = turns[i];
		turns[i] = turns[k];
		turns[k] = turn;
	}
}

/* A row that could not be measured once is not tried again. */
static void take_turn(struct session *s, const struct turn *turn, int round) {
	struct result *r = turn->row;
	bool hopeless = r ? r->nsamples > 0 && !is_timed(r->verdict.outcome)
	    : s->report.reference[turn->reference].err != 0;
	if (caught || s->changed || hopeless) return;
	show_progress(s, r ? r->name : references[turn->reference].name);
	if (r == &s->report.control) run_control(s, round);
	else if (r) s->run(s, r, round);
	else run_reference(s, turn->reference);
}

static int list_turns(struct session *s, struct result **rows, int n, struct turn *turns) {
	int turn = 0;
	for (int i = 0; i < n; i++) turns[turn++] = (struct turn){ .row = rows[i] };
	if (s->report.nrows > 1) turns[turn++] = (struct turn){ .row = &s->report.control };
	for (int i = 0; i < REFERENCES; i++)
		if (s->report.reference[i].bytes > 0 && s->report.reference[i].n < s->opt.runs)
			turns[turn++] = (struct turn){ .reference = i };
	return turn;
}

static void run_round(struct session *s, struct result **rows, int n, int round) {
	struct turn *turns = allocate(n + OTHER_TURNS, sizeof *turns);
	int all = list_turns(s, rows, n, turns);
	shuffle(turns, all, &s->random);
	for (int i = 0; i < all; i++) take_turn(s, &turns[i], round);
	free(turns);
}

/* Sequential halving (Karnin, Koren and Somekh 2013): phases of as many runs each, in whole rounds, after
 * which the better half goes on. Earlier runs count. The control's come on top. */
static void race(struct session *s, struct result **rows, int n) {
	int64_t left = s->opt.race;
	int phases = 0, phase = 0, round = 0, go_on = n;
	while (1 << phases < n) phases++;
	for (int64_t share = 0; n > 0 && left >= go_on && !caught && !s->changed; share--) {
		if (share == 0) { /* a phase begins */
			for (int i = go_on; i < n; i++) rows[i]->left = true;
			n = go_on;
			phase++;
			share = s->opt.race / ((int64_t)phases * n);
			share += share == 0;
		}
		s->nplanned = s->report.nruns + (int)left;
		run_round(s, rows, n, ++round);
		left -= n;
		go_on = 0;
		for (int i = 0; i < n; i++)
			if (rows[i]->verdict.outcome == COPIED) /* those that can't move data are out */
				rows[go_on++] = rows[i];
		n = go_on;
		if (share == 1 && n > 1) { /* the better half by median goes on */
			for (int i = 0; i < n; i++) summarise(rows[i]);
			qsort(rows, n, sizeof *rows, compare_medians);
			go_on = (n + 1) / 2;
		}
		if (n == 1 ? rows[0]->nsamples >= RUNS_DEFAULT : share == 1 && phase == phases) break;
	}
}

static int outputs_in_memory(const struct session *s) {
	int n = 0;
	for (int i = 0; i < s->nout; i++) n += is_file(&s->out[i]) && is_in_memory(s->out[i].fd);
	return n;
}

/* The limit of memory of our group and those above it, bytes: cgroups(7), v1 and v2. */
static int64_t memory_limit(void) {
	int64_t least = INT64_MAX;
	char line[512], path[600], text[64];
	FILE *f = fopen("/proc/self/cgroup", "re");
	while (f && fgets(line, sizeof line, f)) {
		char *group = line, *controllers;
		line[strcspn(line, "\n")] = '\0';
		strsep(&group, ":");
		controllers = strsep(&group, ":");
		if (!group || (*controllers && !strstr(controllers, "memory"))) continue;
		for (char *slash = group; slash; *slash = '\0') {
			snprintf(path, sizeof path, *controllers
			    ? "/sys/fs/cgroup/memory%s/memory.limit_in_bytes" : "/sys/fs/cgroup%s/memory.max",
			    group);
			if (read_line(path, text, sizeof text) && isdigit((unsigned char)*text))
				least = min(least, strtoll(text, NULL, 10));
			if (!(slash = strrchr(group, '/'))) break;
		}
	}
	if (f) fclose(f);
	return least;
}

/* Bytes that we may keep: of memory, or our group's, a quarter, of what is free half, shared with tmpfs. */
static int64_t memory_share(const struct session *s) {
	int64_t available = read_number("/proc/meminfo", "MemAvailable") * K;
	int64_t all = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
	int64_t least = min(memory_limit(), all) / MEMORY_SHARE;
	return (available ? min(least, available / 2) : least) / (1 + outputs_in_memory(s));
}

static void measure(struct session *s) {
	struct report *rep = &s->report;
	int n = rep->nrows, runs = (int)s->opt.runs, tested = (int)min(runs, TESTED_MAX);
	/* memcpy of as many bytes as are copied, where memory has room; one row needs none */
	if (n > 1) rep->reference[MEMCPY].bytes = min(rep->len, memory_share(s) / 2);
	if (s->in.ops->kind == KIND_PIPE)
		rep->reference[SOURCE].bytes = rep->reference[SOURCE_LARGE].bytes = rep->len;
	if (s->opt.with.n > 0) rep->reference[NO_COMMAND].bytes = rep->len;
	if (s->opt.send && !s->opt.to.text && n > 1) rep->reference[SINK].bytes = rep->len;
	struct result **rows = allocate(n, sizeof *rows);
	struct turn *turns = allocate(n + OTHER_TURNS, sizeof *turns);
	for (int i = 0; i <= n; i++) { /* memory for runs, touched: it is not to grow from round to round */
		struct result *r = i < n ? rows[i] = &rep->rows[i] : &rep->control;
		r->room = (int)min(i < n ? runs : tested, SAMPLES_KEPT);
		r->samples = memset(allocate(r->room, sizeof *r->samples), 1, r->room * sizeof *r->samples);
	}
	rep->control.name = "control"; /* for the progress line */
	s->random = s->opt.seed;
	s->before = read_interference();
	s->cpu_step = find_cpu_step();
	s->started = now();
	int all = list_turns(s, rows, n, turns), warmup = (int)s->opt.warmup;
	s->nplanned = warmup * n + runs * all;
	if (n > 1) s->nplanned -= runs - tested + !s->opt.in_order; /* the control has fewer */
	for (int round = 1; round <= warmup; round++) run_round(s, rows, n, 1);
	s->nplanned -= warmup * n;
	rep->nruns = 0; /* of warm-up rounds only what could not be measured is kept, and not tried again */
	drop_control(rep);
	for (struct result *r = rep->rows; r < rep->rows + n; r++) {
		if (is_timed(r->verdict.outcome)) r->nsamples = 0;
		for (int k = 0; k < r->nsamples; k++) r->samples[k].order = rep->nruns++;
	}
	for (int i = 0; i < REFERENCES; i++) rep->reference[i].n = 0;
	s->started = now();
	if (s->opt.race) race(s, rows, n);
	else if (s->opt.in_order)
		/* the control is far from its row: its noise has all of the drift */
		for (int i = 0; i < all; i++)
			for (int round = 1; round <= runs; round++) take_turn(s, &turns[i], round);
	else
		for (int round = 1; round <= runs; round++) run_round(s, rows, n, round);
	free(turns);
	free(rows);
	clear_progress();
}

/* What comes but once is kept while it is read ahead. */
struct spool {
	int fd;             /* -1: it is only counted */
	int64_t n, room;    /* bytes that there are, and that memory may have */
	const char *where;  /* a directory; NULL: memory */
	struct failure failure;
};

static bool spool_failed(struct spool *p, const char *call) {
	return p->failure = (struct failure){ .err = errno, .call = call }, false;
}

static bool has_room(int fd, int64_t n) {
	struct statfs fs;
	if (fstatfs(fd, &fs)
	    || (int64_t)fs.f_bavail >= (int64_t)fs.f_blocks / DISK_SPARE + n / (int64_t)fs.f_bsize)
		return true;
	errno = ENOSPC;
	return false;
}

/* From memory, which is given back meanwhile, to a file. */
static bool move_to_disk(struct spool *p) {
	const char *directory = getenv("TMPDIR");
	int memory = p->fd;
	off_t at = 0;
	p->where = directory && *directory ? directory : "/tmp";
	char *path = print_text("%s/write-bench.XXXXXX", p->where);
	/* an unlinked file, so that it is gone whatever ends us (O_TMPFILE: Linux 3.11, most file systems) */
	p->fd = open(p->where, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
	if (p->fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)
	    && (p->fd = mkostemp(path, O_CLOEXEC)) >= 0)
		unlink(path);
	bool opened = p->fd >= 0 || spool_failed(p, "open");
	free(path);
	if (!opened) return p->fd = memory, false;
	while (at < p->n && !caught) {
		off_t from = at;
		errno = EIO; /* of a file that is shorter than it was */
		ssize_t n = has_room(p->fd, p->n - at) ? sendfile(p->fd, memory, &at, min(p->n - at, CHUNK))
		    : -1;
		if (n <= 0 && !interrupted(n)) return spool_failed(p, "write"), close(memory), false;
		fallocate(memory, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, from, at - from);
	}
	close_fd(&memory);
	return lseek(p->fd, p->n, SEEK_SET) >= 0 || spool_failed(p, "lseek");
}

static bool spool(struct spool *p, const unsigned char *bytes, ssize_t n) {
	if (p->fd < 0) return true;
	if (!p->where && p->n + n > p->room && !move_to_disk(p)) return false;
	return ((!p->where || has_room(p->fd, n)) && full_write(p->fd, bytes, n)) || spool_failed(p, "write");
}

/* Why the input could not be read ahead, if so: nothing has been touched. */
static void check_spool(const struct session *s, const struct spool *p, const struct failure *failure) {
	struct verdict v;
	if (caught)
		die("%s: interrupted while it was read ahead, after %s: nothing has been copied", s->in.label,
		    size_text(p->n).s);
	if (p->failure.call)
		die("%s: can't be kept in %s%s, to be read again (%s so far): %s: %s%s%s", s->in.label,
		    p->where ? "a file in " : "memory", p->where ? p->where : "", size_text(p->n).s,
		    p->failure.call, errno_text(p->failure.err).s, p->where ? "; or set TMPDIR to another "
		    "directory" : "", s->in.command ? "; or use --no-verify, which keeps nothing" : "");
	if (blame_child(&s->in, &v) && v.outcome == EXITED)
		die("%s: %s: run it by itself to see why", v.words, status_text(v.status).s);
	errno = failure->err;
	if (failure->err) die_errno(s->in.label, failure->call);
	if (p->n == 0) die("%s: gives no byte: give it bytes to copy", s->in.label);
}

/* An input that comes but once is read ahead, and kept; that of a command, to be compared with. */
static void read_ahead(struct session *s) {
	struct endpoint *in = &s->in;
	struct copy c = { .in = in->fd, .len = s->opt.size ? s->opt.size : INT64_MAX, .block = CHUNK };
	struct spool p = { .fd = -1, .room = memory_share(s) };
	static unsigned char chunk[CHUNK];
	int64_t shown = 0;
	char line[64];
	size_t want;
	ssize_t n;
	if (in->ops->kind != KIND_PIPE) return;
	if (!in->command || !s->opt.no_verify) {
		p.fd = memfd_create("spool", MFD_CLOEXEC);
		if (p.fd < 0 && !move_to_disk(&p)) check_spool(s, &p, &c.failure);
	}
	if (!in->command || prepare_end(in, &c, false)) {
		c.in = in->copy_fd;
		start_child(&in->child, true);
		while ((want = next(&c)) && (n = read_in(&c, chunk, want)) > 0 && spool(&p, chunk, n)) {
			p.n = c.done += n;
			if (now() - shown < PROGRESS_STEP) continue;
			shown = now();
			snprintf(line, sizeof line, "reading the input ahead: %.30s", size_text(p.n).s);
			show_progress(s, line);
		}
	}
	s->report.len = p.n;
	in->source.complete = !c.failure.err && !p.failure.call && (!s->opt.size || p.n < s->opt.size);
	in->source.size = in->source.complete || !in->command ? p.n : -1;
	in->source.bytes = p.fd;
	in->source.spool = p.fd < 0 ? NULL : p.where ? p.where : "memory";
	if (in->command) cleanup_end(in);
	clear_progress();
	check_spool(s, &p, &c.failure);
}

/* Evicts the input, unless it is dirty, and reads it: its folios are not to depend on what wrote it. */
static void warm(struct session *s) {
	int fd = s->in.source.bytes, kind = s->in.ops->kind;
	struct cached cached = { .dirty = 0 };
	struct checksum sum = no_bytes;
	if (kind == KIND_DEVICE || fd < 0) {
		s->zeros = is_mem(&s->in.st, MEM_ZERO) ? s->report.len : 0;
		return;
	}
	show_progress(s, "reading the input once");
	ask_cache(fd, s->report.len, &cached);
	if (kind != KIND_PIPE && !s->opt.cold && cached.dirty + cached.writing == 0)
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	int64_t n = read_through(fd, s->report.len, &sum, &s->zeros);
	s->in.source.sum = end_checksum(&sum);
	if (n < 0) die_errno(s->in.label, "read");
	sync_file_range(fd, 0, 0,
	    SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
	clear_progress();
	if (n != s->report.len && !caught)
		die("%s: ends at byte %" PRId64 " of %" PRId64 ": keep it as it is while it is copied, or "
		    "use a file whose size is true (not one of sysfs)", s->in.label, n, s->report.len);
}

/* All, a tick of the kernel's clock after their times were set; or what has changed. *wrong: is no copy. */
static struct verdict compare_files(struct session *s, bool all, const char **wrong) {
	struct verdict v = { .outcome = COPIED, .failure.out = -1 };
	struct stat st;
	if (all && !s->opt.no_verify) sleep_until(now() + TICK);
	for (int i = 0; i < s->nout && v.outcome == COPIED; i++) {
		struct stat *old = &s->out[i].file.left;
		if (!is_file(&s->out[i])) continue;
		*wrong = s->out[i].label;
		if (fstat(s->out[i].fd, &st)) return call_failed("fstat");
		if (all || st.st_size != old->st_size || !same_time(&st.st_mtim, &old->st_mtim)
		    || !same_time(&st.st_ctim, &old->st_ctim))
			v = check_file(&s->out[i], s->report.len, true);
		*old = st;
	}
	return v;
}

/* Are the outputs copies of the input, which may have changed meanwhile? If not, says why. */
static bool are_copies(struct session *s, struct verdict v, const char *wrong) {
	int out = v.failure.out;
	const char *label = out >= 0 ? s->out[out].label : s->nout > 1 ? "one of the outputs"
	    : s->out[0].label;
	judge_input(s, &v);
	if (v.outcome == FAILED || v.outcome == REFUSED)
		warn("%s: is not a copy of the input: %s: %s", label, v.failure.call,
		    errno_text(v.failure.err).s);
	else if (v.outcome == EXITED)
		warn("%s: is not a copy of the input: %s: did not end with exit status 0", label, v.words);
	else if (v.outcome == UNTRIED)
		warn("%s: was not compared with the input to its end: interrupted", wrong ? wrong : label);
	else if (v.outcome == CHANGED)
		warn("%s: is not a copy of the input: that changed meanwhile: keep it as it is", label);
	else if (v.outcome != COPIED)
		warn("%s: is not a copy of the input: it differs from byte %" PRId64 " on: keep both as they "
		    "are while they are copied", wrong, v.at);
	if (v.outcome == EXITED) free((char *)v.words);
	return v.outcome == COPIED;
}

/* False: an output is no copy: by the last row, if that run was not compared, else by another process. */
static bool leave_copy(struct session *s) {
	struct report *rep = &s->report;
	bool files = has_file(s) && !s->changed;
	struct verdict v = { .outcome = has_file(s) && s->changed ? CHANGED : COPIED, .failure.out = -1 };
	const char *wrong = s->out[0].label;
	if (caught) return false;
	if (files && s->last) v = compare_files(s, true, &wrong);
	bool blamed = v.outcome != COPIED && files && !caught && !s->last_compared;
	if (blamed) s->last->verdict = v;
	if (blamed && s->last->nsamples > 0) s->last->samples[s->last->nsamples - 1].verdict = v;
	if (blamed && s->last == &rep->control) blame_control(rep);
	if (files && (blamed || !s->last)) { /* no copy is there: the row was n/a, or failed, or wrong */
		struct result r = { .strategy = &plain_row, .advice = advices };
		struct resources res;
		struct child child;
		struct copy c = new_copy(s, &r, &res, &child);
		v = judge_calls(s, &c, copy_once(s, &r, &c, &(struct sample){ 0 }, 0));
		if (v.outcome == COPIED) v = compare_files(s, true, &wrong);
	}
	for (int i = 0; i <= s->nout && files; i++)
		if ((i ? is_file(s->end[i]) : s->in.ops->kind != KIND_PIPE)
		    && lseek(s->end[i]->fd, rep->len, SEEK_SET) < 0)
			v = call_failed("lseek");
	return are_copies(s, v, wrong);
}

/* ---- Environment: what the numbers were measured on ----------------------------------------- */

#define NS_MAX 100000000000000000 /* nanoseconds that a run may have taken in a file that is read: 3 years */
#define ZEROS 0.1               /* of an input's bytes, zero or holes: not what people copy */
#define STOLEN 0.01             /* of all CPU time, taken by the hypervisor: no longer little */

/* Keys of the environment; any other is text. offset, most: where a report has a number, and its bound. */
enum env_kind { IS_TEXT, IS_LIST, IS_NUMBER, IS_SIZE, IS_TIME };
#define FACT(field) offsetof(struct report, field)
#define REFERENCE(i) .offset = FACT(reference[i].best), .most = NS_MAX
static const struct env_row {
	const char *key;
	enum env_kind kind;
	const char *help;
	size_t offset;
	int64_t most;
} env_rows[] = {
	{ "heading", IS_TEXT, .help = "file system, medium, size and kernel" },
	{ "command_line", IS_TEXT, .help = "as it was given, for a shell" },
	{ "output", IS_TEXT, .help = "what it is, and where; also second_output" },
	{ "output_mount", IS_TEXT, .help = "type and options of its file system; also second_output_mount" },
	{ "input", IS_TEXT, .help = "what it is, and where" },
	{ "input_mount", IS_TEXT, .help = "type and options of its file system" },
	{ "size", IS_SIZE, .help = "bytes that each run copies", .offset = FACT(len), .most = INT64_MAX },
	{ "size_asked", IS_SIZE, .help = "bytes that --size names, where the input has fewer" },
	{ "block_size", IS_SIZE, .help = "of the output's file system, bytes" },
	{ "kernel", IS_TEXT, .help = "its release" },
	{ "machine", IS_TEXT, .help = "its architecture" },
	{ "cpu", IS_TEXT, .help = "its model" },
	{ "cpus", IS_NUMBER, .help = "how many are online" },
	{ "memory_bytes", IS_SIZE, .help = "of the machine" },
	{ "governor", IS_TEXT, .help = "of the first CPU's frequency (cpufreq), where there is one" },
	{ "runs", IS_NUMBER, .help = "of each row, or race: runs in all" },
	{ "race", IS_NUMBER, .help = "runs in all", .offset = FACT(race), .most = SAMPLES_MAX },
	{ "warmup", IS_NUMBER, .help = "rounds before the first that counts" },
	{ "pause_s", IS_NUMBER, .help = "seconds before each run" },
	{ "order", IS_TEXT, .help = "shuffled rounds, or row after row" },
	{ "seed", IS_NUMBER, .help = "of the shuffle" },
	{ "page_cache", IS_TEXT, .help = "what is done about the input in it" },
	{ "until", IS_TEXT, .help = "what the clock waited for" },
	{ "output_state", IS_TEXT, .help = "where the output is overwritten: how it was before each run" },
	{ "verified", IS_TEXT, .help = "what was compared of each copy" },
	{ "date", IS_TEXT, .help = "of the start, UTC" },
	{ "version", IS_TEXT, .help = "of the program, with its commit" },
	{ "input_state", IS_TEXT, .help = "with --cold: how much of the input stayed in the page cache" },
	{ "server_copies", IS_TEXT, .help = "a row that the server copied by itself (NFS 4.2, SMB)" },
	{ "thrown_away", IS_NUMBER, .help = "runs that were repeated, since the program was stopped" },
	{ "source_ns", IS_TIME, .help = "best time of the input alone, by a pipe of 64 KiB",
	  REFERENCE(SOURCE) },
	{ "source_1m_ns", IS_TIME, .help = "best time of the input alone, by a pipe of 1 MiB",
	  REFERENCE(SOURCE_LARGE) },
	{ "receiver_ns", IS_TIME, .help = "best time of the receiver alone", REFERENCE(SINK) },
	{ "command_ns", IS_TIME, .help = "best time of a command that does nothing", REFERENCE(NO_COMMAND) },
	{ "reset_ns", IS_TIME, .help = "median of the untimed set-up of the ends" },
	{ "memcpy_bytes", IS_SIZE, .help = "bytes that memcpy moved in the same rounds", .offset =
	  FACT(reference[MEMCPY].bytes), .most = INT64_MAX },
	{ "memcpy_ns", IS_TIME, .help = "and its best time", REFERENCE(MEMCPY) },
	{ "counters", IS_TEXT, .help = "why some counters are missing" },
	{ "control", IS_TEXT, .help = "the row that was run twice a round" },
	{ "control_round", IS_NUMBER, .help = "the first round in which it was" },
	{ "control_ns", IS_LIST, .help = "and its second runs' times" },
	{ "interrupted", IS_TEXT, .help = "when, and by what" },
	{ "run_lines", IS_NUMBER, .help = "lines of runs in a CSV report" },
	{ "recommended", IS_TEXT, .help = "the row that is recommended; recommendation: the sentence" },
	{ "candidates", IS_NUMBER, .help = "rows that may be the fastest" },
	{ "level", IS_NUMBER, .help = "of each test: 0.05 / (rows - 1)" },
};

static const struct env_row *find_env_row(const char *key) {
	for (int i = 0; i < LENGTH(env_rows); i++)
		if (!strcmp(env_rows[i].key, key)) return &env_rows[i];
	return NULL;
}

static const char *env(const struct report *s, const char *key) {
	for (int i = 0; i < s->nenv; i++)
		if (!strcmp(s->env[i].key, key)) return s->env[i].value;
	return "unknown";
}

static bool has_env(const struct report *s, const char *key) { return strcmp(env(s, key), "unknown"); }

/* Sets a line of the environment; the value is freed with it. */
#define set_env(s, key, ...) put_env(s, key, print_line(__VA_ARGS__))
static void put_env(struct report *s, const char *key, char *value) {
	int i = 0;
	while (i < s->nenv && strcmp(s->env[i].key, key)) i++;
	if (i == s->nenv) {
		s->env = resize(s->env, ++s->nenv, sizeof *s->env);
		s->env[i] = (struct env){ .key = strdup(key) };
	}
	free(s->env[i].value);
	s->env[i].value = value;
}

static void add_end(struct report *rep, const char *key, const struct endpoint *e, struct place *p) {
	char mount[40], *words = e->ops->describe(e, p);
	set_env(rep, key, "%s", words);
	free(words);
	snprintf(mount, sizeof mount, "%s_mount", key);
	if (*p->mount) set_env(rep, mount, "%s", p->mount);
}

/* What of the copies at an output is compared with the input; to be freed. */
static char *verification(const struct endpoint *e) {
	const struct options *o = e->opt;
	bool rewritten = is_file(e) && o->overwrite;
	if (!e->ops->verified) return print_text("not at all, since the output keeps nothing");
	if (!o->no_verify && e->input->source.repeatable)
		return print_text("%s", rewritten ? "all bytes of each copy" : e->ops->verified);
	return print_text("%s%s%s%s", rewritten ? "nothing" : e->ops->unverified,
	    o->no_verify ? " (--no-verify" : ", since the input gives other bytes each time",
	    !rewritten ? "" : o->no_verify ? "; and the size says nothing with --overwrite"
	    : ", and the size says nothing with --overwrite", o->no_verify ? ")" : "");
}

static const struct {
	const char *name, *words;
} untils[] = {
	[UNTIL_RETURN] = { "return", "the last call returned" },
	[UNTIL_CLOSE] = { "close", "the output was closed" },
	[UNTIL_SYNC] = { "sync", "fdatasync had the output on its medium" },
};

static const char *until_words(const struct endpoint *e) {
	if (e->net.silent) return "the last call returned, since the socket does not say when all was there";
	return e->ops->until ? e->ops->until : untils[is_file(e) ? e->opt->until : UNTIL_RETURN].words;
}

/* "Ext3+dmcrypt, SSD, filesize=256MiB, kernel=3.13-1-amd64"; two places that differ without their media. */
static void add_heading(struct report *rep, struct place *out, int n, const char *kernel) {
	char text[128]; /* QEMU's CPU is often emulated, its disks may be in another machine's page cache */
	bool qemu = read_line("/sys/class/dmi/id/sys_vendor", text, sizeof text) && !strncmp(text, "QEMU", 4);
	qemu |= read_key("/proc/cpuinfo", "model name", text, sizeof text) && !strncmp(text, "QEMU", 4);
	bool differ = n > 1 && strcmp(out[0].name, out[1].name), medium = out->medium && !differ && !qemu;
	const char *twice = n > 1 && !differ ? " twice" : "";
	for (int i = 0; i < n; i++)
		if (!*out[i].name) add_name(&out[i], "unknown file system");
	set_env(rep, "heading", "%s%s%s%s%s%s%s%s, filesize=%s, kernel=%s", out->name, differ ? " and " : "",
	    differ ? out[1].name : "", qemu ? twice : "", qemu ? ", QEMU virtual machine" : medium ? ", "
	    : "", medium && out->virtual ? "virtual " : "", medium ? out->medium : "", qemu ? "" : twice,
	    size_text(rep->len).s, kernel);
}

static void add_machine(struct report *rep, const struct utsname *kernel) {
	char cpu[128] = "", flags[3500] = "", governor[64];
	set_env(rep, "kernel", "%s", kernel->release);
	set_env(rep, "machine", "%s", kernel->machine);
	bool named = read_key("/proc/cpuinfo", "model name", cpu, sizeof cpu)
	    || read_key("/proc/cpuinfo", "cpu model", cpu, sizeof cpu);
	read_key("/proc/cpuinfo", "flags", flags, sizeof flags);
	set_env(rep, "cpu", "%.60s%s", named ? cpu : kernel->machine,
	    strstr(flags, " hypervisor") ? " (virtual machine)" : "");
	set_env(rep, "cpus", "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	set_env(rep, "memory_bytes", "%" PRId64, (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
	if (read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", governor, sizeof governor))
		set_env(rep, "governor", "%s", governor);
}

static void find_environment(struct session *s) {
	struct report *rep = &s->report;
	const struct options *o = &s->opt;
	struct place in = { .name = "" }, out[2] = { { .name = "" } };
	const char *until = until_words(&s->out[0]), *second = s->nout > 1 ? until_words(&s->out[1]) : until;
	char date[32] = "";
	struct utsname kernel;
	time_t today = time(NULL);
	uname(&kernel);
	set_env(rep, "heading", "%s", ""); /* comes first */
	set_env(rep, "command_line", "%s", o->command_line);
	for (int i = 0; i < s->nout; i++) add_end(rep, i ? "second_output" : "output", &s->out[i], &out[i]);
	add_end(rep, "input", &s->in, &in);
	add_heading(rep, out, s->nout, kernel.release);
	set_env(rep, "size", "%" PRId64, rep->len);
	if (o->size > rep->len) set_env(rep, "size_asked", "%" PRId64, o->size);
	set_env(rep, "block_size", "%" PRId64, s->bs);
	add_machine(rep, &kernel);
	set_env(rep, o->race ? "race" : "runs", "%" PRId64, o->race ? o->race : o->runs);
	if (o->warmup) set_env(rep, "warmup", "%" PRId64, o->warmup);
	set_env(rep, "pause_s", "%g", (double)o->pause / 1e9);
	set_env(rep, "order", o->in_order ? "row after row" : "shuffled rounds");
	if (!o->in_order) set_env(rep, "seed", "%" PRId64, o->seed);
	if (s->in.ops->kind != KIND_PIPE)
		set_env(rep, "page_cache", o->cold ? "input evicted from the page cache before each run"
		    : "input in the page cache");
	bool differ = strcmp(until, second);
	set_env(rep, "until", "%s%s%s", until, differ ? ", and at the second output " : "",
	    differ ? second : "");
	strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&today));
	set_env(rep, "date", "%s", date);
	set_env(rep, "version", PROGRAM " " VERSION COMMIT);
}

/* Does a program's close flush a file there (close(2), NOTES)? On some only one that was emptied. */
static bool waits_at_close(const struct endpoint *e, bool emptied) {
	static const uint32_t always[] = { NFS_SUPER_MAGIC, 0x65735546 /* FUSE */, 0xff534d42 /* CIFS */,
	    0xfe534d42 /* SMB2 */ }, then[] = { EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC };
	struct statfs fs;
	bool waits = false;
	if (!is_file(e) || fstatfs(e->fd, &fs)) return false;
	for (int i = 0; i < LENGTH(always); i++) waits |= (uint32_t)fs.f_type == always[i];
	for (int i = 0; i < LENGTH(then); i++) waits |= emptied && (uint32_t)fs.f_type == then[i];
	return waits;
}

/* Only what is found to be the reason has a remedy. */
static const char *why_evicted(const struct session *s) {
	int64_t available = read_number("/proc/meminfo", "MemAvailable") * K;
	if (waits_at_close(&s->in, false)) return "its file system drops it by itself";
	if (memory_limit() / 3 < s->report.len) return "raise the memory limit, or copy less (-z)";
	return available && available / 2 < s->report.len ? "free memory, or copy less (-z)"
	    : "something else drops it";
}

static void add_interference(struct session *s) {
	struct report *rep = &s->report;
	struct interference after = read_interference();
	bool sparse = (double)s->holes >= ZEROS * (double)rep->len;
	double part = (double)(sparse ? s->holes : s->zeros) / (double)rep->len; /* that takes no time */
	int64_t stolen = after.stolen - s->before.stolen, swapped = after.swapped - s->before.swapped;
	int64_t throttled = after.throttled - s->before.throttled;
	double share = (double)stolen / (double)(after.ticks - s->before.ticks);
	bool tee = s->nout > 1, server = waits_at_close(&s->out[0], false)
	    || (tee && waits_at_close(&s->out[1], false));
	if (part >= ZEROS)
		set_env(rep, sparse ? "warning_sparse" : "warning_zero", "%.0f %% of the input is %s, which "
		    "flatter: use -g noise:256m >X", 100 * part, sparse ? "holes" : "zeros");
	if (s->holes > 0 && s->holes > count_holes(s->in.fd, rep->len))
		set_env(rep, "warning_filled", "rows that map the input filled its holes, as tmpfs has it: "
		    "leave them out (-x '*mmap*,vmsplice*')");
	if (s->in.source.fetched > 0)
		set_env(rep, "warning_evicted", "the input did not stay in the page cache (read again %d "
		    "times): %s", s->in.source.fetched, why_evicted(s));
	if ((server || (tee && waits_at_close(&s->out[1], true))) && s->opt.with.n > 0
	    && s->opt.until == UNTIL_RETURN)
		set_env(rep, "warning_flushed", "here a command's %s, a row's does not: use --until=close",
		    server ? "end waits for the server" : "close of the second output (tee) flushes it");
	if (stolen > 2 && share >= STOLEN) /* ticks are coarse: two may be chance */
		set_env(rep, "warning_steal",
		    "the hypervisor took %.1f %% of the CPU time: use a host with idle CPUs", 100 * share);
	if (throttled > 0)
		set_env(rep, "warning_throttled", "CPUs were throttled for heat %" PRId64 " time%s: cool "
		    "them, or use a longer --pause", throttled, plural(throttled));
	if (s->dirty >= 1)
		set_env(rep, "warning_dirty", "dirty memory came to %.0f %% of its limit: copy less (-z), or "
		    "pause longer (-p)", 100 * s->dirty);
	if (swapped > 0 && (is_in_memory(s->in.fd) || outputs_in_memory(s) > 0))
		set_env(rep, "warning_swapped", "tmpfs is memory, and %" PRId64 " pages were swapped: copy "
		    "less (-z), or free memory", swapped);
	if (s->by_server)
		set_env(rep, "server_copies", "By copy_file_range the server itself has copied: %s",
		    s->by_server->name);
	if (s->partly_direct)
		set_env(rep, "warning_direct", "%s left a part of the output in the page cache: not all of "
		    "it was direct I/O", s->partly_direct->name);
	if (s->strangers > 0)
		set_env(rep, "warning_strangers", "%d other connection%s came to the receiver: use another "
		    "port", s->strangers, plural(s->strangers));
}

static void add_measurements(struct session *s) {
	struct report *rep = &s->report;
	struct text text;
	int64_t most = -1; /* bytes of the input that stayed in the page cache, in the worst run; or -1 */
	for (int i = 0; i < rep->nrows; i++)
		for (int k = 0; k < rep->rows[i].nsamples; k++)
			most = max(most, rep->rows[i].samples[k].resident);
	if (s->opt.cold && most < 0)
		set_env(rep, "input_state", "How much of the input stayed in the page cache is not known");
	else if (s->opt.cold)
		set_env(rep, "input_state",
		    "The input was %scold: up to %.3g %% of it (%s) stayed in the page cache%s",
		    most * 10 < rep->len ? "" : "not ", 100.0 * (double)most / (double)rep->len,
		    size_text(most).s, is_in_memory(s->in.fd) ? ", as tmpfs is memory" : "");
	if (is_timed(rep->ranked[0]->verdict.outcome)) {
		char *first = verification(&s->out[0]), *second = s->nout > 1 ? verification(&s->out[1])
		    : NULL;
		bool differ = second && strcmp(first, second);
		set_env(rep, "verified", "%s%s%s%s", !second ? "" : differ ? "at the first output, "
		    : "at both outputs, ", first, differ ? "; at the second, " : "", differ ? second : "");
		free(first);
		free(second);
	}
	if (s->thrown) set_env(rep, "thrown_away", "%d", s->thrown);
	if (s->opt.overwrite && has_file(s)) {
		bool known = !s->out[0].file.unknown && !s->out[1].file.unknown;
		bool in = 2 * max(s->out[0].file.stayed, s->out[1].file.stayed) > rep->len;
		set_env(rep, "output_state", "its blocks were allocated, clean and %s, and held other bytes",
		    !known ? "in the page cache or not, which is not known"
		    : in ? "in the page cache" : "evicted from the page cache");
	}
	const struct reference *memcpy = &rep->reference[MEMCPY];
	if (memcpy->best > 0) set_env(rep, "memcpy_bytes", "%" PRId64, memcpy->bytes);
	if (memcpy->err) set_env(rep, "memcpy_error", "mmap: %s", errno_name(memcpy->err).s);
	for (int i = 0; i < REFERENCES; i++)
		if (rep->reference[i].best > 0)
			set_env(rep, references[i].key, "%" PRId64, rep->reference[i].best);
	int64_t *ns = allocate(rep->nruns, sizeof *ns); /* of getting the ends ready */
	int n = 0;
	for (int i = 0; i < rep->nrows; i++)
		for (int k = 0; k < rep->rows[i].nsamples; k++) ns[n++] = rep->rows[i].samples[k].reset_ns;
	set_env(rep, "reset_ns", "%" PRId64, max(0, median_of(ns, n)));
	free(ns);
	if (s->counters_err)
		set_env(rep, "counters", "perf_event_open: %s%s",
		    errno_name(s->counters_err).s, s->counters_err == EACCES || s->counters_err == EPERM
		    ? ": use sysctl kernel.perf_event_paranoid=1" : "");
	if (rep->control_of && rep->control.nsamples > 0) {
		begin_text(&text);
		for (int i = 0; i < rep->control.nsamples; i++)
			fprintf(text.f, "%s%" PRId64, i ? " " : "", rep->control.samples[i].ns);
		set_env(rep, "control", "%s", rep->control_of->name);
		set_env(rep, "control_round", "%d", rep->control.samples->round);
		put_env(rep, "control_ns", end_text(&text));
	}
	add_interference(s);
}

/* ---- Reports: one grid of cells for all formats; results are printed nowhere else ----------- */

#define BOUND 1.1               /* times the time of the input alone: a row is bound by it */
#define CPU_SHOWN 10            /* percent: a CPU share that is closer to one CPU is not worth a cell */
#define BAR_WIDTH 20            /* characters of the fastest row's bar, on a terminal with room for it */
#define COUNTS_NAME_WIDTH 34    /* of a row's name in the table of counters */
#define NAME_LEAST 12           /* the same on a narrow terminal */

/* What has become of a row: no pair where one of the two has not moved data. */
enum change { NO_PAIR, TOO_FEW, SAME, FASTER, SLOWER, CHANGES_COUNT };
static const char *const change_words[] = {
	[NO_PAIR] = "", [TOO_FEW] = "too few runs", [SAME] = "~", [FASTER] = "faster", [SLOWER] = "slower",
};

/* A row in one of several files. */
struct pair {
	const struct report *s;
	const struct result *r;     /* NULL: it is not there */
	struct ratio ratio;         /* to the same row of the first file */
	enum change change;         /* since then */
};

/* Files side by side. */
struct comparison {
	const struct report *s;
	int n, nrows;
	struct pair *pairs;         /* n for each row */
};

/* What a line of a grid is about: a row, one of its runs, or the same row in several files. */
struct line {
	const struct report *s;
	const struct result *r;
	const struct sample *x;     /* NULL: all runs of the row */
	const struct pair *pair;    /* of the first file; NULL: there is but one */
};

/* Where a column appears. RATIOS, COUNTS: further tables; PAIRS, CHANGES: comparisons. WIDE and on: when. */
enum {
	TEXT = 1, TERMINAL = 2, MARKDOWN = 4, CSV = 8, JSON = 16, RATIOS = 64, COUNTS = 128, PICTURE = 256,
	PAIRS = 512, CHANGES = 1024, WIDE = 2048, IF_COUNTERS = 4096, IF_KNOWN = 8192, IF_BOUND = 16384,
	IF_VERBOSE = 32768,
};

/* How a cell is written in JSON, and read from CSV. Milliseconds are nanoseconds here. */
enum cell_kind { STRING, NUMBER, MILLISECONDS };

struct column {
	const char *key;    /* in CSV and JSON */
	int in;             /* where it appears */
	void (*cell)(FILE *, const struct line *, const struct column *);
	enum cell_kind kind;
	int arg;
	int gap, width;     /* blanks before it and room in it in text, negative for flush left */
	const char *title;  /* for people; of a key what it means, for the manual page */
};

struct grid {
	struct column *columns;
	int ncolumns;
	struct line *lines;
	int nlines;
};

struct format {
	const char *name, *extension;
	void (*report)(FILE *, const struct report *);
	void (*comparison)(FILE *, const struct comparison *);
};

/* An outcome as CSV and JSON have it, where errno's name may follow, and in words. */
static const struct {
	const char *key, *words;
} outcomes[] = {
	[UNTRIED] = { "not run", "Not run" },
	[COPIED] = { "ok", "Measured" },
	[SHARED] = { "shared", "Not ranked, since blocks are shared and no data moved" },
	[UNTOUCHED] = { "untouched", "Not ranked, since neither the row nor the device looks at a byte" },
	[REFUSED] = { "n/a", "n/a" },
	[FAILED] = { "failed", "Failed" },
	[EXITED] = { "failed", "Failed" },
	[SHORT] = { "failed short",
	            "Failed, moving too few bytes (the input ended early, or a call moved nothing)" },
	[CHANGED] = { "failed changed", "Failed, since the input changed meanwhile (keep it as it is)" },
	[MISMATCH] = { "mismatch", "Copied wrongly" },
};

static void put_call(FILE *f, const struct failure *failure) {
	fputs(failure->call, f);
	if (failure->out >= 0) fprintf(f, " into the %s output", failure->out ? "second" : "first");
}

static void put_outcome(FILE *f, const struct verdict *v) {
	bool has_errno = v->outcome == REFUSED || v->outcome == FAILED;
	fputs(outcomes[v->outcome].key, f);
	if (v->outcome == EXITED && WIFSIGNALED(v->status)) fprintf(f, " signal %d", WTERMSIG(v->status));
	else if (v->outcome == EXITED) fprintf(f, " exit %d", WEXITSTATUS(v->status));
	else if (has_errno && v->failure.err == NO_ERRNO) return;
	else if (has_errno && errno_fact(v->failure.err)->number)
		fprintf(f, " %s", errno_fact(v->failure.err)->name);
	else if (has_errno) fprintf(f, " errno %d", v->failure.err);
}

/* "~": may be the fastest. */
static const char *mark(const struct result *r) { return is_copy(r) && !r->beaten_by ? "~" : ""; }

/* Does the row take hardly longer than what is measured alone? */
static bool waits_for(const struct result *r, const struct reference *alone) {
	return is_copy(r) && alone->best > 0 && (double)r->best <= BOUND * (double)alone->best;
}

/* What the row waits for most of the time: its input, with the pipe that it has; the receiver; or nothing. */
static const char *bound_by(const struct report *s, const struct result *r) {
	return waits_for(r, &s->reference[r->large ? SOURCE_LARGE : SOURCE]) ? "source"
	    : waits_for(r, &s->reference[SINK]) ? "receiver" : "";
}

/* User and system time as a share of the run, percent; -1: not known. */
static double cpu_share(const struct result *r) {
	return r->typical.cpu_ns < 0 || r->median <= 0 ? -1
	    : 100.0 * (double)r->typical.cpu_ns / (double)r->median;
}

static void put_name(FILE *f, const char *name, int width) {
	bool fits = (int)strlen(name) <= width;
	fprintf(f, "%.*s%s", fits ? INT_MAX : width - 3, name, fits ? "" : "...");
}

/* The cells. The column's argument is an offset, or a number from 0. */
#define CELL(name) static void name(FILE *f, const struct line *l, UNUSED const struct column *c)
CELL(cell_name) { fputs(l->r->name, f); }
CELL(cell_file) { fputs(l->s->file, f); }
CELL(cell_round) { fprintf(f, "%d", l->x->round); }
CELL(cell_outcome) { put_outcome(f, l->x ? &l->x->verdict : &l->r->verdict); }
CELL(cell_runs) { fprintf(f, "%d", is_timed(l->r->verdict.outcome) ? l->r->nsamples : 0); }
CELL(cell_mark) { fputs(mark(l->r), f); }
CELL(cell_bound) { fputs(bound_by(l->s, l->r), f); }
CELL(cell_setup) { fputs(l->r->typical.setup_ns < 0 ? "-" : time_text(l->r->typical.setup_ns, true).s, f); }
CELL(cell_dirty) { fputs(l->r->typical.dirty < 0 ? "-" : size_text(l->r->typical.dirty).s, f); }

static bool is_timed_line(const struct line *l) {
	return is_timed(l->x ? l->x->verdict.outcome : l->r->verdict.outcome);
}

/* A number that is at the column's offset: nothing for one that is missing. */
static bool put_number(FILE *f, const void *base, const struct column *c) {
	int64_t n = number_at(base, c->arg);
	if (n >= 0 && c->kind == MILLISECONDS) fprintf(f, "%.6f", (double)n / 1e6);
	else if (n >= 0) fprintf(f, "%" PRId64, n);
	return n >= 0;
}

/* Of a run, or what is typical for a row. "-": a counter that the kernel does not give. */
CELL(cell_number) {
	bool counter = c->in & IF_COUNTERS;
	if (is_timed_line(l) && !put_number(f, l->x ? l->x : &l->r->typical, c) && l->x && counter)
		fputc('-', f);
}

CELL(cell_of_row) { if (is_timed_line(l)) put_number(f, l->r, c); }
CELL(cell_time) { fputs(time_text(number_at(l->r, c->arg), l->s->summary.fine).s, f); }

CELL(cell_list) {
	fputc('[', f);
	for (int i = 0; i < l->r->nsamples && is_timed_line(l); i++) {
		fputs(i ? ", " : "", f);
		if (!put_number(f, &l->r->samples[i], c)) fputs("null", f);
	}
	fputc(']', f);
}

#define LEFT "left the race"

/* What there is to say of an outcome but its name: the call, the command's words, or the offset. */
CELL(cell_detail) {
	const struct verdict *v = l->x ? &l->x->verdict : &l->r->verdict;
	if (v->outcome == REFUSED || v->outcome == FAILED) put_call(f, &v->failure);
	else if (v->outcome == EXITED) fputs(v->words, f);
	else if ((v->outcome == SHORT || v->outcome == MISMATCH) && v->at >= 0) fprintf(f, "%" PRId64, v->at);
	else if (v->outcome == COPIED && l->r->left) fputs(LEFT, f);
}

/* The median of a counter in at most four characters: 1234, 12k, 1.2M; the first one is a time. */
CELL(cell_count) {
	double value = (double)l->r->typical.counts[c->arg];
	int i = 0;
	for (; i == 0 ? value >= 9999.5 : value >= 999.5; i++) value /= 1000;
	if (value < 0) fputc('-', f);
	else if (c->arg == 0) fputs(time_text(l->r->typical.counts[0], true).s, f);
	else fprintf(f, "%.*f%.*s", i > 0 && value < 9.95 ? 1 : 0, value, i > 0, &" kMGTPE"[i]);
}

static double behind(const struct line *l) { return percent_behind(l->r->best, l->s->summary.first->best); }
CELL(cell_percent) { if (is_copy(l->r) && !l->r->left) fprintf(f, "%.2f", behind(l)); }

CELL(cell_behind) {
	if (!is_copy(l->r)) fprintf(f, "(%s)", outcomes[l->r->verdict.outcome].key);
	else if (l->r->left) fprintf(f, "(%d run%s)", l->r->nsamples, plural(l->r->nsamples));
	else if (behind(l) >= 9999.5) fputs("(> 9999%)", f);
	else if (l->r != l->s->summary.first) fprintf(f, "(+ %.*f%%)", behind(l) < 99.95 ? 1 : 0, behind(l));
}

/* The same of a row in the file of that number, in short; of its fastest row the time. */
CELL(cell_in_file) {
	const struct result *r = l->pair[c->arg].r, *first = l->pair[c->arg].s->summary.first;
	const char *key = r ? outcomes[r->verdict.outcome].key : "-";
	double percent = r && first ? percent_behind(r->best, first->best) : 0;
	if (!is_copy(r))
		fprintf(f, "%.*s", (int)strcspn(key, " "), key);
	else if (r == first) fputs(time_text(r->best, r->best < FINE_BELOW).s, f);
	else if (r->left) fputs("left", f);
	else if (percent >= 9999.5) fputs(">9999%", f);
	else fprintf(f, "%+.*f%%", percent < 99.95 ? 1 : 0, percent);
	fputs(mark(r), f);
}

/* The median of a row in the file of that number. */
CELL(cell_median_in_file) {
	const struct result *r = l->pair[c->arg].r;
	if (is_copy(r)) fputs(time_text(r->median, r->median < FINE_BELOW).s, f);
	else cell_in_file(f, l, c);
}

/* "~", and "*" for a row that its input or the receiver holds up. */
CELL(cell_marks) {
	bool bound = *bound_by(l->s, l->r);
	fprintf(f, "%s%s", *mark(l->r) ? "~" : bound ? " " : "", bound ? "*" : "");
}

/* Where it is not about one CPU; from 10 CPUs on their number. */
CELL(cell_cpu) {
	double share = cpu_share(l->r);
	bool shown = share < 100 - CPU_SHOWN || share > 100 + CPU_SHOWN;
	if (!shown || !is_timed(l->r->verdict.outcome)) return;
	if (share < 0) fputs(l->s->without_cpu ? "" : "-", f);
	else fprintf(f, share < 999.5 ? "%.0f%%" : "%.0fx", share < 999.5 ? share : share / 100);
}

/* Speed, the best row's being BAR_WIDTH characters. */
CELL(cell_bar) {
	int64_t most = is_copy(l->r) ? l->s->summary.first->best : 0, best = l->r->best ? l->r->best : 1;
	for (int64_t i = 0; i < (BAR_WIDTH * most + best / 2) / best && i < BAR_WIDTH; i++) fputc('=', f);
}

/* To the recommended row, with its interval, but for that row itself; or to the first file's row. */
CELL(cell_ratio) {
	const struct ratio *all = l->pair ? &l->pair->ratio : &l->r->ratio;
	double ratio = c->arg == 0 ? all->estimate : c->arg == 1 ? all->low : all->high;
	if (is_copy(l->r) && ratio > 0 && (!c->arg || l->pair || l->r != l->s->summary.recommended))
		fprintf(f, "%.4f", ratio);
}

static void put_percent(FILE *f, double ratio) {
	double percent = 100 * ratio - 100;
	if (percent < 9999.5) fprintf(f, "%+.*f%%", percent < 999.95 ? 1 : 0, percent);
	else fputs("> 9999%", f);
}

static void put_interval(FILE *f, const struct ratio *ratio) {
	if (ratio->low > 0) fprintf(f, "%+.*f to ", ratio->low < 10.9995 ? 1 : 0, 100 * ratio->low - 100);
	if (ratio->low > 0) put_percent(f, ratio->high);
	else fputc('-', f);
}

CELL(cell_estimate) { if (is_copy(l->r)) put_percent(f, l->r->ratio.estimate); }
CELL(cell_interval) { if (is_copy(l->r) && l->r != l->s->summary.recommended) put_interval(f, &l->r->ratio); }
CELL(cell_beaten_by) { fputs(l->r->beaten_by ? l->r->beaten_by->name : "", f); }
CELL(cell_change) { fputs(change_words[l->pair[c->arg].change], f); }
CELL(cell_change_percent) { if (l->pair[1].change) put_percent(f, l->pair[1].ratio.estimate); }
CELL(cell_change_interval) { if (l->pair[1].change) put_interval(f, &l->pair[1].ratio); }

#define OF(field) ((int)offsetof(struct result, field))
#define OF_RUN(field) ((int)offsetof(struct sample, field))
#define OF_EACH(field) cell_number, .kind = NUMBER, .arg = OF_RUN(field)
#define MS_OF_EACH(field) cell_number, .kind = MILLISECONDS, .arg = OF_RUN(field)

/* A counter, for people and for programs. */
#define COUNTER(i, room, label, name, of_each, words) \
	{ "", COUNTS | MARKDOWN | IF_COUNTERS, cell_count, .arg = (i), .width = (room), .title = (label) }, \
	{ name, CSV | JSON | IF_COUNTERS, of_each(counts[i]), .title = (words) }

/* To add a column: write its cell, and add it here: of tables for people, or of reports for programs. */
static const struct column columns[] = {
	/* of tables for people */
	{ "", TEXT | MARKDOWN | PICTURE | RATIOS, cell_name, .width = -NAME_WIDTH, .title = "row" },
	{ "", COUNTS, cell_name, .width = -COUNTS_NAME_WIDTH, .title = "row" },
	{ "", TEXT | MARKDOWN | PICTURE, cell_time, .arg = OF(best), .width = 7, .title = "best" },
	{ "", TEXT | MARKDOWN, cell_time, .arg = OF(median), .gap = 1, .width = 7, .title = "median" },
	{ "", TEXT | MARKDOWN | WIDE, cell_time, .arg = OF(worst), .gap = 1, .width = 7, .title = "worst" },
	{ "", TEXT | MARKDOWN | PICTURE, cell_behind, .gap = 1, .width = -9, .title = "behind" },
	{ "", TEXT | MARKDOWN | PICTURE, cell_marks, .gap = 1, .width = -2, .title = "" },
	{ "", TEXT | MARKDOWN | WIDE, cell_cpu, .width = 4, .title = "CPU" },
	{ "", TERMINAL, cell_bar, .gap = 2, .width = -BAR_WIDTH, .title = "" },
	{ "", RATIOS, cell_runs, .width = 5, .title = "runs" },
	{ "", RATIOS, cell_estimate, .gap = 1, .width = 8, .title = "behind" },
	{ "", RATIOS, cell_interval, .gap = 2, .width = -20, .title = "95 % interval" },
	{ "", RATIOS | WIDE | IF_KNOWN, cell_setup, .arg = OF_RUN(setup_ns), .width = 7, .title = "set-up" },
	{ "", RATIOS | WIDE | IF_KNOWN, cell_dirty, .arg = OF_RUN(dirty), .width = 8, .title = "dirty" },
	{ "", CHANGES, cell_change_percent, .gap = 1, .width = 8, .title = "change" },
	{ "", CHANGES, cell_change, .arg = 1, .gap = 2, .width = -12, .title = "" },
	{ "", CHANGES | IF_VERBOSE, cell_change_interval, .gap = 2, .width = -20, .title = "95 % interval" },
	/* of reports for programs */
	{ "row", CSV | PAIRS, cell_name, .title = "row" },
	{ "name", JSON, cell_name, .title = "the row's name" },
	{ "file", PAIRS, cell_file, .title = "file" },
	{ "round", CSV, cell_round, .kind = NUMBER, .title = "from 1" },
	{ "ns", CSV, OF_EACH(ns), .title = "the run's time; nothing where it was not timed" },
	{ "outcome", CSV | JSON | PAIRS, cell_outcome, .title = "ok, shared, untouched, n/a ERRNO, failed "
	  "ERRNO, failed exit N, failed signal N, failed short, failed changed, or mismatch" },
	{ "runs_ns", JSON, cell_list, .kind = NUMBER, .arg = OF_RUN(ns), .title = "of all runs, in turn" },
	{ "best_ns", JSON | PAIRS, cell_of_row, .kind = NUMBER, .arg = OF(best), .title = "the fastest run" },
	{ "median_ns", JSON | PAIRS, cell_of_row, .kind = NUMBER, .arg = OF(median), .title = "the median" },
	{ "worst_ns", JSON, cell_of_row, .kind = NUMBER, .arg = OF(worst), .title = "the slowest run" },
	{ "percent", JSON | PAIRS, cell_percent, .kind = NUMBER, .title = "how far the best run is behind "
	  "the first row's; nothing for a row that left a race" },
	{ "cpu_ms", CSV | JSON, MS_OF_EACH(cpu_ns), .title = "user and system time, milliseconds" },
	{ "runs_cpu_ms", JSON, cell_list, .kind = MILLISECONDS, .arg = OF_RUN(cpu_ns), .title =
	  "of all runs, in turn" },
	{ "resident", CSV | IF_KNOWN, OF_EACH(resident), .title = "bytes of the input in the page cache" },
	COUNTER(0, 7, "clock", "task_clock_ms", MS_OF_EACH, "medians of perf_event_open(2), with the "
	    "kernel's share: milliseconds of CPU time"),
	COUNTER(1, 5, "ctxt", "context_switches", OF_EACH, "times that another was run"),
	COUNTER(2, 5, "migr", "cpu_migrations", OF_EACH, "moves to another CPU"),
	COUNTER(3, 6, "fault", "page_faults", OF_EACH, "faults"),
	COUNTER(4, 6, "cycle", "cycles", OF_EACH, "of the CPU"),
	COUNTER(5, 6, "instr", "instructions", OF_EACH, "that it has retired"),
	COUNTER(6, 6, "brnch", "branches", OF_EACH, "of these"),
	COUNTER(7, 5, "miss", "branch_misses", OF_EACH, "that were predicted wrongly"),
	{ "mark", JSON | PAIRS, cell_mark, .title = "~: it may be the fastest" },
	{ "beaten_by", JSON, cell_beaten_by, .title = "a row that is faster: by the test, or where runs are "
	  "too few, by complete separation" },
	{ "ratio", JSON | PAIRS, cell_ratio, .kind = NUMBER, .title = "Hodges and Lehmann's estimate of its "
	  "time relative to the recommended row's (of several files: to the first file's)" },
	{ "ratio_low", JSON | PAIRS, cell_ratio, .kind = NUMBER, .arg = 1, .title = "lower end of its 95 % "
	  "interval" },
	{ "ratio_high", JSON | PAIRS, cell_ratio, .kind = NUMBER, .arg = 2, .title = "and its upper end" },
	{ "change", PAIRS, cell_change, .title = "faster, slower, ~ for neither, or too few runs" },
	{ "runs", JSON | PAIRS, cell_runs, .kind = NUMBER, .title = "how many count" },
	{ "bound", JSON | IF_BOUND, cell_bound, .title = "source, or receiver: what held it up" },
	{ "setup_ns", CSV | JSON | IF_KNOWN, OF_EACH(setup_ns), .title = "of that, to make buffers, pipes, "
	  "rings and threads, and to open anew" },
	{ "dirty_bytes", CSV | JSON | IF_KNOWN, OF_EACH(dirty), .title = "of the output, when the clock "
	  "stopped (cachestat): what is left to be written" },
	{ "completions", CSV | JSON | IF_KNOWN, OF_EACH(completions), .title = "of sends by zero-copy" },
	{ "completions_copied", CSV | JSON | IF_KNOWN, OF_EACH(copied), .title = "copied all the same" },
	{ "detail", CSV | JSON, cell_detail, .title = "of the outcome: the call that was refused or failed, "
	  "a command's words, or the offset of the first wrong byte" },
};

/* Has any timed run that number? */
static bool has_number(const struct report *s, const struct column *c) {
	for (const struct result *r = s->rows; r < s->rows + s->nrows; r++)
		for (const struct sample *x = r->samples; x < r->samples + r->nsamples; x++)
			if (is_timed(x->verdict.outcome) && number_at(x, c->arg) >= 0) return true;
	return false;
}

/* Does a column belong there, in a session with these options? */
static bool is_shown(const struct column *c, const struct report *s, int in) {
	const struct reference *all = s->reference;
	bool bound = all[SOURCE].best + all[SOURCE_LARGE].best + all[SINK].best > 0;
	int hidden = (s->counters ? 0 : IF_COUNTERS) | (bound ? 0 : IF_BOUND) | (s->verbose ? 0 : IF_VERBOSE);
	return c->in & in && !(c->in & hidden) && (!(c->in & IF_KNOWN) || has_number(s, c));
}

static void add_column(struct grid *g, const struct column *c) {
	g->columns = resize(g->columns, g->ncolumns + 1, sizeof *g->columns);
	g->columns[g->ncolumns++] = *c;
}

/* A grid with room for so many lines, and the columns of columns[] that belong there. */
static struct grid begin_grid(const struct report *s, int in, int room) {
	struct grid g = { .lines = allocate(room, sizeof *g.lines) };
	for (int i = 0; i < LENGTH(columns); i++)
		if (is_shown(&columns[i], s, in)) add_column(&g, &columns[i]);
	return g;
}

static void end_grid(struct grid *g) {
	free(g->columns);
	free(g->lines);
}

/* The rows of a session: all, or those that were timed. */
static struct grid grid_of_rows(const struct report *s, int in, bool all) {
	struct grid g = begin_grid(s, in, s->nrows);
	for (int i = 0; i < s->nrows; i++)
		if (all || is_timed(s->ranked[i]->verdict.outcome))
			g.lines[g.nlines++] = (struct line){ .s = s, .r = s->ranked[i] };
	return g;
}

/* A cell's text, to be freed; no line: the column's title. */
static char *cell_text(const struct column *c, const struct line *l) {
	struct text text;
	FILE *f = begin_text(&text);
	if (l) c->cell(f, l, c);
	else fputs(c->title, f);
	return end_text(&text);
}

/* Makes a grid fit: it loses its wide columns, then its first one, the names, gets what is left. */
static void fit(struct grid *g, int width) {
	int used = 0, kept = 0;
	for (int i = 0; i < g->ncolumns; i++)
		if (width >= TEXT_WIDTH || !(g->columns[i].in & WIDE)) g->columns[kept++] = g->columns[i];
	g->ncolumns = kept;
	for (int i = 1; i < kept; i++) used += g->columns[i].gap + abs(g->columns[i].width);
	if (kept > 0 && used - g->columns->width > width)
		g->columns->width = -(int)max(width - used, NAME_LEAST);
}

static void cut_name(char *name, int width) {
	if ((int)strlen(name) > width) memcpy(name + width - 3, "...", 4);
}
/* The columns' titles and the lines, without blanks at their ends; the line of one row between two texts. */
static void put_text_grid(FILE *f, const struct grid *g, const struct result *bright, const char *on,
    const char *off) {
	for (int i = g->nlines ? -1 : 0; i < g->nlines; i++) {
		bool shines = i >= 0 && bright && g->lines[i].r == bright;
		int blanks = 0; /* owed to the next cell that is not empty; below 0 where one was too wide */
		fputs(shines ? on : "", f);
		for (const struct column *c = g->columns; c < g->columns + g->ncolumns; c++) {
			char *text = cell_text(c, i < 0 ? NULL : &g->lines[i]);
			if (c->cell == cell_name) cut_name(text, abs(c->width));
			int width = abs(c->width), used = (int)strlen(text);
			blanks += c->gap + (c->width > 0 || !used ? width - used : 0);
			int gap = blanks > 0 ? blanks : c->gap > 0;
			if (used) fprintf(f, "%*s%s", gap, "", text);
			blanks -= used ? gap : 0;
			blanks += c->width < 0 && used ? width - used : 0;
			free(text);
		}
		fprintf(f, "%s\n", shines ? off : "");
	}
}

/* Some characters become entities, or stand behind an escape. */
static void put_escaped(FILE *f, const char *text, const char *entities, const char *special,
    const char *behind) {
	static const char all[] = "&<>\"'", *const names[] = { "amp", "lt", "gt", "quot", "apos" };
	for (; *text; text++)
		if (strchr(entities, *text)) fprintf(f, "&%s;", names[strchr(all, *text) - all]);
		else fprintf(f, "%s%c", strchr(special, *text) ? behind : "", *text);
}

static void put_xml(FILE *f, const char *text) { put_escaped(f, text, "&<>\"'", "", ""); }

/* In Markdown, so that it makes no link, no picture and no HTML (GitHub Flavored Markdown, 2.4 and 2.5). */
static void put_markdown(FILE *f, const char *text) { put_escaped(f, text, "&<>", "\\`*[]|", "\\"); }

/* A field as RFC 4180 has it; a # is a comment's for many programs. */
static void put_csv(FILE *f, const char *text) {
	const char *quote = text[strcspn(text, ",\"#\r\n")] ? "\"" : "";
	fputs(quote, f);
	put_escaped(f, text, "", "\"", "\"");
	fputs(quote, f);
}

/* A string as RFC 8259 has it; bytes that are no UTF-8 are passed on. */
static void put_json(FILE *f, const char *text) {
	fputc('"', f);
	for (; *text; text++)
		if ((unsigned char)*text < ' ') fprintf(f, "\\u%04x", *text);
		else fprintf(f, "%s%c", *text == '"' || *text == '\\' ? "\\" : "", *text);
	fputc('"', f);
}

/* "key": "text", or "key": 1, or "key": null where there is no number. */
static void put_json_member(FILE *f, const char *key, const char *text, bool quoted) {
	put_json(f, key);
	fputs(": ", f);
	if (quoted) put_json(f, text);
	else fputs(*text ? text : "null", f);
}

/* Lines of cells between two texts, each followed by a third, from -1, the titles, or -2, the keys, on. */
static void put_grid(FILE *f, const struct grid *g, int from, void (*put)(FILE *, const char *),
    const char *texts[3]) {
	for (int i = from; i < g->nlines; i++) {
		if (i == -1 && from == -2) continue;
		for (const struct column *c = g->columns; c < g->columns + g->ncolumns; c++) {
			char *text = i == -2 ? strdup(c->key) : cell_text(c, i < 0 ? NULL : &g->lines[i]);
			fputs(c > g->columns || *texts[0] == '|' ? texts[0] : "", f);
			put(f, text);
			fputs(texts[1], f);
			free(text);
		}
		fputs(texts[2], f);
		for (int k = 0; i == -1 && k < g->ncolumns; k++)
			fprintf(f, "| %s %s", g->columns[k].width < 0 ? ":--" : "--:",
			    k == g->ncolumns - 1 ? "|\n" : "");
	}
}

static void put_csv_grid(FILE *f, const struct grid *g) {
	put_grid(f, g, -2, put_csv, (const char *[]){ ",", "", "\n" });
}

static void put_markdown_grid(FILE *f, const struct grid *g) {
	put_grid(f, g, -1, put_markdown, (const char *[]){ "| ", " ", "|\n" });
	fputc('\n', f);
}

static void put_json_grid(FILE *f, const struct grid *g) {
	fputs("\"rows\": [", f);
	for (int i = 0; i < g->nlines; i++) {
		fputs(i ? ",\n  {" : "\n  {", f);
		for (const struct column *c = g->columns; c < g->columns + g->ncolumns; c++) {
			char *text = cell_text(c, &g->lines[i]);
			fputs(c > g->columns ? ", " : "", f);
			put_json_member(f, c->key, text, c->kind == STRING);
			free(text);
		}
		fputc('}', f);
	}
	fputs("]}\n", f);
}

/* Characters up to where a line may be broken: not in "$ cat", and not before a unit. */
static int word_length(const char *text) {
	static const char *const units[] = { " %", " GiB/s", " MiB/s", " s", " x" };
	int length = !strncmp(text, "$ ", 2) ? 2 : !strncmp(text, "-n ", 3) ? 3 : 0;
	length += (int)strcspn(text + length, " ");
	for (int i = 0; i < LENGTH(units) && length > 0 && isdigit((unsigned char)text[length - 1]); i++) {
		size_t unit = strlen(units[i]);
		if (!strncmp(text + length, units[i], unit) && strchr(" ,.;:)", text[length + unit]))
			return length + (int)unit + (int)strcspn(text + length + unit, " ");
	}
	return length;
}

/* Prints words, broken into lines of width characters, all but the first of them indented. */
static void put_wrapped(FILE *f, const char *text, int width, int column, int indent) {
	while (*text) {
		int word = word_length(text);
		if (width > indent) word = (int)min(word, width - indent); /* a long one is cut */
		int space = (int)strspn(text + word, " ");
		if (column > indent && column + word > width) column = fprintf(f, "\n%*s", indent, "") - 1;
		column += fprintf(f, "%.*s", word, text);
		text += word;
		if (*text && column + space + word_length(text + space) <= width)
			column += fprintf(f, "%*s", space, "");
		else if (*text) column = width;
		text += space;
	}
	fputc('\n', f);
}

/* ---- Notes: what stands below a table, in sentences ----------------------------------------- */

#define NOTE_LINES 9            /* below the table and a blank line, without --verbose: 10 in all */
#define COMMAND_SHOWN 30        /* characters of a command in a sentence */
#define STARTED 0.05            /* of a command's time, spent on starting it: no longer little */

#define note(notes, ...) append(notes, print_text(__VA_ARGS__))

static void drop_notes(struct list *notes) {
	for (int i = 0; i < notes->n; i++) free((char *)notes->item[i]);
	free(notes->item);
	*notes = (struct list){ .n = 0 };
}

static bool same_verdict(const struct verdict *a, const struct verdict *b) {
	const char *calls[] = { a->failure.call ? a->failure.call : "",
	    b->failure.call ? b->failure.call : "" };
	return a->outcome == b->outcome && a->failure.err == b->failure.err
	    && a->failure.out == b->failure.out && !strcmp(calls[0], calls[1]) && a->status == b->status
	    && (a->outcome != EXITED || !strcmp(a->words, b->words))
	    && (a->outcome != MISMATCH || a->at == b->at);
}

/* Is no row with that verdict ranked before this one? */
static bool is_first_of_verdict(const struct report *s, int row) {
	for (int i = 0; i < row; i++)
		if (same_verdict(&s->ranked[i]->verdict, &s->ranked[row]->verdict)) return false;
	return true;
}

/* The rows that share a verdict; where that is not wanted not all of them. */
static void put_names(FILE *f, const struct report *s, int first) {
	int n = 0;
	for (int i = first; i < s->nrows; i++) {
		if (!same_verdict(&s->ranked[i]->verdict, &s->ranked[first]->verdict)) continue;
		if (n++ >= NAMES_SHOWN && !s->verbose) continue;
		fputs(i > first ? ", " : "", f);
		put_name(f, s->ranked[i]->name, s->verbose ? INT_MAX : NAME_WIDTH);
	}
	if (n > NAMES_SHOWN && !s->verbose) fprintf(f, " and %d more", n - NAMES_SHOWN);
}

/* All rows that are n/a for one errno, with the calls that said so, unless one before this row is. */
static void note_refusal(struct list *notes, const struct report *s, int first) {
	int err = s->ranked[first]->verdict.failure.err;
	struct text text;
	FILE *f = begin_text(&text);
	bool done = false;
	for (int i = 0; i < s->nrows; i++) {
		const struct verdict *v = &s->ranked[i]->verdict;
		if (v->outcome != REFUSED || v->failure.err != err || !is_first_of_verdict(s, i)) continue;
		done |= i < first;
		fputs(i > first ? "; " : "n/a: ", f);
		put_names(f, s, i);
		fputs(": ", f);
		put_call(f, &v->failure);
	}
	fprintf(f, "%s%s.", err == NO_ERRNO ? "" : ": ", errno_name(err).s);
	end_text(&text);
	if (done) free(text.chars);
	else append(notes, text.chars);
}

static void note_verdict(struct list *notes, const struct report *s, int first) {
	const struct verdict *v = &s->ranked[first]->verdict;
	struct text text;
	FILE *f = begin_text(&text);
	fprintf(f, "%s: ", outcomes[v->outcome].words);
	put_names(f, s, first);
	if (v->outcome == FAILED) {
		fputs(": ", f);
		put_call(f, &v->failure);
		fprintf(f, ": %s", errno_text(v->failure.err).s);
	} else if (v->outcome == EXITED) {
		fprintf(f, ": %s%s%s", status_text(v->status).s, *v->words ? ": " : "", v->words);
	} else if (v->outcome == MISMATCH && v->at >= 0) {
		fprintf(f, ": differs from the input at byte %" PRId64 "%s", v->at,
		    s->ranked[first]->command ? ", though with exit status 0" : "");
	}
	fputc('.', f);
	append(notes, end_text(&text));
}

/* What became of the rows that were not timed, or whose data did not move: failures, or the others. */
static void note_verdicts(struct list *notes, const struct report *s, bool failures) {
	for (int i = 0; i < s->nrows; i++) {
		enum outcome outcome = s->ranked[i]->verdict.outcome;
		if (outcome != COPIED && (outcome >= FAILED) == failures && is_first_of_verdict(s, i))
			(outcome == REFUSED ? note_refusal : note_verdict)(notes, s, i);
	}
	if (failures && has_env(s, "interrupted")) note(notes, "Interrupted %s.", env(s, "interrupted"));
}

/* memcpy's speed; 0: it was not measured, or not of how many bytes. */
static double roof(const struct report *s) {
	const struct reference *m = &s->reference[MEMCPY];
	return m->best > 0 && m->bytes > 0 && s->len > 0 ? speed(m->bytes, m->best) : 0;
}

/* The sentence that the table comes down to: the row, how it compares, why not the one with the best run. */
static void put_recommendation(FILE *f, const struct report *s) {
	const struct result *best = s->summary.recommended;
	double cpus = cpu_share(best) / 100;
	fprintf(f, "%s%s", s->summary.copies > 1 ? "Use " : "", best->name);
	if (s->len > 0) fprintf(f, ": %s", speed_text(speed(s->len, best->median)).s);
	if (cpus >= 0) fprintf(f, " with %.1f CPU%s", cpus, cpus >= 0.95 && cpus < 1.05 ? "" : "s");
	if (roof(s) > 0) fprintf(f, ", %.0f %% of memcpy", 100 * speed(s->len, best->median) / roof(s));
	for (int i = 0; i < s->nrows; i++) {
		const struct result *r = s->ranked[i];
		if (!r->command || !is_copy(r) || r == best) continue;
		fprintf(f, ", %.2f times as fast as ", r->ratio.estimate);
		put_name(f, r->command, COMMAND_SHOWN);
		if (r->ratio.low > 0) fprintf(f, " (95 %%: %.2f to %.2f)", r->ratio.low, r->ratio.high);
	}
	fputc('.', f);
	const struct result *first = s->summary.first;
	if (first == best) return;
	fprintf(f, " Not %s: best run %s, but ", first->name, time_text(first->best, s->summary.fine).s);
	if (first->left) fputs("it left the race early.", f);
	else if (first->median > best->median && (double)first->median > ENOUGH * (double)best->median)
		fprintf(f, "its median is %.0f %% behind.", percent_behind(first->median, best->median));
	else if (first->beaten_by) fprintf(f, "%s beats it.", first->beaten_by->name);
	else fputs("of rows within 2 % the one with less CPU time is taken, or the plainer.", f);
}

static void note_candidates(struct list *notes, const struct report *s) {
	const struct summary *sum = &s->summary;
	int runs = sum->first ? sum->first->nsamples : 0;
	bool few = sum->untested == sum->copies, many = sum->candidates > 1;
	char ask[64];
	if (sum->copies < 2) return;
	int more = few ? fewest_runs(sum->level) : runs >= 10 ? 2 * runs : 10;
	double orders = 1; /* C(2 runs - 1, runs), of which in one all runs of a row are behind the first's */
	for (int i = 1; i <= runs; i++) orders = orders * (runs - 1 + i) / i;
	if (s->race) snprintf(ask, sizeof ask, "--race=%" PRId64, 2 * s->race);
	else snprintf(ask, sizeof ask, "-n %d%s", more, few ? "" : " or --race");
	if (runs < 2) note(notes, "One run recommends nothing: use %s.", ask);
	else if (few)
		note(notes, "~: %d of %d rows may be fastest. %d runs give %.2g %% false alarms per row: use "
		    "%s.", sum->candidates, sum->copies, runs, 100 / orders, ask);
	else
		note(notes, "~: %d of %d rows may be fastest (95 %% confidence)%s%s.", sum->candidates,
		    sum->copies, many ? "; use " : "", many ? ask : "");
}

/* A fact in a sentence, between what comes before and after it; of one thing without the last letter. */
struct part {
	const char *key, *before, *after;
};

/* A note of facts that so many sessions share. */
static void note_facts(struct list *notes, const char *title, const struct report *s, int n,
    const struct part *parts, int nparts) {
	struct text text;
	FILE *f = begin_text(&text);
	const struct part *last = NULL;
	const char *value = "";
	for (const struct part *p = parts; p < parts + nparts; p++) {
		const struct env_row *row = find_env_row(p->key);
		enum env_kind kind = row ? row->kind : IS_TEXT;
		int shared = 0, after = (int)strlen(p->after);
		while (shared < n && has_env(&s[shared], p->key)
		    && !strcmp(env(&s[shared], p->key), env(s, p->key)))
			shared++;
		if (shared < n) continue;
		value = env(s, p->key);
		after -= after && p->after[after - 1] == 's' && !strcmp(value, "1");
		int64_t number = strtoll(value, NULL, 10);
		fprintf(f, "%s%s%.*s", last ? p->before : p->before + strspn(p->before, ",; "),
		    kind == IS_SIZE ? size_text(number).s : kind == IS_TIME ? time_text(number, true).s
		    : value, after, p->after);
		last = p;
	}
	end_text(&text);
	size_t length = strlen(text.chars);
	if (length) note(notes, "%s%s%s", title, text.chars, text.chars[length - 1] == '.' ? "" : ".");
	free(text.chars);
}

/* All that is known besides: how the verdict came about, what the clock does not cover, zeros left out. */
static void note_details(struct list *notes, const struct report *s) {
	static const struct part order[] = { { "order", "Order: ", "" }, { "pause_s", ", ", " s apart" },
	    { "warmup", ", after ", " rounds" } }, others[] = {
		{ "verified", "Verified: ", "." },
		{ "thrown_away", "Repeated, since something stood still or a clock jumped: ", " runs" },
		{ "memcpy_error", "memcpy was not measured: ", "." },
		{ "reset_ns", "Set-up of the ends (untimed): ", " per run." }, { "input", "Input: ", "." },
		{ "output", "Output: ", "." }, { "second_output", "Second output: ", "." },
		{ "date", "Date: ", "." },
	};
	const struct reference *m = &s->reference[MEMCPY];
	const struct summary *sum = &s->summary;
	if (sum->copies > 1 && sum->untested < sum->copies)
		note(notes, "A row without ~ is slower than another by an exact one-sided Mann-Whitney test "
		    "at %.2g %%, which is %.3g %% over %d rows.", 100 * sum->level, 100 * LEVEL, sum->copies);
	if (sum->copies > 1 && sum->untested > 0)
		note(notes, "%d row%s with too few runs for that test: without ~ if each run took longer "
		    "than each of %s.", sum->untested, plural(sum->untested), sum->first->name);
	if (sum->noise >= 0)
		note(notes, "Control: %s, run twice a round, came out %.2g %% apart; a smaller difference is "
		    "none.", s->control_of->name, sum->noise);
	note_facts(notes, "", s, 1, order, LENGTH(order));
	if (m->best > 0 && m->bytes > 0)
		note(notes, "memcpy of %s in the same rounds: best %s, %s.", size_text(m->bytes).s,
		    time_text(m->best, true).s, speed_text(speed(m->bytes, m->best)).s);
	for (int i = 0; i < s->nrows; i++) {
		const struct result *r = s->ranked[i];
		const struct sample *x = &r->typical;
		if (!is_timed(r->verdict.outcome)) continue;
		if (x->completions >= 0 && x->copied >= 0)
			note(notes, "%s: the kernel copied %" PRId64 " of %" PRId64 " sends all the same.",
			    r->name, x->copied, x->completions);
	}
	for (int i = 0; i < LENGTH(others); i++) note_facts(notes, "", s, 1, &others[i], 1);
}

static struct words alone(const struct report *s, int i) {
	bool known = s->reference[i].best > 0 && s->len > 0;
	return known ? speed_text(speed(s->len, s->reference[i].best)) : say("-");
}

/* Rows that wait for their input, or for the receiver; how long a command takes that does nothing. */
static void note_references(struct list *notes, const struct report *s) {
	const struct reference *all = s->reference;
	int source = 0, sink = 0, started = 0;
	for (const struct result *r = s->rows; r < s->rows + s->nrows; r++) {
		source += !strcmp(bound_by(s, r), "source");
		sink += !strcmp(bound_by(s, r), "receiver");
		started += r->command && is_timed(r->verdict.outcome)
		    && (double)all[NO_COMMAND].best > STARTED * (double)r->median;
	}
	if (source > 0 || (s->verbose && all[SOURCE].best + all[SOURCE_LARGE].best > 0))
		note(notes, "*: %d of %d rows waited for the input, which gives %s alone, %s by a pipe of "
		    "1m.", source, s->summary.copies, alone(s, SOURCE).s, alone(s, SOURCE_LARGE).s);
	if (sink > 0 || (s->verbose && all[SINK].best > 0))
		note(notes, "*: %d of %d rows waited for the receiver, which takes %s at most.", sink,
		    s->summary.copies, alone(s, SINK).s);
	if (started)
		note(notes, "Starting a command takes %s, which is in each $ row.",
		    time_text(all[NO_COMMAND].best, true).s);
}

/* Rows that have written to the disk what others leave to be written later. */
static void note_dirty(struct list *notes, const struct report *s) {
	struct text names;
	int64_t most = 0;
	int n = 0;
	begin_text(&names);
	for (int i = 0; i < s->nrows; i++)
		if (is_copy(s->ranked[i])) most = max(most, s->ranked[i]->typical.dirty);
	for (int i = 0; i < s->nrows; i++) {
		const struct result *r = s->ranked[i];
		if (!is_copy(r) || r->typical.dirty < 0 || 2 * r->typical.dirty >= most) continue;
		if (n++ < NAMES_SHOWN || s->verbose) fprintf(names.f, "%s%s", n > 1 ? ", " : "", r->name);
	}
	if (n > NAMES_SHOWN && !s->verbose) fprintf(names.f, " and %d more", n - NAMES_SHOWN);
	end_text(&names);
	if (n && 2 * most >= s->len) /* else the kernel has written for all of them: memory is short */
		note(notes, "Disk writes are part of %s; others left %s dirty.", names.chars,
		    size_text(most).s);
	free(names.chars);
}

/* What stands below the table, the most important first. */
static struct list make_notes(const struct report *s) {
	static const struct part states[] = {
		{ "size_asked", "The input has fewer bytes than --size asked for: ", "." },
		{ "output_state", "Output overwritten: ", "." }, { "server_copies", "", "." },
		{ "input_state", "", "." },
	}, command[] = {
		{ "command_line", "", "" }, { "output_mount", "; output on ", "" },
		{ "second_output_mount", "; second output on ", "" }, { "input_mount", "; input on ", "" },
		{ "governor", "; governor ", "" },
	};
	const char *order = has_env(s, "seed") ? "seed" : "order";
	const struct part provenance[] = { /* the machine and the method */
		{ "cpu", "", "" }, { "cpus", ", ", " CPUs" }, { "memory_bytes", ", ", "" },
		{ "until", "; until ", "" }, { "page_cache", ", ", "" }, { "race", "; a race of ", " runs" },
		{ "runs", "; ", " runs" }, { order, *order == 's' ? ", seed " : ", ", "" },
		{ "version", "; ", "" },
	};
	bool missing = has_env(s, "counters");
	struct list notes = { .n = 0 };
	note_verdicts(&notes, s, true);
	if (s->quiet) return notes;
	if (s->summary.recommended) note(&notes, "%s", env(s, "recommendation"));
	note_candidates(&notes, s);
	note_references(&notes, s);
	if (s->counters)
		note(&notes, "Medians of perf_event_open(2), with the kernel's share.%s%s%s",
		    missing ? " -: " : "", missing ? env(s, "counters") : "", missing ? "." : "");
	note_dirty(&notes, s);
	note_verdicts(&notes, s, false);
	for (int i = 0; i < s->nenv; i++)
		if (!strncmp(s->env[i].key, "warning_", 8)) note(&notes, "Warning: %s.", s->env[i].value);
	for (int i = 0; i < LENGTH(states); i++) note_facts(&notes, "", s, 1, &states[i], 1);
	if (s->verbose) note_details(&notes, s);
	note_facts(&notes, "Ran: ", s, 1, command, LENGTH(command));
	note_facts(&notes, "", s, 1, provenance, LENGTH(provenance));
	return notes;
}

/* As lines. Notes that have no room are only counted; the last one, the provenance, always has. */
static void put_notes(FILE *f, struct list *notes, int width, int most) {
	int *counts = allocate(notes->n, sizeof *counts), lines = 0, last = notes->n - 1, skipped = 0;
	for (int i = 0; i <= last; i++) {
		struct text text;
		put_wrapped(begin_text(&text), notes->item[i], width, 0, 2);
		free((char *)notes->item[i]);
		notes->item[i] = end_text(&text);
		for (const char *c = notes->item[i]; *c; c++) counts[i] += *c == '\n';
		lines += counts[i];
	}
	if (lines > most) most -= 1 + counts[last]; /* and a line that counts the others */
	for (int i = 0; i <= last; i++) {
		if (i == last && skipped)
			fprintf(f, "%d more note%s: --verbose.\n", skipped, plural(skipped));
		bool fits = i == last || counts[i] <= most;
		if (fits) fputs(notes->item[i], f);
		most -= fits ? counts[i] : 0;
		skipped += !fits;
	}
	free(counts);
	drop_notes(notes);
}

static void put_markdown_notes(FILE *f, struct list *notes, int most) {
	int kept = notes->n <= most ? notes->n : most - 2, last = notes->n - 1;
	for (int i = 0; i < notes->n; i++) {
		if (i == kept && i < last) fprintf(f, "- %d more notes: --verbose.\n", last - kept);
		if (i >= kept && i < last) continue;
		fputs("- ", f);
		put_markdown(f, notes->item[i]);
		fputc('\n', f);
	}
	drop_notes(notes);
}

/* ---- Conclusions: what follows from the runs alone ------------------------------------------ */

#define ROUND_SLOWER 10         /* percent: slower than noise makes a round */
#define SPREAD 1.3              /* times a row's best run, for its worst: the machine was not quiet */

/* Facts that follow from the runs, and are made anew where a report is read back. */
static const char *const concluded[] = { "warning_first_round", "warning_drift", "warning_waited",
    "warning_on_cpu", "warning_setup", "run_lines", "recommended", "recommendation", "candidates", "level" };

/* Rows with slow runs: on the CPU, or waiting, which is a run's time less its CPU time. */
static void add_spread(struct report *s) {
	int timed = 0, waited = 0, on_cpu = 0;
	for (int i = 0; i < s->nrows; i++) {
		const struct result *r = &s->rows[i];
		const struct sample *best = r->samples, *worst = r->samples;
		if (!is_timed(r->verdict.outcome)) continue;
		timed++;
		for (const struct sample *x = r->samples; x < r->samples + r->nsamples; x++) {
			best = x->ns < best->ns ? x : best;
			worst = x->ns > worst->ns ? x : worst;
		}
		if ((double)worst->ns <= SPREAD * (double)best->ns) continue;
		if (worst->cpu_ns < 0 || best->cpu_ns < 0) continue; /* not known */
		bool worked = 2 * (worst->cpu_ns - best->cpu_ns) > worst->ns - best->ns;
		on_cpu += worked;
		waited += !worked;
	}
	if (waited > 0)
		set_env(s, "warning_waited",
		    "%d of %d rows have slow runs that waited: for disk or hypervisor", waited, timed);
	if (on_cpu > 0)
		set_env(s, "warning_on_cpu",
		    "%d of %d rows have slow runs on the CPU: end what else runs here", on_cpu, timed);
}

/* What the runs come down to. */
static void add_conclusions(struct report *s) {
	double first = 100 * round_ratio(s, false) - 100, later = 100 * round_ratio(s, true) - 100;
	int lines = 0, setups = 0;
	struct text text;
	const struct result *winner = s->summary.recommended ? s->summary.recommended : s->summary.first;
	for (int i = 0; i < s->nrows; i++) {
		lines += s->rows[i].nsamples;
		setups += is_copy(&s->rows[i]) && 10 * s->rows[i].typical.setup_ns > winner->median;
	}
	if (first > ROUND_SLOWER)
		set_env(s, "warning_first_round",
		    "the first round was %.0f %% slower than the others: use --warmup=1", first);
	if (later > ROUND_SLOWER)
		set_env(s, "warning_drift",
		    "later rounds took %.0f %% longer than earlier ones: use a longer --pause", later);
	add_spread(s);
	set_env(s, "run_lines", "%d", lines);
	if (setups > 0)
		set_env(s, "warning_setup", "set-up takes more than 10 %% of the winner's time in %d of %d "
		    "rows: copy more", setups, s->summary.copies);
	if (s->summary.copies > 1) set_env(s, "candidates", "%d", s->summary.candidates);
	if (s->summary.copies > 1) set_env(s, "level", "%.6g", s->summary.level);
	if (!s->summary.recommended) return;
	set_env(s, "recommended", "%s", s->summary.recommended->name);
	put_recommendation(begin_text(&text), s);
	put_env(s, "recommendation", escaped(end_text(&text)));
}

/* ---- Formats of one report ------------------------------------------------------------------ */

static int text_width(const struct report *s) { return s->width ? s->width : TEXT_WIDTH; }

static void report_text(FILE *f, const struct report *s) {
	int width = text_width(s), table = (int)min(width, TEXT_WIDTH);
	struct grid g = grid_of_rows(s, width > TEXT_WIDTH + BAR_WIDTH && s->colour ? TEXT | TERMINAL : TEXT,
	    false);
	struct list notes = make_notes(s);
	int further[] = { s->counters ? COUNTS : 0, s->verbose && s->summary.copies > 1 ? RATIOS : 0 };
	struct text heading;
	size_t longest = 0;
	put_wrapped(begin_text(&heading), env(s, "heading"), width, 0, 0);
	fputs(end_text(&heading), f);
	for (char *at, *rest = heading.chars; (at = strsep(&rest, "\n"));) longest = max(longest, strlen(at));
	for (; longest > 0; longest--) fputc('-', f);
	fputs("\n\n", f);
	free(heading.chars);
	fit(&g, width);
	put_text_grid(f, &g, s->colour ? s->summary.recommended : NULL, "\033[1;32m", "\033[0m");
	fputs(g.nlines && notes.n ? "\n" : "", f);
	end_grid(&g);
	for (int i = 0; i < LENGTH(further); i++)
		if (further[i]) {
			g = grid_of_rows(s, further[i], false);
			fit(&g, table);
			put_text_grid(f, &g, NULL, "", "");
			fputs(notes.n ? "\n" : "", f);
			end_grid(&g);
		}
	put_notes(f, &notes, table, s->verbose ? INT_MAX : NOTE_LINES);
}

static void report_markdown(FILE *f, const struct report *s) {
	struct grid g = grid_of_rows(s, MARKDOWN, false);
	struct list notes = make_notes(s);
	fputs("### ", f);
	put_markdown(f, env(s, "heading"));
	fputs("\n\n", f);
	put_markdown_grid(f, &g);
	end_grid(&g);
	put_markdown_notes(f, &notes, s->verbose ? INT_MAX : NOTE_LINES);
}

/* Is it a number as JSON has them (RFC 8259, 6)? A file of another program may have anything. */
static bool is_number(const char *text) {
	static const char json[] = "^(0|[1-9][0-9]*)(\\.[0-9]+)?(e[-+]?[0-9]+)?$";
	regex_t number;
	if (regcomp(&number, json, REG_EXTENDED | REG_NOSUB)) die_errno("memory", "regcomp");
	bool is = !regexec(&number, text, 0, NULL, 0);
	regfree(&number);
	return is;
}

static void put_json_environment(FILE *f, const struct report *s) {
	fputc('{', f);
	for (int i = 0; i < s->nenv; i++) {
		const char *key = s->env[i].key, *value = s->env[i].value;
		const struct env_row *row = find_env_row(key);
		bool quoted = !row || row->kind < IS_LIST || (row->kind > IS_LIST && !is_number(value));
		bool list = row && row->kind == IS_LIST;
		fputs(i ? ",\n  " : "\n  ", f);
		put_json_member(f, key, list ? "[" : value, quoted);
		for (char *tail; list && *(value += strspn(value, " ")); value = tail)
			fprintf(f, "%s%lld", value > s->env[i].value ? ", " : "", strtoll(value, &tail, 10));
		fputs(list ? "]" : "", f);
	}
	fputc('}', f);
}

static void report_csv(FILE *f, const struct report *s) {
	struct grid g = begin_grid(s, CSV, s->nruns);
	for (int i = 0; i < s->nenv; i++) fprintf(f, "# %s: %s\n", s->env[i].key, s->env[i].value);
	for (int i = 0; i < s->nrows; i++)
		for (int k = 0; k < s->rows[i].nsamples; k++) {
			const struct sample *x = &s->rows[i].samples[k];
			g.lines[x->order] = (struct line){ .s = s, .r = &s->rows[i], .x = x };
		}
	for (int i = 0; i < s->nruns; i++)
		if (g.lines[i].r) /* a reference or the control is no row: it is in the environment */
			g.lines[g.nlines++] = g.lines[i];
	put_csv_grid(f, &g);
	end_grid(&g);
}

static void report_json(FILE *f, const struct report *s) {
	struct grid g = grid_of_rows(s, JSON, true);
	fputs("{\"environment\": ", f);
	put_json_environment(f, s);
	fputs(",\n", f);
	put_json_grid(f, &g);
	end_grid(&g);
}

/* ---- Pictures: one report, or several, in SVG 1.1 (W3C, 2011): shapes and text only --------- */

#define PICTURE_WIDTH 640       /* units of a picture, whose letters are 12: legible at a README's width */
#define PICTURE_SHOWN 800       /* pixels that it has by itself: a README's width */
#define MARGIN 14               /* units at its edges */
#define LINE 18                 /* units from one of its lines to the next */
#define LETTER 7.23             /* units that a letter is wide: 0.602 em in most monospaced fonts */
#define ROOF 2.5                /* times the fastest row's speed: a faster memcpy has no room */
#define TICKS 5                 /* of an axis, at most: their labels are as wide */
#define DOTS_MAX 12             /* runs of a row that a picture shows one by one */

/* A picture grows downwards. */
struct picture {
	struct text body;
	FILE *f;     /* of the body */
	double y;    /* where the next line begins; units, as all lengths here */
	int width;
};

/* How text is set. Fonts are attributes, which all renderers know. */
static const struct lettering {
	int size; /* of its letters, units */
	bool bold;
	const char *class;
} title_look = { 14, true, "" }, plain_look = { 12, false, "" }, bold_look = { 12, true, "" },
    note_look = { 11, false, "note" };

/* Colours, by class; on a dark page by the second half. Nothing depends on colour alone. */
static const char style[] =
	"text{fill:#1f2328}text.note{fill:#59636e}.page{fill:#fff}.grid{stroke:#d1d9e0}.best{fill:#0550ae}\n"
	".memcpy{stroke:#bc4c00}.alike{fill:#54aeff}.slower{fill:#a9b6c3}.apart{fill:none;stroke:#59636e}\n"
	".s0{fill:#0b3d75}.s1{fill:#2a6fb5}.s2{fill:#8dbbe8}.s3{fill:#cfe3f7}.s4{fill:#f0f4f8}\n"
	".median{stroke:#1f2328}text.t0,text.t1{fill:#fff}\n"
	"@media (prefers-color-scheme:dark){text{fill:#e6edf3}text.note{fill:#9198a1}.page{fill:#0d1117}\n"
	".grid{stroke:#30363d}.memcpy{stroke:#f0883e}.best{fill:#58a6ff}.alike{fill:#1f6feb}\n"
	".slower{fill:#59636e}.apart{stroke:#9198a1}.median{stroke:#fff}\n"
	".s0{fill:#79c0ff}.s1{fill:#388bfd}.s2{fill:#1f5ba8}.s3{fill:#16365f}.s4{fill:#161b22}\n"
	"text.t0,text.t1{fill:#0d1117}text.t2,text.t3,text.t4{fill:#e6edf3}}\n";

/* Text at a place: its start, middle or end, as text-anchor has them; y is the top of its line. */
static void put_label(struct picture *p, double x, double y, const char *anchor, const struct lettering *look,
    const char *text) {
	if (!*text) return;
	fprintf(p->f, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" text-anchor=\"%s\"%s class=\"%s\">", x,
	    y + 13, look->size, anchor, look->bold ? " font-weight=\"bold\"" : "", look->class);
	put_xml(p->f, text);
	fputs("</text>\n", p->f);
}

static void put_box(struct picture *p, double x, double y, double width, double height, const char *class) {
	fprintf(p->f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"%s\"/>\n", x, y,
	    width, height, class);
}

/* A line down, or if it has a width across. */
static void put_stroke(struct picture *p, double x, double y, double width, double height,
    const char *class) {
	fprintf(p->f, "<path d=\"M%.1f %.1f%c%.1f\" fill=\"none\" class=\"%s\"/>\n", x, y,
	    width > 0 ? 'h' : 'v', width > 0 ? width : height, class);
}

/* How wide so many letters are, and how many fit a line. */
static double letters_width(const struct lettering *look, double n) { return LETTER * look->size / 12 * n; }
static int letters(const struct picture *p, const struct lettering *look) {
	return (int)((p->width - 2 * MARGIN) / letters_width(look, 1));
}

/* Lines of text, freed; what is indented stays so, and what is too long for a line goes on in the next. */
static void put_lines(struct picture *p, char *text, const struct lettering *look) {
	for (char *rest = text, *next; (next = strsep(&rest, "\n"));) {
		int blanks = (int)strspn(next, " "), room = letters(p, look) - blanks;
		for (next += blanks; *next; p->y += look->size + 4) {
			char piece[room + 1]; /* a line may have megabytes */
			next += min(snprintf(piece, sizeof piece, "%.*s", room, next), room);
			put_label(p, MARGIN + letters_width(look, blanks), p->y, "start", look, piece);
		}
	}
	free(text);
}

static void begin_picture(struct picture *p, int width, const char *title) {
	struct text text;
	p->width = width;
	p->y = MARGIN;
	p->f = begin_text(&p->body);
	put_wrapped(begin_text(&text), title, letters(p, &title_look), 0, 0);
	put_lines(p, end_text(&text), &title_look);
}

/* The notes below, and the picture, now that its height is known. */
static void end_picture(FILE *f, struct picture *p, const char *title, struct list *notes, int most) {
	struct text text;
	double height, scale = p->width < PICTURE_SHOWN ? (double)PICTURE_SHOWN / p->width : 1;
	put_notes(begin_text(&text), notes, letters(p, &note_look), most);
	put_lines(p, end_text(&text), &note_look);
	height = p->y + MARGIN;
	fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%.0f\" "
	    "height=\"%.0f\" role=\"img\" font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,"
	    "'DejaVu Sans Mono','Liberation Mono',monospace\">\n<title>",
	    p->width, height, p->width * scale, height * scale);
	put_xml(f, title);
	fprintf(f, "</title>\n<style>\n%s</style>\n<rect width=\"%d\" height=\"%.0f\" "
	    "class=\"page\"/>\n%s</svg>\n", style, p->width, height, end_text(&p->body));
	free(p->body.chars);
}

/* An axis of speeds from 0 on, which needs no end for rows that are slow. */
struct axis {
	double x, width;
	double bytes;    /* that a run copies; if not known, what the fastest copies in a nanosecond */
	double full;     /* the speed at its end, bytes per nanosecond */
};

/* Where on the axis what took so long stands. */
static double along(const struct axis *a, double ns) {
	double share = a->bytes / (ns > 0 ? ns : 1) / a->full;
	return a->x + a->width * (share < 1 ? share : 1);
}

/* The distance of ticks: 1, 2 or 5 times a power of ten, so that there are TICKS at most. */
static double tick(double full) {
	double step = 1e-9;
	while (full > 10 * step * TICKS) step *= 10;
	for (int times = 1; times <= 5; times += times == 2 ? 3 : 1)
		if (full <= times * step * TICKS) return times * step;
	return 10 * step;
}

static void put_axis(struct picture *p, const struct report *s, const struct axis *a, double height) {
	static const struct {
		double size; /* bytes per nanosecond */
		const char *name;
	} units[] = { { 1.073741824, "GiB/s" }, { 1.048576e-3, "MiB/s" }, { 1.024e-6, "KiB/s" },
	    { 1e-9, "B/s" } };
	double bottom = p->y + height,
	    memcpy_at = a->x + (roof(s) < a->full ? a->width * roof(s) / a->full : a->width);
	char text[80];
	int u = 0;
	while (u < LENGTH(units) - 1 && a->full < units[u].size) u++;
	double unit = s->len > 0 ? units[u].size : 1, step = tick(a->full / unit);
	for (int i = 0; i * step * unit <= a->full; i++) {
		double x = a->x + a->width * i * step * unit / a->full;
		put_stroke(p, x, p->y, 0, height, "grid");
		snprintf(text, sizeof text, "%g", i * step);
		put_label(p, x, bottom, "middle", &note_look, text);
	}
	snprintf(text, sizeof text, "%s, higher is better",
	    s->len > 0 ? units[u].name : "speed, the fastest row's being 1");
	put_label(p, a->x + a->width / 2, bottom + LINE - 4, "middle", &note_look, text);
	if (roof(s) <= 0) return;
	put_stroke(p, memcpy_at, p->y, 0, height, "memcpy");
	snprintf(text, sizeof text, "memcpy %.32s%s", speed_text(roof(s)).s, roof(s) <= a->full ? "" : " >");
	double least = a->x + letters_width(&note_look, (double)strlen(text));
	put_label(p, memcpy_at > least ? memcpy_at : least, p->y - LINE + 2, "end", &note_look, text);
}

/* What rows are in a picture: its legend's words for each. */
enum bar { BAR_BEST, BAR_ALIKE, BAR_SLOWER, BAR_APART };
static const struct {
	const char *class, *words;
} bars[] = {
	[BAR_BEST] = { "best", "recommended" }, [BAR_ALIKE] = { "alike", "~ may be the fastest" },
	[BAR_SLOWER] = { "slower", "slower" },	[BAR_APART] = { "apart", "no data moved" },
};

static enum bar bar_of(const struct report *s, const struct result *r) {
	if (r == s->summary.recommended) return BAR_BEST;
	return !is_copy(r) ? BAR_APART : r->beaten_by ? BAR_SLOWER : BAR_ALIKE;
}

/* A dot a run; of many a bar from worst to best; the median; of a row that moved no data an empty bar. */
static void put_bar(struct picture *p, const struct report *s, const struct result *r, const struct axis *a) {
	const char *class = bars[bar_of(s, r)].class;
	double from = along(a, (double)r->worst), to = along(a, (double)r->best);
	bool many = r->nsamples > DOTS_MAX;
	if (!is_copy(r)) {
		put_box(p, a->x, p->y + 3.5, a->width, LINE - 7, class);
		return;
	}
	put_stroke(p, a->x, p->y + LINE / 2.0, to - a->x, 0, "grid");
	if (many) put_box(p, from, p->y + 3.5, to - from > 1 ? to - from : 1, LINE - 7, class);
	for (int i = 0; i < r->nsamples && !many; i++)
		fprintf(p->f,
		    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill-opacity=\"0.75\" class=\"%s\"/>\n",
		    along(a, (double)r->samples[i].ns), p->y + LINE / 2.0, class);
	put_stroke(p, along(a, (double)r->median), p->y + 1.5, 0, LINE - 3, "median");
}

/* Its cells, with its times between the name and the rest. */
static void put_picture_row(struct picture *p, const struct grid *g, const struct line *l,
    const struct axis *a) {
	const struct result *r = l->r;
	const struct lettering *look = r == l->s->summary.recommended ? &bold_look : &plain_look;
	double x = MARGIN;
	put_bar(p, l->s, r, a);
	for (const struct column *c = g->columns; c < g->columns + g->ncolumns; c++) {
		char *text = cell_text(c, l);
		double width = letters_width(look, abs(c->width));
		if (c->cell == cell_name) cut_name(text, NAME_WIDTH);
		x += letters_width(look, c->gap);
		put_label(p, c->width < 0 ? x : x + width, p->y, c->width < 0 ? "start" : "end", look, text);
		x = c == g->columns ? a->x + a->width + LETTER : x + width;
		free(text);
	}
	p->y += LINE;
}

static double put_key(struct picture *p, double x, int height, int gap, const char *class,
    const char *words) {
	put_box(p, x, p->y + (LINE - height) / 2.0, 22, height, class);
	put_label(p, x + 28, p->y, "start", &note_look, words);
	return x + 28 + letters_width(&note_look, (double)strlen(words)) + gap;
}

static void report_svg(FILE *f, const struct report *s) {
	struct grid g = grid_of_rows(s, PICTURE, false);
	struct list notes = make_notes(s);
	struct picture p;
	int longest = 0, cells = 1;
	begin_picture(&p, PICTURE_WIDTH, env(s, "heading"));
	for (int i = 0; i < g.nlines; i++) longest = (int)max(longest, strlen(g.lines[i].r->name));
	longest = (int)min(longest, NAME_WIDTH) + 1;
	for (int i = 1; i < g.ncolumns; i++) cells += g.columns[i].gap + abs(g.columns[i].width);
	const struct result *first = s->summary.first;
	double best = first && first->best > 0 ? (double)first->best : 1;
	struct axis axis = { .x = MARGIN + LETTER * longest, .bytes = s->len > 0 ? (double)s->len : best,
	    .width = PICTURE_WIDTH - 2 * MARGIN - LETTER * (longest + cells) };
	for (const struct result *r = s->rows; r < s->rows + s->nrows; r++)
		if (is_copy(r) && (double)r->best < best) best = (double)r->best; /* one that has left, too */
	axis.full = axis.bytes / best;
	if (roof(s) > axis.full && roof(s) < ROOF * axis.full) axis.full = roof(s);
	axis.full *= 1.01; /* a line at the end is not to be cut */
	p.y += 6;
	if (first) {
		double x = MARGIN;
		for (int i = 0; i < LENGTH(bars); i++) { /* what the colours mean, of those that there are */
			bool there = false;
			for (int k = 0; k < g.nlines; k++) there |= bar_of(s, g.lines[k].r) == (enum bar)i;
			if (there) x = put_key(&p, x, LINE - 7, 16, bars[i].class, bars[i].words);
		}
		put_stroke(&p, x + 2, p.y + 1.5, 0, LINE - 3, "median");
		put_label(&p, x + 10, p.y, "start", &note_look, "median");
		p.y += 2 * LINE + 6;
		put_axis(&p, s, &axis, LINE * g.nlines);
	}
	for (int i = 0; i < g.nlines; i++) put_picture_row(&p, &g, &g.lines[i], &axis);
	p.y += first ? 2 * LINE : LINE / 2.0;
	end_grid(&g);
	end_picture(f, &p, env(s, "heading"), &notes, s->verbose ? INT_MAX : NOTE_LINES);
}

/* ---- Comparisons: several sessions side by side --------------------------------------------- */

#define FILE_WIDTH 9            /* characters of a cell of one of several files: "untouched" */

/* One level for all rows together, and for both sides. */
static double pair_level(const struct report *s, const struct report *first) {
	int copies = 0;
	for (int i = 0; i < s->nrows; i++)
		copies += is_copy(&s->rows[i]) && is_copy(find_row(first, s->rows[i].name));
	return LEVEL / 2 / (double)max(1, copies);
}

/* All rows, in the order of the first file's table, then those that only others have. */
static struct comparison begin_comparison(const struct report *s, int n) {
	struct comparison c = { .s = s, .n = n };
	int most = 0;
	for (int i = 0; i < n; i++) most += s[i].nrows;
	c.pairs = allocate((size_t)most * n, sizeof *c.pairs);
	for (int file = 0; file < n; file++)
		for (int i = 0; i < s[file].nrows; i++) {
			const char *name = s[file].ranked[i]->name;
			bool known = false;
			for (int k = 0; k < file; k++) known |= find_row(&s[k], name) != NULL;
			struct pair *pairs = &c.pairs[c.nrows * n];
			for (int k = 0; k < n && !known; k++)
				pairs[k] = (struct pair){ .s = &s[k], .r = find_row(&s[k], name) };
			c.nrows += !known;
		}
	for (int file = 1; file < n; file++) {
		struct test t = { .level = pair_level(&s[file], s) }, interval = { .level = 0.025 };
		double noise = s[file].summary.noise > s->summary.noise ? s[file].summary.noise
		    : s->summary.noise;
		for (int i = 0; i < c.nrows; i++) { /* two-sided: from what a row was in the first file */
			struct pair *p = &c.pairs[i * n + file];
			const struct result *now = p->r, *old = c.pairs[i * n].r;
			if (!is_copy(now) || !is_copy(old)) continue;
			p->ratio = ratio_of(&interval, now, old);
			double percent = 100 * p->ratio.estimate - 100;
			p->change = critical(&t, now->ntested, old->ntested) < 0
			    ? TOO_FEW : percent > noise && is_beaten(&t, now, old) ? SLOWER
			    : -percent > noise && is_beaten(&t, old, now) ? FASTER : SAME;
		}
	}
	return c;
}

/* What reports should have in common, if times are to be compared; three may be of different places. */
static const struct {
	const char *key, *name;
	const char *otherwise; /* what it means that it is not there */
	bool place;
} conditions[] = {
	{ "output", "outputs", "unknown", true }, { "input", "inputs", "unknown", true },
	{ "size", "sizes", "unknown", false }, { "kernel", "kernels", "unknown", false },
	{ "cpu", "machines", "unknown", false }, { "until", "clocks", "unknown", false },
	{ "page_cache", "page caches", "unknown", false },
	{ "output_state", "states of the output", "emptied", false }, { "order", "orders", "unknown", false },
	{ "pause_s", "pauses", "unknown", false }, { "race", "races", "none", false },
};

static const char *condition(const struct report *s, int i) {
	return has_env(s, conditions[i].key) ? env(s, conditions[i].key) : conditions[i].otherwise;
}

/* One difference is what is compared; several leave open which of them made a change. */
static void note_conditions(struct list *notes, const struct report *s, int n) {
	const char *file = s->numbered ? "file " : "";
	int differences = 0, last = 0, other = 0;
	struct text text;
	FILE *f = begin_text(&text);
	for (int i = 0; i < LENGTH(conditions); i++) {
		const char *key = conditions[i].key;
		int k = 1;
		while (k < n && !strcmp(env(s, key), env(&s[k], key))) k++;
		if (k == n || (n > 2 && conditions[i].place)) continue;
		fprintf(f, "%s%s", differences++ ? ", " : "Warning: these differ: ", conditions[i].name);
		last = i;
		other = k;
	}
	fputs(". Any of them may have made a change.", f);
	end_text(&text);
	if (differences > 1) append(notes, text.chars);
	else free(text.chars);
	if (differences == 1)
		note(notes, "Note: the %s differ: %s in %s%s, %s in %s%s.", conditions[last].name,
		    condition(s, last), file, s->title, condition(&s[other], last), file, s[other].title);
}

static void note_changes(struct list *notes, const struct comparison *c) {
	int n[CHANGES_COUNT] = { 0 }, ask = fewest_runs(pair_level(&c->s[1], c->s));
	for (int i = 0; i < c->nrows; i++) n[c->pairs[2 * i + 1].change]++;
	int pairs = c->nrows - n[NO_PAIR], few = n[TOO_FEW];
	if (!pairs) note(notes, "No row has moved data in both.");
	else if (few == pairs)
		note(notes, "Too few runs to detect a change in any of %d row%s: use -n %d.", pairs,
		    plural(pairs), ask);
	else if (n[FASTER] + n[SLOWER] == 0) note(notes, "No row changed significantly.");
	else
		note(notes, "%d of %d row%s %s faster, %d slower (exact two-sided "
		    "Mann-Whitney test, 95 %% confidence over all rows).", n[FASTER], pairs, plural(pairs),
		    n[FASTER] == 1 ? "is" : "are", n[SLOWER]);
	if (few > 0 && few < pairs)
		note(notes, "%d row%s had too few runs: use -n %d.", few, plural(few), ask);
	if (pairs > 0)
		note(notes,
		    "Times are medians; the change is Hodges and Lehmann's estimate from all pairs of runs.");
}

/* As far as is known. Two places stand side by side in pictures, and in tables for pages. */
static bool is_before_and_after(const struct report *s, int n) {
	return n == 2 && (!has_env(&s[0], "output") || !has_env(&s[1], "output")
	    || !strcmp(env(&s[0], "output"), env(&s[1], "output")));
}

/* What stands below the table, or in front of it for programs. */
static struct list comparison_notes(const struct comparison *c, bool changes) {
	static const struct part shared[] = {
		{ "cpu", "", "" }, { "cpus", ", ", " CPUs" }, { "kernel", ", kernel ", "" },
		{ "size", ", ", "" }, { "until", ", until ", "" },
	};
	struct list notes = { .n = 0 };
	const struct report *s = c->s;
	if (s->quiet) return notes;
	for (int i = 0; i < c->n && (c->n == 2 || s->numbered || s->verbose); i++)
		note(&notes, "%s: %s: %s.", s[i].title, s[i].file, env(&s[i], "heading"));
	note_conditions(&notes, s, c->n);
	if (changes) note_changes(&notes, c);
	else
		note(&notes, "Each column: its fastest row's best run, and how far the others are behind it. "
		    "~: may be the fastest. -: not there.");
	for (int i = 0; i < c->n; i++)
		if (has_env(&s[i], "interrupted"))
			note(&notes, "Warning: %s was interrupted: %s.", s[i].title,
			    env(&s[i], "interrupted"));
	note_facts(&notes, "All: ", s, c->n, shared, LENGTH(shared));
	return notes;
}

/* A grid of rows, with a column of names; others are to be added. */
static struct grid begin_comparison_grid(const struct comparison *c, int most) {
	struct grid g = { .lines = allocate(c->nrows, sizeof *g.lines) };
	int64_t longest = 4;
	for (int i = 0; i < c->nrows; i++) {
		struct line l = { .s = c->s, .pair = &c->pairs[i * c->n] };
		for (int k = c->n - 1; k >= 0; k--) l.r = l.pair[k].r ? l.pair[k].r : l.r;
		longest = max(longest, strlen(l.r->name));
		g.lines[g.nlines++] = l;
	}
	add_column(&g,
	    &(struct column){ .title = "row", .width = -(int)min(longest, most), .cell = cell_name });
	return g;
}

static void add_files(struct grid *g, const struct comparison *c, int from, int before, int width,
    void (*cell)(FILE *, const struct line *, const struct column *)) {
	for (int i = from; i < before; i++)
		add_column(g, &(struct column){ .title = c->s[i].title, .gap = 1, .width = width,
		    .cell = cell, .arg = i });
}

static int split_title(const char *title, int room) {
	const char *hyphen = (int)strlen(title) > room ? strrchr(title, '-') : NULL;
	return (int)(hyphen ? hyphen + 1 - title : (ptrdiff_t)strlen(title));
}

/* As wide as a cell, or as the longest title, or a line of one. */
static int title_width(const struct comparison *c, bool split) {
	int64_t most = FILE_WIDTH;
	for (int i = 0; i < c->n; i++) {
		int length = (int)strlen(c->s[i].title),
		    first = split ? split_title(c->s[i].title, FILE_WIDTH) : length;
		most = max(most, max(first, length - first));
	}
	return (int)most;
}

static struct grid grid_of_changes(const struct comparison *c) {
	struct grid g = begin_comparison_grid(c, COUNTS_NAME_WIDTH);
	add_files(&g, c, 0, 2, title_width(c, false), cell_median_in_file);
	for (int i = 0; i < LENGTH(columns); i++)
		if (is_shown(&columns[i], c->s, CHANGES)) add_column(&g, &columns[i]);
	return g;
}

static void compare_text(FILE *f, const struct comparison *c) {
	int width = text_width(c->s), at_once = c->n, cell = title_width(c, false);
	struct list notes = comparison_notes(c, c->n == 2);
	struct grid g;
	for (int from = 0; from < c->n; from += at_once) {
		if (c->n == 2) {
			g = grid_of_changes(c);
		} else {
			g = begin_comparison_grid(c, width < TEXT_WIDTH ? width / 2 : COUNTS_NAME_WIDTH);
			at_once = (int)max(1, (width - abs(g.columns->width)) / (cell + 1));
			add_files(&g, c, from, (int)min(c->n, from + at_once), cell, cell_in_file);
		}
		fit(&g, width);
		put_text_grid(f, &g, NULL, "", "");
		fputs(notes.n || from + at_once < c->n ? "\n" : "", f);
		end_grid(&g);
	}
	put_notes(f, &notes, (int)min(width, TEXT_WIDTH), INT_MAX);
}

static void compare_markdown(FILE *f, const struct comparison *c) {
	bool changes = is_before_and_after(c->s, c->n);
	struct list notes = comparison_notes(c, changes);
	struct grid g = changes ? grid_of_changes(c) : begin_comparison_grid(c, INT_MAX);
	if (!changes) add_files(&g, c, 0, c->n, FILE_WIDTH, cell_in_file);
	put_markdown_grid(f, &g);
	end_grid(&g);
	put_markdown_notes(f, &notes, INT_MAX);
}

static struct grid grid_of_pairs(const struct comparison *c) {
	struct grid g = begin_grid(c->s, PAIRS, c->nrows * c->n);
	for (struct pair *p = c->pairs; p < c->pairs + c->nrows * c->n; p++)
		if (p->r) g.lines[g.nlines++] = (struct line){ .s = p->s, .r = p->r, .pair = p };
	return g;
}

static void compare_csv(FILE *f, const struct comparison *c) {
	struct list notes = comparison_notes(c, c->n == 2);
	struct grid g = grid_of_pairs(c);
	for (int i = 0; i < notes.n; i++) fprintf(f, "# %s\n", notes.item[i]);
	drop_notes(&notes);
	put_csv_grid(f, &g);
	end_grid(&g);
}

static void compare_json(FILE *f, const struct comparison *c) {
	struct grid g = grid_of_pairs(c);
	fputs("{\"files\": [", f);
	for (int i = 0; i < c->n; i++) {
		fputs(i ? ",\n  {\"file\": " : "\n  {\"file\": ", f);
		put_json(f, c->s[i].file);
		fputs(", \"environment\": ", f);
		put_json_environment(f, &c->s[i]);
		fputc('}', f);
	}
	fputs("],\n", f);
	put_json_grid(f, &g);
	end_grid(&g);
}

/* Shades of cells: up to so far behind the fastest, percent. */
static const struct {
	double upto;
	const char *words;
} shades[] = {
	{ 10, "up to 10 % behind" }, { 50, "50 %" }, { 100, "100 %" }, { 300, "300 %" }, { 0, "more" },
};

static void put_map(struct picture *p, const struct grid *g) {
	for (int i = 0; i < g->nlines; i++, p->y += LINE) {
		double x = MARGIN;
		for (const struct column *c = g->columns; c < g->columns + g->ncolumns; c++) {
			char *text = cell_text(c, &g->lines[i]), class[16];
			double width = letters_width(&plain_look, c->gap + abs(c->width));
			const struct pair *pair = c->cell == cell_in_file ? &g->lines[i].pair[c->arg] : NULL;
			struct lettering look = plain_look;
			bool name = c->cell == cell_name;
			if (pair && is_copy(pair->r) && !pair->r->left) {
				double percent = percent_behind(pair->r->best, pair->s->summary.first->best);
				int k = 0;
				while (k < LENGTH(shades) - 1 && percent > shades[k].upto) k++;
				snprintf(class, sizeof class, "s%d", k);
				put_box(p, x + 1, p->y + 1, width - 2, LINE - 2, class);
				*class = 't';
				look.class = class;
			}
			if (name) cut_name(text, abs(c->width));
			put_label(p, name ? x : x + width / 2, p->y, name ? "start" : "middle", &look, text);
			x += width;
			free(text);
		}
	}
}

static void compare_svg(FILE *f, const struct comparison *c) {
	bool changes = is_before_and_after(c->s, c->n);
	const char *title = changes ? "What has changed from one report to the other, by row"
	    : "Time relative to the fastest row, by file system";
	struct list notes = comparison_notes(c, changes);
	struct picture p;
	struct grid g = changes ? grid_of_changes(c) : begin_comparison_grid(c, NAME_WIDTH);
	double x = MARGIN, all = 2 * MARGIN;
	if (!changes) add_files(&g, c, 0, c->n, title_width(c, true), cell_in_file);
	for (int i = 0; i < g.ncolumns; i++)
		all += letters_width(&plain_look, g.columns[i].gap + abs(g.columns[i].width));
	begin_picture(&p, all > PICTURE_WIDTH ? (int)all + 1 : PICTURE_WIDTH, title);
	p.y += LINE;
	for (int i = 0; i < g.ncolumns; i++) {
		double width = letters_width(&plain_look, g.columns[i].gap + abs(g.columns[i].width));
		const char *name = g.columns[i].title;
		char first[64];
		int length = split_title(name, abs(g.columns[i].width)); /* on two lines if need be */
		snprintf(first, sizeof first, "%.*s", length, name);
		double y = name[length] ? p.y - LINE + 4 : p.y;
		if (i > 0) put_label(&p, x + width / 2, y, "middle", &bold_look, first);
		if (i > 0) put_label(&p, x + width / 2, p.y, "middle", &bold_look, name + length);
		x += width;
	}
	p.y += LINE;
	put_map(&p, &g);
	x = MARGIN;
	p.y += changes ? 0 : 6;
	for (int i = 0; i < LENGTH(shades) && !changes; i++)
		x = put_key(&p, x, LINE - 2, 14, (char[]){ 's', (char)('0' + i), '\0' }, shades[i].words);
	p.y += changes ? 0 : LINE + 4;
	end_grid(&g);
	end_picture(f, &p, title, &notes, INT_MAX);
}

/* To add a format: write its two functions, add it here. */
static const struct format formats[] = {
	{ "text", ".txt", report_text, compare_text },
	{ "markdown", ".md", report_markdown, compare_markdown },
	{ "csv", ".csv", report_csv, compare_csv },
	{ "json", ".json", report_json, compare_json },
	{ "svg", ".svg", report_svg, compare_svg },
};

/* ---- Reading: a report in CSV is read back -------------------------------------------------- */

#define ROWS_MAX 1000           /* in a file that is read: several times as many as there are here */
#define LINE_MAX_BYTES (16 * M) /* of a file that is read: more than names of the longest commands make */
#define RUNS_MAX 100000         /* bounds a row's samples at some megabytes */

enum { FIELDS_MAX = 64, FACTS_MAX = 200 };

struct reader {
	struct report *s;
	const char *file;
	FILE *f;
	int64_t line;                /* from 1 */
	char *text;                  /* of that line, cut into fields; LINE_MAX_BYTES */
	char *fields[FIELDS_MAX];
	int nfields, ncolumns;
	const struct column *columns[FIELDS_MAX]; /* of each field; NULL: none of numbers */
	int detail;                  /* the field with the verdict's details; -1: none */
	int before;                  /* runs in the files before this one */
	int64_t run_lines;           /* that the file says it has; -1: it does not */
	int control_round;           /* the control's first */
};

#define die_at(r, format, ...) die("%s: line %" PRId64 ": " format, (r)->file, (r)->line, __VA_ARGS__)

static bool read_csv_line(struct reader *r) {
	int c, last = 0, n = 0;
	r->line++;
	for (; (c = getc_unlocked(r->f)) != EOF && c != '\n'; last = c) {
		if (n >= LINE_MAX_BYTES - 5)
			die_at(r, "is longer than %d bytes: a report has no such lines", (int)LINE_MAX_BYTES);
		if (c != '\t' && c != '\r' && (c < ' ' || c == 127))
			die_at(r, "has the byte \\x%02x: it is no text, and no report", c);
		if (c >= ' ' && c <= '~') r->text[n++] = (char)c;
		else n += sprintf(r->text + n, "\\x%02x", c); /* a tab would spoil every table */
	}
	if (ferror(r->f)) die_errno(r->file, "read");
	if (c == EOF && n > 0) die_at(r, "%s", "has no end: the file is cut: get all of it");
	if (last == '\r') n -= 4; /* "\x0d": lines may end in CR LF */
	r->text[n] = '\0';
	return c != EOF;
}

/* Cuts the line into its fields, as RFC 4180 has them. */
static void cut_fields(struct reader *r, char *line) {
	char *from = line, *to = line;
	for (r->nfields = 0;; from++) {
		bool quoted = *from == '"';
		if (r->nfields == FIELDS_MAX) die_at(r, "has more than %d fields", FIELDS_MAX);
		r->fields[r->nfields++] = to;
		from += quoted;
		while (*from && (quoted ? *from != '"' || from[1] == '"' : *from != ',')) {
			if (*from == '"' && !quoted)
				die_at(r, "has a quote inside field %d, which does not begin with one",
				    r->nfields);
			from += *from == '"';
			*to++ = *from++;
		}
		if (quoted && *from != '"') die_at(r, "has no quote at the end of field %d", r->nfields);
		from += quoted;
		if (*from && *from != ',')
			die_at(r, "goes on behind the quote at the end of field %d", r->nfields);
		if (!*from) break;
		*to++ = '\0';
	}
	*to = '\0';
}

/* The line of column names. What is not known here is left alone. */
static void read_columns(struct reader *r) {
	static const char *const first[] = { "row", "round", "ns", "outcome" };
	struct report *s = r->s;
	cut_fields(r, r->text);
	r->ncolumns = r->nfields;
	s->without_cpu = true;
	for (int i = 0; i < LENGTH(first); i++) {
		const char *name = i < r->nfields ? r->fields[i] : "missing";
		if (i >= r->nfields || strcmp(name, first[i]))
			die_at(r, "column %d is %.40s, not %s: the columns of a report begin "
			    "row,round,ns,outcome, after lines '# key: value'", i + 1, name, first[i]);
	}
	for (int i = 0; i < r->nfields; i++) {
		const char *name = r->fields[i];
		for (int k = 0; k < i; k++)
			if (!strcmp(r->fields[k], name)) die_at(r, "has the column %.40s twice", name);
		for (const struct column *c = columns; c < columns + LENGTH(columns); c++)
			if (c->in & CSV && c->cell == cell_number && !strcmp(c->key, name)) r->columns[i] = c;
		if (!strcmp(name, "detail")) r->detail = i;
		s->counters |= !strcmp(name, "task_clock_ms");
		s->without_cpu &= strcmp(name, "cpu_ms") != 0;
	}
}

static int64_t read_count(const struct reader *r, const char *what, const char *text, int64_t least,
    int64_t most) {
	int64_t n = parse_count(text, least, most);
	const char *quote = *text ? "\"" : "";
	if (n < least)
		die_at(r, "%s is %s%.40s%s, not a whole number from %" PRId64 " to %" PRId64, what, quote,
		    *text ? text : "missing", quote, least, most);
	return n;
}

/* A line "# key: value". Any other with a # is a comment. */
static void read_fact(struct reader *r) {
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
	struct report *s = r->s;
	char *key = r->text + strspn(r->text, "# "), *value = strstr(key, ": ");
	if (!value || value == key || (size_t)(value - key) != strspn(key, letters)) return;
	*value = '\0';
	value += 2;
	if (!strcmp(key, "run_lines")) r->run_lines = read_count(r, key, value, 0, INT64_MAX);
	for (int i = 0; i < LENGTH(concluded); i++)
		if (!strcmp(key, concluded[i])) return;
	const struct env_row *row = find_env_row(key);
	if (row && row->offset)
		*(int64_t *)((char *)s + row->offset) = read_count(r, key, value, 1, row->most);
	if (!strcmp(key, "control_round")) r->control_round = (int)read_count(r, key, value, 1, INT32_MAX);
	if (s->nenv == FACTS_MAX)
		die_at(r, "is one more line '# key: value' than the %d that a report may have", FACTS_MAX);
	set_env(s, key, "%s", value);
	if (strcmp(key, "control_ns")) return;
	s->control.nsamples = 0; /* of several such lines the last one counts */
	for (char *field; (field = strsep(&value, " "));) {
		struct sample x = { .ns = read_count(r, key, field, 1, NS_MAX), .round = r->control_round };
		if (s->control.nsamples < TESTED_MAX) append_sample(&s->control, &x);
	}
}

/* An outcome as put_outcome() writes it; false: it is none. */
static bool parse_outcome(const char *text, struct verdict *v) {
	const char *why = strchr(text, ' ') ? strchr(text, ' ') + 1 : "";
	*v = (struct verdict){ .failure = { 0, "the kernel", -1 }, .words = "", .at = -1 };
	for (enum outcome i = COPIED; i <= MISMATCH; i++)
		if (i != REFUSED && i != FAILED && i != EXITED && !strcmp(text, outcomes[i].key))
			v->outcome = i;
	if (v->outcome != UNTRIED) return true;
	v->failure.err = parse_errno(why);
	if (!strncmp(why, "exit ", 5)) v->status = (int)parse_count(why + 5, 1, 255) * 256;
	if (!strncmp(why, "signal ", 7)) v->status = (int)parse_count(why + 7, 1, 64);
	v->status = (int)max(0, v->status);
	if (!strcmp(text, "n/a")) v->failure.err = NO_ERRNO;
	if (!strncmp(text, "n/a", 3) && v->failure.err) v->outcome = REFUSED;
	if (!strncmp(text, "failed ", 7)) v->outcome = v->failure.err ? FAILED : v->status ? EXITED : UNTRIED;
	return v->outcome != UNTRIED;
}

static void read_run(struct reader *r) {
	struct sample x = { .counts = { -1, -1, -1, -1, -1, -1, -1, -1 }, .order = r->s->nruns, .cpu_ns = -1,
	    .setup_ns = -1, .dirty = -1, .resident = -1, .completions = -1, .copied = -1 };
	char *tail;
	if (*r->text == '#') die_at(r, "%s", "has a second heading: give each report in a file of its own");
	cut_fields(r, r->text);
	if (r->nfields != r->ncolumns)
		die_at(r, "has %d field%s, not %d", r->nfields, plural(r->nfields), r->ncolumns);
	if (r->before + r->s->nruns == SAMPLES_MAX)
		die_at(r, "is run %d: there may be %d at most, in all files together", SAMPLES_MAX + 1,
		    SAMPLES_MAX);
	const char *name = r->fields[0];
	struct result *row = find_row(r->s, name);
	if (!*name) die_at(r, "%s", "has no name of a row");
	if (!row && r->s->nrows == ROWS_MAX)
		die_at(r, "has row %d, %.40s: a report has at most %d", ROWS_MAX + 1, name, ROWS_MAX);
	if (!row) {
		size_t length = strlen(name), end = strlen(LARGE);
		row = &r->s->rows[r->s->nrows++];
		*row = (struct result){ .name = strdup(name) };
		if (!strncmp(name, "$ ", 2)) row->command = strdup(name + 2);
		row->large = !row->command && length > end && !strcmp(name + length - end, LARGE);
	}
	x.round = (int)read_count(r, "round", r->fields[1], 1, INT32_MAX);
	if (!parse_outcome(r->fields[3], &x.verdict))
		die_at(r, "outcome is \"%.40s\", not ok, shared, untouched, n/a ERRNO, failed ERRNO, failed "
		    "exit N, failed signal N, failed short, failed changed or mismatch", r->fields[3]);
	if (is_timed(x.verdict.outcome)) x.ns = read_count(r, "ns", r->fields[2], 1, NS_MAX);
	for (int i = 4; i < r->nfields; i++) {
		const struct column *c = r->columns[i];
		double value = c ? strtod(r->fields[i], &tail) * (c->kind == MILLISECONDS ? 1e6 : 1) : 0;
		if (!c || !*r->fields[i] || !strcmp(r->fields[i], "-")) continue;
		if (*tail || !isdigit((unsigned char)*r->fields[i]) || !(value <= (double)NS_MAX))
			die_at(r, "%s is \"%.40s\", not a number from 0 on", c->key, r->fields[i]);
		*(int64_t *)((char *)&x + c->arg) = (int64_t)(value + 0.5);
	}
	if (r->detail >= 0 && *r->fields[r->detail]) {
		x.verdict.failure.call = x.verdict.words = strdup(r->fields[r->detail]);
		x.verdict.at = parse_count(r->fields[r->detail], 0, INT64_MAX);
	}
	if (row->nsamples == RUNS_MAX)
		die_at(r, "is run %d of %.40s: a row has at most %d", RUNS_MAX + 1, row->name, RUNS_MAX);
	add_run(row, &x);
	r->s->nruns++;
}

/* Reads a file: its environment, and all runs of the rows that are wanted. */
static void read_report(struct report *s, const char *file, int before, const struct options *o,
    bool *selected, bool *excluded) {
	struct reader reader = { .s = s, .file = file, .text = allocate(1, LINE_MAX_BYTES), .before = before,
	    .run_lines = -1, .detail = -1, .control_round = 1 }, *r = &reader;
	r->f = !strcmp(file, "-") ? stdin : fopen(file, "re");
	if (!r->f) die_errno(file, "open");
	s->file = print_line("%s", file);
	set_env(s, "heading", "%s", file); /* the first, and in the place of none */
	s->rows = allocate(ROWS_MAX, sizeof *s->rows);
	do
		if (!read_csv_line(r))
			die_at(r, "%s", "the file ends before a line of column names: row,round,ns,outcome");
	while (*r->text == '#' ? read_fact(r), true : !*r->text);
	read_columns(r);
	while (read_csv_line(r)) read_run(r);
	if (!s->nruns && r->run_lines) die_at(r, "%s", "the file ends before a first run");
	if (r->run_lines >= 0 && r->run_lines != s->nruns)
		die_at(r, "the file ends after %d runs, and says itself that it has %" PRId64 ": it "
		    "is %s (or where that was meant, delete its line run_lines)", s->nruns, r->run_lines,
		    s->nruns < r->run_lines ? "cut" : "put together");
	int kept = 0;
	for (int i = 0; i < s->nrows; i++) {
		struct result row = s->rows[i];
		bool wanted = !o->select.n || matches(&o->select, row.name, selected);
		if (matches(&o->exclude, row.name, excluded) || !wanted) continue;
		s->rows[i] = s->rows[kept]; /* others stay behind those */
		s->rows[kept++] = row;
	}
	s->nrows = kept;
	for (struct result *row = s->rows; row < s->rows + s->nrows; row++) {
		row->strategy = row->command ? &command_row : NULL; /* it may have rows that we have not */
		for (int i = 0; i < LENGTH(strategies) && !row->strategy; i++) {
			size_t length = strlen(strategies[i].name);
			const char *rest = row->name + length;
			if (!strncmp(row->name, strategies[i].name, length)
			    && (!*rest || !strncmp(rest, " + ", 3) || !strcmp(rest, LARGE)))
				row->strategy = &strategies[i];
		}
	}
	sort_rows(s);
	s->control_of = find_row(s, env(s, "control")); /* only now: rows have moved */
	if (r->f != stdin) fclose(r->f);
	free(r->text);
}

static void read_reports(struct report *reports, const struct options *o) {
	bool *selected = allocate(o->select.n, sizeof *selected),
	    *excluded = allocate(o->exclude.n, sizeof *excluded);
	for (int i = 0, before = 0; i < o->files.n; before += reports[i++].nruns) {
		reports[i].quiet = o->quiet;
		reports[i].verbose = o->verbose;
		read_report(&reports[i], o->files.item[i], before, o, selected, excluded);
	}
	for (int i = 0; i < o->select.n; i++)
		if (!selected[i]) die("--select=%s: matches no row of these reports", o->select.item[i]);
	for (int i = 0; i < o->exclude.n; i++)
		if (!excluded[i]) die("--exclude=%s: matches no row of these reports", o->exclude.item[i]);
	for (struct report *s = reports; s < reports + o->files.n; s++) {
		if (!s->nrows && o->select.n + o->exclude.n > 0)
			die("%s: no row is left: --select less narrowly, or --exclude less", s->file);
		rank(s, has_env(s, "interrupted"));
		add_conclusions(s);
	}
	free(selected);
	free(excluded);
}

/* ---- Options: one table, from which usage, manual page and completion are made -------------- */

#define PAUSE_DEFAULT (100 * MILLISECOND) /* as in the base document; a race of many runs takes none */

/* Cuts a list of globs at its commas, but for those before a blank, which are in names. */
static void add_globs(struct list *list, const char *option, char *globs) {
	while (globs) {
		char *glob = globs, *comma = globs;
		while ((comma = strchr(comma, ',')) && comma[1] == ' ') comma++;
		if (comma) *comma++ = '\0';
		if (!*glob) die("--%s: a glob is empty: " PROGRAM " --list --all names the rows", option);
		append(list, glob);
		globs = comma;
	}
}

static int64_t count_option(const char *option, const char *arg, int least, int64_t most, const char *what) {
	int64_t n = parse_count(arg, least, most);
	if (n < least)
		die("--%s=%s: is not a whole number%s from %d to %" PRId64, option, arg, what, least, most);
	return n;
}

#define OPTION(name) static void name(struct options *o, char *arg)

OPTION(set_select) { add_globs(&o->select, "select", arg); }
OPTION(set_exclude) { add_globs(&o->exclude, "exclude", arg); }
OPTION(set_runs) { o->runs = count_option("runs", arg, 1, RUNS_MAX, ""); }
OPTION(set_warmup) { o->warmup = count_option("warmup", arg, 0, RUNS_MAX, " of rounds"); }
OPTION(set_race) { o->race = arg ? count_option("race", arg, 1, SAMPLES_MAX, " of runs") : RACE_BY_ROWS; }
OPTION(set_seed) { o->seed = count_option("seed", arg, 0, INT64_MAX, ""); }

static char *command_option(const char *option, char *arg, const char *remedy) {
	if (!arg[strspn(arg, " \t\n")]) die("--%s=%s: is no command: name one %s", option, arg, remedy);
	return arg;
}

OPTION(set_from) { o->from = command_option("from", arg, "for /bin/sh"); }
OPTION(set_into) { o->into = command_option("into", arg, "for /bin/sh"); }

OPTION(set_with) {
	if (is_named(&o->with, arg)) die("--with=%s: is there twice: name each command once", arg);
	append(&o->with,
	    command_option("with", arg, "that copies its standard input to its standard output"));
}

OPTION(set_overwrite) {
	if (arg && strcmp(arg, "cached")) die("--overwrite=%s: is no state: use --overwrite=cached", arg);
	o->cached = arg;
}

OPTION(set_compare) { if (arg) append(&o->files, arg); }

OPTION(set_until) {
	for (o->until = 0; o->until < LENGTH(untils) && strcmp(untils[o->until].name, arg); o->until++) {}
	if (o->until == LENGTH(untils))
		die("--until=%s: is nothing that the clock can wait for: use return, close or sync", arg);
}

OPTION(set_completion) {
	o->zsh = !strcmp(arg, "zsh");
	if (!o->zsh && strcmp(arg, "bash")) die("--completion=%s: is no such shell: use bash or zsh", arg);
}

OPTION(set_pause) {
	o->pause = parse_time(arg);
	if (o->pause < 0)
		die("--pause=%s: is not a time from 0 to %d seconds, like 0.1 or 100ms", arg, PAUSE_MAX);
}

/* "HOST:PORT", "[HOST]:PORT", or where that is enough "PORT". */
static struct host parse_host(const char *option, char *arg, bool port_alone) {
	char *name = print_text("%s", arg), *port = strrchr(name, ':');
	size_t last = 0;
	struct host at = { .text = arg };
	if (port) *port++ = '\0';
	else if (port_alone) port = name, name = NULL;
	if (name && *name == '[' && name[last = strlen(name) - 1] == ']') name[last] = '\0', name++;
	else if (name && strchr(name, ':'))
		die("--%s=%s: an address with colons is written in brackets, like [::1]:" PORT, option, arg);
	if (!port || (name && !*name) || parse_count(port, port_alone ? 0 : 1, 65535) < 0)
		die("--%s=%s: is not %sHOST:PORT, like localhost:" PORT, option, arg,
		    port_alone ? "PORT or " : "");
	at.name = name;
	at.port = port;
	return at;
}

OPTION(set_send) {
	o->send = true;
	o->to = arg ? parse_host("send", arg, false) : (struct host){ .text = NULL };
}

OPTION(set_receive) {
	o->at = arg ? parse_host("receive", arg, true) : (struct host){ .text = PORT, .port = PORT };
}

OPTION(set_tee) {
	if (!*arg) die("--tee=: names no file: name one for the second output");
	o->tee = arg;
}

static const char *const contents[] = {
	[CONTENT_ZERO] = "zero", [CONTENT_RANDOM] = "random", [CONTENT_PAGE] = "page",
	[CONTENT_NOISE] = "noise",
};

OPTION(set_generate) {
	const char *size = strchr(arg, ':');
	o->generate = 0;
	for (int i = 0; size && i < LENGTH(contents); i++)
		if (!strncmp(arg, contents[i], size - arg) && strlen(contents[i]) == (size_t)(size - arg)) {
			o->content = i;
			o->generate = parse_size(size + 1);
		}
	if (o->generate <= 0)
		die("--generate=%s: is not zero, random, page or noise, a colon and a size: noise:256m", arg);
}

OPTION(set_size) {
	o->size = parse_size(arg);
	if (o->size <= 0)
		die("--size=%s: is no size from 1 byte to 8 EiB - 1, like 4096, 64k, 1.5m, 4MiB or 4MB", arg);
}

OPTION(set_format) {
	o->format = formats;
	while (o->format < formats + LENGTH(formats) && strcmp(o->format->name, arg)) o->format++;
	if (o->format == formats + LENGTH(formats))
		die("--format=%s: is no format: use text, markdown, csv, json or svg", arg);
}

OPTION(set_output) {
	if (!*arg || !strcmp(arg, "-"))
		die("--output=%s: standard output carries the copy: name a file for the report", arg);
	if (o->noutputs == OUTPUTS_MAX)
		die("--output=%s: is one more than the %d reports that there can be", arg, OUTPUTS_MAX);
	o->outputs[++o->noutputs].name = arg;
}

/* A file has the format of its extension, else that of --format; else that is what is printed, or text. */
static void find_formats(struct options *o) {
	bool used = false;
	for (struct output *out = o->outputs + 1; out <= o->outputs + o->noutputs; out++) {
		const char *slash = strrchr(out->name, '/'), *base = slash ? slash + 1 : out->name;
		const char *extension = *base ? strrchr(base + 1, '.') : NULL;
		for (int k = 0; k < LENGTH(formats) && extension; k++)
			if (!strcasecmp(extension, formats[k].extension)) out->format = &formats[k];
		if (extension && !out->format && !o->format)
			die("--output=%s: %s is the extension of no format: use .txt, .md, .csv, .json or "
			    ".svg, or name it with --format", out->name, extension);
		used |= !out->format;
		if (!out->format) out->format = o->format ? o->format : formats;
	}
	o->outputs[0].format = o->quiet && o->noutputs ? NULL : o->format && !used ? o->format : formats;
}

/* To add an option: write its handler, or name its flag or mode; add it here. Without any: a heading. */
#define FLAG(field) .flag = offsetof(struct options, field)
enum { ALWAYS, MEASURING }; /* what an option is about */
static const struct option_row {
	char letter;
	const char *name, *arg;
	void (*set)(struct options *, char *arg);
	bool measures;
	const char *help;
	size_t flag;
	enum mode mode;
} option_rows[] = {
	{ .name = "Rows" },
	{ 'l', "list", NULL, NULL, MEASURING, .mode = LIST, .help = "list the rows (name, what it calls, "
	  "first kernel, which real program copies so) and stop; with both ends redirected, those that fit" },
	{ 's', "select", "GLOB[,GLOB]...", set_select, ALWAYS, .help = "of the rows that would be run, only "
	  "those whose name matches a shell pattern; a row's full name is taken wherever it stands" },
	{ 'x', "exclude", "GLOB[,GLOB]...", set_exclude, ALWAYS, .help = "not these" },
	{ 'a', "all", NULL, NULL, MEASURING, FLAG(all), .help = "every strategy with every advice it can "
	  "take, the slow rows too; but for read+write 1, which has to be named, and copies 16 MiB at most" },
	{ 'w', "with", "COMMAND", set_with, MEASURING, .help = "one more row: COMMAND copies its standard "
	  "input to its standard output (with --tee, also to \"$TEE\"); $SIZE is the number of bytes; what "
	  "has a shell's syntax is run by /bin/sh; repeatable" },
	{ .name = "Measuring" },
	{ 'n', "runs", "N", set_runs, MEASURING, .help = "runs of each row; default 3" },
	{ 0, "warmup", "N", set_warmup, MEASURING, .help = "rounds before the first that counts; default 0" },
	{ 'r', "race", "[=RUNS]", set_race, MEASURING, .help = "spend RUNS runs in all (default 6 a row) to "
	  "name a winner: after each phase the better half of the rows, by median, goes on" },
	{ 'p', "pause", "SECONDS", set_pause, MEASURING, .help = "sleep before each run, of which up to half "
	  "may be spent on emptying the output; default 0.1, of a race 0" },
	{ 0, "until", "return|close|sync", set_until, MEASURING, .help = "what the clock waits for: the last "
	  "call's return (default); the close of the output, where NFS and FUSE flush, and ext4, XFS and "
	  "btrfs do after a truncate; fdatasync" },
	{ 0, "cold", NULL, NULL, MEASURING, FLAG(cold), .help = "evict the input from the page cache before "
	  "each run, and report how much of it stayed (a loop device or a server may have its own cache)" },
	{ 0, "overwrite", "[=cached]", set_overwrite, MEASURING, FLAG(overwrite), .help = "keep the output's "
	  "blocks from run to run instead of emptying it; before each run they are filled with other bytes "
	  "and evicted from the page cache (cached: kept there), and each copy is compared" },
	{ 0, "in-order", NULL, NULL, MEASURING, FLAG(in_order), .help = "row after row, as the table lists "
	  "them; default is rounds, each in a fresh shuffled order" },
	{ 0, "seed", "N", set_seed, MEASURING, .help = "the shuffle's seed; it is in the report" },
	{ 0, "no-verify", NULL, NULL, MEASURING, FLAG(no_verify), .help = "skip the full byte compare of "
	  "each row: exit status 0 then says that calls have claimed to copy all, and that sizes are right" },
	{ 'z', "size", "SIZE", set_size, MEASURING, .help = "copy only the first SIZE bytes, like 4096, 64k, "
	  "1.5m, 4MiB (powers of 1024) or 4MB (10^6); needed where the input has no end" },
	{ .name = "Ends" },
	{ 0, "from", "COMMAND", set_from, MEASURING, .help = "the input is what COMMAND writes; a fresh "
	  "process each run, which finds in $SIZE what --size says" },
	{ 0, "into", "COMMAND", set_into, MEASURING, .help = "the output is COMMAND's standard input; a "
	  "fresh process each run, for whose end the clock waits, and whose own output is thrown away. At "
	  "pipes rows are run with one of 64 KiB and, as NAME (pipe 1m), with one of 1 MiB; * marks those "
	  "that wait for their input, or for the receiver of --send, most of the time" },
	{ 't', "tee", "FILE", set_tee, MEASURING, .help = "a second output, FILE, made or emptied as tee(1) "
	  "does, and left there whatever comes" },
	{ 0, "send", "[=HOST:PORT]", set_send, MEASURING, .help = "the output is a TCP connection to a "
	  "--receive (default: one that it starts itself on loopback), a new one each run; the clock waits "
	  "until the receiver has answered with the number of bytes and their checksum" },
	{ 0, "receive", "[=[HOST:]PORT]", set_receive, ALWAYS, .mode = RECEIVE, .help = "be the receiver, "
	  "until a signal ends it: throw away what one --send after the other sends or, with standard output "
	  "redirected, keep the last stream; default is port " PORT " of loopback, 0 a free one" },
	{ 'g', "generate", "zero|random|page|noise:SIZE", set_generate, ALWAYS, .mode = GENERATE, .help =
	  "be a generator: write SIZE bytes to standard output and stop: zeros; one random page again and "
	  "again; pages as the allocator gives them; or noise, in which no two blocks are alike" },
	{ .name = "Reports" },
	{ 'f', "format", "text|markdown|csv|json|svg", set_format, ALWAYS, .help = "what is printed, to "
	  "standard error, since standard output carries the copy (--list, --compare, --help, --man: "
	  "standard output); default text" },
	{ 'o', "output", "FILE", set_output, ALWAYS, .help = "write the report to FILE too; repeatable; its "
	  "extension names the format (.txt .md .csv .json .svg), else -f does" },
	{ 'v', "verbose", NULL, NULL, ALWAYS, FLAG(verbose), .help = "all that is known of the session below "
	  "the table; default is 10 lines at most" },
	{ 0, "counters", NULL, NULL, MEASURING, FLAG(counters), .help = "CPU time, context switches, "
	  "migrations, page faults, cycles, instructions, branches and branch misses of each row" },
	{ 0, "compare", " FILE...", set_compare, ALWAYS, .mode = COMPARE, .help = "read reports in CSV: one "
	  "is printed again in the asked format; of two also what changed, tested; of several each row "
	  "relative to its file's fastest" },
	{ 'q', "quiet", NULL, NULL, ALWAYS, FLAG(quiet), .help = "the table alone; with -o only one line" },
	{ 'h', "help", NULL, NULL, ALWAYS, .mode = HELP, .help = "print this help and stop" },
	{ 'V', "version", NULL, NULL, ALWAYS, .mode = SHOW_VERSION, .help = "print the version and stop" },
	{ 0, "man", NULL, NULL, ALWAYS, .mode = MANUAL, .help = "print the manual page and stop" },
	{ 0, "completion", "bash|zsh", set_completion, ALWAYS, .mode = COMPLETION, .help = "print what "
	  "completes these options in that shell, and stop: source <(" PROGRAM " --completion=bash)" },
};

static const char summary[] = "find the fastest way to copy standard input to standard output";
static const char description[] =
	"Copies standard input to standard output several times with every strategy that Linux has for it, "
	"and with every advice that is worth giving. Checks each copy against the input. Prints the best, "
	"median and worst run of each row, and how far its best run is behind the best of all. ~ marks the "
	"rows that may be the fastest: with 95 % confidence the fastest is among them. Standard output (and "
	"the second one of --tee) is a copy of standard input when the exit status is 0; a pipe can't be "
	"emptied, and gets the bytes of every run.";

/* Sections of the manual page. Without a text: the title of one; without a term: a paragraph. */
struct passage {
	const char *term, *text;
};
static const struct passage statuses[] = {
	{ .term = "EXIT STATUS" },
	{ "0", "All rows were measured, or are not applicable here." },
	{ "1", "A row failed or copied wrongly, none was measured, or a report failed." },
	{ "2", "Bad usage, or refused to start: nothing has been touched." },
	{ "128+N", "Interrupted by signal N; what had been measured is printed." },
};
static const struct passage reading[] = {
	{ .term = "READING THE TABLE" },
	{ NULL, "Each line is a row: a strategy (sendfile), and the advice that it was given (+ advices). "
	  "The columns are its best, median and worst time; how far its best time is behind the best of "
	  "all; the mark; and the CPU time as a share of the run, where that is not about 100 %. Rows "
	  "take turns in shuffled rounds: a machine that slows down slows down all of them. Sizes are in "
	  "KiB, MiB and GiB, speeds in MiB/s and GiB/s." },
	{ "~", "The row may be the fastest: with 95 % confidence the fastest row is among those with this "
	  "mark." },
	{ "*", "The row is within 10 % of what its input (the feeder of a pipe), or the receiver of "
	  "--send, takes alone. With a faster one it might be faster." },
	{ "(+ 3.5%)", "Its best run took 3.5 % longer than the best of all." },
	{ "(shared)", "No data moved: the output shares the input's blocks (FICLONE, or copy_file_range "
	  "where the file system clones). Such rows stand first and are not ranked." },
	{ "(untouched)", "No data moved: references to pages went into a device that looks at no byte, "
	  "like /dev/null. Not ranked." },
	{ "(9 runs)", "In a race: the row left after 9 runs." },
	{ "n/a", "The kernel or the file system refused the call before the first byte, with its "
	  "errno; or what the row is about is missing: /proc, or direct I/O where a file system ignores the "
	  "flag. No row falls back on another call." },
	{ "Failed", "A call failed after the first byte, or a command ended with an error. The exit "
	  "status is 1." },
	{ "Copied wrongly", "All calls succeeded, and the output is not a copy of the input. The exit "
	  "status is 1." },
	{ .term = "RECOMMENDATION" },
	{ NULL, "Of the rows with a ~ it recommends the one with the smallest median; among those within "
	  "2 % of it the one that takes least CPU time, then the first of the table of rows. If another "
	  "row has the best run, the sentence says why it was not taken. One run recommends nothing." },
	{ NULL, "A row without a ~ is slower than some other row by an exact one-sided Mann-Whitney test "
	  "at 0.05 / (rows - 1), and by more than the control shows: the row with the fastest first run "
	  "is run twice a round, and a difference below that of its two halves is none. With 40 rows the "
	  "test needs 6 runs. With fewer, a row has no ~ if each of its runs was slower than each run of "
	  "the first row, and a line says what that is worth: 3 runs give 10 % false alarms per row." },
	{ "1.44 times as fast as cat (95 %: 1.08 to 1.58)", "Hodges and Lehmann's estimate from all pairs "
	  "of runs, and its 95 % interval. --verbose has it for all rows." },
	{ "78 % of memcpy", "Its speed relative to memcpy(3) in the same rounds, between two buffers of "
	  "the input's size (an eighth of memory each at most)." },
	{ "Warnings", "name what makes the numbers worth less, and a remedy: a slow first round, a "
	  "machine that slows down, slow runs, time taken by the hypervisor, throttled CPUs, dirty memory "
	  "near the kernel's limit, a tmpfs while the machine swaps, an input that flatters (zeros, "
	  "holes)." },
	{ .term = "ENDS" },
	{ NULL, "What standard input and output are is recognised by itself." },
	{ "file", "As input it is read once beforehand, so that it is in the page cache, from its first "
	  "byte on wherever its offset stands. As output it is emptied before each run, unless "
	  "--overwrite keeps its blocks." },
	{ "block device", "As input: its own size, or --size. Refused as output." },
	{ "character device", "As input with --size: /dev/zero, /dev/urandom. As output /dev/null." },
	{ "pipe, FIFO, socket", "As input it is read once to its end (or to --size), into memory up to a "
	  "quarter of it, else into an unlinked file in TMPDIR. In each run a process of its own, the "
	  "feeder, splices these bytes into a fresh pipe. As output it gets the bytes of every run, one "
	  "after the other, and the clock stops when its reader has taken all; a run more for each row, "
	  "untimed, goes to a process that compares every byte." },
	{ "--from, --into", "A fresh process each run. COMMAND of --from is run once beforehand: copies "
	  "are compared with what it wrote then. If it writes other bytes each time, only their number is "
	  "checked. If a command ends with an error, the run fails, and what it wrote to standard error "
	  "is shown. A row's CPU time is without that of the commands." },
	{ "--tee", "Both outputs are compared with the input, wherever they are." },
	{ "--send", "A new connection each run. The clock stops when the receiver has answered with the "
	  "number of bytes and their XXH64 checksum (xxhsum -H1). A --receive serves one sender at a "
	  "time; idle connections are dropped after 20 seconds. There is no encryption or authentication." },
	{ NULL, "Refused, before anything is touched: an output that is open for append (>>), was written "
	  "to before, or is the input or the other output, under whatever name; a directory, a terminal or "
	  "a device as output, but for /dev/null, zero and full; a file that a loop device lies on, or that "
	  "is active swap; where neither /sys nor /proc tells, any file that holds data; a file on a file "
	  "system that lies on the input; a socket of packets or one without a connection; an input that is "
	  "empty, a directory or a terminal; a report onto any of these, but a terminal. If standard error "
	  "is the input or an output, the exit status is 2 without a message." },
};
static const struct passage surroundings[] = {
	{ .term = "ENVIRONMENT" },
	{ "NO_COLOR", "If set and not empty, a report on a terminal has no colour." },
	{ "TERM", "If unset or dumb: no colour, no bars and no progress line." },
	{ "TMPDIR", "Where the input from a pipe is kept if memory has no room; else /tmp." },
	{ "SIZE, TEE", "Set for commands: the number of bytes to copy, and the name of the second output." },
};

static const char *const usages[] = {
	"[OPTION]... <INPUT >OUTPUT", "[OPTION]... --compare FILE...", "--generate=KIND:SIZE >OUTPUT",
	"--receive[=[HOST:]PORT] [>OUTPUT]",
};
static const char schema[] =
	"CSV: lines \"# key: value\", a line of column names, and a line for each run. JSON: {\"environment\""
	": {...}, \"rows\": [...]}, with numbers as numbers and null for one that is missing; of several "
	"files {\"files\": [{\"file\", \"environment\"}...], \"rows\": [...]}. Times are nanoseconds.";
static const char *const examples[] = {
	PROGRAM " -g noise:256m >X", PROGRAM " <X >Y",
	PROGRAM " --runs=10 --select='sendfile*,read+write*' <X >Y",
	PROGRAM " --with=cat --with='dd bs=1M' --until=sync <X >Y", PROGRAM " --race <X >Y",
	"zcat X.gz | " PROGRAM " >Y", PROGRAM " --from='zcat X.gz' --into='wc -l'",
	PROGRAM " -z 1g --into='wc -c' </dev/zero", PROGRAM " --tee=Z --with='tee \"$TEE\"' <X >Y",
	PROGRAM " --send <X", PROGRAM " -o old.csv <X >Y", PROGRAM " -n 10 -o report.csv -o report.svg <X >Y",
	PROGRAM " --compare old.csv report.csv",
};

static bool is_heading(const struct option_row *o) { return !o->set && !o->flag && !o->mode; }

/* An argument that may be missing is written with what separates it: "[=RUNS]", or " FILE...". */
static bool is_optional(const struct option_row *o) { return o->arg && strchr("[ ", *o->arg); }

/* "-o, --output=FILE" */
static struct words option_text(const struct option_row *o) {
	char letter[] = { '-', o->letter, ',', ' ', '\0' };
	return say("%s--%s%s%s", o->letter ? letter : "    ", o->name, o->arg && !is_optional(o) ? "=" : "",
	    o->arg ? o->arg : "");
}

static void print_help(FILE *f) {
	enum { INDENT = 30 };
	for (int i = 0; i < LENGTH(usages); i++)
		fprintf(f, "%s " PROGRAM " %s\n", i ? "      " : "Usage:", usages[i]);
	put_wrapped(f, description, TEXT_WIDTH, 0, 0);
	for (const struct option_row *o = option_rows; o < option_rows + LENGTH(option_rows); o++) {
		if (is_heading(o)) {
			fprintf(f, "\n%s\n", o->name);
			continue;
		}
		int used = fprintf(f, "  %s", option_text(o).s);
		if (used > INDENT - 2) used = fprintf(f, "\n") - 1;
		fprintf(f, "%*s", INDENT - used, "");
		put_wrapped(f, o->help, TEXT_WIDTH, INDENT, INDENT);
	}
	fprintf(f, "\nExit status\n");
	for (int i = 1; i < LENGTH(statuses); i++)
		fprintf(f, "  %-6s %s\n", statuses[i].term, statuses[i].text);
}

/* Text as roff has it: a hyphen is not a minus sign there, and a dot or a quote may begin a command. */
static void put_roff(FILE *f, const char *text) {
	if (*text == '.') fputs("\\&", f);
	for (; *text; text++)
		fputs(*text == '-' ? "\\-" : *text == '\\' ? "\\e" : *text == '\'' ? "\\(aq"
		    : (char[]){ *text, '\0' }, f);
	fputc('\n', f);
}

static void put_term(FILE *f, const char *term, const char *help) {
	fprintf(f, ".TP\n.B ");
	put_roff(f, term);
	put_roff(f, help);
}

static bool is_one_entry(const struct strategy *a, const struct strategy *b) {
	return !strcmp(a->about, b->about) && !strcmp(a->calls, b->calls)
	    && !strcmp(a->since ? a->since : "", b->since ? b->since : "");
}

/* Rows that differ only in their block, or that two outputs are written to, share an entry. */
static void print_man_rows(FILE *f) {
	const struct strategy *end = strategies + LENGTH(strategies), *next;
	fprintf(f, ".SH ROWS\n");
	put_roff(f, "A row is a strategy, and what follows \" + \": advices (posix_fadvise WILLNEED "
	    "and SEQUENTIAL, for mappings madvise), trunc (ftruncate to the full size), falloc (fallocate), "
	    "pfalloc (posix_fallocate), kfalloc (fallocate with KEEP_SIZE); with --cold readahead "
	    "and noreuse (posix_fadvise NOREUSE, which does nothing before Linux 6.3). bs is a block of the "
	    "output's file system. A call that is refused before the first byte makes a row n/a.");
	for (const struct strategy *row = strategies; row < end; row = next) {
		struct text names, words;
		begin_text(&names);
		for (next = row; next < end && is_one_entry(row, next); next++)
			fprintf(names.f, "%s%s", next > row ? ", " : "", next->name);
		fprintf(begin_text(&words), "%s; %s%s; %s.", row->calls,
		    row->since ? "since Linux " : "any Linux", row->since ? row->since : "", row->about);
		put_term(f, end_text(&names), end_text(&words));
		free(names.chars);
		free(words.chars);
	}
}

static void print_passages(FILE *f, const struct passage *p, int n) {
	for (int i = 0; i < n; i++)
		if (!p[i].text) fprintf(f, ".SH %s\n", p[i].term);
		else if (p[i].term) put_term(f, p[i].term, p[i].text);
		else fprintf(f, "%s", i && p[i - 1].text ? ".PP\n" : ""), put_roff(f, p[i].text);
}

static void print_man(FILE *f) {
	static const struct {
		int in;
		const char *title;
	} lists[] = {
		{ CSV, "Columns of CSV" }, { JSON, "Members of a row in JSON" },
		{ PAIRS, "The same of --compare with several files" },
	};
	fprintf(f, ".TH WRITE\\-BENCH 1 \"\" \"" PROGRAM " " VERSION COMMIT "\" \"User Commands\"\n"
	    ".SH NAME\nwrite\\-bench \\- %s\n.SH SYNOPSIS\n", summary);
	for (int i = 0; i < LENGTH(usages); i++) {
		fprintf(f, "%s.B write\\-bench\n", i ? ".br\n" : "");
		put_roff(f, usages[i]);
	}
	fprintf(f, ".SH DESCRIPTION\n");
	put_roff(f, description);
	fprintf(f, ".SH OPTIONS\n");
	for (const struct option_row *o = option_rows; o < option_rows + LENGTH(option_rows); o++)
		if (is_heading(o)) fprintf(f, ".SS %s\n", o->name);
		else put_term(f, option_text(o).s + (o->letter ? 0 : 4), o->help);
	print_passages(f, reading, LENGTH(reading));
	print_man_rows(f);
	print_passages(f, statuses, LENGTH(statuses));
	fprintf(f, ".SH REPORTS FOR PROGRAMS\n");
	put_roff(f, schema);
	fprintf(f, ".SS Keys of the environment\n");
	for (int i = 0; i < LENGTH(env_rows); i++) put_term(f, env_rows[i].key, env_rows[i].help);
	put_term(f, "warning_...", "what makes the numbers worth less, and a remedy");
	for (int k = 0; k < LENGTH(lists); k++) {
		fprintf(f, ".SS %s\n", lists[k].title);
		for (int i = 0; i < LENGTH(columns); i++)
			if (columns[i].in & lists[k].in) put_term(f, columns[i].key, columns[i].title);
	}
	print_passages(f, surroundings, LENGTH(surroundings));
	fprintf(f, ".SH EXAMPLES\n.EX\n");
	for (int i = 0; i < LENGTH(examples); i++) put_roff(f, examples[i]);
	fprintf(f, ".EE\n.SH SEE ALSO\n.BR cp (1),\n.BR dd (1),\n.BR copy_file_range (2),\n.BR sendfile "
	    "(2),\n.BR splice (2)\n");
}

/* The words that an option's argument may be are in its row: "return|close|sync". bash gives what stands
 * before a = as a word of its own; zsh, by its bashcompinit, does not. */
static void print_completion(FILE *f, bool zsh) {
	const struct option_row *o, *end = option_rows + LENGTH(option_rows);
	if (zsh) fputs("(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }\n"
	    "autoload -Uz bashcompinit && bashcompinit\n", f);
	fputs("_write_bench() {\n\tlocal word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]} "
	    "given= words=\n\t[ \"$option\" != = ] || option=${COMP_WORDS[COMP_CWORD-2]}\n"
	    "\t[ \"$word\" != = ] || word=\n"
	    "\tcase $word in --*=*) option=${word%%=*} given=${word%%=*}= word=${word#*=} ;; esac\n"
	    "\tcase $option in\n", f);
	for (o = option_rows; o < end; o++) {
		if (!o->arg || !strchr(o->arg, '|') || is_optional(o)) continue;
		fprintf(f, "\t--%s", o->name);
		if (o->letter) fprintf(f, " | -%c", o->letter);
		fprintf(f, ") words='");
		for (const char *c = o->arg; *c && *c != ':'; c++) fputc(*c == '|' ? ' ' : *c, f);
		fprintf(f, "' ;;\n");
	}
	fputs("\t*) case $word in -*) words='", f);
	for (o = option_rows; o < end; o++)
		if (!is_heading(o)) fprintf(f, "--%s ", o->name);
	fputs("' ;; esac ;;\n\tesac\n\tCOMPREPLY=($(compgen -P \"$given\" -W \"$words\" -- \"$word\"))\n}\n"
	    "complete -o default -F _write_bench write-bench\n", f);
}

static void check_options(const struct options *o) {
	bool too_many = o->measuring || o->select.n || o->exclude.n || o->format || o->noutputs;
	const char *dashes = o->measuring ? "--" : "", *which = o->measuring ? o->measuring : "other options";
	if (o->mode == COMPARE && o->measuring)
		die("--compare: reads what was measured: leave out --%s", o->measuring);
	if (o->mode == COMPARE && !o->files.n)
		die("--compare: needs files: name reports that --format=csv has written");
	if (o->mode == GENERATE && too_many)
		die("--generate: writes bytes to standard output and stops: leave out %s%s", dashes, which);
	if (o->mode == RECEIVE && too_many)
		die("--receive: takes what others send: leave out %s%s", dashes, which);
	if (o->mode == LIST && o->noutputs) die("--list: is printed: redirect it, and leave out --output");
	if (o->send && o->into) die("--send: is an output, as --into: leave out one of them");
	if (o->race && o->runs)
		die("--race: deals out the runs itself: leave out --runs, or use --race=RUNS");
	if (o->race && o->in_order) die("--race: goes by rounds: leave out --in-order");
}

__attribute__((noreturn)) static void die_unknown(const char *what) {
	size_t length = strcspn(what + 2, "=");
	struct text text;
	FILE *f = begin_text(&text);
	int found = 0;
	for (const struct option_row *o = option_rows; o < option_rows + LENGTH(option_rows); o++) {
		if (is_heading(o) || strncmp(o->name, what + 2, length)) continue;
		fprintf(f, "%s--%s", found++ ? ", " : "", o->name);
		if (strlen(o->name) == length)
			die("%.*s: takes no argument: leave out what follows it", (int)length + 2, what);
	}
	end_text(&text);
	if (found) die("%s: is no option: near it: %s", what, text.chars);
	die("%s: is no option: --help lists them", what);
}

/* A command line, as a shell would take it. */
static char *quote_arguments(char **argv) {
	struct text text;
	FILE *f = begin_text(&text);
	for (int i = 0; argv[i]; i++) {
		bool quote = !*argv[i] || argv[i][strspn(argv[i], PLAIN_WORD "=")];
		fprintf(f, "%s%s", i ? " " : "", quote ? "'" : "");
		for (const char *c = argv[i]; *c; c++) fprintf(f, *c == '\'' ? "'\\''" : "%c", *c);
		fputs(quote ? "'" : "", f);
	}
	return end_text(&text);
}

/* Reads the command line. Messages are our own: those of getopt(3) differ from libc to libc. */
static void parse_options(struct options *opt, int argc, char **argv) {
	struct option longs[LENGTH(option_rows) + 1] = { { 0 } };
	char shorts[4 * LENGTH(option_rows) + 2] = ":"; /* a missing argument is ':' */
	const char *mode = NULL;
	int c, n = 0;
	*opt = (struct options){ .pause = -1, .seed = -1, .command_line = quote_arguments(argv) };
	for (int i = 0; i < LENGTH(option_rows); i++) {
		const struct option_row *o = &option_rows[i];
		int argument = !o->arg ? no_argument : is_optional(o) ? optional_argument : required_argument;
		if (is_heading(o)) continue;
		longs[n++] = (struct option){ o->name, argument, NULL, 256 + i };
		if (o->letter) /* and 0, 1 or 2 colons: getopt.h */
			snprintf(shorts + strlen(shorts), 4, "%c%.*s", o->letter, argument, "::");
	}
	opterr = 0;
	while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		/* musl counts an argument that is missing */
		const char *what = argv[(optind < argc ? optind : argc) - 1];
		if (c >= 256) { /* abbreviations would break when an option is added */
			const char *word = optarg && optarg == what ? argv[optind - 2] : what;
			if (strcspn(word + 2, "=") != strlen(option_rows[c - 256].name)) die_unknown(word);
		}
		if (c == ':') die("%s: needs an argument: see --help", what);
		if (c == '?' && optopt && optopt < 256) die("-%c: is no option: --help lists them", optopt);
		if (c == '?') die_unknown(what);
		for (int i = 0; i < LENGTH(option_rows); i++) {
			const struct option_row *o = &option_rows[i];
			if (is_heading(o) || (c != 256 + i && c != o->letter)) continue;
			if (o->set) o->set(opt, optarg);
			if (o->flag) *((char *)opt + o->flag) = true;
			opt->measuring = o->measures ? o->name : opt->measuring;
			if (!o->mode || (o->mode < HELP && opt->mode >= HELP)) continue;
			if (o->mode < HELP && opt->mode && o->mode != opt->mode)
				die("--%s: does something else than --%s: leave out one of them", o->name,
				    mode);
			opt->mode = o->mode;
			mode = o->name;
		}
	}
	for (; opt->mode == COMPARE && optind < argc; optind++) append(&opt->files, argv[optind]);
	for (int i = 0; i < opt->files.n; i++) /* no message is to stand in it */
		if (is_behind(STDERR_FILENO, opt->files.item[i])) exit(EXIT_REFUSED);
	if (opt->mode >= HELP) return;
	check_options(opt);
	find_formats(opt);
	if (optind < argc)
		die("%s: is not expected: input and output are redirected: " PROGRAM " <INPUT >OUTPUT",
		    argv[optind]);
	bool random = opt->seed < 0;
	if (random && getrandom(&opt->seed, sizeof opt->seed, GRND_NONBLOCK) < 0) opt->seed = now();
	if (opt->pause < 0) opt->pause = opt->race ? 0 : PAUSE_DEFAULT;
	opt->runs = opt->runs ? opt->runs : RUNS_DEFAULT;
	opt->seed &= INT64_MAX >> (random ? 31 : 0); /* a random one that is short enough to type */
}

/* ---- main: what happens, in this order ------------------------------------------------------ */

static struct endpoint make_end(const struct options *opt, const char *label, int fd, const char *option,
    const char *command) {
	return (struct endpoint){ .label = label, .fd = fd, .copy_fd = fd, .option = option,
	    .command = command, .opt = opt, .child = no_child,
	    .source = { .bytes = -1, .resident = -1 },
	    .file = { .verify_fd = -1, .close_fd = -1 }, .net.control_fd = -1 };
}

/* What is behind standard input and output, as far as there are operations for it. */
static void find_ends(struct session *s) {
	struct endpoint *in = &s->in, *out = &s->out[0];
	const struct options *o = &s->opt;
	*in = make_end(o, o->from ? "--from" : "standard input", o->from ? -1 : STDIN_FILENO,
	    o->from ? "from" : NULL, o->from);
	*out = make_end(o, o->into ? "--into" : o->send ? "--send" : "standard output",
	    o->into || o->send ? -1 : STDOUT_FILENO, o->into ? "into" : o->send ? "send" : NULL, o->into);
	if (o->from || (!(s->closed & 1) && !fstat(in->fd, &in->st)))
		in->ops = find_ops(false, in->st.st_mode & S_IFMT, in->option);
	if (out->option || (!(s->closed & 2) && !fstat(out->fd, &out->st)))
		out->ops = find_ops(true, out->st.st_mode & S_IFMT, o->to.text ? "send=HOST" : out->option);
	s->nout = o->tee ? 2 : 1;
	for (int i = 0; i < LENGTH(s->end); i++) s->end[i] = i ? &s->out[i - 1] : in;
	s->out[1] = make_end(o, print_line("--tee%s%s", o->tee ? "=" : "", o->tee ? o->tee : ""), -1, "tee",
	    NULL);
}

/* An end that is not redirected fits all. A list that goes into a pipe leaves open where a copy would go. */
static unsigned list_kind(const struct endpoint *e) {
	bool nothing = (e->fd == STDIN_FILENO && is_mem(&e->st, MEM_NULL))
	    || (e->fd == STDOUT_FILENO && S_ISFIFO(e->st.st_mode));
	return !e->ops || nothing || isatty(e->fd) ? KIND_ANY : e->ops->kind;
}

static void plan_runs(struct session *s) {
	struct report *rep = &s->report;
	struct options *o = &s->opt;
	int rows = rep->nrows;
	if (o->race == RACE_BY_ROWS) o->race = RACE_DEFAULT * rows;
	rep->race = o->race;
	rep->quiet = o->quiet;
	rep->verbose = o->verbose;
	rep->counters = o->counters;
	if (o->race && rows == 1)
		die("--race: takes two rows or more, not only %s: --select less narrowly", rep->rows->name);
	if (o->race && o->race < rows)
		die("--race=%" PRId64 ": is less than one run for each of %d rows: use %d or more", o->race,
		    rows, rows);
	if (!o->race && o->runs * rows > SAMPLES_MAX)
		die("--runs=%" PRId64 ": of %d rows are more than %d in all: --select less", o->runs, rows,
		    SAMPLES_MAX);
}

/* Refuses a command that begins with a plain word that the shell does not find. */
static void check_command(const char *command) {
	const char *word = command + strspn(command, " \t\n");
	int length = (int)strspn(word, PLAIN_WORD), null = open("/dev/null", O_RDWR | O_CLOEXEC);
	char *ask = print_text("command -v '%.*s'", length, word);
	struct child child = no_child;
	if (null >= 0 && length && strchr(" \t\n;&|<>()", word[length])
	    && start_command(&child, ask, null, null, false, 0, false, NULL) > 0)
		wait_child(&child, WAIT_FOREVER);
	if (child.status)
		die("--with=%s: %.*s: is not found: name a program that is there", command, length, word);
	close_fd(&null);
	free(ask);
}

/* Leaves out rows that can't copy as much as there is; refuses commands that can't run, or would never
 * end. */
static void check_length(struct session *s) {
	struct report *rep = &s->report;
	int kept = 0;
	for (int i = 0; i < rep->nrows; i++) {
		const struct result *r = &rep->rows[i];
		if (r->command && s->in.source.size < 0 && !strstr(r->command, "SIZE"))
			die("--with=%s: would %s: use $SIZE, like head -c $SIZE", r->command,
			    s->in.command ? "copy what --from gives after the --size that is wanted"
			    : "never end, as its input");
		if (r->command) check_command(r->command);
		bool slow = r->strategy->by_name && rep->len > BY_NAME_MOST;
		if (slow) warn("%s: makes two calls a byte: copy 16 MiB or less (--size=16m)", r->name);
		if (slow) free((char *)r->name);
		else rep->rows[kept++] = *r;
	}
	rep->nrows = kept;
	if (!kept) die("no row is left: copy less, or select others");
}

/* The end of the session that is behind a descriptor, too; NULL: none is. */
static const struct endpoint *find_end_behind(const struct session *s, int fd) {
	for (int i = 0; i < LENGTH(s->end); i++)
		if (is_same(fd, s->end[i]->fd)) return s->end[i];
	return NULL;
}

/* Would a message harm what is behind standard error: the input, a disk, or what the output held? */
static bool must_be_silent(void) {
	struct stat st;
	if (fstat(STDERR_FILENO, &st)) return false;
	if (!S_ISREG(st.st_mode)) return S_ISBLK(st.st_mode) || (is_harmful(&st) && !isatty(STDERR_FILENO));
	bool known = true, over = !(fcntl(STDERR_FILENO, F_GETFL) & O_APPEND)
	    && lseek(STDERR_FILENO, 0, SEEK_CUR) < st.st_size;
	return is_same(STDERR_FILENO, STDIN_FILENO) || backs_loop(STDERR_FILENO, &known)
	    || is_swap(STDERR_FILENO) || (over && (!known || is_same(STDERR_FILENO, STDOUT_FILENO)));
}

/* Makes a temporary file beside a plain one that a report is to replace, with its owner and mode, or that is
 * to be made. False: it is written in place, as are /proc/self/fd/3 and a link to nothing. */
static bool begin_replacement(struct output *o, const struct stat *old) {
	mode_t mask = umask(0);
	struct stat link;
	int i = 0;
	umask(mask);
	bool magic = !strncmp(o->name, "/proc/", 6) || !strncmp(o->name, "/dev/fd/", 8);
	if (magic || (!old && !lstat(o->name, &link))) return false;
	const char *base = strrchr(o->name, '/') ? strrchr(o->name, '/') + 1 : o->name;
	char *named = print_text("%.*s.", (int)(base - o->name), o->name), *directory = realpath(named, NULL);
	free(named);
	if (directory) o->path = old ? realpath(o->name, NULL) : print_text("%s/%s", directory, base);
	free(directory);
	if (!o->path) return false;
	int length = (int)(strrchr(o->path, '/') + 1 - o->path);
	char *name = print_text("%.*s.write-bench.XXXXXX", length, o->path);
	int fd = mkostemp(name, O_CLOEXEC);
	while (i < TEMPORARY_MAX - 1 && temporaries[i]) i++;
	if (fd >= 0) *(o->temporary = &temporaries[i]) = name;
	if (fd >= 0 && (!old || !fchown(fd, old->st_uid, old->st_gid))
	    && !fchmod(fd, old ? old->st_mode & 07777 : 0666 & ~mask)) {
		o->old = o->fd;
		o->fd = fd;
		return true;
	}
	if (fd >= 0) unlink(name);
	temporaries[i] = NULL;
	close_fd(&fd);
	free(name);
	free(o->path);
	o->path = NULL;
	return false;
}

/* Opens it before the first run, but changes the file only when there is something to write. */
static void open_report(const struct session *s, struct output *o, int otherwise) {
	const char *name = o->name ? o->name : "the report";
	const int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY;
	struct stat st;
	o->old = -1;
	o->fd = o->name ? open(name, flags) : otherwise;
	bool there = o->fd >= 0 || errno != ENOENT;
	if (o->fd < 0 && there) die_errno(name, "open");
	if (there) check_use(name, o->fd);
	if (!o->name) return;
	const struct endpoint *end = there ? find_end_behind(s, o->fd) : NULL;
	if (end) die("%s: is %s, which the report would spoil: use another --output=FILE", name, end->label);
	bool plain = !there || (!fstat(o->fd, &st) && S_ISREG(st.st_mode) && st.st_nlink == 1);
	if (there && is_same(o->fd, STDERR_FILENO)) {
		close(o->fd); /* /dev/stderr: what a 2>>log holds is not ours to empty */
		o->fd = STDERR_FILENO;
	} else if (!plain || !begin_replacement(o, there ? &st : NULL)) {
		if (!there && (o->fd = open(name, flags | O_CREAT, 0666)) < 0) die_errno(name, "open");
	}
	for (const struct output *other = s->opt.outputs + 1; other < o; other++) {
		int old = other->old >= 0 ? other->old : other->fd, ours = o->old >= 0 ? o->old : o->fd;
		bool both = o->path && other->path;
		if (both ? !strcmp(o->path, other->path) : is_same(old, ours))
			die("%s: is there twice: name each report's file once", name);
	}
}

/* Writes it over what is there. */
static bool write_in_place(int fd, const char *text, size_t n, const char *name) {
	if (ftruncate(fd, 0) && errno != EINVAL) warn("%s: ftruncate: %s", name, errno_text(errno).s);
	return emit(fd, text, n);
}

/* Gives a report that is whole the name of the file that it replaces, which must be closed then (SMB); where
 * that is refused (a mounted file, a sticky directory) it is written in place. Where the name means another
 * file by now it gets one of its own. */
static bool replace_file(struct output *o, const char *text, size_t n) {
	const char *temporary = (const char *)*o->temporary;
	struct stat was, is;
	bool had = o->old >= 0 && !fstat(o->old, &was), there = !stat(o->name, &is), good;
	close_fd(&o->old);
	if (!there || (had && was.st_dev == is.st_dev && was.st_ino == is.st_ino)) {
		if (!rename(temporary, o->path)) return *o->temporary = NULL, true;
		int fd = open(o->path, O_WRONLY | O_CLOEXEC | (there ? 0 : O_CREAT | O_EXCL), 0666);
		return fd >= 0 && write_in_place(fd, text, n, o->name) && !close(fd);
	}
	char *name = NULL;
	int fd = -1;
	errno = EEXIST;
	for (int i = 1; fd < 0 && errno == EEXIST; i++) {
		free(name);
		name = print_text("%s.%d", o->name, i);
		fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	}
	good = fd >= 0 && emit(fd, text, n) && !close(fd);
	if (good) warn("%s: is another file than at the start: the report is %s", o->name, name);
	errno = good ? 0 : errno;
	free(name);
	return false;
}

/* False, and errno, or 0 where all is said. */
static bool write_report(struct output *o, const char *text, size_t n) {
	if (!o->name || o->fd == STDERR_FILENO) return emit(o->fd, text, n);
	if (!o->path) return write_in_place(o->fd, text, n, o->name) && !close(o->fd);
	char *temporary = (char *)*o->temporary;
	bool good = emit(o->fd, text, n) && !close(o->fd) && replace_file(o, text, n);
	int err = errno;
	if (*o->temporary) unlink(temporary);
	*o->temporary = NULL;
	free(temporary);
	errno = err;
	return good;
}

/* Writes all reports of so many sessions; false, with a message: one could not be written. */
static bool write_reports(struct session *s, struct report *reports, int n) {
	const char *no_color = getenv("NO_COLOR"); /* no-color.org */
	struct comparison c = { .s = reports };
	bool good = true;
	if (n > 1) c = begin_comparison(reports, n);
	for (struct output *o = s->opt.outputs + s->opt.noutputs; o >= s->opt.outputs; o--) {
		struct text text;
		FILE *f = begin_text(&text);
		reports->width = terminal_width(o->fd);
		reports->colour = has_escapes(o->fd) && !(no_color && *no_color);
		if (!o->format && n == 1)
			fprintf(f, "%s\n", has_env(reports, "recommendation")
			    ? env(reports, "recommendation") : "Nothing is recommended.");
		else if (o->format && n == 1) o->format->report(f, reports);
		else if (o->format) o->format->comparison(f, &c);
		end_text(&text);
		errno = 0;
		if (!write_report(o, text.chars, text.size)) {
			const char *name = o->name ? o->name : "the report";
			if (errno) warn("%s: write: %s", name, errno_text(errno).s);
			good = false;
		}
		free(text.chars);
	}
	free(c.pairs);
	return good;
}

/* --list, --help, --man, --completion and --version. Where a copy would go no list does. */
static int print_and_stop(struct session *s) {
	bool redirected = !(s->closed & 1) && !isatty(STDIN_FILENO) && !is_mem(&s->in.st, MEM_NULL)
	    && !isatty(STDOUT_FILENO);
	struct output *o = s->opt.outputs;
	const char *tee = s->opt.tee;
	struct stat st;
	const struct endpoint_ops *ops = tee && !stat(tee, &st) ? find_ops(true, st.st_mode & S_IFMT, NULL)
	    : NULL;
	struct ends ends = { .in = list_kind(&s->in), .cold = s->opt.cold,
	    .holes = S_ISREG(s->in.st.st_mode) && count_holes(STDIN_FILENO, s->in.st.st_size) > 0,
	    .out = { list_kind(&s->out[0]), ops ? ops->kind : KIND_FILE }, .outs = tee ? TWO : ONE };
	/* where no end is known, and more is asked for than the default rows, one output or two */
	if ((ends.in & ends.out[0]) == (unsigned)KIND_ANY && !tee && (s->opt.all || s->opt.select.n))
		ends.outs = ONE | TWO;
	if (s->opt.mode == LIST) choose_rows(&s->report, &s->opt, &ends);
	open_report(s, o, s->opt.mode == LIST && redirected ? STDERR_FILENO : STDOUT_FILENO);
	struct text text;
	FILE *f = begin_text(&text);
	if (s->opt.mode == LIST) print_list(f, &s->report);
	else if (s->opt.mode == HELP) print_help(f);
	else if (s->opt.mode == MANUAL) print_man(f);
	else if (s->opt.mode == COMPLETION) print_completion(f, s->opt.zsh);
	else fprintf(f, PROGRAM " " VERSION COMMIT "\n");
	end_text(&text);
	bool good = emit(o->fd, text.chars, text.size);
	if (!good) warn("the report: write: %s", errno_text(errno).s);
	free(text.chars);
	return good ? 0 : EXIT_FAILED_ROW;
}

/* Names without directory and .csv; or numbers, where those would be too long, or the same twice. */
static void find_titles(struct report *s, int n) {
	enum { ROOM = 12 };
	bool good = true;
	for (int i = 0; i < n; i++) {
		const char *base = strrchr(s[i].file, '/') ? strrchr(s[i].file, '/') + 1 : s[i].file;
		size_t length = strlen(base);
		if (length > 4 && !strcmp(base + length - 4, ".csv")) length -= 4;
		s[i].title = strndup(base, length);
		good &= length <= ROOM;
		for (int k = 0; k < i; k++) good &= strcmp(s[k].title, s[i].title) != 0;
	}
	for (int i = 0; i < n && !good; i++) {
		free((char *)s[i].title);
		s[i].numbered = true;
		s[i].title = print_text("%d", i + 1);
	}
}

/* --compare. The report must not go to a file that it is made from. */
static int compare_and_stop(struct session *s) {
	const struct options *o = &s->opt;
	struct report *reports = s->read = allocate(o->files.n, sizeof *reports);
	struct stat st;
	for (int k = 0; k <= o->noutputs; k++) { /* a FIFO is not opened here: a close would be its end */
		int report = !k ? STDOUT_FILENO : !stat(o->outputs[k].name, &st) && S_ISREG(st.st_mode)
		    ? open(o->outputs[k].name, O_WRONLY | O_CLOEXEC) : -1;
		for (int i = 0; i < o->files.n; i++)
			if (is_behind(report, o->files.item[i]))
				die("%s: is where the report is to go: use another", o->files.item[i]);
		if (report > STDOUT_FILENO) close(report);
	}
	read_reports(reports, o);
	find_titles(reports, o->files.n);
	catch_signals();
	for (int i = 0; i <= o->noutputs; i++) open_report(s, &s->opt.outputs[i], STDOUT_FILENO);
	bool good = write_reports(s, reports, o->files.n);
	if (caught) return EXIT_SIGNALLED + caught;
	return good ? 0 : EXIT_FAILED_ROW;
}

/* Noise: each word is a mix of its number, so that no two blocks are alike. */
static void fill_noise(unsigned char *buf, int64_t bytes, int64_t at) {
	uint64_t *words = (uint64_t *)(void *)buf, state;
	for (int64_t i = 0; i < bytes / 8; i++) {
		state = (uint64_t)(at / 8 + i) * UINT64_C(0x9e3779b97f4a7c15);
		words[i] = htole64(random_number(&state));
	}
}

/* --generate. A page of random bytes is repeated; "page" is memory as the allocator gives it. */
static int generate_and_stop(struct session *s) {
	struct resources res = { .room = 0 };
	struct endpoint *out = &s->out[0];
	enum content content = s->opt.content;
	struct copy c = { .out = { out->fd }, .nout = 1, .len = s->opt.generate, .block = 256 * K,
	    .res = &res };
	if (s->closed & 2 || !out->ops || isatty(out->fd))
		die("%s: is no file, pipe or device: redirect it: " PROGRAM " --generate=noise:256m >FILE",
		    out->label);
	check_use(out->label, out->fd);
	if (out->ops->kind == KIND_PIPE) fcntl(out->fd, F_SETPIPE_SZ, (int)PIPE_LARGE); /* if it may */
	bool good = get_memory(&c, c.block);
	if (good && content == CONTENT_ZERO) memset(c.buf, 0, res.room);
	if (good && content == CONTENT_RANDOM)
		good = getrandom(c.buf, DIO_ALIGNMENT, 0) >= 0 || failed(&c, "getrandom");
	for (int64_t at = DIO_ALIGNMENT; good && content == CONTENT_RANDOM && at < res.room;
	    at += DIO_ALIGNMENT)
		memcpy(c.buf + at, c.buf, DIO_ALIGNMENT);
	for (size_t n; good && (n = next(&c));) {
		if (content == CONTENT_NOISE) fill_noise(c.buf, c.block, c.done);
		good = write_out(&c, 0, c.buf, n);
	}
	if (!good) warn("%s: %s: %s", out->label, c.failure.call, errno_text(c.failure.err).s);
	return good ? 0 : EXIT_FAILED_ROW;
}

/* --receive. Standard output is where streams are kept, unless it is closed, a terminal, or keeps nothing. */
static int receive_and_stop(struct session *s) {
	struct server server = { .kept = -1, .quiet = s->opt.quiet, .ring = make_receive_ring() };
	struct endpoint *out = &s->out[0];
	if (!(s->closed & 2) && !isatty(out->fd) && !is_blind(&out->st)) {
		check_end(out, false, O_RDONLY);
		check_precious(out);
		if (out->ops->kind == KIND_SOCKET) out->ops->open(out);
		server.kept = out->fd;
		server.file = is_file(out);
	}
	catch_signals();
	open_listeners(&server, &s->opt.at);
	serve(&server);
	free(server.ring);
	return EXIT_SIGNALLED + caught;
}

static int report_and_stop(struct session *s, bool copied) {
	struct report *rep = &s->report;
	const char *cut = s->out[0].ops->cut, *wrong = NULL;
	bool good = copied;
	int number = caught; /* one that comes from now on finds all done */
	if (!cut) cut = s->nout > 1 ? "the outputs are no copies" : "standard output is not a copy";
	if (number)
		set_env(rep, "interrupted", "by %s after %d of %" PRId64 " runs: %s",
		    signal_name(number), rep->nruns,
		    s->opt.race ? s->opt.race : s->nplanned, cut);
	rank(rep, number);
	add_measurements(s);
	add_conclusions(rep);
	bool measured = false;
	for (int i = 0; i < rep->nrows; i++) {
		good &= rep->rows[i].verdict.outcome < FAILED;
		measured |= is_timed(rep->rows[i].verdict.outcome);
	}
	good &= write_reports(s, rep, 1);
	if (!measured && !number && good) warn("none of the rows named could be measured");
	good &= measured;
	if (copied) { /* until the very end: another process may have written to them */
		struct verdict v = compare_files(s, false, &wrong);
		good &= are_copies(s, v, wrong);
	}
	number = good ? number : caught; /* one that came since then has ended that comparison */
	return number ? EXIT_SIGNALLED + number : good ? 0 : EXIT_FAILED_ROW;
}

/* Refuses ends that can't be benchmarked, and finds out how much there is to copy. */
static void open_ends(struct session *s) {
	struct statfs fs;
	open_source(&s->in, s->closed & 1);
	open_sink(&s->out[0], &s->in, s->closed & 2);
	if (s->nout > 1) open_second(&s->out[1], &s->out[0], &s->in);
	int64_t size = s->in.source.size, asked = s->opt.size;
	s->report.len = asked && (size < 0 || asked < size) ? asked : size;
	if (s->in.ops->kind == KIND_FILE) s->holes = count_holes(s->in.fd, s->report.len);
	s->bs = fstatfs(s->out[0].fd, &fs) || fs.f_bsize <= 0 ? BS_UNKNOWN : (int64_t)fs.f_bsize;
}

int main(int argc, char **argv) {
	static struct session s; /* held to the end: a checker of leaks sees it there */
	for (int fd = 0; fd <= 2; fd++) { /* those that are closed, so that using them fails as before */
		if (fcntl(fd, F_GETFD) >= 0) continue;
		s.closed |= 1U << fd;
		if (open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0) return EXIT_REFUSED;
	}
	s.run = run_row;
	unblock_signals();
	atexit(remove_temporaries);
	prctl(PR_SET_TIMERSLACK, 1UL); /* nanoseconds: looks at a reader are LOOK_AGAIN apart, not 50 us */
	if (must_be_silent()) return EXIT_REFUSED;
	parse_options(&s.opt, argc, argv);
	find_ends(&s);
	if (s.opt.mode == LIST || s.opt.mode >= HELP) return print_and_stop(&s);
	if (s.opt.mode == COMPARE) return compare_and_stop(&s);
	if (find_end_behind(&s, STDERR_FILENO)) return EXIT_REFUSED; /* no message is to stand in the copy */
	if (s.opt.mode == GENERATE) return generate_and_stop(&s);
	if (s.opt.mode == RECEIVE) return receive_and_stop(&s);
	open_ends(&s);
	struct ends ends = all_ends(&s);
	choose_rows(&s.report, &s.opt, &ends);
	catch_signals();
	read_ahead(&s);
	check_length(&s);
	plan_runs(&s);
	find_environment(&s);
	open_counters(&s);
	warm(&s);
	for (int i = 0; i <= s.opt.noutputs; i++) open_report(&s, &s.opt.outputs[i], STDERR_FILENO);
	measure(&s);
	bool copied = leave_copy(&s);
	s.strangers = leave_receiver(&s.out[0]);
	return report_and_stop(&s, copied);
}
