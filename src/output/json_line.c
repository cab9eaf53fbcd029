/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/output/json_line.h"

#include <errno.h>
#include <locale.h>
#include <string.h>

#include "src/output/verdict_report.h"

const char *
json_line_reason(int errnum)
{
	/* The locale "C" is static: nothing to free. */
	locale_t english = newlocale(LC_ALL_MASK, "C", (locale_t)0);

	return english ? strerror_l(errnum, english) : strerror(errnum);
}

/* Why there is no digest, or NULL. */
static const char *
find_error(const struct job *job)
{
	return job->error ? json_line_reason(job->error) : verdict_error(job);
}

static void
add_digest(struct json *line, const struct job *job)
{
	/* A digest that --verify corrected comes from the CPU. */
	const char *device = job->verdict == JOB_CORRECTED ? "cpu" :
							     job->device;

	json_hex(line, "sha256", job->digest, sizeof(job->digest));
	json_number(line, "size", job->size);
	json_string(line, "device", device);
}

bool
json_line_hashed(struct json *line, const struct job *job)
{
	const char *error = verdict_error(job);

	if (error)
		return json_line_failed(line, job->name, error);
	json_open(line);
	json_string(line, "name", job->name);
	add_digest(line, job);
	return json_close(line);
}

bool
json_line_failed(struct json *line, const char *name, const char *error)
{
	json_open(line);
	json_string(line, "name", name);
	json_string(line, "error", error);
	return json_close(line);
}

static const char *
find_verdict(const struct job *job, enum digest_result result)
{
	switch (result) {
	case DIGEST_OK: return "OK";
	case DIGEST_FAILED: return "FAILED";
	default:
		return !job->opened && job->error == ENOENT ? "MISSING" :
							      "UNREADABLE";
	}
}

bool
json_line_checked(struct json *line, const struct job *job,
		  const struct json_line_entry *entry,
		  enum digest_result result)
{
	json_open(line);
	json_string(line, "name", job->name);
	json_string(line, "list", entry->list);
	json_number(line, "line", entry->line);
	json_string(line, "verdict", find_verdict(job, result));
	json_hex(line, "expected", entry->expected, SHA256_DIGEST_BYTES);
	if (entry->cause && result == DIGEST_FAILED)
		json_string(line, "cause", entry->cause);
	if (result == DIGEST_UNREADABLE)
		json_string(line, "error", find_error(job));
	else
		add_digest(line, job);
	return json_close(line);
}

bool
json_line_unlisted(struct json *line, const struct job *job, const char *from)
{
	json_open(line);
	json_string(line, "name", job->name);
	json_string(line, "verdict", from ? "MOVED" : "UNLISTED");
	if (from) {
		json_string(line, "from", from);
		add_digest(line, job);
	}
	return json_close(line);
}

bool
json_line_change(struct json *line, const char *name, const char *change,
		 const char *from, uintmax_t files)
{
	json_open(line);
	json_string(line, "name", name);
	json_string(line, "change", change);
	if (from)
		json_string(line, "from", from);
	if (files > 0)
		json_number(line, "files", files);
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
