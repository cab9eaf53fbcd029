/* SPDX-License-Identifier: MIT */
/* faults: of jobs of tiles. */
#include "config.h"

#include <string.h>

#include "qpu/kernel/pair.h"
#include "qpu/pi/faults.h"

enum {
	TILE_WORDS = TILE_BYTES / 4,
	LINE_WORDS = 16,
	BLOCK_INSTRUCTIONS = 1090
};

/* The memory that draws of our program look up. */
static const struct tile_memory *
memory_of(const struct tile_draw *draw, enum pair_memory memory)
{
	unsigned i = 0;

	while (pair_loads[i] != memory)
		i++;
	return draw->loads[i];
}

/* The rows of a draw's upper left pixel, in the lane table. */
static struct pair_lane *
rows_of(const struct tile_draw *draw)
{
	unsigned i = 0;

	while (pair_uniforms[i].kind != PAIR_UNIFORM_BASE ||
	       pair_uniforms[i].memory != PAIR_TABLE)
		i++;
	return (struct pair_lane *)((uint8_t *)memory_of(draw, PAIR_TABLE)->cpu +
				    draw->uniforms[i] - pair_uniforms[i].word) +
	       (size_t)draw->y * TILE_PIXELS;
}

/* A pair with blocks, or else any: its upper row, after which the lower one comes
 * as TILE_PIXELS later. */
static struct pair_lane *
choose_pair(struct faults *faults, const struct tile_job *job)
{
	struct pair_lane *row = NULL;

	for (unsigned i = 0; i < 64 && (!row || row->blocks == 0); i++) {
		const struct tile_draw *draw =
			&job->draws[faults_draw(faults, job->ndraws)];

		row = rows_of(draw) +
		      faults_draw(faults, draw->height / 2) * 2 * TILE_PIXELS +
		      faults_draw(faults, TILE_PIXELS);
	}
	return row;
}

/* What the job will read -------------------------------------------------------- */

static void
spoil_memory(struct faults *faults, const struct tile_job *job)
{
	const struct tile_memory *data = memory_of(job->draws, PAIR_DATA);
	uint32_t *k = memory_of(job->draws, PAIR_K)->cpu;
	struct pair_lane *row = choose_pair(faults, job), *second;
	uint32_t *words = data->cpu;
	size_t at = row->data / 4 +
		    faults_draw(faults, row->blocks + 1) * LINE_WORDS;

	switch (faults->fault.kind) {
	case DEVICE_BLOCK_TOO_FEW:
		row[0].blocks -= row->blocks > 0;
		row[TILE_PIXELS].blocks = row->blocks;
		break;
	case DEVICE_CORRUPT_BEFORE:
		words[at % (data->bytes / 4)] ^= faults_draw_bit(faults);
		break;
	case DEVICE_PAGE_GIVEN:
		at = at / (DEVICE_PAGE / 4) * (DEVICE_PAGE / 4);
		for (unsigned i = 0; i < DEVICE_PAGE / 4; i++)
			words[at + i] = (uint32_t)faults_draw(faults, 1 << 30);
		break;
	case DEVICE_CONSTANT_BIT:
		if (!faults->flipped)
			faults_flip(faults, &k[faults_draw(faults, 64)],
				    faults_draw_bit(faults));
		break;
	case DEVICE_JOB_BIT:
		if (!faults->cell)
			faults->cell =
				&row->state[faults_draw(faults, PAIR_WORDS)];
		faults_stick(faults, faults->cell);
		break;
	case DEVICE_POINTERS_SWAPPED:
		second = choose_pair(faults, job);
		for (unsigned i = 0; i < 2; i++)
			faults_swap(&row[i * TILE_PIXELS].data,
				    &second[i * TILE_PIXELS].data);
		break;
	default: break;
	}
}

void
faults_submitted(struct faults *faults, const struct tile_job *job)
{
	struct faults_job *last = &faults->last[++faults->jobs % FAULTS_JOBS];
	const uint64_t n = faults->jobs;

	*last = (struct faults_job){
		.number = n,
		.results = (void *)((uint8_t *)job->results->cpu + job->offset),
		.tiles = job->tiles_y,
		.expected = 1000
	};
	last->before = *last->results;
	if (n > faults->fault.until)
		faults_undo(faults);
	last->is_struck = faults->fault.kind == DEVICE_MUL_PACK;
	/* Other jobs than those of our program have nothing else to spoil. */
	if (faults->fault.kind == DEVICE_NO_FAULT ||
	    job->draws[0].program->loads != pair_nloads)
		return;
	last->is_struck = true;
	last->data = memory_of(job->draws, PAIR_DATA)->cpu;
	last->data_bytes = memory_of(job->draws, PAIR_DATA)->bytes;
	for (unsigned i = 0; i < job->ndraws; i++) {
		const unsigned pixels = TILE_PIXELS * job->draws[i].height;

		for (unsigned k = 0; k < pixels; k++)
			last->expected += rows_of(&job->draws[i])[k].blocks *
					  (uint64_t)BLOCK_INSTRUCTIONS / 16;
	}
	faults->strikes = n >= faults->fault.at && n <= faults->fault.until;
	if (!faults->strikes)
		return;
	faults->random = faults->seed * 2 + 1;
	faults_draw_stuck(faults);
	spoil_memory(faults, job);
}

