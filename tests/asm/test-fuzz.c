/* SPDX-License-Identifier: MIT */
/*
 * Promise: the assembler survives anything: sources with bytes changed, moved
 * and dropped give words or messages, and the validator survives any words.
 */
#include "config.h"

#include "qpu/asm/asm.h"

#include <stdlib.h>

#include "qpu/isa/pack.h"
#include "qpu/validate/validate.h"
#include "tests/asm/random-inst.h"
#include "tests/support/tap.h"

enum { COUNT = 8000, MAX_SOURCE = 4096, MAX_CHANGES = 3 };

static const char source[] =
	".set base, 3\n"
	".set twice(x) (x) * 2\n"
	".func pick(a, b)\n.if a > b\na\n.else\nb\n.endif\n.endf\n"
	".macro step, reg, n\n  add reg, reg, n\n.endm\n"
	"#line 7 \"macros.m4\"\n"
	".const k, ra3.8a\n"
	":top\n"
	"mov r0, unif; mov ra1, r4; ldtmu0\n"
	"add.setf.ifz r1, ra1, rb2; mul24.ifnz r2, r1, r3\n"
	"step r0, twice(base)\n"
	"mov r2, r0 << (1 << 2)\n"
	".rep i, 4\nldi ra0 + i, 0x10 + i\n.endr\n"
	"ldi r1, [0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3]\n"
	"fmul r0.8c, r1, 0.5; fadd r2, r0, r3\n"
	"add r2, k, r3\n"
	"sacq -, 3\nmov -, srel(2)\n"
	"brr.anynz ra5, r:top\nnop\nnop\nnop\n"
	"1:\nbra -, ra5, :2f - :1b\n"
	".back 1\nnop\n.endb\n"
	"2: .int 1, 2.5, -3, :2b - :top\n"
	".byte 1,2,3\n.align 16\n.assert pick(3, 4) == 4\n"
	".local\n.lset x, sin(1.0) ** 2\n.float x, exp2 3\n.endloc\n"
	".clone :top, 2\n.clone :0_end, 1\n"
	".foreach r, ra1, rb2\n;mov r, 0;\n.endfor\n"
	".bit 1, 0, 1\n.half 0.1\n.align 8, 4\n.long 5\n.align 8\n"
	"mov ra1, rb2, 5; read ra3\nmov r1, 0x80000000; mov r2, 1;\n"
	";add r0, r3, 16\nmul24 r2, ra0 << 8, r1 << 8\n"
	":0_end mov.ifcc r0, ra1.unpack8b\n"
	"thrend\nread vw_wait\nnop\n";

static const char alphabet[] =
	"abfirnx019.,;:#()[]<>=+-*/%&|^~! \t\n\"'\\\0\x80\xff_";

/* One change: a byte, a run moved or repeated, or a run dropped. */
static size_t
mutate(struct qpu_random *random, char *text, size_t len)
{
	const size_t at = qpu_random_below(random, len);
	size_t run = 1 + qpu_random_below(random, 20);
	const size_t from = qpu_random_below(random, len);

	switch (qpu_random_below(random, 4)) {
	case 0:
		text[at] = alphabet[qpu_random_below(random, sizeof(alphabet))];
		return len;
	case 1: text[at] = (char)qpu_random_below(random, 256); return len;
	case 2:
		if (run > len - at)
			run = len - at;
		memmove(text + at, text + at + run, len - at - run);
		return len > run ? len - run : len;
	default:
		if (run > len - from)
			run = len - from;
		if (len + run > MAX_SOURCE)
			return len;
		char copy[20];
		memcpy(copy, text + from, run);
		memmove(text + at + run, text + at, len - at);
		memcpy(text + at, copy, run);
		return len + run;
	}
}

static void
ignore_hazard(void *context, const struct qpu_hazard *hazard)
{
	*(size_t *)context += hazard->rule->id;
}

/* Whatever was assembled can be checked, too. */
static bool
check_program(const struct qpu_asm_program *program)
{
	const size_t n = program->nwords;
	struct qpu_inst *insts = calloc(n + 1, sizeof(*insts));
	bool *is_inst = calloc(n + 1, sizeof(*is_inst));
	size_t sum = 0;
	bool complete;

	for (size_t i = 0; i < n; i++)
		is_inst[i] = qpu_unpack(program->words[i].word, &insts[i]);
	const bool good =
		qpu_validate(insts, is_inst, n, ignore_hazard, &sum, &complete);
	free(insts);
	free(is_inst);
	return good;
}

static void
check_mutants(void)
{
	struct qpu_random random = { .state = 77 };
	unsigned nassembled = 0, nrefused = 0, nbad = 0;

	for (unsigned i = 0; i < COUNT; i++) {
		static char text[MAX_SOURCE];
		size_t len = sizeof(source) - 1;
		struct qpu_asm_program program;

		memcpy(text, source, len);
		for (unsigned n = qpu_random_below(&random, MAX_CHANGES) + 1;
		     n > 0 && len; n--)
			len = mutate(&random, text, len);
		if (qpu_asm_text("fuzz", text, len, NULL, &program)) {
			nassembled++;
			nbad += !check_program(&program);
		} else {
			nrefused++;
			nbad += !program.ndiagnostics || program.words;
		}
		qpu_asm_free(&program);
	}
	ok(nassembled > COUNT / 100, "some mutants assemble (%u)", nassembled);
	ok(nrefused > COUNT / 4, "many are refused (%u)", nrefused);
	ok(!nbad, "each gives words or a message");
}

/* Random words through the validator: branches to and fro. */
static void
check_words(void)
{
	struct qpu_random random = { .state = 99 };
	enum { N = 200 };
	struct qpu_inst insts[N];
	size_t sum = 0;
	bool complete;
	bool good = true;

	for (unsigned round = 0; round < 500; round++) {
		for (unsigned i = 0; i < N; i++) {
			qpu_random_inst(&random, &insts[i]);
			if (insts[i].kind == QPU_KIND_BRANCH)
				insts[i].imm =
					8 *
					(qpu_random_below(&random, N) - N / 2);
		}
		good &= qpu_validate(insts, NULL, N, ignore_hazard, &sum,
				     &complete);
	}
	ok(good && sum, "random programs are checked");
}

int
main(void)
{
	struct qpu_asm_program program;

	if (!ok(qpu_asm_text("t", source, strlen(source), NULL, &program),
		"the seed assembles"))
		for (size_t i = 0; i < program.ndiagnostics; i++)
			tap_note("%u: %s", program.diagnostics[i].diag.line,
				 program.diagnostics[i].diag.text);
	qpu_asm_free(&program);
	check_mutants();
	check_words();
	return tap_done();
}
