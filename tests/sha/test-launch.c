/* SPDX-License-Identifier: MIT */
/*
 * Promise: a launch takes the lanes that have work, is as long as pays, and
 * reads and writes nothing outside of the memory it was given; and each result
 * that is wrong or missing is found and named.
 */
#include "config.h"

#include "qpu/pi/emulated.h"
#include "qpu/sha/lanes_launch.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/engine.h"
#include "tests/support/tap.h"

enum {
	QPUS = 12,
	LANES = QPUS * KERNEL_LANES,
	/* A lane's place: all blocks that one may have, and the slack. */
	STRIDE = 40 * 1024,
	MOST = SEGMENT_DATA_BLOCKS
};

static struct lanes_launch launch;
static struct way_memory own, data; /* of the launch, of the lanes */
static struct engine_lane lanes[LANES];
static struct diag why;
static void *device;

/* The emulated device of all launches. */
static void
open_device(void)
{
	unsigned qpus;

	device = way_emulated.open("qpus=12", &qpus, &why);
	if (!device ||
	    !way_emulated.alloc(device, lanes_bytes(QPUS, LANES_SEGMENTS), &own,
				&why) ||
	    !way_emulated.alloc(device, (size_t)LANES * STRIDE, &data, &why))
		exit(99);
	memset(data.cpu, 0x5a, data.bytes);
}

static void
begin(unsigned most_segments)
{
	if (!lanes_init(&launch, QPUS, most_segments, &own, nonce_begin()))
		exit(99);
	memset(lanes, 0, sizeof(lanes));
}

static void
end(void)
{
	lanes_free(&launch);
}

static uint8_t *
place_of(unsigned lane)
{
	return (uint8_t *)data.cpu + (size_t)lane * STRIDE;
}

static void
put(unsigned lane, uint32_t blocks)
{
	lanes[lane].data = place_of(lane);
	lanes[lane].nblocks = blocks;
}

static bool
plan(uint32_t most_blocks)
{
	return lanes_plan(&launch, lanes, LANES, &data, 1, most_blocks, &why);
}

/* How long: lanes in the order of the machine's, as runs of lanes that are
 * equally long. */
static const struct mix {
	const char *name;
	struct {
		unsigned lanes;
		uint32_t blocks;
	} runs[4];
	uint32_t most_blocks;
	uint32_t length; /* at which all are cut */
	unsigned programs;
} mixes[] = {
	{ "one block", { { 1, 1 } }, MOST, 1, 1 },
	{ "one long message", { { 1, 5000 } }, MOST, MOST, 1 },
	{ "less time than it needs", { { 1, 5000 } }, 100, 100, 1 },
	{ "a lane of the last QPU", { { 191, 0 }, { 1, 9 } }, MOST, 9, 1 },
	{ "QPUs without work between",
	  { { 16, 7 }, { 16, 0 }, { 1, 7 } },
	  MOST,
	  7,
	  2 },
	{ "a straggler of 192", { { 191, 3 }, { 1, MOST } }, MOST, MOST, 12 },
	{ "full lanes, some not quite",
	  { { 184, 172 }, { 8, 147 } },
	  MOST,
	  172,
	  12 },
};

static void
put_runs(const struct mix *mix)
{
	unsigned lane = 0;

	for (unsigned run = 0; run < 4; run++)
		for (unsigned i = 0; i < mix->runs[run].lanes; i++)
			put(lane++, mix->runs[run].blocks);
}

/* Lanes are cut at the length. */
static bool
is_cut_at(uint32_t length)
{
	bool good = true;

	for (unsigned lane = 0; lane < LANES; lane++) {
		const uint32_t has = lanes[lane].nblocks;

		good &= lanes[lane].done == (has < length ? has : length);
	}
	return good && launch.longest == length + 1;
}

