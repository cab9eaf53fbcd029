/* SPDX-License-Identifier: MIT */
/*
 * Promise: of each job there is a line, an object of --json or a message, those
 * that the manual has, word by word; a line for which there is no memory is
 * left out whole.  So are the figures of a run.  (That lines are GNU's, byte
 * for byte, is in tests/cli/differential; that the parser of check lists reads
 * them back, in tests/inputs/fuzz-checklist.c.)
 */
#include "config.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "src/lanes/progress.h"
#include "src/output/digest_line.h"
#include "src/output/json_line.h"
#include "src/output/output.h"
#include "src/output/report.h"
#include "src/output/stats.h"
#include "src/output/verdict_report.h"
#include "tests/support/capture.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

/* ---- lines ---- */

/* SHA-256 of no bytes: FIPS 180-4's padding alone. */
static const uint8_t empty[SHA256_DIGEST_BYTES] = {
	0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14, 0x9a, 0xfb, 0xf4,
	0xc8, 0x99, 0x6f, 0xb9, 0x24, 0x27, 0xae, 0x41, 0xe4, 0x64, 0x9b,
	0x93, 0x4c, 0xa4, 0x95, 0x99, 0x1b, 0x78, 0x52, 0xb8, 0x55,
};

/* With a style, or (NULL) the line of a file that has another name. */
static bool
add_line(struct text *text, const char *name,
	 const struct digest_line_style *style)
{
	return style ? digest_line_add(text, empty, name, *style) :
		       digest_line_add_unlisted(text, name, name);
}

/*
 * Memory runs out at each of the places where more is needed, once or for
 * ever; before the line the text is full, or (for its last byte) has room for
 * all but the end of the line.
 */
static void
check_scarcity(size_t before, size_t name_len, bool once)
{
	static const struct digest_line_style styles[] = { { .tag = true },
							   { .zero = true },
							   { 0 } };
	const size_t n = sizeof(styles) / sizeof(*styles);
	char name[2000], full[128] = "";
	bool kept = true;

	memset(full, 'b', before);
	memset(name, 'x', sizeof(name));
	name[60] = name[300] =
		'\n'; /* after a digest the first ends 256 bytes */
	name[1200] = '\\';
	name[name_len] = '\0';
	for (size_t i = 0; i <= n; i++) {
		const struct digest_line_style *style = i < n ? &styles[i] :
								NULL;
		struct text whole = { 0 };
		bool good = false;

		kept &= text_add(&whole, full, before) &&
			add_line(&whole, name, style);
		for (unsigned left = 1; !good; left++) {
			struct text text = { 0 };

			kept &= text_add(&text, full, before);
			(once ? fault_at : fault_from)(FAULT_realloc, left,
						       ENOMEM);
			good = add_line(&text, name, style);
			fault_clear();
			kept &= strcmp(text.bytes, good ? whole.bytes : full) ==
				0;
			text_free(&text);
		}
		text_free(&whole);
	}
	ok(kept,
	   "a line for which there is no memory leaves nothing, after "
	   "%zu bytes",
	   before);
}

/* ---- objects of --json ---- */

