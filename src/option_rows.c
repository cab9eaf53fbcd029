/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/option_rows.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/completion.h"
#include "src/options.h"
#include "src/pipeline/engines.h"
#include "src/processors.h"

#define FIELD(member) OPTION_FIELD(struct options, member)

const struct option_row gnu_options[] = {
	{ .name = "check",
	  .letter = 'c',
	  FIELD(check),
	  .doc = "read check lists from the FILEs and check them" },
	{ .name = "ignore-missing",
	  FIELD(input.ignore_missing),
	  .doc = "with -c: pass over files that do not exist" },
	{ .name = "quiet",
	  .kind = OPTION_CONSTANT,
	  .constant = INPUT_QUIET,
	  FIELD(input.verbosity),
	  .doc = "with -c: print no OK for files that match; with -r:\n"
		 "print no notes" },
	{ .name = "status",
	  .kind = OPTION_CONSTANT,
	  .constant = INPUT_STATUS,
	  FIELD(input.verbosity),
	  .doc = "with -c: print nothing; report by exit status only" },
	{ .name = "warn",
	  .letter = 'w',
	  .kind = OPTION_CONSTANT,
	  .constant = INPUT_WARN,
	  FIELD(input.verbosity),
	  .doc = "with -c: warn about each malformed line" },
	{ .name = "strict",
	  FIELD(input.strict),
	  .doc = "with -c: fail if any line is malformed" },
	{ .name = "tag",
	  FIELD(input.tag),
	  .doc = "print BSD-style lines: SHA256 (FILE) = digest" },
	{ .name = "zero",
	  .letter = 'z',
	  FIELD(input.zero),
	  .doc = "end lines with NUL, not newline, and escape no names" },
	{ .name = "binary",
	  .letter = 'b',
	  .kind = OPTION_CONSTANT,
	  .constant = INPUT_MARK_BINARY,
	  FIELD(input.mark),
	  .doc = "mark names with '*' as read in binary mode" },
	{ .name = "text",
	  .letter = 't',
	  .kind = OPTION_CONSTANT,
	  .constant = INPUT_MARK_TEXT,
	  FIELD(input.mark),
	  .doc = "mark names with ' ' as read in text mode (default)" },
	{ .name = "help", FIELD(help), .doc = "print this help and exit" },
	{ .name = "version",
	  FIELD(version),
	  .doc = "print the version and exit" },
	{ .name = NULL }
};

/* Extensions --------------------------------------------------------------- */

#ifdef WITH_QPU
#define DEVICE_DOC                                                             \
	"hash on auto (default), cpu, qpu[+cpu][:WORDS] or\n"                  \
	"emulator[+cpu][:WORDS]"
#else
#define DEVICE_DOC "hash on auto (default) or cpu"
#endif

static bool
parse_device(void *field, const char *value, struct diag *why)
{
	(void)why;
	*(const char **)field = value;
	return engines_is_device(value);
}

static bool
is_device_given(const void *field)
{
	const char *device = *(const char *const *)field;

	return strcmp(device, "auto") != 0 && strcmp(device, "cpu") != 0;
}

/* A number too large for unsigned becomes the largest. */
static bool
parse_threads(void *field, const char *value, struct diag *why)
{
	(void)why;
	if (!*value || value[strspn(value, "0123456789")])
		return false;

	const unsigned long parsed = strtoul(value, NULL, 10);
	*(unsigned *)field = parsed < UINT_MAX ? (unsigned)parsed : UINT_MAX;
	return true;
}

/* A decimal number from 1 on that `end` follows; *at moves behind that. */
static bool
parse_number(const char **at, char end, unsigned *number)
{
	const size_t len = strspn(*at, "0123456789");
	const unsigned long long value = len > 0 ? strtoull(*at, NULL, 10) : 0;

	if (value == 0 || value > UINT_MAX || (*at)[len] != end)
		return false;
	*number = (unsigned)value;
	*at += len + 1;
	return true;
}

/* "K/N" with 1 <= K <= N. */
static bool
parse_part(void *field, const char *value, struct diag *why)
{
	struct input_part *const part = field;

	(void)why;
	return parse_number(&value, '/', &part->number) &&
	       parse_number(&value, '\0', &part->count) &&
	       part->number <= part->count;
}

static bool
is_part_given(const void *field)
{
	return ((const struct input_part *)field)->count > 0;
}

/* The place for a device's name: after `len` bytes of the word. */
struct offered {
	const struct completion *completion;
	size_t len;
};

static void
offer_name(void *context, const char *name)
{
	const struct offered *offered = context;

	completion_offer(offered->completion, offered->len, name, NULL);
}

static void
offer_devices(const struct completion *completion, size_t len)
{
	struct offered offered = { completion, len };
	const char *const value = completion->word + len;
	const size_t name_len = strcspn(value, ":");
	struct option_row options[ENGINES_OPTIONS];

	if (!value[name_len]) {
		engines_each_name(offer_name, &offered);
		return;
	}
	engines_options(value, options);
	completion_offer_words(completion, len + name_len + 1, options);
}

