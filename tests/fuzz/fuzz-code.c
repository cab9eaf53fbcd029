/* SPDX-License-Identifier: MIT */
/*
 * Promise: whatever 64-bit words a program consists of, unpacking, packing and
 * disassembling them stays inside memory and loses no bit, and the validator
 * reports only instructions that are there.
 */
#include "config.h"

#include "qpu/isa/disasm.h"
#include "qpu/isa/pack.h"
#include "qpu/validate/validate.h"
#include "tests/fuzz/fuzz.h"

enum { MOST_WORDS = 256 };

static void
check_hazard(void *context, const struct qpu_hazard *hazard)
{
	const size_t n = *(const size_t *)context;

	FUZZ_HOLDS(hazard->rule && hazard->rule->section && hazard->rule->text);
	FUZZ_HOLDS(hazard->verdict != QPU_FINE);
	FUZZ_HOLDS(hazard->index < n && hazard->cause < n);
	FUZZ_HOLDS(strlen(hazard->detail) < QPU_DETAIL_SIZE);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const size_t n = len / 8 < MOST_WORDS ? len / 8 : MOST_WORDS;
	struct qpu_inst *insts = calloc(n + 1, sizeof(*insts));
	bool *is_inst = calloc(n + 1, sizeof(*is_inst));
	char text[QPU_DISASM_SIZE];
	size_t count = n;
	bool complete = true;

	FUZZ_HOLDS(insts && is_inst);
	for (size_t i = 0; i < n; i++) {
		uint64_t word;

		memcpy(&word, data + 8 * i, sizeof(word));
		is_inst[i] = qpu_unpack(word, &insts[i]);
		if (!is_inst[i])
			continue;
		FUZZ_HOLDS(qpu_pack(&insts[i]) == word);
		qpu_disasm(&insts[i], NULL, text);
		FUZZ_HOLDS(strnlen(text, sizeof(text)) < sizeof(text));
		qpu_disasm(&insts[i], ":target", text);
		FUZZ_HOLDS(strnlen(text, sizeof(text)) < sizeof(text));
	}
	qpu_validate(insts, is_inst, n, check_hazard, &count, &complete);
	free(insts);
	free(is_inst);
	return 0;
}
