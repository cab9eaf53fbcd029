/* SPDX-License-Identifier: MIT */
/*
 * test-pair: the pair kernel hashes as fragment threads, costs what it may, and
 * is a program that the kernel's driver takes.
 */
#include "config.h"

#include <stdlib.h>

#include "qpu/validate/drm_rules.h"
#include "tests/kernel/pair_rig.h"
#include "tests/support/tap.h"

/* Exact; smaller is better: then change them. */
enum {
	PAIR_BLOCK = 1078,  /* instructions of one more block */
	PAIR_THREAD = 1183, /* of a thread whose messages have one block */
	PAIR_HOT = 405,	    /* different ones of all blocks but the first */
	ICACHE_INSTRUCTIONS = 512,
};

static bool
hashes(const struct machine_options *options, const struct pair_plan *plan)
{
	struct pair_rig rig;
	bool good = pair_rig_open(&rig, options, plan) &&
		    pair_rig_run(&rig) == MACHINE_DONE;

	if (!good)
		tap_note("%s", rig.job.emu.why.text);
	if (rig.job.emu.nfindings)
		tap_note("%u findings, the last: %s", rig.job.emu.nfindings,
			 rig.job.emu.finding);
	good = good && !rig.job.emu.nfindings && pair_rig_is_right(&rig);
	pair_rig_close(&rig);
	return good;
}

static void
test_lengths(void)
{
	static const struct {
		const char *what;
		struct pair_plan plan;
	} rows[] = {
		{ "no blocks keep their state", { .messages = 512 } },
		{ "one block", { .messages = 1024, .low = 1, .high = 1 } },
		{ "0 to 2 blocks, each its own",
		  { .messages = 512, .high = 2, .packed = true } },
		{ "0 to 19 blocks in two tiles",
		  { .messages = 1024, .high = 19 } },
	};
	static const struct {
		const char *what;
		struct machine_options options;
		unsigned delay;
	} modes[] = {
		{ "", { .qpus = 12 }, 0 },
		{ ", checked", { .check = true }, 0 },
		{ ", checked, quads shuffled",
		  { .check = true, .shuffle = true },
		  0 },
		{ ", timed, starts delayed", { .timed = true }, 5 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (size_t k = 0; k < sizeof(modes) / sizeof(*modes); k++) {
			struct machine_options options = modes[k].options;
			struct pair_plan plan = rows[i].plan;

			options.seed = plan.seed = 4 * i + k;
			plan.delay = modes[k].delay;
			plan.delayed_rows = 8;
			ok(hashes(&options, &plan), "pair: messages of %s%s",
			   rows[i].what, modes[k].what);
		}
}

/* Instructions of a thread whose messages have n blocks; *hot of them are run
 * for each block. */
static uint64_t
instructions(unsigned blocks, unsigned *hot)
{
	enum { ROWS = 4096 };
	static struct machine_profile_row rows[ROWS];
	const struct machine_options options = { .profile = true };
	const struct pair_plan plan = {
		.messages = PAIR_TILE_MESSAGES,
		.low = blocks,
		.high = blocks,
	};
	struct pair_rig rig;
	uint64_t n = 0;

	*hot = 0;
	if (pair_rig_open(&rig, &options, &plan) &&
	    pair_rig_run(&rig) == MACHINE_DONE) {
		const uint32_t code = rig.job.shader[0];
		const size_t nrows =
			machine_profile(pair_machine(&rig), rows, ROWS);

		for (size_t i = 0; i < nrows && i < ROWS; i++) {
			if (((rows[i].pc - code) & MACHINE_BUS_MASK) / 8 >=
			    pair_nwords)
				continue;
			n += rows[i].executions;
			*hot += rows[i].executions >=
				blocks * PAIR_TILE_THREADS;
		}
	}
	pair_rig_close(&rig);
	return n / PAIR_TILE_THREADS;
}

static void
test_cost(void)
{
	unsigned hot;
	const uint64_t thread = instructions(1, &hot);
	const uint64_t two = instructions(2, &hot);
	const uint64_t block = instructions(3, &hot) - two;

	tap_note("pair: %u instructions a block of 8 messages, %u of them "
		 "different, %u a thread of one block, %zu in all",
		 (unsigned)block, hot, (unsigned)thread, pair_nwords);
	ok(block == PAIR_BLOCK, "pair: %d instructions a block", PAIR_BLOCK);
	ok(hot == PAIR_HOT, "pair: %d different instructions a block",
	   PAIR_HOT);
	ok(thread == PAIR_THREAD, "pair: %d instructions a thread of one block",
	   PAIR_THREAD);
	ok(pair_nwords <= ICACHE_INSTRUCTIONS,
	   "pair: the whole program fits the instruction cache");
}

/* Is word n of the stream of this kind? */
static bool
is_kind(uint32_t byte, enum pair_uniform_kind kind)
{
	return byte % 4 == 0 && byte / 4 < pair_nuniforms &&
	       pair_uniforms[byte / 4].kind == kind;
}

/* What the driver counts of the program is what its tables say. */
static void
test_accepted(void)
{
	struct qpu_drm_program program;
	enum qpu_drm_rule_number rule;
	size_t index;
	const enum qpu_drm_verdict verdict =
		qpu_drm_check(pair_code, pair_nwords, &program, &rule, &index);
	bool good;

	ok(verdict == QPU_DRM_ACCEPTED,
	   "pair: accepted by the rules of the kernel's driver");
	if (verdict != QPU_DRM_ACCEPTED)
		return;
	good = program.uniform_bytes == 4 * pair_nuniforms &&
	       program.nloads == pair_nloads && !program.threaded;
	for (size_t i = 0; good && i < program.nloads; i++) {
		const uint32_t *p = program.loads[i].parameters;

		good = program.loads[i].direct &&
		       is_kind(p[0], PAIR_UNIFORM_BASE) &&
		       is_kind(p[1], PAIR_UNIFORM_CLAMP) &&
		       pair_uniforms[p[0] / 4].memory == pair_loads[i] &&
		       pair_uniforms[p[1] / 4].memory == pair_loads[i] &&
		       pair_uniforms[p[0] / 4].word + 4 <=
			       pair_uniforms[p[1] / 4].word;
	}
	for (size_t i = 0; good && i < program.naddresses; i++)
		good = is_kind(4 * program.addresses[i], PAIR_UNIFORM_ADDRESS);
	ok(good, "pair: its tables name the uniforms, lookups and addresses "
		 "that the driver counts");
	qpu_drm_free(&program);
}

int
main(void)
{
	test_lengths();
	test_cost();
	test_accepted();
	return tap_done();
}
