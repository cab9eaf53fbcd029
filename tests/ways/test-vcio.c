/* SPDX-License-Identifier: MIT */
/*
 * Promise: what the driver asks the firmware for, in which order, and that it
 * asks for nothing more after a failure; and whatever board, kernel or firmware
 * refuse it, the reason is told in one sentence, and everything that was taken
 * goes back.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "qpu/ways/held.h"
#include "qpu/ways/way.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"
#include "tests/ways/pi.h"

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
	pi_begin(PI_UNCACHED);
}

static void
test_open(void)
{
	pi_begin(PI_UNCACHED);
	fault_at(FAULT_calloc, 1, ENOMEM);
	does_not_open("", "", "out of memory");
	does_not_open("fast", "", "'fast' is none of mailbox");
	pi.is_pc = true;
	does_not_open("", "", "this is not a Raspberry Pi");
	pi.lock_error = EWOULDBLOCK;
	does_not_open("", "", "another program uses the QPUs");
	pi.gpu_mib = 16;
	does_not_open("", "",
		      "the firmware for gpu_mem=16 has no QPUs: put gpu_mem=64 "
		      "into /boot/firmware/config.txt and reboot");
	pi.lost_tag = 0x00010006;
	does_not_open("", "",
		      "the firmware does not answer through /dev/vcio: "
		      "Input/output error");
	pi.open_errors[PI_VCSM] = EACCES;
	does_not_open("", "", "/dev/vcsm-cma: Permission denied");
	pi.enable_error = EIO;
	does_not_open("", "E",
		      "the firmware cannot be asked to enable the QPUs: "
		      "Input/output error");
	pi.enable_answer = 5;
	does_not_open("", "E", PI_REFUSES("0x00000005"));
	pi_begin(PI_CACHED);
	pi.heap_error = pi.vcsm_error = ENOMEM;
	does_not_open("", "Ehse",
		      "/dev/vcsm-cma has no 4 KiB in one piece for the QPUs: "
		      "Cannot allocate memory; CmaTotal is 64 MiB, CmaFree 5 "
		      "MiB: close other programs");
	pi_begin(PI_UNCACHED);
	pi.gpu_mib = 17;
	device_vcio.close(pi_open());
	ok(device_vcio.probe(&why), "a board with QPUs can be probed");
	pi.is_pc = true;
	ok(!device_vcio.probe(&why) &&
		   strcmp(why.text, "this is not a Raspberry Pi") == 0,
	   "another machine is told that it is no Raspberry Pi");
}

static unsigned used_nodes;

/* One of two buffers is left to the end. */
static void
use_device(void)
{
	struct device_memory memory[2];
	void *self;

	pi_begin(used_nodes);
	self = pi_open();
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
	used_nodes = PI_UNCACHED;
	balance_test(use_device, "a device that was used");
	used_nodes = PI_CACHED;
	balance_test(use_device, "a device with cached memory");
}

/* An answer that may mean "on already" or "never": the first launch tells. */
static void
test_unknown_power(void)
{
	void *self;

	pi_begin(PI_UNCACHED);
	pi.enable_answer = pi.run_answer = FAILED;
	self = pi_open();
	ok(pi_run(self, 1, 0) == DEVICE_REFUSED &&
		   strstr(why.text, "dtoverlay"),
	   "QPUs that were perhaps not enabled, and do not run, are refused "
	   "with what helps");
	device_vcio.close(self);

	pi_begin(PI_UNCACHED);
	pi.enable_answer = FAILED;
	self = pi_open();
	ok(pi_run(self, 1, 0) == DEVICE_OK,
	   "QPUs that were perhaps not enabled may run");
	pi.run_answer = FAILED;
	ok(pi_run(self, 1, 0) == DEVICE_TIMEOUT &&
		   !strstr(why.text, "dtoverlay"),
	   "QPUs that have run were enabled when they fail later");
	device_vcio.close(self);
}

/* --- Launches ------------------------------------------------------------- */

static void
test_run(void)
{
	void *self = pi_opened(PI_UNCACHED);
	const uint32_t *control = pi.last;

	ok(pi.locks == 1, "the firmware is locked for one user");
	ok(pi_run(self, 2, 0) == DEVICE_OK && pi.execute[0] == 2 &&
		   pi.execute[1] == 0xda000000,
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
		   pi_count('x') == 2 && !held_qpus_may_run(),
	   "0 and 13 programs are refused, and nothing has failed");
	ok(pi_run(self, 12, 0) == DEVICE_OK && pi.execute[0] == 12,
	   "12 programs are run");
	device_vcio.close(self);
	ok(pi_asked("Esxcxxe"),
	   "the QPUs are on before there is memory, and off at the end");
}

