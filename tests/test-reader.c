/* SPDX-License-Identifier: MIT */
/*
 * Promise: the reader pads as FIPS 180-4 says, whatever the length, and cuts
 * any input into whole blocks without losing or adding a byte.
 */
#include "config.h"

#include "src/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/sha.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cpu/sha256.h"
#include "src/readahead.h"
#include "tests/tap.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

enum { CAPACITY = 4096 };

static alignas(64) uint8_t buffer[CAPACITY + READER_SLACK_BYTES];
static char path[] = "test-reader-XXXXXX";

static void
fill(uint8_t *bytes, size_t len, uint32_t seed)
{
	for (size_t i = 0; i < len; i++) {
		seed = seed * 1664525 + 1013904223;
		bytes[i] = (uint8_t)(seed >> 24);
	}
}

/* Hash what a thread reads ahead, from a given state on. */
static bool
drain_ahead_from(struct reader *reader, uint32_t state[SHA256_STATE_WORDS],
		 uint8_t digest[32])
{
	struct readahead *ahead = readahead_start(reader);
	enum reader_answer answer;
	struct handout handout;

	if (!ahead)
		return false;
	while ((answer = readahead_next(ahead, &handout)) == READER_BLOCKS)
		sha256_blocks(state, handout.data, handout.nblocks);
	sha256_digest(state, digest);
	readahead_stop(ahead);
	return answer == READER_END;
}

static bool
drain_ahead(struct reader *reader, uint8_t digest[32])
{
	uint32_t state[SHA256_STATE_WORDS];

	memcpy(state, sha256_initial, sizeof(state));
	return drain_ahead_from(reader, state, digest);
}

/* Hash what is left of an open reader. */
static bool
drain(struct reader *reader, uint8_t digest[32])
{
	uint32_t state[SHA256_STATE_WORDS];
	enum reader_answer answer;
	struct handout handout;

	memcpy(state, sha256_initial, sizeof(state));
	while ((answer = reader_next(reader, &handout, true)) == READER_BLOCKS)
		sha256_blocks(state, handout.data, handout.nblocks);
	sha256_digest(state, digest);
	return answer == READER_END;
}

static bool
file_hashes_like_libcrypto(const uint8_t *message, size_t len)
{
	uint8_t ours[32], theirs[32];
	struct reader reader;
	bool opened, good;
	int fd = open(path, O_WRONLY | O_TRUNC);

	good = write(fd, message, len) == (ssize_t)len;
	close(fd);
	good = good && reader_open(&reader, path, buffer, CAPACITY, &opened) &&
	       drain(&reader, ours);
	reader_close(&reader);
	SHA256(message, len, theirs);
	return good && memcmp(ours, theirs, 32) == 0;
}

static void
test_files(void)
{
	static uint8_t message[3 * CAPACITY + 1];
	unsigned good = 0, tried = 0;

	fill(message, sizeof(message), 7);
	for (size_t len = 0; len <= 300; len++, tried++)
		good += file_hashes_like_libcrypto(message, len);
	for (size_t len = CAPACITY - 130; len <= CAPACITY + 130; len++, tried++)
		good += file_hashes_like_libcrypto(message, len);
	for (size_t len = 3 * CAPACITY - 70; len <= 3 * CAPACITY; len++, tried++)
		good += file_hashes_like_libcrypto(message, len);
	ok(good == tried, "files of all lengths around block and buffer edges");
}

/*
 * A message too long to be read is begun in the middle: both sides get the
 * same state and the same number of bytes before.
 */
static bool
long_message_agrees(uint64_t before, size_t len)
{
	static uint8_t message[1024];
	uint8_t ours[32], theirs[32];
	uint32_t state[SHA256_STATE_WORDS];
	uint8_t tail[128];
	size_t whole = len / 64 * 64;
	SHA256_CTX ctx;

	fill(message, len, (uint32_t)before);
	SHA256_Init(&ctx);
	ctx.Nl = (uint32_t)(before << 3);
	ctx.Nh = (uint32_t)(before >> 29);
	SHA256_Update(&ctx, message, len);
	SHA256_Final(theirs, &ctx);

	memcpy(state, sha256_initial, sizeof(state));
	sha256_blocks(state, message, whole / 64);
	memcpy(tail, message + whole, len - whole);
	sha256_blocks(state, tail,
		      reader_pad(tail, len - whole, before + len));
	sha256_digest(state, ours);
	return memcmp(ours, theirs, 32) == 0;
}

