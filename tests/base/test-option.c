/* SPDX-License-Identifier: MIT */
/*
 * Promise: a row of a table of options says what its values are: they are
 * stored, and others are refused with a reason.
 */
#include "config.h"

#include "src/base/option.h"

#include "tests/support/tap.h"

enum format { FORMAT_BIN, FORMAT_HEX, FORMAT_C };

struct fields {
	bool flag, check;
	enum format format, constant;
	unsigned count, size;
	uint64_t seed;
	const char *text, *listing;
	struct option_texts texts;
	char letter;
};

static const char *const formats[] = {
	[FORMAT_BIN] = "bin", [FORMAT_HEX] = "hex", [FORMAT_C] = "c", NULL
};
static const char *const listings[] = { "", "details", NULL };

static const struct {
	unsigned number;
	const char *name;
} things[] = { { 1, "one" }, { 2, "two" }, { 0, NULL } };

static bool
parse_letter(void *field, const char *value, struct diag *why)
{
	*(char *)field = *value;
	diag_set(why, "'%s' is not a letter", value);
	return *value && !value[1];
}

#define FIELD(member) OPTION_FIELD(struct fields, member)

static const struct option_row rows[] = {
	{ .name = "flag", FIELD(flag) },
	{ .name = "no-check", .kind = OPTION_CLEAR, FIELD(check) },
	{ .name = "c",
	  .kind = OPTION_CONSTANT,
	  FIELD(constant),
	  .constant = FORMAT_C },
	{ .name = "format",
	  .kind = OPTION_WORD,
	  FIELD(format),
	  .words = formats,
	  .argument = "bin|hex|c" },
	{ .name = "thing",
	  .kind = OPTION_WORD,
	  FIELD(count),
	  .words = &things[0].name,
	  .stride = sizeof(*things),
	  .argument = "THING" },
	{ .name = "size",
	  .kind = OPTION_UNSIGNED,
	  FIELD(size),
	  .min = 1,
	  .max = 1008,
	  .argument = "1..1008" },
	{ .name = "count",
	  .kind = OPTION_UNSIGNED,
	  FIELD(count),
	  .argument = "N" },
	{ .name = "seed", .kind = OPTION_NUMBER, FIELD(seed), .argument = "N" },
	{ .name = "text", .kind = OPTION_TEXT, FIELD(text), .argument = "FILE" },
	{ .name = "list",
	  .kind = OPTION_TEXT,
	  FIELD(listing),
	  .words = listings,
	  .argument = "details",
	  .alone = "" },
	{ .name = "texts",
	  .kind = OPTION_TEXTS,
	  FIELD(texts),
	  .argument = "DIR" },
	{ .name = "letter",
	  .kind = OPTION_PARSED,
	  FIELD(letter),
	  .parse = parse_letter,
	  .argument = "LETTER" },
	{ .name = NULL }
};

static bool
set(const char *name, struct fields *fields, const char *value,
    struct diag *why)
{
	return option_set(option_find(rows, name, strlen(name)), fields, value,
			  why);
}

static void
check_refused(void)
{
	static const struct {
		const char *name, *value, *why;
	} refused[] = {
		{ "format", "x", "--format is bin, hex or c, not 'x'" },
		{ "thing", "three", "--thing is one or two, not 'three'" },
		{ "size", "0", "'0' is not a number between 1 and 1008" },
		{ "size", "1009", "'1009' is not a number between 1 and 1008" },
		{ "size", "0x10", "'0x10' is not a number between 1 and 1008" },
		{ "size", "5 ", "'5 ' is not a number between 1 and 1008" },
		{ "count", "-1", "'-1' is not a number" },
		{ "count", "4294967296", "'4294967296' is not a number" },
		{ "seed", "18446744073709551616",
		  "'18446744073709551616' is not a number" },
		{ "seed", "0x", "'0x' is not a number" },
		{ "seed", "0x10000000000000000",
		  "'0x10000000000000000' is not a number" },
		{ "list", "more", "--list is  or details, not 'more'" },
		{ "letter", "ab", "'ab' is not a letter" },
	};

	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		struct fields fields = { .size = 7 };
		struct diag why = { .text = "" };

		ok(!set(refused[i].name, &fields, refused[i].value, &why) &&
			   strcmp(why.text, refused[i].why) == 0 &&
			   fields.size == 7,
		   "refused: %s", refused[i].why);
	}
}

