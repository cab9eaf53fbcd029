/* SPDX-License-Identifier: MIT */
/* faults: of launches in lanes. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/kernel/abi.h"
#include "qpu/pi/faults.h"

enum {
	ROW_WORDS = KERNEL_LANES,
	ROW_BYTES = ROW_WORDS * 4,
	/* Instructions of a QPU up to its first block of a message, and for a
	 * block. */
	OPENING_INSTRUCTIONS = 2600,
	BLOCK_INSTRUCTIONS = 1750
};

static void *
find(const struct faults *faults, uint32_t bus, size_t bytes)
{
	return faults->find(faults->context, bus, bytes);
}

/* The program of the QPU that suffers. */
static const struct device_program *
program_of(const struct faults *faults)
{
	return &faults->programs[faults->qpu];
}

/* Return a program's first job after its opening, if any, or NULL if this is
 * not a program of our kernels. */
static struct kernel_job *
find_job(const struct faults *faults, const struct device_program *program)
{
	const struct kernel_uniforms *uniforms =
		find(faults, program->uniforms, sizeof(*uniforms));
	struct kernel_job *job = NULL;

	for (unsigned i = 0; i < 2 && uniforms; i++) {
		const struct kernel_record *record;

		job = find(faults, uniforms->job,
			   sizeof(*job) + sizeof(*record));
		record = (const void *)(job ? job + 1 : NULL);
		if (!job || record->blocks != KERNEL_NO_SEGMENT ||
		    !record->more)
			break;
		uniforms = &record->job;
	}
	return job;
}

/* Results of the QPU that suffers, and its job, all of whose records are among
 * them. */
static void
look_at_results(struct faults *faults)
{
	const struct device_program *program = program_of(faults);
	const struct kernel_record *end;
	struct kernel_record *record;

	faults->job = NULL;
	faults->nrows = program->result_rows;
	faults->results =
		find(faults, program->results, faults->nrows * ROW_BYTES);
	if (!faults->results)
		return;
	end = (const void *)(faults->results + faults->nrows * ROW_WORDS);
	faults->job = faults->nrows > KERNEL_SEAL_ROWS ?
			      find_job(faults, program) :
			      NULL;
	if (!faults->job)
		return;
	record = faults->records = (void *)(faults->job + 1);
	faults->blocks = faults->job->nblocks[0];
	for (; faults->job && record->blocks != KERNEL_NO_SEGMENT; record++) {
		faults->blocks += record->blocks + 1;
		if (record + 2 > end)
			faults->job = NULL;
	}
	faults->nrecords = (unsigned)(record - faults->records) + 1;
}

/* In the memory that the QPUs read ------------------------------------------ */

/* The number of blocks of a segment. */
static uint32_t
segment_blocks(const struct faults *faults, unsigned segment)
{
	return segment == 0 ? faults->job->nblocks[0] :
			      faults->records[segment - 1].blocks + 1;
}

/* Take a block from a segment. */
static void
take_block(struct faults *faults, unsigned segment)
{
	if (segment > 0)
		faults->records[segment - 1].blocks--;
	else
		for (unsigned lane = 0; lane < KERNEL_LANES; lane++)
			faults->job->nblocks[lane]--;
}

/* The first segment of several blocks gets one less; where there is none, the
 * last segment is left out. */
static void
shorten(struct faults *faults)
{
	for (unsigned i = 0; i < faults->nrecords; i++)
		if (segment_blocks(faults, i) > 1) {
			take_block(faults, i);
			return;
		}
	if (faults->nrecords > 1) {
		struct kernel_record *record =
			&faults->records[faults->nrecords - 2];

		memcpy(&record->begins, &record[1].begins, ROW_BYTES);
	}
}

/* Flip a bit of K, which stays. */
static void
flip_constant(struct faults *faults)
{
	const struct kernel_uniforms *uniforms =
		find(faults, program_of(faults)->uniforms, sizeof(*uniforms));

	if (faults->fault.place == PI_PLACE_ANY)
		faults_undo(faults);
	if (!faults->flipped)
		faults_flip(faults,
			    find(faults,
				 uniforms->constants +
					 (uint32_t)faults_draw(faults, 64) * 4,
				 4),
			    faults_draw_bit(faults));
}

static void
flip_state(struct faults *faults)
{
	faults->job->state[faults->row][faults->lane] ^=
		faults_draw_bit(faults);
}

