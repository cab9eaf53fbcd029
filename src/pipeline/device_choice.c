/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/pipeline/device_choice.h"

#include <poll.h>

#include "src/base/clock.h"
#include "src/feed/schedule.h"

/* Looking up sizes takes at most this time: they may come from a slow disk, and
 * the list through a pipe. */
static const uint64_t max_ns = 100 * CLOCK_NS_PER_MS;

/* A twentieth of the time has to be saved: estimates are not exact. */
static const double max_part = 0.95;

/* Estimate both choices.  start_seconds is the time to open the device. */
static void
estimate(struct amount amount, const struct engine_speed *speed, unsigned cores,
	 double start_seconds, struct device_choice *choice)
{
	struct engine_speed alone = *speed;
	struct schedule_rates both, cpu;

	schedule_rates_expect(speed, cores, cores, amount,
			      (double)amount.messages, &both);
	/* The CPU looks up no sizes before it opens files. */
	alone.device_rate = alone.look_seconds = 0;
	schedule_rates_expect(&alone, cores, cores, amount, 0, &cpu);
	choice->files = amount.messages;
	choice->cpu_seconds = schedule_rates_estimate(&cpu, amount);
	choice->both_seconds =
		schedule_rates_estimate(&both, amount) + start_seconds;
	choice->device = choice->both_seconds < max_part * choice->cpu_seconds;
}

/* Wait for the source until this time.  Return false if it has nothing yet. */
static bool
wait_for(const struct source *source, uint64_t until_ns)
{
	struct pollfd input = { .fd = source->wait_fd, .events = POLLIN };
	const uint64_t now_ns = clock_ns();

	return now_ns < until_ns &&
	       poll(&input, 1, (int)((until_ns - now_ns) / CLOCK_NS_PER_MS)) >
		       0;
}

static struct job *
look_at_next(struct sequencer *sequencer, uint64_t until_ns)
{
	struct sequencer_view view;
	struct job *job;

	do
		job = sequencer_look_ahead(sequencer, &view);
	while (!job && view.source_waits &&
	       wait_for(sequencer->source, until_ns));
	return job;
}

void
device_choose(struct sequencer *sequencer, const struct engine_speed *speed,
	      unsigned cores, struct device_choice *choice)
{
	const uint64_t until_ns = clock_ns() + max_ns;
	struct amount amount = { .messages = 0 };
	unsigned njobs = 0;
	struct job *job;

	*choice = (struct device_choice){ .device = false };
	while (!choice->device && njobs < DEVICE_CHOICE_JOBS &&
	       clock_ns() < until_ns &&
	       (job = look_at_next(sequencer, until_ns)) != NULL) {
		njobs++;
		if (job->kind == JOB_REMARK)
			continue;
		backlog_look_up(job, false);
		if (job->blocks == 0)
			continue;
		amount_add(&amount, job->blocks);
		estimate(amount, speed, cores, speed->start_seconds, choice);
	}
	/* The list goes on after these: opening pays in the long run. */
	if (!choice->device && njobs == DEVICE_CHOICE_JOBS && choice->files > 0)
		estimate(amount, speed, cores, 0, choice);
}
