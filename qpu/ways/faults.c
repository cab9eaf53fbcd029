/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/faults.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/kernel/abi.h"
#include "qpu/kernel/code.h"

enum {
	ROW_WORDS = KERNEL_LANES,
	ROW_BYTES = ROW_WORDS * 4,
	/* Instructions of a QPU up to its first block of a message, and for a
	 * block. */
	OPENING_INSTRUCTIONS = 2600,
	BLOCK_INSTRUCTIONS = 1750,
	GLITCH_INSTRUCTIONS = 3000
};

/* A launch of our kernels: the job after the opening, and its records. */
struct view {
	struct kernel_job *job;
	struct kernel_record *records;
	unsigned nrecords;
	uint32_t blocks; /* in every lane */
};

void
faults_open(struct faults *faults, const struct emulated_fault *fault,
	    uint64_t seed)
{
	*faults = (struct faults){ .fault = fault, .seed = seed };
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
	const struct emulated_fault *fault = faults->fault;
	const unsigned lanes = n * KERNEL_LANES;
	const unsigned lane = lanes - 1 - (unsigned)(faults->seed % lanes);

	faults->qpu = lane / KERNEL_LANES;
	faults->lane = lane % KERNEL_LANES;
	if (fault->names_lane) {
		faults->qpu = fault->qpu % n;
		faults->lane = fault->lane;
	}
}

/* False if this is no program of our kernels; all of its records are among its
 * results. */
static bool
find_view(const struct device_program *program, faults_find *find,
	  void *context, struct view *view)
{
	const struct kernel_uniforms *uniforms =
		find(context, program->uniforms, sizeof(*uniforms));
	const size_t bytes = (size_t)program->result_rows * ROW_BYTES;
	const uint8_t *results = find(context, program->results, bytes);
	struct kernel_record *record;

	if (!results || program->result_rows <= KERNEL_SEAL_ROWS)
		return false;
	/* The first job, perhaps an opening, and the one after that. */
	for (unsigned i = 0; i < 2; i++) {
		view->job = uniforms ? find(context, uniforms->job,
					    sizeof(struct kernel_job) +
						    sizeof(*record)) :
				       NULL;
		if (!view->job)
			return false;
		record = (void *)(view->job + 1);
		uniforms = &record->job;
		if (record->blocks != KERNEL_NO_SEGMENT || !record->more)
			break;
	}
	view->records = record;
	view->blocks = view->job->nblocks[0];
	for (; record->blocks != KERNEL_NO_SEGMENT; record++) {
		view->blocks += record->blocks + 1;
		if ((uint8_t *)(record + 2) > results + bytes)
			return false;
	}
	view->nrecords = (unsigned)(record - view->records) + 1;
	return true;
}

/* The number of blocks of a segment. */
static uint32_t
segment_blocks(const struct view *view, unsigned segment)
{
	return segment == 0 ? view->job->nblocks[0] :
			      view->records[segment - 1].blocks + 1;
}

static void
set_segment_blocks(struct view *view, unsigned segment, uint32_t blocks)
{
	if (segment > 0)
		view->records[segment - 1].blocks = blocks - 1;
	else
		for (unsigned lane = 0; lane < KERNEL_LANES; lane++)
			view->job->nblocks[lane] = blocks;
}

/* The first segment of several blocks gets one less; where there is none, the
 * last segment is left out. */
static void
shorten(struct view *view)
{
	for (unsigned i = 0; i < view->nrecords; i++)
		if (segment_blocks(view, i) > 1) {
			set_segment_blocks(view, i,
					   segment_blocks(view, i) - 1);
			return;
		}
	if (view->nrecords > 1) {
		struct kernel_record *record =
			&view->records[view->nrecords - 2];

		memcpy(&record->begins, &record[1].begins, ROW_BYTES);
	}
}

/* A segment gets a block of the one after it. */
static void
shift_length(struct faults *faults, struct view *view)
{
	const size_t start = draw(faults, view->nrecords);

	for (size_t k = 0; k + 1 < view->nrecords; k++) {
		const unsigned i =
			(unsigned)((start + k) % (view->nrecords - 1));

		if (segment_blocks(view, i + 1) < 2)
			continue;
		set_segment_blocks(view, i, segment_blocks(view, i) + 1);
		set_segment_blocks(view, i + 1,
				   segment_blocks(view, i + 1) - 1);
		return;
	}
	faults->strikes = false;
}

static void
flip(struct faults *faults, uint32_t *word, uint32_t bits)
{
	if (!word)
		return;
	*word ^= bits;
	faults->flipped = word;
	faults->bits = bits;
}

void
faults_undo(struct faults *faults)
{
	if (faults->flipped)
		*faults->flipped ^= faults->bits;
	faults->flipped = NULL;
}

