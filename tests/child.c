/* For tests/commands.t: setuid root, child alone belongs to root, says its id on standard error, and sleeps. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	sigset_t all;

	sigfillset(&all);
	if (sigprocmask(SIG_SETMASK, &all, NULL) || setuid(0)) return 1;
	fprintf(stderr, "%d\n", (int)getpid());
	return (int)sleep(600);
}
