/* SPDX-License-Identifier: MIT */
/*
 * All that the cycle model has a parameter for (timing.c), UNSURE(U4) and
 * UNSURE(U10), and what it has none for.
 */
#include "config.h"

#include "qpu/check/timing.h"

#define INSTRUCTIONS(n, on)                                                    \
	{                                                                      \
		.name = "instruction of a loop of " #n ", " #on " QPU",        \
		.body = ".rep i, " #n " - 5\nnop\n.endr\n", .times = 1,        \
		.units = (n)-TIMING_LOOP_INSTRUCTIONS, .qpus = (on),           \
		.rounds = 40                                                   \
	}

/* 16 lines each; what is behind the mask comes again. */
#define LOOKUPS(kib)                                                           \
	{                                                                      \
		.name = "lookup of 16 lines, " #kib " KiB in turn",            \
		.setup = "lanes 64\nmov r1, 0\nldi r2, 1024\n"                 \
			 "ldi r3, " #kib " * 1024 - 1\n",                      \
		.body = "add t0s, ra1, r1\nadd r1, r1, r2\nand r1, r1, r3\n"   \
			"ldtmu0\n",                                            \
		.times = 8, .units = 1, .qpus = 1, .rounds = 2 * (kib)         \
	}

/* Each lane reads words in turn, wrapped at 4 KiB; 4 lookups in flight. */
#define STREAMS(what, distance, on)                                            \
	{                                                                      \
		.name = "lookup, lanes " what ", " #on " QPU",                 \
		.setup = "lanes " #distance "\nmov r1, 0\nldi r3, 4095\n",     \
		.body = ".rep i, 4\nadd t0s, ra1, r1\nadd r1, r1, 4\n"         \
			"and r1, r1, r3\n.endr\n"                              \
			".rep i, 4\nldtmu0\n.endr\n",                          \
		.times = 8, .units = 4, .qpus = (on), .rounds = 32,            \
		.apart = 65536 + 4096                                          \
	}

#define UNIFORMS(kib)                                                          \
	{                                                                      \
		.name = "uniform, " #kib " KiB in turn",                       \
		.body = "mov unif_addr, rb30\nldi r1, " #kib " * 4\nnop\n"     \
			":piece\n"                                             \
			".rep i, 64\nmov r0, unif\n.endr\n"                    \
			"sub.setf r1, r1, 1\n"                                 \
			"brr.anynz -, r:piece\nnop\nnop\nnop\n",               \
		.times = 1, .units = (kib)*256, .qpus = 1, .rounds = 10        \
	}

#define LOADS(rows, word, on)                                                  \
	{                                                                      \
		.name = "DMA load of " #rows " x 64 bytes, " #on " QPU",       \
		.body = "ldi vr_setup, " word "\nmov vr_addr, rb31\n"          \
			"mov -, vr_wait\n",                                    \
		.times = 8, .units = 1, .qpus = (on), .rounds = 20,            \
		.apart = 8192                                                  \
	}

#define STORES(rows, word, on)                                                 \
	{                                                                      \
		.name = "DMA store of " #rows " x 64 bytes, " #on " QPU",      \
		.setup = "ldi vw_setup, 0xc0000000\n",                         \
		.body = "ldi vw_setup, " word "\nmov vw_addr, rb31\n"          \
			"mov -, vw_wait\n",                                    \
		.times = 8, .units = 1, .qpus = (on), .rounds = 20,            \
		.apart = 8192                                                  \
	}

/* 16 rows that begin some KiB apart, as in long Fourier transforms. */
#define FAR_STORES(kib)                                                        \
	{                                                                      \
		.name = "DMA store of 16 x 64 bytes, " #kib " KiB apart",      \
		.setup = "ldi vw_setup, 0xc0000000 + " #kib " * 1024 - 64\n",  \
		.body = "ldi vw_setup, 0x88104000\nmov vw_addr, rb31\n"        \
			"mov -, vw_wait\n",                                    \
		.times = 8, .units = 1, .qpus = 1, .rounds = 20                \
	}

/* Rows of a word: as programs do that store columns of a matrix. */
#define WORDS(what, before, unit, word)                                        \
	{                                                                      \
		.name = "DMA " what " of 16 x 4 bytes, 1 QPU",                 \
		.setup = before,                                               \
		.body = "ldi " unit "_setup, " word "\nmov " unit              \
			"_addr, rb31\nmov -, " unit "_wait\n",                 \
		.times = 8, .units = 1, .qpus = 1, .rounds = 20, .apart = 8192 \
	}

#define WRITES(how, word, on)                                                  \
	{                                                                      \
		.name = "vector to the VPM, " how ", " #on " QPU",             \
		.setup = "mov r1, 0\n",                                        \
		.body = "ldi vw_setup, " word "\n"                             \
			".rep i, 16\nmov vpm, r1\n.endr\n",                    \
		.times = 8, .units = 16, .qpus = (on), .rounds = 40            \
	}

#define READS(how, word, on)                                                   \
	{                                                                      \
		.name = "vector from the VPM, " how ", " #on " QPU",           \
		.body = "ldi vr_setup, " word "\nnop\nnop\nnop\n"              \
			".rep i, 16\nmov r1, vpm\n.endr\n",                    \
		.times = 8, .units = 16, .qpus = (on), .rounds = 40            \
	}

#define FUNCTIONS(on)                                                          \
	{                                                                      \
		.name = "SFU operation, 4 instructions, " #on " QPU",          \
		.setup = "mov r1, 1.0\n",                                      \
		.body = "mov recip, r1\nnop\nnop\nmov r0, r4\n", .times = 16,  \
		.units = 1, .qpus = (on), .rounds = 100                        \
	}

