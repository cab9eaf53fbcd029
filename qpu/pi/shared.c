/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/pi/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qpu/abi/mailbox.h"
#include "qpu/pi/profile.h"
#include "src/base/thread.h"

enum {
	MHZ = 1000000,
	LOWEST_MHZ = 250,
	KERNEL_OF_LOW_CLOCKS = 618 /* Linux 6.18 */
};

static int
open_file(const char *dir, int flags)
{
	char path[BOARD_PATH];

	snprintf(path, sizeof(path), "%s/%s", dir, BOARD_FILE);
	return open(path, flags | O_RDWR | O_CLOEXEC, 0600);
}

static struct board_shared *
map_file(int fd)
{
	struct board_shared *shared = mmap(NULL, sizeof(*shared),
					   PROT_READ | PROT_WRITE, MAP_SHARED,
					   fd, 0);

	return shared == MAP_FAILED ? NULL : shared;
}

/* Robust mutex: the state stays usable if the owner dies. */
static bool
init_mutex(pthread_mutex_t *mutex)
{
	pthread_mutexattr_t attributes;
	bool good;

	if (pthread_mutexattr_init(&attributes) != 0)
		return false;
	good = pthread_mutexattr_setpshared(&attributes,
					    PTHREAD_PROCESS_SHARED) == 0 &&
	       pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) ==
		       0 &&
	       pthread_mutex_init(mutex, &attributes) == 0;
	pthread_mutexattr_destroy(&attributes);
	return good;
}

uint32_t
board_shared_most_hz(const struct board_shared *shared, unsigned clock)
{
	const struct profile *profile = &profile_rows[shared->options.profile];

	switch (clock) {
	case MAILBOX_CLOCK_ARM: return profile->arm_mhz * MHZ;
	case MAILBOX_CLOCK_CORE: return profile->core_mhz * MHZ;
	case MAILBOX_CLOCK_V3D: return profile->v3d_mhz * MHZ;
	default: return 0;
	}
}

uint32_t
board_shared_least_hz(const struct board_shared *shared, unsigned clock)
{
	const uint32_t most = board_shared_most_hz(shared, clock);

	return most < LOWEST_MHZ * MHZ ? most : LOWEST_MHZ * MHZ;
}

/* Linux from 6.18 on turns clocks that no driver of its own uses to their
 * lowest rate (drivers/clk/bcm/clk-raspberrypi.c). */
static void
init_clocks(struct board_shared *shared)
{
	for (unsigned i = 0; i < BOARD_CLOCKS; i++)
		shared->clock_hz[i] = board_shared_most_hz(shared, i);
	if (system_rows[shared->options.system].kernel >=
		    KERNEL_OF_LOW_CLOCKS &&
	    !shared->options.kms)
		shared->clock_hz[MAILBOX_CLOCK_V3D] =
			board_shared_least_hz(shared, MAILBOX_CLOCK_V3D);
	shared->boot_hz = shared->clock_hz[MAILBOX_CLOCK_V3D];
}

void
board_shared_init(struct board_shared *shared,
		  const struct board_options *options)
{
	shared->bytes = sizeof(*shared);
	shared->options = *options;
	init_clocks(shared);
	shared->next_handle = 1;
}

bool
board_shared_clock_changed(const struct board_shared *shared)
{
	return shared->clock_hz[MAILBOX_CLOCK_V3D] != shared->boot_hz;
}

bool
board_shared_reserve(int fd, uint64_t at, uint64_t bytes)
{
	while (fallocate(fd, 0, (off_t)at, (off_t)bytes) != 0)
		if (errno != EINTR)
			return errno != ENOSPC && errno != EDQUOT &&
			       errno != EFBIG && errno != EIO;
	return true;
}

bool
board_shared_find_gap(struct board_range free, uint32_t alignment,
		      uint32_t guard, const void *rows, size_t n, size_t row,
		      struct board_range *wanted)
{
	uint64_t at = free.at;
	size_t i = 0;

	do {
		struct board_range taken = { 0, 0 };

		at = (at + alignment - 1) / alignment * alignment;
		for (; i < n && taken.bytes == 0; i++) {
			memcpy(&taken, (const char *)rows + i * row,
			       sizeof(taken));
			if (taken.at >= at + wanted->bytes + guard ||
			    at >= (uint64_t)taken.at + taken.bytes + guard)
				taken.bytes = 0;
		}
		if (taken.bytes > 0) {
			at = (uint64_t)taken.at + taken.bytes + guard;
			i = 0;
		}
	} while (i < n);
	wanted->at = (uint32_t)at;
	return at + wanted->bytes <= (uint64_t)free.at + free.bytes;
}

struct board_shared *
board_shared_create(const char *dir, const struct board_options *options,
		    struct diag *why)
{
	const int fd = open_file(dir, O_CREAT | O_EXCL);
	struct board_shared *shared = NULL;

	if (fd >= 0 && ftruncate(fd, sizeof(*shared)) == 0 &&
	    board_shared_reserve(fd, 0, sizeof(*shared)))
		shared = map_file(fd);
	if (!shared)
		diag_set(why, "%s: %s", dir, strerror(errno));
	if (fd >= 0)
		close(fd);
	if (!shared)
		return NULL;
	board_shared_init(shared, options);
	if (init_mutex(&shared->mutex))
		return shared;
	diag_set(why, "no lock between processes");
	board_shared_unmap(shared);
	return NULL;
}

struct board_shared *
board_shared_map(const char *dir)
{
	const int fd = open_file(dir, 0);
	struct board_shared *shared = NULL;
	struct stat status;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &status) == 0 && status.st_size == sizeof(*shared))
		shared = map_file(fd);
	close(fd);
	if (shared && shared->bytes != sizeof(*shared)) {
		board_shared_unmap(shared);
		return NULL;
	}
	return shared;
}

void
board_shared_unmap(struct board_shared *shared)
{
	munmap(shared, sizeof(*shared));
}

bool
board_shared_is_in(int directory)
{
	const int fd = openat(directory, BOARD_FILE,
			      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat status;
	uint32_t bytes;
	bool found;

	if (fd < 0)
		return false;
	found = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
		(status.st_size == 0 ||
		 (read(fd, &bytes, sizeof(bytes)) == sizeof(bytes) &&
		  (bytes == 0 || bytes == (uint64_t)status.st_size)));
	close(fd);
	return found;
}

void
board_shared_lock(struct board_shared *shared, sigset_t *signals)
{
	thread_block_signals(signals);
	if (pthread_mutex_lock(&shared->mutex) == EOWNERDEAD)
		pthread_mutex_consistent(&shared->mutex);
}

void
board_shared_unlock(struct board_shared *shared, const sigset_t *signals)
{
	const int error = errno;

	pthread_mutex_unlock(&shared->mutex);
	pthread_sigmask(SIG_SETMASK, signals, NULL);
	errno = error;
}
