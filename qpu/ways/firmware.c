/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/firmware.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qpu/abi/dma_heap.h"

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

/* What is in the way -------------------------------------------------------- */

static void
set_detail(struct finding *finding, const char *detail)
{
	snprintf(finding->detail, sizeof(finding->detail), "%s", detail);
}

/* Return why an existing node cannot be used. */
static enum obstacle
may_open(const char *node, struct finding *finding)
{
	struct statx status;

	if (host_may_open(node))
		return USABLE;
	set_detail(finding, node);
	return statx(AT_FDCWD, node, 0, STATX_BASIC_STATS, &status) == 0 &&
			       host_group_may_open(status.stx_mode,
						   status.stx_gid, "video",
						   finding) ?
		       VCIO_FOR_GROUP :
		       VCIO_FOR_ROOT;
}

/* A module that is loaded makes no node when the firmware has no service for
 * it, as the firmware of gpu_mem=16. */
static enum obstacle
check_memory(struct vcio_nodes *nodes)
{
	/* Called after what reserves the memory, a node of the device tree or
	 * "cma=" on the kernel's command line; Linux 6.17 has a name of its own
	 * for both, and keeps the first one for programs of before
	 * (drivers/dma-buf/heaps/cma_heap.c). */
	static const char *const heaps[] = { "/dev/dma_heap/reserved",
					     "/dev/dma_heap/default_cma_region",
					     DMA_HEAP_NODE };
	enum obstacle obstacle;

	if (!host_has("/dev/vcsm-cma")) {
		return host_has("/sys/module/vc_sm_cma") ? LITTLE_MEMORY :
							   NO_MODULE;
	}
	obstacle = may_open("/dev/vcsm-cma", &nodes->finding);
	for (unsigned i = 0; i < sizeof(heaps) / sizeof(*heaps); i++)
		if (host_may_open(heaps[i]))
			nodes->heap = heaps[i];
	return obstacle;
}

/* Since October 2016 the firmware refuses to run QPU programs where the device
 * tree gives the V3D to the kernel; before, both collided. */
static enum obstacle
check_nodes(struct vcio_nodes *nodes)
{
	enum obstacle obstacle;

	if (!host_identify(&nodes->host, &nodes->finding))
		return nodes->finding.obstacle;
	set_detail(&nodes->finding, host_config());
	switch (host_v3d_owner()) {
	case V3D_OF_OVERLAY: return KMS;
	case V3D_OF_KERNEL: return OTHER_KERNEL;
	case V3D_FREE: break;
	}
	if (!host_has("/dev/vcio"))
		return NO_MAILBOX;
	obstacle = may_open("/dev/vcio", &nodes->finding);
	return obstacle == USABLE ? check_memory(nodes) : obstacle;
}

bool
vcio_nodes_find(struct vcio_nodes *nodes, struct diag *why_not)
{
	*nodes = (struct vcio_nodes){ .finding.obstacle = USABLE };
	nodes->finding.obstacle = check_nodes(nodes);
	if (nodes->finding.obstacle == USABLE)
		return true;
	obstacle_explain(&nodes->finding, why_not);
	return false;
}

/* Nodes and requests -------------------------------------------------------- */

int
firmware_open_node(const char *name, int flags)
{
	return open(name, O_RDWR | O_CLOEXEC | flags);
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

	assert(most <= FIRMWARE_VALUES);
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
firmware_has_qpus(int vcio, struct finding *finding)
{
	/* With no more memory for the GPU the firmware is a reduced one. */
	enum { CUT_DOWN_MIB = 16 };
	uint32_t memory[2];
	const char *detail = host_config();

	finding->obstacle = USABLE;
	if (!firmware_call(vcio, MAILBOX_VC_MEMORY, memory, 0, 2)) {
		finding->obstacle = NO_ANSWER;
		detail = strerror(errno);
	} else if (memory[1] >> 20 <= CUT_DOWN_MIB) {
		finding->obstacle = LITTLE_MEMORY;
	}
	set_detail(finding, detail);
	return finding->obstacle == USABLE;
}

/* The clock ----------------------------------------------------------------- */

/* Ask for a property of the clock; 0 = not known. */
static uint32_t
ask_clock(int vcio, enum mailbox_tag tag)
{
	uint32_t values[2] = { MAILBOX_CLOCK_V3D };

	return firmware_call(vcio, tag, values, 1, 2) ? values[1] : 0;
}

static void
set_clock_state(int vcio, uint32_t state)
{
	uint32_t values[2] = { MAILBOX_CLOCK_V3D, state };

	firmware_call(vcio, MAILBOX_SET_CLOCK_STATE, values, 2, 2);
}

/* A third word of 0 lets the voltage follow the rate. */
static void
set_clock_rate(int vcio, uint32_t hz)
{
	uint32_t values[3] = { MAILBOX_CLOCK_V3D, hz, 0 };

	firmware_call(vcio, MAILBOX_SET_CLOCK_RATE, values, 3, 2);
}

void
firmware_raise_clock(struct raised_clock *clock, int vcio)
{
	uint32_t state[2] = { MAILBOX_CLOCK_V3D };
	uint32_t hz, most;

	if (firmware_call(vcio, MAILBOX_CLOCK_STATE, state, 1, 2) &&
	    !(state[1] & (MAILBOX_CLOCK_ON | MAILBOX_CLOCK_MISSING))) {
		set_clock_state(vcio, MAILBOX_CLOCK_ON);
		clock->was_off = true;
	}
	hz = ask_clock(vcio, MAILBOX_CLOCK_RATE);
	most = ask_clock(vcio, MAILBOX_MAX_CLOCK_RATE);
	if (hz == 0 || hz >= most)
		return;
	set_clock_rate(vcio, most);
	if (clock->hz == 0)
		clock->hz = hz;
}

void
firmware_put_back_clock(struct raised_clock *clock, int vcio)
{
	if (clock->hz > 0)
		set_clock_rate(vcio, clock->hz);
	if (clock->was_off)
		set_clock_state(vcio, 0);
	*clock = (struct raised_clock){ 0 };
}
