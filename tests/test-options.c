/* SPDX-License-Identifier: MIT */
/*
 * Promise: GNU's options are parsed as GNU parses them, errors included byte
 * for byte; our own change nothing about them and complain in the same form.
 */
#include "config.h"

#include "src/options.h"

#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/output.h"
#include "src/report.h"
#include "tests/capture.h"
#include "tests/tap.h"

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

/* ---- what is parsed ---- */

struct parse_row {
	const char *line;
	struct options expected;	/* null device: "auto" */
};

static const struct parse_row parse_rows[] = {
	{ "", { .noperands = 0 } },
	{ "a b", { .noperands = 2 } },
	{ "-b", { .binary = true } },
	{ "-b -t", { .binary = false } },
	{ "-t a -b c", { .binary = true, .noperands = 2 } },
	{ "-bz", { .binary = true, .zero = true } },
	{ "--tag", { .tag = true, .binary = true } },
	{ "-t --tag", { .tag = true, .binary = true } },
	{ "--tag -t -b", { .tag = true, .binary = true } },
	{ "-cw", { .check = true, .warn = true } },
	{ "-c -w --status", { .check = true, .status = true } },
	{ "-c --status --quiet", { .check = true, .quiet = true } },
	{ "-c --quiet -w", { .check = true, .warn = true } },
	{ "--c --str --ig", { .check = true, .strict = true,
			      .ignore_missing = true } },
	{ "-- -b --verify", { .noperands = 2 } },
	{ "- -", { .noperands = 2 } },
	{ "--verify", { .verify = true } },
	{ "a --verify b", { .verify = true, .noperands = 2 } },
	{ "--list-devices", { .list_devices = true } },
	{ "--threads=3", { .threads = 3 } },
	{ "--threads 12 a", { .threads = 12, .noperands = 1 } },
	{ "--threads=0", { .threads = 0 } },
	{ "--threads=99999999999999999999", { .threads = UINT32_MAX } },
	{ "--threads=3 --threads=4", { .threads = 4 } },
	{ "--device=cpu", { .device = "cpu" } },
	{ "--device qpu", { .device = "qpu" } },
	{ "--device=auto", { .device = "auto" } },
	{ "--device=emulator", { .device = "emulator" } },
	{ "--device=qpu:mailbox", { .device = "qpu:mailbox" } },
	{ "--device=emulator:qpus=4,timed",
	  { .device = "emulator:qpus=4,timed" } },
	{ "--files0-from=-", { .files0_from = "-" } },
	{ "--files0-from names -b", { .files0_from = "names",
				      .binary = true } },
	{ "-r", { .recursive = true } },
	{ "-zrb a -t", { .recursive = true, .zero = true, .noperands = 1 } },
	{ "a --recursive", { .recursive = true, .noperands = 1 } },
	{ "-- -r", { .noperands = 1 } },
	{ "a --json -b", { .json = true, .binary = true, .noperands = 1 } },
	{ "-c --json --quiet", { .json = true, .check = true,
				 .quiet = true } },
	{ "--progress a", { .progress = true, .noperands = 1 } },
	{ "--detect-changes -c", { .detect_changes = true, .check = true } },
	{ "--check-zero -w", { .check_zero = true, .check = true,
			       .warn = true } },
	{ "--quiet -c --check-zero", { .check_zero = true, .check = true,
				       .quiet = true } },
	{ "--verify -c --stat", { .verify = true, .check = true,
				  .status = true } },
};

static bool
options_equal(const struct options *a, const struct options *b)
{
	return a->check == b->check && a->binary == b->binary &&
		a->tag == b->tag && a->zero == b->zero &&
		a->ignore_missing == b->ignore_missing &&
		a->quiet == b->quiet && a->status == b->status &&
		a->warn == b->warn && a->strict == b->strict &&
		a->verify == b->verify && a->threads == b->threads &&
		a->list_devices == b->list_devices &&
		a->recursive == b->recursive &&
		a->json == b->json && a->progress == b->progress &&
		a->check_zero == b->check_zero &&
		a->detect_changes == b->detect_changes &&
		a->noperands == b->noperands &&
		strcmp(a->device, b->device ? b->device : "auto") == 0 &&
		strcmp(a->files0_from ? a->files0_from : "",
		       b->files0_from ? b->files0_from : "") == 0;
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
		   OPTIONS_RUN && options_equal(&options, &row->expected),
		   "parsed: '%s'", row->line);
	}
}

