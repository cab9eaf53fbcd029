/* SPDX-License-Identifier: MIT */
/*
 * tile_launch: the memory of a planned launch, its jobs, and what is made of
 * their results.
 *
 *	constants   K | chain of known answers
 *	table       tile 0 | tile 1 | ...     rows of lanes (qpu/kernel/pair.h)
 *	results     tile 0 | tile 1 | ...     four words of each lane
 *	data        the caller's buffers | chain of known answers
 *
 * Trust.  Results of a job hold a pattern before it, and the tile buffer is
 * cleared with another: both are random, and others each time.  A job that was
 * never run or was lost shows in the one, a tile or lane that was not written
 * in the other.  Known answers are compared in all pairs that have one.
 */
#ifndef QPU_TILES_TILE_LAUNCH_H
#define QPU_TILES_TILE_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/sha/known_chain.h"
#include "qpu/sha/tile_plan.h"
#include "qpu/ways/way.h"

enum tile_verdict {
	TILE_RIGHT,
	TILE_NOT_STORED, /* the job was lost */
	TILE_WRONG
};

/* All buffers together, at most: with a launch's own memory, and the 16 MiB
 * that the kernel's driver needs, these are 34 MiB. */
enum { LAUNCH_BUFFER_BYTES = 12 << 20 };

/* Memory with buffers, and the chain of known answers after them. */
struct launch_memory {
	struct tile_memory memory;
	size_t chain;	  /* its offset */
	size_t used;	  /* bytes */
	unsigned buffers; /* that are not given back */
};

struct tile_launch {
	const struct tile_device *device;
	void *device_self;
	struct known_chain chain;
	struct nonce nonce;
	struct thread_shapes shapes;
	struct tile_program program;
	struct tile_memory constants, table, results;
	/* All data memories; the first is the constants. */
	struct launch_memory memories[PLAN_MEMORIES];
	unsigned nmemories;
	size_t buffer_bytes; /* of all of them */
	struct tile_plan plan;
	struct piece *pieces;
	unsigned most_pieces, npieces;
	uint32_t (*states)[SHA256_STATE_WORDS]; /* results of the pieces */
	struct tile_draw *draws;
	uint32_t *uniforms; /* of all draws */
	const struct tile_memory **loads;
	/* Of the launch: blocks of pieces and of threads, and those that its
	 * QPUs had time for. */
	uint64_t blocks, vectors, capacity;
	uint64_t tickets[PLAN_JOBS];
	uint32_t patterns[PLAN_JOBS], clears[PLAN_JOBS];
};

/*
 * Get memory and programs of an open device, and look how it makes threads.
 * With little memory a launch has fewer tiles.  What was got is given back by
 * tile_launch_close, in any case.
 */
enum device_status
tile_launch_open(struct tile_launch *, const struct tile_device *,
		 void *device_self, struct diag *why_not);

/* Free all but the device's memory, which is the device's to free. */
void
tile_launch_close(struct tile_launch *);

/* A buffer for data, on whole pages; NULL: there is none.  Buffers share a
 * memory, if that can be had, since the messages of a thread do. */
void *
tile_launch_alloc(struct tile_launch *, size_t bytes);

/* Give one back; is_idle: no job can still read it.  False: it is none. */
bool
tile_launch_free(struct tile_launch *, const void *buffer, bool is_idle);

/* Take the lanes of batches[0..n) apart, as far as a launch can, and set what
 * will be done of each.  False: data lie elsewhere. */
bool
tile_launch_take_apart(struct tile_launch *, struct batch *batches, unsigned n,
		       struct diag *why);

/*
 * Hash what was taken apart from the states that batches have, and prove it; or
 * known answers only (batches NULL).  The states are kept until
 * tile_launch_collect.
 */
enum device_status
tile_launch_run(struct tile_launch *, const struct batch *batches,
		enum tile_verdict *, struct diag *why);

/* The state from which a piece goes on in this stage. */
void
tile_launch_state(const struct tile_launch *, const struct piece *,
		  const struct batch *batches,
		  uint32_t state[SHA256_STATE_WORDS]);

void
tile_launch_collect(const struct tile_launch *, struct batch *batches);

#endif
