/* SPDX-License-Identifier: MIT */
/*
 * costs: what each instruction has cost, for --profile, in a file that all
 * processes under one qpuemu share.
 *
 * An instruction is known by its address and its word, since programs put
 * other code at the same place.
 */
#ifndef QPU_VIRTUAL_BOARD_COSTS_H
#define QPU_VIRTUAL_BOARD_COSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/emulator/emulator.h"

struct trace_lines;

/* Name in the private directory. */
#define BOARD_COSTS "costs"

enum { COSTS_ENTRIES = 1 << 16 };

struct cost_entry {
	uint64_t word;
	struct machine_profile_row cost; /* executions 0: free */
	uint32_t row;			 /* of the line map, from 1; 0: none */
};

/* A hash table with a place for each instruction; 0 is an empty one. */
struct cost_table {
	uint32_t n;
	struct cost_entry entries[COSTS_ENTRIES];
};

/* The file, of zeros if it is new; null and errno. */
struct cost_table *
costs_map(const char *dir, bool create);

/*
 * Add what the machine has executed since the last call to the file in dir;
 * its code is still in memory.  False if not all could be added.
 */
bool
costs_collect(struct machine *, const char *dir, const struct trace_lines *);

#endif
