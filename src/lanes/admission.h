/* SPDX-License-Identifier: MIT */
/*
 * admission: may the input of a job be opened, and read now?
 *
 * Standard input, FIFOs and devices may make us wait, or take what belongs to an
 * earlier input; descriptors and the heads of rotating disks are scarce; some
 * files are not to be hashed.  All of that is decided here, and remembered
 * where several lanes have to know it.
 *
 * Inputs are opened without looking up their names, until one is no regular file:
 * from then on (run.is_strict) names are looked up first, and what is no regular
 * file is opened in its turn.  So only the first FIFO is open before that, and no
 * FIFO twice at a time.
 *
 * Any worker may call.
 */
#ifndef SRC_LANES_ADMISSION_H
#define SRC_LANES_ADMISSION_H

#include <stdbool.h>
#include <stddef.h>

#include "src/lanes/message.h"

struct run;

enum admission {
	ADMISSION_OPEN,	 /* it may be read, in its turn and when it is ready */
	ADMISSION_WAIT,	 /* what is missing may be there later: ask again */
	ADMISSION_FETCH, /* a fetcher should read it */
	ADMISSION_REFUSE /* the job has an error, or a verdict */
};

/*
 * Open the input of a message, into a buffer.  ADMISSION_WAIT: there is no
 * descriptor.  asks: the kernel is asked whether reading would wait.  ADMISSION_FETCH:
 * opening it would wait for storage, and may_wait is false.
 */
enum admission
admission_open(struct run *, struct message *, uint8_t *buffer, size_t capacity,
	       bool asks, bool may_wait);

/* The input is the oldest now: open it if that was postponed.  May wait.
 * ADMISSION_WAIT: there is no descriptor. */
enum admission
admission_open_postponed(struct run *, struct message *);

/* Is the file that is open on a disk that is known to rotate? */
bool
admission_rotates(struct run *, struct message *);

/*
 * Reading the input has to wait for its storage.  ADMISSION_OPEN: read it all
 * the same, with its rotating disk claimed; ADMISSION_WAIT: others have it.
 */
enum admission
admission_wait(struct run *, struct message *);

/* Claim its disk before it is known whether it is needed.  False: others have
 * it. */
bool
admission_claim_disk(struct run *, struct message *);

/* The message has ended, or was given up. */
void
admission_release(struct run *, struct message *);

#endif
