/* SPDX-License-Identifier: MIT */
/*
 * buffers: all memory of an opened device, and when caches are flushed.
 *
 * A buffer that the CPU has written to is flushed before the next launch, and
 * one with results is refreshed after it.  Refreshing loses what is written
 * during a launch, so results have buffers to which nobody writes meanwhile.
 *
 * Buffers are wiped before they go back, since the firmware gives them to
 * others as they are.  A wipe is a critical section (held.h): a
 * signal waits for its end, and after held_release nothing is
 * written any more.
 */
#ifndef QPU_WAYS_BUFFERS_H
#define QPU_WAYS_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>

#include "qpu/ways/buffer.h"
#include "qpu/ways/held.h"

enum { BUFFERS_MOST = 216 };

struct buffers {
	struct buffer_source source;
	struct buffer rows[BUFFERS_MOST];
	bool written[BUFFERS_MOST]; /* since it was flushed */
	/* Bytes/s, measured with the first buffer; 0 = not yet. */
	double write_rate, read_rate;
};

/* NULL and the reason. */
const struct device_memory *
buffers_take(struct buffers *, size_t bytes, struct diag *why_not);

void
buffers_give_back(struct buffers *, const struct device_memory *);

/* Wipe everything: nobody needs it any more. */
void
buffers_wipe(struct buffers *);

/* Give back everything, or keep it until the process ends. */
void
buffers_close(struct buffers *, bool keep);

/* The CPU has written to this memory. */
void
buffers_note_written(struct buffers *, const struct device_memory *);

/* Before a launch; false and errno. */
bool
buffers_flush(struct buffers *);

/* After a launch: refresh those with results of programs[0..n).  False and
 * errno. */
bool
buffers_refresh(struct buffers *, const struct device_program *programs,
		unsigned n);

#endif
