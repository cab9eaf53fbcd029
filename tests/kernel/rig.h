/* SPDX-License-Identifier: MIT */
/*
 * kernel-rig: a machine with the memory of one launch, laid out as the engine
 * lays it out, for the tests of the kernels; and these kernels.
 *
 * Lane buffers follow the placement rule: the cache line number of lane n is
 * n modulo 64, so that lanes do not evict each other.
 */
#ifndef TESTS_KERNEL_RIG_H
#define TESTS_KERNEL_RIG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/sha256.h"
#include "qpu/emulator/emulator.h"
#include "qpu/kernel/abi.h"

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

/* All kernels as words (programs.c): the one that qpu-sha256sum uses, which is
 * called "optimised", and those of the tutorial. */
struct kernel_program {
	const char *name; /* of the .m4 file */
	const uint64_t *words;
	size_t nwords;
};

/* The kernel of this name, which is one of them. */
const struct kernel_program *
kernel_program(const char *name);

/* The memory of one QPU; the seal comes after the last record.  Kernels that
 * take several jobs begin with `first`, which has one segment. */
struct rig_job {
	struct kernel_job first;
	struct kernel_record first_record;
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
	bool side_by_side; /* blocks lie as published has them */
	bool single;	   /* takes no second job */
	unsigned findings;
	char finding[160]; /* the first */
	uint64_t random;
};

static inline uint32_t
rig_random(struct rig *rig)
{
	rig->random = rig->random * 6364136223846793005 + 1442695040888963407;
	return rig->random >> 32;
}

static inline struct rig_job *
rig_job(struct rig *rig, unsigned qpu)
{
	return (struct rig_job *)(rig->memory + RIG_JOBS) + qpu;
}

static inline uint32_t
rig_bus(const struct rig *rig, const void *what)
{
	return RIG_BASE + (uint32_t)((const uint8_t *)what - rig->memory);
}

/* A block of a lane's message; random bytes to start with. */
static inline uint8_t *
rig_block(struct rig *rig, unsigned qpu, unsigned lane, unsigned block)
{
	uint8_t *data = rig->memory + RIG_DATA;

	if (rig->side_by_side)
		return data + 16 * qpu * rig->lane_bytes +
		       64 * (16 * block + lane);
	return data + (16 * qpu + lane) * rig->lane_bytes + 64 * block;
}

static void
rig_finding(void *context, const struct machine_finding *finding)
{
	struct rig *rig = context;

	if (!rig->findings++)
		snprintf(rig->finding, sizeof(rig->finding),
			 "rule %u, QPU %u, word %u: %s", finding->rule,
			 finding->qpu, (finding->pc - RIG_BASE - RIG_CODE) / 8,
			 finding->text);
}

static inline void
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
		struct kernel_record *record = &job->first_record;

		uniforms[qpu].job =
			rig_bus(rig, rig->single ? &job->job : &job->first);
		uniforms[qpu].constants = RIG_BASE + RIG_CONSTANTS;
		for (unsigned lane = 0; lane < KERNEL_LANES; lane++) {
			const uint8_t *block = rig_block(rig, qpu, lane, 0);

			job->job.data[lane] = rig_bus(rig, block);
			job->first.data[lane] = rig_bus(rig, block);
			job->first.nblocks[lane] = 1;
		}
		record->blocks = KERNEL_NO_SEGMENT;
		record->next = rig_bus(rig, &record->more);
		record->more = 1;
		record->job.job = rig_bus(rig, &job->job);
		record->job.constants = RIG_BASE + RIG_CONSTANTS;
	}
}

/* What a QPU is to do; `begins` of the first segment is not used. */
static inline void
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
		record->next = last ? rig_bus(rig, &record->more) :
				      RIG_BASE + RIG_CONSTANTS;
		record->more = 0;
		record->turns = 0;
		record->nonce = RIG_NONCE + qpu;
		record->finish = qpu ? 0 : rig->qpus;
	}
}

/* One segment on all QPUs. */
static inline void
rig_plan_blocks(struct rig *rig, unsigned blocks)
{
	const struct rig_segment segment = { .blocks = blocks };

	for (unsigned qpu = 0; qpu < rig->qpus; qpu++)
		rig_plan(rig, qpu, &segment, 1);
}

