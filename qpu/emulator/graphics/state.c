/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/graphics/state.h"

#include "qpu/isa/packet.h"

static const uint8_t packets[EMU_STATES] = {
	[EMU_STATE_SHADER] = PACKET_GL_SHADER_STATE,
	[EMU_STATE_CONFIGURATION] = PACKET_CONFIGURATION_BITS,
	[EMU_STATE_FLAT_SHADE] = PACKET_FLAT_SHADE,
	[EMU_STATE_POINT_SIZE] = PACKET_POINT_SIZE,
	[EMU_STATE_LINE_WIDTH] = PACKET_LINE_WIDTH,
	[EMU_STATE_DEPTH_OFFSET] = PACKET_DEPTH_OFFSET,
	[EMU_STATE_CLIP_WINDOW] = PACKET_CLIP_WINDOW,
	[EMU_STATE_VIEWPORT] = PACKET_VIEWPORT_OFFSET,
	[EMU_STATE_FORMAT] = PACKET_PRIMITIVE_FORMAT,
	[EMU_STATE_RHT] = PACKET_RHT_X_BOUNDARY,
	[EMU_STATE_Z_CLIPPING] = PACKET_Z_CLIPPING,
	[EMU_STATE_CLIPPER_XY] = PACKET_CLIPPER_XY,
	[EMU_STATE_CLIPPER_Z] = PACKET_CLIPPER_Z,
};

static const uint8_t packet_bytes[256] = {
#define PACKET(name, code, bytes, lists) [code] = bytes,
#include "qpu/isa/packet.def"
};

enum emu_state_item
emu_state_of(unsigned packet)
{
	enum emu_state_item item = 0;

	while (item < EMU_STATES && packets[item] != packet)
		item++;
	return item;
}

unsigned
emu_state_packet(enum emu_state_item item)
{
	return packets[item];
}

unsigned
emu_state_packet_bytes(enum emu_state_item item)
{
	return packet_bytes[packets[item]];
}

/* What is set to what it is already does not count as a change. */
void
emu_state_set(struct emu_state *state, enum emu_state_item item,
	      const uint8_t *bytes, unsigned n)
{
	uint8_t *to = state->bytes[item];

	if (state->changed[item] && memcmp(to, bytes, n) == 0)
		return;
	memcpy(to, bytes, n);
	state->changed[item] = ++state->serial;
}
