/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "qpu/emu_tmu.h"

unsigned
emu_tmu_request(struct emu_tmu_fifo *fifo, struct emu_memory *memory,
		const emu_vec *addresses)
{
	const unsigned tail = emu_tmu_tail(fifo);

	fifo->count++;
	fifo->ready[tail] = 0;
	return emu_memory_gather(memory, addresses, &fifo->words[tail]);
}

void
emu_tmu_load(struct emu_tmu_fifo *fifo, emu_vec *words)
{
	*words = fifo->words[fifo->head];
	fifo->head = (fifo->head + 1) % EMU_TMU_DEPTH;
	fifo->count--;
}
