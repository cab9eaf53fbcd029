/* SPDX-License-Identifier: MIT */
/*
 * Promise: the emulated device has the memory and the QPUs that it was opened
 * with, and says how long a launch would have taken.
 */
#include "config.h"

#include "qpu/ways/emulated.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/asm/asm.h"
#include "qpu/emulator/emulator.h"
#include "qpu/isa/pack.h"
#include "qpu/ways/way.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

enum { GUARD = 65536, PIECES = 210 };

static struct diag why;

static void *
open_device(const char *options, unsigned *qpus)
{
	void *self = device_emu.open(options, qpus, &why);

	if (!self) {
		printf("Bail out! %s\n", why.text);
		exit(99);
	}
	return self;
}

static bool
alloc(void *self, size_t bytes, struct device_memory *memory)
{
	return device_emu.alloc(self, bytes, memory, &why);
}

/* The limit is that of all pieces together. */
static void
test_memory(void)
{
	struct device_memory pieces[3];
	unsigned qpus;
	void *self = open_device("mem=1", &qpus);

	ok(alloc(self, 768 << 10, &pieces[0]),
	   "three quarters of the memory can be had");
	ok(!alloc(self, (256 << 10) + 1, &pieces[1]) &&
		   strstr(why.text, "260 KiB more do not fit into its 1 MiB"),
	   "more memory than there is left is refused");
	ok(alloc(self, 256 << 10, &pieces[1]),
	   "the rest of the memory can be had");
	ok(!alloc(self, 1, &pieces[2]), "memory that is all taken is refused");
	device_emu.free(self, &pieces[1]);
	ok(alloc(self, 128 << 10, &pieces[1]) &&
		   alloc(self, 128 << 10, &pieces[2]),
	   "memory that is freed can be had again");
	device_emu.close(self);
}

/* Pages, with gaps between them, that belong to nobody. */
static void
test_places(void)
{
	static struct device_memory pieces[PIECES + 1];
	const long before = balance_now().mapped;
	unsigned qpus, n = 2;
	void *self = open_device("", &qpus);

	alloc(self, 1, &pieces[0]);
	alloc(self, 4097, &pieces[1]);
	ok(pieces[0].bytes == 4096 && pieces[1].bytes == 8192 &&
		   pieces[1].bus == pieces[0].bus + 4096 + GUARD,
	   "memory comes in whole pages, each piece after a gap of 64 KiB");
	while (n <= PIECES && alloc(self, 1, &pieces[n]))
		n++;
	ok(n == PIECES, "there are 210 pieces");
	is(why.text, "4 KiB more do not fit into its 64 MiB of memory",
	   "a piece too many is told");
	device_emu.free(self, &pieces[0]);
	ok(alloc(self, 1, &pieces[0]),
	   "a piece that is freed makes room for another");
	device_emu.close(self);
	ok(balance_now().mapped == before,
	   "closing the device unmaps all memory");
}

/* Memory that is freed, and memory that is left to close. */
static enum fault_outcome
use_device(void)
{
	struct device_memory pieces[3];
	unsigned qpus, n = 0;
	struct diag reason = { .text = "" };
	void *self = device_emu.open("mem=1", &qpus, &reason);

	if (!self)
		return *reason.text ? FAULT_TOLD : FAULT_WRONG;
	while (n < 3 &&
	       device_emu.alloc(self, 1 << (14 + n), &pieces[n], &reason))
		n++;
	if (n > 1)
		device_emu.free(self, &pieces[0]);
	device_emu.close(self);
	return n == 3 ? FAULT_WHOLE : *reason.text ? FAULT_TOLD : FAULT_WRONG;
}

static void
test_options(void)
{
	struct device_memory piece;
	unsigned qpus = 0;
	void *self;

	ok(!device_emu.open("qpus=0", &qpus, &why) &&
		   strstr(why.text, "'qpus=0' is none of") && qpus == 0,
	   "an option that is wrong is named");
	self = open_device("fault=alloc@2", &qpus);
	ok(alloc(self, 1, &piece) && !alloc(self, 1, &piece) &&
		   !alloc(self, 1, &piece),
	   "the fault alloc@2 refuses the second allocation and all after it");
	device_emu.close(self);
}

/* A program with this text. */
static struct device_program
load_text(void *self, const char *text)
{
	struct qpu_asm_program program;
	struct device_memory memory;

	if (!alloc(self, 4096, &memory) ||
	    !qpu_asm_text("t", text, strlen(text), NULL, &program))
		exit(99);
	for (size_t i = 0; i < program.nwords; i++)
		qpu_word_store((uint8_t *)memory.cpu + 8 * i,
			       program.words[i].word);
	qpu_asm_free(&program);
	return (struct device_program){ .code = memory.bus,
					.uniforms = memory.bus,
					.results = memory.bus,
					.result_rows = 1 };
}

/* A program of n instructions. */
static struct device_program
load(void *self, unsigned instructions)
{
	char text[256] = "";

	for (unsigned i = 3; i < instructions; i++)
		strcat(text, "nop\n");
	strcat(text, "thrend\nnop\nnop\n");
	return load_text(self, text);
}

static double
busy_ms(void *self)
{
	struct device_totals totals;

	device_emu.totals(self, &totals);
	return totals.busy_ms;
}

/* 250 MHz, 4 clocks an instruction, 85 us for a launch. */
static bool
took(double ms, unsigned launches, unsigned instructions)
{
	const double clocks = launches * 85 * 250.0 + 4.0 * instructions;

	return ms > (clocks - 0.5) / 250e3 && ms < (clocks + 0.5) / 250e3;
}

