/* SPDX-License-Identifier: MIT */
/*
 * held: what this process holds of the VideoCore's firmware and has to give
 * back: QPUs that are switched on, and their clock.  The firmware does not
 * notice when a process dies.
 *
 * Every request that takes, uses or returns something is made in a critical
 * section, one at a time.  held_release returns everything.  It runs at the end
 * of the program, at exit, and before any signal that would end the process,
 * except SIGKILL; calling it again does nothing.  A process holds one set, as
 * /dev/vcio has one user.  README.md shows the states as a diagram.
 */
#ifndef QPU_WAYS_HELD_H
#define QPU_WAYS_HELD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct critical_section {
	sigset_t mask;
	int thread;
};

/*
 * Begin with nothing held, on an open /dev/vcio that stays open until
 * held_release.  Signals with their default action that would end the process
 * call held_release first; a signal that is ignored or has a handler stays as
 * it is.
 */
void
held_begin(int vcio);

/* held_release, and the signals have their default action again. */
void
held_end(void);

/* Enter a critical section: no other thread returns anything, and this thread
 * receives no signal except its own crash's. Return false if everything has
 * been returned because the process is about to end. */
bool
critical_enter(struct critical_section *);

void
critical_leave(const struct critical_section *);

/* Switch the QPUs on and raise their clock to full (firmware.h).  *answer is
 * the firmware's; false when it gave none, with errno. */
bool
held_enable_qpus(uint32_t *answer);

/* The QPUs did not come back and may still write to memory. */
void
held_mark_failed(void);

/* Memory of the kernel is mapped for the QPUs.  If programs may still write to it
 * when everything is returned, a process keeps it; until held_end. */
void
held_keep_mappings(void);

/* Switch the QPUs off after a failure; no launch may follow. Return false if
 * programs may still run, since there is no way to see them stop. */
bool
held_stop_qpus(void);

/* Switch the QPUs off and on; memory stays.  False when they cannot be enabled
 * again.  *answer is the firmware's to the last request. */
bool
held_restart_qpus(uint32_t *answer);

/* Return true if programs may still be running: after held_mark_failed, even
 * after held_end, unless the QPUs were restarted. */
bool
held_qpus_may_run(void);

/* Return everything.  Async-signal-safe; takes a few seconds at most. */
void
held_release(void);

/*
 * Fork a process named "qpu-memory" that keeps this one's mappings alive until
 * a signal ends it, as at a shutdown. Return false if it cannot be started.
 * Async-signal-safe.
 *
 * The kernel reuses such memory when the last process that maps it has ended.
 * QPUs that have not come back, and were not seen to stop, would then write to
 * another program's memory, or execute it; on a board whose memory was freed in
 * this state the kernel had to be rebooted. So a process stays until the next
 * boot. It has only the mappings: no open file, no terminal, no parent that
 * would have to wait for it.
 */
bool
memory_holder_start(void);

#endif
