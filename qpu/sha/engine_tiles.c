/* SPDX-License-Identifier: MIT */
/*
 * A device is opened, tested and used on one thread, the runner's, which also
 * plans a launch, fills its memory and checks its results.  The caller's thread
 * only takes lanes apart, and collects what has proved itself.
 *
 * A launch that is lost or refused is tried once more if the device passes its
 * test then: another program may have hung it.  After a wrong answer, a job
 * that does not end, or a second failure the device is never used again.
 */
#include "config.h"

#include "qpu/sha/engine_tiles.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/sha/figures.h"
#include "qpu/sha/runner.h"
#include "qpu/sha/tile_launch.h"
#include "qpu/ways/way.h"

enum {
	/*
	 * Streams of 12 QPUs: 186, so that with a known answer for each 31
	 * they are two threads of eight messages on each QPU.  Where all are
	 * parts of long messages these 24 threads end together.
	 */
	BATCHES = 31,
	LANES = 6
};

/* 12 QPUs, by the emulator's cycle model. */
#define MODELLED_BYTES_PER_HZ (310.0 / 250)

struct engine_tiles {
	const struct tile_device *device;
	void *device_self;
	struct runner *runner;
	unsigned qpus;
	/* ENGINE_OK, or the first failure and its reason. */
	enum engine_status status;
	struct diag why;
	bool has_retried;
	struct tile_launch launch;
	struct batch *batches; /* those that are being submitted */
	unsigned nbatches;
	struct device_totals at_start; /* after the self-test */
	struct figures figures;
};

/* What the runner's tasks are given and give back. */
struct request {
	struct engine_tiles *self;
	const char *options;
	size_t bytes;
	void *buffer; /* NULL: none was had, or it was the device's */
	struct device_totals totals;
};

/* Tasks of the runner ----------------------------------------------------- */

static enum engine_status
status_of(enum device_status status, enum tile_verdict verdict)
{
	switch (status) {
	case DEVICE_OK: break;
	case DEVICE_TIMEOUT: return ENGINE_TIMEOUT;
	case DEVICE_REFUSED: return ENGINE_REFUSED;
	case DEVICE_FAULT: return ENGINE_FAULT;
	}
	return verdict == TILE_RIGHT ? ENGINE_OK : ENGINE_FAULT;
}

static void
count_launch(struct engine_tiles *self)
{
	self->figures.launches++;
	self->figures.blocks += self->launch.blocks;
	self->figures.vectors += self->launch.vectors;
	self->figures.capacity += self->launch.capacity;
}

/* Batches NULL: the test.  Returns whether a failure is one that may not come
 * again. */
static bool
run_launch(struct engine_tiles *self, const struct batch *batches)
{
	enum tile_verdict verdict = TILE_RIGHT;
	const enum device_status status =
		tile_launch_run(&self->launch, batches, &verdict, &self->why);

	self->status = status_of(status, verdict);
	if (self->status == ENGINE_OK && batches)
		count_launch(self);
	return status == DEVICE_REFUSED ||
	       (status == DEVICE_OK && verdict == TILE_NOT_STORED);
}

/* If the test fails, the failure from before is the one that is told. */
static void
run_batches(void *arg)
{
	struct engine_tiles *self = arg;
	const bool may_retry = run_launch(self, self->batches) &&
			       !self->has_retried;
	const enum engine_status status = self->status;
	const struct diag why = self->why;

	if (status == ENGINE_OK || !may_retry)
		return;
	self->has_retried = true;
	run_launch(self, NULL);
	if (self->status == ENGINE_OK) {
		run_launch(self, self->batches);
	} else {
		self->status = status;
		self->why = why;
	}
}

/* Open the device, and let all of its elements hash known answers.  False: it
 * cannot be opened. */
static bool
open_once(struct engine_tiles *self, const char *options)
{
	enum device_status status;

	self->device_self =
		self->device->open(options, &self->qpus, &self->why);
	if (!self->device_self)
		return false;
	status = tile_launch_open(&self->launch, self->device,
				  self->device_self, &self->why);
	self->status = status_of(status, TILE_RIGHT);
	if (self->status == ENGINE_OK)
		run_launch(self, NULL);
	return true;
}

/* A device that another program has just hung may work when it is opened once
 * more; later that is impossible, since streams have their data in it. */
static void
open_device(void *arg)
{
	struct request *request = arg;
	struct engine_tiles *self = request->self;

	if (!open_once(self, request->options))
		return;
	if (self->status == ENGINE_TIMEOUT || self->status == ENGINE_FAULT) {
		tile_launch_close(&self->launch);
		self->device->close(self->device_self);
		if (!open_once(self, request->options)) {
			memset(&self->launch, 0, sizeof(self->launch));
			return;
		}
	}
	if (self->status == ENGINE_OK) {
		self->figures = (struct figures){ .qpus = self->qpus,
						  .lanes = THREAD_PAIRS };
		self->device->totals(self->device_self, &self->at_start);
	}
}

