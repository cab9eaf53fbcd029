/* SPDX-License-Identifier: MIT */
/*
 * admission: decides whether the input of a job may be opened and read now.
 *
 * Standard input, FIFOs and devices may make us wait, or take what belongs to an
 * earlier input; descriptors and the heads of rotating disks are scarce; some
 * files are not to be hashed.  All of that is decided here, and remembered
 * where several lanes have to know it.
 *
 * Inputs are opened without looking up their names, until one is not a regular
 * file: from then on (run.is_strict) names are looked up first, and only
 * regular files are opened before their turn.  So only the first FIFO is open
 * before that, and no FIFO twice at a time.
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
 * Open the input of a message, into a buffer.  If `asks`, ask the kernel
 * whether reading would wait.  Return ADMISSION_WAIT if no descriptor is left,
 * and ADMISSION_FETCH if opening would wait for storage while may_wait is
 * false.
 */
enum admission
admission_open(struct run *, struct message *, uint8_t *buffer, size_t capacity,
	       bool asks, bool may_wait);

/* Open the input if that was postponed; it must be the oldest now.  May wait.
 * Return ADMISSION_WAIT if no descriptor is left. */
enum admission
admission_open_postponed(struct run *, struct message *);

/* Return true if the open file is on a disk that is known to rotate. */
bool
admission_rotates(struct run *, struct message *);

/*
 * Decide on an input that has to wait for its storage.  Return ADMISSION_OPEN
 * to read it all the same, with its rotating disk claimed, or ADMISSION_WAIT
 * if another message has the disk.
 */
enum admission
admission_wait(struct run *, struct message *);

/* Claim its disk before it is known whether it is needed.  Return false if
 * another message has it. */
bool
admission_claim_disk(struct run *, struct message *);

/* Release the disk of a message that has ended or was given up. */
void
admission_release(struct run *, struct message *);

#endif