static void
swap_pointers(struct faults *faults)
{
	uint32_t *data = faults->job->data;

	faults_swap(&data[faults->lane], &data[faults->lane ^ 1]);
}

/* A bit of a lane's data. */
static void
flip_data(struct faults *faults)
{
	const size_t bytes = (size_t)faults->blocks * 64;
	uint8_t *data = NULL;
	size_t at;
	unsigned bit;

	if (faults->job)
		data = find(faults, faults->job->data[faults->lane], bytes);
	if (!data)
		return;
	at = faults_draw(faults, bytes);
	bit = (unsigned)faults_draw(faults, 8);
	data[at] ^= (uint8_t)(1u << bit);
}

/* A page of a lane's data holds another program's data. */
static void
give_page(struct faults *faults)
{
	const uint32_t bus = faults->job->data[faults->lane] +
			     (uint32_t)faults_draw(faults, faults->blocks) * 64;
	uint32_t *words = find(faults, bus & ~(DEVICE_PAGE - 1u), DEVICE_PAGE);

	for (unsigned i = 0; words && i < DEVICE_PAGE / 4; i++)
		words[i] = (uint32_t)faults_draw(faults, UINT32_MAX);
}

/* In what was stored --------------------------------------------------------- */

static uint32_t *
result_row(const struct faults *faults, size_t row)
{
	return faults->results + row * ROW_WORDS;
}

static void
lose_row(struct faults *faults, size_t row)
{
	memcpy(result_row(faults, row), faults->before + row * ROW_WORDS,
	       ROW_BYTES);
}

static void
flip_result(struct faults *faults, size_t row)
{
	result_row(faults, row)[faults->lane] ^= faults_draw_bit(faults);
}

static void
swap_lanes(struct faults *faults, size_t row)
{
	uint32_t *words = result_row(faults, row);

	faults_swap(&words[faults->lane], &words[faults->lane ^ 1]);
}

static void
make_old(struct faults *faults, size_t row)
{
	if (row < faults->nold[faults->qpu])
		memcpy(result_row(faults, row),
		       faults->old[faults->qpu] + row * ROW_WORDS, ROW_BYTES);
	else
		lose_row(faults, row);
}

/* Our kernels do not store all rows of their results: those that they store
 * change.  Other programs store all rows. */
