/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/output/verdict_report.h"

#include "src/base/quote.h"
#include "src/output/report.h"

static const char disputed[] =
	"internal error: the CPU reference and libcrypto disagree";
static const char changed[] = "file changed while it was read";

bool
verdict_report(const struct job *job)
{
	struct text quoted = { 0 };

	if (job->was_cached)
		report_warning("%s: hashed from memory in whole or in part, "
			       "since it could not be dropped from the page "
			       "cache",
			       quote_name(&quoted, job->name));
	switch (job->verdict) {
	case JOB_TRUSTED: break;
	case JOB_CORRECTED:
		report_error("%s: the device computed a wrong digest; "
			     "corrected by the CPU reference",
			     quote_name(&quoted, job->name));
		break;
	case JOB_DISPUTED:
		report_error("%s: %s; no digest printed",
			     quote_name(&quoted, job->name), disputed);
		break;
	case JOB_CHANGED:
		report_error("%s: %s", quote_name(&quoted, job->name), changed);
		break;
	case JOB_NOT_REGULAR:
		report_warning("%s: skipped: not a regular file",
			       quote_name(&quoted, job->name));
		break;
	case JOB_IS_OUTPUT:
		report_warning("%s: skipped: standard output goes there",
			       quote_name(&quoted, job->name));
		break;
	}
	text_free(&quoted);
	return job->verdict == JOB_TRUSTED || job->verdict == JOB_CORRECTED;
}

const char *
verdict_error(const struct job *job)
{
	switch (job->verdict) {
	case JOB_DISPUTED: return disputed;
	case JOB_CHANGED: return changed;
	default: return NULL;
	}
}

bool
verdict_is_skip(const struct job *job)
{
	return job->verdict == JOB_NOT_REGULAR || job->verdict == JOB_IS_OUTPUT;
}
