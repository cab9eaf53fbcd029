/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/check/measure.h"

#include <stdio.h>

enum {
	TEXT_BYTES = 16384,
	/* Length of the long run, in short ones. */
	LONGER = 3,
	/* The shortest of this many launches counts: in the first one caches
	 * are cold that no launch clears, and a real device has noise. */
	MODEL_TRIES = 2,
	REAL_TRIES = 5,
	UNIFORMS = 5
};

/* Long enough that a device does not start it as a short program. */
static const double SHORT_MS = 0.01;

static const char prologue[] =
	".macro lanes, apart\n"
	"ldi r0, apart\n"
	"mul24 r0, r0, elem_num\n"
	"add ra1, r0, rb31\n"
	"nop\n"
	".endm\n"
	"mov ra31, unif\n" /* rounds */
	"mov rb31, unif\n"
	"mov rb30, unif\n"
	"mov ra29, unif\n"  /* is it the first QPU? */
	"mov ra30, unif\n"; /* then, for how many it waits */
static const char loop_begin[] = "\n.align 64\n"
				 ":loop\n";
/* The first QPU ends last, and raises the interrupt. */
static const char loop_end[] = "sub.setf ra31, ra31, 1\n"
			       "brr.anynz -, r:loop\n"
			       "nop\nnop\nnop\n"
			       "mov.setf -, ra29\n"
			       "brr.anynz -, r:first\n"
			       "nop\nnop\nnop\n"
			       "srel -, 0\n"
			       "thrend\nnop\nnop\n"
			       ":first\n"
			       "mov.setf r0, ra30\n"
			       "brr.allz -, r:last\n"
			       "nop\nnop\nnop\n"
			       ":gather\n"
			       "sub.setf r0, r0, 1\n"
			       "brr.anynz -, r:gather\n"
			       "sacq -, 0\nnop\nnop\n"
			       ":last\n"
			       "mov irq, 1\n"
			       "thrend\nnop\nnop\n"
			       ".rep i, 16\nnop\n.endr\n";

/* A timing that is being run. */
struct trial {
	struct rig *rig;
	const struct timing *timing;
	uint32_t code[2]; /* of the first QPU, and of the others */
	struct rig_piece data;
};

static bool
assemble(struct rig *rig, const struct timing *timing, const char *body,
	 uint32_t *code, struct diag *why)
{
	char text[TEXT_BYTES];
	size_t len = 0;

	len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s%s",
				prologue, timing->setup ? timing->setup : "",
				loop_begin);
	for (unsigned i = 0; i < timing->times && len < sizeof(text); i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s",
					body);
	if (len < sizeof(text))
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s",
					loop_end);
	if (len < sizeof(text))
		return rig_assemble(rig, text, code, why);
	diag_set(why, "the text of a loop is too long");
	return false;
}

static bool
prepare(struct trial *trial, struct diag *why)
{
	const struct timing *timing = trial->timing;

	if (!assemble(trial->rig, timing, timing->body, &trial->code[0], why))
		return false;
	trial->code[1] = trial->code[0];
	return (!timing->other || assemble(trial->rig, timing, timing->other,
					   &trial->code[1], why)) &&
	       rig_data(trial->rig, &trial->data, why);
}

/* Make one launch; the result is the time that the device says it took. */
static bool
run_once(const struct trial *trial, unsigned rounds, double expected_ms,
	 double *ms, struct device_totals *after, struct diag *why)
{
	const struct timing *timing = trial->timing;
	struct rig *rig = trial->rig;
	struct device_program programs[DEVICE_QPUS] = { { 0 } };
	struct device_totals before;

	for (unsigned i = 0; i < timing->qpus; i++) {
		const uint32_t words[UNIFORMS] = {
			rounds, trial->data.bus + i * (uint32_t)timing->apart,
			trial->data.bus, i == 0, timing->qpus - 1
		};
		struct rig_piece uniforms;

		if (!rig_take(rig, sizeof(words), &uniforms, why))
			return false;
		rig_write(&uniforms, 0, words, UNIFORMS);
		programs[i].code = trial->code[i > 0];
		programs[i].uniforms = uniforms.bus;
	}
	rig->device->totals(rig->handle, &before);
	if (!rig_run(rig, programs, timing->qpus, expected_ms, why))
		return false;
	rig->device->totals(rig->handle, after);
	*ms = after->busy_ms - before.busy_ms;
	for (unsigned i = 0; i < after->ncounters; i++)
		after->counters[i].value -= before.counters[i].value;
	return true;
}

/* The time of the shortest of some launches; *delta is that of the last one. */
static bool
run_best(const struct trial *trial, unsigned rounds, double expected_ms,
	 double *best, struct device_totals *delta, struct diag *why)
{
	double ms;

	if (!run_once(trial, rounds, expected_ms, best, delta, why))
		return false;

	const unsigned tries = delta->modelled ? MODEL_TRIES : REAL_TRIES;
	for (unsigned i = 1; i < tries; i++) {
		if (!run_once(trial, rounds, expected_ms, &ms, delta, why))
			return false;
		if (ms < *best)
			*best = ms;
	}
	return true;
}

bool
measure(struct rig *rig, const struct timing *timing, unsigned rounds,
	struct measure *result, struct diag *why)
{
	const double difference = (LONGER - 1) * (double)rounds;
	struct trial trial = { .rig = rig, .timing = timing };
	struct device_totals once, few, many;
	double once_ms, few_ms, many_ms;

	if (!prepare(&trial, why) ||
	    !run_best(&trial, 1, SHORT_MS, &once_ms, &once, why) ||
	    !run_best(&trial, rounds, 0, &few_ms, &few, why) ||
	    !run_best(&trial, LONGER * rounds, 0, &many_ms, &many, why))
		return false;
	*result = (struct measure){ .round_ns = (many_ms - few_ms) * 1e6 /
						difference,
				    .ncounters = many.ncounters };
	result->launch_us = few_ms * 1e3 - rounds * result->round_ns / 1e3;
	result->short_us = once_ms * 1e3 - result->round_ns / 1e3;
	for (unsigned i = 0; i < many.ncounters; i++) {
		result->counters[i].name = many.counters[i].name;
		result->counters[i].value = ((double)many.counters[i].value -
					     (double)few.counters[i].value) /
					    difference;
	}
	return true;
}
