/* SPDX-License-Identifier: MIT */
/*
 * Promise: messages are GNU's, one write each, in order with stdout; a failed
 * write is told in GNU's words and makes the exit status 1.
 */
#include "config.h"

#include "src/output/report.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/base/descriptor.h"
#include "src/output/output.h"
#include "tests/support/capture.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

#define LINE "0123456789012345678901234567890123456789012345678\n"

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

	/* Both sides of the length that needs memory. */
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

/* ---- stdout that fails ---- */

struct failing {
	const char *name;
	const char *path; /* NULL: closed */
	const char *item; /* what is added, times */
	unsigned times;
	bool noted; /* descriptor_init saw it */
	int status;
	const char *err;
};

static const struct failing failing_rows[] = {
	{ "full, a line", "/dev/full", LINE, 1, false, 1,
	  "prog: write error\n" },
	{ "full, many lines", "/dev/full", LINE, 5000, false, 1,
	  "prog: write error: No space left on device\n" },
	{ "full, -z", "/dev/full", "x", 3, false, 1,
	  "prog: write error: No space left on device\n" },
	{ "full, nothing", "/dev/full", "", 1, false, 0, "" },
	{ "closed, a line", NULL, LINE, 1, false, 1,
	  "prog: write error: Bad file descriptor\n" },
	{ "closed, -z", NULL, "x", 1, false, 1,
	  "prog: write error: Bad file descriptor\n" },
	{ "closed, nothing", NULL, "", 1, false, 0, "" },
	{ "closed and noted, a line", NULL, LINE, 1, true, 1,
	  "prog: write error: Bad file descriptor\n" },
	{ "closed and noted, nothing", NULL, "", 1, true, 0, "" },
};

static int
failing_child(void *data)
{
	const struct failing *row = data;

	close(STDOUT_FILENO);
	if (row->path && open(row->path, O_WRONLY) != STDOUT_FILENO)
		return 2;
	if (row->noted)
		descriptor_init();
	report_init("prog");
	for (unsigned i = 0; i < row->times; i++)
		output_add(row->item, strlen(row->item));
	output_close();
	return report_status();
}

static void
check_failing(void)
{
	const size_t n = sizeof(failing_rows) / sizeof(*failing_rows);

	for (size_t i = 0; i < n; i++) {
		struct failing row = failing_rows[i];
		struct capture capture;

		if (row.path && access(row.path, W_OK) < 0) {
			tap_skip("no %s", row.path);
			continue;
		}
		capture_run(&capture, failing_child, &row, false);
		is(capture.err.bytes, row.err, "stdout %s", row.name);
		ok(capture.status == row.status,
		   "the status is that of the message");
		capture_free(&capture);
	}
}

/* The data is a pipe that does not block. */
static int
full_child(void *data)
{
	const int *pipes = data;

	if (dup2(pipes[1], STDOUT_FILENO) < 0)
		return 2;
	report_init("/a/prog");
	for (int i = 0; i < 1400; i++)
		output_add(LINE, strlen(LINE));
	output_flush();
	report_error("the program goes on");
	return 3;
}

static void
check_full(void)
{
	static char bytes[1 << 17];
	struct capture capture;
	int pipes[2];

	if (pipe2(pipes, O_NONBLOCK) < 0 ||
	    fcntl(pipes[1], F_SETPIPE_SZ, 4096) < 0) {
		ok(false, "a pipe");
		return;
	}
	capture_run(&capture, full_child, pipes, false);
	is(capture.err.bytes,
	   "prog: write error: Resource temporarily unavailable\n",
	   "a failed write ends the program and has its cause");
	ok(capture.status == 1, "the status is that of the message");
	const ssize_t n = read(pipes[0], bytes, sizeof(bytes));
	ok(n > 0 && (size_t)n % strlen(LINE) == 0,
	   "what a full pipe took are whole lines");
	close(pipes[0]);
	close(pipes[1]);
	capture_free(&capture);
}

static int
broken_pipe_child(void *data)
{
	int pipes[2];

	(void)data;
	/* Some services let their children ignore it. */
	signal(SIGPIPE, SIG_DFL);
	if (pipe(pipes) < 0 || dup2(pipes[1], STDOUT_FILENO) < 0)
		return 2;
	close(pipes[0]);
	output_add(LINE, strlen(LINE));
	output_close();
	return 0;
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

static void
check_names(void)
{
	static const char *const rows[][2] = {
		{ "prog", "prog" },
		{ "/a/prog", "/a/prog" },
		{ "lt-prog", "lt-prog" },
		{ "/a/.libs/prog", "prog" },
		{ "/a/.libs/lt-prog", "prog" },
		{ ".libs/prog", ".libs/prog" },
		{ "/.libs/lt-", "" },
		{ "", "" },
		{ NULL, "" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		report_init(rows[i][0]);
		is(report_program(), rows[i][1], "program of argv[0] '%s'",
		   rows[i][0] ? rows[i][0] : "(null)");
	}
}

int
main(void)
{
	struct capture capture;
	char full[] = "/dev/full";

	check_names();
	check_child(one_write_child, NULL, 0, "a message is one write");
	check_full();
	check_failing();
	check_child(broken_pipe_child, NULL, 128 + SIGPIPE, "SIGPIPE kills");
	check_child(failing_stderr_child, NULL, 1,
		    "a warning to a closed stderr is a failure");
	if (access(full, W_OK) == 0)
		check_child(failing_stderr_child, full, 1,
			    "a warning to a full stderr is a failure");

	capture_run(&capture, order_child, NULL, true);
	is(capture.out.bytes,
	   "one\nprog: two\nthree\n"
	   "Try 'prog --help' for more information.\nfour\n",
	   "stdout and stderr keep their order on one pipe");
	ok(capture.status == 1, "a usage error is status 1");
	capture_free(&capture);
	return tap_done();
}
