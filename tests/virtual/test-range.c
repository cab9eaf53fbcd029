/* SPDX-License-Identifier: MIT */
/*
 * Promise: an address belongs to the range that it is in, from its first byte
 * to its last, until that range is removed as a whole.
 */
#include "config.h"

#include "qpu/virtual/mmio/range.h"

#include "tests/support/tap.h"

enum { FIRST = 0x10000, SECOND = 0x11000, BYTES = 0x1000, RANGES = 64 };

/* Each range answers with its own number above the offset. */
static uint32_t written[2];

static uint32_t
read_register(void *context, uint32_t offset)
{
	const uint32_t *number = context;

	return *number << 16 | offset;
}

static void
write_register(void *context, uint32_t offset, uint32_t value)
{
	const uint32_t *number = context;

	written[0] = *number << 16 | offset;
	written[1] = value;
}

static void
peek_registers(void *context, uint32_t offset, uint32_t *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		values[i] = read_register(context, offset + 4 * (uint32_t)i);
}

static uint32_t numbers[2] = { 1, 2 };

static bool
add(uintptr_t base, unsigned number)
{
	const struct trap_registers registers = { .read = read_register,
						  .write = write_register,
						  .peek = peek_registers,
						  .context = &numbers[number] };

	return range_add(base, BYTES, &registers);
}

static void
test_covers(void)
{
	ok(!range_covers(0) && !range_covers(FIRST),
	   "no address belongs to a range at first");
	ok(add(FIRST, 0), "a range is added");
	ok(range_covers(FIRST) && range_covers(FIRST + BYTES - 1),
	   "a range has its first and its last byte");
	ok(!range_covers(FIRST - 1) && !range_covers(FIRST + BYTES),
	   "a range has no byte before or after it");
	ok(!range_covers(0), "address 0 belongs to no range");
	ok(add(SECOND, 1) && range_covers(SECOND + BYTES - 1),
	   "a second range is added after the first");
}

static void
test_access(void)
{
	uint32_t word = 5, values[2];

	ok(range_load(FIRST + 8) == 0x10008 && range_load(SECOND) == 0x20000,
	   "a read is answered by offset");
	range_peek(SECOND + 16, values, 2);
	ok(values[0] == 0x20010 && values[1] == 0x20014,
	   "a peek is answered by offset");
	range_store(SECOND + 12, 77);
	ok(written[0] == 0x2000c && written[1] == 77,
	   "a write is answered by offset");
	ok(range_load((uintptr_t)&word) == 5, "plain memory is read as it is");
	range_store((uintptr_t)&word, 6);
	ok(word == 6 && written[1] == 77, "plain memory is written as it is");
}

static void
test_remove(void)
{
	range_remove(FIRST + 1, 4 * BYTES);
	ok(range_covers(FIRST) && !range_covers(SECOND),
	   "a range is removed with all that it is in, and not with a part of it");
	ok(add(SECOND, 1), "a range that was removed is added again");
	range_remove(FIRST, 2 * BYTES - 1);
	ok(!range_covers(FIRST) && range_covers(SECOND),
	   "a range is removed with its last byte");
	range_remove(FIRST, BYTES);
	ok(range_covers(SECOND), "a removal before a range leaves it");
	range_remove(SECOND + BYTES, BYTES);
	ok(range_covers(SECOND), "a removal after a range leaves it");
	range_remove(SECOND, BYTES);
	ok(!range_covers(SECOND), "a range is removed by itself");
	range_remove(0, BYTES);
	ok(!range_covers(0), "a removal at address 0 does nothing");
}

static void
test_limit(void)
{
	bool all = true;

	for (uintptr_t i = 0; i < RANGES; i++)
		all &= add(FIRST + i * BYTES, 0);
	ok(all && !add(FIRST + RANGES * BYTES, 0),
	   "%d ranges can be added, and no more", RANGES);
	range_remove(FIRST + 5 * BYTES, BYTES);
	ok(add(FIRST + RANGES * BYTES, 1) &&
		   range_load(FIRST + RANGES * BYTES) == 0x20000,
	   "a range takes the place of one that was removed");
	ok(range_covers(FIRST + (RANGES - 1) * BYTES) &&
		   !range_covers(FIRST + 5 * BYTES),
	   "a removal leaves the other ranges");
	range_remove(FIRST, (RANGES + 1) * BYTES);
	ok(!range_covers(FIRST) && !range_covers(FIRST + RANGES * BYTES),
	   "all ranges are removed at once");
}

int
main(void)
{
	test_covers();
	test_access();
	test_remove();
	test_limit();
	return tap_done();
}
