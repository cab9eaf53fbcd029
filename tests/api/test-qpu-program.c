/* SPDX-License-Identifier: MIT */
/*
 * Promise: through qpu.h alone programs are assembled, disassembled and
 * validated, each error is a value with its place, and no wrong call harms the
 * caller.
 */
#include "config.h"

#include <stdlib.h>

#include "tests/api/assembled.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

/* A load of a kind that there is not. */
#define RESERVED UINT64_C(0xe400000000000000)

static void
check_errors_of_sources(void)
{
	struct qpu_program *program = assemble("nop\n  mov r0, frob # why\n");
	const struct qpu_message *message = qpu_program_message(program, 0);

	ok(qpu_program_errors(program) == 1 && !qpu_program_words(program) &&
		   message && message->severity == QPU_SEVERITY_ERROR &&
		   message->line == 2 && message->column == 11 &&
		   strcmp(message->file, "t.qasm") == 0 &&
		   message->address == -1 && message->qpu == -1 &&
		   message->count == 1 && strcmp(message->rule, "E111") == 0 &&
		   strcmp(message->source, "  mov r0, frob # why") == 0,
	   "an error of a source has file, line, column, rule and line's text");
	ok(qpu_program_validate(program, QPU_HAZARDS) == QPU_INVALID,
	   "a program with errors cannot be validated");
	qpu_program_free(program);

	program = assemble("# 0 \"m4\"\nfrob\n");
	message = qpu_program_message(program, 0);
	ok(message && message->line == 0 && message->column == 0 &&
		   strcmp(message->file, "m4") == 0,
	   "an error of a preprocessor's line 0 has no line and no column");
	qpu_program_free(program);

	program = qpu_program_new();
	ok(qpu_program_assemble_file(program, "/none.qasm") == QPU_REFUSED &&
		   strstr(qpu_program_message(program, 0)->text, "/none.qasm"),
	   "a file that is not there is an error that names it");
	ok(qpu_program_assemble_text(program, "t", "nop", 3) == QPU_INVALID,
	   "a program cannot be assembled twice");
	qpu_program_free(program);
}

static void
check_reader(void)
{
	static const char good[] = ".include <part>\n",
			  bad[] = ".include <x>\n";
	struct qpu_program *program = qpu_program_new();
	unsigned asked = 0;

	fault_clear();
	qpu_program_include(program, "dir");
	qpu_program_read_with(program, read_part, &asked);
	ok(qpu_program_assemble_text(program, "t", good, strlen(good)) ==
			   QPU_OK &&
		   qpu_program_words(program) == 1 && asked == 1 &&
		   strcmp(qpu_program_word(program, 0)->file, "dir/part") == 0,
	   "a reader is asked for what a source includes");
	ok(strcmp(qpu_program_source(program, 0), "dir/part") == 0 &&
		   strcmp(qpu_program_source(program, 1), "t") == 0 &&
		   !qpu_program_source(program, 2),
	   "a program tells what it was assembled from");
	qpu_program_free(program);
	program = qpu_program_new();
	qpu_program_read_with(program, read_part, &asked);
	ok(qpu_program_assemble_text(program, "t", bad, strlen(bad)) ==
			   QPU_REFUSED &&
		   qpu_program_message(program, 0)->line == 1 &&
		   fault_count(FAULT_fopen) == 0,
	   "where there is a reader no file is opened");
	qpu_program_free(program);
}

