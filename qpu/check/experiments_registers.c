/* SPDX-License-Identifier: MIT */
/*
 * Registers that are read, rotation, r5, uniforms and branches by register.
 *
 * The uniforms that follow those of the rig are 100, 101, ...  Words written
 * as numbers are instructions that the assembler refuses.
 */
#include "config.h"

#include "qpu/check/experiment.h"

/* Addresses that nothing answers at: mov r0, raN and mov r0, rbN. */
#define UNMAPPED_A(number, low)                                                \
	{                                                                      \
		.id = "read", .question = "ra" #number ", which is nothing",   \
		.source = "mov r1, ra0\n.int " low ", 0x10020827",             \
		.a = LANES(1, 0x100), .answers = {                             \
			{ "is the lane's number", LANES(1, 0) },               \
			{ "is 0", ALL(0) },                                    \
			{ "is what lanes 12 to 15 of file A gave last",        \
			  { 0x10c, 0x10d, 0x10e, 0x10f, 0x10c, 0x10d, 0x10e,   \
			    0x10f, 0x10c, 0x10d, 0x10e, 0x10f, 0x10c, 0x10d,   \
			    0x10e, 0x10f } }                                   \
		}                                                              \
	}
#define UNMAPPED_B(number, low)                                                \
	{                                                                      \
		.id = "read", .question = "rb" #number ", which is nothing",   \
		.source = "mov r1, qpu_num\nadd r1, r1, 1\nmov r2, rb0\n"      \
			  ".int " low ", 0x10020827\nsub r0, r0, r1",          \
		.b = LANES(1, 0x100), .answers = {                             \
			{ "is the QPU's number", ALL(0xffffffff) }             \
		}                                                              \
	}

