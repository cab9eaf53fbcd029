/* SPDX-License-Identifier: MIT */
/*
 * check-program: what holds for any program, through qpu.h alone: its messages
 * are about what is there, and its text assembles to the same words.  What it does
 * when it runs is the affair of fuzz-emulator.
 */
#ifndef TESTS_FUZZ_CHECK_PROGRAM_H
#define TESTS_FUZZ_CHECK_PROGRAM_H

#include "qpu/qpu.h"
#include "tests/fuzz/fuzz.h"

enum { FUZZ_WORDS = 256 }; /* longer programs are not taken apart */

static void
fuzz_check_message(const struct qpu_message *message, size_t words)
{
	FUZZ_HOLDS(message && *message->text && message->count > 0);
	FUZZ_HOLDS(message->address == -1 ||
		   (message->address >= 0 && message->address % 8 == 0 &&
		    (uint64_t)message->address < 8 * words));
	FUZZ_HOLDS(message->line > 0 || message->column == 0);
}

static void
fuzz_check_text(const struct qpu_program *program)
{
	struct qpu_program *again = qpu_program_new();
	char *text = NULL;
	size_t len;
	FILE *stream = open_memstream(&text, &len);

	FUZZ_HOLDS(again && stream);
	FUZZ_HOLDS(qpu_program_write_text(program, stream) == QPU_OK);
	fclose(stream);
	FUZZ_HOLDS(qpu_program_assemble_text(again, "again", text, len) ==
		   QPU_OK);
	FUZZ_HOLDS(qpu_program_words(again) == qpu_program_words(program));
	for (size_t i = 0; i < qpu_program_words(again); i++)
		FUZZ_HOLDS(qpu_program_word(again, i)->word ==
			   qpu_program_word(program, i)->word);
	qpu_program_free(again);
	free(text);
}

/* A program that has its words. */
static void
fuzz_check_program(struct qpu_program *program, unsigned sets)
{
	const size_t words = qpu_program_words(program);
	const size_t before = qpu_program_errors(program);
	const enum qpu_status status =
		qpu_program_validate(program, sets % 3 + 1);

	FUZZ_HOLDS(before == 0);
	FUZZ_HOLDS(status ==
		   (qpu_program_errors(program) ? QPU_REFUSED : QPU_OK));
	for (size_t i = 0; i < qpu_program_messages(program); i++)
		fuzz_check_message(qpu_program_message(program, i), words);
	if (words <= FUZZ_WORDS)
		fuzz_check_text(program);
}

#endif
