/* SPDX-License-Identifier: MIT */
/*
 * Promise: the emulated devices have the memory and the QPUs that they were opened
 * with, and say how long programs would have taken; in tiles a program of an
 * ordinary user runs for each pixel of its windows, and its samples are in memory
 * where the contract says.  Options are taken with both ends of what they may be.
 *
 * In tiles the kernel's driver is the model of it, with the emulated V3D behind it.
 */
#include "config.h"

#include "qpu/ways/emulated.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/asm/asm.h"
#include "qpu/emulator/emulator.h"
#include "qpu/isa/pack.h"
#include "qpu/ways/emulated_options.h"
#include "qpu/ways/way.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

enum { GUARD = 65536, PIECES = 210, CODE_WORDS = 64 };

static struct diag why;
static unsigned qpus; /* of the device that was opened last */

static void
stop(const char *what)
{
	printf("Bail out! %s: %s\n", what, why.text);
	exit(99);
}

static size_t
assemble(const char *text, uint64_t code[CODE_WORDS])
{
	struct qpu_asm_program program;
	size_t n = 0;

	if (!qpu_asm_text("program", text, strlen(text), NULL, &program) ||
	    program.nwords > CODE_WORDS)
		stop("it does not assemble");
	for (; n < program.nwords; n++)
		code[n] = program.words[n].word;
	qpu_asm_free(&program);
	return n;
}

#define USUAL .qpus = 12, .mem_mib = 64
#define FAULT(what, first, last)                                               \
	.fault.kind = (what), .fault.at = (first), .fault.until = (last)

static const struct {
	const char *text;
	struct emulated_options options;
} good[] = {
	{ "", { USUAL } },
	{ "qpus=1", { .qpus = 1, .mem_mib = 64 } },
	{ "mem=1", { .qpus = 12, .mem_mib = 1 } },
	{ "mem=1008", { .qpus = 12, .mem_mib = 1008 } },
	{ "check", { USUAL, .check = true } },
	{ "seed=18446744073709551615", { USUAL, .seed = UINT64_MAX } },
	{ "fault=refuse@18446744073709551615",
	  { USUAL, FAULT(DEVICE_REFUSES, UINT64_MAX, UINT64_MAX) } },
	{ "fault=lane@21.3.4,fault=stuck@3",
	  { USUAL, FAULT(DEVICE_STUCK_QPU, 3, 3) } },
	{ "fault=seal@4-6.0.7",
	  { USUAL, FAULT(DEVICE_SEAL_BIT_STUCK, 4, 6), .fault.names_lane = true,
	    .fault.lane = 7 } },
	{ "fault=data@20.11.15",
	  { USUAL, FAULT(DEVICE_CORRUPT_BEFORE, 20, 20),
	    .fault.names_lane = true, .fault.qpu = 11, .fault.lane = 15 } },
};

/* What is refused; its last word is named. */
static const char *const bad[] = {
	"qpus=0",
	"qpus=13",
	"mem=0",
	"mem=1009",
	"timed=1",
	"seed=18446744073709551616",
	"fault=fire@1",
	"fault=lane@0",
	"fault=lane@18446744073709551616",
	"fault=lane@3-2",
	"fault=lane@1-x",
	"fault=lane@1.12.0",
	"fault=lane@1.0.16",
	"fault=lane@1.0.0.0",
};

static bool
are_equal(const struct emulated_options *a, const struct emulated_options *b)
{
	return a->qpus == b->qpus && a->mem_mib == b->mem_mib &&
	       a->timed == b->timed && a->check == b->check &&
	       a->seed == b->seed && a->fault.kind == b->fault.kind &&
	       a->fault.at == b->fault.at && a->fault.until == b->fault.until &&
	       a->fault.names_lane == b->fault.names_lane &&
	       a->fault.qpu == b->fault.qpu && a->fault.lane == b->fault.lane;
}

static void
test_options(void)
{
	struct emulated_options options;

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		memset(&options, 0x55, sizeof(options));
		ok(emulated_options_parse(&options, EMULATED_LANES,
					  good[i].text, &why) &&
			   are_equal(&options, &good[i].options),
		   "'%s' is taken", good[i].text);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		const char *comma = strrchr(bad[i], ',');
		char text[96];

		snprintf(text, sizeof(text),
			 "'%s' is none of qpus=1..12, mem=1..1008, timed, "
			 "check, seed=N and fault=KIND@N",
			 comma ? comma + 1 : bad[i]);
		ok(!emulated_options_parse(&options, EMULATED_LANES, bad[i],
					   &why) &&
			   strncmp(why.text, text, strlen(text)) == 0,
		   "'%s' is refused, and named", bad[i]);
	}
}

