/* SPDX-License-Identifier: MIT */
/*
 * Promise: checking mode reports each hazard from its first instruction to its
 * last, on both ALUs and through both files, and nothing besides.
 */
#include "config.h"

#include "tests/emulator/emu.h"

/* Makes r0 the numbers of lanes, and N where they are below 8: 2 words. */
#define LANES "mov r0, elem_num\nsub.setf -, r0, 8\n"
#define MANY_NOPS ".rep i, 253\nnop\n.endr\n"
/* A store of a row from row 0 of the VPM; its address is a uniform: 2 words. */
#define STORE "ldi vw_setup, 0x80904000\nmov vw_addr, unif\n"
#define LOAD "ldi vr_setup, 0x81111000\nmov vr_addr, unif\n"

/* What is reported, as "RULE@INSTRUCTION", in the order of time. */
static const struct {
	const char *text, *findings;
} rows[] = {
	/* R1: a register of a file right after it was written. */
	{ "mov ra0, 1\nadd r0, unif, ra0", "R1@1" },
	{ "mov ra0, 1\nadd r0, ra0, unif", "R1@1" },
	{ "mov ra0, 1\nnop; mul24 r0, ra0, 2", "R1@1" },
	{ "mov rb0, 1\nmov r0, 1\nmov rb0, 2\nnop; mul24 r1, r0, rb0", "R1@3" },
	{ "mov r0, 1; mov ra0, 2\nmov r1, ra0", "R1@1" },
	{ "mov r0, 1; mov rb0, 2\nmov r1, rb0", "R1@1" },
	{ "mov r0, 1; mov rb0, 2\nnop\nmov r1, rb0", "" },
	{ "mov ra0, 1\nmov r0, ra0.8a", "R1@1" },
	{ "mov ra0, 1\nfmin r0, ra0.16a, unif", "R1@1" },
	{ "mov ra0, 1\nmov ra1, 2\nmov r0, ra0", "" },
	{ "brr ra1, :a\nmov r0, ra1\nnop\nnop\n:a\nnop", "R1@1" },
	{ "mov r0, 1\nmov r1, r0; mov r2, r0", "" },
	/* R2 and R3: rotations. */
	{ "mov r0, 1\nmov r5rep, 2\nmov r1, r0 << 3", "" },
	{ "mov r0, 1\nmov ra1, 2\nnop; mul24.rot 2, r1, r0, ra1", "R1@2" },
	{ "mov r2, 1\nmov r0, 1\nnop; mul24.rot 2, r1, r0, r2", "R3@2" },
	{ "mov r2, 1\nmov r0, 1\nnop; mul24.rot 2, r1, r2, r0", "R3@2" },
	{ "mov r2, 1\nmov r1, 1; mov r3, 2\nnop; mul24.rot 2, r1, r2, r3",
	  "R3@2" },
	{ "mov ra0, 1\nmov r1, 1\nmov.rot 2, r1, ra0", "" },
	/* R4: a uniform behind a new address. */
	{ "mov unif_addr, unif\nmov r0, unif", "R4@1" },
	/* R5: lookups behind the swap. */
	{ "mov tmurs, 1\nmov t0s, unif\nldtmu0", "R5@1" },
	{ "mov tmurs, 1\nnop\nmov t1s, unif\nldtmu1", "R5@2" },
	{ "mov t1s, unif\nldtmu1\nmov tmurs, 1", "R5@2" },
	/* R6: the SFU. */
	{ "mov recip, 1\nmov r0, r4", "R6@1" },
	{ "mov t0s, unif\nmov recip, 1\nldtmu0", "R6@2" },
	{ "mov t0s, unif\nmov recip, 1\nnop\nldtmu0", "R6@3" },
	{ "mov t1s, unif\nmov log, 1\nnop\nldtmu1", "R6@3" },
	{ "mov t0s, unif\nmov recip, 1\nnop\nnop\nldtmu0", "" },
	{ "mov recip, 1\nnop\nmov recipsqrt, 1\nnop\nnop\nmov r0, r4", "R6@2" },
	/* Long ago, however long. */
	{ "mov recip, 1\n" MANY_NOPS "mov r0, r4\nmov r0, r4\nmov r0, r4\n"
	  "mov r0, r4\nmov r0, r4",
	  "" },
	/* R7: the end. */
	{ "thrend\nnop\nmov r0, unif", "R7@2" },
	{ "mov r0, unif; thrend\nnop\nnop", "R7@0" },
	{ "ldi vw_setup, 0xa00\nmov r0, 0\nmov vpm, r0; thrend\nnop\nnop",
	  "R7@2" },
	{ "thrend\nldi vw_setup, 0xa00\nnop", "R7@1" },
	{ "thrend\nnop\nldi vr_setup, 0x90000000", "R7@2" },
	{ "thrend\nmov -, vr_wait\nmov -, vw_wait", "" },
	{ "mov r0, 1\nthrend; mov rb1, r0\nnop\nnop", "R7@1" },
	{ "mov r0, 1\nmov r1, r0; mov rb31, r0; thrend\nnop\nnop", "R7@1" },
	{ "mov r0, 1\nmov r1, r0; thrend\nnop\nnop", "" },
	{ "mov r0, 1\nthrend\nmov rb14, r0\nmov r1, r0; mov ra14, r0",
	  "R7@2 R7@3" },
	{ "mov ra14, 1\nmov rb14, 1\nthrend\nmov r0, ra14\nmov r0, rb14",
	  "R7@3 R7@4" },
	{ "mov ra13, 1\nmov rb15, 1\nthrend\nmov r0, ra13\nmov r0, rb15", "" },
	{ "mov ra14, 1\nnop\nmov r0, ra14; thrend\nnop\nnop", "" },
	{ "thrend\nmov ra13, 1\nmov rb15, 1", "" },
	/* R8: what stands in delay slots. */
	{ "brr -, :a\nnop\nbrr -, :a\nnop\n:a\nnop", "R8@2" },
	{ "brr -, :a\nnop\nnop\nbrr -, :b\n:a\nnop\nnop\nnop\n:b\nnop", "" },
	{ "brr -, :a\nthrend\nnop\nnop\n:a\nnop", "R8@1" },
	{ "brr -, :a\nnop\nnop\nthrend\n:a\nnop\nnop", "R8@3" },
	/* R10: ports obey no condition. */
	{ LANES "ldi vw_setup, 0xa00\nmov r1, 1; mov.ifn vpm, r0", "R10@3" },
	{ LANES "nop\nnop; mov.ifn irq, r0", "" },
	{ LANES "nop\nmov.ifn -, r0; mov.ifn -, r0", "" },
	/* R12: one register twice. */
	{ "mov r1, 1\nmov r2, 2\nmov r0, r1; mov r0, r2", "R12@2" },
	{ "mov r1, 1\nnop\nmov r0, r1; mov r0, r1 << 2", "R12@2" },
	{ "mov r1, 1\nmov r5quad, r1; v8adds r5rep, r1, r1", "R12@1" },
	{ "mov r1, 1\nadd -, r1, r1; v8adds -, r1, 2", "" },
	/* ldi r0, r0, 5: one value. */
	{ ".int 5, 0xe0024820", "" },
	{ LANES "add.ifn r1, r0, r0; v8adds r1, r0, r0", "R12@2" },
	/* R13: the VPM twice, or beside a lookup's result. */
	{ "mov r0, 0\nmov vw_setup, r0; mov vr_setup, r0", "R13@1 R15@4" },
	{ "ldi vr_setup, 0x101a00\nmov r1, 0\nnop\nnop\n"
	  "mov r0, vpm; mov vw_setup, r1",
	  "R13@4" },
	{ "ldi vr_setup, 0x101a00\nldi r1, 0x101a00\nnop\nnop\n"
	  "mov r0, vpm; mov vr_setup, r1\nnop\nnop\nnop\nmov r0, vpm",
	  "R13@4" },
	{ "ldi vw_setup, 0xa00\nmov r0, 0\nmov vpm, r0; mov vw_setup, r0",
	  "R13@2" },
	{ "mov t0s, unif\nldi vw_setup, 0xa00\nmov r0, 0\n"
	  "mov vpm, r0; ldtmu0",
	  "R13@3" },
	{ "mov t1s, unif\nldi vr_setup, 0x101a00\nnop\nnop\nnop\n"
	  "mov r0, vpm; ldtmu1",
	  "R13@5" },
	{ "mov t1s, unif\nldi r0, 0xa00\nmov vw_setup, r0; ldtmu1", "R13@2" },
	{ "mov t1s, unif\nldi r0, 0x90000000\nmov vr_setup, r0; ldtmu1",
	  "R13@2" },
	{ "mov r0, unif\nmov t1s, r0\nldi vr_setup, 0x81111000\n"
	  "mov vr_addr, r0; ldtmu1\nmov -, vr_wait",
	  "R13@3" },
	{ "mov r0, unif\nmov t0s, r0\nldi vw_setup, 0x80904000\n"
	  "ldi r1, 4096\nldtmu0; add vw_addr, r0, r1\nmov -, vw_wait",
	  "R13@4" },
	/* C22: registers that nobody has written. */
	{ "mov r0, r1", "C22@0" },
	{ "nop\nmov r0, r4", "C22@1" },
	{ "nop\nmov r0, r5", "C22@1" },
	{ "mov r0, ra0", "C22@0" },
	{ "mov r0, rb31", "C22@0" },
	{ "add r0, unif, rb31", "C22@0" },
	{ "mov r0, 1\nadd r1, r0, r2", "C22@1" },
	{ "mov r0, 1\nnop; mul24 r1, r0, r2", "C22@1" },
	{ "mov r0, 1\nnop; mul24 r1, r2, r0", "C22@1" },
	{ "mov r0, ra3.8b", "C22@0" },
	{ "mov r0, unif; mov rb1, 1\nmov r5quad, 1\nmov r1, rb1; mov r2, r5",
	  "" },
	{ "mov r5rep, 1\nmov exp, r5\nnop\nnop\nmov r0, r4", "" },
	{ "mov t1s, unif\nldtmu1\nmov r0, r4", "" },
	{ "sub r0, ra7, ra7\nv8subs r1, rb7, rb7\nnop; v8subs r2, rb9, rb9",
	  "" },
	{ "add r0, ra7, ra7", "C22@0" },
	{ "mov r1, 1\nxor r0, ra7, r1", "C22@1" },
	{ "mov r1, 1\nnop; v8subs r0, ra7, r1", "C22@1" },
	{ "nop; mul24 r0, ra7, ra7", "C22@0" },
	{ "nop; v8adds r0, ra7, ra7", "C22@0" },
	/* No lane takes it; a port takes all; so does a rotation. */
	{ "mov.setf -, 1\nmov.ifz r0, ra7", "" },
	{ "mov.setf -, 1\nmov.ifz r0, unif; mov.ifz r1, ra7", "" },
	{ "mov.setf -, 1\nmov.ifz irq, ra7", "" },
	{ "mov.setf -, 1\nnop; mov.ifz irq, ra7", "" },
	{ "mov.setf -, 1\nldi vw_setup, 0xa00\nmov.ifz vpm, ra7",
	  "C22@2 R10@2" },
	{ "mov.setf -, 1\nldi vw_setup, 0xa00\nnop; mov.ifz vpm, ra7",
	  "C22@2 R10@2" },
	{ "mov.setf -, 1\nmov.ifz r0, r1 << 2", "C22@1" },
	/* C35: values of register 39. */
	{ "mov r0, rb39", "C35@0" },
	{ "mov r0, 1\nadd r1, r0, ra39", "C35@1" },
	{ "mov r0, 1\nadd r1, ra39, r0", "C35@1" },
	{ "mov r0, 1\nnop; mul24 r1, r0, ra39", "C35@1" },
	{ "mov r0, 1\nnop; mul24 r1, ra39, r0", "C35@1" },
	{ "mov.setf -, ra39", "C35@0" },
	{ "nop; mov.setf -, ra39", "C35@0" },
	{ "nop; mov -, ra39", "" },
	{ "xor r0, ra39, ra39", "" },
	/* C27 and C28: more than one transfer under way. */
	{ LOAD "ldi vr_setup, 0x81111010\nmov vr_addr, unif\n"
	       "ldi vr_setup, 0x201a00\nnop\nnop\nnop\nmov r0, vpm\n"
	       "mov r0, vpm\nmov -, vr_wait",
	  "C27@8 C27@9" },
	{ STORE "ldi vw_setup, 0x80904080\nmov vw_addr, unif\n"
		"ldi vw_setup, 0x1a00\nmov vpm, 1\nmov vpm, 1\nmov vpm, 1\n"
		"mov -, vw_wait",
	  "C28@5 C28@6" },
	{ LOAD "ldi vw_setup, 0xa00\nmov vpm, 1\nmov -, vr_wait", "" },
	{ STORE "ldi vr_setup, 0x101a00\nnop\nnop\nnop\nmov r0, vpm\n"
		"mov -, vw_wait",
	  "" },
	{ LOAD "mov -, vw_wait\nldi vr_setup, 0x101a00\nnop\nnop\nnop\n"
	       "mov r0, vpm\nmov -, vr_wait",
	  "C27@7" },
	{ STORE "mov -, vr_wait\nldi vw_setup, 0xa00\nmov vpm, 1\n"
		"mov -, vw_wait",
	  "C28@4" },
	/* What is left at the end. */
	{ "mov t1s, unif", "C31@3" },
	{ "mov -, mutex\nmov t0s, unif\nldi vr_setup, 0x101a00\n" STORE,
	  "C23@7 R15@7 C31@7 C29@7" },
	/* A branch looks at lane 15 of its register. */
	{ LANES "ldi ra0, 0x40001038\nnop\nldi.ifn ra0, 0x40001038\n"
		"bra -, ra0\nnop\nnop\nnop",
	  "" },
	{ LANES "ldi ra0, 0x40001048\nnop\nldi.ifnn ra0, 0x40001048\n"
		"bra -, ra0\nnop\nnop\nnop",
	  "R1@5" },
};

