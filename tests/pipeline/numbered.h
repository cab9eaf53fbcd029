/* SPDX-License-Identifier: MIT */
/* numbered: a number as the note of a job, for sources made up by tests. */
#ifndef TESTS_PIPELINE_NUMBERED_H
#define TESTS_PIPELINE_NUMBERED_H

#include "src/lanes/job.h"

static inline void
numbered_write(struct job *job, uintmax_t number)
{
	job->note.place = number;
}

static inline uintmax_t
numbered_read(const struct job *job)
{
	return job->note.place;
}

#endif
