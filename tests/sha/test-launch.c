/* SPDX-License-Identifier: MIT */
/*
 * Promise: a launch takes the batches that have work, is as long as pays, and
 * reads and writes nothing outside of the memory it was given.
 */
#include "config.h"

#include "qpu/sha/lanes_launch.h"

#include "qpu/kernel/code.h"
#include "tests/sha/launch-rig.h"
#include "tests/support/tap.h"

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
	{ "a full QPU", { { 16, 20 } }, MOST, 20, 1 },
	{ "all QPUs", { { LANES, 20 } }, MOST, 20, 12 },
	{ "a lane of the last QPU", { { 191, 0 }, { 1, 9 } }, MOST, 9, 1 },
	{ "QPUs without work between",
	  { { 16, 7 }, { 16, 0 }, { 1, 7 } },
	  MOST,
	  7,
	  2 },
	{ "a straggler", { { 15, 2 }, { 1, 100 } }, MOST, 2, 1 },
	{ "a straggler of 192", { { 191, 3 }, { 1, MOST } }, MOST, 3, 12 },
	/* Of two lanes the longer one goes on alone if the other has no more
	 * blocks than a launch costs, which is LANES_COST_BLOCKS. */
	{ "cheaper than another launch", { { 1, 6 }, { 1, 90 } }, MOST, 90, 1 },
	{ "dearer than another launch", { { 1, 7 }, { 1, 90 } }, MOST, 7, 1 },
	{ "long ones in the minority",
	  { { 12, 100 }, { 4, MOST } },
	  MOST,
	  100,
	  1 },
	{ "nearly equal", { { 8, 20 }, { 8, 21 } }, MOST, 21, 1 },
	/* What is left would be a launch of its own, even if all lanes had as
	 * much by then: 640 blocks in 52 against 544 in 34, or 464 in 41
	 * against 392 in 35. */
	{ "a rest that is cheaper now", { { 8, 20 }, { 8, 28 } }, MOST, 28, 1 },
	{ "a rest that pays later", { { 8, 20 }, { 8, 29 } }, MOST, 20, 1 },
	/* Equally good: the longer one; and a block more or less counts. */
	{ "equal rates", { { 1, 6 }, { 1, 13 } }, MOST, 13, 1 },
	{ "equal rates in the end", { { 1, 16 }, { 1, 24 } }, MOST, 24, 1 },
	/* Lanes without blocks have no rest. */
	{ "a rest of a few lanes", { { 4, 20 }, { 4, 28 } }, MOST, 28, 1 },
	{ "full lanes, some not quite",
	  { { 184, 172 }, { 8, 147 } },
	  MOST,
	  172,
	  12 },
	{ "half and half", { { 96, 10 }, { 96, 40 } }, MOST, 10, 12 },
	{ "a few short ones", { { 4, 3 }, { 180, 200 } }, MOST, 200, 12 },
};

static void
put_runs(const struct mix *mix)
{
	unsigned lane = 0;

	for (unsigned run = 0; run < 4; run++)
		for (unsigned i = 0; i < mix->runs[run].lanes; i++)
			put(lane++, mix->runs[run].blocks);
}

/* Lanes are cut at the length, and programs follow the batches with work. */
static bool
is_cut_at(uint32_t length, unsigned programs)
{
	unsigned program = 0;
	uint64_t blocks = 0, vectors = 0;
	bool good = true;

	for (unsigned i = 0; i < QPUS; i++) {
		uint32_t occupied = 0, longest = 0;

		for (unsigned lane = 0; lane < BATCH_LANES; lane++)
			occupied |= batches[i].nblocks[lane];
		if (!occupied)
			continue;
		good = good && launch.batches[program] == i;
		for (unsigned lane = 0; lane < BATCH_LANES; lane++) {
			const uint32_t has = batches[i].nblocks[lane];
			const uint32_t due = has < length ? has : length;

			good = good &&
			       launch.lanes[program][lane].blocks == due;
			blocks += due;
			longest = due > longest ? due : longest;
		}
		vectors += longest + launch.lanes[program][0].known_blocks;
		program++;
	}
	return good && program == programs && launch.nprograms == programs &&
	       launch.blocks == blocks && launch.vectors == vectors;
}

