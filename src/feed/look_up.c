/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/feed/look_up.h"

#include <sys/stat.h>

#include "src/feed/work_split.h"
#include "src/lanes/job.h"

enum look_up
look_up(struct job *job)
{
	struct stat st;

	if (job->kind == JOB_STDIN)
		return LOOK_UP_IN_TURN;
	if (job->blocks > 0)
		return LOOK_UP_SIZED;
	if (stat(job->name, &st) != 0)
		return LOOK_UP_PLAIN;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? LOOK_UP_PLAIN : LOOK_UP_IN_TURN;
	if (st.st_size <= 0)
		return LOOK_UP_PLAIN;
	job->blocks = work_blocks((uint64_t)st.st_size);
	return LOOK_UP_SIZED;
}
