/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/lane_set.h"

#include <stdlib.h>

/* One arena for the buffers of all lanes. */
static bool
allocate_buffers(struct lane_set *set, unsigned n)
{
	const size_t stride = buffer_layout_stride(&set->layout);

	set->arena_bytes = buffer_layout_bytes(&set->layout, n);
	set->arena = set->engine->alloc(set->self, set->arena_bytes);
	if (!set->arena)
		return false;
	set->n = n;
	for (unsigned i = 0; i < n; i++)
		set->lanes[i].buffer = (uint8_t *)set->arena + i * stride;
	return true;
}

static bool
allocate_lanes(struct lane_set *set, struct run *run)
{
	const struct engine_limits *limits = &set->limits;
	unsigned n = limits->batches * limits->lanes;
	/* The other hash of --verify would have to go back, too. */
	const bool maps = set->engine->reads_only && !run->config->crypto &&
			  !run->config->uncached && 2 * n <= WINDOWS_MOST;

	if (run->config->one_at_a_time || run->config->one_input)
		n = 1;
	mapping_init(&set->mapping, n, run->config->threads);
	set->layout.capacity = LANE_BYTES;
	set->layout.slack_bytes = engine_slack_bytes(limits);
	set->batches = batches_new(limits->batches);
	set->lanes = calloc(n, sizeof(*set->lanes));
	if (!set->batches || !set->lanes)
		return false;
	for (; set->nallocated < n; set->nallocated++) {
		struct lane *lane = &set->lanes[set->nallocated];

		*lane = (struct lane){
			.run = run,
			.batch = &set->batches[set->nallocated / limits->lanes],
			.column = set->nallocated % limits->lanes,
			.layout = &set->layout,
			.message = message_new(),
			.mapping = maps ? &set->mapping : NULL,
			.index = set->nallocated,
		};
		if (!lane->message)
			return false;
	}
	while (!allocate_buffers(set, n)) {
		if (set->layout.capacity > READER_MIN_CAPACITY)
			set->layout.capacity /= 2;
		else if (n > 1)
			n /= 2;
		else
			return false;
	}
	return true;
}

bool
lane_set_open(struct lane_set *set, struct run *run, struct diag *why_not)
{
	set->engine = run->cpu;
	set->self =
		engine_open(run->cpu, run->cpu_options, &set->limits, why_not);
	if (!set->self)
		return false;
	diag_set(why_not, "memory exhausted");
	return allocate_lanes(set, run);
}

void
lane_set_close(struct lane_set *set)
{
	if (set->arena)
		set->engine->free(set->self, set->arena, set->arena_bytes);
	if (set->self)
		set->engine->close(set->self);
	mapping_close(&set->mapping);
	for (unsigned i = 0; i < set->nallocated; i++)
		message_free(set->lanes[i].message);
	free(set->lanes);
	free(set->batches);
}
