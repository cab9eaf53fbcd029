/* SPDX-License-Identifier: MIT */
/*
 * Promise: what parts of the report of make check-hardware say of a device that
 * works and of one that does not (reports.golden), with a clock of a
 * millisecond a look.
 *
 * The first line of an input is a device and the name of a part.  The lines
 * after it are words of these:
 *
 *	idle		no program of the device writes anything
 *	timed		jobs of tiles do nothing but take their time, and the sum
 *			of it is shown
 *	misses		they do not even clear the last pixel of their window
 *	all		no launch and no job is left out
 *	alone		the program has one core
 *	slow		TMU misses take 10 us more, and count twice; each launch
 *			takes some us longer, and three of four even 1 ms
 *	spoils N...	sample N of the last pixel of a tile is another one; from
 *			each report come the lines that know an answer
 *	fails N...	the Nth job or launch is refused; from each report come
 *			the line that says so and the one before it
 */
#include "config.h"

#include <sched.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/check/hammer.h"
#include "qpu/check/hang.h"
#include "qpu/check/rig.h"
#include "qpu/check/sweep.h"
#include "qpu/check/tile_answers.h"
#include "qpu/check/tile_times.h"
#include "qpu/check/timing.h"
#include "qpu/check/turns.h"
#include "qpu/ways/emulated.h"
#include "tests/hardware/raw-words.h"
#include "tests/support/fault.h"
#include "tests/support/golden.h"
#include "tests/support/tap.h"

/* What is around the device of a case. */
static struct {
	bool idle, timed, misses, spoils, slow, all, alone;
	unsigned spoilt;  /* sample */
	double noise_ms;  /* of all launches */
	uint64_t busy_ns; /* with jobs of tiles */
	unsigned fails;	  /* this job or launch; 0 = none */
	unsigned jobs, unwritten;
} world;

static struct tile_rig tiles;
static FILE *report, *raw;
static char device[64]; /* which is opened again after a hang */

/* Devices ------------------------------------------------------------------ */

/* Is this job or launch refused?  The machine may stop at each, so all lines of
 * the report have to be written before it. */
static bool
is_refused(struct diag *why_not)
{
	world.unwritten += __fpending(report) > 0;
	if (++world.jobs != world.fails)
		return false;
	diag_set(why_not, "job %u was refused", world.jobs);
	return true;
}

/* The clock goes on by the time that the device says.  An idle device is one
 * from whose QPUs no store comes to memory. */
static enum device_status
run(void *self, const struct device_program *programs, unsigned n,
    double expected_ms, unsigned timeout_ms, struct diag *why_not)
{
	struct device_totals before, after;
	enum device_status status = DEVICE_OK;

	if (is_refused(why_not))
		return DEVICE_REFUSED;
	device_emu.totals(self, &before);
	if (!world.idle)
		status = device_emu.run(self, programs, n, expected_ms,
					timeout_ms, why_not);
	device_emu.totals(self, &after);
	fault_clock_advance((uint64_t)((after.busy_ms - before.busy_ms) * 1e6));
	world.noise_ms += world.jobs * 7 % 11 / 1e3 + (world.jobs % 4 ? 1 : 0);
	return status;
}

static void
slow_totals(void *self, struct device_totals *totals)
{
	device_emu.totals(self, totals);
	totals->modelled = totals->timed = false;
	totals->busy_ms += world.noise_ms;
	for (unsigned i = 0; i < totals->ncounters; i++)
		if (strcmp(totals->counters[i].name, "TMU cache misses") == 0) {
			totals->busy_ms +=
				0.01 * (double)totals->counters[i].value;
			totals->counters[i].value *= 2;
		}
}

/* A step of a thread takes 20 clocks at 250 MHz, and no thread runs beside
 * another: the time of a job tells how many there were. */
static uint64_t
job_ns(const struct tile_job *job)
{
	uint64_t pixels = 0;

	for (unsigned i = 0; i < job->ndraws; i++)
		pixels += job->draws[i].width * job->draws[i].height;
	return pixels / 16 * job->draws[0].uniforms[0] * 80;
}

static size_t
last_word(const struct tile_draw *draw)
{
	return tile_word(1, draw->width - 1u, draw->height - 1u, 0);
}

/* As if the kernel ended each job at once, or at its time. */
static enum device_status
submit(void *self, const struct tile_job *job, uint64_t *ticket,
       struct diag *why_not)
{
	uint32_t *words = job->results->cpu, last;

