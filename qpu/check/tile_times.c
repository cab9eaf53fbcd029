/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/check/tile_times.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "qpu/check/settle.h"
#include "src/base/clock.h"

#define END                                                                    \
	"mov tlbm, r0\nmov tlbm, r0\nmov tlbm, r0\nmov tlbm, r0\n"             \
	"thrend\nnop\nsbdone\n"

enum {
	CLOCKS_PER_STEP = 20, /* of the program that counts */
	STEPS = 12500,	      /* 1 ms at 250 MHz */
	EMPTY_JOBS = 200,
	MEMORY_BYTES = 1 << 20,
	STREAM_BYTES = 4096, /* of a lane, 32 a round */
	STREAM_ROUNDS = STREAM_BYTES / 32,
	LOADS = 8,
	UNWRITTEN = 0x5a5a5a5a
};

/* Counts down from its uniform. */
static const char count_source[] = "mov r0, unif\nnop\n"
				   ":step\nsub.setf r0, r0, 1\n"
				   "brr.anynz -, r:step\nnop\nnop\nnop\n" END;

/* Each lane reads eight words a round from a stream of its own.  They begin 4160
 * bytes apart: 4096 would be the same set of the TMU's cache for all. */
static const char stream_source[] =
	"mov ra1, unif\n"
	"mov r0, y_coord\n"
	"shl r0, r0, 5\n"
	"add r0, r0, x_coord\n"
	"shl r1, r0, 12\n"
	"shl r0, r0, 6\n"
	"add ra0, r0, r1\n"
	":round\n"
	"ldi r3, 8\n"
	"add unif_addr, r3, unif\n"
	"nop\nnop\n"
	"max r0, ra0, 0\n"
	"min r0, r0, unif\n"
	"add t0s, r0, unif\nadd t1s, r0, unif\n"
	"add t0s, r0, unif\nadd t1s, r0, unif\n"
	"add t0s, r0, unif\nadd t1s, r0, unif\n"
	"add t0s, r0, unif\nadd t1s, r0, unif\n"
	"ldtmu0\nldtmu1\nldtmu0\nldtmu1\nldtmu0\nldtmu1\nldtmu0\nldtmu1\n"
	"ldi r1, 32\n"
	"add ra0, ra0, r1\n"
	"sub.setf ra1, ra1, 1\n"
	"brr.anynz -, r:round\nnop\nnop\nnop\n"
	"mov r0, r4\nnop\n" END;

struct times {
	struct tile_rig *rig;
	struct tile_program count;
	uint32_t steps[2]; /* and an address */
	FILE *report;
	struct diag why;
};

static bool
time_count(struct times *times, unsigned tiles, unsigned width, unsigned height,
	   uint32_t steps, double *ms)
{
	const struct tile_rig_job job = { .program = &times->count,
					  .uniforms = times->steps,
					  .tiles = tiles,
					  .width = width,
					  .height = height };

	times->steps[0] = steps;
	return tile_rig_run(times->rig, &job, ms, &times->why);
}

/* --- Threads, tiles, the clock -------------------------------------------- */

/* A thread has 16 pixels, wherever they are. */
static bool
print_threads(struct times *times)
{
	static const struct {
		unsigned threads, width, height;
	} rows[] = { { 1, 4, 4 },   { 4, 32, 2 },   { 12, 32, 6 },
		     { 16, 32, 8 }, { 24, 32, 12 }, { 64, 32, 32 } };
	bool good = true;
	double ms;

	fputs("H3  threads side by side, each about 1 ms at 250 MHz:",
	      times->report);
	for (size_t i = 0; good && i < sizeof(rows) / sizeof(*rows); i++) {
		settle(times->report);
		good = time_count(times, 1, rows[i].width, rows[i].height,
				  STEPS, &ms);
		if (good)
			fprintf(times->report, " %u: %.2f ms", rows[i].threads,
				ms);
	}
	fputc('\n', times->report);
	settle(times->report);
	return good;
}

