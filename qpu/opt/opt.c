/* SPDX-License-Identifier: MIT */
/*
 * opt: optimises the blocks of a program, and lays them out.
 */
#include "config.h"

#include "qpu/opt/opt.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/isa/pack.h"
#include "qpu/opt/flow.h"
#include "qpu/opt/list.h"
#include "qpu/opt/mutant.h"
#include "qpu/opt/rename.h"
#include "qpu/opt/search.h"
#include "qpu/validate/validate.h"

/* A block that was optimised has its words where its old ones were. */
struct optimiser {
	struct flow flow;
	const struct opt_options *options;
	struct opt_output *output;
	uint64_t *words;
	struct opt_origins *origins;
	struct qpu_inst *insts;
	uint64_t *known; /* rules that the validator finds broken, by word */
	bool any_restored;
};

/* --- A block --------------------------------------------------------------------- */

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

/* Add a word to those that an instruction comes from, in the order of the source. */
static void
add_origin(struct opt_origins *from, uint32_t at)
{
	unsigned place = from->n;

	while (place && from->at[place - 1] > at)
		place--;
	if (place && from->at[place - 1] == at)
		return;
	assert(from->n < OPT_ORIGINS);
	memmove(&from->at[place + 1], &from->at[place],
		(from->n - place) * sizeof(from->at[0]));
	from->at[place] = at;
	from->n++;
}

/* Put the best schedule together, if it is shorter than before; return its length, or
 * 0. */
static size_t
put_together(struct problem *p, int length, size_t before, uint64_t *words,
	     struct opt_origins *origins)
{
	/* A short block lets no more waits through than before. */
	const int least = before < MAX_LATENCY ? (int)before : MAX_LATENCY - 1;
	const int all = length > least ? length : least;

	if (length < 0 || (size_t)all >= before)
		return 0;
	length = list_schedule(p, p->priority, length);
	for (int i = length; i < all; i++)
		slot_clear(&p->slots[i], false);
	for (int i = 0; i < all; i++) {
		const struct slot *slot = &p->slots[all - 1 - i];

		words[i] = slot_encode(slot);
		origins[i].n = 0;
		for (unsigned k = 0; k < slot->nops; k++)
			add_origin(&origins[i], slot->ops[k]->source);
	}
	return (size_t)all;
}

/* Search with other registers, which needs most of the time. */
static size_t
rename_block(struct problem *p, struct search_limit *limit, size_t before,
	     uint64_t *words, struct opt_origins *origins)
{
	struct renamer renamer;
	size_t n = 0;

	limit->passes *= 2;
	p->keeps_hazards = false;
	if (rename_begin(&renamer, p)) {
		const int length =
			search_run(p, limit, (int)before - 1, &renamer);

		n = put_together(p, length, before, words, origins);
	} else {
		p->no_memory = true;
	}
	rename_free(&renamer);
	return n;
}

/* Optimise a block; return the number of words, or 0 if it stays as it is. */
static size_t
optimise_block(struct problem *p, const struct block *block,
	       const struct opt_options *options, struct search_limit *limit,
	       uint64_t *words, struct opt_origins *origins)
{
	const struct flow *flow = p->flow;
	const size_t old = block->end - block->begin;
	struct search_limit first;
	size_t n, shorter = 0;

	p->block = block;
	p->keeps_hazards = true;
	p->n = (unsigned)(flow->first[block->end] - flow->first[block->begin]);
	memcpy(p->ops, &flow->ops[flow->first[block->begin]],
	       p->n * sizeof(*p->ops));
	drop_dead_flags(p->ops, p->n, res_has(&block->live_out, RES_FLAGS));
	if (limit->passes && limit->passes > SEARCH_WORK / (p->n + 1))
		limit->passes = SEARCH_WORK / (p->n + 1);
	if (limit->passes && limit->passes < SEARCH_LEAST)
		limit->passes = SEARCH_LEAST;
	first = *limit;
	if (options->renames && !limit->passes)
		first.finish =
			limit->begin + (limit->finish - limit->begin) / 4;
	n = put_together(p, search_run(p, &first, (int)old - 1, NULL), old,
			 words, origins);
	if (options->renames && !p->no_memory)
		shorter = rename_block(p, limit, n ? n : old, words, origins);
	return shorter ? shorter : n;
}

