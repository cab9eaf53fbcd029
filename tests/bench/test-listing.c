/* SPDX-License-Identifier: MIT */
/*
 * Promise: --list-devices says of each engine whether it can be used, or why
 * not, how fast it is, and with details what its device is; in text or JSON.
 */
#include "config.h"

#include "src/bench/listing.h"

#include <stdlib.h>
#include <string.h>

#include "src/bench/rates.h"
#include "src/output/output.h"
#include "src/pipeline/engines.h"
#include "tests/support/capture.h"
#include "tests/support/scarce.h"
#include "tests/support/tap.h"

/* Engines ----------------------------------------------------------------- */

static int good_context, bad_context;

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
	facts_add_step(details, 1, "do this");
	facts_add_step(details, 2, "do that");
}

static void
add_no_details(const void *context, struct facts *details)
{
	(void)context;
	(void)details;
}

static const struct engine measured = { .name = "one",
					.about = "about one",
					.per_thread = true };
static const struct engine modelled = { .name = "two",
					.about = "about two",
					.modelled = "9 GB/s",
					.looks_only = true,
					.context = &good_context,
					.details = add_details };
static const struct engine unknown = { .name = "three",
				       .about = "about three",
				       .details = add_no_details };
static const struct engine absent = { .name = "four",
				      .about = "about four",
				      .modelled = "1 GB/s",
				      .context = &bad_context };
static const struct engine shared = { .name = "five",
				      .about = "about five",
				      .modelled = "1 GB/s" };

/* Instead of those of the program. */
const struct engine_row engine_rows[] = {
	{ .device = "cpu", .engine = &measured },
	{ .device = "qpu", .engine = &modelled },
	{ .device = "devicewithname", .engine = &unknown },
	{ .device = "x", .engine = &absent },
	{ .device = "y", .engine = &shared },
	{ .device = NULL }
};

bool
engines_probe(const struct engine_row *row, struct diag *why_not)
{
	diag_set(why_not, "no such thing");
	return row->engine->context != &bad_context;
}

/* Rates: of the first engine and the last. */
void
__wrap_rates_load(struct rates *rates);

void
__wrap_rates_load(struct rates *rates)
{
	*rates = (struct rates){ .n = 2,
				 .rows = {
					 { "one", "2026-11-20", 1.62e9 },
					 { "five", "2026-11-21", 12345678 } } };
}

/* ------------------------------------------------------------------------- */

struct call {
	bool details, json;
	unsigned memory;
};

static int
list(void *data)
{
	const struct call *call = data;

	scarce_left = call->memory;
	listing_print(call->details, call->json);
	scarce_left = UINT_MAX;
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
	is(capture.err.bytes, err, "its messages");
	capture_free(&capture);
}

#define ONE                                                                    \
	"cpu       one        usable: about one; 1.620 GB/s a thread, "        \
	"measured 2026-11-20\n"
#define TWO                                                                    \
	"qpu       two        usable as far as can be seen: about two; "       \
	"9 GB/s, modelled\n"
#define TWO_DETAILS                                                            \
	"  board: Pi 3\n"                                                      \
	"  QPUs: 12\n"                                                         \
	"  clock: 400 MHz\n"                                                   \
	"  memory: 3 MiB\n"                                                    \
	"  /dev/a: root, you may open it\n"                                    \
	"  /dev/b: video, you may not open it\n"                               \
	"  /dev/c: does not exist\n"                                           \
	"  step 1: do this\n"                                                  \
	"  step 2: do that\n"
#define THREE                                                                  \
	"devicewithname three      usable: about three; not measured yet "     \
	"(--benchmark)\n"
#define FOUR "x         four       not usable: no such thing\n"
#define FIVE                                                                   \
	"y         five       usable: about five; 0.012 GB/s, measured "       \
	"2026-11-21\n"

#define JSON_ONE                                                               \
	"{\"device\":\"cpu\",\"engine\":\"one\",\"usable\":true,"              \
	"\"about\":\"about one\",\"gb_per_s\":1.6200,"                         \
	"\"measured\":\"2026-11-20\"}\n"
#define JSON_REST                                                              \
	"{\"device\":\"qpu\",\"engine\":\"two\",\"usable\":true,"              \
	"\"about\":\"about two\",\"modelled\":\"9 GB/s\","                     \
	"\"model\":\"Pi 3\",\"qpus\":12,\"clock_hz\":399999999,"               \
	"\"memory_bytes\":3145727,"                                            \
	"\"nodes\":[{\"path\":\"/dev/a\",\"owner\":\"root\",\"usable\":true}," \
	"{\"path\":\"/dev/b\",\"owner\":\"video\",\"usable\":false},"          \
	"{\"path\":\"/dev/c\",\"usable\":false}],"                             \
	"\"steps\":[{\"text\":\"do this\"},{\"text\":\"do that\"}]}\n"         \
	"{\"device\":\"devicewithname\",\"engine\":\"three\","                 \
	"\"usable\":true,\"about\":\"about three\"}\n"                         \
	"{\"device\":\"x\",\"engine\":\"four\",\"usable\":false,"              \
	"\"reason\":\"no such thing\",\"about\":\"about four\","               \
	"\"modelled\":\"1 GB/s\"}\n"                                           \
	"{\"device\":\"y\",\"engine\":\"five\",\"usable\":true,"               \
	"\"about\":\"about five\",\"gb_per_s\":0.0123,"                        \
	"\"measured\":\"2026-11-21\"}\n"

int
main(void)
{
	check((struct call){ false, false, UINT_MAX }, ONE TWO THREE FOUR FIVE,
	      "", "a line for each engine");
	check((struct call){ true, false, UINT_MAX },
	      ONE TWO TWO_DETAILS THREE FOUR FIVE, "", "lines of details");
	check((struct call){ false, true, UINT_MAX }, JSON_ONE JSON_REST, "",
	      "objects have details always");
	/* Each engine needs memory again, and gets none. */
	check((struct call){ false, true, 0 }, "",
	      ": memory exhausted\n: memory exhausted\n: memory exhausted\n"
	      ": memory exhausted\n: memory exhausted\n",
	      "without memory there are messages");
	return tap_done();
}
