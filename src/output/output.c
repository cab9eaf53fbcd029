/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/output/output.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/descriptor.h"
#include "src/output/report.h"
#include "src/output/status_line.h"

enum { WRITE_BYTES = 64 * 1024 /* at most, but for a longer line */ };

static struct {
	bool waits;	 /* for a stdout that does not block */
	bool ends_open;	 /* the last byte added is not a newline */
	size_t capacity; /* most bytes of a write; 0 while unknown */
	size_t used;
	size_t whole; /* of them in whole lines */
	char bytes[WRITE_BYTES];
} output;

static int
output_descriptor(void)
{
	return descriptor_standard(STDOUT_FILENO);
}

/*
 * Return the most bytes of a write.  A write of at most PIPE_BUF bytes to a pipe
 * is atomic (pipe(7)).  A write of 64 KiB to a socket, such as the standard
 * output of a command that sshd starts, is cut into several buffers, and other
 * processes' writes may come between these.
 */
static size_t
find_capacity(void)
{
	struct stat st;

	if (fstat(output_descriptor(), &st) == 0 &&
	    (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		return PIPE_BUF;
	return WRITE_BYTES;
}

/* 0 or an errno value. */
static int
write_all(const char *bytes, size_t len)
{
	const char *const end = bytes + len;
	const bool shares = status_line_shares_stdout();
	int error = 0;

	if (shares)
		status_line_hide();
	while (bytes < end && !error) {
		const ssize_t n = write(output_descriptor(), bytes,
					(size_t)(end - bytes));

		if (n >= 0)
			bytes += n;
		else if (errno == EAGAIN && output.waits)
			poll(&(struct pollfd){ .fd = output_descriptor(),
					       .events = POLLOUT },
			     1, -1);
		else if (errno != EINTR)
			error = errno;
	}
	if (shares)
		status_line_release();
	return error;
}

static void
write_bytes(const char *bytes, size_t len)
{
	const int saved_errno = errno;
	const int error = write_all(bytes, len);

	errno = saved_errno;
	if (!error)
		return;
	/*
	 * Other threads may still be hashing: run none of the functions that
	 * libraries have registered for a normal exit.
	 */
	output.used = output.whole = 0;
	status_line_close();
	report_errno(error, "write error");
	quick_exit(EXIT_FAILURE);
}

/* Write the first `len` bytes of the buffer. */
static void
flush_first(size_t len)
{
	if (len > 0)
		write_bytes(output.bytes, len);
	output.used -= len;
	output.whole = 0;
	memmove(output.bytes, output.bytes + len, output.used);
}

void
output_wait(void)
{
	output.waits = true;
}

void
output_flush(void)
{
	flush_first(output.used);
}

void
output_add(const void *added, size_t len)
{
	const char *const bytes = added;

	if (len == 0)
		return;
	if (output.capacity == 0)
		output.capacity = find_capacity();
	/* Make room, unless a single write may not have as many. */
	if (output.used + len > output.capacity)
		flush_first(output.whole);
	if (output.used + len > output.capacity)
		output_flush();
	output.ends_open = bytes[len - 1] != '\n';
	if (len > output.capacity) {
		write_bytes(bytes, len);
		return;
	}
	memcpy(output.bytes + output.used, bytes, len);
	output.used += len;
	if (bytes[len - 1] == '\n' || bytes[len - 1] == '\0')
		output.whole = output.used;
}

void
output_add_line(const struct text *line, bool made, const char *name)
{
	if (made)
		output_add(line->bytes, line->len);
	else
		report_file_error(name, ENOMEM);
}

void
output_close(void)
{
	const int error = write_all(output.bytes, output.used);
	bool failed = error != 0;
	/* GNU has lost the cause by the end of --help and --version, unless
	 * closing fails as well. */
	int reason = output.ends_open ? error : 0;

	output.used = 0;
	/* A closed stdout is only an error if something was written. */
	if (close(output_descriptor()) != 0 && (errno != EBADF || failed)) {
		failed = true;
		reason = errno;
	}
	if (failed)
		report_errno(reason, "write error");
}
