/* SPDX-License-Identifier: MIT */
/*
 * check_source: the source of jobs when the program checks digests (-c).  It
 * makes a job for each file that a check list names, prints OK or FAILED for
 * each job that returns, and reports a summary at the end of each list.
 */
#ifndef SRC_INPUTS_CHECK_SOURCE_H
#define SRC_INPUTS_CHECK_SOURCE_H

#include "src/base/text.h"
#include "src/inputs/checklist.h"
#include "src/inputs/hard_links.h"
#include "src/inputs/input_options.h"
#include "src/inputs/list_cause.h"
#include "src/inputs/list_rows.h"
#include "src/inputs/names.h"
#include "src/inputs/unlisted.h"
#include "src/lanes/source.h"
#include "src/output/results.h"

/* Results so far. */
struct check_tally {
	uintmax_t matches;
	uintmax_t mismatches;
	uintmax_t unreadable; /* the missing ones included */
	uintmax_t missing;
	uintmax_t ignored; /* --ignore-missing */
	uintmax_t malformed;
	uintmax_t moved, unlisted; /* files that no list names */
};

struct check_source {
	struct source source;
	const struct input_options *options;

	/* Used by next only. */
	struct names lists;
	struct job list; /* the list to open next, if it has a name */
	bool reading;
	struct job entry; /* the next job to give, if it has a name */
	struct records records;
	struct checklist_parser parser;
	struct list_rows only; /* names of --only */
	struct hard_links links;
	struct unlisted unlisted; /* its tree also by emit, to release jobs */
	uintmax_t line_number;
	struct note_lines lines;
	struct text path;
	struct text full_name; /* the directory of the list, and the last name */
	size_t folder;	       /* bytes of the directory */

	/* Used by emit only. */
	struct check_tally tally;
	struct check_tally before;  /* as it was when the list began */
	struct list_rows missing;   /* with --unlisted */
	struct list_view by_digest; /* of them, when it is asked for */
	struct list_causes causes;  /* with --why */
	struct results results;
	struct job begun;    /* has the name of the current list; "-" = stdin */
	bool read_stdin;     /* so far, as a list or an entry */
	bool took_directory; /* so far, for a list */
};

void
check_source_init(struct check_source *, const struct input_options *);

/* After the run: with --json the last object of the stream, and if `stats` is
 * set a line of counts on standard error. */
void
check_source_sum_up(struct check_source *, bool stats);

void
check_source_close(struct check_source *);

#endif
