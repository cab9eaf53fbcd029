/* SPDX-License-Identifier: MIT */
/*
 * Each rule of the validator has programs that break it and programs that
 * just do not.
 */
#include "config.h"

#include "qpu/validate/validate.h"

#include <stdint.h>
#include <stdlib.h>

#include "qpu/asm/asm.h"
#include "qpu/isa/pack.h"
#include "tests/support/tap.h"

#define NOP3 "nop\nnop\nnop\n"
#define END "thrend\nnop\nnop\n"

static const struct {
	unsigned rule;
	bool fails;
	bool warns; /* instead */
	const char *what;
	const char *source; /* or null */
	uint64_t word;	    /* what no source gives */
} rows[] = {
	{ 1, true, false, "ra read after write",
	  "mov ra5, r0\nadd r1, ra5, r2\n" END, 0 },
	{ 1, true, false, "rb written by the mul ALU",
	  "nop; mul24 rb5, r0, r1\nadd r1, rb5, r2\n" END, 0 },
	{ 1, false, false, "one instruction between",
	  "mov ra5, r0\nnop\nadd r1, ra5, r2\n" END, 0 },
	{ 1, false, false, "the other file",
	  "mov ra5, r0\nadd r1, rb5, r2\n" END, 0 },
	{ 1, false, false, "an address on the port that nothing uses",
	  "mov ra5, r0\nread ra5\n" END, 0 },
	{ 1, true, false, "around a loop",
	  ":l\nmov r0, ra5\nbrr.anyz -, r:l\nnop\nnop\nmov ra5, r1\n" END, 0 },
	{ 1, false, false, "a loop with the write earlier",
	  ":l\nmov r0, ra5\nbrr.anyz -, r:l\nnop\nmov ra5, r1\nnop\n" END, 0 },
	{ 1, true, false, "behind a taken branch",
	  "brr -, r:far\nnop\nnop\nmov rb1, r0\nnop\n:far\nmov r0, rb1\n" END,
	  0 },
	{ 1, false, false, "a branch that is always taken hides what follows",
	  "brr -, r:far\nnop\nnop\nmov rb1, r0\nmov r0, rb1\n:far\n" END, 0 },
	{ 1, true, false, "the fall-through of a conditional branch",
	  "brr.allz -, r:far\nnop\nnop\nmov rb1, r0\nmov r0, rb1\n:far\n" END,
	  0 },
	{ 1, true, false, "a link read in the first delay slot",
	  "brr ra3, r:far\nmov r0, ra3\nnop\nnop\n:far\n" END, 0 },
	{ 1, true, false, "a branch to a register just written",
	  "mov ra3, r0\nbra -, ra3\n" NOP3 END, 0 },
	{ 1, false, false, "predicates that exclude each other",
	  "mov.ifz ra5, r0\nadd.ifnz r1, ra5, r2\n" END, 0 },
	{ 1, true, false, "the same predicates with flags set between",
	  "mov.setf.ifz ra5, r0\nadd.ifnz r1, ra5, r2\n" END, 0 },
	{ 1, true, false, "predicates that overlap",
	  "mov.ifz ra5, r0\nadd.ifn r1, ra5, r2\n" END, 0 },
	{ 1, true, false, "predicates that exclude each other, rotated",
	  "mov.ifz ra5, r0\nnop; mov.ifnz r1, ra5 << 1\n" END, 0 },
	{ 1, true, false, "predicates that exclude each other, spread by r5",
	  "mov.ifz ra5, r0\nmov.ifnz r5rep, ra5\n" END, 0 },
	{ 1, false, false, "predicates of the mul ALU that exclude each other",
	  "nop; mov.ifz ra5, r0\nnop; mul24.ifnz r1, ra5, r2\n" END, 0 },
	{ 1, true, false, "one ALU excludes it, the other does not",
	  "mov.ifz ra5, r0\nadd.ifnz r1, ra5, r2; mul24 r3, ra5, r2\n" END, 0 },
	{ 1, true, false, "a branch to a register written by some lanes",
	  "mov.ifz ra3, r0\nbra -, ra3\n" NOP3 END, 0 },
	{ 1, false, true, "behind a return, which goes where the link says",
	  "brr ra2, r:sub\n" NOP3 "mov r0, ra7\n" END
	  ":sub\nbra -, ra2\nnop\nnop\nmov ra7, r1\n",
	  0 },
	{ 1, true, false, "a branch in the third delay slot of another",
	  "brr -, r:a\nnop\nnop\nbrr -, r:b\n" END
	  ":a\nnop\nnop\nmov ra1, r0\n" END ":b\nmov r0, ra1\n" END,
	  0 },
	{ 1, true, false, "three branches, each in the last slot of another",
	  "brr -, r:a\nnop\nnop\nbrr -, r:b\n" END
	  ":a\nnop\nnop\nbrr -, r:c\n" END ":b\nnop\nnop\nmov ra1, r0\n" END
	  ":c\nmov r0, ra1\n" END,
	  0 },
	{ 1, false, false, "a link in file B is not where ra2 returns to",
	  "brr rb2, r:sub\n" NOP3 "mov r0, ra7\n" END
	  ":sub\nbra -, ra2\nnop\nnop\nmov ra7, r1\n",
	  0 },
	{ 1, true, false, "behind a branch that a return brings along",
	  "brr ra2, r:sub\n" NOP3 "nop\nnop\nmov ra1, r0\n" END
	  ":sub\nbra -, ra2\nnop\nnop\nbrr -, r:x\n" END
	  ":x\nmov r0, ra1\n" END,
	  0 },

	{ 2, true, false, "r5 written, rotation by r5",
	  "mov r5rep, r0\nmov r1, r2 << r5\n" END, 0 },
	{ 2, false, false, "one instruction between",
	  "mov r5rep, r0\nnop\nmov r1, r2 << r5\n" END, 0 },
	{ 2, false, false, "rotation by a constant",
	  "mov r5rep, r0\nmov r1, r2 << 3\n" END, 0 },
	{ 2, false, false, "in one instruction",
	  "mov r5rep, r0; mov r1, r2 << r5\n" END, 0 },

	{ 3, true, false, "accumulator rotated after its write",
	  "mov r2, r0\nmov r1, r2 << 3\n" END, 0 },
	{ 3, false, false, "one instruction between",
	  "mov r2, r0\nnop\nmov r1, r2 << 3\n" END, 0 },
	{ 3, false, false, "another accumulator",
	  "mov r3, r0\nmov r1, r2 << 3\n" END, 0 },
	{ 3, true, false, "r0 by the add ALU, the first of them",
	  "mov r0, r1\nmov r1, r0 << 3\n" END, 0 },
	{ 3, true, false, "r3 by the mul ALU, the last of them",
	  "nop; mov r3, r1\nmov r1, r3 << 3\n" END, 0 },
	{ 3, true, false, "r5 itself",
	  "mov r5rep, r0\nnop; mul24.rot 3, r1, r5, r5\n" END, 0 },
	{ 3, false, false, "an accumulator read by the add ALU meanwhile",
	  "mov r3, r0\nmov r0, r3; mov r1, r2 << 3\n" END, 0 },
	{ 3, false, false, "a small immediate is no rotation",
	  "mov r2, r0\nnop; mul24 r1, r2, 5\n" END, 0 },
	{ 3, false, false, "in one instruction",
	  "mov r2, r0; mov r1, r2 << 3\n" END, 0 },

	{ 4, true, false, "uniform after unif_addr",
	  "mov unif_addr, r0\nnop\nmov r1, unif\n" END, 0 },
	{ 4, false, false, "the third instruction may",
	  "mov unif_addr, r0\nnop\nnop\nmov r1, unif\n" END, 0 },
	{ 4, true, false, "uniform directly after unif_addr",
	  "mov unif_addr, r0\nmov r1, unif\n" END, 0 },
	{ 4, true, false, "three branches one behind the other",
	  "brr -, r:a\nbrr -, r:b\nbrr -, r:c\n" END
	  ":a\nmov unif_addr, r0\n" END ":b\n" END ":c\nmov r1, unif\n" END,
	  0 },
	{ 4, false, false, "in one instruction", "mov unif_addr, unif\n" END,
	  0 },

	{ 5, true, false, "TMU after tmurs",
	  "mov tmurs, 1\nnop\nmov t0s, r0\n" END, 0 },
	{ 5, false, false, "the third instruction may",
	  "mov tmurs, 1\nnop\nnop\nmov t0s, r0\n" END, 0 },
	{ 5, false, false, "in one instruction",
	  "mov tmurs, 1; mov t0s, r0\n" END, 0 },

	{ 6, true, false, "r4 read too early",
	  "mov recip, r0\nnop\nmov r1, r4\n" END, 0 },
	{ 6, true, false, "r4 written by the TMU meanwhile",
	  "mov recip, r0\nldtmu0\n" END, 0 },
	{ 6, true, false, "the SFU written again",
	  "mov recip, r0\nmov exp, r1\n" END, 0 },
	{ 6, true, false, "the SFU written again by the second instruction",
	  "mov recip, r0\nnop\nmov exp, r1\n" END, 0 },
	{ 6, true, false, "r4 read by the mul ALU",
	  "mov recip, r0\nnop; mul24 r1, r2, r4\n" END, 0 },
	{ 6, false, false, "r4 read in one instruction", "mov recip, r4\n" END,
	  0 },
	{ 6, false, false, "the third instruction may",
	  "mov recip, r0\nnop\nnop\nmov r1, r4\n" END, 0 },

	{ 7, true, false, "uniform read at the end",
	  "thrend\nmov r0, unif\nnop\n", 0 },
	{ 7, true, false, "VPM written at the end",
	  "thrend\nnop\nmov vpm, r0\n", 0 },
	{ 7, true, false, "ra14 at the end", "thrend\nmov r0, ra14\nnop\n", 0 },
	{ 7, true, false, "rb14 at the end", "thrend\nmov r0, rb14\nnop\n", 0 },
	{ 7, true, false, "ra14 written at the end",
	  "thrend\nnop\nmov ra14, r0\n", 0 },
	{ 7, true, false, "rb14 written at the end",
	  "thrend\nnop\nmov rb14, r0\n", 0 },
	{ 7, false, false, "ra14 on a port that nothing uses",
	  "thrend\nread ra14\nread rb14\n", 0 },
	{ 7, false, false, "ra13 and rb15 at the end",
	  "thrend\nmov r0, ra13\nmov r0, rb15\n", 0 },
	{ 7, true, false, "a uniform with thrend itself",
	  "mov r0, unif; thrend\nnop\nnop\n", 0 },
	{ 7, true, false, "the VPM read at the end",
	  "thrend\nmov r0, vpm\nnop\n", 0 },
	{ 7, true, false, "a wait for the DMA at the end",
	  "thrend\nnop\nread vw_wait\n", 0 },
	{ 7, true, false, "a question to the DMA at the end",
	  "thrend\nmov r0, vr_busy\nnop\n", 0 },
	{ 7, true, false, "a uniform at the end with ldcend",
	  "ldcend\nmov r0, unif\nnop\n", 0 },
	{ 7, true, false, "the end one instruction behind ldcend",
	  "ldcend\nnop\n", 0 },
	{ 7, true, false, "a varying at the end", "thrend\nmov r0, vary\nnop\n",
	  0 },
	{ 7, true, false, "regfile B written with thrend by the mul ALU",
	  "nop; mov rb3, r0; thrend\nnop\nnop\n", 0 },
	{ 7, false, false, "an accumulator written with thrend",
	  "mov r3, r0; thrend\nnop\nnop\n", 0 },
	{ 7, true, false, "a register file written with thrend",
	  "mov ra3, r0; thrend\nnop\nnop\n", 0 },
	{ 7, false, false, "a register file written after thrend",
	  "thrend\nmov ra3, r0\nmov irq, r0\n", 0 },

	{ 7, true, false, "the end one instruction behind thrend",
	  "nop\nthrend\nnop\n", 0 },
	{ 7, false, false, "what stands behind the end",
	  "thrend\nnop\nnop\nmov r0, unif\n" END, 0 },
	{ 7, true, false, "data between thrend and instructions",
	  "thrend\n.int 1, 2\nnop\nnop\n", 0 },
	{ 7, true, false, "data behind thrend", "thrend\n.int 1, 2\n", 0 },

	{ 8, true, false, "the end two instructions behind a branch",
	  ":l\nbrr -, r:l\nnop\nnop\n", 0 },
	{ 8, true, false, "data in the first delay slot alone",
	  ":l\nbrr -, r:l\n.int 1, 2\n" NOP3, 0 },
	{ 8, true, false, "data in the delay slots",
	  ":l\nbrr -, r:l\nnop\nnop\n.int 1, 2\n", 0 },
	{ 8, false, false, "the end behind the third delay slot",
	  ":l\nbrr -, r:l\n" NOP3, 0 },
	{ 8, true, false, "a branch in the second delay slot",
	  "brr -, r:l\nnop\nbrr -, r:l\n" NOP3 ":l\n" END, 0 },
	{ 8, true, false, "thrend in a delay slot",
	  "brr -, r:l\nnop\nthrend\nnop\n:l\n" END, 0 },
	{ 8, false, false, "a branch in the third delay slot",
	  "brr -, r:l\nnop\nnop\nbrr -, r:l\n:l\n" NOP3 END, 0 },

	{ 9, true, false, "two units in one instruction",
	  "mov t0s, r0; mov recip, r1\nnop\nnop\n" END, 0 },
	{ 9, true, false, "SFU and a TMU load",
	  "mov recip, r0; ldtmu0\nnop\nnop\n" END, 0 },
	{ 9, true, false, "a semaphore and a TMU request", "sacq t0s, 3\n" END,
	  0 },
	{ 9, false, false, "a semaphore alone", "sacq -, 3\n" END, 0 },
	{ 9, true, false, "the mutex taken and a TMU request",
	  "mov t0s, mutex\n" END, 0 },
	{ 9, true, false, "the mutex released and the SFU",
	  "mov mutex, r0; mov recip, r1\nnop\nnop\n" END, 0 },
	{ 9, true, false, "the tile buffer and the TMU",
	  "mov tlbc, r0; mov t0s, r1\n" END, 0 },
	{ 9, true, false, "two requests to the TMUs",
	  "mov t0s, r0; mov t1s, r1\n" END, 0 },
	{ 9, false, true, "TMU request and a load of the other TMU",
	  "mov t0s, r0; ldtmu1\n" END, 0 },
	{ 9, false, true, "a load and the mutex", "mov r0, mutex; ldtmu0\n" END,
	  0 },
	{ 9, false, false, "the mutex alone", "mov r0, mutex\n" END, 0 },
	{ 9, false, true, "TMU request and TMU load",
	  "mov t0s, r0; ldtmu0\n" END, 0 },
	{ 9, false, false, "TMU and VPM", "mov t0s, r0; mov vpm, r1\n" END, 0 },

	{ 10, true, false, "a predicated TMU request", "mov.ifz t0s, r0\n" END,
	  0 },
	{ 10, true, false, "a predicated VPM write", "mov.ifn vpm, r0\n" END,
	  0 },
	{ 10, false, false, "a predicated interrupt", "mov.ifz irq, r0\n" END,
	  0 },

	{ 11, true, false, "a byte packed into the VPM",
	  "nop; fmul vpm.8b, r0, r1\n" END, 0 },
	{ 11, false, false, "a byte packed into an accumulator",
	  "nop; fmul r0.8b, r0, r1\n" END, 0 },
	{ 11, false, false, "all bytes packed into the VPM",
	  "nop; fmul vpm.8abcd, r0, r1\n" END, 0 },
	{ 11, false, false, "the add ALU beside a packed mul result",
	  "mov vpm, r2; fmul r0.8b, r0, r1\n" END, 0 },

	{ 12, true, false, "one accumulator twice",
	  "add r0, r1, r2; mul24 r0, r1, r2\n" END, 0 },
	{ 12, false, false, "with complementary predicates",
	  "add.ifz r0, r1, r2; mul24.ifnz r0, r1, r2\n" END, 0 },
	{ 12, true, false, "complementary predicates do not help the VPM",
	  "add.ifz vpm, r1, r2; mul24.ifnz vpm, r1, r2\n" END, 0 },
	{ 12, false, false, "one accumulator twice, with the same value",
	  "mov r0, r1; mov r0, r1\n" END, 0 },
	{ 12, false, false, "the usual end of py-videocore's programs",
	  "mov r0, r0; mov r0, r0; thrend\nnop\nnop\n", 0 },
	{ 12, false, false, "the same constant twice",
	  "mov r2, 5; mov r2, 5; read ra1\n" END, 0 },
	{ 12, true, false, "one accumulator twice, with different values",
	  "mov r0, r1; mov r0, r2\n" END, 0 },
	{ 12, true, false, "the same value twice into a peripheral",
	  "mov vpm, r1; mov vpm, r1\n" END, 0 },
	{ 12, true, false, "the same value rotated",
	  "mov r0, r1; mov r0, r1 << 1\n" END, 0 },
	{ 12, true, false, "the minimum of two operands is no move",
	  "mov r0, r1; v8min r0, r1, r2\n" END, 0 },
	{ 12, true, false, "the or of two operands is no move",
	  "or r0, r1, r2; mov r0, r1\n" END, 0 },
	{ 12, false, false, "the greatest byte of one value is a move",
	  "mov r0, r1; v8max r0, r1, r1\n" END, 0 },
	{ 12, true, false, "the same value, packed by one ALU",
	  "mov r0, r1; mov r0.8a, r1\n" END, 0 },
	{ 12, false, false, "one constant loaded twice",
	  "ldi r0, r0, 0x12345\n" END, 0 },
	{ 12, false, false, "vr_addr and vw_addr are two registers",
	  "mov vr_addr, r0; mov vw_addr, r1\n" END, 0 },
	{ 12, false, false, "ra5 and rb5 are two registers",
	  "add ra5, r1, r2; mul24 rb5, r1, r2\n" END, 0 },

	{ 13, true, false, "both setups",
	  "mov vr_setup, r0; mov vw_setup, r1\n" END, 0 },
	{ 13, true, false, "VPM read with a setup",
	  "mov r0, vpm; mov vr_setup, r1\n" END, 0 },
	{ 13, true, false, "VPM write with its setup",
	  "mov vpm, r0; mov vw_setup, r1\n" END, 0 },
	{ 13, false, true, "VPM read with ldtmu", "mov r0, vpm; ldtmu0\n" END,
	  0 },
	{ 13, true, false, "VPM read with the write setup",
	  "mov r0, vpm; mov vw_setup, r1\n" END, 0 },
	{ 13, false, true, "VPM write with ldtmu", "mov vpm, r0; ldtmu1\n" END,
	  0 },
	{ 13, false, false, "VPM read and write",
	  "mov r0, vpm; mov vpm, r1\n" END, 0 },
	{ 13, false, false, "a setup with ldtmu",
	  "mov vr_setup, r0; ldtmu0\n" END, 0 },
	{ 13, false, true, "VPM write with the read setup",
	  "mov vpm, r0; mov vr_setup, r1\n" END, 0 },
	{ 13, false, false, "VPM write with an address",
	  "mov vpm, r0; mov vr_addr, r1\n" END, 0 },

	{ 14, true, false, "a graphics signal", "sbwait\n" END, 0 },
	{ 14, true, false, "a tile buffer write", "mov tlbc, r0\n" END, 0 },
	{ 14, true, false, "a varying", "mov r0, vary\n" END, 0 },
	{ 14, true, false, "a graphics register of file B",
	  "mov r0, rev_flag\n" END, 0 },
	{ 14, false, true, "a texture coordinate of the second TMU",
	  "mov t1r, r0\n" END, 0 },
	{ 14, false, false, "a direct lookup by the second TMU",
	  "mov t1s, r0\n" END, 0 },
	{ 14, false, true, "a texture coordinate", "mov t0t, r0\n" END, 0 },
	{ 14, false, false, "a direct lookup", "mov t0s, r0\n" END, 0 },

	{ 16, false, true, "an immediate that nothing uses", NULL,
	  UINT64_C(0xd00208270c9e5280) },
	{ 16, false, false, "an immediate in use", "add r0, r1, 5\n" END, 0 },

	{ 17, true, false, "pack without a regfile A write", NULL,
	  UINT64_C(0x10121127159e7000) },
	{ 17, false, true, "unpack without a regfile A read", NULL,
	  UINT64_C(0x12020827159e7000) },
	{ 17, false, false, "both where they belong",
	  "add ra4.8ds, ra5.8a, r1\n" END, 0 },
	{ 17, true, false, "a pack of file A, written in file B", NULL,
	  UINT64_C(0x10121127159e7000) },
	{ 17, false, false, "r4 unpacked, and the mul result packed",
	  "fadd r0, r4.8a, r1; fmul r2.8a, r0, r1\n" END, 0 },
	{ 17, false, true, "an unpack of r4 without a read of it", NULL,
	  UINT64_C(0x13020827159e7000) },

	{ 19, true, false, "a semaphore into the TMU", "sacq t0s, 3\n" END, 0 },
	{ 19, true, false, "a semaphore into the SFU",
	  "sacq recip, 3\nnop\nnop\n" END, 0 },
	{ 19, true, false, "a semaphore into the tile buffer",
	  "sacq tlbc, 3\n" END, 0 },
	{ 19, true, false, "a semaphore into the TMU by the other ALU",
	  "sacq r0, t0s, 3\n" END, 0 },
	{ 19, false, false, "a semaphore into an accumulator",
	  "sacq r0, 3\n" END, 0 },

	{ 20, true, false, "a crooked target", NULL,
	  UINT64_C(0xf0f809e700000004) },
	{ 20, false, false, "a straight target", "brr -, r:l\n" NOP3 ":l\n" END,
	  0 },
	{ 20, false, false, "an odd offset from a register",
	  "bra -, ra8, 4\n" NOP3, 0 },
};

