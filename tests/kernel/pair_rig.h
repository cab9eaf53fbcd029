/* SPDX-License-Identifier: MIT */
/*
 * pair-rig: a machine with threads of eight messages each for the pair kernel as
 * a compute program, and the states that they must leave.
 */
#ifndef TESTS_KERNEL_PAIR_RIG_H
#define TESTS_KERNEL_PAIR_RIG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/sha256.h"
#include "qpu/emulator/emulator.h"
#include "qpu/kernel/pair.h"
#include "tests/kernel/rig.h"

enum {
	PAIR_MESSAGES = 8, /* of a thread */
	PAIR_LANES = 16,
	PAIR_RIG_CODE = 0x40100000, /* bus addresses */
	PAIR_RIG_UNIFORMS = 0x40200000,
	PAIR_RIG_K = 0x40300000,
	PAIR_RIG_TABLE = 0x40400000,
	PAIR_RIG_RESULTS = 0x40500000,
	PAIR_RIG_DATA = 0x41000000,
};

/* What a rig is made for; message lengths are drawn from low..high. */
struct pair_plan {
	struct machine_options options;
	unsigned threads;   /* 0: one for each QPU */
	unsigned low, high; /* blocks */
	unsigned delay;	    /* word of PAIR_UNIFORM_DELAY */
	bool packed; /* messages without gaps; else in lines of their number */
};

/* Of the TMU's cache, which is direct mapped. */
enum { PAIR_LINES = 64, PAIR_LINE_BYTES = 64 };

struct pair_rig {
	struct machine *machine;
	unsigned threads; /* each has 8 messages */
	struct pair_lane (*table)[PAIR_LANES];
	uint32_t (*results)[PAIR_WORDS][PAIR_LANES];
	uint32_t *uniforms;
	uint32_t k[PAIR_K_WORDS];
	uint8_t *data;
	size_t data_bytes;
	uint32_t (*expected)[PAIR_MESSAGES][SHA256_STATE_WORDS];
	uint64_t blocks;	 /* of all messages */
	uint64_t longest_blocks; /* of the longest message of each thread */
	unsigned findings;
	char finding[160];
	uint64_t random;
};

static inline uint32_t
pair_random(struct pair_rig *rig)
{
	rig->random = rig->random * 6364136223846793005 + 1442695040888963407;
	return rig->random >> 32;
}

static void
pair_finding(void *context, const struct machine_finding *finding)
{
	struct pair_rig *rig = context;

	if (!rig->findings++)
		snprintf(rig->finding, sizeof(rig->finding),
			 "rule %u, QPU %u, word %u: %s", finding->rule,
			 finding->qpu, (finding->pc - PAIR_RIG_CODE) / 8,
			 finding->text);
}

/* The row of a pixel of 8 x 2 is that of lane 4q + 2 * y + x % 2. */
static inline unsigned
pair_row(unsigned message, bool lane_b)
{
	return message + (lane_b ? PAIR_MESSAGES : 0);
}

static inline unsigned
pair_lane_of(unsigned message, bool lane_b)
{
	return message / 2 * 4 + message % 2 + (lane_b ? 2 : 0);
}

/*
 * Where a message may begin, from byte `at` on: messages of a thread are in
 * lines 8 apart, so that they do not evict each other, and those of the next
 * thread in the lines beside.
 */
static inline size_t
pair_place(const struct pair_plan *plan, size_t at, size_t message)
{
	const size_t wanted = 8 * message + message / PAIR_MESSAGES;

	if (plan->packed)
		return at;
	return at +
	       (wanted - at / PAIR_LINE_BYTES) % PAIR_LINES * PAIR_LINE_BYTES;
}

