/* SPDX-License-Identifier: MIT */
/*
 * Promise: the library hashes any number of messages of any lengths, whole or in
 * pieces, as the reference does; what it refuses changes nothing; and only a
 * context needs memory.
 */
#include "config.h"

#include "cpu/sha256many.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>

#include "tests/cpu/digests.h"
#include "tests/support/fault.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

enum { MOST = 40, DIGEST = SHA256MANY_DIGEST_BYTES };

struct messages {
	size_t n;
	struct sha256many_message list[MOST];
};

/* Lengths around the ends of blocks, with a long message now and then; each
 * message is in memory of just its size, at any alignment. */
static void
make_messages(struct messages *messages, size_t n)
{
	messages->n = n;
	for (size_t i = 0; i < n; i++) {
		const size_t bytes =
			random_32() % 16 == 0 ?
				random_32() % 6000 :
				random_32() % 5 * 64 + random_32() % 20;
		uint8_t *const data = malloc(bytes + 1);

		for (size_t at = 0; at < bytes; at++)
			data[at] = (uint8_t)random_32();
		messages->list[i] = (struct sha256many_message){ data, bytes };
	}
}

static void
free_messages(struct messages *messages)
{
	for (size_t i = 0; i < messages->n; i++)
		free((void *)messages->list[i].data);
}

static bool
all_right(const struct messages *messages, unsigned char (*digests)[DIGEST])
{
	for (size_t i = 0; i < messages->n; i++)
		if (!is_digest(digests[i], messages->list[i].data,
			       messages->list[i].bytes))
			return false;
	return true;
}

static void
test_whole_messages(void)
{
	unsigned char digests[MOST + 1][DIGEST], untouched[DIGEST];
	unsigned char one[DIGEST];
	struct messages messages;
	bool right = true, rest = true, single = true;

	memset(untouched, 0x55, sizeof(untouched));
	for (unsigned round = 0; round < 10 * MOST; round++) {
		make_messages(&messages, round % MOST);
		memset(digests, 0x55, sizeof(digests));
		right &= sha256many_hash(messages.n, messages.list, digests) ==
				 SHA256MANY_OK &&
			 all_right(&messages, digests);
		rest &= memcmp(digests[messages.n], untouched, DIGEST) == 0;
		for (size_t i = 0; i < messages.n; i++) {
			sha256many_hash_one(messages.list[i].data,
					    messages.list[i].bytes, one);
			single &= memcmp(one, digests[i], DIGEST) == 0;
		}
		free_messages(&messages);
	}
	ok(right, "0 to %d messages of any lengths have their digests",
	   MOST - 1);
	ok(rest, "nothing is written after the last digest");
	ok(single, "a message alone has the digest that it has among others");
}

/* Hash the remainder of each message, in pieces of any size. */
static void
feed(struct sha256many *context, const struct messages *messages)
{
	struct sha256many_piece pieces[2 * MOST];
	size_t done[MOST] = { 0 };
	bool more = true;

	while (more) {
		size_t n = 0;

		more = false;
		while (n < 2 * MOST && random_32() % 50) {
			const size_t i = random_32() % messages->n;
			const size_t left = messages->list[i].bytes - done[i];
			const size_t some = random_32() % 200;
			const size_t bytes = some < left ? some : left;

			pieces[n].stream = i;
			pieces[n].data =
				(const uint8_t *)messages->list[i].data +
				done[i];
			pieces[n++].bytes = bytes;
			done[i] += bytes;
		}
		if (sha256many_update(context, n, pieces) != SHA256MANY_OK)
			return;
		for (size_t i = 0; i < messages->n; i++)
			more |= done[i] < messages->list[i].bytes;
	}
}

