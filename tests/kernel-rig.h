/* SPDX-License-Identifier: MIT */
/*
 * kernel-rig: a machine with the memory of one launch, laid out as the engine
 * lays it out, for the tests of the kernels.  Header only.
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
#include "qpu/emulator.h"
#include "qpu/kernel/abi.h"
#include "qpu/kernel/words.h"

enum {
	RIG_BASE = 0x40000000,		/* bus address of the memory */
	RIG_CONSTANTS = 0x1000,		/* offsets */
	RIG_UNIFORMS = 0x2000,
	RIG_JOBS = 0x3000,
	RIG_CODE = 0x6000,
	RIG_DATA = 0x20000,
};

struct rig {
	struct machine *machine;
	unsigned qpus;
	uint8_t *memory;
	size_t bytes;
	size_t lane_bytes;		/* multiple of 4096, and 64 */
	bool side_by_side;		/* blocks lie as published has them */
	unsigned findings;
	char finding[160];		/* the first */
	uint64_t random;
};

static inline uint32_t
rig_random(struct rig *rig)
{
	rig->random = rig->random * 6364136223846793005 + 1442695040888963407;
	return rig->random >> 32;
}

static inline struct kernel_job *
rig_job(struct rig *rig, unsigned qpu)
{
	return (struct kernel_job *)(rig->memory + RIG_JOBS) + qpu;
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
			 finding->qpu,
			 (finding->pc - RIG_BASE - RIG_CODE) / 8,
			 finding->text);
}

static inline void
rig_fill(struct rig *rig, const struct kernel_program *program)
{
	struct kernel_constants *constants =
		(void *)(rig->memory + RIG_CONSTANTS);
	struct kernel_uniforms *uniforms =
		(void *)(rig->memory + RIG_UNIFORMS);

	for (size_t i = 0; i < rig->bytes / 4; i++)
		((uint32_t *)rig->memory)[i] = rig_random(rig);
	memcpy(constants->k, sha256_k, sizeof(constants->k));
	constants->self = RIG_BASE + RIG_CONSTANTS;
	memset(constants->zero, 0, sizeof(constants->zero));
	memcpy(rig->memory + RIG_CODE, program->words, 8 * program->nwords);
	for (unsigned qpu = 0; qpu < rig->qpus; qpu++) {
		uniforms[qpu].job = RIG_BASE + RIG_JOBS +
				    qpu * sizeof(struct kernel_job);
		uniforms[qpu].constants = RIG_BASE + RIG_CONSTANTS;
		uniforms[qpu].finish = qpu ? 0 : rig->qpus;
		for (unsigned lane = 0; lane < KERNEL_LANES; lane++)
			rig_job(rig, qpu)->data[lane] = RIG_BASE +
				(rig_block(rig, qpu, lane, 0) - rig->memory);
	}
}

/* Lanes hold up to `blocks` blocks of random bytes; counts are not set. */
static inline bool
rig_open(struct rig *rig, const struct kernel_program *program,
	 const struct machine_options *options, unsigned blocks,
	 struct diag *why)
{
	const size_t need = 64 * (size_t)blocks + KERNEL_SLACK_BYTES;

	memset(rig, 0, sizeof(*rig));
	rig->random = options->seed + 1;
	rig->qpus = options->qpus;
	rig->side_by_side = strcmp(program->name, "published") == 0;
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

/* Launch all QPUs and run them to the end, or for so many instructions. */
static inline enum machine_status
rig_run_limited(struct rig *rig, uint64_t instructions, struct diag *why)
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
	return machine_run(rig->machine, instructions, 0, why);
}

static inline enum machine_status
rig_run(struct rig *rig, struct diag *why)
{
	return rig_run_limited(rig, 0, why);
}

/* One lane of a job after its blocks, by the reference. */
static inline void
rig_hash(struct rig *rig, unsigned qpu, unsigned lane,
	 struct kernel_job *job)
{
	uint32_t state[SHA256_STATE_WORDS];

	for (int i = 0; i < SHA256_STATE_WORDS; i++)
		state[i] = job->state[i][lane];
	for (unsigned i = 0; i < job->nblocks[lane]; i++)
		sha256_blocks(state, rig_block(rig, qpu, lane, i), 1);
	for (int i = 0; i < SHA256_STATE_WORDS; i++)
		job->state[i][lane] = state[i];
}

static inline const struct kernel_program *
rig_program(const char *name)
{
	const struct kernel_program *program = kernel_programs;

	while (program->name && strcmp(program->name, name) != 0)
		program++;
	return program;
}

#endif