/* A bit of the program, or of K, which nobody writes again. */
static void
flip_lasting(struct faults *faults, const struct device_program *program,
	     faults_find *find, void *context)
{
	const struct kernel_uniforms *uniforms =
		find(context, program->uniforms, sizeof(*uniforms));
	uint32_t bus = program->code +
		       (uint32_t)draw(faults, 2 * sha256_kernel_nwords) * 4;

	if (faults->flipped)
		return;
	if (faults->fault->kind != DEVICE_CODE_BIT)
		bus = uniforms ? uniforms->constants +
					 (uint32_t)draw(faults, 64) * 4 :
				 0;
	flip(faults, find(context, bus, 4), UINT32_C(1) << draw(faults, 32));
}

/* The QPU is given the uniforms of the next one, or those one word further. */
static void
shift_uniforms(struct faults *faults, const struct device_program *program,
	       faults_find *find, void *context)
{
	uint32_t *words = find(context, program->uniforms, 8);

	if (words)
		flip(faults, words, words[0] ^ words[1]);
}

/* What a fault does to the memory before a launch. */
static void
spoil_memory(struct faults *faults, const struct device_program *program,
	     faults_find *find, void *context)
{
	struct view view;
	uint32_t *row;

	if (!find_view(program, find, context, &view))
		return;
	row = view.job->state[draw(faults, KERNEL_STATE_ROWS)];
	switch (faults->fault->kind) {
	case DEVICE_BLOCK_TOO_FEW: shorten(&view); break;
	case DEVICE_CODE_BIT:
	case DEVICE_CONSTANT_BIT:
		flip_lasting(faults, program, find, context);
		break;
	case DEVICE_UNIFORMS_WRONG:
		shift_uniforms(faults, program, find, context);
		break;
	case DEVICE_JOB_BIT:
		row[faults->lane] ^= UINT32_C(1) << draw(faults, 32);
		break;
	case DEVICE_POINTERS_SWAPPED:
		row = view.job->data;
		row[faults->lane] ^= row[faults->lane ^ 1];
		row[faults->lane ^ 1] ^= row[faults->lane];
		row[faults->lane] ^= row[faults->lane ^ 1];
		break;
	case DEVICE_BEGINS_BIT:
		view.records[draw(faults, view.nrecords)].begins ^=
			UINT32_C(1) << (31 - faults->lane);
		break;
	case DEVICE_NEXT_BIT:
		view.records[draw(faults, view.nrecords)].next ^=
			UINT32_C(4) << draw(faults, 6);
		break;
	case DEVICE_LENGTHS_SHIFTED: shift_length(faults, &view); break;
	default: break;
	}
}

/* A bit of a lane's data, before the launch or in the middle of it. */
static void
corrupt_data(struct faults *faults, const struct device_program *program,
	     faults_find *find, void *context)
{
	struct view view;

	if (!find_view(program, find, context, &view))
		return;

	const size_t bytes = (size_t)view.blocks * 64;
	uint8_t *data = find(context, view.job->data[faults->lane], bytes);
	const size_t at = draw(faults, bytes);
	const unsigned bit = (unsigned)draw(faults, 8);

	if (data)
		data[at] ^= (uint8_t)(1u << bit);
}

/* When it acts on a running program, if it does. */
static void
choose_moment(struct faults *faults, const struct device_program *program,
	      unsigned n, faults_find *find, void *context)
{
	struct view view = { .blocks = 0 };

	faults->moment = faults->lasts = 0;
	switch (faults->fault->kind) {
	case DEVICE_CORRUPT_LATE:
		/* Every QPU is in its first block. */
		faults->moment = (uint64_t)n * OPENING_INSTRUCTIONS;
		return;
	case DEVICE_CONSTANT_GLITCH: faults->lasts = GLITCH_INSTRUCTIONS; break;
	case DEVICE_REGISTER_BIT:
	case DEVICE_REGISTER_BITS:
	case DEVICE_INSTRUCTION_SKIPPED: break;
	default: return;
	}
	find_view(program, find, context, &view);
	faults->moment =
		1 +
		draw(faults, (size_t)n * (OPENING_INSTRUCTIONS +
					  view.blocks * BLOCK_INSTRUCTIONS));
}

static void
choose_register(struct faults *faults)
{
	faults->file = (unsigned)draw(faults, 9) / 4;
	faults->number = (unsigned)draw(faults, faults->file == 2 ? 6 : 32);
	faults->stuck = UINT32_C(1) << draw(faults, 32);
	faults->value = draw(faults, 2) ? faults->stuck : 0;
}

void
faults_before(struct faults *faults, uint64_t launch,
	      const struct device_program *programs, unsigned n,
	      faults_find *find, void *context)
{
	const struct emulated_fault *fault = faults->fault;
	const struct device_program *program;

	/* A device that has recovered. */
	if (launch > fault->until)
		faults_undo(faults);
	/* Without a fault these are 0, and launches count from 1. */
	faults->strikes = launch >= fault->at && launch <= fault->until;
	if (!faults->strikes)
		return;
	faults->random = faults->seed * 2 + 1;
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
	choose_moment(faults, program, n, find, context);
	choose_register(faults);
	spoil_memory(faults, program, find, context);
	if (fault->kind == DEVICE_CORRUPT_BEFORE)
		corrupt_data(faults, program, find, context);
	memcpy(faults->before, faults->results, faults->nrows * ROW_BYTES);
}

