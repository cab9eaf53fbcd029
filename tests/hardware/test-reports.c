/* SPDX-License-Identifier: MIT */
/*
 * Promise: what parts of the report of make check-hardware say of a device that
 * works and of one that does not (reports.golden), with a clock of a
 * millisecond a look.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "qpu/check/hammer.h"
#include "qpu/check/hang.h"
#include "qpu/check/rig.h"
#include "qpu/check/sweep.h"
#include "qpu/check/tile_answers.h"
#include "qpu/check/tile_times.h"
#include "qpu/engine/tile_device_emu.h"
#include "tests/hardware/report-text.h"
#include "tests/support/fault.h"
#include "tests/support/golden.h"
#include "tests/support/tap.h"

static char device[64]; /* which is opened again after a hang */
static FILE *raw;

/* As if the kernel ended each job at once. */
static enum device_status
submit_nothing(void *self, const struct tile_job *job, uint64_t *ticket,
	       struct diag *why)
{
	uint32_t *words = job->results->cpu;

	(void)self, (void)why;
	for (size_t i = 0; i < TILE_BYTES / sizeof(*words); i++)
		words[i] = job->clear;
	if (job->depths)
		memset(job->depths->cpu, 0, TILE_BYTES);
	*ticket = 1;
	return DEVICE_OK;
}

static enum device_status
wait_for_nothing(void *self, uint64_t ticket, unsigned timeout_ms,
		 struct diag *why)
{
	(void)self, (void)ticket, (void)timeout_ms, (void)why;
	return DEVICE_OK;
}

/* Each step of a job takes 20 clocks at 250 MHz. */
static enum device_status
submit_in_time(void *self, const struct tile_job *job, uint64_t *ticket,
	       struct diag *why)
{
	fault_clock_advance(job->draws[0].uniforms[0] * UINT64_C(80));
	return device_tiles_emulated.submit(self, job, ticket, why);
}

static bool
print_pixels(struct tile_rig *rig, FILE *report)
{
	return tile_answers_print(rig, report, raw);
}

static bool
print_idle_pixels(struct tile_rig *rig, FILE *report)
{
	struct tile_device idle = *rig->device;
	bool good;

	idle.submit = submit_nothing;
	idle.wait = wait_for_nothing;
	rig->device = &idle;
	good = tile_answers_print(rig, report, raw);
	rig->device = &device_tiles_emulated;
	return good;
}

static bool
print_threads(struct tile_rig *rig, FILE *report)
{
	return tile_threads_print(rig, report, raw);
}

static bool
print_jobs(struct tile_rig *rig, FILE *report)
{
	struct tile_device timed = *rig->device;
	bool good;

	timed.submit = submit_in_time;
	rig->device = &timed;
	good = tile_times_print(rig, device, true, report);
	rig->device = &device_tiles_emulated;
	return good;
}

static bool
print_long_jobs(struct tile_rig *rig, FILE *report)
{
	return tile_times_print_hang(rig, true, report);
}

static bool
print_load(struct tile_rig *rig, FILE *report)
{
	return tile_times_print_load(rig, 0, report);
}

static bool
print_memory(struct rig *rig, FILE *report)
{
	hammer_print_memory(rig, report);
	return true;
}

static bool
print_launches(struct rig *rig, FILE *report)
{
	return hammer_print_launches(rig, true, report);
}

static bool
print_sweep(struct rig *rig, FILE *report)
{
	return sweep_print(rig, report, raw);
}

static bool
print_hang(struct rig *rig, FILE *report)
{
	return hang_print(rig, device, report);
}

static const struct {
	const char *name;
	bool (*of_tiles)(struct tile_rig *, FILE *report);
	bool (*of_rig)(struct rig *, FILE *report);
} parts[] = { { "pixels", print_pixels, NULL },
	      { "pixels-of-nobody", print_idle_pixels, NULL },
	      { "threads", print_threads, NULL },
	      { "jobs", print_jobs, NULL },
	      { "long-jobs", print_long_jobs, NULL },
	      { "load", print_load, NULL },
	      { "memory", NULL, print_memory },
	      { "launches", NULL, print_launches },
	      { "sweep", NULL, print_sweep },
	      { "hang", NULL, print_hang } };

static bool
print_part(unsigned part, const char *words, FILE *report)
{
	struct tile_rig tiles;
	struct rig rig;
	struct diag why;
	bool good;

	if (parts[part].of_rig) {
		if (!rig_open(&rig, words, &why))
			return false;
		good = parts[part].of_rig(&rig, report);
		rig_close(&rig);
		return good;
	}
	if (!tile_rig_open(&tiles, words, &why))
		return false;
	good = parts[part].of_tiles(&tiles, report);
	tile_rig_close(&tiles);
	return good;
}

/* The input is the name of a device and that of a part. */
static void
report_on(const struct golden_case *c, struct golden_output *out)
{
	char words[64], name[32], text[8192];
	int n;
	FILE *report = tmpfile();

	raw = tmpfile();
	n = sscanf(c->input.text, "%63s %31s %63s", words, name, device);
	if (n == 2)
		memcpy(device, words, sizeof(device));
	else if (n != 3)
		return;
	fault_clock_set(FAULT_SECOND);
	fault_clock_step(FAULT_SECOND / 1000);
	for (unsigned i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strcmp(parts[i].name, name) == 0 &&
		    !print_part(i, words, report))
			golden_printf(out, "end", "the device failed\n");
	fault_clear();
	golden_printf(out, "report", "%s",
		      report_text(report, text, sizeof(text)));
	golden_printf(out, "raw", "%s", report_text(raw, text, 120));
}

int
main(void)
{
	golden_run("tests/hardware/reports.golden", report_on);
	return tap_done();
}
