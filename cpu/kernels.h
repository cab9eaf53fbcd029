/* SPDX-License-Identifier: MIT */
/*
 * kernels: every way this program knows to run the compression function, as
 * rows of one table.  Which one is run when is the cpu engine's business.
 */
#ifndef CPU_KERNELS_H
#define CPU_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "src/base/batch.h"

/*
 * Both forms advance `lanes` messages by nblocks > 0 whole blocks each, and
 * read nothing but [data[i], data[i] + 64 * nblocks), at any alignment.
 */

/* Each message has its state for itself, a..h. */
typedef void
cpu_stream_kernel(uint32_t (*states)[SHA256_STATE_WORDS],
		  const uint8_t *const *data, size_t nblocks);

/* Word-major like struct batch: lanes 0, 1, 2... of each row; the others are
 * neither read nor written.  Rows are aligned to 64 bytes. */
typedef void
cpu_lane_kernel(uint32_t (*state)[BATCH_LANES], const uint8_t *const *data,
		size_t nblocks);

struct cpu_kernel {
	const char *name;
	unsigned lanes;			/* messages at a time */
	uint32_t needs;			/* enum cpu_feature bits, all */
	cpu_stream_kernel *run_streams; /* one of these two is null */
	cpu_lane_kernel *run_lanes;
};

/* Ends with a null name.  The last needs nothing and has one lane. */
extern const struct cpu_kernel cpu_kernels[];

/* The best kernel of a CPU with these features to advance so many messages,
 * 1..16.  It may have more lanes than that, or fewer. */
const struct cpu_kernel *
cpu_kernel_choose(uint32_t features, unsigned messages);

/* Where nobody has measured this family of CPUs: another kernel that may be
 * faster than the chosen one (see calibration.h).  NULL: there is none. */
const struct cpu_kernel *
cpu_kernel_rival(uint32_t features, unsigned messages);

#endif
