/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/check/timing.h"

#include <math.h>
#include <string.h>

#include "qpu/check/settle.h"

const struct timing timing_rows[] = {
#include "qpu/check/timing_rows.def"
};

/* One timing on one device ------------------------------------------------- */

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
			       "mov irq, 1\n" RIG_END;

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

/* The report --------------------------------------------------------------- */

enum {
	/* The long run of a real device takes this much longer than its short
	 * one, so that the noise of launches is small against it. */
	REAL_NS = 10 * 1000 * 1000,
	MOST_ROUNDS = 1 << 24
};

/* What a row measures on both devices. */
struct pair {
	struct measure real, model;
};

struct clocks {
	double real_mhz, model_mhz;
};

/*
 * The rounds for a real device follow from a first measurement, which may be
 * wrong by the noise of launches; the model guards against too few.
 */
static unsigned
real_rounds(const struct timing *row, const struct pair *first)
{
	const double round_ns =
		fmax(first->real.round_ns, first->model.round_ns / 2);
	const double rounds = REAL_NS / (2 * round_ns);

	if (rounds > MOST_ROUNDS)
		return MOST_ROUNDS;
	return rounds > row->rounds ? (unsigned)rounds : row->rounds;
}

/* The clock, at which the first row, nothing but instructions, must have
 * run. */
static double
clock_mhz(const struct timing *first, const struct measure *measured)
{
	const unsigned instructions =
		first->times * first->units + TIMING_LOOP_INSTRUCTIONS;

	return instructions * TIMING_CLOCKS * 1e3 / measured->round_ns;
}

/* The clocks of a round without counting and branching back. */
static double
unit_clocks(const struct timing *row, const struct measure *measured,
	    double mhz)
{
	const double clocks = measured->round_ns * mhz / 1e3 -
			      TIMING_LOOP_INSTRUCTIONS * TIMING_CLOCKS;

	return clocks / (row->times * row->units);
}

/* The model's counter of that name, if it has one. */
static void
print_model_counter(const struct measure *model, const char *name, FILE *raw)
{
	for (unsigned i = 0; i < model->ncounters; i++)
		if (strcmp(model->counters[i].name, name) == 0)
			fprintf(raw, ", modelled %.2f",
				model->counters[i].value);
}

/* Print the counters of a round. */
static void
print_counters(const struct timing *row, const struct pair *pair, FILE *raw)
{
	for (unsigned i = 0; i < pair->real.ncounters; i++) {
		const char *name = pair->real.counters[i].name;

		fprintf(raw, "%s: %s: %.2f", row->name, name,
			pair->real.counters[i].value);
		print_model_counter(&pair->model, name, raw);
		fputc('\n', raw);
	}
}

static void
print_row(const struct timing *row, const struct pair *pair,
	  const struct clocks *clocks, FILE *report)
{
	const double real = unit_clocks(row, &pair->real, clocks->real_mhz);
	const double model = unit_clocks(row, &pair->model, clocks->model_mhz);

	fprintf(report, "%9.1f %9.2f %9.2f %6.2f  %s\n",
		real / clocks->real_mhz * 1e3, real, model, real / model,
		row->name);
	if (row->bytes > 0)
		fprintf(report,
			"Rate of %s: %.0f MB/s, modelled %.0f MB/s at the same "
			"clock\n",
			row->name, row->bytes * clocks->real_mhz / real,
			row->bytes * clocks->real_mhz / model);
}

static bool
measure_pair(struct rig *rig, struct rig *model, const struct timing *row,
	     bool modelled, struct pair *pair, struct diag *why)
{
	return measure(model, row, row->rounds, &pair->model, why) &&
	       measure(rig, row, row->rounds, &pair->real, why) &&
	       (modelled ||
		measure(rig, row, real_rounds(row, pair), &pair->real, why));
}

static void
print_head(const struct rig *rig, const struct pair *first,
	   const struct clocks *clocks, FILE *report)
{
	const char *ways[] = { "", "" };

	if (rig->way) {
		ways[0] = " by mailbox";
		ways[1] = rig->has_registers ? " by registers" : " by mailbox";
	}
	fprintf(report,
		"The clock, by the first row: %.1f MHz.\n"
		"A launch%s: %.1f us, of a short program%s %.1f us, modelled "
		"%.1f us.\n"
		"       ns    clocks  modelled  ratio  of one ...\n",
		clocks->real_mhz, ways[0], first->real.launch_us, ways[1],
		first->real.short_us, first->model.launch_us);
}

static bool
print_all(struct rig *rig, struct rig *model, const struct timing *rows,
	  bool modelled, FILE *report, FILE *raw, struct diag *why)
{
	struct clocks clocks = { 0 };
	struct pair pair;

	for (const struct timing *row = rows; row->name; row++) {
		if (row->qpus > rig->qpus)
			continue;
		if (!measure_pair(rig, model, row, modelled, &pair, why))
			return false;
		if (row == rows) {
			clocks.real_mhz = clock_mhz(row, &pair.real);
			clocks.model_mhz = clock_mhz(row, &pair.model);
			print_head(rig, &pair, &clocks, report);
		}
		print_row(row, &pair, &clocks, report);
		print_counters(row, &pair, raw);
		settle(report);
	}
	/* A clock that was changed meanwhile makes the ratios worthless. */
	if (!measure_pair(rig, model, rows, modelled, &pair, why))
		return false;
	fprintf(report, "The clock, once more: %.1f MHz.\n",
		clock_mhz(rows, &pair.real));
	return true;
}

bool
timings_print(struct rig *rig, struct rig *model, const struct timing *rows,
	      FILE *report, FILE *raw)
{
	struct device_totals totals;
	struct diag why;

	fputs("\n== Times ==\n", report);
	settle(report);
	rig->device->totals(rig->handle, &totals);
	if (totals.modelled && !totals.timed) {
		fputs("None: this device has no clock; emulator:timed has.\n",
		      report);
		return true;
	}
	if (print_all(rig, model, rows, totals.modelled, report, raw, &why))
		return true;
	fprintf(report, "NO ANSWER: %s\n", why.text);
	return false;
}
