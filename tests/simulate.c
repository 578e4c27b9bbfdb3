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
 * Prints a line "FIGURE VALUE" for each figure that tests/simulate.t judges.
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

#ifndef SESSIONS /* of each kind; the seeds are the same each time */
#define SESSIONS 400
#endif
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

/* A session with so many runs of each row; 0: the default, with its final. */
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

/* True times: all the same; those of a real table; or crowded near the best, some of them SLOWER. */
enum layout { ALL_ALIKE, REAL, CROWDED };

/* What a row is like; the first is the fastest. The shuffle takes care of the order. */
static void choose_truth(int seed, enum layout layout, double stalls)
{
	uint64_t random = (uint64_t)seed * 2;

	model.rows = NROWS;
	model.normal = false;
	model.stalls = stalls;
	for (int i = 0; i < NROWS; i++) {
		double crowded = i == 0 ? 1 : i <= SLOW_ROWS ? SLOWER : 1 + exponential(&random, 0.5);

		model.truth[i] = FASTEST * (layout == ALL_ALIKE ? 1 : layout == REAL ? real[i] / real[0] : crowded);
		model.noise[i] = NOISE * exp(NOISE_SIGMA * normal(&random));
	}
}

/* Is the recommended row as good as the fastest? */
static bool is_near(const struct session *s)
{
	const struct row *row = s->report->summary.recommended;

	return row && model.truth[row - s->report->rows] <= NEAR * FASTEST;
}

/* In how many sessions the fastest row is called slower, how many of the rows that are 10 % slower are,
 * and in how many sessions the recommended row is as good as the fastest. */
static void simulate_verdicts(int runs, int stalls)
{
	int excluded = 0, separated = 0, good = 0;
	struct session s;
	char prefix[64];

	for (int seed = 1; seed <= SESSIONS; seed++) {
		choose_truth(seed, CROWDED, stalls / 100.0);
		begin_session(&s, seed, (struct options){ .runs_asked = runs });
		excluded += s.report->rows[0].beaten_by != NULL;
		for (int i = 1; i <= SLOW_ROWS; i++)
			separated += s.report->rows[i].beaten_by != NULL;
		good += is_near(&s);
		end_session(&s);
	}
	snprintf(prefix, sizeof prefix, "crowded_%d_runs_%d_stalls", runs, stalls);
	printf("%s_fastest_excluded %.4f\n", prefix, (double)excluded / SESSIONS);
	printf("%s_slower_found %.4f\n", prefix, (double)separated / SESSIONS / SLOW_ROWS);
	printf("%s_recommended_near %.4f\n", prefix, (double)good / SESSIONS);
}

/* Rows that are all alike, but for their noise: how many are called slower. Any of them is the fastest. */
static void simulate_alike(int runs, int stalls)
{
	int excluded = 0;
	struct session s;

	for (int seed = 1; seed <= SESSIONS; seed++) {
		choose_truth(seed, ALL_ALIKE, stalls / 100.0);
		begin_session(&s, seed, (struct options){ .runs_asked = runs });
		excluded += NROWS - s.report->summary.candidates;
		end_session(&s);
	}
	printf("alike_%d_runs_%d_stalls_excluded %.4f\n", runs, stalls, (double)excluded / SESSIONS / NROWS);
}

/* Rows that one session calls slower, and the next one recommends. */
static void simulate_next(int runs)
{
	int contradicted = 0;
	struct session s, next;

	for (int seed = 1; seed <= SESSIONS; seed++) {
		choose_truth(seed, CROWDED, 0.15);
		begin_session(&s, seed, (struct options){ .runs_asked = runs });
		begin_session(&next, seed + SESSIONS, (struct options){ .runs_asked = runs });
		if (next.report->summary.recommended)
			contradicted += s.report->rows[next.report->summary.recommended - next.report->rows].beaten_by != NULL;
		end_session(&s);
		end_session(&next);
	}
	printf("next_%d_runs_contradicts %.4f\n", runs, (double)contradicted / SESSIONS);
}

/* Default sessions: in how many the fastest row has its mark, in how many the recommended one is truly more than
 * 5 % behind, and how many runs they take. */
static void simulate_final(enum layout layout, const char *name, int stalls)
{
	int marked = 0, behind = 0, runs = 0;
	struct session s;

	for (int seed = 1; seed <= SESSIONS; seed++) {
		choose_truth(seed, layout, stalls / 100.0);
		begin_session(&s, seed, (struct options){ .pause = -1 });
		const struct row *row = s.report->summary.recommended;
		marked += is_marked(&s.report->rows[0]);
		behind += row && model.truth[row - s.report->rows] > 1.05 * FASTEST;
		runs += model.runs;
		end_session(&s);
	}
	printf("final_%s_%d_stalls_marked %.4f\n", name, stalls, (double)marked / SESSIONS);
	printf("final_%s_%d_stalls_behind %.4f\n", name, stalls, (double)behind / SESSIONS);
	printf("final_%s_%d_stalls_runs %.1f\n", name, stalls, (double)runs / SESSIONS);
}

/* A command that is so much slower than the fastest row, percent: in how many sessions it is kept, and in how many
 * another row is used. */
