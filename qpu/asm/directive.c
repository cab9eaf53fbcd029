/* SPDX-License-Identifier: MIT */
/*
 * directive: the directives that define names, check, and include files; looks
 * up all of them.
 */
#include "config.h"

#include "qpu/asm/run.h"

#include <errno.h>
#include <string.h>

#include "qpu/asm/assembly.h"
#include "qpu/asm/expr.h"

/* Variants of .set and .unset. */
enum { LOCAL = 1, CONSTANT = 2 };

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

/*
 * .set and .const change the innermost symbol of that name, or add one to the
 * global scope; .lset and .lconst look in the current scope only.
 */
static void
run_set(struct assembly *as)
{
	const bool local = as->directive->variant & LOCAL;
	const bool constant = as->directive->variant & CONSTANT;
	const struct asm_token *name;
	struct asm_symbol definition = { .function = NULL };

	if (!expect_name(as, &name))
		return;
	if (asm_token_is(as->at, '(') && as->at->touches) {
		definition.function = asm_procedure_inline(as, name);
		if (!definition.function)
			return;
	} else {
		asm_accept(as, ',');
		if (!asm_expr(as, &definition.value) || !asm_expect_end(as))
			return;
	}

	struct asm_symbol *symbol = NULL;
	if (!local)
		symbol = asm_symbol_find(&as->symbols, name->text);
	if (!symbol)
		symbol = asm_symbol_add(&as->symbols,
					local ? as->symbols.scope :
						&as->symbols.globals,
					name->text);
	if (symbol->constant) {
		asm_error(as, ASM_E_REDEFINED, name, "'%s' is constant",
			  name->text);
		return;
	}
	symbol->constant = constant;
	symbol->value = definition.value;
	symbol->function = definition.function;
}

static void
run_unset(struct assembly *as)
{
	const bool local = as->directive->variant & LOCAL;
	const struct asm_token *name;

	if (expect_name(as, &name) && asm_expect_end(as) &&
	    !asm_symbol_remove(&as->symbols, name->text, local))
		asm_error(as, ASM_E_UNDEFINED, name, "'%s' is not defined",
			  name->text);
}

static void
run_assert(struct assembly *as)
{
	const struct asm_token *token = as->at;
	struct asm_value value;

	if (!asm_expr(as, &value) || !asm_expect_end(as))
		return;
	if (value.type != ASM_INT && value.type != ASM_FLOAT)
		asm_error(as, ASM_E_EXPRESSION, token, "a number is expected");
	else if ((as->final || !value.unknown) &&
		 (value.type == ASM_FLOAT ? value.f == 0 : value.i == 0))
		asm_error(as, ASM_E_ASSERT, token, "assertion failed");
}

/* In the first pass a label may come later. */
static bool
is_defined(struct assembly *as, const struct asm_token *name)
{
	return !as->final || asm_symbol_find(&as->symbols, name->text) ||
	       asm_label_find(&as->labels, name->text) ||
	       asm_error(as, ASM_E_UNDEFINED, name, "'%s' is not defined",
			 name->text);
}

/* .global name[, value]: binaries have no symbols, the name is checked. */
static void
run_global(struct assembly *as)
{
	struct asm_value value;
	const struct asm_token *name;

	asm_accept(as, ':');
	if (!expect_name(as, &name))
		return;
	if (asm_accept(as, ',') ? asm_expr(as, &value) : is_defined(as, name))
		asm_expect_end(as);
}

/* There is one section, the code. */
static void
run_code(struct assembly *as)
{
	asm_expect_end(as);
}

/* The file beside the one that includes it. */
static const struct asm_source *
load_beside(struct assembly *as, const char *name)
{
	const char *file = as->line->file;
	const char *slash = strrchr(file, '/');

	if (name[0] == '/' || !slash)
		return asm_source_load(&as->sources, name);
	return asm_source_load_in(&as->sources, file, slash - file, name);
}

/* "name" is first looked for beside the source, <name> in the directories. */
static const struct asm_source *
find_include(struct assembly *as, const char *name, bool in_angles)
{
	const struct asm_source *source = NULL;
	int error = ENOENT;

	if (!in_angles) {
		source = load_beside(as, name);
		error = errno;
	}
	if (!source)
		source = asm_source_find(&as->sources, name);
	if (!source && in_angles)
		source = load_beside(as, name);
	/* A file that is there says more than one that is not. */
	if (!source && error != ENOENT)
		errno = error;
	if (!source && errno == ENOENT)
		source = asm_source_builtin(&as->sources, name);
	return source;
}

/* Take a name in quotes or in angle brackets; null after a message. */
static const struct asm_token *
expect_file_name(struct assembly *as)
{
	const struct asm_token *token = as->at;

	if (token->type != ASM_TOK_STRING) {
		asm_error(as, ASM_E_ARGUMENT, token,
			  "a file name in quotes or in angle brackets is "
			  "expected");
		return NULL;
	}
	as->at++;
	return asm_expect_end(as) ? token : NULL;
}

static void
run_include(struct assembly *as)
{
	const struct asm_token *token = expect_file_name(as);

	if (!token)
		return;
	if (as->depth >= ASM_DEPTH_MAX) {
		asm_error(as, ASM_E_DEPTH, token,
			  "files include each other without end");
		return;
	}
	const struct asm_source *source =
		find_include(as, token->text, token->op == '>');
	if (!source) {
		/* There would be no room for the next one, either. */
		as->stopped = errno == EFBIG;
		asm_error(as, ASM_E_FILE, token, "cannot read '%s': %s",
			  token->text, strerror(errno));
		return;
	}

	struct asm_block lines = { source->lines, source->nlines };
	struct asm_scope scope = { .symbols = NULL };
	as->depth++;
	asm_scope_enter(&as->symbols, &scope);
	asm_run_block(as, &lines);
	asm_scope_leave(&as->symbols);
	as->depth--;
}

const struct asm_directive asm_line_directives[] = {
	{ "assert", run_assert, 0 },	{ "code", run_code, 0 },
	{ "const", run_set, CONSTANT }, { "define", run_set, 0 },
	{ "equ", run_set, 0 },		{ "global", run_global, 0 },
	{ "include", run_include, 0 },	{ "lconst", run_set, LOCAL | CONSTANT },
	{ "lset", run_set, LOCAL },	{ "lunset", run_unset, LOCAL },
	{ "rodata", run_code, 0 },	{ "set", run_set, 0 },
	{ "text", run_code, 0 },	{ "undef", run_unset, 0 },
	{ "unset", run_unset, 0 },	{ NULL, NULL, 0 },
};

static const struct asm_directive *
find_directive(const char *name)
{
	static const struct asm_directive *const tables[] = {
		asm_block_directives,
		asm_data_directives,
		asm_line_directives,
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		for (const struct asm_directive *row = tables[i]; row->name;
		     row++)
			if (strcmp(row->name, name) == 0)
				return row;
	return NULL;
}

void
asm_directive_run(struct assembly *as)
{
	const struct asm_token *token = as->at++;

	as->directive = find_directive(token->text);
	if (as->directive)
		as->directive->run(as);
	else
		asm_error(as, ASM_E_DIRECTIVE, token, "unknown directive '.%s'",
			  token->text);
}
