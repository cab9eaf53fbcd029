/* SPDX-License-Identifier: MIT */
/*
 * Pack and unpack: which value, which conversion, which rounding.
 */
#include "config.h"

#include "qpu/check/experiment.h"

/* clang-format off */
const struct experiment experiments_pack[] = {
	{ .id = "pack", .question = "a byte as a float is",
	  .source = "fadd r0, ra0.8a, rb0",
	  .a = { 0, 1, 2, 3, 5, 51, 64, 85, 127, 128, 129, 170, 192, 204, 254,
		 255 },
	  .answers = {
		{ "byte / 255, toward zero", {
			0x00000000, 0x3b808080, 0x3c008080, 0x3c40c0c0,
			0x3ca0a0a0, 0x3e4ccccc, 0x3e808080, 0x3eaaaaaa,
			0x3efefefe, 0x3f008080, 0x3f018181, 0x3f2aaaaa,
			0x3f40c0c0, 0x3f4ccccc, 0x3f7efefe, 0x3f800000 } },
		{ "byte / 255, to nearest", {
			0x00000000, 0x3b808081, 0x3c008081, 0x3c40c0c1,
			0x3ca0a0a1, 0x3e4ccccd, 0x3e808081, 0x3eaaaaab,
			0x3efefeff, 0x3f008081, 0x3f018182, 0x3f2aaaab,
			0x3f40c0c1, 0x3f4ccccd, 0x3f7efeff,
			0x3f800000 } } } },

	{ .id = "pack", .question = "a float product as a byte is",
	  .source = "mov r0, 0\nfmul r0.8a, ra0, rb0",
	  .a = {
		0x00000000, 0x3a808081, 0x3b40c0c1, 0x3ba0a0a1,
		0x3be0e0e1, 0x3ec94949, 0x3eca4a4a, 0x3eff7f7f,
		0x3f004040, 0x3f7f3f3f, 0x3f7fbfc0, 0x3f800000,
		0x3fc00000, 0xbf000000, 0x3f00e666, 0x3f486666 },
	  .b = ALL(0x3f800000),
	  .answers = {
		{ "float * 255, to nearest",
		  { 0, 0, 1, 1, 2, 0x64, 0x65, 0x7f, 0x80, 0xfe, 0xff, 0xff,
		    0xff, 0, 0x80, 0xc8 } },
		{ "float * 255, toward zero",
		  { 0, 0, 0, 1, 1, 0x64, 0x64, 0x7f, 0x7f, 0xfe, 0xfe, 0xff,
		    0xff, 0, 0x80, 0xc7 } },
		{ "float * 256, toward zero",
		  { 0, 0, 0, 1, 1, 0x64, 0x65, 0x7f, 0x80, 0xff, 0xff, 0xff,
		    0xff, 0, 0x80, 0xc8 } } } },

	{ .id = "pack", .question = "v8muld is",
	  .source = "v8muld r0, ra0, rb0",
	  .a = { 255, 254, 128, 127, 1, 2, 100, 200, 3, 17, 85, 170, 250, 77,
		 191, 64 },
	  .b = { 255, 255, 128, 127, 255, 128, 100, 200, 43, 15, 3, 3, 250,
		 133, 64, 64 },
	  .answers = {
		{ "(a * b + 127) / 255",
		  { 255, 254, 64, 63, 1, 1, 39, 157, 1, 1, 1, 2, 245, 40, 48,
		    16 } },
		{ "a * b / 255",
		  { 255, 254, 64, 63, 1, 1, 39, 156, 0, 1, 1, 2, 245, 40, 47,
		    16 } },
		{ "(a * b + 128) / 256",
		  { 254, 253, 64, 63, 1, 1, 39, 156, 1, 1, 1, 2, 244, 40, 48,
		    16 } },
		{ "a * (b + b / 128) / 256",
		  { 255, 254, 64, 63, 1, 1, 39, 157, 0, 0, 0, 1, 245, 40, 47,
		    16 } } } },

	{ .id = "pack", .question =
		"ra0.8a of an integer beside a float operation",
	  .source = "add r0, ra0.8a, r3; fmul r1, ra0.8a, r2",
	  .a = ALL(0xaabbccff),
	  .answers = {
		{ "stays an integer", ALL(0xff) },
		{ "becomes a float", ALL(0x3f800000) } } },

	{ .id = "pack", .question =
		"ra0.8a of a float beside an integer operation",
	  .source = "ldi r2, 1.0\n"
		    "add r1, ra0.8a, r3; fmul r0, ra0.8a, r2",
	  .a = ALL(0xaabbccff),
	  .answers = {
		{ "becomes a float", ALL(0x3f800000) },
		{ "stays an integer, a denormal", ALL(0) } } },

	{ .id = "pack", .question = "r4.16a of an integer operation",
	  .source = "add r0, r4.16a, r3",
	  .b = ALL(0x3c003c00),
	  .answers = {
		{ "becomes a float", ALL(0x3f800000) },
		{ "stays an integer", ALL(0x00003c00) } } },

	{ .id = "pack", .question = "a float sum in a byte of ra",
	  .source = "mov ra1, 0\nnop\nfadd ra1.8a, ra0, rb0\nnop\n"
		    "mov r0, ra1",
	  .a = QUADS(0x3f8000aa, 0x3f000055, 0x40000001, 0xbf800002),
	  .answers = {
		{ "is its low byte", QUADS(0xaa, 0x55, 0x01, 0x02) },
		{ "is a part of 255", QUADS(0xff, 0x80, 0xff, 0x00) },
		{ "is an integer", QUADS(0x01, 0x00, 0x02, 0xff) } } },

	{ .id = "pack", .question = "a sum that overflows, in 16 bits",
	  .source = "mov ra1, 0\nnop\nadd ra1.16a, ra0, rb0\nnop\n"
		    "mov r0, ra1",
	  .a = QUADS(0x7fffffff, 0x80000000, 0x7fff1234, 0x00012345),
	  .b = QUADS(0x00000001, 0xffffffff, 0x7fff0000, 0x00010000),
	  .answers = {
		{ "saturates in all modes",
		  QUADS(0x7fff, 0x8000, 0x7fff, 0x2345) },
		{ "is its low half", QUADS(0x0000, 0xffff, 0x1234, 0x2345) },
		{ "is the low half of a saturated sum",
		  QUADS(0xffff, 0x0000, 0xffff, 0x2345) } } },

	{ .id = "pack", .question = "an integer product with a mul pack",
	  .source = "mov r0, 0\nmul24 r0.8b, ra0, rb0",
	  .a = QUADS(0x000012, 0x0001ff, 0x3f8000, 0x800000),
	  .b = ALL(1),
	  .answers = {
		{ "is converted as if it were a float", ALL(0) },
		{ "gives its low byte", QUADS(0x1200, 0xff00, 0, 0) },
		{ "gives a saturated byte",
		  QUADS(0x1200, 0xff00, 0xff00, 0xff00) },
		{ "is not packed",
		  QUADS(0x000012, 0x0001ff, 0x3f8000, 0x800000) } } },

	{ .id = "pack", .question = "ra0.8dr, the top byte in all four",
	  .source = "mov r0, ra0.8dr",
	  .a = LANES(0x01010203, 0x80000000),
	  .answers = {
		{ "is that",
		  { 0x80808080, 0x81818181, 0x82828282, 0x83838383,
		    0x84848484, 0x85858585, 0x86868686, 0x87878787,
		    0x88888888, 0x89898989, 0x8a8a8a8a, 0x8b8b8b8b,
		    0x8c8c8c8c, 0x8d8d8d8d, 0x8e8e8e8e, 0x8f8f8f8f } },
		{ "is not done",
		  LANES(0x01010203, 0x80000000) } } },
	{ 0 }
};
/* clang-format on */
