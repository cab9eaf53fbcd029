/* SPDX-License-Identifier: MIT */
/*
 * Promise: GNU's options are parsed as GNU parses them, errors included byte
 * for byte; extensions change nothing about them, and their errors have
 * the same form.
 */
#include "config.h"

#include "src/options.h"

#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/extensions.h"
#include "src/output/output.h"
#include "src/output/report.h"
#include "tests/support/capture.h"
#include "tests/support/tap.h"

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
	struct options expected; /* null device: "auto" */
};

static const struct parse_row parse_rows[] = {
	{ "", { .input.noperands = 0 } },
	{ "a b", { .input.noperands = 2 } },
	{ "-b", { .input.binary = true } },
	{ "-b -t", { .input.binary = false } },
	{ "-t a -b c", { .input.binary = true, .input.noperands = 2 } },
	{ "-bz", { .input.binary = true, .input.zero = true } },
	{ "--tag", { .input.tag = true } },
	{ "-b --tag", { .input.tag = true, .input.binary = true } },
	{ "--tag -t -b", { .input.tag = true, .input.binary = true } },
	{ "-cw", { .check = true, .input.warn = true } },
	{ "-c -w --status", { .check = true, .input.status = true } },
	{ "-c --status --quiet", { .check = true, .input.quiet = true } },
	{ "-c --quiet -w", { .check = true, .input.warn = true } },
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
	    .input.quiet = true } },
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
	  { .input.files0_from = "names", .input.binary = true } },
	{ "-r", { .input.recursive = true } },
	{ "-zrb a -t",
	  { .input.recursive = true,
	    .input.zero = true,
	    .input.noperands = 1 } },
	{ "a --recursive", { .input.recursive = true, .input.noperands = 1 } },
	{ "-- -r", { .input.noperands = 1 } },
	{ "a --json -b",
	  { .input.json = true, .input.binary = true, .input.noperands = 1 } },
	{ "-c --json --quiet",
	  { .input.json = true, .check = true, .input.quiet = true } },
	{ "--one-at-a-time --device=cpu a",
	  { .one_at_a_time = true, .device = "cpu", .input.noperands = 1 } },
	{ "--progress a", { .progress = true, .input.noperands = 1 } },
	{ "--detect-changes -c",
	  { .input.detect_changes = true, .check = true } },
	{ "--check-zero -w",
	  { .input.check_zero = true, .check = true, .input.warn = true } },
	{ "--quiet -c --check-zero",
	  { .input.check_zero = true, .check = true, .input.quiet = true } },
	{ "--verify -c --stat",
	  { .verify = true, .check = true, .input.status = true } },
};

