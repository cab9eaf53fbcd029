/* SPDX-License-Identifier: MIT */
/*
 * Promise: whatever board, kernel or firmware refuse the driver, the reason is
 * told in one sentence, and everything that was taken goes back; how long
 * launches may take, and what is told of them.
 */
#include "config.h"

#include "qpu/driver/vcio.h"

#include "src/base/engine_speed.h"
#include "tests/driver/vcio-double.h"

#define REFUSES(answer)                                                        \
	"the firmware refuses to enable the QPUs (" answer "): look for "      \
	"dtoverlay=vc4-kms-v3d or vc4-fkms-v3d, gpu_mem=16 and start_file in " \
	"/boot/firmware/config.txt (older systems: /boot/config.txt), then "   \
	"reboot"

/* With other handles than before: memory that was kept has its own. */
static void
begin(void)
{
	static uint32_t handle;

	reset();
	world.handle = handle += MEMORIES;
}

static bool
signals_are_usual(void)
{
	struct sigaction action;

	return sigaction(SIGTERM, NULL, &action) == 0 &&
	       action.sa_handler == SIG_DFL &&
	       sigaction(SIGTSTP, NULL, &action) == 0 &&
	       action.sa_handler == SIG_DFL;
}

/* It does not open, for a reason, after what was asked; nothing is left. */
static void
does_not_open(const char *options, const char *events, const char *reason)
{
	const unsigned descriptors = count_descriptors();
	unsigned qpus = 77;

	why.text[0] = '\0';
	ok(!device_vcio.open(options, &qpus, &why) && qpus == 77 &&
		   strcmp(world.events, events) == 0,
	   "'%s' does not open, after '%s'", options, world.events);
	is(why.text, reason, "and that is why");
	ok(count_descriptors() == descriptors && world.mapped == 0 &&
		   !world.block && signals_are_usual(),
	   "nothing is left behind");
	begin();
}

static void
test_open(void)
{
	begin();
	world.no_calloc = true;
	does_not_open("", "", "out of memory");
	does_not_open("fast", "",
		      "'fast' is none of mailbox, registers, short and "
		      "counters");
	world.no_board = true;
	does_not_open("", "", "no board");
	world.lock_error = EBUSY;
	does_not_open("", "", "locked");
	world.gpu_mib = 16;
	does_not_open("", "",
		      "gpu_mem is 16 MiB, and the firmware for so little has "
		      "no QPUs: put gpu_mem=64 into /boot/firmware/config.txt "
		      "(older systems: /boot/config.txt) and reboot");
	world.mem_error[0] = EACCES;
	does_not_open("", "", "/dev/mem: Permission denied");
	world.mem_error[1] = EACCES;
	does_not_open("registers", "",
		      "the registers of the QPUs cannot be mapped through "
		      "/dev/mem: Permission denied");
	world.no_registers = true;
	does_not_open("counters,registers", "",
		      "the registers of the QPUs cannot be mapped through "
		      "/dev/mem: Operation not permitted");
	world.enable_error = EIO;
	does_not_open("", "E",
		      "the firmware cannot be asked to enable the QPUs: "
		      "Input/output error");
	world.enable_answer = 5;
	does_not_open("", "E", REFUSES("0x00000005"));
	world.enable_answer = 5;
	world.has_registers = true;
	does_not_open("", "E", REFUSES("0x00000005"));
	world.enable_answer = MAILBOX_FAILED;
	does_not_open("", "E", REFUSES("0x80000000"));
	world.no_memory = true;
	does_not_open("", "Eae",
		      "the firmware has no 4 KiB for the QPUs: a larger "
		      "gpu_mem in /boot/firmware/config.txt (older systems: "
		      "/boot/config.txt) helps");
	world.failing_controls = 1;
	does_not_open("", "Ee", "no piece");
	world.kind = MEMORY_CACHED;
	world.failing_controls = 2;
	does_not_open("", "Ee", "no piece");
}

/* What is tried, and what does without it. */
static void
test_choices(void)
{
	static const struct {
		const char *options;
		int opens;
		bool usable;
	} rows[] = { { "mailbox", 1, true },
		     { "", 2, true },
		     { "mailbox,counters", 2, true },
		     { "short", 2, true },
		     { "registers", 2, false } };
	unsigned qpus;
	void *self;

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		begin();
		world.no_registers = true;
		self = device_vcio.open(rows[i].options, &qpus, &why);
		ok(!self == !rows[i].usable && world.mem_opens == rows[i].opens,
		   "'%s' %s registers", rows[i].options,
		   rows[i].usable ? "does without" : "needs");
		if (self)
			device_vcio.close(self);
	}
	begin();
	world.has_registers = true;
	world.enable_answer = MAILBOX_FAILED;
	self = open_device("");
	world.run_answer = MAILBOX_FAILED;
	ok(run(self, 1, 0) == DEVICE_TIMEOUT,
	   "QPUs that are seen to be on are not doubted");
	device_vcio.close(self);

	begin();
	ok(device_vcio.probe(&why), "a board with QPUs can be probed");
	world.no_board = true;
	ok(!device_vcio.probe(&why) && strcmp(why.text, "no board") == 0,
	   "and another one");
}

