/* SPDX-License-Identifier: MIT */
/*
 * kernels: all implementations of the compression function of FIPS 180-4, 6.2.2,
 * as rows of one table, and the choice of the fastest one for a CPU.
 */
#ifndef CPU_KERNELS_H
#define CPU_KERNELS_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/fips180.h"

enum { CPU_LANES = 16 }; /* of the widest kernel */

/*
 * Both forms advance `lanes` messages by nblocks > 0 whole blocks each, and
 * read nothing but [data[i], data[i] + 64 * nblocks), at any alignment.
 */

/* Each message has its state for itself, a..h. */
typedef void
cpu_stream_kernel(uint32_t (*states)[SHA256_STATE_WORDS],
		  const uint8_t *const *data, size_t nblocks);

/* Word-major, a..h by lane: lanes 0, 1, 2... of each row; the others are
 * neither read nor written.  Rows are aligned to 64 bytes. */
typedef void
cpu_lane_kernel(uint32_t (*state)[CPU_LANES], const uint8_t *const *data,
		size_t nblocks);

struct cpu_kernel {
	const char *name;
	unsigned lanes;			/* messages at a time */
	uint32_t needs;			/* enum cpu_feature bits, all */
	cpu_stream_kernel *run_streams; /* one of these two is null */
	cpu_lane_kernel *run_lanes;
	/* The enum cpu_feature bits of the CPU families for which it is made, or
	 * 0; other families run it slowly. */
	uint32_t family;
};

/* Ends with a null name.  The last needs nothing and has one lane. */
extern const struct cpu_kernel cpu_kernels[];

/* Return the best kernel of a CPU with these features for this number of
 * messages, 1..16.  It may have more lanes than that, or fewer. */
const struct cpu_kernel *
cpu_kernel_choose(uint32_t features, unsigned messages);

/* Return another kernel that may be faster than the chosen one, if this family of
 * CPUs has not been measured, or NULL. */
const struct cpu_kernel *
cpu_kernel_rival(uint32_t features, unsigned messages);

/* Measure which one is faster if there is a rival, in some 15 us, and return the
 * features with the result. */
uint32_t
cpu_kernels_measure(uint32_t features);

/* Messages in both forms, for callers that run any kernel. */
struct cpu_run {
	alignas(64) uint32_t rows[SHA256_STATE_WORDS][CPU_LANES];
	uint32_t states[CPU_LANES][SHA256_STATE_WORDS];
	const uint8_t *data[CPU_LANES];
};

/* Set and get the state of a lane before and after cpu_kernel_run with this kernel. */
void
cpu_run_set_state(struct cpu_run *run, const struct cpu_kernel *kernel,
		  unsigned lane, const uint32_t state[SHA256_STATE_WORDS]);

void
cpu_run_get_state(const struct cpu_run *run, const struct cpu_kernel *kernel,
		  unsigned lane, uint32_t state[SHA256_STATE_WORDS]);

/* Advance the kernel's lanes by nblocks > 0 blocks each; run->data stays. */
void
cpu_kernel_run(const struct cpu_kernel *kernel, struct cpu_run *run,
	       size_t nblocks);

/* Compare the best times of alternate runs, in some 15 us. */
bool
cpu_kernel_is_faster(const struct cpu_kernel *kernel,
		     const struct cpu_kernel *than);

#endif
