/* SPDX-License-Identifier: MIT */
/*
 * launch: what the QPUs find in memory when they start, made from batches, and
 * what is made of it when they have ended.
 *
 * Trust.  Every lane without a message hashes a known answer, as long as the
 * longest message beside it, and the last lane of a launch never has one:
 * where the last batch is full, a QPU more takes part.  So every launch holds
 * its own check; results leave only after it, while states and data of before
 * are still with the caller, and nothing older can be in doubt.  The lane
 * that is checked when all are occupied is the same each time; therefore each
 * 16th launch in addition holds back one column of lanes of all QPUs, which
 * go on with the next launch, another column each time.
 */
#ifndef QPU_LAUNCH_H
#define QPU_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/batch.h"
#include "qpu/device.h"
#include "qpu/known_answer.h"
#include "src/diag.h"

/* That must be readable behind the last block of a lane. */
enum { LAUNCH_SLACK_BYTES = 144 };

/* What a lane does: blocks of a message or of the known answer, or none. */
struct launch_lane {
	uint32_t blocks;
	struct known_run known;	/* count 0 = not this one */
};

struct launch {
	unsigned qpus;
	struct device_memory image;	/* constants, uniforms, jobs, code */
	struct device_memory known;	/* known_blocks and slack */
	uint32_t known_blocks;
	uint64_t turn;			/* launches planned so far */

	/* This launch. */
	unsigned nprograms;
	struct device_program programs[DEVICE_QPUS];
	unsigned batches[DEVICE_QPUS];	/* that the programs work on */
	struct launch_lane lanes[DEVICE_QPUS][BATCH_LANES];
	uint32_t longest;		/* blocks of its longest lane */
	uint64_t blocks;		/* of messages */
	uint64_t vectors;		/* blocks of 16 lanes, full or not */
};

/* What image and known answer take. */
size_t
launch_image_bytes(void);

size_t
launch_known_bytes(uint32_t known_blocks);

/* The memory is the caller's, and stays until the end. */
void
launch_init(struct launch *, unsigned qpus, const struct device_memory *image,
	    const struct device_memory *known, uint32_t known_blocks);

/* All lanes of all QPUs hash known answers, each of a QPU another one. */
void
launch_plan_test(struct launch *);

/*
 * The next blocks of batches[0..n), n <= qpus, whose data lie in one of the
 * memories: at most most_blocks of a lane, and no more than pays.  False when
 * data lie elsewhere.
 */
bool
launch_plan(struct launch *, const struct batch *batches, unsigned n,
	    const struct device_memory *memories, unsigned nmemories,
	    uint32_t most_blocks, struct diag *why);

/* Are all known answers right?  Else which is not. */
bool
launch_check(const struct launch *, struct diag *why);

/* States and blocks done go back to the batches. */
void
launch_collect(const struct launch *, struct batch *batches, unsigned n);

#endif
