/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cpu/sha256many.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/features.h"
#include "cpu/kernels.h"
#include "cpu/sha256.h"
#include "cpu/side_by_side.h"

_Static_assert((int)SHA256MANY_DIGEST_BYTES == (int)SHA256_DIGEST_BYTES,
	       "the digests of the library are those of its kernels");

/* FIPS 180-4, 5.1.1: the length in bits is stored in 64 bits. */
#define MAX_BYTES (((uint64_t)1 << 61) - 1)

/* A bit that no feature has. */
#define KNOWN (1u << 31)

/*
 * Return the features of this CPU.  The library remembers one word only: threads
 * that measure at the same time may find either kernel faster, but both run here,
 * and any of them may store its result.
 */
static uint32_t
features(void)
{
	static _Atomic uint32_t known;
	uint32_t found = atomic_load_explicit(&known, memory_order_relaxed);

	if (!found) {
		found = cpu_kernels_measure(cpu_features_detect()) | KNOWN;
		atomic_store_explicit(&known, found, memory_order_relaxed);
	}
	return found;
}

const char *
sha256many_version(void)
{
	return PACKAGE_VERSION;
}

const char *
sha256many_status_text(enum sha256many_status status)
{
	switch (status) {
	case SHA256MANY_OK: return "success";
	case SHA256MANY_TOO_LONG: return "a message has 2^61 bytes or more";
	case SHA256MANY_NO_DATA: return "the pointer to the data is null";
	case SHA256MANY_NO_STREAM: return "the context has no such stream";
	case SHA256MANY_FINISHED: return "the stream is finished";
	case SHA256MANY_INVALID: return "the context or an array is null";
	}
	return "unknown status";
}

unsigned
sha256many_lanes(void)
{
	return cpu_kernel_choose(features(), CPU_LANES)->lanes;
}

const char *
sha256many_kernel(size_t messages)
{
	const unsigned n = messages < 1		? 1 :
			   messages > CPU_LANES ? CPU_LANES :
						  (unsigned)messages;

	return cpu_kernel_choose(features(), n)->name;
}

/* Calls --------------------------------------------------------------------- */

enum {
	SLOT_BLOCKS = 4, /* the room of a slot */
	/* A lane counts its blocks in 32 bits. */
	MAX_LANE_BLOCKS = 1 << 30
};

/* The work of a call in one lane: blocks at two places; the second may have
 * none. */
struct slot {
	bool in_use;
	size_t item; /* its number in the call */
	const uint8_t *data[2];
	size_t nblocks[2];
	/* Room for blocks that are not in memory as they have to be hashed. */
	uint8_t bytes[SLOT_BLOCKS * SHA256_BLOCK_BYTES];
};

struct call {
	void *self;
	/* Fill a slot and the state before its blocks.  Return false if there is
	 * nothing to do, at least until another slot has ended. */
	bool (*next)(void *self, struct slot *, uint32_t *state);
	/* All blocks of a slot have been hashed. */
	void (*ended)(void *self, const struct slot *, const uint32_t *state);
	struct slot slots[CPU_LANES];
};

static bool
more_blocks(void *call_, unsigned i, struct engine_lane *lane)
{
	struct call *const call = call_;
	struct slot *const slot = &call->slots[i];

	if (slot->nblocks[0] == 0) {
		slot->data[0] = slot->data[1];
		slot->nblocks[0] = slot->nblocks[1];
		slot->nblocks[1] = 0;
	}
	if (slot->nblocks[0] == 0)
		return false;
	lane->data = slot->data[0];
	lane->nblocks = slot->nblocks[0] < MAX_LANE_BLOCKS ?
				(uint32_t)slot->nblocks[0] :
				MAX_LANE_BLOCKS;
	slot->data[0] += (size_t)lane->nblocks * SHA256_BLOCK_BYTES;
	slot->nblocks[0] -= lane->nblocks;
	return true;
}

static bool
next_blocks(void *call_, unsigned i, struct engine_lane *lane)
{
	struct call *const call = call_;
	struct slot *const slot = &call->slots[i];

	if (slot->in_use)
		call->ended(call->self, slot, lane->state);
	slot->in_use = call->next(call->self, slot, lane->state);
	return slot->in_use && more_blocks(call, i, lane);
}

