/* SPDX-License-Identifier: MIT */
/*
 * pieces: all memory of an opened device, and when caches are flushed.
 *
 * A piece that the CPU has written to is flushed before the next launch, and
 * one with results is refreshed after it.  Refreshing loses what is written
 * during a launch, so results have pieces to which nobody writes meanwhile.
 *
 * Pieces are wiped before they go back, since the firmware gives them to others
 * as they are.  A wipe is a visit to the claims: a signal waits for its end, and
 * after the claims were released nothing is written any more.
 */
#ifndef QPU_DRIVER_PIECES_H
#define QPU_DRIVER_PIECES_H

#include <stdbool.h>
#include <stddef.h>

#include "qpu/driver/firmware_claims.h"
#include "qpu/driver/memory.h"

struct pieces {
	struct memory_source source;
	struct memory_piece rows[CLAIMS_PIECES];
	bool written[CLAIMS_PIECES]; /* since it was flushed */
	/* Bytes/s, measured with the first piece; 0 = not yet. */
	double write_rate, read_rate;
};

/* NULL and the reason. */
const struct device_memory *
pieces_take(struct pieces *, size_t bytes, struct diag *why_not);

void
pieces_give_back(struct pieces *, const struct device_memory *);

/* Wipe everything: nobody needs it any more. */
void
pieces_wipe(struct pieces *);

/* Give back everything, or keep it until the process ends. */
void
pieces_close(struct pieces *, bool keep);

/* The CPU has written to it. */
void
pieces_note_written(struct pieces *, const struct device_memory *);

/* Before a launch; false and errno. */
bool
pieces_flush(struct pieces *);

/* After a launch: those with results of programs[0..n).  False and errno. */
bool
pieces_refresh(struct pieces *, const struct device_program *programs,
	       unsigned n);

#endif
