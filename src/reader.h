/* SPDX-License-Identifier: MIT */
/*
 * reader: one input as a stream of whole 64-byte blocks.
 *
 * The only place that pads (FIPS 180-4, 5.1.1): the last hand-out ends with
 * the padding and the bit length.  Inputs are read, never mapped: a mapped
 * file that is truncated kills the process.
 */
#ifndef SRC_READER_H
#define SRC_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

enum {
	/* Room behind the data for the padding of the last hand-out. */
	READER_SLACK_BYTES = 128,
	READER_MIN_CAPACITY = 4096
};

enum reader_answer {
	READER_BLOCKS,		/* *handout is set */
	READER_LATER,		/* would have to wait */
	READER_END,		/* the padding has been handed out before */
	READER_FAILED		/* errno says why */
};

/* Does a read that has to wait for a disk need leave? */
enum reader_pace {
	READER_PATIENT,		/* no: it just waits */
	READER_WATCHED,		/* yes, but none has waited so far */
	READER_WARY,		/* one has: read only what is in the cache */
	READER_COLD		/* the next one would wait: READER_LATER */
};

/* Whole blocks of the input, valid until the next reader_next. */
struct handout {
	const uint8_t *data;
	uint32_t nblocks;	/* >= 1 */
	size_t message_bytes;	/* of the blocks; the rest is padding */
};

struct reader {
	/*
	 * Reading may wait for somebody, or take what is meant for an earlier
	 * input: to be read only when all earlier inputs are done.
	 */
	bool waits;
	bool fifo;
	bool regular;
	dev_t device;
	ino_t inode;
	enum reader_pace pace;	/* PATIENT is the leave, to be set when COLD */

	/* Private. */
	int fd;
	bool owns_fd;
	bool nonblocking;	/* descriptor is in non-blocking mode */
	bool reopens;		/* closed; open it when its turn comes */
	bool ended;
	uint8_t *buffer;
	size_t capacity;	/* whole blocks; READER_SLACK_BYTES follow */
	size_t tail_at;		/* incomplete block left by the last fill */
	size_t tail_bytes;
	uint64_t size;		/* of a regular file when opened, else 0 */
	off_t size_before;	/* of a regular file: before the first read */
	struct timespec modified_before;
	uint64_t length;	/* message bytes read so far */
};

/*
 * Open `name`, never waiting.  `buffer` has `capacity` (a multiple of 64)
 * bytes plus READER_SLACK_BYTES.  False: errno; *opened tells whether it was
 * the open that failed.
 */
bool
reader_open(struct reader *, const char *name, uint8_t *buffer,
	    size_t capacity, bool *opened);

/* Standard input from its current offset. */
void
reader_open_stdin(struct reader *, uint8_t *buffer, size_t capacity);

/* Give a descriptor back for now: reader_turn opens `name` again. */
void
reader_postpone(struct reader *);

/* From now on reads of a large file need leave to wait for a disk. */
void
reader_watch(struct reader *);

/* All earlier inputs are done: open what had to wait for that.  May wait. */
bool
reader_turn(struct reader *, const char *name);

/* The next blocks.  Waits for input only if may_wait. */
enum reader_answer
reader_next(struct reader *, struct handout *handout, bool may_wait);

/* Read on into another buffer; the previous hand-out stays where it is. */
void
reader_use_buffer(struct reader *, uint8_t *buffer, size_t capacity);

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
 * FIPS 180-4, 5.1.1: write the padding of a message of `length` bytes behind
 * its last `tail_bytes` (< 64) bytes at `tail`.  Returns the number of blocks
 * that start at `tail`: 1 or 2.
 */
uint32_t
reader_pad(uint8_t *tail, size_t tail_bytes, uint64_t length);

#endif
