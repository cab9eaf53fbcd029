/* SPDX-License-Identifier: MIT */
/*
 * emulated_options: the options of an emulated device, as in
 * --device=emulator:qpus=5,mem=16,timed,check,seed=7,fault=stuck@3; a fault
 * may name a QPU and a lane, as in fault=lane@3.11.15, and the launches that it
 * lasts, as in fault=job@3-5 or fault=job@3-; also=KIND@N is a second one.  qpuemu
 * has the same options for its virtual board.
 */
#ifndef QPU_DEVICE_EMULATED_OPTIONS_H
#define QPU_DEVICE_EMULATED_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/diag.h"
#include "src/base/option.h"

/* What the device does wrong.  The QPU and lane that suffer are chosen by struct
 * emulated_fault.  Words in quotes are the names of the option. */
enum device_fault {
	DEVICE_NO_FAULT,
	DEVICE_WRONG_LANE,     /* "lane": a lane is wrong, from then on if no
				* last launch is named */
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
	DEVICE_NO_MEMORY,      /* "alloc": allocations fail, from then on */
	/* In the memory that the QPUs read: */
	DEVICE_CODE_BIT,	 /* "code": a bit of the program is flipped, and
				  * stays so if no last launch is named */
	DEVICE_CONSTANT_BIT,	 /* "constant": the same of a K */
	DEVICE_UNIFORMS_WRONG,	 /* "uniforms": those of a QPU are shifted */
	DEVICE_JOB_BIT,		 /* "job": a bit of a state to begin with */
	DEVICE_POINTERS_SWAPPED, /* "pointers": data of two lanes exchanged */
	DEVICE_BEGINS_BIT,	 /* "begins": where a message begins */
	DEVICE_NEXT_BIT,	 /* "next": an address of K in a record */
	DEVICE_LENGTHS_SHIFTED,	 /* "lengths": a segment gets a block of the
				  * next one */
	/* In what was stored: */
	DEVICE_SEGMENTS_SWAPPED,    /* "segments": states of two exchanged */
	DEVICE_ROW_OF_SEGMENT,	    /* "between": a row is another segment's */
	DEVICE_STALE_ROW,	    /* "old": a row is that of the launch
				     * before */
	DEVICE_RECORD_OF_NEIGHBOUR, /* "neighbour": a record is another QPU's */
	DEVICE_STORED_BIT_STUCK,    /* "bit": a bit of a result is stuck */
	DEVICE_SEAL_BIT_STUCK,	    /* "seal": the same in the seal */
	/* For a moment: */
	DEVICE_REGISTER_BIT,	    /* "register": a bit in one lane */
	DEVICE_REGISTER_BITS,	    /* "registers": that bit in all lanes */
	DEVICE_INSTRUCTION_SKIPPED, /* "skip": a QPU leaves out one */
	DEVICE_CONSTANT_GLITCH,	    /* "glitch": a bit of a K, for 3000
				     * instructions */
	DEVICE_REGISTER_STUCK,	    /* "sticks": a bit in one lane is stuck, and
				     * stays so if no last launch is named */
	/* Caches that launches do not clear, from then on if no last launch is
	 * named: */
	DEVICE_CACHES_KEPT, /* "caches": those of the texture units, and L2 */
	DEVICE_SLICES_KEPT, /* "slices": those of the texture units */
	DEVICE_L2_KEPT	    /* "l2": L2 */
};

struct emulated_fault {
	enum device_fault kind;
	/* Numbers of launches or allocations, from 1. */
	uint64_t at, until;
	bool names_lane;
	unsigned qpu, lane;
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
	struct emulated_fault fault, also; /* two at once */
};

extern const struct option_row emulated_option_rows[];

/* Options that `text` does not name get their defaults.  False and the reason
 * for an unknown option or value. */
bool
emulated_options_parse(struct emulated_options *, const char *text,
		       struct diag *why_not);

#endif
