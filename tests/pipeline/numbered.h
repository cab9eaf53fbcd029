/* SPDX-License-Identifier: MIT */
/* numbered: a number as the note of a job, for sources made up by tests. */
#ifndef TESTS_PIPELINE_NUMBERED_H
#define TESTS_PIPELINE_NUMBERED_H

#include <string.h>

#include "src/lanes/job.h"

static inline void
numbered_write(struct job *job, uintmax_t number)
{
	memcpy(job->note, &number, sizeof(number));
}

static inline uintmax_t
numbered_read(const struct job *job)
{
	uintmax_t number;

	memcpy(&number, job->note, sizeof(number));
	return number;
}

#endif