struct found {
	unsigned rule;
	unsigned nhazards, nwarnings, nothers;
};

static void
count_hazard(void *context, const struct qpu_hazard *hazard)
{
	struct found *found = context;

	if (hazard->rule->id != found->rule) {
		/* Of a program for one rule no other should complain. */
		found->nothers += hazard->verdict == QPU_HAZARD;
		return;
	}
	found->nhazards += hazard->verdict == QPU_HAZARD;
	found->nwarnings += hazard->verdict == QPU_WARNING;
}

enum { MAX_INSTS = 64 };

static size_t
load_source(const char *source, struct qpu_inst insts[MAX_INSTS],
	    bool is_inst[MAX_INSTS])
{
	struct qpu_asm_program program;
	size_t n = 0;

	if (qpu_asm_text("t", source, strlen(source), NULL, &program))
		for (; n < program.nwords && n < MAX_INSTS; n++)
			is_inst[n] =
				qpu_unpack(program.words[n].word, &insts[n]) &&
				program.words[n].is_inst;
	else
		tap_note("%s", program.messages[0].diag.text);
	qpu_asm_free(&program);
	return n;
}

static void
check_row(size_t row)
{
	struct found found = { .rule = rows[row].rule };
	struct qpu_inst insts[MAX_INSTS];
	bool is_inst[MAX_INSTS], complete = false;
	const char *source = rows[row].source;
	const size_t n =
		source ? load_source(source, insts, is_inst) :
			 (is_inst[0] = qpu_unpack(rows[row].word, &insts[0]));
	const bool ran = n && qpu_validate(insts, is_inst, n, count_hazard,
					   &found, &complete);

	if (!ok(ran && complete && !!found.nhazards == rows[row].fails &&
			(rows[row].fails ||
			 !!found.nwarnings == rows[row].warns),
		"R%u %s: %s", rows[row].rule,
		rows[row].fails ? "fails" :
		rows[row].warns ? "warns" :
				  "passes",
		rows[row].what))
		tap_note("%zu instructions, %u hazards, %u warnings", n,
			 found.nhazards, found.nwarnings);
	if (!rows[row].fails)
		ok(!found.nothers, "and no other rule is broken");
}

