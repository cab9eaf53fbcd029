/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/json_line.h"

#include <locale.h>
#include <string.h>

#include "src/distrust.h"

const char *
json_line_reason(int errnum)
{
	/* Not allocated: there is one for all. */
	locale_t english = newlocale(LC_ALL_MASK, "C", (locale_t)0);

	return english ? strerror_l(errnum, english) : strerror(errnum);
}

/* Why there is no digest, or NULL. */
static const char *
find_error(const struct job *job)
{
	return job->error ? json_line_reason(job->error) :
			    distrust_error(job);
}

static void
add_digest(struct json *line, const struct job *job)
{
	/* What --verify corrects comes from the reference on the CPU. */
	const char *device = job->verdict == JOB_CORRECTED ? "cpu" :
							     job->device;

	json_hex(line, "sha256", job->digest, sizeof(job->digest));
	json_number(line, "size", job->size);
	json_string(line, "device", device);
}

bool
json_line_hashed(struct json *line, const struct job *job)
{
	const char *error = find_error(job);

	json_open(line);
	json_string(line, "name", job->name);
	if (error)
		json_string(line, "error", error);
	else
		add_digest(line, job);
	return json_close(line);
}

bool
json_line_checked(struct json *line, const struct job *job, const char *list,
		  enum digest_result result)
{
	static const char *const verdicts[] = {
		[DIGEST_OK] = "OK",
		[DIGEST_FAILED] = "FAILED",
		[DIGEST_UNREADABLE] = "unreadable"
	};

	json_open(line);
	json_string(line, "name", job->name);
	json_string(line, "list", list);
	json_number(line, "line", job->number[0]);
	json_string(line, "verdict", verdicts[result]);
	json_hex(line, "expected", job->expected, sizeof(job->expected));
	if (result == DIGEST_UNREADABLE)
		json_string(line, "error", find_error(job));
	else
		add_digest(line, job);
	return json_close(line);
}

bool
json_line_list(struct json *line, const char *list, uintmax_t number,
	       const char *error)
{
	json_open(line);
	json_string(line, "list", list);
	if (number > 0)
		json_number(line, "line", number);
	json_string(line, "error", error);
	return json_close(line);
}
