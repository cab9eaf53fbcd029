/* SPDX-License-Identifier: MIT */
/*
 * results: lines about files and lists on standard output: lines of text as GNU
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

/* Report a verdict other than trust.  Return true if the job has a digest. */
bool
results_judge(const struct job *job);

/* Return true if the file was skipped on purpose, without being read. */
bool
results_is_skip(const struct job *job);

/* Print the digest of an input, or the reason why it has none. */
void
results_hashed(struct results *, const struct job *job);

/* With --json print the reason why an input, a list or, if the number is not 0, a line
 * of it has no digest. */
void
results_failed(struct results *, const char *name, const char *error);
void
results_list_failed(struct results *, const char *list, uintmax_t number,
		    const char *error);

/* Return the text of strerror, in English whatever the locale. */
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

/* Print the result of checking an entry. */
void
results_checked(struct results *, const struct job *job,
		const struct result_entry *entry, enum digest_result result);

/* Print a file that no list names; `from` is NULL, or the missing name that its
 * digest belongs to. */
void
results_unlisted(struct results *, const struct job *job, const char *from);

/* Differences between a file and its list. */
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
	size_t files;	  /* below the directory `name`; 0 if that is a file */
};

void
results_changed(struct results *, const struct list_change *change);

void
results_free(struct results *);

#endif
