/*
 * The statistics of write-bench.c, driven by a model of a machine instead of copies. The
 * seeds are fixed: the outcome is the same each time.
 *
 * The model: each row has a true time, which is the median of its runs that do not stall, and a noise of its
 * own. Noise is skewed, as in copies: its distribution is exponential. In the row in the middle it has a
 * standard deviation of 2.5 % of a run, as on a quiet machine; a row's factor to that is log-normal with a
 * sigma of 0.5, so that the quietest of 40 rows has about 0.8 % and the noisiest 8 %. Besides, 5 or 15 % of
 * the runs stall, and take 60 % longer, exponentially distributed. The machine drifts by 10 %, up and down,
 * with a period of 200 to 600 runs.
 *
 * simulate SESSIONS reads lines "MACHINE RUNS STALLS NOISE SLOWER FIGURE", and prints each figure.
 */
#define main write_bench
#define isatty is_no_terminal /* asked before each run; two million system calls would be a quarter of the time */
#include "source.c" /* write-bench.c, where run_row() is only declared: simulate.t */
#undef main
#undef isatty
#include <math.h>

int is_no_terminal(int fd)
{
	(void)fd;
	return 0;
}

enum { NROWS = 40, SLOW_ROWS = 8 };

#define NOISE 0.025     /* of a row in the middle, as a share of a run */
#define NOISE_SIGMA 0.5 /* of the logarithm of a row's factor to that */
#define STALL 0.6       /* mean of what a stall adds, as a share of a run */
#define DRIFT 0.1       /* from the machine's fastest state to its slowest */
#define FASTEST 50e6    /* nanoseconds */
#define SLOWER 1.1      /* times that: the rows that should be separated from it */
#define NEAR 1.03       /* times that: good enough to be recommended */

/* One session on one machine. */
static struct model {
	int rows;
	bool normal;             /* noise is normal, a stall multiplies a run by 1.5 to 4, and nothing drifts */
	double truth[NROWS];      /* nanoseconds: the median of runs that do not stall */
	double noise[NROWS];      /* as a share of a run */
	double stalls;           /* share of runs */
	double period, phase;    /* of the drift: in runs, and from 0 to 1 */
	uint64_t random;         /* of the noise, apart from that of the shuffle */
	int runs;
} model;

/* From 0 to below 1. */
static double uniform(uint64_t *state)
{
	return (double)(random_number(state) >> 11) / 9007199254740992.0;
}

static double exponential(uint64_t *state, double mean)
{
	return -mean * log(1 - uniform(state));
}

/* Box and Muller 1958. */
static double normal(uint64_t *state)
{
	double r = sqrt(exponential(state, 2));

	return r * cos(6.283185307179586 * uniform(state));
}

/* A triangle from 0 to 1 and back. */
static double drift(void)
{
	double x = model.phase + model.runs / model.period;

	x -= floor(x);
	return x < 0.5 ? 2 * x : 2 - 2 * x;
}

/* Runs the model, not a row. */
static void run_row(struct session *s, struct row *row, int round)
{
	if (row < s->report->rows || row >= s->report->rows + s->report->nrows) /* a reference */
		return;
	int nth = (int)(row - s->report->rows);
	struct run run = { .round = round, .order = s->report->nruns++, .verdict = { .outcome = COPIED } };
	double ns = model.truth[nth] * (model.normal ? 1 : 1 + DRIFT * drift());

	model.runs++;
	ns *= 1 + model.noise[nth] * (model.normal ? normal(&model.random) : exponential(&model.random, 1) - log(2));
	if (uniform(&model.random) < model.stalls)
		ns *= model.normal ? 1.5 + 2.5 * uniform(&model.random) : 1 + exponential(&model.random, STALL);
	run.ns = (int64_t)ns;
	add_run(row, &run);
}

/* A session with these runs of each row; 0: the default, with its final. */
static void begin_session(struct session *s, int seed, struct options opt)
{
	opt.quiet = true;
	opt.seed = seed;
	*s = (struct session){ .opt = opt, .source.ops = sources, .sinks[0].ops = sinks, .nreports = 1 };
	s->report = s->reports = allocate(1, sizeof *s->reports);
	*s->report = (struct report){ .nrows = model.rows, .rounds = opt.runs_asked ? opt.runs_asked : RUNS_DEFAULT, .options = &s->opt,
		.baseline = opt.baseline, .limit = opt.slower, .nsizes = 1 };
	s->report->rows = allocate(NROWS, sizeof *s->report->rows);
	for (int i = 0; i < NROWS; i++) {
		s->report->rows[i].name = format_text("%s%d", i < opt.with.n ? "$ " : "row ", i);
		s->report->rows[i].strategy = strategies;
		s->report->rows[i].command = i < opt.with.n ? s->report->rows[i].name + 2 : NULL;
	}
	model.random = (uint64_t)seed * 2 + 1;
	model.period = 200 + 400 * uniform(&model.random);
	model.phase = uniform(&model.random);
	model.runs = 0;
	measure(s);
	rank(s->report);
}

static void end_session(struct session *s)
{
	for (int i = 0; i < NROWS; i++) {
		free(s->report->rows[i].runs);
		free(s->report->rows[i].tested.sorted);
		free((char *)s->report->rows[i].name);
	}
	free(s->report->commands);
	free(s->report->rows);
	free(s->report->ranked);
	free(s->reports);
}

