/* SPDX-License-Identifier: MIT */
/*
 * Promise: options are parsed into what they mean, and --help and --version
 * show them.  Errors of extensions have the form of GNU's, and the first of a
 * line is reported.  (GNU's messages about its own options are in
 * tests/cli/differential/options.rows.)
 *
 * The section `lines` of options.golden has command lines, and after " -> " the
 * options that are set, or the error.
 */
#include "config.h"

#include "src/options.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/output/output.h"
#include "src/output/report.h"
#include "tests/support/capture.h"
#include "tests/support/golden.h"
#include "tests/support/tap.h"

/* ---- command lines ---- */

enum { MAX_WORDS = 16, EXIT_RUN = 42 };

/* A command line, its words separated by one blank each; "" has none. */
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

/* Its status is EXIT_RUN if the options are good. */
static int
parse_child(void *data)
{
	struct words *words = data;
	struct options options;

	report_init(words->argv[0]);

	enum options_result verdict =
		options_parse(words->argc, words->argv, &options);
	output_close();
	return verdict == OPTIONS_RUN ? EXIT_RUN : report_status();
}

/* ---- options.golden ---- */

#define TRY "Try 'sha256sum --help' for more information.\n"
#ifdef WITH_QPU
#define VALID_DEVICES                                                          \
	"Valid arguments are:\n  - 'auto'\n"                                   \
	"  - 'qpu', 'qpu:WORDS', 'qpu+cpu', 'qpu+cpu:WORDS'\n  - 'cpu'\n"      \
	"  - 'emulator', 'emulator:WORDS', 'emulator+cpu', "                   \
	"'emulator+cpu:WORDS'"
#else
#define VALID_DEVICES "Valid arguments are:\n  - 'auto'\n  - 'cpu'"
#endif

static void
put_flag(struct golden_output *out, bool is_set, const char *name)
{
	if (is_set)
		golden_printf(out, "lines", " %s", name);
}

static void
put_word(struct golden_output *out, const char *word, const char *name)
{
	if (word)
		golden_printf(out, "lines", " %s='%s'", name, word);
}

/* Put the options that differ from an empty command line's. */
static void
put_options(struct golden_output *out, const struct options *options)
{
	static const char *const marks[] = {
		[INPUT_MARK_BINARY] = "binary",
		[INPUT_MARK_TEXT] = "text",
	};
	static const char *const verbosities[] = {
		[INPUT_WARN] = "warn",
		[INPUT_STATUS] = "status",
		[INPUT_QUIET] = "quiet",
	};
	static const struct options none;
	const struct input_options *input = &options->input;

	put_flag(out, options->check, "check");
	put_flag(out, input->mark != none.input.mark, marks[input->mark]);
	put_flag(out, input->verbosity != none.input.verbosity,
		 verbosities[input->verbosity]);
	put_flag(out, input->tag, "tag");
	put_flag(out, input->zero, "zero");
	put_flag(out, input->ignore_missing, "ignore-missing");
	put_flag(out, input->strict, "strict");
	put_flag(out, input->json, "json");
	put_flag(out, input->check_zero, "check-zero");
	put_flag(out, input->detect_changes, "detect-changes");
	put_flag(out, input->hard_links_once, "hard-links-once");
	put_flag(out, input->one_file_system, "one-file-system");
	put_flag(out, input->recursive, "recursive");
	for (size_t i = 0; i < input->unlisted.n; i++)
		put_word(out, input->unlisted.rows[i], "unlisted");
	put_flag(out, input->relative_to_list, "relative-to-list");
	put_flag(out, input->why, "why");
	for (size_t i = 0; i < input->only.n; i++)
		put_word(out, input->only.rows[i], "only");
	put_word(out, input->update, "update");
	for (size_t i = 0; i < input->accept.n; i++)
		put_word(out, input->accept.rows[i], "accept");
	put_word(out, input->prune, "prune");
	put_word(out, input->files0_from, "files0-from");
	put_flag(out, options->benchmark, "benchmark");
	put_flag(out, options->progress, "progress");
	put_flag(out, options->stats, "stats");
	put_flag(out, options->verify, "verify");
	put_flag(out, options->one_at_a_time, "one-at-a-time");
	put_flag(out, options->uncached, "uncached");
	put_word(out, options->list_devices, "list-devices");
	if (strcmp(options->device, "auto") != 0)
		put_word(out, options->device, "device");
	if (options->threads)
		golden_printf(out, "lines", " threads=%u", options->threads);
	if (input->noperands)
		golden_printf(out, "lines", " operands=%zu", input->noperands);
	golden_printf(out, "lines", "\n");
}

