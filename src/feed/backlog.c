/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/feed/backlog.h"

#include <sys/stat.h>

enum job_class
classify_job(struct job *job, bool opens)
{
	struct stat st;

	if (job->kind == JOB_STDIN)
		return JOB_CLASS_MUST_BE_OLDEST;
	if (job->blocks > 0)
		return JOB_CLASS_SIZED;
	if ((!opens || !input_open_ahead(job, &st)) &&
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

static void
queue_add(struct job_queue *queue, struct job *job)
{
	job->next = NULL;
	if (queue->first)
		queue->last->next = job;
	else
		queue->first = job;
	queue->last = job;
}

static struct job *
queue_take(struct job_queue *queue)
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

/* Return the class of a size: its highest bit, and the two below it. */
static unsigned
class_of(uint64_t blocks)
{
	const unsigned bit = 63 - (unsigned)__builtin_clzll(blocks | 1);
	const unsigned quarter = (unsigned)(blocks << 2 >> bit) & 3;
	const unsigned class = 4 * bit + quarter;

	return class < BACKLOG_CLASSES ? class : BACKLOG_CLASSES - 1;
}

static void
add_by_number(struct job **list, struct job *job)
{
	while (*list && (*list)->seq < job->seq)
		list = &(*list)->next;
	job->next = *list;
	*list = job;
}

void
backlog_add(struct backlog *backlog, struct job *job, enum job_class class)
{
	backlog->nopen += job->is_open;
	switch (class) {
	case JOB_CLASS_MUST_BE_OLDEST:
		add_by_number(&backlog->must_be_oldest, job);
		break;
	case JOB_CLASS_PLAIN: queue_add(&backlog->plain, job); break;
	case JOB_CLASS_SIZED:
		queue_add(&backlog->classes[class_of(job->blocks)], job);
		backlog->messages++;
		backlog->blocks += job->blocks;
		break;
	}
}

struct job *
backlog_for_worker(const struct backlog *backlog, uint64_t head)
{
	struct job *job = backlog->must_be_oldest;

	return job && job->seq == head ? job : backlog->plain.first;
}

struct job *
backlog_take_for_worker(struct backlog *backlog, uint64_t head)
{
	struct job *job = backlog_for_worker(backlog, head);

	if (job && job == backlog->must_be_oldest)
		backlog->must_be_oldest = job->next;
	else
		queue_take(&backlog->plain);
	if (job)
		backlog->nopen -= job->is_open;
	return job;
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
backlog_take(struct backlog *backlog, struct job *job)
{
	if (!job)
		return NULL;
	queue_take(&backlog->classes[class_of(job->blocks)]);
	backlog->messages--;
	backlog->blocks -= job->blocks;
	backlog->nopen -= job->is_open;
	return job;
}

/* Messages on offer ----------------------------------------------------------- */

void
offers_add(struct offers *offers, struct message *message, bool for_lane)
{
	message->for_lane = for_lane;
	message->next = offers->first;
	offers->first = message;
}

void
offers_sum(const struct offers *offers, struct amount *sum)
{
	for (const struct message *at = offers->first; at; at = at->next)
		amount_add(sum, message_blocks_left(at));
}

/*
 * Return true if it waits for an idle lane, which can still finish it in time.
 */
static bool
is_for_lane(const struct offers *offers, const struct message *message)
{
	return message->for_lane &&
	       message_blocks_left(message) <= offers->lane_capacity;
}

/* Return the link to the first message that is for a lane, or is not; or to
 * the end. */
static struct message **
find(struct offers *offers, bool for_lane)
{
	struct message **at = &offers->first;

	while (*at && is_for_lane(offers, *at) != for_lane)
		at = &(*at)->next;
	return at;
}

bool
offers_want(struct offers *offers, bool lane)
{
	return *find(offers, lane);
}

static struct message *
take(struct message **at)
{
	struct message *message = *at;

	if (message)
		*at = message->next;
	return message;
}

struct message *
offers_take_for_worker(struct offers *offers)
{
	struct message *none = NULL, **best = &none;

	for (struct message **at = &offers->first; *at; at = &(*at)->next)
		if (!is_for_lane(offers, *at) &&
		    (!*best ||
		     message_blocks_left(*at) > message_blocks_left(*best)))
			best = at;
	return take(best);
}

struct message *
offers_take_for_lane(struct offers *offers)
{
	return take(find(offers, true));
}
