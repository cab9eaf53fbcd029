/* SPDX-License-Identifier: MIT */
/*
 * hold: what this process has from the VideoCore's firmware and has to give
 * back.  The firmware does not notice when a process dies: memory that is not
 * released then is gone until the next boot.
 *
 * All requests that take, use or give back go through here, one at a time.
 * hold_release gives back everything, whoever calls it (normal end, exit, a
 * signal handler, in whatever thread) and however often.  There is one hold
 * in a process, as there is one user of /dev/vcio.
 */
#ifndef QPU_DEVICE_VCIO_HOLD_H
#define QPU_DEVICE_VCIO_HOLD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pieces of memory at a time. */
enum { HOLD_PIECES = 216 };

struct hold_visit {
	sigset_t mask;
	int thread;
};

struct hold_memory {
	uint32_t handle;
	uint32_t bus;
};

/* From now on, by an open /dev/vcio that stays open until hold_release. */
void
hold_begin(int vcio);

/*
 * While a visit lasts nobody else gives back, and this thread sees no signal
 * that can wait.  False when all has been given back: the process ends.
 */
bool
hold_enter(struct hold_visit *);

void
hold_leave(const struct hold_visit *);

/* Enable the QPUs.  *answer is the firmware's; false: none, see errno. */
bool
hold_enable(uint32_t *answer);

/* Memory that stays where it is.  False: there is none. */
bool
hold_allocate(uint32_t bytes, uint32_t flags, struct hold_memory *);

void
hold_free(uint32_t handle);

/* The QPUs did not come back and may still write to memory they know; from
 * now on nothing is freed before they are off. */
void
hold_distrust(void);

/* Give back everything; async-signal-safe, takes a few seconds at most. */
void
hold_release(void);

#endif