static bool
print_overlap(struct times *times)
{
	double few, many;

	if (!time_count(times, 10, 32, 6, STEPS, &few) ||
	    !time_count(times, 2, 32, 30, STEPS, &many))
		return false;
	fprintf(times->report,
		"H5  120 threads: 10 tiles of 12 in %.2f ms, 2 tiles of 60 in "
		"%.2f ms\n",
		few, many);
	settle(times->report);
	return true;
}

static bool
measure_clock(struct times *times, double *mhz)
{
	double few, many;

	if (!time_count(times, 1, 4, 4, STEPS / 10, &few) ||
	    !time_count(times, 1, 4, 4, STEPS * 10, &many))
		return false;
	*mhz = (STEPS * 10 - STEPS / 10) * (double)CLOCKS_PER_STEP /
	       ((many - few) * 1e3);
	return true;
}

static bool
print_clock(struct times *times, bool quick)
{
	double rested, worked, ms;

	if (!measure_clock(times, &rested))
		return false;
	for (unsigned i = 0; i < (quick ? 2 : 200); i++)
		if (!time_count(times, 1, 32, 32, STEPS, &ms))
			return false;
	if (!measure_clock(times, &worked))
		return false;
	fprintf(times->report,
		"H12 clock by a job of known length: %.0f MHz, after a second "
		"of work %.0f MHz\n",
		rested, worked);
	settle(times->report);
	return true;
}

/* --- Jobs ----------------------------------------------------------------- */

static bool
print_empty_jobs(struct times *times, bool quick)
{
	const unsigned n = quick ? EMPTY_JOBS / 10 : EMPTY_JOBS;
	const struct tile_rig_job job = { .program = &times->count,
					  .uniforms = times->steps,
					  .tiles = 1,
					  .width = 4,
					  .height = 4 };
	uint64_t begun = clock_ns(), tickets[2] = { 0 };
	double alone, ms;

	for (unsigned i = 0; i < n; i++)
		if (!time_count(times, 1, 4, 4, 1, &ms))
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
	return true;
}

/* A frame of a desktop waits as long as a job that was begun before it. */
static bool
print_delay(struct times *times, const char *words)
{
	static const unsigned lengths[] = { 5, 15, 30 };
	struct times other = *times;
	struct tile_rig rig;
	bool good;

	if (!tile_rig_open(&rig, words, &times->why))
		return false;
	other.rig = &rig;
	other.steps[0] = 1;
	good = tile_rig_load(&rig, count_source, 2, 0, &other.count,
			     &times->why);
	fputs("H10 another program's empty job beside ours:", times->report);
	for (size_t i = 0; good && i < sizeof(lengths) / sizeof(*lengths);
	     i++) {
		const struct tile_rig_job job = { .program = &times->count,
						  .uniforms = times->steps,
						  .tiles = 1,
						  .width = 32,
						  .height = 6 };
		uint64_t ticket = 0;
		double ms = 0;

		settle(times->report);
		times->steps[0] = lengths[i] * STEPS;
		good = tile_rig_submit(times->rig, &job, &ticket,
				       &times->why) &&
		       time_count(&other, 1, 4, 4, 1, &ms) &&
		       tile_rig_wait(times->rig, ticket, &times->why);
		if (good)
			fprintf(times->report, " of %u ms: %.1f ms", lengths[i],
				ms);
	}
	fputc('\n', times->report);
	settle(times->report);
	if (!good && other.why.text[0])
		times->why = other.why;
	tile_rig_close(&rig);
	return good;
}

/* --- Memory --------------------------------------------------------------- */

static double
rate(uint64_t begun_ns)
{
	return MEMORY_BYTES * 1e3 / (double)(clock_ns() - begun_ns);
}

