/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lookahead.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	/* Remarks need a place among the messages. */
	JOBS_PER_MESSAGE = 2,
	/* For a list that comes through a pipe, in all. */
	PATIENCE_MS = 100
};

static enum source_answer
lookahead_next(struct source *source, struct job *job, bool alone)
{
	struct lookahead *self = (struct lookahead *)source;
	enum source_answer answer;

	if (self->next < self->njobs) {
		*job = self->jobs[self->next++];
		return SOURCE_JOB;
	}
	answer = self->behind->next(self->behind, job, alone);
	source->wait_fd = self->behind->wait_fd;
	return answer;
}

static void
lookahead_emit(struct source *source, struct job *job)
{
	struct lookahead *self = (struct lookahead *)source;

	self->behind->emit(self->behind, job);
}

static void
lookahead_flush(struct source *source)
{
	struct lookahead *self = (struct lookahead *)source;

	self->behind->flush(self->behind);
}

/* Has the source something new within what is left of our patience? */
static bool
wait_for(const struct source *source, int *patience_ms)
{
	struct pollfd input = { .fd = source->wait_fd, .events = POLLIN };
	struct timespec before, after;
	int ready;

	if (source->wait_fd < 0 || *patience_ms <= 0)
		return false;
	clock_gettime(CLOCK_MONOTONIC, &before);
	ready = poll(&input, 1, *patience_ms);
	clock_gettime(CLOCK_MONOTONIC, &after);
	*patience_ms -= (int)((after.tv_sec - before.tv_sec) * 1000 +
			      (after.tv_nsec - before.tv_nsec) / 1000000);
	return ready > 0;
}

unsigned
lookahead_init(struct lookahead *self, struct source *behind, unsigned wanted)
{
	const unsigned most = wanted * JOBS_PER_MESSAGE;
	int patience_ms = PATIENCE_MS;
	unsigned messages = 0;

	*self = (struct lookahead){
		.source = {
			.next = lookahead_next,
			.emit = lookahead_emit,
			.flush = lookahead_flush,
			.wait_fd = -1
		},
		.behind = behind,
		.jobs = calloc(most, sizeof(*self->jobs))
	};
	if (!self->jobs)
		return 0;
	while (messages < wanted && self->njobs < most) {
		struct job *job = memset(&self->jobs[self->njobs], 0,
					 sizeof(*job));
		/* Nothing is emitted yet: only the first is alone. */
		const enum source_answer answer =
			behind->next(behind, job, self->njobs == 0);

		if (answer == SOURCE_JOB) {
			self->njobs++;
			messages += job->kind == JOB_FILE;
		} else if (answer == SOURCE_END ||
			   !wait_for(behind, &patience_ms)) {
			break;
		}
	}
	return messages;
}

void
lookahead_close(struct lookahead *self)
{
	free(self->jobs);
}
