/* SPDX-License-Identifier: MIT */
/*
 * Promise: a reader is not misled by signals, waits for input that may come and
 * never for what cannot, and reads a "regular" file that blocks in its turn.
 *
 * The linker gives the reader's calls of read and poll to this test.
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
#include "tests/support/tap.h"

enum { CAPACITY = 4096, FILE_BYTES = 2 * CAPACITY, MOST_FAILURES = 100 };

static uint8_t buffer[CAPACITY + READER_PADDING_BYTES];
static char path[] = "test-reader-waits-XXXXXX";
static char fifo[sizeof(path) + 8];

/* So many calls fail first, and how. */
static int read_error;
static unsigned read_failures, poll_failures, advices;

ssize_t
__real_read(int fd, void *to, size_t bytes);
ssize_t
__wrap_read(int fd, void *to, size_t bytes);
int
__real_poll(struct pollfd *inputs, nfds_t n, int ms);
int
__wrap_poll(struct pollfd *inputs, nfds_t n, int ms);
int
__wrap_posix_fadvise(int fd, off_t at, off_t bytes, int advice);
int
__wrap_posix_fadvise64(int fd, off_t at, off_t bytes, int advice)
	__attribute__((alias("__wrap_posix_fadvise")));

ssize_t
__wrap_read(int fd, void *to, size_t bytes)
{
	if (read_failures == 0)
		return __real_read(fd, to, bytes);
	read_failures--;
	errno = read_error;
	return -1;
}

int
__wrap_poll(struct pollfd *inputs, nfds_t n, int ms)
{
	if (n != 1 || inputs->events != POLLIN || ms < -1 || ms > 0)
		exit(99);
	if (poll_failures == 0)
		return __real_poll(inputs, n, ms);
	poll_failures--;
	errno = EINTR;
	return -1;
}

int
__wrap_posix_fadvise(int fd, off_t at, off_t bytes, int advice)
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
	   "one that fails is not");
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
	   "and is read");
	read_failures = MOST_FAILURES;
	ok(reader_next(reader, &handout, true) == READER_FAILED &&
		   errno == EAGAIN && read_failures == MOST_FAILURES - 1,
	   "one that blocks even so has failed");
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
	   "nor does it hide what has been written");
	ok(reader_next(reader, &handout, false) == READER_LATER,
	   "more may come while there is a writer");
	read_error = EAGAIN;
	read_failures = 1;
	if (write(writer, buffer, 64) != 64)
		exit(99);
	ok(reader_next(reader, &handout, true) == READER_BLOCKS,
	   "what somebody else has read first is waited for again");
	reader_widen_pipe(reader, 1 << 17);
	bytes = fcntl(writer, F_GETPIPE_SZ);
	ok(bytes == 1 << 17 || fcntl(writer, F_SETPIPE_SZ, 1 << 17) < 0,
	   "a pipe is widened");
	close(writer);
	ok(reader_next(reader, &handout, false) == READER_BLOCKS &&
		   reader_next(reader, &handout, false) == READER_END,
	   "without a writer it has ended");
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
	int fd = mkstemp(path);

	alarm(60);
	if (fd < 0 || ftruncate(fd, FILE_BYTES) != 0 || close(fd) != 0)
		return 99;
	snprintf(fifo, sizeof(fifo), "%s.fifo", path);
	reader = reader_new();
	if (!reader || mkfifo(fifo, 0600) != 0)
		return 99;
	test_file();
	test_blocking_file();
	test_fifo();
	test_no_input();
	reader_free(reader);
	unlink(path);
	unlink(fifo);
	return tap_done();
}
