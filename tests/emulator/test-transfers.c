/* SPDX-License-Identifier: MIT */
/*
 * Promise: a DMA moves exactly the bytes that sections 11.7 to 11.9 say, for
 * any setup, and says which rows of the VPM it uses and how far it came.
 */
#include "config.h"

#include "qpu/emulator/dma.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/diag.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

enum {
	BASE = 0x1000,
	BYTES = 1 << 22,
	STORED = 1 << 18,
	TRIES = 800,
	ROWS = EMU_VPM_ROWS,
	ROW_BYTES = 64,
};

static uint8_t *bytes;
static struct emu_memory memory;
static _Alignas(64) struct emu_vpm vpm;

static void
clear_vpm(void)
{
	memset(&vpm, 0, sizeof(vpm));
	vpm.rows = EMU_VPM_ROWS;
}
static uint8_t expected[ROWS][ROW_BYTES];

static uint32_t
random_below(uint32_t n)
{
	return random_32() % n;
}

/* A field of a setup where 0 means the most. */
static unsigned
or_most(unsigned field, unsigned most)
{
	return field ? field : most;
}

/* What a setup asks for; elements of 4, 2 or 1 bytes. */
struct wish {
	unsigned size, part; /* of an element, and where in its word */
	unsigned rows, length;
	unsigned x, y;
	unsigned step; /* load: from row to row */
	bool vertical;
	uint32_t pitch;
};

static uint8_t *
place(uint8_t vectors[ROWS][ROW_BYTES], unsigned row, unsigned column,
      const struct wish *wish, unsigned part)
{
	return &vectors[row % ROWS][column % 16 * 4 + part * wish->size];
}

/* Section 11.7: rows step through words and their parts. */
static void
expect_load(const struct wish *wish, const uint8_t *from)
{
	const unsigned parts = 4 / wish->size;

	for (unsigned r = 0; r < wish->rows; r++)
		for (unsigned i = 0; i < wish->length; i++) {
			const unsigned at =
				wish->y * parts + wish->part + r * wish->step;
			const unsigned y = at / parts;

			memcpy(place(expected, wish->vertical ? y + i : y,
				     wish->vertical ? wish->x : wish->x + i,
				     wish, at % parts),
			       from + r * wish->pitch + i * wish->size,
			       wish->size);
		}
}

static void
expect_store(const struct wish *wish, uint8_t *to)
{
	for (unsigned r = 0; r < wish->rows; r++)
		for (unsigned i = 0; i < wish->length; i++) {
			unsigned row = wish->y + r + (wish->x + i) / 16;
			unsigned column = wish->x + i;

			/* A column ends with its 16 rows, then again. */
			if (wish->vertical) {
				row = wish->y / 16 * 16 + (wish->y + i) % 16 +
				      (wish->x + r) / 16 * 16;
				column = wish->x + r;
			}
			memcpy(to + r * wish->pitch + i * wish->size,
			       place(expected, row, column, wish, wish->part),
			       wish->size);
		}
}

/* A mode of 0 to 7 is a size and a part of the word. */
static void
set_mode(struct wish *wish, unsigned mode)
{
	static const uint8_t sizes[8] = { 4, 4, 2, 2, 1, 1, 1, 1 };
	static const uint8_t parts[8] = { 0, 0, 0, 1, 0, 1, 2, 3 };

	wish->size = sizes[mode];
	wish->part = parts[mode];
}

/* The rows of the VPM that differ from what they were. */
static uint64_t
changed_rows(uint8_t was)
{
	uint64_t rows = 0;

	for (unsigned row = 0; row < ROWS; row++)
		for (unsigned i = 0; i < ROW_BYTES; i++)
			if (expected[row][i] != was)
				rows |= UINT64_C(1) << row;
	return rows;
}

