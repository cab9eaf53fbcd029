/* SPDX-License-Identifier: MIT */
/*
 * emulated.golden: the emulated device has the memory and the QPUs that it was
 * opened with, and reports how long programs would have taken.  Options are
 * taken at both ends of their range.  Commands are those of
 * tests/ways/device.h, and
 *
 *	options OPTIONS		their meaning for a device in lanes
 *	tiles OPTIONS		opens the device in tiles, and closes it
 *	nops N			one of N instructions, at least 4
 *	nowhere			the first program has no memory
 *
 * In tiles the kernel's driver is its model, with the emulated V3D behind it: a
 * program of an ordinary user runs for each pixel of its windows, and its
 * samples are in memory where the contract says.
 */
#include "config.h"

#include "qpu/pi/emulated.h"
#include "qpu/pi/emulated_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/asm/asm.h"
#include "qpu/emulator/emulator.h"
#include "qpu/isa/pack.h"
#include "qpu/ways/way.h"
#include "tests/support/fault.h"
#include "tests/support/golden.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"
#include "tests/ways/device.h"

enum { CODE_WORDS = 64 };

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

/* In lanes -------------------------------------------------------------------- */

static void
tell_options(char *text)
{
	const struct pi_fault *fault;
	struct emulated_options options;

	memset(&options, 0x55, sizeof(options));
	if (!emulated_options_parse(&options, PI_LANES, text, &why)) {
		golden_answer("%s", why.text);
		return;
	}
	fault = &options.fault;
	golden_answer("%u QPUs, %u MiB%s%s, seed %llu", options.qpus,
		      options.mem_mib, options.timed ? ", timed" : "",
		      options.check ? ", check" : "",
		      (unsigned long long)options.seed);
	if (fault->kind == PI_NO_FAULT)
		return;
	golden_answer("%s at %llu to %llu",
		      fault->kind == PI_REFUSED	     ? "refuse" :
		      fault->kind == PI_STUCK	     ? "stuck" :
		      fault->kind == PI_RESULT_STUCK ? "bit" :
		      fault->kind == PI_DATA_BIT     ? "data" :
						       "another fault",
		      (unsigned long long)fault->at,
		      (unsigned long long)fault->until);
	if (fault->place == PI_PLACE_NAMED)
		golden_answer("QPU %u lane %u", fault->qpu, fault->lane);
	if (fault->place == PI_PLACE_ANY)
		golden_answer("another place each time");
}

static void
open_in_tiles(char *options)
{
	void *self = way_emulated_tiles.open(options, &qpus, &why);

	/* After a semicolon follows what this machine has. */
	golden_answer("%.*s", self ? 4 : (int)strcspn(why.text, ";"),
		      self ? "good" : why.text);
	if (self)
		way_emulated_tiles.close(self);
}

static void
load_nops(char *words)
{
	char text[256] = "load ";

	for (unsigned long n = strtoul(words, NULL, 0); n > 4; n--)
		strcat(text, "nop;");
	strcat(text, "mov irq, 1;thrend;nop;nop");
	device_command(text);
}

static void
lose_program(char *words)
{
	(void)words;
	device_session.programs[0].code = 0x50000000;
}

static void
command(char *line)
{
	static const struct golden_command rows[] = {
		{ "options", tell_options },
		{ "tiles", open_in_tiles },
		{ "nops", load_nops },
		{ "nowhere", lose_program },
		{ NULL, NULL },
	};
	char none[] = "";

	if (strncmp(line, "open", 4) == 0)
		device_close(none);
	if (!golden_command(rows, line))
		device_command(line);
}

static void
run_case(const struct golden_case *c, struct golden_output *out)
{
	char none[] = "";

	golden_session(c, command);
	device_close(none);
	golden_session_end(out);
}

/* Memory that is freed, and memory that is left to close. */
static enum fault_outcome
use_lanes(void)
{
	struct way_memory pieces[3];
	unsigned n = 0;
	struct diag reason = { .text = "" };
	void *self = way_emulated.open("mem=1", &qpus, &reason);

	if (!self)
		return *reason.text ? FAULT_TOLD : FAULT_WRONG;
	while (n < 3 &&
	       way_emulated.alloc(self, 1 << (14 + n), &pieces[n], &reason))
		n++;
	if (n > 1)
		way_emulated.free(self, &pieces[0]);
	way_emulated.close(self);
	return n == 3 ? FAULT_WHOLE : *reason.text ? FAULT_TOLD : FAULT_WRONG;
}

