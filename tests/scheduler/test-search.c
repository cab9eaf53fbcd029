/* SPDX-License-Identifier: MIT */
/*
 * Promise: the same seed takes the same way to a shorter schedule, and each
 * schedule that is reported keeps the rules.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>

#include "qpu/scheduler/anneal.h"
#include "tests/support/tap.h"

static struct graph graph;
static struct schedule schedule;

struct found {
	unsigned n, most; /* valid schedules, and after how many to stop */
	int slots;	  /* of the last one */
	bool valid, fewer;
};

static bool
note_found(void *context, const struct schedule *valid)
{
	struct found *found = context;

	found->valid = found->valid && schedule_is_valid(valid);
	found->fewer = found->fewer &&
		       (!found->n || valid->nslots == found->slots - 1);
	found->slots = valid->nslots;
	return ++found->n != found->most;
}

/* Many numbers as one, by FNV-1a, to compare them with those of a time when
 * they were known to be right. */
static void
digest_add(uint64_t *digest, int32_t number)
{
	for (int i = 0; i < 4; i++) {
		*digest ^= (uint32_t)number >> 8 * i & 255;
		*digest *= UINT64_C(0x100000001b3);
	}
}

static uint64_t
digest_of_schedule(void)
{
	uint64_t digest = UINT64_C(0xcbf29ce484222325);

	for (int i = 0; i < graph.nops; i++) {
		digest_add(&digest, schedule.time[i]);
		digest_add(&digest, schedule.on_mul[i]);
	}
	for (int v = 0; v < graph.nvalues; v++)
		digest_add(&digest, schedule.place[v]);
	digest_add(&digest, schedule.nslots);
	digest_add(&digest, schedule.early);
	digest_add(&digest, schedule.crowd);
	digest_add(&digest, schedule.full);
	return digest;
}

static void
begin(enum section section, int nslots)
{
	section_rows[section].build(&graph);
	schedule_open(&schedule, &graph, section, nslots);
	schedule_spread(&schedule);
	schedule_count(&schedule);
}

/*
 * The moves, their order and their odds decide where a search ends.  A change
 * of one of them, or of the operations, changes the numbers here: take those
 * that are noted then, if solutions are found as fast as before.
 */
static void
test_ways(void)
{
	static const struct {
		enum section section;
		int nslots;
		struct anneal anneal;
		unsigned nfound;
		uint64_t digest;
	} rows[] = {
		{ SECTION_END,
		  24,
		  { 3, 0, 100000, 2, 0.3 },
		  0,
		  UINT64_C(0xba6908b695a29db8) },
		{ SECTION_END,
		  24,
		  { 3, 1, 100000, 2, 0.3 },
		  0,
		  UINT64_C(0xd18863edf8beccb8) },
		{ SECTION_END,
		  24,
		  { 3, 300000, 100000, 2, 0.3 },
		  12,
		  UINT64_C(0xd518f7b57f6a924e) },
		{ SECTION_END,
		  30,
		  { 1, 60000, 20000, 0.6, 0.24 },
		  18,
		  UINT64_C(0xca7a0cede1cb8336) },
		{ SECTION_HEAVY,
		  320,
		  { 1, 40000, 30000, 0.6, 0.24 },
		  0,
		  UINT64_C(0x8c2c10879bf04ec9) },
		{ SECTION_HEAVY,
		  250,
		  { 7, 20000, 8192, 3, 0.01 },
		  0,
		  UINT64_C(0xf96cff6fa595071a) },
		{ SECTION_LIGHT,
		  180,
		  { 2, 20000, 8192, 1, 0.1 },
		  0,
		  UINT64_C(0xa601c3d9851b8492) },
		{ SECTION_LIGHT,
		  300,
		  { 5, 150000, 50000, 1, 0.1 },
		  83,
		  UINT64_C(0xae3e43f87b5af583) },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct found found = { .valid = true, .fewer = true };

		begin(rows[i].section, rows[i].nslots);
		anneal_run(&rows[i].anneal, &schedule, note_found, &found);
		if (!ok(found.n == rows[i].nfound &&
				digest_of_schedule() == rows[i].digest,
			"%s from %d slots, seed %d, %d steps: the search ends where it did",
			section_rows[rows[i].section].name, rows[i].nslots,
			(int)rows[i].anneal.seed, (int)rows[i].anneal.steps))
			tap_note("%u, UINT64_C(0x%016" PRIx64
				 "), %d slots, %d early, %d crowd, %d full",
				 found.n, digest_of_schedule(), schedule.nslots,
				 schedule.early, schedule.crowd, schedule.full);
		ok(found.valid && found.fewer,
		   "each solution is valid and has one slot less than that before");
	}
}

static void
test_seeds(void)
{
	const struct anneal first = { 1, 2000, 1000, 1, 0.1 };
	const struct anneal other = { 2, 2000, 1000, 1, 0.1 };
	struct found found = { .valid = true };
	uint64_t digest;

	begin(SECTION_LIGHT, 200);
	anneal_run(&first, &schedule, note_found, &found);
	digest = digest_of_schedule();
	begin(SECTION_LIGHT, 200);
	anneal_run(&other, &schedule, note_found, &found);
	ok(digest_of_schedule() != digest, "another seed takes another way");
}

static void
test_end(void)
{
	const struct anneal anneal = { 3, 300000, 100000, 2, 0.3 };
	struct found found = { .most = 2, .valid = true, .fewer = true };

	begin(SECTION_END, 30);
	anneal_run(&anneal, &schedule, note_found, &found);
	ok(found.n == 2 && schedule.nslots == found.slots &&
		   schedule_is_valid(&schedule),
	   "the search ends with the solution that was asked for");
}

/* A section without temporaries, and a seed without random numbers. */
static void
test_nothing(void)
{
	struct anneal anneal = { 1, 1000, 1000, 1, 0.1 };
	struct found found = { .valid = true };

	graph_clear(&graph);
	graph_fixed(&graph, PLACE_A, "a");
	graph_op(&graph, UNIT_ADD, 0, 0, graph_read(0), graph_read(0), -1, "");
	schedule_open(&schedule, &graph, SECTION_END, 20);
	schedule_count(&schedule);
	anneal_run(&anneal, &schedule, note_found, &found);
	ok(!found.n && schedule.time[0] == 0,
	   "without a place to choose there is no search");
	/* 88172645463325252 divided by 0x9e3779b97f4a7c15, modulo 2^64 */
	anneal.seed = UINT64_C(0xb9b38c4a7928ae34);
	begin(SECTION_END, 30);
	anneal_run(&anneal, &schedule, note_found, &found);
	ok(!found.n, "a seed that yields no random numbers finds nothing");
}

int
main(void)
{
	test_ways();
	test_seeds();
	test_end();
	test_nothing();
	return tap_done();
}
