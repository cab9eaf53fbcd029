/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/base/stream.h"

#include <errno.h>

bool
stream_flush(FILE *stream)
{
	if (fflush(stream) != 0)
		return false;
	if (ferror(stream))
		errno = EIO;
	return !ferror(stream);
}

bool
stream_close(FILE *stream)
{
	const bool flushed = stream_flush(stream);
	const int error = errno;

	if (fclose(stream) == 0 && flushed)
		return true;
	if (!flushed)
		errno = error;
	return false;
}
