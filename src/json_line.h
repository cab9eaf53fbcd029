/* SPDX-License-Identifier: MIT */
/*
 * json_line: the lines of stdout with --json, an object each (JSON Lines).
 *
 * They are described for users in the manual page, and as binding as GNU's
 * lines.  Each verb makes one line of *line and returns false when memory is
 * short.
 */
#ifndef SRC_JSON_LINE_H
#define SRC_JSON_LINE_H

#include "src/digest_line.h"
#include "src/job.h"
#include "src/json.h"

/* What hashing an input came to: a digest, or an error. */
bool
json_line_hashed(struct json *line, const struct job *job);

/* What checking an entry came to; job->number[0] is its line in the list. */
bool
json_line_checked(struct json *line, const struct job *job, const char *list,
		  enum digest_result result);

/* What is wrong with a list, or with one line of it (0: with the list). */
bool
json_line_list(struct json *line, const char *list, uintmax_t number,
	       const char *error);

/* What strerror says, in English whatever the locale. */
const char *
json_line_reason(int errnum);

#endif
