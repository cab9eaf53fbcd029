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

enum { CPU_LANES = 16 }; /* in the widest kernel */

/*
 * A kernel has one of two forms.  Both advance `lanes` messages by nblocks > 0 whole
 * blocks each, and read nothing but [data[i], data[i] + 64 * nblocks), at any
 * alignment.
 */

/* States one after the other: states[message][0..7] is a..h. */
typedef void
cpu_stream_kernel(uint32_t (*states)[SHA256_STATE_WORDS],
		  const uint8_t *const *data, size_t nblocks);

/* States side by side: state[0..7][message] is a..h.  The first `lanes` words of each
 * row are read and written, and no others.  Rows are aligned to 64 bytes. */
typedef void
cpu_lane_kernel(uint32_t (*state)[CPU_LANES], const uint8_t *const *data,
		size_t nblocks);

struct cpu_kernel {
	const char *name;
	unsigned lanes; /* messages at a time */
	uint32_t needs; /* enum cpu_feature bits, all required */
	cpu_stream_kernel *run_streams; /* one of these two is null */
	cpu_lane_kernel *run_lanes;
	/* The enum cpu_feature bits of the CPU families for which it is made, or
	 * 0; other families run it slowly. */
	uint32_t family;
};

/* All kernels.  The last one needs no feature and has one lane; a row without a name
 * follows. */
extern const struct cpu_kernel cpu_kernels[];

/* Return the best kernel of a CPU with these features for this number of
 * messages, 1..16.  It may have more lanes than that, or fewer. */
const struct cpu_kernel *
cpu_kernel_choose(uint32_t features, unsigned messages);

/* Return the other kernel to measure on a CPU of a family that has not been measured,
 * since it may be faster than the chosen one, or NULL. */
const struct cpu_kernel *
cpu_kernel_rival(uint32_t features, unsigned messages);

/* If there is a rival, measure which one is faster, in some 15 us.  Return the
 * features, with CPU_WIDE512 if the rival is. */
uint32_t
cpu_kernels_measure(uint32_t features);

/* The state and data of each lane, for callers that run kernels of either form. */
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

/* Advance the kernel's lanes by nblocks > 0 blocks each, but not run->data. */
void
cpu_kernel_run(const struct cpu_kernel *kernel, struct cpu_run *run,
	       size_t nblocks);

/* Return true if the first kernel's best time is less than the other's.  Their runs
 * alternate, and take some 15 us in all. */
bool
cpu_kernel_is_faster(const struct cpu_kernel *kernel,
		     const struct cpu_kernel *than);

#endif