/* Hash all that the call has, in at most `lanes` lanes. */
static void
run(struct call *call, unsigned lanes)
{
	for (unsigned i = 0; i < CPU_LANES; i++)
		call->slots[i].in_use = false;
	side_by_side_run(features(), lanes,
			 &(struct side_by_side_supply){ .self = call,
							.more = more_blocks,
							.next = next_blocks });
}

/* Whole messages ------------------------------------------------------------ */

static enum sha256many_status
check_message(const void *data, uint64_t bytes)
{
	if (bytes > MAX_BYTES)
		return SHA256MANY_TOO_LONG;
	return data || bytes == 0 ? SHA256MANY_OK : SHA256MANY_NO_DATA;
}

/* Set a slot to the blocks of a message: those in memory, then a copy of its end
 * with the padding.  A short message is copied as a whole. */
static void
set_message(struct slot *slot, const uint8_t *message, size_t bytes)
{
	const size_t whole =
		bytes < (SLOT_BLOCKS - 1) * SHA256_BLOCK_BYTES ?
			0 :
			bytes / SHA256_BLOCK_BYTES * SHA256_BLOCK_BYTES;
	const size_t before = (bytes - whole) / SHA256_BLOCK_BYTES;
	uint8_t *const last = slot->bytes + before * SHA256_BLOCK_BYTES;
	const unsigned second = whole > 0;

	slot->data[0] = message;
	slot->nblocks[0] = whole / SHA256_BLOCK_BYTES;
	slot->nblocks[1] = 0;
	if (bytes > whole)
		memcpy(slot->bytes, message + whole, bytes - whole);
	slot->data[second] = slot->bytes;
	slot->nblocks[second] =
		before + sha256_pad(last, bytes % SHA256_BLOCK_BYTES, bytes);
}

enum {
	/* The last messages of a call are begun longest first, so that lanes end
	 * together. */
	LAST = 64
};

struct messages {
	size_t n, next;
	const struct sha256many_message *messages;
	unsigned char (*digests)[SHA256MANY_DIGEST_BYTES];
	size_t nlast, last[LAST];
};

static void
order_last(struct messages *self)
{
	const size_t first = self->n > LAST ? self->n - LAST : 0;

	for (size_t i = first; i < self->n; i++) {
		size_t place = self->nlast++;

		for (; place > 0; place--) {
			const size_t other = self->last[place - 1];

			if (self->messages[other].bytes >=
			    self->messages[i].bytes)
				break;
			self->last[place] = other;
		}
		self->last[place] = i;
	}
}

static bool
next_message(void *self_, struct slot *slot, uint32_t *state)
{
	struct messages *const self = self_;

	if (self->next == self->n)
		return false;
	slot->item = self->next++;
	if (slot->item >= self->n - self->nlast)
		slot->item = self->last[slot->item - (self->n - self->nlast)];
	set_message(slot, self->messages[slot->item].data,
		    self->messages[slot->item].bytes);
	memcpy(state, sha256_initial, sizeof(sha256_initial));
	return true;
}

static void
message_ended(void *self_, const struct slot *slot, const uint32_t *state)
{
	struct messages *const self = self_;

	sha256_digest(state, self->digests[slot->item]);
}

enum sha256many_status
sha256many_hash(size_t n, const struct sha256many_message *messages,
		unsigned char (*digests)[SHA256MANY_DIGEST_BYTES])
{
	struct messages self;
	struct call call;

	if (n > 0 && (!messages || !digests))
		return SHA256MANY_INVALID;
	for (size_t i = 0; i < n; i++) {
		const enum sha256many_status status =
			check_message(messages[i].data, messages[i].bytes);

		if (status != SHA256MANY_OK)
			return status;
	}
	if (n == 0)
		return SHA256MANY_OK;
	if (n == 1)
		return sha256many_hash_one(messages[0].data, messages[0].bytes,
					   digests[0]);
	self.n = n;
	self.next = self.nlast = 0;
	self.messages = messages;
	self.digests = digests;
	if (n > sha256many_lanes())
		order_last(&self);
	call.self = &self;
	call.next = next_message;
	call.ended = message_ended;
	run(&call, CPU_LANES);
	return SHA256MANY_OK;
}

