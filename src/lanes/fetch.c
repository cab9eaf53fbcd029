/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/fetch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "src/base/clock.h"
#include "src/lanes/ahead.h"
#include "src/lanes/buffer_layout.h"
#include "src/lanes/run.h"

/*
 * The score rises when something waits and falls when something does not.  From
 * EXPECTS on waiting is expected, down to 0: so some files of a tree that are
 * not in the cache are given one by one, most of them all together.
 */
enum {
	WAIT_POINTS = 4,
	EXPECTS = 4 * WAIT_POINTS,
	MOST_POINTS = 16 * WAIT_POINTS
};

void
fetch_init(struct fetch *fetch, struct run *run)
{
	const unsigned most = run->config->fetchers;

	memset(fetch, 0, sizeof(*fetch));
	fetch->run = run;
	fetch->most = most < FETCHERS ? most : FETCHERS;
	fetch->index = run->config->pool->max_threads == 0 ?
			       -1 :
			       sequencer_add_worker(&run->sequencer);
	run->sequencer.fetch_index = fetch->index;
	fetch->ready.end = &fetch->ready.first;
	pthread_mutex_init(&fetch->lock, NULL);
}

void
fetch_set_space(struct fetch *fetch, size_t space)
{
	pthread_mutex_lock(&fetch->lock);
	fetch->buffer_bytes =
		buffer_layout_round_up(LANE_BYTES + space) + CACHE_WAY_BYTES;
	pthread_mutex_unlock(&fetch->lock);
}

static void
queue_add(struct message_queue *queue, struct message *message)
{
	message->next = NULL;
	*queue->end = message;
	queue->end = &message->next;
}

/* Take out the message that *at points to. */
static struct message *
queue_take(struct message_queue *queue, struct message **at)
{
	struct message *message = *at;

	*at = message->next;
	if (!*at)
		queue->end = at;
	return message;
}

/* Is waiting to be expected? ------------------------------------------------- */

/* Lock held. */
static void
set_score(struct fetch *fetch, unsigned score)
{
	bool expects = fetch->expects;

	__atomic_store_n(&fetch->score,
			 score < MOST_POINTS ? score : MOST_POINTS,
			 __ATOMIC_RELAXED);
	if (score >= EXPECTS || score == 0)
		expects = score > 0 && fetch->most > 0 && !fetch->is_off;
	__atomic_store_n(&fetch->expects, expects, __ATOMIC_RELAXED);
}

void
fetch_note_wait(struct fetch *fetch)
{
	pthread_mutex_lock(&fetch->lock);
	set_score(fetch, fetch->score + WAIT_POINTS);
	pthread_mutex_unlock(&fetch->lock);
}

void
fetch_note_cached(struct fetch *fetch, unsigned n)
{
	if (__atomic_load_n(&fetch->score, __ATOMIC_RELAXED) == 0)
		return;
	pthread_mutex_lock(&fetch->lock);
	set_score(fetch, fetch->score > n ? fetch->score - n : 0);
	pthread_mutex_unlock(&fetch->lock);
}

void
fetch_turn_off(struct fetch *fetch)
{
	pthread_mutex_lock(&fetch->lock);
	fetch->is_off = true;
	set_score(fetch, 0);
	pthread_mutex_unlock(&fetch->lock);
}

