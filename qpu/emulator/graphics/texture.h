/* SPDX-License-Identifier: MIT */
/*
 * texture: what a texture unit does with coordinates: it finds the texels of
 * each lane, filters them, and gives a colour of 4 bytes, red in the lowest.
 *
 * A lookup is the writes of t, r and b that it needs, and last of s.  Each takes
 * a uniform, so that the first two or three words describe the texture (Linux
 * 6.1, drivers/gpu/drm/vc4/vc4_packet.h, VC4_TEX_P0 to P2).  Levels of detail
 * lie before the largest one, the smallest first; small ones are in LT-format,
 * others in T-format (vc4_validate.c, reloc_tex).
 *
 * Not modelled: compressed textures, and types of less than a byte, of 16 bits
 * a colour, or of more than 32 bits.
 */
#ifndef QPU_EMULATOR_GRAPHICS_TEXTURE_H
#define QPU_EMULATOR_GRAPHICS_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/emulator/base/memory.h"
#include "qpu/emulator/base/vector.h"

enum { EMU_TEXTURE_WORDS = 4 };

/* Parameters by the order of their registers: s, t, r, b. */
enum { EMU_TEXTURE_S, EMU_TEXTURE_T, EMU_TEXTURE_R, EMU_TEXTURE_B };

struct emu_texture {
	unsigned n; /* writes so far */
	uint32_t word[EMU_TEXTURE_WORDS];
	emu_vec parameter[4];
	bool has_bias; /* b was written */
};

struct emu_texels {
	emu_vec words;	   /* the colours */
	emu_vec addresses; /* of a texel of each lane */
	unsigned outside; /* lanes with a texel outside of memory, a bit each */
};

/* Look up; null, or why this texture is not modelled. */
const char *
emu_texture_sample(const struct emu_texture *texture, struct emu_memory *memory,
		   struct emu_texels *texels);

#endif
