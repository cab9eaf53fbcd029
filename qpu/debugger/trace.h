/* SPDX-License-Identifier: MIT */
/*
 * trace: what a machine does as text with source lines, for qpurun and the
 * virtual board: executed instructions and what they cost, messages, places
 * where programs stand.
 */
#ifndef QPU_DEBUGGER_TRACE_H
#define QPU_DEBUGGER_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "qpu/emulator/emulator.h"
#include "qpu/isa/disasm.h"

enum { TRACE_TEXT_SIZE = QPU_DISASM_SIZE, MESSAGE_TEXT_SIZE = 1000 };

struct trace {
	const struct qpu_linemap *lines;
	const struct machine *machine;
	FILE *stream;
	uint64_t stalled[MACHINE_QPUS][MACHINE_STALLS]; /* so far */
};

/* An instruction word as assembly, or "(no instruction)". */
void
trace_disassemble(uint64_t word, char text[TRACE_TEXT_SIZE]);

/* Write one line; for machine_on_step, whose context is the struct trace. */
void
trace_step(void *trace, const struct machine_step *);

/* A profile: a row for each instruction, then, if there are lines, the sums by source
 * line in the order of their first row. */
struct cost_table {
	FILE *stream;
	const struct qpu_linemap *lines;
	bool timed;
	struct cost_sum *sums; /* at first none */
	size_t n, capacity;
	bool lost; /* a sum, for want of memory */
};

void
cost_table_begin(const struct cost_table *table);

/* A row; null costs nothing. */
void
cost_table_add(struct cost_table *table, uint32_t pc, uint64_t word,
	       const struct machine_cost *cost);

/* Print the sums.  False without memory for them. */
bool
cost_table_end(struct cost_table *table);

/* The event counters by number; without the cycle model only two of them count. */
void
counters_print(FILE *stream, const uint64_t counts[MACHINE_COUNTERS],
	       bool timed);

/* The sums of each QPU that has executed something. */
void
cost_print_qpus(FILE *stream, const struct machine *machine, bool timed);

/*
 * Write "FILE:LINE: hazard R5: WHAT (QPU 3 at 0x40000008)" and a second line with
 * the source, without an end of line; what a message does not have is left out.
 */
void
message_text(const struct qpu_message *message, char text[MESSAGE_TEXT_SIZE]);

#endif