static void
allocate_buffer(void *arg)
{
	struct request *request = arg;

	request->buffer =
		tile_launch_alloc(&request->self->launch, request->bytes);
}

/* May a job still run, since it did not end in time? */
static bool
may_run(const struct engine_tiles *self)
{
	return self->status == ENGINE_TIMEOUT || self->status == ENGINE_FAULT;
}

static void
free_buffer(void *arg)
{
	struct request *request = arg;
	struct engine_tiles *self = request->self;

	if (tile_launch_free(&self->launch, request->buffer, !may_run(self)))
		request->buffer = NULL;
}

static void
get_totals(void *arg)
{
	struct request *request = arg;
	struct engine_tiles *self = request->self;

	self->device->totals(self->device_self, &request->totals);
}

static void
close_device(void *arg)
{
	struct engine_tiles *self = arg;

	if (self->device_self)
		self->device->close(self->device_self);
}

/* The engine -------------------------------------------------------------- */

void
tiles_set_rate(struct engine_speed *speed, unsigned mhz)
{
	speed->lanes = BATCHES * LANES;
	speed->device_rate = MODELLED_BYTES_PER_HZ * 1e6 * mhz;
}

bool
tiles_probe(const void *context, struct diag *why_not)
{
	const struct tile_device *device = context;

	return device->probe(why_not);
}

static void
end(struct engine_tiles *self)
{
	runner_call(self->runner, close_device, self);
	runner_stop(self->runner);
	tile_launch_close(&self->launch);
	free(self);
}

void *
tiles_open(const void *context, const char *options,
	   struct engine_limits *limits, struct diag *why_not)
{
	struct engine_tiles *self = calloc(1, sizeof(*self));
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
		end(self);
		return NULL;
	}
	limits->batches = BATCHES;
	limits->lanes = LANES;
	limits->chained = self->launch.most_pieces / (BATCHES * LANES);
	/* A device that has failed its first test has no plan. */
	if (limits->chained == 0)
		limits->chained = 1;
	limits->piece_bytes = DEVICE_PIECE_BYTES;
	return self;
}

/* Buffers of a device that has failed its first test are the CPU's. */
void *
tiles_alloc(void *self_, size_t bytes)
{
	struct engine_tiles *self = self_;
	struct request request = { .self = self, .bytes = bytes };

	if (self->status != ENGINE_OK)
		return aligned_alloc(DEVICE_PAGE, (bytes + DEVICE_PAGE - 1) /
							  DEVICE_PAGE *
							  DEVICE_PAGE);
	runner_call(self->runner, allocate_buffer, &request);
	return request.buffer;
}

void
tiles_free(void *self_, void *buffer, size_t bytes)
{
	struct engine_tiles *self = self_;
	struct request request = { .self = self, .buffer = buffer };

	(void)bytes;
	runner_call(self->runner, free_buffer, &request);
	free(request.buffer);
}

static void
forget(struct batch *batches, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		memset(batches[i].done, 0, sizeof(batches[i].done));
}

static enum engine_status
failed(const struct engine_tiles *self, struct diag *why)
{
	if (why)
		*why = self->why;
	return self->status;
}

enum engine_status
tiles_submit(void *self_, struct batch *batches, unsigned n, struct diag *why)
{
	struct engine_tiles *self = self_;

	if (self->status != ENGINE_OK)
		return failed(self, why);
	self->batches = batches;
	self->nbatches = n;
	if (!tile_launch_take_apart(&self->launch, batches, n, &self->why)) {
		forget(batches, n);
		self->status = ENGINE_REFUSED;
		return failed(self, why);
	}
	if (self->launch.npieces > 0)
		runner_post(self->runner, run_batches, self);
	return ENGINE_OK;
}

enum engine_status
tiles_wait(void *self_, struct diag *why)
{
	struct engine_tiles *self = self_;

	runner_wait(self->runner);
	if (self->status == ENGINE_OK) {
		tile_launch_collect(&self->launch, self->batches);
		return ENGINE_OK;
	}
	/* What was announced was not done. */
	forget(self->batches, self->nbatches);
	return failed(self, why);
}

/* A device that had no memory for the self-test has no rows. */
void
tiles_stats(void *self_, struct facts *stats)
{
	struct engine_tiles *self = self_;
	struct request request = { .self = self };

	if (self->figures.qpus == 0)
		return;
	runner_call(self->runner, get_totals, &request);
	figures_add_rows(&self->figures, &self->at_start, &request.totals,
			 stats);
}

void
tiles_details(const void *context, struct facts *details)
{
	const struct tile_device *device = context;

	if (device->details)
		device->details(details);
}

void
tiles_close(void *self)
{
	end(self);
}
