/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/ahead.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/lanes/buffer_layout.h"
#include "src/lanes/message.h"
#include "src/lanes/run.h"

enum {
	PIPE_BYTES = 1 << 20,
	/* Pieces of a message that are filled, or being read, while readers are
	 * fewer; these stay in the cache. */
	FEW_PIECES = 8,
	MAX_PIECES = AHEAD_READERS + 1, /* with the one that a lane has */
	/* Of all messages; while there are more, each has one piece. */
	ALL_PIECES = POOL_THREADS + POOL_THREADS / 2,
	/* Points of the score. */
	WAIT_POINTS = 4,
	EXPECTS = 4 * WAIT_POINTS,
	MAX_POINTS = 16 * WAIT_POINTS
};

struct piece {
	uint8_t *memory; /* from malloc(3), or NULL */
	uint64_t at;	 /* of a whole piece in its message */
	bool is_filled;
	enum input_result result; /* INPUT_LATER: a lane has to look itself */
	struct input_blocks blocks;
};

/* A task that fills a piece, and then others. */
struct reader {
	struct task task; /* the first member */
	struct ring *ring;
	struct piece *piece; /* NULL if it is not posted */
};

struct ring {
	struct ring *next; /* a spare one */
	struct ahead *ahead;
	struct message *message;
	enum ring_mode { AHEAD_ONCE, AHEAD_WHOLE, AHEAD_STREAM } mode;
	bool reads_on; /* there may be more to read */
	unsigned first, count;
	bool is_taken;	  /* the first one, by a lane */
	unsigned readers; /* posted, each with a piece that is not filled */
	unsigned wanted;  /* readers */
	bool was_slow;	  /* the last read, and its thread slept */
	bool is_awaited;  /* the message is in no lane */
	/* It is put with this when it is not awaited any more. */
	enum handover_why why;
	uint64_t at; /* of the next whole piece */
	struct piece pieces[MAX_PIECES];
	struct reader tasks[AHEAD_READERS];
};

/* Memory --------------------------------------------------------------------- */

/* The link that an unused buffer holds. */
struct spare_buffer {
	struct spare_buffer *next;
};

void
ahead_init(struct ahead *ahead, struct run *run)
{
	*ahead = (struct ahead){
		.run = run,
		.max_readers = run->config->pool->max_threads,
		.is_possible = run->config->reads_ahead,
	};
	lock_init(&ahead->lock);
}

void
ahead_set_space(struct ahead *ahead, size_t space)
{
	/* It is the same for all workers, and read without the lock. */
	lock_take(&ahead->lock);
	if (ahead->buffer_bytes == 0)
		ahead->buffer_bytes =
			buffer_layout_round_up(LANE_BYTES + space) +
			CACHE_WAY_BYTES;
	lock_release(&ahead->lock);
}

void
ahead_destroy(struct ahead *ahead)
{
	struct ring *ring;
	struct spare_buffer *buffer;

	/* A reader may still hold the lock, in its last lines. */
	lock_take(&ahead->lock);
	while ((ring = ahead->spare_rings) != NULL) {
		ahead->spare_rings = ring->next;
		free(ring);
	}
	while ((buffer = ahead->spare_buffers) != NULL) {
		ahead->spare_buffers = buffer->next;
		free(buffer);
	}
	lock_release(&ahead->lock);
	lock_destroy(&ahead->lock);
}

/* Return the message's ring; NULL when memory is short. */
static struct ring *
have_ring(struct ahead *ahead, struct message *message)
{
	struct ring *ring = message->ring;

	if (ring)
		return ring;
	ring = ahead->spare_rings;
	if (ring)
		ahead->spare_rings = ring->next;
	else
		ring = calloc(1, sizeof(*ring));
	if (!ring)
		return NULL;
	ring->ahead = ahead;
	ring->message = message;
	ring->mode = AHEAD_ONCE;
	ring->was_slow = false;
	message->ring = ring;
	return ring;
}

static struct piece *
piece_at(struct ring *ring, unsigned i)
{
	return &ring->pieces[(ring->first + i) % MAX_PIECES];
}