static void
check_sizes(void)
{
	static const uint8_t bytes[16];
	struct qpu_program *program = assemble("");
	struct qpu_machine *machine = qpu_machine_new(1, 0, 0);

	ok(qpu_program_words(program) == 0 &&
		   qpu_program_validate(program, QPU_HAZARDS) == QPU_OK &&
		   qpu_machine_add_program(machine, program, CODE) ==
			   QPU_INVALID,
	   "an empty source is a program without words, which nobody can run");
	qpu_program_free(program);
	program = qpu_program_new();
	ok(qpu_program_load(program, "w", bytes, 15) == QPU_INVALID &&
		   qpu_program_load(program, "w", bytes,
				    QPU_PROGRAM_BYTES_MAX + 8) == QPU_INVALID &&
		   qpu_program_load(program, "w", bytes, 16) == QPU_OK &&
		   qpu_program_words(program) == 2,
	   "a program is whole words, and not more than there may be");
	qpu_program_free(program);
	qpu_machine_free(machine);
}

/* All that a stream gets from a program; freed by the caller. */
static char *
text_of(const struct qpu_program *program)
{
	char *text = NULL;
	size_t len;
	FILE *stream = open_memstream(&text, &len);

	if (!stream || qpu_program_write_text(program, stream) != QPU_OK)
		exit(99);
	fclose(stream);
	return text;
}

static void
check_disassembly(void)
{
	static const char source[] =
		"nop\n:l mov r0, unif\nbrr.anynz -, r:l\nnop\nnop\nnop\n"
		"brr -, 4\nnop\nnop\nnop\n.int 1, -1\n";
	struct qpu_program *program = assemble(source);
	char *text = text_of(program), line[QPU_TEXT_BYTES_MAX];
	struct qpu_program *again = assemble(text);
	bool same = qpu_program_words(again) == 11;

	for (size_t i = 0; i < qpu_program_words(again); i++)
		same = same && qpu_program_word(again, i)->word ==
				       qpu_program_word(program, i)->word;
	ok(same && strstr(text, "r:L8\n") && strstr(text, "brr -, 4\n"),
	   "a program as text assembles to the same words, with labels");
	ok(qpu_disassemble(qpu_program_word(program, 1)->word, line) ==
			   QPU_OK &&
		   strcmp(line, "mov r0, unif") == 0 &&
		   qpu_disassemble(RESERVED, line) == QPU_REFUSED && !*line,
	   "a word is an instruction as text, or none");
	free(text);
	qpu_program_free(program);
	qpu_program_free(again);
}

static void
check_lines(void)
{
	static const char right[] = "0 t.qasm:1\tnop\n18 t.qasm:4\tnop # it\n";
	struct qpu_program *program =
		assemble("nop\n.int 1, 2\n.int 3, 4\nnop # it\n");
	char text[128] = "";
	FILE *stream = fmemopen(text, sizeof(text), "w");

	ok(qpu_program_write_lines(program, stream) == QPU_OK &&
		   fclose(stream) == 0,
	   "a line map is written");
	is(text, right, "a line map has the instructions, and no data");
	stream = fopen("/dev/full", "w");
	setbuf(stream, NULL);
	ok(qpu_program_write_lines(program, stream) == QPU_IO,
	   "a line map that cannot be written is an error");
	fclose(stream);
	ok(qpu_program_load(program, "w", "", 0) == QPU_INVALID,
	   "a program gets its words once");
	qpu_program_free(program);
	program = qpu_program_new();
	ok(qpu_program_load(program, "w", "12345678", 8) == QPU_OK &&
		   qpu_program_load(program, "w", "12345678", 8) == QPU_INVALID,
	   "a program that was loaded keeps its words");
	qpu_program_free(program);
}