static void
collect_rule(void *context, const struct qpu_hazard *hazard)
{
	*(uint32_t *)context |= UINT32_C(1) << hazard->rule->id;
}

/* Section 7: registers whose names in A and in B are two (R12). */
static void
check_two_names(void)
{
	static const struct {
		const char *source;
		unsigned rule; /* the only one that complains */
	} pairs[] = {
		{ "mov vr_setup, r0; mov vw_setup, r1\n" END, 13 },
		{ "mov x_coord, r0; mov y_coord, r1\n" END, 14 },
		{ "mov ms_mask, r0; mov rev_flag, r1\n" END, 14 },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		struct qpu_inst insts[MAX_INSTS];
		bool is_inst[MAX_INSTS], complete;
		uint32_t rules = 0;
		const size_t n = load_source(pairs[i].source, insts, is_inst);

		ok(qpu_validate(insts, is_inst, n, collect_rule, &rules,
				&complete) &&
			   rules == UINT32_C(1) << pairs[i].rule,
		   "two registers with one address break R%u alone (%zu)",
		   pairs[i].rule, i);
	}
}

/* Every rule of the tables has a program on either side. */
static void
check_coverage(const struct qpu_rule *rule)
{
	for (; rule->id; rule++) {
		bool passes = false, complains = false;

		for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
			if (rows[i].rule != rule->id)
				continue;
			complains |= rows[i].fails || rows[i].warns;
			passes |= !rows[i].fails && !rows[i].warns;
		}
		ok(passes && complains, "R%u is tested both ways", rule->id);
	}
}

