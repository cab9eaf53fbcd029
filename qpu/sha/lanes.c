/* SPDX-License-Identifier: MIT */
/* lanes: a device's memory, and how long its launches may be. */
#include "config.h"

#include "qpu/sha/launcher.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/sha/lanes_launch.h"
#include "qpu/sha/proofs.h"

enum {
	BUFFERS = 208,
	/* The duration of a launch, during which the kernel's other requests
	 * to the firmware wait (CPU clock, SD card), and the longest timeout;
	 * the device may choose a shorter one. */
	LAUNCH_MS = 50,
	TIMEOUT_MS = 1000,
	/* A launch's first program runs on the QPU that is this many after the
	 * first QPU of the previous launch. */
	QPUS_BETWEEN = 7,
	/* Launches of a test. They read from the same places, with other
	 * contents each time. So caches that are not cleared give wrong answers
	 * in the second launch, or in a later one if they have lost some of
	 * those lines. */
	TEST_LAUNCHES = 5,
	/* Of a test between launches of messages: caches that are not cleared show
	 * in the second one, whatever the launch before it has read. */
	TEST_AGAIN_LAUNCHES = 2,
	TEST_BLOCKS = 16
};

struct lanes {
	const struct way *way;
	void *way_self;
	unsigned qpus;
	struct way_memory own; /* of the launch */
	struct way_memory buffers[BUFFERS];
	unsigned nbuffers;
	struct lanes_launch launch;
	bool is_planned;      /* not since a test */
	uint32_t most_blocks; /* limit of LAUNCH_MS; 0: no launch is possible */
	uint32_t planned_most; /* of these, in a launch of messages */
	double block_ms; /* duration of a block in the last launch; 0 = none */
	/* The last launch, and the last one of another length before it. */
	struct timed_launch {
		uint32_t blocks;
		double ms;
	} last, other;
};

/* Launches ---------------------------------------------------------------- */

/* Publish all that a planned launch reads; the thread that planned it calls
 * this. */
static void
publish(const struct lanes *self)
{
	if (!self->way->publish)
		return;
	self->way->publish(self->way_self, &self->own);
	for (unsigned i = 0; i < self->nbuffers; i++)
		if (lanes_reads(&self->launch, &self->buffers[i]))
			self->way->publish(self->way_self, &self->buffers[i]);
}

static bool
plan(struct lanes *self, struct engine_lane *lanes, unsigned n,
     uint32_t most_blocks, struct diag *why)
{
	self->is_planned = lanes_plan(&self->launch, lanes, n, self->buffers,
				      self->nbuffers, most_blocks, why);
	if (self->is_planned)
		publish(self);
	return self->is_planned;
}

/* A launch of `ms` shows how many blocks the next one may have.  Where most of its
 * time was no block's, as where caches of much memory are written back, fewer
 * blocks would not make it shorter: then blocks alone may take LAUNCH_MS, but
 * their number at most doubles. */
static void
adapt_length(struct lanes *self, double ms)
{
	const uint32_t longest = self->launch.longest;
	double blocks = LAUNCH_MS * (longest + LANES_COST_BLOCKS) / ms;

	if (longest != self->last.blocks)
		self->other = self->last;
	self->last = (struct timed_launch){ longest, ms };
	if (blocks < 2 * longest && self->other.blocks > 0) {
		const double block_ms = (ms - self->other.ms) /
					((double)longest - self->other.blocks);
		const double most = block_ms > 0 ? LAUNCH_MS / block_ms :
						   SEGMENT_DATA_BLOCKS;

		if (blocks < most)
			blocks = most < 2 * longest ? most : 2 * longest;
	}
	self->block_ms = ms / self->launch.longest;
	if (blocks > SEGMENT_DATA_BLOCKS)
		self->most_blocks = SEGMENT_DATA_BLOCKS;
	else
		self->most_blocks = blocks > 1 ? (uint32_t)blocks : 1;
}

static enum engine_status
run_programs(struct lanes *self, struct diag *why)
{
	const struct way *way = self->way;
	const unsigned qpus = self->launch.qpus;
	struct device_program programs[DEVICE_QPUS];
	struct device_totals before, after;
	enum device_status status;

	/* Each QPU has its turn with nothing but known answers, where the device
	 * starts the first program on the first QPU, and so on. */
	for (unsigned i = 0; i < qpus; i++)
		programs[(i + self->launch.turn * QPUS_BETWEEN) % qpus] =
			self->launch.programs[i];
	way->totals(self->way_self, &before);
	status = way_run(
		way, self->way_self,
		&(struct way_job){ .expected_ms = self->launch.longest *
						  self->block_ms,
				   .launch = { .programs = programs,
					       .n = qpus,
					       .timeout_ms = TIMEOUT_MS } },
		0, why);
	lanes_take(&self->launch);
	if (status != DEVICE_OK)
		return launcher_status(status);
	if (!lanes_check(&self->launch, why))
		return ENGINE_FAULT;
	way->totals(self->way_self, &after);
	if (!self->launch.tests_adders)
		adapt_length(self, after.busy_ms - before.busy_ms);
	return ENGINE_OK;
}

static enum engine_status
lanes_test(void *self_, bool is_again, struct diag *why)
{
	struct lanes *self = self_;
	const unsigned launches = is_again ? TEST_AGAIN_LAUNCHES :
					     TEST_LAUNCHES;
	enum engine_status status = ENGINE_OK;

	for (unsigned i = 0; i < launches && status == ENGINE_OK; i++) {
		self->launch.tests_adders = i == 0 && proof_counts(PROOF_SUMS);
		plan(self, NULL, 0, TEST_BLOCKS, NULL);
		status = run_programs(self, why);
	}
	self->launch.tests_adders = self->is_planned = false;
	return status;
}

