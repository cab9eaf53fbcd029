/* SPDX-License-Identifier: MIT */
/*
 * Launches in turn, on two cores, and after a hang: what the report says of a
 * device that works, and of one that does not.
 */
#include "config.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/check/hang.h"
#include "qpu/check/turns.h"
#include "qpu/engine/device_emu.h"
#include "tests/support/tap.h"

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

/* A part of the report. */
typedef bool
reporter(struct rig *rig, FILE *report);

static bool
says(struct rig *rig, reporter *print, bool expected, const char *line)
{
	FILE *report = tmpfile();
	const bool good = print(rig, report);
	char text[8192];

	rewind(report);
	text[fread(text, 1, sizeof(text) - 1, report)] = '\0';
	fclose(report);
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

static bool
after_hang(struct rig *rig, FILE *report)
{
	return hang_print(rig, "emulator", report);
}

static bool
after_hang_gone(struct rig *rig, FILE *report)
{
	return hang_print(rig, "telepathy", report);
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
	   "launches in turn");
	rig.device = &idle;
	ok(says(&rig, in_turn, true, "0 by registers, 320 words wrong\n"),
	   "whose wrong words are counted");
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

static void
test_hang(void)
{
	struct rig rig = open_rig("emulator");

	ok(says(&rig, after_hang, true,
		"Off and on after it: possible\n"
		"A launch after it: right\n"
		"Off and on with a semaphore at 1: possible\n"
		"Semaphore that was left at 1, after off and on: is 0 again"),
	   "after a hang the device is as before");
	rig_close(&rig);
	rig = open_rig("emulator");
	ok(says(&rig, after_hang_gone, false,
		"Off and on after it: FAILED: there is no device"),
	   "what is in the way of a hang is told");
	rig_close(&rig);
}

int
main(void)
{
	test_turns();
	test_two_cores();
	test_hang();
	return tap_done();
}
