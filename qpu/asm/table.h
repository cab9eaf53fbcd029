/* SPDX-License-Identifier: MIT */
/*
 * table: finds pointers by names, in the memory of an arena.
 */
#ifndef QPU_ASM_TABLE_H
#define QPU_ASM_TABLE_H

#include <stddef.h>

struct asm_arena;

/* Without buckets it is empty. */
struct asm_table {
	struct asm_arena *arena;
	struct asm_entry **buckets;
	size_t nbuckets, n;
};

/* The value of a name, or null. */
void *
asm_table_find(const struct asm_table *table, const char *name);

/* The place of the value of a name, which stays; a new name has a null there.
 * The table keeps the pointer to the name. */
void **
asm_table_slot(struct asm_table *table, const char *name);

#endif
