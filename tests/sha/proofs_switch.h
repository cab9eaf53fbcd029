/* SPDX-License-Identifier: MIT */
/* proofs_switch: which proofs count, in a build with PROOFS_SWITCH. */
#ifndef TESTS_SHA_PROOFS_SWITCH_H
#define TESTS_SHA_PROOFS_SWITCH_H

/* Return the proofs that words name, "known,seal", as bits. */
unsigned
proofs_named(const char *words);

#endif
