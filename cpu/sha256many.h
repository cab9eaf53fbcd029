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
 * written, no stream has changed.
 *
 * Every function may be called by several threads at a time, but a context
 * belongs to one thread at a time.  There are no locks.  The first call asks the
 * CPU what it can do, which takes some microseconds.  Only sha256many_new
 * allocates memory.  A context is wiped when it is freed, and a stream when it
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
 * digests[i] becomes the digest of messages[i], for each i < n.  Messages may
 * overlap each other.  A digest may overlap its own message; where it overlaps
 * another one, the digest of that one is unspecified.
 *
 * The more messages a call has, the better: with fewer than sha256many_lanes()
 * the core is not full.  Long and short ones may be mixed.
 */
enum sha256many_status
sha256many_hash(size_t n, const struct sha256many_message *messages,
		unsigned char (*digests)[SHA256MANY_DIGEST_BYTES]);

/* The same for one message.  The digest may overlap it. */
enum sha256many_status
sha256many_hash_one(const void *message, size_t bytes,
		    unsigned char digest[SHA256MANY_DIGEST_BYTES]);

/*
 * Messages in pieces ----------------------------------------------------------
 */

/* A context: a fixed number of streams, each of which hashes one message after
 * the other. */
struct sha256many;

/*
 * Each of the streams 0 to streams - 1 begins a message.  Some 120 bytes a
 * stream are allocated.  At most `lanes` streams advance side by side; 0 sets no
 * limit.  NULL: there is not enough memory.
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
 * End the messages of n streams, named in `streams`; digests[i] becomes the
 * digest of that in streams[i].  After this a stream is finished: every use of
 * it is refused until it is restarted.  It is also refused to name one twice.
 */
enum sha256many_status
sha256many_finish(struct sha256many *, size_t n, const size_t *streams,
		  unsigned char (*digests)[SHA256MANY_DIGEST_BYTES]);

/* Begin a new message in a stream, finished or not. */
enum sha256many_status
sha256many_restart(struct sha256many *, size_t stream);

/*
 * Stream `to` of a context becomes a copy of stream `from` of another context or
 * of the same one, finished or not.  So the digest of what a message has so far
 * is that of a copy, which is finished.
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

/* How many messages advance side by side at most, 1 to 16: a call with fewer
 * leaves something of the core unused. */
unsigned
sha256many_lanes(void);

/* The name of the code that is run while this number of messages is left, for
 * instance "sha-x4-vl".  It says what the code uses, and how many messages it
 * advances. */
const char *
sha256many_kernel(size_t messages);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#endif
