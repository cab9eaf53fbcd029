/* SPDX-License-Identifier: MIT */
/*
 * Promise: a line of --json names the device whose digest it gives, and why
 * there is none.
 */
#include "config.h"

#include "src/output/json_line.h"

#include <errno.h>
#include <string.h>

#include "tests/support/tap.h"

static struct json line;

static bool
has(const char *text)
{
	const bool found = memmem(line.text.bytes, line.text.len, text,
				  strlen(text)) != NULL;

	if (!found)
		tap_note("%.*s", (int)line.text.len, line.text.bytes);
	return found;
}

static void
test_device(void)
{
	static char name[] = "f";
	struct job job = { .name = name, .device = "emulator", .size = 3 };

	ok(json_line_hashed(&line, &job) && has("\"device\":\"emulator\""),
	   "a digest is that of its device");
	job.verdict = JOB_CORRECTED;
	ok(json_line_hashed(&line, &job) && has("\"device\":\"cpu\""),
	   "one that was corrected is the CPU's");
	job.verdict = JOB_CHANGED;
	ok(json_line_hashed(&line, &job) && has("\"error\":") &&
		   !memmem(line.text.bytes, line.text.len, "sha256", 6),
	   "of a file that has changed there is none");
}

/* In another language. */
char *
__wrap_strerror(int number);

char *
__wrap_strerror(int number)
{
	static char text[] = "Datei oder Verzeichnis nicht gefunden";

	(void)number;
	return text;
}

static void
test_reason(void)
{
	is(json_line_reason(ENOENT), "No such file or directory",
	   "reasons are in English, whatever the language of messages is");
}

static void
test_missing(void)
{
	static const uint8_t expected[SHA256_DIGEST_BYTES];
	const struct json_line_entry entry = { "list", 1, expected };
	static char name[] = "f";
	struct job job = { .name = name, .error = ENOENT };

	ok(json_line_checked(&line, &job, &entry, DIGEST_UNREADABLE) &&
		   has("\"verdict\":\"missing\""),
	   "a file that is not there is missing");
	job.opened = true;
	ok(json_line_checked(&line, &job, &entry, DIGEST_UNREADABLE) &&
		   has("\"verdict\":\"unreadable\""),
	   "one that goes while it is read is unreadable");
}

int
main(void)
{
	test_device();
	test_missing();
	test_reason();
	json_free(&line);
	return tap_done();
}
