/* SPDX-License-Identifier: MIT */
/*
 * Promise: all that is added is written.  Writes to pipes and sockets, which
 * several processes may share, end at the end of a line and are small enough to
 * arrive in one piece; those to files are large.  Messages are GNU's, one write
 * each, in order with standard output, and one that cannot be written is a
 * failure.  (Standard output that fails is in
 * tests/cli/differential/input.rows, pipes.bats and signals.bats.)
 */
#include "config.h"

#include "src/output/output.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/output/report.h"
#include "tests/support/capture.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

enum {
	LINES = 1500,
	SHORT_BYTES = 250,
	LONG_BYTES = 70000, /* longer than the buffer */
	MOST_BYTES = 1 << 22
};

/* ---- lines ---- */

static char expected[MOST_BYTES], bytes[MOST_BYTES];
static size_t expected_bytes;

/* The expected output, and the end of each of its lines; long ones are in capital
 * letters. */
static size_t line_ends[LINES];

static void
make_lines(void)
{
	expected_bytes = 0;
	for (unsigned i = 0; i < LINES; i++) {
		const bool is_long = i % 75 == 74;
		const size_t len = is_long ? LONG_BYTES : SHORT_BYTES;

		memset(expected + expected_bytes,
		       (is_long ? 'A' : 'a') + (int)(i % 26), len);
		expected_bytes += len;
		expected[expected_bytes - 1] = i < LINES / 2 ? '\0' : '\n';
		line_ends[i] = expected_bytes;
	}
}

/* Add each line in two parts: some do not fit, of some only the rest. */
static void
add_lines(void)
{
	const char *at = expected;

	for (unsigned i = 0; i < LINES; i++) {
		const size_t part = i % 3 ? 50 : 100;
		const char *const end = expected + line_ends[i];

		output_add(at, part);
		output_add(at + part, (size_t)(end - at) - part);
		at = end;
	}
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
	add_lines();
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
		const bool is_of_long = isupper((unsigned char)bytes[all]);

		all += (size_t)len;
		torn += islower((unsigned char)bytes[all - 1]) != 0;
		writes += !is_of_long;
		if (!is_of_long && (size_t)len > largest)
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
test_lines(void)
{
	char path[] = "test-output-XXXXXX";
	const int fd = mkstemp(path);
	int pair[2], status = -1;

	if (fd < 0 || unlink(path) != 0)
		abort();
	make_lines();
	waitpid(start_writer(fd, 4 * LINES / 75), &status, 0);
	ok(pread(fd, bytes, sizeof(bytes), 0) == (ssize_t)expected_bytes &&
		   memcmp(bytes, expected, expected_bytes) == 0,
	   "a file gets all lines");
	ok(status == 0, "a file gets lines in large pieces");
	close(fd);
	if (pipe2(pair, O_DIRECT) != 0)
		exit(99);
	test_writes("a pipe", pair);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) != 0)
		exit(99);
	test_writes("a socket", pair);
}

/* ---- messages ---- */

/* Most bytes that a write of a message takes. */
static size_t most = SIZE_MAX;

ssize_t
writev(int fd, const struct iovec *parts, int nparts)
{
	char message[8192];
	size_t len = 0;

	for (int i = 0; i < nparts; i++) {
		memcpy(message + len, parts[i].iov_base, parts[i].iov_len);
		len += parts[i].iov_len;
	}
	return fake_write(fd, message, len < most ? len : most);
}

/* Every write to a socket is a packet. */
static int
one_write_child(void *data)
{
	char packet[8192], text[8192], name[4000];
	const long blocks = balance_now().blocks;
	int sockets[2];

	(void)data;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets) < 0 ||
	    dup2(sockets[0], STDERR_FILENO) < 0)
		return 2;

