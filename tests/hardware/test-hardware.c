/* SPDX-License-Identifier: MIT */
/*
 * The experiments of make check-hardware: each verdict can be given and can
 * fail, no program does what it should not, and on the emulator all is as
 * emulated; and what the report says of timings, of launches in turn and on two
 * cores, of a device that works and of one that does not.
 */
#include "config.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/check/experiment.h"
#include "qpu/check/rig.h"
#include "qpu/check/timing.h"
#include "qpu/check/turns.h"
#include "qpu/engine/device_emu.h"
#include "tests/hardware/report-text.h"
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

/* Each TMU miss takes 10 us more, and counts twice: not as modelled. */
static void
slow_totals(void *self, struct device_totals *totals)
{
	device_emu.totals(self, totals);
	totals->modelled = totals->timed = false;
	for (unsigned i = 0; i < totals->ncounters; i++)
		if (strcmp(totals->counters[i].name, "TMU cache misses") == 0) {
			totals->busy_ms +=
				0.01 * (double)totals->counters[i].value;
			totals->counters[i].value *= 2;
		}
}

/* A device with times of its own: as if it were real. */
static void
test_other_times(void)
{
	static const struct timing rows[] = {
		{ .name = "instruction",
		  .body = ".rep i, 115\nnop\n.endr\n",
		  .times = 1,
		  .units = 115,
		  .qpus = 1,
		  .rounds = 10 },
		{ .name = "miss",
		  .setup = "lanes 4096\n",
		  .body = "mov t0s, ra1\nldtmu0\n",
		  .times = 1,
		  .units = 1,
		  .qpus = 1,
		  .rounds = 10,
		  .bytes = 14880 },
		{ 0 }
	};
	struct qpu_device slow = device_emu;
	struct rig rig = open_rig("emulator:timed");
	struct rig model = open_rig("emulator:timed");
	FILE *report = tmpfile(), *raw = tmpfile();
	char text[8192];
	bool good;

	slow.totals = slow_totals;
	rig.device = &slow;
	good = timings_print(&rig, &model, rows, report, raw);
	report_text(report, text, sizeof(text));
	ok(good && strstr(text, "The clock, by the first row: 250.0 MHz") &&
		   strstr(text,
			  "     16.0      4.00      4.00   1.00  instruction\n"),
	   "a time as modelled has the ratio 1.00");
	/* 16 misses, 160 us: 40000 clocks beside the model's 372. */
	ok(strstr(text,
		  " 40372.00    372.00 108.53  miss\n"
		  "Rate of miss: 92 MB/s, modelled 10000 MB/s at the same "
		  "clock\n"),
	   "a longer time has another ratio, and another rate");
	report_text(raw, text, sizeof(text));
	ok(strstr(text, "miss: TMU cache misses: 32.00, modelled 16.00\n"),
	   "ratios of counters are told");
	rig_close(&rig);
	rig_close(&model);
}

/* Launches in turn and on two cores ---------------------------------------- */

/* A part of the report. */
typedef bool
reporter(struct rig *rig, FILE *report);

static bool
says(struct rig *rig, reporter *print, bool expected, const char *line)
{
	FILE *report = tmpfile();
	const bool good = print(rig, report);
	char text[8192];

	report_text(report, text, sizeof(text));
	if (good == expected && strstr(text, line))
		return true;
	tap_note("%d: %s", good, text);
	return false;
}

static bool
in_turn(struct rig *rig, FILE *report)
{
	return turns_print(rig, true, report);
}

/* As if no store of the QPUs had come to memory. */
static enum device_status
run_nothing(void *self, const struct device_program *programs, unsigned n,
	    double expected_ms, unsigned timeout_ms, struct diag *why)
{
	(void)self, (void)programs, (void)n;
	(void)expected_ms, (void)timeout_ms, (void)why;
	return DEVICE_OK;
}

static void
test_turns(void)
{
	struct qpu_device idle = device_emu;
	struct rig rig = open_rig("emulator");

	idle.run = run_nothing;
	ok(says(&rig, in_turn, true,
		"In turn: 20 came back, 0 by registers, 0 words wrong\n"),
	   "launches in turn are told");
	rig.device = &idle;
	ok(says(&rig, in_turn, true, "0 by registers, 320 words wrong\n"),
	   "wrong words of launches in turn are counted");
	rig_close(&rig);
	rig = open_rig("emulator:fault=stuck@5");
	ok(says(&rig, in_turn, false, "In turn: FAILED at 5 of 20: "),
	   "the first failure ends launches in turn");
	rig_close(&rig);
}

static void
test_two_cores(void)
{
	struct qpu_device idle = device_emu;
	struct rig rig = open_rig("emulator");
	cpu_set_t cores;

	idle.run = run_nothing;
	if (sched_getaffinity(0, sizeof(cores), &cores) != 0 ||
	    CPU_COUNT(&cores) < 2) {
		ok(says(&rig, in_turn, true, "Two cores: not asked"),
		   "a machine with one core is told");
		rig_close(&rig);
		return;
	}
	ok(says(&rig, in_turn, true,
		"another core, with a barrier: 0 of 20 launches wrong\n"),
	   "words that another core has written are there after a barrier");
	rig.device = &idle;
	ok(says(&rig, in_turn, true, "without a barrier: 20 of 20 launches"),
	   "words of another core that are not there are noticed");
	rig_close(&rig);
	rig = open_rig("emulator:fault=stuck@25");
	ok(says(&rig, in_turn, false, "with a barrier: FAILED: "),
	   "a failure ends both threads");
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
	test_other_times();
	test_turns();
	test_two_cores();
	return tap_done();
}
