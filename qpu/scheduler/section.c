/* SPDX-License-Identifier: MIT */
/* section: what the pieces of the hot loops are made of. */
#include "config.h"

#include "qpu/scheduler/section.h"

#include <string.h>

#include "qpu/scheduler/body.h"
#include "qpu/scheduler/pair.h"

const struct section_kernel_row section_kernel_rows[KERNELS] = {
	[KERNEL_OPTIMISED] = { "optimised", body_map,
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
	[SECTION_HEAVY] = { "heavy", KERNEL_OPTIMISED, body_heavy,
			    "brr.alln -, :heavy", 6 },
	[SECTION_LIGHT] = { "light", KERNEL_OPTIMISED, body_light,
			    "brr.alln -, :light", 2 },
	[SECTION_END] = { "end", KERNEL_OPTIMISED, body_end,
			  "brr.anynn -, :heavy", 1 },
	[SECTION_PAIR_HEAVY] = { "pair_heavy", KERNEL_PAIR, pair_heavy,
				 "brr.anyn -, :pair_heavy", 3 },
	[SECTION_PAIR_LIGHT] = { "pair_light", KERNEL_PAIR, pair_light,
				 "brr.anyn -, :pair_light", 2 },
};

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
