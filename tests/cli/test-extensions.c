/* SPDX-License-Identifier: MIT */
/*
 * Promise: errors of extensions have the form of GNU's, the first of a line is
 * reported, and what is no extension is left alone.
 */
#include "config.h"

#include "src/extensions.h"

#include "tests/cli/command-line.h"
#include "tests/support/capture.h"
#include "tests/support/tap.h"

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
	{ "--threads 4k", "sha256sum: invalid --threads argument '4k'\n" },
	{ "--threads --verify",
	  "sha256sum: invalid --threads argument '--verify'\n" },
	{ "--device=gpu",
	  "sha256sum: invalid argument 'gpu' for '--device'\n" VALID_DEVICES },
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
	/* no abbreviations, whether the option is there or not */
	{ "--verif", "sha256sum: unrecognized option '--verif'\n" },
	{ "--verify --verif", "sha256sum: unrecognized option '--verif'\n" },
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

/* What is left of argv is in order, and ends with NULL, after errors, too. */
static void
check_end_of_argv(void)
{
	static const struct {
		const char *line, *left;
	} rows[] = {
		{ "a --verify b", " a b" },
		{ "a --threads=x b c", " a" },
		{ "a --threads", " a" },
		{ "a b --verify=1 c d", " a b" },
		{ "--threads 1 -- --verify", " -- --verify" },
		{ "--list-devices a", " a" },
		{ "-- --threads=x", " -- --threads=x" },
		{ "-b --verify -- c", " -b -- c" },
		{ "--verif -verify", " --verif -verify" },
		{ "--", " --" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct extension_error error = { 0 };
		struct options options = { .device = "auto" };
		struct words words;
		char left[256] = "";

		words_set(&words, "sha256sum", rows[i].line);
		words.argc = extensions_take(words.argc, words.argv, &options,
					     &error);
		for (int word = 1; word < words.argc && words.argv[word];
		     word++) {
			strcat(left, " ");
			strcat(left, words.argv[word]);
		}
		is(left, rows[i].left, "what is left of '%s'", rows[i].line);
		ok(!words.argv[words.argc], "ends with NULL");
	}
}

int
main(void)
{
	check_end_of_argv();
	check_extension_rows();
	check_posixly_correct();
	return tap_done();
}