/* A launch fails; and no other, no memory, and no restart is to be had. */
static void
fails(void *self, enum device_status status, const char *reason,
      const char *events)
{
	struct device_memory memory;

	memset(world.events, 0, sizeof(world.events));
	world.nevents = 0;
	ok(run(self, 2, 100) == status && strcmp(world.events, events) == 0 &&
		   claims_in_doubt(),
	   "a launch fails: '%s'", world.events);
	is(why.text, reason, "that is why");
	ok(run(self, 1, 0) == DEVICE_REFUSED &&
		   strcmp(why.text, "the QPUs have failed") == 0,
	   "there is no other");
	why.text[0] = '\0';
	ok(!device_vcio.alloc(self, 1, &memory, &why) &&
		   strcmp(why.text, "the QPUs have failed") == 0,
	   "no memory is taken");
	device_vcio.close(self);
	ok(world.mapped == 1, "and what may be written to is kept");
}

static void
test_launches(void)
{
	void *self;

	begin();
	self = open_device("mailbox");
	why.text[0] = '\0';
	ok(run(self, 0, 0) == DEVICE_REFUSED &&
		   strcmp(why.text, "a run has 1 to 12 programs") == 0 &&
		   run(self, 13, 0) == DEVICE_REFUSED && !claims_in_doubt(),
	   "0 and 13 programs are refused, and nothing has failed");
	ok(device_vcio.run(self, (struct device_program[12]){ { 0 } }, 12, 0,
			   100, &why) == DEVICE_OK &&
		   world.values[0] == 12,
	   "12 are run");
	world.run_answer = MAILBOX_FAILED;
	fails(self, DEVICE_TIMEOUT,
	      "the QPUs did not start or did not come back within 300 ms "
	      "(0x80000000)",
	      "fx");
	begin();
	self = open_device("mailbox");
	world.is_late = true;
	fails(self, DEVICE_TIMEOUT,
	      "the firmware did not answer when it was to run the programs: "
	      "Connection timed out",
	      "fx");
	begin();
	self = open_device("mailbox");
	world.run_error = EIO;
	fails(self, DEVICE_REFUSED,
	      "the firmware did not answer when it was to run the programs: "
	      "Input/output error",
	      "fx");
	begin();
	self = open_device("mailbox");
	world.flush_error = EIO;
	fails(self, DEVICE_REFUSED,
	      "the CPU's caches cannot be written back: Input/output error",
	      "f");
	begin();
	self = open_device("mailbox");
	world.refresh_error = EIO;
	fails(self, DEVICE_FAULT,
	      "results are behind the CPU's caches: Input/output error", "fxR");
	begin();
	world.enable_answer = MAILBOX_FAILED;
	self = open_device("mailbox");
	world.run_answer = 7;
	fails(self, DEVICE_REFUSED, REFUSES("0x00000007"), "fx");
}

static void
test_registers(void)
{
	void *self;

	begin();
	world.has_registers = true;
	self = open_device("registers");
	ok(run(self, 2, 50) == DEVICE_TIMEOUT && count('x') == 0,
	   "a launch by registers that does not end");
	is(why.text,
	   "the QPUs, started by registers, did not come back within 300 ms",
	   "is told");
	device_vcio.close(self);
	begin();
	world.has_registers = true;
	self = open_device("registers");
	world.flush_error = EIO;
	ok(run(self, 1, 50) == DEVICE_REFUSED && strstr(why.text, "caches"),
	   "none begins with data in the caches");
	device_vcio.close(self);
	begin();
	world.has_registers = true;
	self = open_device("");
	ok(run(self, 1, 1) == DEVICE_OK && count('x') == 0 &&
		   run(self, 1, 2) == DEVICE_OK && count('x') == 1,
	   "short launches are by registers, others by mailbox");
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
	bool good = true;
	void *self;

	begin();
	self = open_device("mailbox");
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		device_vcio.run(self, programs, 1, rows[i].expected_ms,
				rows[i].timeout_ms, &why);
		if (world.values[3] == rows[i].ms)
			continue;
		tap_note("%g: %u", rows[i].expected_ms,
			 (unsigned)world.values[3]);
		good = false;
	}
	ok(good, "launches get three times what they should take, within "
		 "300 and 700 ms");
	device_vcio.close(self);
}

