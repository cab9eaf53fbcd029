/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/extensions.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "src/options.h"
#include "src/output/quote.h"
#include "src/output/report.h"

/* Is it the name of a device, whether or not it is built in and usable here? */
static bool
is_device(const char *word)
{
	static const struct {
		const char *name;
		bool has_words;
	} devices[] = { { "auto", false },    { "cpu", false },
			{ "qpu", true },      { "qpu+cpu", true },
			{ "emulator", true }, { "emulator+cpu", true } };
	const size_t len = strcspn(word, ":");

	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++)
		if (strlen(devices[i].name) == len &&
		    memcmp(devices[i].name, word, len) == 0)
			return word[len] == '\0' || devices[i].has_words;
	return false;
}

static bool
is_listing(const char *word)
{
	return *word == '\0' || strcmp(word, "details") == 0;
}

#ifdef WITH_QPU
#define DEVICE_DOC                                                             \
	"hash on auto (default), cpu, qpu[+cpu][:WORDS] or\n"                  \
	"emulator[+cpu][:WORDS]"
#define DEVICE_VALID                                                           \
	"  - 'auto'\n  - 'cpu'\n"                                              \
	"  - 'qpu', 'qpu:WORDS', 'qpu+cpu', 'qpu+cpu:WORDS'\n"                 \
	"  - 'emulator', 'emulator:WORDS', 'emulator+cpu',\n"                  \
	"    'emulator+cpu:WORDS'"
#else
#define DEVICE_DOC "hash on auto (default) or cpu"
#define DEVICE_VALID "  - 'auto'\n  - 'cpu'"
#endif

#define FIELD(member) .field = offsetof(struct options, member)

/* No name may be a prefix of the name of a GNU option. */
const struct extension extensions[] = {
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
	  .kind = EXTENSION_WORD,
	  FIELD(device),
	  .value = "DEVICE",
	  .accepts = is_device,
	  .doc = DEVICE_DOC,
	  .valid = DEVICE_VALID },
	{ .name = "files0-from",
	  .kind = EXTENSION_WORD,
	  FIELD(input.files0_from),
	  .value = "FILE",
	  .doc = "read NUL-terminated file names from FILE, or from\n"
		 "standard input if FILE is -" },
	{ .name = "json",
	  FIELD(input.json),
	  .doc = "print one JSON object per line instead of text" },
	{ .name = "list-devices",
	  .kind = EXTENSION_WORD,
	  FIELD(list_devices),
	  .value = "details",
	  .without = "",
	  .accepts = is_listing,
	  .doc = "list devices, whether they can be used here\n"
		 "and, with details, what they are; and exit",
	  .valid = "  - 'details'" },
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
	  .doc = "print device statistics to standard error" },
	{ .name = "threads",
	  .kind = EXTENSION_NUMBER,
	  FIELD(threads),
	  .value = "N",
	  .doc = "use at most N threads (0 = automatic)" },
	{ .name = "unlisted",
	  .kind = EXTENSION_WORD,
	  FIELD(input.unlisted),
	  .value = "DIR",
	  .without = ".",
	  .doc = "with -c: report files below DIR (default: .) that no\n"
		 "list names" },
	{ .name = "verify",
	  FIELD(verify),
	  .doc = "check every digest against the reference code and\n"
		 "OpenSSL's libcrypto" },
	{ 0 }
};

/* A number too large for unsigned becomes the largest. */
static bool
parse_number(const char *value, unsigned *number)
{
	if (!*value || value[strspn(value, "0123456789")])
		return false;

	const unsigned long parsed = strtoul(value, NULL, 10);
	*number = parsed < UINT_MAX ? (unsigned)parsed : UINT_MAX;
	return true;
}

/* False: the value is not a valid one. */
static bool
set_field(struct options *options, const struct extension *extension,
	  const char *value)
{
	void *const field = (char *)options + extension->field;

	switch (extension->kind) {
	case EXTENSION_FLAG: *(bool *)field = true; break;
	case EXTENSION_NUMBER: return parse_number(value, field);
	case EXTENSION_WORD: *(const char **)field = value; break;
	}
	return !extension->accepts || extension->accepts(value);
}

/* The option that a word names in full, and its value after '=' or NULL. */
static const struct extension *
find_extension(const char *word, const char **value)
{
	if (strncmp(word, "--", 2) != 0)
		return NULL;
	word += 2;

	const size_t len = strcspn(word, "=");
	for (const struct extension *row = extensions; row->name; row++)
		if (strlen(row->name) == len &&
		    strncmp(row->name, word, len) == 0) {
			*value = word[len] ? word + len + 1 : NULL;
			return row;
		}
	return NULL;
}

/* Take them out until the first error: how many words are left. */
static int
take(int argc, char **argv, struct options *options,
     struct extension_error *error)
{
	const bool in_order = getenv("POSIXLY_CORRECT");
	int kept = 1;
	int i = 1;

	for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *value = NULL;
		const struct extension *option =
			find_extension(argv[i], &value);

		if (in_order && (argv[i][0] != '-' || !argv[i][1]))
			break;
		if (!option) {
			argv[kept++] = argv[i];
			continue;
		}
		error->option = option;
		if (option->without && !value) {
			value = option->without;
		} else if (option->value && !value) {
			error->kind = EXTENSION_NEEDS_VALUE;
			if (i + 1 == argc)
				return kept;
			value = argv[++i];
		} else if (!option->value && value) {
			error->kind = EXTENSION_TAKES_NONE;
			return kept;
		}
		error->kind = EXTENSION_INVALID;
		error->value = value;
		if (!set_field(options, option, value))
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

/* The texts are those of getopt, and of GNU's programs with such options. */
void
extensions_complain(const struct extension_error *error)
{
	const char *const name = error->option->name;
	struct text quoted = { 0 };
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
		if (error->option->valid)
			report_error("invalid argument %s for '--%s'\n"
				     "Valid arguments are:\n%s",
				     value, name, error->option->valid);
		else
			report_error("invalid --%s argument %s", name, value);
		break;
	}
	text_free(&quoted);
}
