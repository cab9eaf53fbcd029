/* SPDX-License-Identifier: MIT */
/* words: the assembled kernel as an array. */
#include "config.h"

#include "qpu/kernel/words.h"

const uint64_t sha256_kernel_words[] = {
#include "qpu/kernel/optimised.words"
};

const size_t sha256_kernel_nwords =
	sizeof(sha256_kernel_words) / sizeof(*sha256_kernel_words);
