/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/base/vpm.h"

#include <string.h>

/*
 * MODEW 1 of a load is the extended pitch.  The guide prints 13 bits; sgemm of
 * py-videocore is right on boards with a pitch of 12288 bytes, and qmkl saw errors
 * from 16384 on: 14 bits.
 */
bool
emu_dma_setup(struct emu_dma *dma, enum qpu_setup kind, uint32_t setup)
{
	switch (kind) {
	case QPU_SETUP_LOAD: dma->load = setup; return true;
	case QPU_SETUP_PITCH:
		dma->load_pitch = setup & EMU_DMA_PITCH_MASK;
		return !(setup & 0xfffffff & ~EMU_DMA_PITCH_MASK);
	case QPU_SETUP_STORE: dma->store = setup; return true;
	case QPU_SETUP_STRIDE:
		dma->store_stride = setup;
		return !(setup >> 17 & 0x1fff);
	default: return true;
	}
}

/* A mode of 0 means words, 2..3 halves, 4..7 bytes: size and sub-word. */
static unsigned
mode_bytes(unsigned mode)
{
	return mode >= 4 ? 1 : mode >= 2 ? 2 : 4;
}

static unsigned
mode_sub(unsigned mode)
{
	return mode >= 4 ? mode & 3 : mode >= 2 ? mode & 1 : 0;
}

/* Return the memory of the next row, and count the row. */
static uint8_t *
next_row(struct emu_memory *memory, struct emu_transfer *transfer)
{
	const uint32_t addr =
		transfer->start + transfer->rows * transfer->pitch;
	uint8_t *host = emu_memory_at(memory, addr, transfer->row_bytes);

	if (host)
		transfer->rows++;
	else
		transfer->bad = addr;
	return host;
}

/* The fields of a load's set-up. */
struct load {
	unsigned bytes; /* of an element */
	unsigned parts; /* elements of a word */
	unsigned rows, length;
	unsigned first, step; /* in parts of words */
	bool vertical;
};

static unsigned
or_16(unsigned field)
{
	return field ? field : 16;
}

/* Rows step through {Y, sub-word}; UNSURE(U6) for bytes and halves. */
static struct load
decode_load(uint32_t setup)
{
	const unsigned mode = setup >> 28 & 7;
	const unsigned parts = 4 / mode_bytes(mode);

	return (struct load){
		.bytes = mode_bytes(mode),
		.parts = parts,
		.rows = or_16(setup >> 16 & 15),
		.length = or_16(setup >> 20 & 15),
		.first = (setup >> 4 & 127) * parts + mode_sub(mode),
		.step = or_16(setup >> 12 & 15),
		.vertical = setup >> 11 & 1,
	};
}

bool
emu_dma_load(const struct emu_dma *dma, struct emu_memory *memory,
	     struct emu_vpm *vpm, uint32_t bus_addr,
	     struct emu_transfer *transfer)
{
	const struct load load = decode_load(dma->load);
	const unsigned mpitch = dma->load >> 24 & 15;
	const unsigned x = dma->load & 15;
	unsigned position = load.first;

	*transfer = (struct emu_transfer){
		.start = bus_addr,
		.pitch = mpitch ? 8u << mpitch : dma->load_pitch,
		.row_bytes = load.length * load.bytes,
	};
	for (unsigned r = 0; r < load.rows; r++, position += load.step) {
		const uint8_t *from = next_row(memory, transfer);
		const unsigned y = position / load.parts;

		if (!from)
			return false;
		for (unsigned i = 0; i < load.length; i++) {
			const unsigned row = load.vertical ? y + i : y;
			const unsigned column = load.vertical ? x : x + i;

			if (row % EMU_VPM_ROWS >= vpm->rows)
				continue;
			memcpy((uint8_t *)&vpm->row[row % EMU_VPM_ROWS] +
				       column % 16 * 4 +
				       position % load.parts * load.bytes,
			       from + i * load.bytes, load.bytes);
		}
	}
	return true;
}

static unsigned
store_units(uint32_t setup)
{
	return (setup >> 23 & 127) ? setup >> 23 & 127 : 128;
}

static unsigned
store_depth(uint32_t setup)
{
	return (setup >> 16 & 127) ? setup >> 16 & 127 : 128;
}

