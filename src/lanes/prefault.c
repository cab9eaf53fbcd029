/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/prefault.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "src/base/thread.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

enum { STACK_BYTES = 64 << 10 };

struct prefault {
	pthread_mutex_t lock;
	pthread_cond_t asked; /* or it is to end */
	void *pages;	      /* NULL: none */
	size_t bytes;
	bool ends;
	pthread_t thread;
};

static void *
touch(void *arg)
{
	struct prefault *prefault = arg;

	pthread_mutex_lock(&prefault->lock);
	while (!prefault->ends) {
		void *const pages = prefault->pages;
		const size_t bytes = prefault->bytes;

		if (!pages) {
			pthread_cond_wait(&prefault->asked, &prefault->lock);
			continue;
		}
		prefault->pages = NULL;
		pthread_mutex_unlock(&prefault->lock);
		madvise(pages, bytes, MADV_POPULATE_READ);
		pthread_mutex_lock(&prefault->lock);
	}
	pthread_mutex_unlock(&prefault->lock);
	return NULL;
}

struct prefault *
prefault_start(void)
{
	struct prefault *prefault = calloc(1, sizeof(*prefault));

	if (!prefault)
		return NULL;
	pthread_mutex_init(&prefault->lock, NULL);
	pthread_cond_init(&prefault->asked, NULL);
	if (thread_start(&prefault->thread, STACK_BYTES, touch, prefault))
		return prefault;
	free(prefault);
	return NULL;
}

void
prefault_ask(struct prefault *prefault, const uint8_t *pages, size_t bytes)
{
	pthread_mutex_lock(&prefault->lock);
	prefault->pages = (void *)(uintptr_t)pages;
	prefault->bytes = bytes;
	pthread_cond_signal(&prefault->asked);
	pthread_mutex_unlock(&prefault->lock);
}

void
prefault_stop(struct prefault *prefault)
{
	if (!prefault)
		return;
	pthread_mutex_lock(&prefault->lock);
	prefault->ends = true;
	pthread_cond_signal(&prefault->asked);
	pthread_mutex_unlock(&prefault->lock);
	pthread_join(prefault->thread, NULL);
	pthread_cond_destroy(&prefault->asked);
	pthread_mutex_destroy(&prefault->lock);
	free(prefault);
}
