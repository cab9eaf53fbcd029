/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/ahead.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/lanes/buffer_layout.h"
#include "src/lanes/message.h"
#include "src/lanes/run.h"

enum {
	PIPE_BYTES = 1 << 20,
	/* Of all messages; while there are more, each has one piece. */
	MAX_PIECES = FETCHERS + FETCHERS / 2
};

struct piece {
	uint8_t *memory; /* from malloc(3), or NULL */
	uint64_t at;	 /* of a whole piece in its message */
	bool is_filled;
	enum input_answer answer; /* INPUT_LATER: a lane has to look itself */
	struct input_blocks blocks;
};

/* A task that fills a piece, and then others. */
struct piece_reader {
	struct task task; /* the first member */
	struct ahead *ahead;
	struct piece *piece; /* NULL if it is not posted */
};

struct ahead {
	struct fetch *fetch;
	struct message *message;
	enum {
		AHEAD_ONCE,  /* open the input, if need be, and read once */
		AHEAD_WHOLE, /* read whole pieces, from `at` on */
		AHEAD_STREAM /* read on and on, by one reader */
	} mode;
	unsigned first, count;
	bool is_taken;	  /* the first one, by a lane */
	unsigned reading; /* pieces, of `count` */
	unsigned readers; /* posted */
	unsigned wanted;  /* readers */
	unsigned max_readers;
	bool is_awaited;	  /* the first piece, by fetch */
	bool was_slow;		  /* the last read, and its thread slept */
	bool once;		  /* a piece is to be read in that mode */
	enum input_answer answer; /* of the last read */
	bool is_over;		  /* nothing more is to be read on */
	uint64_t at;		  /* of the next whole piece */
	struct piece pieces[AHEAD_PIECES];
	struct piece_reader tasks[AHEAD_READERS];
};

static struct piece *
piece_at(struct ahead *ahead, unsigned i)
{
	return &ahead->pieces[(ahead->first + i) % AHEAD_PIECES];
}

/* Return whether no reader will touch the ring any more, so that who has the message
 * may look at it without the lock. */
static bool
is_alone(const struct ahead *ahead)
{
	return __atomic_load_n(&ahead->readers, __ATOMIC_ACQUIRE) == 0;
}

static void
count_readers(struct ahead *ahead, int more)
{
	assert(ahead->fetch->lock.is_held);
	__atomic_store_n(&ahead->readers, ahead->readers + (unsigned)more,
			 __ATOMIC_RELEASE);
	ahead->fetch->readers += (unsigned)more;
}

/* Memory --------------------------------------------------------------------- */

/* Return the message's ring; NULL when memory is short. */
static struct ahead *
have_ahead(struct fetch *fetch, struct message *message)
{
	struct ahead *ahead = message->ahead;

	if (ahead)
		return ahead;
	ahead = message->ahead = calloc(1, sizeof(*ahead));
	if (!ahead)
		return NULL;
	ahead->fetch = fetch;
	ahead->message = message;
	ahead->max_readers = AHEAD_READERS;
	return ahead;
}

void
ahead_free(struct ahead *ahead)
{
	assert(!ahead || (ahead->count == 0 && ahead->readers == 0));
	free(ahead);
}

static void
drop_piece(struct ahead *ahead, struct piece *piece)
{
	assert(ahead->count > 0);
	fetch_drop_buffer(ahead->fetch, piece->memory);
	piece->memory = NULL;
	ahead->count--;
	ahead->fetch->pieces--;
}

static void
drop_first(struct ahead *ahead)
{
	drop_piece(ahead, piece_at(ahead, 0));
	ahead->first = (ahead->first + 1) % AHEAD_PIECES;
	ahead->is_taken = false;
}

/* Filling -------------------------------------------------------------------- */

/* Return how many pieces may be filled or being read. */
static unsigned
room(const struct ahead *ahead)
{
	if (ahead->mode == AHEAD_ONCE)
		return 1;
	return ahead->wanted > AHEAD_FEW ? ahead->wanted : AHEAD_FEW;
}

/* Return whether there is something to read after the pieces of the ring. */
static bool
has_more(const struct ahead *ahead)
{
	switch (ahead->mode) {
	case AHEAD_WHOLE:
		return !ahead->is_over &&
		       ahead->message->input.size >= ahead->at + LANE_BYTES;
	case AHEAD_STREAM: return !ahead->is_over && ahead->reading == 0;
	default: return ahead->once;
	}
}

