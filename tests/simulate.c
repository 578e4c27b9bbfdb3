/*
 * The statistics of write-bench.c, driven by a model of a machine instead of copies. The
 * seeds are fixed: the outcome is the same each time.
 *
 * simulate SESSIONS reads lines "MACHINE RUNS STALLS NOISE SLOWER FIGURE", and prints each figure.
 *
 * MACHINE alike: 44 rows of the same true time; apart: each row is 2 % slower than the one before. The last row is a
 * command, as fast as the first row, but SLOWER percent slower. gate: two commands, the second SLOWER percent slower;
 * any other name is a file of runs, a line a row, "name;ns ns ...", which are drawn with replacement.
 * RUNS of each row; 0: the default schedule. NOISE is the standard deviation of a run in percent; STALLS are percent
 * of the runs, which take 1.5 to 4 times as long.
 */
#define main write_bench
#define isatty is_no_terminal /* asked before each run; two million system calls would be a quarter of the time */
#include "source.c" /* write-bench.c, where run_row() and time_memcpy() are only declared: simulate.t */
#undef main
#undef isatty
#include <math.h>

int is_no_terminal(int fd)
{
	(void)fd;
	return 0;
}

enum { NROWS = 44, POOL = 64, MOST_ROWS = 100 };

#define FASTEST 50e6     /* nanoseconds */
#define APART 1.02       /* times the time of the row before */
#define BEHIND 1.05      /* times the fastest row's: used by mistake */

struct machine {
	char name[200];
	int runs, stalls, noise, slower; /* percent, but runs */
};

static struct model {
	int rows;
	char *names[MOST_ROWS];
	double truth[MOST_ROWS];        /* nanoseconds: the median of runs that do not stall */
	double pool[MOST_ROWS][POOL];   /* of a file: runs, */
	int drawn[MOST_ROWS];           /* and their number; 0: the model's */
	double stalls, noise;
	uint64_t random;                /* of the noise, apart from that of the shuffle */
} model;

/* From 0 to below 1. */
static double uniform(void)
{
	return (double)(random_number(&model.random) >> 11) / 9007199254740992.0;
}

/* Box and Muller 1958. */
static double normal(void)
{
	double r = sqrt(-2 * log(1 - uniform()));

	return r * cos(6.283185307179586 * uniform());
}

static void time_memcpy(struct report *rep)
{
	(void)rep;
}

/* Run the model, not a row. */
static void run_row(struct session *s, struct row *row, int round)
{
	int nth = (int)(row - s->report->rows);
	struct run run = unknown_run;
	double ns = model.truth[nth] * (1 + model.noise * normal());

	if (uniform() < model.stalls)
		ns *= 1.5 + 2.5 * uniform();
	if (model.drawn[nth])
		ns = model.pool[nth][(int)(uniform() * model.drawn[nth])];
	run.round = round;
	run.order = s->report->nruns++;
	run.verdict.outcome = COPIED;
	run.ns = (int64_t)ns;
	add_run(row, &run);
}

/* Read a machine of recorded runs; its truths are their medians. */
static void read_pool(const char *path)
{
	static char line[20000];
	FILE *f = fopen(path, "r");

	if (!f)
		exit(2);
	for (model.rows = 0; fgets(line, sizeof line, f) && model.rows < MOST_ROWS; model.rows++) {
		char *rest = line, *name = strsep(&rest, ";"), *word;
		double sorted[POOL];
		int n = 0;

		model.names[model.rows] = strdup(name);
		while ((word = strsep(&rest, " \n")) && n < POOL)
			if (*word)
				model.pool[model.rows][n++] = atof(word);
		model.drawn[model.rows] = n;
		memcpy(sorted, model.pool[model.rows], n * sizeof *sorted);
		model.truth[model.rows] = median_of(sorted, n);
	}
	fclose(f);
}

static void choose_machine(const struct machine *m)
{
	bool gate = !strcmp(m->name, "gate"), alike = !strcmp(m->name, "alike");
	char name[20];

	model = (struct model){ .rows = gate ? 2 : NROWS, .stalls = m->stalls / 100.0, .noise = m->noise / 100.0 };
	if (!gate && !alike && strcmp(m->name, "apart")) {
		read_pool(m->name);
		return;
	}
	for (int i = 0; i < model.rows; i++) {
		snprintf(name, sizeof name, "%s%d", gate || i == NROWS - 1 ? "$ " : "row ", i);
		model.names[i] = strdup(name);
		model.truth[i] = FASTEST * (alike || gate ? 1 : pow(APART, i));
	}
	model.truth[model.rows - 1] = FASTEST * (1 + m->slower / 100.0);
}

