/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/device_vcio_words.h"

#include <string.h>

/* A launch by the firmware costs 0.1 ms, during which the CPU is free; one by
 * registers nearly nothing, but the CPU has to look whether it has ended. */
static const double SHORT_MS = 1;

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

/*
 * Who waits for the firmware cannot be killed before it has answered; who
 * waits for registers can, by SIGKILL.  The kernel would then give its memory
 * to others while programs still write to it, so that they are not started in
 * this way unless the user wishes.  The firmware keeps its own memory.
 */
bool
words_want_registers(const struct words *words, enum board_memory memory,
		     double expected_ms)
{
	if (words->start == START_CHEAPLY)
		return memory == BOARD_DEV_MEM && expected_ms > 0 &&
		       expected_ms <= SHORT_MS;
	return words->start == START_BY_REGISTERS;
}
