/* SPDX-License-Identifier: MIT */
/*
 * Promise: every kernel computes SHA-256, whatever the lanes hold, on any number
 * of QPUs, and does nothing that the hardware forbids.
 */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/asm/asm.h"
#include "qpu/isa/pack.h"
#include "tests/kernel/rig.h"
#include "tests/support/tap.h"

static struct rig_job expected[MACHINE_QPUS];

static const unsigned qpu_counts[] = { 1, 5, 12 };

static bool
open_rig(struct rig *rig, const char *name, unsigned qpus, bool check,
	 unsigned blocks)
{
	const struct machine_options options = {
		.qpus = qpus,
		.check = check,
		.seed = 7 * qpus + blocks,
	};
	struct diag why = { .text = "" };
	const bool good =
		rig_open(rig, kernel_program(name), &options, blocks, &why);

	if (!good)
		tap_note("%s", why.text);
	return good;
}

/* Run; are all jobs, records and seals as expected, with one interrupt and no
 * finding? */
static bool
runs_as_expected(struct rig *rig)
{
	const size_t bytes = rig->qpus * sizeof(*expected);
	struct diag why = { .text = "" };
	const enum machine_status status = rig_run(rig, &why);
	const unsigned interrupts = machine_interrupts(rig->machine);

	if (status != MACHINE_DONE)
		tap_note("status %d: %s", status, why.text);
	if (rig->findings)
		tap_note("%u findings, the first: %s", rig->findings,
			 rig->finding);
	return status == MACHINE_DONE && !rig->findings && interrupts &&
	       !(interrupts & (interrupts - 1)) &&
	       machine_semaphore(rig->machine, KERNEL_SEMAPHORE) == 0 &&
	       memcmp(expected, rig_job(rig, 0), bytes) == 0;
}

/* Random segments on each QPU: `n` of them, of 1..most blocks, after which
 * messages begin in any lanes. */
static void
expect_segments(struct rig *rig, unsigned n, unsigned most)
{
	for (unsigned qpu = 0; qpu < rig->qpus; qpu++) {
		struct rig_segment segments[RIG_SEGMENTS];

		for (unsigned i = 0; i < n; i++)
			segments[i] = (struct rig_segment){
				.blocks = 1 + rig_random(rig) % most,
				.begins = rig_random(rig) & rig_random(rig) &
					  0xffff0000,
			};
		rig_plan(rig, qpu, segments, n);
		rig_expect(rig, qpu, segments, n, &expected[qpu]);
	}
}

static void
test_segments(const char *name, unsigned n, unsigned most, const char *what)
{
	for (size_t i = 0; i < 3; i++)
		for (int check = 0; check < 2; check++) {
			struct rig rig;
			bool good = open_rig(&rig, name, qpu_counts[i], check,
					     n * most);

			if (good) {
				expect_segments(&rig, n, most);
				good = runs_as_expected(&rig);
			}
			ok(good, "%s hashes %s on %u QPUs%s", name, what,
			   qpu_counts[i], check ? ", checked" : "");
			rig_close(&rig);
		}
}

/* A launch goes on where another one ended. */
static void
test_continuation(const char *name)
{
	struct rig rig;
	bool good = open_rig(&rig, name, 12, true, 9);

	if (good) {
		expect_segments(&rig, 1, 4);
		good = runs_as_expected(&rig);
	}
	for (unsigned qpu = 0; good && qpu < rig.qpus; qpu++) {
		struct rig_job *job = rig_job(&rig, qpu);

		memcpy(job->job.state, job->records[0].state,
		       sizeof(job->job.state));
	}
	if (good)
		expect_segments(&rig, 1, 4);
	ok(good && runs_as_expected(&rig),
	   "%s: a second launch goes on from any state", name);
	rig_close(&rig);
}

