/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/engine/faults.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/kernel/abi.h"

enum { ROW_WORDS = KERNEL_LANES, ROW_BYTES = ROW_WORDS * 4 };

void
faults_open(struct faults *faults, const struct emulated_options *options)
{
	*faults = (struct faults){ .options = options,
				   .random = options->seed * 2 + 1 };
}

void
faults_close(struct faults *faults)
{
	for (unsigned i = 0; i < DEVICE_QPUS; i++)
		free(faults->stale[i]);
	free(faults->before);
}

static size_t
draw(struct faults *faults, size_t below)
{
	faults->random =
		faults->random * 6364136223846793005 + 1442695040888963407;
	return (size_t)(faults->random >> 33) % below;
}

/* Choose QPU and lane: those that the options name, or by the seed, counted
 * backwards from the last lane of the launch. */
static void
choose_lane(struct faults *faults, unsigned n)
{
	const struct emulated_options *options = faults->options;
	const unsigned lanes = n * KERNEL_LANES;
	const unsigned lane = lanes - 1 - (unsigned)(options->seed % lanes);

	faults->qpu = lane / KERNEL_LANES;
	faults->lane = lane % KERNEL_LANES;
	if (options->fault_names_lane) {
		faults->qpu = options->fault_qpu % n;
		faults->lane = options->fault_lane;
	}
}

/* The job of a program of our kernels, which its first uniform points to. */
static struct kernel_job *
find_job(const struct device_program *program, faults_find *find, void *context)
{
	const uint32_t *uniforms = find(context, program->uniforms, 4);

	return uniforms ? find(context, *uniforms, sizeof(struct kernel_job)) :
			  NULL;
}

/* Blocks of a launch of a QPU, in every lane. */
static uint32_t
count_blocks(const struct kernel_job *job, const struct kernel_record *record)
{
	uint32_t blocks = job->nblocks[0];

	for (; record->blocks != KERNEL_NO_SEGMENT; record++)
		blocks += record->blocks + 1;
	return blocks;
}

/* The first segment of several blocks gets one less; where there is none, the
 * last segment is left out. */
static void
shorten(struct faults *faults, const struct device_program *program,
	faults_find *find, void *context)
{
	struct kernel_job *job = find_job(program, find, context);
	struct kernel_record *record = (void *)faults->results;

	if (!job)
		return;
	if (job->nblocks[0] > 1) {
		for (unsigned lane = 0; lane < KERNEL_LANES; lane++)
			job->nblocks[lane]--;
		return;
	}
	while (record->blocks == 0)
		record++;
	if (record->blocks != KERNEL_NO_SEGMENT) {
		record->blocks--;
	} else {
		record[-1].blocks = KERNEL_NO_SEGMENT;
		record[-1].next = record->next;
	}
}

void
faults_before(struct faults *faults, uint64_t launch,
	      const struct device_program *programs, unsigned n,
	      faults_find *find, void *context)
{
	const struct emulated_options *options = faults->options;
	const struct device_program *program;

	faults->strikes = options->fault != DEVICE_NO_FAULT &&
			  (launch == options->fault_at ||
			   (launch > options->fault_at &&
			    options->fault == DEVICE_WRONG_LANE));
	if (!faults->strikes)
		return;
	choose_lane(faults, n);
	program = &programs[faults->qpu];
	faults->nrows = program->result_rows;
	faults->results =
		find(context, program->results, faults->nrows * ROW_BYTES);
	free(faults->before);
	faults->before = malloc(faults->nrows * ROW_BYTES);
	if (!faults->results || !faults->before) {
		faults->strikes = false;
		return;
	}
	if (options->fault == DEVICE_BLOCK_TOO_FEW)
		shorten(faults, program, find, context);
	memcpy(faults->before, faults->results, faults->nrows * ROW_BYTES);
}

void
faults_corrupt(struct faults *faults, const struct device_program *programs,
	       faults_find *find, void *context)
{
	struct kernel_job *job =
		find_job(&programs[faults->qpu], find, context);

	if (!job)
		return;

	const size_t bytes =
		(size_t)count_blocks(job, (void *)faults->results) * 64;
	uint8_t *data = find(context, job->data[faults->lane], bytes);
	const size_t at = draw(faults, bytes);
	const unsigned bit = (unsigned)draw(faults, 8);

	if (data)
		data[at] ^= (uint8_t)(1u << bit);
}