static bool
try_load(void)
{
	const unsigned mode = random_below(2) ? 0 : 2 + random_below(6);
	const unsigned length = random_below(16), rows = random_below(16);
	const unsigned step = random_below(16), mpitch = random_below(16);
	const uint32_t extended = random_below(0x4000);
	struct wish wish = {
		.rows = or_most(rows, 16),
		.length = or_most(length, 16),
		.x = random_below(16),
		.y = random_below(64),
		.step = or_most(step, 16),
		.vertical = random_below(2),
		.pitch = mpitch ? 8u << mpitch : extended,
	};
	struct emu_dma dma = { .load = 0 };
	struct emu_transfer done;
	const uint32_t addr = BASE + random_below(4096);
	const uint32_t setup = 1u << 31 | mode << 28 | mpitch << 24 |
			       length << 20 | rows << 16 | step << 12 |
			       (uint32_t)wish.vertical << 11 | wish.y << 4 |
			       wish.x;

	set_mode(&wish, mode);
	memset(expected, 0, sizeof(expected));
	clear_vpm();
	expect_load(&wish, bytes + addr - BASE);
	return emu_dma_setup_load(&dma, setup) &&
	       emu_dma_setup_load(&dma, 0x90000000 | extended) &&
	       emu_dma_load(&dma, &memory, &vpm, addr, &done) &&
	       memcmp(vpm.row, expected, sizeof(expected)) == 0 &&
	       emu_dma_load_rows(&dma) == changed_rows(0) &&
	       done.start == addr && done.rows == wish.rows &&
	       done.row_bytes == wish.length * wish.size &&
	       done.pitch == wish.pitch;
}

static bool
try_store(void)
{
	static uint8_t will[STORED];
	const unsigned mode = random_below(2) ? 0 : 2 + random_below(6);
	/* All that fits, but mostly short ones. */
	const unsigned most = random_below(4) ? 20 : 128;
	const unsigned rows = random_below(most), length = random_below(most);
	const uint32_t stride = random_below(1024);
	struct wish wish = {
		.rows = or_most(rows, 128),
		.length = or_most(length, 128),
		.x = random_below(16),
		.y = random_below(64),
		.vertical = random_below(2),
	};
	struct emu_dma dma = { .load = 0 };
	struct emu_transfer done;
	const uint32_t addr = BASE + random_below(4096);
	const uint32_t setup = 2u << 30 | rows << 23 | length << 16 |
			       (uint32_t)!wish.vertical << 14 | wish.y << 7 |
			       wish.x << 3 | mode;

	set_mode(&wish, mode);
	wish.pitch = wish.length * wish.size + stride;
	for (unsigned i = 0; i < sizeof(expected); i++)
		((uint8_t *)expected)[i] = random_below(256);
	memcpy(vpm.row, expected, sizeof(expected));
	memcpy(will, bytes, sizeof(will));
	expect_store(&wish, will + addr - BASE);
	return emu_dma_setup_store(&dma, setup) &&
	       emu_dma_setup_store(&dma, 3u << 30 | stride) &&
	       emu_dma_store(&dma, &memory, &vpm, addr, &done) &&
	       memcmp(bytes, will, sizeof(will)) == 0 && done.start == addr &&
	       done.rows == wish.rows &&
	       done.row_bytes == wish.length * wish.size &&
	       done.pitch == wish.pitch;
}

/* The rows that a store takes: each row of the VPM holds its number. */
static bool
try_store_rows(void)
{
	const unsigned mode = random_below(2) ? 0 : 4;
	const unsigned most = random_below(2) ? 8 : 65;
	const unsigned x = random_below(16), y = random_below(64);
	const unsigned rows = 1 + random_below(most);
	const unsigned length = 1 + random_below(most);
	const bool horizontal = random_below(2);
	const unsigned size = mode ? 1 : 4;
	struct emu_dma dma = { .load = 0 };
	struct emu_transfer done;
	uint64_t taken = 0;

	for (unsigned row = 0; row < ROWS; row++)
		memset(&vpm.row[row], row, ROW_BYTES);
	if (!emu_dma_setup_store(&dma, 2u << 30 | rows << 23 | length << 16 |
					       (uint32_t)horizontal << 14 |
					       y << 7 | x << 3 | mode) ||
	    !emu_dma_store(&dma, &memory, &vpm, BASE, &done))
		return false;
	for (unsigned i = 0; i < rows * length * size; i++)
		taken |= UINT64_C(1) << bytes[i];
	if (emu_dma_store_rows(&dma) == taken)
		return true;
	tap_note("%s x %u y %u, %u units of %u",
		 horizontal ? "rows" : "columns", x, y, rows, length);
	return false;
}

static void
test_random(void)
{
	static const struct {
		bool (*try)(void);
		const char *what;
	} tests[] = {
		{ try_load, "loads put each byte in its place" },
		{ try_store, "stores take each byte from its place" },
		{ try_store_rows, "the rows that a store takes are known" },
	};

	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
		bool good = true;

		for (unsigned n = 0; good && n < TRIES; n++) {
			good = tests[i].try();
			if (!good)
				tap_note("try %u", n);
		}
		ok(good, "%s", tests[i].what);
	}
}

