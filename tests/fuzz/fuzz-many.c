/* SPDX-License-Identifier: MIT */
/*
 * Promise: whatever the order of the calls, libsha256many gives the streams of a
 * context and whole messages the digests of the reference, refuses what is not
 * allowed, and changes nothing then.
 *
 * Each call is four bytes: what, how many, of which stream, how long.
 */
#include "config.h"

#include <stdbool.h>

#include "cpu/sha256many.h"
#include "tests/cpu/digests.h"
#include "tests/fuzz/fuzz.h"

enum { STREAMS = 20, MOST = 24, DIGEST = SHA256MANY_DIGEST_BYTES };

/* What a stream has been fed. */
static struct fed {
	uint8_t bytes[8192];
	size_t len;
	bool finished;
} feds[STREAMS];

static void
update(struct sha256many *context, const uint8_t call[4], const uint8_t *data,
       size_t len)
{
	struct sha256many_piece pieces[MOST];
	enum sha256many_status right = SHA256MANY_OK;
	size_t added[STREAMS] = { 0 };
	const size_t n = call[1] % MOST;

	for (size_t i = 0; i < n; i++) {
		/* One of them may be a stream that is not there. */
		const size_t stream = (call[2] + i * call[3]) % (STREAMS + 1);
		size_t bytes = (call[3] * (i + 1)) % (len + 1);

		pieces[i] = (struct sha256many_piece){ stream, data, bytes };
		if (right != SHA256MANY_OK)
			continue;
		if (stream == STREAMS) {
			right = SHA256MANY_NO_STREAM;
		} else if (feds[stream].finished) {
			right = SHA256MANY_FINISHED;
		} else {
			added[stream] += bytes;
			if (feds[stream].len + added[stream] >
			    sizeof(feds->bytes))
				return;
		}
	}
	FUZZ_HOLDS(sha256many_update(context, n, pieces) == right);
	for (size_t i = 0; i < n && right == SHA256MANY_OK; i++) {
		struct fed *const fed = &feds[pieces[i].stream];

		if (pieces[i].bytes > 0)
			memcpy(fed->bytes + fed->len, data, pieces[i].bytes);
		fed->len += pieces[i].bytes;
	}
}

static void
finish(struct sha256many *context, const uint8_t call[4])
{
	enum sha256many_status right = SHA256MANY_OK;
	unsigned char digests[MOST][DIGEST];
	bool named[STREAMS] = { false };
	const size_t n = call[1] % MOST;
	size_t streams[MOST];

	for (size_t i = 0; i < n; i++) {
		const size_t stream = (call[2] + i * call[3]) % (STREAMS + 1);

		streams[i] = stream;
		if (right != SHA256MANY_OK)
			continue;
		if (stream == STREAMS)
			right = SHA256MANY_NO_STREAM;
		else if (feds[stream].finished || named[stream])
			right = SHA256MANY_FINISHED;
		else
			named[stream] = true;
	}
	FUZZ_HOLDS(sha256many_finish(context, n, streams, digests) == right);
	for (size_t i = 0; i < n && right == SHA256MANY_OK; i++) {
		struct fed *const fed = &feds[streams[i]];

		FUZZ_HOLDS(is_digest(digests[i], fed->bytes, fed->len));
		fed->finished = true;
	}
}

static void
restart(struct sha256many *context, size_t stream)
{
	FUZZ_HOLDS(sha256many_restart(context, stream) ==
		   (stream < STREAMS ? SHA256MANY_OK : SHA256MANY_NO_STREAM));
	if (stream < STREAMS) {
		feds[stream].len = 0;
		feds[stream].finished = false;
	}
}

/* Parts of the input, of which some overlap; a null pointer; a length that is
 * too great. */
static void
hash(const uint8_t call[4], const uint8_t *data, size_t len)
{
	enum sha256many_status right = SHA256MANY_OK;
	unsigned char digests[MOST][DIGEST];
	const size_t n = call[1] % MOST;
	struct sha256many_message messages[MOST], *last;

	for (size_t i = 0; i < n; i++) {
		const size_t from = call[2] * i % (len + 1);

		messages[i].data = data + from;
		messages[i].bytes = call[3] * (i + 1) % (len - from + 1);
	}
	last = &messages[n > 0 ? n - 1 : 0];
	if (n > 0 && call[3] == 255) {
		last->data = NULL;
		right = last->bytes > 0 ? SHA256MANY_NO_DATA : SHA256MANY_OK;
	}
	if (n > 0 && call[3] == 254 && SIZE_MAX > UINT32_MAX) {
		last->bytes = SIZE_MAX - call[2];
		right = SHA256MANY_TOO_LONG;
	}
	FUZZ_HOLDS(sha256many_hash(n, messages, digests) == right);
	for (size_t i = 0; i < n && right == SHA256MANY_OK; i++)
		FUZZ_HOLDS(is_digest(digests[i], messages[i].data,
				     messages[i].bytes));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct sha256many *context;
	uint8_t *copy;

	if (len < 1)
		return -1;
	copy = (uint8_t *)fuzz_copy(data, len);
	context = sha256many_new(STREAMS, copy[0] % 18);
	FUZZ_HOLDS(context != NULL);
	for (size_t i = 0; i < STREAMS; i++)
		restart(context, i);
	for (size_t at = 1; at + 4 <= len; at += 4) {
		const uint8_t *const call = copy + at;

		switch (call[0] % 4) {
		case 0: update(context, call, call, len - at); break;
		case 1: finish(context, call); break;
		case 2: restart(context, call[2] % (STREAMS + 1)); break;
		case 3: hash(call, call, len - at); break;
		}
	}
	sha256many_free(context);
	free(copy);
	return 0;
}
