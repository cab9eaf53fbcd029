/* SPDX-License-Identifier: MIT */
/*
 * Promise: names are found in the innermost scope that has them, and labels
 * where they are defined, in both passes.
 */
#include "config.h"

#include "qpu/asm/symbol.h"

#include <stdlib.h>

#include "qpu/asm/arena.h"
#include "qpu/asm/source.h"
#include "tests/support/tap.h"

/* Fewer than have a table, and more. */
enum { FEW = 5, MANY = 40 };

static char names[MANY][8];

static unsigned
count_found(const struct asm_scope *scope, unsigned n)
{
	unsigned nfound = 0;

	for (unsigned i = 0; i < n; i++) {
		const struct asm_symbol *symbol =
			asm_scope_find(scope, names[i]);

		nfound += symbol && strcmp(symbol->name, names[i]) == 0;
	}
	return nfound;
}

/* Whichever name is taken out, the others stay, and it can come back. */
static void
check_removal(struct asm_arena *arena, unsigned n)
{
	bool others_stay = true, gone = true, back = true;

	for (unsigned i = 0; i < n; i++)
		for (unsigned j = 0; j < n; j++) {
			struct asm_scope scope = { .parent = NULL };

			for (unsigned k = 0; k < n; k++)
				asm_scope_add(&scope, arena, names[k]);
			gone &= asm_scope_remove(&scope, arena, names[i]) &&
				!asm_scope_find(&scope, names[i]) &&
				!asm_scope_remove(&scope, arena, names[i]);
			others_stay &= count_found(&scope, n) == n - 1;
			gone &= asm_scope_remove_here(&scope, arena,
						      names[j]) == (i != j);
			others_stay &= count_found(&scope, n) ==
				       (i == j ? n - 1 : n - 2);
			asm_scope_add(&scope, arena, names[i]);
			back &= count_found(&scope, n) == (i == j ? n : n - 1);
		}
	ok(gone, "any of %u names can be taken out, once", n);
	ok(others_stay, "the others stay");
	ok(back, "and it can be added again");
}

static void
check_scopes(struct asm_arena *arena, unsigned n)
{
	struct asm_scope outer = { .parent = NULL };
	struct asm_scope inner = { .parent = &outer };

	for (unsigned i = 0; i < n; i++)
		asm_scope_add(&outer, arena, names[i])->value.i = i;
	struct asm_symbol *symbol = asm_scope_add(&inner, arena, names[1]);
	struct asm_symbol *same = asm_scope_add(&outer, arena, names[2]);

	ok(same->value.i == 2 && asm_scope_find(&outer, names[2]) == same,
	   "a name of %u that is added twice stays as it is", n);
	ok(asm_scope_find(&inner, names[1]) == symbol,
	   "the symbol of the inner scope is found first");
	ok(asm_scope_find(&inner, names[2]) == same,
	   "one that the inner scope lacks is found in the outer one");
	ok(asm_scope_find(&outer, names[1]) != symbol,
	   "the outer scope does not see the inner one");
	ok(!asm_scope_find(&inner, "none"), "an unknown name is not found");

	ok(!asm_scope_remove_here(&inner, arena, names[2]) &&
		   asm_scope_find(&inner, names[2]) == same,
	   "what is not in this scope is not taken out of it");
	ok(asm_scope_remove(&inner, arena, names[1]) &&
		   asm_scope_find(&inner, names[1]) &&
		   asm_scope_find(&inner, names[1]) != symbol,
	   "the innermost symbol is taken out first");
	ok(asm_scope_remove(&inner, arena, names[1]) &&
		   !asm_scope_find(&inner, names[1]),
	   "then that of the outer scope");
	ok(!asm_scope_remove(&inner, arena, names[1]),
	   "then there is none left");
}

