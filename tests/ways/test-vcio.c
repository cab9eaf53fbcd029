/* SPDX-License-Identifier: MIT */
/*
 * vcio.golden: the requests of the firmware's device, in order, and its
 * messages; where its memory is, and that it is returned wiped.  Each refusal
 * by board, kernel or firmware is reported in one sentence, and everything that
 * was taken is returned.
 *
 * A case begins with a good Pi 2 whose memory is not cached.  Its commands are
 * those of device.h, and
 *
 *	pi [cached] [KEY=VALUE]...	another Pi, with these members of struct pi
 *	set [KEY=VALUE]...		the same Pi; cma=TOTAL/FREE is in its meminfo
 *	no-memory		the next calloc() fails
 *	spare N			of the descriptors, from now on
 *	probe
 *	end			the process is about to end
 *	control			the control block
 *	requests, clock		requests to the kernel; the clock now
 *	details [N]		N rows of --list-devices=details, or all
 *	missing			rows that it lacks, and the last step
 *	advice			on contiguous memory
 *
 * Requests are printed as letters (pi.h).  Anything left at the end of a case,
 * and any signal that could have reached the kernel while it allocates, would
 * be printed.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "qpu/ways/board.h"
#include "qpu/ways/firmware.h"
#include "qpu/ways/held.h"
#include "qpu/ways/way.h"
#include "src/base/engine.h"
#include "tests/support/fault.h"
#include "tests/support/golden.h"
#include "tests/support/tap.h"
#include "tests/ways/device.h"
#include "tests/ways/pi.h"

enum { TEXTS = 8, TEXT_BYTES = 128, USUAL = 12 };

static const uint32_t *control;
static char texts[TEXTS][TEXT_BYTES]; /* of struct pi */
static unsigned ntexts;
static struct rlimit usual_limit;
static struct facts facts;
static struct diag why;

/* --- A Pi -------------------------------------------------------------------- */

#define KEY(name, member, is_text)                                             \
	{                                                                      \
		name, offsetof(struct pi, member),                             \
			sizeof(((struct pi *)0)->member), is_text              \
	}
#define NUMBER(member) KEY(#member, member, false)

static const struct key {
	const char *name;
	size_t at, bytes;
	bool is_text;
} keys[] = {
	NUMBER(is_pc),
	KEY("chip", chip, true),
	KEY("model", model, true),
	KEY("status", status, true),
	NUMBER(has_module),
	KEY("other_file", other_file, true),
	NUMBER(nodes),
	NUMBER(machine),
	KEY("open_vcio", open_errors[PI_VCIO], false),
	KEY("open_vcsm", open_errors[PI_VCSM], false),
	KEY("open_heap", open_errors[PI_HEAP], false),
	NUMBER(lock_error),
	NUMBER(map_error),
	NUMBER(heap_error),
	NUMBER(import_error),
	NUMBER(vcsm_error),
	KEY("flush", sync_errors[0], false),
	KEY("sync1", sync_errors[1], false),
	KEY("sync2", sync_errors[2], false),
	NUMBER(enable_error),
	NUMBER(run_error),
	NUMBER(lost_tag),
	NUMBER(lost),
	NUMBER(no_memory),
	NUMBER(gpu_mib),
	NUMBER(enable_answer),
	NUMBER(run_answer),
	NUMBER(clock_hz),
	NUMBER(set_hz),
	NUMBER(clock_off),
	NUMBER(dma_addr),
};

/* A number, or the name of an errno. */
static uint64_t
value_of(const char *text)
{
	static const struct {
		const char *name;
		int error;
	} errors[] = { { "EACCES", EACCES }, { "EAGAIN", EAGAIN },
		       { "EINTR", EINTR },   { "EINVAL", EINVAL },
		       { "EIO", EIO },	     { "EMFILE", EMFILE },
		       { "ENFILE", ENFILE }, { "ENOENT", ENOENT },
		       { "ENOLCK", ENOLCK }, { "ENOMEM", ENOMEM },
		       { "EPERM", EPERM },   { "ETIMEDOUT", ETIMEDOUT } };

	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (strcmp(errors[i].name, text) == 0)
			return (uint64_t)errors[i].error;
	return strtoull(text, NULL, 0);
}

