/* SPDX-License-Identifier: MIT */
/*
 * Promise: what the driver asks the firmware for, in which order, and that it
 * asks for nothing more after a failure; and whatever board, kernel or firmware
 * refuse it, the reason is told in one sentence, and everything that was taken
 * goes back.
 */
#include "config.h"

#include "qpu/ways/vcio.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "qpu/ways/firmware_handles.h"
#include "qpu/ways/way.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"
#include "tests/ways/pi.h"

#define MS (FAULT_SECOND / 1000)
#define FAILED 0x80000000u
/* --- Opening -------------------------------------------------------------- */

/* The device does not open, for a reason, after these requests. */
static void
does_not_open(const char *options, const char *events, const char *reason)
{
	struct balance before, after;
	unsigned qpus = 77;

	balance_now();
	before = balance_now();
	ok(!device_vcio.open(options, &qpus, &why) && qpus == 77 &&
		   pi_asked(events),
	   "the device does not open: %s", reason);
	is(why.text, reason, "the reason is told: %s", reason);
	after = balance_now();
	ok(after.blocks == before.blocks && after.files == before.files &&
		   after.signals == before.signals && pi.mapped == 0,
	   "nothing is left behind after: %s", reason);
	pi_begin(PI_DEV_MEM);
}

static void
test_open(void)
{
	pi_begin(PI_DEV_MEM);
	fault_at(FAULT_calloc, 1, ENOMEM);
	does_not_open("", "", "out of memory");
	does_not_open("fast", "",
		      "'fast' is none of mailbox, registers, short and "
		      "counters");
	pi.is_pc = true;
	does_not_open("", "", "this is not a Raspberry Pi");
	pi.lock_error = EWOULDBLOCK;
	does_not_open("", "", "another program uses the QPUs");
	pi.gpu_mib = 16;
	does_not_open("", "",
		      "gpu_mem is 16 MiB, and the firmware for so little has "
		      "no QPUs: put gpu_mem=64 into /boot/firmware/config.txt "
		      "(older systems: /boot/config.txt) and reboot");
	pi.open_errors[PI_MEM] = EACCES;
	does_not_open("", "", "/dev/mem: Permission denied");
	pi.register_error = EACCES;
	does_not_open("registers", "",
		      "the registers of the QPUs cannot be mapped through "
		      "/dev/mem: Permission denied");
	pi.registers_map_error = EPERM;
	does_not_open("counters,registers", "",
		      "the registers of the QPUs cannot be mapped through "
		      "/dev/mem: Operation not permitted");
	pi.enable_error = EIO;
	does_not_open("", "E",
		      "the firmware cannot be asked to enable the QPUs: "
		      "Input/output error");
	pi.enable_answer = 5;
	does_not_open("", "E", PI_REFUSES("0x00000005"));
	pi.enable_answer = 5;
	pi.has_registers = true;
	does_not_open("", "E", PI_REFUSES("0x00000005"));
	pi.enable_answer = FAILED;
	does_not_open("", "E", PI_REFUSES("0x80000000"));
	pi.no_memory = true;
	does_not_open("", "Eae",
		      "the firmware has no 4 KiB for the QPUs: a larger "
		      "gpu_mem in /boot/firmware/config.txt (older systems: "
		      "/boot/config.txt) helps");
	pi_begin(PI_CACHED);
	pi.heap_error = pi.vcsm_error = ENOMEM;
	does_not_open("", "Ehse",
		      "/dev/vcsm-cma has no 4 KiB in one piece for the QPUs: "
		      "Cannot allocate memory (CmaTotal 64 MiB, CmaFree 5 MiB; "
		      "dtoverlay=cma,cma-128 in /boot/firmware/config.txt "
		      "(older systems: /boot/config.txt) gives more)");
}

static struct {
	const char *options;
	unsigned nodes;
} used;

/* One of two buffers is left to the end. */
static void
use_device(void)
{
	struct device_memory memory[2];
	void *self;

	pi_begin(used.nodes);
	pi.has_registers = true;
	self = pi_open(used.options);
	for (unsigned i = 0; i < 2; i++)
		if (!device_vcio.alloc(self, 1 << 16, &memory[i], &why))
			exit(99);
	device_vcio.free(self, &memory[0]);
	device_vcio.close(self);
	ok(pi.mapped == 0 && pi.buffers == 0,
	   "all memory that a device had is unmapped and closed");
}

static void
test_balance(void)
{
	static const unsigned nodes[] = { PI_DEV_MEM, PI_UNCACHED, PI_CACHED };

	for (unsigned i = 0; i < 6; i++) {
		used.nodes = nodes[i / 2];
		used.options = i % 2 ? "registers" : "mailbox";
		balance_test(use_device, "a device that was used");
	}
}

