/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/feed/job_queue.h"

void
job_queue_init(struct job_queue *queue)
{
	*queue = (struct job_queue){ .end = &queue->first };
}

void
job_queue_push(struct job_queue *queue, struct job *job)
{
	job->next = NULL;
	*queue->end = job;
	queue->end = &job->next;
	queue->n++;
}

struct job *
job_queue_pop(struct job_queue *queue)
{
	struct job *job = queue->first;

	if (!job)
		return NULL;
	queue->first = job->next;
	if (!queue->first)
		queue->end = &queue->first;
	queue->n--;
	return job;
}

void
job_queue_insert(struct job **row, struct job *job)
{
	while (*row && (*row)->seq < job->seq)
		row = &(*row)->next;
	job->next = *row;
	*row = job;
}
