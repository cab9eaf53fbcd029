/* SPDX-License-Identifier: MIT */
/*
 * Writes to pipes and sockets, which several processes may share: each one
 * ends at the end of a line and is small enough to arrive in one piece.
 */
#include "config.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/output/output.h"
#include "tests/support/tap.h"

enum { LINES = 1000, LINE_BYTES = 250, LONG_BYTES = 10000 };

/* LINES lines, the last of them longer than any pipe takes in one piece. */
static void
write_lines(int fd)
{
	static char line[LONG_BYTES];

	dup2(fd, STDOUT_FILENO);
	memset(line, 'x', sizeof(line));
	line[LINE_BYTES - 1] = '\n';
	for (int i = 1; i < LINES; i++)
		output_add(line, LINE_BYTES);
	line[LINE_BYTES - 1] = 'x';
	line[LONG_BYTES - 1] = '\n';
	output_add(line, LONG_BYTES);
	output_flush();
	_exit(0);
}

/* What a process writes into a pair of descriptors that keeps writes apart;
 * the long line may come in several pieces. */
static void
test_writes(const char *what, const int pair[2])
{
	static char bytes[1 << 20];
	size_t all = 0, largest = 0;
	unsigned writes = 0, torn = 0;
	ssize_t len;
	pid_t child = fork();

	if (child < 0)
		abort();
	if (child == 0)
		write_lines(pair[1]);
	close(pair[1]);
	while ((len = read(pair[0], bytes, sizeof(bytes))) > 0) {
		const size_t before = all;

		all += (size_t)len;
		if (before >= (LINES - 1) * LINE_BYTES)
			continue;
		writes++;
		torn += bytes[len - 1] != '\n';
		if ((size_t)len > largest)
			largest = (size_t)len;
	}
	close(pair[0]);
	waitpid(child, NULL, 0);
	ok(len == 0 && all == (LINES - 1) * LINE_BYTES + LONG_BYTES,
	   "%s: all lines come", what);
	ok(torn == 0 && largest <= PIPE_BUF,
	   "%s: whole lines, at most %u bytes at a time", what,
	   (unsigned)PIPE_BUF);
	ok(writes <= LINES / 10, "%s: not a write for each line", what);
}

int
main(void)
{
	int pair[2];

	ok(pipe2(pair, O_DIRECT) == 0, "a pipe");
	test_writes("a pipe", pair);
	ok(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0, "a socket");
	test_writes("a socket", pair);
	return tap_done();
}
