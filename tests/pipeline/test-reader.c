/* SPDX-License-Identifier: MIT */
/*
 * Promise: the reader pads as FIPS 180-4 says, whatever the length, and cuts
 * any input into whole blocks without losing or adding a byte.
 */
#include "config.h"

#include "src/lanes/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/sha.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cpu/sha256.h"
#include "src/lanes/readahead.h"
#include "tests/support/tap.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

enum { CAPACITY = 4096, SLACK_BYTES = 128 };

static alignas(64) uint8_t buffer[CAPACITY + READER_PADDING_BYTES];
static char path[] = "test-reader-XXXXXX";

static void
fill(uint8_t *bytes, size_t len, uint32_t seed)
{
	for (size_t i = 0; i < len; i++) {
		seed = seed * 1664525 + 1013904223;
		bytes[i] = (uint8_t)(seed >> 24);
	}
}

static struct reader *
new_reader(void)
{
	struct reader *reader = reader_new();

	if (!reader)
		exit(99);
	return reader;
}

/* Hash what a thread reads ahead, from a given state on. */
static bool
drain_ahead_from(struct reader *reader, uint32_t state[SHA256_STATE_WORDS],
		 uint8_t digest[32])
{
	struct readahead *ahead =
		readahead_start(reader, READER_PADDING_BYTES + SLACK_BYTES);
	enum reader_answer answer;
	struct handout handout;

	if (!ahead)
		return false;
	while ((answer = readahead_next(ahead, &handout)) == READER_BLOCKS) {
		sha256_blocks(state, handout.data, handout.nblocks);
		/* As an engine may, while the thread reads. */
		memset((uint8_t *)handout.data +
			       handout.nblocks * SHA256_BLOCK_BYTES,
		       0xaa, SLACK_BYTES);
	}
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

/* reader_open or reader_open_briefly */
typedef bool
open_function(struct reader *, const struct job_root *, const char *name,
	      uint8_t *buffer, size_t capacity, bool *opened);

static bool
file_hashes_like_libcrypto(open_function *open_reader, const uint8_t *message,
			   size_t len)
{
	uint8_t ours[32], theirs[32];
	struct reader *reader = new_reader();
	bool opened, good;
	int fd = open(path, O_WRONLY | O_TRUNC);

	good = write(fd, message, len) == (ssize_t)len;
	close(fd);
	good = good &&
	       open_reader(reader, NULL, path, buffer, CAPACITY, &opened) &&
	       opened && drain(reader, ours) && reader->length == len;
	reader_free(reader);
	SHA256(message, len, theirs);
	return good && memcmp(ours, theirs, 32) == 0;
}

static void
test_files(open_function *open_reader, const char *how)
{
	static uint8_t message[3 * CAPACITY + 1];
	unsigned good = 0, tried = 0;

	fill(message, sizeof(message), 7);
	for (size_t len = 0; len <= 300; len++, tried++)
		good += file_hashes_like_libcrypto(open_reader, message, len);
	for (size_t len = CAPACITY - 130; len <= CAPACITY + 130; len++, tried++)
		good += file_hashes_like_libcrypto(open_reader, message, len);
	for (size_t len = 3 * CAPACITY - 70; len <= 3 * CAPACITY;
	     len++, tried++)
		good += file_hashes_like_libcrypto(open_reader, message, len);
	ok(good == tried,
	   "%s: files of all lengths around block and buffer "
	   "edges",
	   how);
}

/* Its length is another one when it is read than when it was opened. */
static bool
changed_file_hashes(size_t before, size_t after)
{
	static uint8_t message[3 * CAPACITY];
	uint8_t ours[32], theirs[32];
	struct reader *reader = new_reader();
	int fd = open(path, O_WRONLY | O_TRUNC);
	bool opened, good;

	fill(message, sizeof(message), (uint32_t)(before + after));
	good = write(fd, message, before) == (ssize_t)before &&
	       reader_open_briefly(reader, NULL, path, buffer, CAPACITY,
				   &opened) &&
	       pwrite(fd, message, after, 0) == (ssize_t)after &&
	       ftruncate(fd, (off_t)after) == 0 && drain(reader, ours);
	close(fd);
	reader_free(reader);
	SHA256(message, after, theirs);
	return good && memcmp(ours, theirs, 32) == 0;
}

static void
test_brief_open(void)
{
	enum { SMALL = 100 };
	static const uint8_t message[2 * CAPACITY];
	struct reader *reader = new_reader();
	struct handout handout;
	bool opened, regular;
	char fifo[sizeof(path) + 8];

	ok(changed_file_hashes(1000, 3000) && changed_file_hashes(64, 65) &&
		   changed_file_hashes(1000, CAPACITY) &&
		   changed_file_hashes(1000, 2 * CAPACITY + 7),
	   "a small file that grows is read to its new end");
	ok(changed_file_hashes(3000, 1000) && changed_file_hashes(1000, 0),
	   "a small file that shrinks is read to its new end");

	if (!file_hashes_like_libcrypto(reader_open, message, SMALL))
		exit(99);
	reader_open(reader, NULL, path, buffer, CAPACITY, &opened);
	regular = reader->is_regular && reader->size == SMALL;
	reader_open_briefly(reader, NULL, path, buffer, CAPACITY, &opened);
	ok(regular && !reader->is_regular && reader->size == SMALL,
	   "a small file is opened without a look at its type");
	if (!file_hashes_like_libcrypto(reader_open, message, CAPACITY))
		exit(99);
	reader_open_briefly(reader, NULL, path, buffer, CAPACITY, &opened);
	ok(reader->is_regular && reader->size == CAPACITY,
	   "a larger file is opened with a look at its type");

	opened = false;
	ok((!reader_open_briefly(reader, NULL, ".", buffer, CAPACITY,
				 &opened) ||
	    reader_next(reader, &handout, false) == READER_FAILED) &&
		   errno == EISDIR && opened,
	   "a directory opens but cannot be read, be it small");
	snprintf(fifo, sizeof(fifo), "%s.fifo", path);
	ok(mkfifo(fifo, 0600) == 0 &&
		   reader_open_briefly(reader, NULL, fifo, buffer, CAPACITY,
				       &opened) &&
		   reader->is_fifo && reader->must_be_oldest,
	   "a FIFO is noticed");
	ok(reader_open_briefly(reader, NULL, "/dev/null", buffer, CAPACITY,
			       &opened) &&
		   reader->is_postponed,
	   "a device is noticed");
	unlink(fifo);
	reader_free(reader);
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
	sha256_blocks(state, tail, sha256_pad(tail, len - whole, before + len));
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
	struct reader *reader = new_reader();
	pthread_t writer;
	bool opened;

	fill(message, sizeof(message), 3);
	snprintf(fifo, sizeof(fifo), "%s.fifo", path);
	ok(mkfifo(fifo, 0600) == 0 &&
		   reader_open(reader, NULL, fifo, buffer, CAPACITY, &opened),
	   "a FIFO without a writer opens at once");
	ok(reader->must_be_oldest && reader->is_fifo,
	   "a FIFO is read in its turn only");
	ok(reader_next(reader, &handout, false) == READER_LATER,
	   "nothing is read from a FIFO before there is a writer");
	reader_close(reader);
	reader_open(reader, NULL, fifo, buffer, CAPACITY, &opened);
	pthread_create(&writer, NULL, write_dribble, &dribble);
	ok(drain(reader, ours), "a slow FIFO is read to its end");
	pthread_join(writer, NULL);
	reader_free(reader);
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
	struct reader *reader = new_reader();
	bool opened;
	int fd = open(path, O_WRONLY | O_TRUNC);

	fill(message, sizeof(message), 11);
	if (write(fd, message, sizeof(message)) != sizeof(message))
		exit(99);
	close(fd);
	SHA256(message, sizeof(message), theirs);
	ok(reader_open(reader, NULL, path, buffer, CAPACITY, &opened) &&
		   drain_ahead(reader, ours) && memcmp(ours, theirs, 32) == 0,
	   "a file read ahead from its start");
	reader_close(reader);

	/* The thread takes over behind the first hand-out. */
	uint32_t state[SHA256_STATE_WORDS];
	memcpy(state, sha256_initial, sizeof(state));
	reader_open(reader, NULL, path, buffer, CAPACITY, &opened);
	reader_next(reader, &handout, false);
	sha256_blocks(state, handout.data, handout.nblocks);
	ok(drain_ahead_from(reader, state, ours) &&
		   memcmp(ours, theirs, 32) == 0,
	   "a thread takes over where the reader was");
	reader_free(reader);
}

/* A read that fills the buffer to the size the file had is not its end. */
static void
test_growth(void)
{
	static uint8_t message[2 * CAPACITY];
	struct reader *reader = new_reader();
	uint8_t ours[32], theirs[32];
	bool opened;
	int fd;

	fill(message, sizeof(message), 5);
	SHA256(message, sizeof(message), theirs);
	fd = open(path, O_WRONLY | O_TRUNC);
	if (fd < 0 || write(fd, message, CAPACITY) != CAPACITY ||
	    !reader_open(reader, NULL, path, buffer, CAPACITY, &opened) ||
	    write(fd, message + CAPACITY, CAPACITY) != CAPACITY)
		exit(99);
	close(fd);
	ok(drain(reader, ours) && memcmp(ours, theirs, 32) == 0,
	   "a file as large as the buffer that grows is read to its end");
	reader_free(reader);
}

static void
test_special_files(void)
{
	struct reader *reader = new_reader();
	uint8_t digest[32], empty[32];
	bool opened;

	SHA256(NULL, 0, empty);
	const int lowest = dup(STDIN_FILENO);
	close(lowest);
	ok(!reader_open(reader, NULL, ".", buffer, CAPACITY, &opened) &&
		   errno == EISDIR && opened,
	   "a directory opens but cannot be read");
	ok(fcntl(lowest, F_GETFD) < 0, "a directory is closed at once");
	ok(!reader_open(reader, NULL, "does/not/exist", buffer, CAPACITY,
			&opened) &&
		   errno == ENOENT && !opened,
	   "a missing file cannot be opened");
	ok(reader_open(reader, NULL, "/dev/null", buffer, CAPACITY, &opened) &&
		   reader->must_be_oldest && reader->is_postponed,
	   "a device waits for its turn");
	ok(reader_open_postponed(reader, NULL, "/dev/null") &&
		   drain(reader, digest) && memcmp(digest, empty, 32) == 0,
	   "a device is opened again and read in its turn");
	reader_free(reader);
}

/*
 * The engine may write on the bytes behind a hand-out, and the lane may move
 * on to another buffer, as when its message goes to another worker.
 */
static void
test_incomplete_block(void)
{
	enum { SMALL = 512 };
	static alignas(64) uint8_t other[SMALL + READER_PADDING_BYTES];
	static uint8_t message[5 * CAPACITY + 17];
	uint8_t *const buffers[] = { buffer, other };
	uint8_t ours[32], theirs[32];
	uint32_t state[SHA256_STATE_WORDS];
	struct reader *reader = new_reader();
	enum reader_answer answer;
	struct handout handout;
	unsigned handouts = 0;
	pthread_t writer;
	char fifo[sizeof(path) + 8];
	struct dribble dribble = { message, sizeof(message), fifo };
	bool opened;

	fill(message, sizeof(message), 23);
	SHA256(message, sizeof(message), theirs);
	snprintf(fifo, sizeof(fifo), "%s.fifo", path);
	if (mkfifo(fifo, 0600) != 0 ||
	    !reader_open(reader, NULL, fifo, buffer, SMALL, &opened))
		exit(99);
	pthread_create(&writer, NULL, write_dribble, &dribble);
	memcpy(state, sha256_initial, sizeof(state));
	while ((answer = reader_next(reader, &handout, true)) ==
	       READER_BLOCKS) {
		const size_t bytes = handout.nblocks * SHA256_BLOCK_BYTES;
		uint8_t *old = buffers[handouts++ % 2];

		sha256_blocks(state, handout.data, handout.nblocks);
		memset(old + bytes, 0xaa, sizeof(other) - bytes);
		reader_use_buffer(reader, buffers[handouts % 2], SMALL);
		memset(old, 0x55, bytes);
	}
	sha256_digest(state, ours);
	pthread_join(writer, NULL);
	ok(answer == READER_END && handouts > 10 &&
		   memcmp(ours, theirs, 32) == 0,
	   "what is written behind a hand-out, or on it later, does no harm");
	ok(reader->length == sizeof(message) && reader_remaining(reader) == 0 &&
		   reader->has_ended,
	   "the length is that of the message");
	reader_free(reader);
	unlink(fifo);
}

int
main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return 99;
	close(fd);
	test_files(reader_open, "with a look");
	test_files(reader_open_briefly, "briefly");
	test_brief_open();
	test_bit_length();
	test_fifo();
	test_readahead();
	test_growth();
	test_special_files();
	test_incomplete_block();
	unlink(path);
	return tap_done();
}