static void simulate_keep(int noise, int stalls, int slower)
{
	int kept = 0, used = 0, runs = 0;
	struct session s;
	char prefix[64];

	for (int seed = 1; seed <= SESSIONS; seed++) {
		choose_truth(seed, CROWDED, stalls / 100.0);
		model.normal = true;
		for (int i = 0; i < NROWS; i++) model.noise[i] = noise / 100.0;
		for (int i = 1; i <= SLOW_ROWS; i++) model.truth[i] = FASTEST; /* several are as fast as the fastest */
		model.truth[1] = model.truth[0];
		model.truth[0] *= 1 + slower / 100.0;
		begin_session(&s, seed, (struct options){ .with.n = 1, .pause = -1 });
		kept += s.report->summary.answer == KEEP;
		used += s.report->summary.answer == USE;
		runs += model.runs;
		end_session(&s);
	}
	snprintf(prefix, sizeof prefix, "keep_%d_noise_%d_stalls_%d_slower", noise, stalls, slower);
	printf("%s_kept %.4f\n%s_used %.4f\n%s_runs %.1f\n", prefix, (double)kept / SESSIONS, prefix,
	    (double)used / SESSIONS, prefix, (double)runs / SESSIONS);
}

/* Jobs with --fail-if-slower=5 of a command that is so much slower than the baseline, percent: how they end. */
static void simulate_gate(int noise, int stalls, int slower, int jobs)
{
	int ends[4] = { 0 }, rounds = 0;
	struct session s;
	char prefix[64];

	for (int seed = 1; seed <= jobs; seed++) {
		model.rows = 2;
		model.normal = true;
		model.stalls = stalls / 100.0;
		model.noise[0] = model.noise[1] = noise / 100.0;
		model.truth[0] = FASTEST;
		model.truth[1] = FASTEST * (1 + slower / 100.0);
		begin_session(&s, seed, (struct options){ .with.n = 2, .baseline = "$ 0", .slower = 5, .pause = -1 });
		ends[gate_status(&(struct set){ .reports = s.report, .n = 1 })]++;
		rounds += s.report->commands[0]->nruns;
		end_session(&s);
	}
	snprintf(prefix, sizeof prefix, "gate_%d_noise_%d_stalls_%d_slower", noise, stalls, slower);
	for (int i = 0; i < 4; i++)
		if (i != 1) printf("%s_ends_%d %.4f\n", prefix, i, (double)ends[i] / jobs);
	printf("%s_rounds %.1f\n", prefix, (double)rounds / jobs);
}

/* The exit status of --fail-if-slower=5 with three runs each of a baseline and of so many commands, which take so many
 * milliseconds; the last of them is n/a if refused. */
static int judge_job(const int ms[3], int commands, bool refused)
{
	static const int base[3] = { 100, 101, 102 };
	struct options opt = { .slower = 5 };
	struct report report = { .options = &opt, .nrows = commands + 1, .len = 1, .rounds = 3, .baseline = "$ 0", .limit = 5,
		.nsizes = 1 };

	report.rows = allocate(report.nrows, sizeof *report.rows);
	for (int i = 0; i <= commands; i++) {
		struct row *row = &report.rows[i];

		*row = (struct row){ .name = format_text("$ %d", i), .command = "c" };
		for (int k = 0; k < 3; k++) {
			struct run run = { .ns = (i ? ms : base)[k] * 1000000, .round = k + 1, .verdict = { .outcome = COPIED } };

			if (refused && i == commands)
				run.verdict.outcome = REFUSED;
			add_run(row, &run);
		}
	}
	rank(&report);
	return gate_status(&(struct set){ .reports = &report, .n = 1 });
}

static void judge_jobs(void)
{
	static const int slower[3] = { 110, 111, 112 }, noisy[3] = { 99, 120, 130 }, alike[3] = { 100, 101, 102 };

	printf("gate_slower %d\n", judge_job(slower, 1, false));
	printf("gate_slower_of_two %d\n", judge_job(slower, 2, false)); /* each at half the level: too few runs */
	printf("gate_noisy %d\n", judge_job(noisy, 1, false));
	printf("gate_alike %d\n", judge_job(alike, 1, false));
	printf("gate_refused %d\n", judge_job(alike, 2, true));
}

int main(int argc, char **argv)
{
	if (argc > 1) { /* what the answer is worth */
		for (int stalls = 5; stalls <= 15; stalls += 10) {
			simulate_final(CROWDED, "crowded", stalls);
			simulate_final(REAL, "real", stalls);
		}
		simulate_keep(10, 5, 20);
		simulate_keep(20, 10, 30);
		simulate_keep(10, 5, 0);
		simulate_keep(20, 10, 0);
		for (int slower = 0; slower <= 8; slower += 8) {
			simulate_gate(2, 0, slower, atoi(argv[1]));
			simulate_gate(3, 15, slower, atoi(argv[1]));
			simulate_gate(10, 0, slower, atoi(argv[1]));
		}
		return 0;
	}
	judge_jobs();
	for (int runs = 6; runs <= 10; runs += 4)
		for (int stalls = 5; stalls <= 15; stalls += 10) {
			simulate_verdicts(runs, stalls);
			simulate_alike(runs, stalls);
		}
	simulate_alike(3, 15);
	simulate_alike(6, 0);
	simulate_alike(10, 0);
	simulate_next(6);
	simulate_next(10);
	return 0;
}
