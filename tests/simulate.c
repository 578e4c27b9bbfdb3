/*
 * The statistics and the race of write-bench.c, driven by a model of a machine instead of copies:
 * every row has a true time, and a run takes longer by noise that only adds, is skewed and now and
 * then large, on a machine that drifts. The seeds are fixed: the outcome is the same each time.
 *
 * Prints a line "FIGURE VALUE" for each figure that tests/simulate.t judges.
 */
#define main write_bench
#include "../write-bench.c"
#undef main

enum { ROWS = 40, SITTINGS = 1000 };

/* One sitting on one machine. */
static struct model {
	double truth[ROWS];      /* nanoseconds */
	double period, phase;    /* of the drift, runs and radians */
	uint64_t random;         /* of the noise, apart from that of the shuffle */
	int runs;
	double spent;            /* nanoseconds copied, by the twin too */
} model;

/* From 0 to below 1. */
static double uniform(uint64_t *state)
{
	return (double)(random_number(state) >> 11) / 9007199254740992.0;
}

/* The logarithm of x in (0, 1], by its series, since libm is not linked. */
static double logarithm(double x)
{
	double sum = 0, halvings = 0, z, power;

	for (; x < 0.5; x *= 2)
		halvings++;
	z = power = (x - 1) / (x + 1);
	for (int i = 1; i < 40; i += 2, power *= z * z)
		sum += 2 * power / i;
	return sum - halvings * 0.69314718055994531;
}

static double exponential(uint64_t *state, double mean)
{
	return -mean * logarithm(1 - uniform(state));
}

/* A triangle from 0 to 1 and back. */
static double drift(void)
{
	double x = model.phase + model.runs / model.period;

	x -= (double)(int64_t)x;
	return x < 0.5 ? 2 * x : 2 - 2 * x;
}

/* Takes the place of run(): 3 % noise, a stall in 15 % of the runs that adds 60 % (means of exponential
 * distributions), and a drift of 10 %. */
static void run_model(struct session *s, struct result *r, int round)
{
	int row = (int)((r == &s->twin ? s->twin_of : r) - s->results);
	struct sample x = { .round = round, .order = s->nruns++, .verdict = { .outcome = COPIED } };
	double ns = model.truth[row] * (1 + 0.1 * drift());

	model.runs++;
	ns *= 1 + exponential(&model.random, 0.03);
	if (uniform(&model.random) < 0.15)
		ns *= 1 + exponential(&model.random, 0.6);
	model.spent += ns;
	x.ns = (int64_t)ns;
	r->verdict = x.verdict;
	append_sample(r, &x);
}

/* A sitting: with runs of each row, or a race of so many in all. */
static void sit(struct session *s, int seed, int runs, int race_runs)
{
	*s = (struct session){
		.opt = { .runs = runs, .race = race_runs, .quiet = true, .seed = (uint64_t)seed }, .run = run_model, .nresults = ROWS,
	};
	s->results = allocate(ROWS, sizeof *s->results);
	for (int i = 0; i < ROWS; i++)
		s->results[i].name = "row";
	model.random = (uint64_t)seed * 2 + 1;
	model.period = 200 + 400 * uniform(&model.random);
	model.phase = uniform(&model.random);
	model.runs = 0;
	model.spent = 0;
	measure(s);
	rank(s, false);
}

static void stand_up(struct session *s)
{
	for (int i = 0; i < ROWS; i++)
		free(s->results[i].samples);
	free(s->twin.samples);
	free(s->results);
	free(s->ranked);
}

/* The first 40 rows' best runs of results/ext4.txt, milliseconds: what a real table looks like. */
static const double real[ROWS] = {
	50.6, 59.2, 61.3, 66.5, 66.9, 71.5, 72.1, 72.3, 73.0, 73.9, 74.0, 74.3, 75.4, 75.8, 76.4, 78.7, 80.5, 85.8, 90.0, 91.7,
	91.7, 92.4, 94.5, 98.0, 98.5, 98.9, 99.4, 101, 102, 102, 103, 104, 106, 106, 112, 115, 118, 120, 143, 262,
};

/* True times, in an order of their own: those of a real table, or with most rows near the best. */
static void choose_truth(int seed, bool crowded)
{
	uint64_t random = (uint64_t)seed;

	for (int i = 0; i < ROWS; i++)
		model.truth[i] = 1e6 * (crowded ? 50 * (1 + exponential(&random, 0.5)) : real[i]);
	for (int i = ROWS - 1; i > 0; i--) {
		int j = random_number(&random) % (i + 1);
		double t = model.truth[i];

		model.truth[i] = model.truth[j];
		model.truth[j] = t;
	}
}

/* Races, and as many sittings of three runs beside them. */
static void simulate_races(const char *name, bool crowded)
{
	double three = 0, raced = 0, runs = 0, best;
	int good = 0, over = 0;
	struct session s;

	for (int seed = 1; seed <= SITTINGS; seed++) {
		int used = 0;

		choose_truth(seed, crowded);
		best = model.truth[0];
		for (int i = 1; i < ROWS; i++)
			best = model.truth[i] < best ? model.truth[i] : best;
		sit(&s, seed, RUNS_DEFAULT, 0);
		three += model.spent;
		stand_up(&s);
		sit(&s, seed, RUNS_DEFAULT, RACE_DEFAULT * ROWS);
		raced += model.spent;
		for (int i = 0; i < ROWS; i++)
			used += s.results[i].nsamples;
		runs += used;
		over += used > RACE_DEFAULT * ROWS;
		good += model.truth[winner(&s) - s.results] <= 1.02 * best;
		stand_up(&s);
	}
	printf("%s_within_2_percent %.4f\n%s_time_of_three %.4f\n%s_runs_a_row %.4f\n%s_over_budget %d\n", name,
	    (double)good / SITTINGS, name, raced / three, name, runs / SITTINGS / ROWS, name, over);
}

/* Rows that are all the same, and how many are called slower. */
static void simulate_equals(int runs)
{
	int sittings = 0, rows = 0;
	struct session s;

	for (int i = 0; i < ROWS; i++)
		model.truth[i] = 50e6;
	for (int seed = 1; seed <= SITTINGS; seed++) {
		int slower = 0;

		sit(&s, seed, runs, 0);
		for (int i = 0; i < ROWS; i++)
			slower += s.results[i].slower;
		rows += slower;
		sittings += slower > 0;
		stand_up(&s);
	}
	printf("equals_%d_sittings %.4f\nequals_%d_rows %.4f\n", runs, (double)sittings / SITTINGS, runs,
	    (double)rows / SITTINGS / (ROWS - 1));
}

/* Rows that the table of one sitting calls slower, and the next one crowns. */
static void simulate_next(int runs)
{
	int crowned = 0;
	struct session s, next;

	for (int seed = 1; seed <= SITTINGS; seed++) {
		choose_truth(seed, true);
		sit(&s, seed, runs, 0);
		sit(&next, seed + SITTINGS, runs, 0);
		crowned += s.results[winner(&next) - next.results].slower;
		stand_up(&s);
		stand_up(&next);
	}
	printf("slower_%d_crowned_next %.4f\n", runs, (double)crowned / SITTINGS);
}

int main(void)
{
	simulate_races("real", false);
	simulate_races("crowded", true);
	simulate_equals(3);
	simulate_equals(6);
	simulate_equals(7);
	simulate_equals(10);
	simulate_next(3);
	simulate_next(10);
	return 0;
}