/* A session with these runs of each row; 0: the default schedule. */
static void begin_session(struct session *s, int seed, const struct machine *m)
{
	bool gate = !strcmp(m->name, "gate");

	*s = (struct session){ .opt = { .quiet = true, .seed = seed, .runs_asked = m->runs, .pause = -1,
		.baseline = gate ? model.names[0] : NULL, .slower = gate ? 5 : 0 },
		.source.ops = sources, .sinks[0].ops = sinks, .nreports = 1 };
	s->report = s->reports = allocate(1, sizeof *s->reports);
	*s->report = (struct report){ .nrows = model.rows, .options = &s->opt, .len = 256 * M };
	s->report->rows = allocate(model.rows, sizeof *s->report->rows);
	for (int i = 0; i < model.rows; i++)
		s->report->rows[i] = (struct row){ .name = model.names[i], .strategy = strategies,
			.command = *model.names[i] == '$' ? model.names[i] + 2 : NULL };
	plan_runs(s);
	model.random = (uint64_t)seed * 2 + 1;
	measure(s);
	rank(s->report);
	judge_commands(s->report, 1);
}

static void end_session(struct session *s)
{
	for (int i = 0; i < model.rows; i++) {
		free(s->report->rows[i].runs);
		free(s->report->rows[i].early.sorted);
		free(s->report->rows[i].late.sorted);
	}
	free(s->report->rows);
	free(s->report->ranked);
	free(s->reports);
}

/* Shares of the sessions. */
static struct figures {
	double used, kept;       /* another row than the command is used; the command is kept */
	double behind;           /* what is used is truly behind the fastest row */
	double marked;           /* the fastest row has its mark */
	double holds;            /* the interval holds the truth, of sessions that have one */
	double status[5];        /* of the gate, by exit status */
} figures;

static void simulate(const struct machine *m, int sessions)
{
	double one = 1.0 / sessions, best = INFINITY, known = 0;
	int fastest = 0;
	struct session s;

	figures = (struct figures){ 0 };
	choose_machine(m);
	for (int i = 0; i < model.rows; i++) {
		if (model.names[i][0] != '$' && model.truth[i] < best)
			fastest = i;
		if (model.names[i][0] != '$')
			best = fmin(best, model.truth[i]);
	}
	for (int seed = 1; seed <= sessions; seed++) {
		begin_session(&s, seed, m);
		const struct summary *sum = &s.report->summary;
		double used = sum->winner ? model.truth[sum->winner - s.report->rows] : 0;
		double truth = sum->own ? model.truth[sum->own - s.report->rows] / used : 0;
		figures.status[gate_status(s.report, 1)] += one;
		figures.used += one * (sum->answer == USE);
		figures.kept += one * (sum->answer == KEEP);
		figures.behind += one * (sum->answer == USE && used > BEHIND * best);
		figures.marked += one * s.report->rows[fastest].marked;
		figures.holds += sum->gain.low > 0 && sum->gain.low <= truth && truth <= sum->gain.high;
		known += sum->gain.low > 0;
		end_session(&s);
	}
	figures.holds /= known ? known : 1;
}

static double figure(const char *name)
{
	const struct {
		const char *name;
		double raw;
	} all[] = {
		{ "used", figures.used }, { "kept", figures.kept }, { "behind", figures.behind },
		{ "marked", figures.marked }, { "holds", figures.holds }, { "status_0", figures.status[0] },
		{ "status_3", figures.status[3] }, { "status_4", figures.status[4] },
	};

	for (int i = 0; i < (int)(sizeof all / sizeof *all); i++)
		if (!strcmp(name, all[i].name))
			return all[i].raw;
	return NAN;
}

int main(int argc, char **argv)
{
	struct machine m, last = { .runs = -1 };
	char name[16];

	while (argc > 1 && scanf("%199s %d %d %d", m.name, &m.runs, &m.stalls, &m.noise) == 4
		&& scanf("%d %15s%*[^\n]", &m.slower, name) == 2) {
		bool same = !strcmp(m.name, last.name) && m.runs == last.runs && m.stalls == last.stalls;
		if (!same || m.noise != last.noise || m.slower != last.slower)
			simulate(&m, atoi(argv[1]));
		last = m;
		printf("%.4f\n", figure(name));
	}
	return 0;
}
