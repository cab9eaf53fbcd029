/* SPDX-License-Identifier: MIT */
/*
 * Promise: messages are GNU's, one write each, in order with stdout, and one
 * that cannot be written is a failure.  (Standard output that fails is in
 * tests/cli/differential/input.rows, pipes.bats and signals.bats.)
 */
#include "config.h"

#include "src/output/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "src/output/output.h"
#include "tests/support/capture.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

/* Most bytes that a write of a message takes, and how many fail at first. */
static size_t most = SIZE_MAX;
static unsigned interrupts;

ssize_t
writev(int fd, const struct iovec *parts, int nparts)
{
	char bytes[8192];
	size_t len = 0;

	if (interrupts > 0) {
		interrupts--;
		errno = EINTR;
		return -1;
	}
	for (int i = 0; i < nparts; i++) {
		memcpy(bytes + len, parts[i].iov_base, parts[i].iov_len);
		len += parts[i].iov_len;
	}
	return write(fd, bytes, len < most ? len : most);
}

/* ---- every write is a packet ---- */

static int
one_write_child(void *data)
{
	char packet[8192], expected[8192], name[4000];
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
	report_errno(0, "text");
	PACKET_IS("prog: text\n");
	report_file_error("no such", EISDIR);
	PACKET_IS("prog: 'no such': Is a directory\n");
	report_try_help();
	PACKET_IS("Try 'prog --help' for more information.\n");
	report_file_error(name, ENOENT);
	snprintf(expected, sizeof(expected),
		 "prog: %s: No such file or directory\n", name);
	PACKET_IS(expected);

	/* A message of 512 bytes is the first that needs memory. */
	for (int len = 509; len < 514; len++) {
		report_warning("%.*s", len, name);
		snprintf(expected, sizeof(expected), "prog: %.*s\n", len, name);
		PACKET_IS(expected);
	}
	if (balance_now().blocks != blocks)
		return 6;
	fault_from(FAULT_MEMORY, 1, ENOMEM);
	report_warning("%.*s", 512, name);
	snprintf(expected, sizeof(expected), "prog: %.511s\n", name);
	PACKET_IS(expected);
	report_file_error("a b", ENOENT);
	PACKET_IS("prog: a b: No such file or directory\n");
	fault_clear();

	/* To a descriptor that is closed. */
	close(STDERR_FILENO);
	errno = EXDEV;
	report_warning("text");
	if (errno != EXDEV)
		return 7;
	report_file_error(name, ENOENT);
	if (errno != EXDEV)
		return 8;
	report_try_help();
	return errno == EXDEV ? 0 : 9;
}

/* ---- stderr that fails, and the rest ---- */

static int
failing_stderr_child(void *data)
{
	const char *path = data;

	close(STDERR_FILENO);
	if (path && open(path, O_WRONLY) != STDERR_FILENO)
		return 2;
	report_init("prog");
	report_warning("unheard");
	output_add("x\n", 2);
	output_close();
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

static void
check_child(int (*child)(void *), void *data, int status, const char *promise)
{
	struct capture capture;

	capture_run(&capture, child, data, true);
	if (!ok(capture.status == status, "%s", promise))
		tap_note("status %d, expected %d", capture.status, status);
	capture_free(&capture);
}

int
main(void)
{
	struct capture capture;
	char full[] = "/dev/full";

	report_init(NULL);
	is(report_program(), "", "a program without argv[0] has no name");
	check_child(one_write_child, NULL, 0, "a message is one write");
	check_child(failing_stderr_child, NULL, 1,
		    "a warning to a closed stderr is a failure");
	if (access(full, W_OK) == 0)
		check_child(failing_stderr_child, full, 1,
			    "a warning to a full stderr is a failure");

	capture_run(&capture, pieces_child, NULL, false);
	is(capture.err.bytes,
	   "prog: a file: No such file or directory\n"
	   "Try 'prog --help' for more information.\n",
	   "messages that are written in pieces are whole");
	capture_free(&capture);
	capture_run(&capture, order_child, NULL, true);
	is(capture.out.bytes,
	   "one\nprog: two\nthree\n"
	   "Try 'prog --help' for more information.\nfour\n",
	   "stdout and stderr keep their order on one pipe");
	ok(capture.status == 1, "a usage error is status 1");
	capture_free(&capture);
	return tap_done();
}