/* Return the next piece to read, or NULL. */
static struct piece *
begin_piece(struct ahead *ahead)
{
	const unsigned waiting = ahead->count - ahead->is_taken;
	struct fetch *fetch = ahead->fetch;
	struct piece *piece = piece_at(ahead, ahead->count);

	assert(fetch->lock.is_held);
	assert(ahead->count <= AHEAD_PIECES && ahead->reading <= ahead->count);
	if (waiting >= room(ahead) || !has_more(ahead) ||
	    (waiting > 0 && fetch->pieces >= MAX_PIECES))
		return NULL;
	*piece = (struct piece){ .at = ahead->at };
	ahead->once = false;
	ahead->at += LANE_BYTES;
	ahead->count++;
	ahead->reading++;
	fetch->pieces++;
	piece->memory = fetch_take_buffer(fetch);
	return piece;
}

/* Return where the bytes go.  Buffers lie in the sets of a cache as lanes do. */
static uint8_t *
data_of(const struct ahead *ahead, const struct piece *piece)
{
	return piece->memory +
	       ahead->message->job->seq * SHA256_BLOCK_BYTES % CACHE_WAY_BYTES;
}

/* Read what comes next of the input, or leave to a lane what there is to do. */
static void
read_next(struct ahead *ahead, struct piece *piece)
{
	struct input *in = &ahead->message->input;
	const bool is_stream = ahead->mode == AHEAD_STREAM;

	/* Without memory its lane reads it. */
	if (!is_stream)
		in->patience = piece->memory ? INPUT_FOR_DRIVES : INPUT_FOR_ALL;
	if (!piece->memory)
		return;
	piece->answer = input_step(in, data_of(ahead, piece), LANE_BYTES,
				   is_stream, &piece->blocks);
	if (!is_stream)
		in->patience = INPUT_FOR_NOTHING;
}

static void
read_whole(const struct ahead *ahead, struct piece *piece)
{
	const struct input *in = &ahead->message->input;
	const uint64_t at = in->start + piece->at;
	uint8_t *data = data_of(ahead, piece);
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
	piece->answer = INPUT_BLOCKS;
	piece->blocks =
		(struct input_blocks){ .data = data,
				       .n = LANE_BYTES / SHA256_BLOCK_BYTES,
				       .message_bytes = LANE_BYTES };
}

/* Fill a piece.  Return whether that took long; of a piece among others only if the
 * thread slept, since it is not alone on its processor.  No lock held. */
static bool
fill(struct ahead *ahead, struct piece *piece, struct fetch_timing *timing)
{
	bool slept;

	if (!piece->memory)
		piece->memory = aligned_alloc(SHA256_BLOCK_BYTES,
					      ahead->fetch->buffer_bytes);
	timing->slow = ahead->mode != AHEAD_ONCE;
	fetch_begin_timing(timing);
	piece->answer = INPUT_LATER;
	if (ahead->mode != AHEAD_WHOLE)
		read_next(ahead, piece);
	else if (piece->memory)
		read_whole(ahead, piece);
	slept = fetch_end_timing(timing);
	return ahead->mode == AHEAD_ONCE ? timing->took_ns >= FETCH_SLOW_NS :
					   slept;
}

/* Return whether a lane can go on: there is a piece for it, or no reader any more
 * that might use the input. */
static bool
is_ready(struct ahead *ahead)
{
	const struct piece *next = piece_at(ahead, 0);

	return ahead->reading == 0 ||
	       (next->is_filled && next->answer == INPUT_BLOCKS);
}

/* Report to fetch that the message is ready, if it awaits that. */
static void
tell_fetch(struct ahead *ahead)
{
	if (!ahead->is_awaited || !is_ready(ahead))
		return;
	ahead->is_awaited = false;
	fetch_make_ready(ahead->fetch, ahead->message, ahead->answer);
}

/* End the piece, which has been filled or is not there. */
static void
end_piece(struct ahead *ahead, struct piece *piece)
{
	assert(ahead->fetch->lock.is_held);
	assert(ahead->reading > 0 && !piece->is_filled);
	piece->is_filled = true;
	ahead->reading--;
	ahead->answer = piece->answer;
	if (ahead->mode != AHEAD_ONCE)
		ahead->is_over |= piece->answer != INPUT_BLOCKS ||
				  piece->blocks.is_last;
	/* A lane looks itself what to do where nothing was read.  Of a file that
	 * is shorter than it was others may still be reading pieces. */
	if (piece->answer != INPUT_BLOCKS && piece->answer != INPUT_ENDED &&
	    ahead->mode != AHEAD_WHOLE)
		drop_piece(ahead, piece);
}