/* Data between instructions is neither checked nor run through. */
static void
check_data(void)
{
	struct found found = { .rule = 1 };
	const bool is_inst[] = { true, false, true };
	struct qpu_inst insts[3];
	bool complete;

	qpu_unpack(UINT64_C(0x10020167159e7000), &insts[0]); /* mov ra5, r0 */
	insts[1] = insts[0];
	qpu_unpack(UINT64_C(0x1002082715167d80), &insts[2]); /* mov r0, ra5 */
	ok(qpu_validate(insts, is_inst, 3, count_hazard, &found, &complete) &&
		   !found.nhazards,
	   "data end the walk");
	ok(qpu_validate(insts, NULL, 3, count_hazard, &found, &complete) &&
		   found.nhazards == 1,
	   "as instructions they do not");
}

enum { CALLERS = 100 };

/*
 * More ways than are followed: a hundred calls, and a return with a write in
 * its last delay slot, which the instruction behind the last call reads.
 */
static void
check_many_ways(void)
{
	struct found found = { .rule = 1 };
	static struct qpu_inst insts[8 * CALLERS];
	struct qpu_asm_program program;
	char source[CALLERS * 40];
	size_t len = 0, n = 0;
	bool complete = true;

	for (unsigned i = 0; i < CALLERS; i++)
		len += sprintf(source + len, "brr ra2, r:sub\n" NOP3);
	len += sprintf(source + len,
		       "mov r0, ra7\n" END ":sub\nbra -, ra2\nnop\nnop\n"
		       "mov ra7, r1\n");
	if (qpu_asm_text("t", source, len, NULL, &program))
		for (; n < program.nwords; n++)
			qpu_unpack(program.words[n].word, &insts[n]);
	qpu_asm_free(&program);
	ok(n && qpu_validate(insts, NULL, n, count_hazard, &found, &complete),
	   "a subroutine with %d callers is checked", CALLERS);
	ok(!complete || found.nwarnings, "and what was left out is told");
}

