/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/window.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "src/base/thread.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

enum { STACK_BYTES = 64 << 10 };

/* Of the thread that runs: a fault is handled by the thread that had it. */
static _Thread_local struct windows *own;

/* The action of SIGBUS without windows, while there are threads that have some. */
static struct sigaction before;
static unsigned nthreads;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Map no file: zeros, or with PROT_NONE addresses that are only reserved. */
static void *
map_nothing(void *at, size_t bytes, int prot, int flags)
{
	return mmap(at, bytes, prot,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

/* SIGBUS.  The whole window is replaced: of a huge page no part can be. */
static void
replace_window(int number, siginfo_t *info, void *context)
{
	const bool is_fault = info->si_code > 0;

	(void)context;
	if (is_fault && own) {
		const uintptr_t distance =
			(uintptr_t)info->si_addr - (uintptr_t)own->base;
		const uintptr_t i = distance / own->bytes;

		if (i < own->n && !own->lost[i] &&
		    map_nothing(own->base + i * own->bytes, own->bytes,
				PROT_READ, MAP_FIXED) != MAP_FAILED) {
			own->lost[i] = true;
			return;
		}
	}
	/* Not ours.  A fault comes again on return; what was sent is sent once
	 * more. */
	sigaction(number, &before, NULL);
	if (!is_fault)
		raise(number);
}

/* One more thread has windows. */
static bool
catch_faults(void)
{
	struct sigaction action = { .sa_sigaction = replace_window,
				    .sa_flags = SA_SIGINFO | SA_RESTART };
	bool caught = true;

	sigemptyset(&action.sa_mask);
	pthread_mutex_lock(&lock);
	if (nthreads == 0)
		caught = sigaction(SIGBUS, &action, &before) == 0;
	nthreads += caught;
	pthread_mutex_unlock(&lock);
	return caught;
}

/* One less. */
static void
let_faults_pass(void)
{
	pthread_mutex_lock(&lock);
	if (--nthreads == 0)
		sigaction(SIGBUS, &before, NULL);
	pthread_mutex_unlock(&lock);
}

/* A fault while its signal is blocked kills whatever the handler is. */
static bool
is_blocked(void)
{
	sigset_t blocked;

	return pthread_sigmask(SIG_SETMASK, NULL, &blocked) != 0 ||
	       sigismember(&blocked, SIGBUS);
}

static bool
open_windows(struct windows *windows)
{
	const size_t bytes = windows->n * windows->bytes;
	void *base;

	if (is_blocked())
		return false;
	base = map_nothing(NULL, bytes, PROT_NONE, 0);
	if (base == MAP_FAILED)
		return false;
	if (!catch_faults()) {
		munmap(base, bytes);
		return false;
	}
	windows->base = base;
	own = windows;
	return true;
}

bool
windows_show(struct windows *windows, unsigned i, int fd, off_t offset,
	     size_t bytes)
{
	if (!windows->base && !open_windows(windows))
		return false;
	windows->lost[i] = false;
	if (mmap(windows->base + i * windows->bytes, bytes, PROT_READ,
		 MAP_SHARED | MAP_FIXED, fd, offset) != MAP_FAILED)
		return true;
	windows_hide(windows, i);
	return false;
}

void
windows_hide(struct windows *windows, unsigned i)
{
	map_nothing(windows->base + i * windows->bytes, windows->bytes,
		    PROT_NONE, MAP_FIXED);
}

void
windows_close(struct windows *windows)
{
	if (!windows->base)
		return;
	munmap(windows->base, windows->n * windows->bytes);
	windows->base = NULL;
	let_faults_pass();
	if (own == windows)
		own = NULL;
}

/* A thread that touches pages ------------------------------------------------- */

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