/* "CmaTotal: 65536 kB" and so on; a number that is missing has no line. */
static void
set_meminfo(const char *cma, char *text)
{
	const char *free_part = strchr(cma, '/') + 1;
	size_t len = 0;

	*text = '\0';
	if (*cma != '/')
		len = (size_t)snprintf(text, TEXT_BYTES, "CmaTotal: %lu kB\n",
				       strtoul(cma, NULL, 10));
	if (*free_part)
		snprintf(text + len, TEXT_BYTES - len, "CmaFree: %s kB\n",
			 free_part);
	pi.meminfo = text;
}

static void
set_word(const char *word)
{
	const size_t len = strcspn(word, "=");
	char *text = texts[ntexts++ % TEXTS];
	const char *value = word + len + (word[len] == '=');
	const uint64_t number = value_of(value);

	if (strncmp(word, "cma=", 4) == 0) {
		set_meminfo(value, text);
		return;
	}
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (strlen(keys[i].name) != len ||
		    strncmp(keys[i].name, word, len) != 0)
			continue;
		snprintf(text, TEXT_BYTES, "%s", value);
		memcpy((char *)&pi + keys[i].at,
		       keys[i].is_text ? (const void *)&text :
					 (const void *)&number,
		       keys[i].bytes);
		return;
	}
	golden_answer("there is no %s", word);
}

static void
set_words(char *words)
{
	char *word;

	while ((word = strsep(&words, " ")) != NULL)
		if (*word)
			set_word(word);
}

static void
begin_pi(char *words)
{
	const bool cached = strncmp(words, "cached", 6) == 0;

	device_close(words);
	pi_begin(cached ? PI_CACHED : PI_UNCACHED);
	fault_clock_step(FAULT_SECOND / 1000);
	set_words(words + (cached ? 6 : 0));
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
	golden_answer("%s", way_vcio.probe(&why) ? "usable" : why.text);
}

static void
end_process(char *words)
{
	(void)words;
	held_release();
}

/* --- What is told ------------------------------------------------------------ */

static void
tell_control(char *words)
{
	(void)words;
	golden_answer("%x:%x %x:%x", (unsigned)control[0], (unsigned)control[1],
		      (unsigned)control[2], (unsigned)control[3]);
}

static void
tell_requests(char *words)
{
	(void)words;
	if (pi.vcsm.num)
		golden_answer("%s: %u x %u bytes, cached %u", pi.vcsm.name,
			      (unsigned)pi.vcsm.num, (unsigned)pi.vcsm.size,
			      (unsigned)pi.vcsm.cached);
	if (pi.heap.bytes)
		golden_answer("heap: %llu bytes, %u, flags %s and %llu",
			      (unsigned long long)pi.heap.bytes, pi.heap.fd,
			      pi.heap.fd_flags == (O_RDWR | O_CLOEXEC) ?
				      "as usual" :
				      "wrong",
			      (unsigned long long)pi.heap.heap_flags);
	if (pi.heap.bytes)
		golden_answer("%s: import, cached %u", pi.import.name,
			      (unsigned)pi.import.cached);
}