static bool
options_equal(const struct options *a, const struct options *b)
{
	return a->check == b->check && a->input.binary == b->input.binary &&
	       a->input.tag == b->input.tag && a->input.zero == b->input.zero &&
	       a->input.ignore_missing == b->input.ignore_missing &&
	       a->input.quiet == b->input.quiet &&
	       a->input.status == b->input.status &&
	       a->input.warn == b->input.warn &&
	       a->input.strict == b->input.strict && a->verify == b->verify &&
	       a->threads == b->threads &&
	       strcmp(a->list_devices ? a->list_devices : "-",
		      b->list_devices ? b->list_devices : "-") == 0 &&
	       a->input.recursive == b->input.recursive &&
	       a->one_at_a_time == b->one_at_a_time &&
	       a->input.json == b->input.json && a->progress == b->progress &&
	       a->input.check_zero == b->input.check_zero &&
	       a->input.detect_changes == b->input.detect_changes &&
	       a->input.noperands == b->input.noperands &&
	       strcmp(a->device, b->device ? b->device : "auto") == 0 &&
	       strcmp(a->input.files0_from ? a->input.files0_from : "",
		      b->input.files0_from ? b->input.files0_from : "") == 0;
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

/* Does the oracle print the same, or run where we run? */
static bool
agrees(const struct capture *theirs, const struct capture *ours)
{
	const bool they_print =
		strncmp(theirs->out.bytes, "Usage: ", 7) == 0 ||
		strncmp(theirs->out.bytes, "sha256sum (GNU", 14) == 0;
	const bool they_complain = strstr(theirs->err.bytes, "\nTry '") ||
				   strncmp(theirs->err.bytes, "Try '", 5) == 0;

	if (ours->status == EXIT_RUN)
		return !they_print && !they_complain && !ours->out.len &&
		       !ours->err.len;
	if (ours->status == 0)
		return they_print && theirs->status == 0 && ours->out.len > 0 &&
		       !ours->err.len;
	return ours->status == theirs->status && they_complain &&
	       strcmp(ours->out.bytes, theirs->out.bytes) == 0 &&
	       strcmp(ours->err.bytes, theirs->err.bytes) == 0;
}

/* Releases before 9.10 let --tag undo --text. */
static bool
has_text_and_tag(const struct words *words)
{
	bool text = false, tag = false;

	for (int i = 1; i < words->argc; i++) {
		const char *word = words->argv[i];

		if (strncmp(word, "--", 2) != 0)
			text |= word[0] == '-' && strchr(word, 't');
		text |= strncmp(word, "--te", 4) == 0;
		tag |= strncmp(word, "--ta", 4) == 0;
	}
	return text && tag;
}

static bool
compare(const char *program, const char *line, bool posixly_correct)
{
	struct call call = { .locale = "C.UTF-8",
			     .posixly_correct = posixly_correct };
	struct capture theirs, ours;

	words_set(&call.words, program, line);
	if (has_text_and_tag(&call.words) && oracle_release() < 10)
		return true;
	struct oracle_call oracle = { .argv = call.words.argv,
				      .locale = "C.UTF-8",
				      .posixly_correct = posixly_correct };
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

/* clang-format off */
static const char *const lines[] = {
	"", "-", "--", "-- -y", "-b", "-bt", "-y", "-by", "-yb", "-h", "-v",
	"-V", "-s", "-q", "-?", "-:", "-bW", "-W", "-b=3", "-0", "-\351",
	"-\303\251", "--b", "--bi", "--binary", "--binaryy", "--binary=",
	"--b=3", "--c nosuch", "--ch nosuch", "--check=", "--check=nosuch",
	"--i", "--ig", "--ignore-missing", "--ignore-missing=1", "--ignore",
	"--q", "--qu", "--quiet", "--quiet=", "--quietly", "--s", "--st",
	"--sta", "--str", "--sta=x", "--st=x", "--strict", "--status",
	"--strictly", "--s=", "--t", "--t=3", "--ta", "--te", "--tag=x",
	"--text=x", "--tags", "--texts", "--w", "--warn", "--wa=1", "--warning",
	"--z", "--zero", "--zero=0", "--zeros", "--h", "--he", "--help",
	"--help=3", "--helpp", "--v", "--ve", "--ver", "--version",
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
	"--help -y", "-y --help", "--help --version", "--version --help",
	"--tag -t --help", "--help --tag -t", "-c -z --version", "--version -y",
	"--s --version", "--version --s", "-b --help nosuch", "nosuch --help",
	"-- --help", "nosuch -- --help", "-c --he", "-w --v", "--quiet --h",
	"--help=x --version", "--version --help=x",
	/* permutation */
	"nosuch -b", "nosuch -y", "nosuch --x", "nosuch -- -y",
	"-b nosuch -t --tag", "nosuch --tag -t", "- -y", "- --tag -t",
	"nosuch -c -z", "-c nosuch -w --strict", "-b -- -t --tag",
	"nosuch --status", "-- --status", "nosuch -- --status", "- - -",
	"nosuch - -y -",
};
/* clang-format on */

/* clang-format off */
static const char *const random_words[] = {
	"-b", "-t", "-c", "-w", "-z", "-bz", "-ct", "--tag", "--binary",
	"--text", "--check", "--zero", "--ignore-missing", "--quiet",
	"--status", "--strict", "--warn", "--help", "--version", "--ig", "--q",
	"--sta", "--str", "--s", "--t", "--ta", "--te", "--v", "--h", "-y",
	"--x", "--zero=1", "--=", "--", "-", "nosuch", "nosuch", "--tag", "-c",
	"-c",
};
/* clang-format on */

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
		"foo",
		"/a/b/foo",
		"lt-foo",
		"/x/lt-foo",
		"/x/.libs/foo",
		".libs/foo",
		"/x/.libs/lt-foo",
		".libs/lt-foo",
		"",
		"/.libs/lt-",
		"a b",
		"/x/.libs/a/b",
		"x%d",
		"/",
	};
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		ok(compare(programs[i], "--bogus", false) &&
			   compare(programs[i], "--tag -t", false) &&
			   compare(programs[i], "-y", false) &&
			   compare(programs[i], "--s", false),
		   "the program's name as GNU: '%s'", programs[i]);
}

/* ---- extensions ---- */

#define TRY "Try 'sha256sum --help' for more information.\n"
#ifdef WITH_QPU
#define VALID_DEVICES                                                          \
	"Valid arguments are:\n  - 'auto'\n  - 'cpu'\n"                        \
	"  - 'qpu', 'qpu:WORDS', 'qpu+cpu', 'qpu+cpu:WORDS'\n"                 \
	"  - 'emulator', 'emulator:WORDS', 'emulator+cpu',\n"                  \
	"    'emulator+cpu:WORDS'\n"
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
	struct call call = { .locale = "C", .posixly_correct = true };
	struct capture capture;

	words_set(&call.words, "sha256sum", "a --threads=x");
	capture_run(&capture, parse_child, &call, false);
	ok(capture.status == EXIT_RUN,
	   "POSIXLY_CORRECT: extensions behind an operand are operands");
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

/* What is left of argv ends with NULL, after errors, too. */
static void
check_end_of_argv(void)
{
	static const struct {
		const char *line;
		int argc;
	} rows[] = {
		{ "a --verify b", 3 },
		{ "a --threads=x b c", 2 },
		{ "a --threads", 2 },
		{ "a b --verify=1 c d", 3 },
		{ "--threads 1 -- --verify", 3 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct extension_error error = { 0 };
		struct options options = { .device = "auto" };
		struct words words;

		words_set(&words, "sha256sum", rows[i].line);
		words.argc = extensions_take(words.argc, words.argv, &options,
					     &error);
		ok(words.argc == rows[i].argc && !words.argv[words.argc],
		   "argv ends with NULL: '%s'", rows[i].line);
	}
}

int
main(void)
{
	static const char *const help[] = {
		"Usage: sha256sum [OPTION]... [FILE]...\n",
		"\n  -b, --binary ",
		"\n  -c, --check ",
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
	static const char *const version[] = { PACKAGE_STRING "\n", "MIT",
					       "reference: ", NULL };

	check_parse_rows();
	check_end_of_argv();
	check_extension_rows();
	check_posixly_correct();
	check_printed("--help", help);
	check_printed("--verify --h", help);
	check_printed("--version", version);
	check_printed("--verify --ver", version);
	if (!oracle_release() || !setlocale(LC_ALL, "C.UTF-8")) {
		tap_skip("no GNU sha256sum 9, or no locale C.UTF-8");
		return tap_done();
	}
	check_lines(false);
	check_lines(true);
	check_random_lines();
	check_programs();
	return tap_done();
}
