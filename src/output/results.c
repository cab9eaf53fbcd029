/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/output/results.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "src/base/quote.h"
#include "src/output/output.h"
#include "src/output/report.h"

/* Verdicts ---------------------------------------------------------------- */

static const char disputed[] =
	"internal error: the CPU reference and libcrypto disagree";
static const char changed[] = "file changed while it was read";

bool
results_judge(const struct job *job)
{
	if (job->was_cached)
		report_file_note(
			job->name,
			"hashed from memory in whole or in part, since "
			"it could not be dropped from the page cache");
	switch (job->verdict) {
	case JOB_TRUSTED: return true;
	case JOB_CORRECTED:
		report_file_problem(job->name,
				    "the device computed a wrong digest; "
				    "corrected by the CPU reference");
		return true;
	case JOB_DISPUTED:
		report_file_problem(job->name, "%s; no digest printed",
				    disputed);
		break;
	case JOB_CHANGED: report_file_problem(job->name, changed); break;
	case JOB_NOT_REGULAR:
		report_file_note(job->name, "skipped: not a regular file");
		break;
	case JOB_KNOWN: break;
	case JOB_IS_OUTPUT:
		report_file_note(job->name,
				 "skipped: standard output goes there");
		break;
	}
	return false;
}

bool
results_is_skip(const struct job *job)
{
	return job->verdict == JOB_NOT_REGULAR || job->verdict == JOB_IS_OUTPUT;
}

const char *
results_reason(int errnum)
{
	/* The locale "C" is static: nothing to free. */
	locale_t english = newlocale(LC_ALL_MASK, "C", (locale_t)0);

	return english ? strerror_l(errnum, english) : strerror(errnum);
}

/* Return the reason for a missing digest, or NULL. */
static const char *
find_error(const struct job *job)
{
	return job->error		    ? results_reason(job->error) :
	       job->verdict == JOB_DISPUTED ? disputed :
	       job->verdict == JOB_CHANGED  ? changed :
					      NULL;
}

/* Objects ----------------------------------------------------------------- */

/* End the object and print it. */
static void
put_object(struct results *self, const char *name)
{
	const bool made = json_close(&self->object);

	output_add_line(&self->object.text, made, name);
}

/* Begin an object that is about this name. */
static struct json *
open_object(struct results *self, const char *name)
{
	json_open(&self->object);
	json_string(&self->object, "name", name);
	return &self->object;
}

static void
add_digest(struct json *object, const struct job *job)
{
	/* A digest that --verify corrected comes from the CPU. */
	const char *device = job->verdict == JOB_CORRECTED ? "cpu" :
							     job->device;

	json_hex(object, "sha256", job->digest, sizeof(job->digest));
	json_number(object, "size", job->size);
	json_string(object, "device", device);
}

void
results_failed(struct results *self, const char *name, const char *error)
{
	if (!self->json)
		return;
	json_string(open_object(self, name), "error", error);
	put_object(self, name);
}

void
results_list_failed(struct results *self, const char *list, uintmax_t number,
		    const char *error)
{
	struct json *const object = &self->object;

	if (!self->json)
		return;
	json_open(object);
	json_string(object, "list", list);
	if (number > 0)
		json_number(object, "line", number);
	json_string(object, "error", error);
	put_object(self, list);
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

static void
put_checked(struct results *self, const struct job *job,
	    const struct result_entry *entry, enum digest_result result)
{
	struct json *const object = open_object(self, job->name);

	json_string(object, "list", entry->list);
	json_number(object, "line", entry->line);
	json_string(object, "verdict", find_verdict(job, result));
	json_hex(object, "expected", entry->expected, SHA256_DIGEST_BYTES);
	if (entry->cause)
		json_string(object, "cause", entry->cause);
	if (entry->from)
		json_string(object, "from", entry->from);
	if (result == DIGEST_UNREADABLE)
		json_string(object, "error", find_error(job));
	else
		add_digest(object, job);
	put_object(self, job->name);
}

/* Lines of text, or objects ------------------------------------------------ */

void
results_hashed(struct results *self, const struct job *job)
{
	const char *const error = find_error(job);
	bool made;

	if (error) {
		results_failed(self, job->name, error);
	} else if (self->json) {
		add_digest(open_object(self, job->name), job);
		put_object(self, job->name);
	} else {
		text_cut(&self->line, 0);
		made = digest_line_add(&self->line, job->digest, job->name,
				       self->style);
		output_add_line(&self->line, made, job->name);
	}
}

/* Print "NAME: WORDS" or, unless it is NULL, "NAME: WORDS FROM". */
static void
put_words(struct results *self, const char *name, const char *words,
	  const char *from)
{
	struct text *const line = &self->line;

	text_cut(line, 0);
	output_add_line(line,
			quote_add(line, name) && text_add(line, ": ", 2) &&
				text_add_string(line, words) &&
				(!from || (text_add(line, " ", 1) &&
					   quote_add(line, from))) &&
				text_add(line, "\n", 1),
			name);
}

void
results_checked(struct results *self, const struct job *job,
		const struct result_entry *entry, enum digest_result result)
{
	static const char *const words[] = { [DIGEST_OK] = "OK",
					     [DIGEST_FAILED] = "FAILED",
					     [DIGEST_UNREADABLE] =
						     "FAILED open or read" };

	if (self->json)
		put_checked(self, job, entry, result);
	else
		put_words(self, job->name, words[result], NULL);
}

void
results_unlisted(struct results *self, const struct job *job, const char *from)
{
	struct json *object;

	if (!self->json) {
		put_words(self, job->name, from ? "MOVED from" : "NOT LISTED",
			  from);
		return;
	}
	object = open_object(self, job->name);
	json_string(object, "verdict", from ? "MOVED" : "UNLISTED");
	if (from) {
		json_string(object, "from", from);
		add_digest(object, job);
	}
	put_object(self, job->name);
}

void
results_changed(struct results *self, const struct list_change *change)
{
	/* The text without and with an old name, and the value in JSON. */
	static const struct {
		const char *alone, *with, *value;
	} kinds[] = {
		[CHANGE_NEW] = { "NEW", NULL, "new" },
		[CHANGE_COPY] = { NULL, "COPY of", "copy" },
		[CHANGE_MOVED] = { NULL, "MOVED from", "moved" },
		[CHANGE_EDITED] = { "EDITED", "EDITED, moved from", "edited" },
		[CHANGE_DIFFERS] = { "DIFFERS", "DIFFERS from", "differs" },
		[CHANGE_MISSING] = { "MISSING", NULL, "missing" },
		[CHANGE_DROPPED] = { "DROPPED", NULL, "dropped" },
	};
	const char *const from = change->from;
	const char *words = from ? kinds[change->kind].with :
				   kinds[change->kind].alone;
	char counted[64];
	struct json *object;

	if (!self->json) {
		if (change->files > 0 && !from) {
			snprintf(counted, sizeof(counted), "%s, %zu files",
				 words, change->files);
			words = counted;
		}
		put_words(self, change->name, words, from);
		return;
	}
	object = open_object(self, change->name);
	json_string(object, "change", kinds[change->kind].value);
	if (from)
		json_string(object, "from", from);
	if (change->files > 0)
		json_number(object, "files", change->files);
	put_object(self, change->name);
}

void
results_free(struct results *self)
{
	text_free(&self->line);
	json_free(&self->object);
}
