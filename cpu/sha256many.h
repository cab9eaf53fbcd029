/* SPDX-License-Identifier: MIT */
/*
 * sha256many: SHA-256 (FIPS 180-4) of many messages at a time, on one core.
 *
 * SHA-256 of one message is a chain: every step waits for the one before, and a
 * core that could do more has to wait.  Several messages side by side fill it.
 * This library advances as many as are the fastest on the CPU that it runs on,
 * with its SHA instructions or its vector unit.
 *
 *	struct sha256many_message messages[2] = { { "abc", 3 }, { "", 0 } };
 *	unsigned char digests[2][SHA256MANY_DIGEST_BYTES];
 *
 *	sha256many_hash(2, messages, digests);
 *
 * Messages that arrive in pieces are streams of a context; see sha256many_new.
 *
 * A length is in bytes.  A message has less than 2^61 of them, since FIPS
 * 180-4, 5.1.1, stores its length in bits in 64 bits.  A pointer to no bytes may
 * be null, and an array of no elements; any other null pointer is refused.  A
 * function that does not return SHA256MANY_OK has done nothing: no digest is
 * written, and no stream has changed.
 *
 * Every function may be called by several threads at a time, but a context
 * belongs to one thread at a time.  There are no locks.  The first call detects
 * the features of the CPU and may measure two kernels, in tens of microseconds
 * (more where CPUID is emulated).  Only sha256many_new allocates memory.  A context is wiped when it is freed, and a stream when it
 * is finished or restarted; what was hashed may remain on the stack.
 */
#ifndef SHA256MANY_H
#define SHA256MANY_H

#include <stddef.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

#define SHA256MANY_DIGEST_BYTES 32

/* The version of this header: 10203 is 1.2.3. */
#define SHA256MANY_VERSION_NUMBER 10100

/* The version of the library that runs, such as "1.1.0". */
const char *
sha256many_version(void);

enum sha256many_status {
	SHA256MANY_OK,
	SHA256MANY_TOO_LONG,  /* a message would have 2^61 bytes or more */
	SHA256MANY_NO_DATA,   /* a null pointer to one byte or more */
	SHA256MANY_NO_STREAM, /* the context has no stream of this number */
	SHA256MANY_FINISHED,  /* this stream has got its digest */
	SHA256MANY_INVALID    /* the context or an array is null */
};

/* A sentence about a status, without a full stop; never null. */
const char *sha256many_status_text(enum sha256many_status);

/*
 * Whole messages ------------------------------------------------------------
 */

struct sha256many_message {
	const void *data;
	size_t bytes;
};

/*
 * Set digests[i] to the digest of messages[i], for each i < n.  Messages may
 * overlap each other.  A digest may overlap its own message; if it overlaps
 * another message, that one's digest is unspecified.
 *
 * The more messages a call has, the better: with fewer than sha256many_lanes()
 * the core is not full.  Long and short ones may be mixed.
 */
enum sha256many_status
sha256many_hash(size_t n, const struct sha256many_message *messages,
		unsigned char (*digests)[SHA256MANY_DIGEST_BYTES]);

/* Do the same for one message.  The digest may overlap it. */
enum sha256many_status
sha256many_hash_one(const void *message, size_t bytes,
		    unsigned char digest[SHA256MANY_DIGEST_BYTES]);

/*
 * Messages in pieces ----------------------------------------------------------
 */

/* A context: a fixed number of streams.  Each hashes one message after the
 * other. */
struct sha256many;

/*
 * Make a context.  Each of the streams 0 to streams - 1 begins a message.  Some
 * 120 bytes a stream are allocated.  At most `lanes` streams advance side by
 * side; 0 sets no limit.  Return NULL if there is not enough memory.
 */
struct sha256many *
sha256many_new(size_t streams, unsigned lanes);

/* The next bytes of the message in a stream. */
struct sha256many_piece {
	size_t stream;
	const void *data;
	size_t bytes;
};

/*
 * Add n pieces.  They are not needed any more after the call.  Those of
 * different streams are hashed side by side, so a call should have pieces of
 * many streams; several pieces of one stream are added in the order of the list.
 */
enum sha256many_status
sha256many_update(struct sha256many *, size_t n,
		  const struct sha256many_piece *pieces);

/*
 * End the messages of n streams, named in `streams`, and set digests[i] to the
 * digest of streams[i]'s message.  After this a stream is finished: every use of
 * it is refused until it is restarted.  A list with one stream twice is refused.
 */
enum sha256many_status
sha256many_finish(struct sha256many *, size_t n, const size_t *streams,
		  unsigned char (*digests)[SHA256MANY_DIGEST_BYTES]);

/* Begin a new message in a stream, finished or not. */
enum sha256many_status
sha256many_restart(struct sha256many *, size_t stream);

/*
 * Make stream `to` of a context a copy of stream `from` of another context or of
 * the same one, finished or not.  To get the digest of a message's beginning,
 * finish a copy.
 */
enum sha256many_status
sha256many_copy(struct sha256many *, size_t to, const struct sha256many *other,
		size_t from);

/* A null pointer is allowed. */
void
sha256many_free(struct sha256many *);

/*
 * About this CPU -----------------------------------------------------------------
 */

/* Return how many messages advance side by side at most, 1 to 16: a call with
 * fewer leaves a part of the core unused. */
unsigned
sha256many_lanes(void);

/* Return the name of the code that runs while this number of messages is left, for
 * instance "sha-x4-vl": the instructions that it uses, and the number of messages
 * that it advances. */
const char *
sha256many_kernel(size_t messages);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#endif
