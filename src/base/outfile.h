/* SPDX-License-Identifier: MIT */
/*
 * outfile: has a file taken all that was written to it?
 *
 * fflush and fclose report the last write alone: what an earlier one could not
 * write, to a disk that was full for a moment, is lost without a word.
 */
#ifndef SRC_BASE_OUTFILE_H
#define SRC_BASE_OUTFILE_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

/* Write out what is buffered.  False and errno if that fails; errno is EIO if
 * an earlier write has failed. */
static inline bool
outfile_flush(FILE *stream)
{
	if (fflush(stream) != 0)
		return false;
	if (ferror(stream))
		errno = EIO;
	return !ferror(stream);
}

/* The same, and close it in any case. */
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
