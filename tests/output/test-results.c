/* SPDX-License-Identifier: MIT */
/*
 * Promise: each job has its line, object of --json or message, word by word as in
 * the manual; a line for which there is no memory is left out whole.  The same
 * holds for the figures of a run.  (That lines are GNU's, byte
 * for byte, is in tests/cli/differential; that the parser of check lists reads
 * them back, in tests/cli/lists.bats.)
 */
#include "config.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "src/lanes/sequencer.h"
#include "src/output/output.h"
#include "src/output/report.h"
#include "src/output/results.h"
#include "src/output/stats.h"
#include "tests/support/capture.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

/* ---- objects of --json ---- */

/* In another language; and as if there were no memory for a locale. */
char *
__wrap_strerror(int number);
locale_t
__real_newlocale(int mask, const char *name, locale_t base);
locale_t
__wrap_newlocale(int mask, const char *name, locale_t base);

static bool no_locale;

char *
__wrap_strerror(int number)
{
	static char text[] = "Datei oder Verzeichnis nicht gefunden";

	(void)number;
	return text;
}

locale_t
__wrap_newlocale(int mask, const char *name, locale_t base)
{
	return no_locale ? (locale_t)0 : __real_newlocale(mask, name, base);
}

static void
test_reason(void)
{
	is(results_reason(ENOENT), "No such file or directory",
	   "reasons are in English, whatever the language of messages is");
	no_locale = true;
	is(results_reason(ENOENT), "Datei oder Verzeichnis nicht gefunden",
	   "reasons are in the user's language if memory is short");
	no_locale = false;
}

#define OF_0 "0000000000000000000000000000000000000000000000000000000000000000"
#define OF_1 "0100000000000000000000000000000000000000000000000000000000000000"
#define CHECKED "{\"name\":\"f\",\"list\":\"sums\",\"line\":7,\"verdict\":"
#define DIGEST ",\"sha256\":\"" OF_1 "\",\"size\":3,\"device\":"
#define CHANGED "\"error\":\"file changed while it was read\"}\n"
#define DISPUTED                                                               \
	"\"error\":\"internal error: the CPU reference and libcrypto "         \
	"disagree\"}\n"

/* A job to print as a line and object, and its result in a check. */
static struct job printed;
static enum digest_result result;

static int
print_checked(void *json)
{
	static const uint8_t expected[SHA256_DIGEST_BYTES];
	static const struct result_entry entry = { .list = "sums",
						   .line = 7,
						   .expected = expected };
	struct results results = { .json = json };

	if (result != DIGEST_UNREADABLE || !printed.error)
		results_hashed(&results, &printed);
	results_checked(&results, &printed, &entry, result);
	results_free(&results);
	output_flush();
	return 0;
}

static int
print_others(void *json)
{
	static const struct list_change moved = { CHANGE_MOVED, "g", "f", 2 };
	static const struct list_change edited = { CHANGE_EDITED, "e", NULL,
						   0 };
	struct results results = { .json = json };

	results_failed(&results, "f", "so");
	results_unlisted(&results, &printed, NULL);
	results_unlisted(&results, &printed, "a b");
	results_list_failed(&results, "sums", 0, "so");
	results_list_failed(&results, "sums", 1, "so");
	results_changed(&results, &moved);
	results_changed(&results, &edited);
	results_free(&results);
	output_flush();
	return 0;
}

/* Without memory for a line there is a message instead. */
static int
print_without_memory(void *json)
{
	fault_from(FAULT_MEMORY, 1, ENOMEM);
	return print_checked(json);
}

static void
check_printed(int (*print)(void *), bool json, const char *out, const char *err,
	      const char *promise)
{
	struct capture capture;

	capture_run(&capture, print, json ? &printed : NULL, false);
	is(capture.out.bytes, out, "%s", promise);
	is(capture.err.bytes, err, "%s: the messages", promise);
	capture_free(&capture);
}

