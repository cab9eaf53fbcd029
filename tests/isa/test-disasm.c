/* SPDX-License-Identifier: MIT */
/*
 * Promise: the text of an instruction is one that the assembler reads; where
 * it reads several texts as one instruction, a row says which is written.  Other
 * texts stand beside the words in tests/asm/encoding.golden.
 */
#include "config.h"

#include "qpu/asm/asm.h"
#include "qpu/isa/disasm.h"
#include "qpu/isa/pack.h"
#include "tests/support/tap.h"

static const struct {
	const char *source;
	const char *text; /* null: the same */
} rows[] = {
	{ "read ra5", NULL },
	{ "read rb5", NULL },
	{ "read ra5; read rb6; bkpt", NULL },
	{ "nop; mul24 r0, r1, r2", "mul24 r0, r1, r2" },
	{ "add.setf r0, r1, r2", NULL },
	{ "add.ifz r0, r1, r2", NULL },
	{ "add.setf.ifnc r0, r1, r2", "add.setf.ifcc r0, r1, r2" },
	{ "add r0, ra5.8d, rb6", NULL },
	{ "add ra5.8abcd, r0, r1", "add ra5.8abcdi, r0, r1" },
	{ "add ra5.8as, r0, r1", "add ra5.8asi, r0, r1" },
	{ "add ra5.32s, r0, r1", NULL },
	{ "fadd ra5.16b, r0, r1", NULL },
	{ "add rb5, r0, r1; mul24 ra6.8b, r2, r3",
	  "add rb5, r0, r1; mul24 ra6.8bi, r2, r3" },
	{ "fadd r0, r4.8a, r1; fmul r2.8a, r0, r1",
	  "fadd r0, r4.8a, r1; fmul r2.8af, r0, r1" },
	{ "fadd r0, r1, 128.0", NULL },
	{ "fadd r0, r1, 0.00390625", NULL },
	{ "av8adds r0, r1, r2", NULL },
	{ "v8max r0, r1, r2", NULL },
	{ "itof r0, r1", NULL },
	{ "nop; mul24.rot 3, r1, r5, r5", "mul24.rot 3, r1, r5, r5" },
	{ "add r0, r1, r2; mov r3, r0 << 1", NULL },
	{ "mov.ifn r1, r2; mov.ifnn r3, r0", NULL },
	{ "add.setf r0, r1, r2; mul24 r3, r1, r2", NULL },
	{ "nop; mul24.setf r3, r1, r2", "mul24.setf r3, r1, r2" },
	{ "mov t0s, r0", NULL },
	{ "mov r0, elem_num", NULL },
	{ "mov -, mutex", NULL },
	{ "mov r0, r1; ldtmu0", NULL },
	{ "add r0, unif, ra1", "add r0, rb32, ra1" },
	{ "ldi r0.ifz, r1.ifnz, 0x5", NULL },
	{ "ldi -, 0x0", NULL },
	{ "ldi nop.ifz, 0x0", NULL },
	{ "sacq.setf r0, 3", NULL },
	{ "sacq r0, r1, 3", NULL },
	{ "srel r0.ifz, 3", NULL },
	{ "bra ra5, 0x40", NULL },
	{ "bra.anyn -, ra3", NULL },
	{ "bra rb5, ra3, 0x8", NULL },
	{ "brr r0, r1, ra4, 8", NULL },
	{ "brr r0, r1, -, 8", NULL },
	{ "add r0, ra1, rb1; mul24 r1, ra1, rb1", NULL },
	{ "and rb0, ra0, rb0; fmul ra31, r0, rb0", NULL },
	{ "mov r0, r4.16a", NULL },
	{ "nop; mov r0, ra5.16b", NULL },
	{ "nop; mov t0s, r0", NULL },
	{ "mov.ifz -, r0", NULL },
	{ "add.setf -, r0, r1", NULL },
	{ "add ra5, ra6, rb7; mul24 rb5, ra6, rb7", NULL },
	{ "add rb5, ra6, rb7; mul24 ra5, ra6, rb7", NULL },
	{ "mov -, unif", NULL },
	{ "read unif", NULL },
	{ "read vpm; read rb48", "read rb48" },
	{ "mov r0, ra5; read rb6", NULL },
	{ "ldi ra5.8a, 0xff", "ldi ra5.8ai, 0xff" },
	{ "sacq -, 0x20", NULL },
	{ "bra -, 0x0", NULL },
	/* Names are those that people write wherever the files are clear. */
	{ "mov r0, r1; mov ra5, r2", NULL },
	{ "mov rb5, r1; mov r0, r2", NULL },
	{ "add ra1, r0, r1; mul24 rb2, r0, r1", NULL },
	{ "add rb1, r0, r1; mul24 ra2, r0, r1", NULL },
	{ "mov vw_setup, r0; mov r1, r2", NULL },
	{ "mov r1, r2; mov vr_setup, r0", NULL },
	{ "add r0, elem_num, qpu_num", NULL },
};

/* What no source gives. */
static const struct {
	uint64_t word;
	const char *text;
} words[] = {
	/* Results exchanged between files that the assembler does not. */
	{ UINT64_C(0x10021e27159e7000), "mov rb56, r0" },
	{ UINT64_C(0x100059f8809e7000), "nop; mov ra56, r0" },
	{ UINT64_C(0x10025e3c959e7009), "mov rb56, r0; mov t1s, r1" },
	{ UINT64_C(0x100419e7159e7000), "mov.ifz rb39, r0" },
	{ UINT64_C(0xe0025e3c00000005), "ldi rb56, t1s, 0x5" },
	{ UINT64_C(0xe8021e2700000011), "sacq rb56, 1" },
	{ UINT64_C(0), "read ra0; read rb0; bkpt" },
	/* A nop with conditions, as other assemblers make it. */
	{ UINT64_C(0x100249E7009E7DBF), "nop" },
};

static void
disassemble(uint64_t word, const char *target, char text[QPU_DISASM_SIZE])
{
	struct qpu_inst inst;

	if (qpu_unpack(word, &inst))
		qpu_disasm(&inst, target, text);
	else
		strcpy(text, "no instruction");
}

static void
check_sources(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct qpu_asm_program program;
		char text[QPU_DISASM_SIZE] = "not assembled";

		if (qpu_asm_text("t", rows[i].source, strlen(rows[i].source),
				 NULL, &program))
			disassemble(program.words[0].word, NULL, text);
		qpu_asm_free(&program);
		is(text, rows[i].text ? rows[i].text : rows[i].source,
		   "the text of '%s'", rows[i].source);
	}
}

static void
check_words(void)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		char text[QPU_DISASM_SIZE];

		disassemble(words[i].word, NULL, text);
		is(text, words[i].text, "the text of %016llx",
		   (unsigned long long)words[i].word);
	}
}

static void
check_targets(void)
{
	char text[QPU_DISASM_SIZE];

	disassemble(UINT64_C(0xf0f809e700000040), "r:L8", text);
	is(text, "brr -, r:L8",
	   "the target of a branch is the label that is given");
	disassemble(UINT64_C(0xf0f460e700000000), "r:L8", text);
	is(text, "bra ra3, ra3, r:L8",
	   "a branch to a register and a label has both");
}

int
main(void)
{
	check_sources();
	check_words();
	check_targets();
	return tap_done();
}