static bool
is_optimised(const struct block *block)
{
	return !block->frozen && block->end - block->begin > 1;
}

/* Optimise all blocks; return false when memory is short. */
static bool
optimise_blocks(struct optimiser *o)
{
	const struct flow *flow = &o->flow;
	struct problem problem = { .flow = NULL };
	const double begin = search_clock();
	size_t total = 0, done = 0, longest = 0;
	bool good;

	for (size_t i = 0; i < flow->nblocks; i++) {
		const struct block *block = &flow->blocks[i];
		const size_t length = block->end - block->begin;

		total += is_optimised(block) ? length : 0;
		if (is_optimised(block) && length > longest)
			longest = length;
	}
	good = problem_allocate(&problem, flow, longest);
	for (size_t i = 0; i < flow->nblocks && good; i++) {
		struct block *block = &flow->blocks[i];
		struct search_limit limit = { .begin = search_clock() };

		if (!is_optimised(block))
			continue;
		done += block->end - block->begin;
		if (o->options->seconds > 0)
			limit.finish = begin + o->options->seconds *
						       (double)done /
						       (double)total;
		else
			limit.passes = SEARCH_PASSES;
		block->length = optimise_block(&problem, block, o->options,
					       &limit, &o->words[block->begin],
					       &o->origins[block->begin]);
		good = !problem.no_memory;
	}
	problem_free(&problem);
	return good;
}

/* --- The program ----------------------------------------------------------------- */

static void
lay_out_block(struct optimiser *o, struct block *block)
{
	const struct opt_input *input = o->flow.input;
	struct opt_output *out = o->output;
	struct qpu_inst inst;
	uint64_t nop;

	qpu_inst_nop(&inst, QPU_KIND_ALU);
	nop = qpu_pack(&inst);
	/* No block moves up, so that a multiple is free at or before its place. */
	while (out->n % flow_alignment(&o->flow, block->begin)) {
		out->words[out->n] = nop;
		out->is_inst[out->n] = true;
		out->origins[out->n++].n = 0;
	}
	/* Blocks become no longer, so that there is room. */
	assert(out->n <= block->begin &&
	       block->length < block->end - block->begin);
	block->position = out->n;
	for (size_t k = 0; k < block->length; k++) {
		out->words[out->n] = o->words[block->begin + k];
		out->is_inst[out->n] = true;
		out->origins[out->n++] = o->origins[block->begin + k];
	}
	for (size_t at = block->begin; !block->length && at < block->end;
	     at++) {
		out->words[out->n] = input->words[at];
		out->is_inst[out->n] = input->is_inst[at];
		out->origins[out->n++] = (struct opt_origins){
			.at = { (uint32_t)at },
			.n = 1,
		};
	}
}

/* The word that a branch of the source leads to has moved. */
static void
aim_branch(struct optimiser *o, size_t at)
{
	struct opt_output *out = o->output;
	const struct block *block;
	struct qpu_inst inst;
	size_t target;

	if (!out->is_inst[at] || !qpu_unpack(out->words[at], &inst) ||
	    inst.kind != QPU_KIND_BRANCH || !inst.rel)
		return;
	target = flow_target(&o->flow, out->origins[at].at[0]);
	if (target == o->flow.n)
		return;
	block = &o->flow.blocks[o->flow.block_of[target]];
	if (block->begin != target)
		return;
	inst.imm = (uint32_t)(((int64_t)block->position - (int64_t)at - 4) *
			      QPU_INST_BYTES);
	out->words[at] = qpu_pack(&inst);
}

