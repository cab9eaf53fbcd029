/* SPDX-License-Identifier: MIT */
/*
 * Promise: a CPU quota of the cgroup, or of one above it, limits the number of
 * threads.
 */
#include "config.h"

#include "src/processors.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/fault.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

struct file {
	const char *path, *text;
};

struct row {
	const char *promise;
	unsigned expected; /* 0 for no limit */
	const char *list;  /* /proc/self/cgroup */
	struct file files[4];
};

/* clang-format off */
static const struct row rows[] = {
	{ "without a quota there is no limit", 0, "0::/a\n",
	  { { "a/cpu.max", "max 100000\n" } } },
	{ "a quota of two periods is two processors", 2, "0::/a\n",
	  { { "a/cpu.max", "200000 100000\n" } } },
	{ "a quota of a part of a period is one processor", 1, "0::/a\n",
	  { { "a/cpu.max", "5000 100000\n" } } },
	{ "a part of a processor counts as one", 3, "0::/a\n",
	  { { "a/cpu.max", "210000 100000\n" } } },
	{ "the lowest of all quotas above counts", 3, "0::/a/b/c\n",
	  { { "a/b/c/cpu.max", "max 100000\n" },
	    { "a/b/cpu.max", "300000 100000\n" },
	    { "a/cpu.max", "400000 100000\n" } } },
	{ "the root of a container counts", 2, "0::/\n",
	  { { "cpu.max", "150000 100000\n" } } },
	{ "where the path is one of the host, the root counts", 4, "0::/../x/y\n",
	  { { "cpu.max", "400000 100000\n" } } },
	{ "where the path leads nowhere, what is there of it counts", 2, "0::/x/y/z\n",
	  { { "x/cpu.max", "200000 100000\n" } } },
	{ "what is above the root is not looked at", 0, "0::/a\n",
	  { { "../cpu.max", "100000 100000\n" } } },
	{ "the line of version 2 may be one of several", 3,
	  "5:cpu,cpuacct:/b\n0::/a\n1:name=x:/b\n",
	  { { "a/cpu.max", "300000 100000\n" },
	    { "b/cpu.max", "100000 100000\n" } } },
	{ "a quota may be as many as there can be", 1024, "0::/a\n",
	  { { "a/cpu.max", "102399999 100000\n" } } },
	{ "a quota of one more than there can be is none", 0, "0::/a\n",
	  { { "a/cpu.max", "102400000 100000\n" } } },
	{ "a period of zero is none", 0, "0::/a\n",
	  { { "a/cpu.max", "100000 0\n" } } },
	{ "one number is no quota", 0, "0::/a\n",
	  { { "a/cpu.max", "100000\n" } } },
	{ "a quota of version 1 counts, and the lowest above it", 3,
	  "5:cpu,cpuacct:/b/c\n4:memory:/d\n",
	  { { "cpu/b/c/cpu.cfs_quota_us", "400000\n" },
	    { "cpu/b/c/cpu.cfs_period_us", "100000\n" },
	    { "cpu/b/cpu.cfs_quota_us", "250000\n" },
	    { "cpu/b/cpu.cfs_period_us", "100000\n" } } },
	{ "-1 is no quota of version 1, and another controller's line has none", 0,
	  "5:cpuset:/b\n4:cpu:/d\n",
	  { { "cpu/d/cpu.cfs_quota_us", "-1\n" },
	    { "cpu/d/cpu.cfs_period_us", "100000\n" },
	    { "cpu/b/cpu.cfs_quota_us", "250000\n" },
	    { "cpu/b/cpu.cfs_period_us", "100000\n" } } },
	{ "the lower one of both versions counts", 2, "5:cpu:/b\n0::/a\n",
	  { { "cpu/b/cpu.cfs_quota_us", "200000\n" },
	    { "cpu/b/cpu.cfs_period_us", "100000\n" },
	    { "a/cpu.max", "300000 100000\n" } } },
	{ "nonsense is no quota", 0, "\n:\n0:\n0::\nx",
	  { { "a/cpu.max", "-1 -1\n" }, { "cpu.max", "0 0\n" } } },
};
/* clang-format on */

static int allowed; /* processors; 0 for more than fit the mask */

/* The system's files are in the scratch directory. */
static FILE *
fake_fopen(const char *path, const char *mode)
{
	static const char mount[] = "/sys/fs/cgroup";
	char other[PATH_MAX + 128];

	if (strcmp(path, "/proc/self/cgroup") == 0)
		return fault_real_fopen("list", mode);
	if (strncmp(path, mount, strlen(mount)) != 0)
		return fault_real_fopen(path, mode);
	snprintf(other, sizeof(other), "fs%s", path + strlen(mount));
	return fault_real_fopen(other, mode);
}

static int
fake_sched_getaffinity(pid_t process, size_t bytes, cpu_set_t *set)
{
	CPU_ZERO_S(bytes, set);
	for (int i = 0; i < allowed; i++)
		CPU_SET_S(3 * i, bytes, set);
	return process == 0 && allowed > 0 ? 0 : -1;
}

static void
count(void)
{
	if (processors_count() != 2)
		exit(99);
}

static void
test_rows(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *row = &rows[i];
		char path[80];

		scratch_empty();
		scratch_text("list", row->list);
		scratch_folder("fs");
		for (size_t j = 0; j < 4 && row->files[j].path; j++) {
			snprintf(path, sizeof(path), "fs/%s",
				 row->files[j].path);
			scratch_text(path, row->files[j].text);
		}
		const unsigned n = processors_count();
		if (!ok(n == (row->expected ? row->expected : CPU_SETSIZE),
			"%s", row->promise))
			tap_note("%u, expected %u", n, row->expected);
	}
}

static void
test_count(void)
{
	scratch_empty();
	scratch_text("list", "0::/a\n");
	scratch_text("fs/a/cpu.max", "200000 100000\n");
	allowed = 3;
	ok(processors_count() == 2,
	   "a quota below the allowed processors counts");
	balance_test(count, "counting processors");
	allowed = 1;
	ok(processors_count() == 1,
	   "a quota above the allowed processors does not count");
	scratch_text("fs/a/cpu.max", "max 100000\n");
	allowed = 5;
	ok(processors_count() == 5,
	   "without a quota the allowed processors count");
	scratch_remove("list");
	ok(processors_count() == 5, "without cgroups there is no quota");
}

/* A path that is too long has no file, but its parents have. */
static void
test_long_path(void)
{
	static char text[3 * PATH_MAX];

	scratch_empty();
	memset(text, '/', sizeof(text) - 1);
	memcpy(text, "0::", 3);
	scratch_text("list", text);
	scratch_text("fs/cpu.max", "200000 100000\n");
	ok(processors_count() == 2,
	   "a cgroup whose path is too long is in one that limits it");
}

int
main(void)
{
	scratch_enter();
	fault_hooks.fopen = fake_fopen;
	fault_hooks.sched_getaffinity = fake_sched_getaffinity;
	test_rows();
	test_count();
	test_long_path();
	return tap_done();
}
