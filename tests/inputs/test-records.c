/* SPDX-License-Identifier: MIT */
/*
 * Promise: a list is cut at every delimiter and nowhere else, however it
 * arrives, and is never waited for.
 */
#include "config.h"

#include "src/inputs/records.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/fault.h"
#include "tests/support/tap.h"

static char path[] = "test-records-XXXXXX";

static bool
put(int fd, const char *bytes, size_t len)
{
	return write(fd, bytes, len) == (ssize_t)len;
}

static bool
next_is(struct records *records, const char *expected, size_t expected_len)
{
	char *record;
	size_t len;

	return records_next(records, &record, &len) == RECORDS_ONE &&
	       len == expected_len && memcmp(record, expected, len) == 0 &&
	       record[len] == '\0';
}

static enum records_answer
answer(struct records *records)
{
	char *record;
	size_t len;

	return records_next(records, &record, &len);
}

static void
test_file(void)
{
	static const char text[] = "one\n\nth\0ree\nlast";
	struct records records = { .fd = -1 };
	int fd = open(path, O_WRONLY | O_TRUNC);

	ok(put(fd, text, sizeof(text) - 1) &&
		   records_open(&records, path, '\n'),
	   "a file opens");
	close(fd);
	ok(!records.waits, "a regular file is never waited for");
	ok(next_is(&records, "one", 3), "a record ends at its delimiter");
	ok(next_is(&records, "", 0), "a record may be empty");
	ok(next_is(&records, "th\0ree", 6), "a record may contain NUL");
	ok(next_is(&records, "last", 4), "the last record needs no delimiter");
	ok(answer(&records) == RECORDS_END,
	   "a file ends after its last record");
	records_close(&records);
}

static void
test_pipe(void)
{
	struct records records = { .fd = -1, .delimiter = '\n', .waits = true };
	int ends[2];

	if (pipe(ends) != 0)
		exit(99);
	records.fd = ends[0];
	ok(answer(&records) == RECORDS_LATER,
	   "an empty pipe is not waited for");
	ok(put(ends[1], "ab", 2) && answer(&records) == RECORDS_LATER,
	   "half a record is not handed out");
	ok(put(ends[1], "c\nd", 3) && next_is(&records, "abc", 3),
	   "the other half completes a record");
	ok(answer(&records) == RECORDS_LATER,
	   "a record without its end is waited for");
	close(ends[1]);
	ok(next_is(&records, "d", 1),
	   "the end of the pipe completes the last record");
	ok(answer(&records) == RECORDS_END,
	   "a pipe ends after its last record");
	records_close(&records);
}

/* Interruptions, errors, and how much is asked for at once. */
static unsigned interrupted, polls_interrupted, reads;
static int read_error;
static size_t most_asked;
static bool never_ready;

static ssize_t
fake_read(int fd, void *to, size_t len)
{
	reads++;
	if (len > most_asked)
		most_asked = len;
	if (interrupted > 0) {
		interrupted--;
		errno = EINTR;
		return -1;
	}
	if (read_error) {
		errno = read_error;
		return -1;
	}
	return fault_real_read(fd, to, len);
}

static int
fake_poll(struct pollfd *fds, nfds_t n, int timeout)
{
	if (polls_interrupted > 0) {
		polls_interrupted--;
		errno = EINTR;
		return -1;
	}
	if (never_ready || n != 1 || fds->events != POLLIN || timeout != 0)
		return 0;
	return fault_real_poll(fds, n, timeout);
}

static void
use_hooks(void)
{
	fault_hooks.read = fake_read;
	fault_hooks.poll = fake_poll;
}

static void
write_file(const char *bytes, size_t len)
{
	const int fd = open(path, O_WRONLY | O_TRUNC);

	if (fd < 0 || !put(fd, bytes, len) || close(fd) != 0)
		exit(99);
}

