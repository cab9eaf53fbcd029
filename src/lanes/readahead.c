/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/readahead.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/thread.h"

/*
 * A sleeping thread is woken only when half the ring is free: each wake-up
 * costs as much as reading many kilobytes.
 */
enum {
	SLOTS = 2 * READAHEAD_THREADS,
	/* Of a stream, and while there is one thread: these stay in the cache. */
	FEW_SLOTS = 8,
	SLOT_BYTES = 128 << 10,
	STACK_BYTES = 128 << 10,
	PIPE_BYTES = 1 << 20,
	/* A read that takes longer is worth another thread. */
	SLOW_NS = 1000000
};

struct slot {
	bool is_filled;
	enum reader_answer answer;
	int error;
	struct handout handout;
};

struct readahead {
	pthread_mutex_t lock;
	pthread_cond_t filled;	 /* the slot that the lane waits for */
	pthread_cond_t returned; /* slots, or the end */
	struct reader *reader;
	bool is_stream;
	bool is_slow;
	unsigned reading; /* threads */
	struct storage_waits waits;
	/* Slots are numbered; [0, end) are to be filled, the first `begun` of
	 * them were, or are being, the first `taken` were handed out, and the
	 * first `given_back` may be filled again. */
	uint64_t end, begun, taken, given_back;
	off_t at; /* of slot 0 in the file */
	struct slot slots[SLOTS];
	uint8_t *buffers;
	size_t stride; /* from one buffer to the next */
	unsigned nthreads, most_threads;
	pthread_t threads[READAHEAD_THREADS];
};

/* Filling ------------------------------------------------------------------- */

static void
fill_from_stream(struct readahead *ahead, struct slot *slot, uint8_t *buffer)
{
	reader_use_buffer(ahead->reader, buffer, SLOT_BYTES);
	slot->answer = reader_next(ahead->reader, &slot->handout, true);
	slot->error = errno;
}

/* Of a file only whole slots are read ahead: an error, the end, and what comes
 * after them are the reader's. */
static void
fill_from_file(const struct readahead *ahead, struct slot *slot,
	       uint8_t *buffer, off_t at)
{
	size_t have = 0;
	ssize_t got;

	do {
		got = pread(ahead->reader->fd, buffer + have, SLOT_BYTES - have,
			    at + (off_t)have);
		have += got > 0 ? (size_t)got : 0;
	} while ((got > 0 && have < SLOT_BYTES) || (got < 0 && errno == EINTR));
	slot->answer = have == SLOT_BYTES ? READER_BLOCKS : READER_LATER;
	slot->handout =
		(struct handout){ .data = buffer,
				  .nblocks = SLOT_BYTES / SHA256_BLOCK_BYTES,
				  .message_bytes = SLOT_BYTES };
}

/* Wait for a slot to fill.  False: there is none any more.  Lock held. */
static bool
begin_slot(struct readahead *ahead)
{
	bool was_full = false;

	while (ahead->begun < ahead->end) {
		const unsigned slots = ahead->nthreads > 1 ? SLOTS : FEW_SLOTS;

		if (ahead->begun - ahead->given_back <
		    (was_full ? slots / 2 + 1 : slots))
			return true;
		was_full = true;
		pthread_cond_wait(&ahead->returned, &ahead->lock);
	}
	return false;
}

static void *
fill_slots(void *arg)
{
	struct readahead *ahead = arg;
	struct fetch_timing timing = { .slow_ns = SLOW_NS };

	pthread_mutex_lock(&ahead->lock);
	while (begin_slot(ahead)) {
		const uint64_t number = ahead->begun++;
		const unsigned place = number % SLOTS;
		uint8_t *buffer = ahead->buffers + place * ahead->stride;
		struct slot *slot = &ahead->slots[place];

		slot->is_filled = false;
		ahead->reading++;
		pthread_mutex_unlock(&ahead->lock);
		fetch_begin_timing(&timing);
		if (ahead->is_stream)
			fill_from_stream(ahead, slot, buffer);
		else
			fill_from_file(ahead, slot, buffer,
				       ahead->at + (off_t)number * SLOT_BYTES);
		pthread_mutex_lock(&ahead->lock);
		if (!ahead->is_stream)
			ahead->is_slow |= fetch_end_timing(&timing);
		if (!ahead->is_stream &&
		    storage_waits_count(&ahead->waits, timing.took_ns) &&
		    ahead->reading > ahead->waits.most)
			ahead->waits.most = ahead->reading;
		ahead->reading--;
		slot->is_filled = true;
		if (slot->answer != READER_BLOCKS && number < ahead->end)
			ahead->end = number + 1;
		if (number == ahead->taken)
			pthread_cond_signal(&ahead->filled);
	}
	pthread_mutex_unlock(&ahead->lock);
	return NULL;
}

