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
#include <sched.h>
#include <signal.h>
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

static bool
maps(pid_t pid, const char *what)
{
	char path[64], line[512];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	file = fopen(path, "r");
	while (file && !found && fgets(line, sizeof(line), file))
		found = strstr(line, what) != NULL;
	if (file)
		fclose(file);
	return found;
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

/* What does a link or the first line of a file in /proc say of the process? */
static bool
says(pid_t pid, const char *name, const char *what)
{
	char path[64], text[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	if (readlink(path, text, sizeof(text) - 1) < 0) {
		file = fopen(path, "r");
		if (!file || !fgets(text, sizeof(text), file))
			return false;
		fclose(file);
	}
	return strcmp(text, what) == 0;
}

static pid_t
adopted(void)
{
	char path[64];
	int pid = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children",
		 (int)getpid());
	file = fopen(path, "r");
	if (!file || fscanf(file, "%d", &pid) != 1)
		pid = -1;
	if (file)
		fclose(file);
	return pid;
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
	keeper = adopted();
	if (keeper < 0) {
		ok(false, "a process keeps the memory of a program that ended");
		return tap_done();
	}
	ok(count_files(keeper) == 0,
	   "the process that keeps memory has no open files, and no standard "
	   "streams");
	/* It may not have come so far yet; the alarm ends a wait in vain. */
	while (!says(keeper, "cwd", "/"))
		sched_yield();
	ok(says(keeper, "comm", "qpu-memory\n"),
	   "the process that keeps memory has a name, and is in no folder that "
	   "somebody may want to unmount");
	ok(maps(keeper, "of-the-qpus"),
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
