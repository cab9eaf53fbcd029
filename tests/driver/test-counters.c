/* SPDX-License-Identifier: MIT */
/*
 * The V3D's counters: what is asked of the registers, here plain memory, and
 * what is told of them.
 */
#include "config.h"

#include "qpu/driver/counters.h"
#include "qpu/emulator/emulator.h"
#include "tests/support/tap.h"

enum { WORDS = SOC_V3D_BYTES / 4, FIRST = 0x680 / 4 };

/* Source of a counter, by what was written to its register. */
static unsigned
source_of(const uint32_t *words, unsigned n)
{
	return words[FIRST + 2 * n + 1];
}

static void
test_begin(void)
{
	static uint32_t words[WORDS];
	const struct registers registers = { .base = words };
	unsigned on = 0;
	bool distinct = true;

	counters_begin(&registers);
	for (unsigned n = 0; n < COUNTERS; n++)
		on += words[0x674 / 4] >> n & 1;
	for (unsigned n = 1; n < on; n++)
		distinct = distinct &&
			   source_of(words, n) > source_of(words, n - 1);
	ok(words[0x674 / 4] >> 31 && on == 13, "13 counters are switched on");
	ok(distinct, "each counter counts something else");
	ok(words[0x670 / 4] == 0xffff, "all counters start at 0");
}

static void
test_end(void)
{
	static uint32_t words[WORDS];
	const struct registers registers = { .base = words };
	struct counters counters = { 0 };
	struct device_totals totals = { 0 };
	bool names = true, values = true;

	counters_tell(&counters, &totals);
	ok(totals.ncounters == 0, "without a launch there is nothing to tell");
	counters_begin(&registers);
	for (unsigned n = 0; n < COUNTERS; n++)
		words[FIRST + 2 * n] = 0xfffffff0 + n;
	counters_end(&registers, &counters);
	ok(counters.any && counters.totals[0] == 0xfffffff0 &&
		   counters.totals[12] == 0xfffffffc &&
		   counters.totals[13] == 0,
	   "the value of each counter is added");
	counters_end(&registers, &counters);
	counters_tell(&counters, &totals);
	for (unsigned n = 0; n < totals.ncounters; n++) {
		const char *name = machine_counter_name(source_of(words, n));

		names = names && strcmp(totals.counters[n].name, name) == 0;
		values = values && totals.counters[n].value ==
					   2 * (UINT64_C(0xfffffff0) + n);
	}
	ok(totals.ncounters == 13, "after a launch there are 13 counters");
	ok(names, "counters are called as in the emulator");
	ok(values, "counts of launches add up beyond 32 bits");
	ok(words[0x674 / 4] == 0, "counters are switched off after a launch");
}

int
main(void)
{
	test_begin();
	test_end();
	return tap_done();
}