/*
 * The row of the VPM that an element of a unit comes from, not reduced to those
 * that there are.
 *
 * Block mode (bit 16 of the stride setup) changes nothing here: each unit comes
 * from the next whole row (QPULib stores 16 rows of 16 words in this way, and
 * VC4C says the same); what it does to columns is not known.  A column ends
 * with its block of 16 rows: depth 32 stores the same 16 words twice (vc4asm,
 * issue 27).
 */
static unsigned
store_row(uint32_t setup, unsigned unit, unsigned i)
{
	const unsigned y = setup >> 7 & 127;
	const unsigned x = setup >> 3 & 15;
	/* A long row goes on in the next one; UNSURE(U6). */
	return setup >> 14 & 1 ?
		       y + unit + (x + i) / 16 :
		       (y & ~15u) + (y + i) % 16 + (x + unit) / 16 * 16;
}

/* One unit of a store, gathered from the VPM. */
static void
store_unit(const struct emu_vpm *vpm, uint32_t setup, unsigned unit,
	   unsigned depth, uint8_t *to)
{
	const unsigned mode = setup & 7;
	const unsigned bytes = mode_bytes(mode);
	const unsigned x = setup >> 3 & 15;

	for (unsigned i = 0; i < depth; i++) {
		const emu_vec *row =
			&vpm->row[store_row(setup, unit, i) % EMU_VPM_ROWS];
		const unsigned column = x + (setup >> 14 & 1 ? i : unit);

		memcpy(to + i * bytes,
		       (const uint8_t *)row + column % 16 * 4 +
			       mode_sub(mode) * bytes,
		       bytes);
	}
}

bool
emu_dma_store(const struct emu_dma *dma, struct emu_memory *memory,
	      const struct emu_vpm *vpm, uint32_t bus_addr,
	      struct emu_transfer *transfer)
{
	const uint32_t setup = dma->store;
	const unsigned units = store_units(setup);
	const unsigned depth = store_depth(setup);
	const unsigned row_bytes = depth * mode_bytes(setup & 7);
	const uint32_t stride = dma->store_stride & EMU_DMA_STRIDE_MASK;

	*transfer = (struct emu_transfer){
		.start = bus_addr,
		.pitch = row_bytes + stride,
		.row_bytes = row_bytes,
	};
	for (unsigned unit = 0; unit < units; unit++) {
		uint8_t *to = next_row(memory, transfer);

		if (!to)
			return false;
		store_unit(vpm, setup, unit, depth, to);
	}
	return true;
}

static void
words_of_load(const struct load *load, unsigned x,
	      uint16_t columns[EMU_VPM_ROWS])
{
	for (unsigned r = 0; r < load->rows; r++) {
		const unsigned y = (load->first + r * load->step) / load->parts;

		for (unsigned i = 0; i < load->length; i++)
			columns[(load->vertical ? y + i : y) % EMU_VPM_ROWS] |=
				1u << (load->vertical ? x : x + i) % EMU_LANES;
	}
}

static void
words_of_store(uint32_t setup, uint16_t columns[EMU_VPM_ROWS])
{
	const unsigned depth = store_depth(setup);
	const unsigned x = setup >> 3 & 15;

	for (unsigned unit = 0; unit < store_units(setup); unit++)
		for (unsigned i = 0; i < depth; i++)
			columns[store_row(setup, unit, i) % EMU_VPM_ROWS] |=
				1u << (x + (setup >> 14 & 1 ? i : unit)) %
					      EMU_LANES;
}

void
emu_dma_words(const struct emu_dma *dma, bool store,
	      uint16_t columns[EMU_VPM_ROWS])
{
	const struct load load = decode_load(dma->load);

	memset(columns, 0, EMU_VPM_ROWS * sizeof(*columns));
	if (store)
		words_of_store(dma->store, columns);
	else
		words_of_load(&load, dma->load & 15, columns);
}

bool
emu_dma_wraps(const struct emu_dma *dma, bool store)
{
	const struct load load = decode_load(dma->load);
	const uint32_t setup = dma->store;
	/* A column keeps to its block of 16 rows. */
	const unsigned deep = setup >> 14 & 1 ? store_depth(setup) - 1 : 0;

	if (store)
		return store_row(setup, store_units(setup) - 1, deep) >=
		       EMU_VPM_ROWS;
	return (load.first + (load.rows - 1) * load.step) / load.parts +
		       (load.vertical ? load.length - 1 : 0) >=
	       EMU_VPM_ROWS;
}
