/* SPDX-License-Identifier: MIT */
/*
 * words: the assembled kernels.
 *
 * The .words files are made from the .m4 files beside them by m4 and qpuasm;
 * a distribution carries them, so that building it needs neither.
 */
#ifndef QPU_KERNEL_WORDS_H
#define QPU_KERNEL_WORDS_H

#include <stddef.h>
#include <stdint.h>

/* The optimised kernel: the one to use. */
extern const uint64_t sha256_kernel_words[];
extern const size_t sha256_kernel_nwords;

struct kernel_program {
	const char *name; /* of the .m4 file */
	const uint64_t *words;
	size_t nwords;
};

/* All kernels, for tests and comparisons; ended by a null name. */
extern const struct kernel_program kernel_programs[];

#endif
