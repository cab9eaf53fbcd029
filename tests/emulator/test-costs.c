/* SPDX-License-Identifier: MIT */
/*
 * Each cost of the cycle model shows: short programs with the clocks that they
 * are stalled, and no cost can change, down or up, without one of them taking
 * another time.  Where a better measurement changes a cost, they change, too.
 */
#include "config.h"

#include <stddef.h>

#include "qpu/emulator/timing.h"
#include "tests/emulator/job.h"

/* The address of the data is in ra0; lanes are `r1` bytes apart. */
#define DATA "mov ra0, unif\nmov r0, elem_num\nnop\n"
#define LOOK "add t0s, ra0, r1\nldtmu0\n"
#define APART(shift) "shl r1, r0, " #shift "\n"
/* n KiB, 16 lines at a time, by one unit. */
#define SWEEP(n, unit)                                                         \
	APART(6)                                                               \
	"ldi r2, 1024\n.rep i, " #n "\nadd t" #unit "s, ra0, r1\nldtmu" #unit  \
	"\nadd r1, r1, r2\n.endr\n"
/* A line of the same set of L2, and of the TMU's cache. */
#define SET(line) "ldi r1, " #line "000\n" LOOK
/* Two lines of code on, so that what follows was fetched. */
#define SETTLE ".rep i, 16\nnop\n.endr\n"

