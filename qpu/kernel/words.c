/* SPDX-License-Identifier: MIT */
/* words: the assembled kernels as arrays. */
#include "config.h"

#include "qpu/kernel/words.h"

const uint64_t sha256_kernel_words[] = {
#include "qpu/kernel/optimised.words"
};

static const uint64_t hello[] = {
#include "qpu/kernel/hello.words"
};

static const uint64_t partial[] = {
#include "qpu/kernel/partial.words"
};

static const uint64_t published[] = {
#include "qpu/kernel/published.words"
};

static const uint64_t simple[] = {
#include "qpu/kernel/simple.words"
};

enum { OPTIMISED_NWORDS = sizeof(sha256_kernel_words) / sizeof(uint64_t) };

const size_t sha256_kernel_nwords = OPTIMISED_NWORDS;

#define ROW(array)                                                             \
	{                                                                      \
#array, array, sizeof(array) / sizeof(*array)                  \
	}

const struct kernel_program kernel_programs[] = {
	ROW(hello),
	ROW(partial),
	ROW(published),
	ROW(simple),
	{ "optimised", sha256_kernel_words, OPTIMISED_NWORDS },
	{ NULL, NULL, 0 },
};
