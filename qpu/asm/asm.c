/* SPDX-License-Identifier: MIT */
/*
 * asm: two passes over the source.
 *
 * The first pass finds the addresses of the labels and reports nothing; the
 * second one reports errors and produces the words.  A line takes the same
 * number of bytes in both passes, even if it has an error.
 */
#include "config.h"

#include "qpu/asm/asm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/asm/assembly.h"
#include "qpu/isa/isa.h"
#include "qpu/isa/pack.h"

enum { USUAL_LIMIT = 20 };

static void
run_pass(struct assembly *as, const struct asm_source *const *sources,
	 size_t nsources, bool final)
{
	const size_t before = as->messages.nerrors;

	as->final = final;
	as->messages.silent = !final;
	as->output = (struct asm_output){ .arena = &as->arena, .again = final };
	as->symbols = (struct asm_symbols){ .names.arena = &as->arena };
	as->symbols.scope = &as->symbols.globals;
	as->macros = (struct asm_table){ .arena = &as->arena };
	as->nlines = 0;
	as->stopped = false;
	as->noted = NULL;
	as->named_qinc = false;
	asm_labels_rewind(&as->labels);
	as->njoins = 0;
	as->join.open = false;
	for (size_t i = 0; i < nsources; i++) {
		const struct asm_block all = { sources[i]->lines,
					       sources[i]->nlines };

		asm_run_block(as, &all);
	}
	asm_output_bind(&as->output);
	if (!final) {
		as->messages.nerrors = before;
		as->cut = as->stopped;
	}
}

/* Fill a clone with the word that it is a copy of, perhaps through other
 * clones.  Return false, with an error, if there is no such word. */
static bool
resolve_clone(struct assembly *as, struct asm_word *clone)
{
	const struct asm_output *output = &as->output;
	const struct asm_word *from = clone;

	for (size_t i = 0; from->is_clone && i <= output->nwords; i++) {
		const int64_t index = from->target / QPU_INST_BYTES;

		if (index >= (int64_t)output->nwords)
			break;
		from = &output->words[index];
	}
	if (from->is_clone) {
		as->line = (struct asm_line *)clone->line;
		return asm_error(as, ASM_E_ARGUMENT, NULL,
				 "there are no such instructions to clone");
	}
	/* Path compression: every clone passed gets the word. */
	while (clone->is_clone) {
		const int64_t index = clone->target / QPU_INST_BYTES;

		clone->word = from->word;
		clone->is_inst = from->is_inst;
		clone->to_target = from->to_target;
		clone->target = from->target;
		clone->is_clone = false;
		clone = &as->output.words[index];
	}
	return true;
}

/* Fill in the displacements of branches, which count from the instruction after
 * the delay slots (the guide, branches). */
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

/* Give the words to the caller, without addresses left to fill in. */
static void
return_words(struct assembly *as, struct qpu_asm_program *program)
{
	struct qpu_asm_word *words;
	const size_t n = as->output.nwords;

	resolve_targets(as);
	words = asm_arena_alloc(&as->arena, n * sizeof(*words));
	for (size_t i = 0; i < n; i++) {
		const struct asm_word *word = &as->output.words[i];

		words[i] = (struct qpu_asm_word){
			.word = word->word,
			.is_inst = word->is_inst,
			.fixed = word->fixed,
			.align = word->align,
			.file = word->line->file,
			.line = word->line->number,
			.text = word->line->text,
		};
	}
	for (size_t i = 0; i < as->output.nbound; i++) {
		const struct asm_label *label = as->output.bound[i];
		const size_t at = (size_t)label->again / QPU_INST_BYTES;

		if (label->is_entry && at < n)
			words[at].is_entry = true;
	}
	if (as->addressed)
		program->addressed = (struct qpu_asm_word){
			.file = as->addressed->file,
			.line = as->addressed->number,
			.text = as->addressed->text,
		};
	program->words = words;
	program->nwords = n;
}

/* Report that memory ran out, without allocating any. */
static bool
fail_without_memory(struct qpu_asm_program *program)
{
	static const struct qpu_message message = {
		.severity = QPU_SEVERITY_ERROR,
		.rule = "E199",
		.text = "out of memory",
		.file = "",
		.address = -1,
		.qpu = -1,
		.count = 1,
	};

	program->messages = &message;
	program->nmessages = program->nerrors = 1;
	return false;
}

