/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/device_vcio_words.h"

#include <string.h>

static bool
is_word(const char *at, size_t len, const char *word)
{
	return len == strlen(word) && memcmp(at, word, len) == 0;
}

static bool
parse_word(struct words *words, const char *at, size_t len)
{
	if (is_word(at, len, "mailbox"))
		words->start = START_BY_MAILBOX;
	else if (is_word(at, len, "registers"))
		words->start = START_BY_REGISTERS;
	else if (is_word(at, len, "counters"))
		words->counts = true;
	else
		return false;
	return true;
}

bool
words_parse(struct words *words, const char *text, struct diag *why_not)
{
	*words = (struct words){ .start = START_CHEAPLY };
	while (*text) {
		const size_t len = strcspn(text, ",");

		if (!parse_word(words, text, len)) {
			diag_set(why_not, "'%.*s' is none of mailbox, "
				 "registers and counters", (int)len, text);
			return false;
		}
		text += len;
		if (*text == ',')
			text++;
	}
	return true;
}
