/*
 * What reads what others wrote, under libFuzzer, or with -DSTANDALONE once for each file that is named. FUZZ_TARGET says
 * what is tested:
 *
 *     options  arguments, a line each: parsed, and rows chosen, planned and listed by them
 *     compare  CSV reports, with \x1c between them, and before \x1d options, a line each: all formats of what they come to
 *     receive  what comes to a --receive: steps with \x1e between them. a..h: bytes to that connection, made where there is
 *              none; A..H: the same, and its end; +: six seconds pass
 *     send     what a --receive answers: \x1e between what it says to a request or to the end of a stream of ours and to the
 *              next; \x1d: it goes away
 *
 * Beside what the sanitizers see, it aborts where an answer is taken that no peer of ours gives, where a report has other
 * bytes than text, where JSON is none, and where a report in CSV, read again, is another one. Nothing is executed, and of
 * all calls on files and the network none is made but on memory and pairs of sockets. Run by tests/fuzz.t.
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* ---- In place of libc, for the program below ----------------------------------------------- */

static jmp_buf over; /* what exit(3) leads to */

__attribute__((noreturn)) static void fuzz_exit(int status)
{
	(void)status;
	longjmp(over, 1);
}

static int64_t fuzz_ns; /* a clock that a machine's pauses do not touch */
static int64_t tick_ns;  /* that pass with each look at it */

static int fuzz_clock(struct timespec *t)
{
	fuzz_ns += tick_ns;
	t->tv_sec = fuzz_ns / 1000000000;
	t->tv_nsec = fuzz_ns % 1000000000;
	return 0;
}

static ssize_t fuzz_random(void *to, size_t n)
{
	memset(to, 0x5a, n);
	return (ssize_t)n;
}

static struct {
	const uint8_t *bytes;
	size_t n;
} files[8]; /* a.csv and so on */
static FILE *opened; /* the one that is being read; NULL: none is */

static FILE *fuzz_open(const char *name)
{
	int i = *name - 'a';

	if (strlen(name) != 5 || strcmp(name + 1, ".csv") || i < 0 || i >= 8) {
		errno = ENOENT;
		return NULL;
	}
	return opened = fmemopen((void *)(uintptr_t)files[i].bytes, files[i].n, "r");
}

/* Texts that are being printed: exit(3) may come before they are closed, when what they belong to is gone. */
static struct {
	FILE *f; /* NULL: none */
	char *chars, **to;
	size_t size, *size_to;
} texts[64];

static FILE *fuzz_memstream(char **to, size_t *size_to)
{
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (!texts[i].f) {
			texts[i].to = to;
			texts[i].size_to = size_to;
			return texts[i].f = open_memstream(&texts[i].chars, &texts[i].size);
		}
	abort();
}

static int fuzz_close(FILE *f)
{
	size_t i = 0;
	int status;

	opened = f == opened ? NULL : opened;
	while (i < sizeof texts / sizeof *texts && texts[i].f != f)
		i++;
	status = fclose(f);
	if (i < sizeof texts / sizeof *texts) {
		*texts[i].to = texts[i].chars;
		*texts[i].size_to = texts[i].size;
		texts[i].f = NULL;
	}
	return status;
}

/* An input is not as long as the longest line may be, for which memory would take most of the time. */
static size_t fuzz_size(size_t size)
{
	return size >= 1 << 24 ? 1 << 18 : size;
}

static int fuzz_poll(struct pollfd *fds, nfds_t n);
static int fuzz_accept(struct sockaddr *from);
static int fuzz_socket(void);
static ssize_t fuzz_send(int fd, const void *from, size_t n);
static ssize_t fuzz_recv(int fd, void *to, size_t n, int flags);
static int fuzz_getsockopt(int fd, int level, int name, void *to, socklen_t *size);
static int fuzz_shutdown(int fd);
static int fuzz_close_socket(int fd);
static struct sockaddr_in loopback = { .sin_family = AF_INET };
static struct addrinfo anywhere = { .ai_family = AF_INET, .ai_addr = (struct sockaddr *)&loopback, .ai_addrlen = sizeof loopback };

