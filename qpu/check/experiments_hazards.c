/* SPDX-License-Identifier: MIT */
/*
 * What happens too early: the distances that the guide asks for are kept by
 * all our programs, and the emulator (but for its checking mode) needs none.
 * These tell how far the hardware really is from it.
 */
#include "config.h"

#include "qpu/check/experiment.h"

#define SFU_AFTER(rule, nops, text)                                            \
	{                                                                      \
		.id = "R6", .breaks = rule,                                    \
		.question = "r4 " text " after a write to recip",              \
		.source = "mov recip, ra0\n" nops "mov r0, r4",                \
		.a = ALL(0x40000000), .b = ALL(77), .answers = {               \
			{ "is the result", ALL(0x3f000000) },                  \
			{ "is what it was", ALL(77) }                          \
		}                                                              \
	}

/* clang-format off */
const struct experiment experiments_hazards[] = {
	{ .id = "R1", .breaks = 1, .question = "ra right after it was written",
	  .source = "mov ra1, 1\nnop\nmov ra1, 2\nmov r0, ra1",
	  .answers = {
		{ "is the new value", ALL(2) },
		{ "is the old value", ALL(1) } } },
	{ .id = "R1", .breaks = 1, .question = "rb right after it was written",
	  .source = "mov rb1, 1\nnop\nmov rb1, 2\nmov r0, rb1",
	  .answers = {
		{ "is the new value", ALL(2) },
		{ "is the old value", ALL(1) } } },
	{ .id = "R2", .breaks = 2,
	  .question = "rotation by r5 right after it was written",
	  .source = "mov r1, ra0\nmov r5rep, 3\nnop\nnop\nmov r5rep, 5\n"
		    "mov.rot r5, r0, r1",
	  .a = LANES(1, 0),
	  .answers = {
		{ "is by the new value", {
			11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
			10 } },
		{ "is by the old value", {
			13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
			12 } },
		{ "is not done", LANES(1, 0) } } },
	{ .id = "R3", .breaks = 3,
	  .question = "rotation of r1 right after it was written",
	  .source = "mov r1, rb0\nnop\nmov r1, ra0\nmov.rot 5, r0, r1",
	  .a = LANES(1, 0), .b = LANES(1, 100),
	  .answers = {
		{ "is of the new value", {
			11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
			10 } },
		{ "is of the old value", {
			111, 112, 113, 114, 115, 100, 101, 102, 103, 104,
			105, 106, 107, 108, 109, 110 } } } },

	SFU_AFTER(6, "", "1 instruction"),
	SFU_AFTER(6, "nop\n", "2 instructions"),
	SFU_AFTER(0, "nop\nnop\n", "3 instructions"),

	{ .id = "R10", .breaks = 10,
	  .question = "a write to the VPM under a condition",
	  .source =
		"ldi vw_setup, 0x1a02\n"
		"mov vpm, 1\n"
		"ldi vw_setup, 0x1a02\n"
		"mov r1, 2\n"
		"mov.setf -, ra0\n"
		"mov.ifz vpm, r1\n"
		"nop\nnop\nnop\nnop\n"
		"ldi vr_setup, 0x101a02\n"
		"nop\nnop\nnop\n"
		"mov r0, vpm",
	  .a = QUADS(0, 1, 0, 1),
	  .answers = {
		{ "writes all lanes", ALL(2) },
		{ "writes those where it holds", QUADS(2, 1, 2, 1) },
		{ "writes 0 where it does not hold", QUADS(2, 0, 2, 0) } } },
	{ .id = "R12", .breaks = 12, .question = "both ALUs writing r0",
	  .source = "mov r1, 1\nmov r2, 2\nmov r0, r1; mov r0, r2",
	  .answers = {
		{ "leaves that of the mul ALU", ALL(2) },
		{ "leaves that of the add ALU", ALL(1) },
		{ "leaves both, or-ed", ALL(3) },
		{ "leaves both, and-ed", ALL(0) } } },
	/* vc4asm's V110.3; if the setup gets lost, the read never ends. */
	{ .id = "R13", .breaks = 13, .risky = true,
	  .question = "a write to the VPM beside a setup for reading",
	  .source =
		"put 0, 0\n"
		"put 2, rb0\n"
		"ldi vw_setup, 0x1a00\n"
		"mov r2, ra0\n"
		"ldi r3, 0x101a02\n"
		"nop\nnop\n"
		"mov vpm, r2; mov vr_setup, r3\n"
		"nop\nnop\nnop\n"
		"mov r1, vpm\n"
		"get r0, 0\n"
		"shl r1, r1, 8\n"
		"or r0, r0, r1",
	  .a = LANES(1, 1), .b = LANES(1, 17),
	  .answers = {
		{ "both are done", LANES(0x101, 0x1101) },
		{ "the write is lost", LANES(0x100, 0x1100) } } },
	{ .id = "R15", .question = "the VPM read right behind the setup",
	  .source =
		"ldi vw_setup, 0x1a02\n"
		"mov vpm, ra0\n"
		"nop\nnop\nnop\nnop\n"
		"ldi vr_setup, 0x101a02\n"
		"mov r0, vpm",
	  .a = LANES(3, 7),
	  .answers = {
		{ "waits for the data", LANES(3, 7) },
		{ "is 0", ALL(0) } } },
	{ 0 }
};
/* clang-format on */
