/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/distrust.h"

#include "src/quote.h"
#include "src/report.h"

bool
distrust_report(const struct job *job)
{
	struct text quoted = { 0 };

	switch (job->verdict) {
	case JOB_TRUSTED:
		return true;
	case JOB_CORRECTED:
		report_error("%s: the device computed a wrong digest; "
			     "corrected by the CPU reference",
			     quote_name(&quoted, job->name));
		break;
	case JOB_DISPUTED:
		report_error("%s: internal error: the CPU reference and "
			     "libcrypto disagree; no digest printed",
			     quote_name(&quoted, job->name));
		break;
	case JOB_CHANGED:
		report_error("%s: file changed while it was read",
			     quote_name(&quoted, job->name));
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
	return job->verdict == JOB_CORRECTED;
}
