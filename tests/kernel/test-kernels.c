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

#include "cpu/sha256.h"
#include "qpu/asm/asm.h"
#include "qpu/emulator/emulator.h"
#include "qpu/isa/pack.h"
#include "qpu/kernel/abi.h"
#include "tests/support/tap.h"

/* Kernels as words: "optimised", which qpu-sha256sum uses, the same as qpuasm -O
 * makes it alone, and the tutorial's "simple". */
struct kernel_program {
	const char *name; /* of the .m4 file */
	const uint64_t *words;
	size_t nwords;
};

static const uint64_t simple[] = {
#include "tests/kernel/simple.words"
};

static const uint64_t unscheduled[] = {
#include "tests/kernel/unscheduled.words"
};

#define ROW(array)                                                             \
	{                                                                      \
#array, array, sizeof(array) / sizeof(*array)                  \
	}

static const struct kernel_program *
kernel_program(const char *name)
{
	static const struct kernel_program programs[] = {
		ROW(simple),
		ROW(unscheduled),
	};
	static struct kernel_program optimised = { "optimised", NULL, 0 };

	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		if (strcmp(programs[i].name, name) == 0)
			return &programs[i];
	optimised.words = sha256_kernel_code;
	optimised.nwords = sha256_kernel_nwords;
	return &optimised;
}

/*
 * A machine with the memory of one launch, laid out as the engine lays it out.
 *
 * Lane buffers follow the placement rule: the cache line number of lane n is
 * n modulo 64, so that lanes do not evict each other.
 */
enum {
	RIG_BASE = 0x40000000,	/* bus address of the memory */
	RIG_CONSTANTS = 0x1000, /* offsets */
	RIG_UNIFORMS = 0x2000,
	RIG_CODE = 0x6000,
	RIG_JOBS = 0x20000,
	RIG_DATA = 0x60000,
	RIG_SEGMENTS = 24, /* of a launch, at most */
	RIG_NONCE = 0x5ea1ed00,
};

/* The memory of one QPU; the seal comes after the last record. */
struct rig_job {
	struct kernel_job job;
	struct kernel_record records[RIG_SEGMENTS];
	struct kernel_seal seal;
};

struct rig_segment {
	unsigned blocks;
	uint32_t begins; /* bit 31 - lane: a message begins there with it */
};

struct rig {
	struct machine *machine;
	unsigned qpus;
	uint8_t *memory;
	size_t bytes;
	size_t lane_bytes; /* multiple of 4096, and 64 */
	unsigned findings;
	char finding[160]; /* the first */
	uint64_t random;
};

static uint32_t
rig_random(struct rig *rig)
{
	rig->random = rig->random * 6364136223846793005 + 1442695040888963407;
	return rig->random >> 32;
}

static struct rig_job *
rig_job(struct rig *rig, unsigned qpu)
{
	return (struct rig_job *)(rig->memory + RIG_JOBS) + qpu;
}

static uint32_t
rig_bus(const struct rig *rig, const void *what)
{
	return RIG_BASE + (uint32_t)((const uint8_t *)what - rig->memory);
}

/* A block of a lane's message; random bytes to start with. */
static uint8_t *
rig_block(struct rig *rig, unsigned qpu, unsigned lane, unsigned block)
{
	uint8_t *data = rig->memory + RIG_DATA;

	return data + (16 * qpu + lane) * rig->lane_bytes + 64 * block;
}

static void
rig_finding(void *context, const struct qpu_message *message)
{
	struct rig *rig = context;

	if (!rig->findings++)
		snprintf(rig->finding, sizeof(rig->finding),
			 "rule %s, QPU %d, word %u: %s", message->rule,
			 message->qpu,
			 (unsigned)(message->address - RIG_BASE - RIG_CODE) / 8,
			 message->text);
}

static void
rig_fill(struct rig *rig, const struct kernel_program *program)
{
	struct kernel_constants *constants =
		(void *)(rig->memory + RIG_CONSTANTS);
	struct kernel_uniforms *uniforms = (void *)(rig->memory + RIG_UNIFORMS);

	for (size_t i = 0; i < rig->bytes / 4; i++)
		((uint32_t *)rig->memory)[i] = rig_random(rig);
	memcpy(constants->k, sha256_k, sizeof(constants->k));
	constants->self = RIG_BASE + RIG_CONSTANTS;
	constants->power13 = 1 << 13;
	memset(constants->zero, 0, sizeof(constants->zero));
	memcpy(rig->memory + RIG_CODE, program->words, 8 * program->nwords);
	for (unsigned qpu = 0; qpu < rig->qpus; qpu++) {
		struct rig_job *job = rig_job(rig, qpu);

		uniforms[qpu].job = rig_bus(rig, &job->job);
		uniforms[qpu].constants = RIG_BASE + RIG_CONSTANTS;
		for (unsigned lane = 0; lane < KERNEL_LANES; lane++)
			job->job.data[lane] =
				rig_bus(rig, rig_block(rig, qpu, lane, 0));
	}
}

/* Plan a QPU's work; `begins` of the first segment is not used. */
static void
rig_plan(struct rig *rig, unsigned qpu, const struct rig_segment *segments,
	 unsigned n)
{
	struct rig_job *job = rig_job(rig, qpu);

	for (unsigned lane = 0; lane < KERNEL_LANES; lane++)
		job->job.nblocks[lane] = segments[0].blocks;
	for (unsigned i = 0; i < n; i++) {
		struct kernel_record *record = &job->records[i];
		const bool last = i + 1 == n;

		record->begins = last ? 0 : segments[i + 1].begins;
		record->blocks = last ? KERNEL_NO_SEGMENT :
					segments[i + 1].blocks - 1;
		record->next = last ? rig_bus(rig, &record->turns) :
				      RIG_BASE + RIG_CONSTANTS;
		record->turns = 0;
		record->nonce = RIG_NONCE + qpu;
		record->finish = qpu ? 0 : rig->qpus;
	}
}

