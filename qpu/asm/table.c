/* SPDX-License-Identifier: MIT */
/*
 * table: a Patricia tree.
 *
 * Each entry is a leaf and a branch.  As a branch it tests one bit of the name
 * that is looked for; on the way down these bits come later and later in the
 * name.  A child whose bit is not later is reached as a leaf, and ends the
 * search.  The first entry tests bit 0, which no name has set.
 */
#include "config.h"

#include "qpu/asm/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "qpu/asm/arena.h"

struct asm_entry {
	const char *name;
	void *value;
	size_t bit; /* 1 is the highest bit of the first character */
	struct asm_entry *child[2];
};

static bool
bit_of(const char *name, size_t len, size_t bit)
{
	return bit && (bit - 1) / 8 < len &&
	       name[(bit - 1) / 8] >> (7 - (bit - 1) % 8) & 1;
}

/* The first bit in which two different names differ. */
static size_t
first_difference(const char *a, const char *b)
{
	size_t i = 0, bit = 0;

	while (a[i] == b[i])
		i++;
	while (!((a[i] ^ b[i]) >> (7 - bit) & 1))
		bit++;
	return 8 * i + bit + 1;
}

/* The slot at which the search for a name ends; the table is not empty. */
static struct asm_entry *
nearest(const struct asm_table *table, const char *name, size_t len)
{
	struct asm_entry *from, *at = table->root;

	do {
		from = at;
		at = at->child[bit_of(name, len, at->bit)];
	} while (at->bit > from->bit);
	return at;
}

void *
asm_table_find(const struct asm_table *table, const char *name)
{
	const struct asm_entry *entry;

	if (!table->root)
		return NULL;
	entry = nearest(table, name, strlen(name));
	return strcmp(entry->name, name) == 0 ? entry->value : NULL;
}

/* Put an entry where its bit comes between those above and below. */
static void
insert(struct asm_table *table, struct asm_entry *entry)
{
	const size_t len = strlen(entry->name);
	const bool side = bit_of(entry->name, len, entry->bit);
	struct asm_entry *from = table->root, *at = from->child[0];

	while (at->bit > from->bit && at->bit < entry->bit) {
		from = at;
		at = at->child[bit_of(entry->name, len, at->bit)];
	}
	entry->child[side] = entry;
	entry->child[!side] = at;
	from->child[bit_of(entry->name, len, from->bit)] = entry;
}

void **
asm_table_slot(struct asm_table *table, const char *name)
{
	struct asm_entry *near = NULL;

	if (table->root) {
		near = nearest(table, name, strlen(name));
		if (strcmp(near->name, name) == 0)
			return &near->value;
	}

	struct asm_entry *entry = asm_arena_alloc(table->arena, sizeof(*entry));
	entry->name = name;
	if (near) {
		entry->bit = first_difference(near->name, name);
		insert(table, entry);
	} else {
		table->root = entry->child[0] = entry->child[1] = entry;
	}
	return &entry->value;
}
