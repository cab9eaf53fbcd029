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

#include <stddef.h>

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

/* The first row of a table shows the clock, since all its times are known. */
extern const struct timing timing_rows[];

#endif
