/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/pipeline/device_choice.h"

#include "src/base/batch.h"
#include "src/base/clock.h"
#include "src/feed/share_rates.h"

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
