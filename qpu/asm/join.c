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
	const struct asm_output *output = &as->output;

	return as->join.open && asm_token_is(as->at, ';') &&
	       !output->npending && as->join.end == asm_output_addr(output);
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

	/* A function among the operands may have placed words. */
	const bool behind = join->open &&
			    join->end == asm_output_addr(&as->output);

	memcpy(both, join->stmts, join->nstmts * sizeof(*both));
	memcpy(&both[join->nstmts], stmts, nstmts * sizeof(*both));
	if (!as->final) {
		as->joined = asm_arena_grow(&as->arena, as->joined, decision,
					    sizeof(*as->joined));
		as->joined[decision] = false;
		if (needs_later_label(both, join->nstmts + nstmts))
			return false;
	} else if (!as->joined[decision]) {
		return false;
	}
	if (!behind ||
	    !asm_encode(as, both, join->nstmts + nstmts, !as->final, word))
		return false;
	as->joined[decision] = true;
	return true;
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
