/* SPDX-License-Identifier: MIT */
/*
 * Flags: of which value, from which ALU, and what C is.  C, Z and N are shown
 * as 1, 2 and 4.
 */
#include "config.h"

#include "qpu/check/experiment.h"

/* clang-format off */
const struct experiment experiments_flags[] = {
	{ .id = "U1", .question = "Z of a result packed to 16 bits",
	  .source = "mov ra1, 0\nnop\nadd.setf ra1.16a, ra0, rb0\nflags",
	  .a = QUADS(0x00010000, 0x00000000, 0x00020000, 0x00000001),
	  .answers = {
		{ "is of the result before", QUADS(0, 2, 0, 0) },
		{ "is of the packed one", QUADS(2, 2, 2, 0) } } },

	{ .id = "U1", .question = "N of a sum that saturates when packed",
	  .source = "mov ra1, 0\nnop\nadd.setf ra1.16as, ra0, rb0\nflags",
	  .a = QUADS(0x7fffffff, 0x80000000, 0x00008000, 0x00000005),
	  .b = QUADS(0x00000001, 0xffffffff, 0x00000000, 0x00000000),
	  .answers = {
		{ "is of the sum that wraps", QUADS(4, 1, 0, 0) },
		{ "is of the saturated sum", QUADS(0, 5, 0, 0) } } },

	{ .id = "U1", .question = "C of mul24",
	  .source = "mul24.setf r1, ra0, rb0\nflags",
	  .a = QUADS(0x00ffffff, 0x00001000, 0x00010000, 0x00ffffff),
	  .b = QUADS(0x00000001, 0x00001000, 0x00010000, 0x00ffffff),
	  .answers = {
		{ "is set above 24 bits", QUADS(0, 1, 3, 5) },
		{ "is set above 32 bits", QUADS(0, 0, 3, 5) },
		{ "is never set", QUADS(0, 0, 2, 4) } } },

	{ .id = "U1", .question = "C of itof",
	  .source = "itof.setf r1, ra0\nflags",
	  .a = QUADS(1, 0, 0xffffffff, 0x7fffffff),
	  .answers = {
		{ "is never set", QUADS(0, 2, 4, 0) },
		{ "is set for what is above 0", QUADS(1, 2, 4, 1) } } },

	{ .id = "U1", .question = "C of fmul",
	  .source = "fmul.setf r1, ra0, rb0\nflags",
	  .a = QUADS(0x3f800000, 0xbf800000, 0x00000000, 0x7fc00000),
	  .b = ALL(0x3f800000),
	  .answers = {
		{ "is never set", QUADS(0, 4, 2, 0) },
		{ "is set for NaN", QUADS(0, 4, 2, 1) },
		{ "is set for what is above 0", QUADS(1, 4, 2, 1) } } },

	{ .id = "flags", .question = "C of fadd",
	  .source = "fadd.setf r1, ra0, rb0\nflags",
	  .a = QUADS(0x3f800000, 0xbf800000, 0x3f800000, 0x7fc00000),
	  .b = QUADS(0x3f800000, 0xbf800000, 0xbf800000, 0x3f800000),
	  .answers = {
		{ "is set for what is above 0", QUADS(1, 4, 2, 1) },
		{ "is never set", QUADS(0, 4, 2, 0) } } },

	{ .id = "flags", .question = "C of fmin and fmax",
	  .source = "fmin.setf r1, ra0, rb0\nflags\n"
		    "mov r2, r0\nfmax.setf r1, ra0, rb0\nflags\n"
		    "shl r2, r2, 4\nor r0, r0, r2",
	  .a = QUADS(0x3f800000, 0x40000000, 0xbf800000, 0x3f800000),
	  .b = QUADS(0x40000000, 0x3f800000, 0x3f800000, 0x3f800000),
	  .answers = {
		{ "is a > b", QUADS(0x00, 0x11, 0x40, 0x00) },
		{ "is never set", QUADS(0x00, 0x00, 0x40, 0x00) } } },

	{ .id = "flags", .question = "C of shr by 0 to 15",
	  .source = "mov r2, elem_num\nshr.setf r1, ra0, r2\nflags",
	  .a = ALL(0x8000a5a5),
	  .answers = {
		{ "is the last bit out", {
			4, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0 } },
		{ "is never set", {
			4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 } } } },

	{ .id = "flags", .question = "C of shl by 0 to 15",
	  .source = "mov r2, elem_num\nshl.setf r1, ra0, r2\nflags",
	  .a = ALL(0xa5a50000),
	  .answers = {
		{ "is the last bit out", {
			4, 1, 4, 1, 0, 4, 1, 4, 5, 1, 4, 1, 0, 4, 1, 4 } },
		{ "is never set", {
			4, 0, 4, 0, 0, 4, 0, 4, 4, 0, 4, 0, 0, 4, 0,
			4 } } } },

	{ .id = "flags", .question = "C of ror by 0 to 15",
	  .source = "mov r2, elem_num\nror.setf r1, ra0, r2\nflags",
	  .a = ALL(0x00000003),
	  .answers = {
		{ "is never set", {
			0, 4, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 } },
		{ "is the last bit that went around", {
			0, 5, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
			0 } } } },

	{ .id = "flags", .question = "C behind a logical operation",
	  .source = "ldi r1, 0xffffffff\nadd.setf r1, r1, 1\n"
		    "and.setf r1, ra0, rb0\nflags",
	  .a = ALL(1), .b = ALL(1),
	  .answers = {
		{ "is cleared", ALL(0) },
		{ "stays as it was", ALL(1) } } },

	{ .id = "flags", .question = "C behind ldi.setf",
	  .source = "ldi r1, 0xffffffff\nadd.setf r1, r1, 1\n"
		    "ldi.setf r1, 5\nflags",
	  .answers = {
		{ "is cleared", ALL(0) },
		{ "stays as it was", ALL(1) } } },

	/* A sum below 0 that is not written, beside a move of 0. */
	{ .id = "flags", .question = "sf with cond_add = never",
	  .source = "mov r2, 0\nmov.setf -, 1\n"
		    "sub.setf.never -, ra0, rb0; mov r1, r2\nflags",
	  .a = ALL(1), .b = ALL(2),
	  .answers = {
		{ "sets nothing", ALL(0) },
		{ "sets those of the mul ALU", ALL(2) },
		{ "sets those of the add ALU", ALL(5) } } },

	/* The word is a nop with sf. */
	{ .id = "U1", .question = "sf where both ALUs do nothing",
	  .source = "mov.setf r1, ra0\n.int 0x009e7000, 0x100029e7\nflags",
	  .a = QUADS(0, 1, 0x80000000, 0),
	  .answers = {
		{ "sets nothing", QUADS(2, 0, 4, 2) },
		{ "sets those of 0", ALL(2) } } },

	{ .id = "flags", .question = "sf and a condition in one instruction",
	  .source = "mov.setf -, ra0\n"
		    "mov r0, 7; mov r1, 7\n"
		    "sub.setf -, ra0, rb0; mov.ifz r1, r3\n"
		    "mov r0, r1",
	  .a = QUADS(0, 1, 0, 1), .b = QUADS(0, 0, 1, 1),
	  .answers = {
		{ "the condition is of the flags before", QUADS(0, 7, 0, 7) },
		{ "the condition is of the new flags",
		  QUADS(0, 7, 7, 0) } } },

	{ .id = "flags", .question = "sf with a condition",
	  .source = "mov.setf -, ra0\nmov.setf.ifz -, rb0\nflags",
	  .a = QUADS(0, 1, 0, 1),
	  .b = QUADS(0, 0, 0x80000000, 0x80000000),
	  .answers = {
		{ "sets flags only where it holds", QUADS(2, 0, 4, 0) },
		{ "sets flags in all lanes", QUADS(2, 2, 4, 4) } } },
	{ 0 }
};
/* clang-format on */
