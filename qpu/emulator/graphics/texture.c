/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/graphics/texture.h"

#include <string.h>

#include "qpu/emulator/graphics/tile.h"

enum type {
	TYPE_RGBA8888 = 0,
	TYPE_RGBX8888 = 1,
	TYPE_RGBA4444 = 2,
	TYPE_RGBA5551 = 3,
	TYPE_RGB565 = 4,
	TYPE_LUMINANCE = 5,
	TYPE_ALPHA = 6,
	TYPE_LUMALPHA = 7,
	TYPE_RASTER = 16, /* RGBA8888 by rows */
};

enum wrap { WRAP_REPEAT, WRAP_CLAMP, WRAP_MIRROR, WRAP_BORDER };

enum {
	LARGEST = 2048,
	CUBE_MAP = 1 << 9,
	FLIP_Y = 1 << 8,
	EXPLICIT_LEVEL = 1, /* of word 2: b is the level, not a bias */
	WEIGHT = 256,	    /* of a texel, at most */
};

/* How to filter: inside of a level, and between levels. */
static const struct filter {
	bool linear, levels, between;
} filters[8] = {
	{ true, false, false }, { false, false, false }, { false, true, false },
	{ false, true, true },	{ true, true, false },	 { true, true, true },
};

struct image {
	struct emu_memory *memory;
	enum type type;
	unsigned bytes; /* of a texel */
	uint32_t base;
	unsigned width, height, levels; /* levels besides the first */
	enum wrap wrap[2];		/* of s, of t */
	bool flip;
	struct filter small, large;
};

struct level {
	uint32_t addr;
	unsigned width, height;
	enum emu_tiling tiling;
};