/* Linux 6.18 leaves it low, and asks for it to be off. */
static void
test_clock_state(void)
{
	void *self;

	pi_begin(PI_UNCACHED);
	pi.clock_off = true;
	pi.set_hz = 250000000;
	self = pi_open();
	ok(pi_asked("EKms") && pi.set_hz == 400000000,
	   "a clock that is off and low is on and full once the QPUs are "
	   "enabled");
	device_vcio.close(self);
	ok(pi_asked("emk") && pi.clock_off && pi.set_hz == 250000000,
	   "a clock is as it was found once the QPUs are disabled");

	pi_begin(PI_UNCACHED);
	pi.set_hz = 250000000;
	self = pi_open();
	pi.run_answer = FAILED;
	pi_run(self, 1, 0);
	pi.set_hz = 200000000;
	device_vcio.restart(self, &why);
	ok(pi_asked("EmsxeEm") && pi.set_hz == 400000000,
	   "a clock is full after a restart, too");
	device_vcio.close(self);
	ok(pi.set_hz == 250000000,
	   "a clock has the rate that was found first after a restart");

	pi_begin(PI_UNCACHED);
	pi.clock_off = true;
	pi.lost_tag = 0x00030001;
	self = pi_open();
	device_vcio.close(self);
	ok(pi_asked("Ese"),
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
		   held_qpus_may_run() == in_doubt,
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
	void *self = pi_opened(PI_CACHED);
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
	void *self = pi_opened(PI_UNCACHED);

	pi.run_answer = FAILED;
	fails(self, DEVICE_TIMEOUT, "x", true,
	      "the QPUs did not start or did not come back within 300 ms "
	      "(0x80000000)");
	self = pi_opened(PI_UNCACHED);
	pi.run_error = ETIMEDOUT;
	fails(self, DEVICE_TIMEOUT, "x", true,
	      "the firmware did not answer when it was to run the programs: "
	      "Connection timed out");
	self = pi_opened(PI_UNCACHED);
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
	pi_begin(PI_UNCACHED);
	pi.enable_answer = FAILED;
	self = pi_open();
	pi.run_answer = 7;
	fails(self, DEVICE_REFUSED, "x", true, PI_REFUSES("0x00000007"));
}

/* Nothing of the memory may be used again while programs may write to it. */
static void
test_memory_after_failure(void)
{
	struct device_memory memory;
	void *self = pi_opened(PI_UNCACHED);
	int mapped;

	if (!device_vcio.alloc(self, 100, &memory, &why))
		exit(99);
	pi_run(self, 1, 0);
	mapped = pi.mapped;
	pi.run_answer = FAILED;
	pi_run(self, 1, 0);
	is(why.text,
	   "the QPUs did not start or did not come back within 700 ms "
	   "(0x80000000); nobody has seen them stop, so a process keeps their "
	   "memory until the next boot",
	   "after the last launch that failed it is told that memory is kept");
	device_vcio.free(self, &memory);
	device_vcio.close(self);
	ok(pi.mapped == mapped && pi_asked("EssxcxeP"),
	   "memory in doubt is not freed, the QPUs are switched off, and one "
	   "process keeps it");
}

static void
test_restart(void)
{
	void *self;

	pi_begin(PI_UNCACHED);
	pi.run_answer = FAILED;
	self = pi_open();
	pi_run(self, 1, 0);
	pi.run_answer = 0;
	ok(device_vcio.restart(self, &why) && pi_run(self, 1, 0) == DEVICE_OK,
	   "after a first launch that failed there is a second");
	ok(pi_asked("EsxeExc"), "QPUs are off and on before a second launch");
	pi.run_answer = FAILED;
	pi_run(self, 1, 0);
	ok(!device_vcio.restart(self, &why), "there is no third launch");
	device_vcio.close(self);

	self = pi_opened(PI_UNCACHED);
	pi_run(self, 1, 0);
	pi.run_answer = FAILED;
	pi_run(self, 1, 0);
	diag_set(&why, "none");
	ok(!device_vcio.restart(self, &why) && pi_count('E') == 1 &&
		   strcmp(why.text, "none") == 0,
	   "a later launch is not tried again");
	device_vcio.close(self);

	self = pi_opened(PI_UNCACHED);
	pi.run_answer = FAILED;
	pi_run(self, 1, 0);
	pi.enable_answer = 3;
	ok(!device_vcio.restart(self, &why) &&
		   strstr(why.text,
			  "refuses to enable the QPUs (0x00000003)") &&
		   strstr(why.text, "a process keeps their memory"),
	   "the answer to the second enable is told, and what becomes of memory");
	device_vcio.close(self);
}

static void
test_totals(void)
{
	struct device_totals totals;
	void *self = pi_opened(PI_UNCACHED);

	device_vcio.totals(self, &totals);
	ok(totals.busy_ms == 0 && totals.clock_hz == 0 && !totals.modelled &&
		   strcmp(totals.memory, "/dev/vcsm-cma") == 0,
	   "before a launch totals say where memory is from");
	pi.run_answer = FAILED;
	pi_run(self, 1, 0);
	pi.run_answer = 0;
	device_vcio.restart(self, &why);
	pi_run(self, 1, 0);
	pi.clock_hz = 1;
	pi.run_error = ETIMEDOUT;
	pi_run(self, 1, 0);
	device_vcio.totals(self, &totals);
	ok(totals.busy_ms >= 3 && totals.busy_ms <= 12 &&
		   totals.clock_hz == 250000000,
	   "totals have the time in launches, and the clock after the first");
	ok(totals.ncounters == 2 &&
		   strcmp(totals.counters[0].name, "restarts of the QPUs") ==
			   0 &&
		   totals.counters[0].value == 1 &&
		   totals.counters[1].value == 1,
	   "totals count restarts, and requests without an answer");
	device_vcio.close(self);
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
	void *self = pi_opened(PI_UNCACHED);

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
	void *self = pi_opened(PI_UNCACHED);

	held_release();
	pi_forget();
	ok(pi_run(self, 1, 0) == DEVICE_REFUSED && pi_asked("") &&
		   strcmp(why.text, "the program is about to end") == 0,
	   "nothing is run when the process is about to end");
	device_vcio.close(self);
}

int
main(void)
{
	test_open();
	test_balance();
	test_run();
	test_clock_state();
	test_unknown_power();
	test_failures();
	test_memory_after_failure();
	test_restart();
	test_totals();
	test_patience();
	test_end();
	pi_end();
	return tap_done();
}
