/* SPDX-License-Identifier: MIT */
/*
 * qpureport: draws messages and hazards with their source lines.
 */
#include "config.h"
#include "src/qpureport.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/asm.h"
#include "qpu/disasm.h"
#include "qpu/pack.h"
#include "qpu/validate.h"

/* The line and, under column, a caret; tabs stay tabs so that it fits. */
static void
draw_line(const char *line, unsigned column)
{
	fprintf(stderr, "    %s\n", line);
	if (!column)
		return;
	fputs("    ", stderr);
	for (unsigned i = 0; i + 1 < column && line[i]; i++)
		fputc(line[i] == '\t' ? '\t' : ' ', stderr);
	fputs("^\n", stderr);
}

static void
report_message(const char *tool, const struct asm_message *message)
{
	static const char *const severities[] = {
		[ASM_ERROR] = "error",
		[ASM_WARNING] = "warning",
		[ASM_NOTE] = "note",
	};
	const struct diag *diag = &message->diag;

	if (!*diag->file)
		fprintf(stderr, "%s: ", tool);
	else if (diag->column)
		fprintf(stderr, "%s:%u:%u: ", diag->file, diag->line,
			diag->column);
	else
		fprintf(stderr, "%s:%u: ", diag->file, diag->line);
	fprintf(stderr, "%s: %s", severities[message->severity], diag->text);
	if (diag->rule)
		fprintf(stderr, " [E%u]", diag->rule);
	fputc('\n', stderr);
	if (message->source)
		draw_line(message->source, diag->column);
}

void
qpu_report_messages(const char *tool, const struct qpu_asm_program *program)
{
	size_t shown = 0;

	for (size_t i = 0; i < program->nmessages; i++) {
		report_message(tool, &program->messages[i]);
		shown += program->messages[i].severity == ASM_ERROR;
	}
	if (shown < program->nerrors)
		fprintf(stderr, "%s: too many errors, %zu not shown\n",
			tool, program->nerrors - shown);
}

/* Where hazards are found and how many of them are errors. */
struct context {
	const struct qpu_asm_program *program;	/* or null */
	const char *file;
	const struct qpu_inst *insts;
	size_t nerrors;
};

/* Hazards are of whole instructions: the column is where it begins. */
static unsigned
first_column(const char *line)
{
	return strspn(line, " \t") + 1;
}

static void
print_place(const struct context *context, size_t index)
{
	const struct qpu_asm_word *words = context->program ?
					   context->program->words : NULL;

	if (words)
		fprintf(stderr, "%s:%u:%u: ", words[index].file,
			words[index].line, first_column(words[index].text));
	else
		fprintf(stderr, "%s:0x%zx: ", context->file,
			index * QPU_INST_BYTES);
}

static void
print_inst(const struct context *context, size_t index)
{
	char text[QPU_DISASM_SIZE];

	if (context->program) {
		const char *line = context->program->words[index].text;

		draw_line(line, first_column(line));
		return;
	}
	qpu_disasm(&context->insts[index], NULL, text);
	draw_line(text, 0);
}

static void
report_hazard(void *data, const struct qpu_hazard *hazard)
{
	struct context *context = data;
	const bool is_error = hazard->verdict == QPU_HAZARD;

	context->nerrors += is_error;
	print_place(context, hazard->index);
	fprintf(stderr, "%s: %s%s%s [R%u]\n", is_error ? "error" : "warning",
		hazard->detail, *hazard->detail ? ": " : "",
		hazard->rule->text, hazard->rule->id);
	print_inst(context, hazard->index);
	if (hazard->cause == hazard->index)
		return;
	print_place(context, hazard->cause);
	fprintf(stderr, "note: because of this instruction\n");
	print_inst(context, hazard->cause);
}

static bool
check(struct context *context, const bool *is_inst, size_t n)
{
	if (!qpu_validate(context->insts, is_inst, n, report_hazard,
			  context)) {
		fprintf(stderr, "out of memory\n");
		return false;
	}
	return !context->nerrors;
}

bool
qpu_report_hazards(const struct qpu_asm_program *program)
{
	const size_t n = program->nwords;
	struct qpu_inst *insts = calloc(n + 1, sizeof(*insts));
	bool *is_inst = calloc(n + 1, sizeof(*is_inst));
	struct context context = { .program = program, .insts = insts };
	bool good = false;

	if (insts && is_inst) {
		for (size_t i = 0; i < n; i++)
			is_inst[i] = program->words[i].is_inst &&
				     qpu_unpack(program->words[i].word,
						&insts[i]);
		good = check(&context, is_inst, n);
	} else {
		fprintf(stderr, "out of memory\n");
	}
	free(insts);
	free(is_inst);
	return good;
}

bool
qpu_report_word_hazards(const char *file, const struct qpu_inst *insts,
			const bool *is_inst, size_t n)
{
	struct context context = { .file = file, .insts = insts };

	return check(&context, is_inst, n);
}
