/* SPDX-License-Identifier: MIT */
/*
 * Promise: the virtual board's memory is given to one at a time and comes
 * back, and no message, however wrong, does harm.
 */
#include "config.h"

#include "qpu/virtual/board/firmware.h"
#include "qpu/virtual/board/pool.h"
#include "tests/support/random.h"
#include "tests/virtual/made-board.h"

enum { MIB = 1 << 20, HELD = 100, CHANGES = 20000, MESSAGES = 50000 };

struct held {
	uint32_t handle, address, bytes;
};

static bool
overlaps(const struct held *held, const struct held *one)
{
	for (unsigned i = 0; i < HELD; i++)
		if (&held[i] != one && held[i].handle &&
		    held[i].address < one->address + one->bytes &&
		    one->address < held[i].address + held[i].bytes)
			return true;
	return false;
}

/* One more, or one less; false when a promise is broken. */
static bool
change(struct held *held)
{
	struct held *one = &held[random_32() % HELD];
	const uint32_t alignment = 1u << random_32() % 16;

	if (one->handle) {
		const uint32_t handle = one->handle;

		one->handle = 0;
		return pool_unlock(&board, handle) == 0 &&
		       pool_release(&board, handle) == 0 &&
		       pool_lock(&board, handle) == 0;
	}
	one->bytes = random_32() % MIB + 1;
	one->handle = pool_allocate(&board, one->bytes, alignment,
				    random_32() & 0x70);
	if (!one->handle)
		return true;
	one->address = pool_lock(&board, one->handle);
	return one->address % alignment == 0 &&
	       one->address >= board.memory_base &&
	       one->address + one->bytes <=
		       board.memory_base + board.memory_bytes &&
	       !overlaps(held, one);
}

static void
test_pool(void)
{
	struct held held[HELD] = { { 0, 0, 0 } };
	uint32_t all;
	bool good = true;

	for (unsigned i = 0; i < CHANGES && good; i++)
		good = change(held);
	ok(good, "GPU memory is given to one at a time");
	for (unsigned i = 0; i < HELD && good; i++)
		if (held[i].handle)
			good = pool_unlock(&board, held[i].handle) == 0 &&
			       pool_release(&board, held[i].handle) == 0;
	all = pool_allocate(&board, 32 * MIB, 4096, 0x20);
	ok(good && all && pool_release(&board, all) == 0,
	   "all of the GPU memory comes back");
}

/* Tags that exist, mostly, with lengths that are right, mostly. */
static void
make_message(uint32_t *message, uint32_t words)
{
	static const uint32_t tags[] = { 0x1,	  0x10001, 0x10002, 0x10005,
					 0x10006, 0x30002, 0x30004, 0x30006,
					 0x30007, 0x3000c, 0x3000d, 0x3000e,
					 0x3000f, 0x30011, 0x30012, 0x30046,
					 0x30047, 0x38002, 0x12345, 0 };
	const unsigned ntags = sizeof(tags) / sizeof(*tags);

	for (uint32_t i = 0; i < words; i++)
		switch (random_32() % 4) {
		case 0: message[i] = tags[random_32() % ntags]; break;
		case 1: message[i] = random_32() % (4 * words); break;
		case 2: message[i] = random_32() % 8; break;
		default: message[i] = random_32(); break;
		}
	if (words > 2)
		message[2] = tags[random_32() % (ntags - 1)];
	if (words > 3 && random_32() % 4)
		message[3] = random_32() % 9 * 4;
}

static void
test_messages(void)
{
	unsigned answered = 0, refused = 0;
	bool intact = true;

	for (unsigned i = 0; i < MESSAGES; i++) {
		const uint32_t words = 3 + random_32() % 20;
		uint32_t *message = calloc(words + 1, sizeof(*message));
		const uint32_t mark = random_32();

		if (!message)
			break;
		make_message(message, words);
		message[words] = mark;
		if (firmware_answer(&board, message, words) == 0)
			answered += message[1] == 0x80000000;
		else
			refused += message[1] == 0x80000001;
		intact = intact && message[words] == mark;
		free(message);
	}
	made_says();
	ok(intact, "no answer is longer than its message");
	ok(answered + refused == MESSAGES && answered > 1000 && refused > 1000,
	   "each message is answered or refused, and both happen often");
}

int
main(void)
{
	const struct board_options options = { .device = { .qpus = 12,
							   .mem_mib = 32 },
					       .v3d_mhz = 250,
					       .cma_mib = 64 };

	if (!made_begin("pi1", &options))
		return tap_done();
	test_pool();
	test_messages();
	return made_end();
}