/* A timed device's times are its clocks' times; its counters have names. */
static void
test_counters(void)
{
	struct device_totals totals;
	void *self = way_emulated.open("qpus=1,timed", &qpus, &why);
	char source[] = "load mov irq, 1;thrend;nop;nop";
	bool named = true;

	device_session.self = self;
	device_session.nprograms = 0;
	device_command(source);
	way_run(&way_emulated, self,
		&(struct way_job){
			.launch = { device_session.programs, 1, 9 } },
		0, &why);
	way_emulated.totals(self, &totals);
	ok(totals.clocks >= 16 && totals.launch_clocks > 0 &&
		   totals.busy_ms ==
			   (double)(totals.clocks + totals.launch_clocks) /
				   250e3,
	   "with the option timed the time is that of clocks and launches");
	for (unsigned i = 0; i < totals.ncounters; i++)
		named = named && totals.counters[i].name;
	ok(named && totals.ncounters > 10,
	   "counters of a timed device have names");
	way_emulated.close(self);
	device_session.self = NULL;
}

/* Run a program that counts in each lane. Return the lanes, a bit each, whose
 * count differs from the majority's. */
static unsigned
odd_lanes(void *self, struct device_program *program, const uint32_t *counts)
{
	unsigned odd = 0;

	if (way_run(&way_emulated, self,
		    &(struct way_job){ .expected_ms = 0.045,
				       .launch = { program, 1, 9 } },
		    0, &why) != DEVICE_OK)
		stop("a launch");
	for (unsigned lane = 0; lane < MACHINE_LANES; lane++)
		odd |= (counts[lane] != counts[(lane + 1) % MACHINE_LANES] &&
			counts[lane] != counts[(lane + 2) % MACHINE_LANES])
		       << lane;
	return odd;
}

/* Launches in which a lane has missed an instruction, by lane. */
static unsigned
missed_lanes(const char *options, unsigned lanes[MACHINE_LANES])
{
	enum { LAUNCHES = 12 };
	char source[] = "load mov r0, 0;ldi r1, 400;:l;add r0, r0, 1;"
			"sub.setf r1, r1, 1;brr.allnz -, :l;nop;nop;nop;"
			"ldi vw_setup, 0x1a00;mov vpm, r0;"
			"ldi vw_setup, 0x80904000;ldi vw_setup, 0xc0000000;"
			"mov vw_addr, unif;mov -, vw_wait;"
			"mov irq, 1;thrend;nop;nop";
	struct way_memory memory;
	unsigned n = 0;
	void *self = way_emulated.open(options, &qpus, &why);

	device_session.self = self;
	device_session.nprograms = 0;
	device_command(source);
	if (!way_emulated.alloc(self, 4096, &memory, &why))
		stop("no memory");
	*(uint32_t *)memory.cpu = memory.bus + 64;
	device_session.programs[0].uniforms = memory.bus;
	device_session.programs[0].results = memory.bus + 64;
	device_session.programs[0].result_rows = 1;
	for (unsigned i = 0; i < LAUNCHES; i++) {
		const unsigned odd = odd_lanes(self, device_session.programs,
					       (uint32_t *)memory.cpu + 16);

		for (unsigned lane = 0; lane < MACHINE_LANES; lane++)
			lanes[lane] += odd == 1u << lane;
		n += odd != 0;
	}
	way_emulated.close(self);
	device_session.self = NULL;
	return n;
}

static void
test_places(void)
{
	unsigned any[MACHINE_LANES] = { 0 }, none[MACHINE_LANES] = { 0 };
	unsigned always = 0, places = 0;
	bool right = true;
	char options[64];

	ok(missed_lanes("qpus=1,seed=4", none) == 0,
	   "without a fault all lanes count alike");
	/* A seed draws an instruction, the same in each launch; it may be a nop. */
	for (unsigned seed = 1; seed <= 8; seed++) {
		unsigned same[MACHINE_LANES] = { 0 }, n;

		snprintf(options, sizeof(options),
			 "qpus=1,seed=%u,fault=miss@1-.0.5", seed);
		n = missed_lanes(options, same);
		right &= same[5] == n && (n == 0 || n == 12);
		always += n == 12;
	}
	ok(right && always > 0,
	   "a lane that is named misses an instruction in each launch");
	missed_lanes("qpus=1,seed=2,fault=miss@1-.any", any);
	for (unsigned lane = 0; lane < MACHINE_LANES; lane++)
		places += any[lane] > 0;
	ok(places > 1, "a fault in any place strikes another one each time");
}

/* In tiles -------------------------------------------------------------------- */

#define END "thrend\nnop\nsbdone\n"

enum { TRIES = 12, WINDOWS = 9, TILES = 12 };

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

/* Samples: thrice what is there, and a uniform. */
static const char change_text[] = "mov r1, unif\n"
				  "nop\n"
				  ".rep i, 4\n"
				  "loadc\n"
				  "add r0, r4, r4\n"
				  "add r0, r0, r4\n"
				  "add tlbm, r0, r1\n"
				  ".endr\n" END;

static const struct way *const device = &way_emulated_tiles;
static struct way_memory results, data;
static struct way_program pixel, change;
static const struct way_memory *const loads[] = { &data };

