/*
 * Clocks that jump, for tests/stops.t: preloaded (ld.so(8)), this takes the place of clock_gettime(2) and
 * clock_nanosleep(2), and of sendfile(2), since that is what a run of the row sendfile calls while its clock runs. At the call of sendfile whose number is in
 * $JUMP_AT (0: at each) the clocks jump: CLOCK_MONOTONIC, CLOCK_BOOTTIME and CLOCK_REALTIME by as many seconds as
 * $JUMP_BY has, in this order. That it was called shows in the file $JUMP_DONE, which it makes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static double ahead[3]; /* seconds */

static struct timespec moved(const struct timespec *t, double by)
{
	long long ns = t->tv_sec * 1000000000LL + t->tv_nsec + (long long)(by * 1e9);

	return (struct timespec){ .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
	int status = (int)syscall(SYS_clock_gettime, clock, t);

	*t = moved(t, clock == CLOCK_MONOTONIC ? ahead[0] : clock == CLOCK_BOOTTIME ? ahead[1] : clock == CLOCK_REALTIME ? ahead[2] : 0);
	return status;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *left)
{
	struct timespec t = moved(until, -ahead[0]); /* all sleeps here are until a time of CLOCK_MONOTONIC */

	return syscall(SYS_clock_nanosleep, clock, flags, &t, left) ? errno : 0;
}

ssize_t sendfile(int out, int in, off_t *at, size_t n)
{
	static int calls;
	int done = open(getenv("JUMP_DONE"), O_WRONLY | O_CREAT, 0600);

	int wanted = atoi(getenv("JUMP_AT"));
	double by[3] = { 0 };

	close(done);
	if (++calls == wanted || !wanted) {
		sscanf(getenv("JUMP_BY"), "%lf %lf %lf", &by[0], &by[1], &by[2]);
		for (int i = 0; i < 3; i++)
			ahead[i] += by[i];
	}
	return syscall(SYS_sendfile, out, in, at, n);
}

ssize_t sendfile64(int out, int in, off_t *at, size_t n)
{
	return sendfile(out, in, at, n);
}