static bool
was_stored(const struct faults *faults, size_t row)
{
	return faults->nrows <= KERNEL_SEAL_ROWS ||
	       memcmp(faults->before + row * ROW_WORDS, result_row(faults, row),
		      ROW_BYTES) != 0;
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

/* Copy a row of one segment's state over another's. */
static void
mix_segments(struct faults *faults)
{
	struct kernel_record *record, *from;
	size_t row;

	if (!faults->job)
		return;
	record = &faults->records[faults_draw(faults, faults->nrecords)];
	from = &faults->records[faults_draw(faults, faults->nrecords)];
	row = faults_draw(faults, KERNEL_STATE_ROWS);
	memcpy(record->state[row], from->state[row], ROW_BYTES);
}

/* A bit of a word that was stored, always the same one, keeps its value.  Rows of
 * records are at multiples, so it is the same place in every launch. */
static void
stick_result(struct faults *faults)
{
	const size_t row = faults_draw(faults, state_rows(faults));

	faults_draw_stuck(faults);
	if (was_stored(faults, row))
		faults_stick(faults, &result_row(faults, row)[faults->lane]);
}

/* A lost row, any one that was stored, lands among the data. */
static void
store_astray(struct faults *faults)
{
	const uint32_t near = faults->job ? faults->job->data[faults->lane] : 0;
	const uint32_t bus = near +
			     (uint32_t)faults_draw(faults, 2 << 20) / 64 * 64 -
			     (1 << 20);
	uint8_t *line = find(faults, bus, ROW_BYTES);

	if (line)
		memcpy(line, result_row(faults, 0), ROW_BYTES);
}

/* What each of them does ------------------------------------------------------ */

/* Which of the rows that were stored. */
enum which { ALL_ROWS, ALL_STATES, A_ROW, A_STATE };

/* Kinds that are not here are the machine's or the device's own. */
static const struct act {
	void (*before)(struct faults *); /* to our kernels' jobs */
	void (*row)(struct faults *, size_t row);
	enum which which; /* rows that suffer */
	void (*after)(struct faults *);
	bool keeps; /* the results, for the launch after this one */
} acts[PI_FAULTS] = {
	[PI_DATA_BIT] = { .before = flip_data },
	[PI_PAGE_GIVEN] = { .before = give_page },
	[PI_CONSTANT_BIT] = { .before = flip_constant },
	[PI_SHORT] = { .before = shorten },
	[PI_POINTERS] = { .before = swap_pointers },
	[PI_STATE_BIT] = { .before = flip_state },
	[PI_LANE_WRONG] = { .row = flip_result, .which = ALL_STATES },
	[PI_WRONG_ONCE] = { .row = flip_result, .which = A_STATE },
	[PI_STORES_LOST] = { .row = lose_row, .which = ALL_ROWS },
	[PI_ROW_OLD] = { .row = make_old, .which = A_STATE, .keeps = true },
	[PI_ROW_OTHER] = { .after = mix_segments },
	[PI_SWAPPED] = { .row = swap_lanes, .which = ALL_ROWS },
	[PI_RESULT_STUCK] = { .after = stick_result },
	[PI_STRAY] = { .row = lose_row,
		       .which = A_STATE,
		       .after = store_astray },
};

/* QPU and lane are those that the options name, or chosen by the seed, counted
 * backwards from the last lane of the launch, or drawn. */
static void
choose_lane(struct faults *faults)
{
	const struct pi_fault *fault = &faults->fault;
	const unsigned lanes = faults->n * KERNEL_LANES;
	unsigned lane = lanes - 1 - (unsigned)(faults->seed % lanes);

	if (fault->place == PI_PLACE_NAMED)
		lane = fault->qpu % faults->n * KERNEL_LANES + fault->lane;
	else if (fault->place == PI_PLACE_ANY)
		lane = (unsigned)faults_draw(faults, lanes);
	faults->qpu = lane / KERNEL_LANES;
	faults->lane = lane % KERNEL_LANES;
}

void
faults_before(struct faults *faults, uint64_t launch,
	      const struct device_program *programs, unsigned n)
{
	const struct pi_fault *fault = &faults->fault;
	size_t bytes;

	faults->programs = programs;
	faults->n = n;
	/* A device that has recovered. */
	if (launch > fault->until)
		faults_undo(faults);
	/* Without a fault these are 0, and launches count from 1. */
	faults->strikes = launch >= fault->at && launch <= fault->until;
	if (!faults->strikes)
		return;
	faults_draw_for(faults, 1, launch);
	choose_lane(faults);
	look_at_results(faults);
	bytes = faults->nrows * ROW_BYTES;
	free(faults->before);
	faults->before = malloc(bytes);
	if (!faults->results || !faults->before) {
		faults->strikes = false;
		return;
	}
	faults->expected = (uint64_t)n * (OPENING_INSTRUCTIONS +
					  (faults->job ? faults->blocks : 0) *
						  BLOCK_INSTRUCTIONS);
	if (faults->job) {
		faults->row = faults_draw(faults, KERNEL_STATE_ROWS);
		if (acts[fault->kind].before)
			acts[fault->kind].before(faults);
	}
	memcpy(faults->before, faults->results, bytes);
}

/* Rows that were stored: all of them, or one where the search begins at random. */
static void
spoil_rows(struct faults *faults, const struct act *act)
{
	const bool states = act->which == ALL_STATES || act->which == A_STATE;
	const bool one = act->which == A_ROW || act->which == A_STATE;
	const size_t n = states ? state_rows(faults) : faults->nrows;
	const size_t start = one ? faults_draw(faults, n) : 0;

	for (size_t i = 0; i < n; i++) {
		const size_t row = (start + i) % n;

		if (!was_stored(faults, row))
			continue;
		act->row(faults, row);
		if (one)
			return;
	}
}

/* Keep the results for the launch after this one. */
static void
keep_results(struct faults *faults)
{
	for (unsigned i = 0; i < faults->n; i++) {
		const size_t rows = faults->programs[i].result_rows;
		const uint32_t *results = find(
			faults, faults->programs[i].results, rows * ROW_BYTES);

		free(faults->old[i]);
		faults->old[i] = malloc(rows * ROW_BYTES);
		faults->nold[i] = 0;
		if (!results || !faults->old[i])
			continue;
		memcpy(faults->old[i], results, rows * ROW_BYTES);
		faults->nold[i] = rows;
	}
}

void
faults_after(struct faults *faults)
{
	const struct act *act = &acts[faults->fault.kind];

	if (faults->strikes && act->row)
		spoil_rows(faults, act);
	if (faults->strikes && act->after)
		act->after(faults);
	if (act->keeps)
		keep_results(faults);
}
