/* SPDX-License-Identifier: MIT */
/*
 * opt: optimises the blocks of a program, and lays them out.
 */
#include "config.h"

#include "qpu/opt/opt.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/isa/pack.h"
#include "qpu/opt/block.h"
#include "qpu/opt/mutant.h"
#include "qpu/validate/validate.h"
#include "src/base/rows.h"

/* A block that was optimised has its words where its old ones were. */
struct optimiser {
	struct flow flow;
	const struct opt_options *options;
	struct opt_output *output;
	uint64_t *words;
	struct opt_origins *origins;
	size_t *lengths; /* of optimised blocks; 0 where a block is as it was */
	size_t *position; /* of blocks in the output */
	struct qpu_inst *insts;
	uint64_t *known; /* rules that the validator finds broken, by word */
	bool *restored;
	bool any_restored;
};

static void
optimise_blocks(struct optimiser *o)
{
	struct flow *flow = &o->flow;
	struct workshop shop = { .slots = NULL };
	const double begin = search_clock();
	double total = 0, done = 0;

	for (size_t i = 0; i < flow->nblocks; i++)
		if (!flow->blocks[i].frozen)
			total += (double)(flow->blocks[i].end -
					  flow->blocks[i].begin);
	for (size_t i = 0; i < flow->nblocks && !flow->no_memory; i++) {
		const struct block *block = &flow->blocks[i];
		struct search_limit limit = { .begin = search_clock() };

		if (block->frozen || block->end - block->begin < 2)
			continue;
		done += (double)(block->end - block->begin);
		if (o->options->seconds > 0)
			limit.finish =
				begin + o->options->seconds * done / total;
		else
			limit.passes = SEARCH_PASSES;
		o->lengths[i] = block_optimise(flow, block, o->options, &limit,
					       &shop, &o->words[block->begin],
					       &o->origins[block->begin]);
	}
	workshop_free(&shop);
}

/* --- The program ----------------------------------------------------------------- */

static void
lay_out_block(struct optimiser *o, size_t i)
{
	const struct block *block = &o->flow.blocks[i];
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
	o->position[i] = out->n;
	for (size_t k = 0; k < o->lengths[i]; k++) {
		out->words[out->n] = o->words[block->begin + k];
		out->is_inst[out->n] = true;
		out->origins[out->n++] = o->origins[block->begin + k];
	}
	for (size_t at = block->begin; !o->lengths[i] && at < block->end;
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
	struct qpu_inst inst;
	size_t target;

	if (!out->is_inst[at] || !qpu_unpack(out->words[at], &inst) ||
	    inst.kind != QPU_KIND_BRANCH || !inst.rel)
		return;
	target = flow_target(&o->flow, out->origins[at].at[0]);
	if (target == o->flow.n ||
	    o->flow.blocks[o->flow.block_of[target]].begin != target)
		return;
	target = o->position[o->flow.block_of[target]];
	inst.imm = (uint32_t)(((int64_t)target - (int64_t)at - 4) *
			      QPU_INST_BYTES);
	out->words[at] = qpu_pack(&inst);
}

static void
lay_out(struct optimiser *o)
{
	struct opt_output *out = o->output;

	out->n = 0;
	for (size_t i = 0; i < o->flow.nblocks; i++)
		lay_out_block(o, i);
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
	for (size_t i = 0; i < o->flow.nblocks; i++)
		for (unsigned k = 0; k < 2; k++)
			if (o->lengths[i] && places[k] >= o->position[i] &&
			    places[k] < o->position[i] + o->lengths[i]) {
				o->restored[i] = true;
				o->any_restored = true;
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
		for (size_t i = 0; i < o->flow.nblocks; i++)
			if (o->restored[i] && !MUTANT(skips_validator))
				o->lengths[i] = 0;
	} while (o->any_restored && !MUTANT(skips_validator));
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
	o->lengths = calloc(n, sizeof(*o->lengths));
	o->position = calloc(n, sizeof(*o->position));
	o->insts = calloc(n, sizeof(*o->insts));
	o->known = calloc(n, sizeof(*o->known));
	o->restored = calloc(n, sizeof(*o->restored));
	return out->words && out->is_inst && out->origins && o->words &&
	       o->origins && o->lengths && o->position && o->insts &&
	       o->known && o->restored;
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
	if (good)
		optimise_blocks(&o);
	good = good && !o.flow.no_memory && restore_blocks(&o);
	flow_free(&o.flow);
	free(o.words);
	free(o.origins);
	free(o.lengths);
	free(o.position);
	free(o.insts);
	free(o.known);
	free(o.restored);
	if (!good)
		opt_output_free(output);
	return good ? OPT_DONE : refused ? OPT_REFUSED : OPT_NO_MEMORY;
}
