/* SPDX-License-Identifier: MIT */
/*
 * Promise: --list-devices prints for each engine whether it can be used or why
 * not, how fast it is, and with details its device and what is to be done next; in
 * text or JSON.
 */
#include "config.h"

#include "src/bench/listing.h"

#include <errno.h>
#include <stdlib.h>

#include "src/bench/rates.h"
#include "src/output/output.h"
#include "tests/support/capture.h"
#include "tests/support/fault.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

/* Engines ----------------------------------------------------------------- */

static int good_context, bad_context;

static bool
probe(const void *context, struct diag *why_not)
{
	diag_set(why_not, "no such thing");
	return context != &bad_context;
}

static void
add_details(const void *context, struct facts *details)
{
	if (context != &good_context)
		return;
	facts_add_text(details, "model", "board", "Pi 3");
	facts_add_number(details, "qpus", "QPUs", 12, 1, "");
	facts_add_number(details, "clock_hz", "clock", 399999999, 1e6, "MHz");
	facts_add_number(details, "memory_bytes", "memory", (3u << 20) - 1,
			 1 << 20, "MiB");
	facts_add_node(details, "/dev/a", "root", true);
	facts_add_node(details, "/dev/b", "video", false);
	facts_add_node(details, "/dev/c", "", false);
	facts_add_step(details, 1, "do this", "one '%s'\ntwo\n");
	facts_add_step(details, 2, "do that", "");
}

static void
add_no_details(const void *context, struct facts *details)
{
	(void)context;
	(void)details;
}

static const struct engine measured = {
	.name = "one", .about = "about one", .per_thread = true, .probe = probe
};
static const struct engine modelled = { .name = "two",
					.about = "about two",
					.modelled_mb = 9000,
					.modelled_mhz = 250,
					.looks_only = true,
					.probe = probe,
					.context = &good_context,
					.details = add_details };
static const struct engine unknown = { .name = "three",
				       .about = "about three",
				       .probe = probe,
				       .details = add_no_details };
static const struct engine absent = { .name = "four",
				      .about = "about four",
				      .probe = probe,
				      .modelled_mb = 1000,
				      .modelled_mhz = 400,
				      .context = &bad_context };
static const struct engine shared = { .name = "five",
				      .about = "about five",
				      .probe = probe,
				      .modelled_mb = 1000,
				      .modelled_mhz = 400 };

static bool
probe_closed(const void *context, struct diag *why_not)
{
	(void)context;
	diag_set(why_not, "it is closed: open it");
	return false;
}

static void
add_step(const void *context, struct facts *details)
{
	(void)context;
	facts_add_step(details, 1, "open it", "open\n");
}

static const struct engine closed = { .name = "front",
				      .about = "a way",
				      .probe = probe_closed,
				      .details = add_step };
static const struct engine open_way = { .name = "back",
					.about = "another way",
					.probe = probe };
static const struct engine_row two_ways[] = {
	{ .device = "qpu", .engine = &closed },
	{ .device = "qpu", .engine = &open_way },
	{ .device = NULL }
};
static const struct engine_row closed_ways[] = {
	{ .device = "qpu", .engine = &absent },
	{ .device = "qpu", .engine = &closed },
	{ .device = "cpu", .engine = &measured },
	{ .device = NULL }
};
static const struct engine_row no_way[] = {
	{ .device = "qpu", .engine = &absent }, { .device = NULL }
};

static const struct engine_row engines[] = {
	{ .device = "cpu", .engine = &measured },
	{ .device = "qpu", .engine = &modelled },
	{ .device = "devicewithname", .engine = &unknown },
	{ .device = "x", .engine = &absent },
	{ .device = "y", .engine = &shared },
	{ .device = NULL }
};

/* ------------------------------------------------------------------------- */

struct call {
	bool details, json, no_memory;
	const struct engine_row *rows; /* or NULL for those above */
};

static int
list(void *data)
{
	const struct call *call = data;

	if (call->no_memory)
		fault_from(FAULT_realloc, 1, ENOMEM);
	listing_print(call->rows ? call->rows : engines, call->details,
		      call->json);
	fault_clear();
	output_close();
	return 0;
}

static void
check(const struct call call, const char *out, const char *err,
      const char *promise)
{
	struct call copy = call;
	struct capture capture;

	capture_run(&capture, list, &copy, false);
	is(capture.out.bytes, out, "%s", promise);
	is(capture.err.bytes, err, "%s: the messages", promise);
	capture_free(&capture);
}

#define HEAD "device    engine     state\n"
#define ONE                                                                    \
	"cpu       one        usable: about one; 1620.0 MB/s a thread, "       \
	"measured 2026-11-20\n"
#define TWO                                                                    \
	"qpu       two        usable as far as can be seen: about two; "       \
	"9000 MB/s at 250 MHz, modelled\n"
#define TWO_DETAILS                                                            \
	"  board: Pi 3\n"                                                      \
	"  QPUs: 12\n"                                                         \
	"  clock: 400 MHz\n"                                                   \
	"  memory: 3 MiB\n"                                                    \
	"  /dev/a: root, you may open it\n"                                    \
	"  /dev/b: video, you may not open it\n"                               \
	"  /dev/c: does not exist\n"                                           \
	"  step 1: do this\n    one '%s'\n    two\n"                           \
	"  step 2: do that\n"
