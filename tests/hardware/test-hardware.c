/* SPDX-License-Identifier: MIT */
/*
 * Promise: qpu-hwcheck, the program of make check-hardware, reports sound and
 * broken emulated devices (reports.golden), and devices whose answers differ from
 * the emulator's.
 *
 * The first line of an input is the program's arguments.  After a second line,
 * "differs", only lines that are not in the last whole report are shown, and the
 * number of lines that are only there.  The clock advances by a millisecond each
 * time that it is read.  The facts at the beginning describe this machine, so only
 * two are shown.
 */
#include "config.h"

int
hwcheck_main(int argc, char **argv);

#define main hwcheck_main
#include "qpu/check/hwcheck.c"
#undef main

#include <stdio_ext.h>

#include "qpu/pi/emulated.h"
#include "tests/support/capture.h"
#include "tests/support/fault.h"
#include "tests/support/golden.h"
#include "tests/support/tap.h"

/* The whole program -------------------------------------------------------- */

enum { WORDS = 8 };

struct call {
	int argc;
	char *argv[WORDS + 1];
};

static int
run_program(void *call_)
{
	struct call *call = call_;
	const struct balance before = balance_now();
	const int status = hwcheck_main(call->argc, call->argv);
	const struct balance after = balance_now();

	if (after.files != before.files || after.blocks != before.blocks ||
	    after.threads != before.threads)
		puts("Not given back");
	fflush(stdout);
	return status;
}

/* The last report that is shown as a whole. */
static char whole[16384];

/* Each line of a text, with its newline. */
static const char *
next_line(const char *text, char *line, size_t size)
{
	const size_t n = strcspn(text, "\n");

	snprintf(line, size, "%.*s\n", (int)n, text);
	return text + n + (text[n] == '\n');
}

/* Writes lines of a text that the other one does not have.  Returns how many. */
static unsigned
write_others(const char *text, const char *other, struct golden_output *out)
{
	char line[1024];
	unsigned n = 0;

	while (*text) {
		text = next_line(text, line, sizeof(line));
		/* The input names the device. */
		if (strstr(other, line) || strncmp(line, "Device: ", 8) == 0)
			continue;
		n++;
		if (out)
			golden_printf(out, "report", "%s", line);
	}
	return n;
}

/* Facts of the machine end with the first title, or with the last line. */
static void
write_report(const char *text, bool differs, struct golden_output *out)
{
	char line[1024], shown[sizeof(whole)] = "";
	bool facts = true;

	while (*text) {
		const size_t len = strlen(shown);

		text = next_line(text, line, sizeof(line));
		facts = facts && strncmp(line, "== ", 3) != 0;
		/* How often the way looks at the clock is its own affair. */
		if (strncmp(line, "Empty jobs: ", 12) == 0 ||
		    strncmp(line, "An empty job ", 13) == 0)
			strcpy(strchr(line, ':'), ": #\n");
		if (!facts || strncmp(line, "Device: ", 8) == 0 ||
		    strncmp(line, "Way: ", 5) == 0 ||
		    strstr(line, " cannot be used: "))
			snprintf(shown + len, sizeof(shown) - len, "%s", line);
	}
	if (differs) {
		write_others(shown, whole, out);
		golden_printf(out, "missing", "%u lines\n",
			      write_others(whole, shown, NULL));
	} else {
		golden_printf(out, "report", "%s", shown);
		memcpy(whole, shown, sizeof(whole));
	}
}

static void
report_on(const struct golden_case *c, struct golden_output *out)
{
	struct call call = { .argc = 1, .argv = { "qpu-hwcheck" } };
	struct capture capture;
	char text[512];
	char *second;

	snprintf(text, sizeof(text), "%s", c->input.text);
	second = strchr(text, '\n');
	*second++ = '\0';
	for (char *word = strtok(text, " "); word && call.argc < WORDS;
	     word = strtok(NULL, " "))
		call.argv[call.argc++] = word;
	fault_clock_set(FAULT_SECOND);
	fault_clock_step(FAULT_SECOND / 1000);
	capture_run(&capture, run_program, &call, false);
	write_report(capture.out.bytes ? capture.out.bytes : "", *second, out);
	if (capture.err.len > 0)
		golden_write(out, "stderr", capture.err.bytes, capture.err.len);
	if (capture.status)
		golden_printf(out, "status", "%d\n", capture.status);
	capture_free(&capture);
	fault_clear();
}

/* Devices that differ ------------------------------------------------------ */

static struct {
	struct rig rig;
	struct way_memory page; /* that has been allocated last */
	FILE *report;
	uint32_t word; /* that a launch leaves, or 0 for the right ones */
	double slower, more_ms; /* than the model */
	unsigned jobs, refused; /* of tiles, and the one that is */
	unsigned unwritten; /* launches before which lines were not written */
} world;

static enum device_status
run_differently(void *self, const struct way_job *job, uint64_t *ticket,
		struct diag *why)
{
	const struct device_program *programs = job->launch.programs;
	const struct way_memory *memory = &world.rig.memory;
	uint32_t *words;
	const unsigned n = programs->result_rows * RIG_WORDS;
	struct device_totals begun, done;
	enum device_status status;

