/* SPDX-License-Identifier: MIT */
/*
 * bench-rig: --benchmark with kernels, an engine, a libcrypto and clocks that
 * are the test's own, so that every figure is known.
 *
 * Tables and functions that are defined here are not taken from our libraries;
 * others are replaced by the linker (tests/local.mk).
 */
#ifndef TESTS_BENCH_BENCH_RIG_H
#define TESTS_BENCH_BENCH_RIG_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/features.h"
#include "cpu/kernels.h"
#include "cpu/libcrypto.h"
#include "cpu/sha256.h"
#include "src/base/clock.h"
#include "src/bench/bench.h"
#include "src/bench/canary.h"
#include "src/bench/cycles.h"
#include "src/pipeline/engines.h"

enum {
	/* As much as a buffer of an engine holds. */
	LANE_BLOCKS = 1024,
	LANE_BYTES = LANE_BLOCKS * 64
};

/* Clocks ------------------------------------------------------------------ */

/* What a measured span takes: the n-th one, from 0. */
static struct cycles_span (*span_of)(unsigned n);
static double (*canary_of)(unsigned n);
static unsigned spans, canaries, runs, opened, closed;
static bool has_counter;
static uint64_t now_ns, ns_a_look;

void
__wrap_cycles_open(struct cycles *cycles);
bool
__wrap_cycles_has_counter(const struct cycles *cycles);
void
__wrap_cycles_start(struct cycles *cycles);
struct cycles_span
__wrap_cycles_stop(struct cycles *cycles);
void
__wrap_cycles_close(struct cycles *cycles);
void
__wrap_canary_open(struct canary *canary);
double
__wrap_canary_read(const struct canary *canary);

void
__wrap_cycles_open(struct cycles *cycles)
{
	(void)cycles;
	opened++;
}

bool
__wrap_cycles_has_counter(const struct cycles *cycles)
{
	(void)cycles;
	return has_counter;
}

/* What is measured need not be right; what came before the first span was. */
static unsigned started, runs_before;
static bool measuring;

void
__wrap_cycles_start(struct cycles *cycles)
{
	(void)cycles;
	if (started++ == 0)
		runs_before = runs;
	measuring = true;
}

struct cycles_span
__wrap_cycles_stop(struct cycles *cycles)
{
	(void)cycles;
	measuring = false;
	return span_of(spans++);
}

void
__wrap_cycles_close(struct cycles *cycles)
{
	(void)cycles;
	closed++;
}

void
__wrap_canary_open(struct canary *canary)
{
	canary->best = 100;
}

double
__wrap_canary_read(const struct canary *canary)
{
	(void)canary;
	return canary_of(canaries++);
}

uint64_t
clock_ns(void)
{
	return now_ns += ns_a_look;
}

/* Memory ------------------------------------------------------------------ */

/* Those from the one to the other fail. */
static unsigned first_failing, behind_failing, allocations;
static int live_blocks;

void *
__real_malloc(size_t bytes);
void *
__wrap_malloc(size_t bytes);
void *
__real_calloc(size_t n, size_t bytes);
void *
__wrap_calloc(size_t n, size_t bytes);
void *
__real_realloc(void *old, size_t bytes);
void *
__wrap_realloc(void *old, size_t bytes);
void *
__real_aligned_alloc(size_t alignment, size_t bytes);
void *
__wrap_aligned_alloc(size_t alignment, size_t bytes);
void
__real_free(void *block);
void
__wrap_free(void *block);

static bool
may_allocate(void)
{
	const unsigned n = allocations++;

	return n < first_failing || n >= behind_failing;
}

static void *
count_block(void *block)
{
	live_blocks += block != NULL;
	return block;
}

/* Only the engine's buffers; see below. */
void *
__wrap_malloc(size_t bytes)
{
	return count_block(__real_malloc(bytes));
}

void *
__wrap_calloc(size_t n, size_t bytes)
{
	return may_allocate() ? count_block(__real_calloc(n, bytes)) : NULL;
}

void *
__wrap_realloc(void *old, size_t bytes)
{
	if (!may_allocate())
		return NULL;
	live_blocks -= old != NULL;
	return count_block(__real_realloc(old, bytes));
}

void *
__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
	return may_allocate() ?
		       count_block(__real_aligned_alloc(alignment, bytes)) :
		       NULL;
}

void
__wrap_free(void *block)
{
	live_blocks -= block != NULL;
	__real_free(block);
}

/* Kernels ----------------------------------------------------------------- */

/* Bytes are those of a random sequence, all lanes differ, and do not begin at
 * the same place of a page. */
