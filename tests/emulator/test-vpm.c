/* SPDX-License-Identifier: MIT */
/*
 * Promise: the VPM and its DMA move exactly the bytes that sections 11.2 to 11.9
 * say, for any setup.  Programs with random setups run one after the other on one
 * machine; struct reference does the same, straight from the text, and VPM,
 * memory, registers and errors have to agree after each.
 */
#include "config.h"

#include "qpu/abi/v3d.h"
#include "tests/emulator/emu.h"
#include "tests/support/random.h"

enum {
	BUS = 0x10000000,
	BYTES = 5 << 20,
	ROWS = 64,
	TRIES = 500,
	BUSY_TRIES = 150,
	VECTORS = 3, /* that a program writes, and reads */
	ERROR_WRITE = 1 << 4,
	ERROR_READ = 1 << 5,
};

/* A field of a setup where 0 means the most. */
static unsigned
or_most(unsigned field, unsigned most)
{
	return field ? field : most;
}

/* ---- the reference ---- */

struct reference {
	uint8_t vpm[ROWS][64];
	uint8_t *memory;
	unsigned rows; /* that are reserved for programs */
	uint32_t errors;
	uint64_t touched; /* rows by the last DMA, a bit each */
	bool outside;	  /* the last DMA came to the end of memory */
	uint32_t read[VECTORS][16];
};

/* Section 11.5: element i of a vector; its row, and the byte in it. */
static unsigned
element(uint32_t setup, unsigned vector, unsigned i, unsigned *byte)
{
	const unsigned size = (setup >> 8 & 3) > 2 ? 2 : setup >> 8 & 3;
	const unsigned bytes = 1u << size, parts = 4 / bytes;
	const bool horizontal = setup >> 11 & 1, laned = setup >> 10 & 1;
	const unsigned stride = or_most(setup >> 12 & 63, 64);
	const unsigned addr = ((setup & 0xff) + vector * stride) & 0xff;
	const unsigned where = addr / parts % 64, sub = addr % parts;
	/* Packed elements follow each other, laned ones have a word each. */
	const unsigned at = laned || parts == 1 ? 4 * i + bytes * sub :
						  bytes * (16 * sub + i);

	if (horizontal) {
		*byte = at;
		return where;
	}
	*byte = where % 16 * 4 + at % 4;
	return where / 16 * 16 + at / 4;
}

static unsigned
element_bytes(uint32_t setup)
{
	return (setup >> 8 & 3) > 2 ? 4 : 1u << (setup >> 8 & 3);
}

static void
write_vpm(struct reference *to, uint32_t setup, unsigned vector,
	  const uint32_t value[16])
{
	for (unsigned i = 0; i < 16; i++) {
		unsigned byte, row = element(setup, vector, i, &byte);

		if (row < to->rows)
			memcpy(&to->vpm[row][byte], &value[i],
			       element_bytes(setup));
		else
			to->errors |= ERROR_WRITE;
	}
}

static void
read_vpm(struct reference *from, uint32_t setup, unsigned vector)
{
	for (unsigned i = 0; i < 16; i++) {
		unsigned byte, row = element(setup, vector, i, &byte);

		from->read[vector][i] = 0;
		memcpy(&from->read[vector][i], &from->vpm[row][byte],
		       element_bytes(setup));
		if (row >= from->rows)
			from->errors |= ERROR_READ;
	}
}

/* A mode of 0 is words, 2 and 3 are halves, 4 to 7 bytes. */
static unsigned
mode_bytes(unsigned mode)
{
	return mode >= 4 ? 1 : mode >= 2 ? 2 : 4;
}

/* The memory of a row of a DMA; null, and no more of it, if there is none. */
static uint8_t *
memory_row(struct reference *reference, uint32_t addr, unsigned bytes)
{
	const uint32_t offset = addr - BUS;

	if (offset <= BYTES && bytes <= BYTES - offset)
		return reference->memory + offset;
	reference->outside = true;
	return NULL;
}

/* Section 11.7: rows step through words and their parts. */
static void
load(struct reference *to, uint32_t setup, uint32_t pitch, uint32_t addr)
{
	const unsigned mode = setup >> 28 & 7, bytes = mode_bytes(mode);
	const unsigned parts = 4 / bytes, mpitch = setup >> 24 & 15;
	const unsigned length = or_most(setup >> 20 & 15, 16);
	const unsigned rows = or_most(setup >> 16 & 15, 16);
	const unsigned step = or_most(setup >> 12 & 15, 16);
	const bool vertical = setup >> 11 & 1;
	const unsigned x = setup & 15;
	unsigned at = (setup >> 4 & 127) * parts + mode % parts;

	to->touched = 0;
	for (unsigned r = 0; r < rows; r++, at += step) {
		const uint8_t *from = memory_row(
			to, addr + r * (mpitch ? 8u << mpitch : pitch),
			length * bytes);

		if (!from)
			return;
		for (unsigned i = 0; i < length; i++) {
			const unsigned row = at / parts + (vertical ? i : 0);
			const unsigned column = x + (vertical ? 0 : i);

			to->touched |= UINT64_C(1) << row % ROWS;
			if (row % ROWS < to->rows)
				memcpy(&to->vpm[row % ROWS][column % 16 * 4 +
							    at % parts * bytes],
				       from + i * bytes, bytes);
		}
	}
}

