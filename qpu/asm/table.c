/* SPDX-License-Identifier: MIT */
/*
 * table: a hash table with chains.
 */
#include "config.h"

#include "qpu/asm/table.h"

#include <stdint.h>
#include <string.h>

#include "qpu/asm/arena.h"

struct asm_entry {
	struct asm_entry *next; /* in its bucket */
	const char *name;
	void *value;
};

/* FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/ */
static struct asm_entry **
bucket_of(const struct asm_table *table, const char *name)
{
	uint32_t hash = 2166136261;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619;
	return &table->buckets[hash % table->nbuckets];
}

static struct asm_entry *
find_entry(const struct asm_table *table, const char *name)
{
	struct asm_entry *entry = table->n ? *bucket_of(table, name) : NULL;

	while (entry && strcmp(entry->name, name) != 0)
		entry = entry->next;
	return entry;
}

void *
asm_table_find(const struct asm_table *table, const char *name)
{
	const struct asm_entry *entry = find_entry(table, name);

	return entry ? entry->value : NULL;
}

static void
add_entry(struct asm_table *table, struct asm_entry *entry)
{
	struct asm_entry **bucket = bucket_of(table, entry->name);

	entry->next = *bucket;
	*bucket = entry;
}

static void
grow(struct asm_table *table)
{
	const struct asm_table old = *table;

	table->nbuckets = 2 * old.nbuckets + 61;
	table->buckets = asm_arena_alloc(
		table->arena, table->nbuckets * sizeof(*table->buckets));
	for (size_t i = 0; i < old.nbuckets; i++)
		for (struct asm_entry *entry = old.buckets[i], *next; entry;
		     entry = next) {
			next = entry->next;
			add_entry(table, entry);
		}
}

void **
asm_table_slot(struct asm_table *table, const char *name)
{
	struct asm_entry *entry = find_entry(table, name);

	if (entry)
		return &entry->value;
	if (table->n++ >= table->nbuckets)
		grow(table);
	entry = asm_arena_alloc(table->arena, sizeof(*entry));
	entry->name = name;
	add_entry(table, entry);
	return &entry->value;
}
