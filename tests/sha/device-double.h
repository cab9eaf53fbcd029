/* SPDX-License-Identifier: MIT */
/*
 * device-double: the emulated device, which records everything that an engine
 * asks of it, and fails on order.
 */
#ifndef TESTS_ENGINE_DEVICE_DOUBLE_H
#define TESTS_ENGINE_DEVICE_DOUBLE_H

#include "qpu/sha/engine_qpu.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/sha/lanes.h"
#include "qpu/ways/emulated.h"
#include "qpu/ways/way.h"
#include "src/base/fips180.h"
#include "tests/support/fault.h"

enum {
	QPUS = 2,
	BYTES = 700 * SHA256_BLOCK_BYTES,
	EVENTS = 64,
	RUNS = 32,
	TESTS = 5 /* launches of a test of the device */
};

/* The emulator, and what was asked of it: a letter for each call. */
static struct {
	char events[EVENTS + 1];
	unsigned nevents, nallocs, nruns;
	size_t bytes[EVENTS]; /* of each allocation */
	unsigned fail_from;   /* allocations; 0 = none */
	size_t most_bytes;    /* of an allocation */
	double launch_ms;     /* each launch takes so long; 0 = as modelled */
	double busy_ms;
	enum device_status results[RUNS]; /* of each launch */
	double expected_ms[RUNS];
	unsigned timeout_ms, programs;
	uint32_t published[EVENTS];
	unsigned npublished;
	bool no_restart;
	size_t aligned_bytes; /* of the last buffer of the CPU's */
} world;

static struct qpu_device device;
static const struct engine_qpu_context context = { &launcher_lanes, &device };
static struct engine engine;
static struct engine_limits limits;
static struct batch batches[QPUS];
static struct diag why;
static void *self;

/* Keeps the size of a buffer of the CPU's. */
static void *
allocate_aligned(size_t alignment, size_t bytes)
{
	world.aligned_bytes = bytes;
	return fault_real_aligned_alloc(alignment, bytes);
}

static inline void
note(char event)
{
	if (world.nevents < EVENTS)
		world.events[world.nevents++] = event;
}

static bool
step_alloc(void *emu, size_t bytes, struct device_memory *memory,
	   struct diag *why_not)
{
	note('a');
	world.bytes[world.nallocs++ % EVENTS] = bytes;
	if ((world.fail_from && world.nallocs >= world.fail_from) ||
	    (world.most_bytes && bytes > world.most_bytes)) {
		diag_set(why_not, "no memory");
		return false;
	}
	return device_emu.alloc(emu, bytes, memory, why_not);
}

static inline void
step_free(void *emu, const struct device_memory *memory)
{
	note(memory->unused ? 'u' : 'f');
	device_emu.free(emu, memory);
}

static inline void
step_publish(void *emu, const struct device_memory *memory)
{
	(void)emu;
	note('p');
	world.published[world.npublished++ % EVENTS] = memory->bus;
}

static enum device_status
step_run(void *emu, const struct device_program *programs, unsigned n,
	 double expected_ms, unsigned timeout_ms, struct diag *why_not)
{
	const unsigned run = world.nruns++ % RUNS;

	note('x');
	world.expected_ms[run] = expected_ms;
	world.timeout_ms = timeout_ms;
	world.programs = n;
	diag_set(why_not, "launch %u", run);
	if (world.results[run] != DEVICE_OK)
		return world.results[run];
	world.busy_ms += world.launch_ms;
	return device_emu.run(emu, programs, n, expected_ms, timeout_ms,
			      why_not);
}

static bool
step_restart(void *emu, struct diag *why_not)
{
	(void)emu;
	(void)why_not;
	note('r');
	return !world.no_restart;
}

static inline void
step_totals(void *emu, struct device_totals *totals)
{
	device_emu.totals(emu, totals);
	if (world.launch_ms > 0)
		totals->busy_ms = world.busy_ms;
}

/* A device that is seen to do what it is told, until a case changes that. */
static inline void
reset(void)
{
	fault_clear();
	fault_hooks.aligned_alloc = allocate_aligned;
	memset(&world, 0, sizeof(world));
	memset(batches, 0, sizeof(batches));
	memset(&limits, 0, sizeof(limits));
	device = device_emu;
	device.alloc = step_alloc;
	device.free = step_free;
	device.publish = step_publish;
	device.run = step_run;
	device.restart = step_restart;
	device.totals = step_totals;
	engine = engine_emulator;
	engine.context = &context;
}

static inline void
open_engine(void)
{
	self = engine_open(&engine, "qpus=2", &limits, &why);
	if (!self)
		exit(99);
}

/* Put n blocks of a message that goes on into a lane of the first batch. */
static inline uint8_t *
put(unsigned lane, uint8_t *data, uint32_t blocks)
{
	batch_set_state(&batches[0], lane, sha256_initial);
	batches[0].data[lane] = data;
	batches[0].nblocks[lane] = blocks;
	return data;
}

static inline enum engine_status
step(void)
{
	enum engine_status status = engine.submit(self, batches, QPUS, &why);

	return status == ENGINE_OK ? engine.wait(self, &why) : status;
}

static inline void
forget_events(void)
{
	memset(world.events, 0, sizeof(world.events));
	world.nevents = 0;
}

#endif
