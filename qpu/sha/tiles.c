/* SPDX-License-Identifier: MIT */
/* tiles: a device's memory, and what it is asked when it is opened. */
#include "config.h"

#include "qpu/sha/launcher.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/kernel/pair.h"
#include "qpu/sha/tiles_launch.h"

enum {
	/*
	 * Streams of 12 QPUs: with a known answer for each 31 they are two
	 * threads of eight messages on each QPU.  Where all are
	 * parts of long messages these 24 threads end together.
	 */
	LANES = 186,
	/* All buffers together, at most: with a launch's own memory, and the
	 * 16 MiB that the kernel's driver needs, these are 34 MiB.  The chain
	 * after them lies on both sides of the offset of 12 MiB, so that each
	 * bit of an offset is 0 in some of it and 1 in some. */
	BUFFER_BYTES = (12 << 20) - (32 << 10),
	CHAIN_OFFSET = DEVICE_PAGE, /* in the constants, after K */
	K_WORDS = 64,
	PROBE_UNIFORMS = 1, /* an address, which the device fills */
	/* Launches of a process that are tried again.  A GPU that loses more
	 * has a fault of its own. */
	MOST_RETRIES = 8
};

/* Buffers ------------------------------------------------------------------- */

/* A memory with room for `bytes` of buffers, and the chain after them. */
static bool
add_memory(struct tiles_launch *launch, size_t bytes)
{
	struct tiles_buffers *to = &launch->memories[launch->nmemories];

	if (!launch->way->alloc(launch->way_self,
				bytes + KNOWN_BYTES + PAIR_AHEAD_BYTES,
				&to->memory, NULL))
		return false;
	memcpy((uint8_t *)to->memory.cpu + bytes, launch->known.data,
	       KNOWN_BYTES);
	to->chain = bytes;
	to->used = to->buffers = 0;
	launch->nmemories++;
	launch->buffer_bytes += bytes;
	return true;
}

/* Return a buffer on whole pages. Buffers share a memory where possible, since
 * a thread's messages must be in one. */
static void *
tiles_alloc(void *self_, size_t bytes)
{
	struct tiles_launch *launch = self_;
	const size_t rest = BUFFER_BYTES - launch->buffer_bytes;
	struct tiles_buffers *memory;
	unsigned m = launch->nmemories - 1;

	bytes = (bytes + DEVICE_PAGE - 1) / DEVICE_PAGE * DEVICE_PAGE;
	while (m > 0 &&
	       launch->memories[m].chain - launch->memories[m].used < bytes)
		m--;
	if (m == 0) {
		if (bytes > rest || launch->nmemories == PLAN_MEMORIES ||
		    (!add_memory(launch, rest) && !add_memory(launch, bytes)))
			return NULL;
		m = launch->nmemories - 1;
	}
	memory = &launch->memories[m];
	memory->buffers++;
	memory->used += bytes;
	return (uint8_t *)memory->memory.cpu + memory->used - bytes;
}

/* Memory that a job may still read stays until the device is closed. */
static bool
tiles_free(void *self_, const void *buffer)
{
	struct tiles_launch *launch = self_;

	for (unsigned m = 1; m < launch->nmemories; m++) {
		struct tiles_buffers *memory = &launch->memories[m];

		if ((uintptr_t)buffer - (uintptr_t)memory->memory.cpu >=
		    memory->chain)
			continue;
		if (--memory->buffers > 0)
			return true;
		launch->buffer_bytes -= memory->chain;
		if (!launch->may_run)
			launch->way->free(launch->way_self, &memory->memory);
		*memory = launch->memories[--launch->nmemories];
		return true;
	}
	return false;
}

/* Opening -------------------------------------------------------------------- */

/* A program without lookups that reports where its threads run
 * (tiles_plan.h). */
static const uint64_t probe_code[] = {
#include "qpu/sha/probe.words"
};

static bool
allocate(struct tiles_launch *launch, size_t bytes, struct way_memory *memory,
	 struct diag *why_not)
{
	return launch->way->alloc(launch->way_self, bytes, memory, why_not);
}

static bool
allocate_pictures(struct tiles_launch *launch, unsigned tiles,
		  struct diag *why_not)
{
	if (!allocate(launch, (size_t)(tiles + PLAN_PROOFS) * TILE_LANES_BYTES,
		      &launch->table, why_not))
		return false;
	if (allocate(launch, (size_t)(tiles + PLAN_PROOFS) * TILE_BYTES,
		     &launch->results, why_not))
		return true;
	launch->way->free(launch->way_self, &launch->table);
	return false;
}

