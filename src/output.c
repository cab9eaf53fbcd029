/* SPDX-License-Identifier: MIT */
/* Whole lines to stdout. */
#include "config.h"

#include "src/output.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "src/descriptor.h"
#include "src/report.h"
#include "src/status_line.h"

enum { OUTPUT_BYTES = 64 * 1024 };

static struct {
	bool failed;		/* some write failed */
	bool stopped;		/* one failed midway: write no more */
	bool ends_open;		/* the last byte added is no newline */
	int reason;		/* errno of the last write, 0 if it went well */
	size_t used;
	char bytes[OUTPUT_BYTES];
} output;

static int
output_descriptor(void)
{
	return descriptor_standard(STDOUT_FILENO);
}

static void
write_bytes(const char *bytes, size_t len)
{
	const int saved_errno = errno;
	const char *const end = bytes + len;

	status_line_hide(STDOUT_FILENO);
	while (bytes < end && !output.stopped) {
		ssize_t n = write(output_descriptor(), bytes,
				  (size_t)(end - bytes));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			output.failed = true;
			output.reason = errno;
			output.stopped = (size_t)(end - bytes) != len;
			break;
		}
		output.reason = 0;
		bytes += n;
	}
	status_line_release(STDOUT_FILENO);
	errno = saved_errno;
}

void
output_flush(void)
{
	write_bytes(output.bytes, output.used);
	output.used = 0;
}

void
output_add(const void *bytes, size_t len)
{
	if (len == 0)
		return;
	output.ends_open = ((const char *)bytes)[len - 1] != '\n';

	if (len > sizeof(output.bytes) - output.used)
		output_flush();
	if (len > sizeof(output.bytes)) {
		write_bytes(bytes, len);
		return;
	}
	memcpy(output.bytes + output.used, bytes, len);
	output.used += len;
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
	int reason = 0;

	output_flush();
	/*
	 * GNU writes line by line and knows only at the end that a write has
	 * failed; the reason is known only if there is something left to
	 * write then (-z) or closing fails as well (a closed stdout).
	 */
	if (output.ends_open)
		reason = output.reason;
	if (close(output_descriptor()) != 0) {
		/* Nobody minds a closed stdout that was not needed. */
		if (errno != EBADF || output.failed) {
			output.failed = true;
			reason = errno;
		}
	}
	if (output.failed)
		report_errno(reason, "write error");
}