struct log {
	char text[256];
	uint32_t code;
};

static void
note(void *context, const struct machine_finding *finding)
{
	struct log *log = context;
	const size_t used = strlen(log->text);

	snprintf(log->text + used, sizeof(log->text) - used, "%s%s@%u",
		 used ? " " : "", finding->name, (finding->pc - log->code) / 8);
}

/* Uniforms 0 and 1 are addresses of data, 2 is 1. */
static void
test_rows(void)
{
	static const struct machine_options options = {
		.check = true,
		.seed = 42,
	};
	static const uint32_t uniforms[] = {
		EMU_BASE + EMU_DATA,
		EMU_BASE + EMU_DATA,
		1,
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct emu emu = emu_open(&options);
		struct log log = { .code = EMU_BASE + EMU_CODE };
		char text[1024];

		snprintf(text, sizeof(text), "%s%s", rows[i].text,
			 strstr(rows[i].text, "thrend") ? "" : EMU_END);
		emu_program(&emu, emu_assemble(&emu, text), uniforms, 3);
		machine_on_finding(emu.machine, note, &log);
		machine_launch(emu.machine, emu.programs, 1, &emu.why);
		emu.status = machine_run(emu.machine, 1000, 0, &emu.why);
		for (char *at = text; *at; at++)
			*at = *at == '\n' ? '|' : *at;
		ok(emu.status == MACHINE_DONE &&
			   strcmp(log.text, rows[i].findings) == 0,
		   "%s: %s", *rows[i].findings ? rows[i].findings : "nothing",
		   text);
		if (strcmp(log.text, rows[i].findings) != 0)
			tap_note("it is %s", log.text);
		if (emu.status != MACHINE_DONE)
			tap_note("%s", emu.why.text);
		emu_close(&emu);
	}
}

