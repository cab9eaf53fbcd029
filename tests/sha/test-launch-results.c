/* SPDX-License-Identifier: MIT */
/*
 * Promise: QPUs make of a launch's memory what the reference does, and each of
 * their results that is wrong or missing is found and named.
 */
#include "config.h"

#include "qpu/sha/lanes_launch.h"

#include "cpu/sha256.h"
#include "tests/sha/launch-rig.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

enum { ENDS = 8, PROGRAMS = 3, RECORDS = 256 };

static struct batch_end ends[LANES][ENDS];
static uint32_t states[LANES][SHA256_STATE_WORDS]; /* before the launch */
static uint8_t *copy;				   /* of all data */

/* Blocks of most lanes: in a short launch a program has an opening or a closing, in a
 * full one both. */
enum { SHORT = 9, FULL = 69 };
static uint32_t shortest = SHORT;

/* Messages ----------------------------------------------------------------- */

static void
fill_lane(unsigned lane, uint32_t blocks)
{
	struct batch *batch = &batches[lane / BATCH_LANES];
	const unsigned column = lane % BATCH_LANES;
	uint32_t n = 0, at = 0;

	for (unsigned i = 0; i < SHA256_STATE_WORDS; i++)
		states[lane][i] = random_32();
	batch_set_state(batch, column, states[lane]);
	batch->done[column] = 77;
	put(lane, blocks);
	while (n < ENDS && (at += 1 + random_32() % 4) <= blocks)
		ends[lane][n++] = (struct batch_end){ .block = at };
	/* Every third lane ends with its last block. */
	if (n > 0 && lane % 3 == 0)
		ends[lane][n - 1].block = blocks;
	batch->ends[column] = ends[lane];
	batch->nends[column] = n;
}

/* Work for the second, the fourth and the last QPU, none in a few lanes. */
static void
fill(void)
{
	begin(RECORDS);
	for (unsigned lane = 0; lane < LANES; lane++) {
		const unsigned qpu = lane / BATCH_LANES;
		const bool works = qpu == 1 || qpu == 3 || qpu == QPUS - 1;

		fill_lane(lane, !works || lane % 7 == 3 ? 0 :
				lane % 5 == 0		? shortest + 51 :
							  shortest + lane % 3);
	}
	if (!plan(MOST) || launch.nbatches != PROGRAMS)
		exit(99);
}

static bool
lane_is_right(unsigned lane, uint32_t *blocks)
{
	const struct batch *batch = &batches[lane / BATCH_LANES];
	const unsigned column = lane % BATCH_LANES;
	const uint8_t *bytes = copy + (size_t)lane * STRIDE;
	uint32_t at = 0, *state = states[lane], after[SHA256_STATE_WORDS];
	bool good = true;

	*blocks = batch->done[column];
	for (uint32_t i = 0; i < batch->nends[column]; i++) {
		const struct batch_end *end = &ends[lane][i];

		if (end->block > *blocks) {
			good = good && end->state[0] == 0;
			continue;
		}
		sha256_blocks(state, bytes + at * 64, end->block - at);
		at = end->block;
		good = good && memcmp(end->state, state, 32) == 0;
		memcpy(state, sha256_initial, 32);
	}
	sha256_blocks(state, bytes + at * 64, *blocks - at);
	batch_get_state(batch, column, after);
	return good && memcmp(after, state, 32) == 0;
}

/* A launch of this length: the few lanes that are longer do not pay. */
static void
test_right(uint32_t length)
{
	uint32_t blocks, announced[LANES];
	unsigned wrong = 0, uneven = 0;

	memcpy(copy, data.cpu, data.bytes);
	fill();
	lanes_announce(&launch, batches, QPUS);
	for (unsigned lane = 0; lane < LANES; lane++)
		announced[lane] =
			batches[lane / BATCH_LANES].done[lane % BATCH_LANES];
	ok(run_launch(), "QPUs end a launch");
	ok(memcmp(copy, data.cpu, data.bytes) != 0,
	   "known answers come after the blocks");
	lanes_take(&launch);
	ok(lanes_check(&launch, &why), "results that are right are believed");
	lanes_collect(&launch, batches, QPUS);
	for (unsigned lane = 0; lane < LANES; lane++) {
		const uint32_t has =
			batches[lane / BATCH_LANES].nblocks[lane % BATCH_LANES];

		wrong += !lane_is_right(lane, &blocks);
		uneven += blocks != (has < length ? has : length) ||
			  announced[lane] != blocks;
	}
	ok(uneven == 0, "blocks are done as announced, at most %u",
	   (unsigned)length);
	ok(wrong == 0, "states and ends are those of the reference");
	for (unsigned lane = 0; lane < LANES; lane++)
		if (batches[lane / BATCH_LANES].nblocks[lane % BATCH_LANES] >
		    length)
			wrong += memcmp(copy + (size_t)lane * STRIDE,
					place_of(lane), 60 * 64) != 0;
	ok(wrong == 0, "blocks that are left are what they were");
	end();
}

