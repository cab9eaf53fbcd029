/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/pi/faults.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/kernel/abi.h"

enum {
	ROW_WORDS = KERNEL_LANES,
	ROW_BYTES = ROW_WORDS * 4,
	/* Instructions of a QPU up to its first block of a message, and for a
	 * block. */
	OPENING_INSTRUCTIONS = 2600,
	BLOCK_INSTRUCTIONS = 1750
};

void
faults_open(struct faults *faults, const struct emulated_fault *fault,
	    uint64_t seed, faults_find *find, void *context)
{
	*faults = (struct faults){
		.fault = *fault, .seed = seed, .find = find, .context = context
	};
}

void
faults_close(struct faults *faults)
{
	for (unsigned i = 0; i < DEVICE_QPUS; i++)
		free(faults->stale[i]);
	free(faults->before);
}

size_t
faults_draw(struct faults *faults, size_t n)
{
	faults->random =
		faults->random * 6364136223846793005 + 1442695040888963407;
	return (size_t)(faults->random >> 33) % n;
}

uint32_t
faults_draw_bit(struct faults *faults)
{
	return UINT32_C(1) << faults_draw(faults, 32);
}

void
faults_draw_stuck(struct faults *faults)
{
	faults->stuck = faults_draw_bit(faults);
	faults->value = faults_draw(faults, 2) ? faults->stuck : 0;
}

void
faults_stick(const struct faults *faults, uint32_t *word)
{
	*word = (*word & ~faults->stuck) | faults->value;
}

void
faults_flip(struct faults *faults, uint32_t *word, uint32_t bits)
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

/* The first job of a program, perhaps an opening, or else the one after that.
 * NULL if this is no program of our kernels. */
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

static void
add_blocks(struct faults *faults, unsigned segment, uint32_t more)
{
	if (segment > 0)
		faults->records[segment - 1].blocks += more;
	else
		for (unsigned lane = 0; lane < KERNEL_LANES; lane++)
			faults->job->nblocks[lane] += more;
}

/* The first segment of several blocks gets one less; where there is none, the
 * last segment is left out. */
static void
shorten(struct faults *faults)
{
	for (unsigned i = 0; i < faults->nrecords; i++)
		if (segment_blocks(faults, i) > 1) {
			add_blocks(faults, i, -UINT32_C(1));
			return;
		}
	if (faults->nrecords > 1) {
		struct kernel_record *record =
			&faults->records[faults->nrecords - 2];

		memcpy(&record->begins, &record[1].begins, ROW_BYTES);
	}
}

/* A segment gets a block of the one after it. */
static void
shift_length(struct faults *faults)
{
	const size_t start = faults_draw(faults, faults->nrecords);

	for (size_t k = 0; k + 1 < faults->nrecords; k++) {
		const unsigned i =
			(unsigned)((start + k) % (faults->nrecords - 1));

		if (segment_blocks(faults, i + 1) < 2)
			continue;
		add_blocks(faults, i, 1);
		add_blocks(faults, i + 1, -UINT32_C(1));
		return;
	}
	faults->strikes = false;
}

/* A bit of the program, or of K, which nobody writes again. */
static void
flip_lasting(struct faults *faults)
{
	const struct kernel_uniforms *uniforms =
		find(faults, program_of(faults)->uniforms, sizeof(*uniforms));
	uint32_t bus =
		program_of(faults)->code +
		(uint32_t)faults_draw(faults, 2 * sha256_kernel_nwords) * 4;

	if (faults->flipped)
		return;
	if (faults->fault.kind != DEVICE_CODE_BIT)
		bus = uniforms->constants +
		      (uint32_t)faults_draw(faults, 64) * 4;
	faults_flip(faults, find(faults, bus, 4), faults_draw_bit(faults));
}

