/*
 * The judging of write-bench.c, driven by a model of a machine instead of copies. The seeds are fixed: the outcome is
 * the same each time.
 *
 *     simulate SESSIONS MACHINE RUNS STALLS NOISE SLOWER      prints "FIGURE VALUE" a line: shares of the sessions
 *
 * MACHINE alike: 44 rows of the same true time; apart: each row is 2 % slower than the one before. The last row is a
 * command, as fast as the first row, but SLOWER percent slower. gate: two commands, the second SLOWER percent slower;
 * any other name is a file of runs, a line a row, "name;ns ns ...", which are drawn with replacement. RUNS of each row;
 * 0: the default schedule. NOISE is the standard deviation of a run in percent; STALLS are percent of the runs, which
 * take 1.5 to 4 times as long.
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

static void choose_machine(const char *machine, int slower)
{
	bool gate = !strcmp(machine, "gate"), alike = !strcmp(machine, "alike");
	char name[20];

	model.rows = gate ? 2 : NROWS;
	if (!gate && !alike && strcmp(machine, "apart")) {
		read_pool(machine);
		return;
	}
	for (int i = 0; i < model.rows; i++) {
		snprintf(name, sizeof name, "%s%d", gate || i == NROWS - 1 ? "$ " : "row ", i);
		model.names[i] = strdup(name);
		model.truth[i] = FASTEST * (alike || gate ? 1 : pow(APART, i));
	}
	model.truth[model.rows - 1] = FASTEST * (1 + slower / 100.0);
}

/* A session with these runs of each row; 0: the default schedule. */
static void simulate(struct session *s, int seed, int runs)
{
	bool gate = *model.names[0] == '$';

	*s = (struct session){ .opt = { .quiet = true, .seed = seed, .runs_asked = runs, .pause = -1,
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

int main(int argc, char **argv)
{
	double used = 0, behind = 0, marked = 0, known = 0, holds = 0, status[5] = { 0 };
	int sessions = argc == 7 ? atoi(argv[1]) : 0, fastest = 0;

	if (sessions < 1)
		return 2;
	model.stalls = atof(argv[4]) / 100;
	model.noise = atof(argv[5]) / 100;
	choose_machine(argv[2], atoi(argv[6]));
	for (int i = 0; i < model.rows; i++)
		if (*model.names[i] != '$' && model.truth[i] < model.truth[fastest])
			fastest = i;
	for (int seed = 1; seed <= sessions; seed++) {
		struct session s;
		simulate(&s, seed, atoi(argv[3]));
		const struct summary *sum = &s.report->summary;
		double winner = sum->winner ? model.truth[sum->winner - s.report->rows] : 0;
		double truth = sum->own ? model.truth[sum->own - s.report->rows] / winner : 0;
		status[gate_status(s.report, 1)]++;
		used += sum->answer == USE;
		behind += sum->answer == USE && winner > BEHIND * model.truth[fastest];
		marked += s.report->rows[fastest].marked;
		known += sum->gain.low > 0;
		holds += sum->gain.low > 0 && sum->gain.low <= truth && truth <= sum->gain.high;
		end_session(&s);
	}
	printf("used %.4f\nbehind %.4f\nmarked %.4f\n", used / sessions, behind / sessions, marked / sessions);
	printf("holds %.4f\n", known ? holds / known : 0); /* of the sessions that have an interval */
	printf("status_0 %.4f\nstatus_3 %.4f\n", status[0] / sessions, status[3] / sessions);
	return 0;
}
