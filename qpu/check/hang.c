/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/check/hang.h"

#include "qpu/check/experiment.h"
#include "qpu/check/loads.h"
#include "qpu/check/settle.h"
#include "src/base/clock.h"

/* A semaphore is left at 1; what the program answers does not matter. */
static const struct experiment leave = { .source = "srel -, 7\n" };

/* The first QPU passes the semaphore at once if it is still 1; if not, the
 * second one increments it. */
static const struct experiment find = {
	.id = "semaphore",
	.question = "Semaphore that was left at 1, after off and on",
	.source = "put 20, 0\n"
		  "nop\nnop\nnop\nnop\n"
		  "srel -, 1\n"
		  "sacq -, 7\n"
		  "put 20, 1\n"
		  "sacq -, 2\n"
		  "get r0, 21\n",
	.other = "sacq -, 1\n"
		 "ldi r1, 500\n"
		 ":wait\n"
		 "sub.setf r1, r1, 1\n"
		 "brr.anynz -, r:wait\nnop\nnop\nnop\n"
		 "get r0, 20\n"
		 "put 21, r0\n"
		 "nop\nnop\nnop\nnop\n"
		 "mov.setf -, r0\n"
		 "brr.anynz -, r:through\nnop\nnop\nnop\n"
		 "srel -, 7\n"
		 ":through\n"
		 "srel -, 2\n",
	.answers = { { "is 0 again", ALL(0) }, { "is still 1", ALL(1) } }
};

/* False when the program ended, which nobody expects, and when the firmware must
 * not be asked any more. */
static bool
print_hang(struct rig *rig, FILE *report)
{
	const uint64_t begun = clock_ns();
	struct device_program program;
	struct diag why;

	fputs("A program that never ends: ", report);
	settle(report);
	if (!load_endless(rig, &program, &why)) {
		fprintf(report, "not asked: %s\n", why.text);
		return false;
	}
	if (rig_run(rig, &program, 1, 0, &why)) {
		fputs("came back\n", report);
		return false;
	}
	fprintf(report, "given up: %s\nTime until then: %.0f ms\n", why.text,
		(double)(clock_ns() - begun) / CLOCK_NS_PER_MS);
	settle(report);
	return !rig->silent;
}

static bool
print_off_and_on(struct rig *rig, const char *device, const char *when,
		 FILE *report)
{
	struct diag why;

	fprintf(report, "Off and on %s: ", when);
	settle(report);
	rig_close(rig);
	if (!rig_open(rig, device, &why)) {
		fprintf(report, "FAILED: %s\n", why.text);
		return false;
	}
	fputs("possible\n", report);
	return true;
}

static bool
print_launch(struct rig *rig, FILE *report)
{
	struct load_adder adder;
	struct diag why;

	fputs("A launch after it: ", report);
	settle(report);
	if (!load_adder(rig, &adder, &why))
		return false;
	load_adder_write(&adder, 7);
	if (!rig_run(rig, &adder.program, 1, 0, &why)) {
		fprintf(report, "FAILED: %s\n", why.text);
		return false;
	}
	fprintf(report, "%s\n",
		load_adder_wrong(&adder, 7) == 0 ? "right" : "wrong");
	return true;
}

static bool
print_semaphore(struct rig *rig, const char *device, FILE *report)
{
	uint32_t lanes[EXPERIMENT_LANES];
	struct diag why;
	int verdict;

	if (rig->qpus < 2)
		return true;
	if (!experiment_run(rig, &leave, lanes, &why) ||
	    !print_off_and_on(rig, device, "with a semaphore at 1", report))
		return false;
	fprintf(report, "%s: ", find.question);
	settle(report);
	if (!experiment_run(rig, &find, lanes, &why)) {
		fprintf(report, "NO ANSWER: %s\n", why.text);
		return false;
	}
	verdict = experiment_verdict(&find, lanes);
	fprintf(report, "%s\n",
		verdict < 0 ? "none of the answers we know" :
			      find.answers[verdict].text);
	settle(report);
	return true;
}

bool
hang_print(struct rig *rig, const char *device, FILE *report)
{
	fputs("\n== A hang ==\n", report);
	return print_hang(rig, report) &&
	       print_off_and_on(rig, device, "after it", report) &&
	       print_launch(rig, report) &&
	       print_semaphore(rig, device, report);
}
