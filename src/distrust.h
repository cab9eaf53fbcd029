/* SPDX-License-Identifier: MIT */
/*
 * distrust: what the user is told of a file that was read without an error
 * when its digest is worth nothing, or was not worth it at first.
 */
#ifndef SRC_DISTRUST_H
#define SRC_DISTRUST_H

#include <stdbool.h>

#include "src/job.h"

/* Report the job's verdict.  False: its digest must not be printed. */
bool
distrust_report(const struct job *job);

/* Why there is no digest, or NULL. */
const char *
distrust_error(const struct job *job);

/* Was it never meant to be hashed? */
bool
distrust_skipped(const struct job *job);

#endif
