/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "qpu/virtual/state.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qpu/mailbox.h"
#include "qpu/virtual/profile.h"

static int
open_file(const char *dir, int flags)
{
	char path[STATE_PATH];

	snprintf(path, sizeof(path), "%s/%s", dir, STATE_FILE);
	return open(path, flags | O_RDWR | O_CLOEXEC, 0600);
}

static struct state *
map_file(int fd)
{
	struct state *state = mmap(NULL, sizeof(*state),
				   PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return state == MAP_FAILED ? NULL : state;
}

/* A process may die with the lock; what it leaves is whole enough. */
static bool
init_mutex(pthread_mutex_t *mutex)
{
	pthread_mutexattr_t attributes;
	bool good;

	if (pthread_mutexattr_init(&attributes) != 0)
		return false;
	good = pthread_mutexattr_setpshared(&attributes,
					    PTHREAD_PROCESS_SHARED) == 0 &&
	       pthread_mutexattr_setrobust(&attributes,
					   PTHREAD_MUTEX_ROBUST) == 0 &&
	       pthread_mutex_init(mutex, &attributes) == 0;
	pthread_mutexattr_destroy(&attributes);
	return good;
}

static void
init_firmware(struct state *state)
{
	const struct profile *profile =
		&profile_rows[state->options.profile];

	state->clock_hz[MAILBOX_CLOCK_ARM] = profile->arm_mhz * 1000000u;
	state->clock_hz[MAILBOX_CLOCK_CORE] = profile->core_mhz * 1000000u;
	state->clock_hz[MAILBOX_CLOCK_V3D] =
		state->options.v3d_mhz * 1000000u;
	state->next_handle = 1;
}

struct state *
state_create(const char *dir, const struct state_options *options,
	     struct diag *why)
{
	const int fd = open_file(dir, O_CREAT | O_EXCL);
	struct state *state = NULL;

	if (fd >= 0 && ftruncate(fd, sizeof(*state)) == 0)
		state = map_file(fd);
	if (!state)
		diag_set(why, "%s: %s", dir, strerror(errno));
	if (fd >= 0)
		close(fd);
	if (!state)
		return NULL;
	state->bytes = sizeof(*state);
	state->options = *options;
	init_firmware(state);
	if (init_mutex(&state->mutex))
		return state;
	diag_set(why, "no lock between processes");
	state_unmap(state);
	return NULL;
}

struct state *
state_map(const char *dir)
{
	const int fd = open_file(dir, 0);
	struct state *state = NULL;
	struct stat status;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &status) == 0 && status.st_size == sizeof(*state))
		state = map_file(fd);
	close(fd);
	if (state && state->bytes != sizeof(*state)) {
		state_unmap(state);
		return NULL;
	}
	return state;
}

void
state_unmap(struct state *state)
{
	munmap(state, sizeof(*state));
}

void
state_lock(struct state *state, sigset_t *signals)
{
	sigset_t all;

	sigfillset(&all);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGFPE);
	sigdelset(&all, SIGILL);
	sigdelset(&all, SIGTRAP);
	sigdelset(&all, SIGABRT);
	pthread_sigmask(SIG_SETMASK, &all, signals);
	if (pthread_mutex_lock(&state->mutex) == EOWNERDEAD)
		pthread_mutex_consistent(&state->mutex);
}

void
state_unlock(struct state *state, const sigset_t *signals)
{
	const int error = errno;

	pthread_mutex_unlock(&state->mutex);
	pthread_sigmask(SIG_SETMASK, signals, NULL);
	errno = error;
}
