/* SPDX-License-Identifier: MIT */
/*
 * Messages to the firmware, word by word.  The numbers are literal: a wrong
 * one in mailbox.h is seen here.
 */
#include "config.h"

#include <errno.h>
#include <stddef.h>
#include <stdarg.h>

#include "qpu/driver/mailbox.h"
#include "qpu/driver/vcsm.h"
#include "tests/support/tap.h"

/* The firmware that these tests talk to. */
static struct {
	int fd;
	unsigned long request;
	uint32_t message[32]; /* as it was asked */
	int error;
	uint32_t code;	 /* of the response */
	uint32_t length; /* of the tag */
	uint32_t answer[16];
	unsigned nanswers;
} firmware;

/* Which signature depends on the C library. */
int
__wrap_ioctl(int fd, unsigned long request, ...);

int
__wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	uint32_t *message;

	va_start(args, request);
	message = va_arg(args, uint32_t *);
	va_end(args);
	firmware.fd = fd;
	firmware.request = request;
	memcpy(firmware.message, message, message[0]);
	if (firmware.error) {
		errno = firmware.error;
		return -1;
	}
	message[1] = firmware.code;
	message[4] = firmware.length;
	memcpy(message + 5, firmware.answer, firmware.nanswers * 4);
	return 0;
}

static bool
sent(const uint32_t *words, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (firmware.message[i] != words[i]) {
			tap_note("word %u is 0x%08x, not 0x%08x", i,
				 (unsigned)firmware.message[i],
				 (unsigned)words[i]);
			return false;
		}
	return true;
}

static void
answers(uint32_t length, uint32_t first, uint32_t second)
{
	memset(&firmware, 0, sizeof(firmware));
	firmware.code = 0x80000000;
	firmware.length = length;
	firmware.answer[0] = first;
	firmware.answer[1] = second;
	firmware.nanswers = 2;
}

static void
test_requests(void)
{
	uint32_t v[16] = { 4096, 4096, 0x4 };

	answers(0x80000004, 7, 0x12345678);
	ok(mailbox_call(3, MAILBOX_ALLOCATE_MEMORY, v, 3, 1) && v[0] == 7,
	   "allocate gives the handle");
	ok(firmware.fd == 3 && v[1] == 4096, "and leaves the other values");
	ok(sent((uint32_t[]){ 36, 0, 0x3000c, 12, 12, 4096, 4096, 4, 0 }, 9),
	   "allocate: 9 words, size, alignment, flags");
	ok(firmware.request == (sizeof(void *) == 8 ? 0xc0086400 : 0xc0046400),
	   "the ioctl has the size of a pointer");

	v[0] = 7;
	answers(0x80000004, 0xde001000, 0);
	ok(mailbox_call(3, MAILBOX_LOCK_MEMORY, v, 1, 1) && v[0] == 0xde001000,
	   "lock gives the bus address");
	ok(sent((uint32_t[]){ 28, 0, 0x3000d, 4, 4, 7, 0 }, 7),
	   "lock: 7 words");

	answers(0x80000008, 0, 64 << 20);
	ok(mailbox_call(3, MAILBOX_VC_MEMORY, v, 0, 2) && v[1] == 64 << 20,
	   "memory of the VideoCore: base and size");
	ok(sent((uint32_t[]){ 32, 0, 0x10006, 8, 0, 0, 0, 0 }, 8),
	   "nothing goes in, and the room for the answer is 0");

	v[0] = 5;
	answers(0x80000008, 5, 300000000);
	ok(mailbox_call(3, MAILBOX_CLOCK_RATE, v, 1, 2) && v[1] == 300000000,
	   "clock rate: clock and Hz");
	ok(sent((uint32_t[]){ 32, 0, 0x30002, 8, 4, 5, 0, 0 }, 8),
	   "clock rate: room for the longer answer");

	memcpy(v, (uint32_t[]){ 12, 0xc0001000, 0, 900 }, 16);
	answers(0x80000004, 0, 0);
	ok(mailbox_call(3, MAILBOX_EXECUTE_QPU, v, 4, 1) && v[0] == 0,
	   "execute QPU succeeds");
	ok(sent((uint32_t[]){ 40, 0, 0x30011, 16, 16, 12, 0xc0001000, 0, 900,
			      0 },
		10),
	   "execute QPU: 10 words");
}

