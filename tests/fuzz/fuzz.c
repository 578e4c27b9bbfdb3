/*
 * What reads what others wrote, under libFuzzer, or with -DSTANDALONE once for each file that is named. FUZZ_TARGET says
 * what is tested:
 *
 *     options  arguments, a line each: parsed, and rows chosen, planned and listed by them
 *     compare  CSV reports, with \x1c between them, and before \x1d options, a line each: all formats of what they come to
 *
 * Beside what the sanitizers see, it aborts where a report has other bytes than text, where JSON is none, and where a report in
 * CSV, read again, is another one. Nothing is executed, and of all calls on files none is made but on memory. Run by
 * tests/fuzz.t.
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
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

static int fuzz_clock(struct timespec *t)
{
	fuzz_ns += 1000000;
	t->tv_sec = fuzz_ns / 1000000000;
	t->tv_nsec = fuzz_ns % 1000000000;
	return 0;
}

static ssize_t fuzz_random(void *to, size_t size)
{
	memset(to, 0x5a, size);
	return (ssize_t)size;
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

#define main write_bench
#define exit(status) fuzz_exit(status)
#define clock_gettime(clock, t) fuzz_clock(t)
#define getrandom(to, n, flags) fuzz_random(to, n)
#define fopen(name, mode) fuzz_open(name)
#define fclose(f) fuzz_close(f)
#define open_memstream(to, size) fuzz_memstream(to, size)
#define calloc(n, size) calloc(n, fuzz_size(size))
#define strerror(number) "its message" /* libc keeps memory for one */
#include "../../write-bench.c"
#undef main
#undef exit
#undef fopen
#undef fclose
#undef open_memstream

/* ---- Memory: what is left when exit(3) jumps away is freed ---------------------------------- */

void __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void *, size_t), void (*)(const volatile void *));

static const volatile void *live[1 << 20];
static int nlive;
static _Thread_local bool collecting;

