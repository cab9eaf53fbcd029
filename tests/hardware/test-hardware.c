/* SPDX-License-Identifier: MIT */
/*
 * The experiments of make check-hardware: each verdict can be given and can
 * fail, no program does what it should not, and on the emulator all is as
 * emulated; and timings say the same of equal devices, and what is known.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/check/experiment.h"
#include "qpu/check/rig.h"
#include "qpu/check/timing.h"
#include "tests/support/tap.h"

/* Anything that can be said of one row. */
typedef bool
promise(const struct experiment *row);

/* Does it hold for all rows?  Names those for which it does not. */
static bool
all_rows(promise *holds)
{
	bool good = true;

	for (const struct experiment *row = experiments; row->id; row++)
		if (!holds(row)) {
			tap_note("%s: %s", row->id, row->question);
			good = false;
		}
	return good;
}

static struct rig
open_rig(const char *words)
{
	struct rig rig;
	struct diag why;

	if (!rig_open(&rig, words, &why)) {
		printf("Bail out! %s: %s\n", words, why.text);
		exit(99);
	}
	return rig;
}

static bool
is_complete(const struct experiment *row)
{
	return row->question && row->source && row->answers[0].text;
}

/* Each answer is recognised, so no two look the same. */
static bool
tells_answers_apart(const struct experiment *row)
{
	for (int i = 0; i < EXPERIMENT_ANSWERS && row->answers[i].text; i++)
		if (experiment_verdict(row, row->answers[i].lanes) != i)
			return false;
	return true;
}

/* One wrong bit in any lane, and it is not the emulator's answer any more. */
static bool
notices_a_bit(const struct experiment *row)
{
	for (unsigned bit = 0; bit < 32 * EXPERIMENT_LANES; bit++) {
		uint32_t lanes[EXPERIMENT_LANES];

		memcpy(lanes, row->answers[0].lanes, sizeof(lanes));
		lanes[bit / 32] ^= 1u << bit % 32;
		if (experiment_verdict(row, lanes) == 0)
			return false;
	}
	return true;
}

/* On a device of its own, where nothing ran before. */
static bool
is_as_emulated_by(const struct experiment *row, const char *words)
{
	uint32_t lanes[EXPERIMENT_LANES];
	struct rig rig = open_rig(words);
	struct diag why = { .text = "" };
	const bool good = experiment_run(&rig, row, lanes, &why);

	rig_close(&rig);
	if (!good)
		tap_note("%s", why.text);
	return good && experiment_verdict(row, lanes) == 0;
}

static bool
is_as_emulated(const struct experiment *row)
{
	return is_as_emulated_by(row, "emulator");
}

static bool
is_as_emulated_in_time(const struct experiment *row)
{
	return is_as_emulated_by(row, "emulator:timed");
}

/* Checking mode ends at the first rule that is broken, and names it. */
static bool
breaks_what_it_says(const struct experiment *row)
{
	uint32_t lanes[EXPERIMENT_LANES];
	struct rig rig = open_rig("emulator:check,seed=5");
	struct diag why = { .text = "" };
	unsigned rule = 0;
	const bool good = experiment_run(&rig, row, lanes, &why);

	rig_close(&rig);
	if (!good && sscanf(why.text, "%*[RC]%u ", &rule) != 1)
		return false;
	return rule == row->breaks;
}

/* Noise in all undefined state, and whichever QPU comes first. */
static bool
does_not_depend_on_luck(const struct experiment *row)
{
	static const char *const words[] = { "emulator:check,seed=1",
					     "emulator:check,seed=2",
					     "emulator:check,seed=3,timed" };

	/* These ask for what is undefined. */
	if (row->breaks > 0 || strcmp(row->id, "rx39") == 0)
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!is_as_emulated_by(row, words[i]))
			return false;
	return true;
}