static void
test_mixes(void)
{
	for (size_t i = 0; i < sizeof(mixes) / sizeof(*mixes); i++) {
		const struct mix *mix = &mixes[i];

		begin(LANES_SEGMENTS);
		put_runs(mix);
		ok(plan(mix->most_blocks) && is_cut_at(mix->length) &&
			   launch.nbusy == mix->programs,
		   "%s: %u blocks and a known answer on %u QPUs", mix->name,
		   (unsigned)mix->length, mix->programs);
		end();
	}
}

static void
test_nothing(void)
{
	begin(LANES_SEGMENTS);
	ok(plan(MOST) && launch.nbusy == 0 && launch.blocks == 0,
	   "without blocks there is nothing to run");
	put(0, 20);
	ok(plan(0) && launch.nbusy == 1 && launch.longest == 1 &&
		   launch.blocks == 0,
	   "without time for a block there are known answers only");
	end();
}

/* Leftovers of another launch or process are not taken for results. */
static void
test_chance(void)
{
	enum { PROCESSES = 3, LAUNCHES = 2 };
	uint32_t nonces[PROCESSES * LAUNCHES];
	unsigned alike = 0;

	for (unsigned i = 0; i < PROCESSES * LAUNCHES; i++) {
		if (i % LAUNCHES == 0)
			begin(LANES_SEGMENTS);
		put(0, 5);
		plan(MOST);
		nonces[i] = lanes_nonce(&launch, 0);
		for (unsigned k = 0; k < i; k++)
			alike += nonces[k] == nonces[i];
		if (i % LAUNCHES == LAUNCHES - 1)
			end();
	}
	ok(alike == 0, "each launch of each process has another nonce");
}

/* A lane of 10 blocks at `offset` of memory of this size. */
static bool
fits(size_t offset, size_t bytes)
{
	struct way_memory memories[2] = { data, data };
	bool good;

	memories[0].bytes = STRIDE; /* another one, before */
	memories[1].cpu = place_of(1);
	memories[1].bus = 0x60000000;
	memories[1].bytes = bytes;
	begin(LANES_SEGMENTS);
	put(0, 10);
	lanes[0].data = place_of(1) + offset;
	good = lanes_plan(&launch, lanes, LANES, memories, 2, MOST, &why);
	if (good && launch.lanes[0][0].bus != 0x60000000 + offset)
		good = false;
	end();
	return good;
}

static void
test_places(void)
{
	/* Known answers of a short launch have one block. */
	const size_t read = 11 * SHA256_BLOCK_BYTES + KERNEL_AHEAD_BYTES;

	ok(fits(0, 4096), "data are found in the second memory");
	ok(fits(64, 64 + read), "up to the last byte that a QPU may read");
	ok(!fits(64, 64 + read - 1),
	   "data that end after their memory are refused");
	ok(!fits(32, 4096), "data that begin between two lines are refused");
	ok(!fits(4096, 4096),
	   "data that begin at the end of a memory are refused");
}

/* Caches of the QPUs by their sizes: four texture units' or L2's lines of each
 * set.  A test fills all of them, and the next one does so in the same order
 * with
 * the complements in the same places. */
static void
test_lines(void)
{
	enum { TEST = 16, L2_SETS = 128, WAYS = 4, TMU_SETS = 64, SLICES = 3 };
	static unsigned l2[L2_SETS], tmu[SLICES][TMU_SETS];
	const uint8_t *bytes = own.cpu;
	uint8_t *old = malloc(own.bytes);
	uint32_t before[LANES];
	unsigned alike = 0, missing = 0;

	begin(LANES_SEGMENTS);
	plan(TEST);
	plan(TEST);
	for (unsigned i = 0; i < LANES; i++)
		before[i] =
			launch.lanes[i / KERNEL_LANES][i % KERNEL_LANES].bus;
	memcpy(old, bytes, own.bytes);
	plan(TEST);
	for (unsigned i = 0; i < LANES; i++) {
		const struct lane_plan *lane =
			&launch.lanes[i / KERNEL_LANES][i % KERNEL_LANES];
		const size_t at = lane->bus - own.bus;

		alike += lane->bus != before[i];
		for (unsigned k = 0; k < lane->known_blocks * 64; k++)
			alike += (bytes[at + k] ^ old[at + k]) != 0xff;
		for (unsigned k = 0; k < lane->known_blocks; k++) {
			l2[(lane->bus / 64 + k) % L2_SETS]++;
			tmu[i / (LANES / SLICES)]
			   [(lane->bus / 64 + k) % TMU_SETS]++;
		}
	}
	for (unsigned set = 0; set < L2_SETS; set++)
		missing += l2[set] < WAYS;
	for (unsigned i = 0; i < SLICES * TMU_SETS; i++)
		missing += tmu[i / TMU_SETS][i % TMU_SETS] == 0;
	ok(missing == 0, "a test goes over every line of L2 and of each TMU");
	ok(alike == 0, "the next one has the complement of every bit there");
	free(old);
	end();
}