static struct way_program
load(void *self, const char *text, unsigned uniforms, unsigned nloads)
{
	struct way_program program = { .uniforms = uniforms, .loads = nloads };
	uint64_t code[CODE_WORDS];
	const size_t n = assemble(text, code);

	if (!device->load(self, code, n, &program, &why))
		stop("a program is refused");
	return program;
}

static void *
open_tiles(const char *options)
{
	void *self = device->open(options, &qpus, &why);

	if (!self || !device->alloc(self, TILES * TILE_BYTES, &results, &why) ||
	    !device->alloc(self, 4096, &data, &why))
		stop(options);
	for (uint32_t i = 0; i < 1024; i++)
		((uint32_t *)data.cpu)[i] = i * 0x01020304 + 5;
	pixel = load(self, pixel_text, 3, 1);
	change = load(self, change_text, 1, 0);
	return self;
}

/* A colour, and how many words from which one on may be looked up. */
static uint32_t uniforms[WINDOWS][3];
static struct tile_draw draws[WINDOWS];

static struct tile_job
random_job(void)
{
	struct tile_job job = { .draws = draws,
				.ndraws = 1 + random_below(WINDOWS),
				.results = &results,
				.tiles_x = 1 + random_below(4),
				.tiles_y = 1 + random_below(3),
				.clear = random_32() };
	const unsigned width = job.tiles_x * TILE_PIXELS;
	const unsigned height = job.tiles_y * TILE_PIXELS;

	for (unsigned i = 0; i < job.ndraws; i++) {
		struct tile_draw *draw = &draws[i];

		uniforms[i][0] = random_32();
		uniforms[i][1] = 4 * random_below(16);
		uniforms[i][2] = 4 * random_below(100);
		*draw = (struct tile_draw){
			.program = random_below(2) ? &pixel : &change,
			.uniforms = uniforms[i],
			.loads = loads,
			.x = random_below(2) * 2 * random_below(width / 2),
			.y = random_below(2) * 2 * random_below(height / 2),
		};
		draw->width = 2 + 2 * random_below((width - draw->x) / 2);
		draw->height = 2 + 2 * random_below((height - draw->y) / 2);
	}
	return job;
}

/* Return a sample after a draw. */
static uint32_t
drawn(const struct tile_draw *draw, unsigned x, unsigned y, unsigned sample,
      uint32_t before)
{
	const uint32_t *words = draw->uniforms;
	unsigned index = x & 15;

	if (draw->program == &change)
		return 3 * before + words[0];
	if (index > words[1] / 4)
		index = words[1] / 4;
	return sample == 0 ? words[0] :
	       sample == 1 ? x :
	       sample == 2 ? y :
			     (index + words[2] / 4) * 0x01020304 + 5;
}

/* Return true if each word is what the draws whose window has the pixel make of
 * the clear word, one after the other. */
static bool
is_drawn(const struct tile_job *job)
{
	const unsigned width = job->tiles_x * TILE_PIXELS;
	const uint32_t *words = results.cpu;

	for (unsigned i = 0; i < job->tiles_x * job->tiles_y * TILE_BYTES / 4;
	     i++) {
		const unsigned sample = i % 4;
		const unsigned x = i / 4 % width, y = i / 4 / width;
		const uint32_t got =
			words[tile_word(job->tiles_x, x, y, sample)];
		uint32_t expected = job->clear;

		for (unsigned d = 0; d < job->ndraws; d++)
			if (x - draws[d].x < draws[d].width &&
			    y - draws[d].y < draws[d].height)
				expected = drawn(&draws[d], x, y, sample,
						 expected);
		if (got == expected)
			continue;
		tap_note("at %u, %u sample %u: %08x, not %08x", x, y, sample,
			 got, expected);
		return false;
	}
	return true;
}

static void
test_pixels(const char *options)
{
	void *self = open_tiles(options);
	struct device_totals totals;
	bool good = true;

	for (unsigned n = 0; good && n < TRIES; n++) {
		const struct tile_job job = random_job();

		good = way_run(device, self, &(struct way_job){ .tiles = job },
			       5000, &why) == DEVICE_OK &&
		       is_drawn(&job);
	}
	ok(good,
	   "windows have their pixels, within quads and in their order (%s)",
	   options);
	device->totals(self, &totals);
	ok(totals.launch_clocks ==
		   (strstr(options, "timed") ? TRIES * 32500 : 0),
	   "a job that finds the queue empty costs 0.13 ms if the device is "
	   "timed (%s)",
	   options);
	device->close(self);
}

int
main(void)
{
	device_session.device = &way_emulated;
	golden_run("tests/ways/emulated.golden", run_case);
	fault_each(FAULT_MEMORY, ENOMEM, use_lanes, "a device");
	fault_each(FAULT_mmap, ENOMEM, use_lanes, "a device's memory");
	test_counters();
	test_places();
	test_pixels("tiles");
	test_pixels("tiles,check,seed=1");
	test_pixels("tiles,timed,qpus=5");
	test_pixels("tiles,timed,qpus=1,seed=3");
	return tap_done();
}