/* The whole message of each rule. */
static void
test_messages(void)
{
	static const struct {
		const char *text, *message;
	} told[] = {
		{ "mov ra0, 1\nmov r0, ra0",
		  "R1: register is read right after the instruction that "
		  "wrote it" },
		{ "mov r0, 1\nmov r5rep, 2\nmov r1, r0 << r5",
		  "R2: rotation by r5 right after r5 was written" },
		{ "mov r0, 1\nmov r1, r0 << 2",
		  "R3: rotation of an accumulator right after it was "
		  "written" },
		{ "mov unif_addr, unif\nmov r0, unif",
		  "R4: uniform read within 2 instructions of a write to "
		  "unif_addr" },
		{ "mov tmurs, 1\nmov t0s, unif\nldtmu0",
		  "R5: TMU write within 2 instructions of a write to tmurs, "
		  "or tmurs changed after a TMU was used" },
		{ "mov recip, 1\nmov r0, r4",
		  "R6: r4 or the SFU is used within 2 instructions of an SFU "
		  "write" },
		{ "thrend\nnop\nmov r0, unif",
		  "R7: uniform, VPM, ra14 or rb14 used while the program "
		  "ends, or ra/rb written by thrend" },
		{ "brr -, :a\nbrr -, :a\nnop\nnop\n:a\nnop",
		  "R8: branch or thrend in a delay slot that cannot take it" },
		{ "mov.setf -, 1\nmov r0, 1\nldi vw_setup, 0xa00\n"
		  "mov.ifz vpm, r0",
		  "R10: conditional write to a peripheral: suppressed lanes "
		  "are undefined" },
		{ "mov r0, 1; v8adds r0, 1, 1",
		  "R12: both ALUs write the same register in the same lanes" },
		{ "ldi vw_setup, 0xa00\nmov r0, 0\n"
		  "mov vpm, r0; mov vw_setup, r0",
		  "R13: VPM accesses that do not work in one instruction" },
		{ "ldi vr_setup, 0x101a00",
		  "R15: VPM reads do not match the setup" },
		{ "ldi ra0, 0x40001034\nnop\nbra -, ra0\nnop\nnop\nnop\nnop",
		  "R20: code address is not a multiple of 8" },
		{ "mov r0, unif\n.rep i, 5\nmov t0s, r0\n.endr\n"
		  ".rep i, 5\nldtmu0\n.endr",
		  "C21: more than 4 TMU requests wait" },
		{ "mov r0, ra7", "C22: register is read that was never "
				 "written" },
		{ "mov -, mutex", "C23: program ends and holds the mutex" },
		{ ".rep i, 4\nmov r0, unif\n.endr",
		  "C24: uniform read behind the end of the uniforms" },
		{ "ldi vr_setup, 0x81111000\nldi vr_addr, 0x40010002\n"
		  "mov -, vr_wait",
		  "C25: DMA address is not a multiple of 4" },
		{ "ldi vw_setup, 0xa30\nmov vpm, 1",
		  "C26: VPM access outside the reserved rows" },
		{ LOAD "ldi vr_setup, 0x101a00\nnop\nnop\nnop\nmov r0, vpm",
		  "C27: VPM row is read while a DMA load may still write it: "
		  "wait first" },
		{ "ldi vw_setup, 0xa00\n" STORE "mov vpm, 1\nmov -, vw_wait",
		  "C28: VPM row is written while a DMA store may still read "
		  "it: wait first" },
		{ STORE, "C29: program ends while its DMA store runs: wait "
			 "first" },
		{ STORE "mov t0s, unif\nldtmu0\nmov -, vw_wait",
		  "C30: TMU reads a line that was stored after it was "
		  "fetched, or is storing: it may get the old one" },
		{ "mov t0s, unif", "C31: program ends with TMU results not "
				   "fetched" },
		{ "ldi ra1, 0x40001030\nnop\nbra -, ra1\nnop\nnop\nnop\nnop",
		  "C32: branch through an odd register also sets the flags" },
		{ "ldi t0s, 0x3ffffff0\nldtmu0",
		  "C33: TMU lookup at 0x3ffffff0 in lane 0 is outside "
		  "memory: it gets whatever is on the bus" },
		{ "ldi vr_setup, 0x90004000",
		  "C34: DMA pitch or stride has bits that get lost" },
		{ "mov r0, ra39",
		  "C35: value of register 39, or of a mul nop, is "
		  "undefined" },
	};
	static const struct machine_options options = { .check = true };
	static const uint32_t uniforms[] = {
		EMU_BASE + EMU_DATA,
		EMU_BASE + EMU_DATA,
		1,
	};

	for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++) {
		enum { SRQUL = 0x438, VPMBASE = 0x504 };
		struct emu emu = emu_open(&options);
		char text[256];

		machine_write(emu.machine, SRQUL, 3);
		machine_write(emu.machine, VPMBASE, 12);
		snprintf(text, sizeof(text), "%s%s", told[i].text,
			 strstr(told[i].text, "thrend") ? "" : EMU_END);
		emu_program(&emu, emu_assemble(&emu, text), uniforms, 3);
		emu_go(&emu, 1000);
		is(emu.finding, told[i].message, "%.3s has its message",
		   told[i].message);
		emu_close(&emu);
	}
}

