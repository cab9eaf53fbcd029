/* SPDX-License-Identifier: MIT */
/*
 * Pieces of memory: which are flushed, refreshed, wiped and given back, and
 * how fast they are said to be.  The memory behind them is the test's.
 */
#include "config.h"

#include "qpu/driver/pieces.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/clock.h"
#include "tests/support/tap.h"

enum { EVENTS = 64, PAGE = 4096, MOST_BYTES = (1 << 20) + PAGE };

static struct {
	uint32_t bus; /* of the next piece */
	bool no_memory, no_visit, no_malloc;
	uint32_t broken; /* its flush and refresh fail */
	uint64_t now, tick;
	bool in_visit, wiped_outside;
	unsigned nevents;
	char events[EVENTS + 1];
} world;

static uint8_t bytes_of_all[MOST_BYTES + 1];
static struct pieces pieces;
static struct diag why;

bool
__wrap_memory_take(const struct memory_source *source, size_t bytes,
		   struct memory_piece *piece, struct diag *why_not);
void
__wrap_memory_give_back(const struct memory_source *source,
			struct memory_piece *piece);
bool
__wrap_memory_flush(const struct memory_piece *piece);
bool
__wrap_memory_refresh(const struct memory_piece *piece);
void
__wrap_memory_wipe(const struct memory_piece *piece);
void
__wrap_memory_close(struct memory_source *source);
bool
__wrap_claims_enter(struct claims_visit *visit);
void
__wrap_claims_leave(const struct claims_visit *visit);
uint64_t
__wrap_clock_ns(void);
void *
__real_malloc(size_t bytes);
void *
__wrap_malloc(size_t bytes);

/* A letter, and the number of the piece, by its address: 0x...N0000. */
static void
note(char event, const struct memory_piece *piece)
{
	const char number =
		piece ? "0123456789abcdef"[piece->shared.bus >> 16 & 15] : '-';

	if (world.nevents + 2 <= EVENTS) {
		world.events[world.nevents++] = event;
		world.events[world.nevents++] = number;
	}
}

bool
__wrap_memory_take(const struct memory_source *source, size_t bytes,
		   struct memory_piece *piece, struct diag *why_not)
{
	(void)source;
	if (world.no_memory) {
		diag_set(why_not, "no memory");
		return false;
	}
	piece->shared = (struct device_memory){ .cpu = bytes_of_all,
						.bus = world.bus,
						.bytes = bytes };
	world.bus += 0x10000;
	return true;
}

void
__wrap_memory_give_back(const struct memory_source *source,
			struct memory_piece *piece)
{
	(void)source;
	note('g', piece);
	piece->shared.bytes = 0;
}

bool
__wrap_memory_flush(const struct memory_piece *piece)
{
	note('f', piece);
	return piece->shared.bus != world.broken;
}

bool
__wrap_memory_refresh(const struct memory_piece *piece)
{
	note('r', piece);
	return piece->shared.bus != world.broken;
}

void
__wrap_memory_wipe(const struct memory_piece *piece)
{
	note('w', piece);
	world.wiped_outside |= !world.in_visit;
}

void
__wrap_memory_close(struct memory_source *source)
{
	(void)source;
	note('c', NULL);
}

bool
__wrap_claims_enter(struct claims_visit *visit)
{
	(void)visit;
	world.in_visit = !world.no_visit;
	return world.in_visit;
}

void
__wrap_claims_leave(const struct claims_visit *visit)
{
	(void)visit;
	world.in_visit = false;
}

uint64_t
__wrap_clock_ns(void)
{
	return world.now += world.tick;
}

void *
__wrap_malloc(size_t bytes)
{
	return world.no_malloc ? NULL : __real_malloc(bytes);
}

/* With a rate that is known, nothing is measured. */
static void
reset(double rate)
{
	memset(&world, 0, sizeof(world));
	memset(&pieces, 0, sizeof(pieces));
	pieces.source.kind = MEMORY_DEV_MEM;
	pieces.write_rate = rate;
	world.bus = 0xc0100000;
	world.tick = CLOCK_NS_PER_MS;
}

static const struct device_memory *
take(size_t bytes)
{
	return pieces_take(&pieces, bytes, &why);
}

static void
forget(void)
{
	memset(world.events, 0, sizeof(world.events));
	world.nevents = 0;
}

static bool
asked(const char *events)
{
	const bool good = strcmp(world.events, events) == 0;

	if (!good)
		tap_note("asked: %s", world.events);
	forget();
	return good;
}

static void
test_take(void)
{
	const struct device_memory *taken[CLAIMS_PIECES];
	unsigned n = 0;

	reset(1);
	while (n < CLAIMS_PIECES && (taken[n] = take(PAGE)) != NULL)
		n++;
	ok(n == 216 && taken[215]->bus == 0xc0100000 + 215 * 0x10000 &&
		   taken[215]->bytes == PAGE,
	   "there are 216 pieces");
	ok(!take(PAGE), "and no more");
	is(why.text, "too many pieces of memory", "which is told");
	forget();
	pieces_give_back(&pieces, taken[5]);
	ok(asked("w5g5") && !world.in_visit, "one goes back, wiped");
	ok(take(PAGE) == taken[5] &&
		   taken[5]->bus == 0xc0100000 + 216 * 0x10000,
	   "another has its place");
	world.no_memory = true;
	pieces_give_back(&pieces, taken[0]);
	ok(!take(PAGE) && strcmp(why.text, "no memory") == 0,
	   "memory may be short");
}

