/* SPDX-License-Identifier: MIT */
/*
 * Promise: an input cuts a file of any length into whole blocks, pads its end,
 * and asks the kernel no more than it has to.  How it waits, and what it does
 * with streams, disks and errors, is asked of whole runs.
 */
#include "config.h"

#include "src/lanes/input.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu/sha256.h"
#include "src/lanes/run.h"
#include "tests/support/crypto.h"
#include "tests/support/fault.h"
#include "tests/support/random.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

enum { ROOM = 16 << 10 };

static struct pipeline_config config;
static struct run run = { .config = &config };
static uint8_t message[17 * ROOM];
static uint8_t buffer[ROOM + INPUT_PADDING_BYTES];
static struct input the_input, *const in = &the_input;
static struct input_blocks blocks;
static struct job job;

/* A page cache that has everything. */
static ssize_t
read_cached(int fd, const struct iovec *to, int n, off_t at, int flags)
{
	(void)n, (void)flags;
	return at < 0 ? fault_real_read(fd, to->iov_base, to->iov_len) :
			fault_real_pread(fd, to->iov_base, to->iov_len, at);
}

static void
begin_message(size_t bytes, enum input_patience patience)
{
	static char name[] = "f";

	scratch_file(name, message, bytes);
	input_close(in);
	fault_clear();
	fault_hooks.preadv2 = read_cached;
	job.name = name;
	errno = EWOULDBLOCK; /* of an earlier call */
	input_begin(in, &run, &job);
	in->patience = patience;
}

/* Return true if the input hands out n blocks, which have this many bytes, and they
 * equal the message from `from` on. */
static bool
next(uint32_t n, size_t bytes, size_t from)
{
	return input_step(in, buffer, ROOM, false, &blocks) == INPUT_BLOCKS &&
	       blocks.data == buffer && blocks.n == n &&
	       blocks.message_bytes == bytes &&
	       memcmp(buffer, message + from, bytes) == 0;
}

static bool
ends(void)
{
	return blocks.is_last && in->phase == INPUT_PADDED &&
	       input_step(in, buffer, ROOM, false, &blocks) == INPUT_ENDED &&
	       job.error == 0;
}

/* Hash the rest of the input, in a buffer that others use between two steps.  Return
 * true if it is the first `bytes` bytes of the message. */
static bool
hashes_to(size_t bytes)
{
	uint8_t ours[SHA256_DIGEST_BYTES], theirs[SHA256_DIGEST_BYTES];
	uint32_t state[SHA256_STATE_WORDS];
	enum input_result answer;

	memcpy(state, sha256_initial, sizeof(state));
	while ((answer = input_step(in, buffer, ROOM, true, &blocks)) ==
	       INPUT_BLOCKS) {
		sha256_blocks(state, blocks.data, blocks.n);
		memset(buffer, 0xff, sizeof(buffer));
	}
	sha256_digest(state, ours);
	crypto_digest(message, bytes, theirs);
	return answer == INPUT_ENDED && in->phase == INPUT_PADDED &&
	       in->length == bytes && memcmp(ours, theirs, sizeof(ours)) == 0;
}

static void
test_lengths(enum input_patience patience, const char *how)
{
	static const size_t ends[] = { 130, ROOM, 3 * ROOM };
	unsigned wrong = 0;

	for (unsigned i = 0; i < 3; i++)
		for (size_t bytes = ends[i] - 130; bytes <= ends[i] + 130;
		     bytes++) {
			begin_message(bytes, patience);
			wrong += !hashes_to(bytes);
		}
	ok(wrong == 0,
	   "%s: files of all lengths around the edges of blocks and "
	   "buffers are read to their end",
	   how);
}

/* Return true if each call was made this often. */
static bool
asked(unsigned fstats, unsigned reads, unsigned from_cache, unsigned seeks)
{
	return fault_count(FAULT_fstat) == fstats &&
	       fault_count(FAULT_read) == reads &&
	       fault_count(FAULT_pread) == 0 &&
	       fault_count(FAULT_preadv2) == from_cache &&
	       fault_count(FAULT_lseek) == seeks;
}

