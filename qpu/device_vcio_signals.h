/* SPDX-License-Identifier: MIT */
/*
 * signals: something to be done before the process ends, by exit or by any
 * signal that would end it, except SIGKILL.
 */
#ifndef QPU_DEVICE_VCIO_SIGNALS_H
#define QPU_DEVICE_VCIO_SIGNALS_H

/*
 * From now on `last` is called before the end: async-signal-safe, possibly
 * more than once, in any thread.  A signal then ends the process as if nobody
 * had caught it; one that is ignored or has a handler stays as it is.
 */
void
signals_arm(void (*last)(void));

/* As it was before. */
void
signals_disarm(void);

#endif