/* In lanes -------------------------------------------------------------------- */

static void *
open_lanes(const char *options)
{
	void *self = device_emu.open(options, &qpus, &why);

	if (!self)
		stop(options);
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
	void *self = open_lanes("mem=1");

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
	unsigned n = 2;
	void *self = open_lanes("");

	alloc(self, 1, &pieces[0]);
	alloc(self, 4097, &pieces[1]);
	ok(pieces[0].bytes == 4096 && pieces[1].bytes == 8192 &&
		   pieces[1].bus == pieces[0].bus + 4096 + GUARD,
	   "memory comes in whole pages, each piece after a gap of 64 KiB");
	while (n <= PIECES && alloc(self, 1, &pieces[n]))
		n++;
	ok(n == PIECES, "there are 210 pieces");
	device_emu.close(self);
	self = open_lanes("fault=alloc@2");
	ok(alloc(self, 1, &pieces[0]) && !alloc(self, 1, &pieces[1]) &&
		   !alloc(self, 1, &pieces[1]),
	   "the fault alloc@2 refuses the second allocation and all after it");
	device_emu.close(self);
}

/* Memory that is freed, and memory that is left to close. */
static enum fault_outcome
use_lanes(void)
{
	struct device_memory pieces[3];
	unsigned n = 0;
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

/* A program with this text. */
static struct device_program
load_text(void *self, const char *text)
{
	struct device_memory memory;
	uint64_t code[CODE_WORDS];
	const size_t n = assemble(text, code);

	if (!alloc(self, 4096, &memory))
		stop("no memory");
	for (size_t i = 0; i < n; i++)
		qpu_word_store((uint8_t *)memory.cpu + 8 * i, code[i]);
	return (struct device_program){ .code = memory.bus,
					.uniforms = memory.bus,
					.results = memory.bus,
					.result_rows = 1 };
}

/* A program of n instructions. */
static struct device_program
load_nops(void *self, unsigned instructions)
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
	void *self = open_lanes("qpus=2");

	programs[0] = load_nops(self, 3);
	programs[1] = programs[2] = load_nops(self, 13);
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
	void *self = open_lanes("qpus=2");

	programs[0] = programs[1] = load_text(self, forever);
	ok(device_emu.run(self, programs, 2, 0, 1, &why) == DEVICE_TIMEOUT &&
		   totals_of(self).instructions == 2 * 62500,
	   "a millisecond is 62500 instructions of each QPU");
	device_emu.close(self);
	self = open_lanes("qpus=1,timed");
	programs[0] = load_text(self, forever);
	ok(device_emu.run(self, programs, 1, 0, 1, &why) == DEVICE_TIMEOUT &&
		   totals_of(self).clocks > 249900 &&
		   totals_of(self).clocks <= 250000,
	   "a millisecond is 250000 clocks where these are counted");
	device_emu.close(self);
	self = open_lanes("qpus=1");
	programs[0] = load_text(self, "mov -, sacq(0)\nthrend\nnop\nnop\n");
	ok(device_emu.run(self, programs, 1, 0, 1, &why) == DEVICE_TIMEOUT,
	   "a program that waits for ever is given up");
	device_emu.close(self);
	self = open_lanes("qpus=1");
	programs[0] = load_nops(self, 3);
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
	void *self = open_lanes("qpus=1");

	program = load_text(self, early);
	ok(device_emu.run(self, &program, 1, 0, 9, &why) == DEVICE_OK,
	   "a hazard is no failure without the option check");
	device_emu.close(self);
	self = open_lanes("qpus=1,check,seed=3");
	program = load_text(self, early);
	ok(device_emu.run(self, &program, 1, 0, 9, &why) == DEVICE_FAULT,
	   "a hazard is a fault with the option check");
	ok(strstr(why.text, " in QPU 0 at 0x41000008: "),
	   "the place of a hazard is told: %s", why.text);
	device_emu.close(self);
}