static void
print_memory(struct times *times)
{
	volatile uint32_t *words = times->rig->data.cpu;
	uint8_t *own = calloc(1, MEMORY_BYTES);
	const int file = memfd_create("rates", MFD_CLOEXEC);
	double stored, filled, written, got, read = 0;
	uint64_t begun;

	if (!own || file < 0 || write(file, own, MEMORY_BYTES) != MEMORY_BYTES)
		goto end;
	begun = clock_ns();
	for (size_t i = 0; i < MEMORY_BYTES / 4; i++)
		words[i] = (uint32_t)i;
	stored = rate(begun);
	begun = clock_ns();
	memset(times->rig->data.cpu, 0x55, MEMORY_BYTES);
	filled = rate(begun);
	begun = clock_ns();
	memcpy(times->rig->data.cpu, own, MEMORY_BYTES);
	written = rate(begun);
	begun = clock_ns();
	if (pread(file, times->rig->data.cpu, MEMORY_BYTES, 0) == MEMORY_BYTES)
		read = rate(begun);
	begun = clock_ns();
	memcpy(own, times->rig->data.cpu, MEMORY_BYTES);
	/* The compiler must not leave out the copy. */
	__asm__ volatile("" : : "r"(own) : "memory");
	got = rate(begun);
	fprintf(times->report,
		"Memory of the driver: word by word %.0f MB/s, by memset %.0f, "
		"copied to %.0f, read(2) into %.0f, copied from %.0f\n",
		stored, filled, written, read, got);
end:
	if (file >= 0)
		close(file);
	free(own);
}

/* Time what some more rounds take in all lanes of 12 threads, one for each QPU,
 * on the device or as the cycle model has it. */
static bool
time_streams(struct tile_rig *rig, double *mb, struct diag *why)
{
	uint32_t uniforms[3 + LOADS + 1] = { 0, 0, TILE_RIG_DATA - 4 * LOADS };
	struct tile_program program;
	const struct tile_rig_job job = { .program = &program,
					  .uniforms = uniforms,
					  .tiles = 1,
					  .width = 32,
					  .height = 6 };
	struct device_totals before, after;
	double ms[2], best[2] = { 0 };

	for (unsigned i = 0; i < LOADS; i++)
		uniforms[3 + i] = 4 * i;
	if (!tile_rig_load(rig, stream_source, 3 + LOADS + 1, LOADS, &program,
			   why))
		return false;
	for (unsigned i = 0; i < 6; i++) {
		uniforms[0] = i % 2 ? STREAM_ROUNDS : STREAM_ROUNDS / 4;
		rig->device->totals(rig->handle, &before);
		if (!tile_rig_run(rig, &job, &ms[i % 2], why))
			return false;
		rig->device->totals(rig->handle, &after);
		if (after.timed)
			ms[i % 2] = after.busy_ms - before.busy_ms;
		if (best[i % 2] == 0 || ms[i % 2] < best[i % 2])
			best[i % 2] = ms[i % 2];
	}
	*mb = 192 * STREAM_BYTES * 0.75 / ((best[1] - best[0]) * 1e3);
	return true;
}

static bool
print_streams(struct times *times)
{
	struct tile_rig model;
	double mb, modelled = 0;
	struct diag why;

	if (!time_streams(times->rig, &mb, &times->why))
		return false;
	if (tile_rig_open(&model, "emulator:tiles,timed", &why)) {
		if (!time_streams(&model, &modelled, &why))
			modelled = 0;
		tile_rig_close(&model);
	}
	fprintf(times->report,
		"H9  192 streams of %d bytes through the TMUs: %.0f MB/s, "
		"modelled %.0f MB/s at 250 MHz\n",
		STREAM_BYTES, mb, modelled);
	return true;
}

/* --- A hang, and an hour of load ------------------------------------------ */

/* Have all pixels of the window been written?  A job that the kernel has ended
 * because it hung counts as done there. */