/* Drop a piece, the first or the last one. */
static void
drop_piece(struct ring *ring, struct piece *piece)
{
	struct ahead *ahead = ring->ahead;
	struct spare_buffer *buffer = (struct spare_buffer *)piece->memory;

	assert(ahead->lock.is_held && ring->count > 0);
	if (buffer) {
		buffer->next = ahead->spare_buffers;
		ahead->spare_buffers = buffer;
	}
	piece->memory = NULL;
	ring->count--;
	ahead->pieces--;
}

static void
drop_first(struct ring *ring)
{
	drop_piece(ring, piece_at(ring, 0));
	ring->first = (ring->first + 1) % MAX_PIECES;
	ring->is_taken = false;
}

/* Expected waits -------------------------------------------------------------- */

/*
 * The score rises when something waits and falls when something does not.
 * From EXPECTS on, and until it is 0 again, waiting is expected.  So some
 * uncached files of a tree are given one by one, and most are given together.
 */
static void
set_score(struct ahead *ahead, unsigned score)
{
	bool expects = ahead->expects;

	assert(ahead->lock.is_held);
	__atomic_store_n(&ahead->score, score < MAX_POINTS ? score : MAX_POINTS,
			 __ATOMIC_RELAXED);
	if (score >= EXPECTS || score == 0)
		expects = score > 0 && ahead->is_possible && !ahead->is_off;
	__atomic_store_n(&ahead->expects, expects, __ATOMIC_RELAXED);
}

void
ahead_note_wait(struct ahead *ahead)
{
	lock_take(&ahead->lock);
	set_score(ahead, ahead->score + WAIT_POINTS);
	lock_release(&ahead->lock);
}

void
ahead_note_cached(struct ahead *ahead, unsigned n)
{
	if (__atomic_load_n(&ahead->score, __ATOMIC_RELAXED) == 0)
		return;
	lock_take(&ahead->lock);
	set_score(ahead, ahead->score > n ? ahead->score - n : 0);
	lock_release(&ahead->lock);
}

void
ahead_turn_off(struct ahead *ahead)
{
	lock_take(&ahead->lock);
	ahead->is_off = true;
	set_score(ahead, 0);
	lock_release(&ahead->lock);
}

static long
count_sleeps(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nvcsw : 0;
}

void
ahead_begin_timing(struct ahead_timing *timing)
{
	if (timing->slow > 0)
		timing->sleeps = count_sleeps();
	timing->begun_ns = clock_ns();
}

bool
ahead_end_timing(struct ahead_timing *timing)
{
	timing->took_ns = clock_ns() - timing->begun_ns;
	if (timing->took_ns >= AHEAD_SLOW_NS)
		return timing->slow++ > 0 && count_sleeps() > timing->sleeps;
	timing->slow = 0;
	return false;
}

/* Count a read from storage. */
static void
note_read(struct ahead *ahead, uint64_t took_ns)
{
	const unsigned reading =
		__atomic_fetch_sub(&ahead->reading, 1, __ATOMIC_RELAXED);
	struct storage_waits *waits = &ahead->waits;

	assert(reading > 0);
	if (reading > waits->max)
		waits->max = reading;
	if (took_ns < AHEAD_SLOW_NS) {
		set_score(ahead, ahead->score > 0 ? ahead->score - 1 : 0);
		return;
	}
	waits->n++;
	waits->ns += took_ns;
	set_score(ahead, ahead->score + WAIT_POINTS);
}

/* Readers -------------------------------------------------------------------- */

/* Begin with a mode and its number of readers. */
static void
set_mode(struct ring *ring, enum ring_mode mode, unsigned wanted)
{
	ring->mode = mode;
	ring->reads_on = true;
	ring->wanted = ring->message->disk ? 1 : wanted;
	ring->at = ring->message->input.length;
}

/* Return whether there is something to read after the pieces of the ring. */
static bool
has_more(const struct ring *ring)
{
	if (!ring->reads_on)
		return false;
	return ring->mode == AHEAD_WHOLE ?
		       ring->message->input.size >= ring->at + LANE_BYTES :
		       ring->readers == 0;
}

