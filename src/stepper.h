/* SPDX-License-Identifier: MIT */
/*
 * stepper: a worker's engine, and the one that goes on when a device fails.
 *
 * A step is one round of the engine over a set of batches.  What takes over
 * is opened beforehand, since it must not fail to open when it is needed.
 */
#ifndef SRC_STEPPER_H
#define SRC_STEPPER_H

#include <stdbool.h>

#include "cpu/engine.h"
#include "src/set.h"

struct stepper {
	const struct engine *engine;	/* that steps now */
	void *self;
	unsigned nsubmit;		/* batches it takes at a time */
	/* The one that was opened, and has the buffers: it stays to the end. */
	const struct engine *owner;
	void *owner_self;
	struct engine_limits limits;
	const struct engine *fallback;
	void *fallback_self;		/* NULL: the engine needs none */
	struct engine_limits fallback_limits;
	struct set *running;		/* the engine's for now, or NULL */
	const struct engine *failed;	/* and was replaced, or NULL */
	struct diag why;
};

/* False and a reason: one of the two is not to be had, nothing is open. */
bool
stepper_open(struct stepper *, const struct engine *engine, const char *words,
	     const struct engine *fallback, struct diag *why_not);

/* Go on without the device, which has no memory.  False: there is none. */
bool
stepper_give_up_device(struct stepper *);

/* May the states before a step be needed again? */
static inline bool
stepper_may_fail(const struct stepper *stepper)
{
	return stepper->engine != stepper->fallback;
}

/* Let the engine work on a set. */
void
stepper_begin(struct stepper *, struct set *);

/* Wait until it has done so: the set that was running. */
struct set *
stepper_end(struct stepper *);

/* Closes what is open. */
void
stepper_close(struct stepper *);

#endif