static void
test_pieces(void)
{
	const struct sha256many_piece piece = { 0, "midst", 5 };
	unsigned char digests[MOST][DIGEST];
	bool right = true, again = true;

	for (unsigned lanes = 0; lanes <= 17; lanes++) {
		const size_t n = 1 + random_32() % (MOST - 1);
		struct sha256many *context = sha256many_new(n, lanes);
		size_t streams[MOST];

		for (size_t i = 0; i < n; i++)
			streams[i] = i;
		for (unsigned round = 0; round < 4; round++) {
			struct messages messages;

			make_messages(&messages, n);
			feed(context, &messages);
			*(round ? &again : &right) &=
				sha256many_finish(context, n, streams,
						  digests) == SHA256MANY_OK &&
				all_right(&messages, digests);
			for (size_t i = 0; i < n; i++)
				sha256many_restart(context, i);
			/* One more from the midst of a message. */
			sha256many_update(context, 1, &piece);
			sha256many_restart(context, 0);
			free_messages(&messages);
		}
		sha256many_free(context);
	}
	ok(right, "streams that are fed in pieces, several of one stream in a "
		  "call, have their digests with every limit of lanes");
	ok(again, "streams hash the next message after a restart");
}

static void
test_refused_messages(void)
{
	static const unsigned char untouched[2][DIGEST];
	unsigned char digests[2][DIGEST] = { { 0 } };
	struct sha256many_message list[2] = { { "abc", 3 }, { NULL, 1 } };

	ok(sha256many_hash(2, list, digests) == SHA256MANY_NO_DATA &&
		   sha256many_hash_one(NULL, 1, digests[0]) ==
			   SHA256MANY_NO_DATA &&
		   memcmp(digests, untouched, sizeof(digests)) == 0,
	   "a null pointer to a byte is refused, and no digest is written");
	list[1].bytes = 0;
	ok(sha256many_hash(2, list, digests) == SHA256MANY_OK &&
		   is_digest(digests[1], NULL, 0) &&
		   sha256many_hash_one(NULL, 0, digests[0]) == SHA256MANY_OK &&
		   is_digest(digests[0], NULL, 0),
	   "a null pointer to no bytes is the empty message");
	ok(sha256many_hash(0, NULL, NULL) == SHA256MANY_OK,
	   "no messages are hashed without any array");
	memset(digests, 0, sizeof(digests));
	ok(sha256many_hash(1, NULL, digests) == SHA256MANY_INVALID &&
		   sha256many_hash(1, list, NULL) == SHA256MANY_INVALID &&
		   sha256many_hash_one("", 0, NULL) == SHA256MANY_INVALID &&
		   memcmp(digests, untouched, sizeof(digests)) == 0,
	   "an array of messages or digests that is null is refused");
#if SIZE_MAX >> 61
	memset(digests, 0, sizeof(digests));
	list[1] = (struct sha256many_message){ "", (size_t)1 << 61 };
	ok(sha256many_hash(2, list, digests) == SHA256MANY_TOO_LONG &&
		   sha256many_hash_one("", SIZE_MAX, digests[0]) ==
			   SHA256MANY_TOO_LONG &&
		   memcmp(digests, untouched, sizeof(digests)) == 0,
	   "2^61 bytes are refused, as FIPS 180-4 wants, and not read");
#else
	tap_skip("size_t is too small for 2^61 bytes");
#endif
}

/* Calls that are refused, in the midst of two messages. */
static void
test_refused_pieces(void)
{
	static const size_t both[] = { 0, 1 }, twice[] = { 1, 1 }, none = 2;
	struct sha256many_piece pieces[] = { { 0, "ab", 2 },
					     { 1, "abcdef", 6 } };
	unsigned char digests[2][DIGEST] = { { 0 } }, untouched[DIGEST] = { 0 };
	struct sha256many *const context = sha256many_new(2, 0);

	sha256many_update(context, 2, pieces);
	pieces[1].stream = 2;
	ok(sha256many_update(context, 2, pieces) == SHA256MANY_NO_STREAM &&
		   sha256many_finish(context, 1, &none, digests) ==
			   SHA256MANY_NO_STREAM &&
		   sha256many_restart(context, 2) == SHA256MANY_NO_STREAM,
	   "a stream that the context does not have is refused");
	pieces[1] = (struct sha256many_piece){ 1, NULL, 1 };
	ok(sha256many_update(context, 2, pieces) == SHA256MANY_NO_DATA,
	   "a piece without data is refused");
#if SIZE_MAX >> 61
	pieces[1] = (struct sha256many_piece){ 0, "c", ((size_t)1 << 61) - 4 };
	ok(sha256many_update(context, 2, pieces) == SHA256MANY_TOO_LONG,
	   "pieces that make a message of 2^61 bytes are refused");
#else
	tap_skip("size_t is too small for 2^61 bytes");
#endif
	ok(sha256many_finish(context, 2, twice, digests) ==
			   SHA256MANY_FINISHED &&
		   memcmp(digests[0], untouched, DIGEST) == 0,
	   "to finish a stream twice in a call is refused");
	ok(sha256many_finish(context, 2, both, digests) == SHA256MANY_OK &&
		   is_digest(digests[0], (const uint8_t *)"ab", 2) &&
		   is_digest(digests[1], (const uint8_t *)"abcdef", 6),
	   "no refused call has changed a message");
	ok(sha256many_update(context, 1, pieces) == SHA256MANY_FINISHED &&
		   sha256many_finish(context, 1, both, digests) ==
			   SHA256MANY_FINISHED,
	   "a finished stream takes no piece and no second end");
	ok(sha256many_update(context, 0, NULL) == SHA256MANY_OK &&
		   sha256many_finish(context, 0, NULL, NULL) == SHA256MANY_OK,
	   "no pieces and no ends are allowed");
	sha256many_free(context);
	sha256many_free(NULL);
}