static void
test_totals(void)
{
	struct device_totals totals;
	struct device_program program;
	bool named = true;
	void *self = open_lanes("qpus=1");

	totals = totals_of(self);
	ok(totals.modelled && !totals.timed && totals.ncounters == 0 &&
		   totals.busy_ms == 0 && totals.clocks == 0,
	   "without the option timed there are no counters");
	device_emu.close(self);
	self = open_lanes("qpus=1,timed");
	program = load_nops(self, 5);
	device_emu.run(self, &program, 1, 0, 9, &why);
	totals = totals_of(self);
	ok(totals.modelled && totals.timed && totals.instructions == 5 &&
		   totals.clocks >= 20 && totals.launch_clocks > 0 &&
		   totals.busy_ms ==
			   (double)(totals.clocks + totals.launch_clocks) /
				   250e3,
	   "with the option timed the time is that of clocks and launches");
	for (unsigned i = 0; i < totals.ncounters; i++)
		named = named && totals.counters[i].name;
	ok(named && totals.ncounters > 10,
	   "counters of a timed device have names");
	device_emu.close(self);
}

/* In tiles -------------------------------------------------------------------- */

#define END "thrend\nnop\nsbdone\n"

/* Samples: a uniform, x, y, and a word of memory at 4 * (x & 15). */
static const char pixel_text[] = "mov r3, unif\n"
				 "shl r0, x_coord, 8\n"
				 "shl r0, r0, 8\n"
				 "shr r0, r0, 8\n"
				 "shr r0, r0, 8\n"
				 "and r1, r0, 15\n"
				 "shl r1, r1, 2\n"
				 "max r1, r1, 0\n"
				 "min r1, r1, unif\n"
				 "add t0s, r1, unif\n"
				 "mov r2, y_coord\n"
				 "ldtmu0\n"
				 "mov tlbm, r3\n"
				 "mov tlbm, r0\n"
				 "mov tlbm, r2\n"
				 "mov tlbm, r4\n" END;

static const struct tile_device *const device = &device_tiles_emulated;
static struct tile_memory results, data;
static struct tile_program pixel;

static struct tile_program
load(void *self, const char *text, unsigned uniforms, unsigned loads)
{
	struct tile_program program = { .uniforms = uniforms, .loads = loads };
	uint64_t code[CODE_WORDS];
	const size_t n = assemble(text, code);

	if (!device->load_program(self, code, n, &program, &why))
		stop("a program is refused");
	return program;
}

static void *
open_tiles(const char *options)
{
	void *self = device->open(options, &qpus, &why);

	if (!self || !device->alloc(self, 6 * TILE_BYTES, &results, &why) ||
	    !device->alloc(self, 4096, &data, &why))
		stop(options);
	for (uint32_t i = 0; i < 1024; i++)
		((uint32_t *)data.cpu)[i] = i * 0x01020304 + 5;
	pixel = load(self, pixel_text, 3, 1);
	return self;
}

/* The clamp lets 13 words be read, from the third on. */
static const uint32_t uniforms[] = { 0xdeadbeef, 12 * 4, 2 * 4 };
static const uint32_t others[] = { 7, 15 * 4, 0 };
static const struct tile_memory *const loads[] = { &data };

static uint32_t
loaded(unsigned x, const uint32_t words[3])
{
	unsigned index = x & 15;

	if (index > words[1] / 4)
		index = words[1] / 4;
	return (index + words[2] / 4) * 0x01020304 + 5;
}

static uint32_t
word(const struct tile_job *job, unsigned x, unsigned y, unsigned sample)
{
	const uint32_t *words = results.cpu;

	return words[job->offset / 4 + tile_word(job->tiles_x, x, y, sample)];
}

/* Are all words those of the last draw whose window has the pixel, or the clear
 * word? */
static bool
is_drawn(const struct tile_job *job)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < job->tiles_x * job->tiles_y * TILE_BYTES / 4;
	     i++) {
		const unsigned sample = i % 4, pixel_at = i / 4;
		const unsigned x = pixel_at % (job->tiles_x * TILE_PIXELS);
		const unsigned y = pixel_at / (job->tiles_x * TILE_PIXELS);
		uint32_t expected = job->clear;

		for (unsigned d = 0; d < job->ndraws; d++) {
			const struct tile_draw *draw = &job->draws[d];

			if (x < draw->x || x >= draw->x + draw->width ||
			    y < draw->y || y >= draw->y + draw->height)
				continue;
			expected = sample == 0 ? draw->uniforms[0] :
				   sample == 1 ? x :
				   sample == 2 ? y :
						 loaded(x, draw->uniforms);
		}
		if (word(job, x, y, sample) != expected && wrong++ == 0)
			tap_note("at %u, %u sample %u: %08x, not %08x", x, y,
				 sample, word(job, x, y, sample), expected);
	}
	return wrong == 0;
}

