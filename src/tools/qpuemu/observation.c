/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/tools/qpuemu/observation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "qpu/debugger/session.h"
#include "qpu/trace/profile.h"
#include "qpu/virtual/board/costs.h"

/* Put file and line of a failure into its text; false. */
static bool
tell_place(struct diag *why)
{
	const struct diag at = *why;

	if (at.line)
		diag_set(why, "%s:%u: %s", at.file, at.line, at.text);
	else
		diag_set(why, "%s: %s", at.file, at.text);
	return false;
}

static bool
read_lines(struct session *session, const char *path, struct diag *why)
{
	session_init(session, NULL, NULL);
	return session_read_lines(session, path, why) || tell_place(why);
}

/* For files that are read in another process later. */
static bool
is_line_map(const char *path, struct diag *why)
{
	struct session session;
	const bool good = read_lines(&session, path, why);

	session_free(&session);
	return good;
}

static bool
is_readable(const char *path, struct diag *why)
{
	if (access(path, R_OK) == 0)
		return true;
	diag_set(why, "%s: %s", path, strerror(errno));
	return false;
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
	if (*options->lines && !is_line_map(options->lines, why))
		return false;
	if (*options->debug_script && !is_readable(options->debug_script, why))
		return false;
	if (*options->timeline &&
	    !session_begin_timeline(options->timeline, why))
		return tell_place(why);
	return !options->costs || make_costs(dir, why);
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
	struct session session;
	bool good = true;

	if (!table) {
		diag_set(why, "%s: %s", dir, strerror(errno));
		return false;
	}
	session_init(&session, NULL, NULL);
	if (*options->lines)
		good = read_lines(&session, options->lines, why);
	if (good &&
	    !print_table(table, &session.lines.map, options->device.timed)) {
		diag_set(why, "out of memory");
		good = false;
	}
	session_free(&session);
	munmap(table, sizeof(*table));
	return good;
}

bool
observation_end(const char *dir, const struct board_options *options)
{
	struct diag why;
	bool good = true;

	if (*options->timeline &&
	    !session_end_timeline(options->timeline, &why))
		good = tell_place(&why);
	if (good && options->costs)
		good = print_profile(dir, options, &why);
	if (!good)
		fprintf(stderr, "qpuemu: %s\n", why.text);
	return good;
}
