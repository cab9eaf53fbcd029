/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/driver/firmware.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "qpu/driver/mailbox.h"
#include "qpu/driver/pi_board.h"

/* With so little memory another firmware is loaded, one without QPUs. */
enum { CUT_DOWN_MIB = 16 };

int
firmware_lift(int fd)
{
	int higher, error;

	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	higher = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	error = errno;
	close(fd);
	errno = error;
	return higher;
}

int
firmware_open_node(const char *name, int flags)
{
	return firmware_lift(open(name, O_RDWR | O_CLOEXEC | flags));
}

/* The kernel drops the lock when the process ends, in whatever way. */
int
firmware_open(struct diag *why_not)
{
	const int vcio = firmware_open_node("/dev/vcio", 0);

	if (vcio < 0) {
		diag_set(why_not, "/dev/vcio: %s", strerror(errno));
		return -1;
	}
	if (flock(vcio, LOCK_EX | LOCK_NB) == 0)
		return vcio;
	if (errno == EWOULDBLOCK)
		diag_set(why_not, "another program uses the QPUs");
	else
		diag_set(why_not, "/dev/vcio cannot be locked: %s",
			 strerror(errno));
	close(vcio);
	return -1;
}

bool
firmware_ask(int vcio, struct diag *why_not)
{
	uint32_t memory[2];

	if (!mailbox_call(vcio, MAILBOX_VC_MEMORY, memory, 0, 2)) {
		diag_set(why_not,
			 "the firmware does not answer through "
			 "/dev/vcio: %s",
			 strerror(errno));
		return false;
	}
	if (memory[1] >> 20 <= CUT_DOWN_MIB) {
		diag_set(why_not,
			 "gpu_mem is %u MiB, and the firmware for so "
			 "little has no QPUs: put gpu_mem=64 into " PI_CONFIG
			 " and reboot",
			 (unsigned)(memory[1] >> 20));
		return false;
	}
	return true;
}

uint32_t
firmware_clock(int vcio)
{
	static const enum mailbox_tag tags[] = { MAILBOX_MEASURED_CLOCK_RATE,
						 MAILBOX_CLOCK_RATE };

	for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++) {
		uint32_t values[2] = { MAILBOX_CLOCK_V3D };

		if (mailbox_call(vcio, tags[i], values, 1, 2) && values[1] > 0)
			return values[1];
	}
	return 0;
}
