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
static const struct way_memory *
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

/* The job, and a pair of it. */
struct pair_place {
	const struct tile_job *job;
	struct pair_lane *row; /* the upper one */
	uint32_t *words;       /* data */
	size_t nwords, at;     /* a word of the pair's data */
};

static void
shorten(struct faults *faults, const struct pair_place *pair)
{
	(void)faults;
	pair->row[0].blocks -= pair->row->blocks > 0;
	pair->row[TILE_PIXELS].blocks = pair->row->blocks;
}

static void
flip_data(struct faults *faults, const struct pair_place *pair)
{
	pair->words[pair->at % pair->nwords] ^= faults_draw_bit(faults);
}

static void
give_page(struct faults *faults, const struct pair_place *pair)
{
	uint32_t *page =
		pair->words + pair->at / (DEVICE_PAGE / 4) * (DEVICE_PAGE / 4);

	for (unsigned i = 0; i < DEVICE_PAGE / 4; i++)
		page[i] = (uint32_t)faults_draw(faults, 1 << 30);
}

static void
flip_constant(struct faults *faults, const struct pair_place *pair)
{
	uint32_t *k = memory_of(pair->job->draws, PAIR_K)->cpu;

	if (faults->fault.place == PI_PLACE_ANY)
		faults_undo(faults);
	if (!faults->flipped)
		faults_flip(faults, &k[faults_draw(faults, 64)],
			    faults_draw_bit(faults));
}

static void
stick_state(struct faults *faults, const struct pair_place *pair)
{
	if (!faults->cell || faults->fault.place == PI_PLACE_ANY)
		faults->cell =
			&pair->row->state[faults_draw(faults, PAIR_WORDS)];
	faults_stick(faults, faults->cell);
}

static void
swap_pointers(struct faults *faults, const struct pair_place *pair)
{
	struct pair_lane *other = choose_pair(faults, pair->job);

	for (unsigned i = 0; i < 2; i++)
		faults_swap(&pair->row[i * TILE_PIXELS].data,
			    &other[i * TILE_PIXELS].data);
}

static void (*const before[PI_FAULTS])(struct faults *,
				       const struct pair_place *) = {
	[PI_DATA_BIT] = flip_data,	   [PI_PAGE_GIVEN] = give_page,
	[PI_CONSTANT_BIT] = flip_constant, [PI_SHORT] = shorten,
	[PI_POINTERS] = swap_pointers,	   [PI_STATE_BIT] = stick_state,
};

static void
spoil_memory(struct faults *faults, const struct tile_job *job)
{
	const struct way_memory *data = memory_of(job->draws, PAIR_DATA);
	struct pair_place pair = { .job = job,
				   .row = choose_pair(faults, job),
				   .words = data->cpu,
				   .nwords = data->bytes / 4 };

	pair.at = pair.row->data / 4 +
		  faults_draw(faults, pair.row->blocks + 1) * LINE_WORDS;
	if (before[faults->fault.kind])
		before[faults->fault.kind](faults, &pair);
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
	last->is_struck = faults->fault.kind == PI_MUL_PACK;
	/* Only our program's jobs have more to spoil. */
	if (faults->fault.kind == PI_NO_FAULT ||
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
	faults_draw_for(faults, 1, n);
	faults_draw_stuck(faults);
	spoil_memory(faults, job);
}

/* What it has left ---------------------------------------------------------------- */

/* The job, and a word of a tile of its. */
struct result_place {
	const struct faults_job *job;
	size_t word;
};

static uint32_t *
draw_result(struct faults *faults, const struct result_place *place)
{
	return place->job->results +
	       faults_draw(faults, place->job->tiles) * TILE_WORDS +
	       place->word;
}

static void
flip_result(struct faults *faults, const struct result_place *place)
{
	*draw_result(faults, place) ^= faults_draw_bit(faults);
}

static void
stick_result(struct faults *faults, const struct result_place *place)
{
	const struct faults_job *job = place->job;

	if (!faults->cell || faults->fault.place == PI_PLACE_ANY)
		faults->cell = draw_result(faults, place);
	if (faults->cell >= job->results &&
	    faults->cell < job->results + (size_t)job->tiles * TILE_WORDS)
		faults_stick(faults, faults->cell);
}

static void
store_astray(struct faults *faults, const struct result_place *place)
{
	const struct faults_job *job = place->job;
	uint32_t *line = job->results + place->word / LINE_WORDS * LINE_WORDS;

	if (!job->data)
		return;
	memcpy(job->data + faults_draw(faults, job->data_bytes / 64 - 1) * 64,
	       line, 64);
	for (unsigned i = 0; i < LINE_WORDS; i++)
		line[i] = job->before;
}

static void
stick_tiles(struct faults *faults, const struct result_place *place)
{
	for (unsigned i = 0; i < place->job->tiles; i++)
		faults_stick(faults, place->job->results +
					     (size_t)i * TILE_WORDS +
					     place->word);
}

static void (*const after[PI_FAULTS])(struct faults *,
				      const struct result_place *) = {
	[PI_WRONG_ONCE] = flip_result,
	[PI_RESULT_STUCK] = stick_result,
	[PI_STRAY] = store_astray,
	[PI_TILE_BIT] = stick_tiles,
};

static void
spoil_results(struct faults *faults, const struct faults_job *job)
{
	/* Random, with early words more likely: a tile may have a single
	 * row. */
	const struct result_place place = {
		.job = job,
		.word = faults_draw(
			faults, TILE_WORDS / 16 * (1 + faults_draw(faults, 16)))
	};

	if (after[faults->fault.kind])
		after[faults->fault.kind](faults, &place);
}

static const struct faults_job *
struck_job(struct faults *faults, uint64_t number)
{
	const struct faults_job *job = &faults->last[number % FAULTS_JOBS];

	faults->strikes = job->number == number && job->is_struck &&
			  faults->fault.kind != PI_NO_FAULT &&
			  number >= faults->fault.at &&
			  number <= faults->fault.until;
	faults_draw_for(faults, 7, number);
	return job;
}

void
faults_begin_job(struct faults *faults, struct machine *machine,
		 uint64_t number)
{
	const struct faults_job *job = struck_job(faults, number);

	if (!faults->strikes)
		return;
	faults->qpu = faults->fault.qpu;
	faults->lane = faults->fault.lane;
	if (faults->fault.place != PI_PLACE_NAMED) {
		faults->qpu = (unsigned)faults_draw(faults, DEVICE_QPUS);
		faults->lane = (unsigned)faults_draw(faults, MACHINE_LANES);
	}
	faults->expected = job->expected;
	faults_machine_begin(faults, machine);
}

void
faults_end_job(struct faults *faults, struct machine *machine, uint64_t number)
{
	const struct faults_job *job = struck_job(faults, number);

	if (!faults->strikes)
		return;
	faults_machine_end(faults, machine);
	/* By the seed alone, whatever the machine has drawn. */
	faults_draw_for(faults, 3, number);
	faults_draw_stuck(faults);
	spoil_results(faults, job);
}
