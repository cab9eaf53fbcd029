/* SPDX-License-Identifier: MIT */
/*
 * test-qpu-kernels: every kernel computes SHA-256, whatever the lanes hold, on
 * any number of QPUs, and does nothing the hardware would mind.
 */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernel-rig.h"
#include "tests/tap.h"

static struct kernel_job expected[MACHINE_QPUS];

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
	const bool good = rig_open(rig, rig_program(name), &options, blocks,
				   &why);

	if (!good)
		tap_note("%s", why.text);
	return good;
}

/* Run; are all jobs as expected, with one interrupt and no finding? */
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
	return status == MACHINE_DONE && !rig->findings &&
	       interrupts && !(interrupts & (interrupts - 1)) &&
	       machine_semaphore(rig->machine, 0) == 0 &&
	       memcmp(expected, rig_job(rig, 0), bytes) == 0;
}

/* Counts for all lanes: 0..most, or all the same. */
static void
expect_hashes(struct rig *rig, unsigned most, bool same)
{
	for (unsigned qpu = 0; qpu < rig->qpus; qpu++) {
		struct kernel_job *job = rig_job(rig, qpu);

		for (unsigned lane = 0; lane < KERNEL_LANES; lane++)
			job->nblocks[lane] = same ? most :
				rig_random(rig) % (most + 1);
		expected[qpu] = *job;
		for (unsigned lane = 0; lane < KERNEL_LANES; lane++)
			rig_hash(rig, qpu, lane, &expected[qpu]);
	}
}

