/* SPDX-License-Identifier: MIT */
/*
 * pair-rig: a machine that runs the pair kernel, as fragment threads of whole
 * tiles of messages.
 */
#ifndef TESTS_KERNEL_PAIR_RIG_H
#define TESTS_KERNEL_PAIR_RIG_H

#include "qpu/device/tile_device.h"
#include "tests/emulator/job.h"
#include "tests/kernel/pair_messages.h"

enum {
	PAIR_TILE_MESSAGES = TILE_PIXELS * TILE_PIXELS / 2,
	PAIR_TILE_THREADS = PAIR_TILE_MESSAGES / PAIR_MESSAGES,
};

struct pair_rig {
	struct machine_options options;
	struct job job;
	struct pair_messages messages;
};

static inline struct machine *
pair_machine(const struct pair_rig *rig)
{
	return rig->job.emu.machine;
}

static inline uint32_t
pair_rig_code(struct pair_rig *rig, const uint64_t *words, size_t n)
{
	struct emu *emu = &rig->job.emu;
	const uint32_t at = emu->code_end;

	for (size_t i = 0; i < n; i++)
		qpu_word_store(emu->memory + at + 8 * i, words[i]);
	emu->code_end = (at + 8 * n + 63) & ~(size_t)63;
	return EMU_BASE + at;
}

/* Draws all of the job that is in a window. */
static inline void
pair_rig_draw(struct pair_rig *rig, const unsigned window[4], unsigned stream,
	      unsigned delay)
{
	struct job *job = &rig->job;
	const uint32_t at = EMU_UNIFORMS + 1024 * stream;
	const struct job_corner corners[3] = {
		{ .w = 1 },
		{ .x = 2 * job->width, .w = 1 },
		{ .y = 2 * job->height, .w = 1 },
	};

	if (!window[2] || !window[3])
		return;
	job->uniforms = EMU_BASE + at;
	pair_stream(&rig->messages, emu_words(&job->emu, at), job->uniforms,
		    delay);
	job_window(job, window[0], window[1], window[2], window[3]);
	job_shaders(job);
	for (int i = 0; i < 3; i++)
		job_vertex(job, &corners[i]);
	job_array(job, 4, 3);
}

static inline void
pair_rig_job(struct pair_rig *rig)
{
	const unsigned rows = rig->messages.plan.delayed_rows;
	struct job *job = &rig->job;
	const unsigned windows[2][4] = {
		{ 0, 0, TILE_PIXELS, rows },
		{ 0, rows, TILE_PIXELS, job->height - rows },
	};

	job_begin(job);
	job->shader[0] = pair_rig_code(rig, pair_code, pair_nwords);
	job_viewport(job);
	job_configuration(job, 0x027043);
	for (unsigned i = 0; i < 2; i++)
		pair_rig_draw(rig, windows[i], i,
			      i ? 0 : rig->messages.plan.delay);
	job_clear(job, 0, 0, 0);
	job_mode(job, 0);
	job_tiles_all(job, JOB_STORE_FULL, NULL, 0);
}

/* The messages fill tiles, one below the other. */
static inline bool
pair_rig_open(struct pair_rig *rig, const struct machine_options *options,
	      const struct pair_plan *plan)
{
	memset(rig, 0, sizeof(*rig));
	rig->options = *options;
	rig->job.samples = true;
	rig->job.width = PAIR_WIDTH;
	rig->job.height = plan->messages / PAIR_WIDTH * 2;
	rig->job.emu = emu_open(&rig->options);
	if (!pair_messages_open(&rig->messages, plan) ||
	    !pair_memories(&rig->messages, pair_machine(rig),
			   &rig->job.emu.why))
		return false;
	pair_rig_job(rig);
	return true;
}

static inline void
pair_rig_close(struct pair_rig *rig)
{
	emu_close(&rig->job.emu);
	pair_messages_close(&rig->messages);
}

static inline enum machine_status
pair_rig_run(struct pair_rig *rig)
{
	return job_run(&rig->job, 0);
}

/* Word k of the state of message m as it came out. */
static inline uint32_t
pair_rig_word(const struct pair_rig *rig, unsigned m, int k)
{
	const struct emu *emu = &rig->job.emu;
	const bool lane_b = k < PAIR_WORDS;

	return emu_words(emu, JOB_IMAGE)[tile_word(
		1, m % PAIR_WIDTH, m / PAIR_WIDTH * 2 + lane_b, k % PAIR_WORDS)];
}

static inline bool
pair_rig_is_right(const struct pair_rig *rig)
{
	for (unsigned m = 0; m < rig->messages.plan.messages; m++)
		for (int k = 0; k < SHA256_STATE_WORDS; k++)
			if (pair_rig_word(rig, m, k) !=
			    rig->messages.expected[m][k])
				return false;
	return true;
}

#endif