/* Wrong results ------------------------------------------------------------ */

enum { PROGRAMS = 3, RECORDS = 256 };

enum { SHORTEST = 9 }; /* blocks of most lanes */

/* Work for the second, the fourth and the last QPU, none in a few lanes: two messages
 * in each. */
static void
fill(void)
{
	static struct engine_end ends[LANES][2];

	begin(RECORDS);
	for (unsigned lane = 0; lane < LANES; lane++) {
		const unsigned qpu = lane / KERNEL_LANES;
		const bool works = qpu == 1 || qpu == 3 || qpu == QPUS - 1;

		if (!works || lane % 7 == 3)
			continue;
		put(lane, SHORTEST + lane % 3);
		ends[lane][0].block = 1 + lane % 5;
		ends[lane][1].block = SHORTEST;
		lanes[lane].ends = ends[lane];
		lanes[lane].nends = 2;
	}
	if (!plan(MOST) || launch.nbusy != PROGRAMS)
		exit(99);
}

#define WRONG_ANSWER "wrong answer"
#define WRONG_SEAL "wrong seal"
#define WRONG_PROOF "wrong proof"

/* Check that a right launch is refused once `spoil` has changed it. */
static bool
refuses(void (*spoil)(unsigned program, unsigned where), unsigned program,
	unsigned where, const char *text)
{
	const bool tells_lane = strcmp(text, WRONG_ANSWER) == 0;
	char expected[128];
	bool refused;

	fill();
	way_run(&way_emulated, device,
		&(struct way_job){ .launch = { launch.programs, QPUS, 1000 } },
		0, &why);
	lanes_take(&launch);
	if (!lanes_check(&launch, &why))
		exit(99);
	spoil(program, where);
	lanes_take(&launch);
	why.text[0] = '\0';
	refused = !lanes_check(&launch, &why);
	end();
	if (tells_lane)
		snprintf(expected, sizeof(expected),
			 "%s in lane %u of QPU program %u", text, where % 16,
			 program);
	else
		snprintf(expected, sizeof(expected), "%s of QPU program %u",
			 text, program);
	if (refused && (!*text || strcmp(why.text, expected) == 0))
		return true;
	tap_note("program %u, %u: '%s'", program, where, why.text);
	return false;
}

/* The state that proves a lane, by number of lane and word. */
static uint32_t *
proof(unsigned program, unsigned where)
{
	const struct lane_plan *lane = &launch.lanes[program][where % 16];
	const unsigned number =
		launch.plans[program].number[lane->blocks + lane->known_blocks];

	return &lanes_parts(&launch, program)
			.records[number - 1]
			.state[where / 16][where % 16];
}

static void
spoil_proof(unsigned program, unsigned where)
{
	*proof(program, where) ^= 1u << where % 32;
}

/* A word as it was before. */
static void
spoil_store(unsigned program, unsigned where)
{
	const unsigned last = launch.plans[program].nsegments - 1;

	lanes_parts(&launch, program)
		.records[where / 128 ? last : 0]
		.state[where / 16 % 8][where % 16] ^= 1;
}

