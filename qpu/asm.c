/* SPDX-License-Identifier: MIT */
/*
 * asm: two passes over the source.
 *
 * The first one is silent and finds the labels; every line takes as many
 * bytes in both, whatever is wrong with it.  The second one knows them all,
 * reports, and leaves the words.
 */
#include "config.h"
#include "qpu/asm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/asm_run.h"
#include "qpu/assembly.h"
#include "qpu/isa.h"
#include "qpu/pack.h"

enum { USUAL_LIMIT = 20 };

static void
run_pass(struct assembly *as, const struct asm_source *source, bool final)
{
	const struct asm_block all = { source->lines, source->nlines };
	const size_t before = as->messages.nerrors;

	as->final = final;
	as->messages.silent = !final;
	as->output = (struct asm_output){ .arena = &as->arena };
	as->globals = (struct asm_scope){ .parent = NULL };
	as->scope = &as->globals;
	as->macros = NULL;
	as->depth = 0;
	as->nlines = 0;
	as->result = NULL;
	asm_labels_rewind(&as->labels);
	asm_run_block(as, &all);
	asm_output_finish(&as->output);
	if (!final)
		as->messages.nerrors = before;
}

/* Displacements count from the instruction after the delay slots (3.9). */
static void
resolve_targets(struct assembly *as)
{
	for (size_t i = 0; i < as->output.nwords; i++) {
		struct asm_word *word = &as->output.words[i];
		const int64_t base = ((int64_t)i + 4) * QPU_INST_BYTES;
		struct qpu_inst inst;

		if (!word->to_target)
			continue;
		qpu_unpack(word->word, &inst);
		inst.imm = (uint32_t)(word->target - base);
		word->word = qpu_pack(&inst);
	}
}

static void
hand_over(struct assembly *as, struct qpu_asm_program *program)
{
	struct qpu_asm_word *words;
	const size_t n = as->output.nwords;

	resolve_targets(as);
	words = asm_arena_alloc(&as->arena, (n + 1) * sizeof(*words));
	for (size_t i = 0; i < n; i++) {
		const struct asm_word *word = &as->output.words[i];

		words[i] = (struct qpu_asm_word){
			.word = word->word,
			.is_inst = word->is_inst,
			.file = word->line->file,
			.line = word->line->number,
			.text = word->line->text,
		};
	}
	program->words = words;
	program->nwords = n;
}

/* What is left to say when there is no memory to say it with. */
static bool
fail_without_memory(struct qpu_asm_program *program)
{
	static const struct asm_message message = {
		.severity = ASM_ERROR,
		.diag = { .rule = ASM_E_MEMORY, .text = "out of memory" },
	};

	program->words = NULL;
	program->nwords = 0;
	program->messages = &message;
	program->nmessages = program->nerrors = 1;
	return false;
}

static const struct asm_source *
load(struct assembly *as, const char *path, const char *text, size_t len)
{
	const struct asm_source *source;

	if (text)
		return asm_source_from(&as->sources, &as->arena, path, text,
				       len);
	source = asm_source_load(&as->sources, &as->arena, path);
	if (!source)
		asm_message_add(&as->messages, &as->arena, ASM_ERROR,
				ASM_E_FILE, NULL, 0, "cannot read '%s': %s",
				path, strerror(errno));
	return source;
}

static bool
assemble(const char *path, const char *text, size_t len,
	 const struct qpu_asm_options *options,
	 struct qpu_asm_program *program)
{
	static const struct qpu_asm_options usual;
	struct assembly *as = calloc(1, sizeof(*as));

	memset(program, 0, sizeof(*program));
	if (!as)
		return fail_without_memory(program);
	program->memory = as;
	as->options = options ? options : &usual;
	as->messages.limit = as->options->error_limit ?
			     as->options->error_limit : USUAL_LIMIT;
	if (setjmp(as->arena.exhausted))
		return fail_without_memory(program);

	const struct asm_source *source = load(as, path, text, len);
	if (source) {
		run_pass(as, source, false);
		run_pass(as, source, true);
	}
	program->messages = as->messages.rows;
	program->nmessages = as->messages.nrows;
	program->nerrors = as->messages.nerrors;
	if (!program->nerrors)
		hand_over(as, program);
	return !program->nerrors;
}

bool
qpu_asm_file(const char *path, const struct qpu_asm_options *options,
	     struct qpu_asm_program *program)
{
	return assemble(path, NULL, 0, options, program);
}

bool
qpu_asm_text(const char *name, const char *text, size_t len,
	     const struct qpu_asm_options *options,
	     struct qpu_asm_program *program)
{
	return assemble(name, text, len, options, program);
}

void
qpu_asm_free(struct qpu_asm_program *program)
{
	struct assembly *as = program->memory;

	if (as)
		asm_arena_free(&as->arena);
	free(as);
	memset(program, 0, sizeof(*program));
}