static void
test_reads(void)
{
	begin_message(100, INPUT_FOR_ALL);
	ok(next(2, 100, 0) && ends() && asked(1, 1, 0, 0) && job.opened,
	   "a small file takes one read");
	begin_message(100, INPUT_FOR_NOTHING);
	ok(next(2, 100, 0) && ends() && asked(0, 0, 1, 0) && job.opened,
	   "a small file in the cache is not looked at");
	begin_message(100, INPUT_FOR_SHORT);
	ok(next(2, 100, 0) && ends() && fault_count(FAULT_pread) == 1 &&
		   fault_count(FAULT_fstat) + fault_count(FAULT_preadv2) == 0,
	   "where the kernel cannot tell what is cached a small file is not "
	   "looked at");
	begin_message(1024, INPUT_FOR_NOTHING);
	ok(next(17, 1024, 0) && ends() && asked(0, 0, 1, 1),
	   "of whole sectors the end is looked for");
	begin_message(ROOM, INPUT_FOR_NOTHING);
	ok(next(ROOM / 64, ROOM, 0) && !blocks.is_last && next(1, 0, 0) &&
		   ends() && asked(1, 0, 2, 0),
	   "a file as large as the buffer takes two reads, the last of which "
	   "sees its end");
	begin_message(0, INPUT_FOR_NOTHING);
	ok(next(1, 0, 0) && in->is_regular && ends(),
	   "an empty file is looked at");
	begin_message(9 * ROOM + 7, INPUT_FOR_ALL);
	ok(next(ROOM / 64, ROOM, 0) && in->length == ROOM &&
		   input_left(in) == 8 * ROOM + 7 &&
		   next(ROOM / 64, ROOM, ROOM) && asked(1, 2, 0, 0) &&
		   fault_count(FAULT_posix_fadvise) == 1,
	   "a long file is read by the buffer, which the kernel is told");
}

