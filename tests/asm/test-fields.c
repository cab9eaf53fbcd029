/* SPDX-License-Identifier: MIT */
/*
 * Promise: results go where the instruction says, in the mode that it says.
 * The fields are those of the VideoCore IV reference guide, figure 4.
 */
#include "config.h"

#include "qpu/asm/asm.h"

#include "tests/support/tap.h"

/* clang-format off */
static const struct {
	const char *text;
	unsigned pm, pack, ws, waddr_add, waddr_mul;
} rows[] = {
	/* Which file: ws swaps them. */
	{ "mov ra1, r0", 0, 0, 0, 1, 39 },
	{ "mov rb2, r0", 0, 0, 1, 2, 39 },
	{ "mov r3, r0", 0, 0, 0, 35, 39 },
	{ "mov vpm, r0", 0, 0, 0, 48, 39 },
	{ "mov vr_setup, r0", 0, 0, 0, 49, 39 },
	{ "mov vw_setup, r0", 0, 0, 1, 49, 39 },
	{ "nop; mul24 rb1, r0, r1", 0, 0, 0, 39, 1 },
	{ "nop; mul24 ra1, r0, r1", 0, 0, 1, 39, 1 },
	{ "nop; mul24 r2, r0, r1", 0, 0, 0, 39, 34 },
	{ "add ra1, r0, r1; mul24 rb2, r0, r1", 0, 0, 0, 1, 2 },
	{ "add rb1, r0, r1; mul24 ra2, r0, r1", 0, 0, 1, 1, 2 },
	{ "add ra1, r0, r1; mul24 r2, r0, r1", 0, 0, 0, 1, 34 },
	{ "add rb1, r0, r1; mul24 r2, r0, r1", 0, 0, 1, 1, 34 },
	{ "add r1, r0, r1; mul24 ra2, r0, r1", 0, 0, 1, 33, 2 },
	{ "add r1, r0, r1; mul24 rb2, r0, r1", 0, 0, 0, 33, 2 },
	{ "add r1, r0, r1; mul24 r2, r0, r1", 0, 0, 0, 33, 34 },
	{ "nop ra5", 0, 0, 0, 5, 39 }, { "nop rb5", 0, 0, 1, 5, 39 },
	{ "thrend", 0, 0, 0, 39, 39 },

	/* What regfile A packs. */
	{ "mov ra1.16a, r0", 0, 1, 0, 1, 39 },
	{ "mov ra1.16b, r0", 0, 2, 0, 1, 39 },
	{ "mov ra1.8abcd, r0", 0, 3, 0, 1, 39 },
	{ "mov ra1.8ddupe, r0", 0, 3, 0, 1, 39 },
	{ "mov ra1.8a, r0", 0, 4, 0, 1, 39 },
	{ "mov ra1.8b, r0", 0, 5, 0, 1, 39 },
	{ "mov ra1.8c, r0", 0, 6, 0, 1, 39 },
	{ "mov ra1.8d, r0", 0, 7, 0, 1, 39 },
	{ "mov ra1.32, r0", 0, 0, 0, 1, 39 },
	{ "mov ra1.32s, r0", 0, 8, 0, 1, 39 },
	{ "mov ra1.16as, r0", 0, 9, 0, 1, 39 },
	{ "mov ra1.16bs, r0", 0, 10, 0, 1, 39 },
	{ "mov ra1.8abcds, r0", 0, 11, 0, 1, 39 },
	{ "mov ra1.8as, r0", 0, 12, 0, 1, 39 },
	{ "mov ra1.8bsi, r0", 0, 13, 0, 1, 39 },
	{ "mov ra1.8csi, r0", 0, 14, 0, 1, 39 },
	{ "mov ra1.8ds, r0", 0, 15, 0, 1, 39 },
	{ "fadd ra1.16a, r0, r1", 0, 1, 0, 1, 39 },
	{ "fadd ra1.16af, r0, r1", 0, 1, 0, 1, 39 },
	{ "fadd ra1.8a, r0, r1", 0, 4, 0, 1, 39 },
	{ "fadd ra1.8ai, r0, r1", 0, 4, 0, 1, 39 },
	{ "fadd ra1.32sf, r0, r1", 0, 8, 0, 1, 39 },
	{ "add ra1.16ai, r0, r1", 0, 1, 0, 1, 39 },
	{ "fmul ra1.16a, r0, r1", 0, 1, 1, 39, 1 },
	{ "fmul ra1.16bs, r0, r1", 0, 10, 1, 39, 1 },
	{ "fmul ra1.8ai, r0, r1", 0, 4, 1, 39, 1 },
	{ "fmul ra1.8asi, r0, r1", 0, 12, 1, 39, 1 },
	{ "fmul ra1.32s, r0, r1", 0, 8, 1, 39, 1 },
	{ "mul24 ra1.8a, r0, r1", 0, 4, 1, 39, 1 },
	{ "mul24 ra1.8abcd, r0, r1", 0, 3, 1, 39, 1 },
	{ "mul24 ra1.8as, r0, r1", 0, 12, 1, 39, 1 },

	/* What the mul ALU packs: it saturates unless "f" says that it is so. */
	{ "fmul ra1.8a, r0, r1", 1, 12, 1, 39, 1 },
	{ "fmul ra1.8abcd, r0, r1", 1, 11, 1, 39, 1 },
	{ "fmul ra1.8af, r0, r1", 1, 4, 1, 39, 1 },
	{ "fmul ra1.8asf, r0, r1", 1, 12, 1, 39, 1 },
	{ "fmul r2.8b, r0, r1", 1, 13, 0, 39, 34 },
	{ "fmul r2.8abcdf, r0, r1", 1, 3, 0, 39, 34 },
	{ "fmul rb1.8d, r0, r1", 1, 15, 0, 39, 1 },
	{ "fmul t0s.8c, r0, r1", 1, 14, 0, 39, 56 },
	{ "mul24 r2.8a, r0, r1", 1, 12, 0, 39, 34 },
	{ "mul24 rb1.8as, r0, r1", 1, 12, 0, 39, 1 },
	{ "mul24 ra1.8af, r0, r1", 1, 4, 1, 39, 1 },

	/* Both ALUs. */
	{ "add r1, r0, r1; fmul ra1.8a, r0, r1", 1, 12, 1, 33, 1 },
	{ "mov ra1.16a, r0; fmul r1, r0, r1", 0, 1, 0, 1, 33 },
};

