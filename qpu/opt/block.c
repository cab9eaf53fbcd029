/* SPDX-License-Identifier: MIT */
/*
 * block: takes a block apart, has it scheduled, and puts it together.
 */
#include "config.h"

#include "qpu/opt/block.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/opt/rename.h"

void
workshop_free(struct workshop *shop)
{
	problem_free(&shop->problem);
	free(shop->slots);
	free(shop->priority);
}

static bool
make_room(struct workshop *shop, size_t length)
{
	const size_t n = length * OPS_EACH;
	/* Schedules that are too long are given up, but not at once. */
	const size_t slots = 4 * length + 64;
	void *larger;

	if (n <= shop->room)
		return true;
	larger = reallocarray(shop->slots, slots, sizeof(*shop->slots));
	if (!larger)
		return false;
	shop->slots = larger;
	larger = reallocarray(shop->priority, 3 * n, sizeof(*shop->priority));
	if (!larger)
		return false;
	shop->priority = larger;
	shop->room = n;
	return problem_reserve(&shop->problem, (unsigned)n);
}

/* Flags that are set before anything reads them need not be set. */
static void
drop_dead_flags(struct op *ops, unsigned n, bool live)
{
	for (unsigned end = n, begin; end; end = begin) {
		bool all = false, read = false;

		for (begin = end;
		     begin && ops[begin - 1].source == ops[end - 1].source;
		     begin--) {
			struct op *op = &ops[begin - 1];

			read |= res_has(&op->reads, RES_FLAGS);
			if (!res_has(&op->writes, RES_FLAGS))
				continue;
			if (!live && op->kind != OP_WHOLE)
				op_drop_flags(op);
			else
				all |= !op->partial && !op->is_branch;
		}
		live = (live && !all) || read;
	}
}

void
block_find_margins(const struct flow *flow, const struct block *block,
		   struct problem *p)
{
	const bool ends = block->thrend != SIZE_MAX;

	for (unsigned i = 0; i < p->n; i++) {
		const struct op *op = &p->ops[i];
		const unsigned before = op->source - (unsigned)block->begin;

		/* C36: a tile is not there for the first two instructions. */
		p->to_end[i] = p->to_begin[i] = 0;
		if (op->units & UNIT_GRAPHICS)
			p->to_begin[i] = before < 2 ? before : 2;
		for (unsigned r = 0; r < RESOURCES; r++) {
			const bool state = r < STATE_RESOURCES && r != RES_R4;
			const unsigned reach = live_reach(flow, r);
			const bool waits =
				state && r >= FILE_RESOURCES ?
					res_has(&op->late, r) :
					res_has(&op->reads, r) ||
						(r == RES_SFU &&
						 res_has(&op->writes, r));
			unsigned far = block->in[r];

			if (res_has(&op->writes, r) && !ends &&
			    (!state || res_has(&block->live_out, r)) &&
			    reach > block->own[r] + 1u + p->to_end[i])
				p->to_end[i] = reach - block->own[r] - 1;
			if (p->keeps_hazards && far > before)
				far = before;
			if (waits && far > p->to_begin[i])
				p->to_begin[i] = far;
		}
	}
}

/* Return the length at which a short block lets no more waits through than before. */
static int
least_length(const struct block *block)
{
	const size_t length = block->end - block->begin;
	size_t least = 1;

	for (unsigned r = 0; r < RESOURCES; r++)
		if (block->in[r] > least)
			least = block->in[r];
	return (int)(least < length ? least : length);
}

/* The words of a schedule, which has the last instruction first. */
static size_t
put_together(const struct slot *slots, int length, int least, uint64_t *words,
	     struct opt_origins *origins)
{
	struct slot nop;
	size_t n = 0;

	slot_clear(&nop, false);
	for (int i = (length > least ? length : least) - 1; i >= 0; i--) {
		const struct slot *slot = i < length ? &slots[i] : &nop;
		struct opt_origins *from = &origins[n];

		words[n++] = slot_encode(slot);
		from->n = 0;
		for (unsigned k = 0; k < slot->nops; k++) {
			const uint32_t at = slot->ops[k]->source;
			unsigned place = from->n;

			while (place && from->at[place - 1] > at)
				place--;
			if (place && from->at[place - 1] == at)
				continue;
			memmove(&from->at[place + 1], &from->at[place],
				(from->n - place) * sizeof(from->at[0]));
			from->at[place] = at;
			from->n++;
		}
	}
	return n;
}

/* The block as operations. */
static bool
take_apart(struct flow *flow, const struct block *block, struct problem *p)
{
	p->n = flow_split(flow, block, p->ops);
	p->length = (unsigned)(block->end - block->begin);
	drop_dead_flags(p->ops, p->n, res_has(&block->live_out, RES_FLAGS));
	p->branch = p->end = -1;
	for (unsigned i = 0; i < p->n; i++) {
		if (p->ops[i].is_branch)
			p->branch = (int)i;
		if (p->ops[i].is_end)
			p->end = (int)i;
	}
	p->keeps_hazards = true;
	block_find_margins(flow, block, p);
	return problem_order(p);
}

/* Put together the schedule that was found; return its length, or 0 if the block is
 * as short already. */
static size_t
put_shorter(struct workshop *shop, const struct block *block, int length,
	    size_t before, uint64_t *words, struct opt_origins *origins)
{
	const int least = least_length(block);

	if (length < 0 || (size_t)length >= before || (size_t)least >= before)
		return 0;
	list_schedule(&shop->problem, shop->priority, length, shop->slots);
	return put_together(shop->slots, length, least, words, origins);
}

size_t
block_optimise(struct flow *flow, const struct block *block,
	       const struct opt_options *options, struct search_limit *limit,
	       struct workshop *shop, uint64_t *words,
	       struct opt_origins *origins)
{
	const size_t old = block->end - block->begin;
	struct search_limit first = *limit;
	struct problem *p = &shop->problem;
	size_t n, shorter;
	int length;

	if (!make_room(shop, old) || !take_apart(flow, block, p)) {
		flow->no_memory = true;
		return 0;
	}
	if (limit->passes && limit->passes > SEARCH_WORK / (p->n + 1))
		limit->passes = SEARCH_WORK / (p->n + 1);
	if (limit->passes && limit->passes < SEARCH_LEAST)
		limit->passes = SEARCH_LEAST;
	first.passes = limit->passes;
	/* With other registers the search needs most of the time. */
	if (options->renames && !limit->passes)
		first.finish =
			limit->begin + (limit->finish - limit->begin) / 4;
	length = search_run(p, &first, (int)old - 1, shop->priority);
	n = put_shorter(shop, block, length, old, words, origins);
	if (!options->renames)
		return n;
	limit->passes *= 2;
	if (!rename_run(flow, block, p, limit, (int)(n ? n : old) - 1,
			shop->priority, &length)) {
		flow->no_memory = true;
		return 0;
	}
	shorter = put_shorter(shop, block, length, n ? n : old, words, origins);
	return shorter ? shorter : n;
}
