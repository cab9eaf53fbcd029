/* SPDX-License-Identifier: MIT */
/*
 * Promise: a launch takes the batches that have work, is as long as pays, and
 * reads and writes nothing outside of the memory it was given.
 */
#include "config.h"

#include "qpu/sha/lanes_launch.h"

#include "src/base/fips180.h"
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

/* Blocks of known answers in a QPU without messages. */
static uint32_t
idle_blocks(void)
{
	return launch.longest < 64 ? launch.longest : 64;
}

/* Blocks of the known answers after a program's messages. */
static uint32_t
known_blocks(unsigned program)
{
	for (unsigned lane = 0; lane < BATCH_LANES; lane++)
		if (launch.lanes[program][lane].blocks > 0)
			return launch.lanes[program][lane].known_blocks;
	return 0;
}

/* Lanes are cut at the length, and programs follow the batches with work.  Lanes
 * without messages hash known answers for as long as the launch lasts. */
static bool
is_cut_at(uint32_t length, unsigned programs)
{
	unsigned program = 0;
	uint64_t blocks = 0, vectors = 0;
	bool good = true;

	for (unsigned i = 0; i < QPUS; i++) {
		uint32_t occupied = 0, longest = 0;
		bool is_idle = false;

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
			is_idle |= due == 0;
		}
		vectors += is_idle ? launch.longest :
				     longest + known_blocks(program);
		program++;
	}
	vectors += (QPUS - program) * idle_blocks();
	return good && program == programs && launch.nbatches == programs &&
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
		known = known_blocks(0);
		ok(launch.longest == mix->length + known && known >= 1 &&
			   known <= SEGMENT_KNOWN_BLOCKS,
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
	bool good = true;

	begin(LANES_SEGMENTS);
	ok(plan(MOST) && launch.nbatches == 0 && launch.blocks == 0,
	   "without blocks there is nothing to run");
	put(0, 20);
	ok(plan(0) && launch.nbatches == 1 && launch.longest == 1 &&
		   launch.blocks == 0,
	   "without time for a block there are known answers only");
	for (unsigned i = 0; i < 3; i++) {
		static const uint32_t lengths[] = { 3, 10, 400 };

		put(0, lengths[i]);
		good = good && plan(MOST);
		for (unsigned k = 1; k < QPUS; k++)
			good = good && launch.plans[k].blocks == idle_blocks();
	}
	ok(good, "QPUs without messages hash known answers meanwhile");
	end();
}

/* What another launch or process has left is not taken for results. */
static void
test_chance(void)
{
	enum { PROCESSES = 3, LAUNCHES = 2 };
	uint32_t nonces[PROCESSES * LAUNCHES];
	unsigned alike = 0, initial = 0;

	for (unsigned i = 0; i < PROCESSES * LAUNCHES; i++) {
		if (i % LAUNCHES == 0)
			begin(LANES_SEGMENTS);
		put(0, 5);
		plan(MOST);
		nonces[i] = lanes_nonce(&launch, 0);
		for (unsigned side = 0; side < LANES_SIDES; side++)
			initial += lanes_parts(&launch, 0)
					   .frames[side]
					   ->job.state[0][0] ==
				   sha256_initial[0];
		for (unsigned k = 0; k < i; k++)
			alike += nonces[k] == nonces[i];
		if (i % LAUNCHES == LAUNCHES - 1)
			end();
	}
	ok(alike == 0, "each launch of each process has another nonce");
	ok(initial == 0,
	   "openings and closings begin in the middle of a message");
}

/* One lane with messages of one block each, which need a segment each, and one for
 * the known answer. */
static void
test_segments(void)
{
	static struct batch_end ends[MOST];
	static const struct {
		unsigned most_segments, messages, blocks;
	} rows[] = { { LANES_SEGMENTS, 507, 507 },
		     { 256, 507, 255 },
		     { 16, 16, 15 },
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
 * set.  A test fills all of them, and the next one does so in the same order with
 * the complements, from other places of the same sets. */
static void
test_lines(void)
{
	enum { TEST = 16, L2_SETS = 128, WAYS = 4, TMU_SETS = 64, SLICES = 3 };
	static unsigned l2[L2_SETS], tmu[SLICES][TMU_SETS];
	const uint8_t *bytes = own.cpu;
	uint32_t before[LANES];
	unsigned alike = 0, missing = 0;

	begin(LANES_SEGMENTS);
	plan(TEST);
	plan(TEST);
	for (unsigned i = 0; i < LANES; i++)
		before[i] = launch.lanes[i / BATCH_LANES][i % BATCH_LANES].bus;
	plan(TEST);
	for (unsigned i = 0; i < LANES; i++) {
		const struct lane_course *lane =
			&launch.lanes[i / BATCH_LANES][i % BATCH_LANES];
		const size_t at = lane->bus - own.bus;

		alike += (lane->bus - before[i]) % (L2_SETS * 64) != 0;
		for (unsigned k = 0; k < lane->known_blocks * 64; k++)
			alike += (bytes[at + k] ^
				  bytes[before[i] - own.bus + k]) != 0xff;
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
	end();
}

/* Lines of openings and closings. */
static void
test_turns(void)
{
	enum { SETS = 128 };
	bool seen[SETS] = { false };
	uint32_t closing[BATCH_LANES];
	unsigned lines = 0, apart = 0;

	begin(LANES_SEGMENTS);
	for (unsigned turn = 0; turn < SETS / 8; turn++) {
		plan(MOST);
		for (unsigned lane = 0; lane < BATCH_LANES; lane++) {
			const uint32_t bus = lanes_bus(
				&launch, lanes_frame_block(
						 &launch, LANES_OPENING, lane));

			lines += !seen[bus / 64 % SETS];
			seen[bus / 64 % SETS] = true;
			apart += turn > 0 && bus != closing[lane];
			closing[lane] = lanes_bus(
				&launch, lanes_frame_block(
						 &launch, LANES_CLOSING, lane));
		}
	}
	ok(lines == SETS, "all sets of the caches have openings by turns");
	ok(apart == 0, "an opening looks up what the closing before it has");
	end();
}

int
main(void)
{
	open_device();
	test_mixes();
	test_staircase();
	test_nothing();
	test_chance();
	test_segments();
	test_places();
	test_lines();
	test_turns();
	device_emu.close(device);
	return tap_done();
}
