/* SPDX-License-Identifier: MIT */
/*
 * cputime: run a command; print its CPU and wall-clock time, and what else the
 * machine did meanwhile.
 *
 *	cputime REPORT COMMAND ARGUMENT...
 *
 * A line "CPU WALL OTHERS" is added to the file REPORT.  CPU time is user +
 * system of all processes that the command waited for, OTHERS the CPU time of
 * all other processes and of other virtual machines (proc(5): steal), all in
 * microseconds; the kernel counts the latter in steps of 10 ms.
 *
 * Exit status: the command's, or 125 if it could not be run.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/clock.h"

enum { US_PER_S = 1000000, NS_PER_US = 1000 };

/* Return the CPU time of all processes in microseconds, 0 if it is unknown. */
static int64_t
busy_us(void)
{
	/* user nice system idle iowait irq softirq steal */
	unsigned long long t[8] = { 0 };
	FILE *stat = fopen("/proc/stat", "re");
	const long hz = sysconf(_SC_CLK_TCK);
	int got = 0;

	if (!stat)
		return 0;
	got = fscanf(stat, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0],
		     &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]);
	fclose(stat);
	if (got < 4 || hz <= 0)
		return 0;
	return (int64_t)((t[0] + t[1] + t[2] + t[5] + t[6] + t[7]) * US_PER_S /
			 (unsigned long)hz);
}

static int64_t
timeval_us(struct timeval value)
{
	return (int64_t)value.tv_sec * US_PER_S + value.tv_usec;
}

int
main(int argc, char **argv)
{
	int64_t others, cpu;
	struct rusage usage;
	uint64_t start;
	int status;
	pid_t pid;
	FILE *report;

	if (argc < 3)
		return 125;
	others = busy_us();
	start = clock_ns();
	pid = fork();
	if (pid < 0)
		return 125;
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		_exit(125);
	}
	if (wait4(pid, &status, 0, &usage) != pid)
		return 125;
	start = clock_ns() - start;
	others = busy_us() - others;
	cpu = timeval_us(usage.ru_utime) + timeval_us(usage.ru_stime);
	others -= cpu;
	report = fopen(argv[1], "a");
	if (!report)
		return 125;
	fprintf(report, "%lld %lld %lld\n", (long long)cpu,
		(long long)(start / NS_PER_US),
		(long long)(others > 0 ? others : 0));
	if (fclose(report) != 0 || !WIFEXITED(status))
		return 125;
	return WEXITSTATUS(status);
}
