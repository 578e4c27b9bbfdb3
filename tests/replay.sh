# shellcheck shell=sh
# Is a report that is read back what was printed at once? To be sourced after tap.sh.
# shellcheck disable=SC2154

# Makes a clock that shows the same in each run; fails where there is no C compiler.
same_clock() {
	cat >clock.c <<'END'
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static uint64_t state = 1;
static int64_t at[2] = { 1000000000000, 1000000000 };
int clock_gettime(clockid_t clock, struct timespec *t)
{
	int64_t *a = &at[clock == CLOCK_PROCESS_CPUTIME_ID];
	state = state * 6364136223846793005u + 1442695040888963407u;
	*a += 100000 + (int64_t)(state >> 44);
	t->tv_sec = *a / 1000000000;
	t->tv_nsec = *a % 1000000000;
	return 0;
}
/* How often the clock is read while a command ends would depend on how long that takes: so wait for it, for a minute. */
pid_t wait4(pid_t pid, int *status, int options, struct rusage *used)
{
	struct timespec ms = { .tv_nsec = 1000000 };
	pid_t got = 0;
	for (int i = 0; i < 60000 && !(got = (pid_t)syscall(SYS_wait4, pid, status, options, used)); i++)
		nanosleep(&ms, NULL);
	if (got > 0 && used)
		memset(used, 0, sizeof *used);
	return got;
}
/* A host that steals time, and what the disk does, differ from run to run. */
FILE *fopen(const char *path, const char *mode)
{
	int fd = strcmp(path, "/proc/stat") && strcmp(path, "/proc/vmstat") ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	return fd < 0 ? NULL : fdopen(fd, mode);
}
FILE *fopen64(const char *path, const char *mode) { return fopen(path, mode); }
time_t time(time_t *t) { if (t) *t = 86400; return 86400; }
int getrusage(__rusage_who_t who, struct rusage *u) { (void)who; memset(u, 0, sizeof *u); return 0; }
END
	"${CC:-cc}" -shared -fPIC -O1 -o clock.so clock.c 2>cc.err
}
at_once() { # FORMAT OPTION...: of X
	format=$1
	shift
	for _ in 1 2 3 4 5; do # what else goes on in the machine may make one differ
		for kind in csv "$format"; do
			LD_PRELOAD=./clock.so timeout 300 "$wb" -p0 --seed=7 "$@" -f "$kind" -o "live.$kind" <X >Y 2>err
		done
		timeout 300 "$wb" --compare live.csv -f "$format" >replayed 2>&1
		! diff "live.$format" replayed >cmp.out || break
	done
	is "$*, $format: what is read back is what was printed at once" "$(cat cmp.out)" ""
}
