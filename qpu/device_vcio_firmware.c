/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/device_vcio_firmware.h"

#include <errno.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "qpu/board.h"
#include "qpu/device_vcio_node.h"
#include "qpu/mailbox.h"

/* With so little memory another firmware is loaded, one without QPUs. */
enum { CUT_DOWN_MIB = 16 };

/* The kernel takes the lock back when we end, in whatever way. */
int
firmware_open(struct diag *why_not)
{
	const int vcio = node_open("/dev/vcio", 0);

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
firmware_ask(int vcio, uint32_t *clock_hz, struct diag *why_not)
{
	uint32_t memory[2];
	uint32_t clock[2] = { MAILBOX_CLOCK_V3D };

	if (!mailbox_call(vcio, MAILBOX_VC_MEMORY, memory, 0, 2)) {
		diag_set(why_not, "the firmware does not answer through "
			 "/dev/vcio: %s", strerror(errno));
		return false;
	}
	if (memory[1] >> 20 <= CUT_DOWN_MIB) {
		diag_set(why_not, "gpu_mem is %u MiB, and the firmware for so "
			 "little has no QPUs: put gpu_mem=64 into "
			 BOARD_CONFIG " and reboot",
			 (unsigned)(memory[1] >> 20));
		return false;
	}
	*clock_hz = mailbox_call(vcio, MAILBOX_CLOCK_RATE, clock, 1, 2) ?
		    clock[1] : 0;
	return true;
}
