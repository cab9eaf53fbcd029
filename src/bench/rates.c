/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/bench/rates.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "src/base/outfile.h"

#define FOLDER "/qpu-sha256sum"

/* No engine hashes 10 TB a second. */
#define MOST_RATE 1e13

/* Find the path of the file; with `make` create its folders.  Return false if
 * there is no place for it. */
static bool
find_file(char path[PATH_MAX], bool make)
{
	const char *base = getenv("XDG_CACHE_HOME");
	const char *below = "";
	int len;

	/* The XDG specification says to ignore relative paths. */
	if (!base || *base != '/') {
		base = getenv("HOME");
		below = "/.cache";
	}
	if (!base || *base != '/')
		return false;
	len = snprintf(path, PATH_MAX, "%s%s", base, below);
	if (len < 0 || (size_t)len + sizeof(FOLDER "/rates.XXXXXX") > PATH_MAX)
		return false;
	if (make)
		mkdir(path, 0700);
	strcat(path, FOLDER);
	if (make)
		mkdir(path, 0700);
	strcat(path, "/rates");
	return true;
}

const struct rate *
rates_find(const struct rates *rates, const char *engine)
{
	for (unsigned i = 0; i < rates->n; i++)
		if (strcmp(rates->rows[i].engine, engine) == 0)
			return &rates->rows[i];
	return NULL;
}

static void
add(struct rates *rates, const struct rate *rate)
{
	struct rate *row = (struct rate *)rates_find(rates, rate->engine);

	if (!row && rates->n < RATES_MOST) {
		row = &rates->rows[rates->n++];
		row->bytes_per_second = 0;
	}
	if (row && row->bytes_per_second < rate->bytes_per_second)
		*row = *rate;
}

void
rates_note(struct rates *rates, const char *engine, double bytes_per_second)
{
	struct rate rate = { .bytes_per_second = bytes_per_second };
	struct timespec now;
	struct tm today;

	snprintf(rate.engine, sizeof(rate.engine), "%s", engine);
	clock_gettime(CLOCK_REALTIME, &now);
	if (localtime_r(&now.tv_sec, &today))
		strftime(rate.date, sizeof(rate.date), "%Y-%m-%d", &today);
	add(rates, &rate);
}

/* A line of this machine and version?  The date is printed later, so it has to
 * look like one. */
static bool
parse_line(const char *line, const struct utsname *here, struct rate *rate)
{
	char node[sizeof(here->nodename) + 1], version[32];

	_Static_assert(sizeof(node) > 65, "the width below");
	if (sscanf(line, "%65s %31s %10[0-9-] %31s %lf", node, version,
		   rate->date, rate->engine, &rate->bytes_per_second) != 5)
		return false;
	return strcmp(node, here->nodename) == 0 &&
	       strcmp(version, PACKAGE_VERSION) == 0 &&
	       rate->bytes_per_second > 0 && rate->bytes_per_second < MOST_RATE;
}

void
rates_load(struct rates *rates)
{
	char path[PATH_MAX], line[256];
	struct utsname here;
	struct rate rate;
	FILE *file = NULL;

	*rates = (struct rates){ .n = 0 };
	if (uname(&here) == 0 && find_file(path, false))
		file = fopen(path, "re");
	if (!file)
		return;
	for (unsigned i = 0; i < RATES_MOST; i++)
		if (fgets(line, sizeof(line), file) &&
		    parse_line(line, &here, &rate))
			add(rates, &rate);
	fclose(file);
}

/* A file of its own for each writer, beside the one that it will replace. */
static FILE *
make_file(char *path)
{
	const int fd = mkostemp(path, O_CLOEXEC);
	FILE *file;

	if (fd < 0)
		return NULL;
	file = fdopen(fd, "w");
	if (!file) {
		close(fd);
		unlink(path);
	}
	return file;
}

bool
rates_save(const struct rates *rates)
{
	char path[PATH_MAX], new_path[PATH_MAX + sizeof(".XXXXXX")];
	struct utsname here;
	bool saved;
	FILE *file;

	if (rates->n == 0 || uname(&here) != 0 || !find_file(path, true))
		return false;
	snprintf(new_path, sizeof(new_path), "%s.XXXXXX", path);
	file = make_file(new_path);
	if (!file)
		return false;
	for (unsigned i = 0; i < rates->n; i++)
		fprintf(file, "%s %s %s %s %.0f\n", here.nodename,
			PACKAGE_VERSION, rates->rows[i].date,
			rates->rows[i].engine, rates->rows[i].bytes_per_second);
	saved = outfile_close(file) && rename(new_path, path) == 0;
	if (!saved)
		unlink(new_path);
	return saved;
}
