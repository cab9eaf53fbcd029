/* SPDX-License-Identifier: MIT */
/*
 * dma: transfers between memory and the VPM, VDR in and VDW out (sections
 * 11.7 to 11.9).
 *
 * A transfer's data move at its start; how long it takes is a matter of
 * emu_timing.  Setups are per QPU, UNSURE(U5).
 */
#ifndef QPU_EMU_DMA_H
#define QPU_EMU_DMA_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/emu_memory.h"
#include "qpu/emu_vpm.h"

struct emu_dma {
	uint32_t load;		/* last VDR setup, and its MPITCHB */
	uint32_t load_pitch;
	uint32_t store;		/* last VDW setup and stride setup */
	uint32_t store_stride;
};

/* What a transfer did, or how far it came. */
struct emu_transfer {
	uint32_t start;		/* bus address of the first row */
	uint32_t pitch;		/* from the start of a row to the next */
	unsigned rows;
	unsigned row_bytes;
	uint32_t bad;		/* the address that is nowhere */
};

/* Accept a word written to vr_setup or vw_setup; false: not a DMA setup. */
bool
emu_dma_setup_load(struct emu_dma *dma, uint32_t setup);
bool
emu_dma_setup_store(struct emu_dma *dma, uint32_t setup);

/* False if an address has no memory; nothing behind it is then moved. */
bool
emu_dma_load(const struct emu_dma *dma, struct emu_memory *memory,
	     struct emu_vpm *vpm, uint32_t bus_addr,
	     struct emu_transfer *transfer);
bool
emu_dma_store(const struct emu_dma *dma, struct emu_memory *memory,
	      const struct emu_vpm *vpm, uint32_t bus_addr,
	      struct emu_transfer *transfer);

/* Rows of the VPM that the last setup's transfer touches, as bits. */
uint64_t
emu_dma_load_rows(const struct emu_dma *dma);
uint64_t
emu_dma_store_rows(const struct emu_dma *dma);

#endif
