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

#endif