/* What it has left ---------------------------------------------------------------- */

static void
swap_pixels(uint32_t *tile, size_t one, size_t other)
{
	for (unsigned s = 0; s < TILE_SAMPLES; s++)
		faults_swap(&tile[one + s * TILE_SAMPLES],
			    &tile[other + s * TILE_SAMPLES]);
}

static void
spoil_tile(struct faults *faults, uint32_t *tile, size_t word)
{
	const size_t quad = word / LINE_WORDS * LINE_WORDS;

	if (faults->fault.kind == DEVICE_TILE_BIT)
		faults_stick(faults, &tile[word]);
	else if (faults->fault.kind == DEVICE_PIXELS_SWAPPED)
		swap_pixels(tile, quad + word % 2, quad + 3 - word % 2);
}

static void
store_astray(struct faults *faults, const struct faults_job *job, size_t word)
{
	uint32_t *line = job->results + word / LINE_WORDS * LINE_WORDS;

	if (!job->data)
		return;
	memcpy(job->data + faults_draw(faults, job->data_bytes / 64 - 1) * 64,
	       line, 64);
	for (unsigned i = 0; i < LINE_WORDS; i++)
		line[i] = job->before;
}

static void
spoil_results(struct faults *faults, const struct faults_job *job)
{
	/* Where a tile has results, even if it has one row only; or anywhere. */
	const size_t word = faults_draw(
		faults, TILE_WORDS / 16 * (1 + faults_draw(faults, 16)));
	uint32_t *end = job->results + (size_t)job->tiles * TILE_WORDS;

	switch (faults->fault.kind) {
	case DEVICE_WRONG_ONCE:
		job->results[faults_draw(faults, job->tiles) * TILE_WORDS +
			     word] ^= faults_draw_bit(faults);
		break;
	case DEVICE_STORED_BIT_STUCK:
		if (!faults->cell)
			faults->cell =
				job->results +
				faults_draw(faults, job->tiles) * TILE_WORDS +
				word;
		if (faults->cell >= job->results && faults->cell < end)
			faults_stick(faults, faults->cell);
		break;
	case DEVICE_STRAY_STORE: store_astray(faults, job, word); break;
	case DEVICE_SWAPPED:
		for (unsigned i = 0; job->tiles > 1 && i < TILE_WORDS; i++)
			faults_swap(&job->results[i],
				    &job->results[TILE_WORDS + i]);
		break;
	default:
		for (unsigned i = 0; i < job->tiles; i++)
			spoil_tile(faults,
				   job->results + (size_t)i * TILE_WORDS, word);
	}
}

static const struct faults_job *
struck_job(struct faults *faults, uint64_t number)
{
	const struct faults_job *job = &faults->last[number % FAULTS_JOBS];

	faults->strikes = job->number == number && job->is_struck &&
			  faults->fault.kind != DEVICE_NO_FAULT &&
			  number >= faults->fault.at &&
			  number <= faults->fault.until;
	faults->random = faults->seed * 2 + 7;
	return job;
}

void
faults_begin_job(struct faults *faults, struct machine *machine,
		 uint64_t number)
{
	const struct faults_job *job = struck_job(faults, number);

	if (!faults->strikes)
		return;
	faults->qpu = faults->fault.names_lane ?
			      faults->fault.qpu :
			      (unsigned)faults_draw(faults, DEVICE_QPUS);
	faults->lane = faults->fault.names_lane ?
			       faults->fault.lane :
			       (unsigned)faults_draw(faults, MACHINE_LANES);
	faults->expected = job->expected;
	faults_machine_begin(faults, machine, NULL);
}

void
faults_end_job(struct faults *faults, struct machine *machine, uint64_t number)
{
	const struct faults_job *job = struck_job(faults, number);

	if (!faults->strikes)
		return;
	faults_machine_end(faults, machine);
	/* By the seed alone, whatever the machine has drawn. */
	faults->random = faults->seed * 2 + 3;
	faults_draw_stuck(faults);
	spoil_results(faults, job);
}