/* What is tried, and what does without it. */
static void
test_choices(void)
{
	static const struct {
		const char *options;
		unsigned opens;
		bool usable;
	} rows[] = { { "mailbox", 1, true },
		     { "", 2, true },
		     { "mailbox,counters", 2, true },
		     { "short", 2, true },
		     { "registers", 2, false } };
	unsigned qpus;
	void *self;

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		pi_begin(PI_DEV_MEM);
		pi.registers_map_error = EPERM;
		self = device_vcio.open(rows[i].options, &qpus, &why);
		ok(!self == !rows[i].usable && pi.mem_opens == rows[i].opens,
		   "the option '%s' %s registers", rows[i].options,
		   rows[i].usable ? "does without" : "needs");
		if (self)
			device_vcio.close(self);
	}
	pi_begin(PI_DEV_MEM);
	ok(device_vcio.probe(&why), "a board with QPUs can be probed");
	pi.is_pc = true;
	ok(!device_vcio.probe(&why) &&
		   strcmp(why.text, "this is not a Raspberry Pi") == 0,
	   "another machine is told that it is no Raspberry Pi");
}

/* An answer that may mean "on already" or "never": the first launch tells. */
static void
test_unknown_power(void)
{
	void *self;

	pi_begin(PI_DEV_MEM);
	pi.enable_answer = pi.run_answer = FAILED;
	self = pi_open("mailbox");
	ok(pi_run(self, 1, 0) == DEVICE_REFUSED &&
		   strstr(why.text, "dtoverlay"),
	   "QPUs that were perhaps not enabled, and do not run, are refused "
	   "with what helps");
	device_vcio.close(self);

	pi_begin(PI_DEV_MEM);
	pi.enable_answer = FAILED;
	self = pi_open("mailbox");
	ok(pi_run(self, 1, 0) == DEVICE_OK,
	   "QPUs that were perhaps not enabled may run");
	pi.run_answer = FAILED;
	ok(pi_run(self, 1, 0) == DEVICE_TIMEOUT &&
		   !strstr(why.text, "dtoverlay"),
	   "QPUs that have run were enabled when they fail later");
	device_vcio.close(self);

	pi_begin(PI_DEV_MEM);
	pi.has_registers = true;
	pi.enable_answer = pi.run_answer = FAILED;
	self = pi_open("");
	ok(pi_run(self, 1, 0) == DEVICE_TIMEOUT,
	   "QPUs that registers show to be on are known to be enabled");
	device_vcio.close(self);
}

/* --- Launches ------------------------------------------------------------- */

static void
test_run(void)
{
	void *self = pi_opened(PI_DEV_MEM, "mailbox");
	const uint32_t *control = pi.last;

	ok(pi.locks == 1, "the firmware is locked for one user");
	ok(pi_run(self, 2, 0) == DEVICE_OK && pi.execute[0] == 2 &&
		   pi.execute[1] == 0xfb010000,
	   "a launch by mailbox gives the number of programs and the control "
	   "block");
	ok(pi.execute[2] == 0, "the QPUs' caches are flushed");
	ok(pi.execute[3] == 700, "the firmware gives up before the kernel");
	ok(control[0] == pi_programs[0].uniforms &&
		   control[1] == pi_programs[0].code &&
		   control[2] == pi_programs[1].uniforms &&
		   control[3] == pi_programs[1].code,
	   "the control block has uniforms and code of each program");
	pi_run(self, 1, 0);
	ok(pi_run(self, 0, 0) == DEVICE_REFUSED &&
		   strcmp(why.text, "a run has 1 to 12 programs") == 0 &&
		   pi_run(self, 13, 0) == DEVICE_REFUSED &&
		   pi_count('x') == 2 && !handles_qpus_may_run(),
	   "0 and 13 programs are refused, and nothing has failed");
	ok(pi_run(self, 12, 0) == DEVICE_OK && pi.execute[0] == 12,
	   "12 programs are run");
	device_vcio.close(self);
	ok(pi_asked("Eaxcxxure"),
	   "the QPUs are on before there is memory, and off after it is back");
}

static void
test_clock(void)
{
	void *self = pi_opened(PI_DEV_MEM, "mailbox");

	fault_clock_step(0);
	pi_run(self, 1, 0);
	fault_clock_advance(FAULT_SECOND - 1);
	pi_run(self, 1, 0);
	ok(pi_count('c') == 1,
	   "the clock of the QPUs is asked once within a second");
	fault_clock_advance(1);
	pi_run(self, 1, 0);
	ok(pi_count('c') == 2,
	   "the clock of the QPUs is asked again after a second");
	device_vcio.close(self);
}