/* Sections 11.8 and 11.9. */
static void
store(struct reference *from, uint32_t setup, uint32_t stride, uint32_t addr)
{
	const unsigned mode = setup & 7, bytes = mode_bytes(mode);
	const unsigned units = or_most(setup >> 23 & 127, 128);
	const unsigned depth = or_most(setup >> 16 & 127, 128);
	const unsigned y = setup >> 7 & 127, x = setup >> 3 & 15;

	from->touched = 0;
	for (unsigned r = 0; r < units; r++) {
		uint8_t *to = memory_row(
			from, addr + r * (depth * bytes + (stride & 0xffff)),
			depth * bytes);

		if (!to)
			return;
		for (unsigned i = 0; i < depth; i++) {
			unsigned row = y + r + (x + i) / 16, column = x + i;

			/* A column ends with its 16 rows, then again. */
			if (!(setup >> 14 & 1)) {
				row = y / 16 * 16 + (y + i) % 16 +
				      (x + r) / 16 * 16;
				column = x + r;
			}
			from->touched |= UINT64_C(1) << row % ROWS;
			memcpy(to + i * bytes,
			       &from->vpm[row % ROWS]
					 [column % 16 * 4 +
					  mode % (4 / bytes) * bytes],
			       bytes);
		}
	}
}

/* ---- random programs ---- */

/* The uniforms of a program, in its order. */
struct setups {
	uint32_t write, first, step; /* vectors: first + lane * step, ... */
	uint32_t pitch, load, load_addr;
	uint32_t stride, store, store_addr;
	uint32_t read;
};

static const char text[] =
	"mov vw_setup, unif\nmov r0, elem_num\nmov r1, unif\nmov r2, unif\n"
	"mul24 r3, r0, r2\nadd r0, r1, r3\n"
	"mov vpm, r0\nadd r0, r0, r1\nmov vpm, r0\nadd r0, r0, r1\nmov vpm, r0\n"
	"mov vr_setup, unif\nmov vr_setup, unif\nmov vr_addr, unif\n"
	"mov -, vr_wait\n"
	"mov vw_setup, unif\nmov vw_setup, unif\nmov vw_addr, unif\n"
	"mov -, vw_wait\n"
	"mov vr_setup, unif\nnop\nnop\nnop\n"
	"mov ra0, vpm\nmov ra1, vpm\nmov ra2, vpm" EMU_END;

static uint32_t
random_load(void)
{
	/* Mode 1 is the extended pitch. */
	const uint32_t mode = random_below(2) ? 0 : 2 + random_below(6);

	return 1u << 31 | mode << 28 | random_below(1 << 28);
}

static uint32_t
random_store(void)
{
	/* All that fits, but mostly short ones. */
	const unsigned most = random_below(4) ? 20 : 128;

	return 2u << 30 | random_below(most) << 23 | random_below(most) << 16 |
	       random_below(1 << 15);
}

/* Mostly inside, sometimes at the end of memory. */
static uint32_t
random_addr(void)
{
	return random_below(16) ? BUS + random_below(1 << 19) :
				  BUS + BYTES - random_below(4096);
}

static struct setups
random_setups(void)
{
	return (struct setups){
		.write = random_below(1 << 18),
		.first = random_32(),
		.step = random_below(1 << 24),
		.pitch = 9u << 28 | random_below(1 << 14),
		.load = random_load(),
		.load_addr = random_addr(),
		.stride = 3u << 30 | random_below(1024),
		.store = random_store(),
		.store_addr = random_addr(),
		.read = VECTORS << 20 | random_below(1 << 18),
	};
}

static void
expect(struct reference *reference, const struct setups *setups)
{
	reference->errors = 0;
	reference->outside = false;
	for (unsigned n = 0; n < VECTORS; n++) {
		uint32_t value[16];

		for (unsigned i = 0; i < 16; i++)
			value[i] = (n + 1) * setups->first + i * setups->step;
		write_vpm(reference, setups->write, n, value);
	}
	load(reference, setups->load, setups->pitch & 0x3fff,
	     setups->load_addr);
	if (reference->outside)
		return;
	store(reference, setups->store, setups->stride, setups->store_addr);
	for (unsigned n = 0; n < VECTORS && !reference->outside; n++)
		read_vpm(reference, setups->read, n);
}