#define PACKET_IS(text)                                                        \
	do {                                                                   \
		ssize_t n = recv(sockets[1], packet, sizeof(packet) - 1,       \
				 MSG_DONTWAIT);                                \
		packet[n > 0 ? n : 0] = '\0';                                  \
		if (strcmp(packet, text) != 0)                                 \
			return 3;                                              \
	} while (0)

	report_init("prog");
	report_warning("%d and %s", 1, "two");
	PACKET_IS("prog: 1 and two\n");
	if (report_status() != 0)
		return 4;
	report_error("text");
	PACKET_IS("prog: text\n");
	if (report_status() != 1)
		return 5;
	report_errno(ENOENT, "%s", "text");
	PACKET_IS("prog: text: No such file or directory\n");
	report_file_error("no such", EISDIR);
	PACKET_IS("prog: 'no such': Is a directory\n");
	report_file_error(name, ENOENT);
	snprintf(text, sizeof(text), "prog: %s: No such file or directory\n",
		 name);
	PACKET_IS(text);

	/* A message of 512 bytes is the first that needs memory. */
	for (int len = 511; len < 513; len++) {
		report_warning("%.*s", len, name);
		snprintf(text, sizeof(text), "prog: %.*s\n", len, name);
		PACKET_IS(text);
	}
	if (balance_now().blocks != blocks)
		return 7;
	fault_from(FAULT_MEMORY, 1, ENOMEM);
	report_warning("%.*s", 512, name);
	snprintf(text, sizeof(text), "prog: %.511s\n", name);
	PACKET_IS(text);
	report_file_error("a b", ENOENT);
	PACKET_IS("prog: a b: No such file or directory\n");
	fault_clear();

	/* To a descriptor that is closed. */
	close(STDERR_FILENO);
	errno = EXDEV;
	report_file_error(name, ENOENT);
	report_try_help();
	return errno == EXDEV ? 0 : 6;
}

static int
failing_stderr_child(void *path)
{
	close(STDERR_FILENO);
	if (path && open(path, O_WRONLY) != STDERR_FILENO)
		return 2;
	report_init("prog");
	report_warning("unheard");
	return report_status();
}

static int
pieces_child(void *data)
{
	(void)data;
	report_init("prog");
	most = 3;
	interrupts = 2;
	report_errno(ENOENT, "%s", "a file");
	report_try_help();
	return report_status();
}

static int
order_child(void *data)
{
	(void)data;
	report_init("prog");
	output_add("one\n", 4);
	report_warning("two");
	output_add("three\n", 6);
	report_try_help();
	output_add("four\n", 5);
	output_close();
	return report_status();
}

/* All that a child writes, on one pipe, if that is not NULL, and its status. */
static void
check_child(int (*child)(void *), void *data, const char *text, int status,
	    const char *promise)
{
	struct capture capture;

	capture_run(&capture, child, data, true);
	if (!ok(capture.status == status &&
			(!text || strcmp(capture.out.bytes, text) == 0),
		"%s", promise))
		tap_note("status %d, %s", capture.status, capture.out.bytes);
	capture_free(&capture);
}

int
main(void)
{
	char full[] = "/dev/full";

	fault_hooks.write = fake_write;
	test_lines();
	report_init(NULL);
	is(report_program(), "", "a program without argv[0] has no name");
	check_child(one_write_child, NULL, NULL, 0, "a message is one write");
	check_child(failing_stderr_child, NULL, NULL, 1,
		    "a warning to a closed stderr is a failure");
	if (access(full, W_OK) == 0)
		check_child(failing_stderr_child, full, NULL, 1,
			    "a warning to a full stderr is a failure");
	check_child(pieces_child, NULL,
		    "prog: a file: No such file or directory\n"
		    "Try 'prog --help' for more information.\n",
		    1, "messages that are written in pieces are whole");
	check_child(order_child, NULL,
		    "one\nprog: two\nthree\n"
		    "Try 'prog --help' for more information.\nfour\n",
		    1, "stdout and stderr keep their order on one pipe");
	return tap_done();
}
