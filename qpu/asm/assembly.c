/* SPDX-License-Identifier: MIT */
/*
 * assembly: diagnostics and tokens, for all parts of the assembler.
 */
#include "config.h"

#include "qpu/asm/assembly.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool
asm_error(struct assembly *as, unsigned number, const struct asm_token *token,
	  const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	asm_diagnostic_add(&as->diagnostics, ASM_ERROR, number, as->line,
			   token ? token->column : 0, "%s", text);
	/* A macro that calls itself twice would reach it 2^64 times. */
	as->stopped = as->stopped || number == ASM_E_DEPTH;
	return false;
}

void
asm_warning(struct assembly *as, unsigned number, const struct asm_token *token,
	    const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	asm_diagnostic_add(&as->diagnostics, ASM_WARNING, number, as->line,
			   token ? token->column : 0, "%s", text);
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
asm_expect(struct assembly *as, char op)
{
	return asm_accept(as, (unsigned char)op) ||
	       asm_error(as, ASM_E_SYNTAX, as->at, "expected '%c'", op);
}

bool
asm_expect_end(struct assembly *as)
{
	if (as->at->type == ASM_TOK_END)
		return true;
	return asm_error(as, ASM_E_SYNTAX, as->at,
			 "unexpected text at the end of the line");
}

const char *
asm_label_name(struct assembly *as, const struct asm_token *token)
{
	char digits[16];

	if (token->type == ASM_TOK_NAME)
		return token->text;
	if (token->integer > UINT32_MAX) {
		asm_error(as, ASM_E_NUMBER, token, "label number is too large");
		return NULL;
	}
	snprintf(digits, sizeof(digits), "%u", (unsigned)token->integer);
	return asm_arena_strndup(&as->arena, digits, strlen(digits));
}

bool
asm_charge_line(struct assembly *as)
{
	if (++as->nlines < ASM_LINES_MAX)
		return true;
	return asm_error(as, ASM_E_DEPTH, NULL, "too many lines to run");
}