static void
test_mixes(void)
{
	for (size_t i = 0; i < sizeof(mixes) / sizeof(*mixes); i++) {
		const struct mix *mix = &mixes[i];
		uint32_t known;

		begin(LANES_SEGMENTS);
		put_runs(mix);
		ok(plan(mix->most_blocks) &&
			   is_cut_at(mix->length, mix->programs),
		   "%s: %u blocks on %u QPUs", mix->name, (unsigned)mix->length,
		   mix->programs);
		known = launch.lanes[0][0].known_blocks;
		ok(launch.longest == mix->length + known && known >= 1 &&
			   known <= KNOWN_MOST_BLOCKS,
		   "%s: and a known answer", mix->name);
		end();
	}
}

/* 192 lanes of 1 to 192 blocks: another cost of a launch gives another
 * length. */
static void
test_staircase(void)
{
	begin(LANES_SEGMENTS);
	for (unsigned lane = 0; lane < LANES; lane++)
		put(lane, lane + 1);
	ok(plan(MOST) && is_cut_at(42, QPUS), "a staircase is cut at 42");
	end();
}

static void
test_nothing(void)
{
	begin(LANES_SEGMENTS);
	ok(plan(MOST) && launch.nprograms == 0 && launch.longest == 0 &&
		   launch.blocks == 0 && launch.vectors == 0,
	   "without blocks there is nothing to run");
	put(0, 20);
	ok(plan(0) && launch.nprograms == 1 && launch.longest == 2 &&
		   launch.blocks == 0,
	   "without time for a block there are known answers only");
	end();
}

/* What each launch does begins with itself. */
static void
test_turns(void)
{
	static const struct {
		uint32_t blocks;
		unsigned known, known_blocks, cut;
	} turns[] = { { 9, 61, 3, 0 },	{ 5, 122, 2, 1 }, { 7, 183, 3, 1 },
		      { 6, 244, 2, 0 }, { 1, 49, 3, 0 },  { 2, 110, 2, 1 },
		      { 3, 171, 3, 1 } };
	bool alone = true, known = true;
	uint32_t first;

	begin(LANES_SEGMENTS);
	first = launch.salt;
	for (unsigned i = 0; i < sizeof(turns) / sizeof(*turns); i++) {
		const uint32_t length = turns[i].blocks + turns[i].known_blocks;
		const struct lane_course *lane = &launch.lanes[1][3];

		put(0, turns[i].blocks);
		put(3 * BATCH_LANES + 3, turns[i].blocks);
		alone = alone && plan(MOST) && launch.turn == i + 1 &&
			launch.longest == length &&
			launch.blocks == 2 * turns[i].blocks &&
			launch.vectors == 2 * length && launch.nprograms == 2 &&
			launch.batches[0] == 0 && launch.batches[1] == 3;
		known = known && lane->known_blocks == turns[i].known_blocks &&
			lane->known == (first + turns[i].known + 19) %
					       KNOWN_MESSAGES &&
			lane->second ==
				(lane->known + BATCH_LANES) % KNOWN_MESSAGES &&
			launch.lanes[0][0].known ==
				(first + turns[i].known) % KNOWN_MESSAGES &&
			launch.lanes[0][1].known_blocks ==
				turns[i].known_blocks &&
			launch.lanes[0][0].cut == turns[i].cut &&
			launch.lanes[0][1].cut == !turns[i].cut;
	}
	ok(alone, "nothing of the launch before is counted");
	ok(known, "each launch and each lane has another known answer");
	end();
}

/* What another process has left is not taken for results. */
static void
test_chance(void)
{
	uint32_t nonces[3];

	for (unsigned i = 0; i < 3; i++) {
		begin(LANES_SEGMENTS);
		put(0, 5);
		plan(MOST);
		nonces[i] = lanes_nonce(&launch, 0);
		end();
	}
	ok(nonces[0] != nonces[1] && nonces[1] != nonces[2],
	   "the first launch has another nonce each time");
}