/* A row whose first answer is another than the emulator's. */
static void
test_otherwise(void)
{
	const struct experiment row = { .id = "test",
					.question = "1 + 1",
					.source = "mov r1, 1\nadd r0, r1, r1",
					.answers = { { "is 3", ALL(3) },
						     { "is 2", ALL(2) } } };
	uint32_t lanes[EXPERIMENT_LANES];
	struct rig rig = open_rig("emulator");
	struct diag why;

	ok(experiment_run(&rig, &row, lanes, &why) &&
		   experiment_verdict(&row, lanes) == 1,
	   "another answer than the first is told");
	lanes[3] = 7;
	ok(experiment_verdict(&row, lanes) == -1, "an unknown answer is told");
	rig_close(&rig);
}

static void
test_failure(void)
{
	struct rig rig = open_rig("emulator:fault=refuse@1");
	uint32_t lanes[EXPERIMENT_LANES];
	struct diag why;

	ok(!experiment_run(&rig, &experiments[0], lanes, &why) &&
		   !experiment_run(&rig, &experiments[0], lanes, &why) &&
		   strstr(why.text, "earlier"),
	   "after a launch that failed there is no other");
	rig_close(&rig);
}

static bool
is_near(double a, double b)
{
	return a > 0.98 * b && a < 1.02 * b;
}

/* All timings, of two models side by side, and of checking mode. */
static void
test_timings(void)
{
	struct rig one = open_rig("emulator:timed");
	struct rig two = open_rig("emulator:timed");
	bool same = true, obeys = true;
	struct measure first, second;
	struct diag why;

	for (const struct timing *row = timing_rows; row->name; row++) {
		struct rig checked = open_rig("emulator:check,seed=9");

		if (!measure(&one, row, row->rounds, &first, &why) ||
		    !measure(&two, row, row->rounds, &second, &why) ||
		    !is_near(first.round_ns, second.round_ns)) {
			tap_note("%s: %s", row->name, why.text);
			same = false;
		}
		if (!measure(&checked, row, 2, &first, &why)) {
			tap_note("%s: %s", row->name, why.text);
			obeys = false;
		}
		rig_close(&checked);
	}
	ok(same, "a timing says the same of two equal devices");
	ok(obeys, "no timing breaks a rule of the hardware");
	rig_close(&one);
	rig_close(&two);
}

/* What the rows are made of gives what is known. */
static void
test_known_times(void)
{
	struct rig rig = open_rig("emulator:timed");
	const struct timing nops = { .name = "115 instructions",
				     .body = ".rep i, 115\nnop\n.endr\n",
				     .times = 1,
				     .units = 115,
				     .qpus = 1,
				     .rounds = 10 };
	const struct timing waits = { .name = "a hit",
				      .setup = "lanes 0\n",
				      .body = "mov t0s, ra1\nldtmu0\n",
				      .times = 5,
				      .units = 1,
				      .qpus = 1,
				      .rounds = 10 };
	struct measure measured;
	struct diag why;

	ok(measure(&rig, &nops, 10, &measured, &why) &&
		   is_near(measured.round_ns, 120 * 16),
	   "a loop of 120 instructions takes 1920 ns a round");
	ok(is_near(measured.launch_us, 91), "a launch takes 91 us");
	ok(measure(&rig, &waits, 10, &measured, &why) &&
		   is_near(measured.round_ns, (5 * 32 + 20) * 4),
	   "5 lookups, 32 clocks each, and 5 instructions take 720 ns");
	rig_close(&rig);
}

int
main(void)
{
	ok(all_rows(is_complete), "all experiments have their parts");
	ok(all_rows(tells_answers_apart), "no two answers are the same");
	ok(all_rows(notices_a_bit), "a wrong bit is noticed");
	ok(all_rows(is_as_emulated), "all answers are as emulated");
	ok(all_rows(is_as_emulated_in_time),
	   "all answers are as emulated on the timed emulator");
	ok(all_rows(breaks_what_it_says),
	   "only those programs break rules that ask what happens then");
	ok(all_rows(does_not_depend_on_luck),
	   "no answer depends on undefined state or on who comes first");
	test_otherwise();
	test_failure();
	test_timings();
	test_known_times();
	return tap_done();
}
