/* SPDX-License-Identifier: MIT */
/*
 * asm_block: directives with an end: .if, .rep, .macro, .func, .back, .local.
 *
 * A block is a run of lines of one source; running it several times, or
 * never, needs no text of its own.
 */
#include "config.h"
#include "qpu/asm_run.h"

#include <ctype.h>
#include <string.h>

#include "qpu/asm_call.h"
#include "qpu/asm_expr.h"
#include "qpu/asm_procedure.h"
#include "qpu/assembly.h"

/* Does a line begin with this directive? */
static bool
line_is(const struct asm_line *line, const char *directive)
{
	const char *text = line->text;
	const size_t len = strlen(directive);

	while (isspace((unsigned char)*text))
		text++;
	return *text == '.' && strncmp(text + 1, directive, len) == 0 &&
	       !isalnum((unsigned char)text[1 + len]) && text[1 + len] != '_';
}

/* Blocks open and close each other in pairs. */
static const struct {
	const char *open;
	const char *close;
} pairs[] = {
	{ "if", "endif" },
	{ "ifset", "endif" },
	{ "rep", "endr" },
	{ "macro", "endm" },
	{ "func", "endf" },
	{ "back", "endb" },
	{ "local", "endloc" },
};

enum { NPAIRS = sizeof(pairs) / sizeof(*pairs) };

static bool
line_opens(const struct asm_line *line)
{
	for (size_t i = 0; i < NPAIRS; i++)
		if (line_is(line, pairs[i].open))
			return true;
	return false;
}

static bool
line_closes(const struct asm_line *line)
{
	for (size_t i = 0; i < NPAIRS; i++)
		if (line_is(line, pairs[i].close))
			return true;
	return false;
}

/* The line at or after from that ends the open block, or nlines. */
static size_t
find_end(const struct asm_block *block, size_t from)
{
	unsigned depth = 0;

	for (size_t i = from; i < block->nlines; i++) {
		if (line_opens(&block->lines[i]))
			depth++;
		else if (line_closes(&block->lines[i]) && depth-- == 0)
			return i;
	}
	return block->nlines;
}

/*
 * The body that starts at *next and must end with a directive; *next moves
 * behind it.
 */
static bool
take_body(struct assembly *as, const struct asm_block *block, size_t *next,
	  const char *close, struct asm_block *body)
{
	const size_t start = *next;
	const size_t end = find_end(block, start);

	*body = (struct asm_block){ block->lines + start, end - start };
	if (end < block->nlines && line_is(&block->lines[end], close)) {
		*next = end + 1;
		return true;
	}
	*next = end < block->nlines ? end + 1 : end;
	return asm_error(as, ASM_E_BLOCK, NULL, ".%s is missing", close);
}

/* Run a body in a scope of its own and come back to this line. */
static bool
run_body(struct assembly *as, const struct asm_block *body)
{
	struct asm_line *const line = as->line;

	if (as->depth >= ASM_DEPTH_MAX)
		return asm_error(as, ASM_E_DEPTH, NULL,
				 "blocks are nested too deeply");
	as->depth++;
	const bool good = asm_run_block(as, body);
	as->depth--;
	as->line = line;
	return good;
}

/* The next .elseif, .else or .endif of the block that is open at from. */
static size_t
find_branch(const struct asm_block *block, size_t from)
{
	unsigned depth = 0;

	for (size_t i = from; i < block->nlines; i++) {
		const struct asm_line *line = &block->lines[i];

		if (line_opens(line))
			depth++;
		else if (line_closes(line) && depth-- == 0)
			return i;
		else if (!depth && (line_is(line, "else") ||
				    line_is(line, "elseif")))
			return i;
	}
	return block->nlines;
}

/* The condition of an .elseif line, which becomes the current line. */
static bool
elseif_holds(struct assembly *as, struct asm_line *line, bool *holds)
{
	as->line = line;
	const struct asm_token *tokens =
		asm_lex(&as->arena, &as->messages, line);
	if (!tokens)
		return false;
	as->at = tokens + 1;
	return asm_expr_truth(as, holds) && asm_expect_end(as);
}

/* Run the first part whose condition holds; the first one's is known. */
static bool
run_parts(struct assembly *as, const struct asm_block *block, size_t *next,
	  bool holds)
{
	struct asm_line *const opening = as->line;
	bool taken = false;
	bool good = true;
	size_t start = *next;

	for (;;) {
		const size_t end = find_branch(block, start);
		const struct asm_block body = { block->lines + start,
						end - start };
		if (holds && !taken) {
			taken = true;
			good = run_body(as, &body) && good;
		}
		*next = end < block->nlines ? end + 1 : end;
		as->line = opening;
		if (end == block->nlines ||
		    (line_closes(&block->lines[end]) &&
		     !line_is(&block->lines[end], "endif")))
			return asm_error(as, ASM_E_BLOCK, NULL,
					 ".endif is missing");
		if (line_is(&block->lines[end], "endif"))
			return good;
		holds = true;
		if (line_is(&block->lines[end], "elseif") && !taken &&
		    !elseif_holds(as, &block->lines[end], &holds))
			holds = good = false;
		start = end + 1;
	}
}

