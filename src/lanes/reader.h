/* SPDX-License-Identifier: MIT */
/*
 * reader: one input as a stream of whole 64-byte blocks.
 *
 * Only the reader pads (FIPS 180-4, 5.1.1): its last hand-out ends with the
 * padding and the bit length.  Everything downstream sees whole blocks.
 * Inputs are read, never mapped: truncating a mapped file kills the process.
 *
 * Between two hand-outs the reader keeps the incomplete block (less than 64
 * bytes) in memory of its own.  The buffer belongs to its lane: whatever is
 * written there after the blocks of a hand-out does no harm.
 */
#ifndef SRC_LANES_READER_H
#define SRC_LANES_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	/* The last hand-out may reach this far beyond the capacity. */
	READER_PADDING_BYTES = 64,
	READER_MIN_CAPACITY = 4096
};

enum reader_answer {
	READER_BLOCKS, /* *handout is set */
	READER_LATER,  /* would have to wait */
	READER_END,    /* the padding has been handed out before */
	READER_FAILED  /* errno says why */
};

/* Whole blocks of the input, valid until the next reader_next. */
struct handout {
	const uint8_t *data;
	uint32_t nblocks;     /* >= 1 */
	size_t message_bytes; /* of the blocks; the rest is padding */
};

struct job_root;
struct reader;

/* A reader without an input; NULL when memory is short. */
struct reader *
reader_new(void);

/* Closes its input.  NULL is allowed. */
void
reader_free(struct reader *);

/* Close the input and forget all about it. */
void
reader_reset(struct reader *);

/*
 * Open `name`, never waiting; with a root below that (job.h).  `buffer` has
 * `capacity` (a multiple of 64) bytes plus READER_PADDING_BYTES.  False: errno;
 * *opened is false if open(2) itself failed.
 */
bool
reader_open(struct reader *, const struct job_root *root, const char *name,
	    uint8_t *buffer, size_t capacity, bool *opened);

/*
 * As reader_open, with lseek in place of fstat for a file that fits into the
 * buffer, since it costs less.  Only its size is known then: not its type,
 * device or inode, and reader_sees_change cannot tell.
 */
bool
reader_open_briefly(struct reader *, const struct job_root *root,
		    const char *name, uint8_t *buffer, size_t capacity,
		    bool *opened);

/* Standard input from its current offset. */
void
reader_open_stdin(struct reader *, uint8_t *buffer, size_t capacity);

/* Close the descriptor for now: reader_open_postponed opens `name` again. */
void
reader_postpone(struct reader *);

/* From now on no read of the file waits long without reader_use_disk; if its
 * disk rotates, not even the first one. */
void
reader_avoid_disk(struct reader *, bool rotates);

/* Would the next read wait for a disk?  Until reader_use_disk allows it, the
 * answer of reader_next is READER_LATER. */
bool
reader_needs_disk(const struct reader *);

void
reader_use_disk(struct reader *);

/* All earlier inputs are done: open what was postponed.  May wait. */
bool
reader_open_postponed(struct reader *, const struct job_root *root,
		      const char *name);

/* The next blocks.  Waits for input only if may_wait. */
enum reader_answer
reader_next(struct reader *, struct handout *handout, bool may_wait);

/* Read on into another buffer; the previous hand-out stays where it is. */
void
reader_use_buffer(struct reader *, uint8_t *buffer, size_t capacity);

/* Let a pipe hold that many bytes, if the input is one and the system allows
 * it. */
void
reader_widen_pipe(const struct reader *, int bytes);

/*
 * Reading may wait for another process, or take what is meant for an earlier
 * input: read this one only when all earlier inputs are done.
 */
bool
reader_must_be_oldest(const struct reader *);

/* Has it to be opened by reader_open_postponed? */
bool
reader_is_postponed(const struct reader *);

bool
reader_is_fifo(const struct reader *);

bool
reader_is_regular(const struct reader *);

/* -1 while nothing is open. */
int
reader_descriptor(const struct reader *);

dev_t
reader_device(const struct reader *);

ino_t
reader_inode(const struct reader *);

/* The last blocks have been handed out. */
bool
reader_has_ended(const struct reader *);

/* Size of a regular file when it was opened, else 0. */
uint64_t
reader_size(const struct reader *);

/* Bytes of the message read so far. */
uint64_t
reader_length(const struct reader *);

/* What is left of a regular file, by the size when it was opened; else 0. */
uint64_t
reader_remaining(const struct reader *);

/*
 * Is the input a regular file with another size, or another time of its last
 * modification, than when it was opened?  To be asked before it is closed.
 */
bool
reader_sees_change(const struct reader *);

/* Safe to call twice. */
void
reader_close(struct reader *);

/*
 * FIPS 180-4, 5.1.1: write the padding of a message of `length` bytes after
 * its last `tail_bytes` (< 64) bytes at `tail`.  Returns the number of blocks
 * that start at `tail`: 1 or 2.
 */
uint32_t
reader_pad(uint8_t *tail, size_t tail_bytes, uint64_t length);

#endif
