/* SPDX-License-Identifier: MIT */
/*
 * Promise: a reader cuts a file of any length into whole blocks, pads its end,
 * and asks the kernel no more than it has to.  How it waits, and what it does
 * with streams, disks and errors, is asked of whole runs.
 */
#include "config.h"

#include "src/lanes/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu/sha256.h"
#include "tests/support/crypto.h"
#include "tests/support/fault.h"
#include "tests/support/random.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

enum { CAPACITY = 4096 };

static uint8_t message[17 * CAPACITY];
static uint8_t buffer[CAPACITY + READER_PADDING_BYTES];
static struct reader the_reader, *const reader = &the_reader;
static struct handout handout;
static struct job job;

static bool
open_message(size_t bytes, bool briefly)
{
	static char name[] = "f";

	scratch_file(name, message, bytes);
	fault_clear();
	job.name = name;
	errno = EWOULDBLOCK; /* of an earlier call */
	return reader_open(reader, &job, buffer, CAPACITY, briefly) &&
	       job.opened;
}

/* Return true if the reader hands out this many blocks and bytes, and they
 * equal the message from `from` on. */
static bool
next(uint32_t blocks, size_t bytes, size_t from)
{
	return reader_next(reader, &handout, false) == READER_BLOCKS &&
	       handout.data == buffer && handout.nblocks == blocks &&
	       handout.message_bytes == bytes &&
	       memcmp(buffer, message + from, bytes) == 0;
}

static bool
ends(void)
{
	return reader->has_ended &&
	       reader_next(reader, &handout, false) == READER_END;
}

/* Hash the rest of the input.  Return true if it is the first `bytes` bytes of
 * the message. */
static bool
hashes_to(size_t bytes)
{
	uint8_t ours[SHA256_DIGEST_BYTES], theirs[SHA256_DIGEST_BYTES];
	uint32_t state[SHA256_STATE_WORDS];
	enum reader_answer answer;

	memcpy(state, sha256_initial, sizeof(state));
	while ((answer = reader_next(reader, &handout, true)) == READER_BLOCKS)
		sha256_blocks(state, handout.data, handout.nblocks);
	sha256_digest(state, ours);
	crypto_digest(message, bytes, theirs);
	return answer == READER_END && reader->length == bytes &&
	       memcmp(ours, theirs, sizeof(ours)) == 0;
}

static void
test_lengths(bool briefly, const char *how)
{
	static const size_t ends[] = { 130, CAPACITY, 3 * CAPACITY };
	unsigned wrong = 0;

	for (unsigned i = 0; i < 3; i++)
		for (size_t bytes = ends[i] - 130; bytes <= ends[i] + 130;
		     bytes++)
			wrong += !open_message(bytes, briefly) ||
				 !hashes_to(bytes);
	ok(wrong == 0,
	   "%s: files of all lengths around the edges of blocks and "
	   "buffers are read to their end",
	   how);
}

/* Return true if each call was made this often. */
static bool
asked(unsigned reads, unsigned preads, unsigned advices)
{
	return fault_count(FAULT_read) == reads &&
	       fault_count(FAULT_pread) == preads &&
	       fault_count(FAULT_posix_fadvise) == advices;
}

static void
test_reads(void)
{
	ok(open_message(100, false) && next(2, 100, 0) && ends() &&
		   asked(1, 0, 0),
	   "a small file takes one read");
	ok(open_message(100, true) && next(2, 100, 0) && ends() &&
		   asked(0, 1, 0) && fault_count(FAULT_fstat) == 0,
	   "a small file need be neither looked at nor read at its offset");
	ok(open_message(CAPACITY - 1, true) && next(65, CAPACITY - 1, 0) &&
		   ends() && asked(0, 1, 0),
	   "a file that is a byte shorter than the buffer is small");
	ok(open_message(CAPACITY, true) && next(64, CAPACITY, 0) && !ends() &&
		   asked(1, 0, 0) && next(1, 0, 0) && ends() && asked(2, 0, 0),
	   "a file as large as the buffer takes two, the last of which sees "
	   "its end");
	ok(open_message(0, true) && reader->is_regular && next(1, 0, 0) &&
		   ends(),
	   "an empty file is looked at");
	ok(open_message(3 * CAPACITY + 7, false) &&
		   reader_remaining(reader) == 3 * CAPACITY + 7 &&
		   next(64, CAPACITY, 0) && reader->length == CAPACITY &&
		   reader_remaining(reader) == 2 * CAPACITY + 7 &&
		   next(64, CAPACITY, CAPACITY) &&
		   next(64, CAPACITY, 2 * CAPACITY) &&
		   next(1, 7, 3 * CAPACITY) && ends() && asked(4, 0, 1),
	   "a long file is read by the buffer, which the kernel is told");
}

