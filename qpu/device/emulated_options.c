/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/device/emulated_options.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/device/device.h"

enum {
	USUAL_MIB = 64, /* of a Raspberry Pi's memory split */
	MOST_MIB = 1008,
	DEVICE_LANES = 16
};

/* A part of the text, not terminated. */
struct word {
	const char *at;
	size_t len;
};

static bool
word_is(struct word word, const char *text)
{
	return word.len == strlen(text) && memcmp(word.at, text, word.len) == 0;
}

static bool
parse_number(struct word word, uint64_t min, uint64_t max, uint64_t *number)
{
	*number = 0;
	if (word.len == 0)
		return false;
	for (size_t i = 0; i < word.len; i++) {
		const unsigned digit = (unsigned char)word.at[i] - '0';

		if (digit > 9 || *number > (UINT64_MAX - digit) / 10)
			return false;
		*number = *number * 10 + digit;
	}
	return *number >= min && *number <= max;
}

/* LAUNCH or LAUNCH.QPU.LANE */
static bool
parse_place(struct emulated_options *options, struct word at)
{
	const char *end = at.at + at.len;
	const char *dot = memchr(at.at, '.', at.len);
	const struct word launch = { at.at,
				     dot ? (size_t)(dot - at.at) : at.len };
	uint64_t qpu, lane;

	if (!parse_number(launch, 1, UINT64_MAX, &options->fault_at))
		return false;
	if (!dot)
		return true;

	const struct word rest = { dot + 1, (size_t)(end - dot - 1) };
	dot = memchr(rest.at, '.', rest.len);
	if (!dot)
		return false;
	const struct word first = { rest.at, (size_t)(dot - rest.at) };
	const struct word second = { dot + 1, (size_t)(end - dot - 1) };
	if (!parse_number(first, 0, DEVICE_QPUS - 1, &qpu) ||
	    !parse_number(second, 0, DEVICE_LANES - 1, &lane))
		return false;
	options->fault_names_lane = true;
	options->fault_qpu = (unsigned)qpu;
	options->fault_lane = (unsigned)lane;
	return true;
}

static bool
parse_fault(struct emulated_options *options, struct word value)
{
	static const struct {
		const char *name;
		enum device_fault fault;
	} kinds[] = {
		{ "lane", DEVICE_WRONG_LANE },
		{ "once", DEVICE_WRONG_ONCE },
		{ "stores", DEVICE_STORES_LOST },
		{ "row", DEVICE_ROW_LOST },
		{ "stale", DEVICE_STALE_RESULTS },
		{ "swap", DEVICE_LANES_SWAPPED },
		{ "short", DEVICE_BLOCK_TOO_FEW },
		{ "nothing", DEVICE_RAN_NOTHING },
		{ "data", DEVICE_CORRUPT_BEFORE },
		{ "late", DEVICE_CORRUPT_LATE },
		{ "stuck", DEVICE_STUCK_QPU },
		{ "refuse", DEVICE_REFUSES },
		{ "alloc", DEVICE_NO_MEMORY },
	};
	const char *at = memchr(value.at, '@', value.len);

	if (!at)
		return false;

	const struct word kind = { value.at, (size_t)(at - value.at) };
	const struct word when = { at + 1, value.len - kind.len - 1 };
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (word_is(kind, kinds[i].name))
			options->fault = kinds[i].fault;
	return options->fault != DEVICE_NO_FAULT && parse_place(options, when);
}

static bool
parse_value(struct emulated_options *options, struct word name,
	    struct word value)
{
	uint64_t number;

	if (word_is(name, "qpus")) {
		if (!parse_number(value, 1, DEVICE_QPUS, &number))
			return false;
		options->qpus = (unsigned)number;
		return true;
	}
	if (word_is(name, "mem")) {
		if (!parse_number(value, 1, MOST_MIB, &number))
			return false;
		options->mem_mib = (unsigned)number;
		return true;
	}
	if (word_is(name, "seed"))
		return parse_number(value, 0, UINT64_MAX, &options->seed);
	return word_is(name, "fault") && parse_fault(options, value);
}

static bool
parse_word(struct emulated_options *options, struct word word)
{
	const char *equals = memchr(word.at, '=', word.len);

	if (equals) {
		const struct word name = { word.at,
					   (size_t)(equals - word.at) };
		const struct word value = { equals + 1,
					    word.len - name.len - 1 };

		return parse_value(options, name, value);
	}
	if (word_is(word, "timed"))
		options->timed = true;
	else if (word_is(word, "check"))
		options->check = true;
	else
		return false;
	return true;
}

bool
emulated_options_parse(struct emulated_options *options, const char *text,
		       struct diag *why_not)
{
	*options = (struct emulated_options){ .qpus = DEVICE_QPUS,
					      .mem_mib = USUAL_MIB };
	while (*text) {
		const struct word word = { text, strcspn(text, ",") };

		if (!parse_word(options, word)) {
			diag_set(why_not,
				 "'%.*s' is none of qpus=1..%u, "
				 "mem=1..%u, timed, check, seed=N and "
				 "fault=KIND@N[.QPU.LANE] with lane, once, "
				 "stores, row, stale, swap, short, nothing, "
				 "data, late, stuck, refuse or alloc",
				 (int)word.len, word.at, (unsigned)DEVICE_QPUS,
				 (unsigned)MOST_MIB);
			return false;
		}
		text += word.len;
		if (*text == ',')
			text++;
	}
	return true;
}
