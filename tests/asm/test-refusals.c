/* SPDX-License-Identifier: MIT */
/*
 * Promise: what no instruction can hold is refused, with the reason and the
 * place, and its nearest neighbour that one can hold is taken.
 */
#include "config.h"

#include "qpu/asm/asm.h"

#include <stdlib.h>

#include "tests/support/tap.h"

#define NOT_SMALL                                                              \
	" is not a small immediate (-16 to 15, or a power of two from 1.0/256" \
	" to 128.0): load it into a register with ldi first"

/* clang-format off */
static const struct {
	const char *refused;
	unsigned number, line, column;
	const char *reason;
	const char *taken;	/* the neighbour */
} rows[] = {
	/* Section 3.9: targets of branches. */
	{ "brr -, r:x\nnop\nnop\nnop\n.byte 1, 2, 3, 4\n:x", ASM_E_BRANCH, 1, 8,
	  "the target is not at an instruction (rule R20)",
	  "brr -, r:x\nnop\nnop\nnop\n.byte 1, 2, 3, 4, 5, 6, 7, 8\n:x" },
	{ "brr -, -0x80000001", ASM_E_BRANCH, 1, 8,
	  "the target needs more than 32 bits", "brr -, -0x80000000" },
	{ "brr -, 0x100000000", ASM_E_BRANCH, 1, 8,
	  "the target needs more than 32 bits", "brr -, 0xffffffff" },
	{ "brr -, 8, 16", ASM_E_BRANCH, 1, 11, "a branch has one constant target",
	  "brr -, ra1, 16" },
	{ "bra -, ra1, ra2", ASM_E_BRANCH, 1, 13, "a branch reads one register",
	  "bra -, ra1" },
	{ "bra -, rb1", ASM_E_BRANCH, 1, 8,
	  "a branch reads its target from ra0 to ra31", "bra -, ra31" },
	{ "bra -, r1", ASM_E_BRANCH, 1, 8,
	  "a branch reads its target from ra0 to ra31", "bra -, ra0" },
	{ "bra -, unif", ASM_E_BRANCH, 1, 8,
	  "a branch reads its target from ra0 to ra31", "bra -, ra0" },
	{ "bra -, ra1.16a", ASM_E_BRANCH, 1, 8,
	  "a branch reads its target from ra0 to ra31", "bra -, ra1" },
	{ "bra -, 1.0", ASM_E_BRANCH, 1, 8,
	  "the target must be a label, a register or an integer", "bra -, 8" },
	{ "brr ra1.8a, 8", ASM_E_BRANCH, 1, 5, "a link is neither packed nor rotated",
	  "brr ra1, 8" },
	{ "brr -, 8; nop", ASM_E_UNIT, 1, 1,
	  "'brr' needs an instruction of its own", "brr -, 8" },

	/* Section 2.6: semaphores. */
	{ "sacq -, ra1", ASM_E_OPERAND, 1, 9, "the number of a semaphore is expected",
	  "sacq -, 15" },
	{ "sacq -, -1", ASM_E_IMMEDIATE, 1, 9, "no such semaphore", "sacq -, 0" },
	{ "srel -, 0x100000000", ASM_E_IMMEDIATE, 1, 9, "no such semaphore",
	  "srel -, 0xffffffff" },
	{ "mov r0, sacq16", ASM_E_UNDEFINED, 1, 9,
	  "'sacq16' is not defined", "mov r0, sacq15" },
	{ "mov r0, sacq(16)", ASM_E_EXPRESSION, 1, 9, "semaphores are numbered 0 to 15",
	  "mov r0, sacq(15)" },
	{ "sacq -, 3; mov r0, r1", ASM_E_UNIT, 1, 1,
	  "'sacq' needs an instruction of its own", "sacq -, 3" },
	{ "sacq -, 3; ldtmu0", ASM_E_SIGNAL, 1, 1,
	  "'sacq' needs an instruction of its own", "sacq -, 3" },

	/* Section 6: rotations, which take the small immediate field. */
	{ "add r0, r1, 5; mov r2, r3 << 1", ASM_E_PORT, 1, 13,
	  "one instruction has room for one small immediate or rotation",
	  "add r0, r1, r2; mov r2, r3 << 1" },
	{ "mov r0, rb1; mov r2, r3 << 1", ASM_E_PORT, 1, 14,
	  "a rotation takes the place of the read of rb1 (rule R16)",
	  "mov r0, ra1; mov r2, r3 << 1" },
	{ "add r0, r1, r2 << 1", ASM_E_ROTATE, 1, 1,
	  "only the mul ALU can rotate", "mul24 r0, r1 << 1, r2 << 1" },
	{ "mul24 r0, r1 << 1, r2 << 2", ASM_E_ROTATE, 1, 11,
	  "the result is rotated, so both operands must be rotated alike",
	  "mul24 r0, r1 << 2, r2 << 2" },
	{ "mul24 r0, r4 << 1, r1 << 2", ASM_E_ROTATE, 1, 11,
	  "the result is rotated, so both operands must be rotated alike",
	  "mul24 r0, r4 << 2, r1 << 2" },
	{ "mul24 r0, r4 << 5, ra1 << r5", ASM_E_ROTATE, 1, 20,
	  "the result is rotated, so both operands must be rotated alike",
	  "mul24 r0, r1 << r5, r2 << r5" },
	{ "nop; mul24 r2, r3 << 1, r3 << 1; ldtmu0", ASM_E_SIGNAL, 1, 34,
	  "ldtmu0 cannot share an instruction with a rotation",
	  "mov r2, r3; ldtmu0" },
	{ "mul24.rot 16, r0, r1, r2", ASM_E_ROTATE, 1, 11,
	  "a rotation is r5 or -15 to 15 lanes", "mul24.rot 15, r0, r1, r2" },
	{ "mul24.rot -16, r0, r1, r2", ASM_E_ROTATE, 1, 11,
	  "a rotation is r5 or -15 to 15 lanes",
	  "mul24.rot -15, r0, r1, r2" },

	/* Sections 2.2 and 2.3: ports and small immediates. */
	{ "and r0, r1, 16", ASM_E_IMMEDIATE, 1, 13, "16" NOT_SMALL,
	  "add r0, r1, 16" },
	{ "add r0, r1, 5; mul24 r2, r3, 6", ASM_E_PORT, 1, 30,
	  "one instruction has room for one small immediate or rotation",
	  "add r0, r1, 5; mul24 r2, r3, 5" },
	{ "add r0, r1, 5; ldtmu0", ASM_E_SIGNAL, 1, 16,
	  "ldtmu0 cannot share an instruction with a small immediate",
	  "add r0, r1, r2; ldtmu0" },
	{ "add r0, rb1, rb2", ASM_E_PORT, 1, 14,
	  "regfile B is read at rb1 and rb2 in one instruction",
	  "add r0, rb1, rb1" },
	{ "add r0, ra1, rb1; mov r2, unif", ASM_E_PORT, 1, 27,
	  "no port is left to read unif: regfile A is read at ra1,"
	  " port B has rb1",
	  "add r0, ra1, rb1; mov r2, ra1" },
	{ "add r0, ra1, 5; mov r2, unif", ASM_E_PORT, 1, 25,
	  "no port is left to read unif: regfile A is read at ra1,"
	  " port B has a small immediate",
	  "add r0, unif, 5; mov r2, unif" },
	{ "mov r0, t0s", ASM_E_OPERAND, 1, 9, "t0s cannot be read", "mov t0s, r0" },
	{ "read ra1; read rb1; read ra1", ASM_E_PORT, 1, 21,
	  "there are two read ports", "read ra1; read rb1" },
	{ "read sacq1", ASM_E_OPERAND, 1, 6,
	  "a register or a small immediate is expected", "read 1.0" },

	/* Sections 3.2 and 3.7: results and flags. */
	{ "add rb1, r0, r1; mul24 rb2, r0, r1", ASM_E_WRITE, 1, 24,
	  "regfile B is written at rb1 and rb2 in one instruction",
	  "add rb1, r0, r1; mul24 ra2, r0, r1" },
	{ "add ra1, r0, r1; mul24 ra2, r0, r1", ASM_E_WRITE, 1, 24,
	  "regfile A is written at ra1 and ra2 in one instruction",
	  "add ra1, r0, r1; mul24 rb2, r0, r1" },
	{ "mov unif, r0", ASM_E_OPERAND, 1, 5, "unif cannot be written",
	  "mov r0, unif" },
	{ "add r0, r1, r2; mul24.setf r3, r1, r2", ASM_E_FLAGS, 1, 17,
	  "the flags come from the add ALU, 'mul24' cannot set them here",
	  "nop; mul24.setf r3, r1, r2" },
	{ "mov r5, r0", ASM_E_OPERAND, 1, 5, "r5 is written as r5quad or r5rep",
	  "mov r5rep, r0" },

	/* Section 5: packing and unpacking. */
	{ "fadd r0, ra1.16a, r4.8a", ASM_E_PACK, 1, 19,
	  "r4 and regfile A cannot both be unpacked", "fadd r0, ra1.16a, r4" },
	{ "fadd r0, ra1.16a, ra1.16b", ASM_E_PACK, 1, 19,
	  "all reads of one register are unpacked alike",
	  "fadd r0, ra1.16a, ra1.16a" },
	{ "mov r0, rb1.16a", ASM_E_PACK, 1, 9, "only ra0 to ra31 and r4 unpack",
	  "mov r0, ra1.16a" },
	{ "mov r0, r3.8a", ASM_E_PACK, 1, 9, "only ra0 to ra31 and r4 unpack",
	  "mov r0, r4.8a" },
	{ "add r0, ra1.8abcd, r1", ASM_E_PACK, 1, 9, "not an unpack mode",
	  "add r0, ra1.8a, r1" },
	{ "add r0, ra1.8af, r1", ASM_E_PACK, 1, 9, "the operation takes integers",
	  "fadd r0, ra1.8af, r1" },
	{ "fadd r0, ra1.8ai, r1", ASM_E_PACK, 1, 10, "the operation takes floats",
	  "add r0, ra1.8ai, r1" },
	{ "fadd r0, r4.8ai, r1", ASM_E_PACK, 1, 10, "r4 unpacks to floats",
	  "fadd r0, r4.8af, r1" },
	{ "mov ra1.16a, r2; fmul r0.8a, r1, r2", ASM_E_PACK, 1, 23,
	  "pack and unpack modes of regfile A cannot be mixed with those of"
	  " r4 and the mul result",
	  "mov ra1.16a, r2; fmul r0, r1, r2" },
	{ "mov ra1.8dr, r0", ASM_E_PACK, 1, 5, "8dr unpacks, it cannot pack",
	  "mov ra1.8d, r0" },
	{ "fadd ra1.8af, r0, r1", ASM_E_PACK, 1, 6,
	  "only the mul ALU packs floats to bytes", "fmul ra1.8af, r0, r1" },
	{ "mov rb1.16a, r0", ASM_E_PACK, 1, 5, "only ra0 to ra31 can be packed into",
	  "mov ra31.16a, r0" },
	{ "add ra1.16af, r0, r1", ASM_E_PACK, 1, 5,
	  "the operation yields an integer", "fadd ra1.16af, r0, r1" },
	{ "fadd ra1.16ai, r0, r1", ASM_E_PACK, 1, 6, "the operation yields a float",
	  "add ra1.16ai, r0, r1" },

	/* Section 2.4: loads. */
	{ "mov ra0, 12345; mov r1, r2", ASM_E_IMMEDIATE, 1, 10,
	  "12345" NOT_SMALL, "mov ra0, 12; mov r1, r2" },
	{ "ldi r0, 0x100000000", ASM_E_IMMEDIATE, 1, 9,
	  "the value needs more than 32 bits", "ldi r0, 0xffffffff" },
	{ "ldi r0, -0x80000001", ASM_E_IMMEDIATE, 1, 9,
	  "the value needs more than 32 bits", "ldi r0, -0x80000000" },
	{ "ldi r0, 5; ldi r1, 6", ASM_E_UNIT, 1, 12,
	  "one instruction loads one constant", "ldi r0, 5; ldi r1, 5" },
	{ "ldi r0, 5; add r1, r2, r3", ASM_E_UNIT, 1, 1,
	  "ldi shares an instruction only with another load of the same"
	  " constant",
	  "mov r0, 5; add r1, r2, r3" },
	{ "ldi r0, 5; ldtmu0", ASM_E_SIGNAL, 1, 12,
	  "ldtmu0 cannot share an instruction with ldi", "ldi r0, 5" },
	{ "ldi r0, [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,4]", ASM_E_IMMEDIATE, 1, 39,
	  "an element is -2 to 3", "ldi r0, [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,3]" },
	{ "ldi r0, [-3,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]", ASM_E_IMMEDIATE, 1, 10,
	  "an element is -2 to 3", "ldi r0, [-2,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1]" },
	{ "ldi r0, [-1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,2]", ASM_E_IMMEDIATE, 1, 9,
	  "elements are -2 to 1 or 0 to 3, not mixed",
	  "ldi r0, [-1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1]" },

	/* A line of the source. */
	{ "add r0, r1, r2; mul24 r0, r1, r2; sub r0, r1, r2", ASM_E_UNIT, 1, 35,
	  "both ALUs are in use: there is none left for 'sub'",
	  "add r0, r1, r2; mul24 r3, r1, r2; ldtmu0" },
	{ "ldtmu0; ldtmu1", ASM_E_SIGNAL, 1, 9,
	  "an instruction has one signal, not ldtmu0 and ldtmu1", "ldtmu0" },
	{ "mov r0, r1.frob", ASM_E_SUFFIX, 1, 11, "a source has no suffix '.frob'",
	  "mov r0, r1" },
	{ "mov r0.frob, r1", ASM_E_SUFFIX, 1, 7, "a destination has no suffix '.frob'",
	  "mov r0.8a, r4" },
	{ "mov.frob r0, r1", ASM_E_SUFFIX, 1, 4, "'mov' has no suffix '.frob'",
	  "mov.ifz r0, r1" },
	{ "mov 5, r1", ASM_E_OPERAND, 1, 5, "the destination must be a register",
	  "mov r5rep, r1" },
	{ ".set f(x) x + nope\nldi r0, f(1)", ASM_E_UNDEFINED, 1, 15,
	  "'nope' is not defined",
	  ".set f(x) x + 1\nldi r0, f(1)" },
	/* What depends on a later label stays unknown, however it is used. */
	{ ":s\n.if floor((:e - :s) / 8.0)\n.endif\n:e", ASM_E_UNDEFINED, 2, 5,
	  "this needs a label that comes later",
	  ":s nop\n:e\n.if floor((:e - :s) / 8.0)\n.endif" },
	{ ":s\n.if sqrt(:e - :s)\n.endif\n:e", ASM_E_UNDEFINED, 2, 5,
	  "this needs a label that comes later",
	  ":s nop\n:e\n.if sqrt(:e - :s)\n.endif" },
	{ ":s\n.if isSmallImmd(:e - :s)\n.endif\n:e", ASM_E_UNDEFINED, 2, 5,
	  "this needs a label that comes later",
	  ":s\n.if isLabel(:e)\n.endif\n:e" },
	{ ":s\n.if (:e - :s) + :s - :s\n.endif\n:e", ASM_E_UNDEFINED, 2, 5,
	  "this needs a label that comes later",
	  ":s\n:e\n.if (:e - :s) + :s - :s\n.endif" },
	/* .back moves b, and with it what .if says. */
	{ ":a nop\n:b nop\n.if :b - :a == 16\nnop\n.endif\n.back 2\nnop\n"
	  ".endb\n:c nop",
	  ASM_E_MOVED, 2, 0,
	  "label 'b' is at another address in the second pass: what is "
	  "assembled depends on a label that moves",
	  ":a nop\n:b nop\n.back 2\nnop\n.endb\n.if :b - :a == 16\nnop\n"
	  ".endif\n:c nop" },
	{ "add r0, r1, r:x\n:x", ASM_E_OPERAND, 1, 13, "r:label is for branches only",
	  "brr -, r:x\n:x" },

	/* Data. */
	{ ".byte 256", ASM_E_IMMEDIATE, 1, 7, "256 does not fit in 1 byte", ".byte 255" },
	{ ".byte -129", ASM_E_IMMEDIATE, 1, 7, "-129 does not fit in 1 byte",
	  ".byte -128" },
	{ ".short 65536", ASM_E_IMMEDIATE, 1, 8, "65536 does not fit in 2 bytes",
	  ".short 65535" },
	{ ".int 0x100000000", ASM_E_IMMEDIATE, 1, 6,
	  "4294967296 does not fit in 4 bytes", ".int 0xffffffff" },
	{ ".bit 2", ASM_E_IMMEDIATE, 1, 6, "a bit is 0 or 1", ".bit 1" },
	{ ".align 8192", ASM_E_ARGUMENT, 1, 8,
	  "a power of two up to 4096 is expected", ".align 4096" },
	{ ".align 12", ASM_E_ARGUMENT, 1, 8,
	  "a power of two up to 4096 is expected", ".align 16" },
	{ ":x nop\n.clone :x + 4, 1", ASM_E_ARGUMENT, 2, 8,
	  "instructions at a label are expected", ":x nop\n.clone :x, 1" },
	{ ".back 11\n.endb", ASM_E_ARGUMENT, 1, 7, ".back goes back 0 to 10 instructions",
	  "nop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\n"
	  ".back 10\n.endb" },
	{ "nop\n.back 2\n.endb", ASM_E_ARGUMENT, 2, 7,
	  "there are no 2 instructions to go back", "nop\n.back 1\n.endb" },
};
/* clang-format on */