/* Of a file that may be long, or a stream, more may come after a failure. */
static void
test_failures(void)
{
	open_message(300, false);
	fault_at(FAULT_read, 1, EIO);
	ok(reader_next(reader, &handout, false) == READER_FAILED &&
		   errno == EIO && fault_count(FAULT_read) == 1,
	   "an error of a read is handed on, and the read not repeated");
	fault_at(FAULT_read, 1, EINTR);
	ok(next(5, 300, 0) && ends(), "a signal is no error");
}

/* Holes ------------------------------------------------------------------------ */

/* What the file system says: from [0] to [1] there is a hole, and from [2] on; of a
 * file that has fewer blocks than bytes. */
static size_t holes[3];
static uint32_t file_system;
static bool is_dense, cannot_tell;

static int
say_blocks(int fd, struct stat *to)
{
	const int failed = fault_real_fstat(fd, to);

	to->st_blocks = is_dense ? (to->st_size + 511) / 512 : 0;
	return failed;
}

static int
say_file_system(int fd, struct statfs *to)
{
	(void)fd;
	to->f_type = (__typeof__(to->f_type))file_system;
	return 0;
}

static off_t
seek_hole(int fd, off_t at, int whence)
{
	const size_t from = (size_t)at;
	const off_t end = fault_real_lseek(fd, 0, SEEK_END);
	const bool in_first = from >= holes[0] && from < holes[1];

	errno = cannot_tell ? EINVAL : ENXIO;
	if (whence != SEEK_DATA && whence != SEEK_HOLE)
		return fault_real_lseek(fd, at, whence);
	if (cannot_tell || at >= end)
		return -1;
	if (whence == SEEK_HOLE)
		return from < holes[0] ? (off_t)holes[0] :
		       from < holes[2] ? (off_t)holes[2] :
					 at;
	if (from >= holes[2])
		return -1;
	return in_first ? (off_t)holes[1] : at;
}

static uint64_t bytes_read;

static ssize_t
count_bytes(int fd, void *to, size_t n, off_t at)
{
	const ssize_t got = fault_real_pread(fd, to, n, at);

	bytes_read += got > 0 ? (uint64_t)got : 0;
	return got;
}

/* Open a file with holes, and put zeros into the message there. */
static bool
open_sparse(size_t bytes)
{
	memset(message + holes[0], 0, holes[1] - holes[0]);
	if (bytes > holes[2])
		memset(message + holes[2], 0, bytes - holes[2]);
	scratch_file("f", message, bytes);
	fault_clear();
	fault_hooks.fstat = say_blocks;
	fault_hooks.fstatfs = say_file_system;
	fault_hooks.lseek = seek_hole;
	fault_hooks.pread = count_bytes;
	bytes_read = 0;
	return reader_open(reader, &job, buffer, CAPACITY, false);
}

