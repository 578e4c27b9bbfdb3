/*
 * Processes that are denied a system call, or can't be ended, for tests/children.t.
 *
 *     child CALL COMMAND...  becomes the command, and it and all that it starts are killed at that call (seccomp(2)): sendfile, read
 *     child root                    setuid root: belongs to root, says its id on standard error, and sleeps
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	const char *name;
	unsigned number;
} calls[] = { { "sendfile", SYS_sendfile }, { "read", SYS_read } };

static int be_root(void)
{
	sigset_t all;

	sigfillset(&all);
	if (sigprocmask(SIG_SETMASK, &all, NULL) || setuid(0))
		return 1;
	fprintf(stderr, "%d\n", (int)getpid());
	sleep(600);
	return 0;
}

int main(int argc, char **argv)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { .len = 4, .filter = code };

	if (argc == 2)
		return be_root();
	if (argc < 3)
		return 2;
	for (int i = 0; i < 2; i++)
		if (!strcmp(argv[1], calls[i].name))
			code[1].k = calls[i].number;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		return 3;
	execvp(argv[2], argv + 2);
	return 4;
}
