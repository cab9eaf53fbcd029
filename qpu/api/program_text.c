/* SPDX-License-Identifier: MIT */
/*
 * program_text: writes a program as a source.
 *
 * Assembling it gives the same bits: each line is assembled before it is
 * written, and a word that its text does not reproduce becomes data with the
 * text in a comment.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/api/program.h"
#include "qpu/isa/disasm.h"
#include "qpu/isa/pack.h"

_Static_assert((int)QPU_TEXT_BYTES_MAX == (int)QPU_DISASM_SIZE, "one size");

/* The index of the word that a relative branch goes to, or n. */
static size_t
find_target(const struct qpu_program *program, size_t i)
{
	const struct qpu_inst *inst = &program->insts[i];
	const int64_t target = 8 * ((int64_t)i + 4) + (int32_t)inst->imm;

	/* No instruction but a branch has `rel` set. */
	if (!program->is_inst[i] || !inst->rel || target < 0 || target % 8 ||
	    target / 8 >= (int64_t)program->n)
		return program->n;
	return target / 8;
}

/* Returns 1 if the text is assembled to the word, 0 if not, -1 without memory. */
static int
text_gives(const char *text, uint64_t word)
{
	struct qpu_asm_program line;
	int same = qpu_asm_text("", text, strlen(text), NULL, &line) &&
		   line.nwords == 1 && line.words[0].word == word;

	if (line.ndiagnostics && line.diagnostics[0].diag.rule == ASM_E_MEMORY)
		same = -1;
	qpu_asm_free(&line);
	return same;
}

static bool
write_word(const struct qpu_program *program, size_t i, FILE *stream)
{
	const uint64_t word = program->words[i].word;
	const size_t target = find_target(program, i);
	char text[QPU_DISASM_SIZE] = "";
	char label[32];
	int same = 0;

	if (program->is_inst[i]) {
		qpu_disasm(&program->insts[i], NULL, text);
		same = text_gives(text, word);
	}
	if (same < 0)
		return false;
	if (same == 0) {
		fprintf(stream, "\t.int 0x%08x, 0x%08x%s%s\n", (uint32_t)word,
			(uint32_t)(word >> 32), *text ? "\t# " : "", text);
		return true;
	}
	if (target < program->n) {
		snprintf(label, sizeof(label), "r:L%zx", 8 * target);
		qpu_disasm(&program->insts[i], label, text);
	}
	fprintf(stream, "\t%s\n", text);
	return true;
}

enum qpu_status
qpu_program_write_text(const struct qpu_program *program, FILE *stream)
{
	bool *is_target, good = true;

	if (!program || !stream)
		return QPU_INVALID;
	is_target = calloc(program->n + 1, sizeof(*is_target));
	if (!is_target)
		return QPU_NO_MEMORY;
	for (size_t i = 0; i < program->n; i++)
		is_target[find_target(program, i)] = true;
	for (size_t i = 0; i < program->n && good; i++) {
		if (is_target[i])
			fprintf(stream, ":L%zx\n", 8 * i);
		good = write_word(program, i, stream);
	}
	free(is_target);
	return !good ? QPU_NO_MEMORY : ferror(stream) ? QPU_IO : QPU_OK;
}

enum qpu_status
qpu_disassemble(uint64_t word, char text[QPU_TEXT_BYTES_MAX])
{
	struct qpu_inst inst;

	if (!text)
		return QPU_INVALID;
	*text = '\0';
	if (!qpu_unpack(word, &inst))
		return QPU_REFUSED;
	qpu_disasm(&inst, NULL, text);
	return QPU_OK;
}
