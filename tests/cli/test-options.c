/* SPDX-License-Identifier: MIT */
/*
 * Promise: options are parsed into what they mean, and --help and --version
 * show them.  Errors of extensions have the form of GNU's, and the first of a
 * line is reported.  (What GNU says of its own options is in
 * tests/cli/differential/options.rows.)
 */
#include "config.h"

#include "src/options.h"

#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/output/output.h"
#include "src/output/report.h"
#include "tests/support/capture.h"
#include "tests/support/tap.h"

/* ---- command lines ---- */

enum { MAX_WORDS = 16, EXIT_RUN = 42 };

/* A command line, its words separated by one blank each; "" is no words. */
struct words {
	char bytes[256];
	char *argv[MAX_WORDS + 1];
	int argc;
};

static void
words_set(struct words *words, const char *program, const char *line)
{
	char *rest = words->bytes;

	snprintf(words->bytes, sizeof(words->bytes), "%s", line);
	words->argc = 0;
	words->argv[words->argc++] = (char *)(uintptr_t)program;
	while (*line && rest && words->argc < MAX_WORDS)
		words->argv[words->argc++] = strsep(&rest, " ");
	words->argv[words->argc] = NULL;
}

struct call {
	struct words words;
	const char *locale;
	bool posixly_correct;
};

/* Its status is EXIT_RUN if the options are good. */
static int
parse_child(void *data)
{
	struct call *call = data;
	struct options options;

	unsetenv("POSIXLY_CORRECT");
	if (call->posixly_correct)
		setenv("POSIXLY_CORRECT", "1", 1);
	setlocale(LC_ALL, call->locale);
	report_init(call->words.argv[0]);

	enum options_verdict verdict =
		options_parse(call->words.argc, call->words.argv, &options);
	output_close();
	return verdict == OPTIONS_RUN ? EXIT_RUN : report_status();
}

/* ---- what options mean ---- */

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
	{ "--device=emulator --device=cpu", { .device = "cpu" } },
	{ "--threads=2 --ta a",
	  { .threads = 2, .input.tag = true, .input.noperands = 1 } },
	{ "--threads=2 --te a",
	  { .threads = 2,
	    .input.mark = INPUT_MARK_TEXT,
	    .input.noperands = 1 } },
	{ "--threads 1 -- --verify", { .threads = 1, .input.noperands = 1 } },
	{ "-b --verify -- c",
	  { .input.mark = INPUT_MARK_BINARY,
	    .verify = true,
	    .input.noperands = 1 } },
	{ "--device qpu", { .device = "qpu" } },
	{ "--device=auto", { .device = "auto" } },
	{ "--device=emulator", { .device = "emulator" } },
	{ "--device=qpu:mailbox", { .device = "qpu:mailbox" } },
	{ "--device=qpu+cpu:mailbox", { .device = "qpu+cpu:mailbox" } },
	{ "--device=emulator:qpus=4,timed",
	  { .device = "emulator:qpus=4,timed" } },
	{ "--files0-from=-", { .input.files0_from = "-" } },
	{ "--update l -r --quiet",
	  { .input.update = "l",
	    .input.recursive = true,
	    .input.verbosity = INPUT_QUIET } },
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
	{ "--uncached -r", { .uncached = true, .input.recursive = true } },
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
	       words_equal(a->update, b->update) &&
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

/* ---- errors of extensions ---- */

#define TRY "Try 'sha256sum --help' for more information.\n"
#ifdef WITH_QPU
#define VALID_DEVICES                                                          \
	"Valid arguments are:\n  - 'auto'\n"                                   \
	"  - 'qpu', 'qpu:WORDS', 'qpu+cpu', 'qpu+cpu:WORDS'\n  - 'cpu'\n"      \
	"  - 'emulator', 'emulator:WORDS', 'emulator+cpu', "                   \
	"'emulator+cpu:WORDS'\n"
#else
#define VALID_DEVICES "Valid arguments are:\n  - 'auto'\n  - 'cpu'\n"
#endif

