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
#include "qpu/virtual/board/observer.h"
#include "src/base/quote.h"

/* Put the file's name and the line of a failure into its text; false. */
static bool
tell_of(const char *file, struct diag *why)
{
	const struct diag at = *why;
	struct text quoted = { 0 };
	const char *name = quote_name(&quoted, file);

	if (at.line)
		diag_set(why, "%s:%u: %s", name, at.line, at.text);
	else
		diag_set(why, "%s: %s", name, at.text);
	text_free(&quoted);
	return false;
}

static bool
tell_place(struct diag *why)
{
	char file[sizeof(why->file)];

	strcpy(file, why->file);
	return tell_of(file, why);
}

/* Check a file that another process reads later. */
static bool
is_line_map(const char *path, struct diag *why)
{
	struct session session;
	bool good;

	session_init(&session, NULL, NULL);
	good = session_read_lines(&session, path, why);
	session_free(&session);
	return good || tell_of(path, why);
}

static bool
is_readable(const char *path, struct diag *why)
{
	if (strcmp(path, "-") == 0 || access(path, R_OK) == 0)
		return true;
	diag_set(why, "%s", strerror(errno));
	return tell_of(path, why);
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
observation_begin(const char *dir, struct board_options *options,
		  struct diag *why)
{
	/* Standard input can be read only once. */
	if (strcmp(options->lines, "-") == 0) {
		diag_set(why, "--lines: a file is needed, since each process "
			      "reads it");
		return false;
	}
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
		good = session_read_lines(&session, options->lines, why) ||
		       tell_place(why);
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
