/* SPDX-License-Identifier: MIT */
/*
 * trace: executed instructions as text, for qpurun and the virtual board.
 */
#ifndef QPU_TRACE_TRACE_H
#define QPU_TRACE_TRACE_H

#include <stdint.h>
#include <stdio.h>

#include "qpu/emulator/emulator.h"
#include "qpu/isa/disasm.h"
#include "qpu/isa/linemap.h"

enum { TRACE_TEXT_SIZE = QPU_DISASM_SIZE };

/* Names a code address by source line, where there is a map. */
struct trace_lines {
	struct qpu_linemap map;
	uint32_t base; /* bus address of the code the map is about */
};

struct trace {
	const struct trace_lines *lines;
	FILE *stream;
};

/* The source line of a code address, or NULL. */
const struct qpu_linemap_row *
trace_find_line(const struct trace_lines *, uint32_t pc);

/* An instruction word as assembly, or "(no instruction)". */
void
trace_disassemble(uint64_t word, char text[TRACE_TEXT_SIZE]);

/* Writes one line; for machine_on_step, whose context is the struct trace. */
void
trace_step(void *trace, const struct machine_step *);

#endif
