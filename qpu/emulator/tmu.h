/* SPDX-License-Identifier: MIT */
/*
 * tmu: the FIFOs between a QPU and its two texture units, used for memory
 * lookups only (section 9).  Caches and latencies are modelled in units.c.
 */
#ifndef QPU_EMULATOR_TMU_H
#define QPU_EMULATOR_TMU_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/emulator/base/vector.h"

/* Eight fit; only four are reliable on hardware (checking mode says so). */
enum { EMU_TMU_DEPTH = 8, EMU_TMU_RELIABLE = 4 };

struct emu_tmu_fifo {
	emu_vec words[EMU_TMU_DEPTH];
	uint64_t ready[EMU_TMU_DEPTH]; /* modelled clock of the result */
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

/* Room for the result of one more request; the FIFO is not full. */
static inline emu_vec *
emu_tmu_push(struct emu_tmu_fifo *fifo)
{
	const unsigned tail = emu_tmu_tail(fifo);

	fifo->count++;
	fifo->ready[tail] = 0;
	return &fifo->words[tail];
}

/* The oldest result; the FIFO is not empty. */
static inline void
emu_tmu_pop(struct emu_tmu_fifo *fifo, emu_vec *words)
{
	*words = fifo->words[fifo->head];
	fifo->head = (fifo->head + 1) % EMU_TMU_DEPTH;
	fifo->count--;
}

#endif
