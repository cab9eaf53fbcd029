/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/check/questions.h"

#include <time.h>

#include "src/base/clock.h"

#define END                                                                    \
	"mov tlbm, r0\nmov tlbm, r0\nmov tlbm, r0\nmov tlbm, r0\n"             \
	"thrend\nnop\nsbdone\n"

enum {
	CLOCKS_PER_STEP = 20, /* of the program that counts */
	STEPS = 12500,	      /* 1 ms at 250 MHz */
	EMPTY_JOBS = 200,
};

/* Counts down from its uniform. */
static const char count_source[] = "mov r0, unif\nnop\n"
				   ":step\nsub.setf r0, r0, 1\n"
				   "brr.anynz -, r:step\nnop\nnop\nnop\n" END;

/* A row of windows of a tile, which are as many threads as it has blocks of 16
 * pixels, wherever these are. */
enum { ROW = 32 };

struct times {
	struct rig *rig;
	struct way_program count;
	FILE *report;
	struct diag why;
};

/* A job of one window. */
static bool
time_count(struct times *times, unsigned width, unsigned height, uint32_t steps,
	   double *ms)
{
	const uint32_t uniforms[2] = { steps }; /* and an address */
	const struct tile_rig_job job = {
		.tiles = 1,
		.ndraws = 1,
		.draws = { { &times->count, uniforms, NULL, 0, 0,
			     (uint16_t)width, (uint16_t)height } }
	};

	return tile_rig_run(times->rig, &job, ms, &times->why);
}

/* --- Threads, tiles, the clock -------------------------------------------- */

static bool
print_threads(struct times *times)
{
	static const struct {
		unsigned threads, width, height;
	} rows[] = { { 1, 4, 4 },    { 4, ROW, 2 },   { 12, ROW, 6 },
		     { 16, ROW, 8 }, { 24, ROW, 12 }, { 64, ROW, ROW } };
	bool good = true;
	double ms;

	fputs("Threads side by side, each about 1 ms at 250 MHz:",
	      times->report);
	for (size_t i = 0; good && i < sizeof(rows) / sizeof(*rows); i++) {
		settle(times->report);
		good = time_count(times, rows[i].width, rows[i].height, STEPS,
				  &ms);
		if (good)
			fprintf(times->report, " %u: %.2f ms", rows[i].threads,
				ms);
	}
	fputc('\n', times->report);
	settle(times->report);
	return good;
}

/*
 * Six tiles of 12 threads of 1 ms, but one of the first tile takes 10 ms.  Where
 * QPUs go on with later tiles all ends after 10 ms; each tile that waits until
 * the first one is stored takes another one.
 */
static bool
print_ahead(struct times *times)
{
	enum { TILES = 6 };
	const uint32_t usual[2] = { STEPS }, longest[2] = { 10 * STEPS };
	struct tile_rig_job job = { .tiles = TILES };
	double ms, tile_ms, long_ms, waited;

	if (!time_count(times, ROW, 6, STEPS, &tile_ms) ||
	    !time_count(times, 4, 4, 10 * STEPS, &long_ms))
		return false;
	for (unsigned i = 0; i < TILES; i++) {
		const uint16_t x = (uint16_t)(i * TILE_PIXELS);
		const uint16_t first = i == 0 ? 4 : 0;

		if (first)
			job.draws[job.ndraws++] = (struct tile_draw){
				&times->count, longest, NULL, x, 0, first, 4
			};
		job.draws[job.ndraws++] =
			(struct tile_draw){ &times->count,
					    usual,
					    NULL,
					    (uint16_t)(x + first),
					    0,
					    (uint16_t)(ROW - first),
					    4 };
		job.draws[job.ndraws++] =
			(struct tile_draw){ &times->count, usual, NULL, x, 4,
					    ROW / 2,	   4 };
	}
	if (!tile_rig_run(times->rig, &job, &ms, &times->why))
		return false;
	waited = (ms - long_ms) / tile_ms;
	fprintf(times->report,
		"Six tiles of 12 threads of 1 ms, one of the first 10 ms: "
		"%.2f ms: %.1f tiles wait for it (emulated: 5)\n",
		ms, waited);
	settle(times->report);
	return true;
}

/* After a second of work, since the clock is lower at rest. */
static bool
print_clock(struct times *times, bool quick)
{
	double few, many, ms;

	for (unsigned i = 0; i < (quick ? 2 : 200); i++)
		if (!time_count(times, ROW, ROW, STEPS, &ms))
			return false;
	if (!time_count(times, 4, 4, STEPS / 10, &few) ||
	    !time_count(times, 4, 4, STEPS * 10, &many))
		return false;
	fprintf(times->report, "Clock by jobs of known length: %.0f MHz\n",
		(STEPS * 10 - STEPS / 10) * (double)CLOCKS_PER_STEP /
			((many - few) * 1e3));
	settle(times->report);
	return true;
}

/* --- Jobs ----------------------------------------------------------------- */

static bool
print_empty_jobs(struct times *times, bool quick)
{
	static const uint32_t uniforms[2] = { 1 };
	const unsigned n = quick ? EMPTY_JOBS / 10 : EMPTY_JOBS;
	const struct tile_rig_job job = { .tiles = 1,
					  .ndraws = 1,
					  .draws = { { &times->count, uniforms,
						       NULL, 0, 0, 4, 4 } } };
	uint64_t begun = clock_ns(), tickets[2] = { 0 };
	double alone;

	for (unsigned i = 0; i < n; i++)
		if (!tile_rig_run(times->rig, &job, NULL, &times->why))
			return false;
	alone = (double)(clock_ns() - begun) / 1e3 / n;
	begun = clock_ns();
	for (unsigned i = 0; i < n; i++) {
		if (!tile_rig_submit(times->rig, &job, &tickets[i % 2],
				     &times->why) ||
		    (i > 0 && !tile_rig_wait(times->rig, tickets[(i + 1) % 2],
					     &times->why)))
			return false;
	}
	if (!tile_rig_wait(times->rig, tickets[(n + 1) % 2], &times->why))
		return false;
	fprintf(times->report,
		"Empty jobs: %.0f us each alone, %.0f us with two in the "
		"queue\n",
		alone, (double)(clock_ns() - begun) / 1e3 / n);
	settle(times->report);
	return true;
}

/* One job after a rest: the kernel has taken the V3D's power away after 40 ms, and
 * asks the firmware for it again. */
static bool
print_rested_job(struct times *times)
{
	const struct timespec rest = { .tv_nsec = 100000000 };
	uint64_t begun;
	double ms;

	nanosleep(&rest, NULL);
	begun = clock_ns();
	if (!time_count(times, 4, 4, 1, &ms))
		return false;
	fprintf(times->report, "An empty job after 100 ms of rest: %.0f us\n",
		(double)(clock_ns() - begun) / 1e3);
	settle(times->report);
	return true;
}

bool
tile_times_print(struct rig *rig, bool quick, FILE *report)
{
	struct times times = { .rig = rig, .report = report };
	bool good;

	begin_part("Threads, jobs and memory", report);
	if (rig->emulated)
		fputs("(The device is emulated: its times are modelled.)\n",
		      report);
	settle(report);
	good = tile_rig_load(rig, count_source, 2, &times.count, &times.why) &&
	       print_threads(&times) && print_ahead(&times) &&
	       print_clock(&times, quick) && print_empty_jobs(&times, quick) &&
	       print_rested_job(&times);
	if (!good)
		fprintf(report, "NO ANSWER: %s\n", times.why.text);
	rates_print("Memory of the driver", rig->memory.cpu, report);
	return good;
}
