/* SPDX-License-Identifier: MIT */
/*
 * Promise: a CPU quota of the cgroup, or of one above it, limits the number of
 * threads, for both versions of cgroups.
 */
#include "config.h"

#include "src/processors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/capture.h"
#include "tests/support/tap.h"

struct file {
	const char *path, *text;
};

struct row {
	const char *promise;
	const char *list; /* /proc/self/cgroup */
	struct file files[4];
	unsigned expected;
};

static const struct row rows[] = {
	{ "no quota", "0::/a\n", { { "a/cpu.max", "max 100000\n" } }, 0 },
	{ "two processors",
	  "0::/a\n",
	  { { "a/cpu.max", "200000 100000\n" } },
	  2 },
	{ "part of one", "0::/a\n", { { "a/cpu.max", "5000 100000\n" } }, 1 },
	{ "rounded up", "0::/a\n", { { "a/cpu.max", "210000 100000\n" } }, 3 },
	{ "the lowest of all above",
	  "0::/a/b/c\n",
	  { { "a/b/c/cpu.max", "max 100000\n" },
	    { "a/b/cpu.max", "300000 100000\n" },
	    { "a/cpu.max", "400000 100000\n" } },
	  3 },
	{ "the root of a container",
	  "0::/\n",
	  { { "cpu.max", "150000 100000\n" } },
	  2 },
	{ "the path is one of the host",
	  "0::/../x/y\n",
	  { { "cpu.max", "400000 100000\n" } },
	  4 },
	{ "version 1",
	  "5:cpu,cpuacct:/a\n2:memory:/b\n",
	  { { "cpu,cpuacct/a/cpu.cfs_quota_us", "250000\n" },
	    { "cpu,cpuacct/a/cpu.cfs_period_us", "100000\n" } },
	  3 },
	{ "version 1 without a quota",
	  "5:cpu:/a\n",
	  { { "cpu/a/cpu.cfs_quota_us", "-1\n" },
	    { "cpu/a/cpu.cfs_period_us", "100000\n" } },
	  0 },
	{ "both versions",
	  "5:cpu:/a\n0::/a\n",
	  { { "cpu/a/cpu.cfs_quota_us", "500000\n" },
	    { "cpu/a/cpu.cfs_period_us", "100000\n" },
	    { "a/cpu.max", "700000 100000\n" } },
	  5 },
	{ "other controllers",
	  "5:cpuset:/a\n",
	  { { "cpuset/a/cpu.cfs_quota_us", "100000\n" },
	    { "cpuset/a/cpu.cfs_period_us", "100000\n" } },
	  0 },
	{ "more than there can be",
	  "0::/a\n",
	  { { "a/cpu.max", "9000000000000 1000\n" } },
	  0 },
	{ "nonsense",
	  "\n:\n0:\n0::\nx",
	  { { "a/cpu.max", "-1 -1\n" }, { "cpu.max", "0 0\n" } },
	  0 },
};

/* Write TOP/PATH, and the directories that it needs. */
static void
plant(const char *top, const char *path, const char *text)
{
	char name[256];

	snprintf(name, sizeof(name), "%s/%s", top, path);
	for (char *slash = name + strlen(top) + 1; (slash = strchr(slash, '/'));
	     slash++) {
		*slash = '\0';
		mkdir(name, 0700);
		*slash = '/';
	}

	FILE *file = fopen(name, "w");
	if (!file || fputs(text, file) < 0 || fclose(file) != 0)
		abort();
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *row = &rows[i];
		char top[64], mount[80], list[80], command[96];

		capture_mkdir(top);
		snprintf(mount, sizeof(mount), "%s/fs", top);
		snprintf(list, sizeof(list), "%s/list", top);
		mkdir(mount, 0700);
		plant(top, "list", row->list);
		for (size_t j = 0; j < 4 && row->files[j].path; j++)
			plant(mount, row->files[j].path, row->files[j].text);
		const unsigned quota = processors_quota(list, mount);
		if (!ok(quota == row->expected, "%s", row->promise))
			tap_note("%u, expected %u", quota, row->expected);
		snprintf(command, sizeof(command), "rm -r '%s'", top);
		if (system(command) != 0)
			return 99;
	}
	ok(processors_quota("/nonexistent", "/nonexistent") == 0,
	   "without cgroups there is no quota");
	ok(processors_count() >= 1, "there is a processor");
	return tap_done();
}
