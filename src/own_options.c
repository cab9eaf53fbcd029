/* SPDX-License-Identifier: MIT */
/* Our own options: the table, and taking them out of argv. */
#include "config.h"

#include "src/own_options.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "src/options.h"
#include "src/quote.h"
#include "src/report.h"

static bool
set_device(struct options *options, const char *value)
{
	static const struct {
		const char *name;
		bool has_words;
	} devices[] = {
		{ "auto", false }, { "cpu", false }, { "qpu", true },
		{ "emulator", true }
	};
	const size_t len = strcspn(value, ":");
	bool known = false;

	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++)
		if (strlen(devices[i].name) == len &&
		    memcmp(devices[i].name, value, len) == 0 &&
		    (value[len] == '\0' || devices[i].has_words))
			known = true;
	options->device = value;
	return known;
}

static bool
set_threads(struct options *options, const char *value)
{
	if (!*value || value[strspn(value, "0123456789")])
		return false;

	unsigned long number = strtoul(value, NULL, 10);
	options->threads = number < UINT_MAX ? (unsigned)number : UINT_MAX;
	return true;
}

static bool
set_files0_from(struct options *options, const char *value)
{
	options->files0_from = value;
	return true;
}

static bool
set_verify(struct options *options, const char *value)
{
	(void)value;
	options->verify = true;
	return true;
}

static bool
set_stats(struct options *options, const char *value)
{
	(void)value;
	options->stats = true;
	return true;
}

static bool
set_list_devices(struct options *options, const char *value)
{
	(void)value;
	options->list_devices = true;
	return true;
}

static bool
set_benchmark(struct options *options, const char *value)
{
	(void)value;
	options->benchmark = true;
	return true;
}

static bool
set_check_zero(struct options *options, const char *value)
{
	(void)value;
	options->check = options->check_zero = true;
	return true;
}

static bool
set_detect_changes(struct options *options, const char *value)
{
	(void)value;
	options->detect_changes = true;
	return true;
}

static bool
set_recursive(struct options *options, const char *value)
{
	(void)value;
	options->recursive = true;
	return true;
}

static bool
set_json(struct options *options, const char *value)
{
	(void)value;
	options->json = true;
	return true;
}

static bool
set_progress(struct options *options, const char *value)
{
	(void)value;
	options->progress = true;
	return true;
}

/* No name may be the beginning of a name of GNU's. */
const struct own_option own_options[] = {
	{ .name = "benchmark", .set = set_benchmark,
	  .doc = "measure every engine and kernel in memory, and exit" },
	{ .name = "check-zero", .set = set_check_zero,
	  .doc = "check, as -c, lists that were written with -z" },
	{ .name = "detect-changes", .set = set_detect_changes,
	  .doc = "a file that changes while it is read is an error" },
	{ .name = "device", .value = "DEVICE", .set = set_device,
	  .doc = "hash on auto (default), cpu, qpu or emulator[:WORDS]",
	  .valid = "  - 'auto'\n  - 'cpu'\n"
		   "  - 'qpu', 'qpu:WORDS'\n"
		   "  - 'emulator', 'emulator:WORDS'" },
	{ .name = "files0-from", .value = "FILE", .set = set_files0_from,
	  .doc = "read the names, each ended by NUL, from FILE;\n"
		 "if FILE is - from standard input" },
	{ .name = "json", .set = set_json,
	  .doc = "print JSON, an object a line, instead of text" },
	{ .name = "list-devices", .set = set_list_devices,
	  .doc = "list the devices, whether they can be used, and why\n"
		 "not, and exit" },
	{ .name = "progress", .set = set_progress,
	  .doc = "show on the terminal how far the work has come" },
	{ .name = "recursive", .letter = 'r', .set = set_recursive,
	  .doc = "hash all regular files below each FILE that is a\n"
		 "directory; without a FILE below ." },
	{ .name = "stats", .set = set_stats,
	  .doc = "tell on standard error what the device has done" },
	{ .name = "threads", .value = "N", .set = set_threads,
	  .doc = "use at most N threads (0: as many as pay)" },
	{ .name = "verify", .set = set_verify,
	  .doc = "compute every digest twice, the second time by the\n"
		 "reference code, and compare" },
	{ 0 }
};

/* The option that a word spells out, and what stands behind '='. */
static const struct own_option *
find_own(const char *word, const char **value)
{
	if (strncmp(word, "--", 2) != 0)
		return NULL;
	word += 2;

	const size_t len = strcspn(word, "=");
	for (const struct own_option *row = own_options; row->name; row++)
		if (strlen(row->name) == len &&
		    strncmp(row->name, word, len) == 0) {
			*value = word[len] ? word + len + 1 : NULL;
			return row;
		}
	return NULL;
}

int
own_options_take(int argc, char **argv, struct options *options,
		 struct own_error *error)
{
	const bool in_order = getenv("POSIXLY_CORRECT");
	int kept = 1;
	int i = 1;

	for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *value = NULL;
		const struct own_option *option = find_own(argv[i], &value);

		if (in_order && (argv[i][0] != '-' || !argv[i][1]))
			break;
		if (!option) {
			argv[kept++] = argv[i];
			continue;
		}
		error->option = option;
		if (option->value && !value) {
			error->kind = OWN_NEEDS_VALUE;
			if (i + 1 == argc)
				return kept;
			value = argv[++i];
		} else if (!option->value && value) {
			error->kind = OWN_TAKES_NONE;
			return kept;
		}
		error->kind = OWN_INVALID;
		error->value = value;
		if (!option->set(options, value))
			return kept;
		error->option = NULL;
	}
	while (i < argc)
		argv[kept++] = argv[i++];
	argv[kept] = NULL;
	return kept;
}

/* The words are those of getopt, and of GNU's programs with such options. */
void
own_options_complain(const struct own_error *error)
{
	const char *const name = error->option->name;
	struct text quoted = {0};
	const char *value;

	switch (error->kind) {
	case OWN_NEEDS_VALUE:
		report_error("option '--%s' requires an argument", name);
		break;
	case OWN_TAKES_NONE:
		report_error("option '--%s' doesn't allow an argument", name);
		break;
	case OWN_INVALID:
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