/* The first 40 rows' best runs of a table of ext4, milliseconds: what a real one looks like. */
static const double real[NROWS] = {
	50.6, 59.2, 61.3, 66.5, 66.9, 71.5, 72.1, 72.3, 73.0, 73.9, 74.0, 74.3, 75.4, 75.8, 76.4, 78.7, 80.5, 85.8,
	90.0, 91.7, 91.7, 92.4, 94.5, 98.0, 98.5, 98.9, 99.4, 101, 102, 102, 103, 104, 106, 106, 112, 115, 118, 120,
	143, 262,
};

/* The machines: rows that are all alike, those of a real table, or crowded near the best, some of them slower. Of
 * "next" two sessions are measured. Of "keep" the first row is a command, and several others are the fastest; of
 * "gate" there are two commands, the first of which is the baseline. */
struct machine {
	char name[16];
	int runs;           /* 0: the default, with the final */
	int stalls, noise;  /* percent; noise 0: of each row its own */
	int slower;         /* percent: the first row of "keep", the second of "gate" */
};

/* The first row is the fastest. The shuffle takes care of the order. */
static void choose_truth(int seed, const struct machine *m)
{
	uint64_t random = (uint64_t)seed * 2;
	bool keep = !strcmp(m->name, "keep"), gate = !strcmp(m->name, "gate");

	model.rows = gate ? 2 : NROWS;
	model.normal = m->noise > 0;
	model.stalls = m->stalls / 100.0;
	for (int i = 0; i < NROWS; i++) {
		double x = i == 0 ? 1 : i <= SLOW_ROWS ? SLOWER : 1 + exponential(&random, 0.5);

		if (!strcmp(m->name, "alike") || gate || (keep && i <= SLOW_ROWS))
			x = 1;
		if (!strcmp(m->name, "real"))
			x = real[i] / real[0];
		model.truth[i] = FASTEST * x;
		model.noise[i] = NOISE * exp(NOISE_SIGMA * normal(&random));
		if (m->noise)
			model.noise[i] = m->noise / 100.0;
	}
	model.truth[gate] *= 1 + m->slower / 100.0;
}

static struct options options_of(const struct machine *m)
{
	if (!strcmp(m->name, "gate"))
		return (struct options){ .with.n = 2, .baseline = "$ 0", .slower = 5, .pause = -1 };
	if (!strcmp(m->name, "keep"))
		return (struct options){ .with.n = 1, .pause = -1 };
	return (struct options){ .runs_asked = m->runs, .pause = m->runs ? 0 : -1 };
}

/* Shares of the sessions, or of their rows. */
static struct figures {
	double excluded; /* the fastest row is called slower */
	double found;    /* a row that is slower is called so */
	double any;      /* any row is called slower */
	double near;     /* the recommended row is as good as the fastest */
	double behind;   /* it is more than 5 % behind */
	double marked;   /* the fastest row has its mark */
	double kept, used;
	double contradicted; /* the next session recommends a row that is called slower */
	double ends[4];      /* of the gate, by exit status */
} figures;

static void count_session(const struct machine *m, struct session *s, int seed, int sessions)
{
	const struct row *row = s->report->summary.recommended;
	double one = 1.0 / sessions, truth = row ? model.truth[row - s->report->rows] : 0;
	struct session next;

	if (model.rows == 2) {
		figures.ends[gate_status(&(struct set){ .reports = s->report, .n = 1 })] += one;
		return;
	}
	figures.excluded += one * (s->report->rows[0].beaten_by != NULL);
	for (int i = 1; i <= SLOW_ROWS; i++)
		figures.found += one / SLOW_ROWS * (s->report->rows[i].beaten_by != NULL);
	figures.any += one / NROWS * (NROWS - s->report->summary.candidates);
	figures.near += one * (row && truth <= NEAR * FASTEST);
	figures.behind += one * (truth > 1.05 * FASTEST);
	figures.marked += one * is_marked(&s->report->rows[0]);
	figures.kept += one * (s->report->summary.answer == KEEP);
	figures.used += one * (s->report->summary.answer == USE);
	if (strcmp(m->name, "next"))
		return;
	begin_session(&next, seed + sessions, options_of(m));
	row = next.report->summary.recommended;
	if (row)
		figures.contradicted += one * (s->report->rows[row - next.report->rows].beaten_by != NULL);
	end_session(&next);
}

static void simulate(const struct machine *m, int sessions)
{
	struct session s;

	figures = (struct figures){ 0 };
	for (int seed = 1; seed <= sessions; seed++) {
		choose_truth(seed, m);
		begin_session(&s, seed, options_of(m));
		count_session(m, &s, seed, sessions);
		end_session(&s);
	}
}

static double figure(const char *name)
{
	const struct {
		const char *name;
		double raw;
	} all[] = {
		{ "excluded", figures.excluded }, { "found", figures.found }, { "any", figures.any },
		{ "near", figures.near }, { "behind", figures.behind }, { "marked", figures.marked },
		{ "kept", figures.kept }, { "used", figures.used }, { "contradicted", figures.contradicted },
		{ "ends_0", figures.ends[0] }, { "ends_3", figures.ends[3] },
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

	while (argc > 1 && scanf("%15s %d %d %d", m.name, &m.runs, &m.stalls, &m.noise) == 4
		&& scanf("%d %15s%*[^\n]", &m.slower, name) == 2) {
		if (memcmp(&m.runs, &last.runs, sizeof m - offsetof(struct machine, runs)) || strcmp(m.name, last.name))
			simulate(&m, atoi(argv[1]));
		last = m;
		printf("%.4f\n", figure(name));
	}
	return 0;
}
