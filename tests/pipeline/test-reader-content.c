/* SPDX-License-Identifier: MIT */
/*
 * Promise: a reader cuts an input of any length and kind into whole blocks
 * without losing or adding a byte, and pads its end.
 */
#include "config.h"

#include "src/lanes/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu/sha256.h"
#include "src/lanes/job.h"
#include "tests/support/crypto.h"
#include "tests/support/random.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

enum { CAPACITY = 4096 };

static uint8_t buffer[CAPACITY + READER_PADDING_BYTES];
static struct reader the_reader, *const reader = &the_reader;
static struct handout handout;
static struct job job;

static bool
open_input(bool briefly, const char *name)
{
	errno = EWOULDBLOCK; /* of an earlier call */
	job.name = (char *)(uintptr_t)name;
	return reader_open(reader, &job, buffer, CAPACITY, briefly);
}

static uint8_t message[5 * CAPACITY + 17];

/* Is this the state after these bytes of the message and their padding? */
static bool
is_state_after(const uint32_t *state, size_t bytes)
{
	uint8_t ours[SHA256_DIGEST_BYTES], theirs[SHA256_DIGEST_BYTES];

	sha256_digest(state, ours);
	crypto_digest(message, bytes, theirs);
	return memcmp(ours, theirs, sizeof(ours)) == 0;
}

/* Is what is left of the input, hashed to its end, these bytes of the message? */
static bool
hashes_to(size_t bytes)
{
	uint32_t state[SHA256_STATE_WORDS];
	enum reader_answer answer;

	memcpy(state, sha256_initial, sizeof(state));
	while ((answer = reader_next(reader, &handout, true)) == READER_BLOCKS)
		sha256_blocks(state, handout.data, handout.nblocks);
	return answer == READER_END && reader->length == bytes &&
	       is_state_after(state, bytes);
}

static void
test_lengths(bool briefly, const char *how)
{
	static const size_t ends[] = { 130, CAPACITY, 3 * CAPACITY };
	unsigned wrong = 0;

	for (unsigned i = 0; i < 3; i++)
		for (size_t bytes = ends[i] - 130; bytes <= ends[i] + 130;
		     bytes++) {
			scratch_file("f", message, bytes);
			wrong += !open_input(briefly, "f") || !job.opened ||
				 !hashes_to(bytes);
		}
	ok(wrong == 0,
	   "%s: files of all lengths around the edges of blocks and "
	   "buffers are read to their end",
	   how);
}

/* Its length is another one when it is read than when it was opened. */
static bool
changed_file_hashes(size_t before, size_t after)
{
	int fd;
	bool good;

	scratch_file("f", message, before);
	good = open_input(true, "f");
	fd = open("f", O_WRONLY | O_CLOEXEC);
	good = good && pwrite(fd, message, after, 0) == (ssize_t)after &&
	       ftruncate(fd, (off_t)after) == 0 && hashes_to(after);
	close(fd);
	return good;
}

static void
test_changes(void)
{
	ok(changed_file_hashes(1000, 3000) && changed_file_hashes(64, 65) &&
		   changed_file_hashes(1000, CAPACITY) &&
		   changed_file_hashes(1000, 2 * CAPACITY + 7) &&
		   changed_file_hashes(CAPACITY, 2 * CAPACITY),
	   "a file that grows is read to its new end");
	ok(changed_file_hashes(3000, 1000) && changed_file_hashes(1000, 0),
	   "a file that shrinks is read to its new end");
}

/* This thread writes the message to a FIFO in pieces of odd sizes. */
static void *
write_pieces(void *none)
{
	const int fd = open("pieces", O_WRONLY | O_CLOEXEC);

	for (size_t at = 0, piece = 1; at < sizeof(message); piece += 13) {
		const size_t left = sizeof(message) - at;
		const size_t n = left < piece % 700 ? left : piece % 700;
		const ssize_t put = write(fd, message + at, n);

		at += put > 0 ? (size_t)put : 0;
	}
	close(fd);
	return none;
}

/*
 * The engine may write on the bytes after a hand-out, and the lane may move on
 * to another buffer, as when its message goes to another worker.
 */
static void
test_incomplete_block(void)
{
	enum { SMALL = 512 };
	static uint8_t other[sizeof(buffer)];
	static char fifo[] = "pieces";
	uint8_t *const buffers[] = { buffer, other };
	uint32_t state[SHA256_STATE_WORDS];
	enum reader_answer answer;
	unsigned handouts = 0;
	pthread_t writer;

	scratch_fifo("pieces");
	job.name = fifo;
	if (!reader_open(reader, &job, buffer, SMALL, false) ||
	    pthread_create(&writer, NULL, write_pieces, NULL) != 0)
		exit(99);
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
	pthread_join(writer, NULL);
	ok(answer == READER_END && handouts > 10 &&
		   is_state_after(state, sizeof(message)) &&
		   reader->length == sizeof(message) &&
		   reader_remaining(reader) == 0,
	   "what is written after a hand-out, or on it later, does no harm");
}

static void
test_kinds(void)
{
	ok(open_input(true, "/dev/null") && reader->is_postponed &&
		   reader->must_be_oldest && reader->fd < 0 &&
		   reader_open_postponed(reader, &job) && hashes_to(0),
	   "a device is opened again when it is the oldest, and read");
	ok((!open_input(true, ".") ||
	    reader_next(reader, &handout, false) == READER_FAILED) &&
		   errno == EISDIR && job.opened,
	   "a directory opens but cannot be read");
}

int
main(void)
{
	alarm(60);
	scratch_enter();
	reader_reset(reader);
	for (size_t i = 0; i < sizeof(message); i++)
		message[i] = (uint8_t)random_32();
	test_lengths(false, "with a look");
	test_lengths(true, "briefly");
	test_changes();
	test_incomplete_block();
	test_kinds();
	reader_close(reader);
	return tap_done();
}
