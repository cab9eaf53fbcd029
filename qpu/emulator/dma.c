/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/dma.h"

#include <string.h>

bool
emu_dma_loses_bits(bool store, uint32_t setup)
{
	if (store)
		return setup >> 30 == 3 && setup >> 17 & 0x1fff;
	return setup >> 28 == 9 && setup & 0xfffffff & ~EMU_DMA_PITCH_MASK;
}

bool
emu_dma_setup_load(struct emu_dma *dma, uint32_t setup)
{
	if (!(setup >> 31))
		return false;
	/*
	 * MODEW 1 is the extended pitch.  The guide prints 13 bits; sgemm of
	 * py-videocore is right on boards with a pitch of 12288 bytes, and
	 * qmkl saw errors from 16384 on: 14 bits.
	 */
	if ((setup >> 28 & 7) == 1)
		dma->load_pitch = setup & EMU_DMA_PITCH_MASK;
	else
		dma->load = setup;
	return true;
}

bool
emu_dma_setup_store(struct emu_dma *dma, uint32_t setup)
{
	switch (setup >> 30) {
	case 2: dma->store = setup; return true;
	case 3: dma->store_stride = setup; return true;
	default: return false;
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

static void
place_put(emu_vec *word, unsigned column, unsigned bytes, unsigned sub,
	  const uint8_t *from)
{
	uint8_t *lane = (uint8_t *)word + 4 * column + bytes * sub;

	memcpy(lane, from, bytes);
}

static void
place_get(const emu_vec *word, unsigned column, unsigned bytes, unsigned sub,
	  uint8_t *to)
{
	const uint8_t *lane = (const uint8_t *)word + 4 * column + bytes * sub;

	memcpy(to, lane, bytes);
}

/* The memory of the next row, which is then counted. */
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

bool
emu_dma_load(const struct emu_dma *dma, struct emu_memory *memory,
	     struct emu_vpm *vpm, uint32_t bus_addr,
	     struct emu_transfer *transfer)
{
	const uint32_t setup = dma->load;
	const unsigned mode = setup >> 28 & 7;
	const unsigned bytes = mode_bytes(mode);
	const unsigned parts = 4 / bytes;
	const unsigned mpitch = setup >> 24 & 15;
	const uint32_t pitch = mpitch ? 8u << mpitch : dma->load_pitch;
	const unsigned length = (setup >> 20 & 15) ? setup >> 20 & 15 : 16;
	const unsigned rows = (setup >> 16 & 15) ? setup >> 16 & 15 : 16;
	const unsigned vpitch = (setup >> 12 & 15) ? setup >> 12 & 15 : 16;
	const bool vertical = setup >> 11 & 1;
	const unsigned x = setup & 15;
	/* Rows step through {Y, sub-word}; UNSURE(U6) for bytes and halves. */
	unsigned position = (setup >> 4 & 127) * parts + mode_sub(mode);

	*transfer = (struct emu_transfer){
		.start = bus_addr,
		.pitch = pitch,
		.row_bytes = length * bytes,
	};
	for (unsigned r = 0; r < rows; r++, position += vpitch) {
		const uint8_t *from = next_row(memory, transfer);
		const unsigned y = position / parts;

		if (!from)
			return false;
		for (unsigned i = 0; i < length; i++) {
			const unsigned row = vertical ? y + i : y;
			const unsigned column = vertical ? x : x + i;

			place_put(&vpm->row[row % EMU_VPM_ROWS], column % 16,
				  bytes, position % parts, from + i * bytes);
		}
	}
	return true;
}

/*
 * One unit of a store, gathered from the VPM.
 *
 * Block mode (bit 16 of the stride setup) changes nothing here: each unit comes
 * from the next whole row (QPULib stores 16 rows of 16 words in this way, and
 * VC4C says the same); what it does to columns is not known.  A column ends
 * with its block of 16 rows: depth 32 stores the same 16 words twice (vc4asm,
 * issue 27).
 */
static void
store_unit(const struct emu_vpm *vpm, uint32_t setup, unsigned unit,
	   unsigned depth, uint8_t *to)
{
	const unsigned mode = setup & 7;
	const unsigned bytes = mode_bytes(mode);
	const unsigned y = setup >> 7 & 127;
	const unsigned x = setup >> 3 & 15;
	const bool horizontal = setup >> 14 & 1;

	for (unsigned i = 0; i < depth; i++) {
		unsigned row, column;

		/* Long rows run on into the next one; UNSURE(U6). */
		if (horizontal) {
			row = y + unit + (x + i) / 16;
			column = (x + i) % 16;
		} else {
			row = (y & ~15u) + (y + i) % 16 + (x + unit) / 16 * 16;
			column = (x + unit) % 16;
		}
		place_get(&vpm->row[row % EMU_VPM_ROWS], column, bytes,
			  mode_sub(mode), to + i * bytes);
	}
}

bool
emu_dma_store(const struct emu_dma *dma, struct emu_memory *memory,
	      const struct emu_vpm *vpm, uint32_t bus_addr,
	      struct emu_transfer *transfer)
{
	const uint32_t setup = dma->store;
	const unsigned units = (setup >> 23 & 127) ? setup >> 23 & 127 : 128;
	const unsigned depth = (setup >> 16 & 127) ? setup >> 16 & 127 : 128;
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

static uint64_t
row_bits(unsigned first, unsigned n)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < n && i < EMU_VPM_ROWS; i++)
		bits |= UINT64_C(1) << (first + i) % EMU_VPM_ROWS;
	return bits;
}

uint64_t
emu_dma_load_rows(const struct emu_dma *dma)
{
	const uint32_t setup = dma->load;
	const unsigned parts = 4 / mode_bytes(setup >> 28 & 7);
	const unsigned length = (setup >> 20 & 15) ? setup >> 20 & 15 : 16;
	const unsigned rows = (setup >> 16 & 15) ? setup >> 16 & 15 : 16;
	const unsigned vpitch = (setup >> 12 & 15) ? setup >> 12 & 15 : 16;
	const bool vertical = setup >> 11 & 1;
	uint64_t bits = 0;

	for (unsigned r = 0; r < rows; r++)
		bits |= row_bits((setup >> 4 & 127) + r * vpitch / parts,
				 vertical ? length : 1);
	return bits;
}

uint64_t
emu_dma_store_rows(const struct emu_dma *dma)
{
	const uint32_t setup = dma->store;
	const unsigned units = (setup >> 23 & 127) ? setup >> 23 & 127 : 128;
	const unsigned depth = (setup >> 16 & 127) ? setup >> 16 & 127 : 128;
	const unsigned y = setup >> 7 & 127;
	const unsigned x = setup >> 3 & 15;
	const unsigned across = (x + units - 1) / 16 * 16;

	if (setup >> 14 & 1)
		return row_bits(y, units + (x + depth - 1) / 16);
	if (y % 16 + depth > 16)
		return row_bits(y & ~15u, 16 + across);
	return row_bits(y, depth + across);
}
