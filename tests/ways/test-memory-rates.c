/* SPDX-License-Identifier: MIT */
/*
 * Promise: the driver measures how fast the CPU writes to memory for the QPUs
 * and reads it: once for a device, in whole blocks, and only where a buffer is
 * large enough.
 */
#include "config.h"

#include "qpu/ways/buffers.h"

#include <errno.h>

#include "qpu/ways/vcio.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"
#include "tests/ways/pi.h"

static bool
near(double rate, double expected)
{
	return rate > 0.999999 * expected && rate < 1.000001 * expected;
}

/* Each of the two measurements takes one step of the clock. */
static void
test_bytes(void)
{
	static const struct {
		size_t bytes, measured;
	} rows[] = { { 4096, 0 },	   { 16384, 16384 },
		     { 20480, 16384 },	   { 40960, 32768 },
		     { 1 << 20, 1 << 20 }, { (1 << 20) + 4096, 1 << 20 } };
	struct device_memory memory;
	struct device_totals totals;
	const uint8_t *bytes;
	void *self;

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const size_t end = rows[i].measured;

		self = pi_opened(PI_UNCACHED, "mailbox");
		device_vcio.alloc(self, rows[i].bytes, &memory, &why);
		device_vcio.totals(self, &totals);
		bytes = memory.cpu;
		ok((end == 0 ? totals.write_rate == 0 :
			       near(totals.write_rate, (double)end * 1e3) &&
				       near(totals.read_rate,
					    (double)end * 1e3)) &&
			   (end == 0 || bytes[end - 1] == 0x55) &&
			   (end == memory.bytes || bytes[end] == 0),
		   "%u bytes of %u are measured", (unsigned)end,
		   (unsigned)rows[i].bytes);
		device_vcio.close(self);
	}
}

static void
test_clocks(void)
{
	static const struct {
		uint64_t step;
		double rate;
	} steps[] = { { 0, 16384e9 }, { 1, 16384e9 }, { 2, 8192e9 } };
	struct device_memory memory, other;
	struct device_totals totals;
	void *self;

	for (unsigned i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		self = pi_opened(PI_CACHED, "mailbox");
		pi_forget();
		fault_clock_step(steps[i].step);
		device_vcio.alloc(self, 16384, &memory, &why);
		ok(pi_asked("hifR"), "measuring flushes and refreshes");
		device_vcio.alloc(self, 32768, &other, &why);
		device_vcio.totals(self, &totals);
		ok(near(totals.write_rate, steps[i].rate) &&
			   near(totals.read_rate, steps[i].rate),
		   "only one buffer is measured, with a clock of %u ns",
		   (unsigned)steps[i].step);
		device_vcio.close(self);
	}
}

static void
test_shortage(void)
{
	struct device_memory memory;
	struct device_totals totals;
	void *self = pi_opened(PI_UNCACHED, "mailbox");

	fault_at(FAULT_malloc, 1, ENOMEM);
	ok(device_vcio.alloc(self, 16384, &memory, &why),
	   "memory is given that cannot be measured");
	device_vcio.totals(self, &totals);
	ok(totals.write_rate == 0,
	   "without memory for a copy nothing is measured");
	device_vcio.close(self);
}

int
main(void)
{
	test_bytes();
	test_clocks();
	test_shortage();
	pi_end();
	return tap_done();
}
