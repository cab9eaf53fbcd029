/* SPDX-License-Identifier: MIT */
/* section: what the pieces of the hot loops are made of. */
#include "config.h"

#include "qpu/scheduler/section.h"

#include <string.h>

#include "qpu/scheduler/body.h"
#include "qpu/scheduler/pair.h"

static void
optimised_map(struct graph *graph)
{
	struct body body;

	body_open(&body, graph);
}

const struct section_kernel_row section_kernel_rows[KERNELS] = {
	[KERNEL_OPTIMISED] = { "optimised", optimised_map,
			       "dnl the round of the pass, 0..7, that it "
			       "belongs to.  S0, S1, s0, s1: Sigma\n"
			       "dnl and sigma of FIPS 180-4, 4.1.2.  Round t "
			       "has working variable r of a..h\n"
			       "dnl in state_((r-t) mod 8).\n" },
	[KERNEL_PAIR] = { "pair", pair_map,
			  "dnl the round of the pass that it belongs to.  "
			  "pair.m4 has the names.\n" },
};

const struct section_row section_rows[SECTIONS] = {
	[SECTION_HEAVY] = { "heavy", KERNEL_OPTIMISED, "brr.alln -, :heavy",
			    6 },
	[SECTION_LIGHT] = { "light", KERNEL_OPTIMISED, "brr.alln -, :light",
			    2 },
	[SECTION_END] = { "end", KERNEL_OPTIMISED, "brr.anynn -, :heavy", 1 },
	[SECTION_PAIR_HEAVY] = { "pair_heavy", KERNEL_PAIR,
				 "brr.anyn -, :pair_heavy", 3 },
	[SECTION_PAIR_LIGHT] = { "pair_light", KERNEL_PAIR,
				 "brr.anyn -, :pair_light", 2 },
};

/*
 * Bits of rounds, found by trying: where a light round has Sigma0 with two
 * rotations on the mul ALU, where a heavy one has sigma0's shift there; of
 * rows, which are added in place.
 */
enum { LIGHT_SHARED = 0x11, HEAVY_SHR3_ON_MUL = 0x24, END_IN_PLACE = 0x69 };

static void
build_heavy(struct body *body)
{
	body->power[13] = body->power13_r4;
	for (int t = 0; t < BODY_ROUNDS; t++) {
		body_round(body, t, SIGMA0_NESTED);
		body_shift(body, t);
		body_schedule(body, t, HEAVY_SHR3_ON_MUL >> t & 1);
	}
}

static void
build_light(struct body *body)
{
	for (int t = 0; t < BODY_ROUNDS; t++) {
		body_round(body, t,
			   LIGHT_SHARED >> t & 1 ? SIGMA0_SHARED :
						   SIGMA0_NESTED);
		body_shift(body, t);
		body_load(body, t);
	}
	body_constant(body);
}

void
section_build(struct graph *graph, enum section section)
{
	struct body body;

	if (section == SECTION_PAIR_HEAVY) {
		pair_heavy(graph);
		return;
	}
	if (section == SECTION_PAIR_LIGHT) {
		pair_light(graph);
		return;
	}
	body_open(&body, graph);
	if (section == SECTION_END) {
		body_end(&body, END_IN_PLACE);
		return;
	}
	body_count(&body);
	if (section == SECTION_HEAVY)
		build_heavy(&body);
	else
		build_light(&body);
}

enum section_kernel
section_find_kernel(const char *name)
{
	enum section_kernel kernel = 0;

	while (kernel < KERNELS &&
	       strcmp(section_kernel_rows[kernel].name, name) != 0)
		kernel++;
	return kernel;
}

enum section
section_find(const char *name)
{
	enum section section = 0;

	while (section < SECTIONS &&
	       strcmp(section_rows[section].name, name) != 0)
		section++;
	return section;
}

int
section_last_slot(const struct graph *graph, int op, int nslots)
{
	const struct op *o = &graph->ops[op];

	if (o->whole)
		return 0;
	/* Three delay slots. */
	if (o->sets_flags)
		return nslots - 4;
	if (o->port == PORT_UNIFORMS)
		return nslots - 3;
	return nslots - 1;
}
