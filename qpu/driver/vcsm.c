/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/driver/vcsm.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "qpu/driver/firmware_claims.h"

enum { SPARE_DESCRIPTORS = 16 };

/* Other threads may open files meanwhile. */
static bool
has_descriptors(int node)
{
	int fds[SPARE_DESCRIPTORS];
	unsigned n = 0;
	int error;

	while (n < SPARE_DESCRIPTORS &&
	       (fds[n] = fcntl(node, F_DUPFD_CLOEXEC, 0)) >= 0)
		n++;
	error = errno;
	for (unsigned i = 0; i < n; i++)
		close(fds[i]);
	errno = error;
	return n == SPARE_DESCRIPTORS;
}

/*
 * VCSM_ALLOCATE waits in a way that any signal to this thread interrupts, even
 * the stop of the process or its end by a signal to another thread.  The
 * kernel's cleanup then dereferences a list entry that was never added, with a
 * lock held; want of a descriptor leads to the same cleanup.  Therefore all
 * signals are blocked here, those of other threads wait for the end of the
 * visit, and there are descriptors to spare.  SIGKILL and SIGSTOP remain.
 * VCSM_IMPORT waits in the same way, but cleans up after itself.
 */
bool
vcsm_ask(int node, unsigned long request, void *argument)
{
	struct claims_visit visit;
	sigset_t all;
	int result, error;

	if (!has_descriptors(node))
		return false;
	if (!claims_enter(&visit)) {
		errno = ECANCELED;
		return false;
	}
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	result = ioctl(node, request, argument);
	error = errno;
	claims_leave(&visit);
	errno = error;
	return result >= 0;
}
