/* SPDX-License-Identifier: MIT */
/*
 * trace: what a machine does as text with source lines, for qpurun and the
 * virtual board: executed instructions and what they cost, findings, places
 * where programs stand.
 */
#ifndef QPU_TRACE_TRACE_H
#define QPU_TRACE_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "qpu/emulator/emulator.h"
#include "qpu/isa/disasm.h"
#include "qpu/isa/linemap.h"

enum { TRACE_TEXT_SIZE = QPU_DISASM_SIZE, FINDING_TEXT_SIZE = 1000 };

/* Names a code address by source line, where there is a map. */
struct trace_lines {
	struct qpu_linemap map;
	uint32_t base; /* bus address of the code the map is about */
};

struct trace {
	const struct trace_lines *lines;
	const struct machine *machine;
	FILE *stream;
	uint64_t stalled[MACHINE_QPUS][MACHINE_STALLS]; /* so far */
};

/* The source line of a code address, or NULL. */
const struct qpu_linemap_row *
trace_find_line(const struct trace_lines *, uint32_t pc);

/* An instruction word as assembly, or "(no instruction)". */
void
trace_disassemble(uint64_t word, char text[TRACE_TEXT_SIZE]);

/* Write one line; for machine_on_step, whose context is the struct trace. */
void
trace_step(void *trace, const struct machine_step *);

/* An instruction: counts of all QPUs, its word, its source line or null. */
struct profile_row {
	struct machine_profile_row cost;
	uint64_t word;
	const struct qpu_linemap_row *line;
};

/*
 * The rows in their order, then, if there are lines, the sums by source line
 * in the order of their first row.  False without memory for them.
 */
bool
profile_print(FILE *stream, const struct profile_row *rows, size_t n,
	      bool timed);

/* The sums of each QPU that has executed something. */
void
profile_print_qpus(FILE *stream, const struct machine *machine, bool timed);

/* A rule that was reported for a line. */
struct finding_told {
	unsigned rule;
	const struct qpu_linemap_row *line;
	char detail[MACHINE_DETAIL_SIZE];
};

/* What was told so far; all zero but for the lines at first, and to be freed.  The
 * emulator reports a rule once for each code address; with a line map a rule is
 * told once for each source line. */
struct findings_told {
	const struct trace_lines *lines;
	struct finding_told *told;
	size_t ntold;
};

/*
 * "FILE:LINE: hazard R5: WHAT (QPU 3 at 0x40000008)" and a second line with
 * the source, without an end of line.  False if the rule was told of that line
 * before.
 */
bool
finding_text(struct findings_told *all, const struct machine_finding *finding,
	     char text[FINDING_TEXT_SIZE]);

/*
 * "FILE:LINE: QPU 3 waits for mutex", and the source; false where no source
 * line is known.
 */
bool
place_text(const struct findings_told *all, const struct machine_place *place,
	   char text[FINDING_TEXT_SIZE]);

#endif
