/* SPDX-License-Identifier: MIT */
/*
 * A device is opened, tested and used on one thread, the runner's.  The
 * caller's thread only plans a launch (launch.h) and collects it, which it
 * may do while the runner is idle.  After the first failure the device is
 * never used again.
 */
#include "config.h"

#include "qpu/engine_qpu.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/device.h"
#include "qpu/device_emu.h"
#include "qpu/device_vcio.h"
#include "qpu/launch.h"
#include "qpu/runner.h"

enum {
	BUFFERS = 208,
	/* What a launch may take, and when it is given up.  On a Pi 1 the
	 * kernel's own patience ends after about a second. */
	LAUNCH_MS = 200,
	TIMEOUT_MS = 1000,
	MOST_BLOCKS = 1 << 20
};

struct engine_qpu {
	const struct qpu_device *device;
	void *device_self;
	struct runner *runner;
	unsigned qpus;
	/* Of the first failure, or ENGINE_OK. */
	enum engine_status status;
	struct diag why;

	struct device_memory image;
	struct device_memory known;
	uint32_t known_blocks;
	struct device_memory buffers[BUFFERS];
	unsigned nbuffers;

	struct launch launch;
	struct batch *batches;		/* of this launch */
	unsigned nbatches;
	uint32_t most_blocks;		/* that fit into LAUNCH_MS */
	double block_ms;		/* of the launch before; 0 = none */
	struct device_totals at_start;	/* after the self-test */
	struct engine_stats stats;
};

/* What the runner's tasks are given and give back. */
struct request {
	struct engine_qpu *self;
	const char *words;
	size_t bytes;
	void *buffer;		/* NULL: not got, or was not the device's */
	struct device_totals totals;
};

static enum engine_status
status_of(enum device_status status)
{
	switch (status) {
	case DEVICE_OK:
		return ENGINE_OK;
	case DEVICE_TIMEOUT:
		return ENGINE_TIMEOUT;
	case DEVICE_REFUSED:
		return ENGINE_REFUSED;
	case DEVICE_FAULT:
		break;
	}
	return ENGINE_FAULT;
}

/* Tasks of the runner ----------------------------------------------------- */

/* From how long this launch took: how many blocks may the next one have? */
static void
adapt_length(struct engine_qpu *self, double ms)
{
	const double blocks = LAUNCH_MS * self->launch.longest / ms;

	self->block_ms = ms / self->launch.longest;
	if (blocks > MOST_BLOCKS)
		self->most_blocks = MOST_BLOCKS;
	else
		self->most_blocks = blocks > 1 ? (uint32_t)blocks : 1;
}

static void
run_launch(void *arg)
{
	struct engine_qpu *self = arg;
	const struct qpu_device *device = self->device;
	struct device_totals before, after;

	device->totals(self->device_self, &before);
	self->status = status_of(device->run(self->device_self,
					     self->launch.programs,
					     self->launch.nprograms,
					     self->launch.longest *
					     self->block_ms,
					     TIMEOUT_MS, &self->why));
	if (self->status == ENGINE_OK &&
	    !launch_check(&self->launch, &self->why))
		self->status = ENGINE_FAULT;
	if (self->status != ENGINE_OK)
		return;
	device->totals(self->device_self, &after);
	adapt_length(self, after.busy_ms - before.busy_ms);
	self->stats.launches++;
	self->stats.blocks += self->launch.blocks;
	self->stats.vectors += self->launch.vectors;
	self->stats.room += (uint64_t)self->launch.longest * self->qpus *
			    BATCH_LANES;
}

/* With little memory a shorter known answer has to do. */
static bool
allocate_own(struct engine_qpu *self)
{
	const struct qpu_device *device = self->device;

	if (!device->alloc(self->device_self, launch_image_bytes(),
			   &self->image, &self->why))
		return false;
	self->known_blocks = KNOWN_BLOCKS;
	while (!device->alloc(self->device_self,
			      launch_known_bytes(self->known_blocks),
			      &self->known, &self->why)) {
		self->known_blocks = self->known_blocks / 2 / KNOWN_STEP *
				     KNOWN_STEP;
		if (self->known_blocks == 0)
			return false;
	}
	return true;
}

/* Open the device, and let all of its lanes show what they can do. */
static void
open_device(void *arg)
{
	struct request *request = arg;
	struct engine_qpu *self = request->self;
	const struct qpu_device *device = self->device;

	self->device_self = device->open(request->words, &self->qpus,
					 &self->why);
	if (!self->device_self)
		return;
	if (!allocate_own(self)) {
		self->status = ENGINE_REFUSED;
		return;
	}
	launch_init(&self->launch, self->qpus, &self->image, &self->known,
		    self->known_blocks);
	launch_plan_test(&self->launch);
	run_launch(self);
	self->stats = (struct engine_stats){ .qpus = self->qpus };
	device->totals(self->device_self, &self->at_start);
}

static void
allocate_buffer(void *arg)
{
	struct request *request = arg;
	struct engine_qpu *self = request->self;
	struct device_memory *memory = &self->buffers[self->nbuffers];

	if (!self->device->alloc(self->device_self,
				 request->bytes + LAUNCH_SLACK_BYTES, memory,
				 NULL))
		return;
	request->buffer = memory->cpu;
	self->nbuffers++;
}

static void
free_buffer(void *arg)
{
	struct request *request = arg;
	struct engine_qpu *self = request->self;

	for (unsigned i = 0; i < self->nbuffers; i++) {
		if (self->buffers[i].cpu != request->buffer)
			continue;
		self->device->free(self->device_self, &self->buffers[i]);
		self->buffers[i] = self->buffers[--self->nbuffers];
		request->buffer = NULL;
		return;
	}
}

