/* SPDX-License-Identifier: MIT */
/*
 * emulated_options: the options of an emulated device, as in
 * --device=emulator:qpus=5,mem=16,timed,check,seed=7,fault=stuck@3; a fault
 * may name a QPU and a lane, as in fault=lane@3.11.15.  qpuemu has the same
 * ones for its virtual board.
 */
#ifndef QPU_DEVICE_EMULATED_OPTIONS_H
#define QPU_DEVICE_EMULATED_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/diag.h"
#include "src/base/option.h"

/* What the device does wrong in one launch, or from one allocation on.  The
 * lane that suffers is chosen by struct emulated_options. */
enum device_fault {
	DEVICE_NO_FAULT,
	DEVICE_WRONG_LANE,     /* "lane": a lane is wrong from then on */
	DEVICE_WRONG_ONCE,     /* "once": one result of a lane is wrong */
	DEVICE_STORES_LOST,    /* "stores": all that a QPU stores gets lost */
	DEVICE_ROW_LOST,       /* "row": one row that it stores gets lost */
	DEVICE_STALE_RESULTS,  /* "stale": a QPU leaves the results of the
				* launch before */
	DEVICE_LANES_SWAPPED,  /* "swap": results of two lanes are exchanged */
	DEVICE_BLOCK_TOO_FEW,  /* "short": a QPU hashes one block too few */
	DEVICE_RAN_NOTHING,    /* "nothing": it says done, and did not run */
	DEVICE_CORRUPT_BEFORE, /* "data": a bit of a lane's data is flipped */
	DEVICE_CORRUPT_LATE,   /* "late": the same while the QPUs run */
	DEVICE_STUCK_QPU,      /* "stuck": a QPU does not come back */
	DEVICE_REFUSES,	       /* "refuse": a launch is refused */
	DEVICE_NO_MEMORY       /* "alloc": allocations fail from then on */
};

struct emulated_options {
	unsigned qpus;	  /* 1..12 */
	unsigned mem_mib; /* 1..1008 */
	bool timed;
	bool check;
	/* Seeds checking mode and faults.  Where a fault names no lane the
	 * seed chooses it: lanes are counted backwards from the last one of
	 * the launch. */
	uint64_t seed;
	enum device_fault fault;
	uint64_t fault_at; /* number of the launch or allocation, from 1 */
	bool fault_names_lane;
	unsigned fault_qpu, fault_lane;
};

extern const struct option_row emulated_option_rows[];

/* Options that `text` does not name get their defaults.  False and the reason
 * for an unknown option or value. */
bool
emulated_options_parse(struct emulated_options *, const char *text,
		       struct diag *why_not);

#endif
