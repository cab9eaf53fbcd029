/* SPDX-License-Identifier: MIT */
/* distrust: what the user is told when --verify did not find all equal. */
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

#endif