static void
test_failures(void)
{
	uint32_t v[16] = { 1 };

	answers(0x80000004, 9, 9);
	firmware.error = EINVAL;
	ok(!mailbox_call(3, MAILBOX_ENABLE_QPU, v, 1, 1) && errno == EINVAL,
	   "an ioctl that fails, and its reason");
	ok(sent((uint32_t[]){ 28, 0, 0x30012, 4, 4, 1, 0 }, 7),
	   "enable QPU: 7 words");

	answers(0x80000004, 9, 9);
	firmware.code = 0x80000001;
	ok(!mailbox_call(3, MAILBOX_ENABLE_QPU, v, 1, 1) && errno == EIO,
	   "a message that the firmware could not parse");
	answers(0x80000004, 9, 9);
	firmware.code = 0;
	ok(!mailbox_call(3, MAILBOX_ENABLE_QPU, v, 1, 1),
	   "a message that nobody answered");
	answers(4, 9, 9);
	ok(!mailbox_call(3, MAILBOX_ENABLE_QPU, v, 1, 1) && errno == EIO,
	   "a tag that the firmware does not know");
	ok(v[0] == 1, "values stay when there is no answer");

	memset(&firmware, 0, sizeof(firmware));
	errno = 0;
	ok(!mailbox_call(3, MAILBOX_ENABLE_QPU, v, 17, 1) &&
		   firmware.request == 0 && errno == EINVAL,
	   "more values than fit are never sent");
	ok(!mailbox_call(3, MAILBOX_ENABLE_QPU, v, 1, 17) &&
		   firmware.request == 0,
	   "nor is more wanted");
}

/* As many values as fit, and one behind them that is nobody's. */
static void
test_most(void)
{
	uint32_t v[17], expected[22] = { 88, 0, 0x30012, 64, 64 };

	for (unsigned i = 0; i < 17; i++)
		v[i] = 0xffffff00 + i;
	memcpy(expected + 5, v, 64);
	answers(0x80000040, 0, 0);
	firmware.nanswers = 16;
	firmware.answer[15] = 5;
	ok(mailbox_call(3, MAILBOX_ENABLE_QPU, v, 16, 16) && sent(expected, 22),
	   "16 values go in");
	ok(v[15] == 5 && v[16] == 0xffffff10, "and come back");
}

/* Numbers of the other tags, which all look alike. */
static void
test_numbers(void)
{
	ok(MAILBOX_FIRMWARE_REVISION == 0x1 && MAILBOX_BOARD_MODEL == 0x10001 &&
		   MAILBOX_BOARD_REVISION == 0x10002 &&
		   MAILBOX_ARM_MEMORY == 0x10005 &&
		   MAILBOX_MAX_CLOCK_RATE == 0x30004 &&
		   MAILBOX_TEMPERATURE == 0x30006 &&
		   MAILBOX_MIN_CLOCK_RATE == 0x30007,
	   "tags that only ask");
	ok(MAILBOX_UNLOCK_MEMORY == 0x3000e &&
		   MAILBOX_RELEASE_MEMORY == 0x3000f &&
		   MAILBOX_EXECUTE_CODE == 0x30010 &&
		   MAILBOX_THROTTLED == 0x30046 &&
		   MAILBOX_MEASURED_CLOCK_RATE == 0x30047 &&
		   MAILBOX_SET_CLOCK_RATE == 0x38002,
	   "tags that do something");
	ok(MAILBOX_MEMORY_DIRECT == 4 && MAILBOX_MEMORY_COHERENT == 8 &&
		   MAILBOX_MEMORY_L1_NONALLOCATING == 12,
	   "flags of memory");
	ok(sizeof(struct vcsm_allocate) == 64 &&
		   offsetof(struct vcsm_allocate, name) == 16 &&
		   offsetof(struct vcsm_allocate, handle) == 48 &&
		   offsetof(struct vcsm_allocate, dma_addr) == 56 &&
		   VCSM_ALLOCATE == 0x80404a5a,
	   "memory of vcsm-cma");
}

int
main(void)
{
	test_requests();
	test_failures();
	test_most();
	test_numbers();
	return tap_done();
}
