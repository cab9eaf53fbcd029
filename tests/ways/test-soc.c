/* SPDX-License-Identifier: MIT */
/* Where memory can be that the ARM and the QPUs share. */
#include "config.h"

#include "qpu/abi/soc.h"

#include "tests/support/tap.h"

/* Both sides of each bound. */
static void
test_memory(void)
{
	static const struct {
		uint32_t alias, bus;
		size_t bytes;
		bool shares;
		const char *what;
	} rows[] = {
		{ 0x40000000, 0x40001000, 0x1000, true, "the second page" },
		{ 0x40000000, 0x40000000, 0x1000, false, "the first page" },
		{ 0x40000000, 0x40001000, 0, false, "nothing" },
		{ 0x40000000, 0x40001000, 0x1001, false, "a page and a byte" },
		{ 0x40000000, 0x40001000, 0x800, false, "half a page" },
		{ 0x40000000, 0x40001001, 0x1000, false, "an odd address" },
		{ 0x40000000, 0x40001800, 0x1000, false, "between two pages" },
		{ 0x40000000, 0x5ffff000, 0x1000, true, "the last page" },
		{ 0x40000000, 0x5ffff000, 0x2000, false, "a page more" },
		{ 0x40000000, 0x60000000, 0x1000, false, "the peripherals" },
		{ 0x40000000, 0x40001000, 0x1ffff000, true, "all of it" },
		{ 0x40000000, 0x40001000, 0x20000000, false, "more" },
		{ 0x40000000, 0x40001000, 0x20001000, false, "far too much" },
		{ 0x40000000, 0x80001000, 0x1000, false, "another alias" },
		{ 0xc0000000, 0xc0001000, 0x1000, true, "the alias asked for" },
		{ 0xc0000000, 0x40001000, 0x1000, false, "the chip's alias" },
		{ 0x40000000, 0x00001000, 0x1000, false, "no alias" },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		ok(soc_shares(&soc_rows[0], rows[i].alias, rows[i].bus,
			      rows[i].bytes) == rows[i].shares,
		   "%s %s shared", rows[i].what,
		   rows[i].shares ? "can be" : "cannot be");
	ok(soc_physical(0xfe001000) == 0x3e001000 &&
		   soc_bus(0xc0000000, 0x3e001000) == 0xfe001000 &&
		   soc_bus(0x40000000, 0xfe001000) == 0x7e001000,
	   "an alias is the top two bits");
}

int
main(void)
{
	test_memory();
	return tap_done();
}
