/* SPDX-License-Identifier: MIT */
/*
 * look_up: what the name of a job's input says of it, before it is opened.
 */
#ifndef SRC_FEED_LOOK_UP_H
#define SRC_FEED_LOOK_UP_H

struct job;

enum look_up {
	LOOK_UP_SIZED, /* a regular file that is not empty: job->blocks is set */
	/* Empty, or in /proc; a directory; cannot be looked up. */
	LOOK_UP_PLAIN,
	/* Standard input, FIFO, device: may make us wait, or take what belongs
	 * to an earlier input. */
	LOOK_UP_IN_TURN
};

/* A job whose blocks are known is not looked up again. */
enum look_up
look_up(struct job *);

#endif
