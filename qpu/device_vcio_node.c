/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/device_vcio_node.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int
node_open(const char *name, int flags)
{
	const int fd = open(name, O_RDWR | O_CLOEXEC | flags);
	int higher, error;

	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	higher = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	error = errno;
	close(fd);
	errno = error;
	return higher;
}
