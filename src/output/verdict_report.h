/* SPDX-License-Identifier: MIT */
/*
 * verdict_report: messages about files that were read without an error but
 * have no valid digest, one that --verify had to correct, or one of what was in
 * memory in spite of --uncached.
 */
#ifndef SRC_OUTPUT_VERDICT_REPORT_H
#define SRC_OUTPUT_VERDICT_REPORT_H

#include <stdbool.h>

#include "src/lanes/job.h"

/* Report the job's verdict.  False: its digest must not be printed. */
bool
verdict_report(const struct job *job);

/* Why there is no digest, or NULL. */
const char *
verdict_error(const struct job *job);

/* Was the file left out on purpose, without being read? */
bool
verdict_is_skip(const struct job *job);

#endif
