/* SPDX-License-Identifier: MIT */
/*
 * thread: threads with a stack of their own size, since there may be many and
 * none needs the usual 8 MiB.
 */
#ifndef SRC_BASE_THREAD_H
#define SRC_BASE_THREAD_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Start a thread.  Return false on failure. */
bool
thread_start(pthread_t *thread, size_t stack_bytes, void *(*run)(void *),
	     void *data);

/* Block all signals in this thread but those of its own crash, which cannot wait.
 * Async-signal-safe. */
void
thread_block_signals(sigset_t *before);

enum { THREAD_TEAM = 4 };

/* Do part number `part` of `parts`. */
typedef void
thread_part(void *task, unsigned part, unsigned parts);

/*
 * Run part(task, 0..n-1, n), n <= THREAD_TEAM, each on a thread of its own, the
 * first on the caller's.  The caller runs those whose thread does not start.
 * Starting and ending a thread takes some 0.1 ms on a Raspberry Pi.
 */
void
thread_team(unsigned n, thread_part *part, void *task);

#endif
