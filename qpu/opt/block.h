/* SPDX-License-Identifier: MIT */
/*
 * block: one block is optimised.
 */
#ifndef QPU_OPT_BLOCK_H
#define QPU_OPT_BLOCK_H

#include "qpu/opt/flow.h"
#include "qpu/opt/search.h"

/* Memory that blocks use one after the other. */
struct workshop {
	struct problem problem;
	struct slot *slots;
	int *priority;
	size_t room; /* operations */
};

void
workshop_free(struct workshop *shop);

/* Find how far each operation has to stay from the edges of its block. */
void
block_find_margins(const struct flow *flow, const struct block *block,
		   struct problem *problem);

/*
 * Optimise a block into `words` and `origins`, which have room for as many as it
 * has.  Return the number of words, or 0 if it stays as it is or memory is short
 * (flow->no_memory).
 */
size_t
block_optimise(struct flow *flow, const struct block *block,
	       const struct opt_options *options, struct search_limit *limit,
	       struct workshop *shop, uint64_t *words,
	       struct opt_origins *origins);

#endif
