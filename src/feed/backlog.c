/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/feed/backlog.h"

#include <sys/stat.h>

#include "src/lanes/message.h"

enum job_class
classify_job(struct job *job, bool opens)
{
	struct stat st;

	if (job->kind == JOB_STDIN)
		return JOB_CLASS_MUST_BE_OLDEST;
	if (job->blocks > 0)
		return JOB_CLASS_SIZED;
	if ((!opens || !reader_open_ahead(job, &st)) &&
	    stat(job->name, &st) != 0)
		return JOB_CLASS_PLAIN;
	if (S_ISDIR(st.st_mode))
		return JOB_CLASS_PLAIN;
	if (!S_ISREG(st.st_mode))
		return JOB_CLASS_MUST_BE_OLDEST;
	if (st.st_size <= 0)
		return JOB_CLASS_PLAIN;
	job->blocks = message_padded_blocks((uint64_t)st.st_size);
	return JOB_CLASS_SIZED;
}

void
job_queue_add(struct job_queue *queue, struct job *job)
{
	job->next = NULL;
	if (queue->first)
		queue->last->next = job;
	else
		queue->first = job;
	queue->last = job;
}

struct job *
job_queue_take(struct job_queue *queue)
{
	struct job *job = queue->first;

	if (job)
		queue->first = job->next;
	return job;
}

void
amount_add(struct amount *amount, uint64_t blocks)
{
	amount->messages++;
	amount->blocks += blocks;
	if (blocks > amount->longest)
		amount->longest = blocks;
}

/* The highest bit of a size, and the two below it. */
static unsigned
class_of(uint64_t blocks)
{
	const unsigned bit = 63 - (unsigned)__builtin_clzll(blocks | 1);
	const unsigned quarter = (unsigned)(blocks << 2 >> bit) & 3;
	const unsigned class = 4 * bit + quarter;

	return class < BACKLOG_CLASSES ? class : BACKLOG_CLASSES - 1;
}

void
backlog_add(struct backlog *backlog, struct job *job)
{
	job_queue_add(&backlog->classes[class_of(job->blocks)], job);
	backlog->messages++;
	backlog->blocks += job->blocks;
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
	for (unsigned i = BACKLOG_CLASSES; i-- > 0;)
		if (backlog->classes[i].first)
			return backlog->classes[i].first;
	return NULL;
}

struct job *
backlog_shortest(const struct backlog *backlog)
{
	for (unsigned i = 0; i < BACKLOG_CLASSES; i++)
		if (backlog->classes[i].first)
			return backlog->classes[i].first;
	return NULL;
}

struct job *
backlog_take(struct backlog *backlog, struct job *job)
{
	if (!job)
		return NULL;
	job_queue_take(&backlog->classes[class_of(job->blocks)]);
	backlog->messages--;
	backlog->blocks -= job->blocks;
	return job;
}
