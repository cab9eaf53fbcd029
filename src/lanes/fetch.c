/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/fetch.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "src/base/clock.h"
#include "src/lanes/ahead.h"
#include "src/lanes/buffer_layout.h"
#include "src/lanes/message.h"
#include "src/lanes/run.h"

/*
 * The score rises when something waits and falls when something does not.
 * From EXPECTS on, and until it is 0 again, waiting is expected.  So some
 * uncached files of a tree are given one by one, and most are given together.
 */
enum {
	WAIT_POINTS = 4,
	EXPECTS = 4 * WAIT_POINTS,
	MAX_POINTS = 16 * WAIT_POINTS
};

void
fetch_init(struct fetch *fetch, struct run *run)
{
	const unsigned max = run->config->fetchers;

	memset(fetch, 0, sizeof(*fetch));
	fetch->run = run;
	fetch->max_jobs = max < FETCHERS ? max : FETCHERS;
	fetch->threads = run->config->pool->max_threads;
	lock_init(&fetch->lock);
}

void
fetch_set_space(struct fetch *fetch, size_t space)
{
	const size_t bytes =
		buffer_layout_round_up(LANE_BYTES + space) + CACHE_WAY_BYTES;

	/* It is the same for all workers, and read without the lock. */
	lock_take(&fetch->lock);
	if (fetch->buffer_bytes != bytes)
		fetch->buffer_bytes = bytes;
	lock_release(&fetch->lock);
}

/* The link that an unused buffer holds. */
struct spare_buffer {
	struct spare_buffer *next;
};

uint8_t *
fetch_take_buffer(struct fetch *fetch)
{
	struct spare_buffer *buffer = fetch->spare_buffers;

	assert(fetch->lock.is_held);
	if (buffer)
		fetch->spare_buffers = buffer->next;
	return (uint8_t *)buffer;
}

void
fetch_drop_buffer(struct fetch *fetch, uint8_t *memory)
{
	struct spare_buffer *buffer = (struct spare_buffer *)memory;

	assert(fetch->lock.is_held);
	if (!buffer)
		return;
	buffer->next = fetch->spare_buffers;
	fetch->spare_buffers = buffer;
}

/* Expected waits -------------------------------------------------------------- */

static void
set_score(struct fetch *fetch, unsigned score)
{
	bool expects = fetch->expects;

	assert(fetch->lock.is_held);
	__atomic_store_n(&fetch->score, score < MAX_POINTS ? score : MAX_POINTS,
			 __ATOMIC_RELAXED);
	if (score >= EXPECTS || score == 0)
		expects = score > 0 && fetch->max_jobs > 0 && !fetch->is_off;
	__atomic_store_n(&fetch->expects, expects, __ATOMIC_RELAXED);
}

void
fetch_note_wait(struct fetch *fetch)
{
	lock_take(&fetch->lock);
	set_score(fetch, fetch->score + WAIT_POINTS);
	lock_release(&fetch->lock);
}

void
fetch_note_cached(struct fetch *fetch, unsigned n)
{
	if (__atomic_load_n(&fetch->score, __ATOMIC_RELAXED) == 0)
		return;
	lock_take(&fetch->lock);
	set_score(fetch, fetch->score > n ? fetch->score - n : 0);
	lock_release(&fetch->lock);
}

void
fetch_turn_off(struct fetch *fetch)
{
	lock_take(&fetch->lock);
	fetch->is_off = true;
	set_score(fetch, 0);
	lock_release(&fetch->lock);
}

void
fetch_note_read(struct fetch *fetch, uint64_t took_ns)
{
	const unsigned reading =
		__atomic_fetch_sub(&fetch->reading, 1, __ATOMIC_RELAXED);

	assert(reading > 0);
	if (reading > fetch->waits.most)
		fetch->waits.most = reading;
	if (storage_waits_count(&fetch->waits, took_ns))
		set_score(fetch, fetch->score + WAIT_POINTS);
	else
		set_score(fetch, fetch->score > 0 ? fetch->score - 1 : 0);
}

static long
count_sleeps(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nvcsw : 0;
}

void
fetch_begin_timing(struct fetch_timing *timing)
{
	if (timing->slow > 0)
		timing->sleeps = count_sleeps();
	timing->begun_ns = clock_ns();
}

bool
fetch_end_timing(struct fetch_timing *timing)
{
	const uint64_t slow_ns = timing->slow_ns > 0 ? timing->slow_ns :
						       FETCH_SLOW_NS;

	timing->took_ns = clock_ns() - timing->begun_ns;
	if (timing->took_ns >= slow_ns)
		return timing->slow++ > 0 && count_sleeps() > timing->sleeps;
	timing->slow = 0;
	return false;
}

/* Giving and taking ----------------------------------------------------------- */

void
fetch_make_ready(struct fetch *fetch, struct message *message,
		 enum input_answer answer)
{
	struct sequencer *sequencer = &fetch->run->sequencer;

	assert(fetch->lock.is_held);
	if (handover_put(sequencer, message,
			 answer == INPUT_LACKING ? HANDOVER_LACKING :
			 answer == INPUT_EARLY	 ? HANDOVER_EARLY :
						   HANDOVER_READY))
		return;
	message->input.phase = INPUT_FAILED;
	handover_put(sequencer, message, HANDOVER_READY);
}

/* Return whether the pool has a thread; if not, no new jobs are given any more. */
static bool
have_thread(struct fetch *fetch)
{
	const bool any = pool_has_thread(fetch->run->config->pool);

	if (!any)
		__atomic_store_n(&fetch->max_jobs, 0, __ATOMIC_RELAXED);
	return any;
}

unsigned
fetch_room(struct fetch *fetch)
{
	unsigned max, messages;

	lock_take(&fetch->lock);
	max = have_thread(fetch) ? fetch->max_jobs + fetch->max_jobs / 2 : 0;
	lock_release(&fetch->lock);
	messages = handover_from_pool(&fetch->run->sequencer);
	return messages < max ? max - messages : 0;
}

bool
fetch_give(struct fetch *fetch, struct message *message)
{
	struct sequencer *sequencer = &fetch->run->sequencer;
	bool given;

	if (fetch->threads == 0)
		return false;
	lock_take(&fetch->lock);
	handover_lend(sequencer, message, true);
	given = ahead_ask(fetch, message);
	if (!given) {
		handover_lend(sequencer, message, false);
		have_thread(fetch);
	}
	lock_release(&fetch->lock);
	return given;
}

struct message *
fetch_new_message(struct fetch *fetch)
{
	struct message *message;

	lock_take(&fetch->lock);
	message = fetch->spare;
	if (message)
		fetch->spare = message->next;
	lock_release(&fetch->lock);
	return message ? message : message_new();
}

void
fetch_drop_message(struct fetch *fetch, struct message *message)
{
	if (!message->ahead) {
		message_free(message);
		return;
	}
	lock_take(&fetch->lock);
	message->next = fetch->spare;
	fetch->spare = message;
	lock_release(&fetch->lock);
}

void
fetch_destroy(struct fetch *fetch)
{
	struct message *message;
	uint8_t *buffer;

	while ((message = fetch->spare) != NULL) {
		fetch->spare = message->next;
		message_free(message);
	}
	lock_take(&fetch->lock);
	while ((buffer = fetch_take_buffer(fetch)) != NULL)
		free(buffer);
	lock_release(&fetch->lock);
	lock_destroy(&fetch->lock);
}