/* Of a file that may be long, or a stream, more may come after a failure. */
static void
test_failures(void)
{
	begin_message(300, INPUT_FOR_ALL);
	fault_at(FAULT_read, 1, EINTR);
	ok(next(5, 300, 0) && ends(), "a signal is no error");
	begin_message(300, INPUT_FOR_ALL);
	fault_at(FAULT_read, 1, EIO);
	ok(input_step(in, buffer, ROOM, false, &blocks) == INPUT_ENDED &&
		   in->phase == INPUT_FAILED && job.error == EIO &&
		   in->fd < 0 && fault_count(FAULT_read) == 1,
	   "an error of a read is handed on, and the read not repeated");
	job.error = 0;
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
static void
begin_sparse(size_t bytes)
{
	memset(message + holes[0], 0, holes[1] - holes[0]);
	if (bytes > holes[2])
		memset(message + holes[2], 0, bytes - holes[2]);
	begin_message(bytes, INPUT_FOR_ALL);
	fault_hooks.fstat = say_blocks;
	fault_hooks.fstatfs = say_file_system;
	fault_hooks.lseek = seek_hole;
	fault_hooks.pread = count_bytes;
	bytes_read = 0;
}

/* clang-format off */
static const struct hole_row {
	size_t holes[3], bytes, read;
	unsigned seeks;
	uint32_t file_system;
	bool is_dense, cannot_tell;
	const char *promise;
} hole_rows[] = {
	{ { 32768, 163840, 262144 }, 262144, 131072, 13, EXT4_SUPER_MAGIC, false, false,
	  "a hole is not read" },
	{ { 0, 163840, 196608 }, 262144, 32768, 17, XFS_SUPER_MAGIC, false, false,
	  "holes at the beginning and the end are not read" },
	{ { 0, 0, 0 }, 262144, 0, 17, TMPFS_MAGIC, false, false,
	  "a file that is all hole is not read" },
	{ { 100, 160004, 163840 }, 262208, 2 * ROOM + 64, 18, EXT4_SUPER_MAGIC, false, false,
	  "of a hole that is not whole buffers the edges are read" },
	{ { 32768, 163840, 262144 }, 262144, 0, 0, EXT4_SUPER_MAGIC, true, false,
	  "a file with all its blocks is not asked" },
	{ { 32768, 163840, 262144 }, 262144, 0, 0, NFS_SUPER_MAGIC, false, false,
	  "a file system that is not known is not asked" },
	{ { 32768, 163840, 262144 }, 262144, 262144, 1, EXT4_SUPER_MAGIC, false, true,
	  "a system that cannot tell is asked once" },
};
/* clang-format on */

static void
test_holes(void)
{
	for (size_t i = 0; i < sizeof(hole_rows) / sizeof(*hole_rows); i++) {
		const struct hole_row *row = &hole_rows[i];

		memcpy(holes, row->holes, sizeof(holes));
		file_system = row->file_system;
		is_dense = row->is_dense;
		cannot_tell = row->cannot_tell;
		begin_sparse(row->bytes);
		ok(hashes_to(row->bytes) && bytes_read == row->read &&
			   fault_count(FAULT_lseek) == row->seeks,
		   "%s", row->promise);
	}
}

/* Half of the hole is handed out, and then the file changes. */
static bool
hands_out_half(void)
{
	const size_t half = sizeof(message) / ROOM / 2;

	memset(holes, 0, sizeof(holes));
	file_system = EXT4_SUPER_MAGIC;
	is_dense = cannot_tell = false;
	begin_sparse(sizeof(message));
	for (size_t i = 0; i < half; i++)
		if (!next(ROOM / 64, ROOM, i * ROOM))
			return false;
	return true;
}

static void
test_moving_holes(void)
{
	const size_t at = sizeof(message) / ROOM / 2 * ROOM;
	bool good = hands_out_half();
	int fd;

	/* hashes_to hashes what is left. */
	fd = fault_real_open("f", O_WRONLY, 0);
	good &= fd >= 0 && pwrite(fd, "data", 4, (off_t)at) == 4;
	holes[0] = holes[1] = 0;
	holes[2] = at + ROOM;
	ok(good &&
		   input_step(in, buffer, ROOM, false, &blocks) ==
			   INPUT_BLOCKS &&
		   memcmp(blocks.data, "data", 4) == 0,
	   "what is written into a hole before it is handed out is hashed");
	good = hands_out_half() && ftruncate(fd, (off_t)at + 100) == 0;
	ok(good && next(1, 64, at) && next(1, 36, at + 64) && ends() &&
		   in->length == at + 100,
	   "a hole that is cut off ends where the file does");
	good = hands_out_half() && ftruncate(fd, (off_t)at - 100) == 0;
	ok(good && next(1, 0, at) && ends() && in->length == at,
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
	input_begin(in, &run, &job);
	job.kind = JOB_STDIN;
	ok(input_step(in, buffer, ROOM, true, &blocks) == INPUT_EARLY &&
		   in->fd < 0,
	   "standard input must be the oldest");
	in->is_oldest = true;
	ok(hashes_to(300) && in->is_regular && in->size == 0 &&
		   in->fd == STDIN_FILENO &&
		   !input_sees_change(in, JOB_WATCHED),
	   "standard input is read to its end");
	input_close(in);
	input_close(in);
	ok(in->fd < 0 && fcntl(STDIN_FILENO, F_GETFD) >= 0,
	   "standard input stays open");
	job.kind = JOB_FILE;
}

int
main(void)
{
	alarm(60);
	scratch_enter();
	input_begin(in, &run, &job);
	for (size_t i = 0; i < sizeof(message); i++)
		message[i] = (uint8_t)random_32();
	test_lengths(INPUT_FOR_ALL, "from storage");
	test_lengths(INPUT_FOR_NOTHING, "from the cache");
	test_reads();
	test_failures();
	test_stdin();
	test_holes();
	test_moving_holes();
	input_close(in);
	return tap_done();
}