static bool
is_written(const struct times *times, unsigned width, unsigned height)
{
	const uint32_t *words = times->rig->results.cpu;

	for (unsigned y = 0; y < height; y++)
		for (unsigned x = 0; x < width; x++)
			if (words[tile_word(1, x, y, 0)] == UNWRITTEN)
				return false;
	return true;
}

static bool
run_marked(struct times *times, unsigned width, unsigned height, uint32_t steps,
	   double *ms, bool *written)
{
	uint32_t *words = times->rig->results.cpu;

	for (size_t i = 0; i < TILE_BYTES / sizeof(*words); i++)
		words[i] = UNWRITTEN;
	if (!time_count(times, 1, width, height, steps, ms))
		return false;
	*written = is_written(times, width, height);
	return true;
}

bool
tile_times_print_hang(struct tile_rig *rig, bool quick, FILE *report)
{
	static const unsigned lengths[] = { 300, 600, 900, 1200, 2500 };
	struct times times = { .rig = rig, .report = report };
	bool written = true, good;
	double ms;

	fputs("H7  a job ends by itself, or the kernel ends it:", report);
	good = tile_rig_load(rig, count_source, 2, 0, &times.count, &times.why);
	for (size_t i = 0;
	     good && written && i < sizeof(lengths) / sizeof(*lengths); i++) {
		const unsigned job_ms = quick ? lengths[i] / 300 : lengths[i];

		settle(report);
		good = run_marked(&times, 4, 4, job_ms * STEPS, &ms, &written);
		if (good)
			fprintf(report, " %u ms: %s after %.0f ms;", job_ms,
				written ? "by itself" : "RESET", ms);
	}
	settle(report);
	good = good && run_marked(&times, 4, 4, 1, &ms, &written);
	if (good)
		fprintf(report, " a short one after that: %s\n",
			written ? "written" : "NOT written");
	else
		fprintf(report, "\nH7: NO ANSWER: %s\n", times.why.text);
	return good;
}

bool
tile_times_print_load(struct tile_rig *rig, unsigned minutes, FILE *report)
{
	enum { JOB_MS = 15 };
	const uint64_t begun = clock_ns();
	const uint64_t wanted_ns = minutes * UINT64_C(60000) * CLOCK_NS_PER_MS;
	struct times times = { .rig = rig, .report = report };
	unsigned jobs = 0, unwritten = 0;
	double ms, longest = 0;
	bool written, good;

	fprintf(report, "H11 %u minutes of jobs of %u ms: ", minutes,
		(unsigned)JOB_MS);
	settle(report);
	good = tile_rig_load(rig, count_source, 2, 0, &times.count, &times.why);
	do {
		good = good &&
		       run_marked(&times, 32, 6, JOB_MS * STEPS, &ms, &written);
		jobs += good;
		unwritten += good && !written;
		if (good && ms > longest)
			longest = ms;
	} while (good && clock_ns() - begun < wanted_ns);
	fprintf(report, "%u jobs, %u not written, the longest took %.0f ms\n",
		jobs, unwritten, longest);
	if (!good)
		fprintf(report, "FAILED: %s\n", times.why.text);
	return good;
}

bool
tile_times_print(struct tile_rig *rig, const char *words, bool quick,
		 FILE *report)
{
	struct times times = { .rig = rig, .report = report };
	struct device_totals totals;
	bool good;

	fputs("\n== Threads, jobs and memory ==\n", report);
	rig->device->totals(rig->handle, &totals);
	if (totals.modelled)
		fputs("(The device is emulated: these times are those of the "
		      "emulation.)\n",
		      report);
	settle(report);
	good = tile_rig_load(rig, count_source, 2, 0, &times.count,
			     &times.why) &&
	       print_threads(&times) && print_overlap(&times) &&
	       print_clock(&times, quick) && print_empty_jobs(&times, quick) &&
	       print_delay(&times, words) && print_streams(&times);
	if (!good)
		fprintf(report, "NO ANSWER: %s\n", times.why.text);
	print_memory(&times);
	return good;
}
