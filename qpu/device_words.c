/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/device_words.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/device.h"

enum {
	USUAL_MIB = 64,		/* of a Raspberry Pi's memory split */
	MOST_MIB = 1008
};

/* A piece of the words, not terminated. */
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

static bool
parse_fault(struct device_words *words, struct word value)
{
	static const struct {
		const char *name;
		enum device_fault fault;
	} kinds[] = {
		{ "lane",   DEVICE_WRONG_LANE },
		{ "stuck",  DEVICE_STUCK_QPU },
		{ "refuse", DEVICE_REFUSES },
		{ "alloc",  DEVICE_NO_MEMORY },
	};
	const char *at = memchr(value.at, '@', value.len);

	if (!at)
		return false;

	const struct word kind = { value.at, (size_t)(at - value.at) };
	const struct word when = { at + 1, value.len - kind.len - 1 };
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (word_is(kind, kinds[i].name))
			words->fault = kinds[i].fault;
	return words->fault != DEVICE_NO_FAULT &&
	       parse_number(when, 1, UINT64_MAX, &words->fault_at);
}

static bool
parse_value(struct device_words *words, struct word name, struct word value)
{
	uint64_t number;

	if (word_is(name, "qpus")) {
		if (!parse_number(value, 1, DEVICE_QPUS, &number))
			return false;
		words->qpus = (unsigned)number;
		return true;
	}
	if (word_is(name, "mem")) {
		if (!parse_number(value, 1, MOST_MIB, &number))
			return false;
		words->mem_mib = (unsigned)number;
		return true;
	}
	if (word_is(name, "seed"))
		return parse_number(value, 0, UINT64_MAX, &words->seed);
	return word_is(name, "fault") && parse_fault(words, value);
}

static bool
parse_word(struct device_words *words, struct word word)
{
	const char *equals = memchr(word.at, '=', word.len);

	if (equals) {
		const struct word name = {
			word.at, (size_t)(equals - word.at)
		};
		const struct word value = {
			equals + 1, word.len - name.len - 1
		};

		return parse_value(words, name, value);
	}
	if (word_is(word, "timed"))
		words->timed = true;
	else if (word_is(word, "check"))
		words->check = true;
	else
		return false;
	return true;
}

bool
device_words_parse(struct device_words *words, const char *text,
		   struct diag *why_not)
{
	*words = (struct device_words){
		.qpus = DEVICE_QPUS,
		.mem_mib = USUAL_MIB
	};
	while (*text) {
		const struct word word = { text, strcspn(text, ",") };

		if (!parse_word(words, word)) {
			diag_set(why_not, "'%.*s' is none of qpus=1..%u, "
				 "mem=1..%u, timed, check, seed=N and "
				 "fault=KIND@N with lane, stuck, refuse or "
				 "alloc", (int)word.len, word.at,
				 (unsigned)DEVICE_QPUS, (unsigned)MOST_MIB);
			return false;
		}
		text += word.len;
		if (*text == ',')
			text++;
	}
	return true;
}
