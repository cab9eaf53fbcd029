/* SPDX-License-Identifier: MIT */
/*
 * firmware_handles: what this process holds of the VideoCore's firmware and has
 * to give back: handles of memory, and QPUs that are switched on.  The firmware
 * does not notice when a process dies; memory that was not released by then is
 * lost until the next boot.
 *
 * Every request that takes, uses or returns something is made in a critical
 * section, one at a time.  handles_release returns everything.  It runs at the
 * end of the program, at exit, and before any signal that would end the
 * process, except SIGKILL; calling it again does nothing.  A process has one
 * set of handles, as /dev/vcio has one user.  README.md shows the states as a
 * diagram.
 */
#ifndef QPU_DRIVER_FIRMWARE_HANDLES_H
#define QPU_DRIVER_FIRMWARE_HANDLES_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most handles of memory at a time. */
enum { HANDLES_MOST = 216 };

struct registers;

struct critical_section {
	sigset_t mask;
	int thread;
};

struct handles_memory {
	uint32_t handle;
	uint32_t bus;
};

/*
 * Begin with nothing held, on an open /dev/vcio that stays open until
 * handles_release.  Signals with their default action that would end the
 * process call handles_release first, and signals that would stop it wait for
 * the end of a critical section; a signal that is ignored or has a handler
 * stays as it is.
 */
void
handles_begin(int vcio);

/* handles_release, and the signals have their default action again. */
void
handles_end(void);

/*
 * In a critical section no other thread returns anything, and this thread
 * receives no signal except those of its own crash.  False when everything has
 * been returned because the process is about to end.
 */
bool
critical_enter(struct critical_section *);

void
critical_leave(const struct critical_section *);

/* Switch the QPUs on, and let them have their clock (v3d_clock.h).  *answer is
 * the firmware's; false when it gave none, with errno. */
bool
handles_enable_qpus(uint32_t *answer);

/* Allocate and lock memory.  False when there is not enough. */
bool
handles_allocate(uint32_t bytes, uint32_t flags, struct handles_memory *);

void
handles_free(uint32_t handle);

/* The QPUs did not come back and may still write to memory: from now on no
 * memory is freed before they are switched off.  Memory is never freed while
 * the registers show that they are still on. */
void
handles_mark_failed(void);

/* The registers show whether the QPUs have power, and whether programs run;
 * until handles_end. */
void
handles_watch(const struct registers *);

/* Memory of the kernel is mapped for the QPUs.  If programs may still write to it
 * when everything is returned, a process keeps it (keeper.h); until
 * handles_end. */
void
handles_keep_mappings(void);

/* There will be no other launch: end whatever runs after a failure.  False when
 * something may still run. */
bool
handles_stop_qpus(void);

/*
 * End whatever runs, and make sure that the QPUs are on; memory stays.  They are
 * switched off and on.  Where the power stays all the same it is enough to see
 * that they are idle; if they are not, their power domain is reset.  False when
 * something still runs, which handles_qpus_may_run tells, or when they cannot
 * be enabled again.  *answer is the firmware's to the last request.
 */
bool
handles_restart_qpus(uint32_t *answer);

/* May programs still be running?  True after handles_mark_failed until the
 * registers have shown that the QPUs are off or idle; also after
 * handles_end. */
bool
handles_qpus_may_run(void);

/* Return everything.  Async-signal-safe; takes a few seconds at most. */
void
handles_release(void);

#endif