/* Lanes hold up to `blocks` blocks of random bytes; counts are not set. */
static inline bool
rig_open(struct rig *rig, const struct kernel_program *program,
	 const struct machine_options *options, unsigned blocks,
	 struct diag *why)
{
	const size_t need = 64 * (size_t)blocks + KERNEL_AHEAD_BYTES;

	memset(rig, 0, sizeof(*rig));
	rig->random = options->seed + 1;
	rig->qpus = options->qpus;
	rig->side_by_side = strcmp(program->name, "published") == 0;
	rig->single = strcmp(program->name, "hello") == 0;
	rig->lane_bytes = (need + 4095) / 4096 * 4096 + 64;
	rig->bytes = RIG_DATA + 16 * rig->qpus * rig->lane_bytes;
	rig->memory = aligned_alloc(4096, (rig->bytes + 4095) / 4096 * 4096);
	if (!rig->memory)
		return false;
	rig_fill(rig, program);
	rig->machine = machine_create(options, why);
	if (!rig->machine)
		return false;
	machine_on_finding(rig->machine, rig_finding, rig);
	return machine_add_memory(rig->machine, RIG_BASE, rig->memory,
				  rig->bytes, why);
}

static inline void
rig_close(struct rig *rig)
{
	if (rig->machine)
		machine_destroy(rig->machine);
	free(rig->memory);
}

/* Launch all QPUs and run them to the end. */
static inline enum machine_status
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
static inline uint32_t
rig_proof_state(uint32_t proof,
		uint32_t state[SHA256_STATE_WORDS][KERNEL_LANES], unsigned lane)
{
	for (int i = 0; i < SHA256_STATE_WORDS; i++)
		proof = kernel_proof_add(proof, state[i][lane]);
	return proof;
}

static inline uint32_t
rig_proof_record(uint32_t proof, struct kernel_record *record, unsigned lane,
		 uint32_t end)
{
	proof = rig_proof_state(proof, record->state, lane);
	proof = kernel_proof_add(proof, end);
	return kernel_proof_add(proof, record->begins) + record->next;
}

/* Computes the proof of what is expected to be loaded and stored. */
static inline void
rig_expect_proof(struct rig *rig, const struct rig_segment *segments,
		 unsigned n, struct rig_job *expected)
{
	const unsigned step = rig->side_by_side ? 16 * 64 : 64;
	struct kernel_seal *seal = (void *)&expected->records[n];

	for (unsigned lane = 0; lane < KERNEL_LANES; lane++) {
		uint32_t end = expected->job.data[lane];
		uint32_t proof = 0;

		if (!rig->single) {
			proof = rig_proof_state(0, expected->first.state, lane);
			proof = rig_proof_record(proof, &expected->first_record,
						 lane, end + step);
		}
		proof = rig_proof_state(proof, expected->job.state, lane);
		for (unsigned k = 0; k < n; k++) {
			end += step * segments[k].blocks;
			proof = rig_proof_record(proof, &expected->records[k],
						 lane, end);
		}
		seal->proof[lane] = kernel_proof_add(proof, seal->nonce[lane]);
	}
}

/* What the memory of a QPU will be after that, by the reference; a kernel that
 * stores something else needs rig_expect_proof afterwards. */
static inline void
rig_expect(struct rig *rig, unsigned qpu, const struct rig_segment *segments,
	   unsigned n, struct rig_job *expected)
{
	const unsigned step = rig->side_by_side ? 16 * 64 : 64;
	struct kernel_seal *seal = (void *)&expected->records[n];

	*expected = *rig_job(rig, qpu);
	for (unsigned lane = 0; lane < KERNEL_LANES; lane++) {
		uint32_t state[SHA256_STATE_WORDS];
		unsigned block = 0;

		for (int i = 0; i < SHA256_STATE_WORDS; i++)
			state[i] = expected->first.state[i][lane];
		sha256_blocks(state, rig_block(rig, qpu, lane, 0), 1);
		for (int i = 0; i < SHA256_STATE_WORDS && !rig->single; i++)
			expected->first_record.state[i][lane] = state[i];
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
		seal->ends[lane] = expected->job.data[lane] + step * block;
		seal->self[lane] = rig_bus(rig, &rig_job(rig, qpu)->records[n]);
	}
	rig_expect_proof(rig, segments, n, expected);
}

#endif