/* A program that begins within an instruction. */
static void
test_start(void)
{
	static const struct machine_options options = { .check = true };

	for (unsigned bytes = 0; bytes <= 4; bytes++) {
		struct emu emu = emu_open(&options);

		emu_program(&emu, emu_assemble(&emu, "nop" EMU_END) + bytes,
			    NULL, 0);
		ok(emu_go(&emu, 100) == MACHINE_DONE &&
			   emu.findings[20] == (bytes != 0),
		   "a start %u bytes behind a multiple of 8", bytes);
		emu_close(&emu);
	}
}

/*
 * Each rule at each instruction of a loop is told once, until half of the set
 * is used.  Two rules at each, so that collisions of the set are many.
 */
static void
test_once(void)
{
	static const struct machine_options options = { .check = true };
	struct emu emu = emu_open(&options);

	emu_program(&emu,
		    emu_assemble(&emu,
				 "ldi r0, 3\n:loop\n"
				 ".rep i, 2100\nmov r1, ra7\n"
				 ".endr\n"
				 "sub.setf r0, r0, 1\nbrr.anynz -, :loop\n"
				 "nop\nnop\nnop" EMU_END),
		    NULL, 0);
	emu_go(&emu, 10000);
	ok(emu.nfindings == 2100 && emu.findings[22] == 2100,
	   "each instruction is told once");
	emu_close(&emu);
	emu = emu_open(&options);
	emu_program(&emu,
		    emu_assemble(&emu,
				 "ldi r0, 3\n:loop\n"
				 ".rep i, 2100\nadd r1, ra7, rb39\n"
				 ".endr\n"
				 "sub.setf r0, r0, 1\nbrr.anynz -, :loop\n"
				 "nop\nnop\nnop" EMU_END),
		    NULL, 0);
	ok(emu_go(&emu, 10000) == MACHINE_DONE && emu.nfindings == 4096 &&
		   emu.findings[22] == 2048 && emu.findings[35] == 2048,
	   "after 4096 of them nothing is told any more");
	emu_close(&emu);
}

