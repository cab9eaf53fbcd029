/* SPDX-License-Identifier: MIT */
/*
 * Starting programs by registers, seen from plain memory in their place:
 * what is written there stays, and nothing runs.  Offsets are literal.
 */
#include "config.h"

#include "qpu/device_vcio_registers.h"
#include "tests/tap.h"

enum {
	IDENT0 = 0x000, L2CACTL = 0x020, SLCACTL = 0x024,
	SRQPC = 0x430, SRQUA = 0x434, SRQUL = 0x438, SRQCS = 0x43c,
	DBCFG = 0xe00, DBQITE = 0xe2c, DBQITC = 0xe30
};

static uint32_t page[1024];
static const struct registers registers = { .base = page };

static uint32_t
at(unsigned offset)
{
	return page[offset / 4];
}

/* As the firmware leaves it. */
static void
reset(void)
{
	memset(page, 0, sizeof(page));
	page[IDENT0 / 4] = 0x02443356;
	page[DBCFG / 4] = 0x21;
	page[DBQITE / 4] = 0x0fff;
	page[SRQUL / 4] = 0x123;
}

static const struct device_program programs[2] = {
	{ .code = 0xde001000, .uniforms = 0xde002000 },
	{ .code = 0xde003000, .uniforms = 0xde004000 }
};

int
main(void)
{
	const struct registers none = { .base = NULL };

	reset();
	ok(registers_answer(&registers), "a V3D is known by its name");
	page[IDENT0 / 4] = 0xdeadbeef;
	ok(!registers_answer(&registers), "one without power is not there");
	ok(!registers_answer(&none), "nor is one that could not be mapped");

	/* What resets the count of ends, bit 16, reads as one end here. */
	reset();
	ok(registers_run(&registers, programs, 1, 1000), "one program ends");
	ok(at(SRQUA) == 0xde002000 && at(SRQPC) == 0xde001000,
	   "it was started with its uniforms");
	ok(at(SRQCS) == 0x10180, "errors, requests and ends were reset");
	ok(at(L2CACTL) == 4 && at(SLCACTL) == 0x0f0f0f0f,
	   "all caches were cleared");
	ok(at(DBCFG) == 0x21 && at(DBQITE) == 0x0fff,
	   "interrupts are the firmware's again");
	ok(at(DBQITC) == 0xffff, "and none of ours is left");
	ok(at(SRQUL) == 0x123, "the limit of uniforms is left alone");

	reset();
	ok(!registers_run(&registers, programs, 2, 1),
	   "two programs of which one does not end");
	ok(at(SRQUA) == 0xde004000 && at(SRQPC) == 0xde003000,
	   "both were started");
	ok(at(DBCFG) == 0 && at(DBQITE) == 0,
	   "after a timeout nothing is touched");
	return tap_done();
}
