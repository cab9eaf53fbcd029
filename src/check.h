/* SPDX-License-Identifier: MIT */
/*
 * check: the source of -c.  Its inputs are the files that check lists name;
 * what it emits are verdicts, and a summary behind each list.
 */
#ifndef SRC_CHECK_H
#define SRC_CHECK_H

#include "src/checklist.h"
#include "src/digest_line.h"
#include "src/json.h"
#include "src/names.h"
#include "src/options.h"
#include "src/source.h"
#include "src/text.h"

/* What the entries of the list being emitted have come to. */
struct check_tally {
	uintmax_t unreadable;
	uintmax_t mismatches;
	bool matched;
};

struct check {
	struct source source;
	const struct options *options;

	/* Used by next alone. */
	struct names lists;
	struct job list;		/* to be opened next, if it has a name */
	bool reading;
	struct job entry;		/* not given yet, if it has a name */
	struct records records;
	struct checklist_parser parser;
	uintmax_t line_number;
	uintmax_t well_formed;
	uintmax_t malformed;

	/* Used by emit alone. */
	struct check_tally tally;
	struct text line;
	struct text quoted;
	struct json object;
	struct job begun;		/* its name is the list's; "-" = stdin */
	bool read_stdin;		/* by now, as a list or an entry */
};

void
check_init(struct check *, const struct options *);

void
check_close(struct check *);

#endif