/* Restart after a failed launch, but not after wrong results: such a device is
 * no longer trusted. */
static bool
lanes_restart(void *self_, enum engine_status failure, struct diag *why_not)
{
	struct lanes *self = self_;

	return failure != ENGINE_FAULT && self->most_blocks > 0 &&
	       self->way->restart &&
	       self->way->restart(self->way_self, why_not);
}

static bool
lanes_plan_messages(void *self_, struct engine_lane *lanes, unsigned n,
		    struct diag *why)
{
	struct lanes *self = self_;

	self->planned_most = self->most_blocks;
	return plan(self, lanes, n, self->planned_most, why);
}

/* The plan is made again after a restart: a program that failed may have
 * overwritten what it read.  It is as long as before, since the sample was taken
 * of that. */
static enum engine_status
lanes_run(void *self_, struct engine_lane *lanes, unsigned n,
	  struct figures *figures, struct diag *why)
{
	struct lanes *self = self_;
	const struct lanes_launch *launch = &self->launch;
	enum engine_status status;

	if (!self->is_planned && !plan(self, lanes, n, self->planned_most, why))
		return ENGINE_REFUSED;
	if (launch->nbusy == 0)
		return ENGINE_OK;
	status = run_programs(self, why);
	if (status == ENGINE_OK) {
		figures->launches++;
		figures->blocks += launch->blocks;
		figures->vectors += launch->vectors;
		figures->capacity +=
			(uint64_t)launch->longest * self->qpus * KERNEL_LANES;
	}
	return status;
}

static void
lanes_collect_messages(void *self_, struct engine_lane *lanes)
{
	struct lanes *self = self_;

	(void)lanes;
	lanes_collect(&self->launch);
}

/* Memory ------------------------------------------------------------------ */

/* Allocate the launch's own memory, if three times as much is left for buffers:
 * with little memory a launch has fewer segments. */
static bool
allocate_share(struct lanes *self, unsigned most_segments, struct diag *why)
{
	enum { BUFFERS_SHARE = 3 };
	const struct way *way = self->way;
	const size_t bytes = lanes_bytes(self->qpus, most_segments);
	struct way_memory rest[BUFFERS_SHARE];
	unsigned n = 0;
	bool good;

	while (n < BUFFERS_SHARE &&
	       way->alloc(self->way_self, bytes, &rest[n], why))
		n++;
	good = n == BUFFERS_SHARE &&
	       way->alloc(self->way_self, bytes, &self->own, why);
	while (n > 0) {
		rest[--n].unused = true;
		way->free(self->way_self, &rest[n]);
	}
	return good;
}

static void *
lanes_alloc(void *self_, size_t bytes)
{
	struct lanes *self = self_;
	struct way_memory *memory = &self->buffers[self->nbuffers];

	if (self->nbuffers == BUFFERS ||
	    !self->way->alloc(self->way_self, bytes + LANES_TAIL_BYTES, memory,
			      NULL))
		return NULL;
	self->nbuffers++;
	return memory->cpu;
}

static bool
lanes_free_buffer(void *self_, const void *buffer)
{
	struct lanes *self = self_;
	unsigned i = 0;

	while (i < self->nbuffers && self->buffers[i].cpu != buffer)
		i++;
	if (i == self->nbuffers)
		return false;
	self->way->free(self->way_self, &self->buffers[i]);
	self->buffers[i] = self->buffers[--self->nbuffers];
	return true;
}

/* The device -------------------------------------------------------------- */

/* Memory of the device and of the CPU for launches. */
static bool
prepare(struct lanes *self, struct diag *why)
{
	unsigned n = LANES_SEGMENTS;

	while (n >= LANES_SEGMENTS_LEAST && !allocate_share(self, n, why))
		n /= 2;
	if (n < LANES_SEGMENTS_LEAST)
		return false;
	if (lanes_init(&self->launch, self->qpus, n, &self->own, nonce_begin()))
		return true;
	diag_set(why, "out of memory");
	return false;
}

static void *
lanes_open(const struct way *way, void *way_self, unsigned qpus,
	   struct engine_limits *limits, struct figures *figures,
	   enum engine_status *status, struct diag *why)
{
	struct lanes *self = calloc(1, sizeof(*self));

	if (!self)
		return NULL;
	self->way = way;
	self->way_self = way_self;
	self->qpus = qpus;
	limits->lanes = self->qpus * KERNEL_LANES;
	limits->chained = SEGMENT_DATA_BLOCKS;
	limits->slack_bytes = LANES_SLACK_BYTES;
	limits->piece_bytes = DEVICE_PIECE_BYTES - LANES_TAIL_BYTES;
	if (!prepare(self, why)) {
		*status = ENGINE_REFUSED;
		return self;
	}
	self->most_blocks = 1;
	*figures =
		(struct figures){ .qpus = self->qpus, .lanes = KERNEL_LANES };
	return self;
}

static void
lanes_close(void *self_)
{
	struct lanes *self = self_;

	lanes_free(&self->launch);
	free(self);
}

const struct launcher launcher_lanes = {
	.lanes = DEVICE_QPUS * KERNEL_LANES,
	.modelled_mb = LANES_MB,
	.open = lanes_open,
	.test = lanes_test,
	.restart = lanes_restart,
	.alloc = lanes_alloc,
	.free = lanes_free_buffer,
	.plan = lanes_plan_messages,
	.run = lanes_run,
	.collect = lanes_collect_messages,
	.close = lanes_close,
};