/* What a killed program may leave: all semaphores but ours are 1. */
static bool
raise_others(struct rig *rig)
{
	struct qpu_asm_program program;
	char text[512] = "";
	uint8_t kept[8 * 32];
	uint8_t *code = rig->memory + RIG_CODE;
	const struct machine_program launched = { .code = RIG_BASE + RIG_CODE };
	struct diag why;
	bool good;

	for (unsigned i = 0; i < 16; i++)
		if (i != KERNEL_SEMAPHORE)
			sprintf(text + strlen(text), "srel -, %u\n", i);
	strcat(text, "thrend\nnop\nnop\n");
	good = qpu_asm_text("others", text, strlen(text), NULL, &program) &&
	       program.nwords <= 32;
	if (good) {
		memcpy(kept, code, sizeof(kept));
		for (size_t i = 0; i < program.nwords; i++)
			qpu_word_store(code + 8 * i, program.words[i].word);
		good = machine_launch(rig->machine, &launched, 1, &why) &&
		       machine_run(rig->machine, 0, 0, &why) == MACHINE_DONE;
		memcpy(code, kept, sizeof(kept));
	}
	qpu_asm_free(&program);
	return good && machine_semaphore(rig->machine, 0) == 1;
}

static void
test_semaphores(const char *name)
{
	struct rig rig;
	bool good = open_rig(&rig, name, 12, true, 9);

	if (good) {
		good = raise_others(&rig);
		expect_segments(&rig, 2, 2);
	}
	ok(good && runs_as_expected(&rig),
	   "%s works though others have left semaphores raised", name);
	rig_close(&rig);
}

static void
test_hello(void)
{
	struct rig rig;
	bool good = open_rig(&rig, "hello", 5, true, 1);

	for (unsigned qpu = 0; good && qpu < rig.qpus; qpu++) {
		const struct rig_segment none = { .blocks = 0 };
		struct kernel_record *record = expected[qpu].records;

		rig_plan(&rig, qpu, &none, 1);
		rig_expect(&rig, qpu, &none, 1, &expected[qpu]);
		for (unsigned lane = 0; lane < KERNEL_LANES; lane++)
			record->state[0][lane] += lane;
		rig_expect_proof(&rig, &none, 1, &expected[qpu]);
	}
	ok(good && runs_as_expected(&rig), "hello: adds the lane's number");
	rig_close(&rig);
}

/* The last lane ends, with what is read ahead, where the memory does. */
static void
test_read_ahead(const char *name, unsigned blocks)
{
	const struct rig_segment segment = { .blocks = blocks };
	struct rig rig;
	struct diag why;
	bool good = open_rig(&rig, name, 1, true, 8);

	if (good) {
		rig_plan(&rig, 0, &segment, 1);
		rig_expect(&rig, 0, &segment, 1, &expected[0]);
		const size_t end = rig_block(&rig, 0, 15, blocks) - rig.memory +
				   KERNEL_AHEAD_BYTES;

		good = machine_remove_memory(rig.machine, RIG_BASE) &&
		       machine_add_memory(rig.machine, RIG_BASE, rig.memory,
					  end, &why);
	}
	ok(good && runs_as_expected(&rig),
	   "%s: a lane of %u blocks is not read beyond what is allowed", name,
	   blocks);
	rig_close(&rig);
}

int
main(void)
{
	static const char *const names[] = {
		"simple",
		"published",
		"optimised",
	};

	test_hello();
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		test_segments(names[i], 1, 7, "one segment");
		test_segments(names[i], 1, 1, "one block");
		test_segments(names[i], RIG_SEGMENTS, 1,
			      "a segment for each block");
		test_segments(names[i], 9, 3, "segments of 1..3 blocks");
	}
	test_continuation("simple");
	test_continuation("optimised");
	test_semaphores("simple");
	test_semaphores("optimised");
	for (unsigned blocks = 1; blocks < 5; blocks++) {
		test_read_ahead("simple", blocks);
		test_read_ahead("optimised", blocks);
	}
	return tap_done();
}
