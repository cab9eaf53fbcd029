/* SPDX-License-Identifier: MIT */
/*
 * The command line: GNU's part goes through argp, with a table in GNU's order
 * since the order shows in "possibilities:".  Our own options are taken out
 * of argv before argp sees it.
 */
#include "config.h"

#include "src/options.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "src/engines.h"
#include "src/output.h"
#include "src/own_options.h"
#include "src/quote.h"
#include "src/report.h"

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
	{ .name = "check", .key = 'c',
	  .doc = "read check lists from the FILEs and check them" },
	{ .name = "ignore-missing", .key = KEY_IGNORE_MISSING,
	  .doc = "with -c: pass over files that do not exist" },
	{ .name = "quiet", .key = KEY_QUIET,
	  .doc = "with -c: print no OK for files that match" },
	{ .name = "status", .key = KEY_STATUS,
	  .doc = "with -c: print nothing, the exit status tells" },
	{ .name = "warn", .key = 'w',
	  .doc = "with -c: warn about each malformed line" },
	{ .name = "strict", .key = KEY_STRICT,
	  .doc = "with -c: fail if any line is malformed" },
	{ .name = "tag", .key = KEY_TAG,
	  .doc = "print BSD-style lines: SHA256 (FILE) = digest" },
	{ .name = "zero", .key = 'z',
	  .doc = "end lines with NUL, not newline, and escape no names" },
	{ .name = "binary", .key = 'b',
	  .doc = "mark names with '*' as read in binary mode" },
	{ .name = "text", .key = 't',
	  .doc = "mark names with ' ' as read in text mode (default)" },
	{ .name = "help", .key = KEY_HELP,
	  .doc = "print this help and exit" },
	{ .name = "version", .key = KEY_VERSION,
	  .doc = "print the version and exit" },
	/* Ours, but here since letters may stand in one word: -zr. */
	{ .key = 'r' },
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
put_option(int letter, const char *name, const char *value, const char *doc)
{
	enum { COLUMN = 26 };
	const char shorts[] = { ' ', ' ', '-', (char)letter, ',', ' ', '\0' };
	size_t column = strlen("  -s, --") + strlen(name);

	put(letter ? shorts : "      ");
	put("--");
	put(name);
	if (value) {
		put("=");
		put(value);
		column += 1 + strlen(value);
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
			   NULL, row->doc);

	put("\nOwn options, which cannot be abbreviated:\n");
	for (const struct own_option *row = own_options; row->name; row++)
		put_option(row->letter, row->name, row->value, row->doc);

	put("\nThe exit status is 0 if all went well and every file checked "
	    "matched, else 1.\n");
}

static void
print_version(void)
{
	put(PACKAGE_STRING "\n"
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
}

/* ---- parsing ---- */

struct parse {
	struct options *options;
	bool mark_given;	/* -b, -t; or --tag, which implies -b */
	bool done;		/* help or version */
};

static error_t
parse_gnu(int key, char *value, struct argp_state *state)
{
	struct parse *parse = state->input;
	struct options *options = parse->options;

	(void)value;
	switch (key) {
	case ARGP_KEY_INIT:
		/* argp's own help text is not for us. */
		state->err_stream = NULL;
		return 0;
	case ARGP_KEY_ARGS:
		options->operands = state->argv + state->next;
		options->noperands = (size_t)(state->argc - state->next);
		return 0;
	case 'b':
	case 't':
		options->binary = key == 'b';
		parse->mark_given = true;
		return 0;
	case KEY_TAG:
		options->tag = true;
		options->binary = true;
		parse->mark_given = true;
		return 0;
	case 'z':
		options->zero = true;
		return 0;
	case 'c':
		options->check = true;
		return 0;
	case 'r':
		options->recursive = true;
		return 0;
	case KEY_IGNORE_MISSING:
		options->ignore_missing = true;
		return 0;
	case KEY_STRICT:
		options->strict = true;
		return 0;
	case 'w':
	case KEY_STATUS:
	case KEY_QUIET:
		/* The last one wins. */
		options->warn = key == 'w';
		options->status = key == KEY_STATUS;
		options->quiet = key == KEY_QUIET;
		return 0;
	case KEY_HELP:
	case KEY_VERSION:
		if (key == KEY_HELP)
			print_help();
		else
			print_version();
		parse->done = true;
		return ECANCELED;	/* the rest is not looked at */
	default:
		return ARGP_ERR_UNKNOWN;
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
		{ options->tag && !options->binary,
		  "--tag does not support --text mode" },
		{ options->check && options->zero,
		  "the --zero option is not supported when verifying "
		  "checksums" },
		{ options->check && options->tag,
		  "the --tag option is meaningless when verifying checksums" },
		{ options->check && mark_given,
		  "the --binary and --text options are meaningless when "
		  "verifying checksums" },
		{ !options->check && options->ignore_missing,
		  "the --ignore-missing option is meaningful only when "
		  "verifying checksums" },
		{ !options->check && options->status,
		  "the --status option is meaningful only when verifying "
		  "checksums" },
		{ !options->check && options->warn,
		  "the --warn option is meaningful only when verifying "
		  "checksums" },
		{ !options->check && options->quiet,
		  "the --quiet option is meaningful only when verifying "
		  "checksums" },
		{ !options->check && options->strict,
		  "the --strict option is meaningful only when verifying "
		  "checksums" },
		/* Ours come last. */
		{ options->check && options->recursive,
		  "the --recursive option is not supported when verifying "
		  "checksums" },
		{ options->json && options->tag,
		  "the --tag option is meaningless with --json" },
		{ options->json && options->zero,
		  "the --zero option is meaningless with --json" },
		{ options->json && options->list_devices,
		  "the --json option is meaningless with --list-devices" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].wrong)
			return rows[i].text;
	return NULL;
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

	*options = (struct options){ .device = "auto", .operands = argv };
	if (argc < 1)
		return OPTIONS_RUN;

	struct own_error error = {0};
	argc = own_options_take(argc, argv, options, &error);

	struct parse parse = { .options = options };
	const error_t failed = argp_parse(&argp, argc, argv,
					  ARGP_NO_EXIT | ARGP_NO_HELP, NULL,
					  &parse);
	if (parse.done)
		return OPTIONS_DONE;
	if (failed == ENOMEM)
		report_errno(failed, "cannot parse the command line");
	if (failed)
		return bad_usage();	/* getopt has said why */
	if (error.option) {
		own_options_complain(&error);
		return bad_usage();
	}

	const char *conflict = find_conflict(options, parse.mark_given);
	if (conflict) {
		report_error("%s", conflict);
		return bad_usage();
	}
	if (options->files0_from && options->noperands > 0) {
		struct text quoted = {0};

		report_error("extra operand %s\n"
			     "file operands cannot be combined with "
			     "--files0-from",
			     quote_name_always(&quoted, options->operands[0]));
		text_free(&quoted);
		return bad_usage();
	}
	return OPTIONS_RUN;
}
