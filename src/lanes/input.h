/* SPDX-License-Identifier: MIT */
/*
 * input: the input of a message, as whole blocks.
 *
 * Who has time advances it: input_step opens it, learns what it is, reads once, and
 * hands out blocks.  A worker, a thread of the pool and a lane of a device call the
 * same function; they differ in what they may wait for:
 *
 *	storage           as `patience` says
 *	other processes   may_wait: the oldest input, when there is nothing to hash
 *	its turn          never: INPUT_EARLY, and the message goes to the handover
 *
 *	CLOSED ---+--> OPEN ------------------------------> PADDED
 *	   |      |      ^  blocks, as often as there are       the last ones, once
 *	   |      v      |
 *	   |    IN_TURN -+  standard input, devices, a FIFO that was not opened first
 *	   v
 *	FAILED: the job has its error, or the filter's verdict
 *
 * What is no regular file may make us wait for another process, or take what is meant
 * for an earlier input: it must be the oldest.  Inputs are opened without looking up
 * their names, until one is not a regular file: from then on (run.is_strict) names are
 * looked up first, and only regular files are opened before their turn.  So only FIFOs
 * that came first are open before that, and none of them twice at a time.
 *
 * A small file that is in the page cache takes three calls: it is read right after it
 * was opened, and where that ends within a sector, the file does.
 *
 * Only here messages are padded (FIPS 180-4, 5.1.1): everything downstream sees whole
 * blocks.  Between two steps the incomplete block is kept here, so whatever is written
 * into a buffer after the blocks does no harm.
 */
#ifndef SRC_LANES_INPUT_H
#define SRC_LANES_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/lanes/holes.h"
#include "src/lanes/job.h"

struct run;
struct stat;

enum {
	/* The last blocks may reach this far beyond the room. */
	INPUT_PADDING_BYTES = 64,
	INPUT_MIN_ROOM = 4096,
	/* A larger file is worth a look at its holes and at the disk that it is on. */
	INPUT_LONG_BYTES = 128 << 10
};

enum input_phase {
	INPUT_CLOSED,  /* not looked at yet */
	INPUT_IN_TURN, /* closed, or standard input: to be opened in its turn */
	INPUT_OPEN,
	INPUT_PADDED, /* the last blocks were handed out */
	INPUT_FAILED  /* and closed; the job has an error or a verdict */
};

/* For what reads and opens may wait of storage. */
enum input_patience {
	INPUT_FOR_NOTHING, /* only what is in the page cache */
	INPUT_FOR_SHORT,   /* what is not worth the claim of a disk (disk.h) */
	INPUT_FOR_DRIVES,  /* what is not on a rotating disk */
	INPUT_FOR_ALL
};

enum input_result {
	INPUT_BLOCKS,  /* *blocks is set */
	INPUT_BLOCKED, /* storage would make us wait */
	INPUT_EARLY,   /* it must be the oldest */
	INPUT_LATER, /* it is the oldest, and another process would make us wait */
	INPUT_LACKING, /* no descriptor is left; the job has the error */
	INPUT_ENDED    /* it is PADDED or FAILED */
};

/* Whole blocks of the message, valid until the next step. */
struct input_blocks {
	const uint8_t *data;
	uint32_t n;	      /* >= 1 */
	bool is_last;	      /* the padding is among them */
	size_t message_bytes; /* of the blocks; the rest is padding */
};

struct input {
	struct run *run;
	struct job *job;
	enum input_phase phase;
	int fd; /* -1: none */
	bool must_be_oldest;
	bool is_regular;
	/* Set by who has it: */
	bool is_oldest;
	enum input_patience patience;

	bool owns_fd;	     /* to be closed */
	bool is_nonblocking; /* its descriptor */
	bool by_offset; /* read at start + length, not at the offset of fd */
	bool cache_is_unknown; /* the system cannot tell what is in the page cache */
	bool is_uncached;      /* leaves nothing there */
	uint64_t start;	       /* of the message in its file */
	uint64_t size;	  /* of the message when it was opened; 0: not known */
	uint64_t length;  /* bytes of the message so far */
	uint64_t dropped; /* of these, bytes that are not in the page cache */
	struct holes holes;
	size_t tail_bytes; /* of the incomplete block */
	uint8_t tail[SHA256_BLOCK_BYTES];
};

/* Begin with the input of a job, CLOSED. */
void
input_begin(struct input *, struct run *, struct job *);

/*
 * Open the input, if that is due, and read its next blocks into the buffer, which has
 * INPUT_PADDING_BYTES more than `room`, a multiple of 64 bytes.  may_wait: another
 * process may make us wait.
 */
enum input_result
input_step(struct input *, uint8_t *buffer, size_t room, bool may_wait,
	   struct input_blocks *);

/* Open the file of a job before there is an input for it, without waiting.  Return
 * false to leave that to input_step. */
bool
input_open_ahead(struct job *, struct stat *);

/* Return whether the open file is on a disk that is known to rotate. */
bool
input_rotates(struct input *);

/* Skip bytes, whole blocks, that were read or mapped beside it; negative: go back. */
void
input_skip(struct input *, int64_t bytes);

/* Return the place in the file where the next bytes are. */
static inline uint64_t
input_place(const struct input *in)
{
	return in->start + in->length;
}

/* Return the bytes left of a regular file, by its size when it was opened, or 0 for
 * other inputs. */
static inline uint64_t
input_left(const struct input *in)
{
	return in->size > in->length ? in->size - in->length : 0;
}

/*
 * Return true if the input is a regular file whose size or mtime changed since it
 * was opened; if it is guarded, also by its ctime.  Call before it is closed.
 */
bool
input_sees_change(const struct input *, enum job_watch watched);

/* Close the input, if it is open. */
void
input_close(struct input *);

#endif