static void
swap(void *a, void *b, size_t bytes)
{
	uint8_t kept[sizeof(struct kernel_record)];

	memcpy(kept, a, bytes);
	memcpy(a, b, bytes);
	memcpy(b, kept, bytes);
}

/* Rows in another order: of two segments in all lanes or one, of one segment,
 * of two programs. */
static void
spoil_order(unsigned program, unsigned where)
{
	struct kernel_record *record = lanes_parts(&launch, program).records;

	switch (where) {
	case 0: swap(record[1].state, record[2].state, 512); break;
	case 1: swap(&record[1].state[0][9], &record[2].state[0][9], 4); break;
	case 2: swap(record[1].state[3], record[1].state[4], 64); break;
	case 3: swap(record[0].state[3], record[1].state[3], 64); break;
	default:
		swap(record[1].state,
		     lanes_parts(&launch, (program + 1) % PROGRAMS)
			     .records[1]
			     .state,
		     512);
	}
}

static void
spoil_seal(unsigned program, unsigned where)
{
	struct kernel_seal *seal = lanes_parts(&launch, program).seal;

	(where / 16 == 0 ? seal->nonce :
	 where / 16 == 1 ? seal->ends :
	 where / 16 == 2 ? seal->self :
			   seal->proof)[where % 16]++;
}

static void
test_results(void)
{
	/* `where` goes from the first to the last one by steps; at 16 times a
	 * word and a lane. */
	static const struct {
		void (*spoil)(unsigned program, unsigned where);
		unsigned program, first, last, step;
		const char *text;
		const char *what;
	} rows[] = {
		{ spoil_proof, 0, 0, 127, 17, WRONG_ANSWER,
		  "a wrong answer of a lane" },
		{ spoil_proof, 2, 0, 127, 13, WRONG_ANSWER,
		  "a wrong answer of the last lanes" },
		{ spoil_proof, QPUS - 1, 0, 15, 3, "",
		  "a wrong answer of a QPU without messages" },
		{ spoil_store, 1, 0, 255, 18, "",
		  "a result that was not stored" },
		{ spoil_store, PROGRAMS - 1, 14, 14, 1, "",
		  "the same of the last program" },
		{ spoil_order, 1, 0, 4, 1, "", "results in another order" },
		{ spoil_seal, 0, 0, 47, 5, WRONG_SEAL, "a wrong seal" },
		{ spoil_seal, 0, 48, 63, 1, WRONG_PROOF, "a wrong proof" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		unsigned missed = 0;

		for (unsigned where = rows[i].first; where <= rows[i].last;
		     where += rows[i].step)
			missed += !refuses(rows[i].spoil, rows[i].program,
					   where, rows[i].text);
		ok(missed == 0, "%s is found and named", rows[i].what);
	}
}

static const struct kernel_record *
last_record(unsigned program)
{
	return &lanes_parts(&launch, program)
			.records[launch.plans[program].nsegments - 1];
}

/* Known answers only, of all QPUs. */
static void
test_self_test(void)
{
	unsigned blocks = 0;

	begin(LANES_SEGMENTS_LEAST);
	plan(16);
	way_run(&way_emulated, device,
		&(struct way_job){ .launch = { launch.programs, QPUS, 1000 } },
		0, &why);
	for (unsigned i = 0; i < QPUS; i++)
		blocks += launch.plans[i].blocks;
	lanes_take(&launch);
	ok(launch.nbusy == 0 && launch.blocks == 0 && blocks == 12 * 16 &&
		   launch.longest == 16,
	   "a test has its blocks on each QPU");
	ok(lanes_check(&launch, &why), "whose answers are known");
	ok(last_record(QPUS - 1)->finish == QPUS && last_record(0)->finish == 0,
	   "the last of 12 programs waits for the others");
	end();
}

int
main(void)
{
	open_device();
	test_mixes();
	test_nothing();
	test_chance();
	test_places();
	test_lines();
	test_results();
	test_self_test();
	way_emulated.close(device);
	return tap_done();
}