/* Flip a bit of a register, in one lane or in all. */
static void
disturb(struct faults *faults, struct machine *machine, unsigned lanes)
{
	for (unsigned i = 0; i < lanes; i++)
		machine_disturb(machine, faults->qpu, faults->file,
				faults->number,
				(faults->lane + i) % KERNEL_LANES,
				faults->stuck);
}

void
faults_stick(const struct faults *faults, struct machine *machine, unsigned qpu)
{
	uint32_t word;

	if (qpu != faults->qpu)
		return;
	word = machine_register(machine, qpu, faults->file,
				faults->number)[faults->lane];
	machine_disturb(machine, qpu, faults->file, faults->number,
			faults->lane, (word ^ faults->value) & faults->stuck);
}

void
faults_during(struct faults *faults, struct machine *machine,
	      const struct device_program *programs, faults_find *find,
	      void *context)
{
	const struct device_program *program = &programs[faults->qpu];

	switch (faults->fault->kind) {
	case DEVICE_CORRUPT_LATE:
		corrupt_data(faults, program, find, context);
		break;
	case DEVICE_CONSTANT_GLITCH:
		flip_lasting(faults, program, find, context);
		break;
	case DEVICE_REGISTER_BIT: disturb(faults, machine, 1); break;
	case DEVICE_REGISTER_BITS:
		disturb(faults, machine, KERNEL_LANES);
		break;
	case DEVICE_INSTRUCTION_SKIPPED:
		machine_skip(machine, faults->qpu);
		break;
	default: break;
	}
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
	switch (faults->fault->kind) {
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

/* Exchange the states of two segments, or give one those of another. */
static void
mix_segments(struct faults *faults, const struct view *view,
	     const struct view *other)
{
	struct kernel_record *record =
		&view->records[draw(faults, view->nrecords)];
	const struct kernel_record kept = *record;
	struct kernel_record *from =
		&other->records[draw(faults, other->nrecords)];
	const size_t row = draw(faults, KERNEL_STATE_ROWS);

	switch (faults->fault->kind) {
	case DEVICE_SEGMENTS_SWAPPED:
		memcpy(record->state, from->state, sizeof(record->state));
		memcpy(from->state, kept.state, sizeof(record->state));
		break;
	case DEVICE_ROW_OF_SEGMENT:
		memcpy(record->state[row], from->state[row], ROW_BYTES);
		break;
	default: memcpy(record->state, from->state, sizeof(record->state));
	}
}

/* A bit of a word that was stored, always the same one, keeps its value. */
static void
stick(struct faults *faults, bool in_seal)
{
	const size_t first = state_rows(faults);
	const size_t row = in_seal ? first + draw(faults, KERNEL_SEAL_ROWS) :
				     draw(faults, first);
	const uint32_t bit = UINT32_C(1) << draw(faults, 32);
	uint32_t *word = faults->results + row * ROW_WORDS + faults->lane;

	/* The same place in every launch: rows of records are at multiples. */
	if (row >= faults->nrows || !was_stored(faults, row))
		return;
	if (draw(faults, 2))
		*word |= bit;
	else
		*word &= ~bit;
}

static void
spoil(struct faults *faults, const struct device_program *programs, unsigned n,
      faults_find *find, void *context)
{
	struct view view, other;
	long row;

	switch (faults->fault->kind) {
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
	case DEVICE_SEGMENTS_SWAPPED:
	case DEVICE_ROW_OF_SEGMENT:
	case DEVICE_RECORD_OF_NEIGHBOUR:
		if (!find_view(&programs[faults->qpu], find, context, &view))
			break;
		other = view;
		if (faults->fault->kind == DEVICE_RECORD_OF_NEIGHBOUR)
			find_view(&programs[(faults->qpu + 1) % n], find,
				  context, &other);
		mix_segments(faults, &view, &other);
		break;
	case DEVICE_STORED_BIT_STUCK: stick(faults, false); break;
	case DEVICE_SEAL_BIT_STUCK: stick(faults, true); break;
	case DEVICE_UNIFORMS_WRONG: faults_undo(faults); break;
	case DEVICE_STALE_ROW:
		row = draw_stored(faults, state_rows(faults));
		if (row >= 0)
			make_stale(faults, (size_t)row);
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
		spoil(faults, programs, n, find, context);
	if (faults->fault->kind == DEVICE_STALE_RESULTS ||
	    faults->fault->kind == DEVICE_STALE_ROW)
		keep_results(faults, programs, n, find, context);
}