/* ---- one command line in a child, ours and the oracle's ---- */

struct call {
	struct words words;
	const char *locale;
	bool posixly_correct;
};

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

/* Whether the oracle says the same, or runs where we run. */
static bool
agrees(const struct capture *theirs, const struct capture *ours)
{
	const bool they_print = strncmp(theirs->out.bytes, "Usage: ", 7) == 0 ||
		strncmp(theirs->out.bytes, "sha256sum (GNU", 14) == 0;
	const bool they_complain = strstr(theirs->err.bytes, "\nTry '") ||
		strncmp(theirs->err.bytes, "Try '", 5) == 0;

	if (ours->status == EXIT_RUN)
		return !they_print && !they_complain &&
			!ours->out.len && !ours->err.len;
	if (ours->status == 0)
		return they_print && theirs->status == 0 &&
			ours->out.len > 0 && !ours->err.len;
	return ours->status == theirs->status && they_complain &&
		strcmp(ours->out.bytes, theirs->out.bytes) == 0 &&
		strcmp(ours->err.bytes, theirs->err.bytes) == 0;
}

static bool
compare(const char *program, const char *line, bool posixly_correct)
{
	struct call call = {
		.locale = "C.UTF-8", .posixly_correct = posixly_correct
	};
	struct capture theirs, ours;

	words_set(&call.words, program, line);
	struct oracle_call oracle = {
		.argv = call.words.argv, .locale = "C.UTF-8",
		.posixly_correct = posixly_correct
	};
	capture_run(&theirs, oracle_exec, &oracle, false);
	capture_run(&ours, parse_child, &call, false);

	const bool same = agrees(&theirs, &ours);
	if (!same)
		tap_note("'%s' %s: got %d '%s', expected %d '%s'", program,
			 line, ours.status, ours.err.bytes, theirs.status,
			 theirs.err.bytes);
	capture_free(&theirs);
	capture_free(&ours);
	return same;
}

/* ---- the command lines ---- */

static const char *const lines[] = {
	"", "-", "--", "-- -x", "-b", "-bt", "-x", "-bx", "-xb", "-h", "-v",
	"-V", "-s", "-q", "-?", "-:", "-bW", "-W", "-b=3", "-0",
	"-\351", "-\303\251",
	"--b", "--bi", "--binary", "--binaryy", "--binary=", "--b=3",
	"--c nosuch", "--ch nosuch", "--check=", "--check=nosuch",
	"--i", "--ig", "--ignore-missing", "--ignore-missing=1", "--ignore",
	"--q", "--qu", "--quiet", "--quiet=", "--quietly",
	"--s", "--st", "--sta", "--str", "--sta=x", "--st=x", "--strict",
	"--status", "--strictly", "--s=", "--t", "--t=3", "--ta", "--te",
	"--tag=x", "--text=x", "--tags", "--texts", "--w", "--warn", "--wa=1",
	"--warning", "--z", "--zero", "--zero=0", "--zeros", "--h", "--he",
	"--help", "--help=3", "--helpp", "--v", "--ve", "--ver", "--version",
	"--version=1", "--versions", "--=", "--=3", "---", "---b", "--x",
	"--x=3", "--B", "--Binary", "--dev", "--thread=3", "--verif",
	"--files0", "--list", "--no-check",
	/* conflicts, one and more, in all orders */
	"--tag -t", "-t --tag", "--tag -b", "--tag -b -t", "--tag -t -b",
	"-t --tag -t", "--tag --text nosuch", "-c --tag nosuch", "-c -b nosuch",
	"-c -t nosuch", "-b -c nosuch", "-c -z nosuch", "-z -c nosuch",
	"-zc nosuch", "-cz", "-z --tag -c", "--tag -c -z", "--tag -t -c -z",
	"-b -c -z --tag", "-b -c --tag", "-c -t --tag", "--tag -c -t",
	"-c -tb nosuch", "--ignore-missing --status -w",
	"-w --status --quiet --strict --ignore-missing", "--quiet --status",
	"--status --quiet", "--quiet -w", "-w --status", "-w --quiet",
	"--status -w", "--strict -w", "--strict --quiet", "--strict --status",
	"--ignore-missing --strict", "-b --ignore-missing", "-z --strict",
	"--tag --status", "--tag -t --strict", "--tag -t --quiet",
	"-z --ignore-missing -w", "-c -w -z nosuch", "-c --quiet --tag nosuch",
	"-w -c nosuch", "-c --status --quiet -w nosuch", "-cw --strict nosuch",
	"-c --ignore-missing nosuch", "-c --b nosuch",
	/* help and version against everything else */
	"--help -x", "-x --help", "--help --version", "--version --help",
	"--tag -t --help", "--help --tag -t", "-c -z --version",
	"--version -x", "--s --version", "--version --s", "-b --help nosuch",
	"nosuch --help", "-- --help", "nosuch -- --help", "-c --he", "-w --v",
	"--quiet --h", "--help=x --version", "--version --help=x",
	/* permutation */
	"nosuch -b", "nosuch -x", "nosuch --x", "nosuch -- -x",
	"-b nosuch -t --tag", "nosuch --tag -t", "- -x", "- --tag -t",
	"nosuch -c -z", "-c nosuch -w --strict", "-b -- -t --tag",
	"nosuch --status", "-- --status", "nosuch -- --status",
	"- - -", "nosuch - -x -",
};