struct receiver;
static struct receiver *served; /* NULL: it is the sender that is tested */

#define main write_bench
#define exit(status) fuzz_exit(status)
#define clock_gettime(clock, t) fuzz_clock(t)
#define getrandom(to, n, flags) fuzz_random(to, n)
#define fopen(name, mode) fuzz_open(name)
#define fclose(f) fuzz_close(f)
#define open_memstream(to, size) fuzz_memstream(to, size)
#define calloc(n, size) calloc(n, fuzz_size(size))
#define strerror(number) "its message" /* libc keeps memory for one */
#define poll(fds, n, timeout) fuzz_poll(fds, n)
#define accept4(fd, from, size, flags) fuzz_accept(from)
#define socket(family, type, protocol) fuzz_socket()
#define connect(fd, to, size) 0
#define getaddrinfo(name, port, hints, found) (*(found) = &anywhere, 0)
#define freeaddrinfo(found) (void)(found)
#define send(fd, from, n, flags) fuzz_send(fd, from, n)
#define recv(fd, to, n, flags) fuzz_recv(fd, to, n, flags)
#define getsockopt(fd, level, name, to, size) fuzz_getsockopt(fd, level, name, to, size)
#define shutdown(fd, how) ((how) == SHUT_WR ? fuzz_shutdown(fd) : 0)
#define close(fd) fuzz_close_socket(fd)
#include "../../write-bench.c"
#undef main
#undef exit
#undef fopen
#undef fclose
#undef open_memstream
#undef poll
#undef send
#undef recv
#undef getsockopt
#undef shutdown
#undef close

/* ---- Memory: what is left when exit(3) jumps away is freed ---------------------------------- */

void __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void *, size_t), void (*)(const volatile void *));

static const volatile void *live[1 << 20];
static int nlive;
static _Thread_local bool collecting;

static void on_malloc(const volatile void *p, size_t n)
{
	(void)n;
	if (!collecting || !p)
		return;
	if (nlive == LENGTH(live))
		abort();
	live[nlive++] = p;
}

static void on_free(const volatile void *p)
{
	for (int i = nlive; collecting && i-- > 0;)
		if (live[i] == p) {
			live[i] = live[--nlive];
			return;
		}
}

static void free_all(void)
{
	if (opened)
		fuzz_close(opened);
	opened = NULL;
	for (int i = 0; i < LENGTH(texts); i++) {
		if (texts[i].f)
			fclose(texts[i].f); /* and its characters are freed below */
		texts[i].f = NULL;
	}
	collecting = false;
	while (nlive > 0)
		free((void *)(uintptr_t)live[--nlive]);
}

/* ---- The input, in parts -------------------------------------------------------------------- */

struct input {
	const uint8_t *bytes;
	size_t n;
};

/* Cuts off what stands before a byte; false: there is nothing any more. */
static bool cut_part(struct input *rest, uint8_t at, struct input *part)
{
	const uint8_t *end;

	if (!rest->bytes)
		return false;
	end = rest->n ? memchr(rest->bytes, at, rest->n) : NULL;
	*part = (struct input){ rest->bytes, end ? (size_t)(end - rest->bytes) : rest->n };
	*rest = end ? (struct input){ end + 1, rest->n - part->n - 1 } : (struct input){ NULL, 0 };
	return true;
}

enum { ARGUMENTS = 60 };

/* Arguments, each in memory of its own. */
static int cut_arguments(struct input text, char **argv, int argc)
{
	struct input part;

	while (argc < ARGUMENTS && cut_part(&text, '\n', &part))
		argv[argc++] = strndup((const char *)part.bytes, part.n);
	argv[argc] = NULL;
	return argc;
}

/* ---- options ------------------------------------------------------------------------------- */