static const struct {
	const char *line;
	const char *err; /* without TRY, its end; NULL: it runs */
} extension_rows[] = {
	{ "--threads", "sha256sum: option '--threads' requires an argument\n" },
	{ "--device", "sha256sum: option '--device' requires an argument\n" },
	{ "--verify=1",
	  "sha256sum: option '--verify' doesn't allow an argument\n" },
	{ "--verify=",
	  "sha256sum: option '--verify' doesn't allow an argument\n" },
	{ "--threads=x", "sha256sum: invalid --threads argument 'x'\n" },
	{ "--threads=", "sha256sum: invalid --threads argument ''\n" },
	{ "--threads=-1", "sha256sum: invalid --threads argument '-1'\n" },
	{ "--threads=+1", "sha256sum: invalid --threads argument '+1'\n" },
	{ "--threads=1x", "sha256sum: invalid --threads argument '1x'\n" },
	{ "--threads=0x10", "sha256sum: invalid --threads argument '0x10'\n" },
	{ "--threads=\t1",
	  "sha256sum: invalid --threads argument ''$'\\t''1'\n" },
	{ "--threads=1.5", "sha256sum: invalid --threads argument '1.5'\n" },
	{ "--threads 4k", "sha256sum: invalid --threads argument '4k'\n" },
	{ "--threads --verify",
	  "sha256sum: invalid --threads argument '--verify'\n" },
	{ "--device=gpu",
	  "sha256sum: invalid argument 'gpu' for '--device'\n" VALID_DEVICES },
	{ "--device=CPU",
	  "sha256sum: invalid argument 'CPU' for '--device'\n" VALID_DEVICES },
	{ "--device=cpux",
	  "sha256sum: invalid argument 'cpux' for '--device'\n" VALID_DEVICES },
	{ "--device=cp",
	  "sha256sum: invalid argument 'cp' for '--device'\n" VALID_DEVICES },
	{ "--device=auto2",
	  "sha256sum: invalid argument 'auto2' for '--device'\n" VALID_DEVICES },
	{ "--device=emulators",
	  "sha256sum: invalid argument 'emulators' for '--device'\n" VALID_DEVICES },
	{ "--device=*",
	  "sha256sum: invalid argument '*' for '--device'\n" VALID_DEVICES },
	{ "--device=cpu+cpu",
	  "sha256sum: invalid argument 'cpu+cpu' for '--device'\n" VALID_DEVICES },
	{ "--device=cpu:1",
	  "sha256sum: invalid argument 'cpu:1' for '--device'\n" VALID_DEVICES },
	{ "--device=auto:1",
	  "sha256sum: invalid argument 'auto:1' for '--device'\n" VALID_DEVICES },
	{ "--device=qp",
	  "sha256sum: invalid argument 'qp' for '--device'\n" VALID_DEVICES },
	{ "--device=qpux",
	  "sha256sum: invalid argument 'qpux' for '--device'\n" VALID_DEVICES },
	{ "--device=",
	  "sha256sum: invalid argument '' for '--device'\n" VALID_DEVICES },
	{ "--list-devices=detail",
	  "sha256sum: invalid argument 'detail' for '--list-devices'\n"
	  "Valid arguments are:\n  - 'details'\n" },
	{ "--list-devices=cpu",
	  "sha256sum: invalid argument 'cpu' for '--list-devices'\n"
	  "Valid arguments are:\n  - 'details'\n" },
	{ "--device=emulator+cpu:timed --one-at-a-time",
	  "sha256sum: the --one-at-a-time option is not supported with devices "
	  "other than the CPU\n" },
	{ "--one-at-a-time --device=qpu",
	  "sha256sum: the --one-at-a-time option is not supported with devices "
	  "other than the CPU\n" },
	{ "--benchmark -r",
	  "sha256sum: the --recursive option is meaningless with "
	  "--benchmark\n" },
	{ "--list-devices --files0-from=x",
	  "sha256sum: the --files0-from option is meaningless with "
	  "--list-devices\n" },
	{ "--unlisted= x --quiet",
	  "sha256sum: the --quiet option is meaningful only when verifying "
	  "checksums\n" },
	{ "-r --status",
	  "sha256sum: the --status option is meaningful only when verifying "
	  "checksums\n" },
	{ "--files0-from=- a b",
	  "sha256sum: extra operand 'a'\n"
	  "file operands cannot be combined with --files0-from\n" },
	{ "--files0-from -- a",
	  "sha256sum: extra operand 'a'\n"
	  "file operands cannot be combined with --files0-from\n" },
	{ "--files0-from=a -- -",
	  "sha256sum: extra operand '-'\n"
	  "file operands cannot be combined with --files0-from\n" },
	{ "--files0-from",
	  "sha256sum: option '--files0-from' requires an argument\n" },
	/* no abbreviations, whether the option is there or not */
	{ "--verif", "sha256sum: unrecognized option '--verif'\n" },
	{ "--verify --verif", "sha256sum: unrecognized option '--verif'\n" },
	{ "--verif -verify", "sha256sum: unrecognized option '--verif'\n" },
	{ "--verif -- --verify", "sha256sum: unrecognized option '--verif'\n" },
	{ "--devic=cpu", "sha256sum: unrecognized option '--devic=cpu'\n" },
	{ "--list-", "sha256sum: unrecognized option '--list-'\n" },
	{ "--files0=a", "sha256sum: unrecognized option '--files0=a'\n" },
	{ "--files0-from=a --s",
	  "sha256sum: option '--s' is ambiguous; possibilities: '--status' "
	  "'--strict'\n" },
	{ "--threads=1 --thr", "sha256sum: unrecognized option '--thr'\n" },
	{ "--threads=1 --t",
	  "sha256sum: option '--t' is ambiguous; possibilities: '--tag' "
	  "'--text'\n" },
	/* the first error is reported; conflicts come last */
	{ "-y --threads=x", "sha256sum: invalid option -- 'y'\n" },
	{ "--threads=x -y", "sha256sum: invalid --threads argument 'x'\n" },
	{ "--tag -t --threads=x",
	  "sha256sum: invalid --threads argument 'x'\n" },
	{ "--verify --tag -t",
	  "sha256sum: --tag does not support --text mode\n" },
	{ "--files0-from=x -c -z a",
	  "sha256sum: the --zero option is not supported when verifying "
	  "checksums\n" },
	{ "-rc x",
	  "sha256sum: the --recursive option is not supported when verifying "
	  "checksums\n" },
	{ "--recursive --check-zero -z x",
	  "sha256sum: the --zero option is not supported when verifying "
	  "checksums\n" },
	{ "--check-zero --tag x",
	  "sha256sum: the --tag option is meaningless when verifying "
	  "checksums\n" },
	{ "--unlisted x",
	  "sha256sum: the --unlisted option is meaningful only when verifying "
	  "checksums\n" },
	{ "--unlisted=d -r",
	  "sha256sum: the --unlisted option is meaningful only when verifying "
	  "checksums\n" },
	{ "-rx --quiet --unlisted",
	  "sha256sum: the --unlisted option is meaningful only when verifying "
	  "checksums\n" },
	{ "--unlisted= -cz x",
	  "sha256sum: the --zero option is not supported when verifying "
	  "checksums\n" },
	{ "--one-file-system x",
	  "sha256sum: the --one-file-system option is meaningful only with "
	  "--recursive or --unlisted\n" },
	{ "-cx x",
	  "sha256sum: the --one-file-system option is meaningful only with "
	  "--recursive or --unlisted\n" },
	{ "--json --tag x",
	  "sha256sum: the --tag option is meaningless with --json\n" },
	{ "--json -z x",
	  "sha256sum: the --zero option is meaningless with --json\n" },
	{ "--json -z -c",
	  "sha256sum: the --zero option is not supported when verifying "
	  "checksums\n" },
	{ "--update=l",
	  "sha256sum: --update needs --recursive, --files0-from or a FILE\n" },
	{ "--update=l -c x",
	  "sha256sum: the --update option is not supported when verifying "
	  "checksums\n" },
	{ "-r --update l --json",
	  "sha256sum: the --update option is not supported with --json\n" },
	{ "--list-devices --benchmark",
	  "sha256sum: the --benchmark option is meaningless with "
	  "--list-devices\n" },
	{ "-c --list-devices",
	  "sha256sum: the --check option is meaningless with "
	  "--list-devices\n" },
	{ "--check-zero --list-devices",
	  "sha256sum: the --check option is meaningless with "
	  "--list-devices\n" },
	{ "--benchmark -c x",
	  "sha256sum: the --check option is meaningless with --benchmark\n" },
	{ "-r --list-devices",
	  "sha256sum: the --recursive option is meaningless with "
	  "--list-devices\n" },
	{ "--benchmark --files0-from=x",
	  "sha256sum: the --files0-from option is meaningless with "
	  "--benchmark\n" },
	{ "--list-devices nosuch",
	  "sha256sum: extra operand 'nosuch'\n"
	  "file operands cannot be combined with --list-devices\n" },
	{ "a --benchmark b",
	  "sha256sum: extra operand 'a'\n"
	  "file operands cannot be combined with --benchmark\n" },
	{ "--list-devices -c -z",
	  "sha256sum: the --zero option is not supported when verifying "
	  "checksums\n" },
	{ "--js", "sha256sum: unrecognized option '--js'\n" },
	{ "--progress=1",
	  "sha256sum: option '--progress' doesn't allow an argument\n" },
	{ "--recursive=1",
	  "sha256sum: option '--recursive' doesn't allow an argument\n" },
	{ "--recursiv", "sha256sum: unrecognized option '--recursiv'\n" },
	{ "--r", "sha256sum: unrecognized option '--r'\n" },
	{ "--detect", "sha256sum: unrecognized option '--detect'\n" },
	{ "--check-zer", "sha256sum: unrecognized option '--check-zer'\n" },
	{ "-- --threads=x", NULL },
	{ "nosuch -- --verify=1", NULL },
	{ "--verify -- --threads", NULL },
};

