/* SPDX-License-Identifier: MIT */
/*
 * Promise: what the driver asks the firmware for, in which order, and that it
 * asks for nothing more after a failure.  Firmware, kernel and clock are
 * counters here; nothing runs.
 */
#include "config.h"

#include "qpu/driver/vcio.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "qpu/device/device.h"
#include "qpu/driver/firmware.h"
#include "qpu/driver/firmware_claims.h"
#include "qpu/driver/mailbox.h"
#include "qpu/driver/pi_board.h"
#include "qpu/driver/soc.h"
#include "src/base/clock.h"
#include "tests/support/tap.h"

enum { EVENTS = 64, MEMORIES = 8, IDENT0 = 0x02443356 };

static struct {
	/* What the firmware answers. */
	uint32_t enable_answer, run_answer;
	bool is_late, has_registers;
	uint32_t same_handle, same_bus; /* 0 = another each time */
	/* What was asked: a letter each. */
	char events[EVENTS + 1];
	unsigned nevents;
	uint32_t handle, values[4];
	void *memories[MEMORIES]; /* by their handles */
	uint32_t *registers;
	int mem_flags, mem_opens;
	uint64_t now;
} world;

static struct diag why;

static void
note(char event)
{
	if (world.nevents < EVENTS)
		world.events[world.nevents++] = event;
}

static unsigned
count(char event)
{
	unsigned n = 0;

	for (unsigned i = 0; i < world.nevents; i++)
		n += world.events[i] == event;
	return n;
}

/* In the place of functions of the driver (--wrap) -------------------------- */

bool
__wrap_pi_board_look(const char *root, struct pi_board *board,
		     struct diag *why_not);
int
__wrap_firmware_open_node(const char *name, int flags);
int
__wrap_firmware_open(struct diag *why_not);
bool
__wrap_mailbox_call(int fd, enum mailbox_tag tag, uint32_t *values,
		    unsigned request, unsigned response);
uint64_t
__wrap_clock_ns(void);
void *
__real_mmap64(void *at, size_t bytes, int protection, int flags, int fd,
	      off_t offset);
void *
__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd,
	    off_t offset);
void *
__wrap_mmap64(void *at, size_t bytes, int protection, int flags, int fd,
	      off_t offset) __attribute__((alias("__wrap_mmap")));

bool
__wrap_pi_board_look(const char *root, struct pi_board *board,
		     struct diag *why_not)
{
	(void)root;
	(void)why_not;
	*board = (struct pi_board){ .soc = soc_of_compatible("brcm,bcm2836"),
				    .bus_alias = 0xc0000000,
				    .memory_flags = MAILBOX_MEMORY_DIRECT,
				    .memory = MEMORY_DEV_MEM };
	return true;
}

int
__wrap_firmware_open_node(const char *name, int flags)
{
	if (strcmp(name, "/dev/mem") == 0) {
		world.mem_opens++;
		world.mem_flags |= ~flags & O_SYNC; /* what is missing */
	}
	return open("/dev/null", O_RDWR | O_CLOEXEC);
}

int
__wrap_firmware_open(struct diag *why_not)
{
	(void)why_not;
	return open("/dev/null", O_RDWR | O_CLOEXEC);
}

bool
__wrap_mailbox_call(int fd, enum mailbox_tag tag, uint32_t *values,
		    unsigned request, unsigned response)
{
	(void)fd;
	(void)request;
	(void)response;
	switch (tag) {
	case MAILBOX_VC_MEMORY: values[1] = 64 << 20; break;
	case MAILBOX_ENABLE_QPU:
		note(values[0] ? 'E' : 'e');
		values[0] = values[0] ? world.enable_answer : 0;
		break;
	case MAILBOX_ALLOCATE_MEMORY:
		note('a');
		values[0] = ++world.handle;
		if (world.same_handle)
			values[0] = world.same_handle;
		break;
	case MAILBOX_LOCK_MEMORY:
		values[0] = 0xfb000000 + (values[0] << 16);
		if (world.same_bus)
			values[0] = world.same_bus;
		break;
	case MAILBOX_RELEASE_MEMORY: note('r'); break;
	case MAILBOX_EXECUTE_QPU:
		note('x');
		memcpy(world.values, values, sizeof(world.values));
		if (world.is_late) {
			errno = ETIMEDOUT;
			return false;
		}
		values[0] = world.run_answer;
		break;
	case MAILBOX_MEASURED_CLOCK_RATE:
		note('c');
		values[1] = 250000000;
		break;
	default: break;
	}
	return true;
}

/* Time passes with each look at it. */
uint64_t
__wrap_clock_ns(void)
{
	return world.now += CLOCK_NS_PER_MS;
}

void *
__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd,
	    off_t offset)
{
	void *memory = __real_mmap64(at, bytes, protection,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)flags;
	(void)fd;
	if (offset == 0x3fc00000) {
		world.registers = memory;
		*world.registers = world.has_registers ? IDENT0 : 0xdeadbeef;
	} else if (world.handle < MEMORIES) {
		world.memories[world.handle] = memory;
	}
	return memory;
}

/* Cases ---------------------------------------------------------------------- */

static const struct device_program programs[2] = {
	{ .code = 0xfb101000, .uniforms = 0xfb102000 },
	{ .code = 0xfb101000, .uniforms = 0xfb103000 }
};

static void
reset(void)
{
	memset(&world, 0, sizeof(world));
}

static void *
open_device(const char *options)
{
	unsigned qpus = 0;
	void *self = device_vcio.open(options, &qpus, &why);

	if (!self || qpus != 12) {
		printf("Bail out! %s\n", why.text);
		exit(99);
	}
	return self;
}

static enum device_status
run(void *self, unsigned n, double expected_ms)
{
	return device_vcio.run(self, programs, n, expected_ms, 5000, &why);
}

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
	ok(strcmp(world.events, "Eaxcxxcre") == 0,
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
	ok(strncmp(world.events, "Eaaxe", 5) == 0 && count('r') == 2,
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
	ok(strncmp(world.events, "EaxeEx", 6) == 0, "with QPUs that were off");
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

static unsigned
count_descriptors(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
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