static void fuzz_options(struct input all)
{
	char *argv[ARGUMENTS + 1] = { strdup("write-bench") };
	struct session s = { .nout = 1 };
	struct ends ends = { .in = KIND_ANY, .out = { KIND_ANY, KIND_ANY }, .one = true, .two = true };
	struct text text;

	cut_arguments(all, argv, 1);
	parse_options(&s.opt, argv);
	if (s.opt.mode >= HELP) {
		begin_text(&text);
		if (s.opt.mode == HELP)
			print_help(text.f);
		if (s.opt.mode == MANUAL)
			print_man(text.f);
		end_text(&text);
		return; /* the other options have not been looked at */
	}
	if (s.opt.source.option || s.opt.sink.command)
		ends.in = ends.out[0] = KIND_PIPE;
	if (s.opt.runs < 0 || s.opt.runs > RUNS_MAX || s.opt.pause < -1 || s.opt.pause > PAUSE_MAX * INT64_C(1000000000)
	    || s.opt.sizes.n < 0 || s.opt.sizes.n > SIZES_MAX || largest_size(&s.opt.sizes) < 0
	    || s.opt.race < RACE_BY_ROWS || s.opt.race > ALL_RUNS_MAX || s.opt.generate < 0 || s.opt.seed > INT64_MAX
	    || s.opt.warmup < 0 || s.opt.warmup > RUNS_MAX || s.opt.noutputs < 0 || s.opt.noutputs > LENGTH(s.opt.outputs))
		abort();
	s.report = s.reports = allocate(SIZES_MAX, sizeof *s.reports);
	s.nreports = (int)max(s.opt.sizes.n, 1);
	choose_rows(s.report, &s.opt, &ends);
	print_list(begin_text(&text), s.report);
	end_text(&text);
	plan_runs(&s);
}

/* ---- compare ------------------------------------------------------------------------------- */

static const char *skip_blanks(const char *c)
{
	return c + strspn(c, " \n");
}

static const char *skip_json(const char *c, int depth);

static const char *skip_string(const char *c)
{
	if (*c++ != '"')
		return NULL;
	for (; *c != '"'; c++)
		if (*c == '\0' || (*c == '\\' && !strchr("\"\\/bfnrtu", *++c)))
			return NULL;
	return c + 1;
}

/* A number as RFC 8259 has it (6); NULL: it is none. */
static const char *skip_number(const char *c)
{
	static const char digits[] = "0123456789";
	size_t whole;

	c += *c == '-';
	whole = strspn(c, digits);
	if (!whole || (whole > 1 && *c == '0'))
		return NULL;
	c += whole;
	if (*c == '.' && !strspn(++c, digits))
		return NULL;
	c += strspn(c, digits);
	if (*c == 'e' || *c == 'E') {
		c += 1 + (c[1] == '+' || c[1] == '-');
		if (!strspn(c, digits))
			return NULL;
		c += strspn(c, digits);
	}
	return c;
}

/* {...} or [...] */
static const char *skip_members(const char *c, int depth)
{
	char end = *c == '{' ? '}' : ']';

	c = skip_blanks(c + 1);
	for (bool first = true; *c != end; first = false) {
		if (!first && *c++ != ',')
			return NULL;
		c = skip_blanks(c);
		if (end == '}') {
			if (!(c = skip_string(c)) || *(c = skip_blanks(c)) != ':')
				return NULL;
			c++;
		}
		if (!(c = skip_json(c, depth + 1)))
			return NULL;
	}
	return c + 1;
}

/* A value and the blanks around it; NULL: it is none. */
static const char *skip_json(const char *c, int depth)
{
	static const char *const words[] = { "true", "false", "null" };

	c = skip_blanks(c);
	if (depth > 8)
		return NULL;
	if (*c == '"')
		c = skip_string(c);
	else if (*c == '{' || *c == '[')
		c = skip_members(c, depth);
	else if (isdigit((unsigned char)*c) || *c == '-')
		c = skip_number(c);
	else {
		for (int i = 0; i < LENGTH(words); i++)
			if (!strncmp(c, words[i], strlen(words[i])))
				return skip_blanks(c + strlen(words[i]));
		return NULL;
	}
	return c ? skip_blanks(c) : NULL;
}

