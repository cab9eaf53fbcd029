/* SPDX-License-Identifier: MIT */
/*
 * Promise: messages about a job and figures about a run are those that the
 * manual has, word by word.
 */
#include "config.h"

#include "src/output/verdict_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/output/output.h"
#include "src/output/report.h"
#include "src/output/stats.h"
#include "tests/support/capture.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

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
	static char name[] = "a b";
	const struct job job = { .name = name,
				 .verdict = *(enum job_verdict *)data };

	report_init("prog");
	return 2 * verdict_report(&job) + report_status();
}

static void
check_verdicts(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		enum job_verdict verdict = rows[i].verdict;
		const struct job job = { .verdict = verdict };
		const char *error = verdict_error(&job);
		struct capture capture;

		capture_run(&capture, report_verdict, &verdict, false);
		is(capture.err.bytes, rows[i].err, "the message of verdict %d",
		   (int)verdict);
		ok(capture.status == 2 * rows[i].has_digest + rows[i].fails,
		   "whether it has a digest, and fails");
		is(error ? error : "-", rows[i].error ? rows[i].error : "-",
		   "the verdict has its reason");
		ok(verdict_is_skip(&job) == rows[i].skips,
		   "whether it is left out");
		capture_free(&capture);
	}
}

/* ---- figures ---- */

static const struct engine engine = { .name = "fake" };

static int
print_stats(void *data)
{
	static struct worker_report report;
	const bool more = data;

	report_init("prog");
	report.blocks = UINT64_C(5000000000);
	if (more) {
		facts_add_value(&report.engine, 3, 0, "", "launches");
		facts_add_value(&report.engine, 1.25, 2, "s", "in a row");
		facts_add_value(&report.engine, 7, 0, "%", "%s", "");
		facts_add_value(&report.engine, 0.5, 0, "", "%s", "");
		facts_add_value(&report.engine, 12.5, 3, "MHz", "the %s",
				"last");
		facts_add_value(&report.engine, 8, 0, "x", "%s", "");
	}
	stats_report(&engine, &report);
	return report_status();
}

#define HEAD                                                                   \
	"prog: stats: device: fake\nprog: stats: blocks: 5000000000\n"         \
	"prog: stats: bytes, with padding: 320000000000\n"

static void
check_stats(void)
{
	char more[] = "more";
	struct capture capture;

	capture_run(&capture, print_stats, NULL, false);
	is(capture.err.bytes, HEAD,
	   "an engine without figures has the usual statistics");
	ok(capture.status == 0, "statistics are no failure");
	capture_free(&capture);
	capture_run(&capture, print_stats, more, false);
	is(capture.err.bytes,
	   HEAD "prog: stats: launches: 3\n"
		"prog: stats: in a row: 1.25 s, 7 %, 0\n"
		"prog: stats: the last: 12.500 MHz, 8 x\n",
	   "figures without a label belong to the one before");
	capture_free(&capture);
}

static int
print_scarce(void *data)
{
	fault_from(FAULT_realloc, 1, ENOMEM);
	print_stats(data);
	return 0;
}

static void
check_memory(void)
{
	char more[] = "more";
	struct capture capture;

	capture_run(&capture, print_scarce, more, false);
	is(capture.err.bytes, HEAD,
	   "figures for which there is no memory are left out");
	capture_free(&capture);
}

int
main(void)
{
	check_verdicts();
	check_stats();
	check_memory();
	return tap_done();
}