static void
test_launches(void)
{
	struct device_program programs[3];
	unsigned qpus = 0;
	void *self = open_device("qpus=2", &qpus);

	programs[0] = load(self, 3);
	programs[1] = programs[2] = load(self, 13);
	ok(qpus == 2, "a device has the number of QPUs that was asked for");
	ok(device_emu.run(self, programs, 2, 0, 100, &why) == DEVICE_OK &&
		   took(busy_ms(self), 1, 13),
	   "a launch takes as long as its longest program, and to be started");
	ok(device_emu.run(self, programs, 1, 0, 100, &why) == DEVICE_OK &&
		   took(busy_ms(self), 2, 16),
	   "the times of launches add up");
	ok(device_emu.run(self, programs, 3, 0, 100, &why) == DEVICE_REFUSED &&
		   strcmp(why.text, "3 programs for 2 QPUs") == 0,
	   "more programs than QPUs are refused");
	ok(device_emu.run(self, programs, 0, 0, 100, &why) == DEVICE_REFUSED &&
		   took(busy_ms(self), 2, 16),
	   "a launch without programs is refused");
	device_emu.close(self);
}

static struct device_totals
totals_of(void *self)
{
	struct device_totals totals;

	device_emu.totals(self, &totals);
	return totals;
}

/* What does not end, and what cannot go on. */
static void
test_ends(void)
{
	static const char *const forever = ":l\nbrr -, :l\nnop\nnop\nnop\n";
	struct device_program programs[2];
	unsigned qpus;
	void *self = open_device("qpus=2", &qpus);

	programs[0] = programs[1] = load_text(self, forever);
	ok(device_emu.run(self, programs, 2, 0, 1, &why) == DEVICE_TIMEOUT &&
		   totals_of(self).instructions == 2 * 62500,
	   "a millisecond is 62500 instructions of each QPU");
	device_emu.close(self);
	self = open_device("qpus=1,timed", &qpus);
	programs[0] = load_text(self, forever);
	ok(device_emu.run(self, programs, 1, 0, 1, &why) == DEVICE_TIMEOUT &&
		   totals_of(self).clocks > 249900 &&
		   totals_of(self).clocks <= 250000,
	   "a millisecond is 250000 clocks where these are counted");
	device_emu.close(self);
	self = open_device("qpus=1", &qpus);
	programs[0] = load_text(self, "mov -, sacq(0)\nthrend\nnop\nnop\n");
	ok(device_emu.run(self, programs, 1, 0, 1, &why) == DEVICE_TIMEOUT,
	   "a program that waits for ever is given up");
	device_emu.close(self);
	self = open_device("qpus=1", &qpus);
	programs[0] = load(self, 3);
	programs[0].code = 0x50000000;
	ok(device_emu.run(self, programs, 1, 0, 1, &why) != DEVICE_OK &&
		   strstr(why.text, "0x50000000"),
	   "a program whose code is nowhere is refused by its address");
	device_emu.close(self);
}

/* A result that is read too early. */
static void
test_check(void)
{
	static const char *const early =
		"mov ra0, 1\nmov r0, ra0\nthrend\nnop\nnop\n";
	struct device_program program;
	char place[64];
	unsigned qpus;
	void *self = open_device("qpus=1", &qpus);

	program = load_text(self, early);
	ok(device_emu.run(self, &program, 1, 0, 9, &why) == DEVICE_OK,
	   "a hazard is no failure without the option check");
	device_emu.close(self);
	self = open_device("qpus=1,check,seed=3", &qpus);
	program = load_text(self, early);
	ok(device_emu.run(self, &program, 1, 0, 9, &why) == DEVICE_FAULT,
	   "a hazard is a fault with the option check");
	snprintf(place, sizeof(place),
		 " in QPU 0 at 0x%08x: ", (unsigned)program.code + 8);
	ok(strstr(why.text, place) != NULL, "the place of a hazard is told: %s",
	   why.text);
	device_emu.close(self);
}

static void
test_totals(void)
{
	struct device_totals totals;
	struct device_program program;
	bool named = true;
	unsigned qpus;
	void *self = open_device("qpus=1", &qpus);

	totals = totals_of(self);
	ok(totals.modelled && !totals.timed && totals.ncounters == 0 &&
		   totals.busy_ms == 0 && totals.clocks == 0,
	   "without the option timed there are no counters");
	device_emu.close(self);
	self = open_device("qpus=1,timed", &qpus);
	program = load(self, 5);
	device_emu.run(self, &program, 1, 0, 9, &why);
	totals = totals_of(self);
	ok(totals.modelled && totals.timed && totals.instructions == 5 &&
		   totals.clocks >= 20 && totals.launch_clocks > 0 &&
		   totals.busy_ms * 250e3 >
			   (double)(totals.clocks + totals.launch_clocks) -
				   0.5 &&
		   totals.busy_ms * 250e3 <
			   (double)(totals.clocks + totals.launch_clocks) + 0.5,
	   "with the option timed the time is that of clocks and launches");
	for (unsigned i = 0; i < totals.ncounters; i++)
		named = named && totals.counters[i].name;
	ok(named && totals.ncounters > 10,
	   "counters of a timed device have names");
	device_emu.close(self);
}

int
main(void)
{
	test_memory();
	test_places();
	test_options();
	fault_each(FAULT_MEMORY, ENOMEM, use_device, "a device");
	fault_each(FAULT_mmap, ENOMEM, use_device, "a device's memory");
	test_launches();
	test_ends();
	test_check();
	test_totals();
	return tap_done();
}
