/* SPDX-License-Identifier: MIT */
/*
 * A device is opened, tested and used on one thread, the runner's.  The
 * caller's thread only plans a launch (launch.h) and collects it, which it
 * may do while the runner is idle.
 *
 * A launch that times out or is refused is tried once more if the device can be
 * restarted and passes its test then.  After a wrong result, a fault, or a
 * second failure the device is never used again.
 */
#include "config.h"

#include "qpu/sha/engine_qpu.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/abi/soc.h"
#include "qpu/sha/figures.h"
#include "qpu/sha/launch.h"
#include "qpu/sha/runner.h"
#include "qpu/ways/emulated.h"
#include "qpu/ways/emulated_options.h"
#include "qpu/ways/vcio.h"
#include "qpu/ways/vcio_options.h"
#include "qpu/ways/way.h"

enum {
	BUFFERS = 208,
	/* The duration of a launch, during which the kernel's other requests
	 * to the firmware wait (CPU clock, SD card), and the longest timeout;
	 * the device may choose a shorter one. */
	LAUNCH_MS = 50,
	TIMEOUT_MS = 1000,
	/* Launches of a test.  The places of what they read are the same and
	 * the contents are not: caches that are not cleared give wrong answers
	 * in the second one, or in a later one if a part of their lines goes by
	 * chance. */
	TEST_LAUNCHES = 5
};

/* 12 QPUs: 431 MB/s at 250 MHz, by the emulator's cycle model. */
#define MODELLED_BYTES_PER_HZ (431.0 / 250)

struct engine_qpu {
	const struct qpu_device *device;
	void *device_self;
	struct runner *runner;
	unsigned qpus;
	/* ENGINE_OK, or the first failure and its reason. */
	enum engine_status status;
	struct diag why;

	struct device_memory own; /* of the launch */
	unsigned most_segments;
	struct device_memory buffers[BUFFERS];
	unsigned nbuffers;

	struct launch launch;
	struct batch *batches; /* those that are being submitted */
	unsigned nbatches;
	uint32_t most_blocks; /* that fit into LAUNCH_MS */
	double block_ms; /* duration of a block in the last launch; 0 = none */
	struct device_totals at_start; /* after the self-test */
	/* Why the first self-test failed, and a restart was needed. */
	struct diag healed;
	bool is_healed;
	struct figures figures;
};

/* What the runner's tasks are given and give back. */
struct request {
	struct engine_qpu *self;
	const char *options;
	size_t bytes;
	void *buffer; /* NULL: none was had, or it was the device's */
	struct device_totals totals;
};

static enum engine_status
status_of(enum device_status status)
{
	switch (status) {
	case DEVICE_OK: return ENGINE_OK;
	case DEVICE_TIMEOUT: return ENGINE_TIMEOUT;
	case DEVICE_REFUSED: return ENGINE_REFUSED;
	case DEVICE_FAULT: break;
	}
	return ENGINE_FAULT;
}

/* Publish all that a planned launch reads; the thread that planned it calls
 * this. */
static void
publish(const struct engine_qpu *self)
{
	if (!self->device->publish)
		return;
	self->device->publish(self->device_self, &self->own);
	for (unsigned i = 0; i < self->nbuffers; i++)
		if (launch_reads(&self->launch, &self->buffers[i]))
			self->device->publish(self->device_self,
					      &self->buffers[i]);
}

/* Tasks of the runner ----------------------------------------------------- */

/* A launch of `ms` shows how many blocks the next one may have. */
static void
adapt_length(struct engine_qpu *self, double ms)
{
	const double blocks =
		LAUNCH_MS * (self->launch.longest + LAUNCH_COST_BLOCKS) / ms;

	self->block_ms = ms / self->launch.longest;
	if (blocks > SEGMENT_DATA_BLOCKS)
		self->most_blocks = SEGMENT_DATA_BLOCKS;
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
	self->status = status_of(device->run(
		self->device_self, self->launch.programs,
		self->launch.nprograms, self->launch.longest * self->block_ms,
		TIMEOUT_MS, &self->why));
	launch_take(&self->launch);
	if (self->status == ENGINE_OK &&
	    !launch_check(&self->launch, &self->why))
		self->status = ENGINE_FAULT;
	if (self->status != ENGINE_OK)
		return;
	device->totals(self->device_self, &after);
	adapt_length(self, after.busy_ms - before.busy_ms);
	self->figures.launches++;
	self->figures.blocks += self->launch.blocks;
	self->figures.vectors += self->launch.vectors;
	self->figures.capacity +=
		(uint64_t)self->launch.longest * self->qpus * BATCH_LANES;
}