/* Conditions: 0 never, 1 always, 2 z, 3 nz, 4 n, 5 nn, 6 c, 7 nc. */
static const struct {
	const char *text;
	unsigned add, mul;
} conds[] = {
	{ "nop", 0, 0 }, { "mov r0, r1", 1, 0 }, { "nop; mul24 r0, r1, r2", 0, 1 },
	{ "mov.ifz r0, r1; mul24.ifnz r2, r1, r1", 2, 3 },
	{ "mov.ifn r0, r1; mul24 r2, r1, r1", 4, 1 },
	{ "mov r0, r1; mul24.ifcc r2, r1, r1", 1, 7 },
	{ "mov r0.c, r1; mul24 r2.nn, r1, r1", 6, 5 },
	{ "mov.never r0, r1; mul24 r2, r1, r1", 0, 1 },
	{ "mov.ifz r0.nz, r1", 3, 0 },
};

static const struct {
	const char *text, *reason;
} refused[] = {
	{ "mov ra1.8dr, r0", "8dr unpacks, it cannot pack" },
	{ "fmul ra1.8dr, r0, r1", "8dr unpacks, it cannot pack" },
	{ "add ra1.8af, r0, r1", "only the mul ALU packs floats to bytes" },
	{ "fadd ra1.8asf, r0, r1", "only the mul ALU packs floats to bytes" },
	{ "add rb1.16a, r0, r1", "only ra0 to ra31 can be packed into" },
	{ "add r1.32s, r0, r1", "only ra0 to ra31 can be packed into" },
	{ "add t0s.8a, r0, r1", "only ra0 to ra31 can be packed into" },
	{ "add ra32.8a, r0, r1", "only ra0 to ra31 can be packed into" },
	{ "fmul r1.16a, r0, r1", "only ra0 to ra31 can be packed into" },
	{ "fmul r1.8ai, r0, r1", "only ra0 to ra31 can be packed into" },
	{ "add nop.8a, r0, r1", "only ra0 to ra31 can be packed into" },
	{ "add ra1.16af, r0, r1", "the operation yields an integer" },
	{ "mul24 ra1.16af, r0, r1", "the operation yields an integer" },
	{ "fadd ra1.16ai, r0, r1", "the operation yields a float" },
	{ "fmul ra1.32si, r0, r1", "the operation yields a float" },
	{ "mov r5quad, r0; mul24 unif_addr, r1, r2",
	  "regfile A is written at r5quad and unif_addr in one instruction" },
	{ "mov r5rep, r0; mul24 unif_addr_rel, r1, r2",
	  "regfile B is written at r5rep and unif_addr_rel in one instruction" },
	{ "mov elem_num, r0", "elem_num cannot be written" },
	{ "mov qpu_num, r0", "qpu_num cannot be written" },
	{ "mov unif, r0", "unif cannot be written" },
	{ "add r0, r1, r2; mul24 vary, r1, r2", "vary cannot be written" },
	{ "mov ra1.16a, r4.8a; fmul r0, r1, r2",
	  "pack and unpack modes of regfile A cannot be mixed with those of r4"
	  " and the mul result" },
};
/* clang-format on */