/* Wrong results ------------------------------------------------------------ */

/* A launch of which everything was right, until `spoil` had its way. */
static bool
refuses(void (*spoil)(unsigned program, unsigned where), unsigned program,
	unsigned where, const char *text)
{
	bool refused;

	fill();
	run_launch();
	spoil(program, where);
	lanes_take(&launch);
	why.text[0] = '\0';
	refused = !lanes_check(&launch, &why);
	end();
	if (refused && (!text || strcmp(why.text, text) == 0))
		return true;
	tap_note("program %u, %u: '%s'", program, where, why.text);
	return false;
}

/* The state that proves a lane, by number of lane and word. */
static uint32_t *
proof(unsigned program, unsigned where)
{
	const struct lane_course *lane = &launch.lanes[program][where % 16];
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

/* Two words side by side of the first row are the pattern of before. */
static void
spoil_two(unsigned program, unsigned where)
{
	const uint32_t poison = lanes_poison(&launch, program);
	const unsigned last = launch.plans[program].nsegments - 1;
	uint32_t *row = lanes_parts(&launch, program)
				.records[where / 128 ? last : 0]
				.state[where / 16 % 8];

	row[where % 16] = row[where % 16 + 1] = poison;
}

/* A single word of the first segment looks like the pattern. */
static void
spoil_one(unsigned program, unsigned where)
{
	lanes_parts(&launch, program).records[0].state[7][where] =
		lanes_poison(&launch, program);
}

/* The answer of an opening or a closing, by number of lane and word. */
static void
spoil_frame(unsigned program, unsigned where)
{
	lanes_parts(&launch, program)
		.frames[where / 128]
		->record.state[where / 16 % 8][where % 16] ^= 0x10000;
}

static void
swap(void *a, void *b, size_t bytes)
{
	uint8_t *x = a, *y = b;

	for (size_t i = 0; i < bytes; i++) {
		const uint8_t byte = x[i];

		x[i] = y[i];
		y[i] = byte;
	}
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
spoil_all(unsigned program, unsigned where)
{
	spoil_seal(program, where);
	spoil_proof(program, where);
	spoil_two(program, 0);
	spoil_seal(program + 1, where);
}

/* Of a program with an opening, and one with a closing. */
static bool
frames_are_checked(unsigned opens, unsigned closes)
{
	unsigned missed = 0;
	char text[128];

	for (unsigned where = 0; where < 2 * 8 * 16; where += 9) {
		const unsigned program = where < 8 * 16 ? opens : closes;

		snprintf(text, sizeof(text),
			 "wrong answer in lane %u of QPU program %u",
			 where % 16, program);
		missed += !refuses(spoil_frame, program, where, text);
	}
	return missed == 0;
}

static void
test_answers(void)
{
	unsigned missed = 0;
	char text[128];

	for (unsigned program = 0; program < PROGRAMS; program++)
		for (unsigned lane = 0; lane < BATCH_LANES; lane++) {
			const unsigned word = (lane + program) % 8;

			snprintf(text, sizeof(text),
				 "wrong answer in lane %u of QPU program %u",
				 lane, program);
			missed += !refuses(spoil_proof, program,
					   word * 16 + lane, text);
		}
	ok(missed == 0, "a wrong answer of each lane is found");
	for (unsigned word = 0; word < SHA256_STATE_WORDS; word++)
		missed += !refuses(spoil_proof, 1, word * 16 + 4,
				   "wrong answer in lane 4 of QPU program 1");
	ok(missed == 0, "a wrong answer is found in each of its words");
	missed += !frames_are_checked(2, 1);
	shortest = FULL;
	missed += !frames_are_checked(2, 2);
	shortest = SHORT;
	ok(missed == 0, "a wrong answer of an opening or closing is found");
	for (unsigned lane = 0; lane < BATCH_LANES; lane++)
		missed += !refuses(spoil_proof, QPUS - 1, lane, NULL);
	ok(missed == 0, "a wrong answer of a QPU without messages is found");
}

static void
test_stores(void)
{
	const char *text = "QPU program 1 has not stored all of its results";
	unsigned missed = 0;

	for (unsigned row = 0; row < 2 * SHA256_STATE_WORDS; row++)
		missed += !refuses(spoil_two, 1, row * 16 + row % 8 * 2, text);
	ok(missed == 0, "a result that was not stored is found, in each row");
	ok(refuses(spoil_two, PROGRAMS - 1, 14,
		   "QPU program 2 has not stored all of its results"),
	   "results of the last program are checked");
	for (unsigned lane = 0; lane < BATCH_LANES; lane++)
		missed += !refuses(spoil_one, 1, lane, NULL);
	ok(missed == 0, "a single word that was not stored is found");
	for (unsigned where = 0; where < 5; where++)
		missed += !refuses(spoil_order, 1, where, NULL);
	ok(missed == 0, "results in another order are found");
}

static void
test_seals(void)
{
	unsigned missed = 0;
	char text[128];

	for (unsigned program = 0; program < PROGRAMS; program++)
		for (unsigned where = 0; where < 3 * 16; where += 5) {
			snprintf(text, sizeof(text),
				 "wrong seal of QPU program %u", program);
			missed += !refuses(spoil_seal, program, where, text);
		}
	ok(missed == 0, "a seal that is wrong in a lane is found");
	for (unsigned lane = 0; lane < BATCH_LANES; lane++)
		missed += !refuses(spoil_seal, 0, 3 * 16 + lane,
				   "wrong proof of QPU program 0");
	ok(missed == 0, "a proof that is wrong in a lane is found");
	ok(refuses(spoil_all, 0, 0,
		   "QPU program 0 has not stored all of its results"),
	   "a missing result is told before a wrong one");
}

/* A QPU whose caches were not cleared hashes what was there a launch before. */
static void
test_looking_back(void)
{
	const size_t bytes = SHA256_BLOCK_BYTES;
	uint8_t *before = malloc(lanes_bytes(QPUS, RECORDS)), *block;

	if (!before)
		exit(99);
	fill();
	run_launch();
	lanes_take(&launch);
	memcpy(before, launch.memory.cpu, lanes_bytes(QPUS, RECORDS));
	plan(MOST);
	if (!lanes_has(&launch, 1, LANES_OPENING))
		exit(99);
	block = lanes_frame_block(&launch, LANES_OPENING, 9);
	memcpy(block, before + (block - (uint8_t *)launch.memory.cpu), bytes);
	run_launch();
	lanes_take(&launch);
	ok(!lanes_check(&launch, &why), "an old block is found");
	is(why.text,
	   "lane 9 of QPU program 1 has read what was in memory before: the "
	   "caches of the QPUs were not cleared",
	   "an old block is told, which caches have kept");
	end();
	free(before);
}

/* Known answers only, of all QPUs. */
static void
test_self_test(void)
{
	unsigned blocks = 0;

	begin(LANES_SEGMENTS_LEAST);
	plan(16);
	run_launch();
	for (unsigned i = 0; i < QPUS; i++)
		blocks += launch.plans[i].blocks;
	lanes_take(&launch);
	ok(launch.nbatches == 0 && launch.blocks == 0 && blocks == 12 * 16 &&
		   launch.longest == 16,
	   "a test has its blocks on each QPU");
	ok(lanes_check(&launch, &why), "whose answers are known");
	ok(lanes_parts(&launch, QPUS - 1).frames[LANES_CLOSING]->record.finish ==
			   QPUS &&
		   lanes_parts(&launch, 0).frames[LANES_CLOSING]->record.finish ==
			   0,
	   "the last of 12 programs waits for the others");
	end();
}

int
main(void)
{
	open_device();
	copy = malloc(data.bytes);
	if (!copy)
		return 99;
	test_right(10);
	shortest = FULL;
	test_right(69);
	shortest = SHORT;
	test_answers();
	test_stores();
	test_seals();
	test_looking_back();
	test_self_test();
	free(copy);
	device_emu.close(device);
	return tap_done();
}
