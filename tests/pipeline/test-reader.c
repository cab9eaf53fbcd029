/* SPDX-License-Identifier: MIT */
/*
 * Promise: a reader asks the kernel no more than it has to, reads as its disk
 * allows, is not misled by signals, waits for input that may come and never for
 * what cannot, loses no byte to an error, and knows what it has open.
 */
#include "config.h"

#include "src/lanes/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/lanes/job.h"
#include "tests/support/fault.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

enum { CAPACITY = 4096 };

static uint8_t buffer[CAPACITY + READER_PADDING_BYTES];
static struct reader the_reader, *const reader = &the_reader;
static struct handout handout;
static struct job job;

/* What was asked, and what the next answers are. */
static unsigned reads, preads, cached, advices;
static size_t most = SIZE_MAX; /* that a read gets */
static int read_error, open_error, cached_error;
static unsigned read_failures, poll_failures; /* that come first */
static bool says_end;
static int given_fd = -1; /* instead of opening; -1 = not */

static int
answer_open(const char *name, int flags, mode_t mode)
{
	if (open_error) {
		errno = open_error;
		return -1;
	}
	return given_fd >= 0 ? given_fd : fault_real_open(name, flags, mode);
}

static ssize_t
get(int fd, void *to, size_t bytes)
{
	errno = read_error;
	if (read_failures > 0 && read_failures-- > 0)
		return -1;
	return fault_real_read(fd, to, bytes < most ? bytes : most);
}

static ssize_t
answer_read(int fd, void *to, size_t bytes)
{
	reads++;
	return get(fd, to, bytes);
}

static ssize_t
answer_pread(int fd, void *to, size_t bytes, off_t at)
{
	preads++;
	return fault_real_pread(fd, to, bytes < most ? bytes : most, at);
}

static ssize_t
answer_cached(int fd, const struct iovec *to, int n, off_t at, int flags)
{
	(void)flags;
	if (n != 1 || at != -1)
		exit(99);
	cached++;
	errno = cached_error;
	if (cached_error)
		return -1;
	return says_end ? 0 : get(fd, to->iov_base, to->iov_len);
}

static int
answer_poll(struct pollfd *inputs, nfds_t n, int ms)
{
	if (n != 1 || inputs->events != POLLIN || ms < -1 || ms > 0)
		exit(99);
	if (poll_failures == 0)
		return fault_real_poll(inputs, n, ms);
	poll_failures--;
	errno = EINTR;
	return -1;
}

static int
note_advice(int fd, off_t at, off_t bytes, int advice)
{
	(void)fd;
	advices += at == 0 && bytes == 0 && advice == POSIX_FADV_SEQUENTIAL;
	return 0;
}

static void
fail_reads(int error, unsigned times)
{
	read_error = error;
	read_failures = times;
}

static void
forget(void)
{
	reads = preads = cached = advices = 0;
	open_error = cached_error = 0;
	fail_reads(0, 0);
	most = SIZE_MAX;
	says_end = false;
	fault_clock_set(FAULT_SECOND);
	given_fd = -1;
	errno = EWOULDBLOCK; /* of an earlier call */
}

static void
make_file(const char *name, size_t bytes)
{
	static uint8_t content[4 * CAPACITY];

	for (size_t i = 0; i < bytes; i++)
		content[i] = (uint8_t)(i / 64 + 1);
	scratch_file(name, content, bytes);
}

static bool
open_it(const char *name, bool briefly)
{
	job.name = (char *)(uintptr_t)name;
	return reader_open(reader, &job, buffer, CAPACITY, briefly);
}

static bool
open_postponed(const char *name)
{
	job.name = (char *)(uintptr_t)name;
	return reader_open_postponed(reader, &job);
}

static bool
open_file(const char *name)
{
	forget();
	return open_it(name, false);
}

static bool
open_briefly(const char *name)
{
	forget();
	return open_it(name, true);
}

/* Does the reader hand out this number of blocks and bytes, and is its first
 * byte this number? */
static bool
next(uint32_t blocks, size_t bytes, uint8_t number)
{
	return reader_next(reader, &handout, false) == READER_BLOCKS &&
	       handout.data == buffer && handout.nblocks == blocks &&
	       handout.message_bytes == bytes && buffer[0] == number;
}

static bool
ends(void)
{
	return reader->has_ended &&
	       reader_next(reader, &handout, false) == READER_END;
}

/* Reads ----------------------------------------------------------------------- */

