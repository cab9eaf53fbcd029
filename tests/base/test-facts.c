/* SPDX-License-Identifier: MIT */
/*
 * Promise: facts of an engine are kept in their order, as many as there is room
 * for; the clock counts nanoseconds of CLOCK_MONOTONIC.
 */
#include "config.h"

#include "src/base/facts.h"

#include "src/base/clock.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

static struct facts facts, copy;

static void
check_facts(void)
{
	char text[600];

	facts_add_value(&facts, 1.5, 2, "MB/s", "rate of %s %u", "QPU", 3u);
	facts_add_text(&facts, "board", "the board", "Pi 3");
	copy = facts;
	memset(&facts, 0, sizeof(facts));
	ok(copy.n == 2 && copy.rows[0].value == 1.5 &&
		   copy.rows[0].decimals == 2 && !copy.rows[0].key &&
		   strcmp(facts_label(&copy, &copy.rows[0]), "rate of QPU 3") ==
			   0 &&
		   strcmp(facts_text(&copy, &copy.rows[1]), "Pi 3") == 0,
	   "a copy of facts has their labels and texts");
	for (unsigned i = 0; i < FACTS_MAX + 2; i++)
		facts_add_value(&facts, i, 0, "", "fact %u", i);
	ok(facts.n == FACTS_MAX && facts.rows[FACTS_MAX - 1].value == 63 &&
		   strcmp(facts_label(&facts, &facts.rows[63]), "fact 63") == 0,
	   "facts that do not fit are left out");
	memset(&facts, 0, sizeof(facts));
	facts_add_step(&facts, 1, "do", "this");
	facts_add_step(&facts, 2, "do", "this\nthat\n");
	is(facts_text(&facts, &facts.rows[0]), "do\nthis",
	   "a command of a step is a line after its text");
	is(facts_text(&facts, &facts.rows[1]), "do\nthis\nthat",
	   "the last command of a step ends like the others");
	memset(&facts, 0, sizeof(facts));
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	for (unsigned i = 0; i < 20; i++)
		facts_add_step(&facts, i, text, "");
	facts_add_text(&facts, "k", "l", "short");
	ok(facts.n > 10 && facts.n < 20 &&
		   strcmp(facts_text(&facts, &facts.rows[facts.n - 2]), text) ==
			   0 &&
		   strcmp(facts_text(&facts, &facts.rows[facts.n - 1]),
			  "short") == 0,
	   "texts that do not fit are left out, shorter ones are not");
}

static void
check_clock(void)
{
	fault_clock_set(5 * FAULT_SECOND + 7);
	ok(clock_ns() == UINT64_C(5000000007),
	   "the clock has seconds and nanoseconds");
	fault_clock_set(10000000 * FAULT_SECOND + 7);
	ok(clock_ns() == UINT64_C(10000000000000007),
	   "the clock goes on for months");
	fault_clear();
}

int
main(void)
{
	check_facts();
	check_clock();
	return tap_done();
}