/* Forget the last piece, which was begun and will not be read. */
static void
forget_piece(struct ahead *ahead, struct piece *piece)
{
	ahead->reading--;
	ahead->once = ahead->mode == AHEAD_ONCE;
	ahead->at -= LANE_BYTES;
	drop_piece(ahead, piece);
}

/* Fill the piece, and others while there is room for them, as a task of the
 * pool. */
static void
run_reader(struct task *task)
{
	struct piece_reader *self = (struct piece_reader *)task;
	struct ahead *ahead = self->ahead;
	struct fetch *fetch = ahead->fetch;
	struct fetch_timing timing = { .slow_ns = 0 };
	bool goes_on;

	do {
		const bool is_storage = ahead->mode != AHEAD_STREAM;
		bool was_slow;

		__atomic_add_fetch(&fetch->reading, is_storage,
				   __ATOMIC_RELAXED);
		was_slow = fill(ahead, self->piece, &timing);
		lock_take(&fetch->lock);
		if (is_storage) {
			ahead->was_slow = was_slow;
			fetch_note_read(fetch, timing.took_ns);
		}
		end_piece(ahead, self->piece);
		self->piece = begin_piece(ahead);
		goes_on = self->piece != NULL;
		if (!goes_on)
			count_readers(ahead, -1);
		/* Only now, since fetch or the lane may take the message. */
		tell_fetch(ahead);
		lock_release(&fetch->lock);
	} while (goes_on);
}

/* Post readers, as many as are wanted and have a piece to read.  Return whether there
 * is any. */
static bool
post_readers(struct ahead *ahead)
{
	struct fetch *fetch = ahead->fetch;
	struct piece_reader *reader = ahead->tasks;

	for (; ahead->readers < ahead->wanted; reader++) {
		/* Half of the threads are for messages that have none. */
		if (ahead->readers > 0 && 2 * fetch->readers >= fetch->threads)
			break;
		if (reader->piece)
			continue;
		reader->piece = begin_piece(ahead);
		if (!reader->piece)
			break;
		reader->ahead = ahead;
		reader->task.run = run_reader;
		if (!pool_post(fetch->run->config->pool, &reader->task)) {
			forget_piece(ahead, reader->piece);
			reader->piece = NULL;
			break;
		}
		count_readers(ahead, 1);
	}
	return ahead->readers > 0;
}

/* Let as many readers as there may be read on from here. */
static void
go_on(struct ahead *ahead, unsigned wanted)
{
	const struct input *in = &ahead->message->input;

	ahead->mode = in->is_regular && in->tail_bytes == 0 ? AHEAD_WHOLE :
							      AHEAD_STREAM;
	if (ahead->mode == AHEAD_STREAM)
		ahead->max_readers = 1;
	ahead->wanted = wanted < ahead->max_readers ? wanted :
						      ahead->max_readers;
	ahead->at = in->length;
}

/* Giving --------------------------------------------------------------------- */

bool
ahead_ask(struct fetch *fetch, struct message *message)
{
	struct ahead *ahead = have_ahead(fetch, message);
	const struct input *in = &message->input;

	if (!ahead)
		return false;
	assert(!ahead->is_taken && !ahead->is_awaited);
	if (ahead->count > 0 ||
	    (ahead->mode != AHEAD_ONCE && has_more(ahead))) {
		/* It waits again. */
		if (ahead->was_slow && 2 * ahead->wanted <= ahead->max_readers)
			ahead->wanted *= 2;
	} else if (ahead->was_slow && !ahead->is_over && in->tail_bytes == 0 &&
		   input_left(in) >= LANE_BYTES) {
		go_on(ahead, 2);
	} else {
		ahead->mode = AHEAD_ONCE;
		ahead->once = true;
		ahead->wanted = 1;
	}
	assert(ahead->count > 0 || has_more(ahead));
	if (has_more(ahead) && !post_readers(ahead) && ahead->count == 0)
		return false;
	ahead->is_awaited = true;
	if (ahead->count > 0)
		tell_fetch(ahead);
	return true;
}