static bool
refuse_file(struct assembly *as, const char *path)
{
	asm_message_add(&as->messages, QPU_SEVERITY_ERROR, ASM_E_FILE, NULL, 0,
			"cannot read '%s': %s", path, strerror(errno));
	return false;
}

/* Load the files that run before the source: each from its path, or else from
 * the include directories, or else a built-in one of this name. */
static bool
load_preloads(struct assembly *as, const struct qpu_asm_options *options,
	      const struct asm_source **preloads)
{
	for (size_t i = 0; i < options->npreloads; i++) {
		const char *path = options->preloads[i];

		preloads[i] = asm_source_load(&as->sources, path);
		if (!preloads[i])
			preloads[i] = asm_source_find(&as->sources, path);
		if (!preloads[i] && errno == ENOENT)
			preloads[i] = asm_source_builtin(&as->sources, path);
		if (!preloads[i])
			return refuse_file(as, path);
	}
	return true;
}

/* Report a label that has another address in the second pass, as .back can
 * cause.  Words that were assembled with its old address would be wrong. */
static void
check_labels(struct assembly *as)
{
	const struct asm_label *label = asm_labels_moved(&as->labels);

	if (!label || as->messages.nerrors)
		return;
	as->line = (struct asm_line *)label->line;
	asm_error(as, ASM_E_MOVED, NULL,
		  "label '%s' is at another address in the second pass: what "
		  "is assembled depends on a label that moves",
		  label->name);
}

/* Run all sources twice, each time the preloaded ones before the program. */
static void
run_passes(struct assembly *as, const struct qpu_asm_options *options,
	   const char *path, const char *text, size_t len)
{
	const size_t n = options->npreloads;
	const struct asm_source **sources =
		asm_arena_alloc(&as->arena, (n + 1) * sizeof(*sources));

	if (!load_preloads(as, options, sources))
		return;
	sources[n] = text ? asm_source_from(&as->sources, path, text, len) :
			    asm_source_load(&as->sources, path);
	if (!sources[n]) {
		refuse_file(as, path);
		return;
	}
	run_pass(as, sources, n + 1, false);
	run_pass(as, sources, n + 1, true);
	check_labels(as);
	for (size_t i = 0; i < as->output.nwords; i++)
		if (!resolve_clone(as, &as->output.words[i]))
			return;
}

static bool
assemble(const char *path, const char *text, size_t len,
	 const struct qpu_asm_options *options, struct qpu_asm_program *program)
{
	struct assembly *as = calloc(1, sizeof(*as));

	memset(program, 0, sizeof(*program));
	if (!as)
		return fail_without_memory(program);
	program->memory = as;
	as->sources.arena = as->messages.arena = &as->arena;
	as->labels.names.arena = &as->arena;
	as->sources.dirs = options->include_dirs;
	as->sources.ndirs = options->ninclude_dirs;
	as->sources.reader = options->reader;
	as->sources.context = options->context;
	as->messages.ignored = options->ignored;
	as->messages.limit = options->error_limit ? options->error_limit :
						    USUAL_LIMIT;
	if (setjmp(as->arena.exhausted))
		return fail_without_memory(program);
	run_passes(as, options, path, text, len);
	program->messages = as->messages.rows;
	program->nmessages = as->messages.nrows;
	program->nerrors = as->messages.nerrors;
	if (!program->nerrors)
		return_words(as, program);
	return !program->nerrors;
}

static const struct qpu_asm_options no_options;

bool
qpu_asm_file(const char *path, const struct qpu_asm_options *options,
	     struct qpu_asm_program *program)
{
	return assemble(path, NULL, 0, options ? options : &no_options,
			program);
}

bool
qpu_asm_text(const char *name, const char *text, size_t len,
	     const struct qpu_asm_options *options,
	     struct qpu_asm_program *program)
{
	return assemble(name, text, len, options ? options : &no_options,
			program);
}

const char *
qpu_asm_source(const struct qpu_asm_program *program, size_t index)
{
	const struct assembly *as = program->memory;
	const struct asm_source *source = as ? as->sources.first : NULL;

	while (source && index--)
		source = source->next;
	return source ? source->path : NULL;
}

void
qpu_asm_free(struct qpu_asm_program *program)
{
	struct assembly *as = program->memory;

	if (as) {
		text_free(&as->sources.file);
		asm_arena_free(&as->arena);
	}
	free(as);
	memset(program, 0, sizeof(*program));
}
