/* SPDX-License-Identifier: MIT */
/*
 * The chips of the Raspberry Pis: every number of the table, which chip a
 * board has, and where memory can be that the ARM and the QPUs share.
 */
#include "config.h"

#include "qpu/abi/soc.h"

#include <math.h>
#include <string.h>

#include "src/base/engine.h"
#include "tests/support/tap.h"

static const struct soc chips[] = {
	{ "BCM2835", "brcm,bcm2835", true, 0x20000000, 0x40000000, 0, 250, 20,
	  300, 50, 12, 60 },
	{ "BCM2836", "brcm,bcm2836", true, 0x3f000000, 0xc0000000, 1, 250, 45,
	  700, 24, 6, 30 },
	{ "BCM2837", "brcm,bcm2837", true, 0x3f000000, 0xc0000000, 2, 300, 70,
	  1100, 14, 4, 20 },
	{ "BCM2711", "brcm,bcm2711", false, 0xfe000000, 0, 3, 0, 0, 0, 0, 0,
	  0 },
	{ "BCM2712", "brcm,bcm2712", false, 0, 0, 4, 0, 0, 0, 0, 0, 0 },
};

enum { CHIPS = sizeof(chips) / sizeof(*chips) };

static bool
are_equal(const struct soc *a, const struct soc *b)
{
	return strcmp(a->name, b->name) == 0 &&
	       strcmp(a->compatible, b->compatible) == 0 &&
	       a->videocore4 == b->videocore4 &&
	       a->peripherals == b->peripherals &&
	       a->bus_alias == b->bus_alias && a->processor == b->processor &&
	       a->qpu_mhz == b->qpu_mhz && a->hash_mb == b->hash_mb &&
	       a->copy_mb == b->copy_mb && a->file_us == b->file_us &&
	       a->look_us == b->look_us && a->start_ms == b->start_ms;
}

static void
test_table(void)
{
	for (unsigned i = 0; i < CHIPS; i++) {
		const struct soc *soc = soc_of_compatible(chips[i].compatible);

		ok(soc == &soc_rows[i] && are_equal(soc, &chips[i]), "%s",
		   chips[i].name);
	}
	ok(!soc_rows[CHIPS].name && !soc_of_compatible("brcm,bcm2838") &&
		   !soc_of_compatible(""),
	   "there are no others");
}

static void
test_revisions(void)
{
	static const struct {
		uint32_t revision;
		const char *name;
	} rows[] = { { 0x000e, "BCM2835" },    { 0x900092, "BCM2835" },
		     { 0xa01041, "BCM2836" },  { 0xa02082, "BCM2837" },
		     { 0xc03114, "BCM2711" },  { 0xd04170, "BCM2712" },
		     { 0x2002082, "BCM2835" }, { 0x802000, "BCM2837" } };

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct soc *soc = soc_of_revision(rows[i].revision);

		ok(soc && strcmp(soc->name, rows[i].name) == 0,
		   "revision %x: %s", (unsigned)rows[i].revision, rows[i].name);
	}
	ok(!soc_of_revision(0xa05000) && !soc_of_revision(0x80f000),
	   "chips of later boards are unknown");
}

static bool
near(double value, double expected)
{
	return fabs(value - expected) <= 1e-9 * expected;
}

static void
test_speeds(void)
{
	struct engine_speed speed = { .lanes = 7, .device_rate = 8 };

	soc_speed(&soc_rows[1], &speed);
	ok(near(speed.core_rate, 45e6) && near(speed.copy_rate, 700e6) &&
		   near(speed.file_seconds, 24e-6) &&
		   near(speed.look_seconds, 6e-6) &&
		   near(speed.start_seconds, 0.03),
	   "rates in bytes and times in seconds");
	ok(speed.lanes == 7 && speed.device_rate == 8,
	   "the device's own are left alone");
}

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
	test_table();
	test_revisions();
	test_speeds();
	test_memory();
	return tap_done();
}