/* Return the next piece to read, or NULL. */
static struct piece *
begin_piece(struct ring *ring)
{
	const unsigned waiting = ring->count - ring->is_taken;
	const unsigned room = ring->wanted > FEW_PIECES ? ring->wanted :
							  FEW_PIECES;
	struct ahead *ahead = ring->ahead;
	struct spare_buffer *buffer = ahead->spare_buffers;
	struct piece *piece = piece_at(ring, ring->count);

	assert(ahead->lock.is_held && ring->count <= MAX_PIECES);
	if (waiting >= room || !has_more(ring) ||
	    (waiting > 0 && ahead->pieces >= ALL_PIECES))
		return NULL;
	if (buffer)
		ahead->spare_buffers = buffer->next;
	*piece = (struct piece){ .memory = (uint8_t *)buffer, .at = ring->at };
	ring->at += LANE_BYTES;
	ring->reads_on = ring->mode != AHEAD_ONCE;
	ring->count++;
	ahead->pieces++;
	return piece;
}

/* Return where the bytes go.  Buffers lie in the sets of a cache as lanes do. */
static uint8_t *
data_of(const struct ring *ring, const struct piece *piece)
{
	return piece->memory +
	       ring->message->job.seq * SHA256_BLOCK_BYTES % CACHE_WAY_BYTES;
}

/* Read what comes next of the input, or leave to a lane what there is to do. */
static void
read_next(struct ring *ring, struct piece *piece)
{
	struct input *in = &ring->message->input;
	const bool is_stream = ring->mode == AHEAD_STREAM;

	if (!is_stream)
		in->patience = INPUT_FOR_DRIVES;
	piece->result = input_step(in, data_of(ring, piece), LANE_BYTES,
				   is_stream, &piece->blocks);
	if (!is_stream)
		in->patience = INPUT_FOR_NOTHING;
}

static void
read_whole(const struct ring *ring, struct piece *piece)
{
	const struct input *in = &ring->message->input;
	const uint64_t at = in->start + piece->at;
	uint8_t *data = data_of(ring, piece);
	/* The input is another thread's. */
	struct holes holes = { .any = in->holes.any };
	size_t have = 0;
	ssize_t got;

	if (holes_cover(&holes, in->fd, at, LANE_BYTES)) {
		memset(data, 0, LANE_BYTES);
		have = LANE_BYTES;
	}
	while (have < LANE_BYTES) {
		got = pread(in->fd, data + have, LANE_BYTES - have,
			    (off_t)(at + have));
		if (got == 0 || (got < 0 && errno != EINTR))
			return;
		have += got > 0 ? (size_t)got : 0;
	}
	piece->result = INPUT_BLOCKS;
	piece->blocks =
		(struct input_blocks){ .data = data,
				       .n = LANE_BYTES / SHA256_BLOCK_BYTES,
				       .message_bytes = LANE_BYTES };
}

/* Fill a piece.  Without memory for it its lane has to read, and to wait.  No lock
 * held. */
static void
fill(struct ring *ring, struct piece *piece)
{
	if (!piece->memory)
		piece->memory = aligned_alloc(SHA256_BLOCK_BYTES,
					      ring->ahead->buffer_bytes);
	piece->result = INPUT_LATER;
	if (ring->mode == AHEAD_WHOLE && piece->memory)
		read_whole(ring, piece);
	else if (piece->memory)
		read_next(ring, piece);
	else if (ring->mode == AHEAD_ONCE)
		ring->message->input.patience = INPUT_FOR_ALL;
}

/* End the piece, which has been filled or is not there. */
static void
end_piece(struct ring *ring, struct piece *piece)
{
	const enum input_result result = piece->result;

	assert(ring->ahead->lock.is_held && !piece->is_filled);
	piece->is_filled = true;
	ring->reads_on &= result == INPUT_BLOCKS && !piece->blocks.is_last;
	ring->why = result == INPUT_LACKING ? HANDOVER_LACKING :
		    result == INPUT_EARLY   ? HANDOVER_EARLY :
					      HANDOVER_READY;
	/* A lane looks itself what to do where nothing was read.  Of a file that
	 * is shorter than it was others may still be reading pieces. */
	if (result != INPUT_BLOCKS && result != INPUT_ENDED &&
	    ring->mode != AHEAD_WHOLE)
		drop_piece(ring, piece);
}