static bool
is_good_data(const uint8_t *const *data, unsigned lanes, size_t nblocks)
{
	for (unsigned i = 0; i < lanes; i++) {
		unsigned seen[256] = { 0 }, different = 0;

		for (size_t at = 0; at < nblocks * SHA256_BLOCK_BYTES; at++)
			different += seen[data[i][at]]++ == 0;
		if (different < 200)
			return false;
		for (unsigned j = 0; j < i; j++)
			if (memcmp(data[i], data[j], SHA256_BLOCK_BYTES) == 0 ||
			    (uintptr_t)data[i] % 4096 ==
				    (uintptr_t)data[j] % 4096)
				return false;
	}
	return true;
}

static bool data_is_good, one_size;

static void
note_run(const uint8_t *const *data, unsigned lanes, size_t nblocks)
{
	if (runs++ == 0)
		data_is_good &= is_good_data(data, lanes, nblocks);
	one_size &= nblocks == 256;
}

static void
run_streams(uint32_t (*states)[SHA256_STATE_WORDS], const uint8_t *const *data,
	    size_t nblocks)
{
	note_run(data, 2, nblocks);
	for (unsigned i = 0; i < 2 && !measuring; i++)
		sha256_blocks(states[i], data[i], nblocks);
}

static void
run_lanes(uint32_t (*rows)[BATCH_LANES], const uint8_t *const *data,
	  size_t nblocks)
{
	note_run(data, 16, nblocks);
	for (unsigned i = 0; i < 16 && !measuring; i++) {
		uint32_t state[SHA256_STATE_WORDS];

		for (int word = 0; word < SHA256_STATE_WORDS; word++)
			state[word] = rows[word][i];
		sha256_blocks(state, data[i], nblocks);
		for (int word = 0; word < SHA256_STATE_WORDS; word++)
			rows[word][i] = state[word];
	}
}

static void
run_wrong_lane(uint32_t (*rows)[BATCH_LANES], const uint8_t *const *data,
	       size_t nblocks)
{
	run_lanes(rows, data, nblocks);
	rows[7][15] ^= 1;
}

static void
run_wrong_stream(uint32_t (*states)[SHA256_STATE_WORDS],
		 const uint8_t *const *data, size_t nblocks)
{
	run_streams(states, data, nblocks);
	states[0][0] ^= 1;
}

/* The CPU's own table is not linked, but this one. */
enum {
	NO_KERNEL = 0,
	STREAMS = 1u << 0,
	LANES = 1u << 1,
	WRONG_STREAM = 1u << 2,
	WRONG_LANE = 1u << 3,
	MISSING = 1u << 4 /* no CPU has it */
};

const struct cpu_kernel cpu_kernels[] = {
	{ "streams", 2, STREAMS, run_streams, NULL },
	{ "streams", 2, STREAMS | MISSING, run_streams, NULL },
	{ "lanes", 16, LANES, NULL, run_lanes },
	{ "streams", 2, WRONG_STREAM, run_wrong_stream, NULL },
	{ "lanes", 16, WRONG_LANE, NULL, run_wrong_lane },
	{ NULL, 0, 0, NULL, NULL }
};

static uint32_t features;

uint32_t
cpu_features_detect(void)
{
	return features;
}

const struct cpu_kernel *
cpu_kernel_choose(uint32_t its_features, unsigned messages)
{
	(void)its_features;
	(void)messages;
	return cpu_kernels;
}

/* libcrypto --------------------------------------------------------------- */

static bool has_libcrypto, libcrypto_is_wrong;
static unsigned loaded, unloaded;

bool
libcrypto_load(struct libcrypto *crypto, struct diag *why_not)
{
	(void)crypto;
	(void)why_not;
	loaded += has_libcrypto;
	return has_libcrypto;
}

void
libcrypto_unload(struct libcrypto *crypto)
{
	(void)crypto;
	unloaded++;
}

void
libcrypto_blocks(const struct libcrypto *crypto,
		 uint32_t state[SHA256_STATE_WORDS], const uint8_t *data,
		 size_t nblocks)
{
	(void)crypto;
	note_run(&data, 1, nblocks);
	sha256_blocks(state, data, nblocks);
	state[7] ^= libcrypto_is_wrong;
}

/* An engine --------------------------------------------------------------- */

static struct fake {
	bool absent, cannot_open;
	unsigned nbatches, lanes;
	size_t slack;
	unsigned buffers_left; /* that it can allocate */
	uint32_t most_blocks;  /* of a step */
	/* What goes wrong in the n-th step; 0: nothing. */
	unsigned refuses_at, fails_at, wrong_at;
	unsigned wrong_batch, wrong_lane;
	/* What was seen. */
	unsigned steps, lane_steps, buffers, opens, closes;
	bool well_used;
} fake;

static bool
fake_probe(const void *context, struct diag *why_not)
{
	(void)why_not;
	return context == &fake && !fake.absent;
}

