/* SPDX-License-Identifier: MIT */
/*
 * cleanup: switches off the QPUs that this process has switched on, and puts
 * back their clock, whatever ends the process: the firmware does not notice
 * that it has died.
 *
 * Every request that takes, uses or returns something is made in a critical
 * section, one at a time.  cleanup_run returns everything.  It runs at the end
 * of the program, at exit, and before any signal that would end the process,
 * except SIGKILL; calling it again does nothing.  A process holds one set, as
 * /dev/vcio has one user.  README.md shows the states as a diagram.
 */
#ifndef QPU_WAYS_CLEANUP_H
#define QPU_WAYS_CLEANUP_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Begin with nothing held, on an open /dev/vcio that stays open until
 * cleanup_run.  Signals with their default action that would end the process
 * call cleanup_run first; a signal that is ignored or has a handler stays as
 * it is.
 */
void
cleanup_begin(int vcio);

/* Call cleanup_run, and give the signals their default action again. */
void
cleanup_end(void);

/* Enter a critical section: no other thread returns anything, and this thread
 * receives no signal except its own crash's.  Return false if everything has
 * been returned because the process is about to end, or a section is open. */
bool
critical_enter(void);

void
critical_leave(void);

/* Switch the QPUs on and raise their clock to full (firmware.h).  *answer is
 * the firmware's.  Return false with errno if it gave none. */
bool
qpus_enable(uint32_t *answer);

/* Note that the QPUs did not come back and may still write to memory. */
void
qpus_mark_failed(void);

/* Note that memory of the kernel is mapped for the QPUs.  If programs may still write
 * to it when everything is returned, a process keeps it.  Ends with cleanup_end. */
void
cleanup_hold_memory(void);

/* Switch the QPUs off after a failure; no launch may follow. Return false if
 * programs may still run, since there is no way to see them stop. */
bool
qpus_stop(void);

/* Switch the QPUs off and on; memory stays.  *answer is the firmware's to the last
 * request.  Return false if they cannot be enabled again. */
bool
qpus_restart(uint32_t *answer);

/* Return true if programs may still be running: after qpus_mark_failed, even
 * after cleanup_end, unless the QPUs were restarted. */
bool
qpus_may_run(void);

/* Return everything.  Async-signal-safe; takes a few seconds at most. */
void
cleanup_run(void);

#endif
