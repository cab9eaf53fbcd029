/* SPDX-License-Identifier: MIT */
/*
 * names: the inputs that the command line names, one job each, from the
 * operands or from a NUL-separated list (--files0-from).
 */
#ifndef SRC_NAMES_H
#define SRC_NAMES_H

#include <stdbool.h>

#include "src/job.h"
#include "src/records.h"
#include "src/source.h"

/* job->subject of the remarks that names_next makes. */
enum names_subject {
	NAMES_INPUT,			/* not a remark */
	NAMES_CANNOT_OPEN,		/* the list; errnum */
	NAMES_READ_ERROR,		/* the list; errnum */
	NAMES_EMPTY_NAME,		/* number[0] = its place in the list */
	NAMES_STDIN_IN_STDIN,
	NAMES_NO_MEMORY,
	NAMES_SUBJECTS
};

struct names {
	char **operands;
	size_t noperands;
	size_t next_operand;
	const char *list;		/* --files0-from, or NULL */
	struct records records;
	bool list_open;
	bool waits;			/* for more of the list */
	bool ended;
	uintmax_t place;		/* of the last name in the list */
	const char *name;		/* the last one, not given yet */
};

/* No operand and no list means standard input. */
void
names_init(struct names *, char **operands, size_t noperands,
	   const char *list);

/*
 * Fill *job with an input (JOB_FILE or JOB_STDIN, which is named "-") or a
 * remark.  `alone` and the answer are as in source.h.
 */
enum source_answer
names_next(struct names *, struct job *job, bool alone);

/* The descriptor to wait for after SOURCE_LATER, or -1. */
int
names_wait_fd(const struct names *);

/* Report a remark that names_next or names_copy made. */
void
names_report(const struct names *, const struct job *job);

/*
 * Give *job a copy of a name, for names_release.  False: it has become a
 * remark, that there is no memory.  Jobs that are under way give some back
 * when they are emitted: only when there are none should it be believed.
 */
bool
names_copy(struct job *job, const char *name);

/* Make *job that remark. */
void
names_exhausted(struct job *job);

/* Is it that remark? */
bool
names_is_exhausted(const struct job *job);

/* Free what names_next or names_copy allocated for *job. */
void
names_release(struct job *job);

void
names_close(struct names *);

#endif