/* What programs are stalled by in their last launch, all QPUs together. */
static const struct row {
	const char *name;
	const char *text;
	enum machine_stall cause;
	unsigned clocks;
	unsigned qpus;	   /* that run it; 0: one */
	unsigned launches; /* the last one counts; 0: one */
	bool direct;	   /* through the alias without the system's L2 */
} rows[] = {
	{ "an instruction line from SDRAM", SETTLE, MACHINE_STALL_ICACHE, 292,
	  0, 0, false },
	{ "an instruction line from the system's L2", SETTLE,
	  MACHINE_STALL_ICACHE, 196, 0, 2, false },
	{ "a loop larger than the instruction cache",
	  "mov ra1, 2\n:loop\n.rep i, 516\nnop\n.endr\nsub.setf ra1, ra1, 1\n"
	  "nop\nbrr.anynz -, :loop\nnop\nnop\nnop\n",
	  MACHINE_STALL_ICACHE, 6408, 0, 0, false },
	{ "a lookup of a line in SDRAM", DATA "mov r1, 0\n" LOOK,
	  MACHINE_STALL_TMU, 124, 0, 0, false },
	{ "a lookup of a line in the system's L2", DATA "mov r1, 0\n" LOOK,
	  MACHINE_STALL_TMU, 100, 0, 2, false },
	{ "a lookup through the direct alias, again", DATA "mov r1, 0\n" LOOK,
	  MACHINE_STALL_TMU, 124, 0, 2, true },
	{ "a second lookup of a line", DATA "mov r1, 0\n" LOOK LOOK,
	  MACHINE_STALL_TMU, 148, 0, 0, false },
	{ "a lookup of a line that the other unit has",
	  DATA "mov r1, 0\n" LOOK "add t1s, ra0, r1\nldtmu1\n",
	  MACHINE_STALL_TMU, 192, 0, 0, false },
	{ "a lookup of 16 lines in SDRAM", DATA APART(6) LOOK,
	  MACHINE_STALL_TMU, 468, 0, 0, false },
	{ "a lookup of 16 lines in L2",
	  DATA APART(6) LOOK "add t1s, ra0, r1\nldtmu1\n", MACHINE_STALL_TMU,
	  704, 0, 0, false },
	{ "lookups of lines of their own in the system's L2, 12 QPUs",
	  DATA
	  "mov r2, qpu_num\nshl r2, r2, 10\n" APART(6) "add r1, r1, r2\n" LOOK,
	  MACHINE_STALL_TMU, 7272, 12, 2, false },
	{ "12 KiB by one unit and by the other", DATA SWEEP(12, 0) SWEEP(12, 1),
	  MACHINE_STALL_TMU, 8284, 0, 0, false },
	{ "24 KiB by one unit and by the other", DATA SWEEP(24, 0) SWEEP(24, 1),
	  MACHINE_STALL_TMU, 19476, 0, 0, false },
	{ "6 KiB twice by one unit", DATA SWEEP(6, 0) SWEEP(6, 0),
	  MACHINE_STALL_TMU, 3776, 0, 0, false },
	{ "96 KiB again", DATA SWEEP(96, 0), MACHINE_STALL_TMU, 34224, 0, 2,
	  false },
	{ "a line that is used stays in L2, others go",
	  DATA SET(0x0) SET(0x1) SET(0x2) SET(0x3) SET(0x0) SET(0x4) SET(0x0),
	  MACHINE_STALL_TMU, 680, 0, 0, false },
	{ "lookups that share a line of the TMU's cache",
	  DATA APART(12) LOOK LOOK, MACHINE_STALL_TMU, 832, 0, 0, false },
	{ "lookups that fill the TMU's cache",
	  DATA APART(6) "ldi r2, 1024\n"
			".rep i, 4\nadd r1, r1, r2\n" LOOK ".endr\n"
			".rep i, 4\n" LOOK "sub r1, r1, r2\n.endr\n",
	  MACHINE_STALL_TMU, 1868, 0, 0, false },
	{ "uniforms that come again",
	  DATA "mov r3, 2\n:loop\nmov unif_addr, ra0\nnop\nnop\n"
	       ".rep i, 40\nmov r2, unif\n.endr\nsub.setf r3, r3, 1\n"
	       "brr.anynz -, :loop\nnop\nnop\nnop\n",
	  MACHINE_STALL_UNIFORM, 144, 0, 0, false },
	{ "a stream of uniforms through the cache, twice",
	  DATA "mov r3, 2\n:loop\nmov unif_addr, ra0\nldi r1, 64\nnop\n"
	       ":piece\n.rep i, 16\nmov r2, unif\n.endr\nsub.setf r1, r1, 1\n"
	       "brr.anynz -, :piece\nnop\nnop\nnop\nsub.setf r3, r3, 1\n"
	       "brr.anynz -, :loop\nnop\nnop\nnop\n",
	  MACHINE_STALL_UNIFORM, 1916, 0, 0, false },
	{ "16 rows written to the VPM, 4 QPUs",
	  "mov r1, 0\nldi vw_setup, 0x1a00\n" SETTLE
	  ".rep i, 16\nmov vpm, r1\n.endr\n",
	  MACHINE_STALL_VPM_WRITE, 400, 4, 2, false },
	{ "16 columns written to the VPM",
	  "mov r1, 0\nldi vw_setup, 0x1200\n" SETTLE
	  ".rep i, 16\nmov vpm, r1\n.endr\n",
	  MACHINE_STALL_VPM_WRITE, 32, 0, 2, false },
	{ "a row of the VPM read at once",
	  SETTLE "nop\nnop\nnop\nldi vr_setup, 0x101a00\nmov r1, vpm\n",
	  MACHINE_STALL_VPM_READ, 8, 0, 0, false },
	{ "a mutex handed from QPU to QPU",
	  SETTLE "mov -, mutex\nnop\nmov mutex, 0\n", MACHINE_STALL_MUTEX, 1056,
	  12, 2, false },
	{ "a semaphore handed to the other QPU",
	  "mov.setf -, qpu_num\nnop\nbrr.allz -, :first\nnop\nnop\nnop\n"
	  "sacq -, 0\nbrr -, :end\nnop\nnop\nnop\n"
	  ":first\n" SETTLE SETTLE SETTLE "srel -, 0\n:end\n",
	  MACHINE_STALL_SEMAPHORE, 644, 2, 2, false },
	{ "lookups that have lines written back",
	  DATA "ldi vw_setup, 0x84014000\nldi vw_setup, 0xc0003ffc\n"
	       "mov vw_addr, ra0\nmov -, vw_wait\n"
	       "ldi r2, 0x20000\n" APART(14) "add r1, r1, r2\n" LOOK,
	  MACHINE_STALL_TMU, 556, 0, 0, false },
	{ "a lookup of a line that was stored through the system's L2",
	  DATA "ldi vw_setup, 0x80904000\nmov vw_addr, ra0\n"
	       "mov -, vw_wait\nnop\nmov r1, 0\n" LOOK,
	  MACHINE_STALL_TMU, 100, 0, 0, false },
	{ "a lookup of a line that was stored past it",
	  DATA "ldi vw_setup, 0x80904000\nldi r1, 0x80000000\n"
	       "or vw_addr, ra0, r1\nmov -, vw_wait\nmov r1, 0\n" LOOK,
	  MACHINE_STALL_TMU, 124, 0, 0, false },
	{ "a hit behind another QPU's miss",
	  DATA "mov r1, 0\n" LOOK SETTLE
	       "mov r1, qpu_num\nxor r1, r1, 1\nshl r1, r1, 7\n" LOOK,
	  MACHINE_STALL_TMU, 492, 2, 0, false },
	{ "a store right behind writes to the VPM",
	  DATA "ldi vw_setup, 0x80904000\nldi vw_setup, 0x1200\n"
	       "mov r1, 0\n" SETTLE "nop\nnop\nmov vpm, r1\nmov vpm, r1\n"
	       "mov vw_addr, ra0\nmov -, vw_wait\n",
	  MACHINE_STALL_VDW, 60, 0, 0, false },
	{ "a load of 4 rows",
	  DATA "ldi vr_setup, 0x83041000\n"
	       "mov vr_addr, ra0\nmov -, vr_wait\n",
	  MACHINE_STALL_VDR, 136, 0, 0, false },
	{ "a load of 16 rows of a word",
	  DATA "ldi vr_setup, 0x83101000\n"
	       "mov vr_addr, ra0\nmov -, vr_wait\n",
	  MACHINE_STALL_VDR, 228, 0, 0, false },
	{ "a store of 4 rows",
	  DATA "ldi vw_setup, 0x82104000\n"
	       "mov vw_addr, ra0\nmov -, vw_wait\n",
	  MACHINE_STALL_VDW, 96, 0, 0, false },
	{ "a store of 16 rows of a word",
	  DATA "ldi vw_setup, 0x88014000\n"
	       "mov vw_addr, ra0\nmov -, vw_wait\n",
	  MACHINE_STALL_VDW, 184, 0, 0, false },
	/* GPU_FFT's passes above 2^12 store in this way. */
	{ "a store of 4 rows that begin 4 KiB apart",
	  DATA "ldi vw_setup, 0x82104000\nldi vw_setup, 0xc0000fc0\n"
	       "mov vw_addr, ra0\nmov -, vw_wait\n",
	  MACHINE_STALL_VDW, 168, 0, 0, false },
	{ "a store of 4 rows that begin 4 KiB less 4 bytes apart",
	  DATA "ldi vw_setup, 0x82104000\nldi vw_setup, 0xc0000fbc\n"
	       "mov vw_addr, ra0\nmov -, vw_wait\n",
	  MACHINE_STALL_VDW, 96, 0, 0, false },
};

