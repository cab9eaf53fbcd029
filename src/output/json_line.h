/* SPDX-License-Identifier: MIT */
/*
 * json_line: the lines of stdout with --json, one JSON object per line (JSON
 * Lines).
 *
 * The manual page describes them for users; they are as stable as the lines
 * that GNU prints.  Each function sets *line to one line, and returns false
 * when memory is short.
 */
#ifndef SRC_OUTPUT_JSON_LINE_H
#define SRC_OUTPUT_JSON_LINE_H

#include "src/base/json.h"
#include "src/lanes/job.h"
#include "src/output/digest_line.h"

/* The result of hashing an input that could be read. */
bool
json_line_hashed(struct json *line, const struct job *job);

/* An input without a digest, and the reason. */
bool
json_line_failed(struct json *line, const char *name, const char *error);

/* An entry of a check list. */
struct json_line_entry {
	const char *list;
	uintmax_t line; /* its number in the list */
	const uint8_t *expected;
	const char *cause; /* of a digest that differs, or NULL */
};

/* The result of checking an entry. */
bool
json_line_checked(struct json *line, const struct job *job,
		  const struct json_line_entry *entry,
		  enum digest_result result);

/* A file that no list names; `from` is NULL, or the missing name that its
 * digest belongs to. */
bool
json_line_unlisted(struct json *line, const struct job *job, const char *from);

/* A difference between a new list and the old one; `from` and `files` where it
 * has them, or else NULL and 0. */
bool
json_line_change(struct json *line, const char *name, const char *change,
		 const char *from, uintmax_t files);

/* An error of a list, or of one line of it (number 0: of the whole list). */
bool
json_line_list(struct json *line, const char *list, uintmax_t number,
	       const char *error);

/* The text of strerror, in English whatever the locale. */
const char *
json_line_reason(int errnum);

#endif
