/* SPDX-License-Identifier: MIT */
/*
 * Promise: whatever a source contains, the assembler gives words or messages;
 * words that are instructions can be disassembled, and their text assembles to
 * the same words.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/asm/asm.h"
#include "qpu/isa/disasm.h"
#include "qpu/isa/pack.h"
#include "tests/fuzz/fuzz.h"

/* An instruction assembles to itself. */
static void
check_again(uint64_t word)
{
	struct qpu_asm_program program;
	char text[QPU_DISASM_SIZE];
	struct qpu_inst inst;

	FUZZ_HOLDS(qpu_unpack(word, &inst));
	FUZZ_HOLDS(qpu_pack(&inst) == word);
	/* The target of a branch is not in its text. */
	if (inst.kind == QPU_KIND_BRANCH)
		return;
	qpu_disasm(&inst, NULL, text);
	FUZZ_HOLDS(strlen(text) < QPU_DISASM_SIZE);
	if (qpu_asm_text("again", text, strlen(text), NULL, &program))
		FUZZ_HOLDS(program.nwords == 1 &&
			   program.words[0].word == word);
	qpu_asm_free(&program);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const struct qpu_asm_options options = { .error_limit = 5 };
	struct qpu_asm_program program;
	char *text;

	/* A file that is included may be a device that never ends. */
	if (memmem(data, len, "incl", 4))
		return -1;
	text = fuzz_copy(data, len);
	if (qpu_asm_text("fuzz", text, len, &options, &program)) {
		for (size_t i = 0; i < program.nwords && i < 16; i++)
			if (program.words[i].is_inst)
				check_again(program.words[i].word);
	} else {
		FUZZ_HOLDS(program.ndiagnostics > 0 && !program.words);
	}
	qpu_asm_free(&program);
	free(text);
	return 0;
}
