/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/output/output.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/descriptor.h"
#include "src/output/report.h"
#include "src/output/status_line.h"

enum {
	WRITE_BYTES = 64 * 1024, /* at most, but for a longer line */
	/* Most bytes that are held for --progress, five times a second. */
	HELD_BYTES = 1024 * 1024
};

/* The thread of --progress writes what is held.  A failure to write is reported
 * by code that flushes, and so takes the lock again. */
static struct {
	pthread_mutex_t lock;
	bool ends_open;	 /* the last byte added is not a newline */
	size_t capacity; /* most bytes of a write; 0: not known yet */
	size_t used;
	size_t whole; /* of them in whole lines */
	char bytes[HELD_BYTES];
} output;

static void
make_lock(void)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&output.lock, &attributes);
	pthread_mutexattr_destroy(&attributes);
}

static void
lock(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_lock);
	pthread_mutex_lock(&output.lock);
}

static int
output_descriptor(void)
{
	return descriptor_standard(STDOUT_FILENO);
}

/*
 * A write of at most PIPE_BUF bytes to a pipe is not mixed with those of other
 * processes (pipe(7)).  A write of 64 KiB to a socket, such as the standard
 * output of a command that sshd starts, is cut into several buffers, and other
 * writes may come between these.
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
	int error = 0;

	while (bytes < end && !error) {
		const ssize_t n =
			status_line_write(bytes, (size_t)(end - bytes));

		if (n >= 0)
			bytes += n;
		else if (errno != EINTR)
			error = errno;
	}
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

/* The end of the next write, from `at` on: it has whole lines, as many as it
 * may, or one that is longer, or the rest that is no whole line yet. */
static size_t
end_of_write(size_t at, size_t len)
{
	const char *const from = output.bytes + at;
	const char *end;
	char line_end;

	if (len - at <= output.capacity || output.whole <= at)
		return len;
	line_end = output.bytes[output.whole - 1];
	end = memrchr(from, line_end, output.capacity);
	if (!end)
		end = memchr(from, line_end, output.whole - at);
	return (size_t)(end - output.bytes) + 1;
}

/* Write the first `len` bytes of the buffer. */
static void
flush_first(size_t len)
{
	size_t at = 0;

	while (at < len) {
		const size_t end = end_of_write(at, len);

		write_bytes(output.bytes + at, end - at);
		at = end;
	}
	output.used -= len;
	output.whole = 0;
	memmove(output.bytes, output.bytes + len, output.used);
}

void
output_flush(void)
{
	lock();
	flush_first(output.used);
	pthread_mutex_unlock(&output.lock);
}

void
output_flush_soon(void)
{
	if (!status_line_holds())
		output_flush();
}

/* Make room for len bytes, unless a single write may not have as many. */
static void
make_room(size_t len, size_t capacity)
{
	if (output.used + len > capacity)
		flush_first(output.whole);
	if (output.used + len > capacity)
		output_flush();
}

static void
add(const char *bytes, size_t len)
{
	size_t capacity;

	if (output.capacity == 0)
		output.capacity = find_capacity();
	capacity = status_line_holds() ? HELD_BYTES : output.capacity;
	make_room(len, capacity);
	output.ends_open = bytes[len - 1] != '\n';
	if (len > capacity) {
		write_bytes(bytes, len);
		return;
	}
	memcpy(output.bytes + output.used, bytes, len);
	output.used += len;
	if (bytes[len - 1] == '\n' || bytes[len - 1] == '\0')
		output.whole = output.used;
}

void
output_add(const void *bytes, size_t len)
{
	if (len == 0)
		return;
	lock();
	add(bytes, len);
	pthread_mutex_unlock(&output.lock);
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
	/* A closed stdout that was not needed is no error. */
	if (close(output_descriptor()) != 0 && (errno != EBADF || failed)) {
		failed = true;
		reason = errno;
	}
	if (failed)
		report_errno(reason, "write error");
}