static void
tell_clock(char *words)
{
	(void)words;
	golden_answer("%u MHz%s", (unsigned)(pi.set_hz / 1000000),
		      pi.clock_off ? ", off" : "");
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
	const unsigned most = *words ? (unsigned)strtoul(words, NULL, 0) :
				       FACTS_MAX;

	memset(&facts, 0, sizeof(facts));
	way_vcio.details(&facts);
	for (unsigned i = 0; i < facts.n && i < most; i++) {
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
	way_vcio.details(&facts);
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
	if (fault_count(FAULT_open) == 0)
		golden_answer("nothing is opened");
}

static void
tell_advice(char *words)
{
	struct diag text;

	(void)words;
	board_explain_contiguous(&text);
	golden_answer("%s", text.text);
}

/* --- Cases ------------------------------------------------------------------- */

static const struct {
	const char *name;
	void (*function)(char *words);
} commands[] = {
	{ "pi", begin_pi },	      { "set", set_words },
	{ "no-memory", fail_calloc }, { "spare", spare },
	{ "probe", probe },	      { "end", end_process },
	{ "control", tell_control },  { "requests", tell_requests },
	{ "clock", tell_clock },      { "details", tell_details },
	{ "missing", tell_missing },  { "advice", tell_advice },
};

/* Print a device's and its Pi's state after a command. */
static void
tell_device(const char *name, int mapped, int buffers)
{
	const struct device_session *session = &device_session;
	const struct way_memory *last =
		&session->memories[session->nmemories] - 1;

	if (strcmp(name, "open") == 0) {
		control = pi.last;
		if (session->self && pi.locks != 1)
			golden_answer("not locked");
	} else if (strcmp(name, "take") == 0) {
		if (pi.buffers != buffers)
			golden_answer("%d descriptors", pi.buffers - buffers);
		if (pi.mapped > mapped &&
		    (last->cpu != pi.last || last->bytes != pi.last_bytes))
			golden_answer("not mapped");
	} else if (strcmp(name, "run") == 0) {
		if (pi.execute[0])
			golden_answer("%u for %u ms", (unsigned)pi.execute[0],
				      (unsigned)pi.execute[3]);
		if (pi.execute[0] && pi.execute[1] != 0xda000000)
			golden_answer("no control block");
		if (pi.execute[2])
			golden_answer("caches are kept");
		if (held_qpus_may_run())
			golden_answer("QPUs may run");
	} else if (strcmp(name, "close") == 0) {
		if (pi.mapped > 0)
			golden_answer("%d mappings stay", pi.mapped);
		if (pi.buffers > 0)
			golden_answer("%d descriptors stay", pi.buffers);
	}
	memset(pi.execute, 0, sizeof(pi.execute));
}

static void
command(char *line)
{
	char *words = line, *name = strsep(&words, " "), none[] = "";
	const int mapped = pi.mapped, buffers = pi.buffers;

	words = words ? words : none;
	if (device_command(name, words))
		tell_device(name, mapped, buffers);
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (strcmp(commands[i].name, name) == 0)
			commands[i].function(words);
	if (pi.unwiped > 0)
		golden_answer("not wiped");
	pi.unwiped = 0;
	if (pi.interruptible)
		golden_answer("a signal may come");
	if (*pi_events())
		golden_answer("asked %s", pi_events());
	pi_forget();
}

static void
drive(const struct golden_case *c, struct golden_output *out)
{
	char none[] = "";
	struct balance before, after;

	begin_pi(none);
	before = balance_now();
	golden_session(c, command);
	setrlimit(RLIMIT_NOFILE, &usual_limit);
	device_close(none);
	after = balance_now();
	if (after.files != before.files || after.blocks != before.blocks ||
	    after.signals != before.signals)
		golden_tell("something is left\n");
	golden_session_end(out);
	pi_end();
}

/* --- Without a device -------------------------------------------------------- */

static void
test_meminfo(void)
{
	static char text[8300];

	pi_begin(PI_CACHED);
	memset(text, ' ', sizeof(text) - 1);
	memcpy(text + 8178, "CmaFree: 123456789", 18);
	pi.meminfo = text;
	ok(board_contiguous_kib("CmaFree:") == 1234,
	   "8191 bytes of /proc/meminfo are read");
	fault_at(FAULT_read, 1, EIO);
	ok(board_contiguous_kib("CmaFree:") == -1,
	   "a /proc/meminfo that cannot be read says nothing");
}

static void
test_speed(void)
{
	struct engine_speed speed = { .lanes = 3 };

	pi_begin(PI_UNCACHED);
	ok(board_speed(&speed) == 250 && speed.lanes == 0 &&
		   speed.core_rate == 45e6 && speed.copy_rate == 700e6,
	   "the board's clock and speeds are told");
	pi.is_pc = true;
	ok(board_speed(&speed) == 0 && speed.core_rate == 0,
	   "all speeds are 0 where there are no QPUs");
}

static void
test_long_request(void)
{
	uint32_t values[FIRMWARE_VALUES + 1] = { 0 };

	pi_begin(PI_UNCACHED);
	ok(!firmware_call(3, MAILBOX_ENABLE_QPU, values, 17, 1) &&
		   errno == EINVAL && fault_count(FAULT_ioctl) == 0,
	   "more than 16 values are never sent");
}

int
main(void)
{
	getrlimit(RLIMIT_NOFILE, &usual_limit);
	device_session.device = &way_vcio;
	device_session.programs[0] = (struct device_program){
		.code = 0xda101000, .uniforms = 0xda102000, .result_rows = 1
	};
	device_session.programs[1] =
		(struct device_program){ .code = 0xda101000,
					 .uniforms = 0xda103000 };
	golden_run("tests/ways/vcio.golden", drive);
	test_meminfo();
	test_speed();
	test_long_request();
	pi_end();
	return tap_done();
}
