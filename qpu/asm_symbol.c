/* SPDX-License-Identifier: MIT */
/*
 * asm_symbol: scopes and labels as linked lists.
 *
 * Both passes define the same labels in the same order, so the second pass
 * walks along the list of the first; what lies behind its cursor has been
 * defined, what lies ahead will be.
 */
#include "config.h"
#include "qpu/asm_symbol.h"

#include <string.h>

#include "qpu/asm_arena.h"

struct asm_symbol *
asm_scope_find(const struct asm_scope *scope, const char *name)
{
	for (; scope; scope = scope->parent)
		for (struct asm_symbol *symbol = scope->symbols; symbol;
		     symbol = symbol->next)
			if (strcmp(symbol->name, name) == 0)
				return symbol;
	return NULL;
}

struct asm_symbol *
asm_scope_add(struct asm_scope *scope, struct asm_arena *arena,
	      const char *name)
{
	const struct asm_scope alone = { .symbols = scope->symbols };
	struct asm_symbol *symbol = asm_scope_find(&alone, name);

	if (symbol)
		return symbol;
	symbol = asm_arena_alloc(arena, sizeof(*symbol));
	symbol->name = name;
	symbol->next = scope->symbols;
	scope->symbols = symbol;
	return symbol;
}

bool
asm_scope_remove(struct asm_scope *scope, const char *name)
{
	for (; scope; scope = scope->parent)
		for (struct asm_symbol **link = &scope->symbols; *link;
		     link = &(*link)->next)
			if (strcmp((*link)->name, name) == 0) {
				*link = (*link)->next;
				return true;
			}
	return false;
}

static bool
label_is(const struct asm_label *label, const char *name, unsigned number)
{
	if (!label->name || !name)
		return label->name == name && label->number == number;
	return strcmp(label->name, name) == 0;
}

struct asm_label *
asm_label_define(struct asm_labels *labels, struct asm_arena *arena,
		 const char *name, unsigned number,
		 const struct asm_line *line)
{
	struct asm_label *label = labels->cursor;

	if (name) {
		struct asm_label *old = asm_label_find(labels, name);

		if (old && old->defined)
			return NULL;
	}
	/* A source that fails need not define the same labels twice. */
	while (label && !label_is(label, name, number))
		label = label->next;
	if (label) {
		labels->cursor = label->next;
	} else {
		label = asm_arena_alloc(arena, sizeof(*label));
		label->name = name;
		label->number = number;
		if (!labels->end)
			labels->end = &labels->first;
		*labels->end = label;
		labels->end = &label->next;
	}
	label->defined = true;
	label->line = line;
	return label;
}

struct asm_label *
asm_label_find(const struct asm_labels *labels, const char *name)
{
	for (struct asm_label *label = labels->first; label;
	     label = label->next)
		if (label->name && strcmp(label->name, name) == 0)
			return label;
	return NULL;
}

struct asm_label *
asm_label_find_numeric(const struct asm_labels *labels, unsigned number,
		       bool forward)
{
	struct asm_label *found = NULL;

	for (struct asm_label *label = labels->first; label;
	     label = label->next) {
		if (label->name || label->number != number)
			continue;
		if (!label->defined)
			return forward ? label : found;
		found = label;
	}
	return forward ? NULL : found;
}

void
asm_labels_rewind(struct asm_labels *labels)
{
	for (struct asm_label *label = labels->first; label;
	     label = label->next)
		label->defined = false;
	labels->cursor = labels->first;
}
