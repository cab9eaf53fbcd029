/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/check/questions.h"

#include <inttypes.h>

enum { LOOP_CLOCKS = 20, USUAL_MHZ = 250, QUICK = 300 };

void
launches_print_memory(struct rig *rig, FILE *report)
{
	struct device_totals totals;

	begin_part("Memory", report);
	rig->way->totals(rig->handle, &totals);
	if (totals.memory)
		fprintf(report, "Source: %s\n", totals.memory);
	fprintf(report, "Alias: %" PRIx32 "\n", rig->memory.bus >> 30 << 2);
	settle(report);
}

/* A program that counts. */
static const char count_text[] = "mov r0, unif\n" /* address of the vector */
				 "mov r0, unif\n"
				 ":loop\n"
				 "sub.setf r0, r0, 1\n"
				 "brr.anynz -, r:loop\n"
				 "nop\nnop\nnop\n";

/* Many launches, one after the other. */
struct series {
	const char *what;
	unsigned wanted, done;
	double sum_ms, longest_ms;
	struct diag why;
};

static bool
launch(struct rig *rig, const struct rig_program *program,
       struct series *series)
{
	double ms;

	if (!rig_run(rig, program, &ms, &series->why))
		return false;
	series->done++;
	series->sum_ms += ms;
	if (ms > series->longest_ms)
		series->longest_ms = ms;
	return true;
}

static bool
print_series(const struct series *series, FILE *report)
{
	if (series->done == series->wanted)
		fprintf(report,
			"%s: %u came back, %.3f ms each, the slowest %.3f ms\n",
			series->what, series->done,
			series->sum_ms / series->done, series->longest_ms);
	else
		fprintf(report, "%s: FAILED at %u of %u: %s\n", series->what,
			series->done + 1, series->wanted, series->why.text);
	settle(report);
	return series->done == series->wanted;
}

static bool
print_count(struct rig *rig, double ms, unsigned n, unsigned launches,
	    double *each_ms, FILE *report)
{
	const uint32_t loops = (uint32_t)(ms * USUAL_MHZ * 1000 / LOOP_CLOCKS);
	struct series series = { .wanted = launches };
	struct rig_program program;
	char what[64];

	snprintf(what, sizeof(what), "Launches of %.1f ms on %u QPUs", ms, n);
	series.what = what;
	if (rig_assemble(rig, count_text, n, &program, &series.why)) {
		for (unsigned i = 0; i < n; i++)
			program.uniforms[i][2] = loops;
		while (series.done < launches && launch(rig, &program, &series))
			;
	}
	if (each_ms)
		*each_ms = series.sum_ms / launches;
	return print_series(&series, report);
}

/* Write, use and read the same words in each launch: old ones would come from a
 * cache that the launch should have cleared. */
static bool
print_words(struct rig *rig, unsigned launches, FILE *report)
{
	struct series series = { .what = "Launches on the same words",
				 .wanted = launches };
	struct rig_program adder;
	unsigned wrong = 0;

	if (!rig_assemble(rig, RIG_LOAD "add r0, r4, 1\n" RIG_STORE, 1, &adder,
			  &series.why))
		return print_series(&series, report);
	while (series.done < launches) {
		const uint32_t first = series.done * RIG_WORDS;

		for (uint32_t i = 0; i < RIG_WORDS; i++)
			adder.vector[i] = first + i;
		if (!launch(rig, &adder, &series))
			break;
		for (uint32_t i = 0; i < RIG_WORDS; i++)
			wrong += adder.vector[i] != first + i + 1;
	}
	fprintf(report, "Words used again: %u of %u wrong\n", wrong,
		series.done * RIG_WORDS);
	return print_series(&series, report);
}

bool
launches_print(struct rig *rig, bool quick, FILE *report)
{
	enum { SHORT_MS = 5, LONG_MS = 100 };
	const unsigned part = quick ? QUICK : 1;
	struct device_totals totals;
	double short_ms, long_ms;

	begin_part("Launches", report);
	if (!print_count(rig, 0.1, 1, 2000 / part, NULL, report) ||
	    !print_count(rig, 0.1, rig->qpus, 2000 / part, NULL, report) ||
	    !print_count(rig, SHORT_MS, 1, 1000 / part, &short_ms, report) ||
	    !print_count(rig, LONG_MS, 1, 300 / part, &long_ms, report))
		return false;
	rig->way->totals(rig->handle, &totals);
	fprintf(report, "Clock by launches of known length: %.0f MHz\n",
		USUAL_MHZ * (LONG_MS - SHORT_MS) / (long_ms - short_ms));
	if (totals.clock_hz > 0)
		fprintf(report, "V3D clock after a launch: %u kHz\n",
			(unsigned)(totals.clock_hz / 1000));
	settle(report);
	return print_words(rig, 10000 / part, report);
}

bool
launches_print_forms(struct rig *rig, FILE *report)
{
	struct diag answer;

	begin_part("Forms of instructions", report);
	fprintf(report, FORMS_QUESTION ": ");
	settle(report);
	return print_forms(forms_ask(rig->way, rig->handle, &answer), &answer,
			   report);
}
