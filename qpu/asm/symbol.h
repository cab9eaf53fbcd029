/* SPDX-License-Identifier: MIT */
/*
 * symbol: tables of a source's names: constants, functions, macros and labels.
 *
 * Constants and functions live in scopes.  Each call of a macro or function,
 * repetition, include and .local opens one.  Scopes nest as calls do, so macros
 * and functions see the names of their callers.
 */
#ifndef QPU_ASM_SYMBOL_H
#define QPU_ASM_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>

#include "qpu/asm/value.h"

struct asm_arena;
struct asm_line;
struct asm_token;

/* A map from names to pointers, a tree by their hashes; empty without a root. */
struct asm_table {
	struct asm_arena *arena;
	struct asm_entry *root;
};

/* Return the pointer of a name, or null. */
void *
asm_table_find(const struct asm_table *table, const char *name);

/* Return the place of a name's pointer, which never moves.  A new name gets a
 * null there.  The table keeps a reference to the name. */
void **
asm_table_slot(struct asm_table *table, const char *name);

/* Lines of a source that are stored, to run later. */
struct asm_block {
	struct asm_line *lines;
	size_t nlines;
};

/* A macro, or a function of one line or of several. */
struct asm_procedure {
	const char *name;
	const char **params;
	size_t nparams;
	const struct asm_token *body; /* expression of a function of one line */
	const struct asm_line *line;  /* of this expression */
	struct asm_block block;	      /* otherwise its lines */
};

struct asm_symbol {
	struct asm_symbol *hidden; /* next symbol of this name further out */
	struct asm_symbol *next;   /* in its scope */
	struct asm_scope *scope;   /* null once it has been removed */
	void **slot;		   /* of its name in the table */
	const char *name;
	bool constant;
	struct asm_value value;
	const struct asm_procedure *function; /* null if it has a value */
};

struct asm_scope {
	struct asm_scope *parent;
	struct asm_symbol *symbols;
	unsigned depth; /* 0 for the globals */
};

struct asm_symbols {
	struct asm_table names; /* the innermost symbol of each name */
	struct asm_scope globals;
	struct asm_scope *scope; /* the innermost, &globals at first */
};

/* Enter and leave a scope, which belongs to the caller. */
void
asm_scope_enter(struct asm_symbols *symbols, struct asm_scope *scope);
void
asm_scope_leave(struct asm_symbols *symbols);

/* Return the innermost symbol of this name, or null. */
struct asm_symbol *
asm_symbol_find(const struct asm_symbols *symbols, const char *name);

/* Return a scope's symbol of this name, a new one if there is none.  The scope
 * must be the innermost one or the globals. */
struct asm_symbol *
asm_symbol_add(struct asm_symbols *symbols, struct asm_scope *scope,
	       const char *name);

/* Put a symbol into the innermost scope, which must have none of this name.
 * The symbol belongs to the caller. */
void
asm_symbol_bind(struct asm_symbols *symbols, struct asm_symbol *symbol);

/* Remove the innermost symbol of this name; with `here`, only if it is in the
 * innermost scope.  Return false if there is none. */
bool
asm_symbol_remove(struct asm_symbols *symbols, const char *name, bool here);

/*
 * Labels.  The first pass collects them, so that the second finds those that
 * come later.  Labels whose names begin with a digit may be defined any number
 * of times.
 */
struct asm_label {
	struct asm_label *same; /* the next one of this name */
	const char *name;
	int64_t addr;  /* in the first pass */
	int64_t again; /* in the second pass */
	bool bound;    /* has an address, from any pass */
	bool defined;  /* seen in this pass */
	bool is_entry; /* written ::name, or .global */
	const struct asm_line *line;
};

struct asm_labels {
	struct asm_table names; /* struct asm_label_name */
	struct asm_label_name *all;
};

/*
 * Define a label in this pass; asm_output_bind() sets its address later.
 * Return null if it is defined already and its name does not begin with a
 * digit.
 */
struct asm_label *
asm_label_define(struct asm_labels *labels, const char *name,
		 const struct asm_line *line);

/* Return the nearest label of this name before ('b') or after ('f') this point
 * of the source; for 0 the last one so far, or else the next one.  Return null
 * if there is none. */
struct asm_label *
asm_label_find(const struct asm_labels *labels, const char *name,
	       char direction);

/* Begin the second pass. */
void
asm_labels_rewind(struct asm_labels *labels);

/* Return the first label that the second pass has moved, or null.  Call after
 * it. */
const struct asm_label *
asm_labels_moved(const struct asm_labels *labels);

#endif
