/* SPDX-License-Identifier: MIT */
/*
 * tmu: the FIFOs between a QPU and its two texture units, used for memory
 * lookups only (section 9).  Caches and latencies are emu_timing's.
 */
#ifndef QPU_EMU_TMU_H
#define QPU_EMU_TMU_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/emu_memory.h"

/* Eight fit; only four are reliable on hardware (checking mode says so). */
enum { EMU_TMU_DEPTH = 8, EMU_TMU_RELIABLE = 4 };

struct emu_tmu_fifo {
	emu_vec words[EMU_TMU_DEPTH];
	uint64_t ready[EMU_TMU_DEPTH];	/* modelled clock of the result */
	uint8_t head, count;
};

/* Which unit of the slice a QPU's TMU 0 or 1 is: the swap of section 9. */
static inline unsigned
emu_tmu_unit(unsigned qpu, bool noswap, unsigned tmu)
{
	return tmu ^ (!noswap && (qpu & 2));
}

static inline unsigned
emu_tmu_tail(const struct emu_tmu_fifo *fifo)
{
	return (fifo->head + fifo->count) % EMU_TMU_DEPTH;
}

/* The FIFO has room.  Memory is read now; returns as emu_memory_gather. */
unsigned
emu_tmu_request(struct emu_tmu_fifo *fifo, struct emu_memory *memory,
		const emu_vec *addresses);

/* The FIFO is not empty. */
void
emu_tmu_load(struct emu_tmu_fifo *fifo, emu_vec *words);

#endif
