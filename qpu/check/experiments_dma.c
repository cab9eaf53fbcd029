/* SPDX-License-Identifier: MIT */
/*
 * DMA: bytes and halves, long rows, pitches, and addresses at the edges.
 */
#include "config.h"

#include "qpu/check/experiment.h"

/* Rows 0 to 3 of the VPM: lane i of row y is 16 * y + i. */
#define FOUR_ROWS                                                              \
	"ldi vw_setup, 0x1a00\n"                                               \
	"ldi r2, 16\n"                                                         \
	"mov r1, elem_num\n"                                                   \
	".rep i, 4\nmov vpm, r1\nadd r1, r1, r2\n.endr\n"

/* Rows 0 to 31, all 0. */
#define NO_ROWS "ldi vw_setup, 0x1a00\n.rep i, 32\nmov vpm, 0\n.endr\n"

/* The low bytes of r1 and r2, in bytes 0 and 1 of r0. */
#define LOW_BYTES                                                              \
	"ldi r3, 0xff\nand r1, r1, r3\nand r2, r2, r3\nshl r2, r2, 8\n"        \
	"or r0, r1, r2"

/* 64 bytes behind an address that is in a register, to ra1. */
#define LINE_BEHIND(reg) "ldi r1, 64\nadd ra1, " reg ", r1\n"

