/* SPDX-License-Identifier: MIT */
/*
 * Promise: a launch lasts about 50 ms at most, however slow the QPUs are, and
 * the device is told how long it is going to take.
 */
#include "config.h"

#include <stdlib.h>

#include "cpu/sha256.h"
#include "qpu/device/device.h"
#include "qpu/engine/device_emu.h"
#include "qpu/engine/engine_qpu.h"
#include "tests/support/tap.h"

enum { BLOCKS = 3000, LAUNCH_MS = 50 };

static double slowness; /* as many times as long as modelled */
static double expected_ms;

static void
slow_totals(void *self, struct device_totals *totals)
{
	device_emu.totals(self, totals);
	totals->busy_ms *= slowness;
}

static enum device_status
slow_run(void *self, const struct device_program *programs, unsigned n,
	 double expected, unsigned timeout_ms, struct diag *why)
{
	expected_ms = expected;
	return device_emu.run(self, programs, n, expected, timeout_ms, why);
}

/* One long message on one QPU. */
static void
test_slow(double times)
{
	struct qpu_device device = device_emu;
	struct engine engine = engine_emulator;
	struct engine_limits limits = { 0 };
	struct batch batch;
	struct diag why;
	uint32_t first, second;
	uint8_t *buffer;
	void *self;

	device.totals = slow_totals;
	device.run = slow_run;
	engine.context = &device;
	slowness = times;
	self = engine_open(&engine, "qpus=1", &limits, &why);
	buffer = self ? engine.alloc(self, BLOCKS * SHA256_BLOCK_BYTES) : NULL;
	if (!buffer)
		exit(99);
	memset(&batch, 0, sizeof(batch));
	batch_set_state(&batch, 0, sha256_initial);
	batch.data[0] = buffer;
	batch.nblocks[0] = BLOCKS;
	engine.submit(self, &batch, 1, &why);
	engine.wait(self, &why);
	first = batch.done[0];
	batch.data[0] += first * SHA256_BLOCK_BYTES;
	batch.nblocks[0] -= first;
	engine.submit(self, &batch, 1, &why);
	engine.wait(self, &why);
	second = batch.done[0];
	if (times > 1)
		ok(second > 1 && second < 512 && expected_ms > LAUNCH_MS / 2 &&
			   expected_ms < 1.5 * LAUNCH_MS,
		   "QPUs that take %g times as long get less to do", times);
	else
		ok(second == 512 && expected_ms < LAUNCH_MS,
		   "QPUs as modelled get as much as there is room for");
	engine.free(self, buffer, BLOCKS * SHA256_BLOCK_BYTES);
	engine.close(self);
}

int
main(void)
{
	test_slow(1);
	test_slow(20);
	test_slow(100);
	return tap_done();
}
