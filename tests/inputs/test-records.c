/* SPDX-License-Identifier: MIT */
/*
 * Promise: a list is cut at every delimiter and nowhere else, however it
 * arrives, and is never waited for.
 */
#include "config.h"

#include "src/inputs/records.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

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
	ok(next_is(&records, "last", 4), "the last needs no delimiter");
	ok(answer(&records) == RECORDS_END, "then it ends");
	records_close(&records);
}

static void
test_long_record(void)
{
	enum { LEN = 300000 };
	struct records records = { .fd = -1 };
	char *text = malloc(LEN + 2);
	int fd = open(path, O_WRONLY | O_TRUNC);

	memset(text, 'x', LEN);
	memcpy(text + LEN, "\0y", 2);
	ok(put(fd, text, LEN + 2) && records_open(&records, path, '\0') &&
		   next_is(&records, text, LEN),
	   "a record may be longer than any buffer");
	ok(next_is(&records, "y", 1), "and the next one follows it");
	close(fd);
	records_close(&records);
	free(text);
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
	   "nor is half a record handed out");
	ok(put(ends[1], "c\nd", 3) && next_is(&records, "abc", 3),
	   "the other half completes it");
	ok(answer(&records) == RECORDS_LATER, "the next is incomplete");
	close(ends[1]);
	ok(next_is(&records, "d", 1), "the end of the pipe completes the last");
	ok(answer(&records) == RECORDS_END, "then it ends");
	records_close(&records);
}

int
main(void)
{
	struct records records = { .fd = -1 };
	int fd = mkstemp(path);

	if (fd < 0)
		return 99;
	close(fd);
	test_file();
	test_long_record();
	test_pipe();
	unlink(path);
	ok(!records_open(&records, path, '\n'),
	   "a missing file cannot be opened");
	ok(records_would_wait("-") && records_would_wait("/dev/null") &&
		   !records_would_wait(".") && !records_would_wait(path),
	   "only what is no regular file may make us wait");
	return tap_done();
}
