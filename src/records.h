/* SPDX-License-Identifier: MIT */
/*
 * records: a file or stream cut into records at a delimiter, without waiting
 * for input unless told to.  Lines of a check list, names of a NUL-separated
 * list.
 */
#ifndef SRC_RECORDS_H
#define SRC_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

enum records_answer {
	RECORDS_ONE,
	RECORDS_LATER,		/* would have to wait for fd */
	RECORDS_END,
	RECORDS_FAILED		/* errno says why */
};

struct records {
	int fd;			/* -1 = none open */
	char delimiter;
	bool waits;		/* not a regular file: reading may wait */
	bool ended;
	char *buffer;
	size_t size;		/* allocated */
	size_t start;		/* first byte not handed out */
	size_t scanned;		/* no delimiter in [start, scanned) */
	size_t end;		/* bytes read */
};

/* Would opening `name` wait, or take from somebody else's input? */
bool
records_would_wait(const char *name);

/* Open `name` ("-" is standard input).  False: errno. */
bool
records_open(struct records *, const char *name, char delimiter);

/*
 * The next record, without its delimiter; *record may be written to, is
 * followed by a NUL, and is valid until the next call.  The last record needs
 * no delimiter.
 */
enum records_answer
records_next(struct records *, char **record, size_t *len);

/* Closes and frees; a closed one can be opened again. */
void
records_close(struct records *);

#endif
