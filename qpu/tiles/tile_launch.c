/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/tiles/tile_launch.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/kernel/pair.h"
#include "qpu/tiles/lane_table.h"
#include "qpu/tiles/tile_result.h"

enum {
	LINE = 64,
	WIDTH_LOG2 = 5, /* of a job: one tile */
	/* The threads of a job begin a twelfth of a block after each other. */
	DELAY = 23,
	DELAY_BLOCKS = 8, /* that are worth it */
	/* A block of a thread takes some 18 us at 250 MHz. */
	BLOCK_US = 18,
	LEAST_TIMEOUT_MS = 1500
};

/* Memory -------------------------------------------------------------------- */

static void
write_chain(struct tile_launch *launch, const struct tile_memory *memory,
	    size_t offset)
{
	memcpy((uint8_t *)memory->cpu + offset, launch->chain.data,
	       KNOWN_CHAIN_BYTES);
	launch->chains[launch->nmemories] = offset;
	launch->memories[launch->nmemories++] = *memory;
}

const struct tile_memory *
tile_launch_add_memory(struct tile_launch *launch, size_t bytes)
{
	const size_t offset = (bytes + LINE - 1) / LINE * LINE;
	struct tile_memory memory;

	if (launch->nmemories == PLAN_MEMORIES ||
	    !launch->device->alloc(launch->device_self,
				   offset + KNOWN_CHAIN_BYTES +
					   PAIR_AHEAD_BYTES,
				   &memory, NULL))
		return NULL;
	write_chain(launch, &memory, offset);
	return &launch->memories[launch->nmemories - 1];
}

bool
tile_launch_remove_memory(struct tile_launch *launch, const void *cpu,
			  bool is_free)
{
	for (unsigned i = 1; i < launch->nmemories; i++) {
		if (launch->memories[i].cpu != cpu)
			continue;
		if (is_free)
			launch->device->free(launch->device_self,
					     &launch->memories[i]);
		launch->nmemories--;
		launch->memories[i] = launch->memories[launch->nmemories];
		launch->chains[i] = launch->chains[launch->nmemories];
		return true;
	}
	return false;
}

/* Pieces -------------------------------------------------------------------- */

/* Find the data of a lane's pieces in one of the memories. */
static bool
place_pieces(const struct tile_launch *launch, struct piece *pieces, unsigned n)
{
	const struct piece *last = &pieces[n - 1];
	const size_t bytes = (size_t)(last->data - pieces->data) +
			     (size_t)last->blocks * SHA256_BLOCK_BYTES +
			     PAIR_AHEAD_BYTES;

	for (unsigned m = 1; m < launch->nmemories; m++) {
		const struct tile_memory *memory = &launch->memories[m];
		const size_t offset =
			(uintptr_t)pieces->data - (uintptr_t)memory->cpu;

		if (offset >= memory->bytes || memory->bytes - offset < bytes ||
		    offset % 4 != 0)
			continue;
		for (unsigned i = 0; i < n; i++) {
			pieces[i].memory = (uint8_t)m;
			pieces[i].offset =
				(uint32_t)(offset + (size_t)(pieces[i].data -
							     pieces->data));
		}
		return true;
	}
	return false;
}

bool
tile_launch_take_apart(struct tile_launch *launch, struct batch *batches,
		       unsigned n, struct diag *why)
{
	const unsigned most = launch->most_pieces / (n * BATCH_LANES);

	launch->npieces = 0;
	for (unsigned i = 0; i < n; i++) {
		for (unsigned lane = 0; lane < BATCH_LANES; lane++) {
			struct piece *pieces = &launch->pieces[launch->npieces];
			const unsigned here =
				pieces_of_lane(pieces, most, batches, i, lane);

			if (here > 0 && !place_pieces(launch, pieces, here)) {
				diag_set(why, "data lie outside of its memory");
				return false;
			}
			launch->npieces += here;
		}
	}
	return true;
}

void
tile_launch_collect(const struct tile_launch *launch, struct batch *batches)
{
	for (unsigned i = 0; i < launch->npieces; i++)
		piece_finish(&launch->pieces[i], batches, launch->states[i]);
}

/* Jobs ---------------------------------------------------------------------- */

static const struct tile_memory *
memory_of(const struct tile_launch *launch, const struct plan_tile *tile,
	  enum pair_memory memory)
{
	switch (memory) {
	case PAIR_TABLE: return &launch->table;
	case PAIR_DATA: return &launch->memories[tile->memory];
	case PAIR_K: break;
	}
	return &launch->constants;
}

/* The table of a job begins at `table`. */
static void
fill_uniforms(const struct tile_launch *launch, const struct plan_tile *tile,
	      uint32_t table, uint32_t delay, uint32_t *uniforms)
{
	for (size_t i = 0; i < pair_nuniforms; i++) {
		const struct pair_uniform *from = &pair_uniforms[i];
		const size_t bytes =
			memory_of(launch, tile, from->memory)->bytes;
		const uint32_t offset = from->memory == PAIR_TABLE ? table : 0;

		switch (from->kind) {
		case PAIR_UNIFORM_BASE:
			uniforms[i] = offset + from->word;
			break;
		case PAIR_UNIFORM_CLAMP:
			uniforms[i] = (uint32_t)bytes - offset - from->word;
			break;
		case PAIR_UNIFORM_WIDTH: uniforms[i] = WIDTH_LOG2; break;
		case PAIR_UNIFORM_DELAY: uniforms[i] = delay; break;
		case PAIR_UNIFORM_ADDRESS: uniforms[i] = 0; break;
		}
	}
}