static void
check_hazards(void)
{
	static const char source[] = "mov ra5, r0\nmov r1, ra5\n"
				     "thrend\nnop\nnop\n";
	static const char warned[] = "mov ra5, r0\nmov r1, ra5\n"
				     "thrend\nnop\nnop\n.word 5\n";
	struct qpu_program *program = assemble(source);
	const struct qpu_message *hazard, *cause;

	ok(qpu_program_validate(program, QPU_HAZARDS) == QPU_REFUSED,
	   "a program with a hazard is refused");
	hazard = qpu_program_message(program, 0);
	cause = qpu_program_message(program, 1);
	ok(hazard && strcmp(hazard->rule, "R1") == 0 && hazard->address == 8 &&
		   hazard->qpu == -1 && hazard->count == 1 &&
		   hazard->line == 2 &&
		   strcmp(hazard->text,
			  "ra5: read directly after it was written") == 0,
	   "a hazard has rule, address, line and a sentence");
	ok(cause && cause->severity == QPU_SEVERITY_NOTE &&
		   cause->address == 0 && cause->qpu == -1 &&
		   cause->count == 1 && !qpu_program_message(program, 2),
	   "the instruction that a hazard is caused by is a note after it");
	qpu_program_free(program);

	program = qpu_program_new();
	ok(qpu_program_ignore(program, "R1,R99") == QPU_INVALID &&
		   strstr(qpu_program_message(program, 0)->text, "'R99'"),
	   "a rule that is none is refused by its name");
	qpu_program_ignore(program, "R1,W204");
	qpu_program_assemble_text(program, "t", warned, strlen(warned));
	ok(qpu_program_validate(program, QPU_HAZARDS) == QPU_OK &&
		   qpu_program_messages(program) == 1,
	   "a rule and a warning that are ignored make no message");
	ok(qpu_program_validate(program, QPU_DRM) == QPU_OK &&
		   qpu_program_message(program, 1)->severity ==
			   QPU_SEVERITY_NOTE &&
		   strstr(qpu_program_message(program, 1)->text,
			  "driver vc4 accepts it; uniforms: 0,") &&
		   qpu_program_validate(program, 4) == QPU_INVALID,
	   "each set of rules is asked alone, and no others");
	qpu_program_free(program);

	program = assemble(add);
	ok(qpu_program_validate(program, QPU_HAZARDS | QPU_DRM) ==
			   QPU_REFUSED &&
		   *qpu_program_message(program, 0)->rule == 'D' &&
		   strncmp(qpu_program_message(program, 0)->text,
			   "the kernel's driver vc4: ", 25) == 0 &&
		   qpu_program_message(program, 0)->line > 0 &&
		   qpu_program_message(program, 0)->qpu == -1 &&
		   qpu_program_message(program, 0)->count == 1,
	   "what the kernel's driver refuses has a rule, a text and a line");
	qpu_program_free(program);
}

static void
check_optimiser(void)
{
	static const char source[] = "mov ra0, r1\nmov rb0, r2\nnop\n"
				     "add r1, ra0, rb0\nthrend\nnop\nnop\n";
	struct qpu_program *program = assemble(source);
	const struct qpu_message *message;
	const struct qpu_word *first, *second;
	bool found = false;

	ok(qpu_program_origin(program, 1, 0) == qpu_program_word(program, 1) &&
		   !qpu_program_origin(program, 1, 1) &&
		   !qpu_program_origin(program, 7, 0),
	   "a word is made of itself before the program is optimised");
	ok(qpu_program_optimise(program, 0, 0) == QPU_INVALID &&
		   qpu_program_optimise(program, 3, 0) == QPU_INVALID &&
		   qpu_program_optimise(program, 1, -1) == QPU_INVALID &&
		   qpu_program_words(program) == 7,
	   "no such level and no such time are refused");
	ok(qpu_program_optimise(program, QPU_SCHEDULE, 0) == QPU_OK &&
		   qpu_program_words(program) < 7,
	   "an optimised program has fewer words");
	for (size_t i = 0; i < qpu_program_words(program); i++) {
		first = qpu_program_origin(program, i, 0);
		second = qpu_program_origin(program, i, 1);
		found |= first && second && first->line < second->line;
	}
	ok(found, "a word may be made of two, in the order of the source");
	ok(qpu_program_optimise(program, QPU_SCHEDULE, 0) == QPU_INVALID,
	   "a program is optimised once");
	ok(qpu_program_validate(program, QPU_HAZARDS) == QPU_OK,
	   "an optimised program can be validated");
	qpu_program_free(program);

	program = assemble("nop\nmov ra0, unif\nnop\nbra -, ra0\n"
			   "nop\nnop\nnop\n");
	ok(qpu_program_optimise(program, QPU_RENAME, 0) == QPU_REFUSED &&
		   qpu_program_words(program) == 7,
	   "a program that cannot be followed stays as it was");
	message =
		qpu_program_message(program, qpu_program_messages(program) - 1);
	ok(message && message->severity == QPU_SEVERITY_ERROR &&
		   strcmp(message->rule, "E150") == 0 && message->line == 4,
	   "the reason names the line");
	qpu_program_free(program);

	program = qpu_program_new();
	ok(qpu_program_optimise(program, QPU_SCHEDULE, 0) == QPU_INVALID &&
		   qpu_program_optimise(NULL, QPU_SCHEDULE, 0) == QPU_INVALID &&
		   !qpu_program_origin(NULL, 0, 0) &&
		   !qpu_program_source(NULL, 0) &&
		   !qpu_program_source(program, 0),
	   "without words there is nothing to optimise");
	qpu_program_free(program);

	program = qpu_program_new();
	ok(qpu_program_load(program, "empty", "", 0) == QPU_OK &&
		   qpu_program_optimise(program, QPU_SCHEDULE, 0) == QPU_OK &&
		   !qpu_program_words(program),
	   "an empty program is optimised to an empty one");
	qpu_program_free(program);
}