static void
test_bit_length(void)
{
	static const int powers[] = { 29, 32, 61 };

	for (size_t i = 0; i < sizeof(powers) / sizeof(*powers); i++) {
		uint64_t edge = UINT64_C(1) << powers[i];
		unsigned good = 0;

		for (size_t len = 0; len < 256; len++)
			good += long_message_agrees(edge - 128, len);
		ok(good == 256, "the bit length carries at 2^%d bytes",
		   powers[i]);
	}
}

struct dribble {
	const uint8_t *message;
	size_t len;
	char *fifo;
};

/* Writes a FIFO in pieces of odd sizes. */
static void *
write_dribble(void *arg)
{
	struct dribble *dribble = arg;
	int fd = open(dribble->fifo, O_WRONLY);

	for (size_t at = 0, piece = 1; at < dribble->len; piece += 13) {
		size_t n = dribble->len - at;

		if (n > piece % 700)
			n = piece % 700;
		ssize_t put = write(fd, dribble->message + at, n);
		at += put > 0 ? (size_t)put : 0;
	}
	close(fd);
	return NULL;
}

static void
test_fifo(void)
{
	static uint8_t message[200001];
	char fifo[sizeof(path) + 8];
	uint8_t ours[32], theirs[32];
	struct dribble dribble = { message, sizeof(message), fifo };
	struct handout handout;
	struct reader reader;
	pthread_t writer;
	bool opened;

	fill(message, sizeof(message), 3);
	snprintf(fifo, sizeof(fifo), "%s.fifo", path);
	ok(mkfifo(fifo, 0600) == 0 &&
		   reader_open(&reader, fifo, buffer, CAPACITY, &opened),
	   "a FIFO without a writer opens at once");
	ok(reader.waits && reader.fifo, "a FIFO is read in its turn only");
	ok(reader_next(&reader, &handout, false) == READER_LATER,
	   "nothing is read before there is a writer");
	reader_close(&reader);
	reader_open(&reader, fifo, buffer, CAPACITY, &opened);
	pthread_create(&writer, NULL, write_dribble, &dribble);
	ok(drain(&reader, ours), "a slow FIFO is read to its end");
	pthread_join(writer, NULL);
	reader_close(&reader);
	SHA256(message, sizeof(message), theirs);
	ok(memcmp(ours, theirs, 32) == 0, "pieces of any size add up");
	unlink(fifo);
}

static void
test_readahead(void)
{
	static uint8_t message[3000017];
	uint8_t ours[32], theirs[32];
	struct handout handout;
	struct reader reader;
	bool opened;
	int fd = open(path, O_WRONLY | O_TRUNC);

	fill(message, sizeof(message), 11);
	if (write(fd, message, sizeof(message)) != sizeof(message))
		exit(99);
	close(fd);
	SHA256(message, sizeof(message), theirs);
	ok(reader_open(&reader, path, buffer, CAPACITY, &opened) &&
		   drain_ahead(&reader, ours) && memcmp(ours, theirs, 32) == 0,
	   "a file read ahead from its start");
	reader_close(&reader);

	/* The thread takes over behind the first hand-out. */
	uint32_t state[SHA256_STATE_WORDS];
	memcpy(state, sha256_initial, sizeof(state));
	reader_open(&reader, path, buffer, CAPACITY, &opened);
	reader_next(&reader, &handout, false);
	sha256_blocks(state, handout.data, handout.nblocks);
	ok(drain_ahead_from(&reader, state, ours) &&
		   memcmp(ours, theirs, 32) == 0,
	   "a thread takes over where the reader was");
	reader_close(&reader);
}

static void
test_special_files(void)
{
	struct reader reader;
	uint8_t digest[32], empty[32];
	bool opened;

	SHA256(NULL, 0, empty);
	ok(!reader_open(&reader, ".", buffer, CAPACITY, &opened) &&
		   errno == EISDIR && opened,
	   "a directory opens but cannot be read");
	ok(!reader_open(&reader, "does/not/exist", buffer, CAPACITY, &opened) &&
		   errno == ENOENT && !opened,
	   "a missing file cannot be opened");
	ok(reader_open(&reader, "/dev/null", buffer, CAPACITY, &opened) &&
		   reader.waits && reader.reopens,
	   "a device waits for its turn");
	ok(reader_turn(&reader, "/dev/null") && drain(&reader, digest) &&
		   memcmp(digest, empty, 32) == 0,
	   "a device is opened again and read in its turn");
	reader_close(&reader);
}

int
main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return 99;
	close(fd);
	test_files();
	test_bit_length();
	test_fifo();
	test_readahead();
	test_special_files();
	unlink(path);
	return tap_done();
}
