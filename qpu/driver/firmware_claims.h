/* SPDX-License-Identifier: MIT */
/*
 * firmware_claims: what this process has from the VideoCore's firmware and
 * has to give back: memory, and QPUs that are switched on.  The firmware does
 * not notice when a process dies; memory that was not released by then is
 * lost until the next boot.
 *
 * Every request that takes, uses or returns something goes through here, one
 * at a time.  claims_release returns everything.  It runs at the end of the
 * program, at exit, and before any signal that would end the process, except
 * SIGKILL; calling it again does nothing.  A process has one set of claims, as
 * /dev/vcio has one user.  README.md shows the states as a diagram.
 */
#ifndef QPU_DRIVER_FIRMWARE_CLAIMS_H
#define QPU_DRIVER_FIRMWARE_CLAIMS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pieces of memory at a time. */
enum { CLAIMS_PIECES = 216 };

struct registers;

struct claims_visit {
	sigset_t mask;
	int thread;
};

struct claims_memory {
	uint32_t handle;
	uint32_t bus;
};

/*
 * Begin with nothing claimed, on an open /dev/vcio that stays open until
 * claims_release.  Signals with their default action that would end the
 * process call claims_release first, and signals that would stop it wait for the
 * end of a visit; a signal that is ignored or has a handler stays as it is.
 */
void
claims_begin(int vcio);

/* claims_release, and the signals have their default action again. */
void
claims_end(void);

/*
 * During a visit no other thread returns anything, and this thread receives
 * no signal except those of its own crash.  False when everything has been
 * returned because the process is about to end.
 */
bool
claims_enter(struct claims_visit *);

void
claims_leave(const struct claims_visit *);

/* Switch the QPUs on.  *answer is the firmware's; false when it gave none, with
 * errno. */
bool
claims_enable(uint32_t *answer);

/* Allocate and lock memory.  False when there is not enough. */
bool
claims_allocate(uint32_t bytes, uint32_t flags, struct claims_memory *);

void
claims_free(uint32_t handle);

/* The QPUs did not come back and may still write to memory: from now on no
 * memory is freed before they are switched off.  Memory is never freed while
 * the registers show that they are still on. */
void
claims_distrust(void);

/* The registers show whether the QPUs have power; until claims_end. */
void
claims_watch(const struct registers *);

/*
 * Switch the QPUs off, which also ends whatever runs, and on again; memory
 * stays.  False when they stay on or cannot be enabled again.  *answer is that
 * of the last request.
 */
bool
claims_restart(uint32_t *answer);

/* May programs still be running?  True after claims_distrust until the
 * registers have shown that the QPUs are off; also after claims_end. */
bool
claims_in_doubt(void);

/* Return everything.  Async-signal-safe; takes a few seconds at most. */
void
claims_release(void);

#endif
