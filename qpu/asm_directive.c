/* SPDX-License-Identifier: MIT */
/*
 * asm_directive: the directives of one line that define names, check, and
 * include.
 */
#include "config.h"
#include "qpu/asm_run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "qpu/asm.h"
#include "qpu/asm_expr.h"
#include "qpu/asm_procedure.h"
#include "qpu/assembly.h"

static bool
expect_name(struct assembly *as, const struct asm_token **token)
{
	*token = as->at;
	if (as->at->type != ASM_TOK_NAME)
		return asm_error(as, ASM_E_ARGUMENT, as->at,
				 "a name is expected");
	as->at++;
	return true;
}

/* .set finds the innermost of that name, .lset looks in this scope only. */
static bool
define(struct assembly *as, bool local, bool constant)
{
	const struct asm_token *name;
	struct asm_symbol definition = { .constant = constant };

	if (!expect_name(as, &name))
		return false;
	if (asm_token_is(as->at, '(') && as->at->touches) {
		definition.function = asm_procedure_inline(as, name);
		if (!definition.function)
			return false;
	} else {
		asm_accept(as, ',');
		if (!asm_expr(as, &definition.value) || !asm_expect_end(as))
			return false;
	}

	struct asm_symbol *symbol = NULL;
	if (!local)
		symbol = asm_scope_find(as->scope, name->text);
	if (!symbol)
		symbol = asm_scope_add(local ? as->scope : &as->globals,
				       &as->arena, name->text);
	if (symbol->constant)
		return asm_error(as, ASM_E_REDEFINED, name,
				 "'%s' is constant", name->text);
	symbol->constant = constant;
	symbol->value = definition.value;
	symbol->function = definition.function;
	return true;
}

static bool
run_set(struct assembly *as, const struct asm_block *block, size_t *next)
{
	(void)block;
	(void)next;
	return define(as, false, false);
}

static bool
run_const(struct assembly *as, const struct asm_block *block, size_t *next)
{
	(void)block;
	(void)next;
	return define(as, false, true);
}

static bool
run_lset(struct assembly *as, const struct asm_block *block, size_t *next)
{
	(void)block;
	(void)next;
	return define(as, true, false);
}

static bool
run_lconst(struct assembly *as, const struct asm_block *block, size_t *next)
{
	(void)block;
	(void)next;
	return define(as, true, true);
}

static bool
undefine(struct assembly *as, struct asm_scope *scope)
{
	const struct asm_token *name;

	if (!expect_name(as, &name) || !asm_expect_end(as))
		return false;
	if (!asm_scope_remove(scope, name->text))
		return asm_error(as, ASM_E_UNDEFINED, name,
				 "'%s' is not defined", name->text);
	return true;
}

static bool
run_unset(struct assembly *as, const struct asm_block *block, size_t *next)
{
	(void)block;
	(void)next;
	return undefine(as, as->scope);
}

static bool
run_lunset(struct assembly *as, const struct asm_block *block, size_t *next)
{
	struct asm_scope alone = { .symbols = as->scope->symbols };

	(void)block;
	(void)next;
	const bool good = undefine(as, &alone);
	as->scope->symbols = alone.symbols;
	return good;
}

static bool
run_assert(struct assembly *as, const struct asm_block *block, size_t *next)
{
	const struct asm_token *token = as->at;
	struct asm_value value;

	(void)block;
	(void)next;
	if (!asm_expr(as, &value) || !asm_expect_end(as))
		return false;
	if (value.type != ASM_INT && value.type != ASM_FLOAT)
		return asm_error(as, ASM_E_EXPRESSION, token,
				 "a number is expected");
	if (value.unknown && !as->final)
		return true;
	if (value.type == ASM_FLOAT ? value.f != 0 : value.i != 0)
		return true;
	return asm_error(as, ASM_E_ASSERT, token, "assertion failed");
}

/* .global name[, value]: binaries have no symbols, the name is checked. */
static bool
run_global(struct assembly *as, const struct asm_block *block, size_t *next)
{
	struct asm_value value;
	const struct asm_token *name;

	(void)block;
	(void)next;
	asm_accept(as, ':');
	if (!expect_name(as, &name))
		return false;
	if (asm_accept(as, ','))
		return asm_expr(as, &value) && asm_expect_end(as);
	if (as->final && !asm_scope_find(as->scope, name->text) &&
	    !asm_label_find(&as->labels, name->text))
		return asm_error(as, ASM_E_UNDEFINED, name,
				 "'%s' is not defined", name->text);
	return asm_expect_end(as);
}

/* There is one section, the code. */
static bool
run_code(struct assembly *as, const struct asm_block *block, size_t *next)
{
	(void)block;
	(void)next;
	return asm_expect_end(as);
}

/* The file beside the one that includes it, or in an include directory. */
static const struct asm_source *
find_include(struct assembly *as, const char *name)
{
	const struct qpu_asm_options *options = as->options;
	const char *file = as->line->file;
	const char *slash = strrchr(file, '/');
	const struct asm_source *source;
	char path[4096];

	if (name[0] == '/' || !slash)
		snprintf(path, sizeof(path), "%s", name);
	else
		snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - file),
			 file, name);
	source = asm_source_load(&as->sources, &as->arena, path);
	for (size_t i = 0; !source && i < options->ninclude_dirs; i++) {
		snprintf(path, sizeof(path), "%s/%s",
			 options->include_dirs[i], name);
		source = asm_source_load(&as->sources, &as->arena, path);
	}
	return source;
}

static bool
run_include(struct assembly *as, const struct asm_block *block, size_t *next)
{
	const struct asm_token *name = as->at;

	(void)block;
	(void)next;
	if (name->type != ASM_TOK_STRING)
		return asm_error(as, ASM_E_ARGUMENT, name,
				 "a file name in quotes is expected");
	as->at++;
	if (!asm_expect_end(as))
		return false;
	if (as->depth >= ASM_DEPTH_MAX)
		return asm_error(as, ASM_E_DEPTH, name,
				 "files include each other without end");
	const struct asm_source *source = find_include(as, name->text);
	if (!source)
		return asm_error(as, ASM_E_FILE, name, "cannot read '%s': %s",
				 name->text, strerror(errno));

	struct asm_block lines = { source->lines, source->nlines };
	struct asm_line *const line = as->line;
	struct asm_scope scope = { .symbols = NULL };
	as->depth++;
	asm_scope_enter(as, &scope);
	const bool good = asm_run_block(as, &lines);
	asm_scope_leave(as);
	as->depth--;
	as->line = line;
	return good;
}

asm_directive *
asm_directive_find(const char *name)
{
	static const struct {
		const char *name;
		asm_directive *run;
	} rows[] = {
		{ "assert", run_assert },
		{ "code", run_code },
		{ "const", run_const },
		{ "define", run_set },
		{ "equ", run_set },
		{ "global", run_global },
		{ "include", run_include },
		{ "lconst", run_lconst },
		{ "lset", run_lset },
		{ "lunset", run_lunset },
		{ "set", run_set },
		{ "text", run_code },
		{ "unset", run_unset },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strcmp(name, rows[i].name) == 0)
			return rows[i].run;
	return NULL;
}
