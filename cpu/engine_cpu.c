/* SPDX-License-Identifier: MIT */
/*
 * A step runs the best kernel for the number of occupied lanes, and ends when
 * a place of that kernel would stay empty.  Then the pipeline refills the lanes
 * that ended, or the next step finds fewer lanes and chooses another kernel.
 * If more lanes are occupied than the kernel has places, some wait; those that did
 * not run at all go first in the next step.
 */
#include "config.h"

#include "cpu/engine_cpu.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "cpu/features.h"
#include "cpu/kernels.h"
#include "cpu/libcrypto.h"
#include "cpu/side_by_side.h"

enum {
	/* Loading libcrypto costs a third of a millisecond, about as much time
	 * as it saves in this number of blocks (4 cycles a byte). */
	BLOCKS_BEFORE_LIBCRYPTO = 4096
};

struct engine_cpu {
	uint32_t features;
	/* Blocks hashed by the portable kernel, up to BLOCKS_BEFORE_LIBCRYPTO. */
	size_t portable_blocks;
	struct libcrypto crypto;
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
	self->features = cpu_kernels_measure(features);
	const struct cpu_kernel *widest =
		cpu_kernel_choose(self->features, CPU_LANES);
	/* The second half replaces streams that end before others. */
	limits->lanes = widest->run_streams ? 2 * widest->lanes : widest->lanes;
	return self;
}

static void
cpu_close(void *self_)
{
	struct engine_cpu *self = self_;

	libcrypto_unload(&self->crypto);
	free(self);
}

static void *
cpu_alloc(void *self, size_t bytes)
{
	void *buffer = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)self;
	return buffer == MAP_FAILED ? NULL : buffer;
}

static void
cpu_free(void *self, void *buffer, size_t bytes)
{
	(void)self;
	if (buffer)
		munmap(buffer, bytes);
}

/* Hash a lane without vectors or SHA instructions: with OpenSSL's code if that is
 * worth loading, else with the portable kernel. */
static void
hash_portable(struct engine_cpu *self, struct engine_lane *lane)
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
		side_by_side_step(self->features, &lane, 1);
	}
}

static enum engine_status
cpu_submit(void *self_, struct engine_lane *lanes, unsigned n,
	   struct diag *why_not)
{
	struct engine_cpu *self = self_;
	struct engine_lane *queue[CPU_LANES];
	unsigned count = 0;

	(void)why_not;
	/* First the lanes that did not run in the previous step. */
	for (unsigned i = 0; i < n; i++)
		if (lanes[i].nblocks > 0 && lanes[i].done == 0)
			queue[count++] = &lanes[i];
	for (unsigned i = 0; i < n; i++)
		if (lanes[i].nblocks > 0 && lanes[i].done > 0)
			queue[count++] = &lanes[i];
	for (unsigned i = 0; i < n; i++)
		lanes[i].done = 0;
	if (count == 0)
		return ENGINE_OK;

	const struct cpu_kernel *kernel =
		cpu_kernel_choose(self->features, count);
	if (kernel->run_lanes && kernel->lanes == 1)
		for (unsigned i = 0; i < count; i++)
			hash_portable(self, queue[i]);
	else
		side_by_side_step(self->features, queue, count);
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
