/* SPDX-License-Identifier: MIT */
/*
 * words: the options of the real device, as in --device=qpu:mailbox,counters.
 */
#ifndef QPU_DEVICE_VCIO_WORDS_H
#define QPU_DEVICE_VCIO_WORDS_H

#include <stdbool.h>

#include "qpu/board.h"
#include "src/diag.h"

/* How programs are started. */
enum words_start {
	START_CHEAPLY,		/* by registers when short and without
				 * danger, else by mailbox */
	START_BY_MAILBOX,	/* "mailbox" */
	START_BY_REGISTERS	/* "registers" */
};

struct words {
	enum words_start start;	/* the last one named */
	bool counts;		/* "counters": of the hardware */
};

/* False and the reason. */
bool
words_parse(struct words *, const char *text, struct diag *why_not);

/* Is a launch that is expected to take so long (0 = unknown), with this
 * memory, one for the registers? */
bool
words_want_registers(const struct words *, enum board_memory,
		     double expected_ms);

#endif
