/* SPDX-License-Identifier: MIT */
/*
 * join: encodes the statements of two lines together.
 *
 * What a label stands for can differ between the passes, and so can what fits
 * into one word: the second pass repeats the decisions of the first.
 */
#include "config.h"

#include "qpu/asm/join.h"

#include <string.h>

#include "qpu/asm/assembly.h"
#include "qpu/asm/encode.h"

bool
asm_join_begins(const struct assembly *as)
{
	return as->join.open && asm_token_is(as->at, ';') &&
	       !as->output.npending;
}

static bool
needs_later_label(const struct asm_stmt *stmts, size_t nstmts)
{
	for (size_t i = 0; i < nstmts; i++)
		for (size_t j = 0; j < stmts[i].nsources; j++)
			if (stmts[i].sources[j].value.unknown)
				return true;
	return false;
}

bool
asm_join_encode(struct assembly *as, const struct asm_stmt *stmts,
		size_t nstmts, struct asm_word *word)
{
	struct asm_stmt both[2 * ASM_STMTS_MAX];
	struct asm_join *join = &as->join;
	const size_t decision = as->njoins++;

	memcpy(both, join->stmts, join->nstmts * sizeof(*both));
	memcpy(&both[join->nstmts], stmts, nstmts * sizeof(*both));
	if (!as->final) {
		as->joined = asm_arena_grow(&as->arena, as->joined, decision,
					    sizeof(*as->joined));
		if (needs_later_label(both, join->nstmts + nstmts))
			return false;
	} else if (!as->joined[decision]) {
		return false;
	}
	/* Data may be between them, also from a function among the operands. */
	as->joined[decision] =
		join->end == asm_output_addr(&as->output) &&
		asm_encode(as, both, join->nstmts + nstmts, true, word);
	return as->joined[decision];
}

void
asm_join_end(struct assembly *as, const struct asm_stmt *stmts, size_t nstmts,
	     bool open)
{
	struct asm_join *join = &as->join;

	join->open = open;
	join->end = asm_output_addr(&as->output);
	join->nstmts = nstmts;
	memcpy(join->stmts, stmts, nstmts * sizeof(*stmts));
}