static bool
run_if(struct assembly *as, const struct asm_block *block, size_t *next)
{
	bool holds = false;
	const bool good = asm_expr_truth(as, &holds) && asm_expect_end(as);

	return run_parts(as, block, next, good && holds) && good;
}

static bool
run_ifset(struct assembly *as, const struct asm_block *block, size_t *next)
{
	const struct asm_token *name = as->at;

	if (name->type != ASM_TOK_NAME) {
		run_parts(as, block, next, false);
		return asm_error(as, ASM_E_ARGUMENT, name,
				 "a name is expected");
	}
	return run_parts(as, block, next,
			 asm_scope_find(as->scope, name->text) != NULL);
}

/* .rep name, count: the name counts from 0. */
static bool
run_rep(struct assembly *as, const struct asm_block *block, size_t *next)
{
	const struct asm_token *name = as->at;
	const struct asm_token *token = name + 1;
	struct asm_block body;
	int64_t count = 0;
	bool good;

	if (name->type != ASM_TOK_NAME) {
		good = asm_error(as, ASM_E_ARGUMENT, name,
				 "a name for the counter is expected");
	} else {
		as->at++;
		asm_accept(as, ',');
		good = asm_expr_int(as, &count) && asm_expect_end(as);
	}
	if (good && (count < 0 || count > ASM_LINES_MAX))
		good = asm_error(as, ASM_E_ARGUMENT, token,
				 "cannot repeat %lld times", (long long)count);
	if (!take_body(as, block, next, "endr", &body) || !good)
		return false;

	struct asm_symbol *counter =
		asm_arena_alloc(&as->arena, sizeof(*counter));
	const size_t nerrors = as->messages.nerrors;
	/* After an error the same again would help nobody. */
	for (int64_t i = 0; i < count && good &&
			    as->messages.nerrors == nerrors; i++) {
		struct asm_scope scope = { .symbols = counter };

		*counter = (struct asm_symbol){
			.name = name->text,
			.value = asm_value_int(i),
		};
		asm_scope_enter(as, &scope);
		good = asm_run_charge(as) && run_body(as, &body);
		asm_scope_leave(as);
	}
	return good;
}

static bool
run_macro(struct assembly *as, const struct asm_block *block, size_t *next)
{
	struct asm_block body;

	if (!take_body(as, block, next, "endm", &body))
		return false;
	struct asm_procedure *macro = asm_procedure_lines(as, &body);
	if (!macro)
		return false;
	macro->next = as->macros;	/* a later one hides an earlier */
	as->macros = macro;
	return true;
}

static bool
run_func(struct assembly *as, const struct asm_block *block, size_t *next)
{
	struct asm_block body;

	if (!take_body(as, block, next, "endf", &body))
		return false;
	const struct asm_procedure *function = asm_procedure_lines(as, &body);
	if (!function)
		return false;
	struct asm_symbol *symbol =
		asm_scope_add(&as->globals, &as->arena, function->name);
	symbol->function = function;
	return true;
}

/* .back count: the body goes before the last count words. */
static bool
run_back(struct assembly *as, const struct asm_block *block, size_t *next)
{
	const struct asm_token *token = as->at;
	struct asm_block body;
	int64_t count = 0;

	bool good = asm_expr_int(as, &count) && asm_expect_end(as);
	if (!take_body(as, block, next, "endb", &body) || !good)
		return false;
	if (count < 0 || count > 10)
		return asm_error(as, ASM_E_ARGUMENT, token,
				 ".back goes back 0 to 10 instructions");
	if (!asm_output_back(&as->output, count))
		return asm_error(as, ASM_E_ARGUMENT, token,
				 "there are no %d instructions to go back",
				 (int)count);
	good = run_body(as, &body);
	asm_output_back_end(&as->output);
	return good;
}

static bool
run_local(struct assembly *as, const struct asm_block *block, size_t *next)
{
	struct asm_block body;
	struct asm_scope scope = { .symbols = NULL };

	if (!take_body(as, block, next, "endloc", &body))
		return false;
	asm_scope_enter(as, &scope);
	const bool good = run_body(as, &body);
	asm_scope_leave(as);
	return good;
}

/* An end without a beginning. */
static bool
run_stray(struct assembly *as, const struct asm_block *block, size_t *next)
{
	(void)block;
	(void)next;
	return asm_error(as, ASM_E_BLOCK, as->at - 1,
			 "there is no open block that .%s belongs to",
			 as->at[-1].text);
}

asm_directive *
asm_block_find(const char *name)
{
	static const struct {
		const char *name;
		asm_directive *run;
	} rows[] = {
		{ "back", run_back },
		{ "else", run_stray },
		{ "elseif", run_stray },
		{ "endb", run_stray },
		{ "endf", run_stray },
		{ "endif", run_stray },
		{ "endloc", run_stray },
		{ "endm", run_stray },
		{ "endr", run_stray },
		{ "func", run_func },
		{ "if", run_if },
		{ "ifset", run_ifset },
		{ "local", run_local },
		{ "macro", run_macro },
		{ "rep", run_rep },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strcmp(name, rows[i].name) == 0)
			return rows[i].run;
	return NULL;
}
