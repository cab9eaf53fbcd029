/* SPDX-License-Identifier: MIT */
/*
 * Promise: a program of an ordinary user runs for each pixel of its windows,
 * and its samples are in memory where the contract says; what goes wrong in the
 * kernel is seen in the results or told.  The options of an emulated device are
 * taken with both ends of what they may be; one that is refused is named.
 *
 * The kernel's driver is the model of it, with the emulated V3D behind it.
 */
#include "config.h"

#include "qpu/ways/emulated.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/asm/asm.h"
#include "qpu/ways/emulated_options.h"
#include "qpu/ways/way.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

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
static struct diag why;
static struct tile_memory results, data;
static struct tile_program pixel;

static void
stop(const char *what)
{
	printf("Bail out! %s: %s\n", what, why.text);
	exit(99);
}

static struct tile_program
load(void *self, const char *text, unsigned uniforms, unsigned loads)
{
	struct tile_program program = { .uniforms = uniforms, .loads = loads };
	struct qpu_asm_program assembled;
	uint64_t code[64];

	if (!qpu_asm_text("program", text, strlen(text), NULL, &assembled) ||
	    assembled.nwords > 64)
		stop("it does not assemble");
	for (size_t i = 0; i < assembled.nwords; i++)
		code[i] = assembled.words[i].word;
	if (!device->load_program(self, code, assembled.nwords, &program, &why))
		stop("a program is refused");
	qpu_asm_free(&assembled);
	return program;
}

static void *
open_device(const char *options)
{
	unsigned qpus;
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
	void *self = open_device(options);
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
	void *self = open_device("tiles");
	struct tile_job second = one_tile;
	struct device_totals totals;
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
	device->totals(self, &totals);
	ok(totals.modelled && totals.instructions > 2 * 64 * 19 &&
		   totals.busy_ms > 0,
	   "instructions of all threads are counted");
	device->close(self);
}

static void
test_failures(void)
{
	unsigned qpus;

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

static void
use_device(void)
{
	void *self = open_device("tiles,timed,check,seed=3");

	run(self, &one_tile);
	device->close(self);
}

/* In the order of enum device_fault. */
#define KINDS                                                                  \
	"lane, once, stores, row, stale, swap, short, nothing, data, late, "   \
	"page, stuck, refuse, alloc, code, constant, uniforms, job, "          \
	"pointers, begins, next, lengths, segments, between, old, neighbour, " \
	"bit, seal, stray, register, registers, skip, glitch, sticks, alu16, " \
	"alu20, mulpack, caches, slices, l2, part, l2bit, tmubit or address"
#define NONE_OF                                                                \
	" is none of qpus=1..12, mem=1..1008, timed, check, seed=N"            \
	" and fault=KIND@N[-[M]][.QPU.LANE] with " KINDS

#define USUAL .qpus = 12, .mem_mib = 64
#define FAULT(what, first, last)                                               \
	.fault.kind = (what), .fault.at = (first), .fault.until = (last)

static const struct {
	const char *text;
	struct emulated_options options;
} good[] = {
	{ "", { USUAL } },
	{ "qpus=1", { .qpus = 1, .mem_mib = 64 } },
	{ "qpus=3,qpus=07", { .qpus = 7, .mem_mib = 64 } },
	{ "mem=1", { .qpus = 12, .mem_mib = 1 } },
	{ "mem=1008", { .qpus = 12, .mem_mib = 1008 } },
	{ "timed", { USUAL, .timed = true } },
	{ "check", { USUAL, .check = true } },
	{ "seed=18446744073709551615", { USUAL, .seed = UINT64_MAX } },
	{ "fault=refuse@18446744073709551615",
	  { USUAL, FAULT(DEVICE_REFUSES, UINT64_MAX, UINT64_MAX) } },
	{ "fault=lane@21.3.4,fault=stuck@3",
	  { USUAL, FAULT(DEVICE_STUCK_QPU, 3, 3) } },
	{ "fault=late@1.0.0,seed=5",
	  { USUAL, .seed = 5, FAULT(DEVICE_CORRUPT_LATE, 1, 1),
	    .fault.names_lane = true } },
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
	"qpus=",
	"qpu=1",
	"mem=0",
	"mem=1009",
	"timed=1",
	"timed,fast",
	"seed=18446744073709551616",
	"fault=lane",
	"fault=@1",
	"fault=fire@1",
	"fault=lane@0",
	"fault=lane@18446744073709551616",
	"fault=lane@x",
	"fault=lane@3-2",
	"fault=lane@1-x",
	"fault=lane@1.2",
	"fault=lane@1.12.0",
	"fault=lane@1.0.16",
	"fault=lane@1.0.0.0",
};

static struct emulated_options options;

static bool
are_equal_faults(const struct emulated_fault *a, const struct emulated_fault *b)
{
	return a->kind == b->kind && a->at == b->at && a->until == b->until &&
	       a->names_lane == b->names_lane && a->qpu == b->qpu &&
	       a->lane == b->lane;
}

static bool
are_equal_options(const struct emulated_options *a,
		  const struct emulated_options *b)
{
	return a->qpus == b->qpus && a->mem_mib == b->mem_mib &&
	       a->timed == b->timed && a->check == b->check &&
	       a->seed == b->seed && are_equal_faults(&a->fault, &b->fault);
}

static void
test_kinds(void)
{
	static const char lasting[] =
		" lane alloc code constant bit seal sticks alu16 alu20 mulpack caches "
		"slices l2 part l2bit tmubit address ";
	char kinds[] = KINDS, text[64], spaced[32];
	enum device_fault kind = DEVICE_NO_FAULT;

	for (char *word = strtok(kinds, ", "); word; word = strtok(NULL, ", "))
		if (strcmp(word, "or") != 0) {
			snprintf(text, sizeof(text), "fault=%s@3", word);
			snprintf(spaced, sizeof(spaced), " %s ", word);
			ok(emulated_options_parse(&options, text, &why) &&
				   options.fault.kind > kind &&
				   options.fault.at == 3 &&
				   options.fault.until ==
					   (strstr(lasting, spaced) ?
						    UINT64_MAX :
						    3) &&
				   !options.fault.names_lane,
			   "'%s' is a kind of fault", word);
			kind = options.fault.kind;
		}
	ok(kind == DEVICE_FAULTS - 1, "each kind of fault has a name");
}

static void
test_options(void)
{
	char text[700];

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		memset(&options, 0x55, sizeof(options));
		ok(emulated_options_parse(&options, good[i].text, &why) &&
			   are_equal_options(&options, &good[i].options),
		   "'%s' is taken", good[i].text);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		const char *comma = strrchr(bad[i], ',');

		snprintf(text, sizeof(text), "'%s'" NONE_OF,
			 comma ? comma + 1 : bad[i]);
		ok(!emulated_options_parse(&options, bad[i], &why) &&
			   strcmp(why.text, text) == 0,
		   "'%s' is refused, and named", bad[i]);
	}
	test_kinds();
}

int
main(void)
{
	test_options();
	test_pixels("tiles");
	test_pixels("tiles,check,seed=1");
	test_pixels("tiles,timed,qpus=5");
	test_queue();
	test_failures();
	balance_test(use_device, "an emulated tile device leaves nothing");
	return tap_done();
}
