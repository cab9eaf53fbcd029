/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/pi/emulated.h"

#include <stdlib.h>

#include "qpu/emulator/emulator.h"
#include "qpu/pi/emulated_options.h"
#include "qpu/pi/vc4.h"
#include "qpu/ways/render.h"

enum {
	MODEL_MHZ = 250,
	/* From a submit to a queue without jobs until the job's end is known,
	 * besides its own time: 0.13 ms, as others have measured on a Pi 3
	 * (1640675651/VC4CL, DRM-DESIGN.md). */
	GAP_CLOCKS = 32500,
	/* Without the cycle model QPUs never wait: 12 of them, and one. */
	INSTRUCTIONS_PER_CLOCK = 3,
	INSTRUCTIONS_PER_MS = MODEL_MHZ * 1000 / 4,
	QUEUE_MS = 40 /* the V3D has one client */
};

/* The kernel's driver that the calls of a struct render go to. */
struct driver {
	struct vc4 *vc4;
	struct emulated_options options;
	uint64_t submitted, ended; /* tickets */
	uint64_t gaps;		   /* jobs that found the queue empty */
	struct diag finding;	   /* the first one of checking mode */
};

/* The kernel --------------------------------------------------------------- */

static int
driver_request(void *context, unsigned long request, void *argument)
{
	const struct driver *driver = context;

	return vc4_ioctl(driver->vc4, request, argument);
}

static void *
driver_map(void *context, uint64_t offset, size_t bytes)
{
	const struct driver *driver = context;
	struct vc4_pages pages;

	return vc4_pages_at(driver->vc4, offset, bytes, true, &pages) == 0 ?
		       pages.host :
		       NULL;
}

static void
driver_close(void *context)
{
	struct driver *driver = context;

	vc4_free(driver->vc4);
	free(driver);
}

static struct driver *
driver_new(const struct emulated_options *options, struct diag *why_not)
{
	const struct vc4_options model = {
		.cma_mib = options->mem_mib,
		.fault = options->fault,
		.machine = { .qpus = options->qpus,
			     .timed = options->timed,
			     .check = options->check,
			     .words = pi_fault_needs_words(options->fault.kind),
			     .seed = options->seed }
	};
	struct driver *driver = calloc(1, sizeof(*driver));

	if (!driver) {
		diag_set(why_not, "out of memory");
		return NULL;
	}
	driver->options = *options;
	driver->vc4 = vc4_new(&model, why_not);
	if (!driver->vc4) {
		free(driver);
		return NULL;
	}
	if (options->check)
		machine_on_message(vc4_machine(driver->vc4),
				   emulated_keep_message, &driver->finding);
	return driver;
}

/* The device --------------------------------------------------------------- */

static void *
emulated_open(const char *words, unsigned *qpus, struct diag *why_not)
{
	struct emulated_options options;
	struct drm_calls calls = { .request = driver_request,
				   .map = driver_map,
				   .close = driver_close };
	struct render *render;

	if (!emulated_options_parse(&options, PI_TILES, words, why_not))
		return NULL;
	calls.context = driver_new(&options, why_not);
	render = calls.context ? render_open(&calls, qpus, why_not) : NULL;
	if (render && *qpus > options.qpus)
		*qpus = options.qpus;
	return render;
}

static struct driver *
driver_of(const struct render *render)
{
	return render_calls(render)->context;
}

static enum device_status
emulated_submit(void *self, const struct way_job *job, uint64_t *ticket,
		struct diag *why)
{
	struct driver *driver = driver_of(self);
	enum device_status status;

	vc4_expect(driver->vc4,
		   (uint64_t)(job->expected_ms * INSTRUCTIONS_PER_MS *
			      driver->options.qpus));
	status = render_submit(self, job, ticket, why);
	if (status != DEVICE_OK)
		return status;
	driver->gaps += driver->ended == driver->submitted;
	driver->submitted = *ticket;
	return status;
}

static enum device_status
emulated_wait(void *self, uint64_t ticket, unsigned timeout_ms,
	      struct diag *why)
{
	struct driver *driver = driver_of(self);
	const enum device_status status =
		render_wait(self, ticket, timeout_ms, why);

	if (ticket > driver->ended)
		driver->ended = ticket;
	if (status != DEVICE_OK || !driver->finding.text[0])
		return status;
	diag_set(why, "%s", driver->finding.text);
	return DEVICE_FAULT;
}

static void
tiles_totals(void *self, struct device_totals *totals)
{
	const struct driver *driver = driver_of(self);

	double clocks;

	emulated_totals(vc4_machine(driver->vc4), driver->options.timed,
			totals);
	if (driver->options.timed)
		totals->launch_clocks = driver->gaps * GAP_CLOCKS;
	clocks = driver->options.timed ?
			 (double)totals->clocks :
			 (double)totals->instructions / INSTRUCTIONS_PER_CLOCK;
	totals->busy_ms = clocks / (MODEL_MHZ * 1e3);
	totals->queue_ms = QUEUE_MS;
	totals->is_seeded = true;
	totals->seed = driver->options.seed;
}

const struct way way_emulated_tiles = { .kind = WAY_TILES,
					.open = emulated_open,
					.alloc = render_alloc,
					.free = render_free,
					.load = render_load_program,
					.submit = emulated_submit,
					.wait = emulated_wait,
					.totals = tiles_totals,
					.close = render_close };
