/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/extensions.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/completion.h"
#include "src/base/quote.h"
#include "src/options.h"
#include "src/output/report.h"
#include "src/pipeline/engines.h"
#include "src/processors.h"

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

/* Where a device's name is offered: after `len` bytes of the word. */
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

#define FIELD(member) OPTION_FIELD(struct options, member)

/* No name may be a prefix of the name of a GNU option. */
const struct option_row extensions[] = {
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
	  .offer = offer_devices,
	  .argument = "DEVICE",
	  .doc = DEVICE_DOC },
	{ .name = "files0-from",
	  .kind = OPTION_TEXT,
	  FIELD(input.files0_from),
	  .argument = "FILE",
	  .doc = "read NUL-terminated file names from FILE, or from\n"
		 "standard input if FILE is -" },
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
	{ .name = "progress",
	  FIELD(progress),
	  .doc = "show the progress of the work on the terminal" },
	{ .name = "recursive",
	  .letter = 'r',
	  FIELD(input.recursive),
	  .doc = "hash all regular files below each FILE that is a\n"
		 "directory; without a FILE, below ." },
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
	  .kind = OPTION_TEXT,
	  FIELD(input.unlisted),
	  .argument = "DIR",
	  .alone = ".",
	  .doc = "with -c: report files below DIR (default: .) that no\n"
		 "list names" },
	{ .name = "update",
	  .kind = OPTION_TEXT,
	  FIELD(input.update),
	  .argument = "LIST",
	  .doc = "print the check list LIST anew, sorted: without\n"
		 "files that are gone, with those it does not name" },
	{ .name = "verify",
	  FIELD(verify),
	  .doc = "check every digest against the reference code and\n"
		 "OpenSSL's libcrypto" },
	{ 0 }
};

/* The option that a word names in full, and its value after '=' or NULL. */
static const struct option_row *
find_extension(const char *word, const char **value)
{
	const size_t len = strcspn(word, "=");

	*value = word[len] ? word + len + 1 : NULL;
	return strncmp(word, "--", 2) == 0 ?
		       option_find(extensions, word + 2, len - 2) :
		       NULL;
}

/* Take them out until the first error: how many words are left. */
static int
take(int argc, char **argv, struct options *options,
     struct extension_error *error)
{
	const bool in_order = getenv("POSIXLY_CORRECT");
	struct diag why;
	int kept = 1;
	int i = 1;

	for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *value;
		const struct option_row *option =
			find_extension(argv[i], &value);

		if (in_order && (argv[i][0] != '-' || !argv[i][1]))
			break;
		if (!option) {
			argv[kept++] = argv[i];
			continue;
		}
		error->option = option;
		if (option->alone && !value) {
			value = option->alone;
		} else if (option->argument && !value) {
			error->kind = EXTENSION_NEEDS_VALUE;
			if (i + 1 == argc)
				return kept;
			value = argv[++i];
		} else if (!option->argument && value) {
			error->kind = EXTENSION_TAKES_NONE;
			return kept;
		}
		error->kind = EXTENSION_INVALID;
		error->value = value;
		if (!option_set(option, options, value, &why))
			return kept;
		error->option = NULL;
	}
	while (i < argc)
		argv[kept++] = argv[i++];
	return kept;
}

int
extensions_take(int argc, char **argv, struct options *options,
		struct extension_error *error)
{
	const int kept = take(argc, argv, options, error);

	argv[kept] = NULL;
	return kept;
}

/* Add a device's name to the lines of valid arguments: one line for each
 * device. */
static void
add_valid(void *context, const char *name)
{
	const size_t len = strlen(name);
	const bool continues = strpbrk(name, ":+");
	struct text *lines = context;

	/* Memory that is short shortens the message. */
	if (text_add_string(lines, continues ? ", '" : "\n  - '") &&
	    text_add_string(lines, name))
		text_add_string(lines, name[len - 1] == ':' ? "WORDS'" : "'");
}

/* The lines of valid arguments; false: it is none of a few words. */
static bool
list_valid(const struct option_row *option, struct text *lines)
{
	const char *word;

	if (option->parse == parse_device)
		engines_each_name(add_valid, lines);
	for (size_t i = 0;
	     option->words && (word = option_word(option, i)) != NULL; i++)
		if (*word)
			add_valid(lines, word);
	return lines->len > 0;
}

/* The texts are those of getopt, and of GNU's programs with such options. */
void
extensions_complain(const struct extension_error *error)
{
	const char *const name = error->option->name;
	struct text quoted = { 0 }, lines = { 0 };
	const char *value;

	switch (error->kind) {
	case EXTENSION_NEEDS_VALUE:
		report_error("option '--%s' requires an argument", name);
		break;
	case EXTENSION_TAKES_NONE:
		report_error("option '--%s' doesn't allow an argument", name);
		break;
	case EXTENSION_INVALID:
		value = quote_name_always(&quoted, error->value);
		if (list_valid(error->option, &lines))
			report_error("invalid argument %s for '--%s'\n"
				     "Valid arguments are:%s",
				     value, name, lines.bytes);
		else
			report_error("invalid --%s argument %s", name, value);
		break;
	}
	text_free(&quoted);
	text_free(&lines);
}
