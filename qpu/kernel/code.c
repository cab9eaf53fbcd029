/* SPDX-License-Identifier: MIT */
/* code: the assembled kernel as an array. */
#include "config.h"

#include "qpu/kernel/code.h"

const uint64_t sha256_kernel_code[] = {
#include "qpu/kernel/optimised.words"
};

const size_t sha256_kernel_nwords =
	sizeof(sha256_kernel_code) / sizeof(*sha256_kernel_code);
