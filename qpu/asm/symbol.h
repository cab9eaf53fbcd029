/* SPDX-License-Identifier: MIT */
/*
 * symbol: the names of a source: constants, functions, macros, labels.
 *
 * Constants live in scopes that nest as calls do (macro, function, include,
 * .local); functions and macros see the names of their callers.
 */
#ifndef QPU_ASM_SYMBOL_H
#define QPU_ASM_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>

#include "qpu/asm/value.h"

struct asm_arena;
struct asm_line;
struct asm_token;

/* A tree that finds pointers by names (tsearch(3)); without a root it is empty. */
struct asm_table {
	struct asm_arena *arena;
	void *root;
};

/* The value of a name, or null. */
void *
asm_table_find(const struct asm_table *table, const char *name);

/* The place of the value of a name, which stays; a new name has a null there.
 * The table keeps the pointer to the name. */
void **
asm_table_slot(struct asm_table *table, const char *name);

void
asm_table_free(struct asm_table *table);

/* Lines of a source that wait for being run. */
struct asm_block {
	struct asm_line *lines;
	size_t nlines;
};

/* A macro, or a function of one line or of several. */
struct asm_procedure {
	const char *name;
	const char **params;
	size_t nparams;
	const struct asm_token *body; /* one line: its expression */
	const struct asm_line *line;  /* and where it stands */
	struct asm_block block;	      /* several lines */
};

struct asm_symbol {
	struct asm_symbol *hidden; /* of the same name, in a scope further out */
	struct asm_symbol *next;   /* in its scope */
	struct asm_scope *scope;   /* null once it has been removed */
	void **slot;		   /* of its name in the table */
	const char *name;
	bool constant;
	struct asm_value value;
	const struct asm_procedure *function; /* or null: value holds */
};

struct asm_scope {
	struct asm_scope *parent;
	struct asm_symbol *symbols;
	unsigned depth; /* 0 for the globals */
};

/* The table has the innermost symbol of each name.  scope points to globals
 * at first. */
struct asm_symbols {
	struct asm_table names;
	struct asm_scope globals;
	struct asm_scope *scope; /* the innermost */
};

/* A scope begins and ends; the caller has it. */
void
asm_scope_enter(struct asm_symbols *symbols, struct asm_scope *scope);
void
asm_scope_leave(struct asm_symbols *symbols);

/* The innermost symbol of this name, or null. */
struct asm_symbol *
asm_symbol_find(const struct asm_symbols *symbols, const char *name);

/* The symbol of a scope, made if need be; scope is the innermost one or the
 * globals'. */
struct asm_symbol *
asm_symbol_add(struct asm_symbols *symbols, struct asm_scope *scope,
	       const char *name);

/* Put a symbol that the caller has into the innermost scope, which has none of
 * this name. */
void
asm_symbol_bind(struct asm_symbols *symbols, struct asm_symbol *symbol);

/* Remove the innermost symbol of this name, or (here) the innermost scope's;
 * false when there is none. */
bool
asm_symbol_remove(struct asm_symbols *symbols, const char *name, bool here);

/*
 * Labels.  The first pass collects them, the second finds them all.  Those
 * that begin with a digit may be defined again and again.
 */
struct asm_label {
	struct asm_label *same; /* the next one of this name */
	const char *name;
	int64_t addr;  /* of the first pass */
	int64_t again; /* of the second one */
	bool bound;    /* has got its address, in any pass */
	bool defined;  /* seen in this pass */
	bool is_entry; /* written ::name, or .global */
	const struct asm_line *line;
};

struct asm_labels {
	struct asm_table names; /* struct asm_label_name */
	struct asm_label_name *all;
};

/*
 * The definition of a label in this pass; the address follows.  Null when
 * there is one already that cannot be defined again.
 */
struct asm_label *
asm_label_define(struct asm_labels *labels, const char *name,
		 const struct asm_line *line);

/* Return the nearest label before ('b') or after ('f') this point of the
 * source; for 0 the last one so far, else the next one. */
struct asm_label *
asm_label_find(const struct asm_labels *labels, const char *name,
	       char direction);

/* Begin the second pass. */
void
asm_labels_rewind(struct asm_labels *labels);

/* After the second pass: the first label that it has moved, or null. */
const struct asm_label *
asm_labels_moved(const struct asm_labels *labels);

#endif
