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

void
first_jobs_init(struct first_jobs *self, struct source *origin, unsigned most)
{
	*self = (struct first_jobs){ .source = { .next = first_jobs_next,
						 .emit = first_jobs_emit,
						 .flush = first_jobs_flush,
						 .wait_fd = -1 },
				     .origin = origin,
				     .jobs = calloc(most,
						    sizeof(*self->jobs)) };
	if (self->jobs)
		self->most = most;
}

/* Wait for the source until that time.  False: it has nothing yet. */
static bool
wait_for(const struct source *source, uint64_t until_ns)
{
	struct pollfd input = { .fd = source->wait_fd, .events = POLLIN };
	const uint64_t now_ns = clock_ns();

	return source->wait_fd >= 0 && now_ns < until_ns &&
	       poll(&input, 1, (int)((until_ns - now_ns) / CLOCK_NS_PER_MS)) >
		       0;
}

static bool
is_full(const struct first_jobs *self)
{
	return self->njobs == self->most;
}

/*
 * Take the next job in advance; it stays here.  NULL: there are as many as are
 * allowed, or the origin has ended or would have to be waited for.
 */
static struct job *
take(struct first_jobs *self, uint64_t until_ns)
{
	while (!is_full(self)) {
		struct job *job =
			memset(&self->jobs[self->njobs], 0, sizeof(*job));
		/* Nothing is emitted yet: only the first is the oldest. */
		const enum source_answer answer =
			self->origin->next(self->origin, job, self->njobs == 0);

		if (answer == SOURCE_JOB) {
			self->njobs++;
			return job;
		}
		if (answer == SOURCE_END || !wait_for(self->origin, until_ns))
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

/* Looking up sizes takes at most this time: they may come from a slow disk, and
 * the list through a pipe. */
static const uint64_t most_ns = 100 * CLOCK_NS_PER_MS;

/* A twentieth of the time has to be saved: estimates are not exact. */
static const double least_gain = 0.95;

/* start_seconds: what it takes to open the device. */
static void
estimate(struct amount amount, const struct engine_speed *speed, unsigned cores,
	 double start_seconds, struct device_choice *choice)
{
	struct share_rates both, cpu;

	share_rates_expect(speed, cores, cores, amount, &both);
	share_rates_expect_cpu(speed, cores, amount, &cpu);
	choice->files = amount.messages;
	choice->cpu_seconds = share_rates_estimate(&cpu, amount);
	choice->both_seconds =
		share_rates_estimate(&both, amount) + start_seconds;
	choice->device = choice->both_seconds <
			 least_gain * choice->cpu_seconds;
}

void
device_choose(struct first_jobs *ahead, const struct engine_speed *speed,
	      unsigned cores, struct device_choice *choice)
{
	const uint64_t until_ns = clock_ns() + most_ns;
	struct amount amount = { .messages = 0 };
	struct job *job;

	*choice = (struct device_choice){ .device = false };
	while (!choice->device && clock_ns() < until_ns &&
	       (job = take(ahead, until_ns)) != NULL) {
		if (job->kind == JOB_REMARK ||
		    classify_job(job, false) != JOB_CLASS_SIZED)
			continue;
		amount_add(&amount, job->blocks);
		estimate(amount, speed, cores, speed->start_seconds, choice);
	}
	/* The list goes on after these: opening pays in the long run. */
	if (!choice->device && is_full(ahead) && choice->files > 0)
		estimate(amount, speed, cores, 0, choice);
}
