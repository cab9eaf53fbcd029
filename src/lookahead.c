/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lookahead.h"

#include <stdlib.h>

enum {
	/* Remarks need a place among the messages. */
	JOBS_PER_MESSAGE = 2
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

unsigned
lookahead_init(struct lookahead *self, struct source *behind, unsigned wanted)
{
	const unsigned most = wanted * JOBS_PER_MESSAGE;
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
		struct job *job = &self->jobs[self->njobs];

		/* Nothing is emitted yet: only the first is alone. */
		if (behind->next(behind, job, self->njobs == 0) != SOURCE_JOB)
			break;
		self->njobs++;
		messages += job->kind == JOB_FILE;
	}
	return messages;
}

void
lookahead_close(struct lookahead *self)
{
	free(self->jobs);
}