#define THREE                                                                  \
	"devicewithname three      usable: about three; not measured yet "     \
	"(--benchmark)\n"
#define FOUR "x         four       not usable: no such thing\n"
#define FIVE                                                                   \
	"y         five       usable: about five; 12.3 MB/s, measured "        \
	"2026-11-21\n"

#define JSON_ONE                                                               \
	"{\"device\":\"cpu\",\"engine\":\"one\",\"usable\":true,"              \
	"\"about\":\"about one\",\"gb_per_s\":1.6200,"                         \
	"\"measured\":\"2026-11-20\"}\n"
#define JSON_REST                                                              \
	"{\"device\":\"qpu\",\"engine\":\"two\",\"usable\":true,"              \
	"\"about\":\"about two\",\"modelled_gb_per_s\":9.0000,"                \
	"\"modelled_clock_hz\":250000000,"                                     \
	"\"model\":\"Pi 3\",\"qpus\":12,\"clock_hz\":399999999,"               \
	"\"memory_bytes\":3145727,"                                            \
	"\"nodes\":[{\"path\":\"/dev/a\",\"owner\":\"root\",\"usable\":true}," \
	"{\"path\":\"/dev/b\",\"owner\":\"video\",\"usable\":false},"          \
	"{\"path\":\"/dev/c\",\"usable\":false}],"                             \
	"\"steps\":[{\"text\":\"do this\",\"commands\":["                      \
	"{\"text\":\"one '%s'\"},{\"text\":\"two\"}]},"                        \
	"{\"text\":\"do that\"}]}\n"                                           \
	"{\"device\":\"devicewithname\",\"engine\":\"three\","                 \
	"\"usable\":true,\"about\":\"about three\"}\n"                         \
	"{\"device\":\"x\",\"engine\":\"four\",\"usable\":false,"              \
	"\"reason\":\"no such thing\",\"about\":\"about four\","               \
	"\"modelled_gb_per_s\":1.0000,"                                        \
	"\"modelled_clock_hz\":400000000}\n"                                   \
	"{\"device\":\"y\",\"engine\":\"five\",\"usable\":true,"               \
	"\"about\":\"about five\",\"gb_per_s\":0.0123,"                        \
	"\"measured\":\"2026-11-21\"}\n"                                       \
	"{\"summary\":\"list-devices\",\"devices\":5,\"status\":0}\n"

/* Store rates of the first engine and the last, as --benchmark does. */
static void
store_rates(void)
{
	const uint64_t day = 86400 * FAULT_SECOND;
	struct rates rates = { .n = 0 };

	setenv("XDG_CACHE_HOME", scratch_enter(), 1);
	setenv("TZ", "UTC0", 1);
	fault_clock_set(20777 * day);
	rates_note(&rates, "one", 1620000000);
	fault_clock_set(20778 * day);
	rates_note(&rates, "five", 12345678);
	fault_clear();
	if (!rates_save(&rates))
		exit(99);
}

int
main(void)
{
	store_rates();
	check((struct call){ .details = false }, HEAD ONE TWO THREE FOUR FIVE,
	      "", "each engine has a line, after one that names the columns");
	check((struct call){ .details = true },
	      HEAD ONE TWO TWO_DETAILS THREE FOUR FIVE
	      "Nothing is left to do: --device=cpu uses one.\n",
	      "", "lines of details follow their engine");
	check((struct call){ .details = true, .rows = two_ways },
	      HEAD "qpu       front      not usable: it is closed\n"
		   "  not needed, since back is usable:\n"
		   "  step 1: open it\n    open\n"
		   "qpu       back       usable: another way; not measured yet "
		   "(--benchmark)\n"
		   "Nothing is left to do: --device=qpu uses back.\n",
	      "",
	      "a way that is not needed says so, and nothing is left to do");
	check((struct call){ .details = true, .rows = closed_ways },
	      HEAD "qpu       four       not usable: no such thing\n"
		   "qpu       front      not usable: it is closed\n"
		   "  step 1: open it\n    open\n" ONE
		   "Next: step 1 of front, then list the devices again.\n",
	      "", "a reason stands once, and the step comes next");
	check((struct call){ .rows = closed_ways },
	      HEAD
	      "qpu       four       not usable: no such thing\n"
	      "qpu       front      not usable: it is closed: open it\n" ONE,
	      "", "without details a reason has its step");
	check((struct call){ .details = true, .rows = no_way },
	      HEAD "qpu       four       not usable: no such thing\n"
		   "Nothing can be done here for --device=qpu.\n",
	      "", "where there is no step it says so");
	check((struct call){ .json = true }, JSON_ONE JSON_REST, "",
	      "objects always have details");
	/* Each engine needs memory again, and gets none. */
	check((struct call){ .json = true, .no_memory = true }, "",
	      ": cpu: Cannot allocate memory\n"
	      ": qpu: Cannot allocate memory\n"
	      ": devicewithname: Cannot allocate memory\n"
	      ": x: Cannot allocate memory\n"
	      ": y: Cannot allocate memory\n"
	      ": summary: Cannot allocate memory\n",
	      "without memory each engine has a message");
	return tap_done();
}
