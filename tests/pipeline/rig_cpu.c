/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/features.h"
#include "cpu/sha256.h"
#include "cpu/side_by_side.h"
#include "tests/pipeline/rig.h"
#include "tests/support/crypto.h"

enum { CPUS = 320 };

/* Lanes --------------------------------------------------------------------- */

/* Hash blocks by the fastest kernel, unless the CPU is slow.  Digests are compared with
 * libcrypto. */
static void
hash(uint32_t state[SHA256_STATE_WORDS], const uint8_t *data, uint32_t blocks)
{
	static _Atomic uint32_t features;
	struct engine_lane lane = { .data = data, .nblocks = blocks };
	struct engine_lane *const line = &lane;

	if (blocks == 0)
		return;
	if (rig.cpu.is_slow) {
		sha256_blocks(state, data, blocks);
		return;
	}
	if (features == 0)
		features = cpu_features_detect();
	memcpy(lane.state, state, sizeof(lane.state));
	side_by_side_step(features, &line, 1);
	memcpy(state, lane.state, sizeof(lane.state));
}

void
rig_hash_lane(struct engine_lane *lane, uint32_t blocks, bool chained)
{
	const uint32_t nends = chained ? lane->nends : 0;
	uint32_t at = 0;

	for (uint32_t i = 0; i < nends; i++) {
		struct engine_end *end = &lane->ends[i];

		if (end->block > blocks)
			break;
		hash(lane->state, lane->data + (size_t)at * SHA256_BLOCK_BYTES,
		     end->block - at);
		memcpy(end->state, lane->state, sizeof(end->state));
		memcpy(lane->state, sha256_initial, sizeof(lane->state));
		at = end->block;
	}
	hash(lane->state, lane->data + (size_t)at * SHA256_BLOCK_BYTES,
	     blocks - at);
	lane->done = blocks;
}

void
rig_scribble(const struct engine_lane *lane, size_t slack, int byte)
{
	memset((uint8_t *)lane->data +
		       (size_t)lane->nblocks * SHA256_BLOCK_BYTES,
	       byte, slack);
}

bool
rig_is_within(const struct engine_lane *lane, size_t slack,
	      const uint8_t *memory, size_t bytes)
{
	const uint8_t *end =
		lane->data + (size_t)lane->nblocks * SHA256_BLOCK_BYTES;

	return memory <= lane->data && end + slack <= memory + bytes;
}

/* The CPU ------------------------------------------------------------------- */

struct cpu {
	uint32_t bit; /* in rig_input.engines */
	bool is_open, is_running;
	uint8_t *memory;
	size_t bytes;
	uint32_t seed;
};

static struct cpu cpus[CPUS];

static size_t
cpu_slack(void)
{
	return rig.cpu.slack > ENGINE_SLACK_BYTES ? rig.cpu.slack :
						    ENGINE_SLACK_BYTES;
}

static bool
cpu_probe(const void *context, struct diag *why_not)
{
	(void)context;
	(void)why_not;
	return true;
}

static void *
cpu_open(const void *context, const char *words, struct engine_limits *limits,
	 struct diag *why_not)
{
	const char *expected =
		rig.config.engine == rig.cpu_engine ? rig.config.options : "";
	struct cpu *cpu;
	unsigned index;

	(void)context;
	if (strcmp(words, expected) != 0)
		rig_misuse("the CPU is opened with '%s'", words);
	rig_lock();
	index = rig.seen.cpus++;
	rig_unlock();
	if (index + 1 == rig.cpu.refuses_at) {
		diag_set(why_not, "not today");
		return NULL;
	}
	if (index >= CPUS)
		exit(99);
	limits->lanes = rig.cpu.lanes;
	limits->slack_bytes = rig.cpu.slack;
	cpu = &cpus[index];
	*cpu = (struct cpu){ .bit = 2U << index % 31,
			     .is_open = true,
			     .seed = index };
	return cpu;
}

static void *
cpu_alloc(void *self, size_t bytes)
{
	struct cpu *cpu = self;

	if (rig.cpu.memory && bytes > rig.cpu.memory)
		return NULL;
	cpu->memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
	if (!cpu->memory)
		return NULL;
	cpu->bytes = bytes;
	rig_lock();
	if (rig.seen.smallest == 0 || bytes < rig.seen.smallest)
		rig.seen.smallest = bytes;
	rig_unlock();
	return cpu->memory;
}

static void
cpu_free(void *self, void *buffer, size_t bytes)
{
	struct cpu *cpu = self;

	if (buffer != cpu->memory || bytes != cpu->bytes)
		rig_misuse("what goes back to a CPU is not its memory");
	free(buffer);
	cpu->memory = NULL;
}