/* What is wrong with a report; NULL: nothing. */
static const char *find_mistake(const char *text, const char *format)
{
	const char *end;

	for (const char *c = text; *c; c++)
		if (((unsigned char)*c < ' ' && *c != '\n') || *c == 127)
			return "a byte that is no text";
	if (!strcmp(format, "json") && (!(end = skip_json(text, 0)) || *end))
		return "no JSON";
	if (!strcmp(format, "svg") && (strstr(text, "=\"nan") || strstr(text, "=\"-nan") || strstr(text, "=\"inf") || strstr(text, "=\"-inf")))
		return "a coordinate that is no number";
	return NULL;
}

/* The reports of some files, as --compare has them. */
struct reading {
	struct report *s;
	int n;
	bool by_size;
};

static char *make_report(const struct reading *r, const struct format *format)
{
	struct text text;
	struct comparison c = { .s = r->s };
	struct sized z = { .s = r->s };
	bool several = false;

	for (int i = 0; i < r->n; i += r->s[i].sizes)
		several |= r->s[i].sizes > 1 && !r->by_size;
	if (several)
		z = begin_sized(r->s, r->n);
	else if (r->n > 1)
		c = begin_comparison(r->s, r->n, r->by_size);
	if (r->n == 1)
		format->report(begin_text(&text), r->s);
	else if (several)
		format->sized(begin_text(&text), &z);
	else
		format->comparison(begin_text(&text), &c);
	free(c.pairs);
	end_sized(&z);
	end_text(&text);
	return text.chars;
}

static struct reading read_again(const struct options *o)
{
	struct reading r = { .s = allocate((size_t)o->files.n * SIZES_MAX, sizeof *r.s) };

	r.n = read_reports(r.s, o);
	r.by_size = o->files.n == 1 ? r.n > 1 : sort_by_size(r.s, r.n);
	if (r.by_size)
		title_by_size(r.s, r.n);
	else
		find_titles(r.s, r.n);
	return r;
}

static void fuzz_compare(struct input all)
{
	static const char *const names[LENGTH(files)] = { "a.csv", "b.csv", "c.csv", "d.csv", "e.csv", "f.csv", "g.csv", "h.csv" };
	char *argv[ARGUMENTS + LENGTH(files) + 1] = { strdup("write-bench"), strdup("--compare") }, *text, *again;
	struct input options, part;
	struct options o;
	struct reading reports, back;
	const char *mistake;
	int argc = 2;

	if (all.n && memchr(all.bytes, 0x1d, all.n) && cut_part(&all, 0x1d, &options))
		argc = cut_arguments(options, argv, argc);
	for (int i = 0; i < LENGTH(files) && cut_part(&all, 0x1c, &part); i++) {
		files[i].bytes = part.bytes;
		files[i].n = part.n;
		argv[argc++] = strdup(names[i]);
	}
	argv[argc] = NULL;
	parse_options(&o, argv);
	if (o.mode != COMPARE)
		return;
	reports = read_again(&o);
	for (int i = 0; i < LENGTH(formats); i++) {
		text = make_report(&reports, &formats[i]);
		if ((mistake = find_mistake(text, formats[i].name))) {
			fprintf(stderr, "%s\n---- has %s\n", text, mistake);
			abort();
		}
		if (o.files.n > 1 || strcmp(formats[i].name, "csv"))
			continue;
		files[0].bytes = (const uint8_t *)text;
		files[0].n = strlen(text);
		o.files.item[0] = "a.csv";
		o.select.n = o.exclude.n = 0;
		back = read_again(&o);
		again = make_report(&back, &formats[i]);
		if (strcmp(text, again)) {
			fprintf(stderr, "%s\n---- read again:\n%s\n", text, again);
			abort();
		}
	}
}

/* ---- receive and send: pairs of sockets ---------------------------------------------------- */

enum { PEERS = 64 };