/* Messages of random length; random states and data. */
static inline bool
pair_rig_fill(struct pair_rig *rig, const struct pair_plan *plan)
{
	const size_t n = (size_t)rig->threads * PAIR_MESSAGES;
	uint32_t *blocks = calloc(n, sizeof(*blocks));
	size_t at = 0;

	if (!blocks)
		return false;
	for (size_t i = 0; i < n; i++) {
		blocks[i] = plan->low +
			    pair_random(rig) % (plan->high - plan->low + 1);
		rig->blocks += blocks[i];
		at = pair_place(plan, at, i) + 64 * (size_t)blocks[i];
	}
	rig->data_bytes = at + PAIR_AHEAD_BYTES;
	at = 0;
	rig->data = malloc(rig->data_bytes);
	for (size_t i = 0; rig->data && i < rig->data_bytes; i++)
		rig->data[i] = pair_random(rig);
	for (size_t i = 0; rig->data && i < n; i++) {
		struct pair_lane *rows = rig->table[i / PAIR_MESSAGES];
		uint32_t *state =
			rig->expected[i / PAIR_MESSAGES][i % PAIR_MESSAGES];

		at = pair_place(plan, at, i);
		for (int k = 0; k < SHA256_STATE_WORDS; k++)
			state[k] = pair_random(rig);
		for (int b = 0; b < 2; b++) {
			struct pair_lane *row =
				&rows[pair_row(i % PAIR_MESSAGES, b)];

			row->data = at + (b ? 4 : 0);
			row->blocks = blocks[i];
			memcpy(row->state, b ? state : state + PAIR_WORDS,
			       sizeof(row->state));
		}
		sha256_blocks(state, rig->data + at, blocks[i]);
		at += 64 * (size_t)blocks[i];
	}
	for (unsigned t = 0; t < rig->threads; t++) {
		uint32_t longest = 0;

		for (int i = 0; i < PAIR_MESSAGES; i++)
			if (blocks[t * PAIR_MESSAGES + i] > longest)
				longest = blocks[t * PAIR_MESSAGES + i];
		rig->longest_blocks += longest;
	}
	free(blocks);
	return rig->data;
}

/* The stream of one thread; one more word is the address of the results. */
static inline void
pair_rig_uniforms(struct pair_rig *rig, unsigned t, unsigned delay)
{
	const uint32_t base[] = {
		[PAIR_TABLE] = PAIR_RIG_TABLE + t * sizeof(*rig->table),
		[PAIR_DATA] = PAIR_RIG_DATA,
		[PAIR_K] = PAIR_RIG_K,
	};
	const uint32_t bytes[] = {
		[PAIR_TABLE] = sizeof(*rig->table),
		[PAIR_DATA] = rig->data_bytes,
		[PAIR_K] = sizeof(rig->k),
	};
	uint32_t *words = rig->uniforms + t * (pair_nuniforms + 1);

	for (size_t i = 0; i < pair_nuniforms; i++) {
		const struct pair_uniform *row = &pair_uniforms[i];

		switch (row->kind) {
		case PAIR_UNIFORM_BASE:
			words[i] = base[row->memory] + row->word;
			break;
		case PAIR_UNIFORM_CLAMP:
			words[i] = bytes[row->memory] - row->word;
			break;
		case PAIR_UNIFORM_ADDRESS:
			words[i] = PAIR_RIG_UNIFORMS +
				   4 * t * (pair_nuniforms + 1);
			break;
		case PAIR_UNIFORM_WIDTH: words[i] = 3; break;
		case PAIR_UNIFORM_DELAY: words[i] = delay; break;
		}
	}
	words[pair_nuniforms] = PAIR_RIG_RESULTS + t * sizeof(*rig->results);
}

static inline bool
pair_rig_memory(struct pair_rig *rig, struct diag *why)
{
	const struct kernel_program *code = kernel_program("pair_compute");
	const struct {
		uint32_t at;
		const void *memory;
		size_t bytes;
	} rows[] = {
		{ PAIR_RIG_CODE, code->words, 8 * code->nwords },
		{ PAIR_RIG_UNIFORMS, rig->uniforms,
		  4 * rig->threads * (pair_nuniforms + 1) },
		{ PAIR_RIG_K, rig->k, sizeof(rig->k) },
		{ PAIR_RIG_TABLE, rig->table,
		  rig->threads * sizeof(*rig->table) },
		{ PAIR_RIG_RESULTS, rig->results,
		  rig->threads * sizeof(*rig->results) },
		{ PAIR_RIG_DATA, rig->data, rig->data_bytes },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!machine_add_memory(rig->machine, rows[i].at,
					(void *)(uintptr_t)rows[i].memory,
					rows[i].bytes, why))
			return false;
	return true;
}

