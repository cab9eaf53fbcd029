/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/pipeline/device_choice.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/batch.h"
#include "src/base/clock.h"
#include "src/feed/share.h"

/* The first jobs ------------------------------------------------------------ */

/* The time to wait in all for a list that comes through a pipe. */
enum { PATIENCE_MS = 100 };

static enum source_answer
first_jobs_next(struct source *source, struct job *job, bool is_oldest)
{
	struct first_jobs *self = (struct first_jobs *)source;
	enum source_answer answer;

	if (self->next < self->njobs) {
		*job = self->jobs[self->next++];
		return SOURCE_JOB;
	}
	answer = self->origin->next(self->origin, job, is_oldest);
	source->wait_fd = self->origin->wait_fd;
	return answer;
}

static void
first_jobs_emit(struct source *source, struct job *job)
{
	struct first_jobs *self = (struct first_jobs *)source;

	self->origin->emit(self->origin, job);
}

static void
first_jobs_flush(struct source *source)
{
	struct first_jobs *self = (struct first_jobs *)source;

	self->origin->flush(self->origin);
}

/* Wait for the source, at most *patience_ms.  False: it has nothing yet. */
static bool
wait_for(const struct source *source, int *patience_ms)
{
	struct pollfd input = { .fd = source->wait_fd, .events = POLLIN };
	uint64_t start;
	int ready;

	if (source->wait_fd < 0 || *patience_ms <= 0)
		return false;
	start = clock_ns();
	ready = poll(&input, 1, *patience_ms);
	*patience_ms -= (int)((clock_ns() - start) / CLOCK_NS_PER_MS);
	return ready > 0;
}

void
first_jobs_init(struct first_jobs *self, struct source *origin, unsigned most)
{
	*self = (struct first_jobs){ .source = { .next = first_jobs_next,
						 .emit = first_jobs_emit,
						 .flush = first_jobs_flush,
						 .wait_fd = -1 },
				     .origin = origin,
				     .jobs = calloc(most, sizeof(*self->jobs)),
				     .patience_ms = PATIENCE_MS };
	if (self->jobs)
		self->most = most;
}

struct job *
first_jobs_take(struct first_jobs *self)
{
	while (!first_jobs_is_full(self)) {
		struct job *job =
			memset(&self->jobs[self->njobs], 0, sizeof(*job));
		/* Nothing is emitted yet: only the first is the oldest. */
		const enum source_answer answer =
			self->origin->next(self->origin, job, self->njobs == 0);

		if (answer == SOURCE_JOB) {
			self->njobs++;
			return job;
		}
		if (answer == SOURCE_END ||
		    !wait_for(self->origin, &self->patience_ms))
			break;
	}
	return NULL;
}

void
first_jobs_close(struct first_jobs *self)
{
	free(self->jobs);
}

/* The choice ---------------------------------------------------------------- */

/* Looking up sizes takes at most this time: they may come from a slow disk. */
static const uint64_t most_ns = 100 * CLOCK_NS_PER_MS;

/* A twentieth of the time has to be saved: estimates are not exact. */
static const double least_gain = 0.95;

static void
estimate(struct amount amount, const struct engine_speed *speed, unsigned cores,
	 struct device_choice *choice)
{
	struct share_rates both, cpu;

	share_rates_expect(speed, cores, cores, amount, &both);
	share_rates_expect_cpu(speed, cores, amount, &cpu);
	choice->files = amount.messages;
	choice->bytes = amount.blocks * SHA256_BLOCK_BYTES;
	choice->cpu_seconds = share_rates_estimate(&cpu, amount);
	choice->both_seconds =
		share_rates_estimate(&both, amount) + choice->start_seconds;
	choice->device = choice->both_seconds <
			 least_gain * choice->cpu_seconds;
}

void
device_choose(struct first_jobs *ahead, const struct engine_speed *speed,
	      unsigned cores, struct device_choice *choice)
{
	const uint64_t begun = clock_ns();
	struct amount amount = { .messages = 0 };
	struct job *job;

	*choice =
		(struct device_choice){ .start_seconds = speed->start_seconds };
	while (!choice->device && clock_ns() - begun < most_ns &&
	       (job = first_jobs_take(ahead)) != NULL) {
		if (job->kind == JOB_REMARK ||
		    classify_job(job, false) != JOB_CLASS_SIZED)
			continue;
		amount_add(&amount, job->blocks);
		estimate(amount, speed, cores, choice);
	}
	if (!choice->device && first_jobs_is_full(ahead) && choice->files > 0) {
		choice->start_seconds = 0;
		estimate(amount, speed, cores, choice);
	}
}