static void
count_readers(struct ring *ring, int more)
{
	ring->readers += (unsigned)more;
	ring->ahead->readers += (unsigned)more;
}

/* Return whether a lane can go on: there is a piece for it, or no reader any more
 * that might use the input. */
static bool
is_ready(struct ring *ring)
{
	const struct piece *next = piece_at(ring, 0);

	return ring->readers == 0 || (ring->count > 0 && next->is_filled &&
				      next->result == INPUT_BLOCKS);
}

/* Put the message into the handover if it is awaited there, and ready. */
static void
put_if_ready(struct ring *ring)
{
	if (!ring->is_awaited || !is_ready(ring))
		return;
	ring->is_awaited = false;
	handover_put(&ring->ahead->run->sequencer, ring->message, ring->why);
}

/* Fill the piece, and others while there is room for them, as a task of the
 * pool. */
static void
run_reader(struct task *task)
{
	struct reader *self = (struct reader *)task;
	struct ring *ring = self->ring;
	struct ahead *ahead = ring->ahead;
	const bool is_storage = ring->mode != AHEAD_STREAM;
	bool was_slow, goes_on;

	do {
		/* Sleeps count: a reader is not alone on its processor. */
		struct ahead_timing timing = { .slow = 1 };

		__atomic_add_fetch(&ahead->reading, is_storage,
				   __ATOMIC_RELAXED);
		ahead_begin_timing(&timing);
		fill(ring, self->piece);
		was_slow = ahead_end_timing(&timing);
		lock_take(&ahead->lock);
		ring->was_slow = was_slow && is_storage;
		if (is_storage)
			note_read(ahead, timing.took_ns);
		end_piece(ring, self->piece);
		self->piece = begin_piece(ring);
		goes_on = self->piece != NULL;
		if (!goes_on)
			count_readers(ring, -1);
		/* After the ring is as it will stay: a lane may take the message. */
		put_if_ready(ring);
		lock_release(&ahead->lock);
	} while (goes_on);
}

/* Post readers, as many as are wanted and have a piece to read.  Return whether there
 * is any. */
static bool
post_readers(struct ring *ring)
{
	struct ahead *ahead = ring->ahead;
	struct reader *reader = ring->tasks;

	for (; ring->readers < ring->wanted; reader++) {
		/* Half of the threads are for messages that have none. */
		if (ring->readers > 0 &&
		    2 * ahead->readers >= ahead->max_readers)
			break;
		if (reader->piece)
			continue;
		reader->piece = begin_piece(ring);
		if (!reader->piece)
			break;
		reader->ring = ring;
		reader->task.run = run_reader;
		if (!pool_post(ahead->run->config->pool, &reader->task)) {
			__atomic_store_n(&ahead->is_possible, false,
					 __ATOMIC_RELAXED);
			set_score(ahead, 0);
			drop_piece(ring, reader->piece);
			reader->piece = NULL;
			ring->reads_on = false;
			break;
		}
		count_readers(ring, 1);
	}
	return ring->readers > 0;
}

/* Messages ---------------------------------------------------------------------- */

/* Have a reader fill the first piece, if there is none.  Return false if threads or
 * memory are short. */
static bool
ask(struct ahead *ahead, struct message *message)
{
	struct ring *ring = have_ring(ahead, message);
	const struct input *in = &message->input;

	if (!ring)
		return false;
	assert(!ring->is_taken && !ring->is_awaited);
	ring->why = HANDOVER_READY;
	if (ring->count == 0 && !has_more(ring))
		set_mode(ring,
			 ring->was_slow && in->tail_bytes == 0 &&
					 input_left(in) >= LANE_BYTES ?
				 AHEAD_WHOLE :
				 AHEAD_ONCE,
			 2);
	else if (ring->was_slow && !message->disk &&
		 2 * ring->wanted <= AHEAD_READERS)
		ring->wanted *= 2;
	return post_readers(ring) || ring->count > 0;
}

