/* SPDX-License-Identifier: MIT */
/*
 * Generic VPM access in all its modes (sections 11.2 to 11.6), and which rows a
 * program may use.  Strides and set-ups are in programs.golden.
 */
#include "config.h"

#include "tests/emulator/emu.h"

/* Element i of a vector belongs at bits shift.. of (row, column). */
struct place {
	unsigned row, column, shift;
};

/* Straight from the table of 11.5. */
static struct place
place_of(bool horizontal, bool laned, unsigned size, unsigned y, unsigned x,
	 unsigned sub, unsigned i)
{
	unsigned word = i, part = sub;

	if (size == 2) {
		part = 0;
	} else if (!laned) {
		word = size == 1 ? 8 * sub + i / 2 : 4 * sub + i / 4;
		part = size == 1 ? i & 1 : i & 3;
	}
	return (struct place){
		.row = horizontal ? y : (y & 0x30) + word,
		.column = horizontal ? word : x,
		.shift = part * (8u << size),
	};
}

static uint32_t
setup_of(bool horizontal, bool laned, unsigned size, unsigned y, unsigned x,
	 unsigned sub)
{
	const unsigned where = horizontal ? y : (y & 0x30) | x;
	const unsigned addr = size == 2 ? where :
			      size == 1 ? where << 1 | sub :
					  where << 2 | sub;

	return (uint32_t)horizontal << 11 | (uint32_t)laned << 10 | size << 8 |
	       addr;
}

/* Write one vector, look at the VPM, read the vector back. */
static bool
try_mode(bool horizontal, bool laned, unsigned size, unsigned y, unsigned x,
	 unsigned sub)
{
	const uint32_t setup = setup_of(horizontal, laned, size, y, x, sub);
	const uint32_t uniforms[] = { setup, 1u << 20 | setup };
	const uint32_t mask = size == 2 ? ~0u : (1u << (8 << size)) - 1;
	struct emu emu = emu_open(NULL);
	bool good;

	emu_program(
		&emu,
		emu_assemble(
			&emu,
			"mov r0, elem_num\nldi r1, 0x01020304\nmul24 r0, r0, r1\n"
			"ldi r1, 0xf0f0f0f0\nadd ra0, r0, r1\nnop\n"
			"mov vw_setup, unif\nmov vpm, ra0\n"
			"mov vr_setup, unif\nnop\nnop\nnop\nmov ra1, vpm" EMU_END),
		uniforms, 2);
	good = emu_go(&emu, 100) == MACHINE_DONE;
	for (unsigned i = 0; good && i < MACHINE_LANES; i++) {
		const struct place place =
			place_of(horizontal, laned, size, y, x, sub, i);
		const uint32_t value = emu_ra(&emu, 0)[i] & mask;
		const uint32_t word =
			machine_vpm(emu.machine, place.row)[place.column];

		good = (word >> place.shift & mask) == value &&
		       emu_ra(&emu, 1)[i] == value;
	}
	emu_close(&emu);
	return good;
}

static void
test_modes(void)
{
	for (unsigned mode = 0; mode < 12; mode++) {
		const bool horizontal = mode & 1, laned = mode >> 1 & 1;
		const unsigned size = mode >> 2;
		bool good = true;

		for (unsigned sub = 0; sub < 4u >> size; sub++)
			good = good &&
			       try_mode(horizontal, laned, size, 5, 3, sub) &&
			       try_mode(horizontal, laned, size, 63, 15, sub);
		ok(good, "%s %u-bit %s: written and read back",
		   horizontal ? "horizontal" : "vertical", 8u << size,
		   laned ? "laned" : "packed");
	}
}

/* Accesses after the reserved rows change nothing, set ERRSTAT and are told as
 * C26. */
static void
test_outside(void)
{
	static const struct {
		const char *text;
		uint32_t errors;
		const char *what;
	} rows[] = {
		{ "ldi vw_setup, 0x1a1f\nmov vpm, 1", 0, "the last row" },
		{ "ldi vw_setup, 0x1a20\nmov vpm, 1", 1 << 4, "a row after" },
		{ "ldi vw_setup, 0x1210\nmov vpm, 1", 0, "the last columns" },
		{ "ldi vw_setup, 0x1220\nmov vpm, 1", 1 << 4,
		  "a column after" },
		{ "ldi vw_setup, 0x1940\nmov vpm, 1", 1 << 4,
		  "halves of a row after" },
		{ "ldi vr_setup, 0x101a1f\nnop\nnop\nnop\nmov r0, vpm", 0,
		  "reading the last row" },
		{ "ldi vr_setup, 0x101a20\nnop\nnop\nnop\nmov r0, vpm", 1 << 5,
		  "reading a row after" },
		{ "ldi vr_setup, 0x101210\nnop\nnop\nnop\nmov r0, vpm", 0,
		  "reading the last columns" },
		{ "ldi vr_setup, 0x101220\nnop\nnop\nnop\nmov r0, vpm", 1 << 5,
		  "reading a column after" },
	};
	static const struct machine_options options = { .check = true };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct emu emu = emu_open(&options);
		const uint32_t before = machine_vpm(emu.machine, 32)[0];
		char text[128];

		snprintf(text, sizeof(text), "%s" EMU_END, rows[i].text);
		machine_write(emu.machine, 0x504, 8);
		emu_program(&emu, emu_assemble(&emu, text), NULL, 0);
		emu_go(&emu, 100);
		ok(machine_read(emu.machine, 0xf20) == rows[i].errors &&
			   emu.findings[26] == (rows[i].errors != 0) &&
			   emu.nfindings == emu.findings[26] &&
			   machine_vpm(emu.machine, 32)[0] == before,
		   "where 32 rows are reserved: %s", rows[i].what);
		machine_write(emu.machine, 0xf20, 0x10);
		ok(machine_read(emu.machine, 0xf20) ==
			   (rows[i].errors & ~0x10u),
		   "ERRSTAT is cleared by writing ones");
		emu_close(&emu);
	}
}

int
main(void)
{
	test_modes();
	test_outside();
	return tap_done();
}