/* Has the QPU stored this row?  Our kernels do not store all rows of their
 * results: those that they store change.  Other programs store all rows. */
static bool
was_stored(const struct faults *faults, size_t row)
{
	return faults->nrows <= KERNEL_SEAL_ROWS ||
	       memcmp(faults->before + row * ROW_WORDS,
		      faults->results + row * ROW_WORDS, ROW_BYTES) != 0;
}

/* The number of rows with states: a lane that computes wrongly is right in the
 * seal. */
static size_t
state_rows(const struct faults *faults)
{
	return faults->nrows > KERNEL_SEAL_ROWS ?
		       faults->nrows - KERNEL_SEAL_ROWS :
		       faults->nrows;
}

/* Choose one of the first `rows` rows that was stored; -1: there is none. */
static long
draw_stored(struct faults *faults, size_t rows)
{
	const size_t start = draw(faults, rows);

	for (size_t i = 0; i < rows; i++) {
		const size_t row = (start + i) % rows;

		if (was_stored(faults, row))
			return (long)row;
	}
	return -1;
}

static void
lose_row(struct faults *faults, size_t row)
{
	memcpy(faults->results + row * ROW_WORDS,
	       faults->before + row * ROW_WORDS, ROW_BYTES);
}

static void
flip_bit(struct faults *faults, size_t row)
{
	faults->results[row * ROW_WORDS + faults->lane] ^= 1u
							   << draw(faults, 32);
}

static void
swap_lanes(struct faults *faults, size_t row)
{
	uint32_t *one = faults->results + row * ROW_WORDS + faults->lane;
	uint32_t *other =
		faults->results + row * ROW_WORDS + (faults->lane ^ 1);
	const uint32_t word = *one;

	*one = *other;
	*other = word;
}

static void
make_stale(struct faults *faults, size_t row)
{
	if (row < faults->nstale[faults->qpu])
		memcpy(faults->results + row * ROW_WORDS,
		       faults->stale[faults->qpu] + row * ROW_WORDS, ROW_BYTES);
	else
		lose_row(faults, row);
}

/* Apply the fault to a row that was stored. */
static void
spoil_row(struct faults *faults, size_t row)
{
	switch (faults->options->fault) {
	case DEVICE_WRONG_LANE:
		if (row < state_rows(faults))
			flip_bit(faults, row);
		break;
	case DEVICE_STORES_LOST: lose_row(faults, row); break;
	case DEVICE_STALE_RESULTS: make_stale(faults, row); break;
	case DEVICE_LANES_SWAPPED: swap_lanes(faults, row); break;
	default: break;
	}
}

static void
spoil(struct faults *faults)
{
	long row;

	switch (faults->options->fault) {
	case DEVICE_WRONG_ONCE:
		row = draw_stored(faults, state_rows(faults));
		if (row >= 0)
			flip_bit(faults, (size_t)row);
		break;
	case DEVICE_ROW_LOST:
		row = draw_stored(faults, faults->nrows);
		if (row >= 0)
			lose_row(faults, (size_t)row);
		break;
	default:
		for (size_t i = 0; i < faults->nrows; i++)
			if (was_stored(faults, i))
				spoil_row(faults, i);
	}
}

/* Keep the results for the launch after this one. */
static void
keep_results(struct faults *faults, const struct device_program *programs,
	     unsigned n, faults_find *find, void *context)
{
	for (unsigned i = 0; i < n; i++) {
		const size_t bytes = programs[i].result_rows * ROW_BYTES;
		const uint32_t *results =
			find(context, programs[i].results, bytes);

		free(faults->stale[i]);
		faults->stale[i] = malloc(bytes);
		faults->nstale[i] = 0;
		if (!results || !faults->stale[i])
			continue;
		memcpy(faults->stale[i], results, bytes);
		faults->nstale[i] = programs[i].result_rows;
	}
}

void
faults_after(struct faults *faults, const struct device_program *programs,
	     unsigned n, faults_find *find, void *context)
{
	if (faults->strikes)
		spoil(faults);
	if (faults->options->fault == DEVICE_STALE_RESULTS)
		keep_results(faults, programs, n, find, context);
}
