/* SPDX-License-Identifier: MIT */
/*
 * A step keeps the best kernel for the number of occupied lanes busy, and
 * ends when that kernel would no longer be filled: the pipeline then refills
 * the lanes that ended, or the next step finds fewer lanes and takes another
 * kernel.  A few remaining lanes wait as long as more may come to fill a wide
 * kernel with them.
 */
#include "config.h"

#include "cpu/engine_cpu.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cpu/features.h"
#include "cpu/kernels.h"
#include "cpu/libcrypto.h"

enum {
	/* Loading libcrypto costs a third of a millisecond, about as much time
	 * as it saves in this number of blocks (4 cycles a byte). */
	BLOCKS_BEFORE_LIBCRYPTO = 4096,
	/* The smallest page, and a way of the usual first-level cache. */
	BUFFER_PAGE = 4096
};

struct engine_cpu {
	/* The best kernel for n messages. */
	const struct cpu_kernel *best[CPU_LANES + 1];
	/* Buffers allocated so far. */
	unsigned buffers;
	/* Lanes with which the next step begins: a bit for each. */
	uint32_t first_lanes;
	/* Blocks run by the portable kernel so far. */
	size_t portable_blocks;
	struct libcrypto crypto;
};

/* Lanes with blocks, in the order in which they are to be started. */
struct line_up {
	unsigned count;
	unsigned lanes[CPU_LANES];
};

static bool
cpu_probe(const void *context, struct diag *why_not)
{
	uint32_t features;

	(void)context;
	return cpu_features_get(&features, why_not);
}

static void *
cpu_open(const void *context, const char *words, struct engine_limits *limits,
	 struct diag *why_not)
{
	uint32_t features;

	(void)context;
	if (!cpu_features_get(&features, why_not) ||
	    !cpu_features_hide(&features, words, why_not))
		return NULL;

	struct engine_cpu *self = calloc(1, sizeof(*self));
	if (!self) {
		diag_set(why_not, "out of memory");
		return NULL;
	}
	features = cpu_kernels_measure(features);
	for (unsigned n = 1; n <= CPU_LANES; n++)
		self->best[n] = cpu_kernel_choose(features, n);
	/* A second set of lanes lets streams end at different times. */
	limits->lanes = self->best[CPU_LANES]->lanes;
	if (self->best[CPU_LANES]->run_streams)
		limits->lanes *= 2;
	return self;
}

static void
cpu_close(void *self_)
{
	struct engine_cpu *self = self_;

	libcrypto_unload(&self->crypto);
	free(self);
}

/*
 * Buffers of one size would all begin at the same place of a page, and lanes,
 * which advance together, would fight for the same set of a first-level cache
 * of eight ways.  So each begins some lines further into its first page.
 */
