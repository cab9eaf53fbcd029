/* SPDX-License-Identifier: MIT */
/*
 * GNU's options go through argp, with a table in GNU's order since the order
 * shows in "possibilities:".  Extensions are taken out of argv before.
 */
#include "config.h"

#include "src/options.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "src/extensions.h"
#include "src/output/output.h"
#include "src/output/quote.h"
#include "src/output/report.h"
#include "src/pipeline/engines.h"

/* ---- GNU's table ---- */

enum {
	KEY_IGNORE_MISSING = UCHAR_MAX + 1,
	KEY_QUIET,
	KEY_STATUS,
	KEY_STRICT,
	KEY_TAG,
	KEY_HELP,
	KEY_VERSION
};

static const struct argp_option gnu_table[] = {
	{ .name = "check",
	  .key = 'c',
	  .doc = "read check lists from the FILEs and check them" },
	{ .name = "ignore-missing",
	  .key = KEY_IGNORE_MISSING,
	  .doc = "with -c: pass over files that do not exist" },
	{ .name = "quiet",
	  .key = KEY_QUIET,
	  .doc = "with -c: print no OK for files that match; with -r:\n"
		 "print no notes" },
	{ .name = "status",
	  .key = KEY_STATUS,
	  .doc = "with -c: print nothing; report by exit status only" },
	{ .name = "warn",
	  .key = 'w',
	  .doc = "with -c: warn about each malformed line" },
	{ .name = "strict",
	  .key = KEY_STRICT,
	  .doc = "with -c: fail if any line is malformed" },
	{ .name = "tag",
	  .key = KEY_TAG,
	  .doc = "print BSD-style lines: SHA256 (FILE) = digest" },
	{ .name = "zero",
	  .key = 'z',
	  .doc = "end lines with NUL, not newline, and escape no names" },
	{ .name = "binary",
	  .key = 'b',
	  .doc = "mark names with '*' as read in binary mode" },
	{ .name = "text",
	  .key = 't',
	  .doc = "mark names with ' ' as read in text mode (default)" },
	{ .name = "help", .key = KEY_HELP, .doc = "print this help and exit" },
	{ .name = "version",
	  .key = KEY_VERSION,
	  .doc = "print the version and exit" },
	/* Extensions; here since letters may share a word: -zr. */
	{ .key = 'r' },
	{ .key = 'x' },
	{ 0 }
};

/* ---- what --help and --version print ---- */

static void
put(const char *string)
{
	output_add(string, strlen(string));
}

/* One option: "  -s, --name=VALUE", and its text from column 27. */
static void
put_option(int letter, const char *name, const char *value, bool optional,
	   const char *doc)
{
	enum { COLUMN = 26 };
	const char shorts[] = { ' ', ' ', '-', (char)letter, ',', ' ', '\0' };
	size_t column = strlen("  -s, --") + strlen(name);

	put(letter ? shorts : "      ");
	put("--");
	put(name);
	if (value) {
		put(optional ? "[=" : "=");
		put(value);
		put(optional ? "]" : "");
		column += 1 + strlen(value) + (optional ? 2 : 0);
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
	    "Print or check SHA-256 digests, on the CPU or on the QPUs of a "
	    "Raspberry Pi.\n\n"
	    "Without a FILE, or where FILE is -, standard input is read.\n\n"
	    "GNU options, as in GNU coreutils:\n");
	for (const struct argp_option *row = gnu_table; row->name; row++)
		put_option(row->key <= UCHAR_MAX ? row->key : 0, row->name,
			   NULL, false, row->doc);

	put("\nExtensions, which cannot be abbreviated:\n");
	for (const struct extension *row = extensions; row->name; row++)
		put_option(row->letter, row->name, row->value, row->without,
			   row->doc);

	put("\nThe exit status is 0 if all went well and every file checked "
	    "matched, else 1.\n");
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
	if (engines_left_out) {
		put("Built without: ");
		put(engines_left_out);
		put(".\n");
	}
}

/* ---- parsing ---- */

struct parse {
	struct options *options;
	bool mark_given; /* -b or -t, the last of which is in options */
	bool done;	 /* help or version */
};

