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

#include "cpu/features.h"
#include "cpu/kernels.h"
#include "src/base/outfile.h"

#define FOLDER "/qpu-sha256sum"

/* No engine hashes 10 TB a second. */
#define MAX_RATE 1e13

/* More lines than this are not read. */
enum { MAX_LINES = 256 };

/* The board and the version to which a line belongs. */
struct machine {
	char node[66], board[64], version[32];
};

/* The board is the first of the names in the device tree, which end with a
 * NUL; a PC is known by the kernel that its CPU runs best. */
static void
name_board(char board[64])
{
	FILE *file = fopen("/proc/device-tree/compatible", "re");
	uint32_t features = 0;
	struct diag why_not;

	if (!file || fscanf(file, "%63s", board) != 1) {
		cpu_features_get(&features, &why_not);
		snprintf(board, 64, "%s",
			 cpu_kernel_choose(features, CPU_LANES)->name);
	}
	if (file)
		fclose(file);
}

static bool
name_machine(struct machine *here)
{
	struct utsname name;

	if (uname(&name) != 0)
		return false;
	snprintf(here->node, sizeof(here->node), "%s", name.nodename);
	snprintf(here->version, sizeof(here->version), "%s", PACKAGE_VERSION);
	name_board(here->board);
	return true;
}

/* Find the path of the file; with `make` create its folders.  Return false if
 * neither XDG_CACHE_HOME nor HOME is an absolute path. */
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

/* Return true if the line has a rate.  The date is printed later, so it has to
 * look like one. */
static bool
parse_line(const char *line, struct machine *of, struct rate *rate)
{
	return sscanf(line, "%65s %63s %31s %10[0-9-] %31s %lf", of->node,
		      of->board, of->version, rate->date, rate->engine,
		      &rate->bytes_per_second) == 6 &&
	       rate->bytes_per_second > 0 && rate->bytes_per_second < MAX_RATE;
}

static bool
is_same_board(const struct machine *a, const struct machine *b)
{
	return strcmp(a->node, b->node) == 0 && strcmp(a->board, b->board) == 0;
}

void
rates_load(struct rates *rates)
{
	char path[PATH_MAX], line[256];
	struct machine here, of;
	struct rate rate;
	FILE *file = NULL;

	*rates = (struct rates){ .n = 0 };
	if (name_machine(&here) && find_file(path, false))
		file = fopen(path, "re");
	if (!file)
		return;
	for (int i = 0; i < MAX_LINES && fgets(line, sizeof(line), file); i++)
		if (parse_line(line, &of, &rate) && is_same_board(&of, &here) &&
		    strcmp(of.version, here.version) == 0)
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

/* Copy the lines of other boards, and of engines that were not measured. */
static void
keep_others(FILE *file, const char *path, const struct machine *here,
	    const struct rates *rates)
{
	FILE *old = fopen(path, "re");
	char line[256];
	struct machine of;
	struct rate rate;

	if (!old)
		return;
	for (int i = 0; i < MAX_LINES && fgets(line, sizeof(line), old); i++)
		if (parse_line(line, &of, &rate) &&
		    (!is_same_board(&of, here) ||
		     (strcmp(of.version, here->version) == 0 &&
		      !rates_find(rates, rate.engine))))
			fputs(line, file);
	fclose(old);
}

bool
rates_save(const struct rates *rates)
{
	char path[PATH_MAX], new_path[PATH_MAX + sizeof(".XXXXXX")];
	struct machine here;
	bool saved;
	FILE *file;

	/* A board of qpuemu says nothing about the speed of a real one. */
	if (rates->n == 0 || getenv("QPUEMU_DIR") || !name_machine(&here) ||
	    !find_file(path, true))
		return false;
	snprintf(new_path, sizeof(new_path), "%s.XXXXXX", path);
	file = make_file(new_path);
	if (!file)
		return false;
	keep_others(file, path, &here, rates);
	for (unsigned i = 0; i < rates->n; i++)
		fprintf(file, "%s %s %s %s %s %.0f\n", here.node, here.board,
			here.version, rates->rows[i].date,
			rates->rows[i].engine, rates->rows[i].bytes_per_second);
	saved = outfile_close(file) && rename(new_path, path) == 0;
	if (!saved)
		unlink(new_path);
	return saved;
}
