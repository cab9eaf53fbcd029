/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/base/timing.h"

/*
 * Certainty: S the guide says so; M measured on hardware by somebody; C pinned
 * by a hardware counter that the model reproduces; F fitted to published run
 * times of GPU_FFT; G guessed.  The range in brackets.  UNSURE(U4) and
 * UNSURE(U10) cover all of F and G.
 *
 * How well it fits: the event counts of GPU_FFT 2.0 with 4096 points are exact
 * (instructions, lookups, TMU misses, L2 hits and misses), its TMU stalls are
 * 35540 where 35320 were published.  Times of GPU_FFT 1.0 to 3.0, 2^8 to 2^17,
 * are within 10 % of the published ones but for one: see tests/foreign/README.md
 * and, for vdw_far, README.md.
 */
/* clang-format off */
const struct machine_timing machine_timing_default = {
	.clock_mhz = 250,		/* Pi 1, Pi 2 */

	/* Per slice; fetch on demand, no prefetch: M, C. */
	.icache_bytes = 4096,		/* M: 512 instructions */
	.icache_ways = 4,		/* S */
	.icache_overhead = 10,		/* F [0..30], on top of the L2 path */

	.l2_bytes = 16384,		/* C [12..24 KiB] */
	.l2_ways = 4,			/* S */
	.l2_hit = 22,			/* F [16..26] */
	.l2_service = 3,		/* F [2..4], one line after another */
	.memory_extra = 32,		/* F [24..45], system L2 behind L2 */
	.bus_line = 4,			/* F [3..6] */
	.system_l2_bytes = 131072,	/* G, Pi 1; not for the 0xC alias */
	.system_l2_ways = 8,		/* G */
	.sdram_extra = 10,		/* F [10..40], besides the line */
	.sdram_line_x10 = 155,		/* F [120..180] */
	.sdram_write_back_x10 = 200,	/* F [80..200] */

	.tmu_bytes = 4096,		/* C, direct mapped, per unit */
	.tmu_issue = 4,			/* S: the writing instruction */
	.tmu_lane = 1,			/* F */
	.tmu_tail = 8,			/* F [8..15] */
	.tmu_miss = 35,			/* F [10..40], C: TMU stalls */
	.tmu_outstanding = 5,		/* F [4..8] lines per unit */

	.uniform_bytes = 4096,		/* G */
	.uniform_ways = 4,		/* G */
	.uniform_hit = 3,		/* M [2..6] */
	.uniform_miss = 56,		/* M [48..75] */

	.vpm_read_setup = 12,		/* S: 3 slots */
	.vpm_vertical = 8,		/* F [4..9] */
	.vpm_horizontal = 4,		/* G */
	.vdr_fixed = 61,		/* M */
	.vdr_row_x10 = 194,		/* M */
	.vdr_word_x10 = 105,		/* M: 16 rows of a word, 230 clocks */
	.vdw_fixed = 39,		/* M */
	.vdw_row_x10 = 143,		/* M */
	.vdw_word_x10 = 92,		/* M: 16 rows of a word, 187 clocks */
	.vdw_far_bytes = 4096,		/* F (2048..4096] */
	.vdw_far_row_x10 = 330,		/* F [300..350], GPU_FFT above 2^12 */

	.semaphore_handover = 0,	/* M [0..2] */
	.mutex_handover = 4,		/* G [0..16] */
	.launch_direct_us = 3,		/* M [1..14] */
	.launch_mailbox_us = 85,	/* M [80..100] */

	.list_packet = 8,		/* G [2..32] */
	.vertex_start = 100,		/* G [60..300], like a DMA load */
	.fragment_quads = 16,		/* G [4..32]; S: a quad a clock at best */
	.fragment_start = 24,		/* G [8..60] */
	.tile_fixed = 40,		/* G [20..100], like a DMA store */
	.tile_line_x10 = 60,		/* G [40..155], bus to SDRAM */
};
/* clang-format on */
