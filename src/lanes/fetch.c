/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/fetch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "src/base/clock.h"
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
fetch_init(struct fetch *fetch, struct run *run, unsigned most)
{
	memset(fetch, 0, sizeof(*fetch));
	fetch->run = run;
	fetch->most = most < FETCHERS ? most : FETCHERS;
	if (fetch->most > 0)
		fetch->index = run->sequencer.fetch_index =
			sequencer_add_worker(&run->sequencer);
	fetch->ready.end = &fetch->ready.first;
	pthread_mutex_init(&fetch->lock, NULL);
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
fetch_add_waits(struct fetch *fetch, const struct storage_waits *waits)
{
	pthread_mutex_lock(&fetch->lock);
	fetch->waits.n += waits->n;
	fetch->waits.ns += waits->ns;
	if (waits->most > fetch->waits.most)
		fetch->waits.most = waits->most;
	pthread_mutex_unlock(&fetch->lock);
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

/* Fetchers -------------------------------------------------------------------- */

/* Buffers lie in the sets of a cache as those of lanes do. */
static uint8_t *
buffer_of(const struct message *message)
{
	return message->buffer +
	       message->job->seq * SHA256_BLOCK_BYTES % CACHE_WAY_BYTES;
}

/* Open the input, if it is not open.  True: it is to be read now. */
static bool
open_input(struct fetch *fetch, struct message *message)
{
	struct run *run = fetch->run;

	if (!message->buffer)
		return false;
	if (message->unopened) {
		switch (admission_open(run, message, buffer_of(message),
				       LANE_BYTES, true)) {
		case ADMISSION_OPEN: message->unopened = false; break;
		case ADMISSION_REFUSE: message->refused = true; break;
		default: break;
		}
	}
	return !message->unopened && !message->refused &&
	       !message->reader.must_be_oldest;
}

/* Open and read one piece, or leave what there is to do to a lane. */
static void
fetch_piece(struct fetch *fetch, struct message *message)
{
	struct reader *reader = &message->reader;

	if (!open_input(fetch, message) ||
	    admission_rotates(fetch->run, message)) {
		reader_use_disk(reader);
		return;
	}
	reader_use_buffer(reader, buffer_of(message), LANE_BYTES);
	reader_use_disk(reader);
	message->answer = reader_next(reader, &message->piece, false);
	message->read_error = errno;
	message->fetched = message->answer != READER_LATER;
	reader_avoid_waiting(reader);
}

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

/* The piece, or what else there is, may go into a lane.  Lock held. */
static void
make_ready(struct fetch *fetch, struct message *message, uint64_t took_ns)
{
	fetch->reading--;
	fetch->is_off |= lacks_descriptor(message);
	if (storage_waits_count(&fetch->waits, took_ns))
		set_score(fetch, fetch->score + WAIT_POINTS);
	else
		set_score(fetch, fetch->score > 0 ? fetch->score - 1 : 0);
	add_ready(fetch, message);
	sequencer_note_ready(&fetch->run->sequencer, is_early(message));
}

/* A task of the pool. */
static void
run_fetcher(struct task *task)
{
	struct message *message = (struct message *)task;
	struct fetch *fetch = message->fetch;
	const uint64_t begun_ns = clock_ns();

	pthread_mutex_lock(&fetch->lock);
	if (++fetch->reading > fetch->waits.most)
		fetch->waits.most = fetch->reading;
	pthread_mutex_unlock(&fetch->lock);
	if (!message->buffer)
		message->buffer =
			aligned_alloc(SHA256_BLOCK_BYTES, fetch->buffer_bytes);
	fetch_piece(fetch, message);
	pthread_mutex_lock(&fetch->lock);
	make_ready(fetch, message, clock_ns() - begun_ns);
	pthread_mutex_unlock(&fetch->lock);
}

/* Giving and taking ----------------------------------------------------------- */

/* Note that there is no thread if that is so. */
static bool
note_threads(struct fetch *fetch, bool any)
{
	if (!any)
		__atomic_store_n(&fetch->most, 0, __ATOMIC_RELAXED);
	return any;
}

unsigned
fetch_room(struct fetch *fetch)
{
	unsigned room = 0;

	pthread_mutex_lock(&fetch->lock);
	if (fetch->early == 0 &&
	    note_threads(fetch, pool_has_thread(fetch->run->config->pool)))
		room = fetch->most + fetch->most / 2;
	room -= fetch->messages < room ? fetch->messages : room;
	pthread_mutex_unlock(&fetch->lock);
	return room;
}

bool
fetch_give(struct fetch *fetch, unsigned worker, struct message *message,
	   size_t space)
{
	bool given;

	pthread_mutex_lock(&fetch->lock);
	fetch->buffer_bytes =
		buffer_layout_round_up(LANE_BYTES + space) + CACHE_WAY_BYTES;
	message->fetched = message->refused = false;
	message->fetch = fetch;
	message->task.run = run_fetcher;
	given = note_threads(fetch, pool_post(fetch->run->config->pool,
					      &message->task));
	if (given) {
		fetch->messages++;
		sequencer_move_busy(&fetch->run->sequencer, worker,
				    (unsigned)fetch->index);
		note_stuck(fetch);
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

	if (!fetch_is_possible(fetch))
		return NULL;
	pthread_mutex_lock(&fetch->lock);
	while (*at && !may_leave(fetch, *at, head, wanted))
		at = &(*at)->next;
	if (*at) {
		message = queue_take(&fetch->ready, at);
		fetch->early -= is_early(message);
		fetch->lacking -= lacks_descriptor(message);
		fetch->messages--;
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
	fetch->messages++;
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
	if (!message->buffer) {
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
	pthread_mutex_destroy(&fetch->lock);
}