enum sha256many_status
sha256many_hash_one(const void *message, size_t bytes,
		    unsigned char digest[SHA256MANY_DIGEST_BYTES])
{
	const struct cpu_kernel *const kernel =
		cpu_kernel_choose(features(), 1);
	const enum sha256many_status status =
		digest ? check_message(message, bytes) : SHA256MANY_INVALID;
	uint32_t state[SHA256_STATE_WORDS];
	struct cpu_run run;
	struct slot slot;

	if (status != SHA256MANY_OK)
		return status;
	set_message(&slot, message, bytes);
	cpu_run_set_state(&run, kernel, 0, sha256_initial);
	for (int i = 0; i < 2 && slot.nblocks[i] > 0; i++) {
		run.data[0] = slot.data[i];
		cpu_kernel_run(kernel, &run, slot.nblocks[i]);
	}
	cpu_run_get_state(&run, kernel, 0, state);
	sha256_digest(state, digest);
	return SHA256MANY_OK;
}

/* Messages in pieces ---------------------------------------------------------- */

struct stream {
	uint32_t state[SHA256_STATE_WORDS];
	/* The length of the message so far is less than 2^61 bytes. */
	uint64_t bytes;
	/* Its last bytes wait here until they fill a block. */
	uint8_t held[SHA256_BLOCK_BYTES];
	uint8_t held_bytes;
	bool finished;
	bool has_slot;
};

struct sha256many {
	size_t nstreams;
	unsigned lanes;
	struct stream streams[];
};

/* Wipe the message before, and begin another one. */
static void
begin(struct stream *stream)
{
	explicit_bzero(stream, sizeof(*stream));
	memcpy(stream->state, sha256_initial, sizeof(stream->state));
}

struct sha256many *
sha256many_new(size_t streams, unsigned lanes)
{
	struct sha256many *context;

	if (streams > (SIZE_MAX - sizeof(*context)) / sizeof(struct stream))
		return NULL;
	context = malloc(sizeof(*context) + streams * sizeof(struct stream));
	if (!context)
		return NULL;
	context->nstreams = streams;
	context->lanes = lanes == 0 || lanes > CPU_LANES ? CPU_LANES : lanes;
	for (size_t i = 0; i < streams; i++)
		begin(&context->streams[i]);
	return context;
}

void
sha256many_free(struct sha256many *context)
{
	if (context)
		explicit_bzero(context->streams,
			       context->nstreams * sizeof(struct stream));
	free(context);
}

enum sha256many_status
sha256many_restart(struct sha256many *context, size_t stream)
{
	if (!context)
		return SHA256MANY_INVALID;
	if (stream >= context->nstreams)
		return SHA256MANY_NO_STREAM;
	begin(&context->streams[stream]);
	return SHA256MANY_OK;
}

enum sha256many_status
sha256many_copy(struct sha256many *context, size_t to,
		const struct sha256many *other, size_t from)
{
	if (!context || !other)
		return SHA256MANY_INVALID;
	if (to >= context->nstreams || from >= other->nstreams)
		return SHA256MANY_NO_STREAM;
	context->streams[to] = other->streams[from];
	return SHA256MANY_OK;
}

/* A list of pieces, or of ends of messages. */
struct request {
	struct sha256many *context;
	size_t n, next;
	const struct sha256many_piece *pieces;
	const size_t *ends;
	unsigned char (*digests)[SHA256MANY_DIGEST_BYTES];
};

/* Set a slot to the whole blocks that a stream has with this piece, and hold the
 * rest.  Return false if there are no whole blocks. */
static bool
take_piece(struct stream *stream, const struct sha256many_piece *piece,
	   struct slot *slot)
{
	const size_t held = stream->held_bytes;
	const size_t wanted = held > 0 ? SHA256_BLOCK_BYTES - held : 0;
	const uint8_t *data = piece->data;
	size_t bytes = piece->bytes, whole;
	unsigned place = 0;

	if (bytes == 0)
		return false;
	if (held + bytes < SHA256_BLOCK_BYTES) {
		memcpy(stream->held + held, data, bytes);
		stream->held_bytes = (uint8_t)(held + bytes);
		return false;
	}
	slot->nblocks[1] = 0;
	if (held > 0) {
		memcpy(slot->bytes, stream->held, held);
		memcpy(slot->bytes + held, data, wanted);
		slot->data[0] = slot->bytes;
		slot->nblocks[0] = 1;
		data += wanted;
		bytes -= wanted;
		place = 1;
	}
	whole = bytes / SHA256_BLOCK_BYTES;
	slot->data[place] = data;
	slot->nblocks[place] = whole;
	stream->held_bytes = (uint8_t)(bytes % SHA256_BLOCK_BYTES);
	if (stream->held_bytes > 0)
		memcpy(stream->held, data + whole * SHA256_BLOCK_BYTES,
		       stream->held_bytes);
	return true;
}

