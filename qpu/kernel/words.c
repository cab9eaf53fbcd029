/* SPDX-License-Identifier: MIT */
/* words: the assembled kernels as arrays. */
#include "config.h"
#include "qpu/kernel/words.h"

const uint64_t sha256_kernel_words[] = {
#include "qpu/kernel/optimised.words"
};

enum { OPTIMISED_NWORDS = sizeof(sha256_kernel_words) / sizeof(uint64_t) };

const size_t sha256_kernel_nwords = OPTIMISED_NWORDS;

const struct kernel_program kernel_programs[] = {
	{ "optimised", sha256_kernel_words, OPTIMISED_NWORDS },
	{ NULL, NULL, 0 },
};
