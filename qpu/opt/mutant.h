/* SPDX-License-Identifier: MIT */
/*
 * mutant: mistakes that the optimiser makes if a test asks for them.
 *
 * tests/opt/test-random shows by them that it would find such a mistake.  They exist
 * only where OPT_MUTANTS is defined.
 */
#ifndef QPU_OPT_MUTANT_H
#define QPU_OPT_MUTANT_H

#include <stdbool.h>

struct opt_mutant {
	bool reads_early;     /* a file right after it was written */
	bool writes_early;    /* what an instruction before it still reads */
	bool forgets_flags;   /* that a condition reads them */
	bool forgets_unpack;  /* modes */
	bool skips_validator; /* which finds some of these before the test */
};

#ifdef OPT_MUTANTS
extern struct opt_mutant opt_mutant;
#define MUTANT(mistake) (opt_mutant.mistake)
#else
#define MUTANT(mistake) false
#endif

#endif
