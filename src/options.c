/* SPDX-License-Identifier: MIT */
/*
 * GNU's options go through argp.  Extensions are taken out of argv before.
 */
#include "config.h"

#include "src/options.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "src/base/completion.h"
#include "src/base/quote.h"
#include "src/extensions.h"
#include "src/output/output.h"
#include "src/output/report.h"
#include "src/pipeline/engines.h"

#define FIELD(member) OPTION_FIELD(struct options, member)

/* GNU's options, in GNU's order. */
static const struct option_row gnu_options[] = {
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

/* ---- what --help and --version print ---- */

static void
put(const char *string)
{
	output_add(string, strlen(string));
}

/* One option: "  -s, --name=VALUE", and its text from column 27. */
static void
put_option(const struct option_row *row)
{
	enum { COLUMN = 26 };
	const char shorts[] = { ' ', ' ', '-', row->letter, ',', ' ', '\0' };
	size_t column = strlen("  -s, --") + strlen(row->name);
	const char *doc = row->doc;

	put(row->letter ? shorts : "      ");
	put("--");
	put(row->name);
	if (row->argument) {
		put(row->alone ? "[=" : "=");
		put(row->argument);
		put(row->alone ? "]" : "");
		column += 1 + strlen(row->argument) + (row->alone ? 2 : 0);
	}
	for (;;) {
		const size_t len = strcspn(doc, "\n");

		do
			put(" ");
		while (++column < COLUMN);
		output_add(doc, len);
		put("\n");
		if (!doc[len])
			return;
		doc += len + 1;
		column = 0;
	}
}

static void
print_help(void)
{
	put("Usage: ");
	put(report_program());
	put(" [OPTION]... [FILE]...\n"
	    "Print or check SHA-256 digests"
#ifdef WITH_QPU
	    ", on the CPU or on the QPUs of a Raspberry Pi"
#endif
	    ".\n\n"
	    "Without a FILE, or where FILE is -, standard input is read.\n\n"
	    "GNU options, as in GNU coreutils:\n");
	for (const struct option_row *row = gnu_options; row->name; row++)
		put_option(row);

	put("\nExtensions, which cannot be abbreviated:\n");
	for (const struct option_row *row = extensions; row->name; row++)
		put_option(row);

	put("\nThe exit status is 0 if all went well and every file checked "
	    "matched, else 1.\n");
}

/* The parts that configure has left out. */
static void
print_left_out(void)
{
#ifdef WITH_OPENSSL
	static const char *const library = NULL;
#else
	static const char *const library = "OpenSSL (--verify)";
#endif
	if (!engines_left_out && !library)
		return;
	put("Built without: ");
	put(engines_left_out ? engines_left_out : library);
	if (engines_left_out && library) {
		put(", ");
		put(library);
	}
	put(".\n");
}

static void
print_version(void)
{
	put(PACKAGE_STRING
	    "\n"
	    "Copyright (C) 2026 The qpu-sha256sum authors\n"
	    "License MIT: you are free to use, change and redistribute it.\n"
	    "There is NO WARRANTY, to the extent permitted by law.\n"
	    "\nEngines built in:\n");
	for (const struct engine_row *row = engine_rows; row->device; row++) {
		put("  ");
		put(row->engine->name);
		put(": ");
		put(row->engine->about);
		put("\n");
	}
	print_left_out();
}

/* ---- parsing ---- */

enum { KEY_LONG = UCHAR_MAX + 1 }; /* key of the first row without a letter */

/* The rows for argp, which lists them in this order as "possibilities:". */
static void
fill_rows(struct argp_option rows[])
{
	for (const struct option_row *option = gnu_options; option->name;
	     option++)
		*rows++ = (struct argp_option){
			.name = option->name,
			.key = option->letter ?
				       option->letter :
				       KEY_LONG + (int)(option - gnu_options),
		};
	/* Extensions; here since letters may share a word: -zr. */
	for (const struct option_row *option = extensions; option->name;
	     option++)
		if (option->letter)
			*rows++ = (struct argp_option){ .key = option->letter };
}

static const struct option_row *
find_key(const struct option_row *table, int key)
{
	for (const struct option_row *row = table; row->name; row++)
		if (key ==
		    (row->letter ? row->letter : KEY_LONG + (int)(row - table)))
			return row;
	return NULL;
}

static error_t
parse_gnu(int key, char *value, struct argp_state *state)
{
	struct options *options = state->input;
	const struct option_row *row = find_key(gnu_options, key);

	if (key == ARGP_KEY_INIT) {
		/* argp must not print a help text of its own. */
		state->err_stream = NULL;
		return 0;
	}
	if (key == ARGP_KEY_ARGS) {
		options->input.operands = state->argv + state->next;
		options->input.noperands = (size_t)(state->argc - state->next);
		return 0;
	}
	if (!row && key > 0 && key <= UCHAR_MAX)
		row = find_key(extensions, key);
	if (!row)
		return ARGP_ERR_UNKNOWN;
	option_set(row, options, value, NULL);
	/* After --help or --version the rest is ignored. */
	return options->help || options->version ? ECANCELED : 0;
}

/* ---- conflicts ---- */

enum {
	BENCHMARK = 1 << 0,
	CHECK = 1 << 1,
	FILES0_FROM = 1 << 2,
	IGNORE_MISSING = 1 << 3,
	JSON = 1 << 4,
	LIST_DEVICES = 1 << 5,
	MARK = 1 << 6, /* -b or -t */
	ONE_AT_A_TIME = 1 << 7,
	ONE_FILE_SYSTEM = 1 << 8,
	OTHER_DEVICE = 1 << 9, /* neither auto nor cpu */
	QUIET = 1 << 10,
	RECURSIVE = 1 << 11,
	STATUS = 1 << 12,
	STRICT = 1 << 13,
	TAG = 1 << 14,
	TEXT = 1 << 15, /* -t is the last of -b and -t */
	UNLISTED = 1 << 16,
	UPDATE = 1 << 17,
	WARN = 1 << 18,
	ZERO = 1 << 19
};

static unsigned
options_given(const struct options *options)
{
	const struct input_options *input = &options->input;
	const char *device = options->device;

	return (options->benchmark ? BENCHMARK : 0) |
	       (options->check ? CHECK : 0) |
	       (input->files0_from ? FILES0_FROM : 0) |
	       (input->ignore_missing ? IGNORE_MISSING : 0) |
	       (input->json ? JSON : 0) |
	       (options->list_devices ? LIST_DEVICES : 0) |
	       (input->mark != INPUT_MARK_UNSET ? MARK : 0) |
	       (options->one_at_a_time ? ONE_AT_A_TIME : 0) |
	       (input->one_file_system ? ONE_FILE_SYSTEM : 0) |
	       (strcmp(device, "auto") != 0 && strcmp(device, "cpu") != 0 ?
			OTHER_DEVICE :
			0) |
	       (input->verbosity == INPUT_QUIET ? QUIET : 0) |
	       (input->recursive ? RECURSIVE : 0) |
	       (input->verbosity == INPUT_STATUS ? STATUS : 0) |
	       (input->strict ? STRICT : 0) | (input->tag ? TAG : 0) |
	       (input->mark == INPUT_MARK_TEXT ? TEXT : 0) |
	       (input->unlisted ? UNLISTED : 0) | (input->update ? UPDATE : 0) |
	       (input->verbosity == INPUT_WARN ? WARN : 0) |
	       (input->zero ? ZERO : 0);
}

#define NOT_VERIFYING(option)                                                  \
	"the " option " option is meaningful only when verifying checksums"
#define MEANINGLESS(option, with)                                              \
	"the " option " option is meaningless with " with
#define NOT_SUPPORTED(option, with)                                            \
	"the " option " option is not supported " with

/* What cannot be given together, in the order of GNU's checks. */
static const struct {
	unsigned given;	    /* all of these */
	unsigned not_given; /* and none of these */
	const char *text;
} conflicts[] = {
	{ CHECK | ZERO, 0,
	  NOT_SUPPORTED("--zero", "when verifying checksums") },
	{ CHECK | TAG, 0,
	  "the --tag option is meaningless when verifying checksums" },
	{ CHECK | MARK, 0,
	  "the --binary and --text options are meaningless when verifying "
	  "checksums" },
	{ IGNORE_MISSING, CHECK, NOT_VERIFYING("--ignore-missing") },
	{ STATUS, CHECK, NOT_VERIFYING("--status") },
	{ WARN, CHECK, NOT_VERIFYING("--warn") },
	{ QUIET, CHECK | RECURSIVE | UPDATE, NOT_VERIFYING("--quiet") },
	{ STRICT, CHECK, NOT_VERIFYING("--strict") },
	{ TAG | TEXT, 0, "--tag does not support --text mode" },
	/* Conflicts of extensions come last. */
	{ CHECK | RECURSIVE, 0,
	  NOT_SUPPORTED("--recursive", "when verifying checksums") },
	{ UNLISTED, CHECK, NOT_VERIFYING("--unlisted") },
	{ CHECK | UPDATE, 0,
	  NOT_SUPPORTED("--update", "when verifying checksums") },
	{ ONE_FILE_SYSTEM, RECURSIVE | UNLISTED,
	  "the --one-file-system option is meaningful only with --recursive or "
	  "--unlisted" },
	{ ONE_AT_A_TIME | OTHER_DEVICE, 0,
	  NOT_SUPPORTED("--one-at-a-time", "with devices other than the CPU") },
	{ JSON | TAG, 0, MEANINGLESS("--tag", "--json") },
	{ JSON | ZERO, 0, MEANINGLESS("--zero", "--json") },
	{ JSON | UPDATE, 0, NOT_SUPPORTED("--update", "with --json") },
	{ UPDATE | LIST_DEVICES, 0, MEANINGLESS("--update", "--list-devices") },
	{ UPDATE | BENCHMARK, 0, MEANINGLESS("--update", "--benchmark") },
	{ BENCHMARK | LIST_DEVICES, 0,
	  MEANINGLESS("--benchmark", "--list-devices") },
	{ CHECK | LIST_DEVICES, 0, MEANINGLESS("--check", "--list-devices") },
	{ CHECK | BENCHMARK, 0, MEANINGLESS("--check", "--benchmark") },
	{ RECURSIVE | LIST_DEVICES, 0,
	  MEANINGLESS("--recursive", "--list-devices") },
	{ RECURSIVE | BENCHMARK, 0, MEANINGLESS("--recursive", "--benchmark") },
	{ FILES0_FROM | LIST_DEVICES, 0,
	  MEANINGLESS("--files0-from", "--list-devices") },
	{ FILES0_FROM | BENCHMARK, 0,
	  MEANINGLESS("--files0-from", "--benchmark") },
};

/* The first conflict, or NULL. */
static const char *
find_conflict(const struct options *options)
{
	const unsigned given = options_given(options);

	for (size_t i = 0; i < sizeof(conflicts) / sizeof(*conflicts); i++)
		if ((given & conflicts[i].given) == conflicts[i].given &&
		    !(given & conflicts[i].not_given))
			return conflicts[i].text;
	return NULL;
}

/* The option that takes no operands, or NULL. */
static const char *
refuses_operands(const struct options *options)
{
	return options->list_devices	  ? "--list-devices" :
	       options->benchmark	  ? "--benchmark" :
	       options->input.files0_from ? "--files0-from" :
					    NULL;
}

/* ---- */

static enum options_verdict
bad_usage(void)
{
	report_try_help();
	return OPTIONS_BAD;
}

enum options_verdict
options_parse(int argc, char **argv, struct options *options)
{
	struct argp_option rows[32] = { { .name = NULL } };
	const struct argp argp = { rows, parse_gnu, .doc = NULL };

	*options = (struct options){ .device = "auto", .input.operands = argv };
	if (argc < 1)
		return OPTIONS_RUN;
	if (completion_is_asked(argc, argv)) {
		static const struct option_row *const tables[] = { gnu_options,
								   extensions,
								   NULL };

		completion_answer(tables, false, argc, argv);
		return OPTIONS_DONE;
	}

	struct extension_error error = { 0 };
	argc = extensions_take(argc, argv, options, &error);
	options->check |= options->input.check_zero;

	fill_rows(rows);
	const error_t failed = argp_parse(
		&argp, argc, argv, ARGP_NO_EXIT | ARGP_NO_HELP, NULL, options);
	if (options->help || options->version) {
		if (options->help)
			print_help();
		else
			print_version();
		return OPTIONS_DONE;
	}
	if (failed == ENOMEM)
		report_errno(failed, "cannot parse the command line");
	if (failed)
		return bad_usage(); /* getopt has printed the reason */
	if (error.option) {
		extensions_complain(&error);
		return bad_usage();
	}

	const char *conflict = find_conflict(options);
	if (conflict) {
		report_error("%s", conflict);
		return bad_usage();
	}

	if (options->input.update && !options->input.recursive &&
	    !options->input.files0_from && options->input.noperands == 0) {
		report_error("--update needs --recursive, --files0-from or a "
			     "FILE");
		return bad_usage();
	}

	const char *const alone = refuses_operands(options);
	if (alone && options->input.noperands > 0) {
		struct text quoted = { 0 };

		report_error("extra operand %s\n"
			     "file operands cannot be combined with %s",
			     quote_name_always(&quoted,
					       options->input.operands[0]),
			     alone);
		text_free(&quoted);
		return bad_usage();
	}
	return OPTIONS_RUN;
}
