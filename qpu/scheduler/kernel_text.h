/* SPDX-License-Identifier: MIT */
/*
 * kernel_text: sections as kernel text, and the map of their fixed registers.
 *
 * Each line of a section is one instruction; after it stands, for each of
 * its halves, the round of the section and what of FIPS 180-4 it computes.
 *
 * To write a valid schedule, registers are given out: lives are intervals and
 * each place holds enough of them at any time (the schedule counted), so taking
 * any free register in order of birth works.
 *
 * To read one back: the comment of an instruction names its operations, the
 * line is their slot, the half their ALU, and the register of a result its
 * place.  A search may exchange operands of sums, and read a copy in place of
 * the original; so the values that an operation reads are those that its
 * registers hold by then.
 */
#ifndef QPU_SCHEDULER_KERNEL_TEXT_H
#define QPU_SCHEDULER_KERNEL_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "qpu/scheduler/schedule.h"
#include "src/base/diag.h"

struct allocation {
	const struct schedule *schedule;
	int reg[GRAPH_VALUES];
};

void
allocation_make(struct allocation *allocation, const struct schedule *schedule);

void
emit_map(FILE *stream, const struct graph *graph);
void
emit_section(FILE *stream, const struct allocation *allocation);

/* A branch and what has to come before it. */
enum { SOLUTION_SLOTS_MIN = 5 };

/* A file that is being read. */
struct solution_source {
	FILE *stream;
	const char *path;
	unsigned line; /* number of the last one */
};

struct solution {
	int nslots;
	int16_t time[GRAPH_OPS];
	bool on_mul[GRAPH_OPS];
	uint8_t place[GRAPH_VALUES];
};

/* Go on to the lines of the next section; SECTIONS if there is none. */
enum section
solution_next(struct solution_source *source);

/* Read these lines.  The graph of the section becomes that of the values that
 * are read here.  That these compute the same is up to the tests. */
bool
solution_read(struct solution_source *source, enum section section,
	      struct solution *solution, struct graph *graph, struct diag *why);

/* Fill in an opened schedule; squeezed or stretched if that has another number
 * of slots. */
void
solution_apply(const struct solution *solution, struct schedule *schedule);

#endif