enum { ROWS = sizeof(rows) / sizeof(*rows) };

static unsigned
stalled(const struct row *row, const struct machine_timing *timing)
{
	const struct machine_options options = {
		.timed = true,
		.timing = timing,
	};
	const uint32_t alias = row->direct ? 0x80000000 : 0;
	const uint32_t uniforms[] = { (EMU_BASE + EMU_DATA) | alias };
	const unsigned launches = row->launches ? row->launches : 1;
	struct emu emu = emu_open(&options);
	uint64_t before = 0, after = 0;
	char text[4096];
	uint32_t code;

	snprintf(text, sizeof(text), "%s" EMU_END, row->text);
	code = emu_assemble(&emu, text);
	for (unsigned i = 0; i < (row->qpus ? row->qpus : 1); i++)
		emu_program(&emu, code, uniforms, 1);
	for (unsigned launch = 0; launch < launches; launch++) {
		before = after;
		emu_go(&emu, 100000);
		after = 0;
		for (unsigned i = 0; i < MACHINE_QPUS; i++)
			after += machine_stalled(emu.machine, i, row->cause);
	}
	emu_close(&emu);
	return after - before;
}

static void
test_rows(void)
{
	for (size_t i = 0; i < ROWS; i++) {
		const unsigned clocks = stalled(&rows[i], NULL);

		ok(clocks == rows[i].clocks, "%s: stalled for %u clocks",
		   rows[i].name, rows[i].clocks);
		if (clocks != rows[i].clocks)
			tap_note("not for %u", clocks);
	}
}

/* The clocks of a job of four tiles with threads for more than all QPUs. */
static uint64_t
job_clocks(const struct machine_timing *timing)
{
	static const struct job_corner corners[3] = {
		{ 0, 0, 0.5f, 1, { 0 } },
		{ 128, 0, 0.5f, 1, { 0 } },
		{ 0, 128, 0.5f, 1, { 0 } }
	};
	const struct machine_options options = { .timed = true,
						 .timing = timing };
	struct job job = {
		.emu = emu_open(&options),
		.width = 64,
		.height = 64,
		.samples = true,
	};
	uint64_t clocks;

	job_begin(&job);
	job.shader[0] = emu_assemble(
		&job.emu, "nop\nnop\nmov tlbc, 1\nthrend\nnop\nnop\n");
	job_configuration(&job, 0x027043);
	job_viewport(&job);
	job_shaders(&job);
	for (unsigned i = 0; i < 3; i++)
		job_vertex(&job, &corners[i]);
	job_array(&job, 4, 3);
	job_mode(&job, 0x14);
	job_tiles_all(&job, JOB_STORE_FULL, NULL, 0);
	job_run(&job, 100000);
	clocks = machine_clocks(job.emu.machine);
	emu_close(&job.emu);
	return clocks;
}

/* Does any program take another time? */
static bool
is_noticed(const struct machine_timing *timing)
{
	for (size_t i = 0; i < ROWS; i++)
		if (stalled(&rows[i], timing) != rows[i].clocks)
			return true;
	return job_clocks(timing) != job_clocks(NULL);
}

