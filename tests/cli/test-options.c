/* SPDX-License-Identifier: MIT */
/*
 * Promise: options are parsed into what they mean, and --help and --version
 * show them.
 */
#include "config.h"

#include "src/options.h"

#include "src/extensions.h"
#include "tests/cli/command-line.h"
#include "tests/support/capture.h"
#include "tests/support/tap.h"

struct parse_row {
	const char *line;
	struct options expected; /* null device: "auto" */
};

static const struct parse_row parse_rows[] = {
	{ "", { .input.noperands = 0 } },
	{ "a b", { .input.noperands = 2 } },
	{ "-b", { .input.mark = INPUT_MARK_BINARY } },
	{ "-b -t", { .input.mark = INPUT_MARK_TEXT } },
	{ "-t a -b c",
	  { .input.mark = INPUT_MARK_BINARY, .input.noperands = 2 } },
	{ "-bz", { .input.mark = INPUT_MARK_BINARY, .input.zero = true } },
	{ "--tag", { .input.tag = true } },
	{ "-b --tag", { .input.tag = true, .input.mark = INPUT_MARK_BINARY } },
	{ "--tag -t -b",
	  { .input.tag = true, .input.mark = INPUT_MARK_BINARY } },
	{ "-cw", { .check = true, .input.verbosity = INPUT_WARN } },
	{ "-c -w --status",
	  { .check = true, .input.verbosity = INPUT_STATUS } },
	{ "-c --status --quiet",
	  { .check = true, .input.verbosity = INPUT_QUIET } },
	{ "-c --quiet -w", { .check = true, .input.verbosity = INPUT_WARN } },
	{ "--c --str --ig",
	  { .check = true,
	    .input.strict = true,
	    .input.ignore_missing = true } },
	{ "-- -b --verify", { .input.noperands = 2 } },
	{ "- -", { .input.noperands = 2 } },
	{ "--verify", { .verify = true } },
	{ "-rx --quiet",
	  { .input.recursive = true,
	    .input.one_file_system = true,
	    .input.verbosity = INPUT_QUIET } },
	{ "-c --unlisted a",
	  { .check = true, .input.unlisted = ".", .input.noperands = 1 } },
	{ "-cx --unlisted=d",
	  { .check = true,
	    .input.unlisted = "d",
	    .input.one_file_system = true } },
	{ "a --verify b", { .verify = true, .input.noperands = 2 } },
	{ "--list-devices", { .list_devices = "" } },
	{ "--json --list-devices=details",
	  { .list_devices = "details", .input.json = true } },
	{ "--threads=3", { .threads = 3 } },
	{ "--threads 12 a", { .threads = 12, .input.noperands = 1 } },
	{ "--threads=0", { .threads = 0 } },
	{ "--threads=99999999999999999999", { .threads = UINT32_MAX } },
	{ "--threads=3 --threads=4", { .threads = 4 } },
	{ "--threads=4294967294", { .threads = UINT32_MAX - 1 } },
	{ "--threads=4294967295", { .threads = UINT32_MAX } },
	{ "--threads=4294967296", { .threads = UINT32_MAX } },
	{ "--stats", { .stats = true } },
	{ "--benchmark --json", { .benchmark = true, .input.json = true } },
	{ "--list-devices=", { .list_devices = "" } },
	{ "--device=emulator+cpu:a:b", { .device = "emulator+cpu:a:b" } },
	{ "-c --unlisted=a --unlisted",
	  { .check = true, .input.unlisted = "." } },
	{ "-x -r", { .input.recursive = true, .input.one_file_system = true } },
	{ "--one-file-system --recursive",
	  { .input.recursive = true, .input.one_file_system = true } },
	{ "--one-at-a-time", { .one_at_a_time = true } },
	{ "--files0-from=a --files0-from=b", { .input.files0_from = "b" } },
	{ "--device=cpu", { .device = "cpu" } },
	{ "--device qpu", { .device = "qpu" } },
	{ "--device=auto", { .device = "auto" } },
	{ "--device=emulator", { .device = "emulator" } },
	{ "--device=qpu:mailbox", { .device = "qpu:mailbox" } },
	{ "--device=qpu+cpu:mailbox", { .device = "qpu+cpu:mailbox" } },
	{ "--device=emulator:qpus=4,timed",
	  { .device = "emulator:qpus=4,timed" } },
	{ "--files0-from=-", { .input.files0_from = "-" } },
	{ "--files0-from names -b",
	  { .input.files0_from = "names", .input.mark = INPUT_MARK_BINARY } },
	{ "-r", { .input.recursive = true } },
	{ "-zrb a -t",
	  { .input.recursive = true,
	    .input.zero = true,
	    .input.mark = INPUT_MARK_TEXT,
	    .input.noperands = 1 } },
	{ "a --recursive", { .input.recursive = true, .input.noperands = 1 } },
	{ "-- -r", { .input.noperands = 1 } },
	{ "a --json -b",
	  { .input.json = true,
	    .input.mark = INPUT_MARK_BINARY,
	    .input.noperands = 1 } },
	{ "-c --json --quiet",
	  { .input.json = true,
	    .check = true,
	    .input.verbosity = INPUT_QUIET } },
	{ "--one-at-a-time --device=cpu a",
	  { .one_at_a_time = true, .device = "cpu", .input.noperands = 1 } },
	{ "--progress a", { .progress = true, .input.noperands = 1 } },
	{ "--detect-changes -c",
	  { .input.detect_changes = true, .check = true } },
	{ "--check-zero -w",
	  { .input.check_zero = true,
	    .check = true,
	    .input.verbosity = INPUT_WARN } },
	{ "--quiet -c --check-zero",
	  { .input.check_zero = true,
	    .check = true,
	    .input.verbosity = INPUT_QUIET } },
	{ "--verify -c --stat",
	  { .verify = true, .check = true, .input.verbosity = INPUT_STATUS } },
};

