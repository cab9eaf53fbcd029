/* SPDX-License-Identifier: MIT */
/*
 * live: which registers are wanted after each block, and how far what it began has
 * come at its end.
 *
 * A result is not there for the next instructions.  Where a block ends before that,
 * the next one has to wait, and here is noted for how long, by resource.  An
 * operation of an optimised block ends no later than in the source, or in time; one
 * that any block may ask to wait begins no sooner than in the source, or late enough.
 */
#include "config.h"

#include "qpu/opt/flow.h"

static const struct res_set all = { { UINT64_MAX, UINT64_MAX } };

unsigned
live_reach(const struct flow *flow, unsigned resource)
{
	const struct res_row *row = &res_rows[resource];

	if ((resource >= RES_ACC && resource < RES_R4) || resource == RES_R5)
		return flow->rotates ? LATE : 1;
	return row->raw > row->waw ? row->raw : row->waw;
}

/* Find what a block reads before it writes it, and what it writes in any case. */
static void
find_use(const struct flow *flow, struct block *block)
{
	for (size_t at = block->begin; at < block->end; at++) {
		struct res_set def = block->def;

		for (size_t i = flow->first[at]; i < flow->first[at + 1]; i++) {
			const struct op *op = &flow->ops[i];
			const struct res_set used =
				op->partial ? res_or(op->reads, op->writes) :
					      op->reads;

			block->use = res_or(block->use,
					    res_without(used, block->def));
			if (!op->partial && !op->is_branch)
				def = res_or(def, op->writes);
		}
		block->def = def;
	}
	if (block->frozen)
		block->use = all;
}

static struct res_set
live_after(const struct flow *flow, const struct block *block,
	   struct res_set returns)
{
	struct res_set out = { { 0, 0 } };

	if (block->by_register)
		out = flow->computed ? all : returns;
	if (block->target != NO_BLOCK)
		out = res_or(out, flow->blocks[block->target].live_in);
	if (block->next != NO_BLOCK)
		out = res_or(out, flow->blocks[block->next].live_in);
	return out;
}

static void
find_live(struct flow *flow)
{
	struct res_set returns = { { 0, 0 } };
	bool changed = true;

	while (changed) {
		changed = false;
		for (size_t i = flow->nblocks; i-- > 0;) {
			struct block *block = &flow->blocks[i];
			const struct res_set before = block->live_in;

			block->live_out = live_after(flow, block, returns);
			block->live_in =
				res_or(block->use, res_without(block->live_out,
							       block->def));
			changed |= !res_same(before, block->live_in);
			if (block->is_return)
				returns = res_or(returns, block->live_in);
		}
	}
}

/* Find the distances that the operations of a block leave open at its end. */
static void
find_open(struct flow *flow, const struct block *block)
{
	for (size_t i = flow->first[block->begin]; i < flow->first[block->end];
	     i++) {
		const struct op *op = &flow->ops[i];
		const size_t after = block->end - op->source;

		for (unsigned r = 0; after < MAX_LATENCY && r < RESOURCES; r++)
			if (res_has(&op->writes, r) &&
			    live_reach(flow, r) > after + flow->open[r])
				flow->open[r] = live_reach(flow, r) - after;
	}
}

void
live_find(struct flow *flow)
{
	for (size_t i = 0; i < flow->nblocks; i++)
		if (flow->blocks[i].reached) {
			find_use(flow, &flow->blocks[i]);
			find_open(flow, &flow->blocks[i]);
		}
	find_live(flow);
}