static void
test_null(void)
{
	static const size_t first = 0;
	const struct sha256many_piece piece = { 0, "a", 1 };
	unsigned char digest[1][DIGEST];
	struct sha256many *const context = sha256many_new(1, 0);

	ok(sha256many_update(NULL, 1, &piece) == SHA256MANY_INVALID &&
		   sha256many_finish(NULL, 1, &first, digest) ==
			   SHA256MANY_INVALID &&
		   sha256many_restart(NULL, 0) == SHA256MANY_INVALID &&
		   sha256many_copy(NULL, 0, context, 0) == SHA256MANY_INVALID &&
		   sha256many_copy(context, 0, NULL, 0) == SHA256MANY_INVALID,
	   "a null context is refused");
	ok(sha256many_update(context, 1, NULL) == SHA256MANY_INVALID &&
		   sha256many_finish(context, 1, NULL, digest) ==
			   SHA256MANY_INVALID &&
		   sha256many_finish(context, 1, &first, NULL) ==
			   SHA256MANY_INVALID &&
		   sha256many_finish(context, 1, &first, digest) ==
			   SHA256MANY_OK &&
		   is_digest(digest[0], NULL, 0),
	   "a null array is refused, and the stream goes on");
	sha256many_free(context);
}

/* Return true if a part of the message is in the context's memory. */
static bool
remembers(struct sha256many *context, const char *message)
{
	return memmem(context, malloc_usable_size(context), message,
		      strlen(message)) != NULL;
}

static void
test_wiping(void)
{
	static const char secret[] = "correct horse battery staple";
	static const size_t first = 0;
	const struct sha256many_piece piece = { 0, secret, strlen(secret) };
	unsigned char digests[1][DIGEST];
	struct sha256many *const context = sha256many_new(1, 0);
	bool before = true, after = false;

	sha256many_update(context, 1, &piece);
	before &= remembers(context, secret);
	sha256many_finish(context, 1, &first, digests);
	after |= remembers(context, secret);
	sha256many_restart(context, 0);
	sha256many_update(context, 1, &piece);
	before &= remembers(context, secret);
	sha256many_restart(context, 0);
	after |= remembers(context, secret);
	ok(before && !after,
	   "a stream that is finished or restarted has nothing "
	   "of its message any more");
	sha256many_free(context);
}

