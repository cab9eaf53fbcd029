/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/processors.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"

static const char mount[] = "/sys/fs/cgroup";

/* The quota of one cgroup, in processors, rounded up; 0: none. */
static unsigned
read_quota(struct text *directory)
{
	const size_t len = directory->len;
	long long quota, period;
	FILE *file = NULL;
	int numbers;

	if (text_add_string(directory, "/cpu.max"))
		file = fopen(directory->bytes, "re");
	text_cut(directory, len);
	if (!file)
		return 0;
	numbers = fscanf(file, "%lld %lld", &quota, &period); /* or "max" */
	fclose(file);
	if (numbers != 2 || quota <= 0 || period <= 0 ||
	    quota / period >= CPU_SETSIZE)
		return 0;
	return (unsigned)((quota + period - 1) / period);
}

/* The lowest quota from a cgroup up to the root; 0: there is none.  In a
 * container the path may be that of the host; only the root is there then. */
static unsigned
find_lowest(const char *path)
{
	struct text directory = { 0 };
	unsigned lowest = 0;
	const char *slash;

	if (text_add_string(&directory, mount) &&
	    text_add_string(&directory, path))
		while (directory.len >= strlen(mount)) {
			const unsigned quota = read_quota(&directory);

			if (quota && (!lowest || quota < lowest))
				lowest = quota;
			slash = strrchr(directory.bytes, '/');
			text_cut(&directory, (size_t)(slash - directory.bytes));
		}
	text_free(&directory);
	return lowest;
}

/* The quota of this process's cgroup, whose line is "0::PATH". */
static unsigned
find_quota(void)
{
	FILE *file = fopen("/proc/self/cgroup", "re");
	unsigned quota = 0;
	char *line = NULL;
	size_t size = 0;

	if (!file)
		return 0;
	while (getline(&line, &size, file) > 0)
		if (strncmp(line, "0::", 3) == 0) {
			line[strcspn(line, "\n")] = '\0';
			quota = find_lowest(line + 3);
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