/* Words that are no setups of a DMA, and bits that a field does not have. */
static void
test_setups(void)
{
	struct emu_dma dma = { .load = 1, .load_pitch = 2, .store = 3 };

	ok(!emu_dma_setup_load(&dma, 0x7fffffff) &&
		   !emu_dma_setup_store(&dma, 0x7fffffff) &&
		   !emu_dma_setup_store(&dma, 0x3fffffff) && dma.load == 1 &&
		   dma.load_pitch == 2 && dma.store == 3 && !dma.store_stride,
	   "a setup of the VPM is none of a DMA");
	ok(emu_dma_setup_load(&dma, 0x90007fff) && dma.load == 1 &&
		   dma.load_pitch == 0x3fff &&
		   emu_dma_setup_load(&dma, 0xa0000001) &&
		   dma.load == 0xa0000001 && dma.load_pitch == 0x3fff,
	   "mode 1 of a load sets the pitch and nothing else");
	ok(emu_dma_setup_store(&dma, 0x80000001) && dma.store == 0x80000001 &&
		   !dma.store_stride && emu_dma_setup_store(&dma, 0xc0000001) &&
		   dma.store == 0x80000001 && dma.store_stride == 0xc0000001,
	   "a store has its setup and its stride");
	ok(!emu_dma_loses_bits(false, 0x90003fff) &&
		   emu_dma_loses_bits(false, 0x90004000) &&
		   emu_dma_loses_bits(false, 0x98000000) &&
		   !emu_dma_loses_bits(false, 0x80004000) &&
		   !emu_dma_loses_bits(false, 0xa0004000),
	   "the pitch of a load has 14 bits");
	ok(!emu_dma_loses_bits(true, 0xc001ffff) &&
		   emu_dma_loses_bits(true, 0xc0020000) &&
		   emu_dma_loses_bits(true, 0xe0000000) &&
		   !emu_dma_loses_bits(true, 0x80020000),
	   "the stride of a store has 16 bits, and one of block mode");
}

/* Memory ends within a row; what is before it has been moved. */
static void
test_ends(void)
{
	const uint32_t end = BASE + BYTES;
	struct emu_dma dma = { .load_pitch = 64 };
	struct emu_transfer done;

	clear_vpm();
	memset(bytes + BYTES - 256, 7, 256);
	emu_dma_setup_load(&dma, 1u << 31 | 4 << 16 | 1 << 12);
	ok(emu_dma_load(&dma, &memory, &vpm, end - 256, &done) &&
		   done.rows == 4,
	   "a load may end where memory ends");
	clear_vpm();
	ok(!emu_dma_load(&dma, &memory, &vpm, end - 252, &done) &&
		   done.rows == 3 && done.bad == end - 60 &&
		   vpm.row[2][15] == 0x07070707 && vpm.row[3][0] == 0,
	   "a load that goes beyond memory ends before the row that is outside");
	clear_vpm();
	vpm.rows = 2;
	emu_dma_load(&dma, &memory, &vpm, end - 256, &done);
	ok(done.rows == 4 && vpm.row[1][15] == 0x07070707 && vpm.row[2][0] == 0,
	   "what a load brings for rows that are not for user programs is lost");
	memset(&vpm, 7, sizeof(vpm));
	emu_dma_setup_store(&dma, 2u << 30 | 4 << 23 | 16 << 16 | 1 << 14);
	ok(emu_dma_store(&dma, &memory, &vpm, end - 256, &done) &&
		   done.rows == 4,
	   "a store may end where memory ends");
	memset(&vpm, 9, sizeof(vpm));
	ok(!emu_dma_store(&dma, &memory, &vpm, end - 252, &done) &&
		   done.rows == 3 && done.bad == end - 60 &&
		   bytes[BYTES - 61] == 9 && bytes[BYTES - 60] == 7,
	   "a store that goes beyond memory ends before the row that is outside");
}

int
main(void)
{
	struct diag why;

	bytes = malloc(BYTES);
	if (!bytes || !emu_memory_add(&memory, BASE, bytes, BYTES, &why))
		return 99;
	for (unsigned i = 0; i < BYTES; i++)
		bytes[i] = 1 + i % 255;
	test_random();
	test_setups();
	test_ends();
	emu_memory_free(&memory);
	free(bytes);
	return tap_done();
}