static void
test_totals(void)
{
	struct device_totals totals;
	void *self;

	begin();
	world.has_registers = true;
	self = open_device("counters");
	device_vcio.totals(self, &totals);
	ok(totals.busy_ms == 0 && totals.clock_hz == 0 &&
		   totals.ncounters == 2 && totals.counters[0].value == 0 &&
		   totals.counters[1].value == 0 && !totals.modelled,
	   "before a launch there is nothing to tell");
	ok(strcmp(totals.memory, "/dev/mem, not cached") == 0 &&
		   totals.write_rate == 0,
	   "but where memory is from");
	world.tick = 0;
	world.now = 5 * (uint64_t)CLOCK_NS_PER_S;
	run(self, 1, 0);
	world.tick = CLOCK_NS_PER_MS;
	ok(count('c') == 1, "the clock is asked after the first launch");
	run(self, 1, 0.5);
	device_vcio.totals(self, &totals);
	ok(totals.busy_ms >= 1 && totals.busy_ms <= 5 &&
		   totals.clock_hz == 250000000 && totals.ncounters == 2 + 13 &&
		   strcmp(totals.counters[0].name, "launches by registers") ==
			   0 &&
		   totals.counters[0].value == 1 &&
		   strcmp(totals.counters[1].name, "restarts of the QPUs") == 0,
	   "launches, their time, and what was counted");
	run(self, 2, 0.5);
	*world.registers = 0xdeadbeef;
	ok(device_vcio.restart(self, &why), "registers allow a restart");
	device_vcio.totals(self, &totals);
	ok(totals.counters[1].value == 1, "which is counted");
	device_vcio.close(self);

	begin();
	self = open_device("mailbox");
	world.tick = 0;
	world.now = 5 * (uint64_t)CLOCK_NS_PER_S;
	run(self, 1, 0);
	world.now += CLOCK_NS_PER_S - 1;
	run(self, 1, 0);
	ok(count('c') == 1, "the clock is not asked within a second");
	world.now++;
	run(self, 1, 0);
	ok(count('c') == 2, "and then it is");
	device_vcio.close(self);
}

static void
test_restarts(void)
{
	void *self;

	begin();
	self = open_device("mailbox");
	run(self, 1, 0);
	world.run_answer = MAILBOX_FAILED;
	run(self, 1, 0);
	why.text[0] = '\0';
	ok(!device_vcio.restart(self, &why) && count('e') == 0 &&
		   strcmp(why.text, "the QPUs have failed") == 0,
	   "later launches by mailbox are not tried again");
	device_vcio.close(self);

	begin();
	world.has_registers = true;
	self = open_device("mailbox,counters");
	run(self, 1, 0);
	run(self, 1, 0);
	*world.registers = 0xdeadbeef;
	ok(!device_vcio.restart(self, &why),
	   "not even where registers are mapped");
	device_vcio.close(self);

	begin();
	self = open_device("mailbox");
	world.run_answer = MAILBOX_FAILED;
	run(self, 1, 0);
	world.enable_answer = 3;
	ok(!device_vcio.restart(self, &why), "QPUs that are not enabled again");
	is(why.text, REFUSES("0x00000003"), "and why");
	device_vcio.close(self);

	begin();
	world.has_registers = true;
	self = open_device("");
	run(self, 1, 0);
	run(self, 2, 0.5);
	*world.registers = 0xdeadbeef;
	ok(device_vcio.restart(self, &why), "later ones by registers are");
	*world.registers = IDENT0;
	ok(run(self, 1, 0) == DEVICE_OK && count('x') == 1,
	   "then all are by registers");
	device_vcio.close(self);
}

static void
test_ends(void)
{
	struct device_memory memory, other;
	void *self;

	begin();
	self = open_device("mailbox");
	ok(device_vcio.alloc(self, 1 << 20, &memory, &why) &&
		   memory.bytes == 1 << 20 && world.mapped == 2,
	   "memory is mapped");
	memset(memory.cpu, 3, memory.bytes);
	device_vcio.publish(self, &memory);
	device_vcio.free(self, &memory);
	ok(count('r') == 1 && world.mapped == 1 && world.unwiped == 0,
	   "wiped when it is freed");
	device_vcio.alloc(self, 4096, &other, &why);
	memset(other.cpu, 3, other.bytes);
	run(self, 2, 0);
	device_vcio.close(self);
	ok(world.mapped == 0 && world.unwiped == 0 && count('r') == 3 &&
		   !world.block,
	   "and when the device is closed");

	begin();
	self = open_device("mailbox");
	claims_release();
	ok(run(self, 1, 0) == DEVICE_REFUSED && count('x') == 0 &&
		   strcmp(why.text, "the program is about to end") == 0,
	   "nothing is run when the process is about to end");
	device_vcio.close(self);
}

static void
test_speed(void)
{
	struct engine_speed speed = { .lanes = 3 };

	begin();
	ok(device_vcio_speed(&speed) == 250 && speed.lanes == 0 &&
		   speed.core_rate == 45e6 && speed.copy_rate == 30e6,
	   "the board's clock and speeds, with memory of /dev/mem");
	world.kind = MEMORY_VCSM;
	ok(device_vcio_speed(&speed) == 250 && speed.copy_rate == 700e6,
	   "and with the kernel's");
	world.no_board = true;
	ok(device_vcio_speed(&speed) == 0 && speed.core_rate == 0,
	   "all is 0 where there is none");
}

int
main(void)
{
	test_open();
	test_choices();
	test_launches();
	test_registers();
	test_patience();
	test_totals();
	test_restarts();
	test_ends();
	test_speed();
	return tap_done();
}