static void
test_reads(void)
{
	make_file("f", 100);
	ok(open_file("f") && next(2, 100, 1) && ends() && reads == 1,
	   "a small file takes one read");
	ok(advices == 0, "a small file needs no advice to the kernel");
	ok(open_briefly("f") && next(2, 100, 1) && ends() && preads == 1 &&
		   reads == 0,
	   "a small file need not be read at its offset");
	make_file("f", CAPACITY - 1);
	ok(open_briefly("f") && next(65, CAPACITY - 1, 1) && preads == 1 &&
		   !reader->is_regular,
	   "a file that is a byte shorter than the buffer is small");
	make_file("f", CAPACITY);
	ok(open_briefly("f") && next(64, CAPACITY, 1) && !ends() &&
		   reader->is_regular && next(1, 0, 0x80) && ends() &&
		   reads == 2 && preads == 0,
	   "a file as large as the buffer takes two, the last of which sees "
	   "its end");
	make_file("f", 0);
	ok(open_briefly("f") && reader->is_regular && reader->size == 0 &&
		   next(1, 0, 0x80) && ends(),
	   "an empty file is looked at");
	make_file("f", 3 * CAPACITY + 7);
	ok(open_file("f") && reader_remaining(reader) == 3 * CAPACITY + 7 &&
		   next(64, CAPACITY, 1) && reader->length == CAPACITY &&
		   reader_remaining(reader) == 2 * CAPACITY + 7 &&
		   next(64, CAPACITY, 65) && next(64, CAPACITY, 129) &&
		   next(1, 7, 193) && ends() && reads == 4 &&
		   reader_remaining(reader) == 0,
	   "a long file is read by the buffer");
	ok(advices == 1,
	   "the kernel is told that a long file is read in sequence");
}

/* Of pieces that end in the middle of blocks. */
static void
test_pieces(void)
{
	make_file("f", 300);
	open_file("f");
	most = 50;
	ok(next(1, 64, 1) && reads == 2 && reader->length == 100,
	   "bytes that are no block yet are kept until it is whole");
	most = 10;
	fail_reads(EIO, 1);
	ok(reader_next(reader, &handout, false) == READER_FAILED &&
		   errno == EIO && reader->length == 100,
	   "an error of a read is handed on, and the read not repeated");
	memset(buffer, 0, sizeof(buffer));
	ok(next(1, 64, 2) && reads == 6 && buffer[63] == 2,
	   "what was read before an error is not lost");
	most = SIZE_MAX;
	fail_reads(EINTR, 3);
	ok(next(3, 300 - 128, 3) && read_failures == 0 && ends(),
	   "what comes after an error is not lost, nor after signals");
}

/* A regular file that blocks. */
static void
test_log(void)
{
	make_file("f", 300);
	open_file("f");
	most = 90;
	ok(next(1, 64, 1), "a part of a log is read");
	fail_reads(EAGAIN, 1);
	ok(reader_next(reader, &handout, false) == READER_LATER &&
		   reader->must_be_oldest &&
		   !(fcntl(reader->fd, F_GETFL) & O_NONBLOCK),
	   "the rest of a log has to be waited for, and blocks then");
	fail_reads(EAGAIN, UINT_MAX);
	ok(reader_next(reader, &handout, true) == READER_FAILED &&
		   errno == EAGAIN && read_failures == UINT_MAX - 1,
	   "a log that blocks although it may be waited for has failed");
	fail_reads(0, 0);
	most = SIZE_MAX;
	ok(next(4, 300 - 64, 2) && ends(),
	   "the rest of a log is read after its first part");
}

/* Disks ----------------------------------------------------------------------- */

static void
test_cached(void)
{
	static const int errors[] = { EAGAIN, EIO };

	make_file("f", 3 * CAPACITY);
	for (unsigned i = 0; i < 2; i++) {
		open_file("f");
		reader_avoid_waiting(reader);
		ok(next(64, CAPACITY, 1) && cached == 1,
		   "what is cached is read on a disk that rotates");
		cached_error = errors[i];
		ok(reader_next(reader, &handout, true) == READER_LATER &&
			   reader_needs_disk(reader) && cached == 2 &&
			   reads == 0,
		   "what is not cached is not waited for (%s)",
		   strerror(errors[i]));
		ok(reader_next(reader, &handout, true) == READER_LATER &&
			   cached == 2 && !reader->must_be_oldest,
		   "a read that would wait for a disk is not tried again");
		reader_use_disk(reader);
		ok(!reader_needs_disk(reader) && next(64, CAPACITY, 65) &&
			   reads == 1 && cached == 2,
		   "a reader that has the disk reads");
	}
	open_file("f");
	reader_avoid_waiting(reader);
	says_end = true;
	ok(reader_next(reader, &handout, true) == READER_LATER &&
		   reader_needs_disk(reader),
	   "an end that the cache tells before the end of the file is none");
}

/* What is open ---------------------------------------------------------------- */

