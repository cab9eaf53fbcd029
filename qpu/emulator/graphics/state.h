/* SPDX-License-Identifier: MIT */
/*
 * state: what control lists have set so far: the last packet of each kind that
 * is state, as bytes.  The binner puts those that have changed into the lists of
 * tiles, the renderer takes them from there.  Some have no effect on triangles, but
 * take their room in the lists.
 */
#ifndef QPU_EMULATOR_GRAPHICS_STATE_H
#define QPU_EMULATOR_GRAPHICS_STATE_H

#include <stdint.h>
#include <string.h>

enum emu_state_item {
	EMU_STATE_SHADER,
	EMU_STATE_CONFIGURATION,
	EMU_STATE_FLAT_SHADE,
	EMU_STATE_POINT_SIZE,
	EMU_STATE_LINE_WIDTH,
	EMU_STATE_DEPTH_OFFSET,
	EMU_STATE_CLIP_WINDOW,
	EMU_STATE_VIEWPORT,
	EMU_STATE_RENDERED, /* those before it go into the lists of tiles */
	EMU_STATE_FORMAT = EMU_STATE_RENDERED,
	EMU_STATE_RHT,
	EMU_STATE_Z_CLIPPING,
	EMU_STATE_CLIPPER_XY,
	EMU_STATE_CLIPPER_Z,
	EMU_STATES
};

enum { EMU_STATE_BYTES = 8 };

struct emu_state {
	uint8_t bytes[EMU_STATES][EMU_STATE_BYTES]; /* without the code */
	uint32_t changed[EMU_STATES]; /* serial number; 0: never set */
	uint32_t serial;
};

/* The item of a packet; EMU_STATES: it is not state. */
enum emu_state_item
emu_state_of(unsigned packet);

/* The packet of an item, and its bytes with the code. */
unsigned
emu_state_packet(enum emu_state_item item);
unsigned
emu_state_packet_bytes(enum emu_state_item item);

/* The n bytes of a packet after its code; they are EMU_STATE_BYTES at most. */
void
emu_state_set(struct emu_state *state, enum emu_state_item item,
	      const uint8_t *bytes, unsigned n);

static inline uint32_t
emu_state_word(const struct emu_state *state, enum emu_state_item item,
	       unsigned word)
{
	uint32_t value;

	memcpy(&value, state->bytes[item] + 4 * word, sizeof(value));
	return value;
}

static inline uint16_t
emu_state_half(const struct emu_state *state, enum emu_state_item item,
	       unsigned half)
{
	uint16_t value;

	memcpy(&value, state->bytes[item] + 2 * half, sizeof(value));
	return value;
}

static inline float
emu_state_float(const struct emu_state *state, enum emu_state_item item,
		unsigned word)
{
	float value;

	memcpy(&value, state->bytes[item] + 4 * word, sizeof(value));
	return value;
}

/* Bits of the configuration; those of its three bytes in one number. */
enum emu_configuration {
	EMU_CONFIG_FRONT = 1 << 0, /* draw what is seen from the front */
	EMU_CONFIG_BACK = 1 << 1,
	EMU_CONFIG_CLOCKWISE = 1 << 2, /* are the front */
	EMU_CONFIG_DEPTH_OFFSET = 1 << 3,
	EMU_CONFIG_OVERSAMPLE_4X = 1 << 6,
};

static inline uint32_t
emu_state_configuration(const struct emu_state *state)
{
	return emu_state_word(state, EMU_STATE_CONFIGURATION, 0) & 0xffffff;
}

#endif
