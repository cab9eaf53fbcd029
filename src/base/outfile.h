/* SPDX-License-Identifier: MIT */
/*
 * outfile: reports failures of all writes to a file.
 *
 * fflush and fclose report the last write alone: if an earlier one failed, to a
 * disk that was full for a moment, its bytes are lost without an error.
 */
#ifndef SRC_BASE_OUTFILE_H
#define SRC_BASE_OUTFILE_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

/* Write the buffered bytes.  Return false and errno on failure; errno is EIO if an
 * earlier write has failed. */
static inline bool
outfile_flush(FILE *stream)
{
	if (fflush(stream) != 0)
		return false;
	if (ferror(stream))
		errno = EIO;
	return !ferror(stream);
}

/* Do the same, and close the file in any case. */
static inline bool
outfile_close(FILE *stream)
{
	const int error = outfile_flush(stream) ? 0 : errno;

	if (fclose(stream) == 0 && error == 0)
		return true;
	errno = error ? error : errno;
	return false;
}

#endif