/* The QPU is given the uniforms of the next one, or those one word further. */
static void
shift_uniforms(struct faults *faults)
{
	uint32_t *words = find(faults, program_of(faults)->uniforms, 8);

	if (words)
		faults_flip(faults, words, words[0] ^ words[1]);
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

static void
flip_begins(struct faults *faults)
{
	faults->records[faults_draw(faults, faults->nrecords)].begins ^=
		UINT32_C(1) << (31 - faults->lane);
}

static void
flip_next(struct faults *faults)
{
	faults->records[faults_draw(faults, faults->nrecords)].next ^=
		UINT32_C(4) << faults_draw(faults, 6);
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

/* A page of a lane's data has what others have written. */
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
make_stale(struct faults *faults, size_t row)
{
	if (row < faults->nstale[faults->qpu])
		memcpy(result_row(faults, row),
		       faults->stale[faults->qpu] + row * ROW_WORDS, ROW_BYTES);
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

/* Exchange the states of two segments, or give one those of another, which may
 * be another QPU's. */
static void
mix_segments(struct faults *faults)
{
	const enum device_fault kind = faults->fault.kind;
	struct faults other = *faults;
	struct kernel_record *record, *from, kept;
	size_t row;

	if (kind == DEVICE_RECORD_OF_NEIGHBOUR) {
		other.qpu = (faults->qpu + 1) % faults->n;
		look_at_results(&other);
	}
	if (!faults->job || !other.job)
		return;
	record = &faults->records[faults_draw(faults, faults->nrecords)];
	kept = *record;
	from = &other.records[faults_draw(faults, other.nrecords)];
	row = faults_draw(faults, KERNEL_STATE_ROWS);
	if (kind == DEVICE_ROW_OF_SEGMENT) {
		memcpy(record->state[row], from->state[row], ROW_BYTES);
		return;
	}
	memcpy(record->state, from->state, sizeof(record->state));
	if (kind == DEVICE_SEGMENTS_SWAPPED)
		memcpy(from->state, kept.state, sizeof(record->state));
}

/* A bit of a word that was stored, always the same one, keeps its value.  Rows of
 * records are at multiples, so it is the same place in every launch. */
static void
stick_result(struct faults *faults)
{
	const size_t first = state_rows(faults);
	const size_t row =
		faults->fault.kind == DEVICE_SEAL_BIT_STUCK ?
			first + faults_draw(faults, KERNEL_SEAL_ROWS) :
			faults_draw(faults, first);

	faults_draw_stuck(faults);
	if (row < faults->nrows && was_stored(faults, row))
		faults_stick(faults, &result_row(faults, row)[faults->lane]);
}

/* A row that got lost, which is any that was stored, has come to be among data. */
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

/* Kinds that are not here are the device's own. */
static const struct act {
	void (*before)(struct faults *); /* to our kernels' jobs */
	void (*during)(struct faults *);
	void (*row)(struct faults *, size_t row);
	enum which which; /* rows that suffer */
	void (*after)(struct faults *);
} acts[] = {
	[DEVICE_WRONG_LANE] = { .row = flip_result, .which = ALL_STATES },
	[DEVICE_WRONG_ONCE] = { .row = flip_result, .which = A_STATE },
	[DEVICE_STORES_LOST] = { .row = lose_row, .which = ALL_ROWS },
	[DEVICE_ROW_LOST] = { .row = lose_row, .which = A_ROW },
	[DEVICE_STALE_RESULTS] = { .row = make_stale, .which = ALL_ROWS },
	[DEVICE_STALE_ROW] = { .row = make_stale, .which = A_STATE },
	[DEVICE_SWAPPED] = { .row = swap_lanes, .which = ALL_ROWS },
	[DEVICE_BLOCK_TOO_FEW] = { .before = shorten },
	[DEVICE_CORRUPT_BEFORE] = { .before = flip_data },
	[DEVICE_CORRUPT_LATE] = { .during = flip_data },
	[DEVICE_CODE_BIT] = { .before = flip_lasting },
	[DEVICE_CONSTANT_BIT] = { .before = flip_lasting },
	[DEVICE_UNIFORMS_WRONG] = { .before = shift_uniforms,
				    .after = faults_undo },
	[DEVICE_JOB_BIT] = { .before = flip_state },
	[DEVICE_POINTERS_SWAPPED] = { .before = swap_pointers },
	[DEVICE_BEGINS_BIT] = { .before = flip_begins },
	[DEVICE_NEXT_BIT] = { .before = flip_next },
	[DEVICE_LENGTHS_SHIFTED] = { .before = shift_length },
	[DEVICE_SEGMENTS_SWAPPED] = { .after = mix_segments },
	[DEVICE_ROW_OF_SEGMENT] = { .after = mix_segments },
	[DEVICE_RECORD_OF_NEIGHBOUR] = { .after = mix_segments },
	[DEVICE_STORED_BIT_STUCK] = { .after = stick_result },
	[DEVICE_SEAL_BIT_STUCK] = { .after = stick_result },
	[DEVICE_PAGE_GIVEN] = { .before = give_page },
	[DEVICE_STRAY_STORE] = { .row = lose_row,
				 .which = A_STATE,
				 .after = store_astray },
	[DEVICE_CONSTANT_GLITCH] = { .during = flip_lasting },
	[DEVICE_FAULTS - 1] = { .row = NULL },
};

/* QPU and lane are those that the options name, or chosen by the seed, counted
 * backwards from the last lane of the launch. */
static void
choose_lane(struct faults *faults)
{
	const struct emulated_fault *fault = &faults->fault;
	const unsigned lanes = faults->n * KERNEL_LANES;
	const unsigned lane = lanes - 1 - (unsigned)(faults->seed % lanes);

	faults->qpu = lane / KERNEL_LANES;
	faults->lane = lane % KERNEL_LANES;
	if (fault->names_lane) {
		faults->qpu = fault->qpu % faults->n;
		faults->lane = fault->lane;
	}
}

void
faults_before(struct faults *faults, uint64_t launch,
	      const struct device_program *programs, unsigned n)
{
	const struct emulated_fault *fault = &faults->fault;
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
	faults->random = faults->seed * 2 + 1;
	choose_lane(faults);
	look_at_results(faults);
	bytes = faults->nrows * ROW_BYTES;
	free(faults->before);
	faults->before = malloc(bytes);
	if (!faults->results || !faults->before) {
		faults->strikes = false;
		return;
	}
	/* With "late" every QPU is in its first block. */
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

void
faults_run(struct faults *faults, struct machine *machine)
{
	if (faults->strikes)
		faults_machine_begin(faults, machine,
				     acts[faults->fault.kind].during);
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

		free(faults->stale[i]);
		faults->stale[i] = malloc(rows * ROW_BYTES);
		faults->nstale[i] = 0;
		if (!results || !faults->stale[i])
			continue;
		memcpy(faults->stale[i], results, rows * ROW_BYTES);
		faults->nstale[i] = rows;
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
	if (act->row == make_stale)
		keep_results(faults);
}
