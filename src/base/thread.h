/* SPDX-License-Identifier: MIT */
/*
 * thread: threads with a stack of their own size, since there may be many and
 * none needs the usual 8 MiB.
 */
#ifndef SRC_BASE_THREAD_H
#define SRC_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* False: it cannot be had. */
bool
thread_start(pthread_t *thread, size_t stack_bytes, void *(*run)(void *),
	     void *data);

enum { THREAD_TEAM = 4 };

/* Does part number `part` of `parts`. */
typedef void
thread_part(void *task, unsigned part, unsigned parts);

/*
 * Run part(task, 0..n-1, n), n <= THREAD_TEAM, each on a thread of its own, the
 * first on the caller's, which also does those for which there is no thread.
 * To start and end a thread takes some 0.1 ms on a Raspberry Pi.
 */
void
thread_team(unsigned n, thread_part *part, void *task);

#endif
