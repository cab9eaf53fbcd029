/* SPDX-License-Identifier: MIT */
/*
 * check-program: what holds for any program, through qpu.h alone: its messages
 * are about what is there, its text assembles to the same words, and a run of it
 * ends within its limit and touches no memory but what it was given.
 */
#ifndef TESTS_FUZZ_CHECK_PROGRAM_H
#define TESTS_FUZZ_CHECK_PROGRAM_H

#include "qpu/api/qpu.h"
#include "tests/fuzz/fuzz.h"

enum {
	FUZZ_WORDS = 256, /* longer programs are not taken apart */
	FUZZ_CODE = 0x40000000,
	FUZZ_DATA = 0x40010000,
	FUZZ_DATA_BYTES = 4096,
	FUZZ_QPUS = 3,
	FUZZ_LIMIT = 1000,
};

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

/* Uniforms are addresses in and around the data. */
static void
fuzz_check_run(const struct qpu_program *program, unsigned mode)
{
	struct qpu_machine *machine = qpu_machine_new(FUZZ_QPUS, mode, mode);
	struct qpu_launch launches[FUZZ_QPUS];
	uint32_t *data = malloc(FUZZ_DATA_BYTES);
	enum qpu_status status;

	FUZZ_HOLDS(machine && data);
	for (uint32_t i = 0; i < FUZZ_DATA_BYTES / 4; i++)
		data[i] = FUZZ_DATA + i * 20 % (FUZZ_DATA_BYTES + 64);
	for (uint32_t i = 0; i < FUZZ_QPUS; i++)
		launches[i] =
			(struct qpu_launch){ FUZZ_CODE, FUZZ_DATA + 1024 * i };
	FUZZ_HOLDS(qpu_machine_add_memory(machine, FUZZ_DATA, data,
					  FUZZ_DATA_BYTES) == QPU_OK);
	FUZZ_HOLDS(qpu_machine_add_program(machine, program, FUZZ_CODE) ==
		   QPU_OK);
	FUZZ_HOLDS(qpu_machine_launch(machine, launches, FUZZ_QPUS) == QPU_OK);
	status = qpu_machine_run(machine, FUZZ_LIMIT, 0);
	FUZZ_HOLDS(status == QPU_OK || status == QPU_LIMIT ||
		   status == QPU_DEADLOCK || status == QPU_FAULT);
	FUZZ_HOLDS(qpu_machine_instructions(machine) <= FUZZ_LIMIT);
	for (size_t i = 0; i < qpu_machine_messages(machine); i++)
		FUZZ_HOLDS(*qpu_machine_message(machine, i)->text);
	FUZZ_HOLDS(qpu_machine_reset(machine) == QPU_OK);
	qpu_machine_free(machine);
	free(data);
}

/* A program that has its words. */
static void
fuzz_check_program(struct qpu_program *program, unsigned mode)
{
	const size_t words = qpu_program_words(program);
	const size_t before = qpu_program_errors(program);
	const enum qpu_status status =
		qpu_program_validate(program, mode / 4 % 3 + 1);

	FUZZ_HOLDS(before == 0);
	FUZZ_HOLDS(status ==
		   (qpu_program_errors(program) ? QPU_REFUSED : QPU_OK));
	for (size_t i = 0; i < qpu_program_messages(program); i++)
		fuzz_check_message(qpu_program_message(program, i), words);
	if (words > FUZZ_WORDS)
		return;
	fuzz_check_text(program);
	if (words > 0)
		fuzz_check_run(program, mode % 4);
}

#endif