	if (is_refused(why_not))
		return DEVICE_REFUSED;
	if (!world.idle && !world.timed)
		return device_tiles_emulated.submit(self, job, ticket, why_not);
	last = words[last_word(job->draws)];
	for (size_t i = 0; i < TILE_BYTES / sizeof(*words); i++)
		words[i] = job->clear;
	if (world.misses)
		words[last_word(job->draws)] = last;
	if (job->depths)
		memset(job->depths->cpu, 0, TILE_BYTES);
	if (world.timed) {
		world.busy_ns += job_ns(job);
		fault_clock_advance(job_ns(job) +
				    (world.jobs * 2654435761u >> 28) * 1000);
	}
	*ticket = 1;
	return DEVICE_OK;
}

static enum device_status
await(void *self, uint64_t ticket, unsigned timeout_ms, struct diag *why_not)
{
	const size_t last =
		tile_word(1, TILE_PIXELS - 1, TILE_PIXELS - 1, world.spoilt);
	enum device_status status = DEVICE_OK;

	if (!world.idle && !world.timed)
		status = device_tiles_emulated.wait(self, ticket, timeout_ms,
						    why_not);
	if (world.spoils) {
		((uint32_t *)tiles.results.cpu)[last] ^= 0x11;
		((uint32_t *)tiles.depths.cpu)[last] ^= 0x11;
	}
	return status;
}

/* Parts -------------------------------------------------------------------- */

static bool
print_pixels(struct tile_rig *rig)
{
	return tile_answers_print(rig, report, raw);
}

static bool
print_threads(struct tile_rig *rig)
{
	return tile_threads_print(rig, report, raw);
}

static bool
print_jobs(struct tile_rig *rig)
{
	return tile_times_print(rig, device, !world.all, report);
}

static bool
print_long_jobs(struct tile_rig *rig)
{
	return tile_times_print_hang(rig, !world.all, report);
}

static bool
print_load(struct tile_rig *rig)
{
	return tile_times_print_load(rig, world.timed, report);
}

static bool
print_memory(struct rig *rig)
{
	hammer_print_memory(rig, report);
	return true;
}

static bool
print_launches(struct rig *rig)
{
	return hammer_print_launches(rig, !world.all, report);
}

static bool
print_turns(struct rig *rig)
{
	return turns_print(rig, !world.all, report);
}

static bool
print_sweep(struct rig *rig)
{
	return sweep_print(rig, report, raw);
}

static bool
print_hang(struct rig *rig)
{
	return hang_print(rig, device, report);
}

/* A time as the model has it, and one that a device may have its own of. */
static bool
print_times(struct rig *rig)
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
		{ .name = "pair",
		  .body = "nop\n",
		  .qpus = 2,
		  .rounds = 10,
		  .times = 2,
		  .units = 1,
		  .other = "nop\nnop\n" },
		{ 0 }
	};
	struct rig model;
	struct diag why_not;
	bool good;

	if (!rig_open(&model, "emulator:timed", &why_not))
		return false;
	good = timings_print(rig, &model, rows, report, raw);
	rig_close(&model);
	return good;
}

static const struct {
	const char *name;
	bool (*of_tiles)(struct tile_rig *);
	bool (*of_rig)(struct rig *);
} parts[] = { { "pixels", print_pixels, NULL },
	      { "threads", print_threads, NULL },
	      { "jobs", print_jobs, NULL },
	      { "long-jobs", print_long_jobs, NULL },
	      { "load", print_load, NULL },
	      { "memory", NULL, print_memory },
	      { "launches", NULL, print_launches },
	      { "turns", NULL, print_turns },
	      { "sweep", NULL, print_sweep },
	      { "times", NULL, print_times },
	      { "hang", NULL, print_hang } };

static bool
print_part(unsigned part, const char *words)
{
	struct tile_device tile_device = device_tiles_emulated;
	struct qpu_device qpu_device = device_emu;
	struct rig rig;
	struct diag why_not;
	bool good;

	if (parts[part].of_rig) {
		if (!rig_open(&rig, words, &why_not))
			return false;
		qpu_device.run = run;
		if (world.slow)
			qpu_device.totals = slow_totals;
		rig.device = &qpu_device;
		good = parts[part].of_rig(&rig);
		rig_close(&rig);
		return good;
	}
	if (!tile_rig_open(&tiles, words, &why_not))
		return false;
	tile_device.submit = submit;
	tile_device.wait = await;
	tiles.device = &tile_device;
	good = parts[part].of_tiles(&tiles);
	tile_rig_close(&tiles);
	return good;
}

