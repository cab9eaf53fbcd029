/* SPDX-License-Identifier: MIT */
/*
 * runner: a thread that does one task after the other, so that a device that
 * blocks is called from one thread only, and its owner can go on meanwhile.
 * Where no thread can be had the owner does the tasks itself, as they come.
 */
#ifndef QPU_SHA_RUNNER_H
#define QPU_SHA_RUNNER_H

#include <stdbool.h>

#include "src/base/diag.h"

struct runner;

/* NULL and the reason. */
struct runner *
runner_start(struct diag *why_not);

/* Begin task(arg) as soon as the one before has ended. */
void
runner_post(struct runner *, void (*task)(void *arg), void *arg);

/* Wait until the runner has nothing to do. */
void
runner_wait(struct runner *);

/* Do a task and wait for its end. */
void
runner_call(struct runner *, void (*task)(void *arg), void *arg);

/* Wait until the runner has nothing to do, and end it. */
void
runner_stop(struct runner *);

#endif
