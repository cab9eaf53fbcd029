/* SPDX-License-Identifier: MIT */
/*
 * board-run: runs the program's pipeline on a modelled board, in virtual time.
 *
 * All that is the pipeline's is real: sequencer, dispatch, planner, feeder and
 * its team, streams, lanes, workers.  Files exist as sizes only, and engines
 * hash nothing: opening, looking up sizes, reading into the device's memory and
 * hashing on cores take the times of board-bound.h, and launches those of the
 * emulator's cycle model.  Reading for a core is part of hashing there.
 */
#ifndef TESTS_BENCH_BOARD_RUN_H
#define TESTS_BENCH_BOARD_RUN_H

#include "tests/bench/board-bound.h"

enum board_way { BOARD_CPU, BOARD_QPUS, BOARD_BOTH };

struct board_outcome {
	double seconds;
	double occupancy; /* part of the lanes' blocks, 0 without launches */
};

struct board_outcome
board_run(const struct board *, const struct sized_message *, size_t n,
	  enum board_way);

#endif
