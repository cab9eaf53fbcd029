/* SPDX-License-Identifier: MIT */
/*
 * summary: what a run has counted, for people and for programs.  A stream of
 * JSON objects that does not end with its summary was cut off.
 */
#ifndef SRC_OUTPUT_SUMMARY_H
#define SRC_OUTPUT_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/json.h"

struct summary_count {
	const char *name; /* a member's name in JSON; NULL ends a list */
	uintmax_t count;
};

/* "PROG: stats: entries: 3, ok: 2, failed: 1" on stderr. */
void
summary_report(const struct summary_count *counts);

/* {"summary":"check","entries":3,"ok":2,"failed":1,"status":1} on stdout: what
 * was done, the counts, and the exit status so far. */
void
summary_print(struct json *object, const char *what,
	      const struct summary_count *counts);

#endif
