/* SPDX-License-Identifier: MIT */
/*
 * Promise: whatever a source contains, assembling it gives words or errors, and
 * what holds for any program (check-program.h) holds for these words.
 *
 * What a source includes is the source again; vc4.qinc is not there, and built in.
 */
#include "config.h"

#include "tests/fuzz/check-program.h"

struct source {
	const char *text;
	size_t len;
};

static const char *
read_again(void *context, const char *path, size_t *bytes)
{
	const struct source *source = context;

	*bytes = source->len / 2;
	return *path == 'n' || *path == 'v' ? NULL : source->text;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct qpu_program *program = qpu_program_new();
	char *text = fuzz_copy(data, len);
	enum qpu_status status;

	FUZZ_HOLDS(program != NULL);
	qpu_program_read_with(program, read_again,
			      &(struct source){ text, len });
	status = qpu_program_assemble_text(program, "fuzz", text, len);
	if (status == QPU_OK) {
		fuzz_check_program(program, len);
	} else {
		FUZZ_HOLDS(status == QPU_REFUSED &&
			   qpu_program_errors(program) > 0 &&
			   !qpu_program_words(program));
		for (size_t i = 0; i < qpu_program_messages(program); i++)
			fuzz_check_message(qpu_program_message(program, i), 0);
	}
	qpu_program_free(program);
	free(text);
	return 0;
}
