/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/check/times.h"

#include <math.h>
#include <string.h>

#include "qpu/check/measure.h"
#include "qpu/check/settle.h"
#include "qpu/check/timing.h"

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
times_print(struct rig *rig, struct rig *model, const struct timing *rows,
	    FILE *report, FILE *raw)
{
	struct device_totals totals;
	struct diag why;

	fputs("\n== Times ==\n", report);
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