static void
test_what_is_open(void)
{
	struct stat st;
	const char *const none = "missing";

	make_file("f", 10);
	stat("f", &st);
	ok(open_file("f") && job.opened && reader->fd >= 0 &&
		   reader->version.device == st.st_dev &&
		   reader->version.inode == st.st_ino && reader->is_regular &&
		   !reader->is_fifo && !reader->must_be_oldest &&
		   !reader->is_postponed && reader->size == 10 &&
		   fcntl(reader->fd, F_GETFL) & O_NONBLOCK,
	   "type, size and number of a file are known");
	reader_reset(reader);
	ok(reader->fd == -1 && reader->size == 0 &&
		   reader->version.inode == 0 && !reader->is_regular,
	   "a reader that is reset has forgotten its file");
	ok(!open_file(none) && errno == ENOENT && !job.opened && reader->fd < 0,
	   "a file that is missing is not open");
	forget();
	open_error = EWOULDBLOCK;
	ok(open_it("f", false) && !job.opened && reader->is_postponed &&
		   reader->must_be_oldest,
	   "a file with a lease is postponed");
	open_error = 0;
	ok(open_postponed("f") && !reader->is_postponed &&
		   reader->version.inode == st.st_ino && reader->is_regular &&
		   !(fcntl(reader->fd, F_GETFL) & O_NONBLOCK) &&
		   next(1, 10, 1) && ends(),
	   "a file that was postponed is job.opened to be waited for, and read");
	open_error = EACCES;
	ok(open_postponed(none), "what is open is not job.opened again");
	reader_postpone(reader);
	ok(reader->fd < 0 && !open_postponed(none) && errno == EACCES,
	   "a file that is postponed again is job.opened again");
}

/* A descriptor that is not open cannot be looked at. */
static void
test_lost(void)
{
	int fd;

	forget();
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	close(fd);
	given_fd = fd;
	ok(!open_it("f", false) && errno == EBADF && job.opened &&
		   reader->fd < 0,
	   "a file that cannot be looked at cannot be read");
	make_file("f", 10);
	open_file("f");
	ok(!reader_sees_change(reader), "a file has not changed");
	close(reader->fd);
	ok(reader_sees_change(reader),
	   "a file that cannot be looked at has changed");
	reader_reset(reader);
}

static void
test_stdin(void)
{
	int fd;

	make_file("f", 10);
	fd = open("f", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || (fd != STDIN_FILENO &&
		       (dup2(fd, STDIN_FILENO) < 0 || close(fd) != 0)))
		exit(99);
	forget();
	reader_open_stdin(reader, buffer, CAPACITY);
	ok(reader->fd == STDIN_FILENO && reader->must_be_oldest &&
		   reader->is_regular && reader->size == 0 &&
		   !reader_sees_change(reader),
	   "standard input must be the oldest, whatever it is");
	ok(next(1, 10, 1) && reads == 2 && ends(),
	   "standard input is read until there is no more");
	reader_close(reader);
	ok(reader->fd < 0 && fcntl(STDIN_FILENO, F_GETFD) >= 0,
	   "a reader does not close standard input");
	reader_close(reader);
	ok(fcntl(STDIN_FILENO, F_GETFD) >= 0,
	   "a reader does not close standard input when it is closed again");
}

/* What may come, and what cannot -------------------------------------------- */

static void
test_fifo(void)
{
	int writer;

	scratch_fifo("fifo");
	ok(open_briefly("fifo") && reader->is_fifo && reader->must_be_oldest &&
		   !reader->is_postponed,
	   "a FIFO without a writer opens at once");
	poll_failures = 2;
	ok(reader_next(reader, &handout, false) == READER_LATER &&
		   poll_failures == 0,
	   "a signal is no end of a FIFO without a writer");
	writer = open("fifo", O_WRONLY | O_CLOEXEC);
	if (writer < 0 || write(writer, buffer, 64) != 64)
		exit(99);
	poll_failures = 2;
	ok(reader_next(reader, &handout, false) == READER_BLOCKS &&
		   handout.message_bytes == 64,
	   "a signal does not hide what has been written to a FIFO");
	ok(reader_next(reader, &handout, false) == READER_LATER,
	   "more may come from a FIFO while there is a writer");
	fail_reads(EAGAIN, 1);
	if (write(writer, buffer, 64) != 64)
		exit(99);
	ok(reader_next(reader, &handout, true) == READER_BLOCKS,
	   "what somebody else has read first from a FIFO is waited for again");
	close(writer);
	ok(reader_next(reader, &handout, false) == READER_BLOCKS &&
		   reader_next(reader, &handout, false) == READER_END,
	   "a FIFO without a writer has ended");
}

int
main(void)
{
	alarm(60);
	scratch_enter();
	fault_hooks.open = answer_open;
	fault_hooks.read = answer_read;
	fault_hooks.pread = answer_pread;
	fault_hooks.preadv2 = answer_cached;
	fault_hooks.poll = answer_poll;
	fault_hooks.posix_fadvise = note_advice;
	reader_reset(reader);
	ok(reader->fd == -1, "a reader begins without an input");
	test_reads();
	test_pieces();
	test_log();
	test_cached();
	test_what_is_open();
	test_lost();
	test_fifo();
	test_stdin();
	reader_close(reader);
	return tap_done();
}