static void
check_numbers(void)
{
	static const struct {
		const char *name, *value;
		uint64_t number;
	} numbers[] = {
		{ "size", "1", 1 },
		{ "size", "1008", 1008 },
		{ "size", "0007", 7 },
		{ "count", "0", 0 },
		{ "count", "4294967295", UINT32_MAX },
		{ "seed", "18446744073709551615", UINT64_MAX },
		{ "seed", "0xffffFFFFffffFFFF", UINT64_MAX },
		{ "seed", "0x1aB", 0x1ab },
		{ "seed", "010", 10 },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		struct fields fields = { .size = 99999 };
		const bool good =
			set(numbers[i].name, &fields, numbers[i].value, NULL);
		const uint64_t got = *numbers[i].name == 's' &&
						     numbers[i].name[1] == 'i' ?
					     fields.size :
				     *numbers[i].name == 'c' ? fields.count :
							       fields.seed;

		ok(good && got == numbers[i].number, "--%s=%s is stored",
		   numbers[i].name, numbers[i].value);
	}
}

static void
check_values(void)
{
	struct fields fields = { .check = true };
	struct diag why;
	unsigned good = 0;

	ok(set("flag", &fields, NULL, NULL) && fields.flag &&
		   set("no-check", &fields, NULL, NULL) && !fields.check &&
		   set("c", &fields, NULL, NULL) && fields.constant == FORMAT_C,
	   "options without a value set, clear, or store a constant");
	ok(set("format", &fields, "hex", NULL) && fields.format == FORMAT_HEX &&
		   set("thing", &fields, "two", NULL) && fields.count == 1,
	   "a word is stored as its index in a list, or in a table");
	ok(set("text", &fields, "a", NULL) && strcmp(fields.text, "a") == 0 &&
		   set("letter", &fields, "z", NULL) && fields.letter == 'z',
	   "a text is stored as it is, other values as their parser does");
	ok(set("list", &fields, NULL, NULL) && !*fields.listing &&
		   set("list", &fields, "details", NULL) &&
		   strcmp(fields.listing, "details") == 0,
	   "an option may have a value of its own if none is given");
	for (unsigned i = 0; i < OPTION_TEXTS_MAX; i++)
		good += set("texts", &fields, formats[i % 3], NULL);
	ok(good == 32 && fields.texts.n == 32 &&
		   fields.texts.rows[31] == formats[1] &&
		   !set("texts", &fields, "one more", &why) &&
		   strcmp(why.text, "more than 32 times the same option") == 0,
	   "32 values of one option are kept, and one more is refused");
	ok(!option_find(rows, "fla", 3) && !option_find(rows, "flags", 5) &&
		   option_find(rows, "flagx", 4) == rows,
	   "an option is found by its whole name");
}

static void
check_words(void)
{
	static const struct option_row words[] = { { .name = "size",
						     .kind = OPTION_UNSIGNED,
						     FIELD(size),
						     .min = 1,
						     .max = 12,
						     .argument = "1..12" },
						   { .name = "timed",
						     FIELD(flag) },
						   { .name = "seed",
						     .kind = OPTION_NUMBER,
						     FIELD(seed),
						     .argument = "N" },
						   { .name = NULL } };
	static const char *const refused[] = {
		"time",	  "timed=1",	   "size",   "size=",	 "size=13", "=",
		",timed", "timed,,size=1", "seed=x", "timed =1", "sizes=1"
	};
	struct fields fields = { .size = 0 };
	struct diag why;
	unsigned n = 0;

	ok(option_parse_words(words, &fields, "", NULL) &&
		   option_parse_words(words, &fields, "timed,size=5,seed=7",
				      NULL) &&
		   fields.flag && fields.size == 5 && fields.seed == 7,
	   "words are names, and names with values");
	ok(option_parse_words(words, &fields, "size=6,size=8,", NULL) &&
		   fields.size == 8,
	   "the last value holds, and a comma may end the words");
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		n += !option_parse_words(words, &fields, refused[i], NULL);
	ok(n == sizeof(refused) / sizeof(*refused),
	   "words that are not in the table or have no valid value are "
	   "refused (%u)",
	   n);
	option_parse_words(words, &fields, "timed,size=13,x", &why);
	is(why.text, "'size=13' is none of size=1..12, timed and seed=N",
	   "the message of a wrong word has it, and what is valid");
}

int
main(void)
{
	check_refused();
	check_numbers();
	check_values();
	check_words();
	return tap_done();
}