static struct {
	int ours, theirs; /* ours: -1: closed */
	bool ended;
	char text[1024];  /* the first bytes that were sent to us; */
	int sent, unread; /* how many were; and how many of them had not been read when it was closed */
} peers[PEERS];
static int npeers;
static int accepted;  /* of a receiver's: how many it has let in */
static struct input steps; /* what is still to come */

static int make_peer(void)
{
	int ends[2];

	if (npeers == PEERS || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
		errno = EMFILE;
		return -1;
	}
	peers[npeers].ours = ends[0];
	peers[npeers].theirs = ends[1];
	peers[npeers].ended = false;
	peers[npeers++].sent = 0;
	return ends[0];
}

static int find_peer(int ours)
{
	for (int i = npeers; i-- > 0;)
		if (peers[i].ours == ours)
			return i;
	abort();
}

static void end_peer(int i)
{
	if (i >= 0 && !peers[i].ended)
		shutdown(peers[i].theirs, SHUT_WR);
	if (i >= 0)
		peers[i].ended = true;
}

static int count_unread(int i)
{
	int n = 0;

	return ioctl(peers[i].ours, FIONREAD, &n) ? 0 : n;
}

static int fuzz_close_socket(int fd)
{
	for (int i = 0; i < npeers; i++)
		if (peers[i].ours == fd) {
			peers[i].unread = count_unread(i);
			peers[i].ours = -1;
		}
	return close(fd);
}

static void close_peers(void)
{
	while (npeers-- > 0) {
		close(peers[npeers].theirs);
		if (peers[npeers].ours >= 0)
			close(peers[npeers].ours);
	}
	npeers = accepted = 0;
}

/* Sends to us, as far as there is room. */
static void send_to_us(int i, const uint8_t *bytes, size_t n)
{
	ssize_t sent = send(peers[i].theirs, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT);

	for (ssize_t k = 0; k < sent; k++, peers[i].sent++)
		if (peers[i].sent < LENGTH(peers[i].text))
			peers[i].text[peers[i].sent] = (char)bytes[k];
}

static int named[8];          /* peers of the letters; -1: none yet */

static int fuzz_accept(struct sockaddr *from)
{
	memcpy(from, &loopback, sizeof loopback);
	errno = EAGAIN;
	return accepted < npeers ? peers[accepted++].ours : -1;
}

/* One step of the script. */
static void take_step(const struct input *step)
{
	int letter = tolower(*step->bytes) - 'a';

	if (*step->bytes == '+')
		fuzz_ns += INT64_C(6000000000);
	if (letter < 0 || letter >= LENGTH(named))
		return;
	if (named[letter] < 0 && make_peer() >= 0)
		named[letter] = npeers - 1;
	if (named[letter] < 0)
		return;
	send_to_us(named[letter], step->bytes + 1, step->n - 1);
	if (isupper(*step->bytes)) {
		end_peer(named[letter]);
		named[letter] = -1;
	}
}

/* The next step; after the last one all connections end. */
static void go_on(void)
{
	struct input step;

	if (cut_part(&steps, 0x1e, &step)) {
		if (step.n > 0)
			take_step(&step);
		return;
	}
	for (int i = 0; i < npeers; i++)
		end_peer(i);
}

/* Where a connection, or its line, is waited for, and all is dealt with that has come, the next step is made. */
static int fuzz_poll(struct pollfd *fds, nfds_t n)
{
	if (!served)
		return poll(fds, n, 0);
	if (fds->fd == served->listeners[0]) {
		bool over = !steps.bytes;

		if (accepted == npeers)
			go_on();
		if (over && accepted == npeers)
			caught = SIGTERM;
		fds->revents = accepted < npeers ? POLLIN : 0;
		return accepted < npeers;
	}
	if (poll(fds, n, 0) > 0)
		return 1;
	go_on();
	return poll(fds, n, 0);
}

