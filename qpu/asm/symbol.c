/* SPDX-License-Identifier: MIT */
/*
 * symbol: scopes and labels.
 *
 * Most scopes are calls with a few names: a list will do, and a hash table is
 * added when there are many.  Both passes define the labels of a name in the
 * same order, so the second pass walks along the list of the first; what comes
 * after the last one that it defined is still to be defined.
 */
#include "config.h"

#include "qpu/asm/symbol.h"

#include <ctype.h>
#include <string.h>

#include "qpu/asm/arena.h"

enum { MANY_SYMBOLS = 16 };

struct asm_label_name {
	struct asm_label_name *next; /* of all names */
	struct asm_label *first;
	struct asm_label *last; /* defined in this pass, or null */
};

static struct asm_symbol *
find_here(const struct asm_scope *scope, const char *name)
{
	struct asm_symbol *symbol = scope->symbols;

	if (scope->table)
		return asm_table_find(scope->table, name);
	while (symbol && strcmp(symbol->name, name) != 0)
		symbol = symbol->next;
	return symbol;
}

struct asm_symbol *
asm_scope_find(const struct asm_scope *scope, const char *name)
{
	struct asm_symbol *symbol = NULL;

	for (; scope && !symbol; scope = scope->parent)
		symbol = find_here(scope, name);
	return symbol;
}

static void
index_symbols(struct asm_scope *scope, struct asm_arena *arena)
{
	scope->table = asm_arena_alloc(arena, sizeof(*scope->table));
	for (struct asm_symbol *symbol = scope->symbols; symbol;
	     symbol = symbol->next)
		*asm_table_slot(scope->table, arena, symbol->name) = symbol;
}

struct asm_symbol *
asm_scope_add(struct asm_scope *scope, struct asm_arena *arena,
	      const char *name)
{
	struct asm_symbol *symbol = find_here(scope, name);

	if (symbol)
		return symbol;
	symbol = asm_arena_alloc(arena, sizeof(*symbol));
	symbol->name = name;
	symbol->next = scope->symbols;
	if (symbol->next)
		symbol->next->newer = symbol;
	scope->symbols = symbol;
	if (scope->table)
		*asm_table_slot(scope->table, arena, name) = symbol;
	else if (++scope->nadded == MANY_SYMBOLS)
		index_symbols(scope, arena);
	return symbol;
}

bool
asm_scope_remove_here(struct asm_scope *scope, struct asm_arena *arena,
		      const char *name)
{
	struct asm_symbol *symbol = find_here(scope, name);

	if (!symbol)
		return false;
	if (symbol->next)
		symbol->next->newer = symbol->newer;
	if (symbol->newer)
		symbol->newer->next = symbol->next;
	else
		scope->symbols = symbol->next;
	if (scope->table)
		*asm_table_slot(scope->table, arena, name) = NULL;
	return true;
}

bool
asm_scope_remove(struct asm_scope *scope, struct asm_arena *arena,
		 const char *name)
{
	for (; scope; scope = scope->parent)
		if (asm_scope_remove_here(scope, arena, name))
			return true;
	return false;
}

static struct asm_label_name *
take_name(struct asm_labels *labels, struct asm_arena *arena, const char *text)
{
	void **slot = asm_table_slot(&labels->names, arena, text);
	struct asm_label_name *name = *slot;

	if (name)
		return name;
	name = *slot = asm_arena_alloc(arena, sizeof(*name));
	name->next = labels->all;
	labels->all = name;
	return name;
}

struct asm_label *
asm_label_define(struct asm_labels *labels, struct asm_arena *arena,
		 const char *text, const struct asm_line *line)
{
	struct asm_label_name *name = take_name(labels, arena, text);
	struct asm_label **link = name->last ? &name->last->same : &name->first;

	if (name->last && !isdigit((unsigned char)*text))
		return NULL;
	if (!*link) {
		*link = asm_arena_alloc(arena, sizeof(**link));
		(*link)->name = text;
	}
	name->last = *link;
	name->last->defined = true;
	name->last->line = line;
	return name->last;
}

struct asm_label *
asm_label_find(const struct asm_labels *labels, const char *text)
{
	const struct asm_label_name *name =
		asm_table_find(&labels->names, text);

	if (!name)
		return NULL;
	return name->last ? name->last : name->first;
}

struct asm_label *
asm_label_find_from(const struct asm_labels *labels, const char *text,
		    bool forward)
{
	const struct asm_label_name *name =
		asm_table_find(&labels->names, text);

	if (!name)
		return NULL;
	if (!forward)
		return name->last;
	return name->last ? name->last->same : name->first;
}

void
asm_labels_rewind(struct asm_labels *labels)
{
	for (struct asm_label_name *name = labels->all; name;
	     name = name->next) {
		name->last = NULL;
		for (struct asm_label *label = name->first; label;
		     label = label->same)
			label->defined = false;
	}
}

const struct asm_label *
asm_labels_moved(const struct asm_labels *labels)
{
	const struct asm_label *first = NULL;

	for (const struct asm_label_name *name = labels->all; name;
	     name = name->next)
		for (const struct asm_label *label = name->first; label;
		     label = label->same)
			if ((!label->defined || label->again != label->addr) &&
			    (!first || label->addr < first->addr))
				first = label;
	return first;
}