static inline bool
pair_rig_open(struct pair_rig *rig, const struct pair_plan *plan,
	      struct diag *why)
{
	memset(rig, 0, sizeof(*rig));
	rig->random = plan->options.seed + 1;
	rig->threads = plan->threads ? plan->threads : plan->options.qpus;
	rig->table = calloc(rig->threads, sizeof(*rig->table));
	rig->results = calloc(rig->threads, sizeof(*rig->results));
	rig->uniforms = calloc(rig->threads, 4 * (pair_nuniforms + 1));
	rig->expected = calloc(rig->threads, sizeof(*rig->expected));
	memcpy(rig->k, sha256_k, 64 * 4);
	memcpy(rig->k + 64, sha256_k, (PAIR_K_WORDS - 64) * 4);
	if (!rig->table || !rig->results || !rig->uniforms || !rig->expected ||
	    !pair_rig_fill(rig, plan))
		return false;
	for (unsigned t = 0; t < rig->threads; t++)
		pair_rig_uniforms(rig, t, plan->delay);
	rig->machine = machine_create(&plan->options, why);
	if (!rig->machine)
		return false;
	machine_on_finding(rig->machine, pair_finding, rig);
	return pair_rig_memory(rig, why);
}

static inline void
pair_rig_close(struct pair_rig *rig)
{
	if (rig->machine)
		machine_destroy(rig->machine);
	free(rig->table);
	free(rig->results);
	free(rig->uniforms);
	free(rig->expected);
	free(rig->data);
}

static inline uint32_t
pair_rig_stream(unsigned t)
{
	return PAIR_RIG_UNIFORMS + 4 * t * (uint32_t)(pair_nuniforms + 1);
}

/* Begins with as many threads as there are QPUs; the others come as soon as a
 * QPU is free, as those of a fragment job do. */
static inline enum machine_status
pair_rig_run(struct pair_rig *rig, struct diag *why)
{
	enum { SRQUA = 0x434, SRQPC = 0x430, SRQCS = 0x43c, MORE = 4 };
	struct machine_program programs[MACHINE_QPUS];
	enum machine_status status;
	unsigned n = rig->threads < MACHINE_QPUS ? rig->threads : MACHINE_QPUS;

	for (unsigned t = 0; t < n; t++)
		programs[t] = (struct machine_program){
			.uniforms = pair_rig_stream(t),
			.code = PAIR_RIG_CODE,
		};
	if (!machine_launch(rig->machine, programs, n, why))
		return MACHINE_FAULT;
	do {
		while (n < rig->threads &&
		       (machine_read(rig->machine, SRQCS) & 63) < MORE) {
			machine_write(rig->machine, SRQUA, pair_rig_stream(n));
			machine_write(rig->machine, SRQPC, PAIR_RIG_CODE);
			n++;
		}
		status = machine_run(rig->machine, n < rig->threads ? 200 : 0,
				     0, why);
	} while (status == MACHINE_LIMIT ||
		 (status == MACHINE_DONE && n < rig->threads));
	return status;
}

/* Did all messages leave the state that they must? */
static inline bool
pair_rig_is_right(const struct pair_rig *rig)
{
	for (unsigned t = 0; t < rig->threads; t++)
		for (int i = 0; i < PAIR_MESSAGES; i++)
			for (int k = 0; k < SHA256_STATE_WORDS; k++) {
				const unsigned lane =
					pair_lane_of(i, k < PAIR_WORDS);

				if (rig->results[t][k % PAIR_WORDS][lane] !=
				    rig->expected[t][i][k])
					return false;
			}
	return true;
}

#endif
