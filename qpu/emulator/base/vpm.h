/* SPDX-License-Identifier: MIT */
/*
 * vpm: the 64 x 16 words that all QPUs share, and the two generic access
 * ports of each QPU (sections 11.1 to 11.6).
 */
#ifndef QPU_EMULATOR_BASE_VPM_H
#define QPU_EMULATOR_BASE_VPM_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/emulator/base/vector.h"

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

/* Section 11.3: decode a setup of ID 0. */
void
emu_vpm_decode(uint32_t setup, struct emu_vpm_block *block);

/* Queue a read setup; false if the hardware ignores it (11.6). */
bool
emu_vpm_setup_read(struct emu_vpm_ports *ports, uint32_t setup);

/* Rows that the next vector of a block touches, as bits. */
uint64_t
emu_vpm_rows(const struct emu_vpm_block *block);

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

#endif
