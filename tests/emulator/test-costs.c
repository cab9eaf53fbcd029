/* SPDX-License-Identifier: MIT */
/*
 * Each cost of the cycle model (timing.c) shows: short programs with the clocks
 * that they are stalled.  No cost can change without one of them taking another
 * time, or a job of jobs.golden: where a better measurement changes a cost, they
 * change, too.
 */
#include "config.h"

#include "tests/emulator/emu.h"

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

static unsigned
stalled(const struct row *row)
{
	const struct machine_options options = { .timed = true };
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

int
main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const unsigned clocks = stalled(&rows[i]);

		ok(clocks == rows[i].clocks, "%s: stalled for %u clocks",
		   rows[i].name, rows[i].clocks);
		if (clocks != rows[i].clocks)
			tap_note("not for %u", clocks);
	}
	return tap_done();
}
