/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/base/vpm.h"

#include <string.h>

/* The place of a lane of a vector in the VPM. */
struct place {
	unsigned row, column;
	unsigned shift; /* of the sub-word */
};

void
emu_vpm_decode(uint32_t setup, struct emu_vpm_block *block)
{
	const unsigned size = setup >> 8 & 3;
	const unsigned stride = setup >> 12 & 63;
	const unsigned vectors = setup >> 20 & 15;

	block->addr = setup & 0xff;
	block->stride = stride ? stride : 64;
	block->horizontal = setup >> 11 & 1;
	block->laned = setup >> 10 & 1;
	block->size = size < 2 ? size : 2;
	block->left = vectors ? vectors : 16;
}

bool
emu_vpm_setup_read(struct emu_vpm_ports *ports, uint32_t setup)
{
	/* A set-up is taken only beside one that is nearly finished. */
	if (ports->nreads == EMU_VPM_SETUPS ||
	    (ports->nreads && ports->read[0].left > 1))
		return false;
	emu_vpm_decode(setup, &ports->read[ports->nreads++]);
	return true;
}

unsigned
emu_vpm_readable(const struct emu_vpm_ports *ports)
{
	unsigned left = 0;

	for (unsigned i = 0; i < ports->nreads; i++)
		left += ports->read[i].left;
	return left;
}

/* The place of a lane (the guide, VPM). */
static struct place
lane_place(const struct emu_vpm_block *block, unsigned lane)
{
	const unsigned parts = 4u >> block->size; /* elements in a word */
	const unsigned bits = 8u << block->size;
	const unsigned sub = block->addr & (parts - 1);
	const unsigned addr = block->addr / parts & 63;
	const unsigned word = block->laned || parts == 1 ?
				      lane :
				      16 / parts * sub + lane / parts;
	const unsigned part = parts == 1   ? 0 :
			      block->laned ? sub :
					     lane % parts;
	struct place place = { .shift = part * bits };

	if (block->horizontal) {
		place.row = addr;
		place.column = word;
	} else {
		place.row = (addr & 0x30) + word;
		place.column = addr & 15;
	}
	return place;
}

void
emu_vpm_words(const struct emu_vpm_block *block, uint16_t words[EMU_LANES])
{
	for (unsigned i = 0; i < EMU_LANES; i++) {
		const struct place place = lane_place(block, i);

		words[i] = EMU_LANES * place.row + place.column;
	}
}

static uint32_t
lane_mask(const struct emu_vpm_block *block)
{
	return 0xffffffffu >> (32 - (8u << block->size));
}

static inline bool
is_whole_row(const struct emu_vpm_block *block)
{
	return block->horizontal && block->size == 2;
}

bool
emu_vpm_read(const struct emu_vpm *vpm, struct emu_vpm_ports *ports,
	     emu_vec *value)
{
	struct emu_vpm_block *block = &ports->read[0];
	bool inside = true;

	if (is_whole_row(block)) {
		*value = vpm->row[block->addr & 63];
		inside = (block->addr & 63) < vpm->rows;
	} else {
		for (unsigned i = 0; i < EMU_LANES; i++) {
			const struct place place = lane_place(block, i);

			(*value)[i] = vpm->row[place.row][place.column] >>
					      place.shift &
				      lane_mask(block);
			inside = inside && place.row < vpm->rows;
		}
	}
	block->addr += block->stride;
	if (--block->left == 0) {
		ports->read[0] = ports->read[1];
		ports->nreads--;
	}
	return inside;
}

bool
emu_vpm_write(struct emu_vpm *vpm, struct emu_vpm_ports *ports,
	      const emu_vec *value)
{
	struct emu_vpm_block *block = &ports->write;
	bool inside = true;

	if (is_whole_row(block)) {
		const unsigned row = block->addr & 63;

		inside = row < vpm->rows;
		if (inside)
			vpm->row[row] = *value;
		block->addr += block->stride;
		return inside;
	}
	for (unsigned i = 0; i < EMU_LANES; i++) {
		const struct place place = lane_place(block, i);
		const uint32_t mask = lane_mask(block) << place.shift;

		if (place.row >= vpm->rows) {
			inside = false;
			continue;
		}
		vpm->row[place.row][place.column] =
			(vpm->row[place.row][place.column] & ~mask) |
			((*value)[i] << place.shift & mask);
	}
	block->addr += block->stride;
	return inside;
}