/* Start threads up to this number, as far as there are any. */
static void
start_threads(struct readahead *ahead, unsigned n)
{
	while (ahead->nthreads < n && ahead->nthreads < ahead->most_threads) {
		if (!thread_start(&ahead->threads[ahead->nthreads], STACK_BYTES,
				  fill_slots, ahead)) {
			ahead->most_threads = ahead->nthreads;
			return;
		}
		ahead->nthreads++;
		/* The ring is larger from the second one on. */
		pthread_cond_signal(&ahead->returned);
	}
}

/* The lane's ---------------------------------------------------------------- */

struct readahead *
readahead_start(struct reader *reader, size_t space_bytes, unsigned threads)
{
	struct readahead *ahead = calloc(1, sizeof(*ahead));

	if (!ahead)
		return NULL;
	ahead->reader = reader;
	ahead->stride = SLOT_BYTES + (space_bytes + 63) / 64 * 64;
	ahead->buffers = aligned_alloc(64, SLOTS * ahead->stride);
	ahead->is_stream = !reader->is_regular || reader->tail_bytes > 0;
	ahead->most_threads = ahead->is_stream ? 1 : threads;
	ahead->at = (off_t)reader->length;
	ahead->end = ahead->is_stream ? UINT64_MAX :
					reader_remaining(reader) / SLOT_BYTES;
	/* The more a pipe holds, the less its writer sleeps. */
	fcntl(reader->fd, F_SETPIPE_SZ, PIPE_BYTES);
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->filled, NULL);
	pthread_cond_init(&ahead->returned, NULL);
	if (ahead->buffers) {
		pthread_mutex_lock(&ahead->lock);
		start_threads(ahead, 1);
		pthread_mutex_unlock(&ahead->lock);
	}
	if (ahead->nthreads > 0)
		return ahead;
	free(ahead->buffers);
	free(ahead);
	return NULL;
}

/* The slot that is next, when it is filled; NULL: there is none.  Lock held. */
static const struct slot *
await_slot(struct readahead *ahead)
{
	const struct slot *slot = &ahead->slots[ahead->taken % SLOTS];

	if (ahead->given_back < ahead->taken) {
		const unsigned slots = ahead->nthreads > 1 ? SLOTS : FEW_SLOTS;

		ahead->given_back = ahead->taken;
		if (ahead->begun - ahead->given_back <= slots / 2)
			pthread_cond_broadcast(&ahead->returned);
	}
	while (ahead->taken < ahead->end &&
	       (ahead->taken >= ahead->begun || !slot->is_filled)) {
		if (ahead->is_slow)
			start_threads(ahead, 2 * ahead->nthreads);
		pthread_cond_wait(&ahead->filled, &ahead->lock);
	}
	return ahead->taken < ahead->end ? slot : NULL;
}

enum reader_answer
readahead_next(struct readahead *ahead, struct handout *handout)
{
	const struct slot *slot;
	enum reader_answer answer = READER_LATER;

	pthread_mutex_lock(&ahead->lock);
	slot = await_slot(ahead);
	if (slot) {
		answer = slot->answer;
		*handout = slot->handout;
		errno = slot->error;
	}
	if (answer == READER_BLOCKS)
		ahead->taken++;
	pthread_mutex_unlock(&ahead->lock);
	if (!ahead->is_stream && answer == READER_BLOCKS)
		reader_skip(ahead->reader, SLOT_BYTES);
	return answer;
}

void
readahead_stop(struct readahead *ahead, struct storage_waits *waits)
{
	unsigned n;

	pthread_mutex_lock(&ahead->lock);
	ahead->end = ahead->taken;
	pthread_cond_broadcast(&ahead->returned);
	n = ahead->nthreads;
	pthread_mutex_unlock(&ahead->lock);
	for (unsigned i = 0; i < n; i++)
		pthread_join(ahead->threads[i], NULL);
	pthread_cond_destroy(&ahead->returned);
	pthread_cond_destroy(&ahead->filled);
	pthread_mutex_destroy(&ahead->lock);
	*waits = ahead->waits;
	free(ahead->buffers);
	free(ahead);
}
