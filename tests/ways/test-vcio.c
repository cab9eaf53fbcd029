/* SPDX-License-Identifier: MIT */
/*
 * vcio.golden, drm.golden: the requests of the firmware's device and of the
 * driver, in order, and their messages, on virtual Raspberry Pis; memory is
 * returned wiped.  Each refusal by board, kernel or firmware is reported in one
 * sentence, and everything that was taken is returned.
 *
 * A case begins with a good Pi 2 whose memory is not cached.  Its commands are
 * those of device.h, and
 *
 *	pi OPTIONS		another Pi, with these options of qpuemu
 *	cached			a Pi 2 with cached memory
 *	wrong KIND=ANSWER...	the next answers are wrong (pi_wrong)
 *	no-memory		the next calloc() fails
 *	spare N			of the descriptors, from now on
 *	file PATH [TEXT], rm PATH	of the Pi
 *	long PATH TEXT		a file of which 8178 bytes are blanks
 *	probe
 *	end			the process is about to end
 *	requested, clock	the last request for memory; the clock now
 *	details			--list-devices=details
 *	missing			rows that it lacks, and the last step
 *	advice			on contiguous memory
 *	speed, queue		of the host; the most ms of jobs that may wait
 *
 * Requests are printed as letters (pi.h).  Anything left at the end of a Pi,
 * and any signal that could have reached the kernel while it allocates, would
 * be printed.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "qpu/ways/cleanup.h"
#include "qpu/ways/drm.h"
#include "qpu/ways/firmware.h"
#include "qpu/ways/host.h"
#include "qpu/ways/way.h"
#include "src/base/engine.h"
#include "tests/support/capture.h"
#include "tests/support/fault.h"
#include "tests/support/golden.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"
#include "tests/ways/device.h"
#include "tests/ways/pi.h"

#define PI2 "--board=pi2 --kms=no"

enum { USUAL = 12 };

static struct rlimit usual_limit;
static struct facts facts;
static struct diag why;

/* --- A Pi -------------------------------------------------------------------- */

static void
wrong(char *words)
{
	char *word;

	while ((word = strsep(&words, " ")) != NULL)
		if (!pi_wrong(word))
			golden_answer("there is no %s", word);
}

static void
make_file(char *text)
{
	const char *path = strsep(&text, " ");
	char line[64];

	snprintf(line, sizeof(line), "%s\n", text ? text : "");
	scratch_text(pi_place(path), line);
}

/* Make a file of 8178 blanks and the text. */
static void
make_long_file(char *text)
{
	static char bytes[8300];
	const char *path = strsep(&text, " ");

	snprintf(bytes, sizeof(bytes), "%8178s%s", "", text);
	scratch_text(pi_place(path), bytes);
}

static void
remove_file(char *path)
{
	scratch_remove(pi_place(path));
}

static void
fail_calloc(char *words)
{
	(void)words;
	fault_at(FAULT_calloc, 1, ENOMEM);
}

/* With this many free descriptors from now on. */
static void
spare(char *words)
{
	unsigned limit = 0, spare_ones = (unsigned)strtoul(words, NULL, 0);
	struct rlimit few = usual_limit;

	while (spare_ones > 0)
		spare_ones -= fcntl((int)limit++, F_GETFD) < 0;
	few.rlim_cur = limit;
	setrlimit(RLIMIT_NOFILE, &few);
}

/* --- The device ------------------------------------------------------------ */

static void
probe(char *words)
{
	(void)words;
	golden_answer("%s",
		      device_session.device->probe(&why) ? "usable" : why.text);
}

static void
end_process(char *words)
{
	(void)words;
	cleanup_run();
}

/* --- What is told ------------------------------------------------------------ */

static void
tell_requested(char *words)
{
	(void)words;
	golden_answer("%s", pi.requested);
}

static void
tell_clock(char *words)
{
	(void)words;
	golden_answer("%u MHz", (unsigned)(pi_clock_hz() / 1000000));
}

/* Return true if a row describes a node as this machine has it. */
static bool
is_node(const struct fact *row, const char *text)
{
	return row->value == (access(row->key, R_OK | W_OK) == 0) &&
	       !*text == (access(row->key, F_OK) != 0);
}

static void
tell_details(char *words)
{
	(void)words;
	memset(&facts, 0, sizeof(facts));
	device_session.device->details(&facts);
	for (unsigned i = 0; i < facts.n; i++) {
		const struct fact *row = &facts.rows[i];
		const char *text = facts_text(&facts, row);
		const int line = (int)strcspn(text, "\n");

		golden_tell("\n  %s: ", row->key ? row->key : "");
		if (row->kind == FACT_NUMBER)
			golden_tell("%s: %.0f%s%s", facts_label(&facts, row),
				    row->value / row->scale,
				    *row->unit ? " " : "", row->unit);
		else if (row->kind == FACT_TEXT)
			golden_tell("%s: %s", facts_label(&facts, row), text);
		else if (row->kind == FACT_NODE)
			golden_tell("%s", is_node(row, text) ? "a node" : "?");
		else
			golden_tell("%.*s", line, text);
	}
}

/* Which of these rows there are not, and the step that is left. */
static void
tell_missing(char *words)
{
	static const char *const usual[USUAL] = { "board",
						  "chip",
						  "gpu",
						  "qpus",
						  "clock_hz",
						  "most_clock_hz",
						  "gpu_memory_bytes",
						  "firmware",
						  "memory",
						  "cma_bytes",
						  "cma_free_bytes",
						  "kernel" };
	unsigned at = 0;

	(void)words;
	memset(&facts, 0, sizeof(facts));
	device_session.device->details(&facts);
	for (unsigned i = 0; i < USUAL; i++)
		if (at < facts.n && facts.rows[at].key &&
		    strcmp(facts.rows[at].key, usual[i]) == 0)
			at++;
		else
			golden_answer("%s", usual[i]);
	for (; at < facts.n; at++)
		if (facts.rows[at].kind == FACT_STEP)
			golden_answer("step: %.48s",
				      facts_text(&facts, &facts.rows[at]));
}

