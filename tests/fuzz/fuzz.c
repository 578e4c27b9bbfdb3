/*
 * What reads what others wrote, under libFuzzer. FUZZ_TARGET says what is tested:
 *
 *     options  arguments, a line each: parsed, and rows chosen, planned and listed by them
 *     compare  CSV reports, with \x1c between them, and before \x1d options, a line each: all formats of them
 *
 * Beside what the sanitizers see, it aborts where a report has other bytes than text, where JSON is none, and where a
 * report in CSV, read again, is another one. Nothing is executed, and of all calls on files none is made but on memory.
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

struct input {
	const uint8_t *bytes;
	size_t n;
};

enum { ARGUMENTS = 60, FUZZ_FILES = 8 };
static struct input files[FUZZ_FILES]; /* a.csv and so on */
static jmp_buf over; /* what exit(3) leads to */
static long fuzz_ns; /* a clock that a machine's pauses do not touch */

/* Streams that are open: exit(3) may come before they are closed, when what their texts belong to is gone. */
static struct stream {
	FILE *f; /* NULL: none */
	char *chars, **to; /* to: NULL for a file */
	size_t size, *size_to;
} streams[64];

static struct stream *find_stream(const FILE *f) {
	struct stream *s = streams;
	while (s->f != f)
		if (++s == streams + sizeof streams / sizeof *streams) abort();
	return s;
}

static FILE *fuzz_open(const char *name) {
	int i = *name - 'a';
	struct stream *s = find_stream(NULL);
	errno = ENOENT;
	if (i < 0 || i >= FUZZ_FILES || strcmp(name + 1, ".csv") != 0) return NULL;
	*s = (struct stream){ .f = fmemopen((void *)(uintptr_t)files[i].bytes, files[i].n, "r") };
	return s->f;
}

static FILE *fuzz_memstream(char **to, size_t *size_to) {
	struct stream *s = find_stream(NULL);
	*s = (struct stream){ .to = to, .size_to = size_to };
	return s->f = open_memstream(&s->chars, &s->size);
}

static int fuzz_close(FILE *f) {
	struct stream *s = find_stream(f);
	int status = fclose(f);
	s->f = NULL;
	if (s->to) {
		*s->to = s->chars;
		*s->size_to = s->size;
	}
	return status;
}

/* The program, with these in place of libc's. */
#define main write_bench
#define exit(status) longjmp(over, 1)
#define clock_gettime(clock, t) ((t)->tv_sec = 1000, (t)->tv_nsec = fuzz_ns += 1000, 0)
#define getrandom(to, n, flags) (memset(to, 0x5a, n), (ssize_t)(n))
#define fopen(name, mode) fuzz_open(name)
#define fclose(f) fuzz_close(f)
#define open_memstream(to, size) fuzz_memstream(to, size)
#define calloc(n, size) calloc(n, (size) >= 1 << 24 ? 1 << 18 : (size)) /* no line of an input is as long */
#define strerror(number) "its message" /* libc keeps memory for one */
#include "../../write-bench.c"
#undef fclose

/* Memory: what is left when exit(3) jumps away is freed. */
void __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void *, size_t),
	void (*)(const volatile void *));
static const volatile void *live[1 << 20];
static int nlive;
static _Thread_local bool collecting;

static void on_malloc(const volatile void *p, size_t size) {
	(void)size;
	if (nlive == LENGTH(live)) abort();
	if (collecting && p) live[nlive++] = p;
}

static void on_free(const volatile void *p) {
	for (int i = nlive; collecting && i-- > 0;)
		if (live[i] == p) {
			live[i] = live[--nlive];
			return;
		}
}

static void free_all(void) {
	for (int i = 0; i < LENGTH(streams); i++) {
		if (streams[i].f) fclose(streams[i].f); /* and its characters are freed below */
		streams[i].f = NULL;
	}
	collecting = false;
	while (nlive > 0) free((void *)(uintptr_t)live[--nlive]);
}

static void check(bool good, const char *text, const char *what) {
	if (good) return;
	fprintf(stderr, "%s\n---- has %s\n", text, what);
	abort();
}

/* Cuts off what stands before a byte; false: there is nothing any more. */
static bool cut_part(struct input *rest, uint8_t at, struct input *part) {
	const uint8_t *end = rest->n ? memchr(rest->bytes, at, rest->n) : NULL;
	if (!rest->bytes) return false;
	*part = (struct input){ rest->bytes, end ? (size_t)(end - rest->bytes) : rest->n };
	*rest = end ? (struct input){ end + 1, rest->n - part->n - 1 } : (struct input){ NULL, 0 };
	return true;
}

/* Arguments, each in memory of its own. */
static int cut_arguments(struct input text, char **argv, int argc) {
	struct input part;
	while (argc < ARGUMENTS && cut_part(&text, '\n', &part))
		argv[argc++] = strndup((const char *)part.bytes, part.n);
	argv[argc] = NULL;
	return argc;
}

