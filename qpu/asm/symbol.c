/* SPDX-License-Identifier: MIT */
/*
 * symbol: scopes and labels.
 *
 * Symbols of one name form a stack, whose top is in the table.  A scope that
 * ends takes its symbols off.
 *
 * Both passes define the labels of a name in the same order, so the second pass
 * walks along the list of the first; what comes after the last one that it
 * defined is still to be defined.
 */
#include "config.h"

#include "qpu/asm/symbol.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "qpu/asm/arena.h"

struct asm_entry {
	struct asm_entry *child[4]; /* by the next two bits of the hash */
	const char *name;
	void *value;
};

/* Return the place of a name's entry, which is null for a new name: at each level
 * two bits of its hash (FNV-1a) lead on. */
static struct asm_entry **
find_entry(struct asm_entry **place, const char *name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (const char *at = name; *at; at++)
		hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
	for (; *place && strcmp((*place)->name, name) != 0; hash >>= 2)
		place = &(*place)->child[hash & 3];
	return place;
}

void *
asm_table_find(const struct asm_table *table, const char *name)
{
	struct asm_entry *root = table->root;
	const struct asm_entry *entry = *find_entry(&root, name);

	return entry ? entry->value : NULL;
}

void **
asm_table_slot(struct asm_table *table, const char *name)
{
	struct asm_entry **place = find_entry(&table->root, name);

	if (!*place) {
		*place = asm_arena_alloc(table->arena, sizeof(**place));
		(*place)->name = name;
	}
	return &(*place)->value;
}

struct asm_label_name {
	struct asm_label_name *next; /* of all names */
	struct asm_label *first;
	struct asm_label *last; /* defined in this pass, or null */
};

void
asm_scope_enter(struct asm_symbols *symbols, struct asm_scope *scope)
{
	scope->parent = symbols->scope;
	scope->depth = scope->parent->depth + 1;
	symbols->scope = scope;
}

void
asm_scope_leave(struct asm_symbols *symbols)
{
	struct asm_scope *scope = symbols->scope;

	for (struct asm_symbol *symbol = scope->symbols; symbol;
	     symbol = symbol->next)
		if (symbol->scope)
			*symbol->slot = symbol->hidden;
	symbols->scope = scope->parent;
}

struct asm_symbol *
asm_symbol_find(const struct asm_symbols *symbols, const char *name)
{
	return asm_table_find(&symbols->names, name);
}

/* Put a symbol into a scope, above the hidden symbol and below the rest. */
static void
push(struct asm_symbol *symbol, struct asm_scope *scope, void **slot)
{
	struct asm_symbol *above = *slot;

	symbol->scope = scope;
	symbol->slot = slot;
	symbol->next = scope->symbols;
	scope->symbols = symbol;
	if (!above || above->scope->depth < scope->depth) {
		symbol->hidden = above;
		*slot = symbol;
		return;
	}
	while (above->hidden)
		above = above->hidden;
	above->hidden = symbol;
}

struct asm_symbol *
asm_symbol_add(struct asm_symbols *symbols, struct asm_scope *scope,
	       const char *name)
{
	void **slot = asm_table_slot(&symbols->names, name);
	struct asm_symbol *symbol = *slot;

	while (symbol && symbol->scope != scope)
		symbol = symbol->hidden;
	if (symbol)
		return symbol;
	symbol = asm_arena_alloc(symbols->names.arena, sizeof(*symbol));
	symbol->name = name;
	push(symbol, scope, slot);
	return symbol;
}

void
asm_symbol_bind(struct asm_symbols *symbols, struct asm_symbol *symbol)
{
	push(symbol, symbols->scope,
	     asm_table_slot(&symbols->names, symbol->name));
}

bool
asm_symbol_remove(struct asm_symbols *symbols, const char *name, bool here)
{
	struct asm_symbol *symbol = asm_symbol_find(symbols, name);

	if (!symbol || (here && symbol->scope != symbols->scope))
		return false;
	*symbol->slot = symbol->hidden;
	symbol->scope = NULL;
	return true;
}

static struct asm_label_name *
take_name(struct asm_labels *labels, const char *text)
{
	void **slot = asm_table_slot(&labels->names, text);
	struct asm_label_name *name = *slot;

	if (name)
		return name;
	name = *slot = asm_arena_alloc(labels->names.arena, sizeof(*name));
	name->next = labels->all;
	labels->all = name;
	return name;
}

struct asm_label *
asm_label_define(struct asm_labels *labels, const char *text,
		 const struct asm_line *line)
{
	struct asm_label_name *name = take_name(labels, text);
	struct asm_label **link = name->last ? &name->last->same : &name->first;

	if (name->last && !isdigit((unsigned char)*text))
		return NULL;
	if (!*link) {
		*link = asm_arena_alloc(labels->names.arena, sizeof(**link));
		(*link)->name = text;
	}
	name->last = *link;
	name->last->defined = true;
	name->last->line = line;
	return name->last;
}

struct asm_label *
asm_label_find(const struct asm_labels *labels, const char *text,
	       char direction)
{
	const struct asm_label_name *name =
		asm_table_find(&labels->names, text);

	if (!name)
		return NULL;
	if (direction == 'f')
		return name->last ? name->last->same : name->first;
	return name->last || direction ? name->last : name->first;
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