static void *
fake_open(const void *context, const char *words, struct engine_limits *limits,
	  struct diag *why_not)
{
	(void)why_not;
	fake.well_used &= context == &fake && !*words && limits->batches == 0 &&
			  limits->lanes == 0;
	limits->batches = fake.nbatches;
	limits->lanes = fake.lanes;
	limits->slack_bytes = fake.slack;
	fake.opens++;
	return fake.cannot_open ? NULL : &fake;
}

static void *
fake_alloc(void *self, size_t bytes)
{
	const size_t slack = fake.slack > ENGINE_SLACK_BYTES ?
				     fake.slack :
				     ENGINE_SLACK_BYTES;

	fake.well_used &= self == &fake && bytes == LANE_BYTES + slack;
	if (fake.buffers_left-- == 0) {
		fake.buffers_left = ~0u;
		return NULL;
	}
	fake.buffers++;
	return malloc(bytes);
}

static void
fake_free(void *self, void *buffer, size_t bytes)
{
	fake.well_used &= self == &fake && buffer && bytes >= LANE_BYTES;
	fake.buffers--;
	free(buffer);
}

static void
fake_lane(struct batch *batch, unsigned lane)
{
	uint32_t state[SHA256_STATE_WORDS];

	batch->done[lane] = batch->nblocks[lane] < fake.most_blocks ?
				    batch->nblocks[lane] :
				    fake.most_blocks;
	fake.lane_steps += batch->done[lane] > 0;
	/* What is measured is not looked at. */
	if (batch->done[lane] == 0 || measuring)
		return;
	batch_get_state(batch, lane, state);
	sha256_blocks(state, batch->data[lane], batch->done[lane]);
	batch_set_state(batch, lane, state);
}

static enum engine_status
fake_submit(void *self, struct batch *batches, unsigned n, struct diag *why_not)
{
	(void)why_not;
	fake.well_used &= self == &fake && n == fake.nbatches;
	fake.steps++;
	runs++;
	for (unsigned b = 0; b < n; b++)
		for (unsigned lane = 0; lane < BATCH_LANES; lane++)
			fake_lane(&batches[b], lane);
	if (fake.wrong_at == fake.steps)
		batches[fake.wrong_batch].state[7][fake.wrong_lane] ^= 1;
	if (fake.refuses_at != fake.steps)
		return ENGINE_OK;
	measuring = false;
	return ENGINE_REFUSED;
}

static enum engine_status
fake_wait(void *self, struct diag *why_not)
{
	(void)self;
	(void)why_not;
	if (fake.fails_at != fake.steps)
		return ENGINE_OK;
	measuring = false;
	return ENGINE_FAULT;
}

static void
fake_close(void *self)
{
	fake.well_used &= self == &fake;
	fake.closes++;
}

static const struct engine fake_engine = { .name = "fake",
					   .about = "",
					   .context = &fake,
					   .probe = fake_probe,
					   .open = fake_open,
					   .alloc = fake_alloc,
					   .free = fake_free,
					   .submit = fake_submit,
					   .wait = fake_wait,
					   .close = fake_close };

const struct engine_row engine_rows[] = {
	{ .device = "fake", .engine = &fake_engine }, { .device = NULL }
};

/* Runs -------------------------------------------------------------------- */

/* 50 MB/s, whatever is run, with one run a sample; 2 cycles a byte for 16 KiB.
 */
static struct cycles_span
plain_span(unsigned n)
{
	(void)n;
	return (struct cycles_span){ 0.00032768, 32768 };
}

static double
quiet_canary(unsigned n)
{
	(void)n;
	return 100;
}

static void
reset(void)
{
	features = NO_KERNEL;
	fake = (struct fake){ .absent = true,
			      .nbatches = 1,
			      .lanes = 1,
			      .buffers_left = ~0u,
			      .most_blocks = LANE_BLOCKS,
			      .well_used = true };
	has_libcrypto = libcrypto_is_wrong = has_counter = false;
	loaded = unloaded = opened = closed = 0;
	spans = canaries = runs = started = runs_before = 0;
	span_of = plain_span;
	canary_of = quiet_canary;
	ns_a_look = 1000;
	data_is_good = one_size = true;
	first_failing = behind_failing = allocations = 0;
	live_blocks = 0;
	measuring = false;
}

static struct rates rates;

/* The report, without its head if it is a table. */
__attribute__((unused)) static enum bench_result
run(bool json, char report[4096])
{
	FILE *stream = fmemopen(report, 4096, "w");
	enum bench_result result;
	char *head_end;

	if (!stream)
		exit(99);
	result = bench_run(stream, json, &rates);
	fclose(stream);
	head_end = strchr(report, '\n');
	if (!json && head_end && (head_end = strchr(head_end + 1, '\n')))
		memmove(report, head_end + 1, strlen(head_end));
	return result;
}

#endif