static void
test_calls(void)
{
	struct records records = { .fd = -1 };
	struct records pipe_records = { .delimiter = '\n', .waits = true };
	int ends[2];

	write_file("a\nb\n", 4);
	interrupted = 3;
	never_ready = true;
	ok(records_open(&records, path, '\n') && next_is(&records, "a", 1) &&
		   interrupted == 0,
	   "an interrupted read is repeated, and a file not polled");
	never_ready = false;
	ok(next_is(&records, "b", 1) && reads == 4,
	   "one read brings two records");
	read_error = EIO;
	errno = 0;
	ok(answer(&records) == RECORDS_FAILED && errno == EIO,
	   "a read error is reported");
	read_error = 0;
	ok(answer(&records) == RECORDS_END && answer(&records) == RECORDS_END,
	   "reading is tried again after an error");
	records_close(&records);
	ok(records.fd == -1 && !records.buffer && records.size == 0,
	   "a closed reader has no buffer");

	if (pipe(ends) != 0 || !put(ends[1], "x\n", 2))
		exit(99);
	pipe_records.fd = ends[0];
	polls_interrupted = 2;
	ok(next_is(&pipe_records, "x", 1) && polls_interrupted == 0,
	   "an interrupted poll is repeated");
	never_ready = true;
	reads = 0;
	ok(answer(&pipe_records) == RECORDS_LATER && reads == 0,
	   "nothing is read before it is there");
	never_ready = false;
	records_close(&pipe_records);
	ok(fcntl(ends[0], F_GETFD) < 0, "a closed reader has no descriptor");
	close(ends[1]);
}

/* Records that just fill the buffer, or just do not, and the longest. */
static void
test_sizes(void)
{
	static char text[300000];
	struct records records = { .fd = -1 };

	memset(text, 'x', sizeof(text));
	for (size_t len = 65534; len <= 65537; len++) {
		text[len] = '\n';
		write_file(text, len + 1);
		most_asked = 0;
		ok(records_open(&records, path, '\n') &&
			   next_is(&records, text, len) &&
			   answer(&records) == RECORDS_END,
		   "a record of %zu bytes is read", len);
		ok(most_asked <= records.size - 1 &&
			   records.size == (len < 65535 ? 65536 : 131072),
		   "the buffer is as large as the longest record needs");
		records_close(&records);
		write_file(text, len);
		ok(records_open(&records, path, '\n') &&
			   next_is(&records, text, len) &&
			   answer(&records) == RECORDS_END,
		   "a long record needs no delimiter");
		records_close(&records);
		text[len] = 'x';
	}

	/* Many records do not end with the buffer. */
	bool all = true;
	for (size_t at = 999; at < sizeof(text); at += 1000)
		text[at] = '\n';
	write_file(text, sizeof(text));
	all &= records_open(&records, path, '\n');
	for (size_t at = 0; at < sizeof(text); at += 1000)
		all &= next_is(&records, text + at, 999);
	ok(all && answer(&records) == RECORDS_END && records.size == 65536,
	   "short records need no more room");
	records_close(&records);

	memset(text, 'x', sizeof(text));
	write_file(text, sizeof(text));
	fault_from(FAULT_realloc, 2, ENOMEM);
	ok(records_open(&records, path, '\n') &&
		   answer(&records) == RECORDS_FAILED,
	   "a record for which there is no memory is an error");
	fault_clear();
	use_hooks();
	ok(next_is(&records, text, sizeof(text)),
	   "a record is read when there is memory again");
	records_close(&records);
}

int
main(void)
{
	use_hooks();
	struct records records = { .fd = -1 };
	int fd = mkstemp(path);

	alarm(60);
	if (fd < 0)
		return 99;
	close(fd);
	test_file();
	test_pipe();
	reads = 0;
	test_calls();
	test_sizes();
	unlink(path);
	ok(!records_open(&records, path, '\n'),
	   "a missing file cannot be opened");
	ok(records_would_wait("-") && records_would_wait("/dev/null") &&
		   !records_would_wait(".") && !records_would_wait(path),
	   "only what is no regular file may make us wait");
	return tap_done();
}
