/* SPDX-License-Identifier: MIT */
/*
 * chaining: a device made of a CPU engine and base/chained, for tests of what
 * feeds it.  It works between submit and wait on a thread of its own, writes
 * on the slack of its lanes, may cut launches short, and fails when asked to.
 * Header only.
 */
#ifndef TESTS_PIPELINE_CHAINING_H
#define TESTS_PIPELINE_CHAINING_H

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu/engine_cpu.h"
#include "cpu/engine_reference.h"
#include "src/feed/chained.h"

enum { CHAINING_BATCHES = 12, CHAINING_SLACK = 336, CHAINING_PIECES = 16 };

struct chaining {
	/* What it is like; set before a run. */
	unsigned batches, lanes;
	unsigned refuses_at; /* number of the launch, from 1; 0 = never */
	unsigned fails_at;
	bool uneven;	  /* every launch ends with its shortest lane */
	unsigned cuts;	  /* every launch ends after so many blocks; 0 = not */
	unsigned wait_ms; /* a launch takes longer */
	unsigned tight;	  /* bytes of memory that it has; 0 = enough */
	size_t piece_bytes; /* of its limits */
	bool corrupts;	    /* its memory before it hashes */
	/* What was seen; all 0 before a run. */
	unsigned launches, used_after_failure, touched, misplaced;
	unsigned unstaggered; /* not a cache line behind the lane before */
	unsigned most_ends, most_pieces;
	uint32_t most_uneven; /* blocks between lanes of a launch */
	size_t largest;	      /* piece */
	uint32_t blocks;
	/* Its own. */
	void *cpu;
	bool failed;
	pthread_t thread;
	struct batch *given;
	struct batch seen[CHAINING_BATCHES];
	struct batch work[CHAINING_BATCHES];
	uint8_t *pieces[CHAINING_PIECES];
	size_t bytes[CHAINING_PIECES];
	unsigned npieces; /* 0 after a run */
	int opened;	  /* 0 after a run */
};

static struct chaining chaining;

/* As if it were a Raspberry Pi; it is not until the first launches. */
static void
chaining_speed(const void *context, struct engine_speed *speed)
{
	(void)context;
	*speed = (struct engine_speed){ .lanes = chaining.batches * BATCH_LANES,
					.device_rate = 430e6,
					.core_rate = 70e6,
					.copy_rate = 1100e6,
					.file_seconds = 14e-6,
					.look_seconds = 4e-6 };
}

static void *
chaining_open(const void *context, const char *words,
	      struct engine_limits *limits, struct diag *why_not)
{
	struct engine_limits ignored = { 0 };

	(void)context;
	(void)words;
	limits->batches = chaining.batches;
	limits->lanes = chaining.lanes;
	limits->chained = 512;
	limits->slack_bytes = CHAINING_SLACK;
	limits->piece_bytes = chaining.piece_bytes;
	chaining.cpu = engine_open(&engine_reference, "", &ignored, why_not);
	chaining.opened += chaining.cpu != NULL;
	return chaining.cpu ? &chaining : NULL;
}

static void *
chaining_alloc(void *self, size_t bytes)
{
	size_t used = 0;

	(void)self;
	for (unsigned i = 0; i < chaining.npieces; i++)
		used += chaining.bytes[i];
	if (chaining.tight && used + bytes > chaining.tight)
		return NULL;
	if (chaining.npieces == CHAINING_PIECES)
		return NULL;
	chaining.bytes[chaining.npieces] = bytes;
	chaining.pieces[chaining.npieces] =
		aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
	if (bytes > chaining.largest)
		chaining.largest = bytes;
	if (++chaining.npieces > chaining.most_pieces)
		chaining.most_pieces = chaining.npieces;
	return chaining.pieces[chaining.npieces - 1];
}

/* Is all of it in one piece? */
static bool
chaining_has(const uint8_t *begin, const uint8_t *end)
{
	for (unsigned i = 0; i < chaining.npieces; i++)
		if (chaining.pieces[i] <= begin &&
		    end <= chaining.pieces[i] + chaining.bytes[i])
			return true;
	return false;
}

static void
chaining_free(void *self, void *buffer, size_t bytes)
{
	(void)self;
	(void)bytes;
	for (unsigned i = 0; i < chaining.npieces; i++)
		if (chaining.pieces[i] == buffer) {
			chaining.pieces[i] =
				chaining.pieces[--chaining.npieces];
			chaining.bytes[i] = chaining.bytes[chaining.npieces];
		}
	free(buffer);
}

static void
chaining_scribble(struct batch *batch, unsigned place, unsigned lane)
{
	uint8_t *end;

	if (batch->nblocks[lane] == 0)
		return;
	end = (uint8_t *)batch->data[lane] +
	      (size_t)batch->nblocks[lane] * SHA256_BLOCK_BYTES;
	chaining.unstaggered += (uintptr_t)batch->data[lane] / 64 % 64 !=
				(place + lane) % 64;
	if (chaining_has(batch->data[lane], end + CHAINING_SLACK))
		memset(end, 0xaa, CHAINING_SLACK);
	else
		chaining.misplaced++;
}

/* Shorter, and without the ends behind. */
static void
chaining_cut(struct batch *batch, unsigned lane, uint32_t most)
{
	if (!most || batch->nblocks[lane] <= most)
		return;
	batch->nblocks[lane] = most;
	while (batch->nends[lane] > 0 &&
	       batch->ends[lane][batch->nends[lane] - 1].block > most)
		batch->nends[lane]--;
}

