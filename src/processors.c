/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/processors.h"

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Read the start of DIRECTORY/NAME.  False: there is no such file. */
static bool
read_start(const char *directory, const char *name, char *text, int size)
{
	char path[PATH_MAX];
	FILE *file;
	bool got;

	if (snprintf(path, sizeof(path), "%s/%s", directory, name) >=
	    (int)sizeof(path))
		return false;
	file = fopen(path, "re");
	if (!file)
		return false;
	got = fgets(text, size, file);
	fclose(file);
	return got;
}

/* The quota of one cgroup, in processors; 0: none. */
static unsigned
read_quota(const char *directory)
{
	char text[64], period_text[64];
	long long quota, period;

	if (read_start(directory, "cpu.max", text, sizeof(text))) {
		if (sscanf(text, "%lld %lld", &quota, &period) != 2)
			return 0; /* "max" */
	} else {
		if (!read_start(directory, "cpu.cfs_quota_us", text,
				sizeof(text)) ||
		    !read_start(directory, "cpu.cfs_period_us", period_text,
				sizeof(period_text)))
			return 0;
		quota = atoll(text); /* -1: none */
		period = atoll(period_text);
	}
	if (quota <= 0 || period <= 0 || quota / period >= CPU_SETSIZE)
		return 0;
	return (unsigned)((quota + period - 1) / period);
}

/*
 * The lowest quota from a cgroup up to the root of its hierarchy.  In a
 * container the path may be that of the host; only the root is there then.
 */
static unsigned
find_lowest(const char *mount, const char *cgroup)
{
	char directory[PATH_MAX];
	const size_t root_len = strlen(mount);
	unsigned lowest = 0;
	char *slash;

	if (snprintf(directory, sizeof(directory), "%s%s", mount, cgroup) >=
	    (int)sizeof(directory))
		return 0;
	do {
		const unsigned quota = read_quota(directory);

		if (quota && (!lowest || quota < lowest))
			lowest = quota;
		slash = strrchr(directory, '/');
		if (!slash || (size_t)(slash - directory) < root_len)
			return lowest;
		*slash = '\0';
	} while (true);
}

/* Is "cpu" one of the words between commas? */
static bool
has_cpu(const char *controllers, size_t len)
{
	while (len > 0) {
		const char *comma = memchr(controllers, ',', len);
		const size_t word = comma ? (size_t)(comma - controllers) : len;

		if (word == 3 && memcmp(controllers, "cpu", 3) == 0)
			return true;
		controllers += word + (comma != NULL);
		len -= word + (comma != NULL);
	}
	return false;
}

/* The quota of a line "ID:CONTROLLERS:PATH". */
static unsigned
find_quota(char *line, const char *mount)
{
	char *controllers = strchr(line, ':');
	char *path = controllers ? strchr(controllers + 1, ':') : NULL;
	char directory[PATH_MAX];
	size_t len;

	if (!path)
		return 0;
	controllers++;
	len = (size_t)(path++ - controllers);
	path[strcspn(path, "\n")] = '\0';
	if (len == 0)
		return find_lowest(mount, path);
	if (!has_cpu(controllers, len) ||
	    snprintf(directory, sizeof(directory), "%s/%.*s", mount, (int)len,
		     controllers) >= (int)sizeof(directory))
		return 0;
	return find_lowest(directory, path);
}

unsigned
processors_quota(const char *list, const char *mount)
{
	FILE *file = fopen(list, "re");
	unsigned lowest = 0;
	char *line = NULL;
	size_t size = 0;

	if (!file)
		return 0;
	while (getline(&line, &size, file) > 0) {
		const unsigned quota = find_quota(line, mount);

		if (quota && (!lowest || quota < lowest))
			lowest = quota;
	}
	free(line);
	fclose(file);
	return lowest;
}

unsigned
processors_count(void)
{
	const unsigned quota =
		processors_quota("/proc/self/cgroup", "/sys/fs/cgroup");
	unsigned count = CPU_SETSIZE;
	cpu_set_t allowed;

	/* It fails if there are more than fit into the set. */
	if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
		count = (unsigned)CPU_COUNT(&allowed);
	return quota && quota < count ? quota : count;
}
