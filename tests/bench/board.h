/* SPDX-License-Identifier: MIT */
/*
 * board: what Raspberry Pis are like, a bound of what their CPU and QPUs could
 * do together, and a run of the program's pipeline on one of them, in virtual
 * time.  Without memory all of it ends the program.
 */
#ifndef TESTS_BENCH_BOARD_H
#define TESTS_BENCH_BOARD_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct sized_message {
	uint64_t bytes;
	uint64_t blocks;
};

enum { LANES = 192, QPUS = 12, LAUNCH_BLOCKS = 512, KNOWN_BLOCKS = 3 };

/*
 * Sources: [K] kernel and frame on the emulator; [T] the CPU rates are ours
 * as llvm-mca models the cores (cycles a byte 17.6 with NEON on Cortex-A53;
 * published 14 to 33 MB/s for the ARM1176, the upper with OpenSSL's
 * assembly); [E] estimate.  Files are in the page cache, for which a board has
 * its memory less what GPU and system take [E].
 */
struct board {
	const char *name;
	const char *chip;
	double qpu_mhz;
	unsigned cores;
	double hash_mb;	  /* MB/s of a core [T] */
	double copy_mb;	  /* MB/s, page cache to GPU memory [E] */
	double file_us;	  /* open, fstat, read, close [E] */
	double stat_us;	  /* size by name [E] */
	double memory_mb; /* for the page cache, of 1024^2 bytes */
	bool tiles;	  /* by the kernel's driver, not the firmware */
};

/* clang-format off */
static const struct board boards[] = {
	{ "pi1", "brcm,bcm2835",   250, 1, 20, 300,  50, 12, 350, false },
	{ "zero2", "brcm,bcm2837", 300, 4, 58, 1000, 16,  4, 350, false },
	{ "pi2", "brcm,bcm2836",   250, 4, 45, 700,  24,  6, 800, false },
	{ "pi3", "brcm,bcm2837",   300, 4, 70, 1100, 14,  4, 800, false },
	{ "pi1 t", "brcm,bcm2835", 250, 1, 20, 300,  50, 12, 350, true },
	{ "pi3 t", "brcm,bcm2837", 300, 4, 70, 1100, 14,  4, 800, true },
};
/* clang-format on */

/* Clocks of a QPU [K]. */
static const double block_clocks = 7019;     /* 16 lanes, with stalls */
static const double segment_clocks = 240;    /* end of a message */
static const double launch_seconds = 184e-6; /* mailbox and cold caches */

/*
 * The kernel's driver: a thread of 8 messages takes this number of clocks for a
 * block (1079 instructions), and 12 threads run at a time.  Their throughput with
 * known answers is the engine's figure on the emulated tile device, [K].  A launch
 * is two jobs and a third one that proves the QPUs, at 0.13 ms each (published
 * for an empty job on a Pi 3).
 */
static const double tile_block_clocks = 4350;
static const double tile_bytes_per_hz = 330e6 / 250e6;
static const double tile_launch_seconds = 390e-6;

/* --- Launches ------------------------------------------------------------- */

/* The work of all lanes in one launch. */
struct launch {
	uint64_t blocks[LANES];
	unsigned ends[QPUS];
	uint64_t all;
	uint64_t longest; /* part of a message */
};

/* Pieces of messages need not follow each other in tiles. */
static inline double
tile_launch_time(const struct board *board, const struct launch *launch)
{
	const double clock = board->qpu_mhz * 1e6;

	return tile_launch_seconds +
	       fmax((double)launch->longest * tile_block_clocks / clock,
		    (double)launch->all * 64 / (tile_bytes_per_hz * clock));
}

static inline double
launch_time(const struct board *board, const struct launch *launch)
{
	double most = 0;

	if (board->tiles)
		return tile_launch_time(board, launch);
	for (unsigned qpu = 0; qpu < QPUS; qpu++) {
		uint64_t blocks = 0;
		double clocks;

		for (unsigned i = qpu; i < LANES; i += QPUS)
			if (launch->blocks[i] > blocks)
				blocks = launch->blocks[i];
		/* A known answer ends every lane. */
		clocks = (double)(blocks + KNOWN_BLOCKS) * block_clocks +
			 (launch->ends[qpu] + 2) * segment_clocks;
		if (clocks > most)
			most = clocks;
	}
	return launch_seconds + most / (board->qpu_mhz * 1e6);
}

