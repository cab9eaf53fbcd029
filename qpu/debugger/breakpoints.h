/* SPDX-License-Identifier: MIT */
/*
 * breakpoints: where the debugger stops a program.
 *
 * A breakpoint is at one code address or, where there is a line map, at a
 * source line: each address at which a run of the line's instructions begins.
 */
#ifndef QPU_DEBUGGER_BREAKPOINTS_H
#define QPU_DEBUGGER_BREAKPOINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/debugger/operand.h"
#include "qpu/trace/trace.h"

/* A place in the code: a source line, or an address. */
struct place {
	uint32_t pc;	  /* of an address alone */
	const char *file; /* null for an address; owned by the line map */
	unsigned line;
};

struct breakpoint {
	unsigned number;
	struct place place;
	bool conditional; /* it stops a QPU only if the condition holds */
	struct condition condition;
};

struct breakpoints {
	struct breakpoint *all;
	size_t n;
	unsigned last; /* the number that was given last */
};

/*
 * Add a breakpoint with the next number, whatever number it has.  Returns it,
 * or null when memory is short.
 */
const struct breakpoint *
breakpoints_add(struct breakpoints *points, const struct breakpoint *point);

/* False if no breakpoint has this number. */
bool
breakpoints_delete(struct breakpoints *points, unsigned number);

/*
 * The first breakpoint at the code address where a QPU is, if its condition
 * holds for this QPU; null if there is none.
 */
const struct breakpoint *
breakpoints_find(const struct breakpoints *points,
		 const struct trace_lines *lines, struct machine *machine,
		 unsigned qpu, uint32_t pc);

void
breakpoints_free(struct breakpoints *points);

#endif
