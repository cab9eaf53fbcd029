/* SPDX-License-Identifier: MIT */
/*
 * Promise: a CPU quota of the cgroup, or of one above it, limits the number of
 * threads, for both versions of cgroups.
 */
#include "config.h"

#include "src/processors.h"

#include <limits.h>
#include <pthread.h>
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
	{ "the lowest comes first",
	  "0::/a/b\n",
	  { { "a/b/cpu.max", "200000 100000\n" },
	    { "a/cpu.max", "300000 100000\n" } },
	  2 },
	{ "the lowest hierarchy comes last",
	  "0::/a\n5:cpu:/a\n",
	  { { "cpu/a/cpu.cfs_quota_us", "500000\n" },
	    { "cpu/a/cpu.cfs_period_us", "100000\n" },
	    { "a/cpu.max", "700000 100000\n" } },
	  5 },
	{ "what is above the root is not looked at",
	  "0::/a\n",
	  { { "../cpu.max", "100000 100000\n" } },
	  0 },
	{ "nor, with version 1, what is above the controller",
	  "5:cpu:/a\n",
	  { { "cpu.cfs_quota_us", "100000\n" },
	    { "cpu.cfs_period_us", "100000\n" } },
	  0 },
	{ "but the controller is",
	  "5:cpu:/a\n",
	  { { "cpu/cpu.cfs_quota_us", "100000\n" },
	    { "cpu/cpu.cfs_period_us", "100000\n" } },
	  1 },
	{ "cpu is the last of the controllers",
	  "5:cpuacct,cpu:/a\n",
	  { { "cpuacct,cpu/a/cpu.cfs_quota_us", "250000\n" },
	    { "cpuacct,cpu/a/cpu.cfs_period_us", "100000\n" } },
	  3 },
	{ "controllers with similar names",
	  "5:cpux,xcpu,cp:/a\n",
	  { { "cpux,xcpu,cp/a/cpu.cfs_quota_us", "250000\n" },
	    { "cpux,xcpu,cp/a/cpu.cfs_period_us", "100000\n" } },
	  0 },
	{ "a quota without its period",
	  "5:cpu:/a\n",
	  { { "cpu/a/cpu.cfs_quota_us", "100000\n" } },
	  0 },
	{ "a period without its quota",
	  "5:cpu:/a\n",
	  { { "cpu/a/cpu.cfs_period_us", "100000\n" } },
	  0 },
	{ "as many as there can be",
	  "0::/a\n",
	  { { "a/cpu.max", "102399999 100000\n" } },
	  1024 },
	{ "one more", "0::/a\n", { { "a/cpu.max", "102400000 100000\n" } }, 0 },
	{ "a period of zero", "0::/a\n", { { "a/cpu.max", "100000 0\n" } }, 0 },
	{ "a period below", "0::/a\n", { { "a/cpu.max", "100000 -1\n" } }, 0 },
	{ "a quota of zero", "0::/a\n", { { "a/cpu.max", "0 100000\n" } }, 0 },
	{ "the smallest", "0::/a\n", { { "a/cpu.max", "1 100000\n" } }, 1 },
	{ "one number is not enough",
	  "0::/a\n",
	  { { "a/cpu.max", "100000\n" } },
	  0 },
	{ "the path may have a colon, and end with the file",
	  "0::/a:b",
	  { { "a:b/cpu.max", "200000 100000\n" } },
	  2 },
	{ "a path to nowhere",
	  "0::/x/y/z\n",
	  { { "x/cpu.max", "200000 100000\n" } },
	  2 },
	{ "nonsense",
	  "\n:\n0:\n0::\nx",
	  { { "a/cpu.max", "-1 -1\n" }, { "cpu.max", "0 0\n" } },
	  0 },
};

/* Where the system's files are for a while; NULL: where they are. */
static const char *its_list, *its_mount;
static int allowed; /* processors; 0: that cannot be told */

static FILE *
fake_fopen(const char *path, const char *mode)
{
	static const char list[] = "/proc/self/cgroup";
	static const char mount[] = "/sys/fs/cgroup";
	char other[PATH_MAX + 128];

	if (its_list && strcmp(path, list) == 0)
		return fault_real_fopen(its_list, mode);
	if (!its_mount || strncmp(path, mount, strlen(mount)) != 0)
		return fault_real_fopen(path, mode);
	snprintf(other, sizeof(other), "%s%s", its_mount, path + strlen(mount));
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
test_count(void)
{
	scratch_empty();
	scratch_text("list", "0::/a\n");
	scratch_text("a/cpu.max", "200000 100000\n");
	its_list = "list";
	its_mount = ".";
	allowed = 3;
	ok(processors_count() == 2, "a quota below the allowed processors");
	allowed = 1;
	ok(processors_count() == 1, "one above them");
	scratch_text("a/cpu.max", "max 100000\n");
	allowed = 5;
	ok(processors_count() == 5, "no quota");
	allowed = 0;
	ok(processors_count() == CPU_SETSIZE,
	   "more processors than can be told");
	its_list = its_mount = NULL;
}

/* Paths that are too long are those of no file, but what is above them is. */
static void
test_long_paths(void)
{
	static char text[3 * PATH_MAX];

	scratch_enter();
	scratch_empty();
	memset(text, '/', sizeof(text) - 1);
	memcpy(text, "0::", 3);
	scratch_text("list", text);
	scratch_text("cpu.max", "200000 100000\n");
	ok(processors_quota("list", ".") == 2,
	   "a cgroup whose path is too long is in one that limits it");
	memset(text, 'x', 2 * PATH_MAX);
	memcpy(text, "5:cpu,", 6);
	memcpy(text + 2 * PATH_MAX, ":/\n", 4);
	scratch_text("list", text);
	ok(processors_quota("list", ".") == 0, "controllers that are too long");
}

/* The stack of a thread, which shows how much of it was used. */
static _Alignas(4096) unsigned char stack[256 << 10];

static void *
find_quota(void *wanted)
{
	if (*(bool *)wanted && processors_quota("list", "fs") != 2)
		exit(99);
	return NULL;
}

static size_t
used_stack(bool wanted)
{
	pthread_attr_t attr;
	pthread_t thread;
	size_t unused = 0;

	memset(stack, 0xa5, sizeof(stack));
	pthread_attr_init(&attr);
	if (pthread_attr_setstack(&attr, stack, sizeof(stack)) != 0 ||
	    pthread_create(&thread, &attr, find_quota, &wanted) != 0)
		exit(99);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
	while (stack[unused] == 0xa5)
		unused++;
	return sizeof(stack) - unused;
}

static void
test_stack(void)
{
	size_t before, used;

	scratch_enter();
	scratch_text("list", "0::/a/b\n");
	scratch_text("fs/a/cpu.max", "200000 100000\n");
	before = used_stack(false);
	used = used_stack(true);
	ok(used - before < 3 * PATH_MAX,
	   "quotas are found with little stack, whatever paths are possible");
	tap_note("%zu bytes", used - before);
}

int
main(void)
{
	scratch_enter();
	fault_hooks.fopen = fake_fopen;
	fault_hooks.sched_getaffinity = fake_sched_getaffinity;
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
		const unsigned quota = processors_quota("list", "fs");
		if (!ok(quota == row->expected, "%s", row->promise))
			tap_note("%u, expected %u", quota, row->expected);
	}
	ok(processors_quota("/nonexistent", "/nonexistent") == 0,
	   "without cgroups there is no quota");
	test_count();
	test_long_paths();
	test_stack();
	return tap_done();
}