static void *
cpu_alloc(void *self_, size_t bytes)
{
	struct engine_cpu *self = self_;
	const size_t step = BUFFER_PAGE / CPU_LANES;
	const size_t offset = self->buffers++ % CPU_LANES * step;
	uint8_t *pages = mmap(NULL, bytes + BUFFER_PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return pages == MAP_FAILED ? NULL : pages + offset;
}

static void
cpu_free(void *self, void *buffer, size_t bytes)
{
	const uintptr_t offset = (uintptr_t)buffer % BUFFER_PAGE;

	(void)self;
	if (buffer)
		munmap((uint8_t *)buffer - offset, bytes + BUFFER_PAGE);
}

static bool
goes_before(const struct engine_cpu *self, const struct engine_lane *lanes,
	    unsigned lane, unsigned other)
{
	const uint32_t waits = self->first_lanes >> lane & 1;
	const uint32_t other_waits = self->first_lanes >> other & 1;

	if (waits != other_waits)
		return waits;
	return lanes[lane].nblocks > lanes[other].nblocks;
}

/* Lanes that waited go first, then the longest, so that all end together. */
static void
line_up_lanes(const struct engine_cpu *self, const struct engine_lane *lanes,
	      unsigned n, struct line_up *line)
{
	line->count = 0;
	for (unsigned lane = 0; lane < n; lane++) {
		if (lanes[lane].nblocks == 0)
			continue;

		unsigned place = line->count++;
		for (; place > 0; place--) {
			const unsigned other = line->lanes[place - 1];

			if (!goes_before(self, lanes, lane, other))
				break;
			line->lanes[place] = other;
		}
		line->lanes[place] = lane;
	}
}

/* A lane at each place of the kernel; when it has ended the place takes the next
 * one of the line, and the step is over when there is none.  Places for which
 * there are not enough lanes repeat the first lane, and what they compute is
 * dropped. */
static void
run_kernel(const struct cpu_kernel *kernel, struct engine_lane *lanes,
	   const struct line_up *line)
{
	const unsigned busy = line->count < kernel->lanes ? line->count :
							    kernel->lanes;
	struct engine_lane *at[CPU_LANES];
	uint32_t left[CPU_LANES] = { 0 };
	unsigned next = 0;
	bool all_busy = true;
	struct cpu_run run;

	for (unsigned place = busy; place < kernel->lanes; place++)
		cpu_run_set_state(&run, kernel, place,
				  lanes[line->lanes[0]].state);
	while (all_busy) {
		uint32_t blocks = UINT32_MAX;
		unsigned ended = 0;

		for (unsigned place = 0; place < busy; place++) {
			if (left[place] == 0) {
				at[place] = &lanes[line->lanes[next++]];
				cpu_run_set_state(&run, kernel, place,
						  at[place]->state);
				run.data[place] = at[place]->data;
				left[place] = at[place]->nblocks;
			}
			if (left[place] < blocks)
				blocks = left[place];
		}
		for (unsigned place = busy; place < kernel->lanes; place++)
			run.data[place] = run.data[0];
		cpu_kernel_run(kernel, &run, blocks);
		for (unsigned place = 0; place < busy; place++) {
			left[place] -= blocks;
			run.data[place] += (size_t)blocks * SHA256_BLOCK_BYTES;
			at[place]->done += blocks;
			ended += left[place] == 0;
		}
		all_busy = ended <= line->count - next;
		for (unsigned place = 0; place < busy; place++)
			if (left[place] == 0 || !all_busy)
				cpu_run_get_state(&run, kernel, place,
						  at[place]->state);
	}
}

/* Advance one message where no vectors or SHA instructions help: by OpenSSL's
 * code if that is worth loading, else by ours. */
static void
run_portable(struct engine_cpu *self, const struct cpu_kernel *kernel,
	     struct engine_lane *lane)
{
	if (self->portable_blocks < BLOCKS_BEFORE_LIBCRYPTO) {
		self->portable_blocks += lane->nblocks;
		if (self->portable_blocks >= BLOCKS_BEFORE_LIBCRYPTO)
			libcrypto_load(&self->crypto, NULL);
	}
	if (self->crypto.handle) {
		libcrypto_blocks(&self->crypto, lane->state, lane->data,
				 lane->nblocks);
		lane->done = lane->nblocks;
	} else {
		run_kernel(kernel, lane, &(struct line_up){ .count = 1 });
	}
}

static enum engine_status
cpu_submit(void *self_, struct engine_lane *lanes, unsigned n,
	   struct diag *why_not)
{
	struct engine_cpu *self = self_;
	struct line_up line;

	(void)why_not;
	for (unsigned lane = 0; lane < n; lane++)
		lanes[lane].done = 0;
	line_up_lanes(self, lanes, n, &line);
	if (line.count == 0)
		return ENGINE_OK;

	const struct cpu_kernel *const kernel = self->best[line.count];
	if (kernel->run_streams || kernel->lanes > 1)
		run_kernel(kernel, lanes, &line);
	else
		for (unsigned i = 0; i < line.count; i++)
			run_portable(self, kernel, &lanes[line.lanes[i]]);

	/* Lanes that were not advanced are first in the next step. */
	self->first_lanes = 0;
	for (unsigned i = 0; i < line.count; i++)
		if (lanes[line.lanes[i]].done == 0)
			self->first_lanes |= 1u << line.lanes[i];
	return ENGINE_OK;
}

static enum engine_status
cpu_wait(void *self, struct diag *why_not)
{
	(void)self;
	(void)why_not;
	return ENGINE_OK;
}

const struct engine engine_cpu = {
	.name = "cpu",
	.about = "vectors and SHA instructions of this CPU",
	.per_thread = true,
	.reads_only = true,
	.probe = cpu_probe,
	.open = cpu_open,
	.alloc = cpu_alloc,
	.free = cpu_free,
	.submit = cpu_submit,
	.wait = cpu_wait,
	.close = cpu_close
};