/* Lanes hold up to `blocks` blocks of random bytes; counts are not set. */
static bool
rig_open(struct rig *rig, const struct kernel_program *program,
	 const struct machine_options *options, unsigned blocks,
	 struct diag *why)
{
	const size_t need = 64 * (size_t)blocks + KERNEL_AHEAD_BYTES;

	memset(rig, 0, sizeof(*rig));
	rig->random = options->seed + 1;
	rig->qpus = options->qpus;
	rig->lane_bytes = (need + 4095) / 4096 * 4096 + 64;
	rig->bytes = RIG_DATA + 16 * rig->qpus * rig->lane_bytes;
	rig->memory = aligned_alloc(4096, (rig->bytes + 4095) / 4096 * 4096);
	if (!rig->memory)
		return false;
	rig_fill(rig, program);
	rig->machine = machine_create(options, why);
	if (!rig->machine)
		return false;
	machine_on_message(rig->machine, rig_finding, rig);
	return machine_add_memory(rig->machine, RIG_BASE, rig->memory,
				  rig->bytes, why);
}

static void
rig_close(struct rig *rig)
{
	if (rig->machine)
		machine_destroy(rig->machine);
	free(rig->memory);
}

/* Launch all QPUs and run them to the end. */
static enum machine_status
rig_run(struct rig *rig, struct diag *why)
{
	struct machine_program programs[MACHINE_QPUS];

	for (unsigned qpu = 0; qpu < rig->qpus; qpu++)
		programs[qpu] = (struct machine_program){
			.uniforms = RIG_BASE + RIG_UNIFORMS +
				    qpu * sizeof(struct kernel_uniforms),
			.code = RIG_BASE + RIG_CODE,
		};
	if (!machine_launch(rig->machine, programs, rig->qpus, why))
		return MACHINE_FAULT;
	return machine_run(rig->machine, 0, 0, why);
}

/* Adds a lane's state to its proof. */
static uint32_t
rig_proof_state(uint32_t proof,
		uint32_t state[SHA256_STATE_WORDS][KERNEL_LANES], unsigned lane)
{
	for (int i = 0; i < SHA256_STATE_WORDS; i++)
		proof = kernel_proof_add(proof, state[i][lane]);
	return proof;
}

static uint32_t
rig_proof_record(uint32_t proof, struct kernel_record *record, unsigned lane,
		 uint32_t end)
{
	proof = rig_proof_state(proof, record->state, lane);
	proof = kernel_proof_add(proof, end);
	return kernel_proof_add(proof, record->begins) + record->next;
}

/* Computes the proof of what is expected to be loaded and stored. */
static void
rig_expect_proof(const struct rig_segment *segments, unsigned n,
		 struct rig_job *expected)
{
	struct kernel_seal *seal = (void *)&expected->records[n];

	for (unsigned lane = 0; lane < KERNEL_LANES; lane++) {
		uint32_t end = expected->job.data[lane];
		uint32_t proof;

		proof = rig_proof_state(0, expected->job.state, lane);
		for (unsigned k = 0; k < n; k++) {
			end += 64 * segments[k].blocks;
			proof = rig_proof_record(proof, &expected->records[k],
						 lane, end);
		}
		seal->proof[lane] = kernel_proof_add(proof, seal->nonce[lane]);
	}
}

/* The memory of a QPU after that, by the reference. */
static void
rig_expect(struct rig *rig, unsigned qpu, const struct rig_segment *segments,
	   unsigned n, struct rig_job *expected)
{
	struct kernel_seal *seal = (void *)&expected->records[n];

	*expected = *rig_job(rig, qpu);
	for (unsigned lane = 0; lane < KERNEL_LANES; lane++) {
		uint32_t state[SHA256_STATE_WORDS];
		unsigned block = 0;

		for (int i = 0; i < SHA256_STATE_WORDS; i++)
			state[i] = expected->job.state[i][lane];
		for (unsigned k = 0; k < n; k++) {
			if (k > 0 && segments[k].begins << lane >> 31)
				memcpy(state, sha256_initial, sizeof(state));
			for (unsigned i = 0; i < segments[k].blocks; i++)
				sha256_blocks(
					state,
					rig_block(rig, qpu, lane, block++), 1);
			for (int i = 0; i < SHA256_STATE_WORDS; i++)
				expected->records[k].state[i][lane] = state[i];
		}
		seal->nonce[lane] = RIG_NONCE + qpu;
		seal->ends[lane] = expected->job.data[lane] + 64 * block;
		seal->self[lane] = rig_bus(rig, &rig_job(rig, qpu)->records[n]);
	}
	rig_expect_proof(segments, n, expected);
}

/* Tests ---------------------------------------------------------------------- */
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

/* Raise all semaphores but ours to 1, as a killed program may leave them. */
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
		machine_on_message(rig->machine, NULL, NULL);
		good = machine_launch(rig->machine, &launched, 1, &why) &&
		       machine_run(rig->machine, 0, 0, &why) == MACHINE_DONE;
		machine_on_message(rig->machine, rig_finding, rig);
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
		"optimised",
		"unscheduled",
	};

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