static void
test_hashes(const char *name, unsigned most, bool same, const char *what)
{
	for (size_t i = 0; i < 3; i++)
		for (int check = 0; check < 2; check++) {
			struct rig rig;
			bool good = open_rig(&rig, name, qpu_counts[i], check,
					     most + 1);

			if (good) {
				expect_hashes(&rig, most, same);
				good = runs_as_expected(&rig);
			}
			ok(good, "%s: %s on %u QPUs%s", name, what,
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
		expect_hashes(&rig, 4, false);
		good = runs_as_expected(&rig);
	}
	for (unsigned qpu = 0; good && qpu < rig.qpus; qpu++) {
		struct kernel_job *job = rig_job(&rig, qpu);

		for (unsigned lane = 0; lane < KERNEL_LANES; lane++) {
			uint32_t state[SHA256_STATE_WORDS];

			job->data[lane] += 64 * job->nblocks[lane];
			for (int i = 0; i < SHA256_STATE_WORDS; i++)
				state[i] = job->state[i][lane];
			sha256_blocks(state,
				      rig_block(&rig, qpu, lane,
						job->nblocks[lane]), 5);
			job->nblocks[lane] = 5;
			expected[qpu] = lane ? expected[qpu] : *job;
			expected[qpu].data[lane] = job->data[lane];
			expected[qpu].nblocks[lane] = 5;
			for (int i = 0; i < SHA256_STATE_WORDS; i++)
				expected[qpu].state[i][lane] = state[i];
		}
	}
	ok(good && runs_as_expected(&rig),
	   "%s: a second launch goes on from any state", name);
	rig_close(&rig);
}

static void
test_hello(void)
{
	struct rig rig;
	bool good = open_rig(&rig, "hello", 5, true, 1);

	for (unsigned qpu = 0; good && qpu < rig.qpus; qpu++) {
		expected[qpu] = *rig_job(&rig, qpu);
		for (unsigned lane = 0; lane < KERNEL_LANES; lane++)
			expected[qpu].state[0][lane] += lane;
	}
	ok(good && runs_as_expected(&rig), "hello: adds the lane's number");
	rig_close(&rig);
}

static uint32_t
ror(uint32_t x, int count)
{
	return x >> count | x << (32 - count);
}

/* FIPS 180-4, 6.2.2, step 3, for t = 0..15, w from the block's bytes. */
static void
sixteen_rounds(uint32_t s[SHA256_STATE_WORDS], const uint8_t *data)
{
	for (int t = 0; t < 16; t++, data += 4) {
		const uint32_t w = (uint32_t)data[0] << 24 | data[1] << 16 |
				   data[2] << 8 | data[3];
		const uint32_t t1 = s[7] + sha256_k[t] + w +
			(ror(s[4], 6) ^ ror(s[4], 11) ^ ror(s[4], 25)) +
			((s[4] & s[5]) ^ (~s[4] & s[6]));
		const uint32_t t2 =
			(ror(s[0], 2) ^ ror(s[0], 13) ^ ror(s[0], 22)) +
			((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));

		memmove(s + 1, s, 7 * sizeof(*s));
		s[4] += t1;
		s[0] = t1 + t2;
	}
}

static void
test_partial(void)
{
	struct rig rig;
	bool good = open_rig(&rig, "partial", 12, true, 1);

	for (unsigned qpu = 0; good && qpu < rig.qpus; qpu++) {
		expected[qpu] = *rig_job(&rig, qpu);
		for (unsigned lane = 0; lane < KERNEL_LANES; lane++) {
			uint32_t s[SHA256_STATE_WORDS];

			for (int i = 0; i < SHA256_STATE_WORDS; i++)
				s[i] = expected[qpu].state[i][lane];
			sixteen_rounds(s, rig_block(&rig, qpu, lane, 0));
			for (int i = 0; i < SHA256_STATE_WORDS; i++)
				expected[qpu].state[i][lane] = s[i];
		}
	}
	ok(good && runs_as_expected(&rig),
	   "partial: the first sixteen rounds of every lane");
	rig_close(&rig);
}

/* The last lane ends, with its slack, where the memory does. */
static void
test_slack(const char *name, unsigned blocks)
{
	struct rig rig;
	struct diag why;
	bool good = open_rig(&rig, name, 1, true, 8);

	if (good) {
		expect_hashes(&rig, 7, false);
		expected[0] = *rig_job(&rig, 0);
		expected[0].nblocks[15] = blocks;
		*rig_job(&rig, 0) = expected[0];
		for (unsigned lane = 0; lane < KERNEL_LANES; lane++)
			rig_hash(&rig, 0, lane, &expected[0]);
		const size_t end = rig_block(&rig, 0, 15, blocks) -
				   rig.memory + KERNEL_SLACK_BYTES;

		good = machine_remove_memory(rig.machine, RIG_BASE) &&
		       machine_add_memory(rig.machine, RIG_BASE, rig.memory,
					  end, &why);
	}
	ok(good && runs_as_expected(&rig),
	   "%s: a lane of %u blocks is not read beyond its slack", name,
	   blocks);
	rig_close(&rig);
}

/* A kernel that went wrong is found: one opcode of the hot loop changed. */
static void
test_mutants(void)
{
	const struct kernel_program *program = rig_program("optimised");
	uint64_t *words = malloc(8 * program->nwords);
	unsigned tried = 0, detected = 0;

	for (size_t i = 200; i < 632 && words; i += 36) {
		const struct kernel_program mutant = {
			"mutant", words, program->nwords
		};
		const struct machine_options options = { .qpus = 1 };
		struct diag why;
		struct rig rig;

		/* Bits 31:24 are the two opcodes: xor becomes or, ... */
		memcpy(words, program->words, 8 * program->nwords);
		words[i] ^= UINT64_C(1) << 24;
		if (rig_open(&rig, &mutant, &options, 4, &why)) {
			expect_hashes(&rig, 3, true);
			tried++;
			detected += rig_run_limited(&rig, 100000, &why) !=
				    MACHINE_DONE ||
				    memcmp(expected, rig_job(&rig, 0),
					   sizeof(*expected)) != 0;
		}
		rig_close(&rig);
	}
	ok(tried >= 12 && detected == tried,
	   "each of %u kernels with one changed opcode is found out", tried);
	free(words);
}

int
main(void)
{
	static const char *const names[] = {
		"simple", "published", "optimised",
	};

	test_hello();
	test_partial();
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		test_hashes(names[i], 7, false, "0..7 blocks a lane");
		test_hashes(names[i], 1, true, "one block a lane");
		test_hashes(names[i], 0, true, "no block at all");
	}
	test_continuation("simple");
	test_continuation("optimised");
	for (unsigned blocks = 0; blocks < 4; blocks++) {
		test_slack("simple", blocks);
		test_slack("optimised", blocks);
	}
	test_mutants();
	return tap_done();
}