static float
as_float(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static int32_t
round_down(float value)
{
	int32_t whole;

	if (!(value > -1e9f && value < 1e9f))
		return 0;
	whole = (int32_t)value;
	return (float)whole > value ? whole - 1 : whole;
}

/* Bytes of a texel; 0: the type is not modelled. */
static unsigned
type_bytes(unsigned type)
{
	switch (type) {
	case TYPE_RGBA8888:
	case TYPE_RGBX8888:
	case TYPE_RASTER: return 4;
	case TYPE_RGBA4444:
	case TYPE_RGBA5551:
	case TYPE_RGB565:
	case TYPE_LUMALPHA: return 2;
	case TYPE_LUMINANCE:
	case TYPE_ALPHA: return 1;
	default: return 0;
	}
}

static void
describe(const struct emu_texture *texture, struct emu_memory *memory,
	 struct image *image)
{
	const uint32_t first = texture->word[0], second = texture->word[1];

	image->memory = memory;
	image->type = (first >> 4 & 15) | second >> 31 << 4;
	image->bytes = type_bytes(image->type);
	image->base = first & ~0xfffu;
	image->levels = first & 15;
	image->flip = first & FLIP_Y;
	image->width = second >> 8 & 0x7ff;
	image->height = second >> 20 & 0x7ff;
	if (!image->width)
		image->width = LARGEST;
	if (!image->height)
		image->height = LARGEST;
	image->wrap[0] = second & 3;
	image->wrap[1] = second >> 2 & 3;
	image->small = filters[second >> 4 & 7];
	image->large = filters[second >> 7 & 1];
}

static unsigned
at_least_one(unsigned size)
{
	return size ? size : 1;
}

static unsigned
round_up(unsigned value, unsigned to)
{
	return (value + to - 1) / to * to;
}

/* Where a level is, and its format. */
static void
find_level(const struct image *image, unsigned number, struct level *level)
{
	const unsigned across = image->bytes == 4 ? 4 : 8;
	const unsigned down = image->bytes == 1 ? 8 : 4;

	level->addr = image->base;
	level->tiling = image->type == TYPE_RASTER ? EMU_TILING_LINEAR :
						     EMU_TILING_T;
	for (unsigned i = 0; i <= number; i++) {
		unsigned align_x = across, align_y = down;

		level->width = at_least_one(image->width >> i);
		level->height = at_least_one(image->height >> i);
		if (level->tiling == EMU_TILING_T &&
		    (level->width <= 4 * across || level->height <= 4 * down))
			level->tiling = EMU_TILING_LT;
		if (level->tiling == EMU_TILING_T) {
			align_x = 8 * across;
			align_y = 8 * down;
		} else if (level->tiling == EMU_TILING_LINEAR) {
			align_y = 1;
		}
		if (i)
			level->addr -= round_up(level->width, align_x) *
				       round_up(level->height, align_y) *
				       image->bytes;
	}
}

/* The texel that a place means; -1: it is in the border. */
static int32_t
wrap_place(enum wrap wrap, int32_t place, int32_t size)
{
	const int32_t twice = 2 * size;

	switch (wrap) {
	case WRAP_REPEAT:
		place %= size;
		return place < 0 ? place + size : place;
	case WRAP_MIRROR:
		place %= twice;
		if (place < 0)
			place += twice;
		return place < size ? place : twice - 1 - place;
	case WRAP_BORDER: return place < 0 || place >= size ? -1 : place;
	default: return place < 0 ? 0 : place >= size ? size - 1 : place;
	}
}

static uint32_t
five_bits(uint32_t value)
{
	value &= 31;
	return value << 3 | value >> 2;
}

/* Any type as red, green, blue and alpha. */
static uint32_t
to_colour(enum type type, uint32_t word)
{
	const uint32_t green = word >> 5 & 63;

	switch (type) {
	case TYPE_RGBX8888: return word | 0xff000000;
	case TYPE_RGBA4444:
		return ((word >> 12 & 15) | (word >> 8 & 15) << 8 |
			(word >> 4 & 15) << 16 | (word & 15) << 24) *
		       0x11;
	case TYPE_RGBA5551:
		return five_bits(word >> 11) | five_bits(word >> 6) << 8 |
		       five_bits(word >> 1) << 16 | (word & 1 ? 0xff000000 : 0);
	case TYPE_RGB565:
		return five_bits(word >> 11) | (green << 2 | green >> 4) << 8 |
		       five_bits(word) << 16 | 0xff000000;
	case TYPE_LUMINANCE: return word * 0x010101 | 0xff000000;
	case TYPE_ALPHA: return word << 24;
	case TYPE_LUMALPHA: return (word & 0xff) * 0x010101 | word >> 8 << 24;
	default: return word;
	}
}

/* One lane's lookup. */
struct lookup {
	const struct image *image;
	uint32_t border;
	uint32_t addr; /* of a texel */
	bool outside;
};

static uint32_t
fetch(struct lookup *lookup, const struct level *level, int32_t x, int32_t y)
{
	const struct image *image = lookup->image;
	const void *host;
	uint32_t word = 0;

	x = wrap_place(image->wrap[0], x, (int32_t)level->width);
	y = wrap_place(image->wrap[1], y, (int32_t)level->height);
	if (x < 0 || y < 0)
		return lookup->border;
	lookup->addr =
		level->addr + emu_surface_offset(level->tiling, level->width,
						 image->bytes, (unsigned)x,
						 (unsigned)y);
	host = emu_memory_at(image->memory, lookup->addr, image->bytes);
	if (!host) {
		lookup->outside = true;
		return 0;
	}
	memcpy(&word, host, image->bytes);
	return to_colour(image->type, word);
}

/* Between two colours, of_b of 256 parts. */
static uint32_t
mix(uint32_t a, uint32_t b, unsigned of_b)
{
	uint32_t result = 0;

	for (unsigned shift = 0; shift < 32; shift += 8)
		result |= (((a >> shift & 0xff) * (WEIGHT - of_b) +
			    (b >> shift & 0xff) * of_b + WEIGHT / 2) /
			   WEIGHT)
			  << shift;
	return result;
}

static uint32_t
sample_level(struct lookup *lookup, unsigned number, bool linear, float s,
	     float t)
{
	struct level level;
	float x, y;

	find_level(lookup->image, number, &level);
	x = s * (float)level.width;
	y = t * (float)level.height;
	if (lookup->image->flip)
		y = (float)level.height - y;
	if (!linear)
		return fetch(lookup, &level, round_down(x), round_down(y));
	x -= 0.5f;
	y -= 0.5f;
	const int32_t left = round_down(x), top = round_down(y);
	const unsigned of_right =
		(unsigned)((x - (float)left) * WEIGHT) % WEIGHT;
	const unsigned of_bottom =
		(unsigned)((y - (float)top) * WEIGHT) % WEIGHT;
	const uint32_t above = mix(fetch(lookup, &level, left, top),
				   fetch(lookup, &level, left + 1, top),
				   of_right);
	const uint32_t below = mix(fetch(lookup, &level, left, top + 1),
				   fetch(lookup, &level, left + 1, top + 1),
				   of_right);

	return mix(above, below, of_bottom);
}

/* The logarithm of two, from the exponent and a straight line between. */
static float
logarithm(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	if (!(value > 0))
		return -100;
	return (float)(int32_t)(bits >> 23) - 127 +
	       (float)(bits & 0x7fffff) / 0x800000;
}

static float
square(float value)
{
	return value * value;
}

/* The level of a quad: how many texels its pixels are apart. */
static float
quad_level(const struct emu_texture *texture, const struct image *image,
	   unsigned lane)
{
	const emu_vec *const s = &texture->parameter[EMU_TEXTURE_S];
	const emu_vec *const t = &texture->parameter[EMU_TEXTURE_T];
	const unsigned first = lane & ~3u;
	float longest = 0;

	for (unsigned i = 1; i <= 2; i++) {
		const float across =
			as_float((*s)[first + i]) - as_float((*s)[first]);
		const float down =
			as_float((*t)[first + i]) - as_float((*t)[first]);
		const float apart = square(across * (float)image->width) +
				    square(down * (float)image->height);

		longest = apart > longest ? apart : longest;
	}
	return logarithm(longest) / 2;
}

static float
magnitude(float value)
{
	return value < 0 ? -value : value;
}

/*
 * The face of a cube that a direction meets, and the place on it (OpenGL ES 2.0,
 * table 3.21): 0 and 1 are +x and -x.
 */
static unsigned
find_face(const float direction[3], float *s, float *t)
{
	const float x = direction[0], y = direction[1], z = direction[2];
	unsigned axis = 0;
	float across, down, major;

	for (unsigned i = 1; i < 3; i++)
		if (magnitude(direction[i]) > magnitude(direction[axis]))
			axis = i;
	major = direction[axis];
	across = axis == 0 ? (x < 0 ? z : -z) :
		 axis == 2 ? (z < 0 ? -x : x) :
			     x;
	down = axis == 1 ? (y < 0 ? -z : z) : -y;
	if (major != 0) {
		across /= magnitude(major);
		down /= magnitude(major);
	}
	*s = (across + 1) / 2;
	*t = (down + 1) / 2;
	return 2 * axis + (major < 0);
}

/* Bytes from a face of a cube to the next. */
static uint32_t
face_stride(const struct emu_texture *texture)
{
	for (unsigned i = 2; i < texture->n; i++)
		if (texture->word[i] >> 30 == 1)
			return texture->word[i] & 0x3ffff000;
	return 0;
}

static uint32_t
sample_lane(const struct emu_texture *texture, struct image *image,
	    unsigned lane, struct lookup *lookup)
{
	const float direction[3] = {
		as_float(texture->parameter[EMU_TEXTURE_S][lane]),
		as_float(texture->parameter[EMU_TEXTURE_T][lane]),
		as_float(texture->parameter[EMU_TEXTURE_R][lane]),
	};
	float s = direction[0], t = direction[1];
	const float b = as_float(texture->parameter[EMU_TEXTURE_B][lane]);
	if (texture->word[0] & CUBE_MAP)
		image->base =
			(texture->word[0] & ~0xfffu) +
			find_face(direction, &s, &t) * face_stride(texture);
	const bool given = texture->has_bias && texture->n > 2 &&
			   texture->word[2] & EXPLICIT_LEVEL;
	float level = given ? b : quad_level(texture, image, lane);

	if (texture->has_bias && !given)
		level += b;
	if (!(level > 0))
		return sample_level(lookup, 0, image->large.linear, s, t);
	if (!image->small.levels)
		return sample_level(lookup, 0, image->small.linear, s, t);
	if (level > (float)image->levels)
		level = (float)image->levels;
	if (!image->small.between)
		return sample_level(lookup, (unsigned)(level + 0.5f),
				    image->small.linear, s, t);
	const unsigned whole = (unsigned)level;
	const uint32_t near =
		sample_level(lookup, whole, image->small.linear, s, t);

	if (whole == image->levels)
		return near;
	return mix(near,
		   sample_level(lookup, whole + 1, image->small.linear, s, t),
		   (unsigned)((level - (float)whole) * WEIGHT));
}

const char *
emu_texture_sample(const struct emu_texture *texture, struct emu_memory *memory,
		   struct emu_texels *texels)
{
	struct image image = { .memory = memory };

	describe(texture, memory, &image);
	if (!image.bytes)
		return "this type of texture is not modelled";
	memset(texels, 0, sizeof(*texels));
	for (unsigned lane = 0; lane < EMU_LANES; lane++) {
		struct lookup lookup = {
			.image = &image,
			.border = texture->parameter[EMU_TEXTURE_R][lane],
			.addr = image.base,
		};

		texels->words[lane] =
			sample_lane(texture, &image, lane, &lookup);
		texels->addresses[lane] = lookup.addr;
		texels->outside |= (unsigned)lookup.outside << lane;
	}
	return NULL;
}