bool
ahead_begin(struct fetch *fetch, struct message *message, unsigned max_readers)
{
	struct ahead *ahead;
	bool begun;

	/* The more a pipe holds, the less its writer sleeps. */
	if (!message->input.is_regular)
		fcntl(message->input.fd, F_SETPIPE_SZ, PIPE_BYTES);
	lock_take(&fetch->lock);
	ahead = have_ahead(fetch, message);
	begun = ahead && !ahead->is_over;
	if (begun) {
		ahead->max_readers = max_readers;
		go_on(ahead, 1);
		begun = post_readers(ahead);
		if (!begun)
			ahead->mode = AHEAD_ONCE;
	}
	lock_release(&fetch->lock);
	return begun;
}

/* A lane's ------------------------------------------------------------------- */

bool
ahead_has_pieces(struct fetch *fetch, const struct message *message)
{
	const struct ahead *ahead = message->ahead;
	bool any;

	if (!ahead)
		return false;
	if (is_alone(ahead))
		return ahead->count > ahead->is_taken;
	lock_take(&fetch->lock);
	any = ahead->readers > 0 || ahead->count > ahead->is_taken;
	lock_release(&fetch->lock);
	return any;
}

/* Take the next piece, as ahead_take does. */
static bool
take(struct ahead *ahead, enum input_answer *answer,
     struct input_blocks *blocks)
{
	const struct piece *next = piece_at(ahead, 0);

	assert(ahead->fetch->lock.is_held && !ahead->is_awaited);
	if (ahead->is_taken) {
		drop_first(ahead);
		next = piece_at(ahead, 0);
	}
	if ((ahead->count == 0 && ahead->mode != AHEAD_ONCE &&
	     has_more(ahead) && post_readers(ahead)) ||
	    (ahead->count > 0 && !is_ready(ahead))) {
		*answer = INPUT_BLOCKED;
		return true;
	}
	if (ahead->count == 0 || next->answer == INPUT_LATER) {
		while (ahead->count > 0)
			drop_first(ahead);
		ahead->mode = AHEAD_ONCE;
		ahead->once = false;
		return false;
	}
	*answer = next->answer;
	*blocks = next->blocks;
	ahead->is_taken = true;
	if (ahead->count - 1 <= room(ahead) / 2 && has_more(ahead))
		post_readers(ahead);
	return true;
}

bool
ahead_take(struct fetch *fetch, struct message *message,
	   enum input_answer *answer, struct input_blocks *blocks)
{
	struct ahead *ahead = message->ahead;
	bool is_whole, taken;

	if (!ahead ||
	    (is_alone(ahead) && ahead->count == 0 && ahead->mode == AHEAD_ONCE))
		return false;
	lock_take(&fetch->lock);
	is_whole = ahead->mode == AHEAD_WHOLE;
	taken = take(ahead, answer, blocks);
	lock_release(&fetch->lock);
	if (taken && *answer == INPUT_BLOCKS && is_whole)
		input_skip(&message->input, LANE_BYTES);
	return taken;
}

void
ahead_give_back(struct fetch *fetch, struct message *message)
{
	struct ahead *ahead = message->ahead;

	if (!ahead || (is_alone(ahead) && !ahead->is_taken))
		return;
	lock_take(&fetch->lock);
	if (ahead->is_taken)
		drop_first(ahead);
	lock_release(&fetch->lock);
}

/* End all readers and drop all pieces; the lock is released meanwhile. */
static void
end_readers(struct ahead *ahead)
{
	struct fetch *fetch = ahead->fetch;

	ahead->is_over = true;
	ahead->once = false;
	for (unsigned i = 0; i < AHEAD_READERS && ahead->readers > 0; i++) {
		struct piece_reader *reader = &ahead->tasks[i];

		if (!reader->piece)
			continue;
		lock_release(&fetch->lock);
		pool_recall(fetch->run->config->pool, &reader->task);
		lock_take(&fetch->lock);
		if (reader->piece) {
			end_piece(ahead, reader->piece);
			count_readers(ahead, -1);
		}
		reader->piece = NULL;
	}
	assert(ahead->reading == 0);
	while (ahead->count > 0)
		drop_first(ahead);
}

void
ahead_stop(struct fetch *fetch, struct message *message)
{
	struct ahead *ahead = message->ahead;

	if (!ahead)
		return;
	if (!is_alone(ahead) || ahead->count > 0) {
		lock_take(&fetch->lock);
		end_readers(ahead);
		lock_release(&fetch->lock);
	}
	ahead->mode = AHEAD_ONCE;
	ahead->max_readers = AHEAD_READERS;
	ahead->once = ahead->is_over = ahead->was_slow = false;
}
