/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/readahead.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/thread.h"

/*
 * A sleeping thread is woken only when half the ring is free: each wake-up
 * costs as much as reading many kilobytes.
 */
enum {
	SLOTS = 8,
	SLOT_BYTES = 128 << 10,
	STACK_BYTES = 128 << 10,
	PIPE_BYTES = 1 << 20
};

struct slot {
	enum reader_answer answer;
	int error;
	struct handout handout;
};

struct readahead {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct reader *reader;
	unsigned filled;   /* slots ever filled */
	unsigned taken;	   /* slots ever handed out */
	unsigned returned; /* slots ever given back */
	struct slot slots[SLOTS];
	uint8_t *buffers;
	size_t stride; /* from one buffer to the next */
};

static uint8_t *
slot_buffer(const struct readahead *ahead, unsigned slot)
{
	return ahead->buffers + slot % SLOTS * ahead->stride;
}

static void *
read_all(void *arg)
{
	struct readahead *ahead = arg;
	struct reader *reader = ahead->reader;
	enum reader_answer answer;
	struct slot *slot;

	do {
		pthread_mutex_lock(&ahead->lock);
		if (ahead->filled - ahead->returned == SLOTS)
			while (ahead->filled - ahead->returned > SLOTS / 2)
				pthread_cond_wait(&ahead->changed,
						  &ahead->lock);
		pthread_mutex_unlock(&ahead->lock);

		reader_use_buffer(reader, slot_buffer(ahead, ahead->filled),
				  SLOT_BYTES);
		slot = &ahead->slots[ahead->filled % SLOTS];
		answer = reader_next(reader, &slot->handout, true);
		slot->answer = answer;
		slot->error = answer == READER_FAILED ? errno : 0;

		pthread_mutex_lock(&ahead->lock);
		if (ahead->filled++ == ahead->taken)
			pthread_cond_signal(&ahead->changed);
		pthread_mutex_unlock(&ahead->lock);
	} while (answer == READER_BLOCKS);
	return NULL;
}

struct readahead *
readahead_start(struct reader *reader, size_t space_bytes)
{
	struct readahead *ahead = calloc(1, sizeof(*ahead));

	if (!ahead)
		return NULL;
	ahead->stride = SLOT_BYTES + (space_bytes + 63) / 64 * 64;
	ahead->buffers = aligned_alloc(64, SLOTS * ahead->stride);
	ahead->reader = reader;
	/* The more a pipe holds, the less its writer sleeps. */
	reader_widen_pipe(reader, PIPE_BYTES);
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->changed, NULL);
	if (ahead->buffers &&
	    thread_start(&ahead->thread, STACK_BYTES, read_all, ahead))
		return ahead;
	free(ahead->buffers);
	free(ahead);
	return NULL;
}

enum reader_answer
readahead_next(struct readahead *ahead, struct handout *handout)
{
	const struct slot *slot;

	pthread_mutex_lock(&ahead->lock);
	if (ahead->returned < ahead->taken) {
		ahead->returned = ahead->taken;
		if (ahead->filled - ahead->returned == SLOTS / 2)
			pthread_cond_signal(&ahead->changed);
	}
	while (ahead->filled == ahead->taken)
		pthread_cond_wait(&ahead->changed, &ahead->lock);
	slot = &ahead->slots[ahead->taken++ % SLOTS];
	pthread_mutex_unlock(&ahead->lock);

	*handout = slot->handout;
	if (slot->answer == READER_FAILED)
		errno = slot->error;
	return slot->answer;
}

void
readahead_stop(struct readahead *ahead)
{
	pthread_join(ahead->thread, NULL);
	pthread_cond_destroy(&ahead->changed);
	pthread_mutex_destroy(&ahead->lock);
	free(ahead->buffers);
	free(ahead);
}
