/* SPDX-License-Identifier: MIT */
/*
 * program: random programs for the optimiser, which are right by themselves.
 *
 * A program fills registers from uniforms, differently in each lane; does a number
 * of random things; and writes all registers and flags to the VPM.  It has no
 * finding of the validator: an instruction with one becomes a nop.
 */
#ifndef TESTS_OPT_PROGRAM_H
#define TESTS_OPT_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/isa/isa.h"

enum {
	PROGRAM_WORDS = 1024,
};

/* The parts of a random program, which may be added. */
enum program_parts {
	PROGRAM_ALU = 0,      /* all operations, modes, rotations, the SFU */
	PROGRAM_BRANCHES = 1, /* over others, in loops, to a subroutine */
	PROGRAM_UNITS = 2,    /* TMUs, VPM, DMA, mutex, semaphores */
};

struct program {
	uint64_t words[PROGRAM_WORDS];
	struct qpu_inst insts[PROGRAM_WORDS];
	bool is_inst[PROGRAM_WORDS];
	size_t n;
};

/* Make a program from a seed; memory says where it may load and store. */
void
program_make(struct program *program, uint32_t seed, unsigned parts,
	     unsigned length);

/* Count what the validator finds. */
unsigned
program_findings(const struct qpu_inst *insts, const bool *is_inst, size_t n);

#endif