static void on_malloc(const volatile void *p, size_t size)
{
	(void)size;
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

/* getopt(3) forgets where it was in the arguments of the input before, and takes those of the next from the first on. */
static void begin_options(void)
{
	optind = 0;
	getopt(1, (char *[]){ "write-bench", NULL }, "");
}

/* ---- options ------------------------------------------------------------------------------- */

static void fuzz_options(struct input all)
{
	char *argv[ARGUMENTS + 1] = { strdup("write-bench") };
	struct session s = { .nout = 1 };
	struct ends ends = { .in_kinds = KIND_ANY, .out_kinds = { KIND_ANY, KIND_ANY }, .single = true, .two = true };
	struct text text;

	begin_options();
	parse_options(&s.opt, cut_arguments(all, argv, 1), argv);
	if (s.opt.mode >= HELP) {
		begin_text(&text);
		if (s.opt.mode == HELP)
			print_help(text.f);
		if (s.opt.mode == MANUAL)
			print_man(text.f);
		finish_text(&text);
		return; /* the other options have not been looked at */
	}
	if (s.opt.from_end.name || s.opt.into_end.command)
		ends.in_kinds = ends.out_kinds[0] = KIND_PIPE;
	if (s.opt.runs_asked < 0 || s.opt.runs_asked > INT32_MAX || s.opt.pause < -1 || s.opt.pause > PAUSE_MAX * INT64_C(1000000000)
	    || s.opt.sizes.n < 0 || s.opt.sizes.n > SIZES_MAX || largest_size(&s.opt.sizes) < 0
	    || s.opt.generate < 0 || s.opt.seed > INT64_MAX
	    || s.opt.warmup < 0 || s.opt.warmup > INT32_MAX || s.opt.nreport_files < 0 || s.opt.nreport_files > LENGTH(s.opt.report_files))
		abort();
	s.report = s.reports = allocate(SIZES_MAX, sizeof *s.reports);
	s.nreports = (int)max(s.opt.sizes.n, 1);
	choose_rows(s.report, &s.opt, &ends);
	print_list(begin_text(&text), s.report);
	finish_text(&text);
	plan_runs(&s);
}

/* ---- compare ------------------------------------------------------------------------------- */

static const char *skip_blanks(const char *here)
{
	return here + strspn(here, " \n");
}

static const char *skip_json(const char *here, int depth);

static const char *skip_string(const char *here)
{
	if (*here++ != '"')
		return NULL;
	for (; *here != '"'; here++)
		if (*here == '\0' || (*here == '\\' && !strchr("\"\\/bfnrtu", *++here)))
			return NULL;
	return here + 1;
}

/* A number as RFC 8259 has it (6); NULL: it is none. */
static const char *skip_number(const char *here)
{
	static const char digits[] = "0123456789";
	size_t whole;

	here += *here == '-';
	whole = strspn(here, digits);
	if (!whole || (whole > 1 && *here == '0'))
		return NULL;
	here += whole;
	if (*here == '.' && !strspn(++here, digits))
		return NULL;
	here += strspn(here, digits);
	if (*here == 'e' || *here == 'E') {
		here += 1 + (here[1] == '+' || here[1] == '-');
		if (!strspn(here, digits))
			return NULL;
		here += strspn(here, digits);
	}
	return here;
}

/* {...} or [...] */
static const char *skip_members(const char *here, int depth)
{
	char end = *here == '{' ? '}' : ']';

	here = skip_blanks(here + 1);
	for (bool first = true; *here != end; first = false) {
		if (!first && *here++ != ',')
			return NULL;
		here = skip_blanks(here);
		if (end == '}') {
			if (!(here = skip_string(here)) || *(here = skip_blanks(here)) != ':')
				return NULL;
			here++;
		}
		if (!(here = skip_json(here, depth + 1)))
			return NULL;
	}
	return here + 1;
}

/* A value and the blanks around it; NULL: it is none. */
static const char *skip_json(const char *here, int depth)
{
	static const char *const words[] = { "true", "false", "null" };

	here = skip_blanks(here);
	if (depth > 8)
		return NULL;
	if (*here == '"')
		here = skip_string(here);
	else if (*here == '{' || *here == '[')
		here = skip_members(here, depth);
	else if (isdigit((unsigned char)*here) || *here == '-')
		here = skip_number(here);
	else {
		for (int i = 0; i < LENGTH(words); i++)
			if (!strncmp(here, words[i], strlen(words[i])))
				return skip_blanks(here + strlen(words[i]));
		return NULL;
	}
	return here ? skip_blanks(here) : NULL;
}

/* What is wrong with a report; NULL: nothing. */
static const char *find_mistake(const char *text, const char *format)
{
	const char *end;

	for (const char *here = text; *here; here++)
		if (((unsigned char)*here < ' ' && *here != '\n') || *here == 127)
			return "a byte that is no text";
	if (!strcmp(format, "json") && (!(end = skip_json(text, 0)) || *end))
		return "no JSON";
	if (!strcmp(format, "svg") && (strstr(text, "=\"nan") || strstr(text, "=\"-nan") || strstr(text, "=\"inf") || strstr(text, "=\"-inf")))
		return "a coordinate that is no number";
	return NULL;
}

/* A report in a format; NULL: with --quiet. */
static char *make_report(struct report *reports, int n, bool files, const struct format *format)
{
	static const struct view view = { .width = TEXT_WIDTH };
	struct text text;

	print_reports(begin_text(&text), format, &view, reports, n, files);
	finish_text(&text);
	return text.chars;
}

/* The reports of some files, as --compare has them. */
static struct report *read_again(const struct options *o, int *n)
{
	struct report *reports = allocate((size_t)o->compare.n * SIZES_MAX, sizeof *reports);

	*n = read_reports(reports, o);
	title_reports(reports, *n, o->compare.n > 1);
	return reports;
}

static void fuzz_compare(struct input all)
{
	static const char *const names[LENGTH(files)] = { "a.csv", "b.csv", "c.csv", "d.csv", "e.csv", "f.csv", "g.csv", "h.csv" };
	char *argv[ARGUMENTS + LENGTH(files) + 1] = { strdup("write-bench"), strdup("--compare") }, *text, *again;
	struct input options, part;
	struct options o;
	struct report *reports, *back;
	const char *mistake;
	int argc = 2, n, nback;
	bool several;

	if (all.n && memchr(all.bytes, 0x1d, all.n) && cut_part(&all, 0x1d, &options))
		argc = cut_arguments(options, argv, argc);
	for (int i = 0; i < LENGTH(files) && cut_part(&all, 0x1c, &part); i++) {
		files[i].bytes = part.bytes;
		files[i].n = part.n;
		argv[argc++] = strdup(names[i]);
	}
	argv[argc] = NULL;
	begin_options();
	parse_options(&o, argc, argv);
	if (o.mode != COMPARE)
		return;
	several = o.compare.n > 1;
	reports = read_again(&o, &n);
	free(make_report(reports, n, several, NULL));
	for (int i = 0; i < LENGTH(formats); i++) {
		if (several && formats[i].data)
			continue; /* refused */
		text = make_report(reports, n, several, &formats[i]);
		if ((mistake = find_mistake(text, formats[i].name))) {
			fprintf(stderr, "%s\n---- has %s\n", text, mistake);
			abort();
		}
		if (strcmp(formats[i].name, "csv"))
			continue;
		files[0].bytes = (const uint8_t *)text;
		files[0].n = strlen(text);
		o.compare.item[0] = "a.csv";
		o.select.n = o.exclude.n = 0;
		back = read_again(&o, &nback);
		again = make_report(back, nback, false, &formats[i]);
		if (strcmp(text, again)) {
			fprintf(stderr, "%s\n---- read again:\n%s\n", text, again);
			abort();
		}
	}
}

/* ---- One input ----------------------------------------------------------------------------- */

static const struct {
	const char *name;
	void (*run)(struct input);
} targets[] = {
	{ "options", fuzz_options },
	{ "compare", fuzz_compare },
};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static int target = -1;
	const char *name = getenv("FUZZ_TARGET");

	if (target < 0) {
		for (int i = 0; name && i < LENGTH(targets); i++)
			target = strcmp(name, targets[i].name) ? target : i;
		if (target < 0)
			die("FUZZ_TARGET: name what is to be tested: options or compare");
		__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
		fputs("begins\n", stderr); /* what stderr has for itself is there now */
	}
	fuzz_ns = 1000000000000;
	caught = 0;
	collecting = true;
	if (!setjmp(over))
		targets[target].run((struct input){ bytes, size });
	free_all();
	return 0;
}

#ifdef STANDALONE
int main(int argc, char **argv)
{
	static uint8_t bytes[1 << 20];

	for (int i = 1; i < argc; i++) {
		FILE *f = fopen(argv[i], "r");
		size_t size = f ? fread(bytes, 1, sizeof bytes, f) : 0;
		uint8_t *alone = malloc(size ? size : 1); /* so that reading on behind its end is seen */

		if (!f || !alone)
			return 2;
		fclose(f);
		fprintf(stderr, "Running: %s\n", argv[i]);
		memcpy(alone, bytes, size);
		LLVMFuzzerTestOneInput(alone, size);
		free(alone);
	}
	return 0;
}
#endif