/* All lanes hash known answers, which is not counted as work. */
static void
test_device(struct engine_qpu *self)
{
	const struct figures figures = self->figures;

	self->status = ENGINE_OK;
	for (unsigned i = 0; i < TEST_LAUNCHES && self->status == ENGINE_OK;
	     i++) {
		launch_plan_test(&self->launch);
		publish(self);
		run_launch(self);
	}
	self->figures = figures;
}

/* The reason of a first failure, and of one after a restart if it is another:
 * the last one says what has become of the QPUs. */
static void
tell_both(const struct diag *first, struct diag *why)
{
	const struct diag last = *why;

	if (strcmp(first->text, last.text) == 0)
		return;
	diag_set(why, "%.220s; after a restart: %.260s", first->text,
		 last.text);
}

/* Switch the QPUs off and on, and test them.  If that fails the failure from
 * before is the one that counts. */
static bool
restart(struct engine_qpu *self)
{
	const struct qpu_device *device = self->device;
	const enum engine_status status = self->status;
	const struct diag why = self->why;
	struct diag why_not = why;

	if (status == ENGINE_FAULT || !device->restart ||
	    !device->restart(self->device_self, &why_not)) {
		self->why = why_not;
		tell_both(&why, &self->why);
		return false;
	}
	test_device(self);
	if (self->status == ENGINE_OK)
		return true;
	self->status = status;
	tell_both(&why, &self->why);
	return false;
}

/* After wrong results there is no restart: such a device is not trusted. */
static void
run_batches(void *arg)
{
	struct engine_qpu *self = arg;

	run_launch(self);
	if (self->status == ENGINE_OK || self->status == ENGINE_FAULT ||
	    !restart(self))
		return;
	if (launch_plan(&self->launch, self->batches, self->nbatches,
			self->buffers, self->nbuffers, self->most_blocks,
			&self->why)) {
		publish(self);
		run_launch(self);
	} else {
		self->status = ENGINE_REFUSED;
	}
}

/* Allocate the launch's own memory, if three times as much is left for buffers:
 * with little memory a launch has fewer segments. */
static bool
allocate_share(struct engine_qpu *self, unsigned most_segments)
{
	enum { BUFFERS_SHARE = 3 };
	const struct qpu_device *device = self->device;
	const size_t bytes = launch_bytes(self->qpus, most_segments);
	struct device_memory rest[BUFFERS_SHARE];
	unsigned n = 0;
	bool good;

	while (n < BUFFERS_SHARE &&
	       device->alloc(self->device_self, bytes, &rest[n], &self->why))
		n++;
	good = n == BUFFERS_SHARE &&
	       device->alloc(self->device_self, bytes, &self->own, &self->why);
	while (n > 0) {
		rest[--n].unused = true;
		device->free(self->device_self, &rest[n]);
	}
	return good;
}

static bool
allocate_own(struct engine_qpu *self)
{
	unsigned n = LAUNCH_SEGMENTS;

	while (n >= LAUNCH_SEGMENTS_LEAST && !allocate_share(self, n))
		n /= 2;
	self->most_segments = n;
	return n >= LAUNCH_SEGMENTS_LEAST;
}

/* Open the device, and let all of its lanes hash known answers. */
static void
open_device(void *arg)
{
	struct request *request = arg;
	struct engine_qpu *self = request->self;
	const struct qpu_device *device = self->device;

	self->device_self =
		device->open(request->options, &self->qpus, &self->why);
	if (!self->device_self)
		return;
	if (!allocate_own(self)) {
		self->status = ENGINE_REFUSED;
		return;
	}
	if (!launch_init(&self->launch, self->qpus, self->most_segments,
			 &self->own)) {
		diag_set(&self->why, "out of memory");
		self->status = ENGINE_REFUSED;
		return;
	}
	self->figures =
		(struct figures){ .qpus = self->qpus, .lanes = BATCH_LANES };
	test_device(self);
	if (self->status != ENGINE_OK) {
		self->figures.failed_tests++;
		self->healed = self->why;
		self->is_healed = restart(self);
	}
	device->totals(self->device_self, &self->at_start);
}

