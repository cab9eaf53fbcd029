/* SPDX-License-Identifier: MIT */
/*
 * mailbox: the numbers of the property interface of the VideoCore's firmware,
 * /dev/vcio (hardware reference, section 14).
 *
 * This is the only place with tag numbers and the number of the ioctl.  The
 * driver sends these tags, and the virtual board answers them.
 */
#ifndef QPU_ABI_MAILBOX_H
#define QPU_ABI_MAILBOX_H

#include <sys/ioctl.h>

/* It contains the size of a pointer: 0xc0046400 or 0xc0086400. */
#define MAILBOX_IOCTL _IOWR(100, 0, char *)

enum { MAILBOX_MAJOR = 100 };

enum mailbox_tag {
	MAILBOX_FIRMWARE_REVISION = 0x00000001,
	MAILBOX_FIRMWARE_VARIANT = 0x00000002,
	MAILBOX_FIRMWARE_HASH = 0x00000003,
	MAILBOX_BOARD_MODEL = 0x00010001,
	MAILBOX_BOARD_REVISION = 0x00010002,
	MAILBOX_BOARD_SERIAL = 0x00010004,
	MAILBOX_ARM_MEMORY = 0x00010005,
	MAILBOX_VC_MEMORY = 0x00010006,
	MAILBOX_CLOCK_STATE = 0x00030001,
	MAILBOX_CLOCK_RATE = 0x00030002,
	MAILBOX_MAX_CLOCK_RATE = 0x00030004,
	MAILBOX_TEMPERATURE = 0x00030006,
	MAILBOX_MIN_CLOCK_RATE = 0x00030007,
	MAILBOX_ALLOCATE_MEMORY = 0x0003000c,
	MAILBOX_LOCK_MEMORY = 0x0003000d,
	MAILBOX_UNLOCK_MEMORY = 0x0003000e,
	MAILBOX_RELEASE_MEMORY = 0x0003000f,
	MAILBOX_EXECUTE_CODE = 0x00030010,
	MAILBOX_EXECUTE_QPU = 0x00030011,
	MAILBOX_ENABLE_QPU = 0x00030012,
	MAILBOX_DOMAIN_STATE = 0x00030030,
	MAILBOX_THROTTLED = 0x00030046,
	MAILBOX_MEASURED_CLOCK_RATE = 0x00030047,
	MAILBOX_SET_CLOCK_STATE = 0x00038001,
	MAILBOX_SET_CLOCK_RATE = 0x00038002
};

/* A power domain: a number of the kernel's device-tree binding plus one
 * (drivers/pmdomain/bcm/raspberrypi-power.c). */
enum { MAILBOX_DOMAIN_V3D = 11 };

enum mailbox_clock {
	MAILBOX_CLOCK_ARM = 3,
	MAILBOX_CLOCK_CORE = 4,
	MAILBOX_CLOCK_V3D = 5
};

/* The state of a clock. */
enum { MAILBOX_CLOCK_ON = 1 << 0, MAILBOX_CLOCK_MISSING = 1 << 1 };

/* A message is its size in bytes, a code, tags and a 0.  These are codes, and a
 * bit in the length of a tag that was answered. */
#define MAILBOX_REQUEST 0u
#define MAILBOX_SUCCESS 0x80000000u
#define MAILBOX_PARSE_ERROR 0x80000001u
#define MAILBOX_TAG_RESPONSE 0x80000000u /* beside the number of bytes */

/* Flags of MAILBOX_ALLOCATE_MEMORY. */
enum {
	MAILBOX_MEMORY_DIRECT = 1 << 2,		  /* alias 0xc */
	MAILBOX_MEMORY_COHERENT = 2 << 2,	  /* alias 0x8 */
	MAILBOX_MEMORY_L1_NONALLOCATING = 3 << 2, /* alias 0x4 */
	MAILBOX_MEMORY_ZERO = 1 << 4,
	MAILBOX_MEMORY_NO_INIT = 1 << 5
};

/* Answers to MAILBOX_EXECUTE_QPU and MAILBOX_ENABLE_QPU. */
#define MAILBOX_OK 0u
#define MAILBOX_FAILED 0x80000000u

#endif