/* Each verdict, hashed and checked. */
static void
test_lines(void)
{
	static char name[] = "f";
	static const struct {
		struct job job;
		enum digest_result result;
		const char *promise, *objects;
	} lines[] = {
		{ { .verdict = JOB_TRUSTED },
		  DIGEST_OK,
		  "a digest",
		  "{\"name\":\"f\"" DIGEST "\"qpu\"}\n" CHECKED
		  "\"OK\",\"expected\":\"" OF_0 "\"" DIGEST "\"qpu\"}\n" },
		{ { .verdict = JOB_CORRECTED },
		  DIGEST_FAILED,
		  "a digest that was corrected is of the CPU",
		  "{\"name\":\"f\"" DIGEST "\"cpu\"}\n" CHECKED
		  "\"FAILED\",\"expected\":\"" OF_0 "\"" DIGEST "\"cpu\"}\n" },
		{ { .verdict = JOB_CHANGED, .opened = true },
		  DIGEST_UNREADABLE,
		  "a file that changed",
		  "{\"name\":\"f\"," CHANGED CHECKED
		  "\"UNREADABLE\",\"expected\":\"" OF_0 "\"," CHANGED },
		{ { .verdict = JOB_DISPUTED, .opened = true },
		  DIGEST_UNREADABLE,
		  "a disputed digest",
		  "{\"name\":\"f\"," DISPUTED CHECKED
		  "\"UNREADABLE\",\"expected\":\"" OF_0 "\"," DISPUTED },
		{ { .error = ENOENT },
		  DIGEST_UNREADABLE,
		  "a file that is missing",
		  CHECKED "\"MISSING\",\"expected\":\"" OF_0
			  "\",\"error\":\"No such file or directory\"}\n" },
		{ { .error = ENOENT, .opened = true },
		  DIGEST_UNREADABLE,
		  "a file that vanished after it was opened",
		  CHECKED "\"UNREADABLE\",\"expected\":\"" OF_0
			  "\",\"error\":\"No such file or directory\"}\n" },
		{ { .error = EACCES },
		  DIGEST_UNREADABLE,
		  "a file that may not be read",
		  CHECKED "\"UNREADABLE\",\"expected\":\"" OF_0
			  "\",\"error\":\"Permission denied\"}\n" },
	};

	for (size_t i = sizeof(lines) / sizeof(*lines); i-- > 0;) {
		printed = lines[i].job;
		printed.name = name;
		printed.size = 3;
		printed.device = "qpu";
		printed.digest[0] = 1;
		result = lines[i].result;
		check_printed(print_checked, true, lines[i].objects, "",
			      lines[i].promise);
	}
	check_printed(print_checked, false, OF_1 "  f\nf: OK\n", "",
		      "a digest as text");
	check_printed(print_without_memory, false, "",
		      ": f: Cannot allocate memory\n"
		      ": f: Cannot allocate memory\n",
		      "without memory");
	check_printed(print_without_memory, true, "",
		      ": f: Cannot allocate memory\n"
		      ": f: Cannot allocate memory\n",
		      "objects without memory");
	check_printed(print_others, false,
		      "f: NOT LISTED\nf: MOVED from 'a b'\ng: MOVED from f\n"
		      "e: EDITED\n",
		      "", "what has changed, as text");
	check_printed(
		print_others, true,
		"{\"name\":\"f\",\"error\":\"so\"}\n"
		"{\"name\":\"f\",\"verdict\":\"UNLISTED\"}\n"
		"{\"name\":\"f\",\"verdict\":\"MOVED\",\"from\":\"a b\"" DIGEST
		"\"qpu\"}\n"
		"{\"list\":\"sums\",\"error\":\"so\"}\n"
		"{\"list\":\"sums\",\"line\":1,\"error\":\"so\"}\n"
		"{\"name\":\"g\",\"change\":\"moved\",\"from\":\"f\","
		"\"files\":2}\n"
		"{\"name\":\"e\",\"change\":\"edited\"}\n",
		"", "what has changed, as objects");
}

/* ---- verdicts ---- */

static const struct {
	enum job_verdict verdict;
	const char *err;
	bool has_digest, fails, skips;
} rows[] = {
	{ JOB_TRUSTED, "", true, false, false },
	{ JOB_CORRECTED,
	  "prog: 'a b': the device computed a wrong digest; corrected by the "
	  "CPU reference\n",
	  true, true, false },
	{ JOB_DISPUTED,
	  "prog: 'a b': internal error: the CPU reference and libcrypto "
	  "disagree; no digest printed\n",
	  false, true, false },
	{ JOB_CHANGED, "prog: 'a b': file changed while it was read\n", false,
	  true, false },
	{ JOB_NOT_REGULAR, "prog: 'a b': skipped: not a regular file\n", false,
	  false, true },
	{ JOB_IS_OUTPUT, "prog: 'a b': skipped: standard output goes there\n",
	  false, false, true },
};

