/* SPDX-License-Identifier: MIT */
/*
 * message: a job that is being read and hashed, and its place in the order of jobs.
 *
 * The sequencer makes messages, one for each job, and uses them again. A lane of a
 * worker (lane.h) or of a device (src/feed/device_lane.h) holds one. When a started
 * message changes hands it goes as it is: the holder of the pointer has the message,
 * and no other thread uses it.
 */
#ifndef SRC_LANES_MESSAGE_H
#define SRC_LANES_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/libcrypto.h"
#include "src/lanes/handover.h"
#include "src/lanes/input.h"
#include "src/lanes/job.h"

/*
 * The least blocks left for which a message is worth moving between a lane of
 * a device and a worker: a lane hashes as many in the two launches that a
 * hand-over takes.
 */
enum { MIGRATION_MIN_BLOCKS = 2 * 512 };

struct ring;
struct disk;

/*
 * The second and third opinion of --verify.  The blocks that an engine has hashed
 * go, from the same memory, to the CPU reference; the bytes of the message go to
 * libcrypto, which does its own padding.
 */
struct verify {
	const struct libcrypto *crypto; /* NULL = not verifying */
	uint32_t state[SHA256_STATE_WORDS];
	struct libcrypto_sha256 other;
};

struct message {
	struct job job; /* the first member */
	struct message *
		later; /* the next one in the order, or in a list of spare ones */
	/* From message_begin to message_end: */
	struct input input;
	uint64_t handed_bytes; /* of the message, handed out so far */
	struct verify verify;  /* the check of --verify, as far as hashed */
	/* Between two holders: the hash value of all blocks handed out. */
	uint32_t state[SHA256_STATE_WORDS];
	struct disk *disk;  /* that rotates, and is claimed, or NULL */
	bool lacks_disk;    /* another message has it */
	bool may_be_mapped; /* a big file that is cached, so far */
	struct ring
		*ring; /* what is read before a lane asks (ahead.h), or NULL */
	enum handover_why why;
	bool has_lacked;      /* a descriptor, when no other job had one */
	bool is_open_early;   /* while it waits to be the oldest */
	struct message *next; /* in a queue of those that change hands */
};

/*
 * Return the blocks of a padded message of `bytes` bytes (FIPS 180-4, 5.1.1).
 */
static inline uint64_t
message_padded_blocks(uint64_t bytes)
{
	return (bytes + 8) / 64 + 1;
}

static inline struct message *
job_message(struct job *job)
{
	return (struct message *)job;
}

/* Begin with a job, or again; its input is not open. */
void
message_begin(struct message *, struct run *);

/* Close its input and give back what it holds, when its job has ended or will begin
 * again. */
void
message_end(struct message *);

/* Return the blocks that are still to be read, by the size when the file was
 * opened. */
static inline uint64_t
message_blocks_left(const struct message *message)
{
	return message_padded_blocks(input_left(&message->input));
}

/* Feed the reference with nblocks blocks at data that the engine has hashed.
 * The first message_bytes bytes are the message, the rest padding. */
void
verify_feed(struct verify *, const uint8_t *data, uint32_t nblocks,
	    size_t message_bytes);

/* Get the digest by the reference.  Return false if libcrypto disagrees. */
bool
verify_expected(struct verify *, uint8_t digest[SHA256_DIGEST_BYTES]);

/* Compare the digest of the engine with both opinions, and correct it. */
enum job_verdict
verify_finish(struct verify *, uint8_t digest[SHA256_DIGEST_BYTES]);

#endif