void
fetch_note_read(struct fetch *fetch, uint64_t took_ns)
{
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

static bool
is_early(const struct message *message)
{
	return !message->unopened && !message->refused && !message->fetched &&
	       message->reader.must_be_oldest;
}

static bool
lacks_descriptor(const struct message *message)
{
	return message->unopened && !message->refused;
}

/* Tell the sequencer whether any message may go on before another one ends.  Lock
 * held. */
static void
note_stuck(struct fetch *fetch)
{
	const bool stuck = fetch->lacking + fetch->early == fetch->messages;

	if (stuck != fetch->is_stuck)
		sequencer_set_stuck(&fetch->run->sequencer,
				    (unsigned)fetch->index, stuck);
	fetch->is_stuck = stuck;
}

/* Lock held. */
static void
add_ready(struct fetch *fetch, struct message *message)
{
	fetch->early += is_early(message);
	fetch->lacking += lacks_descriptor(message);
	queue_add(&fetch->ready, message);
	note_stuck(fetch);
}

void
fetch_make_ready(struct fetch *fetch, struct message *message)
{
	fetch->is_off |= lacks_descriptor(message);
	add_ready(fetch, message);
	sequencer_note_ready(&fetch->run->sequencer, is_early(message));
}

/* Return whether the pool has a thread; if not, no new jobs are given any more. */
static bool
have_thread(struct fetch *fetch)
{
	const bool any = pool_has_thread(fetch->run->config->pool);

	if (!any)
		__atomic_store_n(&fetch->most, 0, __ATOMIC_RELAXED);
	return any;
}

static void
count_messages(struct fetch *fetch, unsigned messages)
{
	__atomic_store_n(&fetch->messages, messages, __ATOMIC_RELAXED);
}

unsigned
fetch_room(struct fetch *fetch)
{
	unsigned room = 0;

	pthread_mutex_lock(&fetch->lock);
	if (fetch->early == 0 && have_thread(fetch))
		room = fetch->most + fetch->most / 2;
	room -= fetch->messages < room ? fetch->messages : room;
	pthread_mutex_unlock(&fetch->lock);
	return room;
}

bool
fetch_give(struct fetch *fetch, unsigned worker, struct message *message)
{
	bool given;

	if (fetch->index < 0)
		return false;
	pthread_mutex_lock(&fetch->lock);
	message->fetched = message->refused = false;
	count_messages(fetch, fetch->messages + 1);
	given = ahead_ask(fetch, message);
	if (given) {
		sequencer_move_busy(&fetch->run->sequencer, worker,
				    (unsigned)fetch->index);
		note_stuck(fetch);
	} else {
		count_messages(fetch, fetch->messages - 1);
		have_thread(fetch);
	}
	pthread_mutex_unlock(&fetch->lock);
	return given;
}

/*
 * May it go into a lane now?  Those that lack a descriptor let all go first that
 * have one.
 */
static bool
may_leave(const struct fetch *fetch, const struct message *message,
	  uint64_t head, enum fetch_wanted wanted)
{
	if (lacks_descriptor(message) && message->job->seq != head)
		return wanted == FETCH_ANY &&
		       fetch->lacking + fetch->early == fetch->messages;
	return !is_early(message) || message->job->seq == head;
}

struct message *
fetch_take(struct fetch *fetch, unsigned worker, uint64_t head,
	   enum fetch_wanted wanted)
{
	struct message **at = &fetch->ready.first, *message = NULL;

	if (__atomic_load_n(&fetch->messages, __ATOMIC_RELAXED) == 0)
		return NULL;
	pthread_mutex_lock(&fetch->lock);
	while (*at && !may_leave(fetch, *at, head, wanted))
		at = &(*at)->next;
	if (*at) {
		message = queue_take(&fetch->ready, at);
		fetch->early -= is_early(message);
		fetch->lacking -= lacks_descriptor(message);
		count_messages(fetch, fetch->messages - 1);
		sequencer_move_busy(&fetch->run->sequencer,
				    (unsigned)fetch->index, worker);
		note_stuck(fetch);
	}
	pthread_mutex_unlock(&fetch->lock);
	return message;
}

void
fetch_return(struct fetch *fetch, unsigned worker, struct message *message)
{
	pthread_mutex_lock(&fetch->lock);
	count_messages(fetch, fetch->messages + 1);
	sequencer_move_busy(&fetch->run->sequencer, worker,
			    (unsigned)fetch->index);
	add_ready(fetch, message);
	pthread_mutex_unlock(&fetch->lock);
}

struct message *
fetch_new_message(struct fetch *fetch)
{
	struct message *message;

	pthread_mutex_lock(&fetch->lock);
	message = fetch->spare;
	if (message)
		fetch->spare = message->next;
	pthread_mutex_unlock(&fetch->lock);
	return message ? message : message_new();
}

void
fetch_drop_message(struct fetch *fetch, struct message *message)
{
	if (!message->ahead) {
		message_free(message);
		return;
	}
	pthread_mutex_lock(&fetch->lock);
	message->next = fetch->spare;
	fetch->spare = message;
	pthread_mutex_unlock(&fetch->lock);
}

void
fetch_destroy(struct fetch *fetch)
{
	struct message *message;

	while ((message = fetch->spare) != NULL) {
		fetch->spare = message->next;
		message_free(message);
	}
	ahead_free_buffers(fetch);
	pthread_mutex_destroy(&fetch->lock);
}