static int
report_verdict(void *data)
{
	report_init("prog");
	return 2 * results_judge(data) + report_status();
}

static void
check_verdicts(void)
{
	static char name[] = "a b";
	struct job cached = { .name = name, .was_cached = true };
	struct capture capture;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const enum job_verdict verdict = rows[i].verdict;
		struct job job = { .name = name, .verdict = verdict };

		capture_run(&capture, report_verdict, &job, false);
		is(capture.err.bytes, rows[i].err, "verdict %d has its message",
		   (int)verdict);
		ok(capture.status == 2 * rows[i].has_digest + rows[i].fails &&
			   results_is_skip(&job) == rows[i].skips,
		   "verdict %d gives a digest, fails or skips the file",
		   (int)verdict);
		capture_free(&capture);
	}
	capture_run(&capture, report_verdict, &cached, false);
	is(capture.err.bytes,
	   "prog: 'a b': hashed from memory in whole or in part, since it "
	   "could not be dropped from the page cache\n",
	   "a file that stayed in the page cache has a message");
	ok(capture.status == 2,
	   "a file that stayed in the page cache has a digest, and does not fail");
	capture_free(&capture);
}

/* ---- figures ---- */

static const struct engine engine = { .name = "fake" };

/* With figures of the engine if `more` is not NULL. */
static int
print_stats(void *more)
{
	static struct run_report report;
	const long blocks = balance_now().blocks;

	report_init("prog");
	report.blocks = UINT64_C(5000000000);
	report.bytes = UINT64_C(160000000000);
	if (more) {
		facts_add_value(&report.device_facts, 3, 0, "", "launches");
		facts_add_value(&report.device_facts, 1.25, 2, "s", "in a row");
		facts_add_value(&report.device_facts, 7, 0, "%", "%s", "");
		facts_add_value(&report.device_facts, 0.5, 0, "", "%s", "");
		facts_add_value(&report.device_facts, 12.5, 3, "MHz", "the %s",
				"last");
		facts_add_value(&report.device_facts, 8, 0, "x", "%s", "");
	}
	fault_clock_set(FAULT_SECOND);
	stats_report(&engine, &report, 0);
	return balance_now().blocks == blocks ? report_status() : 2;
}

static int
print_counts(void *no_memory)
{
	static const struct stats_count counts[] = { { "a", 1 },
						     { "b c", 4000000000 },
						     { NULL, 0 } };

	report_init("prog");
	if (no_memory)
		fault_from(FAULT_realloc, 1, ENOMEM);
	stats_report_counts(counts);
	return report_status();
}

static void
check_figures(int (*print)(void *), bool flag, const char *err,
	      const char *promise)
{
	struct capture capture;

	capture_run(&capture, print, flag ? &capture : NULL, false);
	is(capture.err.bytes, err, "%s", promise);
	ok(capture.status == 0, "%s: no failure, and no memory is kept",
	   promise);
	capture_free(&capture);
}

#define HEAD(rate)                                                             \
	"prog: stats: device: fake\nprog: stats: blocks: 5000000000\n"         \
	"prog: stats: bytes, with padding: 320000000000\n"                     \
	"prog: stats: content: 50.0 % of these bytes\n"                        \
	"prog: stats: seconds: 1.001\nprog: stats: MB/s: " rate "\n"

static void
check_stats(void)
{
	check_figures(print_stats, false, HEAD("0.0"),
		      "an engine without figures has the usual statistics");
	check_figures(print_stats, true,
		      HEAD("0.0") "prog: stats: launches: 3\n"
				  "prog: stats: in a row: 1.25 s, 7 %, 0\n"
				  "prog: stats: the last: 12.500 MHz, 8 x\n",
		      "figures without a label belong to the one before");
	check_figures(print_counts, false,
		      "prog: stats: a: 1, b c: 4000000000\n",
		      "counts are one line");
	check_figures(print_counts, true, "",
		      "counts for which there is no memory are left out");
	progress_note(0, 400000 << 10, 1);
	check_figures(print_stats, false, HEAD("409.2"),
		      "the rate is that of the content, in 1.001 seconds");
	progress_note(0, 0, 0);
}

int
main(void)
{
	test_reason();
	test_lines();
	check_verdicts();
	check_stats();
	return tap_done();
}
