/* SPDX-License-Identifier: MIT */
/*
 * results: what standard output says of files and lists: lines of text as GNU
 * writes them or, with --json, objects, one per line (JSON Lines).
 *
 * The manual pages describe both for users; the objects are as stable as the
 * lines that GNU prints.  Names in text are quoted as in messages, so that a
 * list from elsewhere cannot send control codes to the terminal.  If memory is
 * short for a line, that is reported instead.
 */
#ifndef SRC_OUTPUT_RESULTS_H
#define SRC_OUTPUT_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/json.h"
#include "src/lanes/job.h"
#include "src/output/digest_line.h"

/* Start from {0} and the options; results_free gives back the memory. */
struct results {
	bool json;
	struct digest_line_style style;
	struct text line;
	struct json object;
};

/* Report what is to be said of the job's verdict.  False: it has no digest. */
bool
results_judge(const struct job *job);

/* Was the file left out on purpose, without being read? */
bool
results_is_skip(const struct job *job);

/* The digest of an input that could be read, or why it has none. */
void
results_hashed(struct results *, const struct job *job);

/* An input, a list, or (number not 0) a line of one, without a digest, and the
 * reason; only with --json. */
void
results_failed(struct results *, const char *name, const char *error);
void
results_list_failed(struct results *, const char *list, uintmax_t number,
		    const char *error);

/* The text of strerror, in English whatever the locale. */
const char *
results_reason(int errnum);

/* An entry of a check list. */
struct result_entry {
	const char *list;
	uintmax_t line; /* its number in the list */
	const uint8_t *expected;
	const char *cause; /* of a digest that differs, or NULL */
	const char *from;  /* the name that has this digest, or NULL */
};

enum digest_result {
	DIGEST_OK,
	DIGEST_FAILED,
	DIGEST_UNREADABLE /* "FAILED open or read" */
};

/* The result of checking an entry. */
void
results_checked(struct results *, const struct job *job,
		const struct result_entry *entry, enum digest_result result);

/* A file that no list names; `from` is NULL, or the missing name that its
 * digest belongs to. */
void
results_unlisted(struct results *, const struct job *job, const char *from);

/* How a file differs from what a list says. */
enum list_change_kind {
	CHANGE_NONE,
	CHANGE_NEW,
	CHANGE_COPY, /* of `from` */
	CHANGE_MOVED,
	CHANGE_EDITED,
	CHANGE_DIFFERS,
	CHANGE_MISSING,
	CHANGE_DROPPED
};

struct list_change {
	enum list_change_kind kind;
	const char *name;
	const char *from; /* the old name, or NULL */
	size_t files;	  /* below the directory `name`; 0: it is a file */
};

void
results_changed(struct results *, const struct list_change *change);

void
results_free(struct results *);

#endif
