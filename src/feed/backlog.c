/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/feed/backlog.h"

#include <assert.h>
#include <sys/stat.h>

enum job_class
classify_job(struct job *job, bool opens)
{
	struct stat st;

	if (job->kind == JOB_STDIN)
		return JOB_CLASS_SPECIAL;
	if (job->blocks > 0)
		return JOB_CLASS_SIZED;
	if ((!opens || !input_open_ahead(job, &st)) &&
	    stat(job->name, &st) != 0)
		return JOB_CLASS_PLAIN;
	if (S_ISDIR(st.st_mode))
		return JOB_CLASS_PLAIN;
	if (!S_ISREG(st.st_mode))
		return JOB_CLASS_SPECIAL;
	if (st.st_size <= 0)
		return JOB_CLASS_PLAIN;
	job->blocks = message_padded_blocks((uint64_t)st.st_size);
	return JOB_CLASS_SIZED;
}

void
amount_add(struct amount *amount, uint64_t blocks)
{
	amount->messages++;
	amount->blocks += blocks;
	if (blocks > amount->longest)
		amount->longest = blocks;
}

/* Return the queue of a job, by its highest bit and the two below it. */
static struct job_queue *
queue_of(struct backlog *backlog, const struct job *job)
{
	const uint64_t blocks = job->blocks;
	unsigned bit, quarter, class;

	if (blocks == 0)
		return &backlog->plain;
	bit = 63 - (unsigned)__builtin_clzll(blocks);
	quarter = (unsigned)(blocks << 2 >> bit) & 3;
	class = 4 * bit + quarter;
	return &backlog->classes[class < BACKLOG_CLASSES ? class :
							   BACKLOG_CLASSES - 1];
}

void
backlog_add(struct backlog *backlog, struct job *job)
{
	struct job_queue *queue = queue_of(backlog, job);
	struct job **at = &queue->first;

	/* Nearly all are newer than those that wait. */
	if (*at && queue->last->seq < job->seq)
		at = &queue->last->next;
	while (*at && (*at)->seq < job->seq)
		at = &(*at)->next;
	job->next = *at;
	*at = job;
	if (!job->next)
		queue->last = job;
	backlog->messages += job->blocks > 0;
	backlog->blocks += job->blocks;
	backlog->nopen += job->is_open;
}

struct job *
backlog_first(const struct backlog *backlog)
{
	struct job *best = NULL;

	for (unsigned i = 0; i < BACKLOG_CLASSES; i++) {
		struct job *job = backlog->classes[i].first;

		if (job && (!best || job->seq < best->seq))
			best = job;
	}
	return best;
}

struct job *
backlog_longest(const struct backlog *backlog)
{
	for (unsigned i = backlog->messages > 0 ? BACKLOG_CLASSES : 0; i-- > 0;)
		if (backlog->classes[i].first)
			return backlog->classes[i].first;
	return NULL;
}

void
backlog_take(struct backlog *backlog, const struct job *job)
{
	struct job_queue *queue = queue_of(backlog, job);

	assert(queue->first == job);
	queue->first = job->next;
	backlog->messages -= job->blocks > 0;
	backlog->blocks -= job->blocks;
	backlog->nopen -= job->is_open;
}
