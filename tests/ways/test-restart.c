/* SPDX-License-Identifier: MIT */
/*
 * Promise: after a failure the QPUs are started again once, by registers or by
 * mailbox, where that is safe; otherwise the reason is told.  Totals count it.
 */
#include "config.h"

#include "qpu/ways/vcio.h"

#include "qpu/ways/way.h"
#include "tests/support/tap.h"
#include "tests/ways/pi.h"

#define FAILED 0x80000000u

/* --- Restarts ------------------------------------------------------------- */

static void
test_restart(void)
{
	void *self;

	pi_begin(PI_DEV_MEM);
	pi.run_answer = FAILED;
	self = pi_open("mailbox");
	pi_run(self, 1, 0);
	pi.run_answer = 0;
	ok(device_vcio.restart(self, &why) && pi_run(self, 1, 0) == DEVICE_OK,
	   "after a first launch that failed there is a second");
	ok(pi_asked("EaxeExc"), "QPUs are off and on before a second launch");
	pi.run_answer = FAILED;
	pi_run(self, 1, 0);
	ok(!device_vcio.restart(self, &why), "there is no third launch");
	device_vcio.close(self);

	self = pi_opened(PI_UNCACHED, "mailbox");
	pi_run(self, 1, 0);
	pi.run_answer = FAILED;
	pi_run(self, 1, 0);
	is(why.text,
	   "the QPUs did not start or did not come back within 700 ms "
	   "(0x80000000); nobody has seen them stop, so a process keeps their "
	   "memory until the next boot",
	   "after the last launch that failed it is told that memory is kept");
	pi_forget();
	device_vcio.close(self);
	ok(pi_asked("P"), "memory in doubt is kept by one process");

	self = pi_opened(PI_DEV_MEM, "mailbox");
	pi_run(self, 1, 0);
	pi.run_answer = FAILED;
	pi_run(self, 1, 0);
	diag_set(&why, "none");
	ok(!device_vcio.restart(self, &why) && pi_count('E') == 1 &&
		   strcmp(why.text, "none") == 0,
	   "a later launch by mailbox is not tried again");
	device_vcio.close(self);

	self = pi_opened_by_registers("mailbox,counters");
	pi_run(self, 1, 0);
	pi_run(self, 1, 0);
	*pi.registers = PI_NO_POWER;
	ok(!device_vcio.restart(self, &why),
	   "a later launch by mailbox is not tried again, although registers "
	   "are mapped");
	device_vcio.close(self);

	pi_begin(PI_DEV_MEM);
	pi.has_registers = true;
	pi.run_answer = FAILED;
	self = pi_open("mailbox,counters");
	pi_run(self, 1, 0);
	*pi.registers = PI_NO_POWER;
	ok(device_vcio.restart(self, &why),
	   "a first launch by mailbox is tried again, although registers are "
	   "mapped");
	*pi.registers = PI_IDENT0;
	pi.run_answer = 0;
	ok(pi_run(self, 1, 0.5) == DEVICE_OK && pi_count('x') == 2,
	   "launches stay by mailbox after a restart if that is wanted");
	device_vcio.close(self);

	self = pi_opened(PI_DEV_MEM, "mailbox");
	pi.run_answer = FAILED;
	pi_run(self, 1, 0);
	pi.enable_answer = 3;
	ok(!device_vcio.restart(self, &why),
	   "QPUs that cannot be enabled again are not restarted");
	is(why.text, PI_REFUSES("0x00000003"),
	   "the answer to the second enable is told");
	device_vcio.close(self);

	self = pi_opened_by_registers("");
	pi_run(self, 1, 0);
	pi_run(self, 2, 0.5);
	*pi.registers = PI_NO_POWER;
	ok(device_vcio.restart(self, &why),
	   "a later launch by registers is tried again");
	*pi.registers = PI_IDENT0;
	ok(pi_run(self, 1, 0) == DEVICE_OK && pi_count('x') == 1,
	   "after a restart all launches are by registers");
	device_vcio.close(self);
}

/* --- What is told --------------------------------------------------------- */

static void
test_totals(void)
{
	struct device_totals totals;
	void *self = pi_opened_by_registers("counters");

	device_vcio.totals(self, &totals);
	ok(totals.busy_ms == 0 && totals.clock_hz == 0 &&
		   totals.ncounters == 3 && totals.counters[0].value == 0 &&
		   totals.counters[1].value == 0 && !totals.modelled,
	   "before a launch all totals are 0");
	ok(strcmp(totals.memory, "/dev/mem, not cached") == 0 &&
		   totals.write_rate == 0,
	   "totals say where memory is from");
	pi_run(self, 1, 0);
	pi_run(self, 1, 0.5);
	device_vcio.totals(self, &totals);
	ok(totals.busy_ms >= 2 && totals.busy_ms <= 8 &&
		   totals.clock_hz == 250000000 && totals.ncounters == 3 + 13,
	   "totals have the time in launches, the clock, and 13 counters");
	ok(strcmp(totals.counters[0].name, "launches by registers") == 0 &&
		   totals.counters[0].value == 1 &&
		   strcmp(totals.counters[1].name, "restarts of the QPUs") == 0,
	   "totals count launches by registers, and restarts");
	pi_run(self, 2, 0.5);
	*pi.registers = PI_NO_POWER;
	device_vcio.restart(self, &why);
	device_vcio.totals(self, &totals);
	ok(totals.counters[1].value == 1, "a restart is counted");
	device_vcio.close(self);
}

int
main(void)
{
	test_restart();
	test_totals();
	pi_end();
	return tap_done();
}
