/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/feed/backlog.h"

#include <assert.h>
#include <sys/stat.h>

bool
backlog_look_up(struct job *job, bool opens)
{
	struct stat st;

	if (job->kind == JOB_STDIN)
		return true;
	if (job->blocks > 0)
		return false;
	if ((!opens || !input_open_ahead(job, &st)) &&
	    stat(job->name, &st) != 0)
		return false;
	if (S_ISREG(st.st_mode) && st.st_size > 0)
		job->blocks = message_padded_blocks((uint64_t)st.st_size);
	return !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
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
	unsigned bit, quarter, bucket;

	if (blocks == 0)
		return &backlog->buckets[0];
	bit = 63 - (unsigned)__builtin_clzll(blocks);
	quarter = (unsigned)(blocks << 2 >> bit) & 3;
	bucket = 4 * bit + quarter + 1;
	return &backlog->buckets[bucket < BACKLOG_BUCKETS ? bucket :
							    BACKLOG_BUCKETS - 1];
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
backlog_oldest(const struct backlog *backlog)
{
	struct job *oldest = NULL;

	for (unsigned i = 1; i < BACKLOG_BUCKETS; i++) {
		struct job *job = backlog->buckets[i].first;

		if (job && (!oldest || job->seq < oldest->seq))
			oldest = job;
	}
	return oldest;
}

struct job *
backlog_longest(const struct backlog *backlog)
{
	for (unsigned i = BACKLOG_BUCKETS; i-- > 1;)
		if (backlog->buckets[i].first)
			return backlog->buckets[i].first;
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
