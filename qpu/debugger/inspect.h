/* SPDX-License-Identifier: MIT */
/*
 * inspect: the debugger's commands that only show something.  Each gets what
 * is typed after its name; false means that this makes no sense, and `why` has
 * the reason.
 */
#ifndef QPU_DEBUGGER_INSPECT_H
#define QPU_DEBUGGER_INSPECT_H

#include "qpu/debugger/debugger.h"

bool
inspect_print(struct debugger *debugger, char *text, struct diag *why);
bool
inspect_registers(struct debugger *debugger, char *text, struct diag *why);
bool
inspect_memory(struct debugger *debugger, char *text, struct diag *why);
bool
inspect_vpm(struct debugger *debugger, char *text, struct diag *why);
bool
inspect_flags(struct debugger *debugger, char *text, struct diag *why);
bool
inspect_uniforms(struct debugger *debugger, char *text, struct diag *why);
bool
inspect_shared(struct debugger *debugger, char *text, struct diag *why);
bool
inspect_setup(struct debugger *debugger, char *text, struct diag *why);
bool
inspect_where(struct debugger *debugger, char *text, struct diag *why);
bool
inspect_list(struct debugger *debugger, char *text, struct diag *why);
bool
inspect_disassemble(struct debugger *debugger, char *text, struct diag *why);

/* The next word of a command, ended in place; *text moves past it. */
char *
inspect_word(char **text);

/* A decimal number up to most in the next word; `number` stays if there is
 * no word. */
bool
inspect_number(char **text, unsigned most, unsigned *number, struct diag *why);

#endif