static void
lay_out(struct optimiser *o)
{
	struct opt_output *out = o->output;

	out->n = 0;
	for (size_t i = 0; i < o->flow.nblocks; i++)
		lay_out_block(o, &o->flow.blocks[i]);
	for (size_t at = 0; at < out->n; at++)
		aim_branch(o, at);
}

/* --- The validator ----------------------------------------------------------------- */

static void
note_known(void *context, const struct qpu_hazard *hazard)
{
	struct optimiser *o = context;

	o->known[hazard->index] |= UINT64_C(1) << hazard->rule->id;
}

/* Take back the blocks that a finding is in, unless the source has it there. */
static void
take_back(void *context, const struct qpu_hazard *hazard)
{
	struct optimiser *o = context;
	const size_t places[] = { hazard->index, hazard->cause };

	for (unsigned i = 0; i < 2; i++) {
		const struct opt_origins *from = &o->output->origins[places[i]];

		for (unsigned k = 0; !i && k < from->n; k++)
			if (o->known[from->at[k]] >> hazard->rule->id & 1)
				return;
	}
	for (size_t i = 0; i < o->flow.nblocks; i++) {
		struct block *block = &o->flow.blocks[i];

		for (unsigned k = 0; k < 2 && !MUTANT(skips_validator); k++)
			if (places[k] >= block->position &&
			    places[k] < block->position + block->length) {
				block->length = 0;
				o->any_restored = true;
			}
	}
}

/* Until the validator finds nothing new, blocks get their old words. */
static bool
restore_blocks(struct optimiser *o)
{
	const struct opt_input *input = o->flow.input;
	bool complete;

	if (!qpu_validate(input->insts, input->is_inst, input->n, note_known, o,
			  &complete))
		return false;
	do {
		struct opt_output *out = o->output;

		o->any_restored = false;
		lay_out(o);
		for (size_t at = 0; at < out->n; at++)
			if (out->is_inst[at])
				qpu_unpack(out->words[at], &o->insts[at]);
		if (!qpu_validate(o->insts, out->is_inst, out->n, take_back, o,
				  &complete))
			return false;
	} while (o->any_restored);
	return true;
}

static bool
allocate(struct optimiser *o, size_t n)
{
	struct opt_output *out = o->output;

	memset(out, 0, sizeof(*out));
	n++;
	out->words = calloc(n, sizeof(*out->words));
	out->is_inst = calloc(n, sizeof(*out->is_inst));
	out->origins = calloc(n, sizeof(*out->origins));
	o->words = calloc(n, sizeof(*o->words));
	o->origins = calloc(n, sizeof(*o->origins));
	o->insts = calloc(n, sizeof(*o->insts));
	o->known = calloc(n, sizeof(*o->known));
	return out->words && out->is_inst && out->origins && o->words &&
	       o->origins && o->insts && o->known;
}

void
opt_output_free(struct opt_output *output)
{
	free(output->words);
	free(output->is_inst);
	free(output->origins);
	memset(output, 0, sizeof(*output));
}

enum opt_status
opt_run(const struct opt_input *input, const struct opt_options *options,
	opt_sink *sink, void *context, struct opt_output *output)
{
	struct optimiser o = {
		.flow = { .input = input, .sink = sink, .context = context },
		.options = options,
		.output = output,
	};
	bool good = allocate(&o, input->n);
	bool refused = false;

	if (good && !flow_find(&o.flow)) {
		good = false;
		refused = !o.flow.no_memory;
	}
	good = good && optimise_blocks(&o) && restore_blocks(&o);
	flow_free(&o.flow);
	free(o.words);
	free(o.origins);
	free(o.insts);
	free(o.known);
	if (!good)
		opt_output_free(output);
	return good ? OPT_DONE : refused ? OPT_REFUSED : OPT_NO_MEMORY;
}