static struct json line;

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
	is(json_line_reason(ENOENT), "No such file or directory",
	   "reasons are in English, whatever the language of messages is");
	no_locale = true;
	is(json_line_reason(ENOENT), "Datei oder Verzeichnis nicht gefunden",
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

/* Whole lines: each verdict, hashed and checked. */
static void
test_lines(void)
{
	static char name[] = "f";
	static const struct {
		struct job job;
		enum digest_result result;
		const char *hashed; /* NULL: it is never asked for */
		const char *checked;
	} rows[] = {
		{ { .verdict = JOB_TRUSTED },
		  DIGEST_OK,
		  "{\"name\":\"f\"" DIGEST "\"qpu\"}\n",
		  CHECKED "\"OK\",\"expected\":\"" OF_0 "\"" DIGEST
			  "\"qpu\"}\n" },
		{ { .verdict = JOB_CORRECTED },
		  DIGEST_FAILED,
		  "{\"name\":\"f\"" DIGEST "\"cpu\"}\n",
		  CHECKED "\"FAILED\",\"expected\":\"" OF_0 "\"" DIGEST
			  "\"cpu\"}\n" },
		{ { .verdict = JOB_CHANGED, .opened = true },
		  DIGEST_UNREADABLE,
		  "{\"name\":\"f\"," CHANGED,
		  CHECKED "\"UNREADABLE\",\"expected\":\"" OF_0 "\"," CHANGED },
		{ { .verdict = JOB_DISPUTED, .opened = true },
		  DIGEST_UNREADABLE,
		  "{\"name\":\"f\"," DISPUTED,
		  CHECKED "\"UNREADABLE\",\"expected\":\"" OF_0
			  "\"," DISPUTED },
		{ { .error = ENOENT },
		  DIGEST_UNREADABLE,
		  NULL,
		  CHECKED "\"MISSING\",\"expected\":\"" OF_0
			  "\",\"error\":\"No such file or directory\"}\n" },
		{ { .error = ENOENT, .opened = true },
		  DIGEST_UNREADABLE,
		  NULL,
		  CHECKED "\"UNREADABLE\",\"expected\":\"" OF_0
			  "\",\"error\":\"No such file or directory\"}\n" },
		{ { .error = EACCES },
		  DIGEST_UNREADABLE,
		  NULL,
		  CHECKED "\"UNREADABLE\",\"expected\":\"" OF_0
			  "\",\"error\":\"Permission denied\"}\n" },
	};
	static const uint8_t expected[SHA256_DIGEST_BYTES];
	const struct json_line_entry entry = { "sums", 7, expected, NULL };
	struct job job = { .name = name };
	struct text moved = { 0 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		job = rows[i].job;
		job.name = name;
		job.size = 3;
		job.device = "qpu";
		job.digest[0] = 1;
		if (rows[i].hashed)
			is(json_line_hashed(&line, &job) ? line.text.bytes : "",
			   rows[i].hashed, "hashed, verdict %d",
			   (int)job.verdict);
		is(json_line_checked(&line, &job, &entry, rows[i].result) ?
			   line.text.bytes :
			   "",
		   rows[i].checked, "checked, verdict %d, error %d",
		   (int)job.verdict, job.error);
	}
	is(json_line_failed(&line, "f", "so") ? line.text.bytes : "",
	   "{\"name\":\"f\",\"error\":\"so\"}\n",
	   "an object of a failure has its reason");
	is(json_line_unlisted(&line, &job, NULL) ? line.text.bytes : "",
	   "{\"name\":\"f\",\"verdict\":\"UNLISTED\"}\n",
	   "a file that is not listed has that verdict");
	is(json_line_unlisted(&line, &job, "e") ? line.text.bytes : "",
	   "{\"name\":\"f\",\"verdict\":\"MOVED\",\"from\":\"e\"" DIGEST
	   "\"qpu\"}\n",
	   "a file that has moved has its former name and its digest");
	is(digest_line_add_unlisted(&moved, "f", "a b") &&
			   strlen(moved.bytes) == moved.len ?
		   moved.bytes :
		   "",
	   "f: MOVED from 'a b'\n", "a line of a moved file has both names");
	text_free(&moved);
	is(json_line_list(&line, "sums", 0, "so") ? line.text.bytes : "",
	   "{\"list\":\"sums\",\"error\":\"so\"}\n",
	   "an object of a list that failed has no line");
	is(json_line_list(&line, "sums", 1, "so") ? line.text.bytes : "",
	   "{\"list\":\"sums\",\"line\":1,\"error\":\"so\"}\n",
	   "an object of a malformed line has its number");
}

/* ---- verdicts ---- */

static const struct {
	enum job_verdict verdict;
	const char *err, *error;
	bool has_digest, fails, skips;
} rows[] = {
	{ JOB_TRUSTED, "", NULL, true, false, false },
	{ JOB_CORRECTED,
	  "prog: 'a b': the device computed a wrong digest; corrected by the "
	  "CPU reference\n",
	  NULL, true, true, false },
	{ JOB_DISPUTED,
	  "prog: 'a b': internal error: the CPU reference and libcrypto "
	  "disagree; no digest printed\n",
	  "internal error: the CPU reference and libcrypto disagree", false,
	  true, false },
	{ JOB_CHANGED, "prog: 'a b': file changed while it was read\n",
	  "file changed while it was read", false, true, false },
	{ JOB_NOT_REGULAR, "prog: 'a b': skipped: not a regular file\n", NULL,
	  false, false, true },
	{ JOB_IS_OUTPUT, "prog: 'a b': skipped: standard output goes there\n",
	  NULL, false, false, true },
};

static int
report_verdict(void *data)
{
	report_init("prog");
	return 2 * verdict_report(data) + report_status();
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
		const char *error = verdict_error(&job);

		capture_run(&capture, report_verdict, &job, false);
		is(capture.err.bytes, rows[i].err, "verdict %d has its message",
		   (int)verdict);
		ok(capture.status == 2 * rows[i].has_digest + rows[i].fails &&
			   verdict_is_skip(&job) == rows[i].skips,
		   "verdict %d gives a digest, fails or skips the file",
		   (int)verdict);
		is(error ? error : "-", rows[i].error ? rows[i].error : "-",
		   "verdict %d has its reason", (int)verdict);
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

struct figures {
	bool more, no_memory;
};

static int
print_stats(void *data)
{
	static struct worker_report report;
	const struct figures *figures = data;
	long blocks;

	report_init("prog");
	report.blocks = UINT64_C(5000000000);
	report.bytes = UINT64_C(160000000000);
	if (figures->more) {
		facts_add_value(&report.engine, 3, 0, "", "launches");
		facts_add_value(&report.engine, 1.25, 2, "s", "in a row");
		facts_add_value(&report.engine, 7, 0, "%", "%s", "");
		facts_add_value(&report.engine, 0.5, 0, "", "%s", "");
		facts_add_value(&report.engine, 12.5, 3, "MHz", "the %s",
				"last");
		facts_add_value(&report.engine, 8, 0, "x", "%s", "");
	}
	fault_clock_set(FAULT_SECOND);
	if (figures->no_memory)
		fault_from(FAULT_realloc, 1, ENOMEM);
	blocks = balance_now().blocks;
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

#define HEAD                                                                   \
	"prog: stats: device: fake\nprog: stats: blocks: 5000000000\n"         \
	"prog: stats: bytes, with padding: 320000000000\n"                     \
	"prog: stats: content: 50.0 % of these bytes\n"                        \
	"prog: stats: seconds: 1.001\nprog: stats: MB/s: 0.0\n"

static void
check_stats(void)
{
	static const struct {
		struct figures figures;
		const char *out, *promise;
	} runs[] = {
		{ { false, false },
		  HEAD,
		  "an engine without figures has the usual statistics" },
		{ { true, false },
		  HEAD "prog: stats: launches: 3\n"
		       "prog: stats: in a row: 1.25 s, 7 %, 0\n"
		       "prog: stats: the last: 12.500 MHz, 8 x\n",
		  "figures without a label belong to the one before" },
		{ { true, true },
		  HEAD,
		  "figures for which there is no memory are left out" },
	};
	struct figures figures = { false, false };
	struct capture capture;

	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
		figures = runs[i].figures;
		capture_run(&capture, print_stats, &figures, false);
		is(capture.err.bytes, runs[i].out, "%s", runs[i].promise);
		ok(capture.status == 0,
		   "statistics are no failure, and give their memory back");
		capture_free(&capture);
	}
	figures.more = figures.no_memory = false;
	for (int i = 0; i < 2; i++) {
		capture_run(&capture, print_counts, i ? &figures : NULL, false);
		is(capture.err.bytes,
		   i ? "" : "prog: stats: a: 1, b c: 4000000000\n",
		   "counts are one line, or none without memory");
		capture_free(&capture);
	}

	static const struct {
		uint64_t bytes; /* in 1.001 seconds */
		const char *rate;
	} rates[] = { { 400 << 10, "\nprog: stats: MB/s: 0.4\n" },
		      { 9700 << 10, "\nprog: stats: MB/s: 9.9\n" },
		      { 9800 << 10, "\nprog: stats: MB/s: 10\n" },
		      { 400000 << 10, "\nprog: stats: MB/s: 409\n" } };

	for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
		progress_note(0, rates[i].bytes, 1);
		capture_run(&capture, print_stats, &figures, false);
		ok(strstr(capture.err.bytes, rates[i].rate),
		   "the rate has a decimal below 10 MB/s, and none above");
		capture_free(&capture);
	}
	progress_note(0, 0, 0);
}

int
main(void)
{
	check_scarcity(127, 1999, false);
	check_scarcity(127, 1999, true);
	check_scarcity(1, 127 - 1 - 64 - 2, true);
	test_reason();
	test_lines();
	json_free(&line);
	check_verdicts();
	check_stats();
	return tap_done();
}