static enum device_status
run(void *self, const struct tile_job *job)
{
	uint64_t ticket;
	enum device_status status = device->submit(self, job, &ticket, &why);

	return status == DEVICE_OK ? device->wait(self, ticket, 5000, &why) :
				     status;
}

static struct tile_draw whole_tile = { &pixel, uniforms, loads, 0, 0, 32, 32 };
static struct tile_job one_tile = { .draws = &whole_tile,
				    .ndraws = 1,
				    .results = &results,
				    .tiles_x = 1,
				    .tiles_y = 1,
				    .clear = 0xc1ea4ed0 };

static void
test_pixels(const char *options)
{
	void *self = open_tiles(options);
	struct tile_draw draws[] = { { &pixel, uniforms, loads, 0, 0, 96, 64 },
				     { &pixel, others, loads, 30, 5, 41, 29 } };
	struct tile_job job = { .draws = draws,
				.ndraws = 1,
				.results = &results,
				.tiles_x = 3,
				.tiles_y = 2,
				.clear = 1 };
	struct device_totals totals;

	ok(run(self, &one_tile) == DEVICE_OK && is_drawn(&one_tile),
	   "all words of a whole tile are those of the program (%s)", options);
	ok(run(self, &job) == DEVICE_OK && is_drawn(&job),
	   "all words of six tiles are those of the program (%s)", options);
	draws[0].x = 7;
	draws[0].width = 60;
	draws[0].y = 31;
	draws[0].height = 2;
	job.ndraws = 2;
	job.clear = 0xffffffff;
	ok(run(self, &job) == DEVICE_OK && is_drawn(&job),
	   "windows cut what is drawn, also within quads, and what is left is "
	   "clear (%s)",
	   options);
	device->totals(self, &totals);
	ok(totals.launch_clocks == (strstr(options, "timed") ? 3 * 32500 : 0),
	   "a job that finds the queue empty costs 0.13 ms if the device is "
	   "timed (%s)",
	   options);
	device->close(self);
}

static void
test_queue(void)
{
	void *self = open_tiles("tiles");
	struct tile_job second = one_tile;
	uint64_t tickets[2];

	second.offset = TILE_BYTES;
	second.clear = 2;
	ok(device->submit(self, &one_tile, &tickets[0], &why) == DEVICE_OK &&
		   device->submit(self, &second, &tickets[1], &why) ==
			   DEVICE_OK &&
		   tickets[0] > 0 && tickets[1] > tickets[0],
	   "two jobs are in the queue");
	ok(device->wait(self, tickets[1], 5000, &why) == DEVICE_OK &&
		   is_drawn(&one_tile) && is_drawn(&second),
	   "jobs have ended when a later one has");
	ok(device->wait(self, tickets[0], 0, &why) == DEVICE_OK,
	   "a job that has ended is not waited for");
	device->close(self);
}

static void
test_failures(void)
{
	ok(!device->open("tiles,fault=alloc@1", &qpus, &why) &&
		   strstr(why.text, "contiguous memory"),
	   "a device without memory does not open");
	ok(!device->open("tiles,mem=8", &qpus, &why) &&
		   strstr(why.text, "17 MiB are needed"),
	   "a device needs the binner's memory, too");
	ok(!device->open("tiles,fault=lane@1", &qpus, &why) &&
		   strstr(why.text, "is none of tiles, qpus=1..12") &&
		   !device->open("tiles,qpus=0", &qpus, &why),
	   "a fault that this device has not is refused, and 0 QPUs are");
}

int
main(void)
{
	test_options();
	test_memory();
	test_places();
	fault_each(FAULT_MEMORY, ENOMEM, use_lanes, "a device");
	fault_each(FAULT_mmap, ENOMEM, use_lanes, "a device's memory");
	test_launches();
	test_ends();
	test_check();
	test_totals();
	test_pixels("tiles");
	test_pixels("tiles,check,seed=1");
	test_pixels("tiles,timed,qpus=5");
	test_queue();
	test_failures();
	return tap_done();
}