/* Choose how many blocks of a lane are hashed in this step. */
static uint32_t
choose_blocks(struct cpu *cpu, uint32_t blocks, bool is_first)
{
	if (rig.cpu.step_blocks && blocks > rig.cpu.step_blocks)
		blocks = rig.cpu.step_blocks;
	if (!rig.cpu.lazy || is_first)
		return blocks;
	cpu->seed = cpu->seed * 1664525 + 1013904223;
	return (cpu->seed >> 8) % (blocks + 1);
}

static void
step_lane(struct cpu *cpu, struct engine_lane *lane, uint32_t blocks)
{
	const size_t slack = cpu_slack();
	const uint8_t *data = lane->data;
	const bool is_here = cpu->memory <= data &&
			     data < cpu->memory + cpu->bytes;

	/* Blocks that were read ahead or mapped are elsewhere. */
	if (is_here && !rig_is_within(lane, slack, cpu->memory, cpu->bytes))
		rig_misuse("a lane has no space after it");
	/* The feeder's engine hashes what is a device's. */
	if (cpu->memory && !rig.cpu.reads_only)
		rig_scribble(lane, slack, 0xaa);
	if (rig.cpu.blind)
		lane->done = blocks;
	else
		rig_hash_lane(lane, blocks, false);
	lane->state[0] += rig.cpu.lies;
	if (cpu->memory && !rig.cpu.reads_only)
		rig_scribble(lane, slack, 0x55);
	rig_lock();
	rig.seen.cpu_blocks += blocks;
	rig.seen.elsewhere_blocks += is_here ? 0 : blocks;
	rig_note_blocks(cpu->bit, data, blocks);
	rig_unlock();
}

static enum engine_status
cpu_submit(void *self, struct engine_lane *lanes, unsigned n, struct diag *why)
{
	struct cpu *cpu = self;
	bool any = false;

	(void)why;
	if (!cpu->is_open ||
	    __atomic_exchange_n(&cpu->is_running, true, __ATOMIC_ACQ_REL))
		rig_misuse("a CPU is used by two threads, or closed");
	rig_lock();
	rig.seen.steps++;
	rig_unlock();
	if (rig.cpu.before)
		rig.cpu.before(cpu->bit);
	for (struct engine_lane *lane = lanes; lane < lanes + n; lane++) {
		const uint32_t blocks = lane->nblocks;

		if (blocks > 0)
			step_lane(cpu, lane, choose_blocks(cpu, blocks, !any));
		else
			lane->done = 0;
		any |= blocks > 0;
	}
	if (!any)
		rig_misuse("a CPU has nothing to hash");
	return ENGINE_OK;
}

static enum engine_status
cpu_wait(void *self, struct diag *why)
{
	struct cpu *cpu = self;

	(void)why;
	if (!__atomic_exchange_n(&cpu->is_running, false, __ATOMIC_ACQ_REL))
		rig_misuse("a CPU has nothing to be waited for");
	return ENGINE_OK;
}

static void
cpu_close(void *self)
{
	struct cpu *cpu = self;

	if (!cpu->is_open || cpu->is_running || cpu->memory)
		rig_misuse("a CPU is closed that is closed, runs or has "
			   "memory");
	cpu->is_open = false;
}

static const struct engine cpu_engine = { .name = "scripted",
					  .about = "for tests",
					  .per_thread = true,
					  .probe = cpu_probe,
					  .open = cpu_open,
					  .alloc = cpu_alloc,
					  .free = cpu_free,
					  .submit = cpu_submit,
					  .wait = cpu_wait,
					  .close = cpu_close };

static struct engine reading_engine;

/* Runs ---------------------------------------------------------------------- */

void
rig_cpu_begin(void)
{
	rig.cpu_engine = &cpu_engine;
}

void
rig_only_read(void)
{
	reading_engine = cpu_engine;
	reading_engine.reads_only = true;
	rig.cpu.reads_only = true;
	rig.cpu_engine = rig.config.engine = rig.config.fallback =
		&reading_engine;
}

void
rig_cpu_end(void)
{
	for (unsigned i = 0; i < rig.seen.cpus && i < CPUS; i++)
		if (cpus[i].is_open)
			rig_misuse("a CPU is not closed");
}

/* --verify ------------------------------------------------------------------ */

static int
crypto_final(unsigned char *digest, SHA256_CTX *context)
{
	const int result = SHA256_Final(digest, context);

	digest[7] ^= rig.crypto_lies;
	return result;
}

void
rig_verify(void)
{
	static const struct libcrypto crypto = { .handle = cpus,
						 .sha256_init = SHA256_Init,
						 .sha256_update = SHA256_Update,
						 .sha256_final = crypto_final };

	rig.config.crypto = &crypto;
}