/* Linux 6.18 leaves it low, and asks for it to be off. */
static void
test_clock_state(void)
{
	void *self;

	pi_begin(PI_DEV_MEM);
	pi.clock_off = true;
	pi.set_hz = 250000000;
	self = pi_open("mailbox");
	ok(pi_asked("EKma") && pi.set_hz == 400000000,
	   "a clock that is off and low is on and full once the QPUs are "
	   "enabled");
	device_vcio.close(self);
	ok(pi_asked("uremk") && pi.clock_off && pi.set_hz == 250000000,
	   "a clock is as it was found once the QPUs are disabled");

	pi_begin(PI_DEV_MEM);
	pi.set_hz = 250000000;
	self = pi_open("mailbox");
	pi.run_answer = FAILED;
	pi_run(self, 1, 0);
	pi.set_hz = 200000000;
	device_vcio.restart(self, &why);
	ok(pi_asked("EmaxeEm") && pi.set_hz == 400000000,
	   "a clock is full after a restart, too");
	device_vcio.close(self);
	ok(pi.set_hz == 250000000,
	   "a clock has the rate that was found first after a restart");

	pi_begin(PI_DEV_MEM);
	pi.clock_off = true;
	pi.lost_tag = 0x00030001;
	self = pi_open("mailbox");
	device_vcio.close(self);
	ok(pi_asked("Eaure"),
	   "a clock of which the firmware tells nothing is left alone");
}

/* A launch fails, and then there is no other, and no memory. */
static void
fails(void *self, enum device_status status, const char *events, bool in_doubt,
      const char *reason)
{
	struct device_memory memory;

	pi_forget();
	ok(pi_run(self, 2, 100) == status && pi_asked(events) &&
		   handles_qpus_may_run() == in_doubt,
	   "a launch fails: %s", reason);
	is(why.text, reason, "the reason is told: %s", reason);
	ok(pi_run(self, 1, 0) == DEVICE_REFUSED &&
		   strcmp(why.text, "the QPUs have failed") == 0,
	   "there is no other launch after: %s", reason);
	why.text[0] = '\0';
	ok(!device_vcio.alloc(self, 1, &memory, &why) &&
		   strcmp(why.text, "the QPUs have failed") == 0 &&
		   pi_asked(""),
	   "no memory is taken after: %s", reason);
	device_vcio.close(self);
	ok((pi.mapped > 0) == in_doubt,
	   "memory that may be written to, and no other, is kept after: %s",
	   reason);
}

/* With results in cached memory. */
static void *
begin_cached(void)
{
	void *self = pi_opened(PI_CACHED, "mailbox");
	struct device_memory memory;

	if (!device_vcio.alloc(self, 4096, &memory, &why))
		exit(99);
	pi_programs[0].results = memory.bus + 64;
	pi_run(self, 1, 0);
	device_vcio.publish(self, &memory);
	return self;
}

static void
test_failures(void)
{
	void *self = pi_opened(PI_DEV_MEM, "mailbox");

	pi.run_answer = FAILED;
	fails(self, DEVICE_TIMEOUT, "x", true,
	      "the QPUs did not start or did not come back within 300 ms "
	      "(0x80000000)");
	self = pi_opened(PI_DEV_MEM, "mailbox");
	pi.run_error = ETIMEDOUT;
	fails(self, DEVICE_TIMEOUT, "x", true,
	      "the firmware did not answer when it was to run the programs: "
	      "Connection timed out");
	self = pi_opened(PI_DEV_MEM, "mailbox");
	pi.run_error = EIO;
	fails(self, DEVICE_REFUSED, "x", true,
	      "the firmware did not answer when it was to run the programs: "
	      "Input/output error");
	self = begin_cached();
	pi.sync_errors[0] = EIO;
	fails(self, DEVICE_REFUSED, "f", false,
	      "the CPU's caches cannot be written back: Input/output error");
	self = begin_cached();
	pi.sync_errors[2] = EIO;
	fails(self, DEVICE_FAULT, "ffxR", false,
	      "results are behind the CPU's caches: Input/output error");
	pi_begin(PI_DEV_MEM);
	pi.enable_answer = FAILED;
	self = pi_open("mailbox");
	pi.run_answer = 7;
	fails(self, DEVICE_REFUSED, "x", true, PI_REFUSES("0x00000007"));
}

/* Nothing of the memory may be used again while programs may write to it. */
static void
test_memory_after_failure(void)
{
	struct device_memory memory;
	void *self = pi_opened(PI_DEV_MEM, "mailbox");

	if (!device_vcio.alloc(self, 100, &memory, &why))
		exit(99);
	pi.run_answer = FAILED;
	pi_run(self, 1, 0);
	device_vcio.free(self, &memory);
	ok(pi_count('r') == 0, "nothing is freed after a launch that failed");
	device_vcio.close(self);
	/* Firmwares that count are asked as often as there were enables. */
	ok(pi_asked("Eaaxeurur"),
	   "the QPUs are off before memory is given back");
}

