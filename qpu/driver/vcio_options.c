/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/driver/vcio_options.h"

#include <string.h>

/* A launch by the firmware costs 0.1 ms, during which the CPU is free; one by
 * registers costs nearly nothing, but the CPU has to poll for its end. */
static const double SHORT_MS = 1;

static bool
is_word(const char *at, size_t len, const char *word)
{
	return len == strlen(word) && memcmp(at, word, len) == 0;
}

static bool
parse_option(struct vcio_options *options, const char *at, size_t len)
{
	if (is_word(at, len, "mailbox"))
		options->start = START_BY_MAILBOX;
	else if (is_word(at, len, "registers"))
		options->start = START_BY_REGISTERS;
	else if (is_word(at, len, "short"))
		options->start = START_SHORT;
	else if (is_word(at, len, "counters"))
		options->counts = true;
	else
		return false;
	return true;
}

bool
vcio_options_parse(struct vcio_options *options, const char *text,
		   struct diag *why_not)
{
	*options = (struct vcio_options){ .start = START_CHEAPLY };
	while (*text) {
		const size_t len = strcspn(text, ",");

		if (!parse_option(options, text, len)) {
			diag_set(why_not,
				 "'%.*s' is none of mailbox, "
				 "registers, short and counters",
				 (int)len, text);
			return false;
		}
		text += len;
		if (*text == ',')
			text++;
	}
	return true;
}

/*
 * A process that waits for the firmware dies only when the firmware has
 * answered; one that waits for registers dies at once by SIGKILL.  The kernel
 * would then give its memory to others while programs still write to it, so
 * with the kernel's memory registers are used on request only.  The firmware
 * keeps its own memory.
 */
bool
vcio_options_want_registers(const struct vcio_options *options,
			    enum memory_kind memory, double expected_ms)
{
	const bool is_short = expected_ms > 0 && expected_ms <= SHORT_MS;

	switch (options->start) {
	case START_CHEAPLY: return memory == MEMORY_DEV_MEM && is_short;
	case START_SHORT: return is_short;
	case START_BY_REGISTERS: return true;
	case START_BY_MAILBOX: break;
	}
	return false;
}
