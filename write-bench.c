/* SPDX-License-Identifier: MIT */
/*
 * write-bench - what is the fastest way to move these bytes from here to there?
 *
 *     ./write-bench <X >Y            the same as "cp X Y", once for every way that Linux has
 *     ./write-bench --tee=Z <X >Y    the same as "tee Z <X >Y"
 *     ./write-bench --send <X        into a TCP connection
 *
 * It copies by each row of a table, several times, verifies each copy, and prints how far each is behind.
 *
 * The numbers can be trusted:
 *   - time_copy() times advice, set-up, the copy, and what the ends wait for. A pause, truncating the output
 *     and syncing its file system come before, verification after.
 *   - One function, try(), runs and judges everything: the rows, and the last copy.
 *   - No row falls back on another call. A call that the kernel refuses makes the row "n/a", with its errno.
 *   - Rows take turns in shuffled rounds, so that a machine that slows down slows all of them.
 *   - A run during which the program was stopped (SIGSTOP) is repeated.
 *   - ~ marks the rows that may be the fastest, by an exact test; what is used is one of them, and runs that
 *     had no part in choosing it decide whether it is used.
 *   - If the exit status is 0, standard output is a copy of standard input; a pipe, which can't be
 *     truncated, gets one copy per run.
 *
 * Each section uses only those before it; they begin with a line of dashes:
 *   - constants and types that everyone uses; base; advice; kit;
 *   - methods: ways to copy, each below its function; and THE TABLE of rows, the heart of the program;
 *   - types of what is measured; text.
 * Then three books, and what drives them, each behind a double line:
 *   - judge: statistics, from which rounds learn which rows run on;
 *   - measure: children; network; places; page cache; guards; endpoints; rows; runs and verdicts; rounds; the
 *     last copy;
 *   - print: words; the answer; facts; tables; lines; documents; pictures; reading;
 *   - inputs that are made; options; the manual page; report files; plan; main.
 *
 * Start reading at main(), the last function. The path of a copy is main() -> measure() -> run_row() -> try()
 * -> copy_once() -> time_copy() -> a method's function, which sees no more than a struct copy.
 * Reports are printed by formats: for people, compose() makes a document of each set of reports that stand in
 * one table; for programs, a format prints the reports themselves.
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
#include <linux/loop.h>
#include <linux/magic.h>
#include <linux/perf_event.h>
#include <linux/sockios.h>
#include <netdb.h>
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
#define CHUNK (128 * K)       /* bytes per call to compare, to poison and to make the last copy */
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
	const char *call;     /* that failed; with NO_ERRNO the reason, in words; NULL: none */
	int nth;              /* index of the output concerned; -1: none, or all */
};

/* All that a strategy sees. */
struct copy {
	int in;               /* descriptor to read from, at offset 0 */
	int out[2], nout;     /* descriptors to write to, empty and at offset 0; how many there are */
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
static atomic_int caught;     /* why to stop: a signal, or CHILD_LOST; else 0 */
static atomic_uint caught_at; /* since when: now() in milliseconds, modulo 2^32 */
static atomic_int continued;  /* times that we were stopped and continued (SIGCONT) */
static atomic_bool unheard;   /* no output was accepted for LAST_WORDS since the signal */

/* The bytes of the UTF-8 character at text; 0: there is none, or a control character (RFC 3629). */
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

/* Columns of the first bytes of a text: its characters. */
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

/* Milliseconds since caught was set. */
static int64_t since_caught(void) { return (uint32_t)(now() / MILLISECOND) - caught_at; }

/* Retry a call that a signal interrupted, unless the signal asks us to stop. */
#define RETRY(call) __extension__({ \
	__typeof__(call) returned_; \
	do \
		returned_ = (call); \
	while (returned_ < 0 && errno == EINTR && !caught); \
	returned_; })

#define LAST_WORDS 500 /* milliseconds that a reader has to make room after a signal */

/* Write size bytes, however slow the reader; once caught, until LAST_WORDS. Returns 0 or an errno. */
static int emit(int fd, const char *text, size_t size) {
	int64_t start = now() / MILLISECOND;
	while (size > 0) {
		struct pollfd room = { .fd = fd, .events = POLLOUT };
		ssize_t wrote = write(fd, text, size);
		if (wrote < 0 && errno != EINTR && errno != EAGAIN) return errno;
		if (wrote < 0 && errno == EAGAIN) poll(&room, 1, LAST_WORDS / 10);
		if (wrote < 0 && caught) {
			unheard |= min(since_caught(), now() / MILLISECOND - start) >= LAST_WORDS;
			if (unheard) return ETIMEDOUT;
		}
		text += max(wrote, 0);
		size -= max(wrote, 0);
	}
	return 0;
}

/* The exit status for a value of caught. */
static int stop_status(int why) {
	return why == CHILD_LOST ? EXIT_FAILED_ROW : EXIT_SIGNALLED + why;
}

#define REPORT_FILES_MAX 16        /* reports at a time */
#define NEW_FILES_MAX (REPORT_FILES_MAX + 1) /* files that a session may make: these, and the second output */

/* Print a message with the program's name, escaped. */
static void print_message(const char *text) {
	char line[4000] = PROGRAM ": ", *end = line + strlen(line);
	escape(end, line + sizeof line - 1 - end, text);
	emit(STDERR_FILENO, strcat(line, "\n"), strlen(line) + 1);
}

/* Print a message: object, call, errno, remedy. */
__attribute__((format(printf, 1, 2))) static void warn(const char *pattern, ...) {
	char text[2000];
	va_list args;
	va_start(args, pattern);
	vsnprintf(text, sizeof text, pattern, args);
	va_end(args);
	print_message(text);
}

/* Files that were not there before: they stay, empty, if the session is refused. */
static struct {
	const char *paths[NEW_FILES_MAX];
	int n;
} new_files;

/* Name the files that were made, and are empty. */
static void name_new_files(void) {
	struct stat st;
	for (int i = 0; i < new_files.n; i++)
		if (!stat(new_files.paths[i], &st) && st.st_size == 0)
			warn("%s: was made, and is left there, empty", new_files.paths[i]);
	new_files.n = 0;
}

/* warn(), then exit 2. Only before any file is modified, or out of memory. */
#define die(...) (warn(__VA_ARGS__), name_new_files(), exit(caught ? stop_status(caught) : EXIT_REFUSED))

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

/* Reopen a descriptor's file: the shell's description is shared, and its > only writes. */
static int reopen(int fd, int flags) {
	char path[32];
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return open(path, flags | O_CLOEXEC);
}

/* Open a file to be written, and make it if it is not there. Returns -1 with errno. */
static int open_or_make(const char *name) {
	int fd = open(name, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (fd >= 0 || errno != ENOENT) return fd;
	fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
	if (fd >= 0 && new_files.n < NEW_FILES_MAX) new_files.paths[new_files.n++] = name;
	return fd;
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

/* A call, for those who write a program with it: --explain. Phrases without a full stop; NULL: none. Sources:
 * the manual pages, and CPython 3.14, Go 1.26 and Rust 1.95; a version in parentheses has the name first. */
struct interface {
	const char *returns, *fails;
	const char *instead;             /* done after a failure, if no byte was moved */
	const char *python, *go, *rust;  /* names in their standard libraries */
};

/* A call that prepares an end for the copy. */
struct step {
	int (*give)(int fd, int64_t length); /* returns 0 or an errno */
	unsigned kinds;    /* kinds of end that it applies to */
	int flags;
	const char *call;  /* its name */
	const char *code;  /* its pseudo-code */
	const struct interface *interface;
};
enum {
	COLD_ONLY = 1 << 0,    /* only with --cold */
	MAPS_TOO = 1 << 1,     /* mappings get the same by madvise(2) */
	GIVES_LENGTH = 1 << 2, /* sets the output's full length, which a mapped one needs */
	ALLOCATES = 1 << 3,    /* by fallocate(2) */
};

enum {
	ANY = KIND_ANY, FILES = KIND_FILE, DISK = KIND_FILE | KIND_BLOCK, SEEK = DISK | KIND_DEVICE,
	PIPES = KIND_PIPE, SOCKETS = KIND_SOCKET, SPLICED = DISK | PIPES,
};

static const struct step no_step = { NULL, KIND_ANY, 0, NULL, "", NULL };

/* Returns errno if a call failed, else 0. */
static int error_of(int returned) { return returned ? errno : 0; }

static const struct interface by_fadvise = {
	.returns = "0 or an errno, not -1",
	.fails = "ESPIPE (a pipe)",
	.instead = "go on, since it is a hint",
	.python = "os.posix_fadvise (3.3)",
};
static const struct interface by_readahead = {
	.returns = "0",
	.fails = "EINVAL (a pipe)",
	.instead = "go on, since it is a hint",
};
static const struct interface by_ftruncate = {
	.returns = "0",
	.fails = "EINVAL (not open for writing, or not a file)",
	.instead = "leave it out",
	.python = "os.ftruncate",
	.go = "os.File.Truncate",
	.rust = "std::fs::File::set_len",
};
static const struct interface by_fallocate = {
	.returns = "0",
	.fails = "EOPNOTSUPP (not by this file system), EINVAL (LENGTH 0), ESPIPE (a pipe), ENOSPC",
	.instead = "leave it out, except after ENOSPC",
	.python = "os.posix_fallocate (3.3); where fallocate is refused, glibc writes to each block",
	.go = "syscall.Fallocate",
};

static int give_fadvise(int fd, int64_t length) {
	int err = posix_fadvise(fd, 0, length, POSIX_FADV_SEQUENTIAL);
	return err ? err : posix_fadvise(fd, 0, length, POSIX_FADV_WILLNEED);
}
static const struct step fadvise = { give_fadvise, SEEK, MAPS_TOO, "posix_fadvise",
	"posix_fadvise(in, 0, LENGTH, POSIX_FADV_SEQUENTIAL)\n"
	"posix_fadvise(in, 0, LENGTH, POSIX_FADV_WILLNEED)", &by_fadvise };

static int give_readahead(int fd, int64_t length) { return error_of((int)readahead(fd, 0, length)); }
static const struct step ahead = { give_readahead, DISK, COLD_ONLY, "readahead", "readahead(in, 0, LENGTH)",
	&by_readahead };

/* Before Linux 6.3 it is accepted, but does nothing. */
static int give_noreuse(int fd, int64_t length) { return posix_fadvise(fd, 0, length, POSIX_FADV_NOREUSE); }
static const struct step noreuse = { give_noreuse, SEEK, COLD_ONLY, "posix_fadvise",
	"posix_fadvise(in, 0, LENGTH, POSIX_FADV_NOREUSE)", &by_fadvise };

static int give_length(int fd, int64_t length) { return error_of(RETRY(ftruncate(fd, length))); }
static const struct step trunc_to = { give_length, SEEK, GIVES_LENGTH, "ftruncate",
	"ftruncate(OUT, LENGTH)", &by_ftruncate };

static int give_room(int fd, int64_t length) { return error_of(RETRY(fallocate(fd, 0, 0, length))); }
static const struct step falloc = { give_room, SEEK, GIVES_LENGTH | ALLOCATES, "fallocate",
	"fallocate(OUT, 0, 0, LENGTH)", &by_fallocate };

static int give_room_beyond(int fd, int64_t length) {
	return error_of(RETRY(fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, length)));
}
static const struct step kfalloc = { give_room_beyond, SEEK, ALLOCATES, "fallocate",
	"fallocate(OUT, FALLOC_FL_KEEP_SIZE, 0, LENGTH)", &by_fallocate };

/* Separate advice: if the file system has no fallocate, glibc writes to every block. */
static int give_room_by_libc(int fd, int64_t length) {
	int err;
	do
		err = posix_fallocate(fd, 0, length);
	while (err == EINTR && !caught);
	return err;
}
static const struct step pfalloc = { give_room_by_libc, SEEK, GIVES_LENGTH | ALLOCATES, "posix_fallocate",
	"posix_fallocate(OUT, 0, LENGTH)", &by_fallocate };

/* A row's name is the strategy's, " + " and one of these. At most 16: a row has one bit for each. */
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
	CLASSIC = PLAIN | ADVICES | 1 << 4 | 1 << 5, /* the four of the base document */
	COLD = 1 << 8 | 1 << 9,                      /* with --cold, by default where ADVICES is */
};

/* ---- Kit: resources of a copy, created inside the clock on first use ------------------------- */

#define STATX_DIO_ALIGNMENT 0x2000 /* STATX_DIOALIGN of Linux 6.1, include/uapi/linux/stat.h */
#define DIO_ALIGNMENT 4096         /* bytes; for direct I/O if the kernel does not tell: a page */
#define THREADS_MIN 2              /* one thread is just read+write */
#define THREADS_MAX 16             /* memory and disks can't feed more */
#define WRITERS_MAX 4              /* buffered writers of an inode; more only queue for its lock */

/* --reuse keeps the kit for the next copy, except for what belongs to a file: release_files(). */
struct kit {
	unsigned char *buf;        /* NULL: not needed yet */
	int64_t room;              /* bytes mapped at buf */
	int pipe[2], helper[2];    /* pipes between the ends; -1: none */
	struct uring *uring;
	struct pool *pool;
	int reopened[2];           /* input and first output, reopened with other flags; -1: not */
	int64_t alignment;         /* of direct I/O, bytes; 0: no direct I/O */
	FILE *streams[2];          /* input and output for stdio */
	bool used;                 /* it has served a copy */
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

/* Get a buffer for one block, which is not larger than the input. */
static unsigned char *get_block(struct copy *c) {
	c->block = min(c->block, c->len);
	return get_buffer(c, c->block);
}

/* Set a pipe's size explicitly: a user with many pipes gets small ones (pipe(7)). */
static bool size_pipe(struct copy *c, int fd, int64_t bytes) {
	return fcntl(fd, F_SETPIPE_SZ, (int)bytes) >= 0 || fail(c, errno, "fcntl F_SETPIPE_SZ");
}

/* Open a pipe for a block. */
static bool open_pipe(struct copy *c, int fds[2]) {
	if (fds[0] >= 0) return true;
	if (pipe2(fds, O_CLOEXEC)) return fail(c, errno, "pipe2");
	return size_pipe(c, fds[1], c->block);
}

/* Reopen the input (0) or the first output (1) with other flags; release_files() closes it. Returns -1 after
 * a failure. */
static int reopen_for(struct copy *c, int side, int flags) {
	int *fd = &c->kit->reopened[side];
	*fd = reopen(side ? c->out[0] : c->in, flags);
	int err = errno;
	if (*fd < 0 && err == ENOENT && access("/proc/self/fd", F_OK)) refuse(c, "needs /proc");
	else if (*fd < 0) fail(c, err, "open");
	return *fd;
}

/* Reopen an end for direct I/O. The alignment is stx_dio_offset_align, the 40th word of struct statx:
 * Linux 6.1, newer than headers. */
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

/* io_uring by its system calls (io_uring_setup(2), io_uring_enter(2); Linux 5.1). Its ABI stands here, in the
 * names of the manual pages, of which each struct has its own "flags" and "reserved": what a kernel can do
 * does not depend on the headers of the build. Numbers: include/uapi/linux/io_uring.h. */
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
struct uring_params { /* struct io_uring_params; all but flags set by the kernel */
	uint32_t sq_entries, cq_entries, setup_flags, sq_thread_cpu, sq_thread_idle, features, wq_fd, resv[3];
	struct uring_sq_offsets sq_off;
	struct uring_cq_offsets cq_off;
};
struct uring_sqe { /* a request: struct io_uring_sqe, of whose unions the members that are used here */
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

/* Two rings shared with the kernel. We store the tail of one and the head of the other, in the man page's
 * memory order. */
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
	unsigned timed;        /* flag of waits of at most a second; 0: an older kernel */
};

/* The ring, set up when it is first asked for; NULL: failed. Not with IORING_SETUP_DEFER_TASKRUN: a
 * completed request may then keep its file open until the next io_uring_enter(2), and a pipe's reader never
 * sees EOF (Linux 6.18). */
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
		    uring->fd,
		    offsets[i]);
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

/* After a signal, requests in flight still use the buffer: leak it. */
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

/* Submit what is queued, and wait for a completion, a second at most. Linux 6.18 may start no worker for a
 * request, which then hangs; a no-op for the workers, without a completion (5.17), starts one. */
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

/* Take the next completion, or wait for it. Returns false if none is due, a call failed, or we stop:
 * exiting cancels the requests in flight. */
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
	void (*work)(struct worker *); /* for all workers; NULL: to end */
	sem_t idle;
	atomic_uint taken;             /* pieces claimed */
	atomic_bool stop;              /* a worker failed, or reached the end of the input */
	unsigned char *src, *dst;      /* mappings of the input and the output */
	sem_t empty, full;             /* blocks of the ring to fill, and to write */
	size_t filled[RING_DEPTH];     /* bytes in each; 0: end of the input */
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

/* Get one thread for each usable CPU. More buffered writers would queue for the inode's lock; a reopened
 * output is mapped, or direct. */
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

/* Run all workers, each on its own struct copy, and wait. Once we are to stop, interrupt their calls at each
 * SIGALRM: stop() repeats it, since it may arrive just before a blocking call. */
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

/* After each copy: drop what belongs to its files. */
static void release_files(struct kit *k) {
	k->used = true;
	for (int i = 0; i < 2; i++) {
		close_fd(&k->reopened[i]);
		close_stream(&k->streams[i]);
	}
}

static void drop_kit(struct kit *k) {
	release_files(k);
	drop_pool(k);
	drop_uring(k);
	for (int i = 0; i < 2; i++) {
		close_fd(&k->pipe[i]);
		close_fd(&k->helper[i]);
	}
	if (k->buf) munmap(k->buf, k->room);
	k->buf = NULL;
}

/* ---- Methods: ways to copy, each below its function; and THE TABLE of rows ------------------- */

#define MEMCPY_STEP_MIB 64
#define MEMCPY_STEP (MEMCPY_STEP_MIB * M) /* bytes per memcpy: large for libc, and a signal is soon noticed */
#define WRITE_STEP M         /* bytes per write from a mapping: longer ones can be slow (AMD EPYC, 6.18) */
#define BEHIND (8 * M)       /* bytes that write-behind keeps dirty before it waits for the disk */
#define HUGE_PAGE (2 * M)    /* bytes; of x86-64, and arm64 with 4k pages */
#define POPULATE_READ 22     /* MADV_POPULATE_READ of Linux 5.14, asm-generic/mman-common.h */
#define POPULATE_WRITE 23    /* MADV_POPULATE_WRITE */
#define RWF_UNCACHED 0x00000080 /* RWF_DONTCACHE of Linux 6.14, include/uapi/linux/fs.h */

/* Properties of a method. */
enum {
	MAPPED = 1 << 0,    /* the output must have its length first: only such advice applies */
	MAY_SHARE = 1 << 1, /* the output may share the input's blocks */
	WRITES_DISK = 1 << 2, /* it writes to the disk itself; the kernel does so later for others */
	DIRECT_IN = 1 << 3, /* it reads the input without the page cache */
	BACK = 1 << 4,      /* it reads back the first of two outputs, which must be a file */
	UNREAD_SPLICED = 1 << 5, /* it passes on bytes of files and pipes without reading any */
	UNREAD_MAP = 1 << 6,     /* it passes on bytes of all that can be mapped without reading any */
	WARMED = 1 << 7,     /* measured after an untimed copy, as all are with --reuse */
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
	                     * AT: NULL, or for two outputs &offset; a line with * in front: once with
	                     * --reuse; with +: advice on mappings */
	const struct interface *interface; /* of these calls */
};

#define MEMORY(times) \
	"*buf = mmap(NULL, " times ", PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)\n"
#define PIPE(name) "*pipe2(" name ", O_CLOEXEC), fcntl(" name "[1], F_SETPIPE_SZ, N)"

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
static const struct interface by_read_write = {
	.returns = "the bytes moved, often fewer than asked; read: 0 at EOF",
	.fails = "EINTR (call again), EAGAIN (O_NONBLOCK), ENOSPC, EDQUOT, EIO",
	.python = "os.read, os.write; shutil.copyfileobj by 64 KiB (3.8), 256 KiB (3.14)",
	.go = "io.Copy by 32 KiB, if nothing faster takes the ends",
	.rust = "std::io::copy by 8 KiB, if nothing faster takes the ends",
};
static const struct method read_write = { copy_read_write, ANY, ANY, 0, "read, write", NULL,
	"the reference for all others", MEMORY("N") "while ((n = read(in, buf, N)) > 0)\n"
	"    write(OUT, buf, n)", &by_read_write };

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
static const struct interface by_seeking = {
	.returns = "lseek: the offset; ftruncate: 0",
	.fails = "ESPIPE (a pipe)",
	.instead = "write the zeros",
	.python = "os.lseek, os.ftruncate",
	.go = "os.File.Seek, os.File.Truncate",
	.rust = "std::io::Seek, std::fs::File::set_len",
};
static const struct method sparse = { copy_sparse, ANY, FILES, 0, "read/write/lseek", NULL,
	"for blocks of zeros, which become holes", "ftruncate(OUT, 0)\n"
	MEMORY("N") "while ((n = read(in, buf, N)) > 0)\n    if all are zero: lseek(OUT, n, SEEK_CUR)\n"
	"    else: write(OUT, buf, n)\nftruncate(OUT, LENGTH)", &by_seeking };

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
static const struct interface by_stdio = {
	.returns = "the items moved; fewer at EOF and after a failure: feof, ferror",
	.fails = "the errnos of read and write",
};
static const struct method stdio = { copy_stdio, ANY, ANY, 0, "fread, fwrite", NULL, COPIES_TWICE, MEMORY("N")
	STDIO("fread, fwrite"), &by_stdio };
static const struct method stdio_bytes = { copy_stdio_bytes, ANY, ANY, 0, "getc, putc", NULL, COPIES_TWICE,
	STDIO("getc, putc"), &by_stdio };

/* mmap(2). NULL: failed, with EOVERFLOW if a 32-bit address space has no room. */
static unsigned char *map_file(struct copy *c, int fd, int64_t at, int64_t len, int protection, int flags) {
	bool huge = len > (int64_t)(SIZE_MAX / 8);
	void *map = MAP_FAILED;
	errno = ENOMEM;
	if (len <= (int64_t)(SIZE_MAX / 2)) map = mmap(NULL, len, protection, flags, fd, at);
	if (map != MAP_FAILED) return map;
	return fail_null(c, huge && errno == ENOMEM ? EOVERFLOW : errno, "mmap");
}

/* Map a page-aligned part. Private: a shared mapping of /dev/zero is memory of its own (mem(4)). */
static unsigned char *map_input(struct copy *c, int64_t at, int64_t len, int flags) {
	unsigned char *map = map_file(c, c->in, at, len, PROT_READ, MAP_PRIVATE | flags);
	if (!map || !c->map_advice) return map;
	if (!madvise(map, len, MADV_SEQUENTIAL) && !madvise(map, len, MADV_WILLNEED)) return map;
	fail(c, errno, "madvise");
	munmap(map, len);
	return NULL;
}

/* Map the whole output, after the advice has set its length. A writable mapping needs a readable file
 * (mmap(2), EACCES). */
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
static const struct interface by_mmap_write = {
	.returns = "an address, or MAP_FAILED (mmap); the bytes moved (write)",
	.fails = "EINVAL (an empty file), ENODEV (a pipe, or it can't be mapped), EFAULT (write, if the file "
	    "shrinks)",
	.instead = "read and write",
	.python = "mmap.mmap",
	.go = "syscall.Mmap",
};
static const struct method mmap_write_all = { copy_mmap_write, SEEK, ANY, UNREAD_MAP, "mmap, write", NULL,
	MAPS_INPUT, MAP_IN "write(OUT, map, LENGTH)", &by_mmap_write };
static const struct method mmap_write_pieces = { copy_mmap_write, SEEK, ANY, UNREAD_MAP, "mmap, write", NULL,
	MAPS_INPUT, MAP_PIECE "    write(OUT, map, N)\n    munmap(map, N)", &by_mmap_write };
static const struct method mmap_write_windows = { copy_mmap_write_windows, SEEK, ANY, UNREAD_MAP,
	"madvise, write", "5.14", MAPS_INPUT, MAP_PIECE "    madvise(map, N, MADV_POPULATE_READ)\n"
	"    for each 1048576 of them: write(OUT, map + i, 1048576)\n    munmap(map, N)", &by_mmap_write };
static const struct method mmap_write_populate = { copy_mmap_write_populate, SEEK, ANY, UNREAD_MAP,
	"mmap, write", "2.6.23", MAPS_INPUT,
	"map = mmap(NULL, LENGTH, PROT_READ, MAP_PRIVATE | MAP_POPULATE, in, 0)\n+" ADVISE_MAP("LENGTH")
	"write(OUT, map, LENGTH)", &by_mmap_write };

/* This thread resumes here after SIGBUS: the file was truncated, or the disk is full (mmap(2)). */
static _Thread_local sigjmp_buf *volatile bus_landing; /* NULL: a SIGBUS is a bug */
static _Thread_local const unsigned char *volatile bus_address;

static void on_bus(int number, siginfo_t *info, UNUSED void *context) {
	bus_address = info->si_addr;
	if (bus_landing) siglongjmp(*bus_landing, 1);
	signal(number, SIG_DFL); /* a bug: let it end the program */
}

/* Turn SIGBUS on the output into an errno: try pwrite(2); if that succeeds, check free space. */
static bool output_failed(struct copy *c, int64_t at) {
	static const char output[] = "memory mapped from the output";
	int fd = c->kit->reopened[1];
	struct statfs fs;
	if (pwrite(fd, "", 1, at) < 0) return fail(c, errno, output);
	bool full = !fstatfs(fd, &fs) && (int64_t)fs.f_bavail * (int64_t)fs.f_frsize < c->len - at;
	return fail(c, full ? ENOSPC : EFAULT, output);
}

/* memcpy(3) from the mapped input to the mapped output. Fails if either file was truncated. */
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
static const struct interface by_mmap_mmap = {
	.returns = "mmap: an address, or MAP_FAILED",
	.fails = "EACCES (the output needs O_RDWR), ENODEV (it can't be mapped), SIGBUS if a file shrinks "
	    "or the disk is full",
	.instead = "read and write",
	.python = "mmap.mmap",
	.go = "syscall.Mmap",
};
static const struct method mmap_mmap_all = { copy_mmap_mmap, SEEK, FILES, MAPPED, "mmap, memcpy", NULL,
	MAPS_OUTPUT, MAP_IN MAP_OUT "memcpy from map to to", &by_mmap_mmap };
static const struct method mmap_mmap_populate = { copy_mmap_mmap, SEEK, FILES, MAPPED, "madvise, memcpy",
	"5.14", MAPS_OUTPUT, MAP_IN MAP_OUT "for each N bytes: madvise(map + i, N, MADV_POPULATE_READ)\n"
	"    madvise(to + i, N, MADV_POPULATE_WRITE), memcpy", &by_mmap_mmap };
static const struct method mmap_mmap_huge = { copy_mmap_mmap_huge, SEEK, FILES, MAPPED, "madvise, memcpy",
	"2.6.38", "for tmpfs with huge=advise; EINVAL: the kernel has no huge pages", MAP_IN
	MAP_OUT "madvise(to, LENGTH, MADV_HUGEPAGE)\nmemcpy from map to to", &by_mmap_mmap };

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
	MAP_OUT "while ((n = read(in, to + done, N)) > 0)\n    done += n", &by_mmap_mmap };

/* splice(2) on an output, or on none (-1). In a socket a partial segment may wait, except for the last.
 * Returns the bytes moved, 0 at EOF and after a failure. */
static size_t splice_part(struct copy *c, int from, int to, int nth, size_t size) {
	bool more = nth == 0 && c->into_socket && c->done + (int64_t)size < c->len;
	ssize_t moved = RETRY(splice(from, NULL, to, NULL, size, more ? SPLICE_F_MORE : 0));
	if (moved < 0) fail_out(c, nth, errno, "splice");
	return max(moved, 0);
}

/* Splice the next block into our pipe. */
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
static const struct interface by_splice = {
	.returns = "the bytes moved, at most what the pipe holds; 0 at EOF",
	.fails = "EINVAL (no end is a pipe, or O_APPEND), EAGAIN (O_NONBLOCK)",
	.instead = "empty the pipe, then read and write",
	.python = "os.splice (3.10)",
	.go = "syscall.Splice; io.Copy from a socket",
	.rust = "std::io::copy from or to a pipe (1.50)",
};
static const struct method pipe_splice = { copy_pipe_splice, ANY, ANY, UNREAD_SPLICED, "splice, splice",
	"2.6.35", "for any two ends: nothing is copied in user "
	"space", PIPE("pipe") "\nwhile ((n = splice(in, NULL, pipe[1], NULL, N, 0)) > 0)\n"
	"    splice(pipe[0], NULL, out, NULL, n, 0)", &by_splice };

/* Duplicate each block into one output, if possible a pipe, and move it into the other. tee(2) needs two
 * pipes: use ours for an end that is not one. */
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
static const struct interface by_tee = {
	.returns = "the bytes duplicated, which stay in the pipe; 0 at EOF",
	.fails = "EINVAL (an end that is not a pipe), EAGAIN (O_NONBLOCK)",
	.instead = "read and write",
	.go = "syscall.Tee",
};
static const struct method tee_splice = { copy_tee, ANY, ANY, UNREAD_SPLICED, "tee, splice", "2.6.35",
	"for pipes: pages go twice, by reference", PIPE("pipe")
	", unless in is one\n" PIPE("second") ", unless an output is one\n"
	"while ((n = splice(in, NULL, pipe[1], NULL, N, 0)) > 0), unless in is a pipe itself\n"
	"    tee(pipe[0], second[1], n, 0), or into an output that is a pipe\n"
	"    splice(second[0], NULL, out, NULL, n, 0)\n    splice(pipe[0], NULL, other out, NULL, n, 0)",
	&by_tee };

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
static const struct interface by_vmsplice = {
	.returns = "the bytes moved",
	.fails = "EBADF (not a pipe), EAGAIN (O_NONBLOCK)",
	.instead = "write",
};
static const struct method vmsplice_splice = { copy_vmsplice_splice, SEEK, ANY, UNREAD_MAP,
	"vmsplice, splice", "2.6.35", "for memory that does not change "
	"until it is read", PIPE("pipe") "\n" MAP_IN
	"while ((n = vmsplice(pipe[1], { map + done, N }, 1, 0)) > 0)\n"
	"    splice(pipe[0], NULL, out, NULL, n, 0)", &by_vmsplice };

#define BY_REFERENCE "for fast readers of a pipe: pages go by reference, and must not change meanwhile"
#define VMSPLICE "while (vmsplice(out, { map + done, left }, 1, 0) > 0) {}"
static const struct method vmsplice_all = { copy_vmsplice, SEEK, PIPES, 0, "mmap, vmsplice", "2.6.17",
	BY_REFERENCE, MAP_IN VMSPLICE, &by_vmsplice };
static const struct method vmsplice_huge = { copy_vmsplice_huge, SEEK, PIPES, 0, "mmap, vmsplice", "2.6.38",
	BY_REFERENCE, MAP_IN "madvise(map, LENGTH, MADV_HUGEPAGE)\n" VMSPLICE, &by_vmsplice };

/* Calls with sendfile's arguments. copy_file_range by number: glibc 2.27 to 2.29 emulated it. */
typedef ssize_t mover(int out, int in, off_t *pos, size_t size);
static ssize_t file_range(int out_fd, int in_fd, off_t *pos, size_t size) {
	return syscall(SYS_copy_file_range, in_fd, pos, out_fd, NULL, size, 0);
}
static ssize_t splice_range(int out_fd, int in_fd, off_t *pos, size_t size) {
	return splice(in_fd, pos, out_fd, NULL, size, 0);
}

/* Move all bytes of a descriptor to one output, from *pos or (NULL) its file offset. Returns false after a
 * failure, or if a call moves nothing. */
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
	"while (splice(in, NULL, out, NULL, LENGTH, 0) > 0) {}", &by_splice };
static const struct interface by_sendfile = {
	.returns = "the bytes moved, at most 0x7ffff000; 0 at EOF",
	.fails = "EINVAL (the input is a pipe or socket, or the output has O_APPEND), ENOSYS",
	.instead = "read and write",
	.python = "os.sendfile (3.3); shutil.copyfile (3.8; 3.14 tries copy_file_range first)",
	.go = "syscall.Sendfile; io.Copy from a file to a socket",
	.rust = "std::io::copy (1.50), after copy_file_range",
};
static const struct method sendfile_all = { copy_sendfile, ANY, ANY, UNREAD_SPLICED, "sendfile", "2.6.33",
	"for files, into any end",
	"while (sendfile(out, in, NULL, LENGTH) > 0) {}", &by_sendfile };
static const struct method sendfile_each = { copy_sendfile, DISK, ANY, UNREAD_SPLICED, "sendfile", "2.6.33",
	"for a file that is in the page cache",
	"while (sendfile(OUT, in, AT, LENGTH) > 0) {}", &by_sendfile };
#define RANGES "for files: it may share, or copy on the server"
static const struct interface by_range = {
	.returns = "the bytes moved; 0 at EOF, and in /proc of older kernels",
	.fails = "EXDEV (another file system), EINVAL (a pipe or device), EBADF (O_APPEND), EOPNOTSUPP, "
	    "ENOSYS, EPERM",
	.instead = "sendfile, then read and write",
	.python = "os.copy_file_range (3.8); shutil.copyfile (3.14)",
	.go = "io.Copy of two os.File (1.15)",
	.rust = "std::fs::copy; std::io::copy of two files (1.50)",
};
static const struct method range_all = { copy_file_ranges, FILES, FILES, MAY_SHARE, "copy_file_range", "4.5",
	RANGES, "while (copy_file_range(in, AT, OUT, NULL, LENGTH, 0) > 0) {}", &by_range };

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

/* Copy only the data between holes (lseek(2), SEEK_DATA), by blocks if there are any. Truncate first; extend
 * to full length last. */
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
	"ftruncate(out, LENGTH)", &by_range };

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
static const struct interface by_clone = {
	.returns = "0: all or nothing",
	.fails = "EOPNOTSUPP (no reflinks: ext4, tmpfs), EXDEV (another mount), EINVAL, ETXTBSY",
	.instead = "copy_file_range",
	.python = "fcntl.ioctl with fcntl.FICLONE (3.12); pathlib.Path.copy (3.14)",
};
static const struct method reflink = { copy_reflink, FILES, FILES, MAY_SHARE, "ioctl FICLONE", "4.5",
	"for files on btrfs, XFS and the like: no data moves",
	"ioctl(out, FICLONE, in)", &by_clone };

/* Splice the input into the first output, and reopen that for reading. Returns -1 unless all was
 * copied. */
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
	&by_sendfile };
static const struct method splice_copy_range = { copy_splice_range, ANY, FILES, MAY_SHARE | BACK,
	"copy_file_range", "4.5", READS_BACK, FIRST_COPY
	"copy_file_range(first, NULL, second out, NULL, LENGTH, 0)", &by_range };
static const struct method splice_reflink = { copy_splice_reflink, ANY, FILES, MAY_SHARE | BACK,
	"splice, FICLONE", "4.5", READS_BACK, FIRST_COPY "ioctl(second out, FICLONE, first)", &by_clone };

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

/* Copy a file with its holes. */
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

/* Copy whole blocks by direct I/O, the tail without. Try it even on less than a block. */
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
static const struct interface by_direct = {
	.returns = "the bytes moved",
	.fails = "EINVAL (no direct I/O, or buffer, offset or length not aligned)",
	.instead = "the same without O_DIRECT; so also the tail",
	.python = "os.O_DIRECT, os.preadv into an mmap",
	.go = "syscall.O_DIRECT",
};
static const struct method direct = { copy_direct, DISK, FILES, WRITES_DISK | DIRECT_IN, "pread, pwrite",
	"2.4.10", PAST_CACHE, DIRECT_ENDS MEMORY("N") BY_BLOCKS TAIL, &by_direct };
static const struct method direct_write = { copy_direct_write, DISK, FILES, WRITES_DISK, "pread, pwrite",
	"2.4.10", PAST_CACHE, DIRECT_OUTPUT MEMORY("N") BY_BLOCKS TAIL, &by_direct };

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
static const struct interface by_dontcache = {
	.returns = "the bytes moved; 0 at EOF",
	.fails = "EOPNOTSUPP (an older kernel; tmpfs; a pipe)",
	.instead = "the same without the flag",
	.python = "os.preadv, os.pwritev (3.7), flag 0x80",
};
static const struct method uncached_read_write = { copy_uncached, ANY, ANY, WRITES_DISK, "preadv2/pwritev2",
	"6.14", "for files read only once",
	MEMORY("N") "while ((n = preadv2(in, { buf, N }, 1, -1, RWF_DONTCACHE)) > 0)\n"
	"    pwritev2(out, { buf, n }, 1, -1, RWF_DONTCACHE)", &by_dontcache };

/* Start writing the window that ends at end. Wait for the one before (if last, for both); evict. */
static bool flush_behind(struct copy *c, int64_t end, bool last) {
	int64_t begin = (end - 1) / BEHIND * BEHIND, before = max(begin - BEHIND, 0);
	int64_t flushed = (last ? end : begin) - before;
	unsigned wait = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
	if (sync_file_range(c->out[0], begin, end - begin, SYNC_FILE_RANGE_WRITE))
		return fail(c, errno, "sync_file_range");
	if (flushed <= 0) return true;
	if (sync_file_range(c->out[0], before, flushed, wait)) return fail(c, errno, "sync_file_range");
	int err = posix_fadvise(c->out[0], before, flushed, POSIX_FADV_DONTNEED);
	return !err || fail(c, err, "posix_fadvise");
}

/* Keep a copy from filling memory with dirty pages. The input stays cached. The first call only tests for
 * sync_file_range, before any byte is written. */