/* Where a piece of two pages must not be, beside one of two pages. */
static void
test_overlaps(void)
{
	static const struct {
		uint32_t bus;
		bool is_free;
	} rows[] = { { 0xc0200000, false }, { 0xc0201fff, false },
		     { 0xc0202000, true },  { 0xc01fe001, false },
		     { 0xc01fe000, true },  { 0xc01ff000, false } };
	char text[128];

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		reset(1);
		take(PAGE);
		world.bus = 0xc0200000;
		take(2 * PAGE);
		world.bus = rows[i].bus;
		why.text[0] = text[0] = '\0';
		if (!rows[i].is_free)
			snprintf(text, sizeof(text),
				 "/dev/mem, not cached gives memory that is in "
				 "use, at bus address 0x%08x",
				 (unsigned)rows[i].bus);
		ok((take(2 * PAGE) != NULL) == rows[i].is_free &&
			   strcmp(why.text, text) == 0 &&
			   (world.nevents == 2) == !rows[i].is_free,
		   "0x%08x %s", (unsigned)rows[i].bus,
		   rows[i].is_free ? "is free" : "is in use");
	}
}

static void
test_flush(void)
{
	const struct device_memory *a, *b, *c;

	reset(1);
	a = take(PAGE);
	b = take(PAGE);
	c = take(PAGE);
	ok(pieces_flush(&pieces) && asked("f0f1f2"), "what is new is flushed");
	ok(pieces_flush(&pieces) && asked(""), "once");
	pieces_note_written(&pieces, b);
	ok(pieces_flush(&pieces) && asked("f1"), "then what was written to");
	pieces_note_written(&pieces, a);
	pieces_note_written(&pieces, b);
	pieces_note_written(&pieces, c);
	world.broken = b->bus;
	ok(!pieces_flush(&pieces) && asked("f0f1"), "until that fails");
	world.broken = 0;
	ok(pieces_flush(&pieces) && asked("f1f2"), "the others are still due");
	pieces_note_written(&pieces, b);
	pieces_give_back(&pieces, b);
	forget();
	ok(pieces_flush(&pieces) && asked(""),
	   "what was given back is not flushed");
}

static void
test_refresh(void)
{
	struct device_program programs[3] = { { .code = 0 } };
	const struct device_memory *b, *c;

	reset(1);
	take(PAGE);
	b = take(PAGE);
	c = take(PAGE);
	programs[0].results = b->bus;
	programs[1].results = b->bus + PAGE - 4;
	programs[2].results = c->bus + 64;
	ok(pieces_refresh(&pieces, programs, 2) && asked("r1"),
	   "a piece with results is refreshed, once");
	ok(pieces_refresh(&pieces, programs, 3) && asked("r1r2"),
	   "and that of the last program");
	ok(pieces_refresh(&pieces, programs, 0) && asked(""), "none of none");
	world.broken = b->bus;
	ok(!pieces_refresh(&pieces, programs, 3) && asked("r1"),
	   "where that fails it ends");
	programs[0].results = b->bus + PAGE;
	programs[1].results = b->bus - 1;
	ok(pieces_refresh(&pieces, programs, 2) && asked(""),
	   "what is beside a piece is none of it");
}

static void
test_ends(void)
{
	const struct device_memory *b;

	reset(1);
	take(PAGE);
	b = take(PAGE);
	take(PAGE);
	pieces_wipe(&pieces);
	ok(asked("w0w1w2") && !world.wiped_outside && !world.in_visit,
	   "all are wiped, inside of visits");
	world.no_visit = true;
	pieces_wipe(&pieces);
	ok(asked(""), "nothing is wiped when the process is about to end");
	pieces_give_back(&pieces, b);
	ok(asked("g1"), "it still goes back");
	pieces_close(&pieces, true);
	ok(asked("c-"), "at the end they are kept");
	pieces_close(&pieces, false);
	ok(asked("g0g2c-"), "or given back");
}

static bool
near(double rate, double expected)
{
	return rate > 0.999999 * expected && rate < 1.000001 * expected;
}

/* Two looks at the clock, a millisecond apart, for each of the rates. */
static void
test_rates(void)
{
	static const struct {
		size_t bytes, measured;
	} rows[] = { { 16384, 16384 },
		     { 20480, 16384 },
		     { 40960, 32768 },
		     { 1 << 20, 1 << 20 },
		     { MOST_BYTES, 1 << 20 } };

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const size_t end = rows[i].measured;

		reset(0);
		memset(bytes_of_all, 1, sizeof(bytes_of_all));
		take(rows[i].bytes);
		ok(near(pieces.write_rate, (double)end * 1e3) &&
			   near(pieces.read_rate, (double)end * 1e3) &&
			   asked("f0r0"),
		   "of %u KiB %u are measured", (unsigned)rows[i].bytes >> 10,
		   (unsigned)end >> 10);
		ok(bytes_of_all[0] == 0x55 && bytes_of_all[end - 1] == 0x55 &&
			   bytes_of_all[end] == 1,
		   "and no others are written to");
	}
	reset(0);
	take(16384 - PAGE);
	ok(pieces.write_rate == 0 && asked(""), "less is too little");
	take(16384);
	ok(pieces.write_rate > 0 && asked("f1r1"), "the next piece will do");
	take(1 << 20);
	ok(near(pieces.write_rate, 16384e3) && asked(""), "one is measured");
	reset(0);
	world.tick = 0;
	take(16384);
	ok(near(pieces.write_rate, 16384e9) && near(pieces.read_rate, 16384e9),
	   "a clock that stands still is taken for a nanosecond");
	reset(0);
	world.tick = 1;
	take(16384);
	ok(near(pieces.read_rate, 16384e9), "which is the least");
	reset(0);
	world.no_malloc = true;
	ok(take(16384) && pieces.write_rate == 0 && asked(""),
	   "without memory for a copy nothing is measured");
}

int
main(void)
{
	test_take();
	test_overlaps();
	test_flush();
	test_refresh();
	test_ends();
	test_rates();
	return tap_done();
}