static const char *const random_words[] = {
	"-b", "-t", "-c", "-w", "-z", "-bz", "-ct", "--tag", "--binary",
	"--text", "--check", "--zero", "--ignore-missing", "--quiet",
	"--status", "--strict", "--warn", "--help", "--version", "--ig",
	"--q", "--sta", "--str", "--s", "--t", "--ta", "--te", "--v", "--h",
	"-x", "--x", "--zero=1", "--=", "--", "-", "nosuch", "nosuch",
	"--tag", "-c", "-c",
};

static void
check_lines(bool posixly_correct)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		ok(compare("sha256sum", lines[i], posixly_correct),
		   "as GNU%s: '%s'",
		   posixly_correct ? " with POSIXLY_CORRECT" : "", lines[i]);
}

static void
check_random_lines(void)
{
	enum { LINES = 400 };
	const size_t nwords = sizeof(random_words) / sizeof(*random_words);
	uint32_t seed = 3;
	unsigned good = 0;

	for (int i = 0; i < LINES; i++) {
		char line[256] = "";

		seed = seed * 1664525 + 1013904223;
		for (unsigned n = (seed >> 16) % 6 + 1; n > 0; n--) {
			seed = seed * 1664525 + 1013904223;
			strcat(line, random_words[(seed >> 8) % nwords]);
			strcat(line, n > 1 ? " " : "");
		}
		good += compare("sha256sum", line, i % 8 == 0);
	}
	ok(good == LINES, "%u of %d random command lines as GNU", good, LINES);
}

static void
check_programs(void)
{
	static const char *const programs[] = {
		"foo", "/a/b/foo", "lt-foo", "/x/lt-foo", "/x/.libs/foo",
		".libs/foo", "/x/.libs/lt-foo", ".libs/lt-foo", "",
		"/.libs/lt-", "a b", "/x/.libs/a/b", "x%d", "/",
	};
	char *argv[] = { "/a/b/foo", "nosuch", NULL };
	struct oracle_call call = { .argv = argv };
	struct capture capture;

	capture_run(&capture, oracle_exec, &call, false);
	const bool usable = strncmp(capture.err.bytes, "/a/b/foo: ", 10) == 0;
	capture_free(&capture);
	if (!usable) {
		/* Newer ones leave out directories. */
		tap_skip("this sha256sum does not tell how it was called");
		return;
	}
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		ok(compare(programs[i], "--bogus", false) &&
		   compare(programs[i], "--tag -t", false) &&
		   compare(programs[i], "-x", false) &&
		   compare(programs[i], "--s", false),
		   "the program's name as GNU: '%s'", programs[i]);
}

/* ---- our own options ---- */

