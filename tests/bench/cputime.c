/* SPDX-License-Identifier: MIT */
/*
 * cputime: run a command; print its CPU and wall-clock time.
 *
 *	cputime REPORT COMMAND ARGUMENT...
 *
 * A line "CPU WALL", user + system and elapsed, in microseconds, is added to
 * the file REPORT.  CPU time is that of all processes the command waited for.
 * Exit status: that of the command, 125 if it could not be run.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t
now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int64_t
timeval_us(struct timeval value)
{
	return (int64_t)value.tv_sec * 1000000 + value.tv_usec;
}

int
main(int argc, char **argv)
{
	struct rusage usage;
	int64_t start;
	int status;
	pid_t pid;
	FILE *report;

	if (argc < 3)
		return 125;
	start = now_us();
	pid = fork();
	if (pid < 0)
		return 125;
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		_exit(125);
	}
	if (wait4(pid, &status, 0, &usage) != pid)
		return 125;
	start = now_us() - start;
	report = fopen(argv[1], "a");
	if (!report)
		return 125;
	fprintf(report, "%lld %lld\n",
		(long long)(timeval_us(usage.ru_utime) +
			    timeval_us(usage.ru_stime)),
		(long long)start);
	if (fclose(report) != 0 || !WIFEXITED(status))
		return 125;
	return WEXITSTATUS(status);
}