/* Memory for this number of tiles, if more than that is left for buffers. */
static bool
allocate_tiles(struct tiles_launch *launch, unsigned tiles,
	       struct diag *why_not)
{
	enum { RESERVES = 2 };
	struct way_memory reserves[RESERVES];
	unsigned n = 0;
	bool good;

	while (n < RESERVES &&
	       allocate(launch, (size_t)tiles * TILE_LANES_BYTES, &reserves[n],
			why_not))
		n++;
	good = n == RESERVES && allocate_pictures(launch, tiles, why_not);
	while (n > 0)
		launch->way->free(launch->way_self, &reserves[--n]);
	return good;
}

static bool
allocate_constants(struct tiles_launch *launch, struct diag *why_not)
{
	uint32_t *k;

	if (!allocate(launch, CHAIN_OFFSET + KNOWN_BYTES + PAIR_AHEAD_BYTES,
		      &launch->constants, why_not))
		return false;
	k = launch->constants.cpu;
	for (unsigned i = 0; i < PAIR_K_WORDS; i++)
		k[i] = sha256_k[i % K_WORDS];
	memcpy((uint8_t *)launch->constants.cpu + CHAIN_OFFSET,
	       launch->known.data, KNOWN_BYTES);
	launch->memories[0] =
		(struct tiles_buffers){ .memory = launch->constants,
					.chain = CHAIN_OFFSET };
	launch->nmemories = 1;
	return true;
}

/* Memory of the CPU for a launch of this number of tiles, and the proof. */
static bool
allocate_plan(struct tiles_launch *launch, unsigned tiles)
{
	launch->most_pieces = tiles_plan_pieces(tiles);
	launch->pieces = malloc(launch->most_pieces * sizeof(*launch->pieces));
	launch->states = malloc(launch->most_pieces * sizeof(*launch->states));
	launch->draws = malloc((tiles + PLAN_PROOFS) * sizeof(*launch->draws));
	launch->uniforms = malloc((tiles + PLAN_PROOFS) * pair_nuniforms *
				  sizeof(uint32_t));
	launch->loads = malloc((tiles + PLAN_PROOFS) * pair_nloads *
			       sizeof(*launch->loads));
	return tiles_plan_init(&launch->plan, tiles, launch->shapes.qpus) &&
	       launch->pieces && launch->states && launch->draws &&
	       launch->uniforms && launch->loads;
}

/* Let the device draw a window of each height, and see how it makes threads. */
static enum device_status
probe_shapes(struct tiles_launch *launch, struct diag *why_not)
{
	static const uint32_t uniforms[PROBE_UNIFORMS];
	const struct way *way = launch->way;
	struct way_program program = { .uniforms = PROBE_UNIFORMS };
	struct tile_draw draws[SHAPE_ROWS];
	const size_t bytes = SHAPE_ROWS * (size_t)TILE_BYTES;
	enum device_status status;
	uint32_t *copy;

	if (!way->load(launch->way_self, probe_code,
		       sizeof(probe_code) / sizeof(*probe_code), &program,
		       why_not))
		return DEVICE_REFUSED;
	for (unsigned i = 0; i < SHAPE_ROWS; i++)
		draws[i] =
			(struct tile_draw){ .program = &program,
					    .uniforms = uniforms,
					    .y = (uint16_t)(i * TILE_PIXELS),
					    .width = TILE_PIXELS,
					    .height = (uint16_t)(2 * (i + 1)) };
	status = way_run(
		way, launch->way_self,
		&(struct way_job){
			.tiles = { .draws = draws,
				   .ndraws = SHAPE_ROWS,
				   .results = &launch->results,
				   .tiles_x = 1,
				   .tiles_y = SHAPE_ROWS,
				   .clear = nonce_next(&launch->nonce) } },
		tile_patience_ms(0), why_not);
	if (status != DEVICE_OK)
		return status;
	copy = malloc(bytes);
	if (!copy) {
		diag_set(why_not, "out of memory");
		return DEVICE_REFUSED;
	}
	memcpy(copy, launch->results.cpu, bytes);
	if (!thread_shapes_read(&launch->shapes, copy, why_not))
		status = DEVICE_FAULT;
	free(copy);
	return status;
}

/* Get memory and programs of an open device, and see how it makes threads.
 * With little memory a launch has fewer tiles. */
