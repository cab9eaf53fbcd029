/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/rates.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define FOLDER	"/qpu-sha256sum"
#define LINE	"%s %s %s %s %.0f\n"

/* A line of the file, whoever wrote it. */
struct line {
	char node[66];
	char version[32];
	struct rate rate;
};

/* Where the file is, with its folders if `make`; empty: nowhere. */
static bool
find_file(char path[PATH_MAX], bool make)
{
	const char *base = getenv("XDG_CACHE_HOME");
	const char *below = "";
	int len;

	/* The standard wants relative ones ignored. */
	if (!base || *base != '/') {
		base = getenv("HOME");
		below = "/.cache";
	}
	if (!base || *base != '/')
		return false;
	len = snprintf(path, PATH_MAX, "%s%s", base, below);
	if (len < 0 || (size_t)len + sizeof(FOLDER "/rates.new") > PATH_MAX)
		return false;
	if (make)
		mkdir(path, 0700);
	strcat(path, FOLDER);
	if (make)
		mkdir(path, 0700);
	strcat(path, "/rates");
	return true;
}

/* What is no line of ours is dropped. */
static bool
parse_line(const char *text, struct line *line)
{
	return sscanf(text, "%65s %31s %10s %31s %lf", line->node,
		      line->version, line->rate.date, line->rate.engine,
		      &line->rate.bytes_per_second) == 5 &&
	       line->rate.bytes_per_second > 0;
}

static bool
is_of_node(const struct line *line, const struct utsname *here)
{
	return strncmp(line->node, here->nodename,
		       sizeof(line->node) - 1) == 0;
}

static bool
is_of_version(const struct line *line)
{
	return strcmp(line->version, PACKAGE_VERSION) == 0;
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
	const time_t now = time(NULL);
	struct tm today;

	snprintf(rate.engine, sizeof(rate.engine), "%s", engine);
	if (localtime_r(&now, &today))
		strftime(rate.date, sizeof(rate.date), "%Y-%m-%d", &today);
	add(rates, &rate);
}

void
rates_load(struct rates *rates)
{
	char path[PATH_MAX], text[256];
	struct utsname here;
	struct line line;
	FILE *file = NULL;

	*rates = (struct rates){ .n = 0 };
	if (uname(&here) == 0 && find_file(path, false))
		file = fopen(path, "re");
	if (!file)
		return;
	while (fgets(text, sizeof(text), file))
		if (parse_line(text, &line) && is_of_node(&line, &here) &&
		    is_of_version(&line))
			add(rates, &line.rate);
	fclose(file);
}

/* What the file keeps: other machines, and engines not measured now. */
static void
copy_rest(const char *path, FILE *to, const struct rates *rates,
	    const struct utsname *here)
{
	FILE *file = fopen(path, "re");
	struct line line;
	char text[256];

	if (!file)
		return;
	while (fgets(text, sizeof(text), file))
		if (parse_line(text, &line) &&
		    (!is_of_node(&line, here) ||
		     (is_of_version(&line) &&
		      !rates_find(rates, line.rate.engine))))
			fputs(text, to);
	fclose(file);
}

bool
rates_save(const struct rates *rates)
{
	char path[PATH_MAX], new_path[PATH_MAX + sizeof(".new")];
	struct utsname here;
	bool saved;
	FILE *file;

	if (rates->n == 0 || uname(&here) != 0 || !find_file(path, true))
		return false;
	snprintf(new_path, sizeof(new_path), "%s.new", path);
	file = fopen(new_path, "we");
	if (!file)
		return false;
	copy_rest(path, file, rates, &here);
	for (unsigned i = 0; i < rates->n; i++)
		fprintf(file, LINE, here.nodename, PACKAGE_VERSION,
			rates->rows[i].date, rates->rows[i].engine,
			rates->rows[i].bytes_per_second);
	saved = fflush(file) == 0 && !ferror(file);
	saved = fclose(file) == 0 && saved && rename(new_path, path) == 0;
	if (!saved)
		unlink(new_path);
	return saved;
}
