/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/processors.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"

/* Read one number or two from a file of the directory; return how many. */
static int
read_numbers(struct text *directory, const char *name, long long *first,
	     long long *second)
{
	const size_t len = directory->len;
	FILE *file = NULL;
	int numbers;

	if (text_add_string(directory, name))
		file = fopen(directory->bytes, "re");
	text_cut(directory, len);
	if (!file)
		return 0;
	numbers = fscanf(file, "%lld %lld", first, second); /* or "max" */
	fclose(file);
	return numbers;
}

/* Return the quota of one cgroup, in processors, rounded up, or 0. */
static unsigned
read_quota(struct text *directory)
{
	long long quota = 0, period = 0, none;

	if (read_numbers(directory, "/cpu.max", &quota, &period) == 0) {
		/* Version 1 has two files, and -1 for no quota. */
		read_numbers(directory, "/cpu.cfs_quota_us", &quota, &none);
		read_numbers(directory, "/cpu.cfs_period_us", &period, &none);
	}
	if (quota <= 0 || period <= 0 || quota / period >= CPU_SETSIZE)
		return 0;
	return (unsigned)((quota + period - 1) / period);
}

static unsigned
lower(unsigned one, unsigned other)
{
	return one == 0 || (other && other < one) ? other : one;
}

/* Return the lowest quota from a cgroup up to the root, or 0.  In a container the
 * path may be the host's; only the root exists then. */
static unsigned
find_lowest(const char *mount, const char *path)
{
	struct text directory = { 0 };
	unsigned lowest = 0;
	const char *slash;

	if (text_add_string(&directory, mount) &&
	    text_add_string(&directory, path))
		while (directory.len >= strlen(mount)) {
			lowest = lower(lowest, read_quota(&directory));
			slash = strrchr(directory.bytes, '/');
			text_cut(&directory, (size_t)(slash - directory.bytes));
		}
	text_free(&directory);
	return lowest;
}

/* Return the path of a line "0::PATH", of version 2, or "N:CONTROLLERS:PATH" with
 * the controller cpu, of version 1; or NULL.  Set *mount to where the cgroups are. */
static const char *
find_path(char *line, const char **mount)
{
	char *controllers = strchr(line, ':'), *path, *one;

	line[strcspn(line, "\n")] = '\0';
	path = controllers ? strchr(++controllers, ':') : NULL;
	if (!path)
		return NULL;
	*path++ = '\0';
	*mount = "/sys/fs/cgroup";
	if (*controllers == '\0')
		return strncmp(line, "0:", 2) == 0 ? path : NULL;
	*mount = "/sys/fs/cgroup/cpu";
	while ((one = strsep(&controllers, ",")) != NULL)
		if (strcmp(one, "cpu") == 0)
			return path;
	return NULL;
}

/* Return the quota of this process's cgroups, or 0. */
static unsigned
find_quota(void)
{
	const char *mount, *path;
	FILE *file = fopen("/proc/self/cgroup", "re");
	unsigned quota = 0;
	char *line = NULL;
	size_t size = 0;

	if (!file)
		return 0;
	while (getline(&line, &size, file) > 0) {
		path = find_path(line, &mount);
		if (path)
			quota = lower(quota, find_lowest(mount, path));
	}
	free(line);
	fclose(file);
	return quota;
}

unsigned
processors_count(void)
{
	const unsigned quota = find_quota();
	unsigned count = CPU_SETSIZE;
	cpu_set_t allowed;

	/* It fails if there are more than fit into the set. */
	if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
		count = (unsigned)CPU_COUNT(&allowed);
	return quota && quota < count ? quota : count;
}
