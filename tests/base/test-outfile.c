/* SPDX-License-Identifier: MIT */
/*
 * Streams: no lost byte goes unnoticed.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "src/base/outfile.h"
#include "tests/support/tap.h"

/* A file whose nth write, from 1 on, fails; or its close. */
struct file {
	unsigned bad_write;
	bool bad_close;
	unsigned writes;
	size_t taken;
	bool closed;
};

static ssize_t
take(void *cookie, const char *bytes, size_t len)
{
	struct file *file = cookie;

	(void)bytes;
	if (++file->writes == file->bad_write) {
		errno = ENOSPC;
		return 0;
	}
	file->taken += len;
	return (ssize_t)len;
}

static int
end(void *cookie)
{
	struct file *file = cookie;

	file->closed = true;
	if (!file->bad_close)
		return 0;
	errno = EDQUOT;
	return -1;
}

/* Two writes of 16 bytes. */
static FILE *
open_and_write(struct file *file)
{
	const cookie_io_functions_t functions = { .write = take, .close = end };
	FILE *stream = fopencookie(file, "w", functions);

	if (!stream)
		abort();
	fputs("0123456789abcdef", stream);
	fflush(stream);
	fputs("0123456789abcdef", stream);
	return stream;
}

int
main(void)
{
	struct file file = { .bad_write = 0 };
	FILE *stream = open_and_write(&file);

	ok(outfile_flush(stream) && file.taken == 32,
	   "a close writes all that is buffered");
	ok(outfile_close(stream) && file.closed, "the file is closed");

	file = (struct file){ .bad_write = 1 };
	stream = open_and_write(&file);
	errno = 0;
	ok(!outfile_flush(stream) && errno == EIO,
	   "a flush reports a write that failed earlier");
	ok(!outfile_close(stream) && errno == EIO && file.closed,
	   "a close reports a write that failed earlier");

	file = (struct file){ .bad_write = 2 };
	stream = open_and_write(&file);
	ok(!outfile_flush(stream) && errno == ENOSPC,
	   "a flush reports that it fails");
	ok(!outfile_close(stream) && file.closed,
	   "a close reports that the last flush failed");

	file = (struct file){ .bad_write = 2 };
	stream = open_and_write(&file);
	ok(!outfile_close(stream) && errno == ENOSPC && file.closed,
	   "what is still buffered cannot be written: the reason is kept");

	file = (struct file){ .bad_close = true };
	stream = open_and_write(&file);
	ok(!outfile_close(stream) && errno == EDQUOT && file.taken == 32,
	   "a close that fails is reported");
	return tap_done();
}
