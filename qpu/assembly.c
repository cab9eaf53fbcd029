/* SPDX-License-Identifier: MIT */
/*
 * assembly: small steps that every part of the assembler takes.
 */
#include "config.h"
#include "qpu/assembly.h"

#include <stdarg.h>
#include <stdio.h>

bool
asm_error(struct assembly *as, unsigned number,
	  const struct asm_token *token, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	asm_message_add(&as->messages, &as->arena, ASM_ERROR, number,
			as->line, token ? token->column : 0, "%s", text);
	return false;
}

bool
asm_accept(struct assembly *as, uint32_t op)
{
	if (!asm_token_is(as->at, op))
		return false;
	as->at++;
	return true;
}

bool
asm_expect(struct assembly *as, uint32_t op)
{
	char name[5] = "";
	unsigned len = 0;

	if (asm_accept(as, op))
		return true;
	for (int shift = 24; shift >= 0; shift -= 8)
		if (op >> shift & 0xff)
			name[len++] = op >> shift & 0xff;
	return asm_error(as, ASM_E_SYNTAX, as->at, "expected '%s'", name);
}

bool
asm_expect_end(struct assembly *as)
{
	if (as->at->type == ASM_TOK_END)
		return true;
	return asm_error(as, ASM_E_SYNTAX, as->at,
			 "unexpected text at the end of the line");
}

void
asm_scope_enter(struct assembly *as, struct asm_scope *scope)
{
	scope->parent = as->scope;
	as->scope = scope;
}

void
asm_scope_leave(struct assembly *as)
{
	as->scope = as->scope->parent;
}
