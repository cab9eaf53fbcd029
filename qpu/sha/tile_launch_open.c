/* SPDX-License-Identifier: MIT */
/* tile_launch: beginning and end. */
#include "config.h"

#include "qpu/sha/tile_launch.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/kernel/pair.h"
#include "qpu/sha/tile_lanes.h"
#include "src/base/fips180.h"

enum {
	CHAIN_OFFSET = DEVICE_PAGE, /* in the constants, after K */
	K_WORDS = 64,
	/* A tile of a plan for the proof, and one that a device may ask for. */
	MORE_TILES = 2,
	PROBE_UNIFORMS = 1, /* an address, which the device fills */
	PROBE_TIMEOUT_MS = 1500
};

/* A program without lookups that tells where its threads run
 * (thread_shapes.h). */
static const uint64_t probe_code[] = {
#include "qpu/sha/probe.words"
};

static bool
allocate(struct tile_launch *launch, size_t bytes, struct tile_memory *memory,
	 struct diag *why_not)
{
	return launch->device->alloc(launch->device_self, bytes, memory,
				     why_not);
}

static bool
allocate_pictures(struct tile_launch *launch, unsigned tiles,
		  struct diag *why_not)
{
	if (!allocate(launch, (size_t)(tiles + 1) * TILE_LANES_BYTES,
		      &launch->table, why_not))
		return false;
	if (allocate(launch, (size_t)(tiles + MORE_TILES) * TILE_BYTES,
		     &launch->results, why_not))
		return true;
	launch->device->free(launch->device_self, &launch->table);
	return false;
}

/* Memory for this number of tiles, if more than that is left for buffers. */
static bool
allocate_tiles(struct tile_launch *launch, unsigned tiles, struct diag *why_not)
{
	enum { RESERVES = 2 };
	struct tile_memory reserves[RESERVES];
	unsigned n = 0;
	bool good;

	while (n < RESERVES &&
	       allocate(launch, (size_t)tiles * TILE_LANES_BYTES, &reserves[n],
			why_not))
		n++;
	good = n == RESERVES && allocate_pictures(launch, tiles, why_not);
	while (n > 0)
		launch->device->free(launch->device_self, &reserves[--n]);
	return good;
}

static bool
allocate_constants(struct tile_launch *launch, struct diag *why_not)
{
	uint32_t *k;

	if (!allocate(launch,
		      CHAIN_OFFSET + KNOWN_CHAIN_BYTES + PAIR_AHEAD_BYTES,
		      &launch->constants, why_not))
		return false;
	k = launch->constants.cpu;
	for (unsigned i = 0; i < PAIR_K_WORDS; i++)
		k[i] = sha256_k[i % K_WORDS];
	memcpy((uint8_t *)launch->constants.cpu + CHAIN_OFFSET,
	       launch->chain.data, KNOWN_CHAIN_BYTES);
	launch->memories[0] =
		(struct launch_memory){ .memory = launch->constants,
					.chain = CHAIN_OFFSET };
	launch->nmemories = 1;
	return true;
}

/* Memory of the CPU for a launch of this number of tiles. */
static bool
allocate_plan(struct tile_launch *launch, unsigned tiles)
{
	launch->most_pieces = tile_plan_pieces(tiles);
	launch->pieces = malloc(launch->most_pieces * sizeof(*launch->pieces));
	launch->states = malloc(launch->most_pieces * sizeof(*launch->states));
	launch->draws = malloc((tiles + 1) * sizeof(*launch->draws));
	launch->uniforms =
		malloc((tiles + 1) * pair_nuniforms * sizeof(uint32_t));
	launch->loads =
		malloc((tiles + 1) * pair_nloads * sizeof(*launch->loads));
	return tile_plan_init(&launch->plan, tiles, launch->shapes.qpus) &&
	       launch->pieces && launch->states && launch->draws &&
	       launch->uniforms && launch->loads;
}

/* Let the device draw a window of each height, and see how it makes threads. */
static enum device_status
probe(struct tile_launch *launch, struct diag *why_not)
{
	static const uint32_t uniforms[PROBE_UNIFORMS];
	const struct tile_device *device = launch->device;
	struct tile_program program = { .uniforms = PROBE_UNIFORMS };
	struct tile_draw draws[SHAPE_ROWS];
	const size_t bytes = SHAPE_ROWS * (size_t)TILE_BYTES;
	enum device_status status;
	uint32_t *copy;
	uint64_t ticket;

	if (!device->load_program(launch->device_self, probe_code,
				  sizeof(probe_code) / sizeof(*probe_code),
				  &program, why_not))
		return DEVICE_REFUSED;
	for (unsigned i = 0; i < SHAPE_ROWS; i++)
		draws[i] =
			(struct tile_draw){ .program = &program,
					    .uniforms = uniforms,
					    .y = (uint16_t)(i * TILE_PIXELS),
					    .width = TILE_PIXELS,
					    .height = (uint16_t)(2 * (i + 1)) };
	status = device->submit(
		launch->device_self,
		&(struct tile_job){ .draws = draws,
				    .ndraws = SHAPE_ROWS,
				    .results = &launch->results,
				    .tiles_x = 1,
				    .tiles_y = SHAPE_ROWS,
				    .clear = nonce_next(&launch->nonce) },
		&ticket, why_not);
	if (status == DEVICE_OK)
		status = device->wait(launch->device_self, ticket,
				      PROBE_TIMEOUT_MS, why_not);
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

enum device_status
tile_launch_open(struct tile_launch *launch, const struct tile_device *device,
		 void *device_self, struct diag *why_not)
{
	unsigned tiles = PLAN_TILES;
	enum device_status status;

	*launch = (struct tile_launch){ .device = device,
					.device_self = device_self };
	if (device->seed)
		launch->nonce.state = device->seed(device_self);
	else
		nonce_begin(&launch->nonce);
	known_chain_make(&launch->chain, launch->nonce.state);
	launch->program =
		(struct tile_program){ .uniforms = (unsigned)pair_nuniforms,
				       .loads = (unsigned)pair_nloads };
	while (tiles >= PLAN_TILES_LEAST &&
	       !allocate_tiles(launch, tiles, why_not))
		tiles /= 2;
	if (tiles < PLAN_TILES_LEAST || !allocate_constants(launch, why_not) ||
	    !device->load_program(device_self, pair_code, pair_nwords,
				  &launch->program, why_not))
		return DEVICE_REFUSED;
	status = probe(launch, why_not);
	if (status == DEVICE_OK && !allocate_plan(launch, tiles)) {
		diag_set(why_not, "out of memory");
		status = DEVICE_REFUSED;
	}
	return status;
}

void
tile_launch_close(struct tile_launch *launch)
{
	tile_plan_free(&launch->plan);
	free(launch->pieces);
	free(launch->states);
	free(launch->draws);
	free(launch->uniforms);
	free(launch->loads);
}