static bool
next_piece(void *self_, struct slot *slot, uint32_t *state)
{
	struct request *const self = self_;

	for (; self->next < self->n; self->next++) {
		const struct sha256many_piece *const piece =
			&self->pieces[self->next];
		struct stream *const stream =
			&self->context->streams[piece->stream];

		/* The piece before it comes first. */
		if (stream->has_slot)
			return false;
		if (!take_piece(stream, piece, slot))
			continue;
		stream->has_slot = true;
		slot->item = piece->stream;
		memcpy(state, stream->state, sizeof(stream->state));
		self->next++;
		return true;
	}
	return false;
}

static void
piece_ended(void *self_, const struct slot *slot, const uint32_t *state)
{
	struct request *const self = self_;
	struct stream *const stream = &self->context->streams[slot->item];

	memcpy(stream->state, state, sizeof(stream->state));
	stream->has_slot = false;
}

static enum sha256many_status
check_piece(const struct sha256many *context,
	    const struct sha256many_piece *piece)
{
	const struct stream *stream;

	if (piece->stream >= context->nstreams)
		return SHA256MANY_NO_STREAM;
	stream = &context->streams[piece->stream];
	if (stream->finished)
		return SHA256MANY_FINISHED;
	if (piece->bytes > MAX_BYTES - stream->bytes)
		return SHA256MANY_TOO_LONG;
	return check_message(piece->data, piece->bytes);
}

enum sha256many_status
sha256many_update(struct sha256many *context, size_t n,
		  const struct sha256many_piece *pieces)
{
	struct request self = { .context = context, .n = n, .pieces = pieces };
	struct call call;

	if (!context || (n > 0 && !pieces))
		return SHA256MANY_INVALID;
	for (size_t i = 0; i < n; i++) {
		const enum sha256many_status status =
			check_piece(context, &pieces[i]);

		if (status == SHA256MANY_OK) {
			context->streams[pieces[i].stream].bytes +=
				pieces[i].bytes;
			continue;
		}
		while (i-- > 0)
			context->streams[pieces[i].stream].bytes -=
				pieces[i].bytes;
		return status;
	}
	call.self = &self;
	call.next = next_piece;
	call.ended = piece_ended;
	run(&call, context->lanes);
	return SHA256MANY_OK;
}

static bool
next_end(void *self_, struct slot *slot, uint32_t *state)
{
	struct request *const self = self_;
	const struct stream *stream;

	if (self->next == self->n)
		return false;
	slot->item = self->next++;
	stream = &self->context->streams[self->ends[slot->item]];
	memcpy(slot->bytes, stream->held, stream->held_bytes);
	slot->data[0] = slot->bytes;
	slot->nblocks[0] =
		sha256_pad(slot->bytes, stream->held_bytes, stream->bytes);
	slot->nblocks[1] = 0;
	memcpy(state, stream->state, sizeof(stream->state));
	return true;
}

static void
end_ended(void *self_, const struct slot *slot, const uint32_t *state)
{
	struct request *const self = self_;

	struct stream *const stream =
		&self->context->streams[self->ends[slot->item]];

	sha256_digest(state, self->digests[slot->item]);
	explicit_bzero(stream, offsetof(struct stream, held_bytes));
}

enum sha256many_status
sha256many_finish(struct sha256many *context, size_t n, const size_t *streams,
		  unsigned char (*digests)[SHA256MANY_DIGEST_BYTES])
{
	struct request self = {
		.context = context, .n = n, .ends = streams, .digests = digests
	};
	struct call call;

	if (!context || (n > 0 && (!streams || !digests)))
		return SHA256MANY_INVALID;
	for (size_t i = 0; i < n; i++) {
		const bool exists = streams[i] < context->nstreams;

		if (exists && !context->streams[streams[i]].finished) {
			context->streams[streams[i]].finished = true;
			continue;
		}
		while (i-- > 0)
			context->streams[streams[i]].finished = false;
		return exists ? SHA256MANY_FINISHED : SHA256MANY_NO_STREAM;
	}
	call.self = &self;
	call.next = next_end;
	call.ended = end_ended;
	run(&call, context->lanes);
	return SHA256MANY_OK;
}