/* A launch that was planned and never ran leaves nothing to be put back. */
static void
test_plan_again(void)
{
	bool put_back = false;

	begin(LANES_SEGMENTS);
	for (unsigned lane = 0; lane < BATCH_LANES; lane++)
		put(lane, lane ? 4 : 400);
	plan(MOST);
	put_back = launch.lanes[0][0].put_back;
	put(0, 0);
	plan(MOST);
	ok(put_back && !launch.lanes[0][0].put_back &&
		   launch.lanes[0][0].blocks == 0,
	   "a plan begins with empty lanes");
	end();
}

/* A lane belongs to the memory in which it begins. */
static void
test_reads(void)
{
	struct device_memory memory = data;

	begin(LANES_SEGMENTS);
	put(5, 10);
	put(2 * BATCH_LANES + 15, 10);
	plan(MOST);
	ok(lanes_reads(&launch, &data) && lanes_reads(&launch, &launch.memory),
	   "a launch reads the memories of its lanes");
	memory.bus = launch.lanes[0][5].bus;
	memory.bytes = SHA256_BLOCK_BYTES;
	ok(lanes_reads(&launch, &memory),
	   "a memory that begins with a lane is read");
	memory.bus += SHA256_BLOCK_BYTES;
	ok(!lanes_reads(&launch, &memory),
	   "a memory that begins after a lane is not read");
	memory.bus -= 2 * SHA256_BLOCK_BYTES;
	ok(!lanes_reads(&launch, &memory),
	   "a memory that ends before a lane is not read");
	memory.bytes++;
	ok(lanes_reads(&launch, &memory),
	   "a memory that ends with the first byte of a lane is read");
	memory.bus = launch.lanes[1][15].bus;
	ok(lanes_reads(&launch, &memory),
	   "the memory of the last lane is read");
	end();
}

/* One lane with messages of one block each, which need a segment each, and two
 * for the known answers; where these are too many there is room for four. */
static void
test_segments(void)
{
	static struct batch_end ends[MOST];
	static const struct {
		unsigned most_segments, messages, blocks;
	} rows[] = { { LANES_SEGMENTS, 507, 507 },
		     { 256, 507, 252 },
		     { 16, 16, 12 },
		     { 16, 14, 14 } };

	for (unsigned k = 0; k < MOST; k++)
		ends[k].block = k + 1;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		begin(rows[i].most_segments);
		put(3, rows[i].messages);
		batches[0].ends[3] = ends;
		batches[0].nends[3] = rows[i].messages;
		ok(plan(MOST) && is_cut_at(rows[i].blocks, 1) &&
			   launch.plans[0].nsegments <= rows[i].most_segments,
		   "%u of %u messages of a block are done in %u segments",
		   rows[i].blocks, rows[i].messages, rows[i].most_segments);
		end();
	}
}

/* Known answers come after the blocks; what they cover comes back. */
static void
test_known_answers(void)
{
	uint8_t *cut = place_of(1) + 4 * SHA256_BLOCK_BYTES;
	uint8_t before[KNOWN_MOST_BLOCKS * SHA256_BLOCK_BYTES];
	const struct lane_course *lanes = launch.lanes[0];

	begin(LANES_SEGMENTS);
	for (unsigned lane = 0; lane < BATCH_LANES; lane++)
		put(lane, lane == 1 ? 400 : lane == 2 ? 0 : 4);
	memset(cut, 0x5a, sizeof(before));
	memcpy(before, cut, sizeof(before));
	plan(MOST);
	ok(lanes[0].place == place_of(0) + 4 * SHA256_BLOCK_BYTES &&
		   lanes[0].bus == data.bus && !lanes[0].put_back,
	   "a lane that ends has its known answer after its blocks");
	ok(lanes[1].place == cut && lanes[1].bus == data.bus + STRIDE &&
		   lanes[1].put_back &&
		   memcmp(before, cut, SHA256_BLOCK_BYTES) != 0,
	   "a lane that goes on has its known answer in its next blocks");
	ok(lanes[2].place == lanes_idle_lane(&launch, 0, 2) &&
		   lanes[2].bus == lanes_bus(&launch, lanes[2].place),
	   "a lane without blocks has its known answer in the memory of the launch");
	lanes_take(&launch);
	ok(memcmp(before, cut, sizeof(before)) == 0 && !lanes[1].put_back,
	   "the next blocks of a lane are put back after the launch");
	end();
}