/* Both NULL, or the same. */
static bool
words_equal(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool
inputs_equal(const struct input_options *a, const struct input_options *b)
{
	return a->mark == b->mark && a->tag == b->tag && a->zero == b->zero &&
	       a->ignore_missing == b->ignore_missing &&
	       a->verbosity == b->verbosity && a->strict == b->strict &&
	       a->json == b->json && a->check_zero == b->check_zero &&
	       a->detect_changes == b->detect_changes &&
	       a->one_file_system == b->one_file_system &&
	       a->recursive == b->recursive && a->noperands == b->noperands &&
	       words_equal(a->unlisted, b->unlisted) &&
	       words_equal(a->files0_from, b->files0_from);
}

static bool
options_equal(const struct options *a, const struct options *b)
{
	return inputs_equal(&a->input, &b->input) && a->check == b->check &&
	       a->benchmark == b->benchmark && a->progress == b->progress &&
	       a->stats == b->stats && a->verify == b->verify &&
	       a->one_at_a_time == b->one_at_a_time &&
	       a->threads == b->threads &&
	       words_equal(a->list_devices, b->list_devices) &&
	       words_equal(a->device, b->device ? b->device : "auto");
}

static void
check_parse_rows(void)
{
	for (size_t i = 0; i < sizeof(parse_rows) / sizeof(*parse_rows); i++) {
		const struct parse_row *row = &parse_rows[i];
		struct words words;
		struct options options;

		words_set(&words, "sha256sum", row->line);
		ok(options_parse(words.argc, words.argv, &options) ==
				   OPTIONS_RUN &&
			   options_equal(&options, &row->expected),
		   "parsed: '%s'", row->line);
	}
}

/* The text fits a terminal and names every option. */
static void
check_printed(const char *line, const char *const *needles)
{
	struct call call = { .locale = "C" };
	struct capture capture;
	size_t widest = 0;

	words_set(&call.words, "sha256sum", line);
	capture_run(&capture, parse_child, &call, false);
	for (; *needles; needles++) {
		const char *shown = *needles + strspn(*needles, "\n ");

		ok(strstr(capture.out.bytes, *needles), "%s shows '%.*s'", line,
		   (int)strcspn(shown, "\n"), shown);
	}
	for (const char *s = capture.out.bytes; *s;) {
		size_t len = strcspn(s, "\n");

		widest = len > widest ? len : widest;
		s += len + (s[len] == '\n');
	}
	ok(widest <= 80 && capture.status == 0 && !capture.err.len &&
		   capture.out.bytes[capture.out.len - 1] == '\n',
	   "%s: status 0, at most 80 columns, whole lines", line);
	capture_free(&capture);
}

int
main(void)
{
	static const char *const help[] = {
		"Usage: sha256sum [OPTION]... [FILE]...\n",
		"\n\nWithout a FILE, or where FILE is -, standard input is "
		"read.\n\nGNU options, as in GNU coreutils:\n"
		"  -c, --check             read check lists from the FILEs and "
		"check them\n"
		"      --ignore-missing    with -c: pass over files that do not "
		"exist\n"
		"      --quiet             with -c: print no OK for files that "
		"match; with -r:\n"
		"                          print no notes\n",
		"\n  -b, --binary            mark names with '*' as read in "
		"binary mode\n",
		"\n      --version           print the version and exit\n\n"
		"Extensions, which cannot be abbreviated:\n"
		"      --benchmark         measure ",
		"\n      --files0-from=FILE  read ",
		" error\n      --device=DEVICE     hash on auto (default)",
		"\n      --list-devices[=details] list devices, whether they "
		"can be used here\n"
		"                          and, with details, what they are; "
		"and exit\n",
		"\n      --unlisted[=DIR]    with -c: ",
		"\n  -x, --one-file-system   with -r ",
		" libcrypto\n\nThe exit status is 0 if all went well and every "
		"file checked matched, else 1.\n",
		"\n      --ignore-missing ",
		"\n      --quiet ",
		"\n      --status ",
		"\n      --strict ",
		"\n      --tag ",
		"\n  -t, --text ",
		"\n  -w, --warn ",
		"\n  -z, --zero ",
		"\n      --help ",
		"\n      --version ",
		"\n      --device=DEVICE ",
		"\n      --files0-from=FILE ",
		"\n      --list-devices[=details]",
		"\n      --threads=N ",
		"\n      --verify ",
		"\n  -r, --recursive ",
		"\n      --check-zero ",
		"\n      --detect-changes ",
		NULL
	};
	static const char *const version[] = {
		PACKAGE_STRING "\nCopyright ",
		"\nLicense MIT: ", " law.\n\nEngines built in:\n  ",
		"\n  reference: portable C, one lane after the other\n", NULL
	};

	check_parse_rows();
	check_printed("--help", help);
	check_printed("--verify --h", help);
	check_printed("--version", version);
	check_printed("--verify --ver", version);
	return tap_done();
}
