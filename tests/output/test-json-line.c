/* SPDX-License-Identifier: MIT */
/*
 * Promise: a line of --json names the device whose digest it gives, and why
 * there is none.
 */
#include "config.h"

#include "src/output/json_line.h"

#include <errno.h>
#include <locale.h>
#include <string.h>

#include "tests/support/tap.h"

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
	   "unless memory is short");
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
		  CHECKED "\"unreadable\",\"expected\":\"" OF_0 "\"," CHANGED },
		{ { .verdict = JOB_DISPUTED, .opened = true },
		  DIGEST_UNREADABLE,
		  "{\"name\":\"f\"," DISPUTED,
		  CHECKED "\"unreadable\",\"expected\":\"" OF_0
			  "\"," DISPUTED },
		{ { .error = ENOENT },
		  DIGEST_UNREADABLE,
		  NULL,
		  CHECKED "\"missing\",\"expected\":\"" OF_0
			  "\",\"error\":\"No such file or directory\"}\n" },
		{ { .error = ENOENT, .opened = true },
		  DIGEST_UNREADABLE,
		  NULL,
		  CHECKED "\"unreadable\",\"expected\":\"" OF_0
			  "\",\"error\":\"No such file or directory\"}\n" },
		{ { .error = EACCES },
		  DIGEST_UNREADABLE,
		  NULL,
		  CHECKED "\"unreadable\",\"expected\":\"" OF_0
			  "\",\"error\":\"Permission denied\"}\n" },
	};
	static const uint8_t expected[SHA256_DIGEST_BYTES];
	const struct json_line_entry entry = { "sums", 7, expected };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct job job = rows[i].job;

		job.name = name;
		job.size = 3;
		job.device = "qpu";
		job.digest[0] = 1;
		if (rows[i].hashed) {
			ok(json_line_hashed(&line, &job), "a line");
			is(line.text.bytes, rows[i].hashed,
			   "hashed, verdict %d", (int)job.verdict);
		}
		ok(json_line_checked(&line, &job, &entry, rows[i].result),
		   "a line");
		is(line.text.bytes, rows[i].checked,
		   "checked, verdict %d, error %d", (int)job.verdict,
		   job.error);
	}
	ok(json_line_failed(&line, "f", "so"),
	   "an object of a failure is made");
	is(line.text.bytes, "{\"name\":\"f\",\"error\":\"so\"}\n",
	   "has its reason");
	ok(json_line_unlisted(&line, "f"), "a file that is not listed");
	is(line.text.bytes, "{\"name\":\"f\",\"verdict\":\"unlisted\"}\n",
	   "has that verdict");
	ok(json_line_list(&line, "sums", 0, "so"),
	   "an object of a list that failed is made");
	is(line.text.bytes, "{\"list\":\"sums\",\"error\":\"so\"}\n",
	   "has no line");
	ok(json_line_list(&line, "sums", 1, "so"),
	   "an object of a malformed line is made");
	is(line.text.bytes, "{\"list\":\"sums\",\"line\":1,\"error\":\"so\"}\n",
	   "has its number");
}

int
main(void)
{
	test_reason();
	test_lines();
	json_free(&line);
	return tap_done();
}