/* What programs have to store looks as if it had not been, whatever was stored
 * there by an earlier launch. */
static void
test_seals(void)
{
	bool good = true;

	begin(LANES_SEGMENTS);
	for (unsigned lane = 0; lane < 3 * BATCH_LANES; lane++)
		put(lane, 5);
	plan(MOST);
	for (unsigned i = 0; i < 3; i++) {
		const struct kernel_seal *seal = lanes_seal(&launch, i);
		const uint32_t poison = lanes_poison(&launch, i);

		for (unsigned lane = 0; lane < BATCH_LANES; lane++)
			good = good && seal->nonce[lane] == poison &&
			       seal->ends[lane] == poison &&
			       seal->self[lane] == poison &&
			       seal->proof[lane] == poison;
	}
	ok(good, "the seals of three programs are broken before they run");
	for (unsigned i = 0; i < 3 * 5; i++) {
		const unsigned program = i / 5, record = i % 5;
		const uint32_t *state =
			record < 3 ? lanes_record(&launch, program, record)
					     ->state[0] :
				     lanes_frame(&launch, program, record - 3)
					     ->record.state[0];

		for (unsigned k = 0; k < KERNEL_STATE_ROWS * 16; k++)
			good = good &&
			       state[k] == lanes_poison(&launch, program);
	}
	ok(good && launch.plans[0].nsegments == 3,
	   "places of states hold the pattern before a launch");
	end();
}

/* The blocks of openings and closings and the code, then for each program an
 * opening, a job, records, a closing and a seal, then a place for each lane
 * without blocks, and what is read after the last one. */
static void
test_memory(void)
{
	const size_t code = 1088 + 26 * 64 + sha256_kernel_nwords * 8 + 128;
	const size_t jobs = (code + 63) / 64 * 64;
	const size_t job = 2 * (640 + 576) + 640 + 512 * 576 + 256;

	ok(lanes_bytes(QPUS, 512) == jobs + QPUS * job + LANES * 320 + 33280 &&
		   lanes_bytes(1, 16) ==
			   jobs + job - 496 * 576 + 16 * 320 + 33280,
	   "a launch needs memory for jobs, records and lanes without blocks");
}

/* A lane of 10 blocks at `offset` of memory of this size. */
static bool
fits(size_t offset, size_t bytes)
{
	struct device_memory memories[2] = { data, data };
	bool good;

	memories[0].bytes = STRIDE; /* another one, before */
	memories[1].cpu = place_of(1);
	memories[1].bus = 0x60000000;
	memories[1].bytes = bytes;
	begin(LANES_SEGMENTS);
	put(0, 10);
	batches[0].data[0] = place_of(1) + offset;
	good = lanes_plan(&launch, batches, QPUS, memories, 2, MOST, &why);
	if (good && launch.lanes[0][0].bus != 0x60000000 + offset)
		good = false;
	end();
	return good;
}

static void
test_places(void)
{
	/* The first launch has known answers of 3 blocks. */
	const size_t read = 13 * SHA256_BLOCK_BYTES + KERNEL_AHEAD_BYTES;

	ok(fits(0, 4096), "data are found in the second memory");
	ok(fits(64, 64 + read), "up to the last byte that a QPU may read");
	ok(!fits(64, 64 + read - 1),
	   "data that end after their memory are refused");
	ok(!fits(32, 4096), "data that begin between two lines are refused");
	ok(!fits(4096, 4096),
	   "data that begin at the end of a memory are refused");
}

int
main(void)
{
	get_memory(&data, (size_t)LANES * STRIDE, BUS + 0x8000000);
	test_mixes();
	test_staircase();
	test_nothing();
	test_turns();
	test_chance();
	test_plan_again();
	test_reads();
	test_segments();
	test_known_answers();
	test_seals();
	test_memory();
	test_places();
	free(data.cpu);
	return tap_done();
}