static void *
chaining_work(void *ignored)
{
	struct diag why;

	if (chaining.wait_ms)
		usleep(chaining.wait_ms * 1000);
	for (unsigned i = 0; i < chaining.batches; i++) {
		struct batch *batch = &chaining.work[i];

		for (unsigned lane = 0; lane < BATCH_LANES; lane++) {
			if (chaining.corrupts && batch->nblocks[lane] > 0)
				((uint8_t *)batch->data[lane])[5] ^= 4;
			if (batch->nends[lane] > chaining.most_ends)
				chaining.most_ends = batch->nends[lane];
			chaining_cut(batch, lane, chaining.cuts);
			__atomic_add_fetch(&chaining.blocks,
					   batch->nblocks[lane],
					   __ATOMIC_RELAXED);
		}
	}
	if (chained_run(&engine_reference, chaining.cpu, chaining.work,
			chaining.batches, &why) != ENGINE_OK)
		abort();
	return ignored;
}

static void
chaining_compare(const struct batch *batches)
{
	uint32_t least = UINT32_MAX, most = 0;

	for (unsigned i = 0; i < chaining.batches; i++)
		for (unsigned lane = 0; lane < chaining.lanes; lane++) {
			const uint32_t blocks = batches[i].nblocks[lane];

			least = blocks < least ? blocks : least;
			most = blocks > most ? blocks : most;
		}
	if (most - least > chaining.most_uneven)
		chaining.most_uneven = most - least;
}

/* To be cut where the shortest lane ends, and said so. */
static void
chaining_announce(struct batch *batches)
{
	uint32_t least = UINT32_MAX;

	for (unsigned i = 0; i < chaining.batches; i++)
		for (unsigned lane = 0; lane < BATCH_LANES; lane++) {
			const uint32_t blocks = batches[i].nblocks[lane];

			least = blocks > 0 && blocks < least ? blocks : least;
		}
	chaining.cuts = least;
	for (unsigned i = 0; i < chaining.batches; i++)
		for (unsigned lane = 0; lane < BATCH_LANES; lane++)
			if (batches[i].nblocks[lane] > 0)
				batches[i].done[lane] = least;
}

static enum engine_status
chaining_submit(void *self, struct batch *batches, unsigned n, struct diag *why)
{
	(void)self;
	chaining.used_after_failure += chaining.failed;
	chaining.touched += n != chaining.batches || chaining.given;
	__atomic_add_fetch(&chaining.launches, 1, __ATOMIC_RELAXED);
	if (chaining.launches == chaining.refuses_at) {
		chaining.failed = true;
		diag_set(why, "refused");
		return ENGINE_REFUSED;
	}
	chaining.given = batches;
	if (chaining.uneven)
		chaining_announce(batches);
	memcpy(chaining.seen, batches, n * sizeof(*batches));
	memcpy(chaining.work, batches, n * sizeof(*batches));
	chaining_compare(batches);
	for (unsigned i = 0; i < n; i++)
		for (unsigned lane = 0; lane < BATCH_LANES; lane++)
			if (!chaining.cuts)
				chaining_scribble(&batches[i], i * BATCH_LANES,
						  lane);
	if (pthread_create(&chaining.thread, NULL, chaining_work, NULL) != 0)
		abort();
	return ENGINE_OK;
}

static void
chaining_spoil(struct batch *batch)
{
	memset(batch->state, 0x55, sizeof(batch->state));
	memset(batch->done, 0, sizeof(batch->done));
	for (unsigned lane = 0; lane < BATCH_LANES; lane++)
		for (uint32_t i = 0; i < batch->nends[lane]; i++)
			memset(batch->ends[lane][i].state, 0x55,
			       sizeof(batch->ends[lane][i].state));
}

static enum engine_status
chaining_wait(void *self, struct diag *why)
{
	struct batch *batches = chaining.given;

	(void)self;
	pthread_join(chaining.thread, NULL);
	chaining.given = NULL;
	chaining.touched += memcmp(chaining.seen, batches,
				   chaining.batches * sizeof(*batches)) != 0;
	for (unsigned i = 0; i < chaining.batches; i++) {
		memcpy(batches[i].state, chaining.work[i].state,
		       sizeof(batches[i].state));
		memcpy(batches[i].done, chaining.work[i].done,
		       sizeof(batches[i].done));
	}
	if (chaining.launches != chaining.fails_at)
		return ENGINE_OK;
	for (unsigned i = 0; i < chaining.batches; i++)
		chaining_spoil(&batches[i]);
	chaining.failed = true;
	diag_set(why, "lost its way");
	return ENGINE_FAULT;
}

static void
chaining_close(void *self)
{
	(void)self;
	engine_reference.close(chaining.cpu);
	chaining.opened--;
}

static bool
chaining_probe(const void *context, struct diag *why_not)
{
	(void)context;
	(void)why_not;
	return true;
}

static const struct engine engine_chaining = { .name = "chaining",
					       .about = "for tests",
					       .probe = chaining_probe,
					       .speed = chaining_speed,
					       .open = chaining_open,
					       .alloc = chaining_alloc,
					       .free = chaining_free,
					       .submit = chaining_submit,
					       .wait = chaining_wait,
					       .close = chaining_close };

/* So many QPUs, and nothing wrong with them. */
static inline void
chaining_init(unsigned batches, unsigned lanes)
{
	memset(&chaining, 0, sizeof(chaining));
	chaining.batches = batches;
	chaining.lanes = lanes;
}

#endif
