/* SPDX-License-Identifier: MIT */
/*
 * Each rule of the validator has programs that break it and programs that
 * just do not.
 */
#include "config.h"
#include "qpu/validate.h"

#include <stdlib.h>

#include "qpu/asm.h"
#include "qpu/pack.h"
#include "tests/tap.h"

#define NOP3 "nop\nnop\nnop\n"
#define END "thrend\nnop\nnop\n"

static const struct {
	unsigned rule;
	bool fails;
	bool warns;		/* instead */
	const char *what;
	const char *source;	/* or null */
	uint64_t word;		/* what no source gives */
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
	{ 1, false, true, "behind a return, which goes where the link says",
	  "brr ra2, r:sub\n" NOP3 "mov r0, ra7\n" END
	  ":sub\nbra -, ra2\nnop\nnop\nmov ra7, r1\n", 0 },
	{ 1, true, false, "a branch in the third delay slot of another",
	  "brr -, r:a\nnop\nnop\nbrr -, r:b\n" END
	  ":a\nnop\nnop\nmov ra1, r0\n" END ":b\nmov r0, ra1\n" END, 0 },

	{ 2, true, false, "r5 written, rotation by r5",
	  "mov r5rep, r0\nmov r1, r2 << r5\n" END, 0 },
	{ 2, false, false, "one instruction between",
	  "mov r5rep, r0\nnop\nmov r1, r2 << r5\n" END, 0 },
	{ 2, false, false, "rotation by a constant",
	  "mov r5rep, r0\nmov r1, r2 << 3\n" END, 0 },

	{ 3, true, false, "accumulator rotated after its write",
	  "mov r2, r0\nmov r1, r2 << 3\n" END, 0 },
	{ 3, false, false, "one instruction between",
	  "mov r2, r0\nnop\nmov r1, r2 << 3\n" END, 0 },
	{ 3, false, false, "another accumulator",
	  "mov r3, r0\nmov r1, r2 << 3\n" END, 0 },

	{ 4, true, false, "uniform after unif_addr",
	  "mov unif_addr, r0\nnop\nmov r1, unif\n" END, 0 },
	{ 4, false, false, "the third instruction may",
	  "mov unif_addr, r0\nnop\nnop\nmov r1, unif\n" END, 0 },

	{ 5, true, false, "TMU after tmurs",
	  "mov tmurs, 1\nnop\nmov t0s, r0\n" END, 0 },
	{ 5, false, false, "the third instruction may",
	  "mov tmurs, 1\nnop\nnop\nmov t0s, r0\n" END, 0 },

	{ 6, true, false, "r4 read too early",
	  "mov recip, r0\nnop\nmov r1, r4\n" END, 0 },
	{ 6, true, false, "r4 written by the TMU meanwhile",
	  "mov recip, r0\nldtmu0\n" END, 0 },
	{ 6, true, false, "the SFU written again",
	  "mov recip, r0\nmov exp, r1\n" END, 0 },
	{ 6, false, false, "the third instruction may",
	  "mov recip, r0\nnop\nnop\nmov r1, r4\n" END, 0 },

	{ 7, true, false, "uniform read at the end",
	  "thrend\nmov r0, unif\nnop\n", 0 },
	{ 7, true, false, "VPM written at the end",
	  "thrend\nnop\nmov vpm, r0\n", 0 },
	{ 7, true, false, "ra14 at the end",
	  "thrend\nmov r0, ra14\nnop\n", 0 },
	{ 7, true, false, "a register file written with thrend",
	  "mov ra3, r0; thrend\nnop\nnop\n", 0 },
	{ 7, false, false, "a register file written after thrend",
	  "thrend\nmov ra3, r0\nmov irq, r0\n", 0 },

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
	{ 9, false, true, "TMU request and TMU load",
	  "mov t0s, r0; ldtmu0\n" END, 0 },
	{ 9, false, false, "TMU and VPM", "mov t0s, r0; mov vpm, r1\n" END, 0 },

	{ 10, true, false, "a predicated TMU request",
	  "mov.ifz t0s, r0\n" END, 0 },
	{ 10, true, false, "a predicated VPM write",
	  "mov.ifn vpm, r0\n" END, 0 },
	{ 10, false, false, "a predicated interrupt",
	  "mov.ifz irq, r0\n" END, 0 },

	{ 11, true, false, "a byte packed into the VPM",
	  "nop; fmul vpm.8b, r0, r1\n" END, 0 },
	{ 11, false, false, "a byte packed into an accumulator",
	  "nop; fmul r0.8b, r0, r1\n" END, 0 },
	{ 11, false, false, "all bytes packed into the VPM",
	  "nop; fmul vpm.8abcd, r0, r1\n" END, 0 },

	{ 12, true, false, "one accumulator twice",
	  "add r0, r1, r2; mul24 r0, r1, r2\n" END, 0 },
	{ 12, false, false, "with complementary predicates",
	  "add.ifz r0, r1, r2; mul24.ifnz r0, r1, r2\n" END, 0 },
	{ 12, true, false, "complementary predicates do not help the VPM",
	  "add.ifz vpm, r1, r2; mul24.ifnz vpm, r1, r2\n" END, 0 },
	{ 12, false, false, "ra5 and rb5 are two registers",
	  "add ra5, r1, r2; mul24 rb5, r1, r2\n" END, 0 },

	{ 13, true, false, "both setups",
	  "mov vr_setup, r0; mov vw_setup, r1\n" END, 0 },
	{ 13, true, false, "VPM read with a setup",
	  "mov r0, vpm; mov vr_setup, r1\n" END, 0 },
	{ 13, true, false, "VPM write with its setup",
	  "mov vpm, r0; mov vw_setup, r1\n" END, 0 },
	{ 13, false, true, "VPM read with ldtmu",
	  "mov r0, vpm; ldtmu0\n" END, 0 },
	{ 13, false, false, "VPM write with the read setup",
	  "mov vpm, r0; mov vr_setup, r1\n" END, 0 },

	{ 14, true, false, "a graphics signal", "sbwait\n" END, 0 },
	{ 14, true, false, "a tile buffer write", "mov tlbc, r0\n" END, 0 },
	{ 14, true, false, "a varying", "mov r0, vary\n" END, 0 },
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

	{ 19, true, false, "a semaphore into the TMU", "sacq t0s, 3\n" END, 0 },
	{ 19, false, false, "a semaphore into an accumulator",
	  "sacq r0, 3\n" END, 0 },

	{ 20, true, false, "a crooked target", NULL,
	  UINT64_C(0xf0f809e700000004) },
	{ 20, false, false, "a straight target",
	  "brr -, r:l\n" NOP3 ":l\n" END, 0 },
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
load_program(size_t row, struct qpu_inst insts[MAX_INSTS])
{
	struct qpu_asm_program program;
	const char *source = rows[row].source;
	size_t n = 0;

	if (!source)
		return qpu_unpack(rows[row].word, &insts[0]);
	if (qpu_asm_text("t", source, strlen(source), NULL, &program))
		for (; n < program.nwords && n < MAX_INSTS; n++)
			qpu_unpack(program.words[n].word, &insts[n]);
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
	const size_t n = load_program(row, insts);
	const bool ran = n && qpu_validate(insts, NULL, n, count_hazard,
					   &found);

	if (!ok(ran && !!found.nhazards == rows[row].fails &&
		(rows[row].fails ||
		 !!found.nwarnings == rows[row].warns),
		"R%u %s: %s", rows[row].rule, rows[row].fails ? "fails" :
		rows[row].warns ? "warns" : "passes", rows[row].what))
		tap_note("%zu instructions, %u hazards, %u warnings", n,
			 found.nhazards, found.nwarnings);
	if (!rows[row].fails)
		ok(!found.nothers, "and no other rule is broken");
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

	qpu_unpack(UINT64_C(0x10020167159e7000), &insts[0]);	/* mov ra5, r0 */
	insts[1] = insts[0];
	qpu_unpack(UINT64_C(0x1002082715167d80), &insts[2]);	/* mov r0, ra5 */
	ok(qpu_validate(insts, is_inst, 3, count_hazard, &found) &&
	   !found.nhazards, "data end the walk");
	ok(qpu_validate(insts, NULL, 3, count_hazard, &found) &&
	   found.nhazards == 1, "as instructions they do not");
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_row(i);
	check_coverage(qpu_single_rules);
	check_coverage(qpu_pair_rules);
	check_data();
	return tap_done();
}