static void
test_names(void)
{
	static const struct {
		const char *list;
		uint64_t rules; /* 0: is refused */
		const char *why;
	} lists[] = {
		{ "R1", 1 << 1, "" },
		{ "r20,c21", 1 << 20 | 1 << 21, "" },
		{ "C35,R5,C35", UINT64_C(1) << 35 | 1 << 5, "" },
		{ "R0", 0, "R0" },
		{ "R21", 0, "R21" },
		{ "C20", 0, "C20" },
		{ "C36", 0, "C36" },
		{ "R", 0, "R" },
		{ "R005", 0, "R005" },
		{ "R:", 0, "R:" },
		{ "C3/", 0, "C3/" },
		{ "X5", 0, "X5" },
		{ "R1,", 0, "" },
		{ "R1,,R2", 0, "" },
		{ "R1,abcdefghijklmnopqrstuvwxyz0123456789,R2", 0,
		  "abcdefghijklmnopqrstuvwxyz012345" },
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		uint64_t rules = 0;
		struct diag why = { .text = "" };
		char expected[128] = "";
		const bool good =
			machine_rules_parse(lists[i].list, &rules, &why);

		if (!lists[i].rules)
			snprintf(expected, sizeof(expected),
				 "'%s' is not a rule: there are R1 to R20 and "
				 "C21 to C35",
				 lists[i].why);
		ok(good == (lists[i].rules != 0) &&
			   (!good || rules == lists[i].rules),
		   "a list of rules: '%s'", lists[i].list);
		is(why.text, expected, "what is said of it");
	}
}

int
main(void)
{
	test_rows();
	test_messages();
	test_start();
	test_once();
	test_names();
	return tap_done();
}
