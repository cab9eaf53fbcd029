/* SPDX-License-Identifier: MIT */
/*
 * Promise: the process that keeps memory has the memory and nothing else that
 * somebody could miss or would have to wait for.  This program adopts it, and
 * ends it.
 */
#include "config.h"

#include "qpu/ways/keeper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/fault.h"
#include "tests/support/tap.h"

static void
ignore(int number)
{
	(void)number;
}

/* A program with memory, open files, a handler and blocked signals, which keeps
 * its memory, and then has no child. */
static void
keep_and_wait(void)
{
	const int fd = memfd_create("of-the-qpus", 0);
	sigset_t all;

	alarm(60);
	if (fd < 0 || ftruncate(fd, 4096) != 0 ||
	    mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
		_exit(99);
	signal(SIGTERM, ignore);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	if (!keeper_start())
		_exit(1);
	_exit(wait(NULL) < 0 && errno == ECHILD ? 0 : 2);
}

/* A file of /proc about a process, or where a link there leads; "" if there is
 * none. */
static const char *
read_about(pid_t pid, const char *name)
{
	static char text[65536];
	char path[64];
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	len = readlink(path, text, sizeof(text) - 1);
	fd = len < 0 ? open(path, O_RDONLY) : -1;
	if (fd >= 0) {
		len = 0;
		for (ssize_t n = 1; n > 0; len += n > 0 ? n : 0)
			n = read(fd, text + len,
				 sizeof(text) - 1 - (size_t)len);
		close(fd);
	}
	text[len > 0 ? len : 0] = '\0';
	return text;
}

/* -1: there is no such process. */
static int
count_files(pid_t pid)
{
	char path[64];
	int n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	if (!dir)
		return -1;
	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2; /* "." and ".." */
}

static long
refuse(long number, long a, long b, long c, long d, long e, long f)
{
	(void)number, (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
	errno = EAGAIN;
	return -1;
}

int
main(void)
{
	char children[64];
	pid_t caller, keeper;
	int status = -1;

	alarm(60);
	fault_hooks.syscall = refuse;
	ok(!keeper_start(), "where there can be no process, that is told");
	fault_clear();
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
		tap_skip("qemu adopts no processes");
		return tap_done();
	}
	fflush(stdout);
	caller = fork();
	if (caller == 0)
		keep_and_wait();
	waitpid(caller, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
	   "a program that keeps memory has no child to wait for");
	snprintf(children, sizeof(children), "task/%d/children", (int)getpid());
	keeper = (pid_t)strtol(read_about(getpid(), children), NULL, 10);
	if (keeper <= 0) {
		ok(false, "a process keeps the memory of a program that ended");
		return tap_done();
	}
	ok(count_files(keeper) == 0,
	   "the process that keeps memory has no open files, and no standard "
	   "streams");
	/* It may not have come so far yet; the alarm ends a wait in vain. */
	while (strcmp(read_about(keeper, "cwd"), "/") != 0)
		sched_yield();
	ok(strcmp(read_about(keeper, "comm"), "qpu-memory\n") == 0,
	   "the process that keeps memory has a name, and is in no folder that "
	   "somebody may want to unmount");
	ok(strstr(read_about(keeper, "maps"), "of-the-qpus"),
	   "a process keeps the memory of a program that has ended");
	ok(getsid(keeper) != getsid(0) && getsid(keeper) != keeper,
	   "the process that keeps memory is in a session without a terminal");
	kill(keeper, SIGTERM);
	waitpid(keeper, &status, 0);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM,
	   "the process that keeps memory ends with the system, whatever the "
	   "program does with SIGTERM");
	return tap_done();
}
