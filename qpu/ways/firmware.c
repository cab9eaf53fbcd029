/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/firmware.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "qpu/ways/vcio_nodes.h"

/* How long to wait when the kernel has no memory for a request. */
enum { AGAIN_MS = 10 };

/* A message with a single tag (hardware reference, section 14). */
struct message {
	uint32_t bytes;
	uint32_t code;
	struct {
		uint32_t id;
		uint32_t value_bytes; /* of the larger direction */
		uint32_t length;      /* of what is sent; comes back with
					 * MAILBOX_TAG_RESPONSE */
	} tag;
	uint32_t values[FIRMWARE_VALUES];
	uint32_t end; /* after a full set of values */
};

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

/* The kernel drops the lock when the process ends, however it ends. */
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

/* The kernel needs memory that it cannot wait for (GFP_ATOMIC in
 * rpi_firmware_property_list of drivers/firmware/raspberrypi.c).  When it has
 * none nothing was sent, so once more is safe. */
static int
send_message(int vcio, struct message *message)
{
	int result = ioctl(vcio, MAILBOX_IOCTL, message);

	if (result < 0 && errno == ENOMEM) {
		poll(NULL, 0, AGAIN_MS);
		result = ioctl(vcio, MAILBOX_IOCTL, message);
	}
	return result;
}

/*
 * A failure shows in two ways: newer kernels return an error when the
 * firmware's code is not success, older ones leave the code to be looked at.  A
 * tag that the firmware does not know comes back as it was.
 */
bool
firmware_call(int vcio, enum mailbox_tag tag, uint32_t *values,
	      unsigned request, unsigned response)
{
	const unsigned most = request > response ? request : response;
	struct message message = { .code = MAILBOX_REQUEST,
				   .tag.id = tag,
				   .tag.value_bytes = most * 4,
				   .tag.length = request * 4 };

	if (most > FIRMWARE_VALUES) {
		errno = EINVAL;
		return false;
	}
	/* The tag 0 follows the values. */
	message.bytes =
		(uint32_t)offsetof(struct message, values) + most * 4 + 4;
	memcpy(message.values, values, request * 4);
	if (send_message(vcio, &message) < 0)
		return false;
	if (message.code != MAILBOX_SUCCESS ||
	    !(message.tag.length & MAILBOX_TAG_RESPONSE)) {
		errno = EIO;
		return false;
	}
	memcpy(values, message.values, response * 4);
	return true;
}

bool
firmware_has_qpus(int vcio, struct diag *why_not)
{
	uint32_t memory[2];

	if (!firmware_call(vcio, MAILBOX_VC_MEMORY, memory, 0, 2)) {
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

		if (firmware_call(vcio, tags[i], values, 1, 2) && values[1] > 0)
			return values[1];
	}
	return 0;
}