	if (programs->results - memory->bus >= memory->bytes)
		memory = &world.page;
	words = (uint32_t *)memory->cpu + (programs->results - memory->bus) / 4;
	world.unwritten += __fpending(world.report) > 0;
	way_emulated.totals(self, &begun);
	status = way_emulated.submit(self, job, ticket, why);
	way_emulated.totals(self, &done);
	world.more_ms += (done.busy_ms - begun.busy_ms) * (world.slower - 1);
	for (unsigned i = 0; world.word && i < n; i++)
		words[i] = world.word;
	return status;
}

static bool
note_page(void *self, size_t bytes, struct way_memory *memory, struct diag *why)
{
	const bool good = way_emulated.alloc(self, bytes, memory, why);

	if (bytes == DEVICE_PAGE)
		world.page = *memory;
	return good;
}

static void
tell_differently(void *self, struct device_totals *totals)
{
	way_emulated.totals(self, totals);
	totals->busy_ms += world.more_ms;
}

static const char *
close_report(void)
{
	static char text[16384];

	rewind(world.report);
	text[fread(text, 1, sizeof(text) - 1, world.report)] = '\0';
	fclose(world.report);
	return text;
}

/* Return a part of the report of a device on which launches leave other words, or
 * take longer. */
static const char *
report_of(uint32_t word, double slower, bool (*print)(struct rig *, FILE *))
{
	struct way device = way_emulated;
	struct diag why;

	world.report = tmpfile();
	world.word = word;
	world.slower = slower;
	if (rig_open(&world.rig, "emulator", &why)) {
		device.submit = run_differently;
		device.alloc = note_page;
		device.totals = tell_differently;
		world.rig.way = &device;
		(void)print(&world.rig, world.report);
		rig_close(&world.rig);
	}
	return close_report();
}

static void
test_other_words(void)
{
	ok(strstr(report_of(0x80f17e01, 1, launches_print_forms),
		  "A: 16a is not packed, 16b is not packed, 8a is not packed, "
		  "8b is not packed, 8c is not packed, 8d is not packed "
		  "(NOT as emulated)\n"),
	   "results that are not packed are told");
	ok(strstr(report_of(0x3c3c3c3c, 1, launches_print_forms),
		  " 8d is lost (NOT as emulated)\n"),
	   "results that are lost are told");
}

static bool
print_all(struct rig *rig, FILE *report)
{
	return launches_print(rig, true, report) &&
	       launches_print_forms(rig, report) &&
	       rates_print_device(rig, report);
}

static void
test_slow_device(void)
{
	double told;
	const char *text = report_of(0, 2, print_all), *line;

	line = strstr(text, "Clock by launches of known length: ");
	ok(line && sscanf(line, "%*[^:]: %lf", &told) == 1 && told > 124 &&
		   told < 126,
	   "launches that take twice as long are told as half of the clock");
	ok(world.unwritten == 0,
	   "all lines are written before each launch, where the machine may "
	   "stop");
}

/* No job does anything. */
static enum device_status
submit_all_but_one(void *self, const struct way_job *job, uint64_t *ticket,
		   struct diag *why_not)
{
	(void)self;
	(void)job;
	*ticket = 1;
	world.unwritten += __fpending(world.report) > 0;
	if (++world.jobs != world.refused)
		return DEVICE_OK;
	diag_set(why_not, "job %u was refused", world.jobs);
	return DEVICE_REFUSED;
}

static enum device_status
wait_for_nothing(void *self, uint64_t ticket, unsigned timeout_ms,
		 struct diag *why)
{
	(void)self, (void)ticket, (void)timeout_ms, (void)why;
	return DEVICE_OK;
}

/* Return true if the report ends with job n, which is refused (none if n is 0). */
static bool
ends_with_job(unsigned n)
{
	struct way device = way_emulated_tiles;
	struct rig rig;
	struct diag why;
	char last[64];
	bool good;

	world.report = tmpfile();
	world.jobs = 0;
	world.refused = n;
	if (!rig_open(&rig, "emulator:tiles", &why))
		return false;
	device.submit = submit_all_but_one;
	device.wait = wait_for_nothing;
	rig.way = &device;
	good = tile_answers_print(&rig, world.report) &&
	       tile_times_print(&rig, true, world.report);
	rig_close(&rig);
	snprintf(last, sizeof(last), "NO ANSWER: job %u was refused\n", n);
	return good == (n == 0) && !strstr(close_report(), last) == good;
}

static void
test_refused_jobs(void)
{
	unsigned all, ended = 0, tried = 0;

	world.unwritten = 0;
	ok(ends_with_job(0),
	   "a device that refuses no job is asked all questions");
	all = world.jobs;
	/* The first ones, some others, and the last. */
	for (unsigned n = 1; n <= all;
	     n = n < all && 2 * n > all ? all : 2 * n, tried++)
		ended += ends_with_job(n) && world.jobs == n;
	ok(all > 40 && ended == tried,
	   "whichever job is refused, there is no other one, and it is told");
	ok(world.unwritten == 0, "all lines are written before each job");
}

int
main(void)
{
	golden_run("tests/hardware/reports.golden", report_on);
	test_other_words();
	test_slow_device();
	test_refused_jobs();
	return tap_done();
}
