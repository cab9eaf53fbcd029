/* SPDX-License-Identifier: MIT */
/*
 * Promise: what the driver asks the firmware for, in which order, and that it
 * asks for nothing more after a failure.  Firmware, kernel and clock are
 * counters here; nothing runs.
 */
#include "config.h"

#include "qpu/driver/vcio.h"

#include "tests/driver/vcio-double.h"

static void
test_run(void)
{
	void *self;
	const uint32_t *control;

	reset();
	self = open_device("mailbox");
	ok(run(self, 2, 0) == DEVICE_OK && world.values[0] == 2 &&
		   world.values[1] == 0xfb010000,
	   "a launch by mailbox: number of programs, control block");
	ok(world.values[2] == 0, "the caches are flushed");
	ok(world.values[3] == 700, "the firmware gives up before the kernel");
	control = world.memories[1];
	ok(control[0] == programs[0].uniforms &&
		   control[1] == programs[0].code &&
		   control[2] == programs[1].uniforms &&
		   control[3] == programs[1].code,
	   "uniforms and code of each program");
	ok(run(self, 1, 0) == DEVICE_OK && count('c') == 1,
	   "the clock is not asked after each launch");
	world.now += 1000 * (uint64_t)CLOCK_NS_PER_MS;
	run(self, 1, 0);
	ok(count('c') == 2, "but once a second");
	ok(run(self, 0, 0) == DEVICE_REFUSED &&
		   run(self, 13, 0) == DEVICE_REFUSED && count('x') == 3,
	   "0 and 13 programs are no launch");
	device_vcio.close(self);
	ok(strcmp(world.events, "EafxRcfxRfxRcre") == 0,
	   "the QPUs are on before there is memory, and off after it");
}

/* Nothing of the memory may be used again while programs may write to it. */
static void
test_failure(bool is_late)
{
	const char *what = is_late ? "no answer" : "a launch that fails";
	struct device_memory piece, other;
	void *self;

	reset();
	self = open_device("mailbox");
	if (!device_vcio.alloc(self, 100, &piece, &why))
		exit(99);
	world.run_answer = MAILBOX_FAILED;
	world.is_late = is_late;
	ok(run(self, 1, 0) == DEVICE_TIMEOUT, "%s: it is told", what);
	world.run_answer = MAILBOX_OK;
	world.is_late = false;
	ok(run(self, 1, 0) == DEVICE_REFUSED && count('x') == 1,
	   "%s: there is no other", what);
	ok(!device_vcio.alloc(self, 100, &other, &why) && count('a') == 2,
	   "%s: nothing is allocated", what);
	device_vcio.free(self, &piece);
	ok(count('r') == 0, "%s: nor freed", what);
	ok(claims_in_doubt(), "%s: the QPUs may still run", what);
	device_vcio.close(self);
	/* Firmwares that count are asked as often as there were enables. */
	ok(strncmp(world.events, "Eaafxe", 6) == 0 && count('r') == 2,
	   "%s: they are off before memory is given back", what);
}

/* A firmware that gives what it has given before. */
static void
test_twice(uint32_t same_handle, uint32_t same_bus, const char *what)
{
	struct device_memory piece;
	uint32_t *control;
	void *self;

	reset();
	self = open_device("mailbox");
	control = world.memories[1];
	run(self, 1, 0);
	world.same_handle = same_handle;
	world.same_bus = same_bus;
	ok(!device_vcio.alloc(self, 4096, &piece, &why), "%s is not taken: %s",
	   what, why.text);
	ok(control[0] == programs[0].uniforms && count('r') == !same_handle,
	   "what was there first stays");
	ok(run(self, 1, 0) == DEVICE_OK, "and is used");
	device_vcio.close(self);
	ok(count('r') == 1 + !same_handle, "until it is given back, once");
}

/* An answer that may mean "on already" or "never": the first launch tells. */
static void
test_doubt(void)
{
	void *self;

	reset();
	world.enable_answer = world.run_answer = MAILBOX_FAILED;
	self = open_device("mailbox");
	ok(run(self, 1, 0) == DEVICE_REFUSED && strstr(why.text, "dtoverlay"),
	   "QPUs that were perhaps not enabled, and do not run: what helps");
	device_vcio.close(self);

	reset();
	world.enable_answer = MAILBOX_FAILED;
	self = open_device("mailbox");
	ok(run(self, 1, 0) == DEVICE_OK, "that run");
	world.run_answer = MAILBOX_FAILED;
	ok(run(self, 1, 0) == DEVICE_TIMEOUT && !strstr(why.text, "dtoverlay"),
	   "and fail later: they were enabled");
	device_vcio.close(self);
}

static void
test_restart(void)
{
	void *self;

	reset();
	world.run_answer = MAILBOX_FAILED;
	self = open_device("mailbox");
	run(self, 1, 0);
	world.run_answer = MAILBOX_OK;
	ok(device_vcio.restart(self, &why) && run(self, 1, 0) == DEVICE_OK,
	   "after a first launch that failed there is a second");
	ok(strncmp(world.events, "EafxeEfx", 8) == 0,
	   "with QPUs that were off");
	world.run_answer = MAILBOX_FAILED;
	run(self, 1, 0);
	ok(!device_vcio.restart(self, &why), "and no third");
	device_vcio.close(self);
}

static void
test_registers(void)
{
	void *self;

	reset();
	world.has_registers = true;
	self = open_device("registers");
	ok(world.mem_opens == 2 && world.mem_flags == 0,
	   "memory and registers are mapped past the caches");
	/* What resets the count of ends reads as one end here. */
	ok(run(self, 1, 0) == DEVICE_OK && count('x') == 0,
	   "a launch by registers does without the firmware");
	ok(run(self, 2, 0) == DEVICE_TIMEOUT,
	   "one of whose programs does not end is given up");
	device_vcio.close(self);

	reset();
	/* The memory of before was kept, with its handles. */
	world.handle = MEMORIES;
	self = open_device("");
	ok(run(self, 1, 0) == DEVICE_OK && count('x') == 1,
	   "registers of a V3D that does not answer are not used");
	device_vcio.close(self);
}

int
main(void)
{
	const unsigned descriptors = count_descriptors();

	test_run();
	test_failure(false);
	test_failure(true);
	test_twice(1, 0, "a handle that is ours");
	test_twice(0, 0xfb010000, "an address that is ours");
	test_doubt();
	test_restart();
	test_registers();
	ok(count_descriptors() == descriptors, "all descriptors are closed");
	return tap_done();
}