#define TRY "Try 'sha256sum --help' for more information.\n"

static const struct {
	const char *line;
	const char *err;	/* without its end, TRY; NULL: it runs */
} own_rows[] = {
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
	  "sha256sum: invalid argument 'gpu' for '--device'\n"
	  "Valid arguments are:\n  - 'auto'\n  - 'cpu'\n  - 'qpu', 'qpu:WORDS'\n"
	  "  - 'emulator', 'emulator:WORDS'\n" },
	{ "--device=cpu:1",
	  "sha256sum: invalid argument 'cpu:1' for '--device'\n"
	  "Valid arguments are:\n  - 'auto'\n  - 'cpu'\n  - 'qpu', 'qpu:WORDS'\n"
	  "  - 'emulator', 'emulator:WORDS'\n" },
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
	/* what stands first has the first say; conflicts come last */
	{ "-x --threads=x", "sha256sum: invalid option -- 'x'\n" },
	{ "--threads=x -x", "sha256sum: invalid --threads argument 'x'\n" },
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
	{ "--json --tag x",
	  "sha256sum: the --tag option is meaningless with --json\n" },
	{ "--json -z x",
	  "sha256sum: the --zero option is meaningless with --json\n" },
	{ "--json -z -c",
	  "sha256sum: the --zero option is not supported when verifying "
	  "checksums\n" },
	{ "--json --list-devices",
	  "sha256sum: the --json option is meaningless with "
	  "--list-devices\n" },
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
check_own_rows(void)
{
	for (size_t i = 0; i < sizeof(own_rows) / sizeof(*own_rows); i++) {
		struct call call = { .locale = "C" };
		struct capture capture;
		char expected[512] = "";

		if (own_rows[i].err)
			snprintf(expected, sizeof(expected), "%s" TRY,
				 own_rows[i].err);
		words_set(&call.words, "sha256sum", own_rows[i].line);
		capture_run(&capture, parse_child, &call, false);
		is(capture.err.bytes, expected, "complaint: '%s'",
		   own_rows[i].line);
		ok(capture.status == (own_rows[i].err ? 1 : EXIT_RUN) &&
		   capture.out.len == 0, "status: '%s'", own_rows[i].line);
		capture_free(&capture);
	}
}

static void
check_posixly_correct(void)
{
	struct call call = { .locale = "C", .posixly_correct = true };
	struct capture capture;

	words_set(&call.words, "sha256sum", "a --threads=x");
	capture_run(&capture, parse_child, &call, false);
	ok(capture.status == EXIT_RUN,
	   "POSIXLY_CORRECT: our options behind an operand are operands");
	capture_free(&capture);
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

		ok(strstr(capture.out.bytes, *needles), "%s shows '%.*s'",
		   line, (int)strcspn(shown, "\n"), shown);
	}
	for (const char *s = capture.out.bytes; *s; ) {
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
		"Usage: sha256sum [OPTION]... [FILE]...\n", "\n  -b, --binary ",
		"\n  -c, --check ", "\n      --ignore-missing ",
		"\n      --quiet ", "\n      --status ", "\n      --strict ",
		"\n      --tag ", "\n  -t, --text ", "\n  -w, --warn ",
		"\n  -z, --zero ", "\n      --help ", "\n      --version ",
		"\n      --device=DEVICE ", "\n      --files0-from=FILE ",
		"\n      --list-devices ", "\n      --threads=N ",
		"\n      --verify ", "\n  -r, --recursive ",
		"\n      --check-zero ", "\n      --detect-changes ", NULL
	};
	static const char *const version[] = {
		PACKAGE_STRING "\n", "MIT", "reference: ", NULL
	};

	check_parse_rows();
	check_own_rows();
	check_posixly_correct();
	check_printed("--help", help);
	check_printed("--verify --h", help);
	check_printed("--version", version);
	check_printed("--verify --ver", version);
	if (oracle_find() == ORACLE_NONE || !setlocale(LC_ALL, "C.UTF-8")) {
		tap_skip("no GNU sha256sum 9, or no locale C.UTF-8");
		return tap_done();
	}
	check_lines(false);
	check_lines(true);
	check_random_lines();
	check_programs();
	return tap_done();
}
