/*
 * write-bench - what is the fastest way to move these bytes from here to there?
 *
 *     ./write-bench <X >Y            same as "cp X Y", once for every way that Linux has
 *     ./write-bench --tee=Z <X >Y    the same as "tee Z <X >Y"
 *     ./write-bench --send <X        into a TCP connection
 *
 * One executable walks a compiled-in table of strategies (read and write, mmap and write, splice,
 * sendfile, ...), each with the advice it can be given (fadvise, ftruncate, fallocate). It copies
 * standard input to standard output several times with each, checks that every copy is one, and
 * prints best, median and worst run, how far each row is behind the fastest, and which row to use.
 *
 * What makes the numbers worth printing:
 *   - Between the two readings of the clock stand the advice, the copy and what the ends of the
 *     copy are waited for, nothing else. Buffers are touched, pipes made and the output emptied
 *     before; comparing comes after.
 *   - No row falls back on another call. What the kernel refuses is "n/a" with its errno.
 *   - Rows take turns in shuffled rounds, so that a machine that drifts drifts for all of them.
 *   - A run in whose time the program or the machine stood still is thrown away and repeated.
 *   - ~ marks the rows that may be the fastest, by a test that is exact; what is recommended is one of them.
 *   - Standard output is a copy of standard input whenever the exit status is 0; a pipe, which can't
 *     be emptied, has got one for each run.
 *
 * The file is in the order in which one needs to know things: types, base, advice, peers (processes
 * at the other side of a pipe), network (who receives a TCP connection), ports (the ends of a copy),
 * kits (what a copy holds in its hands), strategies, THE TABLE, runner, statistics, reports (a grid of
 * cells, notes, formats, pictures, comparisons), environment, reading (reports become sessions again),
 * options, main. Or start at main() and read upwards.
 *
 * To add a strategy: write one function, add one row to strategies[].
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#define _TIME_BITS 64 /* of 32-bit machines, from glibc 2.34 on: dates after 2038 */

#include <ctype.h>
#include <dirent.h>
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
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/errqueue.h> /* wants struct timespec from elsewhere */

/* ---- Constants: each with its reason ------------------------------------------------------- */

#define PROGRAM "write-bench"
#define VERSION "0.1"
#ifndef COMMIT
#define COMMIT "" /* " (git describe)" where it is built in a repository: Makefile */
#endif

enum { EXIT_FAILED_ROW = 1, EXIT_REFUSED = 2, EXIT_SIGNALLED = 128 };

#define K ((int64_t)1 << 10)
#define M ((int64_t)1 << 20)

/* Newer than the headers of distributions still in use; the kernel tells whether it knows them. */
#ifndef RWF_DONTCACHE
#define RWF_DONTCACHE 0x00000080 /* Linux 6.14, include/uapi/linux/fs.h */
#endif
enum {
	URING_SEND_ZC = 47,             /* IORING_OP_SEND_ZC of Linux 6.0, include/uapi/linux/io_uring.h, and its flags: */
	URING_SEND_ZC_REPORT = 1 << 3,  /* IORING_SEND_ZC_REPORT_USAGE of Linux 6.2 */
	URING_MORE = 1 << 1,            /* IORING_CQE_F_MORE: a notification will follow */
	URING_NOTIFICATION = 1 << 3,    /* IORING_CQE_F_NOTIF: the buffer is free again */
};
#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC 0x65735546 /* Linux 5.15, include/uapi/linux/magic.h */
#endif
#define STATX_DIO_ALIGNMENT 0x2000 /* STATX_DIOALIGN of Linux 6.1, include/uapi/linux/stat.h */

/* The most that one read, write, sendfile, splice or copy_file_range moves: the kernel's
 * MAX_RW_COUNT, INT_MAX rounded down to a page (include/linux/fs.h); sendfile(2), NOTES. */
#define CALL_MAX ((int64_t)0x7ffff000)

/* A size that is N of the output's blocks (fstatfs f_bsize); real sizes are positive. */
#define BS(n) (-(int64_t)(n))
#define BS_UNKNOWN 4096 /* for a file system that tells no block size */

#define CHUNK (128 * K)         /* bytes a read when warming and comparing: fast, and small */
#define PIPE_DEFAULT (64 * K)   /* bytes that a pipe holds unless it is told otherwise: pipe(7) */
#define PIPE_LARGE (1 * M)      /* bytes that it may hold without privileges: fs.pipe-max-size, unless it was changed */
#define HUGE_PAGE (2 * M)       /* bytes; of x86-64 and arm64 with pages of 4k; elsewhere a number of whole ones, or part of one */
#define SLOW_MOST (1 * M)       /* bytes that a row with two calls a byte copies into a pipe: a second's work */
#define MEMORY_SHARE 4          /* of memory, a quarter for what we keep there */
#define DISK_SPARE 64           /* of a file system, 1/64 that a spool leaves free: others want to write, too */
#define TICK 10000000           /* nanoseconds; files' times are set by a clock that ticks so often, or more (CONFIG_HZ) */
#define PROGRESS 100000000      /* nanoseconds between two looks at how far reading ahead has come */
#define BOUND 1.1               /* times the time of a feeder with nothing to wait for: a row is bound by it */
#define DIO_ALIGNMENT 4096      /* bytes; for direct I/O where the kernel does not tell: a page */
#define RING_DEPTH 8            /* blocks between reader and writer, or in flight in io_uring */
#define THREADS_MIN 2           /* one would be read+write with a detour */
#define THREADS_MAX 4           /* more only queue for the output's inode lock */
#define BEHIND (8 * M)          /* bytes that write-behind keeps dirty before it waits for the disk */
#define SEND_BLOCK (64 * K)     /* bytes a send without copying: several times what it has to be to pay off (msg_zerocopy.rst: 10 KiB) */
#define SEND_SLOTS 64           /* buffers of such sends, of which the kernel has not given back some: 4 MiB, as much as TCP buffers */
#define MEMCPY_STEP (64 * M)    /* bytes a memcpy: seen as large by libc, and a signal is soon noticed */
#define NAME_WIDTH 40           /* characters of a row's name in the text report */
#define COUNTS_NAME_WIDTH 34    /* the same in its table of counters: the longest name of the default rows */
#define NAME_LEAST 12           /* the same on a narrow terminal */
#define NOTE_LINES 9            /* below the table and a blank line, without --verbose: 10 in all */
#define NAMES_SHOWN 3           /* rows that share a verdict, without --verbose */
#define FILE_WIDTH 9             /* characters of a cell of one of several files: "untouched" */
#define COMMAND_SHOWN 30        /* characters of a command in a sentence */
#define CPU_SHOWN 10            /* percent: a CPU share that is closer to one CPU is not worth a cell */
#define DOTS_MAX 12             /* runs of a row that a picture shows one by one */
#define OUTPUTS_MAX 16          /* reports at a time */
#define RUNS_DEFAULT 3          /* as in the base document: best, median and worst */
#define RUNS_MAX 100000         /* bounds a row's samples at some megabytes */
#define RACE_DEFAULT 6          /* runs in all of a race, times the number of rows */
#define SAMPLES_MAX 500000      /* bounds all samples at 100 MB, those read from a file too */
#define ROWS_MAX 1000           /* in a file that is read: several times as many as there are here */
#define LINE_MAX_BYTES (16 * M) /* of a file that is read: more than names of the longest commands make */
#define NS_MAX 100000000000000000 /* nanoseconds that a run may have taken in a file that is read: 3 years */
#define LEVEL 0.05              /* how often a table may call a row slower that is not: all its rows together */
#define TESTED_MAX 200          /* runs of a row that tests look at: they would take minutes with thousands */
#define RUNS_ASKED 100          /* the most runs of a row that a line below the table asks for */
#define ROUND_SLOWER 1.1        /* times the other rounds' time: slower than noise makes a round */
#define SPREAD 1.3              /* times a row's best run, for its worst: the machine was not quiet */
#define ZEROS 0.1               /* of an input's bytes, zero or holes: not what people copy */
#define STOLEN 0.01             /* of all CPU time, taken by the hypervisor: no longer little */
#define PAUSE_DEFAULT 100000000 /* nanoseconds: 0.1 s, as in the base document */
#define PAUSE_MAX 3600          /* seconds */
#define FINE_BELOW 100000       /* nanoseconds; faster than 0.1 ms wants microseconds */
#define TEXT_WIDTH 80           /* characters of the text report, unless a terminal has fewer */
#define BAR_WIDTH 20            /* characters of the fastest row's bar, on a terminal with room for it */
#define PICTURE_WIDTH 640       /* units of a picture, whose letters are 12: legible at a README's width, and just so at 400 pixels */
#define PICTURE_SHOWN 800       /* pixels that it has by itself: a README's width */
#define MARGIN 14               /* units at its edges */
#define LINE 18                 /* units from one of its lines to the next */
#define LETTER 7.23             /* units that a letter is wide: 0.602 em in most monospaced fonts */
#define ROOF 2.5                /* times the fastest row's speed; where memcpy is faster its line would squeeze the dots */
#define TICKS 5                 /* of an axis, at most: their labels are as wide */
#define ENOUGH 1.02             /* times the smallest median: as fast, so that CPU time decides */
#define THROWN_MAX 100          /* runs in a row that stood still, before the row fails */
#define SAMPLES_KEPT 1000       /* runs of a row that there is memory for from the start; so many are rare */
#define CHILDREN_MAX 64         /* processes looked at, at a time, when a command has ended */
#define PATIENCE 2000000000     /* nanoseconds that a command gets to end after SIGTERM */
#define HASTE 200000000         /* nanoseconds that it gets before it, where nobody waits for its work */
#define NO_HURRY INT64_MAX      /* nanoseconds that it gets, where somebody does */
#define PORT "7100"             /* of --receive: that of the document on files and sockets */
#define NET_PATIENCE 20         /* seconds that the other side of a TCP connection may do nothing */
#define INTAKE (256 * K)        /* bytes a read of a receiver: with RING_DEPTH of them it stays in a processor's cache */
#define GREETING 5000000000     /* nanoseconds that it may take to say who it is, and to answer that */
#define LISTENERS 4             /* addresses that a receiver listens on: loopback has two */
#define GUESTS 16               /* connections that have not said who they are yet; then the oldest is dropped */
#define EXTENTS_ASKED 32        /* enough to see one shared extent: sharing begins at byte 0 */

#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

/* ---- Types --------------------------------------------------------------------------------- */

/* Kinds of end, as bits: a row names the kinds that it can work on at all. */
enum kind {
	KIND_FILE = 1,   /* regular file */
	KIND_BLOCK = 2,  /* block device */
	KIND_DEVICE = 4, /* character device */
	KIND_PIPE = 8,   /* pipe or FIFO, also one from or to a command; as input also a socket, which is fed through one */
	KIND_SOCKET = 16, /* socket, also one to a receiver */
	KIND_STREAM = KIND_PIPE | KIND_SOCKET, /* what can't be rewound or emptied */
	KIND_ANY = ~0,   /* also: an end that is not known yet */
};

/* All that a strategy sees of the world. */
struct job {
	int in;             /* descriptor to read from, at offset 0 */
	int out[2];         /* descriptors to write to, empty and at offset 0 */
	int nout;           /* how many of them there are */
	int64_t len;        /* bytes to copy */
	bool whole;         /* the input ends at len */
	bool hints;         /* the row's advice covers mappings too */
	int64_t block;      /* bytes to ask of one call; 0: as many as it takes */
	int64_t pipe_size;  /* bytes that pipes at its ends are to hold */
	bool unfit;         /* the kernel refuses to make the ends as the row wants them */
	unsigned char *buf; /* kit: block bytes or more, touched */
	int64_t room;       /* kit: bytes in buf */
	int pipe[2];        /* kit: a pipe of block bytes */
	int helper[2];      /* kit: one more of them */
	int opened[2];      /* kit: input and output opened anew, with flags of their own; or -1 */
	int64_t alignment;  /* kit: bytes that direct I/O has to be a multiple of */
	FILE *stream[2];    /* kit: input and output for stdio */
	struct uring *uring; /* kit */
	struct team *team;  /* kit */
	const char *command; /* of a --with row */
	const char *second; /* the second output's name, for that command; NULL: none, or it has no name */
	int said;           /* kit: what the command writes to standard error */
	int status;         /* how the command ended, as wait(2) has it */
	int64_t done;       /* bytes that have arrived, at all outputs; the copy counts them */
	int64_t saved;      /* bytes of zeros that were left out of each output; -1: the row leaves none out */
	uint32_t sends;     /* without copying that the output's socket has seen so far; the kernel numbers them */
	struct sends *lent; /* kit: those of this copy */
	struct uring_sends *uring_lent; /* kit: the same by io_uring */
	int64_t completions, copied; /* of sends without copying: what the kernel has completed, and copied all the same; -1: no such sends, or not known */
	int culprit;        /* the descriptor that the call that failed was about; -1: not one output's alone */
	int err;            /* errno of the call that failed, else 0 */
	const char *call;   /* the name of that call */
};

/* What a row does before it copies, inside the clock. */
struct advice {
	const char *name;                       /* after " + " in the row's name */
	unsigned in, out;                       /* kinds of end that it can be given for */
	bool hints;                             /* fadvise the input, madvise mappings */
	int (*reserve)(int fd, int64_t length); /* make room in the output; 0 or -1 and errno */
	const char *call;                       /* what reserve() calls */
};

struct strategy {
	const char *name;
	const char *calls;               /* the calls that it times */
	const char *since;               /* the kernel that has them all; "-": every one */
	int64_t (*copy)(struct job *);   /* bytes copied, or -errno */
	bool (*kit)(struct job *);       /* makes what the copy needs in its hands, before the clock starts */
	int64_t block;                   /* bytes, BS(blocks), or 0 */
	unsigned in, out;                /* kinds of end that it can work on */
	unsigned outs;                   /* numbers of outputs that it can work on, as bits; BACK */
	unsigned by_reference;           /* kinds of input whose bytes it passes on unread */
	unsigned streams;                /* at which pipes and sockets it is run by default, as bits */
	unsigned usual, possible;        /* advices by default and with --all, as bits; or BY_NAME */
	const char *as;                  /* which real programs copy so */
};

/* What the clock waits for after the last call of a row. */
enum until { UNTIL_RETURN, UNTIL_CLOSE, UNTIL_SYNC };

/* What a receiver has to say of a stream. */
struct receipt {
	int64_t bytes;                /* that it has got */
	uint64_t sum;                 /* their checksum */
	int err;                      /* errno, where it could not keep them; or 0 */
};

/* One end of the copy. */
struct port {
	const struct port_ops *ops;
	const char *label;  /* for messages */
	int fd;
	int flags;          /* of its open file description, as they were at the start */
	int reread;         /* a descriptor to read an output back with pread, or -1 */
	struct stat st;     /* as it was at the start */
	struct stat compared; /* an output, as it was when the last copy in it was compared */
	int64_t size;       /* bytes that a source has; -1: no end, or none that is known */
	int64_t limit;      /* bytes that are asked of a source; 0: all that it has */
	bool repeatable;    /* the same bytes come at every reading */
	enum until until;   /* of an output */
	bool overwrite;     /* of an output: keep its blocks from run to run */
	int fresh;          /* an output opened anew, to be closed inside the clock; or -1 */
	uint64_t random;    /* state of the poison that an output is filled with */
	int64_t resident;   /* bytes of an input that stayed in the page cache when it was evicted */
	int bytes;          /* where pread gives a source's bytes, whoever else reads it: itself, or what was spooled; or -1 */
	const char *spool;  /* where they were spooled to; NULL: they were not */
	const char *option; /* the name of the option that has made the end; NULL: it was there */
	const char *command; /* of that option */
	pid_t peer;         /* the process at the pipe's other side; 0: none of ours */
	int status;         /* how it has ended, as wait(2) has it */
	int64_t peer_ns;    /* its user and system time, nanoseconds */
	int said;           /* what the command writes to standard error; or -1 */
	int gate;           /* what a source's process waits for, before it begins; or -1 */
	bool complete;      /* of a source: as many bytes as it has have been taken */
	bool left;          /* of a source: it had more, in the pipe or still to be written */
	int answer;         /* where a peer that compares tells what it has found; or -1 */
	int64_t at;         /* and what that is: offset of the first byte that is wrong or missing; -1: none */
	const struct addrinfo *address; /* of the receiver that it is sent to; NULL: one of our own, or none */
	int family;         /* of a socket, AF_UNIX or another */
	int held;           /* the connection by which that receiver serves nobody else; or -1 */
	pthread_t alive;    /* gives signs of life there */
	uint64_t token;     /* what it knows us by */
	int lost;           /* errno that has made an end of it */
	struct receipt receipt; /* its answer to the last run */
	uint32_t sends;     /* of an output that is a socket: those without copying so far */
};

/* To add an end: write its operations, add them to sources[] or sinks[]. NULL: nothing to do. */
struct port_ops {
	const char *name;
	enum kind kind;
	mode_t type;                    /* S_IFMT of the files that these operations are for; 0: those of an option */
	bool (*begin)(struct port *, struct job *);  /* untimed: get ready for a fresh run */
	bool (*finish)(struct port *, struct job *); /* timed: what the clock waits for */
	void (*end)(struct port *);                  /* untimed: after every run, however it went */
};

enum outcome {
	UNTRIED,
	COPIED,    /* measured, and a peer of the other copies */
	SHARED,    /* measured, but the output shares the input's blocks: no data moved */
	UNTOUCHED, /* measured, but into a device that looks at no byte, without reading one */
	REFUSED,   /* n/a: refused by the kernel before the first byte */
	FAILED,    /* a call failed */
	EXITED,    /* a command failed */
	SHORT,     /* the input ended early, or a call moved nothing */
	CHANGED,   /* somebody wrote to the input meanwhile */
	MISMATCH,  /* all calls were content, the output is no copy */
};

struct verdict {
	enum outcome outcome;
	int err;          /* REFUSED, FAILED: errno */
	const char *call; /* REFUSED, FAILED: the call that said so */
	int64_t at;       /* SHORT, MISMATCH: offset of the first byte that is missing or wrong */
	int status;       /* EXITED: as wait(2) has it */
	const char *said; /* EXITED: the first line that the command wrote to standard error */
};

/* What perf_event_open(2) counts, in this order, with the kernel's own share. */
enum { COUNTERS = 8 };

/* One run of one row. */
struct sample {
	int64_t ns;       /* time of advice, copy and finish, nanoseconds */
	int64_t reset_ns; /* time of getting the ends ready, outside the clock, nanoseconds */
	int round;        /* from 1 */
	int order;        /* place among all runs of the session, from 0 */
	int64_t cpu_ns;   /* user and system time of this process and its commands, nanoseconds */
	int64_t resident; /* bytes of the input that were in the page cache at the start, with --cold */
	int64_t saved, completions, copied; /* as a job has them */
	int64_t counts[COUNTERS]; /* with --counters; -1: the kernel gives none */
	struct verdict verdict;
};

/* How many times another's time a row takes: Hodges and Lehmann's estimate, and a 95 % interval. */
struct ratio {
	double estimate, low, high;   /* low, high: 0 where the runs are too few for an interval */
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
	struct sample typical;        /* medians of what its runs took; what only the last run tells, from that */
};

struct session;

/* What is measured in the same rounds to hold the rows against: memcpy between two buffers, and a
 * source that a process feeds, when nobody keeps its bytes. */
struct reference {
	const char *name;             /* for the progress line */
	void (*run)(struct session *, struct reference *);
	int64_t pipe_size;            /* of the source's pipe, bytes */
	int64_t bytes;                /* that are moved; 0: not measured */
	int64_t ns, best;             /* of the last run, and of the best; nanoseconds */
	int n;                        /* runs done */
	int err;                      /* why there are none: errno */
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
	bool fine;                    /* times below a millisecond are told in microseconds */
};

/* What the input is like: what flatters a copy. */
struct look {
	int64_t holes, zeros;         /* bytes in holes, and of pages that are all zero */
};

/* What the machine did meanwhile, of the kind that only grows. */
struct strain {
	int64_t ticks, stolen;        /* CPU time in all, and taken by the hypervisor, clock ticks */
	int64_t throttled;            /* times that a CPU was slowed down for its heat */
	int64_t swapped;              /* pages swapped out or in */
};

struct list {
	const char **item;
	int n;
};

/* What -g writes. */
enum content { CONTENT_ZERO, CONTENT_RANDOM, CONTENT_PAGE, CONTENT_NOISE };

/* "HOST:PORT", as an option has it. */
struct host {
	const char *text;             /* all of it; NULL: no such option */
	const char *name;             /* NULL: loopback */
	const char *port;
};

/* Where a report goes. */
struct output {
	const char *name;             /* of its file; NULL: standard error or output */
	const struct format *format;  /* NULL: only the recommendation */
	FILE *f;
};

struct options {
	struct list select, exclude;  /* globs */
	struct list with;             /* commands */
	bool all, list, in_order, no_verify, quiet, verbose, cold, overwrite, counters;
	enum until until;
	int runs;
	int warmup;                   /* rounds before the first that counts */
	int64_t race;                 /* runs in all; RACE_BY_ROWS; 0: no race */
	int64_t pause;                /* nanoseconds */
	int64_t size;                 /* bytes; 0: all */
	uint64_t seed;
	bool seeded;
	const char *from, *into;      /* commands; NULL: standard input and output */
	const char *tee;              /* file of the second output; NULL: there is none */
	bool send, receive;
	struct host to, at;           /* of these two; to: none: a receiver of our own */
	int64_t generate;             /* bytes to write instead of measuring; 0: none */
	enum content content;
	const struct format *format;  /* of --format; NULL: none */
	struct output outputs[OUTPUTS_MAX + 1]; /* the first is what is printed */
	int noutputs;
	char *command_line;           /* for a shell */
	void (*print)(FILE *);        /* --help and the like: print this and stop */
	bool compare;                 /* read these files: */
	struct list files;
	const char *measuring;        /* the last option that is about measuring; NULL: none */
};

enum { RACE_BY_ROWS = -1 };       /* RACE_DEFAULT runs a row */

struct fact {
	char *key, *value;
};

struct session {
	struct options opt;
	unsigned closed;              /* which of descriptors 0 to 2 were closed, as bits */
	const char *file;             /* that the session was read from; NULL: it is our own */
	const char *title;            /* of the file, in a table of several */
	bool numbered;                /* that title is a number, since names would be too long */
	struct port in, out[2];
	int nout;                     /* how many outputs there are */
	int64_t len;                  /* bytes that one run copies */
	int64_t bs;                   /* bytes in a block of the output's file system */
	struct result *results;       /* in the table's order */
	int nresults;
	struct result **ranked;       /* the same, fastest first */
	int nruns;                    /* runs done */
	int thrown;                   /* runs in whose time something stood still: thrown away, and repeated */
	int nplanned;                 /* runs that are still thought to be wanted, and done */
	int64_t started;              /* clock at the first run, nanoseconds */
	uint64_t random;              /* state of the shuffle */
	void (*run)(struct session *, struct result *, int round); /* run(); the tests have a model of it */
	const struct result *last;    /* whose copy the output holds; NULL: nobody's */
	bool last_compared;           /* and its bytes have been compared */
	bool summed[2];               /* checksums of the input that have been made, of len bytes and of SLOW_MOST: */
	uint64_t sums[2];
	bool has_saved, has_completions; /* some row has said so much of a run */
	int strangers;                /* that came to the receiver meanwhile */
	char second[64];              /* name of a second output that is a comparer */
	bool changed;                 /* the input is not what it was */
	pid_t inherited[CHILDREN_MAX]; /* children that we had before we started any */
	int ninherited;
	struct reference memcpy;
	struct reference source[2];   /* with a pipe of PIPE_DEFAULT, and of PIPE_LARGE */
	struct result control;        /* a leading row that runs once more a round, in no table */
	struct result *control_of;    /* that row; NULL: none yet */
	struct summary summary;
	struct look look;
	struct strain before;         /* at the first run */
	double dirty;                 /* most dirty memory after a run, where writers are throttled being 1 */
	int counters[COUNTERS];       /* descriptors; -1: the kernel gives none */
	int counters_err;             /* the errno that it said then */
	int shown;                    /* characters of the progress line that is on the terminal */
	struct fact *facts;
	int nfacts;
	struct list details;          /* of verdicts that were read from a file */
};

/* ---- Base: messages, errno names, clock, sizes and times to text and back ------------------ */

static atomic_int caught; /* the signal that asks us to stop, else 0; lock-free, as threads and handlers share it */

/* The errnos that a copy meets. A refusal says "not with these ends or this kernel": before the
 * first byte it makes the row n/a. The others are failures whenever they come. The names are
 * here because strerrorname_np(3) is glibc's alone, since 2.32. */
static const struct errno_fact {
	int number;
	const char *name;
	bool refusal;
	const char *remedy;
} errnos[] = {
	/* errno       name          refusal  remedy */
	{ EACCES,      "EACCES",     true,    "ask the file's owner for permission" },
	{ EADDRINUSE,  "EADDRINUSE", false,   "use another port" },
	{ EADDRNOTAVAIL, "EADDRNOTAVAIL", false, "use an address of this machine" },
	{ EAFNOSUPPORT, "EAFNOSUPPORT", true, "use an address of another family" },
	{ EAGAIN,      "EAGAIN",     false,   "give it a descriptor without O_NONBLOCK, or raise ulimit -u" },
	{ EBADF,       "EBADF",      true,    "redirect it, for reading and writing where both are wanted (<>)" },
	{ EBUSY,       "EBUSY",      false,   "wait until nothing else uses it" },
	{ ECANCELED,   "ECANCELED",  false,   "raise ulimit -u" },
	{ ECONNREFUSED, "ECONNREFUSED", false, "start " PROGRAM " --receive there, and name its port" },
	{ ECONNRESET,  "ECONNRESET", false,   "keep the receiver until the end" },
	{ EDQUOT,      "EDQUOT",     false,   "stay within the quota: copy less with --size" },
	{ EEXIST,      "EEXIST",     false,   "use another name" },
	{ EFAULT,      "EFAULT",     false,   "keep input and output as they are meanwhile" },
	{ EFBIG,       "EFBIG",      false,   "raise ulimit -f, or copy less with --size" },
	{ EHOSTUNREACH, "EHOSTUNREACH", false, "look at routes and firewalls between the two" },
	{ EINTR,       "EINTR",      false,   "try again" },
	{ EINVAL,      "EINVAL",     true,    "use other ends, or another file system" },
	{ EIO,         "EIO",        false,   "look into the kernel's log (dmesg)" },
	{ EISDIR,      "EISDIR",     false,   "name a file" },
	{ EMFILE,      "EMFILE",     false,   "raise ulimit -n" },
	{ ENETUNREACH, "ENETUNREACH", false,  "look at addresses and routes (ip route)" },
	{ ENFILE,      "ENFILE",     false,   "raise fs.file-max" },
	{ ENODEV,      "ENODEV",     true,    "use other ends, or another file system" },
	{ ENOENT,      "ENOENT",     false,   "name what is there, or make its directory first" },
	{ ENOBUFS,     "ENOBUFS",    false,   "raise net.core.optmem_max, or ulimit -l" },
	{ ENOMEM,      "ENOMEM",     false,   "free memory, raise ulimit -v or -l, or copy less with --size" },
	{ ENOSPC,      "ENOSPC",     false,   "free space, or copy less with --size" },
	{ ENOSYS,      "ENOSYS",     true,    "use a newer kernel" },
	{ ENOPROTOOPT, "ENOPROTOOPT", true,   "use a newer kernel, or another kind of socket" },
	{ ENOTDIR,     "ENOTDIR",    false,   "use another name" },
	{ ENOTCONN,    "ENOTCONN",   false,   "keep the receiver until the end" },
	{ ENOTSOCK,    "ENOTSOCK",   true,    "use a socket" },
	{ 524,         "ENOTSUPP",   true,    "use other ends" }, /* the kernel's own, without a name in user space */
	{ ENOTTY,      "ENOTTY",     true,    "use another file system" },
	{ ENXIO,       "ENXIO",      true,    "use other ends" },
	{ EOPNOTSUPP,  "EOPNOTSUPP", true,    "use another file system" },
	{ EOVERFLOW,   "EOVERFLOW",  true,    "use a 64-bit build, or copy less with --size" },
	{ EPERM,       "EPERM",      true,    "run it with more privileges, or raise the limit that it meets" },
	{ EPIPE,       "EPIPE",      false,   "keep the reader until the end" },
	{ EPROTO,      "EPROTO",     false,   "use the same version of " PROGRAM " on both sides" },
	{ EROFS,       "EROFS",      false,   "use a file system that is mounted read-write" },
	{ ESPIPE,      "ESPIPE",     true,    "use a file" },
	{ ESTALE,      "ESTALE",     false,   "mount the file system anew" },
	{ ETIMEDOUT,   "ETIMEDOUT",  false,   "look whether the other side still runs, and can be reached" },
	{ ETXTBSY,     "ETXTBSY",    true,    "use a file that is not in use" },
	{ EXDEV,       "EXDEV",      true,    "put input and output on the same file system" },
};

static const struct errno_fact *errno_fact(int number)
{
	static const struct errno_fact unknown = { 0, "an errno without a name here", false, NULL };

	for (int i = 0; i < LENGTH(errnos); i++)
		if (errnos[i].number == number)
			return &errnos[i];
	return &unknown;
}

/* "ENOSPC", or "errno 133" where it has no name here. */
static const char *errno_name(char text[32], int number)
{
	snprintf(text, 32, "errno %d", number);
	return errno_fact(number)->number ? errno_fact(number)->name : text;
}

/* "ENOSPC (No space left on device): free space, ...": the second half of every message. */
static const char *errno_text(char text[200], int number)
{
	const struct errno_fact *e = errno_fact(number);

	snprintf(text, 200, "%s (%s)%s%s", e->name, strerror(number), e->remedy ? ": " : "", e->remedy ? e->remedy : "");
	return text;
}

/* Text from outside as part of a line of any terminal or report: bytes that are no printable ASCII as \xNN. Cut where the
 * line has no more room. */
static char *escape(char *line, size_t size, const char *text)
{
	char *to = line;

	for (; *text && to < line + size - sizeof "\\xff"; text++)
		to += sprintf(to, *text < ' ' || *text > '~' ? "\\x%02x" : "%c", (unsigned char)*text);
	*to = '\0';
	return line;
}

static void complain(const char *format, va_list args)
{
	char text[4096], line[sizeof text];

	vsnprintf(text, sizeof text, format, args);
	fprintf(stderr, PROGRAM ": %s\n", escape(line, sizeof line, text));
}

/* Complains, and ends the program: before anything has been touched, unless memory runs out. */
__attribute__((format(printf, 1, 2), noreturn)) static void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complain(format, args);
	va_end(args);
	exit(EXIT_REFUSED);
}

/* The same for a call that failed: object, call, errno, remedy. */
__attribute__((noreturn)) static void die_errno(const char *object, const char *call)
{
	char text[200];

	die("%s: %s: %s", object, call, errno_text(text, errno));
}

/* Complains when it is too late to refuse. */
__attribute__((format(printf, 1, 2))) static void warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complain(format, args);
	va_end(args);
}

static void *allocate(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		die_errno("memory", "calloc");
	return p;
}

static void append(struct list *list, const char *item)
{
	list->item = realloc(list->item, (list->n + 1) * sizeof *list->item);
	if (!list->item)
		die_errno("memory", "realloc");
	list->item[list->n++] = item;
}

/* Memory for so many runs of a row, touched: it is not to grow from round to round. */
static void make_room(struct result *r, int room)
{
	r->samples = realloc(r->samples, room * sizeof *r->samples);
	if (!r->samples)
		die_errno("memory", "realloc");
	memset(r->samples + r->room, 0, (room - r->room) * sizeof *r->samples);
	r->room = room;
}

static void append_sample(struct result *r, const struct sample *sample)
{
	if (r->nsamples == r->room)
		make_room(r, r->room ? 2 * r->room : RUNS_DEFAULT);
	r->samples[r->nsamples++] = *sample;
}

/* What vprintf(3) would print, to be freed. */
__attribute__((format(printf, 1, 0))) static char *format_text(const char *format, va_list args)
{
	char *text;

	if (vasprintf(&text, format, args) < 0)
		die_errno("memory", "vasprintf");
	return text;
}

/* What is printed to a file that begin_text() opens; end_text() gives it, to be freed. */
struct text {
	FILE *f;
	char *chars;
	size_t size;
};

static FILE *begin_text(struct text *t)
{
	*t = (struct text){ .chars = NULL };
	t->f = open_memstream(&t->chars, &t->size);
	if (!t->f)
		die_errno("memory", "open_memstream");
	return t->f;
}

static char *end_text(struct text *t)
{
	if (fclose(t->f))
		die_errno("memory", "open_memstream");
	return t->chars;
}

/* The same, escaped. */
static char *end_line(struct text *t)
{
	char *text = end_text(t), *line;
	size_t size = 4 * strlen(text) + sizeof "\\xff" + 1;

	line = escape(allocate(1, size), size, text);
	free(text);
	return line;
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Nanoseconds of a clock that is never set, and stands still while the machine is suspended. */
static int64_t now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static atomic_int standstills; /* times that we were stopped and went on (SIGCONT), or a peer was */

/* When something began that is worth nothing if it stood still: how far the clock that counts suspended time, too
 * (CLOCK_BOOTTIME, Linux 2.6.39), was ahead then of the one that does not, at least and at most, since the two can't be
 * read at once; nanoseconds. */
struct beginning {
	int standstills;
	int64_t at, least, most;
};

static struct beginning begin_watching(void)
{
	int64_t before = now(), boot = clock_ns(CLOCK_BOOTTIME), after = now();

	return (struct beginning){ .standstills = standstills, .at = after, .least = boot - after, .most = boot - before };
}

/* Has the program, a command or the machine stood still since, or has a clock jumped? */
static bool stood_still(const struct beginning *since)
{
	struct beginning end = begin_watching();

	return end.standstills != since->standstills || end.at < since->at || end.least > since->most || end.most < since->least
	    || end.least > end.most || since->least > since->most;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* One byte or more, all of them zero? */
static bool is_zero(const unsigned char *bytes, size_t n)
{
	return !*bytes && !memcmp(bytes, bytes + 1, n - 1);
}

/* User and system time, nanoseconds. */
static int64_t used_ns(const struct rusage *used)
{
	return (used->ru_utime.tv_sec + used->ru_stime.tv_sec) * INT64_C(1000000000)
	    + (used->ru_utime.tv_usec + used->ru_stime.tv_usec) * INT64_C(1000);
}

/* Sleeps until the clock shows deadline, or until a signal asks us to stop. */
static void sleep_until(int64_t deadline)
{
	struct timespec t = { .tv_sec = deadline / 1000000000, .tv_nsec = deadline % 1000000000 };

	while (!caught && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

/* Starts a thread; false, and errno: it could not be. Signals are for the main one, but for SIGBUS, which is its causer's, and
 * SIGUSR1, by which the main thread interrupts others. */
static bool start_thread(pthread_t *thread, void *(*work)(void *), void *with)
{
	sigset_t most, old;
	int err;

	sigfillset(&most);
	sigdelset(&most, SIGBUS);
	sigdelset(&most, SIGUSR1);
	pthread_sigmask(SIG_SETMASK, &most, &old);
	err = pthread_create(thread, NULL, work, with);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = err;
	return !err;
}

/* splitmix64 (Steele, Lea, Flood 2014): small, and good enough to shuffle. */
static uint64_t random_number(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Columns of the terminal behind f, 0 if it is none. */
static int terminal_width(FILE *f)
{
	struct winsize size = { 0 };

	if (!isatty(fileno(f)))
		return 0;
	return !ioctl(fileno(f), TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : TEXT_WIDTH;
}

/* Does the terminal behind f, if there is one, know escapes (terminfo(5))? */
static bool has_escapes(FILE *f)
{
	const char *term = getenv("TERM");

	return isatty(fileno(f)) && term && *term && strcmp(term, "dumb");
}

/* Units, largest first, and the one without a suffix last: the same for printing and parsing. */
struct unit {
	const char *suffix;
	int64_t factor;
};
static const struct unit size_units[] = {
	{ "t", (int64_t)1 << 40 }, { "g", (int64_t)1 << 30 }, { "m", M }, { "k", K }, { "", 1 },
};
static const struct unit time_units[] = {
	{ "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 }, { "", 1000000000 },
};

/* The unit that a number's tail names, whatever its case; NULL: none. */
static const struct unit *find_unit(const struct unit *units, int n, const char *suffix)
{
	for (int i = 0; i < n; i++)
		if (!strcasecmp(units[i].suffix, suffix))
			return &units[i];
	return NULL;
}

/* "4096", "64k", "1.5m", "4MiB", or "4MB", which is 4000000 as dd has it, to bytes; -1 for what is no size, or more than a file can
 * have. */
static int64_t parse_size(const char *text)
{
	const struct unit *unit;
	int64_t factor;
	double n;
	size_t digits = strspn(text, "0123456789."), letters = strcspn(text + digits, "bBiI");
	char suffix[2] = "", *tail;

	if (letters == 1)
		*suffix = text[digits];
	unit = find_unit(size_units, LENGTH(size_units), suffix);
	if (!isdigit((unsigned char)*text) || letters > 1 || !unit)
		return -1;
	factor = unit->factor;
	if (!strcasecmp(text + digits + letters, "b") && letters) {
		factor = 1;
		for (int i = LENGTH(size_units) - 1; &size_units[i] != unit; i--)
			factor *= 1000;
	} else if (text[digits + letters] && (strcasecmp(text + digits + letters, "ib") || !letters)) {
		return -1;
	}
	errno = 0;
	if (strspn(text, "0123456789") == digits) {
		uintmax_t whole = strtoumax(text, &tail, 10);

		return errno || whole > (uintmax_t)(INT64_MAX / factor) ? -1 : (int64_t)whole * factor;
	}
	n = strtod(text, &tail) * (double)factor;
	return tail != text + digits || factor == 1 || !(n < 9e18) ? -1 : (int64_t)n;
}

/* "0.1" (seconds) or "100ms" to nanoseconds; -1 for what is no time, or more than PAUSE_MAX. */
static int64_t parse_time(const char *text)
{
	const struct unit *unit;
	double n;
	char *tail;

	n = strtod(text, &tail);
	unit = find_unit(time_units, LENGTH(time_units), tail);
	if (tail == text || tail != text + strspn(text, "0123456789.") || !unit
	    || !(n * (double)unit->factor <= PAUSE_MAX * 1e9))
		return -1;
	return (int64_t)(n * (double)unit->factor + 0.5);
}

/* A whole number from min to max; -1: it is not. */
static int64_t parse_count(const char *text, int64_t min, int64_t max)
{
	intmax_t n;
	char *tail;

	errno = 0;
	n = strtoimax(text, &tail, 10);
	return !isdigit((unsigned char)*text) || *tail || errno || n < min || n > max ? -1 : n;
}

/* An errno's name, or "errno 133" where it has none here; 0: it is neither. */
static int parse_errno(const char *text)
{
	for (int i = 0; i < LENGTH(errnos); i++)
		if (!strcmp(text, errnos[i].name))
			return errnos[i].number;
	return strncmp(text, "errno ", 6) || parse_count(text + 6, 1, 4095) < 0 ? 0 : (int)parse_count(text + 6, 1, 4095);
}

/* Bytes as a heading has them: "256MiB", "4KiB", "4097B", and "4.66GiB" where nothing shorter is. */
static const char *size_text(char text[32], int64_t bytes)
{
	for (int i = 0; i < LENGTH(size_units); i++) {
		const struct unit *unit = &size_units[i];
		char suffix = (char)toupper((unsigned char)*unit->suffix);

		if (bytes < unit->factor)
			continue;
		if (bytes % unit->factor == 0)
			snprintf(text, 32, "%" PRId64 "%.1s%sB", bytes / unit->factor, &suffix, suffix ? "i" : "");
		else if (unit->factor >= M)
			snprintf(text, 32, "%.2f%ciB", (double)bytes / (double)unit->factor, suffix);
		else
			continue;
		return text;
	}
	return "0B";
}

/* A time with three significant digits. Below a millisecond there is one style for a whole table:
 * milliseconds (0.412ms), or where fine is set microseconds (412us, 1.44us). */
static const char *time_text(char text[32], int64_t ns, bool fine)
{
	const struct unit *unit = time_units;
	double n;

	if (ns < 999500000)
		unit = fine && ns < 999500 ? &time_units[2] : &time_units[1];
	n = (double)ns / (double)unit->factor;
	snprintf(text, 32, "%.*f%s", n < 0.9995 ? 3 : n < 9.995 ? 2 : n < 99.95 ? 1 : 0, n, unit->suffix);
	return text;
}

/* Bytes a nanosecond. */
static double speed(int64_t bytes, int64_t ns)
{
	return (double)bytes / (double)(ns ? ns : 1);
}

/* A speed with three significant digits, in a unit that leaves some of them. */
static const char *speed_text(char text[32], double bytes_a_ns)
{
	double speed = bytes_a_ns * 1e9 / (double)M;
	const char *unit = speed < 1023.5 ? "MiB/s" : "GiB/s";

	speed /= speed < 1023.5 ? 1 : 1024;
	snprintf(text, 32, "%.*f %s", speed < 9.995 ? 2 : speed < 99.95 ? 1 : 0, speed, unit);
	return text;
}

/* First line of a file below /proc or /sys, without its newline; false: there is none. */
static bool read_line(const char *path, char *line, int size)
{
	FILE *f = fopen(path, "re");
	bool ok = f && fgets(line, size, f);

	if (f)
		fclose(f);
	if (ok)
		line[strcspn(line, "\n")] = '\0';
	return ok;
}

/* The value of a "key: value" line, e.g. of /proc/cpuinfo; false: no such line. */
static bool read_key(const char *path, const char *key, char *value, int size)
{
	FILE *f = fopen(path, "re");
	char line[4096];
	bool found = false;

	while (f && !found && fgets(line, sizeof line, f)) {
		char *colon = strchr(line, ':');

		found = colon && !strncmp(line, key, strlen(key)) && strspn(line + strlen(key), " \t:") > 0;
		if (found)
			snprintf(value, size, "%.*s", (int)strcspn(colon + 1 + strspn(colon + 1, " \t"), "\n"),
			    colon + 1 + strspn(colon + 1, " \t"));
	}
	if (f)
		fclose(f);
	return found;
}

/* The number behind a key that begins a line, e.g. of /proc/vmstat; 0: no such line. */
static int64_t read_number(const char *path, const char *key)
{
	FILE *f = fopen(path, "re");
	size_t length = strlen(key);
	int64_t number = 0;
	char line[512];

	while (f && fgets(line, sizeof line, f))
		if (!strncmp(line, key, length) && line[length] == ' ')
			number = strtoll(line + length, NULL, 10);
	if (f)
		fclose(f);
	return number;
}

/* What was allowed to one group of /proc/self/cgroup and those above it: cgroups(7), both versions.
 * Bytes; INT64_MAX: no limit. */
static int64_t group_limit(const char *base, char *group, const char *file)
{
	int64_t least = INT64_MAX;
	char path[512], text[64];

	for (;;) {
		snprintf(path, sizeof path, "%s%s/%s", base, strcmp(group, "/") ? group : "", file);
		if (read_line(path, text, sizeof text) && isdigit((unsigned char)*text) && strtoll(text, NULL, 10) < least)
			least = strtoll(text, NULL, 10);
		char *slash = strrchr(group, '/');
		if (!slash)
			return least;
		*slash = '\0';
	}
}

/* Bytes of memory that we may keep for ourselves: a quarter of what the machine or our group has, and no more
 * than half of what is free, shared with as many other places that will take as much (outputs on tmpfs). */
static int64_t memory_share(int others)
{
	int64_t least = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE), limit;
	char line[512], text[64];
	FILE *f = fopen("/proc/self/cgroup", "re");

	while (f && fgets(line, sizeof line, f)) {
		char *rest = line, *controllers;

		line[strcspn(line, "\n")] = '\0';
		strsep(&rest, ":");
		controllers = strsep(&rest, ":");
		if (!rest || (*controllers && !strstr(controllers, "memory")))
			continue;
		limit = *controllers ? group_limit("/sys/fs/cgroup/memory", rest, "memory.limit_in_bytes")
		                     : group_limit("/sys/fs/cgroup", rest, "memory.max");
		least = limit < least ? limit : least;
	}
	if (f)
		fclose(f);
	least /= MEMORY_SHARE;
	if (read_key("/proc/meminfo", "MemAvailable", text, sizeof text) && strtoll(text, NULL, 10) * K / 2 < least)
		least = strtoll(text, NULL, 10) * K / 2;
	return least / (1 + others);
}

/* Does a name match one of the shell patterns? Notes which. */
static bool matches(const struct list *globs, const char *name, bool *used)
{
	bool found = false;

	for (int i = 0; i < globs->n; i++)
		if (!fnmatch(globs->item[i], name, 0))
			found = used[i] = true;
	return found;
}

/* Named before they are defined, until what they belong to has moved, too. */
static bool is_timed(enum outcome outcome);
static bool open_pipe(struct job *j, int ends[2], int64_t bytes);
static int open_words(void);
static pid_t start_command(const char *command, const int fds[5], int64_t size, bool limited, const char *second);
static int wait_for_peer(pid_t pid, int64_t patience, struct rusage *used);

/* ---- Statistics: what the runs say; nothing here measures or prints ------------------------ */

static int compare_ns(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The middle one of n sorted numbers, or the mean of the middle two. */
static int64_t median(const int64_t *sorted, int n)
{
	return n % 2 ? sorted[n / 2] : sorted[n / 2 - 1] + (sorted[n / 2] - sorted[n / 2 - 1]) / 2;
}

/* Sorts n numbers and gives their median; -1: there is none, or one of them is missing. */
static int64_t median_of(int64_t *numbers, int n)
{
	qsort(numbers, n, sizeof *numbers, compare_ns);
	return n > 0 && numbers[0] >= 0 ? median(numbers, n) : -1;
}

/* The median of a number of each run, which is at an offset; the numbers are left sorted. */
static int64_t median_at(const struct result *r, size_t offset, int64_t *numbers)
{
	for (int k = 0; k < r->nsamples; k++)
		numbers[k] = *(const int64_t *)((const char *)&r->samples[k] + offset);
	return median_of(numbers, r->nsamples);
}

/* Best, median and worst run of a row that has been measured, what its runs took, and the runs that tests look at: all, or evenly
 * spaced ones where they are too many. */
static void summarise(struct result *r)
{
	int64_t *numbers = allocate(r->nsamples, sizeof *numbers);

	r->typical = r->samples[r->nsamples - 1];
	for (int i = 0; i < COUNTERS; i++)
		r->typical.counts[i] = median_at(r, offsetof(struct sample, counts) + i * sizeof *r->typical.counts, numbers);
	r->typical.cpu_ns = median_at(r, offsetof(struct sample, cpu_ns), numbers);
	r->median = median_at(r, offsetof(struct sample, ns), numbers);
	r->best = numbers[0];
	r->worst = numbers[r->nsamples - 1];
	free(numbers);
	r->ntested = r->nsamples < TESTED_MAX ? r->nsamples : TESTED_MAX;
	free(r->tested);
	r->tested = allocate(r->ntested, sizeof *r->tested);
	for (int k = 0; k < r->ntested; k++)
		r->tested[k] = r->samples[(int64_t)k * r->nsamples / r->ntested].ns;
	qsort(r->tested, r->ntested, sizeof *r->tested, compare_ns);
}

/* Median time of getting the ends ready, over all runs, nanoseconds. */
static int64_t median_reset(const struct session *s)
{
	int64_t *ns = allocate(s->nruns, sizeof *ns), m;
	int n = 0;

	for (int i = 0; i < s->nresults; i++)
		for (int k = 0; k < s->results[i].nsamples; k++)
			ns[n++] = s->results[i].samples[k].reset_ns;
	m = median_of(ns, n);
	free(ns);
	return m < 0 ? 0 : m;
}

static int compare_keys(const int64_t keys[][2], int n)
{
	for (int i = 0; i < n; i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] < keys[i][1] ? -1 : 1;
	return 0;
}

/* Rows that moved no data come first, being no peers of a copy; then the copies; then the rest. Those that left a race early are
 * below those that stayed: who left last, with the most runs, first. The best run decides; equals stay in the table's order. */
static int compare_results(const void *a, const void *b)
{
	const struct result *x = *(struct result *const *)a, *y = *(struct result *const *)b;
	const int64_t keys[][2] = {
		{ !is_timed(x->verdict.outcome), !is_timed(y->verdict.outcome) },
		{ x->verdict.outcome == COPIED, y->verdict.outcome == COPIED },
		{ x->left, y->left }, { x->left ? y->nsamples : 0, y->left ? x->nsamples : 0 },
		{ x->best, y->best }, { x->median, y->median }, { x->worst, y->worst },
		{ x - y, 0 },
	};

	return compare_keys(keys, LENGTH(keys));
}

static int compare_medians(const void *a, const void *b)
{
	const struct result *x = *(struct result *const *)a, *y = *(struct result *const *)b;
	const int64_t keys[][2] = { { x->median, y->median }, { x - y, 0 } };

	return compare_keys(keys, LENGTH(keys));
}

/* How far a time is behind another, percent. */
static double percent_behind(int64_t ns, int64_t other)
{
	return 100.0 * (double)(ns - other) / (double)(other ? other : 1);
}

/* In how many of the C(m+n, n) orders that n runs of a row and m of another can have is Mann and Whitney's U = u, for u up to top?
 * By the recurrence f(m, n, u) = f(m-1, n, u-n) + f(m, n-1, u), as the product of (1 - x^(m+i)) / (1 - x^i) over i = 1 ... n
 * (Andrews, The Theory of Partitions, 1976, ch. 3). In doubles, which are exact up to 2^53 and have 15 digits beyond. Adds up
 * the orders in *all. To be freed. */
static double *count_orders(int n, int m, int top, double *all)
{
	double *ways = allocate(top + 1, sizeof *ways);

	*all = ways[0] = 1;
	for (int i = 1; i <= n; i++) {
		for (int k = top; k >= m + i; k--)
			ways[k] -= ways[k - m - i];
		for (int k = i; k <= top; k++)
			ways[k] += ways[k - i];
		*all = *all * (m + i) / i;
	}
	return ways;
}

/* The largest u with P(U <= u) at most level, below one half, for n runs against m; -1: the runs are too few for that level. */
static int critical(int n, int m, double level)
{
	static struct {
		int n, m, u;
		double level;
	} known[16]; /* the last answers: most rows ask the same */
	static int next_known;
	int top = n * m / 2, u = -1;
	double *ways, all, sum = 0;

	for (int i = 0; i < LENGTH(known); i++)
		if (known[i].n == n && known[i].m == m && known[i].level <= level && known[i].level >= level)
			return known[i].u;
	ways = count_orders(n, m, top, &all);
	while (u < top && sum + ways[u + 1] <= level * all)
		sum += ways[++u];
	free(ways);
	known[next_known].n = n;
	known[next_known].m = m;
	known[next_known].level = level;
	known[next_known].u = u;
	next_known = (next_known + 1) % LENGTH(known);
	return u;
}

/* Twice U of a row against another: of all pairs of their runs, two for each in which the row was faster, and one for a tie, which
 * is what mid-ranks come to. */
static int twice_u(const struct result *r, const struct result *other)
{
	int u = 0, faster = 0, upto = 0; /* of the other's runs: faster than this one; as fast or faster */

	for (int i = 0; i < r->ntested; i++) {
		while (faster < other->ntested && other->tested[faster] < r->tested[i])
			faster++;
		while (upto < other->ntested && other->tested[upto] <= r->tested[i])
			upto++;
		u += 2 * (other->ntested - upto) + upto - faster;
	}
	return u;
}

/* Does another row beat this one at a level? By Mann and Whitney's exact test, one-sided. */
static bool is_beaten(const struct result *r, const struct result *other, double level)
{
	return twice_u(r, other) <= 2 * critical(r->ntested, other->ntested, level);
}

/* The probability that two rows that are equal have a U as small as this row's against the other. */
static double p_value(const struct result *r, const struct result *other)
{
	int u = (twice_u(r, other) + 1) / 2;
	double all, sum = 0, *ways = count_orders(r->ntested, other->ntested, u, &all);

	for (int i = 0; i <= u; i++)
		sum += ways[i];
	free(ways);
	return sum / all;
}

/* The fewest runs of each row with which the test can tell anything at that level. */
static int fewest_runs(double level)
{
	int n = 1;

	while (n < RUNS_ASKED && critical(n, n, level) < 0)
		n++;
	return n;
}

/* The share of rows as fast as the first of which all n runs are behind all m of the first's: of the C(n+m-1, n) orders that
 * the runs have with the first's, without its best, that is one. */
static double false_alarms(int n, int m)
{
	double orders = 1;

	for (int i = 1; i <= n; i++)
		orders = orders * (m - 1 + i) / i;
	return 1 / orders;
}

/* Hodges and Lehmann's estimate of the ratio of two rows' times: the median of those of all pairs of
 * runs. The interval has 95 % where the runs are enough for one (Lehmann, Nonparametrics, 1975, ch. 2). */
static struct ratio ratio_of(const struct result *r, const struct result *other)
{
	int pairs = r->ntested * other->ntested, drop = critical(r->ntested, other->ntested, 0.025), n = 0;
	double *x = allocate(pairs, sizeof *x);
	struct ratio ratio = { 0 };

	for (int i = 0; i < r->ntested; i++)
		for (int k = 0; k < other->ntested; k++)
			x[n++] = (double)r->tested[i] / (double)(other->tested[k] ? other->tested[k] : 1);
	qsort(x, pairs, sizeof *x, compare_doubles);
	if (pairs > 0)
		ratio.estimate = (x[(pairs - 1) / 2] + x[pairs / 2]) / 2;
	if (pairs > 0 && drop >= 0) {
		ratio.low = x[drop];
		ratio.high = x[pairs - 1 - drop];
	}
	free(x);
	return ratio;
}

/* The median of a row's runs from one on, and before another, in the order of time. */
static double median_between(const struct result *r, int from, int before)
{
	int64_t *ns = allocate(before - from, sizeof *ns), m;

	for (int i = from; i < before; i++)
		ns[i - from] = r->samples[i].ns;
	m = median_of(ns, before - from);
	free(ns);
	return (double)m;
}

/* How many times as long the first run of a row took as its others, or the later half of its runs
 * as the earlier: the median of all rows that have runs enough; 0: none has. */
static double round_ratio(const struct session *s, bool later)
{
	double *ratios = allocate(s->nresults, sizeof *ratios), ratio;
	int n = 0;

	for (int i = 0; i < s->nresults; i++) {
		const struct result *r = &s->results[i];

		if (!is_timed(r->verdict.outcome) || r->nsamples < (later ? 6 : 3))
			continue;
		ratios[n++] = later ? median_between(r, (r->nsamples + 1) / 2, r->nsamples) / median_between(r, 0, r->nsamples / 2)
		                    : (double)r->samples[0].ns / median_between(r, 1, r->nsamples);
	}
	qsort(ratios, n, sizeof *ratios, compare_doubles);
	ratio = n > 0 ? (ratios[(n - 1) / 2] + ratios[n / 2]) / 2 : 0;
	free(ratios);
	return ratio;
}

/* The runs of the control's row that were in the same rounds as the control's; without a control none. */
static struct result beside_control(const struct session *s)
{
	struct result r = { .nsamples = 0 };

	if (!s->control_of || s->control_of->verdict.outcome != COPIED || s->control.nsamples == 0)
		return r;
	r.samples = s->control_of->samples;
	r.nsamples = s->control_of->nsamples;
	while (r.nsamples > 0 && r.samples->round < s->control.samples->round) {
		r.samples++;
		r.nsamples--;
	}
	r.nsamples = r.nsamples < s->control.nsamples ? r.nsamples : s->control.nsamples;
	return r;
}

/* How far the medians of two runs of one row a round have come apart, percent; -1: there were none. */
static double find_noise(const struct session *s)
{
	struct result r = beside_control(s);
	double a, b;

	if (r.nsamples == 0)
		return -1;
	a = median_between(&r, 0, r.nsamples);
	b = median_between(&s->control, 0, r.nsamples);
	return 100 * (a > b ? a - b : b - a) / (a < b ? a : b);
}

/* Is a row's median further behind another's than those of the control's two halves are apart? So rows can't beat each other in a circle. */
static bool is_apart(const struct session *s, const struct result *r, const struct result *other)
{
	return percent_behind(r->median, other->median) > (s->summary.noise > 0 ? s->summary.noise : 0);
}

/* Looks for a row that beats this one, those with the best medians first. Where the runs are too few for the test, the first row beats
 * it if each of its runs took longer than each of the first's, if there are two of them: a single one was chosen for being the fastest. */
static void find_better(const struct session *s, struct result *r, struct result *const *by_median, int n)
{
	const struct result *first = s->summary.first;

	r->beaten_by = NULL;
	for (int i = 0; i < n && !r->beaten_by; i++)
		if (is_apart(s, r, by_median[i]) && is_beaten(r, by_median[i], s->summary.level))
			r->beaten_by = by_median[i];
	if (critical(r->ntested, first->ntested, s->summary.level) >= 0)
		return;
	r->untested = true;
	if (!r->beaten_by && r != first && first->nsamples > 1 && twice_u(r, first) == 0
	    && is_apart(s, r, first))
		r->beaten_by = first;
}

/* Of the rows that may be the fastest that with the smallest median; of those within 2 % of it that which takes least CPU time;
 * then the first in the table, which has the plainest first. One run recommends nothing, nor do the few of a row that left. */
static const struct result *find_recommended(struct result *const *by_median, int n)
{
	const struct result *least = NULL, *found = NULL;

	for (int i = 0; i < n; i++) {
		const struct result *r = by_median[i];

		if (r->beaten_by || r->left || r->nsamples < 2)
			continue;
		least = least ? least : r;
		if ((double)r->median > ENOUGH * (double)least->median)
			break;
		if (!found || (r->typical.cpu_ns >= 0 && (found->typical.cpu_ns < 0 || r->typical.cpu_ns < found->typical.cpu_ns))
		    || (r->typical.cpu_ns == found->typical.cpu_ns && r < found))
			found = r;
	}
	return found;
}

/* Which rows may be the fastest: those that no other beats. That the fastest is beaten takes one of n - 1 tests going wrong (Gupta
 * 1965). */
static void tell_apart(struct session *s)
{
	struct result **by_median = allocate(s->nresults, sizeof *by_median);
	struct summary *sum = &s->summary;

	*sum = (struct summary){ .noise = find_noise(s) };
	for (int i = 0; i < s->nresults; i++)
		if (s->ranked[i]->verdict.outcome == COPIED) {
			by_median[sum->copies++] = s->ranked[i];
			sum->first = sum->first ? sum->first : s->ranked[i];
		}
	qsort(by_median, sum->copies, sizeof *by_median, compare_medians);
	sum->level = LEVEL / (sum->copies > 1 ? sum->copies - 1 : 1);
	for (int i = 0; i < sum->copies; i++) {
		find_better(s, by_median[i], by_median, sum->copies);
		sum->candidates += !by_median[i]->beaten_by;
		sum->untested += by_median[i]->untested;
	}
	sum->recommended = find_recommended(by_median, sum->copies);
	for (int i = 0; i < sum->copies; i++)
		by_median[i]->ratio = ratio_of(by_median[i], sum->recommended ? sum->recommended : sum->first);
	free(by_median);
}

/* Who left a race early: who has fewer runs than others, or two fewer where the last round was interrupted. */
static void find_left(struct session *s, bool interrupted)
{
	int most = 0;

	for (int i = 0; i < s->nresults; i++)
		if (s->results[i].verdict.outcome == COPIED && s->results[i].nsamples > most)
			most = s->results[i].nsamples;
	for (int i = 0; i < s->nresults; i++)
		s->results[i].left = s->opt.race && s->results[i].nsamples < most - interrupted;
}

static void rank(struct session *s, bool interrupted)
{
	s->ranked = allocate(s->nresults, sizeof *s->ranked);
	find_left(s, interrupted);
	for (int i = 0; i < s->nresults; i++) {
		s->ranked[i] = &s->results[i];
		if (is_timed(s->results[i].verdict.outcome))
			summarise(&s->results[i]);
	}
	qsort(s->ranked, s->nresults, sizeof *s->ranked, compare_results);
	tell_apart(s);
	for (int i = 0; i < s->nresults; i++)
		s->summary.fine |= is_timed(s->results[i].verdict.outcome) && s->results[i].best < FINE_BELOW;
}

static int compare_places(const void *a, const void *b)
{
	const struct result *x = a, *y = b;
	const int64_t keys[][2] = {
		{ x->command != NULL, y->command != NULL }, { !x->strategy, !y->strategy }, { (intptr_t)x->strategy, (intptr_t)y->strategy },
		{ (int64_t)strlen(x->name), (int64_t)strlen(y->name) }, { strcmp(x->name, y->name), 0 },
	};

	return compare_keys(keys, LENGTH(keys));
}

/* Puts rows into the order of the strategies' table, the plainest advice first; those that it does not have, and commands, are last. So
 * equal rows are told in the same order when a report is read back. */
static void sort_rows(struct session *s)
{
	qsort(s->results, s->nresults, sizeof *s->results, compare_places);
}

/* A row by its name; NULL: it is not among those of this session. */
static struct result *find_row(const struct session *s, const char *name)
{
	for (int i = 0; i < s->nresults; i++)
		if (!strcmp(s->results[i].name, name))
			return &s->results[i];
	return NULL;
}

/* ---- Advice: what a row may do before it copies, inside the clock -------------------------- */

static int reserve_truncate(int fd, int64_t length)
{
	return ftruncate(fd, length);
}

static int reserve_fallocate(int fd, int64_t length)
{
	return fallocate(fd, 0, 0, length);
}

/* posix_fallocate(3) returns its errno. Where the file system has no fallocate, glibc writes a
 * byte to every block: an advice of its own, since it is no longer the same call. */
static int reserve_posix_fallocate(int fd, int64_t length)
{
	errno = posix_fallocate(fd, 0, length);
	return errno ? -1 : 0;
}

#define NO_STREAM (KIND_ANY & ~KIND_STREAM)

/* A row's name is the strategy's, " + " and one of these. At most 31: they are bits in a row. */
static const struct advice advices[] = {
	/* name                 in         out        hints  reserve                   call */
	{ "",                   KIND_ANY,  KIND_ANY,  false, NULL,                     NULL },
	{ "trunc",              KIND_ANY,  NO_STREAM, false, reserve_truncate,         "ftruncate" },
	{ "falloc",             KIND_ANY,  NO_STREAM, false, reserve_fallocate,        "fallocate" },
	{ "advices",            NO_STREAM, KIND_ANY,  true,  NULL,                     NULL },
	{ "advices + trunc",    NO_STREAM, NO_STREAM, true,  reserve_truncate,         "ftruncate" },
	{ "advices + falloc",   NO_STREAM, NO_STREAM, true,  reserve_fallocate,        "fallocate" },
	{ "advices + pfalloc",  NO_STREAM, NO_STREAM, true,  reserve_posix_fallocate,  "posix_fallocate" },
};
enum {
	PLAIN = 1 << 0,
	TRUNC = 1 << 1, FALLOC = 1 << 2,            /* alone: where fadvise would say nothing, or the */
	BARE = PLAIN | TRUNC | FALLOC,              /* base document has them so */
	CLASSIC = PLAIN | 1 << 3 | 1 << 4 | 1 << 5, /* the four of the base document */
	EVERY = CLASSIC | 1 << 6,
	RESERVED = (EVERY | BARE) & ~(PLAIN | 1 << 3), /* for a mapped output, which must have its length */
};
#define BY_NAME (1U << 31) /* among the usual: too slow for --all or a pattern, run where it is named */

/* ---- What strategies and advice are written with ------------------------------------------- */

/* Opens the file of a descriptor anew: flags of the shell's own description are not ours to
 * change, and its > is for writing only. */
static int reopen(int fd, int flags)
{
	char path[32];

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return open(path, flags | O_CLOEXEC);
}

/* Notes which call failed, for the verdict. Always false: what called it has failed too. */
static bool failed(struct job *j, const char *call)
{
	j->err = errno;
	j->call = call;
	return false;
}

/* The same of a call that was about one of the outputs. */
static bool failed_at(struct job *j, int out, const char *call)
{
	j->culprit = out;
	return failed(j, call);
}

/* What a strategy returns. */
static int64_t total(const struct job *j)
{
	return j->err ? -j->err : j->done;
}

/* Bytes to ask of the next call: 0 at the end, and when a signal asks us to stop. */
static size_t next(const struct job *j)
{
	int64_t most = j->block ? j->block : CALL_MAX, left = j->len - j->done;

	return caught ? 0 : left < most ? left : most;
}

/* A call that was interrupted before it did anything is made again, unless we are to stop. */
static bool again(ssize_t n)
{
	return n < 0 && errno == EINTR && !caught;
}

/* Counts what a call has moved: false when it failed, or had nothing more to move. */
static bool moved(struct job *j, ssize_t n, const char *call)
{
	if (n > 0)
		j->done += n;
	return n > 0 || again(n) || (n < 0 && failed(j, call));
}

static bool advise(struct job *j, const struct advice *advice)
{
	static const int hints[] = { POSIX_FADV_SEQUENTIAL, POSIX_FADV_WILLNEED };

	for (int i = 0; advice->hints && i < LENGTH(hints); i++)
		if ((errno = posix_fadvise(j->in, 0, 0, hints[i])))
			return failed(j, "posix_fadvise");
	for (int i = 0; advice->reserve && i < j->nout; i++)
		while (advice->reserve(j->out[i], j->len) < 0)
			if (!again(-1))
				return failed_at(j, j->out[i], advice->call);
	return true;
}

/* read(2): bytes, 0 at the end of the input, -1. */
static ssize_t get(struct job *j, void *to, size_t n)
{
	ssize_t got;

	while (again(got = read(j->in, to, n)))
		;
	if (got < 0)
		failed(j, "read");
	return got;
}

/* Counts n bytes that have arrived at one of the outputs: the last one makes them done. */
static void count(struct job *j, int out, ssize_t n)
{
	if (out == j->out[j->nout - 1])
		j->done += n;
}

/* write(2), as often as it takes for n bytes: false when it fails, or moves nothing. */
static bool put(struct job *j, int out, const unsigned char *from, size_t n)
{
	while (n > 0) {
		ssize_t wrote = write(out, from, n);

		if (again(wrote))
			continue;
		if (wrote < 0)
			failed_at(j, out, "write");
		if (wrote <= 0)
			return false;
		count(j, out, wrote);
		from += wrote;
		n -= wrote;
	}
	return true;
}

/* The same to all outputs. */
static bool put_all(struct job *j, const unsigned char *from, size_t n)
{
	bool ok = true;

	for (int i = 0; ok && i < j->nout; i++)
		ok = put(j, j->out[i], from, n);
	return ok;
}

/* The flag of a call that is first to come back where it would have to wait: at a pipe in the middle, whose ends are
 * both ours. */
static unsigned patience(const struct job *j, int from, int to)
{
	return from == j->pipe[0] || from == j->helper[0] || to == j->pipe[1] || to == j->helper[1] ? SPLICE_F_NONBLOCK : 0;
}

/* It has come back: is it that pipe that it would wait at? Then for ever, since nobody else fills it, or empties it: an
 * earlier call has claimed bytes that it did not move. Else it is the other end, and the call is made again, to wait. */
static bool stuck(const struct job *j, int from, int to)
{
	int held = 0;

	if ((from == j->pipe[0] || from == j->helper[0]) && !ioctl(from, FIONREAD, &held) && held == 0)
		return true;
	return (to == j->pipe[1] || to == j->helper[1]) && !ioctl(to, FIONREAD, &held) && held > 0;
}

/* Is a call to be made again? Interrupted, or now to wait. *got is 0 where it would wait for ever. */
static bool retry(const struct job *j, int from, int to, ssize_t *got, unsigned *flags)
{
	if (*got >= 0 || errno != EAGAIN || !*flags)
		return again(*got);
	*flags = 0;
	if (!stuck(j, from, to))
		return true;
	*got = 0;
	return false;
}

/* splice(2): bytes, 0 at the end of the input, -1. */
static ssize_t hop(struct job *j, int from, int to, size_t n)
{
	unsigned flags = patience(j, from, to);
	ssize_t got;

	do
		got = splice(from, NULL, to, NULL, n, flags);
	while (retry(j, from, to, &got, &flags));
	if (got < 0)
		failed_at(j, to, "splice");
	return got;
}

/* splice(2) of n bytes out of a pipe into one of the outputs, as often as it takes. */
static bool empty_pipe(struct job *j, int pipe, int out, ssize_t n)
{
	while (n > 0) {
		ssize_t got = hop(j, pipe, out, n);

		if (got <= 0)
			return false;
		count(j, out, got);
		n -= got;
	}
	return true;
}

/* mmap(2), which says EOVERFLOW where an address space of 32 bits has no room for n bytes: it has 2 to 4 GiB for all.
 * Where less can't be mapped, memory is short, or a limit is met. */
static unsigned char *map_file(int fd, int64_t at, int64_t n, int protection, int flags)
{
	unsigned char *map = MAP_FAILED;

	if (n <= (int64_t)(SIZE_MAX / 2))
		map = mmap(NULL, n, protection, flags, fd, at);
	else
		errno = ENOMEM;
	if (map == MAP_FAILED && errno == ENOMEM && n > (int64_t)(SIZE_MAX / 8))
		errno = EOVERFLOW;
	return map;
}

/* n bytes of the input from a page boundary on, mapped; NULL: failed. Private, since a shared mapping
 * of /dev/zero would be memory of its own, allocated page by page (mem(4), drivers/char/mem.c). */
static unsigned char *map_input(struct job *j, int64_t at, int64_t n, int flags)
{
	unsigned char *map = map_file(j->in, at, n, PROT_READ, MAP_PRIVATE | flags);

	if (map == MAP_FAILED)
		return failed(j, "mmap"), NULL;
	if (j->hints && (madvise(map, n, MADV_SEQUENTIAL) || madvise(map, n, MADV_WILLNEED))) {
		failed(j, "madvise");
		munmap(map, n);
		return NULL;
	}
	return map;
}

/* The whole output, mapped, after the advice has given it its length; NULL: failed. */
static unsigned char *map_output(struct job *j)
{
	unsigned char *map = map_file(j->opened[1], 0, j->len, PROT_READ | PROT_WRITE, MAP_SHARED);

	if (map == MAP_FAILED)
		return failed(j, "mmap"), NULL;
	return map;
}

/* Where a SIGBUS of this thread is to land: memory that is mapped from a file has no other way to
 * say that the file was cut, or that the disk is full (mmap(2), ERRORS). NULL: nobody expects one. */
static _Thread_local sigjmp_buf *volatile bus_landing;
static _Thread_local const unsigned char *volatile bus_address;

static void on_bus(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (!bus_landing) {
		signal(number, SIG_DFL); /* a bug: let it end the program */
		return;
	}
	bus_address = info->si_addr;
	siglongjmp(*bus_landing, 1);
}

/* A mapped output could not take a byte: write(2) tells the errno. Where it could now (ext4 finds
 * room for one byte, not for a page) the free space does; EFAULT stands for none. */
static bool output_failed(struct job *j, int64_t at)
{
	ssize_t n = pwrite(j->opened[1], "", 1, at);
	struct statfs fs;

	if (n >= 0)
		errno = !fstatfs(j->opened[1], &fs) && (int64_t)fs.f_bavail * (int64_t)fs.f_bsize < j->len - at ? ENOSPC : EFAULT;
	return failed(j, "memory mapped from the output");
}

/* memcpy(3) from the mapped input to the mapped output; false: one of them is not what it was. */
static bool copy_mapped(struct job *j, unsigned char *to, const unsigned char *from, int64_t at, size_t n)
{
	sigjmp_buf landing;

	if (sigsetjmp(landing, 0)) {
		bus_landing = NULL;
		if (bus_address >= to && bus_address < to + j->len)
			return output_failed(j, bus_address - to);
		errno = EFAULT;
		return failed(j, "memory mapped from the input");
	}
	bus_landing = &landing;
	memcpy(to + at, from + at, n);
	bus_landing = NULL;
	j->done += n;
	return true;
}

/* pread(2) and pwrite(2) of n bytes at one offset, by way of the buffer: false at the end of the
 * input, and when a call fails. */
static bool copy_at(struct job *j, int in, int out, int64_t at, size_t n)
{
	while (n > 0) {
		ssize_t got = pread(in, j->buf, n, at), wrote;

		if (again(got))
			continue;
		if (got <= 0)
			return got < 0 && failed(j, "pread");
		for (const unsigned char *from = j->buf; got > 0; from += wrote, got -= wrote, at += wrote, n -= wrote) {
			wrote = pwrite(out, from, got, at);
			if (!moved(j, wrote, "pwrite"))
				return false;
			wrote = wrote < 0 ? 0 : wrote;
		}
	}
	return true;
}

/*
 * io_uring by its system calls (io_uring_setup(2), io_uring_enter(2); Linux 5.1): two rings that
 * are shared with the kernel. Ours are the tail of one and the head of the other, and each is told
 * with the memory order that the man page asks for.
 */
struct uring {
	int fd;
	unsigned entries;
	unsigned *sq_head, *sq_tail, *sq_mask, *sq_array, *cq_head, *cq_tail, *cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
	unsigned char *sq, *cq;   /* the mappings */
	size_t sq_size, cq_size;  /* bytes */
	unsigned queued;          /* entries that the kernel has not been given yet */
	unsigned in_flight;       /* entries that it has, and has not completed */
	bool fixed;               /* buf is registered, as RING_DEPTH buffers of block bytes */
	bool sends;               /* what it waits for is sends */
};

/* The next free entry, for an operation at an offset of a file; -1: where the file stands. There
 * are never more in flight than entries. */
static struct io_uring_sqe *queue(struct uring *u, int operation, int fd, int64_t at, size_t n)
{
	unsigned tail = *u->sq_tail, i = tail & *u->sq_mask;
	struct io_uring_sqe *e = &u->sqes[i];

	*e = (struct io_uring_sqe){ .opcode = operation, .fd = fd, .off = at, .len = n };
	u->sq_array[i] = i;
	__atomic_store_n(u->sq_tail, tail + 1, __ATOMIC_RELEASE);
	u->queued++;
	return e;
}

/* Submits what is queued, and waits until there are n completions. There is no leaving before: the
 * kernel writes to our buffers. But from sends, where it only reads them, and the other side of a socket may let
 * it wait for ever. How many it has taken is what the ring says: for others that the call claims there would never be a
 * completion. */
static bool enter(struct job *j, unsigned n)
{
	struct uring *u = j->uring;

	while (u->queued > 0 || __atomic_load_n(u->cq_tail, __ATOMIC_ACQUIRE) - *u->cq_head < n) {
		int given = syscall(SYS_io_uring_enter, u->fd, u->queued, n, IORING_ENTER_GETEVENTS, NULL, 0), err = errno;
		int taken = (int)(u->queued - (*u->sq_tail - __atomic_load_n(u->sq_head, __ATOMIC_ACQUIRE)));

		u->queued -= taken;
		u->in_flight += taken;
		errno = given > taken ? EIO : err;
		if (given > taken || (given < 0 && (err != EINTR || (u->sends && caught))))
			return failed(j, "io_uring_enter");
	}
	return true;
}

/* Takes one completion; false: there is none. */
static bool reap(struct uring *u, struct io_uring_cqe *c)
{
	unsigned head = *u->cq_head;

	if (head == __atomic_load_n(u->cq_tail, __ATOMIC_ACQUIRE))
		return false;
	*c = u->cqes[head & *u->cq_mask];
	__atomic_store_n(u->cq_head, head + 1, __ATOMIC_RELEASE);
	u->in_flight -= !(c->flags & URING_MORE);
	return true;
}

/* Waits for what is still in flight when a copy gives up: it would go on into the next row's output. */
static void drain(struct uring *u)
{
	struct io_uring_cqe c;

	while (u->in_flight > 0 && (syscall(SYS_io_uring_enter, u->fd, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0) >= 0 || errno == EINTR))
		while (reap(u, &c))
			;
}

/*
 * Sends that let the kernel take the bytes from our buffers itself (MSG_ZEROCOPY, Linux 4.14;
 * Documentation/networking/msg_zerocopy.rst). Each send of a socket has a number, from 0 on. When the kernel needs its bytes no
 * longer, it says so in the socket's error queue, in ranges of numbers, and whether it has copied them all the same.
 */
struct sends {
	int pending[SEND_SLOTS];      /* sends of each buffer that the kernel still needs */
	int slot[4 * SEND_SLOTS];     /* which buffer a send, by its number, was of */
	uint32_t sent, back;          /* sends made, and given back */
};

/* A range of sends that are given back. Those of a run before this one, which has failed, are nobody's any more; false:
 * it is of some that we have not made. */
static bool give_back(struct job *j, struct sends *z, const struct sock_extended_err *e)
{
	uint32_t first = j->sends - z->sent; /* of this run */

	if (e->ee_origin != SO_EE_ORIGIN_ZEROCOPY || e->ee_errno)
		return true;
	for (uint32_t i = 0, n = e->ee_data - e->ee_info + 1; i < n; i++) {
		int32_t number = (int32_t)(e->ee_info + i - first);

		errno = EPROTO;
		if (number >= (int64_t)z->sent)
			return failed_at(j, j->out[0], "send MSG_ZEROCOPY");
		if (number < 0)
			continue;
		z->pending[z->slot[number % LENGTH(z->slot)]]--;
		z->back++;
		j->completions++;
		j->copied += !!(e->ee_code & SO_EE_CODE_ZEROCOPY_COPIED);
	}
	return true;
}

/* Waits for completions, and takes all there are. */
static bool take_back(struct job *j, struct sends *z)
{
	struct pollfd queue = { .fd = j->out[0] }; /* POLLERR needs not be asked for */
	union {
		struct cmsghdr header;
		char room[256];
	} control;
	struct msghdr m = { .msg_control = &control, .msg_controllen = sizeof control };
	bool some = false;
	int err = 0;
	socklen_t size = sizeof err;

	if (poll(&queue, 1, 100) <= 0)
		return true; /* a signal is seen by who has called */
	for (; recvmsg(j->out[0], &m, MSG_ERRQUEUE | MSG_DONTWAIT) >= 0; some = true) {
		for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c))
			if (((c->cmsg_level == SOL_IP && c->cmsg_type == IP_RECVERR) || (c->cmsg_level == SOL_IPV6 && c->cmsg_type == IPV6_RECVERR))
			    && !give_back(j, z, (const void *)CMSG_DATA(c)))
				return false;
		m.msg_controllen = sizeof control;
	}
	if (some)
		return true;
	errno = getsockopt(j->out[0], SOL_SOCKET, SO_ERROR, &err, &size) || !err ? EPIPE : err;
	return failed_at(j, j->out[0], "send MSG_ZEROCOPY");
}

/* Waits for what has not come back when a copy is done, outside the clock: it is wanted for the count only, so that no
 * failure matters, and a socket that is closed by now has to say nothing more. */
static void end_sends(struct job *j)
{
	struct job rest = *j;
	int64_t deadline = now() + GREETING;

	while (rest.lent->back != rest.lent->sent && !rest.err && !caught && now() < deadline && take_back(&rest, rest.lent))
		;
	j->completions = rest.completions;
	j->copied = rest.copied;
	free(j->lent);
}

/* The same by io_uring (Linux 6.0): the notification of a send is its second completion. */
struct uring_sends {
	int pending[RING_DEPTH];      /* sends of each buffer that the kernel still needs */
	int64_t got, sent;            /* what read and send said: bytes or -errno */
	int awaited;                  /* of the two, those that have said nothing yet */
	bool report;                  /* the kernel is to tell what it copies */
};

static bool reap_sends(struct job *j, struct uring_sends *z)
{
	struct io_uring_cqe c;

	if (!enter(j, 1))
		return false;
	while (reap(j->uring, &c)) {
		int slot = c.user_data % RING_DEPTH;

		if (c.flags & URING_NOTIFICATION) {
			z->pending[slot]--;
			j->completions++;
			j->copied = z->report ? j->copied + ((uint32_t)c.res >> 31) : -1; /* IORING_NOTIF_USAGE_ZC_COPIED */
			continue;
		}
		*(c.user_data < RING_DEPTH ? &z->sent : &z->got) = c.res;
		z->pending[slot] += c.flags & URING_MORE ? 1 : 0;
		z->awaited--;
	}
	return true;
}

static void end_uring_sends(struct job *j)
{
	struct job rest = *j;
	struct pollfd ring = { .fd = j->uring->fd, .events = POLLIN };
	int64_t deadline = now() + GREETING;

	for (int slot = 0; slot < RING_DEPTH; slot++)
		while (rest.uring_lent->pending[slot] > 0 && !rest.err && !caught && now() < deadline)
			if (poll(&ring, 1, 100) > 0)
				reap_sends(&rest, rest.uring_lent);
	j->completions = rest.completions;
	j->copied = rest.copied;
	free(j->uring_lent);
}

/*
 * Threads that share one copy. They are started before the clock, wait for go, and each works with
 * a job of its own, of which the sum is made when all have finished.
 */
struct worker {
	struct team *team;
	struct job job;
	pthread_t thread;
	int number;                     /* from 0 */
};

struct team {
	int n;                          /* workers that were started */
	struct worker workers[THREADS_MAX];
	void (*work)(struct worker *);  /* what they are to do; NULL: to end */
	sem_t go, finished;
	int64_t claimed;                /* bytes that some worker has taken on; atomic */
	int stop;                       /* one has failed, or met the end of the input; atomic */
	unsigned char *from, *to;       /* what the strategy has mapped */
	sem_t empty, full;              /* blocks of the ring between reader and writer */
	ssize_t filled[RING_DEPTH];     /* bytes in each of them */
};

/* The next piece that nobody has taken on, of block bytes, or of an equal share where block is 0;
 * its size, 0: there is none, or we are to stop. */
static size_t claim(struct worker *w, int64_t *at)
{
	struct team *t = w->team;
	int64_t share = (w->job.len / t->n / M + 1) * M; /* whole blocks of every file system */
	int64_t most = w->job.block ? w->job.block : share, left;

	if (caught || __atomic_load_n(&t->stop, __ATOMIC_RELAXED))
		return 0;
	*at = __atomic_fetch_add(&t->claimed, most, __ATOMIC_RELAXED);
	left = w->job.len - *at;
	return left <= 0 ? 0 : left < most ? left : most;
}

static void stop_team(struct worker *w)
{
	__atomic_store_n(&w->team->stop, 1, __ATOMIC_RELAXED);
}

/* Lets all workers do their work and waits for the last of them. A signal that asks us to stop comes
 * to this thread: it is passed on, again and again, since a worker may be just before a call that
 * blocks. */
static int64_t work_together(struct job *j, void (*work)(struct worker *))
{
	struct team *t = j->team;
	struct timespec soon;

	t->work = work;
	for (int i = 0; i < t->n; i++)
		sem_post(&t->go);
	for (int left = t->n; left > 0;) {
		clock_gettime(CLOCK_REALTIME, &soon);
		soon.tv_sec++;
		if (!sem_timedwait(&t->finished, &soon))
			left--;
		for (int i = 0; i < t->n && left && caught; i++)
			pthread_kill(t->workers[i].thread, SIGUSR1);
	}
	for (int i = 0; i < t->n; i++) {
		const struct job *part = &t->workers[i].job;

		j->done += part->done;
		if (part->err && !j->err) {
			j->err = part->err;
			j->call = part->call;
		}
	}
	return total(j);
}

/* ---- Kits: what a copy holds in its hands, made before the clock starts -------------------- */

/* Memory of fresh pages, as an allocator gives them to a program that asks for this much; each is
 * touched, so that the first run does not pay for the page faults of all. */
static bool get_memory(struct job *j, int64_t bytes)
{
	errno = ENOMEM;
	if ((int64_t)(size_t)bytes == bytes)
		j->buf = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!j->buf || j->buf == MAP_FAILED)
		return j->buf = NULL, failed(j, "mmap");
	j->room = bytes;
	memset(j->buf, 0xa5, bytes);
	return true;
}

/* Never larger than the input: the rest would not be used. */
static bool buffer(struct job *j)
{
	if (j->block > j->len)
		j->block = j->len;
	return get_memory(j, j->block);
}

/* A pipe in the middle. */
static bool make_pipe(struct job *j, int64_t bytes)
{
	return open_pipe(j, j->pipe, bytes);
}

/* Whether sync_file_range is there has to be known before the first byte: without a flag it does
 * nothing. */
static bool buffer_and_sync(struct job *j)
{
	return buffer(j) && (!sync_file_range(j->out[0], 0, 1, 0) || failed(j, "sync_file_range"));
}

/* A row that is called huge is none where the kernel was told to give no huge pages: it says so in no call
 * (Documentation/admin-guide/mm/transhuge.rst). */
static bool huge_pages(struct job *j)
{
	static const char file[] = "/sys/kernel/mm/transparent_hugepage/enabled";
	char line[128];

	errno = EOPNOTSUPP;
	return (read_line(file, line, sizeof line) && !strstr(line, "[never]"))
	    || failed(j, "/sys/kernel/mm/transparent_hugepage/enabled, being [never] or missing,");
}

/* Memory that has not been touched, in huge pages as far as the kernel gives some. Aligned to them: as much
 * again is asked for as one is large. */
static bool get_untouched_memory(struct job *j)
{
	unsigned char *buf;

	if (!get_memory(j, j->block + HUGE_PAGE))
		return false;
	buf = j->buf + (HUGE_PAGE - (uintptr_t)j->buf % HUGE_PAGE) % HUGE_PAGE;
	munmap(buf + j->block, j->buf + j->room - (buf + j->block));
	if (buf > j->buf)
		munmap(j->buf, buf - j->buf);
	j->buf = buf;
	j->room = j->block;
	madvise(buf, j->room, MADV_HUGEPAGE); /* a hint */
	return !madvise(buf, j->room, MADV_DONTNEED) || failed(j, "madvise MADV_DONTNEED");
}

static bool huge_buffer(struct job *j)
{
	return huge_pages(j) && get_untouched_memory(j);
}

static bool middle_pipe(struct job *j)
{
	return make_pipe(j, j->block);
}

static bool small_pipe(struct job *j)
{
	return make_pipe(j, PIPE_DEFAULT);
}

/* 1, 0, or -1: it can't be asked. */
static int is_pipe(struct job *j, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return failed(j, "fstat"), -1;
	return S_ISFIFO(st.st_mode);
}

/* Behind an input that is no pipe itself. */
static bool pipe_behind_input(struct job *j)
{
	int piped = is_pipe(j, j->in);

	return piped > 0 || (piped == 0 && middle_pipe(j));
}

/* What tee(2) takes from and writes to are pipes: the input and one output, where they are some, else pipes in the
 * middle. That output is made the first. */
static bool pipes_to_tee(struct job *j)
{
	int second = j->out[1], first_piped = is_pipe(j, j->out[0]), second_piped = is_pipe(j, second);

	if (first_piped < 0 || second_piped < 0)
		return false;
	if (!first_piped && second_piped) {
		j->out[1] = j->out[0];
		j->out[0] = second;
	}
	return pipe_behind_input(j) && (first_piped || second_piped || open_pipe(j, j->helper, j->block));
}

static bool open_anew(struct job *j, int end, int flags)
{
	j->opened[end] = reopen(end ? j->out[0] : j->in, flags);
	return j->opened[end] >= 0 || failed(j, "open");
}

/* A mapping that is written to has to be read, too (mmap(2), EACCES). */
static bool mappable_output(struct job *j)
{
	return open_anew(j, 1, O_RDWR);
}

/* The first output is what the second is made from. */
static bool pipe_and_readable_output(struct job *j)
{
	return pipe_behind_input(j) && open_anew(j, 1, O_RDONLY);
}

/* Bytes that direct I/O on a file is to be aligned to: stx_dio_offset_align, the 40th word of struct
 * statx since Linux 6.1. By its number, since headers may be older. */
static int64_t direct_alignment(int fd)
{
	uint32_t words[64] = { 0 }; /* struct statx; the first word is stx_mask */

	if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_DIO_ALIGNMENT, words) || !(words[0] & STATX_DIO_ALIGNMENT))
		return DIO_ALIGNMENT;
	return words[39] ? words[39] : DIO_ALIGNMENT;
}

/* The buffer is a mapping, and so aligned to a page. */
static bool direct_output(struct job *j)
{
	j->alignment = direct_alignment(j->out[0]);
	return open_anew(j, 1, O_WRONLY | O_DIRECT) && get_memory(j, j->block);
}

static bool direct_ends(struct job *j)
{
	int64_t alignment = direct_alignment(j->in);

	if (!open_anew(j, 0, O_RDONLY | O_DIRECT) || !direct_output(j))
		return false;
	j->alignment = j->alignment < alignment ? alignment : j->alignment;
	return true;
}

/* stdio on duplicates, since closing it closes them. Nothing is read or written before the clock
 * starts. Only this thread uses them: else a row with threads would slow down getc and putc for all rows after it. */
static bool stdio(struct job *j)
{
	for (int i = 0; i < 2; i++) {
		int fd = fcntl(i ? j->out[0] : j->in, F_DUPFD_CLOEXEC, 3);

		if (fd < 0)
			return failed(j, "fcntl F_DUPFD_CLOEXEC");
		j->stream[i] = fdopen(fd, i ? "w" : "r");
		if (!j->stream[i])
			return failed(j, "fdopen"), close(fd), false;
		__fsetlocking(j->stream[i], FSETLOCKING_BYCALLER);
	}
	return buffer(j);
}

/* Maps what io_uring_setup(2) tells to map. */
static bool map_uring(struct uring *u, const struct io_uring_params *p)
{
	int protection = PROT_READ | PROT_WRITE, flags = MAP_SHARED | MAP_POPULATE;

	u->entries = p->sq_entries;
	u->sq_size = p->sq_off.array + p->sq_entries * sizeof *u->sq_array;
	u->cq_size = p->cq_off.cqes + p->cq_entries * sizeof *u->cqes;
	u->sq = mmap(NULL, u->sq_size, protection, flags, u->fd, IORING_OFF_SQ_RING);
	u->cq = mmap(NULL, u->cq_size, protection, flags, u->fd, IORING_OFF_CQ_RING);
	u->sqes = mmap(NULL, u->entries * sizeof *u->sqes, protection, flags, u->fd, IORING_OFF_SQES);
	if (u->sq == MAP_FAILED || u->cq == MAP_FAILED || (void *)u->sqes == MAP_FAILED)
		return false;
	u->sq_head = (void *)(u->sq + p->sq_off.head);
	u->sq_tail = (void *)(u->sq + p->sq_off.tail);
	u->sq_mask = (void *)(u->sq + p->sq_off.ring_mask);
	u->sq_array = (void *)(u->sq + p->sq_off.array);
	u->cq_head = (void *)(u->cq + p->cq_off.head);
	u->cq_tail = (void *)(u->cq + p->cq_off.tail);
	u->cq_mask = (void *)(u->cq + p->cq_off.ring_mask);
	u->cqes = (void *)(u->cq + p->cq_off.cqes);
	return true;
}

static bool make_uring(struct job *j)
{
	struct io_uring_params p = { 0 };
	struct uring *u = allocate(1, sizeof *u);

	j->uring = u;
	u->sq = u->cq = MAP_FAILED;
	u->sqes = MAP_FAILED;
	u->fd = syscall(SYS_io_uring_setup, 2 * RING_DEPTH, &p); /* it is closed on exec */
	if (u->fd < 0)
		return failed(j, "io_uring_setup");
	return map_uring(u, &p) || failed(j, "mmap");
}

static void drop_uring(struct uring *u)
{
	if (u->sq != MAP_FAILED)
		munmap(u->sq, u->sq_size);
	if (u->cq != MAP_FAILED)
		munmap(u->cq, u->cq_size);
	if ((void *)u->sqes != MAP_FAILED)
		munmap(u->sqes, u->entries * sizeof *u->sqes);
	if (u->fd >= 0)
		close(u->fd);
	free(u);
}

static bool uring_and_buffers(struct job *j)
{
	return get_memory(j, RING_DEPTH * j->block) && make_uring(j);
}

static bool uring_for_sends(struct job *j)
{
	if (!uring_and_buffers(j))
		return false;
	j->uring->sends = true;
	j->uring_lent = allocate(1, sizeof *j->uring_lent);
	j->uring_lent->report = true;
	j->completions = j->copied = 0;
	return true;
}

/* Registered buffers: the kernel need not look up their pages at each call (io_uring_register(2)).
 * What the last ring had locked in memory counts against ulimit -l until the kernel has cleared it
 * away, which it does some time after the ring is closed: that is waited for, a while. */
static bool uring_and_fixed_buffers(struct job *j)
{
	struct iovec each[RING_DEPTH];
	int n = -1;

	if (!uring_and_buffers(j))
		return false;
	for (int i = 0; i < RING_DEPTH; i++)
		each[i] = (struct iovec){ j->buf + i * j->block, j->block };
	j->uring->fixed = true;
	for (int tries = 0; n < 0 && tries < 20 && !caught; tries++) {
		n = syscall(SYS_io_uring_register, j->uring->fd, IORING_REGISTER_BUFFERS, each, RING_DEPTH);
		if (n < 0 && errno != ENOMEM)
			break;
		if (n < 0)
			sleep_until(now() + 10 * INT64_C(1000000));
	}
	return n == 0 || failed(j, "io_uring_register");
}

static bool socket_and_buffers(struct job *j)
{
	int on = 1;

	j->lent = allocate(1, sizeof *j->lent);
	j->completions = j->copied = 0;
	return (!setsockopt(j->out[0], SOL_SOCKET, SO_ZEROCOPY, &on, sizeof on) || failed(j, "setsockopt SO_ZEROCOPY"))
	    && get_memory(j, SEND_SLOTS * j->block);
}

static bool uring_and_pipe(struct job *j)
{
	return middle_pipe(j) && make_uring(j);
}

/* A worker waits for the copy to begin, or to be told that there will be none. */
static void *wait_and_work(void *worker)
{
	struct worker *w = worker;

	while (sem_wait(&w->team->go))
		;
	if (w->team->work)
		w->team->work(w);
	sem_post(&w->team->finished);
	return NULL;
}

static bool start_team(struct job *j, int n)
{
	struct team *t = allocate(1, sizeof *t);

	j->team = t;
	sem_init(&t->go, 0, 0);
	sem_init(&t->finished, 0, 0);
	sem_init(&t->empty, 0, RING_DEPTH);
	sem_init(&t->full, 0, 0);
	for (; t->n < n; t->n++) {
		struct worker *w = &t->workers[t->n];

		*w = (struct worker){ .team = t, .job = *j, .number = t->n };
		w->job.buf = j->buf ? j->buf + t->n * j->block : NULL;
		if (!start_thread(&w->thread, wait_and_work, w))
			return failed(j, "pthread_create");
	}
	return true;
}

/* Those that have had nothing to do yet are told to end. */
static void drop_team(struct team *t)
{
	for (int i = 0; i < t->n && !t->work; i++)
		sem_post(&t->go);
	for (int i = 0; i < t->n; i++)
		pthread_join(t->workers[i].thread, NULL);
	free(t);
}

/* One thread for each CPU that we may use; of those that there are, where the set has no room for so
 * many (sched_getaffinity(2), EINVAL). */
static int count_threads(void)
{
	cpu_set_t cpus;
	int n = sched_getaffinity(0, sizeof cpus, &cpus) ? (int)sysconf(_SC_NPROCESSORS_ONLN) : CPU_COUNT(&cpus);

	return n < THREADS_MIN ? THREADS_MIN : n > THREADS_MAX ? THREADS_MAX : n;
}

static bool team(struct job *j)
{
	return start_team(j, count_threads());
}

static bool team_and_buffers(struct job *j)
{
	return get_memory(j, count_threads() * j->block) && team(j);
}

static bool team_and_mappable_output(struct job *j)
{
	return mappable_output(j) && team(j);
}

static bool reader_and_writer(struct job *j)
{
	return get_memory(j, RING_DEPTH * j->block) && start_team(j, 2);
}

static bool place_for_words(struct job *j)
{
	j->said = open_words();
	return j->said >= 0 || failed(j, "open /dev/null");
}

static void drop_words(const struct job *j)
{
	if (j->said >= 0)
		close(j->said);
}

/* Gives back whatever a kit has made, also when it could not make all: but for the command's words, which
 * may have to be told. */
static void drop_kit(struct job *j)
{
	const int descriptors[] = { j->pipe[0], j->pipe[1], j->helper[0], j->helper[1], j->opened[0], j->opened[1] };

	if (j->team)
		drop_team(j->team);
	if (j->lent)
		end_sends(j);
	if (j->uring_lent)
		end_uring_sends(j);
	if (j->uring)
		drop_uring(j->uring);
	if (j->buf)
		munmap(j->buf, j->room);
	for (int i = 0; i < 2; i++)
		if (j->stream[i])
			fclose(j->stream[i]);
	for (int i = 0; i < LENGTH(descriptors); i++)
		if (descriptors[i] >= 0)
			close(descriptors[i]);
}

/* ---- Strategies: one small function each; bytes or -errno ---------------------------------- */

/* Read once, and written to each output there is. */
static int64_t copy_read_write(struct job *j)
{
	ssize_t n;
	size_t want;

	while ((want = next(j)) && (n = get(j, j->buf, want)) > 0)
		if (!put_all(j, j->buf, n))
			break;
	return total(j);
}

/* Goes on n bytes in each output without writing them. */
static bool leave_out(struct job *j, ssize_t n)
{
	for (int i = 0; i < j->nout; i++)
		if (lseek(j->out[i], n, SEEK_CUR) < 0)
			return failed_at(j, j->out[i], "lseek");
	j->done += n;
	j->saved += n;
	return true;
}

static bool cut(struct job *j, int64_t length)
{
	for (int i = 0; i < j->nout; i++)
		while (ftruncate(j->out[i], length))
			if (!again(-1))
				return failed_at(j, j->out[i], "ftruncate");
	return true;
}

/* Blocks of zeros become holes: what is there already must be gone before, and the last of them is none until the
 * files get their length. */
static int64_t copy_sparse(struct job *j)
{
	bool hole = false;
	size_t want;
	ssize_t n;

	if (!cut(j, 0))
		return total(j);
	j->saved = 0;
	while ((want = next(j)) && (n = get(j, j->buf, want)) > 0) {
		hole = is_zero(j->buf, n);
		if (!(hole ? leave_out(j, n) : put_all(j, j->buf, n)))
			return total(j);
	}
	if (hole)
		cut(j, j->done);
	return total(j);
}

/* What is left in the library's buffer is written, and the descriptors are closed: a peer must not wait for
 * them. */
static int64_t end_stdio(struct job *j, const char *reading)
{
	if (!j->err && ferror(j->stream[0]))
		failed(j, reading);
	else if (!j->err && fflush(j->stream[1]))
		failed(j, "fflush");
	for (int i = 0; i < 2; i++) {
		fclose(j->stream[i]);
		j->stream[i] = NULL;
	}
	return total(j);
}

/* fread(3) and fwrite(3) of block bytes. */
static int64_t copy_stdio(struct job *j)
{
	FILE *in = j->stream[0], *out = j->stream[1];
	size_t n, want;

	while (!j->err && (want = next(j)) && (n = fread(j->buf, 1, want, in)) > 0)
		if (fwrite(j->buf, 1, n, out) < n)
			failed(j, "fwrite");
		else
			j->done += n;
	return end_stdio(j, "fread");
}

static int64_t copy_stdio_bytes(struct job *j)
{
	FILE *in = j->stream[0], *out = j->stream[1];
	int c = 0;

	for (; next(j) && (c = getc(in)) != EOF; j->done++)
		if (putc(c, out) == EOF) {
			failed(j, "putc");
			break;
		}
	return end_stdio(j, "getc");
}

static int64_t mmap_write(struct job *j, int flags)
{
	int64_t n;

	while ((n = j->block ? (int64_t)next(j) : j->len)) {
		unsigned char *map = map_input(j, j->done, n, flags);

		if (!map)
			break;
		bool ok = put_all(j, map, n);
		munmap(map, n);
		if (!ok || !j->block)
			break;
	}
	return total(j);
}

static int64_t copy_mmap_write(struct job *j)
{
	return mmap_write(j, 0);
}

static int64_t copy_mmap_write_populate(struct job *j)
{
	return mmap_write(j, MAP_POPULATE);
}

static int64_t copy_mmap_mmap(struct job *j)
{
	unsigned char *from = map_input(j, 0, j->len, 0), *to = from ? map_output(j) : NULL;

	for (size_t n; to && (n = next(j)) && copy_mapped(j, to, from, j->done, n < MEMCPY_STEP ? n : MEMCPY_STEP);)
		;
	if (to)
		munmap(to, j->len);
	if (from)
		munmap(from, j->len);
	return total(j);
}

/* read(2) says EFAULT where memory would be a SIGBUS. */
static int64_t copy_read_mmap(struct job *j)
{
	unsigned char *to = map_output(j);
	size_t want;

	while (to && (want = next(j)) && moved(j, get(j, to + j->done, want), "read"))
		;
	if (j->err == EFAULT)
		output_failed(j, j->done);
	if (to)
		munmap(to, j->len);
	return total(j);
}

/* Where one of the ends is a pipe, none is needed in the middle. */
static int64_t copy_splice(struct job *j)
{
	size_t want;

	while ((want = next(j)) && moved(j, splice(j->in, NULL, j->out[0], NULL, want, 0), "splice"))
		;
	return total(j);
}

static int64_t copy_pipe_splice(struct job *j)
{
	ssize_t n;
	size_t want;

	while ((want = next(j)) && (n = hop(j, j->in, j->pipe[1], want)) > 0)
		if (!empty_pipe(j, j->pipe[0], j->out[0], n))
			break;
	return total(j);
}

/* Duplicates up to n bytes of a pipe into the first output, then moves the same ones to the second: how many, or none. */
static ssize_t duplicate(struct job *j, int pipe, ssize_t n)
{
	int to = j->helper[1] >= 0 ? j->helper[1] : j->out[0];
	unsigned flags = patience(j, pipe, to);
	ssize_t copied;

	do
		copied = tee(pipe, to, n, flags);
	while (retry(j, pipe, to, &copied, &flags));
	if (copied < 0)
		failed_at(j, to, "tee");
	if (copied <= 0 || (j->helper[0] >= 0 && !empty_pipe(j, j->helper[0], j->out[0], copied)))
		return 0;
	return empty_pipe(j, pipe, j->out[1], copied) ? copied : 0;
}

static int64_t copy_tee_splice(struct job *j)
{
	ssize_t n = 1, copied;
	size_t want;

	while (n > 0 && (want = next(j)))
		if (j->pipe[0] < 0)
			n = duplicate(j, j->in, want);
		else if ((n = hop(j, j->in, j->pipe[1], want)) > 0)
			for (ssize_t left = n; left > 0; left -= copied)
				if (!(copied = duplicate(j, j->pipe[0], left)))
					return total(j);
	return total(j);
}

/* Pages of the mapping go into the pipe by reference (vmsplice(2)), and out of it by splice. */
static int64_t copy_vmsplice_splice(struct job *j)
{
	unsigned char *map = map_input(j, 0, j->len, 0);
	ssize_t in, out = 1;
	size_t want;

	while (map && out > 0 && (want = next(j))) {
		struct iovec part = { map + j->done, want };
		unsigned flags = SPLICE_F_NONBLOCK;

		do
			in = vmsplice(j->pipe[1], &part, 1, flags);
		while (retry(j, -1, j->pipe[1], &in, &flags));
		if (in < 0)
			failed(j, "vmsplice");
		for (out = in; in > 0 && out > 0; in -= out, j->done += out > 0 ? out : 0)
			out = hop(j, j->pipe[0], j->out[0], in);
	}
	if (map)
		munmap(map, j->len);
	return total(j);
}

/* n bytes of memory into the output, a pipe, by reference: until its reader is done with them, nothing else
 * may be written there (vmsplice(2)). */
static bool lend(struct job *j, unsigned char *from, size_t n)
{
	while (n > 0) {
		struct iovec part = { from, n };
		ssize_t lent = vmsplice(j->out[0], &part, 1, 0);

		if (!moved(j, lent, "vmsplice"))
			return false;
		from += lent > 0 ? lent : 0;
		n -= lent > 0 ? lent : 0;
	}
	return true;
}

static int64_t copy_vmsplice(struct job *j)
{
	unsigned char *map = map_input(j, 0, j->len, 0);

	for (size_t n; map && (n = next(j)) && lend(j, map + j->done, n);)
		;
	if (map)
		munmap(map, j->len);
	return total(j);
}

/* The same of a mapping in huge pages, where the input can have them: /dev/zero, and a file on tmpfs that
 * was mounted so (madvise(2), MADV_HUGEPAGE). */
static int64_t copy_vmsplice_huge(struct job *j)
{
	unsigned char *map = map_input(j, 0, j->len, 0);

	if (map && madvise(map, j->len, MADV_HUGEPAGE))
		failed(j, "madvise MADV_HUGEPAGE");
	for (size_t n; map && !j->err && (n = next(j)) && lend(j, map + j->done, n);)
		;
	if (map)
		munmap(map, j->len);
	return total(j);
}

/* Read into huge pages, which are lent to the output and given up: the reader may pass them on to another
 * pipe or a socket, and nobody tells when they are free again. */
static int64_t copy_read_vmsplice(struct job *j)
{
	size_t want;
	ssize_t n;

	while ((want = next(j)) && (n = get(j, j->buf, want)) > 0) {
		if (!lend(j, j->buf, n))
			break;
		if (madvise(j->buf, j->room, MADV_DONTNEED))
			return failed(j, "madvise MADV_DONTNEED"), total(j);
	}
	return total(j);
}

static int64_t copy_sendfile(struct job *j)
{
	size_t want;

	while ((want = next(j)) && moved(j, sendfile(j->out[0], j->in, NULL, want), "sendfile"))
		;
	return total(j);
}

/* By its number: glibc 2.27 to 2.29 copied by read and write where the kernel would not. The order of the arguments is
 * sendfile's. */
static ssize_t copy_range(int out, int in, off_t *at, size_t n)
{
	return syscall(SYS_copy_file_range, in, at, out, NULL, n, 0);
}

static int64_t copy_copy_file_range(struct job *j)
{
	size_t want;

	while ((want = next(j)) && moved(j, copy_range(j->out[0], j->in, NULL, want), "copy_file_range"))
		;
	return total(j);
}

/* The input to each output in turn, by offset. */
static int64_t copy_to_each(struct job *j, ssize_t (*call)(int out, int in, off_t *at, size_t n), const char *name)
{
	for (int i = 0; i < j->nout; i++)
		for (off_t at = 0; at < j->len && !caught;) {
			ssize_t n = call(j->out[i], j->in, &at, j->len - at < CALL_MAX ? j->len - at : CALL_MAX);

			if (again(n))
				continue;
			if (n < 0)
				failed_at(j, j->out[i], name);
			if (n <= 0)
				return total(j);
			count(j, j->out[i], n);
		}
	return total(j);
}

static int64_t copy_sendfile_each(struct job *j)
{
	return copy_to_each(j, sendfile, "sendfile");
}

static int64_t copy_copy_file_range_each(struct job *j)
{
	return copy_to_each(j, copy_range, "copy_file_range");
}

/* Splices the input into the first output. */
static void splice_first(struct job *j)
{
	int64_t most = j->pipe[0] >= 0 ? j->block : CALL_MAX;
	ssize_t n = 1;

	for (int64_t left = j->len; left > 0 && n > 0 && !caught; left -= n) {
		n = hop(j, j->in, j->pipe[0] >= 0 ? j->pipe[1] : j->out[0], left < most ? left : most);
		if (n > 0 && j->pipe[0] >= 0 && !empty_pipe(j, j->pipe[0], j->out[0], n))
			break;
	}
	if (!j->err)
		j->culprit = j->out[1]; /* of whatever fails from here on */
}

/* Splices the input into the first output, and makes the second one of it. */
static int64_t splice_then(struct job *j, ssize_t (*call)(int out, int in, off_t *at, size_t n), const char *name)
{
	size_t want;

	splice_first(j);
	j->block = 0;
	while (!j->err && (want = next(j)) && moved(j, call(j->out[1], j->opened[1], NULL, want), name))
		;
	return total(j);
}

static int64_t copy_splice_sendfile(struct job *j)
{
	return splice_then(j, sendfile, "sendfile");
}

static int64_t copy_splice_copy_file_range(struct job *j)
{
	return splice_then(j, copy_range, "copy_file_range");
}

/* FICLONE takes all there is; a part needs FICLONERANGE and must end at a block (ioctl_ficlone(2)). */
static int64_t copy_reflink(struct job *j)
{
	struct file_clone_range part = { .src_fd = j->in, .src_length = j->len };
	int n;

	while (again(n = j->whole ? ioctl(j->out[0], FICLONE, j->in)
	                          : ioctl(j->out[0], FICLONERANGE, &part)))
		;
	if (n < 0)
		return failed(j, j->whole ? "ioctl FICLONE" : "ioctl FICLONERANGE"), total(j);
	return j->done = j->len;
}

static int64_t copy_splice_reflink(struct job *j)
{
	struct stat st;
	int n = 0;

	splice_first(j);
	while (!j->err && !caught && again(n = ioctl(j->out[1], FICLONE, j->opened[1])))
		;
	if (j->err || caught)
		return total(j);
	if (n < 0 || fstat(j->out[1], &st))
		return failed(j, n < 0 ? "ioctl FICLONE" : "fstat"), total(j);
	return j->done = st.st_size;
}

/* Whole blocks by direct I/O, at both ends or at the output only; the tail, which is none, without.
 * An input of less than a block is tried, too: the kernel says what becomes of it. */
static int64_t copy_direct(struct job *j)
{
	int64_t aligned = j->len - j->len % j->alignment, end = aligned ? aligned : j->len;
	int in = j->opened[0] >= 0 ? j->opened[0] : j->in, out = j->opened[1];
	size_t want;

	while ((want = next(j))) {
		int64_t left = end - j->done;

		if (left == 0) {
			in = j->in;
			out = j->out[0];
			end = j->len;
		} else if (!copy_at(j, in, out, j->done, left < (int64_t)want ? left : (int64_t)want)) {
			break;
		}
	}
	return total(j);
}

/* preadv2(2) and pwritev2(2) at the offset where the files stand. By their numbers: libc would do
 * without the flag's call where the kernel lacks it. */
static ssize_t uncached(long call, int fd, void *buf, size_t n)
{
	struct iovec part = { buf, n };
	ssize_t moved_bytes;

	while (again(moved_bytes = syscall(call, fd, &part, 1L, -1L, -1L, RWF_DONTCACHE)))
		;
	return moved_bytes;
}

static int64_t copy_uncached(struct job *j)
{
	ssize_t in, out;
	size_t want;

	while ((want = next(j)) && (in = uncached(SYS_preadv2, j->in, j->buf, want)) != 0) {
		if (in < 0)
			return failed(j, "preadv2 RWF_DONTCACHE"), total(j);
		for (unsigned char *from = j->buf; in > 0; from += out, in -= out, j->done += out) {
			out = uncached(SYS_pwritev2, j->out[0], from, in);
			if (out < 0)
				failed(j, "pwritev2 RWF_DONTCACHE");
			if (out <= 0)
				return total(j);
		}
	}
	return total(j);
}

/* Starts writing the window that ends at `end` to the disk, waits until the one before it (the
 * last one too, where that is all) is there, and drops that from the page cache. */
static bool write_behind(struct job *j, int64_t end, bool last)
{
	int64_t begin = (end - 1) / BEHIND * BEHIND, before = begin < BEHIND ? 0 : begin - BEHIND;
	int64_t settled = (last ? end : begin) - before;
	unsigned wait = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;

	if (sync_file_range(j->out[0], begin, end - begin, SYNC_FILE_RANGE_WRITE)
	    || (settled > 0 && sync_file_range(j->out[0], before, settled, wait)))
		return failed(j, "sync_file_range");
	if (settled > 0 && (errno = posix_fadvise(j->out[0], before, settled, POSIX_FADV_DONTNEED)))
		return failed(j, "posix_fadvise");
	return true;
}

/* Keeps a copy from filling memory with dirty pages. The input stays in the page cache. */
static int64_t copy_write_behind(struct job *j)
{
	ssize_t n;
	size_t want;

	while ((want = next(j)) && (n = get(j, j->buf, want)) > 0) {
		int64_t window = j->done / BEHIND;

		if (!put(j, j->out[0], j->buf, n))
			break;
		if ((j->done / BEHIND != window || j->done == j->len) && !write_behind(j, j->done, j->done == j->len))
			break;
	}
	return total(j);
}

/* A block's way through io_uring: a read, and a write that is linked to it. */
struct slot {
	int64_t at, end;  /* what of the file is still to be copied by it */
	int64_t n;        /* bytes that the pair in flight is about */
	int64_t got, put; /* what read and write said: bytes or -errno */
	int pending;      /* of the two, those that have said nothing yet */
};

static void start_slot(struct job *j, struct slot *slots, int i)
{
	struct slot *s = &slots[i];
	bool fixed = j->uring->fixed;

	s->pending = 2;
	for (int writing = 0; writing < 2; writing++) {
		int operation = writing ? fixed ? IORING_OP_WRITE_FIXED : IORING_OP_WRITE
		                        : fixed ? IORING_OP_READ_FIXED : IORING_OP_READ;
		struct io_uring_sqe *e = queue(j->uring, operation, writing ? j->out[0] : j->in, s->at, s->n);

		e->addr = (uintptr_t)(j->buf + i * j->block);
		e->buf_index = fixed ? i : 0;
		e->flags = writing ? 0 : IOSQE_IO_LINK; /* the write waits; a short read cancels it */
		e->user_data = 2 * i + writing;
	}
}

/* What a pair has done; then on with the same block where it was short, or with the next one. */
static void settle_slot(struct job *j, struct slot *slots, int i, int64_t *claimed, bool *stop)
{
	struct slot *s = &slots[i];
	int64_t wrote = s->put < 0 || s->got < 0 ? 0 : s->put < s->got ? s->put : s->got;
	bool cancelled = s->put == -ECANCELED && s->got < s->n; /* with the read, by the link */

	errno = s->got < 0 ? -s->got : s->put < 0 && !cancelled ? -s->put : 0;
	if (errno && errno != EINTR)
		failed(j, s->got < 0 ? "io_uring read" : "io_uring write");
	if (j->err || s->got == 0 || s->put == 0)
		*stop = true; /* else the input ended early, or nothing was moved */
	s->at += wrote;
	j->done += wrote;
	if (s->at == s->end) {
		s->at = *claimed;
		s->end = *claimed + j->block < j->len ? *claimed + j->block : j->len;
		*claimed = s->end;
	}
	if (s->at < s->end && !*stop && !caught) {
		bool was_short = s->got > 0 && s->got < s->n;

		s->n = was_short ? s->got : s->end - s->at;
		start_slot(j, slots, i);
	}
}

static int64_t copy_uring(struct job *j)
{
	struct slot slots[RING_DEPTH] = { 0 };
	struct io_uring_cqe c;
	int64_t claimed = 0;
	bool stop = false;

	for (int i = 0; i < RING_DEPTH; i++) {
		slots[i].got = slots[i].put = -EINTR; /* nothing yet, and no error */
		settle_slot(j, slots, i, &claimed, &stop);
	}
	while (j->uring->queued + j->uring->in_flight > 0 && enter(j, 1))
		while (reap(j->uring, &c)) {
			struct slot *s = &slots[c.user_data / 2];

			*(c.user_data % 2 ? &s->put : &s->got) = c.res;
			if (--s->pending == 0)
				settle_slot(j, slots, c.user_data / 2, &claimed, &stop);
		}
	drain(j->uring);
	return total(j);
}

/* Splices by io_uring: one into the pipe, and linked to it one out of it; where the first was
 * short, the second is cancelled, and made by itself. */
static int64_t copy_uring_splice(struct job *j)
{
	int64_t held = 0; /* bytes in the pipe */
	struct io_uring_cqe c;
	size_t want;

	while ((want = held ? (size_t)held : next(j))) {
		int64_t moved_bytes[2] = { 0, 0 };

		for (int out = held > 0; out < 2; out++) {
			struct io_uring_sqe *e = queue(j->uring, IORING_OP_SPLICE, out ? j->out[0] : j->pipe[1], -1, want);

			e->splice_fd_in = out ? j->pipe[0] : j->in;
			e->splice_off_in = -1;
			e->flags = out ? 0 : IOSQE_IO_LINK;
			e->user_data = out;
		}
		if (!enter(j, held ? 1 : 2))
			break;
		while (reap(j->uring, &c)) {
			bool cancelled = c.res == -ECANCELED && c.user_data == 1 && !held; /* with the first, by the link */

			if (c.res < 0 && !cancelled && c.res != -EINTR && !j->err) {
				errno = -c.res;
				failed(j, "io_uring splice");
			}
			moved_bytes[c.user_data] = c.res;
		}
		if (j->err || (!held && moved_bytes[0] == 0) || moved_bytes[1] == 0)
			break;
		held += moved_bytes[0] > 0 ? moved_bytes[0] : 0;
		held -= moved_bytes[1] > 0 ? moved_bytes[1] : 0;
		j->done += moved_bytes[1] > 0 ? moved_bytes[1] : 0;
	}
	drain(j->uring);
	return total(j);
}

/* Where the kernel can't keep account of more, some have to come back first. */
static bool send_slot(struct job *j, struct sends *z, int slot, const unsigned char *from, size_t n)
{
	while (n > 0) {
		bool full = z->sent - z->back == LENGTH(z->slot);
		ssize_t sent = full ? -1 : send(j->out[0], from, n, MSG_ZEROCOPY | MSG_NOSIGNAL);

		if (caught)
			return false;
		if (full || (sent < 0 && errno == ENOBUFS && z->sent != z->back)) {
			if (!take_back(j, z))
				return false;
			continue;
		}
		if (again(sent))
			continue;
		if (sent <= 0)
			return sent < 0 && failed_at(j, j->out[0], "send MSG_ZEROCOPY");
		z->slot[z->sent++ % LENGTH(z->slot)] = slot;
		j->sends++;
		z->pending[slot]++;
		j->done += sent;
		from += sent;
		n -= sent;
	}
	return true;
}

static int64_t copy_send_zerocopy(struct job *j)
{
	struct sends *z = j->lent;
	size_t want;
	ssize_t n;

	for (int slot = 0; (want = next(j)); slot = (slot + 1) % SEND_SLOTS) {
		unsigned char *from = j->buf + slot * j->block;

		while (z->pending[slot] > 0 && !caught)
			if (!take_back(j, z))
				return total(j);
		if ((n = get(j, from, want)) <= 0 || !send_slot(j, z, slot, from, n))
			break;
	}
	return total(j);
}

/* By io_uring: a read and a send that is linked to it, one pair at a time, since a stream has an order. */
static void queue_send(struct job *j, struct uring_sends *z, int slot, const unsigned char *from, size_t n)
{
	struct io_uring_sqe *e = queue(j->uring, URING_SEND_ZC, j->out[0], 0, n);

	e->addr = (uintptr_t)from;
	e->msg_flags = MSG_WAITALL | MSG_NOSIGNAL;
	e->ioprio = z->report ? URING_SEND_ZC_REPORT : 0;
	e->user_data = slot;
	z->sent = 0;
	z->awaited++;
}

static void queue_pair(struct job *j, struct uring_sends *z, int slot, unsigned char *from, size_t n)
{
	struct io_uring_sqe *e = queue(j->uring, IORING_OP_READ, j->in, -1, n);

	e->addr = (uintptr_t)from;
	e->flags = IOSQE_IO_LINK; /* a short read cancels the send */
	e->user_data = RING_DEPTH + slot;
	z->got = 0;
	z->awaited = 1;
	queue_send(j, z, slot, from, n);
}

/* Reads n bytes into a buffer, and sends them: false at the end of the input, or when a call fails. */
static bool send_block(struct job *j, struct uring_sends *z, int slot, size_t n)
{
	unsigned char *from = j->buf + slot * j->block;

	queue_pair(j, z, slot, from, n);
	for (int64_t at = 0;;) {
		while (z->awaited > 0)
			if (!reap_sends(j, z))
				return false;
		bool refused = z->got == -ECANCELED && z->sent < 0; /* a send that can't be is refused together with its read */

		if (refused && z->sent == -EINVAL && z->report) { /* Linux 6.0 and 6.1 can't tell what they copy */
			z->report = false;
			queue_pair(j, z, slot, from, n);
			continue;
		}
		if (z->sent == -EINTR || (z->sent == -ECANCELED && z->got >= 0))
			z->sent = 0;
		errno = refused || z->got >= 0 ? -z->sent : -z->got;
		if (z->sent < 0 || z->got < 0)
			return refused || z->got >= 0 ? failed_at(j, j->out[0], "io_uring send_zc") : failed(j, "io_uring read");
		at += z->sent;
		j->done += z->sent;
		if (at >= z->got || caught)
			return z->got > 0;
		queue_send(j, z, slot, from + at, z->got - at);
	}
}

static int64_t copy_uring_send(struct job *j)
{
	struct uring_sends *z = j->uring_lent;
	size_t want;

	for (int slot = 0; (want = next(j)); slot = (slot + 1) % RING_DEPTH) {
		while (z->pending[slot] > 0)
			if (!reap_sends(j, z))
				return total(j);
		if (!send_block(j, z, slot, want))
			break;
	}
	return total(j);
}

static void work_read_write(struct worker *w)
{
	int64_t at;
	size_t n;

	while ((n = claim(w, &at)))
		if (!copy_at(&w->job, w->job.in, w->job.out[0], at, n))
			stop_team(w);
}

static int64_t copy_threads_read_write(struct job *j)
{
	return work_together(j, work_read_write);
}

static void work_copy_file_range(struct worker *w)
{
	off_t in = 0, out;
	int64_t at;
	size_t n;

	while ((n = claim(w, &at)))
		for (int64_t end = at + n; at < end && !caught;) {
			in = out = at;
			ssize_t got = syscall(SYS_copy_file_range, w->job.in, &in, w->job.out[0], &out, (size_t)(end - at), 0);

			if (!moved(&w->job, got, "copy_file_range")) {
				stop_team(w);
				break;
			}
			at += got > 0 ? got : 0;
		}
}

static int64_t copy_threads_copy_file_range(struct job *j)
{
	return work_together(j, work_copy_file_range);
}

static void work_mmap_mmap(struct worker *w)
{
	int64_t at;
	size_t n;

	while ((n = claim(w, &at)))
		if (!copy_mapped(&w->job, w->team->to, w->team->from, at, n))
			stop_team(w);
}

static int64_t copy_threads_mmap_mmap(struct job *j)
{
	struct team *t = j->team;

	t->from = map_input(j, 0, j->len, 0);
	t->to = t->from ? map_output(j) : NULL;
	if (t->to) {
		work_together(j, work_mmap_mmap);
		munmap(t->to, j->len);
	}
	if (t->from)
		munmap(t->from, j->len);
	return total(j);
}

/* Fills the blocks of the ring in turn; the last one it fills is empty, or an error. */
static void work_reader(struct worker *w)
{
	struct team *t = w->team;
	int64_t left = w->job.len;
	ssize_t n = 1;

	for (int i = 0; n > 0; i = (i + 1) % RING_DEPTH) {
		int64_t want = left < w->job.block ? left : w->job.block;

		while (sem_wait(&t->empty))
			;
		n = caught || __atomic_load_n(&t->stop, __ATOMIC_RELAXED) || !want ? 0
		    : get(&w->job, w->job.buf + i * w->job.block, want);
		left -= n > 0 ? n : 0;
		t->filled[i] = n;
		sem_post(&t->full);
	}
}

static void work_writer(struct worker *w)
{
	struct team *t = w->team;
	const unsigned char *ring = t->workers[0].job.buf; /* the reader's */
	bool ok = true;

	for (int i = 0;; i = (i + 1) % RING_DEPTH) {
		while (sem_wait(&t->full))
			;
		if (t->filled[i] <= 0)
			return;
		ok = ok && put(&w->job, w->job.out[0], ring + i * w->job.block, t->filled[i]);
		if (!ok)
			stop_team(w);
		sem_post(&t->empty);
	}
}

static void work_ring(struct worker *w)
{
	if (w->number == 0)
		work_reader(w);
	else
		work_writer(w);
}

static int64_t copy_ring(struct job *j)
{
	return work_together(j, work_ring);
}

/* From fork to exit. What has arrived is seen by comparing: nobody counts it for us. A command copies to
 * the end of its input; where that is not what is asked for, a limit keeps it from filling the disk, and
 * $SIZE says how much is wanted. */
static int64_t copy_command(struct job *j)
{
	struct rusage used;
	pid_t pid = caught ? -1 : start_command(j->command, (int[]){ j->in, j->out[0], j->said, -1, -1 }, j->len, !j->whole, j->second);

	if (pid < 0)
		return failed(j, "fork"), total(j);
	j->status = wait_for_peer(pid, NO_HURRY, &used);
	j->done = j->status ? 0 : j->len;
	return total(j);
}

/*
 * THE TABLE. To add a row: a name that no other row has, and what the columns say. Kinds of end
 * are those on which the row can possibly work: where only some kernels or file systems refuse,
 * let them, and the row will say n/a. The first advice set is run by default (0: with --all and
 * --select only), the second is all that the row can take. Kernels as the man pages of the calls
 * have them (VERSIONS, HISTORY); "-" is any that this program runs on.
 */
#define ANY KIND_ANY
#define PIPES KIND_PIPE
#define PIPE KIND_PIPE
#define SOCKET KIND_SOCKET
#define SEEK (KIND_FILE | KIND_BLOCK | KIND_DEVICE)
#define MAPS SEEK
#define DISK (KIND_FILE | KIND_BLOCK)
#define FILES KIND_FILE
#define ONE (1 << 1) /* output */
#define TWO (1 << 2) /* outputs */
#define BACK (1 << 3) /* the first one is read again: a file */
enum {
	FROM = 1 << 0, INTO = 1 << 1, BOTH = FROM | INTO, /* streams: run by default from a pipe, into one, from one into another; */
	NET = 1 << 2, EACH = BOTH | NET,                  /* into a socket */
};

static const struct strategy strategies[] = {
	/* name                               calls               since     copy                          kit                       block         in     out     outs        by ref       streams     usual           possible        done so by */
	{ "read+write 1",                     "read, write",      "-",      copy_read_write,              buffer,                   1,            ANY,   ANY,    ONE,        0,           INTO,       BY_NAME,        PLAIN,          "careless loops" },
	{ "read+write 256",                   "read, write",      "-",      copy_read_write,              buffer,                   256,          ANY,   ANY,    ONE,        0,           INTO,       0,              PLAIN,          "careless loops" },
	{ "read+write 1k",                    "read, write",      "-",      copy_read_write,              buffer,                   1 * K,        ANY,   ANY,    ONE,        0,           INTO,       PLAIN,          EVERY,          "careless loops" },
	{ "read+write bs",                    "read, write",      "-",      copy_read_write,              buffer,                   BS(1),        ANY,   ANY,    ONE,        0,           0,          PLAIN,          EVERY,          "-" },
	{ "read+write 4bs",                   "read, write",      "-",      copy_read_write,              buffer,                   BS(4),        ANY,   ANY,    ONE,        0,           0,          PLAIN,          EVERY,          "-" },
	{ "read+write 16bs",                  "read, write",      "-",      copy_read_write,              buffer,                   BS(16),       ANY,   ANY,    ONE,        0,           0,          CLASSIC,        EVERY,          "Python shutil" },
	{ "read+write 256bs",                 "read, write",      "-",      copy_read_write,              buffer,                   BS(256),      ANY,   ANY,    ONE,        0,           0,          PLAIN,          EVERY,          "dd bs=1M" },
	{ "read+write 4k",                    "read, write",      "-",      copy_read_write,              buffer,                   4 * K,        ANY,   ANY,    ONE,        0,           EACH,       0,              PLAIN,          "toybox" },
	{ "read+write 16k",                   "read, write",      "-",      copy_read_write,              buffer,                   16 * K,       ANY,   ANY,    ONE,        0,           INTO,       0,              PLAIN,          "-" },
	{ "read+write 64k",                   "read, write",      "-",      copy_read_write,              buffer,                   64 * K,       ANY,   ANY,    ONE,        0,           EACH,       0,              PLAIN,          "Python shutil" },
	{ "read+write 128k",                  "read, write",      "-",      copy_read_write,              buffer,                   128 * K,      ANY,   ANY,    ONE,        0,           BOTH,       PLAIN,          EVERY,          "GNU cat to 9.4" },
	{ "read+write 256k",                  "read, write",      "-",      copy_read_write,              buffer,                   256 * K,      ANY,   ANY,    ONE,        0,           EACH,       PLAIN,          EVERY,          "GNU cat 9.5" },
	{ "read+write 1m",                    "read, write",      "-",      copy_read_write,              buffer,                   1 * M,        ANY,   ANY,    ONE,        0,           BOTH,       0,              PLAIN,          "dd bs=1M" },
	{ "read+write 16m",                   "read, write",      "-",      copy_read_write,              buffer,                   16 * M,       ANY,   ANY,    ONE,        0,           INTO,       0,              PLAIN,          "dd bs=16M" },
	{ "read+write 32m",                   "read, write",      "-",      copy_read_write,              buffer,                   32 * M,       ANY,   ANY,    ONE,        0,           INTO,       0,              PLAIN,          "dd bs=32M" },
	{ "read+write 1g",                    "read, write",      "-",      copy_read_write,              buffer,                   1024 * M,     ANY,   ANY,    ONE,        0,           INTO,       0,              PLAIN,          "dd bs=1G" },
	{ "stdio 1",                          "getc, putc",       "-",      copy_stdio_bytes,             stdio,                    1,            ANY,   ANY,    ONE,        0,           INTO,       0,              PLAIN,          "textbooks" },
	{ "stdio 4k",                         "fread, fwrite",    "-",      copy_stdio,                   stdio,                    4 * K,        ANY,   ANY,    ONE,        0,           BOTH,       0,              PLAIN,          "textbooks" },
	{ "stdio 256k",                       "fread, fwrite",    "-",      copy_stdio,                   stdio,                    256 * K,      ANY,   ANY,    ONE,        0,           BOTH,       0,              PLAIN,          "-" },
	{ "stdio 1m",                         "fread, fwrite",    "-",      copy_stdio,                   stdio,                    1 * M,        ANY,   ANY,    ONE,        0,           INTO,       0,              PLAIN,          "-" },
	{ "mmap+write",                       "mmap, write",      "-",      copy_mmap_write,              NULL,                     0,            MAPS,  ANY,    ONE,        MAPS,        INTO | NET, CLASSIC,        EVERY,          "BSD cp" },
	{ "mmap+write 256k",                  "mmap, write",      "-",      copy_mmap_write,              NULL,                     256 * K,      MAPS,  ANY,    ONE,        MAPS,        0,          0,              EVERY,          "-" },
	{ "mmap+write 16m",                   "mmap, write",      "-",      copy_mmap_write,              NULL,                     16 * M,       MAPS,  ANY,    ONE,        MAPS,        0,          0,              EVERY,          "-" },
	{ "mmap+write populate",              "mmap, write",      "2.6.23", copy_mmap_write_populate,     NULL,                     0,            MAPS,  ANY,    ONE,        MAPS,        0,          0,              EVERY,          "-" },
	{ "mmap+mmap",                        "mmap, memcpy",     "-",      copy_mmap_mmap,               mappable_output,          0,            MAPS,  FILES,  ONE,        0,           0,          TRUNC | FALLOC, RESERVED,       "-" },
	{ "read+mmap 256k",                   "read, mmap",       "-",      copy_read_mmap,               mappable_output,          256 * K,      ANY,   FILES,  ONE,        0,           FROM,       0,              RESERVED,       "-" },
	{ "splice",                           "splice",           "2.6.17", copy_splice,                  NULL,                     0,            ANY,   ANY,    ONE,        DISK | PIPE, EACH,       0,              BARE,           "pv" },
	{ "pipe+splice",                      "splice, splice",   "2.6.17", copy_pipe_splice,             middle_pipe,              PIPE_DEFAULT, ANY,   ANY,    ONE,        DISK | PIPE, INTO | NET, CLASSIC,        EVERY,          "-" },
	{ "pipe+splice 256k",                 "splice, splice",   "2.6.35", copy_pipe_splice,             middle_pipe,              256 * K,      ANY,   ANY,    ONE,        DISK | PIPE, 0,          0,              EVERY,          "-" },
	{ "pipe+splice 512k",                 "splice, splice",   "2.6.35", copy_pipe_splice,             middle_pipe,              512 * K,      ANY,   ANY,    ONE,        DISK | PIPE, 0,          0,              EVERY,          "GNU cat 9.11" },
	{ "pipe+splice 1m",                   "splice, splice",   "2.6.35", copy_pipe_splice,             middle_pipe,              1 * M,        ANY,   ANY,    ONE,        DISK | PIPE, EACH,       PLAIN,          EVERY,          "uutils cat" },
	{ "vmsplice+splice",                  "vmsplice, splice", "2.6.17", copy_vmsplice_splice,         small_pipe,               0,            MAPS,  ANY,    ONE,        MAPS,        INTO,       PLAIN,          EVERY,          "-" },
	{ "vmsplice",                         "mmap, vmsplice",   "2.6.17", copy_vmsplice,                NULL,                     0,            MAPS,  PIPES,  ONE,        0,           INTO,       0,              EVERY,          "-" },
	{ "vmsplice huge",                    "mmap, vmsplice",   "2.6.38", copy_vmsplice_huge,           huge_pages,               0,            MAPS,  PIPES,  ONE,        0,           INTO,       0,              PLAIN,          "-" },
	{ "read+vmsplice huge 2m",            "read, vmsplice",   "2.6.38", copy_read_vmsplice,           huge_buffer,              HUGE_PAGE,    ANY,   PIPES,  ONE,        0,           INTO,       0,              PLAIN,          "GNU yes 9.11" },
	{ "sendfile",                         "sendfile",         "2.6.33", copy_sendfile,                NULL,                     0,            ANY,   ANY,    ONE,        DISK,        INTO | NET, CLASSIC,        EVERY,          "busybox cp" },
	{ "copy_file_range",                  "copy_file_range",  "4.5",    copy_copy_file_range,         NULL,                     0,            FILES, FILES,  ONE,        0,           0,          CLASSIC,        EVERY,          "GNU cp, cat, Go" },
	{ "reflink",                          "ioctl FICLONE",    "4.5",    copy_reflink,                 NULL,                     0,            FILES, FILES,  ONE,        0,           0,          PLAIN,          EVERY,          "cp --reflink" },
	{ "io_uring read+write 8x128k",       "io_uring_enter",   "5.6",    copy_uring,                   uring_and_buffers,        128 * K,      SEEK,  SEEK,   ONE,        0,           0,          PLAIN,          BARE,           "link-cp" },
	{ "io_uring read+write 8x128k fixed", "io_uring_enter",   "5.3",    copy_uring,                   uring_and_fixed_buffers,  128 * K,      SEEK,  SEEK,   ONE,        0,           0,          0,              PLAIN,          "fio fixedbufs=1" },
	{ "io_uring splice 1m",               "io_uring_enter",   "5.7",    copy_uring_splice,            uring_and_pipe,           1 * M,        ANY,   ANY,    ONE,        DISK | PIPE, 0,          PLAIN,          BARE,           "-" },
	{ "direct 1m",                        "pread, pwrite",    "2.4.10", copy_direct,                  direct_ends,              1 * M,        DISK,  FILES,  ONE,        0,           0,          PLAIN | FALLOC, BARE,           "dd iflag=direct" },
	{ "direct write 1m",                  "pread, pwrite",    "2.4.10", copy_direct,                  direct_output,            1 * M,        DISK,  FILES,  ONE,        0,           0,          0,              BARE,           "dd oflag=direct" },
	{ "uncached 1m",                      "preadv2/pwritev2", "6.14",   copy_uncached,                buffer,                   1 * M,        ANY,   ANY,    ONE,        0,           0,          PLAIN,          EVERY,          "fio uncached=1" },
	{ "write-behind 8m",                  "sync_file_range",  "2.6.17", copy_write_behind,            buffer_and_sync,          256 * K,      ANY,   FILES,  ONE,        0,           0,          PLAIN,          EVERY,          "back-up tools" },
	{ "threads read+write 256k",          "pread, pwrite",    "-",      copy_threads_read_write,      team_and_buffers,         256 * K,      SEEK,  SEEK,   ONE,        0,           0,          PLAIN | FALLOC, BARE,           "xcp fallback" },
	{ "threads mmap+mmap",                "mmap, memcpy",     "-",      copy_threads_mmap_mmap,       team_and_mappable_output, 1 * M,        MAPS,  FILES,  ONE,        0,           0,          0,              TRUNC | FALLOC, "-" },
	{ "threads copy_file_range",          "copy_file_range",  "4.5",    copy_threads_copy_file_range, team,                     0,            FILES, FILES,  ONE,        0,           0,          0,              BARE,           "xcp" },
	{ "ring read+write 256k",             "read, write",      "-",      copy_ring,                    reader_and_writer,        256 * K,      ANY,   ANY,    ONE,        0,           0,          0,              BARE,           "mbuffer" },
	{ "send zerocopy 64k",                "read, send",       "4.14",   copy_send_zerocopy,           socket_and_buffers,       SEND_BLOCK,   ANY,   SOCKET, ONE,        0,           NET,        0,              PLAIN,          "-" },
	{ "io_uring send_zc",                 "io_uring_enter",   "6.0",    copy_uring_send,              uring_for_sends,          SEND_BLOCK,   ANY,   SOCKET, ONE,        0,           0,          0,              PLAIN,          "-" },
	{ "read+write x2 8k",                 "read, write",      "-",      copy_read_write,              buffer,                   8 * K,        ANY,   ANY,    TWO,        0,           0,          PLAIN,          EVERY,          "GNU tee" },
	{ "read+write x2 64k",                "read, write",      "-",      copy_read_write,              buffer,                   64 * K,       ANY,   ANY,    TWO,        0,           0,          PLAIN,          EVERY,          "-" },
	{ "read+write x2 256k",               "read, write",      "-",      copy_read_write,              buffer,                   256 * K,      ANY,   ANY,    TWO,        0,           0,          PLAIN,          EVERY,          "-" },
	{ "read+write x2 1m",                 "read, write",      "-",      copy_read_write,              buffer,                   1 * M,        ANY,   ANY,    TWO,        0,           0,          PLAIN,          EVERY,          "-" },
	{ "read+write x2 sparse 4k",          "read/write/lseek", "-",      copy_sparse,                  buffer,                   4 * K,        ANY,   ANY,    TWO,        0,           0,          PLAIN,          PLAIN,          "-" },
	{ "read+write x2 sparse 64k",         "read/write/lseek", "-",      copy_sparse,                  buffer,                   64 * K,       ANY,   ANY,    TWO,        0,           0,          PLAIN,          PLAIN,          "-" },
	{ "splice, sendfile",                 "splice, sendfile", "2.6.33", copy_splice_sendfile,         pipe_and_readable_output, PIPE_DEFAULT, ANY,   ANY,    TWO | BACK, 0,           0,          PLAIN,          BARE,           "-" },
	{ "splice, copy_file_range",          "copy_file_range",  "4.5",    copy_splice_copy_file_range,  pipe_and_readable_output, PIPE_DEFAULT, ANY,   FILES,  TWO | BACK, 0,           0,          PLAIN,          PLAIN,          "-" },
	{ "splice, reflink",                  "splice, FICLONE",  "4.5",    copy_splice_reflink,          pipe_and_readable_output, PIPE_DEFAULT, ANY,   FILES,  TWO | BACK, 0,           0,          PLAIN,          PLAIN,          "-" },
	{ "tee+splice 64k",                   "tee, splice",      "2.6.17", copy_tee_splice,              pipes_to_tee,             PIPE_DEFAULT, ANY,   ANY,    TWO,        DISK | PIPE, 0,          PLAIN,          BARE,           "microtee" },
	{ "tee+splice 256k",                  "tee, splice",      "2.6.35", copy_tee_splice,              pipes_to_tee,             256 * K,      ANY,   ANY,    TWO,        DISK | PIPE, 0,          PLAIN,          BARE,           "-" },
	{ "tee+splice 1m",                    "tee, splice",      "2.6.35", copy_tee_splice,              pipes_to_tee,             1 * M,        ANY,   ANY,    TWO,        DISK | PIPE, 0,          PLAIN,          BARE,           "-" },
	{ "mmap+write x2",                    "mmap, write",      "-",      copy_mmap_write,              NULL,                     0,            MAPS,  ANY,    TWO,        MAPS,        0,          PLAIN,          EVERY,          "-" },
	{ "sendfile x2",                      "sendfile",         "2.6.33", copy_sendfile_each,           NULL,                     0,            DISK,  ANY,    TWO,        DISK,        0,          PLAIN,          EVERY,          "-" },
	{ "copy_file_range x2",               "copy_file_range",  "4.5",    copy_copy_file_range_each,    NULL,                     0,            FILES, FILES,  TWO,        0,           0,          PLAIN,          EVERY,          "-" },
};

#define LARGE " (pipe 1m)" /* PIPE_LARGE: ends the name of a row whose pipes are of that size */

/* What all --with rows share; the command is the row's. */
static const struct strategy command_row = {
	"$", "fork, exec, wait", "-", copy_command, place_for_words, 0, ANY, ANY, ONE | TWO, 0, 0, PLAIN, PLAIN, "itself",
};

/* A row's whole name, which no table cuts. */
static char *row_name(const struct strategy *strategy, const struct advice *advice, bool large)
{
	struct text text;

	fprintf(begin_text(&text), "%s%s%s%s", strategy->name, *advice->name ? " + " : "", advice->name, large ? LARGE : "");
	return end_text(&text);
}

/* The ends that rows are to fit, as far as they are known. */
struct ends {
	unsigned in, out[2]; /* kinds */
	unsigned outs;       /* numbers of outputs, as bits */
};

/* Can the strategy be tried with the advice between these ends? The advice may be for some of them. */
static bool fits(const struct strategy *strategy, int advice, const struct ends *ends)
{
	unsigned in = strategy->in & advices[advice].in, out = strategy->out & advices[advice].out;
	bool both = out & ends->out[1] && (!(strategy->outs & BACK) || ends->out[0] & KIND_FILE);

	return strategy->possible & 1U << advice && in & ends->in && out & ends->out[0] && (strategy->outs & ends->outs & ONE
	    || (strategy->outs & ends->outs & TWO && both));
}

/* The ends of the session. */
static struct ends all_ends(const struct session *s)
{
	return (struct ends){
		.in = s->in.ops->kind, .out = { s->out[0].ops->kind, s->nout > 1 ? s->out[1].ops->kind : KIND_ANY }, .outs = 1U << s->nout,
	};
}

/* What a row would take that these ends are not. */
static const char *needs_text(const struct strategy *strategy, const struct ends *ends)
{
	return !(strategy->out & ends->out[0]) ? strategy->out & KIND_PIPE ? "a pipe (--into, or | COMMAND)" : strategy->out & KIND_FILE
	    ? "a file as output" : "a socket (--send)" : !(strategy->outs & ends->outs) ? ends->outs == ONE ? "--tee=FILE" : "one output" : "another input";
}

/* A row that was named, though it does not fit these ends: its refusal tells what it would take. */
static void add_needs(const struct session *s, const struct result *r, struct verdict *v)
{
	struct ends ends = all_ends(s);
	struct text text;

	if (r->strategy->out & ends.out[0] && r->strategy->outs & ends.outs)
		return;
	fprintf(begin_text(&text), "%s, which needs %s", v->call, needs_text(r->strategy, &ends));
	v->call = end_text(&text);
}

/* ---- Peers: processes at the other side of a pipe, and the commands of --with -------------- */

/* Closes what a forked process has inherited, from a descriptor on: while it holds a pipe's end, nobody
 * sees that pipe's end. By its number: Linux 5.9, and newer than many a libc. */
static void close_from(int fd)
{
#ifdef SYS_close_range
	if (!syscall(SYS_close_range, fd, ~0U, 0))
		return;
#endif
	for (long most = sysconf(_SC_OPEN_MAX); fd < most; fd++)
		close(fd);
}

/* Puts a descriptor in the place of another; what can't have its ends must not use those of ours that are there. */
static void put_in_place(int from, int to)
{
	while (dup2(from, to) < 0)
		if (errno != EINTR)
			_exit(errno);
}

/* Makes the process that was forked a peer: the leader of a group of its own, so that all of a pipeline
 * can be told to end and a terminal's signals are not for it, and gone when we are gone. */
static void become_peer(pid_t parent)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	if (getppid() != parent)
		_exit(127);
}

/* Forks; then goes on as a peer that keeps nothing of ours but these descriptors, as 0, 1 and 2. Negative
 * ones are closed there. */
static pid_t fork_peer(const int keep[3])
{
	static const int handled[] = { SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGUSR1, SIGBUS, SIGCONT, SIGCHLD };
	pid_t parent = getpid(), pid = fork();

	if (pid > 0)
		setpgid(pid, pid); /* whoever of us two comes first */
	if (pid)
		return pid;
	become_peer(parent);
	for (int i = 0; i < LENGTH(handled); i++)
		signal(handled[i], SIG_DFL);
	signal(SIGPIPE, SIG_IGN); /* EPIPE is its answer */
	for (int fd = 0; fd < 3; fd++)
		if (keep[fd] < 0)
			close(fd);
		else
			put_in_place(keep[fd], fd);
	close_from(3);
	return 0;
}

/* Waits until the gate is opened; a peer that is not to begin ends here. */
static void await_gate(int gate)
{
	char go;

	if (gate >= 0 && read(gate, &go, 1) != 1)
		_exit(0);
}

/* Runs a command by /bin/sh, with these descriptors as 0, 1 and 2, when the gate is opened, whose ends are
 * the other two: ours it must not hold, or would not see it closed. It finds in $SIZE how many bytes are
 * wanted, if that is known, and in $TEE the name of a second output, if there is one; limited, it can't write more
 * to a file. */
static pid_t start_command(const char *command, const int fds[5], int64_t size, bool limited, const char *second)
{
	struct rlimit limit = { size, size };
	pid_t parent = getpid(), pid = fork();
	char text[32];

	if (pid > 0)
		setpgid(pid, pid);
	if (pid)
		return pid;
	become_peer(parent);
	snprintf(text, sizeof text, "%" PRId64, size);
	if (size > 0)
		setenv("SIZE", text, 1);
	else
		unsetenv("SIZE");
	if (second)
		setenv("TEE", second, 1);
	else
		unsetenv("TEE");
	for (int fd = 0; fd < 3; fd++)
		put_in_place(fds[fd], fd);
	if (limited)
		setrlimit(RLIMIT_FSIZE, &limit);
	if (fds[4] >= 0)
		close(fds[4]);
	await_gate(fds[3]);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127); /* as the shell says it of what it can't execute */
}

/* Has a peer ended, or can't it be waited for, so that the errno stands for its exit status? */
static bool has_ended(pid_t pid, int *status, struct rusage *used)
{
	pid_t got;

	while ((got = wait4(pid, status, WNOHANG, used)) < 0 && errno == EINTR)
		;
	if (got < 0)
		*status = errno << 8;
	return got != 0;
}

/* Waits for a peer, and ends what is left of its group. When it has not ended in time, patience being
 * nanoseconds, or a signal asks us to stop, it is told to: by SIGTERM, at last by SIGKILL. Signals are
 * blocked here, so that none can come just before we wait. Returns its status as wait(2) has it; 0 where
 * that is our doing. */
static int wait_for_peer(pid_t pid, int64_t patience, struct rusage *used)
{
	static const int signals[] = { SIGCHLD, SIGINT, SIGTERM, SIGHUP };
	int64_t deadline = patience == NO_HURRY ? NO_HURRY : now() + patience;
	bool told = false;
	int status = 0;
	struct sigaction action;
	sigset_t awaited, blocked, old;

	sigemptyset(&awaited);
	for (int i = 0; i < LENGTH(signals); i++)
		if (!sigaction(signals[i], NULL, &action) && (!i || action.sa_handler != SIG_IGN))
			sigaddset(&awaited, signals[i]);
	blocked = awaited;
	sigaddset(&blocked, SIGALRM); /* from which musl's sigtimedwait() would begin anew, to wait as long */
	sigprocmask(SIG_BLOCK, &blocked, &old);
	if (caught) {
		kill(-pid, SIGTERM);
		deadline = now() + PATIENCE;
		told = true;
	}
	while (!has_ended(pid, &status, used)) {
		int64_t left = deadline - now(), wait = left < 0 ? 0 : left < PATIENCE ? left : PATIENCE;
		struct timespec most = { .tv_sec = wait / 1000000000, .tv_nsec = wait % 1000000000 };
		siginfo_t info;
		int number = sigtimedwait(&awaited, &info, &most);
		bool asked = number > 0 && number != SIGCHLD;

		standstills += number == SIGCHLD && info.si_code == CLD_CONTINUED;
		if (!asked && now() < deadline)
			continue;
		kill(-pid, told && !asked ? SIGKILL : SIGTERM);
		caught = asked ? number : caught;
		told = true;
		deadline = now() + PATIENCE;
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	kill(-pid, SIGKILL);
	return told ? 0 : status;
}

/* The feeder: passes on what was spooled, by reference, which leaves the most of the time to the reader.
 * Its exit status is an errno: EPIPE where the reader did not want all. */
__attribute__((noreturn)) static void feed(int64_t len)
{
	loff_t at = 0;

	while (at < len) {
		ssize_t n = splice(STDIN_FILENO, &at, STDOUT_FILENO, NULL, len - at < CALL_MAX ? len - at : CALL_MAX, 0);

		if (n == 0 || (n < 0 && errno != EINTR))
			_exit(n ? errno : EIO);
	}
	_exit(0);
}

/* Reads n bytes at an offset: fewer where there are no more, or the read fails. */
static ssize_t read_at(struct job *j, int fd, unsigned char *to, ssize_t n, int64_t at)
{
	ssize_t have = 0, got;

	for (; have < n; have += got) {
		while (again(got = pread(fd, to + have, n - have, at + have)))
			;
		if (got < 0)
			failed(j, "pread");
		if (got <= 0)
			break;
	}
	return have;
}

/* Where two memories of n bytes begin to differ; n: nowhere. */
static ssize_t first_difference(const unsigned char *a, const unsigned char *b, ssize_t n)
{
	ssize_t i = 0;

	if (!memcmp(a, b, n))
		return n;
	while (a[i] == b[i])
		i++;
	return i;
}

/* The comparer: holds a stream against the bytes that it should have, and answers with the offset of the
 * first that is wrong or missing, or one too many; -1: none. Its exit status is an errno. */
__attribute__((noreturn)) static void compare_stream(int64_t len)
{
	static unsigned char expected[CHUNK], found[CHUNK];
	struct job j = { .in = STDOUT_FILENO };
	int64_t at = 0, wrong = -1;
	ssize_t n, wrote;

	while ((n = get(&j, found, CHUNK)) > 0) {
		ssize_t want = len - at < n ? len - at : n, same;

		if (wrong < 0 && read_at(&j, STDIN_FILENO, expected, want, at) < want)
			_exit(j.err ? j.err : EIO);
		same = wrong < 0 ? first_difference(expected, found, want) : n;
		if (same < n)
			wrong = at + same;
		at = wrong < 0 ? at + n : at;
	}
	if (wrong < 0 && at < len)
		wrong = at;
	while (again(wrote = write(STDERR_FILENO, &wrong, sizeof wrong)))
		;
	_exit(n < 0 ? j.err : wrote != sizeof wrong ? EIO : 0);
}

/* ---- Network: TCP connections, and who receives at their other side ------------------------ */

/* XXH64 (github.com/Cyan4973/xxHash, doc/xxhash_spec.md), seed 0: the checksum of a stream, since it is several times
 * faster than the stream, notices what has moved, and xxhsum -H1 can make it of a file. */
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

static uint64_t rotate(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

static uint64_t read_le64(const unsigned char *from)
{
	uint64_t x;

	memcpy(&x, from, sizeof x);
	return le64toh(x);
}

static uint64_t mix(uint64_t lane, uint64_t input)
{
	return rotate(lane + input * PRIME_2, 31) * PRIME_1;
}

static struct checksum begin_checksum(void)
{
	return (struct checksum){ .lanes = { PRIME_1 + PRIME_2, PRIME_2, 0, -PRIME_1 } };
}

/* Whole stripes; how many bytes they were. */
static size_t add_stripes(struct checksum *c, const unsigned char *from, size_t n)
{
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

static void add_bytes(struct checksum *c, const unsigned char *from, size_t n)
{
	size_t held = c->bytes % sizeof c->rest, wanted = sizeof c->rest - held, used;

	c->bytes += n;
	if (held > 0) {
		wanted = wanted < n ? wanted : n;
		memcpy(c->rest + held, from, wanted);
		if (held + wanted < sizeof c->rest)
			return;
		add_stripes(c, c->rest, sizeof c->rest);
		from += wanted;
		n -= wanted;
	}
	used = add_stripes(c, from, n);
	memcpy(c->rest, from + used, n - used);
}

static uint64_t end_checksum(const struct checksum *c)
{
	const unsigned char *rest = c->rest, *end = rest + c->bytes % sizeof c->rest;
	uint64_t h = PRIME_5;

	if (c->bytes >= sizeof c->rest) {
		h = rotate(c->lanes[0], 1) + rotate(c->lanes[1], 7) + rotate(c->lanes[2], 12) + rotate(c->lanes[3], 18);
		for (int i = 0; i < LENGTH(c->lanes); i++)
			h = (h ^ mix(0, c->lanes[i])) * PRIME_1 + PRIME_4;
	}
	h += c->bytes;
	for (; rest + 8 <= end; rest += 8)
		h = rotate(h ^ mix(0, read_le64(rest)), 27) * PRIME_1 + PRIME_4;
	for (; rest + 4 <= end; rest += 4)
		h = rotate(h ^ ((uint64_t)rest[3] << 24 | rest[2] << 16 | rest[1] << 8 | rest[0]) * PRIME_1, 23) * PRIME_2 + PRIME_3;
	for (; rest < end; rest++)
		h = rotate(h ^ *rest * PRIME_5, 11) * PRIME_1;
	h = (h ^ h >> 33) * PRIME_2;
	h = (h ^ h >> 29) * PRIME_3;
	return h ^ h >> 32;
}

/* "127.0.0.1:7100", "[::1]:7100". */
static const char *address_text(char text[80], const struct sockaddr *address, socklen_t size)
{
	char host[INET6_ADDRSTRLEN + 20] = "?", port[8] = "?";
	bool six = address->sa_family == AF_INET6;

	getnameinfo(address, size, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
	snprintf(text, 80, "%s%s%s:%s", six ? "[" : "", host, six ? "]" : "", port);
	return text;
}

/* The addresses of a host, NULL: loopback's. */
static struct addrinfo *resolve(const char *option, const struct host *at)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV }, *found;
	int said = getaddrinfo(at->name, at->port, &hints, &found);

	if (said == EAI_SYSTEM)
		die_errno(at->text, "getaddrinfo");
	if (said)
		die("--%s=%s: getaddrinfo: %s: use a name that resolves, or an address", option, at->text, gai_strerror(said));
	return found;
}

/* Waits until a socket can be read from or written to, or something is wrong with it; false: it took too long, or
 * a signal asks us to stop. */
static bool await(int fd, short events, int64_t deadline)
{
	struct pollfd one = { .fd = fd, .events = events };
	int n;

	do
		n = poll(&one, 1, now() < deadline ? 100 : 0);
	while (!caught && (n == 0 || again(n)) && now() < deadline);
	if (n == 0)
		errno = caught ? EINTR : ETIMEDOUT;
	return n > 0;
}

/* A connection whose other side does nothing for too long is at its end, whoever waits for it then: also the kernel,
 * for a peer that takes nothing (tcp(7), TCP_USER_TIMEOUT; Linux 2.6.37). Errors do not matter: these are limits. */
static void bound(int fd)
{
	unsigned patience = NET_PATIENCE * 1000;
	struct timeval most = { .tv_sec = NET_PATIENCE };
	int on = 1, idle = NET_PATIENCE / 2, probes = 2;

	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &patience, sizeof patience);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &idle, sizeof idle);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

/* Connects; -1 and errno. */
static int connect_to(const struct sockaddr *to, socklen_t size)
{
	int fd = socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), err = 0;
	socklen_t length = sizeof err;

	if (fd < 0)
		return -1;
	bound(fd);
	if (connect(fd, to, size) && errno != EINPROGRESS)
		err = errno;
	else if (!await(fd, POLLOUT, now() + GREETING) || getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &length))
		err = errno;
	fcntl(fd, F_SETFL, 0);
	if (!err)
		return fd;
	close(fd);
	errno = err;
	return -1;
}

/* Sends a line; it is short enough for any socket's buffer. */
__attribute__((format(printf, 2, 3))) static bool say(int fd, const char *format, ...)
{
	char line[128];
	va_list args;
	ssize_t sent;
	int n;

	va_start(args, format);
	n = vsnprintf(line, sizeof line, format, args);
	va_end(args);
	while (again(sent = send(fd, line, n, MSG_NOSIGNAL | MSG_DONTWAIT)))
		;
	return sent == n;
}

/* What one side says to the other is a line, after which it waits for an answer. A receiver that is slow gives a sign
 * of life now and then, before its line; and so does a sender that holds one. */
#define SIGN '.'

struct hearing {
	char line[128];
	int n;
	bool signs;                   /* that other side may give some */
};

/* Takes what there is of a line; 1: it is whole, and ends without its newline, 0: more is to come, -1: it never will, and errno. */
static int hear_some(int fd, struct hearing *h)
{
	ssize_t got = recv(fd, h->line + h->n, sizeof h->line - 1 - h->n, MSG_DONTWAIT);

	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	h->n += got;
	while (h->signs && h->n > 0 && *h->line == SIGN)
		memmove(h->line, h->line + 1, --h->n);
	h->line[h->n] = '\0';
	errno = got == 0 ? ECONNRESET : EPROTO;
	if (h->n > 0 && h->line[h->n - 1] == '\n' && strlen(h->line) == (size_t)h->n)
		return h->line[h->n - 1] = '\0', 1;
	return got == 0 || h->n == sizeof h->line - 1 || strlen(h->line) != (size_t)h->n ? -1 : 0;
}

static bool hear(int fd, struct hearing *h, int64_t patience)
{
	int64_t deadline = now() + patience;
	int heard = 0;

	for (h->n = 0; heard == 0 && await(fd, POLLIN, deadline);) {
		heard = hear_some(fd, h);
		deadline = h->signs && h->n == 0 ? now() + patience : deadline;
	}
	return heard > 0;
}

/* Is a line just what the other side would have said? sscanf(3) also takes blanks, signs and numbers that are too large. */
__attribute__((format(printf, 2, 3))) static bool is_just(const char *line, const char *format, ...)
{
	char said[sizeof ((struct hearing *)NULL)->line];
	va_list args;

	va_start(args, format);
	vsnprintf(said, sizeof said, format, args);
	va_end(args);
	return !strcmp(line, said);
}

/* Two ends of a connection, of which ends[1] is ours, where nobody else can come in between: of TCP on loopback, or
 * of a UNIX socket. */
static bool connect_pair(struct job *j, int family, int ends[2])
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } }, ours, theirs = { 0 };
	struct sockaddr *any = (struct sockaddr *)&address;
	socklen_t size = sizeof address;
	int listener;

	if (family == AF_UNIX)
		return !socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) || failed(j, "socketpair");
	listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (listener < 0 || bind(listener, any, size) || listen(listener, 1) || getsockname(listener, any, &size)
	    || (ends[1] = connect_to(any, size)) < 0 || getsockname(ends[1], (struct sockaddr *)&ours, &size))
		failed(j, listener < 0 ? "socket" : "connect on loopback");
	while (!j->err && (ends[0] < 0 || theirs.sin_port != ours.sin_port)) {
		if (ends[0] >= 0)
			close(ends[0]); /* a stranger was faster */
		size = sizeof theirs;
		if (await(listener, POLLIN, now() + GREETING))
			ends[0] = accept4(listener, (struct sockaddr *)&theirs, &size, SOCK_CLOEXEC);
		if (ends[0] < 0 && !again(-1))
			failed(j, "accept");
	}
	if (listener >= 0)
		close(listener);
	return !j->err;
}

/* What a receiver has taken goes by a ring to a thread that makes the checksum of it: in one thread the two would be the
 * slowest link of the chain, and every row as fast as the next. */
struct intake {
	unsigned char blocks[RING_DEPTH][INTAKE];
	ssize_t filled[RING_DEPTH];   /* bytes; 0 after the last */
	sem_t empty, full;
	struct checksum sum;
	pthread_t thread;
};

static void *sum_up(void *intake)
{
	struct intake *t = intake;

	for (int i = 0;; i = (i + 1) % RING_DEPTH) {
		while (sem_wait(&t->full))
			;
		if (t->filled[i] <= 0)
			return NULL;
		add_bytes(&t->sum, t->blocks[i], t->filled[i]);
		sem_post(&t->empty);
	}
}

/* No page of it is touched for the first time while a sender waits. */
static struct intake *make_intake(void)
{
	struct intake *t = allocate(1, sizeof *t);

	memset(t->blocks, 0xa5, sizeof t->blocks);
	return t;
}

static bool begin_intake(struct intake *t)
{
	t->sum = begin_checksum();
	sem_init(&t->empty, 0, RING_DEPTH);
	sem_init(&t->full, 0, 0);
	return start_thread(&t->thread, sum_up, t);
}

/* Takes a stream to its end, and keeps it where out is no -1. What can't be kept is still taken, or the sender would be
 * cut off before it can be told. */
static bool take_stream(struct intake *t, int fd, int out, struct receipt *receipt)
{
	struct job in = { .in = fd }, keep = { .nout = 1, .out = { out } };
	int64_t sign = now();
	ssize_t n = 1;

	for (int i = 0; n > 0; i = (i + 1) % RING_DEPTH) {
		while (sem_wait(&t->empty))
			;
		t->filled[i] = n = get(&in, t->blocks[i], INTAKE);
		if (n > 0 && out >= 0 && !keep.err)
			put(&keep, out, t->blocks[i], n);
		sem_post(&t->full);
		if (now() - sign > GREETING && say(fd, "%c", SIGN))
			sign = now();
	}
	pthread_join(t->thread, NULL);
	*receipt = (struct receipt){ .bytes = (int64_t)t->sum.bytes, .sum = end_checksum(&t->sum), .err = caught ? 0 : keep.err };
	return n == 0 && !caught;
}

static bool give_receipt(int fd, const struct receipt *r)
{
	return r->err ? say(fd, "error %s\n", errno_fact(r->err)->name) : say(fd, "done %" PRId64 " %016" PRIx64 "\n", r->bytes, r->sum);
}

/* Our own receiver: a process at the other side of one connection, which says when it has come that far. */
__attribute__((noreturn)) static void receive_one(int fd)
{
	struct receipt receipt = { .err = EAGAIN };
	struct intake *t = make_intake();

	_exit(begin_intake(t) && say(fd, "go\n") && take_stream(t, fd, -1, &receipt) && give_receipt(fd, &receipt) ? 0 : receipt.err ? receipt.err : EIO);
}

/*
 * The receiver of --receive. A sender first says "hold", and is told a token; nobody else is served until that connection
 * ends, or gives no sign of life for NET_PATIENCE. Each of its runs is a connection of its own, which begins with "run",
 * the token, and how many bytes are to come; then comes the stream to its end, which is answered. Whoever says anything
 * else is a stranger, and dropped; strangers that came in the meantime are told to the sender when it says "bye".
 */
#define HELLO PROGRAM " 1 "

struct guest {
	int fd;                       /* -1: none */
	int64_t deadline;             /* when it must have said who it is, or that it still lives; nanoseconds */
	struct hearing hearing;
	char name[80];                /* its address */
	int64_t announced;            /* bytes of the run that it has begun */
};

struct server {
	int listeners[LISTENERS], nlisteners;
	struct guest guests[GUESTS];  /* who has not said who it is yet */
	struct guest holder, run;     /* the sender, and its stream */
	uint64_t token;
	int kept;                     /* where streams go; -1: nowhere */
	bool file;                    /* which is a file, and emptied before each */
	bool quiet;
	int strangers;                /* since the sender came */
	int64_t complained;           /* when one of them was last told of */
	struct intake *intake;
};

static void drop_guest(struct guest *g)
{
	if (g->fd >= 0)
		close(g->fd);
	g->fd = -1;
}

/* Strangers may be many: one line a second is enough. */
static void drop_stranger(struct server *s, struct guest *g, const char *why)
{
	if (!s->quiet && now() - s->complained > 1000000000) {
		warn("%s: dropped: %s", g->name, why);
		s->complained = now();
	}
	s->strangers++;
	drop_guest(g);
}

/* Takes a new connection, if there is one; when there are too many, the oldest has had its time. */
static bool welcome(struct server *s, int listener)
{
	struct sockaddr_storage from;
	socklen_t size = sizeof from;
	int fd = accept4(listener, (struct sockaddr *)&from, &size, SOCK_CLOEXEC);
	struct guest *place = s->guests;

	if (fd < 0)
		return false;
	for (int i = 0; i < GUESTS && place->fd >= 0; i++)
		if (s->guests[i].fd < 0 || s->guests[i].deadline < place->deadline)
			place = &s->guests[i];
	if (place->fd >= 0)
		drop_stranger(s, place, "too many connections, of which it was the oldest, have not said who they are");
	*place = (struct guest){ .fd = fd, .deadline = now() + GREETING };
	address_text(place->name, (struct sockaddr *)&from, size);
	bound(fd);
	return true;
}

/* Who has come while the sender was served: also those who have said nothing yet, or still wait to be let in. */
static int count_strangers(struct server *s)
{
	int waiting = 0;

	for (int i = 0; i < s->nlisteners; i++)
		for (int k = 0; k < GUESTS && welcome(s, s->listeners[i]); k++)
			;
	for (int i = 0; i < GUESTS; i++)
		waiting += s->guests[i].fd >= 0;
	return s->strangers + waiting;
}

static void let_go(struct server *s)
{
	drop_guest(&s->run);
	drop_guest(&s->holder);
}

/* A guest has said a line. */
static void answer_guest(struct server *s, struct guest *g)
{
	uint64_t token = 0;
	int64_t announced = 0;

	if (!strcmp(g->hearing.line, HELLO "hold") && s->holder.fd >= 0) {
		say(g->fd, "busy %s\n", s->holder.name);
		drop_stranger(s, g, "another sender is being served");
	} else if (!strcmp(g->hearing.line, HELLO "hold")) {
		s->token = (uint64_t)now();
		random_number(&s->token);
		if (getrandom(&token, sizeof token, GRND_NONBLOCK) == sizeof token)
			s->token = token;
		s->holder = *g;
		s->holder.hearing = (struct hearing){ .signs = true };
		s->holder.deadline = now() + NET_PATIENCE * INT64_C(1000000000);
		s->strangers = 0;
		g->fd = -1;
		if (!say(s->holder.fd, "held %016" PRIx64 "\n", s->token))
			let_go(s);
	} else if (sscanf(g->hearing.line, HELLO "run %16" SCNx64 " %19" SCNd64, &token, &announced) == 2 && announced >= 0
	    && is_just(g->hearing.line, HELLO "run %016" PRIx64 " %" PRId64, token, announced) && s->holder.fd >= 0 && token == s->token
	    && s->run.fd < 0) {
		s->run = *g;
		s->run.announced = announced;
		g->fd = -1;
		if (!say(s->run.fd, "go\n"))
			drop_guest(&s->run);
	} else {
		drop_stranger(s, g, "does not speak as " PROGRAM " --send does");
	}
}

/* A guest has something to say; what can't become a greeting is none. */
static void listen_to(struct server *s, struct guest *g)
{
	int heard = hear_some(g->fd, &g->hearing);
	size_t n = strlen(g->hearing.line), most = strlen(HELLO);

	if (heard > 0)
		answer_guest(s, g);
	else if (heard < 0)
		drop_stranger(s, g, errno == ECONNRESET ? "went away without a word" : "does not speak as " PROGRAM " --send does");
	else if (memcmp(g->hearing.line, HELLO, n < most ? n : most))
		drop_stranger(s, g, "does not speak as " PROGRAM " --send does");
}

/* The sender has something to say, or is gone. */
static void listen_to_holder(struct server *s)
{
	int heard = hear_some(s->holder.fd, &s->holder.hearing);

	s->holder.deadline = now() + NET_PATIENCE * INT64_C(1000000000);
	if (heard > 0 && !strcmp(s->holder.hearing.line, "bye"))
		say(s->holder.fd, "bye %d\n", count_strangers(s));
	if (heard)
		let_go(s);
}

static void take_run(struct server *s)
{
	struct guest *g = &s->run;
	int64_t start = now();
	struct receipt receipt = { .bytes = 0 };
	char why[200], fast[32], first;
	bool whole;

	if (s->file && recv(g->fd, &first, 1, MSG_PEEK | MSG_DONTWAIT) > 0 /* a row that is n/a sends none */
	    && (ftruncate(s->kept, 0) || lseek(s->kept, 0, SEEK_SET)))
		warn("standard output: ftruncate: %s", errno_text(why, errno));
	if (!begin_intake(s->intake)) {
		warn("%s: dropped: pthread_create: %s", g->name, errno_text(why, errno));
		drop_guest(g);
		return;
	}
	whole = take_stream(s->intake, g->fd, s->kept, &receipt);
	if (whole)
		give_receipt(g->fd, &receipt);
	if (receipt.err)
		warn("%s: the stream could not be kept: standard output: write: %s", g->name, errno_text(why, receipt.err));
	else if (receipt.bytes > 0 && receipt.bytes != g->announced && !caught)
		warn("%s: the stream %s %" PRId64 " of %" PRId64 " bytes", g->name, receipt.bytes < g->announced ? "was cut after" : "was too long:",
		    receipt.bytes, g->announced);
	else if (receipt.bytes > 0 && whole && !s->quiet)
		warn("%s: %" PRId64 " of %" PRId64 " bytes, XXH64 %016" PRIx64 ", %s", g->name, receipt.bytes, g->announced, receipt.sum,
		    speed_text(fast, speed(receipt.bytes, now() - start)));
	drop_guest(g);
	s->holder.deadline = now() + NET_PATIENCE * INT64_C(1000000000); /* nobody has listened to it meanwhile */
}

/* Serves whoever comes, until a signal ends it. */
static void serve(struct server *s)
{
	struct guest *all[GUESTS + 2];
	struct pollfd fds[GUESTS + 2 + LISTENERS];

	for (int i = 0; i < GUESTS; i++)
		(all[i] = &s->guests[i])->fd = -1;
	(all[GUESTS] = &s->holder)->fd = -1;
	(all[GUESTS + 1] = &s->run)->fd = -1;
	while (!caught) {
		for (int i = 0; i < LENGTH(all); i++)
			fds[i] = (struct pollfd){ .fd = all[i]->fd, .events = POLLIN };
		for (int i = 0; i < s->nlisteners; i++)
			fds[LENGTH(all) + i] = (struct pollfd){ .fd = s->listeners[i], .events = POLLIN };
		if (poll(fds, LENGTH(all) + s->nlisteners, 500) < 0)
			continue;
		if (fds[GUESTS + 1].revents)
			take_run(s);
		if (fds[GUESTS].revents)
			listen_to_holder(s);
		else if (s->holder.fd >= 0 && now() > s->holder.deadline) {
			warn("%s: dropped: has held the receiver for %d seconds, and done nothing", s->holder.name, NET_PATIENCE);
			let_go(s);
		}
		for (int i = 0; i < GUESTS; i++)
			if (fds[i].revents)
				listen_to(s, all[i]);
			else if (all[i]->fd >= 0 && now() > all[i]->deadline)
				drop_stranger(s, all[i], "has not said in time who it is");
		for (int i = 0; i < s->nlisteners; i++)
			if (fds[LENGTH(all) + i].revents)
				welcome(s, s->listeners[i]);
	}
}

/* Listens on one address; -1 and errno. A port of 0 becomes one that is free. */
static int listen_on(struct sockaddr *address, socklen_t size, const char **call)
{
	int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1, err;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)address;

	*call = "socket";
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (address->sa_family == AF_INET6 && !IN6_IS_ADDR_UNSPECIFIED(&six->sin6_addr))
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
	if (!bind(fd, address, size) && (*call = "listen", !listen(fd, GUESTS)) && !getsockname(fd, address, &size))
		return fd;
	*call = strcmp(*call, "socket") ? *call : "bind";
	err = errno;
	close(fd);
	errno = err;
	return -1;
}

/* Listens on all addresses of a host, on the same port; those of a family that the machine has not are left out. */
static void open_listeners(struct server *s, const struct host *at)
{
	struct addrinfo *found = resolve("receive", at);
	const char *call = "";
	char text[80], why[200];
	in_port_t port = 0;
	int err = 0;

	for (struct addrinfo *a = found; a && s->nlisteners < LISTENERS; a = a->ai_next) {
		in_port_t *place = a->ai_family == AF_INET6 ? &((struct sockaddr_in6 *)(void *)a->ai_addr)->sin6_port
		                                            : &((struct sockaddr_in *)(void *)a->ai_addr)->sin_port;

		*place = port ? port : *place;
		int fd = listen_on(a->ai_addr, a->ai_addrlen, &call);

		err = fd < 0 ? errno : err;
		if (fd < 0 && err == EADDRINUSE && !strcmp(at->port, "0"))
			continue; /* it is free at the other address */
		if (fd < 0 && (a == found || err == EADDRINUSE) && err != EADDRNOTAVAIL && err != EAFNOSUPPORT)
			die("%s: %s: %s", address_text(text, a->ai_addr, a->ai_addrlen), call, errno_text(why, err));
		if (fd < 0)
			continue;
		port = *place;
		s->listeners[s->nlisteners++] = fd;
		warn("receiving on %s", address_text(text, a->ai_addr, a->ai_addrlen));
	}
	if (!s->nlisteners)
		die("--receive=%s: %s: %s", at->text, call, errno_text(why, err));
	freeaddrinfo(found);
}

/* ---- Ports: the ends of a copy. A strategy never asks what its ends are --------------------- */

/* Sizes a pipe: explicitly, since a user with many gets smaller ones by default (pipe(7)). Before Linux
 * 2.6.35 there is no other size than the default. */
static bool size_pipe(struct job *j, int fd, int64_t bytes)
{
	if (fcntl(fd, F_SETPIPE_SZ, (int)bytes) >= 0 || (bytes == PIPE_DEFAULT && fcntl(fd, F_GETPIPE_SZ) < 0))
		return true;
	return failed(j, "fcntl F_SETPIPE_SZ");
}

static bool open_pipe(struct job *j, int ends[2], int64_t bytes)
{
	return (!pipe2(ends, O_CLOEXEC) || failed(j, "pipe2")) && size_pipe(j, ends[1], bytes);
}

static bool begin_file_source(struct port *port, struct job *j)
{
	return lseek(port->fd, 0, SEEK_SET) == 0 || failed(j, "lseek");
}

/* Advice stays on the open file description, which the next row shares. Errors do not matter:
 * what takes no advice keeps none. */
static void end_file_source(struct port *port)
{
	posix_fadvise(port->fd, 0, 0, POSIX_FADV_NORMAL);
}

/* Throws the input out of the page cache, and sees how much of it stayed: dirty pages are written
 * first, since they would stay (posix_fadvise(2)); mincore(2) tells a file's owner only. */
static void evict(struct port *port, int64_t len)
{
	static unsigned char resident[64 * K]; /* a byte a page */
	int64_t page = sysconf(_SC_PAGESIZE), window = sizeof resident * page;

	fdatasync(port->fd);
	posix_fadvise(port->fd, 0, 0, POSIX_FADV_DONTNEED);
	port->resident = 0;
	for (int64_t at = 0; at < len; at += window) {
		int64_t n = len - at < window ? len - at : window;
		void *map = mmap(NULL, n, PROT_READ, MAP_SHARED, port->fd, at);

		if (map == MAP_FAILED || mincore(map, n, resident))
			memset(resident, 1, sizeof resident);
		for (int64_t i = 0; i * page < n; i++)
			port->resident += resident[i] & 1 ? page : 0;
		if (map != MAP_FAILED)
			munmap(map, n);
	}
	port->resident = port->resident < len ? port->resident : len;
}

/* Empties the file: each run pays for fresh blocks and fresh pages. */
static bool empty(struct port *port, struct job *j)
{
	while (ftruncate(port->fd, 0))
		if (!again(-1))
			return failed(j, "ftruncate");
	return true;
}

/* Fills the file with bytes that no input foresees, so that what is not written can't pass for a
 * copy, and writes them to the disk: each run finds its blocks allocated, cached and clean. */
static bool poison(struct port *port, struct job *j)
{
	static uint64_t poison[CHUNK / sizeof(uint64_t)];
	ssize_t n;

	for (int i = 0; i < LENGTH(poison); i++)
		poison[i] = random_number(&port->random);
	while (ftruncate(port->fd, j->len))
		if (!again(-1))
			return failed(j, "ftruncate");
	for (int64_t at = 0; at < j->len && !caught; at += n < 0 ? 0 : n) {
		n = pwrite(port->fd, poison, j->len - at < CHUNK ? j->len - at : CHUNK, at);
		if (n <= 0 && !again(n))
			return failed(j, "pwrite");
	}
	while (fdatasync(port->fd))
		if (!again(-1))
			return failed(j, "fdatasync");
	return true;
}

/* The description that is closed inside the clock is one of its own: closing a duplicate, or what
 * the shell has open too, releases nothing. */
static bool begin_file_sink(struct port *port, struct job *j)
{
	if (port->overwrite ? !poison(port, j) : !empty(port, j))
		return false;
	if (port->until == UNTIL_CLOSE) {
		port->fresh = reopen(port->fd, O_WRONLY);
		if (port->fresh < 0)
			return failed(j, "open");
	}
	return lseek(port->fd, 0, SEEK_SET) == 0 || failed(j, "lseek");
}

/* Where the file system flushes a file that was emptied when any description of it is released
 * (ext4, XFS and btrfs do), or when one open for writing is closed (NFS, FUSE), this waits for it. */
static bool finish_file_sink(struct port *port, struct job *j)
{
	int fd = port->fresh;

	port->fresh = -1;
	if (fd >= 0 && close(fd) && errno != EINTR) /* after EINTR it is closed, too: close(2) */
		return failed(j, "close");
	while (port->until == UNTIL_SYNC && fdatasync(port->fd))
		if (!again(-1))
			return failed(j, "fdatasync");
	return true;
}

static void end_file_sink(struct port *port)
{
	if (port->fresh >= 0)
		close(port->fresh);
	port->fresh = -1;
}

/* Where the kernel refuses a pipe of the size that the row asks for, it is the row that is refused. */
static bool note_unfit(struct job *j, bool ok)
{
	j->unfit = !ok && errno_fact(j->err)->refusal;
	return ok;
}

static bool open_end(struct job *j, int ends[2])
{
	return note_unfit(j, open_pipe(j, ends, j->pipe_size));
}

/* Keeps our end of a pipe whose other one a peer was given. */
static bool attach(struct port *port, struct job *j, int ends[2], int ours, pid_t peer)
{
	int err = errno;

	if (ends[!ours] >= 0)
		close(ends[!ours]);
	port->fd = ends[ours];
	port->peer = peer > 0 ? peer : 0;
	port->status = 0;
	port->complete = false;
	errno = err;
	return peer > 0 || (j->err ? false : failed(j, "fork"));
}

/* Lets a source's process begin, or end at once. */
static void open_gate(struct port *port, bool begin)
{
	if (port->gate < 0)
		return;
	while (begin && again(write(port->gate, "", 1)))
		;
	close(port->gate);
	port->gate = -1;
}

/* Closes our end of the pipe and waits for the peer. */
static void detach(struct port *port, int64_t patience)
{
	struct rusage used = { 0 };

	if (port->fd >= 0)
		close(port->fd);
	port->fd = -1;
	open_gate(port, false);
	if (!port->peer)
		return;
	port->status = wait_for_peer(port->peer, patience, &used);
	port->peer_ns = used_ns(&used);
	port->peer = 0;
}

/* A source's process waits for the clock, or the pipe would be full when that starts. */
static bool make_gate(struct port *port, struct job *j, int gate[2])
{
	if (pipe2(gate, O_CLOEXEC))
		return failed(j, "pipe2");
	port->gate = gate[1];
	return true;
}

/* What can be read only once was spooled: a process feeds it to each run. */
static bool begin_spooled_source(struct port *port, struct job *j)
{
	int ends[2] = { -1, -1 }, gate[2] = { -1, -1 };
	pid_t feeder = -1;

	if (open_end(j, ends) && make_gate(port, j, gate))
		feeder = fork_peer((int[]){ port->bytes, ends[1], gate[0] });
	if (feeder == 0) {
		await_gate(STDERR_FILENO);
		feed(port->size);
	}
	if (gate[0] >= 0)
		close(gate[0]);
	return attach(port, j, ends, 0, feeder);
}

static bool finish_peer_source(struct port *port, struct job *j)
{
	port->complete = j->done == port->size;
	return true;
}

static void note_left(struct port *port)
{
	int held = 0;

	port->left = port->fd >= 0 && !ioctl(port->fd, FIONREAD, &held) && held > 0;
}

static void end_spooled_source(struct port *port)
{
	note_left(port);
	detach(port, HASTE);
	if (WIFEXITED(port->status) && WEXITSTATUS(port->status) == EPIPE) {
		port->left = true;
		port->status = 0;
	}
}

/* Where a command's words go that it writes to standard error: they would stand between the lines of the
 * report, and are told when it fails. Without memfd_create(2) (Linux 3.17) they are thrown away. */
static int open_words(void)
{
	int fd = memfd_create("standard error", MFD_CLOEXEC);

	return fd >= 0 ? fd : open("/dev/null", O_WRONLY | O_CLOEXEC);
}

/* Starts the command of an end at its pipe; what it writes to standard output, where that is not the
 * pipe, is thrown away, and what it could read is empty. */
static bool begin_command(struct port *port, struct job *j, int ours)
{
	int ends[2] = { -1, -1 }, gate[2] = { -1, -1 }, null = open("/dev/null", O_RDWR | O_CLOEXEC);
	pid_t peer = -1;

	if (port->said >= 0)
		close(port->said);
	port->said = open_words();
	if (null < 0 || port->said < 0)
		failed(j, "open /dev/null");
	else if (open_end(j, ends) && (ours || make_gate(port, j, gate)))
		peer = start_command(port->command, (int[]){ ours ? ends[0] : null, ours ? null : ends[1], port->said, gate[0], gate[1] },
		    ours ? j->len : port->limit, false, NULL);
	attach(port, j, ends, ours, peer);
	if (null >= 0)
		close(null);
	if (gate[0] >= 0)
		close(gate[0]);
	return peer > 0;
}

static bool begin_command_source(struct port *port, struct job *j)
{
	return begin_command(port, j, 0);
}

/* Waits until a command that has given all that it gave at first ends its output, or gives more, or ends and
 * has left that open to somebody else. */
static void await_end(const struct port *port)
{
	struct pollfd more = { .fd = port->fd, .events = POLLIN };
	siginfo_t gone = { .si_pid = 0 };

	while (!caught && poll(&more, 1, 10) == 0 && !waitid(P_PID, port->peer, &gone, WEXITED | WNOHANG | WNOWAIT) && !gone.si_pid)
		;
}

/* Where not all is taken that it has, the command's SIGPIPE is our doing, or the row's. */
static void end_command_source(struct port *port)
{
	if (port->complete && port->peer)
		await_end(port);
	note_left(port);
	detach(port, port->complete ? NO_HURRY : HASTE);
	if ((WIFSIGNALED(port->status) ? WTERMSIG(port->status) : WEXITSTATUS(port->status) - 128) == SIGPIPE) {
		port->left = true;
		port->status = 0;
	}
}

/* What the last run has left in the pipe is read before this one begins, or its reader is gone. */
static bool begin_pipe_sink(struct port *port, struct job *j)
{
	struct pollfd gone = { .fd = port->fd };
	int held = 0;

	while (poll(&gone, 1, 0) == 0 && !ioctl(port->fd, FIONREAD, &held) && held > 0 && !caught)
		sleep_until(now() + INT64_C(1000000));
	errno = EPIPE;
	if (gone.revents & POLLERR)
		return failed(j, "the pipe");
	return note_unfit(j, size_pipe(j, port->fd, j->pipe_size));
}

/* What was sent to a socket before is read, or at least there, before more is. Sends without copying that have been
 * completed late stand in its error queue, and are no error. Only a socket that has one says POLLERR: others take
 * MSG_ERRQUEUE for a read of nothing, which succeeds for ever where their peer has sent something. */
static bool begin_socket_sink(struct port *port, struct job *j)
{
	struct pollfd gone = { .fd = port->fd };
	char byte; /* none come; but without room for any, qemu-user says 0 without asking the kernel */
	struct iovec room = { &byte, sizeof byte };
	struct msghdr late = { .msg_iov = &room, .msg_iovlen = 1 };
	int held = 0, err = 0;
	socklen_t size = sizeof err;

	for (; !caught; sleep_until(now() + INT64_C(1000000))) {
		poll(&gone, 1, 0);
		if (getsockopt(port->fd, SOL_SOCKET, SO_ERROR, &err, &size) || err || gone.revents & POLLHUP) {
			errno = err ? err : EPIPE;
			return failed(j, "the socket");
		}
		while (gone.revents & POLLERR && !caught && recvmsg(port->fd, &late, MSG_ERRQUEUE | MSG_DONTWAIT) >= 0)
			;
		if (ioctl(port->fd, SIOCOUTQ, &held) || held == 0)
			break;
	}
	return true;
}

/* A receiver of our own: the other end of a connection on loopback, which it alone holds. */
static bool begin_own_receiver(struct port *port, struct job *j)
{
	struct hearing h = { .n = 0 };
	int ends[2] = { -1, -1 };
	pid_t peer = -1;

	port->receipt.bytes = -1;
	port->sends = 0;
	port->peer_ns = 0; /* it ends outside the clock */
	if (connect_pair(j, AF_INET, ends)) {
		bound(ends[1]);
		peer = fork_peer((int[]){ ends[0], -1, -1 });
	}
	if (peer == 0)
		receive_one(STDIN_FILENO);
	return attach(port, j, ends, 1, peer) && (hear(port->fd, &h, GREETING) || failed(j, "the receiver"));
}

/* A receiver that has not answered once is lost: every row would wait for it as long again. */
static bool lose(struct port *port, struct job *j, const char *call)
{
	if (errno == ETIMEDOUT || errno == ECONNREFUSED)
		port->lost = errno;
	return failed(j, call);
}

/* A connection of its own for each run to a receiver elsewhere. */
static bool begin_remote_receiver(struct port *port, struct job *j)
{
	struct hearing h = { .n = 0 };

	port->receipt.bytes = -1;
	port->sends = 0;
	errno = port->lost;
	if (port->lost)
		return failed(j, "the connection to the receiver");
	if (await(port->held, POLLIN, 0))
		return port->lost = errno = ECONNRESET, failed(j, "the connection to the receiver");
	port->fd = connect_to(port->address->ai_addr, port->address->ai_addrlen);
	if (port->fd < 0)
		return lose(port, j, "connect");
	bool said = say(port->fd, HELLO "run %016" PRIx64 " %" PRId64 "\n", port->token, j->len);

	if (!said || !hear(port->fd, &h, NET_PATIENCE * INT64_C(1000000000)))
		return lose(port, j, "the receiver's answer");
	errno = EPROTO;
	return !strcmp(h.line, "go") || lose(port, j, "the receiver's answer");
}

/* The copy ends when the receiver says that it has all, and what. */
static bool finish_receiver(struct port *port, struct job *j)
{
	struct receipt r = { .bytes = -1 };
	struct hearing h = { .signs = true };
	char word[32];

	if (shutdown(port->fd, SHUT_WR) || !hear(port->fd, &h, NET_PATIENCE * INT64_C(1000000000)))
		return lose(port, j, "the receiver's answer");
	if (sscanf(h.line, "done %19" SCNd64 " %16" SCNx64, &r.bytes, &r.sum) == 2 && r.bytes >= 0
	    && is_just(h.line, "done %" PRId64 " %016" PRIx64, r.bytes, r.sum))
		return port->receipt = r, true;
	errno = EPROTO;
	if (sscanf(h.line, "error %31s", word) == 1 && is_just(h.line, "error %s", word) && parse_errno(word))
		errno = parse_errno(word);
	return failed(j, "the receiver, which keeps what it gets,");
}

static void end_remote_receiver(struct port *port)
{
	if (port->fd >= 0)
		close(port->fd);
	port->fd = -1;
}

/* Says to a receiver that all is done; how many strangers came to it meanwhile. */
static int leave_receiver(struct port *port)
{
	struct hearing h = { .n = 0 };
	int strangers = 0;

	if (port->held < 0)
		return 0;
	if (!port->lost && say(port->held, "bye\n") && hear(port->held, &h, GREETING))
		if (sscanf(h.line, "bye %9d", &strangers) != 1 || strangers < 0 || !is_just(h.line, "bye %d", strangers))
			strangers = 0;
	shutdown(port->held, SHUT_RDWR);
	pthread_join(port->alive, NULL);
	close(port->held);
	port->held = -1;
	return strangers;
}

static bool begin_command_sink(struct port *port, struct job *j)
{
	port->peer_ns = 0;
	return begin_command(port, j, 1);
}

/* The command has all that it gets: its end is the copy's. */
static bool finish_peer_sink(struct port *port, struct job *j)
{
	(void)j;
	detach(port, NO_HURRY);
	return true;
}

static void end_peer_sink(struct port *port)
{
	detach(port, PATIENCE);
}

/* Instead of an output that keeps nothing: a process that compares. */
static bool begin_comparer(struct port *port, struct job *j)
{
	int ends[2] = { -1, -1 }, answer[2] = { -1, -1 };
	pid_t peer = -1;

	port->at = 0;
	if (pipe2(answer, O_CLOEXEC))
		failed(j, "pipe2");
	else if (port->ops->kind == KIND_SOCKET ? connect_pair(j, port->family, ends) : open_end(j, ends))
		peer = fork_peer((int[]){ port->bytes, ends[0], answer[1] });
	if (peer == 0)
		compare_stream(j->len);
	if (answer[1] >= 0)
		close(answer[1]);
	port->answer = answer[0];
	return attach(port, j, ends, 1, peer);
}

static bool finish_comparer(struct port *port, struct job *j)
{
	ssize_t got;

	detach(port, NO_HURRY);
	errno = EIO;
	while (again(got = read(port->answer, &port->at, sizeof port->at)))
		;
	return port->status || got == sizeof port->at || failed(j, "read");
}

static void end_comparer(struct port *port)
{
	detach(port, PATIENCE);
	if (port->answer >= 0)
		close(port->answer);
	port->answer = -1;
}

/* What has no entry here is refused at the start. */
static const struct port_ops sources[] = {
	/* name               kind         type      begin                 finish              end */
	{ "file",             KIND_FILE,   S_IFREG,  begin_file_source,    NULL,               end_file_source },
	{ "block device",     KIND_BLOCK,  S_IFBLK,  begin_file_source,    NULL,               end_file_source },
	{ "character device", KIND_DEVICE, S_IFCHR,  NULL,                 NULL,               end_file_source },
	{ "pipe",             KIND_PIPE,   S_IFIFO,  begin_spooled_source, finish_peer_source, end_spooled_source },
	{ "socket",           KIND_PIPE,   S_IFSOCK, begin_spooled_source, finish_peer_source, end_spooled_source },
	{ "command",          KIND_PIPE,   0,        begin_command_source, finish_peer_source, end_command_source },
};
static const struct port_ops sinks[] = {
	{ "file",             KIND_FILE,   S_IFREG,  begin_file_sink,      finish_file_sink,   end_file_sink },
	{ "character device", KIND_DEVICE, S_IFCHR,  NULL,                 NULL,               NULL },
	{ "pipe",             KIND_PIPE,   S_IFIFO,  begin_pipe_sink,      NULL,               NULL },
	{ "socket",           KIND_SOCKET, S_IFSOCK, begin_socket_sink,    NULL,               NULL },
	{ "command",          KIND_PIPE,   0,        begin_command_sink,   finish_peer_sink,   end_peer_sink },
};
/* Those that a session has made for itself. */
static const struct port_ops own_receiver = { "TCP connection", KIND_SOCKET, 0, begin_own_receiver, finish_receiver, end_peer_sink };
static const struct port_ops remote_receiver = { "TCP connection", KIND_SOCKET, 0, begin_remote_receiver, finish_receiver, end_remote_receiver };
static const struct port_ops pipe_comparer = { "comparer", KIND_PIPE, 0, begin_comparer, finish_comparer, end_comparer };
static const struct port_ops socket_comparer = { "comparer", KIND_SOCKET, 0, begin_comparer, finish_comparer, end_comparer };

static bool is_comparer(const struct port *port)
{
	return port->ops == &pipe_comparer || port->ops == &socket_comparer;
}

static bool is_receiver(const struct port *port)
{
	return port->ops == &own_receiver || port->ops == &remote_receiver;
}

/* What can be asked of an output. */
static bool is_file(const struct port *port)
{
	return port->ops->kind == KIND_FILE;
}

static bool is_stream(const struct port *port)
{
	return port->ops->kind & KIND_STREAM;
}

static bool has_peer(const struct port *port)
{
	return port->peer > 0;
}

static bool has_command(const struct port *port)
{
	return port->command;
}

/* Operations for a type of file, 0 for those of an option; NULL: none, it can't be used. */
static const struct port_ops *find_port(const struct port_ops *ops, int n, mode_t type)
{
	for (int i = 0; i < n; i++)
		if (type == ops[i].type)
			return &ops[i];
	return NULL;
}

static const char *type_name(mode_t mode)
{
	return S_ISDIR(mode) ? "a directory" : S_ISBLK(mode) ? "a block device" : S_ISSOCK(mode) ? "a socket" : "of an unknown type";
}

/* The character devices of driver "mem" (Documentation/admin-guide/devices.txt, major 1). */
enum { MEM_NULL = 3, MEM_ZERO = 5, MEM_FULL = 7 };

static bool is_mem(const struct stat *st, unsigned device)
{
	return S_ISCHR(st->st_mode) && major(st->st_rdev) == 1 && minor(st->st_rdev) == device;
}

/* Is a file in memory, and nowhere else? */
static bool is_in_memory(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && ((uint32_t)fs.f_type == TMPFS_MAGIC || (uint32_t)fs.f_type == RAMFS_MAGIC);
}

/* Devices that take all and look at nothing: /dev/zero is written to as /dev/null is
 * (drivers/char/mem.c). */
static bool is_blind(const struct stat *st)
{
	return is_mem(st, MEM_NULL) || is_mem(st, MEM_ZERO);
}

/* fstat(2), of a file that a server keeps not from memory (statx(2), AT_STATX_FORCE_SYNC; Linux 4.11). */
static bool stat_anew(int fd, struct stat *st)
{
	uint32_t unused[64];

	syscall(SYS_statx, fd, "", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC, 0x20 /* STATX_ATIME */, unused);
	return !fstat(fd, st);
}

/* Is one file, pipe or socket behind both? Two names of one file may be told apart by stat(2): below and above overlayfs or
 * FUSE, here and through NFS. They have one size always, and what is set on one shows on the other: a time of access that nobody
 * else would set, and every file system can keep (FAT: days, from 1980 on). It is put back, where we may set it; else both times
 * become the present, as by a write (utimensat(2)); and what can't be asked so is taken for the same. bindfs takes both times,
 * or none. */
static bool is_same(int fd, int other)
{
	struct timespec odd = { .tv_sec = 315532800 + now() / 1000 % 4000 * 172800 };
	struct stat a, b, marked, seen;

	if (fstat(fd, &a) || fstat(other, &b) || S_ISCHR(a.st_mode))
		return false;
	if (same_file(&a, &b))
		return true;
	if (!S_ISREG(a.st_mode) || !S_ISREG(b.st_mode) || a.st_size != b.st_size || !stat_anew(fd, &a))
		return false;
	if (futimens(fd, (struct timespec[]){ odd, a.st_mtim }) && (sleep_until(now() + TICK), futimens(fd, NULL)))
		return a.st_size > 0;
	bool same = stat_anew(fd, &marked) && stat_anew(other, &seen) && same_time(&marked.st_atim, &seen.st_atim)
	    && !same_time(&seen.st_atim, &b.st_atim);

	futimens(fd, (struct timespec[]){ a.st_atim, a.st_mtim });
	return same;
}

/* Is that so of a file that has a name? "-": standard input. */
static bool is_behind(int fd, const char *name)
{
	int file = strcmp(name, "-") ? open(name, O_PATH | O_CLOEXEC) : STDIN_FILENO;
	bool same = is_same(fd, file);

	if (file > STDIN_FILENO)
		close(file);
	return same;
}

/* Does a loop device, mounted or not, lie on a file? It names that file, as the mounts were where it was set up; and who may open
 * the device is told the inode (loop(4)). */
static bool backs_loop(int fd)
{
	struct loop_info64 loop = { 0 };
	char path[300], name[4096];
	DIR *dir = opendir("/sys/block");
	bool backs = false;
	struct dirent *entry;
	struct stat st;

	while (dir && !backs && (entry = readdir(dir))) {
		snprintf(path, sizeof path, "/sys/block/%s/loop/backing_file", entry->d_name);
		if (!read_line(path, name, sizeof name))
			continue;
		snprintf(path, sizeof path, "/dev/%s", entry->d_name);
		int device = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

		backs = is_behind(fd, name) || (!ioctl(device, LOOP_GET_STATUS64, &loop) && !fstat(fd, &st) && st.st_dev == loop.lo_device
		    && st.st_ino == loop.lo_inode);
		if (device >= 0)
			close(device);
	}
	if (dir)
		closedir(dir);
	return backs;
}

/* What both ends are refused for. Returns the flags of the open file description. */
static int check_port(struct port *port, bool closed, int unwanted_mode)
{
	int flags;

	if (closed)
		errno = EBADF;
	if (closed || fstat(port->fd, &port->st))
		die_errno(port->label, "fstat");
	port->flags = flags = fcntl(port->fd, F_GETFL);
	if (flags < 0)
		die_errno(port->label, "fcntl F_GETFL");
	if (!port->ops)
		die("%s: is %s: %s", port->label, type_name(port->st.st_mode), port->option ? "name a file" : "redirect a file: "
		    PROGRAM " <INPUT >OUTPUT");
	if ((S_ISFIFO(port->st.st_mode) || S_ISSOCK(port->st.st_mode)) && unwanted_mode == O_RDONLY && flags & O_NONBLOCK)
		die("%s: is a %s that does not block (O_NONBLOCK): open it without, or put \"| cat\" behind", port->label, port->ops->name);
	if (isatty(port->fd))
		die("%s: is a terminal: %s", port->label, port->option ? "name a file" : "redirect it: " PROGRAM
		    " <INPUT >OUTPUT (--help tells more)");
	if ((flags & O_ACCMODE) == unwanted_mode || flags & O_PATH)
		die("%s: is open for %s only: redirect it: " PROGRAM " <INPUT >OUTPUT", port->label,
		    flags & O_PATH ? "fstat" : unwanted_mode == O_WRONLY ? "writing" : "reading");
	return flags;
}

static void open_source(struct port *port, bool closed, const struct options *o)
{
	bool once = port->ops && port->ops->kind == KIND_PIPE;

	if (!port->command)
		check_port(port, closed, O_WRONLY);
	if (o->cold && (once || port->ops->kind == KIND_DEVICE))
		die("%s: is a %s, which has no page cache to be evicted from: leave out --cold", port->label, port->ops->name);
	port->repeatable = true;
	port->limit = o->size;
	port->size = port->st.st_size;
	port->bytes = port->fd;
	if (once)
		return; /* its size is known when it has been read */
	if (port->ops->kind == KIND_BLOCK) {
		port->size = lseek(port->fd, 0, SEEK_END);
		if (port->size < 0)
			die_errno(port->label, "lseek");
	} else if (port->ops->kind == KIND_DEVICE) {
		port->repeatable = is_mem(&port->st, MEM_ZERO) || is_mem(&port->st, MEM_FULL);
		port->size = is_mem(&port->st, MEM_NULL) ? 0 : -1;
	}
	if (port->size == 0 && !is_mem(&port->st, MEM_NULL) && is_same(port->fd, STDOUT_FILENO))
		die("%s: the shell has emptied it before we were started: input and output are the same file: use another output", port->label);
	if (port->size == 0)
		die("%s: is empty, or a file that does not tell its size: give it bytes to copy", port->label);
	if (port->size < 0 && !o->size)
		die("%s: has no end: say with --size=SIZE how much of it to copy", port->label);
}

/* An output is emptied before each run: what it holds must not be lost. */
static void check_precious(const struct port *port, int flags)
{
	if (flags & O_APPEND)
		die("%s: is open for append: emptying it before each run would destroy what it holds: "
		    "redirect with > instead of >>", port->label);
	if (backs_loop(port->fd))
		die("%s: is what a loop device lies on, with all that this holds: copy to another file", port->label);
	if (is_file(port) && lseek(port->fd, 0, SEEK_CUR) != 0)
		die("%s: has been written to before (its offset is not 0), which the copy would destroy: "
		    "redirect to a file of its own", port->label);
}

/* A socket must be a stream that leads somewhere. */
static void check_socket(struct port *port)
{
	struct sockaddr_storage peer;
	socklen_t size = sizeof port->family, peer_size = sizeof peer;
	int type = 0;

	if (getsockopt(port->fd, SOL_SOCKET, SO_DOMAIN, &port->family, &size) || getsockopt(port->fd, SOL_SOCKET, SO_TYPE, &type, &size))
		die_errno(port->label, "getsockopt");
	if (type != SOCK_STREAM)
		die("%s: is a socket of packets, which a copy would not fit: use a stream (SOCK_STREAM)", port->label);
	if (getpeername(port->fd, (struct sockaddr *)&peer, &peer_size))
		die("%s: is a socket that is not connected: getpeername: %s (%s): connect it first", port->label, errno_fact(errno)->name,
		    strerror(errno));
}

/* Gives a receiver that is held signs of life, in pauses, comparisons, and whatever else takes long, until that connection is shut
 * down, or broken, which the next run meets. */
static void *give_signs(void *held)
{
	struct pollfd end = { .fd = *(int *)held };

	while (poll(&end, 1, NET_PATIENCE * 1000 / 4) == 0)
		say(end.fd, "%c", SIGN);
	return NULL;
}

/* Finds the receiver, and asks it to serve us alone. */
static void open_receiver(struct port *port, const struct host *at)
{
	char text[80], why[200];
	struct hearing h = { .n = 0 };
	int err = 0;

	for (const struct addrinfo *a = resolve("send", at); a && port->held < 0; a = a->ai_next) {
		port->address = a;
		port->held = connect_to(a->ai_addr, a->ai_addrlen);
		err = errno;
	}
	address_text(text, port->address->ai_addr, port->address->ai_addrlen);
	if (port->held < 0)
		die("%s: %s: connect: %s", port->label, text, errno_text(why, err));
	if (!say(port->held, HELLO "hold\n") || !hear(port->held, &h, GREETING))
		die("%s: %s: is there, but does not answer as a receiver does%s: %s", port->label, text, errno == ETIMEDOUT
		    ? ", unless it is busy with a long stream" : "", errno_text(why, errno));
	if (!strncmp(h.line, "busy ", 5))
		die("%s: %s: is busy with another sender, %s: wait for its end", port->label, text, h.line + 5);
	if (sscanf(h.line, "held %16" SCNx64, &port->token) != 1 || !is_just(h.line, "held %016" PRIx64, port->token))
		die("%s: %s: is no " PROGRAM " --receive of this version: start one there", port->label, text);
	if (!start_thread(&port->alive, give_signs, &port->held))
		die_errno(port->label, "pthread_create");
}

/* The shell's > opens for writing only, so an output is read back through /proc. */
static void open_sink(struct port *port, const struct port *source, bool closed, const struct options *o)
{
	int flags = port->command || is_receiver(port) ? 0 : check_port(port, closed, O_RDONLY);
	char why[200];

	port->until = o->until;
	port->overwrite = o->overwrite;
	port->random = now();
	check_precious(port, flags);
	if (port->ops == &remote_receiver)
		open_receiver(port, &o->to);
	else if (port->ops->kind == KIND_SOCKET && !is_receiver(port))
		check_socket(port);
	if (port->ops->kind != KIND_SOCKET && is_same(port->fd, source->fd))
		die("%s: is the input: copy to another %s", port->label, port->ops->name);
	if (port->ops->kind != KIND_FILE)
		return;
	if (o->until == UNTIL_CLOSE) {
		int fd = reopen(port->fd, O_WRONLY);

		if (fd < 0)
			die("%s: can't be opened anew to be closed inside the clock: open /proc/self/fd/%d: %s, mount /proc, "
			    "or use another --until", port->label, port->fd, strerror(errno));
		close(fd);
	}
	if (o->no_verify)
		return;
	port->reread = reopen(port->fd, O_RDONLY);
	if (port->reread < 0 && (flags & O_ACCMODE) == O_RDWR)
		port->reread = port->fd;
	if (port->reread < 0)
		die("%s: can't be read back to verify the copies: open /proc/self/fd/%d: %s, mount /proc, or use "
		    "--no-verify", port->label, port->fd, errno_text(why, errno));
}

/* Opens the file of the second output, without touching what is in it: what was refused is left as it was. One that was not
 * there stays, empty, as with tee(1). */
static void open_second(struct port *port, const struct port *first, const struct port *source, const struct options *o)
{
	struct stat st;

	if (!stat(o->tee, &st) && !find_port(sinks, LENGTH(sinks), st.st_mode & S_IFMT))
		die("%s: is %s: name a file", port->label, type_name(st.st_mode));
	port->fd = open(o->tee, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
	if (port->fd < 0 || fstat(port->fd, &port->st))
		die_errno(port->label, "open");
	if (is_same(STDERR_FILENO, port->fd))
		exit(EXIT_REFUSED); /* a message would go there */
	port->ops = find_port(sinks, LENGTH(sinks), port->st.st_mode & S_IFMT);
	open_sink(port, source, false, o);
	if (is_same(port->fd, first->fd))
		die("%s: is %s, too: name another file", port->label, first->label);
}

/* ---- Runner: one run; what became of it; rounds; the race; the copy that stays ------------- */

static bool is_timed(enum outcome outcome)
{
	return outcome == COPIED || outcome == SHARED || outcome == UNTOUCHED;
}

/* Is there an output of which this is true? */
static bool any_output(const struct session *s, bool (*is)(const struct port *))
{
	return is(&s->out[0]) || (s->nout > 1 && is(&s->out[1]));
}

/* Where an output first differs from the input, or is shorter, or can't be read (then j tells why); -1:
 * nowhere. */
static int64_t find_difference(const struct session *s, const struct port *port, struct job *j)
{
	static unsigned char expected[CHUNK], found[CHUNK];

	j->in = s->in.bytes;
	if (lseek(j->in, 0, SEEK_SET) < 0)
		return failed(j, "lseek"), 0;
	for (int64_t at = 0; at < s->len && !caught;) {
		memset(expected, 0xa5, sizeof expected); /* or what a read claims and does not bring would be what was here before */
		memset(found, 0x5a, sizeof found);

		ssize_t n = get(j, expected, s->len - at < CHUNK ? s->len - at : CHUNK);
		ssize_t have = n > 0 ? read_at(j, port->reread, found, n, at) : 0, same = first_difference(expected, found, have);

		if (n <= 0 || same < n)
			return at + same;
		at += n;
	}
	return -1;
}

/* What FIEMAP says of an output that was empty before the run, or had blocks of its own
 * (Documentation/filesystems/fiemap.rst). Where it can't be asked, data moved. */
enum extents {
	EXTENTS_OWN,
	EXTENTS_SHARED, /* the input's blocks: it was cloned */
	EXTENTS_NONE,   /* only holes: those of the input were cloned, or nothing was written */
};

static enum extents find_extents(const struct port *sink)
{
	union {
		struct fiemap map;
		unsigned char room[sizeof(struct fiemap) + EXTENTS_ASKED * sizeof(struct fiemap_extent)];
	} ask = { .map = { .fm_length = FIEMAP_MAX_OFFSET, .fm_extent_count = EXTENTS_ASKED } };

	/* A cast, since the number has the sign bit, musl's ioctl takes an int, and glibc's an unsigned long; the kernel
	 * takes 32 bits. */
	if (ioctl(sink->fd, (int)FS_IOC_FIEMAP, &ask.map))
		return EXTENTS_OWN;
	for (unsigned i = 0; i < ask.map.fm_mapped_extents; i++)
		if (ask.map.fm_extents[i].fe_flags & FIEMAP_EXTENT_SHARED)
			return EXTENTS_SHARED;
	return ask.map.fm_mapped_extents ? EXTENTS_OWN : EXTENTS_NONE;
}

/* A verdict that holds unless somebody has written to the input, or cut it, since the start. */
static void judge_input(const struct session *s, struct verdict *v)
{
	const struct stat *old = &s->in.st;
	struct stat st;

	if (s->in.ops->kind != KIND_FILE)
		return;
	if (fstat(s->in.fd, &st))
		*v = (struct verdict){ .outcome = FAILED, .err = errno, .call = "fstat" };
	else if (st.st_size != old->st_size || st.st_mtim.tv_sec != old->st_mtim.tv_sec || st.st_mtim.tv_nsec != old->st_mtim.tv_nsec)
		v->outcome = CHANGED;
}

/* Does an output keep its bytes, or pass them on, so that what a row does with them can be compared with
 * the input? A receiver compares by itself. */
static bool is_comparable(const struct session *s, const struct port *port)
{
	bool shown = is_file(port) ? port->reread >= 0 : is_stream(port) && !is_receiver(port) && !s->opt.no_verify;

	return shown && s->in.repeatable && s->in.bytes >= 0;
}

/* Looks at an output, outside the clock: at its size, and if that is wanted and possible at its bytes. */
static struct verdict verify(const struct session *s, const struct port *port, bool compare)
{
	struct job j = { .err = 0 };
	struct stat st = { .st_size = s->len };
	int64_t at = compare && is_comparable(s, port) ? find_difference(s, port, &j) : -1;

	if (!j.err && fstat(port->fd, &st))
		failed(&j, "fstat");
	if (j.err)
		return (struct verdict){ .outcome = FAILED, .err = j.err, .call = j.call };
	if (at < 0 && st.st_size != s->len)
		at = st.st_size < s->len ? st.st_size : s->len;
	return (struct verdict){ .outcome = at < 0 ? COPIED : MISMATCH, .at = at, .said = port->label };
}

/* Looks at a file that a content run has left: at its bytes once a row, whenever it has no block
 * at all, and where it has kept its size from the run before; at its size each time. */
static struct verdict judge_file(struct session *s, const struct result *r, const struct port *port, const struct job *j)
{
	enum extents extents = find_extents(port);
	bool compare = !r->verified || extents == EXTENTS_NONE || s->opt.overwrite;
	struct verdict v = verify(s, port, compare);

	s->last_compared &= compare;
	if (v.outcome == COPIED && extents != EXTENTS_OWN && !(extents == EXTENTS_NONE && j->saved > 0))
		v.outcome = SHARED; /* with the input, or the second output with the first */
	return v;
}

/* All outputs that are files. */
static struct verdict judge_files(struct session *s, const struct result *r, const struct job *j)
{
	struct verdict v = { .outcome = COPIED };
	bool shared = false;

	s->last_compared = true;
	for (int i = 0; i < s->nout && is_timed(v.outcome); i++)
		if (is_file(&s->out[i])) {
			v = judge_file(s, r, &s->out[i], j);
			shared |= v.outcome == SHARED;
		}
	if (is_timed(v.outcome)) {
		s->last = r;
		v.outcome = shared ? SHARED : COPIED;
	}
	return v;
}

/* The checksum of the input's first bytes. There are two lengths at most: that of most rows, and that of slow ones. */
static uint64_t expected_sum(struct session *s, int64_t len)
{
	static unsigned char chunk[CHUNK];
	struct checksum sum = begin_checksum();
	struct job j = { .err = 0 };
	int i = len == s->len ? 0 : 1;

	if (s->summed[i])
		return s->sums[i];
	for (int64_t at = 0, n = 1; at < len && n > 0 && !caught; at += n) {
		n = read_at(&j, s->in.bytes, chunk, len - at < CHUNK ? len - at : CHUNK, at);
		add_bytes(&sum, chunk, n);
	}
	s->summed[i] = !caught;
	return s->sums[i] = end_checksum(&sum);
}

/* What a receiver has said of a stream. */
static struct verdict judge_receipt(struct session *s, const struct port *port, const struct job *j)
{
	const struct receipt *r = &port->receipt;
	struct verdict v = { .outcome = COPIED };

	if (r->bytes != j->len)
		v = (struct verdict){ .outcome = MISMATCH, .at = r->bytes < j->len ? r->bytes : j->len };
	else if (!s->opt.no_verify && s->in.repeatable && s->in.bytes >= 0 && r->sum != expected_sum(s, j->len))
		v = (struct verdict){ .outcome = MISMATCH, .at = -1 }; /* somewhere */
	return v;
}

/* The first line that a command has written to standard error; "": none. */
static char *first_words(int said)
{
	char line[100];
	ssize_t n = pread(said, line, sizeof line - 1, 0);
	struct text text;

	line[n < 0 ? 0 : n] = '\0';
	line[strcspn(line, "\r\n")] = '\0';
	fputs(line, begin_text(&text));
	return end_line(&text);
}

/* How a peer has come to its end, where that was before it was time, or not as it should: it explains what
 * the row met. False: it has not. */
static bool blame_peer(const struct port *port, struct verdict *v)
{
	struct text text;
	char *words;

	if (!port->status)
		return false;
	if (!port->command && WIFEXITED(port->status)) {
		*v = (struct verdict){
			.outcome = FAILED, .err = WEXITSTATUS(port->status),
			.call = is_comparer(port) ? "the process that compares" : is_receiver(port) ? "the receiver" : "the process that feeds the pipe",
		};
		return true;
	}
	words = port->command ? first_words(port->said) : strdup("");
	fprintf(begin_text(&text), port->command ? "--%s=%s%s%s" : is_receiver(port) ? "the receiver" : "the process at the other side of the pipe", port->option, port->command,
	    *words ? ": " : "", words);
	free(words);
	*v = (struct verdict){ .outcome = EXITED, .status = port->status, .said = end_line(&text) };
	return true;
}

/* What became of a run as far as its calls tell, and the ends of its peers, which come first. */
static struct verdict judge_calls(const struct session *s, const struct job *j, int64_t copied)
{
	struct verdict v = { .outcome = COPIED, .err = j->err, .call = j->call, .at = j->done };

	if (blame_peer(&s->in, &v) || blame_peer(&s->out[0], &v) || (s->nout > 1 && blame_peer(&s->out[1], &v)))
		return v;
	if (j->status)
		v = (struct verdict){ .outcome = EXITED, .status = j->status, .said = first_words(j->said) };
	else if (copied < 0)
		v.outcome = j->done == 0 && errno_fact(j->err)->refusal ? REFUSED : FAILED;
	else if (j->err) /* the ends were not ready: nothing that the row could be n/a for */
		v.outcome = FAILED;
	else if (copied != j->len || (s->in.left && j->len == s->in.size && j->command))
		v.outcome = SHORT;
	else if (s->in.left && j->len == s->in.size)
		v.outcome = CHANGED; /* there is more than at first */
	return v;
}

/* Gets the ends ready and says how long that took. */
static bool begin_ports(struct session *s, struct job *j, int64_t *reset_ns)
{
	int64_t start = now();

	s->in.status = s->out[0].status = s->out[1].status = 0;
	s->in.left = false;
	if (s->opt.cold)
		evict(&s->in, s->len);
	bool ready = !s->in.ops->begin || s->in.ops->begin(&s->in, j);

	j->in = s->in.fd;
	for (int i = 0; i < s->nout && ready; i++) {
		ready = !s->out[i].ops->begin || s->out[i].ops->begin(&s->out[i], j);
		j->out[i] = s->out[i].fd;
	}
	j->sends = s->out[0].sends;
	if (s->nout > 1 && is_comparer(&s->out[1])) { /* it has no name but ours of its descriptor */
		snprintf(s->second, sizeof s->second, "/proc/%d/fd/%d", (int)getpid(), s->out[1].fd);
		j->second = s->second;
	}
	*reset_ns = now() - start;
	return ready;
}

/* Waits for what the clock is to wait for. */
static bool finish_ports(struct session *s, struct job *j)
{
	bool ok = !s->in.ops->finish || s->in.ops->finish(&s->in, j);

	for (int i = 0; i < s->nout && ok; i++)
		ok = !s->out[i].ops->finish || s->out[i].ops->finish(&s->out[i], j);
	return ok;
}

static void end_ports(struct session *s)
{
	fcntl(s->in.fd, F_SETFL, s->in.flags); /* a command may have changed them, as dd does for direct I/O */
	if (s->in.ops->end)
		s->in.ops->end(&s->in);
	for (int i = 0; i < s->nout; i++) {
		fcntl(s->out[i].fd, F_SETFL, s->out[i].flags);
		if (s->out[i].ops->end)
			s->out[i].ops->end(&s->out[i]);
	}
}

/* Two calls a byte would take minutes: such a row copies less, where the output is a stream. */
static int64_t length_of(const struct session *s, const struct strategy *strategy)
{
	bool less = strategy->usual & BY_NAME && any_output(s, is_stream) && s->len > SLOW_MOST;

	return less ? SLOW_MOST : s->len;
}

/* Its ends are known when they are ready. */
static struct job new_job(const struct session *s, const struct result *r)
{
	const struct strategy *strategy = r->strategy;
	int64_t len = length_of(s, strategy);

	return (struct job){
		.in = -1, .out = { -1, -1 }, .nout = s->nout, .pipe = { -1, -1 }, .helper = { -1, -1 }, .opened = { -1, -1 }, .said = -1,
		.len = len, .saved = -1, .completions = -1, .copied = -1, .culprit = -1, .second = s->opt.tee,
		.whole = len == s->in.size, .hints = r->advice && r->advice->hints, .command = r->command,
		.pipe_size = r->large ? PIPE_LARGE : PIPE_DEFAULT,
		.block = strategy->block < 0 ? -strategy->block * s->bs : strategy->block,
	};
}

/* Fills in the processes that are our children, at most max, and returns how many there are: none,
 * where the kernel was built without /proc/PID/task/TID/children (Linux 3.5). */
static int list_children(pid_t *children, int max)
{
	char path[64];
	long pid;
	int n = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
	f = fopen(path, "re");
	while (f && n < max && fscanf(f, "%ld", &pid) == 1)
		children[n++] = (pid_t)pid;
	if (f)
		fclose(f);
	return n;
}

/* Ends what a command has left running, also in a session of its own: it must not write to the next
 * row's output. Orphans are our children, as we are their subreaper; those that we had before, from
 * the shell that became this program, are left alone, and so are all where those are too many. */
static void end_leftovers(const struct session *s)
{
	pid_t children[CHILDREN_MAX];
	int ended;

	do {
		int n = s->ninherited < CHILDREN_MAX ? list_children(children, CHILDREN_MAX) : 0;

		ended = 0;
		for (int i = 0; i < n; i++) {
			int k = 0;

			while (k < s->ninherited && s->inherited[k] != children[i])
				k++;
			if (k == s->ninherited && children[i] != s->in.peer && children[i] != s->out[0].peer && children[i] != s->out[1].peer && !kill(children[i], SIGKILL))
				ended += waitpid(children[i], NULL, 0) > 0;
		}
	} while (ended > 0);
}

/* User and system time of this process, its threads, and its commands that have ended, nanoseconds. */
static int64_t cpu_time(void)
{
	struct rusage commands;
	struct timespec own;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
	getrusage(RUSAGE_CHILDREN, &commands);
	return own.tv_sec * INT64_C(1000000000) + own.tv_nsec + used_ns(&commands);
}

/* To add a counter: raise COUNTERS, add it here and to columns[]. Types and numbers are those of
 * perf_event_open(2). */
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
static void open_counters(struct session *s)
{
	for (int i = 0; i < COUNTERS; i++) {
		struct perf_event_attr attr = {
			.size = sizeof attr, .type = counters[i].type, .config = counters[i].config, .disabled = 1, .inherit = 1,
			.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		};

		s->counters[i] = -1;
		if (!s->opt.counters)
			continue;
		s->counters[i] = syscall(SYS_perf_event_open, &attr, 0, -1, -1, (unsigned long)PERF_FLAG_FD_CLOEXEC);
		if (s->counters[i] < 0)
			s->counters_err = errno;
	}
}

/* Lets the counters run, or stops them. */
static void switch_counters(const struct session *s, bool on)
{
	for (int i = 0; i < COUNTERS; i++)
		if (s->counters[i] >= 0)
			ioctl(s->counters[i], on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

struct count {
	uint64_t value, enabled, running; /* enabled, running: nanoseconds */
};

/* They only ever grow, and are not set back: what ended children counted could not be. */
static void read_counters(const struct session *s, struct count counts[COUNTERS])
{
	for (int i = 0; i < COUNTERS; i++)
		if (s->counters[i] >= 0 && read(s->counters[i], &counts[i], sizeof counts[i]) != sizeof counts[i])
			counts[i] = (struct count){ 0 };
}

/* What was counted between two readings, scaled up where the processor had to share its few counters. */
static void take_counts(const struct session *s, struct sample *x, const struct count before[COUNTERS])
{
	struct count after[COUNTERS];

	read_counters(s, after);
	for (int i = 0; i < COUNTERS; i++) {
		x->counts[i] = -1;
		if (s->counters[i] < 0 || after[i].enabled <= before[i].enabled)
			continue;
		double value = (double)(after[i].value - before[i].value);
		double running = (double)(after[i].running - before[i].running);

		if (running > 0)
			x->counts[i] = (int64_t)(value * (double)(after[i].enabled - before[i].enabled) / running + 0.5);
	}
}

/* Rests before a run: from start the whole pause, but at least half of it from now. So every run
 * starts from the same quiet, however long its ends took to be got ready. */
static void rest(int64_t start, int64_t pause)
{
	int64_t half = now() + pause / 2;

	sleep_until(start + pause > half ? start + pause : half);
}

/* Says which of two outputs it was that failed, by words that are kept: once for each call. */
static void name_culprit(const struct session *s, struct job *j)
{
	static const char *const names[] = { "first", "second" };
	static struct list calls;
	struct text text;
	int i = 0, k = 0;

	if (s->nout < 2 || !j->err || j->culprit < 0)
		return;
	while (i < s->nout && j->culprit != s->out[i].fd)
		i++;
	if (i == s->nout)
		return;
	fprintf(begin_text(&text), "%s into the %s output", j->call, names[i]);
	end_text(&text);
	while (k < calls.n && strcmp(calls.item[k], text.chars))
		k++;
	if (k == calls.n)
		append(&calls, text.chars);
	else
		free(text.chars);
	j->call = calls.item[k];
}

/* Between the two readings of the clock: the advice, the copy and what the ends are waited for. */
static int64_t timed_copy(struct session *s, struct result *r, struct job *j, struct sample *sample)
{
	struct count counts[COUNTERS];
	int64_t copied, start, cpu;

	read_counters(s, counts);
	switch_counters(s, true);
	cpu = cpu_time();
	start = now();
	open_gate(&s->in, true);
	copied = advise(j, r->advice) ? r->strategy->copy(j) : total(j);
	if (r->command && any_output(s, has_peer))
		end_leftovers(s); /* what it has left running would keep the pipe open */
	if (copied >= 0 && !finish_ports(s, j))
		copied = total(j);
	sample->ns = now() - start;
	sample->cpu_ns = cpu_time() - cpu;
	for (int i = 0; i < s->nout; i++)
		sample->cpu_ns -= s->out[i].peer_ns; /* a peer that has ended meanwhile is none of the row's commands */
	switch_counters(s, false);
	take_counts(s, sample, counts);
	name_culprit(s, j);
	return copied;
}

/* How near dirty memory comes to where the kernel makes writers wait: half way between its two
 * thresholds (mm/page-writeback.c, dirty_freerun_ceiling). */
static void watch_dirty(struct session *s)
{
	static const char file[] = "/proc/vmstat";
	int64_t limit = read_number(file, "nr_dirty_threshold") + read_number(file, "nr_dirty_background_threshold");
	int64_t dirty = read_number(file, "nr_dirty") + read_number(file, "nr_writeback");

	if (any_output(s, is_file) && limit > 0 && 2 * (double)dirty > s->dirty * (double)limit)
		s->dirty = 2 * (double)dirty / (double)limit;
}

/* What the machine has suffered since it was started: proc_stat(5); Documentation/ABI/testing/
 * sysfs-devices-system-cpu, thermal_throttle (x86 only). */
static struct strain read_strain(void)
{
	int64_t ticks[8] = { 0 }; /* user, nice, system, idle, iowait, irq, softirq, steal */
	struct strain strain = { 0 };
	char line[256], path[128];

	if (read_line("/proc/stat", line, sizeof line))
		sscanf(line, "cpu %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64,
		    &ticks[0], &ticks[1], &ticks[2], &ticks[3], &ticks[4], &ticks[5], &ticks[6], &ticks[7]);
	for (int i = 0; i < LENGTH(ticks); i++)
		strain.ticks += ticks[i];
	strain.stolen = ticks[7];
	for (long cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++) {
		snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%ld/thermal_throttle/core_throttle_count", cpu);
		if (read_line(path, line, sizeof line))
			strain.throttled += strtoll(line, NULL, 10);
	}
	strain.swapped = read_number("/proc/vmstat", "pswpin") + read_number("/proc/vmstat", "pswpout");
	return strain;
}

/* Keeps a run: what has become of the row is what became of its last run, but a row that has once
 * shared is no peer of copies, and one that has failed has failed. */
static void add_run(struct result *r, const struct sample *x)
{
	bool shared = r->verdict.outcome == SHARED && x->verdict.outcome == COPIED;

	if (r->verdict.outcome == UNTRIED || (is_timed(r->verdict.outcome) && !shared))
		r->verdict = x->verdict;
	append_sample(r, x);
}

/* What a row would have taken for so many times its bytes. */
static void scale(struct sample *x, double times)
{
	x->ns = (int64_t)((double)x->ns * times + 0.5);
	x->cpu_ns = (int64_t)((double)x->cpu_ns * times + 0.5);
	for (int i = 0; i < COUNTERS; i++)
		if (x->counts[i] > 0)
			x->counts[i] = (int64_t)((double)x->counts[i] * times + 0.5);
}

/* A row that was named, though it is for another number of outputs. */
static bool suits(const struct session *s, const struct result *r, struct job *j)
{
	errno = EINVAL;
	j->unfit = !(r->strategy->outs & 1U << s->nout);
	return !j->unfit || failed(j, s->nout > 1 ? "a second output" : "no second output");
}

/* One copy by a row: gets the ends ready, then what it holds in its hands, rests, copies, and lets go of both.
 * Returns what the copy does; j and the sample tell the rest. */
static int64_t copy_once(struct session *s, struct result *r, struct job *j, struct sample *sample, int64_t pause)
{
	int64_t start = now(), copied = 0;
	bool ready = suits(s, r, j) && begin_ports(s, j, &sample->reset_ns);

	sample->resident = s->in.resident;
	if (!ready)
		copied = j->unfit ? total(j) : 0;
	else if (r->strategy->kit && !r->strategy->kit(j))
		copied = total(j);
	else if (pause > 0)
		rest(start, pause);
	if (ready && !j->err)
		copied = caught ? 0 : timed_copy(s, r, j, sample);
	if (ready)
		s->out[0].sends = j->sends;
	if (s->out[0].held >= 0 && j->err == ETIMEDOUT)
		s->out[0].lost = ETIMEDOUT;
	drop_kit(j); /* before the ends: it may hold one open */
	end_ports(s);
	if (r->command || s->in.command || any_output(s, has_command))
		end_leftovers(s);
	return copied;
}

/* A run that is to count: one in whose time the program, a command or the machine stood still is thrown away, and
 * repeated, since its time says nothing. */
static int64_t copy_undisturbed(struct session *s, struct result *r, struct job *j, struct sample *sample)
{
	const struct sample blank = *sample;

	for (int i = 0; i < THROWN_MAX; i++) {
		struct beginning began = begin_watching();
		int64_t copied = copy_once(s, r, j, sample, s->opt.pause);

		if (caught || s->out[0].lost || !stood_still(&began))
			return copied;
		s->thrown++;
		drop_words(j);
		*j = new_job(s, r);
		*sample = blank;
	}
	errno = EINTR;
	failed(j, "a run in which nothing stands still");
	return total(j);
}

/* A process that compares, in the place of an output that keeps nothing. */
static struct port comparer(const struct session *s, const struct port *port)
{
	return (struct port){
		.ops = port->ops->kind == KIND_SOCKET ? &socket_comparer : &pipe_comparer, .family = port->family, .bytes = s->in.bytes,
		.fd = -1, .said = -1, .answer = -1, .gate = -1, .fresh = -1, .held = -1,
	};
}

/* Outputs that keep nothing: the row copies once more, outside the clock, into processes that compare. */
static struct verdict verify_streams(struct session *s, struct result *r)
{
	struct port out[] = { s->out[0], s->out[1] };
	struct sample unused = { .ns = 0 };
	struct job j = new_job(s, r);
	struct verdict v;
	int64_t copied;

	for (int i = 0; i < s->nout; i++)
		if (is_stream(&out[i]) && is_comparable(s, &out[i]))
			s->out[i] = comparer(s, &out[i]);
	copied = copy_once(s, r, &j, &unused, 0);
	v = judge_calls(s, &j, copied);
	for (int i = 0; i < s->nout; i++) {
		if (!is_comparer(&s->out[i]))
			continue;
		if (v.outcome == COPIED && s->out[i].at >= 0)
			v = (struct verdict){ .outcome = MISMATCH, .at = s->out[i].at };
		s->out[i] = out[i];
	}
	s->last_compared = false; /* an output that is a file has been written again, too */
	drop_words(&j);
	return v;
}

/* Has a command other bytes each time? Asked when a copy of them is none. */
static bool source_repeats(struct session *s)
{
	static const struct strategy none = { .name = "" };
	struct result r = { .strategy = &none };
	struct job j = new_job(s, &r);
	static unsigned char expected[CHUNK], found[CHUNK];
	ssize_t n = 0, same = 0;

	if (s->in.ops->begin(&s->in, &j)) {
		open_gate(&s->in, true);
		for (j.in = s->in.fd; j.done < s->len && n == same && (n = get(&j, found, CHUNK)) > 0; j.done += n) {
			n = n < s->len - j.done ? n : s->len - j.done;
			same = read_at(&j, s->in.bytes, expected, n, j.done) < n ? 0 : first_difference(expected, found, n);
		}
	}
	s->in.complete = j.done == s->in.size;
	s->in.ops->end(&s->in);
	return !j.err && n == same && j.done == s->len;
}

/* What is at the outputs, or has come out of them. */
static struct verdict judge_outputs(struct session *s, struct result *r, const struct job *j)
{
	enum kind in = s->in.ops->kind;
	struct verdict v = judge_files(s, r, j), receipt;
	bool blind = true, unseen = false, kept = false;

	for (int i = 0; i < s->nout; i++) {
		const struct port *port = &s->out[i];

		blind &= is_blind(&port->st);
		kept |= is_file(port) || is_receiver(port);
		unseen |= is_stream(port) && is_comparable(s, port);
		if (is_timed(v.outcome) && is_receiver(port) && (receipt = judge_receipt(s, port, j)).outcome != COPIED)
			v = receipt;
	}
	if (v.outcome == COPIED && blind && r->strategy->by_reference & in)
		v.outcome = UNTOUCHED;
	else if (v.outcome == COPIED && r->command && !kept && in & (KIND_FILE | KIND_BLOCK) && lseek(s->in.fd, 0, SEEK_CUR) != s->len)
		v.outcome = SHORT; /* it has read less, or more: no output keeps anything that could be compared */
	else if (is_timed(v.outcome) && unseen && !r->verified) {
		struct verdict streams = verify_streams(s, r);

		v = streams.outcome == COPIED ? v : streams;
	}
	r->verified |= is_timed(v.outcome);
	return v;
}

/* What became of a run, judged outside the clock. */
static struct verdict judge(struct session *s, struct result *r, const struct job *j, int64_t copied)
{
	struct verdict v = judge_calls(s, j, copied);

	if (v.outcome == COPIED)
		v = judge_outputs(s, r, j);
	if (v.outcome == MISMATCH && s->in.command && !caught && !source_repeats(s)) {
		s->in.repeatable = false;
		v = judge_outputs(s, r, j);
	}
	judge_input(s, &v); /* only now: it may have happened while the bytes were compared */
	return v;
}

/* What some rows have to tell besides, if they have moved a byte. */
static void take_extras(struct session *s, struct sample *x, const struct job *j)
{
	x->saved = j->done > 0 ? j->saved : -1;
	x->completions = j->done > 0 ? j->completions : -1;
	x->copied = j->done > 0 ? j->copied : -1;
	s->has_saved |= x->saved >= 0;
	s->has_completions |= x->completions >= 0;
}

/* One run of one row. Before it comes the pause, in which the ends are got ready, too. */
static void run(struct session *s, struct result *r, int round)
{
	struct job j = new_job(s, r);
	struct sample sample = { .round = round, .order = s->nruns };
	int64_t copied;

	s->last = NULL;
	copied = copy_undisturbed(s, r, &j, &sample);
	if (j.len < s->len)
		scale(&sample, (double)s->len / (double)j.len);
	take_extras(s, &sample, &j);
	if (!caught)
		sample.verdict = judge(s, r, &j, copied);
	if (sample.verdict.outcome == REFUSED)
		add_needs(s, r, &sample.verdict);
	drop_words(&j);
	if (caught)
		return;
	s->changed = sample.verdict.outcome == CHANGED;
	add_run(r, &sample);
	watch_dirty(s);
	s->nruns++;
	if (!is_timed(r->verdict.outcome) && !s->opt.race && r != &s->control)
		s->nplanned -= s->opt.runs - r->nsamples;
}

/* One run of memcpy(3), between two buffers that have been touched. */
static void run_memcpy(struct session *s, struct reference *m)
{
	struct job j = { .said = -1, .pipe = { -1, -1 }, .helper = { -1, -1 }, .opened = { -1, -1 } };
	int64_t start = now();

	if (!get_memory(&j, 2 * m->bytes)) {
		m->err = j.err;
		return;
	}
	rest(start, s->opt.pause);
	start = now();
	for (int64_t at = 0; at < m->bytes && !caught; at += MEMCPY_STEP)
		memcpy(j.buf + m->bytes + at, j.buf + at, m->bytes - at < MEMCPY_STEP ? m->bytes - at : MEMCPY_STEP);
	m->ns = now() - start;
	drop_kit(&j);
}

/* The source's bytes, spliced from its pipe to /dev/null, which looks at none of them: what is left is the time
 * of who writes them. */
static void run_source(struct session *s, struct reference *m)
{
	static const struct strategy none = { .name = "" };
	struct result r = { .strategy = &none, .large = m->pipe_size == PIPE_LARGE };
	struct job j = new_job(s, &r);
	int64_t start = now();
	bool ready;

	j.out[0] = open("/dev/null", O_WRONLY | O_CLOEXEC);
	ready = (j.out[0] >= 0 || failed(&j, "open /dev/null")) && s->in.ops->begin(&s->in, &j);
	j.in = s->in.fd;
	if (ready) {
		rest(start, s->opt.pause);
		start = now();
		open_gate(&s->in, true);
		copy_splice(&j);
		m->ns = now() - start;
		s->in.complete = j.done == s->in.size;
	}
	s->in.ops->end(&s->in);
	if (s->in.command)
		end_leftovers(s);
	if (j.out[0] >= 0)
		close(j.out[0]);
	m->err = j.err ? j.err : s->in.status || j.done != s->len ? EIO : 0;
}

static void run_reference(struct session *s, struct reference *m)
{
	struct beginning began;
	int tries = 0;

	do {
		m->err = 0;
		began = begin_watching();
		m->run(s, m);
	} while (!caught && stood_still(&began) && ++tries < THROWN_MAX);
	s->thrown += tries;
	if (tries == THROWN_MAX)
		m->err = EINTR;
	if (m->err)
		s->nplanned -= s->opt.runs - m->n;
	if (m->err || caught)
		return;
	if (m->n++ == 0 || m->ns < m->best)
		m->best = m->ns;
	s->nruns++;
}

/* What a run of the control has shown of its row, whose copy was as wrong: the row answers for it. */
static void blame_control(struct session *s)
{
	struct result *control = &s->control;

	if (control->verdict.outcome >= FAILED) {
		append_sample(s->control_of, &control->samples[control->nsamples - 1]);
		s->control_of->verdict = control->verdict;
	}
	if (control->verdict.outcome != COPIED) {
		control->nsamples = 0;
		control->verified = false;
		control->verdict.outcome = UNTRIED;
		s->control_of = NULL;
	}
}

static bool may_have_control(const struct result *r)
{
	return !r->left && r->verdict.outcome == COPIED && r->nsamples > 0;
}

/* The row whose first run was the fastest: among those that lead noise decides. */
static struct result *find_control(const struct session *s)
{
	struct result *found = NULL;

	for (int i = 0; i < s->nresults; i++) {
		struct result *r = &s->results[i];

		if (may_have_control(r) && (!found || r->samples->ns < found->samples->ns))
			found = r;
	}
	return found;
}

/* One more run a round of a row that leads after the first, which no table shows: how far the two come apart is noise, and nothing
 * else. When that row has left a race, another one has a control. */
static void run_control(struct session *s, int round)
{
	struct result *control = &s->control;

	if (s->control_of && !may_have_control(s->control_of)) {
		control->nsamples = 0;
		control->verified = false;
		s->control_of = NULL;
	}
	if (!s->control_of && (round > 1 || s->opt.in_order))
		s->control_of = find_control(s);
	if (!s->control_of || control->nsamples == (s->opt.race ? RACE_DEFAULT : TESTED_MAX))
		return;
	control->strategy = s->control_of->strategy;
	control->advice = s->control_of->advice;
	control->command = s->control_of->command;
	control->large = s->control_of->large;
	s->run(s, control, round);
	if (!caught)
		blame_control(s);
}

/* Takes the line away again, which goes over several where the terminal has shrunk since. */
static void clear_progress(struct session *s)
{
	int width = terminal_width(stderr), above = width && s->shown > width ? (s->shown - 1) / width : 0;

	if (s->opt.quiet || !has_escapes(stderr))
		return;
	if (above)
		fprintf(stderr, "\033[%dA", above);
	fputs("\r\033[J", stderr);
	s->shown = 0;
}

/* One line on a terminal, written over and over: what runs, and how long all of it may take. */
static void show_progress(struct session *s, const char *what)
{
	double left = 0;
	char line[128];
	int used, width = terminal_width(stderr);

	if (s->opt.quiet || !has_escapes(stderr))
		return;
	if (s->nruns > 0 && s->nruns < s->nplanned)
		left = (double)(now() - s->started) / 1e9 / s->nruns * (s->nplanned - s->nruns);
	used = snprintf(line, sizeof line, "%4d/%d  %-*.*s", s->nruns, s->nplanned, COUNTS_NAME_WIDTH, COUNTS_NAME_WIDTH, what);
	if (s->nruns > 0)
		used += snprintf(line + used, sizeof line - used, "  ETA %d:%02d", (int)left / 60, (int)left % 60);
	clear_progress(s);
	fprintf(stderr, "%.*s", width - 1, line); /* one line, as long as the terminal does not shrink */
	s->shown = used < width - 1 ? used : width - 1;
	fflush(stderr);
}

/* Whose turn it is: a row's, the control's, or a reference's. */
struct turn {
	struct result *row;
	struct reference *reference;
};

/* Fisher and Yates. The bias of the remainder is below n in 2^64. */
static void shuffle(struct turn *turns, int n, uint64_t *state)
{
	for (int i = n - 1; i > 0; i--) {
		int j = random_number(state) % (i + 1);
		struct turn turn = turns[i];

		turns[i] = turns[j];
		turns[j] = turn;
	}
}

/* A row that could not be measured once is not tried again. */
static void take_turn(struct session *s, const struct turn *turn, int round)
{
	struct result *r = turn->row;

	if (caught || s->changed || (r ? r->nsamples > 0 && !is_timed(r->verdict.outcome) : turn->reference->err))
		return;
	show_progress(s, r ? r->name : turn->reference->name);
	if (r == &s->control)
		run_control(s, round);
	else if (r)
		s->run(s, r, round);
	else
		run_reference(s, turn->reference);
}

/* Fills in whose turns there are in a round with these rows: theirs, the control's, and those of references
 * that have not had all of them. */
static int list_turns(struct session *s, struct result **rows, int n, struct turn *turns)
{
	struct reference *references[] = { &s->memcpy, &s->source[0], &s->source[1] };
	int count = 0;

	for (int i = 0; i < n; i++)
		turns[count++] = (struct turn){ .row = rows[i] };
	if (s->nresults > 1)
		turns[count++] = (struct turn){ .row = &s->control };
	for (int i = 0; i < LENGTH(references); i++)
		if (references[i]->bytes > 0 && references[i]->n < s->opt.runs)
			turns[count++] = (struct turn){ .reference = references[i] };
	return count;
}

enum { OTHER_TURNS = 4 }; /* in a round, besides those of the rows */

/* One run of each of these rows, and of the references and the control beside them, in an order of its own. */
static void run_round(struct session *s, struct result **rows, int n, int round)
{
	struct turn *turns = allocate(n + OTHER_TURNS, sizeof *turns);
	int count = list_turns(s, rows, n, turns);

	shuffle(turns, count, &s->random);
	for (int i = 0; i < count; i++)
		take_turn(s, &turns[i], round);
	free(turns);
}

/* Moves the rows that go on in a race to the front, and returns how many they are: the better half by median. */
static int better_half(struct result **rows, int n)
{
	for (int i = 0; i < n; i++)
		summarise(rows[i]);
	qsort(rows, n, sizeof *rows, compare_medians);
	return (n + 1) / 2;
}

/* The rows that have moved data so far, at the front. */
static int drop_unable(struct result **rows, int n)
{
	int kept = 0;

	for (int i = 0; i < n; i++)
		if (rows[i]->verdict.outcome == COPIED)
			rows[kept++] = rows[i];
	return kept;
}

/* Sequential halving (Karnin, Koren and Somekh 2013): the runs are dealt out over as many phases as
 * it takes to halve the rows down to one, each phase gets as many, rounded down to whole rounds, and
 * after it the better half goes on. What a row has shown in earlier phases counts. The control's runs come
 * on top, and are few. */
static void race(struct session *s, struct result **rows, int n)
{
	int64_t left = s->opt.race;
	int phases = 0, phase = 0, round = 0, go_on = n;

	while (1 << phases < n)
		phases++;
	for (int64_t share = 0; n > 0 && left >= go_on && !caught && !s->changed; share--) {
		if (share == 0) { /* a phase begins */
			for (int i = go_on; i < n; i++)
				rows[i]->left = true;
			n = go_on;
			phase++;
			share = s->opt.race / ((int64_t)phases * n);
			share += share == 0;
		}
		s->nplanned = s->nruns + (int)left;
		run_round(s, rows, n, ++round);
		left -= n;
		go_on = n = drop_unable(rows, n);
		if (share == 1 && n > 1)
			go_on = better_half(rows, n);
		if (n == 1 ? rows[0]->nsamples >= RUNS_DEFAULT : share == 1 && phase == phases)
			break;
	}
}

/* Forgets the runs so far of what has been measured; what could not be is not tried again. */
static void forget_runs(struct session *s)
{
	struct reference *references[] = { &s->memcpy, &s->source[0], &s->source[1] };

	s->nruns = s->control.nsamples = 0;
	s->control.verified = false;
	s->control_of = NULL;
	for (int i = 0; i < s->nresults; i++) {
		struct result *r = &s->results[i];

		if (is_timed(r->verdict.outcome))
			r->nsamples = 0;
		for (int k = 0; k < r->nsamples; k++)
			r->samples[k].order = s->nruns++;
	}
	for (int i = 0; i < LENGTH(references); i++)
		references[i]->n = 0;
}

/* All runs of all rows, of the references and of the control: in a race, row after row, or in rounds. */
static void measure(struct session *s)
{
	int n = s->nresults, count;
	struct result **rows = allocate(n, sizeof *rows);
	struct turn *turns = allocate(n + OTHER_TURNS, sizeof *turns);

	for (int i = 0; i < n; i++) {
		rows[i] = &s->results[i];
		make_room(rows[i], s->opt.runs < SAMPLES_KEPT ? s->opt.runs : SAMPLES_KEPT);
	}
	make_room(&s->control, s->opt.runs < TESTED_MAX ? s->opt.runs : TESTED_MAX);
	s->random = s->opt.seed;
	s->control.name = "control"; /* for the progress line */
	s->started = now();
	s->before = read_strain();
	count = list_turns(s, rows, n, turns);
	for (int i = 0; i < count; i++)
		s->nplanned += turns[i].row == &s->control ? (s->opt.runs > TESTED_MAX ? TESTED_MAX : s->opt.runs) - !s->opt.in_order : s->opt.runs;
	s->nplanned += s->opt.warmup * n;
	for (int round = 1; round <= s->opt.warmup; round++)
		run_round(s, rows, n, 1);
	if (s->opt.warmup) {
		s->nplanned -= s->opt.warmup * n;
		forget_runs(s);
		s->started = now();
	}
	if (s->opt.race) {
		race(s, rows, n);
	} else if (s->opt.in_order) {
		for (int i = 0; i < count; i++) /* the control is far from its row: its noise has all of the drift */
			for (int round = 1; round <= s->opt.runs; round++)
				take_turn(s, &turns[i], round);
	} else {
		for (int round = 1; round <= s->opt.runs; round++)
			run_round(s, rows, n, round);
	}
	free(turns);
	free(rows);
	clear_progress(s);
}

/* Looks at a chunk of the input. */
static void look_at(struct look *look, const unsigned char *chunk, int n)
{
	enum { PAGE = 4096 };

	for (int at = 0; at < n; at += PAGE) {
		int size = n - at < PAGE ? n - at : PAGE;

		if (is_zero(chunk + at, size))
			look->zeros += size;
	}
}

/* Bytes of a file's beginning that are in holes, as far as lseek(2) tells, SEEK_DATA. */
static int64_t count_holes(int fd, int64_t len)
{
	int64_t at = 0, holes = 0;

	for (int i = 0; i < 10000 && at >= 0 && at < len; i++) {
		int64_t data = lseek(fd, at, SEEK_DATA);

		if (data < 0 && errno != ENXIO)
			return 0;
		if (data < 0 || data > len)
			data = len;
		holes += data - at;
		at = data < len ? lseek(fd, data, SEEK_HOLE) : len;
	}
	return holes;
}

/* What comes but once is kept while it is read ahead. */
struct spool {
	int fd;             /* -1: it is only counted */
	int64_t n, room;    /* bytes that there are, and that memory may have */
	const char *where;  /* a directory; NULL: memory */
	const char *call;   /* that failed */
	int err;            /* and its errno */
};

static bool spool_failed(struct spool *p, const char *call)
{
	p->call = call;
	p->err = errno;
	return false;
}

/* An unlinked file in a directory: whatever ends us, it is gone. */
static int open_unlinked(const char *directory)
{
	int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600); /* Linux 3.11, most file systems */
	char path[4096];

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd;
	if (snprintf(path, sizeof path, "%s/write-bench.XXXXXX", directory) >= (int)sizeof path)
		return errno = ENAMETOOLONG, -1;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

/* Has the file system room for n bytes more, and some to spare for others? */
static bool has_room(int fd, int64_t n)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) || (int64_t)fs.f_bavail >= (int64_t)fs.f_blocks / DISK_SPARE + n / (int64_t)fs.f_bsize)
		return true;
	errno = ENOSPC;
	return false;
}

/* From memory, which is given back meanwhile, to a file. */
static bool move_to_disk(struct spool *p)
{
	const char *directory = getenv("TMPDIR") && *getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
	int memory = p->fd;
	off_t at = 0;

	p->where = directory;
	p->fd = open_unlinked(directory);
	if (p->fd < 0)
		return p->fd = memory, spool_failed(p, "open");
	while (at < p->n && !caught) {
		off_t from = at;

		errno = EIO; /* of a file that is shorter than it was */
		ssize_t n = has_room(p->fd, p->n - at) ? sendfile(p->fd, memory, &at, p->n - at < CHUNK ? p->n - at : CHUNK) : -1;

		if (n <= 0 && !again(n))
			return spool_failed(p, "write"), close(memory), false;
		fallocate(memory, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, from, at - from);
	}
	close(memory);
	return true;
}

static bool keep(struct spool *p, const unsigned char *bytes, ssize_t n)
{
	bool full = !p->where && p->n + n > p->room;
	ssize_t wrote;

	if (p->fd < 0)
		return true;
	if (full && !move_to_disk(p))
		return false;
	for (int64_t at = p->n; n > 0; bytes += wrote, at += wrote, n -= wrote) {
		if (p->where && !has_room(p->fd, n))
			return spool_failed(p, "write");
		wrote = pwrite(p->fd, bytes, n, at);
		if (wrote <= 0 && !again(wrote))
			return spool_failed(p, "write");
		wrote = wrote < 0 ? 0 : wrote;
	}
	return true;
}

/* Takes all that a descriptor gives, or limit bytes; the spool or the job tells what failed. */
static void fill_spool(struct session *s, struct spool *p, struct job *j)
{
	int64_t shown = 0;
	char text[32], line[64];
	size_t want;
	ssize_t n;

	while ((want = next(j)) && (n = get(j, j->buf, want)) > 0) {
		if (!keep(p, j->buf, n))
			return;
		p->n = j->done += n;
		if (now() - shown < PROGRESS)
			continue;
		shown = now();
		snprintf(line, sizeof line, "reading the input ahead: %s", size_text(text, p->n));
		show_progress(s, line);
	}
}

/* Why the input could not be read ahead, if so: nothing has been touched. */
static void check_spool(const struct session *s, const struct spool *p, const struct job *j)
{
	char why[200], size[32];
	struct verdict v;

	if (caught) {
		warn("%s: interrupted while it was read ahead, after %s: nothing has been copied", s->in.label, size_text(size, p->n));
		exit(EXIT_SIGNALLED + caught);
	}
	if (p->call)
		die("%s: can't be kept in %s%s, to be read again (%s so far): %s: %s%s%s", s->in.label, p->where ? "a file in " : "memory",
		    p->where ? p->where : "", size_text(size, p->n), p->call, errno_text(why, p->err), p->where ? "; or set TMPDIR to another directory" : "",
		    s->in.command ? "; or use --no-verify, which keeps nothing" : "");
	if (blame_peer(&s->in, &v) && v.outcome == EXITED)
		die("%s: %s %d: run it by itself to see why", v.said, WIFSIGNALED(v.status) ? "killed by signal" : "exit status",
		    WIFSIGNALED(v.status) ? WTERMSIG(v.status) : WEXITSTATUS(v.status));
	errno = j->err;
	if (j->err)
		die_errno(s->in.label, j->call);
	if (p->n == 0)
		die("%s: gives no byte: give it bytes to copy", s->in.label);
}

/* How many outputs will take as much memory as is copied. */
static int outputs_in_memory(const struct session *s)
{
	int n = 0;

	for (int i = 0; i < s->nout; i++)
		n += is_file(&s->out[i]) && is_in_memory(s->out[i].fd);
	return n;
}

/* An input that comes but once is read to its end, or as far as is wanted, and kept: in memory while it is
 * small, else in a file. A command comes again: its bytes are kept to be compared with. */
static void read_ahead(struct session *s)
{
	static const struct strategy none = { .block = CHUNK };
	struct result r = { .strategy = &none };
	struct job j = new_job(s, &r);
	struct port *in = &s->in;
	struct spool p = { .fd = -1, .room = memory_share(outputs_in_memory(s)) };

	if (in->ops->kind != KIND_PIPE)
		return;
	j.len = in->limit ? in->limit : INT64_MAX;
	if (!in->command || !s->opt.no_verify) {
		p.fd = memfd_create("spool", MFD_CLOEXEC);
		if (p.fd < 0 && !move_to_disk(&p))
			check_spool(s, &p, &j);
	}
	if (get_memory(&j, CHUNK) && (!in->command || in->ops->begin(in, &j))) {
		j.in = in->fd;
		open_gate(in, true);
		fill_spool(s, &p, &j);
	}
	s->len = p.n;
	in->complete = !j.err && !p.call && (!in->limit || p.n < in->limit);
	in->size = in->complete || !in->command ? p.n : -1;
	in->bytes = p.fd;
	in->spool = p.fd < 0 ? NULL : p.where ? p.where : "memory";
	if (in->command)
		in->ops->end(in);
	end_leftovers(s);
	clear_progress(s);
	check_spool(s, &p, &j);
	drop_kit(&j);
}

/* Reads the input once, so that no row finds it colder than another; and a fresh one is written to the
 * disk, or reading it by direct I/O would do that inside the clock. */
static void warm(struct session *s)
{
	static unsigned char chunk[CHUNK];
	int fd = s->in.bytes;
	struct job j = { .in = fd, .len = s->len, .block = CHUNK };
	ssize_t n;
	size_t want;

	if (s->in.ops->kind == KIND_DEVICE || fd < 0) {
		s->look.zeros = is_mem(&s->in.st, MEM_ZERO) ? s->len : 0;
		return;
	}
	show_progress(s, "reading the input once");
	if (s->in.ops->kind == KIND_FILE)
		s->look.holes = count_holes(fd, s->len);
	if (lseek(fd, 0, SEEK_SET) < 0)
		die_errno(s->in.label, "lseek");
	for (; (want = next(&j)) && (n = get(&j, chunk, want)) > 0; j.done += n)
		look_at(&s->look, chunk, (int)n);
	sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
	clear_progress(s);
	errno = j.err;
	if (j.err && !caught)
		die_errno(s->in.label, "read");
	if (j.done != s->len && !caught)
		die("%s: ends at byte %" PRId64 " of %" PRId64 ": keep it as it is while it is copied, or use a file "
		    "whose size is true (sysfs tells another)", s->in.label, j.done, s->len);
}

/* Compares outputs that are files: all, so that whatever is written to them from now on shows in their times, since the tick of
 * the kernel's clock in which these were set is over; or those where that has happened. */
static struct verdict verify_files(struct session *s, bool all)
{
	struct verdict v = { .outcome = COPIED };
	struct stat st;

	if (all && !s->opt.no_verify)
		sleep_until(now() + TICK);
	for (int i = 0; i < s->nout && v.outcome == COPIED; i++) {
		struct stat *old = &s->out[i].compared;

		if (!is_file(&s->out[i]))
			continue;
		if (fstat(s->out[i].fd, &st))
			return (struct verdict){ .outcome = FAILED, .err = errno, .call = "fstat" };
		if (all || st.st_size != old->st_size || !same_time(&st.st_mtim, &old->st_mtim) || !same_time(&st.st_ctim, &old->st_ctim))
			v = verify(s, &s->out[i], true);
		*old = st;
	}
	return v;
}

/* Copies once more where the last run left no copy: it was n/a, or failed, or copied wrongly. */
static struct verdict plain_copy(struct session *s)
{
	static const struct strategy plain = { .copy = copy_read_write, .kit = buffer, .block = CHUNK, .outs = ONE | TWO };
	struct result r = { .strategy = &plain, .advice = advices };
	struct sample unused = { .ns = 0 };
	struct job j = new_job(s, &r);
	int64_t copied = copy_once(s, &r, &j, &unused, 0);
	struct verdict v = judge_calls(s, &j, copied);

	return v.outcome == COPIED ? verify_files(s, true) : v;
}

/* Compares the last copy. The row answers for a difference where that had not been done yet (a row's later runs are not
 * compared); else somebody else has written to it since. */
static struct verdict compare_last(struct session *s)
{
	struct verdict v = verify_files(s, true);

	if (v.outcome == COPIED || caught || s->last_compared)
		return v;
	for (int i = 0; i < s->nresults; i++)
		if (s->last == &s->results[i])
			s->results[i].verdict = s->results[i].samples[s->results[i].nsamples - 1].verdict = v;
	if (s->last == &s->control) {
		s->control.verdict = s->control.samples[s->control.nsamples - 1].verdict = v;
		blame_control(s);
	}
	return plain_copy(s);
}

/* Are the outputs copies of the input, which may have changed meanwhile? If not, says why. */
static bool are_copies(const struct session *s, struct verdict v)
{
	const char *label = s->nout > 1 ? "one of the outputs" : s->out[0].label;
	char why[200];

	judge_input(s, &v);
	if (v.outcome == FAILED || v.outcome == REFUSED)
		warn("%s: is not a copy of the input: %s: %s", label, v.call, errno_text(why, v.err));
	else if (v.outcome == EXITED)
		warn("%s: is not a copy of the input: %s: did not end with exit status 0", label, v.said);
	else if (v.outcome == CHANGED)
		warn("%s: is not a copy of the input: that changed meanwhile: keep it as it is while it is copied", label);
	else if (v.outcome != COPIED)
		warn("%s: is not a copy of the input: it differs from byte %" PRId64 " on: keep both as they are while they are copied",
		    v.said ? v.said : label, v.at);
	if (v.outcome == EXITED)
		free((char *)v.said);
	return v.outcome == COPIED;
}

/* Sees to it that standard output is a copy of standard input, and that both are left where a
 * copying program leaves them: at the end. False: it is none, and can't be. */
static bool leave_copy(struct session *s)
{
	struct verdict v = { .outcome = COPIED };

	if (caught)
		return false;
	if (any_output(s, is_file) && !s->changed) {
		v = s->last ? compare_last(s) : plain_copy(s);
		for (int i = 0; i < s->nout; i++)
			if (is_file(&s->out[i]) && lseek(s->out[i].fd, s->len, SEEK_SET) < 0)
				v = (struct verdict){ .outcome = FAILED, .err = errno, .call = "lseek" };
		if (s->in.ops->kind != KIND_PIPE && lseek(s->in.fd, s->len, SEEK_SET) < 0)
			v = (struct verdict){ .outcome = FAILED, .err = errno, .call = "lseek" };
	} else if (any_output(s, is_file)) {
		v.outcome = CHANGED;
	}
	return are_copies(s, v);
}

/* ---- Reports: one grid of cells for all formats; results are printed nowhere else ----------- */

/* What has become of a row: no pair where one of the two has not moved data. */
enum change { NO_PAIR, TOO_FEW, SAME, FASTER, SLOWER, CHANGES_COUNT };
static const char *const change_words[] = {
	[NO_PAIR] = "", [TOO_FEW] = "too few runs", [SAME] = "~", [FASTER] = "faster", [SLOWER] = "slower",
};

/* A row in one of several files. */
struct pair {
	const struct session *s;
	const struct result *r;     /* NULL: it is not there */
	struct ratio ratio;         /* to the same row of the first file */
	enum change change;         /* since then */
};

/* What a line of a grid is about: a row, one of its runs, or the same row in several files. */
struct line {
	const struct session *s;
	const struct result *r;
	const struct sample *x;     /* NULL: all runs of the row */
	const struct pair *pair;    /* of the first file; NULL: there is but one */
};

/* Where a column appears, as bits. RATIOS and COUNTS are further tables of the text report, PAIRS a comparison for programs, CHANGES one
 * for people. Those from WIDE on say when only. */
enum {
	TEXT = 1, TERMINAL = 2, MARKDOWN = 4, CSV = 8, JSON = 16, RATIOS = 64, COUNTS = 128, PICTURE = 256, PAIRS = 512,
	CHANGES = 1024, WIDE = 2048, IF_COUNTERS = 4096, IF_COLD = 8192, IF_SOURCE = 16384, IF_SAVED = 32768, IF_SENT = 65536,
	IF_VERBOSE = 131072,
};

/* How a cell is written in JSON, and read from CSV. Milliseconds are nanoseconds here. */
enum cell_kind { STRING, NUMBER, MILLISECONDS };

struct column {
	const char *key;    /* in CSV and JSON */
	int in;             /* where it appears */
	enum cell_kind kind;
	void (*cell)(FILE *, const struct line *, const struct column *);
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
	void (*report)(FILE *, const struct session *);
	void (*comparison)(FILE *, const struct session *, int n);
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
	[SHORT] = { "failed short", "Failed, moving too few bytes (the input ended early, or a call moved nothing)" },
	[CHANGED] = { "failed changed", "Failed, since the input changed meanwhile (keep it as it is)" },
	[MISMATCH] = { "mismatch", "Copied wrongly" },
};

static void put_outcome(FILE *f, const struct verdict *v)
{
	bool errno_told = v->outcome == REFUSED || v->outcome == FAILED;

	fputs(outcomes[v->outcome].key, f);
	if (v->outcome == EXITED && WIFSIGNALED(v->status))
		fprintf(f, " signal %d", WTERMSIG(v->status));
	else if (v->outcome == EXITED)
		fprintf(f, " exit %d", WEXITSTATUS(v->status));
	else if (errno_told && errno_fact(v->err)->number)
		fprintf(f, " %s", errno_fact(v->err)->name);
	else if (errno_told)
		fprintf(f, " errno %d", v->err);
}

/* What an environment tells: a key; a number, one of bytes, some of them, or text; where in a session a number is that reports need, and the most that
 * it may be in a file; and what it is, for the manual page. A key that is not here is text. */
enum kind_of_fact { IS_TEXT, IS_LIST, IS_NUMBER, IS_SIZE, IS_TIME };
#define FACT(field) offsetof(struct session, field)
static const struct fact_row {
	const char *key;
	enum kind_of_fact kind;
	size_t offset;
	int64_t most;
	const char *help;
} fact_rows[] = {
	{ "heading",         IS_TEXT,   0,                           0,          "file system, medium, size and kernel" },
	{ "command_line",    IS_TEXT,   0,                           0,          "as it was given, for a shell" },
	{ "output",          IS_TEXT,   0,                           0,          "what it is, and where; also second_output" },
	{ "output_mount",    IS_TEXT,   0,                           0,          "type and options of its file system; also second_output_mount" },
	{ "input",           IS_TEXT,   0,                           0,          "what it is, and where" },
	{ "input_mount",     IS_TEXT,   0,                           0,          "type and options of its file system" },
	{ "size",            IS_SIZE,   FACT(len),                   INT64_MAX,  "bytes that each run copies" },
	{ "size_asked",      IS_SIZE,   0,                           0,          "bytes that --size names, where the input has fewer" },
	{ "block_size",      IS_SIZE,   0,                           0,          "of the output's file system, bytes" },
	{ "kernel",          IS_TEXT,   0,                           0,          "its release" },
	{ "machine",         IS_TEXT,   0,                           0,          "its architecture" },
	{ "cpu",             IS_TEXT,   0,                           0,          "its model" },
	{ "cpus",            IS_NUMBER, 0,                           0,          "how many are online" },
	{ "memory_bytes",    IS_SIZE,   0,                           0,          "of the machine" },
	{ "balloon",         IS_TEXT,   0,                           0,          "free page reporting: the machine gives free memory back to its host, and each page that comes back costs a fault" },
	{ "governor",        IS_TEXT,   0,                           0,          "of the first CPU's frequency (cpufreq), where there is one" },
	{ "runs",            IS_NUMBER, 0,                           0,          "of each row, or race: runs in all" },
	{ "race",            IS_NUMBER, FACT(opt.race),              INT64_MAX,  "runs in all" },
	{ "warmup",          IS_NUMBER, 0,                           0,          "rounds before the first that counts" },
	{ "pause_s",         IS_NUMBER, 0,                           0,          "seconds before each run" },
	{ "order",           IS_TEXT,   0,                           0,          "shuffled rounds, or row after row" },
	{ "seed",            IS_NUMBER, 0,                           0,          "of the shuffle" },
	{ "page_cache",      IS_TEXT,   0,                           0,          "what is done about the input in it" },
	{ "until",           IS_TEXT,   0,                           0,          "what the clock waited for" },
	{ "output_state",    IS_TEXT,   0,                           0,          "where the output is overwritten: how it was before each run" },
	{ "verified",        IS_TEXT,   0,                           0,          "what was compared of each copy" },
	{ "date",            IS_TEXT,   0,                           0,          "of the start, UTC" },
	{ "version",         IS_TEXT,   0,                           0,          "of the program, with its commit" },
	{ "input_state",     IS_TEXT,   0,                           0,          "with --cold: how much of the input stayed in the page cache" },
	{ "shortened",       IS_TEXT,   0,                           0,          "rows that copy less, and how their figures are made" },
	{ "thrown_away",     IS_NUMBER, 0,                           0,          "runs that were repeated, since the program or the machine stood still" },
	{ "source_ns",       IS_TIME,   FACT(source[0].best),        NS_MAX,     "best time of the input alone, by a pipe of 64 KiB; source_1m_ns: of 1 MiB; nanoseconds" },
	{ "source_1m_ns",    IS_TIME,   FACT(source[1].best),        NS_MAX,     "" },
	{ "reset_ns",        IS_TIME,   0,                            0,          "median of the untimed set-up of the ends, nanoseconds" },
	{ "memcpy_bytes",    IS_SIZE,   FACT(memcpy.bytes),          INT64_MAX,  "bytes that memcpy moved in the same rounds" },
	{ "memcpy_ns",       IS_TIME,   FACT(memcpy.best),           NS_MAX,     "and its best time, nanoseconds" },
	{ "counters",        IS_TEXT,   0,                           0,          "why some counters are missing" },
	{ "control",         IS_TEXT,   0,                           0,          "the row that was run twice a round" },
	{ "control_round",   IS_NUMBER, 0,                           0,          "the first round in which it was" },
	{ "control_ns",      IS_LIST,   0,                           0,          "and its second runs' times, nanoseconds" },
	{ "interrupted",     IS_TEXT,   0,                           0,          "when, and by what" },
	{ "run_lines",       IS_NUMBER, 0,                           0,          "lines of runs in a CSV report" },
	{ "recommended",     IS_TEXT,   0,                           0,          "the row that the report recommends; recommendation: the sentence" },
	{ "candidates",      IS_NUMBER, 0,                           0,          "rows that may be the fastest" },
	{ "level",           IS_NUMBER, 0,                           0,          "of each test: 0.05 / (rows - 1)" },
};

/* NULL: it is not known here. */
static const struct fact_row *find_fact_row(const char *key)
{
	for (int i = 0; i < LENGTH(fact_rows); i++)
		if (!strcmp(fact_rows[i].key, key))
			return &fact_rows[i];
	return NULL;
}

static const char *fact(const struct session *s, const char *key)
{
	for (int i = 0; i < s->nfacts; i++)
		if (!strcmp(s->facts[i].key, key))
			return s->facts[i].value;
	return "unknown";
}

static bool is_fact(const struct session *s, const char *key)
{
	return strcmp(fact(s, key), "unknown");
}

/* Can its time be held against the other rows'? */
static bool is_peer(const struct result *r)
{
	return r && r->verdict.outcome == COPIED;
}

/* "~": may be the fastest. */
static const char *mark(const struct result *r)
{
	return is_peer(r) && !r->beaten_by ? "~" : "";
}

/* The facts that tell how fast the input is alone, for each size of pipe. */
static const char *const source_keys[] = { "source_ns", "source_1m_ns" };

static bool has_source(const struct session *s)
{
	return s->source[0].best > 0 || s->source[1].best > 0;
}

/* Does the row wait for its input most of the time, with the pipe that it has? */
static bool is_bound(const struct session *s, const struct result *r)
{
	const struct reference *source = &s->source[r->large];

	return is_peer(r) && source->best > 0 && (double)r->best <= BOUND * (double)source->best;
}

/* User and system time as a share of the run, percent; -1: not known. */
static double cpu_share(const struct result *r)
{
	return r->typical.cpu_ns < 0 || r->median <= 0 ? -1 : 100.0 * (double)r->typical.cpu_ns / (double)r->median;
}

/* A name, cut where there is no room for all of it. */
static void put_name(FILE *f, const char *name, int width)
{
	bool fits = (int)strlen(name) <= width;

	fprintf(f, "%.*s%s", fits ? INT_MAX : width - 3, name, fits ? "" : "...");
}

/* The cells. The column's argument tells which of several numbers is meant: by its offset, or counted from 0. */
#define CELL(name) static void name(FILE *f, const struct line *l, const struct column *c)
#define PLAIN_CELL(name) static void name(FILE *f, const struct line *l, __attribute__((unused)) const struct column *c)

PLAIN_CELL(cell_name) { fputs(l->r->name, f); }
PLAIN_CELL(cell_file) { fputs(l->s->file, f); }
PLAIN_CELL(cell_round) { fprintf(f, "%d", l->x->round); }
PLAIN_CELL(cell_outcome) { put_outcome(f, l->x ? &l->x->verdict : &l->r->verdict); }
PLAIN_CELL(cell_runs) { fprintf(f, "%d", is_timed(l->r->verdict.outcome) ? l->r->nsamples : 0); }
PLAIN_CELL(cell_mark) { fputs(mark(l->r), f); }
PLAIN_CELL(cell_bound) { fputs(is_bound(l->s, l->r) ? "source" : "", f); }

static bool is_timed_line(const struct line *l)
{
	return is_timed(l->x ? l->x->verdict.outcome : l->r->verdict.outcome);
}

/* A number that is at the column's offset: nothing for one that is missing. */
static bool put_number(FILE *f, const void *base, const struct column *c)
{
	int64_t n = *(const int64_t *)((const char *)base + c->arg);

	if (n >= 0 && c->kind == MILLISECONDS)
		fprintf(f, "%.6f", (double)n / 1e6);
	else if (n >= 0)
		fprintf(f, "%" PRId64, n);
	return n >= 0;
}

/* Of a run, or what is typical for a row. "-": a counter that the kernel does not give. */
CELL(cell_number)
{
	if (is_timed_line(l) && !put_number(f, l->x ? l->x : &l->r->typical, c) && l->x && c->in & IF_COUNTERS)
		fputc('-', f);
}

/* Best, median and worst. */
CELL(cell_of_row)
{
	if (is_timed_line(l))
		put_number(f, l->r, c);
}

/* The same for people. */
CELL(cell_time)
{
	char text[32];

	fputs(time_text(text, *(const int64_t *)((const char *)l->r + c->arg), l->s->summary.fine), f);
}

/* A number of all runs of a row, as a list of JSON. */
CELL(cell_list)
{
	fputc('[', f);
	for (int i = 0; i < l->r->nsamples && is_timed_line(l); i++) {
		fputs(i ? ", " : "", f);
		if (!put_number(f, &l->r->samples[i], c))
			fputs("null", f);
	}
	fputc(']', f);
}

#define LEFT "left the race"

/* What there is to say of an outcome but its name: the call, the command's words, or the offset. */
PLAIN_CELL(cell_detail)
{
	const struct verdict *v = l->x ? &l->x->verdict : &l->r->verdict;

	if (v->outcome == REFUSED || v->outcome == FAILED)
		fputs(v->call, f);
	else if (v->outcome == EXITED)
		fputs(v->said, f);
	else if ((v->outcome == SHORT || v->outcome == MISMATCH) && v->at >= 0)
		fprintf(f, "%" PRId64, v->at);
	else if (v->outcome == COPIED && l->r->left)
		fputs(LEFT, f);
}

/* The median of a counter for people, in at most four characters: 1234, 12k, 1.2M; the first one is a time. */
CELL(cell_count)
{
	static const char suffixes[] = " kMGTPE";
	double value = (double)l->r->typical.counts[c->arg];
	char text[32];
	int i = 0;

	if (value < 0) {
		fputc('-', f);
		return;
	}
	if (c->arg == 0) {
		fputs(time_text(text, l->r->typical.counts[0], true), f);
		return;
	}
	for (; i == 0 ? value >= 9999.5 : value >= 999.5; i++)
		value /= 1000;
	fprintf(f, "%.*f%.*s", i > 0 && value < 9.95 ? 1 : 0, value, i > 0, suffixes + i);
}

/* How far a row's best run is behind the best of all, percent. */
static double behind(const struct line *l)
{
	return percent_behind(l->r->best, l->s->summary.first->best);
}

PLAIN_CELL(cell_percent)
{
	if (is_peer(l->r) && !l->r->left)
		fprintf(f, "%.2f", behind(l));
}

PLAIN_CELL(cell_behind)
{
	if (!is_peer(l->r))
		fprintf(f, "(%s)", outcomes[l->r->verdict.outcome].key);
	else if (l->r->left)
		fprintf(f, "(%d run%s)", l->r->nsamples, l->r->nsamples == 1 ? "" : "s");
	else if (behind(l) >= 9999.5)
		fputs("(> 9999%)", f);
	else if (l->r != l->s->summary.first)
		fprintf(f, "(+ %.*f%%)", behind(l) < 99.95 ? 1 : 0, behind(l));
}

/* The same of a row in the file of that number, in short; of its fastest row the time. */
CELL(cell_in_file)
{
	const struct result *r = l->pair[c->arg].r, *first = l->pair[c->arg].s->summary.first;
	double percent = r && first ? percent_behind(r->best, first->best) : 0;
	char text[32];

	if (!r)
		fputc('-', f);
	else if (!is_peer(r))
		fprintf(f, "%.*s", r->verdict.outcome == UNTRIED ? 7 : (int)strcspn(outcomes[r->verdict.outcome].key, " "), outcomes[r->verdict.outcome].key);
	else if (r == first)
		fputs(time_text(text, r->best, r->best < FINE_BELOW), f);
	else if (r->left)
		fputs("left", f);
	else if (percent >= 9999.5)
		fputs(">9999%", f);
	else
		fprintf(f, "%+.*f%%", percent < 99.95 ? 1 : 0, percent);
	fputs(mark(r), f);
}

/* The median of a row in the file of that number. */
CELL(cell_median_in_file)
{
	const struct result *r = l->pair[c->arg].r;
	char text[32];

	if (is_peer(r))
		fputs(time_text(text, r->median, r->median < FINE_BELOW), f);
	else
		cell_in_file(f, l, c);
}

/* "~", and "*" for a row that its source holds up. */
PLAIN_CELL(cell_marks)
{
	fprintf(f, "%s%s", *mark(l->r) ? "~" : is_bound(l->s, l->r) ? " " : "", is_bound(l->s, l->r) ? "*" : "");
}

/* From 10 CPUs on their number. */
PLAIN_CELL(cell_cpu)
{
	double share = cpu_share(l->r);

	if (is_timed(l->r->verdict.outcome) && share >= 0 && (share < 100 - CPU_SHOWN || share > 100 + CPU_SHOWN))
		fprintf(f, share < 999.5 ? "%.0f%%" : "%.0fx", share < 999.5 ? share : share / 100);
}

/* Speed, the best row's being BAR_WIDTH characters. */
PLAIN_CELL(cell_bar)
{
	int64_t most = is_peer(l->r) ? l->s->summary.first->best : 0, best = l->r->best ? l->r->best : 1;

	for (int64_t i = 0; i < (BAR_WIDTH * most + best / 2) / best && i < BAR_WIDTH; i++)
		fputc('=', f);
}

static double ratio_part(const struct ratio *ratio, int which)
{
	return which == 0 ? ratio->estimate : which == 1 ? ratio->low : ratio->high;
}

/* The ratio to the recommended row, with its interval, but for that row itself; or to the first file's row. */
CELL(cell_ratio)
{
	double ratio = ratio_part(l->pair ? &l->pair->ratio : &l->r->ratio, c->arg);

	if (is_peer(l->r) && ratio > 0 && (!c->arg || l->pair || l->r != l->s->summary.recommended))
		fprintf(f, "%.4f", ratio);
}

/* A ratio for people, as percent. */
static void put_percent(FILE *f, double ratio)
{
	double percent = 100 * ratio - 100;

	if (percent < 9999.5)
		fprintf(f, "%+.*f%%", percent < 999.95 ? 1 : 0, percent);
	else
		fputs("> 9999%", f);
}

/* The same of an interval. */
static void put_interval(FILE *f, const struct ratio *ratio)
{
	if (ratio->low > 0)
		fprintf(f, "%+.*f to ", ratio->low < 10.9995 ? 1 : 0, 100 * ratio->low - 100), put_percent(f, ratio->high);
	else
		fputc('-', f);
}

PLAIN_CELL(cell_estimate) { if (is_peer(l->r)) put_percent(f, l->r->ratio.estimate); }
PLAIN_CELL(cell_interval) { if (is_peer(l->r) && l->r != l->s->summary.recommended) put_interval(f, &l->r->ratio); }
PLAIN_CELL(cell_beaten_by) { fputs(l->r->beaten_by ? l->r->beaten_by->name : "", f); }
PLAIN_CELL(cell_u) { if (l->r->beaten_by) fprintf(f, "%.1f", twice_u(l->r, l->r->beaten_by) / 2.0); }
PLAIN_CELL(cell_p) { if (l->r->beaten_by) fprintf(f, "%.3g", p_value(l->r, l->r->beaten_by)); }

CELL(cell_change) { fputs(change_words[l->pair[c->arg].change], f); }
PLAIN_CELL(cell_change_percent) { if (l->pair[1].change) put_percent(f, l->pair[1].ratio.estimate); }
PLAIN_CELL(cell_change_interval) { if (l->pair[1].change) put_interval(f, &l->pair[1].ratio); }

#define OF(field) ((int)offsetof(struct result, field))
#define OF_RUN(field) ((int)offsetof(struct sample, field))

/* To add a column: write its cell, and add it here: of tables for people, or of reports for programs. */
static const struct column columns[] = {
	/* key, in, kind, cell, arg, gap, width, title */
	{ "", TEXT | MARKDOWN | PICTURE | RATIOS,            STRING, cell_name, 0,      0, -NAME_WIDTH,        "row" },
	{ "", COUNTS,                                        STRING, cell_name, 0,      0, -COUNTS_NAME_WIDTH, "row" },
	{ "", TEXT | MARKDOWN | PICTURE,                     STRING, cell_time, OF(best), 0, 7,                  "best" },
	{ "", TEXT | MARKDOWN,                               STRING, cell_time, OF(median), 1, 7,                  "median" },
	{ "", TEXT | MARKDOWN | WIDE,                        STRING, cell_time, OF(worst), 1, 7,                  "worst" },
	{ "", TEXT | MARKDOWN | PICTURE,                     STRING, cell_behind, 0,      1, -9,                 "behind" },
	{ "", TEXT | MARKDOWN | PICTURE,                     STRING, cell_marks, 0,      1, -2,                 "" },
	{ "", TEXT | MARKDOWN | WIDE,                        STRING, cell_cpu, 0,      0, 4,                  "CPU" },
	{ "", TERMINAL,                                      STRING, cell_bar, 0,      2, -BAR_WIDTH,         "" },
	{ "", RATIOS,                                        STRING, cell_runs, 0,      0, 8,                  "runs" },
	{ "", RATIOS,                                        STRING, cell_estimate, 0,      1, 8,                  "behind" },
	{ "", RATIOS,                                        STRING, cell_interval, 0,      2, -20,                "95 % interval" },
	{ "", COUNTS | MARKDOWN | IF_COUNTERS,               STRING, cell_count, 0,      0, 7,                  "clock" },
	{ "", COUNTS | MARKDOWN | IF_COUNTERS,               STRING, cell_count, 1,      0, 5,                  "ctxt" },
	{ "", COUNTS | MARKDOWN | IF_COUNTERS,               STRING, cell_count, 2,      0, 5,                  "migr" },
	{ "", COUNTS | MARKDOWN | IF_COUNTERS,               STRING, cell_count, 3,      0, 6,                  "fault" },
	{ "", COUNTS | MARKDOWN | IF_COUNTERS,               STRING, cell_count, 4,      0, 6,                  "cycle" },
	{ "", COUNTS | MARKDOWN | IF_COUNTERS,               STRING, cell_count, 5,      0, 6,                  "instr" },
	{ "", COUNTS | MARKDOWN | IF_COUNTERS,               STRING, cell_count, 6,      0, 6,                  "brnch" },
	{ "", COUNTS | MARKDOWN | IF_COUNTERS,               STRING, cell_count, 7,      0, 5,                  "miss" },
	{ "", CHANGES,                                       STRING, cell_change_percent, 0,      1, 8,                  "change" },
	{ "", CHANGES,                                       STRING, cell_change, 1,      2, -12,                "" },
	{ "", CHANGES | IF_VERBOSE,                          STRING, cell_change_interval, 0,      2, -20,                "95 % interval" },
	{ "row",                CSV | PAIRS,             STRING, cell_name, 0, 0, 0, "row" },
	{ "name",               JSON,                    STRING, cell_name, 0, 0, 0, "the row's name" },
	{ "file",               PAIRS,                   STRING, cell_file, 0, 0, 0, "file" },
	{ "round",              CSV,                     NUMBER, cell_round, 0, 0, 0, "from 1" },
	{ "ns",                 CSV,                     NUMBER, cell_number, OF_RUN(ns), 0, 0,
	  "the run's time, set-up included; nothing where it was not timed" },
	{ "outcome",            CSV | JSON | PAIRS,      STRING, cell_outcome, 0, 0, 0,
	  "ok, shared, untouched, n/a ERRNO, failed ERRNO, failed exit N, failed signal N, failed short, failed changed, or mismatch" },
	{ "runs_ns",            JSON,                    NUMBER, cell_list, OF_RUN(ns), 0, 0, "times of all runs, in the order of time" },
	{ "best_ns",            JSON | PAIRS,            NUMBER, cell_of_row, OF(best), 0, 0, "the fastest run" },
	{ "median_ns",          JSON | PAIRS,            NUMBER, cell_of_row, OF(median), 0, 0, "the median" },
	{ "worst_ns",           JSON,                    NUMBER, cell_of_row, OF(worst), 0, 0, "the slowest run" },
	{ "percent",            JSON | PAIRS,            NUMBER, cell_percent, 0, 0, 0,
	  "how far the best run is behind the first row's; nothing for a row that left a race" },
	{ "cpu_ms",             CSV | JSON,              MILLISECONDS, cell_number, OF_RUN(cpu_ns), 0, 0,
	  "user and system time of the run, or the median, milliseconds" },
	{ "runs_cpu_ms",        JSON,                    MILLISECONDS, cell_list, OF_RUN(cpu_ns), 0, 0, "the same of all runs" },
	{ "resident",           CSV | IF_COLD,           NUMBER, cell_number, OF_RUN(resident), 0, 0,
	  "bytes of the input that were in the page cache at the start" },
	{ "task_clock_ms",      CSV | JSON | IF_COUNTERS, MILLISECONDS, cell_number, OF_RUN(counts[0]), 0, 0,
	  "medians of perf_event_open(2), with the kernel's share: milliseconds of CPU time" },
	{ "context_switches",   CSV | JSON | IF_COUNTERS, NUMBER, cell_number, OF_RUN(counts[1]), 0, 0, "times that another was run" },
	{ "cpu_migrations",     CSV | JSON | IF_COUNTERS, NUMBER, cell_number, OF_RUN(counts[2]), 0, 0, "moves to another CPU" },
	{ "page_faults",        CSV | JSON | IF_COUNTERS, NUMBER, cell_number, OF_RUN(counts[3]), 0, 0, "faults" },
	{ "cycles",             CSV | JSON | IF_COUNTERS, NUMBER, cell_number, OF_RUN(counts[4]), 0, 0, "of the CPU" },
	{ "instructions",       CSV | JSON | IF_COUNTERS, NUMBER, cell_number, OF_RUN(counts[5]), 0, 0, "that it has retired" },
	{ "branches",           CSV | JSON | IF_COUNTERS, NUMBER, cell_number, OF_RUN(counts[6]), 0, 0, "of these" },
	{ "branch_misses",      CSV | JSON | IF_COUNTERS, NUMBER, cell_number, OF_RUN(counts[7]), 0, 0, "that were predicted wrongly" },
	{ "mark",               JSON | PAIRS,            STRING, cell_mark, 0, 0, 0, "~: it may be the fastest" },
	{ "beaten_by",          JSON,                    STRING, cell_beaten_by, 0, 0, 0,
	  "a row that is faster: by the test, or where runs are too few, by complete separation" },
	{ "u",                  JSON,                    NUMBER, cell_u, 0, 0, 0,
	  "Mann and Whitney's U of its runs against that row's" },
	{ "p",                  JSON,                    NUMBER, cell_p, 0, 0, 0,
	  "and the probability of such a U, or a smaller one, for equal rows, one-sided" },
	{ "ratio",              JSON | PAIRS,            NUMBER, cell_ratio, 0, 0, 0,
	  "Hodges and Lehmann's estimate of its time relative to the recommended row's (of several files: to the first file's)" },
	{ "ratio_low",          JSON | PAIRS,            NUMBER, cell_ratio, 1, 0, 0, "a 95 % interval of it" },
	{ "ratio_high",         JSON | PAIRS,            NUMBER, cell_ratio, 2, 0, 0, "where the runs are enough" },
	{ "change",             PAIRS,                   STRING, cell_change, 0, 0, 0,
	  "faster, slower, ~ for neither, or too few runs" },
	{ "runs",               JSON | PAIRS,            NUMBER, cell_runs, 0, 0, 0, "how many count" },
	{ "bound",              JSON | IF_SOURCE,        STRING, cell_bound, 0, 0, 0, "source: its input held it up" },
	{ "saved_bytes",        CSV | JSON | IF_SAVED,   NUMBER, cell_number, OF_RUN(saved), 0, 0,
	  "zeros left out of each output" },
	{ "completions",        CSV | JSON | IF_SENT,    NUMBER, cell_number, OF_RUN(completions), 0, 0,
	  "sends without copying that the kernel completed" },
	{ "completions_copied", CSV | JSON | IF_SENT,    NUMBER, cell_number, OF_RUN(copied), 0, 0,
	  "and that it copied all the same" },
	{ "detail",             CSV | JSON,              STRING, cell_detail, 0, 0, 0,
	  "of the outcome: the call that was refused or failed, a command's words, or the offset of the first wrong byte" },
};

/* Does a column belong there, in a session with these options? */
static bool is_shown(const struct column *c, const struct session *s, int in)
{
	return c->in & in && (s->opt.counters || !(c->in & IF_COUNTERS)) && (s->opt.cold || !(c->in & IF_COLD))
	    && (has_source(s) || !(c->in & IF_SOURCE)) && (s->has_saved || !(c->in & IF_SAVED))
	    && (s->has_completions || !(c->in & IF_SENT)) && (s->opt.verbose || !(c->in & IF_VERBOSE));
}

static void add_column(struct grid *g, const struct column *c)
{
	g->columns = realloc(g->columns, (g->ncolumns + 1) * sizeof *g->columns);
	if (!g->columns)
		die_errno("memory", "realloc");
	g->columns[g->ncolumns++] = *c;
}

/* A grid with room for so many lines, and the columns of columns[] that belong there. */
static struct grid begin_grid(const struct session *s, int in, int room)
{
	struct grid g = { .lines = allocate(room, sizeof *g.lines) };

	for (int i = 0; i < LENGTH(columns); i++)
		if (is_shown(&columns[i], s, in))
			add_column(&g, &columns[i]);
	return g;
}

static void end_grid(struct grid *g)
{
	free(g->columns);
	free(g->lines);
}

/* The rows of a session: all, or those that were timed. */
static struct grid grid_of_rows(const struct session *s, int in, bool all)
{
	struct grid g = begin_grid(s, in, s->nresults);

	for (int i = 0; i < s->nresults; i++)
		if (all || is_timed(s->ranked[i]->verdict.outcome))
			g.lines[g.nlines++] = (struct line){ .s = s, .r = s->ranked[i] };
	return g;
}

/* A cell's text, to be freed; no line: the column's title. */
static char *cell_text(const struct column *c, const struct line *l)
{
	struct text text;

	begin_text(&text);
	if (l)
		c->cell(text.f, l, c);
	else
		fputs(c->title, text.f);
	return end_text(&text);
}

/* Makes a grid fit so many characters: it loses its wide columns, and then its first one, the names, gets what is left. */
static void fit(struct grid *g, int width)
{
	int used = 0, kept = 0;

	for (int i = 0; i < g->ncolumns; i++)
		if (width >= TEXT_WIDTH || !(g->columns[i].in & WIDE))
			g->columns[kept++] = g->columns[i];
	g->ncolumns = kept;
	for (int i = 1; i < kept; i++)
		used += g->columns[i].gap + abs(g->columns[i].width);
	if (kept > 0 && used - g->columns->width > width)
		g->columns->width = -(width - used > NAME_LEAST ? width - used : NAME_LEAST);
}

/* The columns' titles and the lines, without blanks at their ends; the line of one row between two texts. */
static void put_text_grid(FILE *f, const struct grid *g, const struct result *bright, const char *on, const char *off)
{
	for (int i = g->nlines ? -1 : 0; i < g->nlines; i++) {
		bool shines = i >= 0 && bright && g->lines[i].r == bright;
		int blanks = 0; /* owed to the next cell that is not empty; below 0 where one was too wide */

		fputs(shines ? on : "", f);
		for (const struct column *c = g->columns; c < g->columns + g->ncolumns; c++) {
			char *text = cell_text(c, i < 0 ? NULL : &g->lines[i]);
			int width = abs(c->width), used = (int)strlen(text), fill;

			if (c->cell == cell_name && used > width)
				memcpy(text + (used = width) - 3, "...", 4);
			fill = used ? width - used : width;
			blanks += c->gap + (c->width > 0 ? fill : 0);
			if (used) {
				int gap = blanks > 0 ? blanks : c->gap > 0;

				fprintf(f, "%*s%s", gap, "", text);
				blanks -= gap;
			}
			blanks += c->width < 0 ? fill : 0;
			free(text);
		}
		fputs(shines ? off : "", f);
		fputc('\n', f);
	}
}

/* Text as it is, where some characters mean something else: those become entities, or stand behind an escape. */
static void put_escaped(FILE *f, const char *text, const char *entities, const char *special, const char *behind)
{
	static const char all[] = "&<>\"'", *const names[] = { "amp", "lt", "gt", "quot", "apos" };

	for (; *text; text++)
		if (strchr(entities, *text))
			fprintf(f, "&%s;", names[strchr(all, *text) - all]);
		else
			fprintf(f, "%s%c", strchr(special, *text) ? behind : "", *text);
}

/* In XML 1.0, between tags or quotes. */
static void put_xml(FILE *f, const char *text)
{
	put_escaped(f, text, "&<>\"'", "", "");
}

/* In Markdown, so that it makes no link, no picture and no HTML (GitHub Flavored Markdown, 2.4 and 2.5). */
static void put_markdown(FILE *f, const char *text)
{
	put_escaped(f, text, "&<>", "\\`*[]|", "\\");
}

/* A field as RFC 4180 has it. */
static void put_csv(FILE *f, const char *text)
{
	bool quote = text[strcspn(text, ",\"\r\n")] || *text == '#'; /* a line that begins so would be a comment */

	fputs(quote ? "\"" : "", f);
	put_escaped(f, text, "", "\"", "\"");
	fputs(quote ? "\"" : "", f);
}

/* A string as RFC 8259 has it; bytes that are no UTF-8 are passed on. */
static void put_json(FILE *f, const char *text)
{
	fputc('"', f);
	for (; *text; text++)
		if ((unsigned char)*text < ' ')
			fprintf(f, "\\u%04x", *text);
		else
			fprintf(f, "%s%c", *text == '"' || *text == '\\' ? "\\" : "", *text);
	fputc('"', f);
}

/* "key": "text", or "key": 1, or "key": null where there is no number. */
static void put_json_member(FILE *f, const char *key, const char *text, bool quoted)
{
	put_json(f, key);
	fputs(": ", f);
	if (quoted)
		put_json(f, text);
	else
		fputs(*text ? text : "null", f);
}

/* A table as GitHub's Markdown has it (4.10). */
static void put_markdown_grid(FILE *f, const struct grid *g)
{
	for (int i = -2; i < g->nlines; i++) {
		for (const struct column *c = g->columns; c < g->columns + g->ncolumns; c++) {
			char *text = i == -1 ? strdup(c->width < 0 ? ":--" : "--:") : cell_text(c, i < 0 ? NULL : &g->lines[i]);

			fputs("| ", f);
			put_markdown(f, text);
			fputc(' ', f);
			free(text);
		}
		fputs("|\n", f);
	}
	fputc('\n', f);
}

/* The columns' keys and the lines. */
static void put_csv_grid(FILE *f, const struct grid *g)
{
	for (int i = -1; i < g->nlines; i++) {
		for (const struct column *c = g->columns; c < g->columns + g->ncolumns; c++) {
			char *text = i < 0 ? strdup(c->key) : cell_text(c, &g->lines[i]);

			fputs(c > g->columns ? "," : "", f);
			put_csv(f, text);
			free(text);
		}
		fputc('\n', f);
	}
}

/* "rows": a list of objects. */
static void put_json_grid(FILE *f, const struct grid *g)
{
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

/* Characters up to the next place where a line may be broken: not in the "$ cat" of a --with row, and not before a unit. */
static int word_length(const char *text)
{
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
static void put_wrapped(FILE *f, const char *text, int width, int column, int indent)
{
	while (*text) {
		int word = word_length(text), space;

		word = word < width - indent || width <= indent ? word : width - indent; /* a long one is cut */
		space = (int)strspn(text + word, " ");
		if (column > indent && column + word > width)
			column = fprintf(f, "\n%*s", indent, "") - 1;
		column += fprintf(f, "%.*s", word, text);
		text += word;
		if (*text && column + space + word_length(text + space) <= width)
			column += fprintf(f, "%*s", space, "");
		else if (*text)
			column = width;
		text += space;
	}
	fputc('\n', f);
}

/* ---- Notes: what stands below a table, in sentences ---------------------------------------- */

__attribute__((format(printf, 2, 3)))
static void note(struct list *notes, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	append(notes, format_text(format, args));
	va_end(args);
}

static void drop_notes(struct list *notes)
{
	for (int i = 0; i < notes->n; i++)
		free((char *)notes->item[i]);
	free(notes->item);
	*notes = (struct list){ .n = 0 };
}

static const char *plural(int64_t n)
{
	return n == 1 ? "" : "s";
}

static bool same_verdict(const struct verdict *a, const struct verdict *b)
{
	return a->outcome == b->outcome && a->err == b->err
	    && (a->call == b->call || (a->call && b->call && !strcmp(a->call, b->call)))
	    && a->status == b->status && (a->outcome != EXITED || !strcmp(a->said, b->said))
	    && (a->outcome != MISMATCH || a->at == b->at);
}

/* Is no row with that verdict ranked before this one? */
static bool is_first_of_verdict(const struct session *s, int row)
{
	for (int i = 0; i < row; i++)
		if (same_verdict(&s->ranked[i]->verdict, &s->ranked[row]->verdict))
			return false;
	return true;
}

/* The rows that share a verdict; where that is not wanted not all of them. */
static void put_names(FILE *f, const struct session *s, int first)
{
	int n = 0;

	for (int i = first; i < s->nresults; i++)
		if (same_verdict(&s->ranked[i]->verdict, &s->ranked[first]->verdict) && (n++ < NAMES_SHOWN || s->opt.verbose))
			fputs(i > first ? ", " : "", f), put_name(f, s->ranked[i]->name, s->opt.verbose ? INT_MAX : NAME_WIDTH);
	if (n > NAMES_SHOWN && !s->opt.verbose)
		fprintf(f, " and %d more", n - NAMES_SHOWN);
}

/* All rows that are n/a for one errno, with the calls that said so, unless one before this row is. */
static void note_refusal(struct list *notes, const struct session *s, int first)
{
	int err = s->ranked[first]->verdict.err;
	struct text text;
	char name[32];

	begin_text(&text);
	for (int i = 0; i < s->nresults; i++) {
		const struct verdict *v = &s->ranked[i]->verdict;

		if (v->outcome != REFUSED || v->err != err || !is_first_of_verdict(s, i))
			continue;
		if (i < first) {
			free(end_text(&text));
			return;
		}
		fputs(i > first ? "; " : "", text.f);
		put_names(text.f, s, i);
		fprintf(text.f, ": %s", v->call);
	}
	note(notes, "n/a: %s: %s.", end_text(&text), errno_name(name, err));
	free(text.chars);
}

/* All rows that share another verdict, and why. */
static void note_verdict(struct list *notes, const struct session *s, int first)
{
	const struct verdict *v = &s->ranked[first]->verdict;
	const char *words = outcomes[v->outcome].words, *names;
	struct text text;
	char why[200];

	begin_text(&text);
	put_names(text.f, s, first);
	names = end_text(&text);
	if (v->outcome == FAILED)
		note(notes, "%s: %s: %s: %s.", words, names, v->call, errno_text(why, v->err));
	else if (v->outcome == EXITED)
		note(notes, "%s: %s: %s %d%s%s.", words, names, WIFSIGNALED(v->status) ? "killed by signal"
		    : "exit status", WIFSIGNALED(v->status) ? WTERMSIG(v->status) : WEXITSTATUS(v->status), *v->said ? ": " : "", v->said);
	else if (v->outcome == MISMATCH && v->at >= 0)
		note(notes, "%s: %s: differs from the input at byte %" PRId64 "%s.", words, names, v->at,
		    s->ranked[first]->command ? ", though with exit status 0" : "");
	else
		note(notes, "%s: %s.", words, names);
	free(text.chars);
}

/* What became of the rows that were not timed, or whose data did not move: failures, or the others. */
static void note_verdicts(struct list *notes, const struct session *s, bool failures)
{
	for (int i = 0; i < s->nresults; i++) {
		enum outcome outcome = s->ranked[i]->verdict.outcome;

		if (outcome != COPIED && (outcome >= FAILED) == failures && is_first_of_verdict(s, i))
			(outcome == REFUSED ? note_refusal : note_verdict)(notes, s, i);
	}
	if (failures && is_fact(s, "interrupted"))
		note(notes, "Interrupted %s.", fact(s, "interrupted"));
}

/* Why the row with the best run is not the recommended one. */
static void put_reason(FILE *f, const struct session *s)
{
	const struct result *first = s->summary.first, *r = s->summary.recommended;
	char best[32];

	fprintf(f, " Not %s: best run %s, but ", first->name, time_text(best, first->best, s->summary.fine));
	if (first->left)
		fputs("it left the race early.", f);
	else if (first->median > r->median && (double)first->median > ENOUGH * (double)r->median)
		fprintf(f, "its median is %.0f %% behind.", percent_behind(first->median, r->median));
	else if (first->beaten_by)
		fprintf(f, "%s beats it.", first->beaten_by->name);
	else
		fputs("of rows within 2 % the one with less CPU time is taken, or the plainer.", f);
}

/* How much faster the recommended row is than what people use today. */
static void put_lead(FILE *f, const struct session *s)
{
	for (int i = 0; i < s->nresults; i++) {
		const struct result *r = s->ranked[i];

		if (!r->command || !is_peer(r) || r == s->summary.recommended)
			continue;
		fputs(", ", f);
		fprintf(f, "%.2f times as fast as ", r->ratio.estimate);
		put_name(f, r->command, COMMAND_SHOWN);
		if (r->ratio.low > 0)
			fprintf(f, " (95 %%: %.2f to %.2f)", r->ratio.low, r->ratio.high);
	}
}

/* The sentence that the table comes down to. */
static void put_recommendation(FILE *f, const struct session *s)
{
	const struct reference *m = &s->memcpy;
	const struct result *r = s->summary.recommended;
	char text[32];

	fprintf(f, "%s%s", s->summary.copies > 1 ? "Use " : "", r->name);
	if (s->len > 0)
		fprintf(f, ": %s", speed_text(text, speed(s->len, r->median)));
	if (cpu_share(r) >= 0)
		fprintf(f, " with %.1f CPU%s", cpu_share(r) / 100, cpu_share(r) >= 95 && cpu_share(r) < 105 ? "" : "s");
	if (m->best > 0 && m->bytes > 0 && s->len > 0)
		fprintf(f, ", %.0f %% of memcpy", 100 * speed(s->len, r->median) / speed(m->bytes, m->best));
	put_lead(f, s);
	fputc('.', f);
	if (s->summary.first != r)
		put_reason(f, s);
}

/* How many rows may be the fastest, what that is worth, and what would tell more. */
static void note_candidates(struct list *notes, const struct session *s)
{
	const struct summary *sum = &s->summary;
	int runs = sum->first ? sum->first->nsamples : 0, more = fewest_runs(sum->level);
	bool few = sum->untested == sum->copies;
	char ask[64];

	if (sum->copies < 2)
		return;
	more = few ? more : runs >= 10 ? 2 * runs : 10;
	if (s->opt.race)
		snprintf(ask, sizeof ask, "--race=%" PRId64, 2 * s->opt.race);
	else
		snprintf(ask, sizeof ask, few ? "-n %d" : "-n %d or --race", more);
	if (runs < 2)
		note(notes, "One run recommends nothing: use %s.", ask);
	else if (few)
		note(notes, "~: %d of %d rows may be fastest. %d runs give %.2g %% false alarms per row: use %s.", sum->candidates,
		    sum->copies, runs, 100 * false_alarms(runs, runs), ask);
	else
		note(notes, "~: %d of %d rows may be fastest (95 %% confidence)%s%s%s.", sum->candidates, sum->copies, sum->candidates > 1 ? "; " : "",
		    sum->candidates > 1 ? ask : "", sum->candidates > 1 ? " tells more" : "");
}

/* How fast the input is by itself, and which rows have waited for it. */
static void note_source(struct list *notes, const struct session *s)
{
	char speeds[2][32] = { "-", "-" };
	int bound = 0;

	for (int i = 0; i < s->nresults; i++)
		bound += is_bound(s, &s->results[i]);
	for (int i = 0; i < 2; i++)
		if (s->source[i].best > 0 && s->len > 0)
			speed_text(speeds[i], speed(s->len, s->source[i].best));
	if (has_source(s) && (bound > 0 || s->opt.verbose))
		note(notes, "*: %d of %d rows waited for the input, which gives %s alone, %s by a pipe of 1m.", bound, s->summary.copies,
		    speeds[0], speeds[1]);
}

/* A fact in a sentence, between what comes before and after it; of one thing without the last letter. */
struct part {
	const char *key, *before, *after;
};

/* A note of facts that so many sessions share. */
static void note_facts(struct list *notes, const char *title, const struct session *s, int n, const struct part *parts, int nparts)
{
	struct text text;
	char size[32];
	int told = 0;

	begin_text(&text);
	for (const struct part *p = parts; p < parts + nparts; p++) {
		const struct fact_row *row = find_fact_row(p->key);
		const char *value = fact(s, p->key);
		int shared = 0, after = (int)strlen(p->after);

		while (shared < n && is_fact(&s[shared], p->key) && !strcmp(fact(&s[shared], p->key), value))
			shared++;
		if (shared < n)
			continue;
		after -= after && p->after[after - 1] == 's' && !strcmp(value, "1");
		value = row && row->kind == IS_SIZE ? size_text(size, strtoll(value, NULL, 10))
		    : row && row->kind == IS_TIME ? time_text(size, strtoll(value, NULL, 10), true) : value;
		fprintf(text.f, "%s%s%.*s", p->before + (told++ ? 0 : strspn(p->before, ",; ")), value, after, p->after);
	}
	end_text(&text);
	if (told)
		note(notes, "%s%s%s", title, text.chars, text.chars[strlen(text.chars) - 1] == '.' ? "" : ".");
	free(text.chars);
}

/* A note for each of some facts. */
static void note_each(struct list *notes, const struct session *s, const struct part *parts, int nparts)
{
	for (int i = 0; i < nparts; i++)
		note_facts(notes, "", s, 1, &parts[i], 1);
}

/* The machine and the method; of a report by somebody else what it tells. */
static void note_provenance(struct list *notes, const struct session *s)
{
	bool seeded = is_fact(s, "seed");
	const struct part parts[] = {
		{ "cpu", "", "" }, { "cpus", ", ", " CPUs" }, { "memory_bytes", ", ", "" }, { "until", "; until ", "" },
		{ "page_cache", ", ", "" }, { "race", "; a race of ", " runs" }, { "runs", "; ", " runs" },
		{ seeded ? "seed" : "order", seeded ? ", seed " : ", ", "" }, { "version", "; ", "" },
	};

	note_facts(notes, "", s, 1, parts, LENGTH(parts));
}

static void note_warnings(struct list *notes, const struct session *s)
{
	for (int i = 0; i < s->nfacts; i++)
		if (!strncmp(s->facts[i].key, "warning_", 8))
			note(notes, "Warning: %s.", s->facts[i].value);
}

/* The zeros that rows have left out, and what became of sends without copying. */
static void note_runs(struct list *notes, const struct session *s)
{
	char size[32];

	for (int i = 0; i < s->nresults; i++) {
		const struct result *r = s->ranked[i];
		const struct sample *x = r->nsamples ? &r->samples[r->nsamples - 1] : NULL;

		if (!x || !is_timed(r->verdict.outcome))
			continue;
		if (s->has_saved && x->saved >= 0)
			note(notes, "%s left %s of zeros out of each output, as holes.", r->name, size_text(size, x->saved));
		if (s->has_completions && x->completions >= 0 && x->copied >= 0)
			note(notes, "%s: the kernel copied %" PRId64 " of %" PRId64 " sends all the same.", r->name, x->copied, x->completions);
		else if (s->has_completions && x->completions >= 0)
			note(notes, "%s: %" PRId64 " sends; Linux 6.2 would tell which were copied all the same.", r->name, x->completions);
	}
}

/* All that is known besides: how the verdict came about, and what the clock does not cover. */
static void note_details(struct list *notes, const struct session *s)
{
	const struct reference *m = &s->memcpy;
	const struct summary *sum = &s->summary;
	static const struct part order[] = { { "order", "Order: ", "" }, { "pause_s", ", ", " s apart" }, { "warmup", ", after ", " rounds" } };
	static const struct part others[] = {
		{ "verified", "Verified: ", "." }, { "thrown_away", "Repeated, since something stood still or a clock jumped: ", " runs" },
		{ "memcpy_error", "memcpy was not measured: ", "." }, { "reset_ns", "Set-up of the ends (untimed): ", " per run." }, { "input", "Input: ", "." },
		{ "output", "Output: ", "." }, { "second_output", "Second output: ", "." }, { "date", "Date: ", "." },
	};
	char time[32], size[32], text[32];

	if (sum->copies > 1 && sum->untested < sum->copies)
		note(notes, "A row without ~ is slower than another by an exact one-sided Mann-Whitney test at %.2g %%, which is %.3g %% over %d rows.",
		    100 * sum->level, 100 * LEVEL, sum->copies);
	if (sum->copies > 1 && sum->untested > 0)
		note(notes, "%d row%s with too few runs for that test: without ~ if each run took longer than each of %s.", sum->untested,
		    plural(sum->untested), sum->first->name);
	if (sum->noise >= 0)
		note(notes, "Control: %s, run twice a round, came out %.2g %% apart; a smaller difference is none.", s->control_of->name, sum->noise);
	note_facts(notes, "", s, 1, order, LENGTH(order));
	if (m->best > 0 && m->bytes > 0)
		note(notes, "memcpy of %s in the same rounds: best %s, %s.", size_text(size, m->bytes), time_text(time, m->best, true),
		    speed_text(text, speed(m->bytes, m->best)));
	note_runs(notes, s);
	note_each(notes, s, others, LENGTH(others));
}

/* What was asked for, and how the file systems were mounted. */
static void note_command(struct list *notes, const struct session *s)
{
	static const struct part parts[] = {
		{ "command_line", "", "" }, { "output_mount", "; output on ", "" }, { "second_output_mount", "; second output on ", "" },
		{ "input_mount", "; input on ", "" }, { "governor", "; governor ", "" },
	};

	note_facts(notes, "Ran: ", s, 1, parts, LENGTH(parts));
}

/* What stands below the table, the most important first. */
static struct list make_notes(const struct session *s)
{
	static const struct part conditions_told[] = {
		{ "size_asked", "The input has fewer bytes than --size asked for: ", "." }, { "output_state", "Output overwritten: ", "." },
		{ "shortened", "Shortened: ", "." }, { "input_state", "", "." },
	};
	struct list notes = { .n = 0 };

	note_verdicts(&notes, s, true);
	if (s->opt.quiet)
		return notes;
	if (s->summary.recommended)
		note(&notes, "%s", fact(s, "recommendation"));
	note_candidates(&notes, s);
	note_source(&notes, s);
	note_each(&notes, s, conditions_told, LENGTH(conditions_told));
	if (s->opt.counters)
		note(&notes, "Medians of perf_event_open(2), with the kernel's share.%s%s%s", is_fact(s, "counters") ? " -: " : "",
		    is_fact(s, "counters") ? fact(s, "counters") : "", is_fact(s, "counters") ? "." : "");
	note_verdicts(&notes, s, false);
	note_warnings(&notes, s);
	if (s->opt.verbose)
		note_details(&notes, s);
	note_command(&notes, s);
	note_provenance(&notes, s);
	return notes;
}

static int count_lines(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* Notes as lines of text. Where they are to be few, those that have no room are only counted: the last one, which tells where it was
 * measured, always has. */
static void put_notes(FILE *f, struct list *notes, int width, int most)
{
	char **wrapped = allocate(notes->n, sizeof *wrapped);
	int lines = 0, last = notes->n - 1, left = most, skipped = 0;
	struct text text;

	for (int i = 0; i <= last; i++) {
		put_wrapped(begin_text(&text), notes->item[i], width, 0, 2);
		wrapped[i] = end_text(&text);
		lines += count_lines(wrapped[i]);
	}
	if (lines > most)
		left -= 1 + count_lines(wrapped[last]); /* and a line that counts the others */
	for (int i = 0; i <= last; i++) {
		int n = count_lines(wrapped[i]);

		if (i == last && skipped)
			fprintf(f, "%d more note%s: --verbose.\n", skipped, plural(skipped));
		if (i == last || n <= left) {
			fputs(wrapped[i], f);
			left -= n;
		} else {
			skipped++;
		}
		free(wrapped[i]);
	}
	free(wrapped);
	drop_notes(notes);
}

/* The same as a list of Markdown; an item may be as long as it likes. */
static void put_markdown_notes(FILE *f, struct list *notes, int most)
{
	int kept = notes->n <= most ? notes->n : most - 2;

	for (int i = 0; i < notes->n; i++) {
		if (i == kept && i < notes->n - 1)
			fprintf(f, "- %d more notes: --verbose.\n", notes->n - 1 - kept);
		if (i >= kept && i < notes->n - 1)
			continue;
		fputs("- ", f);
		put_markdown(f, notes->item[i]);
		fputc('\n', f);
	}
	drop_notes(notes);
}

/* ---- Formats of one report ------------------------------------------------------------------ */

/* Characters that a line of text may have. */
static int text_width(FILE *f)
{
	int width = terminal_width(f);

	return width ? width : TEXT_WIDTH;
}

static void put_heading(FILE *f, const char *heading, int width)
{
	struct text text;
	char *line, *rest;
	size_t longest = 0;

	put_wrapped(begin_text(&text), heading, width, 0, 0);
	rest = end_text(&text);
	fputs(rest, f);
	for (char *from = rest; (line = strsep(&from, "\n"));)
		longest = strlen(line) > longest ? strlen(line) : longest;
	for (; longest > 0; longest--)
		fputc('-', f);
	fputs("\n\n", f);
	free(rest);
}

/* Colour is for terminals that have it, and people who want it. */
static bool has_colour(FILE *f)
{
	const char *no_color = getenv("NO_COLOR");

	return has_escapes(f) && !(no_color && *no_color);
}

static void report_text(FILE *f, const struct session *s)
{
	int width = text_width(f), table = width < TEXT_WIDTH ? width : TEXT_WIDTH;
	struct grid g = grid_of_rows(s, width > TEXT_WIDTH + BAR_WIDTH && has_colour(f) ? TEXT | TERMINAL : TEXT, false);
	struct list notes = make_notes(s);
	int further[] = { s->opt.counters ? COUNTS : 0, s->opt.verbose && s->summary.copies > 1 ? RATIOS : 0 };

	put_heading(f, fact(s, "heading"), width);
	fit(&g, width);
	put_text_grid(f, &g, has_colour(f) ? s->summary.recommended : NULL, "\033[1;32m", "\033[0m");
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
	put_notes(f, &notes, table, s->opt.verbose ? INT_MAX : NOTE_LINES);
}

static void report_markdown(FILE *f, const struct session *s)
{
	struct grid g = grid_of_rows(s, MARKDOWN, false);
	struct list notes = make_notes(s);

	fputs("### ", f);
	put_markdown(f, fact(s, "heading"));
	fputs("\n\n", f);
	put_markdown_grid(f, &g);
	end_grid(&g);
	put_markdown_notes(f, &notes, s->opt.verbose ? INT_MAX : NOTE_LINES);
}

/* Is it a number as JSON has them (RFC 8259, 6)? A file by somebody else may have anything. */
static bool is_number(const char *text)
{
	static const char digits[] = "0123456789";
	size_t n = strspn(text, digits);

	if (n > 1 && *text == '0')
		return false;
	text += n;
	if (n && *text == '.') {
		n = strspn(++text, digits);
		text += n;
	}
	if (n && *text == 'e') {
		text += 1 + (text[1] == '-' || text[1] == '+');
		n = strspn(text, digits);
		text += n;
	}
	return n && !*text;
}

/* Whole numbers with blanks between them, as a list. */
static void put_json_list(FILE *f, const char *numbers)
{
	const char *comma = "";

	fputc('[', f);
	for (char *tail; *(numbers += strspn(numbers, " ")); numbers = tail, comma = ", ")
		fprintf(f, "%s%lld", comma, strtoll(numbers, &tail, 10));
	fputc(']', f);
}

static void put_json_environment(FILE *f, const struct session *s)
{
	fputc('{', f);
	for (int i = 0; i < s->nfacts; i++) {
		const struct fact_row *row = find_fact_row(s->facts[i].key);
		enum kind_of_fact kind = row ? row->kind : IS_TEXT;

		fputs(i ? ",\n  " : "\n  ", f);
		if (kind == IS_LIST) {
			put_json(f, s->facts[i].key);
			fputs(": ", f);
			put_json_list(f, s->facts[i].value);
		} else {
			put_json_member(f, s->facts[i].key, s->facts[i].value, kind < IS_NUMBER || !is_number(s->facts[i].value));
		}
	}
	fputc('}', f);
}

/* The environment, and a line a run, in the order of time. */
static void report_csv(FILE *f, const struct session *s)
{
	struct grid g = begin_grid(s, CSV, s->nruns);

	for (int i = 0; i < s->nfacts; i++)
		fprintf(f, "# %s: %s\n", s->facts[i].key, s->facts[i].value);
	for (int i = 0; i < s->nresults; i++)
		for (int k = 0; k < s->results[i].nsamples; k++) {
			const struct sample *x = &s->results[i].samples[k];

			g.lines[x->order] = (struct line){ .s = s, .r = &s->results[i], .x = x };
		}
	for (int i = 0; i < s->nruns; i++)
		if (g.lines[i].r) /* not one of a reference or the control: the environment tells */
			g.lines[g.nlines++] = g.lines[i];
	put_csv_grid(f, &g);
	end_grid(&g);
}

static void report_json(FILE *f, const struct session *s)
{
	struct grid g = grid_of_rows(s, JSON, true);

	fputs("{\"environment\": ", f);
	put_json_environment(f, s);
	fputs(",\n", f);
	put_json_grid(f, &g);
	end_grid(&g);
}


/* ---- Pictures: one report, or several, in SVG 1.1 (W3C, 2011): shapes and text, no scripts and no links ---- */

/* A picture grows downwards. */
struct picture {
	struct text body;
	FILE *f;     /* of the body */
	double y;    /* where the next line begins; units, as all lengths here */
	int width;
};

/* How text is set. Fonts are attributes, which all renderers know. */
struct lettering {
	int size; /* of its letters, units */
	bool bold;
	const char *class;
};
static const struct lettering title_look = { 14, true, "" }, plain_look = { 12, false, "" }, bold_look = { 12, true, "" },
	note_look = { 11, false, "note" };

/* Colours, by class; on a dark page by the second half. Nothing is told by colour alone. */
static const char style[] =
	"text{fill:#1f2328}text.note{fill:#59636e}.page{fill:#fff}.grid{stroke:#d1d9e0}.memcpy{stroke:#bc4c00}\n"
	".best{fill:#0550ae}.alike{fill:#54aeff}.slower{fill:#a9b6c3}.apart{fill:none;stroke:#59636e}.median{stroke:#1f2328}\n"
	".s0{fill:#0b3d75}.s1{fill:#2a6fb5}.s2{fill:#8dbbe8}.s3{fill:#cfe3f7}.s4{fill:#f0f4f8}text.t0,text.t1{fill:#fff}\n"
	"@media (prefers-color-scheme:dark){text{fill:#e6edf3}text.note{fill:#9198a1}.page{fill:#0d1117}.grid{stroke:#30363d}\n"
	".memcpy{stroke:#f0883e}.best{fill:#58a6ff}.alike{fill:#1f6feb}.slower{fill:#59636e}.apart{stroke:#9198a1}.median{stroke:#fff}\n"
	".s0{fill:#79c0ff}.s1{fill:#388bfd}.s2{fill:#1f5ba8}.s3{fill:#16365f}.s4{fill:#161b22}\n"
	"text.t0,text.t1{fill:#0d1117}text.t2,text.t3,text.t4{fill:#e6edf3}}\n";

/* Text at a place: its start, middle or end, as text-anchor has them; y is the top of its line. */
static void put_label(struct picture *p, double x, double y, const char *anchor, const struct lettering *look, const char *text)
{
	if (!*text)
		return;
	fprintf(p->f, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" text-anchor=\"%s\"%s class=\"%s\">", x, y + 13, look->size, anchor,
	    look->bold ? " font-weight=\"bold\"" : "", look->class);
	put_xml(p->f, text);
	fputs("</text>\n", p->f);
}

static void put_box(struct picture *p, double x, double y, double width, double height, const char *class)
{
	fprintf(p->f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"%s\"/>\n", x, y, width, height, class);
}

/* A line down, or if it has a width across. */
static void put_stroke(struct picture *p, double x, double y, double width, double height, const char *class)
{
	fprintf(p->f, "<path d=\"M%.1f %.1f%c%.1f\" fill=\"none\" class=\"%s\"/>\n", x, y, width > 0 ? 'h' : 'v', width > 0 ? width : height, class);
}

/* How wide so many letters are. */
static double letters_width(const struct lettering *look, double n)
{
	return LETTER * look->size / 12 * n;
}

/* How many letters fit a line. */
static int letters(const struct picture *p, const struct lettering *look)
{
	return (int)((p->width - 2 * MARGIN) / letters_width(look, 1));
}

/* Lines of text, freed; what is indented stays so, and what is too long for a line goes on in the next. */
static void put_lines(struct picture *p, char *text, const struct lettering *look)
{
	char *rest = text, *next;

	while ((next = strsep(&rest, "\n"))) {
		int blanks = (int)strspn(next, " "), room = letters(p, look) - blanks;

		for (next += blanks; *next; p->y += look->size + 4) {
			char piece[room + 1];

			snprintf(piece, sizeof piece, "%.*s", room, next); /* room: a line may have megabytes */
			put_label(p, MARGIN + letters_width(look, blanks), p->y, "start", look, piece);
			next += strlen(piece);
		}
	}
	free(text);
}

static void begin_picture(struct picture *p, int width, const char *title)
{
	struct text text;

	p->width = width;
	p->y = MARGIN;
	p->f = begin_text(&p->body);
	put_wrapped(begin_text(&text), title, letters(p, &title_look), 0, 0);
	put_lines(p, end_text(&text), &title_look);
}

/* The notes below, and the picture, now that its height is known. */
static void end_picture(FILE *f, struct picture *p, const char *title, struct list *notes, int most)
{
	struct text text;
	double height, scale = p->width < PICTURE_SHOWN ? (double)PICTURE_SHOWN / p->width : 1;

	put_notes(begin_text(&text), notes, letters(p, &note_look), most);
	put_lines(p, end_text(&text), &note_look);
	height = p->y + MARGIN;
	fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%.0f\" height=\"%.0f\" role=\"img\" "
	    "font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace\">\n<title>",
	    p->width, height, p->width * scale, height * scale);
	put_xml(f, title);
	fprintf(f, "</title>\n<style>\n%s</style>\n<rect width=\"%d\" height=\"%.0f\" class=\"page\"/>\n%s</svg>\n", style, p->width, height,
	    end_text(&p->body));
	free(p->body.chars);
}

/* An axis of speeds from 0 on, which needs no end for rows that are slow. */
struct axis {
	double x, width;
	double bytes;    /* that a run copies; where that is not known, as many as the fastest copies in a nanosecond */
	double full;     /* the speed at its end, bytes per nanosecond */
};

/* Where on the axis what took so long stands. */
static double along(const struct axis *a, double ns)
{
	double share = a->bytes / (ns > 0 ? ns : 1) / a->full;

	return a->x + a->width * (share < 1 ? share : 1);
}

/* memcpy's speed; 0: it was not measured, or not of how many bytes. */
static double roof(const struct session *s)
{
	return s->memcpy.best > 0 && s->memcpy.bytes > 0 && s->len > 0 ? speed(s->memcpy.bytes, s->memcpy.best) : 0;
}

static struct axis make_axis(const struct session *s, double x, double width)
{
	double best = s->summary.first && s->summary.first->best > 0 ? (double)s->summary.first->best : 1;
	struct axis a = { .x = x, .width = width, .bytes = s->len > 0 ? (double)s->len : best };

	for (int i = 0; i < s->nresults; i++) /* a row that left a race early may have had the best run */
		if (is_peer(&s->results[i]) && (double)s->results[i].best < best)
			best = (double)s->results[i].best;
	a.full = a.bytes / best;
	if (roof(s) > a.full && roof(s) < ROOF * a.full)
		a.full = roof(s);
	a.full *= 1.01; /* a line at the end is not to be cut */
	return a;
}

/* The distance of ticks: 1, 2 or 5 times a power of ten, so that there are TICKS at most. */
static double tick(double full)
{
	double step = 1e-9;

	while (full > 10 * step * TICKS)
		step *= 10;
	return full <= step * TICKS ? step : full <= 2 * step * TICKS ? 2 * step : full <= 5 * step * TICKS ? 5 * step : 10 * step;
}

/* Grid and labels, above rows of that height; and memcpy as a line. */
static void put_axis(struct picture *p, const struct session *s, const struct axis *a, double height)
{
	static const struct {
		double size; /* bytes per nanosecond */
		const char *name;
	} units[] = { { 1.073741824, "GiB/s" }, { 1.048576e-3, "MiB/s" }, { 1.024e-6, "KiB/s" }, { 1e-9, "B/s" } };
	double bottom = p->y + height, memcpy_at = roof(s) <= a->full ? a->x + a->width * roof(s) / a->full : a->x + a->width;
	double unit, step, room;
	char text[80], speeds[32];
	int u = 0;

	while (u < LENGTH(units) - 1 && a->full < units[u].size)
		u++;
	unit = s->len > 0 ? units[u].size : 1;
	step = tick(a->full / unit);
	for (int i = 0; i * step * unit <= a->full; i++) {
		put_stroke(p, a->x + a->width * i * step * unit / a->full, p->y, 0, height, "grid");
		snprintf(text, sizeof text, "%g", i * step);
		put_label(p, a->x + a->width * i * step * unit / a->full, bottom, "middle", &note_look, text);
	}
	snprintf(text, sizeof text, "%s, higher is better", s->len > 0 ? units[u].name : "speed, the fastest row's being 1");
	put_label(p, a->x + a->width / 2, bottom + LINE - 4, "middle", &note_look, text);
	if (roof(s) <= 0)
		return;
	put_stroke(p, memcpy_at, p->y, 0, height, "memcpy");
	snprintf(text, sizeof text, "memcpy %s%s", speed_text(speeds, roof(s)), roof(s) <= a->full ? "" : " >");
	room = letters_width(&note_look, (double)strlen(text));
	put_label(p, memcpy_at > a->x + room ? memcpy_at : a->x + room, p->y - LINE + 2, "end", &note_look, text);
}

/* What rows are in a picture: its legend's words for each. */
enum bar { BAR_BEST, BAR_ALIKE, BAR_SLOWER, BAR_APART };
static const struct {
	const char *class, *words;
} bars[] = {
	[BAR_BEST] = { "best", "recommended" }, [BAR_ALIKE] = { "alike", "~ may be the fastest" }, [BAR_SLOWER] = { "slower", "slower" },
	[BAR_APART] = { "apart", "no data moved" },
};

static enum bar bar_of(const struct session *s, const struct result *r)
{
	return r == s->summary.recommended ? BAR_BEST : !is_peer(r) ? BAR_APART : r->beaten_by ? BAR_SLOWER : BAR_ALIKE;
}

/* A dot a run; of many runs a bar from the worst to the best; the median; or of a row that moved no data an empty bar, all along. */
static void put_bar(struct picture *p, const struct session *s, const struct result *r, const struct axis *a)
{
	const char *class = bars[bar_of(s, r)].class;
	double from = along(a, (double)r->worst), to = along(a, (double)r->best);

	if (!is_peer(r)) {
		put_box(p, a->x, p->y + 3.5, a->width, LINE - 7, class);
		return;
	}
	put_stroke(p, a->x, p->y + LINE / 2.0, to - a->x, 0, "grid");
	if (r->nsamples > DOTS_MAX)
		put_box(p, from, p->y + 3.5, to - from > 1 ? to - from : 1, LINE - 7, class);
	for (int i = 0; i < r->nsamples && r->nsamples <= DOTS_MAX; i++)
		fprintf(p->f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill-opacity=\"0.75\" class=\"%s\"/>\n", along(a, (double)r->samples[i].ns),
		    p->y + LINE / 2.0, class);
	put_stroke(p, along(a, (double)r->median), p->y + 1.5, 0, LINE - 3, "median");
}

/* A row: its cells, and behind the first of them, its name, what it took; where one points at it, all of its times. */
static void put_picture_row(struct picture *p, const struct grid *g, const struct line *l, const struct axis *a)
{
	const struct result *r = l->r;
	const struct lettering *look = r == l->s->summary.recommended ? &bold_look : &plain_look;
	char best[32], middle[32], worst[32];
	double x = MARGIN;

	fputs("<g><title>", p->f);
	put_xml(p->f, r->name);
	fprintf(p->f, ": best %s, median %s, worst %s, of %d</title>\n", time_text(best, r->best, true), time_text(middle, r->median, true),
	    time_text(worst, r->worst, true), r->nsamples);
	put_bar(p, l->s, r, a);
	for (const struct column *c = g->columns; c < g->columns + g->ncolumns; c++) {
		char *text = cell_text(c, l);
		double width = letters_width(look, abs(c->width));

		if (c == g->columns && strlen(text) > NAME_WIDTH)
			memcpy(text + NAME_WIDTH - 3, "...", 4);
		x += letters_width(look, c->gap);
		put_label(p, c->width < 0 ? x : x + width, p->y, c->width < 0 ? "start" : "end", look, text);
		x = c == g->columns ? a->x + a->width + LETTER : x + width;
		free(text);
	}
	fputs("</g>\n", p->f);
	p->y += LINE;
}

/* What the colours mean, of those that there are. */
static void put_legend(struct picture *p, const struct session *s)
{
	double x = MARGIN;

	for (int i = 0; i < LENGTH(bars); i++) {
		bool there = false;

		for (int k = 0; k < s->nresults; k++)
			there |= is_timed(s->results[k].verdict.outcome) && bar_of(s, &s->results[k]) == (enum bar)i;
		if (!there)
			continue;
		put_box(p, x, p->y + 3.5, 22, LINE - 7, bars[i].class);
		put_label(p, x + 28, p->y, "start", &note_look, bars[i].words);
		x += 28 + letters_width(&note_look, (double)strlen(bars[i].words)) + 16;
	}
	put_stroke(p, x + 2, p->y + 1.5, 0, LINE - 3, "median");
	put_label(p, x + 10, p->y, "start", &note_look, "median");
	p->y += 2 * LINE + 6;
}

static void report_svg(FILE *f, const struct session *s)
{
	struct grid g = grid_of_rows(s, PICTURE, false);
	struct list notes = make_notes(s);
	struct picture p;
	struct axis axis;
	int longest = 0, cells = 1;

	begin_picture(&p, PICTURE_WIDTH, fact(s, "heading"));
	for (int i = 0; i < g.nlines; i++)
		longest = (int)strlen(g.lines[i].r->name) > longest ? (int)strlen(g.lines[i].r->name) : longest;
	longest = longest < NAME_WIDTH ? longest + 1 : NAME_WIDTH + 1;
	for (int i = 1; i < g.ncolumns; i++)
		cells += g.columns[i].gap + abs(g.columns[i].width);
	axis = make_axis(s, MARGIN + LETTER * longest, PICTURE_WIDTH - 2 * MARGIN - LETTER * (longest + cells));
	p.y += 6;
	if (s->summary.first) {
		put_legend(&p, s);
		put_axis(&p, s, &axis, LINE * g.nlines);
	}
	for (int i = 0; i < g.nlines; i++)
		put_picture_row(&p, &g, &g.lines[i], &axis);
	p.y += s->summary.first ? 2 * LINE : LINE / 2.0;
	end_grid(&g);
	end_picture(f, &p, fact(s, "heading"), &notes, s->opt.verbose ? INT_MAX : NOTE_LINES);
}

/* ---- Comparisons: several sessions side by side --------------------------------------------- */

struct comparison {
	const struct session *s;
	int n;
	int nrows;
	struct pair *pairs;              /* n for each row */
};

/* Tells a row from what it was in the first session: two-sided. */
static void test_pair(struct pair *p, const struct pair *before, double level)
{
	double noise = p->s->summary.noise > before->s->summary.noise ? p->s->summary.noise : before->s->summary.noise, percent;

	if (!is_peer(p->r) || !is_peer(before->r) || p == before)
		return;
	p->ratio = ratio_of(p->r, before->r);
	percent = 100 * p->ratio.estimate - 100;
	if (critical(p->r->ntested, before->r->ntested, level) < 0)
		p->change = TOO_FEW;
	else if (percent > noise && is_beaten(p->r, before->r, level))
		p->change = SLOWER;
	else if (-percent > noise && is_beaten(before->r, p->r, level))
		p->change = FASTER;
	else
		p->change = SAME;
}

/* One level for all rows together, and for both sides. */
static double pair_level(const struct session *s, const struct session *first)
{
	int peers = 0;

	for (int i = 0; i < s->nresults; i++)
		peers += is_peer(&s->results[i]) && is_peer(find_row(first, s->results[i].name));
	return LEVEL / 2 / (peers ? peers : 1);
}

/* The pairs of a row that is not in an earlier file. */
static void add_pairs(struct comparison *c, const char *name)
{
	struct pair *first = &c->pairs[c->nrows++ * c->n];

	for (int i = 0; i < c->n; i++)
		first[i] = (struct pair){ .s = &c->s[i], .r = find_row(&c->s[i], name) };
}

/* All rows, in the order of the first file's table, then those that only others have. */
static struct comparison begin_comparison(const struct session *s, int n)
{
	struct comparison c = { .s = s, .n = n };
	int most = 0;

	for (int i = 0; i < n; i++)
		most += s[i].nresults;
	c.pairs = allocate((size_t)most * n, sizeof *c.pairs);
	for (int file = 0; file < n; file++)
		for (int i = 0; i < s[file].nresults; i++) {
			const char *name = s[file].ranked[i]->name;
			bool known = false;

			for (int k = 0; k < file; k++)
				known |= find_row(&s[k], name) != NULL;
			if (!known)
				add_pairs(&c, name);
		}
	for (int file = 1; file < n; file++) {
		double level = pair_level(&s[file], s);

		for (int i = 0; i < c.nrows; i++)
			test_pair(&c.pairs[i * n + file], &c.pairs[i * n], level);
	}
	return c;
}

/* What two sessions should have in common, if their times are to be compared; several may be of different places. */
static const struct {
	const char *key, *name;
	const char *otherwise; /* what it means that it is not there */
	bool place;
} conditions[] = {
	{ "output", "outputs", "unknown", true }, { "input", "inputs", "unknown", true }, { "size", "sizes", "unknown", false },
	{ "kernel", "kernels", "unknown", false }, { "cpu", "machines", "unknown", false }, { "until", "clocks", "unknown", false },
	{ "page_cache", "page caches", "unknown", false }, { "output_state", "states of the output", "emptied", false },
	{ "order", "orders", "unknown", false }, { "pause_s", "pauses", "unknown", false }, { "race", "races", "none", false },
};

static const char *condition(const struct session *s, int i)
{
	return is_fact(s, conditions[i].key) ? fact(s, conditions[i].key) : conditions[i].otherwise;
}

/* The first session in which a fact is another than in the first of all; 0: none is. */
static int find_different(const struct session *s, int n, const char *key)
{
	for (int k = 1; k < n; k++)
		if (strcmp(fact(s, key), fact(&s[k], key)))
			return k;
	return 0;
}

/* One difference is what is compared; several leave open which of them made a change. */
static void note_conditions(struct list *notes, const struct session *s, int n)
{
	int differences = 0, last = 0, other = 0;
	struct text text;

	begin_text(&text);
	for (int i = 0; i < LENGTH(conditions); i++) {
		int k = n > 2 && conditions[i].place ? 0 : find_different(s, n, conditions[i].key);

		if (!k)
			continue;
		fprintf(text.f, "%s%s", differences++ ? ", " : "", conditions[i].name);
		last = i;
		other = k;
	}
	end_text(&text);
	if (differences == 1)
		note(notes, "Note: the %s differ: %s in %s%s, %s in %s%s.", conditions[last].name, condition(s, last), s->numbered ? "file " : "",
		    s->title, condition(&s[other], last), s->numbered ? "file " : "", s[other].title);
	else if (differences > 1)
		note(notes, "Warning: these differ: %s. Any of them may have made a change.", text.chars);
	free(text.chars);
}

/* What all of several have in common. */
static void note_shared(struct list *notes, const struct session *s, int n)
{
	static const struct part parts[] = {
		{ "cpu", "", "" }, { "cpus", ", ", " CPUs" }, { "kernel", ", kernel ", "" }, { "size", ", ", "" }, { "until", ", until ", "" },
	};

	note_facts(notes, "All: ", s, n, parts, LENGTH(parts));
}

/* How many rows have changed, and what that is worth. */
static void note_changes(struct list *notes, const struct comparison *c)
{
	double level = pair_level(&c->s[1], c->s);
	int n[CHANGES_COUNT] = { 0 }, pairs;

	for (int i = 0; i < c->nrows; i++)
		n[c->pairs[2 * i + 1].change]++;
	pairs = c->nrows - n[NO_PAIR];
	if (!pairs)
		note(notes, "No row has moved data in both.");
	else if (n[TOO_FEW] == pairs)
		note(notes, "Too few runs to tell a change in any of %d row%s: use -n %d.", pairs, plural(pairs), fewest_runs(level));
	else if (n[FASTER] + n[SLOWER] == 0)
		note(notes, "No row changed significantly.");
	else
		note(notes, "%d of %d row%s %s faster, %d slower (exact two-sided Mann-Whitney test, 95 %% confidence over all rows).", n[FASTER],
		    pairs, plural(pairs), n[FASTER] == 1 ? "is" : "are", n[SLOWER]);
	if (n[TOO_FEW] > 0 && n[TOO_FEW] < pairs)
		note(notes, "%d row%s had too few runs: use -n %d.", n[TOO_FEW], plural(n[TOO_FEW]), fewest_runs(level));
	if (pairs > 0)
		note(notes, "Times are medians; the change is Hodges and Lehmann's estimate from all pairs of runs.");
}

/* Are these two before and after, as far as is known? Two places stand side by side in pictures, and in tables for pages. */
static bool is_before_and_after(const struct session *s, int n)
{
	return n == 2 && (!is_fact(&s[0], "output") || !is_fact(&s[1], "output") || !strcmp(fact(&s[0], "output"), fact(&s[1], "output")));
}

/* What stands below the table, or in front of it for programs. */
static struct list comparison_notes(const struct comparison *c, bool changes)
{
	struct list notes = { .n = 0 };
	const struct session *s = c->s;

	if (s->opt.quiet)
		return notes;
	for (int i = 0; i < c->n && (c->n == 2 || s->numbered || s->opt.verbose); i++)
		note(&notes, "%s: %s: %s.", s[i].title, s[i].file, fact(&s[i], "heading"));
	note_conditions(&notes, s, c->n);
	if (changes)
		note_changes(&notes, c);
	else
		note(&notes, "Each column: its fastest row's best run, and how far the others are behind it. ~: may be the fastest. -: not there.");
	for (int i = 0; i < c->n; i++)
		if (is_fact(&s[i], "interrupted"))
			note(&notes, "Warning: %s was interrupted: %s.", s[i].title, fact(&s[i], "interrupted"));
	note_shared(&notes, s, c->n);
	return notes;
}

/* A grid of rows, with a column of names; others are to be added. */
static struct grid begin_comparison_grid(const struct comparison *c, int most)
{
	struct grid g = { .lines = allocate(c->nrows, sizeof *g.lines) };
	int longest = 4;

	for (int i = 0; i < c->nrows; i++) {
		struct line l = { .pair = &c->pairs[i * c->n] };

		for (int k = c->n - 1; k >= 0; k--)
			l.r = l.pair[k].r ? l.pair[k].r : l.r;
		l.s = c->s;
		longest = (int)strlen(l.r->name) > longest ? (int)strlen(l.r->name) : longest;
		g.lines[g.nlines++] = l;
	}
	add_column(&g, &(struct column){ .title = "row", .width = -(longest < most ? longest : most), .cell = cell_name });
	return g;
}

/* Columns of some of the files, by one kind of cell. */
static void add_files(struct grid *g, const struct comparison *c, int from, int before, int width, void (*cell)(FILE *, const struct line *, const struct column *))
{
	for (int i = from; i < before; i++)
		add_column(g, &(struct column){ .title = c->s[i].title, .gap = 1, .width = width, .cell = cell, .arg = i });
}

/* Letters of a title on its first line, where it may go over two; on the other those behind a hyphen, or none. */
static int split_title(const char *title, int room)
{
	const char *hyphen = strrchr(title, '-');

	return (int)strlen(title) <= room || !hyphen ? (int)strlen(title) : (int)(hyphen + 1 - title);
}

/* As wide as a cell, or as the longest title, or a line of one. */
static int title_width(const struct comparison *c, bool split)
{
	int most = FILE_WIDTH;

	for (int i = 0; i < c->n; i++) {
		int length = (int)strlen(c->s[i].title), first = split ? split_title(c->s[i].title, FILE_WIDTH) : length;

		most = first > most ? first : length - first > most ? length - first : most;
	}
	return most;
}

/* Two files, and what has changed. */
static struct grid grid_of_changes(const struct comparison *c)
{
	struct grid g = begin_comparison_grid(c, COUNTS_NAME_WIDTH);

	add_files(&g, c, 0, 2, title_width(c, false), cell_median_in_file);
	for (int i = 0; i < LENGTH(columns); i++)
		if (is_shown(&columns[i], c->s, CHANGES))
			add_column(&g, &columns[i]);
	return g;
}

static void compare_text(FILE *f, const struct session *s, int n)
{
	int width = text_width(f), at_once = n, cell;
	struct comparison c = begin_comparison(s, n);
	struct list notes = comparison_notes(&c, n == 2);
	struct grid g;

	cell = title_width(&c, false);
	for (int from = 0; from < n; from += at_once) {
		if (n == 2) {
			g = grid_of_changes(&c);
		} else {
			g = begin_comparison_grid(&c, width < TEXT_WIDTH ? width / 2 : COUNTS_NAME_WIDTH);
			at_once = (width - abs(g.columns->width)) / (cell + 1);
			at_once = at_once < 1 ? 1 : at_once;
			add_files(&g, &c, from, n < from + at_once ? n : from + at_once, cell, cell_in_file);
		}
		fit(&g, width);
		put_text_grid(f, &g, NULL, "", "");
		fputs(notes.n || from + at_once < n ? "\n" : "", f);
		end_grid(&g);
	}
	put_notes(f, &notes, width < TEXT_WIDTH ? width : TEXT_WIDTH, INT_MAX);
	free(c.pairs);
}

static void compare_markdown(FILE *f, const struct session *s, int n)
{
	struct comparison c = begin_comparison(s, n);
	bool changes = is_before_and_after(s, n);
	struct list notes = comparison_notes(&c, changes);
	struct grid g;

	if (changes) {
		g = grid_of_changes(&c);
	} else {
		g = begin_comparison_grid(&c, INT_MAX);
		add_files(&g, &c, 0, n, FILE_WIDTH, cell_in_file);
	}
	put_markdown_grid(f, &g);
	end_grid(&g);
	put_markdown_notes(f, &notes, INT_MAX);
	free(c.pairs);
}

/* A line for each row of each file that has it. */
static struct grid grid_of_pairs(const struct comparison *c)
{
	struct grid g = begin_grid(c->s, PAIRS, c->nrows * c->n);

	for (struct pair *p = c->pairs; p < c->pairs + c->nrows * c->n; p++)
		if (p->r)
			g.lines[g.nlines++] = (struct line){ .s = p->s, .r = p->r, .pair = p };
	return g;
}

static void compare_csv(FILE *f, const struct session *s, int n)
{
	struct comparison c = begin_comparison(s, n);
	struct list notes = comparison_notes(&c, n == 2);
	struct grid g = grid_of_pairs(&c);

	for (int i = 0; i < notes.n; i++)
		fprintf(f, "# %s\n", notes.item[i]);
	drop_notes(&notes);
	put_csv_grid(f, &g);
	end_grid(&g);
	free(c.pairs);
}

static void compare_json(FILE *f, const struct session *s, int n)
{
	struct comparison c = begin_comparison(s, n);
	struct grid g = grid_of_pairs(&c);

	fputs("{\"files\": [", f);
	for (int i = 0; i < n; i++) {
		fputs(i ? ",\n  {\"file\": " : "\n  {\"file\": ", f);
		put_json(f, s[i].file);
		fputs(", \"environment\": ", f);
		put_json_environment(f, &s[i]);
		fputc('}', f);
	}
	fputs("],\n", f);
	put_json_grid(f, &g);
	end_grid(&g);
	free(c.pairs);
}

/* Shades of cells: up to so far behind the fastest, percent. */
static const struct {
	double upto;
	const char *words;
} shades[] = { { 10, "up to 10 % behind" }, { 50, "50 %" }, { 100, "100 %" }, { 300, "300 %" }, { 0, "more" } /* the rest */ };

/* Which of shades[] a row has; -1: none, since it is not ranked. */
static int shade(const struct pair *p)
{
	int i = 0;

	if (!is_peer(p->r) || p->r->left)
		return -1;
	while (i < LENGTH(shades) - 1 && percent_behind(p->r->best, p->s->summary.first->best) > shades[i].upto)
		i++;
	return i;
}

/* A title over the middle of a cell, on two lines where one has no room. */
static void put_column_title(struct picture *p, double middle, const char *title, int room)
{
	int length = split_title(title, room);
	char first[64];

	snprintf(first, sizeof first, "%.*s", length, title);
	put_label(p, middle, title[length] ? p->y - LINE + 4 : p->y, "middle", &bold_look, first);
	put_label(p, middle, p->y, "middle", &bold_look, title + length);
}

/* Rows by files: shaded cells, or where changes are told numbers. */
static void put_map(struct picture *p, const struct grid *g)
{
	for (int i = 0; i < g->nlines; i++) {
		double x = MARGIN;

		for (const struct column *c = g->columns; c < g->columns + g->ncolumns; c++) {
			char *text = cell_text(c, &g->lines[i]), class[16];
			double width = letters_width(&plain_look, c->gap + abs(c->width));
			int k = c->cell == cell_in_file ? shade(&g->lines[i].pair[c->arg]) : -1;
			struct lettering look = plain_look;

			if (k >= 0) {
				snprintf(class, sizeof class, "s%d", k);
				put_box(p, x + 1, p->y + 1, width - 2, LINE - 2, class);
				*class = 't';
				look.class = class;
			}
			if (c == g->columns && (int)strlen(text) > abs(c->width))
				memcpy(text + abs(c->width) - 3, "...", 4);
			put_label(p, c == g->columns ? x : x + width / 2, p->y, c == g->columns ? "start" : "middle", &look, text);
			x += width;
			free(text);
		}
		p->y += LINE;
	}
}

/* What the shades mean. */
static void put_map_legend(struct picture *p)
{
	double x = MARGIN;

	p->y += 6;
	for (int i = 0; i < LENGTH(shades); i++) {
		char class[] = { 's', (char)('0' + i), '\0' };

		put_box(p, x, p->y + 1, 22, LINE - 2, class);
		put_label(p, x + 28, p->y, "start", &note_look, shades[i].words);
		x += 28 + letters_width(&note_look, (double)strlen(shades[i].words)) + 14;
	}
	p->y += LINE + 4;
}

static void compare_svg(FILE *f, const struct session *s, int n)
{
	struct comparison c = begin_comparison(s, n);
	bool changes = is_before_and_after(s, n);
	const char *title = changes ? "What has changed from one report to the other, by row" : "Time relative to the fastest row, by file system";
	struct list notes = comparison_notes(&c, changes);
	struct picture p;
	struct grid g;
	double x = MARGIN, width = 0;

	if (changes) {
		g = grid_of_changes(&c);
	} else {
		g = begin_comparison_grid(&c, NAME_WIDTH);
		add_files(&g, &c, 0, n, title_width(&c, true), cell_in_file);
	}
	for (int i = 0; i < g.ncolumns; i++)
		width += letters_width(&plain_look, g.columns[i].gap + abs(g.columns[i].width));
	begin_picture(&p, width + 2 * MARGIN > PICTURE_WIDTH ? (int)(width + 2 * MARGIN) + 1 : PICTURE_WIDTH, title);
	p.y += LINE;
	for (int i = 0; i < g.ncolumns; i++) {
		width = letters_width(&plain_look, g.columns[i].gap + abs(g.columns[i].width));
		if (i > 0)
			put_column_title(&p, x + width / 2, g.columns[i].title, abs(g.columns[i].width));
		x += width;
	}
	p.y += LINE;
	put_map(&p, &g);
	if (!changes)
		put_map_legend(&p);
	end_grid(&g);
	end_picture(f, &p, title, &notes, INT_MAX);
	free(c.pairs);
}

/* To add a format: write its two functions, add it here. */
static const struct format formats[] = {
	{ "text", ".txt", report_text, compare_text },
	{ "markdown", ".md", report_markdown, compare_markdown },
	{ "csv", ".csv", report_csv, compare_csv },
	{ "json", ".json", report_json, compare_json },
	{ "svg", ".svg", report_svg, compare_svg },
};

/* ---- Environment: what the numbers were measured on ---------------------------------------- */

/* Where a file lives. */
struct place {
	char name[80];       /* "Ext3+dmcrypt", "tmpfs /dev/shm" */
	const char *medium;  /* NULL: unknown */
	bool virtual;        /* the medium is what a hypervisor makes of it */
	char mount[512];     /* "ext4 rw,relatime,data=ordered" */
};

__attribute__((format(printf, 2, 3)))
static void add_name(struct place *p, const char *format, ...)
{
	size_t used = strlen(p->name);
	va_list args;

	va_start(args, format);
	vsnprintf(p->name + used, sizeof p->name - used, format, args);
	va_end(args);
}

static void find_place(int fd, struct place *p, int depth);

/* A file below a block device's folder of sysfs (Documentation/ABI/testing/sysfs-block, -dm). */
static bool read_device(dev_t dev, const char *file, char *line, int size)
{
	char path[560]; /* holds the longest that find_slave can ask for */

	snprintf(path, sizeof path, "/sys/dev/block/%u:%u/%s", major(dev), minor(dev), file);
	return read_line(path, line, size);
}

/* The device that a mapped one (dm, md) lies on: the first, where there are several. */
static bool find_slave(dev_t dev, dev_t *below)
{
	char path[512], text[32];
	unsigned maj, min;
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof path, "/sys/dev/block/%u:%u/slaves", major(dev), minor(dev));
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		snprintf(path, sizeof path, "slaves/%.200s/dev", entry->d_name);
		found = *entry->d_name != '.' && read_device(dev, path, text, sizeof text)
		    && sscanf(text, "%u:%u", &maj, &min) == 2;
	}
	if (found)
		*below = makedev(maj, min);
	if (dir)
		closedir(dir);
	return found;
}

/* What a file system's device is made of, down to the medium. */
static void find_device(dev_t dev, struct place *p, int depth)
{
	char path[128], text[4096], link[512];
	dev_t below;
	ssize_t n;
	int fd;

	if (read_device(dev, "dm/uuid", text, sizeof text))
		add_name(p, !strncmp(text, "CRYPT-", 6) ? "+dmcrypt" : !strncmp(text, "LVM-", 4) ? "+lvm" : "+dm");
	if (read_device(dev, "loop/backing_file", text, sizeof text)) {
		add_name(p, "+loop");
		fd = open(text, O_PATH | O_CLOEXEC);
		if (fd >= 0 && depth > 0) {
			struct place file = { .name = "" };

			find_place(fd, &file, depth - 1);
			p->medium = file.medium;
			p->virtual = file.virtual;
		}
		if (fd >= 0)
			close(fd);
	} else if (depth > 0 && find_slave(dev, &below)) {
		find_device(below, p, depth - 1);
	} else if (read_device(dev, "queue/rotational", text, sizeof text)
	    || read_device(dev, "../queue/rotational", text, sizeof text)) { /* a partition: its disk's */
		snprintf(path, sizeof path, "/sys/dev/block/%u:%u", major(dev), minor(dev));
		n = readlink(path, link, sizeof link - 1);
		link[n > 0 ? n : 0] = '\0';
		p->virtual = strstr(link, "/virtio") || strstr(link, "/vbd-");
		p->medium = strstr(link, "/zram") || strstr(link, "/ram") ? "memory"
		    : *text == '1' ? "Hard Drive" : "SSD";
	}
}

/* File systems by the kernel's name: how to write it, and a medium that needs no device. The
 * name is from mountinfo, since ext2, ext3 and ext4 share one magic number in statfs. */
static const struct {
	const char *type, *name, *medium;
} filesystems[] = {
	/* type     name      medium */
	{ "ext2",   "Ext2",   NULL },
	{ "ext3",   "Ext3",   NULL },
	{ "ext4",   "Ext4",   NULL },
	{ "xfs",    "XFS",    NULL },
	{ "f2fs",   "F2FS",   NULL },
	{ "tmpfs",  "tmpfs",  "memory" },
	{ "ramfs",  "ramfs",  "memory" },
	{ "nfs",    "NFS",    "network" },
	{ "nfs4",   "NFS",    "network" },
	{ "cifs",   "CIFS",   "network" },
	{ "smb3",   "SMB3",   "network" },
	{ "ceph",   "Ceph",   "network" },
	{ "9p",     "9p",     "network" },
};

/* A line of /proc/self/mountinfo (proc_pid_mountinfo(5)). */
struct mount {
	long id;
	unsigned major, minor;
	char *directory, *flags, *type, *source, *options;
};

/* Cuts a line at its blanks: there are as many as there should be, even where a field is empty. */
static bool cut_mount(char *line, struct mount *m)
{
	char *rest = line, *field;

	*m = (struct mount){ .id = strtol(line, NULL, 10) };
	line[strcspn(line, "\n")] = '\0';
	for (int i = 0; (field = strsep(&rest, " ")) && (i < 6 || strcmp(field, "-")); i++) {
		if (i == 2 && sscanf(field, "%u:%u", &m->major, &m->minor) != 2)
			return false;
		if (i == 4)
			m->directory = field;
		if (i == 5)
			m->flags = field;
	}
	m->type = strsep(&rest, " ");
	m->source = strsep(&rest, " ");
	m->options = rest;
	return m->directory && m->flags && m->type && m->source && m->options;
}

/* Blanks in paths are written "\040" there. */
static void unescape(char *path)
{
	char *to = path;

	for (const char *from = path; *from; from++)
		if (*from == '\\' && strspn(from + 1, "01234567") >= 3) {
			*to++ = (from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0');
			from += 3;
		} else {
			*to++ = *from;
		}
	*to = '\0';
}

static void describe_mount(struct mount *m, struct place *p, int depth)
{
	const char *version = strstr(m->options, ",vers=");
	struct stat st;
	int i = 0;

	snprintf(p->mount, sizeof p->mount, "%s %s%s", m->type, m->flags, m->options + strcspn(m->options, ",")); /* rw or ro is in both */
	while (i < LENGTH(filesystems) && strcmp(filesystems[i].type, m->type))
		i++;
	add_name(p, "%.16s", i < LENGTH(filesystems) ? filesystems[i].name : m->type);
	p->medium = i < LENGTH(filesystems) ? filesystems[i].medium : NULL;
	if (p->medium && !strcmp(p->medium, "memory")) {
		unescape(m->directory);
		add_name(p, " %.40s", m->directory);
	} else if (p->medium && version) {
		add_name(p, " v%.*s", (int)strcspn(version + 6, ","), version + 6);
	} else if (m->major != 0) {
		find_device(makedev(m->major, m->minor), p, depth);
	} else if (!p->medium && !stat(m->source, &st) && S_ISBLK(st.st_mode)) {
		find_device(st.st_rdev, p, depth);
	}
}

/* Fills in name and medium of the file system that holds a descriptor's file. The mount is found
 * by its number in fdinfo: st_dev is not mountinfo's device on btrfs. */
static void find_place(int fd, struct place *p, int depth)
{
	char path[64], id[32] = "", line[8192];
	struct mount m;
	FILE *f;

	snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
	f = read_key(path, "mnt_id", id, sizeof id) ? fopen("/proc/self/mountinfo", "re") : NULL;
	while (f && fgets(line, sizeof line, f))
		if (cut_mount(line, &m) && m.id == strtol(id, NULL, 10)) {
			describe_mount(&m, p, depth);
			break;
		}
	if (f)
		fclose(f);
}

__attribute__((format(printf, 3, 4)))
static void set_fact(struct session *s, const char *key, const char *format, ...)
{
	struct text text;
	va_list args;
	char *value;
	int i = 0;

	va_start(args, format);
	vfprintf(begin_text(&text), format, args);
	va_end(args);
	value = end_line(&text);
	while (i < s->nfacts && strcmp(s->facts[i].key, key))
		i++;
	if (i == s->nfacts) {
		s->facts = realloc(s->facts, ++s->nfacts * sizeof *s->facts);
		if (!s->facts)
			die_errno("memory", "realloc");
		s->facts[i].key = strdup(key);
	} else {
		free(s->facts[i].value);
	}
	s->facts[i].value = value;
}

/* What stands beside the rows: memcpy between two buffers, each of as many bytes as are copied where there is
 * memory for them, and a source without a reader's work. One row is no table, and needs no memcpy. */
static void set_up_references(struct session *s)
{
	int64_t share = memory_share(outputs_in_memory(s));
	bool fed = s->in.ops->kind == KIND_PIPE;

	s->memcpy = (struct reference){ .name = "memcpy", .run = run_memcpy };
	if (s->nresults > 1)
		s->memcpy.bytes = share / 2 < s->len ? share / 2 : s->len;
	for (int i = 0; i < LENGTH(s->source); i++)
		s->source[i] = (struct reference){
			.name = "the input alone", .run = run_source, .pipe_size = i ? PIPE_LARGE : PIPE_DEFAULT, .bytes = fed ? s->len : 0,
		};
}

/* What is at the other side of a socket that is connected. */
static const char *peer_text(char text[80], const struct port *port)
{
	struct sockaddr_storage peer = { .ss_family = AF_UNSPEC };
	socklen_t size = sizeof peer;

	if (port->family == AF_UNIX)
		return "(UNIX)";
	getpeername(port->fd, (struct sockaddr *)&peer, &size);
	return address_text(text, (struct sockaddr *)&peer, size);
}

/* Where an end is. */
static void find_end(const struct port *port, struct place *p)
{
	char text[80];

	if (port->ops->kind == KIND_FILE)
		find_place(port->fd, p, 8);
	else if (port->ops->kind == KIND_BLOCK)
		find_device(port->st.st_rdev, p, 8);
	else if (port->command)
		add_name(p, strlen(port->command) > 30 ? "command %.27s..." : "command %s", port->command);
	else if (is_receiver(port))
		add_name(p, "TCP to %s", port->address ? address_text(text, port->address->ai_addr, port->address->ai_addrlen) : "loopback");
	else if (port->ops->kind == KIND_SOCKET)
		add_name(p, "socket %s", peer_text(text, port));
	else if (port->ops->kind == KIND_PIPE)
		add_name(p, "%s", port->ops->name);
	else
		add_name(p, is_mem(&port->st, MEM_NULL) ? "/dev/null" : is_mem(&port->st, MEM_ZERO) ? "/dev/zero"
		    : "device %u:%u", major(port->st.st_rdev), minor(port->st.st_rdev));
}

static void add_end(struct session *s, const char *key, const struct port *port, const struct place *p)
{
	char mount[40];

	if (port->command)
		set_fact(s, key, "command: %s", port->command);
	else if (port->ops == &own_receiver)
		set_fact(s, key, "TCP connection on loopback, to a receiver of its own");
	else if (is_receiver(port))
		set_fact(s, key, "TCP connection to --receive at %s", strchr(p->name, 'P') + strlen("P to "));
	else if (port->ops->kind == KIND_SOCKET)
		set_fact(s, key, "%s", p->name);
	else if (port->spool)
		set_fact(s, key, "%s, read ahead into %s, and fed to each run through a pipe", port->ops->name, port->spool);
	else if (port->ops->kind == KIND_PIPE)
		set_fact(s, key, "%s", port->ops->name);
	else
		set_fact(s, key, "%s on %s%s%s%s", port->ops->name, *p->name ? p->name : "an unknown file system",
		    p->medium ? ", " : "", p->virtual ? "virtual " : "", p->medium ? p->medium : "");
	snprintf(mount, sizeof mount, "%s_mount", key);
	if (*p->mount)
		set_fact(s, mount, "%s", p->mount);
}

/* What of the copies at an output is compared with the input. */
static const char *verification(const struct session *s, const struct port *port)
{
	bool compared = !s->opt.no_verify && s->in.repeatable;

	return is_receiver(port) && compared ? "the number of bytes and the checksum (XXH64) of each copy, by the receiver"
	    : is_receiver(port) && s->opt.no_verify ? "the number of bytes of each copy only, by the receiver (--no-verify)"
	    : is_receiver(port) ? "the number of bytes of each copy only, by the receiver, since the input gives other bytes each time"
	    : is_stream(port) && s->opt.no_verify ? "nothing (--no-verify)"
	    : is_stream(port) && !compared ? "nothing, since the input gives other bytes each time"
	    : is_stream(port) ? "all bytes once a row, in one more run, whose output a process of this program's reads and compares"
	    : !is_file(port) ? "not at all, since the output keeps nothing"
	    : s->opt.overwrite && compared ? "all bytes of each copy"
	    : s->opt.overwrite && s->opt.no_verify ? "nothing (--no-verify; and the size says nothing with --overwrite)"
	    : s->opt.overwrite ? "nothing, since the input gives other bytes each time, and the size says nothing with --overwrite"
	    : s->opt.no_verify ? "the size of each copy only (--no-verify)"
	    : !compared ? "the size of each copy only, since the input gives other bytes each time"
	    : "the size of each copy, and all bytes once a row";
}

/* The same of all outputs. */
static void add_verification(struct session *s)
{
	const char *first = verification(s, &s->out[0]), *second = s->nout > 1 ? verification(s, &s->out[1]) : NULL;

	if (!second)
		set_fact(s, "verified", "%s", first);
	else if (!strcmp(first, second))
		set_fact(s, "verified", "at both outputs, %s", first);
	else
		set_fact(s, "verified", "at the first output, %s; at the second, %s", first, second);
}

static const struct {
	const char *name, *words;
} untils[] = {
	[UNTIL_RETURN] = { "return", "the last call returned" },
	[UNTIL_CLOSE] = { "close", "the output was closed" },
	[UNTIL_SYNC] = { "sync", "fdatasync had the output on its medium" },
};

/* What the clock waits for at an output. */
static const char *until_words(const struct session *s, const struct port *port)
{
	return port->command ? "the command had ended"
	    : is_receiver(port) ? "the receiver had said how many bytes it has, and their checksum"
	    : port->ops->kind == KIND_SOCKET ? "the last call returned, when the socket's buffers may still have held some"
	    : untils[is_file(port) ? s->opt.until : UNTIL_RETURN].words;
}

/* Is this a machine of QEMU's? Its processor is often emulated, and its disks are files of another machine, in whose page
 * cache they may be: so figures that were measured in one have to say so. */
static bool is_qemu(void)
{
	char text[128];

	return (read_line("/sys/class/dmi/id/sys_vendor", text, sizeof text) && !strncmp(text, "QEMU", 4))
	    || (read_key("/proc/cpuinfo", "model name", text, sizeof text) && !strncmp(text, "QEMU", 4));
}

/* "Ext3+dmcrypt, SSD, filesize=256MiB, kernel=3.13-1-amd64"; two places that differ without their media, so that it fits
 * a line. */
static void add_heading(struct session *s, const struct place *out, const struct place *second, const char *kernel)
{
	static const char unknown[] = "unknown file system";
	bool differ = second && strcmp(out->name, second->name), qemu = is_qemu();
	struct text text;
	char size[32];

	begin_text(&text);
	fprintf(text.f, "%s", *out->name ? out->name : unknown);
	if (differ)
		fprintf(text.f, " and %s", *second->name ? second->name : unknown);
	if (qemu)
		fprintf(text.f, "%s, QEMU virtual machine", second && !differ ? " twice" : "");
	else if (out->medium && !differ)
		fprintf(text.f, ", %s%s", out->virtual ? "virtual " : "", out->medium);
	fprintf(text.f, "%s, filesize=%s, kernel=%s", second && !differ && !qemu ? " twice" : "", size_text(size, s->len), kernel);
	set_fact(s, "heading", "%s", end_text(&text));
	free(text.chars);
}

/* Does the machine give free memory back to its host? Each page that comes back costs a fault there (virtio_balloon,
 * VIRTIO_BALLOON_F_REPORTING, bit 5; Linux 5.7). */
static bool reports_free_pages(void)
{
	enum { REPORTING = 5 };
	glob_t paths;
	char features[80];
	bool found = false;

	if (!glob("/sys/bus/virtio/drivers/virtio_balloon/virtio*/features", 0, NULL, &paths)) {
		found = read_line(paths.gl_pathv[0], features, sizeof features) && strlen(features) > REPORTING && features[REPORTING] == '1';
		globfree(&paths);
	}
	return found;
}

/* Everything that a reader of the numbers needs to know, the heading first. */
static void find_environment(struct session *s)
{
	struct place in = { .name = "" }, out = { .name = "" }, second = { .name = "" };
	char cpu[128] = "", flags[4096] = "", date[32] = "", governor[64];
	struct utsname kernel;
	time_t today = time(NULL);

	uname(&kernel);
	find_end(&s->out[0], &out);
	find_end(&s->in, &in);
	if (s->nout > 1)
		find_end(&s->out[1], &second);
	add_heading(s, &out, s->nout > 1 ? &second : NULL, kernel.release);
	set_fact(s, "command_line", "%s", s->opt.command_line);
	add_end(s, "output", &s->out[0], &out);
	if (s->nout > 1)
		add_end(s, "second_output", &s->out[1], &second);
	add_end(s, "input", &s->in, &in);
	set_fact(s, "size", "%" PRId64, s->len);
	if (s->opt.size > s->len)
		set_fact(s, "size_asked", "%" PRId64, s->opt.size);
	set_fact(s, "block_size", "%" PRId64, s->bs);
	set_fact(s, "kernel", "%s", kernel.release);
	set_fact(s, "machine", "%s", kernel.machine);
	if (!read_key("/proc/cpuinfo", "model name", cpu, sizeof cpu) && !read_key("/proc/cpuinfo", "cpu model", cpu, sizeof cpu))
		snprintf(cpu, sizeof cpu, "%s", kernel.machine);
	read_key("/proc/cpuinfo", "flags", flags, sizeof flags);
	set_fact(s, "cpu", "%.60s%s", cpu, strstr(flags, " hypervisor") ? " (virtual machine)" : "");
	set_fact(s, "cpus", "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	set_fact(s, "memory_bytes", "%" PRId64, (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
	if (read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", governor, sizeof governor))
		set_fact(s, "governor", "%s", governor);
	if (reports_free_pages())
		set_fact(s, "balloon", "free page reporting");
	if (s->opt.race)
		set_fact(s, "race", "%" PRId64, s->opt.race);
	else
		set_fact(s, "runs", "%d", s->opt.runs);
	if (s->opt.warmup)
		set_fact(s, "warmup", "%d", s->opt.warmup);
	set_fact(s, "pause_s", "%g", (double)s->opt.pause / 1e9);
	if (s->opt.in_order)
		set_fact(s, "order", "row after row");
	else
		set_fact(s, "order", "shuffled rounds");
	if (!s->opt.in_order)
		set_fact(s, "seed", "%" PRIu64, s->opt.seed);
	if (s->in.ops->kind != KIND_PIPE)
		set_fact(s, "page_cache", s->opt.cold ? "input evicted from the page cache before each run" : "input in the page cache");
	if (s->nout > 1 && strcmp(until_words(s, &s->out[0]), until_words(s, &s->out[1])))
		set_fact(s, "until", "%s, and at the second output %s", until_words(s, &s->out[0]), until_words(s, &s->out[1]));
	else
		set_fact(s, "until", "%s", until_words(s, &s->out[0]));
	if (s->opt.overwrite && any_output(s, is_file))
		set_fact(s, "output_state", "its blocks were allocated, in the page cache and clean, and held other bytes");
	strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&today));
	set_fact(s, "date", "%s", date);
	set_fact(s, "version", PROGRAM " " VERSION COMMIT);
}

/* How cold the input was: the worst of all runs. */
static void add_input_state(struct session *s)
{
	int64_t most = 0;
	char size[32];

	for (int i = 0; i < s->nresults; i++)
		for (int k = 0; k < s->results[i].nsamples; k++)
			if (s->results[i].samples[k].resident > most)
				most = s->results[i].samples[k].resident;
	set_fact(s, "input_state", "The input was %scold: up to %.3g %% of it (%s) stayed in the page cache%s", most * 10 < s->len ? "" : "not ",
	    100.0 * (double)most / (double)s->len, size_text(size, most), is_in_memory(s->in.fd) ? ", as tmpfs is memory" : "");
}

/* What makes a table worth less, and what can be done about it. Some follow from the runs alone. */
enum warning { FIRST_ROUND, DRIFT, WAITED, ON_CPU, STEAL, THROTTLED, DIRTY, SPARSE, ZERO, SWAPPED, STRANGERS, FLUSHED };
static const struct {
	const char *key;
	bool of_runs;
	const char *remedy;
} warnings[] = {
	[FIRST_ROUND] = { "warning_first_round", true, "use --warmup=1" },
	[DRIFT] = { "warning_drift", true, "use a longer --pause" },
	[WAITED] = { "warning_waited", true, "for disk or hypervisor" },
	[ON_CPU] = { "warning_on_cpu", true, "end what else runs here" },
	[STEAL] = { "warning_steal", false, "use a host with idle CPUs" },
	[THROTTLED] = { "warning_throttled", false, "cool them, or use a longer --pause" },
	[DIRTY] = { "warning_dirty", false, "copy less (-z), or pause longer (-p)" },
	[SPARSE] = { "warning_sparse", false, "use -g noise:256m >X" },
	[ZERO] = { "warning_zero", false, "use -g noise:256m >X" },
	[SWAPPED] = { "warning_swapped", false, "copy less (-z), or free memory" },
	[FLUSHED] = { "warning_flushed", false, "use --until=close" },
	[STRANGERS] = { "warning_strangers", false, "use another port" },
};

__attribute__((format(printf, 3, 4)))
static void add_warning(struct session *s, enum warning w, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = format_text(format, args);
	va_end(args);
	set_fact(s, warnings[w].key, "%s: %s", text, warnings[w].remedy);
	free(text);
}

/* What the input is like, if that flatters a copy. */
static void add_look(struct session *s)
{
	const struct look *look = &s->look;

	if ((double)look->holes >= ZEROS * (double)s->len)
		add_warning(s, SPARSE, "%.0f %% of the input is holes, which flatter", 100 * (double)look->holes / (double)s->len);
	else if ((double)look->zeros >= ZEROS * (double)s->len)
		add_warning(s, ZERO, "%.0f %% of the input is zeros, which flatter", 100 * (double)look->zeros / (double)s->len);
}

/* A command's end closes the output, and some file systems wait for their server there (close(2), NOTES): to the disk's
 * speed, where rows that are timed until their return have only filled the page cache. */
static void add_flush(struct session *s)
{
	static const uint32_t types[] = { NFS_SUPER_MAGIC, FUSE_SUPER_MAGIC, 0xff534d42 /* CIFS */, 0xfe534d42 /* SMB2: linux/magic.h */ };
	struct statfs fs;
	bool waits = false;

	for (int k = 0; k < s->nout; k++)
		for (int i = 0; i < LENGTH(types) && is_file(&s->out[k]) && !fstatfs(s->out[k].fd, &fs); i++)
			waits |= (uint32_t)fs.f_type == types[i];
	if (waits && s->opt.with.n > 0 && s->opt.until == UNTIL_RETURN)
		add_warning(s, FLUSHED, "here a command's end waits for the server, a row's does not");
}

/* What the machine has suffered during the runs. */
static void add_strain(struct session *s)
{
	struct strain after = read_strain();
	int64_t ticks = after.ticks - s->before.ticks, stolen = after.stolen - s->before.stolen;
	struct statfs in = { 0 }, out[2] = { { 0 } };

	fstatfs(s->in.fd, &in);
	for (int i = 0; i < s->nout; i++)
		fstatfs(s->out[i].fd, &out[i]);
	if (stolen > 2 && (double)stolen >= STOLEN * (double)ticks) /* ticks are coarse: two may be chance */
		add_warning(s, STEAL, "the hypervisor took %.1f %% of the CPU time", 100 * (double)stolen / (double)ticks);
	if (after.throttled > s->before.throttled)
		add_warning(s, THROTTLED, "CPUs were throttled for heat %" PRId64 " time%s", after.throttled - s->before.throttled,
		    after.throttled - s->before.throttled == 1 ? "" : "s");
	if (s->dirty >= 1)
		add_warning(s, DIRTY, "dirty memory came to %.0f %% of its limit", 100 * s->dirty);
	if (after.swapped > s->before.swapped && (in.f_type == TMPFS_MAGIC || out[0].f_type == TMPFS_MAGIC || out[1].f_type == TMPFS_MAGIC))
		add_warning(s, SWAPPED, "tmpfs is memory, and %" PRId64 " pages were swapped", after.swapped - s->before.swapped);
	if (s->strangers > 0)
		add_warning(s, STRANGERS, "%d other connection%s came to the receiver", s->strangers, s->strangers == 1 ? "" : "s");
}

/* What is only known when all runs are done, and can't be had from them. */
static void add_measurements(struct session *s)
{
	struct text text;
	char size[32], text32[32];

	if (s->opt.cold)
		add_input_state(s);
	if (s->summary.copies > 0 || is_timed(s->ranked[0]->verdict.outcome))
		add_verification(s);
	for (int i = 0; i < s->nresults; i++)
		if (length_of(s, s->results[i].strategy) < s->len)
			set_fact(s, "shortened", "rows with two calls a byte copy %s; their figures are that times %.4g",
			    size_text(size, SLOW_MOST), (double)s->len / (double)SLOW_MOST);
	if (s->thrown)
		set_fact(s, "thrown_away", "%d", s->thrown);
	for (int i = 0; i < LENGTH(s->source); i++)
		if (s->source[i].best > 0)
			set_fact(s, source_keys[i], "%" PRId64, s->source[i].best);
	set_fact(s, "reset_ns", "%" PRId64, median_reset(s));
	if (s->memcpy.best > 0) {
		set_fact(s, "memcpy_bytes", "%" PRId64, s->memcpy.bytes);
		set_fact(s, "memcpy_ns", "%" PRId64, s->memcpy.best);
	} else if (s->memcpy.err) {
		set_fact(s, "memcpy_error", "mmap: %s", errno_name(text32, s->memcpy.err));
	}
	if (s->counters_err)
		set_fact(s, "counters", "perf_event_open: %s%s", errno_name(text32, s->counters_err),
		    s->counters_err == EACCES || s->counters_err == EPERM ? ": use sysctl kernel.perf_event_paranoid=1" : "");
	if (s->control_of && s->control.nsamples > 0) {
		begin_text(&text);
		for (int i = 0; i < s->control.nsamples; i++)
			fprintf(text.f, "%s%" PRId64, i ? " " : "", s->control.samples[i].ns);
		set_fact(s, "control", "%s", s->control_of->name);
		set_fact(s, "control_round", "%d", s->control.samples->round);
		set_fact(s, "control_ns", "%s", end_text(&text));
		free(text.chars);
	}
	add_look(s);
	add_flush(s);
	add_strain(s);
}

/* Does a fact follow from the runs? Then it is made anew where a report is read back. */
static bool is_concluded(const char *key)
{
	for (int i = 0; i < LENGTH(warnings); i++)
		if (!strcmp(key, warnings[i].key))
			return warnings[i].of_runs;
	return !strcmp(key, "run_lines") || !strncmp(key, "recommend", 9) || !strcmp(key, "candidates") || !strcmp(key, "level");
}

/* Runs that took longer than others of their row: on the CPU, or waiting, which is a run's time less its CPU time. */
static void add_spread(struct session *s)
{
	int timed = 0, waited = 0, on_cpu = 0;

	for (int i = 0; i < s->nresults; i++) {
		const struct result *r = &s->results[i];
		const struct sample *best = r->samples, *worst = r->samples;

		for (int k = 0; k < r->nsamples; k++) {
			best = r->samples[k].ns < best->ns ? &r->samples[k] : best;
			worst = r->samples[k].ns > worst->ns ? &r->samples[k] : worst;
		}
		timed += is_timed(r->verdict.outcome);
		if (!is_timed(r->verdict.outcome) || (double)worst->ns <= SPREAD * (double)best->ns)
			continue;
		if (worst->cpu_ns >= 0 && best->cpu_ns >= 0 && 2 * (worst->cpu_ns - best->cpu_ns) > worst->ns - best->ns)
			on_cpu++;
		else
			waited++;
	}
	if (waited > 0)
		add_warning(s, WAITED, "%d of %d rows have slow runs that waited", waited, timed);
	if (on_cpu > 0)
		add_warning(s, ON_CPU, "%d of %d rows have slow runs on the CPU", on_cpu, timed);
	if (on_cpu > 0 && is_fact(s, "balloon"))
		set_fact(s, warnings[ON_CPU].key, "%d of %d rows have slow runs on the CPU: free page reporting%s", on_cpu, timed,
		    strcmp(fact(s, "pause_s"), "0") ? ": use -p 0" : "");
}

/* What the runs come down to. */
static void add_conclusions(struct session *s)
{
	double first = round_ratio(s, false), later = round_ratio(s, true);
	int lines = 0;
	struct text text;

	for (int i = 0; i < s->nresults; i++)
		lines += s->results[i].nsamples;
	if (first > ROUND_SLOWER)
		add_warning(s, FIRST_ROUND, "the first round was %.0f %% slower than the others", 100 * first - 100);
	if (later > ROUND_SLOWER)
		add_warning(s, DRIFT, "later rounds took %.0f %% longer than earlier ones", 100 * later - 100);
	add_spread(s);
	set_fact(s, "run_lines", "%d", lines);
	if (s->summary.copies > 1) {
		set_fact(s, "candidates", "%d", s->summary.candidates);
		set_fact(s, "level", "%.6g", s->summary.level);
	}
	if (!s->summary.recommended)
		return;
	set_fact(s, "recommended", "%s", s->summary.recommended->name);
	put_recommendation(begin_text(&text), s);
	set_fact(s, "recommendation", "%s", end_text(&text));
	free(text.chars);
}

/* ---- Reading: a CSV report, ours or anyone's, becomes a session again ---------------------- */

enum { FIELDS_MAX = 64, FACTS_MAX = 200 };

struct reader {
	struct session *s;
	const char *file;
	FILE *f;
	int64_t line;                /* from 1 */
	char *text;                  /* of that line, cut into fields; LINE_MAX_BYTES, too many for the stack */
	char *fields[FIELDS_MAX];
	int nfields, ncolumns;
	const struct column *columns[FIELDS_MAX]; /* of each field; NULL: none of numbers */
	int detail;                  /* the field that has the verdict's details; -1: none */
	int before;                  /* runs in the files before this one */
	int64_t run_lines;           /* that the file says it has; -1: it does not */
	char *control;               /* the control's row; NULL: none */
	int control_round;           /* its first round */
};

__attribute__((format(printf, 2, 3), noreturn)) static void die_at(const struct reader *r, const char *format, ...)
{
	char *text;
	va_list args;

	va_start(args, format);
	text = format_text(format, args);
	va_end(args);
	die("%s: line %" PRId64 ": %s", r->file, r->line, text);
}

/* Reads the next line, without its end; false: there is none. */
static bool read_csv_line(struct reader *r)
{
	int c, last = 0, n = 0;

	r->line++;
	while ((c = getc_unlocked(r->f)) != EOF && c != '\n') {
		if (n >= LINE_MAX_BYTES - 5)
			die_at(r, "is longer than %d bytes: a report has no such lines", (int)LINE_MAX_BYTES);
		if (c != '\t' && c != '\r' && (c < ' ' || c == 127))
			die_at(r, "has the byte \\x%02x: it is no text, and no report", c);
		if (c > '~' || c < ' ') /* a tab would spoil every table */
			n += sprintf(r->text + n, "\\x%02x", c); /* as escape() has it */
		else
			r->text[n++] = (char)c;
		last = c;
	}
	if (ferror(r->f))
		die_errno(r->file, "read");
	if (c == EOF && n > 0)
		die_at(r, "has no end: the file is cut: get all of it");
	if (last == '\r')
		n -= 4; /* "\x0d": lines may end in CR LF */
	r->text[n] = '\0';
	return c != EOF;
}

/* Cuts the line into its fields, as RFC 4180 has them. */
static void cut_fields(struct reader *r, char *line)
{
	char *from = line, *to = line;

	for (r->nfields = 0;; from++) {
		bool quoted = *from == '"';

		if (r->nfields == FIELDS_MAX)
			die_at(r, "has more than %d fields", FIELDS_MAX);
		r->fields[r->nfields++] = to;
		from += quoted;
		while (*from && (quoted ? *from != '"' || from[1] == '"' : *from != ',')) {
			if (*from == '"' && !quoted)
				die_at(r, "has a quote inside field %d, which does not begin with one", r->nfields);
			from += *from == '"';
			*to++ = *from++;
		}
		if (quoted && *from != '"')
			die_at(r, "has no quote at the end of field %d", r->nfields);
		from += quoted;
		if (*from && *from != ',')
			die_at(r, "goes on behind the quote at the end of field %d", r->nfields);
		if (!*from)
			break;
		*to++ = '\0';
	}
	*to = '\0';
}

/* The column of numbers of runs with that key; NULL: there is none. */
static const struct column *find_number(const char *key)
{
	for (int i = 0; i < LENGTH(columns); i++)
		if (columns[i].in & CSV && columns[i].cell == cell_number && !strcmp(columns[i].key, key))
			return &columns[i];
	return NULL;
}

/* The line of column names. What is not known here is left alone. */
static void read_columns(struct reader *r)
{
	static const char *const first[] = { "row", "round", "ns", "outcome" };

	cut_fields(r, r->text);
	r->ncolumns = r->nfields;
	for (int i = 0; i < LENGTH(first); i++)
		if (i >= r->nfields || strcmp(r->fields[i], first[i]))
			die_at(r, "column %d is %s%.40s, not %s: the columns of a report begin row,round,ns,outcome, after lines '# key: value'",
			    i + 1, i < r->nfields ? "" : "missing", i < r->nfields ? r->fields[i] : "", first[i]);
	for (int i = 0; i < r->nfields; i++) {
		for (int k = 0; k < i; k++)
			if (!strcmp(r->fields[k], r->fields[i]))
				die_at(r, "has the column %.40s twice", r->fields[i]);
		r->columns[i] = find_number(r->fields[i]);
		if (!strcmp(r->fields[i], "detail"))
			r->detail = i;
		r->s->opt.cold |= !strcmp(r->fields[i], "resident");
		r->s->opt.counters |= !strcmp(r->fields[i], "task_clock_ms");
		r->s->has_saved |= !strcmp(r->fields[i], "saved_bytes");
		r->s->has_completions |= !strcmp(r->fields[i], "completions");
	}
}

static int64_t read_count(const struct reader *r, const char *what, const char *text, int64_t min, int64_t max)
{
	int64_t n = parse_count(text, min, max);

	if (n < min)
		die_at(r, "%s is %s%.40s%s, not a whole number from %" PRId64 " to %" PRId64, what, *text ? "\"" : "", *text ? text : "missing",
		    *text ? "\"" : "", min, max);
	return n;
}

/* The row of that name, made where there is none yet. */
static struct result *find_or_add_row(struct reader *r, const char *name)
{
	size_t length = strlen(name), tail = strlen(LARGE);
	struct session *s = r->s;
	struct result *row;

	if ((row = find_row(s, name)))
		return row;
	if (!*name)
		die_at(r, "has no name of a row");
	if (s->nresults == ROWS_MAX)
		die_at(r, "has row %d, %.40s: a report has at most %d", ROWS_MAX + 1, name, ROWS_MAX);
	row = &s->results[s->nresults++];
	*row = (struct result){ .name = strdup(name), .command = strncmp(name, "$ ", 2) ? NULL : strdup(name + 2) };
	row->large = !row->command && length > tail && !strcmp(name + length - tail, LARGE);
	return row;
}

/* The times of the control; of several such lines the last one counts. */
static void read_control(struct reader *r, char *times)
{
	struct result *control = &r->s->control;

	control->nsamples = 0;
	for (char *field; (field = strsep(&times, " "));) {
		struct sample x = { .ns = read_count(r, "control_ns", field, 1, NS_MAX), .round = r->control_round };

		if (control->nsamples < TESTED_MAX)
			append_sample(control, &x);
	}
}

/* A line "# key: value". Any other with a # is a comment. */
static void read_fact(struct reader *r)
{
	struct session *s = r->s;
	char *key = r->text + strspn(r->text, "# "), *value = strstr(key, ": ");
	const struct fact_row *row;

	if (!value || value == key || (size_t)(value - key) != strspn(key, "abcdefghijklmnopqrstuvwxyz_0123456789"))
		return;
	*value = '\0';
	value += 2;
	if (!strcmp(key, "run_lines"))
		r->run_lines = read_count(r, key, value, 0, INT64_MAX);
	if (is_concluded(key))
		return;
	row = find_fact_row(key);
	if (row && row->offset)
		*(int64_t *)((char *)s + row->offset) = read_count(r, key, value, 1, row->most);
	if (!strcmp(key, "control")) {
		free(r->control);
		r->control = strdup(value);
	}
	if (!strcmp(key, "control_round"))
		r->control_round = (int)read_count(r, key, value, 1, INT32_MAX);
	if (s->nfacts == FACTS_MAX)
		die_at(r, "is one more line '# key: value' than the %d that a report may have", FACTS_MAX);
	set_fact(s, key, "%s", value);
	if (!strcmp(key, "control_ns"))
		read_control(r, value);
}

/* "exit 3" or "signal 9", as wait(2) has it; 0: it is neither. */
static int parse_status(const char *text)
{
	bool signalled = !strncmp(text, "signal ", 7);
	int64_t n = signalled ? parse_count(text + 7, 1, 64) : !strncmp(text, "exit ", 5) ? parse_count(text + 5, 1, 255) : -1;

	return n < 0 ? 0 : (int)(signalled ? n : n << 8);
}

/* An outcome as put_outcome() writes it; false: it is none. */
static bool parse_outcome(const char *text, struct verdict *v)
{
	const char *why = strchr(text, ' ') ? strchr(text, ' ') + 1 : "";

	*v = (struct verdict){ .outcome = UNTRIED, .call = "the kernel", .said = "", .at = -1 };
	for (enum outcome i = COPIED; i <= MISMATCH; i++)
		if (i != REFUSED && i != FAILED && i != EXITED && !strcmp(text, outcomes[i].key))
			v->outcome = i;
	if (v->outcome != UNTRIED)
		return true;
	v->err = parse_errno(why);
	v->status = parse_status(why);
	if (!strncmp(text, "n/a ", 4) && v->err)
		v->outcome = REFUSED;
	else if (!strncmp(text, "failed ", 7))
		v->outcome = v->err ? FAILED : v->status ? EXITED : UNTRIED;
	return v->outcome != UNTRIED;
}

/* A line about one run. */
static void read_run(struct reader *r)
{
	struct sample x = { .counts = { -1, -1, -1, -1, -1, -1, -1, -1 }, .order = r->s->nruns, .cpu_ns = -1, .resident = -1,
		.saved = -1, .completions = -1, .copied = -1 };
	struct result *row;
	char *tail;

	if (*r->text == '#')
		die_at(r, "has a second heading: give each report in a file of its own");
	cut_fields(r, r->text);
	if (r->nfields != r->ncolumns)
		die_at(r, "has %d field%s, not %d", r->nfields, r->nfields == 1 ? "" : "s", r->ncolumns);
	if (r->before + r->s->nruns == SAMPLES_MAX)
		die_at(r, "is run %d: there may be %d at most, in all files together", SAMPLES_MAX + 1, SAMPLES_MAX);
	row = find_or_add_row(r, r->fields[0]);
	x.round = (int)read_count(r, "round", r->fields[1], 1, INT32_MAX);
	if (!parse_outcome(r->fields[3], &x.verdict))
		die_at(r, "outcome is \"%.40s\", not ok, shared, untouched, n/a ERRNO, failed ERRNO, failed exit N, failed signal N, failed "
		    "short, failed changed or mismatch", r->fields[3]);
	if (is_timed(x.verdict.outcome))
		x.ns = read_count(r, "ns", r->fields[2], 1, NS_MAX);
	for (int i = 4; i < r->nfields; i++) {
		const struct column *c = r->columns[i];
		double value = c ? strtod(r->fields[i], &tail) * (c->kind == MILLISECONDS ? 1e6 : 1) : 0;

		if (!c || !*r->fields[i] || !strcmp(r->fields[i], "-"))
			continue;
		if (*tail || !isdigit((unsigned char)*r->fields[i]) || !(value <= (double)NS_MAX))
			die_at(r, "%s is \"%.40s\", not a number from 0 on", c->key, r->fields[i]);
		*(int64_t *)((char *)&x + c->arg) = (int64_t)(value + 0.5);
	}
	if (r->detail >= 0 && *r->fields[r->detail]) {
		x.verdict.call = x.verdict.said = strdup(r->fields[r->detail]);
		x.verdict.at = parse_count(r->fields[r->detail], 0, INT64_MAX);
		append(&r->s->details, x.verdict.said);
	}
	if (row->nsamples == RUNS_MAX)
		die_at(r, "is run %d of %.40s: a row has at most %d", RUNS_MAX + 1, row->name, RUNS_MAX);
	add_run(row, &x);
	r->s->nruns++;
}

/* What the table of strategies knows of a row; a report may have rows that it has not. */
static const struct strategy *find_strategy(const struct result *r)
{
	for (int i = 0; i < LENGTH(strategies); i++) {
		size_t length = strlen(strategies[i].name);

		if (!strncmp(r->name, strategies[i].name, length) && (!r->name[length] || !strncmp(r->name + length, " + ", 3)
		    || !strcmp(r->name + length, LARGE)))
			return &strategies[i];
	}
	return r->command ? &command_row : NULL;
}

static void drop_row(struct result *r)
{
	free(r->tested);
	free((char *)r->name);
	free((char *)r->command);
	free(r->samples);
}

/* Leaves the rows that are asked for. */
static void select_rows(struct session *s, const struct options *o, bool *selected, bool *excluded)
{
	int kept = 0;

	for (int i = 0; i < s->nresults; i++) {
		bool wanted = !o->select.n || matches(&o->select, s->results[i].name, selected);

		if (!matches(&o->exclude, s->results[i].name, excluded) && wanted)
			s->results[kept++] = s->results[i];
		else
			drop_row(&s->results[i]);
	}
	s->nresults = kept;
}

/* Reads a file: its environment, and all runs of the rows that are wanted. */
static void read_report(struct session *s, const char *file, int before, const struct options *o, bool *selected, bool *excluded)
{
	struct reader reader = {
		.s = s, .file = file, .text = allocate(1, LINE_MAX_BYTES), .before = before, .run_lines = -1, .detail = -1, .control_round = 1,
	}, *r = &reader;
	struct text name;

	r->f = !strcmp(file, "-") ? stdin : fopen(file, "re");
	if (!r->f)
		die_errno(file, "open");
	fputs(file, begin_text(&name));
	s->file = end_line(&name);
	set_fact(s, "heading", "%s", file); /* the first, and in the place of none */
	s->results = allocate(ROWS_MAX, sizeof *s->results);
	do
		if (!read_csv_line(r))
			die_at(r, "the file ends before a line of column names: row,round,ns,outcome");
	while (*r->text == '#' ? read_fact(r), true : !*r->text);
	read_columns(r);
	while (read_csv_line(r))
		read_run(r);
	if (!s->nruns && r->run_lines)
		die_at(r, "the file ends before a first run");
	if (r->run_lines >= 0 && r->run_lines != s->nruns)
		die_at(r, "the file ends after %d runs, and says itself that it has %" PRId64 ": it is %s (or where that was meant, delete its line "
		    "run_lines)", s->nruns, r->run_lines, s->nruns < r->run_lines ? "cut" : "put together");
	select_rows(s, o, selected, excluded);
	for (int i = 0; i < s->nresults; i++)
		s->results[i].strategy = find_strategy(&s->results[i]);
	sort_rows(s);
	s->control_of = r->control ? find_row(s, r->control) : NULL; /* only now: rows have moved */
	if (r->f != stdin)
		fclose(r->f);
	free(r->text);
	free(r->control);
}

/* --compare: reads the files, and prints one as it was, or several beside each other. */
static void read_reports(struct session *sessions, const struct options *o)
{
	bool *selected = allocate(o->select.n, sizeof *selected), *excluded = allocate(o->exclude.n, sizeof *excluded);

	for (int i = 0, before = 0; i < o->files.n; before += sessions[i++].nruns) {
		sessions[i].opt.quiet = o->quiet;
		sessions[i].opt.verbose = o->verbose;
		read_report(&sessions[i], o->files.item[i], before, o, selected, excluded);
	}
	for (int i = 0; i < o->select.n + o->exclude.n; i++)
		if (!(i < o->select.n ? selected[i] : excluded[i - o->select.n]))
			die("--%s=%s: matches no row of these reports", i < o->select.n ? "select" : "exclude",
			    i < o->select.n ? o->select.item[i] : o->exclude.item[i - o->select.n]);
	for (int i = 0; i < o->files.n; i++) {
		struct session *s = &sessions[i];

		if (!s->nresults && o->select.n + o->exclude.n > 0)
			die("%s: no row is left: --select less narrowly, or --exclude less", s->file);
		rank(s, is_fact(s, "interrupted"));
		add_conclusions(s);
	}
	free(selected);
	free(excluded);
}

/* ---- Options: one table, from which usage and man page are made ---------------------------- */

static void print_help(FILE *);
static void print_man(FILE *);
static void print_version(FILE *);

/* Cuts a list of globs at its commas, but for those before a blank, which are in names. */
static void add_globs(struct list *list, const char *option, char *globs)
{
	while (globs) {
		char *glob = globs, *comma = globs;

		while ((comma = strchr(comma, ',')) && comma[1] == ' ')
			comma++;
		if (comma)
			*comma++ = '\0';
		if (!*glob)
			die("--%s: a glob is empty: " PROGRAM " --list --all names the rows", option);
		append(list, glob);
		globs = comma;
	}
}

#define OPTION(name) static void name(struct options *o, char *arg)

OPTION(set_list) { (void)arg; o->list = true; }
OPTION(set_select) { add_globs(&o->select, "select", arg); }
OPTION(set_exclude) { add_globs(&o->exclude, "exclude", arg); }
OPTION(set_all) { (void)arg; o->all = true; }
OPTION(set_in_order) { (void)arg; o->in_order = true; }
OPTION(set_no_verify) { (void)arg; o->no_verify = true; }
OPTION(set_verbose) { (void)arg; o->verbose = true; }
OPTION(set_quiet) { (void)arg; o->quiet = true; }
OPTION(set_help) { (void)arg; o->print = print_help; }
OPTION(set_version) { (void)arg; o->print = print_version; }
OPTION(set_man) { (void)arg; o->print = print_man; }
OPTION(set_cold) { (void)arg; o->cold = true; }
OPTION(set_overwrite) { (void)arg; o->overwrite = true; }
OPTION(set_counters) { (void)arg; o->counters = true; }

OPTION(set_with)
{
	if (!arg[strspn(arg, " \t\n")])
		die("--with=%s: is no command: name one that copies its standard input to its standard output", arg);
	for (int i = 0; i < o->with.n; i++)
		if (!strcmp(o->with.item[i], arg))
			die("--with=%s: is there twice: name each command once", arg);
	append(&o->with, arg);
}

OPTION(set_race)
{
	o->race = arg ? parse_count(arg, 1, SAMPLES_MAX) : RACE_BY_ROWS;
	if (arg && o->race < 0)
		die("--race=%s: is not a whole number of runs from 1 to %d", arg, SAMPLES_MAX);
}

OPTION(set_compare)
{
	o->compare = true;
	if (arg)
		append(&o->files, arg);
}

OPTION(set_until)
{
	for (int i = 0; i < LENGTH(untils); i++)
		if (!strcmp(untils[i].name, arg)) {
			o->until = i;
			return;
		}
	die("--until=%s: is nothing that the clock can wait for: use return, close or sync", arg);
}

OPTION(set_runs)
{
	int64_t n = parse_count(arg, 1, RUNS_MAX);

	if (n < 0)
		die("--runs=%s: is not a whole number from 1 to %d", arg, RUNS_MAX);
	o->runs = n;
}

OPTION(set_warmup)
{
	int64_t n = parse_count(arg, 0, RUNS_MAX);

	if (n < 0)
		die("--warmup=%s: is not a whole number of rounds from 0 to %d", arg, RUNS_MAX);
	o->warmup = (int)n;
}

OPTION(set_pause)
{
	o->pause = parse_time(arg);
	if (o->pause < 0)
		die("--pause=%s: is not a time from 0 to %d seconds, like 0.1 or 100ms", arg, PAUSE_MAX);
}

/* A command for one of the ends. */
static const char *end_command(const char *option, const char *command)
{
	if (!command[strspn(command, " \t\n")])
		die("--%s=%s: is no command: name one for /bin/sh", option, command);
	return command;
}

/* "HOST:PORT", "[HOST]:PORT", or where that is enough "PORT". */
static struct host parse_host(const char *option, char *arg, bool port_alone)
{
	struct host at = { .text = arg };
	char *copy = strdup(arg), *name = copy, *port = strrchr(name, ':'), *end;

	if (port)
		*port++ = '\0';
	else if (port_alone)
		port = name, name = NULL;
	if (name && *name == '[' && *(end = name + strlen(name) - 1) == ']') {
		name++;
		*end = '\0';
	} else if (name && strchr(name, ':')) {
		free(copy);
		die("--%s=%s: an address with colons is written in brackets, like [::1]:" PORT, option, arg);
	}
	if (!port || (name && !*name) || parse_count(port, port_alone ? 0 : 1, 65535) < 0) {
		free(copy);
		die("--%s=%s: is not %sHOST:PORT, like localhost:" PORT, option, arg, port_alone ? "PORT or " : "");
	}
	at.name = name;
	at.port = port;
	return at;
}

OPTION(set_send)
{
	o->send = true;
	o->to = arg ? parse_host("send", arg, false) : (struct host){ .text = NULL };
}

OPTION(set_receive)
{
	o->receive = true;
	o->at = arg ? parse_host("receive", arg, true) : (struct host){ .text = PORT, .port = PORT };
}

OPTION(set_tee)
{
	if (!*arg)
		die("--tee=: names no file: name one for the second output");
	o->tee = arg;
}

OPTION(set_from) { o->from = end_command("from", arg); }
OPTION(set_into) { o->into = end_command("into", arg); }

static const char *const contents[] = {
	[CONTENT_ZERO] = "zero", [CONTENT_RANDOM] = "random", [CONTENT_PAGE] = "page", [CONTENT_NOISE] = "noise",
};

OPTION(set_generate)
{
	const char *size = strchr(arg, ':');

	o->generate = 0;
	for (int i = 0; size && i < LENGTH(contents); i++)
		if (!strncmp(arg, contents[i], size - arg) && strlen(contents[i]) == (size_t)(size - arg)) {
			o->content = i;
			o->generate = parse_size(size + 1);
		}
	if (o->generate <= 0)
		die("--generate=%s: is not zero, random, page or noise, a colon, and a size from 1 byte on, like noise:256m", arg);
}

OPTION(set_size)
{
	o->size = parse_size(arg);
	if (o->size <= 0)
		die("--size=%s: is not a size from 1 byte to 8 EiB - 1, like 4096, 64k, 1.5m, 4MiB, or 4MB of 10^6 bytes", arg);
}

OPTION(set_seed)
{
	o->seed = parse_count(arg, 0, INT64_MAX);
	o->seeded = true;
	if (o->seed > INT64_MAX)
		die("--seed=%s: is not a whole number from 0 to %" PRId64, arg, INT64_MAX);
}

OPTION(set_format)
{
	for (int i = 0; i < LENGTH(formats); i++)
		if (!strcmp(formats[i].name, arg)) {
			o->format = &formats[i];
			return;
		}
	die("--format=%s: is no format: use text, markdown, csv, json or svg", arg);
}

OPTION(set_output)
{
	if (!*arg || !strcmp(arg, "-"))
		die("--output=%s: standard output carries the copy: name a file for the report", arg);
	if (o->noutputs == OUTPUTS_MAX)
		die("--output=%s: is one more than the %d reports that there can be", arg, OUTPUTS_MAX);
	o->outputs[++o->noutputs].name = arg;
}

/* A file has the format that its extension names, else that of --format; the other is printed, if --format has not been used up, and
 * else text. */
static void find_formats(struct options *o)
{
	bool used = false;

	for (int i = 1; i <= o->noutputs; i++) {
		const char *name = o->outputs[i].name, *extension = strrchr(name, '.');

		for (int k = 0; k < LENGTH(formats); k++)
			if (extension && !strchr(extension, '/') && !strcasecmp(extension, formats[k].extension))
				o->outputs[i].format = &formats[k];
		if (!o->outputs[i].format) {
			o->outputs[i].format = o->format ? o->format : formats;
			used = true;
		}
	}
	o->outputs[0].format = o->quiet && o->noutputs ? NULL : o->format && !used ? o->format : formats;
}

/* To add an option: write its handler, add it here. A row without a handler is a heading; an
 * option without a letter is long only; help is wrapped where it is printed. */
static const struct option_row {
	char letter;
	const char *name, *arg;
	void (*set)(struct options *, char *arg);
	const char *help;
} option_rows[] = {
	{ 0, "Rows", NULL, NULL, NULL },
	{ 'l', "list", NULL, set_list,
	  "list the rows, with what each calls, its first kernel, and which real program copies so, and stop; where both ends are "
	  "redirected, those that fit them, on standard error" },
	{ 's', "select", "GLOB[,GLOB]...", set_select,
	  "of the rows that would be run, only those whose name matches one of the shell patterns; a row's full name is taken "
	  "wherever it stands" },
	{ 'x', "exclude", "GLOB[,GLOB]...", set_exclude, "not the rows whose name matches" },
	{ 'a', "all", NULL, set_all,
	  "every strategy with every advice it can take, the slow rows too; read+write 1, two calls a byte, has to be named, except "
	  "into a pipe; into a pipe or socket it copies the first MiB" },
	{ 'w', "with", "COMMAND", set_with,
	  "one more row: COMMAND, run by /bin/sh, copies its standard input to its standard output (and to \"$TEE\", with --tee); it "
	  "finds the number of bytes in $SIZE; repeatable" },
	{ 0, "Measuring", NULL, NULL, NULL },
	{ 'n', "runs", "N", set_runs, "runs of each row; default 3" },
	{ 0, "warmup", "N", set_warmup, "rounds before the first that counts; default 0" },
	{ 'r', "race", "[=RUNS]", set_race,
	  "spend RUNS runs in all (default 6 a row) to name a winner: after each phase the better half of the rows, by median, goes on" },
	{ 'p', "pause", "SECONDS", set_pause,
	  "sleep before each run; half of it may be spent on emptying the output; default 0.1" },
	{ 0, "until", "return|close|sync", set_until,
	  "what the clock waits for: the return of the last call (default); the close of the output, where NFS and FUSE flush, "
	  "and ext4, XFS and btrfs do after a truncate; or fdatasync" },
	{ 0, "cold", NULL, set_cold,
	  "evict the input from the page cache before each run, and tell how much of it stayed (what lies below a loop device "
	  "or a network may have a cache of its own)" },
	{ 0, "overwrite", NULL, set_overwrite,
	  "keep the output's blocks from run to run instead of emptying it; before each run they are filled with other bytes, "
	  "and each copy is compared" },
	{ 0, "in-order", NULL, set_in_order,
	  "row after row, as the table lists them; default is rounds, each in a fresh shuffled order" },
	{ 0, "seed", "N", set_seed, "the shuffle's seed; default: a random one, which the report tells" },
	{ 0, "no-verify", NULL, set_no_verify,
	  "skip the full byte compare that each row gets once: exit status 0 then says that every call has claimed "
	  "to copy all, and that files have the right size, not that the bytes are right" },
	{ 'z', "size", "SIZE", set_size,
	  "copy only the first SIZE bytes, like 4096, 64k, 1.5m, 4MiB (powers of 1024) or 4MB (10^6); needed where the input has no end" },
	{ 0, "Ends", NULL, NULL, NULL },
	{ 0, "from", "COMMAND", set_from,
	  "the input is what COMMAND, run by /bin/sh, writes to its standard output; it is run anew for each run, from the start of "
	  "the clock on, and finds in $SIZE what --size says" },
	{ 0, "into", "COMMAND", set_into,
	  "the output is the standard input of COMMAND, which is run anew for each run; the clock stops when it has ended; what it "
	  "writes to its own standard output is thrown away; at pipes, also those of commands, rows are run with one of 64 KiB and, "
	  "as NAME (pipe 1m), with one of 1 MiB, and a * marks those that wait for their input most of the time" },
	{ 't', "tee", "FILE", set_tee,
	  "a second output, FILE, made or emptied as tee(1) does, and left there whatever comes: rows that write to "
	  "both, and --with finds its name in $TEE" },
	{ 0, "send", "[=HOST:PORT]", set_send,
	  "the output is a TCP connection to a --receive there, or to one of its own on loopback: a new one for each run; the clock "
	  "stops when the receiver has said how many bytes it has, and their checksum" },
	{ 0, "receive", "[=[HOST:]PORT]", set_receive,
	  "be the receiver, until a signal ends it: take streams from one --send after the other, and throw them away or, with "
	  "standard output redirected, keep the last one; default is port " PORT " of loopback; port 0 is one that is free" },
	{ 'g', "generate", "zero|random|page|noise:SIZE", set_generate,
	  "be a generator: write SIZE bytes to standard output and stop: zeros; one random page again and again; pages as the "
	  "allocator gives them, untouched; or noise, in which no two blocks are alike" },
	{ 0, "Reports", NULL, NULL, NULL },
	{ 'f', "format", "text|markdown|csv|json|svg", set_format,
	  "what is printed, to standard error, since standard output carries the copy (--list, --compare, --help, --man: standard "
	  "output); default text; svg: a picture, or of several files a map" },
	{ 'o', "output", "FILE", set_output,
	  "write the report to FILE too; repeatable; its extension names the format (.txt .md .csv .json .svg), else -f does" },
	{ 'v', "verbose", NULL, set_verbose, "all that is known of the session below the table; default is 10 lines at most" },
	{ 0, "counters", NULL, set_counters,
	  "count, with the kernel's share, task-clock, context-switches, cpu-migrations, page-faults, cycles, instructions, "
	  "branches and branch-misses of each row; - where the kernel gives none" },
	{ 0, "compare", " FILE...", set_compare,
	  "read reports in CSV: one is printed again in the format that is asked for; of two also what changed, tested; of "
	  "several each row relative to its file's fastest" },
	{ 'q', "quiet", NULL, set_quiet, "the table alone; with --output only the recommendation" },
	{ 'h', "help", NULL, set_help, "print this help and stop" },
	{ 'V', "version", NULL, set_version, "print the version and stop" },
	{ 0, "man", NULL, set_man, "print the manual page, for man(1), and stop" },
};

static const char summary[] = "find the fastest way to copy standard input to standard output";
static const char description[] =
	"Copies standard input to standard output several times with every strategy that Linux has for it, and with "
	"every advice that is worth giving. Checks each copy against the input. Prints the best, median and worst run "
	"of each row, and how far its best run is behind the best of all. ~ marks the rows that may be the fastest: with 95 % confidence the "
	"fastest is among them. A run during which the program was stopped, or the machine suspended, "
	"is repeated. Standard output (and the second one of "
	"--tee) is a copy of standard input when the exit status is 0; a pipe can't be emptied, and gets the bytes of every run.";
static const struct {
	const char *status, *meaning;
} statuses[] = {
	{ "0", "All rows were measured, or are not applicable here." },
	{ "1", "A row failed or copied wrongly, or the report could not be written." },
	{ "2", "Bad usage, or refused to start: nothing has been touched." },
	{ "128+N", "Interrupted by signal N; what had been measured is printed." },
};

static void print_version(FILE *f)
{
	fprintf(f, PROGRAM " " VERSION COMMIT "\n");
}

/* An argument that may be missing is written with what separates it: "[=RUNS]", or " FILE...". */
static bool is_optional(const struct option_row *o)
{
	return o->arg && strchr("[ ", *o->arg);
}

/* "-o, --output=FILE" */
static const char *option_text(char text[80], const struct option_row *o)
{
	char letter[] = { '-', o->letter, ',', ' ', '\0' };

	snprintf(text, 80, "%s--%s%s%s", o->letter ? letter : "    ", o->name, o->arg && !is_optional(o) ? "=" : "",
	    o->arg ? o->arg : "");
	return text;
}

static void print_help(FILE *f)
{
	enum { INDENT = 30 };
	char text[80];

	fprintf(f, "Usage: " PROGRAM " [OPTION]... <INPUT >OUTPUT\n       " PROGRAM " [OPTION]... --compare FILE...\n"
	    "       " PROGRAM " --generate=KIND:SIZE >OUTPUT\n"
	    "       " PROGRAM " --receive[=[HOST:]PORT] [>OUTPUT]\n");
	put_wrapped(f, description, TEXT_WIDTH, 0, 0);
	for (int i = 0; i < LENGTH(option_rows); i++) {
		const struct option_row *o = &option_rows[i];

		if (!o->set) {
			fprintf(f, "\n%s\n", o->name);
			continue;
		}
		int used = fprintf(f, "  %s", option_text(text, o));
		if (used > INDENT - 2)
			used = fprintf(f, "\n") - 1;
		fprintf(f, "%*s", INDENT - used, "");
		put_wrapped(f, o->help, TEXT_WIDTH, INDENT, INDENT);
	}
	fprintf(f, "\nExit status\n");
	for (int i = 0; i < LENGTH(statuses); i++)
		fprintf(f, "  %-6s %s\n", statuses[i].status, statuses[i].meaning);
}

/* Text as roff has it: a hyphen is not a minus sign there, and a dot may begin a command. */
static void put_roff(FILE *f, const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", f);
	for (; *text; text++)
		fputs(*text == '-' ? "\\-" : *text == '\\' ? "\\e" : (char[]){ *text, '\0' }, f);
	fputc('\n', f);
}

/* A term and what it means, in a list of man(7). */
static void put_term(FILE *f, const char *term, const char *help)
{
	fprintf(f, ".TP\n.B ");
	put_roff(f, term);
	put_roff(f, help);
}

/* The keys of reports for programs. */
static void print_schema(FILE *f)
{
	static const struct {
		int in;
		const char *title;
	} lists[] = { { CSV, "Columns of CSV" }, { JSON, "Members of a row in JSON" }, { PAIRS, "The same of --compare with several files" } };

	fprintf(f, ".SH REPORTS FOR PROGRAMS\nCSV: lines \\(dq# key: value\\(dq, a line of column names, and a line for each run. "
	    "JSON: {\\(dqenvironment\\(dq: {...}, \\(dqrows\\(dq: [...]}, with numbers as numbers and null for one that is missing; of several files "
	    "{\\(dqfiles\\(dq: [{\\(dqfile\\(dq, \\(dqenvironment\\(dq}...], \\(dqrows\\(dq: [...]}. Times are nanoseconds.\n"
	    ".SS Keys of the environment\n");
	for (int i = 0; i < LENGTH(fact_rows); i++)
		put_term(f, fact_rows[i].key, fact_rows[i].help);
	put_term(f, "warning_...", "what makes the numbers worth less, and a remedy");
	for (int k = 0; k < LENGTH(lists); k++) {
		fprintf(f, ".SS %s\n", lists[k].title);
		for (int i = 0; i < LENGTH(columns); i++)
			if (columns[i].in & lists[k].in)
				put_term(f, columns[i].key, columns[i].title);
	}
}

/* man(7). */
static void print_man(FILE *f)
{
	char text[80];

	fprintf(f, ".TH WRITE\\-BENCH 1 \"\" \"" PROGRAM " " VERSION COMMIT "\" \"User Commands\"\n"
	    ".SH NAME\n" "write\\-bench \\- %s\n"
	    ".SH SYNOPSIS\n" ".B write\\-bench\n" "[\\fIOPTION\\fR]... <\\fIINPUT\\fR >\\fIOUTPUT\\fR\n"
	    ".br\n.B write\\-bench\n" "[\\fIOPTION\\fR]... \\-\\-compare \\fIFILE\\fR...\n"
	    ".br\n.B write\\-bench\n" "\\-\\-generate=\\fIKIND\\fR:\\fISIZE\\fR >\\fIOUTPUT\\fR\n"
	    ".br\n.B write\\-bench\n" "\\-\\-receive[=[\\fIHOST\\fR:]\\fIPORT\\fR] [>\\fIOUTPUT\\fR]\n"
	    ".SH DESCRIPTION\n", summary);
	put_roff(f, description);
	fprintf(f, ".SH OPTIONS\n");
	for (int i = 0; i < LENGTH(option_rows); i++) {
		const struct option_row *o = &option_rows[i];

		if (o->set) {
			put_term(f, option_text(text, o) + strspn(text, " "), o->help);
		} else {
			fprintf(f, ".SS %s\n", o->name);
		}
	}
	fprintf(f, ".SH EXIT STATUS\n");
	for (int i = 0; i < LENGTH(statuses); i++)
		put_term(f, statuses[i].status, statuses[i].meaning);
	print_schema(f);
	fprintf(f, ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nIf set and not empty, a report on a terminal has no colour.\n"
	    ".TP\n.B TMPDIR\nWhere an input that comes from a pipe is kept, if it is larger than a quarter of memory; /tmp by default.\n"
	    ".SH EXAMPLES\n.EX\nwrite\\-bench \\-g noise:256m >X\nwrite\\-bench <X >Y\n"
	    "write\\-bench \\-\\-runs=10 \\-\\-select=\\(aqsendfile*,read+write*\\(aq <X >Y\n"
	    "write\\-bench \\-\\-with=cat \\-\\-with=\\(aqdd bs=1M\\(aq \\-\\-until=sync <X >Y\n"
	    "write\\-bench \\-\\-race <X >Y\n"
	    "zcat X.gz | write\\-bench >Y\n"
	    "write\\-bench \\-\\-from=\\(aqzcat X.gz\\(aq \\-\\-into=\\(aqwc \\-l\\(aq\n"
	    "write\\-bench \\-z 1g \\-\\-into=\\(aqwc \\-c\\(aq </dev/zero\n"
	    "write\\-bench \\-\\-tee=Z \\-\\-with=\\(aqtee \"$TEE\"\\(aq <X >Y\n"
	    "write\\-bench \\-\\-send <X\nwrite\\-bench \\-o old.csv <X >Y\n"
	    "write\\-bench \\-n 10 \\-o report.csv \\-o report.svg <X >Y\n"
	    "write\\-bench \\-\\-compare old.csv report.csv\n.EE\n"
	    ".SH SEE ALSO\n.BR cp (1),\n.BR dd (1),\n.BR copy_file_range (2),\n.BR sendfile (2),\n.BR splice (2)\n");
}

/* Options that contradict each other. */
static void check_options(const struct options *o)
{
	if (o->print)
		return;
	if (o->compare && o->measuring)
		die("--compare: reads what was measured: leave out --%s", o->measuring);
	if (o->compare && !o->files.n)
		die("--compare: needs files: name reports that --format=csv has written");
	if (o->generate && (o->measuring || o->compare || o->select.n || o->exclude.n || o->format || o->noutputs))
		die("--generate: writes bytes to standard output and stops: leave out %s%s", o->measuring ? "--" : "options of rows and reports",
		    o->measuring ? o->measuring : "");
	if (o->receive && (o->measuring || o->compare || o->generate || o->select.n || o->exclude.n || o->format || o->noutputs))
		die("--receive: takes what others send: leave out %s%s", o->measuring ? "--" : "all other options", o->measuring ? o->measuring : "");
	if (o->list && o->noutputs)
		die("--list: is printed: redirect it, and leave out --output");
	if (o->send && o->into)
		die("--send: is an output, as --into: leave out one of them");
	if (o->race && o->runs)
		die("--race: deals out the runs itself: leave out --runs, or use --race=RUNS");
	if (o->race && o->in_order)
		die("--race: goes by rounds: leave out --in-order");
}

/* What is wrong with a long option. */
__attribute__((noreturn)) static void die_unknown(const char *what)
{
	size_t length = strcspn(what + 2, "=");
	struct text text;
	int found = 0;

	begin_text(&text);
	for (int i = 0; i < LENGTH(option_rows); i++) {
		if (!option_rows[i].set || strncmp(option_rows[i].name, what + 2, length))
			continue;
		fprintf(text.f, "%s--%s", found++ ? ", " : "", option_rows[i].name);
		if (strlen(option_rows[i].name) == length)
			die("%.*s: takes no argument: leave out what follows it", (int)length + 2, what);
	}
	end_text(&text);
	if (found > 1)
		die("%s: is short for several: %s", what, text.chars);
	if (found)
		die("%s: takes no argument: leave out what follows it", text.chars);
	die("%s: is no option: --help lists them", what);
}

/* A command line, as a shell would take it. */
static char *quote_arguments(char **argv)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
	struct text text;

	begin_text(&text);
	for (int i = 0; argv[i]; i++) {
		bool quote = !*argv[i] || argv[i][strspn(argv[i], plain)];

		fprintf(text.f, "%s%s", i ? " " : "", quote ? "'" : "");
		for (const char *c = argv[i]; *c; c++)
			fprintf(text.f, *c == '\'' ? "'\\''" : "%c", *c);
		fputs(quote ? "'" : "", text.f);
	}
	return end_text(&text);
}

/* Reads the command line. Messages are our own: those of getopt(3) differ from libc to libc. */
static void parse_options(struct options *opt, int argc, char **argv)
{
	struct option longs[LENGTH(option_rows) + 1] = { { 0 } };
	char shorts[4 * LENGTH(option_rows) + 2] = ":"; /* a missing argument is told by ':' */
	const char *heading = "";
	int c, n = 0;

	*opt = (struct options){ .pause = PAUSE_DEFAULT, .command_line = quote_arguments(argv) };
	for (int i = 0; i < LENGTH(option_rows); i++) {
		const struct option_row *o = &option_rows[i];

		if (!o->set)
			continue;
		int argument = !o->arg ? no_argument : is_optional(o) ? optional_argument : required_argument;

		longs[n++] = (struct option){ o->name, argument, NULL, 256 + i };
		if (o->letter)
			snprintf(shorts + strlen(shorts), 4, "%c%.*s", o->letter, argument, "::"); /* 0, 1 or 2: getopt.h */
	}
	opterr = 0;
	while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		const char *what = argv[(optind < argc ? optind : argc) - 1]; /* musl counts an argument that is missing */

		if (c == ':')
			die("%s: needs an argument: --help tells which", what);
		if (c == '?' && optopt && optopt < 256)
			die("-%c: is no option: --help lists them", optopt);
		if (c == '?')
			die_unknown(what);
		for (int i = 0; i < LENGTH(option_rows); i++) {
			const struct option_row *o = &option_rows[i];

			heading = o->set ? heading : o->name;
			if (!o->set || (c != 256 + i && c != o->letter))
				continue;
			o->set(opt, optarg);
			if (!strcmp(heading, "Measuring") || o->set == set_from || o->set == set_into || o->set == set_with || o->set == set_all || o->set == set_list
			    || o->set == set_counters || o->set == set_tee || o->set == set_send)
				opt->measuring = o->name;
		}
	}
	for (; opt->compare && optind < argc; optind++)
		append(&opt->files, argv[optind]);
	for (int i = 0; i < opt->files.n; i++)
		if (is_behind(STDERR_FILENO, opt->files.item[i]))
			exit(EXIT_REFUSED); /* no message is to stand in it */
	check_options(opt);
	find_formats(opt);
	if (optind < argc && !opt->print)
		die("%s: is not expected: input and output are redirected: " PROGRAM " <INPUT >OUTPUT", argv[optind]);
	if (!opt->seeded && getrandom(&opt->seed, sizeof opt->seed, GRND_NONBLOCK) < 0)
		opt->seed = now();
	opt->runs = opt->runs ? opt->runs : RUNS_DEFAULT;
	opt->seed &= INT64_MAX >> (opt->seeded ? 0 : 31); /* a random one that is short enough to type */
}

/* ---- main: what happens, in this order ----------------------------------------------------- */

/* Tables are checked at every start: a mistake in one is a wrong number in somebody's report. */
static void check_tables(void)
{
	for (int i = 0; i < LENGTH(strategies); i++) {
		const struct strategy *a = &strategies[i];

		if (!a->copy || !a->calls || !a->since || !a->as || !a->in || !a->out || !a->outs || !a->possible
		    || a->usual & ~a->possible & ~BY_NAME || a->possible >> LENGTH(advices))
			die("strategies[]: row %d (%s) is malformed: mend the table", i, a->name);
		for (int k = 0; k < LENGTH(advices); k++) {
			struct ends from = { KIND_PIPE, { KIND_ANY, KIND_ANY }, ONE | TWO }, into = { KIND_ANY, { KIND_PIPE, KIND_ANY }, ONE | TWO };
			bool piped = fits(a, k, &from) || fits(a, k, &into);
			char *name = row_name(a, &advices[k], piped);

			if (a->possible & 1U << k && strlen(name) > NAME_WIDTH)
				die("strategies[]: %s is longer than the table is wide: shorten it", name);
			free(name);
		}
		for (int k = 0; k < i; k++)
			if (!strcmp(strategies[k].name, a->name))
				die("strategies[]: %s is there twice: rename one", a->name);
	}
	for (int i = 0; i < LENGTH(option_rows); i++)
		for (int k = 0; k < i; k++)
			if (!strcmp(option_rows[k].name, option_rows[i].name)
			    || (option_rows[i].letter && option_rows[k].letter == option_rows[i].letter))
				die("option_rows[]: --%s is there twice: rename one", option_rows[i].name);
}

/* Descriptors 0 to 2 that are closed are filled, each so that using it fails as if it were still
 * closed: else the first file that we open would become standard error. */
static unsigned fill_closed_descriptors(void)
{
	unsigned closed = 0;

	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0) {
			closed |= 1U << fd;
			if (open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0)
				exit(EXIT_REFUSED);
		}
	return closed;
}

static void on_alarm(int number)
{
	(void)number;
	alarm(1);
}

/* It may have come just before a call that blocks: so it is followed up by alarms, again and again. Both calls
 * are safe in a handler (signal-safety(7)). */
static void on_signal(int number)
{
	struct sigaction action = { .sa_handler = on_alarm };

	caught = number;
	sigaction(SIGALRM, &action, NULL);
	alarm(1);
}

/* It only interrupts a system call. */
static void on_interruption(int number)
{
	(void)number;
}

/* We have been stopped, and go on. */
static void on_continuation(int number)
{
	(void)number;
	standstills++;
}

/* A peer or a command has ended, which is not news here, or been stopped, maybe for good, or goes on. */
static void on_child(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	standstills += info->si_code == CLD_CONTINUED;
}

/* Calls are interrupted, not restarted: the copy ends at once. SIGPIPE and SIGXFSZ would end the
 * program where EPIPE and EFBIG end the row. SIGHUP stays ignored under nohup(1); SIGINT does not
 * where a shell ignores it for what it starts in the background, since there is a report to save. */
static void catch_signals(void)
{
	static const int stops[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal }, old;
	struct sigaction interruption = { .sa_handler = on_interruption };
	struct sigaction child = { .sa_sigaction = on_child, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigaction continuation = { .sa_handler = on_continuation, .sa_flags = SA_RESTART };
	struct sigaction bus = { .sa_sigaction = on_bus, .sa_flags = SA_SIGINFO | SA_NODEFER };

	for (int i = 0; i < LENGTH(stops); i++)
		if (stops[i] != SIGHUP || (!sigaction(SIGHUP, NULL, &old) && old.sa_handler != SIG_IGN))
			sigaction(stops[i], &action, NULL);
	sigaction(SIGBUS, &bus, NULL);
	sigaction(SIGUSR1, &interruption, NULL);
	sigaction(SIGCONT, &continuation, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	sigaction(SIGCHLD, &child, NULL); /* where it is ignored, commands have no exit status: wait(2) */
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); /* Linux 3.4; without it we don't wait for what they leave */
}

/* "--tee=FILE", for messages. */
static char *tee_label(const char *file)
{
	struct text text;

	fprintf(begin_text(&text), "--tee=%s", file);
	return end_text(&text);
}

/* What is behind standard input and output, as far as there are operations for it. */
static void find_ends(struct session *s)
{
	struct port *in = &s->in, *out = &s->out[0], *all[] = { in, out, &s->out[1] };

	*in = (struct port){ .label = "standard input", .fd = STDIN_FILENO };
	*out = (struct port){ .label = "standard output", .fd = STDOUT_FILENO };
	if (!(s->closed & 1) && !fstat(in->fd, &in->st))
		in->ops = find_port(sources, LENGTH(sources), in->st.st_mode & S_IFMT);
	if (!(s->closed & 2) && !fstat(out->fd, &out->st))
		out->ops = find_port(sinks, LENGTH(sinks), out->st.st_mode & S_IFMT);
	if (s->opt.from)
		*in = (struct port){
			.label = "--from", .fd = -1, .option = "from", .command = s->opt.from, .ops = find_port(sources, LENGTH(sources), 0),
		};
	if (s->opt.into)
		*out = (struct port){
			.label = "--into", .fd = -1, .option = "into", .command = s->opt.into, .ops = find_port(sinks, LENGTH(sinks), 0),
		};
	if (s->opt.send)
		*out = (struct port){
			.label = "--send", .fd = -1, .option = "send", .ops = s->opt.to.text ? &remote_receiver : &own_receiver,
		};
	s->nout = s->opt.tee ? 2 : 1;
	s->out[1] = (struct port){ .label = s->opt.tee ? tee_label(s->opt.tee) : "--tee", .fd = -1, .option = "tee" };
	for (int i = 0; i < LENGTH(all); i++)
		all[i]->bytes = all[i]->said = all[i]->answer = all[i]->gate = all[i]->reread = all[i]->fresh = all[i]->held = -1;
}

/* A command copies to the end of its input: where there is none, it has to know how much is wanted. */
static void check_commands(const struct session *s)
{
	for (int i = 0; i < s->opt.with.n; i++)
		if (s->in.size < 0 && !strstr(s->opt.with.item[i], "SIZE"))
			die("--with=%s: would %s: use $SIZE, like head -c $SIZE", s->opt.with.item[i],
			    s->in.command ? "copy what --from gives after the --size that is wanted" : "never end, as its input");
}

/* Refuses ends that can't be benchmarked, and finds out how much there is to copy. */
static void open_ends(struct session *s)
{
	struct statfs fs;

	open_source(&s->in, s->closed & 1, &s->opt);
	open_sink(&s->out[0], &s->in, s->closed & 2, &s->opt);
	if (s->nout > 1)
		open_second(&s->out[1], &s->out[0], &s->in, &s->opt);
	s->len = s->in.size;
	if (s->opt.size && (s->len < 0 || s->opt.size < s->len))
		s->len = s->opt.size;
	s->bs = fstatfs(s->out[0].fd, &fs) || fs.f_bsize <= 0 ? BS_UNKNOWN : (int64_t)fs.f_bsize;
}

/* Kind of an end for --list: one that is not redirected, so to say, fits all. A list that goes into a pipe
 * leaves open where a copy would go. */
static unsigned list_kind(const struct port *port)
{
	bool nothing = port->fd == STDIN_FILENO ? is_mem(&port->st, MEM_NULL) : port->fd == STDOUT_FILENO && S_ISFIFO(port->st.st_mode);

	return !port->ops || nothing || isatty(port->fd) ? KIND_ANY : port->ops->kind;
}

/* The ends for --list: where none is known, and more than the usual rows are asked for, there may be one output or two. */
static struct ends listed_ends(const struct session *s)
{
	struct ends ends = { .in = list_kind(&s->in), .out = { list_kind(&s->out[0]), KIND_FILE }, .outs = s->opt.tee ? TWO : ONE };
	const struct port_ops *ops;
	struct stat st;

	if (s->opt.tee && !stat(s->opt.tee, &st) && (ops = find_port(sinks, LENGTH(sinks), st.st_mode & S_IFMT)))
		ends.out[1] = ops->kind;
	if (ends.in == (unsigned)KIND_ANY && ends.out[0] == (unsigned)KIND_ANY && !s->opt.tee && (s->opt.all || s->opt.select.n))
		ends.outs = ONE | TWO;
	return ends;
}

/* A row that is too slow for a pattern is only meant by one without wildcards. */
static bool is_named(const struct list *globs, const char *name)
{
	for (int i = 0; i < globs->n; i++)
		if (!strcmp(globs->item[i], name))
			return true;
	return false;
}

/* "$ COMMAND", as one line of a table that is valid in every format. */
static const char *command_name(const char *command)
{
	struct text text;

	fprintf(begin_text(&text), "$ %s", command);
	return end_line(&text);
}

/* Is it run where nothing is selected? At pipes and sockets without advice, if it can do without. */
static bool is_usual(const struct strategy *strategy, int advice, const struct ends *ends)
{
	unsigned streams = (ends->in == KIND_PIPE ? FROM : 0) | (ends->out[0] == KIND_PIPE ? INTO : ends->out[0] == KIND_SOCKET ? NET : 0);
	unsigned simple = strategy->possible & PLAIN ? PLAIN : TRUNC | FALLOC;

	return streams && ends->outs == ONE ? (strategy->streams & streams) == streams && simple & 1U << advice : strategy->usual & 1U << advice;
}

/* Names for a sentence: the first of them, and that there are more. */
static void add_near(struct text *t, int *n, const char *name)
{
	if (++*n <= NAMES_SHOWN)
		fprintf(t->f, "%s%s", *n > 1 ? ", " : "", name);
	else if (*n == NAMES_SHOWN + 1)
		fputs(", ...", t->f);
}

/* What a pattern that matches no row might have meant: rows that other options would bring, or names that begin as it does. */
__attribute__((noreturn)) static void die_unmatched(const struct options *o, const char *option, const char *glob, const struct ends *ends)
{
	size_t piece = strcspn(glob, "*?["), same = piece < 4 ? piece : 4;
	struct text texts[3]; /* names that --all would bring, that need other ends, that are near */
	const char *needed = "";
	int n[3] = { 0 };

	for (int i = 0; i < LENGTH(texts); i++)
		begin_text(&texts[i]);
	for (int i = 0; i < LENGTH(strategies) * LENGTH(advices); i++) {
		const struct strategy *strategy = &strategies[i / LENGTH(advices)];
		int advice = i % LENGTH(advices), kind = 2;
		char *name = row_name(strategy, &advices[advice], false);

		if (strategy->possible & 1U << advice && !fnmatch(glob, name, 0))
			kind = !fits(strategy, advice, ends) ? 1 : strategy->usual & BY_NAME && ends->out[0] != KIND_PIPE ? 2 : 0;
		if (strategy->possible & 1U << advice && (kind < 2 || (same && advice == 0 && !strncmp(name, glob, same))))
			add_near(&texts[kind], &n[kind], name);
		needed = kind == 1 && n[1] == 1 ? needs_text(strategy, ends) : needed;
		free(name);
	}
	for (int i = 0; i < LENGTH(texts); i++)
		end_text(&texts[i]);
	if (n[0] && !o->all)
		die("--%s=%s: matches no row that would be run: with --all: %s", option, glob, texts[0].chars);
	if (n[1])
		die("--%s=%s: matches no row for these ends: %s needs %s", option, glob, texts[1].chars, needed);
	if (n[2])
		die("--%s=%s: matches no row: near it: %s", option, glob, texts[2].chars);
	die("--%s=%s: matches no row: " PROGRAM " --list --all names them", option, glob);
}

/* Makes the rows: strategies times advices, and times the sizes of pipes where an end is one, as far as they are
 * wanted and fit the ends. */
static void choose_rows(struct session *s, const struct ends *ends)
{
	const struct options *o = &s->opt;
	bool *selected = allocate(o->select.n, sizeof *selected), *excluded = allocate(o->exclude.n, sizeof *excluded);
	bool piped = ends->in == KIND_PIPE || ends->out[0] == KIND_PIPE || (ends->outs == TWO && ends->out[1] == KIND_PIPE);
	int sizes = piped ? 2 : 1;
	struct ends named = *ends; /* a row that is named may be for a pipe or socket, or another number of outputs: it will be n/a */

	named.outs = ONE | TWO;
	named.out[0] |= KIND_PIPE | KIND_SOCKET;
	s->results = allocate(LENGTH(strategies) * LENGTH(advices) * sizes + o->with.n, sizeof *s->results);
	for (int i = 0; i < LENGTH(strategies) * LENGTH(advices) * sizes; i++) {
		const struct strategy *strategy = &strategies[i / sizes / LENGTH(advices)];
		int advice = i / sizes % LENGTH(advices);
		bool large = i % sizes;
		struct result r = { .strategy = strategy, .advice = &advices[advice], .large = large };

		if (!(strategy->possible & 1U << advice))
			continue;
		r.name = row_name(strategy, &advices[advice], large);
		bool is_name = is_named(&o->select, r.name);
		bool slow = strategy->usual & BY_NAME && ends->out[0] != KIND_PIPE && !(o->list && !o->select.n);
		bool wanted = is_name || (!slow && (o->all || is_usual(strategy, advice, ends)));

		wanted = wanted && fits(strategy, advice, is_name ? &named : ends) && (!o->select.n || matches(&o->select, r.name, selected));
		if (!matches(&o->exclude, r.name, excluded) && wanted)
			s->results[s->nresults++] = r;
		else
			free((char *)r.name);
	}
	for (int i = 0; i < o->with.n; i++)
		s->results[s->nresults++] = (struct result){
			.name = command_name(o->with.item[i]), .strategy = &command_row, .advice = advices, .command = o->with.item[i],
		};
	for (int i = 0; i < o->select.n; i++)
		if (!selected[i])
			die_unmatched(o, "select", o->select.item[i], ends);
	for (int i = 0; i < o->exclude.n; i++)
		if (!excluded[i])
			die_unmatched(o, "exclude", o->exclude.item[i], ends);
	if (!s->nresults)
		die("no row is left: --select less narrowly, --exclude less, or redirect to a file");
	free(selected);
	free(excluded);
}

/* How many runs there are to be. */
static void plan_runs(struct session *s)
{
	struct options *o = &s->opt;

	if (o->race == RACE_BY_ROWS)
		o->race = RACE_DEFAULT * s->nresults;
	if (o->race && s->nresults == 1)
		die("--race: takes two rows or more, not only %s: --select less narrowly", s->results->name);
	if (o->race && o->race < s->nresults)
		die("--race=%" PRId64 ": is less than one run for each of %d rows: use %d or more", o->race, s->nresults, s->nresults);
	if (!o->race && (int64_t)o->runs * s->nresults > SAMPLES_MAX)
		die("--runs=%d: of %d rows are more than %d in all: --select less", o->runs, s->nresults, SAMPLES_MAX);
}

/* The end of the session that is behind a descriptor, too; NULL: none is. */
static const struct port *find_end_behind(const struct session *s, int fd)
{
	const struct port *ports[] = { &s->in, &s->out[0], &s->out[1] };

	for (int i = 0; i < LENGTH(ports); i++)
		if (is_same(fd, ports[i]->fd))
			return ports[i];
	return NULL;
}

/* Would a message harm what is behind standard error: the input, a disk, or what the output held before? Then none is given. */
static bool must_be_silent(void)
{
	struct stat st;

	if (fstat(STDERR_FILENO, &st) || !S_ISREG(st.st_mode))
		return S_ISBLK(st.st_mode);
	return is_same(STDERR_FILENO, STDIN_FILENO) || backs_loop(STDERR_FILENO) || (!(fcntl(STDERR_FILENO, F_GETFL) & O_APPEND)
	    && lseek(STDERR_FILENO, 0, SEEK_CUR) < st.st_size && is_same(STDERR_FILENO, STDOUT_FILENO));
}

/* Opens a report's file for writing before the first run, but empties it only when there is
 * something to write. */
static void open_report(const struct session *s, struct output *o, FILE *otherwise)
{
	const char *name = o->name ? o->name : "the report";
	int fd = o->name ? open(name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666) : fileno(otherwise);
	const struct port *end;
	struct stat st;

	o->f = otherwise;
	if (fd < 0)
		die_errno(name, "open");
	if (!fstat(fd, &st) && (S_ISBLK(st.st_mode) || backs_loop(fd)))
		die("%s: is %s: use --output=FILE with another file", name, S_ISBLK(st.st_mode) ? "a block device" : "what a loop device lies on");
	if (!o->name)
		return;
	if ((end = find_end_behind(s, fd)))
		die("%s: is %s, which the report would spoil: use --output=FILE with another file", name, end->label);
	for (const struct output *other = s->opt.outputs + 1; other < o; other++)
		if (is_same(fileno(other->f), fd))
			die("%s: is there twice: name each report's file once", name);
	if (is_same(fd, STDERR_FILENO)) {
		close(fd); /* /dev/stderr: what a 2>>log holds is not ours to empty */
		o->f = stderr;
		return;
	}
	o->f = fdopen(fd, "w");
	if (!o->f)
		die_errno(name, "fdopen");
}

/* What is printed goes to one of our own streams. */
static void open_reports(struct session *s, FILE *printed)
{
	for (int i = 0; i <= s->opt.noutputs; i++)
		open_report(s, &s->opt.outputs[i], printed);
}

/* Writes all reports of so many sessions; false, with a message: one could not be written. */
static bool write_reports(struct session *s, const struct session *sessions, int n)
{
	char why[200];
	bool good = true;

	for (int i = s->opt.noutputs; i >= 0; i--) {
		struct output *o = &s->opt.outputs[i];
		bool ours = o->f == stderr || o->f == stdout;

		if (o->name && !ours && ftruncate(fileno(o->f), 0) && errno != EINVAL) /* an older and longer one must not show below this one */
			warn("%s: ftruncate: %s", o->name, errno_text(why, errno));
		if (!o->format && n == 1)
			fprintf(o->f, "%s\n", is_fact(sessions, "recommendation") ? fact(sessions, "recommendation") : "Nothing is recommended.");
		else if (o->format && n == 1)
			o->format->report(o->f, sessions);
		else if (o->format)
			o->format->comparison(o->f, sessions, n);
		if (!fflush(o->f) && !ferror(o->f) && (o->f == stderr || !fclose(o->f)))
			continue;
		warn("%s: write: %s", o->name ? o->name : "the report", errno_text(why, errno));
		good = false;
	}
	return good;
}

static void print_list(FILE *f, const struct session *s)
{
	int width = 0;

	for (int i = 0; i < s->nresults; i++)
		if ((int)strlen(s->results[i].name) > width)
			width = strlen(s->results[i].name);
	for (int i = 0; i < s->nresults; i++)
		fprintf(f, "%-*s  %-16s %-6s %s\n", width, s->results[i].name, s->results[i].strategy->calls,
		    s->results[i].strategy->since, s->results[i].strategy->as);
}

/* --list, --help, --man and --version. Where a copy would go no list does. */
static int print_and_stop(struct session *s)
{
	struct ends ends = listed_ends(s);
	bool redirected = !(s->closed & 1) && !isatty(STDIN_FILENO) && !is_mem(&s->in.st, MEM_NULL) && !isatty(STDOUT_FILENO);
	struct output *o = s->opt.outputs;
	char why[200];

	if (!s->opt.print)
		choose_rows(s, &ends);
	open_report(s, o, !s->opt.print && redirected ? stderr : stdout);
	if (s->opt.print)
		s->opt.print(o->f);
	else
		print_list(o->f, s);
	if (!fflush(o->f) && !ferror(o->f))
		return 0;
	warn("the report: write: %s", errno_text(why, errno));
	return EXIT_FAILED_ROW;
}

/* A name for each file in a table of several: without directory and .csv; or a number, where that would
 * be too long, or the same twice. */
static void find_titles(struct session *s, int n)
{
	enum { ROOM = 12 };
	bool good = true;

	for (int i = 0; i < n; i++) {
		const char *base = strrchr(s[i].file, '/') ? strrchr(s[i].file, '/') + 1 : s[i].file;
		size_t length = strlen(base);

		if (length > 4 && !strcmp(base + length - 4, ".csv"))
			length -= 4;
		s[i].title = strndup(base, length);
		good &= length <= ROOM;
		for (int k = 0; k < i; k++)
			good &= strcmp(s[k].title, s[i].title) != 0;
	}
	for (int i = 0; i < n && !good; i++) {
		free((char *)s[i].title);
		s[i].title = NULL;
		s[i].numbered = true;
		if (asprintf((char **)&s[i].title, "%d", i + 1) < 0)
			die_errno("memory", "asprintf");
	}
}

/* Frees what a report was read into. */
static void drop_report(struct session *s)
{
	for (int i = 0; i < s->nresults; i++)
		drop_row(&s->results[i]);
	for (int i = 0; i < s->nfacts; i++) {
		free(s->facts[i].key);
		free(s->facts[i].value);
	}
	for (int i = 0; i < s->details.n; i++)
		free((char *)s->details.item[i]);
	free(s->details.item);
	free(s->facts);
	free(s->ranked);
	free(s->results);
	free(s->control.samples);
	free((char *)s->title);
	free((char *)s->file);
}

/* The report must not go to a file that it is made from. */
static void check_compared(const struct options *o)
{
	for (int k = 0; k <= o->noutputs; k++) {
		int report = k ? open(o->outputs[k].name, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY) : STDOUT_FILENO;

		for (int i = 0; i < o->files.n; i++)
			if (is_behind(report, o->files.item[i]))
				die("%s: is where the report is to go: use --output=FILE with another file", o->files.item[i]);
		if (report > STDOUT_FILENO)
			close(report);
	}
}

static int compare_and_stop(struct session *s)
{
	const struct options *o = &s->opt;
	struct session *sessions = allocate(o->files.n, sizeof *sessions);
	bool good;

	check_compared(o);
	read_reports(sessions, o);
	find_titles(sessions, o->files.n);
	open_reports(s, stdout);
	good = write_reports(s, sessions, o->files.n);
	for (int i = 0; i < o->files.n; i++)
		drop_report(&sessions[i]);
	free(sessions);
	return good ? 0 : EXIT_FAILED_ROW;
}

/* Fills memory with noise: word n of it is a mix of n that no other number has (the finalizer of splitmix64 is
 * one to one), so that no two blocks of 8 bytes or more are alike, and none can be packed. */
static void make_noise(uint64_t *words, int64_t n, uint64_t at)
{
	for (int64_t i = 0; i < n; i++) {
		uint64_t state = (at + i) * UINT64_C(0x9e3779b97f4a7c15);

		words[i] = htole64(random_number(&state)); /* the same bytes on every machine */
	}
}

/* Writes bytes to standard output. Into a pipe memory that stays as it is goes by reference, the fastest way there
 * is; noise would change behind the back of a reader that passes pages on, and is written. */
static bool generate(struct session *s, struct job *j)
{
	bool noise = s->opt.content == CONTENT_NOISE, piped = s->out[0].ops->kind == KIND_PIPE;
	uint64_t *words = (uint64_t *)(void *)j->buf;

	if (piped)
		fcntl(j->out[0], F_SETPIPE_SZ, (int)PIPE_LARGE); /* where that is refused it stays as large as it is */
	if (s->opt.content == CONTENT_ZERO)
		memset(j->buf, 0, j->room);
	if (s->opt.content == CONTENT_RANDOM) {
		if (getrandom(j->buf, DIO_ALIGNMENT, 0) < 0)
			return failed(j, "getrandom");
		for (int64_t at = DIO_ALIGNMENT; at < j->room; at += DIO_ALIGNMENT)
			memcpy(j->buf + at, j->buf, DIO_ALIGNMENT);
	}
	for (size_t n; (n = next(j));) {
		if (noise)
			make_noise(words, j->block / (int64_t)sizeof *words, (uint64_t)j->done / sizeof *words);
		if (!(piped && !noise ? lend(j, j->buf, n) : put(j, j->out[0], j->buf, n)))
			return false;
	}
	return true;
}

/* --generate. */
static int generate_and_stop(struct session *s)
{
	struct job j = { .out = { s->out[0].fd }, .nout = 1, .len = s->opt.generate, .block = 64 * K, .pipe = { -1, -1 }, .opened = { -1, -1 }, .said = -1 };
	char why[200];

	if (s->out[0].ops && s->out[0].ops->kind == KIND_PIPE && s->opt.content != CONTENT_NOISE)
		j.block = PIPE_LARGE;
	if (s->closed & 2 || !s->out[0].ops || isatty(s->out[0].fd))
		die("%s: is no file, pipe or device: redirect it: " PROGRAM " --generate=noise:256m >FILE", s->out[0].label);
	if (backs_loop(s->out[0].fd))
		die("%s: is what a loop device lies on: redirect it to another file", s->out[0].label);
	if (!get_untouched_memory(&j) || !generate(s, &j)) {
		warn("%s: %s: %s", s->out[0].label, j.call, errno_text(why, j.err));
		return EXIT_FAILED_ROW;
	}
	return 0;
}

/* --receive. Standard output is where streams are kept, unless it is closed, a terminal, or keeps nothing. */
static int receive_and_stop(struct session *s)
{
	struct server server = { .kept = -1, .quiet = s->opt.quiet, .intake = make_intake() };
	struct port *out = &s->out[0];

	if (!(s->closed & 2) && !isatty(out->fd) && !is_blind(&out->st)) {
		check_precious(out, check_port(out, false, O_RDONLY));
		if (out->ops->kind == KIND_SOCKET)
			check_socket(out);
		server.kept = out->fd;
		server.file = is_file(out);
	}
	catch_signals();
	open_listeners(&server, &s->opt.at);
	serve(&server);
	free(server.intake);
	return EXIT_SIGNALLED + caught;
}

/* Prints the report, and makes the exit status of what is in it. */
static int finish(struct session *s, bool copied)
{
	bool good = copied;
	int number = caught; /* one that comes from now on finds all done */

	alarm(0); /* nothing is left that a signal would have to end, and the report is not to be cut */
	if (number)
		set_fact(s, "interrupted", "by %s after %d of %d runs: %s", number == SIGINT ? "SIGINT" : number == SIGTERM ? "SIGTERM" : "SIGHUP",
		    s->nruns, s->opt.race ? (int)s->opt.race : s->nplanned,
		    s->out[0].command ? "the command was told to end" : is_receiver(&s->out[0]) ? "the last stream was not answered"
		    : s->out[0].ops->kind == KIND_PIPE ? "the last copy in the pipe may not be whole"
		    : is_stream(&s->out[0]) ? "the last copy in the socket may not be whole" : s->nout > 1 ? "the outputs are no copies"
		    : "standard output is not a copy");
	rank(s, number);
	add_measurements(s);
	add_conclusions(s);
	for (int i = 0; i < s->nresults; i++)
		good &= s->results[i].verdict.outcome < FAILED;
	good &= write_reports(s, s, 1);
	if (copied) /* until the very end: somebody else may have written to them */
		good &= are_copies(s, verify_files(s, false));
	return number ? EXIT_SIGNALLED + number : good ? 0 : EXIT_FAILED_ROW;
}

int main(int argc, char **argv)
{
	static struct session s; /* held to the end: a checker of leaks sees it there */
	struct ends ends;
	bool copied;

	s.closed = fill_closed_descriptors();
	s.run = run;
	s.ninherited = list_children(s.inherited, CHILDREN_MAX);
	check_tables();
	if (must_be_silent())
		return EXIT_REFUSED;
	parse_options(&s.opt, argc, argv);
	find_ends(&s);
	if (s.opt.list || s.opt.print)
		return print_and_stop(&s);
	if (s.opt.compare)
		return compare_and_stop(&s);
	if (find_end_behind(&s, STDERR_FILENO))
		return EXIT_REFUSED; /* no message is to stand in the copy */
	if (s.opt.generate)
		return generate_and_stop(&s);
	if (s.opt.receive)
		return receive_and_stop(&s);
	open_ends(&s);
	ends = all_ends(&s);
	choose_rows(&s, &ends);
	sort_rows(&s);
	plan_runs(&s);
	catch_signals();
	read_ahead(&s);
	check_commands(&s);
	find_environment(&s);
	set_up_references(&s);
	open_counters(&s);
	warm(&s);
	open_reports(&s, stderr);
	measure(&s);
	copied = leave_copy(&s);
	s.strangers = leave_receiver(&s.out[0]);
	return finish(&s, copied);
}