/*
 * Branches in delay slots of branches, to places all over the program: the
 * ways grow with the square of its length.  It is checked, and what was left
 * out is told.
 */
static void
check_many_branches(void)
{
	enum { BRANCHES = 20000 };
	struct found found = { .rule = 8 };
	struct qpu_inst *insts = calloc(BRANCHES, sizeof(*insts));
	bool complete = true;

	for (size_t i = 0; insts && i < BRANCHES; i++) {
		const int64_t target = (int64_t)(i * 7919 % BRANCHES);
		const uint32_t offset =
			(uint32_t)(8 * (target - (int64_t)i - 4));

		/* brr.anyz -, target */
		qpu_unpack(UINT64_C(0xf02809e7) << 32 | offset, &insts[i]);
	}
	ok(insts && qpu_validate(insts, NULL, BRANCHES, count_hazard, &found,
				 &complete),
	   "%d branches in delay slots are checked", (int)BRANCHES);
	ok(!complete && found.nhazards >= BRANCHES - 1,
	   "each is reported, and that ways were left out");
	free(insts);
}

/*
 * Branches to a register, each of which is also where all others may go to:
 * the ways grow with the square of the length, and with its cube in delay
 * slots.  The last instructions are checked all the same.
 */
static void
check_many_returns(void)
{
	enum { RETURNS = 30000 };
	static const char *const words[] = { "bra ra1, ra1",
					     "bra.allz ra1, ra1" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		struct found found = { .rule = 8 };
		struct qpu_inst *insts = calloc(RETURNS, sizeof(*insts));
		struct qpu_asm_program program;
		bool complete = true;

		if (insts && qpu_asm_text("t", words[i], strlen(words[i]), NULL,
					  &program))
			qpu_unpack(program.words[0].word, &insts[0]);
		qpu_asm_free(&program);
		for (size_t k = 1; insts && k < RETURNS; k++)
			insts[k] = insts[0];
		ok(insts && qpu_validate(insts, NULL, RETURNS, count_hazard,
					 &found, &complete),
		   "%d times %s", (int)RETURNS, words[i]);
		ok(!complete && found.nhazards > 0,
		   "hazards are reported, and that ways were left out");
		free(insts);
	}
}