static inline uint64_t
longest_lane(const struct launch *launch)
{
	uint64_t longest = 0;

	for (unsigned i = 0; i < LANES; i++)
		if (launch->blocks[i] > longest)
			longest = launch->blocks[i];
	return longest;
}

/* --- The bound ------------------------------------------------------------ */

static inline int
longer_first(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x < y) - (x > y);
}

/* Messages as the bound sees them, the longest first. */
struct bound {
	unsigned cores;
	uint64_t *blocks;
	size_t n;
	double total; /* blocks */
	double files; /* a core's seconds to open all of them */
	/* Seconds for a block: of a core, of a lane, of all lanes together, and of
	 * a core that copies it for them. */
	double core, lane, device, copy;
};

/* Return true if all work fits into this time. */
static inline bool
bound_allows(const struct bound *bound, double seconds)
{
	/* The QPUs have x blocks, and the cores do all else there is to do:
	 * files + x copy + (total - x) core = cores seconds. */
	const double x = fmax(0, (bound->total * bound->core + bound->files -
				  bound->cores * seconds) /
					 (bound->core - bound->copy));
	const double hashing = (bound->total - x) * bound->core;
	double longest = 0;

	if (x > bound->total || x * bound->device > seconds)
		return false;
	for (size_t k = 1; k <= bound->n && k <= LANES + bound->cores; k++) {
		const double on_cores =
			fmin(hashing, fmin((double)k, bound->cores) * seconds);

		longest += (double)bound->blocks[k - 1];
		if (longest >
		    on_cores / bound->core +
			    ((double)k * seconds - on_cores) / bound->lane)
			return false;
	}
	return true;
}

/*
 * A bound of every schedule, in seconds: messages may be cut at will and
 * change between cores and lanes at any time, but are in one place at a time.
 * So the k longest of them occupy at most k cores and lanes, of two
 * speeds (McNaughton 1959).
 *
 * What no schedule can avoid is in it: a core opens each file; what cores copy
 * for the QPUs they cannot hash meanwhile; a launch costs its start and its
 * known answers, and 16 MiB of GPU memory bound its length.  What a better
 * schedule could do without is not: sizes that are asked for, a number of
 * threads that feed, ends of messages.
 */
static inline double
bound_seconds(const struct board *board, const struct sized_message *messages,
	      size_t n)
{
	const double clock = board->qpu_mhz * 1e6;
	const double launch =
		(LAUNCH_BLOCKS + KNOWN_BLOCKS) * block_clocks / clock +
		launch_seconds;
	struct bound bound = { .cores = board->cores,
			       .blocks = malloc(n * sizeof(*bound.blocks)),
			       .n = n,
			       .files = (double)n * board->file_us * 1e-6,
			       .core = 64 / (board->hash_mb * 1e6),
			       .lane = launch / LAUNCH_BLOCKS,
			       .device = launch / LAUNCH_BLOCKS / LANES,
			       .copy = 64 / (board->copy_mb * 1e6) };
	double least = 0, most = 1e6;

	if (!bound.blocks)
		exit(99);
	if (board->tiles) {
		bound.lane = tile_block_clocks / clock;
		bound.device = 64 / (tile_bytes_per_hz * clock) +
			       tile_launch_seconds / LANES / LAUNCH_BLOCKS;
	}
	for (size_t i = 0; i < n; i++) {
		bound.blocks[i] = messages[i].blocks;
		bound.total += (double)bound.blocks[i];
	}
	qsort(bound.blocks, n, sizeof(*bound.blocks), longer_first);
	for (unsigned step = 0; step < 60; step++) {
		const double middle = (least + most) / 2;

		*(bound_allows(&bound, middle) ? &most : &least) = middle;
	}
	free(bound.blocks);
	return most;
}

/* --- A run ---------------------------------------------------------------- */

enum board_way { BOARD_CPU, BOARD_QPUS, BOARD_BOTH };

struct board_outcome {
	double seconds;
	uint64_t blocks;  /* hashed */
	double occupancy; /* part of the lanes' blocks, 0 without launches */
};

/*
 * The pipeline is the real one: sequencer, dispatch, feeder and its team,
 * streams, lanes, workers.  Files exist as sizes only, and engines
 * hash nothing: opening, looking up sizes, reading into the device's memory and
 * hashing on cores take the times above, and launches the times of the
 * emulator's cycle model.  Reading for a core is part of hashing there.
 */
struct board_outcome
board_run(const struct board *, const struct sized_message *, size_t n,
	  enum board_way);

#endif