static void
tell_advice(char *words)
{
	struct diag text;

	(void)words;
	host_explain_contiguous(&text);
	golden_answer("%s", text.text);
}

static void
tell_speed(char *words)
{
	struct engine_speed speed = { .lanes = 3 };
	const unsigned mhz = host_speed(&speed);

	(void)words;
	golden_answer("%u MHz, a core %.0f MB/s, copies %.0f MB/s, %u lanes",
		      mhz, speed.core_rate / 1e6, speed.copy_rate / 1e6,
		      speed.lanes);
	if (fault_count(FAULT_ioctl) > 0)
		golden_answer("a node is asked");
}

static void
tell_queue(char *words)
{
	(void)words;
	golden_answer("%u ms", drm_queue_ms());
}

/* --- Cases ------------------------------------------------------------------- */

static const struct golden_command commands[] = {
	{ "wrong", wrong },
	{ "no-memory", fail_calloc },
	{ "spare", spare },
	{ "file", make_file },
	{ "long", make_long_file },
	{ "rm", remove_file },
	{ "probe", probe },
	{ "end", end_process },
	{ "requested", tell_requested },
	{ "clock", tell_clock },
	{ "details", tell_details },
	{ "missing", tell_missing },
	{ "advice", tell_advice },
	{ "speed", tell_speed },
	{ "queue", tell_queue },
	{ NULL, NULL },
};

/* Print a device's and its Pi's state after a command. */
static void
tell_device(const char *line)
{
	if (strncmp(line, "open", 4) == 0 && device_session.self) {
		if (device_session.device == &way_vcio && pi.locks != 1)
			golden_answer("not locked");
	} else if (strncmp(line, "run", 3) == 0) {
		if (pi.execute[0])
			golden_answer("%u for %u ms", (unsigned)pi.execute[0],
				      (unsigned)pi.execute[3]);
		if (pi.execute[2])
			golden_answer("caches are kept");
		if (qpus_may_run())
			golden_answer("QPUs may run");
	} else if (strncmp(line, "close", 5) == 0 && pi.mapped > 0) {
		golden_answer("%d mappings stay", pi.mapped);
	}
	memset(pi.execute, 0, sizeof(pi.execute));
}

static void
command(char *line)
{
	if (device_command(line))
		tell_device(line);
	else
		golden_command(commands, line);
	if (pi.unwiped > 0)
		golden_answer("not wiped");
	pi.unwiped = 0;
	if (pi.interruptible)
		golden_answer("a signal may come");
	if (*pi_events())
		golden_answer("asked %s", pi_events());
	pi_forget();
}

/* On the Pi, run the commands of standard input with a way. */
static int
run_on_pi(const char *name)
{
	static char text[16384];
	const struct golden_case c = {
		.file = name,
		.input = { "", text, fread(text, 1, sizeof(text) - 1, stdin) }
	};
	char none[] = "";
	struct balance before, after;

	device_session.device = strcmp(name, "drm") == 0 ? &way_drm : &way_vcio;
	balance_now();
	pi_begin();
	fault_clock_step(FAULT_SECOND / 1000);
	before = balance_now();
	golden_session(&c, command);
	setrlimit(RLIMIT_NOFILE, &usual_limit);
	device_close(none);
	after = balance_now();
	if (after.files != before.files || after.signals != before.signals ||
	    after.blocks != before.blocks)
		golden_tell("something is left\n");
	fputs(golden_told(), stdout);
	pi_end();
	return 0;
}

/* A part of a case is about one Pi, which its first line may name. */
static int
run_part(void *part)
{
	const struct golden_case *c = part;
	const char *text = c->input.text;
	char options[128] = PI2;
	FILE *in = tmpfile();

	if (strncmp(text, "cached", 6) == 0)
		strcpy(options, PI2 " --system=bullseye");
	else
		sscanf(text, "pi %127[^\n]", options);
	if (!in)
		return 99;
	fputs(text, in);
	rewind(in);
	dup2(fileno(in), STDIN_FILENO);
	pi_exec(options, "test-vcio",
		strstr(c->file, "drm") ? (char[]){ "drm" } :
					 (char[]){ "vcio" });
	return 99;
}

/* Return the next line that names a Pi, or the end. */
static const char *
next_part(const char *text)
{
	while (*text && *(text = text + strcspn(text, "\n")) && *++text)
		if (strncmp(text, "pi ", 3) == 0 ||
		    strncmp(text, "cached\n", 7) == 0)
			break;
	return text;
}

static void
drive(const struct golden_case *c, struct golden_output *out)
{
	const char *end;

	for (const char *text = c->input.text; *text; text = end) {
		struct golden_case part = *c;
		struct capture capture;

		end = next_part(text);
		part.input.text = strndup(text, (size_t)(end - text));
		part.input.len = (size_t)(end - text);
		capture_run(&capture, run_part, &part, false);
		golden_write(out, "", capture.out.bytes, capture.out.len);
		if (capture.status != 0)
			golden_printf(
				out, "", "status %d\n%s\n", capture.status,
				capture.err.bytes ? capture.err.bytes : "");
		capture_free(&capture);
		free((char *)part.input.text);
	}
}

int
main(int argc, char **argv)
{
	getrlimit(RLIMIT_NOFILE, &usual_limit);
	if (argc > 1)
		return run_on_pi(argv[1]);
	golden_run("tests/ways/vcio.golden", drive);
	golden_run("tests/ways/drm.golden", drive);
	return tap_done();
}
