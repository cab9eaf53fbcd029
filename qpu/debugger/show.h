/* SPDX-License-Identifier: MIT */
/*
 * show: the debugger's commands that only show something.  Each gets what is
 * typed after its name; false means that this makes no sense, and `why` has
 * the reason.
 */
#ifndef QPU_DEBUGGER_SHOW_H
#define QPU_DEBUGGER_SHOW_H

#include "qpu/debugger/debugger.h"

/* A command of the debugger. */
typedef bool
debugger_command(struct debugger *debugger, char *text, struct diag *why);

debugger_command show_disassemble, show_flags, show_list;
debugger_command show_memory, show_print, show_registers, show_setup;
debugger_command show_shared, show_uniforms, show_vpm;
debugger_command show_where;

/* Where a QPU stands and what it waits for. */
void
show_place(const struct debugger *debugger, unsigned qpu);

/* The next word of a command, ended in place; *text moves past it. */
char *
show_next_word(char **text);

/* A decimal number up to most in the next word; `number` stays if there is
 * no word. */
bool
show_next_number(char **text, unsigned most, unsigned *number,
		 struct diag *why);

#endif
