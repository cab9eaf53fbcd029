/* SPDX-License-Identifier: MIT */
/*
 * Promise: GNU's options are parsed as GNU parses them, errors included byte
 * for byte, wherever its sha256sum is installed.
 */
#include "config.h"

#include "src/options.h"

#include "tests/cli/command-line.h"
#include "tests/support/capture.h"
#include "tests/support/tap.h"

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

int
main(void)
{
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