/* clang-format off */
const struct experiment experiments_dma[] = {
	{ .id = "U6", .question = "two rows of halves loaded, VPITCH 1",
	  .source = NO_ROWS "load 0xa3021000, ra30\n"
		    "get r0, 0\nget r1, 1\nshl r1, r1, 8\nadd r0, r0, r1",
	  .answers = {
		{ "the second fills the other halves of the words",
		  LANES(0x00010001, 0x00200000) },
		{ "the second goes to the next row", LANES(0x0101, 0x2000) },
		{ "the second replaces the first", LANES(1, 32) } } },
	{ .id = "U6", .question = "two rows of halves loaded, VPITCH 2",
	  .source = NO_ROWS "load 0xa3022000, ra30\n"
		    "get r0, 0\nget r1, 1\nget r2, 2\nshl r1, r1, 8\n"
		    "add r0, r0, r1\nshl r2, r2, 8\nshl r2, r2, 8\n"
		    "add r0, r0, r2",
	  .answers = {
		{ "the second goes to the next row", LANES(0x0101, 0x2000) },
		{ "the second goes two rows further",
		  LANES(0x00010001, 0x00200000) } } },
	{ .id = "U6", .question = "a row of upper halves loaded",
	  .source = NO_ROWS "load 0xb3011000, ra30\nget r0, 0",
	  .answers = {
		{ "fills the upper halves", LANES(0x00010000, 0) },
		{ "fills the lower halves", LANES(1, 0) } } },
	{ .id = "U6", .question = "four rows of bytes loaded, VPITCH 1",
	  .source = NO_ROWS "load 0xc3041000, ra30\nget r0, 0",
	  .answers = {
		{ "fill the four bytes of the words",
		  { 0x60402000, 0, 0x61412101, 0, 0x62422202, 0, 0x63432303,
		    0, 0x64442404, 0, 0x65452505, 0, 0x66462606, 0,
		    0x67472707, 0 } },
		{ "go to four rows",
		  { 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0 } } } },
	{ .id = "U6", .question = "a row loaded to column 8 and further",
	  .source = NO_ROWS LINE_BEHIND("ra30")
		    "nop\nload 0x83011008, ra1\n"
		    "get r1, 0\nget r2, 1\n" LOW_BYTES,
	  .answers = {
		{ "goes on at column 0 of its row",
		  { 48, 50, 52, 54, 56, 58, 60, 62, 32, 34, 36, 38, 40, 42,
		    44, 46 } },
		{ "goes on in the next row",
		  { 48 << 8, 50 << 8, 52 << 8, 54 << 8, 56 << 8, 58 << 8,
		    60 << 8, 62 << 8, 32, 34, 36, 38, 40, 42, 44, 46 } },
		{ "ends at the last column",
		  { 0, 0, 0, 0, 0, 0, 0, 0, 32, 34, 36, 38, 40, 42, 44,
		    46 } } } },
	{ .id = "U6", .question = "a column loaded to row 8 and further",
	  .source = NO_ROWS LINE_BEHIND("ra30")
		    "nop\nload 0x83011883, ra1\n"
		    "get_by 0x101203, r1\nget_by 0x101213, r2\n" LOW_BYTES,
	  .answers = {
		{ "goes on in row 16",
		  { 48 << 8, 50 << 8, 52 << 8, 54 << 8, 56 << 8, 58 << 8,
		    60 << 8, 62 << 8, 32, 34, 36, 38, 40, 42, 44, 46 } },
		{ "goes on in row 0",
		  { 48, 50, 52, 54, 56, 58, 60, 62, 32, 34, 36, 38, 40, 42,
		    44, 46 } },
		{ "ends at row 15",
		  { 0, 0, 0, 0, 0, 0, 0, 0, 32, 34, 36, 38, 40, 42, 44,
		    46 } } } },
	{ .id = "U6", .question = "a row loaded to row 64",
	  .source = "put 0, 5\nload 0x83011400, ra30\nget r0, 0",
	  .answers = {
		{ "goes to row 0", LANES(0x00020002, 0x00010000) },
		{ "does not go to row 0", ALL(5) } } },
	/* py-videocore's sgemm uses 12288; qmkl saw errors from 16384 on. */
	{ .id = "DMA", .question = "a pitch in memory of 8256 bytes",
	  .source = NO_ROWS "ldi vr_setup, 0x90002040\n"
		    "load 0x80021000, ra30\nget r0, 1",
	  .answers = {
		{ "is that", ALL(0) },
		{ "is 64: it has 13 bits", LANES(0x00020002, 0x00210020) } } },
	{ .id = "DMA", .breaks = 34,
	  .question = "a pitch in memory of 16448 bytes",
	  .source = NO_ROWS "ldi vr_setup, 0x90004040\n"
		    "load 0x80021000, ra30\nget r0, 1",
	  .answers = {
		{ "is 64: it has 14 bits", LANES(0x00020002, 0x00210020) },
		{ "is that", ALL(0) } } },
	{ .id = "DMA", .question = "a load from 4 bytes behind a line's start",
	  .source = "mov r1, ra30\nadd ra1, r1, 4\nnop\nfetch r0, ra1",
	  .answers = {
		{ "is exact", LANES(0x00020002, 0x00030002) },
		{ "is from the line's start",
		  LANES(0x00020002, 0x00010000) } } },
	{ .id = "DMA", .question = "a load started while another one runs",
	  .source =
		NO_ROWS LINE_BEHIND("ra30")
		"ldi vr_setup, 0x83011000\n"
		"mov vr_addr, ra30\n"
		"ldi vr_setup, 0x83011010\n"
		"mov vr_addr, ra1\n"
		"mov -, vr_wait\n"
		"get r1, 0\nget r2, 1\n" LOW_BYTES,
	  .answers = {
		{ "waits", LANES(0x0202, 0x2000) },
		{ "is lost", LANES(2, 0) },
		{ "takes its place", LANES(0x0200, 0x2000) } } },

	{ .id = "U6", .question = "a stored row of 32 words",
	  .source = FOUR_ROWS LINE_BEHIND("rb30")
		    "store 0x80a04000, 0, rb30\nfetch r0, ra1",
	  .answers = {
		{ "goes on in the next row", LANES(1, 16) },
		{ "goes on in its row", LANES(1, 0) },
		{ "ends with its row", ALL(0) } } },
	{ .id = "U6", .question = "a stored row that starts at column 8",
	  .source = FOUR_ROWS "store 0x80904040, 0, rb30\nfetch r0, rb30",
	  .answers = {
		{ "goes on in the next row", LANES(1, 8) },
		{ "goes on in its row",
		  { 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6,
		    7 } } } },
	{ .id = "U6", .question = "the second of two stored rows of 32 words",
	  .source = FOUR_ROWS "ldi r1, 128\nadd ra1, rb30, r1\n"
		    "store 0x81204000, 0, rb30\nfetch r0, ra1",
	  .answers = {
		{ "starts one row further", LANES(1, 16) },
		{ "starts two rows further", LANES(1, 32) } } },
	{ .id = "U6", .question = "two rows of 8 words stored in block mode",
	  .source = FOUR_ROWS "store 0x81084000, 0x10000, rb30\n"
		    "fetch r0, rb30",
	  .answers = {
		{ "are in two rows",
		  { 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22,
		    23 } },
		{ "are in one row of the VPM", LANES(1, 0) } } },
	{ .id = "U6", .question = "two columns of 8 words stored in block mode",
	  .source = NO_ROWS "put 0, rb0\nput 8, ra0\n"
		    "store 0x81080000, 0x10000, rb30\nfetch r0, rb30",
	  .a = LANES(1, 1), .b = LANES(1, 17),
	  .answers = {
		{ "are two columns",
		  { 17, 0, 0, 0, 0, 0, 0, 0, 18, 0, 0, 0, 0, 0, 0, 0 } },
		{ "are one column",
		  { 17, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0 } } } },
	/* vc4asm, issue 27: two equal blocks. */
	{ .id = "DMA", .question = "word 16 of a stored column of 32",
	  .source = NO_ROWS LINE_BEHIND("rb30") "put 0, 1\nput 16, 2\n"
		    "store 0x80a00000, 0, rb30\nfetch r0, ra1",
	  .answers = {
		{ "is in row 0", { 1 } },
		{ "is in row 16", { 2 } },
		{ "is not stored", ALL(0) } } },
	{ .id = "DMA", .question = "a column of 16 words stored from row 8",
	  .source = NO_ROWS "put 0, 1\nput 16, 2\n"
		    "store 0x80900400, 0, rb30\nfetch r0, rb30",
	  .answers = {
		{ "goes on in row 0",
		  { 0, 0, 0, 0, 0, 0, 0, 0, 1 } },
		{ "goes on in row 16",
		  { 0, 0, 0, 0, 0, 0, 0, 0, 2 } },
		{ "ends at row 15", ALL(0) } } },
	{ .id = "U6", .question = "a row stored as halves",
	  .source = "put 0, ra0\nstore 0x80904002, 0, rb30\nfetch r0, rb30",
	  .a = LANES(0x00010001, 0x00200000),
	  .answers = {
		{ "is its lower halves, packed",
		  { 0x00010000, 0x00030002, 0x00050004, 0x00070006,
		    0x00090008, 0x000b000a, 0x000d000c, 0x000f000e,
		    0, 0, 0, 0, 0, 0, 0, 0 } },
		{ "is its upper halves, packed",
		  { 0x00210020, 0x00230022, 0x00250024, 0x00270026,
		    0x00290028, 0x002b002a, 0x002d002c, 0x002f002e,
		    0, 0, 0, 0, 0, 0, 0, 0 } } } },
	{ .id = "U6", .question = "the second of two rows stored as halves",
	  .source = "put 0, ra0\nldi r1, 0x100\nadd r1, ra0, r1\nput 1, r1\n"
		    "ldi r1, 32\nadd ra1, rb30, r1\n"
		    "store 0x81104002, 0, rb30\nfetch r0, ra1",
	  .a = LANES(0x00010001, 0x00200000),
	  .answers = {
		{ "is the lower halves of the next row",
		  { 0x01010100, 0x01030102, 0x01050104, 0x01070106,
		    0x01090108, 0x010b010a, 0x010d010c, 0x010f010e,
		    0, 0, 0, 0, 0, 0, 0, 0 } },
		{ "is the upper halves of the first row",
		  { 0x00210020, 0x00230022, 0x00250024, 0x00270026,
		    0x00290028, 0x002b002a, 0x002d002c, 0x002f002e,
		    0, 0, 0, 0, 0, 0, 0, 0 } } } },
	{ .id = "U6", .question = "a row stored as bytes, MODEW 5",
	  .source = "put 0, ra0\nstore 0x80904005, 0, rb30\nfetch r0, rb30",
	  .a = LANES(0x01010101, 0x30201000),
	  .answers = {
		{ "is the second bytes, packed",
		  { 0x13121110, 0x17161514, 0x1b1a1918, 0x1f1e1d1c,
		    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 } },
		{ "is the lowest bytes, packed",
		  { 0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c,
		    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 } } } },
	{ .id = "U6", .question = "a row stored from row 64",
	  .source = "put 0, ra0\nstore 0x80906000, 0, rb30\n"
		    "fetch r0, rb30",
	  .a = LANES(3, 1),
	  .answers = {
		{ "is row 0", LANES(3, 1) },
		{ "is 0", ALL(0) } } },
	{ .id = "DMA", .question = "8192 bytes between stored rows",
	  .source = FOUR_ROWS "ldi r1, 8256\nadd ra2, rb30, r1\n"
		    LINE_BEHIND("rb30")
		    "store 0x81104000, 0x2000, rb30\n"
		    "fetch r2, ra1\nfetch r1, ra2\nshl r2, r2, 8\n"
		    "add r0, r1, r2",
	  .answers = {
		{ "are that", LANES(1, 16) },
		{ "are 0: the stride has 13 bits", LANES(0x100, 0x1000) } } },
	{ .id = "DMA", .question = "a store to 4 bytes behind a line's start",
	  .source = FOUR_ROWS "mov r1, 4\nadd ra1, rb30, r1\nnop\n"
		    "store 0x80904080, 0, ra1\nfetch r0, rb30",
	  .answers = {
		{ "is exact",
		  { 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
		    29, 30 } },
		{ "is to the line's start", LANES(1, 16) } } },
	{ .id = "DMA", .question = "a store started while another one runs",
	  .risky = true,
	  .source =
		FOUR_ROWS LINE_BEHIND("rb30")
		"ldi vw_setup, 0x80904000\n"
		"ldi vw_setup, 0xc0000000\n"
		"mov vw_addr, rb30\n"
		"ldi vw_setup, 0x80904080\n"
		"mov vw_addr, ra1\n"
		"mov -, vw_wait\n"
		"fetch r0, rb30\nfetch r1, ra1\nshl r1, r1, 8\n"
		"add r0, r0, r1",
	  .answers = {
		{ "waits", LANES(0x101, 0x1000) },
		{ "is lost", LANES(1, 0) },
		{ "takes its place", LANES(0x100, 0x1000) } } },
	{ 0 }
};
/* clang-format on */
