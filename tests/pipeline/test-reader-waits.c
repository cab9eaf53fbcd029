/* SPDX-License-Identifier: MIT */
/*
 * Promise: a reader is not misled by signals, waits for input that may come and
 * never for what cannot, and reads a "regular" file that blocks in its turn.
 */
#include "config.h"

#include "src/lanes/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/descriptor.h"
#include "tests/support/fault.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

enum { CAPACITY = 4096, FILE_BYTES = 2 * CAPACITY, MOST_FAILURES = 100 };

static uint8_t buffer[CAPACITY + READER_PADDING_BYTES];
static const char *const path = "file", *const fifo = "fifo";

/* How many calls fail at first, and with which error. */
static int read_error;
static unsigned read_failures, poll_failures, advices;

static ssize_t
answer_read(int fd, void *to, size_t bytes)
{
	if (read_failures == 0)
		return fault_real_read(fd, to, bytes);
	read_failures--;
	errno = read_error;
	return -1;
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

static struct reader *reader;
static struct handout handout;

static void
open_input(const char *name)
{
	bool opened;

	advices = 0;
	if (!reader_open(reader, NULL, name, buffer, CAPACITY, &opened))
		exit(99);
}

static void
test_file(void)
{
	open_input(path);
	ok(advices == 1, "the kernel is told that a file is read in sequence");
	read_error = EINTR;
	read_failures = 3;
	ok(reader_next(reader, &handout, false) == READER_BLOCKS &&
		   read_failures == 0 && handout.message_bytes == CAPACITY,
	   "a read that a signal interrupts is repeated");
	read_error = EIO;
	read_failures = 1;
	ok(reader_next(reader, &handout, false) == READER_FAILED &&
		   errno == EIO,
	   "a read that fails is not repeated");
}

/* A kernel's log. */
static void
test_blocking_file(void)
{
	open_input(path);
	read_error = EAGAIN;
	read_failures = 1;
	ok(reader_next(reader, &handout, false) == READER_LATER &&
		   reader->must_be_oldest &&
		   !(fcntl(reader->fd, F_GETFL) & O_NONBLOCK),
	   "a regular file that blocks waits for its turn, and blocks then");
	ok(reader_next(reader, &handout, true) == READER_BLOCKS &&
		   handout.message_bytes == CAPACITY,
	   "a regular file that blocks is read in its turn");
	read_failures = MOST_FAILURES;
	ok(reader_next(reader, &handout, true) == READER_FAILED &&
		   errno == EAGAIN && read_failures == MOST_FAILURES - 1,
	   "a file that blocks although it may be waited for has failed");
	read_failures = 0;
}

static void
test_fifo(void)
{
	int writer, bytes;

	open_input(fifo);
	poll_failures = 2;
	ok(reader_next(reader, &handout, false) == READER_LATER &&
		   poll_failures == 0,
	   "a signal is no end of a FIFO without a writer");
	writer = open(fifo, O_WRONLY | O_CLOEXEC);
	if (writer < 0 || write(writer, buffer, 64) != 64)
		exit(99);
	poll_failures = 2;
	ok(reader_next(reader, &handout, false) == READER_BLOCKS &&
		   handout.message_bytes == 64,
	   "a signal does not hide what has been written to a FIFO");
	ok(reader_next(reader, &handout, false) == READER_LATER,
	   "more may come from a FIFO while there is a writer");
	read_error = EAGAIN;
	read_failures = 1;
	if (write(writer, buffer, 64) != 64)
		exit(99);
	ok(reader_next(reader, &handout, true) == READER_BLOCKS,
	   "what somebody else has read first from a FIFO is waited for again");
	reader_widen_pipe(reader, 1 << 17);
	bytes = fcntl(writer, F_GETPIPE_SZ);
	ok(bytes == 1 << 17 || fcntl(writer, F_SETPIPE_SZ, 1 << 17) < 0,
	   "a pipe is widened");
	close(writer);
	ok(reader_next(reader, &handout, false) == READER_BLOCKS &&
		   reader_next(reader, &handout, false) == READER_END,
	   "a FIFO without a writer has ended");
}

static void
test_no_input(void)
{
	close(STDIN_FILENO);
	descriptor_init();
	reader_open_stdin(reader, buffer, CAPACITY);
	ok(reader_next(reader, &handout, false) == READER_FAILED &&
		   errno == EBADF,
	   "a standard input that is closed is not waited for");
}

int
main(void)
{
	alarm(60);
	scratch_enter();
	scratch_pattern(path, FILE_BYTES);
	scratch_fifo(fifo);
	fault_hooks.read = answer_read;
	fault_hooks.poll = answer_poll;
	fault_hooks.posix_fadvise = note_advice;
	reader = reader_new();
	if (!reader)
		return 99;
	test_file();
	test_blocking_file();
	test_fifo();
	test_no_input();
	reader_free(reader);
	return tap_done();
}