/* The bytes of a stream: until they are there, steps are made, and twenty seconds may pass. */
static ssize_t fuzz_recv(int fd, void *to, size_t n, int flags)
{
	int64_t start = fuzz_ns;
	ssize_t got;

	while ((got = recv(fd, to, n, flags | MSG_DONTWAIT)) < 0 && errno == EAGAIN && served && !(flags & MSG_DONTWAIT)) {
		if (fuzz_ns - start >= INT64_C(20000000000)) {
			errno = EAGAIN;
			return -1;
		}
		go_on();
	}
	return got;
}

/* Those that wait are in the queue of the listener. */
static int fuzz_getsockopt(int fd, int level, int name, void *to, socklen_t *size)
{
	if (served && fd == served->listeners[0] && level == IPPROTO_TCP && name == TCP_INFO) {
		((struct tcp_info *)to)->tcpi_unacked = (uint32_t)(npeers - accepted);
		return 0;
	}
	return (getsockopt)(fd, level, name, to, size);
}

/* What a receiver has said to a peer must follow from the text of this. Returns the bytes of a stream that it has counted; -1:
 * it has not. */
static int64_t check_answers(int i)
{
	char text[4096], made[128], *line = text, *end;
	ssize_t n = recv(peers[i].theirs, text, sizeof text - 1, MSG_DONTWAIT);
	int64_t version, announced;
	int head;
	struct checksum sum = no_bytes;

	if (n <= 0)
		return -1;
	text[n] = '\0';
	snprintf(made, sizeof made, "%.*s", (int)min(peers[i].sent, (int)sizeof made - 1), peers[i].text);
	end = strchr(made, '\n');
	if (!end || strncmp(made, "run", 3))
		abort();
	*end = '\0';
	head = (int)(end + 1 - made);
	if (sscanf(made, "run %9" SCNd64 " %19" SCNd64, &version, &announced) != 2 || announced < 0)
		abort();
	if (version != PROTOCOL) {
		snprintf(made, sizeof made, "version %d\n", PROTOCOL);
		if (strcmp(text, made))
			abort();
		return -1;
	}
	if (strncmp(line, "ready\n", 6))
		abort();
	line += 6;
	if (!*line)
		return -1; /* it was dropped */
	if (peers[i].sent <= LENGTH(peers[i].text)) {
		add_bytes(&sum, (unsigned char *)peers[i].text + head, (size_t)(peers[i].sent - head));
		snprintf(made, sizeof made, "done %d %016" PRIx64 " 0\n", peers[i].sent - head, end_checksum(&sum));
	} else {
		snprintf(made, sizeof made, "done %d ", peers[i].sent - head);
	}
	if (strncmp(line, made, strlen(made)) || strcmp(strrchr(line, ' '), " 0\n"))
		abort();
	return peers[i].sent - head;
}

static void fuzz_receive(struct input all)
{
	static struct receiver *r;
	static int zero = -1, kept = -1;
	struct stat st;

	r = r ? r : make_receiver();
	zero = zero < 0 ? open("/dev/zero", O_RDONLY | O_CLOEXEC) : zero;
	kept = kept < 0 ? memfd_create("kept", MFD_CLOEXEC) : kept;
	r->nlisteners = 1;
	r->listeners[0] = zero;
	r->kept = kept;
	r->file = true;
	r->warned = 0;
	if (ftruncate(kept, 0))
		abort();
	served = r;
	steps = all;
	for (int i = 0; i < LENGTH(named); i++)
		named[i] = -1;
	serve(r);
	for (int i = 0; i < npeers; i++) {
		int64_t n = check_answers(i);

		if (n > 0 && i == npeers - 1 && (fstat(kept, &st) || st.st_size != n))
			abort(); /* the last stream is kept */
	}
	for (int i = 0; i < accepted; i++)
		if (peers[i].ours >= 0)
			abort(); /* a connection that is lost, and stays open */
	served = NULL;
}

static int fuzz_socket(void)
{
	return make_peer();
}

/* Answers what we say by the next part of the input. */
static void give_answer(int peer)
{
	struct input answer, text;

	if (!cut_part(&steps, 0x1e, &answer) || !cut_part(&answer, 0x1d, &text))
		return;
	if (text.n)
		send_to_us(peer, text.bytes, text.n);
	if (answer.bytes)
		end_peer(peer);
}