static bool
assemble(const char *text, struct qpu_asm_program *program)
{
	return qpu_asm_text("t", text, strlen(text), NULL, program);
}

static void
check_row(size_t row)
{
	struct qpu_asm_program program;
	const bool good = assemble(rows[row].text, &program) &&
			  program.nwords == 1;
	const uint64_t word = good ? program.words->word : 0;

	if (!ok(good && (word >> 56 & 1) == rows[row].pm &&
			(word >> 52 & 15) == rows[row].pack &&
			(word >> 44 & 1) == rows[row].ws &&
			(word >> 38 & 63) == rows[row].waddr_add &&
			(word >> 32 & 63) == rows[row].waddr_mul,
		"'%s' goes where it says", rows[row].text))
		tap_note("got %016llx %s", (unsigned long long)word,
			 program.nmessages ? program.messages->diag.text : "");
	qpu_asm_free(&program);
}

static void
check_cond(size_t row)
{
	struct qpu_asm_program program;
	const bool good = assemble(conds[row].text, &program) &&
			  program.nwords == 1;
	const uint64_t word = good ? program.words->word : 0;

	if (!ok(good && (word >> 49 & 7) == conds[row].add &&
			(word >> 46 & 7) == conds[row].mul,
		"'%s' goes there when it says", conds[row].text))
		tap_note("got %016llx", (unsigned long long)word);
	qpu_asm_free(&program);
}

static void
check_refused(size_t row)
{
	struct qpu_asm_program program;

	if (!ok(!assemble(refused[row].text, &program) &&
			program.nmessages == 1 &&
			!strcmp(program.messages->diag.text,
				refused[row].reason),
		"'%s': %s", refused[row].text, refused[row].reason) &&
	    program.nmessages)
		tap_note("got %s", program.messages->diag.text);
	qpu_asm_free(&program);
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_row(i);
	for (size_t i = 0; i < sizeof(conds) / sizeof(*conds); i++)
		check_cond(i);
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		check_refused(i);
	return tap_done();
}