/* Cases -------------------------------------------------------------------- */

static const char *
text_of(FILE *stream, char *text, size_t size)
{
	rewind(stream);
	text[fread(text, 1, size - 1, stream)] = '\0';
	return text;
}

/* The line that tells of the job that was refused, and the one before it. */
static const char *
end_of(const char *text)
{
	const char *at = strstr(text, " was refused");

	if (!at)
		return "no end\n";
	for (unsigned lines = 0; at > text && lines < 2; lines++)
		do
			at--;
		while (at > text && at[-1] != '\n');
	return at;
}

static void
write_known(char *text, struct golden_output *out)
{
	char *save = NULL, *line = strtok_r(text, "\n", &save);

	for (; line; line = strtok_r(NULL, "\n", &save))
		if (!strstr(line, "none of the answers we know"))
			golden_printf(out, "known", "%s\n", line);
}

/* `words` are a device, a part, and another device after a hang. */
static void
report_part(const char *words, struct golden_output *out)
{
	char name[32], text[16384], first[64];
	const char *said;
	bool good = false;
	int n = sscanf(words, "%63s %31s %63s", first, name, device);

	if (n < 3)
		memcpy(device, first, sizeof(device));
	report = tmpfile();
	fault_clock_set(FAULT_SECOND);
	fault_clock_step(FAULT_SECOND / 1000);
	world.jobs = 0;
	for (unsigned i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strcmp(parts[i].name, name) == 0)
			good = print_part(i, first);
	said = text_of(report, text, sizeof(text));
	if (world.fails && strstr(text, "\nMemory of"))
		*(strstr(text, "\nMemory of") + 1) = '\0';
	fclose(report);
	if (good == (world.fails > 0))
		golden_printf(out, "end",
			      good ? "no device failed\n" :
				     "the device failed\n");
	if (world.fails)
		golden_printf(out, "ends", "%s", end_of(text));
	else if (world.spoils)
		write_known(text, out);
	else
		golden_printf(out, "report", "%s", said);
}

/* A report for each number of a list. */
static void
report_parts(const char *words, const char *list, unsigned *number,
	     struct golden_output *out)
{
	char *end;

	for (*number = (unsigned)strtoul(list, &end, 10); end > list;
	     *number = (unsigned)strtoul(list, &end, 10)) {
		report_part(words, out);
		list = end;
	}
}

/* This process may use two cores, or one, wherever it is. */
static int
have_cores(pid_t pid, size_t bytes, cpu_set_t *set)
{
	(void)pid;
	memset(set, 0, bytes);
	CPU_SET(0, set);
	if (!world.alone)
		CPU_SET(1, set);
	return 0;
}

static void
report_on(const struct golden_case *c, struct golden_output *out)
{
	char text[512], *save = NULL, *first;
	const char *jobs = NULL, *samples = NULL;

	snprintf(text, sizeof(text), "%s", c->input.text);
	memset(&world, 0, sizeof(world));
	raw = tmpfile();
	first = strtok_r(text, "\n", &save);
	for (char *line; (line = strtok_r(NULL, "\n", &save));) {
		world.idle |= strcmp(line, "idle") == 0;
		world.timed |= strcmp(line, "timed") == 0;
		world.slow |= strcmp(line, "slow") == 0;
		world.misses |= strcmp(line, "misses") == 0;
		world.all |= strcmp(line, "all") == 0;
		world.alone |= strcmp(line, "alone") == 0;
		world.spoils |= strncmp(line, "spoils ", 7) == 0;
		if (world.spoils)
			samples = line + 7;
		if (strncmp(line, "fails ", 6) == 0)
			jobs = line + 6;
	}
	fault_hooks.sched_getaffinity = have_cores;
	if (jobs)
		report_parts(first, jobs, &world.fails, out);
	else if (samples)
		report_parts(first, samples, &world.spoilt, out);
	else
		report_part(first, out);
	if (world.timed && !jobs)
		golden_printf(out, "busy", "%u jobs, %.3f ms\n", world.jobs,
			      (double)world.busy_ns / 1e6);
	fault_clear();
	if (world.unwritten > 0)
		golden_printf(out, "unwritten", "before %u launches\n",
			      world.unwritten);
	if (!jobs && !samples)
		raw_write(raw, out);
	fclose(raw);
}

int
main(void)
{
	golden_run("tests/hardware/reports.golden", report_on);
	return tap_done();
}
