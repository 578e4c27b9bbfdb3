/*
 * Clocks that step, for tests/matrix.t: preloaded (ld.so(8)), this takes the place of clock_gettime(2). CPU time, and
 * CLOCK_MONOTONIC and CLOCK_BOOTTIME with it, advance by $COARSE_NS nanoseconds at once, as where the kernel has nothing but a
 * timer to count by. That it was called shows in the file $COARSE_DONE, which it makes.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long long ask(clockid_t clock, int *status)
{
	struct timespec t = { 0 };

	*status = (int)syscall(SYS_clock_gettime, clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Of the two clocks that tell time one is ahead of the other by as much at any moment: both step at the same one. */
int clock_gettime(clockid_t clock, struct timespec *t)
{
	static long long step, ahead;
	int status, coarse = clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME || clock == CLOCK_PROCESS_CPUTIME_ID;
	long long ns;

	if (!step) {
		ahead = ask(CLOCK_BOOTTIME, &status) - ask(CLOCK_MONOTONIC, &status);
		step = atoll(getenv("COARSE_NS"));
		close(open(getenv("COARSE_DONE"), O_WRONLY | O_CREAT, 0600));
	}
	ns = ask(clock == CLOCK_BOOTTIME ? CLOCK_MONOTONIC : clock, &status);
	if (coarse)
		ns -= ns % step;
	if (clock == CLOCK_BOOTTIME)
		ns += ahead;
	*t = (struct timespec){ .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
	return status;
}
