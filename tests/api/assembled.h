/* SPDX-License-Identifier: MIT */
/*
 * assembled: programs for tests of libqpu.
 */
#ifndef TESTS_API_ASSEMBLED_H
#define TESTS_API_ASSEMBLED_H

#include <string.h>

#include "qpu/qpu.h"

enum { CODE = 0x40000000, DATA = 0x40010000, QPUS = 12 };

/* Adds the second uniform to the numbers of the lanes and stores the sums at
 * the address in the third one; the first is the number of the QPU. */
static const char add[] __attribute__((unused)) =
	"mov r1, unif\nadd r0, elem_num, unif\nshl r2, r1, 7\n"
	"mov r3, 0x1a00\nadd vw_setup, r3, r1\nmov vpm, r0\n"
	"mov r3, 0x80904000\nmov -, mutex_acq\nadd vw_setup, r3, r2\n"
	"mov vw_setup, 0xc0000000\n"
	"mov vw_addr, unif\nmov -, vw_wait\nmov mutex_rel, 0\n"
	"mov interrupt, 1\nthrend\nnop\nnop\n";

__attribute__((unused)) static struct qpu_program *
assemble(const char *text)
{
	struct qpu_program *program = qpu_program_new();

	qpu_program_assemble_text(program, "t.qasm", text, strlen(text));
	return program;
}

/* A reader, as of qpu_program_read_with, that has one part and counts. */
__attribute__((unused)) static const char *
read_part(void *context, const char *path, size_t *bytes)
{
	if (strcmp(path, "dir/part") != 0)
		return NULL;
	++*(unsigned *)context;
	*bytes = 3;
	return "nopXXX";
}

#endif
