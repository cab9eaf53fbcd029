/* SPDX-License-Identifier: MIT */
/*
 * The VPM without DMA, lookups and long streams of uniforms.
 */
#include "config.h"

#include "qpu/check/experiment.h"

/* Requests in flight, for ra30 + 4 * i, of a TMU that may take only 4. */
#define TMU_DEPTH(n)                                                           \
	{                                                                      \
		.id = "TMU", .question = #n " lookups in flight",              \
		.risky = (n) > 4, .breaks = (n) > 4 ? 21 : 0,                  \
		.source = "mov r1, ra30\n"                                     \
			  ".rep i, " #n                                        \
			  "\nmov t0s, r1\nadd r1, r1, 4\n.endr\n"              \
			  "mov r0, 0\n"                                        \
			  ".rep i, " #n "\nldtmu0\nadd r0, r0, r4\n.endr\n",   \
		.answers = {                                                   \
			{ "all come back",                                     \
			  ALL((n) * ((n)-1) + (((n) * (n)) << 16)) }           \
		}                                                              \
	}

/* clang-format off */
const struct experiment experiments_memory[] = {
	{ .id = "U8", .question = "rows of the VPM that keep what is written",
	  .source =
		"ldi vw_setup, 0x1a00\n"
		"mov r1, 0\n"
		".rep i, 64\n"
		"mov vpm, r1\n"
		"add r1, r1, 1\n"
		".endr\n"
		"mov r2, 0\n"
		".rep batch, 4\n"
		"nop\nnop\nnop\nnop\n"
		"ldi vr_setup, 0x1a00 | batch * 16\n"
		"nop\nnop\nnop\n"
		".rep i, 16\n"
		"mov r1, vpm\n"
		"xor.setf r1, r1, r2\n"
		"add.ifz r0, r0, 1\n"
		"add r2, r2, 1\n"
		".endr\n"
		".endr\n",
	  .answers = {
		{ "are all 64", ALL(64) },
		{ "are 48", ALL(48) },
		{ "are 32", ALL(32) },
		{ "are 16", ALL(16) } } },
	{ .id = "VPM", .question = "a vector written behind row 63",
	  .source =
		"put 0, 5\n"
		"ldi vw_setup, 0x1a3f\n"
		"mov vpm, 7\n"
		"mov vpm, 9\n"
		"get r1, 0\n"
		"get r0, 63\n"
		"shl r1, r1, 8\n"
		"or r0, r0, r1",
	  .answers = {
		{ "goes to row 0", ALL(0x907) },
		{ "is lost", ALL(0x507) },
		{ "goes to row 63 again", ALL(0x509) } } },
	{ .id = "VPM", .question = "a stride of 0 between written vectors",
	  .source =
		"put 0, 4\n"
		"put 1, 5\n"
		"ldi vw_setup, 0xa00\n"
		"mov vpm, 7\n"
		"mov vpm, 9\n"
		"get r1, 0\n"
		"get r0, 1\n"
		"shl r1, r1, 8\n"
		"or r0, r0, r1",
	  .answers = {
		{ "is 64 rows: the same row again", ALL(0x905) },
		{ "is 1 row", ALL(0x709) },
		{ "is 64 rows: the second is lost", ALL(0x705) } } },
	{ .id = "VPM", .question = "a byte read, packed",
	  .source = "put 0, ra0\nget_by 0x101800, r0",
	  .a = ALL(0x80ff7f01),
	  .answers = {
		{ "is without sign", {
			0x01, 0x7f, 0xff, 0x80, 0x01, 0x7f, 0xff, 0x80,
			0x01, 0x7f, 0xff, 0x80, 0x01, 0x7f, 0xff, 0x80 } },
		{ "is with sign", {
			0x01, 0x7f, 0xffffffff, 0xffffff80,
			0x01, 0x7f, 0xffffffff, 0xffffff80,
			0x01, 0x7f, 0xffffffff, 0xffffff80,
			0x01, 0x7f, 0xffffffff, 0xffffff80 } } } },
	{ .id = "VPM", .question = "a half read, laned",
	  .source = "put 0, ra0\nget_by 0x101d01, r0",
	  .a = LANES(0x00010001, 0x80000000),
	  .answers = {
		{ "is the lane's upper half, without sign",
		  LANES(1, 0x8000) },
		{ "is the lane's upper half, with sign",
		  LANES(1, 0xffff8000u) } } },
	{ .id = "VPM", .question = "a vertical half written, packed",
	  .source =
		"ldi vw_setup, 0x1a00\n"
		".rep i, 16\nmov vpm, 0\n.endr\n"
		"ldi vw_setup, 0x1107\n"
		"mov vpm, ra0\n"
		"get_by 0x101203, r0",
	  .a = LANES(1, 0x101),
	  .answers = {
		{ "fills the words of 8 rows from row 8",
		  { 0, 0, 0, 0, 0, 0, 0, 0, 0x01020101, 0x01040103,
		    0x01060105, 0x01080107, 0x010a0109, 0x010c010b,
		    0x010e010d, 0x0110010f } },
		{ "fills the words of 8 rows from row 0",
		  { 0x01020101, 0x01040103, 0x01060105, 0x01080107,
		    0x010a0109, 0x010c010b, 0x010e010d, 0x0110010f,
		    0, 0, 0, 0, 0, 0, 0, 0 } } } },

	{ .id = "TMU", .question = "the two lowest bits of an address",
	  .source =
		"and r1, elem_num, 3\n"
		"mov r2, ra30\n"
		"add r1, r1, r2\n"
		"shl r2, elem_num, 2\n"
		"add t0s, r1, r2\n"
		"ldtmu0\n"
		"mov r0, r4",
	  .answers = {
		{ "are ignored", LANES(0x00020002, 0x00010000) } } },
	{ .id = "TMU", .question = "r4 in the instruction that loads it",
	  .source =
		"mov t0s, ra30\n"
		"nop\n"
		"mov r0, r4; ldtmu0\n",
	  .b = ALL(77),
	  .answers = {
		{ "is the one before", ALL(77) },
		{ "is the new one", ALL(0x00010000) } } },
	/* VC4C, issue 60: the old one. */
	{ .id = "TMU", .breaks = 30,
	  .question = "a word stored between two lookups",
	  .source =
		"mov t0s, rb30\n"
		"nop; ldtmu0\n"
		"put 0, 7\n"
		"store 0x80904000, 0, rb30\n"
		"mov t0s, rb30\n"
		"nop; ldtmu0\n"
		"mov r0, r4\n",
	  .answers = {
		{ "is the new one", ALL(7) },
		{ "is the old one", ALL(0) } } },
	/* There is no MMU; what comes back is unknown. */
	{ .id = "TMU", .breaks = 33,
	  .question = "a lookup 16 MiB behind the program's memory",
	  .source =
		"ldi r1, 0x1000000\n"
		"add t0s, ra30, r1\n"
		"nop; ldtmu0\n"
		"mov r0, 1\n",
	  .answers = {
		{ "comes back", ALL(1) } } },
	TMU_DEPTH(4),
	TMU_DEPTH(5),
	TMU_DEPTH(6),
	TMU_DEPTH(7),
	TMU_DEPTH(8),

	/* 9 times 512 words of the numbers. */
	{ .id = "U7", .question = "the last of 4608 uniforms of a program",
	  .source =
		"mov r1, 9\n"
		":stream\n"
		"mov unif_addr, ra30\n"
		"ldi r2, 64\n"
		"nop\n"
		":piece\n"
		".rep i, 8\nmov r0, unif\n.endr\n"
		"sub.setf r2, r2, 1\n"
		"brr.anynz -, r:piece\nnop\nnop\nnop\n"
		"sub.setf r1, r1, 1\n"
		"brr.anynz -, r:stream\nnop\nnop\nnop\n",
	  .answers = {
		{ "is right: there is no limit", ALL(0x03ff03fe) },
		{ "is 0", ALL(0) } } },
	{ 0 }
};
/* clang-format on */
