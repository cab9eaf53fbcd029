/* SPDX-License-Identifier: MIT */
/*
 * table: a hash table from names to pointers, in the memory of an arena.
 */
#ifndef QPU_ASM_TABLE_H
#define QPU_ASM_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct asm_arena;

/* Zero is an empty table. */
struct asm_table {
	struct asm_entry **buckets;
	size_t nbuckets; /* a power of two */
	size_t nentries;
	uint32_t place; /* of the hash function, by chance */
};

/* The value of a name, or null. */
void *
asm_table_find(const struct asm_table *table, const char *name);

/* Where the value of a name is; null is there when the name is new. */
void **
asm_table_slot(struct asm_table *table, struct asm_arena *arena,
	       const char *name);

#endif
