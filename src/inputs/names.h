/* SPDX-License-Identifier: MIT */
/*
 * names: the inputs that the command line names, one job each, from the
 * operands or from a NUL-separated list (--files0-from).
 */
#ifndef SRC_INPUTS_NAMES_H
#define SRC_INPUTS_NAMES_H

#include <stdbool.h>

#include "src/inputs/note.h"
#include "src/inputs/records.h"
#include "src/lanes/source.h"

struct names {
	char **operands;
	size_t noperands;
	size_t next_operand;
	const char *list; /* --files0-from, or NULL */
	struct records records;
	bool list_open;
	bool waits; /* for more of the list */
	bool ended;
	uintmax_t number; /* of the last name in the list */
	const char *name; /* the last one, not given yet */
};

/* Without operands and without a list the input is standard input. */
void
names_init(struct names *, char **operands, size_t noperands, const char *list);

/*
 * Fill *job with an input (JOB_FILE, or JOB_STDIN with the name "-") or with a
 * remark, whose note is one of NOTE_NAMES_*.  `is_oldest` and the result are as
 * in source.h.
 */
enum source_result
names_next(struct names *, struct job *job, bool is_oldest);

/* Return the descriptor to wait for after SOURCE_LATER, or -1. */
int
names_wait_fd(const struct names *);

/* Report a remark that names_next or names_copy made. */
void
names_report(const struct names *, const struct job *job);

/*
 * Give *job a copy of a name, for names_release.  If memory is short return
 * false: then *job is the remark NOTE_NAMES_NO_MEMORY.  Jobs in flight free
 * memory when they are emitted, so it is final only when there are none.
 */
bool
names_copy(struct job *job, const char *name);

/* Make *job a remark.  The result is SOURCE_JOB. */
enum source_result
names_remark(struct job *job, struct note note);

/* Free what names_next or names_copy allocated for *job. */
void
names_release(struct job *job);

void
names_close(struct names *);

#endif