/* An instruction that is reached in more ways than a handful. */
static void
check_many_starts(void)
{
	struct found found = { .rule = 1 };
	static struct qpu_inst insts[8 * CALLERS];
	struct qpu_asm_program program;
	char source[CALLERS * 64];
	size_t len = 0, n = 0;
	bool complete = false;

	/* Jumps in third delay slots, all to one place. */
	for (unsigned i = 0; i < 20; i++)
		len += sprintf(source + len,
			       "brr.anyz -, r:to\nnop\nnop\n"
			       "brr -, r:x%u\nnop\nnop\n:x%u\nnop\n",
			       i, i);
	len += sprintf(source + len, END "nop\n:x\nmov r0, ra1\n" END
					 ":to\nnop\nnop\nmov ra1, r0\n" END);
	/* The last of them goes to where ra1 is read. */
	char *last = strstr(source, "r:x19");
	memcpy(last, "r:x  ", 5);
	if (qpu_asm_text("t", source, len, NULL, &program))
		for (; n < program.nwords; n++)
			qpu_unpack(program.words[n].word, &insts[n]);
	else
		tap_note("%s", program.messages[0].diag.text);
	qpu_asm_free(&program);
	ok(n && qpu_validate(insts, NULL, n, count_hazard, &found, &complete) &&
		   complete && found.nhazards == 1,
	   "the twentieth way to reach an instruction is followed");
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_row(i);
	check_two_names();
	check_coverage(qpu_single_rules);
	check_coverage(qpu_pair_rules);
	check_coverage(qpu_slot_rules);
	check_data();
	check_many_ways();
	check_many_branches();
	check_many_returns();
	check_many_starts();
	return tap_done();
}
