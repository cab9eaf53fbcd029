/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

/* Written once, before there is a second thread. */
static bool closed[STDERR_FILENO + 1];

void
descriptor_init(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		closed[fd] = fcntl(fd, F_GETFD) < 0;
}

int
descriptor_standard(int fd)
{
	return closed[fd] ? -1 : fd;
}

int
descriptor_open(const char *name, int flags)
{
	int fd, higher;

	do
		fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | flags);
	while (fd < 0 && errno == EINTR);
	if (fd < 0 || fd > STDERR_FILENO)
		return fd;

	higher = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	int saved = errno;
	close(fd);
	errno = saved;
	return higher;
}
