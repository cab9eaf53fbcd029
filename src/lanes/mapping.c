/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/mapping.h"

#include <errno.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "src/base/descriptor.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

enum {
	/* Smaller files are cheaper to read. */
	MIN_BYTES = 1 << 20,
	/* Larger windows need fewer calls of mmap(2). */
	MAX_WINDOW_BYTES = 2 << 20,
	/* Shared by all threads' windows, of at least one piece each. */
	ALL_WINDOWS_BYTES = 32 << 20
};

/* File systems in this machine's memory or on its own disks. */
static const uint32_t local_file_systems[] = {
	BTRFS_SUPER_MAGIC, EXT4_SUPER_MAGIC,	  F2FS_SUPER_MAGIC,
	MSDOS_SUPER_MAGIC, OVERLAYFS_SUPER_MAGIC, SQUASHFS_MAGIC,
	TMPFS_MAGIC,	   XFS_SUPER_MAGIC,
};

/* Windows -------------------------------------------------------------------- */

/* The windows of this thread.  A fault is handled by the thread that caused it. */
static _Thread_local struct mapping *own;

/* The previous action of SIGBUS, to be restored when no thread has windows. */
static struct sigaction before;
static unsigned nthreads;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Map zeros, or with PROT_NONE only reserve the addresses. */
static void *
map_anonymous(void *at, size_t bytes, int prot, int flags)
{
	return mmap(at, bytes, prot,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

/* Handle SIGBUS: after a fault in a window, replace the whole window by zeros, so that
 * it causes only one fault. */
static void
replace_window(int number, siginfo_t *info, void *context)
{
	const bool is_fault = info->si_code > 0;

	(void)context;
	if (is_fault && own) {
		const uintptr_t distance =
			(uintptr_t)info->si_addr - (uintptr_t)own->base;
		const uintptr_t i = distance / own->window_bytes;

		if (i < own->n && !own->views[i].lost &&
		    map_anonymous(own->base + i * own->window_bytes,
				  own->window_bytes, PROT_READ,
				  MAP_FIXED) != MAP_FAILED) {
			own->views[i].lost = true;
			return;
		}
	}
	/* Leave any other SIGBUS to the previous action: a fault recurs on
	 * return, and a signal that a process sent is sent again. */
	sigaction(number, &before, NULL);
	if (!is_fault)
		raise(number);
}

/* Count this thread among those with windows; for the first one, handle SIGBUS. */
static bool
handle_faults(void)
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

static bool
reserve(struct mapping *mapping)
{
	const size_t bytes = mapping->n * mapping->window_bytes;
	sigset_t blocked;
	void *base;

	/* If SIGBUS is blocked, a fault kills the process in spite of a handler. */
	if (pthread_sigmask(SIG_SETMASK, NULL, &blocked) != 0 ||
	    sigismember(&blocked, SIGBUS))
		return false;
	base = map_anonymous(NULL, bytes, PROT_NONE, 0);
	if (base == MAP_FAILED)
		return false;
	if (!handle_faults()) {
		munmap(base, bytes);
		return false;
	}
	mapping->base = base;
	own = mapping;
	return true;
}

/* Prefaulting ------------------------------------------------------------------ */

/* Prefault pages for the hashing thread.  Before Linux 5.14 this fails and saves
 * nothing. */
static void
run_prefault(struct task *task)
{
	const struct prefault *prefault = (struct prefault *)task;

	madvise(prefault->pages, prefault->bytes, MADV_POPULATE_READ);
}

/* Have a thread of the pool prefault these pages instead of the previous ones. */
static void
start_prefault(struct mapping *mapping, uint8_t *pages, size_t bytes)
{
	struct prefault *prefault = &mapping->prefault;

	pool_recall(mapping->pool, &prefault->task);
	*prefault = (struct prefault){ .task.run = run_prefault,
				       .pages = pages,
				       .bytes = bytes };
	pool_post(mapping->pool, &prefault->task);
}

static void
stop_prefault(struct mapping *mapping)
{
	if (mapping->touches_ahead)
		pool_recall(mapping->pool, &mapping->prefault.task);
	mapping->touches_ahead = false;
}

/* Beginning and end ---------------------------------------------------------- */

void
mapping_init(struct mapping *mapping, struct pool *pool, unsigned lanes,
	     unsigned threads)
{
	size_t bytes = MAX_WINDOW_BYTES;

	mapping->pool = pool;
	while (bytes > MAPPING_PIECE_BYTES &&
	       bytes * lanes * threads > ALL_WINDOWS_BYTES)
		bytes /= 2;
	mapping->n = lanes;
	mapping->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	mapping->window_bytes = bytes + mapping->page_bytes;
}

void
mapping_close(struct mapping *mapping)
{
	stop_prefault(mapping);
	if (!mapping->base)
		return;
	munmap(mapping->base, mapping->n * mapping->window_bytes);
	mapping->base = NULL;
	own = NULL;
	pthread_mutex_lock(&lock);
	if (--nthreads == 0)
		sigaction(SIGBUS, &before, NULL);
	pthread_mutex_unlock(&lock);
}

/* Which files ----------------------------------------------------------------- */

/* Return true if this byte of the file is in the page cache.  On tmpfs it always is,
 * though older kernels do not support the question. */
static bool
is_cached(const struct input *in, uint64_t at)
{
#ifdef RWF_NOWAIT
	static const uint32_t tmpfs = TMPFS_MAGIC;
	char byte;
	const struct iovec buffer = { .iov_base = &byte, .iov_len = 1 };

	return preadv2(in->fd, &buffer, 1, (off_t)at, RWF_NOWAIT) == 1 ||
	       (errno == EOPNOTSUPP && descriptor_is_on(in->fd, &tmpfs, 1));
#else
	(void)in, (void)at;
	return false;
#endif
}

bool
mapping_suits(const struct input *in)
{
	return in->is_regular && in->size >= MIN_BYTES &&
	       descriptor_is_on(in->fd, local_file_systems,
				sizeof(local_file_systems) /
					sizeof(*local_file_systems)) &&
	       is_cached(in, in->start + in->size - 1);
}

/* Pieces ---------------------------------------------------------------------- */

static uint8_t *
window_data(const struct mapping *mapping, unsigned lane)
{
	return mapping->base + lane * mapping->window_bytes;
}

/* Unmap what the window shows. */
static void
unmap_window(struct mapping *mapping, unsigned lane)
{
	mapping->views[lane].end = 0;
	map_anonymous(window_data(mapping, lane), mapping->window_bytes,
		      PROT_NONE, MAP_FIXED);
}

/* Map whole pages of the file into the window, with the piece at `at`. */
static bool
map_window(struct mapping *mapping, unsigned lane, const struct input *in,
	   uint64_t at)
{
	const size_t page = mapping->page_bytes;
	const uint64_t from = at / page * page;
	uint64_t bytes = (in->start + in->size - from) / page * page;

	if (bytes > mapping->window_bytes)
		bytes = mapping->window_bytes;
	mapping->views[lane] = (struct mapping_view){ .end = 0 };
	if (from + bytes < at + MAPPING_PIECE_BYTES ||
	    (!mapping->base && !reserve(mapping)))
		return false;
	if (mmap(window_data(mapping, lane), (size_t)bytes, PROT_READ,
		 MAP_SHARED | MAP_FIXED, in->fd, (off_t)from) == MAP_FAILED) {
		unmap_window(mapping, lane);
		return false;
	}
	mapping->views[lane] =
		(struct mapping_view){ .at = from, .end = from + bytes };
	if (mapping->touches_ahead && bytes > MAPPING_PIECE_BYTES)
		start_prefault(mapping,
			       window_data(mapping, lane) + MAPPING_PIECE_BYTES,
			       (size_t)bytes - MAPPING_PIECE_BYTES);
	return true;
}

void
mapping_touch_ahead(struct mapping *mapping)
{
	mapping->touches_ahead = true;
}

bool
mapping_next(struct mapping *mapping, unsigned lane, struct input *in,
	     struct input_blocks *blocks)
{
	const uint64_t at = input_place(in);
	const struct mapping_view *view = &mapping->views[lane];

	/* Standard input may begin anywhere in its file: whether a block is
	 * incomplete is not seen by the place. */
	if (input_left(in) < MAPPING_PIECE_BYTES || in->tail_bytes > 0 ||
	    at % SHA256_BLOCK_BYTES != 0 ||
	    !is_cached(in, at + MAPPING_PIECE_BYTES - 1))
		return false;
	if ((at < view->at || at + MAPPING_PIECE_BYTES > view->end) &&
	    !map_window(mapping, lane, in, at))
		return false;
	*blocks = (struct input_blocks){
		.data = window_data(mapping, lane) + (at - view->at),
		.n = MAPPING_PIECE_BYTES / SHA256_BLOCK_BYTES,
		.message_bytes = MAPPING_PIECE_BYTES,
	};
	input_skip(in, MAPPING_PIECE_BYTES);
	return true;
}

bool
mapping_was_kept(struct mapping *mapping, unsigned lane, struct input *in)
{
	if (!mapping->views[lane].lost && !input_sees_change(in, JOB_WATCHED))
		return true;
	input_skip(in, -MAPPING_PIECE_BYTES);
	mapping_release(mapping, lane);
	return false;
}

void
mapping_release(struct mapping *mapping, unsigned lane)
{
	stop_prefault(mapping);
	if (mapping->views[lane].end > 0)
		unmap_window(mapping, lane);
}