static void
check_extension_rows(void)
{
	for (size_t i = 0; i < sizeof(extension_rows) / sizeof(*extension_rows);
	     i++) {
		struct call call = { .locale = "C" };
		struct capture capture;
		char expected[512] = "";

		if (extension_rows[i].err)
			snprintf(expected, sizeof(expected), "%s" TRY,
				 extension_rows[i].err);
		words_set(&call.words, "sha256sum", extension_rows[i].line);
		capture_run(&capture, parse_child, &call, false);
		is(capture.err.bytes, expected, "complaint: '%s'",
		   extension_rows[i].line);
		ok(capture.status == (extension_rows[i].err ? 1 : EXIT_RUN) &&
			   capture.out.len == 0,
		   "status: '%s'", extension_rows[i].line);
		capture_free(&capture);
	}
}

static void
check_posixly_correct(void)
{
	static const struct {
		const char *line;
		int status;
	} rows[] = {
		{ "a --threads=x", EXIT_RUN }, { "- --threads=x", EXIT_RUN },
		{ "--threads=x a", 1 },	       { "-b --threads=x", 1 },
		{ "--verify --threads=x", 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct call call = { .locale = "C", .posixly_correct = true };
		struct capture capture;

		words_set(&call.words, "sha256sum", rows[i].line);
		capture_run(&capture, parse_child, &call, false);
		ok(capture.status == rows[i].status,
		   "POSIXLY_CORRECT: extensions behind an operand are operands:"
		   " '%s'",
		   rows[i].line);
		capture_free(&capture);
	}
}

/* ---- what is printed ---- */

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
	ok(widest < 80 && capture.status == 0 && !capture.err.len &&
		   capture.out.bytes[capture.out.len - 1] == '\n',
	   "%s: status 0, fewer than 80 columns, whole lines", line);
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
		"\n      --status ",
		"\n      --strict ",
		"\n      --tag ",
		"\n  -t, --text ",
		"\n  -w, --warn ",
		"\n  -z, --zero ",
		"\n      --help ",
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
	check_extension_rows();
	check_posixly_correct();
	check_printed("--help", help);
	check_printed("--verify --h", help);
	check_printed("--version", version);
	check_printed("--verify --ver", version);
	return tap_done();
}
