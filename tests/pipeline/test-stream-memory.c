/* SPDX-License-Identifier: MIT */
/*
 * Promise: the buffers of streams are as large as the memory allows, in pieces
 * of one size that a device can have, each stream's in its own sets of a cache.
 */
#include "config.h"

#include "src/feed/stream_memory.h"

#include <stdlib.h>

#include "tests/support/balance.h"
#include "tests/support/tap.h"

enum { MOST_STREAMS = 3, MOST_ASKED = 16, SLACK_BYTES = 336 };

static size_t asked[MOST_ASKED];
static unsigned nasked, refused, nfreed;
static bool freed_right;
static struct stream streams[MOST_STREAMS];
static struct stream_set set;
static uint32_t blocks;

static void *
ask(void *device, size_t bytes)
{
	if (device != &asked || nasked == MOST_ASKED)
		exit(99);
	asked[nasked++] = bytes;
	if (nasked <= refused)
		return NULL;
	return aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
}

static void
give(void *device, void *piece, size_t bytes)
{
	nfreed++;
	freed_right = freed_right && device == &asked &&
		      bytes == asked[nasked - 1];
	free(piece);
}

static const struct engine engine = { .alloc = ask, .free = give };

/* Are all buffers in order, each in its sets and apart from the next? */
static bool
are_placed(size_t buffer_bytes)
{
	for (unsigned i = 0; i < set.n; i++)
		for (unsigned k = 0; k < 2; k++) {
			const uint8_t *data = streams[i].buffers[k].data;

			if ((uintptr_t)data % 4096 != 64 * i)
				return false;
			/* All of it can be written. */
			memset((void *)data, 0x5a, buffer_bytes);
		}
	return true;
}

/* What is asked for, so many times refused, in pieces of so many bytes; true
 * if there is memory for so many streams, and all goes back. */
static bool
allocate(unsigned n, size_t piece_bytes, unsigned refusals, unsigned left)
{
	const struct engine_limits limits = { .slack_bytes = SLACK_BYTES,
					      .piece_bytes = piece_bytes };
	struct stream_memory memory = { .engine = &engine, .device = &asked };
	bool good;

	set = (struct stream_set){ .all = streams, .n = n };
	nasked = nfreed = 0;
	refused = refusals;
	freed_right = true;
	good = stream_memory_allocate(&memory, &limits, &set, &blocks) ==
	       (left > 0);
	good = good &&
	       (left == 0 || (set.n == left &&
			      are_placed((size_t)blocks * 64 + SLACK_BYTES) &&
			      memory.npieces == nasked - refusals));
	stream_memory_free(&memory);
	return good && freed_right && memory.npieces == 0 && !memory.pieces &&
	       nfreed == (left > 0 ? nasked - refusals : 0);
}

/* Was it asked for so many pieces, of so many bytes at last? */
static bool
has_asked(unsigned n, size_t bytes)
{
	return nasked == n && asked[n - 1] == bytes;
}

/* A buffer for 505 blocks, the padding and slack takes 32832 bytes. */
static void
test_pieces(void)
{
	ok(allocate(2, 0, 0, 2) && has_asked(1, 143360) && blocks == 506,
	   "all buffers in one piece");
	ok(allocate(2, 131328, 0, 2) && has_asked(1, 143360),
	   "also where the wanted size has no room for gaps");
	ok(allocate(2, 131327, 0, 2) && has_asked(2, 77824),
	   "else in two that are alike");
	ok(allocate(2, 73856, 0, 2) && has_asked(2, 77824),
	   "pieces for two buffers");
	ok(allocate(2, 73855, 0, 2) && has_asked(4, 45056),
	   "and for one if they are smaller");
	ok(allocate(2, 1000, 0, 2) && has_asked(4, 45056),
	   "however small they should be");
	ok(allocate(3, 4 * 32832 + 8192, 0, 3) && has_asked(2, 110592),
	   "pieces are alike where more would fit into the first");
	ok(allocate(3, 5 * 32832, 0, 3) && has_asked(2, 110592),
	   "whatever remains");
}

static void
test_little(void)
{
	static const size_t sizes[] = { 143360, 77824, 45056, 28672, 20480 };
	static const uint32_t holds[] = { 506, 250, 122, 58, 58 };
	unsigned right = 0;

	for (unsigned i = 0; i < 5; i++)
		right += allocate(2, 0, i, i < 4 ? 2 : 1) &&
			 has_asked(i + 1, sizes[i]) && blocks == holds[i];
	ok(right == 5,
	   "with little memory buffers are halved, then streams (%u of 5)",
	   right);
	ok(allocate(2, 0, 5, 0) && nasked == 5,
	   "without memory for one there is none");
	ok(allocate(3, 1000, 0, 3) && nasked == 6, "as many as are needed");
}

/* The third piece of the first size cannot be had. */
static unsigned left;

static void *
ask_three(void *device, size_t bytes)
{
	return left-- > 0 || bytes < 45056 ? ask(device, bytes) : NULL;
}

static void
give_any(void *device, void *piece, size_t bytes)
{
	(void)device;
	(void)bytes;
	nfreed++;
	free(piece);
}

static void
test_some_pieces(void)
{
	const struct engine short_of = { .alloc = ask_three, .free = give_any };
	const struct engine_limits limits = { .slack_bytes = SLACK_BYTES,
					      .piece_bytes = 1000 };
	struct stream_memory memory = { .engine = &short_of, .device = &asked };

	left = 3;
	nasked = nfreed = refused = 0;
	set = (struct stream_set){ .all = streams, .n = 2 };
	ok(stream_memory_allocate(&memory, &limits, &set, &blocks) &&
		   nfreed == 3 && nasked == 7 && blocks == 250,
	   "pieces that are not enough go back");
	stream_memory_free(&memory);
	ok(nfreed == 7, "and so do those that are");
}

static void
allocate_all(void)
{
	test_pieces();
	test_little();
	test_some_pieces();
}

int
main(void)
{
	balance_test(allocate_all, "memory for streams");
	return tap_done();
}