static enum device_status
prepare(struct tiles_launch *launch, struct diag *why_not)
{
	const struct way *way = launch->way;
	unsigned tiles = PLAN_TILES;
	struct device_totals totals;
	enum device_status status;

	way->totals(launch->way_self, &totals);
	if (totals.is_seeded)
		launch->nonce.state = totals.seed;
	else
		launch->nonce = nonce_begin();
	known_make(&launch->known, launch->nonce);
	launch->program =
		(struct way_program){ .uniforms = (unsigned)pair_nuniforms,
				      .loads = (unsigned)pair_nloads };
	while (tiles >= PLAN_TILES_LEAST &&
	       !allocate_tiles(launch, tiles, why_not))
		tiles /= 2;
	if (tiles < PLAN_TILES_LEAST || !allocate_constants(launch, why_not) ||
	    !way->load(launch->way_self, pair_code, pair_nwords,
		       &launch->program, why_not))
		return DEVICE_REFUSED;
	status = probe_shapes(launch, why_not);
	/* Another program that hung may have cost this picture. */
	if (status == DEVICE_FAULT)
		status = probe_shapes(launch, why_not);
	if (status == DEVICE_OK && !allocate_plan(launch, tiles)) {
		diag_set(why_not, "out of memory");
		status = DEVICE_REFUSED;
	}
	return status;
}

/* Launches ------------------------------------------------------------------ */

/* Remember that jobs may still run after a timeout or wrong answers. */
static enum engine_status
note_end(struct tiles_launch *launch, enum engine_status status)
{
	launch->may_run = status == ENGINE_TIMEOUT || status == ENGINE_FAULT;
	return status;
}

/* The same between launches as when it is opened: caches are perhaps not cleared any
 * more. */
static enum engine_status
tiles_test(void *self, bool is_again, struct diag *why)
{
	(void)is_again;
	return note_end(self, tiles_hash_known(self, why));
}

static bool
tiles_plan(void *self, struct engine_lane *lanes, unsigned n, struct diag *why)
{
	return tiles_parse(self, lanes, n, why);
}

static enum engine_status
tiles_run(void *self_, struct engine_lane *lanes, unsigned n,
	  struct figures *figures, struct diag *why)
{
	struct tiles_launch *launch = self_;
	enum engine_status status;

	(void)n;
	if (launch->npieces == 0)
		return ENGINE_OK;
	status = note_end(launch, tiles_hash(launch, lanes, why));
	if (status == ENGINE_OK) {
		figures->launches++;
		figures->blocks += launch->blocks;
		figures->vectors += launch->vectors;
		figures->capacity += launch->capacity;
	}
	return status;
}

static void
tiles_collect_lanes(void *self, struct engine_lane *lanes)
{
	tiles_collect(self, lanes);
}

/* The device ---------------------------------------------------------------- */

static void
tiles_close(void *self_)
{
	struct tiles_launch *launch = self_;

	tiles_plan_free(&launch->plan);
	free(launch->pieces);
	free(launch->states);
	free(launch->draws);
	free(launch->uniforms);
	free(launch->loads);
	free(launch);
}

static void *
tiles_open(const struct way *way, void *way_self, unsigned qpus,
	   struct engine_limits *limits, struct figures *figures,
	   enum engine_status *status, struct diag *why)
{
	struct tiles_launch *launch = calloc(1, sizeof(*launch));

	if (!launch)
		return NULL;
	launch->way = way;
	launch->way_self = way_self;
	*status = launcher_status(prepare(launch, why));
	launch->is_prepared = *status == ENGINE_OK;
	if (*status != ENGINE_REFUSED)
		*figures =
			(struct figures){ .qpus = qpus, .lanes = THREAD_PAIRS };
	limits->lanes = LANES;
	limits->chained = launch->most_pieces / LANES;
	/* A device that has failed its first job has no plan. */
	if (limits->chained == 0)
		limits->chained = 1;
	limits->piece_bytes = DEVICE_PIECE_BYTES;
	return launch;
}

/* A launch that was refused, lost or late, as after a hang of another program, is
 * tried again when none of its jobs can run any longer. */
static bool
tiles_restart(void *self_, enum engine_status failure, struct diag *why_not)
{
	struct tiles_launch *launch = self_;

	if (!launch->is_prepared || launch->retries++ == MOST_RETRIES)
		return false;
	if (failure == ENGINE_TIMEOUT)
		return launch->way->wait(launch->way_self, launch->newest,
					 tile_patience_ms(0),
					 why_not) == DEVICE_OK;
	return failure == ENGINE_REFUSED || launch->was_lost;
}

const struct launcher launcher_tiles = {
	.lanes = LANES,
	.modelled_mb = TILES_MB,
	.open = tiles_open,
	.test = tiles_test,
	.restart = tiles_restart,
	.alloc = tiles_alloc,
	.free = tiles_free,
	.plan = tiles_plan,
	.run = tiles_run,
	.collect = tiles_collect_lanes,
	.close = tiles_close,
};
