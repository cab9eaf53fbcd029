/* SPDX-License-Identifier: MIT */
/*
 * timing: the parameters of the cycle model.
 *
 * Unit: V3D clocks, or tenths of one where the name says x10; a slot is 4
 * clocks, one instruction.  The defaults describe a Pi 1 at 250 MHz.
 */
#ifndef QPU_EMULATOR_BASE_TIMING_H
#define QPU_EMULATOR_BASE_TIMING_H

struct machine_timing {
	unsigned clock_mhz;

	unsigned icache_bytes, icache_ways;
	unsigned icache_overhead;
	unsigned l2_bytes, l2_ways;
	unsigned l2_hit, l2_service;
	unsigned memory_extra, bus_line;
	unsigned system_l2_bytes, system_l2_ways;
	unsigned sdram_extra, sdram_line_x10, sdram_write_back_x10;

	unsigned tmu_bytes;
	unsigned tmu_issue, tmu_lane, tmu_tail;
	unsigned tmu_miss, tmu_outstanding;

	unsigned uniform_bytes, uniform_ways;
	unsigned uniform_hit, uniform_miss;

	unsigned vpm_read_setup;
	unsigned vpm_vertical, vpm_horizontal;
	/* These are for a row of 64 bytes and for one word; the clocks of rows
	 * between lie between. */
	unsigned vdr_fixed, vdr_row_x10, vdr_word_x10;
	unsigned vdw_fixed, vdw_row_x10, vdw_word_x10;
	/* The least clocks of a row, where rows begin this many bytes apart. */
	unsigned vdw_far_bytes, vdw_far_row_x10;

	unsigned semaphore_handover, mutex_handover;
	unsigned launch_direct_us, launch_mailbox_us;

	/* The 3D pipeline. */
	unsigned list_packet;	 /* a packet of a control list */
	unsigned vertex_start;	 /* attributes of a batch are loaded */
	unsigned fragment_quads; /* one thread's quads after another's */
	unsigned fragment_start; /* from its quads to its first instruction */
	unsigned tile_fixed;	 /* a load or a store of a tile */
	unsigned tile_line_x10;	 /* each 64 bytes of it */
};

extern const struct machine_timing machine_timing_default;

#endif
