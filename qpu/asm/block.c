/* SPDX-License-Identifier: MIT */
/*
 * block: directives with an end: .if, .rep, .macro, .func, .back, .local.
 *
 * A block is a range of lines of one source, which can be run any number of
 * times without a copy of its text.
 */
#include "config.h"

#include "qpu/asm/assembly.h"

#include <ctype.h>
#include <string.h>

static size_t
name_length(const char *text)
{
	size_t len = 0;

	while (isalnum((unsigned char)text[len]) || text[len] == '_')
		len++;
	return len;
}

static const char *
skip_blanks(const char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

/* Skip the labels that a line may begin with: ":name", ":" and "name:". */
static const char *
skip_labels(const char *text)
{
	for (;;) {
		const char *name = text = skip_blanks(text);

		while (*name == ':')
			name++;
		if (name > text && *name == '.')
			name++;
		const size_t len = name_length(name);
		if (name == text && (!len || name[len] != ':'))
			return text;
		text = name + len + (name == text);
	}
}

static bool
text_is(const char *text, const char *directive)
{
	const size_t len = strlen(directive);

	return *text == '.' && strncmp(text + 1, directive, len) == 0 &&
	       !name_length(text + 1 + len);
}

static bool
line_is(const struct asm_line *line, const char *directive)
{
	return text_is(skip_blanks(line->text), directive);
}

/* The directives that open and close blocks. */
static const struct {
	const char *open;
	const char *close;
	const char *alias; /* of close */
} pairs[] = {
	{ "if", "endif", NULL },       { "ifset", "endif", NULL },
	{ "rep", "endr", "endrep" },   { "foreach", "endfor", "endr" },
	{ "macro", "endm", NULL },     { "func", "endf", "endfunc" },
	{ "back", "endb", "endback" }, { "local", "endloc", NULL },
};

enum { NPAIRS = sizeof(pairs) / sizeof(*pairs) };

/* Return true if the line closes a block of this kind, or of any if it is null. */
static bool
line_closes(const struct asm_line *line, const char *close)
{
	for (size_t i = 0; i < NPAIRS; i++)
		if ((!close || strcmp(close, pairs[i].close) == 0) &&
		    (line_is(line, pairs[i].close) ||
		     (pairs[i].alias && line_is(line, pairs[i].alias))))
			return true;
	return false;
}

static bool
line_is_elseif(const struct asm_line *line)
{
	return line_is(line, "elseif") || line_is(line, "elif");
}

/*
 * The line at or after from that ends the block which is open there, or, if
 * parts count, its next part; nlines if there is none.  Repetitions come here
 * again: what was found stays with the line.
 */
static size_t
find_end(const struct asm_block *block, size_t from, bool parts)
{
	unsigned *found, depth = 0;
	size_t i = from;

	if (from == block->nlines)
		return from;
	found = parts ? &block->lines[from].to_part :
			&block->lines[from].to_end;
	if (*found)
		return *found <= block->nlines - from ? from + *found - 1 :
							block->nlines;
	for (; i < block->nlines; i++) {
		const struct asm_line *line = &block->lines[i];
		const char *text = skip_labels(line->text);
		size_t pair = 0;

		while (pair < NPAIRS && !text_is(text, pairs[pair].open))
			pair++;
		if (pair < NPAIRS)
			depth++;
		else if ((line_closes(line, NULL) && depth-- == 0) ||
			 (parts && !depth &&
			  (line_is(line, "else") || line_is_elseif(line))))
			break;
	}
	if (i < block->nlines)
		*found = (unsigned)(i - from + 1);
	return i;
}

/* The lines from the next one up to the directive that must close them. */
static bool
take_body(struct assembly *as, const char *close, struct asm_block *body)
{
	const struct asm_block *block = as->block;
	const size_t start = as->next;
	const size_t end = find_end(block, start, false);

	*body = (struct asm_block){ block->lines + start, end - start };
	if (end < block->nlines && line_closes(&block->lines[end], close)) {
		as->next = end + 1;
		return true;
	}
	as->next = end < block->nlines ? end + 1 : end;
	return asm_error(as, ASM_E_BLOCK, NULL, ".%s is missing", close);
}

/* Run a body and come back to this line. */
static void
run_body(struct assembly *as, const struct asm_block *body)
{
	struct asm_line *const line = as->line;

	if (as->depth >= ASM_DEPTH_MAX) {
		asm_error(as, ASM_E_DEPTH, NULL,
			  "blocks are nested too deeply");
		return;
	}
	as->depth++;
	asm_run_block(as, body);
	as->depth--;
	as->line = line;
}

/* Parse the condition at the end of a line; a wrong one does not hold. */
static bool
condition_holds(struct assembly *as)
{
	bool holds;

	return asm_expr_truth(as, &holds) && asm_expect_end(as) && holds;
}

/* Report an error unless .endif closes the part that ends there. Like vc4asm,
 * allow the end of the program to close .if. */
static void
check_endif(struct assembly *as, size_t end)
{
	const struct asm_block *block = as->block;

	if (end < block->nlines && line_is(&block->lines[end], "endif"))
		return;
	if (end < block->nlines || as->depth > 0)
		asm_error(as, ASM_E_BLOCK, NULL, ".endif is missing");
	else
		asm_warning(as, ASM_W_OPEN_IF, NULL,
			    ".endif is missing: it ends with the program");
}

/* Run the first part whose condition holds; `holds` is for the first one. */
static void
run_parts(struct assembly *as, bool holds)
{
	const struct asm_block *block = as->block;
	struct asm_line *const opening = as->line;
	bool taken = false;
	size_t start = as->next;

	for (;;) {
		const size_t end = find_end(block, start, true);
		const struct asm_block body = { block->lines + start,
						end - start };
		if (holds && !taken) {
			taken = true;
			run_body(as, &body);
		}
		as->next = end < block->nlines ? end + 1 : end;
		as->line = opening;
		if (end == block->nlines ||
		    line_closes(&block->lines[end], NULL)) {
			check_endif(as, end);
			return;
		}
		holds = !line_is_elseif(&block->lines[end]);
		if (!holds && !taken) {
			as->line = &block->lines[end];
			as->at = asm_lex(&as->messages, as->line);
			if (as->at) {
				as->at++; /* after .elseif */
				holds = condition_holds(as);
			}
		}
		start = end + 1;
	}
}

static void
run_if(struct assembly *as)
{
	run_parts(as, condition_holds(as));
}

static void
run_ifset(struct assembly *as)
{
	const struct asm_token *name;

	run_parts(as, asm_expect_name(as, "a name", &name) &&
			      asm_symbol_find(&as->symbols, name->text));
}

/* Run the body once more with the name of the repetition standing for value. */
static void
repeat(struct assembly *as, const struct asm_block *body, const char *name,
       const struct asm_value *value)
{
	struct asm_symbol symbol = { .name = name, .value = *value };
	struct asm_scope scope = { .symbols = NULL };

	asm_scope_enter(&as->symbols, &scope);
	asm_symbol_bind(&as->symbols, &symbol);
	if (asm_charge_line(as))
		run_body(as, body);
	asm_scope_leave(&as->symbols);
}

/* The name that .rep and .foreach begin with, and an optional comma. */
static bool
take_name(struct assembly *as, const struct asm_token **name)
{
	if (!asm_expect_name(as, "a name for the counter", name))
		return false;
	asm_accept(as, ',');
	return true;
}

/* .rep name, count: the name counts from 0. */
static void
run_rep(struct assembly *as)
{
	const struct asm_token *name;
	struct asm_block body;
	int64_t count = 0;

	bool good = take_name(as, &name);
	const struct asm_token *token = as->at;
	good = good && asm_expr_int(as, &count) && asm_expect_end(as);
	if (good && (count < 0 || count > ASM_LINES_MAX))
		good = asm_error(as, ASM_E_ARGUMENT, token,
				 "cannot repeat %lld times", (long long)count);
	if (!take_body(as, "endr", &body) || !good)
		return;

	/* The repetitions after an error would only repeat it. */
	const size_t nerrors = as->messages.nerrors;
	for (int64_t i = 0; i < count && as->messages.nerrors == nerrors; i++) {
		const struct asm_value value = asm_value_int(i);

		repeat(as, &body, name->text, &value);
	}
}

/* .foreach name, values: the name stands for one value after the other. */
static void
run_foreach(struct assembly *as)
{
	const struct asm_token *name;
	struct asm_arguments values;
	struct asm_block body;

	const bool good = take_name(as, &name) &&
			  asm_expr_arguments(as, false, &values);
	if (!take_body(as, "endfor", &body) || !good)
		return;

	const size_t nerrors = as->messages.nerrors;
	for (size_t i = 0; i < values.n && as->messages.nerrors == nerrors; i++)
		repeat(as, &body, name->text, &values.values[i]);
}

static void
run_macro(struct assembly *as)
{
	struct asm_block body;

	if (!take_body(as, "endm", &body))
		return;
	struct asm_procedure *macro = asm_procedure_lines(as, &body);
	if (macro)
		*asm_table_slot(&as->macros, macro->name) = macro;
}

static void
run_func(struct assembly *as)
{
	struct asm_block body;

	if (!take_body(as, "endf", &body))
		return;
	const struct asm_procedure *function = asm_procedure_lines(as, &body);
	if (function)
		asm_symbol_add(&as->symbols, &as->symbols.globals,
			       function->name)
			->function = function;
}

/* .back count: the body goes before the last count words. */
static void
run_back(struct assembly *as)
{
	const struct asm_token *token = as->at;
	struct asm_block body;
	int64_t count = 0;

	bool good = asm_expr_int(as, &count) && asm_expect_end(as);
	if (!take_body(as, "endb", &body) || !good)
		return;
	if (count < 0 || count > 10) {
		asm_error(as, ASM_E_ARGUMENT, token,
			  ".back goes back 0 to 10 instructions");
		return;
	}
	if (!asm_output_back(&as->output, count)) {
		asm_error(as, ASM_E_ARGUMENT, token,
			  "there are no %d instructions to go back",
			  (int)count);
		return;
	}
	as->join.open = false;
	run_body(as, &body);
	as->join.open = false;
	asm_output_back_end(&as->output);
}

static void
run_local(struct assembly *as)
{
	struct asm_block body;
	struct asm_scope scope = { .symbols = NULL };

	if (!take_body(as, "endloc", &body))
		return;
	asm_scope_enter(&as->symbols, &scope);
	run_body(as, &body);
	asm_scope_leave(&as->symbols);
}

/* Report a closing directive without an opening one. */
static void
run_stray(struct assembly *as)
{
	asm_error(as, ASM_E_BLOCK, as->at - 1,
		  ".%s does not close an open block", as->at[-1].text);
}

const struct asm_directive asm_block_directives[] = {
	{ "back", run_back, 0 },       { "elif", run_stray, 0 },
	{ "else", run_stray, 0 },      { "elseif", run_stray, 0 },
	{ "endb", run_stray, 0 },      { "endback", run_stray, 0 },
	{ "endf", run_stray, 0 },      { "endfor", run_stray, 0 },
	{ "endfunc", run_stray, 0 },   { "endif", run_stray, 0 },
	{ "endloc", run_stray, 0 },    { "endm", run_stray, 0 },
	{ "endr", run_stray, 0 },      { "endrep", run_stray, 0 },
	{ "foreach", run_foreach, 0 }, { "func", run_func, 0 },
	{ "if", run_if, 0 },	       { "ifset", run_ifset, 0 },
	{ "local", run_local, 0 },     { "macro", run_macro, 0 },
	{ "rep", run_rep, 0 },	       { NULL, NULL, 0 },
};