/* An error without "sha256sum: " and the advice to read --help; its further
 * lines stand after bars, and the devices of this build are one word. */
static void
put_error(struct golden_output *out, const struct capture *capture)
{
	static const char begin[] = "sha256sum: ", end[] = "\n" TRY;
	static const char devices[] = VALID_DEVICES;
	const char *at = capture->err.len ? capture->err.bytes : "";
	const char *last = at + capture->err.len - strlen(end);

	if (capture->status != 1 || capture->out.len ||
	    capture->err.len < strlen(begin) + strlen(end) ||
	    strncmp(at, begin, strlen(begin)) != 0 || strcmp(last, end) != 0) {
		golden_printf(out, "lines", " status %d: %s\n", capture->status,
			      at);
		return;
	}
	golden_printf(out, "lines", " ");
	for (at += strlen(begin); at < last; at++) {
		if (strncmp(at, devices, strlen(devices)) == 0) {
			golden_printf(out, "lines", "DEVICES");
			at += strlen(devices);
		}
		if (at < last)
			golden_printf(out, "lines", "%c",
				      *at == '\n' ? '|' : *at);
	}
	golden_printf(out, "lines", "\n");
}

static void
check_line(char *line, struct golden_output *out)
{
	static const char posix[] = "POSIXLY_CORRECT ";
	struct words words;
	struct capture capture;
	struct options options;
	char *const end = strstr(line, " ->");

	golden_write(out, "lines", line, (size_t)(end + 3 - line));
	*end = '\0';
	if (strncmp(line, posix, strlen(posix)) == 0) {
		line += strlen(posix);
		setenv("POSIXLY_CORRECT", "1", 1);
	}
	words_set(&words, "sha256sum", line);
	capture_run(&capture, parse_child, &words, false);
	if (capture.status == EXIT_RUN && !capture.err.len &&
	    !capture.out.len &&
	    options_parse(words.argc, words.argv, &options) == OPTIONS_RUN)
		put_options(out, &options);
	else
		put_error(out, &capture);
	unsetenv("POSIXLY_CORRECT");
	capture_free(&capture);
}

static void
check_lines(const struct golden_case *c, struct golden_output *out)
{
	golden_each_line(golden_section(c, "lines"), check_line, out);
}

/* ---- what is printed ---- */

/* The text fits a terminal and names every option. */
static void
check_printed(const char *line, const char *const *needles)
{
	struct words words;
	struct capture capture;
	size_t widest = 0;

	words_set(&words, "sha256sum", line);
	capture_run(&capture, parse_child, &words, false);
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
	/* That it has every option is in tests/package/completion.bats. */
	static const char *const help[] = {
		"Usage: sha256sum [OPTION]... [FILE]...\n",
		"\n\nGNU options, as in GNU coreutils:\n  -c, --check      ",
		"\n      --quiet             with -c: print no OK for files that "
		"match; with -r:\n"
		"                          print no notes\n",
		"\n      --version           print the version and exit\n\n"
		"Extensions, which cannot be abbreviated:\n"
		"      --accept=FILE       with --update: ",
		"\n      --list-devices[=details] list devices, whether they "
		"can be used here\n"
		"                          and, with details, what they are; "
		"and exit\n",
		"\n  -x, --one-file-system   with -r ",
		"\n      --threads=N         use ",
		"\n\nThe exit status is 0 if all went well and every file "
		"checked matched, else 1.\n",
		NULL
	};
	static const char *const version[] = {
		PACKAGE_STRING "\nCopyright ",
		"\nLicense MIT: ", " law.\n\nEngines built in:\n  ",
		"\n  cpu: vectors and SHA instructions of this CPU\n", NULL
	};

	unsetenv("POSIXLY_CORRECT");
	setenv("LC_ALL", "C", 1);
	golden_run("tests/cli/options.golden", check_lines);
	check_printed("--help", help);
	check_printed("--verify --h", help);
	check_printed("--version", version);
	check_printed("--verify --ver", version);
	return tap_done();
}
