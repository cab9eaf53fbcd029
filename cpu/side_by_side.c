/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cpu/side_by_side.h"

#include <stddef.h>
#include <string.h>

#include "cpu/kernels.h"

struct places {
	const struct cpu_kernel *kernel;
	/* The first `count` lanes of the line have blocks, and the first `busy` of
	 * these have places. */
	unsigned count, busy;
	struct engine_lane *line[CPU_LANES];
	/* The lane whose state is at this place of the run, or NULL. */
	struct engine_lane *loaded[CPU_LANES];
	struct cpu_run run;
};

static uint32_t
blocks_left(const struct engine_lane *lane)
{
	return lane->nblocks - lane->done;
}

/* Write the state at a place to its lane, if there is one. */
static void
unload(struct places *places, unsigned place)
{
	if (places->loaded[place])
		cpu_run_get_state(&places->run, places->kernel, place,
				  places->loaded[place]->state);
	places->loaded[place] = NULL;
}

/* Unload the lanes that have moved in the line. */
static void
unload_moved(struct places *places)
{
	for (unsigned place = 0; place < CPU_LANES; place++)
		if (places->loaded[place] != places->line[place])
			unload(places, place);
}

/* Take the best kernel for the lanes that have blocks. */
static void
choose_kernel(struct places *places, uint32_t features)
{
	const struct cpu_kernel *const kernel =
		cpu_kernel_choose(features, places->count);

	unload_moved(places);
	if (places->kernel != kernel)
		for (unsigned place = 0; place < CPU_LANES; place++)
			unload(places, place);
	places->kernel = kernel;
	places->busy = places->count < kernel->lanes ? places->count :
						       kernel->lanes;
	/* The rest of a wide kernel computes something that is dropped. */
	for (unsigned place = places->busy; place < kernel->lanes; place++)
		cpu_run_set_state(&places->run, kernel, place, sha256_initial);
}

/* Let the lanes that come first in the line have the places. */
static void
load(struct places *places)
{
	unload_moved(places);
	for (unsigned place = 0; place < places->busy; place++) {
		if (places->loaded[place])
			continue;
		places->loaded[place] = places->line[place];
		cpu_run_set_state(&places->run, places->kernel, place,
				  places->line[place]->state);
	}
}

/* Advance until the first lane ends. */
static void
advance(struct places *places)
{
	uint32_t blocks = UINT32_MAX;

	for (unsigned place = 0; place < places->busy; place++) {
		const struct engine_lane *lane = places->line[place];

		places->run.data[place] =
			lane->data + (size_t)lane->done * SHA256_BLOCK_BYTES;
		if (blocks_left(lane) < blocks)
			blocks = blocks_left(lane);
	}
	for (unsigned place = places->busy; place < places->kernel->lanes;
	     place++)
		places->run.data[place] = places->run.data[0];
	cpu_kernel_run(places->kernel, &places->run, blocks);
	for (unsigned place = 0; place < places->busy; place++)
		places->line[place]->done += blocks;
}

/* Steps --------------------------------------------------------------------- */

void
side_by_side_step(uint32_t features, struct engine_lane *const *line,
		  unsigned n)
{
	struct places places;

	memset(&places, 0, offsetof(struct places, run));
	places.count = n;
	memcpy(places.line, line, n * sizeof(*line));
	choose_kernel(&places, features);
	for (unsigned next = places.busy; next <= n;) {
		load(&places);
		advance(&places);
		for (unsigned place = 0; place < places.busy; place++)
			if (blocks_left(places.line[place]) == 0 && next++ < n)
				places.line[place] = line[next - 1];
	}
	for (unsigned place = 0; place < places.busy; place++)
		unload(&places, place);
}

/* Runs ---------------------------------------------------------------------- */

/* Get blocks for a lane of the line that has none. */
static bool
fill(struct places *places, unsigned i, const struct engine_lane *lanes,
     const struct side_by_side_supply *supply)
{
	struct engine_lane *const lane = places->line[i];
	const unsigned number = (unsigned)(lane - lanes);

	if (i < places->count) {
		lane->done = 0;
		if (supply->more(supply->self, number, lane))
			return true;
		unload(places, i);
	}
	lane->done = 0;
	return supply->next(supply->self, number, lane);
}

void
side_by_side_run(uint32_t features, unsigned n,
		 const struct side_by_side_supply *supply)
{
	struct engine_lane lanes[CPU_LANES];
	struct places places;
	unsigned chosen_for = 0;

	memset(&places, 0, offsetof(struct places, run));
	for (unsigned i = 0; i < n; i++)
		places.line[i] = &lanes[i];
	for (;;) {
		/* Downwards, since the last one moves to a place that is free. */
		for (unsigned i = places.busy; i-- > 0;) {
			struct engine_lane *const lane = places.line[i];

			if (blocks_left(lane) > 0 ||
			    fill(&places, i, lanes, supply))
				continue;
			places.line[i] = places.line[--places.count];
			places.line[places.count] = lane;
		}
		while (places.count < n &&
		       fill(&places, places.count, lanes, supply))
			places.count++;
		if (places.count == 0)
			return;
		if (places.count != chosen_for)
			choose_kernel(&places, features);
		chosen_for = places.count;
		load(&places);
		advance(&places);
	}
}
