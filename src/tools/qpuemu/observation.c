/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/tools/qpuemu/observation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "qpu/isa/linemap.h"
#include "qpu/trace/profile.h"
#include "qpu/trace/timeline.h"
#include "qpu/virtual/board/costs.h"
#include "src/base/stream.h"

static bool
read_lines(const char *path, struct qpu_linemap *map, struct diag *why)
{
	FILE *stream = fopen(path, "r");
	struct diag wrong;
	bool good;

	if (!stream) {
		diag_set(why, "%s: %s", path, strerror(errno));
		return false;
	}
	good = qpu_linemap_read(map, stream, &wrong);
	fclose(stream);
	if (!good)
		diag_set(why, "%s:%u: %s", path, wrong.line, wrong.text);
	return good;
}

/* For the debugger, which reads it in another process. */
static bool
is_readable(const char *path, struct diag *why)
{
	if (access(path, R_OK) == 0)
		return true;
	diag_set(why, "%s: %s", path, strerror(errno));
	return false;
}

/* A part of the timeline that is no event. */
static bool
put_timeline(const char *path, const char *mode, void (*put)(FILE *),
	     struct diag *why)
{
	FILE *stream = fopen(path, mode);
	bool good = stream;

	if (stream) {
		put(stream);
		good = !ferror(stream);
		good = stream_close(stream) && good;
	}
	if (!good)
		diag_set(why, "%s: %s", path, strerror(errno));
	return good;
}

static bool
make_costs(const char *dir, struct diag *why)
{
	struct cost_table *table = costs_map(dir, true);

	if (!table) {
		diag_set(why, "%s: %s", dir, strerror(errno));
		return false;
	}
	munmap(table, sizeof(*table));
	return true;
}

bool
observation_begin(const char *dir, const struct board_options *options,
		  struct diag *why)
{
	struct qpu_linemap map = { .nrows = 0 };
	bool good = true;

	if (*options->lines)
		good = read_lines(options->lines, &map, why);
	qpu_linemap_free(&map);
	if (*options->debug_script)
		good = good && is_readable(options->debug_script, why);
	if (*options->timeline)
		good = good && put_timeline(options->timeline, "w",
					    timeline_begin, why);
	if (options->costs)
		good = good && make_costs(dir, why);
	return good;
}

static int
compare_rows(const void *a, const void *b)
{
	const struct profile_row *x = a, *y = b;

	if (x->cost.pc != y->cost.pc)
		return x->cost.pc < y->cost.pc ? -1 : 1;
	return (x->word > y->word) - (x->word < y->word);
}

static bool
print_table(const struct cost_table *table, const struct qpu_linemap *map,
	    bool timed)
{
	struct profile_row *rows = calloc(table->n + 1, sizeof(*rows));
	size_t n = 0;
	bool good;

	for (size_t i = 0; rows && i < COSTS_ENTRIES && n < table->n; i++) {
		const struct cost_entry *entry = &table->entries[i];

		if (!entry->cost.executions)
			continue;
		rows[n++] = (struct profile_row){
			.cost = entry->cost,
			.word = entry->word,
			.line = entry->row && entry->row <= map->nrows ?
					&map->rows[entry->row - 1] :
					NULL,
		};
	}
	if (rows)
		qsort(rows, n, sizeof(*rows), compare_rows);
	good = rows && profile_print(stderr, rows, n, timed);
	free(rows);
	return good;
}

static bool
print_profile(const char *dir, const struct board_options *options,
	      struct diag *why)
{
	struct cost_table *table = costs_map(dir, false);
	struct qpu_linemap map = { .nrows = 0 };
	bool good = table;

	if (!table)
		diag_set(why, "%s: %s", dir, strerror(errno));
	if (good && *options->lines)
		good = read_lines(options->lines, &map, why);
	if (good && !print_table(table, &map, options->device.timed)) {
		diag_set(why, "out of memory");
		good = false;
	}
	qpu_linemap_free(&map);
	if (table)
		munmap(table, sizeof(*table));
	return good;
}

bool
observation_end(const char *dir, const struct board_options *options)
{
	struct diag why;
	bool good = true;

	if (*options->timeline)
		good = put_timeline(options->timeline, "a", timeline_end, &why);
	if (good && options->costs)
		good = print_profile(dir, options, &why);
	if (!good)
		fprintf(stderr, "qpuemu: %s\n", why.text);
	return good;
}