static bool
vpm_is(struct machine *machine, const struct reference *reference)
{
	for (unsigned row = 0; row < ROWS; row++)
		if (memcmp(machine_vpm(machine, row), reference->vpm[row],
			   64) != 0) {
			tap_note("row %u of the VPM", row);
			return false;
		}
	return true;
}

static bool
try(struct emu *emu, struct reference *reference, const uint8_t *memory)
{
	const struct setups setups = random_setups();
	const unsigned rows = random_below(4) ? ROWS : 4 * random_below(16);
	bool good;

	reference->rows = rows;
	machine_write(emu->machine, V3D_VPMBASE, rows / 4);
	machine_write(emu->machine, V3D_ERRSTAT, ~0u);
	memcpy(emu->memory + EMU_UNIFORMS, &setups, sizeof(setups));
	expect(reference, &setups);
	good = machine_launch(emu->machine, emu->programs, 1, &emu->why);
	emu->status = machine_run(emu->machine, 1000, 0, &emu->why);
	good = good &&
	       emu->status ==
		       (reference->outside ? MACHINE_FAULT : MACHINE_DONE) &&
	       vpm_is(emu->machine, reference) &&
	       memcmp(memory, reference->memory, BYTES) == 0;
	for (unsigned n = 0; good && !reference->outside && n < VECTORS; n++)
		good = emu_lanes_are(machine_register(emu->machine, 0, 0, n),
				     reference->read[n]);
	if (good && !reference->outside)
		good = machine_read(emu->machine, V3D_ERRSTAT) ==
		       reference->errors;
	if (reference->outside)
		machine_reset(emu->machine);
	for (unsigned row = 0; row < ROWS; row++)
		memcpy(reference->vpm[row], machine_vpm(emu->machine, row), 64);
	return good;
}

static void
test_random(void)
{
	static struct reference reference;
	struct emu emu = emu_open(NULL);
	uint8_t *memory = malloc(BYTES);
	unsigned outside = 0;
	bool good = memory;

	reference.memory = malloc(BYTES);
	for (unsigned i = 0; i < BYTES; i++)
		memory[i] = reference.memory[i] = (uint8_t)(1 + i % 255);
	machine_add_memory(emu.machine, BUS, memory, BYTES, &emu.why);
	emu_program(&emu, emu_assemble(&emu, text), NULL, 0);
	for (unsigned n = 0; good && n < TRIES; n++) {
		good = try(&emu, &reference, memory);
		outside += reference.outside;
		if (!good)
			tap_note("try %u: %s", n, emu.why.text);
	}
	ok(good, "the VPM and its DMA move what any setups say");
	ok(outside > TRIES / 100 && outside < TRIES / 2,
	   "some transfers end where memory ends, with the rows before");
	free(reference.memory);
	free(memory);
	emu_close(&emu);
}

/* C27 and C28: is a row used while a DMA may not have ended? */
static bool
try_busy(struct reference *reference, bool stores)
{
	static const char load_text[] =
		"ldi vr_setup, 0x90000000\nmov vr_setup, unif\n"
		"mov vr_addr, unif\nmov vr_setup, unif\nnop\nnop\nnop\n"
		"mov -, vpm\nmov -, vr_wait" EMU_END;
	static const char store_text[] =
		"mov vw_setup, unif\nmov vw_addr, unif\nmov vw_setup, unif\n"
		"mov vpm, 1\nmov -, vw_wait" EMU_END;
	const struct machine_options options = { .check = true };
	const uint32_t row = random_below(ROWS);
	const uint32_t uniforms[] = { stores ? random_store() : random_load(),
				      BUS, (stores ? 0x1a00 : 0x101a00) | row };
	struct emu emu = emu_open(&options);
	bool good;

	if (stores)
		store(reference, uniforms[0], 0, BUS);
	else
		load(reference, uniforms[0], 0, BUS);
	machine_add_memory(emu.machine, BUS, reference->memory, BYTES,
			   &emu.why);
	emu_program(&emu, emu_assemble(&emu, stores ? store_text : load_text),
		    uniforms, 3);
	good = emu_go(&emu, 1000) == MACHINE_DONE &&
	       emu.findings[stores ? 28 : 27] ==
		       (reference->touched >> row & 1);
	emu_close(&emu);
	return good;
}

static void
test_busy(void)
{
	static struct reference reference = { .rows = ROWS };

	reference.memory = malloc(BYTES);
	for (unsigned stores = 0; stores < 2; stores++) {
		bool good = true;

		for (unsigned n = 0; good && n < BUSY_TRIES; n++)
			good = try_busy(&reference, stores);
		ok(good,
		   "checking mode knows the rows of a %s that may not have "
		   "ended",
		   stores ? "store" : "load");
	}
	free(reference.memory);
}

int
main(void)
{
	test_random();
	test_busy();
	return tap_done();
}