static void fuzz_options(struct input all) {
	char *argv[ARGUMENTS + 1] = { strdup("write-bench") };
	struct session s = { .nout = 1 };
	struct options *o = &s.opt;
	struct ends ends = { .in_kinds = KIND_ANY, .out_kinds = { KIND_ANY, KIND_ANY }, .single = true, .two = true };
	struct text text;
	parse_options(o, cut_arguments(all, argv, 1), argv);
	begin_text(&text);
	if (o->mode == HELP) print_help(text.f);
	if (o->mode == MANUAL) print_man(text.f);
	if (o->mode < HELP) { /* else the other options have not been looked at */
		check(o->runs_asked >= 0 && o->runs_asked <= INT32_MAX && o->warmup >= 0 && o->warmup <= INT32_MAX
			&& o->pause >= -1 && o->pause <= PAUSE_MAX * INT64_C(1000000000)
			&& o->sizes.n >= 0 && o->sizes.n <= SIZES_MAX && largest_size(&o->sizes) >= 0 && o->generate >= 0
			&& o->nreport_files >= 0 && o->nreport_files <= LENGTH(o->report_files), "options", "no bounds");
		if (o->from_end.name || o->into_end.command) ends.in_kinds = ends.out_kinds[0] = KIND_PIPE;
		s.report = s.reports = allocate(SIZES_MAX, sizeof *s.reports);
		s.nreports = (int)max(o->sizes.n, 1);
		choose_rows(s.report, o, &ends);
		print_list(text.f, s.report);
		plan_runs(&s);
	}
	finish_text(&text);
}

/* JSON (RFC 8259): behind a value and the blanks around it; NULL: it is none. */
static const char *skip_json(const char *here, int depth) {
	char open = *(here += strspn(here, " \n")), end = open == '{' ? '}' : ']';
	size_t whole = strspn(here + (open == '-'), "0123456789");
	if (depth > 8) return NULL;
	if (open == '"') {
		for (here++; *here != '"'; here++)
			if (*here == '\0' || (*here == '\\' && (!*++here || !strchr("\"\\/bfnrtu", *here)))) return NULL;
		here++;
	} else if (open == '{' || open == '[') {
		here++;
		for (bool first = true; *(here += strspn(here, " \n")) != end; first = false) {
			if (!first && *here++ != ',') return NULL;
			here += strspn(here, " \n");
			if (end == '}' && (*here != '"' || !(here = skip_json(here, depth)) || *here++ != ':')) return NULL;
			if (!(here = skip_json(here, depth + 1))) return NULL;
		}
		here++;
	} else if (whole > 0) {
		if (whole > 1 && here[open == '-'] == '0') return NULL;
		char *behind;
		strtod(here, &behind);
		size_t n = strspn(here, "-+.e0123456789");
		if (behind != here + n || behind[-1] == '.') return NULL;
		here += n;
	} else {
		if (strncmp(here, "true", 4) && strncmp(here, "null", 4) && strncmp(here, "false", 5)) return NULL;
		here += open == 'f' ? 5 : 4;
	}
	return here + strspn(here, " \n");
}

/* The reports of the files that --compare has. */
static struct report *read_again(const struct options *o, int *n) {
	struct report *reports = allocate((size_t)o->compare.n * SIZES_MAX, sizeof *reports);
	*n = read_reports(reports, o);
	title_reports(reports, *n, o->compare.n > 1);
	return reports;
}

/* In a format; NULL: with --quiet. */
static char *make_report(struct report *reports, int n, bool files, const struct format *format) {
	static const struct view view = { .width = TEXT_WIDTH };
	struct text text;
	print_reports(begin_text(&text), format, &view, reports, n, files);
	finish_text(&text);
	return text.chars;
}

static void check_report(const char *text, const char *format) {
	static const char *const no_numbers[] = { "=\"nan", "=\"-nan", "=\"inf", "=\"-inf" };
	const char *here = text;
	while ((unsigned char)*here >= ' ' ? *here != 127 : *here == '\n') here++;
	check(!*here, text, "a byte that is no text");
	if (!strcmp(format, "json")) check((here = skip_json(text, 0)) && !*here, text, "no JSON");
	for (int k = 0; !strcmp(format, "svg") && k < LENGTH(no_numbers); k++)
		check(!strstr(text, no_numbers[k]), text, "a coordinate that is no number");
}

static void fuzz_compare(struct input all) {
	char *argv[ARGUMENTS + FUZZ_FILES + 1] = { strdup("write-bench"), strdup("--compare") }, *text;
	struct input options, part;
	struct options o;
	int argc = 2, n;
	if (all.n && memchr(all.bytes, 0x1d, all.n) && cut_part(&all, 0x1d, &options))
		argc = cut_arguments(options, argv, argc);
	for (int i = 0; i < FUZZ_FILES && cut_part(&all, 0x1c, &part); i++) {
		files[i] = part;
		argv[argc] = strdup("a.csv");
		*argv[argc++] += (char)i;
	}
	argv[argc] = NULL;
	parse_options(&o, argc, argv);
	if (o.mode != COMPARE) return;
	bool several = o.compare.n > 1;
	struct report *reports = read_again(&o, &n);
	make_report(reports, n, several, NULL);
	for (int i = 0; i < LENGTH(formats); i++) {
		if (several && formats[i].data) continue; /* refused */
		text = make_report(reports, n, several, &formats[i]);
		check_report(text, formats[i].name);
		if (strcmp(formats[i].name, "csv") != 0) continue;
		files[0] = (struct input){ (const uint8_t *)text, strlen(text) };
		o.compare.item[0] = "a.csv";
		o.select.n = o.exclude.n = 0;
		int again;
		struct report *back = read_again(&o, &again);
		check(!strcmp(text, make_report(back, again, false, &formats[i])), text, "other bytes than read again");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
	static void (*run)(struct input);
	const char *name = getenv("FUZZ_TARGET");
	if (!run) {
		run = name && !strcmp(name, "compare") ? fuzz_compare : fuzz_options;
		__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
		fputs("begins\n", stderr); /* what stderr has for itself is there now */
	}
	fuzz_ns = 0;
	caught = 0;
	optind = 0; /* getopt(3) forgets where it was, and takes the arguments from the first on */
	getopt(1, (char *[]){ "write-bench", NULL }, "");
	collecting = true;
	if (!setjmp(over)) run((struct input){ bytes, size });
	free_all();
	return 0;
}