static void
offer_threads(const struct completion *completion, size_t len)
{
	const unsigned most = processors_count();
	char number[16];

	for (unsigned n = 0; n <= most; n++) {
		snprintf(number, sizeof(number), "%u", n);
		completion_offer(completion, len, number, NULL);
	}
}

static const char *const listings[] = { "", "details", NULL };

static const char *const prunings[] = { "", "all", NULL };

/* No name may be a prefix of the name of a GNU option. */
const struct option_row extensions[] = {
	{ .name = "accept",
	  .kind = OPTION_TEXTS,
	  FIELD(input.accept),
	  .argument = "FILE",
	  .doc = "with --update: take the new digest of FILE, which is\n"
		 "damaged or DIFFERS; may be repeated" },
	{ .name = "benchmark",
	  FIELD(benchmark),
	  .doc = "measure every engine and kernel in memory, and exit" },
	{ .name = "check-zero",
	  FIELD(input.check_zero),
	  .doc = "check, like -c, lists that were written with -z" },
	{ .name = "detect-changes",
	  FIELD(input.detect_changes),
	  .doc = "report a file that changes while it is read as an\n"
		 "error" },
	{ .name = "device",
	  .kind = OPTION_PARSED,
	  FIELD(device),
	  .parse = parse_device,
	  .is_given = is_device_given,
	  .offer = offer_devices,
	  .argument = "DEVICE",
	  .doc = DEVICE_DOC },
	{ .name = "files0-from",
	  .kind = OPTION_TEXT,
	  FIELD(input.files0_from),
	  .argument = "FILE",
	  .doc = "read NUL-terminated file names from FILE, or from\n"
		 "standard input if FILE is -" },
	{ .name = "hard-links-once",
	  FIELD(input.hard_links_once),
	  .doc = "hash a file that has several names once" },
	{ .name = "json",
	  FIELD(input.json),
	  .doc = "print one JSON object per line instead of text" },
	{ .name = "list-devices",
	  .kind = OPTION_TEXT,
	  FIELD(list_devices),
	  .words = listings,
	  .argument = "details",
	  .alone = "",
	  .doc = "list devices, whether they can be used here\n"
		 "and, with details, what they are; and exit" },
	{ .name = "one-at-a-time",
	  FIELD(one_at_a_time),
	  .doc = "read each file to its end before the next is opened" },
	{ .name = "one-file-system",
	  .letter = 'x',
	  FIELD(input.one_file_system),
	  .doc = "with -r and --unlisted: skip directories on other\n"
		 "file systems" },
	{ .name = "only",
	  .kind = OPTION_TEXTS,
	  FIELD(input.only),
	  .argument = "FILE",
	  .doc = "with -c: check only FILE, which has to be in a list;\n"
		 "may be repeated" },
	{ .name = "part",
	  .kind = OPTION_PARSED,
	  FIELD(input.part),
	  .parse = parse_part,
	  .is_given = is_part_given,
	  .argument = "K/N",
	  .doc = "hash or check only the Kth of N parts of all files" },
	{ .name = "progress",
	  FIELD(progress),
	  .doc = "show the progress of the work on the terminal" },
	{ .name = "prune",
	  .kind = OPTION_TEXT,
	  FIELD(input.prune),
	  .words = prunings,
	  .argument = "all",
	  .alone = "",
	  .doc = "with --update: drop names of files that are gone from\n"
		 "directories that have kept half of theirs, or all" },
	{ .name = "recursive",
	  .letter = 'r',
	  FIELD(input.recursive),
	  .doc = "hash all regular files below each FILE that is a\n"
		 "directory; without a FILE, below ." },
	{ .name = "relative-to-list",
	  FIELD(input.relative_to_list),
	  .doc = "with -c: names are relative to the directory of\n"
		 "their list" },
	{ .name = "stats",
	  FIELD(stats),
	  .doc = "print statistics and counts to standard error" },
	{ .name = "threads",
	  .kind = OPTION_PARSED,
	  FIELD(threads),
	  .parse = parse_threads,
	  .offer = offer_threads,
	  .argument = "N",
	  .doc = "use at most N threads (0 = automatic)" },
	{ .name = "uncached",
	  FIELD(uncached),
	  .doc = "read files from their media, not from the page cache,\n"
		 "and leave nothing of them there" },
	{ .name = "unlisted",
	  .kind = OPTION_TEXTS,
	  FIELD(input.unlisted),
	  .argument = "DIR",
	  .alone = ".",
	  .doc = "with -c: report files below DIR (default: .) that no\n"
		 "list names; may be repeated" },
	{ .name = "update",
	  .kind = OPTION_TEXT,
	  FIELD(input.update),
	  .argument = "LIST",
	  .doc = "bring the check list LIST up to date: add new files,\n"
		 "hash modified ones, find moved ones; the old list\n"
		 "stays as LIST~" },
	{ .name = "verify",
	  FIELD(verify),
	  .doc = "check every digest against the reference code and\n"
		 "OpenSSL's libcrypto" },
	{ .name = "why",
	  FIELD(input.why),
	  .doc = "with -c: report for each file that FAILED whether it\n"
		 "was damaged, edited or moved" },
	{ 0 }
};