static void
fill_draw(struct tile_launch *launch, const struct plan_job *job, unsigned n)
{
	const unsigned number = job->first_tile + n;
	const struct plan_tile *tile = &launch->plan.tiles[number];
	uint32_t *uniforms = launch->uniforms + number * pair_nuniforms;
	const struct tile_memory **loads = launch->loads + number * pair_nloads;
	const bool waits = n == 0 && tile->longest >= DELAY_BLOCKS &&
			   tile->rows * SHAPE_ROW_THREADS >= launch->plan.qpus;

	for (size_t i = 0; i < pair_nloads; i++)
		loads[i] = memory_of(launch, tile, pair_loads[i]);
	fill_uniforms(launch, tile,
		      (uint32_t)job->first_tile * LANE_TABLE_TILE_BYTES,
		      waits ? DELAY : 0, uniforms);
	launch->draws[number] =
		(struct tile_draw){ .program = &launch->program,
				    .uniforms = uniforms,
				    .loads = loads,
				    .y = (uint16_t)(n * TILE_PIXELS),
				    .width = TILE_PIXELS,
				    .height = (uint16_t)(tile->rows * 2) };
}

static uint8_t *
results_of(const struct tile_launch *launch, unsigned tile)
{
	return (uint8_t *)launch->results.cpu + (size_t)tile * TILE_BYTES;
}

static void
fill_tile(struct tile_launch *launch, unsigned number,
	  const struct batch *batches, uint32_t pattern)
{
	const struct plan_tile *tile = &launch->plan.tiles[number];
	uint32_t *words = (void *)results_of(launch, number);

	lane_table_write(launch, tile, batches,
			 (uint8_t *)launch->table.cpu +
				 (size_t)number * LANE_TABLE_TILE_BYTES);
	for (size_t i = 0; i < tile->rows * (TILE_BYTES / 4 / SHAPE_ROWS); i++)
		words[i] = pattern;
}

static enum device_status
submit(struct tile_launch *launch, unsigned number, const struct batch *batches,
       struct diag *why)
{
	const struct plan_job *job = &launch->plan.jobs[number];

	launch->patterns[number] = nonce_next(&launch->nonce);
	launch->clears[number] = nonce_next(&launch->nonce);
	for (unsigned i = 0; i < job->ntiles; i++) {
		fill_draw(launch, job, i);
		fill_tile(launch, job->first_tile + i, batches,
			  launch->patterns[number]);
	}
	return launch->device->submit(
		launch->device_self,
		&(struct tile_job){ .draws = &launch->draws[job->first_tile],
				    .ndraws = job->ntiles,
				    .results = &launch->results,
				    .offset = (size_t)job->first_tile *
					      TILE_BYTES,
				    .tiles_x = 1,
				    .tiles_y = job->ntiles,
				    .clear = launch->clears[number] },
		&launch->tickets[number], why);
}

static enum tile_verdict
take(struct tile_launch *launch, unsigned number, const struct batch *batches,
     struct diag *why)
{
	const struct plan_job *job = &launch->plan.jobs[number];
	const uint32_t patterns[] = { launch->patterns[number],
				      launch->clears[number] };
	enum tile_verdict worst = TILE_RIGHT;

	for (unsigned i = 0; i < job->ntiles; i++) {
		const unsigned tile = job->first_tile + i;
		const enum tile_verdict verdict = tile_result_take(
			launch, &launch->plan.tiles[tile], batches,
			results_of(launch, tile), patterns);

		if (verdict > worst)
			worst = verdict;
	}
	if (worst == TILE_NOT_STORED)
		diag_set(why, "the GPU has not stored all of its results");
	else if (worst == TILE_WRONG)
		diag_set(why, "the GPU's answers are wrong");
	return worst;
}

static unsigned
timeout_ms(const struct tile_launch *launch)
{
	uint64_t blocks = 0;

	for (unsigned i = 0; i < launch->plan.njobs; i++)
		blocks += launch->plan.jobs[i].blocks;
	blocks = 3 * blocks * BLOCK_US / 1000;
	return blocks > LEAST_TIMEOUT_MS ? (unsigned)blocks : LEAST_TIMEOUT_MS;
}

/* All jobs that were submitted have ended before this returns, unless one does
 * not end: their memory is used again. */
static enum device_status
run_jobs(struct tile_launch *launch, const struct batch *batches,
	 enum tile_verdict *worst, struct diag *why)
{
	const unsigned timeout = timeout_ms(launch);
	enum device_status status = DEVICE_OK;
	unsigned n = 0;

	*worst = TILE_RIGHT;
	while (n < launch->plan.njobs && status == DEVICE_OK) {
		status = submit(launch, n, batches, why);
		n += status == DEVICE_OK;
	}
	for (unsigned i = 0; i < n; i++) {
		const enum device_status ended = launch->device->wait(
			launch->device_self, launch->tickets[i], timeout, why);
		enum tile_verdict verdict;

		if (ended != DEVICE_OK)
			return ended;
		verdict = take(launch, i, batches, why);
		if (verdict > *worst)
			*worst = verdict;
	}
	return status;
}

enum device_status
tile_launch_run(struct tile_launch *launch, const struct batch *batches,
		enum tile_verdict *verdict, struct diag *why)
{
	if (!batches) {
		tile_plan_test(&launch->plan, &launch->nonce);
		return run_jobs(launch, NULL, verdict, why);
	}
	if (!tile_plan_make(&launch->plan, launch->pieces, launch->npieces,
			    &launch->nonce)) {
		diag_set(why, "data lie in too many memories");
		return DEVICE_REFUSED;
	}
	tile_plan_proof(&launch->plan, &launch->nonce);
	return run_jobs(launch, batches, verdict, why);
}
