/* SPDX-License-Identifier: MIT */
/*
 * timing: a loop whose duration tells how long something takes.
 *
 * A row is the body of a loop.  Its time is the difference between a long run
 * and a short one, so that launching and cold caches cancel out.
 *
 * A program finds
 *	rb31		the address of its data; QPUs are `apart` bytes apart
 *	rb30		the same for all QPUs
 *	lanes k		a macro: ra1 is rb31 plus k times the lane's number
 * and leaves ra29..ra31 and semaphore 0 alone.
 */
#ifndef QPU_CHECK_TIMING_H
#define QPU_CHECK_TIMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "qpu/check/rig.h"

struct timing {
	const char *name;  /* NULL ends the table */
	const char *setup; /* before the loop; may be NULL */
	const char *body;
	const char *other; /* body of the second QPU, if another */
	unsigned times;	   /* copies of the body in the loop */
	unsigned units;	   /* of the thing that the name says, in a body */
	unsigned qpus;
	unsigned rounds; /* of the short run on the model */
	size_t apart;
	/* That all QPUs together move in one unit: the rate is printed, too; 0
	 * = nobody asks for it. */
	unsigned bytes;
};

enum {
	/* At the end of each round: counting, branch and its delay slots. */
	TIMING_LOOP_INSTRUCTIONS = 5,
	TIMING_CLOCKS = 4 /* of an instruction */
};

struct measure {
	double round_ns;
	double launch_us;   /* of all that does not depend on the rounds */
	double short_us;    /* the same if the device knows it to be short */
	unsigned ncounters; /* 0 if the device does not count */
	struct {
		const char *name;
		double value;
	} counters[DEVICE_COUNTERS];
};

/* The first row of a table shows the clock, since all its times are known. */
extern const struct timing timing_rows[];

/* The short run has `rounds`.  False when the device failed. */
bool
measure(struct rig *rig, const struct timing *timing, unsigned rounds,
	struct measure *result, struct diag *why);

/*
 * Print the rows' times to `report`, and counters to `raw`, beside those of
 * `model`, the emulated device with times.  False when the device failed.
 */
bool
timings_print(struct rig *rig, struct rig *model, const struct timing *rows,
	      FILE *report, FILE *raw);

#endif
