/* SPDX-License-Identifier: MIT */
/*
 * optimise: has a program optimised, and remembers which words its words come from.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/api/handle.h"
#include "qpu/isa/pack.h"
#include "qpu/opt/opt.h"

/* Add a note of the optimiser as a message about the line of a word. */
static void
take_note(void *context, const struct opt_note *note)
{
	struct qpu_program *program = context;

	if (note->refused)
		program_message(program, note->index, QPU_SEVERITY_ERROR,
				"E150", note->text);
	else if (!(program->ignored >> WARNING_BIT &
		   asm_warning_bit(ASM_W_KEPT)))
		program_message(program, note->index, QPU_SEVERITY_WARNING,
				"W213", note->text);
}

/* The marks of the source, in memory that the caller frees; null without any. */
static bool
find_marks(const struct qpu_program *program, uint8_t **marks)
{
	const struct qpu_asm_program *from = &program->assembled;

	*marks = NULL;
	if (!from->words)
		return true;
	*marks = calloc(program->n + 1, sizeof(**marks));
	if (!*marks)
		return false;
	for (size_t i = 0; i < program->n; i++) {
		const struct qpu_asm_word *word = &from->words[i];
		unsigned words = word->align / QPU_INST_BYTES, log = 0;

		while (words >>= 1)
			log++;
		(*marks)[i] = (word->fixed ? OPT_FIXED : 0) |
			      (word->is_entry ? OPT_ENTRY : 0) |
			      log << OPT_ALIGN_SHIFT;
	}
	return true;
}

/* Refuse a program with a value made of a label's address, which moves. */
static bool
has_addresses(struct qpu_program *program)
{
	const struct qpu_asm_word *line = &program->assembled.addressed;

	if (!line->file)
		return false;
	messages_add(&program->messages,
		     MESSAGE(.severity = QPU_SEVERITY_ERROR, .rule = "E150",
			     .text = "the address of a label is a value here, "
				     "and the optimiser moves the code",
			     .file = line->file, .line = line->line,
			     .column = 1, .source = line->text));
	return true;
}

/* Give the program its new words; those that it had stay for their lines. */
static bool
take_words(struct qpu_program *program, struct opt_output *output)
{
	struct qpu_word *words = calloc(output->n + 1, sizeof(*words));
	struct qpu_inst *insts = calloc(output->n + 1, sizeof(*insts));

	if (!words || !insts) {
		free(words);
		free(insts);
		return false;
	}
	for (size_t i = 0; i < output->n; i++) {
		const struct opt_origins *from = &output->origins[i];
		const struct qpu_word nop = { .file = program->name };

		words[i] = from->n ? program->words[from->at[0]] : nop;
		words[i].word = output->words[i];
		words[i].is_instruction = from->n ? words[i].is_instruction :
						    true;
		if (output->is_inst[i])
			qpu_unpack(words[i].word, &insts[i]);
	}
	free(program->insts);
	free(program->is_inst);
	program->given = program->words;
	program->words = words;
	program->insts = insts;
	program->is_inst = output->is_inst;
	program->origins = output->origins;
	program->n = output->n;
	output->is_inst = NULL;
	output->origins = NULL;
	return true;
}

enum qpu_status
qpu_program_optimise(struct qpu_program *program, unsigned level,
		     double seconds)
{
	const struct opt_options options = {
		.renames = level >= QPU_RENAME,
		.seconds = seconds,
	};
	struct opt_output output = { .words = NULL };
	struct opt_input input;
	enum opt_status status;
	uint8_t *marks;
	uint64_t *words;
	bool good;

	if (!program)
		return QPU_INVALID;
	if (!program->words || program->given || !level || level > QPU_RENAME ||
	    !(seconds >= 0 && seconds < 1e9))
		return messages_refuse(
			&program->messages, QPU_INVALID, "%s",
			!program->words ? "the program has no words" :
			program->given	? "the program is optimised already" :
					  "no such level, or no such time");
	if (has_addresses(program))
		return QPU_REFUSED;
	words = program_words(program);
	if (!words || !find_marks(program, &marks)) {
		free(words);
		return QPU_NO_MEMORY;
	}
	input = (struct opt_input){
		.words = words,
		.insts = program->insts,
		.is_inst = program->is_inst,
		.marks = marks,
		.n = program->n,
		.data_is_known = marks,
	};
	status = opt_run(&input, &options, take_note, program, &output);
	good = status == OPT_DONE && take_words(program, &output);
	opt_output_free(&output);
	free(words);
	free(marks);
	return status == OPT_REFUSED	       ? QPU_REFUSED :
	       good && !program->messages.lost ? QPU_OK :
						 QPU_NO_MEMORY;
}

const struct qpu_word *
qpu_program_origin(const struct qpu_program *program, size_t index, size_t nth)
{
	if (!program || index >= program->n)
		return NULL;
	if (!program->given)
		return nth ? NULL : &program->words[index];
	if (nth >= program->origins[index].n)
		return NULL;
	return &program->given[program->origins[index].at[nth]];
}
