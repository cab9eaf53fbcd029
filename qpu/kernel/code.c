/* SPDX-License-Identifier: MIT */
/*
 * code: the assembled kernels as arrays, and the uniforms of pair.m4.
 *
 * The words are made from m4 files by qpuasm; a distribution carries them, so
 * that building it needs neither.
 */
#include "config.h"

#include "qpu/kernel/abi.h"
#include "qpu/kernel/pair.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

const uint64_t sha256_kernel_code[] = {
#include "qpu/kernel/optimised.words"
};

const size_t sha256_kernel_nwords = COUNT(sha256_kernel_code);

const uint64_t pair_code[] = {
#include "qpu/kernel/pair.words"
};

const size_t pair_nwords = COUNT(pair_code);

#define UNIFORM(kind, memory, word)                                            \
	{ PAIR_UNIFORM_##kind, PAIR_##memory, word },
const struct pair_uniform pair_uniforms[] = {
#include "qpu/kernel/pair.uniforms"
};
#undef UNIFORM

const size_t pair_nuniforms = COUNT(pair_uniforms);

/* Each lookup has one base. */
#define LOAD_OF_BASE(memory) PAIR_##memory,
#define LOAD_OF_CLAMP(memory)
#define LOAD_OF_ADDRESS(memory)
#define LOAD_OF_WIDTH(memory)
#define LOAD_OF_DELAY(memory)
#define LOAD_OF_TURNS(memory)
#define LOAD_OF_STEP(memory)
#define UNIFORM(kind, memory, word) LOAD_OF_##kind(memory)
const enum pair_memory pair_loads[] = {
#include "qpu/kernel/pair.uniforms"
};
#undef UNIFORM

const size_t pair_nloads = COUNT(pair_loads);