/* clang-format off */
const struct experiment experiments_registers[] = {
	{ .id = "rx39", .breaks = 35, .question = "reading ra39",
	  .source = "mov r1, ra0\nmov r0, ra39",
	  .a = LANES(1, 0x100),
	  .answers = {
		{ "is what lanes 12 to 15 of file A gave last",
		  { 0x10c, 0x10d, 0x10e, 0x10f, 0x10c, 0x10d, 0x10e, 0x10f,
		    0x10c, 0x10d, 0x10e, 0x10f, 0x10c, 0x10d, 0x10e,
		    0x10f } },
		{ "is all ones", ALL(0xffffffff) },
		{ "is 0", ALL(0) },
		{ "is the lane's number", LANES(1, 0) } } },
	{ .id = "rx39", .breaks = 35, .question = "reading rb39",
	  .source = "mov r1, rb0\nmov r0, rb39",
	  .b = LANES(1, 0x100),
	  .answers = {
		{ "is what lanes 12 to 15 of file B gave last",
		  { 0x10c, 0x10d, 0x10e, 0x10f, 0x10c, 0x10d, 0x10e, 0x10f,
		    0x10c, 0x10d, 0x10e, 0x10f, 0x10c, 0x10d, 0x10e,
		    0x10f } },
		{ "is all ones", ALL(0xffffffff) },
		{ "is 0", ALL(0) } } },
	/* mul nop to r0, beside mov r1, r1. */
	{ .id = "rx39", .breaks = 35, .question = "a mul nop that writes r0",
	  .source = "mov r0, 5\nnop; mov r2, ra0\n"
		    ".int 0x159e7249, 0x10024860",
	  .a = LANES(1, 0x100),
	  .answers = {
		{ "writes lanes 12 to 15 of the last mul result",
		  { 0x10c, 0x10d, 0x10e, 0x10f, 0x10c, 0x10d, 0x10e, 0x10f,
		    0x10c, 0x10d, 0x10e, 0x10f, 0x10c, 0x10d, 0x10e,
		    0x10f } },
		{ "leaves it as it is", ALL(5) } } },
	UNMAPPED_A(33, "0x15867d80"),
	UNMAPPED_A(34, "0x158a7d80"),
	UNMAPPED_B(33, "0x159e1fc0"),
	UNMAPPED_B(34, "0x159e2fc0"),

	{ .id = "U12", .question = "a predicated write of r5quad is governed",
	  .source =
		"mov r0, elem_num\n"
		"ldi r1, 100\n"
		"add r0, r0, r1\n"
		"mov r5quad, r0\n"
		"mov r1, ra0\n"
		"mov.setf -, rb0\n"
		"mov.ifz r5quad, r1\n"
		"nop\n"
		"mov r0, r5",
	  .a = LANES(1, 200),
	  .b = { 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1 },
	  .answers = {
		{ "by the source lane's flag", QUADS(200, 104, 208, 112) },
		{ "by each lane's own flag",
		  { 200, 100, 100, 100, 104, 204, 204, 204, 208, 108, 108,
		    108, 112, 112, 112, 112 } },
		{ "by the flag of lane 0", QUADS(200, 204, 208, 212) },
		{ "by any flag of the quad",
		  QUADS(200, 204, 208, 112) } } },

	{ .id = "U2", .question = "v8adds r1, ra0 rotated by 6",
	  .source = "mov r1, elem_num\nnop\nv8adds.rot 6, r0, r1, ra0",
	  .a = LANES(16, 0),
	  .answers = {
		{ "ra0 within quads, r1 by quads, too", {
			0x2e, 0x3f, 0x0c, 0x1d, 0x62, 0x73, 0x40, 0x51,
			0xa6, 0xb7, 0x84, 0x95, 0xea, 0xfb, 0xc8, 0xd9 } },
		{ "both across all lanes", {
			0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x00, 0x11,
			0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99 } },
		{ "both within quads", {
			0x22, 0x33, 0x00, 0x11, 0x66, 0x77, 0x44, 0x55,
			0xaa, 0xbb, 0x88, 0x99, 0xee, 0xff, 0xcc, 0xdd } },
		{ "ra0 within quads, r1 across all lanes", {
			0x2a, 0x3b, 0x0c, 0x1d, 0x6e, 0x7f, 0x40, 0x51,
			0xa2, 0xb3, 0x84, 0x95, 0xe6, 0xf7, 0xc8,
			0xd9 } } } },
	{ .id = "U2", .question = "ra0 rotated by 6",
	  .source = "nop\nmov.rot 6, r0, ra0",
	  .a = LANES(1, 0),
	  .answers = {
		{ "within quads",
		  { 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13 } },
		{ "across all lanes",
		  { 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8,
		    9 } } } },
	{ .id = "U2", .question = "r4 rotated by 6",
	  .source = "nop\nmov.rot 6, r0, r4",
	  .b = LANES(1, 0),
	  .answers = {
		{ "within quads",
		  { 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13 } },
		{ "across all lanes",
		  { 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8,
		    9 } } } },
	{ .id = "U2", .question = "a condition and a rotation",
	  .source = "mov r1, ra0\nmov.setf -, rb0\nmov r0, 0\n"
		    "mov.rot.ifz 6, r0, r1",
	  .a = LANES(1, 1),
	  .b = QUADS(0, 1, 1, 0),
	  .answers = {
		{ "the condition is the destination's",
		  { 11, 12, 13, 14, 0, 0, 0, 0, 0, 0, 0, 0, 7, 8, 9, 10 } },
		{ "the condition is the source's",
		  { 0, 0, 13, 14, 15, 16, 1, 2, 3, 4, 0, 0, 0, 0, 0,
		    0 } } } },

	/* Words: add r0, unif through file A, unif through file B. */
	{ .id = "uniform", .question = "a uniform read through A and B at once",
	  .source = ".int 0x0c820dc0, 0x10020827\nshl r0, r0, 8\n"
		    "add r0, r0, unif",
	  .answers = {
		{ "is read once", ALL((200 << 8) + 101) },
		{ "is read twice", ALL((201 << 8) + 102) } } },
	{ .id = "U3", .question = "a uniform address written through B",
	  .source = "mov r1, ra30\nadd r1, r1, 8\nmov rb40, r1\n"
		    "nop\nnop\nmov r0, unif",
	  .answers = {
		{ "is absolute", ALL(0x00050004) },
		{ "is ignored", ALL(100) } } },
	{ .id = "R4", .breaks = 4, .question = "a uniform right behind a new address",
	  .source = "mov unif_addr, ra30\nmov r0, unif",
	  .answers = {
		{ "is the new one", ALL(0x00010000) },
		{ "is the next old one", ALL(100) } } },
	{ .id = "R4", .breaks = 4, .question = "a uniform one instruction behind",
	  .source = "mov unif_addr, ra30\nnop\nmov r0, unif",
	  .answers = {
		{ "is the new one", ALL(0x00010000) },
		{ "is the next old one", ALL(100) } } },

	/* Three blocks of 64 bytes; lanes 0, 15 and the others choose. */
	{ .id = "branch", .question = "the lane that decides where brr goes",
	  .source =
		"brr -, ra0, r:1f\nnop\nnop\nnop\n"
		":1\n"
		"mov r0, 1\nbrr -, r:2f\nnop\nnop\nnop\nnop\nnop\nnop\n"
		"mov r0, 2\nbrr -, r:2f\nnop\nnop\nnop\nnop\nnop\nnop\n"
		"mov r0, 3\n"
		":2\n",
	  .a = { 64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 128 },
	  .answers = {
		{ "is lane 15", ALL(3) },
		{ "is lane 0", ALL(2) },
		{ "is another one", ALL(1) } } },
	/* N is the link's highest bit, which differs between boards. */
	{ .id = "branch", .question = "Z behind a branch by an odd register",
	  .breaks = 32,
	  .source =
		"mov ra1, ra0\n"
		"mov.setf -, 0\n"
		"nop\n"
		"brr -, ra1, r:1f\nnop\nnop\nnop\n"
		":1\n"
		"flags\n"
		"and r0, r0, 2",
	  .answers = {
		{ "is the link's", ALL(0) },
		{ "is what it was", ALL(2) } } },
	{ .id = "branch", .question = "a branch not taken",
	  .source = "mov ra1, 7\nmov.setf -, 1\n"
		    "brr.allz ra1, r:1f\nnop\nnop\nnop\n"
		    ":1\nmov r0, ra1",
	  .answers = { { "writes no link", ALL(7) } } },
	{ 0 }
};
/* clang-format on */
