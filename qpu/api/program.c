/* SPDX-License-Identifier: MIT */
/*
 * program: a program gets its settings, and then its words: from the assembler,
 * or directly; it is written as a source or as a line map.
 */
#include "config.h"

#include "qpu/api/handle.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/isa/disasm.h"
#include "qpu/isa/linemap.h"
#include "qpu/isa/pack.h"
#include "qpu/isa/rules.h"
#include "src/base/diag.h"
#include "src/base/rows.h"

_Static_assert((int)QPU_TEXT_BYTES_MAX == (int)QPU_DISASM_SIZE, "one size");

const char *
qpu_version(void)
{
	return PACKAGE_VERSION;
}

const char *
qpu_status_text(enum qpu_status status)
{
	static const char *const texts[] = {
		[QPU_OK] = "success",
		[QPU_INVALID] = "the call makes no sense",
		[QPU_NO_MEMORY] = "out of memory",
		[QPU_REFUSED] = "the program has errors",
		[QPU_IO] = "the stream cannot be written",
		[QPU_LIMIT] = "the limit of the run was reached",
		[QPU_DEADLOCK] = "every program that is left waits",
		[QPU_FAULT] = "a program cannot be continued",
	};
	const size_t n = sizeof(texts) / sizeof(*texts);

	return (size_t)status < n ? texts[status] : "unknown status";
}

struct qpu_program *
qpu_program_new(void)
{
	return calloc(1, sizeof(struct qpu_program));
}

static void
strings_free(struct strings *strings)
{
	for (size_t i = 0; i < strings->n; i++)
		free(strings->rows[i]);
	free(strings->rows);
}

void
qpu_program_free(struct qpu_program *program)
{
	if (!program)
		return;
	strings_free(&program->directories);
	strings_free(&program->preloads);
	messages_free(&program->messages);
	qpu_asm_free(&program->assembled);
	free(program->name);
	free(program->words);
	free(program->given);
	free(program->origins);
	free(program->insts);
	free(program->is_inst);
	free(program);
}

/* Return true if the program can still be changed; else add the reason as a
 * message. */
static enum qpu_status
begin_change(struct qpu_program *program, const void *argument)
{
	if (!program)
		return QPU_INVALID;
	if (program->is_filled)
		return messages_refuse(&program->messages, QPU_INVALID,
				       "the program has its words already");
	if (!argument)
		return messages_refuse(&program->messages, QPU_INVALID,
				       "an argument is null");
	return QPU_OK;
}

static enum qpu_status
add_string(struct qpu_program *program, struct strings *strings,
	   const char *string)
{
	const enum qpu_status status = begin_change(program, string);
	char *copy;

	if (status != QPU_OK)
		return status;
	if (!rows_grow(&strings->rows, &strings->capacity, strings->n,
		       sizeof(*strings->rows)) ||
	    !(copy = strdup(string)))
		return QPU_NO_MEMORY;
	strings->rows[strings->n++] = copy;
	return QPU_OK;
}

enum qpu_status
qpu_program_include(struct qpu_program *program, const char *directory)
{
	return program ? add_string(program, &program->directories, directory) :
			 QPU_INVALID;
}

enum qpu_status
qpu_program_preload(struct qpu_program *program, const char *path)
{
	return program ? add_string(program, &program->preloads, path) :
			 QPU_INVALID;
}

enum qpu_status
qpu_program_ignore(struct qpu_program *program, const char *rules)
{
	static const struct qpu_rule_range ranges[] = {
		{ 'R', 1, QPU_RULE_LAST_R, 1 },
		{ 'C', QPU_RULE_NO_FLAGS, QPU_RULE_NO_FLAGS,
		  QPU_RULE_NO_FLAGS },
		{ 'W', ASM_W_FIRST, ASM_W_LAST, WARNING_BIT },
		{ .letter = 0 },
	};
	const enum qpu_status status = begin_change(program, rules);
	uint64_t ignored = 0;
	struct diag why;

	if (status != QPU_OK)
		return status;
	if (!qpu_rules_parse(rules, ranges, &ignored, &why))
		return messages_refuse(&program->messages, QPU_INVALID, "%s",
				       why.text);
	program->ignored |= ignored;
	return QPU_OK;
}

enum qpu_status
qpu_program_read_with(struct qpu_program *program, qpu_reader *reader,
		      void *context)
{
	const enum qpu_status status = begin_change(program, "");

	if (status != QPU_OK)
		return status;
	program->reader = reader;
	program->reader_context = context;
	return QPU_OK;
}

/* Memory for the words, and for what they are as instructions. */
static bool
allocate(struct qpu_program *program, size_t n)
{
	program->words = calloc(n + 1, sizeof(*program->words));
	program->insts = calloc(n + 1, sizeof(*program->insts));
	program->is_inst = calloc(n + 1, sizeof(*program->is_inst));
	program->n = n;
	return program->words && program->insts && program->is_inst;
}

static bool
take_words(struct qpu_program *program)
{
	const struct qpu_asm_program *from = &program->assembled;

	if (!allocate(program, from->nwords))
		return false;
	for (size_t i = 0; i < from->nwords; i++) {
		const struct qpu_asm_word *word = &from->words[i];

		program->words[i] = (struct qpu_word){
			.word = word->word,
			.is_instruction = word->is_inst,
			.file = word->file,
			.line = word->line,
			.text = word->text,
		};
		program->is_inst[i] =
			word->is_inst &&
			qpu_unpack(word->word, &program->insts[i]);
	}
	return true;
}

/* Without memory the program has no words. */
static enum qpu_status
end_filling(struct qpu_program *program, bool good)
{
	if (good && !program->messages.lost)
		return QPU_OK;
	free(program->words);
	program->words = NULL;
	program->n = 0;
	return QPU_NO_MEMORY;
}