static ssize_t fuzz_send(int fd, const void *from, size_t n)
{
	if (served)
		return send(fd, from, n, MSG_NOSIGNAL | MSG_DONTWAIT);
	give_answer(find_peer(fd));
	return (ssize_t)n;
}

static int fuzz_shutdown(int fd)
{
	give_answer(find_peer(fd));
	return 0;
}

/* The text of a connection that was read. */
static const char *was_read(int peer)
{
	static char text[LENGTH(peers->text) + 1];
	int unread = peers[peer].ours < 0 ? peers[peer].unread : count_unread(peer);
	size_t n = (size_t)min(peers[peer].sent - unread, LENGTH(peers->text));

	memcpy(text, peers[peer].text, n);
	text[n] = '\0';
	return text;
}

static void fuzz_sender(struct input all)
{
	struct options o = { .to = { .text = "localhost:1", .name = "localhost", .port = "1" } };
	struct endpoint e = make_end(&o, "--send", -1, "send", NULL);

	steps = all;
	open_remote_receiver(&e);
	if (strncmp(was_read(0), "ready\ndone", 10))
		abort();
	for (int i = 0; i < 2; i++) {
		struct copy c = { .len = 1000 };
		bool ready = prepare_remote_receiver(&e, &c);
		int run = ready ? find_peer(e.copy_fd) : -1;
		struct receipt *got = &e.net.receipt;
		int64_t bytes;
		uint64_t sum;
		int end;

		if (ready == (c.failure.err != 0))
			abort();
		if (ready && strcmp(was_read(run), "ready\n"))
			abort();
		if (ready && finish_receiver(&e, &c)) {
			const char *said = was_read(run);

			if (sscanf(said, "ready\ndone %19" SCNd64 " %16" SCNx64 " %*9d%n", &bytes, &sum, &end) != 2
			    || strcmp(said + end, "\n") != 0 || bytes != got->bytes || sum != got->sum || bytes < 0)
				abort();
		} else if (c.failure.err == 0) {
			abort();
		}
		cleanup_stream(&e, &c);
	}
}

/* ---- One input ----------------------------------------------------------------------------- */

static const struct {
	const char *name;
	void (*run)(struct input);
	bool collects; /* threads of libc have memory of their own */
} targets[] = {
	{ "options", fuzz_options, true },
	{ "compare", fuzz_compare, true },
	{ "receive", fuzz_receive, false },
	{ "send",    fuzz_sender,  false },
};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static int target = -1;
	const char *name = getenv("FUZZ_TARGET");

	if (target < 0) {
		for (int i = 0; name && i < LENGTH(targets); i++)
			target = strcmp(name, targets[i].name) ? target : i;
		if (target < 0)
			die("FUZZ_TARGET: name what is to be tested: options, compare, receive or send");
		if (targets[target].collects)
			__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
		fputs("begins\n", stderr); /* what stderr has for itself is there now */
	}
	fuzz_ns = 1000000000000;
	tick_ns = target == 3 ? 1000000000 : 1000000;
	caught = 0;
	collecting = targets[target].collects;
	if (!setjmp(over))
		targets[target].run((struct input){ bytes, n });
	if (collecting)
		free_all();
	close_peers();
	return 0;
}

#ifdef STANDALONE
int main(int argc, char **argv)
{
	static uint8_t bytes[1 << 20];

	for (int i = 1; i < argc; i++) {
		FILE *f = fopen(argv[i], "r");
		size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0;
		uint8_t *alone = malloc(n ? n : 1); /* so that reading on behind its end is seen */

		if (!f || !alone)
			return 2;
		fclose(f);
		fprintf(stderr, "Running: %s\n", argv[i]);
		memcpy(alone, bytes, n);
		LLVMFuzzerTestOneInput(alone, n);
		free(alone);
	}
	return 0;
}
#endif