/* A row of the model: the bounds that its evidence gives (timing.c; ten per cent
 * around what was measured), and changes that must not go unnoticed. */
#define COST(name, low, high, down, up)                                        \
	{                                                                      \
#name, offsetof(struct machine_timing, name), low, high, down, \
			up                                                     \
	}

static const struct cost {
	const char *name;
	size_t offset;
	unsigned low, high, down, up;
} costs[] = {
	COST(clock_mhz, 250, 250, 0, 0),
	COST(icache_bytes, 4096, 4096, 2048, 4096),
	COST(icache_ways, 4, 4, 3, 4),
	COST(icache_overhead, 0, 30, 4, 4),
	COST(l2_bytes, 12288, 24576, 8192, 16384),
	COST(l2_ways, 4, 4, 1, 1),
	COST(l2_hit, 16, 26, 4, 4),
	COST(l2_service, 2, 4, 2, 2),
	COST(memory_extra, 24, 45, 4, 4),
	COST(bus_line, 3, 6, 2, 2),
	COST(system_l2_bytes, 131072, 131072, 65536, 131072),
	COST(system_l2_ways, 8, 8, 1, 1),
	COST(sdram_extra, 10, 40, 4, 4),
	COST(sdram_line_x10, 120, 180, 40, 40),
	COST(sdram_write_back_x10, 80, 200, 50, 50),
	COST(tmu_bytes, 4096, 4096, 2048, 4096),
	COST(tmu_issue, 4, 4, 4, 4),
	COST(tmu_lane, 1, 1, 1, 1),
	COST(tmu_tail, 8, 15, 4, 4),
	COST(tmu_miss, 10, 40, 4, 4),
	COST(tmu_outstanding, 4, 8, 1, 1),
	COST(uniform_bytes, 4096, 4096, 2048, 4096),
	COST(uniform_ways, 4, 4, 1, 1),
	COST(uniform_hit, 2, 6, 0,
	     1), /* less does not show: a slot is longer */
	COST(uniform_miss, 48, 75, 4, 4),
	COST(vpm_read_setup, 12, 12, 4, 4),
	COST(vpm_vertical, 4, 9, 2, 2),
	COST(vpm_horizontal, 4, 4, 1, 1),
	COST(vdr_fixed, 55, 67, 6, 6),
	COST(vdr_row_x10, 175, 213, 20, 20),
	COST(vdr_word_x10, 95, 115, 10, 10),
	COST(vdw_fixed, 35, 43, 6, 6),
	COST(vdw_row_x10, 129, 157, 20, 20),
	COST(vdw_word_x10, 83, 101, 10, 10),
	COST(vdw_far_bytes, 2049, 4096, 4, 4),
	COST(vdw_far_row_x10, 300, 350, 20, 20),
	COST(semaphore_handover, 0, 2, 0, 4),
	COST(mutex_handover, 0, 16, 4, 4),
	/* Launches are counted apart: test-registers and test-timing. */
	COST(launch_direct_us, 1, 14, 0, 0),
	COST(launch_mailbox_us, 80, 100, 0, 0),
	COST(list_packet, 2, 32, 4, 4),
	COST(vertex_start, 60, 300, 16, 16),
	COST(fragment_quads, 4, 32, 4, 4),
	COST(fragment_start, 8, 60, 8, 8),
	COST(tile_fixed, 20, 100, 8, 8),
	COST(tile_line_x10, 40, 155, 10, 10),
};

enum { COSTS = sizeof(costs) / sizeof(*costs) };

_Static_assert(COSTS == sizeof(struct machine_timing) / sizeof(unsigned),
	       "each cost has a row");

static unsigned *
cost_of(struct machine_timing *timing, const struct cost *cost)
{
	return (unsigned *)((char *)timing + cost->offset);
}

static void
test_evidence(void)
{
	for (unsigned i = 0; i < COSTS; i++) {
		struct machine_timing timing = machine_timing_default;
		const unsigned value = *cost_of(&timing, &costs[i]);

		ok(value >= costs[i].low && value <= costs[i].high,
		   "%s is one of %u to %u", costs[i].name, costs[i].low,
		   costs[i].high);
	}
}

static void
test_costs(void)
{
	for (unsigned i = 0; i < COSTS; i++) {
		struct machine_timing less = machine_timing_default;
		struct machine_timing more = machine_timing_default;

		*cost_of(&less, &costs[i]) -= costs[i].down;
		*cost_of(&more, &costs[i]) += costs[i].up;
		if (costs[i].down > 0)
			ok(is_noticed(&less), "less %s is noticed",
			   costs[i].name);
		if (costs[i].up > 0)
			ok(is_noticed(&more), "more %s is noticed",
			   costs[i].name);
	}
}

int
main(void)
{
	test_rows();
	test_evidence();
	test_costs();
	return tap_done();
}