static bool copy_write_behind(struct copy *c) {
	unsigned char *buf = get_block(c);
	size_t size;
	if (buf && sync_file_range(c->out[0], 0, 1, 0)) return fail(c, errno, "sync_file_range");
	while (buf && (size = read_block(c, buf)) > 0) {
		int64_t window = c->done / BEHIND;
		if (!write_out(c, 0, buf, size)) break;
		bool last = c->done == c->len;
		if ((last || c->done / BEHIND != window) && !flush_behind(c, c->done, last)) break;
	}
	return succeeded(c);
}
static const struct interface by_sync_range = {
	.returns = "0, which is no promise that data is on the disk",
	.fails = "ESPIPE (a pipe), EIO, ENOSPC",
	.instead = "go on after ESPIPE; otherwise bytes are lost",
	.go = "syscall.SyncFileRange",
};
static const struct method write_behind = { copy_write_behind, ANY, FILES, WRITES_DISK, "sync_file_range",
	"2.6.17", "for backups, which leave the page cache to others",
	MEMORY("N") "while ((n = read(in, buf, N)) > 0)\n    write(out, buf, n)\nafter each 8388608 bytes:\n"
	"    sync_file_range(out, these, SYNC_FILE_RANGE_WRITE)\n"
	"    sync_file_range(out, those before, ..._WAIT_BEFORE | ..._WRITE | ..._WAIT_AFTER)\n"
	"    posix_fadvise(out, those before, POSIX_FADV_DONTNEED)", &by_sync_range };

/* A request in flight: it reads a piece into its part of the buffer, or splices it into our pipe; then it
 * writes that out. */
struct slot {
	struct piece piece;  /* still to copy */
	int64_t got, put;    /* bytes read in, and of those written out */
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
	slot->put += result;
	c->done += result;
	if (slot->put == slot->got)
		*slot = (struct slot){ { slot->piece.at + slot->got, slot->piece.len - slot->got }, 0, 0 };
	return result > 0;
}

/* Queue a slot's next request, a splice without a buffer, unless no piece is left. */
static void queue_next(struct copy *c, struct slot *slot, int number, atomic_uint *counter) {
	const struct kit *k = c->kit;
	bool out = slot->got > 0, more = out && c->into_socket && slot->piece.at + slot->got < c->len;
	if (slot->piece.len == 0) slot->piece = next_piece(c, counter);
	int64_t n = out ? slot->got - slot->put : slot->piece.len;
	struct uring_sqe request = { .io_len = n, .off = -1, .splice_off_in = -1 };
	request.opcode = OP_SPLICE;
	request.fd = out ? c->out[0] : k->pipe[1];
	request.splice_fd_in = out ? k->pipe[0] : c->in;
	request.splice_flags = more ? SPLICE_F_MORE : 0;
	if (k->buf) {
		request = (struct uring_sqe){ .io_len = n, .off = slot->piece.at + slot->put };
		request.opcode = out ? OP_WRITE : OP_READ;
		request.fd = out ? c->out[0] : c->in;
		request.addr = (uintptr_t)(k->buf + number * c->block + slot->put);
	}
	if (n > 0) queue(k->uring, request, number);
}

/* Wait for requests in flight even after a failure, or they would write into the next run's output. */
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

#define IO_URING "*ring = io_uring_setup(16, 0), mmap(NULL, ..., ring, ...) of its queues\n"
#define ENTER "io_uring_enter(ring, queued, 1, IORING_ENTER_GETEVENTS)"
#define REQUESTS MEMORY("8 * N") IO_URING "for each N bytes, 8 at a time: IORING_OP_READ at offset,\n" \
	"    then IORING_OP_WRITE at offset\n" ENTER
static const struct interface by_uring = {
	.returns = "the requests submitted; each completion has the bytes moved, or -errno",
	.fails = "EPERM (io_uring_setup, by kernel.io_uring_disabled), ENOSYS",
	.instead = "threads, or read and write",
};
static const struct method uring_read_write = { copy_uring, SEEK, SEEK, 0, "io_uring_enter", "5.6",
	"for many requests at a time, with few calls: on ext4 "
	"and tmpfs worker threads of the kernel write, only XFS and btrfs take buffered asynchronous writes",
	REQUESTS, &by_uring };
static const struct method uring_direct = { copy_uring_direct, DISK, FILES, WRITES_DISK | DIRECT_IN,
	"io_uring_enter", "5.6", PAST_CACHE, DIRECT_ENDS REQUESTS TAIL, &by_uring };
static const struct method uring_splice = { copy_uring_splice, ANY, ANY, UNREAD_SPLICED, "io_uring_enter",
	"5.7", "worker threads of the kernel splice",
	PIPE("pipe") "\n" IO_URING "for each N bytes: IORING_OP_SPLICE from in into pipe[1],\n"
	"    then IORING_OP_SPLICE from pipe[0] into out\n" ENTER, &by_uring };

/* Count the sends that the kernel is done with: the socket's error queue has ranges of their numbers
 * (msg_zerocopy.rst; Linux 4.14). Wait a second at most; fail if no more can come. */
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
	return n; /* after a signal, too */
}

/* Send the mapped input by reference, until the kernel is done with it. ENOBUFS: too many sends are
 * outstanding. */
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
static const struct interface by_zerocopy = {
	.returns = "the bytes queued; the error queue tells when they are free again",
	.fails = "EOPNOTSUPP (setsockopt, not TCP), ENOBUFS (wait for completions)",
	.instead = "send without the flag",
};
static const struct method send_zerocopy = { copy_send_zerocopy, SEEK, SOCKETS, 0, "mmap, send", "4.14",
	"for network cards that fetch the bytes themselves", MAP_IN
	"setsockopt(out, SOL_SOCKET, SO_ZEROCOPY, 1)\n"
	"while (sendto(out, map + done, N, MSG_ZEROCOPY | MSG_NOSIGNAL) > 0) {}\n"
	"poll(out), recvmsg(out, MSG_ERRQUEUE): until all are completed", &by_zerocopy };

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
	if (pool) c->block = (c->len / pool->n / M + 1) * M; /* multiple of a file system's block */
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

#define BUFFERED_THREADS "*threads: one for each CPU, 2 to 4\n"
#define THREADS "*threads: one for each CPU, 2 to 16\n"
#define PIECES "each thread, until none is left: the next N bytes, at offset\n    "
#define BY_PIECES MEMORY("threads * N") PIECES "pread(in, buf, N, offset)\n    pwrite(out, buf, n, offset)"
#define FASTER_ENDS "for ends that are faster than one CPU"
static const struct interface by_preads = {
	.returns = "the bytes moved, often fewer than asked; pread: 0 at EOF",
	.fails = "ESPIPE (a pipe or socket), ENOSPC, EDQUOT, EIO",
	.instead = "read and write, one thread, after ESPIPE",
	.python = "os.pread, os.pwrite (3.3); os.preadv into a buffer (3.7)",
	.go = "os.File.ReadAt, os.File.WriteAt",
	.rust = "std::os::unix::fs::FileExt (read_at, write_at)",
};
static const struct method threads_read_write = { copy_threads, SEEK, SEEK, 0, "pread, pwrite", NULL,
	FASTER_ENDS, BUFFERED_THREADS BY_PIECES, &by_preads };
static const struct method threads_direct = { copy_threads_direct, DISK, FILES, WRITES_DISK | DIRECT_IN,
	"pread, pwrite", "2.4.10", PAST_CACHE, DIRECT_ENDS THREADS BY_PIECES TAIL, &by_direct };
static const struct method threads_mmap_write = { copy_threads_mmap_write, SEEK, SEEK, 0, "madvise, pwrite",
	"5.14", FASTER_ENDS, BUFFERED_THREADS PIECES
	"map = mmap(NULL, N, PROT_READ, MAP_PRIVATE, in, offset)\n+    " ADVISE_MAP("N")
	"    madvise(map, N, MADV_POPULATE_READ)\n"
	"    for each 1048576: pwrite(out, map + i, 1048576, offset)\n    munmap(map, N)", &by_mmap_write };
static const struct method threads_range = { copy_threads_range, FILES, FILES, MAY_SHARE, "copy_file_range",
	"4.5", RANGES, BUFFERED_THREADS "each thread, a part of whole MiB, at offset:\n"
	"    copy_file_range(in, &offset, out, &offset, left, 0)", &by_range };
static const struct method threads_mmap_mmap = { copy_threads_mmap_mmap, SEEK, FILES, MAPPED, "mmap, memcpy",
	NULL, MAPS_OUTPUT, MAP_IN MAP_OUT THREADS PIECES "memcpy", &by_mmap_mmap };

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
	"*threads: 2\none thread: fills the next of 8 blocks, if one is empty\n    read(in, block, N)\n"
	"the other: empties it\n    write(out, block, n)", &by_read_write };

#define BS(n) (-(int64_t)(n)) /* blocks of the output's file system, as a negative number */

/* Ends where a row is run by default. The bits below: its advice between files. */
enum {
	FROM = 1 << 16, INTO = 1 << 17, NET = 1 << 18, /* from a pipe; into a pipe; into a socket; */
	BOTH = FROM | INTO, EACH = BOTH | NET,         /* from one into another */
	TWO = 1 << 19,     /* into two outputs, never into one */
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
	{ "read+write 256k", &read_write, 256 * K, PLAIN | EACH, "cp, as fallback" },
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

/* The schedule: rounds of all rows; up to ROUNDS_FINAL of those in question; ROUNDS_LAST that decide. */
#define ROUNDS_DEFAULT 3      /* as in the base document: best, median, worst; and of a command's start */
#define ROUNDS_FINAL 7
#define ROUNDS_LAST 20
#define ROUNDS_SMALL 10       /* of all rows, in place of the first two steps: these runs are short */
#define ROUNDS_GATE 30        /* with --fail-if-slower */
#define TESTED_MAX 200        /* runs per row that the tests use: thousands would take minutes */
#define ALL_RUNS_MAX 500000   /* bounds all runs at 100 MB, those from files too */
#define NAME_WIDTH 40         /* characters of a row's name at which it is cut, or more */
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
	int64_t at;             /* of MISMATCH: the first byte missing or wrong, or one of these */
};
enum { ALL_RIGHT = -1, EMPTY = -2 }; /* all right, or not known; a command wrote nothing */
#define WROTE_NOTHING "wrote nothing"

static bool is_timed(enum outcome outcome) {
	return outcome == COPIED || outcome == SHARED || outcome == UNTOUCHED;
}

enum { COUNTERS = 8 };    /* of perf_event_open(2), including the kernel's share */

/* One run of one row. Times are nanoseconds. */
struct run {
	int64_t ns;           /* of set-up, advice, copy and finish */
	int round, order;     /* from 1; order: position among all runs of the report, from 0 */
	int64_t cpu_ns;       /* user and system time of this process and its commands */
	int64_t resident;     /* with --cold: bytes of the input cached at the start; or -1 */
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

/* A time relative to another: Hodges and Lehmann's estimate, and an interval. */
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
	const char *command;          /* of a --with row, for /bin/sh; else NULL */
	bool big_pipes;               /* pipes at its ends have PIPE_LARGE, not PIPE_DEFAULT */
	struct endpoint *input, *into[2]; /* input: /dev/null, if no byte is read */
	int nout;                     /* outputs */
	struct run *runs;             /* in chronological order */
	int nruns;
	bool verified;                /* its output was judged in full once */
	bool no_start;                /* a command whose start can't be known */
	struct verdict verdict;       /* the last run's; but a failure stays, and so does a sharing */
	bool finalist;                /* it is in question after the first rounds, or there are no others */
	int64_t planned;              /* rounds that it will run */
	struct sample early, late;    /* of the rounds of the first two steps, and of the later ones */
	int64_t best, median, worst;  /* of the early runs, nanoseconds */
	struct run typical;           /* medians of cpu_ns and counts; the least start_ns */
	char *label;                  /* its name in sentences and tables; allocated */
	bool marked;                  /* "~": it may be the fastest */
	struct ratio against;         /* to the baseline, or the row of an older report, */
	enum change change;           /* and what that shows */
};

/* Cumulative counts of the machine. */
struct interference {
	int64_t ticks, stolen;        /* CPU time in all, and steal time; clock ticks */
	int64_t throttled;            /* times that heat throttled a CPU */
	int64_t swapped;              /* pages swapped out or in */
	int64_t stops;                /* times that our cgroup's CPU quota stopped processes */
};

/* The decision of the first sentence. */
enum answer {
	NOTHING, /* nothing to decide: no row copied twice, or commands alone, or with a baseline */
	MORE,    /* the runs are too few to judge a command */
	KEEP,    /* the command of the user: the best row is not shown to be faster */
	USE,     /* the best row */
};

/* What the runs of a report show: computed once, for all formats. */
struct summary {
	const struct row *first;      /* of the ranked rows; NULL: none is */
	bool commands_alone;          /* all rows are commands */
	int tested, marked;           /* ranked rows in question; of these that have a ~ */
	int runs;                     /* fewest of a tested row, in the first two steps */
	bool guess;                   /* the runs are too few for the test */
	int64_t least;                /* smallest median of a row with a ~ that is not a command */
	struct row *own;              /* the user's command, or a plain loop; NULL: neither */
	struct row *winner;           /* the row to use; NULL: none */
	struct ratio gain;            /* times as fast as the user's the winner is */
	enum answer answer;
	bool fine;                    /* times below a millisecond are in microseconds */
};

/* A fact of a session: see fact_rows[]. */
struct fact {
	const struct fact_row *fact_row; /* NULL: a key unknown to this program */
	char *key, *value;            /* allocated */
};

/* Findings of the runs about the machine and their ends. Shares are percent. */
struct seen {
	double holes, zeros;          /* of the input's bytes */
	bool ignores_direct;          /* the input's file system accepts O_DIRECT, but caches */
	int fetched;                  /* runs before which the input was read again */
	int64_t into_start;           /* least time to start the command of --into; 0: not known */
	double dirty;                 /* of the dirty memory at which writers are throttled */
	struct interference machine;  /* during the runs */
	int64_t watched_ns, delayed_ns; /* time of runs in which nothing of ours competes for a CPU; and of
	                               * waiting for one */
	int counters_err;             /* errno of perf_event_open(2); 0: there are counters */
};

struct list {
	const char **item;
	bool *matched;                /* of globs: it has matched a name */
	int n;
};

