/* SPDX-License-Identifier: MIT */
/*
 * section: the three pieces of the optimised kernel's hot loop.
 *
 *	heavy	8 rounds and 8 schedule words; six times a block
 *	light	8 rounds and 8 loads of the next block's words; twice
 *	end	feed-forward and counters; once
 *
 * Each is one piece of straight code that ends in a branch.
 */
#ifndef QPU_TOOLS_SECTION_H
#define QPU_TOOLS_SECTION_H

#include "qpu/tools/graph.h"

enum section { SECTION_HEAVY, SECTION_LIGHT, SECTION_END, SECTIONS };

struct section_row {
	const char *name;	/* also the label */
	const char *branch;	/* condition and target */
	unsigned times;		/* a block */
};

extern const struct section_row section_rows[SECTIONS];

void section_build(struct graph *graph, enum section section);

/* SECTIONS if there is none of that name. */
enum section section_find(const char *name);

/*
 * The last slot in which an operation may be: flags are made before the
 * branch, and uniforms cannot be read for some time after their reset.
 */
int section_last_slot(const struct graph *graph, enum section section, int op,
		      int nslots);

#endif