static error_t
parse_gnu(int key, char *value, struct argp_state *state)
{
	struct parse *parse = state->input;
	struct options *options = parse->options;

	(void)value;
	switch (key) {
	case ARGP_KEY_INIT:
		/* argp must not print a help text of its own. */
		state->err_stream = NULL;
		return 0;
	case ARGP_KEY_ARGS:
		options->input.operands = state->argv + state->next;
		options->input.noperands = (size_t)(state->argc - state->next);
		return 0;
	case 'b':
	case 't':
		options->input.binary = key == 'b';
		parse->mark_given = true;
		return 0;
	case KEY_TAG: options->input.tag = true; return 0;
	case 'z': options->input.zero = true; return 0;
	case 'c': options->check = true; return 0;
	case 'r': options->input.recursive = true; return 0;
	case 'x': options->input.one_file_system = true; return 0;
	case KEY_IGNORE_MISSING: options->input.ignore_missing = true; return 0;
	case KEY_STRICT: options->input.strict = true; return 0;
	case 'w':
	case KEY_STATUS:
	case KEY_QUIET:
		/* The last one wins. */
		options->input.warn = key == 'w';
		options->input.status = key == KEY_STATUS;
		options->input.quiet = key == KEY_QUIET;
		return 0;
	case KEY_HELP:
	case KEY_VERSION:
		if (key == KEY_HELP)
			print_help();
		else
			print_version();
		parse->done = true;
		return ECANCELED; /* the rest is ignored */
	default: return ARGP_ERR_UNKNOWN;
	}
}

/* GNU's checks, in GNU's order: the first conflict, or NULL. */
static const char *
find_conflict(const struct options *options, bool mark_given)
{
	const struct {
		bool wrong;
		const char *text;
	} rows[] = {
		{ options->check && options->input.zero,
		  "the --zero option is not supported when verifying "
		  "checksums" },
		{ options->check && options->input.tag,
		  "the --tag option is meaningless when verifying checksums" },
		{ options->check && mark_given,
		  "the --binary and --text options are meaningless when "
		  "verifying checksums" },
		{ !options->check && options->input.ignore_missing,
		  "the --ignore-missing option is meaningful only when "
		  "verifying checksums" },
		{ !options->check && options->input.status,
		  "the --status option is meaningful only when verifying "
		  "checksums" },
		{ !options->check && options->input.warn,
		  "the --warn option is meaningful only when verifying "
		  "checksums" },
		{ !options->check && options->input.quiet &&
			  !options->input.recursive,
		  "the --quiet option is meaningful only when verifying "
		  "checksums" },
		{ !options->check && options->input.strict,
		  "the --strict option is meaningful only when verifying "
		  "checksums" },
		{ options->input.tag && mark_given && !options->input.binary,
		  "--tag does not support --text mode" },
		/* Conflicts of extensions come last. */
		{ options->check && options->input.recursive,
		  "the --recursive option is not supported when verifying "
		  "checksums" },
		{ !options->check && options->input.unlisted,
		  "the --unlisted option is meaningful only when verifying "
		  "checksums" },
		{ options->input.one_file_system && !options->input.recursive &&
			  !options->input.unlisted,
		  "the --one-file-system option is meaningful only with "
		  "--recursive or --unlisted" },
		{ options->one_at_a_time &&
			  strcmp(options->device, "auto") != 0 &&
			  strcmp(options->device, "cpu") != 0,
		  "the --one-at-a-time option is not supported with devices "
		  "other than the CPU" },
		{ options->input.json && options->input.tag,
		  "the --tag option is meaningless with --json" },
		{ options->input.json && options->input.zero,
		  "the --zero option is meaningless with --json" },
		{ options->benchmark && options->list_devices,
		  "the --benchmark option is meaningless with --list-devices" },
		{ options->check && options->list_devices,
		  "the --check option is meaningless with --list-devices" },
		{ options->check && options->benchmark,
		  "the --check option is meaningless with --benchmark" },
		{ options->input.recursive && options->list_devices,
		  "the --recursive option is meaningless with "
		  "--list-devices" },
		{ options->input.recursive && options->benchmark,
		  "the --recursive option is meaningless with --benchmark" },
		{ options->input.files0_from && options->list_devices,
		  "the --files0-from option is meaningless with "
		  "--list-devices" },
		{ options->input.files0_from && options->benchmark,
		  "the --files0-from option is meaningless with --benchmark" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].wrong)
			return rows[i].text;
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
	static const struct argp argp = { gnu_table, parse_gnu, .doc = NULL };

	*options = (struct options){ .device = "auto", .input.operands = argv };
	if (argc < 1)
		return OPTIONS_RUN;

	struct extension_error error = { 0 };
	argc = extensions_take(argc, argv, options, &error);
	options->check |= options->input.check_zero;

	struct parse parse = { .options = options };
	const error_t failed = argp_parse(
		&argp, argc, argv, ARGP_NO_EXIT | ARGP_NO_HELP, NULL, &parse);
	if (parse.done)
		return OPTIONS_DONE;
	if (failed == ENOMEM)
		report_errno(failed, "cannot parse the command line");
	if (failed)
		return bad_usage(); /* getopt has printed the reason */
	if (error.option) {
		extensions_complain(&error);
		return bad_usage();
	}

	const char *conflict = find_conflict(options, parse.mark_given);
	if (conflict) {
		report_error("%s", conflict);
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