static void
test_copies(void)
{
	static const char text[] = "a message of more than one block, of which "
				   "the digest is wanted on the way, and later";
	static const size_t streams[] = { 0, 1 };
	const size_t bytes = strlen(text);
	struct sha256many_piece piece = { 0, text, 70 };
	unsigned char digests[2][DIGEST];
	struct sha256many *const context = sha256many_new(1, 0);
	struct sha256many *const other = sha256many_new(2, 0);

	sha256many_update(context, 1, &piece);
	ok(sha256many_copy(other, 1, context, 0) == SHA256MANY_OK &&
		   sha256many_finish(other, 1, &streams[1], digests) ==
			   SHA256MANY_OK &&
		   is_digest(digests[0], (const uint8_t *)text, 70),
	   "a copy of a stream gives the digest of what it has so far");
	piece = (struct sha256many_piece){ 0, text + 70, bytes - 70 };
	sha256many_update(context, 1, &piece);
	ok(sha256many_finish(context, 1, streams, digests) == SHA256MANY_OK &&
		   is_digest(digests[0], (const uint8_t *)text, bytes),
	   "the stream that was copied goes on");
	ok(sha256many_copy(other, 0, other, 1) == SHA256MANY_OK &&
		   sha256many_finish(other, 1, streams, digests) ==
			   SHA256MANY_FINISHED,
	   "the copy of a finished stream is finished");
	ok(sha256many_copy(other, 2, context, 0) == SHA256MANY_NO_STREAM &&
		   sha256many_copy(other, 0, context, 1) ==
			   SHA256MANY_NO_STREAM,
	   "copies of and to streams that do not exist are refused");
	sha256many_free(context);
	sha256many_free(other);
}

static void
test_overlaps(void)
{
	unsigned char memory[4][DIGEST], copy[4][DIGEST];
	const struct sha256many_message list[] = { { memory[0], DIGEST },
						   { memory[0] + 5, 0 },
						   { memory[1], DIGEST },
						   { memory[3], DIGEST - 1 } };

	memset(memory, 0xa5, sizeof(memory));
	memcpy(copy, memory, sizeof(copy));
	sha256many_hash_one(memory, sizeof(memory), memory[2]);
	ok(is_digest(memory[2], copy[0], sizeof(copy)),
	   "a digest may be inside of its message");
	memcpy(memory, copy, sizeof(copy));
	sha256many_hash(4, list, memory);
	ok(is_digest(memory[0], copy[0], DIGEST) &&
		   is_digest(memory[3], copy[3], DIGEST - 1),
	   "each of many digests may be where its message is");
}

static void
test_memory(void)
{
	static const struct sha256many_message list[] = { { "abc", 3 },
							  { "d", 1 },
							  { "", 0 } };
	unsigned char digests[3][DIGEST];

	fault_from(FAULT_MEMORY, 1, ENOMEM);
	ok(!sha256many_new(3, 0), "a context needs memory");
	ok(sha256many_hash(3, list, digests) == SHA256MANY_OK &&
		   is_digest(digests[0], (const uint8_t *)"abc", 3),
	   "whole messages need no memory");
	fault_clear();
	ok(!sha256many_new(SIZE_MAX / 64, 0),
	   "more streams than there are addresses are refused");
}

static void *
hash_abc(void *digest)
{
	sha256many_hash_one("abc", 3, digest);
	return NULL;
}

/* This case is run first: no thread has found out yet what the CPU can do. */
static void
test_threads(void)
{
	enum { THREADS = 4 };
	unsigned char digests[THREADS][DIGEST];
	pthread_t threads[THREADS];
	bool right = true;

	for (unsigned i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, hash_abc, digests[i]);
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		right &= is_digest(digests[i], (const uint8_t *)"abc", 3);
	}
	ok(right, "several threads may make the first call");
}

static void
test_cpu(void)
{
	const unsigned lanes = sha256many_lanes();
	bool texts = true;

	ok(lanes >= 1 && lanes <= 16 &&
		   strcmp(sha256many_kernel(16), sha256many_kernel(1000)) ==
			   0 &&
		   strcmp(sha256many_kernel(0), sha256many_kernel(1)) == 0,
	   "kernels have names for every number of messages (%s with %u lanes)",
	   sha256many_kernel(16), lanes);
	for (int i = SHA256MANY_OK; i <= SHA256MANY_INVALID + 1; i++)
		texts &= *sha256many_status_text((enum sha256many_status)i) !=
			 '\0';
	ok(texts, "every status has a text, an unknown one as well");
}

int
main(void)
{
	test_threads();
	test_whole_messages();
	test_pieces();
	test_refused_messages();
	test_refused_pieces();
	test_null();
	test_wiping();
	test_copies();
	test_overlaps();
	test_memory();
	test_cpu();
	return tap_done();
}
