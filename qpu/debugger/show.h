/* SPDX-License-Identifier: MIT */
/*
 * show: the state of a machine as text on standard output, for the debugger.
 */
#ifndef QPU_DEBUGGER_SHOW_H
#define QPU_DEBUGGER_SHOW_H

#include "qpu/debugger/operand.h"
#include "qpu/trace/trace.h"

enum show_form { SHOW_HEX, SHOW_INT, SHOW_FLOAT };

/* 16 lanes under a name: in one line if all are equal. */
void
show_vector(FILE *out, const char *name, const uint32_t *lanes,
	    enum show_form form);

/* A word in all forms. */
void
show_word(FILE *out, const char *name, uint32_t word);

/* The registers of a file: 0 is ra, 1 rb, 2 r0 to r5. */
void
show_registers(FILE *out, const struct machine *machine, unsigned qpu,
	       unsigned file, enum show_form form);

/* Words of memory, four in a line, as far as there are any. */
void
show_memory(FILE *out, struct machine *machine, uint32_t addr, unsigned n,
	    enum show_form form);

/* Show what a word for vr_setup means, or with `store` one for vw_setup. */
void
show_setup_word(FILE *out, bool store, uint32_t word);

/* Flags, set-ups, uniforms: what a QPU has beside its registers. */
void
show_flags(FILE *out, const struct machine *machine, unsigned qpu);
void
show_setups(FILE *out, const struct machine *machine, unsigned qpu);
void
show_uniforms(FILE *out, struct machine *machine, unsigned qpu);

/* Semaphores that are not 0, and who holds the mutex. */
void
show_shared(FILE *out, const struct machine *machine);

/* Where a QPU stands and what it waits for. */
void
show_place(FILE *out, struct machine *machine, const struct trace_lines *lines,
	   unsigned qpu);

/* Show n instructions; the next one of the QPU is marked. */
void
show_code(FILE *out, struct machine *machine, const struct trace_lines *lines,
	  unsigned qpu, uint32_t addr, unsigned n);

#endif