static enum qpu_status
assemble(struct qpu_program *program, const char *name, const char *text,
	 size_t bytes)
{
	const struct qpu_asm_options options = {
		.include_dirs = (const char *const *)program->directories.rows,
		.ninclude_dirs = program->directories.n,
		.preloads = (const char *const *)program->preloads.rows,
		.npreloads = program->preloads.n,
		.reader = program->reader,
		.context = program->reader_context,
		.ignored = program->ignored >> WARNING_BIT,
	};
	struct qpu_asm_program *assembled = &program->assembled;
	const size_t before = program->messages.errors;
	bool good;

	program->name = strdup(name);
	if (!program->name)
		return QPU_NO_MEMORY;
	program->is_filled = true;
	good = text ? qpu_asm_text(name, text, bytes, &options, assembled) :
		      qpu_asm_file(name, &options, assembled);
	for (size_t i = 0; i < assembled->nmessages; i++)
		messages_add(&program->messages, &assembled->messages[i]);
	program->messages.errors = before + assembled->nerrors;
	if (!good)
		return program->messages.lost ? QPU_NO_MEMORY : QPU_REFUSED;
	return end_filling(program, take_words(program));
}

enum qpu_status
qpu_program_assemble_file(struct qpu_program *program, const char *path)
{
	const enum qpu_status status = begin_change(program, path);

	return status == QPU_OK ? assemble(program, path, NULL, 0) : status;
}

enum qpu_status
qpu_program_assemble_text(struct qpu_program *program, const char *name,
			  const char *text, size_t bytes)
{
	const enum qpu_status status =
		begin_change(program, text || !bytes ? name : NULL);

	if (status != QPU_OK)
		return status;
	return assemble(program, name, text ? text : "", bytes);
}

enum qpu_status
qpu_program_load(struct qpu_program *program, const char *name,
		 const void *words, size_t bytes)
{
	const enum qpu_status status =
		begin_change(program, words || !bytes ? name : NULL);
	const size_t n = bytes / QPU_INSTRUCTION_BYTES;

	if (status != QPU_OK)
		return status;
	if (bytes % QPU_INSTRUCTION_BYTES)
		return messages_refuse(&program->messages, QPU_INVALID,
				       "not a whole number of 8-byte words");
	if (bytes > QPU_PROGRAM_BYTES_MAX)
		return messages_refuse(&program->messages, QPU_INVALID,
				       "the program is too long");
	program->is_filled = true;
	program->name = strdup(name);
	if (!program->name || !allocate(program, n))
		return end_filling(program, false);
	for (size_t i = 0; i < n; i++) {
		const uint64_t word = qpu_word_load((const uint8_t *)words +
						    QPU_INSTRUCTION_BYTES * i);

		program->is_inst[i] = qpu_unpack(word, &program->insts[i]);
		program->words[i] = (struct qpu_word){
			.word = word,
			.is_instruction = program->is_inst[i],
			.file = program->name,
		};
	}
	return QPU_OK;
}

const char *
qpu_program_source(const struct qpu_program *program, size_t index)
{
	return program ? qpu_asm_source(&program->assembled, index) : NULL;
}

size_t
qpu_program_words(const struct qpu_program *program)
{
	return program ? program->n : 0;
}

const struct qpu_word *
qpu_program_word(const struct qpu_program *program, size_t index)
{
	return program && index < program->n ? &program->words[index] : NULL;
}

size_t
qpu_program_messages(const struct qpu_program *program)
{
	return program ? program->messages.n : 0;
}

const struct qpu_message *
qpu_program_message(const struct qpu_program *program, size_t index)
{
	return program && index < program->messages.n ?
		       &program->messages.rows[index]->shown :
		       NULL;
}

size_t
qpu_program_errors(const struct qpu_program *program)
{
	return program ? program->messages.errors : 0;
}

bool
map_lines(const struct qpu_program *program, struct qpu_linemap *map)
{
	bool good = true;

	for (size_t i = 0; i < program->n && good; i++) {
		const struct qpu_word *word = &program->words[i];

		const struct qpu_word *last = NULL;

		if (!word->is_instruction)
			continue;
		for (size_t k = 0; good; k++) {
			word = qpu_program_origin(program, i, k);
			if (!word || !word->text)
				break;
			if (last && last->line == word->line &&
			    strcmp(last->file, word->file) == 0)
				continue;
			last = word;
			good = qpu_linemap_add(map, QPU_INSTRUCTION_BYTES * i,
					       word->file, word->line,
					       word->text);
		}
	}
	return good;
}

enum qpu_status
qpu_program_write_lines(const struct qpu_program *program, FILE *stream)
{
	struct qpu_linemap map = { .rows = NULL };
	bool good, written;

	if (!program || !stream)
		return QPU_INVALID;
	good = map_lines(program, &map);
	written = good && qpu_linemap_write(&map, stream);
	qpu_linemap_free(&map);
	return !good ? QPU_NO_MEMORY : written ? QPU_OK : QPU_IO;
}

/*
 * A program as a source.  Assembling it gives the same bits: each line is
 * assembled before it is written, and a word that its text does not reproduce
 * becomes data with the text in a comment.
 */

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

/* Return 1 if the text is assembled to the word, 0 if not, -1 without memory. */
static int
text_gives(const char *text, uint64_t word)
{
	struct qpu_asm_program line;
	int same = qpu_asm_text("", text, strlen(text), NULL, &line) &&
		   line.nwords == 1 && line.words[0].word == word;

	if (line.nmessages && strcmp(line.messages[0].rule, "E199") == 0)
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
