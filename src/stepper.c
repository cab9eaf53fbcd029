/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/stepper.h"

#include <string.h>

/* From now on this one steps. */
static void
use(struct stepper *stepper, const struct engine *engine, void *self,
    const struct engine_limits *limits)
{
	stepper->engine = engine;
	stepper->self = self;
	stepper->nsubmit = limits->batches;
}

bool
stepper_open(struct stepper *stepper, const struct engine *engine,
	     const char *words, const struct engine *fallback,
	     struct diag *why_not)
{
	*stepper = (struct stepper){ .owner = engine, .fallback = fallback };
	if (engine != fallback) {
		stepper->fallback_self =
			fallback->open("", &stepper->fallback_limits, why_not);
		if (!stepper->fallback_self)
			return false;
	}
	stepper->owner_self = engine->open(words, &stepper->limits, why_not);
	if (!stepper->owner_self) {
		stepper_close(stepper);
		return false;
	}
	use(stepper, engine, stepper->owner_self, &stepper->limits);
	return true;
}

bool
stepper_give_up_device(struct stepper *stepper)
{
	if (!stepper->fallback_self)
		return false;
	stepper->failed = stepper->owner;
	diag_set(&stepper->why, "its memory is too small for a single buffer");
	stepper->owner->close(stepper->owner_self);
	stepper->owner = stepper->fallback;
	stepper->owner_self = stepper->fallback_self;
	stepper->limits = stepper->fallback_limits;
	stepper->fallback_self = NULL;
	use(stepper, stepper->owner, stepper->owner_self, &stepper->limits);
	return true;
}

void
stepper_close(struct stepper *stepper)
{
	if (stepper->owner_self)
		stepper->owner->close(stepper->owner_self);
	if (stepper->fallback_self)
		stepper->fallback->close(stepper->fallback_self);
	stepper->owner_self = stepper->fallback_self = NULL;
}

/* All batches of a set; the last of them are still to be waited for. */
static enum engine_status
submit_all(struct stepper *stepper, struct set *set, struct diag *why)
{
	const struct engine *engine = stepper->engine;
	enum engine_status status = ENGINE_OK;

	set->device = engine->name;
	for (unsigned i = 0; i < set->nbatches && status == ENGINE_OK;
	     i += stepper->nsubmit) {
		unsigned n = set->nbatches - i;

		if (n > stepper->nsubmit)
			n = stepper->nsubmit;
		if (i > 0)
			status = engine->wait(stepper->self, why);
		if (status == ENGINE_OK)
			status = engine->submit(stepper->self,
						set->batches + i, n, why);
	}
	return status;
}

/*
 * The engine's device cannot be trusted any more: the fallback goes on from
 * the states of before the failed step and the same buffers, which therefore
 * stay with the failed engine until the end.  An engine checks each step
 * before it ends, so that earlier ones are not in doubt.
 */
static void
retire_engine(struct stepper *stepper, struct set *set,
	      const struct diag *why)
{
	struct diag ignored;

	stepper->failed = stepper->engine;
	stepper->why = *why;
	set_restore(set);
	use(stepper, stepper->fallback, stepper->fallback_self,
	    &stepper->fallback_limits);
	submit_all(stepper, set, &ignored);
}

void
stepper_begin(struct stepper *stepper, struct set *set)
{
	struct diag why = { .text = "" };

	for (unsigned i = 0; i < set->nbatches; i++)
		memset(set->batches[i].done, 0, sizeof(set->batches[i].done));
	if (stepper_may_fail(stepper))
		set_save(set);
	if (submit_all(stepper, set, &why) != ENGINE_OK)
		retire_engine(stepper, set, &why);
	stepper->running = set;
}

struct set *
stepper_end(struct stepper *stepper)
{
	struct diag why = { .text = "" };
	struct set *set = stepper->running;

	if (stepper->engine->wait(stepper->self, &why) != ENGINE_OK) {
		retire_engine(stepper, set, &why);
		stepper->engine->wait(stepper->self, &why);
	}
	stepper->running = NULL;
	return set;
}
