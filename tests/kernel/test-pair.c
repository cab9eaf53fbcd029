/* SPDX-License-Identifier: MIT */
/*
 * test-pair: the pair kernel hashes, costs what it may, and is a program that
 * the kernel's driver takes.  It runs as a compute program here.
 */
#include "config.h"

#include <stdlib.h>

#include "qpu/validate/drm.h"
#include "tests/kernel/pair_rig.h"
#include "tests/support/tap.h"

/* Exact; smaller is better: then change them. */
enum {
	PAIR_BLOCK = 1079,  /* instructions of one more block */
	PAIR_THREAD = 1203, /* of a thread whose messages have one block */
	PAIR_HOT = 405,	    /* different ones of all blocks but the first */
	ICACHE_INSTRUCTIONS = 512,
};

static bool
hashes(const struct pair_plan *plan)
{
	struct diag why = { .text = "" };
	struct pair_rig rig;
	bool good = pair_rig_open(&rig, plan, &why) &&
		    pair_rig_run(&rig, &why) == MACHINE_DONE;

	if (!good)
		tap_note("%s", why.text);
	if (rig.findings)
		tap_note("%u findings, the first: %s", rig.findings,
			 rig.finding);
	good = good && !rig.findings && pair_rig_is_right(&rig);
	pair_rig_close(&rig);
	return good;
}

static void
test_lengths(void)
{
	static const struct {
		unsigned qpus, low, high;
		const char *what;
	} rows[] = {
		{ 1, 0, 0, "no blocks keep their state" },
		{ 1, 1, 1, "one block" },
		{ 12, 1, 1, "one block on 12 QPUs" },
		{ 5, 0, 2, "0 to 2 blocks, each its own" },
		{ 12, 0, 19, "0 to 19 blocks, each its own, on 12 QPUs" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (unsigned mode = 0; mode < 3; mode++) {
			const struct pair_plan plan = {
				.options = { .qpus = rows[i].qpus,
					     .check = mode == 1,
					     .timed = mode == 2,
					     .seed = 3 * i + mode },
				.low = rows[i].low,
				.high = rows[i].high,
				.delay = mode == 2 ? 7 : 0,
			};
			static const char *const modes[] = {
				"",
				", checked",
				", timed, starts delayed",
			};

			ok(hashes(&plan), "pair: messages of %s%s",
			   rows[i].what, modes[mode]);
		}
}

/* Instructions of a thread whose messages have n blocks; *hot of them are run
 * for each block. */
static uint64_t
instructions(unsigned blocks, unsigned *hot)
{
	enum { ROWS = 2048 };
	static struct machine_profile_row rows[ROWS];
	const struct pair_plan plan = {
		.options = { .qpus = 1, .profile = true },
		.low = blocks,
		.high = blocks,
	};
	uint64_t n = 0;
	struct diag why;
	struct pair_rig rig;

	*hot = 0;
	if (pair_rig_open(&rig, &plan, &why) &&
	    pair_rig_run(&rig, &why) == MACHINE_DONE) {
		const size_t nrows = machine_profile(rig.machine, rows, ROWS);

		n = machine_instructions(rig.machine);
		for (size_t i = 0; i < nrows && i < ROWS; i++)
			*hot += rows[i].executions >= blocks;
	}
	pair_rig_close(&rig);
	return n;
}

static void
test_cost(void)
{
	unsigned hot;
	const uint64_t thread = instructions(1, &hot);
	const uint64_t two = instructions(2, &hot);
	const uint64_t block = instructions(3, &hot) - two;

	tap_note("pair: %u instructions a block of 8 messages, %u of them "
		 "different, %u a thread of one block",
		 (unsigned)block, hot, (unsigned)thread);
	ok(hot == PAIR_HOT, "pair: %d different instructions a block",
	   PAIR_HOT);
	tap_note("pair: %zu instructions in all", pair_nwords);
	ok(pair_nwords <= ICACHE_INSTRUCTIONS,
	   "pair: the whole program fits the instruction cache");
	ok(block == PAIR_BLOCK, "pair: %d instructions a block", PAIR_BLOCK);
	ok(thread == PAIR_THREAD, "pair: %d instructions a thread of one block",
	   PAIR_THREAD);
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
