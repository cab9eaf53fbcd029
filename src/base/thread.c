/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/base/thread.h"

bool
thread_start(pthread_t *thread, size_t stack_bytes, void *(*run)(void *),
	     void *data)
{
	pthread_attr_t attr;
	bool started;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, stack_bytes);
	started = pthread_create(thread, &attr, run, data) == 0;
	pthread_attr_destroy(&attr);
	return started;
}