static void
test_holes(void)
{
	static const struct {
		size_t holes[3], bytes, read;
		unsigned seeks;
		uint32_t file_system;
		bool is_dense, cannot_tell;
		const char *promise;
	} rows[] = {
		{ { 8192, 40960, 65536 },
		  65536,
		  32768,
		  13,
		  EXT4_SUPER_MAGIC,
		  false,
		  false,
		  "a hole is not read" },
		{ { 0, 40960, 49152 },
		  65536,
		  8192,
		  17,
		  XFS_SUPER_MAGIC,
		  false,
		  false,
		  "holes at the beginning and the end are not read" },
		{ { 0, 0, 0 },
		  65536,
		  0,
		  17,
		  TMPFS_MAGIC,
		  false,
		  false,
		  "a file that is all hole is not read" },
		{ { 100, 40001, 40960 },
		  65600,
		  2 * CAPACITY + 64,
		  18,
		  EXT4_SUPER_MAGIC,
		  false,
		  false,
		  "of a hole that is not whole buffers the edges are read" },
		{ { 8192, 40960, 65536 },
		  65536,
		  0,
		  0,
		  EXT4_SUPER_MAGIC,
		  true,
		  false,
		  "a file with all its blocks is not asked" },
		{ { 8192, 40960, 65536 },
		  65536,
		  0,
		  0,
		  NFS_SUPER_MAGIC,
		  false,
		  false,
		  "a file system that is not known is not asked" },
		{ { 8192, 40960, 65536 },
		  65536,
		  65536,
		  1,
		  EXT4_SUPER_MAGIC,
		  false,
		  true,
		  "a system that cannot tell is asked once" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		memcpy(holes, rows[i].holes, sizeof(holes));
		file_system = rows[i].file_system;
		is_dense = rows[i].is_dense;
		cannot_tell = rows[i].cannot_tell;
		ok(open_sparse(rows[i].bytes) && hashes_to(rows[i].bytes) &&
			   bytes_read == rows[i].read &&
			   fault_count(FAULT_lseek) == rows[i].seeks,
		   "%s", rows[i].promise);
	}
}

/* Half of the hole is handed out, and then the file changes. */
static bool
hands_out_half(void)
{
	const size_t half = sizeof(message) / CAPACITY / 2;

	memset(holes, 0, sizeof(holes));
	file_system = EXT4_SUPER_MAGIC;
	is_dense = cannot_tell = false;
	if (!open_sparse(sizeof(message)))
		return false;
	for (size_t i = 0; i < half; i++)
		if (!next(CAPACITY / 64, CAPACITY, i * CAPACITY))
			return false;
	return true;
}

static void
test_moving_holes(void)
{
	const size_t at = sizeof(message) / CAPACITY / 2 * CAPACITY;
	bool good = hands_out_half();
	int fd;

	/* hashes_to hashes what is left. */
	fd = fault_real_open("f", O_WRONLY, 0);
	good &= fd >= 0 && pwrite(fd, "data", 4, (off_t)at) == 4;
	holes[0] = holes[1] = 0;
	holes[2] = at + 4096;
	ok(good && reader_next(reader, &handout, false) == READER_BLOCKS &&
		   memcmp(handout.data, "data", 4) == 0,
	   "what is written into a hole before it is handed out is hashed");
	good = hands_out_half() && ftruncate(fd, (off_t)at + 100) == 0;
	ok(good && next(1, 64, at) && next(1, 36, at + 64) && ends() &&
		   reader->length == at + 100,
	   "a hole that is cut off ends where the file does");
	good = hands_out_half() && ftruncate(fd, (off_t)at - 100) == 0;
	ok(good && next(1, 0, at) && ends() && reader->length == at,
	   "a hole that is gone is handed out no further");
	fault_real_close(fd);
	fault_clear();
}

static void
test_stdin(void)
{
	const int fd = fault_real_open("f", O_RDONLY | O_CLOEXEC, 0);

	if (fd < 0 || (fd != STDIN_FILENO &&
		       (dup2(fd, STDIN_FILENO) < 0 || close(fd) != 0)))
		exit(99);
	reader_reset(reader);
	reader_open_stdin(reader, buffer, CAPACITY);
	ok(reader->fd == STDIN_FILENO && reader->must_be_oldest &&
		   reader->is_regular && reader->size == 0 &&
		   !reader_sees_change(reader, JOB_WATCHED) && hashes_to(300),
	   "standard input must be the oldest, and is read to its end");
	reader_close(reader);
	reader_close(reader);
	ok(reader->fd < 0 && fcntl(STDIN_FILENO, F_GETFD) >= 0,
	   "a reader does not close standard input");
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
	test_reads();
	test_failures();
	test_stdin();
	test_holes();
	test_moving_holes();
	reader_close(reader);
	return tap_done();
}
