/* SPDX-License-Identifier: MIT */
/*
 * Promise: all that is added is written.  Writes to pipes and sockets, which
 * several processes may share, end at the end of a line and are small enough to
 * arrive in one piece; those to files are large.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/output/output.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

enum {
	LINES = 1000,
	LINE_BYTES = 250,
	PART_BYTES = 50,
	LINES_BYTES = LINES * LINE_BYTES,
	/* Longer than the buffer. */
	LONG_BYTES = 70000,
	ROUNDS = 20, /* of some lines and a long one */
	/* Longer than all that is ever held. */
	LONGEST_BYTES = 1100000,
	MOST_BYTES = 1 << 22
};

static char expected[MOST_BYTES], bytes[MOST_BYTES];
static size_t expected_bytes;
static bool with_longest; /* only a file takes it in one write */

/* A line, added in two parts; or only to what is expected. */
static void
add_line(size_t len, char end, bool put)
{
	/* Some do not fit after 16 lines, some only with their rest. */
	const size_t part = expected_bytes / LINE_BYTES % 3 ? PART_BYTES : 100;
	char *to = expected + expected_bytes;

	memset(to, 'a' + (int)(expected_bytes / 10 % 26), len);
	to[len - 1] = end;
	expected_bytes += len;
	if (!put)
		return;
	output_add(to, part);
	output_add(to + part, len - part);
}

/* Add short lines; then long ones, each after another number of short ones. */
static void
add_lines(bool put)
{
	expected_bytes = 0;
	for (unsigned i = 0; i < LINES; i++)
		add_line(LINE_BYTES, i < LINES / 2 ? '\0' : '\n', put);
	for (unsigned round = 0; round < ROUNDS; round++) {
		if (put)
			output_flush();
		for (unsigned i = 0; i < round; i++)
			add_line(LINE_BYTES, '\n', put);
		add_line(LONG_BYTES, '\n', put);
	}
	if (with_longest)
		add_line(LONGEST_BYTES, '\n', put);
	if (put)
		output_flush();
}

/* How often write is called, and how often a signal interrupts it first. */
static unsigned writes_done, interrupts;

static ssize_t
fake_write(int fd, const void *from, size_t len)
{
	writes_done += fd == STDOUT_FILENO;
	if (interrupts > 0) {
		interrupts--;
		errno = EINTR;
		return -1;
	}
	return fault_real_write(fd, from, len);
}

/* A process that writes all lines; its status is 0 if it does so in no more
 * than this number of calls, 0 for any number, and leaves errno alone. */
static pid_t
start_writer(int fd, unsigned most)
{
	const struct rlimit most_bytes = { MOST_BYTES, MOST_BYTES };
	const pid_t child = fork();

	if (child < 0)
		abort();
	if (child > 0)
		return child;
	/* A writer that never ends fills no disk. */
	setrlimit(RLIMIT_FSIZE, &most_bytes);
	alarm(120);
	dup2(fd, STDOUT_FILENO);
	interrupts = 3;
	errno = ENOTTY;
	add_lines(true);
	_exit((most > 0 && writes_done > most) || errno != ENOTTY);
}

/* What a process writes into a pair of descriptors that keeps writes apart;
 * the long lines may come in several pieces. */
static void
test_writes(const char *what, const int pair[2])
{
	size_t all = 0, largest = 0;
	unsigned writes = 0, torn = 0;
	int status = -1;
	const pid_t child = start_writer(pair[1], 0);
	ssize_t len;

	close(pair[1]);
	while (all < sizeof(bytes) &&
	       (len = read(pair[0], bytes + all, sizeof(bytes) - all)) > 0) {
		const size_t before = all;

		all += (size_t)len;
		if (before >= LINES_BYTES)
			continue;
		writes++;
		torn += bytes[all - 1] != '\n' && bytes[all - 1] != '\0';
		if ((size_t)len > largest)
			largest = (size_t)len;
	}
	close(pair[0]);
	waitpid(child, &status, 0);
	ok(all == expected_bytes && memcmp(bytes, expected, all) == 0,
	   "%s gets all lines", what);
	ok(torn == 0 && largest <= PIPE_BUF,
	   "%s gets whole lines, at most %u bytes at a time", what,
	   (unsigned)PIPE_BUF);
	ok(writes <= LINES / 10 && status == 0,
	   "%s gets many lines with a write", what);
}

static void
test_file(void)
{
	char path[] = "test-output-XXXXXX";
	const int fd = mkstemp(path);
	int status = -1;

	if (fd < 0 || unlink(path) != 0)
		abort();
	waitpid(start_writer(fd, LINES_BYTES / 60000 + 4 * ROUNDS), &status, 0);
	ok(pread(fd, bytes, sizeof(bytes), 0) == (ssize_t)expected_bytes &&
		   memcmp(bytes, expected, expected_bytes) == 0,
	   "a file gets all lines");
	ok(status == 0, "a file gets lines in large pieces");
	close(fd);
}

int
main(void)
{
	int pair[2];

	fault_hooks.write = fake_write;
	with_longest = true;
	add_lines(false);
	test_file();
	with_longest = false;
	add_lines(false);
	if (pipe2(pair, O_DIRECT) != 0)
		return 99;
	test_writes("a pipe", pair);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) != 0)
		return 99;
	test_writes("a socket", pair);
	return tap_done();
}