static void
check_null(void)
{
	struct qpu_program *program = qpu_program_new();

	qpu_program_free(NULL);
	ok(qpu_program_include(NULL, "d") == QPU_INVALID &&
		   qpu_program_preload(NULL, "f") == QPU_INVALID &&
		   qpu_program_ignore(NULL, "R1") == QPU_INVALID &&
		   qpu_program_read_with(NULL, read_part, NULL) ==
			   QPU_INVALID &&
		   qpu_program_assemble_file(NULL, "f") == QPU_INVALID &&
		   qpu_program_assemble_text(NULL, "t", "", 0) == QPU_INVALID &&
		   qpu_program_load(NULL, "w", "", 0) == QPU_INVALID &&
		   qpu_program_validate(NULL, QPU_HAZARDS) == QPU_INVALID &&
		   qpu_program_write_text(NULL, stdout) == QPU_INVALID &&
		   qpu_program_write_lines(NULL, stdout) == QPU_INVALID &&
		   !qpu_program_words(NULL) && !qpu_program_word(NULL, 0) &&
		   !qpu_program_messages(NULL) && !qpu_program_errors(NULL) &&
		   !qpu_program_message(NULL, 0),
	   "no function of programs minds a null handle");
	ok(qpu_program_include(program, NULL) == QPU_INVALID &&
		   qpu_program_ignore(program, NULL) == QPU_INVALID &&
		   qpu_program_assemble_file(program, NULL) == QPU_INVALID &&
		   qpu_program_assemble_text(program, "t", NULL, 1) ==
			   QPU_INVALID &&
		   qpu_program_load(program, NULL, "", 0) == QPU_INVALID &&
		   qpu_program_write_text(program, NULL) == QPU_INVALID &&
		   qpu_disassemble(0, NULL) == QPU_INVALID,
	   "an argument that is null is refused");
	is(qpu_version(), PACKAGE_VERSION, "the library has a version");
	ok(strcmp(qpu_status_text(QPU_OK), "success") == 0 &&
		   strcmp(qpu_status_text(99), "unknown status") == 0,
	   "a status is a sentence, and so is a number that is none");
	qpu_program_free(program);
}

int
main(void)
{
	check_errors_of_sources();
	check_reader();
	check_sizes();
	check_disassembly();
	check_lines();
	check_hazards();
	check_optimiser();
	check_null();
	return tap_done();
}
