/* SPDX-License-Identifier: MIT */
/*
 * timing: the parameters of the cycle model, and the sizes of caches.
 *
 * Unit: V3D clocks, or tenths of one where the name says X10; a slot is 4
 * clocks, one instruction.
 *
 * Certainty: S stated in the guide; M measured on hardware by others; C pinned
 * by a hardware counter that the model reproduces; F fitted to published run
 * times of GPU_FFT; G guessed.  The range in brackets.  UNSURE(U4) and
 * UNSURE(U10) cover all of F and G.
 *
 * How well it fits: the event counts of GPU_FFT 2.0 with 4096 points are exact
 * (instructions, lookups, TMU misses, L2 hits and misses), its TMU stalls are
 * 35540 where 35320 were published.  Times of GPU_FFT 1.0 to 3.0, 2^8 to 2^17,
 * are within 10 % of the published ones but for one: see README.md, which also
 * explains COST_VDW_FAR, and tests/foreign/README.md.
 */
#ifndef QPU_EMULATOR_BASE_TIMING_H
#define QPU_EMULATOR_BASE_TIMING_H

/* clang-format off */
enum {
	/* Per slice; fetch on demand, no prefetch: M, C. */
	COST_ICACHE_BYTES = 4096,	/* M: 512 instructions */
	COST_ICACHE_WAYS = 4,		/* S */
	COST_ICACHE_OVERHEAD = 10,	/* F [0..30], on top of the L2 path */

	COST_L2_BYTES = 16384,		/* C [12..24 KiB] */
	COST_L2_WAYS = 4,		/* S */
	COST_L2_HIT = 22,		/* F [16..26] */
	COST_L2_SERVICE = 3,		/* F [2..4], one line after another */
	COST_MEMORY_EXTRA = 32,		/* F [24..45], system L2 behind L2 */
	COST_BUS_LINE = 4,		/* F [3..6] */
	COST_SYSTEM_L2_BYTES = 131072,	/* G, Pi 1; not for the 0xC alias */
	COST_SYSTEM_L2_WAYS = 8,	/* G */
	COST_SDRAM_EXTRA = 10,		/* F [10..40], plus the line */
	COST_SDRAM_LINE_X10 = 155,	/* F [120..180] */
	COST_SDRAM_WRITE_BACK_X10 = 200, /* F [80..200] */

	COST_TMU_BYTES = 4096,		/* C, direct mapped, per unit */
	COST_TMU_ISSUE = 4,		/* S: the writing instruction */
	COST_TMU_LANE = 1,		/* F */
	COST_TMU_TAIL = 8,		/* F [8..15] */
	COST_TMU_MISS = 35,		/* F [10..40], C: TMU stalls */
	COST_TMU_OUTSTANDING = 5,	/* F [4..8] lines per unit */

	COST_UNIFORM_BYTES = 4096,	/* G */
	COST_UNIFORM_WAYS = 4,		/* G */
	COST_UNIFORM_HIT = 3,		/* M [2..6] */
	COST_UNIFORM_MISS = 56,		/* M [48..75] */

	COST_VPM_READ_SETUP = 12,	/* S: 3 slots */
	COST_VPM_VERTICAL = 8,		/* F [4..9] */
	COST_VPM_HORIZONTAL = 4,	/* G */
	/* For a row of 64 bytes, and for one word; the rest lies between. */
	COST_VDR_FIXED = 61,		/* M */
	COST_VDR_ROW_X10 = 194,		/* M */
	COST_VDR_WORD_X10 = 105,	/* M: 16 rows of a word, 230 clocks */
	COST_VDW_FIXED = 39,		/* M */
	COST_VDW_ROW_X10 = 143,		/* M */
	COST_VDW_WORD_X10 = 92,		/* M: 16 rows of a word, 187 clocks */
	/* The least clocks of a row, where rows begin this far apart. */
	COST_VDW_FAR_BYTES = 4096,	/* F (2048..4096] */
	COST_VDW_FAR_ROW_X10 = 330,	/* F [300..350], GPU_FFT above 2^12 */

	COST_MUTEX_HANDOVER = 4,	/* G [0..16] */
	COST_LAUNCH_DIRECT_US = 3,	/* M [1..14] */
	COST_LAUNCH_MAILBOX_US = 85,	/* M [80..100] */
};
/* clang-format on */

#endif