static void
test_registers(void)
{
	void *self = pi_opened_by_registers("registers");

	ok(pi.mem_opens == 2 && pi.missing_flags == 0,
	   "memory and registers are mapped past the caches");
	/* What resets the count of ends reads as one end here. */
	ok(pi_run(self, 1, 0) == DEVICE_OK && pi_count('x') == 0,
	   "a launch by registers does without the firmware");
	ok(pi_run(self, 2, 50) == DEVICE_TIMEOUT && pi_count('x') == 0,
	   "a launch by registers that does not end is given up");
	is(why.text,
	   "the QPUs, started by registers, did not come back within 300 ms",
	   "a launch by registers that does not end is told");
	device_vcio.close(self);

	pi_begin(PI_CACHED);
	pi.has_registers = true;
	self = pi_open("registers");
	pi.sync_errors[0] = EIO;
	ok(pi_run(self, 1, 50) == DEVICE_REFUSED && strstr(why.text, "caches"),
	   "no launch by registers begins with data in the caches");
	device_vcio.close(self);

	self = pi_opened(PI_DEV_MEM, "");
	ok(pi_run(self, 1, 0) == DEVICE_OK && pi_count('x') == 1,
	   "registers of a V3D that does not answer are not used");
	device_vcio.close(self);
}

/* A launch by registers is short, and not with memory that SIGKILL gives to
 * others, unless the options want it. */
static void
test_start(void)
{
	static const struct {
		const char *options;
		unsigned nodes;
		double expected_ms; /* 0 = unknown */
		bool by_registers;
	} rows[] = {
		{ "", PI_DEV_MEM, 1, true },
		{ "", PI_DEV_MEM, 1.01, false },
		{ "", PI_DEV_MEM, 0, false },
		{ "", PI_UNCACHED, 0.5, false },
		{ "registers", PI_UNCACHED, 0, true },
		{ "registers", PI_DEV_MEM, 500, true },
		{ "short", PI_UNCACHED, 0.5, true },
		{ "short", PI_UNCACHED, 5, false },
		{ "mailbox", PI_DEV_MEM, 0.5, false },
		{ "mailbox,registers", PI_DEV_MEM, 5, true },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		void *self;

		pi_begin(rows[i].nodes);
		fault_clock_step(MS);
		pi.has_registers = true;
		self = pi_open(rows[i].options);
		ok(pi_run(self, 1, rows[i].expected_ms) == DEVICE_OK &&
			   (pi_count('x') == 0) == rows[i].by_registers,
		   "with the options '%s' and memory of %s a launch of %g ms is by %s",
		   rows[i].options,
		   rows[i].nodes == PI_DEV_MEM ? "/dev/mem" : "the kernel",
		   rows[i].expected_ms,
		   rows[i].by_registers ? "registers" : "mailbox");
		device_vcio.close(self);
	}
}

static void
test_patience(void)
{
	static const struct {
		double expected_ms;
		unsigned timeout_ms, ms;
	} rows[] = { { 0, 5000, 700 },	 { 1, 5000, 300 },
		     { 100, 5000, 300 }, { 101, 5000, 303 },
		     { 233, 5000, 699 }, { 233.5, 5000, 700 },
		     { 500, 5000, 700 }, { 0, 699, 699 },
		     { 0, 701, 700 },	 { 1, 200, 200 } };
	void *self = pi_opened(PI_DEV_MEM, "mailbox");

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		device_vcio.run(self, pi_programs, 1, rows[i].expected_ms,
				rows[i].timeout_ms, &why);
		ok(pi.execute[3] == rows[i].ms,
		   "a launch of %g ms with a limit of %u may take %u ms",
		   rows[i].expected_ms, rows[i].timeout_ms, rows[i].ms);
	}
	device_vcio.close(self);
}

/* --- The end ----------------------------------------------------------------- */

static void
test_end(void)
{
	void *self = pi_opened(PI_DEV_MEM, "mailbox");

	handles_release();
	pi_forget();
	ok(pi_run(self, 1, 0) == DEVICE_REFUSED && pi_asked("") &&
		   strcmp(why.text, "the program is about to end") == 0,
	   "nothing is run when the process is about to end");
	device_vcio.close(self);
}

int
main(void)
{
	/* First what keeps no memory: later devices would return it. */
	test_open();
	test_balance();
	test_choices();
	test_run();
	test_clock();
	test_clock_state();
	test_unknown_power();
	test_failures();
	test_memory_after_failure();
	test_registers();
	test_start();
	test_patience();
	test_end();
	pi_end();
	return tap_done();
}
