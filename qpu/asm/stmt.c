/* SPDX-License-Identifier: MIT */
/*
 * stmt: looks up mnemonics and conditions in the tables of isa.def.
 */
#include "config.h"

#include "qpu/asm/stmt.h"

#include <stdio.h>
#include <string.h>

#include "qpu/isa/isa.h"

static uint8_t
find_code(const struct qpu_op_row *rows, unsigned nrows, const char *name)
{
	for (unsigned code = 0; code < nrows; code++)
		if (rows[code].mnemonic &&
		    strcmp(rows[code].mnemonic, name) == 0)
			return code;
	return ASM_NO_CODE;
}

static bool
find_alu(struct asm_stmt *stmt, const char *name)
{
	stmt->code[ASM_UNIT_ADD] = find_code(qpu_add_ops, 32, name);
	stmt->code[ASM_UNIT_MUL] = find_code(qpu_mul_ops, 8, name);
	if (stmt->code[ASM_UNIT_ADD] != ASM_NO_CODE)
		stmt->noperands =
			qpu_add_ops[stmt->code[ASM_UNIT_ADD]].operands;
	else if (stmt->code[ASM_UNIT_MUL] != ASM_NO_CODE)
		stmt->noperands =
			qpu_mul_ops[stmt->code[ASM_UNIT_MUL]].operands;
	else
		return false;
	stmt->kind = ASM_STMT_ALU;
	return true;
}

static bool
find_signal(struct asm_stmt *stmt, const char *name)
{
	for (unsigned sig = 0; sig < 16; sig++)
		if (strcmp(qpu_sigs[sig].text, name) == 0) {
			stmt->kind = ASM_STMT_SIGNAL;
			stmt->sig = sig;
			return true;
		}
	return false;
}

/* The statements that are neither ALU operations nor signals. */
static const struct {
	const char *name;
	enum asm_stmt_kind kind;
	bool flag; /* relative or acquire */
} specials[] = {
	{ .name = "bra", .kind = ASM_STMT_BRANCH },
	{ .name = "brr", .kind = ASM_STMT_BRANCH, .flag = true },
	{ .name = "ldi", .kind = ASM_STMT_LDI },
	{ .name = "mov", .kind = ASM_STMT_MOV },
	{ .name = "nop", .kind = ASM_STMT_NOP },
	{ .name = "read", .kind = ASM_STMT_READ },
	{ .name = "sacq", .kind = ASM_STMT_SEMA, .flag = true },
	{ .name = "srel", .kind = ASM_STMT_SEMA },
};

enum { NSPECIALS = sizeof(specials) / sizeof(*specials) };

static bool
find_special(struct asm_stmt *stmt, const char *name)
{
	for (size_t i = 0; i < NSPECIALS; i++)
		if (strcmp(name, specials[i].name) == 0) {
			stmt->kind = specials[i].kind;
			stmt->relative = stmt->acquire = specials[i].flag;
			return true;
		}
	return false;
}

/* mv8adds, av8subs, mmov, anop: one of the ALUs on demand. */
static bool
find_pinned(struct asm_stmt *stmt, const char *name)
{
	const bool mul = name[0] == 'm';

	if (!mul && name[0] != 'a')
		return false;
	name++;
	stmt->code[ASM_UNIT_ADD] = stmt->code[ASM_UNIT_MUL] = 0;
	if (strcmp(name, "v8adds") == 0 || strcmp(name, "v8subs") == 0)
		find_alu(stmt, name);
	else if (strcmp(name, "mov") == 0)
		stmt->kind = ASM_STMT_MOV;
	else if (strcmp(name, "nop") == 0)
		stmt->kind = ASM_STMT_NOP;
	else
		return false;
	stmt->code[mul ? ASM_UNIT_ADD : ASM_UNIT_MUL] = ASM_NO_CODE;
	return true;
}

bool
asm_stmt_find(struct asm_stmt *stmt, const char *name)
{
	if (strcmp(name, "v8mul") == 0)
		name = "v8muld";
	if (find_special(stmt, name) || find_signal(stmt, name))
		return true;
	return find_alu(stmt, name) || find_pinned(stmt, name);
}

/* Other spellings of a name. */
struct alias {
	const char *alias;
	const char *name;
};

/* The row of a table that has this name; aliases end with a null. */
static bool
find_name(const char *const *names, unsigned n, const struct alias *aliases,
	  const char *text, uint8_t *row)
{
	for (; aliases->alias; aliases++)
		if (strcmp(text, aliases->alias) == 0)
			text = aliases->name;
	for (unsigned i = 0; i < n; i++)
		if (names[i] && strcmp(text, names[i]) == 0) {
			*row = i;
			return true;
		}
	return false;
}

bool
asm_stmt_cond(const char *text, uint8_t *cond)
{
	static const struct alias aliases[] = {
		{ "ifzs", "ifz" }, { "ifzc", "ifnz" }, { "ifns", "ifn" },
		{ "ifcs", "ifc" }, { "ifnc", "ifcc" }, { NULL, NULL },
	};

	return find_name(qpu_cond_names, 8, aliases, text, cond);
}

/* On a destination the condition may be written without "if". */
bool
asm_stmt_dest_cond(const char *text, uint8_t *cond)
{
	char suffix[8];

	snprintf(suffix, sizeof(suffix), "if%s", text);
	return asm_stmt_cond(suffix, cond) || asm_stmt_cond(text, cond);
}

bool
asm_stmt_branch_cond(const char *text, uint8_t *cond)
{
	static const struct alias aliases[] = {
		{ "allcs", "allc" },  { "allcc", "allnc" }, { "anycs", "anyc" },
		{ "anycc", "anync" }, { NULL, NULL },
	};

	return find_name(qpu_br_names, 16, aliases, text, cond);
}