static void
allocate_buffer(void *arg)
{
	struct request *request = arg;
	struct engine_qpu *self = request->self;
	struct device_memory *memory = &self->buffers[self->nbuffers];

	if (!self->device->alloc(self->device_self,
				 request->bytes + LAUNCH_TAIL_BYTES, memory,
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

static bool
qpu_probe(const void *context, struct diag *why_not)
{
	const struct qpu_device *device = context;

	return device->probe(why_not);
}

static void
set_device_rate(struct engine_speed *speed, unsigned mhz)
{
	speed->lanes = DEVICE_QPUS * BATCH_LANES;
	speed->device_rate = MODELLED_BYTES_PER_HZ * 1e6 * mhz;
}

static void
vcio_speed(const void *context, struct engine_speed *speed)
{
	(void)context;
	set_device_rate(speed, device_vcio_speed(speed));
}

/* The speeds of a Pi 3, until the first launches show how slow it is. */
static void
emu_speed(const void *context, struct engine_speed *speed)
{
	const struct soc *soc = soc_of_compatible("brcm,bcm2837");

	(void)context;
	soc_speed(soc, speed);
	set_device_rate(speed, soc->qpu_mhz);
	speed->modelled = true;
}

static void *
qpu_open(const void *context, const char *options, struct engine_limits *limits,
	 struct diag *why_not)
{
	struct engine_qpu *self = calloc(1, sizeof(*self));
	struct request request = { .self = self, .options = options };

	if (!self) {
		diag_set(why_not, "out of memory");
		return NULL;
	}
	self->device = context;
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
	limits->chained = SEGMENT_DATA_BLOCKS;
	limits->slack_bytes = LAUNCH_SLACK_BYTES;
	limits->piece_bytes = DEVICE_PIECE_BYTES - LAUNCH_TAIL_BYTES;
	runner_call(self->runner, get_totals, &request);
	return self;
}

/* Buffers of a device that has failed its first test are the CPU's. */
static void *
qpu_alloc(void *self_, size_t bytes)
{
	struct engine_qpu *self = self_;
	struct request request = { .self = self, .bytes = bytes };

	if (self->status != ENGINE_OK)
		return aligned_alloc(DEVICE_PAGE, (bytes + DEVICE_PAGE - 1) /
							  DEVICE_PAGE *
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
	launch_announce(&self->launch, batches, n);
	publish(self);
	if (self->launch.nprograms > 0)
		runner_post(self->runner, run_batches, self);
	return ENGINE_OK;
}

static enum engine_status
qpu_wait(void *self_, struct diag *why)
{
	struct engine_qpu *self = self_;

	runner_wait(self->runner);
	if (self->status == ENGINE_OK)
		launch_collect(&self->launch, self->batches, self->nbatches);
	/* What was announced was not done. */
	for (unsigned i = 0; self->status != ENGINE_OK && i < self->nbatches;
	     i++)
		memset(self->batches[i].done, 0, sizeof(self->batches[i].done));
	return failed(self, why);
}

/* A device that had no memory for the self-test has no rows. */
static void
qpu_stats(void *self_, struct facts *stats)
{
	struct engine_qpu *self = self_;
	struct request request = { .self = self };

	if (self->figures.qpus == 0)
		return;
	runner_call(self->runner, get_totals, &request);
	figures_add_rows(&self->figures, &self->at_start, &request.totals,
			 stats);
}

static bool
qpu_healed(void *self_, struct diag *why)
{
	const struct engine_qpu *self = self_;

	if (self->is_healed)
		*why = self->healed;
	return self->is_healed;
}

static void
qpu_details(const void *context, struct facts *details)
{
	const struct qpu_device *device = context;

	if (device->details)
		device->details(details);
}

static void
qpu_close(void *self_)
{
	struct engine_qpu *self = self_;

	runner_call(self->runner, close_device, self);
	runner_stop(self->runner);
	launch_free(&self->launch);
	free(self);
}

/* The two rows differ in their device. */
#define ON_DEVICE(device)                                                      \
	.context = &(device), .probe = qpu_probe, .open = qpu_open,            \
	.alloc = qpu_alloc, .free = qpu_free, .submit = qpu_submit,            \
	.wait = qpu_wait, .healed = qpu_healed, .stats = qpu_stats,            \
	.details = qpu_details, .close = qpu_close

const struct engine engine_qpu = {
	.name = "qpu",
	.about = "the QPUs of a Raspberry Pi's VideoCore IV",
	.modelled_mb = 431,
	.modelled_mhz = 250,
	.speed = vcio_speed,
	.looks_only = true,
	.options = vcio_option_rows,
	ON_DEVICE(device_vcio),
};

const struct engine engine_emulator = {
	.name = "emulator",
	.about = "QPU code on an emulated VideoCore IV, for development",
	.speed = emu_speed,
	.options = emulated_option_rows,
	ON_DEVICE(device_emu),
};
