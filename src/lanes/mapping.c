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

#include "src/base/clock.h"
#include "src/base/descriptor.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

enum {
	/* Smaller files are cheaper to read. */
	MIN_BYTES = 1 << 20,
	/* The larger windows are, the fewer calls of mmap(2). */
	MAX_WINDOW_BYTES = 2 << 20,
	/* All windows of all threads, as far as that goes. */
	ALL_WINDOWS_BYTES = 32 << 20,
	/* The least bytes and time by which a way is measured. */
	MIN_TRIAL_BYTES = 4 << 20,
	TRIAL_NS = 4 * CLOCK_NS_PER_MS
};

/* Their pages are memory of this machine, or read from a disk of it. */
static const uint32_t local_systems[] = {
	BTRFS_SUPER_MAGIC, EXT4_SUPER_MAGIC,	  F2FS_SUPER_MAGIC,
	MSDOS_SUPER_MAGIC, OVERLAYFS_SUPER_MAGIC, SQUASHFS_MAGIC,
	TMPFS_MAGIC,	   XFS_SUPER_MAGIC,
};

/* Windows -------------------------------------------------------------------- */

/* Of the thread that runs: a fault is handled by the thread that had it. */
static _Thread_local struct mapping *own;

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

/* Replace the whole window after SIGBUS: a part of a huge page cannot be
 * replaced. */
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
		    map_nothing(own->base + i * own->window_bytes,
				own->window_bytes, PROT_READ,
				MAP_FIXED) != MAP_FAILED) {
			own->views[i].lost = true;
			return;
		}
	}
	/* Not ours.  A fault comes again on return; what was sent is sent once
	 * more. */
	sigaction(number, &before, NULL);
	if (!is_fault)
		raise(number);
}

/* Count one more thread that has windows. */
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

static bool
reserve(struct mapping *mapping)
{
	const size_t bytes = mapping->n * mapping->window_bytes;
	sigset_t blocked;
	void *base;

	/* A fault while its signal is blocked kills whatever the handler is. */
	if (pthread_sigmask(SIG_SETMASK, NULL, &blocked) != 0 ||
	    sigismember(&blocked, SIGBUS))
		return false;
	base = map_nothing(NULL, bytes, PROT_NONE, 0);
	if (base == MAP_FAILED)
		return false;
	if (!catch_faults()) {
		munmap(base, bytes);
		return false;
	}
	mapping->base = base;
	own = mapping;
	return true;
}

/* Touching pages ahead --------------------------------------------------------- */

/* Prefault pages for the hashing thread (MADV_POPULATE_READ, from Linux 5.14
 * on; before, nothing is saved). */
static void
touch(struct task *task)
{
	const struct prefault *prefault = (struct prefault *)task;

	madvise(prefault->pages, prefault->bytes, MADV_POPULATE_READ);
}

/* Have a thread touch these pages, and no more those that it was to touch before. */
static void
touch_pages(struct mapping *mapping, uint8_t *pages, size_t bytes)
{
	struct prefault *prefault = &mapping->prefault;

	pool_recall(mapping->pool, &prefault->task);
	*prefault = (struct prefault){ .task.run = touch,
				       .pages = pages,
				       .bytes = bytes };
	pool_post(mapping->pool, &prefault->task);
}

/* Stop prefaulting. */
static void
stop_touching(struct mapping *mapping)
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
	/* Each lane uses a window up, since mmap(2) is paid for at its beginning. */
	mapping->costs.trial_bytes = lanes * bytes < MIN_TRIAL_BYTES ?
					     MIN_TRIAL_BYTES :
					     lanes * bytes;
}

void
mapping_close(struct mapping *mapping)
{
	stop_touching(mapping);
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

/* Return true if the page cache has this byte of the file.  Older kernels
 * cannot say so of tmpfs, where it is always true. */
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
	       descriptor_is_on(in->fd, local_systems,
				sizeof(local_systems) /
					sizeof(*local_systems)) &&
	       is_cached(in, in->start + in->size - 1);
}

/* Pieces ---------------------------------------------------------------------- */

static uint8_t *
window_data(const struct mapping *mapping, unsigned lane)
{
	return mapping->base + lane * mapping->window_bytes;
}

/* Let the window show nothing. */
static void
hide(struct mapping *mapping, unsigned lane)
{
	mapping->views[lane].end = 0;
	map_nothing(window_data(mapping, lane), mapping->window_bytes,
		    PROT_NONE, MAP_FIXED);
}

/* Show whole pages of the file, with the piece at this place. */
static bool
show(struct mapping *mapping, unsigned lane, const struct input *in,
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
		hide(mapping, lane);
		return false;
	}
	mapping->views[lane] =
		(struct mapping_view){ .at = from, .end = from + bytes };
	if (mapping->touches_ahead && bytes > MAPPING_PIECE_BYTES)
		touch_pages(mapping,
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
	    !show(mapping, lane, in, at))
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
	stop_touching(mapping);
	if (mapping->views[lane].end > 0)
		hide(mapping, lane);
}

/* Which way is cheaper --------------------------------------------------------- */

/* Weigh a round that hashed these bytes, by mapping_way, in `ns` of the thread's time. */
static void
weigh(struct mapping_costs *costs, const uint64_t hashed[3], uint64_t ns)
{
	const bool maps = costs->trial == MAPPING_TRIAL_MAPS;
	const uint64_t bytes = hashed[maps ? MAPPING_MAPPED : MAPPING_READ];
	const uint64_t others = hashed[MAPPING_READ] + hashed[MAPPING_MAPPED] +
				hashed[MAPPING_OTHER] - bytes;
	double cost;

	/* A round with much else says nothing. */
	if (others > bytes / 8)
		return;
	costs->bytes += bytes;
	costs->ns += ns;
	if (costs->bytes < (maps ? costs->trial_bytes : MIN_TRIAL_BYTES) ||
	    costs->ns < TRIAL_NS)
		return;
	cost = (double)costs->ns / (double)costs->bytes;
	if (maps) {
		costs->mapped = cost;
		costs->trial = MAPPING_TRIAL_READS;
	} else {
		costs->trial = MAPPING_TRIAL_OVER;
		costs->is_dearer = costs->mapped > cost;
	}
	costs->bytes = costs->ns = 0;
}

void
mapping_end_round(struct mapping *mapping)
{
	uint64_t *hashed = mapping->hashed;

	/* The clock is not asked where nothing could be mapped. */
	if (mapping->costs.trial != MAPPING_TRIAL_OVER &&
	    hashed[MAPPING_READ] + hashed[MAPPING_MAPPED] > 0) {
		const uint64_t now = clock_thread_ns();

		if (mapping->begun_ns > 0)
			weigh(&mapping->costs, hashed, now - mapping->begun_ns);
		mapping->begun_ns = now;
	} else {
		mapping->begun_ns = 0;
	}
	memset(hashed, 0, sizeof(mapping->hashed));
}
