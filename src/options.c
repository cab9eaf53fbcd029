/* SPDX-License-Identifier: MIT */
/*
 * Extensions are removed from argv first, and getopt parses the rest, which are
 * GNU's options.  Extensions cannot be abbreviated, so that abbreviations of
 * GNU's options keep their meaning: in spite of --verify, --ver is --version.
 */
#include "config.h"

#include "src/options.h"

#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/completion.h"
#include "src/base/quote.h"
#include "src/option_rows.h"
#include "src/output/output.h"
#include "src/output/report.h"
#include "src/pipeline/engines.h"

/* ---- what --help and --version print ---- */

static void
put(const char *string)
{
	output_add(string, strlen(string));
}

/* Print an option, "  -s, --name=VALUE", with its text from column 27 on. */
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

/* Print which parts configure left out. */
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

/* Return the row of a table that has this letter, or NULL. */
static const struct option_row *
find_letter(const struct option_row *table, int letter)
{
	while (table->name && table->letter != letter)
		table++;
	return table->name ? table : NULL;
}

/* Parse GNU's options, and the letters of extensions, since letters may share a
 * word: -zr.  getopt lists "possibilities:" in the order of the table.  Return
 * false for a wrong option; getopt prints the error if `complains` is true. */
static bool
parse_gnu(int argc, char **argv, struct options *options, bool complains)
{
	enum { LONGS = 32, KEY_LONG = UCHAR_MAX + 1 };
	struct option longs[LONGS] = { { .name = NULL } };
	char letters[2 * LONGS], *letter = letters;
	const struct option_row *row;
	int key;

	for (row = gnu_options; row->name; row++) {
		longs[row - gnu_options] =
			(struct option){ .name = row->name,
					 .val = KEY_LONG +
						(int)(row - gnu_options) };
		if (row->letter)
			*letter++ = row->letter;
	}
	for (row = extensions; row->name; row++)
		if (row->letter)
			*letter++ = row->letter;
	*letter = '\0';
	opterr = complains;
	optind = 0;
	while ((key = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		row = key >= KEY_LONG ? &gnu_options[key - KEY_LONG] :
					find_letter(gnu_options, key);
		if (!row)
			row = find_letter(extensions, key);
		if (!row)
			return false;
		option_set(row, options, NULL, NULL);
		/* After --help or --version the rest is ignored. */
		if (options->help || options->version)
			return true;
	}
	options->input.operands = argv + optind;
	options->input.noperands = (size_t)(argc - optind);
	return true;
}

/* ---- extensions ---- */

struct extension_error {
	const struct option_row *option; /* NULL without an error */
	enum {
		EXTENSION_NEEDS_VALUE,
		EXTENSION_TAKES_NONE,
		EXTENSION_INVALID
	} kind;
	const char *value;
};

/* Return the extension that a word names in full, or NULL.  Set *value to the text
 * after '=', or to NULL. */
static const struct option_row *
find_extension(const char *word, const char **value)
{
	const size_t len = strcspn(word, "=");

	*value = word[len] ? word + len + 1 : NULL;
	return strncmp(word, "--", 2) == 0 ?
		       option_find(extensions, word + 2, len - 2) :
		       NULL;
}

/*
 * Set the fields of the extensions in argv, as far as getopt would look for
 * options, and remove them from it.  An error ends argv there, so that only an
 * earlier error among GNU's options is reported before it.  Return the new argc.
 */
static int
take_extensions(int argc, char **argv, struct options *options,
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

/* Add a device's name to the lines of valid arguments: one line for each
 * device. */
static void
add_valid(void *context, const char *name)
{
	const size_t len = strlen(name);
	const bool continues = strpbrk(name, ":+");
	struct text *lines = context;

	/* If memory is short, so is the message. */
	if (text_add_string(lines, continues ? ", '" : "\n  - '") &&
	    text_add_string(lines, name))
		text_add_string(lines, name[len - 1] == ':' ? "WORDS'" : "'");
}

/* Add the lines of valid arguments.  Return false if the option has no list of
 * them. */
static bool
list_valid(const struct option_row *option, struct text *lines)
{
	const char *word;

	if (strcmp(option->name, "device") == 0)
		engines_each_name(add_valid, lines);
	for (size_t i = 0;
	     option->words && (word = option_word(option, i)) != NULL; i++)
		if (*word)
			add_valid(lines, word);
	return lines->len > 0;
}

/* Report an error in getopt's words; an invalid argument in gnulib's. */
static void
complain(const struct extension_error *error)
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
		if (error->option->kind == OPTION_TEXTS)
			report_error("--%s is given more than %d times", name,
				     OPTION_TEXTS_MAX);
		else if (list_valid(error->option, &lines))
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

/* ---- conflicts ---- */

#define NOT_VERIFYING(option)                                                  \
	"the " option " option is meaningful only when verifying checksums"
#define NOT_UPDATING(option)                                                   \
	"the " option " option is meaningful only with --update"
#define MEANINGLESS(option, with)                                              \
	"the " option " option is meaningless with " with
#define NOT_SUPPORTED(option, with)                                            \
	"the " option " option is not supported " with
#define MARK_WITH_CHECK                                                        \
	"the --binary and --text options are meaningless when verifying "      \
	"checksums"
/* `with` selects another action. */
#define OTHER_ACTION(option, with)                                             \
	{                                                                      \
		{ option, with }, { NULL },                                    \
			MEANINGLESS("--" option, "--" with)                    \
	}

/* Options that cannot be given together, in the order of GNU's checks. */
static const struct {
	const char *given[2];	  /* both, or the only one */
	const char *not_given[3]; /* and none of these */
	const char *text;
} conflicts[] = {
	{ { "check", "zero" },
	  { NULL },
	  NOT_SUPPORTED("--zero", "when verifying checksums") },
	{ { "check", "tag" },
	  { NULL },
	  "the --tag option is meaningless when verifying checksums" },
	{ { "check", "binary" }, { NULL }, MARK_WITH_CHECK },
	{ { "check", "text" }, { NULL }, MARK_WITH_CHECK },
	{ { "ignore-missing" }, { "check" }, NOT_VERIFYING("--ignore-missing") },
	{ { "status" }, { "check" }, NOT_VERIFYING("--status") },
	{ { "warn" }, { "check" }, NOT_VERIFYING("--warn") },
	{ { "quiet" },
	  { "check", "recursive", "update" },
	  NOT_VERIFYING("--quiet") },
	{ { "strict" }, { "check" }, NOT_VERIFYING("--strict") },
	{ { "tag", "text" }, { NULL }, "--tag does not support --text mode" },
	/* Conflicts of extensions come last. */
	{ { "check", "recursive" },
	  { NULL },
	  NOT_SUPPORTED("--recursive", "when verifying checksums") },
	{ { "unlisted" }, { "check" }, NOT_VERIFYING("--unlisted") },
	{ { "accept" }, { "update" }, NOT_UPDATING("--accept") },
	{ { "prune" }, { "update" }, NOT_UPDATING("--prune") },
	{ { "why" }, { "check" }, NOT_VERIFYING("--why") },
	{ { "only" }, { "check" }, NOT_VERIFYING("--only") },
	{ { "why", "status" }, { NULL }, MEANINGLESS("--why", "--status") },
	{ { "only", "part" }, { NULL }, MEANINGLESS("--part", "--only") },
	{ { "only", "unlisted" },
	  { NULL },
	  MEANINGLESS("--unlisted", "--only") },
	{ { "relative-to-list" },
	  { "check" },
	  NOT_VERIFYING("--relative-to-list") },
	{ { "check", "update" },
	  { NULL },
	  NOT_SUPPORTED("--update", "when verifying checksums") },
	{ { "one-file-system" },
	  { "recursive", "unlisted" },
	  "the --one-file-system option is meaningful only with --recursive or "
	  "--unlisted" },
	{ { "one-at-a-time", "device" },
	  { NULL },
	  NOT_SUPPORTED("--one-at-a-time", "with devices other than the CPU") },
	{ { "json", "tag" }, { NULL }, MEANINGLESS("--tag", "--json") },
	{ { "json", "zero" }, { NULL }, MEANINGLESS("--zero", "--json") },
	{ { "part", "update" },
	  { NULL },
	  NOT_SUPPORTED("--part", "with --update") },
	{ { "hard-links-once", "update" },
	  { NULL },
	  NOT_SUPPORTED("--hard-links-once", "with --update") },
	OTHER_ACTION("update", "list-devices"),
	OTHER_ACTION("update", "benchmark"),
	OTHER_ACTION("benchmark", "list-devices"),
	OTHER_ACTION("check", "list-devices"),
	OTHER_ACTION("check", "benchmark"),
	OTHER_ACTION("recursive", "list-devices"),
	OTHER_ACTION("recursive", "benchmark"),
	OTHER_ACTION("files0-from", "list-devices"),
	OTHER_ACTION("files0-from", "benchmark"),
};

/* Return true if the option is in force, given or implied by another one. */
static bool
is_given(const struct options *options, const char *name)
{
	const size_t len = strlen(name);
	const struct option_row *row = option_find(gnu_options, name, len);

	return option_is_given(row ? row : option_find(extensions, name, len),
			       options);
}

/* Return the text of the first conflict, or NULL. */
static const char *
find_conflict(const struct options *options)
{
	for (size_t i = 0; i < sizeof(conflicts) / sizeof(*conflicts); i++) {
		bool conflict = true;

		for (size_t j = 0; j < 2 && conflicts[i].given[j]; j++)
			conflict = conflict &&
				   is_given(options, conflicts[i].given[j]);
		for (size_t j = 0; j < 3 && conflicts[i].not_given[j]; j++)
			conflict =
				conflict &&
				!is_given(options, conflicts[i].not_given[j]);
		if (conflict)
			return conflicts[i].text;
	}
	return NULL;
}

/* Report options or operands that do not go together.  Return false if there are
 * none. */
static bool
report_misuse(const struct options *options)
{
	const struct input_options *input = &options->input;
	const char *const conflict = find_conflict(options);
	const char *const alone = options->list_devices ? "--list-devices" :
				  options->benchmark	? "--benchmark" :
				  input->files0_from	? "--files0-from" :
							  NULL;
	struct text quoted = { 0 };

	if (conflict) {
		report_error("%s", conflict);
		return true;
	}
	if (input->update && !input->recursive && !input->files0_from &&
	    input->noperands == 0) {
		report_error("--update needs --recursive, --files0-from or a "
			     "FILE");
		return true;
	}
	if (!alone || input->noperands == 0)
		return false;
	report_error("extra operand %s\n"
		     "file operands cannot be combined with %s",
		     quote_name_always(&quoted, input->operands[0]), alone);
	text_free(&quoted);
	return true;
}

/* Let a walk without operands begin in the working directory. */
static void
walk_here(struct input_options *input)
{
	static char *const here[] = { (char *)"." };

	if (!input->recursive || input->files0_from || input->noperands > 0)
		return;
	input->operands = (char **)here;
	input->noperands = 1;
}

/* ---- the command line ---- */

enum options_result
options_parse(int argc, char **argv, struct options *options)
{
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
	argc = take_extensions(argc, argv, options, &error);
	argv[argc] = NULL;
	options->check |= options->input.check_zero;

	const bool parsed = parse_gnu(argc, argv, options, false);
	if (options->help || options->version) {
		if (options->help)
			print_help();
		else
			print_version();
		return OPTIONS_DONE;
	}
	if (!parsed) {
		/* Parse once more to have getopt print the error, in the
		 * user's locale, which is loaded only for errors. */
		const locale_t before = uselocale(user_locale());

		parse_gnu(argc, argv, options, true);
		uselocale(before);
	} else if (error.option) {
		complain(&error);
	} else if (!report_misuse(options)) {
		walk_here(&options->input);
		return OPTIONS_RUN;
	}
	report_try_help();
	return OPTIONS_BAD;
}
