/* SPDX-License-Identifier: MIT */
/*
 * write-bench - find the fastest way to copy bytes from here to there.
 *
 *     ./write-bench <X >Y            as "cp X Y", once for every way that Linux has
 *     ./write-bench --tee=Z <X >Y    as "tee Z <X >Y"
 *     ./write-bench --send <X        into a TCP connection
 *
 * Each row of a table is a way to copy. All rows run several times; the report shows how far each is behind.
 *
 * The numbers can be trusted:
 *   - time_copy() times advice, set-up, the copy, and what the ends wait for. A pause, emptying the output
 *     (by default) and syncing its file system come before, verification after.
 *   - One function, try(), runs and judges every copy: those of the rows, and the last copy.
 *   - Every size is verified, and full contents once per row.
 *   - No row falls back on another call. If the kernel refuses a call, the row is "n/a", with the errno.
 *   - Rows take turns in shuffled rounds, so that a machine that slows down slows down all rows.
 *   - ~ marks the rows that may be the fastest, by an exact test. The row to use is compared with
 *     the user's command, without -n by runs that had no part in choosing the row.
 *   - If the exit status is 0, standard output is a copy of standard input. A pipe can't be truncated: it
 *     gets one copy per run.
 *
 * Each section uses only those before it. A line of dashes begins a section, a double line a book:
 *   - before the first book: the base of all copies, the methods, and THE TABLE of rows;
 *   - judge: statistics, by which rounds choose the rows that run on;
 *   - measure: ends, runs and verdicts, rounds, the last copy;
 *   - print: sentences, tables, documents, pictures; and reports that are read back;
 *   - the sections that drive them: options, the manual page, report files, the plan, main.
 *
 * Start reading at main(), the last function. The path of a copy is main() -> measure() -> run_row() -> try()
 * -> copy_once() -> time_copy() -> a method's function, which sees no more than a struct copy.
 * Formats for people print documents, which compose() makes of reports; those for programs print the reports.
 * To add a way to copy: write a function, a struct method below it, and a line in strategies[].
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#define _TIME_BITS 64 /* 32-bit machines, glibc 2.34 or later: dates after 2038 */

#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <fnmatch.h>
#include <getopt.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/perf_event.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
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
#include <sys/file.h>
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
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/errqueue.h> /* needs struct timespec, defined above */

/* ---- Constants and types that everyone uses -------------------------------------------------- */

#define PROGRAM "write-bench"
#define VERSION "1.0"
#define RELEASED "2026-11-25"   /* the date of that version */
#ifndef COMMIT
#define COMMIT "" /* " (git describe)" where it is built in a repository: Makefile */
#endif
#ifndef FLAGS
#define FLAGS "" /* of the compiler: Makefile */
#endif
#ifdef __clang__
#define COMPILER __VERSION__ FLAGS
#else
#define COMPILER "gcc " __VERSION__ FLAGS
#endif

enum { EXIT_FAILED_ROW = 1, EXIT_REFUSED = 2, EXIT_SLOWER = 3, EXIT_UNDECIDED = 4, EXIT_SIGNALLED = 128 };
enum { NO_ERRNO = 4096 }; /* instead of an errno; above the last one (include/linux/err.h) */
enum { CHILD_LOST = NSIG }; /* instead of a signal: a child that can't be killed may still write */

#define K ((int64_t)1 << 10)
#define M ((int64_t)1 << 20)
#define SECOND INT64_C(1000000000) /* in nanoseconds, as all times */
#define MILLISECOND INT64_C(1000000)
#define MICROSECOND INT64_C(1000)
#define TEXT_OF(constant) TEXT_OF_ITS(constant) /* a constant's value, or several, in a string */
#define TEXT_OF_ITS(...) #__VA_ARGS__
#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

/* The most that one call moves: MAX_RW_COUNT, INT_MAX rounded down to a page (include/linux/fs.h). */
#define CALL_MAX ((int64_t)0x7ffff000)
#define CHUNK (128 * K)       /* bytes per call to compare, poison, generate, and make the last copy */
#define POISON 0xa5           /* fills a buffer, so that a read that stores no bytes is noticed */
#define PIPE_DEFAULT (64 * K) /* bytes that a pipe holds by default: pipe(7) */
#define PIPE_LARGE (1 * M)    /* bytes that it may hold without privileges: fs.pipe-max-size */
#define RING_DEPTH 8          /* blocks between a reader and a writer, or in flight in io_uring */

/* Kinds of end, as bits: a method lists those that it can work on. */
enum kind {
	KIND_FILE = 1,    /* regular file */
	KIND_BLOCK = 2,   /* block device */
	KIND_DEVICE = 4,  /* character device */
	KIND_PIPE = 8,    /* pipe or FIFO, also a command's; as input also a socket, fed through a pipe */
	KIND_SOCKET = 16, /* socket, also --send's */
	KIND_ANY = ~0,    /* also: an end that is not known yet */
};

/* A failed call, or why there was none. */
struct failure {
	int err;              /* errno; 0: no failure; NO_ERRNO: a reason without errno */
	const char *call;     /* the failed call; with NO_ERRNO the reason, in words; NULL: none */
	int nth;              /* index of the output concerned; -1: none, or all */
};

/* All that a strategy sees. */
struct copy {
	int in;               /* descriptor to read from, at offset 0 */
	int out[2], nout;     /* descriptors to write to, at offset 0; their number */
	int64_t len;          /* bytes to copy */
	bool to_eof;          /* the input ends at len */
	bool map_advice;      /* the row's advice covers mappings too */
	bool into_socket;     /* the first output is a socket */
	int64_t block;        /* bytes per call; 0: as many as it takes */
	int cpus;             /* CPUs that it may use, at least 1 */
	int64_t done;         /* bytes that reached all outputs, counted by the strategy */
	bool cloned;          /* FICLONE made an output share blocks */
	struct failure failure;
	struct kit *kit;      /* resources beside its ends */
	struct job *job;      /* of a --with row */
};

/* ---- Base: messages, errno names, clock, reading and writing --------------------------------- */

#define UNUSED __attribute__((unused)) /* a parameter needed only by the function type */

static int64_t min(int64_t lhs, int64_t rhs) { return lhs < rhs ? lhs : rhs; }
static int64_t max(int64_t lhs, int64_t rhs) { return lhs > rhs ? lhs : rhs; }

/* Shared by signal handlers, threads and the rest. */
static atomic_int caught; /* why to stop: a signal, or CHILD_LOST; else 0 */

/* Returns the bytes of the UTF-8 character at text; 0 if invalid, or a control character (RFC 3629). */
static int utf8_length(const char *text) {
	static const uint32_t least[] = { 0, 0, 0xa0, 0x800, 0x10000 };
	const unsigned char *byte = (const unsigned char *)text;
	int n = 2 + (*byte >= 0xe0) + (*byte >= 0xf0);
	if (*byte < 0x80) return *byte >= ' ' && *byte != 0x7f;
	if (*byte < 0xc0) return 0;
	uint32_t code = *byte & (0xffU >> (n + 1));
	for (int i = 1; i < n; i++) {
		if ((byte[i] & 0xc0) != 0x80) return 0;
		code = code << 6 | (byte[i] & 0x3f);
	}
	bool surrogate = code >> 11 == 0xd800 >> 11;
	return code < least[n] || code > 0x10ffff || surrogate || *byte >= 0xf8 ? 0 : n;
}

/* Returns the columns of the first length bytes of a text: one per character. */
static int columns(const char *text, size_t length) {
	int n = 0;
	for (size_t i = 0; i < length; i++) n += (text[i] & 0xc0) != 0x80;
	return n;
}

static int width_of(const char *text) { return columns(text, strlen(text)); }

/* Escape control characters and invalid bytes as \xNN; truncate to size. Returns line. */
static char *escape(char *line, size_t size, const char *text) {
	char *to = line, *end = line + size - sizeof "\\xff";
	while (*text && to < end) {
		int length = utf8_length(text);
		if (length) to = mempcpy(to, text, length);
		else to += sprintf(to, "\\x%02x", *text & 255U);
		text += max(length, 1);
	}
	*to = '\0';
	return line;
}

static int64_t clock_ns(clockid_t clock) {
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

/* Nanoseconds of a clock that is never set, and does not count while the machine is suspended. */
static int64_t now(void) { return clock_ns(CLOCK_MONOTONIC); }

/* Retry a call that a signal interrupted, unless the signal asks us to stop. */
#define RETRY(call) __extension__({ \
	__typeof__(call) returned_; \
	do \
		returned_ = (call); \
	while (returned_ < 0 && errno == EINTR && !caught); \
	returned_; })

#define WRITE_GRACE (500 * MILLISECOND) /* wait for a slow reader after a signal */

/* Write size bytes. After a signal, give up on a slow reader WRITE_GRACE after the call's start, and then
 * at once in later calls. Returns 0 or an errno. */
static int emit(int fd, const char *text, size_t size) {
	static bool gave_up;
	int64_t deadline = now() + WRITE_GRACE;
	while (size > 0) {
		struct pollfd room = { .fd = fd, .events = POLLOUT };
		ssize_t wrote = write(fd, text, size);
		if (wrote < 0 && errno != EINTR && errno != EAGAIN) return errno;
		if (wrote < 0 && errno == EAGAIN) poll(&room, 1, 50);
		if (wrote < 0 && caught) gave_up |= now() >= deadline;
		if (wrote < 0 && gave_up) return ETIMEDOUT;
		text += max(wrote, 0);
		size -= max(wrote, 0);
	}
	return 0;
}

/* End by the signal that was caught, so that a shell sees it. Returns the exit status after CHILD_LOST, and
 * in process 1 of a PID namespace, which ignores its own signals (pid_namespaces(7)). */
static int stop_status(int why) {
	if (why == CHILD_LOST) return EXIT_FAILED_ROW;
	signal(why, SIG_DFL);
	raise(why);
	return EXIT_SIGNALLED + why;
}

#define REPORT_FILES_MAX 16 /* options -o */

static bool same_inode(const struct stat *st_a, const struct stat *st_b) {
	return st_a->st_dev == st_b->st_dev && st_a->st_ino == st_b->st_ino;
}

/* True if a message would overwrite something: the input, a block device, a file with bytes at its offset. */
static bool overwrites_file(void) {
	struct stat log, in;
	if (fstat(STDERR_FILENO, &log) || S_ISCHR(log.st_mode)) return false;
	if (!fstat(STDIN_FILENO, &in) && same_inode(&log, &in)) return true;
	bool appends = fcntl(STDERR_FILENO, F_GETFL) & O_APPEND;
	bool before = S_ISREG(log.st_mode) && lseek(STDERR_FILENO, 0, SEEK_CUR) < log.st_size;
	return S_ISBLK(log.st_mode) || (before && !appends);
}

/* Print a message, escaped: the program's name, object, call, errno, remedy. Not if it would spoil a file. */
__attribute__((format(printf, 1, 2))) static void warn(const char *pattern, ...) {
	char text[2000], line[4000] = PROGRAM ": ", *end = line + strlen(line);
	va_list args;
	if (overwrites_file()) return;
	va_start(args, pattern);
	vsnprintf(text, sizeof text, pattern, args);
	va_end(args);
	escape(end, line + sizeof line - 1 - end, text);
	strcat(line, "\n");
	emit(STDERR_FILENO, line, strlen(line));
}

/* warn(), then exit 2, or by the caught signal. Only before any file is modified, or out of memory. */
#define die(...) (warn(__VA_ARGS__), exit(caught ? stop_status(caught) : EXIT_REFUSED))

/* calloc(3) that exits when out of memory. */
static void *allocate(size_t nmemb, size_t size) {
	void *p = calloc(max(nmemb, 1), size);
	if (!p) die("memory: calloc: ENOMEM: free memory, or raise ulimit -v or -d");
	return p;
}

/* True if all size bytes are zero; size is at least 1. */
static bool is_zero(const unsigned char *mem, size_t size) {
	return !*mem && !memcmp(mem, mem + 1, size - 1);
}

#define STACK_SIZE (256 * K) /* bytes of a thread's stack; the default is ulimit -s */

/* Start a thread. Block all signals except for SIGBUS, which its own calls raise, and SIGALRM, by which
 * work_together() interrupts them. Returns 0 or an errno. */
static int start_thread(pthread_t *new_thread, void *(*routine)(void *), void *argument) {
	pthread_attr_t attributes;
	sigset_t most, old;
	sigfillset(&most);
	sigdelset(&most, SIGBUS);
	sigdelset(&most, SIGALRM);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	pthread_sigmask(SIG_SETMASK, &most, &old);
	int err = pthread_create(new_thread, &attributes, routine, argument);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attributes);
	return err;
}

/* Reopen a descriptor's file: the shell's description is shared, and its > only writes. -1 with errno. */
static int reopen(int fd, int flags) {
	char path[32];
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return open(path, flags | O_CLOEXEC);
}

/* Open a file for writing; create it if it does not exist. Returns -1 with errno. */
static int open_or_make(const char *name) {
	int fd = open(name, O_WRONLY | O_CLOEXEC | O_NOCTTY); /* O_CREAT fails on some FIFOs */
	return fd < 0 && errno == ENOENT ? open(name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666) : fd;
}

/* Close a descriptor, unless it is -1. */
static void close_fd(int *own_fd) {
	if (*own_fd >= 0) close(*own_fd);
	*own_fd = -1;
}

static bool has_type(int fd, mode_t type) {
	struct stat st;
	return !fstat(fd, &st) && (st.st_mode & S_IFMT) == type;
}

/* Read the first line of a file below /proc or /sys, without its newline. Returns false if there is none. */
static bool read_line(const char *path, char *line, size_t size) {
	FILE *f = fopen(path, "re");
	bool ok = f && fgets(line, (int)size, f);
	if (f) fclose(f);
	if (ok) line[strcspn(line, "\n")] = '\0';
	return ok;
}

/* ---- Advice: calls that prepare the ends, inside the clock ----------------------------------- */

/* A call that prepares an end for the copy. */
struct step {
	int (*give)(int fd, int64_t length); /* returns 0 or an errno */
	unsigned kinds;    /* kinds of end that accept it */
	int flags;
	const char *call;  /* its name */
	const char *code;  /* its pseudo-code */
	const char *help;  /* as in struct method */
};
enum {
	COLD_ONLY = 1 << 0,    /* only with --cold */
	MAPS_TOO = 1 << 1,     /* also madvise(2) on mappings */
	GIVES_LENGTH = 1 << 2, /* sets the output's full length: required to map it */
	ALLOCATES = 1 << 3,    /* by fallocate(2) */
};

enum {
	ANY = KIND_ANY, FILES = KIND_FILE, DISK = KIND_FILE | KIND_BLOCK, SEEK = DISK | KIND_DEVICE,
	PIPES = KIND_PIPE, SOCKETS = KIND_SOCKET, SPLICED = DISK | PIPES,
};

static const struct step no_step = { NULL, KIND_ANY, 0, "", "", "" };

/* Returns errno if a call failed, else 0. */
static int error_of(int returned) { return returned ? errno : 0; }

static const char by_fadvise[] = "A hint: it returns the errno; go on. Python: os.posix_fadvise.";
static const char by_fallocate[] =
	"EOPNOTSUPP (not by this file system), ESPIPE (a pipe): go on without it. Python: "
	"os.posix_fallocate; glibc writes to each block where the file system can't. Go: "
	"syscall.Fallocate.";

static int give_fadvise(int fd, int64_t length) {
	int err = posix_fadvise(fd, 0, length, POSIX_FADV_SEQUENTIAL);
	return err ? err : posix_fadvise(fd, 0, length, POSIX_FADV_WILLNEED);
}
static const struct step fadvise = { give_fadvise, SEEK, MAPS_TOO, "posix_fadvise",
	"posix_fadvise(in, 0, LENGTH, POSIX_FADV_SEQUENTIAL)\n"
	"posix_fadvise(in, 0, LENGTH, POSIX_FADV_WILLNEED)", by_fadvise };

static int give_readahead(int fd, int64_t length) { return error_of((int)readahead(fd, 0, length)); }
static const struct step ahead = { give_readahead, DISK, COLD_ONLY, "readahead", "readahead(in, 0, LENGTH)",
	"A hint: go on after a failure, as EINVAL of a pipe." };

/* Before Linux 6.3 the kernel accepts POSIX_FADV_NOREUSE, but ignores it. */
static int give_noreuse(int fd, int64_t length) { return posix_fadvise(fd, 0, length, POSIX_FADV_NOREUSE); }
static const struct step noreuse = { give_noreuse, SEEK, COLD_ONLY, "posix_fadvise",
	"posix_fadvise(in, 0, LENGTH, POSIX_FADV_NOREUSE)", by_fadvise };

static int give_length(int fd, int64_t length) { return error_of(RETRY(ftruncate(fd, length))); }
static const struct step trunc_to = { give_length, SEEK, GIVES_LENGTH, "ftruncate",
	"ftruncate(OUT, LENGTH)",
	"Python: os.ftruncate. Go: os.File.Truncate. Rust: std::fs::File::set_len." };

static int give_room(int fd, int64_t length) { return error_of(RETRY(fallocate(fd, 0, 0, length))); }
static const struct step falloc = { give_room, SEEK, GIVES_LENGTH | ALLOCATES, "fallocate",
	"fallocate(OUT, 0, 0, LENGTH)", by_fallocate };

static int give_room_beyond(int fd, int64_t length) {
	return error_of(RETRY(fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, length)));
}
static const struct step kfalloc = { give_room_beyond, SEEK, ALLOCATES, "fallocate",
	"fallocate(OUT, FALLOC_FL_KEEP_SIZE, 0, LENGTH)", by_fallocate };

/* Separate advice: if the file system has no fallocate, glibc writes to every block. */
static int give_room_by_libc(int fd, int64_t length) {
	int err;
	do
		err = posix_fallocate(fd, 0, length);
	while (err == EINTR && !caught);
	return err;
}
static const struct step pfalloc = { give_room_by_libc, SEEK, GIVES_LENGTH | ALLOCATES, "posix_fallocate",
	"posix_fallocate(OUT, 0, LENGTH)", by_fallocate };

/* A row's name is the strategy's, " + " and one of these. At most 16: each has a bit of strategies[].when. */
static const struct advice {
	const char *name;
	const struct step *input_step, *output_step; /* for the input; for each output */
} advices[] = {
	{ "", &no_step, &no_step },
	{ "trunc", &no_step, &trunc_to },
	{ "falloc", &no_step, &falloc },
	{ "advices", &fadvise, &no_step },
	{ "advices + trunc", &fadvise, &trunc_to },
	{ "advices + falloc", &fadvise, &falloc },
	{ "advices + pfalloc", &fadvise, &pfalloc },
	{ "advices + kfalloc", &fadvise, &kfalloc },
	{ "readahead", &ahead, &no_step },
	{ "noreuse", &noreuse, &no_step },
};
enum {
	PLAIN = 1 << 0, TRUNC = 1 << 1, FALLOC = 1 << 2, ADVICES = 1 << 3,
	CLASSIC = PLAIN | ADVICES | 1 << 4 | 1 << 5, /* no advice, and three with posix_fadvise */
	COLD = 1 << 8 | 1 << 9,                      /* with --cold, by default where ADVICES is */
};

/* ---- Kit: resources of a copy, created inside the clock on first use ------------------------- */

#define STATX_DIO_ALIGNMENT 0x2000 /* STATX_DIOALIGN of Linux 6.1, include/uapi/linux/stat.h */
#define DIO_ALIGNMENT 4096         /* bytes; for direct I/O if the kernel reports none: a page */
#define THREADS_MIN 2              /* one thread is just read+write */
#define THREADS_MAX 16             /* memory and disks can't feed more */
#define WRITERS_MAX 4              /* buffered writers of an inode; more only queue for its lock */

/* Resources of one copy, or of two with --reuse: release_files() drops those that belong to files. */
struct kit {
	unsigned char *buf;        /* NULL: not needed yet */
	int64_t room;              /* bytes mapped at buf */
	int pipe[2], helper[2];    /* pipes between the ends; -1: none */
	struct uring *uring;
	struct pool *pool;
	int reopened[2];           /* input and first output, reopened with other flags; -1: not */
	int64_t alignment;         /* of direct I/O, bytes; 0: no direct I/O */
	FILE *streams[2];          /* input and output for stdio */
	bool reused;               /* a copy has used it: --reuse */
};

static const struct kit empty_kit = { .pipe = { -1, -1 }, .helper = { -1, -1 }, .reopened = { -1, -1 } };

/* Record a failed call on an output, or on none (-1). Returns false, for the caller to return. */
static bool fail_out(struct copy *c, int nth, int err, const char *call) {
	c->failure = (struct failure){ .err = err, .call = call, .nth = nth };
	return false;
}
static bool fail(struct copy *c, int err, const char *call) { return fail_out(c, -1, err, call); }

/* Record why a copy can't begin, if no call failed. Returns false. */
static bool refuse(struct copy *c, const char *reason) {
	c->failure = (struct failure){ .err = NO_ERRNO, .call = reason, .nth = -1 };
	return false;
}

static void *fail_null(struct copy *c, int err, const char *call) {
	fail(c, err, call);
	return NULL;
}

static bool succeeded(const struct copy *c) { return !c->failure.err; }

/* Map fresh pages, as malloc(3) does: the row pays for those that it touches. NULL: failed. */
static unsigned char *get_buffer(struct copy *c, int64_t bytes) {
	struct kit *k = c->kit;
	void *map = MAP_FAILED;
	if (k->buf) return k->buf;
	errno = ENOMEM;
	if ((int64_t)(size_t)bytes == bytes)
		map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED) return fail_null(c, errno, "mmap");
	k->buf = map;
	k->room = bytes;
	return map;
}

/* Limit the block to the input, and get a buffer for it. NULL: failed. */
static unsigned char *get_block(struct copy *c) {
	c->block = min(c->block, c->len);
	return get_buffer(c, c->block);
}

/* Set a pipe's size explicitly: the default is smaller for a user with many pipes (pipe(7)). */
static bool size_pipe(struct copy *c, int fd, int64_t bytes) {
	return fcntl(fd, F_SETPIPE_SZ, (int)bytes) >= 0 || fail(c, errno, "fcntl F_SETPIPE_SZ");
}

/* Open a pipe that holds a block, unless it is open. */
static bool open_pipe(struct copy *c, int fds[2]) {
	if (fds[0] >= 0) return true;
	if (pipe2(fds, O_CLOEXEC)) return fail(c, errno, "pipe2");
	return size_pipe(c, fds[1], c->block);
}

/* Reopen the input (0) or the first output (1) with other flags; drop_kit() closes it. -1: failed. */
static int reopen_for(struct copy *c, int side, int flags) {
	int *fd = &c->kit->reopened[side];
	*fd = reopen(side ? c->out[0] : c->in, flags);
	int err = errno;
	if (*fd < 0 && err == ENOENT && access("/proc/self/fd", F_OK)) refuse(c, "needs /proc");
	else if (*fd < 0) fail(c, err, "open");
	return *fd;
}

/* Reopen an end for direct I/O. words[39] is stx_dio_offset_align (Linux 6.1). -1: failed. */
static int open_direct(struct copy *c, int side, int flags) {
	uint32_t words[64] = { 0 }; /* struct statx; the first word is stx_mask */
	int64_t alignment = DIO_ALIGNMENT;
	if (!syscall(SYS_statx, side ? c->out[0] : c->in, "", AT_EMPTY_PATH, STATX_DIO_ALIGNMENT, words)
	    && words[0] & STATX_DIO_ALIGNMENT && words[39])
		alignment = words[39];
	c->kit->alignment = max(c->kit->alignment, alignment);
	return reopen_for(c, side, flags | O_DIRECT);
}

/* Open stdio on duplicates, since fclose closes them. Without locks, as in a program without threads. */
static bool open_streams(struct copy *c) {
	for (int i = 0; i < 2; i++) {
		int fd = fcntl(i ? c->out[0] : c->in, F_DUPFD_CLOEXEC, 3);
		if (fd < 0) return fail(c, errno, "fcntl F_DUPFD_CLOEXEC");
		FILE *f = c->kit->streams[i] = fdopen(fd, i ? "w" : "r");
		if (!f) close(fd);
		if (!f) return fail(c, ENOMEM, "fdopen");
		__fsetlocking(f, FSETLOCKING_BYCALLER);
	}
	return true;
}

static void close_stream(FILE **stream) {
	if (*stream) fclose(*stream);
	*stream = NULL;
}

/* io_uring by its system calls (io_uring_setup(2), io_uring_enter(2); Linux 5.1). The ABI is defined here, so
 * that the build does not depend on kernel headers. Fields have the names of the manual pages, but flags and
 * len have a prefix. Numbers: include/uapi/linux/io_uring.h. */
#define SYS_IO_URING_SETUP 425 /* on all machines except for alpha and MIPS */
#define SYS_IO_URING_ENTER 426
enum { OFF_SQ_RING = 0, OFF_CQ_RING = 0x8000000, OFF_SQES = 0x10000000 }; /* offsets of mmap(2) */
enum { ENTER_GETEVENTS = 1 << 0, ENTER_EXT_ARG = 1 << 3 };                /* flags of io_uring_enter(2) */
enum { FEAT_CQE_SKIP = 1 << 11 };                                         /* a feature, Linux 5.17 */
enum { OP_NOP = 0, OP_READ = 22, OP_WRITE = 23, OP_SPLICE = 30 };         /* Linux 5.6; splice: 5.7 */
enum { SQE_ASYNC = 1 << 4, SQE_CQE_SKIP_SUCCESS = 1 << 6 };               /* flags of a request */

struct uring_sq_offsets { /* struct io_sqring_offsets */
	uint32_t head, tail, ring_mask, ring_entries, ring_flags, dropped, array, resv1;
	uint64_t user_addr;
};
struct uring_cq_offsets { /* struct io_cqring_offsets */
	uint32_t head, tail, ring_mask, ring_entries, overflow, cqes, ring_flags, resv1;
	uint64_t user_addr;
};
struct uring_params { /* struct io_uring_params: all zero, then filled by the kernel */
	uint32_t sq_entries, cq_entries, setup_flags, sq_thread_cpu, sq_thread_idle, features, wq_fd, resv[3];
	struct uring_sq_offsets sq_off;
	struct uring_cq_offsets cq_off;
};
struct uring_sqe { /* a request: struct io_uring_sqe, with the used members of its unions */
	uint8_t opcode, sqe_flags;
	uint16_t ioprio;
	int fd;
	int64_t off;            /* -1: the file's position */
	union {
		uint64_t addr;
		int64_t splice_off_in;
	};
	uint32_t io_len, splice_flags;
	uint64_t user_data;
	uint16_t buf_index, personality;
	int32_t splice_fd_in;
	uint64_t pad2[2];
};
struct uring_cqe { /* a completion: struct io_uring_cqe */
	uint64_t user_data;
	int32_t res;            /* as of the call, or a negative errno */
	uint32_t cqe_flags;
};
struct uring_wait { /* struct io_uring_getevents_arg, of ENTER_EXT_ARG */
	uint64_t sigmask;
	uint32_t sigmask_sz, pad;
	uint64_t ts;            /* address of a timeout: seconds and nanoseconds, 64 bits each */
};

/* Two rings shared with the kernel. We store sq_tail and cq_head, with the memory order of io_uring(7). */
struct uring {
	int fd;                /* -1: none */
	atomic_uint *sq_head, *sq_tail, *cq_head, *cq_tail;
	unsigned *sq_mask, *sq_array, *cq_mask;
	struct uring_sqe *sqes;
	struct uring_cqe *completions;
	void *maps[3];         /* of submissions, completions, entries; NULL: not mapped */
	size_t map_sizes[3];   /* bytes of each */
	unsigned queued;       /* entries not submitted yet */
	unsigned in_flight;    /* entries submitted, but not completed */
	unsigned timed;        /* ENTER_EXT_ARG: wait a second at most; 0: before Linux 5.17 */
};

/* Set up the rings on first use. NULL: failed. Not with IORING_SETUP_DEFER_TASKRUN: a request may then keep
 * its file open until the next io_uring_enter(2), and a pipe's reader never sees EOF (Linux 6.18). */
static struct uring *get_uring(struct copy *c) {
	static const off_t offsets[] = { OFF_SQ_RING, OFF_CQ_RING, OFF_SQES };
	struct uring_params params = { 0 };
	struct uring *uring = c->kit->uring;
	if (uring) return uring;
	uring = c->kit->uring = allocate(1, sizeof *uring);
	uring->fd = syscall(SYS_IO_URING_SETUP, 2 * RING_DEPTH, &params); /* close-on-exec */
	if (uring->fd < 0) return fail_null(c, errno, "io_uring_setup");
	uring->timed = params.features & FEAT_CQE_SKIP ? ENTER_EXT_ARG : 0;
	uring->map_sizes[0] = params.sq_off.array + params.sq_entries * sizeof *uring->sq_array;
	uring->map_sizes[1] = params.cq_off.cqes + params.cq_entries * sizeof *uring->completions;
	uring->map_sizes[2] = params.sq_entries * sizeof *uring->sqes;
	for (int i = 0; i < LENGTH(uring->maps); i++) {
		void *map = mmap(NULL, uring->map_sizes[i], PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
		    uring->fd, offsets[i]);
		if (map == MAP_FAILED) return fail_null(c, errno, "mmap");
		uring->maps[i] = map;
	}
	unsigned char *sq = uring->maps[0], *cq = uring->maps[1];
	uring->sqes = uring->maps[2];
	uring->sq_head = (void *)(sq + params.sq_off.head);
	uring->sq_tail = (void *)(sq + params.sq_off.tail);
	uring->sq_mask = (void *)(sq + params.sq_off.ring_mask);
	uring->sq_array = (void *)(sq + params.sq_off.array);
	uring->cq_head = (void *)(cq + params.cq_off.head);
	uring->cq_tail = (void *)(cq + params.cq_off.tail);
	uring->cq_mask = (void *)(cq + params.cq_off.ring_mask);
	uring->completions = (void *)(cq + params.cq_off.cqes);
	return uring;
}

/* Unmap and close. After a signal, requests in flight still use the buffer: leak it. */
static void drop_uring(struct kit *k) {
	struct uring *uring = k->uring;
	if (!uring) return;
	for (int i = 0; i < LENGTH(uring->maps); i++)
		if (uring->maps[i]) munmap(uring->maps[i], uring->map_sizes[i]);
	if (uring->in_flight > 0) k->buf = NULL;
	close_fd(&uring->fd);
	free(uring);
	k->uring = NULL;
}

/* Queue a request. Its number comes back with its completion. */
static void queue(struct uring *uring, struct uring_sqe request, int number) {
	unsigned tail = atomic_load_explicit(uring->sq_tail, memory_order_relaxed),
	    i = tail & *uring->sq_mask;
	uring->sqes[i] = request;
	uring->sqes[i].user_data = number;
	uring->sq_array[i] = i;
	atomic_store_explicit(uring->sq_tail, tail + 1, memory_order_release);
	uring->queued++;
}

/* Submit queued requests, and wait for a completion: since Linux 5.17 a second at most. After a second, queue
 * a no-op for the workers, without a completion: Linux 6.18 may start no worker for a request, which then
 * hangs. Returns false after a failure. */
static bool enter(struct copy *c, struct uring *uring) {
	static const struct uring_sqe wake = { .opcode = OP_NOP, .sqe_flags = SQE_ASYNC
	    | SQE_CQE_SKIP_SUCCESS };
	int64_t second[] = { 1, 0 }; /* struct __kernel_timespec */
	struct uring_wait wait = { .ts = (uintptr_t)second };
	int given = syscall(SYS_IO_URING_ENTER, uring->fd, uring->queued, 1, ENTER_GETEVENTS | uring->timed,
	    uring->timed ? &wait : NULL, sizeof wait);
	int err = given < 0 ? errno : 0;
	/* the ring, not the call, says how many were taken */
	int taken = (int)(uring->queued - (*uring->sq_tail - atomic_load_explicit(uring->sq_head,
	    memory_order_acquire)));
	uring->queued -= taken;
	uring->in_flight += taken;
	if (given > taken) err = EIO;
	if (err == ETIME && !uring->queued) { /* else there may be no room */
		queue(uring, wake, 0);
		uring->in_flight--;
	}
	return !err || err == EINTR || err == ETIME || fail(c, err, "io_uring_enter");
}

/* Take the next completion, or wait for it. Returns false if none is due, a call failed, or we stop. */
static bool reap(struct copy *c, struct uring *uring, struct uring_cqe *cqe) {
	unsigned head = *uring->cq_head;
	while (atomic_load_explicit(uring->cq_tail, memory_order_acquire) == head)
		if (caught || uring->queued + uring->in_flight == 0 || !enter(c, uring)) return false;
	*cqe = uring->completions[head & *uring->cq_mask];
	atomic_store_explicit(uring->cq_head, head + 1, memory_order_release);
	uring->in_flight--;
	return true;
}

/* A thread pool. Each worker has its own struct copy; work_together() adds them up. */
struct worker {
	struct pool *pool;
	struct copy own_copy;
	pthread_t thread;
	int number;                    /* from 0 */
	sem_t start_sem;               /* posted to copy, or to end */
};

struct pool {
	int n;                         /* threads started */
	struct worker workers[THREADS_MAX];
	void (*work)(struct worker *); /* one copy by a worker; NULL: exit */
	sem_t idle;                    /* posted by each worker that has finished */
	atomic_uint taken;             /* pieces claimed */
	atomic_bool stop;              /* a worker failed, or reached the end of the input */
	unsigned char *src, *dst;      /* mappings of the input and the output */
	sem_t empty, full;             /* blocks of the ring to fill, and to write */
	size_t filled[RING_DEPTH];     /* bytes in each block; 0: EOF, or failed */
};

/* Run one copy after another, until the pool ends. */
static void *wait_and_work(void *worker) {
	struct worker *w = worker;
	while (1) {
		while (sem_wait(&w->start_sem)) {}
		if (!w->pool->work) return NULL;
		w->pool->work(w);
		sem_post(&w->pool->idle);
	}
}

/* Get a pool of n threads. NULL: failed. */
static struct pool *get_pool(struct copy *c, int n) {
	struct pool *pool = c->kit->pool;
	if (pool) return pool;
	pool = c->kit->pool = allocate(1, sizeof *pool);
	sem_init(&pool->idle, 0, 0);
	for (; pool->n < n; pool->n++) {
		struct worker *w = &pool->workers[pool->n];
		*w = (struct worker){ .pool = pool, .number = pool->n };
		sem_init(&w->start_sem, 0, 0);
		int err = start_thread(&w->thread, wait_and_work, w);
		if (err) return fail_null(c, err, "pthread_create");
	}
	return pool;
}

/* Get a pool of one thread per usable CPU; at most WRITERS_MAX if the output is buffered. NULL: failed. */
static struct pool *get_threads(struct copy *c) {
	int most = c->kit->reopened[1] >= 0 ? THREADS_MAX : WRITERS_MAX;
	return get_pool(c, (int)max(THREADS_MIN, min(c->cpus, most)));
}

static void drop_pool(struct kit *k) {
	struct pool *pool = k->pool;
	if (!pool) return;
	pool->work = NULL;
	for (int i = 0; i < pool->n; i++) sem_post(&pool->workers[i].start_sem);
	for (int i = 0; i < pool->n; i++) pthread_join(pool->workers[i].thread, NULL);
	free(pool);
	k->pool = NULL;
}

/* Run all workers, each on its own struct copy, and wait. After stop(), interrupt their calls at each
 * SIGALRM, which stop() repeats, since it may arrive just before a blocking call. Returns false if failed. */
static bool work_together(struct copy *c, void (*work)(struct worker *)) {
	struct pool *pool = c->kit->pool;
	pool->work = work;
	pool->taken = 0;
	pool->stop = false;
	for (int i = 0; i < pool->n; i++) {
		pool->workers[i].own_copy = *c;
		pool->workers[i].own_copy.done = 0;
		sem_post(&pool->workers[i].start_sem);
	}
	for (int unfinished = pool->n; unfinished > 0;) {
		bool finished = !sem_wait(&pool->idle);
		unfinished -= finished;
		for (int i = 0; i < pool->n && !finished && caught; i++)
			pthread_kill(pool->workers[i].thread, SIGALRM);
	}
	for (int i = 0; i < pool->n; i++) {
		c->done += pool->workers[i].own_copy.done;
		if (succeeded(c)) c->failure = pool->workers[i].own_copy.failure;
	}
	return succeeded(c);
}

static void release_files(struct kit *k) {
	for (int i = 0; i < 2; i++) {
		close_fd(&k->reopened[i]);
		close_stream(&k->streams[i]);
	}
}

static void drop_kit(struct kit *k) {
	drop_pool(k);
	drop_uring(k);
	release_files(k);
	for (int i = 0; i < 2; i++) {
		close_fd(&k->pipe[i]);
		close_fd(&k->helper[i]);
	}
	if (k->buf) munmap(k->buf, k->room);
	k->buf = NULL;
}

/* ---- Methods: ways to copy, each below its function; and THE TABLE of rows ------------------- */

#define MEMCPY_STEP_MIB 64
#define MEMCPY_STEP (MEMCPY_STEP_MIB * M) /* bytes per memcpy: large for libc, but soon done after a signal */
#define WRITE_STEP M         /* bytes per write from a mapping: longer ones can be slow (AMD EPYC, 6.18) */
#define FLUSH_WINDOW (8 * M) /* bytes that write-behind keeps dirty before it waits for the disk */
#define HUGE_PAGE (2 * M)    /* bytes; of x86-64, and arm64 with 4k pages */
#define POPULATE_READ 22     /* MADV_POPULATE_READ of Linux 5.14, asm-generic/mman-common.h */
#define POPULATE_WRITE 23    /* MADV_POPULATE_WRITE */
#define RWF_UNCACHED 0x00000080 /* RWF_DONTCACHE of Linux 6.14, include/uapi/linux/fs.h */

/* Properties of a method. */
enum {
	MAPPED = 1 << 0,    /* the output must have its length first: needs GIVES_LENGTH */
	MAY_SHARE = 1 << 1, /* the output may share the input's blocks */
	DIRECT_IN = 1 << 3, /* it reads the input without the page cache */
	BACK = 1 << 4,      /* it reads back the first of two outputs, which must be a file */
	UNREAD_SPLICED = 1 << 5, /* it passes on bytes of files and pipes without reading any */
	UNREAD_MAP = 1 << 6,     /* it passes on bytes of all that can be mapped without reading any */
};

struct method {
	bool (*copy)(struct copy *); /* false: a call failed, as recorded in the copy */
	unsigned in_kinds, sink_kinds; /* kinds of end on which it can work at all: if only some kernels or
	                     * file systems refuse, the row becomes n/a */
	int flags;
	const char *calls;  /* the calls that are timed */
	const char *since;  /* the first kernel with all of its calls, by the man pages; NULL: any */
	const char *about;  /* good uses */
	const char *code;   /* pseudo-code. N: the row's block; LENGTH: all bytes; OUT: each output in turn;
	                     * AT: NULL, or for two outputs &offset; a line with +: advice on mappings */
	const char *help;   /* remedies if it is refused; names in CPython 3.14, Go 1.26 and Rust 1.95; in
	                     * parentheses the first version with the name */
};

#define MEMORY(times) \
	"buf = mmap(NULL, " times ", PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)\n"
#define PIPE(name) "pipe2(" name ", O_CLOEXEC), fcntl(" name "[1], F_SETPIPE_SZ, N)"

/* Bytes to request from the next call; 0 at the end, and after a signal. */
static size_t bytes_wanted(const struct copy *c) {
	if (caught) return 0;
	return min(c->len - c->done, c->block ? c->block : CALL_MAX);
}

/* Count bytes written to an output; they are done once the last output has them. */
static void count(struct copy *c, int nth, ssize_t moved) { if (nth == c->nout - 1) c->done += moved; }

/* Read the next block. Returns its size, 0 at EOF and after a failure. */
static size_t read_block(struct copy *c, unsigned char *dst) {
	size_t want = bytes_wanted(c);
	ssize_t n = want ? RETRY(read(c->in, dst, want)) : 0;
	if (n < 0) fail(c, errno, "read");
	return max(n, 0);
}

/* Write size bytes to one output. Returns false after a failure: EIO if a call moves nothing. */
static bool write_out(struct copy *c, int nth, const unsigned char *src, size_t size) {
	while (size > 0) {
		ssize_t wrote = RETRY(write(c->out[nth], src, size));
		if (wrote <= 0) return fail_out(c, nth, wrote < 0 ? errno : EIO, "write");
		count(c, nth, wrote);
		src += wrote;
		size -= wrote;
	}
	return true;
}

static bool write_each(struct copy *c, const unsigned char *src, size_t size) {
	for (int i = 0; i < c->nout; i++)
		if (!write_out(c, i, src, size)) return false;
	return true;
}

static bool copy_read_write(struct copy *c) {
	unsigned char *buf = get_block(c);
	size_t size;
	while (buf && (size = read_block(c, buf)) > 0)
		if (!write_each(c, buf, size)) break;
	return succeeded(c);
}
static const char by_read_write[] =
	"Call again after EINTR, and for the rest after a short write. Python: os.read, os.write, "
	"shutil.copyfileobj. Go: io.Copy. Rust: std::io::copy.";
static const struct method read_write = { copy_read_write, ANY, ANY, 0, "read, write", NULL,
	"the reference for all others", MEMORY("N") "while ((n = read(in, buf, N)) > 0)\n"
	"    write(OUT, buf, n)", by_read_write };

static bool skip(struct copy *c, size_t size) {
	for (int i = 0; i < c->nout; i++)
		if (lseek(c->out[i], size, SEEK_CUR) < 0) return fail_out(c, i, errno, "lseek");
	c->done += size;
	return true;
}

static bool truncate_each(struct copy *c, int64_t length) {
	for (int i = 0; i < c->nout; i++)
		if (RETRY(ftruncate(c->out[i], length))) return fail_out(c, i, errno, "ftruncate");
	return true;
}

/* Skip zero blocks with lseek. Truncate first; extend to full length last. */
static bool copy_sparse(struct copy *c) {
	unsigned char *buf = truncate_each(c, 0) ? get_block(c) : NULL;
	size_t size;
	while (buf && (size = read_block(c, buf)) > 0) {
		bool ok = is_zero(buf, size) ? skip(c, size) : write_each(c, buf, size);
		if (!ok) return succeeded(c);
	}
	return succeeded(c) && truncate_each(c, c->done);
}
static const struct method sparse = { copy_sparse, ANY, FILES, 0, "read/write/lseek", NULL,
	"for blocks of zeros, which become holes", "ftruncate(OUT, 0)\n"
	MEMORY("N") "while ((n = read(in, buf, N)) > 0)\n    if all are zero: lseek(OUT, n, SEEK_CUR)\n"
	"    else: write(OUT, buf, n)\nftruncate(OUT, LENGTH)",
	"ESPIPE (a pipe): write the zeros. Python: os.lseek, os.ftruncate. Go: os.File.Seek, "
	"os.File.Truncate. Rust: std::io::Seek, std::fs::File::set_len." };

/* Flush. Close a pipe or socket, whose reader waits for EOF, but not a file: NFS would flush it. */
static bool finish_stdio(struct copy *c, const char *reading) {
	FILE **stream = c->kit->streams;
	if (ferror(stream[0])) fail(c, errno, reading);
	if (succeeded(c) && fflush(stream[1])) fail(c, errno, "fflush");
	close_stream(&stream[0]);
	if (!has_type(c->out[0], S_IFREG)) close_stream(&stream[1]);
	return succeeded(c);
}

static bool copy_stdio(struct copy *c) {
	unsigned char *buf = open_streams(c) ? get_block(c) : NULL;
	FILE **stream = c->kit->streams;
	if (!buf) return false;
	for (size_t size; (size = fread(buf, 1, bytes_wanted(c), stream[0])) > 0; c->done += size)
		if (fwrite(buf, 1, size, stream[1]) < size) return fail(c, errno, "fwrite");
	return finish_stdio(c, "fread");
}

static bool copy_stdio_bytes(struct copy *c) {
	FILE **stream = c->kit->streams;
	if (!open_streams(c)) return false;
	for (int byte; bytes_wanted(c) && (byte = getc(stream[0])) != EOF; c->done++)
		if (putc(byte, stream[1]) == EOF) return fail(c, errno, "putc");
	return finish_stdio(c, "getc");
}

#define STDIO(called) "in and out by fdopen of libc, without locks\n" called \
	" by N bytes, until the end; libc calls\n    read(in, ...)\n    write(out, ...)"
#define COPIES_TWICE "for portable programs: libc copies once more in memory"
static const char by_stdio[] = "Ask ferror after a short count.";
static const struct method stdio = { copy_stdio, ANY, ANY, 0, "fread, fwrite", NULL, COPIES_TWICE, MEMORY("N")
	STDIO("fread, fwrite"), by_stdio };
static const struct method stdio_bytes = { copy_stdio_bytes, ANY, ANY, 0, "getc, putc", NULL, COPIES_TWICE,
	STDIO("getc, putc"), by_stdio };

/* mmap(2). NULL: failed, with EOVERFLOW if a 32-bit address space has no room. */
static unsigned char *map_file(struct copy *c, int fd, int64_t at, int64_t len, int protection, int flags) {
	bool huge = len > (int64_t)(SIZE_MAX / 8);
	void *map = MAP_FAILED;
	errno = ENOMEM;
	if (len <= (int64_t)(SIZE_MAX / 2)) map = mmap(NULL, len, protection, flags, fd, at);
	if (map != MAP_FAILED) return map;
	return fail_null(c, huge && errno == ENOMEM ? EOVERFLOW : errno, "mmap");
}

/* Map a page-aligned part, and advise. Private: a shared mapping of /dev/zero is its own memory (mem(4)). */
static unsigned char *map_input(struct copy *c, int64_t at, int64_t len, int flags) {
	unsigned char *map = map_file(c, c->in, at, len, PROT_READ, MAP_PRIVATE | flags);
	if (!map || !c->map_advice) return map;
	if (!madvise(map, len, MADV_SEQUENTIAL) && !madvise(map, len, MADV_WILLNEED)) return map;
	fail(c, errno, "madvise");
	munmap(map, len);
	return NULL;
}

/* Map the whole output, whose length the advice has set. Reopen it to be readable (mmap(2), EACCES). */
static unsigned char *map_output(struct copy *c) {
	int fd = reopen_for(c, 1, O_RDWR);
	return fd < 0 ? NULL : map_file(c, fd, 0, c->len, PROT_READ | PROT_WRITE, MAP_SHARED);
}

static void unmap(const struct copy *c, unsigned char *map) { if (map) munmap(map, c->len); }

/* Fault in a whole range at once (madvise(2)). EFAULT means that touching it would raise SIGBUS. */
static bool populate(struct copy *c, unsigned char *map, size_t size, int direction) {
	bool reads = direction == POPULATE_READ;
	return !madvise(map, size, direction)
	    || fail(c, errno, reads ? "madvise MADV_POPULATE_READ" : "madvise MADV_POPULATE_WRITE");
}

/* A range of the copy, claimed by one thread, request or mapping. */
struct piece {
	int64_t at, len; /* offset; bytes, 0: none is left, or we stop */
};
typedef bool piece_copier(struct copy *, unsigned char *, struct piece);

/* Claim the next piece of a copy: block bytes, or all of them if block is 0. */
static struct piece next_piece(const struct copy *c, atomic_uint *counter) {
	int64_t most = c->block ? c->block : c->len;
	struct piece piece = { .len = 0 };
	if (caught) return piece;
	piece.at = most * atomic_fetch_add(counter, 1);
	piece.len = max(min(c->len - piece.at, most), 0);
	return piece;
}

/* Map the input piece by piece, and write from the mappings. */
static bool mmap_write(struct copy *c, int flags, bool populated) {
	atomic_uint taken = 0;
	struct piece piece;
	while ((piece = next_piece(c, &taken)).len > 0) {
		int64_t step = populated ? WRITE_STEP : piece.len;
		unsigned char *map = map_input(c, piece.at, piece.len, flags);
		if (!map) break;
		bool ok = !populated || populate(c, map, piece.len, POPULATE_READ);
		for (int64_t i = 0; ok && i < piece.len; i += step)
			ok = write_each(c, map + i, min(piece.len - i, step));
		munmap(map, piece.len);
		if (!ok) break;
	}
	return succeeded(c);
}
static bool copy_mmap_write(struct copy *c) { return mmap_write(c, 0, false); }
static bool copy_mmap_write_populate(struct copy *c) { return mmap_write(c, MAP_POPULATE, false); }
static bool copy_mmap_write_windows(struct copy *c) { return mmap_write(c, 0, true); }

#define ADVISE_MAP(n) "madvise(map, " n ", MADV_SEQUENTIAL), madvise(map, " n ", MADV_WILLNEED)\n"
#define MAP_IN "map = mmap(NULL, LENGTH, PROT_READ, MAP_PRIVATE, in, 0)\n+" ADVISE_MAP("LENGTH")
#define MAP_PIECE "for each N bytes, at offset:\n" \
	"    map = mmap(NULL, N, PROT_READ, MAP_PRIVATE, in, offset)\n+    " ADVISE_MAP("N")
#define MAPS_INPUT "for programs that want the bytes in memory anyway"
static const char by_mmap_write[] =
	"EINVAL (an empty file), ENODEV (it can't be mapped): read and write. EFAULT, if the file shrinks. "
	"Python: mmap.mmap. Go: syscall.Mmap.";
static const struct method mmap_write_all = { copy_mmap_write, SEEK, ANY, UNREAD_MAP, "mmap, write", NULL,
	MAPS_INPUT, MAP_IN "write(OUT, map, LENGTH)", by_mmap_write };
static const struct method mmap_write_pieces = { copy_mmap_write, SEEK, ANY, UNREAD_MAP, "mmap, write", NULL,
	MAPS_INPUT, MAP_PIECE "    write(OUT, map, N)\n    munmap(map, N)", by_mmap_write };
static const struct method mmap_write_windows = { copy_mmap_write_windows, SEEK, ANY, UNREAD_MAP,
	"madvise, write", "5.14", MAPS_INPUT, MAP_PIECE "    madvise(map, N, MADV_POPULATE_READ)\n"
	"    for each 1048576 of them: write(OUT, map + i, 1048576)\n    munmap(map, N)", by_mmap_write };
static const struct method mmap_write_populate = { copy_mmap_write_populate, SEEK, ANY, UNREAD_MAP,
	"mmap, write", "2.6.23", MAPS_INPUT,
	"map = mmap(NULL, LENGTH, PROT_READ, MAP_PRIVATE | MAP_POPULATE, in, 0)\n+" ADVISE_MAP("LENGTH")
	"write(OUT, map, LENGTH)", by_mmap_write };

/* This thread resumes here after SIGBUS: the file was truncated, or the disk is full (mmap(2)). */
static _Thread_local sigjmp_buf *volatile bus_landing; /* NULL: a SIGBUS is a bug */
static _Thread_local const unsigned char *volatile bus_address;

static void on_bus(int number, siginfo_t *info, UNUSED void *context) {
	bus_address = info->si_addr;
	if (bus_landing) siglongjmp(*bus_landing, 1);
	signal(number, SIG_DFL); /* a bug: let it end the program */
}

/* Turn SIGBUS on the output into an errno: try pwrite(2); if it succeeds, check free space. Returns false. */
static bool output_failed(struct copy *c, int64_t at) {
	static const char output[] = "memory mapped from the output";
	int fd = c->kit->reopened[1];
	struct statfs fs;
	if (pwrite(fd, "", 1, at) < 0) return fail(c, errno, output);
	bool full = !fstatfs(fd, &fs) && (int64_t)fs.f_bavail * (int64_t)fs.f_frsize < c->len - at;
	return fail(c, full ? ENOSPC : EFAULT, output);
}

/* memcpy(3) from mapped input to mapped output. Returns false if a file was truncated or the disk is full. */
static bool copy_mapped(struct copy *c, unsigned char *dst, const unsigned char *src, int64_t at,
    size_t size) {
	sigjmp_buf landing;
	if (sigsetjmp(landing, 0)) {
		bus_landing = NULL;
		if (bus_address >= dst && bus_address < dst + c->len)
			return output_failed(c, bus_address - dst);
		return fail(c, EFAULT, "memory mapped from the input");
	}
	bus_landing = &landing;
	memcpy(dst + at, src + at, size);
	bus_landing = NULL;
	c->done += size;
	return true;
}

/* Map both files, and copy by memcpy(3); with a block, populate each part first. */
static bool mmap_mmap(struct copy *c, bool huge) {
	unsigned char *src = map_input(c, 0, c->len, 0), *dst = src ? map_output(c) : NULL;
	bool ok = dst != NULL;
	if (ok && huge && madvise(dst, c->len, MADV_HUGEPAGE)) ok = fail(c, errno, "madvise MADV_HUGEPAGE");
	for (size_t size; ok && (size = min(bytes_wanted(c), MEMCPY_STEP)) > 0;) {
		if (c->block) ok = populate(c, src + c->done, size, POPULATE_READ);
		if (ok && c->block && !populate(c, dst + c->done, size, POPULATE_WRITE))
			ok = c->failure.err == EFAULT && output_failed(c, c->done);
		if (ok) ok = copy_mapped(c, dst, src, c->done, size);
	}
	unmap(c, dst);
	unmap(c, src);
	return succeeded(c);
}
static bool copy_mmap_mmap(struct copy *c) { return mmap_mmap(c, false); }
static bool copy_mmap_mmap_huge(struct copy *c) { return mmap_mmap(c, true); }

#define MAP_OUT "out = open(\"/proc/self/fd/1\", O_RDWR)\n" \
	"to = mmap(NULL, LENGTH, PROT_READ | PROT_WRITE, MAP_SHARED, out, 0)\n"
#define MAPS_OUTPUT "for files that are changed in place"
static const char by_mmap_mmap[] =
	"EACCES (the output needs O_RDWR), ENODEV: read and write. SIGBUS, if a file shrinks or the disk is "
	"full. Python: mmap.mmap. Go: syscall.Mmap.";
static const struct method mmap_mmap_all = { copy_mmap_mmap, SEEK, FILES, MAPPED, "mmap, memcpy", NULL,
	MAPS_OUTPUT, MAP_IN MAP_OUT "memcpy from map to to", by_mmap_mmap };
static const struct method mmap_mmap_populate = { copy_mmap_mmap, SEEK, FILES, MAPPED, "madvise, memcpy",
	"5.14", MAPS_OUTPUT, MAP_IN MAP_OUT "for each N bytes: madvise(map + i, N, MADV_POPULATE_READ)\n"
	"    madvise(to + i, N, MADV_POPULATE_WRITE), memcpy", by_mmap_mmap };
static const struct method mmap_mmap_huge = { copy_mmap_mmap_huge, SEEK, FILES, MAPPED, "madvise, memcpy",
	"2.6.38", "for tmpfs with huge=advise; EINVAL: the kernel has no huge pages", MAP_IN
	MAP_OUT "madvise(to, LENGTH, MADV_HUGEPAGE)\nmemcpy from map to to", by_mmap_mmap };

/* read(2) returns EFAULT if touching the memory would raise SIGBUS. */
static bool copy_read_mmap(struct copy *c) {
	unsigned char *dst = map_output(c);
	size_t size;
	while (dst && (size = read_block(c, dst + c->done)) > 0) c->done += size;
	if (c->failure.err == EFAULT) output_failed(c, c->done);
	unmap(c, dst);
	return succeeded(c);
}
static const struct method read_mmap = { copy_read_mmap, ANY, FILES, MAPPED, "read, mmap", NULL, MAPS_OUTPUT,
	MAP_OUT "while ((n = read(in, to + done, N)) > 0)\n    done += n", by_mmap_mmap };

/* splice(2) on an output, or on none (-1). Delay partial segments in a socket, except for the last. Returns
 * the bytes moved, 0 at EOF and after a failure. */
static size_t splice_part(struct copy *c, int from, int to, int nth, size_t size) {
	bool more = nth == 0 && c->into_socket && c->done + (int64_t)size < c->len;
	ssize_t moved = RETRY(splice(from, NULL, to, NULL, size, more ? SPLICE_F_MORE : 0));
	if (moved < 0) fail_out(c, nth, errno, "splice");
	return max(moved, 0);
}

/* Splice the next block into our pipe. Returns its size, 0 at EOF and after a failure. */
static size_t splice_in(struct copy *c) {
	size_t want = bytes_wanted(c);
	return want ? splice_part(c, c->in, c->kit->pipe[1], -1, want) : 0;
}

/* Splice size bytes out of a pipe into one of the outputs. */
static bool splice_out(struct copy *c, int pipe_fd, int nth, size_t size) {
	for (size_t moved; size > 0; size -= moved) {
		moved = splice_part(c, pipe_fd, c->out[nth], nth, size);
		if (moved == 0) return false;
		count(c, nth, moved);
	}
	return true;
}

static bool copy_pipe_splice(struct copy *c) {
	bool ok = open_pipe(c, c->kit->pipe);
	for (size_t size; ok && (size = splice_in(c)) > 0;) ok = splice_out(c, c->kit->pipe[0], 0, size);
	return succeeded(c);
}
static const char by_splice[] =
	"EINVAL (no end is a pipe, or O_APPEND): empty the pipe, then read and write. Python: os.splice. Go: "
	"syscall.Splice, io.Copy from a socket. Rust: std::io::copy.";
static const struct method pipe_splice = { copy_pipe_splice, ANY, ANY, UNREAD_SPLICED, "splice, splice",
	"2.6.35", "for any two ends: nothing is copied in user "
	"space", PIPE("pipe") "\nwhile ((n = splice(in, NULL, pipe[1], NULL, N, 0)) > 0)\n"
	"    splice(pipe[0], NULL, out, NULL, n, 0)", by_splice };

/* Duplicate each block into one output, if possible a pipe, and move it into the other. tee(2) needs two
 * pipes: use our own for an end that is not a pipe. */
static bool copy_tee(struct copy *c) {
	int *pipe = c->kit->pipe, *helper = c->kit->helper;
	int first = !has_type(c->out[0], S_IFIFO) && has_type(c->out[1], S_IFIFO);
	bool from_pipe = has_type(c->in, S_IFIFO), into_pipe = has_type(c->out[first], S_IFIFO);
	bool ok = (from_pipe || open_pipe(c, pipe)) && (into_pipe || open_pipe(c, helper));
	int from = from_pipe ? c->in : pipe[0];
	int to = into_pipe ? c->out[first] : helper[1];
	for (size_t size; ok && (size = from_pipe ? bytes_wanted(c) : splice_in(c)) > 0;)
		for (ssize_t twice; ok && size > 0; size -= twice) {
			twice = RETRY(tee(from, to, size, 0));
			if (twice < 0) fail_out(c, into_pipe ? first : -1, errno, "tee");
			ok = twice > 0 && (into_pipe || splice_out(c, helper[0], first, twice))
			    && splice_out(c, from, 1 - first, twice);
			if (ok && first) c->done += twice;
		}
	return succeeded(c);
}
static const struct method tee_splice = { copy_tee, ANY, ANY, UNREAD_SPLICED, "tee, splice", "2.6.35",
	"for pipes: pages go twice, by reference", PIPE("pipe")
	", unless in is one\n" PIPE("second") ", unless an output is one\n"
	"while ((n = splice(in, NULL, pipe[1], NULL, N, 0)) > 0), unless in is a pipe itself\n"
	"    tee(pipe[0], second[1], n, 0), or into an output that is a pipe\n"
	"    splice(second[0], NULL, out, NULL, n, 0)\n    splice(pipe[0], NULL, other out, NULL, n, 0)",
	"EINVAL (an end that is not a pipe): read and write. Go: syscall.Tee." };

/* Pass mapped pages into a pipe by reference. Returns the bytes, 0 after a failure. */
static size_t vmsplice_part(struct copy *c, int pipe_fd, unsigned char *src, size_t size) {
	struct iovec part = { src, size };
	ssize_t moved = RETRY(vmsplice(pipe_fd, &part, 1, 0));
	if (moved < 0) fail(c, errno, "vmsplice");
	return max(moved, 0);
}

/* Fail if huge pages are off, since madvise(2) succeeds anyway (admin-guide/mm/transhuge.rst). */
static bool check_huge_pages(struct copy *c) {
	static const char enabled[] = "/sys/kernel/mm/transparent_hugepage/enabled";
	char line[128];
	if (read_line(enabled, line, sizeof line) && !strstr(line, "[never]")) return true;
	return fail(c, EOPNOTSUPP, "/sys/kernel/mm/transparent_hugepage/enabled, being [never] or missing,");
}

/* Pass pages by reference: they must not change until they are read (vmsplice(2)). Inputs that can have
 * huge pages are /dev/zero, and tmpfs if mounted so (madvise(2), MADV_HUGEPAGE). */
static bool vmsplice_map(struct copy *c, bool huge) {
	unsigned char *map = !huge || check_huge_pages(c) ? map_input(c, 0, c->len, 0) : NULL;
	bool ok = map != NULL;
	if (ok && huge && madvise(map, c->len, MADV_HUGEPAGE)) ok = fail(c, errno, "madvise MADV_HUGEPAGE");
	for (size_t size = ok; size > 0 && bytes_wanted(c); c->done += size)
		size = vmsplice_part(c, c->out[0], map + c->done, bytes_wanted(c));
	unmap(c, map);
	return succeeded(c);
}
static bool copy_vmsplice(struct copy *c) { return vmsplice_map(c, false); }
static bool copy_vmsplice_huge(struct copy *c) { return vmsplice_map(c, true); }

static bool copy_vmsplice_splice(struct copy *c) {
	const int *pipe = c->kit->pipe;
	unsigned char *map = open_pipe(c, c->kit->pipe) ? map_input(c, 0, c->len, 0) : NULL;
	for (size_t size = map != NULL; size > 0 && bytes_wanted(c);) {
		size = vmsplice_part(c, pipe[1], map + c->done, bytes_wanted(c));
		if (!splice_out(c, pipe[0], 0, size)) break;
	}
	unmap(c, map);
	return succeeded(c);
}
static const char by_vmsplice[] = "EBADF (not a pipe): write.";
static const struct method vmsplice_splice = { copy_vmsplice_splice, SEEK, ANY, UNREAD_MAP,
	"vmsplice, splice", "2.6.35", "for memory that does not change "
	"until it is read", PIPE("pipe") "\n" MAP_IN
	"while ((n = vmsplice(pipe[1], { map + done, N }, 1, 0)) > 0)\n"
	"    splice(pipe[0], NULL, out, NULL, n, 0)", by_vmsplice };

#define BY_REFERENCE "for fast readers of a pipe: pages go by reference, and must not change meanwhile"
#define VMSPLICE "while (vmsplice(out, { map + done, left }, 1, 0) > 0) {}"
static const struct method vmsplice_all = { copy_vmsplice, SEEK, PIPES, 0, "mmap, vmsplice", "2.6.17",
	BY_REFERENCE, MAP_IN VMSPLICE, by_vmsplice };
static const struct method vmsplice_huge = { copy_vmsplice_huge, SEEK, PIPES, 0, "mmap, vmsplice", "2.6.38",
	BY_REFERENCE, MAP_IN "madvise(map, LENGTH, MADV_HUGEPAGE)\n" VMSPLICE, by_vmsplice };

/* Calls with sendfile's arguments. copy_file_range by number: glibc 2.27 to 2.29 emulated it. */
typedef ssize_t mover(int out, int in, off_t *pos, size_t size);
static ssize_t file_range(int out_fd, int in_fd, off_t *pos, size_t size) {
	return syscall(SYS_copy_file_range, in_fd, pos, out_fd, NULL, size, 0);
}
static ssize_t splice_range(int out_fd, int in_fd, off_t *pos, size_t size) {
	return splice(in_fd, pos, out_fd, NULL, size, 0);
}

/* Move c->len bytes to an output, from *pos or the offset (NULL). Returns false at EOF or after a failure. */
static bool move_all(struct copy *c, int in_fd, off_t *pos, int nth, mover *move, const char *name) {
	for (int64_t remaining = c->len; remaining > 0 && !caught;) {
		ssize_t n = RETRY(move(c->out[nth], in_fd, pos, min(remaining, CALL_MAX)));
		if (n < 0) return fail_out(c, nth, errno, name);
		if (n == 0) return false;
		count(c, nth, n);
		remaining -= n;
	}
	return true;
}

/* Move the input to each output in turn; if there are two, from an explicit offset. */
static bool move_input(struct copy *c, mover *move, const char *name) {
	for (int i = 0; i < c->nout; i++) {
		off_t pos = 0;
		if (!move_all(c, c->in, c->nout > 1 ? &pos : NULL, i, move, name)) break;
	}
	return succeeded(c);
}
static bool copy_splice(struct copy *c) { return move_input(c, splice_range, "splice"); }
static bool copy_sendfile(struct copy *c) { return move_input(c, sendfile, "sendfile"); }
static bool copy_file_ranges(struct copy *c) { return move_input(c, file_range, "copy_file_range"); }

static const struct method splice_all = { copy_splice, ANY, ANY, UNREAD_SPLICED, "splice", "2.6.17",
	"for pipes: pages go by reference",
	"while (splice(in, NULL, out, NULL, LENGTH, 0) > 0) {}", by_splice };
static const char by_sendfile[] =
	"EINVAL (from a pipe, or O_APPEND), ENOSYS: read and write. At most 0x7ffff000 bytes a call. Python: "
	"os.sendfile, shutil.copyfile. Go: syscall.Sendfile, io.Copy into a socket. Rust: std::io::copy.";
static const struct method sendfile_all = { copy_sendfile, ANY, ANY, UNREAD_SPLICED, "sendfile", "2.6.33",
	"for files, into any end", "while (sendfile(out, in, NULL, LENGTH) > 0) {}", by_sendfile };
static const struct method sendfile_each = { copy_sendfile, DISK, ANY, UNREAD_SPLICED, "sendfile", "2.6.33",
	"for a file that is in the page cache", "while (sendfile(OUT, in, AT, LENGTH) > 0) {}", by_sendfile };
#define RANGES "for files: it may share, or copy on the server"
static const char by_range[] =
	"EXDEV (another file system), EINVAL (a pipe), EBADF (O_APPEND), EOPNOTSUPP, ENOSYS, EPERM; 0 of a "
	"file in /proc: sendfile, then read and write. Python: os.copy_file_range. Go: io.Copy of two "
	"os.File. Rust: std::fs::copy.";
static const struct method range_all = { copy_file_ranges, FILES, FILES, MAY_SHARE, "copy_file_range", "4.5",
	RANGES, "while (copy_file_range(in, AT, OUT, NULL, LENGTH, 0) > 0) {}", by_range };

/* copy_file_range(2) of a piece, to the same offset. Returns false also at EOF. */
static bool copy_range_piece(struct copy *c, UNUSED unsigned char *buf, struct piece piece) {
	off_t in = piece.at, out = piece.at, end = piece.at + piece.len;
	while (in < end && !caught) {
		size_t want = end - in;
		ssize_t n = RETRY(syscall(SYS_copy_file_range, c->in, &in, c->out[0], &out, want, 0));
		if (n < 0) return fail(c, errno, "copy_file_range");
		if (n == 0) return false;
		c->done += n;
	}
	return true;
}

/* Copy only the data between holes (lseek(2), SEEK_DATA). Truncate first; extend to full length last. */
static bool copy_data(struct copy *c, unsigned char *buf, piece_copier *copy_one) {
	if (!truncate_each(c, 0)) return false;
	while (bytes_wanted(c)) {
		off_t data = lseek(c->in, c->done, SEEK_DATA), end = -1;
		if (data < 0 && errno != ENXIO) return fail(c, errno, "lseek SEEK_DATA");
		if (data >= 0) end = lseek(c->in, data, SEEK_HOLE);
		else end = data = lseek(c->in, 0, SEEK_END); /* a hole to the end */
		if (end < 0) return fail(c, errno, "lseek SEEK_HOLE");
		c->done = max(c->done, min(data, c->len));
		struct piece piece = { c->done, min(end, c->len) - c->done };
		if (c->block) piece.len = min(piece.len, c->block);
		if (piece.len <= 0 || !copy_one(c, buf, piece)) break;
	}
	return succeeded(c) && truncate_each(c, c->done);
}
static bool copy_range_sparse(struct copy *c) { return copy_data(c, NULL, copy_range_piece); }
static const struct method range_sparse = { copy_range_sparse, FILES, FILES, MAY_SHARE, "copy_file_range",
	"4.5", RANGES, "ftruncate(out, 0)\nwhile there are data:\n    data = lseek(in, offset, SEEK_DATA)\n"
	"    end = lseek(in, data, SEEK_HOLE)\n    copy_file_range(in, &data, out, &data, end - data, 0)\n"
	"ftruncate(out, LENGTH)", by_range };

/* FICLONE clones whole files; FICLONERANGE parts, which must end at a block (ioctl_ficlone(2)). */
static bool copy_reflink(struct copy *c) {
	struct file_clone_range part = { .src_fd = c->in, .src_length = c->len };
	if (c->to_eof && RETRY(ioctl(c->out[0], FICLONE, c->in))) return fail(c, errno, "ioctl FICLONE");
	if (!c->to_eof && RETRY(ioctl(c->out[0], FICLONERANGE, &part)))
		return fail(c, errno, "ioctl FICLONERANGE");
	c->cloned = true;
	c->done = c->len;
	return true;
}
static const char by_clone[] =
	"EOPNOTSUPP (no reflinks: ext4, tmpfs), EXDEV, EINVAL, ETXTBSY: copy_file_range. Python: fcntl.ioctl "
	"with fcntl.FICLONE (3.12), pathlib.Path.copy (3.14).";
static const struct method reflink = { copy_reflink, FILES, FILES, MAY_SHARE, "ioctl FICLONE", "4.5",
	"for files on btrfs, XFS and the like: no data moves", "ioctl(out, FICLONE, in)", by_clone };

/* Splice the input into the first output, and reopen that output for reading. -1: failed, or not all. */
static int splice_first(struct copy *c) {
	struct copy first = *c;
	first.nout = 1;
	if (has_type(c->in, S_IFIFO)) move_all(&first, c->in, NULL, 0, splice_range, "splice");
	else copy_pipe_splice(&first);
	c->failure = first.failure;
	return succeeded(c) && first.done == c->len ? reopen_for(c, 1, O_RDONLY) : -1;
}

static bool splice_then(struct copy *c, mover *move, const char *name) {
	int first = splice_first(c);
	if (first >= 0) move_all(c, first, NULL, 1, move, name);
	return succeeded(c);
}
static bool copy_splice_sendfile(struct copy *c) { return splice_then(c, sendfile, "sendfile"); }
static bool copy_splice_range(struct copy *c) { return splice_then(c, file_range, "copy_file_range"); }

static bool copy_splice_reflink(struct copy *c) {
	int first = splice_first(c);
	if (first < 0) return succeeded(c);
	if (RETRY(ioctl(c->out[1], FICLONE, first))) return fail_out(c, 1, errno, "ioctl FICLONE");
	c->cloned = true;
	c->done = c->len;
	return true;
}

#define FIRST_COPY PIPE("pipe") ", unless in is one\n" \
	"while ((n = splice(in, NULL, pipe[1], NULL, N, 0)) > 0), or into out from a pipe\n" \
	"    splice(pipe[0], NULL, out, NULL, n, 0)\nfirst = open(\"/proc/self/fd/1\", O_RDONLY)\n"
#define READS_BACK "for two files: the first one is copied to the second"
static const struct method splice_sendfile = { copy_splice_sendfile, ANY, ANY, MAY_SHARE | BACK,
	"splice, sendfile", "2.6.35", READS_BACK, FIRST_COPY "sendfile(second out, first, NULL, LENGTH)",
	by_sendfile };
static const struct method splice_copy_range = { copy_splice_range, ANY, FILES, MAY_SHARE | BACK,
	"copy_file_range", "4.5", READS_BACK, FIRST_COPY
	"copy_file_range(first, NULL, second out, NULL, LENGTH, 0)", by_range };
static const struct method splice_reflink = { copy_splice_reflink, ANY, FILES, MAY_SHARE | BACK,
	"splice, FICLONE", "4.5", READS_BACK, FIRST_COPY "ioctl(second out, FICLONE, first)", by_clone };

/* pwrite(2) of len bytes. Returns false after a failure: EIO if a call moves nothing. */
static bool write_at(struct copy *c, const unsigned char *src, int64_t len, int64_t at) {
	while (len > 0) {
		ssize_t wrote = RETRY(pwrite(c->out[0], src, len, at));
		if (wrote <= 0) return fail(c, wrote < 0 ? errno : EIO, "pwrite");
		src += wrote;
		len -= wrote;
		at += wrote;
		c->done += wrote;
	}
	return true;
}

/* pread(2) and pwrite(2) of a piece. Returns false also at EOF. */
static bool copy_piece(struct copy *c, unsigned char *buf, struct piece piece) {
	for (ssize_t got; piece.len > 0; piece.len -= got, piece.at += got) {
		got = RETRY(pread(c->in, buf, piece.len, piece.at));
		if (got < 0) return fail(c, errno, "pread");
		if (got == 0 || !write_at(c, buf, got, piece.at)) return false;
	}
	return true;
}

/* Copy a file with its holes, by pread and pwrite. */
static bool copy_with_holes(struct copy *c) {
	unsigned char *buf = get_block(c);
	return buf && copy_data(c, buf, copy_piece);
}

static bool copy_pieces(struct copy *c) {
	unsigned char *buf = get_buffer(c, c->block);
	atomic_uint taken = 0;
	struct piece piece;
	while (buf && (piece = next_piece(c, &taken)).len > 0)
		if (!copy_piece(c, buf, piece)) break;
	return succeeded(c);
}

/* Copy whole blocks by direct I/O, the tail without. Try direct I/O even on less than a block. */
static bool copy_directly(struct copy *c, bool both_direct, bool (*copy)(struct copy *)) {
	struct copy blocks = *c;
	if (both_direct) blocks.in = open_direct(c, 0, O_RDONLY);
	if (succeeded(c)) blocks.out[0] = open_direct(c, 1, O_WRONLY);
	if (!succeeded(c)) return false;
	if (c->len >= c->kit->alignment) blocks.len -= c->len % c->kit->alignment;
	copy(&blocks);
	c->failure = blocks.failure;
	c->done = blocks.done;
	struct piece tail = { c->done, c->len - c->done };
	if (c->done == blocks.len && tail.len > 0 && !caught) copy_piece(c, c->kit->buf, tail);
	return succeeded(c);
}
static bool copy_direct(struct copy *c) { return copy_directly(c, true, copy_pieces); }
static bool copy_direct_write(struct copy *c) { return copy_directly(c, false, copy_pieces); }

#define OPEN_DIRECT(end, fd, mode) "statx(" end ", STATX_DIOALIGN): alignment; " \
	end " = open(\"/proc/self/fd/" fd "\", " mode " | O_DIRECT)\n"
#define DIRECT_OUTPUT OPEN_DIRECT("out", "1", "O_WRONLY")
#define DIRECT_ENDS OPEN_DIRECT("in", "0", "O_RDONLY") DIRECT_OUTPUT
#define BY_BLOCKS "while ((n = pread(in, buf, N, offset)) > 0)\n    pwrite(out, buf, n, offset)"
#define TAIL "\nfor a tail of less than a block, without O_DIRECT:\n" \
	"    pread(in, buf, n, offset), pwrite(out, buf, n, offset)"
#define PAST_CACHE "for disks, and files that are not read again soon"
static const char by_direct[] =
	"EINVAL (no direct I/O, or buffer, offset or length not aligned): the same without O_DIRECT. Python: "
	"os.O_DIRECT, os.preadv into an mmap. Go: syscall.O_DIRECT.";
static const struct method direct = { copy_direct, DISK, FILES, DIRECT_IN, "pread, pwrite",
	"2.4.10", PAST_CACHE, DIRECT_ENDS MEMORY("N") BY_BLOCKS TAIL, by_direct };
static const struct method direct_write = { copy_direct_write, DISK, FILES, 0, "pread, pwrite",
	"2.4.10", PAST_CACHE, DIRECT_OUTPUT MEMORY("N") BY_BLOCKS TAIL, by_direct };

/* preadv2(2) and pwritev2(2) at the file offset. By number: libc might drop the flag. */
static ssize_t uncached(long nr, int fd, unsigned char *buf, size_t size) {
	struct iovec part = { buf, size };
	return RETRY(syscall(nr, fd, &part, 1L, -1L, -1L, RWF_UNCACHED));
}

static bool copy_uncached(struct copy *c) {
	unsigned char *buf = get_block(c);
	ssize_t in, out;
	for (size_t want; buf && (want = bytes_wanted(c));) {
		in = uncached(SYS_preadv2, c->in, buf, want);
		if (in < 0) return fail(c, errno, "preadv2 RWF_DONTCACHE");
		if (in == 0) break;
		for (unsigned char *src = buf; in > 0; src += out, in -= out, c->done += out) {
			out = uncached(SYS_pwritev2, c->out[0], src, in);
			if (out < 0) return fail(c, errno, "pwritev2 RWF_DONTCACHE");
			if (out == 0) return true;
		}
	}
	return succeeded(c);
}
static const struct method uncached_read_write = { copy_uncached, ANY, ANY, 0, "preadv2/pwritev2",
	"6.14", "for files read only once",
	MEMORY("N") "while ((n = preadv2(in, { buf, N }, 1, -1, RWF_DONTCACHE)) > 0)\n"
	"    pwritev2(out, { buf, n }, 1, -1, RWF_DONTCACHE)",
	"EOPNOTSUPP (an older kernel, tmpfs, a pipe): the same without the flag, 0x80. Python: os.preadv, "
	"os.pwritev." };

/* Start writing the window that ends at end. Wait for the previous window (if last, for both); evict it. */
static bool flush_behind(struct copy *c, int64_t end, bool last) {
	int64_t begin = (end - 1) / FLUSH_WINDOW * FLUSH_WINDOW, before = max(begin - FLUSH_WINDOW, 0);
	int64_t flushed = (last ? end : begin) - before;
	unsigned wait = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
	if (sync_file_range(c->out[0], begin, end - begin, SYNC_FILE_RANGE_WRITE))
		return fail(c, errno, "sync_file_range");
	if (flushed <= 0) return true;
	if (sync_file_range(c->out[0], before, flushed, wait)) return fail(c, errno, "sync_file_range");
	int err = posix_fadvise(c->out[0], before, flushed, POSIX_FADV_DONTNEED);
	return !err || fail(c, err, "posix_fadvise");
}

/* Limit dirty pages. The first call only tests whether sync_file_range works. */
static bool copy_write_behind(struct copy *c) {
	unsigned char *buf = get_block(c);
	size_t size;
	if (buf && sync_file_range(c->out[0], 0, 1, 0)) return fail(c, errno, "sync_file_range");
	while (buf && (size = read_block(c, buf)) > 0) {
		int64_t window = c->done / FLUSH_WINDOW;
		if (!write_out(c, 0, buf, size)) break;
		bool last = c->done == c->len;
		if ((last || c->done / FLUSH_WINDOW != window) && !flush_behind(c, c->done, last)) break;
	}
	return succeeded(c);
}
static const struct method write_behind = { copy_write_behind, ANY, FILES, 0, "sync_file_range",
	"2.6.17", "for backups, which leave the page cache to others",
	MEMORY("N") "while ((n = read(in, buf, N)) > 0)\n    write(out, buf, n)\nafter each 8388608 bytes:\n"
	"    sync_file_range(out, these, SYNC_FILE_RANGE_WRITE)\n"
	"    sync_file_range(out, those before, ..._WAIT_BEFORE | ..._WRITE | ..._WAIT_AFTER)\n"
	"    posix_fadvise(out, those before, POSIX_FADV_DONTNEED)",
	"ESPIPE (a pipe): go on. No promise that data is on the disk. Go: syscall.SyncFileRange." };

/* A request in flight: read a piece into a part of the buffer, or our pipe; then write the piece out. */
struct slot {
	struct piece piece;  /* still to copy */
	int64_t got, written; /* bytes read in, and of those written out */
};

/* Count what a request has moved (bytes or -errno). Returns false if it failed, or moved nothing. */
static bool advance(struct copy *c, struct slot *slot, int result, const char *in_call,
    const char *out_call) {
	if (result == -EINTR) return true;
	if (result < 0) return fail(c, -result, slot->got ? out_call : in_call);
	if (slot->got == 0) {
		slot->got = result;
		return result > 0;
	}
	slot->written += result;
	c->done += result;
	if (slot->written == slot->got)
		*slot = (struct slot){ { slot->piece.at + slot->got, slot->piece.len - slot->got }, 0, 0 };
	return result > 0;
}

/* Queue a slot's next request, unless no piece is left; without a buffer, a splice. */
static void queue_next(struct copy *c, struct slot *slot, int number, atomic_uint *counter) {
	const struct kit *k = c->kit;
	bool out = slot->got > 0, more = out && c->into_socket && slot->piece.at + slot->got < c->len;
	if (slot->piece.len == 0) slot->piece = next_piece(c, counter);
	int64_t n = out ? slot->got - slot->written : slot->piece.len;
	struct uring_sqe request = { .io_len = n, .off = -1, .splice_off_in = -1 };
	request.opcode = OP_SPLICE;
	request.fd = out ? c->out[0] : k->pipe[1];
	request.splice_fd_in = out ? k->pipe[0] : c->in;
	request.splice_flags = more ? SPLICE_F_MORE : 0;
	if (k->buf) {
		request = (struct uring_sqe){ .io_len = n, .off = slot->piece.at + slot->written };
		request.opcode = out ? OP_WRITE : OP_READ;
		request.fd = out ? c->out[0] : c->in;
		request.addr = (uintptr_t)(k->buf + number * c->block + slot->written);
	}
	if (n > 0) queue(k->uring, request, number);
}

/* Copy by n slots. Wait for requests in flight even after a failure, or they write into the next output. */
static bool copy_by_slots(struct copy *c, int n, const char *in_call, const char *out_call) {
	struct uring *uring = get_uring(c);
	struct slot slots[RING_DEPTH] = { 0 };
	struct uring_cqe cqe;
	atomic_uint taken = 0;
	for (int i = 0; uring && i < n; i++) queue_next(c, &slots[i], i, &taken);
	for (bool ok = true; uring && reap(c, uring, &cqe);) {
		ok = advance(c, &slots[cqe.user_data], cqe.res, in_call, out_call) && ok;
		if (ok && !caught) queue_next(c, &slots[cqe.user_data], (int)cqe.user_data, &taken);
	}
	return succeeded(c);
}

static bool copy_uring(struct copy *c) {
	if (!get_buffer(c, RING_DEPTH * c->block)) return false;
	return copy_by_slots(c, RING_DEPTH, "io_uring read", "io_uring write");
}
static bool copy_uring_direct(struct copy *c) { return copy_directly(c, true, copy_uring); }
static bool copy_uring_splice(struct copy *c) {
	return open_pipe(c, c->kit->pipe) && copy_by_slots(c, 1, "io_uring splice", "io_uring splice");
}

#define IO_URING "ring = io_uring_setup(16, 0), mmap(NULL, ..., ring, ...) of its queues\n"
#define ENTER "io_uring_enter(ring, queued, 1, IORING_ENTER_GETEVENTS)"
#define REQUESTS MEMORY("8 * N") IO_URING "for each N bytes, 8 at a time: IORING_OP_READ at offset,\n" \
	"    then IORING_OP_WRITE at offset\n" ENTER
static const char by_uring[] =
	"EPERM (kernel.io_uring_disabled), ENOSYS, of io_uring_setup: threads, or read and write. A "
	"completion has the bytes moved, or -errno.";
static const struct method uring_read_write = { copy_uring, SEEK, SEEK, 0, "io_uring_enter", "5.6",
	"for many requests at a time, with few calls: on ext4 "
	"and tmpfs worker threads of the kernel write, only XFS and btrfs take buffered asynchronous writes",
	REQUESTS, by_uring };
static const struct method uring_direct = { copy_uring_direct, DISK, FILES, DIRECT_IN,
	"io_uring_enter", "5.6", PAST_CACHE, DIRECT_ENDS REQUESTS TAIL, by_uring };
static const struct method uring_splice = { copy_uring_splice, ANY, ANY, UNREAD_SPLICED, "io_uring_enter",
	"5.7", "worker threads of the kernel splice",
	PIPE("pipe") "\n" IO_URING "for each N bytes: IORING_OP_SPLICE from in into pipe[1],\n"
	"    then IORING_OP_SPLICE from pipe[0] into out\n" ENTER, by_uring };

/* Wait a second at most for completed sends. Returns their number: the socket's error queue contains ranges
 * (msg_zerocopy.rst; Linux 4.14). Fail if no more can come. */
static int64_t await_completions(struct copy *c) {
	struct pollfd errors = { .fd = c->out[0] }; /* POLLERR is always reported */
	_Alignas(struct cmsghdr) char control[256];
	struct msghdr m = { .msg_control = control, .msg_controllen = sizeof control };
	int64_t n = 0;
	int ready = poll(&errors, 1, 1000), held = 0;
	while (ready > 0 && recvmsg(c->out[0], &m, MSG_ERRQUEUE | MSG_DONTWAIT) >= 0) {
		struct cmsghdr *first = CMSG_FIRSTHDR(&m);
		const struct sock_extended_err *extended = first ? (const void *)CMSG_DATA(first) : NULL;
		if (extended && extended->ee_origin == SO_EE_ORIGIN_ZEROCOPY)
			n += extended->ee_data - extended->ee_info + 1;
		m.msg_controllen = sizeof control;
	}
	bool waits = ready == 0 && (ioctl(c->out[0], SIOCOUTQ, &held) || held);
	if (n == 0 && ready >= 0 && !waits) fail_out(c, 0, ready ? EPIPE : EPROTO, "send MSG_ZEROCOPY");
	return n; /* 0 also after a signal */
}

/* Send the mapped input by reference, and wait for all completions. ENOBUFS: too many sends are pending. */
static bool copy_send_zerocopy(struct copy *c) {
	unsigned char *map = map_input(c, 0, c->len, 0);
	int64_t sent = 0, completed = 0;
	int on = 1;
	if (map && setsockopt(c->out[0], SOL_SOCKET, SO_ZEROCOPY, &on, sizeof on))
		fail(c, errno, "setsockopt SO_ZEROCOPY");
	while (map && succeeded(c) && !caught) {
		size_t want = bytes_wanted(c);
		ssize_t n = 0;
		if (want) n = RETRY(send(c->out[0], map + c->done, want, MSG_ZEROCOPY | MSG_NOSIGNAL));
		bool full = n < 0 && errno == ENOBUFS && completed < sent;
		if (n < 0 && !full) fail_out(c, 0, errno, "send MSG_ZEROCOPY");
		else if (n > 0) sent++;
		else if (sent == completed) break;
		else completed += await_completions(c);
		c->done += max(n, 0);
	}
	unmap(c, map);
	return succeeded(c);
}
static const struct method send_zerocopy = { copy_send_zerocopy, SEEK, SOCKETS, 0, "mmap, send", "4.14",
	"for network cards that fetch the bytes themselves", MAP_IN
	"setsockopt(out, SOL_SOCKET, SO_ZEROCOPY, 1)\n"
	"while (sendto(out, map + done, N, MSG_ZEROCOPY | MSG_NOSIGNAL) > 0) {}\n"
	"poll(out), recvmsg(out, MSG_ERRQUEUE): until all are completed",
	"EOPNOTSUPP (setsockopt, not TCP): send without the flag. ENOBUFS: wait for completions." };

/* Copy pieces until none is left, or a worker has failed. */
static void work_on_pieces(struct worker *w, piece_copier *copy_one) {
	struct copy *c = &w->own_copy;
	unsigned char *buf = c->kit->buf;
	struct piece piece;
	if (buf) buf += w->number * c->block;
	while (!w->pool->stop && (piece = next_piece(c, &w->pool->taken)).len > 0)
		if (!copy_one(c, buf, piece)) w->pool->stop = true;
}

static void work_read_write(struct worker *w) { work_on_pieces(w, copy_piece); }
static bool copy_threads(struct copy *c) {
	struct pool *pool = get_threads(c);
	return pool && get_buffer(c, pool->n * c->block) && work_together(c, work_read_write);
}
static bool copy_threads_direct(struct copy *c) { return copy_directly(c, true, copy_threads); }

/* Map a piece, fault it in at once, and write from the mapping. */
static bool mmap_write_piece(struct copy *c, UNUSED unsigned char *buf, struct piece piece) {
	unsigned char *map = map_input(c, piece.at, piece.len, 0);
	if (!map) return false;
	bool ok = populate(c, map, piece.len, POPULATE_READ);
	for (int64_t i = 0; ok && i < piece.len && !caught; i += WRITE_STEP)
		ok = write_at(c, map + i, min(piece.len - i, WRITE_STEP), piece.at + i);
	munmap(map, piece.len);
	return ok;
}
static void work_mmap_write(struct worker *w) { work_on_pieces(w, mmap_write_piece); }
static bool copy_threads_mmap_write(struct copy *c) {
	return get_threads(c) && work_together(c, work_mmap_write);
}

static void work_range(struct worker *w) { work_on_pieces(w, copy_range_piece); }
static bool copy_threads_range(struct copy *c) {
	struct pool *pool = get_threads(c);
	if (pool) c->block = (c->len / pool->n / M + 1) * M; /* a multiple of file systems' blocks */
	return pool && work_together(c, work_range);
}

static bool copy_mapped_piece(struct copy *c, UNUSED unsigned char *buf, struct piece piece) {
	return copy_mapped(c, c->kit->pool->dst, c->kit->pool->src, piece.at, piece.len);
}
static void work_mmap_mmap(struct worker *w) { work_on_pieces(w, copy_mapped_piece); }
static bool copy_threads_mmap_mmap(struct copy *c) {
	unsigned char *src = map_input(c, 0, c->len, 0), *dst = src ? map_output(c) : NULL;
	struct pool *pool = dst ? get_threads(c) : NULL;
	if (pool) {
		pool->src = src;
		pool->dst = dst;
		work_together(c, work_mmap_mmap);
	}
	unmap(c, dst);
	unmap(c, src);
	return succeeded(c);
}

#define BUFFERED_THREADS "threads: one for each CPU, 2 to 4\n"
#define THREADS "threads: one for each CPU, 2 to 16\n"
#define PIECES "each thread, until none is left: the next N bytes, at offset\n    "
#define BY_PIECES MEMORY("threads * N") PIECES "pread(in, buf, N, offset)\n    pwrite(out, buf, n, offset)"
#define FASTER_ENDS "for ends that are faster than one CPU"
static const struct method threads_read_write = { copy_threads, SEEK, SEEK, 0, "pread, pwrite", NULL,
	FASTER_ENDS, BUFFERED_THREADS BY_PIECES,
	"ESPIPE (a pipe or socket): read and write, one thread. Python: os.pread, os.pwrite. Go: "
	"os.File.ReadAt, os.File.WriteAt. Rust: std::os::unix::fs::FileExt." };
static const struct method threads_direct = { copy_threads_direct, DISK, FILES, DIRECT_IN,
	"pread, pwrite", "2.4.10", PAST_CACHE, DIRECT_ENDS THREADS BY_PIECES TAIL, by_direct };
static const struct method threads_mmap_write = { copy_threads_mmap_write, SEEK, SEEK, 0, "madvise, pwrite",
	"5.14", FASTER_ENDS, BUFFERED_THREADS PIECES
	"map = mmap(NULL, N, PROT_READ, MAP_PRIVATE, in, offset)\n+    " ADVISE_MAP("N")
	"    madvise(map, N, MADV_POPULATE_READ)\n"
	"    for each 1048576: pwrite(out, map + i, 1048576, offset)\n    munmap(map, N)", by_mmap_write };
static const struct method threads_range = { copy_threads_range, FILES, FILES, MAY_SHARE, "copy_file_range",
	"4.5", RANGES, BUFFERED_THREADS "each thread, a part of whole MiB, at offset:\n"
	"    copy_file_range(in, &offset, out, &offset, left, 0)", by_range };
static const struct method threads_mmap_mmap = { copy_threads_mmap_mmap, SEEK, FILES, MAPPED, "mmap, memcpy",
	NULL, MAPS_OUTPUT, MAP_IN MAP_OUT THREADS PIECES "memcpy", by_mmap_mmap };

/* A ring of blocks: the first thread fills empty ones, the other writes full ones. */
static void work_ring(struct worker *w) {
	struct copy *c = &w->own_copy;
	struct pool *pool = w->pool;
	bool reads = w->number == 0;
	size_t size = 1;
	for (int i = 0; size > 0; i = (i + 1) % RING_DEPTH) {
		unsigned char *block = c->kit->buf + i * c->block;
		while (sem_wait(reads ? &pool->empty : &pool->full)) {}
		if (reads) pool->filled[i] = pool->stop ? 0 : read_block(c, block);
		size = pool->filled[i];
		if (reads) c->done += size;
		else if (!pool->stop && !write_out(c, 0, block, size)) pool->stop = true;
		sem_post(reads ? &pool->full : &pool->empty);
	}
	if (reads) c->done = 0; /* the writer counts */
}

static bool copy_ring(struct copy *c) {
	struct pool *pool = get_buffer(c, RING_DEPTH * c->block) ? get_pool(c, 2) : NULL;
	if (!pool) return false;
	sem_init(&pool->empty, 0, RING_DEPTH);
	sem_init(&pool->full, 0, 0);
	return work_together(c, work_ring);
}
static const struct method ring_read_write = { copy_ring, ANY, ANY, 0, "read, write", NULL,
	"for ends that stall alternately: one thread reads, the other writes", MEMORY("8 * N")
	"threads: 2\none thread: fills the next of 8 blocks, if one is empty\n    read(in, block, N)\n"
	"the other: empties it\n    write(out, block, n)", by_read_write };

#define BS(n) (-(int64_t)(n)) /* blocks of the output's file system, as a negative number */

/* Ends between which a row is run by default. Bits below FROM: its advice between files, as in advices[]. */
enum {
	FROM = 1 << 16, INTO = 1 << 17, NET = 1 << 18, /* from a pipe; into a pipe; into a socket */
	BOTH = FROM | INTO, EACH = BOTH | NET,         /* also from a pipe into a pipe or socket */
	TWO = 1 << 19,     /* only into two outputs */
	HOLES = 1 << 20,   /* only if the input has holes */
	BY_NAME = 1 << 21, /* too slow for patterns and --all: run only by name */
};

/*
 * THE TABLE. To add a row: a unique name, its method, bytes per call (0: as many as it takes), where it is
 * run by default, and a program whose sources copy so. NULL: none is known.
 */
static const struct strategy {
	const char *name;
	const struct method *method;
	int64_t block;
	unsigned when;
	const char *used_by;
} strategies[] = {
	{ "read+write 1", &read_write, 1, BY_NAME, "careless loops" },
	{ "read+write 256", &read_write, 256, INTO, "careless loops" },
	{ "read+write 1k", &read_write, K, PLAIN | INTO, "careless loops" },
	{ "read+write bs", &read_write, BS(1), PLAIN, NULL },
	{ "read+write 4bs", &read_write, BS(4), PLAIN, NULL },
	{ "read+write 16bs", &read_write, BS(16), CLASSIC, NULL },
	{ "read+write 256bs", &read_write, BS(256), PLAIN, "dd bs=1M" },
	{ "read+write 4k", &read_write, 4 * K, EACH, "toybox cat" },
	{ "read+write 8k", &read_write, 8 * K, 0, "Rust, as fallback" },
	{ "read+write 16k", &read_write, 16 * K, INTO, NULL },
	{ "read+write 32k", &read_write, 32 * K, 0, "Go, as fallback" },
	{ "read+write 64k", &read_write, 64 * K, EACH, "copyfileobj 3.8" },
	{ "read+write 128k", &read_write, 128 * K, PLAIN | BOTH, "GNU cat to 9.0" },
	{ "read+write 256k", &read_write, 256 * K, PLAIN | FALLOC | EACH, "cp, as fallback" },
	{ "read+write 1m", &read_write, M, BOTH, "dd bs=1M" },
	{ "read+write 16m", &read_write, 16 * M, INTO, "dd bs=16M" },
	{ "read+write 32m", &read_write, 32 * M, INTO, "dd bs=32M" },
	{ "read+write 1g", &read_write, 1024 * M, INTO, "dd bs=1G" },
	{ "read+write sparse 4k", &sparse, 4 * K, PLAIN | HOLES, "uutils cp 0.10" },
	{ "read+write sparse 64k", &sparse, 64 * K, PLAIN | HOLES, "OpenBSD cp" },
	{ "stdio 1", &stdio_bytes, 1, INTO, "textbooks" },
	{ "stdio 4k", &stdio, 4 * K, BOTH, "textbooks" },
	{ "stdio 256k", &stdio, 256 * K, BOTH, NULL },
	{ "stdio 1m", &stdio, M, INTO, NULL },
	{ "mmap+write", &mmap_write_all, 0, CLASSIC | INTO | NET, "illumos cp" },
	{ "mmap+write 256k", &mmap_write_pieces, 256 * K, 0, NULL },
	{ "mmap+write 16m", &mmap_write_windows, 16 * M, PLAIN, NULL },
	{ "mmap+write populate", &mmap_write_populate, 0, 0, NULL },
	{ "mmap+mmap", &mmap_mmap_all, 0, TRUNC | FALLOC, NULL },
	{ "mmap+mmap 2m", &mmap_mmap_populate, HUGE_PAGE, TRUNC | FALLOC, NULL },
	{ "mmap+mmap huge", &mmap_mmap_huge, 0, 0, NULL },
	{ "read+mmap 256k", &read_mmap, 256 * K, FROM, NULL },
	{ "splice", &splice_all, 0, EACH, "pv 1.10" },
	{ "pipe+splice", &pipe_splice, PIPE_DEFAULT, CLASSIC | INTO | NET, NULL },
	{ "pipe+splice 256k", &pipe_splice, 256 * K, 0, NULL },
	{ "pipe+splice 512k", &pipe_splice, 512 * K, 0, "cat 9.11, pipes" },
	{ "pipe+splice 1m", &pipe_splice, M, PLAIN | EACH, "uutils cat 0.8" },
	{ "vmsplice+splice", &vmsplice_splice, PIPE_DEFAULT, PLAIN | INTO, NULL },
	{ "vmsplice", &vmsplice_all, 0, INTO, NULL },
	{ "vmsplice huge", &vmsplice_huge, 0, INTO, NULL },
	{ "sendfile", &sendfile_all, 0, CLASSIC | INTO | NET, "busybox cp 1.23" },
	{ "copy_file_range", &range_all, 0, CLASSIC, "cp 9.0, Go, Rust" },
	{ "copy_file_range sparse", &range_sparse, 0, PLAIN | HOLES, "GNU cp 9.2" },
	{ "reflink", &reflink, 0, PLAIN, "GNU cp 9.0" },
	{ "io_uring read+write 8x128k", &uring_read_write, 128 * K, PLAIN, "liburing's cp" },
	{ "io_uring splice 1m", &uring_splice, M, PLAIN, NULL },
	{ "direct 1m", &direct, M, PLAIN | FALLOC, "dd iflag=direct" },
	{ "direct write 1m", &direct_write, M, 0, "dd oflag=direct" },
	{ "io_uring direct 8x1m", &uring_direct, M, PLAIN, NULL },
	{ "uncached 1m", &uncached_read_write, M, PLAIN, "fio 3.40" },
	{ "write-behind 8m", &write_behind, 256 * K, PLAIN, "as borg by 16m" },
	{ "threads read+write 256k", &threads_read_write, 256 * K, 0, NULL },
	{ "threads read+write 512k", &threads_read_write, 512 * K, 0, NULL },
	{ "threads read+write 1m", &threads_read_write, M, PLAIN | FALLOC, "as xcp by 1m" },
	{ "threads mmap+write 8m", &threads_mmap_write, 8 * M, 0, NULL },
	{ "threads direct 1m", &threads_direct, M, PLAIN, NULL },
	{ "threads mmap+mmap", &threads_mmap_mmap, M, 0, NULL },
	{ "threads copy_file_range", &threads_range, 0, 0, "xcp 0.24" },
	{ "ring read+write 256k", &ring_read_write, 256 * K, PLAIN, "mbuffer -s 256k" },
	{ "mmap+send zerocopy", &send_zerocopy, 64 * K, NET, NULL },
	{ "read+write x2 8k", &read_write, 8 * K, TWO, "GNU tee" },
	{ "read+write x2 64k", &read_write, 64 * K, TWO, NULL },
	{ "read+write x2 256k", &read_write, 256 * K, TWO, NULL },
	{ "read+write x2 1m", &read_write, M, TWO, NULL },
	{ "read+write x2 sparse 4k", &sparse, 4 * K, TWO, NULL },
	{ "splice, sendfile", &splice_sendfile, PIPE_DEFAULT, TWO, NULL },
	{ "splice, copy_file_range", &splice_copy_range, PIPE_DEFAULT, TWO, NULL },
	{ "splice, reflink", &splice_reflink, PIPE_DEFAULT, TWO, NULL },
	{ "tee+splice 64k", &tee_splice, PIPE_DEFAULT, TWO, "microtee" },
	{ "tee+splice 256k", &tee_splice, 256 * K, TWO, NULL },
	{ "tee+splice 1m", &tee_splice, M, TWO, "uutils tee 0.10" },
	{ "mmap+write x2", &mmap_write_all, 0, TWO, NULL },
	{ "sendfile x2", &sendfile_each, 0, TWO, NULL },
	{ "copy_file_range x2", &range_all, 0, TWO, NULL },
};

/* ---- Types of what is measured and reported -------------------------------------------------- */

/* Rounds in three steps: of all rows; up to ROUNDS_FINAL of rows in question; ROUNDS_LAST that decide. */
#define ROUNDS_DEFAULT 3      /* best, median, worst; also of a command's start */
#define ROUNDS_FINAL 7
#define ROUNDS_LAST 20
#define ROUNDS_SMALL 10       /* of all rows below LARGE_FROM_MIB, instead of the first two steps */
#define ROUNDS_GATE 30        /* with --fail-if-slower */
#define TESTED_MAX 200        /* runs per row that the tests use: thousands would take minutes */
#define ALL_RUNS_MAX 500000   /* measured or read from files: about 100 MB */
#define NAME_WIDTH 40         /* characters to which a row's name is cut; more if names are then equal */
#define TEXT_WIDTH 80         /* characters of a line of the text report, unless a terminal has fewer */
#define SIZES_MAX 32          /* of --size */

enum outcome {
	UNTRIED,
	COPIED,    /* measured, and ranked among the copies */
	SHARED,    /* measured, but the output shares the input's blocks: no data moved */
	UNTOUCHED, /* measured, but neither the row nor the device looks at a byte */
	REFUSED,   /* n/a: refused by the kernel before the first byte */
	FAILED,    /* a call, or a command */
	MISMATCH,  /* all calls succeeded, but the output differs */
};

struct verdict {
	enum outcome outcome;
	struct failure failure; /* of REFUSED and FAILED */
	int64_t at;             /* of MISMATCH: offset of the first byte missing or wrong, or one of these */
};
enum { NO_DIFFERENCE = -1, EMPTY = -2 }; /* all right, or not known; a command wrote nothing */
#define WROTE_NOTHING "wrote nothing"

static bool is_timed(enum outcome outcome) {
	return outcome == COPIED || outcome == SHARED || outcome == UNTOUCHED;
}

enum { COUNTERS = 8 };    /* of perf_event_open(2), including the kernel's share */

/* One run of one row. Times are nanoseconds. */
struct run {
	int64_t ns;           /* of set-up, advice, copy and finish */
	int round, order;     /* from 1; order: position among all runs of the report, from 0 */
	int64_t cpu_ns;       /* user and system time of this process and the row's command; -1: unknown */
	int64_t resident;     /* with --cold: bytes of the input cached at the start; -1: unknown */
	int64_t start_ns;     /* to start the command on an empty input, in the same round; -1: not known */
	int64_t counts[COUNTERS]; /* with --counters; -1: unknown */
	struct verdict verdict;
};

static const struct run unknown_run = { .cpu_ns = -1, .resident = -1, .start_ns = -1,
	.counts = { -1, -1, -1, -1, -1, -1, -1, -1 } };

/* Times of runs, fastest first. Nanoseconds. */
struct sample {
	double *sorted;       /* allocated */
	int n;
};

/* The ratio of two times: Hodges and Lehmann's estimate, and an interval. */
struct ratio {
	double estimate, low, high; /* low, high: 0 if the runs are too few for an interval */
	int confidence;       /* of the interval, percent */
};

/* A row compared with --baseline, or with the same row of an older report. */
enum change { UNCOMPARED, TOO_FEW, SAME, FASTER, SLOWER, NOT_SLOWER, UNDECIDED, UNUSABLE, CHANGES };

/* A row between its ends, and its measurements. */
struct row {
	const char *name;
	const struct strategy *strategy;
	const struct advice *advice;
	const char *command;          /* of --with; NULL: not a command */
	bool big_pipes;               /* pipes at its ends have PIPE_LARGE, not PIPE_DEFAULT */
	struct endpoint *input, *into[2];
	int nout;                     /* outputs */
	struct run *runs;             /* in chronological order */
	int nruns;
	bool verified;                /* a copy was judged right, in full if comparable */
	bool own_name;                /* a command that writes its output by a name of its own */
	struct verdict verdict;       /* the last run's, but SHARED and failures stay: add_run() */
	bool finalist;                /* in question after the first step: find_finalists() */
	int64_t planned;              /* runs, done and planned; 0: rep->rounds */
	struct sample early, late;    /* times in the first two steps; in the third */
	int64_t best, median, worst;  /* of the early runs, nanoseconds */
	struct run typical;           /* medians of cpu_ns and counts; the least start_ns */
	char *label;                  /* its name in sentences and tables; allocated */
	bool marked;                  /* "~": it may be the fastest */
	struct ratio against;         /* time relative to the baseline, or to an older report */
	enum change change;           /* verdict on that ratio */
};

/* Cumulative counts of the machine. */
struct interference {
	int64_t ticks, stolen;        /* CPU time in all, and steal time; clock ticks */
	int64_t throttled;            /* times that heat throttled a CPU */
	int64_t swapped;              /* pages swapped out or in */
	int64_t stops;                /* times that our cgroup's CPU quota throttled processes */
};

/* The decision of the first sentence. */
enum answer {
	NOTHING, /* nothing to decide: no row was ranked, or commands alone, or a baseline */
	MORE,    /* too few runs to decide */
	KEEP,    /* the user's command: no row is shown to save more than its start */
	USE,     /* the winner */
};

/* The findings of a report's runs: computed once, for all formats. */
struct summary {
	const struct row *first;      /* of the ranked rows; NULL: none is */
	bool commands_alone;          /* all rows are commands */
	int tested, marked;           /* ranked rows in question; of these that have a ~ */
	int runs;                     /* fewest of a tested row, in the first two steps */
	bool guess;                   /* the runs are too few for the test */
	int64_t least;                /* smallest median of a row with a ~ that is not a command */
	struct row *own;              /* the user's command, or a plain loop; NULL: neither */
	struct row *winner;           /* the row to use; NULL: none */
	struct ratio gain;            /* own's time relative to the winner's */
	enum answer answer;
	bool fine;                    /* times below a millisecond are in microseconds */
};

/* A fact of a session: see fact_rows[]. */
struct fact {
	const struct fact_row *fact_row; /* NULL: a key unknown to this program */
	char *key, *value;            /* allocated */
};

/* Observations of the machine and the ends during the runs. Shares are percent. */
struct seen {
	double holes, zeros;          /* of the input's bytes */
	int fetched;                  /* runs before which the input was read again */
	int64_t into_start;           /* least time to start the command of --into, nanoseconds; 0: unknown */
	double dirty;                 /* peak dirty memory, share of the level that throttles writers */
	struct interference machine;  /* during the runs */
	int64_t watched_ns, delayed_ns; /* of runs without other threads or processes; waiting for a CPU */
	int counters_err;             /* errno of perf_event_open(2); 0: no failure */
};

struct list {
	const char **item;
	const char **whole;           /* of globs: the argument that it is a part of */
	bool *matched;                /* of globs: it has matched a name */
	int n;
};

/* The measurements at one size, made here or read from a file. */
struct report {
	const struct options *options; /* of measuring or printing it */
	const char *file;             /* NULL: measured here */
	char *title;                  /* of its column beside other reports: a size, or a file */
	int64_t len, asked;           /* bytes copied per run; bytes of --size, 0: all */
	int64_t rounds, pause;        /* rounds of all rows; nanoseconds before each run */
	const char *baseline;         /* name of a row; NULL: none */
	double limit;                 /* of --fail-if-slower, percent; 0: none */
	struct row *rows, **ranked;   /* in the table's order; fastest first */
	int nrows, nruns;             /* nruns: runs done */
	int64_t input_ns;             /* least time of the input alone, from a process; 0: not known */
	int64_t memcpy_ns;            /* best time of memcpy, in the first rounds; 0: not known */
	struct summary summary;
	struct seen seen;
	struct fact *facts;           /* in the order of the report */
	int nfacts;
};

/* The reports of one table: all sizes of a session, or several files of one size. */
struct set {
	struct report **reports;
	int n;
	bool files;                   /* they are of several files */
};

/* Bytes, ascending. */
struct sizes {
	int64_t ascending[SIZES_MAX];
	int n;
};

/* An end made by an option. */
struct option_end {
	const char *name;             /* its name; NULL: none */
	const char *command;          /* its argument; NULL: it has none */
};

enum until { UNTIL_RETURN, UNTIL_CLOSE, UNTIL_SYNC }; /* the end of the timed run */

/* States of an output file when a run begins: see fills[]. */
enum fill {
	EMPTIED,      /* nothing: it is emptied before the clock starts */
	REPLACED,     /* old blocks: it is emptied when the clock has started */
	OVERWRITTEN,  /* old blocks, which the run overwrites */
	RENEWED,      /* nothing: another file each run */
};

enum mode { MEASURE, LIST, EXPLAIN, COMPARE, GENERATE, HELP, MANUAL, SHOW_VERSION };

/* True if a mode prints a text about the program, whatever else is asked for. */
static bool is_informative(enum mode mode) { return mode == HELP || mode == MANUAL || mode == SHOW_VERSION; }

/* The destination of a report. */
struct report_file {
	const char *name;             /* of its file; NULL: standard error or output */
	const struct format *format;  /* NULL: only failures and the answer */
};

struct options {
	enum mode mode;
	struct list select, exclude;  /* globs */
	struct list with, compare;    /* commands; files */
	bool all, in_order, no_verify, quiet, verbose;
	bool cold;                    /* evict the input first */
	bool reuse;                   /* set up, and copy once, before the clock starts */
	bool counters;                /* by perf_event_open(2) */
	int until, fill;              /* enum until, enum fill */
	int64_t runs_asked, warmup;   /* 0: not given; rounds before the first that counts */
	int64_t pause;                /* nanoseconds; -1: not given */
	struct sizes sizes;           /* to copy; none: all of the input */
	int64_t seed;                 /* -1: a random one */
	struct option_end from_end, into_end; /* ends made by options, instead of standard input and output */
	const char *tee;              /* file of the second output; NULL: none */
	int64_t top;                  /* rows in a table for people, beside commands; 0: all */
	const char *baseline;         /* name of a row; NULL: none */
	double slower;                /* of --fail-if-slower: percent; below 0: not given */
	int64_t generate;             /* bytes */
	int content;                  /* enum content */
	int format_number;            /* number in formats[] */
	struct report_file report_files[REPORT_FILES_MAX + 1]; /* the first is the printed one */
	int nreport_files;
	char *command_line;           /* for a shell */
};

/* ---- Text: lists, sizes, times and numbers to text and back ---------------------------------- */

/* Returned by value; valid until the end of the full expression. */
struct words {
	char str[200];
};

/* Format text as printf(3) does, truncated to struct words. */
__attribute__((format(printf, 1, 2))) static struct words fmt(const char *pattern, ...) {
	struct words w;
	va_list args;
	va_start(args, pattern);
	vsnprintf(w.str, sizeof w.str, pattern, args);
	va_end(args);
	return w;
}

/* Errnos of a copy. A refusal before the first byte makes the row n/a. 524 is internal to the kernel. */
static const struct errno_fact {
	int number;
	const char *name;
	bool refusal;
	const char *remedy;
} errnos[] = {
#define REFUSES(name, remedy) { name, #name, true, remedy }
#define FAILS(name, remedy) { name, #name, false, remedy }
#define NAMED(name) { name, #name, false, NULL }
	REFUSES(EACCES, "ask the file's owner for permission"), REFUSES(ENOSYS, "use a newer kernel"),
	{ 524, "ENOTSUPP", true, NULL }, REFUSES(EOVERFLOW, "use a 64-bit build, or copy less with --size"),
	REFUSES(EBADF, "redirect it, with <> for reading and writing"), { NO_ERRNO, "", true, NULL },
	REFUSES(EAFNOSUPPORT, NULL), REFUSES(EPERM, "use more privileges, or raise the limit that was hit"),
	REFUSES(EINVAL, "use other ends, or another file system"), REFUSES(ENOPROTOOPT, NULL),
	REFUSES(ENODEV, NULL), REFUSES(EXDEV, "put input and output on the same file system"),
	REFUSES(ENOTSOCK, NULL), REFUSES(ETXTBSY, "use a file that is not in use"), REFUSES(ENOTTY, NULL),
	REFUSES(ENXIO, NULL), REFUSES(EOPNOTSUPP, "use another file system"), REFUSES(ESPIPE, NULL),
	FAILS(EAGAIN, "raise ulimit -u, or give it a descriptor without O_NONBLOCK"),
	FAILS(EISDIR, "name a file"), FAILS(EROFS, "use a file system that is mounted read-write"),
	FAILS(ECONNREFUSED, "check the firewall of loopback"), FAILS(ECONNRESET, "keep the receiver running"),
	FAILS(EDQUOT, "stay within the quota"), FAILS(ENOBUFS, "raise net.core.optmem_max, or ulimit -l"),
	FAILS(EFAULT, "don't modify input or output meanwhile"), FAILS(EIO, "read the kernel's log (dmesg)"),
	FAILS(EFBIG, "raise ulimit -f, or copy less"), FAILS(ENOSPC, "free space, or copy less"),
	FAILS(EMFILE, "raise ulimit -n"), FAILS(ENOENT, "use another name, or make its directory"),
	FAILS(E2BIG, "shorten it"), FAILS(EPIPE, "keep the reader running"),
	FAILS(ENOMEM, "free memory, raise ulimit -v or -l, or copy less with --size"),
	NAMED(EEXIST), NAMED(EADDRINUSE), NAMED(EADDRNOTAVAIL), NAMED(EBADMSG), NAMED(EBUSY), NAMED(EILSEQ),
	NAMED(ECANCELED), NAMED(EHOSTDOWN), NAMED(EHOSTUNREACH), NAMED(EINTR), NAMED(ELOOP), NAMED(ENETDOWN),
	NAMED(ENAMETOOLONG), NAMED(ENETUNREACH), NAMED(ENFILE), NAMED(ENOKEY), NAMED(ENOLCK), NAMED(ENOTCONN),
	NAMED(ENOMEDIUM), NAMED(ENOTDIR), NAMED(EPROTO), NAMED(EREMOTEIO), NAMED(ESTALE), NAMED(ETIMEDOUT),
	NAMED(EUCLEAN),
};

static const struct errno_fact *errno_fact(int number) {
	static const struct errno_fact unknown = { 0, "an errno without a name here", false, NULL };
	for (int i = 0; i < LENGTH(errnos); i++)
		if (errnos[i].number == number) return &errnos[i];
	return &unknown;
}

/* "ENOSPC", or "errno 133" for an errno without a name here. */
static struct words errno_name(int number) {
	const struct errno_fact *entry = errno_fact(number);
	return entry->number ? fmt("%s", entry->name) : fmt("errno %d", number);
}

/* "ENOSPC (No space left on device): free space, ...": the second half of a message about a call. */
static struct words errno_text(int number) {
	const struct errno_fact *entry = errno_fact(number);
	if (!entry->remedy) return fmt("%s (%s)", entry->name, strerror(number));
	return fmt("%s (%s): %s", entry->name, strerror(number), entry->remedy);
}

__attribute__((noreturn)) static void die_errno(const char *object, int err, const char *call) {
	die("%s: %s: %s", object, call, errno_text(err).str);
}

/* Make room for one more element in an array of n, whose capacity is the next power of two. */
static void *grow(void *items, int n, size_t size) {
	if (n & (n - 1)) return items;
	items = realloc(items, (n ? 2 * (size_t)n : 1) * size);
	if (!items) die_errno("memory", ENOMEM, "realloc");
	return items;
}

static void append(struct list *list, const char *text) {
	list->item = grow(list->item, list->n, sizeof *list->item);
	list->whole = grow(list->whole, list->n, sizeof *list->whole);
	list->matched = grow(list->matched, list->n, sizeof *list->matched);
	list->whole[list->n] = text;
	list->matched[list->n] = false;
	list->item[list->n++] = text;
}

/* Format text as printf(3) does. Allocated; the caller frees it. */
__attribute__((format(printf, 1, 2))) static char *format_text(const char *pattern, ...) {
	char *text;
	va_list args;
	va_start(args, pattern);
	if (vasprintf(&text, pattern, args) < 0) die_errno("memory", ENOMEM, "vasprintf");
	va_end(args);
	return text;
}

/* Format text as printf(3) does, escaped. escaped() frees its argument. */
#define format_line(...) escaped(format_text(__VA_ARGS__))
static char *escaped(char *text) {
	size_t size = 4 * strlen(text) + sizeof "\\xff" + 1;
	char *line = escape(allocate(1, size), size, text);
	free(text);
	return line;
}

/* A text printed to a stream between begin_text() and finish_text(), which returns it: allocated. */
struct text {
	FILE *f;
	char *chars;
	size_t size;
};

static FILE *begin_text(struct text *buffer) {
	*buffer = (struct text){ .chars = NULL };
	buffer->f = open_memstream(&buffer->chars, &buffer->size);
	if (!buffer->f) die_errno("memory", errno, "open_memstream");
	return buffer->f;
}

static char *finish_text(struct text *buffer) {
	if (fclose(buffer->f)) die_errno("memory", errno, "open_memstream");
	return buffer->chars;
}

static bool same_time(const struct timespec *time_a, const struct timespec *time_b) {
	return time_a->tv_sec == time_b->tv_sec && time_a->tv_nsec == time_b->tv_nsec;
}

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t random_number(uint64_t *state) {
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Columns of a terminal; TEXT_WIDTH if unknown, or not a terminal. */
static int terminal_width(int fd) {
	struct winsize size = { 0 };
	if (!isatty(fd)) return TEXT_WIDTH;
	return !ioctl(fd, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : TEXT_WIDTH;
}

/* True if a descriptor is a terminal that supports escape sequences (terminfo(5)). */
static bool has_escapes(int fd) {
	const char *term = getenv("TERM");
	return isatty(fd) && term && *term && strcmp(term, "dumb");
}

/* Returns the bytes read at an offset, fewer than nbytes only at the end of the file; -1 with errno. */
static ssize_t full_pread(int fd, unsigned char *dst, ssize_t nbytes, int64_t at) {
	ssize_t have = 0, got = 1;
	while (have < nbytes && got > 0) {
		got = RETRY(pread(fd, dst + have, nbytes - have, at + have));
		if (got < 0) return -1;
		have += got;
	}
	return have;
}

/* Write size bytes. Returns 0 or an errno, EIO if a call moves nothing. */
static int full_write(int fd, const unsigned char *src, size_t size) {
	while (size > 0) {
		ssize_t wrote = RETRY(write(fd, src, size));
		if (wrote < 0) return errno;
		if (wrote == 0) return EIO;
		src += wrote;
		size -= wrote;
	}
	return 0;
}

/* True if text contains word; letters, digits and _ make words. */
static bool has_word(const char *text, const char *word) {
	size_t length = strlen(word);
	for (const char *here = text; (here = strstr(here, word)); here++) {
		bool begins = here == text || !(isalnum((unsigned char)here[-1]) || here[-1] == '_');
		if (begins && !isalnum((unsigned char)here[length]) && here[length] != '_') return true;
	}
	return false;
}

static const char *plural(int64_t amount) { return amount == 1 ? "" : "s"; }

#define PLAIN_WORD "-_./,:+@%0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* True if a command has shell syntax, or no word. */
static bool needs_shell(const char *command) {
	const char *word = command + strspn(command, " \t");
	size_t length = strcspn(word, " \t");
	return length == 0 || memchr(word, '=', length) || command[strspn(command, PLAIN_WORD "= \t")];
}

static const struct unit {
	const char *suffix;
	int64_t ns;          /* nanoseconds */
} time_units[] = { { "s", SECOND }, { "ms", MILLISECOND }, { "us", 1000 }, { "ns", 1 }, { "", SECOND } };
#define PAUSE_MAX 3600 /* seconds */

/* "4096", "64k", "1.5m", "4MiB", or "4MB" of 10^6, to bytes; -1: not a size, or above a file's limit. */
static int64_t parse_size(const char *text) {
	static const char letters[] = "kmgt";
	size_t digits = strspn(text, "0123456789.");
	const char *rest = text + digits, *letter = *rest ? strchr(letters, tolower(*rest)) : NULL;
	int64_t factor = 1;
	char *tail;
	rest += letter != NULL;
	bool decimal = letter && !strcasecmp(rest, "b");
	if (!digits || *text == '.' || (*rest && !decimal && (!letter || strcasecmp(rest, "ib")))) return -1;
	for (const char *here = letters; letter && here <= letter; here++) factor *= decimal ? 1000 : 1024;
	errno = 0;
	if (strspn(text, "0123456789") == digits) {
		uintmax_t whole = strtoumax(text, &tail, 10);
		return errno || whole > (uintmax_t)(INT64_MAX / factor) ? -1 : (int64_t)whole * factor;
	}
	double n = strtod(text, &tail) * (double)factor;
	return tail != text + digits || factor == 1 || !(n < 9e18) ? -1 : (int64_t)n;
}

/* "0.1" (seconds) or "100ms" to nanoseconds; -1: not a time, or more than PAUSE_MAX. */
static int64_t parse_time(const char *text) {
	char *tail;
	double n = strtod(text, &tail);
	for (int i = 0; i < LENGTH(time_units); i++) {
		double ns = n * (double)time_units[i].ns;
		if (tail > text && tail == text + strspn(text, "0123456789.") && ns <= PAUSE_MAX * 1e9
		    && !strcasecmp(time_units[i].suffix, tail))
			return (int64_t)(ns + 0.5);
	}
	return -1;
}

/* A whole number within bounds; -1: not such a number. */
static int64_t parse_count(const char *text, int64_t least, int64_t most) {
	char *tail;
	errno = 0;
	intmax_t n = strtoimax(text, &tail, 10);
	return !isdigit((unsigned char)*text) || *tail || errno || n < least || n > most ? -1 : n;
}

/* An errno's name, or "errno 133", to its number; 0: neither. */
static int parse_errno(const char *text) {
	for (int i = 0; i < LENGTH(errnos); i++)
		if (*text && !strcmp(text, errnos[i].name)) return errnos[i].number;
	return strncmp(text, "errno ", 6) ? 0 : (int)max(0, parse_count(text + 6, 1, 4095));
}

/* Bytes as text: "256MiB", "4KiB", "4097B"; from 1 MiB on rounded if not whole: "4.66GiB". */
static struct words size_text(int64_t bytes) {
	for (int i = 0; i < 3; i++) {
		int64_t unit = (int64_t)1 << (40 - 10 * i);
		if (bytes >= unit)
			return fmt("%.*f%ciB", bytes % unit ? 2 : 0, (double)bytes / (double)unit, "TGM"[i]);
	}
	return bytes >= K && bytes % K == 0 ? fmt("%" PRId64 "KiB", bytes / K) : fmt("%" PRId64 "B", bytes);
}

/* Decimals of a number with three significant digits. */
static int decimals(double x) {
	if (x < 9.995) return 2;
	return x < 99.95 ? 1 : 0;
}

/* Nanoseconds as text, three significant digits. Below a millisecond: 0.412ms, or if fine 412us. */
static struct words time_text(int64_t ns, bool fine) {
	const struct unit *unit = &time_units[ns >= 999500000 ? 0 : 1];
	if (fine && ns < 999500) unit = &time_units[2];
	double n = (double)ns / (double)unit->ns;
	return fmt("%.*f%s", n < 0.9995 ? 3 : decimals(n), n, unit->suffix);
}

/* Bytes per nanosecond. */
static double speed(int64_t bytes, int64_t ns) { return (double)bytes / (double)(ns ? ns : 1); }

/* A speed with three significant digits. */
static struct words speed_text(double bytes_a_ns) {
	double n = bytes_a_ns * 1e9 / (double)M;
	if (n < 1023.5) return fmt("%.*fMiB/s", decimals(n), n);
	return fmt("%.*fGiB/s", decimals(n / 1024), n / 1024);
}

/* Read the rest of the line that begins with a key, and a colon or blanks. False: there is none. */
static bool read_key(const char *path, const char *key, char *value, size_t size) {
	FILE *f = fopen(path, "re");
	char line[4000], *here = line + strlen(key);
	bool found = false;
	while (f && !found && fgets(line, sizeof line, f))
		found = !strncmp(line, key, strlen(key)) && strspn(here, " \t:");
	if (f) fclose(f);
	here += found ? strspn(here, " \t:") : 0;
	if (found) snprintf(value, size, "%.*s", (int)strcspn(here, "\n"), here);
	return found;
}

/* Read a number by its key, as in /proc/vmstat; 0: no such line. */
static int64_t read_number(const char *path, const char *key) {
	char value[64];
	return read_key(path, key, value, sizeof value) ? strtoll(value, NULL, 10) : 0;
}

/* Returns the bytes up to a possible line break: not in "$ cat" or "-n 6". */
static int word_length(const char *text) {
	int length = 0;
	if (!strncmp(text, "$ ", 2)) length = 2;
	if (!strncmp(text, "-n ", 3)) length = 3;
	return length + (int)strcspn(text + length, " ");
}

/* Returns the bytes of the first characters of a text of length bytes. */
static int prefix_length(const char *text, int length, int characters) {
	int n = 0;
	while (n < length && columns(text, n + 1) <= characters) n++;
	return n;
}

/* Print words in lines of width characters, all but the first indented. */
static void print_wrapped(FILE *f, const char *text, int width, int at_column, int indent) {
	while (*text) {
		int word = word_length(text);
		/* a longer word is cut */
		if (width > indent) word = prefix_length(text, word, width - indent);
		int space = (int)strspn(text + word, " "), next = word_length(text + word + space);
		if (at_column > indent && at_column + columns(text, word) > width)
			at_column = fprintf(f, "\n%*s", indent, "") - 1;
		fprintf(f, "%.*s", word, text);
		at_column += columns(text, word);
		text += word;
		if (*text && at_column + space + columns(text + space, next) <= width)
			at_column += fprintf(f, "%*s", space, "");
		else if (*text) at_column = width;
		text += space;
	}
	fputc('\n', f);
}

static int compare_keys(const int64_t keys[][2], int n) {
	for (int i = 0; i < n; i++)
		if (keys[i][0] != keys[i][1]) return keys[i][0] < keys[i][1] ? -1 : 1;
	return 0;
}

/* ==== Judge: nothing here measures or prints ================================================== */

/* ---- Statistics: computed from the runs ------------------------------------------------------ */

#define CONFIDENCE 95   /* percent, of tests and intervals */
#define LEVEL ((100 - CONFIDENCE) / 100.0) /* chance of an error that is left */
#define CHOSEN_CONFIDENCE 99 /* percent, if the runs that chose the row also decide */
#define LATE_LEAST 4    /* runs in the third step that decide alone; with fewer, all runs decide */
#define GUESS_RUNS 3    /* runs per row from which, */
#define GUESS_ROWS 6    /* and rows from which, a first guess drops a row only if two others are faster */
#define STALLED 1.25    /* times the smallest median: a longer run has stalled */
#define STALLS 0.6      /* share of stalled runs from which a row is not used */
#define PLAIN_LOOP "read+write 256k" /* a plain loop: the row to beat if there are no commands */
#define TOLERANCE (1 + 1e-12) /* for rounding errors in comparisons */
#define NO_CHANGE 1     /* percent: smaller changes are noise */
#define WIDEST 10       /* times the limit: if the interval is wider, the command is undecided */
#define FINE_BELOW 100000 /* nanoseconds: if a best time is shorter, print microseconds */

static bool is_copy(const struct row *row) { return row && row->verdict.outcome == COPIED; }

/* True if the start takes more than half of a command's best run. Compare best times: noise only adds. */
static bool starts_up(const struct row *row) { return 2 * row->typical.start_ns > row->best; }

/* True if a row's time is comparable with those of other rows. */
static bool is_ranked(const struct row *row) { return is_copy(row) && !starts_up(row); }

/* True if a row takes part in the tests. */
static bool is_tested(const struct row *row) { return is_ranked(row) && row->finalist; }

static int compare_doubles(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Sort n numbers. Returns their median; -1 if there is none, or one is missing (below 0). */
static double median_of(double *numbers, int n) {
	qsort(numbers, n, sizeof *numbers, compare_doubles);
	if (n == 0 || numbers[0] < 0) return -1;
	return (numbers[(n - 1) / 2] + numbers[n / 2]) / 2;
}

static int64_t number_at(const void *record, size_t offset) {
	return *(const int64_t *)((const char *)record + offset);
}

/* The last round of the first two steps of the schedule. */
static int64_t last_early(const struct report *rep) { return max(rep->rounds, ROUNDS_FINAL); }

/* Numbers at an offset in the timed runs of some rounds, sorted. */
static struct sample sample_of(const struct row *row, size_t offset, int64_t from, int64_t upto) {
	struct sample sample = { .sorted = allocate(row->nruns, sizeof *sample.sorted) };
	for (int i = 0; i < row->nruns; i++) {
		const struct run *run = &row->runs[i];
		if (is_timed(run->verdict.outcome) && run->round >= from && run->round <= upto)
			sample.sorted[sample.n++] = (double)number_at(run, offset);
	}
	qsort(sample.sorted, sample.n, sizeof *sample.sorted, compare_doubles);
	return sample;
}

/* The times of some rounds: all, or as many as the tests can use, evenly spaced. */
static struct sample times_of(const struct row *row, int64_t from, int64_t upto) {
	struct sample sample = sample_of(row, offsetof(struct run, ns), from, upto);
	int n = (int)min(sample.n, TESTED_MAX);
	for (int i = 0; i < n; i++) sample.sorted[i] = sample.sorted[(int64_t)i * sample.n / n];
	sample.n = n;
	return sample;
}

/* The median of the number at an offset in the early runs; -1: not known. */
static int64_t median_at(const struct report *rep, const struct row *row, size_t offset) {
	struct sample sample = sample_of(row, offset, 1, last_early(rep));
	int64_t median = (int64_t)median_of(sample.sorted, sample.n);
	free(sample.sorted);
	return median;
}

/* Compute what the table shows, by the early runs, and the times that are tested. */
static void summarise(const struct report *rep, struct row *row) {
	struct sample all = sample_of(row, offsetof(struct run, ns), 1, last_early(rep));
	row->best = all.n ? (int64_t)all.sorted[0] : 0;
	row->worst = all.n ? (int64_t)all.sorted[all.n - 1] : 0;
	row->median = (int64_t)median_of(all.sorted, all.n);
	free(all.sorted);
	for (int i = 0; i < COUNTERS; i++)
		row->typical.counts[i] = median_at(rep, row, offsetof(struct run, counts[i]));
	row->typical.cpu_ns = median_at(rep, row, offsetof(struct run, cpu_ns));
	row->typical.start_ns = -1;
	for (int i = 0; i < row->nruns; i++) {
		int64_t start = row->runs[i].start_ns, least = row->typical.start_ns;
		if (start > 0) row->typical.start_ns = least < 0 ? start : min(least, start);
	}
	free(row->early.sorted);
	free(row->late.sorted);
	row->early = times_of(row, 1, last_early(rep));
	row->late = times_of(row, last_early(rep) + 1, INT64_MAX);
}

/* Rows that moved no data come first, then copies by their best run, then the rest; ties as in the table. */
static int compare_rows(const void *a, const void *b) {
	const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;
	const int64_t keys[][2] = {
		{ !is_timed(x->verdict.outcome), !is_timed(y->verdict.outcome) }, { is_copy(x), is_copy(y) },
		{ x->best, y->best }, { x->median, y->median }, { x->worst, y->worst }, { x - y, 0 },
	};
	return compare_keys(keys, LENGTH(keys));
}

/* Count the orders of n runs and m others that have Mann and Whitney's U = u, for u up to u_max;
 * *orders: C(m+n, n), all of them. The recurrence f(m, n, u) = f(m-1, n, u-n) + f(m, n-1, u) as the product
 * of (1 - x^(m+i)) / (1 - x^i) over i = 1 ... n (Andrews, The Theory of Partitions, 1976, ch. 3). Exact up to
 * 2^53. Allocated. */
static double *count_orders(int n, int others, int u_max, double *orders) {
	double *ways = allocate(u_max + 1, sizeof *ways);
	*orders = ways[0] = 1;
	for (int i = 1; i <= n; i++) {
		for (int k = u_max; k >= others + i; k--) ways[k] -= ways[k - others - i];
		for (int k = i; k <= u_max; k++) ways[k] += ways[k - i];
		*orders = *orders * (others + i) / i;
	}
	return ways;
}

/* A one-sided significance level, with the last critical value. */
struct test {
	double level;
	int n, others, u; /* n: 0 if there is none yet */
};

/* The largest u with P(U <= u) at most the level, below one half; -1: the runs are too few. */
static int critical(struct test *test, int n, int others) {
	int u_max = n * others / 2, u = -1;
	double all, sum = 0;
	if (n > 0 && test->n == n && test->others == others) return test->u;
	double *ways = count_orders(n, others, u_max, &all);
	double most = test->level * all * TOLERANCE; /* P may equal the level, on any machine */
	while (u < u_max && sum + ways[u + 1] <= most) sum += ways[++u];
	free(ways);
	*test = (struct test){ .level = test->level, .n = n, .others = others, .u = u };
	return u;
}

/* 2U of one sample against another: each pair of runs scores 2 if the first was faster, 1 for a tie. */
static int twice_u(const struct sample *sample, const struct sample *than) {
	int u = 0, faster = 0, upto = 0; /* of the other's runs: those faster; those at least as fast */
	for (int i = 0; i < sample->n; i++) {
		while (faster < than->n && than->sorted[faster] < sample->sorted[i]) faster++;
		while (upto < than->n && than->sorted[upto] <= sample->sorted[i]) upto++;
		u += 2 * (than->n - upto) + upto - faster;
	}
	return u;
}

/* True if the second sample is faster, by Mann and Whitney's exact test. */
static bool is_beaten(struct test *test, const struct sample *sample, const struct sample *by) {
	return twice_u(sample, by) <= 2 * critical(test, sample->n, by->n);
}

/* Hodges and Lehmann's estimate of a time relative to another, the median of all pairs' ratios (Lehmann,
 * Nonparametrics, 1975, ch. 2); and the interval that the test, at half of the level for each end, does not
 * exclude. */
static struct ratio ratio_of(double level, const struct sample *sample, const struct sample *to) {
	struct test test = { .level = level / 2 };
	int pairs = sample->n * to->n, drop = critical(&test, sample->n, to->n), n = 0;
	double *x = allocate(pairs, sizeof *x);
	struct ratio ratio = { .confidence = CONFIDENCE };
	for (int i = 0; i < sample->n; i++)
		for (int k = 0; k < to->n; k++) x[n++] = sample->sorted[i] / to->sorted[k];
	ratio.estimate = pairs > 0 ? median_of(x, pairs) : 0;
	if (pairs > 0 && drop >= 0) {
		ratio.low = x[drop];
		ratio.high = x[pairs - 1 - drop];
	}
	free(x);
	return ratio;
}

/* Returns ratio_of() two rows, by all of their rounds. */
static struct ratio ratio_of_rows(double level, const struct row *row, const struct row *to) {
	struct sample x = times_of(row, 1, INT64_MAX), y = times_of(to, 1, INT64_MAX);
	struct ratio ratio = ratio_of(level, &x, &y);
	free(x.sorted);
	free(y.sorted);
	return ratio;
}

static struct row *find_row(const struct report *rep, const char *name) {
	for (int i = 0; i < rep->nrows; i++)
		if (!strcmp(rep->rows[i].name, name)) return &rep->rows[i];
	return NULL;
}

/* The row of --baseline; NULL: none. */
static struct row *find_baseline(const struct report *rep) {
	return rep->baseline ? find_row(rep, rep->baseline) : NULL;
}

/* Find the fastest and the slowest run of the first step. Returns false if the row did not copy in each. */
static bool find_early(const struct row *row, int64_t rounds, int64_t *best, int64_t *worst) {
	int64_t n = 0;
	*best = *worst = 0;
	for (int i = 0; i < row->nruns; i++) {
		const struct run *run = &row->runs[i];
		if (run->round > rounds || run->verdict.outcome != COPIED) continue;
		*best = n ? min(*best, run->ns) : run->ns;
		*worst = n++ ? max(*worst, run->ns) : run->ns;
	}
	return n && n >= rounds;
}

/* Count the rows each of whose runs in the first step was faster than all of a row's. */
static int count_faster(const struct report *rep, const struct row *row) {
	int64_t best, worst, best_of_other, worst_of_other;
	int faster = 0;
	find_early(row, rep->rounds, &best, &worst);
	for (const struct row *other = rep->rows; other < rep->rows + rep->nrows; other++)
		faster += find_early(other, rep->rounds, &best_of_other, &worst_of_other)
		    && worst_of_other < best;
	return faster;
}

/* Find the rows in question: all, if few rows copied or none runs on after the first step; else the commands,
 * the baseline, a plain loop, and each row unless two others were faster in every pair of runs. */
static void find_finalists(struct report *rep, bool runs_on) {
	bool few = !runs_on || rep->rounds >= ROUNDS_FINAL;
	int64_t best, worst;
	int copies = 0;
	for (int i = 0; i < rep->nrows; i++) copies += find_early(&rep->rows[i], rep->rounds, &best, &worst);
	few |= copies < GUESS_ROWS;
	for (struct row *row = rep->rows; row < rep->rows + rep->nrows; row++) {
		bool asked = row->command || row == find_baseline(rep) || !strcmp(row->name, PLAIN_LOOP);
		row->finalist = few || asked || count_faster(rep, row) < 2;
	}
}

/* True if a row ran on after the first step. */
static bool has_later_rounds(const struct report *rep) {
	for (const struct row *row = rep->rows; row < rep->rows + rep->nrows; row++)
		for (int i = 0; i < row->nruns; i++)
			if (row->runs[i].round > rep->rounds) return true;
	return false;
}

/* True if the row may be the fastest: no other row beats it (Gupta 1965). If the runs are too few for the
 * test: no two others were faster in every pair of runs; with few rows or runs, the first row was not. */
static bool may_be_fastest(const struct report *rep, struct test *test, const struct row *row) {
	const struct summary *sum = &rep->summary;
	bool few = sum->guess && (sum->tested < GUESS_ROWS || sum->runs < GUESS_RUNS);
	int beaten = 0;
	for (int i = 0; i < rep->nrows && beaten < 2; i++) {
		const struct row *other = rep->ranked[i];
		if (!is_tested(other)) continue;
		if (!sum->guess) beaten += 2 * is_beaten(test, &row->early, &other->early);
		else beaten += other->worst < row->best ? 1 + few : 0;
		if (few) break;
	}
	return beaten < 2;
}

/* Rank the rows by what the table shows. */
static void sort_rows(struct report *rep) {
	struct summary *sum = &rep->summary;
	rep->ranked = realloc(rep->ranked, max(rep->nrows, 1) * sizeof *rep->ranked);
	if (!rep->ranked) die_errno("memory", ENOMEM, "realloc");
	sum->commands_alone = true;
	for (int i = 0; i < rep->nrows; i++) {
		rep->ranked[i] = &rep->rows[i];
		summarise(rep, &rep->rows[i]);
		sum->commands_alone &= rep->rows[i].command != NULL;
		sum->fine |= is_timed(rep->rows[i].verdict.outcome) && rep->rows[i].best < FINE_BELOW;
	}
	qsort(rep->ranked, rep->nrows, sizeof *rep->ranked, compare_rows);
	for (int i = rep->nrows - 1; i >= 0; i--)
		if (is_ranked(rep->ranked[i])) sum->first = rep->ranked[i];
}

/* Mark the rows that may be the fastest. */
static void mark_rows(struct report *rep) {
	struct summary *sum = &rep->summary;
	for (struct row *row = rep->rows; row < rep->rows + rep->nrows; row++) {
		if (!is_tested(row)) continue;
		sum->runs = (int)(sum->tested ? min(sum->runs, row->early.n) : row->early.n);
		sum->tested++;
	}
	struct test test = { .level = LEVEL / (double)max(1, sum->tested - 1) };
	sum->guess = sum->tested > 1 && critical(&test, sum->runs, sum->runs) < 0;
	sum->least = INT64_MAX;
	for (struct row *row = rep->rows; row < rep->rows + rep->nrows; row++) {
		row->marked = is_tested(row) && may_be_fastest(rep, &test, row);
		sum->marked += row->marked;
		if (row->marked && !row->command) sum->least = min(sum->least, row->median);
	}
}

/* True of a row that may be used: may be the fastest, is not a command, and does not stall in most runs. */
static bool is_usable(const struct report *rep, const struct row *row) {
	int stalled = 0;
	for (int i = 0; i < row->early.n; i++)
		stalled += row->early.sorted[i] > STALLED * (double)rep->summary.least;
	return row->marked && !row->command && stalled < STALLS * row->early.n;
}

/* Find the row to use: the first usable one, else the first in question that is not a command. NULL: none. */
static struct row *find_winner(const struct report *rep) {
	struct row *first = NULL;
	for (int i = rep->nrows - 1; i >= 0; i--)
		if (is_tested(rep->ranked[i]) && !rep->ranked[i]->command) first = rep->ranked[i];
	for (int i = 0; i < rep->nrows; i++)
		if (is_usable(rep, rep->ranked[i])) return rep->ranked[i];
	return first;
}

/* Find the user's row: the command with the smallest median, else a plain loop. NULL: neither. */
static struct row *find_own(const struct report *rep) {
	struct row *own = NULL, *usual = find_row(rep, PLAIN_LOOP);
	for (struct row *row = rep->rows; row < rep->rows + rep->nrows; row++)
		if (row->command && is_tested(row) && (!own || row->median < own->median)) own = row;
	return own || !is_ranked(usual) ? own : usual;
}

/* Returns row's speed relative to own's: by the third step, or if it is too short by all rounds. */
static struct ratio gain_of(const struct row *own, const struct row *row) {
	if (min(own->late.n, row->late.n) >= LATE_LEAST) return ratio_of(LEVEL, &own->late, &row->late);
	struct ratio gain = ratio_of_rows((100 - CHOSEN_CONFIDENCE) / 100.0, own, row);
	gain.confidence = CHOSEN_CONFIDENCE;
	return gain;
}

/* Decide between the user's row and the winner: it must save more than the start of the user's command. */
static enum answer decide(const struct report *rep) {
	const struct summary *sum = &rep->summary;
	const struct row *own = sum->own, *winner = sum->winner;
	if (sum->commands_alone || (!own && !winner)) return NOTHING;
	if (!winner) return KEEP;
	bool few = sum->guess || sum->runs < 2;
	if (few || (own && own != winner && sum->gain.low <= 0)) return MORE;
	if (!own || !own->command) return USE;
	double copying = 1 - (double)max(0, own->typical.start_ns) / (double)own->median;
	return sum->gain.low * copying > 1 ? USE : KEEP;
}

/* Rank the rows, mark those that may be the fastest, and find what to keep, or to use. */
static void rank(struct report *rep) {
	struct summary *sum = &rep->summary;
	*sum = (struct summary){ .answer = NOTHING };
	sort_rows(rep);
	mark_rows(rep);
	if (rep->baseline) return;
	sum->own = find_own(rep);
	sum->winner = find_winner(rep);
	if (sum->own && sum->winner) sum->gain = gain_of(sum->own, sum->winner);
	sum->answer = decide(rep);
	if (sum->answer == USE && sum->own && sum->own->command && sum->own->marked) {
		sum->own->marked = false; /* shown to be slower */
		sum->marked--;
	}
}

/* True of a command that is compared with the baseline. */
static bool is_compared(const struct report *rep, const struct row *row) {
	return rep->baseline && row->command && strcmp(row->name, rep->baseline) != 0;
}

/* Judge a command by the interval: slower if it is above the limit, not slower if narrow and below. */
static enum change judge_command(const struct report *rep, const struct row *row) {
	double limit = 1 + rep->limit / 100;
	const struct row *to = find_baseline(rep);
	if (!rep->limit || !to || to->verdict.outcome >= FAILED) return UNCOMPARED;
	if (row->verdict.outcome >= FAILED) return UNUSABLE;
	if (row->against.low > limit) return SLOWER;
	bool narrow = 100 * (row->against.high - row->against.low) <= WIDEST * rep->limit * TOLERANCE;
	return row->against.low > 0 && row->against.high < limit && narrow ? NOT_SLOWER : UNDECIDED;
}

/* Compare commands with the baseline by all rounds. Intervals hold for all commands and sizes together. */
static void judge_commands(struct report *reports, int n) {
	for (struct report *rep = reports; rep < reports + n; rep++) {
		const struct row *to = find_baseline(rep);
		int commands = 0;
		for (int i = 0; i < rep->nrows; i++) commands += is_compared(rep, &rep->rows[i]);
		double level = LEVEL / (double)max(1, commands * n);
		for (struct row *row = rep->rows; row < rep->rows + rep->nrows; row++) {
			if (!is_compared(rep, row)) continue;
			bool timed = to && is_timed(to->verdict.outcome) && is_timed(row->verdict.outcome);
			row->against = (struct ratio){ .estimate = 0 };
			if (timed && !starts_up(row) && !starts_up(to))
				row->against = ratio_of_rows(level, row, to);
			row->change = judge_command(rep, row);
		}
	}
}

/* Returns the exit status: the baseline failed, else a command is slower or failed, else one is undecided. */
static int gate_status(const struct report *reports, int n) {
	int failed = 0, slower = 0, open = 0;
	for (const struct report *rep = reports; rep < reports + n; rep++) {
		const struct row *to = rep->limit ? find_baseline(rep) : NULL;
		failed += to && to->verdict.outcome >= FAILED;
		for (int i = 0; to && i < rep->nrows; i++) {
			slower += rep->rows[i].change == SLOWER || rep->rows[i].change == UNUSABLE;
			open += rep->rows[i].change == UNDECIDED;
		}
	}
	if (failed) return EXIT_FAILED_ROW;
	if (slower) return EXIT_SLOWER;
	return open ? EXIT_UNDECIDED : 0;
}

/* Compare each row that is ranked in two reports. Intervals hold for all rows in question together. */
static void find_changes(struct report *rep, const struct report *old) {
	int pairs = 0;
	for (int i = 0; i < rep->nrows; i++) {
		const struct row *was = find_row(old, rep->rows[i].name);
		pairs += is_tested(&rep->rows[i]) && was && is_tested(was);
	}
	for (struct row *row = rep->rows; row < rep->rows + rep->nrows; row++) {
		const struct row *was = find_row(old, row->name);
		row->change = UNCOMPARED;
		row->against = (struct ratio){ .estimate = 0 };
		if (!was || !is_ranked(row) || !is_ranked(was)) continue;
		row->against = ratio_of(LEVEL / (double)max(1, pairs), &row->early, &was->early);
		double change = 100 * row->against.estimate - 100;
		bool few = !row->finalist || !was->finalist || row->against.low <= 0;
		row->change = few ? TOO_FEW : SAME;
		if (!few && change >= NO_CHANGE && row->against.low > 1) row->change = SLOWER;
		if (!few && -change >= NO_CHANGE && row->against.high < 1) row->change = FASTER;
	}
}

/* ==== Measure: nothing here compares or prints figures ======================================== */

/* ---- Children: processes behind pipes and sockets; commands; and signals --------------------- */

#define TERM_DELAY (200 * MILLISECOND) /* before SIGTERM for a child whose work is not needed */
#define KILL_GRACE (500 * MILLISECOND) /* from SIGTERM to SIGKILL */
#define LOST_GRACE SECOND              /* from SIGKILL until the session ends without the child */
#define CHILD_POLL (20 * MILLISECOND)  /* between looks at a child; SIGCHLD ends it early. Shorter than the
                                        * interval of stop(): musl restarts sigtimedwait(2) */
#define FDS_MAX 1024                   /* descriptors that a child of ours closes */
#define STDERR_SHOWN 99                /* characters of a line of standard error */
enum { RUNNING_MAX = 4 };              /* children at a time: of input, two outputs, and a row's command */

struct child {
	pid_t pid;       /* 0: none */
	int status;      /* after its end, from wait(2); 0 also if we terminated it */
	int start_fd;    /* write a byte to start the child, close to end it; -1: it does not wait */
	int stderr_fd;   /* its standard error, a file in memory; -1: none */
	int64_t cpu_ns;  /* after its end: user and system time, nanoseconds */
	const char *call;  /* the failed call, if the child could not be started */
};

/* Variables of a command, with the names of its ends. */
enum { NAME_IN, NAME_OUT, NAME_TEE, NAMES };
static const char *const end_variables[] = { "IN", "OUT", "TEE" };

/* A command to start. */
struct command {
	const char *text;      /* in the syntax of sh */
	int in_fd, out_fd;     /* its standard input and output */
	bool waits;            /* for start_child() */
	int64_t len;           /* in $SIZE, bytes; 0: not known */
	bool limited;          /* limit files to max(len, 1 MiB) + 1 bytes: the input is endless */
	char *end_names[NAMES]; /* names of the ends in $IN, $OUT and $TEE; NULL: none; allocated */
};

/* The command of a --with row, its process, and the final offset of the output; -1: not a file. */
struct job {
	struct command to_start;
	struct child process;
	int64_t reached;
};

static const struct child no_child = { .start_fd = -1, .stderr_fd = -1 };
static volatile pid_t running[RUNNING_MAX]; /* session leaders; 0: none */
static volatile int64_t caught_at; /* when the session was interrupted: now() */
static volatile bool in_progress; /* a progress line is on the terminal */

/* Signals that end a session, with a report and status 128 + number. If ignored, SIGHUP stays so (nohup(1)),
 * but SIGINT does not, which shells ignore in the background. */
static const int ending_signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU };

/* "signal 15 (Terminated)" */
static struct words signal_name(int number) { return fmt("signal %d (%s)", number, strsignal(number)); }

/* Each child leads a process group, so that signals reach pipelines; a new one may not lead it yet. */
static void kill_group(pid_t leader, int number) {
	if (kill(-leader, number) && errno == ESRCH) kill(leader, number);
}

static void on_alarm(UNUSED int number) {}

/* Stop: terminate the children, and interrupt blocking calls repeatedly, since the signal may come just
 * before one. All calls are async-signal-safe (signal-safety(7)), or bare system calls. */
static void stop(int why) {
	static const struct itimerval often = { { 0, 50000 }, { 0, 50000 } };
	static const struct sigaction alarm = { .sa_handler = on_alarm };
	int err = errno;
	if (caught) return;
	caught_at = now();
	caught = why;
	for (int i = 0; i < RUNNING_MAX; i++)
		if (running[i]) kill_group(running[i], SIGTERM);
	sigaction(SIGALRM, &alarm, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	errno = err;
}

/* Install the handlers. Signals interrupt calls, without restart, so that the copy ends at once. Ignore
 * SIGPIPE and SIGXFSZ: EPIPE and EFBIG end only the row. Unblock signals, since some CI runners block them;
 * block SIGCHLD, for which await_child_change() waits. Adopt the orphans of commands. */
static void catch_signals(void) {
	const struct sigaction ending = { .sa_handler = stop };
	const struct sigaction bus = { .sa_sigaction = on_bus, .sa_flags = SA_SIGINFO | SA_NODEFER };
	struct sigaction old;
	sigset_t blocked;
	for (int i = 0; i < LENGTH(ending_signals); i++) {
		sigaction(ending_signals[i], NULL, &old);
		bool ignored = ending_signals[i] == SIGHUP && old.sa_handler == SIG_IGN;
		if (!ignored) sigaction(ending_signals[i], &ending, NULL);
	}
	sigaction(SIGBUS, &bus, NULL);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGCHLD);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	prctl(PR_SET_CHILD_SUBREAPER, 1UL);
}

/* Print a part of the progress line, unless that would block. */
static void print_progress(const char *text) {
	struct pollfd room = { .fd = STDERR_FILENO, .events = POLLOUT };
	if (poll(&room, 1, 0) > 0) emit(STDERR_FILENO, text, strlen(text));
}

static void clear_progress(void) {
	if (in_progress) print_progress("\r\033[K");
	in_progress = false;
}

/* dup2 or exit: never run a child on our own stdio. */
static void replace_fd(int from, int to) {
	while (dup2(from, to) < 0)
		if (errno != EINTR) _exit(errno);
}

/* Set up the child: a session of its own, so that nothing waits for the terminal; signals as usual, but our
 * own processes see EPIPE; in_fd, out_fd (-1: closed) and err_fd as 0, 1 and 2. */
static void become_child(pid_t parent, int in_fd, int out_fd, int err_fd, bool is_command) {
	sigset_t none;
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) _exit(127);
	for (int i = 0; i < LENGTH(ending_signals); i++) signal(ending_signals[i], SIG_DFL);
	signal(SIGBUS, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	if (is_command) signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	replace_fd(in_fd, STDIN_FILENO);
	if (out_fd >= 0) replace_fd(out_fd, STDOUT_FILENO);
	else close(STDOUT_FILENO);
	replace_fd(err_fd, STDERR_FILENO);
}

/* Forget a child that has ended. */
static void drop_child(struct child *child) {
	close_fd(&child->stderr_fd);
	*child = no_child;
}

/* Fork. The child dies with us; it may wait for start_child(). Unless it is a command, it closes all other
 * descriptors: a pipe's end left open would delay the reader's EOF. Returns 0 in the child, -1 with errno. */
static pid_t fork_child(struct child *child, int in_fd, int out_fd, bool waits, bool is_command) {
	pid_t parent = getpid(), pid = -1;
	int start[2] = { -1, -1 }, slot = 0;
	sigset_t all, old;
	char go;
	drop_child(child);
	child->call = "memfd_create";
	child->stderr_fd = memfd_create("standard error", MFD_CLOEXEC);
	while (slot < RUNNING_MAX - 1 && running[slot]) slot++;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old); /* until it is in running[], and has no handlers */
	if (child->stderr_fd >= 0) child->call = "pipe2";
	if (child->stderr_fd >= 0 && (!waits || !pipe2(start, O_CLOEXEC))) {
		child->call = "fork";
		pid = fork();
	}
	int err = errno;
	if (pid) {
		if (pid > 0) child->pid = running[slot] = pid;
		if (pid > 0 && caught) kill_group(pid, SIGTERM);
		close_fd(&start[0]);
		child->start_fd = start[1];
		sigprocmask(SIG_SETMASK, &old, NULL);
		errno = err;
		return pid;
	}
	close_fd(&start[1]);
	become_child(parent, in_fd, out_fd, child->stderr_fd, is_command);
	for (int fd = 3; fd < FDS_MAX && !is_command; fd++)
		if (fd != start[0]) close(fd);
	if (waits && read(start[0], &go, 1) != 1) _exit(0);
	if (!is_command) close_fd(&start[0]);
	return 0;
}

/* Start a command. Without shell syntax, exec directly: a shell doubles the start-up time. If the program
 * is not found, use the shell for its message. Returns -1 with errno after a failure. */
static pid_t start_command(struct child *child, const struct command *spec) {
	pid_t pid = fork_child(child, spec->in_fd, spec->out_fd, spec->waits, true);
	if (pid) return pid;
	rlim_t most = (rlim_t)max(spec->len, M) + 1;
	if (spec->limited) setrlimit(RLIMIT_FSIZE, &(struct rlimit){ most, most });
	char *rest = format_text("%s", spec->text), *word;
	char **words = allocate(strlen(rest) + 2, sizeof *words);
	int n = 0;
	while ((word = strsep(&rest, " \t")))
		if (*word) words[n++] = word;
	unsetenv("SIZE");
	unsetenv("TEE");
	if (spec->len > 0) setenv("SIZE", fmt("%" PRId64, spec->len).str, 1);
	for (int i = 0; i < NAMES; i++)
		if (spec->end_names[i]) setenv(end_variables[i], spec->end_names[i], 1);
	if (!needs_shell(spec->text)) execvp(*words, words);
	execl("/bin/sh", "sh", "-c", spec->text, (char *)NULL);
	_exit(127); /* as sh if it can't execute */
}

/* True if a command gets the nth name: TEE with two outputs, the others if its text contains them. */
static bool is_named_to(const char *command, int nth, int nout) {
	return nth == NAME_TEE ? nout > 1 : has_word(command, end_variables[nth]);
}

/* Let a waiting child begin, or end it. */
static void start_child(struct child *child, bool starts) {
	if (starts && child->start_fd >= 0) RETRY(write(child->start_fd, "", 1));
	close_fd(&child->start_fd);
}

/* Wait until a child ends, for CHILD_POLL at most. */
static void await_child_change(void) {
	const struct timespec nap = { .tv_nsec = CHILD_POLL };
	sigset_t ended;
	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD); /* pending while it is blocked, though its default is to be ignored */
	sigtimedwait(&ended, NULL, &nap);
}

/* Wait until a child has ended, without reaping it: up to the deadline, or if its work is needed also until
 * we are to stop. Returns false if it has not ended. */
static bool await_end(const struct child *child, int64_t deadline, bool needed) {
	siginfo_t ended = { .si_pid = 0 };
	while (!waitid(P_PID, child->pid, &ended, WEXITED | WNOWAIT | WNOHANG) && !ended.si_pid) {
		if (now() >= deadline || (needed && caught)) return false;
		await_child_change();
	}
	return true;
}

/* Wait for a child; end it if its work is not needed, or once we are to stop. Then kill and reap the rest of
 * its group, orphans included. Stop the session if a process survives SIGKILL (root's, frozen, or blocked in
 * the kernel): it may still write to the output. */
static void wait_child(struct child *child, bool needed) {
	struct rusage used = { 0 };
	pid_t pid = child->pid, reaped;
	start_child(child, false);
	if (!pid) return;
	bool ended = await_end(child, needed ? INT64_MAX : now() + TERM_DELAY, needed || caught);
	if (!ended) {
		kill_group(pid, SIGTERM);
		await_end(child, (caught ? caught_at : now()) + KILL_GRACE, false);
	}
	kill_group(pid, SIGKILL);
	int64_t deadline = now() + LOST_GRACE;
	bool gone = await_end(child, deadline, false);
	for (int i = 0; i < RUNNING_MAX; i++) /* before its number may be another process's */
		if (running[i] == pid) running[i] = 0;
	child->pid = 0;
	if (gone && RETRY(wait4(pid, &child->status, 0, &used)) < 0) child->status = errno << 8;
	while (gone && (reaped = waitpid(-pid, NULL, WNOHANG)) >= 0) {
		if (!reaped) await_child_change();
		gone = reaped || now() < deadline;
	}
	if (!gone) {
		clear_progress();
		warn("process group %d: can't be ended by SIGKILL: end it, or thaw it", (int)pid);
		stop(CHILD_LOST);
	}
	if (!ended || caught) child->status = 0;
	child->cpu_ns = (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * SECOND
	    + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * MICROSECOND;
}

/* The time that this thread was ready but did not run, nanoseconds; -1: not known (sched-stats.rst). */
static int64_t read_delay(void) {
	int64_t delay;
	char line[128];
	bool known = read_line("/proc/self/schedstat", line, sizeof line)
	    && sscanf(line, "%*d %" SCNd64, &delay) == 1;
	return known ? delay : -1;
}

/* "exit status 1", "killed by SIGSEGV". */
static struct words status_text(int status) {
	if (WIFSIGNALED(status)) return fmt("killed by %s", signal_name(WTERMSIG(status)).str);
	return fmt("exit status %d", WEXITSTATUS(status));
}

/* Returns the first line of a child's standard error, and the last if it differs, truncated. Allocated. */
static char *child_words(const struct child *child) {
	char head[2 * STDERR_SHOWN + 1] = "", tail[STDERR_SHOWN + 1] = "", *last = head, *next;
	int64_t size = child->stderr_fd < 0 ? 0 : max(lseek(child->stderr_fd, 0, SEEK_END), 0);
	bool whole = size < (int64_t)sizeof head;
	full_pread(child->stderr_fd, (unsigned char *)head, whole ? size : STDERR_SHOWN, 0);
	if (!whole) full_pread(child->stderr_fd, (unsigned char *)tail, STDERR_SHOWN, size - STDERR_SHOWN);
	if (!whole) last = tail;
	for (char *end = last + strlen(last); end > last && strchr("\r\n", end[-1]);) *--end = '\0';
	while ((next = strpbrk(last, "\r\n"))) last = next + 1;
	head[strcspn(head, "\r\n")] = '\0';
	return *last && last != head ? format_line("%s ... %s", head, last) : format_line("%s", head);
}

/* Splice the spool into the pipe, until its end or EPIPE. The exit status is an errno. */
__attribute__((noreturn)) static void feed(int64_t len) {
	loff_t at = 0;
	while (at < len) {
		ssize_t n = splice(STDIN_FILENO, &at, STDOUT_FILENO, NULL, min(len - at, CALL_MAX), 0);
		if (n == 0) _exit(EIO);
		if (n < 0 && errno == EPIPE) break; /* its reader is judged */
		if (n < 0 && errno != EINTR) _exit(errno);
	}
	_exit(0);
}

/* Compare a copy (a file by offset, a stream to EOF) with the first len bytes of a file. Returns the offset
 * of the first byte wrong, missing, or surplus in a stream; EMPTY if a stream has no byte; else
 * NO_DIFFERENCE, also after a signal or a failure, whose errno is *failed. */
static int64_t compare(int copy_fd, bool streamed, int expected_fd, int64_t len, int *failed) {
	static unsigned char found[CHUNK], expected[CHUNK];
	int64_t at = 0, wrong = NO_DIFFERENCE;
	while (!caught && (streamed || (wrong < 0 && at < len))) {
		int64_t room = streamed ? CHUNK : min(CHUNK, len - at);
		if (!streamed) memset(found, ~POISON, room);
		ssize_t n = streamed ? RETRY(read(copy_fd, found, room))
		    : full_pread(copy_fd, found, room, at);
		ssize_t want = min(n, len - at), have = 0;
		if (want > 0 && wrong < 0) {
			memset(expected, POISON, want);
			have = full_pread(expected_fd, expected, want, at);
		}
		if (n < 0 || have < 0) *failed = errno;
		if (n <= 0 || have < 0) break;
		ssize_t same = memcmp(expected, found, have) ? 0 : have;
		while (same < have && expected[same] == found[same]) same++;
		if (wrong < 0 && same < n) wrong = at + same;
		at += n;
	}
	if (*failed || caught) return NO_DIFFERENCE;
	if (streamed && at == 0) return EMPTY;
	return wrong < 0 && at < len ? at : wrong;
}

/* The comparing process: reads the copy from standard output, the input from standard input, and writes the
 * answer of compare() to standard error. The exit status is an errno. */
__attribute__((noreturn)) static void compare_stream(int64_t len) {
	int err = 0;
	int64_t wrong = compare(STDOUT_FILENO, true, STDIN_FILENO, len, &err);
	_exit(err ? err : full_write(STDERR_FILENO, (unsigned char *)&wrong, sizeof wrong));
}

/* Timed from fork to exit. Bytes copied are unknown; verification decides. */
static bool copy_command(struct copy *c) {
	struct job *job = c->job;
	job->to_start.in_fd = c->in;
	job->to_start.out_fd = c->out[0];
	if (caught) return true;
	if (start_command(&job->process, &job->to_start) < 0) return fail(c, errno, job->process.call);
	wait_child(&job->process, true);
	job->reached = has_type(c->out[0], S_IFREG) ? lseek(c->out[0], 0, SEEK_CUR) : -1;
	if (!job->process.status) c->done = c->len;
	return true;
}

static const struct method command_method = { copy_command, ANY, ANY, MAY_SHARE, "fork, exec, wait", NULL, "",
	"fork(), execve(COMMAND), wait4()", "" };
/* For all --with rows: the command is the row's. */
static const struct strategy command_strategy = { "$", &command_method, 0, PLAIN, "itself" };

/* ---- Network: TCP connections on loopback, and the process at their other side --------------- */

#define RECEIVE_BLOCK (256 * K)  /* bytes per read of the receiver */
#define QUEUE_POLL 10000         /* nanoseconds between checks that poll(2) can't replace */

/* Sleep until the clock shows deadline, or until a signal asks us to stop. */
static void sleep_until(int64_t deadline) {
	struct timespec t = { .tv_sec = deadline / SECOND, .tv_nsec = deadline % SECOND };
	while (!caught && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {}
}

/* Create a connected pair, fds[1] ours: TCP on loopback, or UNIX. */
static bool connect_pair(struct copy *c, int family, int fds[2]) {
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	struct sockaddr *address = (struct sockaddr *)&at;
	socklen_t size = sizeof at;
	if (family == AF_UNIX)
		return !socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds)
		    || fail(c, errno, "socketpair");
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	fds[1] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool good = listener >= 0 && fds[1] >= 0 && !bind(listener, address, size) && !listen(listener, 1)
	    && !getsockname(listener, address, &size) && !RETRY(connect(fds[1], address, size));
	if (good) fds[0] = RETRY(accept4(listener, NULL, NULL, SOCK_CLOEXEC));
	int err = errno;
	close_fd(&listener);
	return (good && fds[0] >= 0) || fail(c, err, "connect on loopback");
}

/* The receiver: send a byte when ready, read to EOF, send the count of bytes. Exit status: an errno. */
__attribute__((noreturn)) static void receive_stream(void) {
	static unsigned char block[RECEIVE_BLOCK];
	int64_t bytes = 0;
	memset(block, POISON, sizeof block); /* prefault: no byte waits yet */
	ssize_t n = full_write(STDIN_FILENO, block, 1) ? -1 : 1;
	while (n > 0 && (n = RETRY(read(STDIN_FILENO, block, sizeof block))) > 0) bytes += n;
	_exit(n < 0 ? errno : full_write(STDIN_FILENO, (unsigned char *)&bytes, sizeof bytes));
}

/* ---- Places: where a file lives, for headings and the environment ---------------------------- */

struct location {
	char fs_name[512];   /* "Ext3+dmcrypt", "tmpfs /dev/shm" */
	const char *medium;  /* NULL: unknown */
	bool virtual;        /* a hypervisor provides the medium */
	char *mount;         /* "ext4 rw,relatime,data=ordered"; NULL: unknown */
	char *words;         /* kind and location, for reports; allocated */
};

/* Append to a location's name, truncated to its size. */
#define add_name(p, ...) add_text(p, format_text(__VA_ARGS__))
static void add_text(struct location *loc, char *text) {
	size_t used = strlen(loc->fs_name);
	snprintf(loc->fs_name + used, sizeof loc->fs_name - used, "%s", text);
	free(text);
}

static void find_location(int fd, struct location *loc, int depth); /* a loop device lies on a file */

static bool read_device(dev_t dev, const char *file, char *line, size_t size) {
	return read_line(fmt("/sys/dev/block/%u:%u/%s", major(dev), minor(dev), file).str, line, size);
}

/* Find the device below dev: the first device of a mapping, or the disk of a partition. */
static bool find_lower(dev_t dev, const char *where, dev_t *lower) {
	struct words pattern = fmt("/sys/dev/block/%u:%u/%s", major(dev), minor(dev), where);
	char text[32];
	unsigned maj, min;
	glob_t paths;
	if (glob(pattern.str, 0, NULL, &paths)) return false;
	bool found = read_line(*paths.gl_pathv, text, sizeof text) && sscanf(text, "%u:%u", &maj, &min) == 2;
	if (found) *lower = makedev(maj, min);
	globfree(&paths);
	return found;
}
static bool find_slave(dev_t dev, dev_t *slave) { return find_lower(dev, "slaves/*/dev", slave); }

/* Name a file system's device and those below it, down to the medium. */
static void find_device(dev_t dev, struct location *loc, int depth) {
	char path[128], text[2048], link[512];
	dev_t slave;
	if (read_device(dev, "dm/uuid", text, sizeof text)) {
		const char *kind = strncmp(text, "LVM-", 4) ? "+dm" : "+lvm";
		add_name(loc, "%s", strncmp(text, "CRYPT-", 6) ? kind : "+dmcrypt");
	}
	if (read_device(dev, "loop/backing_file", text, sizeof text)) {
		struct location backing = { .fs_name = "" };
		int fd = open(text, O_PATH | O_CLOEXEC);
		add_name(loc, "+loop");
		if (fd >= 0 && depth > 0) find_location(fd, &backing, depth - 1);
		loc->medium = backing.medium;
		loc->virtual = backing.virtual;
		free(backing.mount);
		close_fd(&fd);
	} else if (depth > 0 && find_slave(dev, &slave)) {
		find_device(slave, loc, depth - 1);
	} else if (read_device(dev, "queue/rotational", text, sizeof text)
	    || read_device(dev, "../queue/rotational", text, sizeof text)) { /* a partition: its disk's */
		snprintf(path, sizeof path, "/sys/dev/block/%u:%u", major(dev), minor(dev));
		link[max(0, readlink(path, link, sizeof link - 1))] = '\0';
		loc->virtual = strstr(link, "/virtio") || strstr(link, "/vbd-");
		loc->medium = *text == '1' ? "Hard Drive" : "SSD";
		if (strstr(link, "/zram") || strstr(link, "/ram")) loc->medium = "memory";
	}
}

/* Spelling and medium by the name in mountinfo: ext2, ext3 and ext4 share one magic number. */
static const struct {
	const char *fstype, *name, *medium;
} filesystems[] = {
	{ "ext2", "Ext2", NULL }, { "ext3", "Ext3", NULL }, { "ext4", "Ext4", NULL }, { "xfs", "XFS", NULL },
	{ "f2fs", "F2FS", NULL }, { "tmpfs", "tmpfs", "memory" }, { "ramfs", "ramfs", "memory" },
	{ "nfs", "NFS", "network" }, { "nfs4", "NFS", "network" }, { "cifs", "CIFS", "network" },
	{ "smb3", "SMB3", "network" }, { "ceph", "Ceph", "network" }, { "9p", "9p", "network" },
};

/* A line of /proc/self/mountinfo (proc_pid_mountinfo(5)). */
struct mount {
	char *line;          /* allocated; the strings below are in it */
	long mnt_id;
	unsigned major, minor;
	char *directory, *mount_options, *fstype, *device, *super_options;
};

/* Split a line at each blank, since fields may be empty. */
static bool split_mount(char *line, struct mount *m) {
	char *rest = line, *field;
	*m = (struct mount){ .line = line, .mnt_id = strtol(line, NULL, 10) };
	line[strcspn(line, "\n")] = '\0';
	for (int i = 0; (field = strsep(&rest, " ")) && (i < 6 || strcmp(field, "-")); i++) {
		if (i == 2 && sscanf(field, "%u:%u", &m->major, &m->minor) != 2) return false;
		if (i == 4) m->directory = field;
		if (i == 5) m->mount_options = field;
	}
	m->fstype = strsep(&rest, " ");
	m->device = strsep(&rest, " ");
	m->super_options = rest;
	return m->directory && m->mount_options && m->fstype && m->device && m->super_options;
}

static void describe_mount(struct mount *m, struct location *loc, int depth) {
	struct stat st;
	int i = 0;
	/* both begin with rw or ro */
	loc->mount = format_text("%s %s%s", m->fstype, m->mount_options, m->super_options
	    + strcspn(m->super_options, ","));
	while (i < LENGTH(filesystems) && strcmp(filesystems[i].fstype, m->fstype)) i++;
	bool known = i < LENGTH(filesystems);
	add_name(loc, "%.24s", known ? filesystems[i].name : m->fstype);
	loc->medium = known ? filesystems[i].medium : NULL;
	if (loc->medium) {
		if (!strcmp(loc->medium, "memory")) add_name(loc, " %s", m->directory);
	} else if (m->major != 0) {
		find_device(makedev(m->major, m->minor), loc, depth);
	} else if (!stat(m->device, &st) && S_ISBLK(st.st_mode)) { /* btrfs */
		find_device(st.st_rdev, loc, depth);
	}
}

/* Find the mount that a file was opened in. Free m->line, even after a failure. */
static bool find_mount(int fd, struct mount *m) {
	struct words path = fmt("/proc/self/fdinfo/%d", fd);
	int64_t id = read_number(path.str, "mnt_id");
	FILE *f = id ? fopen("/proc/self/mountinfo", "re") : NULL;
	char *line = NULL;
	size_t size = 0;
	bool found = false;
	while (f && !found && getline(&line, &size, f) > 0) found = split_mount(line, m) && m->mnt_id == id;
	if (f) fclose(f);
	m->line = line;
	return found;
}

/* Returns the device number of a file's mount, since each btrfs subvolume has its own st_dev; else st_dev. */
static dev_t device_of(int fd) {
	struct mount m;
	struct stat st;
	dev_t dev = 0;
	if (find_mount(fd, &m)) dev = makedev(m.major, m.minor);
	else if (!fstat(fd, &st)) dev = st.st_dev;
	free(m.line);
	return dev;
}

/* True if the file system of a file lies on a block device, or on a partition or a mapping of it. */
static bool lies_on(int fd, dev_t device) {
	struct mount m;
	struct stat st;
	dev_t dev = 0;
	bool known = find_mount(fd, &m);
	if (known && m.major) dev = makedev(m.major, m.minor);
	else if (known && !stat(m.device, &st) && S_ISBLK(st.st_mode)) dev = st.st_rdev; /* btrfs */
	free(m.line);
	while (dev != device && (find_slave(dev, &dev) || find_lower(dev, "../dev", &dev))) {}
	return dev == device;
}

static void find_location(int fd, struct location *loc, int depth) {
	struct mount m;
	if (find_mount(fd, &m)) describe_mount(&m, loc, depth);
	free(m.line);
}

/* Find a file of our cgroup (cgroups(7)) below /sys/fs/cgroup: of a controller of version 1, or "" for
 * version 2. In a container the mount may begin at our group. Returns path. */
static const char *cgroup_file(const char *controller, const char *name, char path[PATH_MAX]) {
	char *line = NULL;
	size_t room = 0;
	FILE *f = fopen("/proc/self/cgroup", "re");
	struct words key = fmt(":%s:/", controller);
	bool found = false;
	while (f && !found && getline(&line, &room, f) > 0) {
		char *group = line + strspn(line, "0123456789");
		if (strncmp(group, key.str, strlen(key.str))) continue;
		group += strlen(key.str);
		group[strcspn(group, "\n")] = '\0';
		snprintf(path, PATH_MAX, "/sys/fs/cgroup/%s/%s/%s", controller, group, name);
		found = !access(path, R_OK);
	}
	if (f) fclose(f);
	free(line);
	if (!found) snprintf(path, PATH_MAX, "/sys/fs/cgroup/%s/%s", controller, name);
	return path;
}

/* Returns the CPU quota of our cgroup (version 2), in CPUs; 0: no limit. */
static double read_quota(void) {
	char line[64], path[PATH_MAX];
	double quota = 0, period = 0;
	if (read_line(cgroup_file("", "cpu.max", path), line, sizeof line))
		sscanf(line, "%lf %lf", &quota, &period);
	return period > 0 ? quota / period : 0;
}

/* The bytes of memory that we may use: the machine's, or fewer by our cgroup's limit, of either version. */
static int64_t usable_memory(void) {
	char line[64], path[PATH_MAX];
	int64_t bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
	bool limited = read_line(cgroup_file("", "memory.max", path), line, sizeof line)
	    || read_line(cgroup_file("memory", "memory.limit_in_bytes", path), line, sizeof line);
	return limited && isdigit((unsigned char)*line) ? min(bytes, strtoll(line, NULL, 10)) : bytes;
}

/* Returns the number of usable CPUs: online, in our affinity mask, and within the quota. */
static int usable_cpus(double quota) {
	cpu_set_t mask; /* too small for more than 1024 CPUs: then all count */
	int64_t n = sysconf(_SC_NPROCESSORS_ONLN);
	if (!sched_getaffinity(0, sizeof mask, &mask)) n = min(n, CPU_COUNT(&mask));
	if (quota > 0 && quota < (double)n) n = (int64_t)quota + (quota > (double)(int64_t)quota);
	return (int)max(n, 1);
}

/* ---- Page cache: what of a file is in memory; and whose blocks it has ------------------------ */

#define EXTENTS_ASKED 1000      /* of an output, compared with the input's */
#define RESIDENT 0.99           /* share of a file in the page cache that counts as all */
#define FUSE_MAGIC 0x65735546   /* fs/fuse/inode.c */
#define CIFS_MAGIC 0xff534d42   /* SMB 1; not in the headers of Linux 5.15 and older */
#define SMB2_MAGIC 0xfe534d42   /* SMB 2 and later; not in these headers, either */
#define XFS_MAGIC 0x58465342    /* not in the headers of Linux 4.19 */

static bool is_on(int fd, uint32_t magic) {
	struct statfs fs;
	return !fstatfs(fd, &fs) && (uint32_t)fs.f_type == magic;
}

static bool is_on_one(int fd, const uint32_t *magics, int n) {
	for (int i = 0; i < n; i++)
		if (is_on(fd, magics[i])) return true;
	return false;
}

/* True if a server or a daemon stores the file, and may cache it, too. */
static bool is_served(int fd) {
	static const uint32_t served[] = { NFS_SUPER_MAGIC, FUSE_MAGIC, CIFS_MAGIC, SMB2_MAGIC };
	return is_on_one(fd, served, LENGTH(served));
}

/* Returns the cached bytes of a file, by mincore(2); -1: not known, as for other users' files. */
static int64_t count_resident(int fd, int64_t len) {
	static unsigned char resident[64 * K]; /* a byte per page */
	int64_t page = sysconf(_SC_PAGESIZE), window = sizeof resident * page, n = 0;
	struct stat st;
	bool ours = !fstat(fd, &st) && (st.st_uid == geteuid()
	    || !euidaccess(fmt("/proc/self/fd/%d", fd).str, W_OK));
	for (int64_t at = 0; at < len; at += window) {
		int64_t part = min(len - at, window);
		void *map = ours ? mmap(NULL, part, PROT_READ, MAP_SHARED, fd, at) : MAP_FAILED;
		if (map == MAP_FAILED) return -1;
		bool known = !mincore(map, part, resident);
		munmap(map, part);
		if (!known) return -1;
		for (int64_t i = 0; i * page < part; i++)
			if (resident[i] & 1) n += page;
	}
	return min(n, len);
}

/* True of a file on tmpfs or ramfs, with nothing to write back or evict. True also of a device,
 * since devtmpfs is a tmpfs: see has_memory(). */
static bool is_in_memory(int fd) { return is_on(fd, TMPFS_MAGIC) || is_on(fd, RAMFS_MAGIC); }

/* Evict a file. Dirty pages must be written first. */
static void evict(int fd) {
	fdatasync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

/* Read a file by large blocks, for large folios. Count zero pages, in bytes. Returns bytes, -1 with errno. */
static int64_t read_through(int fd, int64_t len, int64_t *zero_bytes) {
	enum { PAGE = 4096 };
	static unsigned char piece[M];
	int64_t at = 0;
	while (at < len && !caught) {
		ssize_t n = full_pread(fd, piece, min(len - at, M), at);
		if (n < 0) return -1;
		if (n == 0) break;
		for (ssize_t i = 0; i < n; i += PAGE)
			if (is_zero(piece + i, min(n - i, PAGE))) *zero_bytes += min(n - i, PAGE);
		at += n;
	}
	return at;
}

/* Find the extent that contains a byte, or the next extent. Flush the file first (FIEMAP_FLAG_SYNC,
 * Documentation/filesystems/fiemap.rst). Returns false if there is none, or FIEMAP fails. */
static bool find_extent(int fd, int64_t byte, struct fiemap_extent *ext) {
	union {
		struct fiemap fiemap;
		unsigned char space[sizeof(struct fiemap) + sizeof(struct fiemap_extent)];
	} ask = { .fiemap = { .fm_start = (uint64_t)byte, .fm_length = FIEMAP_MAX_OFFSET - (uint64_t)byte,
	    .fm_extent_count = 1, .fm_flags = FIEMAP_FLAG_SYNC } };
	/* a cast: the number has the sign bit, and musl's ioctl takes an int */
	if (ioctl(fd, (int)FS_IOC_FIEMAP, &ask.fiemap) || ask.fiemap.fm_mapped_extents == 0) return false;
	*ext = ask.fiemap.fm_extents[0];
	return true;
}

/* True if a file shares at least half of its bytes with another file of its file system: FIEMAP flags them as
 * shared, at the same physical offsets. The flag alone may be due to a snapshot. */
static bool shares_blocks(int fd, int other, int64_t len) {
	const uint32_t useless = FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_DATA_INLINE;
	struct fiemap_extent x, y;
	int64_t at = 0, shared = 0;
	if (device_of(fd) != device_of(other)) return false;
	for (int n = 0; n < EXTENTS_ASKED && at < len && find_extent(fd, at, &x); n++) {
		uint64_t begin = (uint64_t)max(at, (int64_t)x.fe_logical), end = x.fe_logical + x.fe_length;
		at = (int64_t)end;
		bool found = x.fe_flags & FIEMAP_EXTENT_SHARED && find_extent(other, (int64_t)begin, &y);
		if (!found || y.fe_logical > begin || (x.fe_flags | y.fe_flags) & useless) continue;
		at = (int64_t)min(end, y.fe_logical + y.fe_length);
		bool whole = x.fe_flags & FIEMAP_EXTENT_ENCODED; /* compressed: only its start is known */
		uint64_t apart = whole ? 0 : x.fe_logical - y.fe_logical;
		if (x.fe_physical == y.fe_physical + apart) shared += min(at, len) - begin;
	}
	return shared > 0 && 2 * shared >= min(at, len);
}

/* ---- Guards: what a copy or a report would destroy ------------------------------------------- */

/* The character devices of driver "mem" (Documentation/admin-guide/devices.txt, major 1). */
enum { MEM_NULL = 3, MEM_ZERO = 5, MEM_FULL = 7 };

static bool is_mem(const struct stat *st, unsigned minor_number) {
	return S_ISCHR(st->st_mode) && major(st->st_rdev) == 1 && minor(st->st_rdev) == minor_number;
}

/* True of a device that discards all bytes unread: writes to /dev/zero, too (drivers/char/mem.c). */
static bool discards_unread(const struct stat *st) { return is_mem(st, MEM_NULL) || is_mem(st, MEM_ZERO); }

/* True if a file is on a local file system, where an inode identifies a file. */
static bool is_local(int fd) {
	static const uint32_t local[] = { EXT4_SUPER_MAGIC, XFS_MAGIC, BTRFS_SUPER_MAGIC,
		F2FS_SUPER_MAGIC, MSDOS_SUPER_MAGIC, TMPFS_MAGIC };
	return is_on_one(fd, local, LENGTH(local));
}

/* True if inodes distinguish two files: on local file systems, or on one mount of an overlay. */
static bool tells_files(int fd, int other) {
	if (is_local(fd) && is_local(other)) return true;
	return is_on(fd, OVERLAYFS_SUPER_MAGIC) && device_of(fd) && device_of(fd) == device_of(other);
}

/* True if a descriptor to write refers to the same file as another, or to a file on that block device. */
static bool is_same(int fd, int other) {
	struct stat a, b;
	if (fd < 0 || other < 0) return false;
	if (fstat(fd, &a) || fstat(other, &b)) return true; /* unknown: assume the worst */
	if (S_ISBLK(b.st_mode) && S_ISREG(a.st_mode)) return lies_on(fd, b.st_rdev);
	return !S_ISCHR(a.st_mode) && same_inode(&a, &b);
}

/* True if a file to write may be another file under a second name: both begin with the same bytes, and inodes
 * don't distinguish them (overlayfs, FUSE, network file systems). */
static bool is_alias(int fd, int other) {
	static unsigned char bytes[2][64 * K];
	const int fds[] = { fd, other };
	ssize_t n[2];
	if (tells_files(fd, other) || !has_type(fd, S_IFREG) || !has_type(other, S_IFREG)) return false;
	for (int i = 0; i < LENGTH(fds); i++) {
		int own_fd = reopen(fds[i], O_RDONLY);
		n[i] = full_pread(own_fd, bytes[i], sizeof bytes[i], 0);
		close_fd(&own_fd);
		if (n[i] == 0) return false;
	}
	return n[0] < 0 || n[1] < 0 || !memcmp(bytes[0], bytes[1], min(n[0], n[1]));
}

/* Refuse a file to write that is, or may be, the file of another descriptor. */
static void check_other(const char *label, int fd, int other, const char *what) {
	if (is_same(fd, other)) die("%s: is also %s, or lies on it: use another file", label, what);
	if (is_alias(fd, other))
		die("%s: may be %s under another name, since it begins with the same bytes: remove it first",
		    label, what);
}

/* Lock a file until we exit, by a new description. Refuse a file that another session has locked. Lock only
 * on local file systems and overlays: on SMB locks are mandatory, and a server may see them. */
static void lock_output(const char *label, int fd) {
	if (!has_type(fd, S_IFREG) || !tells_files(fd, fd)) return;
	int own_fd = reopen(fd, O_RDONLY);
	if (own_fd < 0) own_fd = reopen(fd, O_WRONLY);
	if (own_fd >= 0 && flock(own_fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		die("%s: is an output of another " PROGRAM ": use another file", label);
}

/* True if a loop device lies on a file, according to /sys. */
static bool backs_loop(const struct stat *st) {
	char name[4000];
	struct stat file;
	glob_t paths;
	bool backs = false;
	if (glob("/sys/block/loop*/loop/backing_file", 0, NULL, &paths)) return false;
	for (size_t i = 0; i < paths.gl_pathc; i++)
		backs |= read_line(paths.gl_pathv[i], name, sizeof name) && !stat(name, &file)
		    && same_inode(&file, st);
	globfree(&paths);
	return backs;
}

static void check_device(const char *label, const struct stat *st) {
	if (S_ISCHR(st->st_mode) && !discards_unread(st) && !is_mem(st, MEM_FULL))
		die("%s: is a character device, which a copy may harm: use a file, /dev/null, zero or full, "
		    "or --into='cat >/dev/...'", label);
}

/* File systems that are kernel interfaces: writing to a file there is a command. Those without a name are
 * of fs/configfs/mount.c, fs/fuse/control.c, fs/nfsd/nfsctl.c. */
static const uint32_t interfaces[] = { PROC_SUPER_MAGIC, SYSFS_MAGIC, CGROUP_SUPER_MAGIC,
	CGROUP2_SUPER_MAGIC, DEBUGFS_MAGIC, TRACEFS_MAGIC, SECURITYFS_MAGIC, SELINUX_MAGIC, SMACK_MAGIC,
	EFIVARFS_MAGIC, 0x62656570, BPF_FS_MAGIC, BINFMTFS_MAGIC, 0x65735543, 0x6e667364,
	RDTGROUP_SUPER_MAGIC, PSTOREFS_MAGIC };

/* Refuse what a copy or a report would destroy, or send to the kernel or hardware. The kernel itself refuses
 * to write to active swap (ETXTBSY). */
static void check_use(const char *label, int fd) {
	struct stat st;
	if (fstat(fd, &st)) return;
	if (is_on_one(fd, interfaces, LENGTH(interfaces)))
		die("%s: is on a kernel interface like /proc: use another file", label);
	if (S_ISBLK(st.st_mode)) die("%s: is a block device: use a file", label);
	if (!isatty(fd)) check_device(label, &st);
	if (S_ISREG(st.st_mode) && backs_loop(&st))
		die("%s: is what a loop device lies on: use another file", label);
}

/* True if a name leads to the file of a descriptor. */
static bool leads_to(const char *name, int fd) {
	struct stat named, held;
	return !stat(name, &named) && !fstat(fd, &held) && same_inode(&named, &held);
}

/* The name of our descriptor for other processes, by our number in this /proc. Allocated. */
static char *name_fd(int fd) {
	char pid[32] = "";
	bool known = readlink("/proc/self", pid, sizeof pid - 1) > 0;
	return format_text("/proc/%s/fd/%d", known ? pid : "self", fd);
}

/* The path of a file; NULL: none leads to it. Allocated. */
static char *path_of(int fd) {
	char path[PATH_MAX] = "";
	bool found = readlink(fmt("/proc/self/fd/%d", fd).str, path, sizeof path - 1) > 0;
	return found && leads_to(path, fd) ? format_text("%s", path) : NULL;
}

/* ---- Endpoints: sources and sinks of a copy; a strategy sees only their descriptors ---------- */

struct endpoint {
	const struct endpoint_ops *ops; /* NULL: unusable, or no second output */
	const char *label;      /* for messages */
	const struct options *options;
	int user_fd, flags;     /* the user's descriptor, -1: none; its flags at the start */
	struct stat stat;       /* at the start; of an output file before the run */
	char *path;             /* of a file, at the start; NULL: none; allocated */
	char *new_name;         /* with --new, of the file that a command makes: in dir_fd; NULL: none */
	struct location location;
	int dir_fd;             /* of unnamed files: --new's, or a part of the input; -1: none */
	int data_fd;            /* to read the input or an output: a file, spool, part, --new's; -1: none */
	int run_fd;             /* this run's: user_fd, data_fd, a pipe, a connection, or a reopened file */
	struct child process;   /* the process at its other side */
	int64_t len;            /* of an input: bytes; -1: endless, or not known */
	bool watched;           /* of an input: count_resident() sees that it is cached */
	struct endpoint *input; /* of an output */
	enum fill fill;         /* of an output */
	bool unverified;        /* of an output: not verified yet: it must not hold a copy before the run */
	int64_t wrong;          /* of an output: compare()'s result, from the process at its other side */
};

/* To add an end: write its operations, and add them to sources[] or sinks[]. NULL: nothing to do. */
struct endpoint_ops {
	const char *name;
	enum kind kind;
	mode_t type;              /* S_IFMT of its files; 0: made by an option */
	const char *option_name;  /* the option that makes it; NULL: a descriptor */
	void (*open)(struct endpoint *); /* at the start: refuse unusable files */
	bool (*prepare)(struct endpoint *, struct copy *); /* untimed: get ready for a run */
	bool (*finish)(struct endpoint *, struct copy *); /* timed: what the clock waits for */
	const struct endpoint_ops *check; /* replaces an output that can't be compared, for one more copy */
	const char *stops_when;   /* the clock waits for this; NULL: see --until */
};

/* The content of an output file when a run begins. */
static const struct {
	const char *option_name;  /* that asks for it; NULL: none */
	const char *holds;
	const char *code;         /* calls before the advice, for --explain */
} fills[] = {
	[EMPTIED] = { NULL, "emptied before each run", "" },
	[REPLACED] = { "replace", "onto a full file, emptied inside the clock", "ftruncate(OUT, 0)" },
	[OVERWRITTEN] = { "overwrite", "over its old blocks, cached as the last run left them", "" },
	[RENEWED] = { "new", "into a new file each run",
	    "OUT = open(its directory, O_TMPFILE | O_RDWR), not timed" },
};

static bool is_file(const struct endpoint *e) { return e->ops->kind == KIND_FILE; }

/* True if the end is a file on tmpfs or ramfs. */
static bool has_memory(const struct endpoint *e) { return is_file(e) && is_in_memory(e->user_fd); }

static bool is_socket(const struct endpoint *e) { return e->ops->kind == KIND_SOCKET; }

/* Returns the command of --from or --into; NULL for other ends. */
static const char *command_of(const struct endpoint *e) {
	if (!e->ops->option_name) return NULL;
	return e->input ? e->options->into_end.command : e->options->from_end.command;
}

/* Returns the descriptor by which to inspect an output after a run. */
static int file_of(const struct endpoint *e) { return e->data_fd >= 0 ? e->data_fd : e->user_fd; }

/* Keep our end of a pipe or connection, and close the child's. */
static bool attach(struct endpoint *e, struct copy *c, int fds[2], pid_t pid, int err) {
	bool ours = e->input;
	close_fd(&fds[!ours]);
	e->run_fd = fds[ours];
	return pid > 0 || (succeeded(c) && fail(c, err, e->process.call));
}

/* Close this run's own descriptor, and wait for the process at the other side. */
static void detach(struct endpoint *e, bool needed) {
	if (e->run_fd != e->user_fd && e->run_fd != e->data_fd) close_fd(&e->run_fd);
	e->run_fd = e->user_fd;
	wait_child(&e->process, needed);
}

static bool open_plain_pipe(struct copy *c, int fds[2]) {
	return !pipe2(fds, O_CLOEXEC) || fail(c, errno, "pipe2");
}

/* Flush a file as close does (close(2), NOTES), by closing a duplicate. Returns 0, or errno and the call. */
static int flush_fd(int fd, const char **failed_call) {
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	*failed_call = copy < 0 ? "fcntl" : "close";
	return copy < 0 || (close(copy) && errno != EINTR) ? errno : 0;
}

static bool rewind_endpoint(struct endpoint *e, struct copy *c) {
	return lseek(e->run_fd, 0, SEEK_SET) == 0 || fail(c, errno, "lseek");
}

/* Reset advice, which stays on the open file description. */
static bool prepare_file_source(struct endpoint *e, struct copy *c) {
	e->run_fd = e->data_fd;
	posix_fadvise(e->run_fd, 0, 0, POSIX_FADV_NORMAL);
	return rewind_endpoint(e, c);
}

/* Start a process that feeds the spool through a pipe once the clock runs. */
static bool prepare_feeder(struct endpoint *e, struct copy *c) {
	int fds[2] = { -1, -1 };
	pid_t feeder = -1;
	if (open_plain_pipe(c, fds)) feeder = fork_child(&e->process, e->data_fd, fds[1], true, false);
	int err = errno;
	if (feeder == 0) feed(c->len);
	return attach(e, c, fds, feeder, err);
}

/* Returns the largest size of a list; 0 if it is empty. */
static int64_t largest_size(const struct sizes *all_sizes) {
	return all_sizes->n ? all_sizes->ascending[all_sizes->n - 1] : 0;
}

static bool prepare_command(struct endpoint *e, struct copy *c) {
	int fds[2] = { -1, -1 }, null = open("/dev/null", O_RDWR | O_CLOEXEC), err = errno;
	struct command command = { .text = command_of(e), .in_fd = null, .out_fd = null, .waits = !e->input,
	    .len = e->input || e->options->sizes.n ? c->len : 0 };
	pid_t child = -1;
	if (null < 0) {
		fail(c, err, "open /dev/null");
	} else if (open_plain_pipe(c, fds)) {
		*(e->input ? &command.in_fd : &command.out_fd) = fds[!e->input];
		child = start_command(&e->process, &command);
		err = errno;
	}
	close_fd(&null);
	return attach(e, c, fds, child, err);
}

/* Fill a file of the copy's length with random bytes: its blocks are then allocated. */
static bool poison(struct endpoint *e, struct copy *c) {
	static uint64_t words[CHUNK / sizeof(uint64_t)];
	uint64_t state = (uint64_t)now();
	for (int i = 0; i < LENGTH(words); i++) words[i] = random_number(&state);
	if (RETRY(ftruncate(e->user_fd, c->len))) return fail(c, errno, "ftruncate");
	for (int64_t at = 0; at < c->len && !caught;) {
		ssize_t n = RETRY(pwrite(e->user_fd, words, min(c->len - at, CHUNK), at));
		if (n <= 0) return fail(c, n < 0 ? errno : EIO, "pwrite");
		at += n;
	}
	return true;
}

/* Open an unnamed file in a directory, for reading and writing. Without O_TMPFILE (Linux 3.11, not on all
 * file systems) it has a name for a moment. Returns -1 with errno. */
static int open_unnamed(int dir_fd) {
	int fd = openat(dir_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return fd;
	struct words name = fmt(".write-bench.%d", (int)getpid());
	fd = openat(dir_fd, name.str, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0 && unlinkat(dir_fd, name.str, 0))
		warn("%s: is left in a given directory: unlink: %s", name.str, errno_text(errno).str);
	return fd;
}

/* Open an output to read it back: through /proc, since > only writes, or by its own descriptor if O_RDWR. */
static void open_to_read(struct endpoint *e) {
	e->data_fd = reopen(e->user_fd, O_RDONLY);
	if (e->data_fd < 0 && (e->flags & O_ACCMODE) == O_RDWR) e->data_fd = e->user_fd;
}

/* Bring a file to the state in which a run begins. Sync its file system, so that no run pays for freed
 * blocks, the journal or dirty data of the previous one, but not between the two copies of --reuse. */
static bool prepare_file(struct endpoint *e, struct copy *c) {
	struct stat st;
	if (fstat(e->user_fd, &st)) return fail(c, errno, "fstat");
	if (e->fill == RENEWED) {
		if (e->data_fd != e->user_fd) close_fd(&e->data_fd);
		e->data_fd = e->run_fd = open_unnamed(e->dir_fd);
		if (e->data_fd < 0) return fail(c, errno, "open");
	} else if (e->fill == EMPTIED) {
		if (RETRY(ftruncate(e->user_fd, 0))) return fail(c, errno, "ftruncate");
	} else if (e->unverified || st.st_size != c->len) {
		if (!poison(e, c)) return false;
	}
	if (!is_in_memory(e->user_fd) && !c->kit->reused) RETRY(syncfs(e->user_fd));
	if (fstat(e->user_fd, &e->stat)) return fail(c, errno, "fstat"); /* its time: for judge_output() */
	if (e->options->until == UNTIL_CLOSE) e->run_fd = reopen(e->run_fd, O_WRONLY);
	if (e->run_fd < 0) return fail(c, errno, "open");
	return rewind_endpoint(e, c);
}

/* If a command made a regular file at new_name, use this file as the run's output, not the unnamed file. */
static void use_new(struct endpoint *e) {
	int fd = openat(e->dir_fd, e->new_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (!has_type(fd, S_IFREG)) close_fd(&fd);
	if (fd < 0) return;
	if (e->run_fd != e->data_fd) close_fd(&e->run_fd);
	close_fd(&e->data_fd);
	e->data_fd = fd;
	e->run_fd = e->options->until == UNTIL_CLOSE ? reopen(fd, O_RDONLY) : fd;
}

/* Do what --until waits for. Local file systems may flush when the description is released, NFS at close. */
static bool finish_file(struct endpoint *e, struct copy *c) {
	if (e->new_name) use_new(e);
	int fd = e->run_fd;
	if (e->options->until == UNTIL_SYNC && RETRY(fdatasync(fd))) return fail(c, errno, "fdatasync");
	if (e->options->until != UNTIL_CLOSE) return true;
	e->run_fd = -1;
	/* close(2) closes the descriptor even if it returns EINTR */
	return !close(fd) || errno == EINTR || fail(c, errno, "close");
}

/* True if an input delivers the same bytes each time. */
static bool is_repeatable(const struct endpoint *e) {
	return e->ops->kind != KIND_DEVICE || is_mem(&e->stat, MEM_ZERO) || is_mem(&e->stat, MEM_FULL);
}

static bool is_comparable(const struct endpoint *e) {
	return !e->options->no_verify && is_repeatable(e->input);
}

/* Start the process that compares, in place of an output that stores nothing. */
static bool prepare_check(struct endpoint *e, struct copy *c) {
	int fds[2] = { -1, -1 }, family = AF_UNIX;
	socklen_t size = sizeof family;
	pid_t child = -1;
	if (e->user_fd < 0) family = AF_INET; /* --send's */
	else if (is_socket(e) && getsockopt(e->user_fd, SOL_SOCKET, SO_DOMAIN, &family, &size))
		return fail(c, errno, "getsockopt");
	bool ready = is_socket(e) ? connect_pair(c, family, fds) : open_plain_pipe(c, fds);
	if (ready) child = fork_child(&e->process, e->input->data_fd, fds[0], false, false);
	int err = errno;
	if (child == 0) compare_stream(c->len);
	return attach(e, c, fds, child, err);
}

/* Read the answer that the comparing process wrote to standard error. */
static bool finish_check(struct endpoint *e, struct copy *c) {
	detach(e, true);
	e->wrong = 0;
	bool answered = RETRY(pread(e->process.stderr_fd, &e->wrong, sizeof e->wrong, 0)) == sizeof e->wrong;
	return answered || e->process.status || fail(c, EIO, "read");
}

/* Fail if the other side of the user's pipe or socket is gone. */
static bool check_reader(const struct endpoint *e, struct copy *c) {
	struct pollfd poll_fd = { .fd = e->user_fd };
	int err = 0;
	socklen_t size = sizeof err;
	poll(&poll_fd, 1, 0);
	if (!is_socket(e)) return !(poll_fd.revents & POLLERR) || fail(c, EPIPE, "the pipe");
	getsockopt(e->user_fd, SOL_SOCKET, SO_ERROR, &err, &size);
	if (!err && poll_fd.revents & POLLHUP) err = EPIPE;
	return !err || fail(c, err, "the socket");
}

/* Wait until the other side has received all that was written. */
static bool await_reader(struct endpoint *e, struct copy *c) {
	int request = is_socket(e) ? SIOCOUTQ : FIONREAD, held;
	while (!ioctl(e->user_fd, request, &held) && held > 0 && !caught) {
		if (!check_reader(e, c)) return false;
		sleep_until(now() + QUEUE_POLL);
	}
	return true;
}

/* Before a run, wait until the reader has received the bytes of the previous run. */
static bool prepare_stream(struct endpoint *e, struct copy *c) {
	return await_reader(e, c) && check_reader(e, c);
}

/* Wait for the command's end: it has then received all. */
static bool finish_command(struct endpoint *e, UNUSED struct copy *c) {
	detach(e, true);
	return true;
}

/* Start a process that reads from a new connection, and wait for its first byte. Send nothing before the
 * copy: a small first segment slows down the rest by a tenth or more (Linux 6.18). */
static bool prepare_receiver(struct endpoint *e, struct copy *c) {
	int fds[2] = { -1, -1 };
	pid_t child = -1;
	char ready;
	if (connect_pair(c, AF_INET, fds)) child = fork_child(&e->process, fds[0], -1, false, false);
	int err = errno;
	if (child == 0) receive_stream();
	if (!attach(e, c, fds, child, err)) return false;
	ssize_t n = RETRY(recv(e->run_fd, &ready, 1, 0));
	return n == 1 || fail(c, n < 0 ? errno : ECONNRESET, "the receiver");
}

/* Wait for the receiver's answer: the number of bytes that it has read. */
static bool finish_receiver(struct endpoint *e, struct copy *c) {
	int64_t bytes;
	if (shutdown(e->run_fd, SHUT_WR)) return fail(c, errno, "the receiver");
	ssize_t n = RETRY(recv(e->run_fd, &bytes, sizeof bytes, MSG_WAITALL));
	if (n != sizeof bytes) return fail(c, n < 0 ? errno : ECONNRESET, "the receiver");
	if (bytes != c->len) e->wrong = bytes ? min(bytes, c->len) : EMPTY;
	return true;
}

/* True if the end is a file on a btrfs that compresses (btrfs(5): compress, compress-force). */
static bool is_compressed(const struct endpoint *e) {
	const char *mount = e->location.mount;
	return is_file(e) && is_on(e->user_fd, BTRFS_SUPER_MAGIC) && mount && strstr(mount, "compress");
}

/* True if the end's file system accepts O_DIRECT but ignores it: compressing btrfs; tmpfs since Linux 6.6. */
static bool ignores_direct(const struct endpoint *e) { return has_memory(e) || is_compressed(e); }

/* Prepare an end for a run. *own_fd becomes the run's descriptor. */
static bool prepare_endpoint(struct endpoint *e, struct copy *c, int *own_fd) {
	drop_child(&e->process);
	e->run_fd = e->user_fd;
	e->wrong = NO_DIFFERENCE;
	bool ready = !e->ops->prepare || e->ops->prepare(e, c);
	*own_fd = e->run_fd;
	return ready;
}

/* After a run, close pipes and connections, and end the process. If all of an input's bytes were copied, let
 * its process end by itself. Restore the flags: a command may change them, as dd does. */
static void cleanup_endpoint(struct endpoint *e, const struct copy *c) {
	detach(e, !e->input && c->done == e->len);
	if (e->user_fd >= 0) fcntl(e->user_fd, F_SETFL, e->flags);
	if (!e->input && e->ops->kind & DISK) fcntl(e->data_fd, F_SETFL, e->flags);
}

/* Open the directory of a file. Returns -1 with errno. */
static int open_directory_of(int fd) {
	char *path = path_of(fd);
	errno = ENOENT;
	if (!path) return -1;
	strrchr(path, '/')[1] = '\0';
	int dir_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(path);
	return dir_fd;
}

/* The directory of spools. Borrowed. */
static const char *spool_directory(void) {
	const char *name = getenv("TMPDIR");
	return name && *name ? name : "/tmp";
}

/* Find the size of a file or block device. Commands read to EOF: for --size, also open the directory in which
 * make_part() makes a part. */
static void open_file_source(struct endpoint *e) {
	uint64_t bytes = 0;
	bool block = S_ISBLK(e->stat.st_mode);
	if (block && ioctl(e->user_fd, (int)BLKGETSIZE64, &bytes)) die_errno(e->label, errno, "ioctl");
	e->len = block ? (int64_t)bytes : e->stat.st_size;
	e->path = path_of(e->user_fd);
	if (!block && e->options->sizes.n && e->options->with.n) e->dir_fd = open_directory_of(e->user_fd);
}

static void open_device_source(struct endpoint *e) { e->len = is_mem(&e->stat, MEM_NULL) ? 0 : -1; }

/* Refuse a file that can't be read back or reopened, or, with --new, whose directory takes no files. */
static void open_file(struct endpoint *e) {
	e->path = path_of(e->user_fd);
	open_to_read(e);
	if (e->data_fd < 0 && !e->options->no_verify)
		die("%s: can't be read back to verify the copies: open /proc/self/fd/%d: %s: or use "
		    "--no-verify", e->label, e->user_fd, errno_text(errno).str);
	int fd = e->options->until == UNTIL_CLOSE ? reopen(e->user_fd, O_WRONLY) : -1;
	if (fd < 0 && e->options->until == UNTIL_CLOSE)
		die("%s: can't be reopened for --until=close: open /proc/self/fd/%d: %s", e->label,
		    e->user_fd, errno_text(errno).str);
	close_fd(&fd);
	if (e->fill != RENEWED) return;
	e->dir_fd = open_directory_of(e->user_fd);
	if (e->dir_fd >= 0) fd = open_unnamed(e->dir_fd);
	if (fd < 0) die("%s: --new can't make files beside it: open: %s", e->label, errno_text(errno).str);
	close_fd(&fd);
}

/* Describe an end once, for the reports of all sizes: its location for headings, and its words. */
static void describe_endpoint(struct endpoint *e) {
	struct location *loc = &e->location;
	const char *command = command_of(e);
	if (command) add_name(loc, "command %.*s", NAME_WIDTH, command);
	else if (is_file(e)) find_location(e->user_fd, loc, 8);
	else if (e->ops->kind == KIND_BLOCK) find_device(e->stat.st_rdev, loc, 8);
	else if (is_mem(&e->stat, MEM_NULL) || is_mem(&e->stat, MEM_ZERO))
		add_name(loc, is_mem(&e->stat, MEM_NULL) ? "/dev/null" : "/dev/zero");
	else add_name(loc, "%s", e->ops->name);
	if (!*loc->fs_name) add_name(loc, "unknown file system");
	const char *kind = command ? "command: " : "";
	if (is_file(e)) kind = "file on ";
	loc->words = format_text("%s%s%s%s%s", kind, command ? command : loc->fs_name,
	    loc->medium ? ", " : "", loc->virtual ? "virtual " : "", loc->medium ? loc->medium : "");
}

#define CHECK .prepare = prepare_check, .finish = finish_check

/* Inputs and (below) outputs; types and options without an entry here are refused at the start. */
static const struct endpoint_ops sources[] = {
	{ "file", KIND_FILE, S_IFREG, .open = open_file_source, .prepare = prepare_file_source },
	{ "block device", KIND_BLOCK, S_IFBLK, .open = open_file_source, .prepare = prepare_file_source },
	{ "character device", KIND_DEVICE, S_IFCHR, .open = open_device_source },
	{ "pipe", KIND_PIPE, S_IFIFO, .prepare = prepare_feeder },
	{ "socket", KIND_PIPE, S_IFSOCK, .prepare = prepare_feeder },
	{ "command", KIND_PIPE, .option_name = "from", .prepare = prepare_command },
};
static const struct endpoint_ops check_pipe = { "pipe", KIND_PIPE, CHECK };
static const struct endpoint_ops check_stream = { "socket", KIND_SOCKET, CHECK };
static const struct endpoint_ops sinks[] = {
	{ "file", KIND_FILE, S_IFREG, .open = open_file, .prepare = prepare_file, .finish = finish_file },
	{ "character device", KIND_DEVICE, S_IFCHR, .check = &check_pipe },
	{ "pipe", KIND_PIPE, S_IFIFO, .prepare = prepare_stream, .finish = await_reader, .check = &check_pipe,
	  .stops_when = "the pipe's reader had emptied it" },
	{ "socket", KIND_SOCKET, S_IFSOCK, .prepare = prepare_stream, .finish = await_reader,
	  .check = &check_stream, .stops_when = "the socket's other side had all" },
	{ "command", KIND_PIPE, .option_name = "into", .prepare = prepare_command, .finish = finish_command,
	  .check = &check_pipe, .stops_when = "the command had ended" },
	{ "TCP connection", KIND_SOCKET, .option_name = "send", .prepare = prepare_receiver,
	  .finish = finish_receiver, .check = &check_stream,
	  .stops_when = "the receiver had said how many bytes it has" },
};

/* Returns the operations for a type of file, or for an option; NULL if it is unusable. */
static const struct endpoint_ops *find_ops(bool is_sink, mode_t type, const char *option_name) {
	const struct endpoint_ops *all = is_sink ? sinks : sources;
	int n = is_sink ? LENGTH(sinks) : LENGTH(sources);
	for (const struct endpoint_ops *ops = all; ops < all + n; ops++) {
		if (option_name && ops->option_name && !strcmp(option_name, ops->option_name)) return ops;
		if (!option_name && !ops->option_name && ops->type == type) return ops;
	}
	return NULL;
}

/* Refuse a descriptor that can't be an end. */
static void check_endpoint(struct endpoint *e, int unwanted_mode) {
	static const char redirect[] = "redirect a file: " PROGRAM " <INPUT >OUTPUT (see --help)";
	if (fstat(e->user_fd, &e->stat)) die_errno(e->label, errno, "fstat");
	e->flags = fcntl(e->user_fd, F_GETFL);
	if (S_ISDIR(e->stat.st_mode)) die("%s: is a directory: %s", e->label, redirect);
	if (!e->ops) die("%s: is a block device: %s", e->label, redirect);
	if (isatty(e->user_fd)) die("%s: is a terminal: %s", e->label, redirect);
	int type = SOCK_STREAM;
	socklen_t size = sizeof type;
	if (S_ISSOCK(e->stat.st_mode) && (getsockopt(e->user_fd, SOL_SOCKET, SO_TYPE, &type, &size)
	    || type != SOCK_STREAM || getpeername(e->user_fd, NULL, &(socklen_t){ 0 })))
		die("%s: is a socket without a stream or a connection: connect it first", e->label);
	bool stream = S_ISFIFO(e->stat.st_mode) || S_ISSOCK(e->stat.st_mode);
	if (stream && e->flags & O_NONBLOCK)
		die("%s: is a %s that does not block (O_NONBLOCK): %s", e->label, e->ops->name,
		    unwanted_mode == O_RDONLY ? "append \"| cat\"" : "put \"cat |\" before");
	if ((e->flags & O_ACCMODE) == unwanted_mode || e->flags & O_PATH)
		die("%s: is not open for %s: %s", e->label, unwanted_mode ? "reading" : "writing", redirect);
}

static void open_source(struct endpoint *e) {
	if (!e->ops || !e->ops->option_name) check_endpoint(e, O_WRONLY);
	if (e->options->cold && !(e->ops->kind & DISK))
		die("%s: is a %s, which has no page cache to drop: leave out --cold", e->label, e->ops->name);
	e->data_fd = e->user_fd;
	if (e->ops->open) e->ops->open(e);
	if (e->ops->kind == KIND_PIPE) return; /* its size is known once it is read */
	if (e->len == 0 && is_same(STDOUT_FILENO, e->user_fd))
		die("%s: input and output are the same file, which the shell has already truncated: use "
		    "another output", e->label);
	if (e->len == 0) die("%s: is empty, or of unknown size: give it bytes to copy", e->label);
	if (e->len < 0 && !e->options->sizes.n)
		die("%s: has no end: use --size=SIZE to copy a part of it", e->label);
}

/* Refuse an output with data that may be wanted: the copies overwrite it. */
static void open_sink(struct endpoint *e, struct endpoint *input) {
	e->input = input;
	if (!e->ops || !e->ops->option_name) {
		check_endpoint(e, O_RDONLY);
		check_use(e->label, e->user_fd);
		if (e->flags & O_APPEND)
			die("%s: is open for append, but each run empties it: use >, not >>", e->label);
		if (is_file(e) && lseek(e->user_fd, 0, SEEK_CUR) > 0)
			die("%s: has been written to before (its offset is not 0), which a copy would "
			    "overwrite: redirect to another file", e->label);
		if (!is_socket(e)) check_other(e->label, e->user_fd, input->user_fd, "the input");
	}
	if (e->ops->open) e->ops->open(e);
}

/* Open the second output without modifying it. A new file stays, empty, as with tee(1). */
static void open_second(struct endpoint *e, const struct endpoint *first_out, struct endpoint *input) {
	struct stat st;
	if (!stat(e->options->tee, &st)) check_device(e->label, &st); /* do not even open it */
	e->user_fd = e->run_fd = open_or_make(e->options->tee);
	if (e->user_fd < 0 || fstat(e->user_fd, &e->stat)) die_errno(e->label, errno, "open");
	e->ops = find_ops(true, e->stat.st_mode & S_IFMT, NULL);
	open_sink(e, input);
	check_other(e->label, e->user_fd, first_out->user_fd, first_out->label);
}

/* ---- Rows: their names, the ends that they fit, and the choice of them ----------------------- */

#define BIG_PIPES " (pipe 1m)" /* suffix of a row with pipes of PIPE_LARGE */
#define LIST_WIDTH 37      /* characters of a name in a list with lines of 80; longer ones shift the rest */
#define BS_UNKNOWN 4096    /* bytes, for file systems that report no block size */
#define BS_LEAST 512       /* bytes: some file systems report 1 */
#define BS_MOST M          /* bytes: some file systems report 128 MiB */

/* Order by strategies[]; unknown rows and commands last. Reading a report back keeps this order. */
static int compare_table_order(const void *a, const void *b) {
	const struct row *x = a, *y = b;
	const int64_t keys[][2] = {
		{ x->command != NULL, y->command != NULL }, { !x->strategy, !y->strategy },
		{ (intptr_t)x->strategy, (intptr_t)y->strategy },
		{ (int64_t)strlen(x->name), (int64_t)strlen(y->name) }, { strcmp(x->name, y->name), 0 },
	};
	return compare_keys(keys, LENGTH(keys));
}

/* The ends that rows must fit, as far as known. */
struct ends {
	unsigned in_kinds, out_kinds[2]; /* kinds */
	bool single, two;    /* possible numbers of outputs */
	bool has_holes, cold; /* the input has holes; it is evicted before each run */
};

/* True if the advice is possible with the strategy: a mapped output needs its length first. */
static bool takes(const struct strategy *strategy, const struct advice *advice) {
	return !(strategy->method->flags & MAPPED) || advice->output_step->flags & GIVES_LENGTH;
}

/* True if the strategy can be tried between these ends, with an advice for which takes() is true. */
static bool fits(const struct strategy *strategy, const struct advice *advice, const struct ends *ends) {
	const struct method *method = strategy->method;
	unsigned in = method->in_kinds & advice->input_step->kinds,
	    out = method->sink_kinds & advice->output_step->kinds;
	unsigned back = method->flags & BACK ? KIND_FILE : KIND_ANY;
	if (advice->input_step->flags & COLD_ONLY && !ends->cold) return false;
	if (strategy->when & TWO) out = ends->out_kinds[1] & out ? out & back : 0;
	return (strategy->when & TWO ? ends->two : ends->single) && in & ends->in_kinds
	    && out & ends->out_kinds[0];
}

/* True if a name is, literally, the nth glob of a list, or the argument that the glob is a part of. */
static bool is_nth(const struct list *globs, int i, const char *name) {
	return !strcmp(globs->whole[i], name) || !strcmp(globs->item[i], name);
}
static bool is_named(const struct list *globs, const char *name) {
	for (int i = 0; i < globs->n; i++)
		if (is_nth(globs, i, name)) return true;
	return false;
}

static bool matches(const struct list *globs, const char *name) {
	bool found = false;
	for (int i = 0; i < globs->n; i++)
		if (is_nth(globs, i, name) || !fnmatch(globs->item[i], name, 0))
			found = globs->matched[i] = true;
	return found;
}

/* True if the row is run without --select: at pipes, sockets and two outputs without advice, if possible. */
static bool is_default(const struct strategy *strategy, const struct advice *advice,
    const struct ends *ends) {
	unsigned streams = ends->in_kinds == KIND_PIPE ? FROM : 0, bit = 1U << (advice - advices);
	unsigned simple = strategy->method->flags & MAPPED ? TRUNC | FALLOC : PLAIN;
	unsigned usual = strategy->when | (ends->cold && strategy->when & ADVICES ? COLD : 0);
	if (ends->out_kinds[0] == KIND_PIPE) streams |= INTO;
	if (ends->out_kinds[0] == KIND_SOCKET) streams |= NET;
	if (strategy->when & HOLES && !ends->has_holes) return false;
	if (strategy->when & TWO) return simple & bit;
	return streams ? (strategy->when & streams) == streams && simple & bit : usual & bit;
}

/* Offer all rows: each strategy with each possible advice; if big_pipes, also with large pipes. */
static void offer_rows(struct report *rep, bool big_pipes) {
	for (int i = 0; i < LENGTH(strategies) * LENGTH(advices); i++) {
		const struct strategy *strategy = &strategies[i / LENGTH(advices)];
		const struct advice *advice = &advices[i % LENGTH(advices)];
		const char *plus = *advice->name ? " + " : "";
		for (int k = 0; k < (big_pipes ? 2 : 1) && takes(strategy, advice); k++) {
			const char *end = k ? BIG_PIPES : "";
			char *name = format_text("%s%s%s%s", strategy->name, plus, advice->name, end);
			rep->rows[rep->nrows++] = (struct row){ .name = name, .strategy = strategy,
			    .advice = advice, .big_pipes = k };
		}
	}
}

/* Refuse patterns that match no row. */
static void check_used(const struct list *globs, const char *option_name, const char *where) {
	for (int i = 0; i < globs->n; i++)
		if (!globs->matched[i]) die("--%s=%s: matches no row%s", option_name, globs->item[i], where);
}

/* True if an offered row fits the ends, and is run by default, with --all, or since it is named. */
static bool is_wanted(const struct row *row, const struct options *o, const struct ends *ends) {
	bool named = is_named(&o->select, row->name);
	if (!fits(row->strategy, row->advice, ends)) return false;
	if (named || o->mode == EXPLAIN) return named || !row->big_pipes;
	if (row->strategy->when & BY_NAME && (o->mode != LIST || o->select.n)) return false;
	return o->all || is_default(row->strategy, row->advice, ends);
}

/* Keep the rows that are wanted, selected and not excluded. --exclude may match unwanted rows, too. */
static void filter_rows(struct report *rep, const struct options *o, const struct ends *ends) {
	int n = rep->nrows;
	rep->nrows = 0;
	for (struct row *row = rep->rows; row < rep->rows + n; row++) {
		bool excluded = matches(&o->exclude, row->name), wanted = is_wanted(row, o, ends);
		if (wanted && o->select.n) wanted = matches(&o->select, row->name);
		if (wanted && !excluded) rep->rows[rep->nrows++] = *row;
		else free((char *)row->name);
	}
}

/* Add the rows of --with. Keep them whatever --select names; exclude them only by patterns that begin with $,
 * not by -x '*'. The same command twice makes two rows. */
static void add_commands(struct report *rep, const struct options *o) {
	for (int i = 0; i < o->with.n; i++) {
		int same = 1;
		bool excluded = false;
		for (int k = 0; k < i; k++) same += !strcmp(o->with.item[k], o->with.item[i]);
		char *name = format_line(same > 1 ? "$ %s (%d)" : "$ %s", o->with.item[i], same);
		matches(&o->select, name);
		for (int k = 0; k < o->exclude.n; k++) {
			const char *glob = o->exclude.item[k];
			bool asked = *glob == '$' && !fnmatch(glob, name, 0);
			if (asked || is_nth(&o->exclude, k, name)) excluded = o->exclude.matched[k] = true;
		}
		if (!excluded)
			rep->rows[rep->nrows++] = (struct row){ .name = name, .strategy = &command_strategy,
			    .advice = advices, .command = o->with.item[i] };
		else free(name);
	}
}

static void choose_rows(struct report *rep, const struct options *o, const struct ends *ends) {
	static const char remedy[] = " that runs between these ends: " PROGRAM " --list --all names them";
	bool piped = ends->in_kinds == KIND_PIPE || ends->out_kinds[0] == KIND_PIPE
	    || (ends->two && ends->out_kinds[1] == KIND_PIPE);
	rep->rows = allocate(2 * LENGTH(strategies) * LENGTH(advices) + o->with.n, sizeof *rep->rows);
	offer_rows(rep, piped || o->mode == EXPLAIN);
	filter_rows(rep, o, ends);
	add_commands(rep, o);
	check_used(&o->select, o->mode == EXPLAIN ? "explain" : "select", remedy);
	check_used(&o->exclude, "exclude", remedy);
	if (!rep->nrows) die("no row is left: widen --select, narrow --exclude, or redirect to a file");
	qsort(rep->rows, rep->nrows, sizeof *rep->rows, compare_table_order);
}

/* Print pseudo-code of a row. Replace N by the bytes per call, OUT and AT by words for one output or two. */
static void print_code_of(FILE *f, const char *code, const struct row *row) {
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
	const struct strategy *strategy = row->strategy;
	struct words bytes = fmt("LENGTH");
	if (strategy->block > 0) bytes = fmt("%" PRId64, strategy->block);
	if (strategy->block < 0) bytes = fmt("%" PRId64 " * bs", -strategy->block);
	for (const char *end; *code; code = end + (*end == '\n')) {
		bool advised = *code == '+';
		end = code + strcspn(code, "\n");
		if (advised && !(row->advice->input_step->flags & MAPS_TOO)) continue;
		for (code += advised; code < end;) {
			int length = (int)max(strspn(code, letters), 1);
			if (length == 1 && *code == 'N') fputs(bytes.str, f);
			else if (length == 3 && !strncmp(code, "OUT", 3))
				fputs(strategy->when & TWO ? "each out" : "out", f);
			else if (length == 2 && !strncmp(code, "AT", 2))
				fputs(strategy->when & TWO ? "&offset" : "NULL", f);
			else fprintf(f, "%.*s", length, code);
			code += length;
		}
		fputc('\n', f);
	}
}

/* Print a row's calls in the order in which they run: pipe size, the output's state, advice, copy. */
static void print_code(FILE *f, const struct report *rep, const struct row *row) {
	if (row->big_pipes) fputs("the pipe at an end: fcntl(end, F_SETPIPE_SZ, 1048576)\n", f);
	print_code_of(f, fills[rep->options->fill].code, row);
	print_code_of(f, row->advice->input_step->code, row);
	print_code_of(f, row->advice->output_step->code, row);
	print_code_of(f, row->strategy->method->code, row);
}

static const char *or_dash(const char *text) { return text ? text : "-"; }

/* Returns the bytes per call of a row whose block is a multiple of bs, as text, if bs is 4 KiB. */
static struct words call_text(const struct strategy *strategy) {
	return fmt("%s if bs=4KiB", size_text(-strategy->block * 4 * K).str);
}

static void print_list(FILE *f, const struct report *rep) {
	for (const struct row *row = rep->rows; row < rep->rows + rep->nrows; row++) {
		const struct strategy *strategy = row->strategy;
		int used = fprintf(f, "%-" TEXT_OF(LIST_WIDTH) "s  %s", row->name, strategy->method->calls);
		used += fprintf(f, "%*s %s", (int)max(LIST_WIDTH + 18 - used, 0), "",
		    or_dash(strategy->method->since));
		struct words program = fmt("%s", or_dash(strategy->used_by));
		if (strategy->block < 0 && !strategy->used_by) program = call_text(strategy);
		fprintf(f, "%*s %s\n", (int)max(LIST_WIDTH + 25 - used, 0), "", program.str);
	}
}

static void print_help_of(FILE *f, const char *call, const char *help) {
	char *text = format_text("%s: %s", call, help);
	if (*help) print_wrapped(f, text, TEXT_WIDTH, fprintf(f, "    "), 6);
	free(text);
}

static void explain_row(FILE *f, const struct report *rep, const struct row *row) {
	const struct strategy *strategy = row->strategy;
	const struct step *const steps[] = { row->advice->input_step, row->advice->output_step };
	struct text code;
	print_code(begin_text(&code), rep, row);
	fprintf(f, "%s%s\n", row > rep->rows ? "\n" : "", row->name);
	for (char *rest = finish_text(&code), *line; (line = strsep(&rest, "\n")) && *line;)
		fprintf(f, "    %s\n", line);
	free(code.chars);
	struct words bs = fmt("%s", "");
	if (strategy->block < 0)
		bs = fmt("A loop by %s; bs: a block of the output's file system. ", call_text(strategy).str);
	struct words since = fmt("Any Linux"), real = fmt("%s", "");
	if (strategy->method->since) since = fmt("Since Linux %s", strategy->method->since);
	if (strategy->used_by) real = fmt("; copies so: %s", strategy->used_by);
	char *words = format_text("%s%s%s; %s.", bs.str, since.str, real.str, strategy->method->about);
	print_wrapped(f, words, TEXT_WIDTH, fprintf(f, "    "), 4);
	free(words);
	for (int i = 0; i < LENGTH(steps); i++) print_help_of(f, steps[i]->call, steps[i]->help);
	print_help_of(f, strategy->method->calls, strategy->method->help);
}

/* ---- Runs and verdicts: one copy by a row, and what it was ----------------------------------- */

#define HOLES_MAX 10000         /* holes counted per file */

/* The ends, and the measurements between them. */
struct session {
	struct options opt;
	struct report *reports;       /* measured here, one for each size; or read from files */
	int nreports;                 /* sizes */
	struct report *report;        /* of the size that is measured */
	struct endpoint source, sinks[2];
	int nout;                     /* number of outputs */
	int null_fd;                  /* /dev/null */
	int64_t bs;                   /* bytes in a block of the output's file system */
	int cpus;                     /* usable ones */
	double quota;                 /* CPUs that a cgroup grants; 0: no limit */
	int64_t started;              /* clock before the first round that counts, nanoseconds */
	uint64_t random;              /* state of the shuffle */
	int64_t reset_ns;             /* time to prepare the ends of the previous run, nanoseconds */
	int report_fds[REPORT_FILES_MAX + 1]; /* descriptors that the reports are written to */
	bool finished;                /* no more runs: the input changed, or an output is full */
};

static struct ends all_ends(const struct session *s) {
	unsigned second = s->nout > 1 ? s->sinks[1].ops->kind : KIND_ANY;
	return (struct ends){ s->source.ops->kind, { s->sinks[0].ops->kind, second }, s->nout == 1,
	    s->nout == 2, .has_holes = s->report->seen.holes > 0, .cold = s->opt.cold };
}

/* True if the input has more bytes than are copied, as far as known. */
static bool has_more(const struct session *s) {
	return s->source.len < 0 || s->report->len < s->source.len;
}

/* True if all rows copy from a part instead of the input: see make_part(). */
static bool has_part(const struct session *s) {
	return s->source.ops->kind & DISK && s->source.data_fd != s->source.user_fd;
}

static bool any_output(const struct session *s, bool (*has)(const struct endpoint *)) {
	for (int i = 0; i < s->nout; i++)
		if (has(&s->sinks[i])) return true;
	return false;
}

static bool has_file(const struct session *s) { return any_output(s, is_file); }

/* To add a counter: raise COUNTERS; add it here, to number_columns[] and unknown_run. */
static const struct {
	unsigned perf_type, config;
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

/* Open the counters, disabled; threads and commands inherit them. If they are not wanted, all are -1. */
static void open_counters(struct session *s, int fds[COUNTERS]) {
	for (int i = 0; i < COUNTERS; i++) {
		struct perf_event_attr attr = { .size = sizeof attr, .type = counters[i].perf_type,
		    .disabled = 1, .inherit = 1, .config = counters[i].config,
		    .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING };
		fds[i] = -1;
		if (!s->opt.counters) continue;
		fds[i] = syscall(SYS_perf_event_open, &attr, 0, -1, -1, (long)PERF_FLAG_FD_CLOEXEC);
		if (fds[i] < 0) s->report->seen.counters_err = errno;
	}
}

/* Read and close the counters. Counts are scaled up if the CPU had too few counters for all at once. */
static void read_counters(int fds[COUNTERS], struct run *run) {
	for (int i = 0; i < COUNTERS; i++) {
		struct {
			uint64_t raw, enabled, running; /* enabled, running: nanoseconds */
		} count;
		run->counts[i] = -1;
		if (fds[i] < 0) continue;
		if (read(fds[i], &count, sizeof count) == sizeof count && count.running > 0) {
			double scale = (double)count.enabled / (double)count.running;
			run->counts[i] = (int64_t)((double)count.raw * scale + 0.5);
		}
		close(fds[i]);
	}
}

static bool advise(struct copy *c, const struct advice *advice) {
	int err = advice->input_step->give ? advice->input_step->give(c->in, c->len) : 0;
	if (err) return fail(c, err, advice->input_step->call);
	for (int i = 0; advice->output_step->give && i < c->nout; i++) {
		err = advice->output_step->give(c->out[i], c->len);
		if (err) return fail_out(c, i, err, advice->output_step->call);
	}
	return true;
}

/* One copy by a row, with its resources. */
struct attempt {
	struct copy own_copy;
	struct kit own_kit;
	struct job own_job;
};

/* Set up a copy by a row; its ends are not prepared yet. */
static void begin_attempt(const struct session *s, const struct row *row, struct attempt *attempt) {
	/* prepare_feeder()'s process writes only these bytes */
	bool fed = s->source.ops->kind == KIND_PIPE && !command_of(&s->source);
	int64_t block = row->strategy->block;
	*attempt = (struct attempt){ .own_kit = empty_kit, .own_job.process = no_child };
	attempt->own_job.to_start = (struct command){ .text = row->command, .len = s->report->len,
	    .limited = s->source.len < 0 };
	attempt->own_copy = (struct copy){ .in = -1, .out = { -1, -1 }, .nout = row->nout,
	    .len = s->report->len, .to_eof = fed || has_part(s) || !has_more(s),
	    .into_socket = is_socket(row->into[0]), .map_advice = row->advice->input_step->flags & MAPS_TOO,
	    .block = block < 0 ? -block * s->bs : block, .cpus = s->cpus, .failure.nth = -1,
	    .kit = &attempt->own_kit, .job = &attempt->own_job };
}

/* Load all of the input into the page cache, or evict it. */
static void prepare_input(struct session *s) {
	int64_t len = s->report->len, zeros = 0;
	int fd = s->source.data_fd;
	if (s->opt.cold) evict(fd);
	if (s->opt.cold || !s->source.watched) return;
	if ((double)count_resident(fd, len) >= RESIDENT * (double)len) return;
	read_through(fd, len, &zeros);
	s->report->seen.fetched++;
}

static bool size_pipes(const struct row *row, struct copy *c) {
	int64_t bytes = row->big_pipes ? PIPE_LARGE : PIPE_DEFAULT;
	bool sized = row->input->ops->kind != KIND_PIPE || size_pipe(c, c->in, bytes);
	for (int i = 0; i < row->nout && sized; i++)
		sized = row->into[i]->ops->kind != KIND_PIPE || size_pipe(c, c->out[i], bytes);
	return sized;
}

static void cleanup_ends(const struct row *row, const struct copy *c) {
	cleanup_endpoint(row->input, c);
	for (int i = 0; i < row->nout; i++) cleanup_endpoint(row->into[i], c);
}

/* True if the file that a command made is not the end's, and the end's path still leads to a file. */
static bool is_not_end(const struct endpoint *e, const struct stat *made) {
	struct stat st;
	return !same_inode(made, &e->stat) && (!e->path || !stat(e->path, &st));
}

/* Remove the file that a command made at new_name. Fail if it may be an end that the command has moved. */
static void remove_new(const struct row *row, struct copy *c) {
	struct endpoint *e = row->into[0];
	struct stat made;
	if (e->new_name && !fstatat(e->dir_fd, e->new_name, &made, AT_SYMLINK_NOFOLLOW)) {
		bool ours = S_ISREG(made.st_mode) && is_not_end(row->input, &made);
		for (int i = 0; i < row->nout; i++) ours = ours && is_not_end(row->into[i], &made);
		if (!ours || unlinkat(e->dir_fd, e->new_name, 0)) {
			warn("%s: is left in the directory of %s: it may be an end that %s has moved",
			    e->new_name, e->label, row->name);
			fail(c, NO_ERRNO, "left a file, which may be an end");
		}
	}
	free(e->new_name);
	e->new_name = NULL;
}

/* Returns the bytes in holes of a file's first len, by lseek(2), SEEK_DATA; 0 if that is refused. */
static int64_t count_holes(int fd, int64_t len) {
	int64_t holes = 0, at = 0, start = lseek(fd, 0, SEEK_CUR);
	for (int i = 0; i < HOLES_MAX && at < len; i++) {
		int64_t data = lseek(fd, at, SEEK_DATA);
		if (data < 0 && errno == ENXIO) data = len; /* a hole to the end */
		if (data < 0) holes = 0;
		if (data < 0) break;
		data = min(data, len);
		holes += data - at;
		at = data < len ? lseek(fd, data, SEEK_HOLE) : len;
		if (at < 0) break;
	}
	lseek(fd, start, SEEK_SET);
	return holes;
}

/* Start the input's process, empty outputs with --replace, advise, copy, and finish the ends. */
static bool copy_and_finish(const struct row *row, struct copy *c) {
	bool ok = true;
	start_child(&row->input->process, true);
	for (int i = 0; i < row->nout && ok; i++) {
		bool emptied = is_file(row->into[i]) && row->into[i]->fill == REPLACED;
		if (emptied && RETRY(ftruncate(c->out[i], 0))) ok = fail_out(c, i, errno, "ftruncate");
	}
	ok = ok && advise(c, row->advice) && row->strategy->method->copy(c);
	for (int i = 0; i < row->nout && ok; i++) {
		if (row->into[i]->ops->finish) ok = row->into[i]->ops->finish(row->into[i], c);
		if (!ok) c->failure.nth = i;
	}
	return ok;
}

/* True if nothing of the copy competed with its thread: no other thread, kernel worker, or process. */
static bool is_alone(const struct row *row, const struct copy *c) {
	bool alone = !row->command && !c->kit->pool && !c->kit->uring && !row->input->process.pid;
	for (int i = 0; i < row->nout; i++)
		alone = alone && !row->into[i]->process.pid && row->into[i]->ops->kind & SEEK;
	return alone;
}

/* Time the advice, set-up, the copy and the ends' finish. */
static void time_copy(struct session *s, const struct row *row, struct copy *c, struct run *run) {
	int fds[COUNTERS];
	bool alone = is_alone(row, c);
	open_counters(s, fds);
	int64_t delay = read_delay();
	prctl(PR_TASK_PERF_EVENTS_ENABLE);
	int64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID), start = now();
	copy_and_finish(row, c);
	run->ns = max(1, now() - start); /* a coarse clock may not have advanced */
	run->cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu + c->job->process.cpu_ns;
	prctl(PR_TASK_PERF_EVENTS_DISABLE);
	if (delay >= 0 && alone && is_alone(row, c)) {
		s->report->seen.watched_ns += run->ns;
		s->report->seen.delayed_ns += min(read_delay() - delay, run->ns);
	}
	read_counters(fds, run);
}

/* Returns a name for an end's descriptor, for a command: the path of a file, or else a name in /proc, where
 * nothing can be removed: a command that runs as root might replace /dev/stdout by a file. Allocated. */
static char *name_endpoint(const struct endpoint *e, int fd) {
	char *path = is_file(e) ? path_of(fd) : NULL;
	return path ? path : name_fd(fd);
}

/* Find an unused name in the output's directory. Returns its path; allocated. */
static char *name_new(struct endpoint *e) {
	struct stat st;
	int n = 0;
	do {
		free(e->new_name);
		e->new_name = format_text(".write-bench.%d.%d", (int)getpid(), n++);
	} while (!fstatat(e->dir_fd, e->new_name, &st, AT_SYMLINK_NOFOLLOW));
	return format_text("%.*s/%s", (int)(strrchr(e->path, '/') - e->path), e->path, e->new_name);
}

/* Name the ends for a command, as they are in this run. */
static void name_ends(const struct row *row, struct copy *c) {
	struct endpoint *const endpoints[] = { row->input, row->into[0], row->into[1] };
	const int fds[] = { c->in, c->out[0], c->out[1] };
	for (int i = 0; i < NAMES; i++)
		if (is_named_to(row->command, i, row->nout)) {
			bool is_new = i == NAME_OUT && endpoints[i]->dir_fd >= 0; /* --new */
			c->job->to_start.end_names[i] = is_new ? name_new(endpoints[i])
			    : name_endpoint(endpoints[i], fds[i]);
		}
}

static void free_names(struct command *command) {
	for (int i = 0; i < NAMES; i++) free(command->end_names[i]);
}

static bool prepare_ends(struct session *s, const struct row *row, struct copy *c) {
	prepare_input(s);
	bool ready = prepare_endpoint(row->input, c, &c->in);
	/* the first output last: its process may wait for bytes */
	for (int i = row->nout - 1; i >= 0 && ready; i--) {
		row->into[i]->unverified = !row->verified;
		ready = prepare_endpoint(row->into[i], c, &c->out[i]);
	}
	return ready;
}

/* With --reuse: set up what the row needs, by an untimed copy. Returns false if the copy failed. */
static bool copy_before(const struct row *row, struct copy *c) {
	bool ok = size_pipes(row, c) && copy_and_finish(row, c) && c->done == c->len && !caught;
	release_files(c->kit);
	c->kit->reused = true;
	if (!ok) return false;
	cleanup_ends(row, c);
	c->done = 0;
	c->cloned = false;
	return true;
}

/* Copy once by a row. Returns false if the ends could not be prepared. */
static bool copy_once(struct session *s, const struct row *row, struct copy *c, struct run *run) {
	int64_t start = now();
	bool ready = prepare_ends(s, row, c), go = ready && !caught;
	s->reset_ns = now() - start;
	if (go && s->opt.reuse && !row->command) {
		go = copy_before(row, c);
		if (go) ready = prepare_ends(s, row, c);
	}
	if (s->opt.cold) run->resident = count_resident(s->source.data_fd, c->len);
	if (row->command) name_ends(row, c);
	if (go && ready && size_pipes(row, c) && !caught) time_copy(s, row, c, run);
	free_names(&c->job->to_start);
	if (row->nout == 1) c->failure.nth = -1;
	drop_kit(c->kit); /* first: it may hold an end open */
	cleanup_ends(row, c);
	remove_new(row, c);
	return ready;
}

static const struct verdict untried = { .outcome = UNTRIED, .failure.nth = -1 };

static struct verdict not_applicable(const char *reason) {
	return (struct verdict){ .outcome = REFUSED, { .err = NO_ERRNO, .call = reason, .nth = -1 } };
}

static struct verdict call_failed(int err, const char *call) {
	return (struct verdict){ .outcome = FAILED, { .err = err, .call = call, .nth = -1 } };
}

/* True if a command writes to a name of its own: it has no $OUT, and the output's offset is still 0. */
static bool writes_by_name(const struct row *row, const struct job *job) {
	return job->reached == 0 && !strstr(row->command, "$OUT") && !strstr(row->command, "${OUT");
}

/* Returns the failure of a command: its exit status, and lines of its standard error. */
static struct verdict command_failed(const struct child *child, const char *name) {
	char *words = child_words(child), *why = format_line("%s%s%s%s", name, status_text(child->status).str,
	    *words ? ": " : "", words);
	free(words);
	return call_failed(NO_ERRNO, why);
}

/* True if the process of an end failed. *v: why, from a command's standard error or our process's errno. */
static bool judge_child(const struct endpoint *e, struct verdict *v) {
	int status = e->process.status;
	if (!status) return false;
	if (command_of(e)) *v = command_failed(&e->process, fmt("--%s: ", e->ops->option_name).str);
	else if (WIFEXITED(status)) *v = call_failed(WEXITSTATUS(status), "the process at an end");
	else *v = command_failed(&e->process, "the process at an end: ");
	return true;
}

/* Judge the children, the calls and the length. A failed child is the cause of EPIPE and ECONNRESET. Ignore
 * the status of an input's command once all is copied. */
static struct verdict judge_calls(const struct row *row, const struct copy *c, bool ready) {
	struct verdict v = { .outcome = COPIED, .failure = c->failure };
	bool peer = c->failure.err == EPIPE || c->failure.err == ECONNRESET, ours = c->failure.err && !peer;
	for (int i = 0; i < row->nout && !ours; i++)
		if (judge_child(row->into[i], &v)) return v;
	if (c->job->process.status) return command_failed(&c->job->process, "");
	bool cut = c->done != c->len || !command_of(row->input);
	if (!c->failure.err && cut && judge_child(row->input, &v)) return v;
	bool ignored = c->kit->alignment && ignores_direct(row->into[0]);
	if (row->strategy->method->flags & DIRECT_IN) ignored |= ignores_direct(row->input);
	if (c->failure.err) {
		bool refused = ready && c->done == 0 && errno_fact(c->failure.err)->refusal;
		v.outcome = refused ? REFUSED : FAILED;
	} else if (c->done != c->len) {
		v = call_failed(NO_ERRNO, "too few bytes: the input ended early, or a call moved nothing");
	} else if (ignored) {
		v = not_applicable("the file system ignored O_DIRECT");
	}
	return v;
}

/* True if the method reads no byte of an input of these kinds. */
static bool passes_on(const struct method *method, unsigned kinds) {
	return (method->flags & UNREAD_SPLICED && kinds & SPLICED)
	    || (method->flags & UNREAD_MAP && kinds & SEEK);
}

/* True if an output shares blocks with the input, or the second output with the first. Once a row has copied,
 * check it only if it shared. */
static bool has_shared(const struct row *row, int i, const struct copy *c) {
	int fd = file_of(row->into[i]);
	if (!(row->strategy->method->flags & MAY_SHARE)) return false;
	if (row->verified && row->verdict.outcome != SHARED) return false;
	if (c->cloned || (is_file(row->input) && shares_blocks(fd, row->input->data_fd, c->len))) return true;
	return i > 0 && is_file(row->into[0]) && shares_blocks(fd, file_of(row->into[0]), c->len);
}

/* Judge an output: its size, and its bytes once per row; each time if it has no blocks (unwritten?). */
static struct verdict judge_output(const struct row *row, int i, const struct copy *c) {
	const struct endpoint *e = row->into[i];
	struct verdict v = { .outcome = COPIED, .failure.nth = -1 };
	struct stat st = { .st_size = c->len, .st_mtim.tv_nsec = -1 };
	int64_t wrong = e->wrong;
	int err = 0;
	if (is_file(e) && fstat(file_of(e), &st)) return call_failed(errno, "fstat");
	if (is_file(e) && (!row->verified || st.st_blocks == 0) && is_comparable(e))
		wrong = compare(e->data_fd, false, e->input->data_fd, c->len, &err);
	if (err) return call_failed(err, "pread");
	bool unwritten = wrong >= 0 && same_time(&st.st_mtim, &e->stat.st_mtim);
	if (st.st_size == 0 || unwritten) wrong = EMPTY;
	if (wrong == EMPTY && !row->command) wrong = 0;
	if (wrong == NO_DIFFERENCE && st.st_size != c->len) wrong = min(st.st_size, c->len);
	if (wrong != NO_DIFFERENCE) {
		v.outcome = MISMATCH;
		v.at = wrong;
	} else if (is_file(e) && has_shared(row, i, c)) {
		v.outcome = SHARED;
	} else if (discards_unread(&e->stat) && passes_on(row->strategy->method, row->input->ops->kind)) {
		v.outcome = UNTOUCHED;
	}
	return v;
}

/* Judge all outputs. Returns the first failure; else, in order of precedence, SHARED, COPIED or UNTOUCHED. */
static struct verdict judge_outputs(const struct row *row, const struct copy *c) {
	struct verdict all = { .outcome = UNTOUCHED, .failure.nth = -1 };
	for (int i = 0; i < row->nout; i++) {
		struct verdict v = judge_output(row, i, c);
		if (!is_timed(v.outcome)) return v;
		if (v.outcome == SHARED || all.outcome == UNTOUCHED) all = v;
	}
	return all;
}

/* True if the input has another size than at the start; or, if asked, was modified since. */
static bool has_changed(const struct endpoint *in, bool modified) {
	struct stat st;
	if (!(in->ops->kind & DISK)) return false;
	if (fstat(in->user_fd, &st) || st.st_size != in->stat.st_size) return true;
	return modified && !same_time(&st.st_mtim, &in->stat.st_mtim);
}

/* Copy once by a row, and judge the children, the calls, the length and the outputs; and if the copy is
 * wrong, whether the input changed. All runs go through here. */
static struct verdict try(struct session *s, struct row *row, struct run *run) {
	struct attempt attempt;
	struct copy *c = &attempt.own_copy;
	begin_attempt(s, row, &attempt);
	bool ready = copy_once(s, row, c, run);
	struct verdict v = judge_calls(row, c, ready);
	drop_child(&attempt.own_job.process);
	if (is_timed(v.outcome) && !caught) v = judge_outputs(row, c);
	drop_child(&row->input->process);
	for (int i = 0; i < row->nout; i++) drop_child(&row->into[i]->process);
	row->verified |= is_timed(v.outcome);
	row->own_name |= row->command && is_timed(v.outcome) && writes_by_name(row, &attempt.own_job);
	if (v.outcome >= FAILED && has_changed(&s->source, true)) {
		v = call_failed(NO_ERRNO, "the input changed meanwhile: don't modify it");
		s->finished = true;
	}
	s->finished |= v.outcome == FAILED && (v.failure.err == ENOSPC || v.failure.err == EDQUOT);
	return caught ? untried : v;
}

/* Copy once more, untimed, with a comparing process in place of each output that was not compared in full.
 * Returns the verdict of that copy if it is wrong, else `verdict`. */
static struct verdict check_copy(struct session *s, const struct row *row, struct verdict verdict) {
	struct row own_row = *row;
	struct endpoint checks[2];
	bool needed = false;
	for (int i = 0; i < row->nout; i++) {
		bool asked = row->command || row->into[i]->ops->kind != KIND_DEVICE;
		    /* a command may write too few bytes */
		if (!row->into[i]->ops->check || !asked || !is_comparable(row->into[i])) continue;
		checks[i] = *row->into[i];
		checks[i].ops = row->into[i]->ops->check;
		checks[i].process = no_child;
		own_row.into[i] = &checks[i];
		needed = true;
	}
	if (!needed) return verdict;
	struct verdict checked = try(s, &own_row, &(struct run){ .ns = 0 });
	return is_timed(checked.outcome) ? verdict : checked;
}

/* ---- Rounds: the input read ahead, and rows in turn ------------------------------------------ */

#define PROGRESS_NAME 34        /* characters of a row's name in the progress line */
#define MEMORY_SHARE 4          /* times that memcpy's buffers must fit into usable memory */

/* Read the machine's counts: proc_stat(5); ABI/testing/sysfs-devices-system-cpu, thermal_throttle (x86). */
static struct interference read_interference(void) {
	int64_t ticks[8] = { 0 }; /* user, nice, system, idle, iowait, irq, softirq, steal */
	struct interference sum = { 0 };
	char line[256], path[PATH_MAX], *here = line + strlen("cpu");
	if (read_line("/proc/stat", line, sizeof line))
		for (int i = 0; i < LENGTH(ticks); i++) sum.ticks += ticks[i] = strtoll(here, &here, 10);
	sum.stolen = ticks[7];
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	for (long cpu = 0; cpu < cpus; cpu++) {
		snprintf(path, sizeof path,
		    "/sys/devices/system/cpu/cpu%ld/thermal_throttle/core_throttle_count", cpu);
		if (read_line(path, line, sizeof line)) sum.throttled += strtoll(line, NULL, 10);
	}
	sum.swapped = read_number("/proc/vmstat", "pswpin") + read_number("/proc/vmstat", "pswpout");
	sum.stops = read_number(cgroup_file("", "cpu.stat", path), "nr_throttled");
	return sum;
}

/* Add a run. The row's verdict is that of its last run, except that sharing and failures stay. */
static void add_run(struct row *row, const struct run *run) {
	bool stays = row->verdict.outcome == SHARED && run->verdict.outcome == COPIED;
	if (row->verdict.outcome == UNTRIED || (is_timed(row->verdict.outcome) && !stays))
		row->verdict = run->verdict;
	row->runs = grow(row->runs, row->nruns, sizeof *row->runs);
	row->runs[row->nruns++] = *run;
}

/* Returns dirty memory as a share of the level at which writers are throttled (dirty_freerun_ceiling). */
static double dirty_share(void) {
	static const char vmstat[] = "/proc/vmstat";
	double dirty = (double)(read_number(vmstat, "nr_dirty") + read_number(vmstat, "nr_writeback"));
	double limits = (double)(read_number(vmstat, "nr_dirty_threshold")
	    + read_number(vmstat, "nr_dirty_background_threshold"));
	return limits > 0 ? 2 * dirty / limits : 0;
}

/* Sleep before the output is emptied, since a guest's free pages may go back to the host. Deduct the time
 * that preparing the ends took before the previous run, up to half of the pause. */
static void pause_before(const struct session *s) {
	int64_t pause = s->report->pause;
	sleep_until(now() + max(pause / 2, pause - s->reset_ns));
}

/* Time a command on empty ends, after a pause; end it after timeout_ns. Its ends are memfds that can't grow;
 * a reader's output is /dev/null. Returns nanoseconds; -1 if the command failed, or had to be ended. */
static int64_t time_start(struct session *s, const char *text, bool reader, int64_t timeout_ns) {
	struct command command = { .text = text, .len = s->report->len };
	struct child child = no_child;
	int fds[NAMES];
	bool ready = true, ended = false;
	for (int i = 0; i < NAMES; i++) {
		fds[i] = memfd_create(end_variables[i], MFD_CLOEXEC | MFD_ALLOW_SEALING);
		ready = ready && fds[i] >= 0 && !fcntl(fds[i], F_ADD_SEALS, F_SEAL_GROW);
		if (!reader && is_named_to(text, i, s->nout)) command.end_names[i] = name_fd(fds[i]);
	}
	command.in_fd = fds[NAME_IN];
	command.out_fd = reader ? s->null_fd : fds[NAME_OUT];
	pause_before(s);
	int64_t start = now();
	if (ready && !caught && start_command(&child, &command) > 0) {
		ended = await_end(&child, start + timeout_ns, true);
		wait_child(&child, ended);
	}
	int64_t ns = max(1, now() - start);
	bool known = ended && !child.status && !caught;
	free_names(&command);
	for (int i = 0; i < NAMES; i++) close_fd(&fds[i]);
	drop_child(&child);
	return known ? ns : -1;
}

/* Run a row once; in the first rounds also time its command's start. Of a warm-up, add only failures. */
static void run_row(struct session *s, struct row *row, int round) {
	struct report *rep = s->report;
	struct run run = unknown_run;
	bool verified = row->verified;
	run.round = (int)max(round, 1);
	run.order = rep->nruns;
	pause_before(s);
	run.verdict = try(s, row, &run);
	bool copied = is_timed(run.verdict.outcome);
	if (copied && !verified) run.verdict = check_copy(s, row, run.verdict);
	bool asked = row->command && !row->own_name && round >= 1 && round <= ROUNDS_DEFAULT;
	if (copied && asked)
		run.start_ns = time_start(s, row->command, false, run.ns + SECOND);
	double dirty = has_file(s) ? 100 * dirty_share() : 0;
	if (dirty > rep->seen.dirty) rep->seen.dirty = dirty;
	if (caught || (round < 1 && is_timed(run.verdict.outcome))) return;
	add_run(row, &run);
	rep->nruns++;
}

/* Time memcpy of at most MEMCPY_STEP bytes, in pages already faulted in. Skip it if memory is short. */
static void time_memcpy(struct report *rep) {
	size_t n = min(rep->len, MEMCPY_STEP);
	if (usable_memory() < MEMORY_SHARE * 2 * (int64_t)n) return;
	unsigned char *buf = mmap(NULL, 2 * n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (buf == MAP_FAILED) return;
	memset(buf, POISON, 2 * n);
	int64_t start = now();
	memcpy(buf + n, buf, n);
	int64_t ns = max(1, now() - start);
	if (buf[2 * n - 1] == POISON) rep->memcpy_ns = rep->memcpy_ns ? min(rep->memcpy_ns, ns) : ns;
	munmap(buf, 2 * n);
}

/* Returns the number of runs done at all sizes, and in *total those planned. */
static int count_runs(const struct session *s, int *total) {
	int done = 0;
	*total = 0;
	for (const struct report *rep = s->reports; rep < s->reports + s->nreports; rep++) {
		for (const struct row *row = rep->rows; row < rep->rows + rep->nrows; row++) {
			bool ended = row->nruns > 0 && !is_timed(row->verdict.outcome);
			done += row->nruns;
			int64_t runs = max(rep->rounds, row->planned);
			*total += ended ? row->nruns : (int)max(runs, row->nruns);
		}
	}
	return done;
}

/* Overwrite the progress line on a terminal: runs done and planned, what runs, and the ETA. */
static void show_progress(struct session *s, const char *what) {
	int planned, runs = count_runs(s, &planned), width = terminal_width(STDERR_FILENO);
	char line[128];
	if (s->opt.quiet || !has_escapes(STDERR_FILENO)) return;
	int used = snprintf(line, sizeof line, "%4d/%d  %-*.*s", runs, planned, PROGRESS_NAME,
	    PROGRESS_NAME, what);
	if (runs > 0) {
		int64_t remaining = (now() - s->started) / runs * max(planned - runs, 0) / SECOND;
		used += snprintf(line + used, sizeof line - used, "  ETA %d:%02d", (int)(remaining / 60),
		    (int)(remaining % 60));
	}
	clear_progress();
	line[min(used, width - 1)] = '\0';
	in_progress = true;
	print_progress(line);
}

/* Fisher and Yates. The bias of the remainder is below n in 2^64. */
static void shuffle(struct row **picked, int n, uint64_t *state) {
	for (int i = n - 1; i > 0; i--) {
		int k = random_number(state) % (i + 1);
		struct row *row = picked[i];
		picked[i] = picked[k];
		picked[k] = row;
	}
}

/* Run one round of rows, shuffled unless --in-order is set. Skip rows that failed or were refused. */
static void run_round(struct session *s, struct row **picked, int n, int round) {
	if (!s->opt.in_order) shuffle(picked, n, &s->random);
	for (int i = 0; i < n && !caught && !s->finished; i++) {
		if (picked[i]->nruns > 0 && !is_timed(picked[i]->verdict.outcome)) continue;
		show_progress(s, picked[i]->name);
		run_row(s, picked[i], round);
	}
}

/* Copy at most c->len bytes from c->in to a descriptor. */
static bool copy_to(struct copy *c, int fd, bool (*copy)(struct copy *)) {
	struct kit kit = empty_kit;
	c->out[0] = fd;
	c->nout = 1;
	c->block = M;
	c->kit = &kit;
	bool ok = copy(c);
	drop_kit(&kit);
	c->kit = NULL;
	return ok;
}

/* Time the process at the input alone: all that it writes is read from a large pipe, and discarded. */
static void time_input(struct session *s) {
	struct endpoint *in = &s->source;
	struct copy c = { .in = -1, .len = s->report->len, .failure.nth = -1 };
	if (prepare_endpoint(in, &c, &c.in) && size_pipe(&c, c.in, PIPE_LARGE)) {
		int64_t start = now(), least = s->report->input_ns;
		start_child(&in->process, true);
		bool known = copy_to(&c, s->null_fd, copy_read_write) && c.done == c.len;
		int64_t ns = max(1, now() - start);
		if (known) s->report->input_ns = least ? min(least, ns) : ns;
	}
	cleanup_endpoint(in, &c);
	drop_child(&in->process);
}

/* Time the start of --into's command, before a round, so that the command's last process gets a copy. */
static void time_into(struct session *s) {
	int64_t *least = &s->report->seen.into_start;
	int64_t start = time_start(s, command_of(&s->sinks[0]), true, SECOND);
	if (start > 0) *least = *least ? min(*least, start) : start;
}

/* Run a round of all rows; in the first rounds also time the start of --into, memcpy, and the input alone. */
static void run_all(struct session *s, struct row **picked, int n, int round) {
	bool first = round <= ROUNDS_DEFAULT;
	if (first && command_of(&s->sinks[0])) time_into(s);
	run_round(s, picked, n, round);
	if (!first || caught || s->finished) return;
	if (n > 1) time_memcpy(s->report);
	if (s->source.ops->kind == KIND_PIPE) time_input(s);
}

/* Run rows that were timed, in the rounds after `from`, up to `upto`. */
static void run_on(struct session *s, struct row **picked, int n, int64_t from, int64_t upto) {
	for (int i = 0; i < n; i++) picked[i]->planned = picked[i]->nruns + upto - from;
	for (int64_t round = from + 1; round <= upto; round++) run_round(s, picked, n, (int)round);
}

/* Run the second step of the schedule: the rows in question. */
static void run_finalists(struct session *s, struct row **picked) {
	struct report *rep = s->report;
	int n = 0;
	find_finalists(rep, true);
	for (struct row *row = rep->rows; row < rep->rows + rep->nrows; row++)
		if (row->finalist && is_copy(row)) picked[n++] = row;
	run_on(s, picked, n, rep->rounds, last_early(rep));
}

/* Run the third step: the user's command and the row to use; or the baseline and the commands. */
static void run_deciders(struct session *s, struct row **picked) {
	struct report *rep = s->report;
	const struct summary *sum = &rep->summary;
	int n = 0;
	rank(rep);
	bool decides = sum->own && sum->winner && sum->own != sum->winner;
	for (struct row *row = rep->rows; row < rep->rows + rep->nrows; row++) {
		bool compared = rep->baseline && (row->command || row == find_baseline(rep));
		bool asked = decides && (row == sum->own || row == sum->winner);
		if (is_timed(row->verdict.outcome) && (compared || asked)) picked[n++] = row;
	}
	run_on(s, picked, n, last_early(rep), last_early(rep) + ROUNDS_LAST);
}

/* Record a verdict of a row that is not run. */
static void leave_out(struct report *rep, struct row *row, struct verdict verdict) {
	struct run run = unknown_run;
	run.round = 1;
	run.order = rep->nruns++;
	run.verdict = verdict;
	add_run(row, &run);
}

static void measure(struct session *s) {
	struct report *rep = s->report;
	int n = rep->nrows;
	struct interference *seen = &rep->seen.machine, before = read_interference();
	struct row **picked = allocate(n, sizeof *picked);
	for (int i = 0; i < n; i++) {
		struct row *row = picked[i] = &rep->rows[i];
		row->input = &s->source;
		row->nout = s->nout;
		for (int k = 0; k < s->nout; k++) row->into[k] = &s->sinks[k];
	}
	s->random = (uint64_t)s->opt.seed;
	for (int round = 1 - (int)s->opt.warmup; round < 1; round++) run_round(s, picked, n, round);
	if (rep == s->reports) s->started = now();
	for (int round = 1; round <= rep->rounds; round++) run_all(s, picked, n, round);
	if (!s->opt.runs_asked && !rep->limit && !caught && !s->finished) {
		run_finalists(s, picked);
		find_finalists(rep, has_later_rounds(rep));
		run_deciders(s, picked);
	}
	find_finalists(rep, has_later_rounds(rep)); /* also after an interruption */
	*seen = read_interference();
	seen->ticks -= before.ticks;
	seen->stolen -= before.stolen;
	seen->throttled -= before.throttled;
	seen->swapped -= before.swapped;
	seen->stops -= before.stops;
	free(picked);
	clear_progress();
}

/* Copy to an unnamed file in a directory, and sync it. Returns its descriptor; -1 after a failure. By
 * copy_read_write(), failure.nth is then 0 if the file failed, -1 if the input did. */
static int spool(struct copy *c, int dir_fd, bool (*copy)(struct copy *)) {
	int fd = open_unnamed(dir_fd);
	bool ok = fd < 0 ? fail_out(c, 0, errno, "open") : copy_to(c, fd, copy);
	if (ok && RETRY(fdatasync(fd))) ok = fail_out(c, 0, errno, "fdatasync");
	if (!ok) close_fd(&fd);
	return fd;
}

/* Refuse an input that could not be read ahead: nothing has been touched. */
static void check_spool(const struct session *s, int64_t len, const struct failure *fault) {
	const char *label = s->source.label;
	struct verdict v;
	if (caught) die("%s: interrupted, %s read ahead: nothing is copied", label, size_text(len).str);
	if (fault->err && fault->nth >= 0)
		die("%s: can't be spooled in %s (%s so far): %s: %s (%s): set TMPDIR to another directory, "
		    "or use --size", label, spool_directory(), size_text(len).str, fault->call,
		    errno_name(fault->err).str, strerror(fault->err));
	if (judge_child(&s->source, &v)) die("%s", v.failure.call);
	if (fault->err) die_errno(label, fault->err, fault->call);
	if (len == 0) die("%s: is empty: nothing to copy", label);
}

/* Spool a pipe or socket; or a command's output, to compare copies with. Returns the bytes. */
static int64_t read_ahead(struct session *s) {
	struct endpoint *in = &s->source;
	bool command = command_of(in);
	int64_t asked = largest_size(&s->opt.sizes);
	struct copy c = { .in = in->user_fd, .len = asked ? asked : INT64_MAX, .failure.nth = -1 };
	show_progress(s, "reading the input ahead");
	int dir_fd = open(spool_directory(), O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0) fail_out(&c, 0, errno, "open");
	if (succeeded(&c) && (!command || prepare_endpoint(in, &c, &c.in))) {
		start_child(&in->process, true);
		in->data_fd = spool(&c, dir_fd, copy_read_write);
	}
	close_fd(&dir_fd);
	in->len = !asked || c.done < asked || !command ? c.done : -1; /* -1: the command may have more */
	if (command) cleanup_endpoint(in, &c);
	if (in->len < 0) in->process.status = 0; /* its reader has stopped */
	clear_progress();
	check_spool(s, c.done, &c.failure);
	drop_child(&in->process);
	return c.done;
}

/* True if the command of a row ignores $SIZE, and so reads its input to EOF. */
static bool reads_on(const struct row *row) { return row->command && !has_word(row->command, "SIZE"); }

/* If a command ignores $SIZE, it reads to EOF: let all rows read an unnamed copy of the first bytes. */
static void make_part(struct session *s) {
	struct report *rep = s->report;
	struct endpoint *in = &s->source;
	struct copy c = { .in = in->user_fd, .len = rep->len, .failure.nth = -1 };
	int commands = 0;
	for (int i = 0; i < rep->nrows; i++) commands += reads_on(&rep->rows[i]);
	if (!commands || !(in->ops->kind & DISK) || rep->len == in->len) return;
	show_progress(s, "copying the first bytes of the input");
	int part = in->dir_fd >= 0 ? spool(&c, in->dir_fd, copy_with_holes) : -1;
	clear_progress();
	if (part >= 0) in->data_fd = part;
	for (struct row *row = rep->rows; row < rep->rows + rep->nrows && part < 0; row++)
		if (reads_on(row))
			leave_out(rep, row, not_applicable("it would read all of the input, and the input's "
			    "directory takes no file: use $SIZE"));
}

static void drop_part(struct session *s) {
	if (has_part(s)) close(s->source.data_fd);
	if (s->source.ops->kind & DISK) s->source.data_fd = s->source.user_fd;
}

/* Evict the input, so that its folios don't depend on its writer. Then read it into the page cache. */
static void cache_input(struct session *s) {
	struct endpoint *in = &s->source;
	struct seen *seen = &s->report->seen;
	int64_t len = s->report->len, zeros = 0;
	seen->zeros = is_mem(&in->stat, MEM_ZERO) ? 100 : 0;
	if (in->data_fd < 0 || in->ops->kind == KIND_DEVICE) return;
	if (is_file(in)) seen->holes = 100 * (double)count_holes(in->data_fd, len) / (double)len;
	show_progress(s, "reading the input once");
	if (in->ops->kind & DISK) evict(in->data_fd);
	int64_t n = read_through(in->data_fd, len, &zeros);
	seen->zeros = 100 * (double)zeros / (double)len;
	in->watched = count_resident(in->data_fd, len) > 0;
	clear_progress();
	if (n < 0 && s->report == s->reports) die_errno(in->label, errno, "read");
	unsigned char byte;
	bool longer = len == in->len && full_pread(in->data_fd, &byte, 1, len) > 0;
	if ((n == len && !longer) || caught) return;
	s->finished = true; /* an earlier size may have results to keep */
	if (s->report != s->reports) return;
	if (longer) die("%s: has more bytes than its size tells: put \"cat FILE |\" before", in->label);
	die("%s: ends at byte %" PRId64 " of %" PRId64 ": don't modify it while it is copied, or use a file "
	    "whose size is right (not one of sysfs)", in->label, n, len);
}

/* Prepare the input for a size. Leave out rows whose fallocate(2) ends btrfs's compression of the output. */
static void begin_size(struct session *s, struct report *rep) {
	s->report = rep;
	make_part(s);
	for (struct row *row = rep->rows; row < rep->rows + rep->nrows; row++)
		if (row->advice->output_step->flags & ALLOCATES && any_output(s, is_compressed))
			leave_out(rep, row, not_applicable("fallocate ends the compression of the output"));
	cache_input(s);
}

/* ---- The last copy: what stays in the outputs ------------------------------------------------ */

/* Returns the output on which a call failed, in words; "" if there is one output. */
static const char *output_words(const struct failure *fault) {
	if (fault->nth < 0) return "";
	return fault->nth ? " into the second output" : " into the first output";
}

/* Describe a failure in words. Allocated. */
static char *format_verdict(const struct verdict *v) {
	const char *call = or_dash(v->failure.call);
	if (v->outcome == MISMATCH && v->at == EMPTY) return format_text(WROTE_NOTHING);
	if (v->outcome == MISMATCH && v->at >= 0)
		return format_text("differs from the input at byte %" PRId64, v->at);
	if (v->outcome != FAILED && v->outcome != REFUSED) return format_text("%s", "");
	if (v->failure.err == NO_ERRNO) return format_text("%s", call);
	return format_text("%s%s: %s", call, output_words(&v->failure), errno_text(v->failure.err).str);
}

/* Copy to a file by read and write, whatever it holds, and compare. Returns false after a message. */
static bool copy_plainly(struct session *s, struct endpoint *e) {
	static const struct strategy plainly = { "read+write", &read_write, CHUNK, 0, NULL };
	struct row own_row = { .name = "the copy that stays", .strategy = &plainly, .advice = advices,
	    .input = &s->source, .into = { e }, .nout = 1 };
	if (e->data_fd != e->user_fd) close_fd(&e->data_fd);
	open_to_read(e);
	e->fill = EMPTIED;
	show_progress(s, own_row.name);
	struct verdict v = try(s, &own_row, &(struct run){ .ns = 0 });
	clear_progress();
	lseek(e->user_fd, s->report->len, SEEK_SET);
	if (is_timed(v.outcome)) return true;
	char *why = format_verdict(&v);
	if (caught) warn("%s: not fully verified: interrupted", e->label);
	else warn("%s: is not a copy of the input: %s", e->label, why);
	free(why);
	return false;
}

static bool stores_nothing(const struct endpoint *e) { return !is_file(e); }

/* Leave a copy in the outputs that are files, and flush all outputs. Returns false after a message. */
static bool leave_copy(struct session *s) {
	bool good = true;
	s->opt.cold = s->opt.reuse = s->opt.counters = false;
	for (int i = 0; i < s->nout && !caught; i++) {
		struct endpoint *e = &s->sinks[i];
		const char *call;
		if (is_file(e)) good &= copy_plainly(s, e);
		int err = e->user_fd < 0 ? 0 : flush_fd(e->user_fd, &call);
		if (err) warn("%s: %s: %s", e->label, call, errno_text(err).str);
		good &= !err;
	}
	if (s->source.ops->kind & DISK) lseek(s->source.user_fd, s->report->len, SEEK_SET);
	/* files were compared again; for other outputs, the input must not have been modified */
	if (good && has_changed(&s->source, any_output(s, stores_nothing))) {
		warn("%s: changed meanwhile: don't modify it", s->source.label);
		good = false;
	}
	return good && !caught;
}

/* Check each output file again, after the reports were written. Returns false after a message. */
static bool check_outputs(const struct session *s) {
	struct stat st;
	bool good = true;
	for (const struct endpoint *e = s->sinks; e < s->sinks + s->nout; e++) {
		if (!e->path) continue;
		bool gone = !leads_to(e->path, e->user_fd);
		bool other = fstat(e->user_fd, &st) || st.st_size != s->report->len;
		for (int i = 1; i <= s->opt.nreport_files; i++) /* a served file may show an old size */
			other |= is_alias(s->report_fds[i], e->user_fd);
		if (gone) warn("%s: was removed, or replaced by another file: %s", e->label, e->path);
		else if (other) warn("%s: is not a copy any more: another program writes to it", e->label);
		good &= !gone && !other;
	}
	return good;
}

/* ==== Print =================================================================================== */

/* ---- Words: outcomes, names and numbers ------------------------------------------------------ */

#define CPU_SHOWN 10            /* percent: a CPU share this close to one CPU is not shown */
#define CPU_LEAST MILLISECOND   /* shorter runs have no CPU share: part of their CPU time is not timed */
#define CPU_STEP (10 * MILLISECOND) /* tick of a coarse CPU clock (user-mode Linux) */

/* Outcomes in CSV and JSON, where the errno may follow, and in words. */
static const struct {
	const char *key, *words;
} outcomes[] = {
	[UNTRIED] = { "not run", "Not run" },
	[COPIED] = { "ok", "Measured" },
	[SHARED] = { "shared", "Not ranked, since blocks are shared and no data moved" },
	[UNTOUCHED] = { "untouched", "Not ranked, since neither the row nor the device looks at a byte" },
	[REFUSED] = { "n/a", "n/a" },
	[FAILED] = { "failed", "Failed" },
	[MISMATCH] = { "mismatch", "Copied wrongly" },
};

static const char *const change_words[] = {
	[UNCOMPARED] = "", [TOO_FEW] = "too few runs", [SAME] = "not shown", [FASTER] = "faster",
	[SLOWER] = "slower", [NOT_SLOWER] = "not slower", [UNDECIDED] = "undecided", [UNUSABLE] = "failed",
};

static struct words outcome_text(const struct verdict *v) {
	bool named = (v->outcome == REFUSED || v->outcome == FAILED) && v->failure.err != NO_ERRNO;
	return fmt("%s%s%s", outcomes[v->outcome].key, named ? " " : "",
	    named ? errno_name(v->failure.err).str : "");
}

/* Format the detail of an outcome: the call that failed, or the offset of a mismatch. Allocated. */
static char *format_detail(const struct verdict *v) {
	if (v->outcome == REFUSED || v->outcome == FAILED)
		return format_text("%s%s", or_dash(v->failure.call), output_words(&v->failure));
	if (v->outcome != MISMATCH || v->at == NO_DIFFERENCE) return format_text("%s", "");
	return v->at == EMPTY ? format_text(WROTE_NOTHING) : format_text("%" PRId64, v->at);
}

/* Returns the CPU time as a share of the run, percent; -1 if not known, or few ticks of a coarse clock. */
static double cpu_share(const struct row *row) {
	bool coarse = row->typical.cpu_ns < 10 * CPU_STEP;
	for (int i = 0; i < row->nruns; i++) coarse = coarse && row->runs[i].cpu_ns % CPU_STEP == 0;
	if (row->typical.cpu_ns < 0 || row->median < CPU_LEAST || coarse) return -1;
	return 100.0 * (double)row->typical.cpu_ns / (double)row->median;
}

/* Empty for about one CPU; from ten CPUs up a multiple ("12x"). */
static struct words cpu_text(const struct row *row) {
	double share = cpu_share(row);
	if (share < 0) return fmt("-");
	if (share >= 100 - CPU_SHOWN && share <= 100 + CPU_SHOWN) return fmt("%s", "");
	return share < 999.5 ? fmt("%.0f%%", share) : fmt("%.0fx", share / 100);
}

/* Cut the middle of a name that has more characters than width. Allocated. */
static char *shorten_name(const char *name, int width) {
	int length = (int)strlen(name), extra = width_of(name) + 3 - (int)max(width, 5);
	if (extra <= 3) return format_text("%s", name);
	int head = prefix_length(name, length, (width_of(name) - extra) / 2);
	int cut = prefix_length(name + head, length - head, extra);
	return format_text("%.*s...%s", head, name, name + head + cut);
}

static int compare_names(const void *a, const void *b) {
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Returns a width, at least `width`, at which no two shortened names are equal. */
static int distinct_width(const struct row *const *rows, int n, int width) {
	char **names = allocate(n, sizeof *names);
	for (bool alike = true; alike; width += alike ? 1 + width / 20 : 0) {
		for (int i = 0; i < n; i++) names[i] = shorten_name(rows[i]->name, width);
		qsort(names, n, sizeof *names, compare_names);
		alike = false;
		for (int i = 1; i < n; i++) alike |= !strcmp(names[i - 1], names[i]);
		for (int i = 0; i < n; i++) free(names[i]);
	}
	free(names);
	return width;
}

/* Label the rows of a report for sentences: with their names, shortened if `cut`. */
static void label_rows(struct report *rep, bool cut) {
	const struct row *const *rows = (const struct row *const *)rep->ranked;
	int width = cut ? distinct_width(rows, rep->nrows, NAME_WIDTH) : INT_MAX;
	for (int i = 0; i < rep->nrows; i++) {
		free(rep->rows[i].label);
		rep->rows[i].label = shorten_name(rep->rows[i].name, width);
	}
}

/* Returns a time's lag behind the best, percent. */
static double percent_behind(int64_t ns, int64_t best) {
	return 100.0 * (double)(ns - best) / (double)(best ? best : 1);
}

/* Returns the reason why a row is not ranked, in a word. */
static const char *unranked_word(const struct row *row) {
	return is_copy(row) ? "start-up" : outcomes[row->verdict.outcome].key;
}

/* The lag of a row's best run behind the best of all; or the reason if the row is not ranked. */
static struct words behind_text(const struct report *rep, const struct row *row) {
	if (row == rep->summary.first) return fmt("%s", "");
	if (!is_ranked(row)) return fmt("%s", unranked_word(row));
	double percent = percent_behind(row->best, rep->summary.first->best);
	if (percent >= 9999.5) return fmt("(>9999%%)");
	return fmt("(+%.*f%%)", percent < 99.95 ? 1 : 0, percent);
}

/* A time of a row, and its mark; or the reason if it is not ranked. */
static struct words cell_text(const struct report *rep, const struct row *row, int64_t ns) {
	if (!row) return fmt("-");
	if (!is_ranked(row)) return fmt("%s", unranked_word(row));
	return fmt("%s%s", time_text(ns, rep->summary.fine).str, row->marked ? "~" : "");
}

/* A ratio as a change: "+3.5%". */
static struct words percent_text(double factor) {
	double percent = 100 * factor - 100;
	if (percent > -0.05 && percent < 0.05) percent = 0; /* no "-0.0%" */
	if (percent >= 9999.5) return fmt(">9999%%");
	return fmt("%+.*f%%", percent < 999.95 ? 1 : 0, percent);
}

/* A row's name in a sentence: a command without its "$ ". Borrowed. */
static const char *bare_name(const struct row *row) { return row->label + (row->command ? 2 : 0); }

/* ---- The answer: what the first sentence says ------------------------------------------------ */

#define CACHED (16 * M)         /* bytes: a smaller memcpy stays in the CPU's caches and bounds nothing */
#define INPUT_BOUND 1.1         /* times the input alone: the input limits a row that takes no longer */

/* Returns the value of a fact; NULL if it is not known. Borrowed. */
static const char *find_fact(const struct report *rep, const char *key) {
	for (int i = 0; i < rep->nfacts; i++)
		if (!strcmp(rep->facts[i].key, key)) return rep->facts[i].value;
	return NULL;
}

/* Returns memcpy's speed, bytes per nanosecond; 0 if it is not known, or that of a cache. */
static double memcpy_speed(const struct report *rep) {
	int64_t best = rep->memcpy_ns, bytes = min(rep->len, MEMCPY_STEP);
	return best > 0 && bytes >= CACHED ? speed(bytes, best) : 0;
}

/* Returns the first row that shared the blocks, of the commands or of the other rows; NULL if none did. */
static const struct row *find_sharing(const struct report *rep, bool command) {
	for (int i = 0; i < rep->nrows; i++) {
		const struct row *row = rep->ranked[i];
		if (row->verdict.outcome == SHARED && command == (row->command != NULL)) return row;
	}
	return NULL;
}

/* Returns the row that shared the blocks: a command to keep, or else a row to use; NULL if none did. */
static const struct row *sharing_row(const struct report *rep) {
	const struct row *command = find_sharing(rep, true);
	return command ? command : find_sharing(rep, false);
}

/* Returns the row to keep or to use if the bytes must be copied; NULL if there is none. */
static const struct row *recommended(const struct report *rep) {
	const struct summary *sum = &rep->summary;
	bool asked = sum->own && sum->own->command;
	if (sum->answer == KEEP) return sum->own;
	if (sum->answer == MORE && (asked || sum->runs < 2)) return NULL;
	return sum->answer == NOTHING ? NULL : sum->winner;
}

/* " (95%: 1.52 to 2.31)", or nothing. */
static struct words interval_text(struct ratio gain, const char *unit) {
	if (gain.low <= 0) return fmt("%s", "");
	return fmt(" (%d%%: %.*f to %.*f%s)", gain.confidence, decimals(gain.low), gain.low,
	    decimals(gain.high), gain.high, unit);
}

/* "1.81 times as fast as cat (95%: 1.52 to 2.31)". */
static void print_gain(FILE *f, struct ratio gain, const struct row *than) {
	fprintf(f, "%.*f times as fast as %s%s%s", decimals(gain.estimate), gain.estimate, bare_name(than),
	    than->command ? "" : ", a plain loop", interval_text(gain, "").str);
}

/* Print the median, the speed, the CPUs, and the share of memcpy's speed. */
static void print_figures(FILE *f, const struct report *rep, const struct row *row) {
	double cpus = cpu_share(row) / 100, most = memcpy_speed(rep);
	fprintf(f, "median %s, %s", time_text(row->median, rep->summary.fine).str,
	    speed_text(speed(rep->len, row->median)).str);
	if (cpus >= 0) fprintf(f, " with %.1f CPU%s", cpus, cpus >= 0.95 && cpus < 1.05 ? "" : "s");
	if (most > 0) fprintf(f, ", %.0f%% of memcpy", 100 * speed(rep->len, row->median) / most);
	fputc('.', f);
}

static void print_not_shown(FILE *f, const struct row *own) {
	fprintf(f, "not shown to be faster than %s%s", bare_name(own), own->command ? "" : ", a plain loop");
}

/* "sendfile: 1.81 times as fast as cat (95%: 1.52 to 2.31); median 43.9ms, ...". */
static void print_use(FILE *f, const struct report *rep) {
	const struct summary *sum = &rep->summary;
	const struct row *own = sum->own, *winner = sum->winner;
	fputs(bare_name(winner), f);
	if (sum->answer == MORE) fprintf(f, ", by a first guess after %d runs: ", sum->runs);
	else fputs(": ", f);
	bool decided = own && sum->answer == USE;
	if (decided && own == winner) fputs("no row is shown to be faster", f);
	else if (decided && sum->gain.low > 1) print_gain(f, sum->gain, own);
	else if (decided) print_not_shown(f, own);
	fputs(decided ? "; " : "", f);
	print_figures(f, rep, winner);
}

/* "cat: sendfile is not shown to be faster (95%: 0.96 to 1.10 times as fast)." */
static void print_keep(FILE *f, const struct summary *sum) {
	const char *why = "is not shown to be faster";
	if (sum->gain.low > 1) why = "saves no more than the command takes to start";
	fprintf(f, "%s: ", bare_name(sum->own));
	if (sum->winner)
		fprintf(f, "%s %s%s.", bare_name(sum->winner), why,
		    interval_text(sum->gain, " times as fast").str);
	else fputs("no row is shown to be faster.", f);
}

/* Print the start-up time of each command, and the commands that are mostly start-up. */
static void print_starts(FILE *f, const struct report *rep) {
	int n = 0;
	for (const struct row *row = rep->rows; row < rep->rows + rep->nrows; row++) {
		if (!row->command || !is_ranked(row) || row->typical.start_ns < 0) continue;
		fprintf(f, "%s%s%s in %s", n ? ", " : " ", bare_name(row), n ? "" : " starts",
		    time_text(row->typical.start_ns, true).str);
		n++;
	}
	if (n) fputs(", which is counted.", f);
	for (const struct row *row = rep->rows; row < rep->rows + rep->nrows; row++)
		if (row->command && is_copy(row) && starts_up(row))
			fprintf(f, " %s is mostly start-up (%s of %s): copy more.", bare_name(row),
			    time_text(row->typical.start_ns, true).str, time_text(row->best, true).str);
}

/* Print hints: that the input is the limit; and at small sizes, --reuse. */
static void print_hints(FILE *f, const struct report *rep) {
	const char *reuse = find_fact(rep, "reuse");
	bool unlike = rep->len < M && reuse && !strcmp(reuse, "no");
	if ((double)rep->summary.winner->best <= INPUT_BOUND * (double)rep->input_ns)
		fprintf(f, " The input is the limit: alone it takes %s.", time_text(rep->input_ns, true).str);
	if (unlike) fputs(" In a program that copies many files: --reuse.", f);
}

/* "Keep cat: it shares the blocks, 1.49ms (reflink 33us)." */
static void print_sharing(FILE *f, const struct row *row, const struct row *other) {
	fprintf(f, "%s %s: it shares the blocks, %s", row->command ? "Keep" : "Use", bare_name(row),
	    time_text(row->median, true).str);
	if (other && other != row)
		fprintf(f, " (%s %s)", bare_name(other), time_text(other->median, true).str);
	fputc('.', f);
}

/* Print the answer about one report, unless it has a baseline, or only commands. */
static void print_answer(FILE *f, const struct report *rep) {
	const struct summary *sum = &rep->summary;
	const struct row *sharing = sharing_row(rep);
	if (rep->baseline || sum->commands_alone) return;
	if (sharing) print_sharing(f, sharing, find_sharing(rep, false));
	if (sum->answer == NOTHING) return;
	if (sharing) fputs(" If the bytes must be copied: ", f);
	if (sum->answer == KEEP) {
		fputs(sharing ? "keep " : "Keep ", f);
		print_keep(f, sum);
	} else if (recommended(rep)) {
		fputs(sharing ? "use " : "Use ", f);
		print_use(f, rep);
	} else {
		fprintf(f, "%d run%s nothing", sum->runs, sum->runs == 1 ? " shows" : "s show");
		if (sum->own && sum->own->command) fprintf(f, " about %s", bare_name(sum->own));
		fputc('.', f);
	}
	print_starts(f, rep);
	if (sum->winner) print_hints(f, rep);
}

/* Returns the row to keep or to use in a report, shared blocks first; NULL if there is none. */
static const struct row *decision(const struct report *rep) {
	const struct row *sharing = rep->baseline ? NULL : sharing_row(rep);
	return sharing ? sharing : recommended(rep);
}

/* Count the sizes, from `from` on, at which a row may be used or is kept; NULL: at which nothing is shown. */
static int count_range(const struct set *set, int from, const struct row *row) {
	int n = 0;
	for (bool same = true; same && from + n < set->n; n += same) {
		const struct report *rep = set->reports[from + n];
		const struct row *best = recommended(rep), *there = row ? find_row(rep, row->name) : NULL;
		bool usable = best && !best->command && there && is_usable(rep, there);
		same = usable || (row ? best && best == there : !best);
	}
	return n;
}

/* Returns the row that may be kept or used at the most sizes from `from` on. *upto: the first size after. */
static const struct row *find_range(const struct set *set, int from, int *upto) {
	const struct report *rep = set->reports[from];
	const struct row *best = recommended(rep);
	bool used = best && !best->command;
	int most = count_range(set, from, best);
	for (int i = 0; i < rep->nrows && used; i++) {
		int n = is_usable(rep, rep->ranked[i]) ? count_range(set, from, rep->ranked[i]) : 0;
		if (n > most) best = rep->ranked[i];
		most = (int)max(most, n);
	}
	*upto = from + most;
	return best;
}

/* ---- Facts: what the numbers were measured on ------------------------------------------------ */

#define SCHEMA 5                /* of CSV and JSON reports; others are refused */
#define NS_MAX 100000000000000000 /* longest run accepted from a file, nanoseconds: 3 years */
#define WATCHED_LEAST (5 * MILLISECOND) /* of runs: in less time, a delay may be chance */
#define SIZES_ALONE "sizes alone" /* begins what was verified, if no bytes were */
#define SIZE_IN_HEADING "filesize="
#define STAYED 10               /* percent of the input that stays in the page cache with --cold: too much */
#define ZEROS 10                /* percent of the input that is zeros or holes: unlike real data */
#define STOLEN 1                /* percent of all CPU time, stolen by the hypervisor: worth a warning */
#define DELAYED 10              /* percent of the runs' time, spent waiting for a CPU: too much */
#define NOISE "use -g noise:256m >X"
#define VARY 2                  /* times the best run: a worst run above is worth a warning */
#define MUCH 25                 /* percent of a row's time: starting a command hides the copy */

/* Words of --until, and when the clock then stops. */
static const struct {
	const char *word, *stops_when;
} untils[] = {
	[UNTIL_RETURN] = { "return", "the last call returned" },
	[UNTIL_CLOSE] = { "close", "the output was closed" },
	[UNTIL_SYNC] = { "sync", "fdatasync returned" },
};

static const char *until_words(const struct endpoint *e) {
	int held;
	if (is_socket(e) && e->user_fd >= 0 && ioctl(e->user_fd, SIOCOUTQ, &held))
		return "the last call returned, since the socket does not say when all was there";
	if (e->ops->stops_when) return e->ops->stops_when;
	return untils[is_file(e) ? e->options->until : UNTIL_RETURN].stops_when;
}

static struct utsname system_names(void) {
	struct utsname names;
	uname(&names);
	return names;
}

/* Print a fact's value to f, or nothing if it is not known. s is NULL for CONCLUDED facts. */
#define FACT(name) static void name(FILE *f, UNUSED const struct report *rep, UNUSED const struct session *s)

FACT(fact_schema) { fprintf(f, "%d", SCHEMA); }

/* "Ext3+dmcrypt, SSD, filesize=256MiB, kernel=3.13-1-amd64"; "XFS to Ext4, SSD, ..." if the input is
 * elsewhere. Two outputs that differ are named without their media. */
FACT(fact_heading) {
	const struct location *in = &s->source.location, *out = &s->sinks[0].location,
	    *second = &s->sinks[s->nout - 1].location;
	bool differ = strcmp(out->fs_name, second->fs_name);
	if (in->mount && out->mount && strcmp(in->fs_name, out->fs_name)) fprintf(f, "%s to ", in->fs_name);
	fputs(out->fs_name, f);
	if (differ) fprintf(f, " and %s", second->fs_name);
	else if (out->medium) fprintf(f, ", %s%s", out->virtual ? "virtual " : "", out->medium);
	if (s->nout > 1 && !differ) fputs(" twice", f);
	fprintf(f, ", " SIZE_IN_HEADING "%s, kernel=%s", size_text(rep->len).str, system_names().release);
}

FACT(fact_command_line) { fputs(s->opt.command_line, f); }
FACT(fact_host) { fputs(system_names().nodename, f); }
FACT(fact_compiler) { fputs(COMPILER, f); }
FACT(fact_output) { fputs(s->sinks[0].location.words, f); }
FACT(fact_second_output) { if (s->nout > 1) fputs(s->sinks[1].location.words, f); }
FACT(fact_input) { fputs(s->source.location.words, f); }
FACT(fact_output_mount) { if (s->sinks[0].location.mount) fputs(s->sinks[0].location.mount, f); }
FACT(fact_input_mount) { if (s->source.location.mount) fputs(s->source.location.mount, f); }
FACT(fact_size_asked) { if (rep->asked > rep->len) fprintf(f, "%" PRId64, rep->asked); }

/* The CPU's model; of ARM its implementer and part; or else the device tree's. */
FACT(fact_cpu) {
	static const char cpuinfo[] = "/proc/cpuinfo";
	char text[128] = "", part[32] = "", flags[3500] = "";
	if (read_key(cpuinfo, "model name", text, sizeof text)) fprintf(f, "%.60s", text);
	else if (read_key(cpuinfo, "CPU implementer", text, sizeof text))
		fprintf(f, "implementer %s, part %s", text,
		    read_key(cpuinfo, "CPU part", part, sizeof part) ? part : "?");
	else if (read_line("/proc/device-tree/model", text, sizeof text)) fprintf(f, "%.60s", text);
	read_key(cpuinfo, "flags", flags, sizeof flags);
	if (strstr(flags, " hypervisor")) fputs(" (virtual machine)", f);
}

FACT(fact_cpus) { fprintf(f, "%d", s->cpus); }
FACT(fact_quota) { if (s->quota > 0) fprintf(f, "%g", s->quota); }
FACT(fact_memory) { fprintf(f, "%" PRId64, usable_memory()); }
FACT(fact_kernel) { fputs(system_names().release, f); }

FACT(fact_until) {
	const char *first = until_words(&s->sinks[0]), *second = s->nout > 1 ? until_words(&s->sinks[1])
	    : first;
	fputs(first, f);
	if (strcmp(first, second)) fprintf(f, ", and at the second output %s", second);
}

FACT(fact_page_cache) {
	if (s->source.ops->kind & (KIND_PIPE | KIND_DEVICE)) return;
	fprintf(f, "input %s the page cache%s", s->opt.cold ? "evicted from" : "in",
	    s->opt.cold ? " before each run" : "");
}

FACT(fact_output_file) { if (has_file(s)) fputs(fills[s->opt.fill].holds, f); }
FACT(fact_reuse) { fputs(s->opt.reuse ? "yes" : "no", f); }

static bool read_baseline(struct report *rep, const char *value) {
	rep->baseline = format_text("%s", value);
	return true;
}

static bool read_limit(struct report *rep, const char *value) {
	char *tail;
	rep->limit = strtod(value, &tail);
	bool finite = rep->limit <= DBL_MAX;
	return isdigit((unsigned char)*value) && !*tail && rep->limit >= NO_CHANGE && finite;
}

FACT(fact_baseline) { if (rep->baseline) fputs(rep->baseline, f); }
FACT(fact_limit) { if (rep->limit) fprintf(f, "%g", rep->limit); }
FACT(fact_pause) { fprintf(f, "%g", (double)rep->pause / 1e9); }
FACT(fact_seed) { if (!s->opt.in_order) fprintf(f, "%" PRId64, s->opt.seed); }

FACT(fact_date) {
	char date[32] = "";
	time_t today = time(NULL);
	strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&today));
	fputs(date, f);
}

FACT(fact_version) { fputs(PROGRAM " " VERSION COMMIT, f); }

/* Returns the largest share of the input cached before a run, percent; below 0 if it is not known. */
static double percent_stayed(const struct report *rep) {
	int64_t most = -1;
	for (int i = 0; i < rep->nrows; i++)
		for (int k = 0; k < rep->rows[i].nruns; k++) most = max(most, rep->rows[i].runs[k].resident);
	return most < 0 ? -1 : 100 * (double)most / (double)rep->len;
}

FACT(fact_input_state) {
	double percent = percent_stayed(rep);
	if (!s->opt.cold) return;
	if (percent < 0) fputs("how much of the input stayed in the page cache is not known", f);
	else fprintf(f, "up to %.3g%% of the input stayed in the page cache", percent);
	if (is_served(s->source.user_fd)) fputs("; what the other side of its mount caches is not known", f);
}

static bool keeps_bytes(const struct endpoint *e) { return e->ops->kind != KIND_DEVICE; }

FACT(fact_verified) {
	if (s->opt.no_verify) fputs(SIZES_ALONE " (--no-verify)", f);
	else if (!is_repeatable(&s->source)) fputs(SIZES_ALONE ", since the input never repeats", f);
	else if (!any_output(s, keeps_bytes)) fputs("nothing: the output keeps no byte", f);
	else fputs("the size of each run, and all bytes at least once a row", f);
}

FACT(fact_counters) {
	int err = rep->seen.counters_err;
	if (!err) return;
	fprintf(f, "perf_event_open: %s", errno_name(err).str);
	if (err == EACCES || err == EPERM) fputs(": use sysctl kernel.perf_event_paranoid=1", f);
}

FACT(fact_run_lines) {
	int lines = 0;
	for (int i = 0; i < rep->nrows; i++) lines += rep->rows[i].nruns;
	fprintf(f, "%d", lines);
}

FACT(fact_recommended) { if (recommended(rep)) fputs(recommended(rep)->name, f); }
FACT(fact_recommendation) { print_answer(f, rep); }

/* Warnings: why figures may be less sure, and a remedy. */

FACT(warn_zero) {
	bool holes = rep->seen.holes >= ZEROS;
	if (holes || rep->seen.zeros >= ZEROS)
		fprintf(f, "%.0f%% of the input is %s, which copy faster than data: " NOISE,
		    holes ? rep->seen.holes : rep->seen.zeros, holes ? "holes" : "zeros");
}

FACT(warn_evicted) {
	int n = rep->seen.fetched;
	if (n)
		fprintf(f, "the input did not stay in the page cache (read again %d time%s): copy less (-z), "
		    "or use --cold", n, plural(n));
}

FACT(warn_cached_input) {
	if (!s->opt.cold && !rep->seen.fetched && is_file(&s->source) && is_served(s->source.user_fd))
		fputs("the input came from the page cache, not from its mount: use --cold", f);
}

FACT(warn_not_cold) {
	if (s->opt.cold && has_memory(&s->source))
		fputs("the input is in memory, from which --cold evicts nothing: put it on a disk", f);
	else if (percent_stayed(rep) >= STAYED)
		fprintf(f, "up to %.3g%% of the input stayed in the page cache: end programs that map it",
		    percent_stayed(rep));
}

/* An option that does nothing here. */
FACT(warn_useless) {
	if (s->opt.until && !has_file(s))
		fprintf(f, "--until=%s does nothing here: no output is a file", untils[s->opt.until].word);
	else if (s->opt.reuse && rep->summary.commands_alone)
		fputs("--reuse does nothing here: all rows are commands", f);
}

/* Other work of the machine: only the first cause found. */
FACT(warn_busy) {
	const struct seen *seen = &rep->seen;
	double stolen = 100 * (double)seen->machine.stolen / (double)max(seen->machine.ticks, 1);
	double delayed = 100 * (double)seen->delayed_ns / (double)max(seen->watched_ns, 1);
	if (seen->machine.stops)
		fprintf(f, "the CPU quota of this cgroup (%.3g CPUs) stopped the runs %" PRId64
		    " times: raise it", s->quota, seen->machine.stops);
	else if (seen->watched_ns >= WATCHED_LEAST && delayed >= DELAYED)
		fprintf(f, "other processes had the CPU for %.0f%% of the time: end them", delayed);
	else if (seen->machine.stolen > 2 && stolen >= STOLEN) /* ticks are coarse: two may be chance */
		fprintf(f, "the hypervisor took %.1f%% of the CPU time: use a host with idle CPUs", stolen);
	else if (seen->machine.throttled)
		fputs("CPUs were throttled for heat: cool them, or use a longer --pause", f);
}

FACT(warn_dirty) {
	if (rep->seen.dirty >= 100)
		fprintf(f, "dirty memory reached %.0f%% of its limit: copy less (-z)", rep->seen.dirty);
}

FACT(warn_swapped) {
	int64_t swapped = rep->seen.machine.swapped;
	if (swapped && (has_memory(&s->source) || any_output(s, has_memory)))
		fprintf(f, "tmpfs is memory: %" PRId64 " pages were swapped: copy less (-z)", swapped);
}

FACT(warn_started) {
	const struct row *first = rep->summary.first;
	int64_t start = rep->seen.into_start;
	if (command_of(&s->sinks[0]) && first && 100 * start >= MUCH * first->median)
		fputs("starting the command takes much of each run: pipe into a running one: | cat >F", f);
}

FACT(warn_vary) {
	const struct summary *sum = &rep->summary;
	const struct row *const rows[] = { sum->winner, sum->own };
	int n = 0;
	for (int i = 0; i < LENGTH(rows); i++) {
		const struct row *row = rows[i];
		if (!row || (i && row == rows[0]) || (double)row->worst <= VARY * (double)row->best) continue;
		fprintf(f, "%s%s%s: %s to %s", n ? ", of " : "runs of ", bare_name(row), n ? "" : " vary",
		    time_text(row->best, sum->fine).str, time_text(row->worst, sum->fine).str);
		n++;
	}
	if (n) fputs(": use more runs (-n)", f);
}

/* Properties of a fact, as bits. LATE: found after the runs; CONCLUDED: follows from the runs alone, also
 * when a report is read; EQUAL: equal in reports whose rounds are added together; CONDITION: EQUAL, and
 * named if it differs between two files, since times may differ for this reason. */
enum { IS_NUMBER = 1, LATE = 2, CONCLUDED = 4, EQUAL = 8, CONDITION = EQUAL | 16, IS_WARNING = 32 };

/* A number of the report, from 1 to .most; also read back. */
#define NUMBER_OF(field, bound) .offset = offsetof(struct report, field), .most = (bound)
#define WARNING(word, stage, words) \
	{ "warning_" #word, words, .find = warn_##word, .is = (stage) | IS_WARNING }

/* To add a fact: a line here, in the order of a report. .find prints its value, or a number is at .offset. */
static const struct fact_row {
	const char *key, *help;
	void (*find)(FILE *, const struct report *, const struct session *);
	int is;
	size_t offset;
	int64_t most;
	bool (*read)(struct report *, const char *value); /* from a file; false: malformed */
} fact_rows[] = {
	WARNING(zero, LATE, "zeros or holes in the input"),
	WARNING(evicted, LATE, "an input that did not stay in the page cache"),
	WARNING(cached_input, LATE, "an input on a network or FUSE mount that came from the page cache"),
	WARNING(not_cold, LATE, "an input that stayed in the page cache in spite of --cold"),
	WARNING(busy, LATE, "other processes, a quota, the hypervisor or heat took CPU time"),
	WARNING(dirty, LATE, "dirty memory at which writers are throttled"),
	WARNING(swapped, LATE, "swapping, with a file on tmpfs"),
	WARNING(started, LATE, "a command of --into whose start takes much of each run"),
	WARNING(vary, CONCLUDED, "the row to use, or to keep, has a run of more than twice its best"),
	WARNING(useless, LATE, "an option that does nothing here"),
	{ "schema", "version of the columns and keys", .find = fact_schema, .is = IS_NUMBER },
	{ "heading", "file system, medium, size and kernel", .find = fact_heading },
	{ "command_line", "as it was given, for a shell", .find = fact_command_line },
	{ "host", "name of the machine", .find = fact_host, .is = EQUAL },
	{ "output", "what it is, and where", .find = fact_output, .is = EQUAL },
	{ "second_output", "output of --tee", .find = fact_second_output, .is = EQUAL },
	{ "output_mount", "type and options of its file system", .find = fact_output_mount },
	{ "input", "what it is, and where", .find = fact_input, .is = EQUAL },
	{ "input_mount", "type and options of its file system", .find = fact_input_mount },
	{ "cpu", "its model", .find = fact_cpu, .is = EQUAL },
	{ "cpus", "number that it may use", .find = fact_cpus, .is = IS_NUMBER | EQUAL },
	{ "cpu_quota", "CPUs that a cgroup grants", .find = fact_quota, .is = IS_NUMBER },
	{ "memory_bytes", "of the machine, or fewer by a cgroup", .find = fact_memory, .is = IS_NUMBER },
	{ "kernel", "its release", .find = fact_kernel, .is = EQUAL },
	{ "size", "bytes that each run copies", .is = IS_NUMBER, NUMBER_OF(len, INT64_MAX) },
	{ "size_asked", "bytes that --size names, if the input has fewer", .find = fact_size_asked,
	    .is = IS_NUMBER, NUMBER_OF(asked, INT64_MAX) },
	{ "until", "what the clock waited for", .find = fact_until, .is = CONDITION },
	{ "page_cache", "whether the input was cached", .find = fact_page_cache, .is = CONDITION },
	{ "output_file", "which file a run writes to, and what it holds before", .find = fact_output_file,
	  .is = CONDITION },
	{ "reuse", "yes: a row's set-up is not timed", .find = fact_reuse, .is = CONDITION },
	{ "runs", "rounds of all rows; later ones are those of rows that ran on", .is = IS_NUMBER,
	  NUMBER_OF(rounds, ALL_RUNS_MAX) },
	{ "baseline", "the row that commands are compared with", .find = fact_baseline, .is = EQUAL,
	    .read = read_baseline },
	{ "limit_percent", "of --fail-if-slower", .find = fact_limit, .is = IS_NUMBER, .read = read_limit },
	{ "pause_s", "seconds before each run", .find = fact_pause, .is = IS_NUMBER | EQUAL },
	{ "seed", "of the shuffle; none: rounds in the table's order", .find = fact_seed, .is = IS_NUMBER },
	{ "version", "of the program, with its commit", .find = fact_version },
	{ "compiler", "with its flags", .find = fact_compiler },
	{ "date", "of the start, UTC", .find = fact_date },
	{ "last_date", "of the last session's start, if the report is of several", .is = LATE },
	{ "interrupted", "when, and by what", .is = LATE },
	{ "input_state", "with --cold: how much of the input stayed in the page cache",
	    .find = fact_input_state, .is = LATE },
	{ "verified", "what was compared of each copy", .find = fact_verified, .is = LATE },
	{ "memcpy_ns", "best time of memcpy, of at most " TEXT_OF(MEMCPY_STEP_MIB) " MiB, in the same rounds",
	  .is = IS_NUMBER | LATE, NUMBER_OF(memcpy_ns, NS_MAX) },
	{ "input_ns", "least time of the input alone, if it comes from a process, in the first rounds",
	  .is = IS_NUMBER | LATE, NUMBER_OF(input_ns, NS_MAX) },
	{ "counters", "why some counters are missing", .find = fact_counters, .is = LATE },
	{ "run_lines", "lines of runs in a CSV report", .find = fact_run_lines, .is = IS_NUMBER | CONCLUDED },
	{ "recommended", "what is kept, or used", .find = fact_recommended, .is = CONCLUDED },
	{ "recommendation", "the advice as a sentence", .find = fact_recommendation, .is = CONCLUDED },
};

static const struct fact_row *find_fact_row(const char *key) {
	for (int i = 0; i < LENGTH(fact_rows); i++)
		if (!strcmp(fact_rows[i].key, key)) return &fact_rows[i];
	return NULL;
}

/* Add a fact, or replace its value. The fact owns the value. */
static void set_fact(struct report *rep, const char *key, char *value) {
	int i = 0;
	while (i < rep->nfacts && strcmp(rep->facts[i].key, key)) i++;
	if (i == rep->nfacts) {
		rep->facts = grow(rep->facts, rep->nfacts++, sizeof *rep->facts);
		rep->facts[i] = (struct fact){ .fact_row = find_fact_row(key),
		    .key = format_text("%s", key) };
	}
	free(rep->facts[i].value);
	rep->facts[i].value = value;
}

/* Find the facts of a stage: LATE, CONCLUDED, or 0: before the first run. s: NULL for CONCLUDED. */
static void find_facts(struct report *rep, const struct session *s, int stage) {
	for (const struct fact_row *row = fact_rows; row < fact_rows + LENGTH(fact_rows); row++) {
		struct text text;
		if ((row->is & (LATE | CONCLUDED)) != stage) continue;
		FILE *f = begin_text(&text);
		if (row->find) row->find(f, rep, s);
		else if (row->offset && number_at(rep, row->offset) > 0)
			fprintf(f, "%" PRId64, number_at(rep, row->offset));
		char *value = escaped(finish_text(&text));
		if (*value) set_fact(rep, row->key, value);
		else free(value);
	}
}

/* ---- Tables: figures of one report, best runs of several, and changes ------------------------ */

#define TITLE_MOST 12           /* characters of a file's name above a column */
#define COLUMNS_MAX 100         /* of a table */

/* A table for people: a column of names, and columns of text. */
struct grid {
	const struct row **lines;     /* rows of the last report, or else of an earlier one */
	int nlines;
	const char *corner;           /* title of the names */
	struct {
		const char *title;
		bool left;            /* aligned */
	} columns[COLUMNS_MAX];
	int ncolumns;
	char **cells;                 /* line by line; allocated */
	int ncells;
	int hidden;                   /* lines that --top leaves out */
};

static void add_column(struct grid *g, const char *title, bool left) {
	if (g->ncolumns < COLUMNS_MAX) g->columns[g->ncolumns].left = left;
	if (g->ncolumns < COLUMNS_MAX) g->columns[g->ncolumns++].title = title;
}

/* Add the next cell. */
static void add_cell(struct grid *g, struct words words) {
	g->cells = grow(g->cells, g->ncells, sizeof *g->cells);
	g->cells[g->ncells++] = format_text("%s", words.str);
}

/* True if a row is n/a in all reports of a set. */
static bool is_refused_everywhere(const struct set *set, const char *name) {
	for (int i = 0; i < set->n; i++) {
		const struct row *row = find_row(set->reports[i], name);
		if (row && row->verdict.outcome != REFUSED) return false;
	}
	return true;
}

/* List the rows of a table: in the order of the last report; then rows that only earlier reports contain. Of
 * one report list timed rows; of several, rows that are not n/a in all. */
static void list_rows(struct grid *g, const struct set *set) {
	for (int i = set->n - 1; i >= 0; i--)
		for (int k = 0; k < set->reports[i]->nrows; k++) {
			const struct row *row = set->reports[i]->ranked[k];
			bool listed = false;
			for (int n = 0; n < g->nlines; n++) listed |= !strcmp(g->lines[n]->name, row->name);
			if (listed || is_refused_everywhere(set, row->name)) continue;
			if (set->n == 1 && !is_timed(row->verdict.outcome)) continue;
			g->lines = grow(g->lines, g->nlines, sizeof *g->lines);
			g->lines[g->nlines++] = row;
		}
}

/* Collect the rows that sentences name: those to keep or to use, and those that they are compared with. */
static void name_rows(struct list *named, const struct set *set) {
	for (int from = 0, upto; from < set->n; from = upto) {
		const struct row *row = find_range(set, from, &upto);
		if (row) append(named, row->name);
	}
	for (int i = 0; i < set->n; i++) {
		const struct report *rep = set->reports[i];
		const struct row *rows[] = { decision(rep), rep->summary.own, rep->summary.winner,
		    find_baseline(rep) };
		for (int k = 0; k < LENGTH(rows); k++)
			if (rows[k]) append(named, rows[k]->name);
	}
}

/* Hide rows below those of --top, except for commands, rows that changed, and rows that sentences name. */
static void hide_rows(struct grid *g, const struct set *set) {
	int64_t top = set->reports[0]->options->top, shown = 0;
	struct list named = { .n = 0 };
	int n = 0;
	if (!top) return;
	name_rows(&named, set);
	for (int i = 0; i < g->nlines; i++) {
		const struct row *row = g->lines[i];
		bool asked = row->command || row->change == FASTER || row->change == SLOWER;
		if (!asked && shown >= top && !is_named(&named, row->name)) continue;
		shown += !asked;
		g->lines[n++] = row;
	}
	g->hidden = g->nlines - n;
	g->nlines = n;
	free(named.item);
	free(named.whole);
	free(named.matched);
}

/* Fill a table of one report: best, median and worst run, lag behind the best of all, mark, and CPUs. */
static void fill_figures(struct grid *g, const struct report *rep) {
	static const char *const titles[] = { "best", "median", "worst", "behind", "", "CPU" };
	bool fine = rep->summary.fine;
	g->corner = "row";
	for (int i = 0; i < LENGTH(titles); i++) add_column(g, titles[i], i == 3 || i == 4);
	for (int i = 0; i < g->nlines; i++) {
		const struct row *row = g->lines[i];
		add_cell(g, time_text(row->best, fine));
		add_cell(g, time_text(row->median, fine));
		add_cell(g, time_text(row->worst, fine));
		add_cell(g, behind_text(rep, row));
		add_cell(g, fmt("%s", row->marked ? "~" : ""));
		add_cell(g, cpu_text(row));
	}
}

/* Fill a table of several reports: best runs, a column for each report. */
static void fill_best(struct grid *g, const struct set *set) {
	g->corner = "row, best run";
	for (int k = 0; k < set->n; k++) add_column(g, set->reports[k]->title, false);
	for (int i = 0; i < g->nlines; i++)
		for (int k = 0; k < set->n && k < g->ncolumns; k++) {
			const struct row *row = find_row(set->reports[k], g->lines[i]->name);
			add_cell(g, cell_text(set->reports[k], row, row ? row->best : 0));
		}
}

/* Fill a table of two files: the medians, and the change. */
static void fill_changes(struct grid *g, const struct set *set) {
	const struct report *old = set->reports[0], *rep = set->reports[1];
	g->corner = "row, median";
	add_column(g, old->title, false);
	add_column(g, rep->title, false);
	add_column(g, "change", false);
	add_column(g, TEXT_OF(CONFIDENCE) "% over all", true);
	add_column(g, "", true);
	for (int i = 0; i < g->nlines; i++) {
		const struct row *row = find_row(rep, g->lines[i]->name),
		    *was = find_row(old, g->lines[i]->name);
		bool known = row && row->change, few = known && row->change == TOO_FEW;
		bool shown = known && (row->change == FASTER || row->change == SLOWER);
		add_cell(g, cell_text(old, was, was ? was->median : 0));
		add_cell(g, cell_text(rep, row, row ? row->median : 0));
		add_cell(g, known ? percent_text(row->against.estimate) : fmt("%s", ""));
		if (known && !few)
			add_cell(g, fmt("%s to %s", percent_text(row->against.low).str,
			    percent_text(row->against.high).str));
		else add_cell(g, fmt("%s", few ? change_words[TOO_FEW] : ""));
		add_cell(g, fmt("%s", shown ? change_words[row->change] : ""));
	}
}

/* Returns the text of a cell; for line -1, its column's title. */
static const char *grid_text(const struct grid *g, int nth, int column) {
	return nth < 0 ? g->columns[column].title : g->cells[nth * g->ncolumns + column];
}

/* Print a line of a text table: the row's name, and the cells of some columns. */
static void print_text_line(FILE *f, const struct grid *g, int nth, int name_width, const int *widths,
    int from, int upto) {
	char *name = shorten_name(nth < 0 ? g->corner : g->lines[nth]->name, name_width);
	int end = name_width, used = width_of(name);
	fputs(name, f);
	for (int k = from; k < upto; end += 1 + widths[k++]) {
		const char *text = grid_text(g, nth, k);
		int length = width_of(text), blanks = g->columns[k].left ? 0 : widths[k] - length;
		if (!length) continue;
		fprintf(f, "%*s%s", end + 1 + blanks - used, "", text);
		used = end + 1 + blanks + length;
	}
	free(name);
}

/* Print a table, as many columns at a time as fit; the line of one row in colour. */
static void print_text_grid(FILE *f, const struct grid *g, int width, const struct row *bright) {
	int widths[COLUMNS_MAX] = { 0 }, names = width_of(g->corner), all = 0;
	for (int i = 0; i < g->nlines; i++) names = (int)max(names, width_of(g->lines[i]->name));
	for (int k = 0; k < g->ncolumns; k++) {
		for (int i = -1; i < g->nlines; i++)
			widths[k] = (int)max(widths[k], width_of(grid_text(g, i, k)));
		all += 1 + widths[k];
	}
	int room = (int)max(width - all, NAME_WIDTH); /* for names, if all columns fit */
	if (names > room) names = distinct_width(g->lines, g->nlines, room);
	for (int from = 0, upto; from < g->ncolumns; from = upto) {
		int used = names + 1 + widths[from];
		for (upto = from + 1; upto < g->ncolumns && used + 1 + widths[upto] <= width; upto++)
			used += 1 + widths[upto];
		for (int i = -1; i < g->nlines; i++) {
			bool shines = i >= 0 && bright && g->lines[i] == bright;
			fputs(shines ? "\033[1;32m" : "", f);
			print_text_line(f, g, i, names, widths, from, upto);
			fputs(shines ? "\033[0m\n" : "\n", f);
		}
		fputs(upto < g->ncolumns ? "\n" : "", f);
	}
}

/* ---- Lines below a table ---------------------------------------------------------------------- */

#define NAMES_SHOWN 3           /* in a sentence */
#define MORE_RUNS 20            /* least number that note_more() suggests */
#define MORE_ROWS 5             /* most rows that note_more() names */
#define VERBATIM "\t"           /* begins a line to be typed, which is not wrapped in text */

static bool same_verdict(const struct verdict *v, const struct verdict *other) {
	return v->outcome == other->outcome && v->failure.err == other->failure.err
	    && v->failure.nth == other->failure.nth
	    && !strcmp(or_dash(v->failure.call), or_dash(other->failure.call))
	    && (v->outcome != MISMATCH || v->at == other->at);
}

/* Print the names of rows with the nth row's verdict. Returns false if an earlier row has this verdict. */
static bool print_names(FILE *f, const struct report *rep, int nth, const char *before) {
	const struct verdict *v = &rep->ranked[nth]->verdict;
	bool verbose = rep->options->verbose;
	int n = 0;
	for (int i = 0; i < nth; i++)
		if (same_verdict(&rep->ranked[i]->verdict, v)) return false;
	for (int i = nth; i < rep->nrows; i++) {
		const struct row *row = rep->ranked[i];
		if (!same_verdict(&row->verdict, v) || (++n > NAMES_SHOWN && !verbose)) continue;
		fprintf(f, "%s%s", n > 1 ? ", " : before, verbose ? row->name : row->label);
	}
	if (n > NAMES_SHOWN && !verbose) fprintf(f, " and %d more", n - NAMES_SHOWN);
	return true;
}

/* Print the rows that failed, one line for each kind of failure; and an interruption. */
static void note_failures(FILE *f, const struct report *rep) {
	const char *interrupted = find_fact(rep, "interrupted"), *input = find_fact(rep, "input");
	for (int i = 0; i < rep->nrows; i++) {
		const struct row *row = rep->ranked[i];
		bool wrong = row->verdict.outcome == MISMATCH;
		if (row->verdict.outcome < FAILED) continue;
		if (!print_names(f, rep, i, fmt("%s: ", outcomes[row->verdict.outcome].words).str)) continue;
		char *words = format_verdict(&row->verdict);
		if (*words) fprintf(f, ": %s", words);
		if (wrong && row->command) fputs(", though with exit status 0", f);
		if (wrong && input && !strncmp(input, "command: ", strlen("command: ")))
			fputs(": if --from gives other bytes each time, use --no-verify", f);
		fputs(".\n", f);
		free(words);
	}
	if (interrupted) fprintf(f, "Interrupted %s.\n", interrupted);
}

/* Print all rows that are n/a, in one line, with the calls that were refused. */
static void note_refused(FILE *f, const struct report *rep) {
	int n = 0;
	for (int i = 0; i < rep->nrows; i++) {
		const struct verdict *v = &rep->ranked[i]->verdict;
		if (v->outcome != REFUSED || !print_names(f, rep, i, n ? "; " : "n/a: ")) continue;
		n++;
		fprintf(f, ": %s%s", or_dash(v->failure.call), output_words(&v->failure));
		if (v->failure.err != NO_ERRNO) fprintf(f, ": %s", errno_name(v->failure.err).str);
	}
	if (n) fputs(".\n", f);
}

/* Commands against --baseline: "./new: +8.1% (95%: 5.9 to 10.3%): slower by more than 5%." */
static void note_gate(FILE *f, const struct report *rep) {
	const struct row *to = find_baseline(rep);
	for (const struct row *row = rep->rows; row < rep->rows + rep->nrows; row++) {
		const struct ratio *times = &row->against;
		if (!is_compared(rep, row)) continue;
		bool decided = row->change == SLOWER;
		fprintf(f, "%s: ", bare_name(row));
		if (times->estimate > 0) fputs(percent_text(times->estimate).str, f);
		else fputs("not compared", f);
		bool up = starts_up(row), to_up = to && starts_up(to);
		if (up || to_up)
			fprintf(f, ", since %s is mostly start-up: copy more", up ? "it" : bare_name(to));
		if (times->low > 0)
			fprintf(f, " (" TEXT_OF(CONFIDENCE) "%%: %.1f to %.1f%%)", 100 * times->low - 100,
			    100 * times->high - 100);
		if (row->change) fprintf(f, ": %s", change_words[row->change]);
		if (decided || row->change == NOT_SLOWER) fprintf(f, " by more than %g%%", rep->limit);
		if (row->change == UNDECIDED && times->estimate > 0)
			fprintf(f, ": use -n %d, or a quieter machine", 2 * row->nruns);
		fputs(".\n", f);
	}
}

/* A row in a line of best runs, by its own name or its report's title. */
struct timed {
	const struct row *row;
	const char *name;
};

static int compare_timed(const void *a, const void *b) {
	const struct timed *x = a, *y = b;
	return (x->row->best > y->row->best) - (x->row->best < y->row->best);
}

/* Print best runs, the fastest first: "Commands: cat 60.2ms, dd 131ms (2.18 times)." */
static void print_best_runs(FILE *f, const char *subject, struct timed *timed, int n) {
	const struct row *first = NULL;
	if (n < 2) return;
	qsort(timed, n, sizeof *timed, compare_timed);
	bool fine = timed[0].row->best < FINE_BELOW;
	for (int i = 0; i < n; i++) {
		const struct row *row = timed[i].row;
		double times = first ? (double)row->best / (double)first->best : 1;
		fprintf(f, "%s%s%s %s", i ? "" : subject, i ? ", " : ": ", timed[i].name,
		    time_text(row->best, fine).str);
		if (!is_ranked(row)) fprintf(f, " (%s)", unranked_word(row));
		else if (first) fprintf(f, " (%.*f times)", decimals(times), times);
		else first = row;
	}
	fputs(".\n", f);
}

/* Print the best runs of a report's commands. */
static void note_commands(FILE *f, const struct report *rep) {
	struct timed *timed = allocate(rep->nrows, sizeof *timed);
	int n = 0;
	for (const struct row *row = rep->rows; row < rep->rows + rep->nrows; row++)
		if (row->command && is_timed(row->verdict.outcome))
			timed[n++] = (struct timed){ row, bare_name(row) };
	print_best_runs(f, "Commands", timed, n);
	free(timed);
}

/* Each command in several places: "cp: xfs 191ms, ext4 272ms (1.42 times), btrfs 498ms (2.61 times)." */
static void note_places(FILE *f, const struct set *set) {
	struct timed *timed = allocate(set->n, sizeof *timed);
	for (int i = 0; i < set->n; i++)
		for (int k = 0; k < set->reports[i]->nrows; k++) {
			const struct row *row = &set->reports[i]->rows[k], *there;
			bool noted = !row->command;
			int n = 0;
			for (int j = 0; j < i; j++) noted |= find_row(set->reports[j], row->name) != NULL;
			for (int j = i; j < set->n && !noted; j++) {
				there = find_row(set->reports[j], row->name);
				if (there && is_timed(there->verdict.outcome))
					timed[n++] = (struct timed){ there, set->reports[j]->title };
			}
			print_best_runs(f, bare_name(row), timed, n);
		}
	free(timed);
}

/* Print the row to keep or to use, or that nothing is shown. */
static void print_decision(FILE *f, const struct report *rep, const struct row *row) {
	bool guess = rep->summary.answer == MORE;
	if (!row) fputs(guess ? "the runs are too few to tell" : "nothing is shown", f);
	else fprintf(f, "%s %s", row->command ? "keep" : "use", bare_name(row));
	if (row && row->verdict.outcome == SHARED) fputs(", which shares the blocks", f);
	else if (row && guess) fputs(", by a first guess", f);
}

/* Returns a row's speed relative to the user's row; an estimate of 0 if there is none to compare with. */
static struct ratio gain_over_own(const struct report *rep, const struct row *row) {
	const struct summary *sum = &rep->summary;
	const struct row *there = row ? find_row(rep, row->name) : NULL;
	bool compared = sum->answer == USE && sum->own && is_ranked(there);
	return compared ? gain_of(sum->own, there) : (struct ratio){ 0 };
}

static bool is_shown(const struct report *rep, const struct row *row) {
	return gain_over_own(rep, row).low > 1;
}

/* Print what is shown of a row that is used: ", 2.1 times as fast as ./copy (95%: 1.8 to 2.4)". Nothing of a
 * plain loop that another row beats. */
static void print_shown(FILE *f, const struct report *rep, const struct row *row, const char *where) {
	const struct summary *sum = &rep->summary;
	struct ratio gain = gain_over_own(rep, row);
	bool is_own = gain.estimate > 0 && !strcmp(row->name, sum->own->name);
	if (gain.estimate <= 0 || (is_own && sum->gain.low > 1)) return;
	fprintf(f, ", %s", where);
	if (gain.low > 1) print_gain(f, gain, sum->own);
	else if (is_own) fputs("no row is shown to be faster", f);
	else print_not_shown(f, sum->own);
}

/* The answers at several sizes, in one line: "Up to 64KiB: use sendfile. From 1MiB on: use threads read+write
 * 1m, 2.1 times as fast as ./copy (95%: 1.8 to 2.4)." */
static void note_ranges(FILE *f, const struct set *set) {
	const struct report *largest = set->reports[set->n - 1];
	const struct row *sharing = sharing_row(largest);
	if (sharing && !largest->summary.commands_alone) {
		print_sharing(f, sharing, find_sharing(largest, false));
		fputs(" If the bytes must be copied: ", f);
	}
	for (int from = 0, upto; from < set->n; from = upto) {
		const struct row *row = find_range(set, from, &upto);
		const char *first = set->reports[from]->title, *last = set->reports[upto - 1]->title;
		fputs(from ? " " : "", f);
		if (from == 0 && upto == set->n) fputs("At all sizes: ", f);
		else if (from == 0) fprintf(f, "Up to %s: ", last);
		else if (upto == set->n) fprintf(f, "From %s on: ", first);
		else if (upto == from + 1) fprintf(f, "At %s: ", first);
		else fprintf(f, "From %s to %s: ", first, last);
		int shown = 0;
		for (int i = from; i < upto; i++) shown += is_shown(set->reports[i], row);
		print_decision(f, set->reports[from], row);
		print_shown(f, set->reports[upto - 1], row,
		    shown > 0 && upto > from + 1 ? fmt("at %s ", last).str : "");
		fputc('.', f);
	}
	fputc('\n', f);
}

static bool same_decision(const struct set *set, int i, int k) {
	const struct row *x = decision(set->reports[i]), *y = decision(set->reports[k]);
	if (!x || !y) return x == y;
	bool equal = is_copy(x) == is_copy(y) && is_shown(set->reports[i], x) == is_shown(set->reports[k], y);
	return equal && !strcmp(x->name, y->name);
}

/* Print the answers of several files in one line; name files with equal answers together. */
static void note_decisions(FILE *f, const struct set *set) {
	for (int i = 0, printed = 0; i < set->n; i++) {
		int n = 0, before = 0;
		for (int k = 0; k < i; k++) before += same_decision(set, i, k);
		if (before) continue;
		fputs(printed++ ? " " : "", f);
		for (int k = i; k < set->n; k++)
			if (same_decision(set, i, k))
				fprintf(f, "%s%s", n++ ? ", " : "", set->reports[k]->title);
		fputs(": ", f);
		const struct row *row = decision(set->reports[i]);
		print_decision(f, set->reports[i], row);
		if (n == 1 || !is_shown(set->reports[i], row)) print_shown(f, set->reports[i], row, "");
		fputc('.', f);
	}
	fputc('\n', f);
}

/* Print options that measure the rows with a ~ in more rounds, ready to be typed. */
static void note_more(FILE *f, const struct report *rep) {
	const struct summary *sum = &rep->summary;
	int rows = 0, n = 0;
	if (sum->tested < 2 || (sum->marked < 2 && !sum->guess)) return;
	for (int i = 0; i < rep->nrows; i++) rows += rep->rows[i].marked && !rep->rows[i].command;
	fprintf(f, VERBATIM "To tell more: -n %d", (int)max(MORE_RUNS, 2 * sum->runs));
	for (int i = 0; i < rep->nrows && rows > 1 && rows <= MORE_ROWS; i++)
		if (rep->ranked[i]->marked && !rep->ranked[i]->command)
			fprintf(f, "%s%s", n++ ? "," : " -s '", rep->ranked[i]->name);
	fputs(n ? "'\n" : "\n", f);
}

/* The rows that may be the fastest: "~: 5 of 46, 3 of 40 rows in question may be fastest (95%)." */
static void note_marks(FILE *f, const struct set *set) {
	int guesses = 0, tested = 0;
	for (int i = 0; i < set->n; i++) tested = (int)max(tested, set->reports[i]->summary.tested);
	for (int i = 0; i < set->n && tested > 1; i++) {
		const struct summary *sum = &set->reports[i]->summary;
		fprintf(f, "%s%d of %d", i ? ", " : "~: ", sum->marked, sum->tested);
		if (sum->guess) guesses = sum->runs;
	}
	if (tested < 2) return;
	fputs(" rows in question may be fastest", f);
	if (guesses) fprintf(f, ", by a first guess after %d run%s.\n", guesses, plural(guesses));
	else fputs(" (" TEXT_OF(CONFIDENCE) "%).\n", f);
}

static const char *last_date(const struct report *rep) {
	const char *last = find_fact(rep, "last_date");
	return last ? last : find_fact(rep, "date");
}

/* True if the sessions of one report ended before those of the other began. */
static bool is_apart(const struct report *rep, const struct report *other) {
	const char *date = find_fact(rep, "date"), *other_date = find_fact(other, "date");
	return date && other_date
	    && (strcmp(last_date(rep), other_date) < 0 || strcmp(last_date(other), date) < 0);
}

/* True if a fact is equal in both reports, or missing in both. */
static bool is_same_fact(const struct report *rep, const struct report *other, const char *key) {
	const char *x = find_fact(rep, key), *y = find_fact(other, key);
	return x && y ? !strcmp(x, y) : x == y;
}

/* The value of a fact if all reports share it; else NULL. */
static const char *shared_fact(const struct set *set, const char *key) {
	for (int i = 1; i < set->n; i++)
		if (!is_same_fact(set->reports[0], set->reports[i], key)) return NULL;
	return find_fact(set->reports[0], key);
}

/* Print how many rows changed since an older file, with the confidence, and the conditions that differ. */
static void note_changes(FILE *f, const struct set *set) {
	const struct report *old = set->reports[0], *rep = set->reports[1];
	int n[CHANGES] = { 0 };
	for (int i = 0; i < rep->nrows; i++) n[rep->rows[i].change]++;
	int tested = n[FASTER] + n[SLOWER] + n[SAME];
	if (!tested && !n[TOO_FEW]) fputs("No row can be compared.\n", f);
	if (tested)
		fprintf(f, "%d of %d rows %s faster, %d slower (" TEXT_OF(CONFIDENCE) "%% over all of "
		    "them).\n", n[FASTER], tested, n[FASTER] == 1 ? "is" : "are", n[SLOWER]);
	if (n[TOO_FEW])
		fprintf(f, "%d row%s ran too few times to tell.\n", n[TOO_FEW], plural(n[TOO_FEW]));
	if (is_apart(old, rep))
		fputs("Measured one after the other: a difference may be the machine's.\n", f);
	for (const struct fact_row *row = fact_rows; row < fact_rows + LENGTH(fact_rows); row++) {
		const char *was = find_fact(old, row->key), *is = find_fact(rep, row->key);
		if ((row->is & CONDITION) != CONDITION || is_same_fact(old, rep, row->key)) continue;
		fprintf(f, "Differs: %s: %s in %s, %s in %s.\n", row->key, or_dash(was), old->title,
		    or_dash(is), rep->title);
	}
}

/* True if a line of a text is equal to `line`. */
static bool has_line(const char *text, const char *line) {
	size_t length = strlen(line);
	for (const char *here = text; (here = strstr(here, line)); here++)
		if ((here == text || here[-1] == '\n') && here[length] == '\n') return true;
	return false;
}

/* Print a line that no report before the nth contains. Add the titles of its reports, unless all have it. */
static void print_titled(FILE *f, const struct set *set, const struct text *texts, int nth,
    const char *line) {
	struct text titles;
	int n = 0, length = (int)strlen(line);
	begin_text(&titles);
	for (int k = 0; k < set->n; k++) {
		if (!has_line(texts[k].chars, line)) continue;
		fprintf(titles.f, "%s%s", n++ ? ", " : "", set->reports[k]->title);
		if (k < nth) length = 0;
	}
	finish_text(&titles);
	bool dot = length && n < set->n && line[length - 1] == '.';
	if (length) fprintf(f, "%.*s", length - dot, line);
	if (length && n < set->n) fprintf(f, " (%s)%s", titles.chars, dot ? "." : "");
	if (length) fputc('\n', f);
	free(titles.chars);
}

/* Print the lines of each report; a line that several reports share only once. */
static void note_each(FILE *f, const struct set *set, void (*note)(FILE *, const struct report *)) {
	struct text *texts = allocate(set->n, sizeof *texts);
	for (int i = 0; i < set->n; i++) {
		note(begin_text(&texts[i]), set->reports[i]);
		finish_text(&texts[i]);
	}
	for (int i = 0; i < set->n; i++) {
		char *all = format_text("%s", texts[i].chars);
		for (char *rest = all, *line; (line = strsep(&rest, "\n")) && *line;)
			print_titled(f, set, texts, i, line);
		free(all);
	}
	for (int i = 0; i < set->n; i++) free(texts[i].chars);
	free(texts);
}

/* Print the option that explains the row to use. */
static void note_explain(FILE *f, const struct report *rep) {
	const struct row *row = decision(rep);
	if (row && row->strategy && !row->command)
		fprintf(f, VERBATIM "how: --explain='%s'\n", row->name);
}

static void note_warnings(FILE *f, const struct report *rep) {
	for (const struct fact *fact = rep->facts; fact < rep->facts + rep->nfacts; fact++)
		if (fact->fact_row && fact->fact_row->is & IS_WARNING)
			fprintf(f, "Warning: %s.\n", fact->value);
}

/* With --verbose: all facts; warnings have lines of their own. */
static void note_facts(FILE *f, const struct report *rep) {
	for (const struct fact *fact = rep->facts; fact < rep->facts + rep->nfacts; fact++)
		if (!fact->fact_row || !(fact->fact_row->is & IS_WARNING))
			fprintf(f, "%s: %s\n", fact->key, fact->value);
}

/* "; 3 rounds, of 9 rows up to 7, of 2 rows up to 27"; of several reports the rounds of each. */
static void print_rounds(FILE *f, const struct set *set) {
	const struct report *rep = set->reports[0];
	const int64_t steps[] = { rep->rounds, last_early(rep), INT64_MAX };
	for (int i = 0; i < set->n; i++) fprintf(f, "%s%" PRId64, i ? ", " : "; ", set->reports[i]->rounds);
	fprintf(f, " round%s", plural(set->n == 1 ? rep->rounds : 0));
	for (int i = 1; i < LENGTH(steps) && set->n == 1; i++) {
		int n = 0, most = 0;
		for (const struct row *row = rep->rows; row < rep->rows + rep->nrows; row++) {
			if (row->nruns <= steps[i - 1] || row->nruns > steps[i]) continue;
			most = (int)max(most, row->nruns);
			n++;
		}
		if (n) fprintf(f, ", of %d row%s up to %d", n, plural(n), most);
	}
}

/* Print the machine, and the conditions of the runs. */
static void note_provenance(FILE *f, const struct set *set) {
	static const struct {
		const char *before, *key, *after;
	} parts[] = {
		{ "", "cpu", "" }, { ", ", "cpus", " CPUs" }, { "; until ", "until", "" },
		{ ", ", "page_cache", "" }, { ", output ", "output_file", "" },
		{ ", seed ", "seed", "" }, { "; ", "version", "" },
	};
	const char *memory = shared_fact(set, "memory_bytes"), *reuse = shared_fact(set, "reuse");
	const char *date = shared_fact(set, "date"), *last = shared_fact(set, "last_date");
	struct text text;
	begin_text(&text);
	for (int i = 0; i < LENGTH(parts); i++) {
		const char *value = shared_fact(set, parts[i].key);
		if (!strcmp(parts[i].key, "until") && memory)
			fprintf(text.f, ", %s", size_text(strtoll(memory, NULL, 10)).str);
		if (!strcmp(parts[i].key, "seed")) print_rounds(text.f, set);
		if (value) fprintf(text.f, "%s%s%s", parts[i].before, value, parts[i].after);
	}
	if (reuse && !strcmp(reuse, "yes")) fputs("; with --reuse", text.f);
	if (date && last) fprintf(text.f, "; sessions from %s to %s", date, last);
	finish_text(&text);
	const char *sentence = text.chars + strspn(text.chars, ",; ");
	fprintf(f, "%s.\n", sentence);
	free(text.chars);
}

/* Print the files of a set, and their headings. */
static void note_files(FILE *f, const struct set *set) {
	for (int i = 0; i < set->n; i++)
		fprintf(f, "%s: %s: %s.\n", set->reports[i]->title, set->reports[i]->file,
		    find_fact(set->reports[i], "heading"));
}

/* Print what failed, the gate, and the answer. */
static void print_answers(FILE *f, const struct set *set) {
	const char *recommendation = find_fact(set->reports[0], "recommendation");
	bool two = set->files && set->n == 2, several = false;
	for (int i = 0; i < set->n && set->n > 1; i++)
		several |= !set->reports[i]->baseline && !set->reports[i]->summary.commands_alone;
	note_each(f, set, note_failures);
	if (two) note_changes(f, set);
	else note_each(f, set, note_gate);
	if (set->files && set->n > 1) note_places(f, set);
	if (several && set->files) note_decisions(f, set);
	else if (several) note_ranges(f, set);
	if (set->n == 1 && recommendation) fprintf(f, "%s\n", recommendation);
}

/* Print the lines below a table, the most important first. */
static void print_lines(FILE *f, const struct set *set) {
	const struct report *rep = set->reports[0];
	print_answers(f, set);
	if (set->n == 1) note_commands(f, rep);
	if (set->n == 1) note_explain(f, rep);
	if (!rep->baseline) note_marks(f, set);
	if (!rep->baseline && set->n == 1) note_more(f, rep);
	note_each(f, set, note_warnings);
	note_each(f, set, note_refused);
	if (rep->options->verbose) note_each(f, set, note_facts);
	if (set->files) note_files(f, set);
	note_provenance(f, set);
}

/* ---- Documents, and the formats ---------------------------------------------------------------- */

struct document {
	const struct set *set;
	char *heading;
	struct grid grid;
	char *lines;                  /* the most important first */
};

/* The terminal that a document is printed to. */
struct view {
	int width;                    /* columns of the terminal, or TEXT_WIDTH */
	bool colour;                  /* it supports colours */
};

/* A format prints the documents of tables for people, or reports for programs. */
struct format {
	const char *name, *extension;
	void (*document)(FILE *, const struct document *, int n, const struct view *);
	void (*data)(FILE *, const struct report *, int n);
	bool cuts_names;              /* in sentences */
};

/* The heading of a set: of a session its file system; of files what is compared. Allocated. */
static char *heading_of(const struct set *set) {
	const struct report *rep = set->reports[0], *last = set->reports[set->n - 1];
	const char *heading = find_fact(rep, "heading"), *size = strstr(heading, SIZE_IN_HEADING);
	if (set->files && set->n > 1)
		return format_text("%s files, " SIZE_IN_HEADING "%s", set->n == 2 ? "Two" : "Several",
		    size_text(rep->len).str);
	if (set->n == 1 || !size) return format_text("%s", heading);
	size += strlen(SIZE_IN_HEADING);
	return format_text("%.*s%s to %s%s", (int)(size - heading), heading, rep->title, last->title,
	    size + strcspn(size, ","));
}

static struct document compose(const struct set *set) {
	struct document d = { .set = set, .heading = heading_of(set) };
	struct text lines;
	list_rows(&d.grid, set);
	hide_rows(&d.grid, set);
	if (set->n == 1) fill_figures(&d.grid, set->reports[0]);
	else if (set->files && set->n == 2) fill_changes(&d.grid, set);
	else fill_best(&d.grid, set);
	print_lines(begin_text(&lines), set);
	d.lines = finish_text(&lines);
	return d;
}

static void free_document(struct document *d) {
	for (int i = 0; i < d->grid.ncells; i++) free(d->grid.cells[i]);
	free(d->grid.cells);
	free(d->grid.lines);
	free(d->heading);
	free(d->lines);
}

/* Characters that a format escapes: as entities, with a prefix, or in hexadecimal. */
struct escapes {
	const char *entities, *special, *escape, *control;
};

static void print_escaped(FILE *f, const char *text, const struct escapes *escapes) {
	static const char all[] = "&<>\"'", *const names[] = { "amp", "lt", "gt", "quot", "apos" };
	for (; *text; text++) {
		if (strchr(escapes->entities, *text)) fprintf(f, "&%s;", names[strchr(all, *text) - all]);
		else if ((unsigned char)*text < ' ' && escapes->control)
			fprintf(f, "%s%02x", escapes->control, *text);
		else fprintf(f, "%s%c", strchr(escapes->special, *text) ? escapes->escape : "", *text);
	}
}

static const struct escapes xml = { "&<>\"'", "", "", NULL };
/* Characters that GitHub takes for markup, or mathematics (GitHub Flavored Markdown, 2.4 and 2.5). */
static const struct escapes markdown = { "&<>", "\\`*_~[]|#$", "\\", NULL };
static const struct escapes csv = { "", "\"", "\"", "\\x" }; /* RFC 4180; newlines are escaped, too */
static const struct escapes json = { "", "\"\\", "\\", "\\u00" }; /* RFC 8259; other bytes are passed on */

/* Print lines, each wrapped at width. typed: a line to be typed into a shell is left as it is. */
static void print_wrapped_lines(FILE *f, const char *lines, int width, bool typed) {
	char *all = format_text("%s", lines);
	for (char *rest = all, *line; (line = strsep(&rest, "\n")) && *line;) {
		bool typed_line = *line == *VERBATIM;
		if (typed_line && typed) fprintf(f, "%s\n", line + 1);
		else print_wrapped(f, line + typed_line, width, 0, 2);
	}
	free(all);
}

static void print_hidden(FILE *f, const struct grid *g) {
	if (g->hidden) fprintf(f, "%d slower row%s: --top=0 shows all\n", g->hidden, plural(g->hidden));
}

/* Print a heading, wrapped at width, and underline it. */
static void print_heading(FILE *f, const char *text, int width) {
	struct text heading;
	size_t longest = 0;
	print_wrapped(begin_text(&heading), text, width, 0, 0);
	fputs(finish_text(&heading), f);
	for (char *line, *rest = heading.chars; (line = strsep(&rest, "\n"));)
		longest = max(longest, width_of(line));
	for (; longest > 0; longest--) fputc('-', f);
	fputs("\n\n", f);
	free(heading.chars);
}

static void print_text(FILE *f, const struct document *d, int n, const struct view *view) {
	for (const struct document *doc = d; doc < d + n; doc++) {
		bool asked = view->colour && doc->set->n == 1;
		const struct row *bright = asked ? recommended(doc->set->reports[0]) : NULL;
		fputs(doc > d ? "\n" : "", f);
		print_heading(f, doc->heading, view->width);
		if (doc->grid.nlines) {
			print_text_grid(f, &doc->grid, view->width, bright);
			print_hidden(f, &doc->grid);
			fputc('\n', f);
		}
		print_wrapped_lines(f, doc->lines, (int)min(view->width, TEXT_WIDTH), true);
	}
}

static void print_markdown_table(FILE *f, const struct document *d) {
	const struct grid *g = &d->grid;
	char *lines = format_text("%s", d->lines);
	fputs("### ", f);
	print_escaped(f, d->heading, &markdown);
	fputs("\n\n", f);
	for (int i = -1; i < g->nlines; i++) {
		fputs("| ", f);
		print_escaped(f, i < 0 ? g->corner : g->lines[i]->name, &markdown);
		for (int k = 0; k < g->ncolumns; k++) {
			fputs(" | ", f);
			print_escaped(f, grid_text(g, i, k), &markdown);
		}
		fputs(i < 0 ? " |\n| :--" : " |\n", f);
		for (int k = 0; k < g->ncolumns && i < 0; k++)
			fputs(g->columns[k].left ? " | :--" : " | --:", f);
		fputs(i < 0 ? " |\n" : "", f);
	}
	if (g->hidden) fputc('\n', f); /* or it would be a line of the table */
	print_hidden(f, g);
	fputc('\n', f);
	for (char *rest = lines, *line; (line = strsep(&rest, "\n")) && *line;) {
		fputs("- ", f);
		print_escaped(f, line + (*line == *VERBATIM), &markdown);
		fputc('\n', f);
	}
	fputc('\n', f);
	free(lines);
}

static void print_markdown(FILE *f, const struct document *d, int n, UNUSED const struct view *view) {
	for (int i = 0; i < n; i++) print_markdown_table(f, &d[i]);
}

/* Numbers of a run, for programs: columns of CSV; in JSON, members of a row, from row->typical. */
static const struct number_column {
	const char *name;
	size_t offset;               /* in struct run */
	bool milliseconds;           /* stored as nanoseconds */
	const char *help;
} number_columns[] = {
	{ "cpu_ms", offsetof(struct run, cpu_ns), true, "user and system time, milliseconds" },
	{ "resident", offsetof(struct run, resident), false, "bytes of the input still cached" },
	{ "start_ns", offsetof(struct run, start_ns), false, "time to start the command, in the same round, "
	  "on an empty input" },
	{ "task_clock_ms", offsetof(struct run, counts[0]), true, "CPU time, milliseconds; this and the next "
	  "seven are from perf_event_open(2), kernel included" },
	{ "context_switches", offsetof(struct run, counts[1]), false, "voluntary or not" },
	{ "cpu_migrations", offsetof(struct run, counts[2]), false, "moves to another CPU" },
	{ "page_faults", offsetof(struct run, counts[3]), false, "minor and major" },
	{ "cycles", offsetof(struct run, counts[4]), false, "CPU cycles" },
	{ "instructions", offsetof(struct run, counts[5]), false, "instructions retired" },
	{ "branches", offsetof(struct run, counts[6]), false, "branches retired" },
	{ "branch_misses", offsetof(struct run, counts[7]), false, "mispredicted branches" },
};
enum { NUMBERS = LENGTH(number_columns) };

static struct words number_text(const void *record, const struct number_column *column) {
	int64_t n = number_at(record, column->offset);
	if (n < 0) return fmt("%s", "");
	return column->milliseconds ? fmt("%.6f", (double)n / 1e6) : fmt("%" PRId64, n);
}

/* True if a number is known of any timed run of n reports. */
static bool has_number(const struct report *reports, int n, const struct number_column *column) {
	for (const struct report *rep = reports; rep < reports + n; rep++)
		for (const struct row *row = rep->rows; row < rep->rows + rep->nrows; row++)
			for (int i = 0; i < row->nruns; i++) {
				bool known = number_at(&row->runs[i], column->offset) >= 0;
				if (known && is_timed(row->runs[i].verdict.outcome)) return true;
			}
	return false;
}

/* Print a field of CSV, quoted also if it contains a #, which begins a comment for many programs. */
static void print_csv_field(FILE *f, const char *text) {
	const char *quote = text[strcspn(text, ",\"#\r\n")] ? "\"" : "";
	fputs(quote, f);
	print_escaped(f, text, &csv);
	fputs(quote, f);
}

static void print_csv_run(FILE *f, const struct report *rep, const struct row *row, const struct run *run,
    const bool known[NUMBERS]) {
	char *detail = format_detail(&run->verdict);
	bool timed = is_timed(run->verdict.outcome);
	print_csv_field(f, row->name);
	fprintf(f, ",%d,", run->round);
	if (timed) fprintf(f, "%" PRId64, run->ns);
	fprintf(f, ",%s,", outcome_text(&run->verdict).str);
	print_csv_field(f, detail);
	fprintf(f, ",%" PRId64, rep->len);
	for (int i = 0; i < NUMBERS; i++)
		if (known[i]) fprintf(f, ",%s", timed ? number_text(run, &number_columns[i]).str : "");
	fputc('\n', f);
	free(detail);
}

/* Print each report of a session: its facts, and all runs in chronological order. */
static void print_csv(FILE *f, const struct report *reports, int n) {
	bool known[NUMBERS];
	for (int i = 0; i < NUMBERS; i++) known[i] = has_number(reports, n, &number_columns[i]);
	for (const struct report *rep = reports; rep < reports + n; rep++) {
		for (int i = 0; i < rep->nfacts; i++)
			fprintf(f, "# %s: %s\n", rep->facts[i].key, rep->facts[i].value);
		if (rep == reports) {
			fputs("row,round,ns,outcome,detail,bytes", f);
			for (int i = 0; i < NUMBERS; i++)
				if (known[i]) fprintf(f, ",%s", number_columns[i].name);
			fputc('\n', f);
		}
		struct {
			const struct row *row;
			const struct run *run;
		} *runs = allocate(rep->nruns, sizeof *runs);
		for (const struct row *row = rep->rows; row < rep->rows + rep->nrows; row++)
			for (int i = 0; i < row->nruns; i++) {
				runs[row->runs[i].order].row = row;
				runs[row->runs[i].order].run = &row->runs[i];
			}
		for (int i = 0; i < rep->nruns; i++) /* the others are of rows left out */
			if (runs[i].row) print_csv_run(f, rep, runs[i].row, runs[i].run, known);
		free(runs);
	}
}

/* "key": "text", or "key": 1, or "key": null for a missing number. */
static void print_json_member(FILE *f, const char *key, const char *text, bool quoted) {
	const char *quote = quoted ? "\"" : "";
	fprintf(f, "\"%s\": %s", key, quote);
	print_escaped(f, *text || quoted ? text : "null", &json);
	fputs(quote, f);
}

/* ", "key": 1", or null if it is not known. */
static void print_json_number(FILE *f, const char *key, bool known, struct words number) {
	fputs(", ", f);
	print_json_member(f, key, known ? number.str : "", false);
}

static void print_json_row(FILE *f, const struct report *rep, const struct row *row,
    const bool known[NUMBERS]) {
	const struct ratio *ratio = &row->against;
	const int64_t times[] = { row->best, row->median, row->worst };
	static const char *const keys[] = { "best_ns", "median_ns", "worst_ns" };
	char *detail = format_detail(&row->verdict);
	int n = 0;
	bool timed = is_timed(row->verdict.outcome), compared = ratio->estimate > 0, sure = ratio->low > 0;
	fputs("  {", f);
	print_json_member(f, "row", row->name, true);
	fputs(", ", f);
	print_json_member(f, "outcome", outcome_text(&row->verdict).str, true);
	fputs(", \"runs_ns\": [", f);
	for (int i = 0; i < row->nruns && timed; i++)
		if (is_timed(row->runs[i].verdict.outcome))
			fprintf(f, "%s%" PRId64, n++ ? ", " : "", row->runs[i].ns);
	fputc(']', f);
	for (int i = 0; i < LENGTH(keys); i++)
		print_json_number(f, keys[i], timed, fmt("%" PRId64, times[i]));
	double percent = is_ranked(row) ? percent_behind(row->best, rep->summary.first->best) : 0;
	print_json_number(f, "percent", is_ranked(row), fmt("%.2f", percent));
	for (int i = 0; i < NUMBERS; i++)
		if (known[i] && number_columns[i].offset != offsetof(struct run, resident))
			print_json_number(f, number_columns[i].name, timed,
			    number_text(&row->typical, &number_columns[i]));
	fprintf(f, ", \"mark\": \"%s\"", row->marked ? "~" : "");
	if (is_compared(rep, row)) {
		print_json_number(f, "change_percent", compared, fmt("%.2f", 100 * ratio->estimate - 100));
		print_json_number(f, "low", sure, fmt("%.2f", 100 * ratio->low - 100));
		print_json_number(f, "high", sure, fmt("%.2f", 100 * ratio->high - 100));
		fputs(", ", f);
		print_json_member(f, "verdict", change_words[row->change], row->change);
	}
	fputs(", ", f);
	print_json_member(f, "detail", detail, true);
	fputc('}', f);
	free(detail);
}

/* Print a list of reports: the sizes of one session or file. */
static void print_json(FILE *f, const struct report *reports, int n) {
	bool known[NUMBERS];
	for (int i = 0; i < NUMBERS; i++) known[i] = has_number(reports, n, &number_columns[i]);
	fprintf(f, "{\"schema\": %d, \"reports\": [", SCHEMA);
	for (const struct report *rep = reports; rep < reports + n; rep++) {
		fputs(rep > reports ? ",\n {" : "\n {", f);
		fputs("\"environment\": {", f);
		for (const struct fact *fact = rep->facts; fact < rep->facts + rep->nfacts; fact++) {
			char *tail; /* another program's file may have any text */
			double x = strtod(fact->value, &tail);
			bool finite = *fact->value && !*tail && x >= 0 && x <= DBL_MAX;
			bool number = fact->fact_row && fact->fact_row->is & IS_NUMBER;
			fputs(fact > rep->facts ? ",\n  " : "\n  ", f);
			if (number) print_json_member(f, fact->key, finite ? fmt("%.15g", x).str : "", false);
			else print_json_member(f, fact->key, fact->value, true);
		}
		fputs("},\n \"rows\": [", f);
		for (int i = 0, listed = 0; i < rep->nrows; i++) {
			if (!rep->ranked[i]->nruns) continue;
			fputs(listed++ ? ",\n" : "\n", f);
			print_json_row(f, rep, rep->ranked[i], known);
		}
		fputs("]}", f);
	}
	fputs("]}\n", f);
}

/* ---- Pictures: dots, curves and maps in SVG 1.1 (W3C, 2011): shapes and text only ------------- */

#define PICTURE_WIDTH 760       /* units */
#define MARGIN 14               /* units at its edges */
#define LINE 18                 /* units between lines */
#define LETTER 7.23             /* units of a letter's width: 0.602 em in most monospaced fonts */
#define TICK_ROOM 40            /* units of a tick's label */
#define TICKS 5                 /* at most, of a short axis */
#define SHORT 4                 /* times its least value: an axis that ends below is short */
#define EDGE 1.07               /* times the last value: the end of an axis */
#define PLOT_LEAST 300          /* units, at least, of dots or curves; wide names widen the picture */
#define GIB_A_SECOND 1.073741824 /* in bytes per nanosecond */
#define ROWS_NAMED 6            /* up to this number of rows, all curves are named */
enum { CURVES = 12, COLOURS = 6 };

/* A picture, drawn from top to bottom. */
struct picture {
	FILE *f;
	double y;    /* top of the next line; units, as all lengths here */
	double width;
};

/* Colours by class; the second half is for dark pages. Nothing depends on colour alone. */
static const char style[] =
	"path{fill:none}circle{fill-opacity:.75}.curve{stroke-width:2;stroke-linecap:round}\n"
	"text{fill:#1f2328}text.note{fill:#59636e}text.bold{font-weight:bold}.page{fill:#fff}\n"
	".grid{stroke:#d1d9e0}.median{stroke:#1f2328;stroke-width:2}\n"
	".best{fill:#0550ae}.alike{fill:#54aeff}.slower{fill:#a9b6c3}.grey{stroke:#a9b6c3}\n"
	".s0{fill:#8dbbe8}.s1{fill:#b6d4f2}.s2{fill:#d9e8f8}.s3{fill:#f0f4f8}\n"
	".c0{stroke:#0550ae}.c1{stroke:#1a7f37}.c2{stroke:#cf222e}.c3{stroke:#1b7c83}.c4{stroke:#8250df}\n"
	".c5{stroke:#bc4c00}.d1{stroke-dasharray:7 3}\n"
	"@media (prefers-color-scheme:dark){text{fill:#e6edf3}text.note{fill:#9198a1}.page{fill:#0d1117}\n"
	".grid{stroke:#30363d}.median{stroke:#fff}.best{fill:#58a6ff}.alike{fill:#1f6feb}\n"
	".slower{fill:#59636e}.grey{stroke:#59636e}\n"
	".s0{fill:#1f5ba8}.s1{fill:#194785}.s2{fill:#16365f}.s3{fill:#161b22}\n"
	".c0{stroke:#58a6ff}.c1{stroke:#56d364}.c2{stroke:#ff7b72}.c3{stroke:#76e3ea}\n"
	".c4{stroke:#d2a8ff}.c5{stroke:#f0883e}}\n";

/* Print text whose start, middle or end (text-anchor) is at x; y is the top of its line. */
static void print_label(struct picture *pic, double x, double y, const char *anchor, const char *class,
    const char *text) {
	if (!*text) return;
	fprintf(pic->f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"%s\">", x, y + 13, anchor,
	    class);
	print_escaped(pic->f, text, &xml);
	fputs("</text>\n", pic->f);
}

/* Print a line from one point to another. */
static void print_stroke(struct picture *pic, double x, double y, double x_end, double y_end,
    const char *class) {
	fprintf(pic->f, "<path d=\"M%.1f %.1fL%.1f %.1f\" class=\"%s\"/>\n", x, y, x_end, y_end, class);
}

/* Widen a picture to PLOT_LEAST for a plot, plus `beside` units. Returns the width of the picture. */
static double widen(struct picture *pic, double beside) {
	double width = 2 * MARGIN + beside + PLOT_LEAST;
	if (pic->width < width) pic->width = width;
	return pic->width;
}

/* Print lines of text with their indents, and free the text. */
static void print_text_lines(struct picture *pic, char *text, const char *class) {
	for (char *rest = text, *line; (line = strsep(&rest, "\n")) && *line; pic->y += LINE - 2) {
		int blanks = (int)strspn(line, " ");
		print_label(pic, MARGIN + LETTER * blanks, pic->y, "start", class, line + blanks);
	}
	free(text);
}

/* A logarithmic axis of speeds or sizes. */
struct axis {
	double start_at, end_at;      /* units: positions of low and high */
	double low, high;             /* binary logarithms */
	double least, most;           /* low and high as values, not logarithms */
};

/* The binary logarithm of a positive number, to 1e-6, digit by digit: libm is not linked. */
static double log_2(double x) {
	double log = 0;
	for (; x >= 2; log++) x /= 2;
	for (; x < 1; log--) x *= 2;
	for (double digit = 0.5; digit > 1e-6; digit /= 2) {
		x *= x;
		if (x < 2) continue;
		x /= 2;
		log += digit;
	}
	return log;
}

/* Extend an axis to a value, unless that is 0 (not known). */
static void extend(struct axis *axis, double x) {
	bool empty = axis->high < axis->low;
	if (x <= 0) return;
	if (empty || x * EDGE > axis->most) axis->most = x * EDGE;
	if (empty || x / EDGE < axis->least) axis->least = x / EDGE;
	axis->low = log_2(axis->least);
	axis->high = log_2(axis->most);
}

static double position(const struct axis *axis, double x) {
	return axis->start_at
	    + (axis->end_at - axis->start_at) * (log_2(x) - axis->low) / (axis->high - axis->low);
}

static const double round_numbers[] = { 1, 2, 5 };

/* Returns the first of 1, 2, 5, 10, 20 ... that is above a positive number, from a millionth on. */
static double next_round(double x) {
	for (double ten = 1e-6;; ten *= 10)
		for (int i = 0; i < LENGTH(round_numbers); i++)
			if (round_numbers[i] * ten > x * (1 + 1e-6)) return round_numbers[i] * ten;
}

/* Print the ticks of an axis of speeds: lines from `edge` to `end` of the other axis, and labels if there is
 * room. Ticks are at 1, 2, 5, 10 ..., or on a short axis at multiples of one of these. */
static void print_scale(struct picture *pic, const struct axis *axis, bool across, double edge, double end) {
	double last = across ? -TICK_ROOM : DBL_MAX, most = axis->most / GIB_A_SECOND;
	double least = axis->least / GIB_A_SECOND, step = next_round((most - least) / TICKS);
	bool is_short = most < SHORT * least;
	double tick = is_short ? step * (double)((int64_t)(least / step) + 1) : next_round(least);
	for (; tick <= most; tick = is_short ? tick + step : next_round(tick)) {
		double x = position(axis, tick * GIB_A_SECOND);
		struct words label = fmt("%.6g", tick);
		if (across) print_stroke(pic, x, edge, x, end, "grid");
		else print_stroke(pic, edge, x, end, x, "grid");
		if (across ? x < last + TICK_ROOM : x > last - LINE) continue;
		if (across) print_label(pic, x, end, "middle", "note", label.str);
		else print_label(pic, edge - 6, x - LINE / 2.0, "end", "note", label.str);
		last = x;
	}
}

/* Returns the best speed of a row at a size; 0 if it is not a copy, or mostly start-up. */
static double best_speed(const struct report *rep, const char *name) {
	const struct row *row = find_row(rep, name);
	return is_copy(row) && !starts_up(row) ? speed(rep->len, row->best) : 0;
}

/* Print a dot for each run of a sample. */
static void print_dots(struct picture *pic, const struct axis *axis, const struct report *rep,
    const struct sample *sample, const char *class) {
	for (int i = 0; i < sample->n; i++)
		fprintf(pic->f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" class=\"%s\"/>\n",
		    position(axis, speed(rep->len, (int64_t)sample->sorted[i])), pic->y + LINE / 2.0, class);
}

/* Returns the number of letters in a table's longest name, after names are shortened. */
static int label_width(const struct grid *g) {
	int longest = 0;
	for (int i = 0; i < g->nlines; i++) longest = (int)max(longest, width_of(g->lines[i]->name));
	return longest <= NAME_WIDTH ? longest : distinct_width(g->lines, g->nlines, NAME_WIDTH);
}

static void print_name(struct picture *pic, double x, double y, const char *name, int width,
    const char *class) {
	char *label = shorten_name(name, width);
	print_label(pic, x, y, "start", class, label);
	free(label);
}

/* Draw a dot for each run, and a stroke at the median. */
static void draw_dots(struct picture *pic, const struct report *rep, const struct grid *g) {
	int names = label_width(g);
	double right = widen(pic, LETTER * (names + 11)) - MARGIN;
	struct axis axis = { .low = 1, .high = 0, .end_at = right - LETTER * 10 };
	for (int i = 0; i < g->nlines; i++) {
		const struct sample *samples[] = { &g->lines[i]->early, &g->lines[i]->late };
		for (int k = 0; k < LENGTH(samples) && is_copy(g->lines[i]); k++) {
			if (!samples[k]->n) continue;
			extend(&axis, speed(rep->len, (int64_t)samples[k]->sorted[0]));
			extend(&axis, speed(rep->len, (int64_t)samples[k]->sorted[samples[k]->n - 1]));
		}
	}
	axis.start_at = MARGIN + LETTER * (names + 1);
	double bottom = pic->y + LINE * (g->nlines + 1);
	if (axis.high > axis.low) print_scale(pic, &axis, true, pic->y + LINE, bottom);
	print_label(pic, MARGIN, pic->y, "start", "note",
	    "GiB/s of each run, and the median; higher is better");
	print_label(pic, right, pic->y, "end", "note", "best run");
	for (int i = 0; i < g->nlines; i++) {
		const struct row *row = g->lines[i];
		bool best = row == recommended(rep);
		const char *class = row->marked ? "alike" : "slower";
		pic->y += LINE;
		print_name(pic, MARGIN, pic->y, row->name, names, best ? "bold" : "");
		print_label(pic, right, pic->y, "end", "", cell_text(rep, row, row->best).str);
		if (!is_copy(row) || axis.high <= axis.low) continue;
		print_dots(pic, &axis, rep, &row->early, best ? "best" : class);
		print_dots(pic, &axis, rep, &row->late, best ? "best" : class);
		double x = position(&axis, speed(rep->len, row->median)), middle = pic->y + LINE / 2.0;
		print_stroke(pic, x, middle - 6, x, middle + 6, "median");
	}
	pic->y = bottom + LINE + 6;
}

/* Shades of a map, by how far a row is behind the fastest, percent. */
static const struct {
	double upto;
	const char *class, *words;
} shades[] = {
	{ 5, "s0", "up to 5%" }, { 25, "s1", "25%" }, { 100, "s2", "100%" }, { DBL_MAX, "s3", "more" },
};

static void print_box(struct picture *pic, double x, double width, int shade) {
	fprintf(pic->f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" class=\"%s\"/>\n", x + 1,
	    pic->y + 1, width - 2, LINE - 2, shades[shade].class);
}

/* Draw rows by reports: their best runs, shaded by how far they are behind the best of all. */
static void draw_map(struct picture *pic, const struct set *set, const struct grid *g) {
	int names = label_width(g);
	int64_t best = INT64_MAX;
	for (int k = 0; k < set->n; k++)
		if (set->reports[k]->summary.first) best = min(best, set->reports[k]->summary.first->best);
	int most = TITLE_MOST;
	for (int k = 0; k < set->n; k++) most = (int)max(most, width_of(set->reports[k]->title));
	double from = MARGIN + LETTER * (names + 1), width = LETTER * (most + 1);
	widen(pic, from + width * set->n - PLOT_LEAST - MARGIN);
	for (int k = 0; k < set->n; k++)
		print_label(pic, from + width * (k + 0.5), pic->y, "middle", "bold", set->reports[k]->title);
	for (int i = 0; i < g->nlines; i++) {
		pic->y += LINE;
		print_name(pic, MARGIN, pic->y, g->lines[i]->name, names, "");
		for (int k = 0; k < set->n; k++) {
			const struct report *rep = set->reports[k];
			const struct row *row = find_row(rep, g->lines[i]->name);
			int shade = 0;
			if (is_copy(row) && !starts_up(row)) {
				double behind = percent_behind(row->best, best);
				while (behind > shades[shade].upto) shade++;
				print_box(pic, from + width * k, width, shade);
			}
			print_label(pic, from + width * (k + 0.5), pic->y, "middle", "",
			    cell_text(rep, row, row ? row->best : 0).str);
		}
	}
	pic->y += LINE + 6;
	print_label(pic, MARGIN, pic->y, "start", "note", "best runs, behind the best of all:");
	for (int i = 0; i < LENGTH(shades); i++) {
		double x = MARGIN + LETTER * (36 + 14 * i);
		print_box(pic, x, 22, i);
		print_label(pic, x + 26, pic->y, "start", "note", shades[i].words);
	}
	pic->y += LINE + 6;
}

/* A row whose speed is a named curve. */
struct curve {
	const char *name;
	double y;                     /* of its name, at the right */
};

/* Find the named curves: rows to keep or use, commands, and rows that the user named; of a few rows all. */
static int find_curves(const struct set *set, const struct grid *g, struct curve *curves) {
	int n = 0;
	for (int i = 0; i < g->nlines && n < CURVES; i++) {
		const char *name = g->lines[i]->name;
		bool named = g->lines[i]->command || g->nlines <= ROWS_NAMED, measured = false;
		named = named || is_named(&set->reports[0]->options->select, name);
		for (int k = 0; k < set->n; k++) {
			const struct row *best = recommended(set->reports[k]);
			named |= best && !strcmp(best->name, name);
			measured |= best_speed(set->reports[k], name) > 0;
		}
		if (named && measured) curves[n++].name = name;
	}
	return n;
}

static int compare_curves(const void *a, const void *b) {
	const struct curve *x = a, *y = b;
	return (x->y > y->y) - (x->y < y->y);
}

/* Print a row's speed by size as a line. */
static void print_curve(struct picture *pic, const struct set *set, const struct axis *across,
    const struct axis *up, const char *name, const char *class) {
	char way = 'M';
	fprintf(pic->f, "<path class=\"%s\" d=\"", class);
	for (int i = 0; i < set->n; i++) {
		const struct report *rep = set->reports[i];
		double there = best_speed(rep, name);
		if (there > 0)
			fprintf(pic->f, "%c%.1f %.1f%s", way, position(across, (double)rep->len),
			    position(up, there), way == 'M' ? "h0" : ""); /* a point alone is a dot */
		way = there > 0 ? 'L' : 'M';
	}
	fputs("\"/>\n", pic->f);
}

/* Draw speed by size: the named curves of find_curves() in colours, the other rows in grey. */
static void draw_curves(struct picture *pic, const struct set *set, const struct grid *g) {
	struct curve curves[CURVES] = { { NULL, 0 } };
	int n = find_curves(set, g, curves), names = label_width(g);
	double top = pic->y + LINE, bottom = top + PICTURE_WIDTH / 2.0, last = -MARGIN;
	double right = widen(pic, LETTER * (names + 11)) - MARGIN;
	struct axis across = { MARGIN + LETTER * 7, right - LETTER * (names + 4), .low = 1, .high = 0 };
	struct axis up = { bottom, top, .low = 1, .high = 0 };
	for (int i = 0; i < set->n; i++) {
		extend(&across, (double)set->reports[i]->len);
		for (int k = 0; k < g->nlines; k++)
			extend(&up, best_speed(set->reports[i], g->lines[k]->name));
	}
	print_label(pic, MARGIN, pic->y, "start", "note", "GiB/s, best run; higher is better");
	if (up.high <= up.low) return;
	print_scale(pic, &up, false, across.start_at, across.end_at);
	for (int i = 0; i < set->n; i++) {
		double x = position(&across, (double)set->reports[i]->len);
		double half = LETTER * (double)strlen(set->reports[i]->title) / 2;
		print_stroke(pic, x, top, x, bottom, "grid");
		if (x - half < last) continue; /* no room for its label */
		print_label(pic, x, bottom, "middle", "note", set->reports[i]->title);
		last = x + half + LETTER;
	}
	for (int i = 0; i < g->nlines; i++)
		print_curve(pic, set, &across, &up, g->lines[i]->name, "grey");
	for (int i = 0; i < n; i++)
		for (int k = 0; k < set->n; k++)
			if (best_speed(set->reports[k], curves[i].name) > 0)
				curves[i].y = position(&up, best_speed(set->reports[k], curves[i].name));
	qsort(curves, n, sizeof *curves, compare_curves);
	for (int i = 1; i < n; i++) /* names are a line apart */
		if (curves[i].y < curves[i - 1].y + LINE) curves[i].y = curves[i - 1].y + LINE;
	for (int i = n - 1; i >= 0; i--)
		if (curves[i].y > bottom - LINE * (n - 1 - i)) curves[i].y = bottom - LINE * (n - 1 - i);
	for (int i = 0; i < n; i++) {
		struct words class = fmt("curve c%d d%d", i % COLOURS, i / COLOURS);
		print_curve(pic, set, &across, &up, curves[i].name, class.str);
		print_stroke(pic, across.end_at + 6, curves[i].y, across.end_at + 22, curves[i].y, class.str);
		print_name(pic, across.end_at + 27, curves[i].y - LINE / 2.0, curves[i].name, names, "");
	}
	pic->y = bottom + 2 * LINE;
}

/* Draw one report as dots, sizes as curves, and files as a map for each size. */
static void print_svg(FILE *f, const struct document *d, int n, UNUSED const struct view *view) {
	struct picture pic = { .y = MARGIN, .width = PICTURE_WIDTH };
	struct text body, text;
	int letters = (int)((PICTURE_WIDTH - 2 * MARGIN) / LETTER);
	pic.f = begin_text(&body);
	for (const struct document *last = d + n - 1, *doc = d; doc <= last; doc++, pic.y += MARGIN) {
		print_wrapped(begin_text(&text), doc->heading, letters, 0, 0);
		print_text_lines(&pic, finish_text(&text), "bold");
		pic.y += 6;
		if (doc->set->n == 1) draw_dots(&pic, doc->set->reports[0], &doc->grid);
		else if (doc->set->files) draw_map(&pic, doc->set, &doc->grid);
		else draw_curves(&pic, doc->set, &doc->grid);
		print_wrapped_lines(begin_text(&text), doc->lines, letters, false);
		print_text_lines(&pic, finish_text(&text), "note");
	}
	fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
	    "height=\"%.0f\" role=\"img\" font-size=\"12\" font-family=\"ui-monospace,SFMono-Regular,Menlo,"
	    "Consolas,'DejaVu Sans Mono','Liberation Mono',monospace\">\n<title>",
	    pic.width, pic.y, pic.width, pic.y);
	print_escaped(f, d->heading, &xml);
	fprintf(f, "</title>\n<style>\n%s</style>\n<rect width=\"%.0f\" height=\"%.0f\" class=\"page\"/>\n%s"
	    "</svg>\n", style, pic.width, pic.y, finish_text(&body));
	free(body.chars);
}

/* To add a format: write its function; add it here, to FORMATS, and to the help. The first is the default. */
static const struct format formats[] = {
	{ "text", ".txt", .document = print_text, .cuts_names = true },
	{ "markdown", ".md", .document = print_markdown },
	{ "csv", ".csv", .data = print_csv }, { "json", ".json", .data = print_json },
	{ "svg", ".svg", .document = print_svg, .cuts_names = true },
};

/* ---- Reading: a report in CSV is read back --------------------------------------------------- */

#define ROWS_MAX 1000           /* of a report that is read: more than --list --all --cold lists */
#define LINE_MAX_BYTES M        /* longest line of a report: room for any command, escaped */

enum { FIELDS_MAX = 64, FACTS_MAX = 200 };

struct reader {
	const struct options *o;
	const char *file;
	FILE *f;
	int64_t line_number;         /* from 1 */
	char *text;                  /* of the line, split into fields; allocated */
	char *fields[FIELDS_MAX];
	int nfields, ncolumns;
	const struct number_column *column_of[FIELDS_MAX]; /* of each field; NULL: not a number of a run */
	int detail_field, bytes_field; /* -1: none */
	struct report *reports;      /* the file's reports, one after the other */
	int n, earlier_runs;         /* reports; runs in other files, and in reports before the last */
	int64_t run_lines;           /* that the last report claims to contain; -1: none */
};

#define die_at(r, format, ...) die("%s: line %" PRId64 ": " format, (r)->file, (r)->line_number, __VA_ARGS__)

/* Read a line without its newline. Escape tabs, which would spoil the tables. Returns false at EOF. */
static bool read_csv_line(struct reader *r) {
	static char line[LINE_MAX_BYTES];
	int byte, n = 0;
	r->line_number++;
	for (; (byte = getc_unlocked(r->f)) != EOF && byte != '\n'; line[n++] = (char)byte) {
		if (n >= LINE_MAX_BYTES - 1)
			die_at(r, "is longer than %d bytes: a report has no such lines", (int)LINE_MAX_BYTES);
		if (byte != '\t' && byte != '\r' && (byte < ' ' || byte == 127))
			die_at(r, "contains the byte \\x%02x: a report is text", byte);
	}
	if (ferror(r->f)) die_errno(r->file, errno, "read");
	if (byte == EOF && n > 0) die_at(r, "%s", "has no end: the file is cut: get all of it");
	n -= n > 0 && line[n - 1] == '\r';
	line[n] = '\0';
	free(r->text);
	r->text = format_line("%s", line);
	return byte != EOF;
}

/* Split the line into its fields (RFC 4180). */
static void split_fields(struct reader *r) {
	char *from = r->text, *to = r->text;
	for (r->nfields = 0;; from++) {
		bool quoted = *from == '"';
		if (r->nfields == FIELDS_MAX) die_at(r, "has more than %d fields", FIELDS_MAX);
		r->fields[r->nfields++] = to;
		from += quoted;
		while (*from && (quoted ? *from != '"' || from[1] == '"' : *from != ',')) {
			if (*from == '"' && !quoted) die_at(r, "has a quote inside field %d", r->nfields);
			from += *from == '"';
			*to++ = *from++;
		}
		if (quoted && *from != '"') die_at(r, "has no closing quote in field %d", r->nfields);
		from += quoted;
		if (*from && *from != ',')
			die_at(r, "goes on after the closing quote of field %d", r->nfields);
		if (!*from) break;
		*to++ = '\0';
	}
	*to = '\0';
}

/* Read a line of column names; unknown ones are ignored. */
static void read_columns(struct reader *r) {
	static const char *const first[] = { "row", "round", "ns", "outcome" };
	if (*r->text == '{') die_at(r, "%s", "is JSON: --compare reads CSV, which -o FILE.csv writes");
	split_fields(r);
	r->ncolumns = r->nfields;
	r->detail_field = r->bytes_field = -1;
	for (int i = 0; i < LENGTH(first); i++) {
		const char *name = i < r->nfields ? r->fields[i] : "missing";
		if (strcmp(name, first[i]))
			die_at(r, "column %d is %.40s, not %s: the columns of a report begin "
			    "row,round,ns,outcome, after lines '# key: value'", i + 1, name, first[i]);
	}
	for (int i = 0; i < r->nfields; i++) {
		r->column_of[i] = NULL;
		for (int k = 0; k < NUMBERS; k++)
			if (!strcmp(number_columns[k].name, r->fields[i]))
				r->column_of[i] = &number_columns[k];
		if (!strcmp(r->fields[i], "detail")) r->detail_field = i;
		if (!strcmp(r->fields[i], "bytes")) r->bytes_field = i;
		for (int k = 0; k < i; k++)
			if (!strcmp(r->fields[k], r->fields[i]))
				die_at(r, "has the column %.40s twice", r->fields[i]);
	}
}

static int64_t read_count(const struct reader *r, const char *what, const char *text, int64_t least,
    int64_t most) {
	int64_t n = parse_count(text, least, most);
	if (n < least)
		die_at(r, "%s is \"%.40s\", not a whole number from %" PRId64 " to %" PRId64, what, text,
		    least, most);
	return n;
}

static int compare_runs(const void *a, const void *b) {
	const struct run *x = a, *y = b;
	const int64_t keys[][2] = { { x->round, y->round }, { x->order, y->order } };
	return compare_keys(keys, LENGTH(keys));
}

/* Find a row by its name, or add it. */
static struct row *add_row(struct reader *r, struct report *rep, const char *name) {
	struct row *row = find_row(rep, name);
	if (row) return row;
	if (!*name) die_at(r, "%s", "has no name for its row");
	if (rep->nrows == ROWS_MAX)
		die_at(r, "has row %d, %.40s: a report has at most %d", ROWS_MAX + 1, name, ROWS_MAX);
	rep->rows = grow(rep->rows, rep->nrows, sizeof *rep->rows);
	row = &rep->rows[rep->nrows++];
	*row = (struct row){ .name = format_text("%s", name) };
	if (!strncmp(name, "$ ", 2)) row->command = row->name + 2;
	row->strategy = row->command ? &command_strategy : NULL; /* another version may have other rows */
	for (int i = 0; i < LENGTH(strategies) && !row->strategy; i++) {
		size_t same = strlen(strategies[i].name);
		const char *rest = name + same;
		if (!strncmp(name, strategies[i].name, same)
		    && (!*rest || !strncmp(rest, " + ", 3) || !strcmp(rest, BIG_PIPES)))
			row->strategy = &strategies[i];
	}
	return row;
}

/* True if a report continues another: same size, place, machine and options, no later rounds in either. */
static bool is_continued(const struct report *rep, const struct report *more) {
	bool same = rep->len == more->len && !has_later_rounds(rep) && !has_later_rounds(more);
	for (const struct fact_row *row = fact_rows; row < fact_rows + LENGTH(fact_rows); row++)
		if (row->is & EQUAL) same &= is_same_fact(rep, more, row->key);
	return same;
}

/* Add the facts of another session: missing ones, dates, rounds, memcpy's best time, and verification. */
static void add_facts(struct report *rep, const struct report *more) {
	const char *verified = find_fact(rep, "verified"), *date = find_fact(rep, "date");
	const char *last = last_date(rep), *other = find_fact(more, "date"), *other_last = last_date(more);
	bool alone = verified && !strncmp(verified, SIZES_ALONE, strlen(SIZES_ALONE));
	int64_t best = min(rep->memcpy_ns, more->memcpy_ns);
	if (date && other) {
		bool later = strcmp(other_last, last) > 0;
		set_fact(rep, "last_date", format_text("%s", later ? other_last : last));
		if (strcmp(other, date) < 0) set_fact(rep, "date", format_text("%s", other));
	}
	for (const struct fact *fact = more->facts; fact < more->facts + more->nfacts; fact++) {
		bool better = alone && !strcmp(fact->key, "verified");
		if (better || !find_fact(rep, fact->key))
			set_fact(rep, fact->key, format_text("%s", fact->value));
	}
	set_fact(rep, "runs", format_text("%" PRId64, rep->rounds));
	if (best > 0) rep->memcpy_ns = best;
	if (best > 0) set_fact(rep, "memcpy_ns", format_text("%" PRId64, best));
}

/* Add the rounds of a later session to a report. */
static void add_rounds(struct reader *r, struct report *rep, const struct report *more) {
	for (int i = 0; i < more->nrows; i++) {
		struct row *row = add_row(r, rep, more->rows[i].name);
		for (int k = 0; k < more->rows[i].nruns; k++) {
			struct run run = more->rows[i].runs[k];
			run.round += (int)rep->rounds;
			run.order = rep->nruns++;
			add_run(row, &run);
		}
		free(more->rows[i].runs);
		free((char *)more->rows[i].name);
	}
	rep->rounds += more->rounds;
	add_facts(rep, more);
	for (int i = 0; i < more->nfacts; i++) {
		free(more->facts[i].key);
		free(more->facts[i].value);
	}
	free(more->facts);
	free(more->rows);
}

/* Check a report, add it to the one that it continues, and keep the selected rows, in the table's order. */
static void finish_report(struct reader *r) {
	struct report *rep = &r->reports[r->n - 1];
	int64_t asked = rep->rounds; /* 0: not known: use the last round */
	int n = 0;
	if (!rep->nruns && r->run_lines) die_at(r, "%s", "the report contains no run");
	if (r->run_lines >= 0 && r->run_lines != rep->nruns)
		die_at(r, "the report contains %d runs, but claims %" PRId64 ": it is %s (if that is "
		    "intended, delete its line run_lines)", rep->nruns, r->run_lines,
		    rep->nruns < r->run_lines ? "cut" : "made of several");
	if (rep->len <= 0) die_at(r, "%s", "the report has no size: add a line '# size: BYTES'");
	if (rep->limit && !rep->baseline) die_at(r, "%s", "limit_percent needs a line # baseline: ROW");
	for (int i = 0; i < rep->nrows; i++) /* a spreadsheet may have sorted the lines */
		qsort(rep->rows[i].runs, rep->rows[i].nruns, sizeof *rep->rows[i].runs, compare_runs);
	for (int i = 0; i < rep->nrows && !asked; i++)
		for (int k = 0; k < rep->rows[i].nruns; k++)
			rep->rounds = max(rep->rounds, rep->rows[i].runs[k].round);
	for (struct report *other = r->reports; other < rep; other++) {
		if (other->len < rep->len) continue;
		if (!is_continued(other, rep))
			die_at(r, "%s", "sizes ascend, and more rounds are of the same place, machine and "
			    "options, by -n: give each report a file of its own");
		add_rounds(r, other, rep);
		rep = other;
		r->n--;
	}
	for (int i = 0; i < rep->nrows; i++)
		if (rep->rows[i].runs->round > last_early(rep))
			die_at(r, "%.40s has no run in the first rounds", rep->rows[i].name);
	find_finalists(rep, has_later_rounds(rep)); /* before rows are left out */
	for (int i = 0; i < rep->nrows; i++) {
		struct row own_row = rep->rows[i];
		bool wanted = !r->o->select.n || matches(&r->o->select, own_row.name);
		if (matches(&r->o->exclude, own_row.name) || !wanted) continue;
		rep->rows[i] = rep->rows[n]; /* swap: rows that are left out follow those that are kept */
		rep->rows[n++] = own_row;
	}
	rep->nrows = n;
	qsort(rep->rows, rep->nrows, sizeof *rep->rows, compare_table_order);
	if (!n && rep->nruns) die("%s: no row is left: --select less narrowly, or --exclude less", rep->file);
}

/* Begin a report: at the beginning of the file, or if facts or column names follow runs. */
static void begin_report(struct reader *r) {
	if (r->n) r->earlier_runs += r->reports[r->n - 1].nruns;
	if (r->n) finish_report(r);
	if (r->n == SIZES_MAX)
		die_at(r, "begins report %d: a file has at most %d", SIZES_MAX + 1, SIZES_MAX);
	r->run_lines = -1;
	struct report *rep = &r->reports[r->n++];
	*rep = (struct report){ .file = r->file, .options = r->o, .rows = allocate(1, sizeof *rep->rows) };
	set_fact(rep, "schema", format_text("%d", SCHEMA)); /* we write this version */
	set_fact(rep, "heading", format_text("%s", r->file)); /* if it has none */
}

/* Read a line "# key: value". Any other line with a # is a comment. */
static void read_fact(struct reader *r) {
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
	char *key = r->text + strspn(r->text, "# "), *end = key + strspn(key, letters);
	if (end == key || strncmp(end, ": ", 2)) return;
	*end = '\0';
	if (r->reports[r->n - 1].nruns) begin_report(r);
	struct report *rep = &r->reports[r->n - 1];
	const struct fact_row *fact_row = find_fact_row(key);
	const char *value = end + 2;
	if (!strcmp(key, "schema") && parse_count(value, SCHEMA, SCHEMA) < 0)
		die_at(r, "is of schema %.40s: this version reads %d: measure again", value, SCHEMA);
	if (!strcmp(key, "run_lines")) r->run_lines = read_count(r, key, value, 0, ALL_RUNS_MAX);
	if (fact_row && fact_row->is & CONCLUDED) return;
	if (fact_row && fact_row->offset)
		*(int64_t *)((char *)rep + fact_row->offset) = read_count(r, key, value, 1, fact_row->most);
	if (fact_row && fact_row->read && !fact_row->read(rep, value))
		die_at(r, "%s is \"%.40s\", not a number from 1 on", key, value);
	if (rep->nfacts == FACTS_MAX + 2) /* schema and heading are always there */
		die_at(r, "is one line '# key: value' more than the %d allowed", FACTS_MAX);
	set_fact(rep, key, format_line("%s", value));
}

/* Parse an outcome of outcome_text(). Returns false if it is not one. */
static bool parse_outcome(const char *text, struct verdict *v) {
	const char *why = strchr(text, ' ') ? strchr(text, ' ') + 1 : "";
	*v = (struct verdict){ .failure.nth = -1, .at = -1 };
	for (enum outcome i = UNTRIED; i <= MISMATCH; i++) {
		if (i == REFUSED || i == FAILED || strcmp(text, outcomes[i].key)) continue;
		v->outcome = i;
		return true;
	}
	v->failure.err = parse_errno(why);
	if (!*why) v->failure.err = NO_ERRNO;
	size_t length = strcspn(text, " ");
	for (enum outcome i = REFUSED; i <= FAILED; i++)
		if (v->failure.err && !strncmp(text, outcomes[i].key, length) && !outcomes[i].key[length])
			v->outcome = i;
	return v->outcome != UNTRIED;
}

/* Read the detail of an outcome, as printed by format_detail(). */
static void read_detail(struct verdict *v, const char *words) {
	bool empty = !strcmp(words, WROTE_NOTHING);
	if (v->outcome == MISMATCH && *words) v->at = empty ? EMPTY : parse_count(words, 0, INT64_MAX);
	if (v->failure.err && *words) v->failure.call = format_text("%s", words);
}

static void read_run(struct reader *r) {
	struct run run = unknown_run;
	struct report *rep = &r->reports[r->n - 1];
	char *tail;
	split_fields(r);
	if (r->nfields != r->ncolumns)
		die_at(r, "has %d field%s, not %d", r->nfields, plural(r->nfields), r->ncolumns);
	if (r->earlier_runs + rep->nruns == ALL_RUNS_MAX)
		die_at(r, "is run %d: of %d at most, in all files together", ALL_RUNS_MAX + 1, ALL_RUNS_MAX);
	const char *bytes = r->bytes_field >= 0 ? r->fields[r->bytes_field] : "";
	int64_t len = *bytes ? read_count(r, "bytes", bytes, 1, INT64_MAX) : rep->len;
	if (rep->len && len != rep->len) die_at(r, "%s", "is of another size than its report");
	rep->len = len;
	struct row *row = add_row(r, rep, r->fields[0]);
	run.order = rep->nruns++;
	run.round = (int)read_count(r, "round", r->fields[1], 1, INT32_MAX);
	if (!parse_outcome(r->fields[3], &run.verdict))
		die_at(r, "outcome is \"%.40s\", not one that --man names", r->fields[3]);
	if (is_timed(run.verdict.outcome)) run.ns = read_count(r, "ns", r->fields[2], 1, NS_MAX);
	for (int i = 4; i < r->nfields; i++) {
		const struct number_column *column = r->column_of[i];
		if (!column || !*r->fields[i] || !strcmp(r->fields[i], "-")) continue;
		double value = strtod(r->fields[i], &tail) * (column->milliseconds ? 1e6 : 1);
		if (*tail || !isdigit((unsigned char)*r->fields[i]) || !(value <= (double)NS_MAX))
			die_at(r, "%s is \"%.40s\", not a number from 0 on", column->name, r->fields[i]);
		*(int64_t *)((char *)&run + column->offset) = (int64_t)(value + 0.5);
	}
	if (r->detail_field >= 0) read_detail(&run.verdict, r->fields[r->detail_field]);
	add_run(row, &run);
}

/* Read the reports of a file: facts, then runs. Returns their number. earlier_runs: in other files. */
static int read_file(struct report *reports, const char *file, int earlier_runs, const struct options *o) {
	static const char names[] = "row,round,ns,outcome";
	struct reader reader = { .reports = reports, .earlier_runs = earlier_runs, .o = o,
	    .file = file }, *r = &reader;
	r->f = !strcmp(file, "-") ? stdin : fopen(file, "re");
	if (!r->f) die_errno(file, errno, "open");
	r->file = format_line("%s", file);
	begin_report(r);
	while (read_csv_line(r)) {
		bool again = r->ncolumns && !strncmp(r->text, names, strlen(names));
		if (again && r->reports[r->n - 1].nruns) begin_report(r);
		if (*r->text == '#') read_fact(r);
		else if (again || (!r->ncolumns && *r->text)) read_columns(r);
		else if (r->ncolumns) read_run(r);
	}
	if (!r->ncolumns)
		die_at(r, "%s", "the file ends before a line of column names: row,round,ns,outcome");
	finish_report(r);
	if (r->f != stdin) fclose(r->f);
	free(r->text);
	return r->n;
}

/* Returns the length of the names' common prefix or suffix, up to a separator; a byte of each name stays. */
static int shared_length(const struct report *reports, int n, bool at_end, int tail) {
	int length = 0;
	for (int i = 1;; i++) {
		char byte = 0;
		for (int k = 0; k < n; k++) {
			int bytes = (int)strlen(reports[k].file);
			char here = reports[k].file[at_end ? max(bytes - i, 0) : i - 1];
			if (i >= bytes - tail || (k && here != byte)) return length;
			byte = here;
		}
		if (strchr("-_./ ,+:", byte)) length = i;
	}
}

/* Title reports: sizes of a session by their sizes; files by their names without what all share. */
static void title_reports(struct report *reports, int n, bool files) {
	int tail = files ? shared_length(reports, n, true, 0) : 0;
	int head = files ? shared_length(reports, n, false, tail) : 0;
	for (int width = TITLE_MOST, alike = true; alike; width++) {
		alike = false;
		for (int i = 0; i < n; i++) {
			const char *file = reports[i].file;
			int bytes = files ? (int)strlen(file) - head - tail : 0;
			char *whole = files ? format_text("%.*s", bytes, file + head)
			    : format_text("%s", size_text(reports[i].len).str);
			char *title = shorten_name(whole, width);
			for (int k = 0; k < i && files; k++)
				alike |= strcmp(reports[k].file, file) && !strcmp(reports[k].title, title);
			free(reports[i].title);
			free(whole);
			reports[i].title = title;
		}
	}
}

/* Read all files, and rank their rows. Returns the number of reports. */
static int read_reports(struct report *reports, const struct options *o) {
	int n = 0, earlier_runs = 0;
	for (int i = 0; i < o->compare.n; i++) {
		int first = n;
		n += read_file(&reports[n], o->compare.item[i], earlier_runs, o);
		for (int k = first; k < n; k++) earlier_runs += reports[k].nruns;
		for (int k = first; k < n; k++) rank(&reports[k]);
		judge_commands(&reports[first], n - first);
	}
	check_used(&o->select, "select", " of these reports");
	check_used(&o->exclude, "exclude", " of these reports");
	return n;
}

static int compare_sets(const void *a, const void *b) {
	const struct set *x = a, *y = b;
	return (x->reports[0]->len > y->reports[0]->len) - (x->reports[0]->len < y->reports[0]->len);
}

/* Group reports into *found tables: one per session or file; of several files, one per size. Allocated. */
static struct set *make_sets(struct report *reports, int n, bool files, int *found) {
	struct set *sets = allocate(n, sizeof *sets);
	*found = 0;
	for (int i = 0; i < n; i++) {
		struct set *set = sets;
		while (set < sets + *found && files && set->reports[0]->len != reports[i].len) set++;
		*found = (int)max(*found, set - sets + 1);
		set->files = files;
		set->reports = grow(set->reports, set->n, sizeof *set->reports);
		set->reports[set->n++] = &reports[i];
	}
	qsort(sets, *found, sizeof *sets, compare_sets);
	for (int i = 0; i < *found && files; i++)
		if (sets[i].n == 2) find_changes(sets[i].reports[1], sets[i].reports[0]);
	return sets;
}

/* ==== What drives them ======================================================================== */

/* ---- Inputs that are made: --generate -------------------------------------------------------- */

enum content { ZERO, RANDOM, PAGE, NOISY }; /* in the order of CONTENTS */

/* Write a content to an output: zeros; a random page, repeated; pages as they are allocated; or noise, whose
 * words are hashes of their indices, so that no two blocks are alike. Returns the exit status. */
static int generate(const struct options *o, struct endpoint *sink) {
	static uint64_t words[CHUNK / sizeof(uint64_t)], page[DIO_ALIGNMENT / sizeof(uint64_t)];
	const char *call = "write";
	int err = 0;
	check_endpoint(sink, O_RDONLY);
	check_use(sink->label, sink->user_fd);
	lock_output(sink->label, sink->user_fd);
	if (sink->ops->kind == KIND_PIPE) fcntl(sink->user_fd, F_SETPIPE_SZ, (int)PIPE_LARGE);
	if (o->content == ZERO) memset(words, 0, sizeof words);
	if (o->content == RANDOM && getrandom(page, sizeof page, 0) < 0)
		die_errno(sink->label, errno, "getrandom");
	for (int i = 0; i < LENGTH(words) && o->content == RANDOM; i++) words[i] = page[i % LENGTH(page)];
	for (int64_t at = 0; at < o->generate && !err; at += CHUNK) {
		for (int i = 0; i < LENGTH(words) && o->content == NOISY; i++) {
			uint64_t state = (uint64_t)(at / 8 + i) * UINT64_C(0x9e3779b97f4a7c15);
			words[i] = htole64(random_number(&state));
		}
		err = full_write(sink->user_fd, (unsigned char *)words, min(o->generate - at, CHUNK));
	}
	if (!err) err = flush_fd(sink->user_fd, &call);
	if (err) warn("%s: %s: %s", sink->label, call, errno_text(err).str);
	return err ? EXIT_FAILED_ROW : 0;
}

/* ---- Options: one table, from which usage and manual page are made --------------------------- */

#define PAUSE_DEFAULT_MS 100    /* as in the base document */
#define LARGE_FROM_MIB 16       /* smaller sizes have more runs and shorter pauses */
#define PAUSE_OF_SMALL_MS 10    /* the pause does not change their times */
#define SLOWER_DEFAULT 5        /* percent that --fail-if-slower allows */
#define FORMATS "text|markdown|csv|json|svg" /* in the order of formats[] */
#define CONTENTS "zero|random|page|noise"    /* in the order of enum content */

/* The value that an option sets. ENDPOINT: a struct option_end; SPECIAL: its function sets it. */
enum option_kind { HEADING, FLAG, CHOICE, COUNT, TIME, NAME, ENDPOINT, COMMANDS, GLOBS, WORD, SPECIAL };

struct option_row {
	char letter;            /* 0: none */
	const char *name, *arg; /* as in the usage; "[..." is optional; " ...": operands; NULL: takes none */
	const char *help;       /* NULL: a heading */
	enum option_kind option_kind;
	size_t field;           /* of struct options, that it sets */
	int number;             /* of CHOICE that of its field; of COUNT the least one */
	void (*apply)(struct options *, const struct option_row *, char *arg);
};

/* Split a list of globs at commas, except for those before a blank, which belong to names. */
static void add_globs(struct list *list, const char *option_name, char *text) {
	const char *whole = format_line("%s", text); /* escaped, as rows' names are */
	while (text) {
		char *glob = text, *comma = text;
		while ((comma = strchr(comma, ',')) && comma[1] == ' ') comma++;
		if (comma) *comma++ = '\0';
		if (!*glob)
			die("--%s: a glob is empty: " PROGRAM " --list --all names the rows", option_name);
		append(list, glob);
		list->whole[list->n - 1] = whole;
		text = comma;
	}
}

/* Returns the index of a word in an option's list, "a|b|c"; -1 if it is not in the list. */
static int find_word(const char *list, const char *word) {
	for (int i = 0; *list; i++) {
		size_t length = strcspn(list, "|");
		if (length == strlen(word) && !strncmp(list, word, length)) return i;
		list += length + (list[length] == '|');
	}
	return -1;
}

/* Set a field to one of several values, once. */
static void choose(int *field, int number, const char *option_name) {
	if (*field && *field != number)
		die("--%s: can't be combined with another option of its kind: see --help", option_name);
	*field = number;
}

#define OPTION(name) static void name(struct options *o, UNUSED const struct option_row *option, char *arg)

OPTION(set_explain) {
	choose((int *)&o->mode, EXPLAIN, option->name);
	add_globs(&o->select, option->name, arg);
}

OPTION(set_generate) {
	char *size = strchr(arg, ':');
	choose((int *)&o->mode, GENERATE, option->name);
	if (size) *size++ = '\0';
	o->content = find_word(CONTENTS, arg);
	o->generate = size ? parse_size(size) : 0;
	if (o->content < 0 || o->generate <= 0)
		die("--generate=%s: is not a kind and a size, like noise:256m: kinds are " CONTENTS, arg);
}

static int compare_sizes(const void *a, const void *b) {
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

/* Add the sizes of a list; plan_sizes() takes each once, in ascending order. */
OPTION(set_sizes) {
	struct sizes *all = &o->sizes;
	for (char *word; (word = strsep(&arg, ","));) {
		int64_t size = parse_size(word);
		if (size <= 0)
			die("--size=%s: is not a size: use one like 4096, 64k, 1.5m, 4MiB or 4MB", word);
		if (all->n == SIZES_MAX) die("--size: has more than %d sizes: leave some out", SIZES_MAX);
		all->ascending[all->n++] = size;
	}
	qsort(all->ascending, all->n, sizeof *all->ascending, compare_sizes);
}

OPTION(set_slower) {
	char *tail = arg;
	o->slower = arg ? strtod(arg, &tail) : SLOWER_DEFAULT;
	bool finite = o->slower >= NO_CHANGE && o->slower <= DBL_MAX;
	if (arg && (*tail || arg[strspn(arg, "0123456789.")] || !finite))
		die("--fail-if-slower=%s: is not a percentage from " TEXT_OF(NO_CHANGE) " on, like 2.5", arg);
}

OPTION(set_output) {
	if (!*arg || !strcmp(arg, "-"))
		die("--output=%s: standard output carries the copy: name a file for the report", arg);
	if (o->nreport_files == REPORT_FILES_MAX)
		die("--%s=%s: is one too many: there can be %d reports", option->name, arg, REPORT_FILES_MAX);
	o->report_files[++o->nreport_files].name = arg;
}

/* To add an option: letter, name, argument, help, kind, the field that it sets, its number. */
#define SETS(name) .field = offsetof(struct options, name)
static const struct option_row option_rows[] = {
	{ .name = "Rows" },
	{ 'l', "list", NULL, "list the rows and stop: name, calls, first kernel, a program that copies so",
	  CHOICE, SETS(mode), .number = LIST },
	{ 0, "explain", "GLOB,...", "print what these rows call, how it fails, its names in Python, Go, Rust",
	  SPECIAL, .apply = set_explain },
	{ 's', "select", "GLOB,...", "run only rows that match a shell pattern; a full name also selects a "
	  "row that is not run by default", GLOBS, SETS(select) },
	{ 'x', "exclude", "GLOB,...", "leave out rows that match", GLOBS, SETS(exclude) },
	{ 'a', "all", NULL, "every strategy with every advice, slow ones, too", FLAG, SETS(all) },
	{ 'w', "with", "COMMAND", "add a row: COMMAND copies stdin to stdout, or \"$IN\" to \"$OUT\" as in "
	  "--with='cp \"$IN\" \"$OUT\"'; repeatable", COMMANDS, SETS(with) },
	{ .name = "Measuring" },
	{ 'n', "runs", "N", "rounds of all rows; default: " TEXT_OF(ROUNDS_DEFAULT) ", then up to "
	  TEXT_OF(ROUNDS_FINAL) " of those in question, then " TEXT_OF(ROUNDS_LAST) " of the command and the "
	  "row to use", COUNT, SETS(runs_asked), .number = 1 },
	{ 0, "warmup", "N", "rounds that don't count, before the first", COUNT, SETS(warmup) },
	{ 'p', "pause", "SECONDS", "sleep before a run; " TEXT_OF(PAUSE_DEFAULT_MS) "ms, below "
	  TEXT_OF(LARGE_FROM_MIB) "MiB " TEXT_OF(PAUSE_OF_SMALL_MS) "ms", TIME, SETS(pause) },
	{ 0, "until", "return|close|sync", "what the clock waits for: the last call's return (default), the "
	  "close of the output, or fdatasync", WORD, SETS(until) },
	{ 0, "cold", NULL, "evict the input from the page cache first", FLAG, SETS(cold) },
	{ 0, "new", NULL, "each run into a new file, as cp to a new name",
	  CHOICE, SETS(fill), .number = RENEWED },
	{ 0, "replace", NULL, "truncate the last copy inside the clock, as > and cp do to an old file",
	  CHOICE, SETS(fill), .number = REPLACED },
	{ 0, "overwrite", NULL, "write over the last copy's blocks",
	  CHOICE, SETS(fill), .number = OVERWRITTEN },
	{ 0, "reuse", NULL, "set up buffers, pipes, rings and threads before the clock starts, as in a "
	  "program that copies many files", FLAG, SETS(reuse) },
	{ 0, "seed", "N", "seed of the shuffle; the report names it", COUNT, SETS(seed) },
	{ 0, "in-order", NULL, "rounds in the table's order, not shuffled", FLAG, SETS(in_order) },
	{ 0, "no-verify", NULL, "check sizes, not bytes", FLAG, SETS(no_verify) },
	{ 'z', "size", "SIZE,...", "copy only the first SIZE bytes, like 4096, 64k, 1.5m, 4MiB or 4MB "
	  "(10^6); several: all rows at each", SPECIAL, .apply = set_sizes },
	{ .name = "Inputs and outputs" },
	{ 0, "from", "COMMAND", "the input is what COMMAND writes; a new process each run",
	  ENDPOINT, SETS(from_end) },
	{ 0, "into", "COMMAND", "the output is COMMAND's standard input; a new process each run; the clock "
	  "stops when it ends", ENDPOINT, SETS(into_end) },
	{ 't', "tee", "FILE", "a second output, created or emptied as by tee(1)", NAME, SETS(tee) },
	{ 0, "send", NULL, "the output is a TCP connection over loopback, a new one each run",
	  ENDPOINT, SETS(into_end) },
	{ 'g', "generate", CONTENTS ":SIZE", "write SIZE bytes to stdout and stop: zeros; one random page, "
	  "repeated; pages as they are allocated; or noise, in which no two blocks are alike",
	  SPECIAL, .apply = set_generate },
	{ .name = "Reports" },
	{ 'f', "format", FORMATS, "format of the report on standard error (--compare: on standard output); "
	  "default text", WORD, SETS(format_number) },
	{ 'o', "output", "FILE", "also write the report to FILE, in the format of its extension (.txt .md "
	  ".csv .json .svg), else of -f; repeatable", SPECIAL, .apply = set_output },
	{ 'v', "verbose", NULL, "print all that is known about the session", FLAG, SETS(verbose) },
	{ 0, "counters", NULL, "count context switches, page faults, cycles and more, for CSV and JSON",
	  FLAG, SETS(counters) },
	{ 0, "compare", " FILE...", "read CSV reports: print one again; test what changed between two; print "
	  "several side by side", CHOICE, SETS(mode), .number = COMPARE },
	{ 0, "top", "N", "print only the N fastest rows, the commands, and the rows that sentences name; "
	  "default 0: all", COUNT, SETS(top) },
	{ 0, "baseline", "ROW", "compare each --with row with ROW, like '$ ./old', in the same rounds",
	  NAME, SETS(baseline) },
	{ 0, "fail-if-slower", "[=PERCENT]", "with --baseline: run the commands and ROW alone, "
	  TEXT_OF(ROUNDS_GATE) " times, and judge: slower by more than PERCENT, from " TEXT_OF(NO_CHANGE)
	  " on, default " TEXT_OF(SLOWER_DEFAULT) "?", SPECIAL, .apply = set_slower },
	{ 'q', "quiet", NULL, "print only what failed, the gate and the answer", FLAG, SETS(quiet) },
	{ 'h', "help", NULL, "print this help and stop", CHOICE, SETS(mode), .number = HELP },
	{ 'V', "version", NULL, "print the version", CHOICE, SETS(mode), .number = SHOW_VERSION },
	{ 0, "man", NULL, "print the manual page", CHOICE, SETS(mode), .number = MANUAL },
};

/* Set an option's field. arg: NULL if there is none. */
static void set_option(struct options *o, const struct option_row *option, char *arg) {
	void *field = (char *)o + option->field;
	const char *name = option->name;
	bool command = option->option_kind == COMMANDS || option->option_kind == ENDPOINT;
	if (command && arg && !arg[strspn(arg, " \t\n")]) die("--%s=%s: is empty: name a command", name, arg);
	switch (option->option_kind) {
	case FLAG:
		*(bool *)field = true;
		break;
	case CHOICE:
		choose(field, option->number, name);
		break;
	case COUNT:
		*(int64_t *)field = parse_count(arg, option->number, INT32_MAX);
		if (*(int64_t *)field < 0)
			die("--%s=%s: is not a number from %d to %d", name, arg, option->number, INT32_MAX);
		break;
	case TIME:
		*(int64_t *)field = parse_time(arg);
		if (*(int64_t *)field < 0)
			die("--%s=%s: is not a time of 0 to %d s, like 0.1 or 100ms", name, arg, PAUSE_MAX);
		break;
	case NAME:
	case ENDPOINT: /* struct option_end begins with the name */
		if (*(const char **)field) die("--%s: there is one already: leave one out", name);
		if (option->option_kind == NAME) *(const char **)field = arg;
		else *(struct option_end *)field = (struct option_end){ name, arg };
		break;
	case COMMANDS:
		append(field, arg);
		break;
	case GLOBS:
		add_globs(field, name, arg);
		break;
	case WORD:
		*(int *)field = find_word(option->arg, arg);
		if (*(int *)field < 0) die("--%s=%s: is not known: use %s", name, arg, option->arg);
		break;
	default:
		option->apply(o, option, arg);
	}
}

/* Find each file's format: its extension's, or --format. Print in --format; as text if a file uses it. */
static void find_formats(struct options *o) {
	const struct format *asked = &formats[max(o->format_number, 0)];
	o->report_files[0].format = asked;
	for (int i = 1; i <= o->nreport_files; i++) {
		struct report_file *file = &o->report_files[i];
		const char *slash = strrchr(file->name, '/'), *base = slash ? slash + 1 : file->name;
		const char *extension = strrchr(base, '.');
		for (int k = 0; k < LENGTH(formats) && extension; k++)
			if (!strcasecmp(extension, formats[k].extension)) file->format = &formats[k];
		if (!file->format && o->format_number < 0 && extension && extension > base)
			die("--output=%s: its extension is not that of a format: add -f", file->name);
		if (!file->format) o->report_files[0].format = formats;
		if (!file->format) file->format = asked;
	}
	if (o->quiet && !o->report_files[0].format->data) o->report_files[0].format = NULL;
}

static const char description[] =
	"Copies standard input to standard output by every call that Linux has for it, several times, and "
	"checks every copy. Prints the best, median and worst run of each row, how far its best run is "
	"behind the best of all, and what to keep or to use. ~ marks the rows that may be the fastest: with "
	TEXT_OF(CONFIDENCE) "% confidence the fastest is among them. If the exit status is 0, standard "
	"output (and --tee's) is a copy of standard input; a pipe gets the bytes of every run.";

static const struct {
	const char *code, *text;
} statuses[] = {
	{ "0", "All rows were measured, or are not applicable here." },
	{ "1", "A row, a report or the last copy failed, or no row could be measured." },
	{ "2", "Bad usage, or refused: nothing was touched, but a new file of -o or --tee may stay, empty." },
	{ "3", "With --fail-if-slower: a command is slower, or failed." },
	{ "4", "With --fail-if-slower: undecided, the runs can't tell." },
	{ "128+N", "Interrupted by signal N; what had been measured is printed." },
};

static const char *const usages[] = {
	"[OPTION]... <INPUT >OUTPUT", "[OPTION]... --compare FILE...", "--generate=KIND:SIZE >OUTPUT",
};

/* "-o, --output=FILE" */
static struct words option_text(const struct option_row *option) {
	struct words letter = fmt("-%c, ", option->letter);
	const char *equals = option->arg && !strchr("[ ", *option->arg) ? "=" : "";
	return fmt("%-4s--%s%s%s", option->letter ? letter.str : "", option->name, equals,
	    option->arg ? option->arg : "");
}

static void print_help(FILE *f) {
	enum { INDENT = 30, STATUS_INDENT = 9 };
	for (int i = 0; i < LENGTH(usages); i++)
		fprintf(f, "%s " PROGRAM " %s\n", i ? "      " : "Usage:", usages[i]);
	print_wrapped(f, description, TEXT_WIDTH, 0, 0);
	for (int i = 0; i < LENGTH(option_rows); i++) {
		const struct option_row *option = &option_rows[i];
		if (!option->option_kind) {
			fprintf(f, "\n%s\n", option->name);
			continue;
		}
		int used = fprintf(f, "  %s", option_text(option).str);
		if (used > INDENT - 2) used = fprintf(f, "\n") - 1;
		fprintf(f, "%*s", INDENT - used, "");
		print_wrapped(f, option->help, TEXT_WIDTH, INDENT, INDENT);
	}
	fprintf(f, "\nExit status\n");
	for (int i = 0; i < LENGTH(statuses); i++) {
		fprintf(f, "  %-6s ", statuses[i].code);
		print_wrapped(f, statuses[i].text, TEXT_WIDTH, STATUS_INDENT, STATUS_INDENT);
	}
}

/* Quote a command line for a shell. Allocated. */
static char *quote_arguments(char **argv) {
	struct text text;
	FILE *f = begin_text(&text);
	for (int i = 0; argv[i]; i++) {
		bool quote = !*argv[i] || argv[i][strspn(argv[i], PLAIN_WORD "=")];
		if (i) fputc(' ', f);
		fputs(quote ? "'" : "", f);
		for (const char *here = argv[i]; *here; here++) {
			if (*here == '\'') fputs("'\\''", f);
			else fputc(*here, f);
		}
		fputs(quote ? "'" : "", f);
	}
	return finish_text(&text);
}

/* Parse the options, in any order. */
static void parse_words(struct options *o, int argc, char **argv) {
	enum { LONG = 256 }; /* LONG + row: a long option */
	struct option longs[LENGTH(option_rows) + 1] = { { .name = NULL } }, *next = longs;
	char letters[3 * LENGTH(option_rows) + 1] = "", *end = letters;
	for (int i = 0; i < LENGTH(option_rows); i++) {
		const struct option_row *option = &option_rows[i];
		if (!option->option_kind) continue;
		int argument = option->arg && *option->arg != ' ' ? required_argument : no_argument;
		if (argument && *option->arg == '[') argument = optional_argument;
		*next++ = (struct option){ option->name, argument, NULL, LONG + i };
		if (option->letter) end += sprintf(end, "%c%s", option->letter, argument ? ":" : "");
	}
	opterr = 0; /* its messages are not escaped */
	for (int found; !is_informative(o->mode) && (found = getopt_long(argc, argv, letters, longs,
	    NULL)) != -1;) {
		const struct option_row *option = option_rows;
		if (found == '?' && optopt && optopt < LONG)
			die("-%c: is not an option, or lacks its argument: see --help", optopt);
		if (found == '?')
			die("%s: is not an option, or has a wrong argument: see --help", argv[optind - 1]);
		if (found >= LONG) option += found - LONG;
		else
			while (option->letter != found) option++;
		set_option(o, option, optarg);
	}
}

static void parse_options(struct options *o, int argc, char **argv) {
	*o = (struct options){ .pause = -1, .slower = -1, .seed = -1, .format_number = -1 };
	o->command_line = quote_arguments(argv);
	parse_words(o, argc, argv);
	if (is_informative(o->mode)) return;
	for (; o->mode == COMPARE && optind < argc; optind++) append(&o->compare, argv[optind]);
	if (o->mode == COMPARE && !o->compare.n)
		die("--compare: needs files: name reports that --format=csv has written");
	if (o->slower >= 0 && (!o->baseline || o->mode == COMPARE))
		die("--fail-if-slower: needs --baseline=ROW, and both in a session that measures");
	if (o->baseline) o->baseline = format_line("%s", o->baseline); /* escaped, as rows' names are */
	find_formats(o);
	if (optind < argc)
		die("%s: is not an option: redirect the ends: " PROGRAM " <INPUT >OUTPUT", argv[optind]);
}

/* ---- The manual page: its text, and what it lists from tables -------------------------------- */

/* Print text escaped for roff, where a hyphen is not a minus, and a dot or quote may begin a request. */
static void print_roff(FILE *f, const char *text) {
	static const char special[] = "-\\'", *const written[] = { "\\-", "\\e", "\\(aq" };
	if (*text == '.') fputs("\\&", f);
	for (; *text; text++) {
		const char *found = strchr(special, *text);
		if (found) fputs(written[found - special], f);
		else fputc(*text, f);
	}
	fputc('\n', f);
}

static void print_term(FILE *f, const char *term, const char *help) {
	fprintf(f, ".TP\n.B ");
	print_roff(f, term);
	print_roff(f, help);
}

static void print_man_options(FILE *f) {
	for (int i = 0; i < LENGTH(option_rows); i++) {
		const struct option_row *option = &option_rows[i];
		if (!option->option_kind) fprintf(f, ".SS %s\n", option->name);
		else print_term(f, option_text(option).str + (option->letter ? 0 : 4), option->help);
	}
}

static void print_man_statuses(FILE *f) {
	for (int i = 0; i < LENGTH(statuses); i++) print_term(f, statuses[i].code, statuses[i].text);
}

static void print_man_keys(FILE *f) {
	fprintf(f, ".SS Keys of the environment\n");
	for (int i = 0; i < LENGTH(fact_rows); i++) print_term(f, fact_rows[i].key, fact_rows[i].help);
	fprintf(f, ".SS Further columns of CSV, and members of a row in JSON\n");
	for (int i = 0; i < NUMBERS; i++) print_term(f, number_columns[i].name, number_columns[i].help);
}

/* Entries of the manual page. */
#define TITLE(name) { .title = (name) }
#define TERM(name, words) { .term = (name), .text = (words) }
#define TEXT(words) { .text = (words) }

/* The manual page, in order; .print_table prints entries from a table. */
static const struct passage {
	const char *title, *term, *text;
	void (*print_table)(FILE *);
} manual[] = {
	TITLE("DESCRIPTION"),
	TEXT(description),
	TITLE("OPTIONS"), { .print_table = print_man_options },
	TITLE("READING THE TABLE"),
	TEXT("Each line is a row: a strategy (sendfile), and the advice that it gives (+ advices: "
	  "posix_fadvise, for mappings madvise; trunc: ftruncate to the full size; falloc, pfalloc, kfalloc: "
	  "fallocate). bs is a block of the output's file system. Times are those of the whole run: advice, "
	  "set-up, the copy, and what the ends wait for. The last column is the CPU time as a share of the "
	  "run, unless that is about 100% (-: not known, as of runs below 1ms)."),
	TERM("~", "With " TEXT_OF(CONFIDENCE) "% confidence the fastest row is among those with this mark: "
	  "no other row is faster by an exact one-sided Mann-Whitney test. With too few runs for the test it "
	  "is a first guess, and called so."),
	TERM("shared, untouched, start-up, n/a", "Not ranked: the output shares the input's blocks; "
	  "references to pages went to a device that reads none; starting the command, on an empty input, "
	  "takes more than half of its best run; the kernel or the file system refused the call before the "
	  "first byte, and no row falls back on another call."),
	TEXT("Without -n there are " TEXT_OF(ROUNDS_DEFAULT) " rounds of all rows, and more up to the "
	  TEXT_OF(ROUNDS_FINAL) "th of those that may be the fastest (below " TEXT_OF(LARGE_FROM_MIB) " MiB "
	  TEXT_OF(ROUNDS_SMALL) " of all); the table shows these. Then " TEXT_OF(ROUNDS_LAST) " rounds of "
	  "two rows, which had no part in choosing them, decide: the command with the least median (without "
	  "commands " PLAIN_LOOP ", a plain loop), and the first row with a ~ that does not stall. That is "
	  "used if it is shown to be faster by more than the start of the command; else this is kept. With "
	  "-n all rounds count for everything, and the interval is one of " TEXT_OF(CHOSEN_CONFIDENCE) "%."),
	TITLE("INPUTS AND OUTPUTS"),
	TEXT("A file is read into the page cache first. An output file is emptied before each run, unless "
	  "--overwrite, --replace or --new ask for other states; whatever the rows leave, the last copy is "
	  "made by read and write, compared and closed. A pipe or socket as input is read once into an "
	  "unnamed file in TMPDIR, and fed to each run through a pipe; as output it gets the bytes of every "
	  "run, and the clock stops when its reader has all; one more run of each row goes to a process that "
	  "compares every byte. A block device is only read. Character devices are /dev/zero and the like, "
	  "with --size, and /dev/null, zero and full."),
	TEXT("--from's command is run once beforehand, and copies are compared with these bytes: if it "
	  "writes others each time, use --no-verify: exit status 0 then means that no call failed and all "
	  "sizes are right. What --into's command writes is discarded. Commands of --with read to the end of "
	  "their input: if one does not use $SIZE, and the file is larger, all rows read its first bytes "
	  "from an unnamed file beside it."),
	TEXT("Refused, before anything is touched: an output that is open for append, was written to before, "
	  "or is, or may be, the input or the other output; a directory, terminal or device as output; a "
	  "file that backs a loop device; a file on proc, sysfs or another kernel interface; a report onto "
	  "any of these; and an input that is empty."),
	TITLE("COMPARING"),
	TEXT("--compare prints the change of each row between two reports in CSV, by an exact two-sided test "
	  "over all rows, if it is at least " TEXT_OF(NO_CHANGE) "%; of more files best runs side by side. A "
	  "report that follows with the same size, place and options, by -n, is more rounds of it: cat "
	  "a1.csv a2.csv >a.csv. --baseline compares commands with a row of the same rounds: slower, if the "
	  TEXT_OF(CONFIDENCE) "% interval of the change is above PERCENT, not slower if it is below and at "
	  "most ten times as wide, or undecided."),
	TITLE("EXIT STATUS"), { .print_table = print_man_statuses },
	TITLE("REPORTS FOR PROGRAMS"),
	TEXT("CSV: lines \"# key: value\", a line of column names, and a line for each run: row; round, from "
	  "1; ns, its time in nanoseconds; outcome: ok, shared, untouched, not run, n/a ERRNO, failed, "
	  "failed ERRNO, or mismatch; detail: the call that was refused or failed, or the first wrong byte's "
	  "offset; bytes. JSON: {\"schema\": " TEXT_OF(SCHEMA) ", \"reports\": [{\"environment\": {...}, "
	  "\"rows\": [...]}...]}, with null for missing numbers; of a row also runs_ns, best_ns, median_ns, "
	  "worst_ns, percent behind the first row, mark; and of a command with a baseline change_percent, "
	  "low and high (percent: the interval over all commands and sizes), verdict."),
	{ .print_table = print_man_keys },
	TITLE("ENVIRONMENT"),
	TERM("NO_COLOR, TERM", "No colour if NO_COLOR is set, or TERM is unset or dumb."),
	TERM("TMPDIR", "Directory in which the input from a pipe is spooled; default /tmp."),
	TERM("SIZE, IN, OUT, TEE", "Set for commands: the number of bytes to copy, and the names of the "
	  "input, the output and the second output; IN and OUT only for a command that names them."),
};

static void print_man(FILE *f) {
	fputs(".TH WRITE\\-BENCH 1 \"" RELEASED "\" \"" PROGRAM " " VERSION COMMIT "\" \"User Commands\"\n"
	    ".SH NAME\nwrite\\-bench \\- find the fastest way to copy standard input to standard output\n"
	    ".SH SYNOPSIS\n", f);
	for (int i = 0; i < LENGTH(usages); i++) {
		fprintf(f, "%s.B write\\-bench\n", i ? ".br\n" : "");
		print_roff(f, usages[i]);
	}
	for (const struct passage *passage = manual; passage < manual + LENGTH(manual); passage++) {
		bool first = passage > manual && passage[-1].title;
		if (passage->title) fprintf(f, ".SH %s\n", passage->title);
		if (passage->term) print_term(f, passage->term, passage->text);
		else if (passage->text) fputs(first ? "" : ".PP\n", f);
		if (passage->text && !passage->term) print_roff(f, passage->text);
		if (passage->print_table) passage->print_table(f);
	}
	fprintf(f, ".SH SEE ALSO\n.BR cp (1),\n.BR dd (1),\n.BR copy_file_range (2),\n.BR sendfile "
	    "(2),\n.BR splice (2)\n");
}

/* ---- Report files: opened before the first run, written after the last ----------------------- */

/* Refuse a standard error that is, or may be, also an end: the report would overwrite it. If it may be, exit
 * without a message, which would overwrite it, too. */
static void check_stderr(const struct session *s) {
	const struct endpoint *const endpoints[] = { &s->source, &s->sinks[0], &s->sinks[1] };
	for (int i = 0; i < LENGTH(endpoints); i++) {
		int fd = endpoints[i]->user_fd;
		if (endpoints[i]->ops && is_same(STDERR_FILENO, fd))
			die("standard error: is also %s: use 2>FILE, or no 2>&1", endpoints[i]->label);
		if (endpoints[i]->ops && is_alias(STDERR_FILENO, fd)) exit(EXIT_REFUSED);
	}
}

/* Refuse a report that would overwrite a file to compare. */
static void check_compared(const struct session *s, const char *report, int fd) {
	for (int i = 0; i < s->opt.compare.n; i++) {
		const char *name = s->opt.compare.item[i];
		int own_fd = strcmp(name, "-") ? open(name, O_PATH | O_CLOEXEC) : dup(STDIN_FILENO);
		check_other(report, fd, own_fd, "a file to compare");
		close_fd(&own_fd);
	}
}

/* Refuse a report that would overwrite an end, a file to compare, another report, or our messages. */
static void check_report_file(const struct session *s, int i, const char *name) {
	int fd = s->report_fds[i];
	check_use(name, fd);
	check_other(name, fd, s->source.user_fd, s->source.label);
	for (int k = 0; k < LENGTH(s->sinks); k++)
		check_other(name, fd, s->sinks[k].user_fd, s->sinks[k].label);
	for (int k = 1; k < i; k++) check_other(name, fd, s->report_fds[k], "another report");
	check_other(name, fd, has_type(STDERR_FILENO, S_IFREG) ? STDERR_FILENO : -1, "standard error");
	lock_output(name, fd);
	check_compared(s, name, fd);
}

/* Open the report files without modifying them; new files stay. The printed report goes to `printed`. */
static void open_report_files(struct session *s, int printed) {
	s->report_fds[0] = printed;
	for (int i = 1; i <= s->opt.nreport_files; i++) {
		const char *name = s->opt.report_files[i].name;
		s->report_fds[i] = open_or_make(name);
		if (caught) die("%s: interrupted before anything was copied", name);
		if (s->report_fds[i] < 0) die_errno(name, errno, "open");
		check_report_file(s, i, name);
	}
}

/* Print to a descriptor that we may share, or overwrite a report's file. Returns false after a message. */
static bool write_text(const char *name, int fd, const char *text, size_t size) {
	const char *call = "write", *label = fd == STDERR_FILENO ? "standard error" : "standard output";
	int err = name && !leads_to(name, fd) ? ESTALE : emit(fd, text, size);
	if (!err && name && has_type(fd, S_IFREG) && RETRY(ftruncate(fd, (off_t)size))) err = errno;
	if (!err) err = flush_fd(fd, &call);
	if (err) warn("%s: %s: %s", name ? name : label, call, errno_text(err).str);
	return !err;
}

/* Print reports in a format; NULL: only what failed, and the answer. */
static void print_reports(FILE *f, const struct format *format, const struct view *view,
    struct report *reports, int n, bool files) {
	int nsets;
	for (struct report *rep = reports; rep < reports + n; rep++) {
		label_rows(rep, !format || format->cuts_names);
		find_facts(rep, NULL, CONCLUDED);
	}
	if (format && format->data) {
		format->data(f, reports, n);
		return;
	}
	struct set *sets = make_sets(reports, n, files, &nsets);
	struct document *documents = allocate(nsets, sizeof *documents);
	struct text text;
	for (int i = 0; i < nsets; i++) documents[i] = compose(&sets[i]);
	if (format) format->document(f, documents, nsets, view);
	begin_text(&text);
	for (int i = 0; i < nsets && !format; i++) {
		if (nsets > 1) fprintf(text.f, "%s:\n", size_text(sets[i].reports[0]->len).str);
		print_answers(text.f, &sets[i]);
	}
	print_wrapped_lines(f, finish_text(&text), (int)min(view->width, TEXT_WIDTH), true);
	free(text.chars);
	for (int i = 0; i < nsets; i++) free_document(&documents[i]);
	for (int i = 0; i < nsets; i++) free(sets[i].reports);
	free(documents);
	free(sets);
}

/* Write all reports. Returns false after a message if one could not be written. */
static bool write_reports(const struct session *s, struct report *reports, int n, bool files) {
	const char *no_color = getenv("NO_COLOR"); /* no-color.org */
	bool good = true;
	int runs = 0;
	title_reports(reports, n, files);
	for (const struct report *rep = reports; rep < reports + n; rep++)
		for (int i = 0; i < rep->nrows; i++) runs += rep->rows[i].nruns;
	for (int i = s->opt.nreport_files; i >= 0; i--) {
		const struct report_file *file = &s->opt.report_files[i];
		struct view view = { .width = terminal_width(s->report_fds[i]),
		    .colour = has_escapes(s->report_fds[i]) && !(no_color && *no_color) };
		struct text text;
		print_reports(begin_text(&text), file->format, &view, reports, n, files);
		finish_text(&text);
		struct stat old;
		bool skipped = file->name && !runs && !fstat(s->report_fds[i], &old) && old.st_size > 0;
		if (skipped) warn("%s: is left as it is: there was no run", file->name);
		else good &= write_text(file->name, s->report_fds[i], text.chars, text.size);
		free(text.chars);
	}
	return good;
}

/* ---- Plan: the endpoints, the rows that run, sizes and runs ---------------------------------- */

/* Returns the end made by an option, or behind a descriptor; its ops are NULL if it is unusable. */
static struct endpoint find_endpoint(const struct options *o, int fd, const struct option_end *option_end) {
	const char *label = fd == STDIN_FILENO ? "standard input" : "standard output";
	struct endpoint e = { .label = label, .options = o, .user_fd = option_end->name ? -1 : fd,
	    .process = no_child, .data_fd = -1, .run_fd = -1, .dir_fd = -1, .fill = (enum fill)o->fill };
	if (option_end->name) e.label = format_text("--%s", option_end->name);
	if (option_end->name || !fstat(fd, &e.stat))
		e.ops = find_ops(fd == STDOUT_FILENO, e.stat.st_mode & S_IFMT, option_end->name);
	return e;
}

static void find_endpoints(struct session *s) {
	const char *tee = s->opt.tee;
	s->source = find_endpoint(&s->opt, STDIN_FILENO, &s->opt.from_end);
	s->sinks[0] = find_endpoint(&s->opt, STDOUT_FILENO, &s->opt.into_end);
	s->sinks[1] = find_endpoint(&s->opt, -1, &(struct option_end){ NULL, NULL });
	s->sinks[1].label = format_line("--tee=%s", tee ? tee : "");
	s->nout = tee ? 2 : 1;
}

static void plan_runs(struct session *s) {
	struct report *rep = s->report;
	struct options *o = &s->opt;
	bool small = rep->len < LARGE_FROM_MIB * M;
	rep->baseline = o->baseline;
	rep->limit = o->slower > 0 ? o->slower : 0;
	rep->rounds = small ? ROUNDS_SMALL : ROUNDS_DEFAULT;
	if (rep->limit) rep->rounds = ROUNDS_GATE;
	if (o->runs_asked) rep->rounds = o->runs_asked;
	rep->pause = o->pause;
	if (rep->pause < 0) rep->pause = (small ? PAUSE_OF_SMALL_MS : PAUSE_DEFAULT_MS) * MILLISECOND;
	if (rep->rounds * rep->nrows * s->nreports > ALL_RUNS_MAX)
		die("--runs=%" PRId64 ": of %d rows are more than %d runs: --select less", rep->rounds,
		    rep->nrows * s->nreports, ALL_RUNS_MAX);
}

/* Refuse a --baseline that is not a row, or if no other row is a command. With --fail-if-slower, keep only
 * the baseline and the commands. */
static void check_baseline(struct report *rep) {
	const char *name = rep->options->baseline;
	int commands = 0;
	if (!name) return;
	for (const struct row *row = rep->rows; row < rep->rows + rep->nrows; row++)
		commands += row->command && strcmp(row->name, name) != 0;
	if (!find_row(rep, name))
		die("--baseline=%s: is none of the rows that run: --select it, or for a command write "
		    "'$ COMMAND'", name);
	if (!commands)
		die("--baseline=%s: compares commands, and no other row is one: add --with=COMMAND; without "
		    "--baseline rows are compared with each other", name);
	int n = rep->nrows;
	rep->nrows = 0;
	for (struct row *row = rep->rows; row < rep->rows + n; row++) {
		bool runs = rep->options->slower < 0 || row->command || !strcmp(row->name, name);
		if (runs) rep->rows[rep->nrows++] = *row;
		else free((char *)row->name);
	}
}

/* Refuse commands that would never end, or copy too much. */
static void check_length(const struct session *s) {
	const struct report *rep = s->report;
	bool more = command_of(&s->source) && rep->len < s->source.len;
	for (const struct row *row = rep->rows; row < rep->rows + rep->nrows; row++)
		if (reads_on(row) && (s->source.len < 0 || more))
			die("--with=%s: would copy beyond --size: use $SIZE, as head -c does", row->command);
}

/* Refuse a command without shell syntax whose first word no shell finds. */
static void check_command(const struct session *s, const char *option_name, const char *command) {
	const char *word = command + strspn(command, " \t");
	if (needs_shell(command)) return;
	char *text = format_text("command -v %.*s", (int)strcspn(word, " \t"), word);
	struct command look = { .text = text, .in_fd = s->null_fd, .out_fd = s->null_fd };
	struct child child = no_child;
	if (start_command(&child, &look) > 0) wait_child(&child, true);
	const char *path = text + strlen("command -v ");
	bool found = !child.status && (!strchr(path, '/') || !access(path, X_OK));
	if (!found) die("--%s=%s: %s: can't be found, or not executed", option_name, command, path);
	drop_child(&child);
	free(text);
}

static void check_commands(const struct session *s) {
	const struct options *o = &s->opt;
	for (int i = 0; i < o->with.n; i++) check_command(s, "with", o->with.item[i]);
	if (o->from_end.command) check_command(s, "from", o->from_end.command);
	if (o->into_end.command) check_command(s, "into", o->into_end.command);
}

/* Make a report for each size of --size, up to most bytes. All larger sizes become one: most. */
static void plan_sizes(struct session *s, int64_t most) {
	const struct sizes *asked = &s->opt.sizes;
	struct report *first = s->reports, *rep = first;
	for (int i = 0; i < max(asked->n, 1); i++) {
		int64_t size = asked->n ? asked->ascending[i] : 0;
		int64_t len = size && size < most ? size : most;
		if (s->nreports == 0 || rep->len < len) rep = &first[s->nreports++];
		rep->options = &s->opt;
		rep->len = len;
		rep->asked = size;
		if (rep == first || rep->rows) continue;
		rep->nrows = first->nrows;
		rep->rows = allocate(rep->nrows, sizeof *rep->rows);
		for (int k = 0; k < rep->nrows; k++) {
			rep->rows[k] = first->rows[k];
			rep->rows[k].name = format_text("%s", first->rows[k].name);
		}
	}
	s->quota = read_quota();
	s->cpus = usable_cpus(s->quota);
	describe_endpoint(&s->source);
	for (int i = 0; i < s->nout; i++) describe_endpoint(&s->sinks[i]);
	for (rep = first; rep < first + s->nreports; rep++) {
		s->report = rep;
		check_length(s);
		plan_runs(s);
		find_facts(rep, s, 0);
	}
	s->report = first;
}

/* Refuse ends that can't be benchmarked. Returns the bytes to copy, as far as is known. */
static int64_t open_ends(struct session *s) {
	struct statfs fs;
	open_source(&s->source);
	open_sink(&s->sinks[0], &s->source);
	if (s->nout > 1) open_second(&s->sinks[1], &s->sinks[0], &s->source);
	for (int i = 0; i < s->nout; i++) lock_output(s->sinks[i].label, s->sinks[i].user_fd);
	if (s->opt.fill && !has_file(s))
		die("%s: is a %s: --%s needs a file as output", s->sinks[0].label, s->sinks[0].ops->name,
		    fills[s->opt.fill].option_name);
	int64_t asked = largest_size(&s->opt.sizes);
	int64_t most = asked && (s->source.len < 0 || asked < s->source.len) ? asked : s->source.len;
	if (is_file(&s->source))
		s->report->seen.holes = 100 * (double)count_holes(s->source.user_fd, most) / (double)most;
	s->bs = fstatfs(s->sinks[0].user_fd, &fs) || fs.f_bsize <= 0 ? BS_UNKNOWN : (int64_t)fs.f_bsize;
	s->bs = max(BS_LEAST, min(s->bs, BS_MOST));
	s->null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (s->null_fd < 0) die_errno("/dev/null", errno, "open");
	return most;
}

/* ---- main: what happens, in this order ------------------------------------------------------- */

/* Run --list, --explain, --help, --man or --version. Returns the exit status. */
static int print_and_stop(struct session *s) {
	enum mode mode = s->opt.mode;
	bool explains = mode == EXPLAIN, any = explains || s->opt.all || s->opt.select.n; /* any outputs */
	struct ends ends = { .in_kinds = KIND_ANY, .out_kinds = { KIND_ANY, KIND_ANY },
	    .single = any || !s->opt.tee, .two = any || s->opt.tee, .cold = explains || s->opt.cold };
	if (mode == LIST || explains) choose_rows(s->report, &s->opt, &ends);
	struct text text;
	FILE *f = begin_text(&text);
	if (mode == LIST) print_list(f, s->report);
	else if (mode == HELP) print_help(f);
	else if (mode == MANUAL) print_man(f);
	else if (mode == SHOW_VERSION) fprintf(f, PROGRAM " " VERSION COMMIT "\n");
	for (int i = 0; i < s->report->nrows && explains; i++) explain_row(f, s->report, &s->report->rows[i]);
	finish_text(&text);
	bool good = write_text(NULL, STDOUT_FILENO, text.chars, text.size);
	free(text.chars);
	return good ? 0 : EXIT_FAILED_ROW;
}

/* Run --compare. Returns the exit status. */
static int compare_and_stop(struct session *s) {
	const struct options *o = &s->opt;
	struct report *reports = s->reports = allocate((size_t)o->compare.n * SIZES_MAX, sizeof *reports);
	s->source.user_fd = s->sinks[0].user_fd = s->sinks[1].user_fd = -1;
	bool files = o->compare.n > 1;
	if (o->compare.n > COLUMNS_MAX) die("--compare: of at most %d files", COLUMNS_MAX);
	int n = read_reports(reports, o);
	for (int i = 0; i <= o->nreport_files && files; i++) {
		const struct format *format = o->report_files[i].format;
		if (format && format->data) die("--compare: %s is of one file", format->name);
	}
	catch_signals();
	check_compared(s, "standard output", STDOUT_FILENO);
	open_report_files(s, STDOUT_FILENO);
	bool good = write_reports(s, reports, n, files);
	if (caught) return stop_status(caught);
	return good ? 0 : EXIT_FAILED_ROW;
}

/* Describe the signal that interrupted the session, and the runs before it. Allocated. */
static char *describe_interruption(const struct session *s) {
	int planned, runs = count_runs(s, &planned);
	struct words by = { "a process that can't be ended" };
	if (caught != CHILD_LOST) by = signal_name(caught);
	return format_text("by %s after %d of %d runs: the output is not a copy", by.str, runs, planned);
}

/* Print the reports of the sizes that were begun. Returns the exit status. */
static int report_and_stop(struct session *s, int begun, bool copied) {
	bool good = copied, measured = false;
	int number = caught; /* a later signal does not interrupt the session */
	if (caught) set_fact(&s->reports[begun - 1], "interrupted", describe_interruption(s));
	judge_commands(s->reports, begun);
	for (struct report *rep = s->reports; rep < s->reports + begun; rep++)
		for (int i = 0; i < rep->nrows; i++) {
			good &= rep->rows[i].verdict.outcome < FAILED;
			measured |= is_timed(rep->rows[i].verdict.outcome);
		}
	if (!measured && !number && good) warn("none of the rows named could be measured");
	good &= measured;
	good &= write_reports(s, s->reports, begun, false);
	good &= !copied || check_outputs(s);
	int gate = number ? 0 : gate_status(s->reports, begun);
	number = good ? number : caught; /* a later signal ended the report */
	if (number) return stop_status(number);
	return gate == EXIT_SLOWER || good ? gate : EXIT_FAILED_ROW;
}

int main(int argc, char **argv) {
	static struct session s; /* static, so that leak checkers find it at the end */
	int begun = 0;
	s.report = s.reports = allocate(SIZES_MAX, sizeof *s.reports);
	s.report->options = &s.opt;
	for (int fd = 0; fd <= 2; fd++) /* fill closed ones so that using them still fails */
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0)
			return EXIT_REFUSED;
	prctl(PR_SET_TIMERSLACK, 1UL); /* ns: poll a reader every QUEUE_POLL, not QUEUE_POLL + 50 us */
	parse_options(&s.opt, argc, argv);
	if (s.opt.mode == LIST || s.opt.mode == EXPLAIN || is_informative(s.opt.mode))
		return print_and_stop(&s);
	if (s.opt.mode == COMPARE) return compare_and_stop(&s);
	if (s.opt.mode == GENERATE) s.opt.into_end.name = NULL;
	find_endpoints(&s);
	if (s.opt.mode == GENERATE) {
		check_stderr(&s);
		return generate(&s.opt, &s.sinks[0]);
	}
	catch_signals();
	int64_t most = open_ends(&s);
	check_stderr(&s);
	struct ends ends = all_ends(&s);
	choose_rows(s.report, &s.opt, &ends);
	check_baseline(s.report);
	open_report_files(&s, STDERR_FILENO);
	check_commands(&s);
	if (s.opt.seed < 0) s.opt.seed = now() % 100000;
	if (s.source.ops->kind == KIND_PIPE) most = read_ahead(&s);
	plan_sizes(&s, most);
	for (int i = 0; i < s.nreports && (i == 0 || !(caught || s.finished)); i++) { /* always one report */
		begin_size(&s, &s.reports[i]);
		if (!s.finished) measure(&s);
		drop_part(&s);
		begun += i == 0 || s.report->nruns > 0; /* a size without a run has no report */
		rank(s.report);
		find_facts(s.report, &s, LATE);
	}
	bool copied = leave_copy(&s);
	return report_and_stop(&s, begun, copied);
}

/*
 * Copyright (c) the write-bench authors. The MIT licence: Permission is hereby granted, free of charge, to
 * any person obtaining a copy of this software and associated documentation files (the "Software"), to deal
 * in the Software without restriction, including without limitation the rights to use, copy, modify, merge,
 * publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
 * Software is furnished to do so, subject to the following conditions: The above copyright notice and this
 * permission notice shall be included in all copies or substantial portions of the Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT
 * LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO
 * EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER
 * IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR
 * THE USE OR OTHER DEALINGS IN THE SOFTWARE.
 */