void
ahead_give(struct ahead *ahead, struct message *message)
{
	struct sequencer *sequencer = &ahead->run->sequencer;

	lock_take(&ahead->lock);
	handover_put(sequencer, message, HANDOVER_POOL);
	if (ask(ahead, message)) {
		message->ring->is_awaited = true;
		put_if_ready(message->ring);
	} else {
		message->input.patience = INPUT_FOR_ALL;
		handover_put(sequencer, message, HANDOVER_READY);
	}
	lock_release(&ahead->lock);
}

bool
ahead_begin(struct ahead *ahead, struct message *message)
{
	const struct input *in = &message->input;
	const bool is_whole = in->is_regular && in->tail_bytes == 0;
	struct ring *ring;
	bool begun;

	/* The more a pipe holds, the less its writer sleeps. */
	if (!in->is_regular)
		fcntl(in->fd, F_SETPIPE_SZ, PIPE_BYTES);
	lock_take(&ahead->lock);
	ring = have_ring(ahead, message);
	if (ring)
		set_mode(ring, is_whole ? AHEAD_WHOLE : AHEAD_STREAM, 1);
	begun = ring && post_readers(ring);
	lock_release(&ahead->lock);
	return begun;
}

/* Take the next piece, as ahead_take does. */
static bool
take(struct ring *ring, enum input_result *result, struct input_blocks *blocks)
{
	struct input *in = &ring->message->input;
	const struct piece *next;

	assert(ring->ahead->lock.is_held && !ring->is_awaited);
	if (ring->is_taken)
		drop_first(ring);
	if (ring->count == 0)
		post_readers(ring);
	next = piece_at(ring, 0);
	if (!is_ready(ring)) {
		*result = INPUT_BLOCKED;
		return true;
	}
	if (ring->count == 0 || next->result == INPUT_LATER) {
		/* The file is not what it was, or memory is short. */
		if (ring->count > 0)
			in->patience = INPUT_FOR_ALL;
		while (ring->count > 0)
			drop_first(ring);
		ring->reads_on = false;
		return false;
	}
	*result = next->result;
	*blocks = next->blocks;
	ring->is_taken = true;
	if (ring->mode == AHEAD_WHOLE)
		input_skip(in, LANE_BYTES);
	if (2 * ring->count <= FEW_PIECES || 2 * ring->count <= ring->wanted)
		post_readers(ring);
	return true;
}

bool
ahead_take(struct ahead *ahead, struct message *message,
	   enum input_result *result, struct input_blocks *blocks)
{
	bool taken;

	if (!message->ring)
		return false;
	lock_take(&ahead->lock);
	taken = take(message->ring, result, blocks);
	lock_release(&ahead->lock);
	return taken;
}

void
ahead_give_back(struct ahead *ahead, struct message *message)
{
	if (!message->ring)
		return;
	lock_take(&ahead->lock);
	if (message->ring->is_taken)
		drop_first(message->ring);
	lock_release(&ahead->lock);
}

bool
ahead_has_pieces(struct ahead *ahead, const struct message *message)
{
	const struct ring *ring = message->ring;
	bool any;

	if (!ring)
		return false;
	lock_take(&ahead->lock);
	any = ring->count > ring->is_taken;
	lock_release(&ahead->lock);
	return any;
}

/* End all readers; the lock is released meanwhile. */
static void
end_readers(struct ring *ring)
{
	struct ahead *ahead = ring->ahead;

	ring->reads_on = false;
	for (unsigned i = 0; i < AHEAD_READERS && ring->readers > 0; i++) {
		struct reader *reader = &ring->tasks[i];

		if (!reader->piece)
			continue;
		lock_release(&ahead->lock);
		pool_recall(ahead->run->config->pool, &reader->task);
		lock_take(&ahead->lock);
		if (reader->piece)
			count_readers(ring, -1);
		reader->piece = NULL;
	}
	assert(ring->readers == 0);
}

void
ahead_stop(struct ahead *ahead, struct message *message)
{
	struct ring *ring = message->ring;

	if (!ring)
		return;
	lock_take(&ahead->lock);
	end_readers(ring);
	while (ring->count > 0)
		drop_first(ring);
	message->ring = NULL;
	ring->next = ahead->spare_rings;
	ahead->spare_rings = ring;
	lock_release(&ahead->lock);
}
