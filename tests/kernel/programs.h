/* SPDX-License-Identifier: MIT */
/*
 * programs: all kernels as words: the one that the program uses, and those of
 * the tutorial.
 */
#ifndef TESTS_KERNEL_PROGRAMS_H
#define TESTS_KERNEL_PROGRAMS_H

#include <stddef.h>
#include <stdint.h>

struct kernel_program {
	const char *name; /* of the .m4 file */
	const uint64_t *words;
	size_t nwords;
};

/* The kernel of this name, which is one of them. */
const struct kernel_program *
kernel_program(const char *name);

#endif