static bool
assemble(const char *text, struct qpu_asm_program *program)
{
	return qpu_asm_text("t", text, strlen(text), NULL, program);
}

static const struct asm_message *
first_error(const struct qpu_asm_program *program)
{
	for (size_t i = 0; i < program->nmessages; i++)
		if (program->messages[i].severity == ASM_ERROR)
			return &program->messages[i];
	return NULL;
}

static void
check_refused(size_t row)
{
	struct qpu_asm_program program;
	const bool good = assemble(rows[row].refused, &program);
	const struct asm_message *message = first_error(&program);

	if (!ok(!good && message && message->diag.rule == rows[row].number &&
			message->diag.line == rows[row].line &&
			message->diag.column == rows[row].column &&
			strcmp(message->diag.text, rows[row].reason) == 0,
		"row %zu is refused: %s", row, rows[row].reason) &&
	    message)
		tap_note("%s\n# %u:%u: %s [%u]", rows[row].refused,
			 message->diag.line, message->diag.column,
			 message->diag.text, message->diag.rule);
	qpu_asm_free(&program);
}

static void
check_taken(size_t row)
{
	struct qpu_asm_program program;

	if (!ok(assemble(rows[row].taken, &program) && !program.nerrors,
		"its neighbour is taken"))
		tap_note("%s\n# %s", rows[row].taken,
			 program.nmessages ? program.messages->diag.text : "");
	qpu_asm_free(&program);
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		check_refused(i);
		check_taken(i);
	}
	return tap_done();
}
