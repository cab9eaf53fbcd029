/* SPDX-License-Identifier: MIT */
/*
 * Promise: whatever bytes a program consists of, they are refused or are words
 * for which what holds for any program (check-program.h) holds.
 */
#include "config.h"

#include "tests/fuzz/check-program.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct qpu_program *program = qpu_program_new();
	char *words = fuzz_copy(data, len);
	const enum qpu_status status =
		qpu_program_load(program, "fuzz", words, len);

	FUZZ_HOLDS(status == (len % 8 ? QPU_INVALID : QPU_OK));
	if (status == QPU_OK)
		fuzz_check_program(program, len / 8);
	qpu_program_free(program);
	free(words);
	return 0;
}
