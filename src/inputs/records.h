/* SPDX-License-Identifier: MIT */
/*
 * records: read a file or stream record by record, such as the lines of a
 * check list or the names of a NUL-separated list, without waiting for input.
 */
#ifndef SRC_INPUTS_RECORDS_H
#define SRC_INPUTS_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

enum records_result {
	RECORDS_ONE,
	RECORDS_LATER, /* would have to wait for fd */
	RECORDS_END,
	RECORDS_FAILED /* errno says why */
};

struct records {
	int fd; /* -1 = none open */
	char delimiter;
	bool waits; /* reading may wait: not a regular file, nor a
		     * standard input in non-blocking mode */
	bool ended;
	char *buffer;
	size_t size;	/* allocated */
	size_t start;	/* first byte not handed out */
	size_t scanned; /* no delimiter in [start, scanned) */
	size_t end;	/* bytes read */
};

/* Return true if opening or reading `name` may wait, or take input from
 * another reader. */
bool
records_would_wait(const char *name);

/* Open `name` ("-" is standard input).  On failure return false with errno
 * set. */
bool
records_open(struct records *, const char *name, char delimiter);

/*
 * Get the next record, without its delimiter.  *record is writable, followed
 * by a NUL, and valid until the next call.  The last record needs no
 * delimiter.
 */
enum records_result
records_next(struct records *, char **record, size_t *len);

/* Close and free; it can then be opened again. */
void
records_close(struct records *);

#endif
