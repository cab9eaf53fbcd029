/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/base/outfile.h"

#include <errno.h>

bool
outfile_flush(FILE *stream)
{
	if (fflush(stream) != 0)
		return false;
	if (ferror(stream))
		errno = EIO;
	return !ferror(stream);
}

bool
outfile_close(FILE *stream)
{
	const bool flushed = outfile_flush(stream);
	const int error = errno;

	if (fclose(stream) == 0 && flushed)
		return true;
	if (!flushed)
		errno = error;
	return false;
}
