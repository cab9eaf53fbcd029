/* SPDX-License-Identifier: MIT */
/*
 * Promise: the emulated device has the memory and the QPUs that it was opened
 * with, and says how long a launch would have taken.
 */
#include "config.h"

#include "qpu/engine/device_emu.h"

#include <stdlib.h>

#include "qpu/asm/asm.h"
#include "qpu/device/device.h"
#include "qpu/isa/pack.h"
#include "tests/support/tap.h"

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

	ok(alloc(self, 768 << 10, &pieces[0]), "three quarters of the memory");
	ok(!alloc(self, (256 << 10) + 1, &pieces[1]) &&
		   strstr(why.text, "260 KiB more do not fit into its 1 MiB"),
	   "more than the rest is refused");
	ok(alloc(self, 256 << 10, &pieces[1]), "the rest can be had");
	ok(!alloc(self, 1, &pieces[2]), "then there is nothing left");
	device_emu.free(self, &pieces[1]);
	ok(alloc(self, 128 << 10, &pieces[1]) &&
		   alloc(self, 128 << 10, &pieces[2]),
	   "what is freed can be had again");
	ok(pieces[0].bus % DEVICE_PAGE == 0 &&
		   pieces[1].bus >= pieces[0].bus + pieces[0].bytes + 65536 &&
		   pieces[2].bus >= pieces[1].bus + pieces[1].bytes + 65536,
	   "between two pieces there is a gap");
	device_emu.close(self);
}

/* A program of so many instructions. */
static struct device_program
load(void *self, unsigned instructions)
{
	struct qpu_asm_program program;
	struct device_memory memory;
	char text[256] = "";

	for (unsigned i = 3; i < instructions; i++)
		strcat(text, "nop\n");
	strcat(text, "thrend\nnop\nnop\n");
	if (!alloc(self, 4096, &memory) ||
	    !qpu_asm_text("t", text, strlen(text), NULL, &program))
		exit(99);
	for (size_t i = 0; i < program.nwords; i++)
		qpu_word_store((uint8_t *)memory.cpu + 8 * i,
			       program.words[i].word);
	qpu_asm_free(&program);
	return (struct device_program){ .code = memory.bus,
					.uniforms = memory.bus };
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
	ok(qpus == 2, "as many QPUs as were asked for");
	ok(device_emu.run(self, programs, 2, 0, 100, &why) == DEVICE_OK &&
		   took(busy_ms(self), 1, 13),
	   "a launch takes as long as its longest program, and to be started");
	ok(device_emu.run(self, programs, 1, 0, 100, &why) == DEVICE_OK &&
		   took(busy_ms(self), 2, 16),
	   "launches add up");
	ok(device_emu.run(self, programs, 3, 0, 100, &why) == DEVICE_REFUSED &&
		   strcmp(why.text, "3 programs for 2 QPUs") == 0,
	   "more programs than QPUs are refused");
	ok(device_emu.run(self, programs, 0, 0, 100, &why) == DEVICE_REFUSED &&
		   took(busy_ms(self), 2, 16),
	   "and so are none");
	device_emu.close(self);
}

int
main(void)
{
	test_memory();
	test_launches();
	return tap_done();
}
