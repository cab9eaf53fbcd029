/* SPDX-License-Identifier: MIT */
/*
 * table: finds pointers by names, in the memory of an arena.
 *
 * It is a Patricia tree (Morrison, Journal of the ACM 15, 1968; Knuth, volume
 * 3, section 6.3): a search looks at no bit of a name twice, so that no choice
 * of names makes it slow.
 */
#ifndef QPU_ASM_TABLE_H
#define QPU_ASM_TABLE_H

struct asm_arena;

/* Without a root it is empty. */
struct asm_table {
	struct asm_arena *arena;
	struct asm_entry *root;
};

/* The value of a name, or null. */
void *
asm_table_find(const struct asm_table *table, const char *name);

/* The place of the value of a name; a new name has a null there.  The table
 * keeps the pointer to the name. */
void **
asm_table_slot(struct asm_table *table, const char *name);

#endif
