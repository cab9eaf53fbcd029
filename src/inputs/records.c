/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/records.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/descriptor.h"

enum { FIRST_SIZE = 65536 };

static bool
name_is_stdin(const char *name)
{
	return strcmp(name, "-") == 0;
}

bool
records_would_wait(const char *name)
{
	struct stat st;

	/* An open that fails does not wait. */
	return name_is_stdin(name) ||
	       (stat(name, &st) == 0 && !S_ISREG(st.st_mode) &&
		!S_ISDIR(st.st_mode));
}

bool
records_open(struct records *records, const char *name, char delimiter)
{
	struct stat st;
	int flags;

	records->delimiter = delimiter;
	records->ended = false;
	records->start = records->scanned = records->end = 0;
	records->waits = true;
	if (name_is_stdin(name)) {
		records->fd = descriptor_standard(STDIN_FILENO);
		/* poll(2) waits for ever for what cannot be read. */
		flags = fcntl(records->fd, F_GETFL);
		records->waits = !(flags & (O_NONBLOCK | O_WRONLY));
		return true;
	}
	records->fd = descriptor_open(name, 0);
	if (records->fd < 0)
		return false;
	if (fstat(records->fd, &st) == 0 && S_ISREG(st.st_mode))
		records->waits = false;
	return true;
}

static bool
make_room(struct records *records)
{
	if (records->start > 0) {
		memmove(records->buffer, records->buffer + records->start,
			records->end - records->start);
		records->end -= records->start;
		records->scanned -= records->start;
		records->start = 0;
	}
	/* One byte stays free for the NUL after the last record. */
	if (records->end + 1 < records->size)
		return true;

	size_t size = records->size ? records->size * 2 : FIRST_SIZE;
	char *buffer = realloc(records->buffer, size);
	if (!buffer)
		return false;
	records->buffer = buffer;
	records->size = size;
	return true;
}

/* Even a poll without a timeout can be interrupted by a signal. */
static bool
is_ready(struct pollfd *input)
{
	int ready;

	do
		ready = poll(input, 1, 0);
	while (ready < 0 && errno == EINTR);
	return ready != 0;
}

/* Read once: RECORDS_ONE, RECORDS_LATER if it would wait, or RECORDS_FAILED
 * and errno. */
static enum records_result
read_more(struct records *records)
{
	struct pollfd input = { .fd = records->fd, .events = POLLIN };

	if (!make_room(records))
		return RECORDS_FAILED;
	for (;;) {
		if (records->waits && records->fd >= 0 && !is_ready(&input))
			return RECORDS_LATER;

		ssize_t got = read(records->fd, records->buffer + records->end,
				   records->size - 1 - records->end);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return RECORDS_FAILED;
		records->ended = got == 0;
		records->end += (size_t)got;
		return RECORDS_ONE;
	}
}

static enum records_result
hand_out(struct records *records, size_t stop, size_t next, char **record,
	 size_t *len)
{
	records->buffer[stop] = '\0';
	*record = records->buffer + records->start;
	*len = stop - records->start;
	records->start = records->scanned = next;
	return RECORDS_ONE;
}

enum records_result
records_next(struct records *records, char **record, size_t *len)
{
	for (;;) {
		char *delimiter = NULL;

		if (records->scanned < records->end)
			delimiter = memchr(records->buffer + records->scanned,
					   records->delimiter,
					   records->end - records->scanned);
		if (delimiter) {
			size_t stop = (size_t)(delimiter - records->buffer);

			return hand_out(records, stop, stop + 1, record, len);
		}
		records->scanned = records->end;
		if (records->ended && records->start == records->end)
			return RECORDS_END;
		if (records->ended)
			return hand_out(records, records->end, records->end,
					record, len);

		const enum records_result result = read_more(records);
		if (result != RECORDS_ONE)
			return result;
	}
}

void
records_close(struct records *records)
{
	if (records->fd > STDIN_FILENO)
		close(records->fd);
	records->fd = -1;
	free(records->buffer);
	records->buffer = NULL;
	records->size = 0;
}
