/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/pipeline/device_choice.h"

#include "src/base/batch.h"
#include "src/base/clock.h"
#include "src/feed/look_ahead.h"
#include "src/feed/work_split.h"

/* Looking up sizes takes at most this time: they may come from a slow disk. */
static const uint64_t most_ns = 100 * CLOCK_NS_PER_MS;

/* A twentieth of the time has to be saved: estimates are not exact. */
static const double least_gain = 0.95;

static void
estimate(const struct work_split *split, const struct engine_speed *speed,
	 unsigned cores, struct device_choice *choice)
{
	const struct work_amount amount = work_split_amount(split);
	struct work_rates both, cpu;

	work_rates_expect(speed, cores, cores, amount, &both);
	work_rates_expect_cpu(speed, cores, amount, &cpu);
	choice->files = amount.messages;
	choice->bytes = amount.blocks * SHA256_BLOCK_BYTES;
	choice->cpu_seconds = work_split_estimate(split, &cpu);
	choice->both_seconds =
		work_split_estimate(split, &both) + choice->start_seconds;
	choice->device = choice->both_seconds <
			 least_gain * choice->cpu_seconds;
}

void
device_choose(struct lookahead *ahead, const struct engine_speed *speed,
	      unsigned cores, struct device_choice *choice)
{
	const uint64_t begun = clock_ns();
	struct work_split split;
	struct job *job;

	*choice =
		(struct device_choice){ .start_seconds = speed->start_seconds };
	work_split_init(&split);
	while (!choice->device && clock_ns() - begun < most_ns &&
	       (job = lookahead_take(ahead)) != NULL) {
		if (job->kind == JOB_REMARK ||
		    classify_job(job) != JOB_CLASS_SIZED)
			continue;
		if (!work_split_add(&split, job->blocks, job))
			break;
		estimate(&split, speed, cores, choice);
	}
	if (!choice->device && lookahead_is_full(ahead) && choice->files > 0) {
		choice->start_seconds = 0;
		estimate(&split, speed, cores, choice);
	}
	work_split_free(&split);
}