#define MUTEX(on)                                                              \
	{                                                                      \
		.name = "mutex taken and released, " #on " QPU",               \
		.body = "mov -, mutex\nmov mutex, 0\n", .times = 16,           \
		.units = 1, .qpus = (on), .rounds = 40                         \
	}

/* clang-format off */
const struct timing timing_rows[] = {
	INSTRUCTIONS(120, 1),
	INSTRUCTIONS(120, 12),
	{ .name = "branch taken",
	  .body = "brr -, r:1f\nnop\nnop\nnop\n:1\n",
	  .times = 16, .units = 1, .qpus = 1, .rounds = 100 },
	{ .name = "branch not taken",
	  .setup = "mov.setf -, 1\n",
	  .body = "brr.allz -, r:1f\nnop\nnop\nnop\n:1\n",
	  .times = 16, .units = 1, .qpus = 1, .rounds = 100 },
	FUNCTIONS(1),
	FUNCTIONS(12),

	INSTRUCTIONS(504, 1),
	INSTRUCTIONS(512, 1),
	INSTRUCTIONS(520, 1),
	INSTRUCTIONS(544, 1),
	INSTRUCTIONS(576, 1),
	INSTRUCTIONS(640, 1),
	INSTRUCTIONS(1000, 1),
	INSTRUCTIONS(504, 12),
	INSTRUCTIONS(1000, 12),

	{ .name = "lookup of one word",
	  .setup = "lanes 0\n",
	  .body = "mov t0s, ra1\nldtmu0\n",
	  .times = 16, .units = 1, .qpus = 1, .rounds = 100 },
	{ .name = "lookup of one word, 4 in flight",
	  .setup = "lanes 0\n",
	  .body = ".rep i, 4\nmov t0s, ra1\n.endr\n"
		  ".rep i, 4\nldtmu0\n.endr\n",
	  .times = 8, .units = 4, .qpus = 1, .rounds = 100 },
	{ .name = "lookup of one word, 4 in flight, 12 QPU",
	  .setup = "lanes 0\n",
	  .body = ".rep i, 4\nmov t0s, ra1\n.endr\n"
		  ".rep i, 4\nldtmu0\n.endr\n",
	  .times = 8, .units = 4, .qpus = 12, .rounds = 40 },
	LOOKUPS(1),
	LOOKUPS(2),
	LOOKUPS(4),
	LOOKUPS(8),
	LOOKUPS(16),
	LOOKUPS(32),
	LOOKUPS(64),
	LOOKUPS(128),
	LOOKUPS(256),
	{ .name = "lookup of 16 lines, 4 KiB apart",
	  .setup = "lanes 4096\n",
	  .body = "mov t0s, ra1\nldtmu0\n",
	  .times = 8, .units = 1, .qpus = 1, .rounds = 40 },
	STREAMS("4160 bytes apart", 4160, 1),
	STREAMS("4096 bytes apart", 4096, 1),
	STREAMS("4160 bytes apart", 4160, 12),
	STREAMS("4096 bytes apart", 4096, 12),

	UNIFORMS(1),
	UNIFORMS(2),
	UNIFORMS(4),
	UNIFORMS(8),
	UNIFORMS(16),
	UNIFORMS(64),
	{ .name = "uniform and 7 other instructions, 1 KiB in turn",
	  .body = "mov unif_addr, rb30\nldi r1, 16\nnop\n"
		  ":piece\n"
		  ".rep i, 16\nmov r0, unif\n"
		  "nop\nnop\nnop\nnop\nnop\nnop\nnop\n.endr\n"
		  "sub.setf r1, r1, 1\n"
		  "brr.anynz -, r:piece\nnop\nnop\nnop\n",
	  .times = 1, .units = 256, .qpus = 1, .rounds = 10 },

	WRITES("a row", "0x1a00", 1),
	WRITES("a column", "0x1200", 1),
	WRITES("a row", "0x1a00", 12),
	WRITES("a column", "0x1200", 12),
	{ .name = "vector from the VPM, read at once, 1 QPU",
	  .body = "ldi vr_setup, 0x101a00\nmov r1, vpm\n",
	  .times = 8, .units = 1, .qpus = 1, .rounds = 40 },
	READS("a row", "0x1a00", 1),
	READS("a column", "0x1200", 1),
	READS("a row", "0x1a00", 12),
	READS("a column", "0x1200", 12),

	LOADS(1, "0x83011000", 1),
	LOADS(4, "0x83041000", 1),
	LOADS(16, "0x83001000", 1),
	LOADS(16, "0x83001000", 12),
	WORDS("load", "", "vr", "0x83101000"),
	STORES(1, "0x80904000", 1),
	STORES(4, "0x82104000", 1),
	STORES(16, "0x88104000", 1),
	STORES(64, "0xa0104000", 1),
	STORES(16, "0x88104000", 12),
	FAR_STORES(1),
	FAR_STORES(2),
	FAR_STORES(4),
	FAR_STORES(8),
	WORDS("store", "ldi vw_setup, 0xc0000000\n", "vw", "0x88014000"),

	{ .name = "semaphore there and back",
	  .body = "srel -, 1\nsacq -, 2\n",
	  .other = "sacq -, 1\nsrel -, 2\n",
	  .times = 8, .units = 1, .qpus = 2, .rounds = 40 },
	MUTEX(1),
	MUTEX(12),
	{ 0 }
};
/* clang-format on */