/* Both passes define the labels in the same order. */
static void
check_names(struct asm_labels *labels, struct asm_arena *arena,
	    const struct asm_line *line)
{
	struct asm_label *a = asm_label_define(labels, arena, "a", line);

	ok(a && a->defined && a->line == line && strcmp(a->name, "a") == 0,
	   "a label has a name and a line");
	ok(!asm_label_define(labels, arena, "a", line),
	   "a name cannot be defined twice");
	ok(asm_label_find(labels, "a") == a, "it is found");
	ok(!asm_label_find(labels, "b") &&
		   !asm_label_find_from(labels, "b", true) &&
		   !asm_label_find_from(labels, "b", false),
	   "one that is defined nowhere is not found");

	asm_labels_rewind(labels);
	ok(!a->defined && asm_label_find(labels, "a") == a,
	   "the second pass finds it before it is defined again");
	ok(asm_label_define(labels, arena, "a", line) == a && a->defined,
	   "the second pass defines the same label");
	ok(!asm_label_define(labels, arena, "a", line),
	   "once, like the first pass");
}

static void
check_numbers(struct asm_labels *labels, struct asm_arena *arena,
	      const struct asm_line lines[2])
{
	struct asm_label *first = asm_label_define(labels, arena, "1", lines);
	ok(!asm_label_find_from(labels, "1", true),
	   "a number has nothing ahead in the first pass");
	struct asm_label *second =
		asm_label_define(labels, arena, "1", lines + 1);

	ok(first && second && first != second && second->line == lines + 1,
	   "a number can be defined again");
	ok(asm_label_find(labels, "1") == second &&
		   asm_label_find_from(labels, "1", false) == second,
	   "the last one is the one before");

	asm_labels_rewind(labels);
	ok(!first->defined && !second->defined, "both are to come again");
	ok(asm_label_find(labels, "1") == first &&
		   asm_label_find_from(labels, "1", true) == first &&
		   !asm_label_find_from(labels, "1", false),
	   "at the beginning of the second pass the first is the one ahead");
	ok(asm_label_define(labels, arena, "1", lines + 1) == first &&
		   first->line == lines + 1,
	   "it is defined again, at the line that the second pass has");
	ok(asm_label_find(labels, "1") == first &&
		   asm_label_find_from(labels, "1", true) == second &&
		   asm_label_find_from(labels, "1", false) == first,
	   "between the two each is found in its direction");
	ok(asm_label_define(labels, arena, "1", lines) == second,
	   "the second one follows");
	ok(!asm_label_find_from(labels, "1", true) &&
		   asm_label_find_from(labels, "1", false) == second,
	   "and nothing is ahead any more");
}

static void
check_moved(struct asm_arena *arena, const struct asm_line *line)
{
	struct asm_labels labels = { .all = NULL };
	struct asm_label *at[4];
	static const char *const text[4] = { "a", "1", "1", "b" };

	for (unsigned i = 0; i < 4; i++) {
		at[i] = asm_label_define(&labels, arena, text[i], line);
		at[i]->addr = at[i]->again = 8 * i + 8;
	}
	ok(!asm_labels_moved(&labels), "labels that stay have not moved");
	for (unsigned i = 0; i < 4; i++) {
		at[i]->again += 8;
		ok(asm_labels_moved(&labels) == at[i],
		   "label %u of 4 at another address has moved", i);
		at[i]->again -= 8;
		at[i]->defined = false;
		ok(asm_labels_moved(&labels) == at[i],
		   "or when the second pass does not define it");
		at[i]->defined = true;
	}
	at[1]->again = at[2]->again = at[3]->again = 0;
	ok(asm_labels_moved(&labels) == at[1],
	   "of several that of the lowest address is told");
	at[1]->addr = 40;
	ok(asm_labels_moved(&labels) == at[2], "whatever their order");
	asm_labels_rewind(&labels);
	at[0]->again = 0;
	ok(asm_labels_moved(&labels) == at[0], "after all have to come again");
}

int
main(void)
{
	static const struct asm_line lines[2] = { { .number = 1 },
						  { .number = 2 } };
	struct asm_arena arena = { .used = 0 };
	struct asm_labels labels = { .all = NULL };

	for (unsigned i = 0; i < MANY; i++)
		snprintf(names[i], sizeof(names[i]), "n%u", i);
	if (setjmp(arena.exhausted))
		return 1;
	check_removal(&arena, FEW);
	check_removal(&arena, MANY);
	check_scopes(&arena, FEW);
	check_scopes(&arena, MANY);
	check_names(&labels, &arena, lines);
	check_numbers(&labels, &arena, lines);
	check_moved(&arena, lines);
	asm_arena_free(&arena);
	return tap_done();
}