static void
get_totals(void *arg)
{
	struct request *request = arg;
	struct engine_qpu *self = request->self;

	self->device->totals(self->device_self, &request->totals);
}

static void
close_device(void *arg)
{
	struct engine_qpu *self = arg;

	self->device->close(self->device_self);
}

/* The engine -------------------------------------------------------------- */

static void *
qpu_open(const struct qpu_device *device, const char *words,
	 struct engine_limits *limits, struct diag *why_not)
{
	struct engine_qpu *self = calloc(1, sizeof(*self));
	struct request request = { .self = self, .words = words };

	if (!self) {
		diag_set(why_not, "out of memory");
		return NULL;
	}
	self->device = device;
	self->runner = runner_start(why_not);
	if (!self->runner) {
		free(self);
		return NULL;
	}
	runner_call(self->runner, open_device, &request);
	if (!self->device_self) {
		if (why_not)
			*why_not = self->why;
		runner_stop(self->runner);
		free(self);
		return NULL;
	}
	limits->batches = self->qpus;
	limits->lanes = BATCH_LANES;
	limits->spare = 1;
	limits->overlaps = true;
	return self;
}

/* A device that has failed its first test gets nothing to read any more. */
static void *
qpu_alloc(void *self_, size_t bytes)
{
	struct engine_qpu *self = self_;
	struct request request = { .self = self, .bytes = bytes };

	if (self->status != ENGINE_OK)
		return aligned_alloc(DEVICE_PAGE,
				     (bytes + DEVICE_PAGE - 1) / DEVICE_PAGE *
				     DEVICE_PAGE);
	if (self->nbuffers < BUFFERS)
		runner_call(self->runner, allocate_buffer, &request);
	return request.buffer;
}

static void
qpu_free(void *self_, void *buffer, size_t bytes)
{
	struct engine_qpu *self = self_;
	struct request request = { .self = self, .buffer = buffer };

	(void)bytes;
	runner_call(self->runner, free_buffer, &request);
	free(request.buffer);
}

static enum engine_status
failed(const struct engine_qpu *self, struct diag *why)
{
	if (why && self->status != ENGINE_OK)
		*why = self->why;
	return self->status;
}

static enum engine_status
qpu_submit(void *self_, struct batch *batches, unsigned n, struct diag *why)
{
	struct engine_qpu *self = self_;

	if (self->status != ENGINE_OK)
		return failed(self, why);
	self->batches = batches;
	self->nbatches = n;
	if (!launch_plan(&self->launch, batches, n, self->buffers,
			 self->nbuffers, self->most_blocks, &self->why)) {
		self->status = ENGINE_REFUSED;
		return failed(self, why);
	}
	if (self->launch.nprograms > 0)
		runner_post(self->runner, run_launch, self);
	return ENGINE_OK;
}

static enum engine_status
qpu_wait(void *self_, struct diag *why)
{
	struct engine_qpu *self = self_;

	runner_wait(self->runner);
	if (self->status == ENGINE_OK)
		launch_collect(&self->launch, self->batches, self->nbatches);
	return failed(self, why);
}

static void
qpu_stats(void *self_, struct engine_stats *stats)
{
	struct engine_qpu *self = self_;
	struct request request = { .self = self };
	const struct device_totals *start = &self->at_start;
	const struct device_totals *totals = &request.totals;

	runner_call(self->runner, get_totals, &request);
	*stats = self->stats;
	stats->instructions = totals->instructions - start->instructions;
	stats->modelled = totals->modelled;
	stats->timed = totals->timed;
	stats->busy_ms = totals->busy_ms - start->busy_ms;
	stats->clock_hz = totals->clock_hz;
	stats->clocks = totals->clocks - start->clocks;
	stats->launch_clocks = totals->launch_clocks - start->launch_clocks;
	for (unsigned i = 0; i < totals->ncounters; i++) {
		stats->counters[i].name = totals->counters[i].name;
		stats->counters[i].value = totals->counters[i].value -
					   start->counters[i].value;
	}
	stats->ncounters = totals->ncounters;
}

static void
qpu_close(void *self_)
{
	struct engine_qpu *self = self_;

	runner_call(self->runner, close_device, self);
	runner_stop(self->runner);
	free(self);
}

/* On the QPUs of a Raspberry Pi -------------------------------------------- */

static bool
vcio_probe(struct diag *why_not)
{
	return device_vcio.probe(why_not);
}

static void *
vcio_open(const char *words, struct engine_limits *limits,
	  struct diag *why_not)
{
	return qpu_open(&device_vcio, words, limits, why_not);
}

const struct engine engine_qpu = {
	.name = "qpu",
	.about = "the QPUs of a Raspberry Pi's VideoCore IV",
	.modelled = "0.412 GB/s at 250 MHz",
	.probe = vcio_probe,
	.worth = device_vcio_worth,
	.open = vcio_open,
	.alloc = qpu_alloc,
	.free = qpu_free,
	.submit = qpu_submit,
	.wait = qpu_wait,
	.stats = qpu_stats,
	.close = qpu_close
};

/* On an emulated device --------------------------------------------------- */

static bool
emulator_probe(struct diag *why_not)
{
	return device_emu.probe(why_not);
}

static void *
emulator_open(const char *words, struct engine_limits *limits,
	      struct diag *why_not)
{
	return qpu_open(&device_emu, words, limits, why_not);
}

const struct engine engine_emulator = {
	.name = "emulator",
	.about = "QPU code on an emulated VideoCore IV, for development",
	.probe = emulator_probe,
	.open = emulator_open,
	.alloc = qpu_alloc,
	.free = qpu_free,
	.submit = qpu_submit,
	.wait = qpu_wait,
	.stats = qpu_stats,
	.close = qpu_close
};