/* The measurements at one size, made here or read from a file. */
struct report {
	const struct options *options; /* of measuring or printing it */
	const char *file;             /* NULL: measured here */
	char *title;                  /* of its column beside other reports: a size, or a file */
	bool counters;                /* it has counts of perf_event_open(2) */
	int64_t len, asked;           /* bytes copied per run; asked by --size, if there are fewer */
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

/* Reports side by side, of one table: sizes of a session, or files with that size. */
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

/* States of an output file when a run begins: see file_sinks[]. */
enum fill {
	EMPTIED,      /* nothing: it is emptied before the clock starts */
	REPLACED,     /* old blocks: it is emptied when the clock has started */
	OVER_EVICTED, /* old blocks, which the run overwrites; not in the page cache, */
	OVER_CACHED,  /* or in it */
	RENEWED,      /* nothing: another file each run */
};

/* Settings of copies by rows; the last copy has none of these. */
struct setting {
	bool cold;                    /* evict the input first */
	bool reuse;                   /* set up, and copy once, before the clock starts */
	bool counters;                /* by perf_event_open(2) */
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
	struct setting setting;
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
	int64_t generate;             /* bytes, */
	int content;                  /* of contents[] */
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
	REFUSES(EAFNOSUPPORT, "use other ends"), REFUSES(ENOTTY, "use another file system"),
	REFUSES(EBADF, "redirect it, with <> for reading and writing"),
	REFUSES(EINVAL, "use other ends, or another file system"), REFUSES(ENOSYS, "use a newer kernel"),
	REFUSES(ENODEV, "use other ends, or another file system"), REFUSES(ENOTSOCK, "use a socket"),
	REFUSES(ENOPROTOOPT, "use a newer kernel, or another kind of socket"), REFUSES(ESPIPE, "use a file"),
	REFUSES(ENXIO, "use other ends"), REFUSES(EOVERFLOW, "use a 64-bit build, or copy less with --size"),
	REFUSES(EOPNOTSUPP, "use another file system"), REFUSES(ETXTBSY, "use a file that is not in use"),
	REFUSES(EPERM, "use more privileges, or raise the limit that was hit"),
	REFUSES(EXDEV, "put input and output on the same file system"),
	FAILS(EADDRINUSE, "widen net.ipv4.ip_local_port_range"), FAILS(EPIPE, "keep the reader running"),
	FAILS(EADDRNOTAVAIL, "widen net.ipv4.ip_local_port_range"),
	FAILS(EDQUOT, "stay within the quota: copy less with --size"),
	FAILS(EAGAIN, "give it a descriptor without O_NONBLOCK"),
	FAILS(EBUSY, "wait until nothing else uses it"), FAILS(ECONNRESET, "keep the receiver running"),
	FAILS(ECANCELED, "raise ulimit -u"), FAILS(ENOENT, "use another name, or make its directory"),
	FAILS(EEXIST, "use another name"), FAILS(ECONNREFUSED, "check the firewall of loopback"),
	FAILS(EFAULT, "don't modify input or output meanwhile"), FAILS(ENFILE, "raise fs.file-max"),
	FAILS(EFBIG, "raise ulimit -f, or copy less with --size"), FAILS(ENOTDIR, "use another name"),
	FAILS(EHOSTUNREACH, "check routes and firewalls"), FAILS(EMFILE, "raise ulimit -n"),
	FAILS(EINTR, "try again"), FAILS(ENETUNREACH, "check addresses and routes (ip route)"),
	FAILS(EIO, "read the kernel's log (dmesg)"), FAILS(EPROTO, "use another kernel"),
	FAILS(ENOTCONN, "mount it again: its other side has ended"),
	FAILS(ELOOP, "use a name without a loop of links"), FAILS(ENAMETOOLONG, "use a shorter name"),
	FAILS(ENOKEY, "unlock its directory (fscrypt)"), FAILS(EUCLEAN, "check the file system (fsck)"),
	FAILS(EBADMSG, "read the kernel's log (dmesg)"), FAILS(ENOLCK, "use another file system"),
	FAILS(EHOSTDOWN, "check that the other side runs"), FAILS(EILSEQ, "use another name"),
	FAILS(ENETDOWN, "check addresses and routes (ip route)"), FAILS(ENOMEDIUM, "insert a medium"),
	FAILS(EREMOTEIO, "read the kernel's log (dmesg)"), FAILS(E2BIG, "use a shorter command"),
	{ NO_ERRNO, "", true, NULL },
	FAILS(EISDIR, "name a file"), FAILS(EROFS, "use a file system that is mounted read-write"),
	FAILS(ENOBUFS, "raise net.core.optmem_max, or ulimit -l"),
	FAILS(ENOMEM, "free memory, raise ulimit -v or -l, or copy less with --size"),
	FAILS(ENOSPC, "free space, or copy less with --size"), FAILS(ESTALE, "remount the file system"),
	FAILS(ETIMEDOUT, "check that the other side runs and is reachable"),
};

/* Remedies for an errno that has another meaning in a call. */
static const struct {
	int number;
	const char *call, *remedy;
} call_remedies[] = {
	{ EAGAIN, "fork", "raise ulimit -u, or pids.max of the cgroup" },
	{ EAGAIN, "pthread_create", "raise ulimit -u or pids.max of the cgroup, or lower ulimit -s" },
	{ ENOTCONN, "the receiver", "keep the receiver running" },
	{ ENOTCONN, "the socket", "keep the receiver running" },
	{ EPERM, "fcntl F_SETPIPE_SZ", "raise fs.pipe-max-size or fs.pipe-user-pages-soft" },
	{ EPERM, "io_uring_setup", "set kernel.io_uring_disabled to 0, or leave these rows out" },
	{ EPERM, "open", "see its attributes (lsattr), or use another file" },
	{ EPERM, "unlink", "use a directory where files may be removed" },
	{ EACCES, "unlink", "use a directory where files may be removed" },
	{ ENOSPC, "", "free space" },
	{ EDQUOT, "", "stay within the quota" },
	{ EFBIG, "", "raise ulimit -f" },
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
static struct words call_text(const char *call, int number) {
	const struct errno_fact *entry = errno_fact(number);
	const char *remedy = entry->remedy;
	for (int i = 0; i < LENGTH(call_remedies); i++)
		if (call_remedies[i].number == number && !strcmp(call_remedies[i].call, call))
			remedy = call_remedies[i].remedy;
	if (!remedy) return fmt("%s (%s)", entry->name, strerror(number));
	return fmt("%s (%s): %s", entry->name, strerror(number), remedy);
}
static struct words errno_text(int number) { return call_text("", number); }

__attribute__((noreturn)) static void die_errno(const char *object, int err, const char *call) {
	die("%s: %s: %s", object, call, call_text(call, err).str);
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
	list->matched = grow(list->matched, list->n, sizeof *list->matched);
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

/* True if it is a terminal with escapes (terminfo(5)). */
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

/* A whole number within bounds; -1: not one. */
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

/* Bytes as text: "256MiB", "4KiB", "4097B"; "4.66GiB" if nothing shorter is exact. */
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

/* Three significant digits. Below a millisecond a table has one style: 0.412ms, or if fine 412us. */
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

/* Read the rest of the line that begins with a key, and a colon or blanks (/proc/cpuinfo). Returns false
 * if there is none. */
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

/* Characters up to a possible line break: not in "$ cat" or "-n 6". */
static int word_length(const char *text) {
	int length = 0;
	if (!strncmp(text, "$ ", 2)) length = 2;
	if (!strncmp(text, "-n ", 3)) length = 3;
	return length + (int)strcspn(text + length, " ");
}

/* The bytes of the first characters of a text, of at most length bytes. */
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
#define CHOSEN 99       /* percent: confidence of an interval by the runs that have chosen its row */
#define LATE_LEAST 4    /* rounds of the third step, without which those that have chosen the row count */
#define GUESS_RUNS 3    /* runs per row, */
#define GUESS_ROWS 6    /* and rows, for a first guess by two faster rows */
#define STALLED 1.25    /* times the smallest median: a run that takes longer has stalled; */
#define STALLS 0.6      /* a row of which at least this share has is not used */
#define USUAL "read+write 256k" /* a plain loop, the row to compare with in a session without commands */
#define ROUNDED (1 + 1e-12) /* of a product, compared with a number that may be equal */
#define NO_CHANGE 1     /* percent: a smaller change is none */
#define WIDEST 10       /* times the limit: a wider interval shows of no command that it is not slower */
#define FINE_BELOW 100000 /* nanoseconds; below 0.1 ms, print microseconds */

static bool is_copy(const struct row *row) { return row && row->verdict.outcome == COPIED; }

/* True of a command that does little more than start. Other work of the machine only adds to best times. */
static bool starts_up(const struct row *row) { return 2 * row->typical.start_ns > row->best; }

/* True if its time is comparable with other rows'. */
static bool is_ranked(const struct row *row) { return is_copy(row) && !starts_up(row); }

/* True if a row has a part in the tests. */
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
	for (const struct run *run = row->runs; run < row->runs + row->nruns; run++)
		if (is_timed(run->verdict.outcome) && run->round >= from && run->round <= upto)
			sample.sorted[sample.n++] = (double)number_at(run, offset);
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
	double most = test->level * all * ROUNDED; /* P may equal the level, on any machine */
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

/* The same of all rounds. */
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
	for (const struct run *run = row->runs; run < row->runs + row->nruns; run++) {
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

/* Find the rows in question: all, if no row runs on after the first step; else the commands, the baseline, a
 * plain loop, and each row unless two others were faster in every pair of runs. */
static void find_finalists(struct report *rep, bool runs_on) {
	bool few = !runs_on || rep->rounds >= ROUNDS_FINAL;
	int64_t best, worst;
	int copies = 0;
	for (int i = 0; i < rep->nrows; i++) copies += find_early(&rep->rows[i], rep->rounds, &best, &worst);
	few |= copies < GUESS_ROWS;
	for (struct row *row = rep->rows; row < rep->rows + rep->nrows; row++) {
		bool asked = row->command || row == find_baseline(rep) || !strcmp(row->name, USUAL);
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

/* True if the row may be the fastest: no other beats it (Gupta 1965). A first guess, if the runs are too few
 * for the test: no two others, or with few of them not the first, were faster in every pair of runs. */
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

/* True of a row that may be used: it may be the fastest, is not a command, and seldom stalls. */
static bool is_usable(const struct report *rep, const struct row *row) {
	int stalled = 0;
	for (int i = 0; i < row->early.n; i++)
		stalled += row->early.sorted[i] > STALLED * (double)rep->summary.least;
	return row->marked && !row->command && stalled < STALLS * row->early.n;
}

/* Find the row to use: the first that may be; if only commands have a ~, the first in question. */
static struct row *find_winner(const struct report *rep) {
	struct row *first = NULL;
	for (int i = rep->nrows - 1; i >= 0; i--)
		if (is_tested(rep->ranked[i]) && !rep->ranked[i]->command) first = rep->ranked[i];
	for (int i = 0; i < rep->nrows; i++)
		if (is_usable(rep, rep->ranked[i])) return rep->ranked[i];
	return first;
}

/* Find what the user has: the command with the smallest median, or else a plain loop. NULL: neither. */
static struct row *find_own(const struct report *rep) {
	struct row *own = NULL, *usual = find_row(rep, USUAL);
	for (struct row *row = rep->rows; row < rep->rows + rep->nrows; row++)
		if (row->command && is_tested(row) && (!own || row->median < own->median)) own = row;
	return own || !is_ranked(usual) ? own : usual;
}

/* How many times as fast as another a row is: by the rounds of the third step, which had no part in choosing
 * it; without them by all, which had. */
static struct ratio gain_of(const struct row *own, const struct row *row) {
	if (min(own->late.n, row->late.n) >= LATE_LEAST) return ratio_of(LEVEL, &own->late, &row->late);
	struct ratio gain = ratio_of_rows((100 - CHOSEN) / 100.0, own, row);
	gain.confidence = CHOSEN;
	return gain;
}

/* Decide between what the user has and the row to use. Other calls don't save the start of a command. */
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
		sum->own->marked = false; /* the third step has shown it to be slower */
		sum->marked--;
	}
}

/* True of a command that is compared with the baseline. */
static bool is_compared(const struct report *rep, const struct row *row) {
	return rep->baseline && row->command && strcmp(row->name, rep->baseline) != 0;
}

/* Judge a command against the baseline: an interval above the limit is slower, a narrow one below it is
 * not. */
static enum change judge_command(const struct report *rep, const struct row *row) {
	double limit = 1 + rep->limit / 100;
	const struct row *to = find_baseline(rep);
	if (!rep->limit || !to || to->verdict.outcome >= FAILED) return UNCOMPARED;
	if (row->verdict.outcome >= FAILED) return UNUSABLE;
	if (row->against.low > limit) return SLOWER;
	bool narrow = 100 * (row->against.high - row->against.low) <= WIDEST * rep->limit * ROUNDED;
	return row->against.low > 0 && row->against.high < limit && narrow ? NOT_SLOWER : UNDECIDED;
}

/* Compare commands with the baseline by all rounds, for all commands and sizes together. */
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

/* The exit status of all sizes: the baseline failed; a command is slower, or failed; one is undecided. */
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

/* Compare each row that is in question in two reports. Intervals hold for all of them together. */
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

#define HASTE 200               /* milliseconds before SIGTERM for a child whose work is not needed */
#define KILL_GRACE 500          /* milliseconds from SIGTERM to SIGKILL */
#define LOST_GRACE 1000         /* milliseconds from SIGKILL until the session ends without the child */
#define SYS_CLOSE_RANGE 436     /* on all machines except for alpha and MIPS */
#define ONE_PROCESS (200 * MICROSECOND) /* of CPU time that a process's first thread does not account for */
#define WORDS_SHOWN 99          /* characters of a line of standard error */
enum { RUNNING_MAX = 4 };       /* children at a time: of input, two outputs, and a row's command */

struct child {
	pid_t pid;       /* 0: none */
	int status;      /* after its end, from wait(2); 0 also if we terminated it */
	int start_fd;    /* write a byte to start the child, close to end it; -1: it does not wait */
	int stderr_fd;   /* its standard error, a file in memory; -1: none */
	int64_t cpu_ns;  /* after its end: user and system time, nanoseconds, */
	int64_t waited_ns; /* and how long it was ready but did not run; -1: not known, or not one process */
	const char *call;  /* that failed, if it could not be started */
};

/* Variables of a command, with the names of its ends. */
enum { NAME_IN, NAME_OUT, NAME_TEE, NAMES };
static const char *const name_words[] = { "IN", "OUT", "TEE" };

/* True if a command's text names a variable: $OUT or ${OUT}, or in quotes or braces, as other languages
 * do. */
static bool names_variable(const char *text, const char *name) {
	size_t length = strlen(name);
	for (const char *here = text; (here = strstr(here, name)); here++) {
		bool begins = here > text && strchr("${\"'", here[-1]);
		if (begins && !isalnum((unsigned char)here[length]) && here[length] != '_') return true;
	}
	return false;
}

/* A command to start. */
struct command {
	const char *text;      /* for /bin/sh */
	int in_fd, out_fd;     /* its standard input and output */
	bool waits;            /* for start_child() */
	int64_t len;           /* in $SIZE, bytes; 0: not known */
	bool limited;          /* RLIMIT_FSIZE: the larger of len and 1 MiB, and a byte */
	const char *end_names[NAMES]; /* in $IN, $OUT and $TEE: names of the ends; NULL: none */
};

/* The command of a --with row, and its process. */
struct job {
	struct command to_start;
	struct child process;
	int64_t reached[2];    /* offsets of the outputs after its end; -1: it has none */
};

static const struct child no_child = { .start_fd = -1, .stderr_fd = -1, .waited_ns = -1 };
static volatile pid_t running[RUNNING_MAX]; /* session leaders; 0: none */
static volatile bool in_progress; /* a progress line is on the terminal */

/* The state that we inherited, for commands. */
static struct {
	sigset_t handled, blocked;     /* signals that we handle; the mask */
	struct sigaction actions[NSIG]; /* of those that we handle */
	int slack;                     /* of timers (prctl(2), PR_SET_TIMERSLACK), nanoseconds */
} inherited;

/* The signals that end a session, with a report and status 128 + number. SIGHUP stays ignored under
 * nohup(1); SIGINT, ignored in a shell's background, does not. */
static const int endings[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU };

static const struct {
	int number;
	const char *name;
} signal_names[] = {
	{ SIGHUP, "SIGHUP" }, { SIGINT, "SIGINT" }, { SIGQUIT, "SIGQUIT" }, { SIGTERM, "SIGTERM" },
	{ SIGXCPU, "SIGXCPU" }, { SIGABRT, "SIGABRT" }, { SIGBUS, "SIGBUS" }, { SIGFPE, "SIGFPE" },
	{ SIGILL, "SIGILL" }, { SIGKILL, "SIGKILL" }, { SIGPIPE, "SIGPIPE" }, { SIGSEGV, "SIGSEGV" },
	{ SIGSYS, "SIGSYS" }, { SIGXFSZ, "SIGXFSZ" }, { SIGALRM, "SIGALRM" },
};

/* "SIGTERM", or "signal 42". */
static struct words signal_name(int number) {
	for (int i = 0; i < LENGTH(signal_names); i++)
		if (signal_names[i].number == number) return fmt("%s", signal_names[i].name);
	return fmt("signal %d", number);
}

/* Each child leads a process group, so that a signal reaches a whole pipeline. A child just forked may not
 * lead it yet. */
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
	caught_at = (unsigned)(now() / MILLISECOND);
	caught = why;
	for (int i = 0; i < RUNNING_MAX; i++)
		if (running[i]) kill_group(running[i], SIGTERM);
	sigaction(SIGALRM, &alarm, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	errno = err;
}

static void on_continue(UNUSED int number) { continued++; }

/* Unblock the signals that end us or that our calls raise: some schedulers and CI runners block them. */
static void unblock_signals(void) {
	const int needed[] = { SIGALRM, SIGBUS, SIGCONT };
	sigset_t unblocked;
	sigemptyset(&unblocked);
	for (int i = 0; i < LENGTH(endings); i++) sigaddset(&unblocked, endings[i]);
	for (int i = 0; i < LENGTH(needed); i++) sigaddset(&unblocked, needed[i]);
	sigprocmask(SIG_UNBLOCK, &unblocked, &inherited.blocked);
}

static void catch_signal(int number, struct sigaction action) {
	sigaddset(&inherited.handled, number);
	sigaction(number, &action, &inherited.actions[number]);
}

/* Install the handlers. Calls are interrupted, not restarted: the copy ends at once. Ignore SIGPIPE and
 * SIGXFSZ: EPIPE and EFBIG end only the row. With SIGCHLD ignored, commands would have no exit status
 * (wait(2)). */
static void catch_signals(void) {
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	const struct sigaction bus = { .sa_sigaction = on_bus, .sa_flags = SA_SIGINFO | SA_NODEFER };
	for (int i = 0; i < LENGTH(endings); i++)
		catch_signal(endings[i], (struct sigaction){ .sa_handler = stop });
	if (inherited.actions[SIGHUP].sa_handler == SIG_IGN) sigaction(SIGHUP, &ignore, NULL);
	catch_signal(SIGCONT, (struct sigaction){ .sa_handler = on_continue, .sa_flags = SA_RESTART });
	catch_signal(SIGBUS, bus);
	catch_signal(SIGCHLD, (struct sigaction){ .sa_handler = SIG_DFL });
	catch_signal(SIGPIPE, ignore);
	catch_signal(SIGXFSZ, ignore);
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

/* In a child, restore signals: those inherited for a command; defaults for our own process, but with
 * EPIPE. */
static void restore_signals(bool is_command) {
	sigset_t none;
	sigemptyset(&none);
	for (int i = 1; i < NSIG; i++) {
		if (sigismember(&inherited.handled, i) != 1) continue;
		if (is_command) sigaction(i, &inherited.actions[i], NULL);
		else signal(i, i == SIGPIPE ? SIG_IGN : SIG_DFL);
	}
	sigprocmask(SIG_SETMASK, is_command ? &inherited.blocked : &none, NULL);
}

/* dup2 or exit: never run a child on our own stdio. */
static void replace_fd(int from, int to) {
	while (dup2(from, to) < 0)
		if (errno != EINTR) _exit(errno);
}

/* Set up the child: a session of its own, so that a signal reaches a whole pipeline, and nothing waits for
 * the terminal; in_fd, out_fd (-1: closed) and err_fd as 0, 1 and 2. */
static void become_child(pid_t parent, int in_fd, int out_fd, int err_fd, bool is_command) {
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) _exit(127);
	if (is_command) prctl(PR_SET_TIMERSLACK, (unsigned long)inherited.slack);
	restore_signals(is_command);
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

/* Close the descriptors from 3 on that /proc lists; or, without /proc, all that there may be. */
static void close_listed(int except) {
	struct {
		uint64_t d_ino, d_off;
		uint16_t d_reclen;
		char d_type, d_name[];
	} *entry; /* of getdents64(2); opendir(3) allocates, which a child of threads must not do */
	_Alignas(8) char list[4096];
	int dir_fd = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long n = 0, most = dir_fd < 0 ? sysconf(_SC_OPEN_MAX) : 0;
	for (int fd = 3; fd < most; fd++)
		if (fd != except) close(fd);
	while (dir_fd >= 0 && (n = syscall(SYS_getdents64, dir_fd, list, sizeof list)) > 0)
		for (char *here = list; here < list + n; here += entry->d_reclen) {
			entry = (void *)here;
			int fd = (int)strtol(entry->d_name, NULL, 10);
			if (fd >= 3 && fd != except && fd != dir_fd) close(fd);
		}
	close_fd(&dir_fd);
}

/* In a child, close the descriptors from 3 on except one (-1: none). close_range(2): Linux 5.9, newer than
 * many a libc. */
static void close_others(int except) {
	unsigned first = except < 3 ? 3 : (unsigned)except + 1;
	bool refused = except > 3 && syscall(SYS_CLOSE_RANGE, 3U, (unsigned)except - 1, 0);
	if (refused || syscall(SYS_CLOSE_RANGE, first, ~0U, 0)) close_listed(except);
}

/* Fork. The child dies with us; it may wait for start_child(). Unless it is for a command, it closes other
 * descriptors: a pipe's end open here would delay the reader's EOF. Returns 0 in the child, -1 with
 * errno. */
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
	if (!is_command) close_others(start[0]);
	if (waits && read(start[0], &go, 1) != 1) _exit(0);
	if (!is_command) close_fd(&start[0]);
	return 0;
}

/* Start a command. Without shell syntax, exec directly: a shell doubles the start-up time. If the program
 * is not found, use the shell for its message. Returns -1 with errno after a failure. */
static pid_t start_command(struct child *child, const struct command *spec) {
	pid_t pid = fork_child(child, spec->in_fd, spec->out_fd, spec->waits, true);
	if (pid) return pid;
	/* more: for standard error, and copy_file_range(2) checks before it sees EOF */
	rlim_t more = (rlim_t)max(spec->len, M) + 1;
	struct rlimit limit = { more, more };
	char *rest = format_text("%s", spec->text), *word;
	char **words = allocate(strlen(rest) + 2, sizeof *words);
	int n = 0;
	while ((word = strsep(&rest, " \t")))
		if (*word) words[n++] = word;
	if (spec->limited) setrlimit(RLIMIT_FSIZE, &limit);
	unsetenv("SIZE");
	unsetenv("TEE");
	if (spec->len > 0) setenv("SIZE", fmt("%" PRId64, spec->len).str, 1);
	for (int i = 0; i < NAMES; i++)
		if (spec->end_names[i]) setenv(name_words[i], spec->end_names[i], 1);
	if (!needs_shell(spec->text)) execvp(*words, words);
	execl("/bin/sh", "sh", "-c", spec->text, (char *)NULL);
	_exit(127); /* as sh if it can't execute */
}

/* Let a waiting child begin, or end it. */
static void start_child(struct child *child, bool starts) {
	if (starts && child->start_fd >= 0) RETRY(write(child->start_fd, "", 1));
	close_fd(&child->start_fd);
}

/* Wait until a child has ended, without reaping it. While its work is needed, block; signals that ask us
 * to stop interrupt that repeatedly. Else poll each millisecond, and send SIGTERM, then SIGKILL. Returns
 * 0, ETIMEDOUT if it does not end, or another errno. *killed: a signal was sent. */
static int await_end(const struct child *child, bool needed, bool *killed) {
	const struct timespec millisecond = { .tv_nsec = MILLISECOND };
	int64_t start = now();
	siginfo_t ended = { .si_pid = 0 };
	int sent = 0;
	while (1) {
		bool waits = needed && !caught;
		int failed = waitid(P_PID, child->pid, &ended, WEXITED | WNOWAIT | (waits ? 0 : WNOHANG));
		if (failed && errno != EINTR) return errno;
		if (ended.si_pid) return 0;
		if (waits) continue;
		int64_t waited = (now() - start) / MILLISECOND;
		int64_t since = caught ? since_caught() : waited - HASTE;
		int number = since >= KILL_GRACE ? SIGKILL : SIGTERM;
		if (since >= KILL_GRACE + LOST_GRACE && waited >= HASTE) return ETIMEDOUT;
		if (since >= 0 && number != sent) {
			kill_group(child->pid, number);
			sent = number;
			*killed = true;
		}
		nanosleep(&millisecond, NULL);
	}
}

/* Wait until a child has ended, at most timeout_ns nanoseconds. Returns false if it has not ended. */
static bool await_upto(const struct child *child, int64_t timeout_ns) {
	int64_t deadline = now() + timeout_ns;
	sigset_t ended, old;
	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD); /* pending while it is blocked, though its default is to be ignored */
	sigprocmask(SIG_BLOCK, &ended, &old);
	siginfo_t info = { .si_pid = 0 };
	for (int64_t remaining = timeout_ns; remaining > 0 && !caught
	    && !info.si_pid; remaining = deadline - now()) {
		/* less than between alarms: musl goes on after a signal */
		struct timespec time = { .tv_nsec = min(remaining, 20 * MILLISECOND) };
		if (waitid(P_PID, child->pid, &info, WEXITED | WNOWAIT | WNOHANG)) break;
		if (!info.si_pid) sigtimedwait(&ended, NULL, &time);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	return info.si_pid;
}

/* Count the live processes of a group by /proc. If lost, print a message about each. */
static int count_members(pid_t leader, bool lost) {
	glob_t paths;
	int n = 0;
	if (glob("/proc/[0-9]*/stat", 0, NULL, &paths)) return 0;
	for (size_t i = 0; i < paths.gl_pathc; i++) {
		char line[512] = "", name[32] = "", state = 'Z';
		int pid = 0, group = 0;
		if (read_line(paths.gl_pathv[i], line, sizeof line))
			sscanf(line, "%d (%31[^)]) %c %*d %d", &pid, name, &state, &group);
		if (group != leader || state == 'Z') continue;
		if (lost) warn("process %d (%s): can't be ended by SIGKILL: end it, or thaw it", pid, name);
		n++;
	}
	globfree(&paths);
	return n;
}

/* Give up a group that SIGKILL does not end: it is root's, frozen, or blocked in the kernel. Stop, since
 * it may still write to the output. */
static void lose_group(pid_t leader) {
	clear_progress();
	if (!count_members(leader, true))
		warn("process group %d: can't be ended by SIGKILL: end it, or thaw it", (int)leader);
	stop(CHILD_LOST);
}

/* Wait for the rest of a group whose leader has been reaped. SIGKILL was sent before: the number may be
 * another's now. Returns false if it does not end. */
static bool await_group(pid_t leader) {
	const struct timespec millisecond = { .tv_nsec = MILLISECOND };
	for (int64_t deadline = now() + LOST_GRACE * MILLISECOND; now() < deadline; nanosleep(&millisecond,
	    NULL)) {
		int err = kill(-leader, 0) ? errno : 0;
		if (err && err != EPERM) return true;
		if (!err && !count_members(leader, false)) return true; /* only zombies of others */
	}
	return false;
}

/* Returns the time that a process was ready but did not run, nanoseconds; -1: not known
 * (Documentation/scheduler/sched-stats.rst). *ran: the time that it did run. */
static int64_t read_delay(const char *id, int64_t *ran) {
	int64_t delay;
	char line[128];
	bool known = read_line(fmt("/proc/%s/schedstat", id).str, line, sizeof line)
	    && sscanf(line, "%" SCNd64 " %" SCNd64, ran, &delay) == 2;
	return known ? delay : -1;
}

/* Our directory in /proc, "/proc/PID". In the /proc of another PID namespace getpid(2) is the
 * number of another process. Empty: there is none. */
static struct words own_proc(void) {
	char pid[32] = "";
	if (readlink("/proc/self", pid, sizeof pid - 1) <= 0) return fmt("%s", "");
	return fmt("/proc/%s", pid);
}

/* True if numbers of processes are ours in this /proc. */
static bool is_own_proc(void) { return !strcmp(own_proc().str, fmt("/proc/%d", (int)getpid()).str); }

/* Wait for a child, and kill the rest of its group. Remove it from running[] before reaping: then its
 * number may be another process's. */
static void wait_child(struct child *child, bool needed) {
	struct rusage used = { 0 };
	pid_t pid = child->pid;
	bool killed = false;
	int64_t ran = 0;
	start_child(child, false);
	if (!pid) return;
	int err = await_end(child, needed, &killed);
	int64_t waited = is_own_proc() ? read_delay(fmt("%d", (int)pid).str, &ran) : -1;
	for (int i = 0; i < RUNNING_MAX; i++)
		if (running[i] == pid) running[i] = 0;
	child->pid = 0;
	if (err != ETIMEDOUT) {
		kill(-pid, SIGKILL);
		while (!err && wait4(pid, &child->status, 0, &used) < 0)
			if (errno != EINTR) err = errno;
		if (!err && !await_group(pid)) err = ETIMEDOUT;
	}
	if (err == ETIMEDOUT) lose_group(pid);
	else if (err) child->status = err << 8; /* as an exit status */
	if (killed || caught) child->status = 0;
	child->cpu_ns = (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * SECOND
	    + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * INT64_C(1000);
	bool one = llabs(child->cpu_ns - ran) < ONE_PROCESS; /* no threads, no children */
	child->waited_ns = one ? waited : -1;
}

/* "exit status 1", "killed by SIGSEGV". */
static struct words status_text(int status) {
	if (WIFSIGNALED(status)) return fmt("killed by %s", signal_name(WTERMSIG(status)).str);
	return fmt("exit status %d", WEXITSTATUS(status));
}

/* The first line of a child's standard error, and the last if it differs. Allocated. */
static char *child_words(const struct child *child) {
	char head[WORDS_SHOWN + 1] = "", tail[WORDS_SHOWN + 1] = "", *last = tail, *next;
	int64_t size = child->stderr_fd < 0 ? 0 : max(lseek(child->stderr_fd, 0, SEEK_END), 0);
	full_pread(child->stderr_fd, (unsigned char *)head, min(size, WORDS_SHOWN), 0);
	full_pread(child->stderr_fd, (unsigned char *)tail, min(size, WORDS_SHOWN),
	    max(size - WORDS_SHOWN, 0));
	for (char *end = tail + strlen(tail); end > tail && strchr("\r\n", end[-1]);) *--end = '\0';
	head[strcspn(head, "\r\n")] = '\0';
	while ((next = strpbrk(last, "\r\n"))) last = next + 1;
	bool same = !*last || (last == tail && size <= WORDS_SHOWN);
	if (same) return format_line("%s", head);
	return format_line("%s ... %s", head, last);
}

/* Splice the spool into the pipe. The exit status is an errno: EPIPE if not all was read. */
__attribute__((noreturn)) static void feed(int64_t len) {
	loff_t at = 0;
	while (at < len) {
		ssize_t n = splice(STDIN_FILENO, &at, STDOUT_FILENO, NULL, min(len - at, CALL_MAX), 0);
		if (n == 0) _exit(EIO);
		if (n < 0 && errno != EINTR) _exit(errno);
	}
	_exit(0);
}

/* Returns the offset of the first difference; nbytes if there is none. */
static ssize_t first_difference(const unsigned char *bytes_a, const unsigned char *bytes_b, ssize_t nbytes) {
	ssize_t i = 0;
	if (!memcmp(bytes_a, bytes_b, nbytes)) return nbytes;
	while (bytes_a[i] == bytes_b[i]) i++;
	return i;
}

/* Compare a copy (a file by offset, a stream to EOF) with the first len bytes of a file. Returns the offset
 * of the first byte wrong, missing, or surplus in a stream; -1: none, or *failed is set. Stops after a
 * signal. */
static int64_t compare(int copy_fd, bool streamed, int expected_fd, int64_t len, int *failed) {
	static unsigned char found[CHUNK], expected[CHUNK];
	int64_t at = 0, wrong = -1;
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
		ssize_t same = first_difference(expected, found, have);
		if (wrong < 0 && same < n) wrong = at + same;
		at += n;
	}
	if (streamed && at == 0 && !*failed && !caught) return EMPTY;
	return wrong < 0 && at < len && !*failed && !caught ? at : wrong;
}

/* Count the bytes of a stream. Returns what compare() does, as far as their number tells. */
static int64_t count_stream(int copy_fd, int64_t len, int *failed) {
	static unsigned char block[CHUNK];
	int64_t bytes = 0;
	ssize_t n;
	while ((n = RETRY(read(copy_fd, block, sizeof block))) > 0) bytes += n;
	if (n < 0) *failed = errno;
	return bytes == len ? -1 : min(bytes, len);
}

/* The comparing process: reads the copy from standard output, the input from standard input, and writes the
 * answer of compare() to standard error; or it only counts the bytes. The exit status is an errno. */
__attribute__((noreturn)) static void compare_stream(int64_t len, bool counting) {
	int err = 0;
	int64_t wrong = counting ? count_stream(STDOUT_FILENO, len, &err)
	    : compare(STDOUT_FILENO, true, STDIN_FILENO, len, &err);
	_exit(err ? err : full_write(STDERR_FILENO, (unsigned char *)&wrong, sizeof wrong));
}

/* Timed from fork to exit. Bytes copied are unknown; verification decides. A limit keeps the command from
 * filling the disk. */
static bool copy_command(struct copy *c) {
	struct job *job = c->job;
	job->to_start.in_fd = c->in;
	job->to_start.out_fd = c->out[0];
	if (caught) return true;
	if (start_command(&job->process, &job->to_start) < 0) return fail(c, errno, job->process.call);
	wait_child(&job->process, true);
	for (int i = 0; i < c->nout; i++) job->reached[i] = lseek(c->out[i], 0, SEEK_CUR);
	if (!job->process.status) c->done = c->len;
	return true;
}

static const struct method command_method = { copy_command, ANY, ANY, MAY_SHARE, "fork, exec, wait", NULL, "",
	"fork(), execve(COMMAND), wait4()", NULL };
/* For all --with rows: the command is the row's. */
static const struct strategy command_strategy = { "$", &command_method, 0, PLAIN, "itself" };

/* ---- Network: TCP connections on loopback, and the process at their other side --------------- */

#define ACCEPT_TIMEOUT 5         /* seconds */
#define RECEIVE_BLOCK (256 * K)  /* bytes per read of the receiver */
#define LOOK_AGAIN 10000         /* nanoseconds between checks that poll(2) can't replace */

/* "127.0.0.1:7100", "[::1]:7100". */
static struct words address_text(const void *address, socklen_t address_size) {
	char host[INET6_ADDRSTRLEN + 20] = "?", port[8] = "?";
	bool six = ((const struct sockaddr *)address)->sa_family == AF_INET6;
	getnameinfo(address, address_size, host, sizeof host, port, sizeof port, NI_NUMERICHOST
	    | NI_NUMERICSERV);
	return six ? fmt("[%s]:%s", host, port) : fmt("%s:%s", host, port);
}

/* Sleep until the clock shows deadline, or until a signal asks us to stop. */
static void sleep_until(int64_t deadline) {
	struct timespec t = { .tv_sec = deadline / SECOND, .tv_nsec = deadline % SECOND };
	while (!caught && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {}
}

/* Create a connected pair, fds[1] ours, that no other process can hijack: TCP on loopback, or UNIX. */
static bool connect_pair(struct copy *c, int family, int fds[2]) {
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	struct sockaddr_in ours = { .sin_port = 0 }, theirs = ours;
	const struct timeval patience = { .tv_sec = ACCEPT_TIMEOUT };
	struct sockaddr *address = (struct sockaddr *)&at;
	socklen_t size = sizeof at;
	if (family == AF_UNIX) {
		bool connected = !socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds);
		return connected || fail(c, errno, "socketpair");
	}
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	fds[1] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool good = listener >= 0 && fds[1] >= 0 && !bind(listener, address, size) && !listen(listener, 8)
	    && !getsockname(listener, address, &size) && !RETRY(connect(fds[1], address, size))
	    && !getsockname(fds[1], (struct sockaddr *)&ours, &size);
	if (good) setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	while (good && (fds[0] < 0 || theirs.sin_port != ours.sin_port)) {
		close_fd(&fds[0]); /* another process connected first */
		fds[0] = RETRY(accept4(listener, (struct sockaddr *)&theirs, &size, SOCK_CLOEXEC));
		good = fds[0] >= 0;
	}
	int err = errno;
	close_fd(&listener);
	return good || fail(c, err, "connect on loopback");
}

/* The receiving process: says that it is there, reads standard input to its end, and answers with the number
 * of its bytes. The exit status is an errno. */
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
	char *words;         /* kind and location, for reports */
	char *path;          /* of a file, at the start; NULL: unknown */
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

/* Find the first device below a mapped one. */
static bool find_slave(dev_t dev, dev_t *slave) {
	struct words pattern = fmt("/sys/dev/block/%u:%u/slaves/*/dev", major(dev), minor(dev));
	char text[32];
	unsigned maj, min;
	glob_t paths;
	if (glob(pattern.str, 0, NULL, &paths)) return false;
	bool found = read_line(*paths.gl_pathv, text, sizeof text)
	    && sscanf(text, "%u:%u", &maj, &min) == 2;
	if (found) *slave = makedev(maj, min);
	globfree(&paths);
	return found;
}

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

/* By name in mountinfo, since ext2, ext3 and ext4 share one magic number: spelling, and a medium. */
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
	char *root, *directory, *mount_options, *fstype, *device, *super_options;
};

/* Decode its "\040" for blanks in paths, and commas in options. */
static void unescape(char *path) {
	char *to = path;
	for (const char *from = path; *from; from++) {
		bool escape = *from == '\\' && strspn(from + 1, "01234567") >= 3;
		*to++ = escape ? (from[1] & 3) << 6 | (from[2] & 7) << 3 | (from[3] & 7) : *from;
		from += escape ? 3 : 0;
	}
	*to = '\0';
}

/* Split a line at each blank, since fields may be empty. */
static bool split_mount(char *line, struct mount *m) {
	char *rest = line, *field;
	*m = (struct mount){ .line = line, .mnt_id = strtol(line, NULL, 10) };
	line[strcspn(line, "\n")] = '\0';
	for (int i = 0; (field = strsep(&rest, " ")) && (i < 6 || strcmp(field, "-")); i++) {
		if (i == 2 && sscanf(field, "%u:%u", &m->major, &m->minor) != 2) return false;
		if (i == 3) m->root = field;
		if (i == 4) m->directory = field;
		if (i == 5) m->mount_options = field;
	}
	m->fstype = strsep(&rest, " ");
	m->device = strsep(&rest, " ");
	m->super_options = rest;
	if (!m->directory || !m->mount_options || !m->fstype || !m->device || !m->super_options) return false;
	unescape(m->directory);
	unescape(m->device);
	return true;
}

static void describe_mount(struct mount *m, struct location *loc, int depth) {
	const char *version = strstr(m->super_options, ",vers=");
	struct stat st;
	int i = 0;
	/* both begin with rw or ro */
	loc->mount = format_text("%s %s%s", m->fstype, m->mount_options, m->super_options
	    + strcspn(m->super_options, ","));
	while (i < LENGTH(filesystems) && strcmp(filesystems[i].fstype, m->fstype)) i++;
	if (!strncmp(m->fstype, "fuse", 4)) {
		add_name(loc, "FUSE");
		if (m->fstype[4] == '.') add_name(loc, " (%.16s)", m->fstype + strlen("fuse."));
		return;
	}
	add_name(loc, "%.16s", i < LENGTH(filesystems) ? filesystems[i].name : m->fstype);
	loc->medium = i < LENGTH(filesystems) ? filesystems[i].medium : NULL;
	const char *huge = strstr(m->super_options, ",huge=");
	if (huge && !strncmp(huge, ",huge=never", 11)) huge = NULL;
	if (loc->medium && !strcmp(loc->medium, "memory")) {
		if (huge) add_name(loc, " %.*s", (int)strcspn(huge + 1, ","), huge + 1);
		else add_name(loc, " %s", m->directory);
	} else if (loc->medium && version) {
		add_name(loc, " v%.*s", (int)strcspn(version + 6, ","), version + 6);
	} else if (m->major != 0) {
		find_device(makedev(m->major, m->minor), loc, depth);
	} else if (!loc->medium && !stat(m->device, &st) && S_ISBLK(st.st_mode)) {
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

/* The rest of a mount's options after a name, "=zstd:1,..."; NULL: it has no such option. */
static const char *find_mount_option(const char *mount, const char *name) {
	size_t length = strlen(name);
	for (const char *here = mount; *here; here += strcspn(here, " ,"), here += *here != '\0')
		if (!strncmp(here, name, length) && strchr("=, ", here[length])) return here + length;
	return NULL;
}

static void find_location(int fd, struct location *loc, int depth) {
	struct mount m;
	if (find_mount(fd, &m)) describe_mount(&m, loc, depth);
	free(m.line);
}

/* The device of a file's file system, or the device that it is. */
static dev_t device_of(int fd, const struct stat *st) {
	struct mount m;
	struct stat device;
	dev_t dev = st->st_dev;
	if (S_ISBLK(st->st_mode)) return st->st_rdev;
	if (find_mount(fd, &m) && m.major) dev = makedev(m.major, m.minor);
	else if (m.line && !stat(m.device, &device) && S_ISBLK(device.st_mode))
		dev = device.st_rdev; /* btrfs */
	free(m.line);
	return dev;
}

/* True if two files are on one file system. Each btrfs subvolume has its own device number, its mount has the
 * file system's. */
static bool same_system(int fd, int other) {
	struct mount a, b;
	struct stat x, y;
	bool known = find_mount(fd, &a), same;
	if (find_mount(other, &b) && known) same = a.major == b.major && a.minor == b.minor;
	else same = !fstat(fd, &x) && !fstat(other, &y) && x.st_dev == y.st_dev;
	free(a.line);
	free(b.line);
	return same;
}

/* The CPU time that our cgroups grant. */
struct quota {
	double granted;        /* 0: no limit */
	int64_t stops;         /* times that they stopped processes */
};

/* Add the limits in a cgroup's directory (Documentation/admin-guide/cgroup-v2.rst, cpu.max and cpu.stat;
 * version 1: Documentation/scheduler/sched-bwc.rst). */
static void add_quota(struct quota *q, const char *directory) {
	char line[64];
	double quota = 0, period = 0;
	struct words path = fmt("%s/cpu.max", directory);
	if (read_line(path.str, line, sizeof line)) sscanf(line, "%lf %lf", &quota, &period);
	path = fmt("%s/cpu.cfs_quota_us", directory);
	if (read_line(path.str, line, sizeof line)) quota = strtod(line, NULL);
	path = fmt("%s/cpu.cfs_period_us", directory);
	if (read_line(path.str, line, sizeof line)) period = strtod(line, NULL);
	if (quota > 0 && period > 0 && (!q->granted || quota / period < q->granted))
		q->granted = quota / period;
	path = fmt("%s/cpu.stat", directory);
	q->stops += read_number(path.str, "nr_throttled");
}

/* Find our group in a line of /proc/self/cgroup, "ID:CONTROLLERS:PATH", if it is in that mount
 * (cgroups(7)). NULL: it is not. */
static const char *find_group(char *line, const struct mount *m) {
	char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
	if (!path) return NULL;
	*path++ = '\0';
	path[strcspn(path, "\n")] = '\0';
	bool unified = !strcmp(m->fstype, "cgroup2");
	if (unified ? controllers[1] != '\0' : !has_word(controllers, "cpu")) return NULL;
	size_t root = strcmp(m->root, "/") ? strlen(m->root) : 0;
	bool within = !strncmp(path, m->root, root) && (!path[root] || path[root] == '/');
	return within ? path + root : ""; /* outside the mount: its root is ours */
}

/* Read the quotas of all groups from ours up to the mount point. There is one hierarchy of version 1 and one
 * of version 2; each may be mounted several times. */
static struct quota read_quota(void) {
	bool counted[] = { false, false };
	FILE *mounts = fopen("/proc/self/mountinfo", "re");
	struct quota q = { 0 };
	struct mount m;
	char *line = NULL, *group = NULL;
	size_t size = 0, room = 0;
	while (mounts && getline(&line, &size, mounts) > 0) {
		if (!split_mount(line, &m) || strncmp(m.fstype, "cgroup", strlen("cgroup")) != 0) continue;
		if (strcmp(m.fstype, "cgroup2") && !has_word(m.super_options, "cpu")) continue;
		FILE *groups = fopen("/proc/self/cgroup", "re");
		const char *ours = NULL;
		while (groups && !ours && getline(&group, &room, groups) > 0) ours = find_group(group, &m);
		if (groups) fclose(groups);
		bool *version = &counted[!strcmp(m.fstype, "cgroup2")];
		if (!ours || *version) continue;
		*version = true;
		char *path = format_text("%s%s", m.directory, strcmp(ours, "/") ? ours : ""), *end;
		while ((end = strrchr(path, '/')) && strlen(path) >= strlen(m.directory)) {
			add_quota(&q, path);
			*end = '\0';
		}
		free(path);
	}
	if (mounts) fclose(mounts);
	free(line);
	free(group);
	return q;
}

/* Returns the number of usable CPUs: online, in our affinity mask, and within the quota. */
static int usable_cpus(double quota) {
	cpu_set_t mask; /* if there are more, all count */
	int64_t n = sysconf(_SC_NPROCESSORS_ONLN);
	if (!sched_getaffinity(0, sizeof mask, &mask)) n = min(n, CPU_COUNT(&mask));
	if (quota > 0 && quota < (double)n) n = (int64_t)quota + (quota > (double)(int64_t)quota);
	return (int)max(n, 1);
}

/* ---- Page cache: what of a file is in memory; and whose blocks it has ------------------------ */

#define LOOPS_MOST 8            /* devices below a file system that are looked at */
#define EXTENTS_ASKED 32        /* of an output, compared with the input's */
#define RESIDENT 0.99           /* share of a file in the page cache that counts as all */
#define DIRECT_BLOCK (64 * K)   /* bytes: no alignment of direct I/O is larger */
#define BLOCKS_TRIED 256        /* of a file, to find one that is not cached */
#define FUSE_MAGIC 0x65735546   /* fs/fuse/inode.c */
#define CIFS_MAGIC 0xff534d42   /* SMB 1; headers of Linux 5.15 and older lack these two, */
#define SMB2_MAGIC 0xfe534d42   /* SMB 2 and later */
#define XFS_MAGIC 0x58465342    /* and those of 4.19 this one */
#define CEPH_MAGIC 0x00c36400   /* include/linux/ceph/ceph_fs.h */

/* The file that a loop device without direct I/O lies on: what is read is in the page cache twice. */
enum below { NOTHING_BELOW, EVICTED_BELOW, CACHED_BELOW /* it can't be opened */ };

/* A file's behaviour in the page cache. */
enum cache {
	CACHE_UNKNOWN, /* the kernel does not tell, or claims that all files are cached */
	CACHE_KNOWN,   /* an evicted page was out, and in after it was read */
	CACHE_UNUSED,  /* it was out even after that: 9p, ZFS, DAX, sysfs */
	CACHE_MEMORY,  /* the file system is memory: tmpfs, ramfs */
};

static bool is_on(int fd, uint32_t magic) {
	struct statfs fs;
	return !fstatfs(fd, &fs) && (uint32_t)fs.f_type == magic;
}

/* True if a server or a daemon has the file, and caches it, too. */
static bool is_served(int fd) {
	static const uint32_t served[] = { NFS_SUPER_MAGIC, FUSE_MAGIC, CIFS_MAGIC, SMB2_MAGIC };
	for (int i = 0; i < LENGTH(served); i++)
		if (is_on(fd, served[i])) return true;
	return false;
}

/* Returns the cached bytes of a file, by mincore(2), which needs a readable descriptor, and reports other
 * users' files as fully cached; -1: not known. */
static int64_t count_resident(int fd, int64_t begin, int64_t len) {
	static unsigned char resident[64 * K]; /* a byte per page */
	int64_t page = sysconf(_SC_PAGESIZE), window = sizeof resident * page, n = 0;
	for (int64_t at = 0; at < len; at += window) {
		int64_t part = min(len - at, window);
		void *map = mmap(NULL, part, PROT_READ, MAP_SHARED, fd, begin + at);
		if (map == MAP_FAILED) return -1;
		bool known = !mincore(map, part, resident);
		munmap(map, part);
		if (!known) return -1;
		for (int64_t i = 0; i * page < part; i++)
			if (resident[i] & 1) n += page;
	}
	return min(n, len);
}

/* True of a file on tmpfs or ramfs, with nothing to write back or evict; and of the node of a device, on
 * devtmpfs, whose magic number is that of tmpfs: see has_memory(). */
static bool is_in_memory(int fd) { return is_on(fd, TMPFS_MAGIC) || is_on(fd, RAMFS_MAGIC); }

/* Evict a file. Dirty pages must be written first. */
static void evict(int fd) {
	fdatasync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

/* Open the file that a loop device lies on (loop(4)); /sys has the name that it had. Returns -1 if it is not
 * known. */
static int open_backing(dev_t dev, const char *path) {
	char link[PATH_MAX] = "";
	struct loop_info64 loop = { 0 };
	struct stat st;
	struct words device = fmt("/sys/dev/block/%u:%u", major(dev), minor(dev));
	if (readlink(device.str, link, sizeof link - 1) <= 0) return -1;
	int loop_fd = open(fmt("/dev%s", strrchr(link, '/')).str, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	bool asked = loop_fd >= 0 && !ioctl(loop_fd, LOOP_GET_STATUS64, &loop);
	int fd = asked ? open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
	bool same = fd >= 0 && !fstat(fd, &st) && st.st_dev == loop.lo_device && st.st_ino == loop.lo_inode;
	close_fd(&loop_fd);
	if (!same) close_fd(&fd);
	return fd;
}

/* Evict a file of a device; and those that loop devices below it lie on, which are cached a second time
 * without direct I/O (losetup(8)). */
static enum below evict_all(int fd, dev_t dev, int depth) {
	char path[PATH_MAX], dio[4] = "";
	dev_t under;
	struct stat st = { .st_dev = 0 };
	evict(fd);
	if (depth > 0 && find_slave(dev, &under)) return evict_all(fd, under, depth - 1);
	if (!read_device(dev, "loop/backing_file", path, sizeof path)) return NOTHING_BELOW;
	bool once = read_device(dev, "loop/dio", dio, sizeof dio) && *dio == '1';
	int file = depth > 0 ? open_backing(dev, path) : -1;
	enum below below = once ? NOTHING_BELOW : CACHED_BELOW;
	if (file >= 0 && !fstat(file, &st)) {
		below = evict_all(file, device_of(file, &st), depth - 1);
		if (!once && below == NOTHING_BELOW) below = EVICTED_BELOW;
		if (!once && is_served(file)) below = CACHED_BELOW;
	}
	close_fd(&file);
	return below;
}

/* Evict a file, then read a block that is not cached. Returns the bytes of it cached afterwards; -1: all
 * was cached, as far as the kernel tells, or the read failed. */
static int64_t read_evicted(int fd, int64_t len, int flags) {
	static unsigned char block[DIRECT_BLOCK] __attribute__((aligned(DIO_ALIGNMENT)));
	int64_t step = max(len / BLOCKS_TRIED / DIRECT_BLOCK, 1) * DIRECT_BLOCK, at = 0;
	evict(fd);
	while (at < len && count_resident(fd, at, min(DIRECT_BLOCK, len - at))) at += step;
	int other = at < len && flags ? reopen(fd, O_RDONLY | flags) : -1;
	bool was_read = at < len && pread(flags ? other : fd, block, DIRECT_BLOCK, at) > 0;
	close_fd(&other);
	return was_read ? count_resident(fd, at, min(DIRECT_BLOCK, len - at)) : -1;
}

/* Find out how the page cache treats a file that is not in memory. Evicts the file. */
static enum cache find_cache(int fd, int64_t len) {
	int64_t n = read_evicted(fd, len, 0);
	if (n < 0) return CACHE_UNKNOWN;
	return n > 0 ? CACHE_KNOWN : CACHE_UNUSED;
}

/* True if the file system accepts O_DIRECT and ignores it: tmpfs and ramfs, or for some files btrfs
 * (compressed) and ext4 (data=journal). */
static bool ignores_direct(int fd, int64_t len) {
	return is_in_memory(fd) || read_evicted(fd, len, O_DIRECT) > 0;
}

#define PIECE M /* bytes per sum; the last piece may have fewer */

/* A 64-bit sum, which depends on the values and positions of words. */
static uint64_t sum_piece(const unsigned char *mem, size_t size) {
	uint64_t sum = 1, word = 0;
	for (size_t part; size > 0; size -= part, mem += part) {
		part = min(size, sizeof word);
		memcpy(&word, mem, part);
		sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		sum ^= sum >> 32;
	}
	return sum;
}

/* Read a file in large blocks, for large folios. If not NULL, store the sums of its pieces, and count the
 * bytes of zero pages. Returns the bytes; -1 with errno. */
static int64_t read_through(int fd, int64_t len, uint64_t *sums, int64_t *zero_bytes) {
	enum { PAGE = 4096 };
	static unsigned char piece[PIECE];
	int64_t at = 0;
	while (at < len && !caught) {
		int64_t want = min(len - at, PIECE);
		if (sums) memset(piece, POISON, want);
		ssize_t n = full_pread(fd, piece, want, at);
		if (n < 0) return -1;
		if (n == 0) break;
		if (sums) sums[at / PIECE] = sum_piece(piece, n);
		for (ssize_t i = 0; zero_bytes && i < n; i += PAGE)
			if (is_zero(piece + i, min(n - i, PAGE))) *zero_bytes += min(n - i, PAGE);
		at += n;
	}
	return at;
}

/* Find the extent that has a byte, or the next one. The file is written first (FIEMAP_FLAG_SYNC,
 * Documentation/filesystems/fiemap.rst). Returns false if there is none, or that is not known. */
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

/* True if a file shares another's blocks: its extents are shared and lie where the other's do. The flag
 * alone may be a snapshot's. An unaligned last block may differ. SMB gives offsets in the file for those on
 * the disk. */
static bool shares_blocks(int fd, int other, int64_t len) {
	const uint32_t useless = FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_DATA_INLINE;
	struct fiemap_extent x, y;
	struct statfs fs;
	int n = 0;
	bool smb = is_on(fd, CIFS_MAGIC) || is_on(fd, SMB2_MAGIC);
	if (smb || !same_system(fd, other) || fstatfs(fd, &fs)) return false;
	int64_t tail = len % max(fs.f_bsize, 1), blocks = tail < len ? len - tail : len;
	for (int64_t at = 0; n < EXTENTS_ASKED && at < blocks && find_extent(fd, at, &x); n++) {
		at = (int64_t)(x.fe_logical + x.fe_length);
		if (!find_extent(other, (int64_t)x.fe_logical, &y)) return false;
		uint32_t flags = x.fe_flags | y.fe_flags;
		uint64_t into = flags & FIEMAP_EXTENT_ENCODED ? 0 : x.fe_logical - y.fe_logical;
		if (flags & useless || !(x.fe_flags & FIEMAP_EXTENT_SHARED)) return false;
		if (x.fe_physical != y.fe_physical + into) return false;
	}
	return n > 0;
}

/* ---- Guards: what a copy or a report would destroy ------------------------------------------- */

/* The character devices of driver "mem" (Documentation/admin-guide/devices.txt, major 1). */
enum { MEM_NULL = 3, MEM_ZERO = 5, MEM_FULL = 7 };

static bool is_mem(const struct stat *st, unsigned minor_number) {
	return S_ISCHR(st->st_mode) && major(st->st_rdev) == 1 && minor(st->st_rdev) == minor_number;
}

/* Devices that discard all unread: /dev/zero is written to as /dev/null is (drivers/char/mem.c). */
static bool is_blind(const struct stat *st) { return is_mem(st, MEM_NULL) || is_mem(st, MEM_ZERO); }

/* fstat(2), but from the server, not its cache (statx(2), AT_STATX_FORCE_SYNC; Linux 4.11). */
static bool stat_fresh(int fd, struct stat *st) {
	uint32_t unused[64];
	syscall(SYS_statx, fd, "", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC, 0x20 /* STATX_ATIME */, unused);
	return !fstat(fd, st);
}

static bool same_inode(const struct stat *st_a, const struct stat *st_b) {
	return st_a->st_dev == st_b->st_dev && st_a->st_ino == st_b->st_ino;
}

/* The comparison of two descriptors' files. MAYBE_SAME: nothing tells whether they are one. */
enum sameness { OTHER_FILE, SAME_FILE, MAYBE_SAME };

/* Mark one file, and see whether the mark shows on the other: an unlikely access time that every file system
 * can store (FAT: days, from 1980 on). Restore it afterwards. */
static enum sameness try_mark(int fd, int other) {
	struct timespec odd = { .tv_sec = 315532800 + now() / 1000 % 4000 * 172800 };
	struct stat before, other_before, marked, seen;
	if (!stat_fresh(fd, &before) || !stat_fresh(other, &other_before)) return MAYBE_SAME;
	if (futimens(fd, (struct timespec[]){ odd, before.st_mtim })) return MAYBE_SAME;
	bool known = stat_fresh(fd, &marked) && stat_fresh(other, &seen);
	futimens(fd, (struct timespec[]){ before.st_atim, before.st_mtim });
	if (!known || same_time(&marked.st_atim, &before.st_atim)) return MAYBE_SAME; /* it shows nowhere */
	bool same = same_time(&marked.st_atim, &seen.st_atim)
	    && !same_time(&seen.st_atim, &other_before.st_atim);
	return same ? SAME_FILE : OTHER_FILE;
}

/* Files of one size whose bytes differ are two. */
static enum sameness compare_bytes(int fd, int other, int64_t len) {
	int a = reopen(fd, O_RDONLY), b = reopen(other, O_RDONLY), err = a < 0 || b < 0;
	int64_t wrong = err ? -1 : compare(a, false, b, len, &err);
	close_fd(&a);
	close_fd(&b);
	return wrong >= 0 && !err ? OTHER_FILE : MAYBE_SAME;
}

/* True of a file system that has no file of another one. Those without a name are of fs/exfat, fs/ntfs3,
 * fs/bcachefs and of ZFS. */
static bool is_of_its_own(int fd) {
	static const uint32_t plain[] = { EXT4_SUPER_MAGIC, XFS_MAGIC, BTRFS_SUPER_MAGIC, F2FS_SUPER_MAGIC,
		TMPFS_MAGIC, RAMFS_MAGIC, MSDOS_SUPER_MAGIC, 0x2011bab0, 0x7366746e, 0xca451a4e, 0x2fc12fc1 };
	for (int i = 0; i < LENGTH(plain); i++)
		if (is_on(fd, plain[i])) return true;
	return false;
}

/* Overlayfs, FUSE and network file systems may show one file as two inodes, of the same size. Ask the file
 * systems, and then the bytes. */
static enum sameness compare_aliases(int fd, int other, int64_t len) {
	if (is_of_its_own(fd) && is_of_its_own(other)) return OTHER_FILE;
	enum sameness same = try_mark(fd, other);
	if (same == MAYBE_SAME) same = try_mark(other, fd);
	if (same == MAYBE_SAME && !len) return OTHER_FILE; /* with nothing to lose */
	return same == MAYBE_SAME ? compare_bytes(fd, other, len) : same;
}

/* Compare what two descriptors refer to: a file, a pipe or a socket. */
static enum sameness compare_files_of(int fd, int other) {
	struct stat a, b;
	if (fd < 0 || other < 0) return OTHER_FILE;
	if (fstat(fd, &a) || fstat(other, &b)) return MAYBE_SAME; /* unknown is not no */
	if (S_ISCHR(a.st_mode)) return OTHER_FILE;
	if (same_inode(&a, &b)) return SAME_FILE;
	bool alias = S_ISREG(a.st_mode) && S_ISREG(b.st_mode) && a.st_size == b.st_size;
	if (a.st_dev == b.st_dev) alias &= is_on(fd, FUSE_MAGIC); /* hard links may be several inodes there */
	return alias ? compare_aliases(fd, other, a.st_size) : OTHER_FILE;
}

/* True if both descriptors refer to one file, or may. */
static bool is_same(int fd, int other) { return compare_files_of(fd, other) != OTHER_FILE; }

/* Refuse a file that is also another one, or may be. */
static void check_other(const char *label, int fd, int other, const char *what, const char *remedy) {
	enum sameness same = compare_files_of(fd, other);
	if (same == SAME_FILE) die("%s: is %s: %s", label, what, remedy);
	if (same == MAYBE_SAME)
		die("%s: may be %s: it has the same bytes, and no file system tells: remove it first, or use "
		    "another file", label, what);
}

/* True if the descriptor refers to the named file; "-": standard input. */
static bool is_behind(int fd, const char *name) {
	int file = strcmp(name, "-") ? open(name, O_PATH | O_CLOEXEC) : STDIN_FILENO;
	bool same = is_same(fd, file);
	if (file > STDIN_FILENO) close(file);
	return same;
}

/* True if a loop device lies on a file. /sys has the file's name, valid when it was set up, the device its
 * inode (loop(4)). *is_known becomes false if /sys can't be read. */
static bool backs_loop(int fd, bool *is_known) {
	char line[4000];
	struct stat st;
	bool backs = false;
	glob_t paths;
	int err = glob("/sys/block/loop*", 0, NULL, &paths);
	*is_known = (!err || err == GLOB_NOMATCH) && !access("/sys/block", F_OK) && !fstat(fd, &st);
	if (err) return false;
	for (size_t i = 0; i < paths.gl_pathc && !backs && *is_known; i++) {
		struct loop_info64 loop = { 0 };
		const char *path = paths.gl_pathv[i];
		struct words file = fmt("%s/loop/backing_file", path);
		struct words device = fmt("/dev%s", strrchr(path, '/'));
		if (!read_line(file.str, line, sizeof line)) continue; /* not in use */
		int loop_fd = open(device.str, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		bool asked = loop_fd >= 0 && !ioctl(loop_fd, LOOP_GET_STATUS64, &loop);
		close_fd(&loop_fd);
		backs = is_behind(fd, line)
		    || (asked && st.st_dev == loop.lo_device && st.st_ino == loop.lo_inode);
	}
	globfree(&paths);
	return backs;
}

/* Refuse active swap and files behind loop devices. Swap can't be mapped for writing (Linux 5.4;
 * mm/mmap.c). */
static void check_file_use(const char *label, int fd, bool lost) {
	void *map = mmap(NULL, 1, PROT_WRITE, MAP_SHARED, fd, 0);
	bool swap = map == MAP_FAILED && errno == ETXTBSY, known;
	if (map != MAP_FAILED) munmap(map, 1);
	if (swap) die("%s: is active swap: use another file", label);
	if (backs_loop(fd, &known)) die("%s: is what a loop device lies on: use another file", label);
	if (!known && lost)
		die("%s: holds data, and /sys does not say whether a loop device lies on it: empty or remove "
		    "it first, or mount /sys", label);
}

static void check_device(const char *label, const struct stat *st) {
	if (S_ISCHR(st->st_mode) && !is_blind(st) && !is_mem(st, MEM_FULL))
		die("%s: is a character device, which a copy may harm: use a file, /dev/null, zero or full, "
		    "or --into='cat >/dev/...'", label);
}

/* File systems that are kernel interfaces: writing to a file there is a command. Those without a name are
 * of fs/configfs/mount.c, fs/fuse/control.c, fs/nfsd/nfsctl.c, net/sunrpc/rpc_pipe.c, ipc/mqueue.c. */
static const uint32_t interfaces[] = { PROC_SUPER_MAGIC, SYSFS_MAGIC, CGROUP_SUPER_MAGIC,
	CGROUP2_SUPER_MAGIC, DEBUGFS_MAGIC, TRACEFS_MAGIC, SECURITYFS_MAGIC, SELINUX_MAGIC, SMACK_MAGIC,
	EFIVARFS_MAGIC, 0x62656570, BPF_FS_MAGIC, BINFMTFS_MAGIC, 0x65735543, 0x6e667364, 0x67596969,
	RDTGROUP_SUPER_MAGIC, PSTOREFS_MAGIC, NSFS_MAGIC, 0x19800202 };

/* Refuse what a copy or a report would destroy, or send to the kernel or hardware. emptied: what a file
 * holds would be lost. */
static void check_use(const char *label, int fd, bool emptied) {
	struct statfs fs;
	struct stat st;
	bool known = !fstatfs(fd, &fs);
	for (int i = 0; i < LENGTH(interfaces) && known; i++)
		if ((uint32_t)fs.f_type == interfaces[i])
			die("%s: is on a kernel interface like /proc: use another file", label);
	if (fstat(fd, &st)) return;
	if (S_ISBLK(st.st_mode)) die("%s: is a block device: use a file", label);
	if (!isatty(fd)) check_device(label, &st);
	if (S_ISREG(st.st_mode)) check_file_use(label, fd, emptied && st.st_size > 0);
}

/* True if a name leads to the file of a descriptor. */
static bool leads_to(const char *name, int fd) {
	struct stat named, held;
	return !stat(name, &named) && !fstat(fd, &held) && same_inode(&named, &held);
}

/* ---- Endpoints: sources and sinks of a copy; a strategy sees only their descriptors ---------- */

#define LATE_END (20 * MILLISECOND) /* a producer ends within this time after its last byte */
#define NAMES_TRIED 100         /* for a new file if there is no O_TMPFILE */

struct endpoint {
	const struct endpoint_ops *ops; /* NULL: it can't be used */
	const char *label;      /* for messages */
	const struct options *options;
	int user_fd, flags;     /* the user's descriptor, -1: none; its flags at the start */
	struct stat stat;       /* at the start */
	struct location location;
	int dir_fd;             /* of files that runs make: --new's, or a part; -1: none */
	int data_fd;            /* to read the input, or a run's output: the file itself, a spool, a part, or
	                         * --new's file; -1: none */
	int run_fd;             /* this run's: user_fd, data_fd, a pipe, a connection, or a reopened file */
	struct child process;   /* the process at its other side */
	/* Of an input: */
	int64_t len;            /* bytes; -1: endless, or not known */
	uint64_t *sums;         /* of its pieces when first read; NULL: none */
	enum cache cache;
	bool unread;            /* the run did not read all of it */
	enum below below;
	/* Of an output: */
	struct endpoint *input;
	int64_t wrong;          /* first wrong byte, by the process at its other side */
	int attributes;         /* at the start, as of lsattr(1); -1: not known, or no file */
	bool altered;           /* they could not be taken back */
	int sync_err;           /* of syncfs(2), twice: errno */
};

/* To add an end: write its operations, and add them to sources[], sinks[] or, for a state of an output file,
 * file_sinks[]. NULL: nothing to do. */
struct endpoint_ops {
	const char *name;
	enum kind kind;
	mode_t type;              /* S_IFMT of its files; 0: made by an option */
	const char *option_name;  /* that option */
	void (*open)(struct endpoint *); /* at the start: refuse unusable files */
	bool (*prepare)(struct endpoint *, struct copy *); /* untimed: get ready for a run */
	bool (*start)(struct endpoint *, struct copy *); /* timed, before the advice */
	bool (*finish)(struct endpoint *, struct copy *); /* timed: what the clock waits for */
	char *(*describe)(const struct endpoint *, struct location *); /* allocated; names the location */
	const struct endpoint_ops *check; /* replaces an output that can't be compared, for one more copy; a
	                           * device only for commands */
	const char *holds;        /* of a file: which one, and what is in it; NULL: no file */
	const char *asked_by;     /* the option that needs a file for that; NULL: none */
	bool rewrites;            /* a run keeps its blocks: its size says nothing */
	const char *code;         /* calls before the advice, for --explain; "": none */
	const char *process_name; /* its process, for messages */
	const char *stops_when;   /* the clock waits for this; NULL: see --until */
	const char *checked, *unchecked; /* the bytes compared; the same with --no-verify; NULL: none */
	const char *interrupted;  /* left by an interrupted session; NULL: an unfinished copy */
};

static bool is_file(const struct endpoint *e) { return e->ops->kind == KIND_FILE; }

/* True of a file in memory. */
static bool has_memory(const struct endpoint *e) { return is_file(e) && is_in_memory(e->user_fd); }

static bool is_socket(const struct endpoint *e) { return e->ops->kind == KIND_SOCKET; }

/* The command of --from or --into; NULL: another end. */
static const char *command_of(const struct endpoint *e) {
	if (!e->ops->option_name) return NULL;
	return e->input ? e->options->into_end.command : e->options->from_end.command;
}

/* The descriptor to inspect an output after a run. */
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

/* Returns the cached bytes of an output; -1: not known, as if we may not write to it now. */
static int64_t ask_output(const struct endpoint *e, int64_t len) {
	struct words path = fmt("/proc/self/fd/%d", file_of(e));
	return euidaccess(path.str, W_OK) ? -1 : count_resident(file_of(e), 0, len);
}

/* True if the input changed after it was summed, in the piece with the byte. */
static bool has_changed(const struct endpoint *input, int64_t len, int64_t byte) {
	int64_t at = byte / PIECE * PIECE, want = min(len - at, PIECE);
	static unsigned char piece[PIECE];
	if (!input->sums || at >= len || caught) return false;
	memset(piece, POISON, want);
	ssize_t n = full_pread(input->data_fd, piece, want, at);
	return n != want || sum_piece(piece, n) != input->sums[at / PIECE];
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

/* The largest size of a list; 0: none. */
static int64_t largest_size(const struct sizes *all_sizes) {
	return all_sizes->n ? all_sizes->ascending[all_sizes->n - 1] : 0;
}

/* The --size that a copy of len bytes is for: len, or more if the input is shorter; 0: none. */
static int64_t size_asked(const struct options *o, int64_t len) {
	for (int i = 0; i < o->sizes.n; i++)
		if (o->sizes.ascending[i] >= len) return o->sizes.ascending[i];
	return 0;
}

static bool prepare_command(struct endpoint *e, struct copy *c) {
	int fds[2] = { -1, -1 }, null = open("/dev/null", O_RDWR | O_CLOEXEC), err = errno;
	struct command command = { .text = command_of(e), .in_fd = null, .out_fd = null, .waits = !e->input,
	    .len = e->input ? c->len : size_asked(e->options, c->len) };
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

/* True if an input's process ended because its reader stopped. A feeder then exits with EPIPE. A command
 * may exit with any status (by SIGPIPE; curl with 23, Python with 1, Rust with 101): that is believed only
 * if reading stopped first, or if it died of SIGPIPE. */
static bool ended_by_reader(const struct endpoint *e, bool stopped) {
	int status = e->process.status;
	if (!command_of(e)) return WIFEXITED(status) && WEXITSTATUS(status) == EPIPE;
	int number = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) - 128; /* sh: 128 + n */
	return (stopped && status) || number == SIGPIPE;
}

/* True if a copy stopped reading before its input's end: after all bytes that were wanted, by a failure, or
 * as a command, whose producer then goes on until our descriptor is closed, too. */
static bool has_stopped(const struct endpoint *e, const struct copy *c) {
	if (c->failure.err || (c->done == c->len && c->len != e->len)) return true;
	bool command = c->job && c->job->to_start.text && e->process.pid;
	return command && !await_upto(&e->process, LATE_END);
}

/* Fill the file with random bytes and sync it: its blocks are then allocated, and clean. */
static bool poison(struct endpoint *e, struct copy *c) {
	static uint64_t words[CHUNK / sizeof(uint64_t)];
	uint64_t state = (uint64_t)now();
	for (int i = 0; i < LENGTH(words); i++) words[i] = random_number(&state);
	for (int64_t at = 0; at < c->len && !caught;) {
		ssize_t n = RETRY(pwrite(e->user_fd, words, min(c->len - at, CHUNK), at));
		if (n <= 0) return fail(c, n < 0 ? errno : EIO, "pwrite");
		at += n;
	}
	return !RETRY(fdatasync(e->user_fd)) || fail(c, errno, "fdatasync");
}

/* The path of a descriptor, as far as /proc tells. */
static struct words fd_path(int fd) {
	char path[PATH_MAX] = "";
	struct words link = fmt("/proc/self/fd/%d", fd);
	return fmt("%s", readlink(link.str, path, sizeof path - 1) > 0 ? path : link.str);
}

/* Open a file that is removed at once. A closed one is removed first, since FUSE renames an open one. If that
 * is refused, print a message with its name. Returns -1 with errno, and the call. */
static int open_removed(int dir_fd, const char *name, const char **failed_call) {
	const int flags = O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC;
	int fd = openat(dir_fd, name, flags, 0600);
	if (fd < 0) return -1;
	close(fd);
	if (unlinkat(dir_fd, name, 0)) {
		int err = errno;
		*failed_call = "unlink";
		warn("%s/%s: is left there: %s: %s", fd_path(dir_fd).str, name, *failed_call,
		    call_text(*failed_call, err).str);
		errno = err;
		return -1;
	}
	fd = openat(dir_fd, name, flags, 0600);
	if (fd >= 0) unlinkat(dir_fd, name, 0);
	return fd;
}

/* Open an unnamed file in a directory, for reading and writing: it vanishes however we end (O_TMPFILE:
 * Linux 3.11). Without O_TMPFILE it has a name for a moment. Returns -1 with errno, and the call. */
static int open_unnamed(int dir_fd, const char **failed_call) {
	int fd = openat(dir_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
	bool named = fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL);
	*failed_call = "open";
	for (int tries = 0; named && fd < 0 && tries < NAMES_TRIED; tries++) {
		fd = open_removed(dir_fd, fmt(".write-bench.%d.%d", (int)getpid(), tries).str, failed_call);
		named = fd < 0 && errno == EEXIST;
	}
	return fd;
}

static bool resize_file(struct endpoint *e, struct copy *c, int64_t len) {
	return !RETRY(ftruncate(e->user_fd, len)) || fail(c, errno, "ftruncate");
}

/* With --new: create another file for the run. Keep OUTPUT empty, to detect a command that writes to it by
 * name. */
static bool renew_file(struct endpoint *e, struct copy *c) {
	if (e->data_fd != e->user_fd) close_fd(&e->data_fd);
	const char *call;
	e->data_fd = e->run_fd = open_unnamed(e->dir_fd, &call);
	if (e->data_fd < 0) return fail(c, errno, call);
	return resize_file(e, c, 0);
}

/* Sync the output's file system, so that no run pays for freed blocks, the journal or dirty data of the
 * previous one. syncfs(2) may report an old error of any file: retry once. */
static void sync_output(struct endpoint *e) {
	if (!is_in_memory(e->user_fd) && RETRY(syncfs(e->user_fd)) && RETRY(syncfs(e->user_fd)))
		e->sync_err = errno;
}

/* The run's descriptor, at the file's start: --until=close closes it. */
static bool start_at_zero(struct endpoint *e, struct copy *c) {
	if (e->options->until == UNTIL_CLOSE) e->run_fd = reopen(e->run_fd, O_WRONLY);
	if (e->run_fd < 0) return fail(c, errno, "open");
	return rewind_endpoint(e, c);
}

static bool sync_and_rewind(struct endpoint *e, struct copy *c) {
	sync_output(e);
	return start_at_zero(e, c);
}

/* Empty the output, and sync it except for a further copy with --reuse: a program that copies many files
 * does not sync between them. */
static bool prepare_emptied(struct endpoint *e, struct copy *c) {
	if (!resize_file(e, c, 0)) return false;
	if (!c->kit->used) sync_output(e);
	return start_at_zero(e, c);
}

static bool prepare_full(struct endpoint *e, struct copy *c) {
	return resize_file(e, c, 0) && poison(e, c) && sync_and_rewind(e, c);
}

static bool start_full(struct endpoint *e, struct copy *c) {
	return !RETRY(ftruncate(e->run_fd, 0)) || fail(c, errno, "ftruncate");
}

static bool prepare_cached(struct endpoint *e, struct copy *c) {
	return resize_file(e, c, c->len) && poison(e, c) && sync_and_rewind(e, c);
}

static bool prepare_evicted(struct endpoint *e, struct copy *c) {
	bool ready = resize_file(e, c, c->len) && poison(e, c);
	posix_fadvise(e->user_fd, 0, 0, POSIX_FADV_DONTNEED);
	return ready && sync_and_rewind(e, c);
}

static bool prepare_renewed(struct endpoint *e, struct copy *c) {
	return renew_file(e, c) && sync_and_rewind(e, c);
}

/* Do what --until waits for. ext4, XFS and btrfs flush a truncated file when its description is released,
 * NFS and FUSE at close. */
static bool finish_file(struct endpoint *e, struct copy *c) {
	int fd = e->run_fd;
	if (e->options->until == UNTIL_SYNC && RETRY(fdatasync(fd))) return fail(c, errno, "fdatasync");
	if (e->options->until != UNTIL_CLOSE) return true;
	e->run_fd = -1;
	/* EINTR closes it, too: close(2) */
	return !close(fd) || errno == EINTR || fail(c, errno, "close");
}

/* True if an input delivers the same bytes each time. */
static bool is_repeatable(const struct endpoint *e) {
	return e->ops->kind != KIND_DEVICE || is_mem(&e->stat, MEM_ZERO) || is_mem(&e->stat, MEM_FULL);
}

static bool is_comparable(const struct endpoint *e) {
	return !e->options->no_verify && is_repeatable(e->input) && e->input->data_fd >= 0;
}

/* Start the process that compares, or else counts, in place of an output that stores nothing. */
static bool prepare_check(struct endpoint *e, struct copy *c) {
	int fds[2] = { -1, -1 }, family = AF_UNIX;
	socklen_t size = sizeof family;
	pid_t child = -1;
	if (e->user_fd < 0) family = AF_INET; /* --send's */
	else if (is_socket(e) && getsockopt(e->user_fd, SOL_SOCKET, SO_DOMAIN, &family, &size))
		return fail(c, errno, "getsockopt");
	bool ready = is_socket(e) ? connect_pair(c, family, fds) : open_plain_pipe(c, fds);
	bool counts = !is_comparable(e);
	if (ready)
		child = fork_child(&e->process, counts ? fds[0] : e->input->data_fd, fds[0], false, false);
	int err = errno;
	if (child == 0) compare_stream(c->len, counts);
	return attach(e, c, fds, child, err);
}

/* Read the answer that the comparing process wrote to standard error. */
static bool finish_check(struct endpoint *e, struct copy *c) {
	detach(e, true);
	e->wrong = 0;
	bool answered = RETRY(pread(e->process.stderr_fd, &e->wrong, sizeof e->wrong, 0)) == sizeof e->wrong;
	return answered || e->process.status || fail(c, EIO, "read");
}

/* Fails if the other side of the user's pipe or socket is gone. */
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
		sleep_until(now() + LOOK_AGAIN);
	}
	return true;
}

/* Before a run, wait until the reader has received the previous one. */
static bool prepare_stream(struct endpoint *e, struct copy *c) {
	return await_reader(e, c) && check_reader(e, c);
}

/* A command has received all once it has ended. */
static bool finish_command(struct endpoint *e, UNUSED struct copy *c) {
	detach(e, true);
	return true;
}

/* Start a process that receives a new connection, and wait until it is there. Nothing is sent to it before
 * the copy: a small first segment slows down the rest, by a tenth or more (Linux 6.18). */
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

/* The clock waits for the receiver's answer. */
static bool finish_receiver(struct endpoint *e, struct copy *c) {
	int64_t bytes;
	if (shutdown(e->run_fd, SHUT_WR)) return fail(c, errno, "the receiver");
	ssize_t n = RETRY(recv(e->run_fd, &bytes, sizeof bytes, MSG_WAITALL));
	if (n != sizeof bytes) return fail(c, n < 0 ? errno : ECONNRESET, "the receiver");
	if (bytes != c->len) e->wrong = min(bytes, c->len);
	return true;
}

/* The attributes of a file (ioctl_iflags(2)); -1: it has none. SMB may succeed, and give no value. */
static int find_attributes(int fd) {
	int attributes = 0;
	return ioctl(fd, (int)FS_IOC_GETFLAGS, &attributes) ? -1 : attributes;
}

static bool has_other_attributes(const struct endpoint *e) {
	return e->attributes >= 0 && find_attributes(e->user_fd) != e->attributes;
}

/* True if a file is on a btrfs that compresses (btrfs(5): compress, compress-force), or on an overlay of
 * it. */
static bool is_on_compressing(int fd, const char *mount) {
	struct location below = { .fs_name = "" };
	if (!mount) return false;
	if (is_on(fd, BTRFS_SUPER_MAGIC))
		return find_mount_option(mount, "compress") || find_mount_option(mount, "compress-force");
	const char *upper = find_mount_option(mount, "upperdir");
	if (!upper || !is_on(fd, OVERLAYFS_SUPER_MAGIC)) return false;
	char *path = format_text("%.*s", (int)strcspn(upper + 1, ","), upper + 1);
	unescape(path);
	int dir_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd >= 0) find_location(dir_fd, &below, 0);
	bool compresses = dir_fd >= 0 && is_on(dir_fd, BTRFS_SUPER_MAGIC)
	    && is_on_compressing(dir_fd, below.mount);
	close_fd(&dir_fd);
	free(below.mount);
	free(path);
	return compresses;
}

/* True of a file that is compressed when it is written (chattr(1): c, m). */
static bool is_compressed(const struct endpoint *e) {
	bool btrfs = is_file(e) && is_on(e->user_fd, BTRFS_SUPER_MAGIC);
	if (!is_file(e) || (e->attributes >= 0 && e->attributes & (FS_NOCOMP_FL | FS_NOCOW_FL))) return false;
	if (btrfs && e->attributes >= 0 && e->attributes & FS_COMPR_FL) return true;
	return is_on_compressing(e->user_fd, e->location.mount);
}

/* True if btrfs no longer compresses a file: not even zeros that are written to it. Empties it. */
static bool lost_compression(const struct endpoint *e) {
	static const unsigned char zeros[128 * K];
	struct fiemap_extent extent;
	if (!is_compressed(e) || RETRY(ftruncate(e->user_fd, 0))) return false;
	bool written = RETRY(pwrite(e->user_fd, zeros, sizeof zeros, 0)) == sizeof zeros;
	bool known = written && find_extent(e->user_fd, 0, &extent);
	RETRY(ftruncate(e->user_fd, 0));
	return known && !(extent.fe_flags & FIEMAP_EXTENT_ENCODED);
}

/* Prepare an end for a run. A copy may leave attributes, which the next one would meet: btrfs notes that what
 * was written can't be compressed. */
static bool prepare_endpoint(struct endpoint *e, struct copy *c, int *own_fd) {
	if (has_other_attributes(e)) e->altered |= ioctl(e->user_fd, (int)FS_IOC_SETFLAGS, &e->attributes);
	drop_child(&e->process);
	e->run_fd = e->user_fd;
	e->unread = false;
	e->wrong = ALL_RIGHT;
	bool ready = !e->ops->prepare || e->ops->prepare(e, c);
	*own_fd = e->run_fd;
	return ready;
}

/* After a run, leave no process, pipe or connection. Restore the flags: a command may change them, as dd
 * does. */
static void cleanup_endpoint(struct endpoint *e, const struct copy *c) {
	bool input = !e->input, complete = input && c->done == e->len;
	int held = 0;
	if (input && e->ops->kind == KIND_PIPE) e->unread = !ioctl(e->run_fd, FIONREAD, &held) && held > 0;
	bool stopped = input && has_stopped(e, c);
	detach(e, complete);
	if (input && ended_by_reader(e, stopped)) {
		e->unread = true;
		e->process.status = 0;
	}
	if (e->user_fd >= 0) fcntl(e->user_fd, F_SETFL, e->flags);
	if (input && e->ops->kind & DISK) fcntl(e->data_fd, F_SETFL, e->flags);
}

/* The path of an end that is a file. Allocated; NULL: not known. */
static char *find_path(const struct endpoint *e) {
	char path[PATH_MAX] = "";
	struct words link = fmt("/proc/self/fd/%d", e->user_fd);
	bool found = readlink(link.str, path, sizeof path - 1) > 0 && *path == '/';
	return found && leads_to(path, e->user_fd) ? format_text("%s", path) : NULL;
}

/* Open the directory of a file by its path. Returns -1 with errno. */
static int open_directory(const char *path) {
	errno = ENOENT;
	if (!path) return -1;
	char *name = format_text("%.*s", (int)max(strrchr(path, '/') - path, 1), path);
	int fd = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int err = errno;
	free(name);
	errno = err;
	return fd;
}

static void open_file_source(struct endpoint *e) {
	uint64_t bytes = 0;
	bool block = S_ISBLK(e->stat.st_mode);
	if (block && ioctl(e->user_fd, (int)BLKGETSIZE64, &bytes)) die_errno(e->label, errno, "ioctl");
	e->len = block ? (int64_t)bytes : e->stat.st_size;
	int64_t most = largest_size(&e->options->sizes);
	bool to_end = e->len > 0 && (!most || most > e->len || (most == e->len && e->options->with.n));
	char more;
	if (to_end && RETRY(pread(e->user_fd, &more, 1, e->len)) > 0)
		die("%s: has more bytes than its size, %" PRId64 ": use --size, or a file whose size is "
		    "right", e->label, e->len);
	if (!S_ISREG(e->stat.st_mode) || !e->options->sizes.n || !e->options->with.n) return;
	e->location.path = find_path(e);
	e->dir_fd = open_directory(e->location.path);
}

static void open_device_source(struct endpoint *e) { e->len = is_mem(&e->stat, MEM_NULL) ? 0 : -1; }

/* For --new: open the output's directory; refuse it if no file can be made there. */
static void open_directory_for_new(struct endpoint *e) {
	e->dir_fd = open_directory(e->location.path);
	if (e->dir_fd < 0)
		die("%s: --new makes files in its directory, which is not known: mount /proc, or use a file "
		    "that has a name", e->label);
	const char *call;
	int fd = open_unnamed(e->dir_fd, &call);
	if (fd < 0)
		die("%s: --new can't make files in the directory of %s: %s: %s", e->label, e->location.path,
		    call, call_text(call, errno).str);
	if (!same_system(fd, e->user_fd)) /* it is a mount, or its directory is mounted over */
		die("%s: --new makes files in its directory, which is on another file system: use another "
		    "output, or leave out --new", e->label);
	int again = reopen(fd, O_WRONLY); /* by --until=close, direct rows, and commands */
	if (again < 0)
		die("%s: --new makes files without a name, which can't be opened again in the directory of "
		    "%s: open: %s: leave out --new", e->label, e->location.path, errno_name(errno).str);
	close(again);
	close(fd);
}

/* The shell's > only writes, so read an output back through /proc; or by its own descriptor, if that reads.
 * Leaves errno. */
static void open_to_read(struct endpoint *e) {
	e->data_fd = reopen(e->user_fd, O_RDONLY);
	if (e->data_fd < 0 && (e->flags & O_ACCMODE) == O_RDWR) e->data_fd = e->user_fd;
}

/* A remedy for a file that can't be opened through /proc. */
static const char *reopen_remedy(const struct endpoint *e, int err) {
	if (err == ENOENT || err == ENOTDIR) return "mount /proc";
	if (is_on(e->user_fd, FUSE_MAGIC)) return "use --into='cat >FILE'";
	if (err == EACCES || err == EPERM) return "use a file that you may read and write";
	return "use another file";
}

static void open_file(struct endpoint *e) {
	e->location.path = find_path(e);
	e->attributes = find_attributes(e->user_fd);
	open_to_read(e);
	int err = errno;
	if (e->data_fd < 0 && !e->options->no_verify)
		die("%s: can't be read back to verify the copies: open /proc/self/fd/%d: %s (%s): %s, or use "
		    "--no-verify", e->label, e->user_fd, errno_name(err).str, strerror(err),
		    reopen_remedy(e, err));
	int fd = e->options->until == UNTIL_CLOSE ? reopen(e->user_fd, O_WRONLY) : e->user_fd;
	err = errno;
	if (fd < 0)
		die("%s: can't be reopened for --until=close: open /proc/self/fd/%d: %s (%s): %s, or use "
		    "another --until", e->label, e->user_fd, errno_name(err).str, strerror(err),
		    reopen_remedy(e, err));
	if (fd != e->user_fd) close(fd);
}

static void open_renewed(struct endpoint *e) {
	open_file(e);
	open_directory_for_new(e);
}

/* Refuse a socket that is not a connected stream. */
static void check_socket(struct endpoint *e) {
	struct sockaddr_storage peer;
	socklen_t size = sizeof(int), peer_size = sizeof peer;
	int type = 0;
	if (getsockopt(e->user_fd, SOL_SOCKET, SO_TYPE, &type, &size))
		die_errno(e->label, errno, "getsockopt");
	if (type != SOCK_STREAM) die("%s: is a datagram socket: use a stream socket", e->label);
	if (getpeername(e->user_fd, (struct sockaddr *)&peer, &peer_size))
		die("%s: is a socket that is not connected: getpeername: %s (%s): connect it first", e->label,
		    errno_fact(errno)->name, strerror(errno));
}

/* Lead messages to the terminal, if there is one, since a file that they would go to must stay as it is. */
static void divert_stderr(void) {
	int other = open("/dev/tty", O_WRONLY | O_NOCTTY | O_CLOEXEC);
	if (other < 0) other = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (other < 0 || dup2(other, STDERR_FILENO) < 0) exit(EXIT_REFUSED);
	close_fd(&other);
}

/* Refuse a standard error that is also another file of ours. */
__attribute__((noreturn)) static void die_diverted(enum sameness same, const char *what) {
	divert_stderr();
	die("standard error: %s also %s: use 2>FILE, or no 2>&1", same == MAYBE_SAME ? "may be" : "is", what);
}

/* The directory of spools. Borrowed. */
static const char *spool_directory(void) {
	const char *name = getenv("TMPDIR");
	return name && *name ? name : "/tmp";
}

static char *describe_file(const struct endpoint *e, struct location *loc) {
	unsigned device = S_ISCHR(e->stat.st_mode);
	if (e->ops->kind == KIND_BLOCK) find_device(e->stat.st_rdev, loc, 8);
	else if (is_mem(&e->stat, MEM_NULL)) add_name(loc, "/dev/null");
	else if (is_mem(&e->stat, MEM_ZERO)) add_name(loc, "/dev/zero");
	else if (device) add_name(loc, "device %u:%u", major(e->stat.st_rdev), minor(e->stat.st_rdev));
	else find_location(e->user_fd, loc, 8);
	const char *name = *loc->fs_name ? loc->fs_name : "an unknown file system";
	if (!loc->medium) return format_text("%s on %s", e->ops->name, name);
	return format_text("%s on %s, %s%s", e->ops->name, name, loc->virtual ? "virtual " : "", loc->medium);
}

static char *describe_pipe(const struct endpoint *e, struct location *loc) {
	add_name(loc, "%s", e->ops->name);
	if (e->input) return format_text("%s", e->ops->name);
	return format_text("%s, read ahead into %s, and fed to each run through a pipe", e->ops->name,
	    spool_directory());
}

static char *describe_command(const struct endpoint *e, struct location *loc) {
	const char *command = command_of(e);
	add_name(loc, strlen(command) > 30 ? "command %.27s..." : "command %s", command);
	return format_text("command: %s", command);
}

static char *describe_socket(const struct endpoint *e, struct location *loc) {
	struct sockaddr_storage peer = { .ss_family = AF_UNSPEC };
	socklen_t size = sizeof peer;
	getpeername(e->user_fd, (struct sockaddr *)&peer, &size);
	add_name(loc, "socket %s", peer.ss_family == AF_UNIX ? "(UNIX)" : address_text(&peer, size).str);
	return format_text("%s", loc->fs_name);
}

static char *describe_receiver(UNUSED const struct endpoint *e, struct location *loc) {
	add_name(loc, "TCP to loopback");
	return format_text("TCP connection on loopback, to a receiver of its own");
}

/* Describe an end once, for the reports of all sizes. */
static void describe_endpoint(struct endpoint *e) {
	e->location.words = e->ops->describe(e, &e->location);
	if (!*e->location.fs_name) add_name(&e->location, "unknown file system");
}

#define FEEDER .prepare = prepare_feeder, .describe = describe_pipe, \
	.process_name = "the process that feeds the pipe"
#define ONCE .unchecked = "only the number of bytes of a command, in one more run", .checked = \
	"all bytes once a row, in one more run, whose output a process of this program's reads and compares"
#define STREAM .prepare = prepare_stream, .finish = await_reader, ONCE
#define CHECK .prepare = prepare_check, .finish = finish_check, .process_name = "the process that compares"

/* Inputs and (below) outputs; types and options without an entry here are refused at the start. */
static const struct endpoint_ops sources[] = {
	{ "file", KIND_FILE, S_IFREG, .open = open_file_source, .prepare = prepare_file_source,
	  .describe = describe_file },
	{ "block device", KIND_BLOCK, S_IFBLK, .open = open_file_source, .prepare = prepare_file_source,
	  .describe = describe_file },
	{ "character device", KIND_DEVICE, S_IFCHR, .open = open_device_source, .describe = describe_file },
	{ "pipe", KIND_PIPE, S_IFIFO, FEEDER },
	{ "socket", KIND_PIPE, S_IFSOCK, .open = check_socket, FEEDER },
	{ "command", KIND_PIPE, .option_name = "from", .prepare = prepare_command,
	    .describe = describe_command },
};
static const struct endpoint_ops check_pipe = { "pipe", KIND_PIPE, CHECK };
static const struct endpoint_ops check_stream = { "socket", KIND_SOCKET, CHECK };
#define FILE_SINK .name = "file", .kind = KIND_FILE, .type = S_IFREG, .finish = finish_file, \
	.describe = describe_file
#define RESIZED FILE_SINK, .checked = "the size of each copy, and all bytes once a row", \
	.unchecked = "the size of each copy only"
#define REWRITTEN FILE_SINK, .rewrites = true, .code = "", \
	.checked = "all bytes of each copy", \
	.unchecked = "nothing, since the size says nothing with --overwrite"
/* Outputs that are files: emptied, or as --replace, --overwrite and --new ask. */
static const struct endpoint_ops file_sinks[] = {
	[EMPTIED] = { RESIZED, .open = open_file, .prepare = prepare_emptied, .code = "",
	  .holds = "emptied before each run" },
	[REPLACED] = { RESIZED, .open = open_file, .prepare = prepare_full, .start = start_full,
	  .asked_by = "replace", .code = "ftruncate(OUT, 0)",
	  .holds = "onto a full file, emptied inside the clock" },
	[OVER_EVICTED] = { REWRITTEN, .open = open_file, .prepare = prepare_evicted,
	  .asked_by = "overwrite", .holds = "over its old blocks, evicted from the page cache" },
	[OVER_CACHED] = { REWRITTEN, .open = open_file, .prepare = prepare_cached,
	  .asked_by = "overwrite", .holds = "over its old blocks, in the page cache" },
	[RENEWED] = { RESIZED, .open = open_renewed, .prepare = prepare_renewed, .asked_by = "new",
	  .holds = "into a new file each run",
	  .code = "OUT = open(its directory, O_TMPFILE | O_RDWR), not timed" },
};
static const struct endpoint_ops sinks[] = {
	{ "character device", KIND_DEVICE, S_IFCHR, .describe = describe_file, .check = &check_pipe },
	{ "pipe", KIND_PIPE, S_IFIFO, .describe = describe_pipe, STREAM, .check = &check_pipe,
	  .interrupted = "the last copy in the pipe may not be whole",
	    .stops_when = "the pipe's reader had emptied it" },
	{ "socket", KIND_SOCKET, S_IFSOCK, .open = check_socket, .describe = describe_socket, STREAM,
	  .check = &check_stream, .interrupted = "the last copy in the socket may not be whole",
	  .stops_when = "the socket's other side had all" },
	{ "command", KIND_PIPE, .option_name = "into", .prepare = prepare_command, .finish = finish_command,
	  .describe = describe_command, ONCE, .check = &check_pipe,
	    .interrupted = "the command was terminated",
	  .stops_when = "the command had ended" },
	{ "TCP connection", KIND_SOCKET, .option_name = "send", .prepare = prepare_receiver,
	    .finish = finish_receiver,
	  .describe = describe_receiver, .check = &check_stream, .process_name = "the receiver",
	  .interrupted = "the last stream was not answered",
	    .stops_when = "the receiver had said how many bytes it has",
	  .checked = "the number of bytes of each copy, by the receiver, and all bytes once a row, in one "
	  "more run, whose output a process of this program's reads and compares",
	  .unchecked = "the number of bytes of each copy only, by the receiver" },
};

/* The operations for a type of file, or for an option; NULL: unusable. fill: of an output that is a file. */
static const struct endpoint_ops *find_ops(bool is_sink, mode_t type, const char *option_name,
    int fill) {
	const struct endpoint_ops *all = is_sink ? sinks : sources;
	if (is_sink && !option_name && type == S_IFREG) return &file_sinks[fill];
	int n = is_sink ? LENGTH(sinks) : LENGTH(sources);
	for (const struct endpoint_ops *ops = all; ops < all + n; ops++) {
		if (option_name && ops->option_name && !strcmp(option_name, ops->option_name)) return ops;
		if (!option_name && !ops->option_name && ops->type == type) return ops;
	}
	return NULL;
}

static const char *type_name(mode_t type) {
	if (S_ISDIR(type)) return "a directory";
	return S_ISBLK(type) ? "a block device" : "of an unknown type";
}

static void check_endpoint(struct endpoint *e, int unwanted_mode) {
	if (fstat(e->user_fd, &e->stat)) die_errno(e->label, errno, "fstat");
	e->flags = fcntl(e->user_fd, F_GETFL);
	if (e->flags < 0) die_errno(e->label, errno, "fcntl F_GETFL");
	if (!e->ops)
		die("%s: is %s: redirect a file: " PROGRAM " <INPUT >OUTPUT", e->label,
		    type_name(e->stat.st_mode));
	bool stream = S_ISFIFO(e->stat.st_mode) || S_ISSOCK(e->stat.st_mode);
	const char *cat = unwanted_mode == O_RDONLY ? "append \"| cat\"" : "put \"cat |\" before";
	if (stream && e->flags & O_NONBLOCK)
		die("%s: is a %s that does not block (O_NONBLOCK): open it without that, or %s", e->label,
		    e->ops->name, cat);
	if (isatty(e->user_fd))
		die("%s: is a terminal: redirect it: " PROGRAM " <INPUT >OUTPUT (see --help)", e->label);
	const char *mode = unwanted_mode == O_WRONLY ? "writing" : "reading";
	if (e->flags & O_PATH) mode = "fstat";
	if ((e->flags & O_ACCMODE) == unwanted_mode || e->flags & O_PATH)
		die("%s: is open for %s only: redirect it: " PROGRAM " <INPUT >OUTPUT", e->label, mode);
}

static void open_source(struct endpoint *e) {
	if (!e->ops || !e->ops->option_name) check_endpoint(e, O_WRONLY);
	if (e->options->setting.cold && !(e->ops->kind & DISK))
		die("%s: is a %s, which has no page cache to drop: leave out --cold", e->label, e->ops->name);
	e->data_fd = e->user_fd;
	if (e->ops->open) e->ops->open(e);
	if (e->ops->kind == KIND_PIPE) return; /* its size is known once it is read */
	if (e->len == 0 && is_same(e->user_fd, STDOUT_FILENO))
		die("%s: input and output are the same file, which the shell has already truncated: use "
		    "another output", e->label);
	if (e->len == 0) die("%s: is empty, or of unknown size: give it bytes to copy", e->label);
	if (e->len < 0 && !e->options->sizes.n)
		die("%s: has no end: use --size=SIZE to copy a part of it", e->label);
}

/* Refuse an output with data that may be wanted: each run truncates it. */
static void check_precious(const struct endpoint *e) {
	check_use(e->label, e->user_fd, true);
	if (e->flags & O_APPEND)
		die("%s: is open for append, but each run truncates it: redirect with > instead of >>",
		    e->label);
	if (is_file(e) && lseek(e->user_fd, 0, SEEK_CUR) > 0)
		die("%s: has been written to before (its offset is not 0), which a copy would overwrite: "
		    "redirect to another file", e->label);
}

static void open_sink(struct endpoint *e, struct endpoint *input) {
	e->input = input;
	if (!e->ops || !e->ops->option_name) {
		check_endpoint(e, O_RDONLY);
		check_precious(e);
	}
	struct words remedy = fmt("copy to another %s", e->ops->name);
	if (!is_socket(e)) check_other(e->label, e->user_fd, input->user_fd, "the input", remedy.str);
	if (e->ops->open) e->ops->open(e);
}

/* Open the second output, without touching its contents. A new one stays, empty, as with tee(1). */
static void open_second(struct endpoint *e, const struct endpoint *first_out, struct endpoint *input) {
	struct stat st;
	if (!stat(e->options->tee, &st)) {
		if (!find_ops(true, st.st_mode & S_IFMT, NULL, e->options->fill))
			die("%s: is %s: name a file", e->label, type_name(st.st_mode));
		check_device(e->label, &st); /* do not even open it */
	}
	e->user_fd = e->run_fd = open_or_make(e->options->tee);
	if (e->user_fd < 0 || fstat(e->user_fd, &e->stat)) die_errno(e->label, errno, "open");
	if (is_same(STDERR_FILENO, e->user_fd)) die_diverted(SAME_FILE, e->label);
	e->ops = find_ops(true, e->stat.st_mode & S_IFMT, NULL, e->options->fill);
	open_sink(e, input);
	check_other(e->label, e->user_fd, first_out->user_fd, fmt("%s, too", first_out->label).str,
	    "name another file");
}

/* ---- Rows: their names, the ends that they fit, and the choice of them ----------------------- */

#define BIG_PIPES " (pipe 1m)" /* PIPE_LARGE: suffix of a row with pipes of that size */
#define NAMES_SHOWN 3      /* in a sentence */
#define LIST_WIDTH 37      /* characters of a name in a list with lines of 80; longer ones shift the rest */
#define BS_UNKNOWN 4096    /* for file systems that report no block size */
#define BS_LEAST 512       /* some report 1 byte, */
#define BS_MOST M          /* and some 128 MiB */
#define BY_NAME_MOST (16 * M) /* bytes that a BY_NAME row may copy: a quarter of a minute */

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

static char *row_name(const struct strategy *strategy, const struct advice *advice, bool big_pipes) {
	const char *plus = *advice->name ? " + " : "";
	return format_line("%s%s%s%s", strategy->name, plus, advice->name, big_pipes ? BIG_PIPES : "");
}

/* The ends that rows must fit, as far as known. */
struct ends {
	unsigned in_kinds, out_kinds[2]; /* kinds */
	bool single, two;    /* possible numbers of outputs */
	bool has_holes, cold; /* the input has holes; it is evicted before each run */
};

/* True if the strategy can take the advice at all. */
static bool takes(const struct strategy *strategy, const struct advice *advice) {
	return !(strategy->method->flags & MAPPED) || advice->output_step->flags & GIVES_LENGTH;
}

/* True if the strategy can be tried with an advice that it takes between these ends. */
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

/* True if a name is in the list literally, without wildcards. */
static bool is_named(const struct list *globs, const char *name) {
	for (int i = 0; i < globs->n; i++)
		if (!strcmp(globs->item[i], name)) return true;
	return false;
}

static bool matches(const struct list *globs, const char *name) {
	bool found = false;
	for (int i = 0; i < globs->n; i++)
		if (!fnmatch(globs->item[i], name, 0)) found = globs->matched[i] = true;
	return found;
}

/* True if the row is run without --select. At pipes and sockets, and into two outputs, only without
 * advice, if possible. */
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

/* Offer all rows that there are: each strategy with each advice that it takes; also with large pipes. */
static void offer_rows(struct report *rep, bool big_pipes) {
	for (int i = 0; i < LENGTH(strategies) * LENGTH(advices); i++) {
		const struct strategy *strategy = &strategies[i / LENGTH(advices)];
		const struct advice *advice = &advices[i % LENGTH(advices)];
		if (!takes(strategy, advice)) continue;
		for (int k = 0; k < (big_pipes ? 2 : 1); k++)
			rep->rows[rep->nrows++] = (struct row){ .name = row_name(strategy, advice, k),
			    .strategy = strategy, .advice = advice, .big_pipes = k };
	}
}

/* "file, block device or pipe": kinds of end. */
static struct words kinds_text(unsigned kinds) {
	static const struct {
		enum kind kind;
		const char *name;
	} names[] = {
		{ KIND_FILE, "file" }, { KIND_BLOCK, "block device" }, { KIND_DEVICE, "character device" },
		{ KIND_PIPE, "pipe" }, { KIND_SOCKET, "socket" },
	};
	struct words text = fmt("%s", "");
	int n = 0, last = 0;
	for (int i = 0; i < LENGTH(names); i++)
		if (kinds & names[i].kind) last = i;
	for (int i = 0; i <= last; i++) {
		if (!(kinds & names[i].kind)) continue;
		const char *before = n++ ? ", " : "";
		if (i == last && n > 1) before = " or ";
		text = fmt("%s%s%s", text.str, before, names[i].name);
	}
	return text;
}

/* Refuse a pattern, by a row that it matches and that does not run between these ends. */
__attribute__((noreturn)) static void die_unfit(const char *option_name, const char *glob,
    const struct row *row,
    const struct ends *ends) {
	bool two = row->strategy->when & TWO, cold = row->advice->input_step->flags & COLD_ONLY;
	struct words in = kinds_text(row->strategy->method->in_kinds & row->advice->input_step->kinds);
	struct words out = kinds_text(row->strategy->method->sink_kinds & row->advice->output_step->kinds);
	struct words why = fmt("copies from a %s to a %s", in.str, out.str);
	if (row->big_pipes) why = fmt("needs a pipe at an end");
	else if (fits(row->strategy, row->advice, ends)) why = fmt("needs its full name, or --all");
	else if (two && !ends->two) why = fmt("writes to two outputs: add --tee=FILE");
	else if (!two && !ends->single) why = fmt("writes to one output: leave out --tee");
	else if (cold && !ends->cold) why = fmt("is for --cold");
	die("--%s=%s: %s does not run here: it %s", option_name, glob, row->name, why.str);
}

/* Refuse a pattern that matches no row. ends: of rows that might have run; NULL: none. */
__attribute__((noreturn)) static void die_unmatched(const char *option_name, const char *glob,
    const struct ends *ends, const char *where) {
	struct report all = { .nrows = 0 };
	all.rows = allocate(2 * LENGTH(strategies) * LENGTH(advices), sizeof *all.rows);
	if (ends) offer_rows(&all, true);
	for (struct row *row = all.rows; row < all.rows + all.nrows; row++)
		if (!fnmatch(glob, row->name, 0)) die_unfit(option_name, glob, row, ends);
	die("--%s=%s: matches no row%s", option_name, glob, where);
}

/* Refuse patterns that match no row. */
static void check_used(const struct list *globs, const char *option_name, const struct ends *ends,
    const char *where) {
	for (int i = 0; i < globs->n; i++)
		if (!globs->matched[i]) die_unmatched(option_name, globs->item[i], ends, where);
}

/* True if an offered row fits the ends, and is run by default, with --all, or since it is named. */
static bool is_wanted(const struct row *row, const struct options *o, const struct ends *ends) {
	bool named = is_named(&o->select, row->name);
	if (!fits(row->strategy, row->advice, ends)) return false;
	if (named || o->mode == EXPLAIN) return named || !row->big_pipes;
	if (row->strategy->when & BY_NAME && (o->mode != LIST || o->select.n)) return false;
	return o->all || is_default(row->strategy, row->advice, ends);
}

/* Keep the rows that are wanted, selected and not excluded. Patterns count as used even if they exclude a row
 * that is not wanted. */
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

/* Add the rows of --with. They are selected in any case, and excluded by patterns with a $ alone: not by
 * -x '*'. */
static void add_commands(struct report *rep, const struct options *o) {
	for (int i = 0; i < o->with.n; i++) {
		char *name = format_line("$ %s", o->with.item[i]);
		bool excluded = false;
		matches(&o->select, name);
		for (int k = 0; k < o->exclude.n; k++)
			if (*o->exclude.item[k] == '$' && !fnmatch(o->exclude.item[k], name, 0))
				excluded = o->exclude.matched[k] = true;
		if (!excluded)
			rep->rows[rep->nrows++] = (struct row){ .name = name, .strategy = &command_strategy,
			    .advice = advices, .command = o->with.item[i] };
		else free(name);
	}
}

static void choose_rows(struct report *rep, const struct options *o, const struct ends *ends) {
	static const char remedy[] = ": " PROGRAM " --list --all names them";
	bool piped = ends->in_kinds == KIND_PIPE || ends->out_kinds[0] == KIND_PIPE
	    || (ends->two && ends->out_kinds[1] == KIND_PIPE);
	rep->rows = allocate(2 * LENGTH(strategies) * LENGTH(advices) + o->with.n, sizeof *rep->rows);
	offer_rows(rep, piped || o->mode == EXPLAIN);
	filter_rows(rep, o, ends);
	add_commands(rep, o);
	check_used(&o->select, o->mode == EXPLAIN ? "explain" : "select", ends, remedy);
	check_used(&o->exclude, "exclude", ends, remedy);
	if (!rep->nrows) die("no row is left: widen --select, narrow --exclude, or redirect to a file");
	qsort(rep->rows, rep->nrows, sizeof *rep->rows, compare_table_order);
}

enum code { ALL_LINES, SETUP_LINES, OTHER_LINES }; /* SETUP_LINES: done once with --reuse */

/* Print pseudo-code of a row: N becomes its bytes, OUT the output or each of two. */
static void print_code_of(FILE *f, const char *code, const struct row *row, enum code part) {
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
	const struct strategy *strategy = row->strategy;
	struct words bytes = fmt("LENGTH");
	if (strategy->block > 0) bytes = fmt("%" PRId64, strategy->block);
	if (strategy->block < 0) bytes = fmt("%" PRId64 " * bs", -strategy->block);
	for (const char *end; *code; code = end + (*end == '\n')) {
		bool once = *code == '*', advised = *code == '+';
		end = code + strcspn(code, "\n");
		if ((once && part == OTHER_LINES) || (!once && part == SETUP_LINES)) continue;
		if (advised && !(row->advice->input_step->flags & MAPS_TOO)) continue;
		for (code += once || advised; code < end;) {
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

/* Print the calls for a developer in this order: advice, set-up, copy. */
static void print_code(FILE *f, const struct report *rep, const struct row *row) {
	bool reuse = rep->options->setting.reuse;
	if (reuse) print_code_of(f, row->strategy->method->code, row, SETUP_LINES);
	if (reuse) fputs("for each file:\n", f);
	if (row->big_pipes) fputs("the pipe at an end: fcntl(end, F_SETPIPE_SZ, 1048576)\n", f);
	print_code_of(f, file_sinks[rep->options->fill].code, row, ALL_LINES);
	print_code_of(f, row->advice->input_step->code, row, ALL_LINES);
	print_code_of(f, row->advice->output_step->code, row, ALL_LINES);
	print_code_of(f, row->strategy->method->code, row, reuse ? OTHER_LINES : ALL_LINES);
}

static const char *or_dash(const char *text) { return text ? text : "-"; }

static void print_list(FILE *f, const struct report *rep) {
	int width = 0;
	for (int i = 0; i < rep->nrows; i++) width = (int)max(width, strlen(rep->rows[i].name));
	width = (int)min(width, LIST_WIDTH);
	for (int i = 0; i < rep->nrows; i++) {
		const struct strategy *strategy = rep->rows[i].strategy;
		int used = fprintf(f, "%-*s  %s", width, rep->rows[i].name, strategy->method->calls);
		used += fprintf(f, "%*s %s", (int)max(width + 18 - used, 0), "",
		    or_dash(strategy->method->since));
		fprintf(f, "%*s %s\n", (int)max(width + 25 - used, 0), "", or_dash(strategy->used_by));
	}
}

/* Print what a program needs to know of a call: what it returns, how it fails, and its names. */
static void print_interface(FILE *f, const char *call, const struct interface *interface) {
	struct text text;
	FILE *words = begin_text(&text);
	const char *const names[][2] = { { "Python", interface->python }, { "Go", interface->go },
		{ "Rust", interface->rust } };
	const char *ending = strpbrk(call, ",/") ? "" : "s"; /* of a verb in the third person */
	int n = 0;
	fprintf(words, "%s: return%s %s. Fail%s with %s", call, ending, interface->returns, ending,
	    interface->fails);
	if (interface->instead) fprintf(words, "; then %s", interface->instead);
	fputs(". ", words);
	for (int i = 0; i < LENGTH(names); i++)
		if (names[i][1]) fprintf(words, "%s%s: %s", n++ ? ". " : "", names[i][0], names[i][1]);
	fputs(n ? "." : "In no standard library of Python, Go or Rust.", words);
	print_wrapped(f, finish_text(&text), TEXT_WIDTH, fprintf(f, "    "), 6);
	free(text.chars);
}

/* Print a row of --explain. */
static void explain_row(FILE *f, const struct report *rep, const struct row *row) {
	const struct strategy *strategy = row->strategy;
	const struct step *const steps[] = { row->advice->input_step, row->advice->output_step };
	struct text code;
	print_code(begin_text(&code), rep, row);
	fprintf(f, "%s\n", row->name);
	for (char *rest = finish_text(&code), *line; (line = strsep(&rest, "\n")) && *line;)
		fprintf(f, "    %s\n", line);
	free(code.chars);
	const char *bs = "";
	if (strategy->block < 0) bs = "bs: a block of the output's file system (fstatfs), 512 to 1m. ";
	struct words since = fmt("Any Linux"), real = fmt("%s", "");
	if (strategy->method->since) since = fmt("Since Linux %s", strategy->method->since);
	if (strategy->used_by) real = fmt("; copies so: %s", strategy->used_by);
	char *words = format_text("%s%s%s; %s.", bs, since.str, real.str, strategy->method->about);
	print_wrapped(f, words, TEXT_WIDTH, fprintf(f, "    "), 4);
	free(words);
	for (int i = 0; i < LENGTH(steps); i++)
		if (steps[i]->interface) print_interface(f, steps[i]->call, steps[i]->interface);
	print_interface(f, strategy->method->calls, strategy->method->interface);
}

/* Print the rows of --explain, with a blank line between them. */
static void explain_rows(FILE *f, const struct report *rep) {
	for (const struct row *row = rep->rows; row < rep->rows + rep->nrows; row++) {
		fputs(row > rep->rows ? "\n" : "", f);
		explain_row(f, rep, row);
	}
}

/* ---- Runs and verdicts: one copy by a row, and what it was ----------------------------------- */

#define HOLES_MAX 10000         /* holes counted per file */

/* The ends, and the measurements between them. */
struct session {
	struct options opt;
	struct report *reports;       /* measured here, one for each size; or read from files */
	int nreports;                 /* sizes */
	struct report *report;        /* of the size that is measured */
	struct endpoint source, sinks[2], null; /* null: /dev/null, for the reference rows */
	int nout;                     /* number of outputs */
	int64_t bs;                   /* bytes in a block of the output's file system */
	int cpus;                     /* usable ones */
	double quota;                 /* CPUs that a cgroup grants; 0: no limit */
	int64_t started;              /* clock at the first run, nanoseconds */
	uint64_t random;              /* state of the shuffle */
	int64_t reset_ns;             /* to prepare the ends, before the previous run, nanoseconds */
	int report_fds[REPORT_FILES_MAX + 1]; /* descriptors that the reports are written to */
	const char *replaced_by;      /* the command that replaced an output by another file; NULL: none */
	const char *altered_by;       /* the row after which an output had other attributes; NULL: none */
	const char *uncompressed_by;  /* the one after which it is not compressed any more; NULL: none */
	const struct row *full_row;   /* the row that found no room in an output; NULL: none */
	bool finished;                /* no more runs: the input changed, or an output is full */
	bool changed;                 /* the input is not what it was before the first run */
};

static struct ends all_ends(const struct session *s) {
	unsigned second = s->nout > 1 ? s->sinks[1].ops->kind : KIND_ANY;
	return (struct ends){ s->source.ops->kind, { s->sinks[0].ops->kind, second }, s->nout == 1,
	    s->nout == 2,
	    .has_holes = s->report->seen.holes > 0, .cold = s->opt.setting.cold };
}

/* True if the input has more bytes than are copied, as far as known. */
static bool has_more(const struct session *s) {
	return s->source.len < 0 || s->report->len < s->source.len;
}

/* True if all rows copy from a part instead of the input: see take_part(). */
static bool has_part(const struct session *s) {
	return s->source.ops->kind & DISK && s->source.data_fd != s->source.user_fd;
}

/* True if the predicate holds for one of the outputs. */
static bool any_output(const struct session *s, bool (*has)(const struct endpoint *)) {
	for (int i = 0; i < s->nout; i++)
		if (has(&s->sinks[i])) return true;
	return false;
}

static bool has_file(const struct session *s) { return any_output(s, is_file); }

/* To add a counter: raise COUNTERS; add it here, as in perf_event_open(2), to columns[] and
 * unknown_run. */
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
static void open_counters(struct session *s, bool wanted, int fds[COUNTERS]) {
	for (int i = 0; i < COUNTERS; i++) {
		struct perf_event_attr attr = { .size = sizeof attr, .type = counters[i].perf_type,
		    .disabled = 1, .inherit = 1, .config = counters[i].config,
		    .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING };
		fds[i] = -1;
		if (!wanted) continue;
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
	struct setting setting;
	struct copy own_copy;
	struct kit own_kit;
	struct job own_job;
};

/* Set up a copy by a row; its ends are not prepared yet. */
static void begin_attempt(const struct session *s, struct setting setting, const struct row *row,
    struct attempt *attempt) {
	/* a pipe delivers just these bytes */
	bool fed = s->source.ops->kind == KIND_PIPE && !command_of(&s->source);
	int64_t block = row->strategy->block;
	*attempt = (struct attempt){ .setting = setting, .own_kit = empty_kit, .own_job.process = no_child };
	attempt->own_job.to_start = (struct command){ .text = row->command, .len = s->report->len,
	    .limited = s->source.len < 0 };
	attempt->own_copy = (struct copy){ .in = -1, .out = { -1, -1 }, .nout = row->nout,
	    .len = s->report->len,
	    .to_eof = fed || has_part(s) || !has_more(s), .into_socket = row->nout && is_socket(row->into[0]),
	    .map_advice = row->advice->input_step->flags & MAPS_TOO, .block = block < 0 ? -block * s->bs
	    : block,
	    .cpus = s->cpus, .failure.nth = -1, .kit = &attempt->own_kit, .job = &attempt->own_job };
}

/* Load all of the input into the page cache, or evict it. */
static void prepare_input(struct session *s, bool cold) {
	int64_t len = s->report->len;
	int fd = s->source.data_fd;
	if (cold) s->source.below = evict_all(fd, device_of(s->source.user_fd, &s->source.stat), LOOPS_MOST);
	if (cold || s->source.cache != CACHE_KNOWN) return;
	if ((double)count_resident(fd, 0, len) >= RESIDENT * (double)len) return;
	read_through(fd, len, NULL, NULL);
	s->report->seen.fetched++;
}

/* Prepare a row's ends for a copy. */
static bool prepare_ends(struct session *s, const struct row *row, struct attempt *attempt) {
	struct copy *c = &attempt->own_copy;
	if (row->input == &s->source) prepare_input(s, attempt->setting.cold);
	bool ready = prepare_endpoint(row->input, c, &c->in);
	/* the first output last: its process may wait for bytes */
	for (int i = row->nout - 1; i >= 0 && ready; i--)
		ready = prepare_endpoint(row->into[i], c, &c->out[i]);
	return ready;
}

/* Size the pipes at the row's ends. */
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

/* Start the ends, and run the advice, the copy and the ends' finish. */
static bool copy_and_finish(const struct row *row, struct copy *c) {
	bool ok = true;
	start_child(&row->input->process, true);
	for (int i = 0; i < row->nout && ok; i++) {
		if (row->into[i]->ops->start) ok = row->into[i]->ops->start(row->into[i], c);
		if (!ok) c->failure.nth = i;
	}
	ok = ok && advise(c, row->advice) && row->strategy->method->copy(c);
	for (int i = 0; i < row->nout && ok; i++) {
		if (row->into[i]->ops->finish) ok = row->into[i]->ops->finish(row->into[i], c);
		if (!ok) c->failure.nth = i;
	}
	return ok;
}

/* True if an end is the user's pipe or socket, with another process behind it. */
static bool is_stream(const struct endpoint *e) {
	return e->ops->type == S_IFIFO || e->ops->type == S_IFSOCK;
}

/* True if nothing of the copy competed with its thread: no other thread, kernel worker, or process. */
static bool is_alone(const struct row *row, const struct attempt *attempt) {
	bool alone = !attempt->own_kit.pool && !attempt->own_kit.uring && !row->input->process.pid;
	for (int i = 0; i < row->nout; i++)
		alone = alone && !row->into[i]->process.pid && !is_stream(row->into[i]);
	return alone;
}

/* Time the advice, set-up, the copy and the ends' finish. */
static void time_copy(struct session *s, const struct row *row, struct attempt *attempt, struct run *run) {
	int fds[COUNTERS];
	open_counters(s, attempt->setting.counters, fds);
	bool alone = !row->command && is_alone(row, attempt);
	int64_t ran, delay = read_delay("self", &ran);
	prctl(PR_TASK_PERF_EVENTS_ENABLE);
	int64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID), start = now();
	copy_and_finish(row, &attempt->own_copy);
	run->ns = max(1, now() - start); /* a coarse clock may not have advanced */
	run->cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu + attempt->own_job.process.cpu_ns;
	prctl(PR_TASK_PERF_EVENTS_DISABLE);
	int64_t delay_then = read_delay("self", &ran);
	if (alone && is_alone(row, attempt) && delay >= 0 && delay_then >= 0) {
		s->report->seen.watched_ns += run->ns;
		s->report->seen.delayed_ns += min(delay_then - delay, run->ns);
	}
	read_counters(fds, run);
}

/* Copy once, untimed, and keep the reusable resources. Returns false after a failure, which is the
 * row's. */
static bool copy_before(const struct row *row, struct copy *c) {
	bool ok = copy_and_finish(row, c) && c->done == c->len && !caught;
	release_files(c->kit);
	if (!ok) return false;
	cleanup_ends(row, c);
	c->done = 0;
	c->cloned = false;
	return true;
}

/* The name of an end's descriptor in this run, for a command: a file's path if that leads to it, or else in
 * /proc; of others the standard stream. Allocated; NULL after a failure. */
static char *name_endpoint(const struct endpoint *e, int fd, const char *std_name, struct copy *c) {
	char path[PATH_MAX] = "";
	if (!is_file(e) && !is_socket(e) && std_name) return format_text("%s", std_name);
	if (is_socket(e)) return fail_null(c, ENXIO, "open");
	struct words proc = own_proc(), link = fmt("%s/fd/%d", proc.str, fd);
	if (!*proc.str) refuse(c, "needs /proc");
	if (!*proc.str) return NULL;
	bool named = readlink(link.str, path, sizeof path - 1) > 0 && *path == '/' && leads_to(path, fd);
	return format_text("%s", named ? path : link.str);
}

/* True if a command gets a name: of a second output always; others only if its text asks, since it may have
 * variables of that name itself. */
static bool is_named_to(const char *command, int nth, int nout) {
	return nth == NAME_TEE ? nout > 1 : names_variable(command, name_words[nth]);
}

/* Name the ends for a command, as they are in this run. tee: a second output that is not a file, by the
 * name that the user gave it. */
static bool name_ends(const struct row *row, struct attempt *attempt, const char *tee) {
	struct copy *c = &attempt->own_copy;
	const struct endpoint *const endpoints[] = { row->input, row->into[0], row->into[1] };
	const int fds[] = { c->in, c->out[0], c->out[1] };
	bool stored = row->nout > 1 && row->into[1]->ops->check; /* not the process that compares */
	const char *const streams[] = { "/dev/stdin", "/dev/stdout", stored ? tee : NULL };
	for (int i = 0; i < NAMES; i++) {
		if (!is_named_to(row->command, i, row->nout)) continue;
		attempt->own_job.to_start.end_names[i] = name_endpoint(endpoints[i], fds[i], streams[i], c);
		if (!attempt->own_job.to_start.end_names[i]) return false;
	}
	return true;
}

/* True if a command has written an output by a name of its own, as far as known: our descriptor is where it
 * was. */
static bool has_written_by_name(const struct row *row, const struct job *job) {
	for (int i = 0; i < row->nout; i++) {
		bool named = names_variable(row->command, name_words[NAME_OUT + i]);
		if (is_file(row->into[i]) && !job->reached[i] && !named) return true;
	}
	return false;
}

/* Copy once by a row. Returns false if the ends could not be prepared; a pipe size that is refused is the
 * row's failure. */
static bool copy_once(struct session *s, const struct row *row, struct attempt *attempt, struct run *run) {
	struct copy *c = &attempt->own_copy;
	bool warmed = (attempt->setting.reuse && !row->command) || row->strategy->method->flags & WARMED;
	int64_t start = now();
	bool ready = prepare_ends(s, row, attempt), go = ready && size_pipes(row, c) && !caught;
	s->reset_ns = now() - start;
	if (go && warmed) {
		go = copy_before(row, c);
		if (go) ready = prepare_ends(s, row, attempt);
		go = go && ready && size_pipes(row, c);
	}
	if (attempt->setting.cold && s->source.cache != CACHE_UNKNOWN)
		run->resident = count_resident(s->source.data_fd, 0, c->len);
	if (go && row->command) go = name_ends(row, attempt, s->opt.tee);
	if (go) time_copy(s, row, attempt, run);
	for (int i = 0; i < NAMES; i++) free((char *)attempt->own_job.to_start.end_names[i]);
	if (row->nout == 1) c->failure.nth = -1;
	drop_kit(&attempt->own_kit); /* first: it may hold an end open */
	cleanup_ends(row, c);
	return ready;
}

#define TOO_FEW_BYTES "too few bytes: the input ended early, or a call moved nothing"
#define CHANGED_INPUT "the input changed meanwhile: don't modify it"

static const struct verdict untried = { .outcome = UNTRIED, .failure.nth = -1 };

static struct verdict not_applicable(const char *reason) {
	return (struct verdict){ .outcome = REFUSED, { .err = NO_ERRNO, .call = reason, .nth = -1 } };
}

static struct verdict call_failed(int err, const char *call) {
	return (struct verdict){ .outcome = FAILED, .failure = { .err = err, .call = call, .nth = -1 } };
}

/* The failure of a command: its status, and its words on standard error. */
static struct verdict command_failed(const struct child *child, const char *name) {
	char *words = child_words(child), *why = format_line("%s%s%s%s", name, status_text(child->status).str,
	    *words ? ": " : "", words);
	free(words);
	return call_failed(NO_ERRNO, why);
}

/* True if a child failed or exited early, which explains the row's failure. A command may have ended
 * because a call of ours failed. */
static bool judge_child(const struct endpoint *e, bool ours, struct verdict *v) {
	const char *command = command_of(e);
	int status = e->process.status;
	if (!status || (command && ours)) return false;
	if (command) *v = command_failed(&e->process, fmt("--%s: ", e->ops->option_name).str);
	else if (WIFEXITED(status)) *v = call_failed(WEXITSTATUS(status), e->ops->process_name);
	else *v = command_failed(&e->process, fmt("%s: ", e->ops->process_name).str);
	return true;
}

/* True if more than half of the output is cached, and not only an unaligned tail's page. */
static bool ignored_direct(const struct row *row, const struct attempt *attempt) {
	if (!attempt->own_kit.alignment || !is_file(row->into[0])) return false;
	int64_t page = sysconf(_SC_PAGESIZE), len = attempt->own_copy.len;
	int64_t n = (ask_output(row->into[0], len) + page - 1) / page;
	bool tail = len % attempt->own_kit.alignment;
	return n > tail && 2 * n > (len + page - 1) / page;
}

/* Judge the children, the calls and the length. */
static struct verdict judge_calls(const struct session *s, const struct row *row,
    const struct attempt *attempt,
    bool ready) {
	const struct copy *c = &attempt->own_copy;
	struct verdict v = { .outcome = COPIED, .failure = c->failure };
	bool unread = row->input->unread && c->to_eof;
	bool reads_directly = row->strategy->method->flags & DIRECT_IN;
	bool peer = c->failure.err == EPIPE || c->failure.err == ECONNRESET; /* a child's end is the cause */
	bool ours = c->failure.err && !peer;
	if (judge_child(row->input, ours, &v)) return v;
	for (int i = 0; i < row->nout; i++)
		if (judge_child(row->into[i], ours, &v)) return v;
	if (attempt->own_job.process.status) {
		v = command_failed(&attempt->own_job.process, "");
	} else if (c->failure.err) {
		bool refused = ready && c->done == 0 && errno_fact(c->failure.err)->refusal;
		v.outcome = refused ? REFUSED : FAILED;
	} else if (c->done != c->len || (unread && row->command)) {
		v = call_failed(NO_ERRNO, TOO_FEW_BYTES);
	} else if (unread) {
		v = call_failed(NO_ERRNO, CHANGED_INPUT); /* it has grown */
	} else if (ignored_direct(row, attempt) || (reads_directly && s->report->seen.ignores_direct)) {
		v = not_applicable("the file system ignored O_DIRECT"); /* as tmpfs does, since Linux 6.6 */
	}
	return v;
}

/* True if the name of an output leads to another file, as far as known. */
static bool is_displaced(const struct endpoint *e) {
	return is_file(e) && e->location.path && !leads_to(e->location.path, e->user_fd);
}

/* A command may copy by name: find out why an output is wrong. If nothing explains it, the verdict
 * stands. */
static struct verdict judge_by_name(const struct session *s, const struct endpoint *e, const struct row *row,
    struct verdict verdict) {
	struct stat st, named;
	bool file = is_file(e) && !fstat(file_of(e), &st);
	bool longer = file ? st.st_size > s->report->len : verdict.outcome == MISMATCH
	    && verdict.at == s->report->len;
	if (longer && has_more(s))
		return not_applicable("it copied more than --size: give it the names of this run, as in "
		    "cp \"$IN\" \"$OUT\"");
	if (file && s->replaced_by == row->command)
		return not_applicable("it replaced the output by another file: use --inplace, or let it "
		    "write to standard output");
	if (file && e->dir_fd >= 0 && !fstat(e->user_fd, &named) && named.st_size > 0)
		return not_applicable("it wrote to the output by a name of its own, and --new gives each run "
		    "another: write cp \"$IN\" \"$OUT\"");
	if (file && st.st_size == 0 && s->replaced_by)
		return not_applicable(format_line("the output's name leads to another file since $ %s",
		    s->replaced_by));
	return verdict;
}

/* True if the method reads no byte of that kind of input. */
static bool passes_on(const struct method *method, unsigned kinds) {
	return (method->flags & UNREAD_SPLICED && kinds & SPLICED)
	    || (method->flags & UNREAD_MAP && kinds & SEEK);
}

/* True if an output shares blocks with the input, or the second with the first. Asked only if the row's
 * calls can share: once, and in each run of a row that did. */
static bool has_shared(const struct row *row, int i, const struct copy *c) {
	int fd = file_of(row->into[i]);
	if (!(row->strategy->method->flags & MAY_SHARE)) return false;
	if (row->verified && row->verdict.outcome != SHARED) return false;
	if (c->cloned || (is_file(row->input) && shares_blocks(fd, row->input->data_fd, c->len))) return true;
	return i > 0 && is_file(row->into[0]) && shares_blocks(fd, file_of(row->into[0]), c->len);
}

/* Judge an output: its size, and at least once per row its bytes. One that stores nothing passes. A file
 * without blocks may be unwritten. */
static struct verdict judge_output(const struct row *row, int i, const struct copy *c) {
	const struct endpoint *e = row->into[i];
	struct verdict v = { .outcome = COPIED, .failure.nth = -1 };
	struct stat st = { .st_size = c->len };
	int64_t wrong = e->wrong;
	int err = 0;
	if (is_file(e) && fstat(file_of(e), &st)) return call_failed(errno, "fstat");
	bool compares = !row->verified || e->ops->rewrites || st.st_blocks == 0;
	if (is_file(e) && compares && is_comparable(e))
		wrong = compare(e->data_fd, false, e->input->data_fd, c->len, &err);
	if (err) return call_failed(err, "pread");
	if (st.st_size == 0) wrong = EMPTY;
	if (wrong == EMPTY && !row->command) wrong = 0;
	if (wrong == ALL_RIGHT && st.st_size != c->len) wrong = min(st.st_size, c->len);
	if (wrong != ALL_RIGHT) {
		v.outcome = MISMATCH;
		v.at = wrong;
	} else if (is_file(e) && has_shared(row, i, c)) {
		v.outcome = SHARED;
	} else if (is_blind(&e->stat) && passes_on(row->strategy->method, row->input->ops->kind)) {
		v.outcome = UNTOUCHED;
	}
	return v;
}

/* Judge the input: if all of it is copied, it must not have grown. After a wrong copy compare bytes, not
 * times: a server may set those late (SMB), or another program without a change. */
static struct verdict judge_input(const struct session *s, const struct copy *c, struct verdict verdict) {
	const struct endpoint *in = &s->source;
	bool right = verdict.outcome < FAILED, few = !c->failure.err && c->done != c->len;
	bool compared = verdict.outcome == MISMATCH || few;
	struct stat st;
	if (!(in->ops->kind & DISK) || has_part(s)) return verdict;
	if (fstat(in->user_fd, &st)) return call_failed(errno, "fstat");
	uint64_t device = (uint64_t)in->len;
	if (S_ISBLK(st.st_mode) && ioctl(in->user_fd, (int)BLKGETSIZE64, &device))
		return call_failed(errno, "ioctl");
	bool other = st.st_size != in->stat.st_size || (int64_t)device != in->len;
	bool grown = other && !(right && has_more(s));
	int64_t at = verdict.outcome == MISMATCH ? verdict.at : c->done;
	if (!grown && !(compared && has_changed(in, c->len, at))) return verdict;
	return call_failed(NO_ERRNO, CHANGED_INPUT);
}

/* Judge all outputs: the first wrong one, or else what is least certain of two. */
static struct verdict judge_outputs(const struct session *s, const struct row *row, const struct copy *c) {
	struct verdict all = { .outcome = row->nout ? UNTOUCHED : COPIED, .failure.nth = -1 };
	for (int i = 0; i < row->nout; i++) {
		struct verdict v = judge_output(row, i, c);
		if (!is_timed(v.outcome)) return row->command ? judge_by_name(s, row->into[i], row, v) : v;
		if (v.outcome == SHARED || all.outcome == UNTOUCHED) all = v;
	}
	return all;
}

static void drop_children(const struct row *row) {
	drop_child(&row->input->process);
	for (int i = 0; i < row->nout; i++) drop_child(&row->into[i]->process);
}

static bool is_no_room(int err) { return err == ENOSPC || err == EDQUOT; }

/* True if a row without advice found no room for its copy: no other row would find any. */
static bool has_no_room(const struct row *row, const struct verdict *v) {
	bool full = v->outcome == FAILED && is_no_room(v->failure.err);
	return full && row->advice == advices && row->nout && is_file(row->into[max(v->failure.nth, 0)]);
}

/* True if btrfs still compresses the outputs that this row writes. Empties them. */
static bool is_compressing(const struct session *s, const struct row *row) {
	bool asked = any_output(s, is_compressed) && s->opt.fill == EMPTIED && row->nout;
	return asked && !any_output(s, lost_compression);
}

/* Copy once by a row, and judge the children, the calls, the length, the outputs, and after a wrong copy
 * the input. All runs go through here. */
static struct verdict try(struct session *s, struct setting setting, struct row *row, struct run *run) {
	struct attempt attempt;
	bool intact = row->command && !any_output(s, is_displaced);
	bool compressed = row->command && !row->nruns && !s->uncompressed_by && is_compressing(s, row);
	begin_attempt(s, setting, row, &attempt);
	bool ready = copy_once(s, row, &attempt, run);
	if (intact && any_output(s, is_displaced)) s->replaced_by = row->command;
	if (row->command && !s->altered_by && any_output(s, has_other_attributes)) s->altered_by = row->name;
	struct verdict v = untried;
	if (!caught) v = judge_calls(s, row, &attempt, ready);
	drop_child(&attempt.own_job.process);
	if (is_timed(v.outcome)) v = judge_outputs(s, row, &attempt.own_copy);
	drop_children(row);
	row->verified |= is_timed(v.outcome);
	row->no_start |= row->command && is_timed(v.outcome) && has_written_by_name(row, &attempt.own_job);
	if (compressed && any_output(s, lost_compression)) s->uncompressed_by = row->name;
	if (row->input == &s->source) v = judge_input(s, &attempt.own_copy, v);
	s->finished |= v.failure.err == NO_ERRNO && !strcmp(v.failure.call, CHANGED_INPUT);
	if (caught) v.outcome = UNTRIED;
	return v;
}

/* Copy once more, untimed, with a comparing process in place of each output that was not compared in full.
 * Returns the verdict of that copy if it is wrong, else `verdict`. */
static struct verdict check_copy(struct session *s, const struct row *row, struct verdict verdict) {
	struct row own_row = *row;
	struct endpoint checks[2];
	int64_t reset_ns = s->reset_ns;
	bool needed = false;
	for (int i = 0; i < row->nout; i++) {
		bool stored = row->into[i]->ops->kind != KIND_DEVICE;
		/* a command may write too little */
		bool asked = row->command || (stored && is_comparable(row->into[i]));
		if (!row->into[i]->ops->check || !asked) continue;
		checks[i] = *row->into[i];
		checks[i].ops = row->into[i]->ops->check;
		checks[i].process = no_child;
		own_row.into[i] = &checks[i];
		needed = true;
	}
	if (!needed) return verdict;
	struct verdict checked = try(s, s->opt.setting, &own_row, &(struct run){ .ns = 0 });
	s->reset_ns = reset_ns;
	return is_timed(checked.outcome) ? verdict : checked;
}

/* ---- Rounds: the input read ahead, and rows in turn ------------------------------------------ */

#define THROWN_MAX 100          /* consecutive runs that were stopped, before the row fails */
#define PROGRESS_NAME 34        /* characters of a row's name in the progress line */

/* The machine's counts: proc_stat(5); Documentation/ABI/testing/sysfs-devices-system-cpu, thermal_throttle
 * (x86 only). */
static struct interference read_interference(void) {
	int64_t ticks[8] = { 0 }; /* user, nice, system, idle, iowait, irq, softirq, steal */
	struct interference sum = { 0 };
	char line[256], path[128], *here = line + strlen("cpu");
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
	sum.stops = read_quota().stops;
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

/* Dirty memory as a share of the level at which writers are throttled (mm/page-writeback.c,
 * dirty_freerun_ceiling). */
static double dirty_share(void) {
	static const char vmstat[] = "/proc/vmstat";
	double dirty = (double)(read_number(vmstat, "nr_dirty") + read_number(vmstat, "nr_writeback"));
	double limits = (double)(read_number(vmstat, "nr_dirty_threshold")
	    + read_number(vmstat, "nr_dirty_background_threshold"));
	return limits > 0 ? 2 * dirty / limits : 0;
}

/* Sleep before the output is emptied, since a guest's free pages may go back to the host. Deduct the time
 * that emptying took last time, up to half of the pause. */
static void pause_before(const struct session *s) {
	int64_t pause = s->report->pause;
	sleep_until(now() + max(pause / 2, pause - s->reset_ns));
}

/* Time the start of a command on empty ends, after a pause, and end it if it takes longer than the limit. Its
 * ends are files in memory that can't grow; a reader's output is /dev/null. Returns nanoseconds; -1: not
 * known, since it failed. */
static int64_t time_start(struct session *s, const char *text, bool reader, int64_t timeout_ns) {
	struct command command = { .text = text, .len = s->report->len };
	struct child child = no_child;
	struct words proc = own_proc(), names[NAMES];
	int fds[NAMES];
	bool ready = *proc.str;
	for (int i = 0; i < NAMES; i++) {
		fds[i] = memfd_create("an end", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		ready = ready && !fcntl(fds[i], F_ADD_SEALS, F_SEAL_GROW);
		names[i] = fmt("%s/fd/%d", proc.str, fds[i]);
		if (!reader && is_named_to(text, i, s->nout)) command.end_names[i] = names[i].str;
	}
	command.in_fd = fds[NAME_IN];
	command.out_fd = reader ? s->null.user_fd : fds[NAME_OUT];
	pause_before(s);
	int64_t start = now();
	ready = ready && !caught && start_command(&child, &command) > 0;
	bool ended = ready && await_upto(&child, timeout_ns);
	wait_child(&child, ended);
	int64_t ns = max(1, now() - start);
	bool known = ended && !child.status && !caught;
	for (int i = 0; i < NAMES; i++) close_fd(&fds[i]);
	drop_child(&child);
	return known ? ns : -1;
}

/* Time the start of a run's command, beside the run; never again once that fails. */
static void add_start(struct session *s, struct row *row, struct run *run) {
	if (row->no_start || run->round > ROUNDS_DEFAULT) return;
	int64_t timeout_ns = run->ns + SECOND; /* it does less than the run, but a machine may stall */
	int before = continued; /* as of a run, what was stopped meanwhile does not count */
	int64_t ns = time_start(s, row->command, false, timeout_ns);
	if (continued == before) run->start_ns = ns;
	row->no_start = ns < 0;
}

/* Run a row once; repeat the run if we were stopped (SIGCONT) during it. Of a warm-up round, add only runs
 * that could not be timed. */
static void run_row(struct session *s, struct row *row, int round) {
	struct report *rep = s->report;
	struct run run;
	int tries = 0, before;
	bool verified = row->verified;
	do {
		run = unknown_run;
		run.round = (int)max(round, 1);
		run.order = rep->nruns;
		before = continued;
		pause_before(s);
		run.verdict = try(s, s->opt.setting, row, &run);
	} while (!caught && !s->finished && continued != before && ++tries < THROWN_MAX);
	bool copied = run.verdict.outcome == COPIED || run.verdict.outcome == SHARED;
	if (!caught && !verified && copied) run.verdict = check_copy(s, row, run.verdict);
	if (tries == THROWN_MAX) run.verdict = call_failed(EINTR, "a run that is not stopped");
	if (caught) return;
	double dirty = has_file(s) ? 100 * dirty_share() : 0;
	if (dirty > rep->seen.dirty) rep->seen.dirty = dirty;
	if (round < 1 && is_timed(run.verdict.outcome)) {
		row->verified = verified;
		return;
	}
	if (row->command && is_timed(run.verdict.outcome)) add_start(s, row, &run);
	if (caught) return;
	add_run(row, &run);
	rep->nruns++;
	if (has_no_room(row, &run.verdict)) s->full_row = row;
	s->finished |= s->full_row != NULL;
}

/* Time memcpy of at most MEMCPY_STEP bytes, between pages that were touched before. */
static void time_memcpy(struct report *rep) {
	size_t n = min(rep->len, MEMCPY_STEP);
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

/* Run one round of rows, in random order unless --in-order asks for the table's, without those of which an
 * earlier run could not be timed. */
static void run_round(struct session *s, struct row **picked, int n, int round) {
	if (!s->opt.in_order) shuffle(picked, n, &s->random);
	for (int i = 0; i < n && !caught && !s->finished; i++) {
		if (picked[i]->nruns > 0 && !is_timed(picked[i]->verdict.outcome)) continue;
		show_progress(s, picked[i]->name);
		run_row(s, picked[i], round);
	}
}

/* Copy what c->in has, c->len bytes at most, to a descriptor. */
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

/* Time the process at the input alone: all that it writes is read, and discarded. */
static void time_input(struct session *s) {
	struct endpoint *in = &s->source;
	struct copy c = { .in = -1, .len = s->report->len, .failure.nth = -1 };
	if (prepare_endpoint(in, &c, &c.in)) {
		int64_t start = now(), least = s->report->input_ns;
		start_child(&in->process, true);
		bool known = copy_to(&c, s->null.user_fd, copy_read_write) && c.done == c.len;
		int64_t ns = max(1, now() - start);
		if (known) s->report->input_ns = least ? min(least, ns) : ns;
	}
	cleanup_endpoint(in, &c);
	drop_child(&in->process);
}

/* Time the start of --into's command: before a round, since what it leaves should be that of a copy. */
static void time_into(struct session *s) {
	int64_t *least = &s->report->seen.into_start;
	int64_t start = time_start(s, command_of(&s->sinks[0]), true, SECOND);
	if (start > 0) *least = *least ? min(*least, start) : start;
}

/* Run a round of all rows; of the first ones also what is measured beside them. */
static void run_all(struct session *s, struct row **picked, int n, int round) {
	bool first = round <= ROUNDS_DEFAULT;
	if (first && command_of(&s->sinks[0])) time_into(s);
	run_round(s, picked, n, round);
	if (!first || caught || s->finished) return;
	if (n > 1) time_memcpy(s->report);
	if (s->source.ops->kind == KIND_PIPE) time_input(s);
}

/* Run rows of which each copied, up to a round. */
static void run_on(struct session *s, struct row **picked, int n, int64_t from, int64_t upto) {
	for (int i = 0; i < n; i++) picked[i]->planned = picked[i]->nruns + upto - from;
	for (int64_t round = from + 1; round <= upto; round++) run_round(s, picked, n, (int)round);
}

/* The second step of the schedule: the rows in question. */
static void run_finalists(struct session *s, struct row **picked) {
	struct report *rep = s->report;
	int n = 0;
	find_finalists(rep, true);
	for (struct row *row = rep->rows; row < rep->rows + rep->nrows; row++)
		if (row->finalist && is_copy(row)) picked[n++] = row;
	run_on(s, picked, n, rep->rounds, last_early(rep));
}

/* The third step: the user's command and the row to use; or with a baseline, that and the commands. */
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
	s->random = s->opt.seed;
	for (int round = 1 - (int)s->opt.warmup; round < 1; round++) run_round(s, picked, n, round);
	if (rep == s->reports) s->started = now();
	for (int round = 1; round <= rep->rounds; round++) run_all(s, picked, n, round);
	if (!s->opt.runs_asked && !rep->limit && !caught && !s->finished) {
		run_finalists(s, picked);
		find_finalists(rep, has_later_rounds(rep));
		run_deciders(s, picked);
	}
	find_finalists(rep, has_later_rounds(rep)); /* also after an interruption */
	for (int i = 0; i < n && s->full_row; i++)
		if (!picked[i]->nruns) leave_out(rep, picked[i], untried);
	*seen = read_interference();
	seen->ticks -= before.ticks;
	seen->stolen -= before.stolen;
	seen->throttled -= before.throttled;
	seen->swapped -= before.swapped;
	free(picked);
	clear_progress();
}

/* Copy to an unnamed file in a directory, and sync it. Returns the file; -1 after a failure, in which
 * copy_read_write() sets failure.nth to 0 if the file could not be written. */
static int spool(struct copy *c, int dir_fd, bool (*copy)(struct copy *)) {
	const char *call;
	int fd = open_unnamed(dir_fd, &call);
	bool ok = fd < 0 ? fail_out(c, 0, errno, call) : copy_to(c, fd, copy);
	if (ok && RETRY(fdatasync(fd))) ok = fail_out(c, 0, errno, "fdatasync");
	if (!ok) close_fd(&fd);
	return fd;
}

/* Refuse an input that could not be read ahead: nothing has been touched. */
static void check_spool(const struct session *s, int64_t len, const char *directory,
    const struct failure *fault) {
	const char *command = command_of(&s->source) ? "; or use --no-verify, which needs no spool" : "";
	bool spooled = fault->nth < 0;
	struct verdict v;
	if (caught)
		die("%s: interrupted after reading ahead %s: nothing has been copied", s->source.label,
		    size_text(len).str);
	if (!spooled)
		die("%s: can't be spooled in %s (%s so far): %s: %s (%s): set TMPDIR to another directory, "
		    "or use --size%s", s->source.label, directory, size_text(len).str, fault->call,
		    errno_name(fault->err).str, strerror(fault->err), command);
	if (judge_child(&s->source, false, &v) && v.failure.err == NO_ERRNO)
		die("%s: run it by itself to see why", v.failure.call);
	if (fault->err) die_errno(s->source.label, fault->err, fault->call);
	if (len == 0) die("%s: is empty: nothing to copy", s->source.label);
}

/* Spool a pipe or socket; or a command's output, to compare copies with, or else only to count its bytes.
 * Returns the bytes. */
static int64_t read_ahead(struct session *s) {
	struct endpoint *in = &s->source;
	bool command = command_of(in), counts = command && s->opt.no_verify;
	int64_t asked = largest_size(&s->opt.sizes);
	struct copy c = { .in = in->user_fd, .len = asked ? asked : INT64_MAX, .failure.nth = -1 };
	const char *name = spool_directory();
	int dir_fd = counts ? -1 : open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0 && !counts) fail_out(&c, 0, errno, "open");
	show_progress(s, "reading the input ahead");
	in->data_fd = -1;
	if (succeeded(&c) && (!command || prepare_endpoint(in, &c, &c.in))) {
		start_child(&in->process, true);
		if (counts) copy_to(&c, s->null.user_fd, copy_read_write);
		else in->data_fd = spool(&c, dir_fd, copy_read_write);
	}
	close_fd(&dir_fd);
	bool complete = !c.failure.err && (!asked || c.done < asked);
	in->len = complete || !command ? c.done : -1;
	if (command) cleanup_endpoint(in, &c);
	clear_progress();
	check_spool(s, c.done, name, &c.failure);
	drop_child(&in->process);
	return c.done;
}

/* True if the command of a row ignores $SIZE, and so reads its input to EOF. */
static bool reads_on(const struct row *row) { return row->command && !has_word(row->command, "SIZE"); }

/* A command that ignores $SIZE reads to EOF: let all rows read the first bytes of a larger file from an
 * unnamed copy beside it. If we can't make one, such commands are n/a. */
static void take_part(struct session *s) {
	struct report *rep = s->report;
	struct endpoint *in = &s->source;
	struct copy c = { .in = in->user_fd, .len = rep->len, .failure.nth = -1 };
	int commands = 0, part = -1;
	const char *why = "it would read all of the input: use $SIZE, or a directory that can be written";
	for (int i = 0; i < rep->nrows; i++) commands += reads_on(&rep->rows[i]);
	if (!commands || !(in->ops->kind & DISK) || rep->len == in->len) return;
	if (in->dir_fd >= 0) {
		show_progress(s, "copying the first bytes of the input");
		part = spool(&c, in->dir_fd, copy_with_holes);
		clear_progress();
		if (part < 0) close_fd(&in->dir_fd); /* not again at each size */
	}
	bool beside = part >= 0 && same_system(part, in->user_fd), truncated = part >= 0 && c.done < rep->len;
	if (beside && !truncated) in->data_fd = part;
	else close_fd(&part);
	if (beside || truncated) return; /* warm() reports a truncated input */
	if (c.failure.err)
		why = format_text("it would read all of the input, and its directory takes no file (%s: %s): "
		    "use $SIZE, or a writable directory", c.failure.call,
		    errno_name(c.failure.err).str);
	for (struct row *row = rep->rows; row < rep->rows + rep->nrows; row++)
		if (reads_on(row)) leave_out(rep, row, not_applicable(why));
}

static void drop_part(struct session *s) {
	if (has_part(s)) close(s->source.data_fd);
	if (s->source.ops->kind & DISK) s->source.data_fd = s->source.user_fd;
}

/* Evict the input, so that its folios don't depend on the program that wrote it. Then read it into the page
 * cache, and sum its bytes. */
static void warm(struct session *s) {
	struct endpoint *in = &s->source;
	int64_t len = s->report->len, zeros = 0, n;
	bool first = s->report == s->reports; /* later sizes have results to keep */
	s->report->seen.zeros = is_mem(&in->stat, MEM_ZERO) ? 100 : 0;
	if (in->data_fd < 0 || in->ops->kind == KIND_DEVICE) return;
	show_progress(s, "reading the input once");
	if (in->ops->kind & DISK) evict(in->data_fd);
	free(in->sums);
	in->sums = allocate((size_t)((len + PIECE - 1) / PIECE), sizeof *in->sums);
	n = read_through(in->data_fd, len, in->sums, &zeros);
	s->report->seen.zeros = 100 * (double)zeros / (double)len;
	s->finished = n != len && !first && !caught;
	if (n < 0 && first) die_errno(in->label, errno, "read");
	clear_progress();
	if (n != len && !caught && first)
		die("%s: ends at byte %" PRId64 " of %" PRId64 ": don't modify it while it is copied, "
		    "or use a file whose size is right (not one of sysfs)", in->label, n, len);
}

/* True of a row after which btrfs no longer compresses the output, also if it is emptied: fallocate(2). */
static bool stops_compression(const struct row *row) {
	return row->advice->output_step->flags & ALLOCATES;
}

/* Leave out rows that would slow down or speed up all later ones. */
static void leave_out_stopping(struct session *s) {
	struct report *rep = s->report;
	if (s->opt.fill == RENEWED || !any_output(s, is_compressed)) return;
	for (struct row *row = rep->rows; row < rep->rows + rep->nrows; row++)
		if (stops_compression(row) && !row->nruns)
			leave_out(rep, row,
			    not_applicable("fallocate stops the compression of the output for "
			    "good: use --new"));
}

static bool stores_nothing(const struct endpoint *e) { return !is_file(e); }

/* True if the input has changed since it was summed. Asked if an output is not a file: a file would tell. */
static bool is_other_input(struct session *s) {
	const struct endpoint *in = &s->source;
	int64_t len = s->report->len, n = (len + PIECE - 1) / PIECE;
	if (!in->sums || caught || s->finished || !any_output(s, stores_nothing)) return false;
	uint64_t *sums = allocate((size_t)n, sizeof *sums);
	show_progress(s, "reading the input again");
	bool same = read_through(in->data_fd, len, sums, NULL) == len
	    && !memcmp(sums, in->sums, (size_t)n * sizeof *sums);
	clear_progress();
	free(sums);
	return !same && !caught;
}

/* Prepare the input for a size. */
static void begin_size(struct session *s, struct report *rep) {
	s->report = rep;
	take_part(s);
	leave_out_stopping(s);
	double len = (double)rep->len;
	if (is_file(&s->source))
		rep->seen.holes = 100 * (double)count_holes(s->source.data_fd, rep->len) / len;
	bool asks = false;
	for (int i = 0; i < rep->nrows; i++) asks |= rep->rows[i].strategy->method->flags & DIRECT_IN;
	rep->seen.ignores_direct = asks && is_file(&s->source) && ignores_direct(s->source.data_fd, rep->len);
	warm(s);
}

/* ---- The last copy: what stays in the outputs ------------------------------------------------ */

/* The output on which a call failed, in words; empty if there is one output. */
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
	return format_text("%s%s: %s", call, output_words(&v->failure), call_text(call, v->failure.err).str);
}

/* True if an output is a copy. Otherwise print the reason. */
static bool is_right(const struct endpoint *e, const struct verdict *v) {
	char *why = format_verdict(v);
	if (v->outcome == UNTRIED)
		warn("%s: not fully verified: interrupted", e->label);
	else if (v->outcome == MISMATCH)
		warn("%s: is not a copy of the input: byte %" PRId64 " differs: don't modify either while "
		    PROGRAM " runs", e->label, v->at);
	else if (!is_timed(v->outcome))
		warn("%s: is not a copy of the input: %s", e->label, why);
	free(why);
	return is_timed(v->outcome);
}

/* True if an output can be flushed, and still has its name. Otherwise print the reason. */
static bool is_in_place(const struct session *s, const struct endpoint *e) {
	const char *call;
	int err = e->user_fd < 0 ? 0 : flush_fd(e->user_fd, &call);
	if (err) warn("%s: %s: %s", e->label, call, errno_text(err).str);
	if (!s->replaced_by || !is_displaced(e)) return !err;
	warn("%s: was replaced by another file, by $ %s: use --inplace, or let it write to standard output",
	    e->label, s->replaced_by);
	return false;
}

/* Copy to a file by read and write, whatever the rows have left in it, and compare. */
static struct verdict copy_plainly(struct session *s, struct endpoint *e) {
	static const struct strategy plainly = { "read+write", &read_write, CHUNK, 0, NULL };
	struct row own_row = { .name = "the copy that stays", .strategy = &plainly, .advice = advices,
	    .input = &s->source, .into = { e }, .nout = 1 };
	show_progress(s, own_row.name);
	struct verdict v = try(s, (struct setting){ false }, &own_row, &(struct run){ .ns = 0 });
	clear_progress();
	/* NFS without room */
	if (v.outcome == MISMATCH && fsync(e->user_fd)) return call_failed(errno, "fsync");
	if (lseek(e->user_fd, s->report->len, SEEK_SET) < 0) return call_failed(errno, "lseek");
	return v;
}

/* Make OUTPUT itself ready, emptied, for the copy that stays in it. */
static void turn_to_file(struct endpoint *e) {
	if (e->dir_fd >= 0) {
		if (e->data_fd != e->user_fd) close_fd(&e->data_fd);
		close_fd(&e->dir_fd);
		open_to_read(e);
	}
	e->ops = &file_sinks[EMPTIED];
}

/* Empty an output that is a file, after one of them found no room: other programs need the room. */
static void empty_output(const struct session *s, const struct endpoint *e, const struct verdict *v) {
	if (!is_file(e)) return;
	char *why = format_verdict(v);
	bool other = v->failure.nth >= 0 && e != &s->sinks[v->failure.nth];
	const char *then = RETRY(ftruncate(e->user_fd, 0)) ? "" : "; it is empty now";
	warn("%s: is not a copy of the input: %s%s", e->label, other ? "the other output has no room" : why,
	    then);
	free(why);
}

/* Leave a copy in the outputs that are files, and flush all outputs. Returns false after a message. */
static bool leave_copy(struct session *s) {
	bool good = true;
	for (int i = 0; i < s->nout && s->full_row; i++) empty_output(s, &s->sinks[i], &s->full_row->verdict);
	if (s->full_row) return false;
	for (int i = 0; i < s->nout; i++)
		if (is_file(&s->sinks[i])) turn_to_file(&s->sinks[i]);
	for (int i = 0; i < s->nout && !caught; i++) {
		struct endpoint *e = &s->sinks[i];
		struct verdict v = { .outcome = COPIED };
		if (is_file(e)) v = copy_plainly(s, e);
		bool full = v.outcome == FAILED && is_no_room(v.failure.err);
		if (full) empty_output(s, e, &v);
		good &= !full && is_right(e, &v);
		good &= is_in_place(s, e);
	}
	if (s->changed)
		warn("%s: changed meanwhile, so that the copies differ: don't modify it", s->source.label);
	good &= !s->changed;
	close_fd(&s->null.user_fd);
	if (s->source.ops->kind != KIND_PIPE && lseek(s->source.user_fd, s->report->len, SEEK_SET) < 0) {
		warn("%s: lseek: %s", s->source.label, errno_text(errno).str);
		good = false;
	}
	return good && !caught;
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

static void print_outcome(FILE *f, const struct verdict *v) {
	bool failed = v->outcome == REFUSED || v->outcome == FAILED;
	fputs(outcomes[v->outcome].key, f);
	if (failed && v->failure.err != NO_ERRNO) fprintf(f, " %s", errno_name(v->failure.err).str);
}

/* Print details of an outcome: what failed, or the offset. */
static void print_detail(FILE *f, const struct verdict *v) {
	if (v->outcome == REFUSED || v->outcome == FAILED)
		fprintf(f, "%s%s", or_dash(v->failure.call), output_words(&v->failure));
	else if (v->outcome == MISMATCH && v->at == EMPTY) fputs(WROTE_NOTHING, f);
	else if (v->outcome == MISMATCH && v->at >= 0) fprintf(f, "%" PRId64, v->at);
}

/* User and system time as a share of the run, percent; -1: not known, or few steps of a coarse clock. */
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

/* A width, from one on, at which no two names read the same when they are cut. */
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

/* Label the rows of a report for sentences: with their names, or cut where that is asked for. */
static void label_rows(struct report *rep, bool cut) {
	const struct row *const *rows = (const struct row *const *)rep->ranked;
	int width = cut ? distinct_width(rows, rep->nrows, NAME_WIDTH) : INT_MAX;
	for (int i = 0; i < rep->nrows; i++) {
		free(rep->rows[i].label);
		rep->rows[i].label = shorten_name(rep->rows[i].name, width);
	}
}

/* A time's lag behind another, percent. */
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

/* Print the n-th name of a list, from 1 on; without --verbose only NAMES_SHOWN of them. */
static void print_nth_name(FILE *f, const struct report *rep, int n, const struct row *row) {
	bool verbose = rep->options->verbose;
	if (n <= NAMES_SHOWN || verbose)
		fprintf(f, "%s%s", n > 1 ? ", " : "", verbose ? row->name : row->label);
}

/* "and 4 more", after a list of n names. */
static void print_rest(FILE *f, const struct report *rep, int n) {
	if (n > NAMES_SHOWN && !rep->options->verbose) fprintf(f, " and %d more", n - NAMES_SHOWN);
}

/* ---- The answer: what the first sentence says ------------------------------------------------ */

#define CACHED (16 * M)         /* bytes: a smaller memcpy stays in the CPU's caches and bounds nothing */
#define INPUT_BOUND 1.1         /* times the input alone: in that time, the input is the limit */

/* The value of a fact by its key; NULL: not known. Borrowed. */
static const char *find_fact(const struct report *rep, const char *key) {
	for (int i = 0; i < rep->nfacts; i++)
		if (!strcmp(rep->facts[i].key, key)) return rep->facts[i].value;
	return NULL;
}

/* memcpy's speed, bytes per nanosecond; 0: not known, or that of a cache. */
static double roof(const struct report *rep) {
	int64_t best = rep->memcpy_ns, bytes = min(rep->len, MEMCPY_STEP);
	return best > 0 && bytes >= CACHED ? speed(bytes, best) : 0;
}

/* The first row that shared the blocks, of commands or of the others. NULL: none. */
static const struct row *find_sharing(const struct report *rep, bool command) {
	for (int i = 0; i < rep->nrows; i++) {
		const struct row *row = rep->ranked[i];
		if (row->verdict.outcome == SHARED && command == (row->command != NULL)) return row;
	}
	return NULL;
}

/* The row to keep, or use, that shared the blocks; NULL: none. A command is kept. */
static const struct row *sharing_row(const struct report *rep) {
	const struct row *command = find_sharing(rep, true);
	return command ? command : find_sharing(rep, false);
}

/* The row that is kept, or used, if the bytes must be copied; NULL: neither. */
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

/* Median, speed, CPUs, and the share of memcpy. */
static void print_figures(FILE *f, const struct report *rep, const struct row *row) {
	double cpus = cpu_share(row) / 100;
	fprintf(f, "median %s, %s", time_text(row->median, rep->summary.fine).str,
	    speed_text(speed(rep->len, row->median)).str);
	if (cpus >= 0) fprintf(f, " with %.1f CPU%s", cpus, cpus >= 0.95 && cpus < 1.05 ? "" : "s");
	if (roof(rep) > 0) fprintf(f, ", %.0f%% of memcpy", 100 * speed(rep->len, row->median) / roof(rep));
	fputc('.', f);
}

/* "sendfile: 1.81 times as fast as cat (95%: 1.52 to 2.31); median 43.9ms, ...". */
static void print_use(FILE *f, const struct report *rep) {
	const struct summary *sum = &rep->summary;
	const struct row *own = sum->own, *winner = sum->winner;
	fputs(bare_name(winner), f);
	if (sum->answer == MORE) fprintf(f, ", by a first guess after %d runs: ", sum->runs);
	else fputs(": ", f);
	if (own == winner && sum->answer == USE) fputs("no row is shown to be faster; ", f);
	else if (own && sum->answer == USE && sum->gain.low > 1) print_gain(f, sum->gain, own);
	else if (own && sum->answer == USE)
		fprintf(f, "not shown to be faster than %s, a plain loop", bare_name(own));
	if (own && own != winner && sum->answer == USE) fputs("; ", f);
	print_figures(f, rep, winner);
}

/* "cat: sendfile is not shown to be faster (95%: 0.96 to 1.10 times as fast)." */
static void print_keep(FILE *f, const struct summary *sum) {
	const char *why = sum->gain.low > 1 ? "saves no more than its start" : "is not shown to be faster";
	fprintf(f, "%s: ", bare_name(sum->own));
	if (sum->winner)
		fprintf(f, "%s %s%s.", bare_name(sum->winner), why,
		    interval_text(sum->gain, " times as fast").str);
	else fputs("no row is shown to be faster.", f);
}

/* The time that each command takes to start. */
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

/* The limits of the row to use, and what a program may save. */
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

/* Print the answer about one report: keep a command, use a row, or that nothing is shown. None with a
 * baseline, or of commands alone. */
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

/* The row to keep or to use in a place, shared blocks first; NULL: neither. */
static const struct row *decision(const struct report *rep) {
	const struct row *sharing = rep->baseline ? NULL : sharing_row(rep);
	return sharing ? sharing : recommended(rep);
}

/* Count the sizes, from one on, at which a row may be used, or is what is used. */
static int count_used(const struct set *set, int from, const char *name) {
	int n = 0;
	for (; from + n < set->n; n++) {
		const struct report *rep = set->reports[from + n];
		const struct row *best = recommended(rep), *row = find_row(rep, name);
		if (!best || best->command || !row || (row != best && !is_usable(rep, row))) break;
	}
	return n;
}

/* Count the sizes, from one on, at which the same command is kept, or nothing is known. */
static int count_kept(const struct set *set, int from, const struct row *kept) {
	int n = 0;
	for (; from + n < set->n; n++) {
		const struct row *row = recommended(set->reports[from + n]);
		if (kept && row ? strcmp(kept->name, row->name) != 0 : kept != row) break;
	}
	return n;
}

/* The decision at a size, and the first size after those that have it: the same command is kept, or a row
 * that may be used at the most of them. */
static const struct row *find_range(const struct set *set, int from, int *upto) {
	const struct report *rep = set->reports[from];
	const struct row *best = recommended(rep);
	bool used = best && !best->command;
	int most = used ? count_used(set, from, best->name) : count_kept(set, from, best);
	for (int i = 0; i < rep->nrows && used; i++) {
		int n = is_usable(rep, rep->ranked[i]) ? count_used(set, from, rep->ranked[i]->name) : 0;
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
#define VARY 2                  /* times the best run: the worst one is worth a warning */
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
	if (read_key(cpuinfo, "model name", text, sizeof text)
	    || read_key(cpuinfo, "cpu\t", text, sizeof text))
		fprintf(f, "%.60s", text);
	else if (read_key(cpuinfo, "CPU implementer", text, sizeof text))
		fprintf(f, "implementer %s, part %s", text,
		    read_key(cpuinfo, "CPU part", part, sizeof part) ? part : "?");
	else if (read_line("/proc/device-tree/model", text, sizeof text)) fprintf(f, "%.60s", text);
	read_key(cpuinfo, "flags", flags, sizeof flags);
	if (strstr(flags, " hypervisor")) fputs(" (virtual machine)", f);
}

FACT(fact_cpus) { fprintf(f, "%d", s->cpus); }
FACT(fact_quota) { if (s->quota > 0) fprintf(f, "%g", s->quota); }
FACT(fact_memory) { fprintf(f, "%" PRId64, (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE)); }
FACT(fact_kernel) { fputs(system_names().release, f); }

FACT(fact_until) {
	const char *first = until_words(&s->sinks[0]), *second = s->nout > 1 ? until_words(&s->sinks[1])
	    : first;
	fputs(first, f);
	if (strcmp(first, second)) fprintf(f, ", and at the second output %s", second);
}

FACT(fact_page_cache) {
	if (s->source.ops->kind & (KIND_PIPE | KIND_DEVICE)) return;
	fprintf(f, "input %s the page cache%s", s->opt.setting.cold ? "evicted from" : "in",
	    s->opt.setting.cold ? " before each run" : "");
}

FACT(fact_output_file) { if (has_file(s)) fputs(file_sinks[s->opt.fill].holds, f); }
FACT(fact_reuse) { fputs(s->opt.setting.reuse ? "yes" : "no", f); }
FACT(fact_governor) {
	char line[64];
	if (read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", line, sizeof line))
		fputs(line, f);
}

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

/* The most of the input that stayed in the page cache before a run, percent; below 0: not known. */
static double percent_stayed(const struct report *rep) {
	int64_t most = -1;
	for (int i = 0; i < rep->nrows; i++)
		for (int k = 0; k < rep->rows[i].nruns; k++) most = max(most, rep->rows[i].runs[k].resident);
	return most < 0 ? -1 : 100 * (double)most / (double)rep->len;
}

FACT(fact_input_state) {
	double percent = percent_stayed(rep);
	if (!s->opt.setting.cold) return;
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
	if (!s->opt.setting.cold && !rep->seen.fetched && is_file(&s->source) && is_served(s->source.user_fd))
		fputs("the input came from the page cache, not from its FUSE or network mount: use --cold",
		    f);
}

FACT(warn_not_cold) {
	if (s->opt.setting.cold && has_memory(&s->source))
		fputs("the input is in memory, from which --cold evicts nothing: put it on a disk", f);
	else if (percent_stayed(rep) >= STAYED)
		fprintf(f, "up to %.3g%% of the input stayed in the page cache: end programs that map it",
		    percent_stayed(rep));
}

/* An option that does nothing here. */
FACT(warn_useless) {
	if (s->opt.until && !has_file(s))
		fprintf(f, "--until=%s does nothing here: no output is a file", untils[s->opt.until].word);
	else if (s->opt.setting.reuse && rep->summary.commands_alone)
		fputs("--reuse does nothing here: all rows are commands", f);
}

/* What else the machine did: the first cause that there is. */
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
		fprintf(f, "dirty memory reached %.0f%% of its limit: copy less (-z), or pause longer (-p)",
		    rep->seen.dirty);
}

FACT(warn_swapped) {
	int64_t swapped = rep->seen.machine.swapped;
	if (swapped && (has_memory(&s->source) || any_output(s, has_memory)))
		fprintf(f, "tmpfs is memory, and %" PRId64 " pages were swapped: copy less (-z), or free "
		    "memory", swapped);
}

FACT(warn_started) {
	const struct row *first = rep->summary.first;
	int64_t start = rep->seen.into_start;
	if (command_of(&s->sinks[0]) && first && 100 * start >= MUCH * first->median)
		fputs("starting the command takes much of each run: pipe into a running one: | cat "
		    ">/dev/null", f);
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
 * when a report is read; EQUAL: in reports that are more rounds of one another; CONDITION: this, and named
 * where it differs between two files, since it may be why times do. */
enum { IS_NUMBER = 1, LATE = 2, CONCLUDED = 4, EQUAL = 8, CONDITION = EQUAL | 16, IS_WARNING = 32 };

/* A number of the report, from 1 to .most; also read back. */
#define NUMBER_OF(field, bound) .offset = offsetof(struct report, field), .most = (bound)
#define WARNING(word, stage, words) \
	{ "warning_" #word, words, .find = warn_##word, .is = (stage) | IS_WARNING }

/* To add a fact: a line here, in the order of a report. .find prints its value, or .offset is where a number
 * stands in the report. */
static const struct fact_row {
	const char *key, *help;
	void (*find)(FILE *, const struct report *, const struct session *);
	int is;
	size_t offset;
	int64_t most;
	bool (*read)(struct report *, const char *value); /* of a file; false: it is malformed */
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
	{ "memory_bytes", "of the machine", .find = fact_memory, .is = IS_NUMBER },
	{ "kernel", "its release", .find = fact_kernel, .is = EQUAL },
	{ "size", "bytes that each run copies", .is = IS_NUMBER, NUMBER_OF(len, INT64_MAX) },
	{ "size_asked", "bytes that --size names, if the input has fewer", .find = fact_size_asked,
	    .is = IS_NUMBER, NUMBER_OF(asked, INT64_MAX) },
	{ "governor", "of the first CPU's frequency (cpufreq), if there is one", .find = fact_governor },
	{ "until", "what the clock waited for", .find = fact_until, .is = CONDITION },
	{ "page_cache", "whether the input was cached", .find = fact_page_cache, .is = CONDITION },
	{ "output_file", "which file a run writes to, and what it holds before", .find = fact_output_file,
	  .is = CONDITION },
	{ "reuse", "yes: what a row sets up is set up before the clock starts", .find = fact_reuse,
	    .is = CONDITION },
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
	const struct row **lines;     /* the first report's, or else another's */
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
static void put(struct grid *g, struct words words) {
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

/* List the rows of a table, as the last report ranks them; then those of the others. Of one report those that
 * were timed, of several those not n/a in all. */
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

/* Name the rows of sentences: those to keep or to use, and what they are compared with. */
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

/* Hide all but the first rows, as --top asks, commands, and those that sentences name. */
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
	free(named.matched);
}

/* Best, median and worst run, the lag behind the best of all, the mark, and CPUs. */
static void fill_figures(struct grid *g, const struct report *rep) {
	static const char *const titles[] = { "best", "median", "worst", "behind", "", "CPU" };
	bool fine = rep->summary.fine;
	g->corner = "row";
	for (int i = 0; i < LENGTH(titles); i++) add_column(g, titles[i], i == 3 || i == 4);
	for (int i = 0; i < g->nlines; i++) {
		const struct row *row = g->lines[i];
		put(g, time_text(row->best, fine));
		put(g, time_text(row->median, fine));
		put(g, time_text(row->worst, fine));
		put(g, behind_text(rep, row));
		put(g, fmt("%s", row->marked ? "~" : ""));
		put(g, cpu_text(row));
	}
}

/* Best runs in a column for each report. */
static void fill_best(struct grid *g, const struct set *set) {
	g->corner = "row, best run";
	for (int k = 0; k < set->n; k++) add_column(g, set->reports[k]->title, false);
	for (int i = 0; i < g->nlines; i++)
		for (int k = 0; k < set->n && k < g->ncolumns; k++) {
			const struct row *row = find_row(set->reports[k], g->lines[i]->name);
			put(g, cell_text(set->reports[k], row, row ? row->best : 0));
		}
}

/* The medians of two files, and the change. */
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
		put(g, cell_text(old, was, was ? was->median : 0));
		put(g, cell_text(rep, row, row ? row->median : 0));
		put(g, known ? percent_text(row->against.estimate) : fmt("%s", ""));
		if (known && !few)
			put(g, fmt("%s to %s", percent_text(row->against.low).str,
			    percent_text(row->against.high).str));
		else put(g, fmt("%s", few ? change_words[TOO_FEW] : ""));
		put(g, fmt("%s", shown ? change_words[row->change] : ""));
	}
}

/* The text of a cell; of line -1 its column's title. */
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

#define MORE_RUNS 20            /* that a line suggests, at least, */
#define MORE_ROWS 5             /* and the most rows that it names */
#define AS_IT_IS "\t"           /* begins a line that is never wrapped, to be typed */

static bool same_verdict(const struct verdict *v, const struct verdict *other) {
	return v->outcome == other->outcome && v->failure.err == other->failure.err
	    && v->failure.nth == other->failure.nth
	    && !strcmp(or_dash(v->failure.call), or_dash(other->failure.call))
	    && (v->outcome != MISMATCH || v->at == other->at);
}

/* Print the names of the rows that share a verdict with the nth, which is the first of them. Returns false if
 * it is not. */
static bool print_names(FILE *f, const struct report *rep, int nth, const char *before) {
	const struct verdict *v = &rep->ranked[nth]->verdict;
	int n = 0;
	for (int i = 0; i < nth; i++)
		if (same_verdict(&rep->ranked[i]->verdict, v)) return false;
	fputs(before, f);
	for (int i = nth; i < rep->nrows; i++)
		if (same_verdict(&rep->ranked[i]->verdict, v))
			print_nth_name(f, rep, ++n, rep->ranked[i]);
	print_rest(f, rep, n);
	return true;
}

/* Rows that failed, one line for each kind of failure; and an interruption. */
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

/* All rows that are n/a, in one line, with the calls that were refused. */
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

/* Print a command against --baseline: "./new: +8.1% (95%: 5.9 to 10.3%): slower by more than 5%". */
static void print_gate(FILE *f, const struct report *rep, const struct row *row) {
	const struct ratio *times = &row->against;
	const struct row *to = find_baseline(rep);
	bool up = starts_up(row) || (to && starts_up(to));
	fprintf(f, "%s: ", bare_name(row));
	if (times->estimate > 0) fputs(percent_text(times->estimate).str, f);
	else fputs(up ? "not compared, since it is mostly start-up: copy more" : "not compared", f);
	if (times->low > 0)
		fprintf(f, " (" TEXT_OF(CONFIDENCE) "%%: %.1f to %.1f%%)", 100 * times->low - 100,
		    100 * times->high - 100);
	if (row->change == SLOWER || row->change == NOT_SLOWER)
		fprintf(f, ": %s by more than %g%%", change_words[row->change], rep->limit);
	else if (row->change) fprintf(f, ": %s", change_words[row->change]);
	if (row->change == UNDECIDED && times->estimate > 0)
		fprintf(f, ": use -n %d, or a quieter machine", 2 * row->nruns);
}

static void note_gate(FILE *f, const struct report *rep) {
	for (const struct row *row = rep->rows; row < rep->rows + rep->nrows; row++) {
		if (!is_compared(rep, row)) continue;
		print_gate(f, rep, row);
		fputs(".\n", f);
	}
}

/* A row in a line of best runs, by its own name or that of its place. */
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

/* The commands of a report. */
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

/* Print what is kept or used. */
static void print_decision(FILE *f, const struct report *rep, const struct row *row) {
	bool guess = rep->summary.answer == MORE;
	if (!row) fputs(guess ? "the runs are too few to tell" : "nothing is shown", f);
	else fprintf(f, "%s %s", row->command ? "keep" : "use", bare_name(row));
	if (row && row->verdict.outcome == SHARED) fputs(", which shares the blocks", f);
	else if (row && guess) fputs(", by a first guess", f);
}

/* ", 2.1 times as fast as ./copy (95%: 1.8 to 2.4)", of the row that is used in a report. */
static void print_factor(FILE *f, const struct report *rep, const struct row *row, const char *where) {
	const struct summary *sum = &rep->summary;
	bool used = row && sum->answer == USE && !strcmp(sum->winner->name, row->name);
	if (!used || sum->gain.low <= 1) return;
	fprintf(f, ", %s", where);
	print_gain(f, sum->gain, sum->own);
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
		print_decision(f, set->reports[from], row);
		print_factor(f, set->reports[upto - 1], row, upto > from + 1 ? fmt("at %s ", last).str : "");
		fputc('.', f);
	}
	fputc('\n', f);
}

static bool same_decision(const struct set *set, int i, int k) {
	const struct row *x = decision(set->reports[i]), *y = decision(set->reports[k]);
	return x && y ? !strcmp(x->name, y->name) && is_copy(x) == is_copy(y) : x == y;
}

/* The answers in several places, in one line; places with the same one are named together. */
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
		print_decision(f, set->reports[i], decision(set->reports[i]));
		if (n == 1) print_factor(f, set->reports[i], decision(set->reports[i]), "");
		fputc('.', f);
	}
	fputc('\n', f);
}

/* How many rows of a report may be the fastest, and what would tell more: the options, ready to be typed. */
static void note_marks(FILE *f, const struct report *rep) {
	const struct summary *sum = &rep->summary;
	int rows = 0, n = 0;
	if (sum->tested < 2) return;
	fprintf(f, "~: %d of %d rows in question may be fastest", sum->marked, sum->tested);
	if (sum->guess) fprintf(f, ", by a first guess after %d run%s.\n", sum->runs, plural(sum->runs));
	else fputs(" (" TEXT_OF(CONFIDENCE) "%).\n", f);
	if (sum->marked < 2 && !sum->guess) return;
	for (int i = 0; i < rep->nrows; i++) rows += rep->rows[i].marked && !rep->rows[i].command;
	fprintf(f, AS_IT_IS "To tell more: -n %d", (int)max(MORE_RUNS, 2 * sum->runs));
	for (int i = 0; i < rep->nrows && rows > 1 && rows <= MORE_ROWS; i++)
		if (rep->ranked[i]->marked && !rep->ranked[i]->command)
			fprintf(f, "%s%s", n++ ? "," : " -s '", rep->ranked[i]->name);
	fputs(n ? "'\n" : "\n", f);
}

/* The same of several reports: "~: 5, 3, 1 of 46 rows in question may be fastest (95%)." */
static void note_marks_of(FILE *f, const struct set *set) {
	bool guess = false;
	for (int i = 0; i < set->n; i++) {
		const struct summary *sum = &set->reports[i]->summary;
		fprintf(f, "%s%d of %d", i ? ", " : "~: ", sum->marked, sum->tested);
		guess |= sum->guess;
	}
	fputs(" rows in question may be fastest", f);
	if (guess) fprintf(f, ", some by a first guess: -n %d tells more.\n", ROUNDS_SMALL);
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

/* How many rows changed since an older file, and how sure that is. */
static void note_changes(FILE *f, const struct set *set) {
	const struct report *old = set->reports[0], *rep = set->reports[1];
	int n[CHANGES] = { 0 };
	for (int i = 0; i < rep->nrows; i++) n[rep->rows[i].change]++;
	int tested = n[FASTER] + n[SLOWER] + n[SAME];
	if (!tested && !n[TOO_FEW]) fputs("No row has copied in both.\n", f);
	if (tested)
		fprintf(f, "%d of %d rows %s faster, %d slower (" TEXT_OF(CONFIDENCE) "%% over all of "
		    "them).\n", n[FASTER], tested, n[FASTER] == 1 ? "is" : "are", n[SLOWER]);
	if (n[TOO_FEW])
		fprintf(f, "%d row%s ran too few times to tell: use -n %d.\n", n[TOO_FEW], plural(n[TOO_FEW]),
		    ROUNDS_SMALL);
	if (is_apart(old, rep))
		fputs("Measured one after the other: a difference may be the machine's.\n", f);
	for (const struct fact_row *row = fact_rows; row < fact_rows + LENGTH(fact_rows); row++) {
		const char *was = find_fact(old, row->key), *is = find_fact(rep, row->key);
		if ((row->is & CONDITION) != CONDITION || is_same_fact(old, rep, row->key)) continue;
		fprintf(f, "Differs: %s: %s in %s, %s in %s.\n", row->key, or_dash(was), old->title,
		    or_dash(is), rep->title);
	}
}

/* True if a text has a line. */
static bool has_line(const char *text, const char *line) {
	size_t length = strlen(line);
	for (const char *here = text; (here = strstr(here, line)); here++)
		if ((here == text || here[-1] == '\n') && here[length] == '\n') return true;
	return false;
}

/* Print a line of some reports of a set, with their titles unless all have it. */
static void print_titled(FILE *f, const struct set *set, const struct text *texts, const char *line) {
	int n = 0, named = 0, length = (int)strlen(line);
	for (int k = 0; k < set->n; k++) n += has_line(texts[k].chars, line);
	bool dot = n < set->n && line[length - 1] == '.';
	fprintf(f, "%.*s", length - dot, line);
	for (int k = 0; k < set->n && n < set->n; k++)
		if (has_line(texts[k].chars, line))
			fprintf(f, "%s%s", named++ ? ", " : " (", set->reports[k]->title);
	fprintf(f, "%s%s\n", named ? ")" : "", dot ? "." : "");
}

/* Print lines of each report; one that several share only once. */
static void note_each(FILE *f, const struct set *set, void (*note)(FILE *, const struct report *)) {
	struct text *texts = allocate(set->n, sizeof *texts);
	for (int i = 0; i < set->n; i++) {
		note(begin_text(&texts[i]), set->reports[i]);
		finish_text(&texts[i]);
	}
	for (int i = 0; i < set->n; i++) {
		char *all = format_text("%s", texts[i].chars);
		for (char *rest = all, *line; (line = strsep(&rest, "\n")) && *line;) {
			int before = 0;
			for (int k = 0; k < i; k++) before += has_line(texts[k].chars, line);
			if (!before) print_titled(f, set, texts, line);
		}
		free(all);
	}
	for (int i = 0; i < set->n; i++) free(texts[i].chars);
	free(texts);
}

/* The option that explains the row that is used. */
static void note_how(FILE *f, const struct report *rep) {
	const struct row *row = decision(rep);
	if (row && row->strategy && !row->command)
		fprintf(f, AS_IT_IS "how: --explain='%s'\n", row->name);
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

/* "; 3 rounds, of 9 rows up to 7, of 2 rows up to 27": those of all rows, and the runs of rows that ran on;
 * of several reports the rounds of each. */
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

/* The machine, and what the clock covered. */
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

/* The files of a set, and their headings. */
static void note_files(FILE *f, const struct set *set) {
	for (int i = 0; i < set->n; i++)
		fprintf(f, "%s: %s: %s.\n", set->reports[i]->title, set->reports[i]->file,
		    find_fact(set->reports[i], "heading"));
}

/* True if there is something to decide: no baseline decides, and not all rows are commands. */
static bool has_decisions(const struct set *set) {
	bool rows = false;
	for (int i = 0; i < set->n; i++) rows |= !set->reports[i]->summary.commands_alone;
	return rows && !set->reports[0]->baseline;
}

/* Print what failed, the gate, and the answer. */
static void print_answers(FILE *f, const struct set *set) {
	const char *recommendation = find_fact(set->reports[0], "recommendation");
	bool two = set->files && set->n == 2, several = set->n > 1 && has_decisions(set);
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
	if (set->n == 1) note_how(f, rep);
	if (set->n == 1 && !rep->baseline) note_marks(f, rep);
	else if (!rep->baseline) note_marks_of(f, set);
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

/* Compose a set's document. */
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
/* What GitHub takes for markup, or mathematics (GitHub Flavored Markdown, 2.4 and 2.5). */
static const struct escapes markdown = { "&<>", "\\`*_~[]|#$", "\\", NULL };
static const struct escapes csv = { "", "\"", "\"", "\\x" }; /* RFC 4180; a line stays a line */
static const struct escapes json = { "", "\"\\", "\\", "\\u00" }; /* RFC 8259; other bytes are passed on */

/* Print lines, each wrapped at width. typed: a line to be typed into a shell is left as it is. */
static void print_wrapped_lines(FILE *f, const char *lines, int width, bool typed) {
	char *all = format_text("%s", lines);
	for (char *rest = all, *line; (line = strsep(&rest, "\n")) && *line;) {
		bool typed_line = *line == *AS_IT_IS;
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

static void print_text_table(FILE *f, const struct document *d, const struct view *view) {
	const struct row *bright = view->colour && d->set->n == 1 ? recommended(d->set->reports[0]) : NULL;
	print_heading(f, d->heading, view->width);
	if (d->grid.nlines) {
		print_text_grid(f, &d->grid, view->width, bright);
		print_hidden(f, &d->grid);
		fputc('\n', f);
	}
	print_wrapped_lines(f, d->lines, (int)min(view->width, TEXT_WIDTH), true);
}

static void print_text(FILE *f, const struct document *d, int n, const struct view *view) {
	for (int i = 0; i < n; i++) {
		fputs(i ? "\n" : "", f);
		print_text_table(f, &d[i], view);
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
		print_escaped(f, line + (*line == *AS_IT_IS), &markdown);
		fputc('\n', f);
	}
	fputc('\n', f);
	free(lines);
}

static void print_markdown(FILE *f, const struct document *d, int n, UNUSED const struct view *view) {
	for (int i = 0; i < n; i++) print_markdown_table(f, &d[i]);
}

/* Numbers of a run, for programs: a column of CSV, and of a row in JSON, where it is the median. */
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

/* The other columns of CSV, and members of a row in JSON. */
static const struct {
	const char *name, *help;
} other_columns[] = {
	{ "row", "its name" }, { "round", "from 1" },
	{ "ns", "the run's time; empty if it was not timed; in JSON runs_ns: all runs, a list" },
	{ "outcome", "ok, shared, untouched, not run, n/a ERRNO, failed, failed ERRNO, or mismatch" },
	{ "bytes", "in a run; CSV alone" },
	{ "detail", "of the outcome: the call that was refused or failed, in words why a command did, or the "
	  "offset of the first wrong byte" },
	{ "best_ns, median_ns, worst_ns", "of the runs up to the seventh round, or up to the last "
	  "that all rows have" },
	{ "percent", "how far the best run is behind the first row's" },
	{ "mark", "~: it may be the fastest" },
	{ "change_percent, low, high, verdict", "of a command that has a baseline: its time relative to the "
	  "baseline's (Hodges and Lehmann's estimate), and the ends of the " TEXT_OF(CONFIDENCE)
	  "% interval over all commands and sizes, percent; slower, not slower, undecided or failed" },
};

static struct words number_text(const void *record, const struct number_column *column) {
	int64_t n = number_at(record, column->offset);
	if (n < 0) return fmt("%s", "");
	return column->milliseconds ? fmt("%.6f", (double)n / 1e6) : fmt("%" PRId64, n);
}

/* True if a number is known of any timed run of n reports. */
static bool has_number(const struct report *reports, int n, const struct number_column *column) {
	for (const struct report *rep = reports; rep < reports + n; rep++)
		for (const struct row *row = rep->rows; row < rep->rows + rep->nrows; row++)
			for (const struct run *run = row->runs; run < row->runs + row->nruns; run++)
				if (is_timed(run->verdict.outcome) && number_at(run, column->offset) >= 0)
					return true;
	return false;
}

/* Quote a field also for a #, which begins a comment for many programs. */
static void print_csv_field(FILE *f, const char *text) {
	const char *quote = text[strcspn(text, ",\"#\r\n")] ? "\"" : "";
	fputs(quote, f);
	print_escaped(f, text, &csv);
	fputs(quote, f);
}

static void print_csv_run(FILE *f, const struct report *rep, const struct row *row, const struct run *run,
    const bool known[NUMBERS]) {
	struct text outcome, detail;
	print_outcome(begin_text(&outcome), &run->verdict);
	print_detail(begin_text(&detail), &run->verdict);
	bool timed = is_timed(run->verdict.outcome);
	print_csv_field(f, row->name);
	fprintf(f, ",%d,", run->round);
	if (timed) fprintf(f, "%" PRId64, run->ns);
	fputc(',', f);
	print_csv_field(f, finish_text(&outcome));
	fputc(',', f);
	print_csv_field(f, finish_text(&detail));
	fprintf(f, ",%" PRId64, rep->len);
	for (int i = 0; i < NUMBERS; i++)
		if (known[i]) fprintf(f, ",%s", timed ? number_text(run, &number_columns[i]).str : "");
	fputc('\n', f);
	free(outcome.chars);
	free(detail.chars);
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
			for (const struct run *run = row->runs; run < row->runs + row->nruns; run++) {
				runs[run->order].row = row;
				runs[run->order].run = run;
			}
		for (int i = 0; i < rep->nruns; i++) /* others are of rows left out, or not in the table */
			if (runs[i].row) print_csv_run(f, rep, runs[i].row, runs[i].run, known);
		free(runs);
	}
}

/* True if the text is a JSON number (RFC 8259, 6), like 0 or 1.5. Another program's file may contain any. */
static bool is_number(const char *text) {
	static const char digits[] = "0123456789";
	size_t digits_before = strspn(text, digits);
	const char *rest = text + digits_before;
	if (!digits_before || (*text == '0' && digits_before > 1)) return false;
	if (*rest == '.' && !isdigit((unsigned char)rest[1])) return false;
	rest += *rest == '.';
	rest += strspn(rest, digits);
	if (!strncmp(rest, "e-", 2) && isdigit((unsigned char)rest[2])) rest += 2 + strspn(rest + 2, digits);
	return !*rest;
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
	struct text outcome, detail;
	int n = 0;
	bool timed = is_timed(row->verdict.outcome), compared = ratio->estimate > 0, sure = ratio->low > 0;
	print_outcome(begin_text(&outcome), &row->verdict);
	print_detail(begin_text(&detail), &row->verdict);
	fputs("  {", f);
	print_json_member(f, "row", row->name, true);
	fputs(", ", f);
	print_json_member(f, "outcome", finish_text(&outcome), true);
	fputs(", \"runs_ns\": [", f);
	for (const struct run *run = row->runs; run < row->runs + row->nruns && timed; run++)
		if (is_timed(run->verdict.outcome)) fprintf(f, "%s%" PRId64, n++ ? ", " : "", run->ns);
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
	print_json_member(f, "detail", finish_text(&detail), true);
	fputc('}', f);
	free(outcome.chars);
	free(detail.chars);
}

/* Print a list of reports: of one session, several sizes or several files. */
static void print_json(FILE *f, const struct report *reports, int n) {
	bool known[NUMBERS];
	for (int i = 0; i < NUMBERS; i++) known[i] = has_number(reports, n, &number_columns[i]);
	fprintf(f, "{\"schema\": %d, \"reports\": [", SCHEMA);
	for (const struct report *rep = reports; rep < reports + n; rep++) {
		fputs(rep > reports ? ",\n {" : "\n {", f);
		fputs("\"environment\": {", f);
		for (const struct fact *fact = rep->facts; fact < rep->facts + rep->nfacts; fact++) {
			bool number = fact->fact_row && fact->fact_row->is & IS_NUMBER
			    && is_number(fact->value);
			fputs(fact > rep->facts ? ",\n  " : "\n  ", f);
			print_json_member(f, fact->key, fact->value, !number);
		}
		fputs("},\n \"rows\": [", f);
		for (int i = 0; i < rep->nrows; i++) {
			fputs(i ? ",\n" : "\n", f);
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
#define TICKS 5                 /* at most, of an axis whose end is less than */
#define SHORT 4                 /* times its beginning */
#define EDGE 1.07               /* times the last value: the end of an axis */
#define PLOT_LEAST 300          /* units of the dots or curves beside names, which may widen a picture */
#define GIB_A_SECOND 1.073741824 /* in bytes per nanosecond */
#define ROWS_NAMED 6            /* rows of curves that are all named */
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

/* Make room for the least width of a plot beside something. Returns the width of the picture. */
static double widen(struct picture *pic, double beside) {
	double width = 2 * MARGIN + beside + PLOT_LEAST;
	if (pic->width < width) pic->width = width;
	return pic->width;
}

/* Print lines of text, with their indents, and free it. */
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
	double least, most;           /* the same as values */
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

/* The first of 1, 2, 5, 10, 20 ... that is above a positive number, from a millionth on. */
static double next_round(double x) {
	for (double ten = 1e-6;; ten *= 10)
		for (int i = 0; i < LENGTH(round_numbers); i++)
			if (round_numbers[i] * ten > x * (1 + 1e-6)) return round_numbers[i] * ten;
}

/* Print ticks of an axis of speeds, as lines to `edge` and `end` of the other axis, with labels where there
 * is room: round numbers, or on a short axis multiples of one. */
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

/* The best speed of a row at a size; 0: not measured, or mostly start-up. */
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

/* The letters of the longest label of a table's rows, which are cut. */
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

/* Add a named curve, unless it exists or its row was never measured. Returns the number of curves. */
static int add_curve(struct curve *curves, int n, const struct set *set, const char *name) {
	bool has = false;
	for (int i = 0; i < n; i++)
		if (!strcmp(curves[i].name, name)) return n;
	for (int i = 0; i < set->n; i++) has |= best_speed(set->reports[i], name) > 0;
	if (has && n < CURVES) curves[n++].name = name;
	return n;
}

/* Find the named curves: rows to keep or use, commands, and rows that the user named; of a few rows all. */
static int find_curves(const struct set *set, const struct grid *g, struct curve *curves) {
	int n = 0;
	for (int i = 0; i < set->n; i++)
		if (recommended(set->reports[i]))
			n = add_curve(curves, n, set, recommended(set->reports[i])->name);
	for (int i = 0; i < g->nlines; i++)
		if (g->lines[i]->command || g->nlines <= ROWS_NAMED
		    || is_named(&set->reports[0]->options->select, g->lines[i]->name))
			n = add_curve(curves, n, set, g->lines[i]->name);
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

/* Draw speed by size. Rows to keep or use, and commands are named; the other curves are grey. */
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

/* To add a format: write its function, and add a line here; extensions are named in the help of --output,
 * too. The first is the default. */
static const struct format formats[] = {
	{ "text", ".txt", .document = print_text, .cuts_names = true },
	{ "markdown", ".md", .document = print_markdown },
	{ "csv", ".csv", .data = print_csv }, { "json", ".json", .data = print_json },
	{ "svg", ".svg", .document = print_svg, .cuts_names = true },
};

/* ---- Reading: a report in CSV is read back --------------------------------------------------- */

#define ROWS_MAX 1000           /* of a report that is read: several times our own number */
#define LINE_MAX_BYTES (16 * M) /* longest line of a report: room for any command */

enum { FIELDS_MAX = 64, FACTS_MAX = 200 };

struct reader {
	const struct options *o;
	const char *file;
	FILE *f;
	int64_t line_number;         /* from 1 */
	char *text;                  /* of that line, split into fields; allocated */
	char *fields[FIELDS_MAX];
	int nfields, ncolumns;
	const struct number_column *column_of[FIELDS_MAX]; /* of each field; NULL: not a number of a run */
	int detail_field, bytes_field; /* -1: none */
	struct report *reports;      /* the file's reports, one after the other */
	int n, earlier_runs;         /* reports; runs in other files, and in reports before the last */
	int64_t run_lines;           /* that the last report claims to contain; -1: none */
};

#define die_at(r, format, ...) die("%s: line %" PRId64 ": " format, (r)->file, (r)->line_number, __VA_ARGS__)

/* Read a line, without its end. A tab is escaped, which would spoil every table. */
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
	split_fields(r);
	r->ncolumns = r->nfields;
	r->detail_field = r->bytes_field = -1;
	if (*r->text == '{') die_at(r, "%s", "is JSON: --compare reads CSV, which -o FILE.csv writes");
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

/* True if a report is more rounds of another: of the same place, machine and options. */
static bool is_continued(const struct report *rep, const struct report *more) {
	bool same = rep->len == more->len && !has_later_rounds(rep) && !has_later_rounds(more);
	for (const struct fact_row *row = fact_rows; row < fact_rows + LENGTH(fact_rows); row++)
		if (row->is & EQUAL) same &= is_same_fact(rep, more, row->key);
	return same;
}

/* Add the facts of another session: what is not known yet, the first and the last date, that bytes were
 * compared. */
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

/* End a report: keep the rows that are wanted, in the order of the table. */
static void finish_report(struct reader *r) {
	struct report *rep = &r->reports[r->n - 1];
	int64_t asked = rep->rounds; /* 0: not known: all rounds */
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
			die_at(r, "%.40s has no run up to round %" PRId64, rep->rows[i].name,
			    last_early(rep));
	find_finalists(rep, has_later_rounds(rep)); /* before rows are left out */
	for (int i = 0; i < rep->nrows; i++) {
		struct row own_row = rep->rows[i];
		bool wanted = !r->o->select.n || matches(&r->o->select, own_row.name);
		if (matches(&r->o->exclude, own_row.name) || !wanted) continue;
		rep->rows[i] = rep->rows[n]; /* swap: rows that are left out follow those that are kept */
		rep->rows[n++] = own_row;
	}
	rep->nrows = n;
	rep->counters = has_number(rep, 1, &number_columns[NUMBERS - COUNTERS]);
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
		die_at(r, "is of schema %.40s, and this version reads schema %d: measure again", value,
		    SCHEMA);
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

/* Parse an outcome of print_outcome(). Returns false if it is not one. */
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

/* Take what an outcome's detail says, as printed by print_detail(). */
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

/* Read the reports of a file: each its facts, then its runs. Returns the number of reports. earlier_runs:
 * those in other files. */
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

/* The bytes that all files' names begin or end with, up to one that parts words; a byte of each stays. */
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
	check_used(&o->select, "select", NULL, " of these reports");
	check_used(&o->exclude, "exclude", NULL, " of these reports");
	return n;
}

static int compare_sets(const void *a, const void *b) {
	const struct set *x = a, *y = b;
	return (x->reports[0]->len > y->reports[0]->len) - (x->reports[0]->len < y->reports[0]->len);
}

/* List the tables of reports: of one file, or measured here, one of all sizes; of several files one for each
 * size. Allocated; *found: their number. */
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

static bool fill_zeros(struct copy *c, unsigned char *buf) {
	memset(buf, 0, c->block);
	return true;
}

/* One page of random bytes, repeated. */
static bool fill_random(struct copy *c, unsigned char *buf) {
	if (getrandom(buf, DIO_ALIGNMENT, 0) < 0) return fail(c, errno, "getrandom");
	for (int64_t at = DIO_ALIGNMENT; at < c->block; at += DIO_ALIGNMENT)
		memcpy(buf + at, buf, DIO_ALIGNMENT);
	return true;
}

/* Each word is a hash of its index, so that no two blocks are alike. */
static bool fill_noise(struct copy *c, unsigned char *buf) {
	uint64_t *words = (uint64_t *)(void *)buf, state;
	for (int64_t i = 0; i < c->block / 8; i++) {
		state = (uint64_t)(c->done / 8 + i) * UINT64_C(0x9e3779b97f4a7c15);
		words[i] = htole64(random_number(&state));
	}
	return true;
}

/* To add a content: a line here, with what fills a buffer: before the first write, or before each. */
static const struct {
	const char *word;
	bool (*once)(struct copy *, unsigned char *), (*each)(struct copy *, unsigned char *);
} contents[] = {
	{ "zero", fill_zeros, NULL }, { "random", fill_random, NULL },
	{ "page", NULL, NULL }, /* memory as allocated */
	{ "noise", NULL, fill_noise },
};

/* Write the content to an output. Returns the exit status. */
static int generate(const struct options *o, const struct endpoint *sink) {
	struct kit kit = empty_kit;
	struct copy c = { .out = { sink->user_fd }, .nout = 1, .len = o->generate, .block = 256 * K,
	    .kit = &kit };
	if (!sink->ops || isatty(sink->user_fd))
		die("%s: is not a file, pipe or device: redirect it: " PROGRAM " --generate=noise:256m >FILE",
		    sink->label);
	check_use(sink->label, sink->user_fd, true);
	/* may be refused */
	if (sink->ops->kind == KIND_PIPE) fcntl(sink->user_fd, F_SETPIPE_SZ, (int)PIPE_LARGE);
	unsigned char *buf = get_buffer(&c, c.block);
	bool good = buf && (!contents[o->content].once || contents[o->content].once(&c, buf));
	for (size_t size; good && (size = bytes_wanted(&c));) {
		if (contents[o->content].each) contents[o->content].each(&c, buf);
		good = write_out(&c, 0, buf, size);
	}
	const char *call = NULL;
	int err = good ? flush_fd(sink->user_fd, &call) : 0;
	if (err) good = fail(&c, err, call);
	if (!good) warn("%s: %s: %s", sink->label, c.failure.call, errno_text(c.failure.err).str);
	return good ? 0 : EXIT_FAILED_ROW;
}

/* ---- Options: one table, from which usage and manual page are made --------------------------- */

#define PAUSE_DEFAULT_MS 100    /* as in the base document */
#define LARGE_FROM_MIB 16       /* of several sizes, smaller ones have more runs and shorter pauses */
#define PAUSE_OF_SMALL_MS 10    /* the pause does not change their times */
#define RUNS_MAX 100000         /* of a row */
#define SLOWER_DEFAULT 5        /* percent that --fail-if-slower allows */

/* The value that an option sets. ENDPOINT: a struct option_end; SPECIAL: its function sets it. */
enum option_kind {
	HEADING, ACTION, FLAG, CHOICE, COUNT, SIZES, TIME, FILE_NAME, ENDPOINT, COMMANDS, GLOBS, WORD,
	    SPECIAL,
};

/* Subjects of options, as bits, for .excludes. */
enum {
	MEASURES = 1, SELECTS = 2, REPORTS = 4, NAMES_FILE = 8, SINKS = 16, ACTS = 32, FILLS = 64,
};

struct option_row {
	char letter;            /* 0: none */
	const char *name, *arg; /* arg: as in the usage, behind the words; optional if it begins with "[" or
	                         * " "; NULL: takes none */
	enum option_kind option_kind;
	size_t field;           /* of struct options, that it sets */
	int64_t least, most;    /* of COUNT */
	int number;             /* of ACTION its mode, of CHOICE that of its field */
	int is, excludes;
	void (*apply)(struct options *, const struct option_row *, char *arg);
	const char *(*word_at)(int); /* one of the words that it takes, by number; NULL after the last */
	const char *help;
};

/* Split a list of globs at commas, except for those before a blank, which belong to names. */
static void add_globs(struct list *list, const char *option_name, char *text) {
	while (text) {
		char *glob = text, *comma = text;
		while ((comma = strchr(comma, ',')) && comma[1] == ' ') comma++;
		if (comma) *comma++ = '\0';
		if (!*glob)
			die("--%s: a glob is empty: " PROGRAM " --list --all names the rows", option_name);
		append(list, glob);
		text = comma;
	}
}

/* Set the sizes to those of a list, each once, in ascending order. */
static void add_sizes(struct sizes *all_sizes, const char *option_name, const char *text) {
	char *rest = format_text("%s", text), *begin = rest, *word;
	all_sizes->n = 0;
	while ((word = strsep(&rest, ","))) {
		int64_t size = parse_size(word);
		int i = 0;
		if (size <= 0)
			die("--%s=%s: is not a size: use 1 byte to 8 EiB - 1, like 4096, 64k, 1.5m, 4MiB or "
			    "4MB", option_name, word);
		while (i < all_sizes->n && all_sizes->ascending[i] < size) i++;
		if (i < all_sizes->n && all_sizes->ascending[i] == size) continue;
		if (all_sizes->n == SIZES_MAX)
			die("--%s=%s: has more than %d sizes: leave some out", option_name, text, SIZES_MAX);
		memmove(&all_sizes->ascending[i + 1], &all_sizes->ascending[i],
		    (all_sizes->n++ - i) * sizeof *all_sizes->ascending);
		all_sizes->ascending[i] = size;
	}
	free(begin);
}

static const char *until_word(int i) { return i < LENGTH(untils) ? untils[i].word : NULL; }

static const char *format_word(int i) { return i < LENGTH(formats) ? formats[i].name : NULL; }

static const char *content_word(int i) { return i < LENGTH(contents) ? contents[i].word : NULL; }

/* The argument of an option, as in the usage: "a|b|c". */
static struct words argument_text(const struct option_row *option) {
	struct words all = { "" };
	for (int i = 0; option->word_at && option->word_at(i); i++)
		all = fmt("%s%s%s", all.str, i ? "|" : "", option->word_at(i));
	return fmt("%s%s", all.str, option->arg ? option->arg : "");
}

/* Returns the number of a word that an option takes; -1: it does not take that one. */
static int find_word(const struct option_row *option, const char *word, size_t size) {
	for (int i = 0; option->word_at(i); i++)
		if (strlen(option->word_at(i)) == size && !strncmp(option->word_at(i), word, size)) return i;
	return -1;
}

#define OPTION(name) \
	static void name(UNUSED struct options *o, UNUSED const struct option_row *option, char *arg)

OPTION(set_overwrite) {
	if (arg && strcmp(arg, "cached")) die("--overwrite=%s: is not known: use --overwrite=cached", arg);
	o->fill = arg ? OVER_CACHED : OVER_EVICTED;
}

OPTION(set_explain) { add_globs(&o->select, option->name, arg); }
OPTION(set_compare) { if (arg) append(&o->compare, arg); }

OPTION(set_generate) {
	size_t length = strcspn(arg, ":");
	int content = find_word(option, arg, length);
	o->generate = arg[length] ? parse_size(arg + length + 1) : 0;
	if (content < 0 || o->generate <= 0)
		die("--generate=%s: is not %s, like noise:256m", arg, argument_text(option).str);
	o->content = content;
}

OPTION(set_slower) {
	char *tail = arg;
	o->slower = arg ? strtod(arg, &tail) : SLOWER_DEFAULT;
	if (arg && (*tail || arg[strspn(arg, "0123456789.")] || !(o->slower >= NO_CHANGE)))
		die("--fail-if-slower=%s: is not a number from " TEXT_OF(NO_CHANGE) " on, like 5 or 2.5 "
		    "(percent)", arg);
}

OPTION(set_output) {
	if (!*arg || !strcmp(arg, "-"))
		die("--output=%s: standard output carries the copy: name a file for the report", arg);
	if (o->nreport_files == REPORT_FILES_MAX)
		die("--output=%s: is one too many: there can be %d reports", arg, REPORT_FILES_MAX);
	o->report_files[++o->nreport_files].name = arg;
}

/* To add an option: add a line here, with its kind, the field that it sets, and the options it excludes. */
#define SETS(name) .field = offsetof(struct options, name)
static const struct option_row option_rows[] = {
	{ .name = "Rows" },
	{ 'l', "list", NULL, ACTION, .number = LIST, .is = ACTS, .excludes = ACTS | NAMES_FILE, .help =
	  "list the rows (name, calls, first kernel, a program that copies this way) and stop" },
	{ 0, "explain", "GLOB[,GLOB]...", ACTION, .number = EXPLAIN, .apply = set_explain, .is = ACTS,
	  .excludes = ACTS | NAMES_FILE, .help =
	  "print what these rows call (without checks), how the calls fail, and their names in Python, Go "
	  "and Rust, and stop" },
	{ 's', "select", "GLOB[,GLOB]...", GLOBS, SETS(select), .is = SELECTS, .help = "run only rows whose "
	  "name matches a shell pattern; a full name also selects a row that is not run by default" },
	{ 'x', "exclude", "GLOB[,GLOB]...", GLOBS, SETS(exclude), .is = SELECTS, .help = "leave out rows "
	  "whose name matches" },
	{ 'a', "all", NULL, FLAG, SETS(all), .is = MEASURES, .help = "every strategy with every possible "
	  "advice, including slow rows" },
	{ 'w', "with", "COMMAND", COMMANDS, SETS(with), .is = MEASURES, .help = "add a row: COMMAND "
	  "copies its standard input to its standard output (with --tee, also to \"$TEE\"), or \"$IN\" to "
	  "\"$OUT\", as in --with='cp \"$IN\" \"$OUT\"'; $SIZE is the number of bytes; repeatable" },
	{ .name = "Measuring" },
	{ 'n', "runs", "N", COUNT, SETS(runs_asked), .least = 1, .most = RUNS_MAX, .is = MEASURES, .help =
	  "rounds of all rows; default: " TEXT_OF(ROUNDS_DEFAULT) ", then up to " TEXT_OF(ROUNDS_FINAL) " of "
	  "those in question, then " TEXT_OF(ROUNDS_LAST) " of the command and the row to use" },
	{ 0, "warmup", "N", COUNT, SETS(warmup), .most = RUNS_MAX, .is = MEASURES, .help = "rounds before "
	  "the first that counts; default 0" },
	{ 'p', "pause", "SECONDS", TIME, SETS(pause), .is = MEASURES, .help = "sleep before each run; "
	  "default " TEXT_OF(PAUSE_DEFAULT_MS) "ms, below " TEXT_OF(LARGE_FROM_MIB) "MiB "
	  TEXT_OF(PAUSE_OF_SMALL_MS) "ms" },
	{ 0, "until", "", WORD, SETS(until), .word_at = until_word, .is = MEASURES, .help = "what the clock "
	  "waits for: the last call's return (default), the close of the output, or fdatasync" },
	{ 0, "cold", NULL, FLAG, SETS(setting.cold), .is = MEASURES, .help = "evict the input from the page "
	  "cache before each run, and report how much of it stayed" },
	{ 0, "overwrite", "[=cached]", SPECIAL, .apply = set_overwrite, .is = MEASURES | FILLS,
	  .excludes = FILLS, .help =
	  "overwrite the output's blocks instead of truncating it; before each run they are evicted from the "
	  "page cache (cached: kept there)" },
	{ 0, "new", NULL, CHOICE, SETS(fill), .number = RENEWED, .is = MEASURES | FILLS, .excludes = FILLS,
	  .help = "write each run to a new file in OUTPUT's directory, like cp to a new name" },
	{ 0, "replace", NULL, CHOICE, SETS(fill), .number = REPLACED, .is = MEASURES | FILLS,
	  .excludes = FILLS, .help = "the output is full when the clock starts, and truncating it is timed, "
	  "as with > and cp onto old files" },
	{ 0, "reuse", NULL, FLAG, SETS(setting.reuse), .is = MEASURES, .help = "time the cost per file in "
	  "a program that copies many: buffers, pipes, rings and threads are set up, and used once, before "
	  "the clock starts" },
	{ 0, "in-order", NULL, FLAG, SETS(in_order), .is = MEASURES, .help = "each round "
	  "in the order of the table; default: shuffled" },
	{ 0, "seed", "N", COUNT, SETS(seed), .most = INT64_MAX, .is = MEASURES, .help = "seed of the "
	  "shuffle; the report names it" },
	{ 0, "no-verify", NULL, FLAG, SETS(no_verify), .is = MEASURES, .help = "skip the full byte compare "
	  "of each row: exit status 0 then means that no call failed and all sizes are right (what "
	  "commands write into pipes and devices is counted once)" },
	{ 'z', "size", "SIZE[,SIZE]...", SIZES, SETS(sizes), .is = MEASURES, .help = "copy only the first "
	  "SIZE bytes, like 4096, 64k, 1.5m, 4MiB or 4MB (10^6); needed if the input is endless; several: "
	  "all rows at each" },
	{ .name = "Inputs and outputs" },
	{ 0, "from", "COMMAND", ENDPOINT, SETS(from_end), .is = MEASURES, .help = "the input is what COMMAND "
	  "writes; a new process each run, with the value of --size in $SIZE" },
	{ 0, "into", "COMMAND", ENDPOINT, SETS(into_end), .is = MEASURES | SINKS,
	    .help = "the output is COMMAND's "
	  "standard input; a new process each run, whose own output is discarded; the clock stops when it "
	  "ends" },
	{ 't', "tee", "FILE", FILE_NAME, SETS(tee), .is = MEASURES, .help = "a second output, FILE, created "
	  "or truncated as by tee(1)" },
	{ 0, "send", NULL, ENDPOINT, SETS(into_end), .is = MEASURES | SINKS, .excludes = SINKS,
	    .help = "the output "
	  "is a TCP connection over loopback, a new one for each run, to a process of this program's" },
	{ 'g', "generate", ":SIZE", ACTION, .number = GENERATE, .word_at = content_word,
	    .apply = set_generate,
	  .is = ACTS, .excludes = ACTS | MEASURES | SELECTS | REPORTS | NAMES_FILE, .help =
	  "write SIZE bytes to standard output and stop: zeros; one random page, repeated; pages as the "
	  "allocator gives them; or noise, in which no two blocks are alike" },
	{ .name = "Reports" },
	{ 'f', "format", "", WORD, SETS(format_number), .word_at = format_word, .is = REPORTS,
	    .help = "format of "
	  "the report on standard error, since standard output carries the copy (--compare: on standard "
	  "output); default text" },
	{ 'o', "output", "FILE", SPECIAL, .apply = set_output, .is = NAMES_FILE, .help = "also write the "
	  "report to FILE; repeatable; its extension names the format (.txt .md .csv .json .svg), else -f "
	  "does" },
	{ 'v', "verbose", NULL, FLAG, SETS(verbose), .help = "print everything known about the session "
	  "below the table" },
	{ 0, "counters", NULL, FLAG, SETS(setting.counters), .is = MEASURES, .help = "count "
	  "context switches, migrations, page faults, cycles, instructions, branches and branch misses, for "
	  "CSV and JSON" },
	{ 0, "compare", " FILE...", ACTION, .number = COMPARE, .apply = set_compare, .is = ACTS,
	  .excludes = ACTS | MEASURES, .help =
	  "read CSV reports: print one again in another format; test what changed between two; print several "
	  "side by side" },
	{ 0, "top", "N", COUNT, SETS(top), .most = RUNS_MAX, .is = REPORTS, .help = "print only the N "
	  "fastest rows, the commands, and the rows that sentences name; default 0: all" },
	{ 0, "baseline", "ROW", FILE_NAME, SETS(baseline), .is = MEASURES, .help = "compare each --with row "
	  "with ROW, like '$ ./old', in the same rounds" },
	{ 0, "fail-if-slower", "[=PERCENT]", SPECIAL, .apply = set_slower,
	    .help = "with --baseline: run the "
	  "commands and ROW alone, " TEXT_OF(ROUNDS_GATE) " times; exit status 3 if one is slower by more "
	  "than PERCENT (from " TEXT_OF(NO_CHANGE) " on, default " TEXT_OF(SLOWER_DEFAULT) "), or failed; 0 "
	  "if each is shown not to be; 4 if the runs can't tell" },
	{ 'q', "quiet", NULL, FLAG, SETS(quiet), .help = "print only what failed, the gate, and the "
	  "answer" },
	{ 'h', "help", NULL, ACTION, .number = HELP, .help = "print this help and stop" },
	{ 'V', "version", NULL, ACTION, .number = SHOW_VERSION, .help = "print the version and stop" },
	{ 0, "man", NULL, ACTION, .number = MANUAL, .help = "print the manual page and stop" },
};

/* True if the argument is optional. It then includes its separator: "[=PERCENT]" or " FILE...". */
static bool is_optional(const struct option_row *option) {
	return option->arg && (*option->arg == '[' || *option->arg == ' ');
}

/* Set an option's field. arg: NULL if there is none. */
static void set_option(struct options *o, const struct option_row *option, char *arg) {
	void *field = (char *)o + option->field;
	bool command = option->arg && (option->option_kind == COMMANDS || option->option_kind == ENDPOINT);
	if (command && !arg[strspn(arg, " \t\n")])
		die("--%s=%s: is empty: name a command", option->name, arg);
	switch (option->option_kind) {
	case FLAG:
		*(bool *)field = true;
		break;
	case CHOICE:
		*(int *)field = option->number;
		break;
	case COUNT:
		*(int64_t *)field = parse_count(arg, option->least, option->most);
		if (*(int64_t *)field < option->least)
			die("--%s=%s: is not a whole number from %" PRId64 " to %" PRId64, option->name, arg,
			    option->least, option->most);
		break;
	case SIZES:
		add_sizes(field, option->name, arg);
		break;
	case TIME:
		*(int64_t *)field = parse_time(arg);
		if (*(int64_t *)field < 0)
			die("--%s=%s: is not a time from 0 to %d seconds, like 0.1 or 100ms", option->name,
			    arg, PAUSE_MAX);
		break;
	case COMMANDS:
		if (is_named(field, arg)) die("--%s=%s: is given twice: leave one out", option->name, arg);
		append(field, arg);
		break;
	case ENDPOINT:
		*(struct option_end *)field = (struct option_end){ option->name, arg };
		break;
	case FILE_NAME:
		if (!*arg) die("--%s=: is empty: use --%s=%s", option->name, option->name, option->arg);
		*(const char **)field = arg;
		break;
	case GLOBS:
		add_globs(field, option->name, arg);
		break;
	case WORD:
		*(int *)field = find_word(option, arg, strlen(arg));
		if (*(int *)field < 0)
			die("--%s=%s: is not known: use %s", option->name, arg, argument_text(option).str);
		break;
	default:;
	}
	if (option->apply) option->apply(o, option, arg);
}

/* The extension of a file's name, with its dot; NULL: none. */
static const char *find_extension(const char *name) {
	const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
	return *base ? strrchr(base + 1, '.') : NULL;
}

/* A file has the format of its extension, or else that of --format. What is printed has that of --format
 * unless a file takes it, or else is text. */
static void find_formats(struct options *o) {
	const struct format *asked = o->format_number < 0 ? NULL : &formats[o->format_number];
	bool used = false;
	for (int i = 1; i <= o->nreport_files; i++) {
		struct report_file *file = &o->report_files[i];
		const char *extension = find_extension(file->name);
		for (int k = 0; k < LENGTH(formats) && extension; k++)
			if (!strcasecmp(extension, formats[k].extension)) file->format = &formats[k];
		if (extension && !file->format && !asked)
			die("--output=%s: %s is the extension of no format: use .txt, .md, .csv, .json or "
			    ".svg, or name it with --format", file->name, extension);
		used |= !file->format;
		if (!file->format) file->format = asked ? asked : formats;
	}
	o->report_files[0].format = asked && !used ? asked : formats;
	if (o->quiet && !o->report_files[0].format->data) o->report_files[0].format = NULL;
}

static const char summary[] = "find the fastest way to copy standard input to standard output";
static const char description[] =
	"Copies standard input to standard output several times with every strategy that Linux has for it, "
	"and with every advice that is worth giving. Checks each copy against the input. Prints the best, "
	"median and worst run of each row, and how far its best run is behind the best of all. ~ marks the "
	"rows that may be the fastest: with " TEXT_OF(CONFIDENCE) "% confidence the fastest of those in "
	"question after three rounds is among them. Says what to keep, or to use. Standard output (and the "
	"second one of --tee) is a copy of standard input when the exit status is 0; a pipe "
	"gets the bytes of every run.";

static const struct {
	const char *code, *text;
} statuses[] = {
	{ "0", "All rows were measured, or are not applicable here." },
	{ "1", "A row, a report or the last copy failed, or a child can't be ended." },
	{ "2", "Bad usage, or refused to start: input and output are as they were; a new file of -o or --tee "
	  "may stay, empty." },
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
	const char *equals = option->arg && !is_optional(option) ? "=" : "";
	return fmt("%-4s--%s%s%s", option->letter ? letter.str : "", option->name, equals,
	    argument_text(option).str);
}

static void print_help(FILE *f) {
	enum { INDENT = 30, STATUS_INDENT = 9 };
	for (int i = 0; i < LENGTH(usages); i++)
		fprintf(f, "%s " PROGRAM " %s\n", i ? "      " : "Usage:", usages[i]);
	print_wrapped(f, description, TEXT_WIDTH, 0, 0);
	for (const struct option_row *option = option_rows; option < option_rows
	    + LENGTH(option_rows); option++) {
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

/* Refuse options that exclude each other. */
static void check_exclusions(const bool *given) {
	for (int i = 0; i < LENGTH(option_rows); i++)
		for (int k = 0; k < LENGTH(option_rows); k++)
			if (i != k && given[i] && given[k] && option_rows[i].excludes & option_rows[k].is)
				die("--%s: can't be combined with --%s: leave out one of them",
				    option_rows[i].name, option_rows[k].name);
}

/* A command line, quoted for a shell. Allocated. */
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

/* Refuse a word that getopt_long(3) rejects: unknown, or with an argument that the option does not
 * take. */
__attribute__((noreturn)) static void die_unknown(const char *word, int short_name) {
	size_t length = strcspn(word, "=");
	bool is_long = !strncmp(word, "--", 2);
	for (const struct option_row *option = option_rows; option < option_rows
	    + LENGTH(option_rows); option++)
		if (option->option_kind && word[length] && is_long && strlen(option->name) == length - 2
		    && !strncmp(option->name, word + 2, length - 2))
			die("--%s: takes no argument: leave it out", option->name);
	if (is_long) die("unknown option %.*s. See --help.", (int)length, word);
	die("unknown option -%c. See --help.", short_name);
}

/* Set the options, in any order, and collect the operands. given: by rows of option_rows[]. */
static void take_words(struct options *o, int argc, char **argv, bool *given, struct list *operands) {
	enum { WORD_FOUND = 1, LONG = 256 }; /* LONG + row: a long option */
	struct option longs[LENGTH(option_rows) + 1] = { { .name = NULL } }, *next = longs;
	char letters[3 * LENGTH(option_rows) + 3] = "-:", *end = letters + strlen(letters);
	for (int i = 0; i < LENGTH(option_rows); i++) {
		const struct option_row *option = &option_rows[i];
		int argument = is_optional(option) ? optional_argument : option->arg != NULL;
		if (!option->option_kind) continue;
		*next++ = (struct option){ option->name, argument, NULL, LONG + i };
		if (!option->letter) continue;
		*end++ = option->letter;
		for (int k = 0; k < argument; k++) *end++ = ':';
	}
	opterr = 0;
	for (;;) {
		const char *word = argv[optind];
		int found = getopt_long(argc, argv, letters, longs, NULL);
		const struct option_row *option = option_rows;
		/* musl's getopt_long(3) stops at "-", glibc's returns it as an operand */
		if (found == -1 && word && !strcmp(word, "-") && strcmp(argv[optind - 1], "--")) {
			append(operands, argv[optind++]);
			continue;
		}
		if (found == -1) break;
		if (found == WORD_FOUND) {
			append(operands, optarg);
			continue;
		}
		if (found == ':' && word[1] != '-') die("-%c: needs an argument: see --help", optopt);
		if (found == ':') die("%s: needs an argument: see --help", word);
		if (found == '?') die_unknown(word, optopt);
		if (found >= LONG) option += found - LONG;
		else
			while (option->letter != found) option++;
		/* abbreviations would break when an option is added */
		if (found >= LONG && strlen(option->name) != strcspn(word + 2, "=")) die_unknown(word, 0);
		bool again = given[option - option_rows];
		bool single = option->option_kind == ENDPOINT || option->option_kind == FILE_NAME
		    || option->option_kind == SIZES;
		if (single && again) die("--%s: is given twice: give it once", option->name);
		set_option(o, option, optarg);
		given[option - option_rows] = true;
		bool stays = is_informative(o->mode) && !is_informative(option->number);
		if (option->option_kind == ACTION && !stays)
			o->mode = option->number;
	}
	for (; optind < argc; optind++) append(operands, argv[optind]);
}

/* Read the command line. */
static void parse_options(struct options *o, int argc, char **argv) {
	bool given[LENGTH(option_rows)] = { false };
	struct list operands = { .n = 0 };
	*o = (struct options){ .pause = -1, .seed = -1, .format_number = -1, .slower = -1 };
	o->command_line = quote_arguments(argv);
	take_words(o, argc, argv, given, &operands);
	for (int i = 0; o->mode == COMPARE && i < operands.n; i++) append(&o->compare, operands.item[i]);
	for (int i = 0; i < o->compare.n; i++) /* a message would spoil the report */
		if (is_behind(STDERR_FILENO, o->compare.item[i]))
			die_diverted(SAME_FILE, o->compare.item[i]);
	if (is_informative(o->mode)) return;
	check_exclusions(given);
	if (o->mode == COMPARE && !o->compare.n)
		die("--compare: needs files: name reports that --format=csv has written");
	if (o->slower >= 0 && !o->baseline)
		die("--fail-if-slower: needs --baseline=ROW, in one session with it%s", o->mode == COMPARE
		    ? "; between files --compare tells what changed" : "");
	find_formats(o);
	if (o->mode != COMPARE && operands.n)
		die("%s: is not an option: input and output are redirected: " PROGRAM " <INPUT >OUTPUT",
		    operands.item[0]);
	bool random = o->seed < 0;
	if (random && getrandom(&o->seed, sizeof o->seed, GRND_NONBLOCK) < 0) o->seed = now();
	o->seed &= INT64_MAX >> (random ? 31 : 0); /* short enough to type */
	free(operands.item);
	free(operands.matched);
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
	fprintf(f, ".SS Columns of CSV, and members of a row in JSON\n");
	for (int i = 0; i < LENGTH(other_columns); i++)
		print_term(f, other_columns[i].name, other_columns[i].help);
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
	  "fallocate). bs is a block of the output's file system. --explain prints the calls of a row."),
	TEXT("Times are those of the whole run: advice, set-up, the copy, and what the ends wait for. Rows "
	  "take turns in shuffled rounds, so that a machine that slows down affects all of them. The columns "
	  "are the best, median and worst time; how far the best is behind the best of all; the mark; and "
	  "the CPU time as a share of the run, unless that is about 100%."),
	TERM("~", "With " TEXT_OF(CONFIDENCE) "% confidence the fastest row is among those with this mark: "
	  "no other row is faster by an exact one-sided Mann-Whitney test. With too few runs for the test it "
	  "is a first guess, and called so."),
	TERM("shared, untouched", "No data moved: the output shares the input's blocks, or references to "
	  "pages went to a device that reads none. Not ranked."),
	TERM("start-up", "Starting the command, on an empty input, takes more than half of its best run. "
	  "Not compared: use a larger input."),
	TERM("n/a", "The kernel or the file system refused the call before the first byte. No row falls back "
	  "on another call."),
	TERM("Failed, Copied wrongly", "A call or a command failed; or all succeeded, and the output is not "
	  "a copy of the input. The exit status is 1."),
	TEXT("Without -n there are " TEXT_OF(ROUNDS_DEFAULT) " rounds of all rows, and more up to the "
	  TEXT_OF(ROUNDS_FINAL) "th of those in question: commands, the baseline, " USUAL ", and each row "
	  "unless two others were faster in every run (below " TEXT_OF(LARGE_FROM_MIB) " MiB "
	  TEXT_OF(ROUNDS_SMALL) " of all). The table shows these, and is sorted by the best run. Then "
	  TEXT_OF(ROUNDS_LAST) " rounds of two rows, which had no part in choosing them, decide: the command "
	  "with the smallest median (without commands " USUAL ", a plain loop), and the first row with a ~ "
	  "that does not stall in most runs. That is used if it is shown to be faster, by more than the "
	  "start of the command; else the command is kept. With -n all rounds count for everything, and the "
	  "interval is one of " TEXT_OF(CHOSEN) "%. Of more than " TEXT_OF(TESTED_MAX) " runs of a row as "
	  "many are tested."),
	TITLE("INPUTS AND OUTPUTS"),
	TERM("file", "An input is read into the page cache first; copies start at its first byte. An output "
	  "is emptied before each run, unless --overwrite, --replace or --new ask for other states. Whatever "
	  "the rows leave, the last copy is made by read and write, compared and closed."),
	TERM("devices", "A block device is read; as output it is refused. A character device is read with "
	  "--size, like /dev/zero, and written if it is /dev/null, zero or full."),
	TERM("pipe, FIFO, socket", "An input is read once into an unnamed file in TMPDIR, and fed to each "
	  "run through a pipe. An output gets the bytes of every run, and the clock stops when its reader "
	  "has all; one more run of each row goes to a process that compares every byte."),
	TERM("--from, --into", "A new process for each run. --from's is run once beforehand, and copies are "
	  "compared with these bytes: if it writes others each time, use --no-verify. --into's own output is "
	  "discarded; the clock stops when it ends."),
	TERM("--with", "Commands read to the end of their input. If one does not use $SIZE, and the file is "
	  "larger, all rows read its first bytes from an unnamed file beside it. The start of a command "
	  "counts, as its user pays for it; it is measured in the first " TEXT_OF(ROUNDS_DEFAULT) " rounds, "
	  "on an empty input."),
	TERM("To another machine", "nc -lk 7100 >/dev/null there, and here bash -c 'exec " PROGRAM " <X "
	  ">/dev/tcp/HOST/7100'."),
	TEXT("Refused, before anything is touched: an output that is open for append, was written to before, "
	  "or is, or may be, the input or the other output; a directory, terminal or device as output; a "
	  "file that backs a loop device; a file on proc, sysfs or another kernel interface; a report onto "
	  "any of these; and an input that is empty."),
	TITLE("COMPARING"),
	TEXT("With --size=4k,64k,1m all rows are measured at each size. --compare prints the change of each "
	  "row between two reports in CSV, by an exact two-sided test over all rows, if it is at least "
	  TEXT_OF(NO_CHANGE) "%; of more files best runs side by side. A report that follows with the same "
	  "size, place and options, by -n, is more rounds of it: cat a1.csv a2.csv >a.csv."),
	TEXT("--baseline compares commands with a row of the same rounds. With --fail-if-slower they run "
	  TEXT_OF(ROUNDS_GATE) " rounds, or -n: slower, if the " TEXT_OF(CONFIDENCE) "% interval of the "
	  "change is above PERCENT, not slower if it is below and at most ten times as wide, or undecided."),
	TITLE("EXIT STATUS"), { .print_table = print_man_statuses },
	TITLE("REPORTS FOR PROGRAMS"),
	TEXT("CSV: lines \"# key: value\", a line of column names, and a line for each run. JSON: "
	  "{\"schema\": " TEXT_OF(SCHEMA) ", \"reports\": [{\"environment\": {...}, \"rows\": [...]}...]}, "
	  "with null for missing numbers. Times are nanoseconds."),
	{ .print_table = print_man_keys },
	TITLE("ENVIRONMENT"),
	TERM("NO_COLOR, TERM", "No colour if NO_COLOR is set, or TERM is unset or dumb."),
	TERM("TMPDIR", "Directory in which the input from a pipe is spooled; default /tmp."),
	TERM("SIZE, IN, OUT, TEE", "Set for commands: the number of bytes to copy, and the names of the "
	  "input, the output and the second output; IN and OUT only for a command that names them."),
};

static void print_man(FILE *f) {
	fprintf(f, ".TH WRITE\\-BENCH 1 \"" RELEASED "\" \"" PROGRAM " " VERSION COMMIT "\" "
	    "\"User Commands\"\n.SH NAME\nwrite\\-bench \\- %s\n.SH SYNOPSIS\n", summary);
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

/* Refuse a standard error that is also an end. */
static void check_stderr(const struct session *s) {
	const struct endpoint *const endpoints[] = { &s->source, &s->sinks[0] };
	for (int i = 0; i < LENGTH(endpoints); i++) {
		const struct endpoint *e = endpoints[i];
		enum sameness same = e->ops ? compare_files_of(STDERR_FILENO, e->user_fd) : OTHER_FILE;
		if (same != OTHER_FILE) die_diverted(same, e->label);
	}
}

/* Refuse a report that would overwrite an end of the session, a file to compare, another report, or the log
 * of our messages. */
static void check_report_file(const struct session *s, int i, const char *name) {
	struct stat st;
	int fd = s->report_fds[i];
	const char remedy[] = "use another --output=FILE";
	bool file = s->opt.report_files[i].name;
	check_use(name, fd, file);
	for (int k = 0; s->opt.mode == COMPARE && k < s->opt.compare.n; k++)
		if (is_behind(fd, s->opt.compare.item[k]))
			die("%s: is also the report's file: %s", s->opt.compare.item[k], remedy);
	if (file) check_other(name, fd, s->source.user_fd, fmt("also %s", s->source.label).str, remedy);
	for (int k = 0; k < LENGTH(s->sinks) && file; k++)
		check_other(name, fd, s->sinks[k].user_fd, fmt("also %s", s->sinks[k].label).str, remedy);
	if (!file || fstat(fd, &st)) return;
	if (S_ISREG(st.st_mode) && is_same(fd, STDERR_FILENO))
		die("%s: is where standard error goes: %s", name, remedy);
	for (int k = 1; k < i; k++)
		check_other(name, fd, s->report_fds[k], "given twice", remedy);
}

/* Open the files of reports before the first run, without modifying them; the printed one goes to a
 * descriptor. A new file stays, as with tee(1). */
static void open_report_files(struct session *s, int files, int printed) {
	for (int i = 0; i <= files; i++) {
		const char *file = s->opt.report_files[i].name, *name = file ? file : "the report";
		s->report_fds[i] = printed;
		if (file) s->report_fds[i] = open_or_make(file);
		if (caught) die("%s: interrupted before anything was copied", name);
		if (s->report_fds[i] < 0 && file) die_errno(name, errno, "open");
		if (s->report_fds[i] >= 0) check_report_file(s, i, name);
	}
}

/* Print to a descriptor that we may share. Returns false after a message. */
static bool print_text_to(int fd, const char *text, size_t size) {
	const char *label = fd == STDERR_FILENO ? "standard error" : "standard output", *call = "write";
	int err = emit(fd, text, size);
	if (!err) {
		call = "close";
		err = flush_fd(fd, &call);
	}
	if (err) warn("%s: %s: %s", label, call, errno_text(err).str);
	return !err;
}

/* True if a file may not become so large (setrlimit(2)). */
static bool is_above_limit(size_t size) {
	struct rlimit limit;
	return !getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY && size > limit.rlim_cur;
}

/* Overwrite a report's file. Reserve its space first (fallocate(2)), so that a full disk is found while the
 * old report is intact. Returns false after a message. */
static bool write_report_file(const char *name, int fd, const char *text, size_t size) {
	bool file = has_type(fd, S_IFREG);
	const char *call = "fallocate";
	int err = 0;
	if (!leads_to(name, fd)) {
		warn("%s: was removed or replaced meanwhile: the report is not written", name);
		return false;
	}
	if (file && is_above_limit(size)) err = EFBIG;
	else if (file && size > 0 && RETRY(fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)size))) err = errno;
	if (err != ENOSPC && err != EDQUOT && err != EFBIG) { /* others: fallocate is not supported */
		call = "write";
		err = emit(fd, text, size);
		if (!err && file && RETRY(ftruncate(fd, (off_t)size))) err = errno;
	}
	if (close(fd) && errno != EINTR && !err) {
		call = "close";
		err = errno;
	}
	if (err) warn("%s: %s: %s", name, call, errno_text(err).str);
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
	for (int i = 0; i < nsets && !format; i++) print_answers(text.f, &sets[i]);
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
		else if (file->name)
			good &= write_report_file(file->name, s->report_fds[i], text.chars, text.size);
		else good &= print_text_to(s->report_fds[i], text.chars, text.size);
		free(text.chars);
	}
	return good;
}

/* ---- Plan: the endpoints, the rows that run, sizes and runs ---------------------------------- */

/* The end made by an option, or behind a descriptor, with its operations if it has any. */
static struct endpoint find_endpoint(const struct options *o, int fd, const struct option_end *option_end,
    bool closed) {
	const char *label = fd == STDIN_FILENO ? "standard input" : "standard output";
	struct endpoint e = { .label = label, .options = o, .user_fd = option_end->name || closed ? -1 : fd,
	    .process = no_child,
	    .data_fd = -1, .run_fd = -1, .dir_fd = -1, .attributes = -1 };
	if (option_end->name) e.label = format_text("--%s", option_end->name);
	if (option_end->name || (!closed && !fstat(fd, &e.stat)))
		e.ops = find_ops(fd == STDOUT_FILENO, e.stat.st_mode & S_IFMT, option_end->name,
		    o->fill);
	return e;
}

/* Find the ends of the session. closed_mask: bits of the descriptors 0 to 2 that were closed. */
static void find_endpoints(struct session *s, unsigned closed_mask) {
	const struct option_end none = { NULL, NULL };
	const char *tee = s->opt.tee;
	s->source = find_endpoint(&s->opt, STDIN_FILENO, &s->opt.from_end, closed_mask & 1);
	s->sinks[0] = find_endpoint(&s->opt, STDOUT_FILENO, &s->opt.into_end, closed_mask & 2);
	s->sinks[1] = find_endpoint(&s->opt, STDOUT_FILENO, &none, true);
	s->sinks[1].label = format_line("--tee=%s", tee ? tee : "");
	s->null = find_endpoint(&s->opt, STDOUT_FILENO, &none, true);
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
	rep->counters = o->setting.counters;
	if (rep->rounds * rep->nrows * s->nreports > ALL_RUNS_MAX)
		die("--runs=%" PRId64 ": of %d rows are more than %d runs: --select less", rep->rounds,
		    rep->nrows * s->nreports, ALL_RUNS_MAX);
}

/* Refuse a command whose first word is plain and not found by the shell. */
static void check_command(const char *text) {
	const char *word = text + strspn(text, " \t\n");
	int length = (int)strspn(word, PLAIN_WORD), null = open("/dev/null", O_RDWR | O_CLOEXEC);
	char *ask = format_text("command -v '%.*s'", length, word);
	struct command command = { .text = ask, .in_fd = null, .out_fd = null };
	struct child child = no_child;
	bool plain = length && strchr(" \t\n;&|<>()", word[length]);
	if (null >= 0 && plain && start_command(&child, &command) > 0) wait_child(&child, true);
	if (child.status)
		die("--with=%s: %.*s: is not found: name an installed program", text, length, word);
	drop_child(&child);
	close_fd(&null);
	free(ask);
}

/* Refuse a --baseline that names no row, or leaves no command to compare. With --fail-if-slower only these
 * run. */
static void check_baseline(struct report *rep) {
	const struct options *o = rep->options;
	int n = 0;
	rep->baseline = o->baseline;
	if (!o->baseline) return;
	if (!find_baseline(rep))
		die("--baseline=%s: is none of the rows that run: --select it, or for a command write "
		    "'$ COMMAND'", o->baseline);
	int commands = 0;
	for (int i = 0; i < rep->nrows; i++) commands += is_compared(rep, &rep->rows[i]);
	if (!commands)
		die("--baseline=%s: no other row is a command: add it with --with", o->baseline);
	for (int i = 0; i < rep->nrows && o->slower > 0; i++) {
		bool kept = rep->rows[i].command || !strcmp(rep->rows[i].name, o->baseline);
		if (kept) rep->rows[n++] = rep->rows[i];
		else free((char *)rep->rows[i].name);
	}
	if (o->slower > 0) rep->nrows = n;
}

/* Refuse commands that are not there, before an input is read ahead. */
static void check_commands(const struct report *rep) {
	for (const struct row *row = rep->rows; row < rep->rows + rep->nrows; row++)
		if (row->command) check_command(row->command);
}

/* Leave out rows that are too slow for the input. Refuse commands that would never end. */
static void check_length(struct session *s) {
	struct report *rep = s->report;
	int n = 0;
	bool first_slow = rep == s->reports || rep[-1].len <= BY_NAME_MOST;
	bool command = command_of(&s->source), unlimited = s->source.len < 0 || (command
	    && rep->len < s->source.len);
	for (int i = 0; i < rep->nrows; i++) {
		const struct row *row = &rep->rows[i];
		if (unlimited && reads_on(row))
			die("--with=%s: would %s: use $SIZE, like head -c $SIZE", row->command,
			    command ? "copy --from's output beyond --size"
			    : "never end, like its input");
		bool slow = row->strategy->when & BY_NAME && rep->len > BY_NAME_MOST;
		if (slow && first_slow)
			warn("%s: makes two calls per byte: copy %s or less (--size)", row->name,
			    size_text(BY_NAME_MOST).str);
		if (slow) free((char *)row->name);
		else rep->rows[n++] = *row;
	}
	rep->nrows = n;
	if (!n) die("no row is left: copy less, or select others");
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
	bool spool = !(s->source.ops->kind & DISK) && s->source.data_fd >= 0
	    && is_in_memory(s->source.data_fd);
	s->source.cache = spool || has_memory(&s->source) ? CACHE_MEMORY : CACHE_KNOWN;
	if (s->source.ops->kind & DISK && s->source.cache == CACHE_KNOWN)
		s->source.cache = find_cache(s->source.data_fd, most);
	if (s->source.data_fd < 0 || s->source.ops->kind == KIND_DEVICE) s->source.cache = CACHE_UNKNOWN;
	s->quota = read_quota().granted;
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
	if (file_sinks[s->opt.fill].asked_by && !has_file(s))
		die("%s: is a %s: --%s needs a file as output", s->sinks[0].label, s->sinks[0].ops->name,
		    file_sinks[s->opt.fill].asked_by);
	int64_t asked = largest_size(&s->opt.sizes);
	int64_t most = asked && (s->source.len < 0 || asked < s->source.len) ? asked : s->source.len;
	double percent = 100 / (double)max(most, 1);
	if (is_file(&s->source))
		s->report->seen.holes = percent * (double)count_holes(s->source.user_fd, most);
	s->bs = fstatfs(s->sinks[0].user_fd, &fs) || fs.f_bsize <= 0 ? BS_UNKNOWN : (int64_t)fs.f_bsize;
	s->bs = max(BS_LEAST, min(s->bs, BS_MOST));
	s->null.ops = find_ops(true, S_IFCHR, NULL, s->opt.fill);
	s->null.user_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (s->null.user_fd < 0 || fstat(s->null.user_fd, &s->null.stat))
		die_errno("/dev/null", errno, "open");
	s->null.flags = fcntl(s->null.user_fd, F_GETFL);
	s->null.input = &s->source;
	return most;
}

/* ---- main: what happens, in this order ------------------------------------------------------- */

/* --list, --explain, --help, --man and --version. */
static int print_and_stop(struct session *s) {
	enum mode mode = s->opt.mode;
	bool explains = mode == EXPLAIN, any = explains || s->opt.all || s->opt.select.n; /* any outputs */
	struct ends ends = { .in_kinds = KIND_ANY, .out_kinds = { KIND_ANY, KIND_ANY }, .single = any
	    || !s->opt.tee,
	    .two = any || s->opt.tee, .cold = explains || s->opt.setting.cold };
	if ((mode == LIST || explains) && s->opt.format_number > 0)
		die("--format=%s: is not for --%s: leave it out", formats[s->opt.format_number].name,
		    explains ? "explain" : "list");
	if (mode == LIST || explains) choose_rows(s->report, &s->opt, &ends);
	open_report_files(s, 0, STDOUT_FILENO);
	struct text text;
	FILE *f = begin_text(&text);
	if (mode == LIST) print_list(f, s->report);
	else if (explains) explain_rows(f, s->report);
	else if (mode == HELP) print_help(f);
	else if (mode == MANUAL) print_man(f);
	else fprintf(f, PROGRAM " " VERSION COMMIT "\n");
	finish_text(&text);
	bool good = print_text_to(STDOUT_FILENO, text.chars, text.size);
	free(text.chars);
	return good ? 0 : EXIT_FAILED_ROW;
}

/* --compare. */
static int compare_and_stop(struct session *s) {
	const struct options *o = &s->opt;
	struct report *reports = s->reports = allocate((size_t)o->compare.n * SIZES_MAX, sizeof *reports);
	if (o->compare.n > COLUMNS_MAX) die("--compare: of at most %d files", COLUMNS_MAX);
	bool files = o->compare.n > 1;
	int n = read_reports(reports, o);
	for (int i = 0; i <= o->nreport_files && files; i++) {
		const struct format *format = o->report_files[i].format;
		if (format && format->data)
			die("--compare: %s is of one file: name one, or use another format", format->name);
	}
	catch_signals();
	open_report_files(s, o->nreport_files, STDOUT_FILENO);
	bool good = write_reports(s, reports, n, files);
	if (caught) return stop_status(caught);
	return good ? 0 : EXIT_FAILED_ROW;
}

/* Rank the rows at a size; find its warnings and late facts. */
static void conclude_size(struct session *s, struct report *rep) {
	rank(rep);
	find_facts(rep, s, LATE);
}

/* Describe the signal that interrupted the session, and the runs before it. Allocated. */
static char *describe_interruption(const struct session *s) {
	const char *state = s->sinks[0].ops->interrupted;
	if (!state) state = s->nout > 1 ? "the outputs are no copies" : "standard output is not a copy";
	int planned, runs = count_runs(s, &planned);
	struct words by = { "a process that can't be ended" };
	if (caught != CHILD_LOST) by = signal_name(caught);
	return format_text("by %s after %d of %d runs: %s", by.str, runs, planned, state);
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
	good &= write_reports(s, s->reports, begun, false);
	if (!measured && !number && good) warn("none of the rows named could be measured");
	good &= measured;
	int gate = number ? 0 : gate_status(s->reports, begun);
	number = good ? number : caught; /* a later signal ended the report */
	if (number) return stop_status(number);
	return gate == EXIT_SLOWER || good ? gate : EXIT_FAILED_ROW; /* a slower command comes first */
}

/* True if standard error and fd are one file, so that a message would be among the bytes of an input, or in
 * a file. A pipe's reader gets the message in place of a copy. */
static bool is_spoilt(int fd) {
	struct stat log, other;
	if (fstat(STDERR_FILENO, &log) || fstat(fd, &other) || !same_inode(&log, &other)) return false;
	if (fd == STDIN_FILENO) return !S_ISCHR(other.st_mode);
	return S_ISREG(other.st_mode) || S_ISBLK(other.st_mode);
}

/* True if the command line asks for words on standard output, not for a copy. */
static bool asks_for_words(char **argv) {
	for (char **word = argv + 1; *word && strcmp(*word, "--"); word++)
		for (int k = 0; k < LENGTH(option_rows); k++) {
			const struct option_row *option = &option_rows[k];
			if (option->option_kind != ACTION || option->number == GENERATE) continue;
			struct words name = fmt("--%s", option->name), letter = fmt("-%c", option->letter);
			size_t length = strcspn(*word, "=");
			bool named = length == strlen(name.str) && !strncmp(*word, name.str, length);
			if (named || (option->letter && !strcmp(*word, letter.str))) return true;
		}
	return false;
}

/* Read the command line. Until the ends are known, divert messages from a file that may be one. */
static void parse_safely(struct options *o, int argc, char **argv) {
	bool diverts = is_spoilt(STDIN_FILENO) || (is_spoilt(STDOUT_FILENO) && !asks_for_words(argv));
	int saved_fd = diverts ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3) : -1;
	if (diverts && saved_fd < 0) exit(EXIT_REFUSED);
	if (diverts) divert_stderr();
	parse_options(o, argc, argv);
	if (diverts && dup2(saved_fd, STDERR_FILENO) < 0) exit(EXIT_REFUSED);
	close_fd(&saved_fd);
}

int main(int argc, char **argv) {
	static struct session s; /* static, so that leak checkers find it at the end */
	unsigned closed = 0;
	int begun = 0;
	s.report = s.reports = allocate(SIZES_MAX, sizeof *s.reports);
	s.report->options = &s.opt;
	for (int fd = 0; fd <= 2; fd++) { /* fill closed ones so that using them still fails */
		if (fcntl(fd, F_GETFD) >= 0) continue;
		closed |= 1U << fd;
		if (open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0) return EXIT_REFUSED;
	}
	unblock_signals();
	inherited.slack = prctl(PR_GET_TIMERSLACK);
	prctl(PR_SET_TIMERSLACK, 1UL); /* ns: poll a reader every LOOK_AGAIN, not LOOK_AGAIN + 50 us */
	parse_safely(&s.opt, argc, argv);
	find_endpoints(&s, closed);
	if (s.opt.mode == LIST || s.opt.mode == EXPLAIN || is_informative(s.opt.mode))
		return print_and_stop(&s);
	if (s.opt.mode == COMPARE) return compare_and_stop(&s);
	check_stderr(&s);
	if (s.opt.mode == GENERATE) return generate(&s.opt, &s.sinks[0]);
	int64_t most = open_ends(&s);
	struct ends ends = all_ends(&s);
	choose_rows(s.report, &s.opt, &ends);
	check_baseline(s.report);
	catch_signals();
	open_report_files(&s, s.opt.nreport_files, STDERR_FILENO);
	check_commands(s.report);
	if (s.source.ops->kind == KIND_PIPE) most = read_ahead(&s);
	plan_sizes(&s, most);
	for (int i = 0; i < s.nreports && (i == 0 || !(caught || s.finished)); i++) { /* always one report */
		begin_size(&s, &s.reports[i]);
		if (!s.finished) measure(&s);
		s.changed |= is_other_input(&s);
		s.finished |= s.changed;
		drop_part(&s);
		begun += i == 0 || s.report->nruns > 0; /* a size without a run has no report */
		conclude_size(&s, s.report);
	}
	bool copied = leave_copy(&s);
	return report_and_stop(&s, begun, copied);
}
