/* SPDX-License-Identifier: MIT */
/*
 * Promise: a survey finds the names that are going to be hashed, in bounded
 * memory and time, and says when it cannot.
 */
#include "config.h"

#include "src/inputs/survey.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/tap.h"

enum { MOST_CALLS = 200 };

static char directory[] = "test-survey-XXXXXX";

/* What a survey found: names, each behind a blank, then "..." if unknown. */
static char found[4096];

static void
write_bytes(const char *name, const char *bytes, size_t len)
{
	FILE *file = fopen(name, "w");

	if (!file || fwrite(bytes, 1, len, file) != len || fclose(file) != 0)
		exit(99);
}

static void
write_text(const char *name, const char *text)
{
	write_bytes(name, text, strlen(text));
}

/* Is this what a survey finds?  `operands` ends with NULL. */
static bool
finds(const char *expected, struct input_options *options, bool check,
      char **operands)
{
	struct survey survey;
	struct forecast *forecast = &survey.forecast;
	const char *name;
	unsigned calls = 0;

	options->operands = operands;
	options->noperands = 0;
	while (operands && operands[options->noperands])
		options->noperands++;
	found[0] = '\0';
	survey_init(&survey, options, check);
	while (forecast->next(forecast, &name) && calls++ < MOST_CALLS)
		if (name && strlen(found) + strlen(name) + 2 < sizeof(found))
			sprintf(found + strlen(found), " %s", name);
	if (forecast->unknown)
		strcat(found, " ...");
	survey_close(&survey);
	if (strcmp(found, expected) == 0 && calls < MOST_CALLS)
		return true;
	tap_note("found:%s", found);
	return false;
}

#define DIGEST                                                                 \
	"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define NAMES(...) ((char *[]){ __VA_ARGS__, NULL })
#define OPTIONS(...) (&(struct input_options){ __VA_ARGS__ })

static void
test_names(void)
{
	ok(finds(" a b -", OPTIONS(0), false, NAMES("a", "b", "-")),
	   "operands are names");
	ok(finds(" -", OPTIONS(0), false, NULL), "without any it is stdin");
	write_bytes("list", "a\0b c\0\0d", 8);
	ok(finds(" a b c d", OPTIONS(.files0_from = "list"), false, NULL),
	   "--files0-from: the names in a file");
	ok(finds(" ...", OPTIONS(.files0_from = "nothere"), false, NULL),
	   "one that is not there is unknown");
	ok(finds(" ...", OPTIONS(.files0_from = "-"), false, NULL),
	   "standard input is left alone");
	ok(finds(" ...", OPTIONS(.files0_from = "fifo"), false, NULL),
	   "so is a FIFO");
	ok(finds(" ...", OPTIONS(.recursive = true), false, NAMES("a")),
	   "trees are unknown");
}

static void
test_lists(void)
{
	write_text("one", DIGEST "  a\n" DIGEST " *b\nrubbish\n\\" DIGEST
				 "  c\\nd\n# " DIGEST "  e\n");
	write_text("two", "SHA256 (f) = " DIGEST "\n" DIGEST "  -\n");
	write_bytes("zero", DIGEST "  a\nb\0" DIGEST "  c\0", 138);
	ok(finds(" a b c\nd", OPTIONS(0), true, NAMES("one")),
	   "the valid lines of a list have names");
	ok(finds(" a b c\nd f -", OPTIONS(0), true,
		 NAMES("nothere", "one", "two")),
	   "several lists, and one that is not there");
	ok(finds(" a\nb c", OPTIONS(.check_zero = true), true, NAMES("zero")),
	   "--check-zero");
	write_bytes("lists", "one\0two\0", 8);
	ok(finds(" a b c\nd f -", OPTIONS(.files0_from = "lists"), true, NULL),
	   "--files0-from: lists in a list");
	ok(finds(" a b c\nd ...", OPTIONS(0), true, NAMES("one", "-", "two")),
	   "a list on standard input is unknown");
	ok(finds(" ...", OPTIONS(0), true, NAMES("fifo", "one")),
	   "so is one in a FIFO");
	ok(finds(" ...", OPTIONS(0), true, NULL), "and the one without a name");
	ok(finds("", OPTIONS(0), true, NAMES(".")), "a directory has no lines");
}

/* More than a survey reads of one line; and it reads a line at a time. */
static void
test_bounds(void)
{
	static char line[3 << 20];
	struct input_options options = { .operands = NAMES("long"),
					 .noperands = 1 };
	struct survey survey;
	const char *name = "";

	memset(line, 'x', sizeof(line));
	write_bytes("long", line, sizeof(line));
	ok(finds(" ...", &options, true, NAMES("long")),
	   "a line of 3 MB is left to the work");
	write_bytes("long", line, sizeof(line));
	ok(finds(" ...", OPTIONS(.files0_from = "long"), false, NULL),
	   "so is a name");

	for (size_t i = 0; i < 100; i++)
		line[i * 1000] = '\n';
	write_bytes("long", line, 100000);
	survey_init(&survey, &options, true);
	for (unsigned i = 0; i < 50; i++)
		if (!survey.forecast.next(&survey.forecast, &name) || name)
			break;
	ok(!name && survey.reading, "each call reads no more than a line");
	survey_close(&survey);
}

int
main(void)
{
	char command[64];

	alarm(60);
	if (!mkdtemp(directory) || chdir(directory) != 0 ||
	    mkfifo("fifo", 0600) != 0)
		return 99;
	test_names();
	test_lists();
	test_bounds();
	if (chdir("..") != 0)
		return 99;
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command) == 0 ? tap_done() : 99;
}
