/* SPDX-License-Identifier: MIT */
/*
 * reader: one input as a stream of whole 64-byte blocks.
 *
 * Only the reader pads (FIPS 180-4, 5.1.1): its last hand-out ends with the
 * padding and the bit length.  Everything downstream sees whole blocks.
 * Inputs are read; big files may be mapped beside it (mapping.h).
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

#include "src/lanes/holes.h"
#include "src/lanes/job.h"

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

struct stat;

/* The permission of a read to wait for a disk. */
enum disk_mode {
	DISK_MODE_WAIT,	  /* it may */
	DISK_MODE_CACHED, /* it must not: read only what is in the cache */
	DISK_MODE_BLOCKED /* the next read would wait: READER_LATER */
};

/* How to look at a file when it is opened. */
enum reader_look {
	READER_LOOK_WHOLE, /* by fstat(2) */
	READER_LOOK_SIZE,  /* by lseek(2), which costs less, if it is small */
	/* Read it at once, as far as it is in the cache: where that ends within a
	 * sector, the file does.  EAGAIN: the open would wait for storage. */
	READER_LOOK_READ
};

struct reader {
	/* Others may look at these: */
	int fd; /* -1 = none */
	/*
	 * Reading may wait for another process, or take what is meant for an
	 * earlier input: read this one only when all earlier inputs are done.
	 */
	bool must_be_oldest;
	/* Closed, or a file that is standard input, whose offset others may still
	 * move; reader_open_postponed opens it. */
	bool is_postponed;
	bool is_regular;
	bool has_pages; /* in the page cache: a file or a block device */
	bool has_ended; /* the last blocks have been handed out */
	/* Before the first read; zeros: it was only opened briefly. */
	struct file_version version;
	uint64_t size;	 /* of the message in a regular file when that was
			  * opened, else 0 */
	uint64_t length; /* bytes of the message read so far */

	/* The reader's own: */
	bool owns_fd;	   /* to be closed */
	bool nonblocking;  /* descriptor is in non-blocking mode */
	bool by_offset;	   /* read at start + length, not at the offset of fd */
	bool moves_offset; /* to there, when it is closed */
	uint64_t start;	   /* of the message in its file */
	enum disk_mode disk_mode;
	bool is_blind;	  /* residency in the cache cannot be found out */
	bool uncached;	  /* leaves nothing in the page cache */
	uint64_t dropped; /* bytes of the message that are not there */
	struct holes holes;
	uint8_t *buffer;
	size_t capacity;   /* whole blocks; READER_PADDING_BYTES follow */
	size_t zeros;	   /* at the beginning of the buffer */
	size_t read_bytes; /* in the buffer, since it was opened */
	size_t tail_bytes; /* of the incomplete block left by a fill */
	uint8_t tail[SHA256_BLOCK_BYTES];
};

/* Close the input and forget all about it; a reader begins so, from zeros. */
void
reader_reset(struct reader *);

/*
 * Open the file of a job, never waiting.  `buffer` has `capacity` (a multiple
 * of 64) bytes plus READER_PADDING_BYTES.  On failure return false with errno
 * set; `opened` of the job is false if open(2) itself failed.
 *
 * Without a whole look only the size of a file that fits into the buffer is
 * known.  Its type, device and inode are not, and reader_sees_change does not
 * work.
 */
bool
reader_open(struct reader *, struct job *, uint8_t *buffer, size_t capacity,
	    enum reader_look);

/* Open the file of a job before there is a reader for it, never waiting.
 * Return false to leave that to reader_open. */
bool
reader_open_ahead(struct job *, struct stat *);

/*
 * Read standard input from its current offset.  A file that does not fit into the
 * buffer is read as one with a name from reader_open_postponed on, so that it may be
 * mapped and read ahead; when it is closed its offset is where read(2) would have left
 * it.
 */
void
reader_open_stdin(struct reader *, uint8_t *buffer, size_t capacity);

/* Open a FIFO anew before closing it, so that nothing in it is lost and poll(2)
 * reports only writers from now on. */
void
reader_reopen(struct reader *, const struct job *);

/* Close the descriptor for now: reader_open_postponed opens it again. */
void
reader_postpone(struct reader *);

/* Begin with an input that is not opened yet: reader_open_postponed opens it. */
void
reader_begin_postponed(struct reader *, uint8_t *buffer, size_t capacity);

/* Let no read of the file wait without reader_use_disk from now on, if the
 * system supports that. */
void
reader_avoid_waiting(struct reader *);

/* Learn the st_dev of an input that was opened briefly.  On failure return
 * false with errno set. */
bool
reader_know_device(struct reader *);

/* Return true if the next read would wait for a disk.  Until reader_use_disk
 * allows that, reader_next returns READER_LATER. */
bool
reader_needs_disk(const struct reader *);

void
reader_use_disk(struct reader *);

/* Open what was postponed: all earlier inputs are done.  May wait, unless it is
 * standard input. */
bool
reader_open_postponed(struct reader *, const struct job *);

/*
 * Read from the medium from now on: drop the input's pages from the page cache
 * now, and later those that reading brings there.  Set *stays if some could
 * not be dropped.  Does nothing if the input has no pages, or while it is
 * postponed: call again when it is open.  Return false with errno set if
 * earlier writes to it did not reach the medium.
 */
bool
reader_avoid_cache(struct reader *, bool *stays);

/* Hand out the next blocks.  Waits for input only if may_wait. */
enum reader_answer
reader_next(struct reader *, struct handout *handout, bool may_wait);

/* Read on into another buffer; the previous hand-out stays where it is. */
void
reader_use_buffer(struct reader *, uint8_t *buffer, size_t capacity);

/*
 * Skip `bytes` bytes of the file, whole blocks, which another thread has read.
 */
void
reader_skip(struct reader *, size_t bytes);

/* Go back by `bytes` bytes, whole blocks, which are to be read after all. */
static inline void
reader_go_back(struct reader *reader, size_t bytes)
{
	reader->length -= bytes;
}

/* Return the place in the file where the next bytes are. */
static inline uint64_t
reader_place(const struct reader *reader)
{
	return reader->start + reader->length;
}

/* Return whether the next bytes of a file are known to be in no hole. */
static inline bool
reader_is_at_data(const struct reader *reader, size_t bytes)
{
	return !reader->holes.any ||
	       reader->holes.data_end >= reader_place(reader) + bytes;
}

/* Return the bytes left of a regular file, by its size when it was opened, or
 * 0 for other inputs. */
uint64_t
reader_remaining(const struct reader *);

/*
 * Return true if the input is a regular file whose size or mtime changed since it
 * was opened; if it is guarded, also by its ctime.  Call before it is closed.
 */
bool
reader_sees_change(const struct reader *, enum job_watch watched);

/* Close the input, if it is open. */
void
reader_close(struct reader *);

#endif
