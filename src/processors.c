/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/processors.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"

/* Read the start of the file of this name in a directory.  False: there is no
 * such file. */
static bool
read_start(struct text *directory, const char *name, char *text, int size)
{
	const size_t len = directory->len;
	FILE *file = NULL;
	bool got;

	if (text_add(directory, "/", 1) && text_add_string(directory, name))
		file = fopen(directory->bytes, "re");
	text_cut(directory, len);
	if (!file)
		return false;
	got = fgets(text, size, file);
	fclose(file);
	return got;
}

/* The quota of one cgroup, in processors; 0: none. */
static unsigned
read_quota(struct text *directory)
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
 * The lowest quota from a cgroup up to the root of its hierarchy, whose path is
 * the first `root_bytes` bytes.  In a container the path may be that of the
 * host; only the root is there then.
 */
static unsigned
find_lowest(struct text *directory, size_t root_bytes)
{
	unsigned lowest = 0;
	const char *slash;

	do {
		const unsigned quota = read_quota(directory);

		if (quota && (!lowest || quota < lowest))
			lowest = quota;
		slash = strrchr(directory->bytes, '/');
		if (!slash || (size_t)(slash - directory->bytes) < root_bytes)
			return lowest;
		text_cut(directory, (size_t)(slash - directory->bytes));
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
	struct text directory = { 0 };
	unsigned quota = 0;
	size_t len, root;
	bool good;

	if (!path)
		return 0;
	controllers++;
	len = (size_t)(path++ - controllers);
	path[strcspn(path, "\n")] = '\0';
	if (len > 0 && !has_cpu(controllers, len))
		return 0;
	good = text_add_string(&directory, mount) &&
	       (len == 0 || (text_add(&directory, "/", 1) &&
			     text_add(&directory, controllers, len)));
	root = directory.len;
	if (good && text_add_string(&directory, path))
		quota = find_lowest(&directory, root);
	text_free(&directory);
	return quota;
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
