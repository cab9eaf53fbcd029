/* SPDX-License-Identifier: MIT */
/*
 * table: chained buckets, doubled when there is an entry for each.
 */
#include "config.h"

#include "qpu/asm/table.h"

#include <stdint.h>
#include <string.h>
#include <sys/random.h>

#include "qpu/asm/arena.h"

enum { FIRST_BUCKETS = 32 };

struct asm_entry {
	struct asm_entry *next;
	const char *name;
	uint32_t hash;
	void *value;
};

/* A polynomial over a prime field, at a place that nobody knows: so no source
 * can choose names that share a bucket. */
static uint32_t
hash_name(const struct asm_table *table, const char *name)
{
	const uint32_t prime = 0x7fffffff;
	uint64_t hash = 1;

	for (; *name; name++)
		hash = (hash * table->place + (unsigned char)*name) % prime;
	return (uint32_t)hash;
}

/* Without chance it is a place like any other. */
static void
choose_place(struct asm_table *table)
{
	uint32_t chance;

	if (getrandom(&chance, sizeof(chance), GRND_NONBLOCK) != sizeof(chance))
		chance = 0x01000193;
	table->place = (chance >> 2) + 256;
}

static struct asm_entry *
find_entry(const struct asm_table *table, const char *name, uint32_t hash)
{
	struct asm_entry *entry = NULL;

	if (table->nbuckets)
		entry = table->buckets[hash & (table->nbuckets - 1)];
	while (entry && (entry->hash != hash || strcmp(entry->name, name) != 0))
		entry = entry->next;
	return entry;
}

static void
link_entry(struct asm_table *table, struct asm_entry *entry)
{
	struct asm_entry **bucket =
		&table->buckets[entry->hash & (table->nbuckets - 1)];

	entry->next = *bucket;
	*bucket = entry;
}

static void
grow(struct asm_table *table, struct asm_arena *arena)
{
	struct asm_entry **const old = table->buckets;
	const size_t nold = table->nbuckets;

	table->nbuckets = nold ? 2 * nold : FIRST_BUCKETS;
	table->buckets = asm_arena_alloc(
		arena, table->nbuckets * sizeof(*table->buckets));
	for (size_t i = 0; i < nold; i++)
		for (struct asm_entry *entry = old[i]; entry;) {
			struct asm_entry *const next = entry->next;

			link_entry(table, entry);
			entry = next;
		}
}

void *
asm_table_find(const struct asm_table *table, const char *name)
{
	const struct asm_entry *entry =
		find_entry(table, name, hash_name(table, name));

	return entry ? entry->value : NULL;
}

void **
asm_table_slot(struct asm_table *table, struct asm_arena *arena,
	       const char *name)
{
	struct asm_entry *entry;
	uint32_t hash;

	if (!table->nbuckets)
		choose_place(table);
	hash = hash_name(table, name);
	entry = find_entry(table, name, hash);
	if (entry)
		return &entry->value;
	if (table->nentries >= table->nbuckets)
		grow(table, arena);
	entry = asm_arena_alloc(arena, sizeof(*entry));
	entry->name = name;
	entry->hash = hash;
	link_entry(table, entry);
	table->nentries++;
	return &entry->value;
}
