/* SPDX-License-Identifier: MIT */
/*
 * vpm: the 64 x 16 words that all QPUs share, the two generic access ports of
 * each QPU (the guide, VPM), and the DMA between them and memory, VDR in
 * and VDW out (the guide, DMA loads and stores).
 */
#ifndef QPU_EMULATOR_BASE_VPM_H
#define QPU_EMULATOR_BASE_VPM_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/emulator/base/memory.h"
#include "qpu/isa/isa.h"

enum { EMU_VPM_ROWS = 64, EMU_VPM_SETUPS = 2 };

struct emu_vpm {
	emu_vec row[EMU_VPM_ROWS];
	unsigned rows; /* reserved for user programs (VPMBASE) */
};

/* A generic block setup; addr advances by stride at each vector. */
struct emu_vpm_block {
	uint8_t addr, stride;
	bool horizontal, laned;
	uint8_t size; /* log2 of the bytes of an element */
	uint8_t left; /* vectors to read */
};

struct emu_vpm_ports {
	struct emu_vpm_block write;
	struct emu_vpm_block read[EMU_VPM_SETUPS]; /* oldest first */
	unsigned nreads;
};

/* The guide, VPM: decode a setup of ID 0. */
void
emu_vpm_decode(uint32_t setup, struct emu_vpm_block *block);

/* Queue a read setup; false if the hardware ignores it. */
bool
emu_vpm_setup_read(struct emu_vpm_ports *ports, uint32_t setup);

/* Words that the next vector of a block touches, as indices of all of them. */
void
emu_vpm_words(const struct emu_vpm_block *block, uint16_t words[EMU_LANES]);

/* Vectors that can still be read. */
unsigned
emu_vpm_readable(const struct emu_vpm_ports *ports);

/* One vector; false if it lies outside the reserved rows. */
bool
emu_vpm_read(const struct emu_vpm *vpm, struct emu_vpm_ports *ports,
	     emu_vec *value);
bool
emu_vpm_write(struct emu_vpm *vpm, struct emu_vpm_ports *ports,
	      const emu_vec *value);

/* --- DMA: dma.c ----------------------------------------------------------- */

/*
 * A transfer moves its data when it starts; units.c models how long it takes.
 * Setups are per QPU, UNSURE(U5).
 */

/* Bits of the extended pitch of a load, and of the stride of a store. */
enum { EMU_DMA_PITCH_MASK = 0x3fff, EMU_DMA_STRIDE_MASK = 0xffff };

struct emu_dma {
	uint32_t load; /* last VDR setup, and its MPITCHB */
	uint32_t load_pitch;
	uint32_t store; /* last VDW setup and stride setup */
	uint32_t store_stride;
};

/* A transfer that was made, as far as it came. */
struct emu_transfer {
	uint32_t start; /* bus address of the first row */
	uint32_t pitch; /* from the start of a row to the next */
	unsigned rows;
	unsigned row_bytes;
	uint32_t bad; /* the address outside of memory */
};

/* Take a word written to vr_setup or vw_setup, if it is for the DMA.  Return false for
 * a pitch or stride that does not fit its field. */
bool
emu_dma_setup(struct emu_dma *dma, enum qpu_setup kind, uint32_t setup);

/* Return true if the pitch of a load is the one of MPITCHB. */
static inline bool
emu_dma_has_pitch(const struct emu_dma *dma)
{
	return !(dma->load >> 24 & 15);
}

/* Return true if the last setup's transfer goes beyond row 63. */
bool
emu_dma_wraps(const struct emu_dma *dma, bool store);

/* Transfer rows until one has no memory, and return false then.  A load does not
 * write rows that are not for user programs (VPMBASE), as the guide says; this has
 * not been measured. */
bool
emu_dma_load(const struct emu_dma *dma, struct emu_memory *memory,
	     struct emu_vpm *vpm, uint32_t bus_addr,
	     struct emu_transfer *transfer);
bool
emu_dma_store(const struct emu_dma *dma, struct emu_memory *memory,
	      const struct emu_vpm *vpm, uint32_t bus_addr,
	      struct emu_transfer *transfer);

/* Words of the VPM that the last setup's transfer touches, as bits of each row. */
void
emu_dma_words(const struct emu_dma *dma, bool store,
	      uint16_t columns[EMU_VPM_ROWS]);

#endif
